"""Where the operations of a module say that they come from: scopes, primitives and lines, and what XLA makes of them.

Lines are compared where no program that JAX keeps has those of whoever asked for it first, as the programs inside its loops and
random functions have: the oracle has run other programs before.
"""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

WANTS = ("locations", "hlo", "compiled")
SHORT = {"jax_include_full_tracebacks_in_locations": False}
NO_LINES = {"jax_traceback_in_locations_limit": 0}

WITH_LINES = """
# operations, constants, arguments
lambda x: x * 2.0 + 1.0 @ (np.ones(17, np.float32),)
lambda x, y: (x, 1.0, y) @ (np.ones(17, np.float32), 3)
lambda x: x + np.arange(17, dtype=np.float32) * np.float32(3) @ (np.ones(17, np.float32),)
lambda d: {"r": d["a"] + d["b"][0], "s": -d["b"][1][0]} @ ({"a": np.ones(17, np.float32), "b": [np.ones(17, np.float32), (np.int32(3),)]},)
lambda x: [lax.integer_pow(x, y) for y in (-3, -2, -1, 0, 1, 2, 3, 4, 6, 7)] @ (np.ones(17, np.float32),)
lambda x: [lax.integer_pow(x, y) for y in (-2, -1, 0, 1, 2, 5)] @ (np.float32(2),)
# functions that are called
lambda x: jnp.clip(x, 0.0, 1.0) @ (np.ones(17, np.float32),)
lambda x: jax.jit(lambda y: jax.jit(lambda z: lax.sin(z))(y) + jax.jit(lambda z: lax.sin(z))(y + 1))(x) @ (np.ones(17, np.float32),)
lambda x: (lambda f: f(x) + f(x + 1))(jax.jit(lambda y: lax.cos(y) * 2)) @ (np.ones(17, np.float32),)
lambda x: (lambda y: jax.jit(lambda z: z + y)(y))(x) @ (np.ones(17, np.float32),)
lambda x: jax.jit(lambda z: lax.sin(z), inline=True)(x) @ (np.ones(17, np.float32),)
lambda x: jnp.where(x > 3, jnp.mean(x, axis=0), jnp.var(x)) + jnp.std(x) @ (np.ones((17, 19), np.float32),)
lambda x: jax.jit(lambda z: z + jnp.sum(np.arange(40.)))(x) @ (np.ones(17, np.float32),)
# scopes
lambda x: jax.named_scope("a")(lambda y: jax.named_scope("b")(lambda z: lax.sin(z) * 2)(lax.cos(y)))(x) @ (np.ones(17, np.float32),)
lambda x: jax.named_call(lambda y: lax.cos(y) + 1, name="mine")(x) @ (np.ones(17, np.float32),)
lambda x: jax.grad(jax.named_scope("loss")(lambda y: jnp.sum(jnp.tanh(y) ** 2)))(x) @ (np.ones(17, np.float32),)
# transformations
lambda x: jax.grad(lambda y: jnp.sum(jnp.tanh(y) ** 2))(x) @ (np.ones(17, np.float32),)
lambda x: jax.jvp(jax.jit(lambda y: jnp.sin(y) * 2), (x,), (x,)) @ (np.ones(17, np.float32),)
lambda x: jax.grad(jax.jit(lambda z: jnp.sum(jnp.sin(z))))(x) @ (np.ones(17, np.float32),)
lambda x: jax.vmap(lambda r: jnp.dot(r, r) + lax.sin(r[0]))(x) @ (np.ones((17, 19), np.float32),)
lambda x: jax.vmap(jax.jit(lambda r: r * 2), out_axes=1)(x) @ (np.ones((17, 19), np.float32),)
lambda x: jax.vmap(jax.grad(lambda r: jnp.sum(nn.sigmoid(r))))(x) @ (np.ones((17, 19), np.float32),)
lambda w, x: jax.value_and_grad(lambda w: jnp.sum(nn.softmax(w @ x)))(w) @ (np.ones((17, 19), np.float32), np.ones(19, np.float32))
# control flow
lambda x: lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 1, s[1] * 2), (0, x)) @ (np.ones(17, np.float32),)
lambda x: lax.while_loop(lambda c: jnp.any(c < 9), lambda c: jnp.where(c > 2, c + 1, c + 2), x) @ (np.ones(17, np.float32),)
lambda x: lax.while_loop(lambda c: c[0] < 9, lambda c: lax.while_loop(lambda d: d[1] < 3, lambda d: d + 1, c), x) @ (np.ones(17, np.float32),)
lambda x, p: lax.cond(p, lambda y: y + 1, lambda y: jnp.sin(y), x) @ (np.ones(17, np.float32), True)
lambda x, i: lax.switch(i, [lambda y: y + 1, jnp.sin, lambda y: jax.jit(lambda z: z * 2)(y)], x) @ (np.ones(17, np.float32), 1)
lambda x: jax.vmap(lambda r: lax.cond(r[0] > 1, jnp.sin, jnp.cos, r))(x) @ (np.ones((17, 19), np.float32),)
lambda x: jax.vmap(lambda r: lax.while_loop(lambda s: s[0] < 3, lambda s: s + 1, r))(x) @ (np.ones((17, 19), np.float32),)
# functions with their own derivatives
lambda x: (lambda f: (f.defjvps(lambda t, ans, x: lax.neg(t)), jax.grad(lambda y: f(y).sum())(x)))(jax.custom_jvp(lambda y: lax.exp(y)))[1] @ (np.ones(17, np.float32),)
lambda x: (lambda f: (f.defvjp(lambda y: (lax.exp(y), y), lambda r, g: (g * r,)), (f(x), jax.grad(lambda y: f(y).sum())(x))))(jax.custom_vjp(lambda y: lax.exp(y)))[1] @ (np.ones(17, np.float32),)
# rules that are programs
lambda x, i: lax.sort((i, i), num_keys=2) @ (np.ones(17, np.float32), np.arange(19, dtype=np.int32))
lambda x: lax.sort(x + 1j * x) @ (np.ones((17, 19), np.float32),)
lambda x: (lax.argmax(x, 0, np.int32), lax.argmin(x, 0, np.int32)) @ (np.ones((17, 19), np.float32),)
lambda x: (lax.cumsum(x), lax.cummax(x), lax.cummin(x, reverse=True), lax.cumlogsumexp(x, 1)) @ (np.ones((17, 19), np.float32),)
lambda x: (jnp.max(x), jnp.any(x > 2), jnp.argmax(x, 1)) @ (np.ones((17, 19), np.float32),)
lambda x, i: x.at[i].get(mode="fill", fill_value=0) @ (np.ones((17, 19), np.float32), np.arange(4, dtype=np.int32))
lambda x: (lax.reduce_window(x, 0., lax.add, (2, 2), (1, 1), "SAME"), lax.reduce(x, np.float32(0), lax.max, (0,))) @ (np.ones((17, 19), np.float32),)
lambda x: (lax.tan(x), lax.cbrt(x), lax.erf_inv(x), lax.logistic(x), lax.clamp(0., x, 1.), lax.asinh(x)) @ (np.ones(17, np.float32),)
# effects
lambda x: jax.debug.print("x {}", x) @ (np.ones(17, np.float32),)
"""

