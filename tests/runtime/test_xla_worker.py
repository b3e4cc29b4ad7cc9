"""The compile worker: what it reports, and that it ends when it should."""

from __future__ import annotations

import ast
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from jaxnb.xla import array, client, compile, mlir, worker

ROOT = pathlib.Path(__file__).parents[2]
SMALL = """
module @jit_f {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32> loc("jit(f)/add")
    return %0 : tensor<4xf32>
  }
}
"""


def bytecode(text):
    return mlir.module_to_bytecode(mlir.parse_module(text))


def long_module(steps=6000):
    """A module that XLA needs seconds for."""
    lines, last = [], "%a"
    for i in range(steps):
        lines.append(f"%d{i} = stablehlo.dot_general {last}, %a, contracting_dims = [1] x [0] : {PAIR}")
        lines.append(f"%e{i} = stablehlo.power %d{i}, %a : {TENSOR}")
        last = f"%e{i}"
    body = "\n".join(lines)
    return bytecode(f"func.func @main(%a: {TENSOR}) -> {TENSOR} {{\n{body}\nreturn {last} : {TENSOR} }}")


TENSOR = "tensor<8x8xf32>"
PAIR = f"({TENSOR}, {TENSOR}) -> {TENSOR}"


@pytest.fixture(scope="module")
def compiler():
    it = worker.CompileWorker()
    it.start()
    yield it
    it.close()


def wait_until_compiling(job):
    for event in job.events(timeout_s=60):
        if event == ("progress", "compiling"):
            return
    raise AssertionError(job.log)


