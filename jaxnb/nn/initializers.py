"""Weights to start from: functions of a key, a shape and an element type, and what makes such functions.

Those that draw orthogonal matrices need a factorisation and are not here.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from jaxnb import lax, random
from jaxnb import numpy as jnp
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.random.arguments import no_sharding
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "Initializer", "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "kaiming_normal",
    "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones", "truncated_normal", "uniform",
    "variance_scaling", "xavier_normal", "xavier_uniform", "zeros",
]  # fmt: skip

_NEWER = JAXLIB_VERSION >= (0, 12)


@typing.runtime_checkable
class Initializer(Protocol):
    """What makes the weights of a layer."""

    def __call__(self, key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
        """Returns weights.

        Args:
            key: one key.
            shape: the result's shape.
            dtype: the result's element type.
            out_sharding: how the result is sharded.
        """
        ...


def _asked(dtype: Any) -> Any:
    """The element type asked for, by default the widest float type in use."""
    return float if dtype is None else dtype


def _element_type(dtype: Any) -> Any:
    """The same as a type that is in use."""
    return dtypes.check_user_dtype_supported(_asked(dtype))


def zeros(key, shape, dtype=None, out_sharding=None):
    """Returns zeros of this shape and element type; the key is not used."""
    no_sharding("jnp.zeros", out_sharding)
    return jnp.zeros(shape, _asked(dtype))


def ones(key, shape, dtype=None, out_sharding=None):
    """Returns ones of this shape and element type; the key is not used."""
    no_sharding("jnp.ones", out_sharding)
    return jnp.ones(shape, _asked(dtype))


def constant(value, dtype=None):
    """Returns the initializer that fills with a value.

    Args:
        value: a scalar, or what can be broadcast to the shapes asked for.
        dtype: the element type where none is asked for.
    """
    made_for = dtype

    def init(key, shape, dtype=made_for, out_sharding=None):
        no_sharding("nn.initializers.constant", out_sharding)
        return jnp.full(shape, value, dtype=_asked(dtype))

    return init


def uniform(scale=1e-2, dtype=None):
    """Returns the initializer of numbers that are equally likely from zero to ``scale``; ``dtype`` as for ``constant``."""
    made_for = dtype

    def init(key, shape, dtype=made_for, out_sharding=None):
        dtype = _element_type(dtype)
        return random.uniform(key, shape, dtype, out_sharding=out_sharding) * jnp.array(scale, dtype)

    return init


def normal(stddev=1e-2, dtype=None):
    """Returns the initializer of normal numbers.

    Args:
        stddev: their standard deviation.
        dtype: the element type where none is asked for.
    """
    made_for = dtype

    def init(key, shape, dtype=made_for, out_sharding=None):
        dtype = _element_type(dtype)
        return _normal(key, shape, dtype, lambda: jnp.array(stddev, dtype), out_sharding)

    return init


def _normal(key: Any, shape: Any, dtype: Any, stddev: Callable[[], Any], out_sharding: Any) -> Any:
    """Normal numbers; in newer versions real ones are stretched in one product with √2."""
    if not _NEWER:
        return random.normal(key, shape, dtype, out_sharding=out_sharding) * stddev()
    width = stddev()
    if not dtypes.issubdtype(dtype, np.floating):
        return random.normal(key, shape, dtype, out_sharding=out_sharding) * width
    low = np.nextafter(np.array(-1.0, dtype), np.array(0.0, dtype), dtype=dtype)
    spread = random.uniform(key, shape, dtype, low, np.array(1.0, dtype), out_sharding=out_sharding)
    return lax.mul(np.array(np.sqrt(2), dtype), width) * lax.erf_inv(spread)


def truncated_normal(stddev=1e-2, dtype=None, lower=-2.0, upper=2.0):
    """Returns the initializer of normal numbers between two bounds.

    Args:
        stddev: the standard deviation before numbers are left out.
        dtype: the element type where none is asked for.
        lower: the bound below, in standard deviations.
        upper: the bound above.
    """
    made_for = dtype

    def init(key, shape, dtype=made_for, out_sharding=None):
        dtype = _element_type(dtype)
        drawn = random.truncated_normal(key, lower, upper, shape, dtype, out_sharding=out_sharding)
        return drawn * jnp.array(stddev, dtype)

    return init


# Variances that depend on how many numbers go into a layer and come out of it


def _size(shape: tuple[int, ...], axis: int | Sequence[int]) -> int:
    return shape[axis] if isinstance(axis, int) else math.prod(shape[i] for i in axis)


def _fans(
    shape: tuple[int, ...],
    in_axis: int | Sequence[int],
    out_axis: int | Sequence[int],
    batch_axis: int | Sequence[int],
) -> tuple[float, float]:
    """How many numbers each output is made of, and how many outputs each input goes to."""
    if len(shape) <= 1 and in_axis == -2:
        raise ValueError(
            f"Can't compute input and output sizes of a {len(shape)}-dimensional weights tensor with default in_axis. "
            "Must be at least 2D or specify in_axis explicitly."
        )
    inputs, outputs = _size(shape, in_axis), _size(shape, out_axis)
    field = math.prod(shape) / inputs / outputs / _size(shape, batch_axis)
    return inputs * field, outputs * field


def _variance(
    scale: Any, mode: str, shape: tuple[int, ...], axes: tuple[int | Sequence[int], ...], dtype: Any
) -> Any:
    if _NEWER and 0 in shape:
        return jnp.array(0, dtype)
    fan_in, fan_out = _fans(shape, *axes)
    if mode == "fan_in":
        fan = fan_in
    elif mode == "fan_out":
        fan = fan_out
    elif mode == "fan_avg":
        fan = (fan_in + fan_out) / 2
    elif mode == "fan_geo_avg":
        fan = (fan_in * fan_out) ** 0.5
    else:
        raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
    return jnp.array(scale / fan, dtype=dtype)


def variance_scaling(
    scale,
    mode: Literal["fan_in", "fan_out", "fan_avg", "fan_geo_avg"],
    distribution: Literal["truncated_normal", "normal", "uniform"],
    in_axis=-2,
    out_axis=-1,
    batch_axis=(),
    dtype=None,
):
    """Returns an initializer whose variance keeps the size of what goes through a layer.

    Args:
        scale: the variance times the fan.
        mode: the fan: how many numbers each output is made of, how many outputs each input goes to, or their mean or
            geometric mean.
        distribution: what is drawn.
        in_axis: the axis or axes of inputs.
        out_axis: the axis or axes of outputs.
        batch_axis: axes that are in neither.
        dtype: the element type where none is asked for.

    Returns:
        An initializer; it raises ValueError for another mode or distribution, and for a shape of one axis whose inputs
        are not named.
    """
    made_for = dtype

    def init(key, shape, dtype=made_for, out_sharding=None):
        shape = canonicalize_shape(shape)
        dtype = _element_type(dtype)
        variance = _variance(scale, mode, shape, (in_axis, out_axis, batch_axis), dtype)
        is_complex = not dtypes.issubdtype(dtype, np.floating)
        if distribution == "truncated_normal":
            # what is cut off makes the rest narrower, by these factors
            stddev = jnp.sqrt(variance) / jnp.array(
                0.95311164380491208 if is_complex else 0.87962566103423978, dtype
            )
            if is_complex:
                return _complex_truncated_normal(key, 2, shape, dtype, out_sharding) * stddev
            return random.truncated_normal(key, -2, 2, shape, dtype, out_sharding=out_sharding) * stddev
        if distribution == "normal":
            return _normal(key, shape, dtype, lambda: jnp.sqrt(variance), out_sharding)
        if distribution == "uniform":
            if is_complex:
                return _complex_uniform(key, shape, dtype, out_sharding) * jnp.sqrt(variance)
            drawn = random.uniform(key, shape, dtype, -1, out_sharding=out_sharding)
            return drawn * jnp.sqrt(3 * variance)
        raise ValueError(f"invalid distribution for variance scaling initializer: {distribution}")

    return init


def _real_part(dtype: Any) -> Any:
    return np.real(np.zeros(1, dtype)).dtype


def _complex_uniform(key: Any, shape: Any, dtype: Any, out_sharding: Any) -> Any:
    """Numbers that are equally likely in a disk around zero, of mean square one."""
    radius_key, angle_key = random.split(key)
    real = _real_part(dtype)
    radius = jnp.sqrt(2 * random.uniform(radius_key, shape, real, out_sharding=out_sharding)).astype(dtype)
    return _turned(radius, angle_key, shape, dtype, out_sharding)


def _complex_truncated_normal(key: Any, upper: Any, shape: Any, dtype: Any, out_sharding: Any) -> Any:
    """Complex normal numbers of absolute value at most ``upper``."""
    radius_key, angle_key = random.split(key)
    real = _real_part(dtype)
    most = 1 - jnp.exp(jnp.array(-(upper**2), dtype))
    drawn = most * random.uniform(radius_key, shape, real, out_sharding=out_sharding).astype(dtype)
    return _turned(jnp.sqrt(-jnp.log(1 - drawn)), angle_key, shape, dtype, out_sharding)


def _turned(radius: Any, key: Any, shape: Any, dtype: Any, out_sharding: Any) -> Any:
    """Numbers of these sizes in directions that are equally likely."""
    drawn = random.uniform(key, shape, _real_part(dtype), out_sharding=out_sharding).astype(dtype)
    return radius * jnp.exp(1j * (2 * np.pi * drawn))


def glorot_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns Glorot's initializer, uniform: variance ``1 / fan_avg``; arguments as those of ``variance_scaling``."""
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, batch_axis, dtype)


def glorot_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns Glorot's initializer, normal: variance ``1 / fan_avg``; arguments as those of ``variance_scaling``."""
    return variance_scaling(1.0, "fan_avg", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def lecun_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns LeCun's initializer, uniform: variance ``1 / fan_in``; arguments as those of ``variance_scaling``."""
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def lecun_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns LeCun's initializer, normal: variance ``1 / fan_in``; arguments as those of ``variance_scaling``."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def he_uniform(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns He's initializer, uniform: variance ``2 / fan_in``; arguments as those of ``variance_scaling``."""
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def he_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Returns He's initializer, normal: variance ``2 / fan_in``; arguments as those of ``variance_scaling``."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


xavier_uniform = glorot_uniform
xavier_normal = glorot_normal
kaiming_uniform = he_uniform
kaiming_normal = he_normal
