"""Shapes that do not fit: what to write so that they do.

What lives here: elementwise operations, products, joining, reshaping, slices. What must not: a shape that is not known
(``cures_of_values``). Each rewriting is tried on the shapes before it is proposed.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from jaxnb.explorer.analysis.cures import Advice, Cure, expression, origin, static_cures, wrapped
from jaxnb.explorer.capture.failure import CapturedFailure

__all__ = ["joined", "mismatched", "multiplied", "reshaped", "sliced"]

Shape = tuple[int, ...]


def _written(failure: CapturedFailure) -> str:
    """The expression; of an assignment with an operator the expression that it stands for."""
    if failure.kind == "operator" and expression(failure.statement) is None and len(failure.parts) == 2:
        try:
            [node] = ast.parse(failure.statement).body
        except (SyntaxError, ValueError):
            return failure.statement
        if isinstance(node, ast.AugAssign):
            left = ast.parse(ast.unparse(node.target), mode="eval").body
            return ast.unparse(ast.BinOp(left, node.op, node.value))
    return failure.statement


def _two(failure: CapturedFailure) -> tuple[str, str, Shape, Shape] | None:
    """The two operands as written, and their shapes."""
    said = [ast.literal_eval(one) for one in re.findall(r"\(\d*(?:, ?\d*)*,?\)", failure.message)]
    shapes = [one.shape for one in failure.operands]
    if len(failure.parts) != 2:
        return None
    if len(shapes) != 2 and len(said) == 2 and "broadcasting" in failure.message:
        shapes = said
    if len(shapes) != 2:
        return None
    return failure.parts[0], failure.parts[1], shapes[0], shapes[1]


def _named(pairs: Sequence[tuple[str, Shape]]) -> str:
    return " and ".join(f"`{name}` is {list(shape)}" for name, shape in pairs)


def _rebuilt(failure: CapturedFailure, left: str, right: str) -> str:
    """The expression with other operands; ``jnp`` in the place of ``lax``, which broadcasts nothing."""
    node = expression(_written(failure))
    if isinstance(node, ast.BinOp):
        a, b = ast.parse(left, mode="eval").body, ast.parse(right, mode="eval").body
        return ast.unparse(ast.BinOp(a, node.op, b))
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        for ours, theirs in (
            ("sub", "subtract"),
            ("mul", "multiply"),
            ("div", "divide"),
            ("max", "maximum"),
            ("min", "minimum"),
        ):
            name = re.sub(rf"\blax\.{ours}$", f"jnp.{theirs}", name)
        return f"{re.sub(r'^lax[.]', 'jnp.', name)}({left}, {right})"
    return ""


def mismatched(failure: CapturedFailure) -> Advice:
    """An elementwise operation on shapes that cannot be broadcast."""
    two = _two(failure)
    why = (
        f"`{failure.statement}` works element by element: from the last dimension on, sizes must be equal, or one of them "
        f"1. {failure.message}"
    )
    if two is None:
        return why, _looked_at(failure)
    a, b, first, second = two
    why = f"{why.removesuffix(failure.message)}Here {_named([(a, first), (b, second)])}."
    cures = []
    if len(first) == len(second) == 2 and _broadcast(first, second[::-1]) is not None:
        cures.append(
            Cure("If the second is meant the other way round:", _rebuilt(failure, a, f"{wrapped(b)}.T"))
        )
    for new_a, new_b in _with_axes(a, b, first, second):
        cures.append(Cure("With a new axis they can be broadcast:", _rebuilt(failure, new_a, new_b)))
        break
    if len(first) == len(second) and all(first) and all(second):
        cut = [min(m, n) if 1 not in (m, n) else max(m, n) for m, n in zip(first, second, strict=True)]
        new_a, new_b = (_cut(x, shape, cut) for x, shape in ((a, first), (b, second)))
        cures.append(Cure("If only what both have counts:", _rebuilt(failure, new_a, new_b)))
    good = tuple(cure for cure in cures if cure.code)
    return why, good or _looked_at(failure)


def _looked_at(failure: CapturedFailure) -> tuple[Cure, ...]:
    shapes = ", ".join(f"jnp.shape({part})" for part in failure.parts)
    return (
        (Cure("Shapes are known while the function is traced; look at them:", f"print({shapes})"),)
        if shapes
        else ()
    )


def _broadcast(*shapes: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def _with_axes(a: str, b: str, first: Shape, second: Shape) -> Iterator[tuple[str, str]]:
    """The ways to put new axes into the operand with fewer, the last place first, so that the two can be broadcast."""
    if len(first) > len(second):
        yield from ((new_a, new_b) for new_b, new_a in _with_axes(b, a, second, first))
        return
    behind, in_front = [], []
    for count in range(1, max(len(second) - len(first), 1) + 1):
        for places in itertools.combinations(range(len(first) + count), count):
            shape, index, rest = [], [], list(first)
            for place in range(len(first) + count):
                index.append("None" if place in places else ":")
                shape.append(1 if place in places else rest.pop(0))
            if _broadcast(tuple(shape), second) is not None:
                # an axis in front is there already
                (in_front if places[-1] < len(first) else behind).append(f"{wrapped(a)}[{', '.join(index)}]")
    yield from ((new, b) for new in (*behind, *in_front))


def _cut(x: str, shape: Shape, sizes: Sequence[int]) -> str:
    if all(have == 1 or have == want for have, want in zip(shape, sizes, strict=True)):
        return x
    index = [":" if have in (1, want) else f":{want}" for have, want in zip(shape, sizes, strict=True)]
    while index[-1] == ":":
        index.pop()
    return f"{wrapped(x)}[{', '.join(index)}]"


# ---- products --------------------------------------------------------------------------------------------------------


def multiplied(failure: CapturedFailure) -> Advice:
    """A matrix product of shapes that do not fit."""
    two = _two(failure)
    if two is None:
        return failure.message, _looked_at(failure)
    a, b, first, second = two
    why = (
        f"`{failure.statement}` sums over the last dimension of the first and the one before the last (or the only one) "
        f"of the second, which must be of equal size. Here {_named([(a, first), (b, second)])}."
    )
    ways = []
    if len(first) == 2:
        ways.append((f"{wrapped(a)}.T", b, first[::-1], second, "If the first is meant the other way round:"))
    if len(second) == 2:
        ways.append(
            (a, f"{wrapped(b)}.T", first, second[::-1], "If the second is meant the other way round:")
        )
    ways.append((b, a, second, first, "If the product is meant in the other order:"))
    cures = [
        Cure(when, _rebuilt(failure, left, right))
        for left, right, one, other, when in ways
        if _fits(one, other)
    ]
    if len(first) == len(second) == 1:
        cures.append(Cure("If each element of one meets each of the other:", f"jnp.outer({a}, {b})"))
    if not cures and _broadcast(first, second) is not None:
        cures.append(Cure("If it is meant element by element:", f"{wrapped(a)} * {wrapped(b)}"))
    good = tuple(cure for cure in cures if cure.code)
    return why, good or _looked_at(failure)


def _fits(first: Shape, second: Shape) -> bool:
    try:
        np.matmul(np.empty(first, np.int8), np.empty(second, np.int8))
    except ValueError:
        return False
    return True


# ---- joining ---------------------------------------------------------------------------------------------------------


def joined(failure: CapturedFailure) -> Advice:
    """Arrays that cannot be concatenated."""
    said = [ast.literal_eval(one) for one in re.findall(r"\(\d*(?:, ?\d*)*,?\)", failure.message)]
    node = expression(failure.statement)
    call = node if isinstance(node, ast.Call) else None
    listed_arrays = call.args[0] if call is not None and call.args else None
    names: list[str] = []
    if isinstance(listed_arrays, ast.List | ast.Tuple):
        names = [ast.unparse(one) for one in listed_arrays.elts]
    elif call is not None and len(call.args) == len(said):
        names = [ast.unparse(one) for one in call.args]
    given = [one.shape for one in failure.operands]
    shapes = given if len(given) == len(said) else said  # of mapped arrays the message has one more dimension
    why = f"`{failure.statement}` joins arrays whose shapes are equal but for the dimension along which they are joined."
    if len(names) != len(shapes):
        return f"{why} {failure.message}", ()
    why = f"{why} Here {_named(list(zip(names, shapes, strict=True)))}."
    cures = []
    ranks = {len(shape) for shape in shapes}
    if len(ranks) == 1:
        for axis in range(ranks.pop()):
            if _joins(shapes, axis):
                cures.append(
                    Cure(
                        f"Along dimension {axis} they fit:",
                        f"jnp.concatenate([{', '.join(names)}], axis={axis})",
                    )
                )
        sizes = [min(column) for column in zip(*shapes, strict=True)]
        cut = [_cut(name, shape, [shape[0], *sizes[1:]]) for name, shape in zip(names, shapes, strict=True)]
        if len(sizes) > 1 and all(sizes[1:]):
            cures.append(
                Cure("If only what all have counts:", f"jnp.concatenate([{', '.join(cut)}], axis=0)")
            )
    else:
        cures += _lifted(names, shapes)
    return why, tuple(cures) or _looked_at(failure)


def _joins(shapes: Sequence[Shape], axis: int) -> bool:
    return len({shape[:axis] + shape[axis + 1 :] for shape in shapes}) == 1


def _lifted(names: Sequence[str], shapes: Sequence[Shape]) -> Iterator[Cure]:
    """Arrays with one dimension fewer become rows or columns."""
    most = max(map(len, shapes))
    for index, place in (("[None]", 0), ("[:, None]", 1)):
        lifted = [
            (name, shape)
            if len(shape) == most
            else (f"{wrapped(name)}{index}", (*shape[:place], 1, *shape[place:]))
            for name, shape in zip(names, shapes, strict=True)
        ]
        new = [shape for _, shape in lifted]
        if any(len(shape) != most for shape in new):
            continue
        for axis in range(most):
            if _joins(new, axis):
                what = "rows" if place == 0 else "columns"
                code = f"jnp.concatenate([{', '.join(name for name, _ in lifted)}], axis={axis})"
                yield Cure(f"If those with fewer dimensions are {what}:", code)
                break


# ---- reshaping -------------------------------------------------------------------------------------------------------


def reshaped(failure: CapturedFailure) -> Advice:
    """A shape with another number of elements."""
    found = re.search(r"of shape (\([\d, ]*\)) \(size (\d+)\) into shape (\([-\d, ]*\))", failure.message)
    method = re.match(r"(.+)\.reshape$", failure.callee, re.DOTALL)
    is_method = method is not None and method[1] not in ("jnp", "lax", "np")
    x = method[1] if method is not None and is_method else failure.parts[0] if failure.parts else "x"
    if found is None:
        return failure.message, ()
    size, new = int(found[2]), tuple(ast.literal_eval(found[3]))
    why = (
        f"`{failure.statement}` must keep the number of elements: there are {size}, and the new shape has "
        f"{math.prod(new)}."
    )
    cures = []
    for place in range(len(new)):
        rest = math.prod(new[:place] + new[place + 1 :])
        if rest and size % rest == 0 and len(new) > 1:
            shape = ", ".join("-1" if at == place else str(n) for at, n in enumerate(new))
            cures.append(Cure("One dimension can follow from the others:", f"jnp.reshape({x}, ({shape}))"))
            break
    cures.append(Cure("All elements in one row:", f"jnp.reshape({x}, -1)"))
    return why, tuple(cures)


# ---- slices ----------------------------------------------------------------------------------------------------------


def sliced(failure: CapturedFailure) -> Advice:
    """A slice whose bounds are traced: its size is not known."""
    why = (
        f"The size of `{failure.statement}` depends on a value, and a compiled program has fixed sizes: the bound "
        f"{origin(failure)}."
    )
    node = expression(failure.statement)
    new = ""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "set"
        and node.args
    ):
        new = ast.unparse(node.args[0])
        node = node.func.value
    is_update = (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "at"
    )
    if not isinstance(node, ast.Subscript) or (is_update and not new):
        return why, static_cures(failure)
    held = node.value.value if is_update and isinstance(node.value, ast.Attribute) else node.value
    axis, part = _bounds(node.slice)
    if part is None:
        return why, static_cures(failure)
    x = wrapped(ast.unparse(held))
    ndim = next((len(one.shape) for one in failure.operands if one.shape), axis + 1)
    low, high = (ast.unparse(one) if one is not None else "" for one in (part.lower, part.upper))
    counted = f"jnp.arange({x}.shape[{axis}])"
    inside = " & ".join(f"({counted} {sign} {bound})" for sign, bound in ((">=", low), ("<", high)) if bound)
    inside = inside if " & " in inside else inside[1:-1]
    later = ndim - axis - 1
    where = f"({inside})[:{', None' * later}]" if later else inside
    cures = []
    size = _size(part)
    if is_update:
        if size:
            starts = ", ".join(low if at == axis else "0" for at in range(ndim))
            if ndim == 1:
                filled = f"jnp.broadcast_to(jnp.asarray({new}, {x}.dtype), ({size},))"
                cures.append(
                    Cure(
                        "A start that is traced, a size that is not:",
                        f"lax.dynamic_update_slice({x}, {filled}, ({starts},))",
                    )
                )
        cures.append(Cure("Choose by element:", f"jnp.where({where}, {new}, {x})"))
        return why, (*cures, *static_cures(failure))
    if size:
        code = (
            f"lax.dynamic_slice({x}, ({low},), ({size},))"
            if ndim == 1
            else f"lax.dynamic_slice_in_dim({x}, {low}, {size}, axis={axis})"
        )
        cures.append(Cure("A start that is traced, a size that is not:", code))
    cures.append(
        Cure("Keep the size, and put something outside of the bounds:", f"jnp.where({where}, {x}, 0)")
    )
    if not size:
        start = low or "start"
        cures.append(
            Cure(
                "If the number of elements is fixed, and only the start is traced:",
                f"lax.dynamic_slice_in_dim({x}, {start}, size, axis={axis})",
            )
        )
    return why, (*cures, *static_cures(failure))


def _bounds(index: ast.expr) -> tuple[int, ast.Slice | None]:
    """The one slice with bounds in an index, and its axis; None where there are other things in it."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    found: tuple[int, ast.Slice | None] = (0, None)
    for axis, part in enumerate(parts):
        if not isinstance(part, ast.Slice) or part.step is not None:
            return 0, None
        if part.lower is not None or part.upper is not None:
            if found[1] is not None:
                return 0, None
            found = axis, part
    return found


def _size(part: ast.Slice) -> str:
    """``k`` of ``x[i:i + k]``; "" for any other slice."""
    if part.lower is None or not isinstance(part.upper, ast.BinOp) or not isinstance(part.upper.op, ast.Add):
        return ""
    low = ast.unparse(part.lower)
    left, right = ast.unparse(part.upper.left), ast.unparse(part.upper.right)
    return right if left == low else left if right == low else ""
