"""What `%load_ext jaxnb` changes in a shell, and how it is undone.

Lives here: installing and removing. Must not live here: what the installed things do, and anything of the engine: a
magic that needs it opens it through the function it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import needs_local_scope, no_var_expand, output_can_be_silenced

from jaxnb.base.frames import full_traceback
from jaxnb.notebook.arguments import Arguments, help_text, parse_line
from jaxnb.notebook.calls import ParsedCall, parse_call
from jaxnb.notebook.completion import make_matcher
from jaxnb.notebook.errors import TracebackFilter, went_through_engine
from jaxnb.notebook.magics import Magic, Request
from jaxnb.notebook.panel_magics import ALL_MAGICS

__all__ = ["Extension", "Runner"]

_RESULT = ("jaxnb.explorer.view", "View")
_missing: Any = object()


class Runner(Protocol):
    """What carries out a magic, once the engine is there."""

    def run(self, request: Request) -> Any:
        """Runs the cell, if there is one, and explores the call."""
        ...

    def show_result(self, exploration: Any) -> None:
        """Shows an exploration that a cell ended with."""
        ...

    def finish_cell(self) -> None:
        """Forgets what concerned the cell that has just run."""
        ...

    def show_error(self, error: BaseException) -> None:
        """Shows how an error that was raised while a function was traced came about."""
        ...

    def close(self) -> None:
        """Takes back what was put into the explorer."""
        ...


class Extension:
    """The extension in one shell."""

    _loaded: ClassVar[WeakKeyDictionary[InteractiveShell, Extension]] = WeakKeyDictionary()

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._undo: list[Callable[[], None]] = []
        self._open: Callable[[], Runner] | None = None
        self._runner: Runner | None = None

    @classmethod
    def of(cls, shell: InteractiveShell) -> Extension:
        """Returns the shell's extension, installed or not."""
        return cls._loaded.setdefault(shell, cls(shell))

    def install(self, open_runner: Callable[[], Runner]) -> None:
        """Adds everything.

        Args:
            open_runner: Imports the engine and returns what carries out magics; called when one needs it.
        """
        if self._undo:
            return
        self._open = open_runner
        for magic in ALL_MAGICS:
            self._add_magic(magic)
        self._add_completion()
        self._add_display()
        self._undo.append(TracebackFilter(self._shell).remove)
        self._shell.events.register("post_run_cell", self._finish_cell)
        self._undo.append(lambda: self._shell.events.unregister("post_run_cell", self._finish_cell))

    def remove(self) -> None:
        """Takes everything back, the last first."""
        while self._undo:
            self._undo.pop()()
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        self._loaded.pop(self._shell, None)

    @property
    def runner(self) -> Runner:
        """What carries out magics; the first use imports the engine."""
        if self._runner is None:
            assert self._open is not None
            self._runner = self._open()
        return self._runner

    def _add_magic(self, magic: Magic) -> None:
        tables = self._shell.magics_manager.magics
        before = {kind: tables[kind].get(magic.name, _missing) for kind in ("line", "cell")}

        @no_var_expand
        @needs_local_scope
        @output_can_be_silenced
        def run(line: str, cell: str | None = None, local_ns: Any = None) -> Any:
            return self._run(magic, line, cell, local_ns)

        run.__name__ = magic.name
        run.__doc__ = help_text(magic.name, magic.summary, magic.takes_function)
        self._shell.magics_manager.register_function(run, "line_cell", magic.name)

        def restore() -> None:
            for kind, function in before.items():
                if function is _missing:
                    tables[kind].pop(magic.name, None)
                else:
                    tables[kind][magic.name] = function

        self._undo.append(restore)

    def _run(self, magic: Magic, line: str, cell: str | None, scope: Any) -> Any:
        written = f"%{magic.name}" if cell is None else f"%%{magic.name}"
        arguments: Arguments = parse_line(line, written)
        if arguments.help:
            print(help_text(magic.name, magic.summary, magic.takes_function))
            return None
        call: ParsedCall | None = None
        if magic.takes_function:
            pass
        elif arguments.call or cell is None:
            call = parse_call(arguments.call, written, len(written) + 1 + arguments.call_at)
        if scope is self._shell.user_ns:
            scope = None
        whole = f"{written} {line}".rstrip()
        return self.runner.run(Request(magic, written, whole, arguments, call, cell, scope))

    def _add_completion(self) -> None:
        matchers = self._shell.Completer.custom_matchers
        matcher = make_matcher([magic.name for magic in ALL_MAGICS], self._shell.user_ns)
        matchers.append(matcher)
        self._undo.append(lambda: matchers.remove(matcher))

    def _add_display(self) -> None:
        """Makes a cell that ends with an exploration show it live; by name, so that nothing is imported."""
        display_formatter: Any = self._shell.display_formatter
        formatter = display_formatter.ipython_display_formatter
        formatter.for_type_by_name(*_RESULT, self._show_result)

        def restore() -> None:
            formatter.deferred_printers.pop(_RESULT, None)
            for kind in [k for k in formatter.type_printers if (k.__module__, k.__name__) == _RESULT]:
                formatter.pop(kind)

        self._undo.append(restore)

    def _show_result(self, exploration: Any) -> None:
        self.runner.show_result(exploration)

    def _finish_cell(self, result: Any = None) -> None:
        error = getattr(result, "error_in_exec", None)
        # Only an error that went through the engine, which is there then, is looked at.
        if isinstance(error, Exception) and went_through_engine(full_traceback(error)):
            self.runner.show_error(error)
        if self._runner is not None:
            self._runner.finish_cell()
