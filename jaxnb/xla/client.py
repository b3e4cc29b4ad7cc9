"""The PJRT client and its devices: one CPU client per process, made when it is first needed.

What must not live here: arrays and compilation.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from jaxlib import _jax, utils, xla_client

__all__ = [
    "Client",
    "Device",
    "DeviceList",
    "backend",
    "default_backend",
    "device_count",
    "device_list",
    "devices",
    "is_started",
    "local_devices",
    "planned_device_count",
    "platforms",
    "process_count",
    "process_index",
    "set_cpu_device_count",
    "xla_flags",
]

Client: TypeAlias = _jax.Client
Device: TypeAlias = _jax.Device
DeviceList: TypeAlias = _jax.DeviceList

# The names that stand for several platforms; their error text differs from that of a plain unknown name.
_ALIASES = frozenset({"gpu"})

_lock = threading.Lock()
_clients: dict[str, Client] = {}
_requested_cpu_devices: int | None = None
_flags_at_start: str | None = None


def platforms() -> list[str]:
    """Returns the names of the platforms there are clients for."""
    return ["cpu"]


def is_started() -> bool:
    """Returns whether the client exists already."""
    return bool(_clients)


def set_cpu_device_count(count: int) -> None:
    """Sets how many CPU devices the client will have; it overrides the environment.

    Raises:
      RuntimeError: the client exists already.
    """
    global _requested_cpu_devices
    if _clients:
        raise RuntimeError(
            "jax_num_cpu_devices config should be updated before backends are initialized i.e. before any "
            "JAX operation is executed. You should initialize this config immediately after `import jax`."
        )
    _requested_cpu_devices = count


def _cpu_device_count() -> int | None:
    """Returns the asked-for number of devices, or None to let XLA_FLAGS decide."""
    count = _requested_cpu_devices
    if count is None:
        count = int(os.environ.get("JAX_NUM_CPU_DEVICES", "-1"))
    return None if count < 0 else count


def planned_device_count() -> int | None:
    """Returns how many CPU devices there are or will be; None if XLA_FLAGS decide and nobody has asked yet."""
    client = _clients.get("cpu")
    return _cpu_device_count() if client is None else int(client.device_count())


def xla_flags() -> str:
    """Returns the XLA_FLAGS in force: those of when the client was made, or, before that, the present ones."""
    return os.environ.get("XLA_FLAGS", "") if _flags_at_start is None else _flags_at_start


def backend(name: str | None = None) -> Client:
    """Returns the client of a platform; with None or ``""``, of the default platform.

    Raises:
      RuntimeError: there is no such platform.
    """
    if name is not None and not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        return name  # a client, or what has not its methods
    if name and name not in platforms():
        if name in _ALIASES:
            raise RuntimeError(
                f"Unknown backend: '{name}' requested, but no platforms that are instances of {name} "
                f"are present. Platforms present are: {','.join(platforms())}"
            )
        raise RuntimeError(f"Unknown backend {name}. Available backends are {platforms()}")
    global _flags_at_start
    client = _clients.get("cpu")
    if client is None:
        with _lock:
            client = _clients.get("cpu")
            if client is None:
                # Without this, making a client writes INFO lines to stderr.
                utils.absl_set_min_log_level(1)
                _flags_at_start = os.environ.get("XLA_FLAGS", "")
                wanted = os.environ.get("JAX_CPU_ENABLE_ASYNC_DISPATCH", "1").lower()
                asynchronous = wanted not in ("0", "f", "false", "n", "no", "off")
                client = xla_client.make_cpu_client(
                    asynchronous=asynchronous, num_devices=_cpu_device_count()
                )
                _clients["cpu"] = client
                if hasattr(os, "register_at_fork"):
                    os.register_at_fork(before=_warn_of_fork)
    return client


def _warn_of_fork() -> None:
    warnings.warn(
        "os.fork() was called. os.fork() is incompatible with multithreaded code, and JAX is multithreaded, so this will "
        "likely lead to a deadlock.",
        RuntimeWarning,
        stacklevel=2,
    )


def default_backend() -> str:
    """Returns the name of the default platform."""
    return backend().platform


def devices(backend_name: str | None = None) -> list[Device]:
    """Returns all devices of a platform.

    Raises:
      RuntimeError: there is no such platform.
    """
    return list(backend(backend_name).devices())


def local_devices(
    process_index: int | None = None, backend_name: str | None = None, host_id: int | None = None
) -> list[Device]:
    """Returns the devices of one process, by default of this one.

    Raises:
      ValueError: there is no such process.
    """
    index = host_id if process_index is None else process_index
    client = backend(backend_name)
    if index is None:
        index = client.process_index()
    if not 0 <= index < process_count(backend_name):
        raise ValueError(f"Unknown process_index {index}")
    return [d for d in client.devices() if d.process_index == index]


def device_count(backend_name: str | None = None) -> int:
    """Returns the number of devices of a platform."""
    return int(backend(backend_name).device_count())


def process_index(backend_name: str | None = None) -> int:
    """Returns the index of this process."""
    return backend(backend_name).process_index()


def process_count(backend_name: str | None = None) -> int:
    """Returns the number of processes that share the platform."""
    return max(d.process_index for d in backend(backend_name).devices()) + 1


@cache
def device_list(of: tuple[Device, ...]) -> DeviceList:
    """Returns the C++ list of the given devices, the same object each time."""
    return DeviceList(of)
