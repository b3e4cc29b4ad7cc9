"""How precisely a product of matrices is computed: ``Precision``, dot algorithms, and how users spell them.

Must not define primitives.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.xla.mlir import hlo, ir


class Precision(enum.Enum):
    """How many passes an accelerator makes over the operands' mantissas."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value: object) -> Precision | None:
        return _spellings.get(value)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return self.name


_spellings: dict[Any, Precision] = {
    "highest": Precision.HIGHEST,
    "float32": Precision.HIGHEST,
    "high": Precision.HIGH,
    "bfloat16_3x": Precision.HIGH,
    "tensorfloat32": Precision.HIGH,
    "default": Precision.DEFAULT,
    "bfloat16": Precision.DEFAULT,
    "fastest": Precision.DEFAULT,
    None: Precision.DEFAULT,
}


class DotAlgorithm(NamedTuple):
    """An algorithm for a product of matrices, spelled out in full."""

    lhs_precision_type: Any
    rhs_precision_type: Any
    accumulation_type: Any
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class DotAlgorithmPreset(enum.Enum):
    """An algorithm for a product of matrices, by name: the operands' types and the type that is summed in."""

    DEFAULT = enum.auto()
    ANY_F8_ANY_F8_F32 = enum.auto()
    ANY_F8_ANY_F8_F32_FAST_ACCUM = enum.auto()
    ANY_F8_ANY_F8_ANY = enum.auto()
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = enum.auto()
    F16_F16_F16 = enum.auto()
    F16_F16_F32 = enum.auto()
    BF16_BF16_BF16 = enum.auto()
    BF16_BF16_F32 = enum.auto()
    BF16_BF16_F32_X3 = enum.auto()
    BF16_BF16_F32_X6 = enum.auto()
    BF16_BF16_F32_X9 = enum.auto()
    TF32_TF32_F32 = enum.auto()
    TF32_TF32_F32_X3 = enum.auto()
    F32_F32_F32 = enum.auto()
    F64_F64_F64 = enum.auto()

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return self.name

    @property
    def supported_lhs_types(self) -> tuple[type, ...] | None:
        """The types an operand may have; one of another type is converted to the first; None: any."""
        preset = _presets.get(self)
        return None if preset is None else preset.operand_types

    supported_rhs_types = supported_lhs_types

    @property
    def accumulation_type(self) -> type | None:
        """The type that products are summed in; None: the compiler chooses."""
        if self in (Preset.ANY_F8_ANY_F8_F32, Preset.ANY_F8_ANY_F8_F32_FAST_ACCUM):
            return np.float32
        preset = _presets.get(self)
        return None if preset is None else preset.sum_type


Preset = DotAlgorithmPreset


class _Facts(NamedTuple):
    """What a preset means: MLIR names of the types, the types operands may have, number of products."""

    mlir: tuple[str, str]
    operand_types: tuple[type, ...]
    sum_type: type
    products: int = 1
    on_cpu: bool = False


_bf16: Any = dtypes.bfloat16
_presets: dict[DotAlgorithmPreset, _Facts] = {
    Preset.F16_F16_F16: _Facts(("f16", "f16"), (np.float16,), np.float16, on_cpu=True),
    Preset.F16_F16_F32: _Facts(("f16", "f32"), (np.float16,), np.float32),
    Preset.BF16_BF16_BF16: _Facts(("bf16", "bf16"), (_bf16, np.float32), _bf16),
    Preset.BF16_BF16_F32: _Facts(("bf16", "f32"), (_bf16, np.float32), np.float32, on_cpu=True),
    Preset.BF16_BF16_F32_X3: _Facts(("bf16", "f32"), (np.float32,), np.float32, 3, on_cpu=True),
    Preset.BF16_BF16_F32_X6: _Facts(("bf16", "f32"), (np.float32,), np.float32, 6, on_cpu=True),
    Preset.BF16_BF16_F32_X9: _Facts(("bf16", "f32"), (np.float32,), np.float32, 9),
    Preset.TF32_TF32_F32: _Facts(("tf32", "f32"), (np.float32,), np.float32),
    Preset.TF32_TF32_F32_X3: _Facts(("tf32", "f32"), (np.float32,), np.float32, 3),
    Preset.F32_F32_F32: _Facts(("f32", "f32"), (np.float32,), np.float32, on_cpu=True),
    Preset.F64_F64_F64: _Facts(("f64", "f64"), (np.float64,), np.float64, on_cpu=True),
}

