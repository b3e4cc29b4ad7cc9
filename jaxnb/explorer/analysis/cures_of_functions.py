"""Errors about functions: what they are given, what they return, what they keep; with what to write instead.

What lives here: arguments that are no arrays, carries, branches, gradients, mapped axes, leaks. What must not: the rest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from jaxnb.explorer.analysis.cures import Advice, Cure, expression, wrapped
from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedHolder

__all__ = ["argued", "axes", "branched", "carried", "differentiated", "leaked"]


def argued(failure: CapturedFailure) -> Advice:
    """An argument that is no array."""
    found = re.search(
        r"argument to (.+) as an abstract array\. The problematic value is of type <class '([^']+)'> and was passed to the "
        r"function at path (.+?)\.(?:\n|$)",
        failure.detail,
    )
    if found is None:
        return failure.message, ()
    function, kind, path = found.groups()
    named = re.match(r"<function (.+) at 0x", function)
    name = (named[1] if named is not None else function).rpartition(".")[2]
    why = (
        f"`{path}` is a value of type {kind}. What a traced function is given must be arrays and numbers, or containers of "
        "them; anything else must be known while it is traced."
    )
    base = re.match(r"\w+", path)
    if base is None:
        return why, ()
    if kind in ("function", "method", "type"):
        return why, (
            Cure(
                "Pass it inside of the function that is traced:",
                f"jaxnb.jit(lambda *args: {name}({path}, *args))",
            ),
        )
    if base[0] == path:
        return why, (
            Cure(
                "Make the argument static, a part of the program:",
                f'jaxnb.jit({name}, static_argnames="{path}")',
            ),
        )
    return why, (
        Cure(
            f"Bind `{base[0]}` before; its arrays become constants of the program:",
            f"jaxnb.jit(functools.partial({name}, {base[0]}={base[0]}))",
        ),
    )


# ---- loops and branches ----------------------------------------------------------------------------------------------

_DIFFERS = re.compile(
    r"[Tt]he input carry (?:component )?(\S+) has type (\w+)\[([\d,]*)\]\S* but the corresponding output carry component "
    r"has type (\w+)\[([\d,]*)\]"
)
_LOOPS = {"scan": 1, "fori_loop": 3, "while_loop": 2}
"""Where the functions of loops take what the loop begins with."""


def carried(failure: CapturedFailure) -> Advice:
    """A loop's body that returns another carry than it was given."""
    differing = _DIFFERS.findall(failure.detail)
    told = re.sub(r"\s+", " ", failure.detail.partition("\n\n")[2].partition("\n\nRevise")[0])
    why = (
        f"What the body of a loop returns is what it is given in the next turn, so both must be of one type. {told}"
    ).strip()
    cures = []
    for path, dtype, shape, new_dtype, new_shape in differing[:3]:
        if shape == new_shape:
            begins = _begins(failure, path, lambda start, to=new_dtype: f"jnp.asarray({start}, jnp.{to})")
            when = f"Let `{path}` begin as {new_dtype}, which the body returns:"
            back = f"new.astype(jnp.{dtype})"
        else:
            size = f"({new_shape},)" if new_shape.count(",") == 0 and new_shape else f"({new_shape})"
            begins = _begins(
                failure,
                path,
                lambda start, to=size, dt=new_dtype: (
                    f"jnp.broadcast_to(jnp.asarray({start}, jnp.{dt}), {to})"
                ),
            )
            when = f"Let `{path}` begin with the shape that the body returns:"
            back = ""
            if not _spreads(shape, new_shape):
                begins = ""
                old = f"({shape},)" if shape and "," not in shape else f"({shape})"
                if _count(shape) == _count(new_shape):
                    back = f"jnp.reshape(new, {old})"
        if begins:
            cures.append(Cure(when, begins))
        if back:
            cures.append(
                Cure(
                    f"Or let the body return, where it now returns `new` for `{path}`, what it was given:",
                    back,
                )
            )
    if not differing:
        cures.append(Cure("Return as carry what has the structure of the first:", _returned(failure)))
    return why, tuple(cures)


def _returned(failure: CapturedFailure) -> str:
    name = failure.trace.function if failure.trace.function.isidentifier() else "body"
    if failure.traced_for == "scan":
        return f"def {name}(carry, x):\n    ...\n    return carry, y"
    return (
        f"def {name}(i, carry):\n    ...\n    return carry"
        if "fori" in failure.callee
        else f"def {name}(carry):\n    ...\n    return carry"
    )


def _count(shape: str) -> int:
    count = 1
    for n in shape.split(","):
        count *= int(n or 1)
    return count


def _spreads(shape: str, wanted: str) -> bool:
    have, want = ([int(n) for n in one.split(",") if n] for one in (shape, wanted))
    return len(have) <= len(want) and all(
        a in (1, b) for a, b in zip(reversed(have), reversed(want), strict=False)
    )


