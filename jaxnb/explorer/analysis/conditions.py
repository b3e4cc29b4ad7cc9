"""Conditions on traced values, written so that they can be staged.

What lives here: rewriting. What must not: the words around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jaxnb.explorer.analysis.cures import Cure, expression

__all__ = ["as_array", "choices", "first_comparison", "staged_condition"]


def staged_condition(written: str) -> str:
    """A condition without ``and``, ``or``, ``not``, chains, ``in`` and the like; as it is written if it has none."""
    node = expression(written)
    return written if node is None else _staged(node, written)


def _staged(node: ast.expr, written: str) -> str:
    if isinstance(node, ast.BoolOp):
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        *rest, joined = [_staged(value, ast.unparse(value)) for value in node.values]
        for one in reversed(rest):
            joined = f"jnp.{name}({one}, {joined})"
        return joined
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"jnp.logical_not({_staged(node.operand, ast.unparse(node.operand))})"
    if isinstance(node, ast.Compare):
        return _compared(node, written)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        if node.func.id in ("any", "all"):
            return f"jnp.{node.func.id}({as_array(node.args[0])})"
        if node.func.id == "bool":
            return _staged(node.args[0], ast.unparse(node.args[0]))
    return written


def _compared(node: ast.Compare, written: str) -> str:
    if len(node.ops) > 1:
        operands = [node.left, *node.comparators]
        return " & ".join(
            f"({ast.unparse(ast.Compare(operands[at], [op], [operands[at + 1]]))})"
            for at, op in enumerate(node.ops)
        )
    [op], [right] = node.ops, node.comparators
    if isinstance(op, ast.In | ast.NotIn):
        found = f"jnp.isin({ast.unparse(node.left)}, {as_array(right)})"
        return found if isinstance(op, ast.In) else f"jnp.logical_not({found})"
    sequences = (ast.List, ast.Tuple)
    if isinstance(op, ast.Eq | ast.NotEq) and (
        isinstance(node.left, sequences) or isinstance(right, sequences)
    ):
        found = f"jnp.array_equal({as_array(node.left)}, {as_array(right)})"
        return found if isinstance(op, ast.Eq) else f"jnp.logical_not({found})"
    return written


def first_comparison(written: str) -> str:
    """The comparison that a chain asks first."""
    node = expression(written)
    if not isinstance(node, ast.Compare):
        return written
    return ast.unparse(ast.Compare(node.left, node.ops[:1], node.comparators[:1]))


def as_array(node: ast.expr) -> str:
    """A sequence of values as an array."""
    if isinstance(node, ast.GeneratorExp):
        node = ast.ListComp(node.elt, node.generators)
    if isinstance(node, ast.Set):
        node = ast.List(node.elts, ast.Load())
    written = ast.unparse(node)
    return (
        f"jnp.array({written})"
        if isinstance(node, ast.List | ast.Tuple | ast.ListComp)
        else f"jnp.asarray({written})"
    )


# ---- what to do with a condition -------------------------------------------------------------------------------------


def choices(condition: str, context: str, whole: str) -> list[Cure]:
    """What to write in the place of a Python statement that asks whether a condition holds.

    Args:
        condition: The condition, as it can be staged.
        context: What asks, as ``FailingCode`` has it.
        whole: The statement or expression.
    """
    if context == "while":
        return [Cure("A loop whose end depends on values:", _loop(condition, whole))]
    if context == "assert":
        return [Cure("Look at the value when the program runs:", f'jaxnb.debug.print("{{}}", {condition})')]
    if context == "filter":
        kept = _kept(condition, whole)
        return [Cure("Keep all elements, and put 0 where the condition does not hold:", kept)] if kept else []
    if context == "choice":
        node = expression(whole)
        if isinstance(node, ast.IfExp):
            yes, no = ast.unparse(node.body), ast.unparse(node.orelse)
            return [
                Cure("To choose between two values:", f"jnp.where({condition}, {yes}, {no})"),
                Cure(
                    "To run one of two computations:", f"lax.cond({condition}, lambda: {yes}, lambda: {no})"
                ),
            ]
    assigned = _assigned(condition, whole) if context == "if" else ""
    return [
        Cure("To choose between two values:", assigned or f"jnp.where({condition}, if_true, if_false)"),
        Cure("To run one of two computations:", f"lax.cond({condition}, if_true, if_false, operand)"),
    ]


def _statement(whole: str, kind: type[ast.stmt]) -> ast.stmt | None:
    if kind is ast.If and whole.startswith("elif"):
        whole = whole[2:]
    try:
        [node] = ast.parse(whole).body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, kind) else None


def _assigned(condition: str, whole: str) -> str:
    """An ``if`` that assigns one variable, or returns in both branches, in one line; "" for any other."""
    node = _statement(whole, ast.If)
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) > 1:
        return ""
    yes, no = node.body[0], node.orelse[0] if node.orelse else None
    if isinstance(yes, ast.Return) and isinstance(no, ast.Return) and yes.value and no.value:
        return f"return jnp.where({condition}, {ast.unparse(yes.value)}, {ast.unparse(no.value)})"
    first = _new_value(yes)
    second = _new_value(no) if no is not None else None
    if first is None or (no is not None and (second is None or second[0] != first[0])):
        return ""
    return f"{first[0]} = jnp.where({condition}, {first[1]}, {second[1] if second else first[0]})"


def _new_value(node: ast.stmt | None) -> tuple[str, str] | None:
    """The variable that a statement assigns, and what it becomes."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, ast.unparse(node.value)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id, ast.unparse(ast.BinOp(ast.Name(node.target.id), node.op, node.value))
    return None


def _loop(condition: str, whole: str) -> str:
    node = _statement(whole, ast.While)
    if not isinstance(node, ast.While):
        return f"lax.while_loop(lambda c: {condition}, body, start)"
    names = list(dict.fromkeys(_assigned_names(node.body)))
    if len(names) != 1:
        state = ", ".join(names)
        if not names:
            return f"lax.while_loop(lambda c: {condition}, body, start)"
        body = "\n".join(f"    {line}" for line in ast.unparse(ast.Module(node.body, [])).split("\n"))
        return (
            f"def condition(state):\n    {state} = state\n    return {condition}\n\n"
            f"def body(state):\n    {state} = state\n{body}\n    return {state}\n\n"
            f"{state} = lax.while_loop(condition, body, ({state}))"
        )
    [x] = names
    new = _new_value(node.body[0]) if len(node.body) == 1 else None
    if new is not None:
        return f"{x} = lax.while_loop(lambda {x}: {condition}, lambda {x}: {new[1]}, {x})"
    body = "\n".join(f"    {line}" for line in ast.unparse(ast.Module(node.body, [])).split("\n"))
    return (
        f"def body({x}):\n{body}\n    return {x}\n\n{x} = lax.while_loop(lambda {x}: {condition}, body, {x})"
    )


def _assigned_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _kept(condition: str, whole: str) -> str:
    node = expression(whole)
    if not isinstance(node, ast.ListComp | ast.GeneratorExp) or len(node.generators) != 1:
        return ""
    loop = node.generators[0]
    if len(loop.ifs) != 1:
        return ""
    element = ast.unparse(node.elt)
    return (
        f"[jnp.where({condition}, {element}, 0) for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}]"
    )
