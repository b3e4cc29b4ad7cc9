"""Looking into running programs, calls of Python, checks for NaN and infinity, labels, and the words of errors."""

from __future__ import annotations

from tests.differential.scripts import scripts

PRINTED = """
# D1 print
with printed(): jax.debug.print("a {} b {y}", lax.sin(1.0), y=i4); jax.debug.print("plain"); jax.debug.print("{{x}} {0} {0}", lax.neg(2)); jax.debug.print("{:.3f} {:>5}", lax.cos(0.5), 3)
# D1 print under jit
f = jax.jit(lambda x: (jax.debug.print("x = {x} {k}", x=x, k="label"), jax.debug.print("{}", lax.mul(x, x)), lax.exp(x))[2])
with printed(): f(2.0); f(3.0); f(f4)
# D1 print of trees and scalars
with printed(): jax.debug.print("{d} {n} {s}", d={"a": f4, "b": (1, None)}, n=None, s="text"); jax.jit(lambda d: jax.debug.print("{}", d))({"a": f4, "b": [i4, lax.abs(-1.0)]}); jax.debug.print("{0[a]}", {"a": 1})
# D1 print of types
with printed():
    for x in (1, 1.5, True, 1 + 2j, np.float16(1.5), jnp.bfloat16(2.5), np.uint8(7), np.arange(3), np.ones((2, 0)), jnp.ones(2, "int4")): jax.debug.print("{}", x); jax.jit(lambda y: jax.debug.print("{!r}", y))(x)
# D1 formats that do not fit
attempt(lambda: jax.debug.print("{} {}", lax.neg(1))); attempt(lambda: jax.debug.print("{x}", 1)); attempt(lambda: jax.debug.print("{", 1)); attempt(lambda: jax.debug.print("none", 1)); attempt(lambda: jax.debug.print("{}", 1, y=2)); attempt(lambda: jax.debug.print(3));
try: jax.jit(lambda x: jax.debug.print("{:d}", lax.sin(x)))(1.0); jax.effects_barrier()
except Exception as e: show(type(e).__name__, str(e).strip().splitlines()[-1])
# D1 ordered
with printed(): jax.jit(lambda x: [jax.debug.print("{} {}", k, lax.mul(x, np.float32(k)), ordered=True) for k in range(4)] and None)(2.0)
# D1 in loops
with printed():
    jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, c: (jax.debug.print("i {} c {}", i, c, ordered=True), lax.add(c, c))[1], x))(1.0)
    jax.jit(lambda x: lax.scan(lambda c, a: (jax.debug.print("a {}", a, ordered=True), (lax.add(c, a), lax.neg(c)))[1], 0.0, x))(np.arange(3, dtype=np.float32))
# D1 in branches
with printed():
    f = jax.jit(lambda x: lax.cond(x > 0, lambda y: (jax.debug.print("positive {}", y), lax.sin(y))[1], lambda y: (jax.debug.print("not positive"), lax.cos(y))[1], x)); f(1.0); f(-1.0)
# D1 under vmap and grad
with printed():
    jax.vmap(lambda x: jax.debug.print("{}", lax.sin(x)))(np.zeros(2, np.float32)); jax.grad(lambda x: (jax.debug.print("{}", x), lax.mul(x, x))[1])(3.0)
    jax.vmap(lambda x, y: jax.debug.print("{} {}", x, y), in_axes=(0, None))(np.arange(2), 5); jax.vmap(jax.grad(lambda x: (jax.debug.print("g {}", x), lax.exp(x))[1]))(np.zeros(2, np.float32))
# D1 debug.callback
out = []
f = lambda x: (jax.debug.callback(lambda v, k: out.append((type(v).__name__, v.shape, str(v), k)), lax.sin(x), k="static") if 0 else jax.debug.callback(lambda v: out.append((v.shape, str(v))), lax.add(x, 1.0)), lax.cos(x))[1]
jax.jit(f)(0.0); f(np.zeros(2, np.float32)); jax.vmap(f)(np.zeros(2, np.float32)); jax.effects_barrier(); show(out)
# D1 debug.callback with keywords
out = []
jax.jit(lambda x: jax.debug.callback(lambda a, *, b, c: out.append((float(a), float(b["k"]), c is None)), lax.neg(x), b={"k": lax.exp(x)}, c=None))(0.0); jax.effects_barrier(); show(out); attempt(lambda: jax.debug.callback(3, 1.0)); attempt(lambda: jax.debug.callback(lambda: 1, ordered=3) if 0 else "skipped")
# D1 a debug.callback that raises
def bad(x): raise ValueError("from the host")
for kw in ({}, dict(ordered=True)):
    try: jax.jit(lambda x: (jax.debug.callback(bad, lax.sin(x), **kw), lax.cos(x))[1])(1.0).block_until_ready(); jax.effects_barrier()
    except Exception as e: show(type(e).__name__, "ValueError: from the host" in str(e))
    try: jax.effects_barrier()
    except Exception as e: show("later", type(e).__name__)
# D1 pure_callback
host = lambda x: np.sin(x) * 2
f = lambda x: jax.pure_callback(host, SDS(x.shape, x.dtype), lax.neg(x))
show(f(jnp.ones(3)), jax.jit(f)(f4), str(jax.make_jaxpr(lambda x: jax.pure_callback(np.sin, SDS((), "f4"), lax.cos(x)))(1.0)).count("pure_callback")); attempt(lambda: jax.vmap(f)(f4)); attempt(lambda: jax.grad(lambda x: f(x))(jnp.float32(1))); attempt(lambda: jax.jvp(f, (jnp.ones(2),), (jnp.ones(2),)))
# D1 pure_callback and vmap_method
shapes = []
def host(x, y): shapes.append((np.shape(x), np.shape(y))); return np.asarray(x + y, np.float32)
for m in ("sequential", "expand_dims", "broadcast_all", "legacy_vectorized", "sequential_unrolled", "other", 3, None):
    shapes.clear(); attempt(lambda: jax.vmap(lambda x: jax.pure_callback(host, SDS((), "f4"), lax.mul(x, 2.0), np.float32(1), vmap_method=m))(np.arange(3, dtype=np.float32))); show(shapes)
# D1 results of callbacks that are not as said
for host, spec in ((lambda x: np.ones(3, np.float32), SDS((), "f4")), (lambda x: np.float64(1), SDS((), "f4")), (lambda x: np.int32(1), SDS((), "f4")), (lambda x: (x, x), SDS((), "f4")), (lambda x: None, SDS((), "f4")), (lambda x: x, (SDS((), "f4"), SDS((), "f4"))), (lambda x: [x], {"a": SDS((), "f4")})):
    for g in (jax.pure_callback, experimental.io_callback):
        try: show(jax.jit(lambda x: g(host, spec, lax.sin(x)))(1.0))
        except Exception as e: show(type(e).__name__, *[l for l in str(e).splitlines() if "Expected" in l or "ncorrect" in l or "mismatch" in l.lower()])
# D1 types of results that are none
attempt(lambda: jax.pure_callback(np.sin, "f4", lax.neg(1.0))); attempt(lambda: jax.pure_callback(np.sin, (2, 3), 1.0)); attempt(lambda: jax.pure_callback(np.sin, None, lax.exp(1.0))); attempt(lambda: jax.pure_callback(np.sin, jnp.ones(()), lax.abs(1.0)))
with jax.enable_x64(False): attempt(lambda: jax.pure_callback(lambda x: np.float64(x), SDS((), np.float64), 1.0))
# D1 io_callback
out = []
def host(x): out.append(float(np.sum(x))); return np.float32(len(out))
f = lambda x: experimental.io_callback(host, SDS((), "f4"), lax.mul(x, x))
show(f(2.0), jax.jit(f)(3.0), jax.jit(lambda x: experimental.io_callback(host, SDS((), "f4"), x, ordered=True) + experimental.io_callback(host, SDS((), "f4"), lax.neg(x), ordered=True))(1.0), out); attempt(lambda: jax.vmap(f)(f4)); attempt(lambda: jax.vmap(lambda x: experimental.io_callback(host, SDS((), "f4"), x, ordered=True))(f4)); attempt(lambda: jax.grad(f)(1.0))
# D1 callbacks that raise
def bad(x): raise KeyError("host")
for g in (jax.pure_callback, experimental.io_callback):
    for call in (lambda f: f(1.0), lambda f: jax.jit(f)(1.0).block_until_ready()):
        try: call(lambda x: g(bad, SDS((), "f4"), lax.sin(x)))
        except Exception as e: show(type(e).__name__, "KeyError: 'host'" in str(e), "bad" in str(e))
# D1 callbacks of several arrays
f = jax.jit(lambda d: jax.pure_callback(lambda e: {"s": e["a"] + e["b"], "t": (e["a"], np.int32(3))}, {"s": SDS((2,), "f4"), "t": (SDS((2,), "f4"), SDS((), "i4"))}, d)); show(f({"a": np.ones(2, np.float32), "b": np.arange(2, dtype=np.float32)})); show(jax.jit(lambda: jax.pure_callback(lambda: np.float32(5), SDS((), "f4")))(), jax.jit(lambda x: jax.pure_callback(lambda y: (), (), lax.neg(x)))(1.0))
# D1 what a callback gets
seen = []
jax.jit(lambda x: jax.pure_callback(lambda *a: (seen.append([(type(v).__name__ in ("ndarray", "ArrayImpl"), str(v.dtype), v.shape) for v in a]), np.float32(0))[1], SDS((), "f4"), lax.neg(x), lax.gt(x, 0.0), lax.convert_element_type(x, np.int8), lax.broadcast(x, (2, 2))))(1.0); show(seen)
# D1 debug_nans
with jax.debug_nans(True):
    show(lax.log(1.0)); attempt(lambda: lax.log(-1.0)); attempt(lambda: jnp.divide(0.0, 0.0)); attempt(lambda: jax.jit(lambda x: lax.sqrt(lax.neg(x)))(1.0)); attempt(lambda: jax.jit(lambda x: lax.sin(x))(np.nan)); attempt(lambda: lax.div(1.0, 0.0))
show(lax.log(-1.0))
# D1 debug_nans inside
with jax.debug_nans(True):
    attempt(lambda: jax.grad(lambda x: lax.sqrt(x))(0.0)); attempt(lambda: jax.grad(lambda x: lax.mul(lax.sqrt(x), 0.0))(0.0)); attempt(lambda: jax.jit(lambda x: lax.select(x > 0, lax.log(x), x))(-1.0)); attempt(lambda: jax.vmap(lambda x: lax.log(x))(np.array([1.0, -1.0], np.float32))); attempt(lambda: jax.jit(lambda x: lax.scan(lambda c, a: (lax.log(c), a), x, None, length=3))(2.0)[0]); attempt(lambda: jax.jit(lambda x: {"a": x, "b": lax.asin(x)})(2.0))
# D1 debug_infs
with jax.debug_infs(True):
    attempt(lambda: lax.div(1.0, 0.0)); attempt(lambda: lax.log(0.0)); attempt(lambda: jax.jit(lambda x: lax.exp(x))(1000.0)); attempt(lambda: lax.log(-1.0)); attempt(lambda: lax.neg(np.inf)); attempt(lambda: jax.jit(lambda x: (x, lax.rsqrt(x)))(0.0))
with jax.debug_infs(True), jax.debug_nans(True): attempt(lambda: lax.sub(np.float32(np.inf), np.float32(np.inf)))
# D1 debug_nans and other types
with jax.debug_nans(True): attempt(lambda: lax.log(np.float16(-1))); attempt(lambda: lax.log(jnp.bfloat16(-1))); attempt(lambda: lax.log(np.complex64(np.nan))); show(lax.neg(1), lax.bitwise_not(True)); attempt(lambda: jax.device_put(np.nan))
"""

