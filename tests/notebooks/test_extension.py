"""Loading and unloading: light, once, and without a trace afterwards."""

from __future__ import annotations

import subprocess
import sys

from tests.notebooks.conftest import Session
from tests.notebooks.kernel import ROOT

MEASURE = """
import sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jaxnb")
shell.run_line_magic("unload_ext", "jaxnb")
for name in [n for n in sys.modules if n.split(".")[0] == "jaxnb"]:
    del sys.modules[name]
begin = time.process_time()
shell.run_line_magic("load_ext", "jaxnb")
print(time.process_time() - begin)
shell.run_line_magic("jaxpr", "-h")
print([n for n in ("jaxlib", "numpy", "anywidget", "jaxnb.engine", "jaxnb.explorer") if n in sys.modules])
"""


def state(shell):
    """Everything that loading may change."""
    formatter = shell.display_formatter.ipython_display_formatter
    return {
        "magics": {kind: set(table) for kind, table in shell.magics_manager.magics.items()},
        "matchers": list(shell.Completer.custom_matchers),
        "formatter": (dict(formatter.deferred_printers), dict(formatter.type_printers)),
        "traceback": dict(vars(shell.InteractiveTB)).get("structured_traceback"),
        "handler": (shell.custom_exceptions, shell.CustomTB),
        "events": {name: list(callbacks) for name, callbacks in shell.events.callbacks.items()},
    }


def test_loading_is_light_and_starts_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"IPYTHONDIR": str(tmp_path), "PATH": ""},
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert float(lines[0]) < 0.1
    assert lines[-1] == "[]"


def test_loading_twice_changes_nothing_and_unloading_undoes_everything(bare_shell):
    session = Session(bare_shell)
    session.run("1")  # what a shell sets up at its first cell is not ours
    before = state(bare_shell)
    session.run("%load_ext jaxnb")
    loaded = state(bare_shell)
    assert loaded != before
    assert "The jaxnb extension is already loaded" in session.run("%load_ext jaxnb").text
    session.run("import jaxnb", "jaxnb.load_ipython_extension(get_ipython())")
    assert state(bare_shell) == loaded
    session.run("%%jit -q f(1.0)", "def f(x):", "    return x")
    session.run("_")
    session.run("%unload_ext jaxnb")
    assert state(bare_shell) == before


def test_a_magic_of_the_same_name_comes_back(bare_shell):
    session = Session(bare_shell)
    bare_shell.register_magic_function(lambda line: "mine", "line", "hlo")
    session.run("%load_ext jaxnb")
    session.run("%unload_ext jaxnb")
    assert session.run("%hlo").value == "mine"


def test_reloading_works(session):
    session.run("%reload_ext jaxnb")
    assert session.run("%jaxpr lax.sin(x)").value.jaxpr.count("sin") == 1


def test_after_unloading_an_exploration_prints_itself(session):
    session.run("from jaxnb.explorer.explore import explore", "e = explore(lax.sin, x)")
    session.run("%unload_ext jaxnb")
    assert "sin · cpu:0" in session.run("e.show()").text
