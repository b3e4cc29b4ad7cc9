"""The engine and real jax keep out of each other's process."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import types

import pytest

from jaxnb.xla import coexist
from tests.requirements import find_oracle

ROOT = pathlib.Path(__file__).parents[2]


def test_it_refuses_to_start_beside_jax():
    code = "import sys, types; sys.modules['jax'] = types.ModuleType('jax'); import jaxnb.xla.state"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1] == f"jaxnb.errors.JaxLoadedError: {coexist.REFUSAL}"


def test_a_later_import_of_an_installed_jax_is_warned_about_once(tmp_path):
    (tmp_path / "jax.py").write_text("")
    code = """
import sys, warnings
import jaxnb.xla.state
warnings.simplefilter("always")
import jax
del sys.modules["jax"]
import jax
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("RuntimeWarning") == 1
    assert f"<string>:5: RuntimeWarning: {coexist.WARNING}" in done.stderr


def test_the_stand_in_is_there_only_inside_its_block():
    known = sys.modules.get("jax")
    with coexist.stand_in(make_aval=tuple):
        assert sys.modules["jax"].core.ShapedArray is tuple
    assert sys.modules.get("jax") is known
    own = types.ModuleType("jax")
    sys.modules["jax"] = own
    try:
        with coexist.stand_in():
            assert sys.modules["jax"] is not own
        assert sys.modules["jax"] is own
    finally:
        if known is None:
            del sys.modules["jax"]
        else:
            sys.modules["jax"] = known


EVERYTHING = """
import importlib.util, pkgutil, sys
import numpy as np
import jaxnb.xla

assert importlib.util.find_spec("jax") is not None
names = {m.name for m in pkgutil.iter_modules(jaxnb.xla.__path__)} - {"worker_main"}
for name in sorted(names):
    __import__(f"jaxnb.xla.{name}")
from jaxnb.xla import array, client, compile, dispatch, hlo, pytree
from jaxnb.xla.hlo import HloSharding

class Aval:
    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.weak_type = tuple(shape), np.dtype(dtype), False

devices = client.devices()
aval = Aval((4,), np.float32)
sharding = array.single_device_sharding(devices[0])
x = array.device_put_numpy(np.ones(4, np.float32), aval, devices[0])
program = compile.compile_module(
    client.backend(),
    "module @jit_f { func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {"
    " %0 = stablehlo.add %a, %a : tensor<4xf32> return %0 : tensor<4xf32> } }",
    devices[:1],
    compile.CompileOptions(),
)
handler = array.result_handler(aval, sharding, False)
data = dispatch.FastpathData(
    program.raw, pytree.leaf_treedef, [sharding], [sharding], [aval], [False], [True], [None], []
)
f = dispatch.make_pjit("f", None, lambda x: (program.execute([x], [handler])[0], data, False))
y = f(f(x))
array.block_until_ready([y])
array.to_numpy(y)
np.asarray(y)
array.start_copy_to_host(y)
array.buffer_pointer(y)
y.unsafe_buffer_pointer()
array.rewrap(y, aval, sharding, True)
array.rewrap(y, aval, sharding, False)
array.copy_to_device(y, devices[1])
array.copy_to_device(y, devices[1], committed=False)
array.assemble(aval, sharding, [y])
array.to_dlpack(y)
array.to_numpy(array.from_dlpack(np.ones(4, np.float32).__dlpack__(), devices[0]))
array.NamedSharding(array._EmptyMesh(), array._EmptySpec())
import ml_dtypes
brain = Aval((2,), ml_dtypes.bfloat16)
array.to_numpy(array.device_put_numpy(np.ones(2, ml_dtypes.bfloat16), brain, devices[0]))
both = array.GSPMDSharding(client.device_list(tuple(devices)), HloSharding.from_string("{devices=[2]<=[2]}"))
z = array.device_put_shards(Aval((8,), np.float32), both, [np.ones(4)] * 2, devices)
array.shards(z)
array.to_numpy(z)
compile.load_executable(client.backend(), program.serialize(), devices[:1], compile.CompileOptions())
program.cost_analysis(), program.memory_stats(), program.hlo_text()
assert not [m for m in sys.modules if m.split(".")[0] == "jax"]
"""


@pytest.mark.oracle
def test_with_jax_installed_nothing_here_imports_it():
    python = find_oracle()
    assert python is not None, "make oracle, or name a python with jax in JAXNB_ORACLE_PYTHON"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_NUM_CPU_DEVICES": "2"}
    done = subprocess.run([python, "-W", "error", "-c", EVERYTHING], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
