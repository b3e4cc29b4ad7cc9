"""A cell under a magic: its body is run, its function wrapped, its call explored.

Lives here: the order of these steps, and the text that a function of a cell is from. Must not live here: how an
exploration is shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from jaxnb.engine.api.jit import info_of, jit
from jaxnb.engine.core.trace import Tracer
from jaxnb.explorer.capture.engine import EngineFrontEnd, name_cells
from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.view import View, display_slot
from jaxnb.notebook.calls import ParsedCall, evaluate, parse_call
from jaxnb.notebook.display import Display
from jaxnb.notebook.errors import MAGIC_FILE
from jaxnb.notebook.magics import Request
from jaxnb.notebook.reports import REPORTS, RetraceTable, explain_error
from jaxnb.xla import pytree

__all__ = ["CellRunner", "ExploredAtFirstCall"]

_CELL_LABEL = re.compile(r"In\[(\d+)\]")


@dataclass(frozen=True)
class Body:
    """A cell's body, parsed.

    Attributes:
        file: The file that its code is from: the cell.
        statements: Its statements, at the lines where the cell has them.
        functions: The names of the functions at its top level, in order.
    """

    file: str
    statements: list[ast.stmt]
    functions: tuple[str, ...]


class ExploredAtFirstCall:
    """A function that is explored when it is first called; then it stands aside.

    Args:
        function: What it stands for.
        explore: Explores that function with the arguments of the call, shows it, and returns the result.
    """

    def __init__(self, function: Callable[..., Any], explore: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self._explore: Callable[..., Any] | None = explore

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        explore = self._explore
        if explore is None or any(isinstance(leaf, Tracer) for leaf in pytree.flatten((args, kwargs))[0]):
            # inside another function's trace there is nothing to run yet
            return self.__wrapped__(*args, **kwargs)
        self._explore = None
        return explore(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            raise AttributeError(name)  # while it is being copied or unpickled
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return f"<{self.__wrapped__!r}, explored at its first call>"


def _called(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function, and returns it if it is a compiled one, whose traces the call shows; else what it made."""
    if info_of(function) is None and not isinstance(function, ExploredAtFirstCall):
        return function(*args, **kwargs)
    with RetraceTable().counting():
        function(*args, **kwargs)
    return function


