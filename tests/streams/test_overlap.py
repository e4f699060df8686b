# SPDX-License-Identifier: Apache-2.0
"""Starts that run ahead and tags that follow: the order of tokens, and changed plans that the proof refuses."""

from dataclasses import replace

import pytest
from tests.streams.modes import Deciphering, Ladder, SecretOffsets

from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.execute import ProofError
from modeloom.streams.forms import Message
from modeloom.streams.machine import Token
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import prove_numbers, prove_stream, tokens_of
from modeloom.streams.prove_open import prove_channels
from modeloom.streams.reservation import entered
from modeloom.streams.steps import Source, Term

LATENCIES = {"cipher": 11, "mul": 5}


def made(mode=OCB3, lanes=1):
    return plan_stream(mode(), mode.block_bytes, LATENCIES, lanes)


def order(plan, messages, seed=1):
    alone = [list(tokens_of(plan, message, 0, lambda place, nbytes: 0, number)) for number, message in enumerate(messages)]
    return list(entered(plan, alone, seed))


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_messages_follow_each_other(lanes, seed):
    """A token for the start, one for the blocks of a beat, and one for the tag, a fixed time after the last of them."""
    plan = made(lanes=lanes)
    messages = [Message(0, 0, "encrypt", 12, 16 * (n % 3), 16 * (n % 5)) for n in range(40)]
    given = order(plan, messages, seed)
    cycles = [token.cycle for _, token in given]
    assert cycles == sorted(cycles)
    # Only what ends a message without blocks, and other lanes, share a cycle with another token.
    units = [token.cycle for _, token in given if token.step]
    beats = {(number, token.cycle) for number, token in given if token.step}
    assert len({cycle for _, cycle in beats}) == len(beats) <= len(units)
    ends = {number: token.cycle for number, token in given if token.closes}
    tags = {number: token.cycle for number, token in given if token.step == "tag"}
    assert all(tags[number] - ends[number] == plan.behind for number in range(40))
    starts = {number: token.cycle for number, token in given if token.step == "start"}
    opens = {number: token.cycle for number, token in given if token.opens}
    assert all(opens[number] - starts[number] >= plan.placed.ahead["start"] for number in range(40))
    overtakes = sum(starts[number + 1] < ends[number] for number in range(39))
    assert overtakes > 10 and sum(tags[number] > opens[number + 1] for number in range(39)) > 10


def test_other_modes_are_as_they_were():
    plan = plan_stream(GCM(), 16, LATENCIES)
    given = order(plan, [Message(0, 0, "encrypt", 12, 16, 20), Message(0, 1, "decrypt", 7, 0, 16)])
    assert not plan.runs_ahead and not plan.follows
    assert [(number, token.step, token.cycle) for number, token in given if token.part >= 0] == [
        (0, "associated", 0), (0, "encrypt", 1), (0, "encrypt", 2), (0, "tag", 3),
        (1, "start 1", 4), (1, "start 1", 9), (1, "decrypt", 26), (1, "tag", 27),
    ]  # fmt: skip


def no_ahead(plan):
    plan.placed.ahead["start"] -= 1


def early_tag(plan):
    plan.placed.passes["tag"] = (replace(plan.placed.passes["tag"][0], at=plan.behind - 2),)


def early_cipher(plan):
    plan.placed.stages["cipher"] -= 1


def other_shift(plan):
    step = plan.step("start")
    step.updates["offset"] = tuple(
        Term(term.source, tuple((wire[0], replace(wire[1], plus=wire[1].plus + 1)) if not isinstance(wire[1], int) else wire
                                for wire in term.maps))
        for term in step.updates["offset"]
    )  # fmt: skip


def other_bits(plan):
    step = plan.step("start")
    step.updates["offset"] = tuple(
        Term(term.source, tuple((wire[0], replace(wire[1], bits=5)) if not isinstance(wire[1], int) else wire for wire in term.maps))
        for term in step.updates["offset"]
    )


def whole_nonce(plan):
    step = plan.step("start")
    step.operations = [replace(one, operands=tuple(tuple(Term(t.source) for t in f) for f in one.operands)) for one in step.operations]


def no_tag_length(plan):
    step = plan.step("start")
    kept = [tuple(t for t in form if t.source.kind != "number") for form in step.operations[0].operands]
    step.operations = [replace(step.operations[0], operands=tuple(kept))]


def once_doubled(plan):
    step = plan.step("encrypt")
    step.updates["offset"] = tuple(Term(t.source, t.maps[1:]) for t in step.updates["offset"])


def offset_as_it_was(plan):
    step = plan.step("decrypt")
    step.output = tuple(Term(Source("state", "offset")) if t.source.kind == "left" else t for t in step.output)


def enciphers(plan):
    step = plan.step("decrypt")
    step.operations = [replace(one, operation=plan.step("encrypt").operations[0].operation) for one in step.operations]


def no_sum(plan):
    plan.step("tag").output = tuple(term for term in plan.step("tag").output if term.source.kind == "op")


def undoubled_tag(plan):
    step = plan.step("tag")
    step.operations = [replace(one, operands=tuple(tuple(Term(t.source) for t in f) for f in one.operands)) for one in step.operations]


CHANGES = [
    no_ahead, early_tag, early_cipher, other_shift, other_bits, whole_nonce, no_tag_length, once_doubled, offset_as_it_was, enciphers,
    no_sum, undoubled_tag,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_pipelines_are_refused(change):
    plan = made()
    change(plan)
    with pytest.raises(ProofError, match="^ocb3: "):
        prove_stream(plan)


def test_numbers_of_blocks_of_long_messages():
    """A number with many zeros is one of long messages only: a width that is too small is found by its own proof."""
    plan = made()
    assert prove_numbers(plan) == 3 * 32
    step = plan.step("associated")
    step.updates["hash_offset"] = tuple(
        Term(term.source, tuple((wire[0], replace(wire[1], plus=1)) if not isinstance(wire[1], int) else wire for wire in term.maps))
        for term in step.updates["hash_offset"]
    )
    with pytest.raises(ProofError, match=r"^ocb3: associated: block 1 of a message"):
        prove_numbers(plan)


@pytest.mark.parametrize("mode", [OCB3, Ladder, Deciphering, SecretOffsets])
def test_channels(mode):
    assert prove_channels(made(mode)) > 10


def test_a_message_needs_its_start_and_its_tag_needs_its_end():
    from modeloom.streams.forms import Forms
    from modeloom.streams.machine import Machine, MachineError

    plan = made()
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, Forms(plan))
    with pytest.raises(MachineError, match="message 0 begins before its start"):
        machine.run(Token(0, "", opens=True, closes=True))
    with pytest.raises(MachineError, match="the tag of message 0 comes before its end"):
        machine.run(Token(0, "tag"))


def test_what_a_start_has_computed_waits_for_its_message():
    """A start that runs ahead leaves the state to the message under way."""
    from modeloom.streams.forms import Forms
    from modeloom.streams.machine import Machine

    plan = made()
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, Forms(plan))
    first, second = ([token for token in tokens_of(plan, Message(0, 0, "encrypt", 12, 0, 16, tag=16), 0, lambda place, nbytes: 0, number)
                      if token.step == "start"] for number in (0, 1))
    before = machine.state_of(0)
    for token in (*first, *second):
        machine.run(token)
    assert machine.state_of(0) == before
