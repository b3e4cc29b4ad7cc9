"""What jaxprs hold: promoted types, programs as data, where equations come from, effects."""

from __future__ import annotations

from tests.differential.scripts import scripts

PROMOTION = """
# T6 the lattice of two arrays
ts = ["bool", "uint8", "int8", "int16", "uint32", "int32", "bfloat16", "float16", "float32", "complex64"]
for a in ts: show([jax.eval_shape(jnp.add, SDS((1,), a), SDS((2, 1), b)).dtype.name for b in ts], [jnp.promote_types(a, b).name for b in ts])
show(lax.add(f4, f4).dtype, lax.neg(i4).dtype, lax.sin(np.float16(1)).dtype)
# T6 the lattice with Python's scalars
for a in ("bool", "uint8", "int8", "int32", "bfloat16", "float16", "float32", "complex64"): show([str(jax.make_jaxpr(lambda x: jnp.multiply(x, s))(SDS((2,), a))) for s in (True, 1, 1.0, 1j)])
show(str(jax.typeof(lax.mul(1, 2))), str(jax.typeof(lax.exp(1.0))), str(jax.typeof(lax.max(1.0, np.float32(2)))))
# T6 small floats
def refused(f):  # a message names the types in no order
    try: show(f())
    except Exception as e: show(type(e).__name__, sorted(re.findall("'([a-z0-9_]+)'", str(e).split("have")[0])), str(e).partition("have")[2])
for a in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "bfloat16", "int4", "uint4"):
    for b in ("float8_e5m2", "float16", "int4", "float32", "int8", "bool"): refused(lambda: jnp.add(jnp.ones(1, a), jnp.ones(1, b)).dtype.name)
attempt(lambda: lax.add(jnp.ones(1, "bfloat16"), jnp.ones(1, "float16"))); attempt(lambda: lax.sin(jnp.ones(1, "float8_e5m2")).dtype); attempt(lambda: lax.neg(jnp.ones(1, "int4")))
# T6 lax does not promote arrays
for a, b in ((f4, i4), (f4, f4 > 0), (np.int8(1), np.int16(1)), (f4, 1), (i4, 1.5), (i4, True), (np.float16(1), 2.0)): attempt(lambda: str(jax.make_jaxpr(lax.add)(a, b)))
for f in (lax.mul, lax.max, lax.atan2, lax.rem): attempt(f, f4, i4)
attempt(lambda: lax.select(f4 > 0, f4, i4)); attempt(lambda: lax.concatenate([f4, i4], 0)); attempt(lambda: lax.clamp(0, f4, 1.0)); attempt(lambda: lax.dot(f4, i4))
# T6 x64 off
for x in (np.arange(2), np.ones(2), np.float64(1), np.int64(3), np.complex128(1), np.uint64(7), 2**31, 2**40, -(2**31) - 1): attempt(lambda: str(jax.make_jaxpr(lambda y: lax.neg(y) if np.asarray(x).dtype.kind != "u" else lax.bitwise_not(y))(x)))
# T6 x64 on
with jax.enable_x64(True):
    for x in (np.arange(2), np.ones(2), 1, 1.0, 1j, np.float32(1), 2**40, np.uint64(7)): show(str(jax.make_jaxpr(lambda y: (lax.mul(y, y), y + 1, y * 1.5))(x)))
    show(str(jax.make_jaxpr(lambda y: (lax.sin(y), jnp.sum(y), jnp.arange(3), jnp.zeros(2)))(f4)), lax.add(np.float64(1), 2.0).dtype)
attempt(lambda: jnp.zeros(2) + 1)
# T6 explicit wide types warn
with warned(): jnp.zeros(2, np.float64); jnp.asarray([1, 2], dtype="int64"); lax.convert_element_type(f4, np.float64); lax.iota(np.int64, 3); f4.astype(np.complex128); jnp.array(np.ones(2))
with warned(): show(jax.jit(lambda x: x.astype("float64"))(f4).dtype)
# T6 strict promotion
with jax.numpy_dtype_promotion("strict"):
    for g in (lambda: jnp.add(f4, 1), lambda: jnp.add(f4, 1.0), lambda: jnp.multiply(f4, i4), lambda: jnp.add(i4, 1.5), lambda: jnp.asarray(f4) * np.float16(1), lambda: jnp.where(True, f4, 0), lambda: lax.exp(f4), lambda: jnp.asarray(i4) / 2, lambda: jnp.stack([f4, i4])):
        try: show(str(jax.make_jaxpr(g)()))
        except Exception as e: show(type(e).__name__, sorted(re.findall("[a-z]+[0-9]+|float", str(e).split("have")[0])), str(e).partition("have")[2])
# T6 result_type and promote_types
for a in ((1, 1.0), (np.int8, 1), (f4, i4), ("bfloat16", np.float16), (np.uint8, np.int8), (True, 1j), (np.float32, 1.5, "int32"), (jnp.ones(1, "int4"), 1)): attempt(lambda: jnp.result_type(*a))
for a in (("int8", "uint8"), ("float16", "bfloat16"), ("bool", "float8_e5m2"), (int, float), ("uint32", "int32"), (None, "int8"), ("foo", "int8")): attempt(lambda: jnp.promote_types(*a))
show(lax.add(jnp.int8(1), jnp.int8(2)).dtype, lax.sub(1, 2).dtype, lax.div(1.0, 2.0).dtype)
# T6 canonical and issubdtype
for t in (float, int, "f8", np.int64, complex, bool, "bfloat16", "uint64"): attempt(lambda: jax.dtypes.canonicalize_dtype(t))
for a, b in (("bfloat16", np.floating), ("int4", np.integer), ("float8_e5m2", np.inexact), (np.bool_, np.integer), ("uint8", np.signedinteger), (jax.dtypes.prng_key, jax.dtypes.extended), (jax.random.key(0).dtype, jax.dtypes.prng_key), (jax.dtypes.float0, np.floating)): attempt(lambda: jnp.issubdtype(a, b))
show(lax.convert_element_type(1, "bfloat16"), lax.full((), 2, np.int8), lax.sqrt(np.float16(4)))
# T6 conversions
x = np.array([1.5, 0.0, 2.7, 300.0, np.nan], np.float32)
for t in ("int8", "uint8", "bool", "int32", "float16", "bfloat16", "complex64", "float8_e4m3fn", "int4"): attempt(lambda: np.asarray(lax.convert_element_type(x[:3], t)).astype(np.float32 if t != "complex64" else t)); attempt(lambda: str(jax.make_jaxpr(lambda y: lax.convert_element_type(y, t))(x)))
attempt(lambda: lax.convert_element_type(f4, "foo")); attempt(lambda: lax.convert_element_type(f4, None)); attempt(lambda: lax.bitcast_convert_type(f4, np.int8).shape)
# T6 complex to real warns
with warned(): jax.jit(lambda x: lax.convert_element_type(x, np.float32))(np.complex64(1 + 2j))
with warned(): jax.jit(lambda x: x.astype(np.int32))(jnp.ones(2, np.complex64)); show(lax.real(np.complex64(1 + 2j)), lax.conj(np.float32(1)))
# T6 comparison and logic
show(str(jax.make_jaxpr(lambda x, y: (lax.eq(x, x), lax.lt(y, y), lax.bitwise_and(x > 0, y > 0), lax.bitwise_xor(y, y)))(f4, i4)))
for g in (lambda: lax.bitwise_and(f4, f4), lambda: lax.bitwise_not(1.5), lambda: lax.lt(1j, 2j), lambda: lax.population_count(f4), lambda: lax.shift_left(f4, f4), lambda: lax.sin(i4), lambda: lax.sqrt(True), lambda: lax.is_finite(i4), lambda: lax.neg(f4 > 0), lambda: lax.floor(i4), lambda: lax.rem(1j, 1j)): attempt(g)
# T6 weak types in programs
show(str(jax.make_jaxpr(lambda x: (x + 1, x * 2.0, 3 - x, x ** 2, 2 ** x, x / 2, x // 2, x % 2, -x, abs(x)))(np.int32(3))), str(jax.make_jaxpr(lambda x: (x + 1, 1.0 * x, x ** 2, x ** 0.5, x // 2))(np.float16(3))), str(jax.make_jaxpr(lambda x: (x + np.float32(1), x * 2, lax.add(x, 1)))(3)))
# T6 wide results
show(str(jax.make_jaxpr(lambda x: (lax.dot(x, x, preferred_element_type=np.float32), lax.reduce_sum(x, axes=(0,)), jnp.sum(x), jnp.mean(x)))(jnp.ones(4, "bfloat16"))), str(jax.make_jaxpr(lambda x: (jnp.sum(x), jnp.mean(x), jnp.prod(x), lax.reduce_max(x, axes=(0,))))(np.ones(4, np.int8))), str(jax.make_jaxpr(lambda x: (jnp.sum(x), jnp.cumsum(x), jnp.argmax(x), jnp.max(x)))(f4 > 0)))
# T6 overflow of Python's integers
for g in (lambda: lax.add(np.int8(1), 300), lambda: jnp.add(np.int8(1), 300), lambda: jnp.asarray(2**31), lambda: jax.jit(lambda x: x)(2**32), lambda: jnp.asarray(2**31, np.uint32), lambda: jnp.add(np.uint8(1), -1), lambda: lax.mul(1, 2**31 - 1), lambda: jnp.int32(2**31), lambda: jnp.full(2, 1e39), lambda: jnp.float16(70000.0)): attempt(g)
# T6 rank promotion
with jax.numpy_rank_promotion("raise"): attempt(lambda: jnp.add(f22, f4[:2])); attempt(lambda: jnp.add(f22, 1.0)); attempt(lambda: lax.add(f22, f22)); attempt(lambda: jnp.where(f22 > 0, f4[:2], f22))
with jax.numpy_rank_promotion("warn"), warned(): attempt(lambda: jnp.multiply(f22, f4[:2]).shape)
"""

