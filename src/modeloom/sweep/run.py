# SPDX-License-Identifier: Apache-2.0
"""Runs the points of a sweep that are new, on this machine or on a Dask cluster, and stores each as it ends.

::

    points ──▶ definitions ──▶ identities ──▶ not in the file ──▶ workers ──▶ outcomes ──▶ rows of the file
                    └───────── not traced: it hangs, or ends its process ─────────────────────▲

A definition that is not part of modeloom can do anything, so it is traced in a process of its own, while other points run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from modeloom.emit.tools import ToolMissing
from modeloom.sweep.configuration import Configuration, Identity, is_foreign, tools_of
from modeloom.sweep.point import Outcome, failed, trace_point
from modeloom.sweep.store import Row, Store, row_of
from modeloom.sweep.worker import Request
from modeloom.synth import SynthesisError
from modeloom.version import VERSION

__all__ = ["Executor", "Report", "Workers", "run_points"]

Progress = Callable[[int, int, Row | None], None]


@dataclass(frozen=True)
class Workers:
    """Where requests go.

    Attributes
    ----------
    run : callable
        Performs a request to run a point, perhaps on another machine.
    trace : callable
        Performs a request to trace a definition, on this machine: its hash is what the workers compare theirs with.
    """

    run: Callable[[Request], Future[Outcome]]
    trace: Callable[[Request], Future[Outcome]]


Executor = AbstractContextManager[Workers]
"""Provides workers.  Their processes end with it."""


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
        Points that have run, or could not.
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
    progress: Progress = lambda done, total, row: None,
) -> Report:  # fmt: skip
    """Runs what is not in the file yet.  A point whose definition cannot be traced, or that needs a missing tool, has a row that says so.

    Parameters
    ----------
    folder : Path
        Where relative paths of modes and libraries begin.
    timeout : float, optional
        Limit in seconds for the trace of a definition, and for each point.
    progress : callable
        Called with the number of points that have ended, the number of those that run, and the row of the last one.  Points whose
        definitions are not traced yet count as points that run.

    Raises
    ------
    ToolMissing, SynthesisError
        Every point needs a tool that is missing.
    """
    with executor as workers:
        return _Run(points, store, folder, workers, timeout, progress).report()


class _Run:
    """A run of a sweep.  One thread does everything here; workers only put what has ended into a queue."""

    def __init__(
        self, points: Sequence[Configuration], store: Store, folder: Path, workers: Workers, timeout: float | None, progress: Progress
    ):
        self._points, self._store, self._folder, self._workers = points, store, folder, workers
        self._timeout, self._progress = timeout, progress
        self._done = Report()
        self._keys: dict[str, str] = {}
        self._ended: SimpleQueue[tuple[Future[Outcome], Callable[[Outcome], None]]] = SimpleQueue()
        self._waiting = 0
        self._total = 0

    def report(self) -> Report:
        """Runs the points."""
        designs: dict[str, list[tuple[Configuration, dict[str, str]]]] = {}
        missing: list[tuple[Configuration, Exception]] = []
        for point in {point.canonical: point for point in self._points}.values():
            try:
                designs.setdefault(point.design, []).append((point, tools_of(point, self._folder)))
            except (ToolMissing, SynthesisError) as absent:
                missing.append((point, absent))
        if missing and not any(designs.values()):
            raise missing[0][1]
        self._total = len(missing) + sum(map(len, designs.values()))
        self._progress(0, self._total, None)
        for point, error in missing:
            self._store_row(_unready(point), failed(error))
        for same in filter(None, designs.values()):
            point = same[0][0]
            if is_foreign(point):
                self._then(self._workers.trace(self._request(point, "trace")), partial(self._traced, same))
            else:
                self._traced(same, trace_point(point, self._folder))
            while not self._ended.empty():
                self._next()
        while self._waiting:
            self._next()
        self._done.rows = self._store.rows([self._keys[point.canonical] for point in self._points])
        return self._done

    def _traced(self, same: list[tuple[Configuration, dict[str, str]]], outcome: Outcome) -> None:
        """Goes on with points of one design, whose definition has been traced, or not."""
        traced = outcome["status"] == "ok"
        identities = [Identity(point, outcome["result"]["definition"] if traced else "", tools) for point, tools in same]
        there = self._store.finished(one.key for one in identities) if traced else ()
        for identity in identities:
            if identity.key in there:
                self._keys[identity.configuration.canonical] = identity.key
                self._done.known += 1
                self._total -= 1
            elif traced:
                request = self._request(identity.configuration, "run")
                request["definition"], request["tools"] = identity.definition, identity.tools
                self._then(self._workers.run(request), partial(self._store_row, identity))
            else:
                self._store_row(identity, outcome)
        if there:
            self._progress(self._done.ran, self._total, None)

    def _store_row(self, identity: Identity, outcome: Outcome) -> None:
        """Stores the row of a point, in the place of one that it has without a definition."""
        row = row_of(identity, outcome, datetime.now(UTC).isoformat(timespec="microseconds"))
        point = identity.configuration
        self._store.add(row, {Identity(point, "", identity.tools).key, _unready(point).key} - {identity.key})
        self._keys[point.canonical] = identity.key
        self._done.ran += 1
        self._done.reused += outcome["blocks"]["reused"]
        self._done.mapped += outcome["blocks"]["mapped"]
        self._progress(self._done.ran, self._total, row)

    def _request(self, point: Configuration, task: str) -> Request:
        return {"task": task, "configuration": point.as_dict(), "folder": str(self._folder.resolve()), "timeout": self._timeout}

    def _then(self, future: Future[Outcome], do: Callable[[Outcome], None]) -> None:
        """Does something with an outcome when it is there."""
        self._waiting += 1
        future.add_done_callback(lambda ended: self._ended.put((ended, do)))

    def _next(self) -> None:
        future, do = self._ended.get()
        self._waiting -= 1
        do(future.result())


def _unready(point: Configuration) -> Identity:
    """The identity of a point whose tools are not all there."""
    return Identity(point, "", {"modeloom": VERSION})
