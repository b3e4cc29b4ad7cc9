"""What a setting is: a typed value with a name, an environment variable and a place in the cache keys.

Lives here: `Setting`, the registry type `Config`, and the storage of a setting's value. Must not live here:
the list of settings (`jaxnb.base.config`), or any knowledge of jaxlib. The door binds the settings of the jit
key to jaxlib's C++ state with `Setting.bind`; until then a setting keeps its value in Python, with the same
thread-local behaviour.
"""

from __future__ import annotations

import functools
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

UNSET: Any = object()
"""The thread-local value of a setting that only has its process-wide value."""

_TRUE = ("y", "yes", "t", "true", "on", "1")
_FALSE = ("n", "no", "f", "false", "off", "0")


class Slot(Protocol):
    """Where a setting's value is kept: a process-wide value that each thread can override."""

    @property
    def value(self) -> Any:
        """The value that holds in this thread."""
        ...

    def get_global(self) -> Any:
        """The process-wide value."""
        ...

    def set_global(self, value: Any) -> None:
        """Replaces the process-wide value."""
        ...

    def get_local(self) -> Any:
        """This thread's value, or the slot's own mark for "not set"."""
        ...

    def set_local(self, value: Any) -> None:
        """Replaces this thread's value."""
        ...

    def swap_local(self, value: Any) -> Any:
        """Replaces this thread's value and returns the one before."""
        ...


class PythonSlot:
    """A slot that needs no jaxlib; the stand-in until `Setting.bind` is called."""

    __slots__ = ("_global", "_local")

    def __init__(self, value: Any):
        self._global = value
        self._local = threading.local()

    @property
    def value(self) -> Any:
        """The value that holds in this thread."""
        local = getattr(self._local, "value", UNSET)
        return self._global if local is UNSET else local

    def get_global(self) -> Any:
        """The process-wide value."""
        return self._global

    def set_global(self, value: Any) -> None:
        """Replaces the process-wide value."""
        self._global = value

    def get_local(self) -> Any:
        """This thread's value, or `UNSET`."""
        return getattr(self._local, "value", UNSET)

    def set_local(self, value: Any) -> None:
        """Replaces this thread's value; `UNSET` removes it."""
        self._local.value = value

    def swap_local(self, value: Any) -> Any:
        """Replaces this thread's value and returns the one before."""
        before = self.get_local()
        self._local.value = value
        return before


def _parse_bool(text: str, env: str) -> bool:
    lowered = text.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    raise ValueError(f"invalid truth value {lowered!r} for environment {env!r}")