LABELS = """
# D2 scopes in a jaxpr
def f(x):
    with jax.named_scope("first"): x = lax.sin(x)
    with jax.named_scope("second"): return lax.cos(x)
show(jax.make_jaxpr(f)(f4).pretty_print(name_stack=True), jax.make_jaxpr(f)(f4).pretty_print(name_stack=True, source_info=True))
# D2 nested scopes
def f(x):
    with jax.named_scope("net"):
        for k in range(2):
            with jax.named_scope(f"layer{k}"): x = lax.tanh(lax.mul(x, x))
    return lax.neg(x)
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(f)(f4).eqns])
# D2 labels in the compiled program
def f(x):
    with jax.named_scope("attention"): y = lax.dot(x, x)
    with jax.named_scope("mlp"): return lax.tanh(lax.add(y, 1.0))
names = lambda c: sorted(set(re.findall(r'op_name="([^"]*)"', c.as_text()))); show(names(jax.jit(f).lower(f22).compile()))
# D2 labels of derivatives in the compiled program
def f(x):
    with jax.named_scope("block"): return lax.reduce_sum(lax.sin(lax.mul(x, x)), axes=(0,))
names = lambda c: sorted(set(re.findall(r'op_name="([^"]*)"', c.as_text()))); show(names(jax.jit(jax.grad(f)).lower(f4).compile()), names(jax.jit(jax.vmap(lambda x: jax.named_call(lax.cos, name="block")(x))).lower(f22).compile()), [str(e.source_info.name_stack) for e in jax.make_jaxpr(jax.value_and_grad(f))(f4).eqns])
# D2 labels in StableHLO
def f(x):
    with jax.named_scope("a"):
        with jax.named_scope("b"): return lax.exp(lax.neg(x))
text = jax.jit(f).lower(f4).as_text(debug_info=True); show(sorted(re.findall(r'"(jit[^"]*a/b[^"]*)"', text)), "a/b" in jax.jit(f).lower(f4).as_text())
# D2 named_call
f = jax.named_call(lambda x: lax.sin(x) * lax.cos(x), name="wave")
show(jax.make_jaxpr(f)(1.0).pretty_print(name_stack=True), f(0.5), jax.grad(f)(0.5), [str(e.source_info.name_stack) for e in jax.make_jaxpr(jax.grad(f))(1.0).eqns], sorted(set(re.findall(r'op_name="([^"]*)"', jax.jit(f).lower(1.0).compile().as_text()))))
# D2 named_call as decorator
@functools.partial(jax.named_call, name="dense")
def f(x, *, k=2.0): return lax.mul(lax.abs(x), k)
@jax.named_call
def g(x): return lax.tan(f(x, k=3.0))
show(jax.make_jaxpr(g)(1.0).pretty_print(name_stack=True), f.__name__, g.__name__, g(1.0))
# D2 names of functions
def step(x): return lax.sin(x)
class Net:
    def __call__(self, x): return lax.cos(x)
    def fwd(self, x): return lax.exp(x)
for f in (step, lambda x: lax.neg(x), Net(), Net().fwd, functools.partial(step)): c = jax.jit(f).lower(1.0); show(c.as_text().splitlines()[0], sorted(set(re.findall(r'op_name="(jit[^"]*)"', c.compile().as_text()))))
# D2 nested functions
inner = jax.jit(lambda x: lax.log(x)); inner2 = jax.jit(step := (lambda x: lax.exp(x)))
def f(x): return lax.sin(inner(inner2(x)))
show(sorted(set(re.findall(r'op_name="([^"]*)"', jax.jit(f).lower(f4).compile().as_text()))), [e.params["name"] for e in jax.make_jaxpr(f)(f4).eqns if e.primitive.name == "jit"])
# D2 loops
def f(x):
    with jax.named_scope("loop"): return lax.fori_loop(0, 3, lambda i, c: lax.sin(c), x)
show(jax.make_jaxpr(f)(1.0).pretty_print(name_stack=True)); show([n.startswith("jit(f)/loop/while/body/") and n.endswith("/sin") for n in sorted(set(re.findall(r'op_name="([^"]*)"', jax.jit(f).lower(f4).compile().as_text()))) if "sin" in n])
# D2 branches
def f(x):
    with jax.named_scope("choice"): return lax.cond(x > 0, lambda y: lax.sin(y), lambda y: lax.cos(y), x)
show(jax.make_jaxpr(f)(1.0).pretty_print(name_stack=True)); show([n for n in sorted(set(re.findall(r'op_name="([^"]*)"', jax.jit(f).lower(1.0).compile().as_text()))) if "sin" in n or "cos" in n])
# D2 names that are no strings
for n in (3, None, b"a", ["x"]):
    def f(x):
        with jax.named_scope(n): return lax.sin(x)
    attempt(lambda: jax.make_jaxpr(f)(1.0).pretty_print(name_stack=True))
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(lambda x: lax.cos(lax.neg(x)))(1.0).eqns])
# D2 a scope that is left by an error
def f(x):
    try:
        with jax.named_scope("left"): lax.sin(x); raise KeyError
    except KeyError: pass
    return lax.cos(lax.neg(x))
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(f)(1.0).eqns])
# D2 a scope around a transformation
def f(x):
    with jax.named_scope("outer"): return jax.grad(lambda y: lax.mul(lax.sin(y), y))(x)
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(f)(1.0).eqns], [str(e.source_info.name_stack) for e in jax.make_jaxpr(jax.vmap(f))(f4).eqns])
# D2 a scope outside of a trace
with jax.named_scope("outside"): show([str(e.source_info.name_stack) for e in jax.make_jaxpr(lambda x: lax.sin(lax.exp(x)))(1.0).eqns], lax.neg(1.0), [str(e.source_info.name_stack) for e in jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.tan(y))(x))(1.0).eqns[0].params["jaxpr"].eqns])
# D2 the same scope twice
def f(x):
    with jax.named_scope("s"), jax.named_scope("s"): x = lax.sin(x)
    with jax.named_scope("s"): return lax.cos(lax.neg(x))
show([str(e.source_info.name_stack) for e in jax.make_jaxpr(f)(1.0).eqns])
"""

