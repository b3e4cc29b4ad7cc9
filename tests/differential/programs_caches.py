"""Traced values that outlive their trace, and the cache of compiled programs on disk."""

from __future__ import annotations

from tests.differential.scripts import scripts

LEAKS = """
# J7 a list keeps a traced value
kept = []
def f(x): kept.append(lax.sin(x)); return x
jax.jit(f)(1.0)
attempt(lambda: lax.cos(kept[0])); attempt(lambda: kept[0] + 1); attempt(lambda: jax.jit(lambda y: y * kept[0])(2.0)); show(repr(kept[0]), kept[0].shape)
# J7 a global keeps an argument
kept = []
def f(x, y): kept.extend([x, y]); return lax.add(x, y)
jax.make_jaxpr(f)(f4, f4); attempt(lambda: lax.neg(kept[0])); attempt(lambda: lax.mul(kept[0], kept[1])); attempt(jax.jit(lambda z: lax.exp(kept[1])), 1.0)
# J7 an attribute keeps a traced value
class Layer:
    def __call__(self, x): self.last = lax.tanh(x); return lax.neg(self.last)
layer = Layer(); jax.jit(layer)(1.0); attempt(lambda: lax.sin(layer.last)); attempt(lambda: jax.jit(lambda y: lax.add(y, layer.last))(1.0))
# J7 a closure of a returned function
made = []
def f(x):
    y = lax.exp(x)
    made.append(lambda z: lax.mul(z, y)); return y
jax.jit(f)(1.0); attempt(made[0], 2.0); attempt(jax.jit(made[0]), 2.0); attempt(lambda: jax.vmap(made[0])(f4))
# J7 from a loop body
kept = []
def body(c, a): kept.append(lax.add(c, a)); return kept[-1], lax.neg(a)
lax.scan(body, 0.0, f4); attempt(lambda: lax.sin(kept[-1])); jax.jit(lambda x: lax.fori_loop(0, 2, lambda i, c: (kept.append(i), lax.cos(c))[1], x))(1.0); attempt(lambda: kept[-1] + 1)
# J7 from a branch
kept = []
def f(x): return lax.cond(x > 0, lambda y: (kept.append(lax.sin(y)), y)[1], lambda y: lax.cos(y), x)
jax.jit(f)(1.0); attempt(lambda: lax.neg(kept[0])); attempt(jax.jit(lambda x: lax.cond(x > 0, lambda: kept[0], lambda: x)), 1.0)
# J7 from vmap and grad
kept = []
jax.vmap(lambda x: (kept.append(lax.sin(x)), x)[1])(f4); attempt(lambda: lax.neg(kept[-1])); attempt(lambda: kept[-1].shape)
jax.grad(lambda x: (kept.append(lax.exp(x)), lax.mul(x, x))[1])(1.0); attempt(lambda: lax.neg(kept[-1])); jax.jvp(lambda x: (kept.append(lax.cos(x)), x)[1], (1.0,), (1.0,)); attempt(lambda: lax.neg(kept[-1]))
# J7 from an inner trace into the outer
def f(x):
    kept = []
    jax.jit(lambda y: (kept.append(lax.sin(y)), y)[1])(x)
    return lax.add(x, kept[0])
attempt(jax.jit(f), 1.0); attempt(f, 1.0); attempt(jax.grad(f), 1.0)
# J7 an outer traced value inside is no leak
def f(x): return jax.jit(lambda y: lax.mul(y, x))(lax.sin(x)) + lax.scan(lambda c, a: (lax.add(c, x), a), 0.0, f4)[0]
show(jax.jit(f)(1.0), str(jax.make_jaxpr(f)(1.0)), jax.grad(f)(1.0)); attempt(lambda: jax.vmap(f)(f4))
# J7 a cached function and a global
state = {"n": jnp.float32(0)}
@jax.jit
def f(x): state["n"] = lax.add(state["n"], x); return lax.neg(x)
f(1.0); attempt(f, 2.0); attempt(f, f4); show(type(state["n"]).__name__)
# J7 a random key that is kept
class Rng:
    key = jax.random.key(0)
    def next(self): self.key, k = jax.random.split(self.key); return k
rng = Rng(); f = jax.jit(lambda x: lax.mul(x, jax.random.uniform(rng.next()))); f(1.0); attempt(lambda: f(f4)); attempt(lambda: jax.random.uniform(rng.next()))
# J7 how many frames a message shows
kept = []
def three(x): kept.append(lax.sin(x)); return x
def two(x): return three(lax.neg(x))
def one(x): return two(x)
for n in (1, 2, 5, 0):
    jax.config.update("jax_tracer_error_num_traceback_frames", n); kept.clear(); jax.make_jaxpr(one)(1.0); attempt(lambda: lax.cos(kept[0]))
jax.config.update("jax_tracer_error_num_traceback_frames", 5)
# J7 check_tracer_leaks
kept = []
def f(x): kept.append(lax.sin(x)); return lax.cos(x)
def leaks(g, *a):
    try: show(g(*a))
    except Exception as e: show(type(e).__name__, str(e).splitlines()[0])
with jax.checking_leaks(): leaks(jax.jit(f), 1.0); kept.clear(); leaks(jax.jit(lambda x: lax.neg(x)), 1.0); leaks(jax.make_jaxpr(f), 1.0)
with jax.check_tracer_leaks(True): kept.clear(); leaks(jax.vmap(f), f4)
# J7 check_tracer_leaks lists what a leaked value was computed from
def told(g, *a):
    numbers = {}
    holder.kept.clear()
    try: show(g(*a))
    except Exception as e: show(re.sub(r"(?<=<)(\\w+) (\\d{6,})", lambda m: f"{m[1]} #{numbers.setdefault(m[2], len(numbers))}", str(e)))
import sys, types
holder = sys.modules["holder"] = types.ModuleType("holder"); holder.kept = []
with jax.checking_leaks():
    told(jax.jit(lambda x, y: (holder.kept.append({"a": [lax.mul(lax.sin(x), lax.cos(y))]}), x)[1]), 1.0, 2.0)
    told(jax.jit(lambda x: (holder.kept.append(lax.add(lax.mul(x, 2.0), lax.mul(x, 3.0))), x)[1]), 1.0)
    told(jax.jit(lambda x, y: (holder.kept.append(lax.concatenate([x, y, x], 0)), x)[1]), f4, f4)
    told(jax.jit(lambda x: (holder.kept.append(jax.jit(lax.tanh)(x)), x)[1]), 1.0)
    told(jax.vmap(lambda x: (holder.kept.append(lax.neg(x)), x)[1]), f4)
# J7 check_tracer_leaks of what does not leak
def f(x):
    y = lax.sin(x); z = [y, lax.cos(y)]
    return lax.add(z[0], z[1])
with jax.checking_leaks(): show(jax.jit(f)(1.0), jax.vmap(f)(f4), jax.grad(f)(1.0), jax.jit(jax.grad(f))(1.0), lax.scan(lambda c, a: (f(c), a), 1.0, f4)[0], jax.jit(lambda x: lax.cond(x > 0, f, lax.neg, x))(1.0))
# J7 an error inside while leaks are checked
def f(x): y = lax.sin(x); raise KeyError(str(y.shape))
with jax.checking_leaks(): attempt(jax.jit(f), 1.0); attempt(jax.vmap(lambda x: lax.add(x, f4)), f22[:, 0]); show(jax.jit(lambda x: lax.exp(x))(0.0))
# J7 a traced value in a set, as a key and pickled
import pickle
attempt(jax.jit(lambda x: {lax.sin(x)}), 1.0); attempt(jax.jit(lambda x: {lax.neg(x): 1}), 1.0); attempt(jax.jit(lambda x: hash(lax.cos(x))), 1.0)
def f(x): pickle.dumps(lax.exp(x)); return x
try: jax.jit(f)(1.0)
except Exception as e: show("refused")
# J7 a value that was traced ahead of time
kept = []
def f(x): kept.append(lax.abs(x)); return lax.floor(x)
t = jax.jit(f).trace(1.0); attempt(lambda: lax.ceil(kept[0])); t.lower(); attempt(lambda: lax.round(kept[0])); jax.eval_shape(f, 1.0); attempt(lambda: kept[-1] * 2)
"""

