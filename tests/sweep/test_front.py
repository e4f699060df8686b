# SPDX-License-Identifier: Apache-2.0
"""The Pareto front, and the tables of points."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from modeloom.sweep.configuration import Configuration, Identity
from modeloom.sweep.point import FIGURES
from modeloom.sweep.run import row_of
from modeloom.sweep.tables import area_of, cell, csv_table, latex_rows, latex_table, pareto_front, short_table


def row(name, luts=None, rate=None, target="xc7", status="ok", area="core", **figures):
    identity = Identity(Configuration("sector", name, {"sector": 512}, target, None if target is None else area), "", {})
    made = row_of(identity, {"status": status, "error": None, "result": {}, "seconds": 0.0}, "")
    return {**made, "luts": luts, "bytes_per_cycle": rate, **figures}


def names(rows):
    front = pareto_front(rows)
    return {each["name"] for each in rows if each["key"] in front}


def test_only_points_that_no_other_beats_are_on_the_front():
    rows = [row("small", 100, 10.0), row("fast", 300, 30.0), row("beaten", 300, 20.0), row("larger", 101, 10.0), row("alike", 100, 10.0)]
    assert names(rows) == {"small", "fast", "alike"}


def test_targets_and_ways_to_map_are_apart():
    rows = [row("a", 100, 10.0), row("b", 200, 10.0, "ecp5"), row("c", 300, 10.0, area="blocks"), row("d", 400, 9.0, area="blocks")]
    assert names(rows) == {"a", "b", "c"}


def test_points_without_figures_are_on_no_front():
    rows = [row("none", None, 10.0), row("circuit", 1, None), row("failed", 1, 99.0, status="failed"), row("plain", None, 99.0, None)]
    assert names(rows) == set() and names([*rows, row("some", 500, 1.0)]) == {"some"}


def test_broken_modes_are_on_no_front():
    rows = [row("hmch-brw", 100, 10.0), row("hctr2", 200, 10.0), row("xcb-1619", 90, 30.0)]
    assert names(rows) == {"hctr2"}


def test_memories_count_and_gates_have_nand2():
    assert area_of(row("a", 100, lutram_luts=40, srl_luts=2)) == 142
    assert area_of(row("a", None, target="gates", nand2=7.5)) == 7.5 and area_of(row("a", 100, target=None)) is None
    assert names([row("memory", 100, 10.0, lutram_luts=50), row("logic", 120, 10.0)]) == {"logic"}


def test_clocks_count_if_all_are_known():
    rows = [row("wide", 100, 10.0, mhz=100.0), row("quick", 100, 8.0, mhz=200.0)]
    assert names(rows) == {"quick"}
    assert names([*rows, row("unknown", 100, 12.0)]) == {"unknown"}


def test_tables():
    rows = [row("hctr2", 1234, 15.5), row("a_b", 20, 3.0)]
    front = pareto_front(rows)
    text = short_table(rows, front)
    assert text.splitlines()[0].split() == ["name", "options", "target", "bytes/cycle", "logic", "LUTs", "all", "LUTs", "front"]
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["hctr2", "sector", "512", "xc7", "15.5", "1234", "1234", "*"], ["a_b", "sector", "512", "xc7", "3", "20", "20", "*"],
    ]  # fmt: skip
    (first, second) = csv.DictReader(io.StringIO(csv_table(rows, front)))
    assert (first["option:sector"], first["luts"], first["front"], first["mhz"]) == ("512", "1234", "1", "")
    assert FIGURES.keys() <= first.keys()
    assert json.loads(first["tools"]) == {} and second["name"] == "a_b"
    lines = latex_table(rows, front).splitlines()
    assert lines[0] == r"\begin{tabular}{lllrrrl}" and lines[-1] == r"\end{tabular}"
    assert lines[5] == r"a\_b & sector 512 & xc7 & 3 & 20 & 20 & * \\"


def test_luts_of_logic_those_as_memories_and_all():
    """The area of the front is a column of the table."""
    rows = [row("xts", 3313, 16.0, lutram_luts=696, srl_luts=142), row("eme", None, 8.0, target="gates", nand2=9.0, lutram_luts=0)]
    head, first, second = (re.split(r"  +", line.strip()) for line in short_table(rows, ()).splitlines())
    assert head[-4:] == ["logic LUTs", "memory LUTs", "all LUTs", "NAND2"] and first[-4:] == ["3313", "838", str(area_of(rows[0])), "-"]
    assert second[-4:] == ["-", "-", "-", "9"] and "xc7 & 16 & 3313 & 838 & 4151 & -- " in latex_table(rows, ())


@pytest.mark.parametrize(
    ("text", "made"),
    [("50 % & $#_{}", r"50 \% \& \$\#\_\{\}"), ("a\\b~^", r"a\textbackslash{}b\textasciitilde{}\textasciicircum{}")],
)
def test_marks_of_latex_are_texts(text, made):
    assert made in latex_rows([["head"], [text]])


def test_cells():
    assert [cell(value) for value in (None, 3.0, 0.5161, 123456, "x")] == ["-", "3", "0.5161", "123456", "x"]
