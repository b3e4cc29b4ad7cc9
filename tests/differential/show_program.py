"""What one of the four programs is in one package, written to a folder.

Run as `python -m tests.differential.show_program PACKAGE NAME FOLDER [values]`.

Runs in either interpreter; imports of this project only the programs. The arguments are replaced by random ones, the
same for both sides, so that no value is zero by chance.
"""

from __future__ import annotations

import importlib
import pathlib
import sys

import numpy as np

from bench import programs


def random_like(leaf, rng):
    """An array of the leaf's type with random values, small enough for any of the programs."""
    array = np.asarray(leaf)
    if array.dtype.kind == "f":
        return (np.abs(rng.randn(*array.shape)) * 0.1 + 0.01).astype(array.dtype)
    return rng.randint(0, 10, array.shape).astype(array.dtype)


def main():
    package, name, folder = sys.argv[1:4]
    out = pathlib.Path(folder)
    root = importlib.import_module(package)
    fun, args = programs.load(package)[name]()
    (out / "jaxpr.txt").write_text(str(root.make_jaxpr(fun)(*args)))
    lowered = root.jit(fun).lower(*args)
    (out / "stablehlo.txt").write_text(lowered.as_text())
    if "values" in sys.argv[4:]:
        leaves, structure = root.tree.flatten(args)
        rng = np.random.RandomState(1)
        given = root.tree.unflatten(structure, [random_like(leaf, rng) for leaf in leaves])
        results = root.tree.leaves(lowered.compile()(*given))
        np.savez(out / "values.npz", *(np.asarray(r) for r in results))


if __name__ == "__main__":
    main()
