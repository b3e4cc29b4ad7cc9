"""The rule tables of primitives, and ``define``: the one place where a primitive gets all its rules.

Lives here: the tables, ``define`` and the small builders that turn formulas into rules. May not import a transformation.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.primitive import Primitive, eager_rules

__all__ = [
    "Composite",
    "Undefined",
    "add_tangents_port",
    "batch_port",
    "batch_rules",
    "composite",
    "dce_rules",
    "define",
    "eager_rules",
    "instantiate_zeros",
    "jvp_rule_of",
    "jvp_rules",
    "known_rules",
    "linear_jvp",
    "linearize_rules",
    "lower_fun",
    "lowering_rules",
    "params_shown",
    "per_operand",
    "per_operand_out",
    "primitives",
    "register_lowering",
    "show",
    "split_rules",
    "transpose_rules",
]


class Undefined:
    """A rule that is deliberately absent, and why."""

    __slots__ = ("why",)

    def __init__(self, why: str):
        self.why = why

    def __repr__(self) -> str:
        return f"Undefined({self.why!r})"


class Composite:
    """A rule that is itself a program: to be lowered or differentiated in the primitive's place."""

    __slots__ = ("fun", "keeps_literals", "multiple_results")

    def __init__(self, fun: Callable[..., Any], multiple_results: bool, keeps_literals: bool = False):
        self.fun = fun
        self.multiple_results = multiple_results
        self.keeps_literals = keeps_literals
        """Whether the program stands in the equation's place before anything is lowered: a literal operand stays one in it,
        and its operations have the origin of the equation."""


def composite(
    fun: Callable[..., Any], multiple_results: bool = False, keeps_literals: bool = False
) -> Composite:
    """Returns a lowering or jvp rule made of a traceable function of the operands and parameters."""
    return Composite(fun, multiple_results, keeps_literals)


_ASKED_FOR = {
    "add": "jaxnb.engine.ops.arithmetic",
    "device_put": "jaxnb.engine.runtime.device_put",
    "dynamic_slice": "jaxnb.engine.ops.dynamic_slicing",
    "ge": "jaxnb.engine.ops.comparison",
    "le": "jaxnb.engine.ops.comparison",
    "reduce_and": "jaxnb.engine.ops.reductions",
    "reduce_sum": "jaxnb.engine.ops.reductions",
    "scatter-add": "jaxnb.engine.ops.scatter",
    "stage": "jaxnb.engine.ops.staging",
}
"""The modules of those that others ask for by name, since they cannot import them."""


class _Primitives(dict[str, Primitive]):
    """All primitives there are, by name; one that is asked for by name is loaded when it is not yet there."""

    def __missing__(self, name: str) -> Primitive:
        if name not in _ASKED_FOR:
            raise KeyError(name)
        importlib.import_module(_ASKED_FOR[name])
        return self[name]


primitives: dict[str, Primitive] = _Primitives()


class _LoweringRules(dict[Primitive, Any]):
    """The table of lowering rules: a primitive without one is named when it is lowered."""

    def __missing__(self, primitive: Primitive) -> Callable[..., Any]:
        def refuse(ctx: Any, *_: Any, **__: Any) -> Any:
            raise NotImplementedError(
                f"MLIR translation rule for primitive '{primitive.name}' not found for platform {ctx.platform}"
            )

        return refuse


