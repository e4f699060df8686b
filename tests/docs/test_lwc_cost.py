# SPDX-License-Identifier: Apache-2.0
"""The cost of the LWC interface in docs/lwc.md: every row is stored, and no core is faster than its words."""

from __future__ import annotations

import json

from tests.scripts import ROOT, script

ROWS = json.loads((ROOT / "baselines" / "lwc.json").read_text(encoding="utf-8"))


def words(text: int, word: int) -> int:
    """Words of DO of a message to seal: a header and text, a header and a tag of 16 bytes, and a status."""
    return 1 - (-text // word) + 1 + 16 // word + 1


def test_every_row_is_there():
    bench = script("bench/lwc.py")
    found = {(row["interface"], row["text"]) for row in ROWS if row["keys"] == "one"}
    interfaces = {row["interface"] for row in ROWS}
    assert {"axi", "lwc 32"} <= interfaces <= set(bench.INTERFACES)
    assert found == {(name, text) for name in interfaces for text in ("gcm2008", *map(str, bench.TEXTS))}
    assert [row for row in ROWS if row["keys"] == "new"] and all(row["command"] == bench.build(row["interface"]) for row in ROWS)


def test_cycles_are_those_of_the_words():
    """Sizes alone: no fewer cycles than words, and at most four more, where the words are narrower than a block."""
    for row in ROWS:
        if row["text"].isdigit() and row["interface"].startswith("lwc") and row["keys"] == "one":
            word = int(row["interface"].split()[1]) // 8
            least = words(int(row["text"]), word)
            assert least <= row["cycles"] and (word == 16 or row["cycles"] <= least + 4), row


def test_a_core_without_the_interface_takes_its_tokens():
    for row in ROWS:
        if row["interface"] == "axi" and row["text"].isdigit():
            assert row["cycles"] == -(-int(row["text"]) // 16) + 1, row
