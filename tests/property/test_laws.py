"""Laws that hold for every program: compiling, batching, differentiating and printing change no meaning."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jaxnb
from jaxnb import core, tree
from tests.property.random_programs import inputs, programs, run

seeds = st.integers(0, 3)
few = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def close(found, expected, tol=2e-5):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tol, atol=tol)


def function(program):
    return lambda x, y: run(program, x, y)


@few
@given(programs, seeds)
def test_a_compiled_program_gives_what_its_operations_give(program, seed):
    f, args = function(program), inputs(seed)
    close(jaxnb.jit(f)(*args), f(*args))


@few
@given(programs, seeds)
def test_a_jaxpr_is_well_formed_and_evaluates_to_the_same(program, seed):
    f, args = function(program), inputs(seed)
    closed = jaxnb.make_jaxpr(f)(*args)
    core.check_jaxpr(closed)
    (found,) = core.eval_jaxpr(closed.jaxpr, closed.consts, *args)
    close(found, f(*args))


@few
@given(programs)
def test_a_batched_program_gives_what_a_loop_gives(program):
    f = function(program)
    rows = [inputs(seed) for seed in range(3)]
    batch = tree.map(lambda *leaves: np.stack(leaves), *rows)
    close(jaxnb.vmap(f)(*batch), np.stack([np.asarray(f(*row)) for row in rows]))


@few
@given(programs, seeds)
def test_forward_and_reverse_derivatives_agree(program, seed):
    f, args = function(program), inputs(seed)
    tangents = inputs(seed + 7)
    _, forward = jaxnb.jvp(f, args, tangents)
    gradients = jaxnb.grad(f, argnums=(0, 1))(*args)
    close(forward, sum(np.sum(np.asarray(g) * t) for g, t in zip(gradients, tangents)), tol=2e-4)


@few
@given(programs, seeds)
def test_transformations_commute_with_compiling(program, seed):
    f, args = function(program), inputs(seed)
    for found, expected in zip(
        jaxnb.grad(jaxnb.jit(f), (0, 1))(*args), jaxnb.jit(jaxnb.grad(f, (0, 1)))(*args)
    ):
        close(found, expected)
