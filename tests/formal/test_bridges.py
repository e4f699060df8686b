# SPDX-License-Identifier: Apache-2.0
"""Registers in a clock of their own keep the rules of AXI4-Lite and APB on both sides, in whatever order the clocks rise and whatever a
register sees of a change, with erasures and resets at any time.  This is proved by induction over the steps, on the crossings as they are
emitted."""

from __future__ import annotations

import pytest
from tests.formal.apb_bridge_rules import INVARIANTS as APB_INVARIANTS
from tests.formal.apb_bridge_rules import RULES as APB_RULES
from tests.formal.apb_bridge_rules import ApbBridgeState
from tests.formal.axi_lite_rules import outputs_reached
from tests.formal.bits import all_of, constant
from tests.formal.bridge_erasure_rules import ERASURE_INVARIANTS, ERASURE_RULES, prompt
from tests.formal.bridge_faults import APB_FAULTS, LITE_FAULTS
from tests.formal.bridge_rules import TOP, bridge_verilog, clocked_machine, unproved_bridge
from tests.formal.lite_bridge_rules import INVARIANTS as LITE_INVARIANTS
from tests.formal.lite_bridge_rules import RULES as LITE_RULES
from tests.formal.lite_bridge_state import LiteBridgeState
from tests.formal.lite_bridge_state import registers as lite_registers
from tests.formal.lite_progress_rules import PROGRESS as LITE_PROGRESS
from tests.formal.proof import holds
from tests.formal.signs import zero
from tests.verilog_edit import edit_module

from modeloom.interfaces.front import APB, AXI_LITE, REGISTER_BUSES
from modeloom.rtl.clocks.bridge import Phase


def lite_assumed(s):
    """What is assumed of registers behind AXI4-Lite."""
    return lite_registers(s) & prompt(s)


def unproved_lite(verilog, only=()):
    """What does not hold of AXI4-Lite."""
    rules = (*LITE_RULES, *LITE_PROGRESS, *ERASURE_RULES)
    return unproved_bridge(LiteBridgeState, verilog, (*LITE_INVARIANTS, *ERASURE_INVARIANTS), rules, lite_assumed, only)


def test_rules_of_axi4_lite():
    assert unproved_lite(bridge_verilog(AXI_LITE)) == []


def test_rules_of_axi4_lite_need_no_prompt_registers():
    """Only the end of an erasure depends on how soon the registers respond."""
    rules = (*LITE_RULES, *LITE_PROGRESS)
    assert unproved_bridge(LiteBridgeState, bridge_verilog(AXI_LITE), LITE_INVARIANTS, rules, lite_registers) == []


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_no_output_depends_on_an_input_of_the_same_step(bus):
    """But for the reset of the core and ``zeroizing``, which are no part of the buses."""
    reached = outputs_reached(clocked_machine(bridge_verilog(bus)), "")
    apart = {"core_aresetn": {"aresetn"}, "zeroizing": {"core_zeroizing"}}
    assert len(reached) > 10 and {name: inputs for name, inputs in reached.items() if inputs} == apart


LITE_SEEN = {
    "a write whose data come first": lambda s: s.has_data & ~s.has_address & s.kept[0].some(),
    "a response to a write and a read at once": lambda s: s.at(Phase.IDLE) & s.done & s.has_word & s["s_axil_bresp"].some(),
    "a turn that is seen late": lambda s: s.at(Phase.IDLE) & s.sent & s.to_core[2].differs(s.turn),
    "a write for registers that wait": lambda s: s.at(Phase.IDLE) & s.busy & s.w_valid & ~s["met"] & s.passed[0].some(),
    "a write that an erasure met": lambda s: s["met"] & s.busy & s["words"].equals(1) & s["data"].some(),
    "a write in the sweep": lambda s: s.at(Phase.SWEEP) & s.busy & s.w_valid,
    "a write of before in the last phase": lambda s: s.at(Phase.DROP) & s["old"] & s.kept[0].some(),
    "a write of after in the last phase": lambda s: s.at(Phase.DROP) & ~s.resets & s.w_valid & s.passed[0].some(),
    "a read in an erasure": lambda s: s.at(Phase.SWEEP) & s.request & s.read_to_core[0] & ~s.reply,
    "a read whose answer waits in a reset": lambda s: s.resets & s.request & s.reply & s.word.some(),
    "a reset that the host does not know": lambda s: s.resets & s.done & ~s.host_reset,
    "a host that is set back before the core": lambda s: s.told & s.answer & ~s.turn & s.reply & s.word.some(),
    "a reset behind another one": lambda s: s.old_reset & s.at(Phase.REQUEST) & s.resets,
}


