"""Where the parameters and results of a compiled program lie: as its module says, or as the compiler decided.

Lives here: the shardings of one program, before and after it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.runtime.meshes import Mesh, PartitionSpec
from jaxnb.engine.runtime.named_shardings import is_same_placement, named_from_hlo
from jaxnb.engine.runtime.placement import sharding_of
from jaxnb.xla import array as door
from jaxnb.xla.array import GSPMDSharding, NamedSharding
from jaxnb.xla.client import Device, device_list
from jaxnb.xla.compile import Executable, inspection_key

__all__ = ["inspector", "marks_of_constants", "shardings_of_program", "what_is_left_open"]


def marks_of_constants(const_args: Sequence[Any], partitions: int) -> list[Any]:
    """Returns what a module says of its captured arrays: of those that the user has put somewhere, where that is."""
    shardings = [sharding_of(c) for c in const_args]
    return [s if isinstance(s, NamedSharding) else partitions == 1 and s is not None for s in shardings]


def _marks(lowered: Any) -> tuple[list[Any], list[Any]]:
    """Returns the marks of all parameters, captured arrays first, and of all results."""
    of_args, of_results = lowered.marks
    constants = marks_of_constants(lowered.const_args, len(lowered.devices))
    args = list(of_args) or [False] * sum(lowered.kept)
    return constants + args, list(of_results) or [False] * len(lowered.out_avals)


def inspector(
    devices: Sequence[Device],
    marks: tuple[Sequence[Any], Sequence[Any]],
    const_args: Sequence[Any],
    kept: list[Any],
) -> Callable[[Callable[[Any], None], int], bytes]:
    """Returns what makes the key by which the compiler tells a function of a sharding how it divides a value.

    Args:
        devices: where the program will run.
        marks: what the module says of its parameters and results.
        const_args: the captured arrays.
        kept: where what the compiler will call is put, for somebody to keep it alive.
    """
    meshes = _meshes((*map(sharding_of, const_args), *marks[0], *marks[1]))

    def key_for(callback: Callable[[Any], None], ndim: int) -> bytes:
        def tell(division: Any) -> None:
            callback(_in_names(door.by_tiles(division), meshes, ndim, devices))

        kept.append(tell)
        return inspection_key(tell)

    return key_for


def _meshes(shardings: Sequence[Any]) -> list[Mesh]:
    """Returns the meshes that shardings speak of, each once."""
    return list(dict.fromkeys(s.mesh for s in shardings if isinstance(s, NamedSharding)))


def _in_names(division: Any, meshes: Sequence[Mesh], ndim: int, devices: Sequence[Device]) -> Any:
    """Returns what the compiler decided in the names of the first mesh that can say it, or as the compiler says it."""
    named = (named_from_hlo(division, mesh, ndim) for mesh in meshes)
    found = next((sharding for sharding in named if sharding is not None), None)
    return GSPMDSharding(device_list(tuple(devices)), division) if found is None else found


def what_is_left_open(lowered: Any) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Returns, for each parameter and each result, whether the compiler may decide where it lies."""
    params, results = _marks(lowered)
    if len(lowered.devices) == 1:
        return (True,) * len(params), (True,) * len(results)
    return tuple(not mark for mark in params), tuple(not mark for mark in results)


def shardings_of_program(lowered: Any, executable: Executable) -> tuple[list[Any], list[Any]]:
    """Returns the shardings of the parameters, captured arrays first, and of the results."""
    params, results = _marks(lowered)
    ends = (*params, *results)
    if len(lowered.devices) == 1 and not any(isinstance(mark, NamedSharding) for mark in ends):
        here = door.single_device_sharding(lowered.devices[0])
        return [here] * len(params), [here] * len(results)
    types = [lowered.in_avals[i] for i, kept in enumerate(lowered.kept) if kept]
    in_ranks = [*(len(c.shape) for c in lowered.const_args), *(_rank(aval) for aval in types)]
    out_ranks = [_rank(aval) for aval in lowered.out_avals]
    ends = [*zip(params, in_ranks, strict=True), *zip(results, out_ranks, strict=True)]
    if len(lowered.devices) == 1:
        return _on_one(lowered, params, in_ranks, *_first(ends)), _on_one(
            lowered, results, out_ranks, *_first(ends)
        )
    named = [end for end in ends if isinstance(end[0], NamedSharding)]
    return (
        _decided(lowered, params, executable.parameter_shardings(), in_ranks, named),
        _decided(lowered, results, executable.output_shardings(), out_ranks, named),
    )


def _first(ends: Sequence[tuple[Any, int]]) -> tuple[Any, int]:
    return next(end for end in ends if end[0])


def _on_one(
    lowered: Any, marks: Sequence[Any], ranks: Sequence[int], first: Any, first_rank: int
) -> list[Any]:
    """Returns a sharding for each mark where one device has everything: in the first one's words, if it has names."""
    here = door.single_device_sharding(lowered.devices[0])
    out = []
    for mark, rank in zip(marks, ranks, strict=True):
        if isinstance(mark, NamedSharding):
            out.append(mark)
        elif mark or not isinstance(first, NamedSharding):
            out.append(here)
        else:
            out.append(first if rank == first_rank else NamedSharding(first.mesh, PartitionSpec()))
    return out


def _rank(aval: Any) -> int:
    return len(getattr(aval, "shape", ())) + len(getattr(aval.dtype, "element_shape", ()))


def _decided(
    lowered: Any,
    marks: Sequence[Any],
    protos: Any,
    ranks: Sequence[int],
    named: Sequence[tuple[NamedSharding, int]],
) -> list[Any]:
    """Returns a sharding for each mark: what the module says, or what the compiler decided.

    That is said in the module's own words: by the first of its shardings if it is the same, else by names of its meshes.
    """
    out: list[Any] = []
    meshes = _meshes([sharding for sharding, _ in named])
    for mark, proto, rank in zip(marks, protos or [], ranks, strict=True):
        if isinstance(mark, NamedSharding):
            out.append(mark)
            continue
        found = _in_names(door.hlo_sharding_of(proto), meshes, rank, lowered.devices)
        first, first_rank = named[0] if named else (None, None)
        out.append(first if rank == first_rank and is_same_placement(found, first, rank) else found)
    return out
