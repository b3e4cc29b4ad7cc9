"""The oracle: a long-lived process of real jax that answers what a program shows there; or the same process with ours.

The interpreter is ``JAXNB_ORACLE_PYTHON``, or ``.oracle/bin/python`` at the root of the repository; it must hold a jax
whose jaxlib is the one in use here.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
from typing import Any

from tests.differential.program import Program
from tests.requirements import find_oracle

SERVER = pathlib.Path(__file__).with_name("oracle_server.py")


class Oracle:
    """A running oracle; ``ask`` sends a program and returns what it shows."""

    def __init__(
        self, python: str, *, simplified_constants: bool = True, package: str = "jax", devices: int = 1
    ):
        env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        if package != "jax":
            env["PYTHONPATH"] = str(SERVER.parents[2])
        env["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
        env["JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS"] = "1" if simplified_constants else "0"
        env["JAX_PLATFORMS"] = "cpu"
        self._process = subprocess.Popen(
            [python, str(SERVER), package], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def ask(self, program: Program) -> dict[str, Any]:
        """What the oracle shows for ``program``: a string or an error for each text."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(program.as_dict()) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError(f"the oracle died on {program.name} (exit code {self._process.wait()})")
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)
        if self._process.stdout is not None:
            self._process.stdout.close()


@functools.cache
def shared_oracle(simplified_constants: bool = True) -> Oracle:
    """The one oracle of this test run."""
    python = find_oracle()
    if python is None:
        raise RuntimeError("no oracle: make oracle, or name a python with jax in JAXNB_ORACLE_PYTHON")
    return Oracle(python, simplified_constants=simplified_constants)
