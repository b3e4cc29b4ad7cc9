"""What a front end hands over of a program's signature: plain frozen data.

What lives here: the record. What must not: where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CapturedParameter"]


@dataclass(frozen=True, slots=True)
class CapturedParameter:
    """One leaf of the arguments, a static argument, or a captured array that became an argument.

    Attributes:
        path: Where it stands: ``params['w'][0]``.
        type: Its short type; of a static argument its value.
        kind: ``argument``, ``static`` or ``constant``.
        key: The pivot that it is, "" for none.
        is_donated: Whether its buffer may be reused.
        is_dropped: Whether the program does not use it and has no parameter for it.
        parameter: The number of its parameter in StableHLO and HLO; -1 if it has none.
        aliased_to: The result that is written into its buffer, "" for none.
        remark: Why a donated buffer cannot be used, or what else becomes of it.
    """

    path: str
    type: str
    kind: str
    key: str = ""
    is_donated: bool = False
    is_dropped: bool = False
    parameter: int = -1
    aliased_to: str = ""
    remark: str = ""
