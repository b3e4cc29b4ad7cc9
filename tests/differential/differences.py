"""Where our engine shows something else than real jax, on purpose; `docs/differences.md` gives each reason.

A program stands here with the text that differs: ``(name, "stablehlo")``.
"""

from __future__ import annotations

from jaxnb.xla.version import JAXLIB_VERSION

KNOWN: set[tuple[str, str]] = set()

if JAXLIB_VERSION >= (0, 12):
    KNOWN |= {
        ("J3 a static value", "repr"),  # JAX has no explanation any more; ours is that of the version before
    }
else:
    KNOWN |= {
        # the origin of a value that a constant became is the call that traced it, not the line
        ("lambda x: 1 if jnp.zeros(()) + 1. > 0 else 2 @ (1.,)", "jaxpr"),
        # the sentence that names the method
        ("lambda x: x.item() @ (1,)", "jaxpr"),
        ("lambda x: x.tolist() @ (1,)", "jaxpr"),
        # which of two errors comes first
        ("lambda x: int(x) @ (np.arange(3),)", "jaxpr"),
        # a size that was given as a number is said as a tuple
        ("lambda x: x.reshape(5) @ (np.ones(4),)", "jaxpr"),
        # the names of our classes and of our implementations of keys
        ("lambda x: hash(x) @ (1,)", "jaxpr"),
        ("random-impl-unknown", "repr"),
        # one platform is lowered for: its branch is taken while lowering
        ("platform-dependent", "stablehlo"),
        # JAX makes a constant of a scan's body an argument of it
        ("gamma-grad", "jaxpr"),
        ("gamma-grad", "stablehlo"),
        ("loggamma-grad", "jaxpr"),
        ("loggamma-grad", "stablehlo"),
        # which inner programs are one
        ("lambda x: jax.jvp(lambda x:jnp.ldexp(x,2),(x,),(x,)) @ (np.ones(3, np.float32),)", "jaxpr"),
        ("lambda x: jax.jvp(lambda x:jnp.ldexp(x,2),(x,),(x,)) @ (np.ones(3, np.float32),)", "stablehlo"),
    }
    # the class that a loop's carry is shown as is ours
    KNOWN |= {
        (name, want)
        for name in ("while-wrong-structure", "scan-wrong-structure")
        for want in ("jaxpr", "stablehlo", "value")
    }
