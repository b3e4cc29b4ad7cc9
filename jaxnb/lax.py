"""The primitives as functions, under JAX's names: re-exports only."""

from __future__ import annotations

# shapes, slices, indexing
from jaxnb.engine.api.slicing import dynamic_index_in_dim, dynamic_update_index_in_dim, scatter_apply

# reductions, windows, running reductions
from jaxnb.engine.control.reduce import reduce, reduce_p
from jaxnb.engine.control.windows import reduce_window, reduce_window_p
from jaxnb.engine.linalg.log_sum_exp import cumlogsumexp, cumlogsumexp_p

# arithmetic, elementwise
from jaxnb.engine.ops.accuracy import AccuracyMode, Tolerance
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from jaxnb.engine.ops.arg_extrema import argmax, argmax_p, argmin, argmin_p
from jaxnb.engine.ops.arithmetic import add, div, integer_pow, mul, mulhi, neg, reciprocal, square, sub
from jaxnb.engine.ops.axes import broadcast_shapes, shape_as_value
from jaxnb.engine.ops.bitwise import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clz,
    population_count,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
)
from jaxnb.engine.ops.comparison import eq, ge, gt, le, lt, ne
from jaxnb.engine.ops.complex_numbers import complex, conj, imag, real

# sorts, products of matrices
from jaxnb.engine.ops.contraction import DotDimensionNumbers, batch_matmul, dot, dot_general, dot_general_p
from jaxnb.engine.ops.conversion import bitcast_convert_type, convert_element_type, reduce_precision
from jaxnb.engine.ops.cumulative import (
    associative_scan,
    cummax,
    cummax_p,
    cummin,
    cummin_p,
    cumprod,
    cumprod_p,
    cumsum,
    cumsum_p,
)
from jaxnb.engine.ops.dynamic_slicing import (
    dynamic_slice,
    dynamic_slice_in_dim,
    dynamic_slice_p,
    dynamic_update_slice,
    dynamic_update_slice_in_dim,
    dynamic_update_slice_p,
)
from jaxnb.engine.ops.exponential import cbrt, exp, exp2, expm1, log, log1p, logistic, rsqrt, sqrt
from jaxnb.engine.ops.filling import broadcasted_iota, copy_p, empty, full, full_like, iota, iota_p
from jaxnb.engine.ops.staging import stage, stage_p
from jaxnb.engine.ops.gather import gather, gather_p
from jaxnb.engine.ops.identity import optimization_barrier, stop_gradient
from jaxnb.engine.ops.joining import (
    concatenate,
    concatenate_p,
    split,
    split_p,
    stack,
    stack_p,
    tile,
    tile_p,
    unstack,
    unstack_p,
)
from jaxnb.engine.ops.magnitude import (
    RoundingMethod,
    abs,
    ceil,
    floor,
    is_finite,
    max,
    min,
    nextafter,
    pow,
    rem,
    round,
    sign,
)
from jaxnb.engine.ops.precision import DotAlgorithm, DotAlgorithmPreset, Precision, PrecisionLike
from jaxnb.engine.ops.reductions import (
    reduce_and,
    reduce_and_p,
    reduce_max,
    reduce_max_p,
    reduce_min,
    reduce_min_p,
    reduce_or,
    reduce_or_p,
    reduce_prod,
    reduce_prod_p,
    reduce_sum,
    reduce_sum_p,
    reduce_xor,
    reduce_xor_p,
)
from jaxnb.engine.ops.scatter import (
    scatter,
    scatter_add,
    scatter_add_p,
    scatter_max,
    scatter_max_p,
    scatter_min,
    scatter_min_p,
    scatter_mul,
    scatter_mul_p,
    scatter_p,
    scatter_sub,
    scatter_sub_p,
)
from jaxnb.engine.ops.selection import clamp, select, select_n
from jaxnb.engine.ops.shape import (
    broadcast,
    broadcast_in_dim,
    broadcast_in_dim_p,
    broadcast_like,
    broadcast_to_rank,
    collapse,
    expand_dims,
    reshape,
    reshape_p,
    rev,
    rev_p,
    squeeze,
    squeeze_p,
    transpose,
    transpose_p,
)
from jaxnb.engine.ops.slicing import index_in_dim, pad, pad_p, slice, slice_in_dim, slice_p
from jaxnb.engine.ops.sorting import sort, sort_key_val, sort_p, top_k, top_k_p
from jaxnb.engine.ops.special import (
    bessel_i0e,
    bessel_i1e,
    digamma,
    erf,
    erf_inv,
    erfc,
    lgamma,
    polygamma,
    zeta,
)
from jaxnb.engine.ops.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
from jaxnb.engine.ops.window_extrema import (
    reduce_window_max_p,
    reduce_window_min_p,
    select_and_gather_add_p,
    select_and_scatter_add_p,
)
from jaxnb.engine.ops.windows import padtype_to_pads, reduce_window_shape_tuple, reduce_window_sum_p
