"""Functions that one version leaves to the compiler, or has as one operation, and another version writes out."""

from __future__ import annotations

from tests.differential.program import parse_programs

ALL = ("jaxpr", "stablehlo", "value")

GAMMA = """
lax.lgamma @ (np.ones((2, 3), np.float16),)
lax.lgamma @ (jnp.ones((), jnp.bfloat16),)
lax.lgamma @ (jnp.float32([-2.5, -0.5, 0., -0., -1., 1., 2., 3.5, 10., 1e10, 1e37, np.inf, -np.inf, np.nan, -9.99]),)
lax.lgamma @ (np.float32([-2.457, -2.7476826, -3.1435, -4.04, -100.3, .7, .5, 1.5, 4., 4.1, -1e9, 1e-30, -1e-30]),)
lambda x: lax.lgamma(x) + lax.lgamma(x[:2])[0] @ (np.ones(3, np.float32),)
lambda x: lax.scan(lambda c, a: (lax.lgamma(c) + a, c), x, jnp.arange(3.)) @ (np.float32(1.2),)
lambda x: lax.cond(x > 0, lax.lgamma, lambda y: y, x) @ (np.float32(1.2),)
jax.vmap(lambda x: lax.lgamma(x) * 2) @ (np.full((3, 2), .7, np.float32),)
"""

EXPONENTS = """
jnp.frexp @ (1.,)
jnp.frexp @ (1,)
jnp.frexp @ (True,)
jnp.frexp @ (np.float32([1, -2, 3.5, np.inf, -np.inf, np.nan, 0, -0., 1e30]),)
jnp.ldexp @ (1., 2)
jnp.ldexp @ (1, 2)
jnp.ldexp @ (2., np.arange(3))
jnp.ldexp @ (np.ones(3, np.int8), np.int8(2))
jnp.ldexp @ (np.ones(3, np.float32), np.int8(2))
jnp.ldexp @ (np.ones(3, np.float32), np.uint8(2))
jnp.ldexp @ (np.ones(3, np.float32), np.uint32(2))
jnp.ldexp @ (np.ones(3, np.float32), True)
jnp.ldexp @ (np.ones(3, bool), 2)
jnp.ldexp @ (np.ones(3, np.float32), np.ones((2, 1), np.int32))
jnp.ldexp @ (np.float32([1, -2, 3.5, np.inf, np.nan, 0, -0., 1e30, 1e-30]), np.int32(20))
jax.vmap(jnp.ldexp) @ (np.ones(3, np.float32), np.ones(3, np.int32))
jax.vmap(jnp.ldexp, (0, None)) @ (np.ones(3, np.float32), 2)
jax.vmap(jnp.ldexp, (1, 0)) @ (np.ones((2, 3), np.float32), np.ones((3, 2), np.int32))
jax.vmap(jnp.frexp) @ (np.ones(3, np.float32),)
jax.vmap(jnp.frexp, 1) @ (np.ones((3, 2), np.float32),)
"""

BESSEL = """
jax.vmap(jax.grad(jax.grad(jnp.i0))) @ (np.ones(3, np.float32),)
jax.grad(jax.grad(jax.grad(jax.grad(jnp.i0)))) @ (np.float32(1),)
lambda x: jax.jvp(jax.grad(jnp.i0), (x,), (x,)) @ (np.float16(1),)
jax.vmap(jax.grad(jnp.i0)) @ (np.float32([-2., -1e-5, 0., 1e-5, 3.]),)
"""

POSITIONS = """
lambda x: jnp.nonzero(x, size=3, fill_value=7) @ (np.ones(4, np.float32),)
lambda x: jnp.nonzero(x, size=3, fill_value=(7, 8)) @ (np.ones((4, 2), np.float32),)
lambda x, y: jnp.nonzero(x, size=3, fill_value=(7, y)) @ (np.ones((4, 2), np.float32), 2)
jax.vmap(lambda x: jnp.nonzero(x, size=3, fill_value=7)) @ (np.ones((2, 4), np.float32),)
"""

PROGRAMS = parse_programs(GAMMA + EXPONENTS + BESSEL + POSITIONS, wants=ALL)
