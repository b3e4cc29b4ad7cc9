"""The door's MLIR: modules in and out, passes, locations."""

from __future__ import annotations

import threading

import pytest

from jaxnb.xla import hlo, mlir, traceback

TEXT = """
module @jit_f {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32> loc("jit(f)/add")
    %1 = chlo.erf %0 : tensor<4xf32> -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"""


def test_bytecode_keeps_text_and_locations():
    module = mlir.parse_module(TEXT)
    again = mlir.parse_module(mlir.module_to_bytecode(module))
    assert mlir.module_text(again) == mlir.module_text(module)
    assert mlir.module_text(again, debug_info=True) == mlir.module_text(module, debug_info=True)
    assert 'loc("jit(f)/add")' in mlir.module_text(module, debug_info=True)


def test_large_constants_are_elided_on_request():
    module = mlir.parse_module(
        "func.func @main() -> tensor<4xf32> { %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> :"
        " tensor<4xf32> return %0 : tensor<4xf32> }"
    )
    assert "dense_resource<__elided__>" in mlir.module_text(module, large_elements_limit=2)
    assert "[1.000000e+00, 2.000000e+00" in mlir.module_text(module)


def test_a_bad_module_says_where():
    with pytest.raises(mlir.ir.MLIRError, match=r"1:\d+"):
        mlir.parse_module("func.func @main(%a: tensor<")


def test_a_portable_artifact_is_read_back_and_leaves_its_module_alone():
    module = mlir.parse_module(TEXT)
    before = mlir.module_text(module)
    artifact = mlir.serialize_portable_artifact(module)
    assert mlir.module_text(module) == before
    assert "stablehlo.add" in mlir.module_text(mlir.deserialize_portable_artifact(artifact))
    assert mlir.minimum_stablehlo_version() == mlir.stablehlo_version_for("MAX")


def test_passes_run_in_place():
    module = mlir.parse_module(TEXT)
    assert mlir.run_passes(module, "builtin.module(func.func(chlo-legalize-to-stablehlo),cse)") is module
    assert "chlo.erf" not in mlir.module_text(module)
    with pytest.raises(ValueError, match="no-such-pass"):
        mlir.run_passes(module, "builtin.module(no-such-pass)")


def test_each_thread_has_a_context_of_its_own():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(mlir.thread_context()))
    thread.start()
    thread.join()
    assert mlir.thread_context() is mlir.thread_context()
    assert seen[0] is not mlir.thread_context()


def test_locations_print_as_mlir_writes_them():
    with mlir.thread_context():
        place = mlir.callsite_location(
            mlir.file_location("a.py", 1, 2, 1, 4), [mlir.file_location("b.py", 3, 4)]
        )
        assert str(mlir.name_location("add", place)) == 'loc("add"(callsite("a.py":1:2 to :4 at "b.py":3:4)))'
        assert mlir.callsite_location(place, []) is place


def test_a_traceback_becomes_a_call_site_without_the_frames_that_are_left_out():
    def here():
        return traceback.capture()

    cache = traceback.location_cache(
        lambda code: "mine.py" if code.co_name == "here" else None, 10, mlir.thread_context()
    )
    text = str(cache.get(here()))
    assert '"mine.py"' in text
    assert "callsite" not in text


def test_hlo_text_goes_to_a_module_and_back():
    text = hlo.unoptimized_text(mlir.module_to_bytecode(mlir.parse_module(TEXT)))
    assert text.startswith("HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}")
    module = hlo.module_from_text(text)
    assert module.name == "jit_f"
    assert hlo.module_from_proto(hlo.module_to_proto(module)).name == "jit_f"
    assert "digraph" in hlo.dot_graph(module)


def test_metadata_is_printed_only_when_it_is_asked_for():
    module = hlo.unoptimized_module(mlir.module_to_bytecode(mlir.parse_module(TEXT)))
    assert 'op_name="jit(f)/add"' in hlo.module_text(module)
    bare = hlo.module_text(module, hlo.print_options(metadata=False, operand_shapes=True))
    assert "metadata" not in bare
    assert "add(f32[4]{0} %" in bare
