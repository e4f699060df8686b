# SPDX-License-Identifier: Apache-2.0
"""The rules of the streams of cores for messages are proved of the emitted buses, for ever; planted mistakes break the proof."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.formal.bits import all_of, constant
from tests.formal.emitted_messages import SHAPES, TOP, message_machine, message_verilog, parameters_of
from tests.formal.induction import Fault
from tests.formal.message_proof import any_state, uncounted, unproved, unproved_tokens
from tests.formal.message_rules import INVARIANTS, RULES, counts_are_possible, surroundings
from tests.formal.proof import holds
from tests.formal.token_rules import TOKEN_INVARIANTS, TOKEN_RULES

from modeloom.taint import combinational_paths

FEW = ["one lane", *slowly(*(shape for shape in SHAPES if shape != "one lane"))]
BY_DEFAULT = ("one lane", "iterative")
SOME_SHAPES = [*BY_DEFAULT, *slowly(*(shape for shape in SHAPES if shape not in BY_DEFAULT))]
QUICK = (
    "outputs_stay", "nothing_without_valid", "tokens_have_places", "text_before_status", "text_has_credit", "tags_have_credit",
    "results_do_not_wait_for_ready",
)  # fmt: skip
"""Rules that are proved in no time."""


@pytest.mark.parametrize("shape", SOME_SHAPES)
def test_streams_credits_and_places(shape: str) -> None:
    assert not unproved(message_machine(shape), parameters_of(shape), QUICK)


@pytest.mark.parametrize("shape", SOME_SHAPES)
def test_tokens_lengths_and_window(shape: str) -> None:
    assert not unproved_tokens(message_machine(shape), parameters_of(shape))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_all_rules(shape: str) -> None:
    assert not unproved(message_machine(shape), parameters_of(shape))


OF_ONE_CHANNEL = ("texts_and_statuses_pair", "text_before_status")
"""What is proved of several channels in another way (``mark_rules``)."""


@pytest.mark.slow
def test_rules_with_several_channels() -> None:
    names = tuple(one.__name__ for one in (*INVARIANTS, *RULES) if one.__name__ not in OF_ONE_CHANNEL)
    assert not unproved(message_machine("channels"), parameters_of("channels"), names)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["wire", "wire held"])
def test_outputs_of_packets_on_the_wire(shape: str) -> None:
    """Beats and statuses stay until the host takes them, and nothing is out without a beat."""
    names = ("nothing_is_left_on_the_wire", "outputs_stay", "nothing_without_valid")
    assert not unproved(message_machine(shape), parameters_of(shape), names)


WIRE_FAULTS = (
    Fault("the end of a packet does not wait", "packets_out", r"full_reg \| put \| ~get", "full_reg | put", "outputs_stay"),
    Fault(
        "bytes of a packet stay on the bus", "packets", r"joiner_o_payload\[127:0\] & \{128\{joiner_o_valid\}\}", "joiner_o_payload[127:0]",
        "nothing_is_left_on_the_wire",
    ),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", WIRE_FAULTS, ids=[fault.what for fault in WIRE_FAULTS])
def test_a_mistake_behind_packets_on_the_wire_breaks_the_proof(fault: Fault) -> None:
    assert _refused(fault, "wire")


@pytest.mark.slow
@pytest.mark.parametrize("shape", [*SHAPES, "channels"])
def test_words_are_counted(shape: str) -> None:
    assert not uncounted(message_machine(shape), parameters_of(shape))


@pytest.mark.parametrize("shape", FEW)
def test_the_surroundings_are_possible(shape: str) -> None:
    """What is assumed contradicts nothing: a status waits for the host behind the text of its message, and another one is on its way."""
    s = any_state(message_machine(shape), parameters_of(shape))
    sound = [all_of(invariant(s) for invariant in INVARIANTS), counts_are_possible(s), surroundings(s)]
    seen = s["status_valid"] & ~s["status_ready"] & s["m_valid"] & s["window_o_valid"] & s["entry_verdict_valid"] & s["entry_beat"]
    assert holds(~seen, *sound) is not None
    assert holds(constant(0, 1), *sound) is not None


@pytest.mark.parametrize("shape", FEW)
def test_no_combinational_path_from_the_host_to_itself(shape: str) -> None:
    host = ("cmd_", "s_", "m_", "status_", "key_")
    paths = combinational_paths(message_machine(shape).netlist)
    assert [pair for pair in paths if pair[0].startswith(host) and pair[1].startswith(host)] == []


FAULTS = (
    Fault("text does not wait for the host", "texts_out", r"full_reg \| put \| ~get", "full_reg | put", "outputs_stay"),
    Fault("a status does not wait for the host", "verdicts_out", r"full_reg \| put \| ~get", "full_reg | put", "outputs_stay"),
    Fault(
        "old text stays on the bus", "texts", r"(assign keep = [^;]*) & \{16\{[^;]*;", r"\1;", "nothing_without_valid",
    ),
    Fault("text takes no credit", "entry", r"\? credit_reg & \(", "? (credit_reg | token_payload[0]) & (", "text_has_credit"),
    Fault("a tag takes no credit", "entry", r"== 2'h2 \? credit_reg_2", "== 2'h2 ? 1'h1", "tags_have_credit"),
    Fault("a queue takes one too many", "texts_queue", r"< 6'h10", "< 6'h11", "queues_hold_what_they_can"),
    Fault("a credit comes back late", "verdicts", r"\{ 1'h0, pop \} \+", "{ 1'h0, 1'h0 } +", "tags_have_credit"),
    Fault(
        "a tag comes twice", "pipeline_lines", r"(is_tag_2_reg) <= is_tag_1_reg", r"\1 <= is_tag | is_tag_1_reg",
        "tags_meet_their_verdicts",
    ),
    Fault(
        "a status does not wait for its text", "entry", r"packet_reg \| \(", "(packet_reg & token_payload[0]) | (",
        "texts_and_statuses_pair",
    ),
    Fault("a status waits for no text", "verdicts", r"\| delivered_reg != 5'h0", "| delivered_reg != 5'h1", "text_before_status"),
    Fault(
        "a status is lost", "verdicts", r"decided_reg & ~decision_reg\[155\]", "decided_reg & ~decision_reg[154]", "one_status_a_command",
    ),
    Fault(
        "text waits for the host to be ready", "texts_out", r"else valid_reg <= put", "else valid_reg <= put & o_ready",
        "results_do_not_wait_for_ready",
    ),
    Fault(
        "a status waits for the host to be ready", "verdicts_out", r"else valid_reg <= put", "else valid_reg <= put & o_ready",
        "results_do_not_wait_for_ready",
    ),
    Fault("tkeep has a hole", "texts", r"> 5'h7\b", "> 5'h9", "pieces_are_whole"),
)  # fmt: skip

TOKEN_FAULTS = (
    Fault(
        "text goes on behind a fault", "intake", r"if \(\|fault\) discard_reg <= 1'h1", "if (|fault) discard_reg <= 1'h0", "text_ends_once",
    ),
    Fault(
        "a partial beat within a packet", "intake", r"\| ~\(slice_o_payload\[150\] \| slice_o_payload\[144\]\)", "",
        "tokens_are_in_order",
    ),
    Fault("a partial beat passes for a full one", "intake", r"&s_payload\[143:128\]", "&s_payload[142:128]", "beats_are_as_seen"),
    Fault("a token is given twice", "window", r"if \(pop\) get_reg <=", "if (pop & ~taken_valid_reg) get_reg <=", "window"),
    Fault("a token is lost", "window", r"taken_valid_reg <= i_valid & i_ready", "taken_valid_reg <= i_valid & i_ready & ~known", "window"),
    Fault("the window takes one too many", "window", r"< 7'h10", "< 7'h11", "window_counts"),
    Fault(
        "a limit is seen a carry late", "intake_associated_counter", r"next_at_high_reg <= next_high_reg ==",
        "next_at_high_reg <= high_reg ==", "counters_look_ahead",
    ),
    Fault("a carry is lost", "intake_text_counter", r"(high_reg) <= next_high_reg;", r"\1 <= \1;", "lengths_are_counted"),
)  # fmt: skip


def _refused(fault: Fault, shape: str) -> bool:
    return fault.breaks in unproved(fault.planted(message_verilog(shape), TOP), parameters_of(shape), (fault.breaks,))


def _refused_before_the_entry(fault: Fault, shape: str) -> bool:
    broken = fault.planted(message_verilog(shape), TOP)
    return any(name.startswith(fault.breaks) for name in unproved_tokens(broken, parameters_of(shape)))


SOME = [fault if number % 4 == 0 else slowly(fault)[0] for number, fault in enumerate(FAULTS)]


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_a_mistake_breaks_the_proof(fault: Fault) -> None:
    assert _refused(fault, "one lane")


SOME_BEFORE = [fault if number % 3 == 0 else slowly(fault)[0] for number, fault in enumerate(TOKEN_FAULTS)]


@pytest.mark.parametrize("fault", SOME_BEFORE, ids=[fault.what for fault in TOKEN_FAULTS])
def test_a_mistake_before_the_entry_breaks_the_proof(fault: Fault) -> None:
    assert _refused_before_the_entry(fault, "one lane")


@pytest.mark.slow
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "iterative" in shape])
def test_the_same_mistakes_break_the_proof_of_other_key_schedules(shape: str) -> None:
    """With iterative key schedules, and with several preparations of keys that come with messages."""
    assert [fault.what for fault in FAULTS if not _refused(fault, shape)] == []
    assert [fault.what for fault in TOKEN_FAULTS if not _refused_before_the_entry(fault, shape)] == []


def test_each_rule_has_a_mistake() -> None:
    """Rules that hold by an invariant alone are broken with it."""
    by_invariant = {
        "keep_is_partial_only_last": "pieces_are_whole",
        "tokens_have_places": "tags_have_credit", "window_keeps_tokens": "window",
    }
    broken = {fault.breaks for fault in (*FAULTS, *TOKEN_FAULTS)}
    rules = [rule.__name__ for rule in (*RULES, *TOKEN_RULES)]
    assert [rule for rule in rules if by_invariant.get(rule, rule) not in broken] == []
    assert broken <= {*rules, *(one.__name__ for one in (*INVARIANTS, *TOKEN_INVARIANTS)), "window"}
