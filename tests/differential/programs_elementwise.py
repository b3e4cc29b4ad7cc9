"""Elementwise primitives: alone, differentiated, transposed, batched, and refused."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

F0, F3, C0, C3 = "np.float32(.5)", "np.ones(3, np.float32)", "np.complex64(.5)", "np.ones(3, np.complex64)"

REAL_UNARY = """neg sign floor ceil round is_finite exp exp2 log expm1 log1p sqrt rsqrt cbrt sin cos tan asin acos atan
sinh cosh tanh asinh acosh atanh logistic erf erfc erf_inv lgamma digamma bessel_i0e bessel_i1e abs square reciprocal
stop_gradient""".split()
COMPLEX_UNARY = """neg sign exp exp2 log expm1 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
atanh logistic abs square real imag conj""".split()
BINARY = """add sub mul div rem max min pow atan2 eq ne lt le gt ge nextafter""".split()
INT_UNARY = "neg sign abs bitwise_not population_count clz square".split()
INT_BINARY = """add sub mul div rem max min eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor shift_left mulhi
shift_right_logical shift_right_arithmetic""".split()


def _unary() -> list[Program]:
    lines = []
    for names, scalar, vector in ((REAL_UNARY, F0, F3), (COMPLEX_UNARY, C0, C3)):
        for n in names:
            f = f"lax.{n}"
            lines += [
                f"{f} @ ({scalar},)",
                f"{f} @ ({vector},)",
                f"lambda x, t: jax.jvp({f}, (x,), (t,)) @ ({scalar}, {scalar})",
                f"lambda x, t: jax.jvp({f}, (x,), (t,)) @ ({vector}, {vector})",
                f"jax.vmap({f}, 1) @ ({vector.replace('(3', '((3, 2)')},)",
            ]
            if scalar == F0 and n != "is_finite":
                lines += [f"jax.grad({f}) @ ({scalar},)", f"jax.vmap(jax.grad({f})) @ ({vector},)"]
    for n in REAL_UNARY:
        lines += [
            f"lax.{n} @ (jnp.bfloat16(1),)",
            f"lax.{n} @ (np.int32(1),)",
            f"lax.{n} @ (1.,)",
            f"lax.{n} @ (True,)",
        ]
    for n in INT_UNARY:
        lines += [f"lax.{n} @ (np.{d}(1),)" for d in ("int8", "uint8", "bool_")]
    return parse_programs("\n".join(lines))


def _binary() -> list[Program]:
    lines = []
    for n in BINARY:
        f = f"lax.{n}"
        lines += [
            f"{f} @ ({F3}, {F3})",
            f"{f} @ ({F3}, {F0})",
            f"lambda x: {f}(2., x) @ ({F3},)",
            f"lambda x: {f}(x, x) @ ({C3},)",
            f"lambda x: {f}(x, x) @ (True,)",
            f"{f} @ ({F3}, np.int32(1))",
            f"{f} @ ({F3}, np.ones(2, np.float32))",
            f"{f} @ ({F3}, np.ones((2, 3), np.float32))",
            f"lambda x, y, t, u: jax.jvp({f}, (x, y), (t, u)) @ ({F0}, {F0}, {F0}, {F0})",
            f"lambda x, y, t, u: jax.jvp({f}, (x, y), (t, u)) @ ({F3}, {F3}, {F3}, {F3})",
            f"lambda x, y: jax.jvp(lambda x: {f}(x, y), (x,), (x,)) @ ({F3}, {F0})",
            f"lambda x, y: jax.jvp(lambda y: {f}(x, y), (y,), (y,)) @ ({F3}, {F0})",
            f"lambda x, y: jax.jvp(lambda y: {f}(y, x), (y,), (y,)) @ (np.ones((2, 3), np.float32), np.ones((2, 1), np.float32))",
            f"jax.vmap({f}) @ (np.ones((3, 4), np.float32), np.ones((3, 4), np.float32))",
            f"jax.vmap({f}, (0, None)) @ (np.ones((3, 4), np.float32), np.ones(4, np.float32))",
            f"jax.vmap({f}, (1, 0)) @ (np.ones((4, 3), np.float32), np.ones((3, 4), np.float32))",
        ]
        if n not in ("eq", "ne", "lt", "le", "gt", "ge", "nextafter"):
            lines += [
                f"jax.grad({f}, (0, 1)) @ ({F0}, {F0})",
                f"jax.grad(lambda x, y: {f}(x, y).sum(), (0, 1)) @ ({F3}, {F0})",
                f"jax.vmap(jax.grad({f}, (0, 1))) @ ({F3}, {F3})",
            ]
    for n in INT_BINARY:
        lines += [f"lambda x: lax.{n}(x, x) @ (np.{d}(1),)" for d in ("int8", "uint32", "bool_")]
    return parse_programs("\n".join(lines))


BROADCASTING = """
lax.add @ (np.ones((1, 3), np.float32), np.ones((2, 3), np.float32))
lambda x, y: jax.jvp(lambda y: lax.add(x, y), (y,), (y,)) @ (np.ones((2, 3), np.float32), np.ones((2, 1), np.float32))
lambda x, y: jax.jvp(lambda y: lax.complex(x, y), (y,), (y,)) @ (np.ones(3, np.float32), np.float32(1))
lambda x: lax.add(x, 1) @ (np.ones(3, np.float32),)
lambda x: lax.add(x, True) @ (np.ones(3, np.float32),)
lambda x: lax.add(1, 1.) @ (1,)
lambda x: lax.add(1, 1) @ (1,)
lambda x: lax.add(x, 1j) @ (np.ones(3, np.float32),)
lambda x: lax.add(x, [1]) @ (np.ones(3, np.float32),)
lambda x: lax.add(x, None) @ (np.ones(3, np.float32),)
lambda x: lax.add(x, 'a') @ (np.ones(3, np.float32),)
lambda x: lax.sin('a') @ (1.,)
lambda x: lax.sin([1]) @ (1.,)
lambda x: lax.sin(1.) @ (1.,)
lambda x: lax.add(x, 3000000000) @ (np.int32(1),)
lambda x: lax.max(x, np.float32(1)) @ (np.ones(3, np.float32),)
lambda x: lax.max(x, np.ones(3, np.float32)) @ (np.ones(3, np.float32),)
"""

MULTIPLICATION = """
lambda x: lax.mul(x, x, out_dtype=np.int32) @ (np.int8(1),)
lambda x: lax.mul(x, x, out_dtype=np.float16) @ (np.float32(1),)
lambda x, y: jax.jvp(lambda y: lax.mul(x, y, out_dtype=np.float16), (y,), (y,)) @ (np.ones(3, np.float32), np.float32(1))
lax.mulhi @ (np.int32(1), np.int32(2))
lambda x: lax.mulhi(x, x) @ (np.float32(1),)
"""

POWERS = "\n".join(
    [
        f"lambda x: lax.integer_pow(x, {y}) @ ({a},)"
        for y in (0, 1, 2, 3, 4, 5, 6, 7, 15, -1, -2, -3)
        for a in (F0, F3)
    ]
    + [
        f"lambda x: jax.jvp(lambda x: lax.integer_pow(x, {y}), (x,), (x,)) @ ({F3},)"
        for y in (0, 1, 2, 3, -1, 5)
    ]
    + [f"jax.grad(lambda x: lax.add(lax.integer_pow(x, {y}), x)) @ ({F0},)" for y in (0, 1, 2, 3)]
    + [
        "lambda x: lax.integer_pow(x, -2) @ (np.int32(1),)",
        "lambda x: lax.integer_pow(x, 3) @ (True,)",
        "lambda x: lax.integer_pow(x, 3) @ (np.int8(2),)",
        "lambda x: lax.pow(x, 2) @ (np.float32(1),)",
        "lambda x: lax.pow(x, np.int8(2)) @ (np.complex64(1),)",
        "lambda x: lax.pow(1., x) @ (np.int32(1),)",
        "lambda x: lax.pow(x, jnp.complex64(1)) @ (np.float32(1),)",
        "lambda x: lax.pow(1., True) @ (True,)",
        "lax.pow @ (np.float32(1), np.ones(3, np.int32))",
        "lambda x: jax.jvp(lambda x: lax.pow(x, 2), (x,), (x,)) @ (np.ones(3, np.float32),)",
        "lambda x: jax.jvp(lambda x: lax.pow(x, 2.), (x,), (x,)) @ (np.ones(3, np.float32),)",
        "lambda x: jax.jvp(lambda x: lax.pow(2., x), (x,), (x,)) @ (np.ones(3, np.float32),)",
        "lambda x, y: jax.jvp(lambda x: lax.pow(x, y), (x,), (x,)) @ (np.ones(3, np.float32), np.int32(3))",
        "lambda x, y: jax.jvp(lambda x: lax.pow(x, y), (x,), (x,)) @ (np.float32(1), np.ones(3, np.int32))",
        "lambda x, y: jax.jvp(lambda x: lax.pow(x, y), (x,), (x,)) @ (np.ones(3, np.float32), np.ones(3, np.int32))",
    ]
)

TRANSPOSES = """
lambda ct, y: jax.linear_transpose(lambda x: lax.neg(x), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.add(x, y), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x, y: lax.add(x, y), y, y)(ct) @ (F3, F3)
lambda ct: jax.linear_transpose(lambda x, y: lax.add(x, y), np.float32(1), F3)(ct) @ (F3,)
lambda ct: jax.linear_transpose(lax.add, np.ones((2, 1), np.float32), np.ones((1, 3), np.float32))(ct) @ (F23,)
lambda ct: jax.linear_transpose(lax.sub, np.ones((2, 1), np.float32), np.ones((1, 3), np.float32))(ct) @ (F23,)
lambda ct: jax.linear_transpose(lax.sub, F3, np.float32(1))(ct) @ (F3,)
lambda ct, y: jax.linear_transpose(lambda x: lax.mul(x, y), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.mul(2., x), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.mul(x, y), np.float32(1))(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.mul(x, y), np.ones((1, 3), np.float32))(ct) @ (F23, np.ones((2, 1), np.float32))
lambda ct, y: jax.linear_transpose(lambda x: lax.div(x, y), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.div(x, y), np.float32(1))(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lax.real, y)(ct) @ (F3, C3)
lambda ct, y: jax.linear_transpose(lax.imag, y)(ct) @ (F3, C3)
lambda ct, y: jax.linear_transpose(lax.conj, y)(ct) @ (C3, C3)
lambda ct, y: jax.linear_transpose(lax.conj, y)(ct) @ (C3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.complex(x, y), y)(ct) @ (C3, F3)
lambda ct, y: jax.linear_transpose(lax.complex, y, y)(ct) @ (C3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.select_n(lax.gt(y, 0.), x, x), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x, z: lax.select_n(lax.gt(y, 0.), x, z), y, y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.convert_element_type(x, np.float16), y)(ct) @ (np.ones(3, np.float16), F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.convert_element_type(x, np.complex64), y)(ct) @ (C3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.reduce_precision(x, 5, 4), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lax.sin, y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.max(x, y), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.optimization_barrier(x), y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lax.square, y)(ct) @ (F3, F3)
lambda ct, y: jax.linear_transpose(lambda x: lax.clamp(x, y, y), y)(ct) @ (F3, F3)
jax.grad(lambda x: lax.sin(lax.cos(x))) @ (F0,)
jax.grad(lambda x: lax.real(lax.exp(x))) @ (C0,)
jax.grad(jax.grad(lax.tanh)) @ (F0,)
jax.grad(jax.grad(lax.logistic)) @ (F0,)
jax.grad(lambda x: lax.reduce_precision(x, 5, 4)) @ (F0,)
jax.grad(lambda x: lax.optimization_barrier((x, x))[0]) @ (F0,)
jax.grad(lambda x: lax.convert_element_type(lax.convert_element_type(x, np.int32), np.float32)) @ (F0,)
jax.grad(lambda x: lax.add(lax.sign(x), x)) @ (F0,)
"""

SELECTION = """
lambda x, y: lax.select_n(x, y, y) @ (np.ones(3, bool), F3)
lambda x, y: lax.select_n(x, y, y) @ (True, F3)
lambda x, y: lax.select_n(x, y, y, y) @ (np.int32(1), F3)
lambda x, y: lax.select_n(x, y, y, y, y, y) @ (np.int32(1), F3)
lambda x, y: lax.select_n(x, y, y, y) @ (np.ones(3, np.int8), F3)
lambda x, y: lax.select_n(x, y) @ (np.int32(1), F3)
lambda x, y: lax.select(x, y, y) @ (True, F3)
lambda x: lax.select_n(True, 1., 1.) @ (1.,)
lambda x: lax.select_n(lax.gt(x, np.float16(0)), x, 1.) @ (np.float16(1),)
lambda x: lax.select_n(True, x, np.float32(1)) @ (F3,)
lambda x: lax.select_n(True, x, np.ones(2, np.float32)) @ (F3,)
lambda x: lax.select_n(x, x, x) @ (F3,)
lambda x: lax.select_n(np.ones(2) > 0, x, x) @ (F3,)
lambda x: lax.select_n(np.ones(3) > 0, x, x, x) @ (F3,)
lambda x: lax.select_n(x) @ (True,)
lambda x: lax.select(x, 1., 2) @ (True,)
lambda x, y: lax.clamp(x, y, x) @ (F0, F3)
lambda x, y: lax.clamp(x, x, y) @ (F0, F3)
lambda y: lax.clamp(1, y, 2) @ (F3,)
lambda y: lax.clamp(1., y, 2.) @ (F3,)
lambda x: lax.clamp(x, x, x) @ (1j,)
lambda x: lax.clamp(x, x, x) @ (True,)
lambda x: lax.clamp(x, np.ones(2, np.float32), 1.) @ (F3,)
lambda x: jax.jvp(lambda x: lax.clamp(x, x, x), (x,), (x,)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.clamp(0., x, 1.), (x,), (x,)) @ (F3,)
lambda x, y: jax.jvp(lambda y: lax.clamp(y, x, y), (y,), (y,)) @ (F3, F0)
lambda x: jax.jvp(lambda x: lax.select_n(lax.gt(x, 0.), x, x), (x,), (x,)) @ (F3,)
lambda x, y: jax.jvp(lambda x: lax.select_n(lax.gt(x, 0.), x, y), (x,), (x,)) @ (F3, F3)
"""

SELECTION_BATCHED = "\n".join(
    [
        f"jax.vmap(lambda x, y: lax.select_n(x, y, y), {axes}) @ ({which}, {case})"
        for axes, which, case in (
            ("(0, 0)", "np.ones(3, bool)", "np.ones((3, 4), np.float32)"),
            ("(None, 0)", "True", "np.ones((3, 4), np.float32)"),
            ("(None, 1)", "True", "np.ones((4, 3), np.float32)"),
            ("(0, None)", "np.ones(3, bool)", "np.ones(4, np.float32)"),
            ("(0, None)", "np.ones(3, bool)", "np.float32(1)"),
            ("(0, 0)", "np.ones(3, bool)", "np.ones(3, np.float32)"),
            ("(0, None)", "np.ones((3, 4), bool)", "np.ones(4, np.float32)"),
            ("(1, None)", "np.ones((4, 3), bool)", "np.ones(4, np.float32)"),
            ("(None, 0)", "np.ones(4, bool)", "np.ones((3, 4), np.float32)"),
            ("(None, 1)", "np.ones(4, bool)", "np.ones((4, 3), np.float32)"),
        )
    ]
    + [
        f"jax.vmap(lax.select_n, {axes}) @ ({which}, {x}, {y})"
        for axes, which, x, y in (
            (
                "(1, 0, None)",
                "np.ones((4, 3), bool)",
                "np.ones((3, 4), np.float32)",
                "np.ones(4, np.float32)",
            ),
            ("(None, 1, None)", "np.ones(4, bool)", "np.ones((4, 3), np.float32)", "np.ones(4, np.float32)"),
            ("(None, 0, None)", "True", "np.ones((3, 4), np.float32)", "np.ones(4, np.float32)"),
            ("(0, 0, 1)", "np.ones(3, bool)", "np.ones((3, 4), np.float32)", "np.ones((4, 3), np.float32)"),
            ("(0, 1, 1)", "np.ones(3, bool)", "np.ones((4, 3), np.float32)", "np.ones((4, 3), np.float32)"),
            (
                "(1, 1, 1)",
                "np.ones((4, 3), bool)",
                "np.ones((4, 3), np.float32)",
                "np.ones((4, 3), np.float32)",
            ),
            ("(0, 0, None)", "np.ones(3, bool)", "np.ones(3, np.float32)", "np.float32(1)"),
        )
    ]
    + [
        f"jax.vmap(lax.clamp, {axes}) @ ({low}, {x}, {high})"
        for axes, low, x, high in (
            ("(0, 0, 0)", "F34", "F34", "F34"),
            ("(None, 0, None)", "F0", "F34", "F0"),
            ("(None, 1, None)", "F0", "F43", "F0"),
            ("(0, 0, None)", "F3", "F34", "F0"),
            ("(0, None, None)", "F3", "F4", "F0"),
            ("(0, 1, 0)", "F3", "F43", "F3"),
            ("(None, 0, None)", "F4", "F34", "F4"),
            ("(0, 0, 0)", "F3", "F3", "F3"),
            ("(None, 0, 0)", "F0", "F34", "F3"),
            ("(0, 1, 0)", "F34", "F43", "F3"),
            ("(None, 1, 1)", "F4", "F43", "F43"),
            ("(None, 1, None)", "F4", "F43", "F0"),
            ("(1, 1, 1)", "F43", "F43", "F43"),
        )
    ]
)

BATCHED = """
jax.vmap(lax.add, (None, 0)) @ (F4, F34)
jax.vmap(lax.add, (1, None)) @ (F43, F4)
jax.vmap(lax.add, (1, 1)) @ (F43, F43)
jax.vmap(lax.add, (0, 0)) @ (F3, F34)
jax.vmap(lax.add, (0, None)) @ (F3, F4)
jax.vmap(lax.add, (0, None)) @ (F3, F0)
jax.vmap(lax.add, (1, None)) @ (F34, F0)
jax.vmap(lax.add, (0, 1)) @ (F3, F43)
jax.vmap(lambda x: lax.mul(2., x), 1) @ (F43,)
jax.vmap(lax.add, (0, None)) @ (np.ones((3, 1, 4), np.float32), np.ones((2, 1), np.float32))
jax.vmap(jax.vmap(lax.add, (0, None)), (None, 0)) @ (F3, F4)
jax.vmap(lax.add, (2, None)) @ (np.ones((2, 4, 3), np.float32), np.ones((2, 4), np.float32))
jax.vmap(lax.add, (2, 0)) @ (np.ones((2, 4, 3), np.float32), np.ones((3, 2, 4), np.float32))
jax.vmap(lambda x: lax.bitcast_convert_type(x, np.int8), 1) @ (F43,)
jax.vmap(lambda x: lax.optimization_barrier((x, 1.)), 1) @ (F43,)
jax.vmap(lambda x: lax.convert_element_type(x, np.int8), 1) @ (F43,)
jax.vmap(lambda x: lax.integer_pow(x, 3), 1) @ (F43,)
jax.vmap(jax.grad(lambda x: lax.mul(x, x))) @ (F3,)
jax.vmap(jax.grad(lambda x: lax.max(x, 0.))) @ (F3,)
jax.vmap(jax.grad(lambda x: lax.pow(x, 3.))) @ (F3,)
jax.vmap(lax.pow, (0, None)) @ (F3, np.ones(4, np.int32))
"""

CONVERSION = """
lambda x: lax.convert_element_type(x, np.float32) @ (F0,)
lambda x: lax.convert_element_type(x, np.float32) @ (1.,)
lambda x: lax.convert_element_type(x, float) @ (1.,)
lambda x: lax.convert_element_type(x, float) @ (F0,)
lambda x: lax.convert_element_type(x, float) @ (1,)
lambda x: lax.convert_element_type(1, np.float32) @ (1,)
lambda x: lax.convert_element_type(1, float) @ (1,)
lambda x: lax.convert_element_type(np.float32(1), float) @ (1,)
lambda x: lax.convert_element_type(np.ones(2, np.float32), np.int32) @ (1,)
lambda x: lax.convert_element_type(np.ones(2, np.float32), np.float32) @ (1,)
lambda x: lax.convert_element_type(x, bool) @ (1.,)
lambda x: lax.convert_element_type(x, bool) @ (F3,)
lambda x: lax.convert_element_type(x, np.int32) @ (1j,)
lambda x: lax.convert_element_type(x, None) @ (1,)
lambda x: lax.convert_element_type(x, np.int8) @ (True,)
lambda x: lax.convert_element_type(x, np.uint8) @ (1.5,)
lambda x: lax.convert_element_type([1, 2], np.uint8) @ (1.5,)
lambda x: lax.convert_element_type(None, np.uint8) @ (1.5,)
lambda x: lax.convert_element_type(x, jax.dtypes.float0) @ (1.5,)
lambda x: lax.convert_element_type(x, np.bool_) @ (1j,)
lambda x: lax.convert_element_type(x, np.complex64) @ (True,)
lambda x: lax.convert_element_type(x, np.complex64) @ (np.int8(1),)
lambda x: lax.convert_element_type(x, np.float64) @ (F0,)
lambda x: jax.jvp(lambda x: lax.convert_element_type(x, np.int32), (x,), (x,)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.convert_element_type(x, np.float16), (x,), (x,)) @ (F3,)
lambda x: lax.bitcast_convert_type(x, np.int32) @ (F4,)
lambda x: lax.bitcast_convert_type(x, np.int8) @ (F4,)
lambda x: lax.bitcast_convert_type(x, np.float32) @ (np.ones((2, 4), np.int8),)
lambda x: lax.bitcast_convert_type(x, np.float32) @ (np.ones((2, 3), np.int8),)
lambda x: lax.bitcast_convert_type(x, bool) @ (np.ones((2, 3), np.int8),)
lambda x: lax.bitcast_convert_type(x, np.complex64) @ (np.ones((2, 2), np.int32),)
lambda x: lax.bitcast_convert_type(x, np.float32) @ (F4,)
lambda x: jax.jvp(lambda x: lax.bitcast_convert_type(x, np.int32), (x,), (x,)) @ (F3,)
lambda x: lax.reduce_precision(x, 5, 4) @ (F0,)
lambda x: lax.reduce_precision(x, -1, 2) @ (F0,)
lambda x: lax.reduce_precision(x, 2, -1) @ (F0,)
lambda x: lax.reduce_precision(x, 2, 3) @ (np.int32(1),)
lambda x: jax.jvp(lambda x: lax.reduce_precision(x, 5, 4), (x,), (x,)) @ (F0,)
"""

OTHERS = """
lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN) @ (F0,)
lambda x: lax.round(x, 1) @ (F0,)
lambda x: lax.round(x, 2) @ (F0,)
lambda x: lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST) @ (F3,)
lambda x: lax.exp(x, accuracy=lax.AccuracyMode.DEFAULT) @ (F3,)
lambda x: jax.jvp(lambda x: lax.sin(x, accuracy=lax.AccuracyMode.HIGHEST), (x,), (x,)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.exp2(x, accuracy=lax.AccuracyMode.HIGHEST), (x,), (x,)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.expm1(x, accuracy=lax.AccuracyMode.HIGHEST), (x,), (x,)) @ (F3,)
lambda x: lax.optimization_barrier((x, x)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.optimization_barrier((x, 1.)), (x,), (x,)) @ (F0,)
lambda x: lax.stop_gradient((1, 2., x)) @ (F0,)
lambda x: lax.stop_gradient((x, 1, 'a')) @ (F0,)
lambda x: lax.polygamma(1., x) @ (F3,)
lambda x: jax.jvp(lambda x: lax.polygamma(1., x), (x,), (x,)) @ (F3,)
lambda x: jax.jvp(lambda x: lax.polygamma(x, x), (x,), (x,)) @ (F3,)
lax.zeta @ (F3, F3)
lambda x: jax.grad(lambda x: lax.zeta(x, 2.))(x) @ (F0,)
lax.complex @ (F3, F3)
lambda x: lax.complex(x, x) @ (np.float16(1),)
lambda x: jax.jvp(lax.asinh, (x,), (x,)) @ (np.float16(1),)
"""

WIDE = "\n".join(
    [f"lax.{n} @ (np.float64(.5),)" for n in REAL_UNARY]
    + [f"lambda x: jax.jvp(lax.{n}, (x,), (x,)) @ (np.float64(.5),)" for n in REAL_UNARY]
    + [
        "lambda x: lax.add(x, 1.) @ (np.float32(1),)",
        "lambda x: lax.add(x, 1.) @ (np.float64(1),)",
        "lambda x: lax.pow(x, 1) @ (np.float32(1),)",
        "lambda x: lax.convert_element_type(x, np.float64) @ (np.float32(1),)",
        "lambda x: lax.convert_element_type(x, float) @ (np.float32(1),)",
        "lambda x: lax.abs(x) @ (np.complex128(1),)",
    ]
)

_SHAPES = {
    "F0": F0, "F3": F3, "C0": C0, "C3": C3, "F4": "np.ones(4, np.float32)", "F23": "np.ones((2, 3), np.float32)",
    "F34": "np.ones((3, 4), np.float32)", "F43": "np.ones((4, 3), np.float32)",
}  # fmt: skip


def _named(text: str) -> str:
    """The text with short names for arrays written out."""
    for short in sorted(_SHAPES, key=len, reverse=True):
        for before, after in (("(", ","), ("(", ")"), (" ", ","), (" ", ")")):
            while f"{before}{short}{after}" in text:
                text = text.replace(f"{before}{short}{after}", f"{before}{_SHAPES[short]}{after}")
    return text


PROGRAMS = [
    *_unary(),
    *_binary(),
    *(
        p
        for text in (
            BROADCASTING, MULTIPLICATION, POWERS, TRANSPOSES, SELECTION, SELECTION_BATCHED, BATCHED, CONVERSION, OTHERS,
        )
        for p in parse_programs(_named(text))
    ),
    *(
        Program(f"x64 {p.name}", p.fun, p.args, p.wants, {"jax_enable_x64": True})
        for p in parse_programs(WIDE)
    ),
]  # fmt: skip
