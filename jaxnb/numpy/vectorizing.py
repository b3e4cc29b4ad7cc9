"""``vectorize``: a function of scalars, or of arrays with known axes, mapped over all others."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.numpy.creation import asarray

CoreDims = list[tuple[str, ...]]

_NAME = r"\w+"
_ARGUMENT = rf"\((?:{_NAME}(?:,{_NAME})*)?\)"
_LIST = rf"{_ARGUMENT}(?:,{_ARGUMENT})*"
_SIGNATURE = re.compile(rf"^{_LIST}->{_LIST}$")


def _parse_signature(signature: str) -> tuple[CoreDims, CoreDims]:
    if not _SIGNATURE.match(signature):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    sides = [
        [tuple(re.findall(_NAME, argument)) for argument in re.findall(_ARGUMENT, side)]
        for side in signature.split("->")
    ]
    return sides[0], sides[1]


def _learn_sizes(sizes: dict[str, int], shape: tuple[int, ...], names: tuple[str, ...], context: str) -> None:
    """Notes the sizes of an argument's last axes under their names.

    Raises:
        ValueError: there are too few axes, or a size differs from the one already known.
    """
    if not names:
        return
    if len(shape) < len(names):
        raise ValueError(
            f"input with shape {shape} does not have enough dimensions for all core dimensions {names} {context}"
        )
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        known = sizes.setdefault(name, size)
        if known != size:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {size} vs {known} {context}")


def _checked(
    fun: Callable[..., Any], sizes: dict[str, int], outputs: CoreDims | None, context: str
) -> Callable[..., Any]:
    """The function, its results held against the signature."""

    def wrapped(*args: Any) -> Any:
        out = fun(*args)
        shapes = [np.shape(x) for x in (out if isinstance(out, tuple) else [out])]
        expected = [()] * len(shapes) if outputs is None else outputs
        if len(expected) > 1 and not isinstance(out, tuple):
            raise TypeError(
                f"output must be a tuple when multiple outputs are expected, got: {out!r}\n{context}"
            )
        if len(shapes) != len(expected):
            raise TypeError(
                f"wrong number of output arguments: expected {len(expected)}, got {len(shapes)} {context}"
            )
        known = dict(sizes)
        for shape, names in zip(shapes, expected, strict=True):
            if len(shape) != len(names):
                raise ValueError(f"output shape {shape} does not match core dimensions {names} {context}")
            _learn_sizes(known, shape, names, context)
        return out

    return wrapped


def _without_excluded(
    fun: Callable[..., Any], excluded: frozenset, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """A function of the arguments that are mapped, and those arguments.

    Keywords that are not excluded have no place among the mapped arguments, and are lost, as in JAX.
    """
    kept = {name: x for name, x in kwargs.items() if name in excluded}
    fixed = {i: x for i, x in enumerate(args) if i in excluded or x is None}
    mapped = [x for i, x in enumerate(args) if i not in fixed]

    def wrapped(*values: Any) -> Any:
        rest = iter(values)
        return fun(*[fixed[i] if i in fixed else next(rest) for i in range(len(args))], **kept)

    return wrapped, mapped


def vectorize(pyfunc, *, excluded: Any = frozenset(), signature=None):
    """The function mapped over all axes of its arguments but those the signature names, which broadcast.

    Args:
        pyfunc: the function.
        excluded: positions and names of arguments that are passed as they are.
        signature: for example ``"(n,m),(m)->(n)"``; scalars by default.
    """
    if any(not isinstance(exclude, str | int) for exclude in excluded):
        raise TypeError(
            f"jax.numpy.vectorize can only exclude integer or string arguments, but excluded={excluded!r}"
        )
    if any(isinstance(exclude, int) and exclude < 0 for exclude in excluded):
        raise ValueError(f"excluded={excluded!r} contains negative numbers")

    @functools.wraps(pyfunc)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        context = f"on vectorized function with excluded={excluded!r} and signature={signature!r}"
        fun, values = _without_excluded(pyfunc, frozenset(excluded), args, kwargs)
        inputs: CoreDims = [()] * len(values)
        outputs: CoreDims | None = None
        if signature is not None:
            inputs, outputs = _parse_signature(signature)
            inputs = [names for i, names in enumerate(inputs) if i >= len(args) or args[i] is not None]
        if len(values) != len(inputs):
            raise TypeError(
                f"wrong number of positional arguments: expected {len(inputs)}, got {len(values)} {context}"
            )
        arrays = [asarray(x) for x in values]
        return _map(fun, arrays, inputs, outputs, context)

    return wrapped


def _map(
    fun: Callable[..., Any], arrays: list[Any], inputs: CoreDims, outputs: CoreDims | None, context: str
) -> Any:
    sizes: dict[str, int] = {}
    for x, names in zip(arrays, inputs, strict=True):
        _learn_sizes(sizes, x.shape, names, context)
    outer = [x.shape[: x.ndim - len(names)] for x, names in zip(arrays, inputs, strict=True)]
    shape = broadcast_shapes(*outer) if outer else ()
    mapped = _checked(fun, sizes, outputs, context)
    squeezed = [
        lax.squeeze(x, tuple(i for i, size in enumerate(dims) if size == 1))
        for x, dims in zip(arrays, outer, strict=True)
    ]
    filled = [(1,) * (len(shape) - len(dims)) + dims for dims in outer]
    ones = []
    for place in reversed(range(len(shape))):
        in_axes = tuple(None if dims[place] == 1 else 0 for dims in filled)
        if all(axis is None for axis in in_axes):
            ones.append(place)
        else:
            mapped = vmap(mapped, in_axes)
    out = mapped(*squeezed)
    if not ones:
        return out
    if isinstance(out, tuple):
        return tuple(lax.expand_dims(x, tuple(ones)) for x in out)
    return lax.expand_dims(out, tuple(ones))
