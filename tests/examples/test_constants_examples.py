"""The worked examples of the document on captured arrays, in its order.

Both ways of keeping them are JAX's; texts are verified against it with jaxlib 0.10.2 and 0.12.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import warnings
import weakref
from contextlib import contextmanager

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random
from jaxnb.engine.core.jaxpr import Literal
from jaxnb.engine.runtime.constants import is_hoistable, jaxpr_const_args
from jaxnb.explorer import explore_constants

a_jax_array = jnp.ones((16,), dtype=np.float32)
w1 = np.arange(16, dtype=np.float32)
w2 = np.arange(16, 32, dtype=np.float32)
nine = np.arange(9, dtype=np.float32)
eight = np.arange(8, dtype=np.float32)
c64 = np.arange(16, dtype=np.float64)


def f(x):
    return x + a_jax_array + np.full((16,), 42.0) + jnp.full((16,), 142.0)


@contextmanager
def settings(**values):
    """Settings of this process, put back at the end."""
    before = {name: jaxnb.config.values[name] for name in values}
    try:
        for name, value in values.items():
            jaxnb.config.update(name, value)
        yield
    finally:
        for name, value in before.items():
            jaxnb.config.update(name, value)


def older_way():
    return settings(jax_use_simplified_jaxpr_constants=False)


def module(fun, *args):
    """The text of a fresh function's module."""
    return jaxnb.jit(lambda *xs: fun(*xs)).lower(*args).as_text()


def signature(text, name="@main("):
    """The parameters of one of a module's functions: which are constants, and their types."""
    inside = text.split(name)[1].split(") ->")[0]
    return [(part.split("tensor<")[1].split(">")[0], "jax.const" in part) for part in inside.split(", %arg")]


# ---- 1: which arrays are captured


def test_1_jax_arrays_and_numpy_arrays_are_captured_and_what_jnp_makes_is_staged():
    traced = jaxnb.jit(lambda x: f(x)).trace(jnp.ones(16))
    assert (
        str(traced.jaxpr)
        == """\
{ lambda ; a:f32[16]. let
    b:f32[16] = add a [...]:f32[16]
    c:f32[16] = add b [...]:f32[16]
    d:f32[16] = broadcast_in_dim 142.0:f32[]
    e:f32[16] = convert_element_type[new_dtype=float32 weak_type=False] d
    f:f32[16] = add c e
  in (f,) }"""
    )
    assert traced.jaxpr.consts == []
    assert jaxnb.jit(f)(jnp.ones(16)).tolist() == [186.0] * 16


def test_1_in_the_older_way_they_are_variables_with_values_beside_the_jaxpr():
    with older_way():
        jaxpr = jaxnb.jit(lambda x: f(x)).trace(jnp.ones(16)).jaxpr
        assert (
            str(jaxpr)
            == """\
{ lambda a:f32[16] b:f32[16]; c:f32[16]. let
    d:f32[16] = add c a
    e:f32[16] = add d b
    f:f32[16] = broadcast_in_dim 142.0:f32[]
    g:f32[16] = convert_element_type[new_dtype=float32 weak_type=False] f
    h:f32[16] = add e g
  in (h,) }"""
        )
        assert jaxpr.consts[0] is a_jax_array
        assert np.asarray(jaxpr.consts[1]).tolist() == [42.0] * 16


# ---- 2: captured without noticing


def warned(fun, *args, **values):
    with settings(**values), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jaxnb.jit(lambda *xs: fun(*xs)).lower(*args)
    return [str(one.message) for one in caught]


def product_and_sum(x):
    y = x * w1
    return y + a_jax_array


def test_2_a_limit_reports_each_use_with_its_line():
    line = product_and_sum.__code__.co_firstlineno
    limits = {"jax_captured_constants_warn_bytes": 64, "jax_captured_constants_report_frames": 1}
    first, second = warned(product_and_sum, jnp.ones(16), **limits)
    assert first.startswith("Closed-over constant <class 'numpy.ndarray'>: float32[16] in <lambda> at ")
    assert first.endswith(f" used at:\n    {__file__}:{line + 1}:8 (product_and_sum)\n\n")
    assert second.startswith(
        "Closed-over constant <class 'jaxlib._jax.ArrayImpl'>: float32[16] in <lambda> at "
    )
    assert second.endswith(f" used at:\n    {__file__}:{line + 2}:11 (product_and_sum)\n\n")


