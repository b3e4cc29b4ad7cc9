"""Public questions about errors: C08-C13, C18, C40-C42, C44, C50.

The text is JAX's, and the explanation adds what it lacks.
"""

from __future__ import annotations

import re
import traceback

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random
from jaxnb.errors import (
    ConcretizationTypeError,
    NonConcreteBooleanIndexError,
    TracerBoolConversionError,
    UnexpectedTracerError,
)
from jaxnb.explorer import compare_omnistaging, explain_error, explore_retraces
from jaxnb.xla.version import JAXLIB_VERSION


@pytest.fixture(autouse=True)
def _fresh():
    jaxnb.clear_caches()


def error_of(call, kind=Exception):
    with pytest.raises(kind) as raised:
        call()
    return raised.value


def explained(error):
    failure = explain_error(error)
    assert failure is not None
    return failure


def words(error):
    return " ".join(str(error).split())


# ---- C08, C09: leaks

stash: dict = {}


def layer(x):
    stash["act"] = jnp.tanh(x)
    return stash["act"].sum()


def test_c08_the_error_says_where_the_value_was_made_and_the_panel_who_keeps_it():
    jaxnb.jit(layer)(jnp.ones(3))
    error = error_of(lambda: stash["act"] + 1, UnexpectedTracerError)
    line = layer.__code__.co_firstlineno
    text = str(error)
    assert "an intermediate value with type float32[3] wrapped in a DynamicJaxprTracer" in text
    assert f"was created on line {__file__}:{line + 1}:19 (layer)." in text
    assert f"was layer at {__file__}:{line} traced for jit." in text
    assert text.count(f"{__file__}:") == 3  # no frame of those that called the traced function
    failure = explained(error)
    [holder] = failure.captured.holders
    assert (holder.path, holder.type) == ("stash['act']", "f32[3]")
    assert "`stash['act']` keeps it; it was made at line" in failure.diagnosis.why
    assert "stash['act']" in failure.text()


keep: dict = {"acts": []}


def remembering(x):
    keep["acts"].append(jnp.tanh(x))
    return x.sum()


def test_c09_checking_finds_it_at_once_with_the_chain_and_the_panel_has_the_name_first():
    def checked():
        with jaxnb.checking_leaks():
            jaxnb.jit(remembering)(jnp.ones(3))

    error = error_of(checked)
    assert type(error) is Exception
    text = re.sub(r"\d{6,}", "ID", str(error))
    assert text.startswith("Leaked trace DynamicJaxprTrace. Leaked tracer(s):\n\nJitTracer(float32[3])\n")
    assert (
        "<DynamicJaxprTracer ID> is referred to by <list ID>[0]\n"
        "<list ID> is referred to by <dict ID>['acts']\n"
        f"<dict ID> is referred to by {__name__}.keep\n"
    ) in text
    failure = explained(error)
    assert failure.diagnosis.kind == "leak"
    assert failure.captured.holders[0].path == "keep['acts'][0]"
    keep["acts"].clear()


def test_c09_nothing_is_raised_where_nothing_leaks():
    def clean(x):
        return jaxnb.vmap(lambda y: lax.cond(y > 0, jnp.sin, jnp.cos, y))(x).sum()

    with jaxnb.checking_leaks():
        assert float(jaxnb.jit(jaxnb.grad(clean))(jnp.ones(3)).sum()) == pytest.approx(
            3 * np.cos(1.0), rel=1e-6
        )


def leaking(x):
    stash["out"] = jnp.sin(x)
    return x


TRANSFORMED = {
    "vmap": (lambda f: jaxnb.vmap(f)(jnp.ones(3)), "BatchTracer", "jaxnb.vmap(leaking)(...)"),
    "grad": (lambda f: jaxnb.grad(f)(1.0), "LinearizeTracer", "jaxnb.grad(leaking, has_aux=True)(...)"),
    "jvp": (
        lambda f: jaxnb.jvp(f, (1.0,), (1.0,)),
        "JVPTracer",
        "jaxnb.jvp(leaking, (...,), (...,), has_aux=True)",
    ),
    "jit(grad)": (
        lambda f: jaxnb.jit(jaxnb.grad(f))(1.0),
        "LinearizeTracer",
        "jaxnb.jit(jaxnb.grad(leaking, has_aux=True))(...)",
    ),
    "jit(vmap)": (
        lambda f: jaxnb.jit(jaxnb.vmap(f))(jnp.ones(3)),
        "BatchTracer",
        "jaxnb.jit(jaxnb.vmap(leaking))(...)",
    ),
    "jit": (lambda f: jaxnb.jit(f)(1.0), "DynamicJaxprTracer", "leaking(...)"),
    "scan": (
        lambda f: lax.scan(lambda c, x: (f(c), None), 1.0, None, length=2),
        "DynamicJaxprTracer",
        "lax.scan(body, init, xs)",
    ),
}


