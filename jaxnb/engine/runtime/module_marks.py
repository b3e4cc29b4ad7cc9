"""What a module says of its parameters and results: which are constants or tokens, what is donated, where each lies.

Lives here: the attributes of ``main`` and the meshes that they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.base import config
from jaxnb.engine.core.avals import AbstractValue, get_aval
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.runtime.meshes import Mesh
from jaxnb.engine.runtime.named_shardings import sdy_text, to_hlo
from jaxnb.engine.runtime.placement import sharding_of
from jaxnb.xla.array import NamedSharding
from jaxnb.xla.mlir import ir, sdy

__all__ = ["ModuleMarks", "mark", "platform_mark"]


def mark(name: str) -> Any:
    """Returns the attributes of a value that is only to be called something: ``{jax.token = true}``."""
    return ir.DictAttr.get({name: ir.BoolAttr.get(True)})


def platform_mark() -> Any:
    """Returns the attributes of the parameter that says on which platform a program runs."""
    return ir.DictAttr.get({"jax.global_constant": ir.StringAttr.get("_platform_index")})


class ModuleMarks:
    """The marks of one module, and the meshes that they name."""

    def __init__(self, marks: Sequence[Any] = ()) -> None:
        """``marks`` are those of constants, parameters and results, in the order in which their meshes get names."""
        self.meshes: dict[Mesh | None, str] = {}
        for where in marks:
            if where:
                self.name(where.mesh if isinstance(where, NamedSharding) else None)

    def parameters(
        self,
        op: Any,
        jaxpr: Jaxpr,
        const_args: Sequence[Any],
        of_constants: Sequence[Any],
        donors: Sequence[bool],
        aliases: Sequence[int | None],
        of_args: Sequence[Any],
        chosen: bool,
    ) -> None:
        """Marks the parameters of ``main``.

        Args:
            op: the function.
            jaxpr: its program.
            const_args: the captured arrays.
            of_constants: for each of them what is said of where it lies.
            donors: which parameters' buffers XLA may take for whatever it likes.
            aliases: for each parameter the output that takes its buffer, or None.
            of_args: for each parameter what is said of where it lies; empty for nothing.
            chosen: whether the first parameter is the index of the platform.
        """
        attrs: list[Any] = []
        if chosen:
            attrs.append(platform_mark())
        attrs += [mark("jax.token")] * len(ordered(jaxpr.effects))
        for c, where in zip(const_args, of_constants, strict=True):
            # where the user put a constant is part of the program
            entries = {"jax.const": ir.BoolAttr.get(True), **self._place(where, get_aval(c))}
            attrs.append(ir.DictAttr.get(entries))
        i32 = ir.IntegerType.get_signless(32)
        for i, v in enumerate(jaxpr.invars):
            entries: dict[str, Any] = {}
            alias = aliases[i] if aliases else None
            if alias is not None:
                entries["tf.aliasing_output"] = ir.IntegerAttr.get(i32, alias)
            elif donors and donors[i]:
                entries["jax.buffer_donor"] = ir.BoolAttr.get(True)
            if of_args:
                entries.update(self._place(of_args[i], v.aval))
            attrs.append(ir.DictAttr.get(entries))
        op.arg_attrs = ir.ArrayAttr.get(attrs)

    def results(
        self, op: Any, jaxpr: Jaxpr, paths: Sequence[str | None] | None, of_results: Sequence[Any]
    ) -> None:
        """Marks the results of ``main``: where each stands in the function's result, and where it lies."""
        if paths is None and not any(of_results):
            return
        attrs: list[Any] = [mark("jax.token")] * len(ordered(jaxpr.effects))
        for i, v in enumerate(jaxpr.outvars):
            entries: dict[str, Any] = {}
            path = paths[i] if paths is not None and i < len(paths) else None
            if path is not None:
                entries["jax.result_info"] = ir.StringAttr.get(path)
            if of_results:
                entries.update(self._place(of_results[i], v.aval))
            attrs.append(ir.DictAttr.get(entries))
        op.result_attrs = ir.ArrayAttr.get(attrs)

    def name(self, mesh: Mesh | None) -> str:
        """Returns what the module calls a mesh; None stands for the one without axes, on which everything is whole."""
        if mesh not in self.meshes:
            others = len(self.meshes) - (None in self.meshes)
            self.meshes[mesh] = "empty_mesh" if mesh is None else f"mesh_{others - 1}" if others else "mesh"
        return self.meshes[mesh]

    def keep_constants(self, const_args: Sequence[Any], values: Sequence[Any]) -> None:
        """Emits, in a function that is called, where its captured arrays were put by the user.

        Nothing uses the results, and yet Shardy reads them.
        """
        if not config.use_shardy_partitioner.value:
            return
        for c, value in zip(const_args, values, strict=True):
            if (where := sharding_of(c)) is not None:
                sdy.sharding_constraint(value, ir.Attribute.parse(self._text(where, len(c.shape))))

    def _text(self, where: Any, ndim: int) -> str:
        """Returns where a value of so many dimensions lies, as Shardy writes it."""
        if isinstance(where, NamedSharding):
            return sdy_text(where, self.name(where.mesh), ndim)
        return f"#sdy.sharding<@{self.name(None)}, [{', '.join(['{}'] * ndim)}]>"

    def _place(self, where: Any, aval: AbstractValue) -> dict[str, Any]:
        """Returns the attribute that says where a value lies; none where nothing is said."""
        if not where:
            return {}
        ndim = len(getattr(aval, "shape", ()))
        is_named = isinstance(where, NamedSharding)
        if not config.use_shardy_partitioner.value:
            text = str(to_hlo(where, ndim)) if is_named else "{replicated}"
            return {"mhlo.sharding": ir.StringAttr.get(text)}
        if is_named:
            ndim += len(getattr(aval.dtype, "element_shape", ()))  # pyright: ignore[reportAttributeAccessIssue]
        return {"sdy.sharding": ir.Attribute.parse(self._text(where, ndim))}

    def declare(self, module: Any) -> None:
        """Puts the meshes that are named at the beginning of a module."""
        if not config.use_shardy_partitioner.value:
            return
        for mesh, name in reversed(self.meshes.items()):
            text = _declaration(name, () if mesh is None else mesh.shape_tuple)
            op = ir.Module.parse(f"module {{ {text} }}").body.operations[0].operation
            op.clone(ip=ir.InsertionPoint.at_block_begin(module.body))


def _declaration(name: str, axes: Sequence[tuple[Any, int]]) -> str:
    sizes = ", ".join(f'"{axis}"={size}' for axis, size in axes)
    said = ", ".join(f'{{name = "{axis}", size = {size} : i64}}' for axis, size in axes)
    return f"sdy.mesh @{name} = <[{sizes}]> {{stablehlo.mesh = {{axes = [{said}]}}}} loc(unknown)"
