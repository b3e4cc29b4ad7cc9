"""What is refused where a value is traced or of a type that is no array's, and in which words."""

from __future__ import annotations

from tests.differential.program import parse_programs
from tests.differential.scripts import scripts

TRACED = """
# sizes
lambda n: jnp.eye(n) @ (3,)
lambda n: jnp.eye(3, n) @ (3,)
lambda n: jnp.identity(n) @ (3,)
lambda n: jnp.indices((n,)) @ (3,)
lambda n: jnp.triu_indices(n) @ (3,)
lambda n: jnp.tril_indices(n) @ (3,)
lambda n: jnp.triu_indices(3, k=n) @ (1,)
lambda n: jnp.tril_indices(3, m=n) @ (1,)
lambda n: jnp.triu_indices(2.) @ (1,)
lambda x, n: jnp.tile(x, n) @ (np.ones(4), 2)
lambda x, n: jnp.tile(x, (n, 1)) @ (np.ones(4), 2)
lambda x, n: jnp.tile(x, n) @ (np.ones(4), np.ones(2, int))
lambda n: random.split(random.key(0), n) @ (3,)
lambda n: random.split(random.key(0), (2, n)) @ (3,)
lambda n: random.split(random.key(0), (2.,)) @ (3,)
# axes
lambda n: jnp.roll(jnp.ones(4), 1, axis=n) @ (0,)
lambda n: jnp.roll(jnp.ones(4), n, axis=n) @ (0,)
lambda n: jnp.expand_dims(jnp.ones(4), n) @ (0,)
lambda n: jnp.expand_dims(jnp.ones(4), (0, n)) @ (1,)
lambda n: jnp.moveaxis(jnp.ones((4, 2)), n, 0) @ (0,)
lambda n: jnp.moveaxis(jnp.ones((4, 2)), (0, 1), (1, n)) @ (0,)
lambda n: jnp.squeeze(jnp.ones((1, 1)), n) @ (0,)
lambda n: jnp.flip(jnp.ones((1, 1)), n) @ (0,)
lambda n: jnp.flip(jnp.ones((1, 1)), 1.) @ (0,)
lambda n: jnp.argmax(jnp.ones((4, 2)), axis=n) @ (0,)
lambda n: jnp.nanargmin(jnp.ones((4, 2)), axis=n) @ (0,)
lambda x: jnp.squeeze(x, np.array(1)) @ (np.ones((3, 1)),)
lambda x: jnp.argmax(x, axis=[0]) @ (np.ones((3, 1)),)
"""

SCRIPTS = """
# an operand of strings
for y in (np.array(["a"] * 64), np.array([None] * 64), np.array(["2020-01-01"] * 64, "datetime64[D]")): attempt(jax.jit(lambda x: x + y), np.ones(64)); attempt(jax.jit(lambda x: y * x), np.ones(64)); attempt(jax.jit(lambda x: x @ y), np.ones(64)); attempt(jax.jit(lambda x: jnp.less(x, y)), np.ones(64)); attempt(jnp.add, np.ones(64), y); attempt(jax.grad(lambda x: jnp.sum(x - y)), np.ones(64))
# what a callback returns
def last(fun, *args):
    try: show(fun(*args))
    except Exception as e: show(type(e).__name__, str(e).strip().splitlines()[-1])
for value in ("s", object(), [["a"]], np.array(["ab"] * 3), np.ones(3, np.int64), np.ones(2, np.float32)):
    for shape in ((3,), ()):
        f = lambda x: jax.pure_callback(lambda a: value, SDS(shape, np.float32), x)
        last(jax.jit(f), 1.0); last(f, 1.0); last(jax.jit(lambda x: experimental.io_callback(lambda a: value, SDS(shape, np.float32), x)), 1.0)
"""

PROGRAMS = parse_programs(TRACED, wants=("jaxpr",)) + scripts(SCRIPTS)
