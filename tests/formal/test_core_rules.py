# SPDX-License-Identifier: Apache-2.0
"""Rules of the streams of whole emitted cores for messages: with two passes, stored messages, derived keys, text first, and segments.

They are proved at the pins in every cycle, and of the message control as in ``test_message_rules``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.built import slowly
from tests.formal.bits import all_of
from tests.formal.buffer_rules import BUFFER_INVARIANTS, BUFFER_RULES, BufferState
from tests.formal.emitted_cores import (
    BUFFERED,
    CORES,
    SEGMENTS,
    TOP,
    buffered_of,
    core_machine,
    core_verilog,
    lwc_of,
    message_part,
    messages_of,
)
from tests.formal.follow import unproved_of
from tests.formal.induction import Fault
from tests.formal.machine import Machine
from tests.formal.message_proof import any_state, uncounted, unproved, unproved_tokens
from tests.formal.message_rules import INVARIANTS, RULES, counts_are_possible, surroundings
from tests.formal.order_rules import ASSUMED as ORDER_ASSUMED
from tests.formal.order_rules import INVARIANTS as ORDER_INVARIANTS
from tests.formal.order_rules import RULES as ORDER_RULES
from tests.formal.order_rules import Passage
from tests.formal.pin_rules import PIN_INVARIANTS, PIN_RULES, CoreState, unproved_of_core
from tests.formal.proof import holds
from tests.formal.segment_rules import SEGMENT_INVARIANTS, SEGMENT_RULES, SegmentState
from tests.formal.token_rules import TOKEN_INVARIANTS, TOKEN_RULES

from modeloom.taint import combinational_paths

BY_DEFAULT = ("segments",)
SOME = [*BY_DEFAULT, *slowly(*(name for name in CORES if name not in BY_DEFAULT))]

AT_PINS = ("outputs_stay", "nothing_without_valid")
"""What is proved at the pins of a core whose streams of text and statuses stay inside."""


def unproved_at_pins(name: str, machine: Machine, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold at the pins, and of the part before the message control."""
    if name in BUFFERED:
        return unproved_of_core(BufferState, machine, buffered_of(name), BUFFER_INVARIANTS, BUFFER_RULES, only)
    if name in SEGMENTS:
        return unproved_of_core(SegmentState, machine, lwc_of(name), SEGMENT_INVARIANTS, SEGMENT_RULES, only)
    return unproved_of_core(CoreState, machine, messages_of(name), only=only)


def unproved_inside(name: str, machine: Machine, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold of the message control."""
    rules = (one.__name__ for one in (*INVARIANTS, *RULES))
    names = only or tuple(rule for rule in rules if name not in SEGMENTS or rule not in AT_PINS)
    return unproved(message_part(name, machine), messages_of(name), names)


def unproved_order(name: str, machine: Machine, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold of the order of statuses and of text."""
    part = message_part(name, machine)
    return unproved_of(Passage, part, messages_of(name), ORDER_INVARIANTS, ORDER_RULES, ORDER_ASSUMED, only)


@pytest.mark.parametrize("name", SOME)
def test_streams_at_the_pins(name: str) -> None:
    assert not unproved_at_pins(name, core_machine(name))


@pytest.mark.parametrize("name", SOME)
def test_no_output_depends_on_an_input_of_the_same_cycle(name: str) -> None:
    # The pin that erases a core, and its reset, go through registers, too.
    assert not combinational_paths(core_machine(name).netlist)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORES)
def test_all_rules_of_the_message_control(name: str) -> None:
    assert not unproved_inside(name, core_machine(name))
    assert not uncounted(message_part(name), messages_of(name))


@pytest.mark.parametrize("name", SOME)
def test_tokens_lengths_and_window(name: str) -> None:
    assert not unproved_tokens(message_part(name), messages_of(name))


MOST = tuple(one.__name__ for one in (*ORDER_INVARIANTS, *ORDER_RULES) if one.__name__ != "slices_pass_on")
"""The invariants and rules of the order but for one, which takes longer than all others."""


@pytest.mark.parametrize(
    ("name", "only"),
    [
        pytest.param("segments", MOST, id="segments, most rules"),
        *(pytest.param(name, (), id=name, marks=pytest.mark.slow) for name in CORES),
    ],
)
def test_order_and_numbers(name: str, only: tuple[str, ...]) -> None:
    assert not unproved_order(name, core_machine(name), only)


@pytest.mark.parametrize("name", SOME)
def test_the_invariants_allow(name: str) -> None:
    """What is assumed contradicts nothing: a status waits behind the text of its message, and another one is on its way."""
    s = any_state(message_part(name), messages_of(name))
    sound = [all_of(invariant(s) for invariant in INVARIANTS), counts_are_possible(s), surroundings(s)]
    seen = s["verdicts.out.full_reg"] & s["window_o_valid"] & s["entry_verdict_valid"] & s["entry_beat"] & s["verdicts.compared_reg"]
    assert holds(~seen, *sound) is not None


