"""How newer JAX prints the parts of a scan: ``ft_in`` and ``ft_out``, which say what each operand and result once was.

A place that a transformation dropped stays in the text as ``Left``; one that it kept is a ``Right``. Older JAX prints
two counts instead. Lives here: text only; nothing is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "derivative_structure",
    "known_structure",
    "linear_structure",
    "scan_structure",
    "stacking_structure",
    "transposed_structure",
    "used_structure",
]

_PRINTED = JAXLIB_VERSION >= (0, 12)

Params = dict[str, Any]


class _Star:
    def __repr__(self) -> str:
        return "*"


_STAR = _Star()


class _Values(NamedTuple):
    """One value, or those of a tree, behind as many filters as transformations have looked at them."""

    filters: int
    values: tuple[str, ...]
    tree: Any = None

    def __repr__(self) -> str:
        inner = (
            self.values[0]
            if self.tree is None
            else f"Pytree(vals=[{', '.join(self.values)}], tree=PyTreeDef({self.tree!r}))"
        )
        return "RightsOnly(" * self.filters + inner + ")" * self.filters

    def __hash__(self) -> int:
        return hash((self.filters, self.values, repr(self.tree)))


_NONE = _Values(0, ("None",))
Node = Any  # _Values, or a tuple of nodes


def _plain(n: int) -> Node:
    return (_NONE,) * n


def _tree(structure: Any) -> _Values:
    """A tree of plain values; ``structure`` has the number of values in place of each list."""

    def lists(s: Any) -> Any:
        return [_STAR] * s if isinstance(s, int) else tuple(lists(x) for x in s)

    return _Values(0, ("None",) * _total(structure), lists(structure))


def _total(structure: Any) -> int:
    return structure if isinstance(structure, int) else sum(_total(s) for s in structure)


def _select(node: Node, flags: Sequence[bool]) -> Node:
    """The node after a choice among the values that are still there."""
    return _choose(node, iter(flags))


def _choose(node: Node, flags: Iterator[bool]) -> Node:
    if not isinstance(node, _Values):
        return tuple(_choose(n, flags) for n in node)
    values = tuple(
        v if "Left" in v else v.replace("None", "Right(None)" if next(flags) else "Left(None)")
        for v in node.values
    )
    return _Values(node.filters + 1, values, node.tree)


def _parts(node: Node) -> tuple[Node, ...]:
    """The parts of a pair or a triple."""
    if not isinstance(node, _Values):
        return node
    parts, at = [], 0
    for part in node.tree:
        n = _stars(part)
        parts.append(_Values(node.filters, node.values[at : at + n], part))
        at += n
    return tuple(parts)


def _stars(tree: Any) -> int:
    return 1 if tree is _STAR else sum(_stars(t) for t in tree)


def _params(ft_in: Node, ft_out: Node) -> Params:
    return {"ft_in": ft_in, "ft_out": ft_out}


def scan_structure(num_consts: int, num_carry: int, num_xs: int, kept: Sequence[bool]) -> Params:
    """Returns the parameters of a scan as the user wrote it; ``kept`` flags the results that are stacked."""
    if not _PRINTED:
        return {}
    return _params(
        (_plain(num_consts), _plain(num_carry), _plain(num_xs)),
        (_plain(num_carry), _select(_plain(len(kept)), kept)),
    )


Flags = Sequence[bool]


def derivative_structure(
    params: Mapping[str, Any], consts: Flags, carry: Flags, xs: Flags, ys: Flags
) -> Params:
    """Returns the parameters of the scan of values and tangents; the flags say which tangents there are."""
    if not _PRINTED:
        return {}
    c, k, x = _parts(params["ft_in"])
    k_out, y = _parts(params["ft_out"])
    return _params(
        ((c, _select(c, consts)), (k, _select(k, carry)), (x, _select(x, xs))),
        ((k_out, _select(k_out, carry)), (y, _select(y, ys))),
    )


def stacking_structure(params: Mapping[str, Any], num_consts: int, num_residuals: int) -> Params:
    """Returns the parameters of the scan that also stacks residuals."""
    if not _PRINTED:
        return {}
    _, k, x = _parts(params["ft_in"])
    k_out, y = _parts(params["ft_out"])
    return _params((_plain(num_consts), k, x), (k_out, (y, _plain(num_residuals))))


def known_structure(params: Mapping[str, Any], num_consts: int) -> Params:
    """Returns the parameters of a scan of which all was known where a program was split."""
    if not _PRINTED:
        return {}
    _, k, x = (_choose(part, repeat(True)) for part in _parts(params["ft_in"]))
    k_out, y = (_choose(part, repeat(True)) for part in _parts(params["ft_out"]))
    return _params((_plain(num_consts), k, x), (k_out, (y, ())))


def linear_structure(
    params: Mapping[str, Any],
    consts: Flags,
    carry: Flags,
    xs: Flags,
    ys: Flags,
    num_once: int,
    num_each: int,
) -> Params:
    """Returns the parameters of the linear scan, given which tangents there are and how many residuals of each kind."""
    if not _PRINTED:
        return {}
    c, k, x = _parts(params["ft_in"])
    k_out, y = _parts(params["ft_out"])
    return _params(
        ((_plain(num_once), _select(c, consts)), _select(k, carry), (_select(x, xs), _plain(num_each))),
        (_select(k_out, carry), _select(y, ys)),
    )


def transposed_structure(
    num_once: int, num_consts: int, num_carry: int, num_ys: int, num_each: int, num_xs: int
) -> Params:
    """Returns the parameters of a transposed scan.

    Args:
        num_once: how many constants are known.
        num_consts: how many are linear.
        num_carry: the parts of the carry.
        num_ys: the stacked results.
        num_each: how many row operands are known.
        num_xs: how many are linear.
    """
    if not _PRINTED:
        return {}
    return _params(
        _tree(((num_once, 0), (num_consts, num_carry), (0, num_ys, num_each))),
        (_tree((num_consts, num_carry)), (_list(num_xs), ())),
    )


def _list(n: int) -> _Values:
    return _Values(0, ("None",) * n, [_STAR] * n)


def used_structure(params: Mapping[str, Any], consts: Flags, carry: Flags, xs: Flags, ys: Flags) -> Params:
    """Returns the parameters of a scan without dead code; the flags say what is used."""
    if not _PRINTED:
        return {}
    c, k, x = _parts(params["ft_in"])
    k_out, y = _parts(params["ft_out"])
    return _params(
        (_select(c, consts), _select(k, carry), _select(x, xs)),
        (_select(k_out, carry), _select(y, ys)),
    )
