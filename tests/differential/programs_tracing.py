"""Tracing: the text of jaxprs, what is recorded and what is run, branches, abstract values and trees of arguments."""

from __future__ import annotations

from tests.differential.scripts import scripts

TEXT = """
# T1 scalars, arrays and literals
show(str(jax.make_jaxpr(lambda x, y: lax.mul(lax.sin(x), y) + 2.5)(f4, 1.0)), str(jax.make_jaxpr(lambda x: lax.add(x, np.float32(3)))(1.0)))
# T1 no argument and no result
show(str(jax.make_jaxpr(lambda: None)()), str(jax.make_jaxpr(lambda: lax.exp(1.0))()), str(jax.make_jaxpr(lambda x: ())(f4)), str(jax.make_jaxpr(lambda x: (x, x, 3))(f4)))
# T1 results that are not used
show(str(jax.make_jaxpr(lambda x: (lax.top_k(x, 2)[0], lax.neg(x))[1])(f4)), str(jax.make_jaxpr(lambda x: lax.sort_key_val(x, x)[1])(f4)))
# T1 static arguments and shapes of results
show(str(jax.make_jaxpr(lambda n, x, flag: lax.broadcast(x, (n,)) if flag else x, static_argnums=(0, 2))(2, f4, True)))
j, s = jax.make_jaxpr(lambda x: {"a": lax.exp(x), "b": (1, None)}, return_shape=True)(f4); show(str(j), s)
# T1 static numbers that do not fit
for k in (3, -4, (0, 0), "x", 1.0): attempt(lambda: str(jax.make_jaxpr(lambda x, y: lax.tan(x), static_argnums=k)(1.0, 2.0)))
# T1 what cannot be traced
for f in (3, None, "f", [lax.sin]): attempt(lambda: jax.make_jaxpr(f))
attempt(lambda: jax.make_jaxpr(lambda x: x)("a")); attempt(lambda: jax.make_jaxpr(lambda x: lax.cos(x))()); attempt(lambda: jax.make_jaxpr(lambda x: {"k": object})(1.0))
# T1 long names of variables
def f(x):
    for _ in range(30): x = lax.sin(lax.cos(x))
    return x
show(str(jax.make_jaxpr(f)(1.0)))
# T1 lines that are too long
show(str(jax.make_jaxpr(lambda *xs: lax.concatenate(xs, 0))(*[np.ones((1, 3), np.float32)] * 12)))
# T1 long parameters
show(str(jax.make_jaxpr(lambda x: lax.dot_general(x, x, (((2,), (2,)), ((0, 1), (0, 1))), precision="highest", preferred_element_type=np.float32))(np.ones((2, 3, 4, 5), np.float32))))
# T1 options of pretty_print
j = jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.tanh(y) * 2)(x) + lax.log(x))(f4)
for kw in ({}, dict(source_info=True), dict(name_stack=True), dict(print_shapes=False), dict(print_effects=True), dict(source_info=True, name_stack=True, print_shapes=False)):
    attempt(lambda: j.pretty_print(**kw))
# T1 parameters that are not shown
j = jax.make_jaxpr(lambda x, y: (lax.tanh(x), lax.exp(x) * y, lax.dot(x, y), lax.reduce_sum(x, axes=(0,)), lax.reshape(x, (2, 2)), lax.convert_element_type(y, np.int8), lax.iota(np.int32, 3), lax.broadcast(x, (2,)), lax.transpose(x[None], (1, 0)), lax.cumsum(x), lax.argmax(x, 0, np.int32)))(f4, f4)
show(str(j), j.pretty_print(custom_pp_eqn_rules=False))
# T1 options that do not exist
j = jax.make_jaxpr(lambda x: lax.sqrt(x))(f4)
for kw in (dict(colour=True), dict(source_info=3)):
    try: show(j.pretty_print(**kw))
    except TypeError as e: show(type(e).__name__)
# T1 nested programs are printed once
g = jax.jit(lambda x: lax.sin(x) * 2)
show(str(jax.make_jaxpr(lambda x: g(g(x)))(f4)), str(jax.make_jaxpr(lambda x: (g(x), g(x[:2]), g(x)))(f4)))
# T1 long nested programs
def body(x):
    for _ in range(12): x = lax.add(lax.cos(x), x)
    return x
g = jax.jit(body); show(str(jax.make_jaxpr(lambda x: g(x))(f4)), str(jax.make_jaxpr(lambda x: g(g(x)))(f4)))
# T1 loops and branches
show(str(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (lax.add(c, a), lax.neg(a)), np.float32(0), x))(f4)))
show(str(jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, lax.exp(c[1])), (0, x)))(f4)))
show(str(jax.make_jaxpr(lambda i, x: lax.switch(i, [lax.sin, lax.cos, lambda y: y], x))(1, f4)))
# T1 transformed functions
f = lambda x: lax.reduce_sum(lax.mul(lax.sin(x), x), axes=(0,))
show(str(jax.make_jaxpr(jax.grad(f))(f4)), str(jax.make_jaxpr(jax.vmap(jax.value_and_grad(f)))(f22)), str(jax.make_jaxpr(lambda x, t: jax.jvp(f, (x,), (t,)))(f4, f4)))
# T1 rules of one's own
@jax.custom_jvp
def f(x): return lax.sin(x)
f.defjvp(lambda p, t: (f(*p), lax.cos(p[0]) * t[0]))
@jax.custom_vjp
def g(x): return lax.exp(x)
g.defvjp(lambda x: (lax.exp(x), x), lambda r, ct: (ct * r,))
show(str(jax.make_jaxpr(lambda x: f(x) + g(x))(1.0)), str(jax.make_jaxpr(jax.grad(lambda x: f(x) + g(x)))(1.0)))
# T1 axis_env
for env in ([("i", 4)], [("i", 2), ("j", 3)], (), None, [("i", 4)] * 2):
    attempt(lambda: str(jax.make_jaxpr(lambda x: lax.mul(lax.sin(x), x), axis_env=env)(f4)))
# T1 make_jaxpr inside of a trace
def f(x):
    j = jax.make_jaxpr(lambda y: lax.sub(y, 1.0))(x)
    show(str(j)); return lax.abs(x)
show(str(jax.make_jaxpr(f)(f4)), jax.make_jaxpr(f).__name__)
# T1 scalars of every type
for x in (1, 1.0, True, 1j, np.int8(1), np.uint16(2), np.float16(1), np.bool_(True), jnp.bfloat16(2)):
    show(str(jax.make_jaxpr(lambda x: (lax.eq(x, x), x, lax.convert_element_type(x, np.float32) if not isinstance(x, complex) else x))(x)) if x != 1j else str(jax.make_jaxpr(lambda x: lax.real(x))(x)))
# T1 literals of every type
for v in (1e30, 1e-7, float("nan"), float("inf"), -0.0, 123456789.0): show(str(jax.make_jaxpr(lambda x: lax.mul(x, v))(1.0)))
show(str(jax.make_jaxpr(lambda x: lax.add(x, 2**31 - 1))(1)), str(jax.make_jaxpr(lambda x: lax.bitwise_and(x, True))(True)), str(jax.make_jaxpr(lambda x: lax.mul(x, 2 + 1j))(1j)))
"""

