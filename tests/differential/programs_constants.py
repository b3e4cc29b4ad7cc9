"""Arrays that functions close over: what becomes of them in jaxprs, modules, calls and warnings, in both ways of keeping them."""

from __future__ import annotations

from tests.differential.scripts import scripts

CAPTURED = """
# C1 a NumPy array and an array
a = jnp.ones(16, np.float32)
def f(x): return x + a + np.full(16, 42.0, np.float32) + jnp.full(16, 142.0)
j = jax.make_jaxpr(f)(held[:16]); show(str(j), len(j.consts), len(j.jaxpr.constvars), [e.primitive.name for e in j.eqns])
# C1 scalars of every kind
for c in (1, 2.5, True, np.float32(3), np.array(4.0, np.float32), jnp.float32(5), np.int32(6), jnp.asarray(7)): show(str(jax.make_jaxpr(lambda x: lax.mul(x, lax.convert_element_type(c, np.float32)))(f4)), str(jax.make_jaxpr(lambda x: (x * c, lax.neg(x)))(f4)))
# C1 results inside the trace are staged
show(str(jax.make_jaxpr(lambda x: lax.add(x, jnp.arange(4.0)))(f4)), str(jax.make_jaxpr(lambda x: lax.mul(x, lax.exp(np.ones(4, np.float32))))(f4)), str(jax.make_jaxpr(lambda: lax.iota(np.int32, 3))()), str(jax.make_jaxpr(lambda: jnp.asarray(held))()))
# C1 a result itself
show(str(jax.make_jaxpr(lambda: held)()), str(jax.make_jaxpr(lambda x: (held, x, held))(f4)), str(jax.make_jaxpr(lambda: (1.0, np.float32(2), np.ones((0, 3))))()), str(jax.make_jaxpr(lambda x: lax.sin(np.ones(3, np.float32)))(f4)), str(jax.make_jaxpr(lambda: lax.neg(lax.cos(held)))()))
# C1 the same array twice
b = jnp.ones((3, 3)); j = jax.make_jaxpr(lambda x: lax.dot(b, lax.mul(x, b)) + b)(b); show(str(j), len(j.consts))
# C1 equal arrays are not the same
b, c = held + 0, held + 0; j = jax.make_jaxpr(lambda x: lax.sub(lax.add(x, b), c) * b)(held); show(str(j), len(j.consts))
# C1 in nested functions
inner = jax.jit(lambda x: lax.mul(x, held))
show(str(jax.make_jaxpr(lambda x: lax.sin(inner(x)) + held)(held)), str(jax.make_jaxpr(lambda x: inner(inner(x)))(held)))
# C1 in loops and branches
show(str(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (lax.add(c, held), a), x, None, length=2))(held)), str(jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c[0] < held[3], lambda c: lax.mul(c, held), x))(held)), str(jax.make_jaxpr(lambda x: lax.cond(x[0] > 0, lambda y: y + held, lambda y: lax.sin(y), x))(held)))
# C1 under derivatives
show(str(jax.make_jaxpr(jax.grad(lambda x: lax.reduce_sum(lax.mul(lax.sin(x), held), axes=(0,))))(held)), str(jax.make_jaxpr(lambda x: jax.jvp(lambda y: lax.mul(y, held), (x,), (held,)))(held)), str(jax.make_jaxpr(lambda x: jax.vjp(lambda y: lax.mul(y, held), x)[1](held))(held)))
# C1 under vmap
show(str(jax.make_jaxpr(jax.vmap(lambda x: lax.add(x, held)))(np.ones((2, 20), np.float32))), str(jax.make_jaxpr(jax.vmap(lambda x, i: jnp.asarray(held)[i] * x))(f4, i4)), str(jax.make_jaxpr(jax.vmap(lambda x: (lax.neg(held), x)))(f4)))
# C1 types that are narrowed
for c in (np.arange(20), np.ones(20), np.ones(20, np.complex128), np.arange(20, dtype=np.uint64)): show(str(jax.make_jaxpr(lambda x: lax.mul(x, lax.real(c) if c.dtype.kind == "c" else lax.convert_element_type(c, np.float32)))(held)))
# C1 a view and a list
v = np.arange(40, dtype=np.float32)[::2]; show(str(jax.make_jaxpr(lambda x: lax.sub(x, v))(held)), jax.jit(lambda x: lax.sub(x, v))(held)); attempt(lambda: jax.make_jaxpr(lambda x: lax.max(x, [1.0]))(f4)); show(str(jax.make_jaxpr(lambda x: jnp.asarray([1.0, 2.0]) * lax.slice(x, (0,), (2,)))(f4)))
# C1 changed before the trace
c = np.ones(20, np.float32); c[:] = 5.0; show(jax.jit(lambda x: lax.neg(lax.add(x, c)))(held)[:3], jax.jit(lambda x: lax.add(x, c))(held)[:3], str(jax.make_jaxpr(lambda x: lax.mul(x, c))(held)))
# C1 arguments that are captured as well
show(str(jax.make_jaxpr(lambda x: lax.add(x, held))(held)), main_line(jax.jit(lambda x: lax.add(x, held) * lax.sin(x)).lower(held)))
# C1 keys and objects
k = jax.random.key(0)
show(str(jax.make_jaxpr(lambda x: x * jax.random.uniform(k))(1.0)), str(jax.make_jaxpr(lambda: jax.random.split(k))())); attempt(lambda: jax.make_jaxpr(lambda x: lax.add(x, object()))(1.0)); attempt(lambda: jax.make_jaxpr(lambda x: lax.mul(x, "a"))(1.0)); attempt(lambda: jax.make_jaxpr(lambda x: lax.sub(x, None))(1.0))
# C1 rules of one's own
@jax.custom_vjp
def f(x): return lax.mul(x, held)
f.defvjp(lambda x: (lax.mul(x, held), None), lambda r, ct: (lax.sin(held) * ct,))
show(str(jax.make_jaxpr(f)(held)), str(jax.make_jaxpr(jax.grad(lambda x: lax.reduce_sum(f(x), axes=(0,))))(held)))
"""

