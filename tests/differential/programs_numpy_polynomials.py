"""Programs of polynomials given by their coefficients."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

ALL = ("jaxpr", "stablehlo", "value")
F = "np.array([0.5, 2, -1, 3], np.float32)"
I = "np.array([0, 2, 5, 9], np.int32)"
G = "np.array([[3, 1, 2, 0], [0, 5, 0, 1], [2, 2, 1, 7]], np.float32)"

TEXT = """
lambda x: jnp.polyadd(x, x) @ (F,)
lambda x: jnp.polyadd(x, x[:2]) @ (F,)
lambda x: jnp.polyadd(x[:2], x) @ (F,)
lambda x: jnp.polyadd(x[:2], I) @ (F,)
lambda x: jnp.polyadd(x, x > 1) @ (F,)
lambda x: jnp.polyadd(x, x[:0]) @ (F,)
lambda x: jnp.polyadd(x, 1) @ (F,)
lambda x: jnp.polyadd(G, x) @ (F,)
lambda x: jnp.polyadd(x, G) @ (F,)
lambda x: jnp.polyadd(x, [1]) @ (F,)
lambda x: jnp.polysub(x, x) @ (F,)
lambda x: jnp.polysub(x, x[:2]) @ (F,)
lambda x: jnp.polysub(x[:2], I) @ (F,)
lambda x: jnp.polysub(x[:2], x > 1) @ (F,)
lambda x: jnp.polysub(x > 1, x > 1) @ (F,)
lambda x: jnp.polysub(x, [1]) @ (F,)
lambda x: jnp.polysub([1], x) @ (F,)
jax.grad(lambda x: jnp.polysub(x[:2], x).sum()) @ (F,)
lambda x: jnp.polyval(x, x) @ (F,)
lambda x: jnp.polyval(x, I) @ (F,)
lambda x: jnp.polyval(x, x) @ (I,)
lambda x: jnp.polyval(x, 2) @ (F,)
lambda x: jnp.polyval(x, 2.) @ (I,)
lambda x: jnp.polyval(x, 1j) @ (F,)
lambda x: jnp.polyval(x, G) @ (F,)
lambda x: jnp.polyval(G, x) @ (F,)
lambda x: jnp.polyval(x, x) @ (G,)
lambda x: jnp.polyval(x, 2.) @ (G,)
lambda x: jnp.polyval(x[:1], x[0]) @ (G,)
lambda x: jnp.polyval(x[:1], 2.) @ (G,)
lambda x: jnp.polyval(np.ones((2, 3, 4), np.float32), x) @ (F,)
lambda x: jnp.polyval(x, 2j) @ (G,)
lambda x: jnp.polyval(np.ones((2, 3, 4), np.float32), G) @ (F,)
lambda x: jnp.polyval(G, x[:2]) @ (F,)
lambda x: jnp.polyval(x[:1], x) @ (F,)
lambda x: jnp.polyval(x[:1], 2.) @ (F,)
lambda x: jnp.polyval(x[:0], x) @ (F,)
lambda x: jnp.polyval(2., x) @ (F,)
lambda x: jnp.polyval([1], x) @ (F,)
lambda x: jnp.polyval(x, [1]) @ (F,)
lambda x: jnp.polyval(x, x) @ (F > 1,)
lambda x: jnp.polyval(x, x[:2]) @ (F.astype(np.float16),)
jax.grad(lambda x: jnp.polyval(x, x[0])) @ (F,)
jax.vmap(lambda x: jnp.polyval(x, 2.)) @ (G,)
jnp.polyder @ (F,)
jnp.polyder @ (I,)
jnp.polyder @ (F * 1j,)
jnp.polyder @ (F.astype(np.float16),)
jnp.polyder @ (F[:1],)
jnp.polyder @ (F[:0],)
jnp.polyder @ (G,)
jnp.polyder @ (1.,)
lambda x: jnp.polyder(x, 2) @ (F,)
lambda x: jnp.polyder(x, 0) @ (F,)
lambda x: jnp.polyder(x, 9) @ (F,)
lambda x: jnp.polyder(x, -1) @ (F,)
lambda x: jnp.polyder(x, 1.5) @ (F,)
lambda x: jnp.polyder([1]) @ (F,)
jax.grad(lambda x: jnp.polyder(x, m=2).sum()) @ (F,)
jnp.polyint @ (F,)
jnp.polyint @ (I,)
jnp.polyint @ (F * 1j,)
jnp.polyint @ (F[:0],)
jnp.polyint @ (G,)
jnp.polyint @ (1.,)
lambda x: jnp.polyint(x, 2) @ (F,)
lambda x: jnp.polyint(x, 0) @ (F,)
lambda x: jnp.polyint(x, -1) @ (F,)
lambda x: jnp.polyint(x, 1.5) @ (F,)
lambda x: jnp.polyint(x, 2, k=1) @ (F,)
lambda x: jnp.polyint(x, 2, k=1.) @ (I,)
lambda x: jnp.polyint(x, 2, k=x[0]) @ (F,)
lambda x: jnp.polyint(x, 2, k=[1, 2]) @ (F,)
lambda x: jnp.polyint(x, 2, k=np.array([1, 2])) @ (F,)
lambda x: jnp.polyint(x, 2, k=np.ones(1)) @ (F,)
lambda x: jnp.polyint(x, 2, k=np.array([1, 2, 3])) @ (F,)
lambda x: jnp.polyint(x, k=np.ones((1, 2))) @ (F,)
lambda x: jnp.polyint(x, 0, k=np.ones(2)) @ (F,)
lambda x: jnp.polyint([1]) @ (F,)
jax.grad(lambda x: jnp.polyint(x, m=2, k=x[0]).sum()) @ (F,)
lambda x: jnp.polydiv(x, x[:2]) @ (F,)
lambda x: jnp.polydiv(x, x) @ (F,)
lambda x: jnp.polydiv(x[:2], x) @ (F,)
lambda x: jnp.polydiv(I, x) @ (F,)
lambda x: jnp.polydiv(I, I + 1) @ (F,)
lambda x: jnp.polydiv(x, x[:2] * 1j) @ (F,)
lambda x: jnp.polydiv(x, x[:1]) @ (F,)
lambda x: jnp.polydiv(x, x[:0]) @ (F,)
lambda x: jnp.polydiv(x, 1.) @ (F,)
lambda x: jnp.polydiv(1., x) @ (F,)
lambda x: jnp.polydiv(G, G) @ (F,)
lambda x: jnp.polydiv(x, [1]) @ (F,)
lambda x: jnp.polydiv([1], x) @ (F,)
lambda x: jnp.polydiv(x, x[:2], trim_leading_zeros=True) @ (F,)
"""

MANY = """
lambda x: jnp.polyval(np.float32([1, 0, 2, 0, 3, 0, 4, 5]), x) @ (F,)
lambda x: jnp.polyval(np.float32([1, 0, 2, 0, 3, 0, 4, 5, 6]), x) @ (F,)
lambda x: jnp.polyval(np.arange(20, dtype=np.float32), x) @ (F * .1,)
lambda x: jnp.polyval(jnp.tile(x, 5), x[0]) @ (F,)
lambda x: jnp.polyval(jnp.tile(x, (5, 1)), x) @ (G,)
lambda x: jnp.polyval(jnp.tile(x, 5), 2) @ (I,)
lambda x: jnp.polyval(x, x, unroll=1) @ (F,)
lambda x: jnp.polyval(x, x, unroll=3) @ (F,)
lambda x: jnp.polyval(x, 2., unroll=4) @ (F,)
lambda x: jnp.polyval(x, x, unroll=20) @ (F,)
lambda x: jax.jvp(lambda x: jnp.polyval(x, x, unroll=2), (x,), (x,)) @ (F,)
lambda x: jax.jvp(lambda x: jnp.polyval(jnp.tile(x, 3), x[0]), (x,), (x,)) @ (F,)
lambda x: jax.jvp(lambda x: jnp.polyval(x[:2], x), (x,), (x,)) @ (F,)
jax.vmap(lambda x: jnp.polyval(x, x[0], unroll=2)) @ (G,)
"""

VALUES = """
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (F, F)
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (F, F[:2])
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (F[:1], F)
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (F * 0, F)
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (I, F[:3])
lambda u, v: jnp.polydiv(u, v, trim_leading_zeros=True) @ (np.float32([1, 0, 2]), np.float32([1, 0]))
"""


def _parsed(text: str, wants: tuple[str, ...]) -> list[Program]:
    """The programs, with the arrays written out."""
    return [
        Program(
            p.name,
            f"(lambda F, I, G: {p.fun})({F}, {I}, {G})",
            f"(lambda F, I, G: {p.args})({F}, {I}, {G})",
            wants,
        )
        for p in parse_programs(text)
    ]


PROGRAMS = _parsed(TEXT + MANY, ALL) + _parsed(VALUES, ("value",))
