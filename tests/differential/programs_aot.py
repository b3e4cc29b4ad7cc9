"""The steps of compilation as objects, shapes without arrays, errors of compiled functions, exported programs."""

from __future__ import annotations

from tests.differential.scripts import scripts

STAGES = """
# A1 a traced function is called
f = jax.jit(lambda x, y: (lax.add(x, y), {"m": lax.mul(x, 2.0)})); t = f.trace(1.0, 2.0); x, y = jnp.float32(3), jnp.float32(4)
show(t(x, y), t(f4, y), jax.vmap(lambda a: t(a, y)[0])(f4), jax.grad(lambda a: t(a, a)[0])(x)); attempt(t, 1.0); attempt(t, x, y=y); attempt(t, 1, 2); attempt(t, x, [y])
show(jax.jit(lambda x, n: lax.mul(x, np.float32(n)), static_argnums=1).trace(1.0, 3)(x), jax.jit(lambda x: lax.add(x, f4)).trace(f4)(f4)); attempt(jax.jit(lambda x, n: lax.mul(x, np.float32(n)), static_argnums=1).trace(1.0, 3), x, 3)
show(type(t.lojax).__name__, t.lojax.jaxpr, hasattr(t, "closed_jaxpr"), hasattr(t, "effects"), isinstance(f, jax.stages.Wrapped), "CompilerOptions" in dir(jax.stages))
# A1 the devices that a program is compiled for
l = jax.jit(lambda x: lax.exp(x)).lower(0.0); d = jax.devices()[0]
for given in (None, (d,), (d, d), ()): attempt(lambda: l.compile(device_assignment=given)(0.0))
attempt(l.compile, None, (d,)); show(l.compile(device_assignment=(d,)).input_shardings)
# A1 arguments and results of the three steps
f = jax.jit(lambda d, *, k: {"a": d["x"], "b": [k, k]})
t = f.trace({"x": f22}, k=1.0); lo = t.lower(); c = lo.compile()
for s in (t, lo, c): show(s.args_info, s.in_tree, s.in_avals, s.out_info, s.out_tree, s.donate_argnums)
# A1 a traced function
t = jax.jit(lambda x, y: 2 * x + y).trace(3, 4)
show(t.fun_name, str(t.jaxpr), t.out_avals, t.out_info)
# A1 shardings of a compiled function
c = jax.jit(lambda d, y: (d["x"], {"s": lax.sin(d["x"])})).lower({"x": f22}, 1).compile()
show(c.input_shardings, c.output_shardings)
# A1 formats of a compiled function
c = jax.jit(lambda d, y: (lax.transpose(d["x"], (1, 0)), y)).lower({"x": f22}, np.ones((2, 3, 4), np.int8)).compile()
show(c.input_formats, c.output_formats)
# A1 arguments that are not used
c = jax.jit(lambda x, y: lax.cos(y)).lower(f4, f4).compile()
show(c.input_shardings, c.input_formats, c.in_avals)
# A1 captured arrays are not among the arguments
c = jax.jit(lambda x: lax.add(x, held)).lower(held).compile()
show(c.in_avals, c.input_formats, c.memory_analysis().argument_size_in_bytes)
# A1 the module as text
lo = jax.jit(lambda x, y: lax.add(lax.mul(x, y), x)).lower(f4, f4)
show(lo.as_text(), lo.as_text("stablehlo") == lo.as_text(), lo.as_text("hlo"), lo.as_text(dialect="hlo", debug_info=False) == lo.as_text("hlo"))
# A1 dialects that do not exist
lo = jax.jit(lambda x: lax.tan(x)).lower(f4)
attempt(lo.as_text, "mhlo"); attempt(lo.as_text, "foo"); attempt(lo.compiler_ir, "foo")
# A1 the module as an object
lo = jax.jit(lambda x: lax.exp(x)).lower(f4)
show(str(lo.compiler_ir()), str(lo.compiler_ir("stablehlo")) == str(lo.compiler_ir()), lo.compiler_ir("hlo").as_hlo_text())
# A1 cost before optimisation
for f in (lambda x: lax.add(x, x), lambda x: lax.dot(x, x), lambda x: lax.tanh(x)): show(sorted(jax.jit(f).lower(f4).cost_analysis().items()))
# A1 cost after optimisation
for f in (lambda x: lax.add(x, x), lambda x: lax.sub(lax.add(x, x), x)): show(sorted(jax.jit(f).lower(f4).compile().cost_analysis().items()))
# A1 memory
m = jax.jit(lambda x: lax.dot(x, x)).lower(np.ones((64, 64), np.float32)).compile().memory_analysis()
show(m.argument_size_in_bytes, m.output_size_in_bytes, m.temp_size_in_bytes, m.alias_size_in_bytes)
m = jax.jit(lambda x: lax.add(x, x), donate_argnums=0).lower(f4).compile().memory_analysis(); show(m.alias_size_in_bytes)
# A1 lower is trace then lower
f = jax.jit(lambda x: lax.neg(x)); show(f.lower(f4).as_text() == f.trace(f4).lower().as_text())
# A1 platforms
t = jax.jit(lambda x: lax.add(x, held)).trace(held)
show(t.lower(lowering_platforms=("cpu",)).as_text(), t.lower(lowering_platforms=("cpu", "tpu")).as_text())
# A1 running
c = jax.jit(lambda d, *, k: {"a": d["x"] * k}).lower({"x": f4}, k=2.0).compile()
attempt(lambda: c({"x": f4}, k=3.0))
# A1 each stage is made anew and compiles once
ev = []
jax.monitoring.register_event_duration_secs_listener(lambda n, d, **k: ev.append(n.rpartition("/")[2]))
lo = jax.jit(lambda x: lax.atan(x)).lower(f4); show(lo.compile() is lo.compile(), ev.count("backend_compile_duration"))
jax.monitoring.clear_event_listeners()
# A1 a protocol
f = jax.jit(lambda x: x)
show(isinstance(f, jax.stages.Wrapped), isinstance(lambda x: x, jax.stages.Wrapped), type(f.trace(1)).__name__, type(f.lower(1)).__name__)
# A1 compiled ahead of time, called later
ev, tr = [], []
jax.monitoring.register_event_duration_secs_listener(lambda n, d, **k: ev.append(n.rpartition("/")[2]))
f = jax.jit(lambda x: (tr.append(1), lax.sin(x))[1])
f.lower(f4).compile(); show(len(tr), ev.count("backend_compile_duration")); f(f4); show(len(tr), ev.count("backend_compile_duration"))
f.lower(f4).compile(); show(len(tr), ev.count("backend_compile_duration"))
jax.monitoring.clear_event_listeners()
"""

