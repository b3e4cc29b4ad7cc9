"""``jaxnb.numpy``: NumPy's functions, traceable, under JAX's names: re-exports only."""

from __future__ import annotations

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