ARGUMENTS = """
# C2 what is hoisted
for n in (0, 1, 7, 8, 9, 16): show(n, main_line(jax.jit(lambda x: lax.mul(x, np.ones(n, np.float32))).lower(np.ones(n, np.float32))))
# C2 scalars are not hoisted
show(main_line(jax.jit(lambda x: lax.add(x, lax.exp(np.array(3.0, np.float32)))).lower(1.0)), main_line(jax.jit(lambda x: lax.mul(x, np.float32(2))).lower(np.float32(1))))
# C2 bytes count, not elements
for c in (np.ones(33, np.int8), np.ones(32, np.int8), np.ones(16, np.float16), np.ones(17, np.float16), np.ones(5, np.complex64), np.ones(5)): show(main_line(jax.jit(lambda x: (lax.neg(x), lax.convert_element_type(c, np.float16) if c.dtype.kind != "c" else lax.real(c))).lower(1.0)))
# C2 the limit is a setting
for limit in (0, 3, 16, 32, 79, 80, 10**6):
    jax.config.update("jax_embedded_constants_max_bytes", limit); show(limit, main_line(jax.jit(lambda x: lax.sin(lax.add(x, held)) * np.ones(1, np.float32)).lower(held)))
jax.config.update("jax_embedded_constants_max_bytes", 32)
# C2 once for one array
show(main_line(jax.jit(lambda x: lax.add(lax.mul(x, held), held)).lower(held)), main_line(jax.jit(lambda x: (held, lax.sin(held), x)).lower(1.0)))
# C2 two arrays, in the order of their use
h, b = jnp.asarray(held), jnp.ones((5, 4), np.int32); show(main_line(jax.jit(lambda x: (lax.neg(b), lax.add(x, h))).lower(held)), main_line(jax.jit(lambda x: (lax.add(x, h), lax.neg(b))).lower(held)), main_line(jax.jit(lambda x: (lax.add(x, 1.0), h, b)).lower(held)))
# C2 from nested functions
show(main_line(jax.jit(lambda x: jax.jit(lambda y: lax.mul(y, held))(x)).lower(held)), main_line(jax.jit(lambda x: lax.add(jax.jit(lambda y: lax.mul(y, held))(x), held)).lower(held)))
# C2 from loops, branches and results
b, c = held + 1, held + 2
show(main_line(jax.jit(lambda x: lax.scan(lambda s, a: (lax.add(s, held), b), x, None, length=2)).lower(held)), main_line(jax.jit(lambda x: lax.cond(x[0] > 0, lambda y: lax.mul(y, b), lambda y: c, x)).lower(held)), main_line(jax.jit(lambda x: lax.while_loop(lambda s: s[0] < b[1], lambda s: lax.add(s, c), x)).lower(held)))
# C2 only what is a result
h = jnp.asarray(held)
show(jax.jit(lambda: held).lower().as_text(), jax.jit(lambda x: (x, held)).lower(1.0).as_text(), main_line(jax.jit(lambda: (lax.sin(h), lax.cos(held))).lower()))
# C2 what is dead
show(main_line(jax.jit(lambda x: (lax.mul(held, held), lax.neg(x))[1]).lower(f4)), main_line(jax.jit(lambda x: lax.exp(x)).lower(f4)), main_line(jax.jit(lambda x: jax.jit(lambda y: (lax.sin(held), y)[1])(x)).lower(f4)))
# C2 from derivatives
h = jnp.asarray(held); loss = lambda x: lax.reduce_sum(lax.mul(lax.sin(x), h), axes=(0,))
show(main_line(jax.jit(jax.grad(loss)).lower(held)), main_line(jax.jit(jax.vmap(jax.grad(loss))).lower(np.ones((2, 20), np.float32))))
# C2 arguments that are the captured array
show(main_line(jax.jit(lambda x, y: lax.add(x, held)).lower(held, f4)), jax.jit(lambda x: lax.sub(x, held))(held), jax.jit(lambda x: lax.sub(held, x))(lax.mul(held, np.float32(2))))
# C2 a program that is used twice
g = jax.jit(lambda x: lax.mul(x, held))
show(jax.jit(lambda x: g(g(x))).lower(held).as_text(), main_line(g.lower(held)), main_line(jax.jit(lambda x: lax.sin(g(x))).lower(held)))
# C2 indices
show(main_line(jax.jit(lambda i: jnp.asarray(held)[i]).lower(1)), main_line(jax.jit(lambda x: x[np.array([0, 2])]).lower(held)), main_line(jax.jit(lambda x: x.at[np.array([0, 2])].set(lax.neg(x[:2]))).lower(held)), main_line(jax.jit(lambda x: lax.concatenate([x, held], 0)[1:30:2]).lower(held)))
# C2 masks
m = np.arange(64).reshape(8, 8) % 3 == 0
show(main_line(jax.jit(lambda x: lax.select(m, x, lax.neg(x))).lower(np.ones((8, 8), np.float32))), main_line(jax.jit(lambda x: jnp.where(m, x, 0.0)).lower(np.ones((8, 8), np.float32))))
# C2 keys
k = jax.random.split(jax.random.key(0), 8); show(main_line(jax.jit(lambda i: k[i]).lower(0)) if 0 else len(jax.make_jaxpr(lambda x: (jax.random.key_data(k), lax.sin(x)))(1.0).eqns)); show(main_line(jax.jit(lambda x: (lax.cos(x), jax.random.key_data(k))).lower(1.0)))
"""

