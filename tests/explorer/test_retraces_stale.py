"""What a function reads beside its arguments is followed where its code leads; what has changed is said, with a cure."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import gc
import sys
import time
import types
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.engine.runtime.reads import reads_of
from jaxnb.explorer.retraces import explore_retraces


def stale(function):
    return [path for _, path in explore_retraces(function).facts()["stale"]]


class Box:
    """An object with any attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Layer:
    def __init__(self, k):
        self.k = k
        self.other = 0.0

    def __call__(self, x):
        return self.hidden(x)

    def hidden(self, x):
        return x * self.k

    @property
    def doubled(self):
        return self.k * 2

    @functools.cached_property
    def kept(self):
        return self.k + 1

    @staticmethod
    def scaled(x):
        return x * rates.static

    @classmethod
    def shifted(cls, x):
        return x + cls.shift

    shift = 1.0


class Derived(Layer):
    def hidden(self, x):
        return super().hidden(x) + 1


class Stack:
    def __init__(self):
        self.layers = [Layer(1.0), Layer(2.0)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Slotted:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k


class Fields(NamedTuple):
    k: float


@dataclasses.dataclass
class Config:
    rate: float = 1.0
    inner: object = None


def scaled_by(config, x):
    return x * config.k


def through_a_variable(x):
    inner = box.inner
    return x * inner.k


def with_an_import(x):
    import made_up_settings  # noqa: PLC0415

    return x * made_up_settings.k


def with_a_name_imported(x):
    from made_up_settings import k  # noqa: PLC0415

    return x * k


def with_a_comprehension(x):
    return sum([x * box.k for _ in range(2)])


rates = Box(static=1.0)
box, layer, derived, slotted = Box(k=1.0, inner=Box(k=1.0)), Layer(1.0), Derived(1.0), Slotted(1.0)
stack, space, options = Stack(), types.SimpleNamespace(k=1.0), argparse.Namespace(k=1.0)
fields, config = Fields(1.0), Config(inner=Config())
many, letters = list(range(500)), {"a"}
functions = {"f": lambda x: x * box.k}
module = types.ModuleType("made_up_settings")


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch):
    monkeypatch.setitem(sys.modules, "made_up_settings", module)
    module.k = 1.0
    box.__dict__.update(k=1.0, inner=Box(k=1.0))
    for one in (layer, derived, slotted, space, options, *stack.layers):
        one.k = 1.0
    monkeypatch.setitem(globals(), "fields", Fields(1.0))
    monkeypatch.setitem(globals(), "config", Config(inner=Config()))
    Layer.shift, rates.static = 1.0, 1.0


def put(owner, name="k"):
    return lambda: setattr(owner() if isinstance(owner, types.FunctionType) else owner, name, 5.0)


