"""Where our engine shows something else than real jax, on purpose; `docs/differences.md` gives each reason.

A program stands here with the text that differs: ``(name, "stablehlo")``.
"""

from __future__ import annotations

from jaxnb.xla.version import JAXLIB_VERSION

KNOWN: set[tuple[str, str]] = set()

# the class that a loop's carry is shown as is ours
KNOWN |= {
    (name, want)
    for name in ("while-wrong-structure", "scan-wrong-structure")
    for want in ("jaxpr", "stablehlo", "value")
}
# the names of our implementations of keys
KNOWN |= {("random-impl-unknown", "repr")}

if JAXLIB_VERSION >= (0, 12):
    KNOWN |= {
        ("J3 a static value", "repr"),  # JAX has no explanation any more; ours is that of the version before
    }
else:
    KNOWN |= {
        # JAX makes a constant of a scan's body an argument of it
        ("gamma-grad", "jaxpr"),
        ("gamma-grad", "stablehlo"),
        ("loggamma-grad", "jaxpr"),
        ("loggamma-grad", "stablehlo"),
        # which inner programs are one
        ("lambda x: jax.jvp(lambda x:jnp.ldexp(x,2),(x,),(x,)) @ (np.ones(3, np.float32),)", "jaxpr"),
        ("lambda x: jax.jvp(lambda x:jnp.ldexp(x,2),(x,),(x,)) @ (np.ones(3, np.float32),)", "stablehlo"),
    }
