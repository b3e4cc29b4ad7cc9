"""Errors about a value that is not known while a function is traced: what to write instead.

What lives here: truth values, numbers, indices, masks, texts, NumPy, attributes. What must not: shapes that do not fit
(``cures_of_shapes``), functions and what they return (``cures_of_functions``).
"""

from __future__ import annotations

import ast
import re

from jaxnb.explorer.analysis.conditions import as_array, choices, first_comparison, staged_condition
from jaxnb.explorer.analysis.cures import Advice, Cure, expression, in_numpy, origin, static_cures, wrapped
from jaxnb.explorer.capture.failure import CapturedFailure

__all__ = [
    "assigned",
    "asked",
    "attribute",
    "formatted",
    "hashed",
    "indexed",
    "masked",
    "number",
    "numpy",
    "sized",
]

_ASKERS = {
    "if": "`if` asks whether",
    "while": "`while` asks, again and again, whether",
    "and": "`and` asks whether",
    "or": "`or` asks whether",
    "not": "`not` asks whether",
    "chain": "A chained comparison is an `and`, which asks whether",
    "assert": "`assert` asks whether",
}


def asked(failure: CapturedFailure) -> Advice:
    """Python asks whether a traced value is true."""
    written, parts, code = failure.statement, failure.parts, failure.code
    about = written
    if failure.kind in ("and", "or", "not"):
        about = parts[0] if parts else written
    elif failure.kind == "chain":
        about = first_comparison(written)
    elif failure.kind == "call" and not code.context:
        about = ""
    asker = _ASKERS.get(failure.kind, "Python asks whether")
    if failure.kind == "call" and not code.context:
        asker = f"`{failure.callee}` asks whether"
    shown = f"`{about}`" if about else f"a value of type {failure.value_type}"
    why = f"{asker} {shown} is true while the function is traced. Its value is not known yet: it {origin(failure)}."
    if "ambiguous" in failure.message:
        why = f"{asker} {shown} is true: it has many elements, each with an answer of its own. It {origin(failure)}."
    return why, (*_asked_cures(failure), *static_cures(failure))


def _asked_cures(failure: CapturedFailure) -> list[Cure]:
    code, written = failure.code, failure.statement
    condition = staged_condition(written) or "condition"
    if code.context and "ambiguous" in failure.message:
        # By element where that is possible; a branch or a loop needs one answer.
        by_element = choices(condition, code.context, code.whole)
        in_all = choices(f"jnp.all({condition})", code.context, code.whole)
        return [b if "lax." in b.code else a for a, b in zip(by_element, in_all, strict=True)]
    if code.context:
        return choices(condition, code.context, code.whole)
    node = expression(written)
    if failure.kind in ("and", "or"):
        parts = [expression(part) for part in failure.parts]
        is_truth = all(isinstance(part, ast.Compare | ast.BoolOp | ast.UnaryOp) for part in parts)
        cures = [Cure("Write" if is_truth else "If a truth value is meant:", condition)]
        if len(failure.parts) == 2 and not is_truth:
            a, b = failure.parts
            chosen = f"{b}, {a}" if failure.kind == "and" else f"{a}, {b}"
            cures.append(Cure("If one of the two values is meant:", f"jnp.where({a}, {chosen})"))
        return cures
    if failure.kind == "not":
        return [Cure("Write", condition)]
    if failure.kind == "chain":
        return [Cure("Compare twice and join:", condition)]
    if isinstance(node, ast.Call):
        return _called(node, condition, written)
    if condition != written:
        return [Cure("Write", condition)]
    return choices(condition, "", "")


