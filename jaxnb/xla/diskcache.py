"""Compiled programs on disk: what an entry is called, how it is written, and how it is read back.

jaxlib itself loads whatever it is given, written by another version or for another CPU. So an entry's name is a hash of all
that its contents depend on, and the entry says once more what it is. What must not live here: when the cache is used, and
what is said about it.
"""

from __future__ import annotations

import functools
import json
import os
import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

from jaxnb.base.lazy import lazy_module
from jaxnb.xla.client import Client, xla_flags
from jaxnb.xla.compile import CompileOptions
from jaxnb.xla.version import JAXLIB_VERSION_TEXT

if TYPE_CHECKING:
    import hashlib
    import platform
    import tempfile
else:
    hashlib = lazy_module("hashlib")
    platform = lazy_module("platform")
    tempfile = lazy_module("tempfile")

__all__ = ["Entry", "KeyPart", "cache_key", "cpu_features", "read_entry", "write_entry"]

FORMAT = 1
SUFFIX = "-cache"


class KeyPart(NamedTuple):
    """One of the things that an entry's name depends on."""

    name: str
    digest: str


class Entry(NamedTuple):
    """A compiled program, as written by :meth:`Executable.serialize`."""

    executable: bytes
    compile_seconds: float


@functools.cache
def cpu_features() -> str:
    """Returns what this CPU is and can do; compiled code may need all of it."""
    said = [platform.machine(), platform.processor()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:  # no Linux: the names above have to do
        return " ".join(said)
    for field in ("model name", "flags", "Features"):
        found = re.search(rf"^{field}\s*:\s*(.*)$", text, re.MULTILINE)
        said.append(found.group(1) if found else "")
    return " ".join(said)


def cache_key(
    name: str, module_text: str, options: CompileOptions, client: Client
) -> tuple[str, list[KeyPart]]:
    """Returns the key of a program, and the parts that it was made from.

    Args:
        name: the module's name; it is the key's beginning.
        module_text: the module without locations, so that moving a function changes nothing.
        options: how it is compiled.
        client: what it is compiled for.
    """
    sources = {
        "module": module_text.encode(),
        "jaxlib version": JAXLIB_VERSION_TEXT.encode(),
        "platform version": str(client.platform_version).encode(),
        "XLA_FLAGS": xla_flags().encode(),
        "compile options": options.to_bytes(),
        "CPU features": cpu_features().encode(),
        "format": str(FORMAT).encode(),
    }
    whole = hashlib.sha256()
    parts = []
    for part, data in sources.items():
        digest = hashlib.sha256(data).hexdigest()
        whole.update(f"{part}:{digest};".encode())
        parts.append(KeyPart(part, digest))
    return f"{name}-{whole.hexdigest()}", parts


def _path(directory: str, key: str) -> str:
    return os.path.join(directory, f"{key}{SUFFIX}")


def read_entry(directory: str, key: str) -> Entry | None:
    """Returns the entry of a key, or None where there is none.

    Raises:
        OSError: the file or the directory cannot be read.
        zlib.error: the file is damaged.
        ValueError: the file is not what its name says.
    """
    path = _path(directory, key)
    os.makedirs(directory, exist_ok=True)
    try:
        with open(path, "rb") as file:
            packed = file.read()
    except FileNotFoundError:
        return None
    head, newline, executable = zlib.decompress(packed).partition(b"\n")
    try:
        said = json.loads(head) if newline else None
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise ValueError(f"{path} is no entry of this cache")
    for what, wanted in (("jaxlib", JAXLIB_VERSION_TEXT), ("cpu", _cpu_digest()), ("key", key)):
        if said.get(what) != wanted:
            raise ValueError(f"the entry is for {what} {said.get(what)}, not for {wanted}")
    os.utime(path)  # entries that are used stay longest
    return Entry(executable, float(said["compile_seconds"]))


def write_entry(directory: str, key: str, entry: Entry, max_size_bytes: int = -1) -> None:
    """Writes an entry; a reader sees all of it or nothing.

    Args:
        directory: where the entries are.
        key: its key.
        entry: the entry.
        max_size_bytes: how large all entries may be together; the longest unused go. Negative for no limit.

    Raises:
        OSError: it cannot be written.
    """
    head = {
        "format": FORMAT,
        "jaxlib": JAXLIB_VERSION_TEXT,
        "cpu": _cpu_digest(),
        "key": key,
        "compile_seconds": entry.compile_seconds,
    }
    packed = zlib.compress(json.dumps(head).encode() + b"\n" + entry.executable)
    if 0 <= max_size_bytes < len(packed):
        raise OSError(f"the entry has {len(packed)} bytes, the whole cache may have {max_size_bytes}")
    os.makedirs(directory, exist_ok=True)
    if max_size_bytes >= 0:
        _make_room(directory, max_size_bytes - len(packed))
    handle, temporary = tempfile.mkstemp(dir=directory, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
        os.replace(temporary, _path(directory, key))
    except BaseException:
        os.unlink(temporary)
        raise


def entry_size(entry: Entry) -> int:
    """Returns how many bytes an entry has on disk, its short head aside."""
    return len(zlib.compress(entry.executable))


def _make_room(directory: str, size_bytes: int) -> None:
    """Removes the longest unused entries until the rest has at most this size."""
    found = []
    with os.scandir(directory) as entries:
        for item in entries:
            if item.name.endswith(SUFFIX):
                stat = item.stat()
                found.append((stat.st_mtime, stat.st_size, item.path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= size_bytes:
            return
        os.unlink(path)
        total -= size


@functools.cache
def _cpu_digest() -> str:
    return hashlib.sha256(cpu_features().encode()).hexdigest()[:16]
