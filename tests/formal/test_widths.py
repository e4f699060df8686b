# SPDX-License-Identifier: Apache-2.0
"""Converters of ``--data-width`` keep the rules of AXI4-Stream, and lose, double and mix no byte.  This is proved by induction."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.formal.bits import Bits, all_of
from tests.formal.emitted_bus import machine_of
from tests.formal.emitted_widths import TOP, WIDTHS, width_machine, width_verilog
from tests.formal.proof import holds
from tests.formal.width_faults import FAULTS, WidthFault
from tests.formal.width_rules import DIRECTIONS, direction, unproved
from tests.formal.width_state import THERE, surroundings
from tests.verilog_edit import edit_module

from modeloom.taint import combinational_paths

FAST = ("sectors, a lane, 32 bits", "messages, 32 bits", "channels, 32 bits")


@pytest.mark.parametrize("which", [*FAST, *slowly(*(one for one in WIDTHS if one not in FAST))])
@pytest.mark.parametrize("way", ["in", "out"])
def test_no_byte_is_lost_doubled_or_mixed(which: str, way: str) -> None:
    """The rules of both streams, and of the bytes between them."""
    assert unproved(width_machine(which), WIDTHS[which], way) == []


@pytest.mark.parametrize("which", [*FAST, *slowly(*(one for one in WIDTHS if one not in FAST))])
def test_no_valid_depends_on_ready(which: str) -> None:
    """An offer never depends on whether it is taken, and nothing that the host sees depends on what it does in the same cycle."""
    paths = set(combinational_paths(width_machine(which).netlist))
    # A core sees at once what the host takes, and the host what the core takes of commands.
    commands = {("core_s_axis_cmd_tready", "s_axis_cmd_tready")} if WIDTHS[which].parts else set()
    assert {pair for pair in paths if pair[0].endswith("tready")} == {("m_axis_tready", "core_m_axis_tready")} | commands
    host = ("s_axis_", "m_axis_")
    assert {pair for pair in paths if pair[0].startswith(host) and pair[1].startswith(host)} == set()


SEEN = {
    "in": lambda s: s.leaves & s["index"].some() & s.port("core_s_axis").moves,
    "out": lambda s: s.port("m_axis").moves & s.port("m_axis")["last"] & s.port("m_axis")["data"].some(),
}


@pytest.mark.parametrize("which", ["sectors, a lane, 32 bits", "sectors, a lane, 256 bits", "channels, 32 bits"])
@pytest.mark.parametrize("way", SEEN)
def test_the_surroundings_are_possible(which: str, way: str) -> None:
    """There are states in which what is followed leaves, behind other bytes."""
    proof = direction(WIDTHS[which], way)
    s = proof.state.any(width_machine(which), WIDTHS[which], "s")
    there: Bits = s["where"].equals(THERE) if way == "in" else s.quiet
    sound = all_of(each(s) for each in proof.invariants)
    assert holds(~(SEEN[way](s) & there & s.quiet), sound, surroundings(s)) is not None


SOME = [fault if number % 3 == 0 else slowly(fault)[0] for number, fault in enumerate(FAULTS)]


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_a_fault_breaks_the_proof(fault: WidthFault) -> None:
    """The edit of the Verilog breaks the rule or the invariant that it names, which holds without it."""
    verilog, p = width_verilog(WIDTHS[fault.which]), WIDTHS[fault.which]
    module = f"{TOP}_{fault.module}" if fault.module else TOP
    broken = machine_of(edit_module(verilog, module, fault.pattern, fault.replacement), TOP)
    assert fault.breaks in unproved(broken, p, fault.way, (fault.breaks,))


def test_an_offer_that_depends_on_ready_is_a_path() -> None:
    (fault,) = (one for one in FAULTS if one.what == "an offer waits for the host")
    broken = machine_of(edit_module(width_verilog(WIDTHS[fault.which]), TOP, fault.pattern, fault.replacement), TOP)
    assert ("m_axis_tready", "m_axis_tvalid") in combinational_paths(broken.netlist)


def test_each_rule_has_a_fault() -> None:
    rules = {rule.__name__ for proof in DIRECTIONS.values() for rule in proof.rules}
    broken = {fault.breaks for fault in FAULTS}
    assert rules - broken == set()
    assert broken <= rules | {one.__name__ for proof in DIRECTIONS.values() for one in proof.invariants}
