"""Errors about values that are not known while a function is traced, with their cures and the programs that follow them.

What lives here: the form of a case, and the cases about values; those about shapes and functions are in
``cure_cases_of_shapes``.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    """A program, and what its panel must say.

    Attributes:
        kind: The class of error.
        fails: The program; its last line is an expression.
        cured: For each cure, in order: its code, the program that follows it, and what that gives (None: anything).
    """

    kind: str
    fails: str
    cured: tuple[tuple[str, str, Any], ...]


CHOICE = "def h(x, flag):\n    y = x * 2\n    return {}\n{}"

VALUES: dict[str, Case] = {
    "a choice": Case(
        "bool",
        CHOICE.format("y if flag else x", "jaxnb.jit(h)(1., True)"),
        (
            ("jnp.where(flag, y, x)", CHOICE.format("jnp.where(flag, y, x)", "jaxnb.jit(h)(1., True)"), 2.0),
            (
                "lax.cond(flag, lambda: y, lambda: x)",
                CHOICE.format("lax.cond(flag, lambda: y, lambda: x)", "jaxnb.jit(h)(1., True)"),
                2.0,
            ),
            (
                'jaxnb.jit(h, static_argnames="flag")',
                CHOICE.format("y if flag else x", 'jaxnb.jit(h, static_argnames="flag")(1., True)'),
                2.0,
            ),
        ),
    ),
    "an if": Case(
        "bool",
        "def h(x, y):\n    if not x > y:\n        x = x + 1\n    return x\n"
        "jaxnb.jit(jaxnb.vmap(h))(jnp.ones(2), jnp.ones(2))",
        (
            (
                "x = jnp.where(jnp.logical_not(x > y), x + 1, x)",
                "def h(x, y):\n    x = jnp.where(jnp.logical_not(x > y), x + 1, x)\n    return x\n"
                "jaxnb.jit(jaxnb.vmap(h))(jnp.ones(2), jnp.ones(2))",
                [2.0, 2.0],
            ),
            (
                "lax.cond(jnp.logical_not(x > y), if_true, if_false, operand)",
                "def h(x, y):\n    return lax.cond(jnp.logical_not(x > y), lambda x: x + 1, lambda x: x, x)\n"
                "jaxnb.jit(jaxnb.vmap(h))(jnp.ones(2), jnp.ones(2))",
                [2.0, 2.0],
            ),
        ),
    ),
    "two conditions": Case(
        "bool",
        "def h(x):\n    if x > 0 and x < 9:\n        return x\n    else:\n        return -x\njaxnb.vmap(h)(jnp.ones(2))",
        (
            (
                "return jnp.where(jnp.logical_and(x > 0, x < 9), x, -x)",
                "def h(x):\n    return jnp.where(jnp.logical_and(x > 0, x < 9), x, -x)\njaxnb.vmap(h)(jnp.ones(2))",
                [1.0, 1.0],
            ),
            (
                "lax.cond(jnp.logical_and(x > 0, x < 9), if_true, if_false, operand)",
                "def h(x):\n    return lax.cond(jnp.logical_and(x > 0, x < 9), lambda x: x, lambda x: -x, x)\n"
                "jaxnb.vmap(h)(jnp.ones(2))",
                [1.0, 1.0],
            ),
        ),
    ),
    "a while": Case(
        "bool",
        "def h(x, n):\n    while x < n:\n        x = x * 2\n    return x\njaxnb.jit(h)(1., 5.)",
        (
            (
                "x = lax.while_loop(lambda x: x < n, lambda x: x * 2, x)",
                "def h(x, n):\n    x = lax.while_loop(lambda x: x < n, lambda x: x * 2, x)\n    return x\n"
                "jaxnb.jit(h)(1., 5.)",
                8.0,
            ),
            (
                'jaxnb.jit(h, static_argnames=("x", "n"))',
                "def h(x, n):\n    while x < n:\n        x = x * 2\n    return x\n"
                'jaxnb.jit(h, static_argnames=("x", "n"))(1., 5.)',
                8.0,
            ),
        ),
    ),
    "a while over two variables": Case(
        "bool",
        "def h(x, s):\n    while (x < 4).all():\n        x = x + 1\n        s = s + x\n    return s\n"
        "jaxnb.jit(h)(jnp.zeros(2), jnp.zeros(2))",
        (
            (
                "def condition(state):\n    x, s = state\n    return (x < 4).all()\n\n"
                "def body(state):\n    x, s = state\n    x = x + 1\n    s = s + x\n    return x, s\n\n"
                "x, s = lax.while_loop(condition, body, (x, s))",
                "def h(x, s):\n"
                "    def condition(state):\n        x, s = state\n        return (x < 4).all()\n"
                "    def body(state):\n        x, s = state\n        x = x + 1\n        s = s + x\n        return x, s\n"
                "    x, s = lax.while_loop(condition, body, (x, s))\n    return s\n"
                "jaxnb.jit(h)(jnp.zeros(2), jnp.zeros(2))",
                [10.0, 10.0],
            ),
        ),
    ),
    "an assertion": Case(
        "bool",
        "def h(x):\n    assert x > 0, 'no'\n    return x\njaxnb.vmap(h)(jnp.ones(2))",
        (
            (
                'jaxnb.debug.print("{}", x > 0)',
                'def h(x):\n    jaxnb.debug.print("{}", x > 0)\n    return x\njaxnb.vmap(h)(jnp.ones(2))',
                [1.0, 1.0],
            ),
        ),
    ),
    "a filtered list": Case(
        "bool",
        "jaxnb.vmap(lambda x: sum([i for i in range(3) if x > i]))(jnp.ones(2))",
        (
            (
                "[jnp.where(x > i, i, 0) for i in range(3)]",
                "jaxnb.vmap(lambda x: sum([jnp.where(x > i, i, 0) for i in range(3)]))(jnp.ones(2))",
                [0, 0],
            ),
        ),
    ),
    "or as a choice": Case(
        "bool",
        "jaxnb.vmap(lambda a: a or 3.0)(jnp.zeros(2))",
        (
            (
                "jnp.logical_or(a, 3.0)",
                "jaxnb.vmap(lambda a: jnp.logical_or(a, 3.0))(jnp.zeros(2))",
                [True, True],
            ),
            ("jnp.where(a, a, 3.0)", "jaxnb.vmap(lambda a: jnp.where(a, a, 3.0))(jnp.zeros(2))", [3.0, 3.0]),
        ),
    ),
    "a chain": Case(
        "bool",
        "jaxnb.vmap(lambda a: 0. < a < 2.)(jnp.ones(2))",
        (
            (
                "(0.0 < a) & (a < 2.0)",
                "jaxnb.vmap(lambda a: (0.0 < a) & (a < 2.0))(jnp.ones(2))",
                [True, True],
            ),
        ),
    ),
    "smallest of two": Case(
        "bool",
        "jaxnb.vmap(lambda a: min(a, 2.))(jnp.ones(2))",
        (("jnp.minimum(a, 2.0)", "jaxnb.vmap(lambda a: jnp.minimum(a, 2.0))(jnp.ones(2))", [1.0, 1.0]),),
    ),
    "largest of three": Case(
        "bool",
        "jaxnb.vmap(lambda a: max(a, 2., 3.))(jnp.ones(2))",
        (
            (
                "jnp.max(jnp.array([a, 2.0, 3.0]))",
                "jaxnb.vmap(lambda a: jnp.max(jnp.array([a, 2.0, 3.0])))(jnp.ones(2))",
                [3.0, 3.0],
            ),
        ),
    ),
    "sorted": Case(
        "bool",
        "jaxnb.vmap(lambda x: jnp.stack(sorted([x, 0.], reverse=True)))(jnp.ones(2))",
        (
            (
                "jnp.sort(jnp.array([x, 0.0]))[::-1]",
                "jaxnb.vmap(lambda x: jnp.sort(jnp.array([x, 0.0]))[::-1])(jnp.ones(2))",
                [[1.0, 0.0], [1.0, 0.0]],
            ),
        ),
    ),
    "in a list": Case(
        "bool",
        "jaxnb.vmap(lambda x: x in [1, 2])(jnp.arange(3))",
        (
            (
                "jnp.isin(x, jnp.array([1, 2]))",
                "jaxnb.vmap(lambda x: jnp.isin(x, jnp.array([1, 2])))(jnp.arange(3))",
                [False, True, True],
            ),
        ),
    ),
    "any of a generator": Case(
        "bool",
        "jaxnb.vmap(lambda x: any(x > i for i in (1, 2)))(jnp.arange(3))",
        (
            (
                "jnp.any(jnp.array([x > i for i in (1, 2)]))",
                "jaxnb.vmap(lambda x: jnp.any(jnp.array([x > i for i in (1, 2)])))(jnp.arange(3))",
                [False, False, True],
            ),
        ),
    ),
    "place in a list": Case(
        "bool",
        "jaxnb.vmap(lambda x: [5, 7].index(x))(jnp.array([7, 5]))",
        (
            (
                "jnp.argmax(jnp.array([5, 7]) == x)",
                "jaxnb.vmap(lambda x: jnp.argmax(jnp.array([5, 7]) == x))(jnp.array([7, 5]))",
                [1, 0],
            ),
        ),
    ),
    "many truth values": Case(
        "bool",
        "jaxnb.jit(lambda x: 1. if x > 0 else 2.)(jnp.ones(2))",
        (
            (
                "jnp.where(x > 0, 1.0, 2.0)",
                "jaxnb.jit(lambda x: jnp.where(x > 0, 1.0, 2.0))(jnp.ones(2))",
                [1.0, 1.0],
            ),
            (
                "lax.cond(jnp.all(x > 0), lambda: 1.0, lambda: 2.0)",
                "jaxnb.jit(lambda x: lax.cond(jnp.all(x > 0), lambda: 1.0, lambda: 2.0))(jnp.ones(2))",
                1.0,
            ),
        ),
    ),
    "in the body of a loop": Case(
        "bool",
        "@jaxnb.jit\ndef outer(x, n):\n    def body(c, _):\n        if c > n: c = c - 1\n        return c, None\n"
        "    y = jnp.sin(x) + 5\n    return lax.scan(body, y, None, length=3)[0]\nouter(0., 3.)",
        (
            (
                "c = jnp.where(c > n, c - 1, c)",
                "@jaxnb.jit\ndef outer(x, n):\n    def body(c, _):\n        c = jnp.where(c > n, c - 1, c)\n"
                "        return c, None\n"
                "    y = jnp.sin(x) + 5\n    return lax.scan(body, y, None, length=3)[0]\nouter(0., 3.)",
                3.0,
            ),
            (
                "lax.cond(c > n, if_true, if_false, operand)",
                "@jaxnb.jit\ndef outer(x, n):\n    def body(c, _):\n"
                "        return lax.cond(c > n, lambda c: c - 1, lambda c: c, c), None\n"
                "    y = jnp.sin(x) + 5\n    return lax.scan(body, y, None, length=3)[0]\nouter(0., 3.)",
                3.0,
            ),
        ),
    ),
    "a conversion": Case(
        "number",
        "jaxnb.jit(lambda x: float(x * 2) + 1)(1)",
        (
            ("(x * 2).astype(float)", "jaxnb.jit(lambda x: (x * 2).astype(float) + 1)(1)", 3.0),
            (
                'jaxnb.jit(<lambda>, static_argnames="x")',
                'jaxnb.jit(lambda x: float(x * 2) + 1, static_argnames="x")(1)',
                3.0,
            ),
        ),
    ),
    "a function of math": Case(
        "number",
        "import math\njaxnb.vmap(lambda x: math.sin(x))(jnp.zeros(2))",
        (("jnp.sin(x)", "jaxnb.vmap(lambda x: jnp.sin(x))(jnp.zeros(2))", [0.0, 0.0]),),
    ),
    "and with a value": Case(
        "bool",
        "jaxnb.vmap(lambda x: x > 0 and x)(jnp.ones(2))",
        (
            (
                "jnp.logical_and(x > 0, x)",
                "jaxnb.vmap(lambda x: jnp.logical_and(x > 0, x))(jnp.ones(2))",
                [True, True],
            ),
            (
                "jnp.where(x > 0, x, x > 0)",
                "jaxnb.vmap(lambda x: jnp.where(x > 0, x, x > 0))(jnp.ones(2))",
                [1.0, 1.0],
            ),
        ),
    ),
    "an item": Case(
        "number",
        "jaxnb.jit(lambda x: x.sum().item() + 1)(jnp.ones(2))",
        (("x.sum()", "jaxnb.jit(lambda x: x.sum() + 1)(jnp.ones(2))", 3.0),),
    ),
    "a number of shapes": Case(
        "number",
        "jaxnb.jit(lambda x: jnp.ones(int(jnp.log2(x.shape[0]))))(jnp.ones(8))",
        (
            (
                "jnp.log2(x.shape[0]).astype(int)",
                "jaxnb.jit(lambda x: jnp.log2(x.shape[0]).astype(int))(jnp.ones(8))",
                3,
            ),
            (
                "int(np.log2(x.shape[0]))",
                "jaxnb.jit(lambda x: jnp.ones(int(np.log2(x.shape[0]))))(jnp.ones(8))",
                [1.0, 1.0, 1.0],
            ),
        ),
    ),
    "a size": Case(
        "shape",
        "jaxnb.jit(lambda n: jnp.arange(n))(3)",
        (
            (
                'jaxnb.jit(<lambda>, static_argnames="n")',
                'jaxnb.jit(lambda n: jnp.arange(n), static_argnames="n")(3)',
                [0, 1, 2],
            ),
            (
                "jnp.where(jnp.arange(most) < n, jnp.arange(most), 0)",
                "most = 5\njaxnb.jit(lambda n: jnp.where(jnp.arange(most) < n, jnp.arange(most), 0))(3)",
                [0, 1, 2, 0, 0],
            ),
        ),
    ),
    "a size of shapes": Case(
        "shape",
        "jaxnb.jit(lambda x: x.reshape((jnp.prod(jnp.array(x.shape)),)))(jnp.ones((2, 2)))",
        (
            (
                "np.prod(x.shape)",
                "jaxnb.jit(lambda x: x.reshape((np.prod(x.shape),)))(jnp.ones((2, 2)))",
                [1.0, 1.0, 1.0, 1.0],
            ),
        ),
    ),
    "a mask": Case(
        "mask",
        "jaxnb.jit(lambda x: x[x > 1])(jnp.arange(3))",
        (
            (
                "jnp.where(x > 1, x, 0)",
                "jaxnb.jit(lambda x: jnp.where(x > 1, x, 0))(jnp.arange(3))",
                [0, 0, 2],
            ),
            ("jnp.sum(x, where=x > 1)", "jaxnb.jit(lambda x: jnp.sum(x, where=x > 1))(jnp.arange(3))", 2),
        ),
    ),
    "an update under a mask": Case(
        "mask",
        "jaxnb.jit(lambda x: x.at[x > 1].add(x[x > 1] * 2))(jnp.arange(3))",
        (
            (
                "jnp.where(x > 1, x, 0)",
                "jaxnb.jit(lambda x: jnp.where(x > 1, x, 0))(jnp.arange(3))",
                [0, 0, 2],
            ),
            ("jnp.sum(x, where=x > 1)", "jaxnb.jit(lambda x: jnp.sum(x, where=x > 1))(jnp.arange(3))", 2),
        ),
    ),
    "an update with a number": Case(
        "mask",
        "jaxnb.jit(lambda x: x.at[x > 1].add(5 - 1))(jnp.arange(3))",
        (
            (
                "jnp.where(x > 1, x + (5 - 1), x)",
                "jaxnb.jit(lambda x: jnp.where(x > 1, x + (5 - 1), x))(jnp.arange(3))",
                [0, 1, 6],
            ),
        ),
    ),
    "nonzero": Case(
        "mask",
        "jaxnb.jit(lambda x: jnp.nonzero(x > 0)[0])(jnp.arange(3))",
        (
            (
                "jnp.nonzero(x > 0, size=n, fill_value=0)",
                "n = 2\njaxnb.jit(lambda x: jnp.nonzero(x > 0, size=n, fill_value=0)[0])(jnp.arange(3))",
                [1, 2],
            ),
        ),
    ),
    "NumPy": Case(
        "numpy",
        "jaxnb.vmap(lambda x: np.sin(x))(jnp.zeros(2))",
        (
            ("jnp.sin(x)", "jaxnb.vmap(lambda x: jnp.sin(x))(jnp.zeros(2))", [0.0, 0.0]),
            (
                "jaxnb.pure_callback(lambda x: np.asarray(np.sin(x), x.dtype), "
                "jaxnb.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)), x)",
                "jaxnb.jit(lambda x: jaxnb.pure_callback(lambda x: np.asarray(np.sin(x), x.dtype), "
                "jaxnb.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)), x))(jnp.zeros(2))",
                [0.0, 0.0],
            ),
        ),
    ),
    "an index of a list": Case(
        "index",
        "jaxnb.vmap(lambda i: [5, 6, 7][i])(jnp.arange(2))",
        (
            (
                "jnp.asarray([5, 6, 7])[i]",
                "jaxnb.vmap(lambda i: jnp.asarray([5, 6, 7])[i])(jnp.arange(2))",
                [5, 6],
            ),
        ),
    ),
    "a range": Case(
        "index",
        "def h(n, x):\n    for i in range(1, n):\n        x = x + i\n    return x\njaxnb.jit(h)(3, 1.)",
        (
            (
                "lax.fori_loop(1, n, body, start)",
                "def h(n, x):\n    return lax.fori_loop(1, n, lambda i, x: x + i, x)\njaxnb.jit(h)(3, 1.)",
                4.0,
            ),
            (
                'jaxnb.jit(h, static_argnames="n")',
                "def h(n, x):\n    for i in range(1, n):\n        x = x + i\n    return x\n"
                'jaxnb.jit(h, static_argnames="n")(3, 1.)',
                4.0,
            ),
        ),
    ),
    "a text": Case(
        "text",
        "def h(x):\n    print(f'x is {x:.2f}')\n    return x\njaxnb.vmap(h)(jnp.ones(1))",
        (
            (
                'jaxnb.debug.print("x is {:.2f}", x)',
                'def h(x):\n    jaxnb.debug.print("x is {:.2f}", x)\n    return x\njaxnb.vmap(h)(jnp.ones(1))',
                [1.0],
            ),
        ),
    ),
    "a text with %": Case(
        "number",
        "def h(x):\n    print('x is %.2f' % x)\n    return x\njaxnb.vmap(h)(jnp.ones(1))",
        (
            (
                'jaxnb.debug.print("x is {:.2f}", x)',
                'def h(x):\n    jaxnb.debug.print("x is {:.2f}", x)\n    return x\njaxnb.vmap(h)(jnp.ones(1))',
                [1.0],
            ),
        ),
    ),
    "a key of a dict": Case(
        "hash",
        "jaxnb.vmap(lambda x: {0: 5, 1: 6}[x])(jnp.arange(2))",
        (
            (
                "jnp.select([x == key for key in ({0: 5, 1: 6})], list(({0: 5, 1: 6}).values()))",
                "jaxnb.vmap(lambda x: jnp.select([x == key for key in ({0: 5, 1: 6})], list(({0: 5, 1: 6}).values())))"
                "(jnp.arange(2))",
                [5, 6],
            ),
        ),
    ),
    "an assignment": Case(
        "assignment",
        "def h(x):\n    x[0] += 5\n    return x\njaxnb.jit(h)(jnp.ones(2))",
        (
            (
                "x = x.at[0].add(5)",
                "def h(x):\n    x = x.at[0].add(5)\n    return x\njaxnb.jit(h)(jnp.ones(2))",
                [6.0, 1.0],
            ),
        ),
    ),
    "a name that nothing has": Case(
        "attribute",
        "jaxnb.jit(lambda x: x.at[0].set(1).foo)(jnp.ones(3))",
        (("dir(x.at[0].set(1))", "jaxnb.jit(lambda x: 'sum' in dir(x.at[0].set(1)))(jnp.ones(3))", True),),
    ),
    "a name that is wrong": Case(
        "attribute",
        "jaxnb.jit(lambda x: (x * 2).sun())(jnp.ones(3))",
        (("(x * 2).sum", "jaxnb.jit(lambda x: (x * 2).sum())(jnp.ones(3))", 6.0),),
    ),
    "what only arrays have": Case(
        "attribute",
        "jaxnb.jit(lambda x: (x * 2).is_fully_replicated)(jnp.ones(3))",
        (
            (
                "(x * 2).shape, (x * 2).dtype",
                "jaxnb.jit(lambda x: jnp.zeros((x * 2).shape, (x * 2).dtype))(jnp.ones(3))",
                [0.0, 0.0, 0.0],
            ),
        ),
    ),
}
