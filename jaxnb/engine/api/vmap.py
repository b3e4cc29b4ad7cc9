"""``vmap``: a function mapped over axes of its arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.api.flat import Flat, check_callable
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.prefixes import prefix_errors
from jaxnb.engine.core.source import transform_name_stack
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.transforms.batch import batch_flat, to_dim
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["flatten_axes", "vmap"]

_STOP = "." if JAXLIB_VERSION >= (0, 12) else ""  # older JAX does not end the sentence


def flatten_axes(name: str, tree: Any, axes: Any, *, keywords: bool = False) -> list[Any]:
    """Returns one axis a leaf of a structure, from a prefix of that structure.

    Args:
        name: what the axes are called in messages.
        tree: the structure.
        axes: the prefix.
        keywords: whether both are pairs of which messages speak of the first, because the second are the keywords.

    Raises:
        ValueError: where ``axes`` is no prefix.
    """
    out: list[Any] = []
    dummy = pytree.unflatten(tree, [PytreeLeaf()] * tree.num_leaves)

    def walk(prefix: Any, full: Any) -> None:
        if prefix is None or isinstance(prefix, int):
            out.extend([prefix] * len(pytree.flatten(full)[0]))
            return
        p = pytree.flatten_one_level(prefix)
        f = pytree.flatten_one_level(full)
        fits = p is not None and f is not None and type(prefix) is type(full)
        ps, fs = (list(p[0]), list(f[0])) if fits else ([], [])  # pyright: ignore[reportOptionalSubscript]
        if not fits or len(ps) != len(fs) or p[1] != f[1]:  # pyright: ignore[reportOptionalSubscript]
            raise ValueError(_no_prefix(name, *((axes[0], dummy[0]) if keywords else (axes, dummy))))
        for a, b in zip(ps, fs, strict=True):
            walk(a, b)

    walk(axes, dummy)
    return out


class PytreeLeaf:
    """Stands for an array where messages speak of types; the names of the class and its module are JAX's."""


PytreeLeaf.__module__ = "jaxnb._src.api_util"


def _no_prefix(name: str, axes: Any, full: Any) -> str:
    text = f"{name} specification must be a tree prefix of the corresponding value"
    found = list(prefix_errors(name, axes, full, lambda x: x is None))
    if not found:
        return f"{text}, got {axes}."
    return "\n  ".join([f"{text}; ", f"Mismatch details ({len(found)} found):", *found])


def _axis_names(fun: Any, args: Any, kwargs: Any) -> list[str]:
    """Returns how messages call each leaf: after the parameters in their order, be they what they may, as in JAX."""
    try:
        names = list(inspect.signature(fun).parameters)
    except (ValueError, TypeError):
        names = []
    bases = [f"argument {names[i]}" if i < len(names) else f"args[{i}]" for i in range(len(args))]
    bases += [f"kwargs[{key!r}]" for key in sorted(kwargs)]
    trees = [*args, *(kwargs[key] for key in sorted(kwargs))]
    return [
        base + pytree.keystr(path)
        for base, tree in zip(bases, trees, strict=True)
        for path, _ in pytree.flatten_with_path(tree)[0]
    ]


