"""Mistakes: each is a clear error, without the engine's frames, and the notebook goes on."""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest

from tests.notebooks.conftest import model_of
from tests.notebooks.kernel import MIME, ROOT

SQUARE = ["def square(x, n=1):", "    return lax.mul(x, x)"]


def usage(ran):
    """The text of a mistake in the magic's own line."""
    assert type(ran.error).__name__ == "UsageError"
    assert "Traceback" not in ran.text
    return ran.text.strip().removeprefix("UsageError: ")


def goes_on(session):
    return session.run("%%jit -q good(x)", "def good(x):", "    return lax.mul(x, x)").error is None


# ---- in the line


def test_no_function_in_the_cell(session):
    assert usage(session.run("%%jit", "y = 1")) == (
        "%%jit: the cell defines no function; begin it with `def f(x):`, or name the call to explore: `%%jit f(x)`."
    )
    assert "y" not in session.shell.user_ns
    assert goes_on(session)


def test_an_unknown_option(session):
    assert usage(session.run("%%jit --fast square(x)", *SQUARE)).startswith(
        "%%jit: there is no option --fast; it takes"
    )
    assert "square" not in session.shell.user_ns


def test_a_function_that_is_not_found(session):
    assert usage(session.run("%%jit sqare(x)", *SQUARE)) == (
        "%%jit: there is no function `sqare`; did you mean `square`?"
    )
    assert usage(session.run("%hlo nothing(x)")) == (
        "%hlo: there is no function `nothing`; define it in an earlier cell, or in this one below the magic."
    )


def test_a_function_that_the_cell_deletes(session):
    assert usage(session.run("%%jit square(x)", *SQUARE, "del square")) == (
        "%%jit: there is no function `square`; the cell defines it, and deletes it again."
    )


def test_a_variable_that_is_not_found(session):
    assert usage(session.run("%%jit square(yy)", *SQUARE)).startswith("%%jit: there is no variable `yy`;")


def test_a_line_magic_without_a_call(session):
    wanted = "%jaxpr: it wants the call to explore; write one, such as `%jaxpr f(x)`."
    assert usage(session.run("%jaxpr")) == usage(session.run("%jaxpr --")) == wanted


def test_an_empty_cell_is_refused_by_the_shell(session):
    assert "the cell body is empty" in usage(session.run("%%jit square(x)", ""))


# ---- in the function


def test_a_shape_mismatch_points_at_the_line(session):
    ran = session.run("%%jit bad(x)", "def bad(x):", "    return lax.add(x, lax.slice(x, (0,), (3,)))")
    assert isinstance(ran.error, TypeError)
    assert "add got incompatible shapes for broadcasting: (6,), (3,)." in ran.text
    assert "----> 3     return lax.add(x, lax.slice(x, (0,), (3,)))" in ran.text
    assert_short(ran)
    assert goes_on(session)


def test_a_python_if_on_a_traced_value(session):
    ran = session.run(
        "%%jit bad(x[0])", "def bad(x):", "    if lax.gt(x, x):", "        return x", "    return x"
    )
    assert type(ran.error).__name__ == "TracerBoolConversionError"
    assert "Attempted boolean conversion of traced array with shape bool[]" in ran.text
    assert "----> 3     if lax.gt(x, x):" in ran.text
    assert_short(ran)
    assert goes_on(session)


def test_an_argument_that_is_no_array(session):
    ran = session.run("%%jit square('no array')", *SQUARE)
    assert isinstance(ran.error, TypeError)
    assert "Error interpreting argument to <function square at 0x" in ran.text
    assert "----> 1 %%jit square('no array')" in ran.text
    assert_short(ran)


def test_a_static_argument_that_cannot_be_hashed(session):
    ran = session.run("%%jit --static-argnames n square(x, [1])", *SQUARE)
    assert isinstance(ran.error, ValueError)
    assert "Non-hashable static arguments are not supported" in ran.text or "must be hashable" in ran.text
    assert_short(ran)


def test_an_argument_name_that_does_not_exist(session):
    ran = session.run("%%jit --static-argnames m square(x)", *SQUARE)
    assert isinstance(ran.error, ValueError)
    assert "function has invalid argnames {'m'} in static_argnames" in ran.text
    assert_short(ran)


