"""The door's arrays and C++ dispatch."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from jaxnb.xla import array, client, compile, dispatch, pytree, state

ROOT = pathlib.Path(__file__).parents[2]


class Aval:
    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.weak_type = tuple(shape), np.dtype(dtype), False


def put(value, dtype=None):
    value = np.asarray(value)
    return array.device_put_numpy(value, Aval(value.shape, dtype or value.dtype), client.devices()[0])


@pytest.mark.parametrize(
    "dtype",
    [
        bool,
        np.int8,
        np.uint64,
        np.float16,
        np.float32,
        np.float64,
        np.complex64,
        np.complex128,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.int4,
    ],
)
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)])
def test_a_value_comes_back_as_it_went_in(dtype, shape):
    value = np.ones(shape, dtype)
    back = array.to_numpy(put(value))
    assert back.dtype == value.dtype
    assert back.shape == shape
    assert not back.flags.writeable
    assert (back == value).all()


@pytest.mark.parametrize("offset", [0, 1])
def test_the_users_array_is_never_aliased(offset):
    # Large and aligned is when the runtime would share the memory.
    backing = np.zeros((1 << 16) + 32, np.float32)
    start = (-backing.ctypes.data % 64) // 4 + offset
    value = backing[start : start + (1 << 16)]
    x = put(value)
    value[:] = 7
    assert array.to_numpy(x).max() == 0


def test_odd_layouts_are_copied_right():
    grid = np.arange(24).reshape(4, 6)
    for value in (grid.T, grid[::2, ::-1], np.asfortranarray(grid), grid.astype(">i4")):
        assert (array.to_numpy(put(value, value.dtype.newbyteorder("="))) == value).all()


def test_the_dtype_of_the_aval_decides_whatever_x64_says():
    old = state.enable_x64_state.swap_local(False)
    try:
        assert array.to_numpy(put(np.ones(2, np.float64))).dtype == np.float64
        assert array.to_numpy(put(np.ones(2, np.float64), np.float32)).dtype == np.float32
    finally:
        state.enable_x64_state.set_local(old)


def test_a_deleted_array_says_so_in_jaxs_words():
    x = put(np.ones(3, np.float32))
    x.delete()
    with pytest.raises(RuntimeError) as error:
        array.to_numpy(x)
    assert str(error.value) == "Array has been deleted with shape=float32[3]."


def test_methods_can_be_installed_on_the_class():
    array.install({"_a_method_for_this_test": lambda self: self.aval.shape})
    try:
        assert put(np.ones((2, 3)))._a_method_for_this_test() == (2, 3)
    finally:
        del array.ArrayImpl._a_method_for_this_test


def test_the_sharding_of_a_device_is_one_object():
    device = client.devices()[0]
    assert array.single_device_sharding(device) is array.single_device_sharding(device)


def test_rewrapping_changes_what_is_known_but_not_the_memory():
    x = put(np.ones(3, np.float32))
    assert not x._committed
    y = array.rewrap(x, Aval((3,), np.float32), x._sharding, committed=True)
    assert y._committed
    assert array.buffer_pointer(x) == array.buffer_pointer(y)
    array.block_until_ready([x, y])


def test_dlpack_shares_memory_both_ways():
    x = put(np.arange(3, dtype=np.float32))

    class Wrapper:
        def __dlpack__(self, **_):
            return array.to_dlpack(x)

        def __dlpack_device__(self):
            return (1, 0)

    view = np.from_dlpack(Wrapper())
    assert view.ctypes.data == array.buffer_pointer(x)
    made = []

    def make(shape, dtype, weak_type):
        made.append((shape, dtype, weak_type))
        return Aval(shape, dtype)

    before = array._make_aval
    array.set_aval_maker(make)
    try:
        source = np.arange(4, dtype=np.int32)
        y = array.from_dlpack(source.__dlpack__(), client.devices()[0])
        assert array.to_numpy(y).tolist() == [0, 1, 2, 3]
        assert made == [((4,), np.dtype(np.int32), False)]
    finally:
        array.set_aval_maker(before)


def test_a_named_sharding_asks_our_check():
    seen = []
    array.set_spec_check(lambda mesh, spec: seen.append((mesh, spec)))
    try:
        mesh, spec = array._EmptyMesh(), array._EmptySpec()
        array.NamedSharding(mesh, spec)
        assert seen == [(mesh, spec)]
    finally:
        array._check_spec = None


# ----------------------------------------------------------------- dispatch


@pytest.fixture
def doubling():
    """A jitted function, its log of cache misses, and an argument."""
    device = client.devices()[0]
    sharding = array.single_device_sharding(device)
    aval = Aval((4,), np.float32)
    text = (
        "module @jit_f { func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {"
        " %0 = stablehlo.add %a, %a : tensor<4xf32> return %0 : tensor<4xf32> } }"
    )
    program = compile.compile_module(
        client.backend(), text, [device], compile.CompileOptions(propagate_to_outputs=(True,))
    )
    misses = []

    def cache_miss(x, *static):
        misses.append(static)
        if state.staging_state.value:
            return "staged", None, False
        (out,) = program.execute([x], [array.result_handler(aval, sharding, False)])
        data = dispatch.FastpathData(
            program.raw,
            pytree.leaf_treedef,
            [sharding],
            [sharding],
            [aval],
            [False],
            [True],
            [None],
            [],
        )
        return out, data, False

    function = dispatch.make_pjit("f", lambda x: "plain python", cache_miss, static_argnums=[1], key=object())
    return function, misses, put(np.ones(4, np.float32))


def test_the_second_call_runs_without_python(doubling):
    f, misses, x = doubling
    assert array.to_numpy(f(f(x))).tolist() == [4] * 4
    assert array.to_numpy(f(f(x))).tolist() == [4] * 4
    assert misses == [()]


def test_a_static_argument_is_compared_by_value(doubling):
    f, misses, x = doubling
    f(x, "a")
    f(x, "a")
    f(x, "b")
    assert misses == [("a",), ("b",)]


def test_a_staging_trace_never_takes_the_fast_path(doubling):
    f, misses, x = doubling
    f(x)
    old = state.staging_state.swap_local(True)
    try:
        assert f(x) == "staged"
        assert f(x) == "staged"
    finally:
        state.staging_state.set_local(old)
    assert not isinstance(f(x), str)
    assert len(misses) == 3


def test_disable_jit_calls_the_function(doubling):
    f, _, x = doubling
    old = state.disable_jit_state.swap_local(True)
    try:
        assert f(x) == "plain python"
    finally:
        state.disable_jit_state.set_local(old)


def test_a_weak_cache_lets_its_key_go_and_follows_the_context():
    class Key:
        pass

    calls = []
    cached = dispatch.weakref_lru_cache(lambda key, n: calls.append(n))
    key = Key()
    cached(key, 1)
    cached(key, 1)
    assert calls == [1]
    old = state.enable_x64_state.swap_local(not state.enable_x64_state.value)
    cached(key, 1)
    state.enable_x64_state.set_local(old)
    assert calls == [1, 1]
    del key
    assert cached.cache_info().currsize == 0


# ----------------------------------------------------------------- several devices

SEVERAL = """
import sys
import numpy as np
from jaxnb.xla import array, client
from jaxnb.xla.hlo import HloSharding

