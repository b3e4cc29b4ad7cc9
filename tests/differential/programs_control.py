"""Programs of branches, loops, scans and maps: traced, lowered, differentiated, mapped and run."""

from __future__ import annotations

from tests.differential.program import Program

ALL = ("jaxpr", "stablehlo", "value")
F0 = "np.float32(2.)"
V3 = "np.arange(3, dtype=np.float32)"
W3 = "np.arange(1, 4, dtype=np.float32)"
M34 = "np.arange(12, dtype=np.float32).reshape(3, 4)"

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, *args: str, wants: tuple[str, ...] = ALL, **config: object) -> None:
    PROGRAMS.append(Program(name, fun, f"({', '.join(args)},)" if args else "()", wants, config))


# ---- branches

_add("cond", "lambda p, x: lax.cond(p, lambda y: lax.sin(y), lambda y: lax.neg(y), x)", "True", F0)
_add(
    "cond-closures", "lambda p, x, z: lax.cond(p, lambda: lax.sin(x), lambda: lax.mul(z, x))", "True", F0, F0
)
_add(
    "cond-closures-shared",
    "lambda p, x, z: lax.cond(p, lambda y: lax.mul(z, y), lambda y: lax.mul(z, lax.add(x, y)), x)",
    "True",
    F0,
    F0,
)
_add(
    "cond-int-predicate", "lambda p, x: lax.cond(p, lambda y: (y, 1), lambda y: (lax.neg(y), 2), x)", "3", F0
)
_add("cond-float-predicate", "lambda p, x: lax.cond(p, lax.sin, lax.cos, x)", "0.5", F0)
_add("cond-same-function", "lambda p, x: lax.cond(p, lax.sin, lax.sin, x)", "True", F0)
_add("cond-weak", "lambda p, x: lax.cond(p, lambda y: lax.mul(y, 2.), lambda y: 1., x)", "True", "2.")
_add("cond-weak-and-strong", "lambda p, x: lax.cond(p, lambda y: y, lambda y: 1., x)", "True", F0)
_add(
    "cond-trees",
    "lambda p, x: lax.cond(p, lambda d: {'a': d['b'], 'b': lax.sin(d['a'])}, lambda d: d, {'a': x, 'b': x})",
    "True",
    F0,
)
_add(
    "cond-several-operands",
    "lambda p, x, y: lax.cond(p, lambda a, b: lax.add(a, b), lambda a, b: lax.sub(a, b), x, y)",
    "True",
    F0,
    F0,
)
_add("cond-no-operands", "lambda p: lax.cond(p, lambda: 1., lambda: 2.)", "True")
_add("cond-constants", "lambda p: lax.cond(p, lambda: np.arange(3.), lambda: np.ones(3))", "True")
_add("cond-constant-predicate", "lambda x: lax.cond(True, lax.sin, lax.cos, x)", F0)
_add(
    "cond-unused-result",
    "lambda p, x: lax.cond(p, lambda y: (lax.sin(y), lax.cos(y)), lambda y: (y, y), x)[0]",
    "True",
    F0,
)
_add(
    "cond-forwarded",
    "lambda p, x, z: lax.cond(p, lambda y: (y, z), lambda y: (y, lax.sin(y)), x)",
    "True",
    F0,
    F0,
)
_add(
    "cond-nested",
    "lambda p, q, x: lax.cond(p, lambda y: lax.cond(q, lax.sin, lax.cos, y), lambda y: y, x)",
    "True",
    "False",
    F0,
)
_add("switch", "lambda i, x: lax.switch(i, [lax.sin, lax.cos, lambda y: lax.mul(y, y)], x)", "1", F0)
_add("switch-one", "lambda i, x: lax.switch(i, [lax.sin], x)", "1", F0)
_add("switch-two", "lambda i, x: lax.switch(i, [lax.sin, lax.cos], x)", "np.int8(1)", F0)
_add("switch-uint", "lambda i, x: lax.switch(i, [lax.sin, lax.cos], x)", "np.uint32(7)", F0)
_add("switch-constant", "lambda x: lax.switch(1, [lax.sin, lax.cos], x)", F0)
_add(
    "switch-closures",
    "lambda i, x, y: lax.switch(i, [lambda: x, lambda: y, lambda: lax.mul(x, y)])",
    "1",
    F0,
    F0,
)
for name, fun in {
    "cond": "lambda p, x: lax.cond(p, lambda y: lax.mul(lax.sin(y), y), lambda y: lax.neg(y), x)",
    "cond-closure": "lambda p, x: lax.cond(p, lambda: lax.mul(lax.sin(x), x), lambda: lax.neg(x))",
    "cond-residuals": "lambda p, x: lax.cond(p, lambda y: lax.exp(lax.sin(y)), lambda y: lax.mul(lax.cos(y), lax.tanh(y)), x)",
    "cond-zero": "lambda p, x: lax.cond(p, lambda y: lax.sin(y), lambda y: np.float32(1), x)",
    "switch": "lambda i, x: lax.switch(i, [lax.sin, lax.cos, lambda y: lax.mul(y, y)], x)",
}.items():
    flag = "True" if "switch" not in name else "1"
    _add(f"{name}-jvp", f"lambda p, x, t: jax.jvp(lambda x: ({fun})(p, x), (x,), (t,))", flag, F0, F0)
    _add(f"{name}-grad", f"jax.grad({fun}, 1)", flag, F0)
    _add(f"{name}-grad-jit", f"jax.grad(jax.jit({fun}), 1)", flag, F0)
    _add(f"{name}-grad-grad", f"jax.grad(jax.grad({fun}, 1), 1)", flag, F0)
    _add(f"{name}-vmap-operand", f"jax.vmap({fun}, in_axes=(None, 0))", flag, V3)
    _add(
        f"{name}-vmap-predicate",
        f"jax.vmap({fun}, in_axes=(0, None))",
        "np.array([True, False, True])" if flag == "True" else "np.arange(3)",
        F0,
    )
    _add(
        f"{name}-vmap-both",
        f"jax.vmap({fun})",
        "np.array([True, False, True])" if flag == "True" else "np.arange(3)",
        V3,
    )
    _add(
        f"{name}-vmap-grad",
        f"jax.vmap(jax.grad({fun}, 1))",
        "np.array([True, False, True])" if flag == "True" else "np.arange(3)",
        V3,
    )
    _add(f"{name}-vmap-grad-operand", f"jax.vmap(jax.grad({fun}, 1), in_axes=(None, 0))", flag, V3)