def test_an_error_in_the_body_is_the_bodys(session):
    ran = session.run("%%jit square(x)", *SQUARE, "1 / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert "----> 4 1 / 0" in ran.text
    assert_short(ran)


def test_a_syntax_error_names_the_line_of_the_cell(session):
    ran = session.run("%%jit square(x)", "", "def square(x):", "    return x +")
    assert isinstance(ran.error, SyntaxError)
    assert "line 4" in ran.text
    assert "return x +" in ran.text


@pytest.mark.parametrize("line", ["return 1", "await x", "def square(x): return x +", "yield", "nonlocal x"])
def test_a_syntax_error_shows_no_frame_of_ours(session, line):
    ran = session.run("%%jit square(x)", *SQUARE, line)
    assert isinstance(ran.error, SyntaxError)
    assert "line 4" in ran.text
    assert line in ran.text
    assert "jaxnb" not in ran.text
    assert "interactiveshell" not in ran.text
    assert goes_on(session)


def test_an_await_in_the_call_shows_no_frame_of_ours(session):
    ran = session.run("%jaxpr lax.sin(await x)")
    assert isinstance(ran.error, SyntaxError)
    assert "jaxnb" not in ran.text


def test_a_star_that_does_not_fit_names_the_function(session):
    ran = session.run("%jaxpr lax.sin(**x)")
    assert "TypeError: lax.sin() argument after ** must be a mapping, not numpy.ndarray" in ran.text


def test_an_error_in_the_arguments_points_at_the_line(session):
    ran = session.run("%%jit square(x[7])", *SQUARE)
    assert isinstance(ran.error, IndexError)
    assert "----> 1 %%jit square(x[7])" in ran.text
    assert_short(ran)


def test_a_plain_call_of_a_jitted_function_has_a_short_traceback_too(session):
    session.run("%%jit -q square(x)", *SQUARE)
    ran = session.run("square('no array')")
    assert "----> 1 square('no array')" in ran.text
    assert_short(ran)


def test_causes_are_short_too(session):
    ran = session.run(
        "def f(x):", "    try:", "        lax.add(x, lax.slice(x, (0,), (3,)))",
        "    except TypeError as error:", "        raise RuntimeError('wrapped') from error",
        "jaxnb.jit(f)(x)",
    )  # fmt: skip
    assert "wrapped" in ran.text
    assert "add got incompatible shapes" in ran.text
    assert_short(ran)
    assert ran.error.__cause__.__traceback__.tb_next is not None


def assert_short(ran):
    """No frame of the package, none of the shell's on the way to a magic."""
    assert "jaxnb/" not in ran.text
    assert "run_cell_magic" not in ran.text
    assert "run_line_magic" not in ran.text


def test_every_frame_can_be_shown(session):
    session.run("jaxnb.config.update('jax_traceback_filtering', 'off')")
    try:
        assert "jaxnb/engine" in session.run("%%jit square('no array')", *SQUARE).text
    finally:
        session.run("jaxnb.config.update('jax_traceback_filtering', 'auto')")


def test_errors_that_render_themselves_and_handlers_of_others_still_do(session):
    session.run(
        "class Own(Exception):", "    def _render_traceback_(self):", "        return ['my own words']"
    )
    assert session.run("raise Own()").text.strip() == "my own words"
    session.run(
        "class Other(Exception): pass",
        "def handle(shell, etype, value, tb, tb_offset=None):",
        "    print('handled:', *shell.InteractiveTB.structured_traceback(etype, value, tb))",
        "get_ipython().set_custom_exc((Other,), handle)",
    )
    assert "handled:" in session.run("raise Other('x')").text


# ---- in the compiler


def test_a_compile_failure_keeps_what_there_is(rich):
    rich.run("%%jit --wait --compiler-option no_such_option=1 square(x)", *SQUARE)
    exploration = rich["_"]
    model = model_of(rich.publisher.outputs[-1]["data"])
    assert model["status"]["compile"] == "failed"
    assert "No such compile option: 'no_such_option'" in model["status"]["errors"]["compile"]
    assert {one["id"] for one in model["documents"]} == {"source", "jaxpr", "stablehlo"}
    assert "No such compile option" in rich.publisher.outputs[-1]["data"]["text/plain"]
    assert exploration.jaxpr.startswith("{ lambda")
    assert goes_on(rich)


def test_the_stage_that_failed_says_so_as_text(session):
    ran = session.run("%%hlo --compiler-option no_such_option=1 square(x)", *SQUARE)
    assert "(compile: failed: " in ran.text
    assert "No such compile option: 'no_such_option'" in ran.text


# ---- markup in names


def test_markup_is_text(rich):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    rich.run(
        f"%%jit --wait f({{'{evil}': x}})",
        "def f(d):",
        f"    'doc {evil}'",
        f"    return lax.sin(d['{evil}'])",
    )
    data = rich.publisher.outputs[-1]["data"]
    html = data["text/html"]
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert evil in model_of(data)["documents"][0]["text"]
    assert evil in data["text/plain"]
    base64.b64decode(data[MIME]["z"], validate=True)


# ---- with jax in the process

LOADED = """
import sys, types
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "nocolor"
sys.modules["jax"] = types.ModuleType("jax")
shell.run_cell("%load_ext jaxnb")
shell.run_cell("%%jit f(1.0)\\ndef f(x):\\n    return x")
shell.run_cell("print('the notebook goes on')")
"""


def test_jax_already_imported(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"IPYTHONDIR": str(tmp_path), "PATH": ""},
    )  # fmt: skip
    assert "jaxnb cannot start: `jax` is already imported in this process." in done.stdout
    assert "Restart the kernel and use jaxnb first" in done.stdout
    assert "jaxnb/" not in done.stdout
    assert "importlib" not in done.stdout
    assert "the notebook goes on" in done.stdout


