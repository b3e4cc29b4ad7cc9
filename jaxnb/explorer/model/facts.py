"""The facts of a compiled program as nested JSON: what a test, a grader or a script can assert.

What lives here: numbers, each from one place. What must not: sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxnb.explorer.capture.protocol import CapturedCompilation, CapturedLowering, CapturedTrace
from jaxnb.explorer.model.graph import Graph
from jaxnb.explorer.model.hlo_parse import HloModule, shape_bytes
from jaxnb.explorer.model.links import Links
from jaxnb.explorer.model.stablehlo_parse import StableHloModule


def make_facts(
    *,
    trace: CapturedTrace,
    lowering: CapturedLowering | None,
    stablehlo: StableHloModule | None,
    compilation: CapturedCompilation | None,
    links: Links | None,
    graph: Graph | None,
    run_s: float | None,
    first_view_s: float | None,
) -> dict[str, Any]:
    """The facts known so far; what is not known yet is None."""
    total = sum(1 for equation in trace.equations if equation.is_leaf)
    counts = links.counts() if links is not None else None
    linked = counts.get("linked", 0) if counts is not None else None
    unknown = counts.get("unknown", 0) if counts is not None else None
    explained = total - linked - unknown if linked is not None and unknown is not None else None
    memory: Mapping[str, int] = compilation.memory if compilation is not None else {}
    module = links.hlo if links is not None else None
    return {
        "function": trace.function,
        "device": trace.device,
        "versions": dict(trace.versions),
        "equations": {
            "total": total,
            "linked": linked,
            "explained": explained,
            "unknown": unknown,
            "fates": counts,
        },
        "stablehlo": {
            "ops": stablehlo.operation_count if stablehlo is not None else None,
            "functions": len(stablehlo.functions) if stablehlo is not None else None,
            "characters": len(lowering.text) if lowering is not None else None,
        },
        "hlo": {
            "instructions": module.instruction_count if module is not None else None,
            "fusions": len(module.fusions) if module is not None else None,
            "computations": len(module.computations) if module is not None else None,
            "characters": len(compilation.text) if compilation is not None else None,
        },
        "bytes": {
            "arguments": memory.get("argument_size_in_bytes", sum(one.nbytes for one in trace.arguments)),
            "outputs": memory.get("output_size_in_bytes", trace.output_bytes),
            "temporaries": memory.get("temp_size_in_bytes"),
            "constants": sum(one.nbytes for one in trace.constants),
            "literals": literal_bytes(module) if module is not None else None,
        },
        "cost": dict(compilation.cost) if compilation is not None else {},
        "seconds": {
            "trace": trace.seconds,
            "lower": lowering.seconds if lowering is not None else None,
            "compile": compilation.seconds if compilation is not None else None,
            "run": run_s,
            "first_view": first_view_s,
        },
        "graph": {
            "visible_nodes": graph.visible_nodes if graph is not None else None,
            "folds": len(graph.folds) if graph is not None else None,
            "repeats": list(graph.folds) if graph is not None else None,
        },
    }


def literal_bytes(module: HloModule) -> int:
    """The bytes of the constants that stand in the optimised program itself."""
    return sum(
        shape_bytes(instruction.shape)
        for computation in module.computations.values()
        for instruction in computation.instructions.values()
        if instruction.opcode == "constant"
    )
