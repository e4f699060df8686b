# SPDX-License-Identifier: Apache-2.0
"""Figures of synthesised points are those of ``modeloom synth`` and ``modeloom circuit``, and blocks that points share are mapped once."""

from __future__ import annotations

import contextlib
import json
import shlex

import pytest
from tests.built import slow, slowly
from tests.sweeps import run, stopping, write

from modeloom.cli import cli
from modeloom.measure.area import measure_circuit, measure_core
from modeloom.sweep import point as figures
from modeloom.sweep.configuration import Configuration, tools_of


@pytest.mark.parametrize("target", ["gates", *slowly("xc7")])
def test_circuits_are_those_of_the_command(tmp_path, target):
    (row,) = run(write(tmp_path, f'[[grid]]\ncircuits = ["sbox-composite"]\ntargets = ["{target}"]\n')).rows
    measured = measure_circuit("sbox-composite", target=target)
    assert json.loads(row["result"])["circuit"] == json.loads(json.dumps(measured))
    assert row["luts"] == measured["luts"] and row["nand2"] == (measured["area_nand2"] if target == "gates" else measured["nand2"])
    assert row["levels"] == measured["levels"] and row["definition"]


@slow
def test_modes_are_those_of_the_command(tmp_path):
    """The areas of a point are those that ``modeloom synth`` prints for the folder that the command of the point builds.

    A second point with the same blocks takes them.  They may differ by some gates, because what Yosys makes of a block depends on the
    design that it has read.
    """
    text = "".join(
        f'[[grid]]\nmodes = ["mine.py:Mine"]\nsector = {sector}\naes-arch = "sequential"\ndirection = "encrypt"\n'
        f'targets = ["gates"]\narea = "{area}"\n' for area, sector in (("core", 32), ("blocks", 32), ("blocks", 48))
    )  # fmt: skip
    report = run(write(tmp_path, text))
    assert [row["status"] for row in report.rows] == ["ok"] * 3 and report.reused > 0
    for row in report.rows:
        folder = tmp_path / row["key"]
        arguments = shlex.split(row["command"].partition(" && ")[0].removeprefix("modeloom "))
        arguments[arguments.index("-o") + 1] = str(folder)
        with contextlib.chdir(tmp_path), cli.make_context("modeloom", arguments, obj=[]) as context:
            cli.invoke(context)
        measured = measure_core(folder, "gates", blocks=row["area"] == "blocks")
        expected = measured["blocks_total"] if row["area"] == "blocks" else measured
        found = json.loads(row["result"])["synth"]
        assert (found["area"], found["ffs"]) == (row["nand2"], row["ffs"]) and found["ffs"] == expected["ffs"]
        assert found.get("levels") == expected.get("levels")
        assert found["area"] == (pytest.approx(expected["area"], rel=0.002) if row["area"] == "blocks" else expected["area"])


def test_a_failed_synthesis_says_why(tmp_path):
    """Where the point runs, Yosys fails.  The point is an error of a tool, and runs again the next time."""
    broken = "import modeloom.measure.area as core; core.synthesize = None"
    text = '[[grid]]\nmodes = ["mine.py:Mine"]\nsector = 16\ntargets = ["gates"]\n[[grid]]\ncircuits = ["karatsuba"]\n'
    report = run(write(tmp_path, text, stopping(broken)))
    assert [row["status"] for row in report.rows] == ["error", "ok"] and "(core.py, line" in report.rows[0]["error"]
    assert run(tmp_path / "a.toml").ran == 1


def test_a_changed_library_is_another_tool(tmp_path):
    """The hash of a Liberty file is among the tools, and its blocks are not kept: a key of a block has the name of the file alone."""
    (tmp_path / "a.lib").write_text("one", encoding="utf-8")
    point = Configuration("circuit", "karatsuba", {}, "liberty:a.lib", "core")
    first = tools_of(point, tmp_path)
    (tmp_path / "a.lib").write_text("two", encoding="utf-8")
    assert first["liberty"] != tools_of(point, tmp_path)["liberty"] and first.keys() == tools_of(point, tmp_path).keys()


def test_figures_of_a_core_on_luts():
    """Every kind of LUT has a column of its own."""
    memories = {"lutram_luts": 4, "srl_luts": 5, "bram_cells": 6, "lutram_cells": 1}
    synth = {"luts": 3, "ffs": 7, "memories": memories, "cells": {"MULT18X18D": 2}, "area": None, "levels": 8, "clock_mhz": 123.4}
    found = figures.figures_of("sector", {"synth": synth})
    names = ("luts", "lutram_luts", "srl_luts", "ffs", "bram", "dsps", "nand2", "levels", "mhz", "proved")
    assert [found[name] for name in names] == [3, 4, 5, 7, 6, 2, None, 8, 123.4, None]