WITHOUT_LINES = """
# loops over rows
lambda x: lax.scan(lambda c, a: (c * a + 1.0, jnp.sin(c)), 1.0, x) @ (np.ones(23, np.float32),)
lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x, unroll=2) @ (np.ones((23, 19), np.float32),)
lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x, reverse=True) @ (np.ones((23, 19), np.float32),)
lambda x: lax.scan(lambda c, r: lax.scan(lambda d, a: (jnp.sin(d) + a, d), c, r), 0., x) @ (np.ones((23, 19), np.float32),)
lambda x: lax.fori_loop(0, 5, lambda i, v: v + i * jnp.cos(v), x) @ (np.ones(23, np.float32),)
lambda x: (lax.associative_scan(jnp.add, x), lax.map(lambda r: r * 2, x)) @ (np.ones((23, 19), np.float32),)
lambda x: jax.vmap(lambda r: lax.scan(lambda c, a: (c + a, c), 0.0, r))(x) @ (np.ones((23, 19), np.float32),)
# random numbers
lambda seed: random.normal(random.split(random.key(seed))[0], (23,)) @ (0,)
lambda seed: random.permutation(random.key(seed), 23) @ (0,)
lambda seed: (random.bernoulli(random.PRNGKey(seed), 0.5, (23,)), random.fold_in(random.PRNGKey(seed), 3)) @ (0,)
# functions of jax.numpy
lambda x: (jnp.sort(x), jnp.argsort(x, axis=0), jnp.median(x)) @ (np.ones((23, 19), np.float32),)
lambda x, i: (x[i], x.at[i].add(1.0), x[::2], jnp.take(x, i), x[i[0]]) @ (np.ones(23, np.float32), np.arange(4, dtype=np.int32))
lambda x: (jnp.concatenate([x, x]), jnp.stack([x, x], 1), jnp.pad(x, 1), jnp.tile(x, 2), jnp.roll(x, 1)) @ (np.ones((23, 19), np.float32),)
lambda i: (jnp.nonzero(i, size=2), jnp.unique(i, size=3)) @ (np.arange(23, dtype=np.int32),)
"""

PROGRAMS = [
    *parse_programs(WITH_LINES, wants=WANTS),
    *parse_programs(WITHOUT_LINES, wants=WANTS, config=NO_LINES),
    Program(
        "one line alone", "lambda x: lax.sin(x) * 2", "(np.ones(29, np.float32),)", ("locations",), SHORT
    ),
    Program(
        "one line alone, in a loop",
        "lambda x: lax.while_loop(lambda s: s[0] < 9, lambda s: jnp.tanh(s), x)",
        "(np.ones(29, np.float32),)",
        ("locations",),
        SHORT,
    ),
    Program(
        "a product in a derivative of one's own",
        "lambda x: (lambda f: (f.defjvps(lambda t, ans, x: t * ans), jax.grad(lambda y: f(y).sum())(x)))(jax.custom_jvp(lambda y: lax.exp(y)))[1]",
        "(np.ones(29, np.float32),)",
        ("locations",),
        NO_LINES,
    ),
    Program(
        "keys that are mapped",
        "lambda i: jax.vmap(lambda j: random.fold_in(random.key(0), j))(i)",
        "(np.arange(29),)",
        ("locations",),
        NO_LINES,
    ),
    Program(
        "constants the older way",
        "lambda x: x + np.arange(29.) * jax.jit(lambda z: z + np.arange(29.))(x)",
        "(np.ones(29, np.float32),)",
        ("locations",),
        {"jax_use_simplified_jaxpr_constants": False},
    ),
]
