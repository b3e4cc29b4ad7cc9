"""Random numbers under JAX's names, from explicit keys: re-exports only."""

from __future__ import annotations

from jaxnb.random.balls import ball, generalized_normal
from jaxnb.random.choosing import categorical, choice, permutation
from jaxnb.random.counts import binomial, multinomial, poisson
from jaxnb.random.gammas import (
    beta,
    chisquare,
    dirichlet,
    f,
    gamma,
    loggamma,
    random_gamma_p,
    t,
)
from jaxnb.random.keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_dtype,
    key_impl,
    split,
    wrap_key_data,
)
from jaxnb.random.normals import (
    double_sided_maxwell,
    lognormal,
    maxwell,
    normal,
    truncated_normal,
)
from jaxnb.random.transformed import (
    cauchy,
    exponential,
    geometric,
    gumbel,
    laplace,
    logistic,
    pareto,
    rayleigh,
    triangular,
    wald,
    weibull_min,
)
from jaxnb.random.uniforms import bernoulli, rademacher, randint, uniform
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "PRNGKey", "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy", "chisquare", "choice", "clone",
    "dirichlet", "double_sided_maxwell", "exponential", "f", "fold_in", "gamma", "generalized_normal", "geometric",
    "gumbel", "key", "key_data", "key_dtype", "key_impl", "laplace", "loggamma", "logistic", "lognormal", "maxwell",
    "multinomial", "normal", "pareto", "permutation", "poisson", "rademacher", "randint",
    "random_gamma_p", "rayleigh", "split", "t", "triangular", "truncated_normal", "uniform", "wald", "weibull_min",
    "wrap_key_data",
]  # fmt: skip

if JAXLIB_VERSION >= (0, 12):  # a name that the oracle of this version added
    from jaxnb.random.keys import Key

    __all__ += ["Key"]