@pytest.mark.parametrize("line", ["%%jit f(x)", "%%jaxpr f(x)"])
def test_an_error_leaves_no_half_made_state(session, line):
    session.run(line, "def f(x):", "    raise ValueError('no')")
    assert session.run("1 + 1").value == 2
    assert session.run(line, "def f(x):", "    return lax.sin(x)").error is None


# ---- the explanation below the cell


def explained(session, *lines):
    ran = session.run(*lines)
    assert ran.error is not None
    return ran.text.partition("What went wrong")[2]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("jaxnb.vmap(lambda x: x if x > 0 else -x)(jnp.arange(3.))",), "jnp.where(x > 0, x, -x)"),
        (("jaxnb.jit(jaxnb.vmap(lambda x: x if x > 0 else -x))(jnp.arange(3.))",), "From x to the line that failed"),
        (
            (
                "def step(c, x): return {'n': c['n'] + 1.0}, None",
                "lax.scan(step, {'n': jnp.int32(0)}, jnp.ones(3))",
            ),
            "From c['n'] to the line that failed",
        ),
        (("jaxnb.grad(lambda x: x * 2)(jnp.ones(3))",), "jaxnb.jacrev(lambda x: x * 2)(jnp.ones(3))"),
        (("jaxnb.jit(lambda x, mode: x)(1., 'a')",), 'static_argnames="mode"'),
        (("jaxnb.vmap(lambda x, y: x)(jnp.ones(3), jnp.ones(4))",), "in_axes=(None, 0)"),
        (("def f(x):", "    z = jnp.zeros(3)", "    return z + x", "jaxnb.jit(f)(jnp.ones(4))"), "z[:, None] + x"),
        (("def h(x, flag):", "    return 2 * x if flag else x", "jaxnb.jit(h)(1., True)"), "jnp.where(flag, 2 * x, x)"),
        (("def h(x, flag):", "    while flag:", "        x = x + 1", "jaxnb.jit(h)(1., True)"), "whether `flag` is true"),
        (
            (
                "saved = {}", "def loss(w):", "    saved['h'] = jnp.tanh(w)", "    return saved['h'] * 2",
                "jaxnb.jit(jaxnb.grad(loss))(1.)", "saved['h'] + 1",
            ),
            "gradient, saved['h'] = jaxnb.jit(jaxnb.grad(loss, has_aux=True))(...)",
        ),
    ],
    ids=["vmap", "jit(vmap)", "scan", "grad", "text", "axes", "shapes", "choice", "while", "leak"],
)  # fmt: skip
def test_an_error_while_tracing_is_explained_under_a_magic_or_not(session, lines, said):
    session.run("import jaxnb.numpy as jnp", "from jaxnb import lax")
    assert said in explained(session, *lines)
    assert goes_on(session)


def test_other_errors_are_not_explained(session):
    session.run("import jaxnb.numpy as jnp")
    for line in (
        "1 / 0",
        "jnp.ones(3).foo",
        "raise KeyError('x')",
        "jaxnb.jit(3)",
        "jaxnb.config.update('no', 1)",
    ):
        assert explained(session, line) == ""
