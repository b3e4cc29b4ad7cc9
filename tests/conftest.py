"""What all tests share: `--accept` for golden texts, and tests that this machine cannot run.

Such a test is left out and listed as NOT RUN at the end; nothing is skipped in silence. `JAXNB_REQUIRE=browser,oracle`
makes the absence of one a failure.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.golden.texts import GoldenTexts
from tests.requirements import Requirement, demanded, requirements

not_run = pytest.StashKey[dict[str, tuple[Requirement, int]]]()


def pytest_addoption(parser):
    parser.addoption("--accept", action="store_true", help="write golden texts anew instead of comparing")


def pytest_configure(config):
    config.stash[not_run] = {}
    # before anything starts a compiler: texts must not depend on the machine's accelerators
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    # a shell that starts the tests in the background lets them, and all that they start, ignore interrupts
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)  # after -k and -m have chosen
def pytest_collection_modifyitems(config, items):
    required = demanded()
    for requirement in requirements():
        if requirement.found or requirement.marker in required:
            continue  # where it is required and missing, the test's own fixture fails and says what to do
        left_out = [item for item in items if item.get_closest_marker(requirement.marker)]
        if left_out:
            items[:] = [item for item in items if not item.get_closest_marker(requirement.marker)]
            config.hook.pytest_deselected(items=left_out)
            config.stash[not_run][requirement.marker] = (requirement, len(left_out))


def pytest_terminal_summary(terminalreporter, config):
    if not config.stash[not_run]:
        return
    terminalreporter.section("NOT RUN")
    for marker, (requirement, count) in config.stash[not_run].items():
        tests = "test" if count == 1 else "tests"
        terminalreporter.line(f"NOT RUN: {count} {marker} {tests}; to run them, {requirement.advice}")


@pytest.fixture
def golden(request):
    """`golden(name, text)` compares a text with the one kept under tests/golden, or keeps it with `--accept`."""
    texts = GoldenTexts(accept=request.config.getoption("--accept"))
    return texts.compare
