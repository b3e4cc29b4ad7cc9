"""In a real kernel: the cell returns at once, the kernel stays free, and the output follows the compiler."""

from __future__ import annotations

import pathlib
import time

import pytest

from tests.notebooks.conftest import model_of

SQUARE = "def {name}(x):\n    return lax.mul(x, x)"
SLOW = "def {name}(x):\n    for i in range(2000):\n        x = lax.add(lax.pow(lax.dot(x, x), x), x)\n    return x"
COMPILER = "import jaxnb.xla.worker as w; w.shared_worker().pid"


@pytest.fixture
def slow(kernel, request):
    """A cell whose compilation takes many seconds, at the time when it has begun; it is ended afterwards."""
    name = request.node.name.removeprefix("test_")
    cell = kernel.run(f"%%jit -o slow {name}(m)\n" + SLOW.format(name=name))
    assert cell.text == ""
    kernel.wait(lambda: states(cell)["compile"] == "running")
    yield cell
    kernel.run("slow.cancel()")


def models(cell):
    return [model_of(one["data"]) for one in cell.displays]


def states(cell):
    """The states of the stages as the cell's output says now."""
    return models(cell)[-1]["status"]


def text(cell):
    return cell.displays[-1]["data"]["text/plain"]


def test_the_first_view_comes_before_anything_is_compiled(kernel):
    cell = kernel.run("%%jit quick(x)\n" + SQUARE.format(name="quick"))
    assert cell.text == ""
    first = cell.displays[0]
    assert first["at"] < 0.5
    assert states(cell)["trace"] == "done"
    assert [one["id"] for one in model_of(first["data"])["documents"]] == ["source", "jaxpr"]
    kernel.wait(lambda: states(cell)["run"] == "done" and models(cell)[-1]["graph"])
    assert cell.displays[-1]["transient"] == first["transient"]


def test_the_kernel_answers_while_the_worker_compiles(kernel, slow):
    answer = kernel.run("1 + 1")
    assert answer.of("execute_result")[0]["data"]["text/plain"] == "2"
    assert answer.seconds < 0.5
    assert states(slow)["compile"] == "running"


def test_an_interrupt_ends_the_compilation_and_the_output_says_how_to_go_on(kernel, slow):
    seen = len(slow.displays)
    kernel.run("import time; interrupted = time.monotonic()")
    kernel.interrupt()
    kernel.wait(lambda: states(slow)["compile"] == "cancelled", 5)
    assert slow.displays[-1]["at"] - slow.displays[seen - 1]["at"] < 2
    assert "the compilation was interrupted; .retry() compiles again (_.retry() in the next cell)" in text(
        slow
    )
    assert kernel.run("1 + 1").of("execute_result")[0]["data"]["text/plain"] == "2"


def test_an_interrupt_ends_the_compilers_process_within_half_a_second(kernel, slow):
    pid = int(kernel.run(COMPILER).of("execute_result")[0]["data"]["text/plain"])
    assert is_running(pid)
    kernel.interrupt()
    deadline = time.monotonic() + 0.5
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    kernel.wait(lambda: states(slow)["compile"] == "cancelled", 5)


def is_running(pid):
    """Whether a process runs: neither gone nor a zombie."""
    stat = pathlib.Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_that_is_killed_is_noticed_and_another_finishes(kernel, slow):
    kernel.run(f"{COMPILER}\nos.kill(w.shared_worker().pid, signal.SIGKILL)")
    kernel.wait(lambda: states(slow)["compile"] == "failed", 5)
    assert "the compile worker was killed; .retry() compiles again (_.retry() in the next cell)" in text(slow)
    assert "signal 9" in models(slow)[-1]["status"]["errors"]["compile"]
    retried = kernel.run("slow.retry()")
    kernel.wait(lambda: states(slow)["compile"] == "running", 10)
    assert models(retried)[0]["title"] == models(slow)[0]["title"]


