# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the test TEST_FILE, with cocotb-coverage if it is installed.  COVERAGE=0 switches it off.

CASES_FILE has the points.  After each test, the file COVERAGE_FILE (coverage.yml) tells how often each of them was met.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

try:
    if os.environ.get("COVERAGE") == "0":
        raise ImportError
    from cocotb_coverage.coverage import CoverPoint, coverage_db
except ImportError:
    coverage_db = None

PLAN = json.loads(Path(__file__).resolve().with_name("CASES_FILE").read_text(encoding="utf-8"))["points"]
TOP = "core"
"""Name of the top of all points."""

ON = coverage_db is not None

LEFT = {(group, name) for group, names in PLAN.items() for name in names}
"""Points that have not been met."""

SAMPLES: dict[str, Any] = {}
if ON:
    for each, bins in PLAN.items():
        SAMPLES[each] = CoverPoint(f"{TOP}.{each}", bins=bins)(lambda point: None)


def met(group: str, name: str) -> None:
    """Counts a point.  Raises ``KeyError`` if this core has no such point."""
    if name not in PLAN[group]:
        raise KeyError(f"{group}.{name}")
    if ON:
        SAMPLES[group](name)
    LEFT.discard((group, name))


def has(group: str, name: str) -> bool:
    """Whether this core has a point."""
    return name in PLAN.get(group, ())


def waits_for(group: str, name: str) -> bool:
    """Whether a point is wanted that has not been met."""
    return ON and (group, name) in LEFT


def write() -> None:
    """Writes the file."""
    if ON:
        coverage_db.export_to_yaml(filename=os.environ.get("COVERAGE_FILE") or "coverage.yml")


def read(path: Path) -> tuple[int, list[str]]:
    """The number of points, and those that were not met, by a file."""
    import yaml

    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    points = [(group, name) for group, names in PLAN.items() for name in names]
    return len(points), [f"{group}.{name}" for group, name in points if not told[f"{TOP}.{group}"]["bins:_hits"][name]]


def report(path: Path) -> str:
    """A line for users."""
    if not ON:
        return "coverage: not measured (pip install cocotb-coverage)"
    if not path.is_file():
        return "coverage: no test has written it"
    count, left = read(path)
    missing = f"; not met: {', '.join(left)}" if left else ""
    return f"coverage: {count - len(left)} of {count} points, {100 * (count - len(left)) / count:.1f} %{missing}"
