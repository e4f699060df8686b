# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom synth`` prints, from stored figures of cores and of a small design."""

import json

import pytest
from tests.scripts import ROOT
from tests.synth.designs import Adder, convert

from modeloom.measure import area as measure
from modeloom.measure import datasheet
from modeloom.product.description import Rate
from modeloom.synth import synthesize


def completed(figures, core=None):
    """Figures with what ``measure_core`` adds to them."""
    core = core or figures["core"]
    rate = Rate("sector", core["sector_bytes"], core["sector_bytes"] // 16)
    return {
        **figures, "core": core, "dsps": 0,
        "share": measure.share({**figures, "dsps": 0}) if figures["target"] == "ecp5" else None,
        "throughput": [measure.throughput(rate, figures["clock_mhz"])],
    }  # fmt: skip


def stored(path):
    return completed(json.loads((ROOT / "baselines" / path).read_text(encoding="utf-8")))


@pytest.fixture(autouse=True)
def kept(monkeypatch):
    """What is stored, as there is no core in these tests."""
    found = []
    monkeypatch.setattr(datasheet, "store_result", lambda directory, target, result: found.append((directory, target, result)))
    return found


@pytest.mark.parametrize(
    ("name", "path", "options"),
    [
        ("routed", "nextpnr-0.7/hctr2_512_bram.ecp5.json", ["--target", "ecp5", "--pnr"]),
        ("without_blocks", "nextpnr-0.7/heh_brw_4096_bram.ecp5.json", ["--target", "ecp5", "--pnr"]),
    ],
)
def test_the_table(run, expected, monkeypatch, kept, name, path, options):
    figures = stored(path)
    monkeypatch.setattr(measure, "measure_core", lambda directory, target, **more: figures)
    result = run("synth", "core", *options)
    assert result.status == 0 and not result.err
    expected(f"synth_{name}.txt", result.out)
    assert json.loads(run("synth", "core", *options, "--json").out) == figures
    assert kept == [("core", "ecp5", figures)] * 2


def test_a_folder_that_cannot_be_written(run, monkeypatch):
    """The figures are printed all the same."""
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(measure, "measure_core", lambda directory, target, **more: stored("nextpnr-0.7/hctr2_512_bram.ecp5.json"))
    monkeypatch.setattr(datasheet, "store_result", refuse)
    result = run("synth", "core", "--target", "ecp5")
    assert result.status == 0 and "hctr2" in result.out and "the result is not stored in core: Read-only file system" in result.err


def test_gates_have_an_area_in_the_place_of_luts(run, monkeypatch):
    figures = synthesize(convert(Adder(16), "adder"), "adder", "gates").to_dict()
    core = {"mode": "hctr2", "sector_bytes": 512, "key_slots": 2, "command": "modeloom build hctr2"}
    monkeypatch.setattr(measure, "measure_core", lambda directory, target, **more: completed(figures, core))
    out = run("synth", "core", "--target", "gates").out
    lines = out.splitlines()
    assert lines[0] == "adder: hctr2, sectors of 512 bytes, 2 key slots; gates: AND, XOR, NOT; area in NAND2 equivalents"
    assert lines[2].split() == ["area", "registers"] and lines[3].split() == ["core", f"{figures['area']:,}", "48"]
    assert "LUT" not in out and " gates" in out and "Gbit/s at 100 MHz" in out


def test_a_core_for_messages_has_blocks_a_cycle(run, monkeypatch):
    figures = synthesize(convert(Adder(16), "adder"), "adder", "xc7").to_dict()
    core = {"mode": "gcm", "blocks_per_cycle": 4, "key_slots": 16, "channels": 1, "command": "modeloom build gcm"}
    made = {**figures, "core": core, "dsps": 0, "share": None, "throughput": [measure.throughput(Rate("beat", 64, 1), None)]}
    monkeypatch.setattr(measure, "measure_core", lambda directory, target, **more: made)
    out = run("synth", "core", "--target", "xc7").out
    assert out.startswith("adder: gcm, 4 blocks per cycle, 16 key slots; ")
    assert "51.2 Gbit/s at 100 MHz: 64 bytes every 1 cycles, 512 bits per cycle" in out
    made["core"], made["throughput"] = {**core, "blocks_per_cycle": 1}, [measure.throughput(Rate("beat", 16, 10), None)]
    assert run("synth", "core", "--target", "xc7").out.startswith("adder: gcm, 1 block every 10 cycles, 16 key slots; ")


def test_shift_registers_count(run, monkeypatch):
    figures = synthesize(convert(Adder(16), "adder"), "adder", "xc7").to_dict()
    figures["memories"] |= {"lutram_luts": 40, "srl_luts": 2}
    core = {"mode": "hctr2", "sector_bytes": 512, "key_slots": 2, "command": "modeloom build hctr2"}
    monkeypatch.setattr(measure, "measure_core", lambda directory, target, **more: completed(figures, core))
    lines = run("synth", "core", "--target", "xc7").out.splitlines()
    assert lines[2].split()[:6] == ["logic", "LUTs", "memory", "LUTs", "all", "LUTs"]
    assert lines[3].split()[:4] == ["core", str(figures["luts"]), "42", str(figures["luts"] + 42)]


def test_share_and_throughput():
    memories = {"lutram_luts": 400, "bram_cells": 52}
    share = measure.share({"luts": 41_220, "ffs": 8_364, "dsps": 39, "memories": memories})
    assert share == {"device": "LFE5U-85F", "luts": 50.0, "ffs": 10.0, "bram_cells": 25.0, "dsps": 25.0}
    assert measure.throughput(Rate("sector", 64, 4), 200.0) == {
        "sector_bytes": 64, "interval": 4, "bits_per_cycle": 128.0, "gbit_per_second": 25.6,
    }  # fmt: skip
    assert measure.throughput(Rate("sector", 64, 5), None)["gbit_per_second"] is None
