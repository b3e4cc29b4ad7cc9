"""Writes `oracle-VERSION.json`: JAX's public names in the modules this project follows, with their parameters.

Run with the oracle's interpreter: `.oracle/bin/python tests/inventory/ask_oracle.py`. A name's value is the list of its
parameter names; `"module"`, `"class"`, or null for what has no signature of its own.
"""

import importlib
import inspect
import json
import pathlib
import types
import typing
import warnings

import jax

MODULES = (
    "lax", "numpy", "nn", "random", "core", "custom_derivatives", "debug", "dtypes", "errors", "export", "interpreters.ad",
    "interpreters.batching", "interpreters.mlir", "monitoring", "sharding", "stages", "tree", "tree_util",
)  # fmt: skip
TOP = "jax"
"""What the names of the package itself stand under."""
CONFIG = "config"
"""What the names of the settings stand under."""


def names_of(module):
    """The names of a module; those of JAX's core stand in three."""
    shown = {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}
    if module.__name__ == "jax.core":
        pe = importlib.import_module("jax.interpreters.partial_eval")
        return names_of(importlib.import_module("jax.extend.core")) | shown | {"dce_jaxpr": pe.dce_jaxpr}
    return shown


def parameters(value):
    """The names of the parameters that are public, `*` and `**` as in a signature."""
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if typing.get_origin(value) is not None:
        return None
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(p.kind, "") + p.name for p in signature.parameters.values() if p.name[0] != "_"]


def one_line_each(names):
    """JSON with a line for each name, so that a change reads as a diff."""
    modules = []
    for module, found in names.items():
        lines = ",\n".join(f"  {json.dumps(n)}: {json.dumps(p)}" for n, p in sorted(found.items()))
        modules.append(f" {json.dumps(module)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(modules) + "\n}"


def main():
    """Asks for every module."""
    warnings.simplefilter("ignore")
    names = {}
    for name in MODULES:
        names[name] = {n: parameters(v) for n, v in names_of(importlib.import_module(f"jax.{name}")).items()}
    names[TOP] = {n: parameters(v) for n, v in names_of(jax).items()}
    names[CONFIG] = dict.fromkeys(jax.config.values)
    version = ".".join(jax.__version__.split(".")[:3])
    path = pathlib.Path(__file__).with_name(f"oracle-{version}.json")
    path.write_text(one_line_each(names) + "\n")
    print(path.name, {name: len(found) for name, found in names.items()})


if __name__ == "__main__":
    main()