RECORDED = """
# T2 side effects happen once
n = []
j = jax.make_jaxpr(lambda x: (n.append(1), lax.sin(x))[1])(f4); show(str(j), n); core.eval_jaxpr(j.jaxpr, j.consts, f4); show(n)
# T2 print of a traced value
with printed(): jax.make_jaxpr(lambda x, y: (print(x, y), print(lax.neg(x)), print(f"{lax.add(x, 1.0)} {y!r}"))[0])(f4, 2)
# T2 print under each transformation
with printed():
    jax.jit(lambda x: print(x, repr(x)))(f4); jax.grad(lambda x: (print(x), lax.sin(x))[1])(1.0); jax.vmap(lambda x: (print(x), lax.cos(x))[1])(f22)
    jax.jvp(lambda x: (print(x), lax.exp(x))[1], (1.0,), (1.0,)); jax.vmap(jax.grad(lambda x: (print(x), lax.tan(x))[1]))(f4); jax.jit(jax.grad(lambda x: (print(x), x * x)[1]))(1.0)
# T2 print in bodies
with printed():
    jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (print(c, a), (lax.add(c, a), a))[1], 0.0, x))(f4)
    jax.make_jaxpr(lambda x: lax.cond(x > 0, lambda y: (print("yes", y), lax.sin(y))[1], lambda y: (print("no", y), y)[1], x))(1.0)
    jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda i, y: (print(i, y), lax.neg(y))[1], x))(1.0)
# T2 a global that is read
scale = 2.0
def f(x): return lax.mul(x, scale)
j = jax.jit(f); show(j(f4), str(jax.make_jaxpr(f)(f4))); scale = 3.0; show(j(f4), j(f4[:2]), str(jax.make_jaxpr(f)(f4)))
# T2 a list that is kept
kept = []
def f(x): kept.append(lax.sin(x)); return lax.cos(x)
jax.jit(f)(f4); attempt(lambda: print(kept[0] + 1)); attempt(lambda: lax.neg(kept[0])); show(kept[0].shape, kept[0].aval)
# T2 iteration over a traced value
show(str(jax.make_jaxpr(lambda x: [lax.sin(r) for r in x])(f22))); attempt(lambda: jax.make_jaxpr(lambda x: list(x))(1.0)); show(str(jax.make_jaxpr(lambda x: tuple(x))(f4)))
# T2 unpacking
show(str(jax.make_jaxpr(lambda x: (lambda a, b: lax.add(a, b))(*x))(f22))); attempt(lambda: jax.make_jaxpr(lambda x: (lambda a, b, c: a)(*x))(f22))
# T2 len, bool, int, float and hash
for g in (len, bool, int, float, hash, complex, np.asarray, lambda x: x.item(), lambda x: x.tolist(), repr, np.sin, lambda x: [1, 2][x], lambda x: f"{x:.2f}", lambda x: x.__index__()):
    attempt(lambda: str(jax.make_jaxpr(lambda x: lax.sin(x) if plain(g(x)) else lax.cos(x))(np.float32(1))))
# T2 what a shape gives
show(str(jax.make_jaxpr(lambda x: lax.mul(x, np.float32(len(x) * x.size + x.ndim + x.shape[0])))(f4)))
# T2 attributes a traced value has not
for a in ("foo", "device_buffer", "numpy", "data", "__array_interface__", "block_until_ready", "devices", "sharding", "committed", "weak_type", "aval", "nbytes", "itemsize", "is_deleted", "at", "T", "mT", "real"):
    attempt(lambda: jax.make_jaxpr(lambda x: (show(a, getattr(x, a) if a not in ("block_until_ready", "devices", "is_deleted", "at") else "is there" if getattr(x, a) else 0), lax.sin(x))[1])(f22) and None)
# T2 assignment to an element
def f(x): x[0] = 1.0; return x
def g(x): x += 1; return lax.sin(x)
attempt(lambda: jax.make_jaxpr(f)(f4)); show(str(jax.make_jaxpr(g)(f4))); attempt(lambda: f(jax.device_put(f4)))
# T2 random numbers and clocks are read once
import random as pyrandom
pyrandom.seed(0)
f = jax.jit(lambda x: lax.add(x, np.float32(pyrandom.random()))); show(bool((f(f4) == f(f4)).all()), bool((f(f4[:2]) == f(f4)[:2]).all()))
# T2 exceptions of the traced function
def f(x): raise KeyError("inside")
attempt(lambda: jax.make_jaxpr(f)(f4)); attempt(lambda: jax.jit(f)(f4)); attempt(lambda: jax.vmap(jax.grad(f))(f4)); attempt(lambda: lax.scan(lambda c, x: 1 / 0, 0.0, f4))
# T2 exceptions that are caught
def f(x):
    try: return lax.sin(x) if x > 0 else x
    except jax.errors.TracerBoolConversionError as e: show(str(e).splitlines()[0]); return lax.neg(x)
show(str(jax.make_jaxpr(f)(1.0)))
# T2 generators and comprehension
def gen(x):
    for k in range(3): yield lax.mul(x, np.float32(k))
show(str(jax.make_jaxpr(lambda x: sum(gen(x)))(f4)), str(jax.make_jaxpr(lambda x: functools.reduce(lax.add, gen(x)))(f4)))
# T2 a function that mutates its argument
def f(d): d["y"] = lax.sin(d["x"]); return d
d = {"x": f4}; show(str(jax.make_jaxpr(f)(d)), sorted(d), sorted(jax.jit(f)(d)), sorted(f(d)))
# T2 results that are arguments
show(str(jax.make_jaxpr(lambda x, y: (y, x, x))(f4, 1)), str(jax.make_jaxpr(lambda x: jax.jit(lambda a, b: (b, a))(x, lax.abs(x)))(f4)))
# T2 comparison by identity and in sets
def f(x, y): show(x is x, x is y, x in [x], len({id(x), id(y)})); return lax.max(x, y)
attempt(lambda: str(jax.make_jaxpr(f)(1.0, 2.0)))
"""

