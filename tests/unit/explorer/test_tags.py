"""A name that XLA has changed still leads to the equation it came from, and a user's own name never does."""

from __future__ import annotations

from jaxnb.explorer.model.tags import PathIndex, join, tag

INDEX = PathIndex(["q1", "q2", "q2/q10", "q2/q11", "q3", "q3/q10", "q3/q11", "q4", "q4/q20", "q4/q20/q30"])


def test_a_tag_ends_with_the_primitive_for_the_instructions_name():
    assert tag(12, "mul") == "q12/mul"
    assert tag(3, "odd/name;") == "q3/odd_name_"
    assert join("", "q1") == "q1"
    assert join("q1", "q2") == "q1/q2"


def test_prefixes_of_inlined_calls_are_followed():
    assert INDEX.find("q1/mul") == ("q1",)
    assert INDEX.find("q2/jit/q10/mul") == ("q2/q10",)
    assert INDEX.find("q4/jit/q20/while/q30/add") == ("q4/q20/q30",)


def test_joined_names_lead_to_all_their_equations():
    assert INDEX.find("q1/mul;q4/neg") == ("q1", "q4")
    assert INDEX.find("q1/mul;q1/mul") == ("q1",)


def test_a_later_one_of_joined_names_comes_from_where_the_first_one_does():
    assert INDEX.find("q3/jit/q11/mul;q10/broadcast_in_dim") == ("q3/q11", "q3/q10")


def test_a_missing_front_means_every_call_site():
    assert INDEX.find("q10/mul") == ("q2/q10", "q3/q10")
    assert INDEX.find("q30/add") == ("q4/q20/q30",)


def test_what_stands_inside_a_primitives_own_program_belongs_to_it():
    assert INDEX.find("q1/erf_inv/q999/mul") == ("q1",)


def test_other_names_lead_nowhere():
    assert INDEX.find("") == ()
    assert INDEX.find("jit(f)/layer/mul") == ()
    assert INDEX.find("q999/mul") == ()
    assert INDEX.find("queue/q/q1x") == ()
    assert INDEX.find("params['q1']") == ()
    assert INDEX.find("q1") == ()
    assert INDEX.find("params['a/q1/b']") == ()
    assert INDEX.find("jit(f)/q1/mul") == ()
