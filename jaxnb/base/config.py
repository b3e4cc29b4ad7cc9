"""The settings, each under JAX's own name and environment variable (`jax_enable_x64`, `JAX_ENABLE_X64`).

Lives here: the list of settings and the registry `config` that users see as `jaxnb.config`. Must not live
here: code that acts on a setting. Inside the package a setting is read as `config.enable_x64.value`, where
`config` is this module or the registry: both have every setting as an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxnb.base.setting import Config, Setting


class _Settings(Config):
    """The registry, with the two verbs by which JAX's users chose how to trace."""

    def disable_omnistaging(self) -> None:
        """Stages only what depends on a traced function's arguments, and executes the rest while tracing."""
        self.update("jax_omnistaging", False)

    def enable_omnistaging(self) -> None:
        """Stages every operation of a traced function."""
        self.update("jax_omnistaging", True)


config = _Settings()
"""All settings: `config.update("jax_enable_x64", True)`, `config.jax_enable_x64`, `config.values`."""


def _key(name: str, default: Any, doc: str, **options: Any) -> Setting:
    """A setting that changes what a trace gives: part of the jit key and of the trace context."""
    return config.declare(Setting(name, default, doc, in_jit_key=True, in_trace_context=True, **options))


def _plain(name: str, default: Any, doc: str, **options: Any) -> Setting:
    """A setting that changes no trace."""
    return config.declare(Setting(name, default, doc, **options))


class _DeviceSetting(Setting):
    """The default device: one of jaxlib's, or a platform's name."""

    __slots__ = ()

    def check(self, value: Any) -> Any:
        if value is None or value in ("cpu", "gpu", "tpu") or hasattr(value, "client"):
            return value
        raise ValueError(
            "jax.default_device must be passed either a Device object (e.g. `jax.devices('cpu')[0]`) or a platform name "
            f"string like 'cpu' or 'gpu', got: {value!r}"
        )


# ---- what a trace gives

enable_x64 = _key("jax_enable_x64", False, "Keep 64-bit types instead of narrowing them to 32 bits.")
disable_jit = _key("jax_disable_jit", False, "Run jitted functions operation by operation.")
omnistaging = _key(
    "jax_omnistaging",
    True,
    "Stage every operation of a traced function, not only those that depend on its arguments.",
)
numpy_dtype_promotion = _key(
    "jax_numpy_dtype_promotion", "standard", "Which implicit promotions between element types are allowed.",
    choices=("standard", "strict"),
)  # fmt: skip
numpy_rank_promotion = _key(
    "jax_numpy_rank_promotion",
    "allow",
    "What an implicit rank promotion does.",
    choices=("allow", "warn", "raise"),
)
explicit_x64_dtypes = _key(
    "jax_explicit_x64_dtypes", "warn", "What an explicitly requested 64-bit type does while x64 is off.",
    choices=("warn", "error", "allow"),
)  # fmt: skip
default_matmul_precision = _key(
    "jax_default_matmul_precision", None, "Precision of matrix products and convolutions that name none.",
    optional=True, type=str,
    choices=(
        "default", "high", "highest", "bfloat16", "tensorfloat32", "float32", "ANY_F8_ANY_F8_F32",
        "ANY_F8_ANY_F8_F32_FAST_ACCUM", "ANY_F8_ANY_F8_ANY", "ANY_F8_ANY_F8_ANY_FAST_ACCUM", "F16_F16_F16",
        "F16_F16_F32", "BF16_BF16_BF16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6",
        "BF16_BF16_F32_X9", "TF32_TF32_F32", "TF32_TF32_F32_X3", "F32_F32_F32", "F64_F64_F64",
    ),
)  # fmt: skip
default_device = config.declare(
    _DeviceSetting(
        "jax_default_device",
        None,
        "Device of computations whose arguments name none.",
        optional=True,
        type=object,
        in_jit_key=True,
        in_trace_context=True,
    )
)
allow_f16_reductions = _key(
    "jax_allow_f16_reductions", True, "Let reductions of 16-bit floats accumulate in 16 bits."
)
softmax_custom_jvp = _key("jax_softmax_custom_jvp", False, "Give softmax its own derivative rule.")

# ---- closed-over constants

use_simplified_jaxpr_constants = _key(
    "jax_use_simplified_jaxpr_constants",
    True,
    "Closed-over arrays are literals of the jaxpr and arguments of the compiled program.",
)
embedded_constants_max_bytes = _key(
    "jax_embedded_constants_max_bytes",
    32,
    "Closed-over arrays up to this size are written into the program [bytes].",
)
captured_constants_warn_bytes = _plain(
    "jax_captured_constants_warn_bytes",
    2_000_000_000,
    "Warn when the constants of one program exceed this size [bytes]; -1 never warns.",
)
captured_constants_report_frames = _plain(
    "jax_captured_constants_report_frames",
    0,
    "Stack frames shown for each constant in that warning; -1 shows all.",
)

# ---- random keys

default_prng_impl = _plain(
    "jax_default_prng_impl", "threefry2x32", "Generator of new random keys.",
    choices=("threefry2x32", "rbg", "unsafe_rbg"),
)  # fmt: skip
enable_custom_prng = _plain("jax_enable_custom_prng", False, "`PRNGKey` makes typed keys.")
threefry_partitionable = _key(
    "jax_threefry_partitionable", True, "Generate random bits so that every shard can make its own."
)
random_seed_offset = _key("jax_random_seed_offset", 0, "Added to every seed.")
debug_key_reuse = _key("jax_debug_key_reuse", False, "Raise when a random key is used twice.")
high_dynamic_range_gumbel = _key(
    "jax_high_dynamic_range_gumbel", False, "Draw Gumbel samples over a wider range."
)
legacy_prng_key = _plain(
    "jax_legacy_prng_key", "allow", "What a raw uint32 key does.", choices=("allow", "warn", "error")
)

