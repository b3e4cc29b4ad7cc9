"""Labels: ``named_scope`` and ``named_call``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jaxnb.engine.core.source import named_scope

__all__ = ["named_call", "named_scope"]


def named_call(fun: Callable[..., Any], *, name: str | None = None) -> Callable[..., Any]:
    """Returns ``fun`` with its operations labelled by its name, or by ``name``.

    Raises:
        AttributeError: where ``fun`` has no name and none is given.
        TypeError: where the name is not a string.
    """
    label = fun.__name__ if name is None else name

    @functools.wraps(fun)
    def labelled(*args: Any, **kwargs: Any) -> Any:
        with named_scope(label):
            return fun(*args, **kwargs)

    return labelled