LOWERED = """
# C3 main and the calls of it
show(jax.jit(lambda x: lax.add(lax.mul(x, held), np.ones(20, np.float32))).lower(held).as_text())
# C3 small ones stay in the module
show(jax.jit(lambda x: lax.add(x, np.arange(4, dtype=np.float32)) * lax.sin(np.array(2.0, np.float32))).lower(f4).as_text())
# C3 inner functions have fewer
b = held + 1
f = jax.jit(lambda x: lax.mul(x, held)); g = jax.jit(lambda x: lax.add(f(x), b))
show(jax.jit(lambda x: lax.sin(g(x))).lower(held).as_text())
# C3 inner functions are called twice
f = jax.jit(lambda x: lax.mul(lax.cos(x), held)); show(jax.jit(lambda x: f(f(x))).lower(held).as_text()); show(jax.jit(lambda x: lax.add(f(x), jax.jit(lambda y: lax.neg(f(y)))(x))).lower(held).as_text())
# C3 loops
show(jax.jit(lambda x: lax.scan(lambda c, a: (lax.add(c, held), lax.sin(a)), x, x)).lower(held).as_text())
# C3 while loops
show(jax.jit(lambda x: lax.while_loop(lambda c: c[0] < 3.0, lambda c: lax.add(lax.mul(c, held), held), x)).lower(held).as_text())
# C3 branches
b = held + 1; show(jax.jit(lambda x: lax.cond(x[0] > 0, lambda y: lax.mul(y, held), lambda y: lax.sub(y, b), x)).lower(held).as_text())
# C3 tokens come before, arguments after
f = lambda x, y: (jax.debug.callback(lambda v: None, y, ordered=True), lax.add(x, held), lax.sin(y))[1:]
show(main_line(jax.jit(f).lower(held, 1.0)))
# C3 donation
with warned(): show(main_line(jax.jit(lambda x, y: lax.mul(x, held), donate_argnums=0).lower(held, f4)), main_line(jax.jit(lambda x: (lax.exp(x), held), donate_argnums=0, keep_unused=True).lower(held)))
# C3 names of arguments and results
text = jax.jit(lambda width, *, depth: {"a": lax.add(width, held), "b": lax.neg(depth)}).lower(held, depth=1.0).as_text(debug_info=True)
show([l for l in text.splitlines() if "func.func" in l][0].count("jax.const"), re.findall(r"jax.result_info = [^}]*", text), re.findall('loc[0-9]+ = loc[(]"(?:width|depth)', text))
# C3 unused arguments
show(main_line(jax.jit(lambda x, y: lax.mul(y, held)).lower(f4, held)), main_line(jax.jit(lambda x, y: lax.mul(y, held), keep_unused=True).lower(f4, held)), main_line(jax.jit(lambda x: lax.sin(held)).lower(f4)))
# C3 primitives that lower to programs
show(main_line(jax.jit(lambda x: lax.cumsum(lax.mul(x, held))).lower(held)), main_line(jax.jit(lambda x: lax.top_k(lax.add(x, held), 2)).lower(held)), main_line(jax.jit(lambda x: jnp.linspace(0.0, 1.0, 50) + x).lower(1.0)))
# C3 random numbers
text = jax.jit(lambda k: jax.random.uniform(k, (16,)) + held[:16]).lower(jax.random.key(0)).as_text(); show(text.splitlines()[1], text.count("stablehlo.constant"), text.count("func.func"))
# C3 exported
if "jaxnb" in jax.__name__: export = importlib.import_module("jaxnb.export")
else: export = importlib.import_module("jax.export")
e = export.export(jax.jit(lambda x: lax.add(lax.sin(x), held)))(SDS((20,), np.float32)); show("dense<" in e.mlir_module(), "jax.const" in e.mlir_module(), e.in_avals, e.call(held)[:3])
# C3 several types
for d in ("int8", "bool", "float16", "bfloat16", "complex64", "uint32"):
    c = jnp.asarray(np.arange(64).reshape(8, 8), d); show(main_line(jax.jit(lambda x: (lax.eq(x, x), c)).lower(c)), main_line(jax.jit(lambda x: lax.select(lax.eq(x, c), x, x)).lower(c)))
# C3 mapped and differentiated
g = jax.jit(lambda x: lax.reduce_sum(lax.mul(lax.tanh(x), held), axes=(0,)))
show(jax.jit(jax.vmap(g)).lower(np.ones((2, 20), np.float32)).as_text(), jax.jit(jax.grad(g)).lower(held).as_text())
"""