DATA = """
# T7 walking
def walk(j, depth=0):
    for e in j.eqns:
        show("  " * depth + f"{e.primitive.name} {[str(v.aval) for v in e.invars]} -> {[str(v.aval) for v in e.outvars]}")
        for v in e.params.values():
            for s in v if isinstance(v, tuple) else (v,):
                if hasattr(s, "eqns"): walk(s.jaxpr if hasattr(s, "consts") else s, depth + 1)
walk(jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.cond(y[0] > 0, lax.sin, lambda z: lax.scan(lambda c, a: (lax.add(c, a), a), 0.0, z)[1], y))(x))(f4).jaxpr)
# T7 counting primitives
import collections
def count(j, n):
    for e in j.eqns:
        n[e.primitive.name] += 1
        for v in e.params.values():
            if hasattr(v, "eqns"): count(v, n)
    return n
show(sorted(count(jax.make_jaxpr(jax.grad(lambda w, x: lax.reduce_sum(lax.tanh(lax.dot(w, x)), axes=(0,))))(f22, f22[0]), collections.Counter()).items()))
# T7 variables and literals
j = jax.make_jaxpr(lambda x, y: (lax.add(lax.mul(x, 2.0), y), 3, lax.neg(x)))(1.0, f4[0]).jaxpr
show([type(v).__name__ for e in j.eqns for v in e.invars], [type(v).__name__ for v in j.outvars], float(j.eqns[0].invars[1].val), str(j.eqns[0].invars[1].aval), j.eqns[0].invars[0] is j.invars[0], j.eqns[1].invars[0] is j.eqns[0].outvars[0], len({*j.invars}), repr(j.eqns[0].invars[1]))
# T7 evaluation
j = jax.make_jaxpr(lambda x, y: {"s": lax.sin(x) * y, "c": lax.cumsum(x)})(f4, 2.0)
show(core.eval_jaxpr(j.jaxpr, j.consts, f4, 3.0), core.jaxpr_as_fun(j)(f4, np.float32(3)) if hasattr(core, "jaxpr_as_fun") else core.eval_jaxpr(j.jaxpr, j.consts, f4, np.float32(3)), str(jax.make_jaxpr(lambda x: core.eval_jaxpr(j.jaxpr, j.consts, x, 1.0))(f4)), jax.jit(lambda x: core.eval_jaxpr(j.jaxpr, j.consts, x, x[0]))(f4))
# T7 evaluation under transformations
j = jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, lax.sin(c[1]) * x), (0, x)))(1.0)
f = lambda x: core.eval_jaxpr(j.jaxpr, j.consts, x)[1]
show(f(2.0), jax.jvp(f, (2.0,), (1.0,)), jax.vmap(f)(f4), str(jax.make_jaxpr(f)(2.0)) == str(j)); attempt(lambda: jax.grad(f)(2.0))
# T7 evaluation with too few values
j = jax.make_jaxpr(lambda x, y: lax.sub(x, lax.exp(y)))(1.0, 2.0)
for a in ((1.0,), (1.0, 2.0, 3.0)):
    try: show(core.eval_jaxpr(j.jaxpr, j.consts, *a))
    except Exception as e: show("refused")
attempt(lambda: core.eval_jaxpr(j.jaxpr, j.consts, f4, f22))
# T7 an interpreter that inverts
rules = {"exp": lax.log, "tanh": lax.atanh, "neg": lax.neg, "log": lax.exp}
def inverse(f):
    j = jax.make_jaxpr(f)(1.0).jaxpr
    def g(y):
        env = {j.outvars[0]: y}
        for e in j.eqns[::-1]: env[e.invars[0]] = rules[e.primitive.name](env[e.outvars[0]])
        return env[j.invars[0]]
    return g
f = lambda x: lax.exp(lax.tanh(lax.neg(x))); show(inverse(f)(f(0.5)), jax.grad(inverse(f))(0.7), str(jax.make_jaxpr(inverse(f))(1.0)), jax.jit(jax.vmap(inverse(f)))(f4 * 0.5 + 1))
# T7 an interpreter that substitutes
def approximate(f):
    def g(*args):
        j = jax.make_jaxpr(f)(*args); env = dict(zip(j.jaxpr.invars, args))
        read = lambda v: v.val if hasattr(v, "val") else env[v]
        for e in j.eqns:
            ins = [read(v) for v in e.invars]
            out = lax.sub(ins[0], lax.mul(ins[0], np.float32(0.1))) if e.primitive is lax.sin_p else e.primitive.bind(*ins, **e.params)
            env.update(zip(e.outvars, out if e.primitive.multiple_results else [out]))
        return [read(v) for v in j.jaxpr.outvars]
    return g
show(approximate(lambda x: lax.sin(x) + lax.cos(x))(0.5), str(jax.make_jaxpr(approximate(lambda x: lax.top_k(lax.sin(x), 2)))(f4)))
# T7 replace
j = jax.make_jaxpr(lambda x: lax.cos(lax.sin(x)))(f4); e = j.jaxpr.eqns[0]
k = j.jaxpr.replace(eqns=[e.replace(primitive=lax.tan_p), *j.jaxpr.eqns[1:]]); show(str(k), core.eval_jaxpr(k, [], f4), str(j.jaxpr)); show(str(j.replace(jaxpr=k)), str(j.jaxpr.replace(outvars=j.jaxpr.eqns[0].outvars)))
# T7 checking
j = jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (lax.add(c, a), lax.neg(a)), 0.0, x))(f4); show(core.check_jaxpr(j.jaxpr))
def bad(jaxpr):
    try: core.check_jaxpr(jaxpr)
    except Exception as e: show(type(e).__name__)
    else: show("passes")
e = jax.make_jaxpr(lambda x: lax.sin(x))(f4).jaxpr; g = jax.make_jaxpr(lambda x: lax.cos(lax.sin(x)))(f4).jaxpr
bad(e.replace(eqns=[])); bad(g.replace(eqns=g.eqns[::-1])); bad(e.replace(invars=[])); bad(e.replace(eqns=[*e.eqns, *e.eqns])); bad(g.replace(outvars=g.eqns[0].outvars)); bad(g.replace(eqns=g.eqns[1:]))
# T7 checking types
g = jax.make_jaxpr(lambda x, y: lax.add(lax.sin(x), y))(f4, f4).jaxpr; k = jax.make_jaxpr(lambda x: lax.sin(x))(f22).jaxpr
try: core.check_jaxpr(g.replace(eqns=[g.eqns[0].replace(outvars=k.outvars), g.eqns[1].replace(invars=[k.outvars[0], g.invars[1]])]))
except Exception as e: show(type(e).__name__)
try: core.check_jaxpr(3)
except Exception as e: show(type(e).__name__)
# T7 dead code
dce = importlib.import_module("jax._src.interpreters.partial_eval" if hasattr(jax, "_src") else "jaxnb.engine.transforms.dce").dce_jaxpr
j = jax.make_jaxpr(lambda x, y, z: (lax.sin(x), lax.cos(lax.mul(y, z)), jax.jit(lambda a, b: (lax.exp(a), lax.log(b)))(x, z)))(1.0, 2.0, 3.0).jaxpr
for used in ([True, False, False, False], [False, True, False, True], [False] * 4, [False, False, True, False]): k, ins = dce(j, used); show(str(k), ins)
# T7 dead code in loops
dce = importlib.import_module("jax._src.interpreters.partial_eval" if hasattr(jax, "_src") else "jaxnb.engine.transforms.dce").dce_jaxpr
j = jax.make_jaxpr(lambda x, y: lax.scan(lambda c, a: ((lax.add(c[0], a), lax.mul(c[1], 2.0)), (lax.neg(a), c[0])), (0.0, y), x))(f4, 1.0).jaxpr
for used in ([True, False, False, False], [False, False, True, False], [False, True, False, False]): k, ins = dce(j, used); show(str(k), ins)
# T7 effects are kept by dead code elimination
dce = importlib.import_module("jax._src.interpreters.partial_eval" if hasattr(jax, "_src") else "jaxnb.engine.transforms.dce").dce_jaxpr
j = jax.make_jaxpr(lambda x: (jax.debug.callback(print, lax.sin(x)), lax.cos(x))[1])(1.0).jaxpr; k, ins = dce(j, [False]); show([e.primitive.name for e in k.eqns], ins, len(k.effects))
# T7 names and documentation of functions
j = jax.make_jaxpr(lambda alpha, *rest, beta: {"r": lax.add(alpha["k"], beta), "s": lax.neg(rest[0])})({"k": 1.0}, 2.0, beta=3.0).jaxpr
show(j.debug_info, j.debug_info.arg_names, j.debug_info.result_paths, j.debug_info.func_name, j.debug_info.traced_for)
# T7 primitives
show(lax.sin_p, repr(lax.add_p), lax.sin_p.name, lax.scan_p.multiple_results, lax.top_k_p.multiple_results, lax.exp_p.multiple_results, str(jax.make_jaxpr(lambda x: lax.sin_p.bind(x, accuracy=None))(1.0)), lax.add_p.bind(1.0, 2.0)); attempt(lambda: lax.mul_p.bind("a", 1.0)); attempt(lambda: lax.cos_p.bind(None, accuracy=None))
# T7 closed and open
j = jax.make_jaxpr(lambda x: lax.add(x, held))(held); show(j.in_avals, j.out_avals, len(j.consts), len(j.jaxpr.constvars), j.eqns[0] is j.jaxpr.eqns[0], j.effects == set(), repr(j) == str(j), str(j.jaxpr) == str(j))
"""

