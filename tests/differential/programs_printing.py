"""The printed form of programs: widths, colours, HTML, where a text comes from, all parameters, effects."""

from __future__ import annotations

from tests.differential.scripts import scripts

LAID_OUT = r"""
# R1 widths, colours and sources
fmt = importlib.import_module("jax._src.pretty_printer").OutputFormat if jax.__name__ == "jax" else type("F", (), dict(TEXT="TEXT", HTML="HTML"))
g = jax.jit(lambda y: lax.sin(y) * 2)
def big(x):
    for _ in range(12): x = lax.add(lax.cos(x), x)
    return x
def host(x): jax.debug.print("a {}", x); return lax.top_k(x, 2)
fs = [
    lambda x: g(x) + lax.log(x),
    lambda x: g(g(x)), lambda x: jax.jit(big)(x), lambda *xs: lax.concatenate(xs, 0), host, lambda x: lax.cond(x[0] > 1, lambda: lax.sin(x), lambda: x), lambda x: lax.scan(lambda c, a: (c + a, -a), 0.0, x),
    jax.grad(lambda x: lax.reduce_sum(lax.sin(x), axes=(0,))),
    lambda: None, lambda x: (lax.neg(x), x)[1], lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, lax.exp(c[1])), (0, x)),
    lambda x: lax.dot_general(x, x, (((0,), (0,)), ((), ())), precision="highest", preferred_element_type=np.float32)]
for f in fs:
    j = jax.make_jaxpr(f)(*[f4] * (12 if f.__code__.co_flags & 4 and 'xs' in f.__code__.co_varnames else 0 if f is fs[-4] else 1))
    for kw in (
        {}, dict(use_color=False), dict(use_color=True), dict(width=1), dict(width=20), dict(width=40), dict(width=60), dict(width=300), dict(width=30, use_color=True), dict(use_color=True, separable_lines=True),
        dict(use_color=True, source_info=True), dict(source_info=True, annotation_prefix=" // "), dict(source_info=True, name_stack=True), dict(name_stack=True),
        dict(output_format=fmt.HTML), dict(output_format=fmt.TEXT), dict(output_format=fmt.HTML, use_color=True, separable_lines=True, width=30), dict(print_shapes=False, use_color=True), dict(source_info=True, output_format=fmt.HTML),
    ):
        for q in (j, j.jaxpr): attempt(lambda: q.pretty_print(**kw))
    s = []; j.pretty_print(source_map=s, width=50); show([[(a, b) for a, b, c in l] for l in s])
    s = [1]; j.pretty_print(source_map=s, width=150, source_info=True, name_stack=True); show([l if l == 1 else [(a, b) for a, b, c in l] for l in s])
# R1 arguments of the wrong type
j = jax.make_jaxpr(lambda x: lax.sqrt(x))(f4)
for kw in (dict(width="a"),dict(use_color=3),dict(colour=1),dict(annotation_prefix=3), dict(source_map=3), dict(width=-1), dict(width=0), dict(width=1.5), dict(use_color=None), dict(width=None), dict(separable_lines=1), dict(output_format=3)):
    for q in (j, j.jaxpr):
        try: show(q.pretty_print(**kw))
        except Exception as e: show(type(e).__name__, *str(e).splitlines()[-2:])
show(jax.config.jax_pprint_use_color)
try: j.pretty_print(80)
except TypeError as e: show("TypeError")
"""

