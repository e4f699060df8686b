# SPDX-License-Identifier: Apache-2.0
"""Statuses have the numbers and channels of their commands, and text that of its message, in all forms of the buses: proved."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.formal.bits import all_of
from tests.formal.emitted_messages import FORMS, TOP, message_machine, message_verilog, parameters_of
from tests.formal.follow import unproved_of
from tests.formal.induction import Fault
from tests.formal.machine import Machine
from tests.formal.order_rules import ASSUMED, INVARIANTS, RULES, Passage, seen
from tests.formal.proof import holds


def unproved(machine: Machine, shape: str, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold."""
    return unproved_of(Passage, machine, parameters_of(shape).core, INVARIANTS, RULES, ASSUMED, only)


QUICK = ("verdicts_pass_on", "statuses_are_told", "text_passes_on", "text_has_the_channel_of_its_message")
"""Rules that are proved in no time."""


def test_channels_of_text_and_statuses() -> None:
    assert not unproved(message_machine("channels"), "channels", QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("shape", FORMS)
def test_order_and_numbers(shape: str) -> None:
    assert not unproved(message_machine(shape), shape)
    s = Passage.any(message_machine(shape), parameters_of(shape).core)
    sound = [one(s) for one in (*INVARIANTS, *ASSUMED)]
    assert all(holds(~state, all_of(sound)) is not None for state in seen(s))


FAULTS = (
    Fault(
        "a beat has the channel of another message", "entry", r"channel <= message_payload\[293:286\]",
        "channel <= verdict_valid ? channel : message_payload[293:286]", "text_has_the_channel_of_its_message",
    ),
    Fault("a word is written to a full queue", "verdicts_statuses", r"< 6'h10", "< 6'h11", "queues_are_sound"),
    Fault("a status is skipped", "verdicts_statuses", r"assign get = ([^;]*);", r"assign get = (\1) + { 4'h0, put };", "queues_pass_on"),
    Fault("a slice gives the newer payload first", "texts_out", r"from_reg \^ get", "from_reg ^ put", "slices_pass_on"),
    Fault(
        "a command waits, and is overwritten", "command_checked", r"assign i_ready = [^;]*;", "assign i_ready = 1'h1;", "commands_pass_on",
    ),
    Fault(
        "a verdict is that of the message before", "verdicts", r"sums_reg <= wanted_reg",
        "sums_reg <= compared_reg ? wanted_reg : sums_reg",
        "verdicts_pass_on",
    ),
    Fault(
        "a status is told twice", "verdicts", r"\.o_ready\(statuses_o_ready\)", ".o_ready(statuses_o_ready & ~delivered)",
        "statuses_are_told",
    ),
    Fault("a byte of old text is shown", "texts", r"> 5'h7\b", "> 5'h6", "text_passes_on"),
    Fault(
        "a message goes before its last token", "entry", r"assign message_ready =", "assign message_ready = token_ready |",
        "messages_end_with_their_tokens",
    ),
    Fault("a beat in the middle is partial", "front_intake", r"~\(seen\[5\] \| beat_reg\[144\]\)", "1'h0", "tokens_are_whole"),
)  # fmt: skip


@pytest.mark.parametrize("fault", [FAULTS[0], *slowly(*FAULTS[1:])], ids=[fault.what for fault in FAULTS])
def test_a_mistake_breaks_the_proof(fault: Fault) -> None:
    assert fault.breaks in unproved(fault.planted(message_verilog("channels"), TOP), "channels", (fault.breaks,))


def test_each_rule_has_a_mistake() -> None:
    broken = {fault.breaks for fault in FAULTS}
    assert {rule.__name__ for rule in RULES} <= broken
