"""The programs every figure is quoted on.

(a) SELU on a million floats, (b) a training step of an MLP, (c) a training step of a 12-layer transformer, unrolled,
(d) a chain of 20,000 operations. Shapes are small, so that compiling dominates, not running.

`load("jaxnb")` or `load("jax")` gives the programs on that package; `load(p)["c"]()` makes the function and its
arguments.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def load(package: str) -> dict[str, Callable[[], Program]]:
    """The four programs; nothing is computed before one is called."""
    jax, jnp, lax, nn = (importlib.import_module(package + m) for m in ("", ".numpy", ".lax", ".nn"))
    return {
        "a": lambda: selu(jnp),
        "b": lambda: mlp(jax, jnp, nn),
        "c": lambda: transformer(jax, jnp, lax),
        "d": lambda: chain(jnp, lax),
    }


def selu(jnp: Any) -> Program:
    """Program (a)."""

    def selu(x, alpha=1.67, lmbda=1.05):
        return lmbda * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)

    return selu, (jnp.arange(1_000_000, dtype=jnp.float32) / 1e6 - 0.5,)


def mlp(jax: Any, jnp: Any, nn: Any, sizes: tuple[int, ...] = (784, 512, 256, 10)) -> Program:
    """Program (b)."""

    def predict(params, x):
        for w, b in params[:-1]:
            x = nn.relu(x @ w + b)
        w, b = params[-1]
        return nn.log_softmax(x @ w + b)

    def loss(params, batch):
        x, y = batch
        return -jnp.mean(jnp.sum(predict(params, x) * y, axis=-1))

    def mlp_step(params, batch, lr=0.1):
        g = jax.grad(loss)(params, batch)
        return jax.tree.map(lambda p, gg: p - lr * gg, params, g)

    rng = np.random.RandomState(0)
    params = [
        (jnp.asarray(rng.randn(m, n).astype(np.float32) * 0.01), jnp.zeros((n,), jnp.float32))
        for m, n in itertools.pairwise(sizes)
    ]
    batch = (jnp.zeros((128, sizes[0]), jnp.float32), jnp.zeros((128, sizes[-1]), jnp.float32))
    return mlp_step, (params, batch)


def transformer(jax: Any, jnp: Any, lax: Any) -> Program:
    """Program (c): forward, backward and AdamW, in plain `jnp`."""
    L, D, H, F, V, B, T = (
        12,
        64,
        4,
        256,
        512,
        2,
        32,
    )  # layers, width, heads, hidden, vocabulary, batch, length

    def layer_norm(x, p):
        g, b = p
        m = jnp.mean(x, -1, keepdims=True)
        v = jnp.mean((x - m) ** 2, -1, keepdims=True)
        return (x - m) / jnp.sqrt(v + 1e-5) * g + b

    def gelu(x):
        return 0.5 * x * (1 + jnp.tanh(0.79788456 * (x + 0.044715 * x * x * x)))

    def softmax(s):
        s = s - lax.stop_gradient(jnp.max(s, -1, keepdims=True))
        e = jnp.exp(s)
        return e / jnp.sum(e, -1, keepdims=True)

    def attention(x, p):
        def split(y):
            return jnp.transpose(jnp.reshape(y, (B, T, H, D // H)), (0, 2, 1, 3))

        q, k, v = split(x @ p["wq"] + p["bq"]), split(x @ p["wk"] + p["bk"]), split(x @ p["wv"] + p["bv"])
        s = jnp.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(D // H)
        mask = jnp.tril(jnp.ones((T, T), bool))
        s = jnp.where(mask, s, -1e9)
        o = jnp.einsum("bhij,bhjd->bhid", softmax(s), v)
        return jnp.reshape(jnp.transpose(o, (0, 2, 1, 3)), (B, T, D)) @ p["wo"] + p["bo"]

    def forward(p, tokens):
        x = p["emb"][tokens] + p["pos"]
        for l in p["layers"]:
            with jax.named_scope("layer"):
                x = x + attention(layer_norm(x, l["ln1"]), l)
                h = layer_norm(x, l["ln2"])
                x = x + gelu(h @ l["w1"] + l["b1"]) @ l["w2"] + l["b2"]
        return layer_norm(x, p["lnf"]) @ p["emb"].T

    def loss(p, tokens, targets):
        lg = forward(p, tokens)
        top = lg - jnp.log(jnp.sum(jnp.exp(lg - lg.max(-1, keepdims=True)), -1, keepdims=True))
        lp = top - lg.max(-1, keepdims=True)
        return -jnp.mean(jnp.take_along_axis(lp, targets[..., None], -1))

    def transformer_step(p, m, v, t, tokens, targets):
        value, g = jax.value_and_grad(loss)(p, tokens, targets)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)

        def update(q, a, b):
            step = (a / (1 - 0.9**t)) / (jnp.sqrt(b / (1 - 0.999**t)) + 1e-8) + 0.01 * q
            return q - 1e-3 * step

        return value, jax.tree.map(update, p, m, v), m, v

    rng = np.random.RandomState(0)

    def normal(*shape):
        return jnp.asarray(rng.randn(*shape).astype(np.float32) * 0.02)

    def one_layer():
        return {
            "ln1": (jnp.ones(D), jnp.zeros(D)),
            "ln2": (jnp.ones(D), jnp.zeros(D)),
            **{w: normal(D, D) for w in ("wq", "wk", "wv", "wo")},
            **{b: jnp.zeros(D) for b in ("bq", "bk", "bv", "bo")},
            "w1": normal(D, F),
            "b1": jnp.zeros(F),
            "w2": normal(F, D),
            "b2": jnp.zeros(D),
        }

    params = {
        "layers": [one_layer() for _ in range(L)],
        "emb": normal(V, D),
        "pos": normal(T, D),
        "lnf": (jnp.ones(D), jnp.zeros(D)),
    }
    zeros = jax.tree.map(jnp.zeros_like, params)
    tokens = jnp.zeros((B, T), jnp.int32)
    return transformer_step, (params, zeros, zeros, jnp.float32(1), tokens, tokens)


def chain(jnp: Any, lax: Any, length: int = 20_000) -> Program:
    """Program (d)."""

    def chain(x, w):
        for i in range(length):
            k = i % 20
            if k == 19:
                x = x @ w
            elif k % 4 == 0:
                x = lax.sin(x)
            elif k % 4 == 1:
                x = lax.add(x, w)
            elif k % 4 == 2:
                x = lax.mul(x, w)
            else:
                x = lax.tanh(x)
        return x

    x = jnp.ones((16, 16), jnp.float32) * 0.1
    return chain, (x, x)