BRANCHES = """
# T3 only the branch taken
def f(x, flag): return lax.sin(x) if flag else lax.cos(x)
show(*[str(jax.make_jaxpr(f, static_argnums=1)(f4, k)) for k in (True, False)]); attempt(lambda: jax.make_jaxpr(f)(f4, True))
# T3 ndim decides
def f(x): return lax.reduce_sum(x, axes=tuple(range(x.ndim))) if x.ndim > 1 else lax.neg(x)
show(str(jax.make_jaxpr(f)(f4)), str(jax.make_jaxpr(f)(f22)), jax.jit(f)(f22))
# T3 shape decides
def f(x):
    n = x.shape[0]
    while n > 1:
        half = n // 2
        x = lax.add(lax.slice(x, (0,), (half,)), lax.slice(x, (half,), (2 * half,))); n = half
    return x
show(str(jax.make_jaxpr(f)(f4)), jax.jit(f)(np.arange(8, dtype=np.float32)))
# T3 dtype decides
def f(x): return lax.sqrt(x) if jnp.issubdtype(x.dtype, np.floating) else lax.population_count(x) if x.dtype == np.int32 else lax.bitwise_not(x)
show(*[str(jax.make_jaxpr(f)(x)) for x in (1.0, 1, True, np.float16(1))])
# T3 isinstance decides
def f(x): return "traced" if isinstance(x, core.Tracer) else "array" if isinstance(x, jax.Array) else type(x).__name__
out = []
jax.make_jaxpr(lambda x: (out.append(f(x)), out.append(isinstance(x, jax.Array)), lax.sin(x))[2])(f4); show(out, f(f4), f(jax.device_put(f4)), f(1.0))
# T3 None decides
def f(x, bias=None): return lax.tanh(x) if bias is None else lax.add(x, bias)
show(str(jax.make_jaxpr(f)(f4)), str(jax.make_jaxpr(f)(f4, f4)), str(jax.make_jaxpr(f)(f4, None)))
# T3 a truth value
for g in (lambda x: lax.sin(x) if x > 0 else x, lambda x: x if lax.eq(x, 1.0) and True else lax.cos(x), lambda x: not lax.lt(x, 0.0), lambda x: 1.0 if lax.ne(x, 0.0) or x else 2.0): attempt(lambda: jax.make_jaxpr(g)(1.0))
# T3 the truth of an array
for g in (lambda x: 1 if x.any() else lax.neg(x), lambda x: 1 if x > 0 else 2, lambda x: 1 if lax.reduce_max(x, axes=(0,)) else 2): attempt(lambda: jax.jit(g)(f4))
attempt(lambda: bool(jax.device_put(f4))); attempt(lambda: 1 if jax.device_put(f4) > 0 else 2); attempt(lambda: bool(jax.device_put(f4[:0])))
# T3 a derived value decides
def f(x):
    y = lax.exp(x)
    z = lax.mul(y, lax.sin(y))
    if z > 1: return x
    return y
attempt(jax.jit(f), 1.0); attempt(jax.jit(jax.vmap(f)), f4); attempt(lambda: jax.vmap(f)(f4)); attempt(jax.grad(f), 1.0); attempt(jax.jvp, f, (1.0,), (1.0,))
# T3 a loop over a traced number
def f(x, n):
    for _ in range(n): x = lax.neg(x)
    return x
attempt(jax.jit(f), f4, 3); show(str(jax.make_jaxpr(f, static_argnums=1)(f4, 2))); attempt(jax.jit(lambda n: [lax.sin(1.0)] * n), 2)
# T3 a while on a traced number
def f(x):
    while x < 10: x = lax.mul(x, x)
    return x
attempt(jax.jit(f), 2.0); show(f(2.0), jax.grad(f)(2.0))
# T3 python branches under grad
def f(x): return lax.sin(x) if x > 0 else lax.integer_pow(x, 3)
show(jax.grad(f)(1.0), jax.grad(f)(-1.0)); attempt(lambda: jax.make_jaxpr(lambda t: jax.jvp(f, (1.0,), (t,))[1])(1.0))
# T3 constants decide while tracing
def f(x):
    k = np.arange(3).sum()
    return lax.mul(x, np.float32(k)) if k > 2 else lax.abs(x)
show(str(jax.make_jaxpr(f)(f4))); attempt(jax.make_jaxpr(lambda x: lax.sin(x) if jnp.sum(np.arange(3)) > 2 else x), f4)
# T3 staged branches instead
show(str(jax.make_jaxpr(lambda x: lax.cond(x > 0, lax.sin, lax.cos, x))(1.0)), str(jax.make_jaxpr(lambda x: lax.select(x > 0, lax.sin(x), x))(f4)), str(jax.make_jaxpr(lambda x: jnp.where(x > 0, x, 0.0))(f4)))
# T3 cond with a value that is known
show(str(jax.make_jaxpr(lambda x: lax.cond(True, lax.sin, lax.cos, x))(1.0)), lax.cond(False, lax.sin, lax.cos, 0.0), str(jax.make_jaxpr(lambda x: lax.switch(7, [lax.sin, lax.tan], x))(1.0)))
# T3 an assertion
def f(x):
    assert x.shape == (4,), "four please"
    assert lax.reduce_and(lax.gt(x, 0.0), axes=(0,)), "positive please"
    return lax.log(x)
attempt(jax.jit(f), f22); attempt(jax.jit(f), f4); attempt(f, f4)
# T3 match and slices
def f(x, n):
    match x.shape:
        case (a,): return lax.slice(x, (0,), (n,))
        case (a, b) if a == b: return lax.transpose(x, (1, 0))
        case _: return lax.reshape(x, (x.size,))
show(*[str(jax.make_jaxpr(f, static_argnums=1)(x, 2)) for x in (f4, f22, np.ones((1, 2), np.float32))]); attempt(jax.jit(f), f4, 2)
# T3 a traced number as a parameter
for f in (lambda n: lax.broadcast(f4, (n,)), lambda n: lax.slice(f4, (n,), (4,)), lambda n: lax.concatenate([f4, f4], n), lambda n: lax.pad(f4, 0.0, [(n, 0, 0)]), lambda n: lax.broadcast_in_dim(f4, (2, 4), (n,)), lambda n: lax.rev(f4, (n,)), lambda n: lax.top_k(f4, n), lambda n: lax.integer_pow(f4, n), lambda n: lax.iota(np.int32, n), lambda n: lax.dynamic_slice(f4, (0,), (n,)), lambda n: lax.transpose(f22, (n, 0)), lambda n: lax.full((n,), 1.0), lambda n: lax.scan(lambda c, x: (c, x), 0.0, None, length=n)): attempt(jax.make_jaxpr(f), 1)
# T3 sorting and max of Python
attempt(jax.jit(lambda x: sorted([x, lax.neg(x)])), 1.0); attempt(jax.jit(lambda x: max(x, lax.cos(x))), 1.0); attempt(jax.jit(lambda x: {x: 1}), 1.0)
"""