def test_a_retry_after_an_interrupt_finishes(kernel):
    cell = kernel.run("%%jit -o e again(m)\n" + SLOW.format(name="again").replace("2000", "60"))
    kernel.run("e.cancel()")
    kernel.wait(lambda: states(cell)["compile"] in ("cancelled", "done"))
    kernel.run("e.retry();")
    kernel.wait(lambda: states(cell)["run"] == "done")
    assert kernel.run("e.result.shape").of("execute_result")[0]["data"]["text/plain"] == "(8, 8)"


def test_two_cells_at_once_each_get_their_own_output(kernel):
    first = kernel.send("%%jit one(x)\n" + SQUARE.format(name="one"))
    second = kernel.send("%%jit two(x)\n" + SQUARE.format(name="two"))
    kernel.wait(lambda: first.displays and second.displays)
    kernel.wait(lambda: states(first)["run"] == states(second)["run"] == "done")
    assert {model["title"] for model in models(first)} == {"one(x)"}
    assert {model["title"] for model in models(second)} == {"two(x)"}


def test_updates_belong_to_the_cell_whatever_runs_meanwhile(kernel, slow):
    before = len(slow.displays)
    other = kernel.run("for i in range(10): print(i)")
    kernel.run("slow.cancel()")
    kernel.wait(lambda: len(slow.displays) > before)
    assert other.displays == []


def test_a_call_in_the_kernel_can_be_interrupted_too(kernel):
    cell = kernel.run("%%jit\n" + SLOW.format(name="waiting"))
    called = kernel.send("waiting(m)")
    kernel.wait(lambda: called.displays and states(called)["compile"] == "running")
    kernel.interrupt()
    kernel.wait(lambda: called.reply is not None, 5)
    assert called.reply["status"] == "error"
    assert called.reply["ename"] == "KeyboardInterrupt"
    kernel.wait(lambda: states(called)["compile"] == "cancelled", 5)
    assert cell.displays == []


def test_a_program_that_runs_notebooks_reads_the_finished_view(kernel):
    cell = kernel.run("%%jit batch(x)\n" + SQUARE.format(name="batch"), answers=False)
    assert len(cell.displays) == 1
    assert states(cell)["run"] == "done"


def test_what_is_saved_of_a_small_program_is_small(kernel):
    cell = kernel.run("%%jit small(x)\n" + SQUARE.format(name="small"), answers=False)
    sizes = {kind: len(str(value)) for kind, value in cell.displays[-1]["data"].items()}
    assert sum(sizes.values()) < 100_000, sizes


PRINTS = (
    "def {name}(x):\n    jaxnb.debug.print('{name} prints {{}}', x, ordered={ordered})\n    return lax.neg(x)"
)


@pytest.mark.parametrize("ordered", [False, True])
def test_what_a_program_prints_appears_under_the_cell_that_ran_it(kernel, ordered):
    name = f"printing_{'in_order' if ordered else 'at_once'}"
    defined = kernel.run(
        f"import jaxnb\n{PRINTS.format(name=name, ordered=ordered)}\n{name} = jaxnb.jit({name})"
    )
    first = kernel.run(f"{name}(1.0)\njaxnb.effects_barrier()")
    second = kernel.run(f"{name}(2.0)\njaxnb.effects_barrier()")
    assert (defined.text, first.text, second.text) == ("", f"{name} prints 1.0\n", f"{name} prints 2.0\n")


def test_what_an_explored_program_prints_appears_under_its_own_cell(kernel):
    code = PRINTS.format(name="explored_printing", ordered=False)
    cell = kernel.run(f"%%jit explored_printing(np.float32(3))\n{code}")
    later = [kernel.run(f"print({k})") for k in range(3)]
    kernel.wait(lambda: states(cell)["run"] == "done" and "prints" in cell.text)
    assert cell.text == "explored_printing prints 3.0\n"
    assert [one.text for one in later] == ["0\n", "1\n", "2\n"]
