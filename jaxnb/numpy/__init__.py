"""``jaxnb.numpy``: NumPy's functions, traceable, under JAX's names: re-exports only."""

from __future__ import annotations

# the methods and operators of arrays and tracers
from jaxnb.numpy import array_methods as array_methods
from jaxnb.numpy.along_axes import apply_along_axis, apply_over_axes
from jaxnb.numpy.arg_reductions import argmax, argmin, nanargmax, nanargmin
from jaxnb.numpy.arithmetic import arctan2, atan2, float_power, fmax, fmin, heaviside, pow, power
from jaxnb.numpy.bessel import i0
from jaxnb.numpy.bits import packbits, unpackbits
from jaxnb.numpy.cardinal_sine import sinc
from jaxnb.numpy.choosing import choose, compress, extract, select
from jaxnb.numpy.common_divisors import gcd, lcm
from jaxnb.numpy.contraction import (
    cross,
    dot,
    inner,
    kron,
    matmul,
    matvec,
    outer,
    tensordot,
    trace,
    vdot,
    vecdot,
    vecmat,
)
from jaxnb.numpy.counting import bincount
from jaxnb.numpy.covariances import corrcoef, cov
from jaxnb.numpy.creation import (
    arange,
    array,
    asarray,
    astype,
    copy,
    empty,
    empty_like,
    eye,
    from_dlpack,
    frombuffer,
    fromfile,
    fromfunction,
    fromiter,
    fromstring,
    full,
    full_like,
    geomspace,
    identity,
    linspace,
    logspace,
    ones,
    ones_like,
    tri,
    zeros,
    zeros_like,
)
from jaxnb.numpy.cumulative import cumprod, cumsum, cumulative_prod, cumulative_sum, nancumprod, nancumsum
from jaxnb.numpy.differences import diff, ediff1d, gradient, trapezoid, unwrap
from jaxnb.numpy.division import divide, divmod, floor_divide, fmod, mod, remainder, true_divide
from jaxnb.numpy.editing import delete, trim_zeros
from jaxnb.numpy.einsum import einsum, einsum_path
from jaxnb.numpy.elementary import (
    abs,
    absolute,
    acos,
    acosh,
    angle,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    around,
    asin,
    asinh,
    atan,
    atanh,
    bitwise_count,
    bitwise_invert,
    bitwise_not,
    cbrt,
    ceil,
    conj,
    conjugate,
    cos,
    cosh,
    deg2rad,
    degrees,
    exp,
    exp2,
    expm1,
    fabs,
    floor,
    imag,
    invert,
    log,
    log1p,
    log2,
    log10,
    modf,
    positive,
    rad2deg,
    radians,
    real,
    reciprocal,
    rint,
    round,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
)
from jaxnb.numpy.exponents import frexp, ldexp
from jaxnb.numpy.files_and_text import (
    array_repr,
    array_str,
    get_printoptions,
    load,
    printoptions,
    save,
    savez,
    set_printoptions,
)
from jaxnb.numpy.float_parts import copysign, nextafter, spacing
from jaxnb.numpy.grids import c_, index_exp, indices, ix_, meshgrid, mgrid, ogrid, r_, s_
from jaxnb.numpy.histograms import histogram, histogram2d, histogram_bin_edges, histogramdd
from jaxnb.numpy.hypotenuse import hypot
from jaxnb.numpy.inserting import (
    insert,
    mask_indices,
    place,
    tril_indices,
    tril_indices_from,
    triu_indices,
    triu_indices_from,
)
from jaxnb.numpy.interpolation import interp
from jaxnb.numpy.joining import (
    append,
    array_split,
    block,
    column_stack,
    concat,
    concatenate,
    dsplit,
    dstack,
    hsplit,
    hstack,
    repeat,
    split,
    stack,
    tile,
    unstack,
    vsplit,
    vstack,
)
from jaxnb.numpy.limits import clip, nan_to_num
from jaxnb.numpy.means import average, count_nonzero, mean, ptp, std, var
from jaxnb.numpy.nan_reductions import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from jaxnb.numpy.padding import pad
from jaxnb.numpy.piecewise import piecewise
from jaxnb.numpy.polynomials import polyadd, polyder, polydiv, polyint, polysub, polyval
from jaxnb.numpy.predicates import (
    allclose,
    array_equal,
    array_equiv,
    bitwise_left_shift,
    bitwise_right_shift,
    equal,
    greater,
    greater_equal,
    isclose,
    iscomplex,
    iscomplexobj,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    left_shift,
    less,
    less_equal,
    logical_not,
    not_equal,
    right_shift,
    signbit,
)
from jaxnb.numpy.quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from jaxnb.numpy.reductions import all, amax, amin, any, max, min, prod, sum
from jaxnb.numpy.rolling import flip, fliplr, flipud, roll, rot90
from jaxnb.numpy.scalar_types import (
    bfloat16,
    bool,
    bool_,
    cdouble,
    character,
    complex64,
    complex128,
    complex_,
    complexfloating,
    csingle,
    double,
    e,
    euler_gamma,
    flexible,
    float4_e2m1fn,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    float_,
    floating,
    generic,
    inexact,
    inf,
    int1,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    int_,
    integer,
    nan,
    newaxis,
    number,
    object_,
    pi,
    signedinteger,
    single,
    uint,
    uint1,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
    unsignedinteger,
)
from jaxnb.numpy.searching import argwhere, flatnonzero, nonzero, where
from jaxnb.numpy.setops import intersect1d, isin, setdiff1d, setxor1d, union1d
from jaxnb.numpy.shapes import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    isscalar,
    iterable,
    matrix_transpose,
    moveaxis,
    ndim,
    permute_dims,
    ravel,
    reshape,
    resize,
    rollaxis,
    shape,
    size,
    squeeze,
    swapaxes,
    transpose,
)
from jaxnb.numpy.sorted_search import digitize, searchsorted
from jaxnb.numpy.sorting import argpartition, argsort, lexsort, partition, sort, sort_complex
from jaxnb.numpy.taking import put, put_along_axis, ravel_multi_index, take, take_along_axis, unravel_index
from jaxnb.numpy.triangles import (
    diag,
    diag_indices,
    diag_indices_from,
    diagflat,
    diagonal,
    fill_diagonal,
    tril,
    triu,
    vander,
)
from jaxnb.numpy.type_queries import (
    ComplexWarning,
    can_cast,
    dtype,
    finfo,
    iinfo,
    isdtype,
    issubdtype,
    ndarray,
    promote_types,
    result_type,
)
from jaxnb.numpy.ufunc_class import frompyfunc, ufunc
from jaxnb.numpy.ufunc_objects import (
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    subtract,
)
from jaxnb.numpy.uniques import unique, unique_all, unique_counts, unique_inverse, unique_values
from jaxnb.numpy.vectorizing import vectorize
from jaxnb.numpy.windows import bartlett, blackman, hamming, hanning, kaiser
from jaxnb.xla import version as _version

if _version.JAXLIB_VERSION >= (0, 12):  # functions that the oracle of this version added
    from jaxnb.numpy.reductions import minmax
    from jaxnb.numpy.sorting import top_k
