"""The worked examples of the document on jit, part 1: how a function becomes a jaxpr.

Printed texts are those of today's JAX, verified against it with jaxlib 0.10.2 and 0.12.
"""

from __future__ import annotations

import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.errors import UnexpectedTracerError
from jaxnb.experimental import io_callback
from jaxnb.xla.version import JAXLIB_VERSION

ERRORS = "https://docs.jax.dev/en/latest/" + ("101/" if JAXLIB_VERSION >= (0, 12) else "") + "errors.html"
seen: list = []

LOG2 = """\
{ lambda ; a:f32[]. let
    b:f32[] = log a
    c:f32[] = log 2.0:f32[]
    d:f32[] = div b c
  in (d,) }"""


def log2(x):
    seen.append(x)
    return jnp.log(x) / jnp.log(2.0)


@pytest.fixture(autouse=True)
def _forget():
    jaxnb.clear_caches()
    seen.clear()
    yield
    seen.clear()


def test_1_a_function_becomes_primitive_operations():
    assert str(jaxnb.make_jaxpr(log2)(3.0)) == LOG2
    assert float(log2(8.0)) == 3.0


def test_1_1_a_side_effect_happens_while_tracing_and_is_no_part_of_the_jaxpr():
    jaxpr = jaxnb.make_jaxpr(log2)(3.0)
    assert "append" not in str(jaxpr)
    [tracer] = seen
    assert repr(tracer) == "JitTracer(~float32[])"


def test_1_1_the_value_that_the_side_effect_kept_cannot_be_used():
    jaxnb.make_jaxpr(log2)(3.0)
    with pytest.raises(UnexpectedTracerError) as raised:
        seen[0] + 1
    line = log2.__code__.co_firstlineno
    rule = "------------------------------\n"
    assert str(raised.value) == (
        "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a reference to "
        "an intermediate value with type float32[] wrapped in a DynamicJaxprTracer to escape the scope of the "
        "transformation.\n"
        "JAX transformations require that functions explicitly return their outputs, and disallow saving intermediate "
        "values to global state.\n"
        f"The function being traced when the value leaked was log2 at {__file__}:{line} traced for jit.\n"
        f"{rule}The leaked intermediate value was created on line . \n"
        f"{rule}When the value was created, the final 5 stack frames (most recent last) excluding JAX-internal frames "
        f"were:\n{rule}\n{rule}\n"
        "To catch the leak earlier, try setting the environment variable JAX_CHECK_TRACER_LEAKS or using the "
        "`jax.checking_leaks` context manager.\n"
        f"See {ERRORS}#jax.errors.UnexpectedTracerError"
    )


def test_1_1_a_leak_is_found_at_once_where_it_is_asked_for():
    with pytest.raises(Exception, match="Leaked trace DynamicJaxprTrace") as raised, jaxnb.checking_leaks():
        jaxnb.jit(log2)(3.0)
    assert f"is referred to by {__name__}.seen" in str(raised.value)
    with jaxnb.checking_leaks():
        assert float(jaxnb.jit(lambda x: jnp.log(x) / jnp.log(2.0))(8.0)) == 3.0


def test_1_1_printing_that_is_part_of_the_program_prints_at_every_call(capsys):
    @jaxnb.jit
    def shown(x):
        jaxnb.debug.print("x = {}", x)
        return x

    shown(1.0)
    shown(2.0)
    jaxnb.effects_barrier()
    assert capsys.readouterr().out == "x = 1.0\nx = 2.0\n"


def test_1_1_any_side_effect_can_be_part_of_the_program():
    @jaxnb.jit
    def logged(x):
        return io_callback(lambda v: (seen.append(float(v)), v)[1], jaxnb.ShapeDtypeStruct((), x.dtype), x)

    assert [float(logged(jnp.float32(v))) for v in (1.0, 2.0)] == [1.0, 2.0]
    assert seen == [1.0, 2.0]


def test_1_2_python_printing_shows_the_tracer_once(capsys):
    def printing(x):
        print("printed x:", x)
        return log2(x)

    traced = jaxnb.jit(printing)
    assert str(jaxnb.make_jaxpr(traced.__wrapped__)(3.0)) == LOG2
    assert capsys.readouterr().out == "printed x: JitTracer(~float32[])\n"
    traced(3.0)
    traced(4.0)
    assert capsys.readouterr().out.count("printed x:") <= 1


def test_1_3_only_the_branch_that_was_taken_is_in_the_jaxpr():
    def log2_of_a_matrix(x):
        if x.ndim == 2:
            return jnp.log(x) / jnp.log(2.0)
        return x

    assert (
        str(jaxnb.make_jaxpr(log2_of_a_matrix)(jnp.array([1, 2, 3]))) == "{ lambda ; a:i32[3]. let  in (a,) }"
    )
    assert (
        str(jaxnb.make_jaxpr(log2_of_a_matrix)(jnp.ones((1, 2))))
        == """\
{ lambda ; a:f32[1,2]. let
    b:f32[1,2] = log a
    c:f32[] = log 2.0:f32[]
    d:f32[] = convert_element_type[new_dtype=float32 weak_type=False] c
    e:f32[1,2] = div b d
  in (e,) }"""
    )


def test_1_3_another_shape_or_type_is_traced_again():
    f = jaxnb.jit(lambda x: (seen.append(x), x * 2)[1])
    for x in (jnp.ones(3), jnp.zeros(3), jnp.ones(4), jnp.ones(3, jnp.int32), jnp.ones(4)):
        f(x)
    assert [x.aval.str_short() for x in seen] == ["float32[3]", "float32[4]", "int32[3]"]


def test_1_3_make_jaxpr_traces_as_jit_does_and_keeps_types_only():
    def f(x, n):
        return x * n

    made = jaxnb.make_jaxpr(f, static_argnums=1)(2.0, 3)
    assert str(made) == str(jaxnb.jit(f, static_argnums=1).trace(2.0, 3).jaxpr)
    assert [v.aval.str_short() for v in made.jaxpr.invars] == ["float32[]"]
    assert made.jaxpr.invars[0].aval.weak_type
    assert str(made) == "{ lambda ; a:f32[]. let b:f32[] = mul a 3.0:f32[] in (b,) }"


def test_1_3_control_flow_that_depends_on_values_is_a_primitive():
    jaxpr = jaxnb.make_jaxpr(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x))(1.0)
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["gt", "convert_element_type", "cond"]
