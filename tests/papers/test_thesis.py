# SPDX-License-Identifier: Apache-2.0
"""Chapter 4 of gcm2008 beside ours: rows and cores, what is stored, and the changes of keys simulated again."""

from collections import Counter

import pytest
from tests.built import slow
from tests.scripts import ROOT, script

from modeloom.emit import CheckFailed
from modeloom.spec import InputError
from modeloom.synth.result import BlockResult, Figures
from modeloom.synth.targets import read_library
from modeloom_papers import agility, page, tables
from modeloom_papers.agility import lost_cycles, percent
from modeloom_papers.markdown import HEIGHT, plot
from modeloom_papers.stored import MESSAGE_KINDS, measured
from modeloom_papers.thesis import DESIGNS, FPGA, OUR_DESIGNS, SIZES, change_key, variants

PACKETS = [44, 1500, 64, 576]


@pytest.fixture(scope="module")
def bench():
    return script("bench/papers_gcm2008.py")


def table(number):
    (found,) = tables([f"gcm2008-{number}"])
    return {row["row"]: row for row in found["rows"]}


def test_a_paper_by_its_name():
    names = [each["name"] for each in tables(["gcm2008"])]
    assert names == [f"gcm2008-{number}" for number in ("4.1", "4.2", "section-4.4", "4.3", "4.11")]
    assert page(["gcm2008"]).startswith("## gcm2008: GCM\n") and page(["gcm2008-4.3"]).startswith("## gcm2008, Table 4.3: ")


def test_every_row_of_the_areas_has_a_core():
    assert {row["commands"]["core"] for row in table("4.1").values()} == {
        f"gcm --mul-arch {arch} --cipher-sbox {sbox} --key-slots 1 --cipher-stages 1 --mul-stages 0"
        for arch, sbox in (
            *((arch, sbox) for arch in ("fan-hasan", "karatsuba", "mastrovito") for sbox in ("lut", "composite")), ("mastrovito", "bdd"),
        )
    }  # fmt: skip
    assert table("4.2")["#5, KA, [39]"]["commands"]["core"].startswith("gcm --mul-arch karatsuba --cipher-sbox composite --key-bits 128")
    assert all(core.options().mul_stages == 0 for core, _ in variants())


@pytest.mark.parametrize("kind", MESSAGE_KINDS)
def test_every_row_is_asked_for(bench, kind):
    assert [name for name in bench.names(kind) if name in measured(kind)] == list(measured(kind))


def test_figures_agree_with_each_other():
    for name, row in measured("variants").items():
        parts = sum(row["blocks"].values())
        assert parts == pytest.approx(row.get("gates", row.get("luts")), abs=5), name
    for name, row in measured("key_changes").items():
        assert name == change_key(row["design"], row["bytes"])
        if row["bytes"] and DESIGNS[row["design"]]:
            assert row["least_lost"] == row["most_lost"]
            assert row["percent"] == pytest.approx(percent(row["bytes"], row["most_lost"]), abs=1e-4)


def test_ciphers_that_are_mapped_without_wide_multiplexers(bench, monkeypatch):
    """Those with composite S-boxes on the FPGA: the bench asks for it, and says so; the page names them, and no other row."""
    asked = {}

    def mapped(folder, place, known, narrow):
        asked[place] = narrow
        figures = Figures(7, 5, Counter(), None, 9.0, {})
        return BlockResult("top", place, "", "", {"yosys": "0.70"}, (), {"aes": figures}, figures, narrow)

    monkeypatch.setattr(bench, "emit", lambda core, folder, command: None)
    monkeypatch.setattr(bench, "compile_stream", lambda mode, options: None)
    monkeypatch.setattr(bench, "StreamCore", lambda compiled: None)
    monkeypatch.setattr(bench, "measure_blocks", mapped)
    for core, target in variants():
        found = bench.area(core, target)
        narrow = core.cipher_sbox == "composite" and target == FPGA
        assert asked.popitem()[1] == (("aes",) if narrow else ())
        assert found.get("without_wide_multiplexers", []) == ["aes"] * narrow
        stored = measured("variants")[f"{core.arguments} --target {target}"]
        assert stored.get("without_wide_multiplexers", []) == ["aes"] * narrow
    text = page(["gcm2008"])
    named = [row for row in table("4.2") if f"- {row}: ours: `aes` without wide multiplexers.\n" in text]
    assert named == [row for row in table("4.2") if row.startswith("#5")] and text.count("`aes` without") == len(named) == 4