@pytest.mark.parametrize("how", list(TRANSFORMED))
def test_c08_a_value_of_another_transformation_is_told_too(how):
    transformed, tracer, call = TRANSFORMED[how]
    transformed(leaking)
    error = error_of(lambda: stash["out"] + 1, UnexpectedTracerError)
    assert f"with type float32[] wrapped in a {tracer} to escape the scope" in str(error)
    failure = explained(error)
    assert failure.diagnosis.kind == "leak"
    [holder] = failure.captured.holders
    assert (holder.path, holder.type) == ("stash['out']", "f32[]")
    assert holder.chain == (("stash", "dict"), ("stash['out']", f"{tracer}, f32[]"))
    assert "`stash['out']` keeps it" in failure.diagnosis.why
    [cure] = failure.diagnosis.cures
    assert "kept" in cure.code
    assert cure.code.endswith(f"stash['out'] = {call}") or cure.code.endswith(f"stash['out']) = {call}")
    [table] = [panel for panel in failure.panels() if panel.id == "holders"]
    assert [row.cells[0].strip() for row in table.rows] == ["stash['out']", "stash", "stash['out']"]
    stash.clear()


@pytest.mark.parametrize(
    ("cured", "kept"),
    [
        (lambda f: jaxnb.vmap(f)(jnp.ones(3))[1], (3,)),
        (lambda f: jaxnb.grad(f, has_aux=True)(1.0)[1], ()),
        (lambda f: jaxnb.jvp(f, (1.0,), (1.0,), has_aux=True)[2], ()),
        (lambda f: jaxnb.jit(jaxnb.grad(f, has_aux=True))(1.0)[1], ()),
        (lambda f: jaxnb.jit(f)(1.0)[1], ()),
        (lambda f: lax.scan(lambda c, x: (f(c)[0], (None, f(c)[1])), 1.0, None, length=2)[1][1], (2,)),
    ],
    ids=["vmap", "grad", "jvp", "jit(grad)", "jit", "scan"],
)
def test_c08_the_cures_of_leaks_work(cured, kept):
    def returning(x):
        return x, jnp.sin(x)

    stash["cured"] = cured(returning)
    assert (stash["cured"] + 1).shape == kept
    stash.clear()


def test_c08_a_local_variable_and_a_closure_are_named_too():
    kept: dict = {}

    def local(x):
        kept["h"] = [jnp.tanh(x)]
        return x

    jaxnb.jit(jaxnb.grad(local))(1.0)
    failure = explained(error_of(lambda: kept["h"][0] + 1, UnexpectedTracerError))
    assert failure.captured.holders[0].path == "kept['h'][0]"
    del kept["h"]


# ---- C10: Python decides on a value


def clip(p):
    return p["x"] if p["limit"] > 0 else -p["x"]


@pytest.mark.parametrize(
    ("f", "args", "depends", "cure"),
    [
        (clip, ({"x": 1.0, "limit": 2.0},), "the value of the argument p['limit']", "jnp.where("),
        (lambda a, b: min(a, b), (1.0, 2.0), "the values of the arguments a and b", "jnp.minimum(a, b)"),
        (lambda a: a or 3.0, (1.0,), "the value of the argument a", "jnp.logical_or(a, 3.0)"),
        (lambda a: 0.0 < a < 1.0, (0.5,), "the value of the argument a", "(0.0 < a) & (a < 1.0)"),
    ],
    ids=["if", "min", "or", "chain"],
)
def test_c10_each_disguise_names_the_argument_and_gets_its_own_cure(f, args, depends, cure):
    error = error_of(lambda: jaxnb.jit(f)(*args), TracerBoolConversionError)
    assert f"This concrete value was not available in Python because it depends on {depends}." in words(error)
    assert any(cure in one.code for one in explained(error).diagnosis.cures)


