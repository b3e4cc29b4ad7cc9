"""Exported programs: written, read back in other processes and versions, called, differentiated, refused."""

from __future__ import annotations

import collections
import functools
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import jaxnb
import jaxnb.lax as lax
from jaxnb import export
from jaxnb.engine.api.export_trees import tree_from_data, tree_to_data
from jaxnb.tree_util import tree_structure
from jaxnb.xla.mlir import stablehlo_version_for
from jaxnb.xla.version import JAXLIB_VERSION_TEXT

HELD = np.arange(20, dtype=np.float32)


def model(d):
    y = lax.add(lax.tanh(lax.mul(d["x"], HELD)), lax.acosh(lax.add(d["x"], np.full(20, 2, np.float32))))
    return {"y": y, "parts": (lax.reduce_sum(y, (0,)), lax.sort(y))}


ARGUMENT = {"x": np.linspace(0, 1, 20, dtype=np.float32)}


MODEL = jaxnb.jit(model)


@functools.cache
def expected():
    return MODEL(ARGUMENT)


@functools.cache
def exported(platforms=None, disabled_checks=()):
    return export.export(MODEL, platforms=platforms, disabled_checks=disabled_checks)(ARGUMENT)


def same(a, b):
    for x, y in zip(jaxnb.tree.leaves(a), jaxnb.tree.leaves(b), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-5)


def test_a_program_says_what_it_is():
    e = exported()
    assert (e.fun_name, e.platforms, e.nr_devices, e.module_kept_var_idx) == ("model", ("cpu",), 1, (0,))
    assert str(e.in_tree) == "PyTreeDef((({'x': *},), {}))"
    assert str(e.out_tree) == "PyTreeDef({'parts': (*, *), 'y': *})"
    assert str(e) == "Exported(fun_name=model, ...)"
    assert [a.str_short() for a in e.out_avals] == ["float32[]", "float32[20]", "float32[20]"]


def test_captured_arrays_are_written_into_the_program():
    text = exported().mlir_module()
    main = text[text.index("@main(") :].partition(" -> ")[0]
    assert main.count("%arg") == 1
    assert "1.900000e+01]> : tensor<20xf32>" in text
    assert "jax.const" not in text
    assert "jax.uses_shape_polymorphism = false" in text


def test_what_was_written_can_be_read_and_called():
    e = export.deserialize(exported().serialize())
    same(e.call(ARGUMENT), expected())
    same(jaxnb.jit(e.call)(ARGUMENT), expected())
    assert not e.has_vjp()
    with pytest.raises(ValueError, match="No VJP is available"):
        e.vjp()


def test_a_reverse_pass_can_be_written_too():
    def loss(call):
        return lambda x: call({"x": x})["parts"][0]

    here = jaxnb.grad(loss(model))(ARGUMENT["x"])
    same(jaxnb.grad(loss(exported().call))(ARGUMENT["x"]), here)
    read = export.deserialize(exported().serialize(vjp_order=1))
    assert read.has_vjp()
    assert not read.vjp().has_vjp()
    same(jaxnb.grad(loss(read.call))(ARGUMENT["x"]), here)


def test_integers_have_no_part_in_the_reverse_pass():
    e = export.export(jaxnb.jit(lambda x, n: (lax.mul(x, x), lax.add(n, 1))))(1.0, 3)
    assert [a.str_short() for a in e.vjp().in_avals] == ["float32[]", "int32[]", "float32[]", "float0[]"]
    assert float(jaxnb.grad(lambda x: e.call(x, 3)[0])(2.0)) == 4.0


def test_calls_of_one_program_share_its_functions_and_names_never_clash():
    inner = jaxnb.jit(lambda x: lax.mul(x, HELD))
    e = export.export(jaxnb.jit(lambda x: lax.add(inner(x), inner(x))))(HELD)
    f = export.export(jaxnb.jit(lambda x: inner(x)))(HELD)
    text = jaxnb.jit(lambda x: f.call(inner(e.call(e.call(x))))).lower(HELD).as_text()
    names = [line.split("@")[1].split("(%arg")[0] for line in text.splitlines() if "func.func" in line]
    assert len(names) == len(set(names)) == 6
    same(jaxnb.jit(lambda x: e.call(e.call(x)))(HELD), 4 * HELD**3)


def test_donated_and_static_arguments():
    e = export.export(jaxnb.jit(lambda x, n, y: lax.mul(x, x), static_argnums=1, donate_argnums=0))(
        HELD, 3, 1.0
    )
    assert e.module_kept_var_idx == (0,)
    assert "tf.aliasing_output" in e.mlir_module()
    x = jaxnb.device_put(HELD)
    same(e.call(x, 1.0), HELD**2)
    assert not x.is_deleted()


