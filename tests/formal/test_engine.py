# SPDX-License-Identifier: Apache-2.0
"""The assumptions of the proofs of the buses are proved for emitted engines.

Every sector is done once and in order, and ``idle`` means that no sector is in the engine.  A fault in the control is found.
"""

from __future__ import annotations

import random
from collections import deque
from functools import lru_cache
from pathlib import Path

import pytest
from tests import built
from tests.built import SEQUENTIAL, SMALL, slow, slowly
from tests.emit import emitted
from tests.emit.emitted import PARTIAL
from tests.formal.bits import Bits, all_of
from tests.formal.engine_rules import ENGINE_INVARIANTS, ENGINE_RULES, Control, done_after, first_size, within
from tests.formal.key_rules import KEY_RULES
from tests.formal.machine import Machine, State, number
from tests.formal.proof import check_invariants, check_rule, holds
from tests.formal.stream_rules import RULES
from tests.verilog_edit import edit_module

from modeloom.allocate.build import CoreProgram
from modeloom.cores.sector import bus_parameters
from modeloom.product.folder import read_description
from modeloom.taint import Netlist, flat_netlist
from modeloom.taint.graph import BitGraph

CYCLES = 500

ENTER, DONE, TICKET, IDLE = "fill_ahead", "done_valid_3_reg", "done_ticket_3_reg", "sequencer.size_idle"
"""Names in the Verilog of the engine's ``enter`` (the same as ``fill_ahead``), and of ``done``, ``done_ticket`` and ``idle`` (those
of their registers)."""


CORES = {
    "many in flight": (emitted.folder, emitted.core, PARTIAL),
    "two in flight": (lambda choice: built.folder(choice[0], **choice[1]), lambda choice: built.compiled(choice[0], **choice[1]),
                      ("hctr2", SEQUENTIAL)),
    "one in flight": (lambda choice: built.folder(choice[0], **choice[1]), lambda choice: built.compiled(choice[0], **choice[1]),
                      ("heh-brw", {"sector": 32, "overlap": False, "cipher_arch": "sequential", "cipher_stages": 1, "restarts": 20})),
    "several sizes": (lambda choice: built.folder(choice[0], **choice[1]), lambda choice: built.compiled(choice[0], **choice[1]),
                      ("hctr2", SMALL)),
}  # fmt: skip
"""Engines: how their cores are made."""


def module_of_core(folder: Path, name: str) -> Netlist:
    """A module of an emitted core."""
    description = read_description(folder)
    return flat_netlist(folder / description.files.verilog, f"{description.top}_core_{name}")


def control_of(netlist: Netlist) -> Machine:
    """The part of an engine that decides when sectors enter and are done."""
    watched = [bit for name in ("enter_ack", DONE, TICKET, IDLE, "preparation_setup_done") for bit in netlist.net(name)]
    needed = BitGraph(netlist).reached(watched, backwards=True)
    netlist.cells = [
        cell for cell in netlist.cells if any(bit in needed for port in ("Y", "Q", "RD_DATA") for bit in cell[port])
    ]
    assert all(cell.type != "$mem_v2" or not cell.parameters["WR_PORTS"] for cell in netlist.cells), "control reads no data"
    return Machine(netlist)


@lru_cache
def control(core: str) -> tuple[Machine, CoreProgram]:
    """The control of an emitted engine, and the program that it runs."""
    folder, compiled, choice = CORES[core]
    return control_of(module_of_core(folder(choice), "engine")), compiled(choice).core_program


def unproved(machine: Machine, program: CoreProgram) -> list[str]:
    """The invariants and rules of the engine that do not hold.

    They are checked by induction over two cycles, from a reset in any state and from power-on.
    """
    any_, power = Control(machine.free("any"), program), Control(machine.powered("power"), program)
    s = Control(machine.free("s"), program)
    reset, t = any_.next(), s.next()
    u = t.next()
    begins = [(reset, [any_["rst"]]), (power, [])]

    def goes_on(before: Control, after: Control) -> Bits:
        return ~before["rst"] & within(before, after)

    sound = all_of(invariant(state) for invariant in ENGINE_INVARIANTS for state in (s, t)) & goes_on(s, t) & goes_on(t, u)
    found = []
    for invariant in ENGINE_INVARIANTS:
        holds_after = [holds(invariant(first), *given, first_size(first)) for first, given in begins]
        for first, given in begins:
            second = first.next()
            holds_after.append(holds(invariant(second), *given, first_size(first), goes_on(first, second)))
        holds_after.append(holds(invariant(u), sound))
        if any(example is not None for example in holds_after):
            found.append(invariant.__name__)
    return found + [rule.__name__ for rule in ENGINE_RULES if holds(rule(s, t, u), sound) is not None]


@slow
def test_the_buses_of_a_core() -> None:
    """The rules of ``test_stream_rules`` hold for the buses of a whole core with many short sectors in flight."""
    machine, p = Machine(module_of_core(emitted.folder(PARTIAL), "bus")), bus_parameters(emitted.core(PARTIAL))
    check_invariants(machine, p)
    for rule in (*RULES, *KEY_RULES):
        check_rule(machine, p, rule)