_add(
    "cond-grad-matrix",
    "jax.grad(lambda x, p: lax.reduce_sum(lax.cond(p, lambda y: lax.mul(y, y), lambda y: y, x), (0, 1)))",
    M34,
    "True",
)
_add("cond-not-callable", "lambda p, x: lax.cond(p, 1, 2, x)", "True", F0)
_add("cond-structures-differ", "lambda p, x: lax.cond(p, lambda y: (y, y), lambda y: y, x)", "True", F0)
_add("cond-types-differ", "lambda p, x: lax.cond(p, lambda y: y, lambda y: 1, x)", "True", F0)
_add(
    "cond-shapes-differ",
    "lambda p, x: lax.cond(p, lambda y: y, lambda y: lax.broadcast(y, (2,)), x)",
    "True",
    F0,
)
_add("cond-predicate-vector", "lambda p, x: lax.cond(p, lax.sin, lax.cos, x)", "np.array([True])", F0)
_add("cond-predicate-none", "lambda x: lax.cond(None, lax.sin, lax.cos, x)", F0)
_add("cond-predicate-string", "lambda x: lax.cond('a', lax.sin, lax.cos, x)", F0)
_add("switch-float-index", "lambda i, x: lax.switch(i, [lax.sin, lax.cos], x)", "1.5", F0)
_add("switch-vector-index", "lambda i, x: lax.switch(i, [lax.sin, lax.cos], x)", "np.arange(2)", F0)
_add("switch-no-branches", "lambda i, x: lax.switch(i, [], x)", "1", F0)
_add("switch-types-differ", "lambda i, x: lax.switch(i, [lambda y: y, lambda y: y, lambda y: 1], x)", "1", F0)
_add("platform-dependent", "lambda x: lax.platform_dependent(x, cpu=lax.sin, default=lax.cos)", F0)

