"""The worked examples of the document on omnistaging, in its order: both ways of tracing, and the five problems.

What JAX still does is verified against it with jaxlib 0.10.2 and 0.12; what it did before is what the document prints.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random
from jaxnb.errors import UnexpectedTracerError
from jaxnb.explorer import compare_omnistaging, explain_error
from jaxnb.explorer.model.hlo_parse import parse_hlo, short_shape
from jaxnb.xla.unfolded import unfolded_text
from jaxnb.xla.version import JAXLIB_VERSION

ERRORS = "https://docs.jax.dev/en/latest/" + ("101/" if JAXLIB_VERSION >= (0, 12) else "") + "errors.html"
GRID = np.arange(12, dtype=np.int32).reshape(3, 4)


def f(x):
    y = jnp.add(1, 1)
    return x * y


def select_tril(x):
    mask = jnp.arange(x.shape[0])[:, None] > jnp.arange(x.shape[1])
    return lax.select(mask, x, jnp.zeros_like(x))


def operations(function, *args):
    """The operations of the HLO before any pass, as XLA named them when the document was written.

    A broadcast that changes no shape was not written then, and a reshape that adds an axis was a broadcast.
    """
    entry = parse_hlo(unfolded_text(jaxnb.jit(lambda *xs: function(*xs)).lower(*args).as_text())).entry
    found = []
    for one in entry.instructions.values():
        shape = short_shape(one.shape)
        before = short_shape(entry.instructions[one.operands[0]].shape) if one.operands else ""
        if one.opcode == "broadcast" and before == shape:
            continue
        is_wider = one.opcode == "reshape" and shape.count(",") > before.count(",")
        found.append("broadcast" if is_wider else one.opcode)
    return Counter(found)


# ---- 2: the toy


def test_2_the_toy_before_and_after():
    with jaxnb.omnistaging(False):
        assert operations(f, 3) == Counter({"parameter": 1, "constant": 1, "multiply": 1})
        assert str(jaxnb.make_jaxpr(f)(3)) == "{ lambda ; a:i32[]. let b:i32[] = mul a 2:i32[] in (b,) }"
    assert operations(f, 3) == Counter({"parameter": 1, "constant": 2, "add": 1, "multiply": 1})
    assert (
        str(jaxnb.make_jaxpr(f)(3))
        == """\
{ lambda ; a:i32[]. let
    b:i32[] = add 1:i32[] 1:i32[]
    c:i32[] = mul a b
  in (c,) }"""
    )


def test_2_the_toy_gives_the_same_either_way():
    assert repr(jaxnb.jit(f)(3)) == "Array(6, dtype=int32, weak_type=True)"
    with jaxnb.omnistaging(False):
        assert int(jaxnb.jit(f)(3)) == 6


def test_2_what_is_lowered_after():
    assert (
        jaxnb.jit(f).lower(3).as_text()
        == """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>) -> (tensor<i32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %c, %c_0 : tensor<i32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<i32>
    return %1 : tensor<i32>
  }
}
"""
    )


# ---- 3: the mask


def test_3_the_mask_before_and_after():
    with jaxnb.omnistaging(False):
        assert operations(select_tril, GRID) == Counter(
            {"parameter": 1, "constant": 2, "broadcast": 1, "select": 1}
        )
    assert operations(select_tril, GRID) == Counter(
        {"iota": 2, "broadcast": 5, "reshape": 2, "compare": 1, "parameter": 1, "constant": 1, "select": 1}
    )


def test_3_the_jaxpr_after():
    assert (
        str(jaxnb.make_jaxpr(select_tril)(GRID))
        == """\
{ lambda ; a:i32[3,4]. let
    b:i32[3] = iota[dimension=0 dtype=int32 shape=(3,) sharding=None]\x20
    c:i32[3,1] = broadcast_in_dim[broadcast_dimensions=(0,)] b
    d:i32[4] = iota[dimension=0 dtype=int32 shape=(4,) sharding=None]\x20
    e:i32[1,4] = broadcast_in_dim[broadcast_dimensions=(1,)] d
    f:bool[3,4] = gt c e
    g:i32[3,4] = broadcast_in_dim 0:i32[]
    h:i32[3,4] = select_n f g a
  in (h,) }"""
    )


def test_3_the_mask_is_an_array_in_the_program_only_before():
    comparison = compare_omnistaging(select_tril, GRID)
    facts = comparison.facts()
    assert (facts["off"]["bytes"]["constants"], facts["on"]["bytes"]["constants"]) == (12, 0)
    assert facts["executed"] == ["iota", "broadcast_in_dim", "iota", "broadcast_in_dim", "gt"]
    assert facts["numeric"]["differing"] == 0
    assert np.asarray(jaxnb.jit(select_tril)(GRID)).tolist() == [[0, 0, 0, 0], [4, 0, 0, 0], [8, 9, 0, 0]]


def test_3_afterwards_it_is_fused_into_the_selection():
    text = jaxnb.jit(select_tril).lower(GRID).compile().as_text()
    entry = text.split("ENTRY")[1]
    assert entry.count(" fusion(") == 1
    assert "pred[3,4]" not in entry


# ---- 4: the five problems


def flat_with_jnp(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape((size,))


def flat_with_numpy(x):
    size = np.prod(x.shape)
    if size > 100:
        return x
    return x.reshape((size,))


def test_4_1_a_size_that_jnp_computes_is_no_size():
    with pytest.raises(TypeError) as raised:
        jaxnb.jit(flat_with_jnp)(jnp.ones((3, 4)))
    line = flat_with_jnp.__code__.co_firstlineno
    text = str(raised.value)
    assert text.startswith(
        "Shapes must be 1D sequences of concrete values of integer type, got (JitTracer(int32[]),).\n"
        "If using `jit`, try using `static_argnums` or applying `jit` to smaller subfunctions.\n"
        f"The error occurred while tracing the function flat_with_jnp at {__file__}:{line} for jit. This value became a "
        "tracer due to JAX operations on these lines:\n\n"
        "  operation a:i32[] = reduce_prod[axes=(0,)] "
    )
    assert text.endswith(f"\n    from line {__file__}:{line + 1}:11 (flat_with_jnp)")


def test_4_1_before_it_was_one():
    with jaxnb.omnistaging(False):
        assert jaxnb.jit(lambda x: flat_with_jnp(x))(jnp.ones((3, 4))).shape == (12,)


def test_4_1_numpy_computes_sizes_and_python_can_decide_on_them():
    g = jaxnb.jit(flat_with_numpy)
    assert (g(jnp.ones((3, 4))).shape, g(jnp.ones((11, 10))).shape) == ((12,), (11, 10))


def test_4_1_the_error_is_explained():
    with pytest.raises(TypeError) as raised:
        jaxnb.jit(lambda x: flat_with_jnp(x))(jnp.ones((3, 4)))
    diagnosis = explain_error(raised.value).diagnosis
    assert diagnosis.kind == "shape"
    assert "np.prod(x.shape)" in [cure.code for cure in diagnosis.cures]


key = random.PRNGKey(0)


def draw():
    global key
    key, subkey = random.split(key)
    return random.normal(subkey, ())


@pytest.fixture
def fresh_key():
    global key
    key = random.PRNGKey(0)
    yield
    key = random.PRNGKey(0)


@pytest.mark.parametrize(
    ("partitionable", "numbers"),
    [(False, [-1.2515389, -0.58665067, 0.48648298]), (True, [-2.4424558, -1.2574776, -1.3877681])],
    ids=["as printed in the document", "as today's JAX prints"],
)
def test_4_2_a_jitted_draw_repeats_itself(partitionable, numbers, fresh_key):
    with jaxnb.threefry_partitionable(partitionable):
        by_operation = [float(draw()), float(draw())]
        jitted = jaxnb.jit(lambda: draw())
        repeated = [float(jitted()), float(jitted())]
    np.testing.assert_allclose([*by_operation, repeated[0]], numbers, rtol=1e-6)
    assert repeated[0] == repeated[1]


def test_4_2_the_key_is_a_tracer_afterwards(fresh_key):
    jaxnb.clear_caches()
    jaxnb.jit(draw)()
    assert repr(key) == "JitTracer(uint32[2])"
    with pytest.raises(UnexpectedTracerError) as raised:
        random.normal(key, ())
    line = draw.__code__.co_firstlineno
    rule = "------------------------------\n"
    assert str(raised.value) == (
        "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a reference to "
        "an intermediate value with type uint32[2] wrapped in a DynamicJaxprTracer to escape the scope of the "
        "transformation.\n"
        "JAX transformations require that functions explicitly return their outputs, and disallow saving intermediate "
        "values to global state.\n"
        f"The function being traced when the value leaked was draw at {__file__}:{line} traced for jit.\n"
        f"{rule}The leaked intermediate value was created on line {__file__}:{line + 2}:4 (draw). \n"
        f"{rule}When the value was created, the final 5 stack frames (most recent last) excluding JAX-internal frames "
        f"were:\n{rule}{__file__}:{line + 2}:4 (draw)\n{rule}\n"
        "To catch the leak earlier, try setting the environment variable JAX_CHECK_TRACER_LEAKS or using the "
        "`jax.checking_leaks` context manager.\n"
        f"See {ERRORS}#jax.errors.UnexpectedTracerError"
    )
    [holder] = explain_error(raised.value).captured.holders
    assert holder.path == "key"


def test_4_2_before_no_tracer_escaped_and_the_numbers_repeated_all_the_same(fresh_key):
    jaxnb.clear_caches()
    with jaxnb.omnistaging(False):
        jitted = jaxnb.jit(draw)
        assert float(jitted()) == float(jitted())
        assert "Tracer" not in repr(key)


def test_4_2_a_pure_function_takes_the_key_and_returns_the_next():
    @jaxnb.jit
    def pure(key):
        key, subkey = random.split(key)
        return random.normal(subkey, ()), key

    state, numbers = random.PRNGKey(0), []
    for _ in range(3):
        number, state = pure(state)
        numbers.append(float(number))
    np.testing.assert_allclose(numbers, [-2.4424558, -1.2574776, -1.3877681], rtol=1e-6)


def test_4_2_a_key_from_outside_is_diagnosed(fresh_key):
    [problem] = compare_omnistaging(draw).problems
    assert problem.number == 2
    assert "key, subkey = random.split(key)" in problem.line
    assert repr(key) == repr(random.PRNGKey(0))  # it was put back


def test_4_3_the_last_digits_can_differ_and_a_tolerance_takes_them_in():
    def rounding(x):
        a = jnp.sin(jnp.arange(1000.0) * 0.37) / 3.0 * 3.0
        return (a * jnp.exp(a) - a) + x

    comparison = compare_omnistaging(rounding, np.float32(1))
    assert 0 < comparison.facts()["numeric"]["ulps"] < 64
    np.testing.assert_allclose(comparison.off.result, comparison.on.result, rtol=1e-5)


def test_4_4_an_internal_attribute_is_there_only_before():
    def internal(x):
        return x * jnp.add(1, 1)._value

    with jaxnb.omnistaging(False):
        assert int(jaxnb.jit(lambda x: internal(x))(3)) == 6
    with pytest.raises(AttributeError):
        jaxnb.jit(lambda x: internal(x))(3)
    [problem] = compare_omnistaging(internal, np.int32(1)).problems
    assert problem.number == 4


def test_4_5_a_larger_program_meets_more_of_the_compiler():
    def refused(x):
        w = jnp.ones((2, 2), jnp.int4)
        try:
            table = lax.dot_general(w, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
        except Exception:
            table = np.full((2, 2), 2, np.int32)
        return x * table

    comparison = compare_omnistaging(refused, np.int32(2))
    assert comparison.facts()["problems"] == [5]
    assert comparison.off.result.tolist() == [[4, 4], [4, 4]]


# ---- 5: switching it off


PROGRAM = """
import jaxnb, jaxnb.numpy as jnp
{}
def f(x):
    return x * jnp.add(1, 1)
print(len(jaxnb.make_jaxpr(f)(3).eqns))
"""


def equations(line="", **env):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(line)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.parametrize("value", ["0", "false"])
def test_5_1_the_environment_can(value):
    assert equations(JAX_OMNISTAGING=value) == 1


def test_5_1_it_is_on_otherwise():
    assert equations() == 2


@pytest.mark.parametrize(
    "line", ["jaxnb.config.disable_omnistaging()", "jaxnb.config.update('jax_omnistaging', False)"]
)
def test_5_3_a_line_at_the_top_can(line):
    assert equations(line) == 1


def test_5_3_it_can_be_switched_on_again_and_nothing_is_confused():
    def counts():
        return len(jaxnb.make_jaxpr(f)(3).eqns)

    before = counts()
    jaxnb.config.disable_omnistaging()
    try:
        within = counts()
    finally:
        jaxnb.config.enable_omnistaging()
    assert (before, within, counts()) == (2, 1, 2)
