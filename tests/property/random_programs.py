"""Random well-typed programs: data that hypothesis can shrink, and what they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from jaxnb import lax

SHAPES = ((), (3,), (2, 3))

UNARY = {
    "sin": lax.sin,
    "tanh": lax.tanh,
    "neg": lax.neg,
    "logistic": lax.logistic,
    "exp of minus square": lambda x: lax.exp(lax.neg(lax.mul(x, x))),
    "log1p of square": lambda x: lax.log1p(lax.mul(x, x)),
    "cumsum": lambda x: lax.cumsum(x) if x.ndim else x,
    "sort": lambda x: lax.sort(x) if x.ndim else x,
    "reverse": lambda x: lax.rev(x, (0,)) if x.ndim else x,
    "double transpose": lambda x: lax.transpose(lax.transpose(x, range(x.ndim)[::-1]), range(x.ndim)[::-1]),
    "pad and slice": lambda x: (
        lax.slice(lax.pad(x, np.float32(1), [(1, 1, 0)]), (1,), (4,)) if x.ndim == 1 else x
    ),
}
BINARY = {
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "max": lax.max,
    "select": lambda x, y: lax.select(lax.gt(x, y), x, lax.mul(y, y)),
    "concatenate": lambda x, y: (
        lax.slice_in_dim(lax.concatenate([x, y], 0), 1, 1 + x.shape[0]) if x.ndim else x
    ),
}
CHANGE = {
    ((3,), ()): lambda x: lax.reduce_sum(x, (0,)),
    ((2, 3), ()): lambda x: lax.reduce_max(x, (0, 1)),
    ((2, 3), (3,)): lambda x: lax.reduce_sum(x, (0,)),
    ((), (3,)): lambda x: lax.broadcast(x, (3,)),
    ((), (2, 3)): lambda x: lax.broadcast(x, (2, 3)),
    ((3,), (2, 3)): lambda x: lax.broadcast_in_dim(x, (2, 3), (1,)),
}


@dataclass(frozen=True)
class Step:
    """One operation on earlier values, which are picked by number among those whose shape fits."""

    kind: str
    name: str
    shape: tuple[int, ...]
    target: tuple[int, ...]
    x: int
    y: int


def steps() -> st.SearchStrategy[Step]:
    """Steps, of which not each can run in each program."""
    kinds = st.one_of(
        st.tuples(st.just("unary"), st.sampled_from(sorted(UNARY))),
        st.tuples(st.just("binary"), st.sampled_from(sorted(BINARY))),
        st.tuples(st.just("change"), st.just("")),
    )
    shapes, picks = st.sampled_from(SHAPES), st.integers(0, 5)
    return st.builds(lambda kind, *rest: Step(*kind, *rest), kinds, shapes, shapes, picks, picks)


programs = st.lists(steps(), min_size=1, max_size=8)


def run(program: list[Step], x, y):
    """The sum of all values that the program makes from a vector and a matrix; a step without operands is left out."""
    values = [x, y]
    for step in program:
        fitting = [v for v in values if v.shape == step.shape]
        if not fitting:
            continue
        first, second = fitting[step.x % len(fitting)], fitting[step.y % len(fitting)]
        if step.kind == "unary":
            values.append(UNARY[step.name](first))
        elif step.kind == "binary":
            values.append(BINARY[step.name](first, second))
        elif (step.shape, step.target) in CHANGE:
            values.append(CHANGE[step.shape, step.target](first))
    total = np.float32(0)
    for value in values:
        total = lax.add(total, lax.reduce_sum(value, tuple(range(value.ndim))))
    return total


def inputs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A vector and a matrix of different, small numbers."""
    rng = np.random.RandomState(seed)
    return rng.permutation(np.linspace(-1, 1, 9)).astype(np.float32)[:3], rng.randn(2, 3).astype(
        np.float32
    ) / 2