SHAPES = """
# A2 ShapeDtypeStruct
for a in (((2, 3), np.float32), ((2,), "bfloat16"), ([2], "i4"), ((), int), ((), float), ((-1,), "f4")): show(SDS(*a))
# A2 ShapeDtypeStruct with more
show(SDS((2,), "f4", weak_type=True), SDS((2,), "f4", is_ref=True), SDS((2, 3), np.int8).size, SDS((2, 3), np.int8).ndim, len(SDS((2, 3), "f4")))
# A2 ShapeDtypeStruct that cannot be made
attempt(lambda: SDS((3,), None)); attempt(lambda: SDS(3, "f4")); attempt(lambda: SDS((2,), "foo")); attempt(lambda: SDS((2,), "f4", sharding=3)); attempt(lambda: SDS(None, "f4"))
# A2 ShapeDtypeStruct is compared by value
s = SDS((2, 3), np.float32)
show(s == SDS([2, 3], "float32"), s == SDS((2, 3), "f4", weak_type=True), hash(s) == hash(SDS((2, 3), "f4")), s != 3)
# A2 ShapeDtypeStruct cannot be changed
s = SDS((2, 3), np.float32)
attempt(lambda: setattr(s, "shape", (3,))); show(s.update(shape=(4,)), s.update(dtype="i4", weak_type=True), s.update())
# A2 ShapeDtypeStruct is no array
s = SDS((2, 3), np.float32)
attempt(lambda: s + 1); attempt(lambda: s[0]); attempt(lambda: len(SDS((), "f4"))); attempt(lambda: s.T); attempt(lambda: float(s))
attempt(lambda: jax.jit(lambda x: lax.add(x, s))(f22)); attempt(lambda: lax.sin(s))
# A2 like
for x in (1.0, True, np.ones(3), f22, SDS((2,), "i4")): show(SDS.like(x))
attempt(lambda: SDS.like("a")); show(SDS.like(jax.jit(lambda x: lax.neg(x))(f4)))
# A2 like of a committed array
show(SDS.like(jax.device_put(f4, jax.devices()[0])), SDS.like(jax.device_put(f4)))
# A2 formats
s = SDS((2,), "f4", sharding=jax.device_put(f4, jax.devices()[0]).sharding); show(s, s.format, SDS((2,), "f4").format)
# A2 eval_shape
show(jax.eval_shape(lambda x, y=2: {"q": x * y}, np.ones((2, 3), np.float32)), jax.eval_shape(lambda x: x, 1.0), jax.eval_shape(lambda: (1, [2.0])))
# A2 eval_shape of shapes
show(jax.eval_shape(lambda x: lax.dot(x, x), SDS((4, 4), "float32")), jax.eval_shape(lambda x: x, SDS((2,), "f4", weak_type=True)))
# A2 eval_shape raises what running would
attempt(lambda: jax.eval_shape(lambda x: lax.dot(x, x), np.ones((2, 3)))); attempt(lambda: jax.eval_shape(lambda x: x, "a")); attempt(lambda: jax.eval_shape(3, 1)); attempt(lambda: jax.eval_shape(lambda x: "a", 1))
# A2 eval_shape of a jitted function
f = jax.jit(lambda x, n: lax.broadcast(x, (n,)), static_argnums=1)
show(f.eval_shape(f4, 3), jax.eval_shape(f, f4, 2), jax.jit(lambda x: x).eval_shape(SDS((), "int32")))
# A2 eval_shape computes nothing
n = []
show(jax.eval_shape(lambda x: (n.append(type(x).__name__), lax.sin(x))[1], SDS((10**6, 10**6), np.float32)), n)
# A2 anything with a shape and a dtype
class Duck:
    shape, dtype = (2, 3), np.dtype("float32")
show(jax.jit(lambda x: x).trace(Duck()).in_avals, jax.eval_shape(lambda x: lax.sin(x), Duck()), str(jax.make_jaxpr(lambda x: lax.sin(x))(Duck())), jax.jit(lambda x: lax.sin(x)).lower(Duck()).as_text())
# A2 compiled for shapes, called with arrays
c = jax.jit(lambda x, y: lax.add(x, y)).lower(SDS((4,), "f4"), SDS((4,), np.float32)).compile(); show(c(f4, f4))
"""