class Setting:
    """One setting: its name, type, default, what it keys, and its value.

    Reading `setting.value` costs no Python frame. `with setting(value):` overrides it in this thread; a
    function decorated with `@setting(value)` runs under that value.
    """

    __slots__ = (
        "_unset",
        "choices",
        "default",
        "doc",
        "env",
        "in_jit_key",
        "in_trace_context",
        "name",
        "optional",
        "slot",
        "type",
    )  # fmt: skip

    value: Any = property(operator.attrgetter("slot.value"))

    def __init__(
        self,
        name: str,
        default: Any,
        doc: str,
        *,
        type: type | None = None,
        choices: tuple[Any, ...] = (),
        optional: bool = False,
        in_jit_key: bool = False,
        in_trace_context: bool = False,
    ):
        self.name = name
        self.env = name.upper()
        self.doc = doc
        self.type = type or default.__class__
        self.choices = choices
        self.optional = optional
        self.in_jit_key = in_jit_key
        self.in_trace_context = in_trace_context
        self.default = self._from_environment(default)
        self.slot: Slot = PythonSlot(self.default)
        self._unset = UNSET

    def __repr__(self) -> str:
        return f"<Setting {self.name} = {self.value!r}>"

    @property
    def short_name(self) -> str:
        """The name without JAX's prefix, as the context manager is called: `enable_x64`."""
        return self.name.removeprefix("jax_")

    def bind(self, slot: Slot) -> None:
        """Moves the value into `slot`, for good: a jaxlib `Config` that was made with this setting's value.

        A value that this thread overrides at that moment stays overridden; `slot` must be new, so that its
        local value is the slot's own mark for "not set".
        """
        unset = slot.get_local()
        local = self.slot.get_local()
        slot.set_global(self.slot.get_global())
        if local is not self._unset:
            slot.set_local(local)
        self.slot, self._unset = slot, unset

    def check(self, value: Any) -> Any:
        """The value as it is stored.

        Raises:
            ValueError: the value is not of this setting's type.
        """
        if value is None and self.optional:
            return None
        if self.choices:
            if value not in self.choices:
                none = "None or " if self.optional else ""
                raise ValueError(
                    f"new enum value must be {none}in {list(self.choices)}, "
                    f"got {value} of type {value.__class__}."
                )
            return value
        if self.type is bool and isinstance(value, int):
            return bool(value)
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if self.type is not object and not isinstance(value, self.type):
            name, none = self.type.__name__, "None or " if self.optional or self.type is not bool else ""
            if self.type is str:  # in JAX this one sentence ends
                raise ValueError(
                    f"new string config value must be {none}of type str, got {value} of type {value.__class__}."
                )
            raise ValueError(
                f"new {name} config value must be {none}of type {name}, got {value} of type {value.__class__}"
            )
        return value

    def set(self, value: Any) -> None:
        """Replaces the process-wide value."""
        self.slot.set_global(self.check(value))

    def __call__(self, new_val: Any = UNSET) -> Override:
        """A context manager under which this thread sees `new_val`; a switch without a value is turned on."""
        if new_val is UNSET:
            if self.type is not bool:
                raise TypeError(
                    f"Context manager for {self.short_name} config option requires an argument "
                    "representing the new value for the config option."
                )
            new_val = True
        return Override(self, self.check(new_val))

    def _from_environment(self, default: Any) -> Any:
        text = os.environ.get(self.env)
        if text is None or (text == "" and self.type is not str):
            return default
        if self.choices:
            if text not in self.choices:
                raise ValueError(f'Invalid value "{text}" for JAX flag {self.name}')
            return text
        if self.type is bool:
            return _parse_bool(text, self.env)
        if self.type in (int, float):
            try:
                return self.type(text)
            except ValueError:
                raise ValueError(f'Invalid value "{text}" for JAX flag {self.name}') from None
        return text


class Override:
    """The context manager and decorator that calling a setting returns; can be entered again, nested too."""

    __slots__ = ("_before", "_setting", "_value")

    def __init__(self, setting: Setting, value: Any):
        self._setting = setting
        self._value = value
        self._before: list[tuple[Slot, Any]] = []

    def __enter__(self) -> None:
        slot = self._setting.slot
        self._before.append((slot, slot.swap_local(self._value)))

    def __exit__(self, *exc: object) -> None:
        slot, before = self._before.pop()
        setting = self._setting
        if setting.slot is not slot and before is UNSET:
            before = setting._unset  # the setting was bound inside the `with` block
        setting.slot.set_local(before)

    def __call__(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        setting, value = self._setting, self._value

        @functools.wraps(fun)
        def run_overridden(*args: Any, **kwargs: Any) -> Any:
            with Override(setting, value):
                return fun(*args, **kwargs)

        return run_overridden


class Config:
    """All settings, by JAX's name (`config.jax_enable_x64`) and as objects (`config.enable_x64.value`)."""

    def __init__(self) -> None:
        self._settings: dict[str, Setting] = {}

    def declare(self, setting: Setting) -> Setting:
        """Registers a setting and returns it."""
        if setting.name in self._settings:
            raise ValueError(f"the setting {setting.name} is declared twice")
        self._settings[setting.name] = setting
        if setting.short_name != setting.name:
            self.__dict__[setting.short_name] = setting  # a plain attribute: no lookup function on the way
        return setting

    def __getattr__(self, name: str) -> Any:
        setting = self.__dict__.get("_settings", {}).get(name)
        if setting is None:
            raise AttributeError(f"'Config' object has no attribute {name!r}")
        return setting.value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_settings", {}):
            raise AttributeError("property of 'Config' object has no setter")
        object.__setattr__(self, name, value)

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._settings.values())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._settings})

    def setting(self, name: str) -> Setting:
        """The setting with this full name.

        Raises:
            AttributeError: there is none.
        """
        try:
            return self._settings[name]
        except KeyError:
            raise AttributeError(f"Unrecognized config option: {name}") from None

    def read(self, name: str) -> Any:
        """The value that holds in this thread."""
        return self.setting(name).value

    def update(self, name: str, value: Any) -> None:
        """Replaces the process-wide value of a setting."""
        self.setting(name).set(value)

    @property
    def values(self) -> dict[str, Any]:
        """Every setting's name and value."""
        return {setting.name: setting.value for setting in self}
