"""Public questions about callbacks: C20, C30, C31, C53."""

from __future__ import annotations

import subprocess
import sys

import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.experimental import io_callback
from jaxnb.explorer import explore_steps


def callbacks_of(report):
    [panel] = [one for one in report.panels() if one.id == "callbacks"]
    return panel.rows


# ---- C20: branches under vmap


def branching(x):
    return lax.cond(x > 0, lambda v: jnp.sin(v), lambda v: v, x)


@pytest.mark.parametrize(
    ("f", "argument", "primitives"),
    [
        (branching, 1.0, (True, False)),
        (jaxnb.vmap(branching), jnp.arange(3.0), (False, True)),
        (lambda v: lax.map(branching, v), jnp.arange(3.0), (True, False)),
    ],
    ids=["plain", "vmap", "map"],
)
def test_c20_vmap_turns_a_branch_into_a_selection(f, argument, primitives):
    text = str(jaxnb.make_jaxpr(f)(argument))
    assert ("cond[" in text, "select_n" in text) == primitives


def test_c20_both_branches_run_then(capsys):
    def printing(x):
        lax.cond(x > 1, lambda v: jaxnb.debug.print("big {}", v), lambda v: None, x)
        return x

    jaxnb.vmap(printing)(jnp.arange(3.0))
    jaxnb.effects_barrier()
    assert sorted(capsys.readouterr().out.split("\n")) == ["", "big 0.0", "big 1.0", "big 2.0"]


# ---- C30: what is printed when


def test_c30_python_prints_once_and_a_finished_text_is_always_the_same(capsys):
    @jaxnb.jit
    def f(x):
        print("python print:", x)
        jaxnb.debug.print(f"f-string: {x}")
        jaxnb.debug.print("lazy: {}", x)
        return x + 1

    f(jnp.float32(1))
    f(jnp.float32(2))
    jaxnb.effects_barrier()
    lines = capsys.readouterr().out.strip().split("\n")
    assert lines[0] == "python print: JitTracer(float32[])"
    assert sorted(lines[1:]) == ["f-string: JitTracer(float32[])"] * 2 + ["lazy: 1.0", "lazy: 2.0"]
    first, second = callbacks_of(explore_steps(f, jnp.float32(1)))
    assert (first.cells[:3], first.mark) == (("debug.print", "", "at every call"), "warn")
    assert "is the same at every call" in first.detail
    assert (second.cells[:3], second.mark) == (("debug.print", "f32[]", "at every call"), "")


def test_c30_the_view_of_a_function_shows_it_too():
    def f(x):
        jaxnb.debug.print(f"f-string: {x}")
        return x

    exploration = jaxnb.explore(f, 1.0)
    assert [panel.id for panel in exploration.panels()] == ["callbacks"]
    assert "Its text was made" not in exploration.text()
    assert "its text was made while the function was traced" in " ".join(exploration.text().split())


# ---- C31: the end of a process

PROGRAM = """
import jaxnb, jaxnb.numpy as jnp
from jaxnb import lax
def body(c, x): jaxnb.debug.print('c={}', c); return c + x, None
lax.scan(body, 0.0, jnp.arange(5.0))
"""


@pytest.mark.parametrize("tail", ["", "jaxnb.effects_barrier()"])
def test_c31_all_lines_are_printed_before_the_process_ends(tail):
    done = subprocess.run([sys.executable, "-c", PROGRAM + tail], capture_output=True, text=True, check=True)
    assert done.stdout.count("c=") == 5


# ---- C53: callbacks that disappear


def test_c53_a_pure_callback_without_a_use_never_runs_and_the_panel_says_so_before():
    hits = {"pure": 0, "io": 0, "debug": 0}

    def bump(kind):
        return lambda v: (hits.__setitem__(kind, hits[kind] + 1), v)[1]

    @jaxnb.jit
    def f(x):
        s = jaxnb.ShapeDtypeStruct(x.shape, x.dtype)
        jaxnb.pure_callback(bump("pure"), s, x)
        io_callback(bump("io"), s, x, ordered=True)
        jaxnb.debug.callback(lambda v: bump("debug")(v) and None, x)
        return x

    predicted = {row.cells[0]: row.cells[2] for row in callbacks_of(explore_steps(f, jnp.float32(1)))}
    assert predicted == {
        "pure_callback": "never",
        "io_callback": "at every call",
        "debug.callback": "at every call",
    }
    assert hits == {"pure": 0, "io": 0, "debug": 0}  # nothing was run in order to know
    f(jnp.float32(1))
    jaxnb.effects_barrier()
    assert hits == {"pure": 0, "io": 1, "debug": 1}
    assert sorted(map(str, f.trace(jnp.float32(1)).jaxpr.effects)) == ["Debug", "OrderedIO"]


def test_c15_an_estimate_that_xla_does_not_have_is_no_number():
    report = explore_steps(lambda x: jaxnb.pure_callback(lambda v: v, x, x), jnp.float32(1))
    report.facts()
    shown = [
        value for card in report.panels()[0].cards for name, value in card.figures if name.startswith("flops")
    ]
    assert shown == ["unknown", "unknown"]
