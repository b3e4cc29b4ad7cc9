"""Pictures of shardings, printed by ``rich``, which is loaded when the first is drawn."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.control.inspecting import inspect_array_sharding
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["visualize_array_sharding", "visualize_sharding"]

_LINES = 10
"""How many lines high a picture of two dimensions is at scale 1, its frame counted once."""

_COLUMNS_A_LINE = 2.5
"""How many characters are as wide as one is high."""

_BRIGHT = 186
"""From this luminance on, of 255, a background wants black letters."""

ColorMap = Callable[[float], Sequence[float]]


def _rich(part: str) -> Any:
    try:
        return importlib.import_module(f"rich.{part}")
    except ImportError:
        raise ValueError("`visualize_sharding` requires `rich` to be installed.") from None


def visualize_sharding(
    shape: Sequence[int],
    sharding: Any,
    *,
    use_color: bool = True,
    scale: float = 1.0,
    min_width: int = 9,
    max_width: int = 80,
    color_map: ColorMap | None = None,
) -> None:
    """Prints which device holds which part of an array.

    Args:
        shape: the array's shape, of one or two dimensions.
        sharding: how it is sharded.
        use_color: whether the colour map, if there is one, is used.
        scale: how large the picture is; at 1 it has eleven lines.
        min_width: the least width, in characters.
        max_width: the greatest width, in characters.
        color_map: from a number between 0 and 1 to red, green and blue between 0 and 1.

    Raises:
        ValueError: where there are more or fewer dimensions, or ``rich`` is not installed.
    """
    console, table = _rich("console"), _rich("table")
    if len(shape) not in (1, 2):
        raise ValueError("`visualize_sharding` only works for shapes with 1 and 2 dimensions.")
    sharding.device_set  # noqa: B018  (what is no sharding is told of here)
    cells, heights, widths = _cells(shape, sharding)
    out = console.Console(width=max_width)
    background = color_map if use_color and out.color_system is not None else None
    inner = table.Table(
        show_header=False,
        show_lines=background is None,
        padding=0,
        pad_edge=False,
        highlight=background is None,
        box=_rich("box").SQUARE if background is None else None,
    )
    frame = 2 if background is None else 0
    columns = [min(max(_width(shape, scale, share), min_width), max_width) - frame for share in widths]
    colors = iter(_colors(len(heights) * len(widths)))
    for row, share in zip(cells, heights, strict=True):
        lines = max((int(_LINES * scale * share) if len(shape) == 2 else 1) - frame, 0)
        inner.add_row(
            *(
                _cell(label, lines, columns[i], None if background is None else background(next(colors)))
                for i, label in enumerate(row)
            )
        )
    out.print(inner)


def _cells(shape: Sequence[int], sharding: Any) -> tuple[list[list[str]], list[float], list[float]]:
    """Returns the labels of the parts, row by row, and which share of the height and of the width each has."""
    holders: dict[tuple[int, int], list[Any]] = {}
    sizes: dict[tuple[int, int], tuple[int, int]] = {}
    for device, index in sharding.devices_indices_map(tuple(shape)).items():
        (top, high), (left, wide) = ((part.start or 0, _length(part, n)) for part, n in _as_two(index, shape))
        holders.setdefault((top, left), []).append(device)
        sizes[top, left] = high, wide
    tops, lefts = (sorted({place[i] for place in holders}) for i in (0, 1))
    labels = [[_label(holders[top, left]) for left in lefts] for top in tops]
    whole = _as_two((slice(None),) * len(shape), shape)
    heights = [sizes[top, lefts[0]][0] / whole[0][1] for top in tops]
    widths = [sizes[tops[0], left][1] / whole[1][1] for left in lefts]
    return labels, heights, widths


def _as_two(index: Sequence[slice], shape: Sequence[int]) -> list[tuple[slice, int]]:
    """Returns the slices of rows and of columns with the lengths of both; a vector is one row."""
    pairs = list(zip(index, shape, strict=True))
    return pairs if len(pairs) == 2 else [(slice(None), 1), *pairs]


def _length(part: slice, n: int) -> int:
    return (n if part.stop is None else part.stop) - (part.start or 0)


def _label(devices: Sequence[Any]) -> str:
    ids = ",".join(str(device.id) for device in sorted(devices, key=lambda device: device.id))
    return f"{devices[0].platform.upper()} {ids}"


def _width(shape: Sequence[int], scale: float, share: float) -> int:
    """Returns how many characters wide a part of the width is."""
    whole = int(int(_LINES * scale) * ((shape[1] if len(shape) == 2 else 1) / shape[0]))
    return int(int(whole * share) * _COLUMNS_A_LINE)


def _colors(count: int) -> list[float]:
    """Returns a number between 0 and 1 for each part, neighbours' far apart."""
    step = count // 2 + (count % 2 == 0)
    if JAXLIB_VERSION >= (0, 12):
        while math.gcd(step, count) > 1:
            step += 1
    return [(i * step % count) / max(count - 1, 1) for i in range(count)]


def _cell(label: str, lines: int, columns: int, color: Sequence[float] | None) -> Any:
    """One part's label in the middle of so many lines, its own not counted, and columns."""
    free = max(columns - len(label), 0)
    above, left = lines // 2, free // 2
    style = "none" if color is None else _style(color)
    content = _rich("align").Align(label, "center", style=style)
    return _rich("padding").Padding(content, (above, free - left, lines - above, left), style=style)


def _style(color: Sequence[float]) -> Any:
    red, green, blue = (int(part * 255) for part in tuple(color)[:3])
    luminance = 0.299 * red + 0.587 * green + 0.114 * blue
    letters = "#000000" if luminance > _BRIGHT else "#ffffff"
    return _rich("style").Style(color=letters, bgcolor=f"#{red:02x}{green:02x}{blue:02x}")


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Prints which device holds which part of an array; in a compiled function, as it is lowered.

    Args:
        arr: an array of one or two dimensions.
        **kwargs: those of ``visualize_sharding``.

    Raises:
        ValueError: where there are more or fewer dimensions, or ``rich`` is not installed.
    """

    def _visualize(sharding: Any) -> None:
        visualize_sharding(arr.shape, sharding, **kwargs)

    inspect_array_sharding(arr, callback=_visualize)