def alive(pid):
    """Whether a process runs: neither gone nor a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kinds(job):
    return [event[0] for event in job.log]


class Aval:
    shape, dtype, weak_type = (4,), np.dtype(np.float32), False


def test_a_job_reports_everything_and_its_executable_runs_here(compiler):
    options = compile.CompileOptions(propagate_to_outputs=(True,), propagate_to_parameters=(True,))
    job = compiler.submit(bytecode(SMALL), options)
    assert job.wait(60)[0] == "done"
    assert kinds(job) == [*["progress"] * 3, "hlo", "cost", "memory", "buffers", "executable", "done"]
    reported = dict(event for event in job.log if len(event) == 2)
    assert reported["cost"]["flops"] == 4
    assert reported["memory"]["argument_size_in_bytes"] == 16
    device = client.devices()[0]
    loaded = compile.load_executable(client.backend(), reported["executable"], [device], options)
    assert loaded.hlo_text() == reported["hlo"]
    argument = array.device_put_numpy(np.ones(4, np.float32), Aval(), device)
    handler = array.result_handler(Aval(), array.single_device_sharding(device), False)
    assert array.to_numpy(loaded.execute([argument], [handler])[0]).tolist() == [2] * 4


def test_passes_are_reported_in_order_and_leave_no_files(compiler):
    job = compiler.submit(bytecode(SMALL), compile.CompileOptions(), passes=True, executable=False)
    assert job.wait(60)[0] == "done"
    passes = [event for event in job.log if event[0] == "pass"]
    assert [event[1] for event in passes] == list(range(len(passes)))
    assert passes[0][3] == "before_optimizations"
    assert all(event[4].startswith("HloModule jit_f") for event in passes)
    assert ("copy-insertion", "adding_special-case_copies") in [event[2:4] for event in passes]
    assert "live-range" in [event[1] for event in job.log if event[0] == "report"]
    assert "executable" not in kinds(job)
    assert not os.path.exists(job._request["dump_directory"])


def test_xlas_refusal_is_reported_and_the_worker_goes_on(compiler):
    bad = compile.CompileOptions.create(compiler_options={"foo": 1})
    job = compiler.submit(bytecode(SMALL), bad)
    assert job.wait(60) == ("failed", "INVALID_ARGUMENT: No such compile option: 'foo'")
    pid = compiler.pid
    assert compiler.submit(bytecode(SMALL), compile.CompileOptions()).wait(60)[0] == "done"
    assert compiler.pid == pid


def test_a_callback_gets_all_events_however_late_it_comes(compiler):
    early, late = [], []
    job = compiler.submit(bytecode(SMALL), compile.CompileOptions(), on_event=early.append)
    job.wait(60)
    job.on_event(late.append)
    assert early == late == job.log == list(job.events())


def test_cancelling_is_immediate_and_the_waiting_job_runs(compiler):
    job = compiler.submit(long_module(), compile.CompileOptions())
    waiting = compiler.submit(bytecode(SMALL), compile.CompileOptions())
    dropped = compiler.submit(bytecode(SMALL), compile.CompileOptions())
    wait_until_compiling(job)
    pid = compiler.pid
    dropped.cancel()
    assert dropped.wait(1)[:2] == ("killed", -signal.SIGKILL)
    begin = time.perf_counter()
    job.cancel()
    assert job.wait(5)[:2] == ("killed", -signal.SIGKILL)
    assert time.perf_counter() - begin < 0.5  # 0.1 s on a machine that does nothing else
    assert waiting.wait(60)[0] == "done"
    assert not alive(pid)
    job.cancel()
    assert kinds(job)[-1] == "killed"


def test_sigint_ends_it_in_the_middle_of_a_compilation(compiler):
    job = compiler.submit(long_module(), compile.CompileOptions())
    wait_until_compiling(job)
    pid = compiler.pid
    os.kill(pid, signal.SIGINT)
    assert job.wait(5)[:2] == ("killed", -signal.SIGINT)
    assert not alive(pid)
    assert compiler.submit(bytecode(SMALL), compile.CompileOptions()).wait(60)[0] == "done"


def test_a_job_given_to_a_process_that_has_just_ended_gets_another(compiler):
    compiler.submit(bytecode(SMALL), compile.CompileOptions()).wait(60)
    os.kill(compiler.pid, signal.SIGKILL)
    assert compiler.submit(bytecode(SMALL), compile.CompileOptions()).wait(60)[0] == "done"


def test_it_is_in_the_group_of_this_process(compiler):
    compiler.start()
    assert os.getpgid(compiler.pid) == os.getpgid(0)


def test_its_file_imports_the_standard_library_and_jaxlib_only():
    tree = ast.parse(worker._WORKER_FILE.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert names - sys.stdlib_module_names == {"jaxlib"}


def test_a_closed_worker_ends_its_jobs_and_takes_no_more():
    it = worker.CompileWorker()
    job = it.submit(bytecode(SMALL), compile.CompileOptions())
    it.close()
    assert job.wait(5)[0] == "killed"
    assert it.pid is None or not alive(it.pid)
    with pytest.raises(RuntimeError, match="the compile worker is closed"):
        it.submit(bytecode(SMALL), compile.CompileOptions())


@pytest.mark.parametrize("how", ["normally", "killed"])
def test_it_ends_with_its_parent(how):
    code = """
import os, signal, sys
from jaxnb.xla import compile, worker
from tests.runtime.test_xla_worker import long_module, wait_until_compiling
it = worker.CompileWorker()
job = it.submit(long_module(), compile.CompileOptions())
wait_until_compiling(job)
print(it.pid, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, how],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=100,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(pid)


def test_it_has_as_many_devices_as_the_kernel():
    code = """
from jaxnb.xla import compile, mlir, worker
text = '''module @m attributes {mhlo.num_partitions = 4 : i32} { sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] :
    (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32> } }'''
options = compile.CompileOptions(device_ids=(0, 1, 2, 3), num_partitions=4)
job = worker.shared_worker().submit(mlir.module_to_bytecode(mlir.parse_module(text)), options)
assert job.wait(60)[0] == "done", job.log
assert "all-reduce" in dict(e for e in job.log if len(e) == 2)["hlo"]
"""
    env = {**os.environ, "JAX_NUM_CPU_DEVICES": "4", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
