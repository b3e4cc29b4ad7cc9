"""Programs that leave the process: a StableHLO artifact that later versions read, and the call of one.

Lives here: ``export``, ``Exported`` and its written form. The call's primitive is in ``control/exported_call.py``, the
written form of structures in ``export_trees.py``.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.api.export_trees import tree_from_data, tree_to_data
from jaxnb.engine.api.grad import vjp
from jaxnb.engine.api.jit import info_of, jit
from jaxnb.engine.control.custom_rules import custom_vjp
from jaxnb.engine.control.exported_call import call_exported_p
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.core.tree_differences import structure_differences
from jaxnb.engine.ops.key_types import KeyType
from jaxnb.engine.runtime.executable import lower_jaxpr
from jaxnb.engine.runtime.shapes import ShapeDtypeStruct
from jaxnb.engine.runtime.traces import trace_call
from jaxnb.xla import pytree
from jaxnb.xla.client import default_backend
from jaxnb.xla.mlir import (
    deserialize_portable_artifact,
    ir,
    lowering_context,
    module_text,
    serialize_portable_artifact,
    stablehlo_version_for,
)

__all__ = [
    "DisabledSafetyCheck",
    "Exported",
    "default_export_platform",
    "deserialize",
    "export",
    "maximum_supported_calling_convention_version",
    "minimum_supported_calling_convention_version",
]

minimum_supported_calling_convention_version = 9
maximum_supported_calling_convention_version = 10

_MAGIC = b"jaxnb exported program\n"
_FORMAT = 1

_STABLE_TARGETS = frozenset({"Sharding", "shape_assertion", "annotate_device_placement"})
"""Custom calls, LAPACK's aside, that later versions still know."""


class DisabledSafetyCheck:
    """A check that ``export`` is told to leave out."""

    __slots__ = ("_impl",)

    def __init__(self, _impl: str):
        self._impl = _impl

    @classmethod
    def platform(cls) -> DisabledSafetyCheck:
        """Lets a program be called on a platform that it was not exported for."""
        return cls("platform")

    @classmethod
    def custom_call(cls, target_name: str) -> DisabledSafetyCheck:
        """Lets a program have a custom call that later versions may not know."""
        return cls(f"custom_call:{target_name}")

    def __repr__(self) -> str:
        return self._impl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisabledSafetyCheck) and self._impl == other._impl

    def __hash__(self) -> int:
        return hash(self._impl)


