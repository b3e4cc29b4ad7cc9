"""What `jaxnb` shows: for each public name, the module it comes from.

Lives here: two tables, read by `jaxnb/__init__.py` when a name is first used, and by a test that compares them
with reality. Must not live here: imports.
"""

from __future__ import annotations

MODULES = (
    "core",
    "custom_derivatives",
    "debug",
    "dtypes",
    "errors",
    "experimental",
    "export",
    "interpreters",
    "lax",
    "monitoring",
    "nn",
    "numpy",
    "random",
    "sharding",
    "stages",
    "tree",
    "tree_util",
)
"""Public modules: `import jaxnb` makes them reachable without importing them."""

_BY_MODULE = {
    "jaxnb.base.config": (
        "config", "check_tracer_leaks", "debug_infs", "debug_key_reuse", "debug_nans", "default_device",
        "default_matmul_precision", "default_prng_impl", "enable_checks", "enable_custom_prng", "enable_x64",
        "explain_cache_misses", "legacy_prng_key", "log_compiles", "no_execution", "no_tracing",
        "numpy_dtype_promotion", "numpy_rank_promotion", "omnistaging", "softmax_custom_jvp",
        "threefry_partitionable",
    ),
    "jaxnb.engine.api.effects": ("effects_barrier",),
    "jaxnb.engine.api.grad": ("grad", "jvp", "linear_transpose", "linearize", "value_and_grad", "vjp"),
    "jaxnb.engine.api.jacobian": ("hessian", "jacfwd", "jacobian", "jacrev"),
    "jaxnb.engine.api.jit": ("jit",),
    "jaxnb.engine.api.modes": ("checking_leaks", "clear_caches", "disable_jit", "ensure_compile_time_eval"),
    "jaxnb.engine.api.names": ("named_call", "named_scope"),
    "jaxnb.engine.api.tracing": ("eval_shape", "make_jaxpr"),
    "jaxnb.engine.api.transfer": (
        "block_until_ready", "copy_to_host_async", "default_backend", "device_count", "device_get", "device_put",
        "devices", "host_count", "host_id", "host_ids", "live_arrays", "local_device_count", "local_devices",
        "process_count", "process_index", "process_indices",
    ),
    "jaxnb.engine.api.vmap": ("vmap",),
    "jaxnb.engine.control.callbacks": ("pure_callback",),
    "jaxnb.engine.control.custom_rules": ("custom_gradient", "custom_jvp", "custom_vjp"),
    "jaxnb.engine.core.avals": ("typeof",),
    "jaxnb.engine.runtime.arrays": ("Array",),
    "jaxnb.engine.runtime.meshes": ("P", "make_mesh"),
    "jaxnb.engine.runtime.named_shardings": ("NamedSharding",),
    "jaxnb.explorer.exploration": ("Exploration",),
    "jaxnb.explorer.explore": ("explore",),
    "jaxnb.xla.client": ("Device",),
    "jaxnb.engine.runtime.shapes": ("ShapeDtypeStruct",),
}  # fmt: skip

NAMES = {name: module for module, names in _BY_MODULE.items() for name in names}
"""The module that holds each public name."""

PUBLIC = (*sorted(NAMES), *sorted(MODULES))
"""All public names of `jaxnb`."""
