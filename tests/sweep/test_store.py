# SPDX-License-Identifier: Apache-2.0
"""The file of results: its columns, what it refuses, and which rows stay."""

from __future__ import annotations

import ast
import re
import sqlite3
from pathlib import Path

import pytest

import modeloom
from modeloom.spec import InputError
from modeloom.sweep.configuration import COMPILER, HARDWARE, Configuration, Identity
from modeloom.sweep.point import FINAL, STATUSES
from modeloom.sweep.run import COLUMNS, SCHEMA, Store, row_of

ONE = Identity(Configuration("circuit", "karatsuba", {"halt": 4}), "d", {"modeloom": "0"})


def outcome(status="ok", error=None):
    return {"status": status, "error": error, "result": {}, "seconds": 1.0, "blocks": {"reused": 0, "mapped": 0}}


def test_rows_come_back(tmp_path):
    row = row_of(ONE, outcome(), "2026-01-01T00:00:00")
    with Store(tmp_path / "a.sqlite") as store:
        store.add(row)
        store.add(row)
    with Store(tmp_path / "a.sqlite", make=False) as store:
        assert store.rows() == [row] == store.latest() and tuple(row) == tuple(COLUMNS)


@pytest.mark.parametrize("status", STATUSES)
def test_failures_of_the_machine_are_no_results(tmp_path, status):
    with Store(tmp_path / "a.sqlite") as store:
        store.add(row_of(ONE, outcome(status), ""))
        assert (ONE.key in store.finished([ONE.key])) == (status in FINAL) == (status in ("ok", "refused", "failed"))


@pytest.mark.parametrize(
    "other",
    [
        Identity(Configuration("circuit", "karatsuba", {"halt": 8}), "d", {"modeloom": "0"}),
        Identity(ONE.configuration, "e", {"modeloom": "0"}),
        Identity(ONE.configuration, "d", {"modeloom": "1"}),
        Identity(Configuration("circuit", "karatsuba", {"halt": 4}, "xc7", "core"), "d", {"modeloom": "0"}),
    ],
    ids=["options", "definition", "tools", "target"],
)
def test_each_part_of_the_identity_makes_another_row(tmp_path, other):
    with Store(tmp_path / "a.sqlite") as store:
        store.add(row_of(ONE, outcome(), "1"))
        assert store.finished([other.key]) == set()
        store.add(row_of(other, outcome(), "2"))
        assert len(store.rows()) == 2
        newest = [row["key"] for row in store.latest()]
        assert other.key in newest and len(newest) == (1 if other.configuration == ONE.configuration else 2)


def damaged(path: Path) -> None:
    with Store(path) as store:
        for number in range(200):
            store.add(row_of(Identity(ONE.configuration, str(number), {}), outcome(), ""))
    data = bytearray(path.read_bytes())
    data[8192 : len(data) - 4096] = b"\xa5" * (len(data) - 12288)
    path.write_bytes(data)


def other_schema(path: Path) -> None:
    Store(path).__exit__()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE meta SET value = 'modeloom-sweep-0'")


def other_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE songs (name TEXT)")


WRONG = {
    "text": (lambda path: path.write_text("not a database, but a text of some length " * 50), "not a file of results, or it is damaged"),
    "damaged": (damaged, "not a file of results, or it is damaged"),
    "cut": (lambda path: (damaged(path), path.write_bytes(path.read_bytes()[:6000])), "not a file of results, or it is damaged"),
    "schema": (other_schema, f"has the schema modeloom-sweep-0, and this version writes {SCHEMA}"),
    "database": (other_database, "is a different SQLite database"),
    "folder": (Path.mkdir, "is a folder"),
}


@pytest.mark.parametrize("make", WRONG)
def test_other_files_are_refused_and_left_alone(tmp_path, make):
    path = tmp_path / "a.sqlite"
    WRONG[make][0](path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(InputError, match=re.escape(WRONG[make][1])) as refusal:
        Store(path)
    assert "\n" not in str(refusal.value) and (path.read_bytes() if path.is_file() else None) == before


def test_a_file_that_only_is_read_must_be_there(tmp_path):
    with pytest.raises(InputError, match="there is no file of results"):
        Store(tmp_path / "a.sqlite", make=False)
    with pytest.raises(InputError, match="there is no folder"):
        Store(tmp_path / "none" / "a.sqlite")


def test_the_page_has_the_columns():
    text = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [A-Z ]+ \| (.*) \|$", text, flags=re.M))
    assert {name: about for name, (_, about) in COLUMNS.items()} == rows
    assert SCHEMA in text and all(f"`{status}`" in text for status in STATUSES)


NO_FIGURES = {
    "modes": "the identity has the hash of the definition",
    "version": "the identity has the version",
    "sim": "for a compiled point, it refuses a wrong cipher of a user",
    "taint": "it refuses a wrong cipher of a user",
    "modeloom_circuits": "points of circuits have their own list",
}
"""Rooms from which no figure of a point comes, and why."""


@pytest.mark.parametrize("rooms", [COMPILER, HARDWARE])
def test_no_source_of_a_point_is_left_out(rooms):
    """Every room that a hashed one imports is hashed, so that no stored point outlives a change of what made it."""
    root = Path(modeloom.__file__).parent
    found = set()
    for path in (path for room in rooms for path in (root / room).rglob("*.py")):
        imports = [node.module or "" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]
        parts = [name.split(".") for name in imports if name.startswith("modeloom")]
        found |= {part[0] if part[0] != "modeloom" else part[1] for part in parts if part != ["modeloom"]}
    assert found > {"spec", "rtl"}
    assert found - {room.removeprefix("../") for room in rooms} - NO_FIGURES.keys() == set()
