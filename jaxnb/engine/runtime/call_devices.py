"""On which devices a call runs, whether the user chose them, and how its arguments lie on several.

Lives here: the agreement of the arguments' devices, the shardings given to ``jit``, and the devices of captured arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxnb.engine.core.prefixes import prefix_errors
from jaxnb.engine.runtime.arrays import default_device, device_of
from jaxnb.engine.runtime.constants import jaxpr_const_args
from jaxnb.engine.runtime.layouts import Format
from jaxnb.engine.runtime.meshes import PartitionSpec
from jaxnb.engine.runtime.named_shardings import check_fits, devices_of, is_same_placement
from jaxnb.engine.runtime.placement import sharding_of
from jaxnb.engine.runtime.shapes import ShapeDtypeStruct
from jaxnb.engine.runtime.signature import UNSPECIFIED, JitInfo
from jaxnb.engine.runtime.traces import TracedCall
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.array import NamedSharding, Sharding
from jaxnb.xla.client import Device, backend

__all__ = ["Placement", "check_shardings", "place_call"]


Mark = Any
"""What a module says of where a value lies: False for nothing, True for "every device has all of it", or a sharding."""


class Placement(NamedTuple):
    """Where a call runs."""

    devices: tuple[Device, ...]
    committed: bool
    """Whether the user chose the devices, so that the results stay there."""
    given_in: tuple[Any, ...] = ()
    """For each leaf of the arguments the sharding given to ``jit``; empty where none was given."""
    given_out: tuple[Any, ...] = ()
    """The same for the results."""
    marks: tuple[tuple[Mark, ...], tuple[Mark, ...]] = ((), ())
    """What the module says of each leaf of the arguments and of each result; empty where it says nothing."""


def check_shardings(name: str, given: Any) -> Any:
    """Returns shardings as the user gave them to ``jit``, checked: a tree of shardings and None.

    Raises:
        TypeError: where a leaf is something else.
    """
    if given is UNSPECIFIED:
        return given
    for x in pytree.flatten(given, is_leaf=_is_leaf)[0]:
        sharding = x.sharding if isinstance(x, Format) else x
        if sharding is None or sharding is UNSPECIFIED:
            continue
        if not isinstance(sharding, Sharding | PartitionSpec):
            raise TypeError(
                f"{name} leaf specifications are expected to be PartitionSpec instances or None, but got {x}"
            )
    return UNSPECIFIED if all(x is None for x in pytree.flatten(given, is_leaf=_is_leaf)[0]) else given


def _is_leaf(x: Any) -> bool:
    return x is None or isinstance(x, Format | PartitionSpec | Sharding) or x is UNSPECIFIED


def _flat(name: str, tree: pytree.PyTreeDef, given: Any) -> tuple[Any, ...]:
    """Returns one sharding a leaf, from a prefix of the structure.

    Raises:
        RuntimeError: where a leaf is a partition spec, and there is no mesh that it could speak of.
        ValueError: where it is no prefix.
    """
    if any(isinstance(x, PartitionSpec) for x in pytree.flatten(given, is_leaf=_is_leaf)[0]):
        which = name.removeprefix("pjit ")
        raise RuntimeError(
            f"jit requires a non-empty mesh in context if you are passing `PartitionSpec`s to {which}. You can define a "
            f"context mesh via `jax.set_mesh(mesh)`. Alternatively, provide `Sharding`s to {which} and then the mesh "
            "context manager is not required."
        )
    out: list[Any] = []
    full = pytree.unflatten(tree, [object()] * tree.num_leaves)
    errors = list(prefix_errors(name, given, full, _is_leaf))
    if errors:
        raise ValueError(f"Mismatch details ({len(errors)} found):\n" + "\n".join(errors))

    def walk(prefix: Any, below: Any) -> None:
        if _is_leaf(prefix):
            sharding = prefix.sharding if isinstance(prefix, Format) else prefix
            out.extend([UNSPECIFIED if sharding is None else sharding] * len(pytree.flatten(below)[0]))
            return
        children, others = pytree.flatten_one_level(prefix), pytree.flatten_one_level(below)
        assert children is not None
        assert others is not None
        for a, b in zip(children[0], others[0], strict=True):
            walk(a, b)

    walk(given, full)
    return tuple(out)


def given_in_shardings(info: JitInfo, call: TracedCall) -> tuple[Any, ...]:
    """Returns the sharding given to ``jit`` for each leaf of the arguments; empty where none was given.

    Raises:
        ValueError: where they do not fit the arguments.
    """
    if info.in_shardings is UNSPECIFIED:
        return ()
    args, kwargs = pytree.unflatten(call.in_tree, [object()] * call.in_tree.num_leaves)
    if kwargs:
        raise ValueError("pjit does not support kwargs when in_shardings is specified.")
    given = tuple(info.in_shardings) if isinstance(info.in_shardings, list) else info.in_shardings
    must = (
        "pjit in_shardings specification must be a tree prefix of the positional arguments tuple. In particular, pjit "
        "in_shardings must either be a Sharding, a PartitionSpec, or a tuple of length equal to the number of positional "
        "arguments. But pjit in_shardings is "
    )
    if not _is_leaf(given) and not isinstance(given, tuple):
        raise ValueError(f"{must}not a tuple: got {type(given)} instead.")
    if isinstance(given, tuple) and len(given) != len(args):
        raise ValueError(
            f"{must}the wrong length: got a tuple or list of length {len(given)} for an args tuple of length {len(args)}."
        )
    return _flat("pjit in_shardings", pytree.flatten(args)[1], given)


def given_out_shardings(info: JitInfo, call: TracedCall) -> tuple[Any, ...]:
    """Returns the sharding given to ``jit`` for each leaf of the results; empty where none was given.

    Raises:
        ValueError: where they do not fit the results.
    """
    if info.out_shardings is UNSPECIFIED:
        return ()
    return _flat("pjit out_shardings", call.traced.out_tree, info.out_shardings)


def place_call(info: JitInfo, call: TracedCall) -> Placement:
    """Returns where a call runs.

    Raises:
        ValueError: where arguments, shardings and captured arrays disagree on the devices, or an array cannot be divided
            as a sharding says.
    """
    given_in = given_in_shardings(info, call)
    given_out = given_out_shardings(info, call)
    if info.device is not None:
        info.device.client  # noqa: B018  (what is no device is told of here)
        return _placement((info.device,), True, call, given_in, given_out)
    if info.backend is not None:
        return _placement((backend(info.backend).local_devices()[0],), True, call, given_in, given_out)
    jaxpr = call.traced.jaxpr
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), info.keep_unused)
    n_consts = len(call.traced.consts)
    names = call.traced.debug_info.arg_names
    place: _Agreement = _Agreement()
    for i, x in enumerate(call.leaves):
        if not kept[n_consts + i]:
            continue
        if given_in and given_in[i] is not UNSPECIFIED:
            place.add(devices_of(given_in[i]), lambda: "ARG_SHARDING")
            continue
        sharding = _known_sharding(x)
        if sharding is not None:
            name = names[i] if i < len(names) else f"args[{i}]"
            place.add(
                devices_of(sharding),
                lambda name=name, i=i: (
                    f"argument {name} of {_qualname(info)} with shape {call.avals[i].str_short()} and"
                ),
            )
    for c in jaxpr_const_args(live):
        sharding = sharding_of(c)
        if sharding is not None:
            place.add(devices_of(sharding), lambda: "closed over constant sharding")
    for sharding in given_out:
        if sharding is not UNSPECIFIED:
            place.add(devices_of(sharding), lambda: "explicit output sharding")
    if place.devices is None:
        return _placement((default_device(),), False, call, given_in, given_out)
    return _placement(place.devices, True, call, given_in, given_out)


def _placement(
    devices: tuple[Device, ...],
    committed: bool,
    call: TracedCall,
    given_in: tuple[Any, ...],
    given_out: tuple[Any, ...],
) -> Placement:
    known = [_known_sharding(x) for x in call.leaves]
    is_named = any(isinstance(s, NamedSharding) for s in (*known, *given_in, *given_out))
    if len(devices) == 1 and not given_in and not given_out and not is_named:
        return Placement(devices, committed)
    names, paths = call.traced.debug_info.arg_names, call.traced.debug_info.result_paths or ()
    for i, (sharding, x, aval) in enumerate(zip(given_in, call.leaves, call.avals, strict=False)):
        if sharding is UNSPECIFIED:
            continue
        check_fits(sharding, aval.shape, f"pjit arguments with pytree key path {_named(names, i)}")
        mine = _known_sharding(x)
        if len(devices) > 1 and mine is not None and not is_same_placement(mine, sharding, len(aval.shape)):
            raise ValueError(
                f"Sharding passed to jit does not match the sharding on the respective arg. Got jit sharding: {sharding},\n"
                f"arg sharding: {mine} for arg type: {aval.str_short()}"
            )
    for i, (sharding, aval) in enumerate(zip(given_out, call.traced.jaxpr.out_avals, strict=False)):
        if sharding is not UNSPECIFIED:
            check_fits(sharding, aval.shape, f"pjit outputs with pytree key path {_named(paths, i)}")
    of_results = tuple(map(_mark, given_out))
    if len(devices) == 1 and not is_named:
        return Placement(devices, committed, given_in, given_out, (tuple(map(_mark, given_in)), of_results))
    chosen = [
        s if s is not UNSPECIFIED else k
        for s, k in zip(given_in or [UNSPECIFIED] * len(known), known, strict=True)
    ]
    of_args = marks_of_parameters(chosen, call.avals, len(devices))
    return Placement(devices, committed, given_in, given_out, (of_args, of_results))


def marks_of_parameters(shardings: Sequence[Any], avals: Sequence[Any], n_devices: int) -> tuple[Mark, ...]:
    """Returns what a program says of its parameters, given the shardings that are known.

    On several devices a scalar is everywhere; where an array lies of which nothing is known is left to the compiler.
    """
    return tuple(
        _mark(sharding) or (n_devices > 1 and not getattr(aval, "shape", ()))
        for sharding, aval in zip(shardings, avals, strict=True)
    )


def _mark(sharding: Any) -> Mark:
    return sharding if isinstance(sharding, NamedSharding) else sharding not in (None, UNSPECIFIED)


def _named(names: Sequence[Any], i: int) -> Any:
    return names[i] if i < len(names) else i


class _Agreement:
    """The devices that all parties so far agree on."""

    __slots__ = ("devices", "who")

    def __init__(self) -> None:
        self.devices: tuple[Device, ...] | None = None
        self.who: Any = None

    def add(self, devices: tuple[Device, ...], who: Any) -> None:
        if self.devices is None:
            self.devices, self.who = devices, who
        elif devices != self.devices:
            raise ValueError(
                "Received incompatible devices for jitted computation. Got "
                f"{_said(self.who(), self.devices)} and {_said(who(), devices)}"
            )


def _said(who: str, devices: tuple[Device, ...]) -> str:
    return f"{who} with device ids {[d.id for d in devices]} on platform {devices[0].platform.upper()}"


def _qualname(info: JitInfo) -> str:
    return info.name if info.is_primitive else getattr(info.fun, "__qualname__", info.name)


def _known_sharding(x: Any) -> Any:
    """Returns where an argument was put, or None."""
    if isinstance(x, ShapeDtypeStruct):
        return x.sharding if isinstance(x.sharding, Sharding) else None
    return sharding_of(x)


def shardings_of_arguments(call: TracedCall, given_in: Sequence[Any]) -> list[Any]:
    """Returns the sharding that is known of each argument before anything runs, as the log shows it."""
    out = []
    for i, x in enumerate(call.leaves):
        if given_in and given_in[i] is not UNSPECIFIED:
            out.append(given_in[i])
        elif isinstance(x, ShapeDtypeStruct):
            out.append(UNSPECIFIED if x.sharding is None else x.sharding)
        else:
            out.append(x._sharding if device_of(x) is not None else UNSPECIFIED)
    return out