def _called(node: ast.Call, condition: str, written: str) -> list[Cure]:
    """A function of Python's that compares or chooses, in the words of ``jnp``; nothing for a function not known."""
    name = ast.unparse(node.func)
    if condition != written:
        return [Cure("Write", condition)]
    if name in ("min", "max") and not node.keywords:
        if len(node.args) == 2:
            return [Cure("Write", f"jnp.{name}imum({', '.join(map(ast.unparse, node.args))})")]
        one = node.args[0] if len(node.args) == 1 else ast.List(node.args, ast.Load())
        return [Cure("Write", f"jnp.{name}({as_array(one)})")]
    if name == "sorted" and len(node.args) == 1:
        keywords = {one.arg: ast.unparse(one.value) for one in node.keywords}
        if not keywords or keywords in ({"reverse": "True"}, {"reverse": "False"}):
            backwards = "[::-1]" if keywords.get("reverse") == "True" else ""
            return [Cure("Write", f"jnp.sort({as_array(node.args[0])}){backwards}")]
        if set(keywords) == {"key"}:
            array, key = as_array(node.args[0]), keywords["key"]
            return [Cure("Write", f"{array}[jnp.argsort(jaxnb.vmap({key})({array}))]")]
    if isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        held, wanted = as_array(node.func.value), ast.unparse(node.args[0])
        if node.func.attr == "index":
            return [Cure("Write", f"jnp.argmax({held} == {wanted})")]
        if node.func.attr == "count":
            return [Cure("Write", f"jnp.sum({held} == {wanted})")]
    return []


def sized(failure: CapturedFailure) -> Advice:
    """A shape that is not known."""
    why = (
        f"A shape must be known while the function is traced. The one in `{failure.statement}` is not: "
        f"it {origin(failure)}."
    )
    instead = in_numpy(failure)
    cures = (
        [Cure("Shapes are known: compute with them in NumPy, at once and on the host:", instead)]
        if instead
        else []
    )
    if failure.callee in ("jnp.arange", "jnp.zeros", "jnp.ones") and len(failure.parts) == 1:
        [n] = failure.parts
        if not instead and failure.depends_on and not n.startswith("("):
            made = "jnp.arange(most)" if failure.callee == "jnp.arange" else f"{failure.callee}(most)"
            cures.append(
                Cure(
                    f"If `{n}` is at most `most`, take so many, and 0 for the rest:",
                    f"jnp.where(jnp.arange(most) < {n}, {made}, 0)",
                )
            )
    return why, (*static_cures(failure), *cures)


_OF_MATH = frozenset(
    {
        "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "floor",
        "ceil", "hypot", "isnan", "isinf", "isfinite",
    }
)  # fmt: skip
"""What the standard library and ``jnp`` call by the same name."""
_CONVERSIONS = ("int", "float", "complex", "bool")


def number(failure: CapturedFailure) -> Advice:
    """A Python number is wanted."""
    why = (
        f"`{failure.statement}` needs a number while the function is traced, and the value {origin(failure)}."
    )
    cures = []
    instead = in_numpy(failure)
    called = re.match(r"(.+)\.(item|tolist)$", failure.callee, re.DOTALL)
    of_math = re.match(r"math\.(\w+)$", failure.callee)
    if failure.callee in _CONVERSIONS:
        x = failure.parts[0] if failure.parts else "x"
        cures.append(Cure("To change the type of a traced value:", f"{wrapped(x)}.astype({failure.callee})"))
        if instead and not instead.startswith("np.asarray"):
            cures.append(Cure("What depends on shapes alone is for NumPy:", f"{failure.callee}({instead})"))
    elif of_math is not None and of_math[1] in _OF_MATH:
        cures.append(
            Cure("The same function of jnp is staged:", f"jnp.{of_math[1]}({', '.join(failure.parts)})")
        )
    elif called is not None:
        cures.append(Cure("Functions of jnp take the traced value as it is:", called[1]))
    elif instead:
        cures.append(Cure("What depends on shapes alone is for NumPy:", instead))
    if failure.kind == "operator" and (text := _printed(failure.statement)):
        return why, (Cure("To print it when the program runs:", text), *static_cures(failure))
    return why, (*cures, *static_cures(failure))


