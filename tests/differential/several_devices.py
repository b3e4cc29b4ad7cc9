"""Programs on four devices, for ``test_several_devices.py``."""

from __future__ import annotations

from tests.differential.scripts import scripts

SET_UP = """
from importlib import import_module as _imported
sharding = _imported(jax.__name__ + ".sharding"); debug = _imported(jax.__name__ + ".debug")
Mesh, NS, P, AxisType, One = sharding.Mesh, sharding.NamedSharding, sharding.PartitionSpec, sharding.AxisType, sharding.SingleDeviceSharding
D = jax.devices(); mesh = Mesh(np.array(D).reshape(2, 2), ("a", "b")); line = Mesh(np.array(D), ("z",)); back = Mesh(np.array(D[::-1]), ("z",)); half = Mesh(np.array(D[2:]), ("z",))
def on(spec, shape=(8, 4), m=mesh): return jax.device_put(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), NS(m, spec))

"""

PLACED = """
# C7 a captured array
c = on(P("b", None)); f = jax.jit(lambda x: lax.mul(x, c)); show(f.lower(on(P("a", "b"))).as_text(), f(on(P("a", "b"))).sharding, f(on(P("a", "b"))))
# C7 the compiled program's shardings
c = on(P("b", None)); k = jax.jit(lambda x: lax.reduce_sum(lax.mul(x, c), axes=(0,))).lower(on(P("a", "b"))).compile(); show(k.input_shardings, k.output_shardings, k.input_formats, k.out_info)
# C7 a captured array and a scalar
c = on(P("b", None)); g = jax.jit(lambda y: lax.add(lax.broadcast(y, (8, 4)), c)); show(g.lower(1.0).as_text(), g(1.0).sharding, g.lower(1.0).compile().output_shardings)
# C7 captured where nobody has put it
u = jnp.arange(32.0).reshape(8, 4); f = jax.jit(lambda x: lax.add(x, u)); show(f.lower(on(P("a"))).as_text(), f.lower(on(P("a"))).compile().input_shardings, f(on(P("a"))).sharding)
# C7 captured by an inner function
c = on(P("a")); g = jax.jit(lambda y: lax.mul(y, c)); show(jax.jit(lambda x: lax.neg(g(x))).lower(on(P("a"))).as_text(), jax.jit(lambda x: lax.neg(g(x)))(on(P("a"))).sharding)
# C7 captured by a loop
c = on(P("a")); f = jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, y: lax.add(y, c), x)); show(f.lower(on(P("a"))).as_text(), f(on(P("a"))).sharding, f(on(P("a")))[7])
# C7 captured beside one that is donated
c = on(P("a")); x = on(P("a")); f = jax.jit(lambda x: lax.mul(x, c), donate_argnums=0); show(f.lower(x).as_text(), f(x).sharding, x.is_deleted(), c.is_deleted())
# C7 the second call
c = on(P("a")); f = jax.jit(lambda x: lax.sub(x, c)); x = on(P("a")); show([f(x).sharding for _ in range(3)], f._cache_size(), f(x)[3])
# C7 the argument lies otherwise
c = on(P("a")); f = jax.jit(lambda x: lax.sub(x, c)); show([f(on(s)).sharding for s in (P("a"), P("b"), P(None, "a"), P("a", "b"), P())], [np.asarray(f(on(s))).sum() for s in (P("a"), P("b"), P(("a", "b")))])
# C7 the argument is not on a device
c = on(P("a")); f = jax.jit(lambda x: lax.exp(lax.sub(x, c))); show(f(np.ones((8, 4), np.float32)).sharding, f(jnp.ones((8, 4))).sharding, f.lower(np.ones((8, 4), np.float32)).compile().input_shardings)
# C7 small arrays are written out
c = on(P("a"), (8,)); f = jax.jit(lambda x: lax.add(x, c)); show(f.lower(on(P("a"), (8,))).as_text(), f(on(P("a"), (8,))))
# C7 devices that differ
c = on(P("a")); attempt(lambda: jax.jit(lambda y: lax.add(y, c))(jax.device_put(np.ones((8, 4), np.float32), D[1]))); attempt(lambda: lax.add(c, on(P("z"), m=back))); attempt(lambda: lax.add(c, on(P("z"), m=half)))
# C7 two meshes
f = jax.jit(lambda x: lax.mul(x, c)); c = on(P("z"), m=line); show(f.lower(on(P("a"))).as_text(), f(on(P("a"))).sharding)
# C7 a result in the names of another mesh than the first
z, x = on(P("z"), (8,), line), on(P("a", None)); y = jax.jit(lambda z, x: (z + 1, x * 2))(z, x)[1]; show(y.sharding, np.asarray(y).sum(), (y + 1).sharding, jax.jit(lambda a: lax.mul(a, y))(x).sharding, y.T.sharding, y.sharding.shard_shape((8, 4)), jax.jit(lambda a: a * 2).lower(y).compile().input_shardings)
y = on(P("z"), (8,), line).reshape(2, 4); show(y.sharding, y, (y + 1).sharding, jax.device_put(y, NS(line, P(None, "z"))).sharding)
# C7 devices in another order
c = on(P("z"), m=back); f = jax.jit(lambda x: lax.mul(x, c)); show(f.lower(c).as_text(), f(c).sharding, [s.device.id for s in f(c).addressable_shards], f(c)[5])
# C7 two of four devices
c = on(P("z"), m=half); f = jax.jit(lambda x: lax.tanh(lax.mul(x, c))); show(f.lower(c).as_text(), f(c).sharding, [s.device.id for s in f(c).addressable_shards])
# C7 the older way
before = jax.config.jax_use_simplified_jaxpr_constants; jax.config.update("jax_use_simplified_jaxpr_constants", False)
c = on(P("b")); f = jax.jit(lambda x: lax.cos(lax.mul(x, c))); show(f.lower(on(P("a"))).as_text(), f(on(P("a"))).sharding)
jax.config.update("jax_use_simplified_jaxpr_constants", before)
# C7 the log
c = on(P("b"))
with logged(jax_log_compiles=True): jax.jit(lambda x: lax.sin(lax.mul(x, c)))(on(P("a")))
# C7 derivatives and maps
c = on(P("b", None)); x = on(P("a")); show(jax.grad(lambda x: lax.reduce_sum(lax.mul(lax.sin(x), c), axes=(0, 1)))(x).sharding, jax.vmap(lambda x: lax.mul(x, c[0]))(x).sharding, jax.jvp(lambda x: lax.mul(x, c), (x,), (x,))[1].sharding)
# C7 keys
k = jax.device_put(jax.random.split(jax.random.key(0), 8), NS(mesh, P("a"))); f = jax.jit(lambda x: (lax.neg(x), jax.random.key_data(k))); show(k.sharding, f(on(P("a")))[1].sharding, jax.jit(lambda k: jax.random.wrap_key_data(jax.random.key_data(k))).lower(k).as_text())
# C7 a mesh of one device
one = Mesh(np.array(D[1:2]).reshape(1, 1), ("a", "b")); x = on(P("a"), m=one); d = jax.device_put(np.ones((8, 4), np.float32), D[1]); show(x.sharding, *[y.sharding for y in (lax.add(x, 1.0), x.T, x @ x.T, jnp.ones_like(x), x + jnp.ones((8, 4)), x[0], d + x, x + d)], x.addressable_shards[0].index, x.is_fully_replicated)
show(jax.jit(lambda y: lax.mul(y, x)).lower(x).as_text(), jax.jit(lambda y: lax.mul(y, x)).lower(jnp.ones((8, 4))).as_text(), jax.jit(lambda a, b: lax.sub(a, b)).lower(d, x).as_text(), jax.jit(lambda a, b: (a, b, a + 1.0), donate_argnums=0).lower(x, 1.0).as_text(), jax.jit(lambda y: y @ x.T).lower(x).compile().input_shardings, jax.jit(lambda a: a + 1, out_shardings=NS(one, P("a")))(jnp.ones((8, 4))).sharding)
# C7 without shardy
before = jax.config.jax_use_shardy_partitioner; jax.config.update("jax_use_shardy_partitioner", False)
c = on(P("b")); show(jax.jit(lambda x: lax.mul(x, c)).lower(on(P("a", "b"))).as_text())
jax.config.update("jax_use_shardy_partitioner", before)
"""

