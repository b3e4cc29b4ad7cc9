"""Element types: the promotion table equals the oracle's, names and hierarchy are JAX's."""

from __future__ import annotations

import json
import pathlib
import warnings
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from jaxnb.base.config import config
from jaxnb.engine.core import dtypes

GOLDEN = json.loads((pathlib.Path(__file__).parents[2] / "golden" / "promotion.json").read_text())
SCALARS = {"True": True, "1": 1, "1.0": 1.0, "1j": 1j}


def make_value(name):
    if name in SCALARS:
        return SCALARS[name]
    if name.startswith("weak "):
        return SimpleNamespace(dtype=np.dtype(name[5:]), weak_type=True)
    return np.dtype(name)


def evaluate(names):
    try:
        found, weak = dtypes.result_type(*map(make_value, names), return_weak_type_flag=True)
        return [found.name, weak]
    except dtypes.TypePromotionError as err:
        return type(err).__name__


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("mode", ["standard", "strict"])
def test_the_promotion_table_equals_the_oracles(x64, mode):
    with config.enable_x64(x64), config.numpy_dtype_promotion(mode):
        table = GOLDEN[f"x64={x64} {mode}"]
        assert {k: evaluate(k.split(" | ")) for k in table} == table


def test_promotion_of_three_values_is_one_join():
    assert {k: evaluate(k.split(" | ")) for k in GOLDEN["triples"]} == GOLDEN["triples"]


def test_promote_types_equals_the_oracles():
    def promote(key):
        try:
            return dtypes.promote_types(*key.split()).name
        except dtypes.TypePromotionError as err:
            return type(err).__name__

    with config.enable_x64(True):
        assert {k: promote(k) for k in GOLDEN["promote_types"]} == GOLDEN["promote_types"]


def test_errors_say_what_jax_says():
    with pytest.raises(ValueError, match=r"^at least one array or dtype is required$"):
        dtypes.result_type()
    with pytest.raises(TypeError, match=r"^data type 'foo' not understood$"):
        dtypes.result_type("foo")
    with pytest.raises(TypeError, match=r"^Cannot determine dtype of <object object"):
        dtypes.result_type(object())
    with pytest.raises(dtypes.TypePromotionError) as err:
        dtypes.promote_types("int4", "int8")
    assert str(err.value) == (
        "Input dtypes ('int4', 'int8') have no available implicit dtype promotion path. To avoid "
        "unintended promotion, 1-bit, 2-bit and 4-bit integers do not support implicit promotion. If "
        "you'd like your inputs to be promoted to another type, you can do so explicitly using e.g. x.astype('int32')"
    )


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("float32", "f32"), ("int8", "i8"), ("uint64", "u64"), ("bool", "bool"), ("complex64", "c64"),
        (ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "f8_e4m3fn"), (ml_dtypes.int4, "i4"),
        (ml_dtypes.uint2, "u2"), (dtypes.float0, "float0"),
    ],
)  # fmt: skip
def test_short_names_are_those_of_jaxprs(name, short):
    assert dtypes.short_dtype_name(name) == short


def test_small_types_lie_in_numpys_hierarchy():
    assert dtypes.issubdtype(ml_dtypes.bfloat16, np.floating)
    assert dtypes.issubdtype(np.dtype(ml_dtypes.int4), np.signedinteger)
    assert not dtypes.issubdtype(np.dtype(ml_dtypes.uint4), np.signedinteger)
    assert not dtypes.issubdtype("bool", np.integer)
    assert not dtypes.issubdtype(np.floating, float)
    assert dtypes.issubdtype(dtypes.prng_key, dtypes.extended)
    assert not dtypes.issubdtype("float32", dtypes.extended)


def test_a_request_for_64_bits_warns_and_narrows():
    with pytest.warns(
        UserWarning, match=r"^Explicitly requested dtype float64 requested in zeros is not available, "
    ):
        assert dtypes.check_user_dtype_supported("float64", "zeros") == np.float32
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dtypes.check_user_dtype_supported(float, "zeros") == np.float32


def test_a_request_for_objects_is_refused():
    with pytest.raises(TypeError) as err:
        dtypes.check_user_dtype_supported(object, "zeros")
    assert str(err.value) == (
        "JAX only supports number, bool, and string dtypes, got dtype <class 'object'> in zeros"
    )
