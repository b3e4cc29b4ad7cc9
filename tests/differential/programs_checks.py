"""Checks for NaN and infinity: which operation is named, and what is printed, whatever transforms a function.

Each call has a thread of its own: JAX forgets, in a thread that has evaluated a jaxpr, to look at what C++ has computed.
"""

from __future__ import annotations

from tests.differential.scripts import scripts

CHECKED = r"""
import threading
def checked(text, f, *args, **settings):
    def call():
        settings.setdefault("jax_debug_nans", True)
        for k, v in settings.items(): jax.config.update(k, v)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out): f(*args)
            said = "nothing"
        except Exception as e: said = f"{type(e).__name__}: {e}"
        finally:
            for k in settings: jax.config.update(k, False)
        show(f"{text}: {said}\n{out.getvalue()}")
    thread = threading.Thread(target=call); thread.start(); thread.join()
def ways(f):
    return dict(
        called=f, jitted=jax.jit(f), gradient=jax.grad(f), of_jitted=jax.grad(jax.jit(f)), jitted_gradient=jax.jit(jax.grad(f)), pulled=lambda x: jax.vjp(f, x),
        linearized=lambda x: jax.linearize(f, x), twice=jax.grad(jax.grad(f)), mapped=lambda x: jax.vmap(jax.grad(f))(x[None]), traced=lambda x: jax.make_jaxpr(f)(x) and None,
    )
x = np.float32(-1); zero = np.float32(0)
"""

PROGRAMS_OF_ONE_OPERATION = """
# K1 square root
for name, g in ways(lambda x: lax.sqrt(x)).items(): checked(name, g, x); checked(name, g, zero, jax_debug_infs=True)
# K1 logarithm
for name, g in ways(lambda x: lax.log(x)).items(): checked(name, g, x); checked(name, g, zero, jax_debug_infs=True)
# K1 quotient
for name, g in ways(lambda x: lax.div(x, x)).items(): checked(name, g, zero)
# K1 power
for name, g in ways(lambda x: lax.pow(x, np.float32(0.5))).items(): checked(name, g, x)
for name, g in ways(lambda x: lax.integer_pow(x, -2)).items(): checked(name, g, zero, jax_debug_infs=True)
# K1 norm
f = lambda x: lax.sqrt(lax.reduce_sum(lax.mul(x, x), axes=(0,)))
for name in ("gradient", "of_jitted", "jitted_gradient", "pulled"): checked(name, ways(f)[name], np.zeros(3, np.float32))
# K1 functions that are jitted themselves
for f, at in ((jnp.sqrt, x), (lambda x: jnp.power(x, 0.5), x), (lambda x: jnp.divide(x, x), zero), (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), zero)):
    for name in ("gradient", "pulled", "linearized"): checked(name, ways(f)[name], at)
"""

PROGRAMS_OF_CALLS = """
# K2 compiled ahead of time, and a jaxpr evaluated
f = jax.jit(lambda x: lax.sqrt(x)); c = f.lower(np.float32(1)).compile(); j = jax.make_jaxpr(f)(x)
for k in range(2): checked("compiled", c, x); checked("evaluated", lambda x: core.eval_jaxpr(j.jaxpr, j.consts, x), x)
# K2 a NaN that no operation makes
g = jax.jit(lambda: jnp.nan); h = jax.jit(lambda x: (x, np.float32(np.nan)))
for k in range(2): checked("literal", lambda x: g(), x); checked("passed on", h, x)
checked("nested", jax.jit(lambda x: h(x)), x); checked("mapped", jax.vmap(h), f4)
# K2 linear programs
lin = jax.linearize(jax.jit(lambda x: lax.mul(x, np.float32(np.inf))), np.float32(1))[1]; pull = jax.vjp(jax.jit(lambda x: lax.mul(x, x)), np.float32(np.inf))[1]
for k in range(2): checked("linear", lin, zero); checked("pulled", pull, zero)
# K2 loops and branches
checked("cond", lambda x: lax.cond(x < 0, lambda: lax.sqrt(x), lambda: x), x)
body = lambda x: lax.scan(lambda c, a: (lax.sqrt(c), a), x, np.ones(2, np.float32))[0]
checked("scan", body, x); checked("jitted scan", jax.jit(body), x); checked("gradient", jax.grad(body), x); checked("loop", lambda x: lax.fori_loop(0, 3, lambda i, c: lax.log(c), x), x)
# K2 rules of one's own
cj = jax.custom_jvp(lambda x: lax.sqrt(x)); cj.defjvp(lambda p, t: (cj(*p), lax.div(lax.mul(t[0], zero), zero)))
cv = jax.custom_vjp(lambda x: lax.sqrt(x)); cv.defvjp(lambda x: (cv(x), x), lambda r, c: (lax.log(-r) * c,))
for f in (cj, cv): checked("gradient", jax.grad(f), np.float32(1)); checked("jitted", jax.jit(jax.grad(f)), np.float32(1)); checked("of jitted", jax.grad(jax.jit(f)), np.float32(1))
# K2 functions in functions
f = lambda x: jax.jit(lambda y: lax.mul(lax.sqrt(y), y))(x)
checked("gradient", jax.grad(f), x); checked("jitted", jax.jit(jax.grad(f)), x); checked("without jit", f, x, jax_disable_jit=True); checked("gradient without jit", jax.grad(f), x, jax_disable_jit=True)
# K2 other derivatives
f = lambda x: lax.sqrt(x); checked("hessian", jax.hessian(f), x); checked("jacrev", jax.jacrev(f), x); checked("jacfwd", jax.jacfwd(f), x); checked("jvp", lambda x: jax.jvp(f, (x,), (x,)), x)
# K2 arguments that are given away
f = jax.jit(lambda x: lax.sqrt(x), donate_argnums=0); y = jnp.full(3, -1.0); checked("donated", f, y); show(y.is_deleted())
"""

PROGRAMS = [
    p
    for text in (PROGRAMS_OF_ONE_OPERATION, PROGRAMS_OF_CALLS)
    for p in scripts(
        "\n# ".join(
            s if i == 0 else s.replace("\n", "\n" + CHECKED, 1) for i, s in enumerate(text.split("\n# "))
        )
    )
]
