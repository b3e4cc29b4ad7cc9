"""Jaxprs: programs as data.

Lives here: variables, literals, equations and programs, and how to walk them. Knows no tracing, no printing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.source import SourceInfo
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "Atom",
    "ClosedJaxpr",
    "DebugInfo",
    "DropVar",
    "Jaxpr",
    "JaxprEqn",
    "Literal",
    "Var",
    "eqn_ids",
    "no_effects",
    "sub_jaxprs",
]

no_effects: frozenset = frozenset()
eqn_ids = itertools.count(1)
"""The source of equation identities: never reused in a process."""


class Var:
    """A variable of a jaxpr; compared by identity."""

    __slots__ = ("aval",)

    aval: Any

    def __init__(self, aval: AbstractValue):
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short()}"


class DropVar(Var):
    """A result that nothing uses; printed as ``_``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "_"


class Literal:
    """A constant in an operand's place."""

    __slots__ = ("aval", "val")

    aval: Any

    def __init__(self, val: Any, aval: AbstractValue):
        self.val = val
        self.aval = aval

    @property
    def hash(self) -> Any:
        """A hash of the value, or None where it has none."""
        try:
            return hash(self.val)
        except TypeError:
            if isinstance(self.val, np.ndarray | np.generic) and self.val.ndim == 0:
                return hash((self.val.item(), self.val.dtype))
            return None

    def __repr__(self) -> str:
        return f"Literal({self.val})"


def literal_text(lit: Literal) -> str:
    """Returns a literal's printed form: ``1.0:f32[]``, or ``[...]:f32[16]`` for an array."""
    aval = lit.aval
    val = lit.val
    if isinstance(aval, ShapedArray) and not aval.shape and not dtypes.is_extended(aval.dtype):
        if isinstance(val, bool | int | float | complex) and not isinstance(val, np.generic):
            text = str(val)
        elif hasattr(val, "item"):
            text = str(np.asarray(val).item())
        else:
            text = str(val)
        return f"{text}:{aval.str_short(short_dtypes=True)}"
    return f"[...]:{aval.str_short(short_dtypes=True)}"


Atom: TypeAlias = Var | Literal


class DebugInfo(NamedTuple):
    """What a jaxpr is told about the function it was traced from, for messages and names."""

    traced_for: str
    func_src_info: str
    func_name: str
    arg_names: tuple[str | None, ...] = ()
    result_paths: tuple[str | None, ...] | None = None

    def __repr__(self) -> str:
        shown = ("traced_for", "func_src_info", "arg_names", "result_paths")
        return f"DebugInfo({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"


class JaxprEqn:
    """One operation: results, primitive, parameters, operands; with identity and provenance from birth."""

    __slots__ = ("effects", "id", "invars", "outvars", "params", "primitive", "source_info")

    def __init__(
        self,
        invars: list[Atom],
        outvars: list[Var],
        primitive: Primitive,
        params: dict[str, Any],
        effects: frozenset,
        source_info: SourceInfo,
        id: int,
    ):
        self.invars = invars
        self.outvars = outvars
        self.primitive = primitive
        self.params = params
        self.effects = effects
        self.source_info = source_info
        self.id = id

    def replace(self, **changes: Any) -> JaxprEqn:
        """Returns a copy with fields replaced; the identity stays unless ``id`` is given."""
        fields = {k: changes.get(k, getattr(self, k)) for k in self.__slots__}
        return JaxprEqn(**fields)

    def __repr__(self) -> str:
        return pretty_port.eqn(self)


class _PrettyPort:
    """Filled by ``core/printer.py``; reprs of data print through it."""

    def eqn(self, eqn: JaxprEqn) -> str:
        return f"<{eqn.primitive}>"

    def jaxpr(self, jaxpr: Jaxpr, **options: Any) -> str:
        return "<jaxpr>"


pretty_port: Any = _PrettyPort()


