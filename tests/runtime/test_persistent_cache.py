"""The cache of compiled programs on disk: a second process compiles nothing, and nothing wrong is ever loaded."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import zlib

import numpy as np
import pytest

import jaxnb
import jaxnb.lax as lax
from jaxnb import monitoring
from jaxnb.engine.runtime import persistent
from jaxnb.xla import diskcache

X = np.ones(5, np.float32)

PROGRAM = """
import sys, numpy as np
import jaxnb, jaxnb.lax as lax
from jaxnb.xla import compile as door
n = {"compiled": 0}
compile_module = door.compile_module
def counted(*args):
    n["compiled"] += 1
    return compile_module(*args)
door.compile_module = counted
held = np.arange(100, dtype=np.float32)
f = jaxnb.jit(lambda x: lax.add(lax.sin(x), held))
g = jaxnb.jit(lambda x: {"a": lax.mul(x, x), "b": lax.neg(x)}, donate_argnums=0)
y = f(held)
z = g(f(held))
print(n["compiled"], float(np.asarray(y).sum()), float(np.asarray(z["a"]).sum()), float(np.asarray(z["b"])[3]))
"""


@pytest.fixture
def directory(tmp_path):
    """A directory for entries, in use and with no thresholds while a test runs."""
    config = jaxnb.config
    names = ("compilation_cache_dir", "persistent_cache_min_compile_time_secs", "enable_compilation_cache")
    before = {f"jax_{n}": getattr(config, f"jax_{n}") for n in names}
    config.update("jax_compilation_cache_dir", str(tmp_path))
    config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    persistent.reset()
    yield tmp_path
    for name, value in before.items():
        config.update(name, value)


def entries(directory: pathlib.Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir())


def function():
    return jaxnb.jit(lambda x: lax.mul(lax.sin(x), x))


def last():
    return persistent.decisions[-1]


def test_the_second_process_compiles_nothing(tmp_path):
    env = {
        **os.environ,
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "PYTHONPATH": str(pathlib.Path(jaxnb.__file__).parents[1]),
    }
    runs = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
        )
        runs.append(done.stdout.split())
        assert done.stderr == ""
    assert int(runs[0][0]) >= 2
    assert int(runs[1][0]) == 0
    assert runs[0][1:] == runs[1][1:]


def test_a_program_is_read_back_and_says_so(directory):
    events = []
    monitoring.register_event_listener(lambda event, **_: events.append(event))
    try:
        first = np.asarray(function()(X))
        assert last().outcome == "written"
        assert len(entries(directory)) == 1
        second = np.asarray(function()(X))
    finally:
        monitoring.clear_event_listeners()
    assert last().outcome == "hit"
    np.testing.assert_array_equal(first, second)
    assert [e.rpartition("/")[2] for e in events] == [
        "tasks_using_cache",
        "compile_requests_use_cache",
        "cache_misses",
        "compile_requests_use_cache",
        "cache_hits",
    ]


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda data: b"garbage", "Error -3 while decompressing data"),
        (lambda data: data[: len(data) // 2], "Error -5 while decompressing data"),
        (lambda data: b"", "Error -5 while decompressing data"),
        (lambda data: zlib.compress(b"another program's file"), "is no entry of this cache"),
        (lambda data: changed(data, jaxlib="0.0.1"), "the entry is for jaxlib 0.0.1, not for"),
        (lambda data: changed(data, cpu="other"), "the entry is for cpu other, not for"),
        (lambda data: changed(data, key="jit_g-1"), "the entry is for key jit_g-1, not for"),
        (lambda data: repacked(data, b"no executable"), "Error reading persistent compilation cache entry"),
    ],
    ids=["garbage", "truncated", "empty", "foreign", "other jaxlib", "other cpu", "renamed", "wrong payload"],
)
def test_a_damaged_or_foreign_entry_is_ignored_with_a_warning_and_written_anew(directory, damage, text):
    expected = np.asarray(function()(X))
    (name,) = entries(directory)
    path = directory / name
    good = path.read_bytes()
    path.write_bytes(damage(good))
    with pytest.warns(
        UserWarning, match="Error reading persistent compilation cache entry for 'jit_"
    ) as seen:
        got = np.asarray(function()(X))
    assert text in str(seen[0].message)
    np.testing.assert_array_equal(got, expected)
    assert last().outcome == "written"
    function()(X)
    assert last().outcome == "hit"


def changed(data: bytes, **fields: str) -> bytes:
    head, _, executable = zlib.decompress(data).partition(b"\n")
    return zlib.compress(json.dumps({**json.loads(head), **fields}).encode() + b"\n" + executable)


def repacked(data: bytes, executable: bytes) -> bytes:
    head = zlib.decompress(data).partition(b"\n")[0]
    return zlib.compress(head + b"\n" + executable)


def test_moving_a_cell_changes_no_key_and_editing_it_does(directory):
    def run(source, file):
        names = {"lax": lax}
        exec(compile(source, file, "exec"), names)
        jaxnb.jit(names["g"])(X)
        return len(entries(directory))

    body = "def g(x): return lax.mul(lax.cos(x), x)"
    assert run(body, "<ipython-input-3>") == 1
    assert run("\n\n\n" + body, "<ipython-input-9>") == 1
    assert run(body.replace("cos", "sin"), "<ipython-input-10>") == 2


def test_options_and_donation_are_part_of_the_key_and_the_values_of_constants_are_not(directory):
    def f(x):
        return lax.mul(lax.sin(x), x)

    jaxnb.jit(f)(X)
    jaxnb.jit(f, compiler_options={"xla_cpu_enable_fast_math": True})(X)
    jaxnb.jit(f, donate_argnums=0)(X)
    assert len(entries(directory)) == 3
    parts = [dict(d.parts) for d in persistent.decisions]
    assert [k for k in parts[0] if parts[0][k] != parts[1][k]] == ["compile options"]
    assert [k for k in parts[0] if parts[0][k] != parts[2][k]] == ["module"]
    for held in (np.zeros(50, np.float32), np.ones(50, np.float32)):
        jaxnb.jit(lambda x: lax.add(x, held))(held)
    assert len(entries(directory)) == 4


def test_why_nothing_was_written_is_told(directory, caplog):
    def outcome(**settings):
        before = {k: getattr(jaxnb.config, k) for k in settings}
        for k, v in settings.items():
            jaxnb.config.update(k, v)
        try:
            with jaxnb.explain_cache_misses(True):
                function()(X)
        finally:
            for k, v in before.items():
                jaxnb.config.update(k, v)
        assert entries(directory) == []
        return last().reason, caplog.records[-1].getMessage()

    reason, message = outcome(jax_persistent_cache_min_compile_time_secs=100.0)
    assert reason.startswith("it took < 100.00 seconds to compile (")
    assert message.startswith("Not writing persistent cache entry for 'jit__lambda' because it took < 100.00")
    reason, message = outcome(jax_persistent_cache_min_entry_size_bytes=10**9)
    assert reason.endswith("bytes) is less than threshold (1000000000 bytes)")
    assert message.startswith("Not writing persistent cache entry with key 'jit__lambda-")
    with pytest.warns(UserWarning, match="Error writing persistent compilation cache entry"):
        outcome(jax_compilation_cache_max_size=10)
    assert last().reason.startswith("OSError: the entry has")

    shape = jaxnb.ShapeDtypeStruct((5,), np.float32)
    with jaxnb.explain_cache_misses(True):
        jaxnb.jit(lambda x: jaxnb.pure_callback(lambda v: np.asarray(v), shape, x))(X)
    assert last().reason == "it uses host callbacks (e.g. from jax.debug.print or breakpoint)"
    assert entries(directory) == []


def test_a_directory_that_cannot_be_made_is_one_warning(directory):
    jaxnb.config.update("jax_compilation_cache_dir", "/proc/none")
    with pytest.warns(UserWarning, match="FileNotFoundError") as seen:
        function()(X)
    assert len(seen) == 1
    with jaxnb.config.setting("jax_raise_persistent_cache_errors")(True), pytest.raises(FileNotFoundError):
        function()(X)


def test_the_cache_can_be_switched_off(directory):
    with jaxnb.config.setting("jax_enable_compilation_cache")(False):
        function()(X)
    assert entries(directory) == []


def test_the_longest_unused_entries_make_room(directory):
    for i, key in enumerate("abc"):
        diskcache.write_entry(str(directory), key, diskcache.Entry(os.urandom(1000), 0.0))
        os.utime(directory / f"{key}-cache", (i, i))
    diskcache.read_entry(str(directory), "a")
    diskcache.write_entry(str(directory), "d", diskcache.Entry(os.urandom(1000), 0.0), max_size_bytes=2700)
    assert entries(directory) == ["a-cache", "d-cache"]
