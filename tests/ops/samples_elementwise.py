"""Samples of the elementwise primitives."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import scipy.special as sp

from jaxnb.engine.control import polynomial
from jaxnb.engine.linalg import error_functions, incomplete_beta, incomplete_gamma
from jaxnb.engine.ops import (
    arithmetic,
    bitwise,
    comparison,
    complex_numbers,
    conversion,
    exponential,
    filling,
    identity,
    magnitude,
    selection,
    special,
    trigonometric,
)
from tests.ops.sample import Sample

X = np.array([[-1.7, -0.4, 0.3], [0.8, 1.9, 2.6]], np.float32)
Y = np.array([[0.6, -1.1, 2.2], [-0.7, 1.3, 0.9]], np.float32)
P = np.abs(X)
U = np.array([-0.8, -0.3, 0.2, 0.7], np.float32)
Z = (X + 1j * Y).astype(np.complex64)
I = np.array([[-7, -2, 0], [3, 5, 100]], np.int8)
J = np.array([[2, -3, 1], [4, -1, 7]], np.int8)
N = np.array([3, 200, 0], np.uint8)
B = np.array([True, False, True])
S = np.float32(0.45)
NO_ACCURACY = {"accuracy": None}

SAMPLES: list[Sample] = []


def _add(primitive, *args, **fields):
    SAMPLES.append(Sample(primitive, args, **fields))


def _unary():
    m, e, t = magnitude, exponential, trigonometric
    with_accuracy = [
        (e.exp_p, np.exp, X), (e.exp2_p, np.exp2, X), (e.expm1_p, np.expm1, X), (e.log_p, np.log, P),
        (e.log2_p, np.log2, P), (e.log1p_p, np.log1p, P), (e.sqrt_p, np.sqrt, P), (e.rsqrt_p, lambda x: x**-0.5, P),
        (e.cbrt_p, np.cbrt, P), (e.logistic_p, sp.expit, X), (t.sin_p, np.sin, X), (t.cos_p, np.cos, X),
        (t.tan_p, np.tan, U), (t.tanh_p, np.tanh, X),
    ]  # fmt: skip
    for prim, reference, x in with_accuracy:
        _add(prim, x, params=NO_ACCURACY, reference=reference)
        _add(prim, x[..., :1].astype(ml_dtypes.bfloat16), params=NO_ACCURACY, reference=reference, tol=2e-2)
        if prim not in (e.cbrt_p, e.logistic_p):
            _add(prim, Z, params=NO_ACCURACY, reference=reference, tol=1e-4)
    _add(e.logistic_p, Z, params=NO_ACCURACY, reference=lambda z: 1 / (1 + np.exp(-z)), tol=1e-4)
    plain = [
        (arithmetic.neg_p, np.negative, X), (arithmetic.square_p, np.square, X), (t.asin_p, np.arcsin, U),
        (t.acos_p, np.arccos, U), (t.atan_p, np.arctan, X), (t.sinh_p, np.sinh, X), (t.cosh_p, np.cosh, X),
        (t.asinh_p, np.arcsinh, X), (t.acosh_p, np.arccosh, P + np.float32(1)), (t.atanh_p, np.arctanh, U),
        (m.sign_p, np.sign, X), (m.floor_p, np.floor, X), (m.ceil_p, np.ceil, X), (m.abs_p, np.abs, X),
        (m.is_finite_p, np.isfinite, np.array([1, np.inf, np.nan], np.float32)),
        (arithmetic.one_minus_square_p, lambda x: 1 - x**2, X),
        (error_functions.erf_p, sp.erf, X), (error_functions.erfc_p, sp.erfc, X), (special.erf_inv_p, sp.erfinv, U),
        (special.lgamma_p, sp.gammaln, P), (special.digamma_p, sp.digamma, P), (special.bessel_i0e_p, sp.i0e, 5 * X),
        (special.bessel_i1e_p, sp.i1e, 5 * X), (filling.copy_p, lambda x: x, X),
    ]  # fmt: skip
    for prim, reference, x in plain:
        _add(prim, x, reference=reference, tol=2e-5)
    for prim, reference in [
        (arithmetic.neg_p, np.negative), (arithmetic.square_p, np.square), (t.asin_p, np.arcsin),
        (t.acos_p, np.arccos), (t.atan_p, np.arctan), (t.sinh_p, np.sinh), (t.cosh_p, np.cosh),
        (t.asinh_p, np.arcsinh), (t.atanh_p, np.arctanh), (m.abs_p, np.abs),
        (arithmetic.one_minus_square_p, lambda x: 1 - x**2),
    ]:  # fmt: skip
        _add(prim, Z, reference=reference, tol=1e-4)
    # the formula of the derivative holds right of the branch cut
    right = (P + 1j * Y).astype(np.complex64)
    _add(t.acosh_p, right, reference=np.arccosh, tol=1e-4)
    # before jaxlib 0.12 the sign of a complex number has derivative zero, although it turns
    _add(m.sign_p, Z, reference=lambda z: z / np.abs(z), grad_tol=0)
    for prim, reference in [(arithmetic.neg_p, np.negative), (m.sign_p, np.sign), (m.abs_p, np.abs)]:
        _add(prim, I, reference=reference)
    _add(m.sign_p, N, reference=np.sign)
    _add(arithmetic.square_p, J, reference=np.square)
    for method, reference in zip(
        m.RoundingMethod, (lambda x: np.trunc(x + np.copysign(0.5, x)), np.rint), strict=True
    ):
        _add(m.round_p, X, params={"rounding_method": method}, reference=reference)
        _add(m.round_p, np.array([-2.5, 0.5, 1.5], np.float32), params={"rounding_method": method},
             reference=reference, grad_tol=0)  # fmt: skip
    for n in (-3, -1, 0, 1, 2, 3, 4, 5, 7):
        _add(
            arithmetic.integer_pow_p,
            X,
            params={"y": n},
            reference=lambda x, n=n: x.astype(float) ** n,
            tol=1e-4,
        )
    _add(arithmetic.integer_pow_p, J, params={"y": 3}, reference=lambda x: x**3)
    _add(identity.stop_gradient_p, X, reference=lambda x: x, grad_tol=0)
    _add(identity.optimization_barrier_p, X, S, reference=lambda *xs: xs)


def _binary():
    a, m, t = arithmetic, magnitude, trigonometric
    for prim, reference in [
        (a.add_p, np.add), (a.sub_p, np.subtract), (a.div_p, np.divide), (m.max_p, np.maximum), (m.min_p, np.minimum),
        (m.rem_p, np.fmod), (t.atan2_p, np.arctan2),
    ]:  # fmt: skip
        _add(prim, X, Y, reference=reference)
        _add(prim, X, S, reference=reference)
        _add(prim, S, Y, reference=reference)
        _add(prim, X, Y[:1], reference=reference)
    for prim, reference in [(a.add_p, np.add), (a.sub_p, np.subtract), (a.div_p, np.divide)]:
        _add(prim, Z, Z[::-1], reference=reference)
    for prim, reference in [(a.add_p, np.add), (a.sub_p, np.subtract), (m.max_p, np.maximum), (m.min_p, np.minimum),
                            (m.rem_p, np.fmod)]:  # fmt: skip
        _add(prim, I, J, reference=reference)
    _add(m.max_p, Z, Z[::-1], reference=np.maximum, grad_tol=0)
    _add(a.div_p, I, J, reference=lambda x, y: np.trunc(x / y))
    for args in [(X, Y), (X, S), (S, Y), (Z, Z[::-1]), (I, J), (X[:1], Y)]:
        _add(a.mul_p, *args, params={"out_dtype": None}, reference=np.multiply)
    _add(a.mul_p, I, J, params={"out_dtype": np.int32}, reference=lambda x, y: x.astype(np.int32) * y)
    _add(a.mulhi_p, I, J, reference=lambda x, y: (x.astype(np.int32) * y) >> 8)
    _add(a.add_any_p, X, Y, reference=np.add)
    for x, y in [(P, Y), (P, S), (S, Y)]:
        _add(m.pow_p, x, y, reference=np.power, tol=1e-4)
    _add(
        m.pow_p,
        P,
        np.array([[0, 1, 2], [3, -1, -2]], np.int32),
        reference=lambda x, y: x ** y.astype(float),
        tol=1e-4,
    )
    _add(m.pow_p, Z, Z[::-1], reference=np.power, tol=1e-3)
    _add(m.nextafter_p, X, Y, reference=np.nextafter, grad_tol=0)
    _add(complex_numbers.complex_p, X, Y, reference=lambda x, y: x + 1j * y)
    _add(special.polygamma_p, np.float32([1, 2, 3]), P[0], reference=sp.polygamma, tol=1e-4, grad_tol=0)
    _add(special.zeta_p, np.float32([2, 3, 4]), P[0], reference=sp.zeta, tol=1e-4)


def _polynomials():
    coefficients = np.float32(0.5), np.float32(-2), Y
    _add(
        polynomial.polynomial_p,
        X,
        *coefficients,
        reference=lambda x, a, b, c: a + b * x + c * x * x,
        tol=1e-5,
    )
    _add(polynomial.polynomial_p, Z, np.complex64(1j), reference=lambda z, a: a + 0 * z)
    many = np.array([1, -0.5, 0.3, 0, 0.2, -0.1, 0.05, 0, 0.02, 0.01], np.float32)
    _add(
        polynomial.polynomial_p,
        X / 2,
        *many,
        reference=lambda x, *c: np.polynomial.polynomial.polyval(x, c),
        tol=1e-5,
    )


def _incomplete():
    a, x = np.float32([0.3, 1.0, 2.5, 12.0]), np.float32([0.7, 0.4, 3.0, 9.0])
    share = np.float32([0.1, 0.6, 0.3, 0.8])

    def slope(a, x):
        a = a.astype(float)
        return (sp.gammainc(a + 1e-6, x) - sp.gammainc(a - 1e-6, x)) / 2e-6

    g = incomplete_gamma
    _add(g.igamma_p, a, x, reference=sp.gammainc, tol=1e-5)
    _add(g.igammac_p, a, x, reference=sp.gammaincc, tol=1e-5)
    _add(
        g.igammac_p,
        a.astype(ml_dtypes.bfloat16),
        x.astype(ml_dtypes.bfloat16),
        reference=sp.gammaincc,
        tol=2e-2,
    )
    _add(g.igamma_grad_a_p, a, x, reference=slope, tol=1e-4)
    # only the derivative in the last operand is known
    beta_p = incomplete_beta.regularized_incomplete_beta_p
    _add(beta_p, a, x, share, reference=sp.betainc, tol=1e-5, grad_tol=0)
    _add(beta_p, np.float32(2), np.float32(0.5), share[:2], reference=sp.betainc, tol=1e-5, grad_tol=0)


def _parts():
    c = complex_numbers
    _add(c.real_p, Z, reference=np.real)
    _add(c.imag_p, Z, reference=np.imag)
    _add(c.conj_p, Z, params={"input_dtype": np.dtype("complex64")}, reference=np.conj)
    _add(c.conj_p, X, params={"input_dtype": np.dtype("float32")}, reference=lambda x: x + 0j)


def _bits():
    b = bitwise
    for prim, reference in [(b.and_p, np.bitwise_and), (b.or_p, np.bitwise_or), (b.xor_p, np.bitwise_xor)]:
        _add(prim, I, J, reference=reference)
        _add(prim, B, B[::-1], reference=reference)
    _add(b.not_p, I, reference=np.invert)
    _add(b.not_p, B, reference=np.invert)
    _add(b.population_count_p, N, reference=np.bitwise_count)
    _add(b.clz_p, N, reference=lambda x: [8 - int(v).bit_length() for v in x])
    shifts = np.array([1, 3, 7], np.uint8)
    _add(b.shift_left_p, N, shifts, reference=np.left_shift)
    _add(b.shift_right_logical_p, N, shifts, reference=np.right_shift)
    _add(b.shift_right_arithmetic_p, I, np.abs(J), reference=np.right_shift)


def _comparisons():
    for name in ("eq", "ne", "ge", "gt", "le", "lt"):
        reference = getattr(np, {"eq": "equal", "ne": "not_equal", "ge": "greater_equal", "gt": "greater",
                                 "le": "less_equal", "lt": "less"}[name])  # fmt: skip
        prim = getattr(comparison, f"{name}_p")
        for args in [(X, Y), (X, S), (I, J), (N, N[::-1]), (B, B[::-1])]:
            _add(prim, *args, reference=reference)
    _add(comparison.eq_p, Z, Z, reference=np.equal)
    ends = np.array([-np.inf, -0.0, 0.0, np.nan], np.float32)
    _add(comparison.lt_to_p, ends, ends[[1, 2, 3, 3]], reference=lambda x, y: [True, True, True, False])
    _add(comparison.le_to_p, ends, ends[[1, 2, 3, 3]], reference=lambda x, y: [True] * 4)
    _add(comparison.eq_to_p, ends, ends[[0, 2, 1, 3]], reference=lambda x, y: [True, False, False, True])
    for name in ("eq", "lt", "le"):
        reference = getattr(np, {"eq": "equal", "lt": "less", "le": "less_equal"}[name])
        _add(getattr(comparison, f"{name}_to_p"), I, J, reference=reference)


def _selection():
    which = X > 0
    _add(selection.select_n_p, which, X, Y, reference=lambda w, x, y: np.where(w, y, x))
    _add(selection.select_n_p, np.bool_(True), X, Y, reference=lambda w, x, y: y)
    _add(
        selection.select_n_p,
        np.int32([2, 0, 1]),
        X[0],
        Y[0],
        P[0],
        reference=lambda w, *cases: np.choose(w, cases),
    )
    _add(
        selection.clamp_p,
        np.float32(-1),
        X,
        np.float32(1),
        reference=lambda a, x, b: np.clip(x, a, b),
        grad_tol=0,
    )
    _add(selection.clamp_p, X - 1, Y, X + 1, reference=lambda a, x, b: np.clip(x, a, b))


def _conversions():
    c = conversion
    for x, new in [(X, "float16"), (X, "int32"), (X, "bool"), (I, "float32"), (B, "float32"), (I, "uint8"),
                   (X, "complex64"), (N, "bool"), (Z, "bool")]:  # fmt: skip
        _add(c.convert_element_type_p, x, params={"new_dtype": np.dtype(new), "weak_type": False, "sharding": None},
             reference=lambda x, new=new: x.astype(new), name=f"{x.dtype}-{new}", grad_tol=0)  # fmt: skip
    _add(c.convert_element_type_p, Z, reference=np.real, name="complex64-float32",
         params={"new_dtype": np.dtype("float32"), "weak_type": False, "sharding": None}, grad_tol=0)  # fmt: skip
    _add(c.bitcast_convert_type_p, X, params={"new_dtype": np.dtype("int32")}, reference=lambda x: x.view(np.int32),
         grad_tol=0)  # fmt: skip
    _add(c.bitcast_convert_type_p, X, params={"new_dtype": np.dtype("int8")}, grad_tol=0,
         reference=lambda x: x.view(np.int8).reshape(*x.shape, 4))  # fmt: skip
    _add(
        c.bitcast_convert_type_p,
        I.reshape(6, 1).repeat(4, 1),
        params={"new_dtype": np.dtype("float32")},
        grad_tol=0,
    )
    _add(c.reduce_precision_p, X, params={"exponent_bits": 8, "mantissa_bits": 7}, grad_tol=0,
         reference=lambda x: x.astype(ml_dtypes.bfloat16).astype(np.float32))  # fmt: skip


def _refusals():
    def refuse(prim, *args, text, kind=TypeError, **params):
        _add(prim, *args, params=params, static_error=(kind, text))

    refuse(trigonometric.sin_p, np.int32(1), accuracy=None,
           text="sin does not accept dtype int32. Accepted dtypes are subtypes of floating, complexfloating.")  # fmt: skip
    refuse(arithmetic.add_p, np.ones(2, np.float32), np.ones(3, np.float32),
           text="add got incompatible shapes for broadcasting: (2,), (3,).")  # fmt: skip
    refuse(arithmetic.add_p, np.ones(2, np.float32), np.ones((3, 2), np.float32),
           text="add: arrays must have the same number of dimensions, got {1, 2}")  # fmt: skip
    refuse(arithmetic.add_p, np.float32(1), np.int32(1),
           text="lax.add requires arguments to have the same dtypes, got float32, int32. (Tip: jnp.add is a similar "
                "function that does automatic type promotion on inputs).")  # fmt: skip
    refuse(arithmetic.integer_pow_p, np.int32(1), y=-1,
           text="Integers cannot be raised to negative powers, got integer_pow(int32[], -1)")  # fmt: skip
    refuse(selection.select_n_p, np.float32(1), np.float32(1), np.float32(1),
           text="select `which` must be boolean or integer type, got float32.")  # fmt: skip


for _family in (
    _unary,
    _binary,
    _incomplete,
    _polynomials,
    _parts,
    _bits,
    _comparisons,
    _selection,
    _conversions,
    _refusals,
):
    _family()
