"""Samples of the primitives that change shapes, and of those that read and write at indices."""

from __future__ import annotations

import numpy as np

from jaxnb.engine.ops import (
    addressing,
    arithmetic,
    dynamic_slicing,
    filling,
    gather,
    joining,
    magnitude,
    scatter,
    shape,
    slicing,
    staging,
    unset,
)
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from tests.ops.sample import Sample

X = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
Z = (X + 1j * X[::-1]).astype(np.complex64)
I = np.arange(12, dtype=np.int8).reshape(3, 4)
B = I % 2 == 0
S = np.float32(0.75)

SAMPLES: list[Sample] = []


def _add(primitive, *args, **fields):
    SAMPLES.append(Sample(primitive, args, **fields))


def _shapes():
    for x in (X, I, B):
        _add(
            shape.broadcast_in_dim_p, x, params={"shape": (2, 3, 4), "broadcast_dimensions": (1, 2), "sharding": None},
            reference=lambda x: np.broadcast_to(x, (2, 3, 4)),
        )  # fmt: skip
        _add(
            shape.reshape_p, x, params={"new_sizes": (2, 6), "dimensions": None, "sharding": None},
            reference=lambda x: x.reshape(2, 6),
        )  # fmt: skip
        _add(shape.transpose_p, x, params={"permutation": (1, 0)}, reference=np.transpose)
        _add(shape.rev_p, x, params={"dimensions": (0, 1)}, reference=lambda x: x[::-1, ::-1])
        _add(shape.squeeze_p, x[:, None], params={"dimensions": (1,)}, reference=lambda x: x[:, 0])
        _add(joining.tile_p, x, params={"reps": (2, 1)}, reference=lambda x: np.tile(x, (2, 1)))
        _add(
            joining.concatenate_p, x, x, params={"dimension": 1},
            reference=lambda x, y: np.concatenate([x, y], 1),
        )  # fmt: skip
        _add(joining.stack_p, x, x, params={"axis": 1}, reference=lambda x, y: np.stack([x, y], 1))
        _add(joining.unstack_p, x, params={"axis": 1}, reference=lambda x: list(np.moveaxis(x, 1, 0)))
        _add(
            joining.split_p, x, params={"sizes": (1, 3), "axis": 1},
            reference=lambda x: [x[:, :1], x[:, 1:]],
        )  # fmt: skip
    _add(
        shape.broadcast_in_dim_p, S, params={"shape": (2,), "broadcast_dimensions": (), "sharding": None},
        reference=lambda x: np.full(2, x),
    )  # fmt: skip
    _add(
        shape.reshape_p, X, params={"new_sizes": (6, 2), "dimensions": (1, 0), "sharding": None},
        reference=lambda x: x.T.reshape(6, 2),
    )  # fmt: skip
    _add(shape.transpose_p, Z, params={"permutation": (1, 0)}, reference=np.transpose)
    _add(
        filling.iota_p, params={"dtype": np.dtype(np.int32), "shape": (2, 3), "dimension": 1, "sharding": None},
        reference=lambda: np.broadcast_to(np.arange(3), (2, 3)),
    )  # fmt: skip
    _add(filling.empty_p, params={"dtype": np.dtype(np.float32), "shape": (2, 3), "out_sharding": None})
    for dtype in (np.float32, np.int8, np.bool_):
        _add(
            unset.empty2_p, params={"dtype": np.dtype(dtype), "memory_space": unset.MemorySpace.Device},
            name=np.dtype(dtype).name,
        )  # fmt: skip
    _add(staging.stage_p, X, reference=lambda x: x)


def _slices():
    for x in (X, I):
        _add(
            slicing.slice_p, x,
            params={"start_indices": (0, 1), "limit_indices": (3, 4), "strides": (2, 1)},
            reference=lambda x: x[0:3:2, 1:4],
        )  # fmt: skip
        _add(
            slicing.pad_p, x, x.dtype.type(2), params={"padding_config": ((1, 0, 1), (0, 2, 0))},
            reference=lambda x, v: _padded(x, v),
        )  # fmt: skip
        _add(
            dynamic_slicing.dynamic_slice_p, x, np.int32(2), np.int32(1), params={"slice_sizes": (2, 2)},
            reference=lambda x, i, j: x[1:3, 1:3],
        )  # fmt: skip
        _add(
            dynamic_slicing.dynamic_update_slice_p, x, x[:2, :2], np.int32(1), np.int32(9),
            reference=lambda x, u, i, j: _written(x, (slice(1, 3), slice(2, 4)), u),
        )  # fmt: skip
    _add(
        slicing.pad_p, X, S, params={"padding_config": ((-1, 1, 0), (0, -1, 0))}, name="negative",
        reference=lambda x, v: np.concatenate([x[1:, :3], np.full((1, 3), v)]),
    )  # fmt: skip


def _padded(x, v):
    out = np.full((6, 6), v, x.dtype)
    out[1::2, :4] = x
    return out


def _written(x, index, u):
    out = np.array(x)
    out[index] = u
    return out