CASES = {
    "attribute": (lambda x: x * box.k, put(box), "box.k"),
    "attribute of an attribute": (lambda x: x * box.inner.k, put(lambda: box.inner), "box.inner.k"),
    "through a variable": (through_a_variable, put(lambda: box.inner), "box.inner.k"),
    "handed on": (lambda x: scaled_by(box, x), put(box), "box.k"),
    "in a comprehension": (with_a_comprehension, put(box), "box.k"),
    "getattr": (lambda x: x * getattr(box, "k"), put(box), "box.k"),
    "class": (lambda x: x * Layer.shift, put(Layer, "shift"), "Layer.shift"),
    "namespace": (lambda x: x * space.k, put(space), "space.k"),
    "options": (lambda x: x * options.k, put(options), "options.k"),
    "slots": (lambda x: x * slotted.k, put(slotted), "slotted.k"),
    "named tuple": (lambda x: x * fields.k, lambda: globals().update(fields=Fields(5.0)), "fields.k"),
    "dataclass": (lambda x: x * config.inner.rate, put(lambda: config.inner, "rate"), "config.inner.rate"),
    "module": (lambda x: x * module.k, put(module), "module.k"),
    "import": (with_an_import, put(module), "made_up_settings.k"),
    "import of a name": (with_a_name_imported, put(module), "made_up_settings.k"),
    "callable object": (layer, put(layer), "self.k"),
    "call of a global object": (lambda x: layer(x), put(layer), "layer.k"),
    "bound method": (layer.hidden, put(layer), "self.k"),
    "method that calls a method": (layer.__call__, put(layer), "self.k"),
    "method of a base": (derived.hidden, put(derived), "self.k"),
    "property": (lambda x: x * layer.doubled, put(layer), "layer.k"),
    "static method": (lambda x: Layer.scaled(x), put(rates, "static"), "Layer.scaled → rates.static"),
    "class method": (lambda x: Layer.shifted(x), put(Layer, "shift"), "Layer.shift"),
    "objects in a list": (lambda x: stack(x), put(lambda: stack.layers[1]), "stack.layers[1].k"),
    "function in a dictionary": (lambda x: functions["f"](x), put(box), "functions['f'] → box.k"),
    "long list": (lambda x: x * sum(many), lambda: many.__setitem__(300, many[300] + 1), "many"),
    "set": (lambda x: x * len(letters), lambda: letters.add(str(len(letters))), "letters"),
    "body of a loop": (
        lambda x: lax.scan(lambda c, _: (c * box.k, None), x, None, length=2)[0], put(box), "box.k",
    ),
    "derivative": (jaxnb.grad(lambda x: x * box.k), put(box), "box.k"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_has_changed_is_found_where_the_code_leads(name):
    function, change, path = CASES[name]
    f = jaxnb.jit(function)
    f.clear_cache()
    f(1.0)
    assert stale(f) == []
    change()
    assert stale(f) == [path]
    f.clear_cache()


def test_static_arguments_are_followed_under_their_names():
    @functools.partial(jaxnb.jit, static_argnums=0)
    def by_position(net, x):
        return x * net.k

    @functools.partial(jaxnb.jit, static_argnames="nets")
    def by_name(x, nets):
        return sum([x * net.k for net in nets])

    class Net:
        def __init__(self):
            self.k = 1.0

        @functools.partial(jaxnb.jit, static_argnums=0)
        def advance(self, x):
            return x + self.k

    one = Net()
    by_position(one, 1.0), by_name(1.0, nets=(one,)), one.advance(1.0)
    assert stale(by_position) == stale(by_name) == stale(Net.advance) == []
    one.k = 5.0
    assert stale(by_position) == ["net.k"]
    assert stale(by_name) == ["nets[0].k"]
    assert stale(Net.advance) == ["self.k"]


def test_what_a_partial_application_binds_is_followed():
    bound, net = {"k": 1.0}, Box(k=1.0)
    f = jaxnb.jit(functools.partial(lambda d, x, net: d["k"] * x * net.k, bound, net=net))
    f(1.0)
    assert stale(f) == []
    bound["k"], net.k = 2.0, 2.0
    assert sorted(stale(f)) == ["d", "net.k"]


def test_a_default_counts_unless_the_call_gives_something():
    default = [2.0]
    f = jaxnb.jit(lambda x, s=default: x * s[0])
    f(1.0)
    f(1.0, [3.0])
    left_out, _ = [one.number for one in explore_retraces(f).records]
    default[0] = 7.0
    assert explore_retraces(f).facts()["stale"] == [(left_out, "s")]


def test_rules_of_derivatives_are_followed():
    @jaxnb.custom_jvp
    def g(x):
        return x * 2

    slope = Box(k=1.0)
    g.defjvp(lambda p, t: (g(p[0]), t[0] * slope.k))
    f = jaxnb.jit(jaxnb.grad(lambda x: g(x)))
    f(1.0)
    assert stale(f) == []
    slope.k = 2.0
    assert stale(f) == ["g → slope.k"] or stale(f) == ["g.jvp → slope.k"]


def test_what_the_code_does_not_mention_is_not_called_stale():
    a, b = Box(x=1.0, y=1.0), Box(x=1.0, y=1.0)
    f = jaxnb.jit(lambda v: v * a.x + b.y)
    net = Layer(1.0)
    g = jaxnb.jit(net.hidden)
    f(1.0), g(1.0)
    a.y, b.x, net.other = 2.0, 2.0, 2.0
    assert stale(f) == stale(g) == []


def test_an_object_that_is_replaced_by_an_equal_one_is_no_change():
    f = jaxnb.jit(lambda x: x * config.inner.rate)
    f(1.0)
    config.inner = Config()
    assert stale(f) == []
    config.inner = Box(other=1.0)  # what it has no more is named once
    [card] = explore_retraces(f).panels()[1].cards
    assert "`config.inner.rate` was 1.0 when the function was traced, and is no more" in card.text


def test_a_computed_attribute_that_is_kept_is_no_side_effect():
    net = Layer(1.0)
    f = jaxnb.jit(lambda x: x * net.kept)
    f(1.0)
    facts = explore_retraces(f).facts()
    assert facts["stale"] == facts["side_effects"] == []


def test_objects_that_refuse_everything_do_no_harm():
    class Odd:
        def __getattr__(self, name):
            raise RuntimeError(name)

        def __repr__(self):
            raise RuntimeError

        def __eq__(self, other):
            raise RuntimeError

        __hash__ = None

    odd = Odd()
    f = jaxnb.jit(lambda x: (odd, [odd], {"a": odd}, x)[-1])
    assert float(f(1.0)) == 1.0
    assert stale(f) == []


def test_nothing_that_was_read_is_kept_alive():
    held, array = Box(k=1.0), jnp.ones(7)
    gone = weakref.ref(held), weakref.ref(array)
    captured = [held, array]

    def f(x):
        return x * captured[0].k + captured[1].sum()

    f = jaxnb.jit(f)
    f(1.0)
    del held, array
    captured[:] = []
    f.clear_cache()  # the program has the array as a constant
    jaxnb.clear_caches()
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_what_is_large_does_not_hold_up_a_trace():
    table = [[float(i + j) for i in range(1000)] for j in range(1000)]
    text = "x" * 10_000_000
    f = jaxnb.jit(lambda x: x + table[0][0] + len(text))
    start = time.perf_counter()
    reads_of(f.__wrapped__)
    assert time.perf_counter() - start < 0.1
    f(1.0)
    table[0][1] = -1.0
    assert stale(f) == ["table"]
    table.append([])
    assert stale(f) == ["table"]


# ---- what is said


def in_a_cell(source):
    """Runs a source as a notebook would, in one namespace."""
    names = {"jaxnb": jaxnb, "jnp": jnp, "np": np, "functools": functools}
    exec(compile(source, "a_cell.py", "exec"), names)
    return names


@pytest.mark.parametrize(
    ("source", "function", "code", "words"),
    [
        (
            "ff = jaxnb.jit(lambda x: x + rate); rate = 1.; ff(0.); rate = 2.", "ff", "ff.clear_cache()",
            "Give `rate` to the function as an argument, or make the function forget what was traced:",
        ),
        (
            "class Net:\n    def out(self, x): return self.k * x\nn = Net(); n.k = 1.\n"
            "fn = jaxnb.jit(n.out); fn(1.); n.k = 5.",
            "fn", "fn.clear_cache()", "Give the attribute to the function as an argument",
        ),
        (
            "class E:\n    @functools.partial(jaxnb.jit, static_argnums=0)\n    def adv(self, x): return self.k * x\n"
            "e = E(); e.k = 1.; e.adv(1.); e.k = 5.",
            "E.adv", "E.adv.clear_cache()", "Give the attribute to the function as an argument",
        ),
        (
            "fs = [jaxnb.jit(lambda x: x + rate)]; rate = 1.; fs[0](0.); rate = 2.", "fs[0]",
            "import jaxnb\njaxnb.clear_caches()", "no variable has the compiled function",
        ),
        (
            "def helper(x): return x + 1\n@jaxnb.jit\ndef g(x): return helper(x)\ng(1.)\n"
            "def helper(x): return x + 100",
            "g", "g.clear_cache()", "`helper` is a function with other code than when it was called in the trace.",
        ),
        (
            "arr = np.zeros(5, np.float32); h = jaxnb.jit(lambda x: x + arr); h(0.); arr[0] = 3", "h",
            "h.clear_cache()", "`arr` is float32[5] as before, but holds other values than when the function",
        ),
        (
            "w = jnp.ones(3); h = jaxnb.jit(lambda x: x + w); h(0.); w = w + 1", "h",
            "h.clear_cache()", "`w` is another float32[3] than the one that was there when the function was traced.",
        ),
    ],
)  # fmt: skip
def test_the_cure_can_be_run_as_it_stands(source, function, code, words):
    names = in_a_cell(source)
    f = eval(function, names)
    [card] = explore_retraces(f).panels()[1].cards
    assert card.code == code
    assert words in card.text
    exec(card.code, names)
    assert stale(f) == []


def test_no_more_is_claimed_than_was_looked_at():
    names = in_a_cell("k = 1.; f = jaxnb.jit(lambda x: x + k)\ng = jaxnb.jit(lambda x: x + 1); f(1.); g(1.)")
    panel = explore_retraces(names["f"]).panels()[1]
    assert panel.note.startswith("No change is seen in the 1 value that was compared")
    assert explore_retraces(names["g"]).panels()[1].note.startswith("These functions read nothing beside")
    names["f"].clear_cache()
    assert explore_retraces(names["f"]).panels()[1].note == "No trace is left that could be out of date."
    deep = [[[[[[Layer(1.0)]]]]]]
    f = jaxnb.jit(lambda x: x * deep[0][0][0][0][0][0].k)
    f(1.0)
    assert "More lies too deep, or is too much, to be compared." in explore_retraces(f).panels()[1].note
