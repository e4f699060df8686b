# SPDX-License-Identifier: Apache-2.0
"""The stored results of ``bench/sweeps/docs.toml``: every point is there, and points that compile fast have today's figures."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modeloom.sweep.configuration import definition_of, tools_of
from modeloom.sweep.grid import read_sweep
from modeloom.sweep.point import figures_of, run_point
from modeloom.sweep.run import Store

FOLDER = Path(__file__).parents[2] / "bench" / "sweeps"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The newest row of each configuration.  A copy is read, since SQLite may write beside a file that it opens."""
    copy = tmp_path_factory.mktemp("sweeps") / "docs.sqlite"
    shutil.copy(FOLDER / "docs.sqlite", copy)
    with Store(copy, make=False) as store:
        return {row["configuration"]: row for row in store.latest()}


def test_every_point_is_stored(rows):
    points = read_sweep(FOLDER / "docs.toml").points
    assert {point.canonical for point in points} == rows.keys() and len(rows) > 100
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert all(row["proved"] == 1 for row in rows.values() if row["kind"] != "circuit")
    assert (FOLDER / "docs.sqlite").stat().st_size < 1 << 20


@pytest.mark.parametrize(
    ("name", "options"),
    [("xts", {"sector": 512, "cipher-cores": 2}), ("heh-brw", {"sector": 64, "cipher-cores": 1}), ("karatsuba", {"halt": 4})],
    ids=["xts", "heh-brw", "karatsuba"],
)
def test_figures_are_those_of_today(rows, name, options):
    points = read_sweep(FOLDER / "docs.toml").points
    (point,) = (one for one in points if (one.name, dict(one.options)) == (name, options) and one.target is None)
    outcome = run_point(point, definition_of(point, FOLDER), tools_of(point, FOLDER), FOLDER)
    stored = rows[point.canonical]
    found = figures_of(point.kind, outcome["result"])
    assert outcome["status"] == "ok" and found == {figure: stored[figure] for figure in found}
