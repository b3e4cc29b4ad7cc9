"""Runs programs in real jax: one JSON request a line on stdin, one JSON reply a line on stdout.

Started by `oracle.py` with the oracle's interpreter; imports jax, and of this project only the file beside it. With the
name of our package as its argument it runs them there.
"""

import importlib
import importlib.util
import json
import os
import pathlib
import sys

import numpy as np


def load_evaluate():
    """`evaluate.evaluate`, loaded by path: the oracle does not see this project's packages."""
    spec = importlib.util.spec_from_file_location("evaluate", pathlib.Path(__file__).with_name("evaluate.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.evaluate


def main():
    """Answers until stdin ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a program prints must not break the protocol
    # slow: only once the pipe is set up
    package = sys.argv[1]
    jax = importlib.import_module(package)
    for module in ("numpy", "lax", "nn", "random", "sharding"):
        importlib.import_module(f"{package}.{module}")
    names = {"jax": jax, "jnp": jax.numpy, "lax": jax.lax, "nn": jax.nn, "random": jax.random, "np": np}
    evaluate = load_evaluate()
    for line in sys.stdin:
        replies.write(json.dumps(evaluate(names, json.loads(line))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
