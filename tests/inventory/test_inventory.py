"""The list of JAX's names says what is so, and what is here has JAX's signature."""

from __future__ import annotations

import json

import pytest

from tests.inventory import inventory

VERDICTS = json.loads(inventory.VERDICTS.read_text())
MODULES = tuple(VERDICTS)
OURS = {
    "config": {"jax_omnistaging"},
    "errors": {"JaxLoadedError", "JaxnbError"},
    "jax": {"Exploration", "explore", "omnistaging"},
}
"""What is here and not in JAX, because it is what this project adds."""


def test_every_name_has_a_verdict():
    assert {m: sorted(names) for m, names in VERDICTS.items()} == inventory.all_names()


@pytest.mark.parametrize("module", MODULES)
def test_what_comes_later_says_why(module):
    verdicts = VERDICTS[module].items()
    assert [
        n for n, v in verdicts if v != "have" and not (v.startswith("later: ") and v != "later: None")
    ] == []


@pytest.mark.parametrize("module", MODULES)
def test_the_verdicts_are_what_is_so(module):
    ours = inventory.public_names(inventory.our_module(module))
    names = inventory.oracle_names()[module]
    claimed = {n for n in names if VERDICTS[module][n] == "have"}
    assert sorted(claimed - ours) == [], "claimed, but missing"
    assert sorted(set(names) & ours - claimed) == [], "here, but not listed: run tests/inventory/inventory.py"


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_shown_that_jax_does_not_have(module):
    ours = inventory.public_names(inventory.our_module(module))
    assert ours - set(inventory.all_names()[module]) == OURS.get(module, set())


@pytest.mark.parametrize("module", MODULES)
def test_what_is_here_has_jaxs_parameters(module):
    ours, known = inventory.our_module(module), inventory.known_parameters(module)
    differing = {}
    for name, verdict in VERDICTS[module].items():
        if verdict != "have" or not hasattr(ours, name) or not isinstance(known[name][0], list):
            continue
        found = inventory.parameters(getattr(ours, name))
        says_nothing = any(p in (["*args"], ["*args", "**kwargs"]) for p in known[name])
        if found not in known[name] and not says_nothing:
            differing[name] = (found, known[name])
    assert differing == {}
