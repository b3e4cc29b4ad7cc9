"""Element types: names, canonicalisation, the hierarchy and the promotion lattice of JAX.

Lives here: everything that can be said about an element type without an array. Must not: build arrays, know
primitives or compilation.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import ml_dtypes
import numpy as np

from jaxnb.base.config import config

DType = np.dtype


class extended(np.generic):
    """Scalar type above every extended (non-NumPy) element type."""


class prng_key(extended):
    """Scalar type of random keys."""


class ExtendedDType:
    """An element type NumPy does not know: ``name`` prints, ``type`` places it under ``extended``.

    In memory an element is an array of shape ``element_shape`` and type ``element_dtype``.
    """

    __slots__ = ()
    name: str
    type: type
    element_shape: tuple[int, ...]
    element_dtype: np.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of one element; extended types say it themselves."""
        raise AttributeError(f"{type(self).__name__} has no itemsize")


class TypePromotionError(ValueError):
    """Raised when the inputs have no common type in the lattice."""


TypePromotionError.__module__ = "jaxnb.dtypes"
extended.__module__ = prng_key.__module__ = "jaxnb.dtypes"

bfloat16 = ml_dtypes.bfloat16
float0: DType = np.dtype([("float0", np.void, 0)])


def _custom(*names: str) -> tuple[DType, ...]:
    return tuple(np.dtype(getattr(ml_dtypes, n)) for n in names if hasattr(ml_dtypes, n))


_float8 = _custom(
    "float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz",
)  # fmt: skip
_float4 = _custom("float4_e2m1fn")
_float6 = _custom("float6_e2m3fn", "float6_e3m2fn")
_small_ints = _custom("int2", "int4")
_small_uints = _custom("uint2", "uint4")
_tiny_ints = _custom("int1", "uint1")
_bfloat16 = np.dtype(bfloat16)
_custom_floats = frozenset((*_float8, *_float4, *_float6, _bfloat16))
_custom_signed = frozenset((*_small_ints, *_custom("int1")))
_custom_unsigned = frozenset((*_small_uints, *_custom("uint1")))

_bool = np.dtype(np.bool_)
_signed = tuple(np.dtype(f"int{n}") for n in (8, 16, 32, 64))
_unsigned = tuple(np.dtype(f"uint{n}") for n in (8, 16, 32, 64))
_floats = tuple(np.dtype(f"float{n}") for n in (16, 32, 64))
_complex = (np.dtype("complex64"), np.dtype("complex128"))

python_scalar_dtypes: dict[type, DType] = {
    bool: _bool,
    int: np.dtype("int64"),
    float: np.dtype("float64"),
    complex: np.dtype("complex128"),
}
_weak_scalars: dict[type, type] = {int: int, float: float, complex: complex}
_supported = frozenset(
    (
        _bool,
        *_signed,
        *_unsigned,
        *_floats,
        *_complex,
        float0,
        *_custom_floats,
        *_custom_signed,
        *_custom_unsigned,
    )
)
_narrowed: dict[DType, DType] = {
    np.dtype("int64"): np.dtype("int32"),
    np.dtype("uint64"): np.dtype("uint32"),
    np.dtype("float64"): np.dtype("float32"),
    np.dtype("complex128"): np.dtype("complex64"),
}


# ---- names and canonical forms --------------------------------------------------------------------


def is_extended(dtype: Any) -> bool:
    """True if ``dtype`` is an extended element type (a random key's, say)."""
    return isinstance(dtype, ExtendedDType)


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> Any:
    """The dtype arrays get when ``dtype`` is asked for: 64 bits become 32 unless x64 is on."""
    if is_extended(dtype):
        if not allow_extended_dtype:
            raise ValueError(
                f"Internal: canonicalize_dtype called on extended dtype {dtype} with "
                "allow_extended_dtype=False"
            )
        return dtype
    dtype = np.dtype(dtype)
    return dtype if config.enable_x64.value else _narrowed.get(dtype, dtype)


def short_dtype_name(dtype: Any) -> str:
    """The name jaxprs print: ``f32``, ``i8``, ``bool``, ``key<fry>``."""
    if is_extended(dtype):
        return str(dtype)
    return _short_name(np.dtype(dtype))


