"""Programs of random keys and numbers: traced, lowered and run; the bits are JAX's."""

from __future__ import annotations

from tests.differential.program import Program

ALL = ("jaxpr", "stablehlo", "value")
VALUE = ("value",)
REPR = ("repr",)
K = "random.key(0)"
KS = "random.split(random.key(0), 3)"
KM = "random.split(random.key(0), (2, 3))"
R = "random.PRNGKey(0)"
FLOATS = ("np.float32", "np.float16", "jnp.bfloat16")

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, *args: str, wants: tuple[str, ...] = ALL, **config: object) -> None:
    PROGRAMS.append(Program(name, fun, f"({', '.join(args)},)" if args else "()", wants, config))


# ---- keys

_add("key", "lambda s: random.key(s)", "0")
_add("PRNGKey", "lambda s: random.PRNGKey(s)", "0")
for kind in ("int8", "uint8", "int16", "int32", "uint32"):
    _add(f"PRNGKey-{kind}", "lambda s: random.PRNGKey(s)", f"np.{kind}(7)")
for kind in ("int64", "uint64"):
    _add(f"PRNGKey-{kind}", "lambda s: random.PRNGKey(s)", f"np.{kind}(7)", jax_enable_x64=True)
_add("key-constant", "lambda: random.key(7)")
_add("PRNGKey-constant", "lambda: random.PRNGKey(7)")
_add("PRNGKey-wide", "lambda: random.PRNGKey(2**40 + 3)")
_add("PRNGKey-wide-x64", "lambda: random.PRNGKey(2**40 + 3)", jax_enable_x64=True)
_add("PRNGKey-negative", "lambda: random.PRNGKey(-3)")
_add("PRNGKey-negative-x64", "lambda: random.PRNGKey(-3)", jax_enable_x64=True)
_add("key-mapped", "jax.vmap(random.key)", "np.arange(3, dtype=np.uint32)")
_add("split", "lambda k: random.split(k)", K)
_add("split-raw", "lambda k: random.split(k)", R)
_add("split-three", "lambda k: random.split(k, 3)", K)
_add("split-shape", "lambda k: random.split(k, (2, 3))", K)
_add("split-shape-3", "lambda k: random.split(k, (2, 3, 2))", K)
_add("split-none", "lambda k: random.split(k, 0)", K, wants=("jaxpr", "stablehlo"))
_add("split-mapped", "jax.vmap(random.split)", KS)
_add("split-mapped-twice", "jax.vmap(jax.vmap(random.split))", KM)
_add("split-unpacked", "lambda k: [x for x in random.split(k)]", K)
_add("fold_in", "lambda k, d: random.fold_in(k, d)", K, "3")
_add("fold_in-raw", "lambda k, d: random.fold_in(k, d)", R, "3")
_add("fold_in-constant", "lambda k: random.fold_in(k, 3)", K)
_add("fold_in-int8", "lambda k, d: random.fold_in(k, d)", K, "np.int8(-3)")
_add("fold_in-float", "lambda k: random.fold_in(k, 1.5)", K)
_add("fold_in-mapped", "jax.vmap(random.fold_in)", KS, "np.arange(3, dtype=np.uint32)")
_add("fold_in-mapped-key", "jax.vmap(random.fold_in, in_axes=(0, None))", KS, "np.uint32(3)")
_add("fold_in-mapped-data", "jax.vmap(random.fold_in, in_axes=(None, 0))", K, "np.arange(3, dtype=np.uint32)")
_add(
    "fold_in-mapped-both",
    "jax.vmap(jax.vmap(random.fold_in, in_axes=(None, 0)), in_axes=(0, None))",
    KS,
    "np.arange(4, dtype=np.uint32)",
)
_add("key_data", "lambda k: random.key_data(k)", K)
_add("key_data-raw", "lambda k: random.key_data(k)", R)
_add("wrap_key_data", "lambda k: random.wrap_key_data(k)", "np.ones((3, 2), np.uint32)")
_add("clone", "lambda k: random.clone(k)", K, wants=VALUE)
_add("captured", f"(lambda k: lambda: random.bits(k))({K})")
_add("captured-itself", f"(lambda k: lambda: k)({K})")
_add("captured-inside", f"(lambda k: lambda: jax.jit(lambda: random.bits(k))())({K})")
_add("captured-row", f"(lambda k: lambda: random.bits(k[1]))({KS})")
_add("identity", "lambda k: k", K)
_add("jit-inside", "lambda k: jax.jit(lambda q: random.split(q))(k)", K)
_add(
    "scan-carry",
    "lambda k: lax.scan(lambda c, _: (random.split(c)[0], random.bits(c)), k, None, length=3)",
    K,
)
_add("scan-rows", "lambda ks: lax.scan(lambda c, k: (c, random.bits(k)), 0, ks)[1]", KS)
_add("scan-keys", "lambda ks: lax.scan(lambda c, k: (c, random.split(k)[0]), 0, ks)[1]", KS)
_add(
    "while",
    "lambda k: lax.while_loop(lambda c: lax.lt(c[0], 3), lambda c: (lax.add(c[0], 1), random.split(c[1])[0]), (0, k))",
    K,
)
_add("cond", "lambda p, k: lax.cond(p, lambda q: q, lambda q: random.split(q)[0], k)", "True", K)
_add(
    "cond-mapped",
    "jax.vmap(lambda p, k: lax.cond(p, lambda q: q, lambda q: random.split(q)[0], k))",
    "np.array([True, False, True])",
    KS,
)
_add(
    "while-mapped",
    "jax.vmap(lambda n, k: lax.fori_loop(0, n, lambda i, c: random.split(c)[0], k))",
    "np.arange(3)",
    KS,
)
for name, use in {
    "row": "ks[1]", "rows": "ks[1:]", "last": "ks[-1]", "step": "ks[::2]", "gather": "ks[np.array([0, 2])]",
    "reshape": "ks.reshape(3, 1)", "ravel": "ks.ravel()", "new-axis": "ks[:, None]", "at": "ks.at[0].set(ks[1])",
    "copy": "ks.copy()", "stack": "jnp.stack([ks, ks])", "concatenate": "jnp.concatenate([ks, ks])",
    "broadcast": "jnp.broadcast_to(ks, (2, 3))", "where": "jnp.where(np.array([True, False, True]), ks, ks[0])",
    "equal": "(ks == ks[0], ks != ks[0])", "device_put": "jax.device_put(ks)", "rev": "lax.rev(ks, (0,))",
    "expand_dims": "lax.expand_dims(ks, (0,))", "dynamic_slice": "lax.dynamic_slice(ks, (1,), (2,))",
}.items():  # fmt: skip
    _add(f"keys-{name}", f"lambda ks: {use}", KS)
