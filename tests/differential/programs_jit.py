"""``jit``: its options, its cache, donation, dispatch and the switches around it."""

from __future__ import annotations

from tests.differential.scripts import scripts

OPTIONS = """
# J1 static by number
f = jax.jit(lambda x, n: x * n, static_argnums=1)
show(main_line(f.lower(f4, 3))); attempt(f, f4, 3)
# J1 static by name
f = jax.jit(lambda x, n: x * n, static_argnames="n")
show(main_line(f.lower(f4, n=3)), main_line(f.lower(f4, 3)))
# J1 names are inferred from numbers
f = jax.jit(lambda x, n, m=1: lax.sin(x) * n + m, static_argnums=(1, 2))
show(main_line(f.lower(f4, n=3, m=2)), main_line(f.lower(f4, 3, 2)))
# J1 a negative number
attempt(lambda: main_line(jax.jit(lambda x, n: x * n, static_argnums=-1).lower(f4, 3)))
attempt(lambda: main_line(jax.jit(lambda *a: a[0] * a[-1], static_argnums=-1).lower(f4, 3)))
# J1 numbers that do not exist
for k in (2, -3, (0, 5), 1.5, "x"):
    attempt(lambda: jax.jit(lambda x, y: x, static_argnums=k))
    attempt(lambda: jax.jit(lambda x, y: x, donate_argnums=k))
# J1 names that do not exist
def f(x, /, y, *, z): return lax.cos(x)
for k in ("q", ["x"], ["y", 3], "z"):
    attempt(lambda: bool(jax.jit(f, static_argnames=k)))
    attempt(lambda: bool(jax.jit(f, donate_argnames=k)))
# J1 static and donated
def f(a, b, c): return lax.neg(a)
for kw in (dict(static_argnums=0, donate_argnums=0), dict(static_argnames="b", donate_argnums=1),
           dict(static_argnums=1, donate_argnames="b"), dict(static_argnums=0, donate_argnums=2)):
    attempt(lambda: jax.jit(f, **kw).trace(1, f4, f4).donate_argnums)
# J1 numbers as NumPy and ranges
for k in (np.int64(1), range(1, 2), {1}, np.array([1])):
    attempt(lambda: main_line(jax.jit(lambda x, n: lax.exp(x) * n, static_argnums=k).lower(f4, 3)))
# J1 decorator and factory
@jax.jit(static_argnames=["n"])
def f(x, n): return x + n
attempt(f, f4, n=2); attempt(lambda: jax.jit()(lambda x: lax.tanh(x))(f4)); attempt(lambda: jax.jit(static_argnums=0)(3))
# J1 what is not callable
for x in (3, None, "f"): attempt(lambda: jax.jit(x))
def gen(x): yield x
attempt(jax.jit, gen); attempt(lambda: jax.jit(lambda x: x, 1)); attempt(lambda: jax.jit(lambda x: x, abstracted_axes=("n",)))
# J1 keep_unused
f = lambda x, y: lax.log(y)
show(main_line(jax.jit(f).lower(f4, i4 * 1.0)), main_line(jax.jit(f, keep_unused=True).lower(f4, f4)))
# J1 device and backend warn
dev = jax.devices()[0]
with warned(): jax.jit(lambda x: x, device=dev)
with warned(): jax.jit(lambda x: x, backend="cpu")
with warned(): attempt(lambda: jax.jit(lambda x: x, device=dev, backend="cpu"))
# J1 device commits
with warned(): show(jax.jit(lambda x: lax.abs(x), device=jax.devices()[0])(f4).committed, jax.jit(lambda x: lax.abs(x))(f4).committed)
# J1 shardings that are none
for s in (3, "a", jax.devices()[0], (jax.devices()[0],)):
    attempt(lambda: jax.jit(lambda x: x, in_shardings=s)); attempt(lambda: jax.jit(lambda x: x, out_shardings=s))
show(bool(jax.jit(lambda x: x, in_shardings=None, out_shardings=None)))
# J1 inline
show(str(jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.sin(y) + lax.cos(y), inline=True)(x) * 2)(f4)))
show(jax.jit(lambda x: jax.jit(lambda y: lax.sin(y), inline=True)(x) * 2).lower(f4).as_text())
# J1 inline means nothing
attempt(lambda: bool(jax.jit(lambda x: x, inline=3)))
# J1 compiler options of a nested jit
inner = jax.jit(lambda x: lax.sin(x), compiler_options={"xla_cpu_enable_fast_math": True})
attempt(jax.jit(lambda x: inner(x) * 2), f4)
# J1 the repr and attributes
def f(x): "says so"; return x
j = jax.jit(f)
show(repr(j), j.__name__, j.__qualname__, j.__doc__, j.__wrapped__ is f)
# J1 callables without a name
class C:
    def __call__(self, x): return lax.sqrt(x)
    def m(self, x): return lax.rsqrt(x)
show(jax.jit(C()).__name__, jax.jit(C().m).__name__, jax.jit(functools.partial(C().m)).__name__)
show(jax.jit(C()).lower(f4).as_text(), jax.jit(C().m).lower(f4).as_text().splitlines()[0])
"""

