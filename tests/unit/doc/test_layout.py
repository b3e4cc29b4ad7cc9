"""The layout breaks, nests and annotates as JAX's printer does; its marks point at the right characters."""

from __future__ import annotations

import random
import time

import pytest
from jaxlib import _pretty_printer as reference

from jaxnb import doc
from jaxnb.doc import renderers


def _pair(random_source: random.Random, depth: int):
    """A random document, built once for the reference and once for us."""
    kind = random_source.random()
    if depth == 0 or kind < 0.3:
        if random_source.random() < 0.4:
            flat = random_source.choice([" ", "", "--"])
            return reference.brk(flat), doc.line(flat)
        content = random_source.choice(["a", "bbb", "cc dd", "e" * 9, "", "x\ny"])
        note = random_source.choice([None] * 6 + ["n1", "n2"])
        return reference.text(content, note), doc.text(content, annotation=note)
    if kind < 0.65:
        pairs = [_pair(random_source, depth - 1) for _ in range(random_source.randint(0, 5))]
        cover = random_source.choice([(), ("role", 3)])
        return reference.concat([pair[0] for pair in pairs]), doc.cat([pair[1] for pair in pairs], *cover)
    left, right = _pair(random_source, depth - 1)
    if kind < 0.8:
        indent = random_source.randint(0, 4)
        return reference.nest(indent, left), doc.nest(indent, right)
    return reference.group(left), doc.group(right)


@pytest.mark.parametrize("seed", range(4))
def test_random_documents_are_laid_out_as_jaxlibs_own_printer_does(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(500):
        left, right = _pair(source, source.randint(1, 7))
        width = source.choice([5, 10, 20, 40, 100])
        expected = left._format(
            width,
            use_color=False,
            output_format=reference.OutputFormat.TEXT,
            separable_lines=False,
            annotation_prefix=" # ",
            source_map=None,
        )
        assert doc.layout(right, width).text == expected


def test_a_group_fits_by_itself_whatever_follows() -> None:
    pair = doc.group(doc.cat(["aaa", doc.BREAK, "bbb"]))
    assert doc.to_text(doc.cat([pair, "cccccc"]), 7) == "aaa bbbcccccc"
    assert doc.to_text(doc.cat([pair, "cccccc"]), 6) == "aaa\nbbbcccccc"


def test_a_hard_line_breaks_every_group_around_it() -> None:
    inner = doc.group(doc.cat(["a", doc.BREAK, "b"]))
    whole = doc.group(doc.nest(2, doc.cat([inner, doc.HARD_BREAK, "c", doc.BREAK, "d"])))
    assert doc.to_text(whole, 80) == "a b\n  c\n  d"


def test_marks_cover_exactly_the_characters_of_their_documents() -> None:
    body = doc.nest(2, doc.cat([doc.BREAK, doc.text("mul", "primitive", "q1"), " x y"]))
    page = doc.layout(doc.group(doc.tag(doc.cat([doc.text("a", "var"), ":", body]), entity="q0")), 4)
    found = {mark.entity or mark.role: page.text[mark.start : mark.end] for mark in page.marks}
    assert page.text == "a:\n  mul x y"
    assert found == {"q0": "a:\n  mul x y", "var": "a", "q1": "mul"}
    assert page.spans(page.marks[0].start, page.marks[0].end) == [doc.Span(0, 0, 2), doc.Span(1, 2, 9)]


def test_marks_stay_in_place_when_annotations_widen_lines() -> None:
    first = doc.text("aaa", entity=1, annotation="here")
    page = doc.layout(doc.cat([first, doc.BREAK, doc.text("bbbbb", entity=2, annotation="there")]))
    assert page.text == "aaa   # here\nbbbbb # there"
    assert [page.text[mark.start : mark.end] for mark in page.marks] == ["aaa", "bbbbb"]


def test_text_alone_equals_the_text_of_the_marked_page() -> None:
    source = random.Random(11)
    for _ in range(300):
        _, document = _pair(source, 6)
        if not doc.layout(document).text.count("#"):
            assert doc.to_text(document, 20) == doc.layout(document, 20).text


def test_ansi_changes_colour_only_where_it_must() -> None:
    page = doc.layout(doc.cat([doc.text("let", "keyword"), doc.text("f32", "type"), " x"]))
    assert doc.to_ansi(page) == "\x1b[34;1mlet\x1b[35;22mf32\x1b[39m x"
    assert doc.to_ansi(page, styles={}) == "letf32 x"


def test_html_escapes_text_roles_and_entities() -> None:
    page = doc.layout(doc.text("<script>", 'a"b', "<i>"))
    assert doc.to_html(page) == '<span class="a&quot;b" data-entity="&lt;i&gt;">&lt;script&gt;</span>'


def test_html_closes_and_opens_spans_in_order() -> None:
    page = doc.layout(doc.fold("body", doc.cat([doc.text("a", entity=1), doc.text("b", entity=2)], "block")))
    assert doc.to_html(page) == (
        '<span data-fold="body"><span class="block"><span data-entity="1">a</span>'
        '<span data-entity="2">b</span></span></span>'
    )


def test_data_lists_each_mark_with_its_fold() -> None:
    page = doc.layout(doc.cat([doc.text("a", "var", 1), doc.fold("rest", doc.text("b"), is_open=False)]))
    assert doc.to_data(page) == {
        "text": "ab",
        "marks": [[0, 1, "var", 1], [1, 2, None, None, "rest", False]],
    }


def test_deep_documents_do_not_exhaust_the_stack() -> None:
    document: doc.Doc = doc.text("x")
    for _ in range(5_000):
        document = doc.group(doc.nest(1, document))
    assert doc.to_text(document, 10) == "x"


def test_seven_thousand_equations_print_quickly() -> None:
    def equation(number: int) -> doc.Doc:
        parameters = doc.join(doc.BREAK, [f"name{index}={index}" for index in range(5)])
        bracket = doc.group(
            doc.cat(["[", doc.nest(2, doc.cat([doc.SOFT_BREAK, parameters])), doc.SOFT_BREAK, "]"])
        )
        left = [doc.text(f"v{number}"), ":", doc.text("f32[128,256]", "type"), " = "]
        return doc.tag(doc.group(doc.cat([*left, "dot_general", bracket, " v w"])), entity=number)

    lines = [doc.cat([doc.HARD_BREAK, equation(number)]) for number in range(7_000)]
    whole = doc.cat(["{ lambda ; . let", doc.nest(2, doc.cat(lines)), " }"])
    begin = time.process_time()
    printed = doc.to_text(whole)
    assert time.process_time() - begin < 0.3
    assert printed.count("\n") == 7_000


def test_the_styles_are_those_of_jaxs_own_colours() -> None:
    assert renderers.STYLES["keyword"] == doc.Style(34, None, 1)
    assert renderers.STYLES["type"] == doc.Style(35, None, 22)