def _size_of(
    fun: Any, leaves: Sequence[Any], dims: Sequence[Any], axis_size: int | None, args: Any, kwargs: Any
) -> int:
    sizes: dict[int, list[int]] = {}
    for i, (x, d) in enumerate(zip(leaves, dims, strict=True)):
        if d is None:
            continue
        shape = shaped_aval(x).shape
        if not -len(shape) <= d < len(shape):
            needed = d + 1 if d >= 0 else -d
            raise ValueError(
                f"vmap was requested to map its argument along axis {d}, which implies that its rank should be at least "
                f"{needed}, but is only {len(shape)} (its shape is {shape})"
            )
        sizes.setdefault(shape[d], []).append(i)
    if len(sizes) > 1 or (sizes and axis_size is not None and axis_size not in sizes):
        names = _axis_names(fun, args, kwargs)
        lines = ["vmap got inconsistent sizes for array axes to be mapped:"]
        described = {}
        for size, where in sizes.items():
            i = where[0]
            described[size] = f"axis {dims[i]} of {names[i]} of type {shaped_aval(leaves[i]).str_short()}"
        ordered = sorted(sizes.items(), key=lambda kv: -len(kv[1]))
        parts = [] if axis_size is None else [f"  * the `axis_size` argument was {axis_size}"]
        for i, (size, where) in enumerate(ordered):
            if len(where) == 1:
                parts.append(f"  * one axis had size {size}: {described[size]}")
            else:
                some = "some" if i else "most"
                parts.append(
                    f"  * {some} axes ({len(where)} of them) had size {size}, e.g. {described[size]}"
                )
        raise ValueError("\n".join([lines[0], ";\n".join(parts)]))
    if sizes:
        return next(iter(sizes))
    if axis_size is None:
        raise ValueError(
            "vmap must have at least one non-None value in in_axes or axis_size must be specified"
        )
    return axis_size


def vmap(
    fun: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_name: Any = None,
    axis_size: int | None = None,
    spmd_axis_name: Any = None,
    sum_match: bool = False,
) -> Callable[..., Any]:
    """Returns ``fun`` mapped over an axis of its arguments.

    Args:
        fun: the function of one element.
        in_axes: the mapped axis of each argument (None: not mapped), as a prefix of the arguments' structure.
        out_axes: the mapped axis of each result, likewise.
        axis_name: a name under which collectives find the axis.
        axis_size: the axis' size, needed where no argument is mapped.
        spmd_axis_name: the mesh axis that the mapped axis is sharded over.
        sum_match: must be False.

    Raises:
        TypeError: where ``in_axes`` is of no allowed type.
        ValueError: where axes do not exist or differ in size.
    """
    check_callable(fun)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or type(in_axes) in (int, tuple)):
        raise TypeError(
            "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed "
            f"to the function, but got {in_axes}."
        )

    for axes, name in ((in_axes, "in_axes"), (out_axes, "out_axes")):
        if not all(type(axis) is int for axis in pytree.flatten(axes)[0]):
            raise TypeError(
                f"vmap {name} must be an int, None, or (nested) container with those types as leaves, but got {axes}."
            )

    @api_boundary
    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__annotations__"), updated=("__dict__",)
    )
    def vmap_f(*args: Any, **kwargs: Any) -> Any:
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError(
                "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
                f"passed to the function, but got len(in_axes)={len(in_axes)}, len(args)={len(args)}{_STOP}"
            )
        leaves, in_tree = pytree.flatten((args, kwargs))
        if not leaves and axis_size is None:
            raise ValueError(
                "vmap wrapped function must be passed at least one argument containing an array or axis_size must be "
                f"specified, got empty *args={args} and **kwargs={kwargs}"
            )
        dims = flatten_axes("vmap in_axes", in_tree, (in_axes, 0), keywords=True)
        size = _size_of(fun, leaves, dims, axis_size, args, kwargs)
        dims = [
            d if d is None or d >= 0 else d + len(shaped_aval(x).shape)
            for x, d in zip(leaves, dims, strict=True)
        ]
        flat = Flat(lambda a, k: fun(*a, **k), in_tree, what="Output from batched function {!r} with")
        out, out_dims = batch_flat(flat, leaves, dims, size, axis_name, spmd_axis_name)
        wanted = flatten_axes("vmap out_axes", flat.out_tree, out_axes)
        done = []
        for o, d, want in zip(out, out_dims, wanted, strict=True):
            if want is None:
                if d is not None:
                    raise ValueError(
                        f"at vmap out_axes, got axis spec None but output was batched on axis {d}"
                    )
                done.append(o)
                continue
            ndim = len(shaped_aval(o).shape) + (d is None)
            if not -ndim <= want < ndim:
                raise ValueError(f"axis {want} is out of bounds for array of dimension {ndim}")
            with transform_name_stack("vmap"):
                done.append(to_dim(o, d, size, want % ndim))
        return pytree.unflatten(flat.out_tree, done)

    return vmap_f