SHARDINGS = """
# meshes
show(repr(mesh), str(mesh), mesh.axis_types, dict(mesh.shape), mesh.size, mesh.devices.shape, mesh.axis_names, mesh.empty, mesh.axis_sizes, mesh.shape_tuple, mesh.device_ids.tolist(), mesh.is_multi_process, mesh.local_devices, mesh is Mesh(np.array(D).reshape(2, 2), ("a", "b")), mesh == line, str(Mesh(np.array(D), "a")))
# wrong meshes
for args in ((np.array(D), ("a", "b")), (np.array(D).reshape(2, 2), "a")): attempt(lambda: Mesh(*args))
attempt(lambda: jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))); attempt(lambda: str(jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,)))); attempt(lambda: str(jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=D[::-1]).device_ids.tolist()))
# specs
show(P("a", ("a", "b"), None), P(("a",)), P(()), P((), "a"), P(P.UNCONSTRAINED, "a"), P("a") + P("b"), list(P("a", None)), P("a", "b")[0:1], P("a") == ("a",), P("a") == P("a", None), len(P("a", None)), hash(P("a")) == hash(P("a")), P("a", "b").index("b"), P("a", None, None).count(None), P(), jax.P is P)
# shardings
s = NS(mesh, P("a", "b")); show(repr(s), str(s), s == NS(mesh, P("a", "b")), hash(s) == hash(NS(mesh, P("a", "b"))), s == NS(mesh, P("a")), s.devices_indices_map((8, 4)), s.shard_shape((8, 4)), s.is_fully_replicated, NS(mesh, P()).is_fully_replicated, s.num_devices, sorted(d.id for d in s.device_set), s.is_fully_addressable, s.memory_kind, s.replicated_axes, sorted(NS(mesh, P("a")).replicated_axes), s.is_equivalent_to(NS(mesh, P("a", "b")), 3), NS(mesh, P("a")).is_equivalent_to(NS(mesh, P("a", None)), 2), NS(mesh, P("a")).is_equivalent_to(NS(mesh, P(None, "a")), 2), s.update(spec=P("b")), s.with_memory_kind("device"))
# for the compiler
show(*[repr(NS(mesh, spec)._to_xla_hlo_sharding(3)) for spec in (P("a"), P(None, "a"), P(("b", "a")), P(), P("b", None, "a"), P(("a", "b")))])
# wrong shardings
for spec in (P("q"), P("a", "a"), P(3)): attempt(lambda: NS(mesh, spec))
attempt(lambda: NS(mesh, "a"))
# arrays
x = on(P("a"), (8,)); show(x.sharding, x.device, sorted(d.id for d in x.devices()), x.is_fully_replicated, len(x.addressable_shards), x.is_fully_addressable, x.committed, [(s.replica_id, s.index, s.device.id) for s in x.addressable_shards], repr(x), str(x), float(x.sum()), x.format)
# shards
show(*on(P("a", "b"), (4, 4)).addressable_shards, *on(P(), (3,)).addressable_shards); show([s.index for s in on(P(("b", "a")), (8,)).addressable_shards], [np.asarray(s.data).tolist() for s in on(P(("b", "a")), (8,)).addressable_shards])
# operators
x, c, u = on(P("a", "b")), on(P("b", None)), jnp.ones((8, 4)); show(*[y.sharding for y in (x + 1, x + c, c + x, u + x, np.ones((8, 4)) + x, 2 * x, x[0], x.sum(), x.T, x[2:4], x.at[0, 0].set(1), x.astype(jnp.int32), x.reshape(-1), x @ x.T, jnp.sort(c, 0))])
# copies
import copy
x = on(P("a")); show(*[y.sharding for y in (jnp.asarray(x), jnp.array(x), x.copy(), jnp.ones_like(x), jnp.zeros_like(x), jnp.full_like(x, 2), jnp.empty_like(x), lax.full_like(x, 1.0), jnp.ones_like(x, shape=(3,)), jnp.ones_like(x, dtype=jnp.int32), jax.device_put(x, may_alias=False))])
# numbers where they are asked for
show(lax.full((8, 4), 1.0, sharding=NS(mesh, P("a"))).sharding, lax.full((8, 4), 1.0, sharding=One(D[1])).sharding, lax.full_like(np.ones((8, 4)), 1.0, sharding=NS(mesh, P("a"))).sharding, jnp.zeros((4, 4), device=NS(mesh, P("a"))).sharding, jax.jit(jnp.ones_like).lower(on(P("a"))).as_text())
y = jax.device_put(np.ones((8, 4), np.float32), D[1]); show(*[(z.sharding, z.committed) for z in (jnp.ones_like(y), jnp.full_like(y, 2, shape=(3,)), lax.full_like(y, 1.0), jnp.empty_like(y))])
# from one place to another
x = on(P("a")); show(*[jax.device_put(x, where).sharding for where in (D[0], D[2], NS(mesh, P(None, "a")), NS(mesh, P(("a", "b"))), NS(half, P("z")), NS(line, P(None, "z")), One(D[3]), None)], jax.device_put({"k": np.ones(4), "l": np.ones((2, 4))}, {"k": NS(mesh, P("a")), "l": NS(mesh, P(None, "b"))})["l"].sharding, np.asarray(jax.device_put(x, NS(line, P(None, "z"))))[3])
# what cannot be there
attempt(lambda: jax.device_put(np.ones((4,)), NS(mesh, P("a", "b")))); attempt(lambda: jax.device_put(np.ones(4), P("a")))
if float(importlib.import_module("jaxlib.version").__version__[:4]) < 0.12: attempt(lambda: jax.device_put(np.ones(3), NS(mesh, P("a")))); attempt(lambda: jnp.zeros(3, device=NS(mesh, P("a")))); attempt(lambda: jax.jit(lambda x: x, in_shardings=NS(mesh, P("b")))(np.ones(3))); attempt(lambda: jax.jit(lambda x: x, out_shardings=NS(mesh, P("b")))(np.ones((3, 2))))
# shardings given to jit
u = jnp.ones((8, 4)); f = jax.jit(lambda x: lax.neg(x), in_shardings=NS(mesh, P(None, "a")), out_shardings=NS(mesh, P("b"))); show(f.lower(u).as_text(), f(u).sharding, f.lower(u).compile().input_shardings, f.lower(u).out_info); attempt(lambda: f(on(P("b"))).sharding)
# shardings that jit refuses
attempt(lambda: jax.jit(lambda x: x * 2, out_shardings=NS(mesh, P("a", "b")))(jnp.ones(4))); attempt(lambda: jax.jit(lambda x: x + 1, in_shardings=NS(mesh, P("b", "a")))(np.ones(4))); attempt(lambda: jax.jit(lambda a: a * 2, in_shardings=P("a"))(np.ones(4))); attempt(lambda: jax.jit(lambda a: a * 2, out_shardings=P("a"))(np.ones(4))); attempt(lambda: jax.jit(lambda a: a, in_shardings="a"))
# a compiled function is called
k = jax.jit(lambda a: a * 2).lower(on(P("a"))).compile(); attempt(lambda: k(on(P("b")))); attempt(lambda: k(np.ones((8, 4), np.float32)).sharding); attempt(lambda: k(jnp.ones((8, 4))).sharding); attempt(lambda: k(on(P("a"))).sharding)
# types with shardings
s = jax.ShapeDtypeStruct((8, 4), np.float32, sharding=NS(mesh, P("a", "b"))); f = jax.jit(lambda x: x.sum(0)).lower(s); show(s, f.as_text(), f.out_info, f.compile().out_info)
# where the compiler has it
x = on(P("a", "b")); f = jax.jit(lambda x: (debug.inspect_array_sharding(x @ x.T, callback=lambda s: show("inside", s)), debug.inspect_array_sharding(x.T, callback=lambda s: show("turned", s)), x.sum())[2]); f.lower(x).compile(); show("compiled"); debug.inspect_array_sharding(x, callback=lambda s: show("outside", s))
# effects
with printed(): jax.jit(lambda x: (debug.print("{}", x.sum()), x * 2)[1])(on(P("a")))
try: jax.jit(lambda x: (debug.print("{}", x, ordered=True), x)[1])(on(P("a")))
except ValueError as err: show(str(err).partition("[")[0])
# arguments that are left to the compiler
f = jax.jit(lambda x, y, k, s: (x + y, k * s)); show(f.lower(on(P("a")), jnp.ones((8, 4)), 3.0, jnp.float32(2)).as_text(), f.lower(on(P("a")), jnp.ones((8, 4)), 3.0, jnp.float32(2)).compile().input_shardings)
# what only one device has
attempt(lambda: on(P("a")).unsafe_buffer_pointer()); attempt(lambda: on(P("a")).__dlpack__())
# pictures
for spec in (P("a", "b"), P("b", None), P(None, ("b", "a")), P(), P("b", "a")):
    with printed(): debug.visualize_array_sharding(on(spec, (8, 16)))
    with printed(): debug.visualize_sharding((16, 8), NS(mesh, spec), use_color=False, scale=0.5)
with printed(): debug.visualize_array_sharding(on(P("b"), (8,))); jax.jit(lambda x: (debug.visualize_array_sharding(x), x)[1])(on(P("a"))); debug.visualize_sharding((12, 20), NS(line, P(None, "z")), min_width=3); debug.visualize_sharding((4, 36), NS(line, P("z")), max_width=30)
"""


def with_set_up(text: str) -> str:
    """The scripts, each with what all of them share before it."""
    first, *rest = text.split("\n# ")
    parts = [part.partition("\n") for part in rest]
    return "\n# ".join([first, *(f"{name}{SET_UP}{body}" for name, _, body in parts)])


PROGRAMS = [p for text in (PLACED, SHARDINGS) for p in scripts(with_set_up(text))]
