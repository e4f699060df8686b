# SPDX-License-Identifier: Apache-2.0
"""A netlist without any box, on constants: it computes what the software model computes, so its cells mean what Verilog means."""

from __future__ import annotations

import random

import pytest
from tests import built
from tests.equivalence.cores import CORES

from modeloom.definition.software import Model
from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CircuitError
from modeloom.equivalence.circuit import Circuit
from modeloom.equivalence.host import Host, Run
from modeloom.modes import find
from modeloom.product.folder import read_description
from modeloom.taint import Netlist, flat_netlist


def _word(data: bytes) -> int:
    return lanes.constant(int.from_bytes(data, "little"), 8 * len(data))


def test_a_whole_core_on_numbers() -> None:
    mode, changes = CORES["xts"]
    folder = built.folder(mode, **changes)
    description = read_description(folder)
    circuit = Circuit(flat_netlist(folder / description.files.verilog, description.top), {})
    host = Host(Run(circuit, lambda cell: None), 16)  # type: ignore[arg-type,return-value]
    host.reset(200)
    rng = random.Random(1)
    key, tweak, data = rng.randbytes(description.key_bytes), rng.randbytes(16), rng.randbytes(64)
    host.key(_word(key), len(key), 0)
    assert host.until(lambda: bool(host.run.flag("key_loaded")), 500)
    for decrypt in (False, True):
        host.command(_word(tweak.ljust(32, b"\0")), tag=7, slot=0, size=0, decrypt=decrypt)
        host.packet("s_axis", _word(data), len(data), 16)
    assert host.until(lambda: len(host.taken["m_axis_status"]) == 2, 500)
    model = Model(find(mode), key)
    results = [lanes.number(beat.words["tdata"]) for beat in host.take("m_axis")]
    expected = [model.encrypt(tweak, data), model.decrypt(tweak, data)]
    assert results == [int.from_bytes(sector[at : at + 16], "little") for sector in expected for at in range(0, 64, 16)]


def _netlist(cells: dict[str, dict], inputs: dict[str, list[int]], outputs: dict[str, list]) -> Netlist:
    ports = {name: {"direction": "input", "bits": bits} for name, bits in inputs.items()}
    ports |= {name: {"direction": "output", "bits": bits} for name, bits in outputs.items()}
    full = {name: {"parameters": {}, **cell} for name, cell in cells.items()}
    return Netlist({"netnames": {name: {"bits": port["bits"]} for name, port in ports.items()}, "ports": ports, "cells": full})


def test_what_is_no_circuit_is_refused() -> None:
    gate = {"type": "$not", "connections": {"A": [3], "Y": [3]}}
    with pytest.raises(CircuitError, match="loop without a register"):
        Run(Circuit(_netlist({"g": gate}, {"a": [2]}, {"o": [3]}), {}), lambda cell: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(CircuitError, match="nothing drives"):
        Run(Circuit(_netlist({}, {"a": [2]}, {"o": [2, 5]}), {}), lambda cell: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(CircuitError, match="two drivers"):
        Circuit(_netlist({"g": {"type": "$not", "connections": {"A": [2], "Y": [2]}}}, {"a": [2]}, {"o": [2]}), {})
    with pytest.raises(CircuitError, match="of type \\$alu"):
        Circuit(_netlist({"g": {"type": "$alu", "connections": {"A": [2], "Y": [3]}}}, {"a": [2]}, {"o": [3]}), {})
    clocked = {"type": "$dff", "connections": {"D": [2], "Q": [3], "CLK": [2]}}
    with pytest.raises(CircuitError, match="another clock than aclk"):
        Circuit(_netlist({"r": clocked}, {"a": [2]}, {"o": [3]}), {})


def test_a_core_without_its_ports_is_refused() -> None:
    run = Run(Circuit(_netlist({}, {"aclk": [2]}, {"o": [2]}), {}), lambda cell: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(CircuitError, match="no port aresetn"):
        Host(run, 16)


def test_a_write_that_depends_on_data_is_refused() -> None:
    memory = {
        "type": "$mem_v2",
        "parameters": {
            "WIDTH": "1", "ABITS": "1", "SIZE": "10", "RD_PORTS": "1", "WR_PORTS": "1", "RD_CLK_ENABLE": "0", "INIT": "x",
        },
        "connections": {
            "WR_ADDR": [4], "WR_DATA": [5], "WR_EN": [6], "WR_CLK": [2], "RD_ADDR": [4], "RD_DATA": [7], "RD_CLK": ["x"],
        },
    }  # fmt: skip
    circuit = Circuit(_netlist({"m": memory}, {"aclk": [2], "at": [4], "data": [5], "we": [6]}, {"o": [7]}), {})
    run = Run(circuit, lambda cell: None)  # type: ignore[arg-type,return-value]
    a = lanes.atom("a", 1)
    run.evaluate({"at": 0, "data": a, "we": lanes.ONE})
    before = run.output("o")
    run.clock()
    run.evaluate({"at": 0, "data": 0, "we": 0})
    assert run.output("o") == a != before
    run.evaluate({"at": lanes.ONE, "data": 0, "we": a})
    with pytest.raises(CircuitError, match="cycle 1: whether m is written depends on data"):
        run.clock()
    run.evaluate({"at": a, "data": 0, "we": lanes.ONE})
    with pytest.raises(CircuitError, match="cycle 1: where m is written depends on data"):
        run.clock()
