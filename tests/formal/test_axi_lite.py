# SPDX-License-Identifier: Apache-2.0
"""The port of an emitted front end keeps the rules of AXI4-Lite, whatever the host does: proved by induction over the cycles."""

from __future__ import annotations

from functools import lru_cache

import pytest
from tests.formal.axi_lite_rules import INVARIANTS, RULES, LiteState, outputs_reached
from tests.formal.bits import all_of
from tests.formal.emitted_bus import machine_of
from tests.formal.induction import Fault, unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.proof import holds
from tests.rtl.front.bench import component

from modeloom_verilog.modules import component_rtlil, inner_verilog

TOP = "front"

MAPS = {"keys": False, "commands": True}
"""The map of a core with registers for keys, and the one with ``--commands registers``."""

each_map = pytest.mark.parametrize("of", MAPS)


@lru_cache
def verilog(of: str) -> str:
    """The front end as it is emitted."""
    return inner_verilog(component_rtlil(component(commands=MAPS[of]), TOP), TOP)


@lru_cache
def machine(of: str) -> Machine:
    """The same as a transition system."""
    return machine_of(verilog(of), TOP)


def running(s: LiteState):
    """No reset.  An erasure may come at any time."""
    return s["aresetn"]


def unproved(built: Machine) -> list[str]:
    """What does not hold."""
    before, s = built.free("any"), LiteState.any(built)
    return unproved_by_induction(INVARIANTS, RULES, LiteState.start(before.next()), [~before["aresetn"]], s, s.next(), [running(s)])


@each_map
def test_rules_of_axi4_lite(of):
    assert not unproved(machine(of))


@each_map
def test_no_output_depends_on_an_input_of_the_same_cycle(of):
    reached = outputs_reached(machine(of), "s_axil_") | outputs_reached(machine(of), "irq")
    assert len(reached) == 9 and not any(reached.values()), reached
    # The pin for erasures is one that does, so paths are seen.
    assert "erase_pin" in outputs_reached(machine(of), "zeroize")["zeroize"]


SEEN = {
    "a write with its data first": lambda s: s["given"].some() & ~s["addressed"].some(),
    "a write that is refused": lambda s: s["s_axil_bvalid"] & s["s_axil_bresp"].some(),
    "a write that an erasure meets": lambda s: s["wiped"] & s["given"].some() & ~s["done"],
    "a read and a write at once": lambda s: s["s_axil_rvalid"] & s["s_axil_bvalid"],
}


@each_map
@pytest.mark.parametrize("what", SEEN)
def test_the_invariants_allow(what, of):
    s = LiteState.any(machine(of))
    assert holds(~SEEN[what](s), all_of(one(s) for one in INVARIANTS), running(s)) is not None


FAULTS = (
    Fault("an answer goes before it is taken", "bus", r"if \(bus_bvalid & bus_bready\) bus_b", "if (bus_bvalid) bus_b", "responses_stay"),
    Fault("data that were read change", "bus", r"if \(read_reg\) bus_rdata", "if (read_reg | bus_arvalid) bus_rdata", "responses_stay"),
    Fault(
        "an answer comes without data", "bus", "write = has_address_reg & has_data_reg", "write = has_address_reg",
        "answers_follow_writes",
    ),
    Fault("a read is taken before the last one has its answer", "bus", "~read_reg & ~rvalid_reg", "~read_reg", "accesses_are_counted"),
    Fault("a write waits for a read", "bus", "& ~bus_bvalid;", "& ~bus_bvalid & ~rvalid_reg;", "accesses_are_served_at_once"),
    Fault("another response", "bus", r"error_reg \? 2'h2", "error_reg ? 2'h1", "responses_are_those_of_axi"),
    Fault("a write of some bytes reaches the registers", "bus", "write & &strobe_reg", "write & |strobe_reg", "registers_see_the_access"),
    Fault(
        "an address changes while it waits", "bus", r"if \(bus_awvalid & ~has_address_reg\) address_reg",
        "if (bus_awvalid) address_reg", "what_was_said_is_kept",
    ),
    Fault("data stay after the write", "bus", r"else if \(write\) access_write_data <= 32'h0;", "", "data_do_not_stay"),
)  # fmt: skip
"""Edits of the emitted Verilog, each with the rule or invariant that it breaks."""


@each_map
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_breaks_the_proof(fault, of):
    assert fault.breaks in unproved(fault.planted(verilog(of), TOP))