STATIC = """
# A3 a value becomes part of the program
show(jax.jit(lambda x, y: 2 * x + y, static_argnums=0).lower(7, 8).as_text())
# A3 a value is not passed again
c = jax.jit(lambda x, y: 2 * x + y, static_argnums=0).lower(7, 8).compile()
show(c(5)); attempt(c, 7, 5); show(c.in_tree, c.args_info)
# A3 a value by name
c = jax.jit(lambda x, n: x * n, static_argnames="n").lower(f4, n=3).compile()
show(c(f4)); attempt(lambda: c(f4, n=3)); attempt(c)
# A3 a value is needed
attempt(lambda: jax.jit(lambda x, y: x * y, static_argnums=0).trace(SDS((), np.float32), 1.0))
attempt(lambda: jax.jit(lambda x: x, static_argnums=0).lower(SDS((), np.float32)))
# A3 each value is a program
f = jax.jit(lambda x, n: lax.mul(x, np.float32(n)), static_argnums=1)
show(*[f.lower(f4, n).as_text() for n in (2, 3)])
# A3 values of several kinds
f = jax.jit(lambda x, k: lax.sin(x) if k else lax.cos(x), static_argnums=1)
for k in (True, "", None, (1, 2), frozenset(), 2.5, len): show(main_line(f.lower(f4, k)))
# A3 values that cannot be hashed
f = jax.jit(lambda x, k: x, static_argnums=1)
for k in ([1], {"a": 1}, {1, 2}, np.ones(2)): attempt(lambda: f.lower(f4, k)); attempt(lambda: f.trace(f4, k))
# A3 a configuration
import dataclasses
@dataclasses.dataclass(frozen=True)
class Config: width: int
@dataclasses.dataclass
class Loose: width: int
f = jax.jit(lambda x, c: lax.broadcast(x, (c.width,)), static_argnums=1)
show(main_line(f.lower(f4, Config(3)))); attempt(lambda: f.lower(f4, Loose(3)))
# A3 a function
f = jax.jit(lambda g, x: g(x), static_argnums=0)
show(f.lower(lax.sin, f4).as_text(), f.lower(lax.cos, f4).as_text())
# A3 several, and keywords
f = jax.jit(lambda a, b, *, c, d: lax.mul(a, np.float32(b * c)) + d, static_argnames=("b", "c"))
show(main_line(f.lower(f4, 2, c=3, d=1.0)), f.trace(f4, b=2, c=3, d=1.0).args_info)
# A3 variadic functions
f = jax.jit(lambda x, *n: lax.mul(x, np.float32(sum(n))), static_argnums=(1, 2))
show(main_line(f.lower(f4, 1, 2)), f.trace(f4, 1, 2).in_tree)
# A3 make_jaxpr
f = jax.jit(lambda x, flag: lax.sin(x) if flag else x, static_argnames="flag")
attempt(lambda: str(jax.make_jaxpr(f)(1.0, True))); show(str(jax.make_jaxpr(f, static_argnums=1)(1.0, True)), str(f.trace(1.0, flag=True).jaxpr))
# A3 make_jaxpr of statics
show(str(jax.make_jaxpr(lambda x, n: x * n, static_argnums=1)(f4, 3)), jax.make_jaxpr(lambda x, n: x * n, static_argnums=(1,), return_shape=True)(f4, 3)[1])
attempt(lambda: jax.make_jaxpr(3)); attempt(lambda: jax.make_jaxpr(lambda x, n: x, static_argnums=1)(1.0, [2]))
# A3 names of the arguments
f = jax.jit(lambda x, n, y: lax.add(x["a"], y), static_argnums=1)
show(f.trace({"a": f4}, 3, f4).jaxpr.jaxpr.debug_info, jax.jit(lambda n, *a, **k: a[0], static_argnums=0).trace(1, f4, z=f4).jaxpr.jaxpr.debug_info)
# A3 donated beside static
f = jax.jit(lambda n, x: lax.mul(x, np.float32(n)), static_argnums=0, donate_argnums=1)
show(main_line(f.lower(2, f4)), f.trace(2, f4).donate_argnums, f.trace(2, f4).args_info)
"""

