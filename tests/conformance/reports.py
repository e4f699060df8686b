# SPDX-License-Identifier: Apache-2.0
"""Runs vector files for the tests."""

from __future__ import annotations

from pathlib import Path

from modeloom.conformance import Report, read_file, run_file, subject_of

PUBLISHED = Path(__file__).parent / "published"


def counted(report: Report) -> tuple[int, int, int, int]:
    """The numbers of tests that passed, failed, were answered, and were not applicable."""
    return report.passed, len(report.failed), report.answered, sum(report.not_applicable.values())


def run(target: str | Path, path: Path, expected: Path | None = None) -> Report:
    """What comes of a file."""
    return run_file(read_file(path, expected), subject_of(str(target), optimize=0))