def test_c10_where_works():
    assert float(jaxnb.jit(lambda a: jnp.where(a > 0, a, -a))(1.0)) == 1.0


# ---- C11: sizes


@pytest.mark.parametrize(
    ("f", "argument", "kind", "cure"),
    [
        (lambda n: jnp.arange(n), 4, ConcretizationTypeError, 'jit(<lambda>, static_argnames="n")'),
        (lambda x: jnp.ones(jnp.add(x.size, 1)), np.ones(3, np.float32), TypeError, "np.add(x.size, 1)"),
        (
            lambda x: jnp.ones(int(jnp.log2(x.shape[0]))),
            np.ones(8, np.float32),
            ConcretizationTypeError,
            "np.log2(x.shape[0])",
        ),
    ],
    ids=["arange", "add", "log2"],
)
def test_c11_a_size_computed_with_jnp_is_refused_and_numpy_is_proposed(f, argument, kind, cure):
    error = error_of(lambda: jaxnb.jit(f)(argument), kind)
    assert any(cure in one.code for one in explained(error).diagnosis.cures)


def test_c11_the_cures_work():
    assert jaxnb.jit(lambda n: jnp.arange(n), static_argnums=0)(4).shape == (4,)
    assert jaxnb.jit(lambda x: jnp.ones(np.add(x.size, 1)))(np.ones(3, np.float32)).shape == (4,)


def test_c11_without_omnistaging_they_ran():
    report = compare_omnistaging(lambda x: jnp.ones(jnp.add(x.size, 1)), np.ones(3, np.float32))
    assert [one.number for one in report.problems] == [1]
    assert report.off.result.shape == (4,)


# ---- C12: masks

X = jnp.arange(6.0)


@pytest.mark.parametrize(
    ("f", "kind", "cure"),
    [
        (lambda x: x[x > 2], NonConcreteBooleanIndexError, "jnp.where(x > 2, x, 0)"),
        (lambda x: x.at[x > 2].set(0), NonConcreteBooleanIndexError, "jnp.where(x > 2, 0, x)"),
        (lambda x: x.at[x > 2].set(x[x > 2] * 2), NonConcreteBooleanIndexError, "jnp.where("),
        (
            lambda x: jnp.nonzero(x > 2)[0],
            ConcretizationTypeError,
            "jnp.nonzero(x > 2, size=n, fill_value=0)",
        ),
    ],
    ids=["x[mask]", "set a number", "set values", "nonzero"],
)
def test_c12_a_boolean_mask_has_no_size_under_jit(f, kind, cure):
    error = error_of(lambda: jaxnb.jit(f)(X), kind)
    if kind is NonConcreteBooleanIndexError:
        assert str(error).startswith("Array boolean indices must be concrete; got bool[6]")
    else:
        assert "The size argument of jnp.nonzero must be" in str(error)
    assert any(cure in one.code for one in explained(error).diagnosis.cures)


def test_c12_where_with_three_arguments_works():
    assert jaxnb.jit(lambda x: jnp.where(x > 2, x, 0))(X).tolist() == [0, 0, 0, 3, 4, 5]


# ---- C13, C42: loops


def body(i, c):
    return c if c > 0 else -c


def scan_body(c, _):
    return (c if c > 0 else -c), None


@pytest.mark.parametrize(
    ("call", "function", "loop"),
    [
        (lambda: lax.fori_loop(0, 3, body, 1.0), body, "fori_loop"),
        (lambda: jaxnb.jit(lambda n: lax.fori_loop(0, n, body, 1.0))(3), body, "fori_loop"),
        (lambda: lax.scan(scan_body, 1.0, None, length=3), scan_body, "scan"),
        (lambda: lax.while_loop(lambda c: c < 9, lambda c: body(0, c), 1.0), None, "while_body"),
        (lambda: lax.cond(X[1] > 0, lambda c: body(0, c), lambda c: c, 1.0), None, "cond"),
    ],
    ids=["fori", "fori, traced end", "scan", "while", "cond"],
)
def test_c13_the_error_points_at_the_users_body(call, function, loop):
    error = error_of(call, TracerBoolConversionError)
    text = words(error)
    assert f" for {loop}. This concrete value was not available in Python because" in text
    assert "it depends on the value of the argument c." in text
    if function is not None:
        place = f"{function.__name__} at {__file__}:{function.__code__.co_firstlineno}"
        assert f"while tracing the function {place} for {loop}." in text
        assert explained(error).captured.trace.function == function.__name__
    assert [step.label for step in explained(error).captured.steps] == ["c", "gt"]


