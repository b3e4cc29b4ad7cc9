"""The quoted programs: every equation linked or explained, checked by a second reading, and nothing changed by it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import jaxnb as jax
import jaxnb.numpy as jnp
from bench.programs import load
from jaxnb import lax
from jaxnb.engine.runtime.executable import CompiledProgram, compile_options, lower_jaxpr
from jaxnb.explorer.capture.engine import EngineFrontEnd
from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.explore import explore
from jaxnb.xla import hlo
from jaxnb.xla.client import backend
from jaxnb.xla.compile import compile_module
from jaxnb.xla.mlir import module_text
from tests.explorer.verify_links import verify

BOUNDS = {
    # program: (least share that is linked, most share whose fate is unknown)
    "a": (1.0, 0.0),
    "b": (0.6, 0.02),
    "c": (0.7, 0.02),
}


@pytest.fixture(scope="module")
def explorations() -> dict[str, Exploration]:
    return {}


def explored(name: str, explorations: dict[str, Exploration]) -> Exploration:
    if name not in explorations:
        function, arguments = load("jaxnb")[name]()
        explorations[name] = explore(function, *arguments)
        explorations[name].facts()
    return explorations[name]


PROGRAMS = ["a", "b", pytest.param("c", marks=pytest.mark.slow)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_equations_are_linked_or_explained(name, explorations):
    equations = explored(name, explorations).facts()["equations"]
    least, most_unknown = BOUNDS[name]
    assert equations["linked"] >= least * equations["total"]
    assert equations["unknown"] <= most_unknown * equations["total"]
    assert equations["linked"] + equations["explained"] + equations["unknown"] == equations["total"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_reading_of_the_raw_hlo_finds_the_same_links(name, explorations):
    assert verify(explored(name, explorations)) == []


def test_each_use_of_one_program_is_linked_to_its_own_line():
    def twice(x):
        y = jnp.clip(x, 0, 1)
        return helped(jnp.clip(y * 2, 0, 1))

    def inner(x):
        return lax.sin(x)

    helped = jax.jit(inner)
    trace = EngineFrontEnd(twice, (np.ones(5, np.float32),), {}).trace()
    first = twice.__code__.co_firstlineno
    lines = [
        (one.primitive, *(span.line - first for span in (one.source, *one.callers) if span))
        for one in trace.equations
        if one.primitive in ("max", "sin")
    ]
    assert lines == [("max", 1), ("max", 2), ("sin", inner.__code__.co_firstlineno + 1 - first, 2)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_graph_stays_small_enough_to_look_at(name, explorations):
    exploration = explored(name, explorations)
    assert exploration.graph.visible_nodes <= 150
    assert all(len(group.nodes) <= 301 for group in exploration.graph.groups.values())
    if name == "c":
        assert any(fold["kind"] == "repeat" and fold["times"] >= 11 for fold in exploration.graph.folds)


@pytest.mark.parametrize("name", ["a", "b"])
def test_identity_tags_change_neither_the_program_nor_its_results(name):
    function, arguments = load("jaxnb")[name]()
    front_end = EngineFrontEnd(function, arguments, {})
    front_end.trace()
    call = front_end.call
    assert call is not None
    devices = front_end.place.devices
    texts, results, programs = [], [], []
    for tagged in (True, False):
        lowered = lower_jaxpr(
            front_end.info.name,
            call.traced.jaxpr,
            donated=call.donated,
            keep_unused=False,
            devices=devices,
            result_paths=None,
            tagged=tagged,
        )
        texts.append(module_text(lowered.module.module))
        executable = compile_module(
            backend(devices[0].platform), lowered.module.module, devices, compile_options(lowered, ())
        )
        programs.append(executable.hlo_text(hlo.print_options(metadata=False, canonical=True)))
        outputs = CompiledProgram(lowered, executable).call(call.leaves)
        results.append([np.asarray(one).tobytes() for one in outputs])
    assert texts[0] == texts[1]
    assert programs[0] == programs[1]
    assert results[0] == results[1]


def test_all_forms_of_program_a_together_are_at_most_100_kilobytes(explorations):
    bundle = explored("a", explorations)._repr_mimebundle_()
    assert len(json.dumps(bundle)) <= 100_000


def test_tags_show_in_no_text_a_user_sees(explorations):
    exploration = explored("b", explorations)
    for document in exploration.model()["documents"]:
        assert "q1/" not in document["text"]
        assert "op_name" not in document["text"]
    assert '"q' not in exploration.hlo
