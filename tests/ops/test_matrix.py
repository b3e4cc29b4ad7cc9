"""Every primitive against every rule: value, type, derivative, transpose, batching, lowering.

The samples stand in ``samples_*.py``, one file a family; a primitive of ours without a sample fails.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil

import numpy as np
import pytest

from jaxnb import engine
from jaxnb.base.config import config
from jaxnb.engine.api.grad import jvp, vjp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import Undefined, batch_rules, jvp_rules, lowering_rules, primitives
from tests.differential.texts import settled

LISTS = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("samples_*.py"))
ALL = [s for name in LISTS for s in importlib.import_module(f"tests.ops.{name}").SAMPLES]
GOOD = [s for s in ALL if s.static_error is None]
REFUSED = [s for s in ALL if s.static_error is not None]
STEP = 1e-6
WIDER = {np.dtype("float32"): np.dtype("float64"), np.dtype("complex64"): np.dtype("complex128")}


def ids(samples):
    seen: dict[str, int] = {}
    names = []
    for s in samples:
        n = seen[str(s)] = seen.get(str(s), 0) + 1
        names.append(str(s) if n == 1 else f"{s}#{n}")
    return names


def results(sample, *args):
    out = sample.primitive.bind(*args, **sample.params)
    return list(out) if sample.primitive.multiple_results else [out]


def numbers(x):
    """The array as NumPy can compute with it."""
    x = np.asarray(x)
    if x.dtype.kind == "V" or x.dtype.name in ("int4", "uint4", "int2", "uint2"):
        return x.astype(np.float32)
    return x


def tolerance(sample, dtype):
    if sample.tol is not None:
        return sample.tol
    if dtypes.issubdtype(dtype, np.inexact):
        return max(100 * float(dtypes.finfo(dtype).eps), 1e-12)
    return 0.0


def is_inexact(x):
    return dtypes.issubdtype(np.asarray(x).dtype, np.inexact)


def is_wide(x):
    return np.asarray(x).dtype in WIDER.values()


def inner(xs, ys):
    """The pairing under which a transpose is the adjoint: the real part of the sum of products."""
    return sum(np.sum(np.asarray(x) * np.asarray(y)).real for x, y in zip(xs, ys, strict=True))


def directions(xs, seed):
    rng = np.random.default_rng(seed)

    def one(x):
        x = np.asarray(x)
        t = rng.normal(size=x.shape)
        return (t + 1j * rng.normal(size=x.shape) if x.dtype.kind == "c" else t).astype(x.dtype)

    return [one(x) for x in xs]


@pytest.mark.parametrize("sample", GOOD, ids=ids(GOOD))
def test_the_value_is_the_references(sample):
    out = results(sample, *sample.args)
    for x in out:
        assert not hasattr(x, "is_deleted") or not x.is_deleted()
    if sample.reference is None:
        return
    want = sample.reference(*(numbers(a) for a in sample.args))
    want = list(want) if sample.primitive.multiple_results else [want]
    for x, y in zip(out, want, strict=True):
        tol = tolerance(sample, x.dtype)
        np.testing.assert_allclose(numbers(x), y, rtol=tol, atol=tol)


@pytest.mark.parametrize("sample", GOOD, ids=ids(GOOD))
def test_the_abstract_type_is_the_actual_type(sample):
    avals = tuple(get_aval(a) for a in sample.args)
    abstract = sample.primitive.abstract_eval(avals, sample.params)
    abstract = list(abstract) if sample.primitive.multiple_results else [abstract]
    for aval, x in zip(abstract, results(sample, *sample.args), strict=True):
        assert (aval.shape, aval.dtype, aval.weak_type) == (x.shape, x.dtype, x.weak_type)


def differentiable(sample):
    if isinstance(jvp_rules[sample.primitive], Undefined) or sample.grad_tol == 0:
        return []
    places = [i for i, a in enumerate(sample.args) if is_inexact(a)]
    return places if all(np.asarray(sample.args[i]).dtype in WIDER for i in places) else []


@pytest.mark.parametrize("sample", GOOD, ids=ids(GOOD))
def test_the_derivative_is_the_difference_quotient_and_its_transpose_the_adjoint(sample):
    places = differentiable(sample)
    if not places:
        return
    with config.enable_x64(True):
        args = [np.asarray(a) for a in sample.args]
        xs = [args[i].astype(WIDER[args[i].dtype]) for i in places]

        def fun(*xs):
            full = list(args)
            for i, x in zip(places, xs, strict=True):
                full[i] = x
            return [x for x in results(sample, *full) if dtypes.issubdtype(x.dtype, np.inexact)]

        ts = directions(xs, 0)
        out, out_ts = jvp(fun, xs, ts)
        if not out:
            return
        tol = sample.grad_tol or 1e-5
        plus = fun(*(x + STEP * t for x, t in zip(xs, ts, strict=True)))
        minus = fun(*(x - STEP * t for x, t in zip(xs, ts, strict=True)))
        for p, m, t in zip(plus, minus, out_ts, strict=True):
            quotient = (np.asarray(p) - np.asarray(m)) / (2 * STEP)
            np.testing.assert_allclose(np.asarray(t), quotient, rtol=tol, atol=tol)

        cts = directions(out, 1)
        _, pull = vjp(fun, *xs)
        back = pull(cts)
        np.testing.assert_allclose(
            inner(cts, out_ts), inner(back, ts), rtol=max(tol, 1e-10), atol=max(tol, 1e-10)
        )


def batched(x, axis):
    """Three versions of the array, different where they can be, along a new axis."""
    x = np.asarray(x)
    return np.stack([np.roll(x, k, axis=-1) if x.ndim else x for k in range(3)], axis)


@pytest.mark.parametrize("where", ["all", "first", "last", "trailing"])
@pytest.mark.parametrize("sample", GOOD, ids=ids(GOOD))
def test_mapping_is_a_loop(sample, where):
    if isinstance(batch_rules[sample.primitive], Undefined) or not sample.args:
        return
    n = len(sample.args)
    axes: list[int | None] = {
        "all": [0] * n,
        "first": [0] + [None] * (n - 1),
        "last": [None] * (n - 1) + [0],
        "trailing": [np.ndim(a) for a in sample.args],
    }[where]
    args = [a if d is None else batched(a, d) for a, d in zip(sample.args, axes, strict=True)]
    mapped = vmap(lambda *xs: results(sample, *xs), tuple(axes))(*args)
    for k in range(3):
        single = [a if d is None else np.take(a, k, d) for a, d in zip(args, axes, strict=True)]
        for x, y in zip(mapped, results(sample, *single), strict=True):
            tol = tolerance(sample, y.dtype)
            np.testing.assert_allclose(numbers(x)[k], numbers(y), rtol=tol, atol=tol)


@pytest.mark.parametrize("sample", GOOD, ids=ids(GOOD))
def test_the_lowered_program_verifies(sample):
    assert not isinstance(lowering_rules[sample.primitive], Undefined)
    lowered = jit(lambda *xs: results(sample, *xs)).lower(*sample.args)
    assert lowered.compiler_ir().operation.verify()


@pytest.mark.parametrize("sample", REFUSED, ids=ids(REFUSED))
def test_a_wrong_operand_is_refused_in_jaxs_words(sample):
    kind, text = sample.static_error
    with pytest.raises(kind) as err:
        jit(lambda *xs: results(sample, *xs)).lower(*sample.args)
    assert settled(str(err.value)) == settled(text)


def test_every_first_order_primitive_has_a_sample():
    for module in pkgutil.walk_packages(engine.__path__, f"{engine.__name__}."):
        importlib.import_module(module.name)  # what is asked must not depend on which tests ran before
    sampled = {s.primitive for s in GOOD}
    ours = {p for p in primitives.values() if p.abstract.__module__.startswith("jaxnb.engine.ops.")}
    assert sorted(p.name for p in ours - sampled) == []
