"""Both ways of keeping captured arrays and both ways of tracing give the same results under every transformation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random

w = np.arange(1.0, 17.0, dtype=np.float32)
a = jnp.linspace(0, 1, 16)
X = jnp.ones(16)


def scan(x):
    return lax.scan(lambda c, s: (jnp.sin(c) * w + a, c.sum()), x, a)[0].sum()


def cond(x):
    return lax.cond(x[0] > 0, lambda y: (y * w).sum(), lambda y: (y + a).sum(), x)


def fori(x):
    return lax.fori_loop(0, 3, lambda i, c: c * 0.5 + w * i, x).sum()


def nested(x):
    def step(c, _):
        return lax.cond(c[0] > 5, lambda z: z * w, lambda z: z + a, c), None

    return jaxnb.jit(lambda y: lax.scan(step, y, None, length=3)[0])(x).sum()


def drawn(x):
    return (x * random.normal(random.key(0), (16,))).sum()


TRANSFORMED = {
    "jit": lambda g: jaxnb.jit(g)(X),
    "grad of jit": lambda g: jaxnb.grad(jaxnb.jit(g))(X),
    "jit of grad": lambda g: jaxnb.jit(jaxnb.grad(g))(X),
    "vmap of grad": lambda g: jaxnb.jit(jaxnb.vmap(jaxnb.grad(g)))(jnp.stack([X, -X])),
}


@pytest.mark.parametrize("f", [scan, cond, fori, nested, drawn], ids=lambda f: f.__name__)
def test_all_ways_agree(f):
    found = []
    try:
        for simplified, omnistaging in itertools.product((True, False), repeat=2):
            jaxnb.config.update("jax_use_simplified_jaxpr_constants", simplified)
            with jaxnb.omnistaging(omnistaging):
                found.append([np.asarray(act(lambda x: f(x))) for act in TRANSFORMED.values()])
    finally:
        jaxnb.config.update("jax_use_simplified_jaxpr_constants", True)
    for others in found[1:]:
        for name, one, other in zip(TRANSFORMED, found[0], others, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-5, err_msg=name)
