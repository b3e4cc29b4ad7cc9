"""``jaxnb.numpy``: NumPy's functions, traceable, under JAX's names: re-exports only."""

from __future__ import annotations

# the methods and operators of arrays and tracers
from jaxnb.numpy import array_methods as array_methods
from jaxnb.numpy.along_axes import apply_along_axis, apply_over_axes
from jaxnb.numpy.arg_reductions import argmax, argmin, nanargmax, nanargmin
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
from jaxnb.numpy.einsum import einsum, einsum_path
from jaxnb.numpy.grids import c_, index_exp, indices, ix_, meshgrid, mgrid, ogrid, r_, s_
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
from jaxnb.numpy.means import average, count_nonzero, mean, ptp, std, var
from jaxnb.numpy.nan_reductions import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from jaxnb.numpy.padding import pad
from jaxnb.numpy.reductions import all, amax, amin, any, max, min, prod, sum
from jaxnb.numpy.rolling import flip, fliplr, flipud, roll, rot90
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
from jaxnb.numpy.vectorizing import vectorize
