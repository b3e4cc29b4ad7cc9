"""On which device a call runs, and whether the user chose it.

Lives here: the agreement of the arguments' devices, the shardings given to ``jit``, and the devices of captured arrays.
All of it is about one device: a program runs on one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxnb.engine.core.prefixes import prefix_errors
from jaxnb.engine.runtime.arrays import default_device, device_of
from jaxnb.engine.runtime.constants import jaxpr_const_args
from jaxnb.engine.runtime.layouts import Format
from jaxnb.engine.runtime.shapes import ShapeDtypeStruct
from jaxnb.engine.runtime.signature import UNSPECIFIED, JitInfo
from jaxnb.engine.runtime.traces import TracedCall
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.array import Sharding
from jaxnb.xla.client import Device, backend

__all__ = ["Placement", "check_shardings", "place_call"]


class Placement(NamedTuple):
    """Where a call runs."""

    device: Device
    committed: bool
    """Whether the user chose the device, so that the results stay there."""
    given_in: tuple[Any, ...] = ()
    """For each leaf of the arguments the sharding given to ``jit``; empty where none was given."""
    given_out: tuple[Any, ...] = ()
    """The same for the results."""


def check_shardings(name: str, given: Any) -> Any:
    """Returns shardings as the user gave them to ``jit``, checked: a tree of shardings on one device, and None.

    Raises:
        TypeError: where a leaf is something else.
        ValueError: where a sharding spans several devices.
    """
    if given is UNSPECIFIED:
        return given
    for x in pytree.flatten(given, is_leaf=_is_leaf)[0]:
        sharding = x.sharding if isinstance(x, Format) else x
        if sharding is None or sharding is UNSPECIFIED:
            continue
        if not isinstance(sharding, Sharding):
            raise TypeError(
                f"{name} leaf specifications are expected to be PartitionSpec instances or None, but got {x}"
            )
        if len(sharding._internal_device_list) != 1:
            raise ValueError(f"{name}: a program runs on one device, but got {sharding}")
    return UNSPECIFIED if all(x is None for x in pytree.flatten(given, is_leaf=_is_leaf)[0]) else given


def _is_leaf(x: Any) -> bool:
    return x is None or isinstance(x, Format | Sharding) or x is UNSPECIFIED


def _flat(name: str, tree: pytree.PyTreeDef, given: Any) -> tuple[Any, ...]:
    """Returns one sharding a leaf, from a prefix of the structure.

    Raises:
        ValueError: where it is no prefix.
    """
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
        ValueError: where arguments, shardings and captured arrays disagree on the device.
    """
    given_in = given_in_shardings(info, call)
    given_out = given_out_shardings(info, call)
    if info.device is not None:
        info.device.client  # noqa: B018  (what is no device is told of here)
        return Placement(info.device, True, given_in, given_out)
    if info.backend is not None:
        return Placement(backend(info.backend).local_devices()[0], True, given_in, given_out)
    jaxpr = call.traced.jaxpr
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), info.keep_unused)
    n_consts = len(call.traced.consts)
    names = call.traced.debug_info.arg_names
    place: _Agreement = _Agreement()
    for i, x in enumerate(call.leaves):
        if not kept[n_consts + i]:
            continue
        if given_in and given_in[i] is not UNSPECIFIED:
            place.add(_device_of_sharding(given_in[i]), lambda: "ARG_SHARDING")
            continue
        device = _committed_device(x)
        if device is not None:
            name = names[i] if i < len(names) else f"args[{i}]"
            place.add(
                device,
                lambda name=name, i=i: (
                    f"argument {name} of {_qualname(info)} with shape {call.avals[i].str_short()} and"
                ),
            )
    for c in jaxpr_const_args(live):
        device = device_of(c)
        if device is not None:
            place.add(device, lambda: "closed over constant sharding")
    for sharding in given_out:
        if sharding is not UNSPECIFIED:
            place.add(_device_of_sharding(sharding), lambda: "explicit output sharding")
    if place.device is None:
        return Placement(default_device(), False, given_in, given_out)
    return Placement(place.device, True, given_in, given_out)


class _Agreement:
    """The device that all parties so far agree on."""

    __slots__ = ("device", "who")

    def __init__(self) -> None:
        self.device: Any = None
        self.who: Any = None

    def add(self, device: Device, who: Any) -> None:
        if self.device is None:
            self.device, self.who = device, who
        elif device != self.device:
            raise ValueError(
                "Received incompatible devices for jitted computation. Got "
                f"{_said(self.who(), self.device)} and {_said(who(), device)}"
            )


def _said(who: str, device: Device) -> str:
    return f"{who} with device ids [{device.id}] on platform {device.platform.upper()}"


def _qualname(info: JitInfo) -> str:
    return info.name if info.is_primitive else getattr(info.fun, "__qualname__", info.name)


def _device_of_sharding(sharding: Any) -> Device:
    return next(iter(sharding._internal_device_list))


def _committed_device(x: Any) -> Device | None:
    if isinstance(x, ShapeDtypeStruct):
        return _device_of_sharding(x.sharding) if isinstance(x.sharding, Sharding) else None
    return device_of(x)


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
