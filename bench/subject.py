"""One process of a measurement; runs in either interpreter: `python -m bench.subject PACKAGE TASK`.

Times are CPU seconds of the whole process, so that a busy machine disturbs them least. It prints one JSON line for each
answer; nothing of the other package is ever in the process.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

CALLS_A_CHUNK = 30
CHUNKS_A_ROUND = 60


def main() -> None:
    package, task, *options = sys.argv[1:]
    {"import": first_array, "cold": cold, "dispatch": dispatch}[task](package, *options)


def answer(value: Any) -> None:
    print(json.dumps(value), flush=True)


def first_array(package: str) -> None:
    """Import, and the first array."""
    begin = time.process_time()
    importlib.import_module(package)
    jnp = importlib.import_module(package + ".numpy")
    jnp.ones(1).block_until_ready()
    answer({"seconds": time.process_time() - begin})


def cold(package: str, name: str) -> None:
    """The first trace of a program in this process, and then its lowering alone."""
    programs = importlib.import_module("bench.programs")  # after the arguments are parsed: it imports numpy
    root = importlib.import_module(package)
    fun, args = programs.load(package)[name]()
    begin, begin_wall = time.process_time(), time.perf_counter()
    jaxpr = root.make_jaxpr(fun)(*args)
    traced_s, wall_s = time.process_time() - begin, time.perf_counter() - begin_wall
    traced = root.jit(fun).trace(*args)
    begin = time.process_time()
    lowered = traced.lower()
    lowered_s = time.process_time() - begin
    answer(
        {
            "make_jaxpr": traced_s,
            "make_jaxpr_wall": wall_s,
            "lower": lowered_s,
            "equations": len(jaxpr.eqns),
            "characters": len(lowered.as_text()),
        }
    )


def dispatch(package: str, key_size: str = "0") -> None:
    """Answers each line on stdin, a case's name, with one round of chunks: CPU seconds for a call.

    Settings without meaning are added until the key holds `key_size`, so that both sides build keys of one length.
    """
    root = importlib.import_module(package)
    own = pad_key(int(key_size)) if package == "jaxnb" else settings_in_key()
    cases = {name: make(root) for name, make in CASES.items()}
    for call in cases.values():
        for _ in range(50):
            call()
    answer({"own_settings": own, "settings_in_key": settings_in_key()})
    for line in sys.stdin:
        answer(round_of(cases[line.strip()]))


def round_of(call: Callable[[], Any]) -> list[float]:
    """CPU seconds for one call, for each chunk of calls."""
    clock, samples = time.process_time, []
    for _ in range(CHUNKS_A_ROUND):
        begin = clock()
        for _ in range(CALLS_A_CHUNK):
            call()
        samples.append((clock() - begin) / CALLS_A_CHUNK)
    return samples


def settings_in_key() -> int:
    """How many settings this process has in jaxlib's key of a trace."""
    return len(importlib.import_module("jaxlib._jax").config.trace_context_names())


def pad_key(size: int) -> int:
    """Adds settings until the key holds `size`; returns how many it had."""
    state, own = importlib.import_module("jaxnb.xla.state"), settings_in_key()
    for n in range(own, size):
        kept.append(state.make_state(f"bench_{n}", None, True, True))
    return own


kept: list[Any] = []  # a setting that is let go leaves the key


def scalar(root: Any) -> Callable[[], Any]:
    """A float in, a float out."""
    jnp = importlib.import_module(root.__name__ + ".numpy")
    call, x = root.jit(lambda x: x + 1), jnp.float32(1)
    return lambda: call(x)


def tree(root: Any) -> Callable[[], Any]:
    """Ten leaves in a nested container, in and out."""
    jnp = importlib.import_module(root.__name__ + ".numpy")
    call = root.jit(lambda t: root.tree.map(lambda x: x * 2, t))
    leaves = [jnp.ones(4) for _ in range(10)]
    argument = {"a": leaves[:3], "b": (leaves[3], {"c": leaves[4:8]}), "d": leaves[8:]}
    return lambda: call(argument)


def constant(root: Any) -> Callable[[], Any]:
    """A closed-over array that is an argument of the compiled program."""
    jnp = importlib.import_module(root.__name__ + ".numpy")
    held = jnp.arange(64, dtype=jnp.float32)
    call, x = root.jit(lambda x: x + held), jnp.float32(1)
    return lambda: call(x)


CASES = {"scalar": scalar, "tree": tree, "constant": constant}

if __name__ == "__main__":
    main()
