# SPDX-License-Identifier: Apache-2.0
"""The file of results: one SQLite table with a row for each point, in the order of their keys.

A row is written in one transaction when its point has ended.  A process that is killed loses the points that it was running, and nothing
else.  ``docs/sweeps.md`` has the columns.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from modeloom.spec import InputError
from modeloom.sweep.configuration import Identity
from modeloom.sweep.figures import FIGURES
from modeloom.sweep.point import FINAL, Outcome

__all__ = ["COLUMNS", "SCHEMA", "Row", "Store", "key_bits", "row_of"]

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
    from modeloom.sweep.figures import figures_of

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
