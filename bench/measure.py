"""Runs the two sides in turn and returns their samples."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
Samples = dict[str, dict[str, list[float]]]  # measure -> package -> samples


def interpreters() -> dict[str, str]:
    """The two sides: each package and the Python that has it.

    Raises:
        FileNotFoundError: there is no oracle.
    """
    oracle = pathlib.Path(os.environ.get("JAXNB_ORACLE_PYTHON") or ROOT / ".oracle" / "bin" / "python")
    if not oracle.exists():
        raise FileNotFoundError(f"no oracle at {oracle}; `make oracle` makes one")
    return {"jaxnb": sys.executable, "jax": str(oracle)}


def environment() -> dict[str, str]:
    """The same for both sides: CPU, the simplified constants, compiled bytecode kept as an installed package has it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return kept | {"JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS": "1", "JAX_PLATFORMS": "cpu"}


def once(package: str, python: str, *task: str) -> dict[str, Any]:
    """The answer of a fresh process."""
    command = [python, "-m", "bench.subject", package, *task]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{package} {' '.join(task)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def in_turn(runs: int) -> Iterator[tuple[str, str]]:
    """Each side once a run; who begins changes from run to run."""
    sides = list(interpreters().items())
    for run in range(runs):
        yield from sides if run % 2 == 0 else sides[::-1]


def imports(runs: int) -> Samples:
    """CPU seconds for the import and the first array, in fresh processes; the first of each warms the disk."""
    for package, python in in_turn(1):
        once(package, python, "import")
    found: Samples = {"import": {}}
    for package, python in in_turn(runs):
        found["import"].setdefault(package, []).append(once(package, python, "import")["seconds"])
    return found


def cold(name: str, runs: int) -> tuple[Samples, dict[str, Any]]:
    """CPU seconds for the first trace of a program and for its lowering, in fresh processes; and its sizes."""
    found: Samples = {f"make_jaxpr.{name}": {}, f"lower.{name}": {}}
    sizes: dict[str, Any] = {}
    for package, python in in_turn(runs):
        reply = once(package, python, "cold", name)
        for measure in ("make_jaxpr", "lower"):
            found[f"{measure}.{name}"].setdefault(package, []).append(reply[measure])
        sizes[package] = {k: reply[k] for k in ("equations", "characters")}
    return found, sizes


def start_server(package: str, *options: str) -> subprocess.Popen[str]:
    """A long-lived process that answers `dispatch` cases."""
    command = [interpreters()[package], "-m", "bench.subject", package, "dispatch", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=pipe, stdout=pipe, text=True)


@contextmanager
def servers() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A place for the long-lived processes; they end with the block."""
    started: dict[str, subprocess.Popen[str]] = {}
    try:
        yield started
    finally:
        for process in started.values():
            process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            process.wait(30)
            process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]


def dispatch(cases: tuple[str, ...], rounds: int) -> tuple[Samples, dict[str, Any]]:
    """CPU seconds for a cached call, chunk by chunk, the two sides alternating; and what each side's key holds."""
    found: Samples = {f"dispatch.{case}": {} for case in cases}
    with servers() as running:
        running["jax"] = start_server("jax")
        facts = {"jax": read(running["jax"])}
        running["jaxnb"] = start_server("jaxnb", str(facts["jax"]["settings_in_key"]))
        facts["jaxnb"] = read(running["jaxnb"])
        for turn in range(rounds):
            order = list(running.items())[:: 1 if turn % 2 == 0 else -1]
            for case in cases:
                for package, process in order:
                    print(case, file=process.stdin, flush=True)
                    found[f"dispatch.{case}"].setdefault(package, []).extend(read(process))
    return found, facts


def read(process: subprocess.Popen[str]) -> Any:
    """The next answer of a server."""
    line = process.stdout.readline()  # pyright: ignore[reportOptionalMemberAccess]
    if not line:
        raise RuntimeError(f"a process of the bench ended: {process.args}")
    return json.loads(line)
