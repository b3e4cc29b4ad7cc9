"""Windows: the weights that samples are multiplied by before their spectrum is taken.

All are symmetric, ``f[M]`` in the default floating type, and one everywhere where ``M`` is at most one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import concrete
from jaxnb.numpy.bessel import i0
from jaxnb.numpy.creation import ones
from jaxnb.numpy.elementary import abs, cos, sqrt


def _places(name: str, M: Any) -> tuple[int, Any, Any]:
    """The length, and the places from zero on; or the window itself where it has one place at most."""
    M = int(concrete(M, f"M argument of jnp.{name}"))
    dtype = dtypes.canonicalize_dtype(np.float64)
    if M <= 1:
        return M, None, ones(M, dtype)
    return M, lax.iota(dtype, M), None


def bartlett(M):
    """The triangle that is zero at both ends.

    Args:
        M: the length; a known integer.

    Raises:
        ConcretizationTypeError: ``M`` is traced.
    """
    M, n, short = _places("bartlett", M)
    return short if n is None else 1 - abs(2 * n + 1 - M) / (M - 1)


def blackman(M):
    """The sum of a constant and of two cosines, with small side lobes; ``M`` as for ``bartlett``."""
    M, n, short = _places("blackman", M)
    if n is None:
        return short
    return 0.42 - 0.5 * cos(2 * np.pi * n / (M - 1)) + 0.08 * cos(4 * np.pi * n / (M - 1))


def hamming(M):
    """A raised cosine that does not quite reach zero at its ends; ``M`` as for ``bartlett``."""
    M, n, short = _places("hamming", M)
    return short if n is None else 0.54 - 0.46 * cos(2 * np.pi * n / (M - 1))


def hanning(M):
    """A raised cosine that is zero at both ends; ``M`` as for ``bartlett``."""
    M, n, short = _places("hanning", M)
    return short if n is None else 0.5 * (1 - cos(2 * np.pi * n / (M - 1)))


def kaiser(M, beta):
    """A window made with the Bessel function ``i0``.

    Args:
        M: the length; a known integer.
        beta: how narrow the window is: 0 is a rectangle.

    Raises:
        ConcretizationTypeError: ``M`` is traced.
    """
    M, n, short = _places("kaiser", M)
    if n is None:
        return short
    middle = 0.5 * (M - 1)
    return i0(beta * sqrt(1 - ((n - middle) / middle) ** 2)) / i0(beta)
