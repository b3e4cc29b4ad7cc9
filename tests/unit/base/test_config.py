"""A setting has JAX's name, variable, value and complaints; it is per thread, before and after it is bound."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from jaxnb.base.config import config
from jaxnb.base.setting import UNSET, PythonSlot, Setting


def make(default=False, **options) -> Setting:
    return Setting("jax_test_only", default, "For a test.", **options)


class OtherSlot(PythonSlot):
    """A slot with its own mark for "not set", as jaxlib's is."""

    mark = object()

    def get_local(self):
        local = super().get_local()
        return self.mark if local is UNSET else local

    def set_local(self, value):
        super().set_local(UNSET if value is self.mark else value)

    def swap_local(self, value):
        before = self.get_local()
        self.set_local(value)
        return before


def test_a_setting_is_read_by_either_name():
    assert config.jax_enable_x64 is config.enable_x64.value is config.values["jax_enable_x64"]


def test_update_changes_the_value_for_all_threads():
    setting, seen = make(), []
    setting.set(True)
    thread = threading.Thread(target=lambda: seen.append(setting.value))
    thread.start()
    thread.join()
    assert seen == [True]


def test_a_with_block_changes_the_value_for_this_thread_only():
    setting, seen = make(), []
    with setting(True):
        assert setting.value is True
        thread = threading.Thread(target=lambda: seen.append(setting.value))
        thread.start()
        thread.join()
    assert seen == [False]
    assert setting.value is False


def test_with_blocks_nest_and_can_be_entered_again():
    setting = make(0)
    block = setting(1)
    with block, setting(2):
        with block:
            assert setting.value == 1
        assert setting.value == 2
    assert setting.value == 0
    with block:
        assert setting.value == 1


def test_a_with_block_is_left_by_an_error():
    setting = make()
    with pytest.raises(KeyError), setting(True):
        raise KeyError
    assert setting.value is False


def test_a_decorated_function_runs_under_the_value():
    setting = make()

    @setting(True)
    def read():
        return setting.value

    assert read() is True
    assert setting.value is False
    assert read.__name__ == "read"


def test_binding_keeps_the_process_wide_value():
    setting = make(3)
    setting.set(5)
    setting.bind(OtherSlot(0))
    assert setting.value == 5
    setting.set(6)
    assert setting.value == 6


def test_a_with_block_that_is_open_while_a_setting_is_bound_holds_and_ends():
    setting = make()
    with setting(True):
        setting.bind(OtherSlot(None))
        assert setting.value is True
        with setting(False):
            assert setting.value is False
        assert setting.value is True
    assert setting.value is False
    setting.set(True)
    assert setting.value is True


def test_two_open_blocks_survive_binding():
    setting = make(0)
    with setting(1):
        with setting(2):
            setting.bind(OtherSlot(None))
            assert setting.value == 2
        assert setting.value == 1
    assert setting.value == 0


def test_a_switch_without_a_value_is_turned_on():
    setting = make()
    with setting():
        assert setting.value is True


ERRORS = [
    (lambda: config.update("jax_nope", 1), AttributeError, "Unrecognized config option: jax_nope"),
    (lambda: config.jax_nope, AttributeError, "'Config' object has no attribute 'jax_nope'"),
    (
        lambda: setattr(config, "jax_enable_x64", True),
        AttributeError,
        "property of 'Config' object has no setter",
    ),
    (
        lambda: config.update("jax_numpy_rank_promotion", "maybe"),
        ValueError,
        "new enum value must be in ['allow', 'warn', 'raise'], got maybe of type <class 'str'>.",
    ),
    (
        lambda: config.update("jax_captured_constants_warn_bytes", "maybe"),
        ValueError,
        "new int config value must be None or of type int, got maybe of type <class 'str'>",
    ),
    (
        lambda: config.numpy_rank_promotion(),
        TypeError,
        "Context manager for numpy_rank_promotion config option requires an argument representing the new value "
        "for the config option.",
    ),
]


@pytest.mark.parametrize(("act", "error", "text"), ERRORS)
def test_a_mistake_is_answered_in_jaxs_words(act, error, text):
    with pytest.raises(error) as caught:
        act()
    assert str(caught.value) == text


def test_a_precision_may_be_none_and_the_complaint_says_so():
    with pytest.raises(ValueError, match=r"^new enum value must be None or in \['default', "):
        config.update("jax_default_matmul_precision", "maybe")
    with config.default_matmul_precision(None):
        assert config.jax_default_matmul_precision is None


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("JAX_ENABLE_X64", "true", "jax_enable_x64", True),
        ("JAX_OMNISTAGING", "0", "jax_omnistaging", False),
        ("JAX_CAPTURED_CONSTANTS_WARN_BYTES", "17", "jax_captured_constants_warn_bytes", 17),
        ("JAX_NUMPY_RANK_PROMOTION", "warn", "jax_numpy_rank_promotion", "warn"),
    ],
)
def test_the_environment_sets_the_first_value(variable, text, name, value, monkeypatch):
    monkeypatch.setenv(variable, text)
    declared = config.setting(name)
    assert Setting(name, declared.default, "", choices=declared.choices).value == value


@pytest.mark.parametrize(
    ("name", "default", "text"),
    [
        ("jax_enable_x64", False, "invalid truth value 'maybe' for environment 'JAX_ENABLE_X64'"),
        (
            "jax_embedded_constants_max_bytes",
            32,
            'Invalid value "maybe" for JAX flag jax_embedded_constants_max_bytes',
        ),
    ],
)
def test_a_wrong_value_in_the_environment_is_named(name, default, text, monkeypatch):
    monkeypatch.setenv(name.upper(), "maybe")
    with pytest.raises(ValueError) as caught:
        Setting(name, default, "")
    assert str(caught.value) == text


def test_every_setting_says_what_it_does():
    assert [s.name for s in config if not s.doc.endswith((".", "]"))] == []


def test_settings_need_no_jaxlib():
    code = "import sys, jaxnb; jaxnb.config.update('jax_enable_x64', True); print('jaxlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