@dataclasses.dataclass(frozen=True, eq=False)
class Exported:
    """A program that can be written to a file and called, here or elsewhere.

    Attributes:
        fun_name: the function's name.
        in_tree: the structure of its arguments, ``(positional, keyword)``.
        in_avals: the types of their leaves.
        out_tree: the structure of the results.
        out_avals: the types of their leaves.
        in_shardings_hlo: always None for each argument: a program runs on one device.
        out_shardings_hlo: the same for the results.
        nr_devices: 1.
        platforms: the platforms it can run on.
        ordered_effects: none.
        unordered_effects: none.
        disabled_safety_checks: the checks that were left out.
        mlir_module_serialized: the module as a portable artifact.
        calling_convention_version: how the module is called.
        module_kept_var_idx: which arguments the module has as parameters.
        uses_global_constants: whether the module is told something before its arguments.
    """

    fun_name: str
    in_tree: pytree.PyTreeDef
    in_avals: tuple[Any, ...]
    out_tree: pytree.PyTreeDef
    out_avals: tuple[Any, ...]
    in_shardings_hlo: tuple[None, ...]
    out_shardings_hlo: tuple[None, ...]
    nr_devices: int
    platforms: tuple[str, ...]
    ordered_effects: tuple[Any, ...]
    unordered_effects: tuple[Any, ...]
    disabled_safety_checks: tuple[DisabledSafetyCheck, ...]
    mlir_module_serialized: bytes
    calling_convention_version: int
    module_kept_var_idx: tuple[int, ...]
    uses_global_constants: bool
    _get_vjp: Callable[[Exported], Exported] | None

    def __str__(self) -> str:
        return f"Exported(fun_name={self.fun_name}, ...)"

    def mlir_module(self, serialized: bool = True) -> Any:
        """Returns the module's text, locations included, or the module itself where ``serialized`` is False."""
        module = deserialize_portable_artifact(self.mlir_module_serialized, lowering_context())
        return module_text(module, debug_info=True) if serialized else module

    def in_shardings_jax(self, mesh: Any = None) -> tuple[None, ...]:
        """Returns the arguments' shardings: a program for one device asks for none."""
        return self.in_shardings_hlo

    def out_shardings_jax(self, mesh: Any) -> tuple[None, ...]:
        """Returns the results' shardings: a program for one device asks for none."""
        return self.out_shardings_hlo

    def has_vjp(self) -> bool:
        """Returns whether there is a program for the reverse pass."""
        return self._get_vjp is not None

    def vjp(self) -> Exported:
        """Returns the program of the reverse pass: of the arguments and the results' cotangents.

        Raises:
            ValueError: where there is none.
        """
        if self._get_vjp is None:
            raise ValueError("No VJP is available")
        return self._get_vjp(self)

    def serialize(self, vjp_order: int = 0) -> bytearray:
        """Returns the program as bytes that :func:`deserialize` reads, in other processes and versions too.

        Args:
            vjp_order: how often the program can be differentiated after it was read.

        Raises:
            ValueError: where the arguments or results have containers of a type that cannot be written.
            TypeError: where they have dicts whose keys are no strings.
        """
        return bytearray(_MAGIC + _packed(self, vjp_order))

    @property
    def _results(self) -> list[Any]:
        return [_plain(a) for a in self.out_avals]

    def _check_platforms(self, platforms: tuple[str, ...]) -> None:
        """Raises ValueError where it was not exported for one of the platforms."""
        if DisabledSafetyCheck.platform() not in self.disabled_safety_checks and not set(platforms) <= set(
            self.platforms
        ):
            raise ValueError(
                f"Function '{self.fun_name}' was exported for platforms '{self.platforms}' but it is used on "
                f"'{platforms}'."
            )

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program; it can be called inside functions that are traced, and differentiated where it has a vjp.

        Raises:
            ValueError: where the arguments are not of the structure and types it was exported for.
        """
        leaves, tree = pytree.flatten((args, kwargs))
        if tree != self.in_tree:
            raise ValueError(_structure_text(self, tree))
        avals = [shaped_aval(x) for x in leaves]
        for path, want, got in zip(_argument_paths(tree), self.in_avals, avals, strict=True):
            _check_argument(path, want, got)
        found = _flat_call(self)(*[_given(x, a) for x, a in zip(leaves, self.in_avals, strict=True)])
        return pytree.unflatten(
            self.out_tree, [_taken(x, a) for x, a in zip(found, self.out_avals, strict=True)]
        )


def _flat_call(exported: Exported) -> Any:
    """Returns the call on flat arguments, with its own reverse pass."""

    @custom_vjp
    def f_flat(*leaves: Any) -> Any:
        return call_exported_p.bind(*leaves, exported=exported)

    def f_flat_vjp_fwd(*leaves: Any) -> Any:
        return f_flat(*leaves), leaves

    def f_flat_vjp_bwd(residuals: Any, cts: Any) -> Any:
        reverse = exported.vjp()
        types = reverse.in_avals[len(residuals) :]
        given = [_given(ct, a) for ct, a in zip(cts, types, strict=True)]
        found = _flat_call(reverse)(*residuals, *given)
        return tuple(_taken(ct, a) for ct, a in zip(found, reverse.out_avals, strict=True))

    f_flat.defvjp(f_flat_vjp_fwd, f_flat_vjp_bwd)
    return f_flat


# A module has no float0: such values, which carry nothing, are bools there.


def _is_float0(aval: Any) -> bool:
    return aval.dtype == dtypes.float0


def _plain(aval: Any) -> Any:
    return ShapedArray(aval.shape, np.dtype(bool)) if _is_float0(aval) else aval


def _given(x: Any, aval: Any) -> Any:
    return np.zeros(aval.shape, bool) if _is_float0(aval) else x


def _taken(x: Any, aval: Any) -> Any:
    return np.zeros(aval.shape, dtypes.float0) if _is_float0(aval) else x


# ---- what a call is checked for --------------------------------------------------------------------------------------


def _structure_text(exported: Exported, called: pytree.PyTreeDef) -> str:
    lines = []
    for d in structure_differences(called, exported.in_tree, leaf=f"{int}"):
        where = ("args", "kwargs")[d.path[0].idx] + pytree.keystr(d.path[1:])
        lines.append(
            f"   - {where} is a {d.first} in the invocation and a {d.second} when exported, {d.why}.\n"
        )
    return (
        f"The invocation args and kwargs must have the same pytree structure as when the function '{exported.fun_name}' "
        "was exported, but they have the following structural differences:\n" + "\n".join(lines)
    )


def _argument_paths(tree: pytree.PyTreeDef) -> list[str]:
    args, kwargs = pytree.unflatten(tree, range(tree.num_leaves))
    return [f"args{pytree.keystr(p)}" for p, _ in pytree.flatten_with_path(args)[0]] + [
        f"kwargs{pytree.keystr(p)}" for p, _ in pytree.flatten_with_path(kwargs)[0]
    ]


def _check_argument(path: str, want: Any, got: Any) -> None:
    if len(want.shape) != len(got.shape):
        raise ValueError(f"Rank mismatch for {path}: expected {want.shape} and called with {got.shape}")
    if want.dtype != got.dtype:
        raise ValueError(f"Dtype mismatch for {path}: expected {want.dtype} and called with {got.dtype}")
    for i, (n, m) in enumerate(zip(want.shape, got.shape, strict=True)):
        if n != m:
            raise ValueError(
                f"Shape mismatch for {path}.shape[{i}] (expected same constant): expected {want.shape} and called with "
                f"{got.shape}"
            )


# ---- exporting -------------------------------------------------------------------------------------------------------


def default_export_platform() -> str:
    """Returns the platform that programs are exported for where none is named."""
    return default_backend()


def export(
    fun_jit: Any,
    *,
    platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[DisabledSafetyCheck] = (),
) -> Callable[..., Exported]:
    """Returns a function that makes a portable program of a jitted function, for arguments of given types.

    Captured arrays are written into the program.

    Args:
        fun_jit: the result of ``jit``.
        platforms: what it is to run on; by default this process' platform.
        disabled_checks: checks to leave out.

    Raises:
        ValueError: where ``fun_jit`` is not the result of ``jit``.
    """
    info = info_of(fun_jit)
    if info is None:
        raise ValueError(f"Function to be exported must be the result of `jit` but is: {fun_jit}")
    on = (default_export_platform(),) if platforms is None else tuple(platforms)
    checks = tuple(disabled_checks)

    def do_export(*args: Any, **kwargs: Any) -> Exported:
        call = trace_call(info, args, kwargs, ahead=True)
        with config.use_simplified_jaxpr_constants(False):
            lowered = lower_jaxpr(
                info.name,
                call.traced.jaxpr,
                donated=(False,) * len(call.traced.consts) + call.donated,
                keep_unused=info.keep_unused,
                platforms=on,
            )
        if lowered.module.callbacks:
            raise NotImplementedError("serialization of host_callbacks is not yet implemented")
        module = lowered.module.module
        with module.context:
            attributes = module.operation.attributes
            attributes["jax.uses_shape_polymorphism"] = ir.BoolAttr.get(len(on) > 1)
        _check_custom_calls(module, checks)
        n_consts = len(call.traced.consts)
        if any(lowered.kept[:n_consts]):
            raise ValueError(f"Function '{info.name}' closes over a traced value and cannot be exported.")
        return Exported(
            fun_name=info.name,
            in_tree=call.in_tree,
            in_avals=tuple(call.avals),
            out_tree=call.traced.out_tree,
            out_avals=tuple(lowered.out_avals),
            in_shardings_hlo=(None,) * len(call.avals),
            out_shardings_hlo=(None,) * len(lowered.out_avals),
            nr_devices=1,
            platforms=on,
            ordered_effects=(),
            unordered_effects=(),
            disabled_safety_checks=checks,
            mlir_module_serialized=serialize_portable_artifact(module, stablehlo_version_for("WEEK_12")),
            calling_convention_version=maximum_supported_calling_convention_version,
            module_kept_var_idx=tuple(i for i, kept in enumerate(lowered.kept[n_consts:]) if kept),
            uses_global_constants=len(on) > 1,
            _get_vjp=lambda exported: _export_vjp(fun_jit, exported),
        )

    return do_export


def _check_custom_calls(module: Any, checks: tuple[DisabledSafetyCheck, ...]) -> None:
    """Raises ValueError where the module calls what later versions may not know."""
    found: list[str] = []

    def look(op: Any) -> Any:
        if op.name == "stablehlo.custom_call":
            target = ir.StringAttr(op.attributes["call_target_name"]).value
            is_stable = target in _STABLE_TARGETS or target.startswith("lapack_")
            if not is_stable and DisabledSafetyCheck.custom_call(target) not in checks:
                found.append(f"{op} at {op.location}")
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    if found:
        raise ValueError(
            "Cannot serialize code with custom calls whose targets have no compatibility guarantees. See "
            "https://docs.jax.dev/en/latest/export/export.html#compatibility-guarantees-for-custom-calls. Examples are:\n"
            + "\n".join(found)
            + ".\n"
        )


def _export_vjp(fun_jit: Any, primal: Exported) -> Exported:
    n = len(primal.in_avals)
    in_avals = (*primal.in_avals, *(a.to_tangent_aval() for a in primal.out_avals))
    out_avals = tuple(a.to_tangent_aval() for a in primal.in_avals)

    def fun_vjp_jax(*args_and_out_cts_flat_jax: Any) -> Any:
        leaves, cts = args_and_out_cts_flat_jax[:n], args_and_out_cts_flat_jax[n:]

        def flat(*xs: Any) -> Any:
            args, kwargs = pytree.unflatten(primal.in_tree, xs)
            return pytree.flatten(fun_jit(*args, **kwargs))[0]

        _, pull_back = vjp(flat, *leaves)
        found = pull_back([_taken(ct, a) for ct, a in zip(cts, in_avals[n:], strict=True)])
        return tuple(_given(ct, a) for ct, a in zip(found, out_avals, strict=True))

    plain = [_plain(a) for a in in_avals]
    arguments = [ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in plain]
    exported = export(
        jit(fun_vjp_jax), platforms=primal.platforms, disabled_checks=primal.disabled_safety_checks
    )(*arguments)
    types = tuple(a if _is_float0(a) else b for a, b in zip(out_avals, exported.out_avals, strict=True))
    return dataclasses.replace(exported, in_avals=in_avals, out_avals=types)


# ---- the written form ------------------------------------------------------------------------------------------------


def _packed(exported: Exported, vjp_order: int) -> bytes:
    further = b"" if vjp_order <= 0 else _packed(exported.vjp(), vjp_order - 1)
    head = {
        "format": _FORMAT,
        "fun_name": exported.fun_name,
        "in_tree": tree_to_data(exported.in_tree),
        "in_avals": [_aval_to_data(a) for a in exported.in_avals],
        "out_tree": tree_to_data(exported.out_tree),
        "out_avals": [_aval_to_data(a) for a in exported.out_avals],
        "platforms": exported.platforms,
        "disabled_safety_checks": [str(c) for c in exported.disabled_safety_checks],
        "calling_convention_version": exported.calling_convention_version,
        "module_kept_var_idx": exported.module_kept_var_idx,
        "module_size": len(exported.mlir_module_serialized),
        "vjp_size": len(further),
    }
    return json.dumps(head).encode() + b"\n" + exported.mlir_module_serialized + further


_KEYS = "key:"
"""Begins the dtype of keys as it is written; the name of their implementation follows."""


def _aval_to_data(aval: Any) -> list[Any]:
    if dtypes.is_extended(aval.dtype):
        if not isinstance(aval.dtype, KeyType) or aval.dtype._impl.name.startswith("<"):
            raise ValueError(f"Cannot serialize a program with a value of dtype {aval.dtype}.")
        return [list(aval.shape), _KEYS + aval.dtype._impl.name]
    name = "float0" if _is_float0(aval) else aval.dtype.name
    return [list(aval.shape), name]


def _aval_from_data(data: Any) -> ShapedArray:
    """Returns a type; weak typing ends where a program is written."""
    shape, dtype = data
    if dtype.startswith(_KEYS):
        # The implementations stand above; they are loaded when a program needs one.
        known = importlib.import_module("jaxnb.random.implementations")
        return ShapedArray(tuple(shape), KeyType(known.implementation_named(dtype.removeprefix(_KEYS))))
    return ShapedArray(tuple(shape), dtypes.float0 if dtype == "float0" else np.dtype(dtype))


def deserialize(blob: bytes | bytearray) -> Exported:
    """Returns the program that :meth:`Exported.serialize` wrote.

    Raises:
        ValueError: where the bytes are no exported program, or one of an unknown format.
    """
    data = bytes(memoryview(blob))
    if not data.startswith(_MAGIC):
        raise ValueError("the bytes are no exported program: they do not begin as one")
    return _unpacked(data[len(_MAGIC) :])


def _unpacked(data: bytes) -> Exported:
    line, _, rest = data.partition(b"\n")
    try:
        head = json.loads(line)
        version = head["format"]
    except (ValueError, KeyError, TypeError):
        raise ValueError("the bytes are no exported program: the head cannot be read") from None
    if version != _FORMAT:
        raise ValueError(f"the exported program is of format {version}; this version reads {_FORMAT}")
    size, further = head["module_size"], head["vjp_size"]
    if len(rest) != size + further:
        raise ValueError(
            f"the exported program is damaged: {len(rest)} bytes follow the head, which says {size + further}"
        )
    get_vjp: Any = None
    if further:
        reverse = _unpacked(rest[size:])

        def read_already(_: Exported) -> Exported:
            return reverse

        get_vjp = read_already

    in_avals = tuple(map(_aval_from_data, head["in_avals"]))
    out_avals = tuple(map(_aval_from_data, head["out_avals"]))
    platforms = tuple(head["platforms"])
    return Exported(
        fun_name=head["fun_name"],
        in_tree=tree_from_data(head["in_tree"]),
        in_avals=in_avals,
        out_tree=tree_from_data(head["out_tree"]),
        out_avals=out_avals,
        in_shardings_hlo=(None,) * len(in_avals),
        out_shardings_hlo=(None,) * len(out_avals),
        nr_devices=1,
        platforms=platforms,
        ordered_effects=(),
        unordered_effects=(),
        disabled_safety_checks=tuple(DisabledSafetyCheck(c) for c in head["disabled_safety_checks"]),
        mlir_module_serialized=rest[:size],
        calling_convention_version=head["calling_convention_version"],
        module_kept_var_idx=tuple(head["module_kept_var_idx"]),
        uses_global_constants=len(platforms) > 1,
        _get_vjp=get_vjp,
    )


for _class in (Exported, DisabledSafetyCheck):
    _class.__module__ = "jaxnb.export"