IN_FULL = r"""
# R2 all parameters
cj = jax.custom_jvp(lambda x: lax.sin(x)); cj.defjvp(lambda p, t: (cj(*p), t[0]))
cv = jax.custom_vjp(lambda x: lax.sin(x)); cv.defvjp(lambda x: (cv(x), x), lambda r, c: (c,))
gs = dict(
    jit=lambda x: jax.jit(lambda y: y * 2)(x), jitopt=lambda x: jax.jit(lambda y: y * 2, keep_unused=True, inline=False, donate_argnums=0)(x),
    cond=lambda x: lax.cond(x[0] > 1, lambda: lax.sin(x), lambda: x), scan=lambda x: lax.scan(lambda c, a: (c + a, a), 0.0, x, unroll=2),
    wh=lambda x: lax.while_loop(lambda c: c[0] > 1, lambda c: c * 2, x),
    cj=lambda x: cj(x[0]), cv=lambda x: cv(x[0]),
    dot=lambda x: lax.dot(x, x), sort=lambda x: lax.sort(x),
    gather=lambda x: x[jnp.array([1, 2])], idx=lambda x: x[1],
    ds=lambda x: lax.dynamic_slice(x, (1,), (2,)), dus=lambda x: lax.dynamic_update_slice(x, x[:2], (1,)),
    scatter=lambda x: x.at[1].set(2.), sadd=lambda x: x.at[jnp.array([0, 1])].add(2.),
    red=lambda x: (jnp.sum(x), jnp.max(x), jnp.argmax(x), jnp.prod(x)),
    cum=lambda x: (lax.cumsum(x), lax.cummax(x, reverse=True)), rw=lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID"),
    rwm=lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (1,), "VALID"),
    rng=lambda x: jax.random.uniform(jax.random.key(0), (2,)), rb=lambda x: jax.random.bits(jax.random.PRNGKey(0)),
    cet=lambda x: x.astype(int), bc=lambda x: jnp.broadcast_to(x, (2, 4)),
    rs=lambda x: x.reshape(2, 2), tr=lambda x: x.reshape(2, 2).T,
    iota=lambda x: lax.iota("int32", 3), sl=lambda x: lax.slice(x, (1,), (2,)),
    pad=lambda x: lax.pad(x, 0.0, [(1, 1, 0)]), sel=lambda x: lax.select(x > 0, x, -x),
    cl=lambda x: lax.clamp(0.0, x, 1.0),
    topk=lambda x: lax.top_k(x, 2), rev=lambda x: lax.rev(x, (0,)), sq=lambda x: lax.squeeze(x[None], (0,)),
    cat=lambda x: lax.concatenate([x, x], 0), split=lambda x: lax.split(x, (1, 3)),
    unary=lambda x: (lax.exp(x), lax.log(x), lax.tanh(x), lax.logistic(x), lax.rsqrt(x), lax.sqrt(x), lax.cbrt(x), lax.exp2(x), lax.expm1(x), lax.log1p(x), lax.erf(x), lax.lgamma(x), lax.round(x), lax.sign(x), lax.integer_pow(x, 3), lax.pow(x, x), lax.atan2(x, x), lax.sin(x), lax.cos(x), lax.tan(x), lax.is_finite(x), lax.nextafter(x, x), lax.rem(x, x), lax.reduce_precision(x, 5, 5), lax.stop_gradient(x), lax.real(lax.complex(x, x)), lax.conj(lax.complex(x, x)), lax.square(x), lax.bitcast_convert_type(x, np.int32), lax.population_count(x.astype(int)), jnp.copy(x), lax.optimization_barrier(x)),
    cb=lambda x: jax.debug.print("{}", x), pc=lambda x: jax.pure_callback(np.sin, SDS((4,), "f4"), x),
    ioc=lambda x: experimental.io_callback(np.sin, SDS((4,), "f4"), x),
    grad=lambda x: jax.grad(lambda y: jax.jit(lambda z: lax.reduce_sum(z * z, axes=(0,)))(y))(x),
    red2=lambda x: lax.reduce(x, 0.0, lambda a, b: a + b * b, (0,)),
    nz=lambda x: jnp.nonzero(x, size=2), ss=lambda x: jnp.searchsorted(x, x),
    frexp=lambda x: (jnp.frexp(x), jnp.ldexp(x, 2)), lin=lambda x: jax.linearize(lambda y: lax.sin(y), x)[1](x),
    dp=lambda x: jax.device_put(x),
    cj2=lambda x: jax.jit(jax.grad(lambda y: cj(y)))(x[0]),
    rp=lambda x: jnp.repeat(x, 2), cc=lambda x: lax.platform_dependent(x, cpu=lambda x: lax.sin(x), default=lambda x: lax.cos(x)),
    relu=lambda x: jax.nn.relu(x), sm=lambda x: jax.nn.softmax(x))
for n, f in gs.items():
    show(n)
    try: j = jax.make_jaxpr(f)(f4)
    except Exception as e: show(type(e).__name__, e); continue
    attempt(lambda: j.pretty_print(custom_pp_eqn_rules=False).replace(jax.__name__ + ".", "J."))
# R2 effects
def cb(x): jax.debug.print("a {}", x)
io = lambda x: experimental.io_callback(lambda v: v, SDS((4,), "f4"), x, ordered=True)
fs = dict(
    cond=lambda x: lax.cond(x[0] > 1, lambda: (cb(x), lax.sin(x))[1], lambda: x), both=lambda x: lax.cond(x[0] > 1, lambda: (cb(x), lax.sin(x))[1], lambda: (jax.debug.print("b", ordered=True), x)[1]),
  io=lambda x: lax.cond(x[0] > 1, lambda: io(x), lambda: (cb(x), x)[1]),
    scan=lambda x: lax.scan(lambda c, a: (cb(c), (c + a, a))[1], 0.0, x), wh=lambda x: lax.while_loop(lambda c: c[0] > 1, lambda c: (cb(c), c * 2)[1], x),
  whc=lambda x: lax.while_loop(lambda c: (cb(c), c[0] > 1)[1], lambda c: c * 2, x),
    jit=lambda x: jax.jit(lambda y: (cb(y), y)[1])(x), plain=lambda x: (cb(x), io(x), x)[1:], cj=lambda x: jax.jit(lambda y: lax.cond(y[0] > 0, lambda: (cb(y), y)[1], lambda: y))(x),
    none=lambda x: lax.cond(x[0] > 1, lambda: lax.sin(x), lambda: x),
    sw=lambda x: lax.switch(1, [lambda: x, lambda: io(x), lambda: (cb(x), x)[1]]), swd=lambda i: lax.switch(i[0].astype(int), [lambda: i, lambda: io(i), lambda: (cb(i), i)[1]]),
    fori=lambda x: lax.fori_loop(0, 3, lambda i, c: io(c), x), vm=lambda x: jax.vmap(lambda y: (cb(y), y)[1])(x), pc=lambda x: jax.pure_callback(lambda v: v, SDS((4,), "f4"), x),
    nested=lambda x: lax.cond(x[0] > 0, lambda: lax.cond(x[1] > 0, lambda: io(x), lambda: x), lambda: x),
    gr=lambda x: jax.grad(lambda y: lax.reduce_sum(lax.cond(y[0] > 0, lambda: (cb(y), y * y)[1], lambda: y), axes=(0,)))(x))
for n, f in fs.items():
    j = jax.make_jaxpr(f)(f4); show(n, re.sub(r"(?<= : \{ )[^{}]*(?= \})", lambda m: ", ".join(sorted(m[0].split(", "))), j.pretty_print(print_effects=True))); show(sorted(map(str, j.effects)), [sorted(map(str, e.effects)) for e in j.eqns])
"""

PROGRAMS = [p for text in (LAID_OUT, IN_FULL) for p in scripts(text)]
