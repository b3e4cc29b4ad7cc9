"""Threefry-2x32: keys of two words, and the counter-based function that turns them into bits.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.base import config
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.ops.elementwise import broadcast_shape, nary_batch
from jaxnb.engine.ops.key_types import PRNGImpl
from jaxnb.engine.ops.lowering import LoweringContext, constant, i64_attr, ir_type
from jaxnb.engine.ops.outlining import outlined
from jaxnb.engine.transforms.stage import trace_rule
from jaxnb.numpy import bitwise_and
from jaxnb.xla import state
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["iota_2x32_shape_p", "threefry2x32_p", "threefry_2x32", "threefry_prng_impl"]

_no_derivative = Undefined("bits have no derivative")
_U32 = np.dtype(np.uint32)
_U64 = np.dtype(np.uint64)

# ---- the function ----------------------------------------------------------------------------------------------------

_ROTATIONS = (np.array([13, 15, 26, 6], np.uint32), np.array([17, 29, 16, 24], np.uint32))


def _words(x: Any) -> Any:
    """The elements of a vector; older JAX takes one after the other as they are needed."""
    if JAXLIB_VERSION >= (0, 12):
        return lax.unstack(x)
    return (_row(x, i) for i in range(x.shape[0]))


def _row(x: Any, i: int) -> Any:
    return lax.squeeze(lax.slice(x, (i,), (i + 1,)), (0,))


def _rotate_left(x: Any, d: Any) -> Any:
    return lax.bitwise_or(lax.shift_left(x, d), lax.shift_right_logical(x, lax.sub(np.uint32(32), d)))


def _rounds(i: Any, state: Any) -> Any:
    """Four rounds and the injection of the next words of the key."""
    (x0, x1), keys, rotations = state
    for r in _words(rotations[0]):
        x0 = lax.add(x0, x1)
        x1 = lax.bitwise_xor(x0, _rotate_left(x1, r))
    new0 = lax.add(x0, keys[0])
    new1 = lax.add(lax.add(x1, keys[1]), lax.convert_element_type(lax.add(i, 1), np.uint32))
    return (new0, new1), [keys[1], keys[2], keys[0]], [rotations[1], rotations[0]]


def _threefry2x32(key1: Any, key2: Any, x1: Any, x2: Any) -> Sequence[Any]:
    """Twenty rounds on the counters ``x1, x2`` under the key."""
    key3 = lax.bitwise_xor(lax.bitwise_xor(key1, key2), np.uint32(0x1BD11BDA))
    x = (lax.add(x1, key1), lax.add(x2, key2))
    out, _, _ = lax.fori_loop(0, 5, _rounds, (x, [key2, key3, key1], list(_ROTATIONS)))
    return out


@functools.cache
def _threefry_program(settings: tuple[Any, ...], *avals: ShapedArray) -> Any:
    """Returns the program of the function for operands of these types, under these settings."""
    return trace_rule(_threefry2x32, avals)


def _threefry_abstract(*avals: ShapedArray) -> list[ShapedArray]:
    if any(a.dtype != _U32 for a in avals):
        raise TypeError(f"Arguments to threefry2x32 must have uint32 type, got {list(avals)}")
    out = ShapedArray(broadcast_shape("threefry2x32", *avals), _U32)
    return [out, out]


def _threefry_batch(args: Any, dims: Any) -> tuple[list[Any], list[int]]:
    out, d = nary_batch(lambda: threefry2x32_p)(args, dims)
    return out, [d, d]


threefry2x32_p = define(
    "threefry2x32",
    abstract=_threefry_abstract,
    lower=outlined(
        lambda ctx, *xs: ctx.lower_jaxpr(_threefry_program(state.trace_context(), *ctx.avals_in), *xs)
    ),
    jvp=_no_derivative,
    transpose=_no_derivative,
    batch=_threefry_batch,
    multiple_results=True,
    doc="the Threefry hash of two counters under a key of two words",
)


def _iota_lower(ctx: LoweringContext, *, shape: tuple[int, ...]) -> list[ir.Value]:
    """Numbers all elements in 64 bits and returns the high and the low half."""
    out = ctx.avals_out[0]
    if not shape:
        zero = np.zeros((), np.uint32)
        return [constant(zero), constant(zero)]
    wide = ir_type(ShapedArray(shape, _U64))
    iotas = [hlo.iota(wide, i64_attr(d)) for d in range(len(shape))]
    terms = []
    for d, iota in enumerate(iotas):
        stride = constant(np.uint64(math.prod(shape[d + 1 :])))
        terms.append(hlo.multiply(hlo.broadcast_in_dim(wide, stride, ir.DenseI64ArrayAttr.get([])), iota))
    counts = functools.reduce(hlo.add, terms)
    half = hlo.broadcast_in_dim(wide, constant(np.uint64(32)), ir.DenseI64ArrayAttr.get([]))
    high = hlo.shift_right_logical(counts, half)
    narrow = ir_type(out)
    low = hlo.convert(narrow, counts)
    return [hlo.convert(narrow, high), low]


iota_2x32_shape_p = define(
    "iota_2x32_shape",
    abstract=lambda *, shape: [ShapedArray(shape, _U32)] * 2,
    lower=_iota_lower,
    jvp=_no_derivative,
    transpose=_no_derivative,
    batch=Undefined("it has no operands"),
    multiple_results=True,
    doc="the numbers of all elements of a shape, as high and low words",
)

# ---- the implementation of keys --------------------------------------------------------------------------------------


def threefry_seed(seed: Any) -> Any:
    """The key of a seed: its high and its low word."""
    if seed.shape:
        raise TypeError(f"PRNG key seed must be a scalar; got {seed!r}.")
    if not np.issubdtype(seed.dtype, np.integer):
        raise TypeError(f"PRNG key seed must be an integer; got {seed!r}")

    def word(x: Any) -> Any:
        return lax.expand_dims(lax.convert_element_type(x, np.uint32), (0,))

    high = word(lax.shift_right_logical(seed, lax.full_like(seed, 32)))
    low = word(bitwise_and(seed, np.uint32(0xFFFFFFFF)))
    return lax.concatenate([high, low], 0)


def threefry_2x32(key: Any, count: Any) -> Any:
    """The hash of an array of counters under a key: the first half is paired with the second."""
    flat = lax.reshape(count, (count.size,))
    odd = flat.shape[0] % 2
    key1, key2 = _words(key)
    if odd:
        flat = lax.concatenate([flat, np.zeros(1, np.uint32)], 0)
    half = flat.shape[0] // 2
    first, second = lax.split(flat, (half, half))
    out = lax.concatenate(threefry2x32_p.bind(key1, key2, first, second), 0)
    if odd:
        out = lax.slice(out, (0,), (out.shape[0] - 1,))
    return lax.reshape(out, count.shape)


def threefry_split(key: Any, shape: tuple[int, ...]) -> Any:
    """Keys of this shape from one key."""
    return _threefry_split(key, tuple(int(d) for d in shape))


@functools.partial(jit, static_argnums=(1,))
def _threefry_split(key: Any, shape: tuple[int, ...]) -> Any:
    if config.threefry_partitionable.value:
        key1, key2 = _words(key)
        high, low = iota_2x32_shape_p.bind(shape=shape)
        rows = threefry2x32_p.bind(key1, key2, high, low)
        return lax.stack(rows, len(shape))
    counts = lax.iota(np.uint32, math.prod(shape) * 2)
    return lax.reshape(threefry_2x32(key, counts), (*shape, 2))


def threefry_fold_in(key: Any, data: Any) -> Any:
    """A key from a key and a number."""
    return _threefry_fold_in(key, data)


@jit
def _threefry_fold_in(key: Any, data: Any) -> Any:
    return threefry_2x32(key, threefry_seed(data))


def threefry_random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Uniform bits of this shape from one key."""
    if bit_width not in (8, 16, 32, 64):
        raise TypeError("requires 8-, 16-, 32- or 64-bit field width.")
    if config.threefry_partitionable.value:
        return _partitionable_bits(key, bit_width, shape)
    return _original_bits(key, bit_width, shape)


