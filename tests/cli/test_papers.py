# SPDX-License-Identifier: Apache-2.0
"""``modeloom papers``: the page of the documents, and its figures as JSON."""

import json
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"


def test_the_page_is_that_of_the_documents(run):
    done = run("papers")
    assert done.status == 0 and done.out == PAGE.read_text(encoding="utf-8")


def test_figures(run):
    data = json.loads(run("papers", "--json").out)
    assert list(data) == ["schema", "tables"] and data["schema"] == "modeloom-papers-1"
    assert len(data["tables"]) == 22 and sum(len(table["rows"]) for table in data["tables"]) == 169
    assert all(list(table) == ["name", "paper", "table", "title", "units", "notes", "rows"] for table in data["tables"])


def test_one_table(run):
    (table,) = json.loads(run("papers", "tes2010-1", "--json").out)["tables"]
    heh = table["rows"][-1]
    assert heh["printed"] == {"calls": "m + 1", "multiplications": "2m", "keys": 2}
    assert heh["corrected"] == {"multiplications": "2(m - 1)"}
    assert heh["ours"] == {"calls": 33, "multiplications": 62, "setup_calls": 0, "setup_multiplications": 0, "keys": 2}
    assert run("papers", "tes2010-1").out in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("tes2010-4",), "unknown table 'tes2010-4'"),
        (("--jso",), "unknown option '--jso'; did you mean --json"),
    ],
)
def test_refused(run, arguments, message):
    done = run("papers", *arguments)
    assert done.status == 2 and done.out == "" and message in done.err and done.err.count("\n") == 1