OLDER = """
# C4 a NumPy array and an array
a = jnp.ones(16, np.float32)
def f(x): return x + a + np.full(16, 42.0, np.float32) + jnp.full(16, 142.0)
j = jax.make_jaxpr(f)(held[:16]); show(str(j), len(j.consts), len(j.jaxpr.constvars))
# C4 scalars
for c in (2.5, np.float32(3), np.array(4.0, np.float32), np.ones(1, np.float32)): show(str(jax.make_jaxpr(lambda x: (lax.add(x, lax.neg(x)), x * c))(f4)))
# C4 the same array twice
b = jnp.ones((3, 3)); j = jax.make_jaxpr(lambda x: lax.dot(b, lax.mul(x, b)) + b)(b); show(str(j), len(j.consts), j.consts[0] is b)
# C4 equal arrays
b, c = jnp.asarray(held), jnp.asarray(held) + 0; j = jax.make_jaxpr(lambda x: lax.sub(lax.add(x, b), c))(held); show(str(j), len(j.consts), [k is b or k is c for k in j.consts])
# C4 evaluation with constants
j = jax.make_jaxpr(lambda x: lax.mul(lax.sin(x), held))(held); show(core.eval_jaxpr(j.jaxpr, j.consts, held)[0][:3], core.eval_jaxpr(j.jaxpr, [held * 2], held)[0][:3])
# C4 in nested functions
inner = jax.jit(lambda x: lax.mul(x, held))
show(str(jax.make_jaxpr(lambda x: lax.sin(inner(x)) + held)(held)), str(jax.make_jaxpr(lambda x: inner(inner(x)))(held)), inner(held)[:3])
# C4 in loops and branches
show(str(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (lax.add(c, held), a), x, None, length=2))(held)), str(jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c[0] < held[3], lambda c: lax.mul(c, held), x))(held)), str(jax.make_jaxpr(lambda x: lax.cond(x[0] > 0, lambda y: y + held, lambda y: lax.sin(y), x))(held)))
# C4 modules hold them
show(jax.jit(lambda x: lax.add(lax.mul(x, held), np.ones(20, np.float32))).lower(held).as_text())
# C4 a module holds one array once
show(jax.jit(lambda x: lax.add(lax.mul(x, held), held)).lower(held).as_text(), jax.jit(lambda x: (held, lax.sin(held), x)).lower(1.0).as_text())
# C4 inner functions
f = jax.jit(lambda x: lax.mul(lax.cos(x), held)); show(jax.jit(lambda x: f(f(x))).lower(held).as_text(), jax.jit(lambda x: lax.add(f(x), held)).lower(held).as_text())
# C4 loops in modules
show(jax.jit(lambda x: lax.scan(lambda c, a: (lax.add(c, held), lax.sin(a)), x, x)).lower(held).as_text(), jax.jit(lambda x: lax.cond(x[0] > 0, lambda y: lax.mul(y, held), lambda y: y, x)).lower(held).as_text())
# C4 derivatives
show(str(jax.make_jaxpr(jax.grad(lambda x: lax.reduce_sum(lax.mul(lax.sin(x), held), axes=(0,))))(held)), str(jax.make_jaxpr(lambda x: jax.jvp(lambda y: lax.mul(y, held), (x,), (held,)))(held)))
# C4 under vmap
show(str(jax.make_jaxpr(jax.vmap(lambda x: lax.add(x, held)))(np.ones((2, 20), np.float32))), jax.vmap(lambda x: lax.mul(x, held))(np.ones((2, 20), np.float32))[:, :2], str(jax.make_jaxpr(jax.vmap(lambda x: (lax.neg(held), x)))(f4)))
# C4 a result itself
show(str(jax.make_jaxpr(lambda: held)()), jax.jit(lambda: held).lower().as_text(), str(jax.make_jaxpr(lambda x: (held, x, held))(f4)), jax.jit(lambda x: (lax.exp(x), held, lax.neg(held)))(0.0)[1][:2])
# C4 changed after the trace
c = np.ones(20, np.float32); f = jax.jit(lambda x: lax.add(lax.neg(x), c)); f(held); c[:] = 5.0; show(f(held)[:3], f.lower(held[:0] if 0 else held).as_text())
# C4 the limit means nothing
for limit in (0, 1000): jax.config.update("jax_embedded_constants_max_bytes", limit); show(main_line(jax.jit(lambda x: lax.sin(lax.add(x, held))).lower(held)), str(jax.make_jaxpr(lambda x: lax.add(x, held))(held)))
jax.config.update("jax_embedded_constants_max_bytes", 32)
# C4 random keys
k = jax.random.key(0); show(str(jax.make_jaxpr(lambda x: lax.mul(x, jax.random.uniform(k)))(1.0)), jax.jit(lambda x: lax.sub(x, jax.random.uniform(k)))(1.0))
# C4 sizes of both ways
big = jnp.ones((64, 64), np.float32)
f = lambda x: lax.dot(big, lax.mul(x, x)) + lax.sin(x)
show(len(jax.jit(f).lower(big).as_text()) > 3 * 64 * 64, main_line(jax.jit(f).lower(big)))
with jax._src.config.use_simplified_jaxpr_constants(True) if hasattr(jax, "_src") else contextlib.nullcontext(jax.config.update("jax_use_simplified_jaxpr_constants", True)): show(main_line(jax.jit(f).lower(big)), len(jax.make_jaxpr(f)(big).consts))
"""

