# SPDX-License-Identifier: Apache-2.0
"""A verdict is public in its cycle only: right cores pass, and a core that uses its register in other cycles is caught."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from tests.built import slowly
from tests.streamed import TINY, folder

from modeloom.product.folder import read_description
from modeloom.product.messages import TAG_VERDICT
from modeloom.taint import Netlist, TimingChannel, check_netlist, flat_netlist
from modeloom.taint.check import reached_before, specialised
from modeloom.taint.graph import Bit, Cell

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "gcm": ("gcm", TINY), "pipeline": ("gcm", {"key_slots": 1}),
    "hold": ("gcm", {"key_slots": 1, "hold": 64}), "wire": ("gcm", {"key_slots": 1, "packet": "wire"}),
    "channels": ("gcm", {"key_slots": 1, "channels": 2}), "ccm": ("ccm", {"key_slots": 1}), "ocb3": ("ocb3", {"key_slots": 1}),
    "deoxys-ii": ("deoxys-ii", {"key_slots": 1}), "stored": ("deoxys-ii", {"key_slots": 1, "message_buffer": 64}),
}  # fmt: skip


def checked(netlist: Netlist, kind: str) -> dict[str, int]:
    mode, options = KINDS[kind]
    d = read_description(folder(mode, **options))
    return dict(check_netlist(netlist, d.secrets, d.results, d.verdicts, d.declassified, d.users_cipher).declassified)


def netlist_of(kind: str) -> Netlist:
    mode, options = KINDS[kind]
    directory = folder(mode, **options)
    d = read_description(directory)
    return flat_netlist(directory / d.files.verilog, d.top)


@pytest.mark.parametrize("kind", ["gcm", *slowly(*(kind for kind in KINDS if kind != "gcm"))])
def test_cores(kind: str) -> None:
    assert checked(netlist_of(kind), kind)[TAG_VERDICT] == 1


def test_a_verdict_that_is_used_when_it_is_not_due_is_caught() -> None:
    """The register also takes a bit of the right tag in cycles without a verdict, and a status waits for the register."""
    netlist = copy.copy(netlist_of("gcm"))
    (held,), (due,), (leaves,) = (netlist.ending(f"verdicts.{name}") for name in ("wrong_reg", "decided_reg", "status_may_leave"))
    secret = netlist.ending("verdicts.tag_reg")[5]
    first = netlist.size
    netlist.size += 5
    may, quiet, free, taken, wrong = range(first, first + 5)
    netlist.cells = list(netlist.cells)
    for n, cell in enumerate(netlist.cells):
        if list(cell["Y"]) == [leaves]:
            netlist.cells[n] = replace(cell, ports={**cell.ports, "Y": [may]})
        if list(cell["Q"]) == [held]:
            before: Bit = cell["D"][0]
            netlist.cells[n] = replace(cell, ports={**cell.ports, "D": [wrong]})
    netlist.cells += [
        gate("$not", quiet, held), gate("$and", leaves, may, quiet), gate("$not", free, due), gate("$and", taken, free, secret),
        gate("$or", wrong, before, taken),
    ]  # fmt: skip
    with pytest.raises(TimingChannel, match=r"depends on core\.bus\.verdicts\.wrong_reg in cycles in which no verdict is due"):
        checked(netlist, "gcm")


def gate(kind: str, y: int, *operands: Bit) -> Cell:
    return Cell(f"planted {y}", kind, {"A_SIGNED": 0, "B_SIGNED": 0}, {**dict(zip("AB", ([bit] for bit in operands))), "Y": [y]})


def small(*cells: Cell, outputs: dict[str, list[Bit]], size: int) -> Netlist:
    """A netlist of some cells over bits from 2 on."""
    nets = {f"n{bit}": {"bits": [bit]} for bit in range(2, size)}
    netlist = Netlist({"ports": {}, "netnames": nets, "cells": {}})
    netlist.cells, netlist.outputs = list(cells), outputs
    return netlist


def test_constants_go_through_gates_and_choices() -> None:
    due, held, both, chosen = 2, 3, 4, 5
    netlist = small(
        gate("$and", both, due, held), Cell("choice", "$mux", {}, {"A": [6], "B": [held], "S": [due], "Y": [chosen]}),
        outputs={"both": [both], "chosen": [chosen]}, size=7,
    )  # fmt: skip
    off, on = specialised(netlist, {due: "0"}), specialised(netlist, {due: "1"})
    assert off.outputs == {"both": ["0"], "chosen": [chosen]}
    assert off.cells[1]["A"] == [6] and off.cells[1].type == "$pos"
    assert on.cells[1]["A"] == [held] and on.outputs["both"] == [both]
    assert reached_before(netlist, [due], held) == ({held}, set())


def test_a_register_behind_a_gate_that_is_open_is_reached() -> None:
    due, held, q = 2, 3, 5
    register = Cell("r", "$dff", {}, {"D": [4], "Q": [q], "CLK": [6]})
    netlist = small(gate("$or", 4, due, held), register, outputs={}, size=7)
    assert reached_before(netlist, [due], held)[1] == {q}
    shut = small(gate("$and", 4, due, held), register, outputs={}, size=7)
    assert reached_before(shut, [due], held)[1] == set()