# ---- while loops

WHILE = (
    "lambda x: lax.while_loop(lambda c: lax.lt(c, np.float32(10)), lambda c: lax.mul(c, np.float32(2)), x)"
)
WHILE_TWO = "lambda x, z: lax.while_loop(lambda c: lax.lt(c[0], 5), lambda c: (lax.add(c[0], 1), lax.mul(lax.sin(c[1]), z)), (0, x))"
_add("while", WHILE, F0)
_add(
    "while-closures",
    "lambda x, z: lax.while_loop(lambda c: lax.lt(c, z), lambda c: lax.add(c, x), x)",
    F0,
    "np.float32(9)",
)
_add("while-two", WHILE_TWO, F0, F0)
_add(
    "while-passed-through",
    "lambda x: lax.while_loop(lambda c: lax.lt(c[0], 5), lambda c: (lax.add(c[0], 1), c[1]), (0, x))",
    F0,
)
_add(
    "while-dict",
    "lambda x: lax.while_loop(lambda c: lax.lt(c['i'], 5), lambda c: {'i': lax.add(c['i'], 1), 'x': lax.sin(c['x'])}, {'i': 0, 'x': x})",
    F0,
)
_add(
    "while-constants",
    "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: lax.add(c, lax.reduce_sum(np.ones(3, np.float32), (0,))), x)",
    F0,
)
_add("while-weak", "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: lax.add(c, 1.), x)", "1.")
_add(
    "while-weak-becomes-strong",
    "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: lax.add(c, np.float32(1)), 1.)",
    F0,
)
_add(
    "while-weak-becomes-strong-tree",
    "lambda x: lax.while_loop(lambda c: lax.lt(c[0], 5), lambda c: (lax.add(c[0], 1), lax.add(c[1], x)), (0, 1.))",
    F0,
)
_add("while-strong-init-weak-body", "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: 6., x)", F0)
_add(
    "while-unused",
    "lambda x: lax.while_loop(lambda c: lax.lt(c[0], 5), lambda c: (lax.add(c[0], 1), lax.sin(c[1])), (0, x))[0]",
    F0,
)
_add(
    "while-array",
    "lambda x: lax.while_loop(lambda c: lax.lt(lax.reduce_sum(c, (0,)), np.float32(50)), lambda c: lax.mul(c, np.float32(2)), x)",
    V3,
)
_add(
    "while-nested",
    "lambda x: lax.while_loop(lambda c: lax.lt(c, 50.), lambda c: lax.while_loop(lambda d: lax.lt(d, lax.mul(c, 2.)), lambda d: lax.add(d, 1.), c), x)",
    F0,
)
_add(
    "while-cond-inside",
    "lambda x: lax.while_loop(lambda c: lax.lt(c, 50.), lambda c: lax.cond(lax.lt(c, 5.), lambda y: lax.mul(y, 2.), lambda y: lax.add(y, 7.), c), x)",
    F0,
)
_add("while-jvp", f"lambda x, t: jax.jvp({WHILE}, (x,), (t,))", F0, F0)
_add("while-two-jvp", f"lambda x, t: jax.jvp(lambda x: ({WHILE_TWO})(x, x), (x,), (t,))", F0, F0)
_add("while-two-jvp-constant", f"lambda x, t: jax.jvp(lambda z: ({WHILE_TWO})(x, z), (x,), (t,))", F0, F0)
_add("while-two-linearize", f"lambda x, t: jax.linearize(lambda x: ({WHILE_TWO})(x, x), x)[1](t)", F0, F0)
_add("while-grad", f"jax.grad({WHILE})", F0)
_add(
    "while-grad-unrelated",
    "jax.grad(lambda x: lax.mul(lax.while_loop(lambda c: lax.lt(c, 5), lambda c: lax.add(c, 1), 0).astype(np.float32), x))",
    F0,
    wants=("value",),
)
_add("while-vmap", f"jax.vmap({WHILE})", W3)
_add("while-two-vmap-carry", f"jax.vmap({WHILE_TWO}, in_axes=(0, None))", V3, F0)
_add("while-two-vmap-constant", f"jax.vmap({WHILE_TWO}, in_axes=(None, 0))", F0, V3)
_add("while-two-vmap-both", f"jax.vmap({WHILE_TWO})", V3, V3)
_add(
    "while-array-vmap",
    "jax.vmap(lambda x: lax.while_loop(lambda c: lax.lt(lax.reduce_sum(c, (0,)), np.float32(50)), lambda c: lax.mul(c, np.float32(2)), x), in_axes=1)",
    "np.ones((3, 4), np.float32)",
)
_add("while-vmap-vmap", f"jax.vmap(jax.vmap({WHILE}))", "np.ones((3, 4), np.float32)")
_add(
    "while-closures-vmap",
    "jax.vmap(lambda x, z: lax.while_loop(lambda c: lax.lt(c, z), lambda c: lax.add(c, np.float32(1)), x), in_axes=(None, 0))",
    F0,
    V3,
)
_add("while-vmap-jvp", f"jax.vmap(lambda x, t: jax.jvp({WHILE}, (x,), (t,)))", W3, W3)
_add("while-wrong-structure", "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: (c, c), x)", F0)
_add(
    "while-wrong-type",
    "lambda x: lax.while_loop(lambda c: lax.lt(c, 5.), lambda c: lax.broadcast(c, (2,)), x)",
    F0,
)
_add("while-wrong-dtype", "lambda x: lax.while_loop(lambda c: True, lambda c: (c[0], 1), (x, x))", F0)
_add("while-predicate-float", "lambda x: lax.while_loop(lambda c: c, lambda c: c, x)", F0)
_add("while-predicate-vector", "lambda x: lax.while_loop(lambda c: lax.lt(c, c), lambda c: c, x)", V3)
_add("while-predicate-tree", "lambda x: lax.while_loop(lambda c: (True, True), lambda c: c, x)", F0)
_add("while-not-callable", "lambda x: lax.while_loop(1, 2, x)", F0)
_add("fori", "lambda x: lax.fori_loop(0, 10, lambda i, c: lax.mul(c, x), x)", F0)
_add(
    "fori-index",
    "lambda x: lax.fori_loop(2, 5, lambda i, c: lax.mul(c, lax.convert_element_type(i, np.float32)), x)",
    F0,
)
_add("fori-run-time", "lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x)", "5", F0)
_add(
    "fori-run-time-types",
    "lambda n, x: lax.fori_loop(np.int8(0), n, lambda i, c: lax.mul(c, x), x)",
    "np.int8(5)",
    F0,
)
_add(
    "fori-types-differ",
    "lambda n, x: lax.fori_loop(np.int8(0), n, lambda i, c: lax.mul(c, x), x)",
    "np.int16(5)",
    F0,
)
_add("fori-float-bounds", "lambda x: lax.fori_loop(0., 3, lambda i, c: lax.mul(c, x), x)", F0)
_add(
    "fori-numpy-bounds",
    "lambda x: lax.fori_loop(np.int32(0), np.int32(3), lambda i, c: lax.mul(c, x), x)",
    F0,
)
_add("fori-unroll", "lambda x: lax.fori_loop(0, 4, lambda i, c: lax.mul(c, x), x, unroll=2)", F0)
_add("fori-unroll-uneven", "lambda x: lax.fori_loop(0, 5, lambda i, c: lax.mul(c, x), x, unroll=2)", F0)
_add("fori-unroll-all", "lambda x: lax.fori_loop(0, 4, lambda i, c: lax.mul(c, x), x, unroll=True)", F0)
_add(
    "fori-unroll-run-time",
    "lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x, unroll=2)",
    "4",
    F0,
)
_add("fori-none", "lambda x: lax.fori_loop(0, 0, lambda i, c: lax.mul(c, x), x)", F0)
_add("fori-negative", "lambda x: lax.fori_loop(3, 0, lambda i, c: lax.mul(c, x), x)", F0)
_add("fori-grad", "jax.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: lax.mul(lax.sin(c), x), x))", F0)
_add(
    "fori-run-time-grad", "jax.grad(lambda x, n: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x))", F0, "3"
)
_add(
    "fori-run-time-jvp",
    "lambda x, n, t: jax.jvp(lambda x: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x), (x,), (t,))",
    F0,
    "3",
    F0,
)
_add("fori-vmap", "jax.vmap(lambda x: lax.fori_loop(0, 3, lambda i, c: lax.mul(c, x), x))", V3)
_add(
    "fori-run-time-vmap",
    "jax.vmap(lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x))",
    "np.arange(3, dtype=np.int32)",
    V3,
)
_add(
    "fori-run-time-vmap-carry",
    "jax.vmap(lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.mul(c, x), x), in_axes=(None, 0))",
    "3",
    V3,
)

