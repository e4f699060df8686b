# SPDX-License-Identifier: Apache-2.0
"""Runs the points of a sweep that are new, on this machine or on a Dask cluster, and stores each as it ends.

::

    points ──▶ identities ──▶ not in the file ──▶ workers ──▶ outcomes ──▶ rows of the file
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from modeloom.sweep.configuration import Configuration
from modeloom.sweep.identity import Identity, identity_of
from modeloom.sweep.point import Outcome
from modeloom.sweep.store import Row, Store, row_of
from modeloom.sweep.worker import Request

__all__ = ["Executor", "Report", "run_points"]

Executor = Callable[[Sequence[Request]], Iterator[tuple[int, Outcome]]]
"""Performs requests, and gives the number of each with its outcome as it ends."""


@dataclass
class Report:
    """What a run of a sweep has done.

    Attributes
    ----------
    rows : list of dict
        The rows of all points of the sweep, in its order.
    known : int
        Points that were in the file.
    ran : int
        Points that have run.
    reused, mapped : int
        Blocks of designs whose mapping was there, and blocks that were mapped.
    """

    rows: list[Row] = field(default_factory=list)
    known: int = 0
    ran: int = 0
    reused: int = 0
    mapped: int = 0


def run_points(
    points: Sequence[Configuration], store: Store, folder: Path, executor: Executor, *, timeout: float | None = None,
    progress: Callable[[int, int, Row | None], None] = lambda done, total, row: None,
) -> Report:  # fmt: skip
    """Runs what is not in the file yet.

    Parameters
    ----------
    folder : Path
        Where relative paths of modes and libraries begin.
    timeout : float, optional
        Limit of each point in seconds.
    progress : callable
        Called with the number of points that have ended, the number of those that run, and the row of the last one.

    Raises
    ------
    ToolMissing, SynthesisError
        A tool that a point needs is missing.
    """
    identities = [identity_of(point, folder) for point in points]
    there = store.finished(one.key for one in identities)
    new = list({one.key: one for one in identities if one.key not in there}.values())
    report = Report(known=len(identities) - len(new))
    progress(0, len(new), None)
    requests = [_request(one, folder, timeout) for one in new]
    for number, outcome in executor(requests) if requests else ():
        row = row_of(new[number], outcome, datetime.now(UTC).isoformat(timespec="microseconds"))
        store.add(row)
        report.ran += 1
        report.reused += outcome["blocks"]["reused"]
        report.mapped += outcome["blocks"]["mapped"]
        progress(report.ran, len(new), row)
    report.rows = store.rows([one.key for one in identities])
    return report


def _request(identity: Identity, folder: Path, timeout: float | None) -> Request:
    return {
        "configuration": identity.configuration.as_dict(), "definition": identity.definition, "tools": identity.tools,
        "folder": str(folder.resolve()), "timeout": timeout,
    }  # fmt: skip
