"""Samples of the reductions over sliding windows, and of the two selections that their derivatives need."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np

from jaxnb.engine.ops.comparison import ge_p, le_p
from jaxnb.engine.ops.reductions import max_identity, min_identity
from jaxnb.engine.ops.window_extrema import (
    reduce_window_max_p,
    reduce_window_min_p,
    select_and_gather_add_p,
    select_and_scatter_add_p,
)
from jaxnb.engine.ops.windows import reduce_window_sum_p
from jaxnb.xla.version import JAXLIB_VERSION
from tests.ops.sample import Sample

# no two elements are equal
X = np.random.default_rng(0).permutation(30).reshape(5, 6).astype(np.float32) / 8 - 2
T = np.random.default_rng(1).normal(size=(5, 6)).astype(np.float32)
Z = (np.round(X) + 1j * T).astype(np.complex64)
I = np.random.default_rng(2).integers(-99, 99, (5, 6)).astype(np.int8)
B = I > 20
HALF = X.astype(ml_dtypes.bfloat16)
LINE = X[0]
CUBE = np.random.default_rng(3).permutation(48).reshape(3, 4, 4).astype(np.float32) / 16

SAMPLES: list[Sample] = []


def _window(sizes, strides=None, padding=None, base=None, dilation=None):
    ones = (1,) * len(sizes)
    return {
        "window_dimensions": sizes,
        "window_strides": strides or ones,
        "padding": padding or ((0, 0),) * len(sizes),
        "base_dilation": base or ones,
        "window_dilation": dilation or ones,
    }


WINDOWS = {
    "plain": (X, _window((2, 3))),
    "strides": (X, _window((2, 3), (2, 3))),
    "overlap": (X, _window((3, 4), (2, 1))),
    "gaps": (X, _window((1, 2), (2, 3))),
    "padding": (X, _window((2, 3), (2, 2), ((1, 0), (1, 2)))),
    "cut": (X, _window((2, 2), (1, 2), ((-1, 0), (1, -2)))),
    "base": (X, _window((2, 3), (1, 2), base=(2, 1))),
    "base-padding": (X, _window((3, 3), (2, 1), ((1, 1), (0, 1)), base=(2, 2))),
    "dilation": (X, _window((2, 2), (1, 2), ((0, 0), (1, 1)), dilation=(3, 2))),
    "both-dilations": (X, _window((2, 2), (1, 1), ((0, 0), (1, 0)), (1, 2), (2, 1))),
    "line": (LINE, _window((3,), (2,), ((2, 1),))),
    "cube": (CUBE, _window((2, 1, 3), (1, 2, 1), ((0, 0), (0, 0), (1, 1)))),
    "whole": (X, _window((5, 6))),
    "too-large": (X, _window((6, 2))),
}  # fmt: skip


def _covered(shape, window):
    """For each axis and each place along it, the indices that the window covers there."""
    axes = []
    for size, width, stride, (low, high), base, step in zip(shape, *window.values(), strict=True):
        padded = (size - 1) * base + 1 + low + high
        starts = range(0, padded - (width - 1) * step, stride)
        covered = [[start + k * step - low for k in range(width)] for start in starts]
        axes.append(
            [[i // base for i in row if i % base == 0 and 0 <= i <= (size - 1) * base] for row in covered]
        )
    return axes


def _result_shape(shape, window):
    return tuple(len(places) for places in _covered(shape, window))


def _places(shape, window):
    """For each place of the result, the indices of the operand's elements that its window covers."""
    axes = _covered(shape, window)
    for place in itertools.product(*(range(len(axis)) for axis in axes)):
        rows = [axis[i] for axis, i in zip(axes, place, strict=True)]
        yield place, list(itertools.product(*rows))


def _reduced(combine, identity, window):
    def reference(x):
        out = np.zeros(_result_shape(x.shape, window), x.dtype)
        for place, indices in _places(x.shape, window):
            value = identity(x.dtype)
            for index in indices:
                value = combine(value, x[index])
            out[place] = value
        return out

    return reference


