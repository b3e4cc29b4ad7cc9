"""What a test may need from the machine: a Chromium, an oracle; how they are found, and how to get one."""

from __future__ import annotations

import os
import pathlib
import shutil
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """The browser: `JAXNB_CHROMIUM`, or the first on the path."""
    named = os.environ.get("JAXNB_CHROMIUM")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


def find_oracle() -> str | None:
    """The oracle's interpreter: `JAXNB_ORACLE_PYTHON`, or `.oracle/bin/python`."""
    path = pathlib.Path(os.environ.get("JAXNB_ORACLE_PYTHON") or ROOT / ".oracle" / "bin" / "python")
    return str(path) if path.exists() else None


@dataclass(frozen=True)
class Requirement:
    """A marker, whether this machine meets it, and what to do if not."""

    marker: str
    found: str | None
    advice: str


def requirements() -> list[Requirement]:
    """All of them, as this machine stands."""
    return [
        Requirement("browser", find_chromium(), "install chromium, or name one in JAXNB_CHROMIUM"),
        Requirement("oracle", find_oracle(), "make oracle, or name a python with jax in JAXNB_ORACLE_PYTHON"),
    ]


def demanded() -> set[str]:
    """The markers whose absence is a failure: `JAXNB_REQUIRE=browser,oracle`."""
    names = {n.strip() for n in os.environ.get("JAXNB_REQUIRE", "").split(",")} - {""}
    unknown = names - {r.marker for r in requirements()}
    if unknown:
        raise ValueError(f"JAXNB_REQUIRE names what no test needs: {', '.join(sorted(unknown))}")
    return names
