"""StableHLO text is read whole, in all the forms in which MLIR prints regions."""

from __future__ import annotations

from jaxnb.explorer.model.dataflow import flatten
from jaxnb.explorer.model.stablehlo_parse import parse_stablehlo
from jaxnb.explorer.model.tags import PathIndex

# ruff: noqa: E501 - the text is as the compiler prints it
TEXT = """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<10> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0) : tensor<i32>, tensor<f32>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %iterArg, %arg1 : tensor<i32>
      %5 = stablehlo.multiply %iterArg_0, %0 : tensor<f32>
      stablehlo.return %4, %5 : tensor<i32>, tensor<f32>
    }
    %2 = "stablehlo.scatter"(%arg0, %arg1, %1#1) <{indices_are_sorted = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %4 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<8xf32>, tensor<i32>, tensor<f32>) -> tensor<8xf32>
    %3:2 = call @"odd name"(%2, %1#1) : (tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>)
    return %3#1 : tensor<f32>
  }
  func.func private @"odd name"(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %1 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %arg0, %0 : tensor<8xf32>, tensor<f32>
  }
}
"""


def test_functions_arguments_and_results_are_found():
    module = parse_stablehlo(TEXT)
    assert list(module.functions) == ["main", "odd name"]
    assert module.main.body.arguments == ["%arg0", "%arg1"]
    assert module.main.body.returned == ["%3#1"]
    assert module.functions["odd name"].body.returned == ["%arg0", "%0"]


def test_regions_belong_to_the_operation_that_has_them():
    body = parse_stablehlo(TEXT).main.body
    kinds = {operation.name: operation for operation in body.operations}
    loop = kinds["stablehlo.while"]
    assert loop.results == ["%1#0", "%1#1"]
    assert loop.operands == ["%arg1", "%0"]
    assert [region.arguments for region in loop.regions] == [["%iterArg", "%iterArg_0"]] * 2
    assert [len(region.operations) for region in loop.regions] == [1, 2]
    assert TEXT.split("\n")[loop.end_line].strip() == "}"
    scatter = kinds["stablehlo.scatter"]
    assert scatter.operands == ["%arg0", "%arg1", "%1#1"]
    assert scatter.regions[0].arguments == ["%arg2", "%arg3"]
    assert kinds["call"].callee == "odd name"


def test_a_reducer_written_out_is_a_region_too():
    operation = parse_stablehlo(TEXT).functions["odd name"].body.operations[0]
    assert operation.name == "stablehlo.reduce"
    assert operation.regions[0].arguments == ["%arg2", "%arg3"]
    assert operation.regions[0].operations[0].name == "stablehlo.maximum"


def test_every_operation_is_counted():
    assert parse_stablehlo(TEXT).operation_count == 12


def test_the_flat_graph_inlines_calls_and_knows_what_regions_capture():
    flat = flatten(parse_stablehlo(TEXT), [""] * 40, PathIndex([]))
    assert len(flat.arguments) == 2
    loop = next(node for node in flat.nodes if node.name == "stablehlo.while")
    assert len(loop.captured) == 3, "the bound, the step and the first sum"
    assert [node.name for node in flat.nodes].count("stablehlo.maximum") == 1
    assert all(flat.live())