def _sum(a, b):
    return np.add(a, b, dtype=np.asarray(b).dtype)


def _better(wins):
    """The extremum of two numbers, the complex ones by real part and then by imaginary part."""

    def combine(a, b):
        key_a, key_b = (
            (x.real, x.imag) if x.dtype.kind == "c" else (x,) for x in (np.asarray(a), np.asarray(b))
        )
        return a if wins(key_a, key_b) else b

    return combine


_greater = _better(lambda a, b: a > b)
_less = _better(lambda a, b: a < b)


def _reductions():
    kinds = [
        (reduce_window_sum_p, _sum, lambda dtype: dtype.type(0)),
        (reduce_window_max_p, _greater, max_identity),
        (reduce_window_min_p, _less, min_identity),
    ]
    for primitive, combine, identity in kinds:
        extremum = primitive is not reduce_window_sum_p
        for name, (x, window) in WINDOWS.items():
            # the transpose of an extremum is refused over windows with holes, and over padding that cuts
            holes = extremum and (window["window_dilation"] != (1,) * x.ndim or name == "cut")
            # a window that meets no element has an infinite extremum
            empty = extremum and any(not indices for _, indices in _places(x.shape, window))
            SAMPLES.append(
                Sample(
                    primitive, (x,), window, _reduced(combine, identity, window), name=name,
                    grad_tol=0 if holes or empty else None,
                )
            )  # fmt: skip
        for x in (Z, I, B, HALF):
            if x is B and not extremum:
                continue
            _, window = WINDOWS["padding"]
            SAMPLES.append(
                Sample(
                    primitive, (x,), window, _reduced(combine, identity, window), name=f"{x.dtype.name}-padding",
                    tol=3e-2 if x is HALF else None,
                    # the selection that the derivative makes has no order of complex numbers
                    grad_tol=0 if extremum else None,
                )
            )  # fmt: skip


def _gathered(best, window):
    def reference(t, x):
        out = np.zeros(_result_shape(x.shape, window), t.dtype)
        for place, indices in _places(x.shape, window):
            if indices:
                out[place] = t[best(indices, key=lambda index: x[index])]
        return out

    return reference


def _scattered(best, window):
    def reference(source, x):
        out = np.zeros(x.shape, source.dtype)
        for place, indices in _places(x.shape, window):
            out[best(indices, key=lambda index: x[index])] += source[place]
        return out

    return reference


def _selections():
    for select_prim, best in ((ge_p, max), (le_p, min)):
        for name, (x, window) in WINDOWS.items():
            t = T if x is X else np.cos(5 * x)
            holes = window["window_dilation"] != (1,) * x.ndim or name == "cut"  # as above
            SAMPLES.append(
                Sample(
                    select_and_gather_add_p, (t, x), {"select_prim": select_prim, **window}, _gathered(best, window),
                    name=f"{select_prim.name}-{name}", grad_tol=0 if holes else None,
                )
            )  # fmt: skip
        for name in ("plain", "strides", "overlap", "gaps", "padding", "line", "cube", "whole"):
            x, window = WINDOWS[name]
            params = {key: window[key] for key in ("window_dimensions", "window_strides", "padding")}
            shape = _result_shape(x.shape, window)
            source = np.random.default_rng(4).normal(size=shape).astype(np.float32)
            SAMPLES.append(
                Sample(
                    select_and_scatter_add_p, (source, x), {"select_prim": select_prim, **params},
                    _scattered(best, window), name=f"{select_prim.name}-{name}",
                )
            )  # fmt: skip
        window = WINDOWS["overlap"][1]
        params = {key: window[key] for key in ("window_dimensions", "window_strides", "padding")}
        x = np.random.default_rng(5).permutation(30).reshape(5, 6).astype(np.int8)
        source = np.arange(6, dtype=np.int8).reshape(2, 3)
        SAMPLES.append(
            Sample(
                select_and_scatter_add_p, (source, x), {"select_prim": select_prim, **params},
                _scattered(best, window), name=f"{select_prim.name}-int8",
            )
        )  # fmt: skip