@pytest.mark.parametrize("core", ["two in flight", "several sizes", *slowly("many in flight", "one in flight")])
def test_every_sector_is_done_once_and_in_order(core: str) -> None:
    """Every sector that enters is proved to be done exactly once, in the order of entry."""
    machine, program = control(core)
    s = machine.free("s")
    assert holds(s["enter_ack"].implies(s[ENTER])) is None, "an acknowledgement answers a request, in any state"
    assert unproved(machine, program) == []


FAULTS = {
    "a stage forgets its sector": ("engine_sequencer", r"stage3_valid <= stage2_valid", "stage3_valid <= 1'h0", "done_once"),
    "a sector is done twice": (
        "engine", r"(done_valid_2_reg) <= (\w+);", r"\1 <= \2 | done_valid_2_reg & ~done_valid_3_reg;", "done_once",
    ),
    "the pointer stops with a sector in flight": (
        "engine_sequencer", r"assign run = enter_ack \| stays;", "assign run = enter_ack;", "sectors_advance",
    ),
    "a sector enters in the middle of a turn": (
        "engine_sequencer", r"(ready_reg) <= ([^;']*);", r"\1 <= (\2) | at_start_reg;", "entries_at_start",
    ),
    "a ticket is late": ("engine", r"(done_ticket_2_reg) <= (\w+);", r"\1 <= done_valid_3_reg ? \1 : \2;", "in_order"),
    "done comes with another ticket": (
        "engine", r"(row_done_ticket_reg) <= sequencer_stage9_ticket;", r"\1 <= sequencer_stage8_ticket;", "in_order",
    ),
    "idle too early": ("engine_sequencer", r"rest_reg == 4'h1;", "rest_reg == 4'h6;", "idle_is_empty"),
    "the flags of the row are those of another": ("engine_sequencer", r"row == 6'h2", "row == 6'h1", "pointer_in_table"),
    "a set-up starts while sectors are inside": (
        "engine_sequencer", r"(start_setup = asked_reg) & size_idle", r"\1", "setup_is_alone",
    ),
    "an entry in the cycle of a set-up": (
        "engine_sequencer", r"assign stop = asked_reg \| in_setup_reg;", "assign stop = 1'h0;", "entries_at_start",
    ),
    "a bit of the store that says done": ("engine_control", r"(rom\[3\]) = (\S+);", r"\1 = ~\2;", "done_once"),
}
"""Faults in the control of an engine: module, pattern, replacement, and the property that fails."""


@pytest.mark.parametrize("fault", [fault if n % 8 == 0 else slowly(fault)[0] for n, fault in enumerate(FAULTS)])
def test_faults_of_the_control_are_found(fault: str, tmp_path: Path) -> None:
    """A planted fault of the control leaves the property that it breaks unproved."""
    module, pattern, replacement, broken = FAULTS[fault]
    folder = emitted.folder(PARTIAL)
    description = read_description(folder)
    verilog = (folder / description.files.verilog).read_text()
    path = tmp_path / "core.v"
    path.write_text(edit_module(verilog, f"{description.top}_core_{module}", pattern, replacement))
    machine = control_of(flat_netlist(path, f"{description.top}_core_engine"))
    assert broken in unproved(machine, emitted.core(PARTIAL).core_program)


def test_a_run_of_the_control() -> None:
    """Runs the emitted control with random requests and some set-ups.

    ``done`` comes in order, and as many cycles after the entry as the proof says.
    """
    machine, program = control("many in flight")
    p = bus_parameters(emitted.core(PARTIAL))
    after = done_after(program)[0]
    rng = random.Random(4)
    state: State | None = None
    inside: deque[tuple[int, int]] = deque()
    tickets = entered = set_up = rested = 0
    request: dict[str, int] = {}
    setup = 0
    for cycle in range(CYCLES):
        if not request and len(inside) < p.buffers.ring_sectors and rng.random() < 0.3 + 0.7 * (cycle % 200 < 100):
            request = {ENTER: 1, "enter_ticket": tickets % p.buffers.ring_sectors, "enter_decrypt": rng.getrandbits(1)}
        if not setup and rng.random() < 0.01:
            setup = 1
        inputs = {name: 0 for name in machine.netlist.inputs}
        inputs |= {"rst": int(cycle == 0), "preparation_setup_request": setup} | (request if cycle else {})
        state = machine.powered("power", inputs) if state is None else state.next(inputs)
        state.settle()
        ack, done, finished = (number(state[name]) for name in ("enter_ack", DONE, "preparation_setup_done"))
        if number(state[IDLE]):
            assert not inside, f"cycle {cycle}: idle with a sector inside"
            rested += 1
        if done:
            assert inside, f"cycle {cycle}: done without a sector"
            assert (number(state[TICKET]), cycle - after) == inside.popleft(), f"cycle {cycle}: another sector's place or time"
        if finished:
            assert setup and not inside, f"cycle {cycle}: set-up ended"
            setup, set_up = 0, set_up + 1
        if ack and cycle:
            assert request, f"cycle {cycle}: acknowledged without a request"
            inside.append((tickets % p.buffers.ring_sectors, cycle))
            tickets, entered, request = tickets + 1, entered + 1, {}
    assert entered > 20 and set_up > 1 and rested > 1
    assert entered - len(inside) > 20, "sectors are done"