ERRORS = """
# D3 shapes that do not fit
for g in (lambda: lax.add(f4, f22), lambda: jnp.add(np.ones(3), np.ones(4)), lambda: lax.dot(f22, f4), lambda: jnp.matmul(np.ones((2, 3)), np.ones((2, 3))), lambda: lax.concatenate([f4, f22], 0), lambda: jnp.reshape(f4, (3,)), lambda: lax.broadcast_in_dim(f4, (2, 3), (1,)), lambda: lax.select(f4 > 0, f4, f22), lambda: jnp.stack([f4, f22]), lambda: jnp.reshape(f4, (3, -1)), lambda: lax.while_loop(lambda c: c[0] > 0, lambda c: c[:2], f4)): attempt(g)
# D3 axes that do not exist
for g in (lambda: lax.reduce_sum(f4, axes=(1,)), lambda: jnp.sum(f4, axis=2), lambda: lax.transpose(f22, (0, 0)), lambda: lax.squeeze(f4, (0,)), lambda: lax.rev(f4, (1,)), lambda: lax.concatenate([f4], 1), lambda: jnp.concatenate([f4, f4], axis=3), lambda: lax.cumsum(f4, 1), lambda: lax.sort(f4, dimension=1), lambda: lax.argmax(f4, 1, np.int32), lambda: jnp.expand_dims(f4, 5), lambda: lax.expand_dims(f4, (3,)), lambda: jnp.flip(f4, 1)): attempt(g)
# D3 types that do not fit
for g in (lambda: lax.add(f4, i4), lambda: lax.sin(i4), lambda: lax.bitwise_and(f4, f4), lambda: lax.neg(f4 > 0), lambda: lax.dot(f4, i4), lambda: lax.select(f4, f4, f4), lambda: lax.clamp(i4, f4, f4), lambda: lax.convert_element_type(f4, "complex"), lambda: lax.iota("bool", 3), lambda: lax.integer_pow(f4, 1.5), lambda: lax.pow(i4, f4), lambda: lax.top_k(np.ones(2, np.complex64), 1), lambda: lax.erf(i4)): attempt(g)
# D3 what is no array
for g in (lambda: lax.sin("a"), lambda: lax.add([1], 2), lambda: jnp.sin([1.0]), lambda: jnp.add(None, 1), lambda: jnp.sum("abc"), lambda: lax.neg(None), lambda: jnp.asarray(object()), lambda: jnp.zeros("a"), lambda: jnp.ones((2, "b")), lambda: jnp.array([[1], [1, 2]]), lambda: jnp.dot({}, 1), lambda: lax.exp(lax), lambda: jnp.max(())): attempt(g)
# D3 grad of what has no gradient
for g, x in ((lambda x: lax.sin(x), f4), (lambda x: x, 1), (lambda x: lax.floor(x) > 0, 1.0), (lambda x: None, 1.0), (lambda x: "a", 1.0), (lambda x: lax.complex(x, x), 1.0), (lambda x: x, True), (lambda x: x, 1j), (lambda x: x, "a"), (lambda x: lax.convert_element_type(x, np.int32), 1.0)): attempt(jax.grad(g), x)
attempt(lambda: jax.grad(3)); attempt(lambda: jax.grad(lambda x: x, argnums=2)(1.0)); attempt(lambda: jax.grad(lambda x, y: lax.mul(x, y), argnums=(0, 1, 2))(1.0, 2.0)); attempt(lambda: jax.value_and_grad(lambda x: (x, x, x), has_aux=True)(1.0))
# D3 vmap over what is not there
for f, a, kw in ((lambda x: lax.neg(x), (1.0,), {}), (lambda x: x, (f4,), dict(in_axes=1)), (lambda x, y: lax.add(x, y), (f4, f4[:3]), {}), (lambda x: x, (f4,), dict(in_axes=None)), (lambda x: x, (f4,), dict(out_axes=2)), (lambda x: x, (f4,), dict(in_axes=(0, 0))), (lambda x: x, (), {}), (lambda x: lax.sin(x), (f4,), dict(axis_size=3)), (lambda x: 1.0, (f4,), dict(out_axes=None)), (lambda x: x, (f4,), dict(out_axes=None)), (lambda x: x, ("a",), {})): attempt(lambda: jax.vmap(f, **kw)(*a))
# D3 carries that change
for g in (lambda: lax.scan(lambda c, x: (lax.convert_element_type(c, np.int32), x), 0.0, f4), lambda: lax.scan(lambda c, x: ((c, c), x), 0.0, f4), lambda: lax.scan(lambda c, x: c, 0.0, f4), lambda: lax.scan(lambda c, x: (c, x), 0.0, None), lambda: lax.scan(lambda c, x: (c, x), 0.0, (f4, f4[:3])), lambda: lax.scan(lambda c, x: (c, x), 0.0, f4, length=3), lambda: lax.while_loop(lambda c: c, lambda c: lax.neg(c), 1.0), lambda: lax.while_loop(lambda c: (c < 1, c), lambda c: c, 1.0), lambda: lax.fori_loop(0, 3, lambda i, c: (c, c), 1.0), lambda: lax.fori_loop(0, 1.5, lambda i, c: lax.sin(c), 1.0), lambda: lax.fori_loop(0, 3, lambda c: c, 1.0)): attempt(g)
# D3 branches that differ
for g in (lambda: lax.cond(True, lambda x: lax.sin(x), lambda x: lax.convert_element_type(x, np.int32), 1.0), lambda: lax.cond(True, lambda x: (x,), lambda x: x, 1.0), lambda: lax.cond(1.5, lax.sin, lax.cos, 1.0), lambda: lax.cond(f4, lax.sin, lax.cos, 1.0), lambda: lax.cond("a", lax.sin, lax.cos, 1.0), lambda: lax.cond(True, 1, 2), lambda: lax.switch(0, [], 1.0), lambda: lax.switch(1.0, [lax.sin], 1.0), lambda: lax.switch(0, [lambda x: x, lambda x: lax.broadcast(x, (2,))], 1.0), lambda: lax.cond(True, lax.neg, lambda x, y: x, 1.0)): attempt(g)
# D3 indices
x = jnp.arange(4.0)
for g in (lambda: x["a"], lambda: x[1.5], lambda: x[0, 0], lambda: x[[0, 1]], lambda: x[(None,) * 2 + (0, 1)], lambda: x[jnp.array([0.5])], lambda: x[{}], lambda: x[::0], lambda: x[jnp.array([True, False])], lambda: x[10], lambda: x[..., ...], lambda: lax.dynamic_slice(x, (0,), (9,)), lambda: lax.index_in_dim(x, 9), lambda: x.at[0], lambda: x.at[0].foo(1)):
    try: show(g() if "_IndexUpdateRef" not in repr(g()) else "ref")
    except Exception as e: show(type(e).__name__, str(e))
# D3 errors inside of errors
def inner(x): return lax.add(x, f22)
def outer(x): return jax.jit(inner)(lax.sin(x))
for f in (outer, jax.jit(outer), jax.vmap(outer), jax.grad(lambda x: lax.reduce_sum(outer(x), axes=(0, 1)))): attempt(f, f4)
# D3 frames of an error
import traceback
def inner(x): return lax.add(lax.sin(x), f22)
def outer(x): return inner(x)
for f in (lambda: outer(f4), lambda: jax.jit(outer)(f4), lambda: jax.jit(jax.vmap(outer))(f22), lambda: jax.grad(lambda x: outer(x).sum())(f4), lambda: lax.scan(lambda c, x: (outer(x), x), 0.0, f22)):
    try: f()
    except Exception as e: show([fr.name for fr in traceback.extract_tb(e.__traceback__) if "ipython" in fr.filename], type(e).__name__)
# D3 how tracebacks are shortened
for how in ("auto", "tracebackhide", "off"):
    jax.config.update("jax_traceback_filtering", how)
    try: jax.jit(lambda x: lax.add(x, lax.neg(f22)))(f4)
    except Exception as e: show(how, str(e), len(getattr(e, "__notes__", [])) if how == "off" else "")
jax.config.update("jax_traceback_filtering", "auto")
# D3 options that do not exist
for g in (lambda: jax.config.update("jax_foo", 1), lambda: jax.config.update("jax_enable_x64", "maybe") if 0 else jax.config.jax_foo, lambda: jax.config.update("jax_numpy_rank_promotion", "sometimes"), lambda: jax.default_matmul_precision("fast").__enter__(), lambda: lax.dot(f4, f4, precision="lots"), lambda: lax.sin(f4, accuracy=3), lambda: jax.devices("nope"), lambda: jax.device_put(lax.neg(f4), "cpu"), lambda: jax.jit(lax.sin, foo=1)): attempt(g)
# D3 wrong calls
for g in (lambda: lax.sin(), lambda: lax.add(1.0), lambda: jnp.sum(), lambda: lax.scan(lambda c, x: (c, x)), lambda: lax.cond(True), lambda: jax.vmap(), lambda: jax.grad(lambda: 1.0)(), lambda: jax.jvp(lax.sin, 1.0, 1.0), lambda: jax.jvp(lax.sin, (1.0,), (1,)), lambda: jax.jvp(lax.sin, (1.0, 2.0), (1.0,)), lambda: jax.vjp(3, 1.0), lambda: jax.vjp(lax.cos, 1.0)[1](f4), lambda: jax.vjp(lambda x: lax.exp(x), 1.0)[1]((1.0, 2.0)), lambda: jax.linearize(lax.sin, 1.0)[1](f4)):
    try: show(g())
    except Exception as e: show(type(e).__name__, str(e) if "positional argument" not in str(e) else "")
# D3 deleted arrays
x = jax.device_put(f4); x.delete()
for g in (lambda: x + 1, lambda: lax.sin(x), lambda: np.asarray(x), lambda: repr(x), lambda: jax.jit(lambda y: lax.neg(y))(x), lambda: x.block_until_ready(), lambda: jax.device_get(x), lambda: x[0], lambda: jax.make_jaxpr(lax.cos)(x) and "traced", lambda: x.shape): attempt(g)
# D3 rules that are missing or wrong
@jax.custom_jvp
def f(x): return lax.sin(x)
attempt(f, 1.0); attempt(jax.grad(f), 1.0); f.defjvp(lambda p, t: lax.cos(p[0])); attempt(jax.grad(f), 1.0); f.defjvp(lambda p, t: (f(*p), f4)); attempt(jax.grad(f), 1.0)
@jax.custom_vjp
def g(x): return lax.exp(x)
attempt(g, 1.0); attempt(jax.grad(g), 1.0); g.defvjp(lambda x: lax.exp(x), lambda r, ct: (ct,)); attempt(jax.grad(g), 1.0); g.defvjp(lambda x: (lax.exp(x), x), lambda r, ct: ct); attempt(jax.grad(g), 1.0); g.defvjp(lambda x: (lax.exp(x), x), lambda r, ct: (ct, ct)); attempt(jax.grad(g), 1.0); g.defvjp(lambda x: (lax.exp(x), x), lambda r, ct: (f4,)); attempt(jax.grad(g), 1.0)
"""

