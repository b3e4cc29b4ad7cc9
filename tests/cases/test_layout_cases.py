"""Questions about where arrays lie."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import jaxnb
import jaxnb.numpy as jnp


def test_c39_a_picture_has_one_or_two_dimensions(capsys):
    jaxnb.debug.visualize_array_sharding(jnp.ones((4, 4)))
    assert "CPU 0" in capsys.readouterr().out
    for shape in ((4, 4, 4), ()):
        with pytest.raises(ValueError, match="only works for shapes with 1 and 2 dimensions"):
            jaxnb.debug.visualize_array_sharding(jnp.ones(shape))


FOUR_DEVICES = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}

C39 = """
import jaxnb as jax, jaxnb.numpy as jnp
from jaxnb.sharding import AxisType, NamedSharding as NS, PartitionSpec as P
mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
for shape, spec in (((4, 4), P("a", "b")), ((4, 4), P("a")), ((4, 4, 4), P("a", "b")), ((), P())):
    v = jax.device_put(jnp.ones(shape), NS(mesh, spec))
    try: jax.debug.visualize_array_sharding(v); print(shape, spec, "ok")
    except Exception as e: print(shape, spec, type(e).__name__, str(e)[:160])
"""


def test_c39_on_four_devices():
    done = subprocess.run(
        [sys.executable, "-c", C39], env=FOUR_DEVICES, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("(")] == [
        "(4, 4) P('a', 'b') ok",
        "(4, 4) P('a',) ok",
        "(4, 4, 4) P('a', 'b') ValueError `visualize_sharding` only works for shapes with 1 and 2 dimensions.",
        "() P() ValueError `visualize_sharding` only works for shapes with 1 and 2 dimensions.",
    ]
    assert sum("CPU" in line for line in lines) == 4
    assert "CPU 0,1" in done.stdout


SHARDED = """
import numpy as np, jaxnb
from jaxnb.explorer import explore_constants
from jaxnb.sharding import Mesh, NamedSharding as NS, PartitionSpec as P
mesh = Mesh(np.array(jaxnb.devices()).reshape(2, 2), ("a", "b"))
table, x = (jaxnb.device_put(np.ones((8, 4), np.float32), NS(mesh, P(*spec))) for spec in (("a",), ("a", "b")))
def f(x): return (x * table).sum(0)
seen = jaxnb.explore(f, x)
print(seen.facts()["equations"], seen.result.sharding.spec, [d.id for d in seen.result.addressable_shards[1].data.devices()])
print("sdy.sharding<@mesh" in seen.stablehlo, "all-reduce" in seen.hlo)
print(explore_constants(f, x).text())
"""


def test_an_exploration_runs_on_the_devices_of_its_arrays():
    done = subprocess.run(
        [sys.executable, "-c", SHARDED], env=FOUR_DEVICES, capture_output=True, text=True, check=True
    )
    first, second, *rest = done.stdout.splitlines()
    assert (
        first == "{'total': 2, 'linked': 2, 'explained': 0, 'unknown': 0, 'fates': {'linked': 2}} P('b',) [1]"
    )
    assert second == "True True"
    text = " ".join(" ".join(rest).split())
    assert (
        "held as Array on 4 devices, divided by P('a',) of Mesh('a': 2, 'b': 2, axis_types=(Auto, Auto))"
        in text
    )


def test_c39_without_rich_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(ValueError, match="`visualize_sharding` requires `rich` to be installed"):
        jaxnb.debug.visualize_array_sharding(jnp.ones((4, 4)))
