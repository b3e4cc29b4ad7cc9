"""Which of JAX's public names are here: the committed list, and what is really so.

`oracle-VERSION.json` holds JAX's names (`ask_oracle.py` writes it), `reasons.json` says why a family comes later,
`verdicts.json` is the list: for each name "have", or "later: " and the reason. Run this file to write the list anew.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib
import re
import types
from typing import Any

import jaxlib.version

import jaxnb

HERE = pathlib.Path(__file__).parent
VERDICTS = HERE / "verdicts.json"

Names = dict[str, dict[str, Any]]  # module -> name -> what is known of it


def oracle_names() -> Names:
    """JAX's names in the version that belongs to the jaxlib in use."""
    version = ".".join(jaxlib.version.__version__.split(".")[:3])
    path = HERE / f"oracle-{version}.json"
    if not path.exists():
        raise FileNotFoundError(
            f"no names of JAX {version}; `.oracle/bin/python tests/inventory/ask_oracle.py`"
        )
    return json.loads(path.read_text())


def known_parameters(module: str) -> dict[str, list[Any]]:
    """For each name the parameters it has in the versions known; they differ in a few, and ours are the same in all."""
    found: dict[str, list[Any]] = {}
    for path in HERE.glob("oracle-*.json"):
        for name, value in json.loads(path.read_text())[module].items():
            found.setdefault(name, []).append(value)
    return found


def all_names() -> dict[str, list[str]]:
    """JAX's names in any of the versions known."""
    found: dict[str, set[str]] = {}
    for path in HERE.glob("oracle-*.json"):
        for module, names in json.loads(path.read_text()).items():
            found.setdefault(module, set()).update(names)
    return {module: sorted(names) for module, names in found.items()}


def public_names(module: types.ModuleType) -> set[str]:
    """What one of our modules shows; of modules beside its functions, those that JAX shows too (`numpy.linalg`)."""
    if module is jaxnb.config:
        return set(jaxnb.config.values)
    if hasattr(module, "__all__"):
        return set(module.__all__)
    modules = {n for n, v in vars(module).items() if isinstance(v, types.ModuleType)}
    modules -= set(all_names()[module.__name__.removeprefix("jaxnb.")])
    return {n for n in vars(module) if not n.startswith("_")} - modules - {"annotations"}


def our_module(name: str) -> types.ModuleType | None:
    """Our module of that name, or None while it is not written; the package itself and its settings have names too."""
    if name in ("jax", "config"):
        return jaxnb if name == "jax" else jaxnb.config  # pyright: ignore[reportReturnType]
    try:
        return importlib.import_module(f"jaxnb.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"jaxnb.{name}":
            raise
        return None


def parameters(value: Any) -> list[str] | None:
    """The names of the parameters, as `ask_oracle.py` writes them."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(p.kind, "") + p.name for p in signature.parameters.values() if p.name[0] != "_"]


def reason(module: str, name: str) -> str | None:
    """Why a name is not here yet; a primitive shares the reason of its function."""
    for pattern, text in json.loads((HERE / "reasons.json").read_text()).get(module, ()):
        if re.fullmatch(pattern, name.removesuffix("_p")) or re.fullmatch(pattern, name):
            return text
    return None


def write_verdicts() -> list[str]:
    """Writes the list as things are; returns the names that are missing without a reason."""
    unexplained, blocks = [], []
    known, kept = oracle_names(), json.loads(VERDICTS.read_text())
    for module, names in all_names().items():
        ours = our_module(module)
        lines = []
        for name in names:
            text = reason(module, name)
            if name not in known[module] and name in kept.get(module, {}):
                verdict = kept[module][name]  # of another version of JAX: run this beside its jaxlib
            elif ours is not None and name in public_names(ours):
                verdict = "have"
            else:
                verdict = f"later: {text}"
                unexplained += [] if text else [f"{module}.{name}"]
            lines.append(f"  {json.dumps(name)}: {json.dumps(verdict)}")
        blocks.append(f" {json.dumps(module)}: {{\n" + ",\n".join(lines) + "\n }")
    VERDICTS.write_text("{\n" + ",\n".join(blocks) + "\n}\n")
    return unexplained


if __name__ == "__main__":
    missing = write_verdicts()
    print(f"{len(missing)} names are missing without a reason:", *missing)
