#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the tests of a run that took long: ``python tools/slow_tests.py JUNIT.xml [SECONDS]``.

The report comes from ``pytest -n 2 --dist loadfile --no-loadscope-reorder --junitxml JUNIT.xml``.  Each line has the form of
``tests/slow_tests.txt``.  A line may go there if something shorter, which is not slow, stands for the subject of the test.  A test that
took little because another one had built its core goes there, too, once that one is listed: the report does not tell them apart.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]


def long_tests(report: Path, least: float) -> list[tuple[float, str]]:
    """Seconds and names of the tests that took at least so long, the longest first."""
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        seconds, module = float(case.get("time", "0")), case.get("classname", "")
        if seconds >= least and (ROOT / (path := module.replace(".", "/") + ".py")).is_file():
            found.append((seconds, f"{path}::{case.get('name')}"))
    return sorted(found, key=lambda row: (-row[0], row[1]))


def main(arguments: list[str]) -> int:
    """Prints the list; 2 for wrong arguments."""
    if len(arguments) not in (1, 2):
        print("usage: slow_tests.py JUNIT.xml [SECONDS]", file=sys.stderr)
        return 2
    try:
        rows = long_tests(Path(arguments[0]), float(arguments[1]) if len(arguments) == 2 else 5.0)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"slow_tests.py: {error}", file=sys.stderr)
        return 2
    for seconds, name in rows:
        print(f"{seconds:4.0f} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
