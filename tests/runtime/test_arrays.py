"""What arrays show and refuse, in the oracle's words: each expression is evaluated in both engines."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import jaxnb
from tests.differential.evaluate import evaluate
from tests.differential.oracle import shared_oracle
from tests.differential.program import Program

VALUES = {
    "f32": "np.arange(3, dtype=np.float32)",
    "f32 scalar": "np.float32(2.5)",
    "matrix": "np.arange(12, dtype=np.float32).reshape(3, 4) / 7",
    "three dimensions": "np.arange(24, dtype=np.int32).reshape(2, 3, 4)",
    "bool": "np.array([True, False])",
    "bool scalar": "np.bool_(True)",
    "int scalar": "np.int32(3)",
    "negative": "np.int8(-3)",
    "weak float": "2.0",
    "weak int": "3",
    "complex": "np.array([1 + 2j], np.complex64)",
    "complex scalar": "np.complex64(1 + 2j)",
    "empty": "np.zeros((0,), np.float32)",
    "empty matrix": "np.zeros((3, 0), np.int32)",
    "empty bool": "np.zeros((0, 2, 0), bool)",
    "long": "np.arange(2000, dtype=np.int32)",
    "long matrix": "np.arange(4000, dtype=np.float32).reshape(40, 100)",
    "special": "np.array([np.nan, np.inf, -1e-20, 1e20], np.float32)",
    "not a number": "np.float32(np.nan)",
    "f16": "np.float16(1.5)",
    "u8": "np.arange(3, dtype=np.uint8)",
    "bf16": "np.arange(3).astype(jnp.bfloat16)",
    "one element": "np.ones((1, 1), np.float32)",
}
USES = {
    "repr": "repr(x)",
    "str": "str(x)",
    "format": "f'{x}'",
    "format .2f": "f'{x:.2f}'",
    "format d": "f'{x:d}'",
    "bool": "bool(x)",
    "int": "int(x)",
    "float": "float(x)",
    "complex": "complex(x)",
    "index": "x.__index__()",
    "as index": "[1, 2, 3, 4][x]",
    "oct": "oct(x)",
    "hex": "hex(x)",
    "len": "len(x)",
    "hash": "hash(x)",
    "item": "x.item()",
    "item 0": "x.item(0)",
    "tolist": "x.tolist()",
    "tobytes": "x.tobytes()",
    "numpy": "np.asarray(x)",
    "numpy double": "np.asarray(x, dtype=np.complex128)",
    "numpy no copy": "np.asarray(x, dtype=np.complex128, copy=False)",
    "facts": "(x.shape, x.dtype, x.ndim, x.size, x.itemsize, x.nbytes, x.weak_type, x.aval)",
}
ON_ONE = [
    "x.sharding",
    "x.device",
    "x.devices()",
    "x.committed",
    "x.is_fully_addressable",
    "x.is_fully_replicated",
    "x.addressable_shards",
    "x.global_shards",
    "x.addressable_data(0)",
    "x.on_device_size_in_bytes()",
    "x.is_ready()",
    "x.platform()",
    "x.__dlpack_device__()",
    "np.from_dlpack(x)",
    "x.__dlpack__(dl_device=(2, 0))",
    "x.__cuda_array_interface__",
    "x.device_buffer",
    "x.device_buffers",
    "x.foo",
    "x.__setitem__(0, 1.0)",
    "x.__delitem__(0)",
    "setattr(x, 'shape', (3,))",
    "x.item(99)",
    "x.block_until_ready() is x",
    "x.copy_to_host_async()",
    "isinstance(x, jax.Array)",
    "isinstance(np.ones(2), jax.Array)",
    "isinstance(x, np.ndarray)",
    "type(x)",
    "np.array(x).flags.writeable, np.asarray(x).flags.writeable",
    "x.sharding.device_set, x.sharding.num_devices, x.sharding.memory_kind",
    "x.sharding.devices_indices_map((3,)), x.sharding.shard_shape((3,))",
    "x.sharding == jax.device_put(2.0).sharding",
    "x.sharding.with_memory_kind('pinned_host')",
    "x.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()",
]
ON_DELETED = [
    "repr(x)",
    "str(x)",
    "f'{x:.2f}'",
    "np.asarray(x)",
    "x.tolist()",
    "x.item()",
    "x.devices()",
    "x.addressable_shards",
    "x.on_device_size_in_bytes()",
    "x.block_until_ready()",
    "x.is_deleted()",
    "x.delete()",
    "x.shape, x.weak_type, x.nbytes, len(x)",
    "bool(x)",
    "float(x)",
    "jax.device_put(x)",
    "jax.jit(lambda y: y)(x)",
    "x.__dlpack__()",
    "x.__reduce__()",
    "x.__deepcopy__({})",
]
TRANSFERS = [
    "jax.device_put([1, 2.0, True, 1j, np.float64(3), np.int8(2), np.int64(3), None])",
    "jax.device_put(2**40)",
    "jax.device_put('a')",
    "jax.device_put({1}, None)",
    "jax.device_put(np.array(['a']))",
    "jax.device_put(1.0, 'cpu')",
    "jax.device_put(1.0, 3)",
    "jax.device_put(1.0, jax.devices()[0]).committed, jax.device_put(1.0).committed",
    "jax.device_put({'a': 1, 'b': 2}, {'a': jax.devices()[0], 'b': None})",
    "jax.device_put({'a': 1, 'b': 2}, {'a': jax.devices()[0]})",
    "jax.device_put({'a': 1, 'b': 2}, [jax.devices()[0]])",
    "jax.device_put((1, None), (jax.devices()[0], jax.devices()[0]))",
    "jax.device_put((1, {'b': 2}), (jax.devices()[0], None))",
    "jax.device_put(1.0, may_alias=True, donate=True)",
    "(lambda x: (jax.device_put(x) is x, jax.device_put(x, may_alias=False) is x))(jax.device_put(1.0))",
    "jax.device_get({'a': jax.device_put(1.0), 'b': 2, 'c': 'a', 'd': np.ones(2)})",
    "jax.block_until_ready([jax.device_put(1.0), 1, 'a'])",
    "jax.devices(), jax.local_devices(), jax.devices('cpu')",
    "jax.devices('gpu')",
    "jax.devices('bogus')",
    "jax.local_devices(5)",
    "jax.device_count(), jax.local_device_count(), jax.process_index(), jax.process_count()",
    "jax.process_indices(), jax.default_backend(), str(jax.devices()[0])",
]
IN_PROGRAMS = [
    "lambda y: jax.device_put(y)",
    "lambda y: jax.device_put(y, jax.devices()[0])",
    "lambda y: jax.device_put({'a': y, 'b': (y, 1.0)}, {'a': jax.devices()[0], 'b': None}, may_alias=False)",
    "lambda y: jax.device_put(np.ones(3))",
    "lambda y: jax.device_get(y)",
    "lambda y: jax.block_until_ready(y)",
    "jax.vmap(lambda y: jax.device_put(y, jax.devices()[0]))",
    "lambda y: jax.jvp(lambda z: jax.device_put(z, jax.devices()[0]), (y,), (y,))",
    "lambda y: jax.vjp(lambda z: jax.device_put(z, jax.devices()[0]), y)[1](y)",
]


def _names():
    jnp = SimpleNamespace(bfloat16=jaxnb.dtypes.bfloat16)
    return {"jax": jaxnb, "jnp": jnp, "np": np}


def _compare(program: Program) -> None:
    ours = evaluate(_names(), program.as_dict())
    theirs = shared_oracle().ask(program)
    for want in program.wants:
        assert _plain(ours[want]) == _plain(theirs[want])


def _plain(shown):
    """Our classes stand in a package of another name."""
    text = shown["error"] + ": " + shown["text"] if isinstance(shown, dict) else shown
    return text.replace("jax.jaxlib.", "").replace("DLDeviceType.", "")


def _of_array(value: str, use: str, before: str = "None") -> Program:
    return Program(use, f"lambda x: ({before}, {use})[1]", f"(jax.device_put({value}),)", ("repr",))


@pytest.mark.oracle
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("value", VALUES)
def test_an_array_is_used_as_jaxs_is(value, use):
    _compare(_of_array(VALUES[value], USES[use]))


@pytest.mark.oracle
@pytest.mark.parametrize("use", ON_ONE)
def test_an_array_answers_as_jaxs_does(use):
    _compare(_of_array("np.arange(3, dtype=np.float32)", use))


@pytest.mark.oracle
@pytest.mark.parametrize("use", ON_DELETED)
def test_a_deleted_array_says_so_as_jaxs_does(use):
    _compare(_of_array("np.arange(3, dtype=np.float32)", use, "x.delete()"))


@pytest.mark.oracle
@pytest.mark.parametrize("use", TRANSFERS)
def test_values_are_moved_as_jax_moves_them(use):
    _compare(Program(use, f"lambda: {use}", "()", ("repr",)))


@pytest.mark.oracle
@pytest.mark.parametrize("fun", IN_PROGRAMS)
def test_moves_in_programs_are_jaxs(fun):
    _compare(Program(fun, fun, "(np.arange(3, dtype=np.float32),)", ("jaxpr", "stablehlo", "repr")))


@pytest.mark.oracle
def test_texts_of_all_lengths_and_settings_break_where_jaxs_do():
    many = (
        "lambda: [repr(jax.device_put(v)) for n in range(1, 40) for v in (np.arange(n, dtype=np.int32), "
        "np.arange(n, dtype=np.float32) / 7, np.arange(2 * n, dtype=np.float32).reshape(2, n) / 7, "
        "np.arange(n, dtype=np.float16)[:, None], np.arange(n) % 2 == 0)]"
    )
    _compare(Program("lengths", many, "()", ("repr",)))
    for options in ("linewidth=40", "linewidth=120", "precision=2, threshold=5", "suppress=True", "sign='+'"):
        inside = (
            f"lambda: [(o.__enter__(), [repr(jax.device_put(np.arange(n, dtype=np.float32) / 3)) for n in range(30)], "
            f"o.__exit__(None, None, None))[1] for o in [np.printoptions({options})]]"
        )
        _compare(Program(options, inside, "()", ("repr",)))


@pytest.mark.parametrize("value", [np.arange(3, dtype=np.float32), np.float16(2), 2.0, True, 3])
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.clone()],
    ids=["copy", "deepcopy", "pickle", "clone"],
)
def test_a_copy_has_the_value_and_the_type(value, again):
    x = jaxnb.device_put(value)
    y = again(x)
    assert y is not x
    assert y.aval == x.aval
    np.testing.assert_array_equal(y, x)


def test_changing_the_source_does_not_change_the_array():
    source = np.zeros(1000, np.float32)
    x = jaxnb.device_put(source)
    source[:] = 1
    assert not np.asarray(x).any()


def test_memory_is_shared_through_dlpack():
    x = jaxnb.device_put(np.arange(3, dtype=np.float32))
    assert np.from_dlpack(x).ctypes.data == x.unsafe_buffer_pointer()


def test_a_live_array_is_listed():
    x = jaxnb.device_put(np.arange(3, dtype=np.float32))
    assert any(y is x for y in jaxnb.live_arrays())
