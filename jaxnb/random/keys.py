"""Keys: making them, splitting them, and the two forms they have, typed and raw."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from typing import Any, NewType

import numpy as np

from jaxnb.base import config
from jaxnb.engine.control.keys import (
    random_bits_p,
    random_fold_in_p,
    random_seed_p,
    random_split_p,
    random_unwrap_p,
    random_wrap_p,
)
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import check_not_masked
from jaxnb.engine.core.trace import Tracer, shaped_aval
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.engine.ops.key_types import KeyType, PRNGImpl
from jaxnb.engine.runtime.arrays import Array
from jaxnb.engine.runtime.key_arrays import PRNGKeyArray
from jaxnb.numpy import asarray, uint32
from jaxnb.random.implementations import implementation_named, implementations
from jaxnb.random.shardings import no_sharding

__all__ = [
    "Key",
    "PRNGKey",
    "PRNGKeyArray",
    "bits",
    "check_key",
    "clone",
    "fold_in",
    "key",
    "key_data",
    "key_dtype",
    "key_impl",
    "random_bits",
    "split",
    "wrap_key_data",
]


Key = NewType("Key", Array)
"""What signatures call a key."""


def is_typed(x: Any) -> bool:
    """Returns whether ``x`` is an array of typed keys."""
    return isinstance(getattr(x, "dtype", None), KeyType)


def _resolve(impl: Any) -> PRNGImpl:
    if impl is None:
        return implementation_named(config.default_prng_impl.value)
    if isinstance(impl, PRNGImpl):
        return impl
    if isinstance(impl, KeyType):
        return impl._impl
    if isinstance(impl, str):
        return implementation_named(impl)
    raise TypeError(f"unrecognized type {type(impl)} for specifying PRNG implementation.")


def wrap(words: Any, impl: PRNGImpl) -> Any:
    """Returns words as typed keys.

    Raises:
        TypeError: where they cannot be words of keys.
    """
    said = "JAX encountered invalid PRNG key data: expected key_data"
    if not all(hasattr(words, attr) for attr in ("ndim", "shape", "dtype")):
        raise TypeError(f"{said} to have ndim, shape, and dtype attributes. Got {words}")
    if words.ndim < 1:
        raise TypeError(f"{said}.ndim >= 1; got ndim={words.ndim}")
    n = len(impl.key_shape)
    if tuple(words.shape[-n:]) != impl.key_shape:
        raise TypeError(
            f"{said}.shape to end with {impl.key_shape}; got shape={tuple(words.shape)} for impl={impl!r}"
        )
    if words.dtype not in (np.dtype(np.uint32), dtypes.float0):
        raise TypeError(f"{said}.dtype = uint32; got dtype={words.dtype}")
    check_not_masked(words)
    return random_wrap_p.bind(words, impl=impl)


def check_key(name: str, key: Any, *, allow_batched: bool = False) -> tuple[Any, bool]:
    """Returns typed keys for keys of either form, and whether they were raw.

    Raises:
        TypeError: where ``key`` is none.
        ValueError: where there is more than one key and one is wanted.
    """
    if is_typed(key):
        typed, raw = key, False
        outer = np.shape(key)
    else:
        impl = implementation_named(config.default_prng_impl.value)
        typed, raw = wrap(key, impl), True
        outer = np.shape(typed)
    if outer and not allow_batched:
        raise ValueError(
            f"{name} accepts a single key, but was given a key array of shape {np.shape(key)} != (). "
            "Use jax.vmap for batching."
        )
    return typed, raw


def _like(raw: bool, keys: Any) -> Any:
    return random_unwrap_p.bind(keys) if raw else keys


def _key(name: str, seed: Any, impl: Any) -> Any:
    implementation = _resolve(impl)
    if is_typed(seed):
        raise TypeError(f"{name} accepts a scalar seed, but was given a PRNG key.")
    if np.ndim(seed):
        raise TypeError(
            f"{name} accepts a scalar seed, but was given an array of shape {np.shape(seed)} != (). "
            "Use jax.vmap for batching"
        )
    # An integer of Python may be wider than the default integer type: its low bits count.
    seeds = asarray(np.int64(seed) if isinstance(seed, int) else seed)
    return random_seed_p.bind(seeds, impl=implementation)


def key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    """Returns a typed key.

    Args:
        seed: an integer.
        impl: the name of an implementation; by default the setting ``jax_default_prng_impl``.
        dtype: the same choice, as the keys' dtype or a name.

    Raises:
        TypeError: where the seed is no scalar integer.
        ValueError: where there is no such implementation, or where it is said twice.
    """
    return _key("key", seed, _chosen("key", impl, dtype))


def _chosen(name: str, impl: Any, dtype: Any) -> Any:
    """Returns the implementation that one of the two says, None where neither does."""
    if impl is not None and dtype is not None:
        raise ValueError(f"Cannot specify both `impl` and `dtype` arguments to jax.random.{name}")
    return impl if dtype is None else dtype


def PRNGKey(seed: Any, *, impl: Any = None) -> Any:
    """Returns a raw key: an array of ``uint32``.

    Args:
        seed: an integer.
        impl: the name of an implementation; by default the setting ``jax_default_prng_impl``.

    Raises:
        TypeError: where the seed is no scalar integer.
        ValueError: where there is no such implementation.
    """
    made = _key("PRNGKey", seed, impl)
    return made if config.enable_custom_prng.value else random_unwrap_p.bind(made)


def split(key: Any, num: int | tuple[int, ...] = 2) -> Any:
    """Returns new keys of the form of ``key``.

    Args:
        key: one key.
        num: how many, or the shape of the array of keys.
    """
    typed, raw = check_key("split", key)
    several = isinstance(num, Sequence) and not isinstance(num, str)
    sizes: tuple[Any, ...] = tuple(num) if several else (num,)  # pyright: ignore[reportArgumentType, reportGeneralTypeIssues]
    if not several and not isinstance(num, Tracer):
        sizes = (operator.index(num),)  # pyright: ignore[reportArgumentType]
    # Of a size that is traced or none the primitive says more.
    shape = tuple(operator.index(size) if isinstance(size, np.integer) else size for size in sizes)
    return _like(raw, random_split_p.bind(typed, shape=shape))


def fold_in(key: Any, data: Any) -> Any:
    """Returns a new key from a key and an integer.

    Args:
        key: one key.
        data: an integer of 32 bits.

    Raises:
        TypeError: where ``data`` is no scalar.
    """
    typed, raw = check_key("fold_in", key)
    if np.ndim(data):
        raise TypeError(
            f"fold_in accepts a scalar, but was given an array ofshape {np.shape(data)} != (). "
            "Use jax.vmap for batching."
        )
    return _like(raw, random_fold_in_p.bind(typed, uint32(data)))


def key_data(keys: Any) -> Any:
    """Returns the words of keys."""
    typed, _ = check_key("key_data", keys, allow_batched=True)
    return random_unwrap_p.bind(typed)


def wrap_key_data(key_bits_array: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    """Returns words as typed keys.

    Args:
        key_bits_array: an array of ``uint32`` whose last axes are one key's words.
        impl: the name of an implementation.
        dtype: the same choice, as the keys' dtype or a name.

    Raises:
        TypeError: where the array cannot be words of keys.
        ValueError: where the implementation is said twice.
    """
    return wrap(key_bits_array, _resolve(_chosen("wrap_key_data", impl, dtype)))


def key_impl(keys: Any) -> Hashable:
    """Returns the name of the keys' implementation."""
    typed, _ = check_key("key_impl", keys, allow_batched=True)
    impl = shaped_aval(typed).dtype._impl  # pyright: ignore[reportAttributeAccessIssue]
    return impl.name if impl.name in implementations else impl


