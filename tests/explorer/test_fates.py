"""Small programs whose answer is known: every fate is the right one, and no other is claimed."""

from __future__ import annotations

import time

import numpy as np
import pytest

from jaxnb import lax
from jaxnb.explorer.explore import explore
from tests.explorer.verify_links import verify

V = np.arange(8, dtype=np.float32)
M = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
W = np.ones((4, 5), np.float32)


def full(shape, value):
    return lax.full(shape, value, np.float32)


def concat_and_slice(x):
    return lax.sin(lax.slice(lax.concatenate([x, lax.neg(x)], 0), (0,), (8,)))


PROGRAMS = {
    "times one": (lambda x: lax.sin(lax.mul(x, full((8,), 1.0))), (V,), "folded simplified linked"),
    "plus zero": (lambda x: lax.exp(lax.add(x, full((8,), 0.0))), (V,), "folded simplified linked"),
    "computed twice": (lambda x: lax.mul(lax.sin(x), lax.sin(x)), (V,), "linked merged linked"),
    "dead": (lambda x: (lax.exp(x), lax.cos(x))[1], (V,), "dead linked"),
    "two transposes": (
        lambda x: lax.sin(lax.transpose(lax.transpose(x, (1, 0)), (1, 0))),
        (M,),
        "simplified simplified linked",
    ),
    "two reshapes": (
        lambda x: lax.sin(lax.reshape(lax.reshape(lax.exp(x), (4, 3)), (12,))),
        (M,),
        "linked simplified simplified linked",
    ),
    "product and transpose": (lambda x, w: lax.transpose(lax.dot(x, w), (1, 0)), (M, W), "linked linked"),
    "negated twice": (lambda x: lax.exp(lax.neg(lax.neg(x))), (V,), "simplified simplified linked"),
    "converted to what it is": (lambda x: lax.sin(lax.convert_element_type(x, np.float32)), (V,), "linked"),
    "not needed after all": (concat_and_slice, (V,), "simplified simplified simplified linked"),
    "axes of size 1": (
        lambda x: lax.broadcast_in_dim(lax.broadcast_in_dim(x, (8, 1), (0,)), (8, 3), (0, 1)),
        (V,),
        "simplified linked",
    ),
    "divided by a power of two": (
        lambda x: lax.div(lax.mul(x, x), full((8,), 4.0)),
        (V,),
        "linked folded linked",
    ),
    "a name that XLA dropped": (lambda x: lax.cumsum(lax.sin(x)), (V,), "linked linked"),
    "sorted": (lambda x: lax.sort(lax.sin(x)), (V,), "linked linked"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fate_of_each_equation_is_the_known_one(name):
    function, arguments, expected = PROGRAMS[name]
    exploration = explore(function, *arguments)
    assert [link.fate.kind for link in exploration.links] == expected.split()
    assert verify(exploration) == []


def test_a_merged_equation_names_the_one_that_does_it():
    exploration = explore(PROGRAMS["computed twice"][0], V)
    first, second, _ = exploration.links
    assert second.fate.into == (first.path,)
    assert second.fate.text == "the same computation as sin (jaxpr line 2): done once"


def test_a_link_by_work_says_whose_name_the_instruction_has():
    exploration = explore(PROGRAMS["product and transpose"][0], M, W)
    product, _ = exploration.links
    assert product.instructions == ("dot",)
    assert product.fate.text == "done by %dot, which XLA named after transpose (jaxpr line 3)"


def test_what_passes_an_operand_on_says_why():
    links = list(explore(PROGRAMS["times one"][0], V).links)
    assert links[1].fate.text == "multiply with 1 changes nothing: no instruction is needed"


def test_what_was_dropped_in_a_rewriting_says_who_reads_its_operand():
    links = list(explore(PROGRAMS["two transposes"][0], M).links)
    assert links[0].fate.text == "rewritten away: what it read is now read by sin (jaxpr line 4)"


def test_of_thousands_in_a_row_that_became_one_each_has_a_reason():
    def many(x):
        for i in range(2000):
            x = lax.add(x, np.float32(i))
        return x

    exploration = explore(many, np.arange(6, dtype=np.float32))
    begun = time.perf_counter()
    kinds = {fate.kind for fate in exploration.links.fates.values()}
    assert kinds == {"linked", "simplified"}
    assert time.perf_counter() - begun < 20