# ---- scans

SCAN = "lambda x, v: lax.scan(lambda c, a: (lax.mul(lax.sin(c), a), lax.add(c, a)), x, v)"
_add("scan-x64", "lambda v: lax.scan(lambda c, a: (c + a, a), 0.0, v)", "np.ones(3)", jax_enable_x64=True)
_add(
    "scan-x64-rows", "lambda v: lax.scan(lambda c, a: (c + a, a), np.zeros(2), v, reverse=True)", "np.ones((3, 2))",
    jax_enable_x64=True,
)  # fmt: skip
_add("scan", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), lax.mul(c, a)), x, v)", F0, V3)
_add("scan-no-xs", "lambda x: lax.scan(lambda c, a: (lax.sin(c), c), x, None, length=4)", F0)
_add("scan-length", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), None), x, v, length=3)", F0, V3)
_add("scan-length-only", "lambda x: lax.scan(lambda c, a: (lax.sin(c), None), x, length=3)", F0)
_add("scan-reverse", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, reverse=True)", F0, V3)
_add(
    "scan-reverse-unroll",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, reverse=True, unroll=2)",
    F0,
    V3,
)
_add(
    "scan-unroll",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=2)",
    F0,
    "np.ones(6, np.float32)",
)
_add(
    "scan-unroll-uneven",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=2)",
    F0,
    "np.ones((5, 2), np.float32)[:, 0]",
)
_add("scan-unroll-exact", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=3)", F0, V3)
_add("scan-unroll-beyond", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=7)", F0, V3)
_add("scan-unroll-all", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=True)", F0, V3)
_add(
    "scan-unroll-false", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=False)", F0, V3
)
_add(
    "scan-unroll-all-reverse",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v, unroll=True, reverse=True)",
    F0,
    V3,
)
_add(
    "scan-empty",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v)",
    F0,
    "np.zeros(0, np.float32)",
)
_add("scan-one", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), c), x, v)", F0, "np.ones(1, np.float32)")
_add(
    "scan-closure",
    "lambda x, z, v: lax.scan(lambda c, a: (lax.add(c, lax.mul(z, a)), None), x, v)",
    F0,
    F0,
    V3,
)
_add(
    "scan-constant",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, lax.reduce_sum(lax.mul(a, np.arange(2, dtype=np.float32)), (0,))), None), x, v)",
    F0,
    "np.ones((3, 2), np.float32)",
)
_add(
    "scan-trees",
    "lambda x, v: lax.scan(lambda c, a: ({'a': lax.add(c['a'], a[0]), 'b': lax.sin(c['b'])}, (c['a'], {'z': lax.cos(a[1])})), {'a': x, 'b': x}, (v, v))",
    F0,
    V3,
)
_add(
    "scan-passed-through",
    "lambda x, v: lax.scan(lambda c, a: ((lax.add(c[0], a), c[1]), lax.mul(c[1], a)), (x, x), v)",
    F0,
    V3,
)
_add("scan-carry-is-constant", "lambda x, v: lax.scan(lambda c, a: (c, a), (x,), v)", F0, V3)
_add("scan-xs-returned", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), ((a, c), a)), x, v)", F0, V3)
_add(
    "scan-carry-swapped",
    "lambda x, y: lax.scan(lambda c, _: ((c[1], c[0]), c[0]), (x, y), None, length=3)",
    F0,
    "np.float32(3)",
)
_add(
    "scan-same-result-twice",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), (s := lax.sin(c), s, c, c)), x, v)",
    F0,
    V3,
)
_add("scan-constant-result", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), 1.), x, v)", F0, V3)
_add("scan-closure-result", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), x), x, v)", F0, V3)
_add("scan-carry-from-closure", "lambda x, v: lax.scan(lambda c, a: (x, a), x, v)", F0, V3)
_add("scan-no-carry", "lambda v: lax.scan(lambda c, a: (None, lax.sin(a)), None, v)", V3)
_add("scan-weak", "lambda v: lax.scan(lambda c, a: (lax.add(c, a), c), 0., v)", V3)
_add("scan-weak-stays", "lambda: lax.scan(lambda c, a: (lax.add(c, 1), c), 0, None, length=3)")
_add(
    "scan-matrix",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), lax.mul(c, a)), x, v)",
    "np.ones(4, np.float32)",
    M34,
)
_add(
    "scan-matrix-reverse-unroll",
    "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), lax.mul(c, a)), x, v, reverse=True, unroll=2)",
    "np.ones(4, np.float32)",
    M34,
)
_add(
    "scan-nested",
    "lambda x, m: lax.scan(lambda c, r: lax.scan(lambda d, a: (lax.add(d, a), d), c, r), x, m)",
    F0,
    M34,
)
_add(
    "scan-cond-inside",
    "lambda x, v: lax.scan(lambda c, a: (lax.cond(lax.lt(a, 1.), lax.sin, lax.cos, c), c), x, v)",
    F0,
    V3,
)
_add(
    "scan-jit-inside",
    "lambda x, v: lax.scan(lambda c, a: (jax.jit(lambda q: lax.sin(q))(c), c), x, v)",
    F0,
    V3,
)
_add("scan-jitted-body", "lambda x, v: lax.scan(jax.jit(lambda c, a: (lax.add(c, a), c)), x, v)", F0, V3)
_add("scan-unused-ys", "lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), lax.sin(c)), x, v)[0]", F0, V3)
_add(
    "scan-unused-carry",
    "lambda x, v: lax.scan(lambda c, a: ((lax.add(c[0], a), lax.sin(c[1])), c[0]), (x, x), v)[1]",
    F0,
    V3,
)
_add(
    "scan-bool-int",
    "lambda v: lax.scan(lambda c, a: (lax.bitwise_xor(c, lax.gt(a, 1)), lax.add(a, 1)), False, v)",
    "np.arange(3, dtype=np.int32)",
)
_add("scan-jvp", f"lambda x, v, s, t: jax.jvp({SCAN}, (x, v), (s, t))", F0, V3, F0, V3)
_add("scan-jvp-carry", f"lambda x, v, s: jax.jvp(lambda x: ({SCAN})(x, v), (x,), (s,))", F0, V3, F0)
_add("scan-jvp-xs", f"lambda x, v, s: jax.jvp(lambda v: ({SCAN})(x, v), (v,), (s,))", F0, V3, V3)
_add(
    "scan-jvp-closure",
    "lambda x, v, s: jax.jvp(lambda z: lax.scan(lambda c, a: (lax.mul(lax.sin(c), z), lax.add(c, a)), x, v), (x,), (s,))",
    F0,
    V3,
    F0,
)
_add("scan-grad-carry", f"jax.grad(lambda x, v: ({SCAN})(x, v)[0])", F0, V3)
_add("scan-grad-both", f"jax.grad(lambda x, v: lax.reduce_sum(({SCAN})(x, v)[1], (0,)), (0, 1))", F0, V3)
_add(
    "scan-grad-closure",
    "jax.grad(lambda z, x, v: lax.scan(lambda c, a: (lax.mul(lax.sin(c), z), lax.add(c, a)), x, v)[0])",
    F0,
    F0,
    V3,
)
_add(
    "scan-grad-closure-matrix",
    "jax.grad(lambda w, x, v: lax.reduce_sum(lax.scan(lambda c, a: (lax.tanh(lax.add(lax.dot(w, c), a)), None), x, v)[0], (0,)))",
    "np.ones((4, 4), np.float32)",
    "np.ones(4, np.float32)",
    M34,
)
_add(
    "scan-grad-reverse",
    "jax.grad(lambda x, v: lax.scan(lambda c, a: (lax.mul(lax.sin(c), a), None), x, v, reverse=True)[0], (0, 1))",
    F0,
    V3,
)
_add(
    "scan-grad-unroll",
    "jax.grad(lambda x, v: lax.scan(lambda c, a: (lax.mul(lax.sin(c), a), None), x, v, unroll=2)[0], (0, 1))",
    F0,
    V3,
)
_add(
    "scan-grad-hoisted",
    "jax.grad(lambda z, x, v: lax.scan(lambda c, a: (lax.mul(c, lax.sin(z)), lax.add(c, a)), x, v)[0])",
    F0,
    F0,
    V3,
)
_add(
    "scan-grad-linear",
    "jax.grad(lambda x, v: lax.scan(lambda c, a: (lax.add(c, a), None), x, v)[0], (0, 1))",
    F0,
    V3,
)
_add("scan-grad-jit", f"jax.grad(jax.jit(lambda x, v: ({SCAN})(x, v)[0]))", F0, V3)
_add("scan-grad-grad", f"jax.grad(jax.grad(lambda x, v: ({SCAN})(x, v)[0]))", F0, V3)
_add(
    "scan-grad-int-carry",
    "jax.grad(lambda x, v: lax.scan(lambda c, a: ((lax.add(c[0], 1), lax.mul(lax.sin(c[1]), a)), c[0]), (0, x), v)[0][1])",
    F0,
    V3,
)
_add("scan-linearize", f"lambda x, v, s: jax.linearize(lambda x: ({SCAN})(x, v), x)[1](s)", F0, V3, F0)
_add("scan-vjp", f"lambda x, v: jax.vjp({SCAN}, x, v)[1]((x, v))", F0, V3)
_add("scan-vmap", f"jax.vmap({SCAN})", V3, M34)
_add("scan-vmap-carry", f"jax.vmap({SCAN}, in_axes=(0, None))", V3, V3)
_add("scan-vmap-xs", f"jax.vmap({SCAN}, in_axes=(None, 0))", F0, M34)
_add("scan-vmap-xs-1", f"jax.vmap({SCAN}, in_axes=(None, 1))", F0, M34)
_add(
    "scan-vmap-closure",
    "jax.vmap(lambda z, x, v: lax.scan(lambda c, a: (lax.mul(c, z), lax.add(c, a)), x, v), in_axes=(0, None, None))",
    V3,
    F0,
    V3,
)
_add("scan-vmap-out-axes", f"jax.vmap({SCAN}, out_axes=(0, 1))", V3, M34)
_add("scan-vmap-grad", f"jax.vmap(jax.grad(lambda x, v: ({SCAN})(x, v)[0]))", V3, M34)
_add(
    "scan-vmap-vmap",
    f"jax.vmap(jax.vmap({SCAN}))",
    "np.ones((2, 3), np.float32)",
    "np.ones((2, 3, 4), np.float32)",
)
_add("scan-grad-vmap", f"jax.grad(lambda x, v: lax.reduce_sum(jax.vmap({SCAN})(x, v)[0], (0,)))", V3, M34)
_add(
    "scan-nested-grad",
    "jax.grad(lambda x, m: lax.scan(lambda c, r: lax.scan(lambda d, a: (lax.mul(lax.sin(d), a), d), c, r), x, m)[0])",
    F0,
    M34,
)
_add(
    "scan-cond-grad",
    "jax.grad(lambda x, v: lax.scan(lambda c, a: (lax.cond(lax.lt(a, 1.), lax.sin, lambda y: lax.mul(y, y), c), c), x, v)[0])",
    F0,
    V3,
)
_add("scan-wrong-structure", "lambda x, v: lax.scan(lambda c, a: ((c, c), a), x, v)", F0, V3)
_add("scan-wrong-shape", "lambda x, v: lax.scan(lambda c, a: (lax.broadcast(c, (2,)), a), x, v)", F0, V3)
_add(
    "scan-wrong-dtype",
    "lambda x, v: lax.scan(lambda c, a: (lax.convert_element_type(c, np.int32), a), x, v)",
    F0,
    V3,
)
_add(
    "scan-wrong-dtype-tree",
    "lambda x, v: lax.scan(lambda c, a: ({'a': lax.gt(c['a'], a), 'b': lax.broadcast(a, (2,))}, a), {'a': x, 'b': x}, v)",
    F0,
    V3,
)
_add("scan-not-a-pair", "lambda x, v: lax.scan(lambda c, a: c, x, v)", F0, V3)
_add("scan-three-results", "lambda x, v: lax.scan(lambda c, a: (c, a, a), x, v)", F0, V3)
_add("scan-lengths-differ", "lambda x, v: lax.scan(lambda c, a: (c, a), x, (v, np.ones(4)))", F0, V3)
_add("scan-length-differs", "lambda x, v: lax.scan(lambda c, a: (c, a), x, v, length=4)", F0, V3)
_add("scan-scalar-xs", "lambda x, v: lax.scan(lambda c, a: (c, a), x, x)", F0, V3)
_add("scan-no-length", "lambda x, v: lax.scan(lambda c, a: (c, a), x, None)", F0, V3)
_add("scan-bad-length", "lambda x, v: lax.scan(lambda c, a: (c, a), x, v, length='a')", F0, V3)
_add("scan-traced-length", "lambda x, n: lax.scan(lambda c, a: (c, a), x, None, length=n)", F0, "3")
_add("scan-bad-unroll", "lambda x, v: lax.scan(lambda c, a: (c, a), x, v, unroll=0)", F0, V3)
_add("scan-not-callable", "lambda x, v: lax.scan(1, x, v)", F0, V3)