def test_2_nothing_is_said_below_the_limit_or_where_it_is_switched_off():
    for limit in (65, -1):
        assert warned(product_and_sum, jnp.ones(16), jax_captured_constants_warn_bytes=limit) == []


def test_2_in_the_older_way_the_largest_are_listed():
    line = product_and_sum.__code__.co_firstlineno
    [text] = warned(
        product_and_sum,
        jnp.ones(16),
        jax_use_simplified_jaxpr_constants=False,
        jax_captured_constants_warn_bytes=100,
        jax_captured_constants_report_frames=1,
    )
    assert text == (
        "A large amount of constants were captured during lowering (128.00B total). If this is intentional, disable this "
        "warning by setting JAX_CAPTURED_CONSTANTS_WARN_BYTES=-1. The subsequent report may be disabled by setting "
        "JAX_CAPTURED_CONSTANTS_REPORT_FRAMES=0.\n\n"
        "Largest 1 allocation(s):\n"
        "  Constant <class 'numpy.ndarray'>, float32[16], 64.00B captured at:\n"
        f"    {__file__}:{line + 1}:8 (product_and_sum)\n\n"
        "  Constant <class 'jaxlib._jax.ArrayImpl'>, float32[16], 64.00B captured at:\n"
        f"    {__file__}:{line + 2}:11 (product_and_sum)\n\n"
    )


def choosing(x):
    y = x * w1
    return lax.cond(x[0] > 0, lambda y: y + w1, lambda y: y - w2, y)


def test_2_uses_inside_of_branches_are_found():
    line = choosing.__code__.co_firstlineno + 2
    [text] = warned(
        choosing,
        jnp.ones(16),
        jax_use_simplified_jaxpr_constants=False,
        jax_captured_constants_warn_bytes=100,
        jax_captured_constants_report_frames=1,
    )
    assert text.count("Constant <class") == 2
    first, second = text.split("  Constant <class")[1:]
    assert [part.split(" (")[0].split(":")[-2:] for part in first.split("\n") if __file__ in part] == [
        [str(line - 1), "8"],
        [str(line), "40"],
    ]
    assert [part.split(" (")[0].split(":")[-2:] for part in second.split("\n") if __file__ in part] == [
        [str(line), "58"]
    ]


# ---- 3: the switch


@pytest.mark.parametrize(("value", "count"), [("0", 1), ("1", 3)])
def test_3_the_environment_chooses_the_way(value, count):
    program = (
        "import numpy as np, jaxnb, jaxnb.numpy as jnp\n"
        "a, b = jnp.ones(16), np.arange(16.)\n"
        "text = jaxnb.jit(lambda x: x + a + b).lower(jnp.ones(16)).as_text()\n"
        "print(text.split('@main(')[1].split(') ->')[0].count('%arg'))"
    )
    env = {**os.environ, "JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS": value}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(count)


def test_3_both_ways_of_one_function_are_not_confused():
    g = jaxnb.jit(f)
    texts = []
    for _ in range(2):
        texts.append(g.lower(jnp.ones(16)).as_text())
        with older_way():
            texts.append(g.lower(jnp.ones(16)).as_text())
    assert texts[:2] == texts[2:]
    assert [len(signature(text)) for text in texts[:2]] == [3, 1]


# ---- 4: literals


@pytest.mark.parametrize(
    "value",
    [2, 2.0, True, 2j, np.float32(2), np.full(3, 2, np.float32), jnp.full(3, 2.0), np.array(2.0, np.float32)],
    ids=lambda value: type(value).__name__,
)
def test_4_scalars_and_arrays_become_literals(value):
    jaxpr = jaxnb.make_jaxpr(lambda x: jnp.equal(x, value))(jnp.ones(3, jnp.result_type(value)))
    [literal] = [atom for eqn in jaxpr.eqns for atom in eqn.invars if type(atom) is Literal]
    assert np.asarray(literal.val).tolist() == np.asarray(value).tolist()
    assert jaxpr.consts == []


