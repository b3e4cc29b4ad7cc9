"""Functions rewritten to take what they captured: the code runs, gives the same, and captures nothing."""

from __future__ import annotations

import ast
import linecache

import numpy as np
import pytest

import jaxnb
from jaxnb.explorer.constants import ConstantsReport, make_constants_report

SCRIPT = '''
import functools
import numpy as np
import jaxnb, jaxnb.numpy as jnp
from jaxnb import grad, jit, lax, value_and_grad, vmap

tab = np.linspace(0.0, 1.0, 64).astype(np.float32)
arr = jnp.asarray(tab) + 1.0
params = {"w": arr, "b": [tab * 2.0]}
listed = [3, 1, 2]
x = jnp.linspace(0.0, 2.0, 64)


class Model:
    scale = tab * 3.0

    def __init__(self):
        self.w = tab * 4.0
        self.inner = {"v": arr * 5.0}
        self.name = "model"

    def out(self, x):
        return x * self.w + self.inner["v"]

    def short(s, x): return s.w * x

    def deep(self, x):
        return self._part(x) + 1.0

    def _part(self, x):
        return x * self.w

    @functools.partial(jit, static_argnums=0)
    def jitted(self, x):
        return x * self.w

    def __call__(self, x):
        return x - self.w


m = Model()


def plain(x):
    # a comment stays
    return x * tab  # here too


def tree(x, k=2):
    return x * params["w"] + params["b"][0] * k


def dynamic(x):
    return sum(x * params[name] for name in ["w"])


def through_object(x): return x * m.w + m.inner["v"]


def through_class(x):
    return Model.scale * x


def helper(y):
    return y @ arr


def deeper(y, n):
    return helper(y) * n


def calls_helper(x):
    return helper(x) + deeper(x, 2.0)


@jit
def jitted_helper(y, *, flag=True):
    return y * tab


def calls_jitted(x):
    return jitted_helper(x) + jitted_helper(x, flag=True)


def _inner(y, n): return y * arr * n
inner = jit(_inner, static_argnums=1)


def calls_inner(x):
    return inner(x, 3)


def default(x, w=tab):
    return x * w


def default_keyword(x, *, w=tab):
    return x * w


def sliced(x):
    return x + tab[::2].repeat(2)


def made(x):
    return x * np.arange(64.0)


def from_list(x):
    return x[:3] * np.array(listed)


@jit
def decorated(x):
    return x * tab


@functools.partial(jit, static_argnums=(1,), donate_argnames="x")
def with_options(x, n):
    return x * tab * n


@functools.partial(jit, static_argnames="n")
def named(x, n=2):
    return x * tab * n


upd = jit(lambda x, n: x * tab * n, static_argnums=1)
again = jit(_inner, static_argnames="n")


def several(x, /, y, *rest, flag=False, **more):
    return x * tab + y * arr


def annotated(
    x: "jnp.ndarray",  # a colon: here
    scale: dict[str, float] = {"a": 1.0},
) -> "jnp.ndarray":
    """Its text."""
    return x * tab * scale["a"]


def nested(x):
    def body(c, t):
        return c + t * arr[0], None
    return lax.scan(body, 0.0, x * arr)[0]


def loss(x):
    return jnp.sum(jnp.tanh(arr * x))


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper


@logged
def wrapped(x):
    return x * tab


def calls_wrapped(x):
    return wrapped(x)


lam = lambda x: x * tab
part = functools.partial(lambda w, x: w * x, tab)
step = functools.partial(tree, k=3)
grads = grad(lambda x: jnp.sum(arr * x))
'''
CALLS = [
    "plain(x)", "plain(x=x)", "tree(x)", "tree(x, k=3)", "dynamic(x)", "through_object(x)", "through_class(x)",
    "calls_helper(x)", "calls_jitted(x)", "calls_inner(x)", "default(x)", "default_keyword(x)", "sliced(x)", "made(x)",
    "from_list(x)", "decorated(x)", "with_options(x + 1, 3)", "named(x, n=3)", "named(x)", "again(x, 3)", "again(x, n=3)",
    "several(x, x)", "several(x, x, 1.0, flag=True)", "annotated(x)", "nested(x)", "loss(x)", "wrapped(x)", "lam(x)",
    "upd(x, 3)", "part(x)", "step(x)", "grads(x)", "grad(loss)(x)", "value_and_grad(loss)(x)", "jit(loss)(x)",
    "jit(grad(loss))(x)", "jaxnb.grad(lambda x: jnp.sum(jnp.tanh(arr * x)))(x)", "(lambda v: v * tab)(x)",
    "functools.partial(lambda w, x: w * x, tab)(x)", "jit(functools.partial(lambda w, x: w * x, tab))(x)",
    "jit(tree, static_argnames='k')(x, k=2)", "m.out(x)", "m.short(x)", "m.deep(x)", "m.jitted(x)", "m(x)", "jit(m.out)(x)",
    "Model().out(x)", "calls_wrapped(x)",
]  # fmt: skip
BY_HAND = {
    "vmap(elementwise)(x)": "in_axes=None",
    "hands_on(x)": "hands `helper` to another function",
    "ruled(x)": "`@custom_jvp`",
}


