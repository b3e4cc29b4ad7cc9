"""An operation is said to change nothing only where it does change nothing."""

from __future__ import annotations

import math

import pytest

from jaxnb.explorer.model.identities import passes_on, signature, splat

NONE = (None, None)
SUM = (
    "(%0 init: %1) applies stablehlo.add across dimensions = [0] "
    ": (tensor<{}x8xf32>, tensor<f32>) -> tensor<8xf32>"
)


@pytest.mark.parametrize(
    ("name", "text", "splats", "operand"),
    [
        ("reshape", " %0 : (tensor<2x3xf32>) -> tensor<6xf32>", NONE, 0),
        ("broadcast_in_dim", " %0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>", NONE, 0),
        ("transpose", " %0, dims = [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>", NONE, 0),
        ("convert", " %0 : tensor<8xf32>", NONE, 0),
        ("add", " %0, %1 : tensor<8xf32>", (None, 0.0), 0),
        ("add", " %0, %1 : tensor<8xf32>", (0.0, None), 1),
        ("multiply", " %0, %1 : tensor<8xf32>", (1.0, None), 1),
        ("subtract", " %0, %1 : tensor<8xf32>", (None, 0.0), 0),
        ("divide", " %0, %1 : tensor<8xf32>", (None, 1.0), 0),
        ("maximum", " %0, %1 : tensor<8xf32>", (-math.inf, None), 1),
        ("and", " %0, %1 : tensor<8xi1>", (None, 1.0), 0),
        ("slice", " %0 [0:8] : (tensor<8xf32>) -> tensor<8xf32>", NONE, 0),
        (
            "reduce",
            SUM.format(1),
            (None, 0.0),
            0,
        ),
    ],
)
def test_what_passes_an_operand_on(name, text, splats, operand):
    passed = passes_on(f"stablehlo.{name}", text, splats)
    assert passed is not None
    assert passed.operand == operand
    assert passed.reason


@pytest.mark.parametrize(
    ("name", "text", "splats"),
    [
        ("broadcast_in_dim", " %0, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>", NONE),
        ("broadcast_in_dim", " %0, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>", NONE),
        ("transpose", " %0, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>", NONE),
        ("convert", " %0 : (tensor<8xf32>) -> tensor<8xbf16>", NONE),
        ("subtract", " %0, %1 : tensor<8xf32>", (0.0, None)),
        ("divide", " %0, %1 : tensor<8xf32>", (1.0, None)),
        ("add", " %0, %1 : tensor<8xf32>", (None, 1.0)),
        ("and", " %0, %1 : tensor<8xi32>", (None, 1.0)),
        ("slice", " %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>", NONE),
        (
            "pad",
            " %0, %1, low = [-1], high = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>",
            NONE,
        ),
        (
            "reduce",
            SUM.format(1),
            (None, 3.0),
        ),
        (
            "reduce",
            SUM.format(2),
            (None, 0.0),
        ),
    ],
)
def test_what_does_not(name, text, splats):
    assert passes_on(f"stablehlo.{name}", text, splats) is None


def test_signatures_are_read_from_the_end_of_the_text():
    ins, outs = signature(" %0, api_version = 4 : i32 : (tensor<2x3xf32>, tensor<f32>) -> tensor<i1>")
    assert [one.sizes for one in ins] == [("2", "3"), ()]
    assert outs[0].dtype == "i1"
    ins, outs = signature(" %0, %1 : tensor<complex<f32>>")
    assert outs[0].dtype == "complex<f32>"


def test_splats_are_read_in_every_spelling():
    assert splat(" dense<1.670000e+00> : tensor<f32>") == 1.67
    assert splat(" dense<true> : tensor<i1>") == 1.0
    assert splat(" dense<0xFF800000> : tensor<f32>") == -math.inf
    assert splat(" dense<0xFFF0000000000000> : tensor<f64>") == -math.inf
    assert splat(" dense<0xFF80> : tensor<bf16>") == -math.inf
    assert splat(" dense<[1.0, 2.0]> : tensor<2xf32>") is None
    assert splat(' dense<"0x1234"> : tensor<2xf32>') is None