def test_4_an_array_that_is_returned_is_one_too():
    jaxpr = jaxnb.make_jaxpr(lambda x: (x, w1))(1.0)
    assert type(jaxpr.jaxpr.outvars[1]) is Literal
    assert str(jaxpr) == "{ lambda ; a:f32[]. let  in (a, [...]:f32[16]) }"


def test_4_what_is_no_array_is_an_error():
    with pytest.raises(
        TypeError, match=r"type <class 'object'> at output component \[1\], which is not a valid JAX type"
    ):
        jaxnb.jit(lambda x: (x, object()))(1.0)


def test_4_under_differentiation_an_array_stays_a_constant():
    jaxpr = jaxnb.make_jaxpr(jaxnb.grad(lambda x: (jnp.sin(x) * w1).sum()))(jnp.ones(16))
    assert (
        str(jaxpr)
        == """\
{ lambda ; a:f32[16]. let
    b:f32[16] = sin a
    c:f32[16] = cos a
    d:f32[16] = mul b [...]:f32[16]
    _:f32[] = reduce_sum[axes=(0,) out_sharding=None] d
    e:f32[16] = broadcast_in_dim 1.0:f32[]
    f:f32[16] = mul e [...]:f32[16]
    g:f32[16] = mul f c
  in (g,) }"""
    )


# ---- 5: constants become arguments


def test_5_1_each_array_is_one_argument_before_the_others():
    text = module(f, jnp.ones(16))
    assert (
        text
        == """\
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32> {jax.const = true}, %arg1: tensor<16xf32> {jax.const = true}, \
%arg2: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg2, %arg0 : tensor<16xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<16xf32>
    %cst = stablehlo.constant dense<1.420000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.convert %2 : tensor<16xf32>
    %4 = stablehlo.add %1, %3 : tensor<16xf32>
    return %4 : tensor<16xf32>
  }
}
"""
    )


def test_5_1_an_array_that_is_used_twice_is_one_argument():
    assert signature(module(lambda x: x + nine + nine, jnp.ones(9))) == [("9xf32", True), ("9xf32", False)]


def test_5_1_two_arrays_of_equal_values_are_two():
    other = nine.copy()
    assert len(signature(module(lambda x: x + nine + other, jnp.ones(9)))) == 3


def test_5_1_they_are_found_in_inner_programs_and_results_and_remembered():
    def g(x):
        return lax.scan(lambda c, _: (c + w1, None), x, None, length=2)[0], w2

    jaxpr = jaxnb.jit(g).trace(jnp.ones(16)).jaxpr.jaxpr
    found = jaxpr_const_args(jaxpr)
    assert sorted(np.asarray(one).tolist() for one in found) == [w1.tolist(), w2.tolist()]
    assert jaxpr_const_args(jaxpr) is found


def test_5_1_what_is_remembered_does_not_keep_a_program_alive():
    jaxpr = jaxnb.make_jaxpr(lambda x: x + w1)(jnp.ones(16)).jaxpr
    jaxpr_const_args(jaxpr)
    alive = weakref.ref(jaxpr)
    del jaxpr
    jaxnb.clear_caches()
    gc.collect()
    assert alive() is None


def test_5_2_small_arrays_are_written_into_the_program():
    assert [is_hoistable(x) for x in (eight, nine, np.float32(1), np.ones((), np.float32))] == [
        False,
        True,
        False,
        False,
    ]
    assert signature(module(lambda x: x[:8] + eight, jnp.ones(9))) == [("9xf32", False)]
    with settings(jax_embedded_constants_max_bytes=36):
        assert signature(module(lambda x: x + nine, jnp.ones(9))) == [("9xf32", False)]


def test_5_3_an_inner_function_has_its_own_smaller_set():
    inner = jaxnb.jit(lambda x: x * w1)
    text = module(lambda x: inner(x) + w1 + w2, jnp.ones(16))
    # one that both use counts twice in the outer
    assert signature(text) == [("16xf32", True)] * 3 + [("16xf32", False)]
    assert signature(text, 'private @"<lambda>"(') == [("16xf32", True), ("16xf32", False)]


def test_5_3_a_branch_is_no_function_and_uses_the_callers():
    text = module(lambda x: lax.cond(x[0] > 0, lambda y: y + w1, lambda y: y * w2, x), jnp.ones(16))
    assert signature(text) == [("16xf32", True), ("16xf32", True), ("16xf32", False)]
    assert "stablehlo.multiply %arg2, %arg0" in text
    assert "stablehlo.add %arg2, %arg1" in text
    assert text.count("stablehlo.constant") == 1


