"""Fates of random programs held against the values themselves: what is called the same is the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jaxnb import lax
from jaxnb.engine.core.jaxpr import Jaxpr, Literal
from jaxnb.explorer.capture.engine import EngineFrontEnd
from jaxnb.explorer.exploration import Exploration
from tests.explorer.verify_links import verify

Array = Any


def full(like: Array, value: float) -> Array:
    return lax.full(like.shape, value, np.float32)


def lines_up(x: Array) -> Array:
    return lax.reshape(x, (x.size,))


def turned(x: Array) -> Array:
    return lax.transpose(x, tuple(range(x.ndim))[::-1])


STEPS: list[Callable[[Array, Array], Array]] = [
    lambda x, y: lax.sin(x),
    lambda x, y: lax.tanh(x),
    lambda x, y: lax.neg(x),
    lambda x, y: lax.exp(lax.neg(lax.abs(x))),
    lambda x, y: lax.add(x, y),
    lambda x, y: lax.mul(x, y),
    lambda x, y: lax.max(x, y),
    lambda x, y: lax.sub(x, y),
    lambda x, y: lax.mul(x, full(x, 1)),
    lambda x, y: lax.add(x, full(x, 0)),
    lambda x, y: lax.mul(x, full(x, 0)),
    lambda x, y: lax.div(x, full(x, 4)),
    lambda x, y: lines_up(x),
    lambda x, y: lax.reshape(x, (1, *x.shape)),
    lambda x, y: turned(x),
    lambda x, y: turned(turned(x)),
    lambda x, y: lax.broadcast_in_dim(x, (2, *x.shape), tuple(range(1, x.ndim + 1))),
    lambda x, y: lax.reduce_sum(x, axes=(0,)) if x.ndim else x,
    lambda x, y: lax.reduce_max(x, axes=(x.ndim - 1,)) if x.ndim else x,
    lambda x, y: lax.select(lax.gt(x, y), x, y),
    lambda x, y: lax.concatenate([x, y], 0) if x.ndim else x,
    lambda x, y: lax.slice(x, (0,) * x.ndim, x.shape),
    lambda x, y: full(x, 2.5),
    lambda x, y: lax.neg(lax.neg(x)),
    lambda x, y: lax.integer_pow(x, 2),
    lambda x, y: lax.dot(x, turned(y)) if x.ndim == 2 else x,
    lambda x, y: lax.logistic(x),
    lambda x, y: lax.iota(np.float32, x.size),
]


def make_program(source: random.Random) -> Callable[..., list[Array]]:
    choices = [(source.random(), source.random(), source.choice(STEPS)) for _ in range(source.randint(4, 14))]
    returned = source.randint(1, 4)

    def program(x: Array, y: Array) -> list[Array]:
        values = [x, y]
        for first, second, step in choices:
            one = values[int(first * len(values))]
            alike = [value for value in values if value.shape == one.shape]
            values.append(step(one, alike[int(second * len(alike))]))
        return values[-returned:]

    return program


def values_of(
    jaxpr: Jaxpr, arguments: list[np.ndarray]
) -> dict[str, tuple[list[np.ndarray], list[np.ndarray]]]:
    """For each equation its operands and results, computed one by one."""
    known: dict[Any, Any] = dict(zip(jaxpr.invars, arguments, strict=True))
    found = {}
    for eqn in jaxpr.eqns:
        operands = [atom.val if type(atom) is Literal else known[atom] for atom in eqn.invars]
        out = eqn.primitive.bind(*operands, **eqn.params)
        results = list(out) if eqn.primitive.multiple_results else [out]
        known.update(zip(eqn.outvars, results, strict=True))
        found[f"q{eqn.id}"] = ([np.asarray(one) for one in operands], [np.asarray(one) for one in results])
    return found


def inputs(seed: int) -> list[np.ndarray]:
    source = np.random.RandomState(seed)
    return [source.randn(3).astype(np.float32), source.randn(2, 3).astype(np.float32)]


def is_same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one.ravel(), other.ravel(), equal_nan=True)


@pytest.mark.parametrize("seed", range(24))
def test_no_fate_is_wrong(seed):
    front_end = EngineFrontEnd(make_program(random.Random(seed)), inputs(seed), {})
    exploration = Exploration(front_end)
    exploration.facts()
    assert verify(exploration) == []
    assert front_end.call is not None
    jaxpr = front_end.call.traced.jaxpr
    here, elsewhere = values_of(jaxpr, inputs(seed)), values_of(jaxpr, inputs(seed + 1000))
    for link in exploration.links:
        operands, results = here[link.path]
        kind, into, text = link.fate
        if kind == "merged" and "on its way" not in text:
            assert is_same(results[0], here[into[0]][1][0]), link
        if kind == "folded":
            assert is_same(results[0], elsewhere[link.path][1][0]), link
        if "no instruction is needed" in text or "its result is its operand" in text:
            assert any(is_same(one, results[0]) for one in operands), link
        if kind == "unknown":
            assert not into, link
