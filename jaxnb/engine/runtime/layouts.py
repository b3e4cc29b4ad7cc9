"""How an array lies in memory: ``Layout``, and ``Format``, a layout and a sharding together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.xla import array as door
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["AUTO", "Format", "Layout", "format_of"]


class _AutoLayout:
    """XLA chooses the layout."""

    def __repr__(self) -> str:
        return "AutoLayout" if JAXLIB_VERSION >= (0, 12) else "AUTO"


AUTO = _AutoLayout()


class Layout:
    """The order of the dimensions in memory, the last one closest together, and how they are tiled."""

    __slots__ = ("major_to_minor", "sub_byte_element_size_in_bits", "tiling")

    AUTO = AUTO

    def __init__(
        self,
        major_to_minor: Sequence[int],
        tiling: Sequence[Sequence[int]] | None = None,
        sub_byte_element_size_in_bits: int = 0,
    ):
        self.major_to_minor = tuple(major_to_minor)
        self.tiling = None if tiling is None else tuple(map(tuple, tiling))
        self.sub_byte_element_size_in_bits = sub_byte_element_size_in_bits

    def _fields(self) -> tuple[Any, ...]:
        return self.major_to_minor, self.tiling, self.sub_byte_element_size_in_bits

    def check_compatible_aval(self, shape: Sequence[int]) -> None:
        """Raises ValueError where the layout is of another rank than an array."""
        if len(self.major_to_minor) != len(shape):
            raise ValueError(
                "Length of major_to_minor and the rank of the value should match. Got "
                f"major_to_minor={self.major_to_minor} and shape={tuple(shape)}"
            )

    def update(self, **changes: Any) -> Layout:
        """Returns a copy with fields replaced."""
        return Layout(**{name: changes.get(name, getattr(self, name)) for name in self.__slots__})

    def __repr__(self) -> str:
        return (
            f"Layout(major_to_minor={self.major_to_minor}, tiling={self.tiling}, "
            f"sub_byte_element_size_in_bits={self.sub_byte_element_size_in_bits})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())


class Format:
    """A layout and a sharding, either of which may be left open."""

    __slots__ = ("layout", "sharding")

    def __init__(self, layout: Any = None, sharding: Any = None):
        if layout is not None and layout is not AUTO and not isinstance(layout, Layout):
            raise TypeError(
                "Invalid value received for the layout argument. Expected values are `None`, `Layout.AUTO` or an instance "
                f"of `Layout`. Got {layout} of type {type(layout)}"
            )
        if sharding is not None and not isinstance(sharding, door.Sharding):
            raise TypeError(
                "Invalid value received for the sharding argument. Expected values are `None` or an instance of "
                f"`jax.Sharding`. Got {sharding} of type {type(sharding)}"
            )
        if sharding is None and isinstance(layout, Layout):
            raise ValueError(
                f"Sharding has to be concrete when layout is of type {type(layout)}. Please pass a "
                "`jax.sharding.NamedSharding` or `jax.sharding.SingleDeviceSharding` to the sharding argument. Got "
                f"sharding {sharding}"
            )
        self.layout = layout
        self.sharding = sharding

    def __repr__(self) -> str:
        return f"Format(layout={self.layout}, sharding={self.sharding})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Format) and (self.layout, self.sharding) == (other.layout, other.sharding)

    def __hash__(self) -> int:
        return hash((self.layout, self.sharding))


_BITS = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}


def format_of(x: Any) -> Format:
    """Returns where an array is and how it lies there: the dimensions in order, nothing tiled."""
    layout = Layout(tuple(range(len(x.aval.shape))), (), _BITS.get(getattr(x.aval.dtype, "name", ""), 0))
    return Format(layout, x._sharding)


door.install({"format": property(format_of, doc="Where the array is and how it lies in memory.")})

for _class in (Layout, Format):
    _class.__module__ = "jaxnb.experimental.layout"