LAID_OUT = """
# D1 where an array lies
for shape in ((8,), (2,), (8, 8), (3, 10), (10, 3), (7, 9), (1, 5), (5, 1)):
    for scale in (0.1, 0.5, 1.0, 1.3):
        with printed(): jax.debug.visualize_array_sharding(jnp.ones(shape), scale=scale)
# D1 pictures of other widths and without colours
for kw in (dict(min_width=3), dict(min_width=20), dict(max_width=6), dict(max_width=12, scale=2.0), dict(use_color=False), dict(color_map=lambda v: (v, 1.0, 0.5))):
    with printed(): jax.debug.visualize_array_sharding(jnp.ones((4, 8)), **kw)
# D1 pictures of what cannot be drawn
for x in (jnp.float32(1), jnp.ones((2, 2, 2))): attempt(jax.debug.visualize_array_sharding, x)
attempt(lambda: jax.debug.visualize_array_sharding(jnp.ones((0, 3)))); attempt(lambda: jax.debug.visualize_sharding((4,), 3)); attempt(lambda: jax.debug.visualize_array_sharding(jnp.ones(3), foo=1))
# D1 a picture while a program is lowered
@jax.jit
def f(x):
    jax.debug.visualize_array_sharding(lax.sin(x)); return lax.neg(x)
with printed(): f(f22)
with printed(): f(f22)
show(f.lower(f22).as_text())
# D1 shardings that are looked at
look = lambda x: jax.debug.inspect_array_sharding(x, callback=lambda s: show(s, s.device_set, s.memory_kind))
look(jnp.ones(3)); look({"a": jnp.ones(3), "b": [jnp.ones((2, 2))]}); jax.jit(lambda x: look(lax.exp(x)))(f4); jax.vmap(look)(jnp.ones((2, 3))); jax.grad(lambda x: (look(x), jnp.sum(lax.sin(x)))[1])(jnp.ones(3))
jax.jit(jax.grad(lambda x: (look(x), jnp.sum(x * x))[1]))(f4); lax.scan(lambda c, x: (look(c), (c + x, x))[1], 0.0, f4)
show(str(jax.make_jaxpr(lambda x: jax.debug.inspect_array_sharding(lax.cos(x), callback=print))(f4)))
"""