@pytest.mark.parametrize("what", LITE_SEEN)
def test_the_invariants_of_axi4_lite_allow(what):
    s = LiteBridgeState.any(clocked_machine(bridge_verilog(AXI_LITE)))
    assert holds(~LITE_SEEN[what](s), all_of(one(s) for one in (*LITE_INVARIANTS, *ERASURE_INVARIANTS)), lite_assumed(s)) is not None


@pytest.mark.parametrize("fault", LITE_FAULTS, ids=lambda fault: fault.what)
def test_faults_of_axi4_lite_are_found(fault):
    broken = edit_module(bridge_verilog(AXI_LITE), f"{TOP}_{fault.module}", fault.pattern, fault.replacement)
    assert fault.breaks in unproved_lite(broken, (fault.breaks,))


def unproved_apb(verilog, only=()):
    """What does not hold of APB."""
    return unproved_bridge(ApbBridgeState, verilog, (*APB_INVARIANTS, *ERASURE_INVARIANTS), (*APB_RULES, *ERASURE_RULES), prompt, only)


def test_rules_of_apb():
    assert unproved_apb(bridge_verilog(APB)) == []


def test_rules_of_apb_need_nothing_of_the_registers():
    """Only the end of an erasure depends on how soon they respond."""
    anything = unproved_bridge(ApbBridgeState, bridge_verilog(APB), APB_INVARIANTS, APB_RULES, lambda s: constant(1, 1))
    assert anything == []


APB_SEEN = {
    "a read with a word": lambda s: s.at(Phase.IDLE) & s.done & ~s["write"] & s["s_apb_prdata"].some() & ~s["impolite"],
    "a write that is refused": lambda s: s.at(Phase.IDLE) & s.done & s["write"] & s["s_apb_pslverr"],
    "a request that is seen late": lambda s: s.at(Phase.IDLE) & s.request & ~s.to_core[2],
    "a host that waits while the last answer falls": lambda s: s["access"] & ~s.request & ~s.answer & s.to_host[0] & ~s["impolite"],
    "registers that wait": lambda s: s.at(Phase.IDLE) & s.busy & s.enabled & s.passed[0].some() & ~s["core_s_apb_pready"],
    "a write that an erasure met": lambda s: s["met"] & s.busy & s["write"] & s["data"].some() & zero(*s.passed),
    "a write in the sweep": lambda s: s.at(Phase.SWEEP) & s.busy & s["write"],
    "a read in an erasure": lambda s: s.at(Phase.SWEEP) & s.request & ~s["write"] & s.to_core[0] & ~s.answer,
    "a write of before in the last phase": lambda s: s.at(Phase.DROP) & s["old"] & s.kept[0].some(),
    "a write of after in the last phase": lambda s: s.at(Phase.DROP) & ~s.resets & s.busy & s.passed[0].some(),
    "an answer that waits in a reset": lambda s: s.resets & s.request & s.answer & s.word[1].some(),
    "a host that is set back before the core": lambda s: s.told & ~s.request & s.answer & s["access"] & ~s["impolite"],
    "a reset behind another one": lambda s: s.old_reset & s.at(Phase.REQUEST) & s.resets,
    "a host that leaves a transfer": lambda s: s["impolite"] & s.request & ~s["s_apb_psel"],
}


@pytest.mark.parametrize("what", APB_SEEN)
def test_the_invariants_of_apb_allow(what):
    s = ApbBridgeState.any(clocked_machine(bridge_verilog(APB)))
    assert holds(~APB_SEEN[what](s), all_of(one(s) for one in (*APB_INVARIANTS, *ERASURE_INVARIANTS)), prompt(s)) is not None


@pytest.mark.parametrize("fault", APB_FAULTS, ids=lambda fault: fault.what)
def test_faults_of_apb_are_found(fault):
    broken = edit_module(bridge_verilog(APB), f"{TOP}_{fault.module}", fault.pattern, fault.replacement)
    assert fault.breaks in unproved_apb(broken, (fault.breaks,))
