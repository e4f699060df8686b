# SPDX-License-Identifier: Apache-2.0
"""A wheel has every file of the package that is not Python: templates, registers, the driver, data."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "modeloom"
PATTERNS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]["modeloom"]


def left_out(patterns: list[str]) -> set[str]:
    """Files of the package that no pattern matches."""
    every = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    return {path.relative_to(PACKAGE).as_posix() for path in every.difference(*(PACKAGE.glob(pattern) for pattern in patterns))}


def test_every_file_is_packaged() -> None:
    assert left_out(PATTERNS) == set()


def test_each_pattern_is_needed() -> None:
    for pattern in PATTERNS:
        assert left_out([one for one in PATTERNS if one != pattern]), pattern