ABSTRACT = """
# T4 avals of traced values
jax.make_jaxpr(lambda *xs: [show(str(x.aval), x.shape, x.dtype, x.weak_type, x.ndim, x.size) for x in xs] and None)(f4, 1, 1.0, True, 1j, np.float64(2), np.int8(3), f22 > 0)
# T4 avals of results
jax.make_jaxpr(lambda x, n: [show(str(y.aval), repr(y.aval)) for y in (lax.add(x, 1.0), x > 0, x * n, lax.convert_element_type(x, np.int8), lax.reduce_sum(x, axes=(0,)), x[None], n + 1.5, lax.complex(x, x))] and None)(f4, 2)
# T4 typeof
for x in (1, 1.0, True, 1j, f4, np.float64(1), np.arange(3), jax.device_put(f22), SDS((2,), "f4")): attempt(lambda: (str(jax.typeof(x)), repr(jax.typeof(x))))
for x in ("a", None, [1], object): attempt(jax.typeof, x)
# T4 typeof inside
jax.make_jaxpr(lambda x: (show(str(jax.typeof(x)), str(jax.typeof(lax.sin(x)))), jax.vmap(lambda r: (show(str(jax.typeof(r))), lax.neg(r))[1])(x))[1])(f22)
# T4 weak types survive
def f(x):
    for g in (lax.neg, lax.sin, lambda y: lax.mul(y, y), lambda y: y + 1, lambda y: y * np.float32(1), lambda y: lax.broadcast(y, (2,)), lambda y: lax.convert_element_type(y, np.float32), lambda y: y.astype(float), lambda y: jnp.asarray(y), lambda y: lax.reshape(y, (1,)), lambda y: y > 0, lambda y: lax.select(True, y, y)):
        show(str(g(x).aval))
jax.make_jaxpr(f)(1.0)
# T4 weak types and containers
show(str(jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda i, c: lax.mul(c, 2.0), x))(1.0)), str(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (c + a, c), 0.0, x))(f4)), str(jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c < 3, lambda c: c + np.float32(1), x))(1.0)))
# T4 weak types out of jit
for x in (1, 1.0, np.float32(1), np.ones(())): show(jax.jit(lambda y: y)(x).weak_type, jax.jit(lambda y: lax.neg(y))(x).weak_type, str(jax.jit(lambda y: lax.exp(y * 1.0)).eval_shape(x)))
# T4 ShapedArray
SA = core.ShapedArray
for a in (((2, 3), np.dtype("float32")), ((), np.dtype("int32")), ((4,), np.dtype("bool"))): show(SA(*a), str(SA(*a)), SA(*a).str_short(), SA(*a).str_short(short_dtypes=True), SA(*a).size, SA(*a).ndim)
show(SA((2,), np.dtype("float32"), weak_type=True), SA((2,), np.dtype("float32")) == SA((2,), np.dtype("float32")), SA((2,), np.dtype("float32")) == SA((2,), np.dtype("float32"), weak_type=True), hash(SA((2,), np.dtype("int8"))) == hash(SA((2,), np.dtype("int8"))))
# T4 ShapedArray that cannot be
for a in (((-1,), np.dtype("float32")), ((1.5,), np.dtype("float32")), ("ab", np.dtype("float32")), ((2,), "float32")): attempt(lambda: str(core.ShapedArray(*a)))
# T4 update of an aval
a = core.ShapedArray((2, 3), np.dtype("float32"))
show(a.update(shape=(4,)), a.update(dtype=np.dtype("int8"), weak_type=True), a.strip_weak_type() == a, a.update(weak_type=True).strip_weak_type())
try: a.update(foo=3)
except TypeError as e: show(type(e).__name__)
# T4 concrete values where they are kept
with jax.disable_jit(): show(jax.jit(lambda x: lax.sin(x) if x > 0 else x)(1.0))
def f(x): show(type(x).__name__, float(lax.neg(np.float32(2)))); return lax.sin(x)
attempt(jax.grad(f), 1.0); attempt(jax.jvp, lambda x: (show(x > 0), lax.cos(x))[1], (1.0,), (1.0,))
# T4 values of grad, vmap and jit nested
def f(x): show(str(x.aval), bool(x > 0)); return lax.mul(x, x)
attempt(jax.grad(f), 2.0); attempt(jax.grad(jax.grad(f)), 2.0); attempt(jax.jit(jax.grad(f)), 2.0)
def g(x): show(str(x.aval)); return lax.sin(x)
jax.vmap(g)(f22); jax.vmap(jax.vmap(g))(f22); jax.grad(lambda x: lax.reduce_sum(jax.vmap(g)(x), axes=(0,)))(f4)
# T4 types of small floats and ints
for d in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "int2"): attempt(lambda: str(jax.make_jaxpr(lambda x: (x, lax.convert_element_type(x, np.float32), lax.reshape(x, (2, 1))))(jnp.ones(2, d))))
# T4 keys
k = jax.random.key(0)
jax.make_jaxpr(lambda k: (show(str(k.aval), k.dtype, k.shape, str(jax.typeof(k))), jax.random.split(k))[1])(k); show(str(jax.typeof(k)), str(jax.make_jaxpr(lambda k: jax.random.uniform(k))(k)))
# T4 shapes with zeros and many axes
jax.make_jaxpr(lambda x, y: [show(str(v.aval), v.nbytes if hasattr(v, "nbytes") else 0) for v in (x, y, lax.reduce_sum(x, axes=(0,)), lax.squeeze(y, (0, 2)), lax.rev(x, (1,)))] and None)(np.ones((0, 3), np.float32), np.ones((1, 2, 1, 3, 1), np.int16))
# T4 mixing shapes
for a, b in (((2, 3), (3, 2)), ((4,), (2, 2)), ((), (3,)), ((1, 3), (2, 3))):
    x, y = np.ones(a, np.float32), np.ones(b, np.float32); attempt(lambda: str(jax.make_jaxpr(lax.add)(x, y))); attempt(lambda: str(jax.make_jaxpr(lambda p, q: p * q)(x, y)))
# T4 mixing types
for a, b in ((1, np.float32(1)), (np.int32(1), np.float32(1)), (np.int8(1), np.uint8(1)), (True, 1.0), (np.float16(1), jnp.bfloat16(1)), (1, np.int8(1))): attempt(lambda: str(jax.make_jaxpr(lax.mul)(a, b))); attempt(lambda: str(jax.make_jaxpr(lambda p, q: p + q)(a, b)))
"""

