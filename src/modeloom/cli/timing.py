# SPDX-License-Identifier: Apache-2.0
"""The timing diagram that ``modeloom build`` puts into the HTML datasheet."""

from __future__ import annotations

from pathlib import Path

import click

from modeloom.cli.files import warn

__all__ = ["add_timing", "timing_option"]

timing_option = click.option(
    "--timing/--no-timing", default=True, envvar="MODELOOM_TIMING",
    help="Simulate the core for the timing diagram in datasheet.html (default: yes, also set by MODELOOM_TIMING).",
)  # fmt: skip


def add_timing(directory: str, mode: str, wanted: bool) -> bool:
    """Simulates the new core in ``directory`` and completes its page, if this is ``wanted``.  Returns whether the page has a timing.

    The core is whole without it: if the simulation cannot be built, as without a C++ compiler, this is a warning.
    """
    from rich.console import Console

    from modeloom.emit.html.complete import check_page, complete
    from modeloom.measure.datasheet import measured_of
    from modeloom.sim import BuildError

    if not wanted:
        return False
    try:
        with Console(stderr=True).status(f"{mode}: simulation for the datasheet"):
            # Stored areas stay out: the same command gives the same bytes in each folder.
            complete(directory, measured_of(Path(directory), check_page(directory)))
    except BuildError as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        warn([f"datasheet.html has no timing, because the simulation cannot be built: {reason}. modeloom datasheet adds the timing later."])
        return False
    return True