CACHE = """
# J2 one trace for one signature
n = []
f = jax.jit(lambda x: (n.append(x.shape), lax.sin(x))[1])
f(f4); f(f4); f(np.ones(3, np.float32)); f(f4 * 2); show(n, f._cache_size())
# J2 one trace for one function
n = []
def g(x): n.append(1); return lax.cos(x)
jax.jit(g)(f4); jax.jit(g)(f4); jax.jit(g, keep_unused=True)(f4); show(n)
# J2 weak types are a signature of their own
seen = []
f = jax.jit(lambda x: (seen.append(str(x.aval)), x * 2)[1])
f(1.0); f(np.float32(1)); f(2.0); f(1); f(f(1.0)); show(seen)
# J2 static values are compared with their types
n = []
f = jax.jit(lambda x, k: (n.append(k), lax.exp(x) * k)[1], static_argnums=1)
f(f4, 1); f(f4, True); f(f4, 1.0); f(f4, 1); show(n)
# J2 what cannot be hashed
f = jax.jit(lambda x, k: lax.tan(x), static_argnums=1)
for k in ([1, 2], {1: 2}, np.arange(2)): attempt(f, 1.0, k)
# J2 settings are part of the signature
n = []
f = jax.jit(lambda x: (n.append(x.dtype.name), lax.sin(x) + x * x)[1])
f(1.0)
with jax.enable_x64(True): f(1.0)
f(1.0)
with jax.numpy_rank_promotion("raise"): f(1.0)
with jax.default_matmul_precision("high"): f(1.0)
f(1.0); show(n)
# J2 structures are part of the signature
n = []
f = jax.jit(lambda t: (n.append(1), jax.tree_util.tree_leaves(t)[0] * 2)[1])
f([f4, f4]); f((f4, f4)); f({"a": f4, "b": f4}); f([f4, f4]); f([f4, None, f4]); show(n)
# J2 the order of keywords is no part of it
n = []
f = jax.jit(lambda *, a, b: (n.append(1), lax.sub(a, b))[1])
f(a=f4, b=f4); f(b=f4, a=f4); show(n)
# J2 clear_cache
n = []
f = jax.jit(lambda x: (n.append(1), lax.floor(x))[1])
f(f4); f(f4); f.clear_cache(); show(f._cache_size()); f(f4); show(n)
# J2 clear_caches
n = []
f = jax.jit(lambda x: (n.append(1), lax.ceil(x))[1])
f(f4); jax.clear_caches(); f(f4); show(n)
# J2 a function is held weakly
import gc, weakref
def mk():
    def inner(x): return lax.round(x)
    return inner
fn = mk(); r = weakref.ref(fn); j = jax.jit(fn); j(f4); j.lower(i4 * 1.0).compile(); del fn; gc.collect(); show(r() is None)
del j; gc.collect(); show(r() is None)
# J2 a function that cannot be held weakly
class S:
    __slots__ = ()
    def __call__(self, x): return x
attempt(lambda: jax.jit(S())(1.0))
# J2 nested functions are traced once
n = []
g = jax.jit(lambda x: (n.append(1), lax.sin(x))[1])
jax.jit(lambda x: lax.add(g(x), g(x)))(f4); g(f4); jax.jit(lambda x: g(g(x)))(f4); show(n)
# J2 an inlined function is traced once
n = []
g = jax.jit(lambda x: (n.append(1), lax.sin(x))[1], inline=True)
jax.jit(lambda x: lax.add(g(x), g(x)))(f4); show(n)
# J2 results of mapped and differentiated functions
n = []
g = jax.jit(lambda x: (n.append(1), lax.sin(x))[1])
jax.vmap(g)(f4); jax.vmap(g)(f4); jax.grad(g)(1.0); jax.grad(g)(2.0); show(n)
# J2 bound methods that are equal
class Net:
    def __init__(self, k): self.k = k
    def out(self, x): return lax.mul(x, np.float32(self.k))
n = Net(2.0); q = jax.jit(n.out); show(q(np.float32(1))); n.k = 5.0; show(q(np.float32(1)), n.out(np.float32(1)), jax.jit(n.out)(np.float32(1)))
attempt(jax.jit(Net.out), n, np.float32(1))
"""

