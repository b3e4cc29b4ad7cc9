"""Writes ``promotion.json``: the promotion table of the oracle.

Run with the oracle's interpreter: ``.oracle/bin/python tests/golden/make_promotion.py``.
"""

import itertools
import json
import pathlib
import warnings

import jax
import numpy as np
from jax import dtypes

FLOAT8 = ["e3m4", "e4m3", "e8m0fnu", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz"]
TYPES = [
    "bool",
    *(f"{sign}int{n}" for sign in ("", "u") for n in (2, 4, 8, 16, 32, 64)),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *(f"float8_{kind}" for kind in FLOAT8),
    "float4_e2m1fn",
]
WEAK = ["int8", "int16", "int32", "uint8", "uint32", "float16", "bfloat16", "float32", "complex64"]
SCALARS = {"True": True, "1": 1, "1.0": 1.0, "1j": 1j}


def make_value(name):
    """The value a table label stands for."""
    if name in SCALARS:
        return SCALARS[name]
    if name.startswith("weak "):
        return jax.ShapeDtypeStruct((), name[5:], weak_type=True)
    return np.dtype(name)


def evaluate(f):
    """The result as JSON, or the error class."""
    try:
        return f()
    except dtypes.TypePromotionError as err:
        return f"{type(err).__name__}"


def result(*names):
    """``[dtype, weak]`` of the oracle's result_type; weak arrays exist only as tracers."""
    values = list(map(make_value, names))
    places = [k for k, v in enumerate(values) if isinstance(v, jax.ShapeDtypeStruct)]
    found = []

    def trace(*tracers):
        seen = list(values)
        for k, t in zip(places, tracers, strict=True):
            seen[k] = t
        found.append(dtypes.result_type(*seen, return_weak_type_flag=True))

    jax.eval_shape(trace, *(values[k] for k in places))
    return [found[0][0].name, found[0][1]]


def main():
    """Writes the table beside this script."""
    warnings.simplefilter("ignore")
    labels = [*TYPES, *(f"weak {w}" for w in WEAK), *SCALARS]
    table = {}
    for x64, mode in itertools.product((False, True), ("standard", "strict")):
        with jax.enable_x64(x64), jax.numpy_dtype_promotion(mode):
            table[f"x64={x64} {mode}"] = {
                " | ".join(p): evaluate(lambda p=p: result(*p))
                for p in itertools.combinations_with_replacement(labels, 2)
            }
    three = [("int32", "1.0", "bfloat16"), ("weak int16", "weak int32", "1"), ("uint8", "int8", "1.0")]
    table["triples"] = {" | ".join(p): evaluate(lambda p=p: result(*p)) for p in three}
    with jax.enable_x64(True):
        table["promote_types"] = {
            f"{a} {b}": evaluate(lambda a=a, b=b: jax.numpy.promote_types(a, b).name)
            for a, b in itertools.product(TYPES, TYPES)
        }
    path = pathlib.Path(__file__).with_name("promotion.json")
    path.write_text(json.dumps(table, sort_keys=True).replace("},", "},\n") + "\n")


if __name__ == "__main__":
    main()