CALLED = """
# C5 a second call runs no Python
n = []
f = jax.jit(lambda x: (n.append(1), lax.add(lax.mul(x, held), held))[1]); f(held); f(held); f(held + 1); show(n, f(held)[:3], f._cache_size())
# C5 no argument at all
c = jnp.array([42.0] * 20); f = jax.jit(lambda: lax.neg(c)); show(f()[:2], f()[:2], jax.jit(lambda: c)()[:2], f.lower().compile()()[:2])
# C5 in_avals of the steps
f = jax.jit(lambda x: lax.sub(lax.sin(x), held)); t = f.trace(held); lo = t.lower(); c = lo.compile()
show(c.in_avals, c.in_tree, c.args_info, t.in_avals, lo.in_tree, len(f.trace(held).jaxpr.consts))
# C5 compiled ahead of time and called
c = jax.jit(lambda x, y: {"a": lax.add(x, held), "b": lax.mul(y, np.float32(2))}).lower(held, 1.0).compile()
show(c(held, 3.0)["b"], c(held, 3.0)["a"][:2]); attempt(c, held); attempt(c, held, held); attempt(c, f4, 1.0)
# C5 the executable takes them
c = jax.jit(lambda x: lax.mul(lax.cos(x), held)).lower(held).compile(); show(c.as_text().count("parameter("), c.memory_analysis().argument_size_in_bytes, c.cost_analysis().get("flops"))
# C5 unused arguments and constants
c = jax.jit(lambda x, y: lax.add(y, held)).lower(f4, held).compile(); show(c.in_avals, c(f4, held)[:2], c.memory_analysis().argument_size_in_bytes)
# C5 donated arguments beside constants
f = jax.jit(lambda x: lax.exp(lax.mul(x, held)), donate_argnums=0); x = jax.device_put(held); y = f(x); show(x.is_deleted(), y[:2], f.lower(held).compile().memory_analysis().alias_size_in_bytes)
# C5 a program shared by closures
def mk(c): return lambda x: lax.add(lax.neg(x), c)
show(*[jax.jit(mk(held * k))(held)[:3] for k in (0, 1, 2)])
# C5 static arguments beside constants
n = []
f = jax.jit(lambda x, k: (n.append(k), lax.mul(lax.add(x, held), np.float32(k)))[1], static_argnums=1); show(f(held, 2)[:2], f(held, 3)[:2], f(held, 2)[:2], n)
# C5 nested, called alone and inside
g = jax.jit(lambda x: lax.mul(x, held)); show(g(held)[:3], jax.jit(lambda x: lax.sin(g(x)))(held)[:3], g(held)[:3], jax.grad(lambda x: lax.reduce_sum(g(x), axes=(0,)))(held)[:3], jax.vmap(g)(np.ones((2, 20), np.float32))[:, 1])
# C5 deleted constants
c = jax.device_put(held); f = jax.jit(lambda x: lax.add(x, c) * lax.sin(x)); f(held); c.delete(); attempt(lambda: f(held)[:2]); attempt(lambda: jax.jit(lambda x: lax.mul(x, c))(held))
# C5 constants are not collected
import gc
def mk():
    c = jnp.ones(20) * 3
    return jax.jit(lambda x: lax.add(lax.mul(x, c), c))
f = mk(); gc.collect(); show(f(held)[:2]); gc.collect(); show(f(held)[:2])
# C5 functions with constants are collected
import gc, weakref
class Big(np.ndarray): pass
def mk():
    c = np.ones(20, np.float32).view(Big)
    return jax.jit(lambda x: lax.add(x, np.asarray(c))), weakref.ref(c)
f, r = mk(); f(held); jax.jit(lambda x: lax.neg(lax.cos(x)))(held); show(r() is None); del f; gc.collect(); show(r() is None)
# C5 nothing in the module
f = jax.jit(lambda x: lax.add(lax.sub(x, held), held)); show(f.lower(held).as_text().count("dense"), f(held)[:2])
# C5 wide constants when x64 differs
c = np.arange(20) * 1.5
f = jax.jit(lambda x: lax.add(lax.convert_element_type(c, np.float32), lax.neg(x))); show(f(held)[:2])
c = np.arange(20) * 2.5
with jax.enable_x64(True): show(main_line(f.lower(held)), f(held)[:2]); attempt(lambda: main_line(jax.jit(lambda x: lax.mul(x, c)).lower(np.ones(20)))); attempt(lambda: jax.jit(lambda x: lax.sub(x, c))(np.ones(20))[:3])
# C5 keyword arguments
f = jax.jit(lambda *, a, b: lax.add(lax.mul(a, held), b)); show(f(a=held, b=held)[:3], f.lower(b=held, a=held).compile()(a=held, b=held)[:3], main_line(f.lower(b=held, a=held)))
# C5 events of a call with constants
ev = []
f = jax.jit(lambda x: lax.add(lax.tan(x), held) * held); f(held)
jax.monitoring.register_event_duration_secs_listener(lambda n, d, **k: ev.append(n.rpartition("/")[2])); f(held); f(held); show(ev); f(held[:1]) if 0 else jax.monitoring.clear_event_listeners()
"""