_add("keys-row-traced", "lambda ks, i: ks[i]", KS, "1")
_add("keys-transpose", "lambda ks: ks.T", KM)
_add("keys-eval_shape", "lambda ks: str(jax.eval_shape(lambda k: random.split(k), ks))", K, wants=REPR)
for name, use in {
    "repr": "ks", "str": "str(ks)", "facts": "(ks.shape, ks.dtype, ks.ndim, ks.size, ks.itemsize, ks.nbytes, ks.aval)",
    "device": "(ks.device, ks.devices(), ks.sharding, ks.committed)", "shards": "ks.addressable_shards", "len": "len(ks)",
    "list": "list(ks)", "isinstance": "isinstance(ks, jax.Array)", "type": "type(ks).__name__", "key_data": "random.key_data(ks)",
    "key_impl": "random.key_impl(ks)", "copy": "ks.copy()", "T": "ks.T", "at": "ks.at[0].set(ks[1])",
    "pickle": "__import__('pickle').loads(__import__('pickle').dumps(ks))", "deepcopy": "__import__('copy').deepcopy(ks)",
    "device_put": "jax.device_put(ks, jax.devices()[0]).committed", "device_get": "jax.device_get(ks)",
    "dtype-name": "(ks.dtype.name, str(ks.dtype), ks.dtype.itemsize, ks.dtype == random.key(1).dtype)",
    "issubdtype": "jnp.issubdtype(ks.dtype, jax.dtypes.prng_key)", "zeros": "jnp.zeros(2, dtype=ks.dtype)",
    "shape-struct": "jax.ShapeDtypeStruct((2,), ks.dtype)", "leaves": "jax.tree.leaves(ks)", "asarray": "jnp.asarray(ks)",
    "add": "ks + 1", "radd": "1 + ks", "less": "ks < ks", "negative": "-ks", "bool": "bool(ks)", "int": "int(ks)",
    "float": "float(ks)", "hash": "hash(ks)", "numpy": "np.asarray(ks)", "sum": "ks.sum()", "real": "ks.real", "item": "ks.item()",
    "astype": "ks.astype(int)", "view": "ks.view(np.uint32)", "weak_type": "ks.weak_type", "lax-add": "lax.add(ks, ks)",
    "convert": "lax.convert_element_type(ks, np.int32)", "grad": "jax.grad(lambda x: x)(ks[0])", "deleted": "(ks.is_deleted(), ks.delete(), ks.is_deleted())",
    "split-many": "random.split(ks)", "bits-many": "random.bits(ks)", "fold_in-many": "random.fold_in(ks, 1)",
}.items():  # fmt: skip
    _add(f"key-array-{name}", f"lambda ks: {use}", KS, wants=REPR)
