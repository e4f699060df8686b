# SPDX-License-Identifier: Apache-2.0
"""The progress bar of a compilation, on standard error if this is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["compile_progress"]


@contextmanager
def compile_progress(title: str) -> Iterator[Callable[[str, float], None]]:
    """Yields the ``progress`` function for ``compiler.compile_mode``.  Its arguments are the step and the completed share of the work."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda step, done: bar.update(task, description=f"{title}: {step}", completed=done)