lowering_rules: dict[Primitive, Callable[..., Any] | Composite] = _LoweringRules()
jvp_rules: dict[Primitive, Callable[..., Any]] = {}
linearize_rules: dict[Primitive, Callable[..., Any]] = {}
transpose_rules: dict[Primitive, Callable[..., Any]] = {}
batch_rules: dict[Primitive, Callable[..., Any]] = {}
dce_rules: dict[Primitive, Callable[..., Any]] = {}
split_rules: dict[Primitive, Callable[..., Any]] = {}
"""How an equation splits into what is known and what depends on a tangent (where a jvp rule calls a jitted function)."""
known_rules: dict[Primitive, Callable[..., Any]] = {}
"""What becomes there of an equation of which all is known, if it is not just handled around."""
params_shown: dict[Primitive, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {}

RuleTable = dict[Primitive, Any]


class _Port:
    """A slot that a higher layer fills once: the addition used for tangents, and the making of zeros."""

    add: Callable[[Any, Any], Any]
    zeros: Callable[[Any], Any]


add_tangents_port = _Port()


class _BatchPort:
    """A slot that ``ops`` fills: moving, making and summing over mapped axes."""

    move: Callable[[Any, int, int], Any]
    broadcast: Callable[[Any, int, int], Any]
    sum: Callable[[Any, int], Any]


batch_port = _BatchPort()


def _add_tangents(a: Any, b: Any) -> Any:
    if type(a) is Zero:
        return b
    if type(b) is Zero:
        return a
    return add_tangents_port.add(a, b)


def instantiate_zeros(tangent: Any) -> Any:
    """Returns the tangent, or an array of zeros where it is a symbolic zero."""
    return add_tangents_port.zeros(tangent.aval) if type(tangent) is Zero else tangent


def define(
    name: str,
    *,
    abstract: Callable[..., Any],
    lower: Callable[..., Any] | Composite | Undefined,
    jvp: Callable[..., Any] | Composite | Undefined,
    transpose: Callable[..., Any] | Undefined,
    batch: Callable[..., Any] | Undefined,
    multiple_results: bool = False,
    impl: Callable[..., Any] | None = None,
    linearize: Callable[..., Any] | None = None,
    dce: Callable[..., Any] | None = None,
    split: Callable[..., Any] | None = None,
    hide: Mapping[str, Any] | None = None,
    effects: Callable[..., Any] | None = None,
    doc: str | None = None,
) -> Primitive:
    """Returns a new primitive with all its rules in the tables.

    Args:
        name: the name printed in jaxprs.
        abstract: ``(*avals, **params) -> aval`` (a list of avals with ``multiple_results``).
        lower: ``(ctx, *values, **params) -> ir.Value | list``; or ``composite(fun)``.
        jvp: ``(primals, tangents, **params) -> (out, tangent_out)``; or ``composite(fun)``.
        transpose: ``(ct, *operands, **params) -> [ct or None for each operand]``.
        batch: ``(operands, dims, **params) -> (out, dim)``.
        multiple_results: whether the primitive has a list of results.
        impl: an eager rule of its own; by default the primitive is compiled alone.
        linearize: a linearisation of its own; by default it follows from ``jvp``.
        dce: ``(used_outputs, eqn) -> (used_inputs, eqn or None)`` for higher-order primitives.
        split: see ``split_rules``.
        hide: parameter -> value that is not printed; the value ``...`` hides it always.
        effects: ``(*avals, **params) -> set of effects``.
        doc: what the primitive computes, for ``show``.

    Raises:
        ValueError: where the name is taken.
    """
    if name in primitives:
        raise ValueError(f"primitive {name!r} is defined twice")
    prim = Primitive(name)
    prim.def_abstract_eval(abstract)
    prim.multiple_results = multiple_results
    prim.effects = effects
    prim.doc = doc
    del eager_rules[prim]  # by default it is compiled alone
    primitives[name] = prim
    tables: list[tuple[RuleTable, Any]] = [
        (lowering_rules, lower),
        (jvp_rules, jvp),
        (transpose_rules, transpose),
        (batch_rules, batch),
    ]
    for table, rule in tables:
        if rule is None:
            raise ValueError(
                f"primitive {name!r}: a rule is missing; say Undefined('why') where that is meant"
            )
        table[prim] = rule
    for table, rule in (
        (eager_rules, impl),
        (linearize_rules, linearize),
        (dce_rules, dce),
        (split_rules, split),
    ):
        if rule is not None:
            table[prim] = rule
    if hide is not None:
        params_shown[prim] = _hider(dict(hide))
    return prim


def register_lowering(
    prim: Primitive,
    rule: Callable[..., Any] | Composite,
    platform: str | None = None,
    inline: bool = True,
    cacheable: bool = True,
) -> None:
    """Sets how a primitive is lowered.

    Args:
        prim: the primitive.
        rule: ``(ctx, *values, **params) -> sequence of values``, or ``lower_fun`` of a function.
        platform: the platform that the rule is for; by default all.
        inline: taken as in JAX; a rule's operations always stand where the equation stood.
        cacheable: taken as in JAX; nothing is remembered of a plain rule.
    """
    if platform is None:
        lowering_rules[prim] = rule
        return
    otherwise = lowering_rules[prim]

    def chosen(ctx: Any, *values: Any, **params: Any) -> Any:
        found = rule if ctx.platform == platform else otherwise
        return found if isinstance(found, Composite) else found(ctx, *values, **params)

    lowering_rules[prim] = chosen


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> Composite:
    """Returns the lowering rule that is a traceable function's program."""
    return composite(fun, multiple_results)


def _hider(hidden: dict[str, Any]) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    def shown(params: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            k: v
            for k, v in params.items()
            if not (k in hidden and (hidden[k] is ... or hidden[k] is v or _equal(hidden[k], v)))
        }

    return shown


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def per_operand(*rules: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns a jvp rule from one formula an operand: ``rule(t, *primals, **params)``; None where there is no derivative."""

    def make(prim_box: list[Primitive]) -> Callable[..., Any]:
        def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
            out = prim_box[0].bind(*primals, **params)
            terms = [
                rule(t, *primals, **params)
                for rule, t in zip(rules, tangents, strict=True)
                if rule is not None and type(t) is not Zero
            ]
            return out, functools.reduce(_add_tangents, terms) if terms else Zero.from_primal_value(out)

        return jvp

    return _Deferred(make)


def per_operand_out(*rules: Callable[..., Any] | None) -> Callable[..., Any]:
    """Returns a jvp rule from one formula an operand that may use the result: ``rule(t, ans, *primals, **params)``."""

    def make(prim_box: list[Primitive]) -> Callable[..., Any]:
        def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
            out = prim_box[0].bind(*primals, **params)
            terms = [
                rule(t, out, *primals, **params)
                for rule, t in zip(rules, tangents, strict=True)
                if rule is not None and type(t) is not Zero
            ]
            return out, functools.reduce(_add_tangents, terms) if terms else Zero.from_primal_value(out)

        return jvp

    return _Deferred(make)


class _Deferred:
    """A jvp rule that needs its own primitive: bound to it the first time it is asked for."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[list[Primitive]], Callable[..., Any]]):
        self.make = make

    def __call__(self, primals: Any, tangents: Any, **params: Any) -> Any:
        raise TypeError("a jvp builder is only usable as the jvp= argument of define(...)")


def linear_jvp(*args: Any, **kwargs: Any) -> Any:
    """The jvp rule of a linear primitive: the primitive itself, applied to the tangents."""
    raise TypeError("linear_jvp is only usable as the jvp= argument of define(...)")


def _linear_jvp_for(prim: Primitive) -> Callable[..., Any]:
    def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
        out = prim.bind(*primals, **params)
        if all(type(t) is Zero for t in tangents):
            if prim.multiple_results:
                return out, [Zero.from_primal_value(o) for o in out]
            return out, Zero.from_primal_value(out)
        full = [instantiate_zeros(t) for t in tangents]
        return out, prim.bind(*full, **params)

    return jvp


def jvp_rule_of(prim: Primitive) -> Any:
    """Returns the primitive's jvp rule, building it on first use where it was given as a formula."""
    rule = jvp_rules[prim]
    if type(rule) is _Deferred:
        rule = jvp_rules[prim] = rule.make([prim])
    elif rule is linear_jvp:
        rule = jvp_rules[prim] = _linear_jvp_for(prim)
    return rule


def show(prim: Primitive) -> dict[str, str]:
    """Returns what a student may ask of a primitive: each table and the rule that stands in it."""
    rows: dict[str, str] = {"name": prim.name, "doc": prim.doc or ""}
    for title, table in (
        ("lower", lowering_rules),
        ("jvp", jvp_rules),
        ("transpose", transpose_rules),
        ("batch", batch_rules),
        ("linearize", linearize_rules),
    ):
        rule = table.get(prim)
        if rule is None:
            continue
        if isinstance(rule, Undefined):
            rows[title] = f"none: {rule.why}"
        else:
            fun = rule.fun if isinstance(rule, Composite) else rule
            rows[title] = (
                f"{getattr(fun, '__module__', '')}.{getattr(fun, '__qualname__', type(fun).__name__)}"
            )
    return rows
