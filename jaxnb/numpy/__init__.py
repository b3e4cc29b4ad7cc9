"""``jaxnb.numpy``: NumPy's functions, traceable, under JAX's names: re-exports only."""

from __future__ import annotations

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
from jaxnb.numpy.means import average, count_nonzero, mean, ptp, std, var
from jaxnb.numpy.nan_reductions import nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from jaxnb.numpy.reductions import all, amax, amin, any, max, min, prod, sum
from jaxnb.numpy.vectorizing import vectorize

# the methods and operators of arrays and tracers
from jaxnb.numpy import array_methods as array_methods