EXPLAINED = """
# J3 never seen
def g(x): return lax.sin(x)
with logged(jax_explain_cache_misses=True): jax.jit(g)(f4)
with logged(jax_explain_cache_misses=True): jax.jit(g)(f4)
# J3 another shape
f = jax.jit(lambda x, y: lax.add(x, y["hi"]))
with logged(jax_explain_cache_misses=True): f(f4, {"hi": f4}); f(i4, {"hi": i4}); f(f22, {"hi": f22}); f(f4, {"hi": f4})
# J3 the nearest of several
f = jax.jit(lambda x, y: 1)
with logged(jax_explain_cache_misses=True): f(f4, f22); f(f22, f22); f(i4, i4); f(f4, i4)
# J3 weak types
f = jax.jit(lambda x: 1)
with logged(jax_explain_cache_misses=True): f(1.0); f(np.float32(1)); f(1); f(True); f(np.ones((1, 1)))
# J3 another structure
f = jax.jit(lambda *a, **k: 1)
with logged(jax_explain_cache_misses=True): f(1); f(1, 2); f(a=1); f([1, 2]); f((1, 2)); f({"a": 1}); f({"a": 1, "b": (2,)}); f(None)
# J3 a static value
f = jax.jit(lambda x, n: 1, static_argnums=1)
with logged(jax_explain_cache_misses=True): f(1.0, 2); f(1.0, 3); f(1, 2); f(1.0, "a"); f(1.0, n=2)
# J3 a setting
f = jax.jit(lambda x: lax.sin(x))
f(1.0)
with logged(jax_explain_cache_misses=True, jax_enable_x64=True): f(1.0)
with logged(jax_explain_cache_misses=True, jax_numpy_rank_promotion="warn"): f(1.0)
with logged(jax_explain_cache_misses=True, jax_default_matmul_precision="high"): f(1.5)
# J3 a fresh lambda in a loop
def step(x): return lax.neg(x)
with logged(jax_explain_cache_misses=True):
    for _ in range(3): jax.jit(lambda x: step(x))(f4)
with logged(jax_explain_cache_misses=True):
    for _ in range(3): jax.jit(step)(f4)
# J3 a fresh partial in a loop
def step(k, x): return lax.neg(x)
with logged(jax_explain_cache_misses=True):
    for _ in range(2): jax.jit(functools.partial(step, 1))(f4)
# J3 callables without a name
class C:
    def __call__(self, x): return lax.abs(x)
    def m(self, x): return lax.abs(x)
c = C()
with logged(jax_explain_cache_misses=True): jax.jit(c)(f4); jax.jit(c.m)(f4)
# J3 nested functions
g = jax.jit(lambda x: lax.tanh(x))
g(f4)
with logged(jax_explain_cache_misses=True): jax.jit(lambda x: g(x))(f22)
# J3 ahead of time and make_jaxpr
def g(x): return lax.exp(x)
with logged(jax_explain_cache_misses=True): jax.make_jaxpr(g)(f4); jax.jit(g).trace(f22); jax.jit(g).lower(1.0); jax.eval_shape(g, f4[:2])
# J3 containers of several kinds
import collections
P = collections.namedtuple("P", "a b")
f = jax.jit(lambda t: 1)
with logged(jax_explain_cache_misses=True): f(P(1, 2)); f((1, 2)); f(P(1, (2,)))
with logged(jax_explain_cache_misses=True): f(collections.OrderedDict(a=1, b=2)); f(collections.OrderedDict(b=1, a=2))
# J3 counted
log = []
def step(x): log.append(1); return lax.add(x, x)
for _ in range(3): jax.jit(step)(0.0)
show(len(log)); log.clear()
for _ in range(3): jax.jit(lambda x: step(x))(0.0)
show(len(log)); log.clear()
for _ in range(3): jax.jit(functools.partial(step))(0.0)
show(len(log))
# J3 nothing differs
f = jax.jit(lambda x: lax.sin(x)); f(f4)
with logged(jax_explain_cache_misses=True): f(f4); f.lower(f4).compile(); f.trace(f4)
"""