class Jaxpr:
    """A program: constants' variables, parameters, equations, results."""

    __slots__ = (
        "__weakref__",
        "_cache",
        "constvars",
        "debug_info",
        "effects",
        "eqns",
        "invars",
        "outvars",
    )

    def __init__(
        self,
        constvars: Sequence[Var],
        invars: Sequence[Var],
        outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn],
        effects: frozenset = no_effects,
        debug_info: DebugInfo | None = None,
    ):
        self.constvars = list(constvars)
        self.invars = list(invars)
        self.outvars = list(outvars)
        self.eqns = list(eqns)
        self.effects = effects
        self.debug_info = debug_info
        self._cache: dict[Any, Any] = {}

    @property
    def jaxpr(self) -> Jaxpr:
        """This program (a closed one answers with the open one inside)."""
        return self

    @property
    def in_avals(self) -> list[Any]:
        """The types of the parameters."""
        return [v.aval for v in self.invars]

    @property
    def out_avals(self) -> list[Any]:
        """The types of the results."""
        return [v.aval for v in self.outvars]

    def replace(self, **changes: Any) -> Jaxpr:
        """Returns a copy with fields replaced."""
        names = ("constvars", "invars", "outvars", "eqns", "effects", "debug_info")
        return Jaxpr(**{k: changes.get(k, getattr(self, k)) for k in names})

    def pretty_print(self, **options: Any) -> str:
        """Returns the text.

        Args:
            **options: ``source_info`` (lines), ``name_stack``, ``print_shapes``, ``custom_pp_eqn_rules`` and
                ``print_effects`` are JAX's; ``sub_jaxprs=False`` leaves out the programs inside of equations. How it is
                laid out is said by ``width``, ``use_color``, ``annotation_prefix``, ``separable_lines``,
                ``output_format`` (``"TEXT"`` or ``"HTML"``) and ``source_map``, a list that is filled, as in JAX.
        """
        return pretty_port.jaxpr(self, **options)

    def __str__(self) -> str:
        return pretty_port.jaxpr(self)

    __repr__ = __str__


_UNPAIRED = "consts, when attached, must pair with constvars" if JAXLIB_VERSION >= (0, 12) else ""


class ClosedJaxpr:
    """A program together with the values of its constants' variables."""

    __slots__ = ("__weakref__", "_jaxpr", "consts")

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Any]):
        assert len(consts) == len(jaxpr.constvars), _UNPAIRED
        self._jaxpr = jaxpr
        self.consts = list(consts)

    jaxpr = property(lambda self: self._jaxpr, doc="The open program.")
    constvars = property(lambda self: self._jaxpr.constvars, doc="The constants' variables.")
    invars = property(lambda self: self._jaxpr.invars, doc="The parameters.")
    outvars = property(lambda self: self._jaxpr.outvars, doc="The results.")
    in_avals = property(lambda self: [v.aval for v in self._jaxpr.invars], doc="The types of the parameters.")
    out_avals = property(lambda self: [v.aval for v in self._jaxpr.outvars], doc="The types of the results.")
    literals = property(lambda self: self.consts, doc="The constants' values.")
    eqns = property(lambda self: self._jaxpr.eqns, doc="The equations.")
    effects = property(lambda self: self._jaxpr.effects, doc="The effects.")
    debug_info = property(lambda self: self._jaxpr.debug_info, doc="What is known of the traced function.")

    def replace(self, *, jaxpr: Jaxpr | None = None, consts: Sequence[Any] | None = None) -> ClosedJaxpr:
        """Returns a copy with fields replaced."""
        return ClosedJaxpr(self._jaxpr if jaxpr is None else jaxpr, self.consts if consts is None else consts)

    def map_jaxpr(self, f: Callable[[Jaxpr], Jaxpr]) -> ClosedJaxpr:
        """Returns the closed form of what ``f`` makes of the program, with the same constants."""
        return ClosedJaxpr(f(self._jaxpr), self.consts)

    def pretty_print(self, **options: Any) -> str:
        """Returns the text; see ``Jaxpr.pretty_print``."""
        return pretty_port.jaxpr(self._jaxpr, **options)

    def __str__(self) -> str:
        return pretty_port.jaxpr(self._jaxpr)

    __repr__ = __str__


def close(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the closed form of a program without constants' variables; always the same object for the same program."""
    found = jaxpr._cache.get("closed")
    if found is None:
        found = jaxpr._cache["closed"] = ClosedJaxpr(jaxpr, ())
    return found


def sub_jaxprs(eqn: JaxprEqn) -> Iterator[Jaxpr]:
    """Yields the programs in an equation's parameters."""
    for value in eqn.params.values():
        yield from _jaxprs_in(value)


def _jaxprs_in(value: Any) -> Iterator[Jaxpr]:
    kind = type(value)
    if kind is Jaxpr:
        yield value
    elif kind is ClosedJaxpr:
        yield value.jaxpr
    elif kind is tuple or kind is list:
        for item in value:
            yield from _jaxprs_in(item)
