# SPDX-License-Identifier: Apache-2.0
"""The stored figures, and the bench that stores them: each belongs to a row, and is what the compiler says today."""

import json
from argparse import Namespace
from dataclasses import replace

import pytest
from tests.built import slow
from tests.scripts import script

from modeloom.synth.result import BlockResult, Figures
from modeloom_papers.ours import Core, schedules
from modeloom_papers.stored import KINDS, measured

QUICK = Core("heh-poly", "default", True)
"""Its search is over first."""


@pytest.fixture(scope="module")
def bench():
    return script("bench/papers.py")


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_is_asked_for(bench, kind):
    wanted = [name for name, *_ in bench.rows(kind)]
    assert [name for name in wanted if name in measured(kind)] == list(measured(kind))


def test_figures_agree_with_each_other():
    for name, row in measured("schedules").items():
        assert row["proved"] and row["ii"] >= row["ii_bound"] and row["latency"] >= row["latency_bound"], name
    for name, row in measured("cores").items():
        explained = measured("schedules")[name]
        assert (row["cycles_per_sector"], row["latency"]) == (explained["cycles_per_sector"], explained["latency"]), name
    for name, row in measured("areas").items():
        assert row["luts"] > 0 and row["registers"] > 0, name
        assert name.endswith(f" --target {row['target']}")


def test_software_is_measured_on_a_processor_with_aes():
    for row in measured("software").values():
        assert row["ns"] > 0 and row["aes_ni"] and row["library"].startswith("OpenSSL"), row


def test_one_schedule_measured_again(bench):
    again = bench.measure("schedules", QUICK.arguments, QUICK, None)
    assert json.loads(json.dumps(again)) == measured("schedules")[QUICK.arguments]


@slow
def test_all_schedules_measured_again(bench):
    for core in schedules():
        if core.arguments in measured("schedules"):
            again = bench.measure("schedules", core.arguments, core, None)
            assert json.loads(json.dumps(again)) == measured("schedules")[core.arguments]


def test_rows_are_stored_in_their_order(bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "STORED", tmp_path)
    names = [name for name, *_ in bench.rows("cores")]
    (tmp_path / "cores.json").write_text(json.dumps([{"name": "gone"}]))
    for name, cycles in ((names[3], 5), (names[0], 6), (names[3], 7)):
        bench.store("cores", {"name": name, "cycles_per_sector": cycles})
    stored = json.loads((tmp_path / "cores.json").read_text())
    assert [(row["name"], row["cycles_per_sector"]) for row in stored] == [(names[0], 6), (names[3], 7)]
    assert [path.name for path in tmp_path.iterdir()] == ["cores.json"]


def test_what_is_asked_for(bench, monkeypatch, tmp_path):
    def chosen(**changes):
        options = {"only": list(KINDS), "mode": [], "preset": [], "target": [], "overlap": None, "missing": False, **changes}
        return [(kind, name) for kind, name, *_ in bench.chosen(Namespace(**options))]

    monkeypatch.setattr(bench, "STORED", tmp_path)
    assert len(chosen()) == 61 + 54 + 96 + 3
    plain = "eme --preset tes2010-encrypt-only --exact"
    assert chosen(mode=["eme"], preset=["tes2010-encrypt-only"], target=["xc5v"], overlap=False) == [
        ("schedules", plain), ("cores", plain), ("areas", f"{plain} --target xc5v"),
    ]  # fmt: skip
    bench.store("cores", {"name": plain})
    assert ("cores", plain) in chosen(only=["cores"]) and ("cores", plain) not in chosen(only=["cores"], missing=True)


def test_an_area_is_what_the_synthesis_found(bench, monkeypatch, tmp_path):
    """LUTs as memory and as shift registers together, apart from logic."""
    total = Figures(900, 700, {"lutram_cells": 4, "lutram_luts": 16, "srl_luts": 5, "bram_cells": 3}, None, None, {})
    blocks = {"aes": replace(total, luts=850), "bus": replace(total, luts=50)}
    found = BlockResult("top", "xc4v", "", "", {"yosys": "0.70"}, (), blocks, total)
    monkeypatch.setattr(bench, "emitted", lambda core: tmp_path)
    monkeypatch.setattr(bench, "measure_blocks", lambda folder, target, known: found)
    row = bench.measure("areas", f"{QUICK.arguments} --target xc4v", QUICK, "xc4v")
    assert row == {
        "name": "heh-poly --target xc4v", "mode": "heh-poly", "preset": "default", "overlap": True, "target": "xc4v", "luts": 900,
        "lut_memory": 21, "registers": 700, "block_rams": 3, "blocks": {"aes": 850, "bus": 50}, "yosys": "0.70",
    }  # fmt: skip


def test_wrong_kinds_are_refused(bench, capsys):
    with pytest.raises(SystemExit) as stop:
        bench.main(["--only", "area"])
    assert stop.value.code == 2 and "no kind is called area" in capsys.readouterr().err