DONATION = """
# J4 one for one
show(main_line(jax.jit(lambda x: lax.sin(x), donate_argnums=0).lower(f4)))
# J4 two for one
with warned(): show(main_line(jax.jit(lambda x, y: lax.add(x, y), donate_argnums=(0, 1)).lower(f4, f4)))
# J4 two for two
with warned(): show(main_line(jax.jit(lambda x, y: (lax.add(x, y), lax.sub(x, y)), donate_argnums=(0, 1)).lower(f4, f4)))
# J4 the second only
with warned(): show(main_line(jax.jit(lambda x, y: (lax.add(x, y), lax.sub(x, y)), donate_argnums=1).lower(f4, f4)))
# J4 no result fits
with warned(): show(main_line(jax.jit(lambda x: lax.reduce_sum(x, axes=(0,)) if 0 else lax.concatenate([x, x], 0), donate_argnums=0).lower(f4)))
# J4 another shape of as many elements
with warned(): show(main_line(jax.jit(lambda x: lax.reshape(x, (2, 2)), donate_argnums=0).lower(f4)))
# J4 another type of as many elements
with warned(): show(main_line(jax.jit(lambda x: lax.convert_element_type(x, np.float16), donate_argnums=0).lower(f4)))
# J4 donors in order
with warned(): show(main_line(jax.jit(lambda x, y, z: (lax.reshape(x, (2, 2)), lax.add(y, z)), donate_argnums=(0, 1, 2)).lower(f4, f4, f4)))
# J4 an argument that is not used
with warned(): show(main_line(jax.jit(lambda x, y: lax.cos(x), donate_argnums=1).lower(f4, f4)))
with warned(): show(main_line(jax.jit(lambda x, y: lax.cos(x), donate_argnums=1, keep_unused=True).lower(f4, f4)))
# J4 trees and keywords
with warned(): show(main_line(jax.jit(lambda p, q: (lax.add(p["a"], q), q), donate_argnames="q").lower({"a": f4}, q=f4)))
with warned(): show(jax.jit(lambda p, q: (p, q), donate_argnums=0).lower({"a": f4, "b": i4}, q=f4).args_info)
# J4 with captured arrays
with warned(): show(main_line(jax.jit(lambda x: lax.add(x, held), donate_argnums=0).lower(held)))
# J4 inside another function
with warned(): show(main_line(jax.jit(lambda x: jax.jit(lambda y: lax.sin(y), donate_argnums=0)(x)).lower(f4)))
# J4 weak scalars
with warned(): show(main_line(jax.jit(lambda x, y: (lax.mul(x, y), y), donate_argnums=(0, 1)).lower(1.0, np.float32(1))))
# J4 a donated array is gone
g = jax.jit(lambda x: lax.add(x, x), donate_argnums=0)
x = jax.device_put(f4); show(g(x), x.is_deleted())
attempt(lambda: x + 1); attempt(lambda: np.asarray(x)); attempt(lambda: str(x)); attempt(lambda: jax.jit(lambda a: lax.neg(a))(x))
show(x.shape, x.dtype)
# J4 donated and used again in one call
k = jax.jit(lambda a, b: lax.sub(a, b), donate_argnums=0)
x, y = jax.device_put(f4), jax.device_put(f4); show(k(x, y)); attempt(k, y, x); show(y.is_deleted())
# J4 NumPy arrays are copied
n = np.ones(4, np.float32); show(jax.jit(lambda x: lax.mul(x, x), donate_argnums=0)(n), n)
# J4 a buffer that cannot be used is kept
h = jax.jit(lambda x: lax.concatenate([x, x], 0), donate_argnums=0)
x = jax.device_put(f4)
with warned(): h(x)
show(x.is_deleted())
with warned(): h(x)
# J4 results can be waited for
y = jax.jit(lambda x: lax.sin(x))(f4); show(y.block_until_ready() is y, jax.block_until_ready({"a": y, "b": 1})["b"])
"""