MISMATCHES = """
# A4 shapes
c = jax.jit(lambda x, y: 2 * x + y).lower(3, 4).compile()
attempt(c, np.arange(3), np.arange(3)); attempt(c, np.arange(3), 1)
# A4 types
c = jax.jit(lambda x, y: 2 * x + y).lower(3, 4).compile()
attempt(c, 3.0, 4.0); attempt(c, np.int32(3), 4); attempt(c, np.int64(3), np.int32(4)); attempt(c, True, 4)
# A4 paths
c = jax.jit(lambda p, *r, k: p["w"][0]).lower({"w": [f4, i4]}, f4, k={"z": f22}).compile()
attempt(lambda: c({"w": [i4, i4]}, f22, k={"z": f4})); attempt(lambda: c({"w": [f4, i4]}, f4, k={"z": i4}))
# A4 too few and too many
c = jax.jit(lambda x, y: x).lower(3, 4).compile()
for a, k in (((3,), {}), ((3, 4, 5), {}), ((3,), {"y": 4}), ((), {}), ((1, 2), {"z": 3})): attempt(lambda: c(*a, **k))
# A4 other containers
c = jax.jit(lambda p: p["w"]).lower({"w": f4}).compile()
for p in (f4, [f4], {"w": [f4]}, {"w": None}, {"v": f4}, {"w": f4, "b": f4}, {}, (f4,)): attempt(c, p)
# A4 sequences
c = jax.jit(lambda p: p[0]).lower([f4, (f4, f4)]).compile()
for p in ([f4], (f4, (f4, f4)), [f4, [f4, f4]], [f4, (f4,)], [(f4,), f4]): attempt(c, p)
# A4 named tuples and ordered dicts
import collections
P = collections.namedtuple("P", "a b")
c = jax.jit(lambda p: p.a).lower(P(f4, f4)).compile(); attempt(c, (f4, f4)); attempt(c, P(f4, (f4,)))
c = jax.jit(lambda p: p["a"]).lower(collections.OrderedDict(a=f4, b=f4)).compile(); attempt(c, collections.OrderedDict(b=f4, a=f4)); attempt(c, {"a": f4, "b": f4})
# A4 nodes of the user's own
class N:
    def __init__(s, x, aux): s.x, s.aux = x, aux
jax.tree_util.register_pytree_node(N, lambda n: ((n.x,), n.aux), lambda aux, ch: N(ch[0], aux))
c = jax.jit(lambda n: n.x).lower(N(f4, "left")).compile()
attempt(c, N(f4, "right")); attempt(c, N((f4,), "left")); attempt(c, f4); attempt(c, N(i4, "left"))
# A4 several places
c = jax.jit(lambda a, b: a["x"]).lower({"x": f4, "y": (f4, f4)}, [f4]).compile()
attempt(c, {"x": (f4,), "y": (f4,)}, []); attempt(c, {"x": f4, "y": f4}, f4)
# A4 operations that would do with what was compiled, not with what is given
c = jax.jit(lambda x, y: lax.sin(lax.dot(x, y))).lower(f22, f22).compile(); attempt(c, f22, f4); attempt(c, f4, f22); attempt(c, f22 > 0, f22)
c = jax.jit(lambda x, i: lax.dynamic_index_in_dim(lax.cumsum(x), i, keepdims=False)).lower(f4, 1).compile(); attempt(c, f4, 1.0); attempt(c, 1, f4); attempt(c, f4, 2)
# A4 what is no array
c = jax.jit(lambda x: x).lower(1.0).compile()
attempt(c, "a"); attempt(c, None); attempt(c, [1.0])
# A4 weak types are accepted
c = jax.jit(lambda x: x * 2).lower(2.0).compile(); show(c(np.float32(2)), c(3.0), c(jax.jit(lambda: 1.5)()))
c = jax.jit(lambda x: x * 2).lower(np.float32(2)).compile(); show(c(2.0))
# A4 doubles are narrowed
c = jax.jit(lambda x: lax.neg(x)).lower(f4).compile(); show(c(np.ones(4))); attempt(c, np.ones(4, np.float16))
# A4 an unused argument is checked too
c = jax.jit(lambda x, y: lax.neg(x)).lower(f4, f4).compile(); attempt(c, f4, np.ones(1, np.float32)); show(c(f4, f4))
# A4 donated arguments
c = jax.jit(lambda x: lax.neg(x), donate_argnums=0).lower(f4).compile()
x = jax.device_put(f4); show(c(x), x.is_deleted()); attempt(c, x)
# A4 types that do not exist without x64
c = jax.jit(lambda x: lax.neg(x)).lower(SDS((2,), "float64")).compile(); show(c.in_avals, c(np.ones(2)))
"""

