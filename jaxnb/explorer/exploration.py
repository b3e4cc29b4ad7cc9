"""An exploration: one function on its arguments, followed through every stage down to the running program.

What lives here: the ``Exploration`` object, its stages and their order. What must not: IPython, the engine (front ends
come through ``capture``), HTML.
"""

from __future__ import annotations

import atexit
import contextvars
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakSet

from jaxnb.base.collection import collection_paused
from jaxnb.base.config import config
from jaxnb.base.errors import JaxnbError
from jaxnb.base.heap import give_back
from jaxnb.explorer.analysis.callbacks import callbacks_panels
from jaxnb.explorer.analysis.executed import executed_panel
from jaxnb.explorer.analysis.reading import hlo_program, stablehlo_program
from jaxnb.explorer.capture.program import Program
from jaxnb.explorer.capture.protocol import (
    CapturedCompilation,
    CapturedConstant,
    CapturedLowering,
    CapturedRun,
    CapturedTrace,
    FrontEnd,
)
from jaxnb.explorer.capture.signature import CapturedParameter
from jaxnb.explorer.model import dot
from jaxnb.explorer.model.assemble import assemble
from jaxnb.explorer.model.documents import with_op_names
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.facts import make_facts
from jaxnb.explorer.model.graph import Graph, make_graph
from jaxnb.explorer.model.hlo_parse import parse_hlo
from jaxnb.explorer.model.layout import Picture
from jaxnb.explorer.model.links import Links, path_index
from jaxnb.explorer.model.panels import Panel
from jaxnb.explorer.model.stablehlo_parse import StableHloModule, parse_stablehlo
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.render.text import make_text
from jaxnb.explorer.stages import (
    CANCELLED,
    COMPILE,
    DONE,
    FAILED,
    LOWER,
    PENDING,
    RUN,
    RUNNING,
    STAGES,
    TRACE,
    Status,
    error_text,
)
from jaxnb.explorer.view import View
from jaxnb.explorer.view import display_slot as display_slot
from jaxnb.xla.unfolded import unfolded_text
from jaxnb.xla.worker import Job, shared_worker

_RETRY = ".retry() compiles again (_.retry() in the next cell)"


class ExplorationError(JaxnbError):
    """A stage that was asked for was given up, or its compiler died."""


class Analysis(NamedTuple):
    """What is known once the optimised program is there."""

    links: Links
    graph: Graph
    pictures: Mapping[str, Picture]
    dot: str


