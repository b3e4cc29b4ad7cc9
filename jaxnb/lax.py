"""The primitives as functions, under JAX's names: re-exports only."""

from __future__ import annotations

from jaxnb.engine.api.slicing import (
    dynamic_index_in_dim,
    dynamic_update_index_in_dim,
    index_take,
    scatter_apply,
)
from jaxnb.engine.control.branches import cond_p
from jaxnb.engine.control.conditionals import cond, platform_dependent, switch
from jaxnb.engine.control.loops import while_p
from jaxnb.engine.control.reduce import reduce, reduce_p
from jaxnb.engine.control.repetition import fori_loop, map, scan, while_loop
from jaxnb.engine.control.scans import scan_p
from jaxnb.engine.control.windows import reduce_window, reduce_window_p
from jaxnb.engine.linalg.error_functions import erf, erf_p, erfc, erfc_p
from jaxnb.engine.linalg.incomplete_beta import betainc, regularized_incomplete_beta_p
from jaxnb.engine.linalg.incomplete_gamma import (
    igamma,
    igamma_grad_a,
    igamma_grad_a_p,
    igamma_p,
    igammac,
    igammac_p,
    random_gamma_grad,
)
from jaxnb.engine.linalg.log_sum_exp import cumlogsumexp, cumlogsumexp_p
from jaxnb.engine.ops.accuracy import AccuracyMode, Tolerance
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from jaxnb.engine.ops.arg_extrema import argmax, argmax_p, argmin, argmin_p
from jaxnb.engine.ops.arithmetic import (
    add,
    add_p,
    div,
    div_p,
    integer_pow,
    integer_pow_p,
    mul,
    mul_p,
    mulhi,
    mulhi_p,
    neg,
    neg_p,
    reciprocal,
    square,
    square_p,
    sub,
    sub_p,
)
from jaxnb.engine.ops.axes import broadcast_shapes, shape_as_value
from jaxnb.engine.ops.bitwise import (
    and_p,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clz,
    clz_p,
    not_p,
    or_p,
    population_count,
    population_count_p,
    shift_left,
    shift_left_p,
    shift_right_arithmetic,
    shift_right_arithmetic_p,
    shift_right_logical,
    shift_right_logical_p,
    xor_p,
)
from jaxnb.engine.ops.comparison import (
    eq,
    eq_p,
    eq_to_p,
    ge,
    ge_p,
    gt,
    gt_p,
    le,
    le_p,
    le_to_p,
    lt,
    lt_p,
    lt_to_p,
    ne,
    ne_p,
)
from jaxnb.engine.ops.complex_numbers import complex, complex_p, conj, conj_p, imag, imag_p, real, real_p
from jaxnb.engine.ops.contraction import DotDimensionNumbers, batch_matmul, dot, dot_general, dot_general_p
from jaxnb.engine.ops.conversion import (
    bitcast_convert_type,
    bitcast_convert_type_p,
    convert_element_type,
    convert_element_type_p,
    reduce_precision,
    reduce_precision_p,
)
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
from jaxnb.engine.ops.exponential import (
    cbrt,
    cbrt_p,
    exp,
    exp2,
    exp2_p,
    exp_p,
    expm1,
    expm1_p,
    log,
    log1p,
    log1p_p,
    log_p,
    logistic,
    logistic_p,
    rsqrt,
    rsqrt_p,
    sqrt,
    sqrt_p,
)
from jaxnb.engine.ops.filling import broadcasted_iota, copy_p, empty, full, full_like, iota, iota_p
from jaxnb.engine.ops.gather import gather, gather_p
from jaxnb.engine.ops.identity import (
    optimization_barrier,
    optimization_barrier_p,
    stop_gradient,
    stop_gradient_p,
)
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
    abs_p,
    ceil,
    ceil_p,
    floor,
    floor_p,
    is_finite,
    is_finite_p,
    max,
    max_p,
    min,
    min_p,
    nextafter,
    nextafter_p,
    pow,
    pow_p,
    rem,
    rem_p,
    round,
    round_p,
    sign,
    sign_p,
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
from jaxnb.engine.ops.selection import clamp, clamp_p, select, select_n, select_n_p
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
    bessel_i0e_p,
    bessel_i1e,
    bessel_i1e_p,
    digamma,
    digamma_p,
    erf_inv,
    erf_inv_p,
    lgamma,
    lgamma_p,
    polygamma,
    polygamma_p,
    zeta,
    zeta_p,
)
from jaxnb.engine.ops.staging import stage, stage_p
from jaxnb.engine.ops.trigonometric import (
    acos,
    acos_p,
    acosh,
    acosh_p,
    asin,
    asin_p,
    asinh,
    asinh_p,
    atan,
    atan2,
    atan2_p,
    atan_p,
    atanh,
    atanh_p,
    cos,
    cos_p,
    cosh,
    cosh_p,
    sin,
    sin_p,
    sinh,
    sinh_p,
    tan,
    tan_p,
    tanh,
    tanh_p,
)
from jaxnb.engine.ops.window_extrema import (
    reduce_window_max_p,
    reduce_window_min_p,
    select_and_gather_add_p,
    select_and_scatter_add_p,
)
from jaxnb.engine.ops.windows import padtype_to_pads, reduce_window_shape_tuple, reduce_window_sum_p
from jaxnb.engine.runtime.device_put import device_put_p
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "AccuracyMode", "DotAlgorithm", "DotAlgorithmPreset", "DotDimensionNumbers", "GatherDimensionNumbers",
    "GatherScatterMode", "Precision", "PrecisionLike", "RoundingMethod", "ScatterDimensionNumbers",
    "Tolerance", "abs", "abs_p", "acos", "acos_p", "acosh", "acosh_p", "add", "add_p", "and_p", "argmax",
    "argmax_p", "argmin", "argmin_p", "asin", "asin_p", "asinh", "asinh_p", "associative_scan", "atan",
    "atan2", "atan2_p", "atan_p", "atanh", "atanh_p", "batch_matmul", "bessel_i0e", "bessel_i0e_p",
    "bessel_i1e", "bessel_i1e_p", "betainc", "bitcast_convert_type", "bitcast_convert_type_p", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast", "broadcast_in_dim", "broadcast_in_dim_p",
    "broadcast_like", "broadcast_shapes", "broadcast_to_rank", "broadcasted_iota", "cbrt", "cbrt_p", "ceil",
    "ceil_p", "clamp", "clamp_p", "clz", "clz_p", "collapse", "complex", "complex_p", "concatenate",
    "concatenate_p", "cond", "cond_p", "conj", "conj_p", "convert_element_type", "convert_element_type_p",
    "copy_p", "cos", "cos_p", "cosh", "cosh_p", "cumlogsumexp", "cumlogsumexp_p", "cummax", "cummax_p",
    "cummin", "cummin_p", "cumprod", "cumprod_p", "cumsum", "cumsum_p", "device_put_p", "digamma",
    "digamma_p", "div", "div_p", "dot", "dot_general", "dot_general_p", "dynamic_index_in_dim",
    "dynamic_slice", "dynamic_slice_in_dim", "dynamic_slice_p", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_slice_p", "empty", "eq", "eq_p",
    "eq_to_p", "erf", "erf_inv", "erf_inv_p", "erf_p", "erfc", "erfc_p", "exp", "exp2", "exp2_p", "exp_p",
    "expand_dims", "expm1", "expm1_p", "floor", "floor_p", "fori_loop", "full", "full_like", "gather",
    "gather_p", "ge", "ge_p", "gt", "gt_p", "igamma", "igamma_grad_a", "igamma_grad_a_p", "igamma_p",
    "igammac", "igammac_p", "imag", "imag_p", "index_in_dim", "index_take", "integer_pow", "integer_pow_p",
    "iota", "iota_p", "is_finite", "is_finite_p", "le", "le_p", "le_to_p", "lgamma", "lgamma_p", "log",
    "log1p", "log1p_p", "log_p", "logistic", "logistic_p", "lt", "lt_p", "lt_to_p", "map", "max", "max_p",
    "min", "min_p", "mul", "mul_p", "mulhi", "mulhi_p", "ne", "ne_p", "neg", "neg_p", "nextafter",
    "nextafter_p", "not_p", "optimization_barrier", "optimization_barrier_p", "or_p", "pad", "pad_p",
    "padtype_to_pads", "platform_dependent", "polygamma", "polygamma_p", "population_count",
    "population_count_p", "pow", "pow_p", "random_gamma_grad", "real", "real_p", "reciprocal", "reduce",
    "reduce_and", "reduce_and_p", "reduce_max", "reduce_max_p", "reduce_min", "reduce_min_p", "reduce_or",
    "reduce_or_p", "reduce_p", "reduce_precision", "reduce_precision_p", "reduce_prod", "reduce_prod_p",
    "reduce_sum", "reduce_sum_p", "reduce_window", "reduce_window_max_p", "reduce_window_min_p",
    "reduce_window_p", "reduce_window_shape_tuple", "reduce_window_sum_p", "reduce_xor", "reduce_xor_p",
    "regularized_incomplete_beta_p", "rem", "rem_p", "reshape", "reshape_p", "rev", "rev_p", "round",
    "round_p", "rsqrt", "rsqrt_p", "scan", "scan_p", "scatter", "scatter_add", "scatter_add_p",
    "scatter_apply", "scatter_max", "scatter_max_p", "scatter_min", "scatter_min_p", "scatter_mul",
    "scatter_mul_p", "scatter_p", "scatter_sub", "scatter_sub_p", "select", "select_and_gather_add_p",
    "select_and_scatter_add_p", "select_n", "select_n_p", "shape_as_value", "shift_left", "shift_left_p",
    "shift_right_arithmetic", "shift_right_arithmetic_p", "shift_right_logical", "shift_right_logical_p",
    "sign", "sign_p", "sin", "sin_p", "sinh", "sinh_p", "slice", "slice_in_dim", "slice_p", "sort",
    "sort_key_val", "sort_p", "split", "split_p", "sqrt", "sqrt_p", "square", "square_p", "squeeze",
    "squeeze_p", "stack", "stack_p", "stage", "stage_p", "stop_gradient", "stop_gradient_p", "sub", "sub_p",
    "switch", "tan", "tan_p", "tanh", "tanh_p", "tile", "tile_p", "top_k", "top_k_p", "transpose",
    "transpose_p", "unstack", "unstack_p", "while_loop", "while_p", "xor_p", "zeta", "zeta_p",
]  # fmt: skip

if JAXLIB_VERSION >= (0, 12):  # functions that the oracle of this version added
    from jaxnb.engine.control.polynomial import polynomial, polynomial_p
    from jaxnb.engine.ops.arithmetic import one_minus_square, one_minus_square_p
    from jaxnb.engine.ops.exponential import log2, log2_p

    __all__ += ["log2", "log2_p", "one_minus_square", "one_minus_square_p", "polynomial", "polynomial_p"]