TRANSFORMED = """
# A5 vmap
c = jax.jit(lambda x: lax.sin(x)).lower(f4).compile(); attempt(jax.vmap(c), f22)
# A5 grad
c = jax.jit(lambda x: lax.sin(x)).lower(np.float32(1)).compile(); attempt(lambda: plain(jax.grad(c)(np.float32(1))))
# A5 jit
c = jax.jit(lambda x, y: lax.add(x, y)).lower(f4, f4).compile(); attempt(jax.jit(c), f4, f4)
# A5 jit of some of it
c = jax.jit(lambda x, y: lax.add(x, y)).lower(f4, f4).compile(); attempt(jax.jit(lambda x: c(x, f4)), f4)
# A5 make_jaxpr
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile(); attempt(jax.make_jaxpr(c), f4)
# A5 eval_shape
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile(); attempt(lambda: jax.eval_shape(c, f4))
# A5 jit of a closure on values
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile(); attempt(lambda: jax.jit(lambda x: lax.add(x, c(f4)))(f4))
# A5 the structure is compared first
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile(); attempt(jax.jit(lambda x: c(x, x)), f4)
# A5 the types are compared later
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile(); attempt(jax.jit(c), i4)
# A5 jit of jit
c = jax.jit(jax.jit(lambda x: lax.cos(x))).lower(f4).compile(); show(c(f4)); attempt(jax.jit(jax.jit(c)), f4)
# A5 the function itself is transformed
f = jax.jit(lambda x: lax.sin(x)); f.lower(np.float32(0)).compile(); show(jax.vmap(f)(f4), jax.grad(f)(np.float32(0)))
# A5 scan
c = jax.jit(lambda x: lax.cos(x)).lower(np.float32(1)).compile(); attempt(lambda: lax.scan(lambda s, _: (c(s), None), np.float32(1), None, length=2))
# A5 values of a gradient
c = jax.jit(lambda x: lax.cos(x)).lower(np.float32(1)).compile(); attempt(lambda: jax.grad(lambda x: lax.mul(x, c(np.float32(0))))(np.float32(2)))
# A5 keywords
c = jax.jit(lambda *, k: lax.cos(k)).lower(k=f4).compile(); attempt(lambda: jax.jit(lambda x: c(k=x))(f4))
# A5 disabled compilation
c = jax.jit(lambda x: lax.cos(x)).lower(f4).compile()
with jax.disable_jit(): attempt(c, f4)
"""