def test_5_3_tokens_come_before_constants():
    def printing(x):
        jaxnb.debug.print("{}", x[0], ordered=True)
        return x * w1

    inner = jaxnb.jit(printing)
    heads = [one for one in module(lambda x: inner(x) + 1, jnp.ones(16)).split("\n") if "func.func" in one]
    token, constant = "!stablehlo.token {jax.token = true}", "tensor<16xf32> {jax.const = true}"
    assert len(heads) == 2
    assert all(f"(%arg0: {token}, %arg1: {constant}, %arg2: tensor<16xf32>)" in head for head in heads)


# ---- 6: where constants stay constants


def test_6_scalars_and_small_arrays():
    assert "stablehlo.constant dense<2.800000e+01>" in module(lambda x: x + eight.sum(), 1.0)
    assert "stablehlo.constant dense<[0.000000e+00, 1.0" in module(lambda x: x[:8] + eight, jnp.ones(9))


def test_6_what_lowering_itself_makes():
    text = module(lambda k: random.bits(k, (2,)), jaxnb.ShapeDtypeStruct((2,), "uint32"))
    assert text.count("stablehlo.constant") == 15
    assert signature(text) == [("2xui32", False)]


def test_6_exports():
    exported = jaxnb.export.export(jaxnb.jit(lambda x: x + w1))(jnp.ones(16))
    text = str(exported.mlir_module())
    assert "jax.const" not in text
    assert "stablehlo.constant dense<[0.000000e+00, 1.0" in text
    assert exported.in_avals[0].shape == (16,)


# ---- 7: through the stages to the executable


def test_7_the_second_call_runs_no_python():
    const = jnp.arange(16.0)
    calls = []
    g = jaxnb.jit(lambda: (calls.append(1), const)[1])
    assert g().tolist() == g().tolist() == list(range(16))
    assert calls == [1]
    python = []
    sys.setprofile(lambda frame, event, arg: python.append(frame.f_code.co_name) if event == "call" else None)
    try:
        g()
    finally:
        sys.setprofile(None)
    assert python == []


def test_7_the_programs_of_that_example():
    const, large = jnp.array([42.0]), jnp.arange(16.0)
    assert str(jaxnb.jit(lambda: const).trace().jaxpr) == "{ lambda ; . let  in ([...]:f32[1],) }"
    assert (
        "stablehlo.constant dense<4.200000e+01> : tensor<1xf32>" in jaxnb.jit(lambda: const).lower().as_text()
    )
    assert "return %arg0 : tensor<16xf32>" in jaxnb.jit(lambda: large).lower().as_text()


def test_7_compiled_speaks_of_the_users_arguments_only():
    compiled = jaxnb.jit(lambda x: f(x)).lower(jnp.ones(16)).compile()
    assert str(compiled.in_avals) == "((ShapedArray(float32[16]),), {})"
    assert compiled.memory_analysis().argument_size_in_bytes == 3 * 64
    assert compiled(jnp.ones(16)).tolist() == [186.0] * 16


# ---- 8: serialised programs


def test_8_the_cache_on_disk_holds_no_array(tmp_path):
    known = np.frombuffer(b"a value that can be found again " * 256, np.uint8).copy()
    program = (
        "import sys, numpy as np, jaxnb, jaxnb.numpy as jnp\n"
        "known = np.frombuffer(sys.argv[1].encode() * 256, np.uint8).copy()\n"
        "print(int(jaxnb.jit(lambda x: (x + known).sum())(jnp.uint8(1))))"
    )
    env = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
    }
    command = [sys.executable, "-c", program, "a value that can be found again "]
    results = {
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)
    }
    assert results == {f"{int((known.astype(int) + 1).sum())}\n"}
    entries = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    assert entries
    assert not any(b"found again a value" in entry for entry in entries)


# ---- 9: 64-bit arrays