@pytest.mark.parametrize("name", [*BY_DEFAULT, *slowly("stored", "derived stored", "segments held")])
def test_the_invariants_of_the_part_before_allow(name: str) -> None:
    """A refused status is offered while a beat is read and a message waits; or the writer is in text while the parser reads the next."""
    if name in BUFFERED:
        s: CoreState = BufferState.any(core_machine(name), buffered_of(name))
        seen = all_of([s["m_axis_status_tvalid"], s["bus.buffer.feeder.read_reg"], s["bus.buffer.waiting_o_valid"], s["bus.buffer.first"]])
        invariants = BUFFER_INVARIANTS
    else:
        s = SegmentState.any(core_machine(name), lwc_of(name))
        seen = all_of([s["do_valid"], ~s["do_ready"], s.writes(1), s["texted"], s["bus.parser.finish_reg"], s["bus.messages_s_ready"]])
        invariants = SEGMENT_INVARIANTS
    assert holds(~seen, all_of(one(s) for one in (*PIN_INVARIANTS, *invariants)), s.works) is not None


@dataclass(frozen=True)
class CoreFault:
    """An edit of a core, and the proof that must fail."""

    core: str
    proof: Callable[..., list[str]]
    fault: Fault

    def __str__(self) -> str:
        return f"{self.core}: {self.fault.what}"


def _at_pins(core: str, *of: str) -> CoreFault:
    return CoreFault(core, unproved_at_pins, Fault(*of))


def _inside(core: str, *of: str) -> CoreFault:
    return CoreFault(core, unproved_inside, Fault(*of))


def _of_tokens(core: str, *of: str) -> CoreFault:
    return CoreFault(core, lambda name, machine, only: unproved_tokens(message_part(name, machine), messages_of(name)), Fault(*of))


def _of_order(core: str, *of: str) -> CoreFault:
    return CoreFault(core, unproved_order, Fault(*of))


KEPT, LOST = r"valid_reg <= full_reg \| put \| ~get", "valid_reg <= full_reg | put"
WAITS = (r"else valid_reg <= put", "else valid_reg <= put & o_ready")