COMPILER_OPTIONS = """
# A6 an option that does not exist
lo = jax.jit(lambda x: lax.sin(x)).lower(f4)
for o in ({"foo": 1}, {"xla_cpu_enable_fast_math": "maybe"}, {"xla_dump_hlo_as_text": 7}): attempt(lambda: bool(lo.compile(compiler_options=o)))
# A6 an option of jit that does not exist
f = jax.jit(lambda x: lax.cos(x), compiler_options={"foo": 1}); show(f.lower(f4).as_text()); attempt(f, f4); attempt(lambda: f.lower(f4).compile())
# A6 options that are none
lo = jax.jit(lambda x: lax.sin(x)).lower(f4)
for o in (3, [("a", 1)]): attempt(lambda: lo.compile(o))
attempt(lambda: jax.jit(lambda x: x, compiler_options=3))
# A6 options of other types
lo = jax.jit(lambda x: lax.sin(x)).lower(f4)
for o in ({1: 1}, {"xla_cpu_enable_fast_math": None}): attempt(lambda: lo.compile(o))
# A6 empty options
lo = jax.jit(lambda x: lax.neg(x)).lower(f4); show(lo.compile({})(f4), lo.compile(None)(f4), lo.compile(compiler_options={})(f4))
# A6 options are seen in the result
def chain(x):
    for _ in range(3): x = lax.sin(x) * 1.5
    return x
lo = jax.jit(chain).lower(f4)
a, b = lo.compile().as_text(), lo.compile({"xla_disable_hlo_passes": "fusion"}).as_text(); show("fusion(" in a, "fusion(" in b, a == b)
# A6 the level of optimisation
lo = jax.jit(lambda x: lax.add(lax.mul(x, x), lax.mul(x, x))).lower(f4)
show(lo.compile({"xla_backend_optimization_level": 0})(f4), lo.compile({"xla_backend_optimization_level": "0"})(f4))
# A6 a boolean as text
lo = jax.jit(lambda x: lax.exp(x)).lower(f4); attempt(lambda: lo.compile({"xla_cpu_enable_fast_math": "true"})); show(lo.compile({"xla_cpu_enable_fast_math": False})(f4))
# A6 options of jit, then of compile
ev = []
jax.monitoring.register_event_duration_secs_listener(lambda n, d, **k: ev.append(n.rpartition("/")[2]))
lo = jax.jit(lambda x: lax.log1p(x), compiler_options={"xla_cpu_enable_fast_math": True}).lower(f4); lo.compile(); lo.compile(); lo.compile({"xla_cpu_enable_fast_math": False})
jax.monitoring.clear_event_listeners(); show(ev.count("backend_compile_duration"))
# A6 each set of options is compiled once
ev = []
jax.monitoring.register_event_duration_secs_listener(lambda n, d, **k: ev.append(n.rpartition("/")[2]))
lo = jax.jit(lambda x: lax.logistic(x)).lower(f4)
for o in (None, {"xla_cpu_enable_fast_math": True}, None, {"xla_cpu_enable_fast_math": True}, {"xla_cpu_enable_fast_math": False}): lo.compile(o)
jax.monitoring.clear_event_listeners(); show(ev.count("backend_compile_duration"))
# A6 options inside another function
inner = jax.jit(lambda x: lax.sin(x), compiler_options={"foo": 1})
attempt(jax.make_jaxpr(lambda x: inner(x)), f4); attempt(jax.jit(lambda x: inner(x)), f4)
# A6 make_jaxpr of a function with options
attempt(jax.make_jaxpr(jax.jit(lambda x: lax.sin(x), compiler_options={"foo": 1})), f4)
# A6 options do not change the module
a = jax.jit(lambda x: lax.sin(x), compiler_options={"xla_cpu_enable_fast_math": True}).lower(f4).as_text()
show(a == jax.jit(lambda x: lax.sin(x)).lower(f4).as_text())
# A6 options are not those of a call
f = jax.jit(lambda x: lax.sin(x)); f.lower(f4).compile({"xla_cpu_enable_fast_math": True}); show(f(f4), f._cache_size())
# A6 most optimisations off
with warned():
    jax.config.update("jax_disable_most_optimizations", True); show(jax.jit(lambda x: lax.sin(x) * 2 + x)(f4)); jax.config.update("jax_disable_most_optimizations", False)
"""

