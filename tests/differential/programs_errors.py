"""Mistakes in traced functions: what is raised, and what it says."""

from __future__ import annotations

from tests.differential.program import parse_programs

TRACED = """
# a traced value where Python wants to know
lambda x: 1 if x > 0 else 2 @ (1.,)
lambda x: bool(x) @ (np.float32(1),)
lambda x, y: 1 if x + y > 0 else 2 @ (1., 2.)
lambda x, y, z: 1 if x + y * z > 0 else 2 @ (1., 2., 3.)
lambda d, *a: 1 if d['a'][0] + a[1] > 0 else 2 @ ({'a': (1., 2)}, 1., 2.)
lambda x: 1 if jax.jit(lambda q: q + 1)(x) > 0 else 2 @ (1.,)
lambda x: 1 if jnp.zeros(()) + 1. > 0 else 2 @ (1.,)
lambda x: int(x) @ (1.,)
lambda x: float(x) @ (1.,)
lambda x: complex(x) @ (1.,)
lambda x: range(x) @ (1,)
lambda x: [1, 2, 3][x] @ (1,)
lambda x: oct(x) @ (1,)
lambda x: np.asarray(x) @ (1.,)
lambda x: np.sin(x) @ (1.,)
lambda x: x[x > 0] @ (np.arange(3.),)
lambda x: x.item() @ (1,)
lambda x: x.tolist() @ (1,)
lambda x: hash(x) @ (1,)
lambda x: len(x) @ (1.,)
lambda x: [a for a in x] @ (1.,)
lambda x: 1 in x @ (np.arange(3),)
lambda x: x.__setitem__(0, 1) @ (np.arange(3),)
lambda x: int(x) @ (np.arange(3),)
lambda x: 1 if x > 0 else 2 @ (np.arange(3),)
# sizes that are not known
lambda n: jnp.arange(n) @ (3,)
lambda n: jnp.zeros(n) @ (3,)
lambda n: jnp.ones(6).reshape(n, 2) @ (3,)
lambda x: jnp.nonzero(x) @ (np.arange(3),)
lambda x: jnp.unique(x) @ (np.arange(3),)
# shapes and types that do not fit
lambda x, y: x + y @ (np.ones(3), np.ones(4))
lambda x, y: jnp.matmul(x, y) @ (np.ones((2, 3)), np.ones((2, 3)))
lambda x: x.reshape(5) @ (np.ones(4),)
lambda x: jnp.concatenate([x, jnp.ones((2, 2))]) @ (np.ones(4),)
lambda x: lax.add(x, jnp.ones(2, jnp.int32)) @ (np.ones(2, np.float32),)
lambda x: jnp.sum(x, axis=3) @ (np.ones(4),)
lambda x: {1: object()}[1] @ (1.,)
# transformations
lambda x: jax.grad(lambda y: y)(x) @ (np.arange(3.),)
lambda x: jax.grad(lambda y: y)(x) @ (1,)
lambda x: jax.grad(lambda y: (y, y))(x) @ (1.,)
lambda x: jax.vmap(lambda y: y)(x) @ (1.,)
lambda x, y: jax.vmap(lambda a, b: a)(x, y) @ (np.ones(3), np.ones(4))
lambda x: jax.vmap(lambda a: a, in_axes=2)(x) @ (np.ones(3),)
lambda x: jax.vmap(lambda a: 1 if a > 0 else 2, in_axes=(0, 0))(x) @ (np.ones(3),)
lambda x: jax.jvp(lambda y: y, (x,), (1,)) @ (1.,)
lambda x: jax.jvp(lambda y: y, (x,), (np.ones(2, np.float32),)) @ (np.ones(3, np.float32),)
"""

CALLED = """
lambda x: jax.jit(lambda a, b: a, static_argnums=1)(x, [2]) @ (1.,)
lambda x: jax.jit(lambda a: a, static_argnums=1)(x) @ (1.,)
lambda x: jax.jit(lambda a: a, static_argnames='b')(x) @ (1.,)
lambda x: jax.jit(lambda a: a)(x, x) @ (1.,)
lambda x: jax.jit(3)(x) @ (1.,)
lambda x: jax.grad(3)(x) @ (1.,)
lambda x: jax.jit(lambda a: a).lower(x).compile()(np.ones(3, np.float32)) @ (np.float32(1),)
lambda x: jax.jit(lambda a: a).lower(x).compile()((x,)) @ (np.float32(1),)
lambda x: jax.jit(lambda a: a).lower(x).compile()(x, x) @ (np.float32(1),)
lambda x: [1, 2][x] @ (jnp.arange(3),)
lambda x: bool(x) @ (jnp.arange(3),)
lambda x: int(x) @ (jnp.arange(3),)
lambda x: x.__setitem__(0, 1) @ (jnp.arange(3),)
"""

PROGRAMS = parse_programs(TRACED, wants=("jaxpr",)) + parse_programs(CALLED, wants=("value",))