CanonicalPrecision = tuple[Precision, Precision] | DotAlgorithm | DotAlgorithmPreset | None
"""A precision as jaxprs hold it."""
PrecisionLike = (
    str | Precision | tuple[str, str] | tuple[Precision, Precision] | DotAlgorithm | DotAlgorithmPreset | None
)
"""A precision as users spell it."""


def canonicalize_precision(precision: Any) -> CanonicalPrecision:
    """The precision as jaxprs hold it: None, a pair of ``Precision``, or an algorithm.

    Raises:
        ValueError: it is spelled in no known way.
    """
    if precision is None:
        default = config.default_matmul_precision.value
        return None if default is None else _from_name(default)
    if isinstance(precision, str):
        return _from_name(precision)
    if isinstance(precision, Precision):
        return precision, precision
    if isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
        return precision
    if isinstance(precision, Sequence) and len(precision) == 2:
        first, second = precision
        if isinstance(first, Precision) and isinstance(second, Precision):
            return first, second
        if isinstance(first, str) and isinstance(second, str):
            return _one_of_pair(first), _one_of_pair(second)
    raise ValueError(_precision_error(precision))


def _from_name(name: str) -> CanonicalPrecision:
    if name in _spellings:
        return _spellings[name], _spellings[name]
    if name in DotAlgorithmPreset.__members__:
        return DotAlgorithmPreset[name]
    raise ValueError(_precision_error(name))


def _one_of_pair(name: str) -> Precision:
    # An algorithm is not for one operand; the text is the oracle's.
    found: Any = _from_name(name)
    return found[0]


def _precision_error(precision: Any) -> str:
    return (
        "Precision argument must be one of:\n"
        "- None,\n"
        f"- a string in {list(_spellings)},\n"
        "- a lax.Precision value,\n"
        "- a tuple of two lax.Precision values or strings,\n"
        "- a lax.DotAlgorithmPreset or the name of one of these presets, or\n"
        "- a lax.DotAlgorithm value;\n"
        f"but got {precision}."
    )


def precision_attr(precision: CanonicalPrecision) -> ir.ArrayAttr:
    """The ``precision_config`` of an MLIR product: one entry an operand."""
    pair = precision if type(precision) is tuple else (Precision.DEFAULT, Precision.DEFAULT)
    return ir.ArrayAttr.get([hlo.PrecisionAttr.get(str(p)) for p in pair])


def operand_type_for(precision: CanonicalPrecision, dtype: np.dtype) -> np.dtype:
    """The type that an operand of ``dtype`` is converted to before the product."""
    types = precision.supported_lhs_types if isinstance(precision, DotAlgorithmPreset) else None
    return dtype if types is None or dtype in map(np.dtype, types) else np.dtype(types[0])


def result_type_for(precision: CanonicalPrecision, dtype: np.dtype) -> np.dtype:
    """The type the product has before it is converted to ``dtype``."""
    # Types of 16 bits: the compiler takes an algorithm only with results of the type it sums in.
    if isinstance(precision, DotAlgorithmPreset) and precision in _presets:
        return np.dtype(_presets[precision].sum_type)
    return dtype


def algorithm_attr(precision: CanonicalPrecision, platform: str) -> ir.Attribute | None:
    """The ``algorithm`` of an MLIR product; None where the precision names none.

    Raises:
        ValueError: the platform's compiler does not know it.
    """
    if type(precision) is tuple or precision is None or precision is Preset.DEFAULT:
        return None
    facts = _presets.get(precision) if isinstance(precision, DotAlgorithmPreset) else None
    if facts is None or (platform == "cpu" and not facts.on_cpu):
        raise ValueError(f"The precision '{precision}' is not supported by dot_general on {platform.upper()}")
    operand, total = (_mlir_type(name) for name in facts.mlir)
    return hlo.DotAlgorithm.get(operand, operand, total, 1, 1, facts.products, False)


def _mlir_type(name: str) -> ir.Type:
    return ir.Type.parse(name)
