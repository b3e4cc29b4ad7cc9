"""The worked examples of the document on jit, parts 2 to 5: compiling, what cannot be, static arguments, the cache.

Results are those of today's JAX, verified against it with jaxlib 0.10.2 and 0.12.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.errors import TracerBoolConversionError
from jaxnb.xla.version import JAXLIB_VERSION

NEW = JAXLIB_VERSION >= (0, 12)
ERRORS = "https://docs.jax.dev/en/latest/" + ("101/" if NEW else "") + "errors.html"
traces: list = []


@pytest.fixture(autouse=True)
def _forget():
    traces.clear()


# ---- 2: compiling a function


def selu(x, alpha=1.67, lambda_=1.05):
    return lambda_ * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)


def test_2_selu_as_a_jaxpr():
    assert (
        str(jaxnb.make_jaxpr(selu)(jnp.arange(5.0)))
        == """\
{ lambda ; a:f32[5]. let
    b:bool[5] = gt a 0.0:f32[]
    c:f32[5] = exp a
    d:f32[5] = mul 1.6699999570846558:f32[] c
    e:f32[5] = sub d 1.6699999570846558:f32[]
    f:f32[5] = jit[
      name=_where
      jaxpr={ lambda ; b:bool[5] a:f32[5] e:f32[5]. let
          f:f32[5] = select_n b e a
        in (f,) }
    ] b a e
    g:f32[5] = mul 1.0499999523162842:f32[] f
  in (g,) }"""
    )


def test_2_selu_of_whole_numbers_converts_them_first():
    jaxpr = jaxnb.make_jaxpr(selu)(jnp.arange(1000000))
    names = [eqn.primitive.name for eqn in jaxpr.eqns]
    assert names == ["gt", "convert_element_type", "exp", "mul", "sub", "jit", "mul"]


def test_2_the_compiled_function_gives_the_same():
    x = jnp.arange(-2.0, 3.0)
    by_operation, compiled = selu(x).block_until_ready(), jaxnb.jit(selu)(x).block_until_ready()
    np.testing.assert_allclose(by_operation, [-1.5161895, -1.1084234, 0.0, 1.05, 2.1], rtol=1e-6)
    np.testing.assert_allclose(compiled, by_operation, rtol=1e-6)


def test_2_1_the_whole_of_it_is_one_kernel():
    compiled = jaxnb.jit(selu).lower(jnp.arange(1000000)).compile()
    assert compiled.as_text().split("ENTRY")[1].count(" fusion(") == 1


def test_2_1_the_first_call_traces_and_later_ones_run_no_python():
    f = jaxnb.jit(lambda x: (traces.append(1), selu(x))[1])
    x = jnp.arange(10.0)
    for _ in range(3):
        f(x).block_until_ready()
    assert len(traces) == 1


def test_2_2_the_options_do_what_they_say():
    def f(x, unused):
        return x + 1

    x = jnp.ones(3)

    def parameters(**options):
        text = jaxnb.jit(f, **options).lower(x, x).as_text()
        return text.split("@main(")[1].split(") ->")[0].count("%arg")

    assert (parameters(), parameters(keep_unused=True)) == (1, 2)
    with pytest.raises(jaxnb.errors.JaxRuntimeError, match="No such compile option: 'xla_no_such'"):
        jaxnb.jit(f, compiler_options={"xla_no_such": 1})(x, x)
    for old in ({"backend": "cpu"}, {"device": jaxnb.devices()[0]}):
        with pytest.warns(DeprecationWarning, match="backend and device argument on jit is deprecated"):
            assert jaxnb.jit(f, **old)(x, x).devices() == {jaxnb.devices()[0]}


def test_2_2_inlining_is_decided_late_in_newer_jax():
    jaxpr = str(jaxnb.make_jaxpr(lambda x: jaxnb.jit(lambda y: y + 1, inline=True)(x))(1.0))
    called = """\
{ lambda ; a:f32[]. let
    b:f32[] = jit[
      name=<lambda>
      jaxpr={ lambda ; a:f32[]. let b:f32[] = add a 1.0:f32[] in (b,) }
    ] a
  in (b,) }"""
    inlined = "{ lambda ; a:f32[]. let b:f32[] = add a 1.0:f32[] in (b,) }"
    assert jaxpr == (called if NEW else inlined)
    assert str(jaxnb.make_jaxpr(lambda x: jaxnb.jit(lambda y: y + 1)(x))(1.0)) == called


def test_2_2_a_donated_buffer_is_written_over_and_gone():
    f = jaxnb.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(3)
    assert "%arg0: tensor<3xf32> {tf.aliasing_output = 0 : i32}" in f.lower(x).as_text()
    assert f(x).tolist() == [2, 2, 2]
    assert x.is_deleted()
    with pytest.raises(RuntimeError, match=r"Array has been deleted with shape=float32\[3\]\."):
        x + 1


# ---- 3: what cannot be compiled


def choose(x):
    if x > 0:
        return x
    else:
        return 2 * x


def count_up(x, n):
    i = 0
    while i < n:
        i += 1
    return x + i


def bool_error(fun, argument):
    return (
        "Attempted boolean conversion of traced array with shape bool[].\n"
        f"The error occurred while tracing the function {fun.__name__} at {__file__}:{fun.__code__.co_firstlineno} for "
        "jit. This concrete value was not available in Python because it depends on the value of the argument "
        f"{argument}.\nSee {ERRORS}#jax.errors.TracerBoolConversionError"
    )


@pytest.mark.parametrize(("fun", "args", "argument"), [(choose, (10,), "x"), (count_up, (10, 20), "n")])
def test_3_python_cannot_decide_on_a_value(fun, args, argument):
    with pytest.raises(TracerBoolConversionError) as raised:
        jaxnb.jit(fun)(*args)
    assert str(raised.value) == bool_error(fun, argument)


def test_3_1_cond_can():
    f = jaxnb.jit(lambda x: lax.cond(x > 0, lambda x: x, lambda x: 2 * x, x))
    assert [repr(f(x)) for x in (10, -10)] == [
        "Array(10, dtype=int32, weak_type=True)",
        "Array(-20, dtype=int32, weak_type=True)",
    ]


def test_3_2_the_body_of_the_loop_alone_can_be_compiled():
    loop_body = jaxnb.jit(lambda i: (traces.append(1), i + 1)[1])

    def g(x, n):
        i = 0
        while i < n:
            i = loop_body(i)
        return x + i

    assert repr(g(10, 20)) == "Array(30, dtype=int32, weak_type=True)"
    assert len(traces) == 1
    assert loop_body._cache_size() == 2  # a Python number, then arrays: one trace and one program


# ---- 4: static arguments


def test_4_a_static_argument_is_a_python_value():
    assert repr(jaxnb.jit(choose, static_argnums=0)(10)) == "Array(10, dtype=int32, weak_type=True)"
    assert repr(jaxnb.jit(choose, static_argnums=0)(-3)) == "Array(-6, dtype=int32, weak_type=True)"
    assert (
        repr(jaxnb.jit(count_up, static_argnames=["n"])(10, 20)) == "Array(30, dtype=int32, weak_type=True)"
    )


def test_4_the_decorator_takes_options_without_a_function():
    @jaxnb.jit(static_argnames=["n"])
    def decorated(x, n):
        return count_up(x, n)

    assert repr(decorated(10, 20)) == "Array(30, dtype=int32, weak_type=True)"


def test_4_1_each_static_value_is_traced():
    f = jaxnb.jit(lambda x, n: (traces.append(n), x * n)[1], static_argnums=1)
    for n in (1, 2, 3, 2, 1):
        f(2.0, n)
    assert traces == [1, 2, 3]


def test_4_1_static_arguments_are_hashable():
    f = jaxnb.jit(lambda x, n: x, static_argnums=1)
    with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
        f(1.0, [2])


def test_4_1_what_is_no_array_must_be_static():
    with pytest.raises(TypeError) as raised:
        jaxnb.jit(lambda x, s: x)(1, "a")
    assert str(raised.value).endswith(
        " as an abstract array. The problematic value is of type <class 'str'> and was passed to the function at path s.\n"
        "This typically means that a jit-wrapped function was called with a non-array argument, and this argument was not "
        "marked as static using the static_argnums or static_argnames parameters of jax.jit."
    )
    assert (
        repr(jaxnb.jit(lambda x, s: x, static_argnames="s")(1, "a"))
        == "Array(1, dtype=int32, weak_type=True)"
    )


def test_4_1_names_follow_from_numbers_and_numbers_from_names():
    text = """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>) -> (tensor<i32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.multiply %arg0, %c : tensor<i32>
    return %0 : tensor<i32>
  }
}
"""

    def f(x, n):
        return x * n

    assert jaxnb.jit(f, static_argnums=1).lower(1, n=2).as_text() == text
    assert jaxnb.jit(f, static_argnames="n").lower(1, 2).as_text() == text


def test_4_1_where_both_are_given_nothing_is_inferred():
    f = jaxnb.jit(lambda x, n, m: x * n * m, static_argnums=1, static_argnames="m")
    assert f.lower(1, n=2, m=3).as_text().split(") ->")[0].count("%arg") == 2  # n by name is traced
    assert f.lower(1, 2, m=3).as_text().split(") ->")[0].count("%arg") == 1
    assert int(f(1, n=2, m=3)) == 6


def test_4_1_a_function_is_held_weakly():
    class Unreferable:
        __slots__ = ()

        def __call__(self, x):
            return x + 1

    with pytest.raises(TypeError, match="cannot create weak reference to 'Unreferable' object"):
        jaxnb.jit(Unreferable())(1)


# ---- 5: the cache


def body(i):
    traces.append(1)
    return i + 1


def loop(x, n, make):
    i = 0
    while i < n:
        i = make()(i)
    return x + i


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: jaxnb.jit(functools.partial(body)), 20),
        (lambda: jaxnb.jit(lambda x: body(x)), 20),
        (lambda: jaxnb.jit(body), 1),
    ],
    ids=["partial", "lambda", "same function"],
)
def test_5_1_a_function_made_anew_is_traced_anew(make, count):
    jaxnb.clear_caches()
    assert repr(loop(10, 20, make)) == "Array(30, dtype=int32, weak_type=True)"
    assert len(traces) == count


def test_5_another_static_value_is_another_entry():
    f = jaxnb.jit(lambda x, n: x * n, static_argnums=1)
    for n in (1, 2, 1, 2, 3):
        f(1.0, n)
    assert f._cache_size() == 3