WARNED = """
# C6 large constants
jax.config.update("jax_captured_constants_warn_bytes", 50)
with warned(): jax.jit(lambda x: lax.add(lax.mul(x, held), held)).lower(held)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 never
for limit in (-1, 80, 81, 10**9):
    jax.config.update("jax_captured_constants_warn_bytes", limit)
    with warned(): jax.jit(lambda x: lax.add(lax.sin(x), held)).lower(held)
    show(limit)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 zero bytes
jax.config.update("jax_captured_constants_warn_bytes", 0)
with warned(): jax.jit(lambda x: lax.neg(x)).lower(f4); jax.jit(lambda x: lax.add(x, 1.0)).lower(f4); jax.jit(lambda x: lax.mul(x, f4)).lower(f4)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 the largest first
b, c = np.ones((10, 20), np.float32), np.ones(30, np.int32)
jax.config.update("jax_captured_constants_warn_bytes", 1)
with warned(): jax.jit(lambda x: (lax.add(x, held), lax.neg(c), lax.sin(b))).lower(held)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 many
cs = [np.full(20, k, np.float32) for k in range(14)]
jax.config.update("jax_captured_constants_warn_bytes", 1)
with warned(): jax.jit(lambda x: functools.reduce(lax.add, cs, lax.cos(lax.sin(x)))).lower(held)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 frames
def layer(x): return lax.mul(x, held)
def net(x): return lax.sin(layer(x))
jax.config.update("jax_captured_constants_warn_bytes", 1)
for n in (0, 1, 2, 9):
    jax.config.update("jax_captured_constants_report_frames", n)
    with warned(): jax.jit(lambda x: net(lax.neg(x))).lower(held)
jax.config.update("jax_captured_constants_report_frames", 0); jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 used by several equations
jax.config.update("jax_captured_constants_warn_bytes", 1); jax.config.update("jax_captured_constants_report_frames", 1)
with warned(): jax.jit(lambda x: lax.add(lax.mul(x, held), lax.sin(held)) - held).lower(held)
jax.config.update("jax_captured_constants_report_frames", 0); jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 used in nested functions and loops
jax.config.update("jax_captured_constants_warn_bytes", 1); jax.config.update("jax_captured_constants_report_frames", 1)
with warned(): jax.jit(lambda x: jax.jit(lambda y: lax.mul(y, held))(x)).lower(held)
with warned(): jax.jit(lambda x: lax.scan(lambda c, a: (lax.add(c, held), a), x, None, length=2)).lower(held)
with warned(): jax.jit(lambda x: lax.cond(x[0] > 0, lambda y: y + held, lambda y: lax.sin(y), x)).lower(held)
jax.config.update("jax_captured_constants_report_frames", 0); jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 only a result
jax.config.update("jax_captured_constants_warn_bytes", 1); jax.config.update("jax_captured_constants_report_frames", 1)
with warned(): jax.jit(lambda x: (lax.neg(x), held)).lower(1.0); jax.jit(lambda: held).lower()
jax.config.update("jax_captured_constants_report_frames", 0); jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 once a lowering
jax.config.update("jax_captured_constants_warn_bytes", 1)
f = jax.jit(lambda x: lax.exp(lax.mul(x, held)))
with warned(): f(held); f(held); f.lower(held)
with warned(): f.trace(held); jax.make_jaxpr(f)(held); jax.eval_shape(f, held)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 as an error
jax.config.update("jax_captured_constants_warn_bytes", 1)
with warnings.catch_warnings():
    warnings.simplefilter("error"); attempt(lambda: jax.jit(lambda x: lax.add(lax.tan(x), held)).lower(held))
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 units
jax.config.update("jax_captured_constants_warn_bytes", 1)
for n in (100, 3000, 400_000): c = np.ones(n, np.float32); exec("with warned(): jax.jit(lambda x: (lax.abs(x), lax.neg(c))).lower(1.0)", globals() | {"c": c})
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 arrays and keys
a, k = jnp.ones((4, 16)), jax.random.split(jax.random.key(0), 16)
jax.config.update("jax_captured_constants_warn_bytes", 1)
with warned(): jax.jit(lambda x: (lax.add(lax.floor(x), a), jax.random.key_data(k))).lower(a)
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 derivatives
jax.config.update("jax_captured_constants_warn_bytes", 1)
with warned(): jax.jit(jax.grad(lambda x: lax.reduce_sum(lax.mul(lax.sin(x), held), axes=(0,)))).lower(held)
with warned(): jax.jit(jax.vmap(lambda x: lax.add(x, held))).lower(np.ones((2, 20), np.float32))
jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
# C6 settings that are none
for v in ("a", 1.5, -2, True):
    attempt(lambda: jax.config.update("jax_captured_constants_warn_bytes", v)); attempt(lambda: jax.jit(lambda x: lax.rsqrt(lax.add(x, held))).lower(held) and None)
    jax.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
"""

