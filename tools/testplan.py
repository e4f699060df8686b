#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the test plan, docs/testplan.md, from tests/testplan.toml and the points of functional coverage.

::

    python tools/testplan.py            # writes the page
    python tools/testplan.py --check    # exit status 1, and a line for each thing that is wrong

Wrong is a test that is not there, a point that no feature names or that the bench does not have, and a page that differs.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from modeloom.product.cases import POINTS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tests" / "testplan.toml"
PAGE = ROOT / "docs" / "testplan.md"

HEAD = """\
# The test plan

This page lists the tests of every feature, and the functional coverage points that the test of `build --cocotb` counts.
It is for reviewers who want to know how a feature is checked. `tools/testplan.py` writes it from `tests/testplan.toml`.

A test is a file in `tests/` and its function. A point is a group and a name; [packages](packages.md#functional-coverage) says how to see
which points a run hit. A core has the points of its own features: the run reports the percentage of these. The tests of this project
require 95 % for each core that they drive.
"""


def plan(path: Path = SOURCE) -> list[dict[str, Any]]:
    """The areas with their features."""
    areas: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["area"]
    return areas


def features(areas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All features."""
    for area in areas:
        yield from area["feature"]


def page(areas: list[dict[str, Any]], points: Mapping[str, Mapping[str, str]] = POINTS) -> str:
    """The text of the page."""
    lines = [HEAD]
    for area in areas:
        lines += [f"## {area['name']}", "", "| feature | tests | points |", "|---|---|---|"]
        for one in area["feature"]:
            tests = "<br>".join(f"`{test}`" for test in one["tests"])
            lines.append(f"| {one['name']} | {tests} | {'<br>'.join(f'`{point}`' for point in one.get('points', ()))} |")
        lines.append("")
    lines += ["## Points", "", "| point | is met by |", "|---|---|"]
    lines += [f"| `{group}.{name}` | {meaning} |" for group, names in points.items() for name, meaning in names.items()]
    return "\n".join(lines) + "\n"


def collected(file: Path) -> set[str]:
    """The test functions at the top of a file."""
    if not file.is_file() or not file.name.startswith("test_"):
        return set()
    found = ast.parse(file.read_text(encoding="utf-8")).body
    return {node.name for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def wrong(areas: list[dict[str, Any]], points: Mapping[str, Mapping[str, str]] = POINTS) -> Iterator[str]:
    """What is wrong with a plan, a line each."""
    for one in features(areas):
        if not one["tests"]:
            yield f"{one['name']}: has no test"
        for test in one["tests"]:
            file, _, name = test.partition("::")
            if name not in collected(ROOT / "tests" / file):
                yield f"{one['name']}: there is no test {test}"
    there = {f"{group}.{name}" for group, names in points.items() for name in names}
    named = Counter(point for one in features(areas) for point in one.get("points", ()))
    yield from (f"{point}: no feature names this point" for point in sorted(there - named.keys()))
    yield from (f"{point}: the bench has no such point" for point in sorted(named.keys() - there))
    yield from (f"{point}: {count} features name this point" for point, count in sorted(named.items()) if count > 1)


def main(arguments: list[str]) -> int:
    """Writes or checks the page; 1 if something is wrong."""
    areas = plan()
    text, found = page(areas), [*wrong(areas)]
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        found.append("docs/testplan.md: differs; run python tools/testplan.py")
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
