# SPDX-License-Identifier: Apache-2.0
"""Runs the points of a sweep that are new, on this machine or on a Dask cluster, and stores each as it ends.

::

    points ──▶ definitions ──▶ identities ──▶ not in the file ──▶ workers ──▶ outcomes ──▶ rows of the file
                    └───────── not traced: it hangs, or ends its process ─────────────────────▲

A definition that is not part of modeloom can do anything, so it is traced in a process of its own, while other points run.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from modeloom.emit.simulators import ToolMissing
from modeloom.spec import InputError
from modeloom.sweep.configuration import Configuration, Identity, is_foreign, tools_of
from modeloom.sweep.point import FIGURES, FINAL, Outcome, failed, trace_point
from modeloom.sweep.worker import Request
from modeloom.synth import SynthesisError
from modeloom.version import VERSION

__all__ = ["COLUMNS", "SCHEMA", "Executor", "Report", "Row", "Store", "Workers", "key_bits", "row_of", "run_points"]


# -- store -----------------------------------------------------------------------------------------------------------------------------

# The file of results: one SQLite table with a row for each point, in the order of their keys.
#
# A row is written in one transaction when its point has ended.  A process that is killed loses the points that it was running, and nothing
# else.  ``docs/sweeps.md`` has the columns.

SCHEMA = "modeloom-sweep-1"

COLUMNS: dict[str, tuple[str, str]] = {
    "key": ("TEXT PRIMARY KEY", "SHA-256 of configuration, definition and tools"),
    "kind": ("TEXT NOT NULL", "`sector`, `stream` or `circuit`"),
    "name": ("TEXT NOT NULL", "the mode or the circuit, or `FILE.py:CLASS`"),
    "options": ("TEXT NOT NULL", "the options, as a JSON object"),
    "target": ("TEXT", "the target; NULL if the point is not synthesised"),
    "area": ("TEXT", "`core` if it is mapped as a whole, `blocks` if block by block; NULL without a target"),
    "configuration": ("TEXT NOT NULL", "all of the above and the steps, as a JSON object"),
    "definition": ("TEXT NOT NULL", "SHA-256 of the traced definition, as in `core.json`; of the sources of a circuit; empty if unknown"),
    "tools": ("TEXT NOT NULL", "versions by name, as a JSON object"),
    "command": ("TEXT NOT NULL", "the commands that build or show the point"),
    "status": ("TEXT NOT NULL", "`ok`, `refused`, `failed`, `error`, `crashed` or `timeout`"),
    "error": ("TEXT", "the reason for a status other than `ok`, in one line"),
    **FIGURES,
    "result": ("TEXT NOT NULL", "the complete results of the steps, as a JSON object: `explain`, `core`, `synth`, `bench`, `circuit`; "
               "`mode` has the title and the security of a mode that is not part of modeloom"),
    "seconds": ("REAL NOT NULL", "run time of the point"),
    "finished": ("TEXT NOT NULL", "when it ended, in UTC"),
}
"""The columns of the table ``points``: the type in SQLite, and what they hold."""

OTHERS = (".csv", ".duckdb", ".feather", ".html", ".json", ".md", ".parquet", ".svg", ".tex", ".toml", ".txt", ".xlsx")
"""Suffixes of new files that the name of a database should not have."""

TIMES = ("seconds", "finished")
"""Columns that two runs of the same point do not have in common."""

Row = dict[str, Any]
"""A row, by the names of its columns."""


def key_bits(row: Row) -> int | None:
    """The key size of the cipher of a point in bits: the largest one of a core that takes several.  None if the point has no core."""
    found: int | None = json.loads(row["result"]).get("explain", {}).get("key_bits")
    return found


def row_of(identity: Identity, outcome: Outcome, finished: str) -> Row:
    """The row of a point that has ended."""
    from modeloom.sweep.point import figures_of

    one = identity.configuration
    return {
        "key": identity.key, "kind": one.kind, "name": one.name, "options": _json(dict(sorted(one.options.items()))), "target": one.target,
        "area": one.area, "configuration": one.canonical, "definition": identity.definition, "tools": _json(identity.tools),
        "command": one.command, "status": outcome["status"], "error": outcome["error"], **figures_of(one.kind, outcome["result"]),
        "result": _json(outcome["result"]), "seconds": outcome["seconds"], "finished": finished,
    }  # fmt: skip


class Store:
    """A file of results, which is made if there is none.

    Raises
    ------
    InputError
        The file is no file of results, has another schema, is damaged, or is used by another process for too long.
    """

    def __init__(self, path: str | Path, *, make: bool = True):
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError(f"{path} is a folder; give the path of a file for the results")
        if not make and not self.path.is_file():
            raise InputError(f"there is no file of results {path}; modeloom sweep makes one")
        if self.path.suffix.lower() in OTHERS and not self.path.exists():
            raise InputError(f"{path}: the results are an SQLite database; give a name such as {self.path.with_suffix('.sqlite').name}")
        if not self.path.parent.is_dir():
            raise InputError(f"there is no folder {self.path.parent} for the results; create it first")
        with self._told():
            self._database = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._database.row_factory = sqlite3.Row
            self._check()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self._database.close()

    def finished(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys whose points need not run again."""
        with self._told():
            statuses = ((key, self._database.execute("SELECT status FROM points WHERE key = ?", [key]).fetchone()) for key in keys)
            return {key for key, row in statuses if row is not None and row["status"] in FINAL}

    def add(self, row: Row, instead_of: Iterable[str] = ()) -> None:
        """Writes a row in the place of one with the same key, and of rows with other keys whose points need to run again."""
        names = ", ".join(COLUMNS)
        marks = ", ".join("?" * len(COLUMNS))
        old = set(instead_of)
        old -= self.finished(old)
        with self._told(), self._transaction():
            self._database.executemany("DELETE FROM points WHERE key = ?", [(key,) for key in sorted(old)])
            self._database.execute(
                f"INSERT OR REPLACE INTO points ({names}) VALUES ({marks})", [row[name] for name in COLUMNS]  # noqa: S608
            )

    def rows(self, wanted: Iterable[str] | None = None) -> list[Row]:
        """All rows, or those with the wanted keys in their order."""
        with self._told():
            every = {row["key"]: dict(row) for row in self._database.execute("SELECT * FROM points ORDER BY key")}
        return list(every.values()) if wanted is None else [every[key] for key in wanted if key in every]

    def latest(self) -> list[Row]:
        """The newest row of each configuration."""
        with self._told():
            return [dict(row) for row in self._database.execute("SELECT * FROM latest ORDER BY key")]

    def _check(self) -> None:
        tables = {row["name"] for row in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            self._make()
            return
        if "meta" not in tables or "points" not in tables:
            raise InputError(f"{self.path} is a different SQLite database; give another file for the results")
        found = self._database.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
        if found is None or found["value"] != SCHEMA:
            schema = "no schema" if found is None else f"the schema {found['value']}"
            raise InputError(f"{self.path} has {schema}, and this version writes {SCHEMA}; give another file for the results")
        if (told := self._database.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(told)

    def _make(self) -> None:
        columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
        self._database.executescript(
            "BEGIN IMMEDIATE;"
            "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
            f"CREATE TABLE IF NOT EXISTS points ({columns}) WITHOUT ROWID;"
            "CREATE VIEW IF NOT EXISTS latest AS SELECT * FROM points AS one WHERE finished = "
            "(SELECT max(finished) FROM points WHERE configuration = one.configuration);"
            f"INSERT OR REPLACE INTO meta VALUES ('schema', '{SCHEMA}');"
            "COMMIT;"
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All changes of the body, or none."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            self._database.rollback()
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of SQLite as one line for users."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise InputError(f"{self.path}: {error}; close other programs that use the file, or give another one") from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.path} is not a file of results, or it is damaged ({error}); give another file, or remove it") from None


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


# -- run -------------------------------------------------------------------------------------------------------------------------------

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
        finished = self._store.finished(one.key for one in identities) if traced else ()
        for identity in identities:
            if identity.key in finished:
                self._keys[identity.configuration.canonical] = identity.key
                self._done.known += 1
                self._total -= 1
            elif traced:
                request = self._request(identity.configuration, "run")
                request["definition"], request["tools"] = identity.definition, identity.tools
                self._then(self._workers.run(request), partial(self._store_row, identity))
            else:
                self._store_row(identity, outcome)
        if finished:
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