def positive(c):
    return c if c > 0 else -c


def with_jvp():
    f = jaxnb.custom_jvp(positive)
    f.defjvps(lambda t, out, c: t)
    return f


def with_vjp():
    f = jaxnb.custom_vjp(positive)
    f.defvjp(lambda c: (c, None), lambda _, t: (t,))
    return f


@pytest.mark.parametrize(
    ("call", "traced_for"),
    [
        (lambda: jaxnb.jit(with_jvp())(1.0), "custom_jvp fun"),
        (lambda: jaxnb.jit(with_vjp())(1.0), "custom_vjp fun"),
        (lambda: lax.reduce(X, 0.0, lambda c, d: positive(c), (0,)), "reduce comp"),
        (
            lambda: lax.reduce_window(X, 0.0, lambda c, d: positive(c), (2,), (1,), "VALID"),
            "reduce_window comp",
        ),
    ],
)
def test_c13_so_it_does_in_other_functions_of_functions(call, traced_for):
    text = words(error_of(call, TracerBoolConversionError))
    assert f" at {__file__}:" in text
    assert f" for {traced_for}. This concrete value was not available in Python because" in text
    assert "it depends on the value of the argument c." in text


def test_c13_a_fori_loop_traces_its_body_once():
    calls = []

    def counted(i, c):
        calls.append(1)
        return c + i

    for _ in range(3):
        lax.fori_loop(0, 3, counted, jnp.float32(1))
    assert len(calls) == 1


def carry_step(c, x):
    return {"pos": c["pos"] + x, "n": c["n"] + 1.0}, None


def test_c42_a_weak_start_is_promoted_and_a_strong_one_is_an_error():
    carry, _ = lax.scan(carry_step, {"pos": 0.0, "n": 0}, jnp.ones(3))
    assert (float(carry["n"]), carry["n"].dtype) == (3.0, np.float32)
    error = error_of(lambda: lax.scan(carry_step, {"pos": 0.0, "n": jnp.int32(0)}, jnp.ones(3)), TypeError)
    assert str(error) == (
        "scan body function carry input and carry output must have equal types, but they differ:\n\n"
        "The input carry component c['n'] has type int32[] but the corresponding output carry component has type "
        "float32[], so the dtypes do not match.\n\n"
        "Revise the function so that all output types match the corresponding input types."
    )


# ---- C18: donated arrays


def test_c18_a_donated_array_is_gone_and_the_table_says_who_donates():
    f = jaxnb.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(4)
    f(x)
    assert x.is_deleted()
    error = error_of(lambda: str(x), RuntimeError)
    assert str(error) == "Array has been deleted with shape=float32[4]."
    again = error_of(lambda: f(x))
    assert isinstance(again, RuntimeError if JAXLIB_VERSION >= (0, 12) else ValueError)
    assert "deleted" in str(again)
    [record] = explore_retraces(f).records
    assert record.donated == ("x",)
    assert "donates `x`: an array that is passed there is deleted by the call" in explore_retraces(f).text()


# ---- C40: what is no array


class Opt:
    pass


@pytest.mark.parametrize(
    ("f", "args", "said"),
    [
        (
            lambda state, lr: lr,
            ({"step": 1, "opt": [Opt()]}, 0.1),
            "was passed to the function at path state['opt'][0].",
        ),
        (lambda name, x: x, ("adam", 1.0), "was passed to the function at path name."),
        (
            lambda x: {"out": x, "cfg": Opt()},
            (1.0,),
            "at output component ['cfg'], which is not a valid JAX type",
        ),
    ],
    ids=["argument", "string", "result"],
)
def test_c40_the_leaf_that_is_no_array_is_named(f, args, said):
    assert said in words(error_of(lambda: jaxnb.jit(f)(*args), TypeError))


