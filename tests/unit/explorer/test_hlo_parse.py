"""HLO text is read whole: names, shapes, operands, callees, metadata, lines."""

from __future__ import annotations

import time

from jaxnb.explorer.model.documents import readable_hlo
from jaxnb.explorer.model.hlo_parse import parse_hlo, shape_bytes, short_shape

# ruff: noqa: E501 - the text is as the compiler prints it
TEXT = """\
HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8]{0})->(f32[8]{0}, s32[])}

FileNames
1 "a (b).py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%region_0.1 (a.1: f32[], b.2: f32[]) -> f32[] {
  %a.1 = f32[] parameter(0), metadata={op_name="reduce_sum"}
  %b.2 = f32[] parameter(1)
  ROOT %add.3 = f32[] add(%a.1, %b.2), metadata={op_name="q3/reduce_sum" stack_frame_id=5}
}

%fused_computation (param_0.2: f32[8]) -> f32[8] {
  %param_0.2 = f32[8]{0} parameter(0)
  %constant.7 = f32[] constant(-inf)
  %constant.8 = c64[] constant((1, 2))
  %constant.9 = f32[2,2]{1,0} constant({ { 1, 2 }, { 3, 4 } })
  ROOT %gt.1 = f32[8]{0} maximum(%param_0.2, /*index=1*/%constant.7), metadata={op_name="q1/a\\"b;q2/max" stack_frame_id=1}
}

ENTRY %main.2 (x.1: f32[8]) -> (f32[8], s32[]) {
  %x.1 = f32[8]{0} parameter(0), metadata={op_name="x[\\"k\\"]"}
  %init = (s32[], f32[8]{0}) tuple(%x.1)
  %loop = (s32[], f32[8]{0}) while(%init), condition=%region_0.1, body=%fused_computation, backend_config={"a":"%x"}
  %fusion.1 = f32[8]{0} fusion(%x.1), kind=kLoop, calls=%fused_computation, metadata={op_name="q2/max"}, backend_config={}
  %call.3 = f32[] custom-call(%x.1), custom_call_target="lapack(x)", called_computations={%region_0.1}, control-predecessors={%fusion.1}
  ROOT %tuple.3 = (f32[8]{0}, /*index=1*/s32[]) tuple(%fusion.1, %call.3)
}
"""


def test_computations_and_their_instructions_are_found():
    module = parse_hlo(TEXT)
    assert module.name == "jit_f"
    assert list(module.computations) == ["region_0.1", "fused_computation", "main.2"]
    assert module.entry.name == "main.2"
    assert module.instruction_count == 14
    assert module.problems == []


def test_shapes_operands_and_callees_are_kept():
    entry = parse_hlo(TEXT).entry.instructions
    assert entry["loop"].opcode == "while"
    assert entry["loop"].shape == "(s32[], f32[8]{0})"
    assert entry["loop"].called == ("region_0.1", "fused_computation")
    assert entry["fusion.1"].called == ("fused_computation",)
    assert entry["call.3"].called == ("region_0.1",), "a control predecessor is not called"
    assert entry["tuple.3"].operands == ("fusion.1", "call.3")
    assert entry["tuple.3"].is_root


def test_literals_of_every_form_end_where_they_should():
    body = parse_hlo(TEXT).computations["fused_computation"].instructions
    assert body["constant.7"].literal == "-inf"
    assert body["constant.8"].literal == "(1, 2)"
    assert body["constant.9"].literal == "{ { 1, 2 }, { 3, 4 } }"
    assert body["gt.1"].operands == ("param_0.2", "constant.7")


def test_op_names_keep_their_escapes_and_lines_are_those_of_the_text():
    module = parse_hlo(TEXT)
    one = module.computations["fused_computation"].instructions["gt.1"]
    assert one.op_name == 'q1/a\\"b;q2/max'
    assert "ROOT %gt.1" in TEXT.split("\n")[one.line]
    assert module.callers["fused_computation"] == [("main.2", "loop"), ("main.2", "fusion.1")]


def test_what_is_no_instruction_is_noted_and_passed_over():
    module = parse_hlo("ENTRY %main (x: f32[]) -> f32[] {\n  what is this\n  ROOT %x = f32[] parameter(0)\n")
    assert list(module.entry.instructions) == ["x"]
    assert module.problems == ["line 2: not an instruction: what is this", "computation main has no end"]


def test_sizes_of_shapes_are_added_up():
    assert shape_bytes("(f32[4,3]{1,0}, pred[7])") == 55
    assert shape_bytes("bf16[2]") == 4
    assert shape_bytes("s4[4]") == 2
    assert shape_bytes("f8e4m3fn[3]") == 3
    assert shape_bytes("c64[2]") == 16
    assert shape_bytes("token[]") == 0


def test_short_shapes_have_no_layout():
    assert short_shape("f32[8,16]{1,0}") == "f32[8,16]"
    assert short_shape("(f32[8]{0}, /*index=1*/s32[])") == "(f32[8], s32[])"


def test_the_readable_form_drops_metadata_and_tables_and_keeps_the_rest_in_order():
    shown, moved = readable_hlo(TEXT)
    old, new = TEXT.split("\n"), shown.split("\n")
    assert "metadata" not in shown
    assert "FileNames" not in shown
    assert all(
        row < 0 or new[row].split(" ")[:4] == old[line].split(" ")[:4]
        for line, row in enumerate(moved)
        if row < len(new)
    )
    assert 'custom_call_target="lapack(x)"' in shown


def test_fifty_thousand_instructions_are_read_within_two_seconds():
    line = '  %mul.{0} = f32[128,256]{{1,0}} multiply(%p, %p), metadata={{op_name="q{0}/mul" stack_frame_id=5}}\n'
    body = "".join(line.format(number) for number in range(50_000))
    text = f"HloModule m\n\nENTRY %main (p: f32[]) -> f32[] {{\n  %p = f32[] parameter(0)\n{body}}}\n"
    begin = time.process_time()
    assert parse_hlo(text).instruction_count == 50_001
    assert time.process_time() - begin < 2
