# SPDX-License-Identifier: Apache-2.0
"""The stored figures of the circuits: every row is there, is what the circuits say today, and reaches what it should."""

from __future__ import annotations

import json

import pytest
from tests.scripts import script

from modeloom.circuits import find_circuit

CHEAP = ("sboxes", "linear", "aes", "keys", "polynomials")
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
    assert stored["aes-pipeline-agile --key-bits 128 --target xc7"]["luts"] < 9000
    plain = min(row["luts"] for name, row in stored.items() if name.startswith("karatsuba") and "--target xc6v" in name)
    assert stored["lut6 --target xc6v"]["luts"] <= min(4000, 0.8 * plain)


def test_defaults_by_target_are_the_best_measured(stored):
    """``halt`` of the Karatsuba multipliers, where several were measured."""
    for name in ("karatsuba", "karatsuba-refined"):
        (option,) = (option for option in find_circuit(name).options if option.name == "halt")
        for target, inputs in (("xc6v", 6), ("ecp5", 4)):
            found = {
                row["options"]["halt"]: row["luts"]
                for row in stored.values()
                if row["circuit"] == name and row["target"] == target and not row["latency"]
            }
            if len(found) > 1:
                assert option.on_luts[inputs] == min(found, key=found.get), (name, target, found)