class Exploration(View):
    """A function on its way from source to optimised program; see ``explore``.

    Every stage is there as soon as it is asked for, and does not need the later ones: where lowering fails the jaxpr
    stays, where compilation fails the StableHLO stays.
    """

    def __init__(self, front_end: FrontEnd) -> None:
        self._front_end = front_end
        self._lock = threading.RLock()
        self._settled = threading.Event()
        self._callbacks: list[Callable[[Exploration], None]] = []
        self._begun = time.perf_counter()
        self._first_view_s: float | None = None
        self._job: Job | None = None
        self._lowering: CapturedLowering | None = None
        self._compilation: CapturedCompilation | None = None
        self._run: CapturedRun | None = None
        self._worker_thread: threading.Thread | None = None
        self._analysis: Analysis | None = None
        self._programs: dict[str, Program] = {}
        self._analysis_lock = threading.Lock()
        # Settings hold by thread: what held where the exploration was made holds for all of its stages.
        self._settings = [
            (setting, setting.value) for setting in config if setting.value != setting.slot.get_global()
        ]
        self.status = Status()
        self.status.begin(TRACE)
        try:
            self.trace: CapturedTrace = front_end.trace()
        except BaseException as error:
            self.status.fail(TRACE, error)
            raise
        self.status.end(TRACE)

    # -- stages, each when it is asked for -----------------------------------------------------------------------

    @property
    def jaxpr(self) -> str:
        """The jaxpr's text."""
        return self.trace.jaxpr

    @property
    def stablehlo(self) -> str:
        """The StableHLO text.

        Raises:
            Exception: What lowering raised.
        """
        return self._lowered().text

    @property
    def hlo(self) -> str:
        """The optimised HLO as XLA prints it, with JAX's op names in its metadata; waits for the compiler.

        Raises:
            Exception: What lowering or the compiler raised.
        """
        return with_op_names(self._compiled().text, self.links.index, self._op_names)

    @property
    def _op_names(self) -> dict[str, str]:
        """By path what JAX would call an equation in metadata; tags are for no one to see."""
        return {equation.path: equation.op_name for equation in self.trace.equations}

    @property
    def result(self) -> Any:
        """What the function returned; waits for it.

        Raises:
            Exception: What any stage raised.
        """
        self.start()
        self.wait()
        self._raise_for(RUN, COMPILE, LOWER)
        assert self._run is not None
        return self._run.result

    @property
    def is_linked(self) -> bool:
        """Whether the optimised program is there and has been read."""
        return self._analysis is not None

    @property
    def run(self) -> CapturedRun | None:
        """What the last run gave; None before it."""
        return self._run

    @property
    def lowering(self) -> CapturedLowering | None:
        """What lowering gave; None before it."""
        return self._lowering

    @property
    def compilation(self) -> CapturedCompilation | None:
        """What the compiler gave; None before it."""
        return self._compilation

    @property
    def constants(self) -> tuple[CapturedConstant, ...]:
        """The arrays that the function closed over."""
        return self.trace.constants

    @property
    def signature(self) -> tuple[CapturedParameter, ...]:
        """What became of each argument; lowers if that has not been done."""
        self._lowered()
        return self._front_end.signature()

    @property
    def lowered_cost(self) -> Mapping[str, float]:
        """XLA's estimates for the module before any pass, such as ``flops``; lowers if that has not been done."""
        self._lowered()
        return self._front_end.lowered_cost()

    @property
    def links(self) -> Links:
        """What every equation became; waits for the compiler."""
        return self._analysed().links

    @property
    def graph(self) -> Graph:
        """The fused graph; waits for the compiler."""
        return self._analysed().graph

    @property
    def dot(self) -> str:
        """The fused graph in the DOT language; waits for the compiler."""
        return self._analysed().dot

    @property
    def timings(self) -> Mapping[str, float | None]:
        """Seconds by stage; None for a stage that is not done."""
        return self.facts()["seconds"]

    def facts(self) -> dict[str, Any]:
        """What is known, as nested JSON; compiles first if that has not been begun.

        A stage that failed or was given up leaves its facts None.
        """
        if self.status.states[COMPILE] == PENDING:
            self.start()
        self.wait()
        return self.known_facts()

    def known_facts(self) -> dict[str, Any]:
        """The facts as far as they are known now; never waits."""
        analysis = self._analysis
        return make_facts(
            trace=self.trace,
            lowering=self._lowering,
            stablehlo=self._parsed_stablehlo if self._lowering is not None else None,
            compilation=self._compilation,
            links=analysis.links if analysis is not None else None,
            graph=analysis.graph if analysis is not None else None,
            run_s=self._run.seconds if self._run is not None else None,
            first_view_s=self._first_view_s,
        )

    def program(self, stage: str) -> Program:
        """A stage's program, in the form that programs are compared in; waits for that stage.

        Args:
            stage: ``jaxpr``, ``stablehlo``, ``unoptimized`` (the HLO before any pass, nothing folded) or ``hlo``.

        Raises:
            ValueError: Where there is no such stage.
            Exception: What that stage raised.
        """
        found = self._programs.get(stage)
        if found is None:
            read = {
                "jaxpr": self._front_end.program,
                "stablehlo": self._stablehlo_program,
                "unoptimized": self._unoptimized_program,
                "hlo": self._hlo_program,
            }.get(stage)
            if read is None:
                raise ValueError(f"there is no program {stage!r}: it is jaxpr, stablehlo, unoptimized or hlo")
            found = self._programs[stage] = read()
        return found

    def _stablehlo_program(self) -> Program:
        lowering = self._lowered()
        index = path_index(self.trace)
        names = lowering.line_names
        return stablehlo_program(
            self._parsed_stablehlo,
            parameters=lowering.parameters,
            keys_of=lambda line: index.find(names[line]) if names[line] else (),
            text=lowering.text,
        )

    def _unoptimized_program(self) -> Program:
        lowering = self._lowered()
        index = path_index(self.trace)
        module = parse_hlo(unfolded_text(lowering.module))
        names = {
            one.line: one.op_name
            for part in module.computations.values()
            for one in part.instructions.values()
        }
        return hlo_program(
            module, parameters=lowering.parameters, keys_of=lambda line: index.find(names.get(line, ""))
        )

    def _hlo_program(self) -> Program:
        links = self.links
        keys = {
            one.line: links.reading.carried.get((part.name, one.name), ())
            for part in links.hlo.computations.values()
            for one in part.instructions.values()
        }
        parameters = self._lowered().parameters
        return hlo_program(links.hlo, parameters=parameters, keys_of=lambda line: tuple(keys.get(line, ())))

    # -- running ahead -------------------------------------------------------------------------------------------

    def start(self) -> Exploration:
        """Begins what is left to do, in the background; the kernel stays free. Calling it again changes nothing."""
        with self._lock:
            if self.status.states[RUN] != PENDING or self._worker_thread is not None:
                return self
            context = contextvars.copy_context()
            thread = self._worker_thread = threading.Thread(
                target=context.run, args=(self._work,), name=f"jaxnb-{self.trace.function}", daemon=True
            )
        _begun.add(self)
        thread.start()
        return self

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until nothing is left to do; False if that took longer than ``timeout_s``.

        An interrupt while waiting cancels the compilation and is passed on.
        """
        if self._worker_thread is None:
            return True
        try:
            return self._settled.wait(timeout_s)
        except KeyboardInterrupt:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Gives up what is not done: the compiler process is ended at once."""
        with self._lock:
            job = self._job
            if self._settled.is_set() and self.status.states[COMPILE] == DONE:
                return
            self.status.cancel()
            self.status.message = f"the compilation was cancelled; {_RETRY}"
        if job is not None:
            job.cancel()
        self._settled.set()
        self._tell()

    def retry(self) -> Exploration:
        """Begins again with the first stage that is not done."""
        with self._lock:
            if self._worker_thread is not None and not self._settled.is_set():
                return self
            if not {FAILED, CANCELLED} & set(self.status.states.values()):
                return self.start()
            for stage in STAGES[1:]:
                if self.status.states[stage] in (FAILED, CANCELLED):
                    self.status.states[stage] = PENDING
                    self.status.errors.pop(stage, None)
            self.status.message = ""
            self._worker_thread = None
            self._job = None
            self._settled.clear()
        return self.start()

    def on_update(self, callback: Callable[[Exploration], None]) -> Callable[[], None]:
        """Calls ``callback`` after each change, from the thread that made it; the result takes it back."""
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    @property
    def is_settled(self) -> bool:
        """Whether nothing is running and nothing waits to."""
        return self._worker_thread is None or self._settled.is_set()

    def _tell(self) -> None:
        for callback in list(self._callbacks):
            callback(self)

    def _lowered(self) -> CapturedLowering:
        """The lowering, made now if it is not there."""
        with self._lock:
            if self._lowering is not None:
                return self._lowering
            self._raise_for(LOWER)
            self.status.begin(LOWER)
            try:
                self._lowering = self._front_end.lower()
            except Exception as error:
                self.status.fail(LOWER, error)
                raise
            self.status.end(LOWER)
            return self._lowering

    def _compiled(self) -> CapturedCompilation:
        """The compilation; begun if it is not, and waited for."""
        self._lowered()
        self.start()
        if threading.current_thread() is not self._worker_thread:
            while self._compilation is None and not self._settled.wait(0.05):
                if self.status.states[COMPILE] in (FAILED, CANCELLED):
                    break
        self._raise_for(LOWER, COMPILE)
        assert self._compilation is not None
        return self._compilation

    def _raise_for(self, *stages: str) -> None:
        for stage in stages:
            if stage in self.status.errors:
                raise self.status.errors[stage]
            if self.status.states[stage] == CANCELLED:
                raise ExplorationError(
                    f"{self.trace.title}: the compilation was cancelled; call .retry() to begin it again."
                )

    # -- the background ------------------------------------------------------------------------------------------

    def _work(self) -> None:
        """Lowers, compiles, runs and links, one after the other, telling after each."""
        try:
            with ExitStack() as stack:
                for setting, value in self._settings:
                    stack.enter_context(setting(value))
                self._work_through()
        finally:
            if self._worker_thread is threading.current_thread():
                self._settled.set()
                self._tell()
                give_back()

    def _work_through(self) -> None:
        try:
            lowering = self._lowered()
        except Exception:
            # It is kept in the status, where every view shows it.
            return
        self._tell()
        compilation = self._compilation
        if compilation is None:
            with self._lock:
                if self.status.states[COMPILE] != PENDING:
                    return
                self.status.begin(COMPILE)
            self._tell()
            compilation = self._compile(lowering)
            if compilation is None:
                return
            with self._lock:
                if self.status.states[COMPILE] != RUNNING:
                    return
                self._compilation = compilation
                self.status.end(COMPILE)
        with self._lock:
            if self.status.states[RUN] != PENDING:
                return
            self.status.begin(RUN)
        self._tell()
        try:
            self._run = self._front_end.run(compilation)
            self.status.end(RUN)
        except Exception as error:
            self.status.fail(RUN, error)
        self._tell()
        try:
            self._analysed()
        except Exception as error:
            # HLO of a form not seen before must not cost the program's own result; the views say what is missing.
            self.status.message = f"the links could not be made: {error_text(error)}"

    def _analysed(self) -> Analysis:
        """The links and the graph, made once."""
        compilation = self._compiled()
        with self._analysis_lock:
            if self._analysis is None:
                links = Links(self.trace, self._lowered(), compilation.text)
                names = {f"argument:{index}": one.name for index, one in enumerate(self.trace.arguments)}
                names.update(
                    (f"constant:{index}", one.name) for index, one in enumerate(self.trace.constants)
                )
                order = {equation.path: place for place, equation in enumerate(self.trace.equations)}
                graph = make_graph(links.hlo, links.reading, order, names)
                source = dot.to_dot(graph, self.trace.function)
                self._analysis = Analysis(links, graph, dot.pictures(graph), source)
            return self._analysis

    def _compile(self, lowering: CapturedLowering) -> CapturedCompilation | None:
        try:
            if lowering.must_compile_here:
                self.status.message = f"compiled in the kernel: {lowering.must_compile_here}"
                return self._front_end.compile_here()
            job = shared_worker().submit(lowering.module, lowering.options)
        except Exception as error:
            self.status.fail(COMPILE, error)
            return None
        with self._lock:
            self._job = job
            is_given_up = self.status.states[COMPILE] != RUNNING
        if is_given_up:
            job.cancel()
        return self._collect(job)

    def _collect(self, job: Job) -> CapturedCompilation | None:
        """What the worker sends, put together; None with the reason in the status."""
        text = ""
        executable: bytes | None = None
        memory: dict[str, int] = {}
        cost: dict[str, float] = {}
        for event in job.events():
            kind = event[0]
            if kind == "hlo":
                text = event[1]
            elif kind == "memory":
                memory = dict(event[1])
            elif kind == "cost":
                cost = dict(event[1])
            elif kind == "executable":
                executable = event[1]
            elif kind == "done":
                return CapturedCompilation(text, executable, memory, cost, event[1])
            elif kind == "failed":
                message = with_op_names(event[1], path_index(self.trace), self._op_names)
                self.status.fail(COMPILE, self._front_end.compile_error(message))
            elif kind == "killed" and self.status.states[COMPILE] == RUNNING:
                self._note_death(event[1], event[2])
        return None

    def _note_death(self, code: int, output: str) -> None:
        """Says in the status how the worker's process ended: interrupted along with the kernel, or killed."""
        if code == -signal.SIGINT:
            self.status.cancel()
            self.status.message = f"the compilation was interrupted; {_RETRY}"
            return
        self.status.message = f"the compile worker was killed; {_RETRY}"
        tail = f": {output.strip().splitlines()[-1]}" if output.strip() else ""
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self.status.fail(COMPILE, ExplorationError(f"the compile worker ended {how}{tail}"))

    # -- renderings ----------------------------------------------------------------------------------------------

    @cached_property
    def _parsed_stablehlo(self) -> StableHloModule:
        return parse_stablehlo(self._lowered().text)

    def panels(self) -> list[Panel]:
        """What stands beside the texts: the operations executed meanwhile and the callbacks, where there are some."""
        executed = [executed_panel(self.trace)] if self.trace.executed else []
        return [*executed, *callbacks_panels(self.trace)]

    def model(self, panels: Sequence[Panel] | None = None) -> dict[str, Any]:
        """The exploration as the schema's JSON, as far as it has come; never waits.

        Args:
            panels: What to show beside the texts; its own panels by default.
        """
        if self._first_view_s is None:
            self._first_view_s = time.perf_counter() - self._begun
        analysis = self._analysis
        with collection_paused():
            return assemble(
                trace=self.trace,
                lowering=self._lowering,
                stablehlo=self._parsed_stablehlo if self._lowering is not None else None,
                hlo_text=self._compilation.text if self._compilation is not None else None,
                links=analysis.links if analysis is not None else None,
                graph=analysis.graph if analysis is not None else None,
                pictures=analysis.pictures if analysis is not None else None,
                dot=analysis.dot if analysis is not None else "",
                facts=self.known_facts(),
                status=self.status.to_data(),
                panels=self.panels() if panels is None else panels,
            )

    def note_first_view(self, seconds: float) -> None:
        """Notes what a page measured from the request to the first picture."""
        self._first_view_s = seconds

    def text(self) -> str:
        """The exploration as plain text, as far as it has come."""
        links = self._analysis.links if self._analysis is not None else None
        parts = [make_text(self.trace, links, self.known_facts(), self.status)]
        return visible("\n\n".join([*parts, *(panel_text(panel) for panel in self.panels())]))

    def __repr__(self) -> str:
        states = ", ".join(f"{stage} {state}" for stage, state in self.status.states.items())
        return visible(f"<exploration of {self.trace.title}: {states}>")


_begun: WeakSet[Exploration] = WeakSet()
_PATIENCE_S = 2.0


@atexit.register
def _end_all() -> None:
    """Ends what is under way: a thread inside XLA when the interpreter ends would take the process down."""
    for exploration in list(_begun):
        thread = exploration._worker_thread
        if thread is not None and thread.is_alive():
            exploration.cancel()
            thread.join(_PATIENCE_S)