SWITCHES = """
# J5 disable_jit
n = []
f = jax.jit(lambda x: (n.append(type(x).__name__), x + 1)[1])
with jax.disable_jit(): show(f(1)); show(f(1.5))
with jax.disable_jit(False): show(f(1))
show(n)
# J5 disable_jit and ahead of time
f = jax.jit(lambda x: lax.sin(x))
with jax.disable_jit(): show(f.lower(f4).as_text()); attempt(lambda: f.lower(f4).compile()(f4)); show(str(jax.make_jaxpr(f)(f4)))
# J5 disable_jit of nested functions
f = jax.jit(lambda x: lax.sin(x))
with jax.disable_jit(): show(jax.jit(lambda x: lax.neg(f(x)))(f4)); show(jax.vmap(f)(f4)); show(jax.grad(lambda x: f(x))(np.float32(1)))
# J5 values while tracing
def g(x):
    with jax.ensure_compile_time_eval():
        y = lax.add(np.float32(1), np.float32(2))
    return lax.add(x, y)
show(str(jax.make_jaxpr(g)(np.float32(1))), jax.jit(g)(np.float32(1)), jax.grad(g)(np.float32(1)), jax.vmap(g)(f4))
# J5 branches while tracing
def g(x):
    with jax.ensure_compile_time_eval():
        if lax.gt(np.float32(1), np.float32(0)): return lax.sin(x)
    return x
show(str(jax.make_jaxpr(g)(f4)))
# J5 traced values inside are still traced
def g(x):
    with jax.ensure_compile_time_eval(): return lax.sin(x)
show(str(jax.make_jaxpr(g)(f4)), g(np.float32(0)))
# J5 jitted functions while tracing
def g(x):
    with jax.ensure_compile_time_eval(): return jax.jit(lambda y: lax.neg(y))(np.float32(2)), jax.jit(lambda y: lax.neg(y))(x)
show(str(jax.make_jaxpr(g)(f4)))
# J5 no_tracing
def k(x): return lax.sin(x)
j = jax.jit(k); j(f4)
with jax.no_tracing(): show(j(f4)); attempt(j, i4 * 1); attempt(lambda: jax.jit(lambda x: lax.cos(x))(f4)); attempt(lambda: j.lower(f4).as_text()[:10])
with jax.no_tracing(): attempt(lambda: jax.make_jaxpr(k)(f22)); attempt(lambda: j.trace(f22))
# J5 log_compiles
f = jax.jit(lambda x, y: lax.add(x, y))
with logged(jax_log_compiles=True): f(f4, f4); f(f4, f4)
with logged(jax_log_compiles=True): f.trace(f22, f22)
with logged(jax_log_compiles=True): f.lower(f22, f22)
with logged(jax_log_compiles=True): f.lower(f22, f22).compile()
with logged(jax_log_compiles=True): f(f22, f22)
# J5 log_compiles of nested functions
def foo(x): return lax.sin(x)
with logged(jax_log_compiles=True): jax.jit(lambda x: lax.add(jax.jit(foo)(x), jax.jit(foo)(x)))(f4)
with logged(jax_log_compiles=True): jax.make_jaxpr(foo)(f4)
with logged(jax_log_compiles=True): jax.eval_shape(foo, f4)
# J5 log_compiles of what fails
def bad(x): raise ValueError("no")
with logged(jax_log_compiles=True): attempt(jax.jit(bad), f4)
# J5 log_compiles with captured, dropped and donated arguments
with logged(jax_log_compiles=True): jax.jit(lambda x: lax.add(x, held))(held)
with logged(jax_log_compiles=True): jax.jit(lambda x, y: lax.sin(x), donate_argnums=0)(f4, i4)
with logged(jax_log_compiles=True): jax.jit(lambda d, n: d["a"] * 1, static_argnums=1)({"a": f4}, 3)
# J5 log_compiles of a primitive
with logged(jax_log_compiles=True): lax.cumsum(np.ones(7, np.float32))
with logged(jax_log_compiles=True): lax.cumsum(np.ones(7, np.float32))
# J5 events of one call
ev = []
mon = jax.monitoring
mon.register_event_duration_secs_listener(lambda name, d, **k: ev.append((name, k)))
mon.register_event_listener(lambda name, **k: ev.append((name, k)))
f = jax.jit(lambda x: lax.expm1(x))
f(f4); show(ev[:2], ev[-1]); ev.clear(); f(f4); show(ev); f.lower(f4).compile(); show(ev)
mon.clear_event_listeners()
# J5 listeners
ev = []
mon = jax.monitoring
mon.register_event_listener(lambda n, **k: ev.append((n, k))); mon.register_scalar_listener(lambda n, v, **k: ev.append((n, v, k)))
mon.register_event_duration_secs_listener(lambda n, v, **k: ev.append((n, v, k))); mon.register_event_time_span_listener(lambda n, a, b, **k: ev.append((n, a, b, k)))
mon.record_event("/x"); mon.record_event_duration_secs("/y", 1.5, a=1); mon.record_scalar("/z", 3, b=2); mon.record_event_time_span("/q", 1.0, 2.0)
mon.clear_event_listeners(); mon.record_event("/x"); show(ev)
"""

