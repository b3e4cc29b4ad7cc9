"""Primitives on arrays of random keys; what they compute is a program that the keys' implementation gives.

Lives here: the primitives with their rules. The implementations are in ``jaxnb/random``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, composite, define
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.elementwise import broadcast_shape, nary_batch
from jaxnb.engine.ops.filling import full
from jaxnb.engine.ops.key_types import KeyType, PRNGImpl, key_port
from jaxnb.engine.ops.shape import broadcast_in_dim, squeeze
from jaxnb.engine.transforms.batch import batch_flat, to_dim

__all__ = [
    "random_bits_p",
    "random_fold_in_p",
    "random_seed_p",
    "random_split_p",
    "random_unwrap_p",
    "random_wrap_p",
]

_not_linear = Undefined("keys and bits have no derivative")


def _no_tangent(prim: Callable[[], Any]) -> Callable[..., Any]:
    def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
        out = prim().bind(*primals, **params)
        return out, Zero.from_primal_value(out)

    return jvp


def _impl_of(aval: ShapedArray) -> PRNGImpl:
    assert isinstance(aval.dtype, KeyType)
    return aval.dtype._impl


def _mapped(fun: Callable[..., Any], args: Sequence[Any], outer: Sequence[tuple[int, ...]]) -> Any:
    """Returns ``fun`` mapped over the outer axes of its arguments, which broadcast, one axis after the other.

    Args:
        fun: a function of one key and of scalars.
        args: the arguments.
        outer: each argument's leading axes, over which ``fun`` is mapped.
    """
    rank = max(map(len, outer))
    if not rank:
        return fun(*args)
    size = max(s[0] for s in outer if len(s) == rank)
    given: list[Any] = []
    dims: list[int | None] = []
    for x, s in zip(args, outer, strict=True):
        here = len(s) == rank
        given.append(squeeze(x, (0,)) if here and s[0] != size else x)
        dims.append(0 if here and s[0] == size else None)
    inner = [s[1:] if len(s) == rank else s for s in outer]
    (out,), (dim,) = batch_flat(lambda *xs: [_mapped(fun, xs, inner)], given, dims, size, name_stack=False)
    return to_dim(out, dim, size, 0)


def _no_key_avals(prim: str, aval: ShapedArray) -> TypeError:
    return TypeError(f"{prim} expects a key array, got {aval.str_short()}")


# ---- between keys and words ------------------------------------------------------------------------------------------


def _wrap_abstract(base: ShapedArray, *, impl: PRNGImpl) -> ShapedArray:
    n = len(impl.key_shape)
    return ShapedArray(base.shape[: len(base.shape) - n], KeyType(impl))


def _wrap_batch(args: Any, dims: Any, *, impl: PRNGImpl) -> tuple[Any, int]:
    (x,), (d,) = args, dims
    size = shaped_aval(x).shape[d]  # pyright: ignore[reportAttributeAccessIssue]
    return random_wrap_p.bind(to_dim(x, d, size, 0), impl=impl), 0


random_wrap_p = define(
    "random_wrap",
    abstract=_wrap_abstract,
    lower=lambda ctx, x, *, impl: x,
    jvp=_no_tangent(lambda: random_wrap_p),
    transpose=_not_linear,
    batch=_wrap_batch,
    doc="words as keys",
)


def _unwrap_abstract(keys: ShapedArray) -> ShapedArray:
    if not isinstance(keys.dtype, KeyType):
        raise _no_key_avals("random_unwrap", keys)
    return ShapedArray((*keys.shape, *keys.dtype.element_shape), keys.dtype.element_dtype)


random_unwrap_p = define(
    "random_unwrap",
    abstract=_unwrap_abstract,
    lower=lambda ctx, x: x,
    jvp=_no_tangent(lambda: random_unwrap_p),
    transpose=_not_linear,
    batch=lambda args, dims: (random_unwrap_p.bind(args[0]), dims[0]),
    doc="keys as words",
)


def _full(dtype: KeyType, shape: Any, fill_value: Any) -> Any:
    return random_wrap_p.bind(full((*shape, *dtype.element_shape), fill_value, np.uint32), impl=dtype._impl)


def _unset(dtype: KeyType, shape: Any) -> Any:
    words = np.zeros(dtype.element_shape, np.uint32)
    whole = (*shape, *dtype.element_shape)
    return random_wrap_p.bind(broadcast_in_dim(words, whole, range(len(shape), len(whole))), impl=dtype._impl)


key_port.full = _full
key_port.unset = _unset

# ---- making keys and bits --------------------------------------------------------------------------------------------


def _words(keys: Any) -> tuple[Any, PRNGImpl, tuple[int, ...]]:
    """Returns the words of keys, their implementation and the keys' shape."""
    aval: Any = shaped_aval(keys)
    return random_unwrap_p.bind(keys), _impl_of(aval), aval.shape