@functools.cache
def _short_name(dtype: DType) -> str:
    if dtype == float0:
        return "float0"
    name = dtype.name
    for long, short in (("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        name = name.replace(long, short)
    return name


def itemsize_bits(dtype: Any) -> int:
    """Bits of one element: 4 for ``int4`` although NumPy stores it in a byte."""
    if is_extended(dtype):
        return dtype.itemsize * 8
    dtype = np.dtype(dtype)
    if dtype in _custom_floats or dtype in _custom_signed or dtype in _custom_unsigned:
        return int(ml_dtypes.finfo(dtype).bits if dtype in _custom_floats else ml_dtypes.iinfo(dtype).bits)
    return dtype.itemsize * 8


finfo = ml_dtypes.finfo
iinfo = ml_dtypes.iinfo
can_cast = np.can_cast


def physical_aval(dtype: ExtendedDType) -> tuple[tuple[int, ...], DType]:
    """Shape and dtype of one element of an extended type in memory."""
    return dtype.element_shape, dtype.element_dtype


def is_supported(dtype: Any) -> bool:
    """True if arrays of ``dtype`` exist."""
    return is_extended(dtype) or dtype in _supported


def to_inexact_dtype(dtype: Any) -> Any:
    """The floating type functions like ``sin`` compute in for inputs of ``dtype``."""
    return dtype if issubdtype(dtype, np.inexact) else _inexact_of(np.dtype(dtype))


@functools.cache
def _inexact_of(dtype: DType) -> DType:
    return np.dtype("float64") if dtype.itemsize == 8 and dtype.kind in "iu" else np.dtype("float32")


def to_complex_dtype(dtype: Any) -> DType:
    """The complex type that holds ``dtype``."""
    double = (np.dtype("float64"), np.dtype("complex128"), np.dtype("int64"), np.dtype("uint64"))
    return np.dtype("complex128") if np.dtype(dtype) in double else np.dtype("complex64")


# ---- hierarchy ------------------------------------------------------------------------------------


def issubdtype(a: Any, b: Any) -> bool:
    """True if ``a`` lies at or below ``b`` in the hierarchy, small floats, small ints and keys included."""
    try:
        return _issubdtype(a, b)
    except TypeError:  # unhashable dtype specifications, such as lists of fields
        return _issubdtype.__wrapped__(a, b)


@functools.lru_cache(512)
def _issubdtype(a: Any, b: Any) -> bool:
    a_type = a.type if is_extended(a) else a
    if isinstance(a_type, type) and issubclass(a_type, extended):
        b_type = b.type if is_extended(b) else b
        if is_extended(b):
            return is_extended(a) and a == b
        return isinstance(b_type, type) and issubclass(b_type, np.generic) and issubclass(a_type, b_type)
    if is_extended(b) or (isinstance(b, type) and issubclass(b, extended)):
        return False
    # A class such as np.floating has no dtype of its own.
    if isinstance(a, type) and issubclass(a, np.generic) and _is_abstract(a):
        return np.issubdtype(a, b if isinstance(b, type) and issubclass(b, np.generic) else np.dtype(b).type)
    dtype = np.dtype(a)
    if isinstance(b, type) and issubclass(b, np.generic) and _is_abstract(b):
        if dtype in _custom_floats:
            return b in (np.floating, np.inexact, np.number, np.generic)
        if dtype in _custom_signed:
            return b in (np.signedinteger, np.integer, np.number, np.generic)
        if dtype in _custom_unsigned:
            return b in (np.unsignedinteger, np.integer, np.number, np.generic)
        return issubclass(dtype.type, b)
    other = np.dtype(b)
    return dtype == other or (issubclass(dtype.type, other.type) and other.names is None)


_abstract_types = frozenset(
    (np.generic, np.number, np.inexact, np.floating, np.complexfloating, np.integer, np.signedinteger,
     np.unsignedinteger, np.flexible, np.character)
)  # fmt: skip


def _is_abstract(t: type) -> bool:
    return t in _abstract_types


def scalar_type_of(x: Any) -> type:
    """The Python scalar type (``bool``, ``int``, ``float``, ``complex``) of a value's elements."""
    return _scalar_type(dtype(x))


@functools.cache
def _scalar_type(typ: DType) -> type:
    if typ in _custom_floats:
        return float
    if typ in _custom_signed or typ in _custom_unsigned:
        return int
    for scalar, above in (
        (bool, np.bool_),
        (int, np.integer),
        (float, np.floating),
        (complex, np.complexfloating),
    ):
        if issubdtype(typ, above):
            return scalar
    raise TypeError(f"Invalid scalar value {typ}")


# ---- dtype of a value -----------------------------------------------------------------------------


def dtype(x: Any, *, canonicalize: bool = False) -> Any:
    """The dtype of an array, a NumPy value, a Python scalar, or a dtype given as such."""
    scalar = python_scalar_dtypes.get(type(x))
    if scalar is not None:
        found = scalar
    elif isinstance(x, type) and x in python_scalar_dtypes:
        found = python_scalar_dtypes[x]
    elif is_extended(x):
        return x
    elif not isinstance(x, type) and hasattr(x, "dtype"):
        found = x.dtype
    else:
        found = _dtype_of_other(x)
    if canonicalize and not config.enable_x64.value:
        return _narrowed.get(found, found)
    return found


def _dtype_of_other(x: Any) -> DType:
    if x is None:
        return np.dtype("float64")
    if isinstance(x, (type, str, np.dtype)):
        return np.dtype(x)
    for scalar, found in python_scalar_dtypes.items():  # subclasses: IntEnum, np.float64, …
        if isinstance(x, scalar):
            return found
    meta = getattr(type(x), "dtype", None)
    if isinstance(meta, np.dtype):
        return meta
    try:
        return np.result_type(x)
    except TypeError as err:
        raise TypeError(f"Cannot determine dtype of {x}") from err


def python_scalar_dtype(kind: type, x: Any) -> DType:
    """The canonical dtype of the Python scalar ``x`` of class ``kind``.

    Raises:
        OverflowError: an integer that this dtype cannot hold.
    """
    found = _canonical(python_scalar_dtypes[kind])
    if kind is int:
        bound = 1 << (8 * found.itemsize - 1)
        if not -bound <= x < bound:
            raise OverflowError(f"Python int {x} too large to convert to {found.name}")
    return found


def is_weakly_typed(x: Any) -> bool:
    """True for Python numbers and for arrays whose type came from one."""
    if type(x) in _weak_scalars:
        return True
    return bool(getattr(x, "weak_type", False))


def is_python_scalar(x: Any) -> bool:
    """True if ``x`` is a Python number or behaves as one (a scalar array of weak type)."""
    if type(x) in python_scalar_dtypes:
        return True
    return bool(getattr(x, "weak_type", False)) and np.ndim(x) == 0


def coerce_to_array_dtype(x: Any) -> DType:
    """The canonical dtype ``x`` gets as an array."""
    return dtype(x, canonicalize=True)


# ---- the lattice ----------------------------------------------------------------------------------

Node = Any  # np.dtype for a type, the Python class int/float/complex for a weak one


def _make_edges(strict: bool) -> dict[Node, list[Node]]:
    """The lattice's covering relation: node → the nodes directly above it."""
    i, u, f, c = _signed, _unsigned, _floats, _complex
    small_i = (*_small_ints, *_small_uints)
    small_f = (*_float8, *_float4)
    edges: dict[Node, list[Node]] = {n: [] for n in (_bool, *i, *u, *f, *c, _bfloat16, *small_i, *small_f)}
    if strict:
        edges[int] = [float, *u, *i, *small_i]
        edges[float] = [complex, _bfloat16, *f, *small_f]
        edges[complex] = [*c]
        return edges
    edges[_bool] = [int]
    edges[int] = [u[0], i[0], *small_i]
    for n in range(3):
        edges[u[n]] = [u[n + 1], i[n + 1]]
        edges[i[n]] = [i[n + 1]]
    edges[u[3]] = edges[i[3]] = [float]
    edges[float] = [complex, _bfloat16, f[0], *small_f]
    edges[_bfloat16] = [f[1]]
    edges[f[0]] = [f[1]]
    edges[f[1]] = [f[2], c[0]]
    edges[f[2]] = [c[1]]
    edges[complex] = [c[0]]
    edges[c[0]] = [c[1]]
    return edges


def _make_upper_bounds(strict: bool) -> dict[Node, frozenset[Node]]:
    """For each node, all nodes at or above it."""
    edges = _make_edges(strict)
    bounds = {n: frozenset((n,)) for n in edges}
    while True:
        grown = {n: bounds[n].union(*(bounds[m] for m in up)) for n, up in edges.items()}
        if grown == bounds:
            return bounds
        bounds = grown


_upper_bounds = {False: _make_upper_bounds(False), True: _make_upper_bounds(True)}


@functools.lru_cache(2048)
def _least_upper_bound(strict: bool, *nodes: Node) -> Node:
    bounds = _upper_bounds[strict]
    distinct = list(dict.fromkeys(nodes))
    if len(distinct) == 1 and is_extended(distinct[0]):
        return distinct[0]
    for n in distinct:
        if n not in bounds:
            raise ValueError(f"dtype={n!r} is not a valid dtype for JAX type promotion.")
    common = frozenset.intersection(*(bounds[n] for n in distinct))
    # The join is the common bound below all the others; the lattice has at most one.
    for n in common:
        if common <= bounds[n]:
            return n
    raise TypePromotionError(_no_path_message(strict, distinct))


def _no_path_message(strict: bool, nodes: list[Node]) -> str:
    head = f"Input dtypes {tuple(map(str, nodes))} have no available implicit dtype promotion path"
    if strict:
        return (
            f"{head} when jax_numpy_dtype_promotion=strict. Try explicitly casting inputs to the desired "
            "output type, or set jax_numpy_dtype_promotion=standard."
        )
    cast = "If you'd like your inputs to be promoted to another type, you can do so explicitly using e.g."
    for family, words, target in (
        (_float8, "8-bit floats do not", "float32"),
        (_float4, "4-bit floats do not", "float32"),
        ((*_small_ints, *_small_uints), "1-bit, 2-bit and 4-bit integers do not", "int32"),
    ):
        if any(n in family for n in nodes):
            return (
                f"{head}. To avoid unintended promotion, {words} support implicit promotion. {cast} "
                f"x.astype('{target}')"
            )
    return f"{head}. Try explicitly casting inputs to the desired output type."


def _is_strict() -> bool:
    return config.numpy_dtype_promotion.value == "strict"


def _node(typ: Any, weak: bool) -> Node:
    if weak and typ != _bool:
        return _scalar_type(typ)
    return typ


def promote_types(a: Any, b: Any) -> Any:
    """The join of two types; the classes ``int``, ``float``, ``complex`` stand for weak types.

    A join that is one of the two is not narrowed.
    """
    nodes = [t if t in _weak_scalars else (t if is_extended(t) else np.dtype(t)) for t in (a, b)]
    join = nodes[0] if nodes[0] == nodes[1] else _least_upper_bound(_is_strict(), *nodes)
    if isinstance(join, type):
        return python_scalar_dtypes[join]
    return join if join in nodes else _canonical(join)


def _canonical(typ: Any) -> Any:
    return typ if config.enable_x64.value else _narrowed.get(typ, typ)


@functools.lru_cache(4096)
def lattice_result_type(strict: bool, *pairs: tuple[Any, bool]) -> tuple[Any, bool]:
    """``(dtype, weak)`` of combining values with these ``(dtype, weak)`` pairs, before canonicalisation."""
    if len(pairs) == 1:
        return pairs[0]
    if all(w for _, w in pairs):
        # Among weak types alone even strict promotion joins bool, int, float and complex freely.
        if not strict and all(t in _unsigned for t, _ in pairs):
            return np.dtype("uint64"), True
        strict = False
    join = _least_upper_bound(strict, *(_node(t, w) for t, w in pairs))
    return (python_scalar_dtypes[join], True) if isinstance(join, type) else (join, False)


def _pair(x: Any) -> tuple[Any, bool]:
    t = type(x)
    scalar = python_scalar_dtypes.get(t)
    if scalar is not None:
        return scalar, t is not bool
    if t is type and x in python_scalar_dtypes:
        return python_scalar_dtypes[x], x is not bool
    return dtype(x), bool(getattr(x, "weak_type", False))


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    """The dtype of combining ``args`` (arrays, scalars, dtypes); with the flag, ``(dtype, weak)``."""
    if not args:
        raise ValueError("at least one array or dtype is required")
    found, weak = _canonical_result(config.enable_x64.value, _is_strict(), *map(_pair, args))
    return (found, weak) if return_weak_type_flag else found


@functools.lru_cache(4096)
def _canonical_result(x64: bool, strict: bool, *pairs: tuple[Any, bool]) -> tuple[Any, bool]:
    if x64:
        return lattice_result_type(strict, *pairs)
    found, weak = lattice_result_type(strict, *((_narrowed.get(t, t), w) for t, w in pairs))
    return _narrowed.get(found, found), weak


# ---- what users may ask for -----------------------------------------------------------------------


def check_user_dtype_supported(dtype: Any, fun_name: str | None = None, *, stacklevel: int = 3) -> Any:
    """The canonical dtype for a user's request; warns when 64 bits become 32.

    Raises:
        TypeError: the type is no array type.
    """
    if is_extended(dtype):
        return dtype
    if isinstance(dtype, type) and dtype in python_scalar_dtypes:
        return _canonical(python_scalar_dtypes[dtype])
    np_dtype = np.dtype(dtype)
    if np_dtype not in _supported or not np_dtype.isnative:
        where = f" in {fun_name}" if fun_name is not None else ""
        raise TypeError(f"JAX only supports number, bool, and string dtypes, got dtype {dtype}{where}")
    if config.enable_x64.value or np_dtype not in _narrowed or dtype is None:
        return _canonical(np_dtype)
    mode = config.explicit_x64_dtypes.value
    if mode == "allow":
        return np_dtype
    where = f"requested in {fun_name}" if fun_name is not None else ""
    said = f"Explicitly requested dtype {np_dtype.name} {where} is not available"
    if mode == "error":
        raise ValueError(
            f"{said}. To enable more dtypes, set the jax_enable_x64 or allow_explicit_x64_dtypes "
            "configuration options.See https://github.com/jax-ml/jax#current-gotchas for more."
        )
    narrow = _narrowed[np_dtype]
    warnings.warn(
        f"{said}, and will be truncated to dtype {narrow.name}. To enable more dtypes, set the "
        "jax_enable_x64 configuration option or the JAX_ENABLE_X64 shell environment variable. See "
        "https://github.com/jax-ml/jax#current-gotchas for more.",
        stacklevel=stacklevel,
    )
    return narrow