def key_dtype(impl_spec: Any = None) -> KeyType:
    """Returns the element type of typed keys.

    Args:
        impl_spec: the name of an implementation, or keys' dtype; by default the setting ``jax_default_prng_impl``.

    Raises:
        TypeError: where ``impl_spec`` is something else.
        ValueError: where there is no such implementation.
    """
    return KeyType(_resolve(impl_spec))


def clone(key: Any) -> Any:
    """Returns the same keys; it says that using them once more is meant."""
    typed, raw = check_key("clone", key, allow_batched=True)
    return _like(raw, typed)


def random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Returns uniform bits from a typed key."""
    return random_bits_p.bind(key, bit_width=bit_width, shape=tuple(shape))


def bits(key: Any, shape: Sequence[int] = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns uniform bits as unsigned integers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: an unsigned integer type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    typed, _ = check_key("bits", key)
    dtype = (
        dtypes.canonicalize_dtype(np.uint64) if dtype is None else dtypes.check_user_dtype_supported(dtype)
    )
    if not dtypes.issubdtype(dtype, np.unsignedinteger):
        raise ValueError(
            f"dtype argument to `bits` must be an unsigned int dtype, got {getattr(np.dtype(dtype), 'name', dtype)}"
        )
    shape = canonicalize_shape(shape)
    no_sharding("bits", out_sharding)
    return random_bits(typed, dtypes.iinfo(dtype).bits, shape)