for name, use in {
    "wrap-dtype": "random.wrap_key_data(np.zeros((2,)))",
    "wrap-scalar": "random.wrap_key_data(np.uint32(3))", "impl-unknown": "random.key(0, impl='foo')", "key-float": "random.key(1.5)",
    "key-array": "random.key(jnp.arange(2))", "key-raw": "random.PRNGKey(random.PRNGKey(0))", "key-key": "random.key(random.key(0))",
    "PRNGKey-key": "random.PRNGKey(random.key(0))", "split-number": "random.split(0)", "split-rows": "random.split(np.zeros((2, 2), np.uint32))",
    "fold_in-array": "random.fold_in(random.key(0), jnp.arange(2))", "fold_in-negative": "random.fold_in(random.key(0), -1)",
    "bits-float": "random.bits(random.key(0), dtype=np.float32)", "uniform-string": "random.uniform('a')",
    "uniform-int": "random.uniform(random.key(0), (2,), dtype=int)", "uniform-shape": "random.uniform(random.key(0), 'a')",
    "normal-int": "random.normal(random.key(0), (2,), dtype=int)", "randint-float": "random.randint(random.key(0), (2,), 0, 2, dtype=float)",
    "bernoulli-int": "random.bernoulli(random.key(0), 2)", "uniform-bounds": "random.uniform(random.key(0), (2,), minval=jnp.ones(3))",
    "iter-scalar": "iter(random.key(0))", "len-scalar": "len(random.key(0))",
}.items():  # fmt: skip
    _add(f"random-{name}", f"lambda: {use}", wants=REPR)

# ---- bits and numbers

for width in (8, 16, 32):
    for shape in ("()", "(3,)", "(3, 5)", "(2, 3, 4)", "(0,)"):
        _add(f"bits-{width}-{shape}", f"lambda k: random.bits(k, {shape}, np.uint{width})", K)
    _add(
        f"bits-{width}-older",
        f"lambda k: random.bits(k, (3, 5), np.uint{width})",
        K,
        jax_threefry_partitionable=False,
    )
