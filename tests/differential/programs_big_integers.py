"""Python integers that are too large for an array's dtype: where they wrap, and where an error is raised."""

from __future__ import annotations

from tests.differential.scripts import scripts

CALLS = r"""
def calls(v):
    return dict(
        full=lambda: jnp.full((2,), v), array=lambda: jnp.array(v), asarray=lambda: jnp.asarray(v), alist=lambda: jnp.array([v, 1]), lfull=lambda: lax.full((2,), v),
        fl=lambda: jnp.full_like(np.ones(2, np.int32), v), fl8=lambda: jnp.full_like(np.ones(2, np.int8), v), fll=lambda: lax.full_like(np.ones(2, np.int8), v),
        flf=lambda: lax.full_like(np.ones(2, np.float32), v), addi=lambda: jnp.ones(2, np.int32) + v, addi8=lambda: jnp.ones(2, np.int8) + v, addu8=lambda: jnp.ones(2, np.uint8) + v,
        addf=lambda: jnp.ones(2, np.float32) + v, radd=lambda: v - jnp.ones(2, np.int32), cmp=lambda: jnp.ones(2, np.int32) < v, eq=lambda: jnp.ones(2, np.int8) == v,
        addb=lambda: jnp.ones(2, bool) + v, addu32=lambda: jnp.ones(2, np.uint32) + v, ladd=lambda: lax.add(np.int32(1), v), ladd2=lambda: lax.add(1, v), ladd3=lambda: lax.add(1.0, v),
        jit=lambda: jax.jit(lambda x: x)(v), jitc=lambda: jax.jit(lambda: jnp.int32(1) + v)(), jitj=lambda: jax.jit(lambda x: x + v)(np.int32(1)), jitf=lambda: jax.jit(lambda x: x + v)(np.float32(1)),
        conv=lambda: lax.convert_element_type(v, "int8"), convf=lambda: lax.convert_element_type(v, "float32"), where=lambda: jnp.where(True, v, 1), st=lambda: jnp.ones(2, np.int32).at[0].set(v),
        sta=lambda: jnp.ones(2, np.int8).at[0].add(v), clip=lambda: jnp.clip(jnp.ones(2, np.int32), 0, v), arange=lambda: jnp.arange(v, v + 2), arange1=lambda: jnp.arange(v - 2, v, dtype="float32"),
        aranges=lambda: jnp.arange(0, v, v // 2 if v > 1 else 1) if abs(v) > 300 else 0, int32=lambda: jnp.int32(v), int8=lambda: jnp.int8(v), uint8=lambda: jnp.uint8(v), uint32=lambda: jnp.uint32(v),
        int64=lambda: jnp.int64(v), f32=lambda: jnp.float32(v), bo=lambda: jnp.bool_(v), iota=lambda: lax.add(lax.iota("int32", 2), v), put=lambda: jax.device_put(v), mul=lambda: jnp.multiply(v, 2),
        max=lambda: jnp.maximum(jnp.ones(2, np.int32), v), mj=lambda: str(jax.make_jaxpr(lambda x: x + v)(np.int32(1))), mj2=lambda: str(jax.make_jaxpr(lambda x: x)(v)), key=lambda: jax.random.key(v),
        cond=lambda: lax.cond(True, lambda x: x, lambda x: x, v), scan=lambda: lax.fori_loop(0, 2, lambda i, c: c, v), clamp=lambda: lax.clamp(0, np.int32(1), v),
        pad=lambda: lax.pad(np.ones(2, np.int32), v, [(1, 1, 0)]), pow=lambda: jnp.int32(1) ** v, sh=lambda: jnp.int32(1) << v, idx=lambda: jnp.arange(3)[v], gi=lambda: jnp.take(jnp.arange(3), v),
        eqs=lambda: jnp.array_equal(v, v), astype=lambda: jnp.asarray(v, "float32"), typ=lambda: jax.typeof(v), ev=lambda: jax.eval_shape(lambda x: x, v),
        vm=lambda: jax.vmap(lambda x, y: x + y, in_axes=(0, None))(np.ones(2, np.int32), v), jdsl=lambda: jax.jit(lambda x: lax.dynamic_slice(x, (v,), (2,)))(np.arange(4)),
        dus=lambda: lax.dynamic_update_slice(np.arange(4), np.arange(2), (v,)), dsl=lambda: lax.dynamic_slice(np.arange(4), (v,), (2,)),
        **{f"array {d}": (lambda d: lambda: jnp.array(v, d))(d) for d in ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "bool", "int16", "bfloat16", "complex64")},
        **{f"full {d}": (lambda d: lambda: jnp.full(2, v, d))(d) for d in ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "bool", "int4")},
        **{f"lfull {d}": (lambda d: lambda: lax.full((2,), v, d))(d) for d in ("int8", "uint8", "int32", "uint32", "int64", "float32")},
        **{f"list {d}": (lambda d: lambda: jnp.asarray([v, 1], d))(d) for d in ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float32")},
        **{f"jfull {d}": (lambda d: lambda: jax.jit(lambda: lax.full((2,), v, d))())(d) for d in ("int8", "int32", "uint32", "float32")},
        **{f"jarray {d}": (lambda d: lambda: jax.jit(lambda: jnp.array(v, d))())(d) for d in ("int8", "int32", "uint32", "float32")},
        **{f"arange {d}": (lambda d: lambda: jnp.arange(v, v + 2, dtype=d))(d) for d in ("int8", "int32", "uint32", "float32")},
    )
def tell(values):
    for v in values:
        for n, f in calls(v).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try: r = f"{f()!r}"
                except Exception as e: r = f"{type(e).__name__}: {e}"
            show(f"{v} {n}: {r}")
"""

NARROW = f"""
# B1 numbers of 32 bits
{CALLS}
tell((2**31 - 1, 2**31, -2**31 - 1, 2**32))
# B1 numbers of 64 bits
{CALLS}
tell((2**63, 10**30, 256, -129))
"""

WIDE = f"""
# B2 numbers of 32 bits with x64
{CALLS}
tell((2**31, -2**31 - 1, 2**32 - 1))
# B2 numbers of 64 bits with x64
{CALLS}
tell((2**63 - 1, 2**63, -2**63 - 1, 10**30))
"""

PROGRAMS = scripts(NARROW) + scripts(WIDE, jax_enable_x64=True)
