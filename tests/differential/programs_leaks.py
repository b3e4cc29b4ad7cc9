"""Tracers where they should not be: kept beyond their trace, or asked for their value while it runs."""

from __future__ import annotations

from tests.differential.scripts import scripts

LEAKED = r"""
# L1 what is done with a tracer whose trace has ended
def leaked(kind):
    box = []
    def g(x): box.append(x * 2 if kind != "raw" else x); return x * 1.0
    {"jit": lambda: jax.jit(g)(1.0), "raw": lambda: jax.jit(g)(1.0), "make_jaxpr": lambda: jax.make_jaxpr(g)(1.0), "grad": lambda: jax.grad(g)(1.0), "vmap": lambda: jax.vmap(g)(f4),
        "jvp": lambda: jax.jvp(g, (1.0,), (1.0,)), "vjp": lambda: jax.vjp(g, 1.0), "lin": lambda: jax.linearize(g, 1.0), "eval_shape": lambda: jax.eval_shape(g, 1.0),
        "jitgrad": lambda: jax.jit(jax.grad(g))(1.0), "scan": lambda: lax.scan(lambda c, a: (g(c), a), 1.0, f4), "cond": lambda: lax.cond(True, g, lambda x: x * 1.0, 1.0),
        "vmapjit": lambda: jax.vmap(jax.jit(g))(f4), "jitvmap": lambda: jax.jit(jax.vmap(g))(f4), "while": lambda: lax.while_loop(lambda c: c < 3, lambda c: g(c) + 1, 1.0)}[kind]()
    return box[-1]
uses = dict(eager=lambda t: t + 1, lax=lambda t: lax.sin(t), np=lambda t: np.asarray(t), bool=lambda t: bool(t), float=lambda t: float(t), repr=lambda t: repr(t), str=lambda t: str(t),
    shape=lambda t: (t.shape, t.dtype, t.aval), index=lambda t: t[0] if t.ndim else t.reshape(1), jnp=lambda t: jnp.sum(t), put=lambda t: jax.device_put(t), lst=lambda t: jnp.array([t, 1.0]),
    mj=lambda t: str(jax.make_jaxpr(lambda x: x + t)(1.0)), mjonly=lambda t: str(jax.make_jaxpr(lambda: t)()), mjonly2=lambda t: str(jax.make_jaxpr(lambda: t + 1)()),
        mjarg=lambda t: str(jax.make_jaxpr(lambda x: x + 1)(t)), mjid=lambda t: str(jax.make_jaxpr(lambda x: x)(t)), mjconsts=lambda t: [type(c).__name__ for c in jax.make_jaxpr(lambda x: x + t)(1.0).consts],
    jit=lambda t: jax.jit(lambda x: x + t)(1.0), jitarg=lambda t: jax.jit(lambda x: x + 1)(t), jitid=lambda t: jax.jit(lambda x: x)(t), jitonly=lambda t: jax.jit(lambda: t)(),
        lower=lambda t: jax.jit(lambda x: x + t).lower(1.0).as_text()[:20], trace=lambda t: str(jax.jit(lambda x: x + t).trace(1.0).jaxpr), grad=lambda t: jax.grad(lambda x: x * t)(1.0),
        gradarg=lambda t: jax.grad(lambda x: x * 2.0)(t), vmap=lambda t: jax.vmap(lambda x: x + t)(f4), vmaparg=lambda t: jax.vmap(lambda x, y: x + y, in_axes=(0, None))(f4, t),
        jvp=lambda t: jax.jvp(lambda x: x * t, (1.0,), (1.0,)), jvparg=lambda t: jax.jvp(lambda x: x * 2.0, (t,), (1.0,)), vjp=lambda t: jax.vjp(lambda x: x * t, 1.0)[0],
        lin=lambda t: jax.linearize(lambda x: x * t, 1.0)[0], ev=lambda t: jax.eval_shape(lambda x: x + t, 1.0), evarg=lambda t: jax.eval_shape(lambda x: x + 1, t),
        cond=lambda t: lax.cond(True, lambda: t, lambda: 1.0), condpred=lambda t: lax.cond(t > 0, lambda: 1.0, lambda: 1.0), scan=lambda t: lax.scan(lambda c, a: (c + t, a), 0.0, f4),
        pjit=lambda t: jax.jit(lambda x: jax.jit(lambda y: y + t)(x))(1.0), mjjit=lambda t: str(jax.make_jaxpr(lambda x: jax.jit(lambda y: y + t)(x))(1.0)),
        mjgrad=lambda t: str(jax.make_jaxpr(jax.grad(lambda x: x * t))(1.0)), mjvmap=lambda t: str(jax.make_jaxpr(jax.vmap(lambda x: x * t))(f4)),
        jitgrad=lambda t: jax.jit(jax.grad(lambda x: x * t))(1.0), jitvmap=lambda t: jax.jit(jax.vmap(lambda x: x * t))(f4),
        mjscan=lambda t: str(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (c + t, a), 0.0, x))(f4)), static=lambda t: jax.jit(lambda x: 1, static_argnums=0)(t), hash=lambda t: hash(t),
        eq=lambda t: t == t, typeof=lambda t: jax.typeof(t), nothing=lambda t: t is not None, mjunused=lambda t: str(jax.make_jaxpr(lambda x: (t, x)[1])(1.0)), mjtwo=lambda t: str(jax.make_jaxpr(lambda x: (x + t, x * t, t))(1.0)))
for k in ("jit", "raw", "make_jaxpr", "grad", "vmap", "jvp", "vjp", "lin", "eval_shape", "jitgrad", "scan", "cond", "vmapjit", "jitvmap", "while"):
    t = leaked(k)
    for n, f in uses.items():
        try: r = f"{f(t)!r}"
        except Exception as e: r = f"{type(e).__name__}: {str(e)}"
        show(f"{k} {n}: {r}")
# L1 what a tracer says of its value
for t, tr in dict(grad=lambda f: jax.grad(f)(1.0), gradi=lambda f: jax.grad(lambda x: f(x) * x)(2.0), jvp=lambda f: jax.jvp(f, (1.0,), (1.0,)), vjp=lambda f: jax.vjp(f, 1.0)[0],
    lin=lambda f: jax.linearize(f, 1.0)[0], gradjvp=lambda f: jax.grad(lambda x: jax.jvp(f, (x,), (1.0,))[0])(1.0), vec=lambda f: jax.grad(lambda x: f(x[0]) * 1.0)(f4), vmapg=lambda f: jax.vmap(jax.grad(f))(f4)).items():
    for n, f in dict(float=lambda x: float(x) * x, complex=lambda x: lax.real(complex(x) * x), int=lambda x: int(x) * x, bool=lambda x: bool(x) * x, np=lambda x: np.asarray(x) * x,
        nparr=lambda x: np.array(x) * x, npsin=lambda x: np.sin(x) * x, item=lambda x: x.item() * x, tolist=lambda x: x.tolist() * x, index=lambda x: [1, 2, 3][x.astype(int)] * x,
        range=lambda x: len(range(x.astype(int))) * x, fmt=lambda x: len(f"{x}") * x, hash=lambda x: hash(x) * x, round=lambda x: round(x) * x, fl2=lambda x: float(x * 2) * x,
        arange=lambda x: jnp.arange(x)[0] * x, zeros=lambda x: jnp.zeros(x.astype(int)).sum() * x, math=lambda x: __import__("math").sin(x) * x, devget=lambda x: jax.device_get(x) * x,
        eqh=lambda x: (x == 1.0) * x, stop=lambda x: float(lax.stop_gradient(x)) * x, isin=lambda x: (1.0 in [x]) * x, npfloat=lambda x: np.float32(x) * x, fstr=lambda x: len("%f" % x) * x,
        dct=lambda x: {1: 1}[int(x)] * x, len=lambda x: len(x) * x, iter=lambda x: [a for a in x][0] * x, jarr=lambda x: jnp.array([x, 1.0])[0], rep=lambda x: len(repr(x)) * x).items():
        try: r = f"{tr(f)!r}"
        except Exception as e: r = f"{type(e).__name__}: {str(e)}"
        show(f"{t} {n}: {r}")
"""

PROGRAMS = scripts(LEAKED)
