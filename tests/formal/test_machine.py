# SPDX-License-Identifier: Apache-2.0
"""The transition system computes what the simulation of the same Verilog computes, and the prover proves nothing false."""

from __future__ import annotations

import random

import pytest
from tests.built import slow
from tests.formal.bits import fresh
from tests.formal.emitted_bus import SINGLE, SMALL, TOP, bus_verilog, machine_of
from tests.formal.machine import Machine, State, number
from tests.formal.proof import holds

from modeloom.rtl.bus.sector import BusParameters
from modeloom.sim import Simulation
from modeloom.sim.build import verilog_to_rtlil

CYCLES = 60


def test_the_solver_tells_truth_from_falsehood() -> None:
    a, b = fresh("a", 8), fresh("b", 8)
    assert holds((a + b).equals(b + a)) is None
    assert holds((a - b).equals(b - a)) is not None
    found = holds(a.differs(7), a > 6, a < 8, watch=[a])
    assert found == [7]


def _inputs(rng: random.Random, machine: Machine, p: BusParameters, cycle: int) -> dict[str, int]:
    """Random inputs of one cycle; a reset comes first and once more, and every bus is busy half of the time."""
    values = {name: rng.getrandbits(len(bits)) for name, bits in machine.netlist.inputs.items() if name != "clk"}
    values["rst"] = int(cycle == 0 or cycle == 40)
    # Memories are erased in a reset only, in which nothing else writes to them.
    values["erase_we"] = 0
    for name, value in values.items():
        # The simulation stops at writes outside of a memory.
        if name.startswith("engine_out_index"):
            values[name] = value % p.sectors.blocks
        elif name.startswith("engine_out_ticket"):
            values[name] = value % p.buffers.ring_sectors
    return values


@pytest.mark.parametrize("parameters", [SMALL, pytest.param(SINGLE, marks=slow)], ids=["small", "single"])
def test_agrees_with_the_simulation(parameters: BusParameters, tmp_path) -> None:
    verilog = bus_verilog(parameters)
    machine = machine_of(verilog)
    path = tmp_path / "bus.v"
    path.write_text(verilog)
    simulation = Simulation.of(verilog_to_rtlil(path, TOP), TOP, optimize=0)
    rng = random.Random(11)
    state: State | None = None
    moved: set[str] = set()
    for cycle in range(CYCLES):
        inputs = _inputs(rng, machine, parameters, cycle)
        state = machine.powered("power", inputs) if state is None else state.next(inputs)
        state.settle()
        for name, value in inputs.items():
            simulation.set(name, value)
        values = {name: simulation.get(name) for name in machine.netlist.outputs}
        assert {name: number(state[name]) for name in values} == values, f"cycle {cycle}"
        moved |= {name for name, value in values.items() if value}
        simulation.step()
    assert {"cmd_ready", "s_ready", "status_valid", "m_payload", "key_state_busy", "engine_fill_we"} <= moved
