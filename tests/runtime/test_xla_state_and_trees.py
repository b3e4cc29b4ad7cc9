"""The door's settings, pytrees and tracebacks."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict, defaultdict, namedtuple

import pytest

from jaxnb.xla import pytree, state, traceback

Point = namedtuple("Point", "x y")


class Box:
    def __init__(self, value):
        self.value = value


class Keyed:
    def __init__(self, value):
        self.value = value


@dataclasses.dataclass
class Layer:
    w: object
    name: str


pytree.register_node(Box, lambda b: ((b.value,), None), lambda _, c: Box(*c))
pytree.register_node_with_keys(
    Keyed, lambda k: ([(pytree.GetAttrKey("value"), k.value)], None), lambda _, c: Keyed(*c)
)
pytree.register_dataclass_node(Layer, ["w"], ["name"])


def test_a_setting_in_the_trace_context_changes_it_for_its_thread_only():
    setting = state.make_state("test_only_setting", 1, in_jit_key=True, in_trace_context=True)
    assert "test_only_setting" in state.trace_context_names()
    before = state.trace_context()
    setting.set_local(2)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(state.trace_context()))
    thread.start()
    thread.join()
    assert state.trace_context() != before
    assert seen == [before]
    setting.set_local(state.unset)
    assert state.trace_context() == before


def test_the_current_trace_is_in_no_key():
    before = state.trace_context()
    old = state.current_trace.swap_local(object())
    assert state.trace_context() == before
    state.current_trace.set_local(old)


@pytest.mark.parametrize(
    "tree",
    [
        None,
        1,
        (1, [2, {"a": 3, "b": None}]),
        Point(1, (2, 3)),
        OrderedDict([("b", 1), ("a", 2)]),
        defaultdict(int, {"b": 1, "a": 2}),
    ],
)
def test_unflatten_undoes_flatten(tree):
    leaves, treedef = pytree.flatten(tree)
    assert pytree.unflatten(treedef, leaves) == tree
    assert pytree.flatten(tree)[1] == treedef
    assert hash(pytree.flatten(tree)[1]) == hash(treedef)
    assert [leaf for _, leaf in pytree.flatten_with_path(tree)[0]] == leaves


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (OrderedDict([("b", 1), ("a", 2)]), "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [*, *]))"),
        (
            defaultdict(int, {"b": 1, "a": 2}),
            "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [*, *]))",
        ),
        ((1, [2, {"x": 3}]), "PyTreeDef((*, [*, {'x': *}]))"),
        ({"z": Box(1)}, "PyTreeDef({'z': CustomNode(Box[None], [*])})"),
    ],
)
def test_a_treedef_prints_as_jax_prints_it(tree, text):
    assert str(pytree.flatten(tree)[1]) == text


def test_paths_print_as_jax_prints_them():
    tree = {"a": [Box(1), Keyed(2)], "b": Layer(3, "dense")}
    paths = [path for path, _ in pytree.flatten_with_path(tree)[0]]
    assert [pytree.keystr(p) for p in paths] == ["['a'][0][<flat index 0>]", "['a'][1].value", "['b'].w"]
    assert [pytree.keystr(p, simple=True, separator="/") for p in paths] == ["a/0/0", "a/1/value", "b/w"]
    assert repr(paths[1]) == "(DictKey(key='a'), SequenceKey(idx=1), GetAttrKey(name='value'))"
    assert pytree.keystr(()) == ""


def test_is_leaf_stops_and_may_take_the_path():
    assert pytree.flatten((1, (2, 3)), lambda t: t == (2, 3))[0] == [1, (2, 3)]
    pairs, _ = pytree.flatten_with_path((1, (2, 3)), lambda path, _: len(path) == 1, is_leaf_takes_path=True)
    assert [leaf for _, leaf in pairs] == [1, (2, 3)]


def test_none_is_a_leaf_where_it_is_asked_for():
    assert pytree.flatten([None, 1])[0] == [1]
    assert pytree.none_leaf_registry.flatten([None, Box(1)])[0] == [None, 1]


def test_all_leaves_says_whether_anything_is_a_container():
    assert pytree.all_leaves([1, "a"])
    assert not pytree.all_leaves([1, (2,)])
    assert pytree.all_leaves([1, (2,)], is_leaf=lambda x: isinstance(x, tuple))


def test_too_few_leaves_is_jaxs_error():
    with pytest.raises(ValueError, match="Too few leaves for PyTreeDef; expected 2, got 1"):
        pytree.unflatten(pytree.flatten((1, 2))[1], [1])


def test_a_capture_knows_the_columns_of_the_call():
    captured = traceback.capture()
    frame = traceback.frames(captured)[0]
    assert frame.file == __file__
    assert frame.function == "test_a_capture_knows_the_columns_of_the_call"
    with open(__file__, encoding="utf-8") as f:
        line = f.read().splitlines()[frame.line - 1]
    assert line[frame.col_start : frame.col_end] == "traceback.capture()"
    assert traceback.frames(None) == []
