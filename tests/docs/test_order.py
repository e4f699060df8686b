# SPDX-License-Identifier: Apache-2.0
"""The table of both orders of text and associated data in docs/streams.md: what is stored is what cores state, and the page shows it."""

from __future__ import annotations

import json
import shlex

import pytest
from tests.scripts import ROOT, script
from tests.streamed import compiled

from modeloom.cores.stream import StreamCore

ROWS = {row["core"]: row for row in json.loads((ROOT / "baselines" / "order.json").read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def bench():
    return script("bench/order.py")


def test_every_row_is_there(bench):
    assert list(ROWS) == list(bench.CORES)
    assert [row["command"] for row in ROWS.values()] == [bench.command(name) for name in bench.CORES]


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_cycles_are_those_that_the_description_states(row):
    _, _, mode, *words = shlex.split(row["command"])
    given = {flag.removeprefix("--").replace("-", "_"): value for flag, value in zip(words[::2], words[1::2], strict=True)}
    options = {name: int(value) if value.isdigit() else value for name, value in given.items()}
    d = StreamCore(compiled(mode, prove=False, **options)).describe("core", "modeloom")
    assert (row["cycles_a_block"], row["cycles_of_tag"]) == (d.cycles.text, d.cycles.tag)


def test_text_first_saves_a_register_for_each_bit_of_the_checksum(bench):
    for mode in bench.MODES:
        before, after = (ROWS[f"{mode} {order}"] for order in bench.ORDERS)
        assert after["pipeline"]["ffs"] <= before["pipeline"]["ffs"] - 128
        assert after["luts"] < before["luts"] and after["pairs"] < before["pairs"]


def test_the_page_shows_the_table():
    text = script("tools/readme.py").order()
    assert text in (ROOT / "docs" / "streams.md").read_text(encoding="utf-8")