def _begins(failure: CapturedFailure, path: str, write: Callable[[str], str]) -> str:
    """The loop's call with another start for one component of the carry; "" where the call is not understood."""
    node = expression(failure.statement)
    if not isinstance(node, ast.Call):
        return ""
    place = _LOOPS.get(ast.unparse(node.func).rpartition(".")[2])
    if place is None:
        return ""
    names = ("init", "init_val")
    keyword = next((one for one in node.keywords if one.arg in names), None)
    if keyword is None and place >= len(node.args):
        return ""
    start = keyword.value if keyword is not None else node.args[place]
    inside = re.sub(r"^(?:loop_carry\[\d+\]|\w+)", "", path)
    new = _replaced(start, inside, write)
    if new is None:
        return ""
    value = ast.parse(new, mode="eval").body
    if keyword is not None:
        keyword.value = value
    else:
        node.args[place] = value
    return ast.unparse(node)


def _replaced(start: ast.expr, path: str, write: Callable[[str], str]) -> str | None:
    """An expression for a tree in which one leaf is another."""
    if not path:
        return write(ast.unparse(start))
    step = re.match(r"\[([^\]]+)\]", path)
    if step is None:
        return None
    key, rest = ast.literal_eval(step[1]), path[step.end() :]
    if isinstance(start, ast.Dict):
        for at, one in enumerate(start.keys):
            if isinstance(one, ast.Constant) and one.value == key:
                new = _replaced(start.values[at], rest, write)
                if new is None:
                    return None
                start.values[at] = ast.parse(new, mode="eval").body
                return ast.unparse(start)
        return None
    if isinstance(start, ast.Tuple | ast.List) and isinstance(key, int) and key < len(start.elts):
        new = _replaced(start.elts[key], rest, write)
        if new is None:
            return None
        start.elts[key] = ast.parse(new, mode="eval").body
        return ast.unparse(start)
    if isinstance(start, ast.Name) and isinstance(key, str):
        held = ast.parse(f"{start.id}[{key!r}]", mode="eval").body
        new = _replaced(held, rest, write)
        return None if new is None else f"{{**{start.id}, {key!r}: {new}}}"
    if isinstance(start, ast.Name) and isinstance(key, int) and not rest:
        return f"({start.id}[:{key}] + ({write(f'{start.id}[{key}]')},) + {start.id}[{key + 1}:])"
    return None


def branched(failure: CapturedFailure) -> Advice:
    """Branches whose results are of different types."""
    told = re.sub(r"\s+", " ", failure.detail.partition("\n\n")[2].partition("\n\nRevise")[0])
    why = f"Both branches are parts of one program, so their results must be of one type. {told}"
    found = re.search(
        r"has type (\w+)\[[\d,]*\]\S* but the corresponding output of (\S+) has type (\w+)\[", failure.detail
    )
    node = expression(failure.statement)
    if found is None or found[1] == found[3]:
        return why, ()
    dtype = found[1] if "float" in found[1] or "float" not in found[3] else found[3]
    if isinstance(node, ast.Call) and len(node.args) >= 3:
        for at in (1, 2):
            branch = node.args[at]
            if isinstance(branch, ast.Lambda):
                branch.body = ast.parse(
                    f"jnp.asarray({ast.unparse(branch.body)}, jnp.{dtype})", mode="eval"
                ).body
        if all(isinstance(one, ast.Lambda) for one in node.args[1:3]):
            return why, (Cure("Give both results one type:", ast.unparse(node)),)
    return why, (
        Cure(
            "Give both results one type; where a branch returns `result`, return:",
            f"jnp.asarray(result, jnp.{dtype})",
        ),
    )


# ---- transformations -------------------------------------------------------------------------------------------------


def _transformed(failure: CapturedFailure, *names: str) -> tuple[ast.expr, ast.Call] | None:
    """An expression with a call of a transformation in it, ``jaxnb.grad(f)(x)``, and that call: ``jaxnb.grad(f)``."""
    node = expression(failure.statement)
    for one in ast.walk(node) if node is not None else ():
        if isinstance(one, ast.Call) and one.args and ast.unparse(one.func).rpartition(".")[2] in names:
            assert node is not None
            return node, one
    return None


