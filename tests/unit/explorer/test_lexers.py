"""The lexers lose no character, know what they colour, and never stumble."""

from __future__ import annotations

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, Keyword, Name, Token

from jaxnb.explorer.render.lexers import HLOLexer, JaxprLexer, StableHLOLexer

JAXPR = """\
{ lambda ; a:f32[8] b:key<fry>[]. let
    c:bool[8] = gt a 0.0:f32[]
    d:f32[8] = jit[
      name=_where
      jaxpr={ lambda ; e:f32[8]. let in (e,) }
    ] a # here
  in (c, d) }"""
MLIR = """\
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32> {jax.const = true}) -> (tensor<8xi1> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    return %0#1 : tensor<8xi1>
  }
}"""
HLO = """\
ENTRY %main.2 (x.1: f32[8]) -> (f32[8], /*index=1*/pred[]) {
  ROOT %fusion = f32[8]{0} fusion(%x.1), kind=kLoop, calls=%fused, metadata={op_name="jit(f)/mul"}
}"""


@pytest.mark.parametrize(("lexer", "text"), [(JaxprLexer, JAXPR), (StableHLOLexer, MLIR), (HLOLexer, HLO)])
def test_every_character_becomes_a_token_and_none_an_error(lexer, text):
    tokens = list(lexer().get_tokens(text))
    assert "".join(value for _, value in tokens).rstrip() == text
    assert not [value for kind, value in tokens if kind is Error]


def kinds(lexer, text: str) -> dict[str, object]:
    return {value: kind for kind, value in lexer().get_tokens(text)}


def test_jaxprs_have_keywords_types_primitives_and_parameters():
    found = kinds(JaxprLexer, JAXPR)
    assert found["lambda"] is Keyword
    assert found["f32[8]"] is Keyword.Type
    assert found["gt"] is Name.Function
    assert found["name"] is Name.Attribute
    assert found["# here"] is Comment.Single


def test_stablehlo_has_values_symbols_and_types():
    found = kinds(StableHLOLexer, MLIR)
    assert found["%cst"] is Name.Variable
    assert found["%0#1"] is Name.Variable
    assert found["@main"] is Name.Function
    assert found["stablehlo.constant"] is Name.Function
    assert found["8xf32"] is Keyword.Type


def test_hlo_has_opcodes_shapes_and_attributes():
    found = kinds(HLOLexer, HLO)
    assert found["fusion"] is Name.Function
    assert found["f32[8]{0}"] is Keyword.Type
    assert found["kind"] is Name.Attribute
    assert found['"jit(f)/mul"'] in Token.Literal.String


@pytest.mark.parametrize("name", ["jaxpr", "stablehlo", "hlo"])
def test_pygments_finds_them_by_name_where_the_package_is_installed(name):
    classes = {"jaxpr": JaxprLexer, "stablehlo": StableHLOLexer, "hlo": HLOLexer}
    assert name in classes[name].aliases
    try:
        found = get_lexer_by_name(name)
    except ValueError:
        return
    assert type(found).__name__ == classes[name].__name__
