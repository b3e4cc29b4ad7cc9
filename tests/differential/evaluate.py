"""What a program shows: its jaxpr, its StableHLO, its value, or its error.

The same file runs beside our engine and inside the oracle, so that both sides are asked the same question. Programs
are Python source that uses the names ``jax, jnp, lax, nn, random, np`` and nothing else.
"""

from __future__ import annotations

import concurrent.futures
import re
import traceback
import warnings
from typing import Any

import numpy as np


def evaluate(names: dict[str, Any], program: dict[str, Any]) -> dict[str, Any]:
    """The texts of one program.

    Args:
        names: the namespace: ``jax``, ``jnp``, ``lax``, ``nn``, ``random``, ``np``.
        program: ``fun`` and ``args`` (sources of a function and of a tuple), ``wants`` (which texts), and
            ``config`` (settings to change while it runs).

    Returns:
        For each text wanted: a string, or ``{"error": class name, "text": message}``.
    """
    shown: dict[str, Any] = {}
    config = names["jax"].config
    before = {k: getattr(config, k) for k in program["config"]}
    for k, v in program["config"].items():
        config.update(k, v)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for want in program["wants"]:
                try:
                    fun, args = (eval(program[k], dict(names)) for k in ("fun", "args"))
                    shown[want] = _views[want](names["jax"], fun, args)
                except Exception as err:
                    shown[want] = {"error": type(err).__name__, "text": str(err)}
                    if program.get("verbose"):
                        shown[want]["traceback"] = traceback.format_exc()
    finally:
        for k, v in before.items():
            config.update(k, v)
    return shown


def _jaxpr(jax: Any, fun: Any, args: tuple[Any, ...]) -> str:
    return str(jax.make_jaxpr(fun)(*args))


def _stablehlo(jax: Any, fun: Any, args: tuple[Any, ...]) -> str:
    return jax.jit(fun).lower(*args).as_text()


def _value(jax: Any, fun: Any, args: tuple[Any, ...]) -> list[Any]:
    return [_describe(leaf) for leaf in jax.tree_util.tree_leaves(fun(*args))]


def _describe(leaf: Any) -> list[Any]:
    """Type and numbers of a result: ``["~float32[2]", [1.0, 2.0]]``, the mark for a weak type."""
    if not hasattr(leaf, "dtype"):
        return [f"{type(leaf).__name__} {leaf!r}", []]
    weak = "~" if getattr(leaf, "weak_type", False) else ""
    kind = f"{weak}{leaf.dtype}{list(np.shape(leaf))}"
    if not isinstance(leaf.dtype, np.dtype):  # keys
        return [kind, [str(leaf)]]
    array = np.asarray(leaf)
    if array.dtype.names is not None:  # float0
        return [kind, []]
    if array.dtype.kind == "V" or array.dtype.kind not in "biufc":  # bfloat16 and its kin
        array = array.astype(np.float32)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    return [kind, array.ravel().tolist()]


def _repr(jax: Any, fun: Any, args: tuple[Any, ...]) -> str:
    return repr(fun(*args))


def _lowered(jax: Any, fun: Any, args: tuple[Any, ...]) -> Any:
    """The program lowered in a thread of its own: of whoever asks, no lines are in its locations."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: jax.jit(fun).lower(*args)).result()


_alias = re.compile(r"^(#loc\d*) = loc\((.*)\)\n", re.M)
_reference = re.compile(r"#loc\d*")


def _locations(jax: Any, fun: Any, args: tuple[Any, ...]) -> str:
    """The module's text with the location of each operation written out where it is."""
    text = _lowered(jax, fun, args).as_text(debug_info=True)
    aliases = dict(_alias.findall(text))

    def written_out(found: re.Match[str]) -> str:
        inner = aliases.get(found[0])
        return found[0] if inner is None else _reference.sub(written_out, inner)

    return _reference.sub(written_out, _alias.sub("", text))


_frames = re.compile(r"^(FileNames|FunctionNames|FileLocations|StackFrames)\n(.+\n)*\n?", re.M)


def _hlo(jax: Any, fun: Any, args: tuple[Any, ...]) -> list[str]:
    lowered = _lowered(jax, fun, args)
    texts = [lowered.as_text(dialect="hlo"), lowered.compiler_ir(dialect="hlo").as_hlo_text()]
    return [*texts, _without_frames(lowered.as_text(dialect="hlo", debug_info=True))]


def _compiled(jax: Any, fun: Any, args: tuple[Any, ...]) -> str:
    text = _lowered(jax, fun, args).compile().as_text()
    return re.sub(r", backend_config=\{.*\}", "", _without_frames(text))  # XLA writes its notes in any order


def _without_frames(text: str) -> str:
    """HLO without the tables of lines, which the locations have."""
    return re.sub(r" stack_frame_id=\d+", "", _frames.sub("", text))


_views = {
    "jaxpr": _jaxpr,
    "stablehlo": _stablehlo,
    "value": _value,
    "repr": _repr,
    "locations": _locations,
    "hlo": _hlo,
    "compiled": _compiled,
}
