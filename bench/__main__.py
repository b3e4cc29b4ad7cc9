"""`python -m bench`: measures, prints a table of ratios, writes JSON; `--assert` fails when a bound is broken."""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
from typing import Any

from bench import measure, report, views
from bench.subject import CASES

PROGRAMS = ("a", "b", "c")
PARTS = ("dispatch", "import", *PROGRAMS, "views")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--assert", dest="strict", action="store_true", help="fail when a bound is broken")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to run")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes of each side")
    parser.add_argument("--rounds", type=int, default=14, help="rounds of each dispatch case and side")
    options = parser.parse_args()

    samples: measure.Samples = {}
    facts: dict[str, Any] = {"jaxlib": importlib.metadata.version("jaxlib")}
    broken: list[str] = []
    if "dispatch" in options.only:
        found, facts["dispatch"] = measure.dispatch(tuple(CASES), options.rounds)
        samples |= found
        keys = {package: known["settings_in_key"] for package, known in facts["dispatch"].items()}
        if keys["jaxnb"] < keys["jax"]:
            broken.append(f"the key holds fewer settings than jax's: {keys}")
    if "import" in options.only:
        samples |= measure.imports(options.runs)
    for name in (n for n in PROGRAMS if n in options.only):
        found, facts[name] = measure.cold(name, options.runs)
        samples |= found
        if facts[name]["jaxnb"] != facts[name]["jax"]:
            broken.append(f"the two sides differ on ({name}): {facts[name]}")

    lines = report.lines(samples)
    print(report.table(lines))
    if "views" in options.only and views.find_chromium() is None:
        print("NOT RUN: views; install chromium, or name one in JAXNB_CHROMIUM")
    elif "views" in options.only:
        facts["views"] = views.views(PROGRAMS)
        print(views.table(facts["views"]))
        broken += views.broken(facts["views"])
    broken += [f"{x.measure} is {x.ratio:.2f} of jax's, more than {x.bound}" for x in lines if not x.holds]
    for complaint in broken:
        print("BROKEN:", complaint)
    print("written:", report.write(lines, samples, facts).relative_to(measure.ROOT))
    return 1 if options.strict and broken else 0


if __name__ == "__main__":
    sys.exit(main())