ARGUMENTS = """
# J6 a value that decides
for f in (lambda x: 1 if x > 0 else 2, lambda x: x and 3, lambda x: min(x, 2.0), lambda x: 0 < x < 1): attempt(jax.jit(f), 1.0)
# J6 a value as a size
attempt(jax.jit(lambda n: jnp.zeros(n)), 3); attempt(jax.jit(lambda n: [1, 2][n]), 1); attempt(jax.jit(lambda n: range(n)), 1)
# J6 a hot loop body alone
body = jax.jit(lambda i: i + 1)
def outer(x, n):
    i = 0
    while i < n: i = body(i)
    return x + i
show(outer(10, 20), body._cache_size())
# J6 static arguments decide
f = jax.jit(lambda x, flag: lax.sin(x) if flag else lax.cos(x), static_argnames="flag")
show(main_line(f.lower(f4, flag=True)), f(f4, flag=False))
# J6 what was computed decides
attempt(jax.jit(lambda x: 1 if lax.gt(lax.sin(x), 0.0) else 2), 1.0)
attempt(jax.jit(lambda x: lax.exp(x) if lax.reduce_max(lax.mul(x, x), axes=(0,)) > 1 else lax.log(x)), f4)
# J6 a string among the arguments
attempt(jax.jit(lambda name, x: x), "adam", 1.0)
# J6 an object in a tree
class Opt:
    def __repr__(self): return "Opt()"
attempt(jax.jit(lambda state, lr: lr), {"step": 1, "opt": [Opt()]}, 0.1)
# J6 an object among keywords
class Opt: pass
attempt(lambda: jax.jit(lambda x, **k: x)(1.0, extra=Opt()))
# J6 an object in the result
class Opt:
    def __repr__(self): return "Opt()"
attempt(jax.jit(lambda x: {"out": x, "cfg": Opt()}), 1.0); attempt(jax.jit(lambda x: "a"), 1.0)
# J6 a shape and a dtype are no value
attempt(lambda: plain(jax.jit(lambda x: x)(SDS((2,), np.float32))))
class Duck:
    shape, dtype = (2, 3), np.dtype("float32")
    def __repr__(self): return "Duck()"
attempt(jax.jit(lambda x: x), Duck())
# J6 too few and too many arguments
def f(x, y, *, z=1): return x
for a, k in (((1,), {}), ((1, 2, 3), {}), ((1, 2), {"q": 3}), ((), {})): attempt(lambda: jax.jit(f)(*a, **k))
# J6 a method without self
class Net:
    def out(self, x): return x
    def __repr__(self): return "Net()"
attempt(jax.jit(Net.out), Net(), 1.0)
# J6 names in messages
def f(x, *rest, k, **more): return 1 if (x["a"] + rest[1] + k + more["m"][0]) > 0 else 2
attempt(lambda: jax.jit(f)({"a": 1.0}, 1.0, 2.0, k=3.0, m=(4.0,)))
# J6 names of wrapped functions
def f(x, y): return 1 if x + y > 0 else 2
@functools.wraps(f)
def w(*a, **k): return f(*a, **k)
attempt(jax.jit(w), 1.0, 2.0); attempt(jax.jit(functools.partial(f, 1.0)), 2.0); attempt(jax.jit(max), 1.0, 2.0)
# J6 names of methods and classes
class C:
    def __call__(self, x): return 1 if x > 0 else 2
    def m(self, x): return 1 if x > 0 else 2
    @staticmethod
    def s(x): return 1 if x > 0 else 2
attempt(jax.jit(C()), 1.0); attempt(jax.jit(C().m), 1.0); attempt(jax.jit(C.s), 1.0)
# J6 names of differentiated functions
def f(x): return 1.0 if x > 0 else 2.0
attempt(jax.jit(jax.grad(f)), 1.0); attempt(jax.jit(jax.value_and_grad(f)), 1.0)
"""

PROGRAMS = [p for text in (OPTIONS, CACHE, EXPLAINED, DONATION, SWITCHES, ARGUMENTS) for p in scripts(text)]