def _partitionable_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Each element depends on its own number alone."""
    key1, key2 = _words(key)
    high, low = iota_2x32_shape_p.bind(shape=shape)
    bits_high, bits_low = threefry2x32_p.bind(key1, key2, high, low)
    dtype = np.dtype(f"uint{bit_width}")
    if bit_width == 64:
        wide_high = lax.convert_element_type(bits_high, dtype)
        wide_low = lax.convert_element_type(bits_low, dtype)
        return lax.bitwise_or(lax.shift_left(wide_high, np.uint64(32)), wide_low)
    bits = lax.bitwise_xor(bits_high, bits_low)
    return bits if bit_width == 32 else lax.convert_element_type(bits, dtype)


def _original_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """The words are numbered one after the other, and several small elements share a word."""
    size = math.prod(shape)
    max_count = int(np.ceil(bit_width * size / 32))
    if max_count >= np.iinfo(np.uint32).max:
        raise NotImplementedError("so many bits at once need jax_threefry_partitionable")
    bits = threefry_2x32(key, lax.iota(np.uint32, max_count))
    dtype = np.dtype(f"uint{bit_width}")
    if bit_width == 64:
        half = max_count // 2
        high, low = (lax.convert_element_type(x, dtype) for x in lax.split(bits, (half, half)))
        bits = lax.bitwise_or(lax.shift_left(high, np.uint64(32)), low)
    elif bit_width in (8, 16):
        wide = lax.expand_dims(bits, (0,))
        shifts = lax.mul(np.uint32(bit_width), lax.broadcasted_iota(np.uint32, (32 // bit_width, 1), 0))
        parts = lax.bitwise_and(np.uint32(np.iinfo(dtype).max), lax.shift_right_logical(wide, shifts))
        flat = lax.reshape(lax.transpose(parts, (1, 0)), (max_count * 32 // bit_width,))
        bits = lax.convert_element_type(flat, dtype)
        bits = lax.slice(bits, (0,), (size,))
    return lax.reshape(bits, shape)


threefry_prng_impl = PRNGImpl(
    key_shape=(2,),
    seed=threefry_seed,
    split=threefry_split,
    random_bits=threefry_random_bits,
    fold_in=threefry_fold_in,
    name="threefry2x32",
    tag="fry",
)