EXPORT = """
# A7 what an exported program is
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x, y: {"a": lax.add(lax.mul(x, y), held), "b": (y,)}))(held, held)
show(e.fun_name, e.in_tree, e.in_avals, e.out_tree, e.out_avals, e.platforms, e.nr_devices, e.module_kept_var_idx, e.calling_convention_version, str(e), e.has_vjp())
# A7 a call
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: lax.add(x, held)))(held); show(e.call(held), jax.jit(e.call)(held))
# A7 a call inside another function
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: lax.add(x, held)))(held)
show(str(jax.make_jaxpr(e.call)(held)), jax.jit(lambda x: lax.neg(e.call(x))).lower(held).as_text())
# A7 two calls and inner functions
import importlib; export = importlib.import_module(jax.__name__ + ".export")
g = jax.jit(lambda x: lax.mul(x, f4))
e = export.export(jax.jit(lambda x: lax.add(g(x), jax.jit(lambda y: lax.sub(y, f4))(x))))(f4)
show(jax.jit(lambda x: e.call(e.call(g(x)))).lower(f4).as_text())
# A7 a gradient
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: lax.mul(x, lax.sin(x))))(np.float32(1))
show(jax.grad(e.call)(np.float32(2)), str(jax.make_jaxpr(jax.grad(e.call))(np.float32(2))), e.vjp().in_avals, e.vjp().fun_name)
# A7 transformations that are refused
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: lax.sin(x)))(np.float32(1)); attempt(lambda: jax.vmap(e.call)(f4)); attempt(lambda: jax.jvp(e.call, (np.float32(1),), (np.float32(1),)))
# A7 what is not jitted
import importlib; export = importlib.import_module(jax.__name__ + ".export")
attempt(lambda: export.export(lambda x: x)); attempt(lambda: export.export(3))
# A7 another structure
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x, y: lax.add(x["q"], y)))({"q": f4}, f4)
for a in ((f4, f4), ({"q": (f4,)}, f4), ({"r": f4}, f4), ({"q": f4},), ({"q": f4}, None), ({"q": f4}, f4, f4)): attempt(e.call, *a)
attempt(lambda: e.call({"q": f4}, y=f4))
# A7 other types
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x, y: lax.add(x["q"], y)))({"q": f4}, f4)
attempt(e.call, {"q": f4[:3]}, f4); attempt(e.call, {"q": i4}, f4); attempt(e.call, {"q": f22}, f4); attempt(e.call, {"q": f4}, 1.0); attempt(e.call, {"q": np.ones(4)}, f4); attempt(e.call, {"q": "a"}, f4)
# A7 platforms
import importlib; export = importlib.import_module(jax.__name__ + ".export")
f = jax.jit(lambda x: lax.neg(x)); attempt(lambda: export.export(f, platforms=["tpu"])(f4).call(f4)); show(export.export(f, platforms=("cpu", "tpu"))(f4).call(f4), export.default_export_platform())
# A7 disabled checks
import importlib; export = importlib.import_module(jax.__name__ + ".export")
check = export.DisabledSafetyCheck.platform(); e = export.export(jax.jit(lambda x: lax.neg(x)), platforms=["tpu"], disabled_checks=[check])(f4)
show(e.call(f4), e.disabled_safety_checks, export.DisabledSafetyCheck.custom_call("foo"))
# A7 callbacks
import importlib; export = importlib.import_module(jax.__name__ + ".export")
attempt(lambda: export.export(jax.jit(lambda x: jax.pure_callback(lambda v: v, SDS((), np.float32), x)))(np.float32(1)))
# A7 static, donated and dropped arguments
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x, n, y: lax.mul(x, np.float32(n)), static_argnums=1, donate_argnums=0))(f4, 3, f4)
show(e.in_tree, e.module_kept_var_idx, e.call(f4, f4))
# A7 weak types
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: x * 2))(1.0); show(e.in_avals, e.out_avals, e.call(np.float32(2)), e.call(3.0)); attempt(e.call, 3)
# A7 shapes without arrays
import importlib; export = importlib.import_module(jax.__name__ + ".export")
e = export.export(jax.jit(lambda x: lax.dot(x, x)))(SDS((3, 3), np.float32)); show(e.in_avals, e.call(np.eye(3, dtype=np.float32)))
"""

