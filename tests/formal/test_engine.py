# SPDX-License-Identifier: Apache-2.0
"""What the proofs of the buses assume of the engine, checked on the engine of an emitted core; and the proofs on that core's buses."""

from __future__ import annotations

import random
from collections import deque

from tests.built import slow
from tests.emit.emitted import PARTIAL, core, folder
from tests.formal.key_rules import KEY_RULES
from tests.formal.machine import Machine, State, number
from tests.formal.proof import check_invariants, check_rule, holds
from tests.formal.stream_rules import RULES

from modeloom.rtl.core import bus_parameters
from modeloom.simulated import read_description
from modeloom.taint import Netlist, flat_netlist
from modeloom.taint.graph import BitGraph

CYCLES = 500

ENTER, DONE, TICKET, IDLE = "fill_ahead", "done_valid_3_reg", "done_ticket_3_reg", "sequencer.idle"
"""Names in the Verilog of the engine's ``enter`` (the same as ``fill_ahead``), and of ``done``, ``done_ticket`` and ``idle`` (those of
their registers)."""


def module_of_core(name: str) -> Netlist:
    """A module of the emitted core."""
    description = read_description(folder(PARTIAL))
    return flat_netlist(folder(PARTIAL) / description["files"]["verilog"], f"{description['top']}_core_{name}")


def control_of_engine() -> Machine:
    """The part of the engine that decides when sectors enter and are done."""
    netlist = module_of_core("engine")
    watched = [bit for name in ("enter_ack", DONE, TICKET, IDLE, "setup_done") for bit in netlist.net(name)]
    needed = BitGraph(netlist).reached(watched, backwards=True)
    netlist.cells = [
        cell for cell in netlist.cells if any(bit in needed for port in ("Y", "Q", "RD_DATA") for bit in cell[port])
    ]
    assert all(cell.type != "$mem_v2" or not cell.parameters["WR_PORTS"] for cell in netlist.cells), "control reads no data"
    return Machine(netlist)


@slow
def test_the_buses_of_a_core() -> None:
    """As in ``test_stream_rules``, on the buses of a whole core with its many short sectors in flight."""
    machine, p = Machine(module_of_core("bus")), bus_parameters(core(PARTIAL))
    check_invariants(machine, p)
    for rule in (*RULES, *KEY_RULES):
        check_rule(machine, p, rule)


def test_an_acknowledgement_answers_a_request() -> None:
    s = control_of_engine().free("s")
    assert holds(s["enter_ack"].implies(s[ENTER])) is None, "in any state"


def test_each_sector_is_done_once_and_in_order() -> None:
    """Random requests, as the buses make them, and a set-up now and then: 500 cycles of the emitted control."""
    machine, p = control_of_engine(), bus_parameters(core(PARTIAL))
    rng = random.Random(4)
    state: State | None = None
    inside: deque[int] = deque()
    tickets = entered = set_up = rested = 0
    request: dict[str, int] = {}
    setup = 0
    for cycle in range(CYCLES):
        if not request and len(inside) < p.ring_sectors and rng.random() < 0.3 + 0.7 * (cycle % 200 < 100):
            request = {ENTER: 1, "enter_ticket": tickets % p.ring_sectors, "enter_decrypt": rng.getrandbits(1)}
        if not setup and rng.random() < 0.01:
            setup = 1
        inputs = {name: 0 for name in machine.netlist.inputs}
        inputs |= {"rst": int(cycle == 0), "setup": setup} | (request if cycle else {})
        state = machine.powered("power", inputs) if state is None else state.next(inputs)
        state.settle()
        ack, done, finished = (number(state[name]) for name in ("enter_ack", DONE, "setup_done"))
        if number(state[IDLE]):
            assert not inside, f"cycle {cycle}: idle with a sector inside"
            rested += 1
        if done:
            assert inside, f"cycle {cycle}: done without a sector"
            assert number(state[TICKET]) == inside.popleft(), f"cycle {cycle}: another sector's place"
        if finished:
            assert setup and not inside, f"cycle {cycle}: set-up ended"
            setup, set_up = 0, set_up + 1
        if ack and cycle:
            assert request, f"cycle {cycle}: acknowledged without a request"
            inside.append(tickets % p.ring_sectors)
            tickets, entered, request = tickets + 1, entered + 1, {}
    assert entered > 20 and set_up > 1 and rested > 1
    assert entered - len(inside) > 20, "sectors are done"
