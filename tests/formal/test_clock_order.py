# SPDX-License-Identifier: Apache-2.0
"""A status that crosses to another clock is offered behind the data of its packet, and then stays.  This is proved by induction."""

from __future__ import annotations

import pytest
from tests.formal.bits import all_of
from tests.formal.clock_order_rules import INVARIANTS, RULES, OrderState, order_verilog, surroundings, unproved_order
from tests.formal.clock_rules import TOP
from tests.formal.emitted_bus import machine_of
from tests.formal.proof import holds
from tests.verilog_edit import edit_module

# The order of another one is elaborated in the place of this one.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


@pytest.mark.parametrize("name", [one.__name__ for one in (*INVARIANTS, *RULES)])
def test_statuses_stay_behind_their_data(name):
    assert unproved_order(machine_of(order_verilog(), TOP), (name,)) == []


SEEN = {
    "a status that waits for its data": lambda s, t: s.waits & ~s["may"] & s.count.differs(s["pushed"]),
    "a status whose data the host has taken unseen": lambda s, t: s.waits & ~s["may"] & s.count.equals(s["pushed"]),
    "counts that have come round": lambda s, t: s.offered & ~s.takes & (s["number"] < s["last"]),
    "two statuses in two steps": lambda s, t: s.takes & t.takes & s["ends"],
}


@pytest.mark.parametrize("what", SEEN)
def test_the_surroundings_allow(what):
    s = OrderState.any(machine_of(order_verilog(), TOP), "s")
    t = s.next()
    assert holds(~SEEN[what](s, t), all_of(one(s) for one in INVARIANTS), surroundings(s, t)) is not None


FAULTS = {
    "counts in plain binary": ("both_data", r"seen <= after \^ \{ 1'h0, after\[11:1\] \}", "seen <= after", "counts_cross_in_gray_code"),
    "data that wait count as taken": ("both_data", r"if \(data_rises\) count_reg <= after",
                                        "count_reg <= after + 12'h1", "what_is_taken_was_pushed"),
    "a status waits for the packet after its own": ("both_order", r"may = ~may_difference\[11\]",
                                                    "may = ~may_difference[11] & |may_difference[10:0]", "statuses_do_not_wait_longer"),
    "a status comes a packet early": ("both_order", r"\{ 1'h0, count \} - ", "{ 1'h0, count } + 13'h1 - ", "statuses_follow_their_data"),
    "counts are compared as they stand": ("both_order", r"may = ~may_difference\[11\]", "may = ~may_difference[12]",
                                          "offered_statuses_stay"),
    "a count is shown that was not": ("both_order_to_statuses", r"meta_reg <= \(i & ~late\) \| \(before_reg & late\)",
                                      "meta_reg <= i ^ (before_reg & late)", "counts_cross_in_gray_code"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name):
    module, pattern, other, breaks = FAULTS[name]
    broken = machine_of(edit_module(order_verilog(), f"{TOP}_{module}", pattern, other), TOP)
    assert breaks in unproved_order(broken, (breaks,))