WRITER = """
import sys, numpy as np, jaxnb, jaxnb.lax as lax
from jaxnb import export
held = np.arange(20, dtype=np.float32)
def f(d):
    y = lax.add(lax.tanh(lax.mul(d["x"], held)), lax.acosh(lax.add(d["x"], np.full(20, 2, np.float32))))
    return {"y": y, "s": jaxnb.jit(lambda a: lax.reduce_sum(a, (0,)))(y)}
x = {"x": np.linspace(0, 1, 20, dtype=np.float32)}
open(sys.argv[1], "wb").write(export.export(jaxnb.jit(f))(x).serialize(vjp_order=1))
np.savez(sys.argv[2], y=np.asarray(f(x)["y"]), g=np.asarray(jaxnb.grad(lambda v: f({"x": v})["s"])(x["x"])))
"""

READER = """
import sys, numpy as np, jaxnb
from jaxnb import export
e = export.deserialize(open(sys.argv[1], "rb").read())
x = {"x": np.linspace(0, 1, 20, dtype=np.float32)}
kept = np.load(sys.argv[2])
np.testing.assert_allclose(np.asarray(e.call(x)["y"]), kept["y"], rtol=1e-5)
np.testing.assert_allclose(np.asarray(jaxnb.grad(lambda v: e.call({"x": v})["s"])(x["x"])), kept["g"], rtol=1e-5)
print("read")
"""


def run(python, program, *args):
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(jaxnb.__file__).parents[1])}
    done = subprocess.run(
        [python, "-c", textwrap.dedent(program), *map(str, args)],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_is_called_in_another_process(tmp_path):
    files = tmp_path / "program", tmp_path / "kept.npz"
    run(sys.executable, WRITER, *files)
    assert run(sys.executable, READER, *files) == "read\n"


KEPT = pathlib.Path(__file__).parents[1] / "golden" / "exported"


def test_programs_that_other_jaxlibs_wrote_are_called_here(request):
    if request.config.getoption("--accept"):
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"{JAXLIB_VERSION_TEXT}.bin").write_bytes(exported().serialize(vjp_order=1))
    kept = sorted(KEPT.glob("*.bin"))
    assert len(kept) >= 2
    for file in kept:
        e = export.deserialize(file.read_bytes())
        same(e.call(ARGUMENT), expected())
        gradients = [
            jaxnb.grad(lambda x, call=call: call({"x": x})["parts"][0])(ARGUMENT["x"])
            for call in (e.call, model)
        ]
        same(*gradients)


def test_the_artifact_is_of_a_version_that_older_jaxlibs_read():
    version = stablehlo_version_for("WEEK_12")
    assert f"StableHLO_v{version}".encode() in exported().mlir_module_serialized


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", [lambda x: x, 3, len])
def test_only_jitted_functions_are_exported(what):
    with pytest.raises(ValueError, match="Function to be exported must be the result of `jit` but is: "):
        export.export(what)


def test_programs_that_call_back_are_refused():
    shape = jaxnb.ShapeDtypeStruct((), np.float32)
    f = jaxnb.jit(lambda x: jaxnb.pure_callback(lambda v: v, shape, x))
    with pytest.raises(NotImplementedError) as error:
        export.export(f)(np.float32(1))
    assert str(error.value) == "serialization of host_callbacks is not yet implemented"


Point = collections.namedtuple("Point", "a b")


def test_containers_that_have_no_name_in_files_are_refused():
    e = export.export(jaxnb.jit(lambda p: lax.add(p.a, p.b)))(Point(1.0, 2.0))
    assert float(e.call(Point(1.0, 3.0))) == 4.0
    with pytest.raises(ValueError, match="Cannot serialize PyTreeDef containing an unregistered type"):
        e.serialize()
    keys = export.export(jaxnb.jit(lambda d: d[1]))({1: 1.0})
    with pytest.raises(TypeError) as error:
        keys.serialize()
    assert str(error.value) == (
        "Serialization is supported only for dictionaries with string keys. Found key 1 of type <class 'int'>."
    )


class Pair:
    def __init__(self, x, y, label):
        self.x, self.y, self.label = x, y, label


jaxnb.tree_util.register_pytree_node(
    Pair, lambda p: ((p.x, p.y), p.label), lambda label, xy: Pair(*xy, label)
)
Named = collections.namedtuple("Named", "a b")


def test_registered_containers_are_written_and_read():
    export.register_namedtuple_serialization(Named, serialized_name="test.Named")
    export.register_pytree_node_serialization(
        Pair, serialized_name="test.Pair", serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode
    )
    tree = {"a": Named(Pair(1, [2, None], "left"), ()), "b": collections.OrderedDict(z=1, y={"k": 2})}
    structure = tree_structure(tree)
    assert tree_from_data(tree_to_data(structure)) == structure
    with pytest.raises(ValueError, match="Duplicate serialization registration for type"):
        export.register_namedtuple_serialization(Named, serialized_name="other")
    with pytest.raises(ValueError, match="Duplicate serialization registration for serialized_name `test"):
        export.register_namedtuple_serialization(Point, serialized_name="test.Pair")
    with pytest.raises(ValueError, match="for types other than"):
        export.register_namedtuple_serialization(int, serialized_name="int")


