"""What lowering rules work with: the context of one equation, types, constants and attributes.

Lives here: builders that know avals and MLIR and nothing of jaxprs. Lowering a whole program is in ``runtime/lower.py``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import AbstractToken, AbstractValue, ShapedArray
from jaxnb.xla.mlir import hlo, ir

__all__ = [
    "LoweringContext",
    "ModuleContext",
    "activate",
    "constant",
    "dense_bools",
    "dense_ints",
    "full_like",
    "i32_attr",
    "i64_attr",
    "ir_type",
    "ir_types",
    "open_block",
    "scalar_type",
]


class ModuleContext:
    """What all equations of a module share: MLIR's context, caches, the functions already lowered."""

    __slots__ = (
        "asked",
        "callbacks",
        "constants",
        "context",
        "functions",
        "has_single_device_mesh",
        "inspect",
        "locations",
        "lower_call",
        "lower_jaxpr",
        "marks",
        "module",
        "platform_index",
        "platforms",
        "symbols",
        "tag_is_kept",
        "tagged",
        "tokens",
        "traceback_locations",
        "types",
        "unknown",
    )

    def __init__(self, context: ir.Context, module: ir.Module, platforms: Sequence[str]):
        self.context = context
        self.module = module
        self.platforms = tuple(platforms)
        self.platform_index: Any = None
        """Which of several platforms it is that the program runs on: a value of the function that is being made."""
        self.symbols = ir.SymbolTable(module.operation)
        self.types: dict[Any, Any] = {}
        self.constants: dict[Any, Any] = {}
        self.functions: dict[Any, Any] = {}
        self.locations: dict[Any, Any] = {}
        self.asked: dict[Any, Any] = {}
        """For each kind of equation the traceback of the first, which JAX gives to its lowering rule's program."""
        self.unknown = ir.Location.unknown(context)
        self.traceback_locations: Any = None
        self.callbacks: list[Any] = []
        self.tagged = False
        self.tokens: dict[Any, Any] = {}
        self.has_single_device_mesh = False
        self.inspect: Callable[[Callable[..., Any], int], bytes] | None = None
        """Of a program on several devices: makes the key by which the compiler says how it divides a value."""
        self.tag_is_kept = False
        self.lower_jaxpr: Callable[..., Any] | None = None
        self.marks: Any = None
        """What the module says of where values lie, and the meshes it names for that."""
        self.lower_call: Callable[..., Any] | None = None


class LoweringContext:
    """What a lowering rule is told about the equation it lowers."""

    __slots__ = ("avals_in", "avals_out", "const_values", "module", "name_stack", "primitive", "where")

    def __init__(
        self,
        module: ModuleContext,
        primitive: Any,
        avals_in: Sequence[AbstractValue],
        avals_out: Sequence[AbstractValue],
        const_values: dict[int, Any] | None = None,
        name_stack: Any = None,
        where: Any = None,
    ):
        self.module = module
        self.primitive = primitive
        self.avals_in: Any = avals_in
        self.avals_out: Any = avals_out
        self.const_values = {} if const_values is None else const_values
        self.name_stack = name_stack
        self.where = where
        """The equation, the scopes and the place of its block: what ``locations`` asks for."""

    @property
    def platform(self) -> str:
        """The platform the module is lowered for, ``cpu`` for example."""
        return self.module.platforms[0]

    def lower_jaxpr(self, jaxpr: Any, *values: Any) -> list[Any]:
        """Emits a program's operations here, inline, on the given values and returns its results' values."""
        assert self.module.lower_jaxpr is not None
        return self.module.lower_jaxpr(self, jaxpr, values)


class _Active(threading.local):
    def __init__(self) -> None:
        self.types: dict[Any, Any] = {}
        self.elements: dict[Any, Any] = {}
        self.tagged = False


_active = _Active()


def open_block(region: Any, *types: ir.Type) -> Any:
    """Appends a block with parameters of these types to the region of an operation.

    JAX emits a rule's operations first, and gives them the place of their equation afterwards, but their blocks' parameters
    not: those have the primitive's name alone.
    """
    if _active.tagged:
        return region.blocks.append(*types)
    here: Any = ir.Location.current
    name = here.name_str.rpartition("/")[2].removesuffix(":")
    loc = ir.Location.name(f"{name}:", childLoc=ir.Location.name(name))
    return region.blocks.append(*types, arg_locs=[loc] * len(types))


class activate:
    """Makes the type cache of a module the one that ``ir_type`` uses, inside a ``with``."""

    def __init__(self, module: ModuleContext):
        self.module = module

    def __enter__(self) -> None:
        self.before = _active.types, _active.elements, _active.tagged
        _active.types, _active.elements = self.module.types, self.module.constants
        _active.tagged = self.module.tagged

    def __exit__(self, *exc: Any) -> None:
        _active.types, _active.elements, _active.tagged = self.before


_int_types = {"int": True, "uint": False}


def scalar_type(dtype: Any) -> ir.Type:
    """Returns the MLIR element type of a dtype."""
    dtype = np.dtype(dtype)
    found = _active.elements.get(dtype)
    if found is None:
        found = _active.elements[dtype] = _make_scalar_type(dtype)
    return found