# ---- checks and debugging

enable_checks = _plain("jax_enable_checks", False, "Check the engine's own invariants while it runs.")
check_tracer_leaks = _plain("jax_check_tracer_leaks", False, "Raise when a tracer outlives its trace.")
check_static_indices = _key(
    "jax_check_static_indices", False, "Check static indices against the shape while tracing."
)
debug_nans = _plain("jax_debug_nans", False, "Raise at the operation that makes a NaN.")
debug_infs = _plain("jax_debug_infs", False, "Raise at the operation that makes an infinity.")
log_compiles = _plain("jax_log_compiles", False, "Log every trace and compile.")
explain_cache_misses = _plain("jax_explain_cache_misses", False, "Log why a cached program did not fit.")
no_tracing = _plain("jax_no_tracing", False, "Raise when a function is traced for jit.")
no_execution = _key("jax_no_execution", False, "Raise when a program is executed.")
traceback_filtering = _plain(
    "jax_traceback_filtering", "auto", "How engine frames are kept out of tracebacks.",
    choices=("off", "tracebackhide", "remove_frames", "quiet_remove_frames", "auto"),
)  # fmt: skip
tracer_error_num_traceback_frames = _plain(
    "jax_tracer_error_num_traceback_frames", 5, "Stack frames shown in an UnexpectedTracerError."
)
include_full_tracebacks_in_locations = _plain(
    "jax_include_full_tracebacks_in_locations",
    True,
    "Lowered programs carry whole stacks, not only the user's line.",
)
traceback_in_locations_limit = _plain(
    "jax_traceback_in_locations_limit", 100, "Stack frames in a location; -1 keeps all."
)
pprint_use_color = _plain(
    "jax_pprint_use_color", True, "Colour printed jaxprs on a terminal that can show it."
)
logging_level = _plain(
    "jax_logging_level", "NOTSET", "Level of the package's loggers.",
    choices=("NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
)  # fmt: skip

# ---- compilation and devices

enable_compilation_cache = _plain(
    "jax_enable_compilation_cache", True, "Use the cache on disk when it has a directory."
)
compilation_cache_dir = _plain(
    "jax_compilation_cache_dir", None, "Directory of the cache on disk.", optional=True, type=str
)
persistent_cache_min_compile_time_secs = _plain(
    "jax_persistent_cache_min_compile_time_secs",
    1.0,
    "Programs that compile faster stay out of that cache [s].",
)
persistent_cache_min_entry_size_bytes = _plain(
    "jax_persistent_cache_min_entry_size_bytes", 0, "Smaller programs stay out of that cache [bytes]."
)
raise_persistent_cache_errors = _plain(
    "jax_raise_persistent_cache_errors", False, "Errors of that cache are raised, not warned of."
)
compilation_cache_include_metadata_in_key = _plain(
    "jax_compilation_cache_include_metadata_in_key",
    False,
    "Source positions are part of that cache's keys.",
)
compilation_cache_max_size = _plain(
    "jax_compilation_cache_max_size",
    -1,
    "How large that cache may grow [bytes]; -1 for no limit, 0 to switch it off.",
)
disable_most_optimizations = _plain("jax_disable_most_optimizations", False, "Compile fast rather than well.")
use_shardy_partitioner = _key("jax_use_shardy_partitioner", True, "Partition with Shardy.")
platforms = _plain(
    "jax_platforms", None, "Platforms to start, in order of preference.", optional=True, type=str
)
num_cpu_devices = _plain(
    "jax_num_cpu_devices", -1, "How many devices the CPU platform shows; -1 leaves it at one."
)
cpu_enable_async_dispatch = _plain("jax_cpu_enable_async_dispatch", True, "CPU programs run beside Python.")
use_direct_linearize = _key(
    "jax_use_direct_linearize", True, "Linearise by a rule of its own, not through jvp."
)

# ---- part of JAX's key, accepted so that a JAX program can set them, and keyed as there; no part of this
# engine reads them, because what they steer (Pallas, GPU lowerings, JAX's own migrations) is not in it.

_UNREAD = "Accepted and part of the key, as in JAX; steers nothing here."
for _name, _default in (
    ("jax_scan3", False),
    ("jax_remat3", False),
    ("jax_custom_vjp3", False),
    ("jax_threefry_gpu_kernel_lowering", False),
    ("jax_remove_size_one_mesh_axis_from_type", False),
    ("check_vma", False),
    ("jax_enable_pgle", False),
    ("jax_pgle_profiling_runs", 3),
    ("jax_auto_pcast", True),
    ("jax_use_emit_pipeline_primitive", False),
    ("eager_constant_folding", False),
    ("jax_mutable_array_checks", True),
    ("jax_xla_profile_version", 0),
    ("jax_ragged_dot_use_gpu_pallas_triton_lowering", False),
    ("jax_pallas_enable_debug_checks", False),
    ("jax_pallas_use_mosaic_gpu", True),
):
    _key(_name, _default, _UNREAD)
_key("jax_hlo_source_file_canonicalization_regex", None, _UNREAD, optional=True, type=str)
for _suffix in ("nan", "divide", "oob"):
    _key(f"jax_error_checking_behavior_{_suffix}", "ignore", _UNREAD, choices=("ignore", "raise"))


def settings() -> Iterator[Setting]:
    """Every setting, in the order of this file; `jaxnb.xla.state` binds them in that order."""
    return iter(config)


def update(name: str, value: Any) -> None:
    """Replaces the process-wide value of the setting with this full name."""
    config.update(name, value)