class Aval:
    shape, dtype, weak_type = (4, 4), np.dtype(np.float32), False

devices = client.devices()
assert len(devices) == 4
grid = np.arange(16, dtype=np.float32).reshape(4, 4)
cells = [grid[:2, :2], grid[:2, 2:], grid[2:, :2], grid[2:, 2:]]
for text, parts in [
    ("{devices=[2,2]<=[4]}", cells),
    ("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", [grid[:2], grid[:2], grid[2:], grid[2:]]),
    ("{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", [grid[:2], grid[2:], grid[:2], grid[2:]]),
    ("{replicated}", [grid] * 4),
]:
    sharding = array.GSPMDSharding(client.device_list(tuple(devices)), HloSharding.from_string(text))
    whole = array.device_put_shards(Aval(), sharding, parts, devices)
    assert (array.to_numpy(whole) == grid).all()
    assert (array._join_shards(whole) == grid).all()
    for part, shard, index in zip(parts, array.shards(whole), array.shard_indices(whole)):
        assert (grid[index] == part).all()
        assert (array.to_numpy(shard) == part).all()
one = array.device_put_numpy(grid, Aval(), devices[0])
there = array.copy_to_device(one, devices[3])
assert there._sharding._device == devices[3] and there._committed
assert not array.copy_to_device(one, devices[3], committed=False)._committed
assert "jax" not in sys.modules
"""


def test_arrays_live_on_several_devices():
    env = {**os.environ, "JAX_NUM_CPU_DEVICES": "4", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SEVERAL], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
