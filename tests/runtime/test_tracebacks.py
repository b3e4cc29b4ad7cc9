"""What the traceback of an error has: the user's own frames, unless a setting says otherwise."""

from __future__ import annotations

import traceback
from contextlib import contextmanager

import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.base.frames import full_traceback

NOTE = (
    "--------------------\nFor simplicity, JAX has removed its internal frames from the traceback of the following "
    "exception. Set JAX_TRACEBACK_FILTERING=off to include these."
)


def fails(*_):
    return {}[3]


def asks(x):
    return x if x > 0 else -x


ENTRIES = {
    "jit": lambda: jaxnb.jit(fails)(1.0),
    "jit that asks": lambda: jaxnb.jit(asks)(1.0),
    "grad": lambda: jaxnb.grad(fails)(1.0),
    "value_and_grad": lambda: jaxnb.value_and_grad(fails)(1.0),
    "vmap": lambda: jaxnb.vmap(asks)(jnp.ones(2)),
    "jvp": lambda: jaxnb.jvp(fails, (1.0,), (1.0,)),
    "vjp": lambda: jaxnb.vjp(fails, 1.0),
    "linearize": lambda: jaxnb.linearize(fails, 1.0),
    "make_jaxpr": lambda: jaxnb.make_jaxpr(fails)(1.0),
    "eval_shape": lambda: jaxnb.eval_shape(fails, 1.0),
    "lower": lambda: jaxnb.jit(fails).lower(1.0),
    "trace": lambda: jaxnb.jit(fails).trace(1.0),
    "scan": lambda: lax.scan(fails, 0.0, jnp.ones(2)),
    "while_loop": lambda: lax.while_loop(lambda c: True, fails, 1.0),
    "fori_loop": lambda: lax.fori_loop(0, 3, fails, 1.0),
    "cond": lambda: lax.cond(True, fails, fails, 1.0),
    "switch": lambda: lax.switch(0, [fails, fails], 1.0),
    "map": lambda: lax.map(fails, jnp.ones(2)),
    "associative_scan": lambda: lax.associative_scan(fails, jnp.ones(4)),
    "custom_jvp": lambda: jaxnb.custom_jvp(fails)(1.0),
    "custom_vjp": lambda: jaxnb.custom_vjp(fails)(1.0),
    "one in another": lambda: jaxnb.jit(lambda x: jaxnb.grad(fails)(x))(1.0),
    "a function of ours": lambda: jaxnb.jit(lambda x: jnp.dot(x, jnp.ones(4)))(jnp.ones(3)),
}


@contextmanager
def filtering(mode):
    before = jaxnb.config.jax_traceback_filtering
    jaxnb.config.update("jax_traceback_filtering", mode)
    try:
        yield
    finally:
        jaxnb.config.update("jax_traceback_filtering", before)


def raised(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def files(tb):
    return {frame.filename for frame in traceback.extract_tb(tb)}


@pytest.mark.parametrize("name", ENTRIES)
def test_only_the_users_frames_are_left(name):
    error = raised(ENTRIES[name])
    assert files(error.__traceback__) == {__file__}
    assert error.__notes__ == [NOTE]
    innermost = traceback.extract_tb(error.__traceback__)[-1].name
    assert innermost in ("fails", "asks", "<lambda>")


@pytest.mark.parametrize("mode", ["off", "tracebackhide"])
def test_all_frames_stay_where_it_is_asked_for(mode):
    with filtering(mode):
        error = raised(ENTRIES["jit"])
    assert len(files(error.__traceback__)) > 1
    assert not hasattr(error, "__notes__")


def test_frames_that_a_debugger_is_to_skip_are_marked():
    with filtering("tracebackhide"):
        error = raised(ENTRIES["jit"])
    for frame, _ in traceback.walk_tb(error.__traceback__):
        assert frame.f_locals.get("__tracebackhide__", False) == (frame.f_code.co_filename != __file__)


def test_removed_frames_may_be_the_cause():
    with filtering("remove_frames"):
        error = raised(ENTRIES["jit"])
    assert files(error.__traceback__) == {__file__}
    assert not hasattr(error, "__notes__")
    cause = error.__cause__
    assert type(cause).__name__ == "UnfilteredStackTrace"
    assert str(cause) == (
        "KeyError: 3\n\nThe stack trace below excludes JAX-internal frames.\nThe preceding is the original exception that "
        "occurred, unmodified.\n\n--------------------"
    )
    assert len(files(cause.__traceback__)) > 1


def test_what_was_removed_is_found_again():
    error = raised(ENTRIES["grad"])
    whole, left = (traceback.extract_tb(tb) for tb in (full_traceback(error), error.__traceback__))
    assert len(whole) > len(left)
    assert [f for f in whole if f.filename == __file__] == list(left)


def test_an_error_that_the_function_catches_is_whole_and_another_call_begins_anew():
    seen = []

    def careful(x):
        seen.append(raised(lambda: jaxnb.grad(fails)(x)))
        return x

    jaxnb.jit(careful)(1.0)
    assert len(files(seen[0].__traceback__)) > 1
    assert files(raised(ENTRIES["jit"]).__traceback__) == {__file__}
