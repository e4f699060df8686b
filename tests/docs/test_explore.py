# SPDX-License-Identifier: Apache-2.0
"""docs/explore.html is the page of the stored sweep: ``modeloom explore bench/sweeps/docs.sqlite -o docs/explore.html --title TITLE``."""

import shutil
from pathlib import Path

import pytest

from modeloom.report.explorer import explorer_page
from modeloom.sweep.run import Store

ROOT = Path(__file__).parents[2]

TITLE = "Sweep of the modes of modeloom"


@pytest.fixture
def rows(tmp_path):
    """The rows of a copy, since SQLite may write beside a file that it opens."""
    copy = tmp_path / "docs.sqlite"
    shutil.copy(ROOT / "bench" / "sweeps" / "docs.sqlite", copy)
    with Store(copy, make=False) as store:
        return store.latest()


def test_the_page_is_that_of_the_stored_sweep(rows):
    assert (ROOT / "docs" / "explore.html").read_text(encoding="utf-8") == explorer_page(rows, TITLE)


def test_another_figure_is_found(rows):
    page = explorer_page(rows, TITLE)
    rows[0]["latency"] += 1
    assert explorer_page(rows, TITLE) != page
