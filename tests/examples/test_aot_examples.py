"""The worked examples of the document on compiling ahead of time, in its order.

Texts and values are those of today's JAX, verified against it with jaxlib 0.10.2 and 0.12.
"""

from __future__ import annotations

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp

SCALAR = jaxnb.ShapeDtypeStruct((), jnp.dtype("int32"))

JAXPR = """\
{ lambda ; a:i32[] b:i32[]. let
    c:i32[] = mul 2:i32[] a
    d:i32[] = add c b
  in (d,) }"""

MODULE = """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.multiply %c, %arg0 : tensor<i32>
    %1 = stablehlo.add %0, %arg1 : tensor<i32>
    return %1 : tensor<i32>
  }
}
"""

FOLDED = """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>) -> (tensor<i32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<14> : tensor<i32>
    %0 = stablehlo.add %c, %arg0 : tensor<i32>
    return %0 : tensor<i32>
  }
}
"""


def f(x, y):
    return 2 * x + y


# ---- 3: through the steps


def test_3_the_steps_one_by_one():
    traced = jaxnb.jit(f).trace(3, 4)
    assert str(traced.jaxpr) == JAXPR
    lowered = traced.lower()
    assert lowered.as_text() == MODULE
    compiled = lowered.compile()
    assert compiled.cost_analysis()["flops"] == 2.0
    assert repr(compiled(3, 4)) == "Array(10, dtype=int32, weak_type=True)"


def test_3_lower_takes_the_first_two_steps_at_once():
    assert jaxnb.jit(f).lower(3, 4).as_text() == MODULE


def test_3_what_jit_returns_is_a_wrapped_function():
    assert isinstance(jaxnb.jit(f), jaxnb.stages.Wrapped)
    assert not isinstance(f, jaxnb.stages.Wrapped)


def test_3_every_stage_says_what_it_takes():
    traced = jaxnb.jit(f).trace(3, 4)
    lowered = traced.lower()
    for stage in (traced, lowered, lowered.compile()):
        assert str(stage.in_tree) == "PyTreeDef(((*, *), {}))"
        assert str(stage.in_avals) == (
            "((ShapedArray(int32[], weak_type=True), ShapedArray(int32[], weak_type=True)), {})"
        )
        assert [(a.shape, a.dtype, a.donated) for a in stage.args_info[0]] == [((), np.int32, False)] * 2
        assert stage.donate_argnums == ()
    assert traced.fun_name == "f"
    assert str(traced.out_info) == "ShapeDtypeStruct(shape=(), dtype=int32, weak_type=True)"


def test_3_1_options_of_one_compilation():
    lowered = jaxnb.jit(f).lower(3, 4)
    with pytest.raises(jaxnb.errors.JaxRuntimeError) as raised:
        lowered.compile(compiler_options={"xla_no_such": 1})
    assert str(raised.value) == "INVALID_ARGUMENT: No such compile option: 'xla_no_such'"
    assert int(lowered.compile(compiler_options={"xla_embed_ir_in_executable": True})(3, 4)) == 10


# ---- 4: questions before running


def test_4_memory():
    stats = jaxnb.jit(f).lower(3, 4).compile().memory_analysis()
    assert (stats.argument_size_in_bytes, stats.output_size_in_bytes, stats.temp_size_in_bytes) == (8, 4, 0)


def test_4_cost_before_the_compiler_has_seen_it():
    cost = jaxnb.jit(f).lower(3, 4).cost_analysis()
    assert cost["flops"] == 2.0
    assert cost["bytes accessed"] == 24.0


def test_4_1_eval_shape_only_traces():
    expected = "ShapeDtypeStruct(shape=(), dtype=int32)"
    assert repr(jaxnb.jit(f).eval_shape(SCALAR, SCALAR)) == expected
    assert repr(jaxnb.eval_shape(f, SCALAR, SCALAR)) == expected
    assert repr(jaxnb.eval_shape(f, 3, 4)) == "ShapeDtypeStruct(shape=(), dtype=int32, weak_type=True)"


