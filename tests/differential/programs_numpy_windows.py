"""Programs of windows, and of truth values packed into bytes."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

ALL = ("jaxpr", "stablehlo", "value")
LENGTHS = ("5", "8", "2", "1", "0", "-1", "2.0", "True", "'a'", "None", "[3]", "np.int16(4)")


def _windows() -> list[Program]:
    lines = []
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        lines += [f"lambda: jnp.{name}({length}) @ ()" for length in LENGTHS]
        lines.append(f"lambda m: jnp.{name}(m) @ (3,)")
    for length in LENGTHS:
        lines.append(f"lambda: jnp.kaiser({length}, 2.5) @ ()")
    for beta in ("2", "0.0", "-1.5", "'a'", "1j", "np.float16(3)", "np.arange(5.)", "True"):
        lines.append(f"lambda: jnp.kaiser(5, {beta}) @ ()")
    return parse_programs("\n".join(lines), wants=ALL)


KAISER = """
lambda b: jnp.kaiser(5, b) @ (np.float32(2),)
lambda b: jnp.kaiser(5, b) @ (np.ones(3, np.float32),)
lambda b: jnp.kaiser(0, b) @ (np.ones(3, np.float32),)
lambda m: jnp.kaiser(m, 2.) @ (3,)
jax.grad(lambda b: jnp.kaiser(6, b).sum()) @ (np.float32(2),)
jax.vmap(lambda b: jnp.kaiser(4, b)) @ (np.arange(3, dtype=np.float32),)
"""

WIDE = """
lambda: jnp.bartlett(5) @ ()
lambda: jnp.blackman(5) @ ()
lambda: jnp.kaiser(5, 2.) @ ()
lambda: jnp.hanning(1) @ ()
"""

BITS = """
jnp.packbits @ (np.array([0, 1, 0, 1]) > 0,)
jnp.packbits @ (np.array([0, 1, 0, 3, 0, 0, 7, -8, 9]),)
jnp.packbits @ (np.zeros(8, bool),)
jnp.packbits @ (np.ones((3, 9), np.uint8),)
jnp.packbits @ (1,)
jnp.packbits @ (np.zeros(0, bool),)
jnp.packbits @ (np.ones(3, np.float32),)
lambda x: jnp.packbits(x, axis=0) @ (np.ones((3, 4), np.int16),)
lambda x: jnp.packbits(x, axis=1) @ (np.arange(24).reshape(2, 12) % 3,)
lambda x: jnp.packbits(x, axis=-1, bitorder='little') @ (np.arange(24).reshape(2, 12) % 3,)
lambda x: jnp.packbits(x, axis=3) @ (np.ones((3, 4), np.int16),)
lambda x: jnp.packbits(x, axis=0) @ (1,)
lambda x: jnp.packbits(x, bitorder='little') @ (np.arange(12) % 3,)
lambda x: jnp.packbits(x, bitorder='last') @ (np.arange(12) % 3,)
lambda x: jnp.packbits([1, 0]) @ (1,)
jax.vmap(jnp.packbits) @ (np.arange(24).reshape(2, 12) % 3,)
jnp.unpackbits @ (np.array([1, 7, 255], np.uint8),)
jnp.unpackbits @ (np.arange(12, dtype=np.uint8).reshape(3, 4),)
jnp.unpackbits @ (np.uint8(3),)
jnp.unpackbits @ (np.zeros(0, np.uint8),)
jnp.unpackbits @ (np.arange(3),)
lambda x: jnp.unpackbits(x, axis=0) @ (np.arange(12, dtype=np.uint8).reshape(3, 4),)
lambda x: jnp.unpackbits(x, axis=1, count=3) @ (np.arange(12, dtype=np.uint8).reshape(3, 4),)
lambda x: jnp.unpackbits(x, count=-3) @ (np.arange(12, dtype=np.uint8).reshape(3, 4),)
lambda x: jnp.unpackbits(x, count=0) @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits(x, count=30) @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits(x, axis=0, count=30) @ (np.arange(12, dtype=np.uint8).reshape(3, 4),)
lambda x: jnp.unpackbits(x, count='a') @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits(x, bitorder='little') @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits(x, bitorder='last') @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits(x, axis=0) @ (np.uint8(3),)
lambda x: jnp.unpackbits(x, axis=4) @ (np.arange(3, dtype=np.uint8),)
lambda x: jnp.unpackbits([1, 0]) @ (1,)
jax.vmap(jnp.unpackbits) @ (np.arange(6, dtype=np.uint8).reshape(2, 3),)
"""

PROGRAMS = [
    *_windows(),
    *parse_programs(KAISER, wants=ALL),
    *(Program(f"x64 {p.name}", p.fun, p.args, ALL, {"jax_enable_x64": True}) for p in parse_programs(WIDE)),
    *parse_programs(BITS, wants=ALL),
]
