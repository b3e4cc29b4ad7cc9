"""Random well-typed programs, the same in every run: made as source text from a fixed seed.

A program is a function of two arrays: some lines of operations, each on values that are there, then a loop, a branch or a
nested function, and often a transformation around all of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.differential.program import Program

SEED = 20260701
COUNT = 150

FLOAT_UNARY = (
    "sin", "cos", "tanh", "exp", "neg", "abs", "logistic", "floor", "sign", "expm1", "square", "atan", "erf",
)  # fmt: skip
INT_UNARY = ("neg", "abs", "sign", "bitwise_not", "population_count")
FLOAT_BINARY = ("add", "sub", "mul", "max", "min", "atan2")
INT_BINARY = ("add", "sub", "mul", "max", "min", "bitwise_and", "bitwise_xor")
REDUCTIONS = ("reduce_sum", "reduce_max", "reduce_min")


@dataclass(frozen=True)
class Value:
    """A variable of the program: its name, its shape and whether its elements are floats."""

    name: str
    shape: tuple[int, ...]
    is_float: bool = True


def pick(rng: random.Random, options):
    """One of the options; with nothing but `random()`, whose numbers are the same in every version of Python."""
    return options[int(rng.random() * len(options))]


@dataclass
class Generator:
    """Writes one program."""

    rng: random.Random
    indent: str = "    "
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    prefix: str = "v"

    def emit(self, source: str, shape: tuple[int, ...], is_float: bool) -> None:
        """Adds a line, and the value that it makes."""
        name = f"{self.prefix}{len(self.lines)}"
        self.lines.append(f"{self.indent}{name} = {source}")
        self.values.append(Value(name, shape, is_float))

    def value(self, wanted: Callable[[Value], bool] = lambda v: True) -> Value | None:
        """One of the values that fit, the later ones more often."""
        found = [v for v in self.values if wanted(v)]
        return pick(self.rng, found + found[-3:]) if found else None

    def line(self) -> None:
        """Adds a line of some kind; nothing where that kind does not fit."""
        pick(self.rng, self.kinds)()

    @property
    def kinds(self) -> list[Callable[[], None]]:
        """What lines there are; those named twice come twice as often."""
        return [
            self.unary, self.unary, self.binary, self.binary, self.scalar, self.reduction, self.reshaped,
            self.transposed, self.broadcast, self.sliced, self.joined, self.selected, self.converted, self.contracted,
            self.cumulative, self.padded,
        ]  # fmt: skip

    def unary(self) -> None:
        """One operand."""
        v = self.value()
        assert v is not None
        self.emit(
            f"lax.{pick(self.rng, FLOAT_UNARY if v.is_float else INT_UNARY)}({v.name})", v.shape, v.is_float
        )

    def binary(self) -> None:
        """Two operands of one type."""
        v = self.value()
        assert v is not None
        w = self.value(lambda w: (w.shape, w.is_float) == (v.shape, v.is_float))
        assert w is not None
        name = pick(self.rng, FLOAT_BINARY if v.is_float else INT_BINARY)
        self.emit(f"lax.{name}({v.name}, {w.name})", v.shape, v.is_float)

    def scalar(self) -> None:
        """An operand and a Python scalar."""
        v = self.value()
        assert v is not None
        number = pick(self.rng, ("0.5", "2.0", "-1.5")) if v.is_float else pick(self.rng, ("1", "3", "-2"))
        self.emit(f"{v.name} {pick(self.rng, '+*-')} {number}", v.shape, v.is_float)

    def reduction(self) -> None:
        """An axis less."""
        v = self.value(lambda v: len(v.shape) > 0)
        if v is not None:
            axis = int(self.rng.random() * len(v.shape))
            shape = (*v.shape[:axis], *v.shape[axis + 1 :])
            self.emit(f"lax.{pick(self.rng, REDUCTIONS)}({v.name}, axes=({axis},))", shape, v.is_float)

    def reshaped(self) -> None:
        """The same elements in a row, or with an axis more."""
        v = self.value(lambda v: 0 < len(v.shape) < 3)
        if v is not None:
            size = 1
            for n in v.shape:
                size *= n
            shape = pick(self.rng, ((size,), (1, *v.shape), (*v.shape, 1)))
            self.emit(f"lax.reshape({v.name}, {shape})", shape, v.is_float)

    def transposed(self) -> None:
        """The axes, or the elements along one, in the other order."""
        v = self.value(lambda v: len(v.shape) > 0)
        if v is not None:
            n = len(v.shape)
            if self.rng.random() < 0.5:
                order = tuple(range(n))[::-1]
                self.emit(f"lax.transpose({v.name}, {order})", v.shape[::-1], v.is_float)
            else:
                self.emit(f"lax.rev({v.name}, ({int(self.rng.random() * n)},))", v.shape, v.is_float)

    def broadcast(self) -> None:
        """A leading axis more."""
        v = self.value(lambda v: len(v.shape) < 3)
        if v is not None:
            n = pick(self.rng, (2, 3))
            self.emit(f"lax.broadcast({v.name}, ({n},))", (n, *v.shape), v.is_float)

    def sliced(self) -> None:
        """A part of the first axis, from a place that is known or one that is not."""
        v = self.value(lambda v: bool(v.shape) and v.shape[0] > 1)
        if v is not None:
            n = v.shape[0] - 1
            if self.rng.random() < 0.5:
                self.emit(f"lax.slice_in_dim({v.name}, 0, {n}, axis=0)", (n, *v.shape[1:]), v.is_float)
            else:
                self.emit(
                    f"lax.dynamic_slice_in_dim({v.name}, k, {n}, axis=0)", (n, *v.shape[1:]), v.is_float
                )

    def joined(self) -> None:
        """A value twice along its first axis."""
        v = self.value(lambda v: bool(v.shape) and v.shape[0] < 8)
        if v is not None:
            shape = (2 * v.shape[0], *v.shape[1:])
            self.emit(f"lax.concatenate([{v.name}, {v.name}], 0)", shape, v.is_float)

    def selected(self) -> None:
        """Each element of one or the other."""
        v = self.value()
        assert v is not None
        w = self.value(lambda w: (w.shape, w.is_float) == (v.shape, v.is_float))
        assert w is not None
        test = pick(self.rng, ("lt", "ge", "ne"))
        self.emit(f"lax.select(lax.{test}({v.name}, {w.name}), {w.name}, {v.name})", v.shape, v.is_float)

    def converted(self) -> None:
        """An integer as a float, or a bounded float as an integer."""
        v = self.value()
        assert v is not None
        if v.is_float:
            self.emit(f"lax.convert_element_type(lax.clamp(-9.0, {v.name}, 9.0), np.int32)", v.shape, False)
        else:
            self.emit(f"lax.convert_element_type({v.name}, np.float32)", v.shape, True)

    def contracted(self) -> None:
        """A product over the last axis of one value and the last of another."""
        v = self.value(lambda v: v.is_float and 0 < len(v.shape) < 3)
        if v is not None:
            w = self.value(lambda w: w.is_float and len(w.shape) == 1 and w.shape[0] == v.shape[-1])
            if w is not None:
                self.emit(f"lax.dot({v.name}, {w.name})", v.shape[:-1], True)

    def cumulative(self) -> None:
        """Sums or maxima so far."""
        v = self.value(lambda v: bool(v.shape))
        if v is not None:
            self.emit(f"lax.{pick(self.rng, ('cumsum', 'cummax'))}({v.name}, axis=0)", v.shape, v.is_float)

    def padded(self) -> None:
        """An element more at the end of the first axis."""
        v = self.value(lambda v: bool(v.shape) and v.shape[0] < 8)
        if v is not None:
            edges = ", ".join(["(0, 1, 0)", *["(0, 0, 0)"] * (len(v.shape) - 1)])
            zero = "0.0" if v.is_float else "0"
            self.emit(f"lax.pad({v.name}, {zero}, [{edges}])", (v.shape[0] + 1, *v.shape[1:]), v.is_float)

    def inner(self, *args: Value) -> tuple[str, Value]:
        """The lines and the result of a function of some values, of the type of the first."""
        gen = Generator(self.rng, self.indent + "    ", [], list(args), f"{self.prefix}_")
        for _ in range(2):
            gen.line()
        last = [v for v in gen.values if (v.shape, v.is_float) == (args[0].shape, args[0].is_float)][-1]
        return "\n".join(gen.lines), last

    def structured(self) -> None:
        """A loop, a branch, a nested function or a mapped one."""
        v = self.value(lambda v: v.is_float and len(v.shape) in (1, 2))
        if v is None:
            return
        at, name = self.indent, f"f{len(self.lines)}"
        kind = pick(self.rng, ("scan", "cond", "jit", "vmap", "fori"))
        if kind == "scan":
            body, out = self.inner(Value("c", v.shape[1:]), Value("a", v.shape[1:]))
            self.lines.append(f"{at}def {name}(c, a):\n{body}\n{at}    return {out.name}, lax.sub(a, c)")
            self.emit(f"lax.scan({name}, {v.name}[0], {v.name})[1]", v.shape, True)
        elif kind == "cond":
            for suffix in "ab":
                body, out = self.inner(Value("x", v.shape))
                self.lines.append(f"{at}def {name}{suffix}(x):\n{body}\n{at}    return {out.name}")
            test = f"lax.reduce_sum({v.name}, axes={tuple(range(len(v.shape)))}) > 0"
            self.emit(f"lax.cond({test}, {name}a, {name}b, {v.name})", v.shape, True)
        elif kind == "fori":
            body, out = self.inner(Value("x", v.shape))
            self.lines.append(f"{at}def {name}(i, x):\n{body}\n{at}    return {out.name}")
            self.emit(f"lax.fori_loop(0, 3, {name}, {v.name})", v.shape, True)
        else:
            shape = v.shape if kind == "jit" else v.shape[1:]
            body, out = self.inner(Value("x", shape))
            self.lines.append(f"{at}def {name}(x):\n{body}\n{at}    return {out.name}")
            self.emit(f"jax.{kind}({name})({v.name})", v.shape, True)


def make_program(seed: int) -> Program:
    """The program with this seed."""
    rng = random.Random(seed)
    shape = pick(rng, ((4,), (3,), (2, 3), (3, 2)))
    gen = Generator(rng, values=[Value("x", shape), Value("y", shape), Value("k", (), False)])
    for _ in range(2 + int(rng.random() * 4)):
        gen.line()
    for _ in range(1 + int(rng.random() * 2)):
        gen.structured()
        gen.line()
    total = " + ".join(f"jnp.sum({v.name})" for v in gen.values[-2:])
    around = pick(rng, ("", "", "jax.grad", "jax.value_and_grad", "jax.jit", "jvp", "vmap"))
    differentiated = around in ("jax.grad", "jax.value_and_grad")
    result = (
        f"{total} + jnp.sum(lax.mul(x, x))" if differentiated else ", ".join(v.name for v in gen.values[-2:])
    )
    body = "\n".join([*gen.lines, f"    return {result}"])
    call = f"{around}(f)" if around.startswith("jax.") else "f"
    if around == "jvp":
        call = "lambda x, y, k: jax.jvp(lambda x, y: f(x, y, k), (x, y), (y, x))"
    elif around == "vmap":
        call = "lambda x, y, k: jax.vmap(f, in_axes=(0, None, None))(jnp.stack([x, y]), y, k)"
    if seed % 10:  # one in ten runs operation by operation, which takes long
        call = f"jax.jit({call})"
    source = f"def f(x, y, k):\n{body}\n"
    fun = (
        f"(lambda ns: (exec({source!r}, ns), eval({call!r}, ns))[1])"
        "({'jax': jax, 'jnp': jnp, 'lax': lax, 'np': np})"
    )
    size = " * ".join(map(str, shape))
    x = f"(np.arange({size}, dtype=np.float32).reshape({shape}) / 4 - 0.6)"
    return Program(
        f"generated {seed}", fun, f"({x}, np.cos({x}), np.int32(1))", ("jaxpr", "stablehlo", "value")
    )


PROGRAMS = [make_program(SEED + i) for i in range(COUNT)]