class CellRunner:
    """Carries out the magics of one shell.

    Args:
        shell: The shell.
        widget_class: Imports the class of live panels.
    """

    def __init__(self, shell: InteractiveShell, widget_class: Callable[[], Any]) -> None:
        self._shell = shell
        self._display = Display(shell, widget_class)
        self._echo: View | None = None
        name_cells(self._cell_of, self._text_of)
        display_slot.insert(0, self._display.show)

    def close(self) -> None:
        """Takes back what was put into the explorer."""
        name_cells(lambda file: None)
        display_slot[:] = [show for show in display_slot if show != self._display.show]

    def run(self, request: Request) -> View | None:
        """Runs the cell, if there is one, and explores the call.

        Raises:
            UsageError: where there is no function to explore.
        """
        if request.magic.takes_function:
            return self._show_traces(request)
        if request.cell is None:
            return self._explore_call(request, f"{MAGIC_FILE}{request.magic.name}>", ())
        body = self._parse(request, request.cell)
        target = self._target(request, body)
        self._execute(request, body, target)
        if request.call is None:
            return None
        return self._explore_call(request, body.file, body.functions)

    def _show_traces(self, request: Request) -> View:
        """Shows the traces of a function; the calls of the cell below, and the one in the line, are counted."""
        arguments = request.arguments
        if request.cell is not None:
            body = self._parse(request, request.cell)
            with RetraceTable().counting():
                self._run_statements(body.statements, body.file)
        table = RetraceTable(self._function(request))
        if arguments.output is not None:
            self._shell.user_ns[arguments.output] = table
        self._echo = table
        self._display.show_stage(table, request.magic, arguments)
        return table

    def _function(self, request: Request) -> Any:
        """Returns the function in the line, None for all: one that is called there is called, if it is compiled."""
        written = request.arguments.call.removesuffix(";").rstrip()
        if not written:
            return None
        file = f"{MAGIC_FILE}{request.magic.name}>"
        is_call = False
        try:
            tree = ast.parse(written, mode="eval")
            is_call = isinstance(tree.body, ast.Call)
            if is_call:
                call = parse_call(written, request.written)
                function = evaluate(call, file, self._namespace(request), request.written, _called)
            else:
                function = eval(compile(tree, file, "eval"), self._namespace(request))
        except NameError as error:
            if is_call:
                raise
            raise UsageError(f"{request.written}: there is no function `{error.name}`.") from None
        except SyntaxError:
            function = None
        if isinstance(function, ExploredAtFirstCall):
            function = function.__wrapped__
        if not callable(function):
            raise UsageError(
                f"{request.written}: `{written}` is no function; write `{request.written} f`, "
                f"or the call of a compiled one."
            )
        return function

    def show_result(self, exploration: View) -> None:
        """Shows an exploration that a cell ended with; not again the one that its magic has just shown."""
        if exploration is not self._echo:
            self._display.show(exploration)
        elif not self._display.is_rich:
            print(exploration)  # the shell has printed its prompt

    def show_error(self, error: BaseException) -> None:
        """Shows how an error that was raised while a function was traced came about."""
        explanation = explain_error(error)
        if explanation is not None:
            if not self._display.is_rich:
                print()
            self._display.show(explanation)

    def finish_cell(self) -> None:
        """Forgets what concerned the cell that has just run."""
        self._echo = None

    # -- the body ------------------------------------------------------------------------------------------------

    def _parse(self, request: Request, cell: str) -> Body:
        whole, offset = self._whole_cell(request, cell)
        file = self._name(whole)
        blank = len(cell) - len(cell.lstrip("\n"))
        transformed = self._shell.transform_cell(cell)
        try:
            tree = self._shell.compile.ast_parse(transformed, file)
        except SyntaxError as error:
            for name in ("lineno", "end_lineno"):
                if (line := getattr(error, name, None)) is not None:
                    setattr(error, name, line + offset + blank)
            raise
        tree = self._shell.transform_ast(tree)
        ast.increment_lineno(tree, offset + blank)
        functions = tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
        return Body(file, tree.body, functions)

    def _whole_cell(self, request: Request, cell: str) -> tuple[str, int]:
        """Returns the cell as the user sees it, and how many of its lines stand above the body."""
        history = getattr(self._shell.history_manager, "input_hist_raw", None) or [""]
        raw, body = history[-1], cell.rstrip()
        if body and raw.rstrip().endswith(body):
            return raw, raw[: raw.rindex(body)].count("\n")
        return f"{request.line}\n{cell}", 1

    def _target(self, request: Request, body: Body) -> str | None:
        """Returns the function that is to be wrapped: the called one, or else the last."""
        called = request.call.names if request.call is not None else ()
        candidates = [name for name in body.functions if name in called] or list(body.functions)
        if candidates:
            return candidates[-1]
        if request.call is None:
            raise UsageError(
                f"{request.written}: the cell defines no function; begin it with `def f(x):`, "
                f"or name the call to explore: `{request.written} f(x)`."
            )
        return None

    def _execute(self, request: Request, body: Body, target: str | None) -> None:
        """Runs the body; the target is wrapped as soon as it is defined, as a decorator would."""
        namespace = self._shell.user_ns
        places = [
            i
            for i, node in enumerate(body.statements)
            if isinstance(node, ast.FunctionDef) and node.name == target
        ]
        cut = places[-1] + 1 if places else 0
        self._run_statements(body.statements[:cut], body.file)
        if target is not None:
            namespace[target] = self._wrap(request, target, namespace[target])
        self._run_statements(body.statements[cut:], body.file)

    def _run_statements(self, statements: list[ast.stmt], file: str) -> None:
        if statements:
            code = self._shell.compile(ast.Module(statements, []), file, "exec")  # pyright: ignore[reportArgumentType]
            exec(code, self._shell.user_ns)

    def _wrap(self, request: Request, name: str, function: Any) -> Any:
        jitted = jit(function, **request.arguments.jit) if request.magic.name == "jit" else function
        if request.call is not None:
            return jitted

        def explore(*args: Any, **kwargs: Any) -> Any:
            namespace = self._shell.user_ns
            if namespace.get(name) is waiting:
                namespace[name] = jitted
            exploration = self._explore(request, name, jitted, args, kwargs)
            return exploration.result if request.magic.until == "run" else jitted(*args, **kwargs)

        waiting = ExploredAtFirstCall(jitted, explore)
        return waiting

    # -- the call ------------------------------------------------------------------------------------------------

    def _explore_call(self, request: Request, file: str, defined: tuple[str, ...]) -> View:
        call = request.call
        assert call is not None
        if file.startswith(MAGIC_FILE):
            file = self._name_line(request, call, file)

        def explore(function: Any, /, *args: Any, **kwargs: Any) -> View:
            return self._explore(request, call.text, function, args, kwargs)

        exploration = evaluate(call, file, self._namespace(request), request.written, explore, defined)
        self._echo = exploration
        return exploration

    def _namespace(self, request: Request) -> dict[str, Any]:
        """Returns where the line's names are looked up: in the function that it stands in, then in the shell."""
        names = self._shell.user_ns
        return names if request.scope is None else {**names, **request.scope}

    def _name_line(self, request: Request, call: ParsedCall, file: str) -> str:
        """Gives the call's code a file that tracebacks and views can read, if there is code of its own in it."""
        if not any(isinstance(node, ast.Lambda) for node in ast.walk(call.node)):
            return file
        return self._name(request.line)

    def _name(self, whole: str) -> str:
        """Returns the file name of a text of this cell; under it tracebacks and views find the text."""
        # the count itself has moved on by now in newer versions of IPython, and has not in older ones
        return self._shell.compile.cache(whole, self._shell.displayhook.prompt_count, raw_code=whole)

    def _explore(
        self, request: Request, title: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        arguments = request.arguments
        if isinstance(function, ExploredAtFirstCall):
            function = function.__wrapped__
        is_target = request.cell is not None and request.magic.name == "jit" and info_of(function) is not None
        if arguments.jit and not is_target:
            plain = function.__wrapped__ if info_of(function) is not None else function
            function = jit(plain, **arguments.jit)
        exploration: View
        if request.magic.report:
            exploration = REPORTS[request.magic.report](function, args, kwargs, title)
        else:
            exploration = Exploration(EngineFrontEnd(function, args, kwargs, title=title))
        if arguments.output is not None:
            self._shell.user_ns[arguments.output] = exploration
        self._display.show_stage(exploration, request.magic, arguments)
        return exploration

    def _cell_of(self, file: str) -> int | None:
        label = self._shell.compile.format_code_name(file)
        number = _CELL_LABEL.search(label[1]) if label else None
        return int(number[1]) if number else None

    def _text_of(self, cell: int) -> str:
        history = getattr(self._shell.history_manager, "input_hist_raw", None) or []
        return history[cell] if 0 < cell < len(history) else ""