_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def masked(failure: CapturedFailure) -> Advice:
    """A mask has no size."""
    why = (
        f"The size of `{failure.statement}` depends on how many elements of a mask are true, and a compiled program "
        "has fixed sizes."
    )
    cures = []
    updated = re.match(r"(.+)\.at\[(.+)\]\.(\w+)$", failure.callee)
    if updated is not None:
        x, mask, method = updated.groups()
        new = failure.parts[0] if failure.parts else "new"
        value = f"{x} {_SIGNS[method]} {wrapped(new)}" if method in _SIGNS else new
        why = (
            f"`{failure.statement}` must know how many elements of the mask are true, to make an index of it, and while "
            "the function is traced no element is known."
        )
        if mask in new:  # the new values are themselves picked out by the mask
            value = value.replace(f"[{mask}]", "")
        cures.append(Cure("Choose by element:", f"jnp.where({mask}, {value}, {x})"))
    elif failure.callee:
        inside = ", ".join([*failure.parts, "size=n", "fill_value=0"])
        cures.append(Cure("Say how large the result may become:", f"{failure.callee}({inside})"))
    else:
        x, mask = failure.parts if len(failure.parts) == 2 else ("x", "mask")
        cures.append(
            Cure("Keep the size, and put something where the mask is false:", f"jnp.where({mask}, {x}, 0)")
        )
        cures.append(Cure("Sums, means and the like take the mask:", f"jnp.sum({x}, where={mask})"))
    return why, tuple(cures)


def numpy(failure: CapturedFailure) -> Advice:
    """A traced value is handed to NumPy."""
    written = failure.statement or failure.callee
    why = f"`{written}` hands a traced value to NumPy, which needs its elements; the value {origin(failure)}."
    instead = re.sub(r"\b(np|numpy)\.", "jnp.", failure.statement)
    cures = [Cure("The same function of jnp is staged:", instead)] if instead != failure.statement else []
    x = failure.parts[0] if len(failure.parts) == 1 else ""
    if failure.kind == "call" and x and not re.search(r"\b(asarray|array)$", failure.callee):
        result = f"jaxnb.ShapeDtypeStruct(jnp.shape({x}), jnp.result_type({x}))"
        cures.append(
            Cure(
                "To call it on the host when the program runs, with a result of the argument's type:",
                f"jaxnb.pure_callback(lambda x: np.asarray({failure.callee}(x), x.dtype), {result}, {x})",
            )
        )
    return why, (*cures, *static_cures(failure))


def indexed(failure: CapturedFailure) -> Advice:
    """A Python integer is wanted, for an index or a loop."""
    why = f"`{failure.statement}` needs a Python integer while the function is traced, and the value {origin(failure)}."
    if failure.callee == "range":
        bounds = ["0", *failure.parts] if len(failure.parts) == 1 else list(failure.parts[:2])
        cures = [
            Cure("A loop whose length depends on values:", f"lax.fori_loop({', '.join(bounds)}, body, start)")
        ]
    elif failure.kind == "index" and len(failure.parts) == 2:
        x, i = failure.parts
        node = expression(x)
        held = as_array(node) if node is not None else f"jnp.asarray({x})"
        held = held.replace("jnp.array(", "jnp.asarray(", 1)
        cures = [Cure("An array can be indexed by a traced value, a list cannot:", f"{held}[{i}]")]
    else:
        cures = []
    return why, (*cures, *static_cures(failure))


def formatted(failure: CapturedFailure) -> Advice:
    """A text is made of a traced value."""
    why = (
        f"`{failure.statement}` writes a value into a text while the function is traced, and its digits are not known "
        f"yet: it {origin(failure)}."
    )
    text = _printed(failure.statement)
    cures = [Cure("To print it when the program runs:", text)] if text else []
    return why, (*cures, *static_cures(failure))


