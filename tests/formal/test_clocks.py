# SPDX-License-Identifier: Apache-2.0
"""A queue between two clocks loses no word, doubles none and overwrites none, in whatever order the clocks rise and whatever a register
sees of a change; and an erasure on both sides leaves nothing.  Both are proved by induction over the steps."""

from __future__ import annotations

import pytest
from tests.formal.bits import all_of
from tests.formal.clock_order_rules import order_verilog
from tests.formal.clock_rules import INVARIANTS, QueueState, numbered, queue_verilog, unproved
from tests.formal.clock_rules import TOP as QUEUE
from tests.formal.emitted_bus import machine_of
from tests.formal.erasure_out_rules import OUT_INVARIANTS, OUT_RULES
from tests.formal.erasure_rules import ALL, PairState, pair_verilog, unproved_pair
from tests.formal.proof import holds
from tests.verilog_edit import edit_module

from modeloom.rtl.clocks.bridge import Phase
from modeloom.taint import combinational_paths

# The queue of another one is elaborated in the place of these.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


@pytest.mark.parametrize("depth", [4, 8, 16])
def test_no_word_is_lost(depth):
    assert unproved(machine_of(queue_verilog(depth), QUEUE), depth) == []


SEEN = {
    "a full queue": lambda s: (s.w - s.r).equals(s.depth),
    "a queue that the writer believes to be full": lambda s: ~s["i_ready"] & (s.w - s.r).equals(1),
    "a queue that the reader believes to be empty": lambda s: s.w.differs(s.r) & s.to_read[0].equals(s.r_code),
    "words that are not overwritten yet": lambda s: (s.r - s.left).equals(s.depth - 1),
}


@pytest.mark.parametrize("what", SEEN)
def test_the_invariants_allow(what):
    s = QueueState(machine_of(queue_verilog(4), QUEUE).free("s"), 4)
    assert holds(~SEEN[what](s), all_of(one(s) for one in INVARIANTS), numbered(s)) is not None


FAULTS = {
    "places in plain binary": (r"w_gray_reg <= (\w+)\[2:0\] \^ \{[^}]*\};", r"w_gray_reg <= \1[2:0];", "places_are_gray"),
    "room for a word too many": (r"full = w_gray_reg == \(to_write_o \^ 3'h6\)", "full = w_gray_reg == (to_write_o ^ 3'h5)", "the_reader"),
    "a word is read twice": (r"moves = ~valid_reg \| o_ready", "moves = 1'b1", "what_is_offered_stays"),
    "a word is overwritten before it was read": (r"wipes = left_reg != read", "wipes = left_reg != w_place_reg", "the_writer_is_behind"),
    "a word that was read stays": (r"port_en = put \| wipes", "port_en = put", "words_are_there"),
    "a word that is not there": (r"r_gray_reg != to_read_o", "r_gray_reg != (to_read_o ^ 3'h1)", "the_reader_is_behind"),
}  # fmt: skip
"""What stands in the queue, what stands there instead, and the first word of what no longer holds."""


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_queues_are_found(name):
    pattern, other, breaks = FAULTS[name]
    found = unproved(machine_of(edit_module(queue_verilog(4), f"{QUEUE}_queue", pattern, other), QUEUE), 4)
    assert any(one.startswith(breaks) for one in found), found


def test_an_erasure_leaves_nothing():
    assert unproved_pair(machine_of(pair_verilog(), QUEUE)) == []


PAIR_SEEN = {
    "a queue with words while the core runs": lambda s: s.at(Phase.IDLE) & (s.w - s.r).equals(3) & s["o_valid"],
    "a host that runs before the core does": lambda s: s.at(Phase.DROP) & s.w.equals(4),
    "a host that does not know of the erasure": lambda s: s.at(Phase.REQUEST) & ~s["host_held"] & (s.w - s.r).equals(4),
    "a host in the middle of its sweep": lambda s: s.at(Phase.REQUEST) & s.host_address.equals(2) & s.r.equals(5),
    "a host that still sees an old place": lambda s: s.at(Phase.DROP) & s.asked[1] & s.to_write[1].some(),
}


@pytest.mark.parametrize("what", PAIR_SEEN)
def test_the_invariants_of_an_erasure_allow(what):
    s = PairState(machine_of(pair_verilog(), QUEUE).free("s"))
    assert holds(~PAIR_SEEN[what](s), all_of(one(s) for one in ALL), numbered(s)) is not None


