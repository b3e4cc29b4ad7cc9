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
# the implementations of keys that are named are those that we have
KNOWN |= {("random-impl-unknown", "repr")}
# JAX names the call's scopes twice in some operations of a derivative, and the mapping's in the program of a rule
KNOWN |= {("a product in a derivative of one's own", "locations"), ("keys that are mapped", "locations")}
# an array that is captured once is one argument, however often it is used
KNOWN |= {("C2 once for one array", "repr")}

# what a jitted function in a loop makes of numbers alone, JAX computes before the loop of a gradient
KNOWN |= {("scan-jitted-constants-grad", want) for want in ("jaxpr", "stablehlo")}

if JAXLIB_VERSION >= (0, 12):
    # functions that only rearrange or convert let go of a mask there; ours refuse it, as all others do
    MASKED = (
        "lambda x: jnp.transpose(x) @ (np.ma.array(np.ones((4,1))),)",
        "lambda x: jnp.astype(x, np.int32) @ (np.ma.array(np.ones(4)),)",
    )
    KNOWN |= {(name, "value") for name in MASKED}
    KNOWN |= {
        ("J3 a static value", "repr"),  # JAX has no explanation any more; ours is that of the version before
        ("J8 programs that call back", "repr"),  # JAX writes them to disk; here they are compiled anew
    }
else:
    KNOWN |= {
        ("scan-jitted-table-grad", want) for want in ("jaxpr", "stablehlo")
    }  # likewise, in a search of a table
    # which inner programs are one, and where a weakly typed operand is converted
    LDEXP = (
        "lambda x: jax.jvp(lambda x:jnp.ldexp(x,2),(x,),(x,)) @ (np.ones(3, np.float32),)",
        "jnp.frexp @ (1.,)",
        "jnp.frexp @ (1,)",
        "jnp.ldexp @ (1., 2)",
        "jnp.ldexp @ (1, 2)",
        "jnp.ldexp @ (2., np.arange(3))",
        "jnp.ldexp @ (np.ones(3, bool), 2)",
    )
    KNOWN |= {(name, want) for name in LDEXP for want in ("jaxpr", "stablehlo")}