def _make_scalar_type(dtype: np.dtype) -> ir.Type:
    name = dtype.name
    if name == "bool" or dtype == dtypes.float0:
        return ir.IntegerType.get_signless(1)
    if name.startswith("uint"):
        return ir.IntegerType.get_unsigned(int(name[4:]))
    if name.startswith("int"):
        return ir.IntegerType.get_signless(int(name[3:]))
    if name == "complex64":
        return ir.ComplexType.get(ir.F32Type.get())
    if name == "complex128":
        return ir.ComplexType.get(ir.F64Type.get())
    simple = {"float16": ir.F16Type, "bfloat16": ir.BF16Type, "float32": ir.F32Type, "float64": ir.F64Type}
    if name in simple:
        return simple[name].get()
    text = {
        "float8_e3m4": "f8E3M4",
        "float8_e4m3": "f8E4M3",
        "float8_e4m3fn": "f8E4M3FN",
        "float8_e4m3fnuz": "f8E4M3FNUZ",
        "float8_e4m3b11fnuz": "f8E4M3B11FNUZ",
        "float8_e5m2": "f8E5M2",
        "float8_e5m2fnuz": "f8E5M2FNUZ",
        "float8_e8m0fnu": "f8E8M0FNU",
        "float4_e2m1fn": "f4E2M1FN",
    }.get(name)
    if text is None:
        raise TypeError(f"No dtype_to_ir_type handler for dtype: {dtype}")
    return ir.Type.parse(text)


def ir_type(aval: AbstractValue) -> Any:
    """Returns the MLIR type of a value of this type."""
    found = _active.types.get(aval)
    if found is None:
        if isinstance(aval, AbstractToken):
            found = hlo.TokenType.get()
        else:
            assert isinstance(aval, ShapedArray)
            shape: tuple[int, ...] = aval.shape
            dtype: Any = aval.dtype
            if dtypes.is_extended(dtype):
                physical = dtypes.physical_aval(dtype)
                shape, dtype = (*shape, *physical[0]), physical[1]
            found = ir.RankedTensorType.get(shape, scalar_type(dtype))
        _active.types[aval] = found
    return found


def ir_types(avals: Sequence[AbstractValue]) -> list[Any]:
    """Returns the MLIR types of several values."""
    return [ir_type(a) for a in avals]


def constant(value: Any, aval: ShapedArray | None = None) -> ir.Value:
    """Emits a ``stablehlo.constant``.

    Args:
        value: a NumPy array or a scalar.
        aval: the type; by default the value's own shape and dtype.
    """
    if type(value).__base__ in _scalar_bases and (aval is None or value.dtype == aval.dtype):
        key = (value.dtype, value.tobytes())
        found = _active.elements.get(key)
        if found is None:
            found = _active.elements[key] = _elements(np.asarray(value))
        return hlo.constant(found)
    arr = (
        np.asarray(value)
        if aval is None
        else np.asarray(value, None if dtypes.is_extended(aval.dtype) else aval.dtype)
    )
    repeated = [d for d, stride in enumerate(arr.strides) if stride == 0]
    if not repeated or not arr.size:
        return hlo.constant(_elements(arr))
    # a view that repeats its elements is stored once
    kept = [d for d in range(arr.ndim) if d not in repeated]
    stored = arr[tuple(0 if d in repeated else slice(None) for d in range(arr.ndim))]
    whole = ir.RankedTensorType.get(arr.shape, scalar_type(arr.dtype))
    return hlo.broadcast_in_dim(whole, hlo.constant(_elements(stored)), dense_ints(kept))


_scalar_bases = (np.floating, np.signedinteger, np.unsignedinteger, np.complexfloating, np.generic)


def _elements(arr: Any) -> ir.Attribute:
    if arr.dtype == dtypes.float0:
        arr = np.zeros(arr.shape, np.bool_)
    element = scalar_type(arr.dtype)
    shape = arr.shape
    arr = np.ascontiguousarray(arr).reshape(shape)
    name = arr.dtype.name
    if name in ("int4", "uint4", "int2", "uint2"):
        return ir.DenseElementsAttr.get(arr.view(np.int8), type=element, shape=shape)
    if arr.dtype.kind == "V" or name.startswith(("bfloat16", "float8", "float4")):
        bits = np.uint16 if arr.dtype.itemsize == 2 else np.uint8
        return ir.DenseElementsAttr.get(arr.view(bits), type=element, shape=shape)
    return ir.DenseElementsAttr.get(arr, type=element, shape=shape)


def dense_ints(values: Sequence[int]) -> Any:
    """Returns an ``array<i64: …>`` attribute."""
    key = ("i64", *values)
    found = _active.elements.get(key)
    if found is None:
        found = _active.elements[key] = ir.DenseI64ArrayAttr.get([int(v) for v in values])
    return found


def dense_bools(values: Sequence[bool]) -> Any:
    """Returns an ``array<i1: …>`` attribute."""
    return ir.DenseBoolArrayAttr.get([bool(v) for v in values])


def i32_attr(value: int) -> Any:
    """Returns a 32-bit integer attribute."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), int(value))


def i64_attr(value: int) -> Any:
    """Returns a 64-bit integer attribute."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))


def full_like(value: Any, aval: ShapedArray) -> ir.Value:
    """Emits a scalar constant and its broadcast to ``aval``'s shape."""
    scalar = constant(value, ShapedArray((), aval.dtype))
    if not aval.shape:
        return scalar
    return hlo.broadcast_in_dim(ir_type(aval), scalar, dense_ints([]))