PAIR_FAULTS = {
    "the sweep skips a word": ("both_host", r"answer \| erase_address == 2'h3", "answer | erase_address == 2'h2", "the_host_sweeps"),
    "the core does not wait for the sweep": ("both_core", r"if \(answer & ~reset\)", "if (~reset)", "both_shake_hands"),
    "the core runs before the host does": ("both_core", r"if \(~answer\) begin", "begin", "both_shake_hands"),
    "the host keeps its place": ("both_queue", r"w_place_(\w+) = write_clear \? 4'h0 : ", r"w_place_\1 = ", "the_host_sweeps"),
    "the core keeps its place": ("both_queue", r"r_place_(\w+) = read_clear \? 4'h0 : ", r"r_place_\1 = ", "the_core_sets_back"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIR_FAULTS)
def test_faults_of_erasures_are_found(name):
    module, pattern, other, breaks = PAIR_FAULTS[name]
    found = unproved_pair(machine_of(edit_module(pair_verilog(), f"{QUEUE}_{module}", pattern, other), QUEUE))
    assert any(one.startswith(breaks) for one in found), found


def test_an_erasure_leaves_nothing_for_the_host():
    """The same for a queue out of the core, and the rules of AXI4-Stream on its output."""
    assert unproved_pair(machine_of(pair_verilog(True), QUEUE), OUT_INVARIANTS, OUT_RULES) == []


OUT_SEEN = {
    "results while the core runs": lambda s: s.at(Phase.IDLE) & (s.w - s.r).equals(3) & s["o_valid"],
    "a result that waits while the core asks": lambda s: s.at(Phase.REQUEST) & ~s["host_held"] & s["o_valid"] & ~s["o_ready"],
    "a core with its old place while the host has set back its own": lambda s: s.at(Phase.REQUEST) & s.answers & s.w.equals(5),
    "a host that still sees an old place": lambda s: s.at(Phase.DROP) & s.asked[1] & s.to_read[1].some(),
}


@pytest.mark.parametrize("what", OUT_SEEN)
def test_the_invariants_of_an_erasure_of_results_allow(what):
    s = PairState(machine_of(pair_verilog(True), QUEUE).free("s"))
    assert holds(~OUT_SEEN[what](s), all_of(one(s) for one in OUT_INVARIANTS), numbered(s)) is not None


OUT_FAULTS = {
    "the sweep skips a word": ("both_core", r"swept_reg \| erase_address == 2'h3", "swept_reg | erase_address == 2'h2", "the_core_sweeps"),
    "the core does not wait for the host": ("both_core", r"if \(answer & ~reset\)", "if (~reset)", "both_shake_hands"),
    "the host keeps its place": ("both_queue", r"r_place_(\w+) = read_clear \? 4'h0 : ", r"r_place_\1 = ", "the_host_sets_back"),
    "the core keeps its place": ("both_queue", r"w_place_(\w+) = write_clear \? 4'h0 : ", r"w_place_\1 = ", "the_core_sweeps"),
    "a result is left at the output": ("both_queue", r"if \(read_hold\) o_payload <= 4'h0;\s+else if", "if", "the_host_sets_back"),
    "a result comes in an erasure": ("both_queue", r"if \(read_hold\) valid_reg <= 1'h0;\s+else if", "if", "the_host_sets_back"),
    "words go in during an erasure": ("both_queue", r"i_ready = ~full & ~write_hold", "i_ready = ~full", "the_core_sweeps"),
    "a result does not wait": ("both_queue", r"moves = ~valid_reg \| o_ready", "moves = 1'b1", "results_stay"),
    "a result waits for the host": ("both_queue", r"moves = ~valid_reg \| o_ready", "moves = o_ready", "nothing_waits_for_ready"),
    "a result comes twice": ("both_queue", r"\{ 1'h0, r_place_reg \} \+ \{ 3'h0, get \}", "{ 1'h0, r_place_reg } + { 3'h0, get & put }",
                             "the_queue_is_sound"),
}  # fmt: skip


@pytest.mark.parametrize("name", OUT_FAULTS)
def test_faults_of_queues_of_results_are_found(name):
    module, pattern, other, breaks = OUT_FAULTS[name]
    broken = machine_of(edit_module(pair_verilog(True), f"{QUEUE}_{module}", pattern, other), QUEUE)
    found = unproved_pair(broken, OUT_INVARIANTS, OUT_RULES)
    assert any(one.startswith(breaks) for one in found), found


@pytest.mark.parametrize("verilog", [lambda: queue_verilog(4), lambda: pair_verilog(True), order_verilog], ids=["in", "out", "order"])
def test_no_output_depends_on_an_input_of_the_same_step(verilog):
    """But for what says whether a status may come, which depends on the number that comes with it."""
    paths = combinational_paths(machine_of(verilog(), QUEUE).netlist)
    assert set(paths) <= {("number", "may")}