def test_9_lowering_and_running_may_disagree_about_64_bits():
    with jaxnb.enable_x64(True):
        compiled = jaxnb.jit(lambda x: x + c64).lower(jnp.ones(16, "float32")).compile()
    result = compiled(jnp.ones(16, "float32"))
    assert result.dtype == np.float64
    assert np.asarray(result).tolist() == (c64 + 1).tolist()
    compiled = jaxnb.jit(lambda x: x + c64).lower(jnp.ones(16, "float32")).compile()
    with jaxnb.enable_x64(True):
        result = compiled(np.ones(16, "float32"))
    assert result.dtype == np.float32
    assert np.asarray(result).tolist() == (c64 + 1).tolist()


# ---- 10: the older way


@pytest.mark.parametrize(
    ("fun", "text"),
    [
        (
            lambda x: lax.cond(x[0] > 0, lambda y: y + w1, lambda y: y, x),
            """\
{ lambda a:f32[16]; b:f32[16]. let
    c:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=None] b
    d:f32[] = squeeze[dimensions=(0,)] c
    e:bool[] = gt d 0.0:f32[]
    f:i32[] = convert_element_type[new_dtype=int32 weak_type=False] e
    g:f32[16] = cond[
      branches=(
        { lambda ; h:f32[16] i:f32[16]. let  in (i,) }
        { lambda ; j:f32[16] k:f32[16]. let l:f32[16] = add k j in (l,) }
      )
    ] f a b
  in (g,) }""",
        ),
        (
            lambda x: lax.while_loop(lambda c: c[0] < w1[3], lambda c: c + w1, x),
            """\
{ lambda a:f32[16]; b:f32[16]. let
    c:f32[16] = while[
      body_jaxpr={ lambda ; d:f32[16] e:f32[16]. let
          f:f32[16] = add e d
        in (f,) }
      body_nconsts=1
      cond_jaxpr={ lambda ; g:f32[16]. let
          h:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=None] g
          i:f32[] = squeeze[dimensions=(0,)] h
          j:bool[] = lt i 3.0:f32[]
        in (j,) }
      cond_nconsts=0
    ] a b
  in (c,) }""",
        ),
        (
            lambda x: jaxnb.jit(lambda y: y + w1)(x),
            """\
{ lambda ; a:f32[16]. let
    b:f32[16] = jit[
      name=<lambda>
      jaxpr={ lambda c:f32[16]; a:f32[16]. let b:f32[16] = add a c in (b,) }
    ] a
  in (b,) }""",
        ),
    ],
    ids=["cond", "while", "jit"],
)
def test_10_arrays_are_operands_of_loops_and_branches_and_stay_with_inner_functions(fun, text):
    with older_way():
        assert str(jaxnb.make_jaxpr(fun)(jnp.ones(16))) == text


def test_10_the_module_grows_with_the_array_and_the_results_are_the_same():
    table = jnp.asarray(np.random.default_rng(0).normal(size=(64, 64)), jnp.float32)
    facts = explore_constants(lambda v: table @ v, jnp.ones(64)).facts()
    assert facts["old"]["StableHLO [characters]"] > 32_000 > 1000 > facts["new"]["StableHLO [characters]"]
    assert facts["new"]["argument memory"] - facts["old"]["argument memory"] == table.nbytes
    assert [(one["old"], one["new"]) for one in facts["constants"]] == [
        ("in the program", "hidden argument %arg0")
    ]


def test_10_what_xla_folds_in_the_older_way_stays_in_the_newer():
    def lowered():
        return jaxnb.jit(lambda: jnp.sum(a_jax_array)).lower().compile().as_text()

    with older_way():
        assert " reduce(" not in lowered()
    assert " reduce(" in lowered()


# ---- 11: the settings


def test_11_their_values_at_the_start():
    names = (
        "use_simplified_jaxpr_constants",
        "captured_constants_report_frames",
        "embedded_constants_max_bytes",
    )
    program = f"import jaxnb; print([jaxnb.config.values['jax_' + n] for n in {names}])"
    env = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[True, 0, 32]\n"  # the first is on here, and off in JAX: see docs/differences.md


def test_11_they_are_part_of_the_jit_key():
    calls = []
    g = jaxnb.jit(lambda x: (calls.append(1), x + nine)[1])
    g(jnp.ones(9))
    with settings(jax_embedded_constants_max_bytes=64):
        g(jnp.ones(9))
    with older_way():
        g(jnp.ones(9))
    g(jnp.ones(9))
    assert len(calls) == 3
