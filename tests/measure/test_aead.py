# SPDX-License-Identifier: Apache-2.0
"""The table of authenticated encryption: its rows are what cores state today, and a mode of a user joins it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.scripts import ROOT, script

from modeloom.cli import cli
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.measure import aead
from modeloom.spec import InputError, UnknownName

ROWS = aead.stored()

BUILT = [row for row in ROWS if "refused" not in row]

AREA = {"luts": 900, "lutram_luts": 80, "srl_luts": 20, "ffs": 7, "bram_cells": 0}


def name(row: dict) -> str:
    return "-".join(aead.place(row))


def test_every_core_is_built_or_has_its_reason() -> None:
    assert [aead.place(row) for row in ROWS] == [(mode, cipher) for mode in aead.modes() for cipher in aead.ARCHITECTURES]
    assert all(row["command"] == aead.command(*aead.place(row)) for row in ROWS)
    # What is refused is refused today.  At present, that is none.
    refused = [row for row in ROWS if "refused" in row]
    assert [aead.measure_rate(*aead.place(row)) for row in refused] == refused


@pytest.mark.parametrize("row", BUILT, ids=name)
def test_figures_are_those_that_the_core_states(row: dict) -> None:
    options = StreamOptions(**aead.options_of(*aead.place(row)))
    d = StreamCore(compile_stream(aead.stream_mode(row["mode"]), options, prove=False)).describe("core", "modeloom")
    assert (row["cycles_a_block"], row["latency"]) == (d.cycles.text, d.latency)
    assert aead.tokens_text(row["tokens"]) == aead.tokens_text(vars(d.explain.tokens))
    assert row["bytes_a_cycle"] == pytest.approx(row["bytes"] / row["cycles"], abs=0.001)
    # A block in its cycles is the most; blocks of a first pass take as many as those of associated data.
    assert row["bytes_a_cycle"] * (d.cycles.associated if d.two_passes else row["cycles_a_block"]) <= d.beat_bytes


def test_tokens_are_a_sum() -> None:
    assert aead.tokens_text({"start": 0, "associated": 1, "text": 1, "tag": 1}) == "a + t + 1"
    assert aead.tokens_text({"start": 1, "associated": 1, "text": 2, "tag": 2}) == "a + 2t + 3"
    assert aead.tokens_text({"start": 0, "associated": 0, "text": 1, "tag": 0}) == "t"


def test_bytes_a_cycle_are_divided_by_all_luts() -> None:
    row = {
        "mode": "m", "architecture": "pipeline", "command": "c", "tokens": {"start": 0, "associated": 1, "text": 1, "tag": 1},
        "cycles_a_block": 1, "latency": 3, "bytes_a_cycle": 8.0, "areas": {"xc7": AREA},
    }  # fmt: skip
    (line,) = aead.rows([row], "xc7")
    assert line["bytes_a_cycle_per_1000_luts"] == 8.0 and line["tokens"] == "a + t + 1" and line["luts"] == 900
    (line,) = aead.rows([row], "ecp5")
    assert line["luts"] is None and line["bytes_a_cycle_per_1000_luts"] is None and line["bytes_a_cycle"] == 8.0
    (line,) = aead.rows([{"mode": "m", "architecture": "pipeline", "command": "c", "refused": "no"}], "xc7")
    assert line["refused"] == "no" and line["tokens"] is None


def test_wrong_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="architecture"):
        aead.measure_rate("gcm", "pipelin")
    with pytest.raises(InputError, match="hctr2 is a mode for sectors"):
        aead.stream_mode("hctr2")


def run(*arguments: str):
    return CliRunner().invoke(cli, ["aead", *arguments], catch_exceptions=True)


def test_the_command_prints_what_is_stored() -> None:
    found = json.loads(run("--json", "--target", "ecp5").output)
    assert (found["schema"], found["target"]) == (aead.SCHEMA, "ecp5")
    assert found["rows"] == aead.rows(ROWS, "ecp5")
    lines = run().output.splitlines()
    assert len(lines) == 1 + len(ROWS) and lines[0].startswith("mode")


def test_a_mode_of_a_user_joins_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured is slow, and ``test_a_mode_in_a_file_is_measured`` does it; here are the arguments, and where the rows go."""
    asked = []
    rate = {**BUILT[0], "mode": "padded"}
    monkeypatch.setattr(aead, "measure_rate", lambda mode, cipher: {**rate, "architecture": cipher, "areas": {}})
    monkeypatch.setattr(aead, "measure_area", lambda *where: asked.append(where) or AREA)
    place = f"{ROOT}/tests/streams/modes.py:Padded"
    lines = run("--add", place, "--target", "ecp5").output.splitlines()
    assert asked == [(place, cipher, "ecp5") for cipher in aead.ARCHITECTURES]
    names = ("pipeline", "multi-stream", "round core")
    assert [re.split("  +", line)[:3] for line in lines[-3:]] == [["padded", cipher, "900"] for cipher in names]


def test_no_table_names_an_architecture_that_stream_modes_do_not_have() -> None:
    """``--cipher-arch sequential`` is for modes on sectors.  The stored rows keep their keys."""
    page = (ROOT / "docs" / "aead.md").read_text(encoding="utf-8")
    assert "| round core | one round" in page and not [text for text in (run().output, page) if "sequential" in text]
    assert {row["architecture"] for row in ROWS} == set(aead.ARCHITECTURES)


def test_a_wrong_mode_is_refused_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aead, "measure_rate", lambda *_: pytest.fail("measured"))
    found = run("--add", f"{ROOT}/tests/streams/modes.py:Padded", "--add", "hctr2")
    assert isinstance(found.exception, InputError)


def test_the_page_shows_the_tables() -> None:
    page = (ROOT / "docs" / "aead.md").read_text(encoding="utf-8")
    tool = script("tools/readme.py")
    assert all(tool.aead(target) in page for target in aead.TARGETS)


@pytest.mark.slow
def test_a_mode_in_a_file_is_measured() -> None:
    place = f"{ROOT}/tests/streams/modes.py:NoHash"
    row = aead.measure_rate(place, "pipeline")
    assert row["oracle"] == "the software model" and row["mode"] == "no-hash" and place in row["command"]
    assert 0 < row["bytes_a_cycle"] <= 16
    assert aead.measure_area(place, "pipeline", "xc7")["luts"] > 0


def test_the_bench_keeps_the_areas_of_other_targets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bench = script("bench/aead.py")
    monkeypatch.setattr(bench, "STORED", tmp_path / "aead.json")
    before = {"mode": "gcm", "architecture": "pipeline", "areas": {"ecp5": AREA}}
    bench.store(before)
    monkeypatch.setattr(bench, "measure_rate", lambda mode, cipher: {"mode": mode, "architecture": cipher, "areas": {}})
    monkeypatch.setattr(bench, "measure_area", lambda *_: {**AREA, "luts": 1})
    bench.measure("gcm", "pipeline", ["xc7"], missing=False, keep=True)
    assert json.loads((tmp_path / "aead.json").read_text(encoding="utf-8")) == [
        {"mode": "gcm", "architecture": "pipeline", "areas": {"ecp5": AREA, "xc7": {**AREA, "luts": 1}}}
    ]
    monkeypatch.setattr(bench, "measure_area", lambda *_: pytest.fail("measured again"))
    bench.measure("gcm", "pipeline", ["xc7", "ecp5"], missing=True, keep=True)