@pytest.fixture
def namespace():
    name = "<rewritten module>"
    source = SCRIPT + (
        "\nfrom jaxnb import custom_jvp\n\n\ndef elementwise(x):\n    return (x * arr).sum()\n\n\n"
        "def hands_on(x):\n    return lax.map(helper, x[None])\n\n\n"
        "@custom_jvp\ndef ruled(x):\n    return x * tab\n\n\nruled.defjvps(lambda t, out, x: t * 2.0)\n"
    )
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space: dict = {"__name__": "__main__"}
    exec(compile(source, name, "exec"), space)
    return space


def report(call: str, space: dict) -> ConstantsReport:
    """What a magic makes of a call."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    function = eval(ast.unparse(node.func), space)
    node.func = ast.Name("make", ast.Load())

    def make(*args, **kwargs):
        return make_constants_report(function, args, kwargs, call)

    return eval(ast.unparse(node), {**space, "make": make})


@pytest.mark.parametrize("call", CALLS)
def test_the_rewriting_runs_gives_the_same_and_captures_nothing(call, namespace):
    made = report(call, namespace)
    assert made.constants
    before = eval(call, namespace)
    assert made.by_hand == ()
    head, _, tail = made.rewrite.rpartition("\n\n")
    linecache.cache["<rewriting>"] = (len(head), None, head.splitlines(True), "<rewriting>")
    exec(compile(head, "<rewriting>", "exec"), namespace)
    again = report(tail, namespace)
    assert [(one.name, one.type) for one in again.constants] == []
    for one, other in zip(jaxnb.tree.leaves(before), jaxnb.tree.leaves(again.result), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize(("call", "said"), BY_HAND.items())
def test_where_no_code_can_be_written_it_is_said_what_to_do(call, said, namespace):
    made = report(call, namespace)
    assert made.constants
    assert made.rewrite == ""
    assert any(said in note for note in made.by_hand)
    assert "There is nothing to pass" not in made.text()


def test_a_function_keeps_what_was_written_in_it(namespace):
    assert report("plain(x)", namespace).rewrite == (
        "def plain(tab, x):\n    # a comment stays\n    return x * tab  # here too\n\nplain(tab, x)"
    )
    assert report("m.short(x)", namespace).rewrite == (
        "def short(s, x, *, w): return w * x\n\nModel.short = short\n\nm.short(x, w=m.w)"
    )
    assert "lambda x, n, *, tab" in report("upd(x, 3)", namespace).rewrite


def test_a_variable_of_a_function_around_is_named_and_so_is_what_to_do():
    hidden = np.arange(64.0, dtype=np.float32)

    def inside(x):
        return x * hidden

    made = make_constants_report(inside, (np.float32(1),), {})
    assert made.rewrite.startswith("def inside(hidden, x):")
    assert any(
        "`hidden` is a variable of the function in which `inside` is defined" in note for note in made.by_hand
    )


def test_a_lambda_that_is_explored_without_a_call_has_a_name_of_its_own():
    many = np.arange(64.0, dtype=np.float32)
    made = make_constants_report(lambda x: x * many, (np.float32(1),), {})
    assert made.rewrite == "f = lambda many, x: x * many\n\nf(many, x)"


def test_a_function_without_a_source_says_what_to_do():
    space: dict = {"np": np, "tab": np.arange(64.0, dtype=np.float32)}
    exec("def blind(x): return x * tab", space)
    made = make_constants_report(space["blind"], (np.float32(1),), {})
    assert made.rewrite == ""
    assert "The source of `blind` is not to be had" in made.by_hand[0]
