# SPDX-License-Identifier: Apache-2.0
"""The port of an emitted front end keeps the rules of APB, whatever the host does: proved by induction over the cycles."""

from __future__ import annotations

from functools import lru_cache

import pytest
from tests.formal.apb_rules import INVARIANTS, RULES, ApbState
from tests.formal.axi_lite_rules import outputs_reached
from tests.formal.bits import all_of
from tests.formal.emitted_bus import machine_of
from tests.formal.induction import Fault, unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.proof import holds
from tests.rtl.front.bench import component

from modeloom.interfaces.front import APB
from modeloom_verilog.modules import component_rtlil, inner_verilog

TOP = "front"

MAPS = {"keys": False, "commands": True}
"""The map of a core with registers for keys, and the one with ``--commands registers``."""

each_map = pytest.mark.parametrize("of", MAPS)


@lru_cache
def verilog(of: str) -> str:
    """The front end as it is emitted."""
    return inner_verilog(component_rtlil(component(APB, MAPS[of]), TOP), TOP)


@lru_cache
def machine(of: str) -> Machine:
    """The same as a transition system."""
    return machine_of(verilog(of), TOP)


def unproved(built: Machine) -> list[str]:
    """What does not hold without a reset.  An erasure may come at any time."""
    before, s = built.free("any"), ApbState.any(built)
    start = ApbState.start(before.next())
    t = s.next()
    return unproved_by_induction(INVARIANTS, RULES, start, [~before["aresetn"]], s, t, [s["aresetn"], t["aresetn"]])


@each_map
def test_rules_of_apb(of):
    assert not unproved(machine(of))


@each_map
def test_no_output_depends_on_an_input_of_the_same_cycle(of):
    reached = outputs_reached(machine(of), "s_apb_") | outputs_reached(machine(of), "irq")
    assert len(reached) == 4 and not any(reached.values()), reached


SEEN = {
    "a write that is refused": lambda s: s["s_apb_pready"] & s["write"] & s["s_apb_pslverr"],
    "a read with data": lambda s: s["s_apb_pready"] & ~s["write"] & s["s_apb_prdata"].some(),
    "a write that an erasure meets": lambda s: s["wiped"] & s["write"] & s["age"].equals(1) & s["data"].some(),
    "a host that leaves a transfer": lambda s: ~s["polite"] & s["age"].some() & ~s["s_apb_psel"],
    "a host that keeps the rules": lambda s: s["polite"] & s.keeps & s["s_apb_pready"],
}


@each_map
@pytest.mark.parametrize("what", SEEN)
def test_the_invariants_allow(what, of):
    s = ApbState.any(machine(of))
    assert holds(~SEEN[what](s), all_of(one(s) for one in INVARIANTS), s["aresetn"]) is not None


FAULTS = (
    Fault("an access phase begins a transfer", "bus", "bus_psel & ~bus_penable", "bus_psel", "the_hardware_knows_the_transfer"),
    Fault(
        "a transfer begins while one is answered", "bus", "& ~taken_reg & ~ready_reg", "& ~taken_reg", "the_hardware_knows_the_transfer",
    ),
    Fault("an answer comes too early", "bus", "ready_reg <= taken_reg", "ready_reg <= setup | taken_reg", "a_transfer_takes_three_cycles"),
    Fault(
        "writes are not answered", "bus", "ready_reg <= taken_reg", "ready_reg <= taken_reg & ~write_reg", "a_transfer_takes_three_cycles",
    ),
    Fault(
        "a refusal without PREADY", "bus", "bus_pslverr <= taken_reg & refused", "bus_pslverr <= refused",
        "nothing_is_said_without_an_answer",
    ),
    Fault("a refusal is forgotten", "bus", r"\| access_write_error", "& access_write_error", "answers_are_those_of_the_registers"),
    Fault(
        "data are given without a read", "bus", "access_read & ~access_read_error", "~access_read_error",
        "nothing_is_said_without_an_answer",
    ),
    Fault(
        "a write gives data back", "bus", "access_read & ~access_read_error", "taken_reg & ~access_read_error", "data_are_given_for_reads",
    ),
    Fault(
        "a write of some bytes reaches the registers", "bus", "write_reg & &strobe_reg", "write_reg & |strobe_reg",
        "registers_see_the_access",
    ),
    Fault(
        "a write goes to another address", "bus", r"= (address_reg\[\d+:2\])", r"= \1 ^ bus_psel", "registers_see_the_access",
    ),
    Fault("data stay after the write", "bus", r"else access_write_data <= 32'h0;\n *bus_pslverr", "bus_pslverr", "data_do_not_stay"),
    Fault("an erasure leaves the data", "bus", r"if \(erase\) access_write_data <= 32'h0;\n *else if", "if", "what_was_said_is_kept"),
)  # fmt: skip
"""Edits of the emitted Verilog, each with the rule or invariant that it breaks."""


@each_map
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_breaks_the_proof(fault, of):
    assert fault.breaks in unproved(fault.planted(verilog(of), TOP))
