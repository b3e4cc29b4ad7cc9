"""A program as data: source of a function and of its arguments, and the texts to compare."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

TEXTS = ("jaxpr", "stablehlo")


@dataclass(frozen=True)
class Program:
    """One small program that both engines run.

    Attributes:
        name: what the test is called.
        fun: source of a function of the names ``jax, jnp, lax, nn, random, np``.
        args: source of the tuple of its arguments.
        wants: which texts are compared: ``jaxpr``, ``stablehlo``, ``value``, ``repr``; ``locations``, the module with its
            locations; ``hlo``, before XLA has worked on it, and ``compiled``, after that.
        config: settings in force, by JAX's names.
    """

    name: str
    fun: str
    args: str
    wants: tuple[str, ...] = TEXTS
    config: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The program as JSON can carry it."""
        return asdict(self)


def parse_programs(text: str, **fields: Any) -> list[Program]:
    """Programs written one a line, as ``function @ arguments``; a line that starts with ``#`` is a remark."""
    programs = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if not line.startswith("#"):
            fun, _, args = line.partition(" @ ")
            programs.append(Program(line, fun, args, **fields))
    return programs