FAULTS = (
    _at_pins("two passes", "text does not wait for the host", "bus_texts_out", KEPT, LOST, "outputs_stay"),
    _at_pins(
        "two passes", "old text stays on the bus", "bus_texts", r"(assign keep = [^;]*) & \{16\{[^;]*;", r"\1;", "nothing_without_valid",
    ),
    _inside(
        "two passes", "a tag that follows is lost", "bus_entry", r"entry_taken_reg <= \{ ends, entry_taken_reg\[3:1\] \}",
        "entry_taken_reg <= { ends & ~token_payload[131], entry_taken_reg[3:1] }", "tags_meet_their_verdicts",
    ),
    _inside(
        "two passes", "the first pass has a status that waits for text", "bus_entry", r"packet_reg \| \(", "packet_reg | ~decrypt | (",
        "texts_and_statuses_pair",
    ),
    _of_order(
        "two passes", "the first pass gives text", "bus_entry", r"(beat <= [^;]*) & decrypt", r"\1",
        "text_has_the_channel_of_its_message",
    ),
    _at_pins("stored", "a status does not wait for the host", "bus_core_verdicts_out", KEPT, LOST, "outputs_stay"),
    _at_pins(
        "stored", "the status of a first pass stays on the bus", "bus_buffer", r":\n *160'h0;", ": core_status_payload;",
        "nothing_without_valid",
    ),
    _at_pins(
        "stored", "a message is opened before those that wait", "bus_buffer", r"open_reg == 7'h0", "open_reg != 7'h0",
        "one_status_a_command",
    ),
    _at_pins("stored", "one beat too many is read", "bus_buffer_feeder", r"ahead_reg != 4'h8", "ahead_reg != 4'h9", "beats_have_places"),
    _at_pins("stored", "a result has no place", "bus_buffer", r"(opens_ready = [^;]*) & results_i_ready", r"\1", "queues_have_places"),
    _at_pins(
        "stored", "the host gets the status of a first pass", "bus_buffer", r"(comes = [^;]*) & ~kinds_o_payload", r"\1",
        "statuses_are_those_of_the_core",
    ),
    _at_pins(
        "stored", "messages are counted wrong", "bus_buffer", r"open_reg <= open_reg \+ \{ 6'h0, ended \}", "open_reg <= open_reg",
        "messages_to_open_go_alone",
    ),
    _at_pins(
        "stored", "the memory is erased while the core works", "bus_buffer_results_memory", r"erase_reg <= erase", "erase_reg <= ~erase",
        "queues_are_sound",
    ),
    _inside(
        "stored", "a code has no tag", "bus_core_verdicts", r"(tags_i_valid = compared_reg) & ~wanted_reg\[155\]",
        r"\1 & wanted_reg[155]", "tags_and_codes_pair",
    ),
    _at_pins("derived", "a status does not wait for the host", "bus_messages_verdicts_out", KEPT, LOST, "outputs_stay"),
    _inside(
        "derived", "text takes no credit", "bus_messages_entry", r"\? credit_reg & \(", "? (credit_reg | token_payload[0]) & (",
        "text_has_credit",
    ),
    _at_pins(
        "derived stored", "the tag of a refused message is told", "bus_buffer", r":\n *160'h0;", ": core_status_payload;",
        "nothing_without_valid",
    ),
    _at_pins(
        "derived stored", "the host gets the status of a first pass", "bus_buffer", r"(comes = [^;]*) & ~kinds_o_payload", r"\1",
        "statuses_are_those_of_the_core",
    ),
    _at_pins("text first", "text does not wait for the host", "bus_texts_out", KEPT, LOST, "outputs_stay"),
    _at_pins(
        "text first", "old text stays on the bus", "bus_texts", r"(assign keep = [^;]*) & \{16\{[^;]*;", r"\1;", "nothing_without_valid",
    ),
    _inside("text first", "text waits for the host to be ready", "bus_texts_out", *WAITS, "results_do_not_wait_for_ready"),
    _of_tokens(
        "text first", "text goes on behind its last beat", "bus_intake", r"in_text_reg <= ~associated_counter_reached",
        "in_text_reg <= 1'h1", "text_ends_once",
    ),
    _of_tokens(
        "text first", "a packet of text that is cut off has no last beat", "bus_intake", r"\|fault \? \(open_reg \?", "|fault ? (1'h0 ?",
        "text_ends_once",
    ),
    _inside(
        "text first", "the step between text and associated data has no end", "bus_entry", r"\? offset_reg == 5'h10 : 1'h0",
        "? offset_reg == 5'h11 : 1'h0", "entry_is_in_step",
    ),
    _at_pins("text first held", "a status does not wait for the host", "bus_verdicts_out", KEPT, LOST, "outputs_stay"),
    _at_pins("segments", "a word does not wait for the host", "bus_writer_out", KEPT, LOST, "outputs_stay"),
    _at_pins(
        "segments", "an old word stays on the bus", "bus_writer", r"out_o_payload & \{33\{do_valid\}\}", "out_o_payload",
        "nothing_without_valid",
    ),
    _at_pins("segments", "a word waits for the host to be ready", "bus_writer_out", *WAITS, "words_do_not_wait_for_ready"),
    _at_pins(
        "segments", "a status is not written", "bus_writer", r"3'h4: fsm_state <= 3'h3", "3'h4: fsm_state <= 3'h0",
        "one_last_word_a_message",
    ),
    _at_pins(
        "segments", "a tag is marked as the last word", "bus_writer", r"(assign out_i_payload = \{\n *fsm_state == 3'h3),",
        r"\1 | fsm_state == 3'h5,", "last_words_are_statuses",
    ),
    _at_pins(
        "segments", "a message without data has no end", "bus_parser", r"finish_issued_reg <= issued_reg \| begins",
        "finish_issued_reg <= issued_reg & begins", "each_command_has_an_end",
    ),
    _at_pins(
        "segments", "associated data may follow text", "bus_parser_expected", r"\(phase == 3'h2 \| phase == 3'h3\)",
        "(phase == 3'h2 | phase == 3'h3 | phase == 3'h5)", "text_is_behind_associated_data",
    ),
    _at_pins(
        "segments", "a message ends with associated data", "bus_parser_assembler", r"finish_valid & ~\(full_reg & associated_reg\)",
        "finish_valid", "beats_are_in_order",
    ),
    _inside("segments", "a tag takes no credit", "bus_messages_entry", r"== 2'h2 \? credit_reg_2", "== 2'h2 ? 1'h1", "tags_have_credit"),
    _at_pins("segments held", "a word does not wait for the host", "bus_writer_out", KEPT, LOST, "outputs_stay"),
)  # fmt: skip
"""Edits of the emitted Verilog, each with the rule or invariant that it breaks."""


QUICK = "segments: a status is not written"
SOME_FAULTS = [one if str(one) == QUICK else pytest.param(one, marks=pytest.mark.slow) for one in FAULTS]


@pytest.mark.parametrize("planted", SOME_FAULTS, ids=[str(one) for one in FAULTS])
def test_a_fault_breaks_the_proof(planted: CoreFault) -> None:
    broken = planted.fault.planted(core_verilog(planted.core), TOP)
    found = planted.proof(planted.core, broken, (planted.fault.breaks,))
    assert any(name.startswith(planted.fault.breaks) for name in found), found


def test_each_core_and_each_rule_has_a_fault() -> None:
    """Rules that hold by an invariant alone are broken with it."""
    by_invariant = {"statuses_end_messages": "last_words_are_statuses"}
    broken = {one.fault.breaks for one in FAULTS}
    rules = [rule.__name__ for rule in (*PIN_RULES, *BUFFER_RULES, *SEGMENT_RULES)]
    assert [rule for rule in rules if by_invariant.get(rule, rule) not in broken] == []
    assert {one.core for one in FAULTS if one.fault.breaks == "outputs_stay"} >= set(CORES) - {"derived stored"}
    assert {one.core for one in FAULTS} == set(CORES)
    known = (*PIN_INVARIANTS, *BUFFER_INVARIANTS, *SEGMENT_INVARIANTS, *INVARIANTS, *RULES, *TOKEN_INVARIANTS, *TOKEN_RULES, *ORDER_RULES)
    assert broken <= {*rules, *(one.__name__ for one in known)}
