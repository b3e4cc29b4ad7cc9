"""StableHLO and HLO modules as programs of one form.

What lives here: from parsed modules to nodes: what of an operation counts, and which names do not. What must not: the
grammar of the texts, which ``model`` parses; jaxprs, which a front end hands over as programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jaxnb.explorer.capture.program import Program, ProgramBuilder, Value
from jaxnb.explorer.model.hlo_parse import Computation, HloModule, Instruction, parse_hlo, short_shape
from jaxnb.explorer.model.stablehlo_parse import Block, Function, Operation, StableHloModule, parse_stablehlo

__all__ = ["hlo_program", "stablehlo_program"]

KeysOfLine = Callable[[int], tuple[str, ...]]


def _no_keys(line: int) -> tuple[str, ...]:
    return ()


# ---- StableHLO -------------------------------------------------------------------------------------------------------

_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_CALLED = re.compile(r'@(?:"[^"]*"|[\w$.\-]+)')
_SPACE = re.compile(r"\s+")
_ARGUMENT = re.compile(r"(%[\w$.\-]+)\s*:\s*([^,){]+)")
_LONGEST = 400


def stablehlo_program(
    module: StableHloModule | str,
    *,
    parameters: Sequence[str] = (),
    keys_of: KeysOfLine = _no_keys,
    text: str = "",
) -> Program:
    """A StableHLO module as a program.

    Args:
        module: The module, or its text.
        parameters: What the parameters of main are known by; their numbers, where nothing is said.
        keys_of: The pivots that a line stands for.
        text: The text that a parsed module is from.
    """
    if isinstance(module, str):
        text, module = module, parse_stablehlo(module)
    return _StableHloReader(module, text.split("\n"), parameters, keys_of).program


class _StableHloReader:
    """Reads functions as they are called, each once."""

    def __init__(
        self, module: StableHloModule, lines: Sequence[str], parameters: Sequence[str], keys_of: KeysOfLine
    ) -> None:
        self.module = module
        self.lines = lines
        self.keys_of = keys_of
        self.builder = ProgramBuilder("mlir")
        self.functions: dict[str, int] = {}
        self.values: dict[str, Value] = {}
        self.builder.program.root = self.function(module.main, parameters)

    @property
    def program(self) -> Program:
        return self.builder.program

    def function(self, function: Function, parameters: Sequence[str] = ()) -> int:
        """The scope of a function."""
        scope = self.functions[function.name] = self.builder.scope()
        outside, self.values = self.values, {}
        types = dict(_ARGUMENT.findall(self.lines[function.line])) if function.line < len(self.lines) else {}
        for place, name in enumerate(function.body.arguments):
            key = parameters[place] if place < len(parameters) and parameters[place] else str(place)
            type_ = types.get(name, "").strip()
            keys = (key,) if ":" in key else ()
            number = self.builder.parameter(
                scope, key, type_, f"{name}: {type_}", line=function.line, keys=keys
            )
            self.values[name] = (number, 0)
        self.block(function.body, scope, function.end_line)
        self.values = outside
        return scope

    def block(self, block: Block, scope: int, end_line: int) -> None:
        for operation in block.operations:
            self.operation(operation, scope)
        shown = ", ".join(block.returned)
        self.builder.result(
            scope, [self.value(name) for name in block.returned], f"return {shown}", line=end_line
        )

    def operation(self, operation: Operation, scope: int) -> None:
        operands = [self.value(name) for name in operation.operands]
        scopes = [self.region(region) for region in operation.regions]
        body = _SPACE.sub(" ", operation.text).strip()
        label = f"{operation.name} {_VALUE.sub('_', body)}"
        if operation.callee:
            label = f"{operation.name} {_CALLED.sub('', _VALUE.sub('_', body), count=1)}"
            callee = self.module.functions.get(operation.callee)
            if callee is not None:
                known = self.functions.get(operation.callee)
                scopes.append(self.function(callee) if known is None else known)
        names = ", ".join(operation.results)
        left = (
            f"{operation.results[0].partition('#')[0]}:{len(operation.results)}"
            if len(operation.results) > 1
            else names
        )
        shown = f"{left} = {operation.name} {body}" if left else f"{operation.name} {body}"
        number = self.builder.operation(
            scope,
            operation.name,
            label,
            operands,
            shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…",
            scopes=scopes,
            line=operation.line,
            keys=self.keys_of(operation.line),
        )
        for place, name in enumerate(operation.results):
            self.values[name] = (number, place)

    def region(self, region: Block) -> int:
        scope = self.builder.scope()
        before = dict(self.values) if region.arguments else self.values
        outside, self.values = self.values, before
        for place, name in enumerate(region.arguments):
            number = self.builder.parameter(scope, str(place), "", name)
            self.values[name] = (number, 0)
        self.block(region, scope, -1)
        self.values = outside
        return scope

    def value(self, name: str) -> Value:
        return self.values.get(name, name)


# ---- HLO -------------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"%[\w.\-]+")
_CALL_ATTRIBUTE = re.compile(
    r"\b(calls|to_apply|condition|body|branch_computations|true_computation|false_computation|called_computations|"
    r"select|scatter|comparator)=(\{[^}]*\}|%[\w.\-]+)(, )?"
)


def hlo_program(
    module: HloModule | str, *, parameters: Sequence[str] = (), keys_of: KeysOfLine = _no_keys
) -> Program:
    """An HLO module, before or after optimisation, as a program.

    Args:
        module: The module, or its text, with ``%`` before names.
        parameters: What the parameters of the entry are known by; their numbers, where nothing is said.
        keys_of: The pivots that a line stands for.
    """
    if isinstance(module, str):
        module = parse_hlo(module)
    return _HloReader(module, parameters, keys_of).program


class _HloReader:
    """Reads computations as they are called, each once."""

    def __init__(self, module: HloModule, parameters: Sequence[str], keys_of: KeysOfLine) -> None:
        self.module = module
        self.keys_of = keys_of
        self.builder = ProgramBuilder("hlo")
        self.scopes: dict[str, int] = {}
        self.builder.program.root = self.computation(module.entry, parameters)

    @property
    def program(self) -> Program:
        return self.builder.program

    def computation(self, computation: Computation, parameters: Sequence[str] = ()) -> int:
        scope = self.scopes[computation.name] = self.builder.scope()
        values: dict[str, Value] = {}
        for place, one in enumerate(computation.parameters):
            key = parameters[place] if place < len(parameters) and parameters[place] else str(place)
            shape = short_shape(one.shape)
            shown = f"%{one.name} = {shape} parameter({one.literal})"
            keys = (key,) if ":" in key else self.keys_of(one.line)
            values[one.name] = (self.builder.parameter(scope, key, shape, shown, line=one.line, keys=keys), 0)
        for one in computation.instructions.values():
            if one.opcode != "parameter":
                values[one.name] = (self.instruction(one, scope, values), 0)
        root = computation.root
        self.builder.result(scope, [values[root.name]], f"ROOT %{root.name}", line=root.line, is_hidden=True)
        return scope

    def instruction(self, one: Instruction, scope: int, values: dict[str, Value]) -> int:
        scopes = []
        for name in one.called:
            callee = self.module.computations.get(name)
            if callee is not None:
                known = self.scopes.get(name)
                scopes.append(self.computation(callee) if known is None else known)
        attributes = _CALL_ATTRIBUTE.sub("", one.attributes).removesuffix(", ")
        shape = short_shape(one.shape)
        operands = ", ".join(f"%{name}" for name in one.operands)
        inside = one.literal if one.opcode == "constant" else operands
        shown = f"%{one.name} = {shape} {one.opcode}({inside})"
        if attributes:
            shown += f", {attributes}"
        return self.builder.operation(
            scope,
            one.opcode,
            f"{one.opcode} {one.shape} {one.literal} {_NAME.sub('_', attributes)}",
            [values.get(name, f"%{name}") for name in one.operands],
            shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…",
            scopes=scopes,
            line=one.line,
            keys=self.keys_of(one.line),
        )
