# SPDX-License-Identifier: Apache-2.0
"""Checks of the HTML datasheet: its timing is what a simulation of the core records."""

from __future__ import annotations

from pathlib import Path

from modeloom.emit.html import Measured, read_measured
from modeloom.emit.tools import CheckFailed
from modeloom.measure.datasheet import measured_of
from modeloom.product.description import Description
from modeloom.verification.report import Step

__all__ = ["datasheet_steps", "measured_in"]


def measured_in(directory: Path, description: Description) -> Measured | None:
    """What the page of a folder holds of measurements; None if it has no page, or one that cannot be read."""
    page = description.files.html
    if page is None or not (directory / page).is_file():
        return None
    try:
        return read_measured((directory / page).read_text(encoding="utf-8"))
    except ValueError:
        return None


def datasheet_steps(directory: Path, description: Description, *, optimize: int = 2, hashes: bool = True) -> list[Step]:
    """Records the timing of the core again and compares it with the page.  There is no step for a page without timing.

    Raises ``CheckFailed`` if they differ.  Without ``hashes``, edited Verilog is tested, and the page is not compared.
    """
    found = measured_in(directory, description)
    if found is None or found.timing is None or not hashes:
        return []
    again = measured_of(directory, description, optimize=optimize)
    if again.timing != found.timing:
        raise CheckFailed(f"{directory}: the timing in {description.files.html} is not that of the core; run modeloom datasheet again")
    cycles = len(found.timing["foot"]["tock"].split())
    left = (f"areas in {description.files.html}: modeloom synth measures them",) if found.areas else ()
    text = f"the timing in {description.files.html} is what a simulation records"
    return [Step("datasheet", text, {"columns": cycles, "areas": len(found.areas)}, left)]
