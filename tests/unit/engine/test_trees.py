"""Trees behave and complain as JAX's do."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict, namedtuple

import pytest

from jaxnb import tree, tree_util
from jaxnb.engine.core import prefixes

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Layer:
    w: int
    b: int
    name: str = dataclasses.field(default="layer", metadata={"static": True})


tree_util.register_dataclass(Layer)


def test_map_goes_through_every_kind_of_container():
    given = {"a": (1, [2]), "b": Pair(3, None), "c": Layer(4, 5), "d": OrderedDict(z=6)}
    expected = {"a": (2, [4]), "b": Pair(6, None), "c": Layer(8, 10), "d": OrderedDict(z=12)}
    assert tree.map(lambda x: 2 * x, given) == expected


def test_map_hands_subtrees_of_the_others_to_the_function():
    assert tree.map(lambda x, y: (x, y), (1, 2), ((1, 2), [3])) == ((1, (1, 2)), (2, [3]))


def test_map_with_path_names_each_leaf():
    named = tree.map_with_path(lambda path, x: f"{tree_util.keystr(path)}={x}", {"a": [1], "c": Layer(2, 3)})
    assert named == {"a": ["['a'][0]=1"], "c": Layer("['c'].w=2", "['c'].b=3")}
    assert tree.map_with_path(lambda path, x: x, ()) == ()


def test_reduce_associative_combines_a_balanced_tree():
    combined = tree.reduce_associative(lambda a, b: (a, b), (1, 2, 3, 4, 5))
    assert combined == ((1, 2), (3, (4, 5)))
    assert tree.reduce_associative(max, (), identity=7) == 7


def test_transpose_turns_a_tree_inside_out():
    outer, given = tree.structure({"a": 0, "b": 0}), {"a": (1, 2), "b": (3, 4)}
    expected = ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    assert tree.transpose(outer, tree.structure((0, 0)), given) == expected
    assert tree.transpose(outer, None, given) == expected


def test_broadcast_repeats_the_leaves_of_the_prefix():
    assert tree.broadcast((1, 2), ((0, 0), [0])) == ((1, 1), [2])


def test_a_partial_is_a_container_of_its_arguments():
    leaves, treedef = tree.flatten(tree_util.Partial(max, 1, 2))
    assert leaves == [1, 2]
    assert tree.unflatten(treedef, [1, 5])() == 5


def test_a_partial_of_a_partial_keeps_the_inner_one_whole():
    outer = tree_util.Partial(functools.partial(max, 3), 2)
    assert outer.args == (2,)
    assert outer() == 3
    assert repr(outer.func) == "_HashableCallableShim(functools.partial(<built-in function max>, 3))"


def test_static_values_are_part_of_the_structure():
    @tree_util.register_static
    @dataclasses.dataclass(frozen=True)
    class Mode:
        name: str

    assert tree.leaves([Mode("a"), 1]) == [1]
    assert tree.structure(Mode("a")) != tree.structure(Mode("b"))


HEAD = (
    "pytree structure error: different {} at key path\n    tree_map tree{}\n"
    "At that key path, the prefix pytree tree_map tree has a subtree of type"
)
KEYS = ("['a'] ['b']", "['b']") if prefixes._KEYS_AS_PATHS else ("a b", "b")
MISMATCHES = [
    (
        (1, (2, 3)), (1, (2, 3, 4)),
        HEAD.format("lengths of tuple", "[1]") + " tuple of length 2, but the full pytree has a subtree of the "
        "same type but of length 3.",
    ),
    (
        (1, (2,)), (1, 5),
        HEAD.format("types", "[1]") + "\n    <class 'tuple'>\nbut at the same key path the full pytree has a "
        "subtree of different type\n    <class 'int'>.",
    ),
    (
        {"a": 1}, {"b": 1},
        HEAD.format("pytree metadata", "") + "\n    <class 'dict'>\nwith metadata\n    ('a',)\nbut at the same key "
        "path the full pytree has a subtree of the same type but with metadata\n    ('b',)\nso the diff in the "
        "metadata at these pytree nodes is\n    - ('a',)\n    ?   ^\n\n    + ('b',)\n    ?   ^\n",
    ),
    (
        {"a": 1, "b": 2}, {"b": 1},
        HEAD.format("numbers of pytree children", "") + f"\n    <class 'dict'>\nwith 2 child keys\n    {KEYS[0]}\n"
        "but at the same key path the full pytree has a subtree of the same type but with 1 child keys\n"
        f"    {KEYS[1]}\nso the symmetric difference on key sets is\n    {KEYS[1].replace('b', 'a')}",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "text"), MISMATCHES)
def test_a_mismatch_names_the_place(one, other, text):
    with pytest.raises(ValueError) as caught:
        tree.map(lambda x, y: x, one, other)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (
            lambda: tree.transpose(tree.structure((0,)), tree.structure((0, 0)), ((1,),)),
            TypeError,
            "Mismatch\nPyTreeDef(((*,),))\n != \nPyTreeDef(((*, *),))",
        ),
        (
            lambda: tree.reduce_associative(max, ()),
            TypeError,
            "Must specify identity for parallel reduction of empty sequence.",
        ),
        (lambda: tree_util.flatten_one_level(1), ValueError, "can't tree-flatten type: <class 'int'>"),
        (
            lambda: tree_util.register_dataclass(Layer, data_fields=["w"]),
            TypeError,
            "register_dataclass: data_fields and meta_fields must both be specified when either is specified. "
            "Got data_fields=['w'] meta_fields=None.",
        ),
        (
            lambda: tree_util.register_dataclass(Layer, ["w", "b"], []),
            ValueError,
            "data_fields and meta_fields must include all dataclass fields with ``init=True`` and only them. "
            "Missing fields: {'name'}. Add them to drop_fields to suppress this error.",
        ),
        (
            lambda: tree_util.register_dataclass(Layer, ["w", "b"], ["name"]),
            ValueError,
            f"Duplicate custom dataclass PyTreeDef type registration for {Layer}.",
        ),
    ],
)
def test_a_mistake_is_answered_in_jaxs_words(act, error, text):
    with pytest.raises(error) as caught:
        act()
    assert str(caught.value) == text