def _printed(written: str) -> str:
    """A text that is made of values, as a call that prints it when the program runs; "" if it is not understood."""
    node = expression(written)
    if isinstance(node, ast.JoinedStr):
        pieces, values = [], []
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                parts = one.format_spec.values if isinstance(one.format_spec, ast.JoinedStr) else []
                spec = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
                pieces.append("{:" + spec + "}" if spec else "{}")
                values.append(ast.unparse(one.value))
            elif isinstance(one, ast.Constant):
                pieces.append(str(one.value).replace("{", "{{").replace("}", "}}"))
        return _print_call("".join(pieces), values)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "format"
        and node.args
    ):
        spec = node.args[1].value if len(node.args) == 2 and isinstance(node.args[1], ast.Constant) else ""
        return _print_call(f"{{:{spec}}}" if spec else "{}", [ast.unparse(node.args[0])])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = node.func.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and not node.keywords:
            return _print_call(text.value, [ast.unparse(one) for one in node.args])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        if isinstance(node.left.value, str):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            spec = re.sub(r"%(\.?\d*\.?\d*[dfeg])", r"{:\1}", node.left.value).replace("%s", "{}")
            return _print_call(spec, [ast.unparse(one) for one in values]) if "%" not in spec else ""
    return ""


def _print_call(text: str, values: list[str]) -> str:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return f"jaxnb.debug.print({', '.join([quoted, *values])})"


def hashed(failure: CapturedFailure) -> Advice:
    """A traced value as a key."""
    why = f"`{failure.statement}` looks a traced value up by its hash, and it has none: it {origin(failure)}."
    cures = []
    if failure.kind == "index" and len(failure.parts) == 2:
        table, x = failure.parts
        held = wrapped(table)
        cures.append(
            Cure(
                "To choose one of the values of a dict when the program runs:",
                f"jnp.select([{x} == key for key in {held}], list({held}.values()))",
            )
        )
    return why, (*cures, *static_cures(failure))


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
}


def assigned(failure: CapturedFailure) -> Advice:
    """An element is assigned."""
    why = (
        f"`{failure.code.whole or failure.statement}` assigns elements of an array, and arrays never change."
    )
    try:
        [node] = ast.parse(failure.code.whole).body
    except (SyntaxError, ValueError):
        return why, ()
    method, target = "set", None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AugAssign):
        target, method = node.target, _OPERATORS.get(type(node.op), "")
    if not isinstance(target, ast.Subscript) or not method:
        return why, ()
    assert isinstance(node, ast.Assign | ast.AugAssign)
    x, index, value = ast.unparse(target.value), ast.unparse(target.slice), ast.unparse(node.value)
    return why, (Cure("Make a new array, and go on with that:", f"{x} = {x}.at[{index}].{method}({value})"),)


def attribute(failure: CapturedFailure) -> Advice:
    """Something that the traced value has not."""
    name = failure.attribute
    owner = _owner(failure)
    if not failure.is_of_arrays:
        cures = [
            Cure("Did you mean" if len(failure.similar) == 1 else "Perhaps", f"{owner}.{one}")
            for one in failure.similar
        ] or [
            Cure(
                "What it has:",
                f"dir({owner.removeprefix('(').removesuffix(')') if owner.startswith('(') else owner})",
            )
        ]
        return f"`{failure.statement}` reads `{name}`, which neither arrays nor traced values have.", cures
    why = (
        f"`{failure.statement}` reads `{name}`, which arrays have and traced values have not: it is no part of the "
        f"public interface. The value {origin(failure)}."
    )
    instead = in_numpy(failure)
    cures = [Cure("What must be a number while tracing is for NumPy:", instead)] if instead else []
    cures.append(Cure("Shapes and types are there without a value:", f"{owner}.shape, {owner}.dtype"))
    return why, tuple(cures)


def _owner(failure: CapturedFailure) -> str:
    """What the attribute is read of."""
    node = expression(failure.statement)
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return wrapped(ast.unparse(node.value))
    return "x"