ORIGIN = """
# T8 lines and columns
def f(x):
    y = lax.sin(x)
    return (y + 1.0) * lax.cos(
        y - 2.0
    )
show(jax.make_jaxpr(f)(f4).pretty_print(source_info=True))
# T8 functions called
def inner(x): return lax.exp(x) + 1.0
class Layer:
    def __call__(self, x): return lax.tanh(self.helper(x))
    def helper(self, x): return inner(x) * 2.0
show(jax.make_jaxpr(lambda x: Layer()(x))(f4).pretty_print(source_info=True))
# T8 functions compiled on their own have no line of their caller
def f(x):
    y = jnp.clip(jnp.round(x), 0, 1)
    z = jax.jit(lambda v: lax.neg(v))(y)
    return jnp.where(z > 0, z, 0) + jax.nn.relu(jnp.clip(z, 0, 1))
show(jax.make_jaxpr(f)(f4).pretty_print(source_info=True), jax.make_jaxpr(jax.vmap(f))(f22).pretty_print(source_info=True))
show(jax.make_jaxpr(jax.grad(lambda x: lax.reduce_sum(f(x), axes=(0,))))(f4).pretty_print(source_info=True))
show(jax.make_jaxpr(jax.jit(f))(f4).pretty_print(source_info=True))
show(jax.make_jaxpr(lambda x: lax.cond(x[0] > 0, jnp.sin, lambda v: lax.scan(lambda c, w: (jnp.clip(c, 0, 1) + w, c), v[0], v)[1], x))(f4).pretty_print(source_info=True))
# T8 comprehension and lambdas
show(jax.make_jaxpr(lambda x: [(lambda y: lax.neg(y))(lax.slice(x, (k,), (k + 1,))) for k in range(2)])(f4).pretty_print(source_info=True))
# T8 jnp functions stand at the user's line
def f(x):
    a = jnp.maximum(x, 0.0) + jnp.sum(x)
    b = jnp.exp(a)
    return jnp.arange(4) * b
show(jax.make_jaxpr(f)(f4).pretty_print(source_info=True))
# T8 operators and methods
def f(x):
    a = x @ x
    a += x.sum()
    return a[..., None].reshape(1) ** 2
show(jax.make_jaxpr(f)(f4).pretty_print(source_info=True))
# T8 loops
def f(x):
    def body(c, a):
        c = lax.add(c, a)
        return c, lax.neg(a)
    return lax.scan(body, 0.0, x)
show(jax.make_jaxpr(f)(f4).pretty_print(source_info=True)); show(jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c < 3.0, lambda c: lax.exp(c), x))(1.0).pretty_print(source_info=True))
# T8 derivatives stand at the line of the function
def f(x):
    y = lax.sin(x)
    return lax.mul(y, x)
show(jax.make_jaxpr(jax.grad(f))(1.0).pretty_print(source_info=True), jax.make_jaxpr(lambda x: jax.jvp(f, (x,), (x,)))(1.0).pretty_print(source_info=True))
# T8 batched operations stand at the line of the function
def f(w, x):
    y = lax.dot(w, x)
    return lax.max(y, 0.0)
show(jax.make_jaxpr(jax.vmap(f, (None, 0), 1))(f22, f22).pretty_print(source_info=True))
# T8 scopes
def f(x):
    with jax.named_scope("outer"):
        y = lax.sin(x)
        with jax.named_scope("inner"): y = lax.cos(y)
    return lax.neg(y)
j = jax.make_jaxpr(f)(f4); show(j.pretty_print(name_stack=True), [str(e.source_info.name_stack) for e in j.eqns])
# T8 scopes under transformations
def f(x):
    with jax.named_scope("s"): return lax.mul(lax.sin(x), x)
for g in (jax.grad(f), jax.vmap(f), jax.jit(f), jax.vmap(jax.grad(f)), jax.grad(jax.grad(f)), hess := jax.hessian(f)):
    attempt(lambda: [str(e.source_info.name_stack) for e in jax.make_jaxpr(g)(1.0).eqns])
    if g is not hess: attempt(lambda: [str(e.source_info.name_stack) for e in jax.make_jaxpr(g)(f4).eqns])
# T8 scopes in loops
def f(x):
    with jax.named_scope("loop"): return lax.scan(lambda c, a: (jax.named_call(lax.add, name="step")(c, a), lax.neg(a)), 0.0, x)
j = jax.make_jaxpr(f)(f4); show(j.pretty_print(name_stack=True)); show(jax.make_jaxpr(jax.grad(lambda x: f(x)[0]))(f4).pretty_print(name_stack=True))
# T8 named_call
f = jax.named_call(lambda x: lax.sin(x) * 2, name="layer"); g = jax.named_call(lax.exp)
show(jax.make_jaxpr(lambda x: g(f(x)))(f4).pretty_print(name_stack=True), f.__name__, g(0.0)); attempt(lambda: jax.named_call(3))
# T8 names that are no names
for n in (3, None, "", "a/b", "a b", "ä"): attempt(lambda: [str(e.source_info.name_stack) for e in jax.make_jaxpr(lambda x: [lax.neg(x) for _ in [0] if not None] if n is None else scoped(x, n))(1.0).eqns])
def scoped(x, n):
    with jax.named_scope(n): return lax.sin(x)
for n in (3, None, "", "a/b", "a b", "x" * 50): attempt(lambda: [str(e.source_info.name_stack) for e in jax.make_jaxpr(lambda x: lax.cos(scoped(x, n)))(1.0).eqns])
# T8 a scope as decorator
@jax.named_scope("deco")
def f(x): return lax.sin(x) + lax.cos(x)
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(f)(1.0).eqns], [str(e.source_info.name_stack) for e in jax.make_jaxpr(jax.jit(lambda x: lax.neg(f(x))))(1.0).eqns[0].params["jaxpr"].eqns])
# T8 locations in StableHLO
def f(x):
    with jax.named_scope("a"): y = lax.sin(x)
    return lax.add(y, 1.0)
text = jax.jit(f).lower(1.0).as_text(debug_info=True); show(re.findall(r'"[^"]*a/sin[^"]*"|"[^"]*/add[^"]*"', text), re.findall(r'"<ipython[^"]*":[0-9:]+(?: to :?[0-9:]+)?', text))
# T8 locations of nested functions
@jax.jit
def inner(x): return lax.exp(x)
def f(x): return lax.log(inner(lax.tanh(x)))
text = jax.jit(f).lower(1.0).as_text(debug_info=True); show(re.findall(r'"jit[^"]*(?:tanh|log|inner\\))"', text).sort(), "callsite" in text, len(re.findall("func.func", text)))
# T8 metadata in HLO
def f(x):
    with jax.named_scope("blk"): return lax.reduce_sum(lax.sin(x), axes=(0,))
show([n for n in re.findall(r'op_name="[^"]*"', jax.jit(f).lower(f4).as_text("hlo", debug_info=True)) if "sin" in n], sorted(set(re.findall(r'op_name="[^"]*"', jax.jit(jax.grad(f)).lower(f4).compile().as_text()))))
# T8 settings of locations
f = lambda x: lax.sin(lax.cos(lax.neg(x)))
for full, limit in ((True, 100), (False, 100), (True, 1)):
    jax.config.update("jax_include_full_tracebacks_in_locations", full); jax.config.update("jax_traceback_in_locations_limit", limit)
    text = jax.jit(lambda x: f(x)).lower(f4).as_text(debug_info=True); show("callsite" in text, sorted(re.findall(r'loc\\("[^"]*sin[^"]*"\\(', text)), sorted(set(re.findall(r'"<ipython[^"]*":68[^)]*', text))))
jax.config.update("jax_include_full_tracebacks_in_locations", True); jax.config.update("jax_traceback_in_locations_limit", 100)
"""