_add("bits-64", "lambda k: random.bits(k, (3, 5), np.uint64)", K, jax_enable_x64=True)
_add(
    "bits-64-older",
    "lambda k: random.bits(k, (3, 5), np.uint64)",
    K,
    jax_enable_x64=True,
    jax_threefry_partitionable=False,
)
_add("bits-default", "lambda k: random.bits(k, (3,))", K)
_add("bits-default-x64", "lambda k: random.bits(k, (3,))", K, jax_enable_x64=True)
_add("bits-raw", "lambda k: random.bits(k, (3,))", R)
_add("bits-mapped", "jax.vmap(lambda k: random.bits(k, (2,)))", KS)
_add("bits-mapped-twice", "jax.vmap(jax.vmap(lambda k: random.bits(k, (2,))))", KM)
_add("bits-mapped-scalar", "jax.vmap(random.bits)", KS)
_add("split-older", "lambda k: random.split(k, 3)", K, jax_threefry_partitionable=False)
_add("split-older-mapped", "jax.vmap(lambda k: random.split(k, 3))", KS, jax_threefry_partitionable=False)
for kind in FLOATS:
    for shape in ("()", "(3,)", "(2, 3)"):
        _add(f"uniform-{kind}-{shape}", f"lambda k: random.uniform(k, {shape}, {kind})", K)
        _add(f"normal-{kind}-{shape}", f"lambda k: random.normal(k, {shape}, {kind})", K)
_add("uniform-float64", "lambda k: random.uniform(k, (3,))", K, jax_enable_x64=True)
_add("normal-float64", "lambda k: random.normal(k, (3,))", K, jax_enable_x64=True)
_add("uniform-raw", "lambda k: random.uniform(k, (3,))", R)
_add("uniform-int-shape", "lambda k: random.uniform(k, 3)", K)
_add("uniform-bounds", "lambda k: random.uniform(k, (3,), minval=-1, maxval=2.)", K)
_add(
    "uniform-array-bounds",
    "lambda k, a: random.uniform(k, (3, 2), minval=a, maxval=a + 1)",
    K,
    "np.arange(2, dtype=np.float32)",
)
_add("uniform-mapped", "jax.vmap(lambda k: random.uniform(k, (2,)))", KS)
_add("uniform-grad", "jax.grad(lambda a, k: random.uniform(k, (3,), minval=a).sum())", "0.5", K)
_add("uniform-constant-key", "lambda: random.uniform(random.key(3), (3,))")
_add("normal-raw", "lambda k: random.normal(k, (3,))", R)
_add("normal-complex", "lambda k: random.normal(k, (3,), np.complex64)", K)
_add("normal-mapped", "jax.vmap(lambda k: random.normal(k, (2,)))", KS)
_add("normal-grad", "jax.grad(lambda x, k: (x * random.normal(k, (3,))).sum())", "2.", K)
_add("bernoulli", "lambda k: random.bernoulli(k, 0.5, (3,))", K)
_add("bernoulli-default", "lambda k: random.bernoulli(k)", K)
_add("bernoulli-array", "lambda k, p: random.bernoulli(k, p)", K, "np.array([0.1, 0.9], np.float32)")
_add(
    "bernoulli-array-shape",
    "lambda k, p: random.bernoulli(k, p, (3, 2))",
    K,
    "np.array([0.1, 0.9], np.float32)",
)
_add("randint", "lambda k: random.randint(k, (3,), 0, 10)", K)
_add("randint-negative", "lambda k: random.randint(k, (3,), -5, 5)", K)
_add("randint-full", "lambda k: random.randint(k, (3,), -2**31, 2**31 - 1)", K)
_add("randint-empty-range", "lambda k: random.randint(k, (3,), 5, 5)", K)
_add(
    "randint-arrays",
    "lambda k, a, b: random.randint(k, (2,), a, b)",
    K,
    "np.array([0, 5])",
    "np.array([3, 50])",
)
for kind in ("int8", "uint8", "int16", "uint16", "uint32"):
    _add(f"randint-{kind}", f"lambda k: random.randint(k, (3,), 0, 100, np.{kind})", K)
_add("randint-int64", "lambda k: random.randint(k, (3,), 0, 2**40)", K, jax_enable_x64=True)
_add("randint-out-of-range", "lambda k: random.randint(k, (3,), 0, 300, np.uint8)", K)
_add("randint-mapped", "jax.vmap(lambda k: random.randint(k, (2,), 0, 10))", KS)