TREES = """
# T5 containers
show(str(jax.make_jaxpr(lambda t: {"out": [lax.sin(t["a"]), (t["b"][0], None)], "none": ()})({"b": (f4, []), "a": 1.0})), jax.tree_util.tree_structure(jax.eval_shape(lambda t: {"o": [t["a"], (t["b"][0], None)]}, {"b": (f4, []), "a": 1.0})))
# T5 keys are sorted
show(str(jax.make_jaxpr(lambda d: lax.sub(d["b"], d["a"]))({"b": f4, "a": 1 + f4})), jax.tree_util.tree_leaves({"b": 1, "a": 2, "C": 3})); attempt(lambda: jax.tree_util.tree_leaves({1: 2, "a": 3})); attempt(lambda: jax.jit(lambda d: lax.neg(d[1]))({1: 2, "a": 3}))
# T5 named tuples
import collections
P = collections.namedtuple("P", "x y")
show(jax.jit(lambda p: P(lax.neg(p.y), p.x))(P(1, f4)), jax.tree_util.tree_structure(P(1, (2, None))), jax.vmap(lambda p: lax.add(p.x, p.y))(P(f4, f4)), jax.grad(lambda p: lax.mul(p.x, p.y))(P(2.0, 3.0)))
# T5 ordered and default dicts
import collections
o = collections.OrderedDict(b=f4, a=1); d = collections.defaultdict(list, b=f4, a=1)
show(jax.tree_util.tree_structure(o), jax.tree_util.tree_structure(d), jax.jit(lambda t: t)(o), type(jax.jit(lambda t: (lax.sin(t["a"] * 1.0), t)[1])(d)).__name__, str(jax.make_jaxpr(lambda t: lax.exp(t["b"]))(o)))
# T5 dataclasses
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class S:
    w: object
    b: object
    name: str = dataclasses.field(metadata=dict(static=True), default="s")
show(jax.tree_util.tree_structure(S(1, 2)), jax.jit(lambda s: S(lax.neg(s.b), lax.abs(s.w), s.name + "!"))(S(f4, 1.0)), str(jax.make_jaxpr(lambda s: lax.add(s.w, s.b))(S(f4, f4, "t"))), jax.tree_util.tree_flatten_with_path(S(1, 2))[0])
# T5 dataclasses that are not registered
import dataclasses
@dataclasses.dataclass
class S: w: object
attempt(lambda: jax.jit(lambda s: lax.sin(s.w))(S(1.0)))
attempt(lambda: jax.tree_util.register_dataclass(S, data_fields=["q"], meta_fields=[])); attempt(lambda: jax.tree_util.register_dataclass(S, ["w"], ["w"])); attempt(lambda: jax.tree_util.register_dataclass(S, ["w", "w"], []))
# T5 nodes with keys
@jax.tree_util.register_pytree_with_keys_class
class N:
    def __init__(self, *ch): self.ch = ch
    def tree_flatten_with_keys(self): return [(jax.tree_util.GetAttrKey(f"c{i}"), c) for i, c in enumerate(self.ch)], len(self.ch)
    @classmethod
    def tree_unflatten(cls, n, ch): return cls(*ch)
show(jax.tree_util.tree_structure(N(1, 2)), [jax.tree_util.keystr(k) for k, _ in jax.tree_util.tree_leaves_with_path({"n": [N(1, (2, 3))]})], str(jax.make_jaxpr(lambda n: N(lax.mul(*n.ch)))(N(f4, f4)))); attempt(lambda: jax.jit(lambda n: 1 if lax.gt(n.ch[0], 0.0) else 2)(N(1.0)))
# T5 nodes without keys
class N:
    def __init__(self, a, b): self.a, self.b = a, b
jax.tree_util.register_pytree_node(N, lambda n: ((n.a,), n.b), lambda b, ch: N(ch[0], b))
show([jax.tree_util.keystr(k) for k, _ in jax.tree_util.tree_leaves_with_path(N([1, 2], "x"))], jax.tree_util.tree_structure(N(1, "x")), str(jax.make_jaxpr(lambda n: lax.sin(n.a))(N(f4, "x")))); attempt(lambda: jax.jit(lambda n: 1 if lax.cos(n.a) > 0 else 2)(N(1.0, 3)))
# T5 registered twice
class N: pass
jax.tree_util.register_pytree_node(N, lambda n: ((), None), lambda a, c: N()); attempt(lambda: jax.tree_util.register_pytree_node(N, lambda n: ((), None), lambda a, c: N())); attempt(lambda: jax.tree_util.register_pytree_node(list, lambda n: ((), None), lambda a, c: N())); attempt(lambda: jax.tree_util.register_static(N))
# T5 static nodes
import dataclasses
@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Cfg: n: int
n = []
f = jax.jit(lambda c, x: (n.append(c.n), lax.broadcast(x, (c.n,)))[1])
show(f(Cfg(2), f4).shape, f(Cfg(2), f4).shape, f(Cfg(3), f4).shape, n, jax.tree_util.tree_structure(Cfg(1)), jax.tree_util.tree_leaves(Cfg(1)))
# T5 None and leaves that are none
show(jax.tree_util.tree_leaves([None, 1, ()]), jax.tree_util.tree_leaves([None, 1], is_leaf=lambda x: x is None), jax.jit(lambda x: (None, lax.neg(x[1])))((None, 1.0)), jax.vmap(lambda x, y: lax.sin(x), in_axes=(0, None))(f4, None)); attempt(lambda: jax.grad(lambda x: x)(None))
# T5 tree_map
T = jax.tree_util
show(T.tree_map(lax.neg, {"a": f4, "b": [1.0]}), T.tree_map(lax.add, (1, [2]), (3, [4])), T.tree_map(lambda x, y: (x, y), {"a": 1}, {"a": {"b": 2}}))
for b in ([1], (1, 2, 3), {"a": 1}, None, (1, [2, 3])): attempt(lambda: T.tree_map(lambda x, y: lax.max(x, y), (1, [2]), b))
# T5 tree_map with paths
T = jax.tree_util
show(T.tree_map_with_path(lambda p, x: T.keystr(p) + str(x), {"a": [1, (2,)], "b": None}), T.keystr(T.tree_leaves_with_path({"a": [1]})[0][0], simple=True, separator="/"), T.tree_leaves_with_path({1: {"x": (5,)}}))
# T5 structures as values
T = jax.tree_util
t = T.tree_structure({"a": (1, None), "b": [2, 3]}); show(t, t.num_leaves, t.num_nodes, t.children(), T.treedef_children(t), T.treedef_is_leaf(T.tree_structure(1)), t == T.tree_structure({"b": [0, 0], "a": (0, None)}), hash(t) == hash(T.tree_structure({"a": (5, None), "b": [6, 7]})), t.unflatten([lax.neg(1), 2, 3])); attempt(lambda: t.unflatten([1])); attempt(lambda: t.unflatten([1, 2, 3, 4])); attempt(lambda: t.flatten_up_to({"a": 1, "b": 2}))
# T5 transposition and broadcast
T = jax.tree_util
show(T.tree_transpose(T.tree_structure([0, 0]), T.tree_structure({"a": 0}), [{"a": 1}, {"a": 2}]), T.tree_broadcast([1, 2], [(3, 4), 5]), T.tree_reduce(lax.add, [1.0, (2.0, 3.0)]), T.tree_all([True, 1]), T.all_leaves([1, 2])); attempt(lambda: T.tree_transpose(T.tree_structure([0, 0]), T.tree_structure({"a": 0}), [{"a": 1}])); attempt(lambda: T.tree_reduce(lax.add, []))
# T5 Partial
T = jax.tree_util
p = T.Partial(lax.add, f4); show(T.tree_structure(p).num_leaves, jax.jit(lambda g, x: g(x))(p, f4), str(jax.make_jaxpr(lambda g, x: g(lax.sin(x)))(p, f4)), T.tree_map(lax.neg, p)(f4))
# T5 trees in loops and branches
import collections
P = collections.namedtuple("P", "i acc")
show(lax.while_loop(lambda p: p.i < 3, lambda p: P(p.i + 1, {"s": lax.add(p.acc["s"], 2.0)}), P(0, {"s": 0.0})), lax.scan(lambda c, x: ({"t": lax.add(c["t"], x[0])}, [x[1], None]), {"t": 0.0}, (f4, f4))); attempt(lambda: lax.scan(lambda c, x: ([c["t"]], x), {"t": 0.0}, f4)); attempt(lambda: lax.cond(True, lambda x: (x, x), lambda x: [x, lax.neg(x)], 1.0))
# T5 trees of axes
show(jax.vmap(lambda d, k: lax.add(d["x"], d["y"][0]) * k, in_axes=({"x": 0, "y": 1}, None))({"x": f22, "y": [f22]}, 2.0)); attempt(lambda: jax.vmap(lambda d: lax.neg(d["x"]), in_axes=({"z": 0},))({"x": f22})); attempt(lambda: jax.vmap(lambda d: lax.neg(d["x"]), in_axes=([0],))({"x": f22})); attempt(lambda: jax.vmap(lambda x: (x, x), out_axes=(0, 1, 0))(f22))
# T5 an error in a node's own function
class Bad: pass
jax.tree_util.register_pytree_node(Bad, lambda n: 1 / 0, lambda a, c: Bad()); attempt(lambda: jax.jit(lambda b: 1)(Bad())); attempt(lambda: jax.tree_util.tree_leaves([Bad()]))
class Odd: pass
jax.tree_util.register_pytree_node(Odd, lambda n: 3, lambda a, c: Odd()); attempt(lambda: jax.tree_util.tree_leaves(Odd()))
"""

PROGRAMS = [p for text in (TEXT, RECORDED, BRANCHES, ABSTRACT, TREES) for p in scripts(text)]
