# SPDX-License-Identifier: Apache-2.0
"""Emitted ports of a core are known by the ports of its definition."""

import pytest

from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import input_ports, taken
from modeloom.equivalence.lanes import LANES
from modeloom.taint.graph import Cell


def known(widths, roles, nets=()):
    """Roles of a cell's inputs; its ports are in alphabetical order, as Yosys gives them."""
    first = 2
    ports = {}
    for name, width in widths.items():
        ports[name] = list(range(first, first + width))
        first += width
    cell = Cell("core", "type", {}, dict(sorted(ports.items())) | {"y": [0]})
    places = {tuple(ports[name]): role for name, role in nets}
    return input_ports(cell, dict.fromkeys(("clk", *widths), "input") | {"y": "output"}, places, roles)


def test_names_nets_and_widths():
    ports, roles = {"i": 128, "rk_slot": 3, "w": 4, "decrypt_2": 1}, {"i": 128, "key_slot": 3, "key_round": 4, "decrypt": 1}
    found = known(ports, roles, [("rk_slot", "key_slot")])
    assert found == {"i": (("i", 128),), "key_slot": (("rk_slot", 3),), "key_round": (("w", 4),), "decrypt": (("decrypt_2", 1),)}


def test_parts_stand_in_the_order_of_the_ports():
    """p9 comes before p10, whatever the order of their letters."""
    found = known({"i": 128, "p9": 2, "p10": 1}, {"i": 128, "slot": 3, "clear": 1, "start": 1})
    assert found["slot"] == (("p9", 2), ("p10", 1))
    assert taken({"p9": 0b11, "p10": 1}, found["slot"]) == 0b11 | 1 << 2 * LANES


def test_lower_bits_of_the_only_port_that_is_left():
    assert known({"i": 128, "p1": 2}, {"i": 128, "number": 32})["number"] == (("p1", 2),)


@pytest.mark.parametrize(("widths", "roles"), [
    ({"i": 128, "p1": 2}, {"i": 128, "number": 32, "clear": 1}),
    ({"i": 128, "p1": 2}, {"i": 128, "number": 1}),
    ({"i": 128, "p1": 2, "p2": 1}, {"i": 128, "slot": 3, "key_slot": 3}),
    ({"i": 128, "p1": 2, "p2": 1}, {"i": 128, "slot": 4}),
])  # fmt: skip
def test_what_may_be_several_is_refused(widths, roles):
    with pytest.raises(CircuitError, match="^core: what is the input p1"):
        known(widths, roles)
