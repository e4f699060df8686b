# SPDX-License-Identifier: Apache-2.0
"""``modeloom explore``: the page that it writes, and its errors."""

import json
import shutil
import sqlite3

import pytest
from tests.sweeps import CIRCUITS, run, write

from modeloom.report.explorer import explorer_page
from modeloom.sweep.run import Store


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The file of a small sweep and its results."""
    place = tmp_path_factory.mktemp("sweep")
    done = run(write(place, CIRCUITS))
    assert [row["status"] for row in done.rows] == ["ok"] * 4
    return place


@pytest.fixture
def results(folder, swept):
    """A small file of results, and files that are none."""
    for path in swept.iterdir():
        shutil.copy(path, folder)
    with Store("none.sqlite"):
        pass
    with sqlite3.connect("other.sqlite") as other:
        other.execute("CREATE TABLE a (b)")
    other.close()
    (folder / "later.sqlite").write_bytes((folder / "a.sqlite").read_bytes())
    with sqlite3.connect("later.sqlite") as later:
        later.execute("UPDATE meta SET value = 'modeloom-sweep-9'")
    later.close()
    (folder / "empty.sqlite").touch()
    return folder


def test_the_page(results, request):
    command = request.getfixturevalue("run")
    done = command("explore", "a.sqlite", "-o", "a.html")
    assert (done.status, done.out, done.err) == (0, "4 points in a.html\n", "")
    with Store("a.sqlite") as store:
        rows = store.latest()
    assert (results / "a.html").read_text(encoding="utf-8") == explorer_page(rows, "a.sqlite")
    done = command("explore", "a.sqlite", "-o", "b.html", "--title", "My cores", "--json")
    assert json.loads(done.out) == {"schema": "modeloom-explore-1", "page": "b.html", "points": 4}
    assert "<h1>My cores</h1>" in (results / "b.html").read_text(encoding="utf-8")


def test_one_point(results, request):
    with sqlite3.connect("a.sqlite") as base:
        base.execute("DELETE FROM points WHERE key > (SELECT min(key) FROM points)")
    base.close()
    assert request.getfixturevalue("run")("explore", "a.sqlite", "-o", "a.html").out == "1 point in a.html\n"
    assert "1 point of modeloom sweep: 1 with figures, and 0 proved" in (results / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no.sqlite", "-o", "a.html"], "there is no file of results no.sqlite"),
        (["a.toml", "-o", "a.html"], "a.toml is not a file of results, or it is damaged"),
        (["other.sqlite", "-o", "a.html"], "other.sqlite is a different SQLite database"),
        (["later.sqlite", "-o", "a.html"], "later.sqlite has the schema modeloom-sweep-9, and this version writes modeloom-sweep-1"),
        (["none.sqlite", "-o", "a.html"], "none.sqlite has no points"),
        (["empty.sqlite", "-o", "a.html"], "empty.sqlite is empty"),
        (["a.sqlite", "-o", "no/a.html"], "there is no folder no for the output"),
        (["a.sqlite", "-o", "a.sqlite"], "a.sqlite is the input"),
        (["a.sqlite", "-o", "."], "is a folder"),
        (["a.sqlite"], "--output is missing"),
        ([], "RESULTS is missing"),
    ],
)  # fmt: skip
def test_wrong_inputs(results, request, arguments, told):
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    done = request.getfixturevalue("run")("explore", *arguments)
    assert (done.status, done.out) == (2, "") and done.err.startswith("modeloom: ") and done.err.count("\n") == 1
    assert told in done.err and {path.name: path.read_bytes() for path in results.iterdir()} == before