def test_everything_about_keys_is_measured(bench):
    assert list(measured("key_changes")) == bench.names("key_changes")


def test_table_4_3_follows_from_the_simulation():
    """The printed average of the design that loses one cycle, and of those with a fixed latency; the other one within 0.1 Gbit/s."""
    found = {name: (row["ours"]["average"], row["printed"].get("average")) for name, row in table("4.3").items()}
    for name in ("54 Gbps [31]", "42 Gbps [29]", "36 Gbps, 1-14"):
        assert found[name][0] == pytest.approx(found[name][1], abs=0.0101), name
    ours, printed = found["36 Gbps, 4-14"]
    assert printed < ours < printed + 0.1
    least = {name: row["ours"]["percentage"] for name, row in table("4.3").items()}
    assert least["ours, key slots"] >= 97.0 > least["36 Gbps, 1-14"]
    assert set(OUR_DESIGNS) == {"ours, key slots", "ours, keys inline"} <= set(least)


@slow
def test_lost_cycles_simulated_again(bench):
    """A packet of fewer blocks than the schedule has rounds makes the next one wait."""
    assert lost_cycles(PACKETS, optimize=0) == [11, 1, 10, 1]
    assert lost_cycles(PACKETS, 4, optimize=0) == [11, 4, 10, 4]
    for size in (44, 64):
        for design, latency in DESIGNS.items():
            if latency:
                assert measured("key_changes")[change_key(design, size)]["most_lost"] == lost_cycles([size] * 2, latency, optimize=0)[0]


def test_a_wrong_block_is_found(monkeypatch):
    class Wrong(agility.AES):
        def encrypt_block(self, block):
            return super().encrypt_block(block)[::-1]

    monkeypatch.setattr(agility, "AES", Wrong)
    with pytest.raises(CheckFailed, match="other blocks than AES"):
        lost_cycles(PACKETS, optimize=0)


def test_figure_4_11():
    rows = table("4.11")
    for row in rows.values():
        points = [row["ours"][str(size)] for size in SIZES]
        assert points == sorted(points) and points[-1] < row["printed"]["maximum"]
    text = page(["gcm2008-4.11"])
    assert all(f"    {letter}  {name}\n" in text for letter, name in zip("ABCDEF", rows, strict=True))


def test_plot():
    text = plot({"one": [(0, 0), (10, 100)], "two": [(10, 50), (10, 100)]}, "x", "y").splitlines()
    assert text[0] == "y" and text[1].startswith("100 |") and text[1].endswith("A")
    assert text[1 + HEIGHT // 2].startswith(" 50 |") and text[1 + HEIGHT // 2].endswith("B")
    assert text[1 + HEIGHT] == "  0 |A" and text[-2:] == ["A  one", "B  two"]
    with pytest.raises(ValueError, match="needs a point"):
        plot({"none": []}, "x", "y")


def test_areas_of_our_cells_are_their_widths():
    """Half the transistors and one, in gate pitches, over the three of a NAND2."""
    path = ROOT / "bench" / "pitches.lib"
    cells = read_library(path)
    assert cells.nand2 == 1 and cells.sequential == {"DFF"}
    text = path.read_text(encoding="utf-8")
    for name, area in cells.areas.items():
        transistors = int(text.partition(f"cell ({name}) {{ /* ")[2].split()[0])
        assert area == pytest.approx((transistors / 2 + 1) / 3, abs=1e-4), name


def test_wrong_names():
    with pytest.raises(InputError, match="gcm2009"):
        tables(["gcm2009"])