EFFECTS = """
# T9 a pure program
j = jax.make_jaxpr(lambda x: lax.sin(lax.cos(lax.neg(x))))(f4); show(len(j.effects), len(j.eqns[0].effects), j.pretty_print(print_effects=True))
# T9 unordered and ordered
for kw in ({}, dict(ordered=True)):
    j = jax.make_jaxpr(lambda x: (jax.debug.print("{}", lax.sin(x), **kw), lax.neg(x))[1])(1.0); show(sorted(map(str, j.effects)), [sorted(map(str, e.effects)) for e in j.eqns], str(j))
# T9 effects of callbacks
for f in (lambda x: jax.debug.callback(print, x), lambda x: jax.debug.callback(print, x, ordered=True), lambda x: experimental.io_callback(lambda y: None, None, x), lambda x: experimental.io_callback(lambda y: None, None, x, ordered=True), lambda x: jax.pure_callback(np.sin, SDS((), "f4"), x)):
    j = jax.make_jaxpr(lambda x: (f(lax.exp(x)), lax.log(x))[1])(1.0); show(sorted(map(str, j.effects)), [e.primitive.name for e in j.eqns])
# T9 effects of jit
j = jax.make_jaxpr(lambda x: jax.jit(lambda y: (jax.debug.print("a"), lax.sin(y))[1])(lax.cos(x)))(1.0); show(sorted(map(str, j.effects)), [sorted(map(str, e.effects)) for e in j.eqns], sorted(map(str, j.eqns[-1].params["jaxpr"].effects)))
# T9 effects of loops
for loop in (lambda x: lax.scan(lambda c, a: (jax.debug.print("{}", a), (lax.add(c, a), a))[1], 0.0, x), lambda x: lax.fori_loop(0, 2, lambda i, c: (jax.debug.print("{}", i), lax.neg(c))[1], x), lambda x: lax.while_loop(lambda c: (jax.debug.print("c"), c[0] < 1.0)[1], lambda c: lax.add(c, 1.0), x)):
    j = jax.make_jaxpr(loop)(f4); show(sorted(map(str, j.effects)), [(e.primitive.name, len(e.effects)) for e in j.eqns])
# T9 ordered effects in loops
for loop in (lambda x: lax.scan(lambda c, a: (jax.debug.print("{}", a, ordered=True), (lax.add(c, a), a))[1], 0.0, x), lambda x: lax.fori_loop(0, 2, lambda i, c: (jax.debug.print("{}", i, ordered=True), lax.neg(c))[1], x), lambda x: lax.cond(x[0] > 0, lambda y: (jax.debug.print("c", ordered=True), y)[1], lax.sin, x)):
    attempt(lambda: sorted(map(str, jax.make_jaxpr(loop)(f4).effects)))
    with printed(): attempt(jax.jit(loop), f4)
# T9 tokens in loops
note = lambda v: jax.debug.callback(lambda y: None, v, ordered=True)
tidy = lambda text: re.sub(r"-?[0-9]{6,}|index = [0-9]+ : ui64|sdy.sharding = [^ ]*", "N", text)
for f in (lambda x: lax.while_loop(lambda c: c < 3.0, lambda c: (note(c), lax.add(c, 1.0))[1], x), lambda x: lax.cond(x > 0, lambda y: (note(y), lax.sin(y))[1], lax.cos, x), lambda x: (lax.fori_loop(0, 2, lambda i, c: (note(i), lax.neg(c))[1], x), note(x))[0]):
    attempt(lambda: tidy(jax.jit(f).lower(1.0).as_text()))
# T9 ordered effects and vmap
attempt(jax.vmap(lambda x: (jax.debug.print("{}", lax.sin(x), ordered=True), x)[1]), f4); attempt(jax.vmap(lambda x: experimental.io_callback(lambda y: None, None, lax.cos(x), ordered=True)), f4); attempt(lambda: str(jax.make_jaxpr(jax.vmap(lambda x: lax.neg(x)))(f4)))
# T9 unordered effects and vmap
with printed(): jax.vmap(lambda x: jax.debug.print("{}", lax.mul(x, 2.0)))(np.arange(3, dtype=np.float32)); jax.jit(jax.vmap(lambda x: (jax.debug.callback(lambda v: print("cb", v), lax.exp(x)), lax.neg(x))[1]))(np.zeros(2, np.float32))
j = jax.make_jaxpr(jax.vmap(lambda x: (jax.debug.print("{}", x), lax.sin(x))[1]))(f4); show([e.primitive.name for e in j.eqns], sorted(map(str, j.effects)))
# T9 effects and grad
with printed(): show(jax.grad(lambda x: (jax.debug.print("x {}", x), lax.sin(x) * x)[1])(1.0)); show(jax.jit(jax.grad(lambda x: (jax.debug.print("y {}", lax.cos(x)), lax.mul(x, x))[1]))(2.0))
attempt(lambda: jax.grad(lambda x: experimental.io_callback(np.sin, SDS((), "f4"), x))(1.0)); attempt(lambda: jax.grad(lambda x: jax.pure_callback(np.sin, SDS((), "f4"), x))(1.0))
# T9 effects and branches
j = jax.make_jaxpr(lambda x: lax.cond(x > 0, lambda y: (jax.debug.print("pos {}", y), lax.sin(y))[1], lax.cos, x))(1.0); show(sorted(map(str, j.effects)), [sorted(map(str, e.effects)) for e in j.eqns])
with printed(): jax.jit(lambda x: lax.cond(x > 0, lambda y: (jax.debug.print("pos {}", y), lax.sin(y))[1], lax.cos, x))(1.0); jax.jit(lambda x: lax.switch(x, [lambda: jax.debug.print("zero"), lambda: jax.debug.print("one")]))(1)
# T9 tokens
f = lambda x: (jax.debug.callback(lambda y: None, x, ordered=True), lax.sin(x))[1]
show([re.sub(r"-?[0-9]{6,}", "N", l) for l in jax.jit(f).lower(1.0).as_text().splitlines()[:3]], main_line(jax.jit(lambda x: jax.jit(f)(lax.cos(x)) + lax.neg(x)).lower(1.0)))
# T9 tokens of two kinds
def f(x):
    jax.debug.print("a", ordered=True); experimental.io_callback(lambda: None, None, ordered=True)
    return lax.add(lax.sin(x), held)
show(main_line(jax.jit(f).lower(held))); attempt(lambda: f(held).shape)
# T9 tokens are kept in order
out = []
def f(x):
    for k in range(3): experimental.io_callback(lambda y, k=k: out.append((k, float(y))), None, lax.mul(x, np.float32(k)), ordered=True)
    return lax.neg(x)
f = jax.jit(f); f(1.0); f(2.0); jax.effects_barrier(); show(out)
# T9 effects are not removed, pure callbacks may be
out = []
def f(x):
    jax.pure_callback(lambda y: (out.append("pure"), y)[1], SDS((), "f4"), lax.sin(x))
    experimental.io_callback(lambda y: (out.append("io"), y)[1], SDS((), "f4"), lax.cos(x)); jax.debug.callback(lambda y: out.append("debug"), lax.neg(x))
    return x
jax.jit(f)(np.float32(1)); jax.effects_barrier(); show(sorted(out), [e.primitive.name for e in jax.make_jaxpr(f)(1.0).eqns])
# T9 effects of functions with rules
@jax.custom_jvp
def f(x): jax.debug.print("primal {}", x); return lax.sin(x)
f.defjvp(lambda p, t: (f(*p), lax.cos(p[0]) * t[0]))
attempt(lambda: sorted(map(str, jax.make_jaxpr(f)(1.0).effects)))
with printed(): attempt(f, 1.0); attempt(jax.grad(f), 1.0); attempt(jax.jit(f), 2.0)
@jax.custom_vjp
def g(x): return lax.exp(x)
g.defvjp(lambda x: (jax.debug.print("fwd"), (lax.exp(x), x))[1], lambda r, ct: (jax.debug.print("bwd {}", r), (lax.mul(ct, r),))[1])
with printed(): attempt(jax.grad(g), 1.0)
# T9 effects_barrier
out = []
f = jax.jit(lambda x: (jax.debug.callback(lambda y: out.append(float(y)), lax.mul(x, 2.0)), lax.neg(lax.sin(x)))[1])
for k in range(3): f(np.float32(k))
show(jax.effects_barrier(), sorted(out))
"""

PROGRAMS = [p for text in (PROMOTION, DATA, ORIGIN, EFFECTS) for p in scripts(text)]
