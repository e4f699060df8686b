# SPDX-License-Identifier: Apache-2.0
"""Flags of keys in the clock of a host are what all of them were in one cycle of the core, and the last value is shown, in whatever order
the clocks rise and whatever a register sees of a change.  An erasure may come at any time.  This is proved by induction over the steps."""

from __future__ import annotations

import pytest
from tests.formal.axi_lite_rules import outputs_reached
from tests.formal.bits import all_of
from tests.formal.bridge_rules import TOP, clocked_machine
from tests.formal.induction import Fault
from tests.formal.mirror_rules import INVARIANTS, MIRROR, MirrorState, mirror_verilog, unproved_mirror
from tests.formal.proof import holds
from tests.verilog_edit import edit_module

from modeloom.rtl.clocks.bridge import Phase


def test_flags_are_those_of_one_cycle():
    assert unproved_mirror(mirror_verilog()) == []


def test_flags_depend_on_no_input_of_the_same_step():
    reached = outputs_reached(clocked_machine(mirror_verilog()), "key_")
    assert len(reached) == 3 and not any(reached.values()), reached


SEEN = {
    "a value that is left out": lambda s: s.at(Phase.IDLE) & s.turn.differs(s.answer) & s.sent.differs(s.flags) & s.shown.differs(s.sent),
    "a turn that is seen late": lambda s: s.at(Phase.IDLE) & s.turn.differs(s.answer) & s.to_host[2].differs(s.turn),
    "an answer that is seen late": lambda s: s.at(Phase.IDLE) & s.turn.equals(s.answer) & s.to_core[0].differs(s.answer),
    "a value that was there and is there no more": lambda s: s.shown.equals(s["value"]) & s["value"].some() & s.flags.differs(s["value"]),
    "a core that sends while the host is set back": lambda s: s.at(Phase.REQUEST) & s.begun & s.turn & s.sent.some(),
    "a core that sends before the host runs": lambda s: s.at(Phase.DROP) & s.asked[0] & s.turn & s.sent.some(),
    "a host that runs before the core": lambda s: s.at(Phase.DROP) & s.answers & s.answer & s.shown.some(),
}


@pytest.mark.parametrize("what", SEEN)
def test_the_invariants_allow(what):
    s = MirrorState.any(clocked_machine(mirror_verilog()))
    assert holds(~SEEN[what](s), all_of(one(s) for one in INVARIANTS)) is not None


FAULTS = (
    Fault("a value does not wait for the answer", MIRROR, r"\(turn_reg == to_core_o\)", "(1'b1 | to_core_o)", "values_cross"),
    Fault("an answer is seen without a synchroniser", MIRROR, r"\(turn_reg == to_core_o\)", "(turn_reg == (answer_reg | to_core_o))",
          "still_for_both"),
    Fault("a turn is seen without a synchroniser", MIRROR, r"if \(answer_reg != to_host_o\) o", "if (answer_reg != turn_reg) o",
          "still_for_both"),
    Fault("a value changes while it is taken", MIRROR, r"if \(turn_and\) sent_reg", "if (turn_and | answer_reg != turn_reg) sent_reg",
          "what_is_sent_stands_still"),
    Fault("flags of two cycles are shown together", MIRROR, r"sent_reg <= \{ keys_came_reg, core_key_error,",
          "sent_reg <= { keys_came_reg, sent_reg[3],", "values_were_there"),
    Fault("a value is shown before it is there", MIRROR, r"if \(answer_reg != to_host_o\) o <= sent_reg;", "o <= sent_reg;",
          "still_for_both"),
    Fault("a value is answered and not shown", MIRROR, r"if \(answer_reg != to_host_o\) o", "if (answer_reg & ~to_host_o) o",
          "values_cross"),
    Fault("a change of one flag is not seen", MIRROR, r"\(sent_reg != \{ keys_came_reg, core_key_error,",
          "(sent_reg != { keys_came_reg, sent_reg[3],", "the_last_value_is_shown"),
    Fault("no value is sent after the first one", MIRROR, r"if \(turn_and\) turn_reg <= ~turn_reg", "if (turn_and) turn_reg <= 1'h1",
          "values_cross"),
    Fault("an erasure leaves what the host is shown", MIRROR, r"o <= 10'h0;", "", "the_host_is_set_back"),
    Fault("an erasure leaves the answer", MIRROR, r"answer_reg <= 1'h0;", "", "the_host_is_set_back"),
    Fault("an erasure leaves what was sent", MIRROR, r"sent_reg <= 10'h0;", "", "the_core_is_set_back"),
    Fault("an erasure leaves the turn", MIRROR, r"turn_reg <= 1'h0;", "", "the_core_is_set_back"),
    Fault("the core does not wait for the host", "clk_host_core", r"if \(answer & ~reset\)", "if (~reset)", "both_shake_hands"),
)  # fmt: skip
"""Edits of the emitted Verilog, each with the rule or invariant that it breaks."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_faults_are_found(fault):
    broken = edit_module(mirror_verilog(), f"{TOP}_{fault.module}", fault.pattern, fault.replacement)
    assert fault.breaks in unproved_mirror(broken, (fault.breaks,))
