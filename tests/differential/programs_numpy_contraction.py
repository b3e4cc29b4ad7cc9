"""Programs of products of vectors and matrices in ``jnp``, subscripts included."""

from __future__ import annotations

from tests.differential.program import Program

ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


def _arrays(*shapes: tuple[int, ...], dtype: str = "np.float32") -> str:
    return "(" + "".join(f"(np.arange({_size(s)}) % 5).reshape({s}).astype({dtype}), " for s in shapes) + ")"


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


SHAPES = (
    ((3, 4), (4, 5)), ((3,), (3,)), ((3, 4), (4,)), ((3,), (3, 4)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (6, 2, 4, 5)), ((3, 4), (2, 4, 5)), ((1, 3, 4), (2, 4, 5)), ((1, 3, 4), (1, 4, 5)),
    ((1, 7, 3, 4), (2, 1, 4, 5)), ((6, 2, 3, 4), (4,)), ((4,), (6, 2, 4, 3)), ((1, 2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (1, 2, 4, 5)), ((0, 3), (3, 2)), ((3, 4), (3, 4)), ((3, 3, 4), (2, 4, 5)), ((), (4, 5)), ((), ()),
)  # fmt: skip
for fn in (
    "dot",
    "matmul",
    "inner",
    "tensordot",
    "vdot",
    "outer",
    "kron",
    "vecdot",
    "matvec",
    "vecmat",
    "cross",
):
    for a, b in SHAPES:
        _add(f"{fn}-{a}-{b}".replace(" ", ""), f"jnp.{fn}", _arrays(a, b), ("jaxpr", "stablehlo"))
    _add(f"{fn}-lists", f"lambda: jnp.{fn}([1, 2], [3, 4])", "()", JAXPR)
    for a, b in (("np.int32", "np.float32"), ("np.complex64", "np.float32"), ("jnp.bfloat16", "np.float32"),
                 ("np.bool_", "np.bool_"), ("np.int8", "np.uint8")):  # fmt: skip
        shapes = "(3, 3)" if fn not in ("matvec",) else "(3, 3), (3,)"
        args = f"((np.arange(9) % 4).reshape(3, 3).astype({a}), (np.arange(9) % 5).reshape(3, 3).astype({b}))"
        _add(f"{fn}-{a}-{b}", f"lambda a, b: jnp.{fn}(a, b)", args, ALL)
    if fn not in ("cross", "kron", "outer", "matvec", "vecmat"):
        _add(f"{fn}-precision", f"lambda a, b: jnp.{fn}(a, b, precision='high', preferred_element_type=np.float32)",
             _arrays((3, 3), (3, 3), dtype="jnp.bfloat16"), ("jaxpr",))  # fmt: skip
        _add(f"{fn}-narrow", f"lambda a, b: jnp.{fn}(a, b, preferred_element_type=np.int8)",
             _arrays((3, 3), (3, 3), dtype="np.int32"), ("jaxpr",))  # fmt: skip
        _add(
            f"{fn}-grad",
            f"jax.grad(lambda a, b: jnp.{fn}(a, b).sum(), argnums=(0, 1))",
            _arrays((3, 3), (3, 3)),
        )
        _add(f"{fn}-vmap", f"jax.vmap(jnp.{fn}, in_axes=(0, None))", _arrays((2, 3, 3), (3, 3)))
_add("dot-weak", "lambda a: jnp.dot(a, 2.0)", "(1.0,)")
_add("matmul-operator", "lambda a, b: a @ b", _arrays((3, 4), (4, 5)))
_add("matmul-numpy", "lambda a: a @ np.ones((4, 5), np.float32)", _arrays((3, 4)))
_add("matmul-reflected", "lambda a: np.ones((5, 3), np.float32) @ a", _arrays((3, 4)))
_add("outer-out", "lambda a, b: jnp.outer(a, b, out=3)", _arrays((3,), (3,)), JAXPR)
for axes in ("2", "1", "0", "3", "((1,), (0,))", "(1, 0)", "((0, 1), (1, 0))", "[[1], [0]]", "((-1,), (-2,))",
             "((0,), (1, 2))", "(0, 1, 2)", "1.0", "((0, 0), (1, 1))"):  # fmt: skip
    _add(
        f"tensordot-axes{axes}".replace(" ", ""),
        f"lambda a, b: jnp.tensordot(a, b, axes={axes})",
        _arrays((3, 4), (4, 3)),
    )
_add("vecdot-axis", "lambda a, b: jnp.vecdot(a, b, axis=0)", _arrays((3, 4), (3, 4)), JAXPR)
_add("vecdot-axis-broadcast", "lambda a, b: jnp.vecdot(a, b, axis=0)", _arrays((3, 4), (3, 1)))
for name, rest in (("axis", "axis=0"), ("axes", "axisa=0, axisb=0, axisc=0")):
    _add(f"cross-{name}", f"lambda a, b: jnp.cross(a, b, {rest})", _arrays((3, 4), (3, 4)))
_add("cross-planes", "jnp.cross", _arrays((4, 2), (4, 2)))
_add("cross-plane-space", "jnp.cross", _arrays((4, 2), (3,)))
_add("cross-space", "jnp.cross", _arrays((4, 3), (3,)))
_add("cross-four", "jnp.cross", _arrays((4,), (4,)))
for name, rest, args in (
    ("", "", _arrays((3, 4))),
    ("offset", ", offset=1", _arrays((3, 4))),
    ("axes", ", offset=-1, axis1=1, axis2=0", _arrays((2, 3, 4))),
    ("i8", "", _arrays((3, 4), dtype="np.int8")),
    ("bool", "", _arrays((3, 4), dtype="bool")),
    ("bf16", ", dtype=jnp.bfloat16", _arrays((3, 4))),
    ("out", ", out=3", _arrays((3, 4))),
    ("one", "", _arrays((3,))),
):
    _add(f"trace-{name}", f"lambda a: jnp.trace(a{rest})", args)

EINSUMS = (
    ("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("bhid,bhjd->bhij", (2, 4, 3, 5), (2, 4, 6, 5)),
    ("bhij,bhjd->bhid", (2, 4, 3, 6), (2, 4, 6, 5)), ("ij->ji", (3, 4)), ("ii->i", (3, 3)), ("ii", (3, 3)),
    ("ij->", (3, 4)), ("ij->i", (3, 4)), ("i,j->ij", (3,), (4,)), ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
    ("...ij,jk->...ik", (2, 3, 4), (4, 5)), ("ij,kj->ik", (3, 4), (5, 4)), ("iij,jk->ik", (3, 3, 4), (4, 5)),
    ("ijk,ijk->k", (3, 4, 5), (3, 4, 5)), ("ij,k->i", (3, 4), (5,)), ("i,i", (3,), (3,)), ("ij,ji->", (3, 4), (4, 3)),
    (" ij , jk -> k i ", (3, 4), (4, 5)), ("ij,j->ij", (3, 4), (4,)), ("bij,bjk->ik", (2, 3, 4), (2, 4, 5)),
    ("i,i,i->i", (3,), (3,), (3,)), ("hbid,hbjd->bhij", (2, 4, 3, 5), (2, 4, 6, 5)), ("ij,jk->ik", (3, 1), (4, 5)),
    ("ij,ij->i", (3, 1), (1, 4)), ("kij,kil->jl", (3, 2, 4), (3, 2, 5)), ("ji,ij->", (4, 3), (3, 4)), ("iii->i", (3, 3, 3)),
    ("iijj->ij", (3, 3, 4, 4)), ("iji->j", (3, 4, 3)), ("iij->", (3, 3, 4)), ("ii,ii->i", (3, 3), (3, 3)),
    ("iij,k->j", (3, 3, 4), (5,)), ("iij,jl,l->i", (3, 3, 4), (4, 5), (5,)), ("ij,jk,kl,lm->im", (3, 4), (4, 5), (5, 6), (6, 2)),
    ("i...->...", (2, 3, 4)), ("...->...", (2, 3)), ("...i->...", (2, 3)), (",->", (), ()), ("i,->i", (3,), ()),
    ("ij,jk->", (3, 4), (4, 5)), ("ijk,lmk->il", (2, 3, 4), (5, 6, 4)), ("ij,ik,il->jkl", (2, 3), (2, 4), (2, 5)),
    ("ij,jk->ijk", (3, 4), (4, 5)), ("ij,jk", (3, 4), (3, 4)), ("ij,jk", (3, 4)), ("i", (3, 4)), ("i->ij", (3,)),
    ("ij->ii", (3, 4)), ("i&->i", (3,)),
)  # fmt: skip
for spec, *shapes in EINSUMS:
    _add(
        f"einsum-{spec}-{len(shapes)}-{_size(shapes[0])}".replace(" ", ""),
        f"lambda *a: jnp.einsum({spec!r}, *a)",
        _arrays(*shapes),
    )
for dtype in ("jnp.bfloat16", "bool", "np.int8", "np.complex64"):
    _add(f"einsum-sum-{dtype}", "lambda a: jnp.einsum('ij->i', a)", _arrays((3, 4), dtype=dtype))
    _add(f"einsum-diagonal-{dtype}", "lambda a: jnp.einsum('ii->i', a)", _arrays((3, 3), dtype=dtype))
    _add(
        f"einsum-product-{dtype}",
        "lambda a, b: jnp.einsum('ij,jk->i', a, b)",
        _arrays((3, 4), (4, 5), dtype=dtype),
    )
    _add(
        f"einsum-to-{dtype}",
        f"lambda a, b: jnp.einsum('ij,jk->i', a, b, preferred_element_type={dtype})",
        _arrays((3, 4), (4, 5)),
    )
_add(
    "einsum-mixed",
    "lambda a, b: jnp.einsum('ij,jk->i', a, b)",
    "(np.ones((3, 4), np.int32), np.ones((4, 5), np.float32))",
)
_add("einsum-precision", "lambda a, b: jnp.einsum('ij,jk', a, b, precision='high')", _arrays((3, 4), (4, 5)))
_add("einsum-lists", "lambda a, b: jnp.einsum(a, [0, 1], b, [1, 2], [0, 2])", _arrays((3, 4), (4, 5)))
_add("einsum-weak", "lambda a: jnp.einsum('->', a)", "(1.0,)")
_add(
    "einsum-transposed-wide",
    "lambda a: jnp.einsum('ij->ji', a, preferred_element_type=np.float32)",
    _arrays((3, 4), dtype="jnp.bfloat16"),
)
_add(
    "einsum-grad",
    "jax.grad(lambda a, b: jnp.einsum('bij,bjk->ik', a, b).sum(), argnums=(0, 1))",
    _arrays((2, 3, 4), (2, 4, 5)),
)
_add(
    "einsum-vmap",
    "jax.vmap(lambda a, b: jnp.einsum('ij,jk->ik', a, b), in_axes=(0, None))",
    _arrays((2, 3, 4), (4, 5)),
)
for optimize in ("'optimal'", "'greedy'", "True", "False", "[(0, 1), (0, 1)]"):
    _add(
        f"einsum-optimize-{optimize}",
        f"lambda a, b, c: jnp.einsum('ij,jk,kl->il', a, b, c, optimize={optimize})",
        _arrays((3, 4), (4, 5), (5, 6)),
    )
_add("einsum-out", "lambda a: jnp.einsum('i->i', a, out=3)", _arrays((3,)), JAXPR)
_add("einsum-list", "lambda: jnp.einsum('i->i', [1, 2])", "()", JAXPR)
_add("einsum-str", "lambda: jnp.einsum('i->i', 'a')", "()", JAXPR)
_add("einsum-none", "lambda: jnp.einsum('i->i')", "()", JAXPR)

for name, fun, shapes in (
    ("scalar", "lambda a: jnp.vectorize(lambda x: x * 2)(a)", ((3, 4),)),
    ("two", "lambda a, b: jnp.vectorize(lambda x, y: x + y)(a, b)", ((3, 4), (4,))),
    ("ones", "lambda a, b: jnp.vectorize(lambda x, y: x + y)(a, b)", ((3, 4), (3, 1))),
    ("signature", "lambda a, b: jnp.vectorize(jnp.dot, signature='(n),(n)->()')(a, b)", ((2, 3, 4), (3, 4))),
    (
        "signature-ones",
        "lambda a, b: jnp.vectorize(jnp.dot, signature='(n),(n)->()')(a, b)",
        ((1, 3, 4), (2, 1, 4)),
    ),
    ("results", "lambda a: jnp.vectorize(lambda x: (x.sum(), x), signature='(n)->(),(n)')(a)", ((2, 3, 4),)),
    ("excluded", "lambda a: jnp.vectorize(lambda x, n: x * n, excluded={1})(a, 3)", ((4, 2),)),
    ("number", "lambda a: jnp.vectorize(lambda x, y: x * y)(a, 2.0)", ((4, 2),)),
    ("keyword", "lambda a: jnp.vectorize(lambda x, y=1: x + y)(a, y=2)", ((4, 2),)),
    ("bad-signature", "lambda a: jnp.vectorize(lambda x: x, signature='(n->()')(a)", ((4, 2),)),
    ("arguments", "lambda a: jnp.vectorize(lambda x: x, signature='(n),(m)->()')(a)", ((4, 2),)),
    ("result-shape", "lambda a: jnp.vectorize(lambda x: x, signature='(n)->()')(a)", ((4, 2),)),
    ("result-count", "lambda a: jnp.vectorize(lambda x: (x, x), signature='(n)->(n)')(a)", ((4, 2),)),
    ("rank", "lambda a: jnp.vectorize(lambda x: x, signature='(n,m)->()')(a)", ((4,),)),
    ("shapes", "lambda a, b: jnp.vectorize(lambda x, y: x)(a, b)", ((4,), (3,))),
    ("excluded-type", "lambda a: jnp.vectorize(lambda x: x, excluded={1.5})(a)", ((4,),)),
    ("excluded-negative", "lambda a: jnp.vectorize(lambda x: x, excluded={-1})(a)", ((4,),)),
):
    _add(f"vectorize-{name}", fun, _arrays(*shapes), JAXPR)
