"""The HLO of a StableHLO module as it is translated, operation by operation, with no constant folded on the way.

XLA's reader folds what depends on constants alone, so that ``add(1, 1)`` arrives as ``2``. Here each constant travels
as an opaque call and is written back into the text. What must not live here: compiling.
"""

from __future__ import annotations

import re

from jaxnb.xla.hlo import print_options, unoptimized_text
from jaxnb.xla.mlir import ir, make_context, module_to_bytecode, parse_module

__all__ = ["unfolded_text"]

_MARK = "jaxnb.constant."
_CALL = re.compile(r'custom-call\(\), custom_call_target="jaxnb\.constant\.(\d+)"(?:, api_version=\w+)?')
_NAMED = re.compile(r'(%custom-call[\w.\-]*) = [^\n]*custom_call_target="jaxnb\.constant\.')
_ANY_NAME = re.compile(r"%custom-call[\w.\-]*")
_MOST_WRITTEN = 8


def unfolded_text(stablehlo: bytes | str) -> str:
    """Returns the HLO text of a StableHLO module (bytecode or text) with nothing folded, ``%`` before names.

    Constants of more than a few elements are elided, as XLA elides them.
    """
    with make_context() as context:
        module = parse_module(stablehlo, context)
        written = _hide_constants(module)
        text = unoptimized_text(module_to_bytecode(module), print_options(backend_config=False))
    names = {name: f"{name.replace('custom-call', 'constant')}" for name in _NAMED.findall(text)}
    text = _CALL.sub(lambda match: f"constant({written[int(match[1])]})", text)
    return _ANY_NAME.sub(lambda match: names.get(match[0], match[0]), text)


def _hide_constants(module: ir.Module) -> list[str]:
    """Replaces each constant by a call of its own; the result says what they hold."""
    found: list[ir.Operation] = []

    def visit(operation: ir.Operation) -> ir.WalkResult:
        if operation.name == "stablehlo.constant":
            found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    written = []
    for number, operation in enumerate(found):
        result = operation.results[0]
        written.append(_elements(operation.attributes["value"]))
        call = ir.Operation.create(
            "stablehlo.custom_call",
            results=[result.type],
            attributes={
                "call_target_name": ir.StringAttr.get(f"{_MARK}{number}"),
                "api_version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 2),
            },
            loc=operation.location,
            ip=ir.InsertionPoint(operation),
        )
        result.replace_all_uses_with(call.results[0])
        operation.erase()
    return written


def _elements(value: ir.Attribute) -> str:
    """Returns a constant's elements as HLO writes them; ``{...}`` where there are many."""
    text = str(value)
    inside = text[text.index("<") + 1 : text.rindex("> :")] if "> :" in text else text
    if inside.startswith('"') or inside.count(",") >= _MOST_WRITTEN:
        return "{...}"
    return inside.replace("[", "{").replace("]", "}")
