"""The debugging functions called in two steps, what goes to the logger, and the classes of their effects."""

from __future__ import annotations

from tests.differential.scripts import scripts

CALLS = """
# D1 print in two calls
with printed(): jax.debug.print(ordered=True)("x {} {y}", lax.sin(0.0), y=2); jax.jit(lambda x: jax.debug.print()("{}", lax.neg(x)))(1.0); jax.debug.print(None, skip_format_check=True)("x {y}", ordered=True, y=lax.abs(-1))
show(re.sub("np_printoptions.*", "", str(jax.make_jaxpr(lambda x: jax.debug.print(ordered=True)("x {}", x))(1.0)))); attempt(jax.debug.print); attempt(jax.debug.print, ordered=True, partitioned=True)
for args, kwargs in (((None, 1), {}), ((), {"y": 3}), ((3,), {}), ((None, f4[0]), {"ordered": True})): attempt(jax.debug.print, *args, **kwargs)
# D1 callback in two calls
out = []
jax.debug.callback(ordered=True)(lambda x, k: out.append((str(x), k)), lax.cos(0.0), k="static"); jax.jit(lambda x: jax.debug.callback()(lambda v: out.append(str(v)), x))(2.0); jax.effects_barrier(); show(out)
@jax.debug.callback(ordered=True)
def decorated(): out.append("called")
jax.effects_barrier(); show(out, decorated); attempt(jax.debug.callback); attempt(jax.debug.callback()); attempt(jax.debug.callback(), 3)
for args, kwargs in (((None, 1), {}), ((), {"y": 3}), ((3,), {})): attempt(jax.debug.callback, *args, **kwargs)
# D1 log
for level in ("INFO", "WARNING"):
    logging.getLogger(jax.__name__).setLevel(level)
    with logged(): jax.debug.log("a {} {y}", lax.sin(0.0), y=i4); jax.debug.log(ordered=True)("two {}", 1); jax.debug.print("as {}", 2, _use_logging=True); jax.debug.log("printed {}", 3, _use_logging=False); jax.effects_barrier()
logging.getLogger(jax.__name__).setLevel("INFO")
f = jax.jit(lambda x: (jax.debug.log("x = {}", x), lax.exp(x))[1])
with logged(): f(0.0); jax.effects_barrier()
with logged(): jax.vmap(lambda x: jax.debug.log("{}", x))(np.zeros(2, np.float32)); jax.effects_barrier()
logging.getLogger(jax.__name__).setLevel("NOTSET")
with printed(): jax.debug.log("not printed")
attempt(jax.debug.log, 3); attempt(jax.debug.log, "{}"); attempt(jax.debug.log, None, 1)
text = str(jax.make_jaxpr(lambda x: jax.debug.log("x {}", x))(1.0)); show(re.sub("np_printoptions.*|LogRecord: [a-z._]*", "", text))
# D1 classes of effects
D = jax.debug
a, b = (jax.make_jaxpr(lambda x: D.print("x {}", x, ordered=o))(1.0).effects for o in (False, True))
show([(type(e).__name__, isinstance(e, D.DebugEffect), isinstance(e, D.OrderedDebugEffect), str(e)) for e in (*a, *b)], D.DebugEffect() == D.DebugEffect(), str(D.OrderedDebugEffect()))
"""

PROGRAMS = scripts(CALLS)