DISK = """
import os, pathlib, shutil, tempfile
cc = importlib.import_module(jax.__name__ + ".experimental.compilation_cache.compilation_cache")
events = []
def start(**settings):
    root = tempfile.mkdtemp()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", settings.get("secs", 0.0)); jax.config.update("jax_persistent_cache_min_entry_size_bytes", settings.get("size", -1))
    jax.config.update("jax_compilation_cache_dir", root); cc.reset_cache(); jax.clear_caches()
    jax.monitoring.register_event_listener(lambda name, **k: events.append(name.removeprefix("/jax/compilation_cache/")) if "compilation_cache" in name else None)
    return pathlib.Path(root)
def stop(root):
    jax.monitoring.clear_event_listeners(); jax.config.update("jax_compilation_cache_dir", None); cc.reset_cache(); shutil.rmtree(root, ignore_errors=True)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0); jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
def files(root): return sorted(re.sub("-[0-9a-f]{64}", "-KEY", p.name) for p in root.rglob("*") if p.is_file() and "atime" not in p.name)
def told(): found = [e for e in events if e in ("cache_hits", "cache_misses", "compile_requests_use_cache")]; events.clear(); return found
"""

PERSISTENT = """
# J8 a program is written
root = start(); jax.jit(lambda x: lax.sin(lax.cos(x)))(f4); show(files(root), told()); stop(root)
# J8 a program is read again
root = start(); f = lambda x: lax.tanh(lax.neg(x)); y = jax.jit(f)(f4); n = files(root); told(); jax.clear_caches(); z = jax.jit(f)(f4); show(told(), files(root) == n, bool((y == z).all())); stop(root)
# J8 the same computation of another function
root = start()
def f(x): return lax.exp(lax.mul(x, x))
jax.jit(f)(f4); told(); jax.clear_caches()
def f(y): return lax.exp(lax.mul(y, y))
jax.jit(f)(f4); show(told(), len(files(root))); jax.clear_caches()
def g(x): return lax.exp(lax.mul(x, x))
jax.jit(g)(f4); show(told(), files(root)); stop(root)
# J8 shapes and types are other programs
root = start(); f = jax.jit(lambda x: lax.abs(lax.sub(x, x))); f(f4); f(f4[:2]); f(i4); f(f4); show(told(), len(files(root))); stop(root)
# J8 numbers in the program are part of the key
root = start()
for k in (1.0, 2.0, 1.0): jax.jit(lambda x: lax.log(lax.add(x, k)))(f4); jax.clear_caches()
show(told(), len(files(root))); stop(root)
# J8 captured arrays are not part of the key
root = start()
for k in (0, 1): c = held + k; show(jax.jit(lambda x: lax.mul(lax.sin(x), c))(held)[:2]); jax.clear_caches()
show(told(), len(files(root))); stop(root)
# J8 small captured arrays are part of the key
root = start()
for k in (0, 1, 0): c = f4 + k; show(jax.jit(lambda x: lax.mul(lax.sin(x), c))(f4)[:2]); jax.clear_caches()
show(told(), len(files(root))); stop(root)
# J8 the older way of captured arrays
root = start()
before = jax.config.jax_use_simplified_jaxpr_constants; jax.config.update("jax_use_simplified_jaxpr_constants", False)
for k in (0, 1, 0): c = held + k; jax.jit(lambda x: lax.mul(lax.cos(x), c))(held); jax.clear_caches()
jax.config.update("jax_use_simplified_jaxpr_constants", before); show(told(), len(files(root))); stop(root)
# J8 what compiles fast is not written
root = start(secs=1000.0); jax.jit(lambda x: lax.sqrt(lax.add(x, x)))(f4); show(files(root), told()); stop(root)
# J8 what is small is not written
root = start(size=10**9); jax.jit(lambda x: lax.rsqrt(lax.add(x, x)))(f4); show(files(root), told()); stop(root)
# J8 switched off
root = start(); jax.config.update("jax_enable_compilation_cache", False); cc.reset_cache(); jax.jit(lambda x: lax.floor(lax.add(x, x)))(f4); show(files(root), told()); jax.config.update("jax_enable_compilation_cache", True); stop(root)
# J8 no directory
events.clear(); jax.config.update("jax_compilation_cache_dir", None); cc.reset_cache(); jax.jit(lambda x: lax.ceil(lax.mul(x, x)))(f4); show(told())
# J8 compiled ahead of time
root = start(); f = lambda x: lax.sign(lax.exp(x)); jax.jit(f).lower(f4).compile(); show(told(), len(files(root))); jax.clear_caches(); show(jax.jit(f).lower(f4).compile()(f4), told()); jax.clear_caches(); jax.jit(f)(f4); show(told(), len(files(root))); stop(root)
# J8 tracing and lowering write nothing
root = start(); f = jax.jit(lambda x: lax.atan(lax.neg(x))); jax.make_jaxpr(f)(f4); f.lower(f4); jax.eval_shape(f, f4); show(files(root), told()); stop(root)
# J8 programs that call back
root = start()
for _ in range(2): jax.jit(lambda x: (jax.debug.callback(lambda v: None, x), lax.sin(x))[1])(f4); jax.effects_barrier(); jax.clear_caches()
show(len(files(root)), [e for e in told() if e == "cache_hits"]); stop(root)
# J8 donated arguments
root = start(); f = lambda x: lax.add(lax.tan(x), x); jax.jit(f)(f4); jax.jit(f, donate_argnums=0)(f4); show(told(), len(files(root))); stop(root)
# J8 compiler options
root = start(); f = lambda x: lax.expm1(lax.sin(x)); jax.jit(f)(f4); jax.jit(f, compiler_options={"xla_cpu_enable_fast_math": True})(f4); jax.jit(f).lower(f4).compile({"xla_embed_ir_in_executable": True}); show(told(), len(files(root))); stop(root)
# J8 where a function stands is no part of the key
root = start()
ns1, ns2 = {"lax": lax}, {"lax": lax}
exec(compile("def f(x): return lax.log1p(lax.exp(x))", "one.py", "exec"), ns1); exec(compile("\\n\\ndef f(x):\\n  return lax.log1p(lax.exp(x))", "two.py", "exec"), ns2)
jax.jit(ns1["f"])(f4); told(); jax.clear_caches(); jax.jit(ns2["f"])(f4); show(told(), len(files(root))); stop(root)
# J8 where a function stands may be part of the key
root = start(); jax.config.update("jax_compilation_cache_include_metadata_in_key", True)
ns1, ns2 = {"lax": lax}, {"lax": lax}
exec(compile("def f(x): return lax.cbrt(lax.exp(x))", "one.py", "exec"), ns1); exec(compile("\\n\\ndef f(x):\\n  return lax.cbrt(lax.exp(x))", "two.py", "exec"), ns2)
jax.jit(ns1["f"])(f4); told(); jax.clear_caches(); jax.jit(ns2["f"])(f4); show(told(), len(files(root))); jax.config.update("jax_compilation_cache_include_metadata_in_key", False); stop(root)
# J8 an entry that is damaged
root = start(); f = lambda x: lax.acos(lax.mul(x, x)); y = jax.jit(f)(f4)
for p in root.rglob("*-cache"): p.write_bytes(b"no program")
jax.clear_caches(); told()
with warned(): z = jax.jit(f)(f4)
shown[-1:] = [re.sub("Error reading.*", "Error reading", shown[-1], flags=re.S)] if shown else []
show(bool((y == z).all())); stop(root)
# J8 a directory that cannot be made
events.clear(); jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0); jax.config.update("jax_compilation_cache_dir", "/proc/no/such/place"); cc.reset_cache(); jax.clear_caches()
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always"); attempt(lambda: jax.jit(lambda x: lax.asin(lax.neg(x)))(f4))
show(len(found) > 0); jax.config.update("jax_compilation_cache_dir", None); jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0); cc.reset_cache()
# J8 where it is
root = start(); cc.set_cache_dir(str(root / "sub")); cc.reset_cache(); jax.jit(lambda x: lax.erf(lax.neg(x)))(f4); show(files(root), sorted(p.name for p in root.iterdir())); attempt(lambda: jax.config.update("jax_compilation_cache_dir", 3)); stop(root)
"""

_separate = PERSISTENT.split("\n# ")
_disk = "".join(
    f"\n# {part.partition(chr(10))[0]}\n{DISK}{part.partition(chr(10))[2]}" for part in _separate[1:]
)
PROGRAMS = [p for text in (LEAKS, _disk) for p in scripts(text)]
