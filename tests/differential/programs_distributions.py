"""Programs of the distributions of jax.random: traced, lowered and run; the numbers are JAX's."""

from __future__ import annotations

from tests.differential.program import Program
from tests.differential.scripts import scripts

ALL = ("jaxpr", "stablehlo", "value")
ARGS = "(random.key(0), np.array([0.5, 2.0], np.float32), np.arange(6, dtype=np.float32).reshape(2, 3) / 15)"

_ROWS = """
permutation | random.permutation(k, 10)
permutation-array | random.permutation(k, a)
permutation-rows | random.permutation(k, m)
permutation-axis | random.permutation(k, m, axis=-1)
permutation-independent | random.permutation(k, m, axis=1, independent=True)
choice | random.choice(k, 10, (3,))
choice-one | random.choice(k, 5)
choice-none | random.choice(k, 5, (0,))
choice-rows | random.choice(k, m, (3,), axis=1)
choice-once | random.choice(k, 10, (3,), replace=False)
choice-once-rows | random.choice(k, m, (1, 2), replace=False, axis=1)
choice-weighted-once | random.choice(k, 2, (2,), p=a, replace=False)
categorical | random.categorical(k, m)
categorical-axis | random.categorical(k, m, axis=0)
categorical-shape | random.categorical(k, m, shape=(4, 2))
categorical-once | random.categorical(k, m, shape=(2, 2), replace=False)
categorical-once-axis | random.categorical(k, m, axis=0, shape=(2, 3), replace=False)
categorical-high | random.categorical(k, m, mode="high")
bernoulli-high | random.bernoulli(k, 0.5, (3,), mode="high")
truncated_normal | random.truncated_normal(k, -1, 1, (3,))
truncated_normal-arrays | random.truncated_normal(k, a, a + 1)
lognormal | random.lognormal(k)
lognormal-array | random.lognormal(k, a)
exponential | random.exponential(k, (3,))
cauchy | random.cauchy(k, (3,))
gumbel | random.gumbel(k, (3,))
gumbel-high | random.gumbel(k, (3,), mode="high")
gumbel-highest | random.gumbel(k, (6,), mode="highest")
gumbel-highest-half | random.gumbel(k, (5,), jnp.float16, mode="highest")
gumbel-highest-rows | random.gumbel(k, (2, 3), mode="highest")
gumbel-mode-unknown | random.gumbel(k, (3,), mode="higher")
categorical-highest | random.categorical(k, m, mode="highest")
gumbel-bfloat16 | random.gumbel(k, (3,), jnp.bfloat16)
laplace | random.laplace(k, (3,))
logistic | random.logistic(k, (3,))
pareto | random.pareto(k, 2.0, (3,))
rayleigh | random.rayleigh(k, 2.0, (3,))
weibull_min | random.weibull_min(k, 1.0, 2.0, (3,))
triangular | random.triangular(k, 0.0, a, 5.0)
wald | random.wald(k, a)
geometric | random.geometric(k, 0.5, (3,))
rademacher | random.rademacher(k, (3,))
rademacher-int8 | random.rademacher(k, (3,), np.int8)
gamma | random.gamma(k, a)
gamma-shape | random.gamma(k, 0.5, (3,))
gamma-float16 | random.gamma(k, 1, (2,), np.float16)
loggamma | random.loggamma(k, a)
beta | random.beta(k, a, 2.0)
dirichlet | random.dirichlet(k, a)
dirichlet-shape | random.dirichlet(k, a, (3,))
chisquare | random.chisquare(k, 2.0, (3,))
f | random.f(k, 2, 3, (2,))
t | random.t(k, a)
generalized_normal | random.generalized_normal(k, 3.0, (3,))
ball | random.ball(k, 3)
ball-norm | random.ball(k, 3, 2.5, (2,))
poisson | random.poisson(k, a)
poisson-large | random.poisson(k, 50.0, (3,))
poisson-int16 | random.poisson(k, 3, dtype=np.int16)
binomial | random.binomial(k, 10.0, 0.3, (2,))
binomial-large | random.binomial(k, 1000.0, 0.3, (2,))
binomial-float16 | random.binomial(k, 10, 0.5, (2,), np.float16)
multinomial | random.multinomial(k, 10, a)
multinomial-rows | random.multinomial(k, 3, m)
gamma-grad | jax.grad(lambda b: random.gamma(k, b).sum())(a)
loggamma-grad | jax.grad(lambda b: random.loggamma(k, b).sum())(a)
truncated_normal-grad | jax.grad(lambda b: random.truncated_normal(k, b, 3.0).sum())(a)
gamma-mapped | jax.vmap(lambda b: random.gamma(k, b, (2,)))(a)
gamma-mapped-keys | jax.vmap(lambda q: random.gamma(q, a))(random.split(k, 3))
permutation-mapped | jax.vmap(lambda q: random.permutation(q, 4))(random.split(k, 3))
poisson-mapped | jax.vmap(lambda q: random.poisson(q, a))(random.split(k, 3))
"""

PROGRAMS: list[Program] = []
for _row in _ROWS.strip().splitlines():
    _name, _call = _row.split(" | ")
    PROGRAMS.append(Program(_name, f"lambda k, a, m: {_call}", ARGS, ALL))

_WRONG = """
# the first of several wrong arguments is named
import inspect, itertools
given = dict(beta=(1.0, 2.0), dirichlet=(np.ones(3),), chisquare=(2.0,), f=(2.0, 3.0), t=(2.0,), gamma=(2.0,), loggamma=(2.0,), cauchy=(), exponential=(), gumbel=(), laplace=(), logistic=(), pareto=(2.0,), rayleigh=(2.0,), weibull_min=(1.0, 2.0), triangular=(0.0, 1.0, 2.0), wald=(1.0,), geometric=(0.5,), ball=(3,), generalized_normal=(2.0,), rademacher=(), maxwell=(), double_sided_maxwell=(0.0, 1.0), lognormal=(), normal=(), truncated_normal=(-1.0, 1.0), uniform=(), bits=(), binomial=(3.0, 0.5), poisson=(2.0,), bernoulli=())
for name, args in given.items():
    function = getattr(jax.random, name)
    wrong = dict(shape=(1.5,), dtype="complex64" if name in ("geometric", "poisson", "bits", "rademacher") else "int32", out_sharding=3)
    wrong = {k: v for k, v in wrong.items() if k in inspect.signature(function).parameters}
    for n in range(len(wrong) + 1):
        for some in itertools.combinations(wrong, n):
            for key in (np.zeros(3), jax.random.key(0)):
                if n or key.ndim: attempt(lambda: function(key, *args, **{k: wrong[k] for k in some}) is None)
"""

PROGRAMS += scripts(_WRONG)
