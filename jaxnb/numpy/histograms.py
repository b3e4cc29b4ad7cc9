"""Histograms of one or several variables."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.counting import bincount
from jaxnb.numpy.creation import asarray, linspace, ones_like, zeros
from jaxnb.numpy.differences import diff
from jaxnb.numpy.means import ptp
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import expand_dims, reshape
from jaxnb.numpy.sorted_search import searchsorted
from jaxnb.numpy.taking import ravel_multi_index
from jaxnb.xla.version import JAXLIB_VERSION


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of bins of one width.

    Args:
        a: values.
        bins: how many bins, or the edges themselves.
        range: the least and the greatest edge; those of the values by default.
        weights: not used.
    """
    a = ensure_arraylike("histogram_bin_edges", a)
    dtype = dtypes.to_inexact_dtype(a.dtype)
    if isinstance(bins, str):
        raise TypeError(f"asarray: expected ArrayLike, got {bins} of type {type(bins)}.")
    if np.ndim(bins) == 1:
        return asarray(bins, dtype=dtype)
    count = operator.index(concrete(bins, "bins argument of histogram_bin_edges"))
    if range is None:
        range = [0, 1] if a.size == 0 and JAXLIB_VERSION >= (0, 12) else [a.min(), a.max()]
    ends = asarray(range, dtype=dtype)
    low = choose(ptp(ends) == 0, ends[0] - 0.5, ends[0])
    high = choose(ptp(ends) == 0, ends[1] + 0.5, ends[1])
    return linspace(low, high, count + 1, dtype=dtype)


def histogram(a, bins=10, range=None, weights=None, density=None):
    """How many values are in each bin, and the bins' edges.

    Args:
        a: values.
        bins: how many bins, or their edges.
        range: the least and the greatest edge; those of the values by default.
        weights: what each value counts for.
        density: whether to return a density whose integral is one.
    """
    if weights is None:
        check_arraylike("histogram", a)
        (a,) = promote_dtypes_inexact(a)
        weights = ones_like(a)
    else:
        a, weights = ensure_arraylike("histogram", a, weights)
        if np.shape(a) != np.shape(weights):
            raise ValueError("weights should have the same shape as a.")
        a, weights = promote_dtypes_inexact(a, weights)
    edges = histogram_bin_edges(a, bins, range, weights)
    places = searchsorted(edges, a, side="right")
    # the last bin holds its upper edge too
    places = choose(a == edges[-1], len(edges) - 1, places)
    counts = zeros(len(edges), weights.dtype).at[places].add(weights)[1:]
    if density:
        widths = asarray(diff(edges), dtype=counts.dtype)
        counts = counts / widths / sum(counts)
    return counts, edges


def histogram2d(x, y, bins: Any = 10, range=None, weights=None, density=None):
    """How many points are in each cell, and the edges along both axes; arguments as those of ``histogramdd``."""
    x, y = ensure_arraylike("histogram2d", x, y)
    count = len(bins) if isinstance(bins, Sequence) or np.ndim(bins) else 1
    if count not in (1, 2):
        bins = [asarray(bins)] * 2
    counts, (x_edges, y_edges) = histogramdd(asarray([x, y]).T, bins, range, weights, density)
    return counts, x_edges, y_edges


def histogramdd(sample, bins: Any = 10, range=None, weights=None, density=None):
    """How many points are in each cell, and the edges along each axis.

    Args:
        sample: one row a point.
        bins: how many bins, for all axes or for each; or the edges along each.
        range: the least and the greatest edge along each axis, each None for those of the points.
        weights: what each point counts for.
        density: whether to return a density whose integral is one.
    """
    if weights is None:
        sample = ensure_arraylike("histogramdd", sample)
        (sample,) = promote_dtypes_inexact(sample)
    else:
        sample, weights = ensure_arraylike("histogramdd", sample, weights)
        if weights.shape != sample.shape[:1]:
            raise ValueError("should have one weight for each sample.")
        sample, weights = promote_dtypes_inexact(sample, weights)
    points, dimensions = sample.shape
    if range is not None and (
        len(range) != dimensions or any(r is not None and np.shape(r)[0] != 2 for r in range)
    ):
        raise ValueError(
            f"For sample.shape={(points, dimensions)}, range must be a sequence of {dimensions} pairs or Nones; "
            f"got range={range}"
        )
    if isinstance(bins, Sequence) or np.ndim(bins):
        if len(bins) != dimensions:
            raise ValueError("should be a bin for each dimension.")
        per_axis = list(bins)
    else:
        per_axis = [bins] * dimensions
    places, edges = [], []
    for i, count in enumerate(per_axis):
        found = histogram_bin_edges(sample[:, i], count, None if range is None else range[i], weights)
        place = searchsorted(found, sample[:, i], side="right")
        places.append(choose(sample[:, i] == found[-1], place - 1, place))
        edges.append(found)
    widths = [diff(found) for found in edges]
    shape = tuple(len(found) + 1 for found in edges)
    cells = ravel_multi_index(tuple(places), shape, mode="clip")
    counts = reshape(bincount(cells, weights, length=math.prod(shape)), shape)
    counts = counts[(slice(1, -1),) * dimensions]
    if density:
        counts = counts.astype(sample.dtype)
        counts = counts / sum(counts)
        # one width a cell along each axis
        axes = tuple(builtins.range(dimensions))
        laid = [expand_dims(width, [j for j in axes if j != i]) for i, width in enumerate(widths)]
        for width in laid:
            counts = counts / width
    return counts, edges
