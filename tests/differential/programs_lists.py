"""Errors that list what is wrong, and say of how many they list the first."""

from __future__ import annotations

from tests.differential.program import parse_programs


def _rule(tangents: str) -> str:
    """The source of the derivative of a function with its own rule, which returns ``tangents`` for ``t``."""
    return (
        "lambda *x: (lambda f: (f.defjvp(lambda p, t: (p, "
        + tangents
        + ")), jax.jvp(f, x, (1.,) * len(x)))[1])"
        "(jax.custom_jvp(lambda *a: a))"
    )


LISTS = f"""
# arguments of another type than a program was compiled for
lambda *x: jax.jit(lambda *p: p).lower(*x).compile()(*[1] * len(x)) @ [1.] * 4
lambda *x: jax.jit(lambda *p: p).lower(*x).compile()(*[1] * len(x)) @ [1.] * 5
lambda *x: jax.jit(lambda *p: p).lower(*x).compile()(*[1] * len(x)) @ [1.] * 6
lambda *x: jax.jit(lambda *p: p).lower(*x).compile()(*[1] * len(x)) @ [1.] * 12
lambda x: jax.jit(lambda p: p).lower(x).compile()([1] * 8) @ ([1.] * 8,)
lambda x: jax.jit(lambda p: p).lower(x).compile()([(1.,)] * 8) @ ([1.] * 8,)
# branches and carries
lambda n: lax.cond(True, lambda: [1.] * 2, lambda: [(1,)] * 2) @ (2,)
lambda n: lax.cond(True, lambda: [1.] * 3, lambda: [(1,)] * 3) @ (3,)
lambda n: lax.cond(True, lambda: [1.] * 8, lambda: [(1,)] * 8) @ (8,)
lambda n: lax.cond(True, lambda: [1.] * 8, lambda: [1] * 8) @ (8,)
lambda x: lax.scan(lambda c, a: ([1] * 2, a), [1.] * 2, x) @ (np.arange(3),)
lambda x: lax.scan(lambda c, a: ([1] * 3, a), [1.] * 3, x) @ (np.arange(3),)
lambda x: lax.scan(lambda c, a: ([1] * 8, a), [1.] * 8, x) @ (np.arange(3),)
lambda x: lax.while_loop(lambda c: True, lambda c: [1] * 8, [1.] * 8) @ (1.,)
lambda x: lax.switch(0, [lambda i=i: jnp.ones(i) for i in range(9)]) @ (1.,)
# derivatives that somebody wrote
{_rule("(t[0],)")} @ (1.,)
{_rule("(1,)")} @ (1.,)
{_rule("tuple(1 for a in t)")} @ (1., 2.)
{_rule("tuple(jnp.ones(3) for a in t)")} @ (1., 2., 3., 4., 5., 6., 7., 8.)
{_rule("(t[0], jnp.ones(2), t[1])")} @ (1., 2., 3.)
# cotangents
lambda x: jax.linear_transpose(lambda a: a, x)(1) @ (1.,)
lambda x: jax.linear_transpose(lambda *a: a, x, x)((1, 1)) @ (1.,)
lambda x: jax.linear_transpose(lambda a: {{'x': a}}, x)({{'x': 1}}) @ (1.,)
lambda x: jax.linear_transpose(lambda a: a, x)(jnp.ones(3)) @ (1.,)
lambda x: jax.linear_transpose(lambda a: a, x)(np.float32(1)) @ (1.,)
lambda x: jax.linear_transpose(lambda a: a, x)(1) @ (1,)
# mapped axes of several sizes
lambda *x: jax.vmap(lambda *p: p)(*x) @ [np.ones(i) for i in range(1, 9)]
lambda *x: jax.vmap(lambda x, *p: p)(*x) @ [np.ones(i) for i in range(1, 4)]
lambda *x: jax.vmap(lambda x, y=3, *p: p)(*x) @ [np.ones(i) for i in range(1, 4)]
lambda *x: jax.vmap(lambda x, y, *p, z, **k: p)(*x, z=np.ones(7), w=np.ones(8)) @ [np.ones(i) for i in range(1, 4)]
lambda *x: jax.vmap(lambda x, /, y, *, z: x)(*x, z=np.ones(7)) @ [np.ones(i) for i in range(1, 3)]
lambda *x: jax.vmap(lambda *p, z: p)(*x, z=np.ones(7)) @ [(np.ones(i), np.ones(i)) for i in range(1, 3)]
lambda *x: jax.vmap(jax.tree_util.Partial(lambda a, x, y: a, 1))(*x) @ [np.ones(i) for i in range(1, 3)]
lambda *x: jax.vmap(jax.jit(lambda x, y: x))(*x) @ [np.ones(i) for i in range(1, 3)]
lambda *x: jax.vmap(jax.vmap(lambda x, y: x))(*x) @ [np.ones((i, 3)) for i in range(1, 3)]
lambda *x: jax.vmap(jnp.add)(*x) @ [np.ones(i) for i in range(1, 3)]
lambda x: jax.vmap(lambda **k: k)(a=x, b=[np.ones(3)]) @ (np.ones(2),)
lambda *x: jax.vmap(lambda *p: p)(*x) @ [np.ones(i // 2) for i in range(2, 8)]
lambda *x: jax.vmap(lambda *p: p)(*x, np.ones(3), np.ones(4)) @ [np.ones(2)] * 3
lambda *x: jax.vmap(lambda *p: p, axis_size=7)(*x, np.ones(3), np.ones(4)) @ [np.ones(2)] * 3
lambda *x: jax.vmap(lambda *p: p, axis_size=7)(*x) @ [np.ones(2)] * 3
lambda x: jax.vmap(lambda a, b: a, in_axes=(0, 1))(x, np.ones((2, 4))) @ (np.ones(2),)
lambda x: jax.vmap(lambda a, b: a, in_axes=(0, -1))(x, np.ones((2, 4))) @ (np.ones(2),)
"""

PROGRAMS = parse_programs(LISTS, wants=("value",))
