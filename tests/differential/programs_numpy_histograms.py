"""Programs of differences and histograms."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.array([[3, 1, 2, 0], [0, 5, 0, 1], [2, 2, 1, 7]], np.float32),)"
I = "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]], np.int32),)"
B = "(np.array([[True, False, True, False], [False, False, True, True]]),)"

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str = F, wants: tuple[str, ...] = ("jaxpr", "value")) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


for options in (
    "",
    "n=2, axis=0",
    "n=0",
    "n=-1",
    "n=9",
    "axis=4",
    "prepend=0",
    "append=x",
    "axis=0, prepend=0, append=1.0",
):
    _add(f"diff-{options}", f"lambda x: jnp.diff(x, {options})", F, ("jaxpr", "stablehlo", "value"))
for kind, args in {"i32": I, "bool": B, "weak": "(1.0,)"}.items():
    _add(f"diff-{kind}", "lambda x: jnp.diff(x)", args)
_add("diff-list", "lambda x: jnp.diff([1, 2])")
_add("diff-grad", "jax.grad(lambda x: (jnp.diff(x) ** 2).sum())")

for options in ("", "bins=4", "bins=4, range=(0, 1)", "bins=4, weights=x", "bins=4, density=True", "bins=x[0]", "bins='auto'",
                "bins=4, weights=x[0]", "bins=x", "bins=4, weights=np.ones((3, 4), np.int32)", "bins=np.array([0, 2, 9])"):  # fmt: skip
    _add(f"histogram-{options}", f"lambda x: jnp.histogram(x, {options})")
_add("histogram-i32", "lambda x: jnp.histogram(x, bins=3)", I)
_add("histogram-stablehlo", "lambda x: jnp.histogram(x, bins=3)", F, ("stablehlo",))
for options in ("bins=3", "bins=3, range=(1, 2)", "bins=x[0]"):
    _add(f"histogram_bin_edges-{options}", f"lambda x: jnp.histogram_bin_edges(x, {options})")
_add("histogram_bin_edges-empty", "lambda x: jnp.histogram_bin_edges(x[:0], bins=3)")
for options in ("bins=3", "bins=[x[1], x[1]]", "bins=(2, 3), range=[(0, 1), (0, 1)]", "bins=2, density=True"):
    _add(f"histogram2d-{options}", f"lambda x: jnp.histogram2d(x[0], x[1], {options})")
_add("histogram2d-shapes", "lambda x: jnp.histogram2d(x[0], x[1, :2])")
for options in ("bins=3", "bins=(2, 3, 1, 1), density=True", "bins=2, weights=np.ones(3, np.float32)", "bins=(2, 3)",
                "bins=2, range=[(0, 1)]"):  # fmt: skip
    _add(f"histogramdd-{options}", f"lambda x: jnp.histogramdd(x, {options})")
_add("histogramdd-row", "lambda x: jnp.histogramdd(x[0], bins=2)")