def test_4_1_it_says_what_the_results_would_be():
    def g(x):
        return {"a": x + 1, "b": (x.sum(), None)}

    x = jnp.ones((2, 3))
    like = jaxnb.tree.map(jaxnb.ShapeDtypeStruct.like, g(x))
    asked = jaxnb.eval_shape(g, x)
    assert jaxnb.tree.structure(asked) == jaxnb.tree.structure(like)
    assert [(s.shape, s.dtype) for s in jaxnb.tree.leaves(asked)] == [
        (s.shape, s.dtype) for s in jaxnb.tree.leaves(like)
    ]


def test_4_1_it_raises_what_a_call_would_raise():
    a, b = (jaxnb.ShapeDtypeStruct((n,), "int32") for n in (2, 3))
    with pytest.raises(TypeError) as refused:
        jaxnb.eval_shape(f, a, b)
    assert str(refused.value) == "add got incompatible shapes for broadcasting: (2,), (3,)."


# ---- 5: arguments without values


def test_5_shape_and_type_are_enough():
    compiled = jaxnb.jit(f).trace(SCALAR, SCALAR).lower().compile()
    assert repr(compiled(3, 4)) == "Array(10, dtype=int32)"


def test_5_any_object_with_both_will_do():
    class Duck:
        shape, dtype = (3,), np.dtype("float32")

    traced = jaxnb.jit(f).trace(Duck(), Duck())
    assert [v.aval.str_short() for v in traced.jaxpr.jaxpr.invars] == ["float32[3]", "float32[3]"]


@pytest.mark.parametrize(
    ("argument", "called"), [(np.arange(3, dtype=np.int32), "int32[3]"), (np.float32(72.0), "float32[]")]
)
def test_5_1_each_argument_that_does_not_fit_is_listed(argument, called):
    compiled = jaxnb.jit(f).trace(SCALAR, SCALAR).lower().compile()
    with pytest.raises(TypeError) as raised:
        compiled(argument, argument)
    assert str(raised.value) == (
        "Argument types differ from the types for which this computation was compiled. Perhaps you are calling the "
        "compiled executable with a different enable_x64 mode than when it was AOT compiled? The mismatches are:\n"
        f"Argument 'x' compiled with int32[] and called with {called}\n"
        f"Argument 'y' compiled with int32[] and called with {called}"
    )


@pytest.mark.parametrize(
    ("args", "kwargs", "mismatches"),
    [
        (
            ((3,), 4),
            {},
            ["at args[0], seen pytree leaf but now given <class 'tuple'>, so their Python types differ"],
        ),
        (
            (3,),
            {},
            ["at args, seen tuple of length 2 but now given tuple of length 1, so the lengths do not match"],
        ),
        (
            (),
            {"x": 3, "y": 4},
            [
                "at args, seen tuple of length 2 but now given tuple of length 0, so the lengths do not match",
                "at kwargs, seen <class 'dict'> with 0 child but now given <class 'dict'> with 2 children, so the numbers "
                "of children do not match, with the symmetric difference of key sets: {'x' 'y'}",
            ],
        ),
    ],
)
def test_5_1_so_is_each_place_where_the_structure_differs(args, kwargs, mismatches):
    compiled = jaxnb.jit(f).lower(3, 4).compile()
    with pytest.raises(TypeError) as raised:
        compiled(*args, **kwargs)
    assert str(raised.value) == (
        "Function compiled with input pytree does not match the input pytree it was called with. There are "
        f"{len(mismatches)} mismatches, including:\n" + "\n".join(f"    * {m}" for m in mismatches)
    )


# ---- 6: static arguments


def test_6_a_static_argument_is_folded_and_not_passed():
    lowered = jaxnb.jit(f, static_argnums=0).trace(7, 8).lower()
    assert lowered.as_text() == FOLDED
    assert repr(lowered.compile()(5)) == "Array(19, dtype=int32, weak_type=True)"


