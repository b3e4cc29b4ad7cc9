"""Pictures of shardings, printed by ``rich``, which is loaded when the first is drawn."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.control.inspecting import inspect_array_sharding

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
    devices = sorted(sharding.device_set, key=lambda device: device.id)
    label = f"{devices[0].platform.upper()} {','.join(str(device.id) for device in devices)}"
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
    inner.add_row(_cell(shape, label, scale, min_width, max_width, background))
    out.print(inner)


def _cell(
    shape: Sequence[int],
    label: str,
    scale: float,
    min_width: int,
    max_width: int,
    background: ColorMap | None,
) -> Any:
    """One part's label in the middle of what it takes; a frame takes a line and a column on each side of it."""
    lines = int(_LINES * scale)
    frame = 2 if background is None else 0
    width = int(int(lines * ((shape[1] if len(shape) == 2 else 1) / shape[0])) * _COLUMNS_A_LINE)
    width = min(max(width, min_width), max_width)
    free_lines = max((lines if len(shape) == 2 else 1) - frame, 0)
    free_columns = max(width - frame - len(label), 0)
    above, left = free_lines // 2, free_columns // 2
    below, right = free_lines - above, free_columns - left
    style = "none" if background is None else _style(background(0.0))
    content = _rich("align").Align(label, "center", style=style)
    return _rich("padding").Padding(content, (above, right, below, left), style=style)


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
