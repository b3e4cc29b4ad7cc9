"""Programs of functions that the newer version of JAX added; the older one does not have them."""

from __future__ import annotations

from jaxnb.xla.version import JAXLIB_VERSION
from tests.differential.program import Program, parse_programs
from tests.differential.programs_numpy_samples import F, G, I

ALL = ("jaxpr", "stablehlo", "value")

TEXT = """
lambda x: lax.polynomial(x, [1., 2.]) @ (2.,)
lambda x: lax.polynomial(x, [1., 2.]) @ (F,)
lambda x: lax.polynomial(x, [np.float32(1), 2]) @ (2.,)
lambda x: lax.polynomial(x, [x, x]) @ (2.,)
jax.jit(lambda x: lax.polynomial(x, [x])) @ (2.,)
jax.jit(lambda x: lax.polynomial(x, [1.])) @ (2.,)
lambda x: lax.polynomial(x, [x[0], x, 3.], unroll=2) @ (F,)
lambda x: lax.polynomial(x, []) @ (F,)
lambda x: lax.polynomial(x, [np.ones((1, 4), np.float32), x]) @ (F,)
jnp.minmax @ (F,)
jnp.minmax @ (G,)
jnp.minmax @ (I,)
jnp.minmax @ (F > 1,)
jnp.minmax @ (F * 1j,)
jnp.minmax @ (F.astype(np.float16),)
jnp.minmax @ (I.astype(np.uint8),)
jnp.minmax @ (1.,)
jnp.minmax @ (F[:0],)
jnp.minmax @ (np.float32([1, np.nan, 3]),)
lambda x: jnp.minmax(x, axis=0) @ (G,)
lambda x: jnp.minmax(x, axis=(0, 1), keepdims=True) @ (G,)
lambda x: jnp.minmax(x, axis=0) @ (G[:, :0],)
lambda x: jnp.minmax(x, axis=()) @ (G,)
lambda x: jnp.minmax(x, axis=4) @ (G,)
lambda x: jnp.minmax(x, axis=(0, 0)) @ (G,)
lambda x: jnp.minmax(x, out=x) @ (G,)
lambda x: jnp.minmax(x, initial=1) @ (G,)
lambda x: jnp.minmax(x, initial=(1, 9)) @ (G,)
lambda x: jnp.minmax(x, initial=(1, 2, 3)) @ (G,)
lambda x: jnp.minmax(x, initial=1.5) @ (I,)
lambda x: jnp.minmax(x, initial=(1, None)) @ (I,)
lambda x: jnp.minmax(x, initial=(1, None)) @ (I[:0],)
lambda x: jnp.minmax(x, initial=(None, 1)) @ (I[:0],)
lambda x: jnp.minmax(x, initial=1) @ (F[:0],)
lambda x: jnp.minmax(x, initial=x) @ (F,)
lambda x: jnp.minmax(x, initial=(x[0], x)) @ (F,)
lambda x: jnp.minmax(x, where=x > 1) @ (F,)
lambda x: jnp.minmax(x, where=x > 1, initial=(0, None)) @ (F,)
lambda x: jnp.minmax(x, where=x > 1, initial=(None, 0)) @ (F,)
lambda x: jnp.minmax(x, where=x > 1, initial=x[0]) @ (F,)
lambda x: jnp.minmax(x, axis=0, initial=(3, 4), where=x > 1, keepdims=True) @ (G,)
lambda x: jnp.minmax(x, where=1) @ (F,)
lambda x: jnp.minmax([1, 2]) @ (F,)
jax.vmap(jnp.minmax) @ (G,)
lambda x: jnp.top_k(x, 2) @ (F,)
lambda x: jnp.top_k(x, 2) @ (G,)
lambda x: jnp.top_k(x, 2, axis=0) @ (G,)
lambda x: jnp.top_k(x, 2, mode='smallest') @ (G,)
lambda x: jnp.top_k(x, 2, mode='smallest') @ (I,)
lambda x: jnp.top_k(x, 2, mode='smallest') @ (I.astype(np.uint8),)
lambda x: jnp.top_k(x, 2, mode='smallest') @ (F > 1,)
lambda x: jnp.top_k(x, 2) @ (F > 1,)
lambda x: jnp.top_k(x, 2, mode='median') @ (G,)
lambda x: jnp.top_k(x, 2, sorted=False) @ (G,)
lambda x: jnp.top_k(x, 0) @ (G,)
lambda x: jnp.top_k(x, 9) @ (G,)
lambda x: jnp.top_k(x, -1) @ (G,)
lambda x: jnp.top_k(x, 1.5) @ (G,)
lambda x: jnp.top_k(x, 1) @ (F * 1j,)
lambda x: jnp.top_k(x, 1) @ (1.,)
lambda x: jnp.top_k(x, 1, axis=3) @ (G,)
lambda x: jnp.top_k(x, 1, axis=None) @ (G,)
lambda x: jnp.top_k([1, 2], 1) @ (G,)
jax.grad(lambda x: jnp.top_k(x, 2)[0].sum()) @ (F,)
jax.vmap(lambda x: jnp.top_k(x, 2)) @ (G,)
"""

PROGRAMS = [
    Program(
        p.name,
        f"(lambda F, I, G: {p.fun})({F}, {I}, {G})",
        f"(lambda F, I, G: {p.args})({F}, {I}, {G})",
        ALL,
    )
    for p in parse_programs(TEXT if JAXLIB_VERSION >= (0, 12) else "")
]