def _refused():
    def refuse(primitive, args, params, name, text, kind=TypeError):
        SAMPLES.append(Sample(primitive, args, params, static_error=(kind, text), name=f"{name}-error"))

    refuse(
        reduce_window_sum_p, (B,), _window((2, 2)), "bool",
        "operand to reduce_window_sum must have a number dtype, got bool",
    )  # fmt: skip
    for primitive in (reduce_window_sum_p, reduce_window_max_p, reduce_window_min_p):
        for name, window, text in [
            ("rank", _window((2,)),
             "reduce_window got the wrong number of window_dimensions for operand: got operand shape (5, 6) with "
             "window_dimensions (2,)."),
            ("empty-window", _window((2, 0)),
             "reduce_window window_dimensions must have every element be strictly positive, got (2, 0)."),
            ("strides", _window((2, 2), (1,)),
             "reduce_window got inconsistent window_strides and window_dimensions: got window_strides (1,) and "
             "window_dimensions (2, 2)."),
            ("no-step", _window((2, 2), (1, 0)),
             "reduce_window window_strides must have every element be strictly positive, got (1, 0)."),
            ("base", _window((2, 2), base=(1,)),
             "reduce_window got inconsistent base_dilation and window_dimensions: got base_dilation (1,) and "
             "window_dimensions (2, 2)."),
            ("dilation", _window((2, 2), dilation=(1, 0)), "All dilations must be positive, got (1, 0)."),
        ]:  # fmt: skip
            refuse(primitive, (X,), window, name, text)
        refuse(
            primitive, (X,), _window((2, 2), padding=((0, 0),)), "padding",
            "safe_zip() argument 1 has length 1 but argument 0 has length 2. All lengths: (2, 1)", ValueError,
        )  # fmt: skip
    # as an ordering comparison refuses; its words for the accepted types changed order
    accepted = "integer, bool, floating" if JAXLIB_VERSION >= (0, 12) else "integer, floating, bool"
    for select_prim in (ge_p, le_p):
        unordered = (
            f"{select_prim.name} does not accept dtype complex64 at position 0. Accepted dtypes at position 0 are "
            f"subtypes of {accepted}."
        )
        plain = {"select_prim": select_prim, **_window((5, 6))}
        refuse(select_and_gather_add_p, (Z, Z), plain, f"{select_prim.name}-complex64", unordered)
        text = "cannot convert float infinity to integer"
        refuse(select_and_gather_add_p, (I, I), plain, f"{select_prim.name}-int8", text, OverflowError)
        plain = {key: plain[key] for key in ("select_prim", "window_dimensions", "window_strides", "padding")}
        refuse(select_and_scatter_add_p, (Z[:1, :1], Z), plain, f"{select_prim.name}-complex64", unordered)
    for low, high, text in [
        ((-1, 1), (0, -2), "slice start_indices must have every element be nonnegative, got (-1, 1)."),
        ((0, 1), (0, -2),
         "slice limit_indices must be less than or equal to operand shape, got limit_indices (5, 7) for operand shape "
         "(5, 5)."),
    ]:  # fmt: skip
        cut = tuple(zip(low, high, strict=True))
        params = {"select_prim": ge_p, "window_dimensions": (2, 2), "window_strides": (1, 2), "padding": cut}
        shape = _result_shape(X.shape, _window((2, 2), (1, 2), cut))
        refuse(select_and_scatter_add_p, (np.ones(shape, np.float32), X), params, f"cut{low}", text)
    refuse(
        select_and_gather_add_p, (X, X.T), {"select_prim": ge_p, **_window((2, 2))}, "shapes",
        "select_and_gather_add tangents and operand shapes must match, got (5, 6) and (6, 5).",
    )  # fmt: skip


_reductions()
_selections()
_refused()