RECEIVED = """
# J8 what callbacks are given
seen = []
def note(*args, **kwargs):
    for v in jax.tree_util.tree_leaves((args, kwargs)): seen.append((type(v).__name__, getattr(v, "dtype", None), np.shape(v), getattr(v, "weak_type", None), getattr(v, "committed", None)))
    return np.zeros(size, np.float32)
def told(f, *args):
    seen.clear(); out = f(*args); jax.effects_barrier(); show(seen, [type(v).__name__ for v in jax.tree_util.tree_leaves(out)])
size = (7,)
def pure(x): return jax.pure_callback(note, SDS(size, np.float32), x, k=x)
def io(x): return experimental.io_callback(note, SDS(size, np.float32), x)
def in_order(x): return experimental.io_callback(note, SDS(size, np.float32), x, ordered=True)
def debug(x): jax.debug.callback(note, x, "text", n=x); return x
def debug_in_order(x): jax.debug.callback(note, {"a": x}, ordered=True); return x
for f in (pure, io, in_order, debug, debug_in_order):
    for x in (np.ones(7, np.float32), jnp.ones(7), 1.5, 3, True, np.float32(2), jnp.ones(7, jnp.bfloat16), jax.random.key(0)): told(f, x); told(jax.jit(f), x)
told(jax.vmap(io), jnp.ones((2, 7))); told(jax.jit(jax.vmap(io)), jnp.ones((2, 7))); told(jax.vmap(debug), jnp.ones((2, 7)))
told(jax.grad(lambda x: jnp.sum(debug(x) * x)), jnp.ones(7)); told(lambda: lax.scan(lambda c, x: (c, pure(x)), 0.0, jnp.ones((2, 7))))
# J8 what mapped callbacks are given
seen = []
def note(*args): seen.append([(type(v).__name__, v.shape, v.committed) for v in args]); return np.zeros(size, np.float32)
for method in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"):
    size = (7,) if "seq" in method else (2, 7)
    f = jax.vmap(lambda x, y: jax.pure_callback(note, SDS((7,), np.float32), x, y, vmap_method=method), (0, None))
    for g in (f, jax.jit(f)): seen.clear(); g(jnp.ones((2, 7)), np.float32(1)); show(seen)
"""

PROGRAMS = [p for text in (PRINTED, LABELS, ERRORS, LAID_OUT, RECEIVED) for p in scripts(text)]