def test_a_call_of_another_structure_or_type_says_where():
    e = exported()

    def text(*args, **kwargs):
        with pytest.raises(ValueError) as error:
            e.call(*args, **kwargs)
        return str(error.value)

    assert text({"q": HELD}) == (
        "The invocation args and kwargs must have the same pytree structure as when the function 'model' was exported, "
        "but they have the following structural differences:\n   - args[0] is a <class 'dict'> with pytree metadata "
        "('q',) in the invocation and a <class 'dict'> with pytree metadata ('x',) when exported, so the pytree node "
        "metadata does not match.\n"
    )
    assert "args[0]['x'] is a <class 'tuple'> in the invocation and a <class 'int'> when exported" in text(
        {"x": (1,)}
    )
    assert text({"x": HELD[:3]}) == (
        "Shape mismatch for args[0]['x'].shape[0] (expected same constant): expected (20,) and called with (3,)"
    )
    assert text({"x": 1.0}) == "Rank mismatch for args[0]['x']: expected (20,) and called with ()"
    assert text({"x": HELD.astype(int)}) == (
        "Dtype mismatch for args[0]['x']: expected float32 and called with int32"
    )


def test_another_platform_is_refused_unless_the_check_is_disabled():
    e = exported(platforms=("tpu",))
    with pytest.raises(ValueError) as error:
        e.call(ARGUMENT)
    assert (
        str(error.value)
        == "Function 'model' was exported for platforms '('tpu',)' but it is used on '('cpu',)'."
    )
    check = export.DisabledSafetyCheck.platform()
    same(exported(platforms=("tpu",), disabled_checks=(check,)).call(ARGUMENT), expected())
    several = exported(platforms=("tpu", "cpu"))
    assert 'jax.global_constant = "_platform_index"' in several.mlir_module()
    same(export.deserialize(several.serialize()).call(ARGUMENT), expected())


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda b: b"garbage", "they do not begin as one"),
        (lambda b: b"", "they do not begin as one"),
        (lambda b: b[:40], "the head cannot be read"),
        (lambda b: b[:-10], "the exported program is damaged"),
        (lambda b: b.replace(b'"format": 1', b'"format": 9'), "is of format 9; this version reads 1"),
    ],
)
def test_bytes_that_are_no_program_are_refused(damage, text):
    with pytest.raises(ValueError, match=text):
        export.deserialize(damage(bytes(exported().serialize())))


def test_an_exported_program_has_no_batching_rule():
    with pytest.raises(NotImplementedError, match="Batching rule for 'call_exported' not implemented"):
        jaxnb.vmap(exported().call)({"x": np.ones((2, 20), np.float32)})


def test_a_process_that_only_loads_a_program_gets_arrays_with_operators():
    data = export.export(jaxnb.jit(lambda x: x * 2))(np.ones(3, np.float32)).serialize()
    code = (
        "import sys, numpy as np; from jaxnb import export; "
        "loaded = export.deserialize(bytearray(sys.stdin.buffer.read())); "
        "print(loaded.call(np.ones(3, np.float32))[0] + 1)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=bytes(data), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "3.0"


def test_a_program_for_several_platforms_is_read_again_with_all_its_branches():
    def f(x):
        return lax.platform_dependent(x, cuda=lax.cos, cpu=lax.sin, default=lax.neg)

    for platforms in (("cpu", "cuda"), ("cuda", "cpu"), ("tpu", "cpu")):
        exported = export.export(jaxnb.jit(f), platforms=platforms)(np.float32(1))
        assert exported.mlir_module().count("stablehlo.case") >= 3
        again = export.deserialize(exported.serialize())
        np.testing.assert_allclose(again.call(np.float32(1)), np.sin(np.float32(1)), rtol=1e-6)


def test_keys_come_back_as_keys_of_their_implementation():
    draw = export.export(jaxnb.jit(lambda k: jaxnb.random.uniform(k, (3,))))(jaxnb.random.key(0))
    again = export.deserialize(draw.serialize())
    assert again.in_avals == draw.in_avals
    key = jaxnb.random.key(7)
    np.testing.assert_array_equal(again.call(key), jaxnb.random.uniform(key, (3,)))
    split = export.deserialize(export.export(jaxnb.jit(jaxnb.random.split))(key).serialize())
    np.testing.assert_array_equal(
        jaxnb.random.key_data(split.call(key)), jaxnb.random.key_data(jaxnb.random.split(key))
    )
    with pytest.raises(ValueError, match="Dtype mismatch"):
        again.call(np.zeros((), np.uint32))


def test_a_program_for_one_device_asks_for_no_shardings_and_shows_its_module():
    program = export.export(jaxnb.jit(lambda x: x + 1))(1.0)
    assert program.in_shardings_jax(None) == program.out_shardings_jax(None) == (None,)
    assert program.mlir_module() == program.mlir_module(serialized=True)
    assert "stablehlo.add" in str(program.mlir_module(serialized=False))