ROWS = np.array([[2], [0]], np.int32)
SPREAD = np.array([[2], [0], [7], [2]], np.int32)  # one outside, one twice


def _gathers():
    rows = GatherDimensionNumbers((1,), (0,), (0,))
    for mode, want in [("clip", X[[2, 0, 2, 2]]), ("fill", None), ("promise_in_bounds", X[[2, 0]])]:
        inside = mode == "promise_in_bounds"
        params = {
            "dimension_numbers": rows,
            "slice_sizes": (1, 4),
            "indices_are_sorted": False,
            "unique_indices": inside,
            "mode": GatherScatterMode.from_any(mode),
            "fill_value": np.float32(-1) if mode == "fill" else None,
        }
        filled = np.where(np.array([[1], [1], [0], [1]], bool), X[[2, 0, 2, 2]], np.float32(-1))
        reference = filled if want is None else want
        _add(
            gather.gather_p, X, ROWS if inside else SPREAD, params=params, name=mode,
            reference=lambda x, i, reference=reference: reference,
        )  # fmt: skip
    along = GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
    _add(
        gather.gather_p, X, np.array([[[1], [3]], [[0], [0]], [[2], [1]]], np.int32), name="batched",
        params={
            "dimension_numbers": along, "slice_sizes": (1, 1), "indices_are_sorted": False, "unique_indices": False,
            "mode": GatherScatterMode.CLIP, "fill_value": None,
        },
        reference=lambda x, i: np.take_along_axis(x, i[..., 0], 1),
    )  # fmt: skip
    for mode in ("clip", "fill", "promise_in_bounds"):  # where there is no index, the slice need not fit
        for x, size in ((X[:0], 1), (X, 5)):
            _add(
                gather.gather_p, x, np.zeros((0, 1), np.int32), name=f"empty-{mode}-{size}",
                params={
                    "dimension_numbers": rows, "slice_sizes": (1, 4 * size), "indices_are_sorted": False,
                    "unique_indices": False, "mode": GatherScatterMode.from_any(mode), "fill_value": None,
                },
                reference=lambda x, i, size=size: np.zeros((0, 4 * size), x.dtype),
                grad_tol=0 if size > 1 else None,  # the scatter of the transpose checks the sizes
            )  # fmt: skip


def _accumulated(op, indices):
    def reference(x, i, u):
        out = np.array(x)
        for row, update in zip(indices, u, strict=True):
            if row < len(out):
                out[row] = op(out[row], update)
        return out

    return reference


def _scatters():
    rows = ScatterDimensionNumbers((1,), (0,), (0,))
    kinds = [
        (scatter.scatter_p, None, lambda x, u: u, ROWS, True),
        (scatter.scatter_add_p, arithmetic.add_p, np.add, SPREAD, False),
        (scatter.scatter_sub_p, arithmetic.sub_p, np.subtract, SPREAD, False),
        (scatter.scatter_mul_p, arithmetic.mul_p, np.multiply, ROWS, True),
        (scatter.scatter_min_p, magnitude.min_p, np.minimum, SPREAD, False),
        (scatter.scatter_max_p, magnitude.max_p, np.maximum, SPREAD, False),
    ]
    for primitive, op, reference, indices, unique in kinds:
        for x in (X, I):
            updates = (x[::-1][:2] if unique else np.concatenate([x, x[:1]])[::-1]) + x.dtype.type(1)
            _add(
                primitive, x, indices, updates,
                params={
                    "dimension_numbers": rows, "indices_are_sorted": False, "unique_indices": unique,
                    "mode": GatherScatterMode.FILL_OR_DROP, "update_consts": (),
                    "update_jaxpr": op and addressing.scalar_jaxpr(op, x.dtype),
                },
                reference=_accumulated(reference, indices[:, 0]),
            )  # fmt: skip


def _refused():
    def refuse(primitive, text, *args, kind=TypeError, **params):
        _add(primitive, *args, params=params, static_error=(kind, text))

    refuse(
        shape.reshape_p,
        "reshape dimensions must be a permutation of operand dimensions, got dimensions (0,) for shape (3, 4).",
        X, new_sizes=(12,), dimensions=(0,), sharding=None,
    )  # fmt: skip
    refuse(
        shape.transpose_p,
        "transpose permutation isn't a permutation of operand dimensions, got permutation (0, 0) for operand shape "
        "(3, 4).",
        X, permutation=(0, 0),
    )  # fmt: skip
    refuse(
        joining.concatenate_p,
        "Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: "
        "concatenating along dimension 0 for shapes (3, 4), (3, 2).",
        X, X[:, :2], dimension=0,
    )  # fmt: skip
    refuse(
        slicing.slice_p,
        "slice limit_indices must be less than or equal to operand shape, got limit_indices (3, 9) for operand shape "
        "(3, 4).",
        X, start_indices=(0, 0), limit_indices=(3, 9), strides=(1, 1),
    )  # fmt: skip


_shapes()
_slices()
_gathers()
_scatters()
_refused()