PLACED = """
# C7 where an array lives
c = jax.device_put(held, jax.devices()[0]); f = jax.jit(lambda x: lax.mul(x, c)); show(f(held).committed, f(held).sharding, c.committed, jax.jit(lambda x: lax.mul(x, jnp.asarray(held)))(held).committed)
# C7 no arguments
c = jax.device_put(held, jax.devices()[0]); show(jax.jit(lambda: lax.sin(c))().committed, jax.jit(lambda: c)().committed, jax.jit(lambda: lax.cos(held))().committed, jax.jit(lambda: held)().committed)
# C7 main does not say it
c = jax.device_put(held, jax.devices()[0]); show(jax.jit(lambda x: lax.add(x, c)).lower(held).as_text(), main_line(jax.jit(lambda x: lax.add(x, c)).lower(c)), main_line(jax.jit(lambda: lax.neg(c)).lower()))
# C7 shardings of a compiled function
c = jax.device_put(held, jax.devices()[0]); k = jax.jit(lambda x, y: (lax.mul(x, c), lax.exp(y))).lower(held, 1.0).compile(); show(k.input_shardings, k.output_shardings, len(k.input_formats[0]), k.output_formats)
# C7 given shardings
s = jax.device_put(held, jax.devices()[0]).sharding; f = jax.jit(lambda x: lax.add(lax.sin(x), held), in_shardings=s, out_shardings=s); show(main_line(f.lower(held)), f(held).committed, f(held).sharding == s, f.lower(held).compile().input_shardings)
# C7 a sharding for each argument
s = jax.device_put(held, jax.devices()[0]).sharding; f = jax.jit(lambda x, y: lax.mul(lax.add(x, held), y), in_shardings=(s, None)); show(main_line(f.lower(held, held)), f(held, held)[:2]); attempt(lambda: jax.jit(lambda x, y: lax.mul(x, held), in_shardings=(s,)).lower(held, held))
# C7 donated beside them
s = jax.device_put(held, jax.devices()[0]); f = jax.jit(lambda x: lax.add(lax.neg(x), s), donate_argnums=0); x = jax.device_put(held, jax.devices()[0]); show(f(x).committed, x.is_deleted(), s.is_deleted(), main_line(f.lower(held)))
# C7 device_put inside
show(str(jax.make_jaxpr(lambda x: lax.mul(x, jax.device_put(held)))(held)), jax.jit(lambda x: lax.sin(jax.device_put(x)) + jax.device_put(held))(held)[:2])
# C7 device_put of a constant to a device
d = jax.devices()[0]; f = lambda x: lax.add(x, jax.device_put(held, d)); attempt(lambda: jax.jit(f)(held).committed); attempt(lambda: lax.cos(jax.device_put(held, d)).committed); attempt(lambda: jax.jit(lambda x: lax.neg(x))(held).committed)
# C7 the default device
with jax.default_device(jax.devices()[0]): c = jnp.ones(20); show(c.committed, jax.jit(lambda x: lax.sub(x, c))(held).committed, jax.jit(lambda: lax.mul(held, c))().committed, lax.exp(c).sharding)
# C7 shards of a result
c = jax.device_put(held, jax.devices()[0]); y = jax.jit(lambda x: lax.max(lax.neg(x), c))(held); show(len(y.addressable_shards), y.addressable_shards[0].index, y.is_fully_replicated, y.devices() == c.devices(), y.addressable_shards[0].data.shape)
# C7 constants of nested functions
c = jax.device_put(held, jax.devices()[0]); g = jax.jit(lambda x: lax.mul(x, c)); show(jax.jit(lambda x: lax.sin(g(x)))(held).committed, g(held).committed, jax.vmap(g)(np.ones((2, 20), np.float32)).committed, jax.grad(lambda x: lax.reduce_sum(g(x), axes=(0,)))(held).committed)
# C7 constants of loops
c = jax.device_put(held, jax.devices()[0]); show(jax.jit(lambda x: lax.scan(lambda s, a: (lax.add(s, c), None), x, None, length=2)[0])(held).committed, lax.fori_loop(0, 2, lambda i, s: lax.mul(s, c), held).committed, lax.cond(True, lambda x: lax.sub(x, c), lambda x: x, held).committed)
# C7 the older way
c = jax.device_put(held, jax.devices()[0])
with contextlib.ExitStack() as st:
    before = jax.config.jax_use_simplified_jaxpr_constants; jax.config.update("jax_use_simplified_jaxpr_constants", False); st.callback(lambda: jax.config.update("jax_use_simplified_jaxpr_constants", before))
    f = jax.jit(lambda x: lax.mul(lax.sin(x), c)); show(f(held).committed, f(held)[:2], main_line(f.lower(held)), main_line(jax.jit(lambda: lax.neg(c)).lower()))
# C7 keys
k = jax.device_put(jax.random.key(0), jax.devices()[0]); f = jax.jit(lambda x: lax.mul(x, jax.random.uniform(k))); show(f(1.0).committed, f(1.0), str(jax.typeof(k)), main_line(jax.jit(lambda x: (lax.abs(x), jax.random.key_data(jax.random.split(k, 8)))).lower(1.0)))
# C7 a layout of its own
c = jax.device_put(held.reshape(4, 5), jax.devices()[0]); f = jax.jit(lambda x: lax.transpose(lax.add(x, c), (1, 0))); show(f.lower(held.reshape(4, 5)).compile().output_formats, c.format, f(held.reshape(4, 5)).format)
"""

PROGRAMS = [
    *(p for text in (CAPTURED, ARGUMENTS, LOWERED, CALLED, WARNED, PLACED) for p in scripts(text)),
    *scripts(OLDER, jax_use_simplified_jaxpr_constants=False),
]