def _seed(seeds: Any, *, impl: PRNGImpl) -> Any:
    aval: Any = shaped_aval(seeds)
    return random_wrap_p.bind(_mapped(impl.seed, [seeds], [aval.shape]), impl=impl)


random_seed_p = define(
    "random_seed",
    abstract=lambda seeds, *, impl: ShapedArray(seeds.shape, KeyType(impl)),
    lower=composite(_seed),
    jvp=_no_tangent(lambda: random_seed_p),
    transpose=_not_linear,
    batch=lambda args, dims, *, impl: (random_seed_p.bind(args[0], impl=impl), dims[0]),
    doc="a key for each seed",
)


def _split_abstract(keys: ShapedArray, *, shape: tuple[int, ...]) -> ShapedArray:
    return ShapedArray((*keys.shape, *shape), keys.dtype)


def _split(keys: Any, *, shape: tuple[int, ...]) -> Any:
    words, impl, outer = _words(keys)
    return random_wrap_p.bind(_mapped(lambda k: impl.split(k, shape), [words], [outer]), impl=impl)


random_split_p = define(
    "random_split",
    abstract=_split_abstract,
    lower=composite(_split),
    jvp=_no_tangent(lambda: random_split_p),
    transpose=_not_linear,
    batch=lambda args, dims, *, shape: (random_split_p.bind(args[0], shape=shape), dims[0]),
    doc="new keys from each key",
)


def _fold_in_abstract(keys: ShapedArray, data: ShapedArray) -> ShapedArray:
    return ShapedArray(broadcast_shape("random_fold_in", keys, data), keys.dtype)


def _fold_in(keys: Any, data: Any) -> Any:
    words, impl, outer = _words(keys)
    aval: Any = shaped_aval(data)
    return random_wrap_p.bind(_mapped(impl.fold_in, [words, data], [outer, aval.shape]), impl=impl)


random_fold_in_p = define(
    "random_fold_in",
    abstract=_fold_in_abstract,
    lower=composite(_fold_in),
    jvp=_no_tangent(lambda: random_fold_in_p),
    transpose=_not_linear,
    batch=nary_batch(lambda: random_fold_in_p),
    doc="a new key from each key and a number",
)


def _bits_abstract(keys: ShapedArray, *, bit_width: int, shape: tuple[int, ...]) -> ShapedArray:
    return ShapedArray((*keys.shape, *shape), np.dtype(f"uint{bit_width}"))


def _bits(keys: Any, *, bit_width: int, shape: tuple[int, ...]) -> Any:
    words, impl, outer = _words(keys)
    return _mapped(lambda k: impl.random_bits(k, bit_width, shape), [words], [outer])


random_bits_p = define(
    "random_bits",
    abstract=_bits_abstract,
    lower=composite(_bits),
    jvp=_no_tangent(lambda: random_bits_p),
    transpose=_not_linear,
    batch=lambda args, dims, **params: (random_bits_p.bind(args[0], **params), dims[0]),
    doc="uniform bits from each key",
)