# ---- maps and associative scans

_add("map", "lambda v: lax.map(lambda a: lax.sin(a), v)", V3)
_add("map-tree", "lambda v: lax.map(lambda d: (lax.sin(d['a']), d['b']), {'a': v, 'b': v})", V3)
_add("map-batches", "lambda v: lax.map(lambda a: lax.sin(a), v, batch_size=2)", "np.ones(6, np.float32)")
_add(
    "map-batches-uneven", "lambda v: lax.map(lambda a: lax.sin(a), v, batch_size=2)", "np.ones(5, np.float32)"
)
_add(
    "map-batches-beyond", "lambda v: lax.map(lambda a: lax.sin(a), v, batch_size=9)", "np.ones(5, np.float32)"
)
_add("map-grad", "jax.grad(lambda v: lax.reduce_sum(lax.map(lambda a: lax.mul(lax.sin(a), a), v), (0,)))", V3)
_add("map-vmap", "jax.vmap(lambda v: lax.map(lambda a: lax.sin(a), v))", M34)
for n in (1, 2, 3, 5, 8):
    _add(
        f"associative-scan-{n}",
        "lambda v: lax.associative_scan(lax.add, v)",
        f"np.arange({n}, dtype=np.float32)",
    )
_add(
    "associative-scan-reverse",
    "lambda v: lax.associative_scan(lax.mul, v, reverse=True)",
    "np.arange(5, dtype=np.float32)",
)
_add("associative-scan-axis", "lambda v: lax.associative_scan(lax.add, v, axis=1)", M34)
_add(
    "associative-scan-axis-reverse", "lambda v: lax.associative_scan(lax.add, v, axis=-1, reverse=True)", M34
)
_add(
    "associative-scan-tree",
    "lambda v: lax.associative_scan(lambda a, b: (lax.mul(a[0], b[0]), lax.add(lax.mul(b[0], a[1]), b[1])), (v, v))",
    "np.arange(6, dtype=np.float32)",
)
_add(
    "associative-scan-grad",
    "jax.grad(lambda v: lax.reduce_sum(lax.associative_scan(lax.mul, v), (0,)))",
    "np.arange(1, 6, dtype=np.float32)",
)
_add("associative-scan-lengths-differ", "lambda v: lax.associative_scan(lambda a, b: a, (v, np.ones(4)))", V3)
_add("associative-scan-not-callable", "lambda v: lax.associative_scan(1, v)", V3)
