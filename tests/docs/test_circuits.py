# SPDX-License-Identifier: Apache-2.0
"""The stored figures of the circuits: every row is there, is what the circuits say today, and reaches what it should."""

from __future__ import annotations

import json

import pytest
from tests.scripts import script

from modeloom_circuits import find_circuit

CHEAP = ("sboxes", "linear", "aes", "keys", "led", "polynomials")
"""Families whose circuits are described in no time; the gates of multipliers are those of tests/circuits/test_multipliers.py."""


@pytest.fixture(scope="module")
def bench():
    return script("bench/circuits.py")


@pytest.fixture(scope="module")
def stored(bench):
    rows = [row for name in bench.FAMILIES for row in json.loads((bench.STORED / f"{name}.json").read_text(encoding="utf-8"))]
    return {row["command"].removeprefix("modeloom circuit "): row for row in rows}


def test_every_row_is_stored(bench):
    for name, rows in bench.FAMILIES.items():
        found = json.loads((bench.STORED / f"{name}.json").read_text(encoding="utf-8"))
        assert [row["command"] for row in found] == [bench.command(*row) for row in rows], name


@pytest.mark.parametrize("family", CHEAP)
def test_rows_are_what_the_circuits_say(bench, family):
    for row in json.loads((bench.STORED / f"{family}.json").read_text(encoding="utf-8")):
        built = find_circuit(row["circuit"]).build(**row["options"])
        assert (row["latency"], row["interval"]) == (built.component.latency, built.component.interval), row["command"]
        if built.gates is not None:
            assert (row["and"], row["xor"], row["depth"]) == (built.gates.ands, built.gates.xors, built.gates.depth), row["command"]


def test_goals(stored):
    """What the project wants of them, in LUTs."""
    assert stored["sbox-lut --target xc6v"]["luts"] == 32
    assert stored["mixcolumns --target xc6v"]["luts"] <= 36
    assert stored["inv-mixcolumns --target xc6v"]["luts"] <= 60
    one, two, four = (stored[f"aes-multistream --streams {n} --target xc6v"]["luts"] for n in (1, 2, 4))
    assert one <= 944 and max(two, four) <= 1.02 * one
    for bits, most in ((32, 350), (8, 150)):
        serial = stored[f"aes-serial --bits {bits} --target xc7"]
        assert serial["luts"] + serial["memories"]["lutram_luts"] + serial["memories"]["srl_luts"] <= most
    assert stored["aes-pipeline-agile --key-bits 128 --target xc7"]["luts"] < 9000
    plain = min(row["luts"] for name, row in stored.items() if name.startswith("karatsuba") and "--target xc6v" in name)
    assert stored["lut6 --target xc6v"]["luts"] <= min(4000, 0.8 * plain)


def test_defaults_by_target_are_the_best_measured(stored):
    """``halt`` where several were measured, and the structure of the refined Karatsuba multiplier."""
    for name in ("karatsuba", "fan-hasan"):
        (option,) = (option for option in find_circuit(name).options if option.name == "halt")
        found = {
            row["options"]["halt"]: row["luts"]
            for row in stored.values()
            if row["circuit"] == name and row["target"] == "xc6v" and not row["latency"]
        }
        assert len(found) > 1 and option.on_luts[6] == min(found, key=found.get), (name, found)
    for made, target in (("lut6 --target xc6v", "xc6v"), ("lut6 --lut-inputs 4 --target ecp5", "ecp5")):
        gates = [row["luts"] for row in stored.values() if row["circuit"] == "karatsuba-refined" and row["target"] == target]
        assert stored[made]["luts"] < min(gates)
