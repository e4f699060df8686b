# SPDX-License-Identifier: Apache-2.0
"""A wheel has every file of the package that is not Python: templates, registers, the driver, data."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATTERNS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
PACKAGES = sorted(path.parent.name for path in (ROOT / "src").glob("*/__init__.py"))


def left_out(package: str, patterns: list[str]) -> set[str]:
    """Files of a package that no pattern matches."""
    root = ROOT / "src" / package
    every = {path for path in root.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    return {path.relative_to(root).as_posix() for path in every.difference(*(root.glob(pattern) for pattern in patterns))}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_is_packaged(package: str) -> None:
    assert left_out(package, PATTERNS.get(package, [])) == set()


@pytest.mark.parametrize("package", PATTERNS)
def test_each_pattern_is_needed(package: str) -> None:
    assert package in PACKAGES
    for pattern in PATTERNS[package]:
        assert left_out(package, [one for one in PATTERNS[package] if one != pattern]), pattern