X64 = """
# A8 compiled with x64, called without
with jax.enable_x64(True): c = jax.jit(lambda x: lax.neg(x)).lower(np.ones(3)).compile(); show(c(np.ones(3)))
attempt(c, np.ones(3)); attempt(c, np.ones(3, np.float32))
# A8 compiled without x64, called with it
c = jax.jit(lambda x: lax.neg(x)).lower(np.ones(3)).compile()
with jax.enable_x64(True): attempt(c, np.ones(3)); show(c(np.ones(3, np.float32)))
# A8 integers
with jax.enable_x64(True): c = jax.jit(lambda x: lax.add(x, np.arange(20))).lower(np.ones(20, np.int64)).compile()
attempt(c, np.ones(20, np.int64)); attempt(c, np.ones(20, np.int32))
# A8 a captured double
d = np.arange(20.0)
with jax.enable_x64(True): lo = jax.jit(lambda x: lax.add(x, d)).lower(np.ones(20)); show(lo.as_text()); c = lo.compile()
attempt(c, np.ones(20))
# A8 a captured double that is narrowed
d = np.arange(20.0)
with jax.enable_x64(True): lo = jax.jit(lambda x: lax.add(x, lax.convert_element_type(d, np.float32))).lower(held); c = lo.compile()
show(c(held), lo.compile()(held))
# A8 a captured array of doubles
with jax.enable_x64(True): d = jax.device_put(np.arange(20.0))
f = jax.jit(lambda x: lax.add(x, lax.convert_element_type(d, np.float32))); show(f(held), str(f.trace(held).jaxpr), f.lower(held).as_text())
# A8 a captured array of doubles among floats
with jax.enable_x64(True): d = jax.device_put(np.arange(20.0))
attempt(jax.jit(lambda x: lax.add(x, d)), held)
# A8 traced with x64, lowered without
with jax.enable_x64(True): d = jax.device_put(np.arange(20.0)); t = jax.jit(lambda x: lax.add(x, d)).trace(np.ones(20))
show(t.lower().as_text()); attempt(lambda: t.lower().compile()(np.ones(20)))
# A8 lowered with x64, compiled without
with jax.enable_x64(True): lo = jax.jit(lambda x: lax.neg(x)).lower(np.ones(3))
attempt(lambda: lo.compile()(np.ones(3)))
# A8 nothing but a captured array
with jax.enable_x64(True): d = jax.device_put(np.arange(20.0)); c = jax.jit(lambda: lax.neg(d)).lower().compile()
show(c())
# A8 a jitted function serves both
f = jax.jit(lambda x: x * 2.0)
show(f(np.ones(2)));
with jax.enable_x64(True): show(f(np.ones(2)), f(1.0))
show(f(np.ones(2)), f(1.0), f._cache_size())
# A8 a setting that goes back and forth
n = []
f = jax.jit(lambda x: (n.append(x.dtype.name), lax.add(x, x))[1])
for on in (False, True, False, True): jax.config.update("jax_enable_x64", on); f(np.ones(2))
jax.config.update("jax_enable_x64", False); show(n)
# A8 results keep their type
with jax.enable_x64(True): y = jax.jit(lambda x: lax.neg(x))(np.ones(2))
show(y, y.dtype, np.asarray(y).dtype); attempt(lambda: jax.jit(lambda x: lax.neg(x))(y))
# A8 scalars
with jax.enable_x64(True): c = jax.jit(lambda x: x * 2).lower(1.0).compile(); show(c(1.0), c(np.float64(2)))
attempt(c, 1.0); attempt(c, np.float32(1))
# A8 a captured double in a loop and under a sum
with jax.enable_x64(True):
    d = np.arange(20.0) / 3
    c = jax.jit(lambda x: lax.reduce_sum(lax.scan(lambda s, a: (lax.mul(s, a), lax.sin(s)), x, d)[1], axes=(0,))).lower(1.0).compile()
    show(c(1.0), c.in_avals)
attempt(c, 1.0); attempt(c, np.float64(2))
# A8 shapes
with jax.enable_x64(True): show(SDS((2,), float), jax.eval_shape(lambda x: x * 1.0, SDS((2,), np.float64)), jax.jit(lambda x: x).lower(SDS((2,), "int64")).in_avals)
show(jax.jit(lambda x: x).trace(np.ones(2)).in_avals)
"""

PROGRAMS = [
    p
    for text in (STAGES, SHAPES, STATIC, MISMATCHES, TRANSFORMED, COMPILER_OPTIONS, EXPORT, X64)
    for p in scripts(text)
]
