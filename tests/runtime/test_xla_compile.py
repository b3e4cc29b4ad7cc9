"""The door's client and compiler."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from jaxnb.xla import array, client, compile, mlir

TEXT = """
module @jit_f {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32> loc("jit(f)/add")
    return %0 : tensor<4xf32>
  }
}
"""
FREE = compile.CompileOptions(propagate_to_outputs=(True,), propagate_to_parameters=(True,))


class Aval:
    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.weak_type = tuple(shape), np.dtype(dtype), False


@pytest.fixture(scope="module")
def executable():
    return compile.compile_module(client.backend(), TEXT, client.devices()[:1], FREE)


def run(executable, value):
    device = client.devices()[0]
    handler = array.result_handler(
        Aval(value.shape, value.dtype), array.single_device_sharding(device), False
    )
    argument = array.device_put_numpy(value, Aval(value.shape, value.dtype), device)
    return array.to_numpy(executable.execute([argument], [handler])[0])


def test_an_unknown_backend_is_jaxs_error():
    with pytest.raises(RuntimeError) as error:
        client.devices("xpu")
    assert str(error.value) == "Unknown backend xpu. Available backends are ['cpu']"
    with pytest.raises(RuntimeError) as error:
        client.devices("gpu")
    assert str(error.value) == (
        "Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. "
        "Platforms present are: cpu"
    )
    with pytest.raises(ValueError, match=r"^Unknown process_index 3$"):
        client.local_devices(3)


def test_the_number_of_devices_is_fixed_once_the_client_exists():
    client.backend()
    with pytest.raises(RuntimeError, match=r"^jax_num_cpu_devices config should be updated before backends"):
        client.set_cpu_device_count(3)
    assert client.planned_device_count() == client.device_count() == len(client.local_devices())
    assert client.default_backend() == "cpu"


def test_a_module_compiles_and_runs(executable):
    assert run(executable, np.arange(4, dtype=np.float32)).tolist() == [0, 2, 4, 6]


def test_the_optimised_text_has_the_header_of_jax(executable):
    assert executable.hlo_text().splitlines()[0] == (
        "HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}, "
        "allow_spmd_sharding_propagation_to_parameters={true}, "
        "allow_spmd_sharding_propagation_to_output={true}"
    )
    assert 'op_name="jit(f)/add"' in executable.hlo_text()


def test_an_executable_knows_its_cost_and_its_memory(executable):
    assert executable.cost_analysis()["flops"] == 4
    assert executable.memory_stats()["argument_size_in_bytes"] == 16
    assert executable.buffer_assignment()
    assert executable.fingerprint


def test_a_serialised_executable_runs(executable):
    data = executable.serialize()
    again = compile.load_executable(client.backend(), data, client.devices()[:1], FREE)
    assert run(again, np.ones(4, np.float32)).tolist() == [2] * 4
    assert again.hlo_text() == executable.hlo_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"foo": 1}, "INVALID_ARGUMENT: No such compile option: 'foo'"),
        (
            {"xla_cpu_enable_fast_math": "zzz"},
            "INVALID_ARGUMENT: While setting option xla_cpu_enable_fast_math, 'zzz' is not a valid bool value.",
        ),
    ],
)
def test_a_bad_compiler_option_is_xlas_error(options, message):
    with pytest.raises(compile.XlaRuntimeError) as error:
        compile.compile_module(
            client.backend(),
            TEXT,
            client.devices()[:1],
            compile.CompileOptions.create(compiler_options=options),
        )
    assert str(error.value) == message


def test_compile_options_are_plain_data():
    options = compile.CompileOptions.create(compiler_options={"xla_cpu_enable_fast_math": True})
    assert pickle.loads(pickle.dumps(options)) == options
    assert hash(options) == hash(
        compile.CompileOptions.create(compiler_options={"xla_cpu_enable_fast_math": True})
    )
    assert options.to_bytes()


def test_a_host_callback_runs_and_its_error_surfaces():
    text = """
    module @p { func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a)
        {api_version = 4 : i32, backend_config = {index = 0 : ui64}} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32> } }
    """
    device = client.devices()[:1]
    module = mlir.module_to_bytecode(mlir.parse_module(text))
    twice = compile.compile_module(client.backend(), module, device, FREE, [lambda a: (np.asarray(a) * 2,)])
    assert run(twice, np.ones(4, np.float32)).tolist() == [2] * 4

    def broken(a):
        raise ValueError("the user's error")

    bad = compile.compile_module(client.backend(), module, device, FREE, [broken])
    with pytest.raises(compile.JaxRuntimeError, match="the user's error"):
        run(bad, np.ones(4, np.float32))