def differentiated(failure: CapturedFailure) -> Advice:
    """A gradient of what has none."""
    found = _transformed(failure, "grad", "value_and_grad")
    if "inputs" in failure.message:
        why = f"A gradient is by real or complex numbers, and the argument is of another type. {failure.message}"
        call = expression(failure.statement)
        if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
            call.args = [_parsed(f"jnp.asarray({ast.unparse(call.args[0])}, jnp.float32)")]
            return why, (Cure("Pass a float:", ast.unparse(call)),)
        return why, (Cure("Pass a float:", "jnp.asarray(x, jnp.float32)"),)
    shape = re.search(r"Output had shape: (\([\d, ]*\))", failure.message)
    has = (
        f"The function returns an array of shape {shape[1]}"
        if shape
        else "The function returns no single array"
    )
    why = f"{has}, and a gradient is that of one number."
    name = failure.trace.function if failure.trace.jaxpr and failure.trace.function.isidentifier() else "f"
    if shape is None:
        return why, (
            Cure(
                "If the result is a pair of the number and other data:", f"jaxnb.grad({name}, has_aux=True)"
            ),
        )
    summed, all_of_them = f"jaxnb.grad(lambda *args: jnp.sum({name}(*args)))", f"jaxnb.jacrev({name})"
    if found is not None:
        node, call = found
        function, inside, gradient = call.func, call.args[0], ast.unparse(call.func).rpartition(".")
        call.args[0] = _parsed(f"lambda *args: jnp.sum({wrapped(ast.unparse(inside))}(*args))")
        summed = ast.unparse(node)
        call.args[0] = inside
        call.func = _parsed(f"{gradient[0]}{gradient[1]}jacrev")
        all_of_them = ast.unparse(node)
        call.func = function
    return why, (
        Cure("If the gradient of the sum is meant:", summed),
        Cure("If all derivatives of all elements are:", all_of_them),
    )


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def axes(failure: CapturedFailure) -> Advice:
    """Mapped axes of different sizes."""
    why = f"`vmap` takes one row of each argument in each turn, so all must have as many. {failure.detail}"
    call = expression(failure.statement)
    cures = []
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Call) and not call.keywords:
        arguments = list(map(ast.unparse, call.args))
        is_vmap = ast.unparse(call.func.func).rpartition(".")[2] == "vmap"
        if is_vmap and len(arguments) > 1 and len(call.func.args) == 1 and not call.func.keywords:
            f = ast.unparse(call.func.args[0])
            for at, x in enumerate(arguments):
                mapped = ", ".join("None" if i == at else "0" for i in range(len(arguments)))
                cures.append(
                    Cure(
                        f"If `{x}` is the same for all rows of the others:",
                        f"{ast.unparse(call.func.func)}({f}, in_axes=({mapped}))({', '.join(arguments)})",
                    )
                )
    return why, tuple(cures)


# ---- leaks -----------------------------------------------------------------------------------------------------------


def leaked(failure: CapturedFailure) -> Advice:
    """A traced value that outlived its trace."""
    first = failure.holders[0] if failure.holders else CapturedHolder("", failure.value_type, "")
    made = f" It was made while {failure.trace.function} was traced." if failure.trace.jaxpr else ""
    if first.path:
        where = place_text(first.source, failure.trace)
        made = f" `{first.path}` keeps it; it was made at {where}." if where else f" `{first.path}` keeps it."
    why = f"A value of type {failure.value_type} outlived the trace it belongs to.{made}"
    base = re.match(r"\w+", first.path)
    when = f"Return what `{base[0] if base else 'it'}` is to keep, and put it there outside of the function:"
    return why, (Cure(when, _returning(first)),)


def _returning(holder: CapturedHolder) -> str:
    """A function that returns what it kept, and its call, by what it was transformed with."""
    kept = holder.path or "kept"
    is_body = holder.traced_for in ("scan", "fori_loop", "while_loop", "while_body")
    name = "body" if is_body else "f"
    if holder.function.isidentifier():
        name = holder.function
    start = f"def {name}(...):\n    ...\n    return result, kept\n\n"
    jit = (lambda f: f"jaxnb.jit({f})") if holder.is_jitted else (lambda f: f)
    how = holder.traced_for
    if how == "grad":
        return f"{start}gradient, {kept} = {jit(f'jaxnb.grad({name}, has_aux=True)')}(...)"
    if how == "jvp":
        return f"{start}result, tangent, {kept} = jaxnb.jvp({name}, (...,), (...,), has_aux=True)"
    if how == "vmap":
        return f"{start}result, {kept} = {jit(f'jaxnb.vmap({name})')}(...)"
    if how == "scan":
        return (
            f"def {name}(carry, x):\n    ...\n    return carry, (y, kept)\n\n"
            f"carry, (ys, {kept}) = lax.scan({name}, init, xs)"
        )
    if how in ("fori_loop", "while_loop", "while_body"):
        head = f"def {name}(i, carry):" if how == "fori_loop" else f"def {name}(carry):"
        call = (
            f"lax.fori_loop(0, n, {name}, (start, kept))"
            if how == "fori_loop"
            else f"lax.while_loop(condition, {name}, (start, kept))"
        )
        return f"{head}\n    x, kept = carry\n    ...\n    return x, kept\n\nresult, {kept} = {call}"
    return f"{start}result, {kept} = {name}(...)"