# ---- C41: where a NaN is born


def born(x):
    a = x * 2
    b = jnp.log(a - 4)
    return a + b


def test_c41_the_operation_and_the_line_are_named(capsys):
    f = jaxnb.jit(lambda x: born(x))
    for _ in range(2):  # the second call is one that runs no Python
        with jaxnb.debug_nans(True):
            error = error_of(lambda: f(jnp.array([1.0, 3.0])), FloatingPointError)
        assert str(error) == "invalid value (nan) encountered in log"
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.name == "born"]
        assert lines == [born.__code__.co_firstlineno + 2]
        assert capsys.readouterr().out.startswith(
            "Invalid nan value encountered in the output of a jax.jit function. Calling the de-optimized version.\n"
        )
    assert np.isnan(np.asarray(f(jnp.array([1.0, 3.0])))[0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: jnp.log(jnp.float32(-1)), "nan) encountered in log"),
        (
            lambda: jaxnb.jit(lambda x: jaxnb.jit(lambda y: lax.log(y))(x))(jnp.float32(-1)),
            "nan) encountered in log",
        ),
        (
            lambda: lax.scan(lambda c, _: (lax.log(c), None), jnp.float32(-1), None, length=1),
            "nan) encountered in scan",
        ),
        (lambda: jnp.float32(1.0) / jnp.float32(0.0), "inf) encountered in div"),
    ],
    ids=["operation", "nested", "scan", "infinity"],
)
def test_c41_everywhere(call, said):
    with jaxnb.debug_nans(True), jaxnb.debug_infs(True):
        error = error_of(call, FloatingPointError)
    assert said in str(error)


# ---- C44: cells

NET = "def net(x):\n  y = jnp.sin(x)\n  return y if y > 0 else -y\ndef ok(x):\n  return jnp.sin(x)\n"


def test_c44_every_stage_carries_the_cells_name():
    namespace = {"jnp": jnp}
    exec(compile(NET, "<ipython-input-7-0a1b2c>", "exec"), namespace)
    shown = jaxnb.make_jaxpr(namespace["ok"])(1.0).pretty_print(source_info=True)
    assert "<ipython-input-7-0a1b2c>:5:9 (ok)" in shown
    lowered = jaxnb.jit(namespace["ok"]).lower(1.0)
    assert "ipython-input-7" in lowered.as_text(debug_info=True)
    assert "ipython-input-7" in lowered.compile().as_text()
    error = error_of(lambda: jaxnb.jit(namespace["net"])(1.0))
    assert "the function net at <ipython-input-7-0a1b2c>:1 for jit" in str(error)
    assert 'File "<ipython-input-7-0a1b2c>", line 3, in net' in "".join(traceback.format_exception(error))


def test_c44_the_view_maps_it_to_the_cell_and_its_text(session):
    session.run("import jaxnb.numpy as jnp", *NET.split("\n"))
    ran = session.run("%jaxpr net(1.0)")
    assert type(ran.error).__name__ == "TracerBoolConversionError"
    assert "Cell In[2], line 4, in net(x)" in ran.text
    assert "TracerBoolConversionError at line 4: return y if y > 0 else -y" in ran.text
    ran = session.run("%jaxpr ok(1.0)")
    source = ran.value.trace.source
    assert (source.label, source.cell) == ("cell 2", 2)
    assert ran.value.model()["cell"] == 2
    [equation] = ran.value.trace.equations
    assert equation.source.file == source.file
    assert source.text.split("\n")[equation.source.line - source.first_line] == "  return jnp.sin(x)"


# ---- C50: a key that a function assigns

key = random.key(0)


def draw():
    global key
    key, sub = random.split(key)
    return random.normal(sub)


def test_c50_the_draws_are_equal_and_the_key_is_a_tracer_and_the_panel_says_which_line():
    global key
    key = random.key(0)
    [problem] = compare_omnistaging(draw).problems
    assert problem.number == 2
    assert "key, sub = random.split(key)" in problem.line
    f = jaxnb.jit(draw)
    assert float(f()) == float(f())
    assert type(key).__name__ == "DynamicJaxprTracer"
    error = error_of(lambda: random.normal(key), UnexpectedTracerError)
    assert explained(error).captured.holders[0].path == "key"
    key = random.key(0)
