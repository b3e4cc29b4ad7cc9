"""Errors about shapes that do not fit and about functions, with their cures and the programs that follow them."""

from __future__ import annotations

import numpy as np

from tests.explorer.cure_cases import Case

SHAPES = {
    "shapes of a sum": Case(
        "mismatch",
        "def f(x):\n    z = jnp.zeros(3)\n    return z + x\njaxnb.jit(f)(jnp.ones(4))",
        (
            (
                "z[:, None] + x",
                "def f(x):\n    z = jnp.zeros(3)\n    return z[:, None] + x\njaxnb.jit(f)(jnp.ones(4))",
                np.ones((3, 4)),
            ),
            (
                "z + x[:3]",
                "def f(x):\n    z = jnp.zeros(3)\n    return z + x[:3]\njaxnb.jit(f)(jnp.ones(4))",
                np.ones(3),
            ),
        ),
    ),
    "shapes of a sum with a matrix": Case(
        "mismatch",
        "def f(x, m):\n    m += x\n    return m\njaxnb.vmap(f)(jnp.ones((2, 3)), jnp.ones((2, 3, 4)))",
        (
            (
                "m + x[:, None]",
                "def f(x, m):\n    m = m + x[:, None]\n    return m\njaxnb.vmap(f)(jnp.ones((2, 3)), jnp.ones((2, 3, 4)))",
                np.full((2, 3, 4), 2.0),
            ),
        ),
    ),
    "shapes of two matrices": Case(
        "mismatch",
        "jaxnb.jit(lambda a, b: lax.mul(a, b))(jnp.ones((2, 3)), jnp.ones((3, 2)))",
        (
            (
                "jnp.multiply(a, b.T)",
                "jaxnb.jit(lambda a, b: jnp.multiply(a, b.T))(jnp.ones((2, 3)), jnp.ones((3, 2)))",
                np.ones((2, 3)),
            ),
            (
                "jnp.multiply(a[:, :, None], b)",
                "jaxnb.jit(lambda a, b: jnp.multiply(a[:, :, None], b))(jnp.ones((2, 3)), jnp.ones((3, 2)))",
                np.ones((2, 3, 2)),
            ),
            (
                "jnp.multiply(a[:, :2], b[:2])",
                "jaxnb.jit(lambda a, b: jnp.multiply(a[:, :2], b[:2]))(jnp.ones((2, 3)), jnp.ones((3, 2)))",
                np.ones((2, 2)),
            ),
        ),
    ),
    "shapes of a product": Case(
        "product",
        "jaxnb.jit(lambda a, b: jnp.ones((3, 4)) @ (a + b))(jnp.ones(3), 1.)",
        (
            (
                "jnp.ones((3, 4)).T @ (a + b)",
                "jaxnb.jit(lambda a, b: jnp.ones((3, 4)).T @ (a + b))(jnp.ones(3), 1.)",
                np.full(4, 6.0),
            ),
            (
                "(a + b) @ jnp.ones((3, 4))",
                "jaxnb.jit(lambda a, b: (a + b) @ jnp.ones((3, 4)))(jnp.ones(3), 1.)",
                np.full(4, 6.0),
            ),
        ),
    ),
    "shapes of joined arrays": Case(
        "join",
        "jaxnb.jit(lambda x: jnp.concatenate([x, jnp.ones((2, 3))]))(jnp.ones((2, 2)))",
        (
            (
                "jnp.concatenate([x, jnp.ones((2, 3))], axis=1)",
                "jaxnb.jit(lambda x: jnp.concatenate([x, jnp.ones((2, 3))], axis=1))(jnp.ones((2, 2)))",
                np.ones((2, 5)),
            ),
            (
                "jnp.concatenate([x, jnp.ones((2, 3))[:, :2]], axis=0)",
                "jaxnb.jit(lambda x: jnp.concatenate([x, jnp.ones((2, 3))[:, :2]], axis=0))(jnp.ones((2, 2)))",
                np.ones((4, 2)),
            ),
        ),
    ),
    "a row is joined": Case(
        "join",
        "jaxnb.jit(lambda x, y: jnp.concatenate([x, y]))(jnp.ones((2, 3)), jnp.ones(3))",
        (
            (
                "jnp.concatenate([x, y[None]], axis=0)",
                "jaxnb.jit(lambda x, y: jnp.concatenate([x, y[None]], axis=0))(jnp.ones((2, 3)), jnp.ones(3))",
                np.ones((3, 3)),
            ),
        ),
    ),
    "another number of elements": Case(
        "reshape",
        "jaxnb.jit(lambda x: jnp.reshape(x, (2, 2)))(jnp.ones(6))",
        (
            (
                "jnp.reshape(x, (-1, 2))",
                "jaxnb.jit(lambda x: jnp.reshape(x, (-1, 2)))(jnp.ones(6))",
                np.ones((3, 2)),
            ),
            ("jnp.reshape(x, -1)", "jaxnb.jit(lambda x: jnp.reshape(x, -1))(jnp.ones(6))", np.ones(6)),
        ),
    ),
    "a slice": Case(
        "slice",
        "jaxnb.jit(lambda x, n: x[:n])(jnp.ones((3, 2)), 2)",
        (
            (
                "jnp.where((jnp.arange(x.shape[0]) < n)[:, None], x, 0)",
                "jaxnb.jit(lambda x, n: jnp.where((jnp.arange(x.shape[0]) < n)[:, None], x, 0))(jnp.ones((3, 2)), 2)",
                [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]],
            ),
            (
                "lax.dynamic_slice_in_dim(x, start, size, axis=0)",
                "size = 2\njaxnb.jit(lambda x, start: lax.dynamic_slice_in_dim(x, start, size, axis=0))"
                "(jnp.ones((3, 2)), 1)",
                np.ones((2, 2)),
            ),
            (
                'jaxnb.jit(<lambda>, static_argnames="n")',
                'jaxnb.jit(lambda x, n: x[:n], static_argnames="n")(jnp.ones((3, 2)), 2)',
                np.ones((2, 2)),
            ),
        ),
    ),
    "a slice of a known size": Case(
        "slice",
        "jaxnb.jit(lambda x, i: x[i:i + 2])(jnp.arange(4), 1)",
        (
            (
                "lax.dynamic_slice(x, (i,), (2,))",
                "jaxnb.jit(lambda x, i: lax.dynamic_slice(x, (i,), (2,)))(jnp.arange(4), 1)",
                [1, 2],
            ),
            (
                "jnp.where((jnp.arange(x.shape[0]) >= i) & (jnp.arange(x.shape[0]) < i + 2), x, 0)",
                "jaxnb.jit(lambda x, i: jnp.where((jnp.arange(x.shape[0]) >= i) & (jnp.arange(x.shape[0]) < i + 2), x, 0))"
                "(jnp.arange(4), 1)",
                [0, 1, 2, 0],
            ),
            (
                'jaxnb.jit(<lambda>, static_argnames="i")',
                'jaxnb.jit(lambda x, i: x[i:i + 2], static_argnames="i")(jnp.arange(4), 1)',
                [1, 2],
            ),
        ),
    ),
    "an argument that is a text": Case(
        "argument",
        "@jaxnb.jit\ndef g(x, mode):\n    return x if mode == 'a' else -x\ng(1., 'a')",
        (
            (
                'jaxnb.jit(g, static_argnames="mode")',
                "def g(x, mode):\n    return x if mode == 'a' else -x\njaxnb.jit(g, static_argnames=\"mode\")(1., 'a')",
                1.0,
            ),
        ),
    ),
    "an argument of a lambda that is a text": Case(
        "argument",
        "jaxnb.jit(lambda x, mode: x)(1., 'a')",
        (
            (
                'jaxnb.jit(<lambda>, static_argnames="mode")',
                "jaxnb.jit(lambda x, mode: x, static_argnames=\"mode\")(1., 'a')",
                1.0,
            ),
        ),
    ),
    "a text inside of an argument": Case(
        "argument",
        "def g(x, options):\n    return x * options['by']\njaxnb.jit(g)(1., {'by': 2., 'name': 'a'})",
        (
            (
                "jaxnb.jit(functools.partial(g, options=options))",
                "options = {'by': 2., 'name': 'a'}\ndef g(x, options):\n    return x * options['by']\n"
                "jaxnb.jit(functools.partial(g, options=options))(1.)",
                2.0,
            ),
        ),
    ),
    "a carry of another type": Case(
        "carry",
        "def step(c, x): return {'pos': c['pos'] + x, 'n': c['n'] + 1.0}, None\n"
        "lax.scan(step, {'pos': 0.0, 'n': jnp.int32(0)}, jnp.ones(3))[0]['n']",
        (
            (
                "lax.scan(step, {'pos': 0.0, 'n': jnp.asarray(jnp.int32(0), jnp.float32)}, jnp.ones(3))",
                "def step(c, x): return {'pos': c['pos'] + x, 'n': c['n'] + 1.0}, None\n"
                "lax.scan(step, {'pos': 0.0, 'n': jnp.asarray(jnp.int32(0), jnp.float32)}, jnp.ones(3))[0]['n']",
                3.0,
            ),
            (
                "new.astype(jnp.int32)",
                "def step(c, x): return {'pos': c['pos'] + x, 'n': (c['n'] + 1.0).astype(jnp.int32)}, None\n"
                "lax.scan(step, {'pos': 0.0, 'n': jnp.int32(0)}, jnp.ones(3))[0]['n']",
                3,
            ),
        ),
    ),
    "a carry of another shape": Case(
        "carry",
        "jaxnb.jit(lambda s: lax.fori_loop(0, 3, lambda i, c: c + jnp.ones(2), s))(jnp.float32(0))",
        (
            (
                "lax.fori_loop(0, 3, lambda i, c: c + jnp.ones(2), jnp.broadcast_to(jnp.asarray(s, jnp.float32), (2,)))",
                "jaxnb.jit(lambda s: lax.fori_loop(0, 3, lambda i, c: c + jnp.ones(2), "
                "jnp.broadcast_to(jnp.asarray(s, jnp.float32), (2,))))(jnp.float32(0))",
                [3.0, 3.0],
            ),
        ),
    ),
    "branches of other types": Case(
        "branches",
        "jaxnb.jit(lambda x: lax.cond(x > 0, lambda c: c + 1.5, lambda c: c, x))(jnp.int32(1))",
        (
            (
                "lax.cond(x > 0, lambda c: jnp.asarray(c + 1.5, jnp.float32), lambda c: jnp.asarray(c, jnp.float32), x)",
                "jaxnb.jit(lambda x: lax.cond(x > 0, lambda c: jnp.asarray(c + 1.5, jnp.float32), "
                "lambda c: jnp.asarray(c, jnp.float32), x))(jnp.int32(1))",
                2.5,
            ),
        ),
    ),
    "a gradient of an array": Case(
        "gradient",
        "jaxnb.grad(lambda x: x * 2)(jnp.ones(2))",
        (
            (
                "jaxnb.grad(lambda *args: jnp.sum((lambda x: x * 2)(*args)))(jnp.ones(2))",
                "jaxnb.grad(lambda *args: jnp.sum((lambda x: x * 2)(*args)))(jnp.ones(2))",
                [2.0, 2.0],
            ),
            (
                "jaxnb.jacrev(lambda x: x * 2)(jnp.ones(2))",
                "jaxnb.jacrev(lambda x: x * 2)(jnp.ones(2))",
                [[2.0, 0.0], [0.0, 2.0]],
            ),
        ),
    ),
    "a gradient by an integer": Case(
        "gradient",
        "jaxnb.grad(lambda x: x * 2.)(3)",
        (
            (
                "jaxnb.grad(lambda x: x * 2.0)(jnp.asarray(3, jnp.float32))",
                "jaxnb.grad(lambda x: x * 2.0)(jnp.asarray(3, jnp.float32))",
                2.0,
            ),
        ),
    ),
    "mapped axes": Case(
        "axes",
        "jaxnb.vmap(lambda x, y: x + y.sum())(jnp.ones(3), jnp.ones(4))",
        (
            (
                "jaxnb.vmap(lambda x, y: x + y.sum(), in_axes=(None, 0))(jnp.ones(3), jnp.ones(4))",
                "jaxnb.vmap(lambda x, y: x + y.sum(), in_axes=(None, 0))(jnp.ones(3), jnp.ones(4))",
                np.full((4, 3), 2.0),
            ),
            (
                "jaxnb.vmap(lambda x, y: x + y.sum(), in_axes=(0, None))(jnp.ones(3), jnp.ones(4))",
                "jaxnb.vmap(lambda x, y: x + y.sum(), in_axes=(0, None))(jnp.ones(3), jnp.ones(4))",
                np.full(3, 5.0),
            ),
        ),
    ),
}
