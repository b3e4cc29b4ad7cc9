"""A function given by pieces: at each place, the one whose condition holds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.numpy.arg_reductions import argmax
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.numpy.creation import array, asarray, astype, zeros_like
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.indexing import getitem
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.vectorizing import vectorize


def piecewise(x, condlist, funclist, *args, **kw):
    """At each place, the value of the last function whose condition holds there; one more serves the rest."""
    check_arraylike("piecewise", x)
    conditions, pieces = len(condlist), list(funclist)
    if len(pieces) == conditions + 1:
        pieces.insert(0, pieces.pop())
    elif len(pieces) == conditions:
        pieces.insert(0, 0)
    else:
        raise ValueError(
            f"with {conditions} condition(s), either {conditions} or {conditions + 1} functions are expected; "
            f"got {len(pieces)}"
        )
    numbers = {i: piece for i, piece in enumerate(pieces) if not callable(piece)}
    functions = frozenset((i, piece) for i, piece in enumerate(pieces) if callable(piece))
    return _piecewise(x, asarray(condlist, dtype=np.bool_), numbers, functions, *args, **kw)


@functools.partial(jit, static_argnames=("funcs",))
def _piecewise(x, condlist, consts, funcs, *args, **kw):
    none = zeros_like(getitem(condlist, slice(None, 1)))
    holds = concatenate([none, condlist], 0)
    which = argmax(cumsum(holds, 0), 0)
    dtype = x.dtype

    def function(piece: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda x: astype(piece(x, *args, **kw), dtype)

    def number(value: Any) -> Callable[[Any], Any]:
        return lambda x: array(value, dtype=dtype)

    functions = dict(funcs)
    pieces = [
        number(consts[i]) if i in consts else function(functions[i])
        for i in range(len(consts) + len(functions))
    ]
    return vectorize(lax.switch, excluded=(1,))(which, pieces, x)
