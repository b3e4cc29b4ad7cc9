"""Effects: what an equation does besides computing its results.

Lives here: the kinds of effects and their order. What an effect does is the business of the primitive that has it.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "DebugEffect",
    "Effect",
    "OrderedDebugEffect",
    "debug_effect",
    "io_effect",
    "ordered",
    "ordered_debug_effect",
    "ordered_io_effect",
]


class Effect:
    """A kind of effect; there is one object of each kind.

    Args:
        name: the name that jaxprs print.
        is_ordered: whether such effects happen in program order, which a token keeps.
        rank: the position of its token among a module's parameters.
        in_loops: whether a loop's body may have it.
        is_discardable: whether differentiation and partial evaluation may run it anywhere.
    """

    __slots__ = ("in_loops", "is_discardable", "is_ordered", "name", "rank")

    def __init__(
        self, name: str, *, is_ordered: bool, rank: int, in_loops: bool = True, is_discardable: bool = False
    ):
        self.name = name
        self.is_ordered = is_ordered
        self.rank = rank
        self.in_loops = in_loops
        self.is_discardable = is_discardable

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


class DebugEffect(Effect):
    """The effect of printing, and of callbacks without results."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("Debug", is_ordered=False, rank=2, is_discardable=True)


class OrderedDebugEffect(Effect):
    """The same in program order."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("OrderedDebug", is_ordered=True, rank=1)


debug_effect = DebugEffect()
ordered_debug_effect = OrderedDebugEffect()
io_effect = Effect("IO", is_ordered=False, rank=3)
ordered_io_effect = Effect("OrderedIO", is_ordered=True, rank=0)


def ordered(effects: Iterable[Effect]) -> list[Effect]:
    """Returns the effects that need a token, in the order of their tokens."""
    return sorted((e for e in effects if isinstance(e, Effect) and e.is_ordered), key=lambda e: e.rank)
