"""Public questions about the stages and their texts: C15, C19, C21-C24, C27, C36, C47, C51."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.core import ClosedJaxpr
from jaxnb.explorer import explain_error, explore_steps
from jaxnb.xla.version import JAXLIB_VERSION

NEW = JAXLIB_VERSION >= (0, 12)


@pytest.fixture(autouse=True)
def _fresh():
    jaxnb.clear_caches()


def error_of(call, kind=TypeError):
    with pytest.raises(kind) as raised:
        call()
    return " ".join(str(raised.value).split())


# ---- C15: what an estimate holds for


def fifty(x):
    for _ in range(50):
        x = x + 1.0
    return x


def test_c15_estimates_before_and_after_the_passes_differ_and_by_version():
    lowered = jaxnb.jit(fifty).lower(jnp.ones(1000))
    assert lowered.cost_analysis()["flops"] == 50_000
    assert lowered.compile().cost_analysis()["flops"] == (50_000 if NEW else 1000)
    lowered = jaxnb.jit(jnp.cumsum).lower(jnp.ones(1000))
    assert lowered.cost_analysis()["flops"] == 999_000
    assert lowered.compile().cost_analysis()["flops"] == 17_167


def test_c15_every_number_of_the_panel_has_its_stage_its_device_and_its_version():
    report = explore_steps(fifty, jnp.ones(1000))
    report.facts()
    _, lower, compiled, _ = report.panels()[0].cards
    where = f"(cpu:0, jaxlib {'.'.join(map(str, JAXLIB_VERSION[:3]))}"
    for card, when, number in (
        (lower, "before XLA's passes", "50,000"),
        (compiled, "after them", "50,000" if NEW else "1,000"),
    ):
        [(name, value)] = [one for one in card.figures if one[0].startswith("flops ")]
        assert name.startswith(f"flops {when} {where}")
        assert value == number


# ---- C19: numbers


def test_c19_division_by_a_constant_becomes_a_product():
    def ratio(x):
        return (x / 1e9) >= 0.1

    assert (bool(ratio(0.1e9)), bool(ratio(jnp.float32(0.1e9)))) == (True, True)
    assert not bool(jaxnb.jit(ratio)(jnp.float32(0.1e9)))
    z = jnp.linspace(0.1, 9, 1000)

    def there_and_back(a):
        return a / 3.0 * 3.0 - a

    assert "divide" not in jaxnb.jit(there_and_back).lower(z).compile().as_text()
    apart = np.abs(np.asarray(there_and_back(z)) - np.asarray(jaxnb.jit(there_and_back)(z)))
    assert 0 < apart.max() < 1e-6
    assert (apart > 0).sum() == (516 if NEW else 314)


def test_c19_the_view_shows_what_became_of_the_division():
    exploration = jaxnb.explore(lambda x: (x / 1e9) >= 0.1, jnp.float32(0.1e9))
    exploration.facts()
    assert "divide" not in exploration.hlo
    division = exploration.trace.equations[0]
    assert division.primitive == "div"
    assert exploration.links.fates[division.path].kind == "linked"
    line = next(one for one in exploration.hlo.split("\n") if " multiply(" in one)
    assert 'op_name="jit(<lambda>)/div"' in line


def test_c19_cancellation_is_the_same_either_way():
    def cancel(x, y):
        return (x + y) - x

    x, y = jnp.float32(1e8), jnp.float32(1.0)
    assert float(cancel(x, y)) == float(jaxnb.jit(cancel)(x, y)) == 0.0


# ---- C21: unused arguments


def parameters(lowered, compiled):
    return (
        lowered.as_text().split("@main(")[1].split(") ->")[0].count("%arg"),
        compiled.as_text().split("ENTRY")[1].count(" parameter("),
        compiled.in_tree.num_leaves,
    )


@pytest.mark.parametrize(("keep", "counts"), [(False, (2, 2, 3)), (True, (3, 3, 3))])
def test_c21_unused_arguments_are_dropped_unless_they_are_kept(keep, counts):
    args = (jnp.ones(2), jnp.ones(3), jnp.ones(2))
    lowered = jaxnb.jit(lambda a, unused, b: a + b, keep_unused=keep).lower(*args)
    assert parameters(lowered, lowered.compile()) == counts


def test_c21_a_dropped_argument_is_checked_all_the_same():
    compiled = jaxnb.jit(lambda x, y: x + 1).lower(jnp.ones(4), jnp.ones(4)).compile()
    assert error_of(lambda: compiled(jnp.ones(4), jnp.ones(1))).endswith(
        "Argument 'y' compiled with float32[4] and called with float32[1]"
    )


def test_c21_the_panel_maps_parameters_to_paths_and_marks_the_dropped():
    report = explore_steps(lambda p, unused, b: p["a"] + b, {"a": jnp.ones(2)}, jnp.ones(3), jnp.ones(2))
    assert [(one.path, one.parameter, one.is_dropped) for one in report.signature] == [
        ("p['a']", 0, False),
        ("unused", -1, True),
        ("b", 1, False),
    ]
    [row] = [row for row in report.panels()[1].rows if row.mark == "warn"]
    assert row.cells[:3] == ("unused", "f32[3]", "dropped")


# ---- C22: calling what was compiled


def test_c22_each_way_of_calling_it_wrongly_has_its_error():
    c = jaxnb.jit(lambda p: p["w"] * 2).lower({"w": jnp.ones(3)}).compile()
    assert "Argument 'p['w']' compiled with float32[3] and called with int32[3]" in error_of(
        lambda: c({"w": jnp.ones(3, jnp.int32)})
    )
    assert "Argument 'p['w']' compiled with float32[3] and called with float32[4]" in error_of(
        lambda: c({"w": jnp.ones(4)})
    )
    assert (
        "* at args[0], seen <class 'dict'> with 1 child but now given <class 'dict'> with 2 children"
        in error_of(lambda: c({"w": jnp.ones(3), "b": jnp.ones(3)}))
    )
    assert error_of(lambda: jaxnb.vmap(c)({"w": jnp.ones((2, 3))})).startswith(
        "Cannot apply JAX transformations to a function lowered and compiled for a particular signature."
    )


def test_c22_static_arguments_are_not_passed_again_and_weak_types_do_not_matter():
    s = jaxnb.jit(lambda x, n: x * n, static_argnums=1).lower(2.0, 3).compile()
    assert "at args, seen tuple of length 1 but now given tuple of length 2" in error_of(lambda: s(2.0, 3))
    assert float(s(2.0)) == float(s(jnp.float32(2.0))) == 6.0


# ---- C23: ahead of time and then a call


def test_c23_what_was_compiled_ahead_of_time_serves_calls():
    traces, events = [], []
    f = jaxnb.jit(lambda x: (traces.append(1), jnp.sin(x) * 2)[1])
    x = jnp.ones(3)

    def listen(name, seconds, **_):
        events.append(name)

    jaxnb.monitoring.register_event_duration_secs_listener(listen)
    try:
        counts = []
        for act in (lambda: f.lower(x).compile(), lambda: f(x), lambda: f.lower(x).compile()):
            events.clear()
            act()
            counts.append((len(traces), sum("backend_compile" in name for name in events)))
    finally:
        jaxnb.monitoring.unregister_event_duration_listener(listen)
    assert counts == [(1, 1), (1, 0), (1, 0)]


def test_c23_what_was_explored_serves_calls_too():
    traces = []
    f = jaxnb.jit(lambda x: (traces.append(1), jnp.sin(x) * 2)[1])
    explore_steps(f, jnp.ones(3)).facts()
    f(jnp.ones(3))
    assert len(traces) == 1


# ---- C24: static arguments of a jitted function


def flagged(x, flag):
    return x + 1 if flag else x


def test_c24_make_jaxpr_does_not_know_which_arguments_are_static():
    f = jaxnb.jit(flagged, static_argnames="flag")
    for call in (lambda: jaxnb.make_jaxpr(f)(1.0, True), lambda: jaxnb.make_jaxpr(f)(1.0, flag=True)):
        assert error_of(call, ValueError).startswith("Non-hashable static arguments are not supported.")
    wrapped = jaxnb.make_jaxpr(f, static_argnums=1)(1.0, True)
    assert [eqn.primitive.name for eqn in wrapped.eqns] == ["jit"]


@pytest.mark.parametrize(("args", "kwargs"), [((1.0, True), {}), ((1.0,), {"flag": True})])
def test_c24_trace_does_and_so_does_the_view(args, kwargs):
    f = jaxnb.jit(flagged, static_argnames="flag")
    text = "{ lambda ; a:f32[]. let b:f32[] = add a 1.0:f32[] in (b,) }"
    assert str(f.trace(*args, **kwargs).jaxpr) == text
    assert jaxnb.explore(f, *args, **kwargs).jaxpr == text
    assert [(one.path, one.kind) for one in explore_steps(f, *args, **kwargs).signature] == [
        ("x", "argument"),
        ("flag", "static"),
    ]


# ---- C27: lines in texts


def quotient(x):
    return jnp.sin(x) / x


def test_c27_where_the_lines_are():
    lowered = jaxnb.jit(quotient).lower(1.0)
    plain, told, compiled = lowered.as_text(), lowered.as_text(debug_info=True), lowered.compile().as_text()
    assert "loc(" not in plain
    assert "loc(" in told
    assert __file__ in told
    assert len(plain) == 316  # 315 for a lambda
    assert "op_name" in compiled
    assert "source_line" not in compiled
    assert "stack_frame_id" in compiled
    assert "FileLocations" in compiled
    assert not re.search("source_line|stack_frame_id", lowered.as_text(dialect="hlo"))


def test_c27_the_view_joins_the_tables():
    exploration = jaxnb.explore(quotient, 1.0)
    exploration.facts()
    model = exploration.model()
    line = quotient.__code__.co_firstlineno + 1
    assert {one.source.line for one in exploration.trace.equations} == {line}
    # in every text there are spans of the same two operations
    for document in model["documents"]:
        pivots = {p for s in document["spans"][3::4] for p in model["sets"][s]}
        assert {model["pivots"]["label"][p] for p in pivots} >= {"sin", "div"}


# ---- C36: loops in Python


def unrolled(x):
    for _ in range(200):
        x = jnp.sin(x) * 1.01
    return x


def rolled(x):
    return lax.scan(lambda c, _: (jnp.sin(c) * 1.01, None), x, None, length=200)[0]


def test_c36_a_python_loop_is_written_out():
    sizes = {}
    for f in (unrolled, rolled):
        traced = jaxnb.jit(f).trace(jnp.ones(4))
        sizes[f] = len(traced.jaxpr.eqns), len(traced.lower().as_text())
    assert sizes[unrolled] == (400, 52_383)
    assert sizes[rolled][0] == 1
    assert 900 < sizes[rolled][1] < 1300
    np.testing.assert_allclose(jaxnb.jit(unrolled)(jnp.ones(4)), jaxnb.jit(rolled)(jnp.ones(4)), rtol=1e-5)


def test_c36_the_panel_has_the_numbers_and_the_times_of_both():
    for f, equations in ((unrolled, 400), (rolled, 2)):
        report = explore_steps(f, jnp.ones(4))
        facts = report.facts()
        assert facts["equations"]["total"] == equations
        assert all(facts["seconds"][stage] > 0 for stage in ("trace", "lower", "compile"))


# ---- C47: wrappers


def simple(x, i):
    return jnp.where(x > 0, x, 0).std() + x[i] + jnp.clip(x, 0, 1).sum()


def rows_of(jaxpr, depth=0):
    found = [(depth, eqn.primitive.name, eqn.params.get("name")) for eqn in jaxpr.eqns]
    for eqn in jaxpr.eqns:
        for value in eqn.params.values():
            if isinstance(value, ClosedJaxpr):
                found += rows_of(value.jaxpr, depth + 1)
    return found


def test_c47_one_line_of_numpy_is_a_deep_jaxpr():
    jaxpr = jaxnb.make_jaxpr(simple)(jnp.ones(5), 2)
    rows = rows_of(jaxpr.jaxpr)
    assert str(jaxpr).count("\n") + 1 == 55
    assert sum(depth == 0 for depth, *_ in rows) == 13
    assert sum(depth > 0 for depth, *_ in rows) == 22
    assert [name for *_, name in rows if name] == ["_where", "_std", "clip", "_var", "_where"]


def test_c47_the_graph_has_none_of_the_wrappers():
    exploration = jaxnb.explore(simple, jnp.ones(5), 2)
    labels = {group.label for group in exploration.graph.groups.values()}
    assert not {"_where", "_std", "clip", "_var"} & labels
    assert len(exploration.graph.groups) < 8


# ---- C51: scopes in the backward pass


def loss(w, x):
    with jaxnb.named_scope("enc"):
        h = jnp.tanh(x @ w)
    with jaxnb.named_scope("head"):
        return (h**2).sum()


def test_c51_every_operation_says_its_scope_and_its_direction():
    text = jaxnb.jit(jaxnb.grad(loss)).lower(jnp.ones((4, 4)), jnp.ones((2, 4))).compile().as_text()
    names = {name for name in re.findall(r'op_name="([^"]+)"', text) if "/" in name}
    stacks = {name.split("/")[1] for name in names}
    assert stacks <= {"jvp(enc)", "jvp(head)", "transpose(jvp(enc))", "transpose(jvp(head))"}
    assert stacks >= {"jvp(enc)", "jvp(head)", "transpose(jvp(enc))"}


def test_c51_so_do_the_equations_of_the_view():
    exploration = jaxnb.explore(jaxnb.grad(loss), jnp.ones((4, 4)), jnp.ones((2, 4)))
    assert {one.name_stack for one in exploration.trace.equations} == {
        "jvp(enc)",
        "jvp(head)",
        "transpose(jvp(enc))",
        "transpose(jvp(head))",
    }


def test_c22_c23_nothing_is_explained_where_nothing_was_traced():
    c = jaxnb.jit(lambda x: x).lower(1.0).compile()
    with pytest.raises(TypeError) as raised:
        c(jnp.ones(3))
    assert explain_error(raised.value) is None