def test_6_its_value_is_needed():
    with pytest.raises(TypeError) as raised:
        jaxnb.jit(f, static_argnums=0).trace(SCALAR, SCALAR)
    assert str(raised.value) == "unsupported operand type(s) for *: 'int' and 'ShapeDtypeStruct'"
    assert (
        repr(jaxnb.jit(f, static_argnums=0).trace(10, SCALAR).lower().compile()(5))
        == "Array(25, dtype=int32)"
    )


def test_6_1_for_another_process_there_is_export():
    exported = jaxnb.export.export(jaxnb.jit(f))(SCALAR, SCALAR)
    again = jaxnb.export.deserialize(exported.serialize())
    assert repr(again.call(jnp.int32(3), jnp.int32(4))) == "Array(10, dtype=int32)"


# ---- 7: no transformations


def g(x):
    assert x.shape == (3, 2)
    return x @ jnp.ones(2)


def make_z(*shape):
    return jnp.arange(np.prod(shape)).reshape(shape)


def test_7_a_jitted_function_can_be_mapped():
    assert (
        repr(jaxnb.vmap(jaxnb.jit(g))(make_z(4, 3, 2)))
        == """\
Array([[ 1.,  5.,  9.],
       [13., 17., 21.],
       [25., 29., 33.],
       [37., 41., 45.]], dtype=float32)"""
    )


@pytest.mark.parametrize(
    ("transformed", "z", "tracer"),
    [
        (jaxnb.vmap, make_z(4, 3, 2), "BatchTracer"),
        (jaxnb.jit, make_z(3, 2), "DynamicJaxprTracer"),
        (lambda c: jaxnb.grad(lambda x: c(x).sum()), make_z(3, 2).astype("float32"), "LinearizeTracer"),
        (lambda c: lambda x: jaxnb.jvp(c, (x,), (x,)), make_z(3, 2).astype("float32"), "JVPTracer"),
        (jaxnb.make_jaxpr, make_z(3, 2), "DynamicJaxprTracer"),
    ],
    ids=["vmap", "jit", "grad", "jvp", "make_jaxpr"],
)
def test_7_a_compiled_one_can_not_be_transformed(transformed, z, tracer):
    compiled = jaxnb.jit(g).trace(z.reshape(-1, 3, 2)[0]).lower().compile()
    with pytest.raises(TypeError) as raised:
        transformed(compiled)(z)
    text = str(raised.value)
    assert text.startswith(
        "Cannot apply JAX transformations to a function lowered and compiled for a particular signature. Detected argument "
        "of Tracer type <class '"
    )
    assert text.endswith(f".{tracer}'>.")


def test_7_the_compiled_one_runs():
    assert repr(jaxnb.jit(g).trace(make_z(3, 2)).lower().compile()(make_z(3, 2))) == (
        "Array([1., 5., 9.], dtype=float32)"
    )


# ---- 8: what the stages tell


def test_8_lowered_tells_text_with_and_without_places_and_the_compilers_objects():
    lowered = jaxnb.jit(f).lower(3, 4)
    assert "loc(" not in lowered.as_text()
    told = lowered.as_text(debug_info=True)
    line = f.__code__.co_firstlineno + 1
    assert f'"{__file__}":{line}:11 to :16' in told
    assert 'loc("jit(f)/mul"' in told
    assert lowered.as_text(dialect="hlo").startswith(
        "HloModule jit_f, entry_computation_layout={(s32[], s32[])->s32[]}"
    )
    assert type(lowered.compiler_ir()).__name__ == "Module"
    assert type(lowered.compiler_ir("hlo")).__name__ == "XlaComputation"


def test_8_compiled_tells_more():
    compiled = jaxnb.jit(f).lower(3, 4).compile()
    assert "ENTRY" in compiled.as_text()
    assert type(compiled.runtime_executable()).__name__ == "LoadedExecutable"
    assert str(compiled.out_tree) == "PyTreeDef(*)"
    device = jaxnb.devices()[0]
    for sharding in (*compiled.input_shardings[0], compiled.output_shardings):
        assert sharding.device_set == {device}
    for form in (*compiled.input_formats[0], compiled.output_formats):
        assert form.layout.major_to_minor == ()
    assert (compiled.out_info.shape, compiled.out_info.dtype) == ((), np.int32)
