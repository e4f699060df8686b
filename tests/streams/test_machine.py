# SPDX-License-Identifier: Apache-2.0
"""Token pipelines on numbers give what the software model gives, message after message."""

import pytest
from tests.streams.modes import Deciphering, HashedTwice, NoHash, Offsets, Padded, SecretOffsets, WideAEAD
from tests.streams.numbers import OnNumbers, messages, models_of

from modeloom.modes.gcm import GCM
from modeloom.streams.machine import Machine, MachineError, Token
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import tokens_of

LATENCIES = [{"cipher": 11, "mul": 5}, {"cipher": 29, "mul": 3}, {"cipher": 4, "mul": 9}]


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("latencies", LATENCIES, ids=lambda each: f"{each['cipher']}-{each['mul']}")
@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded, Offsets, SecretOffsets, Deciphering, HashedTwice])
def test_messages(mode, latencies, lanes):
    plan = plan_stream(mode(), 32 if mode is WideAEAD else 16, latencies, lanes)
    models = models_of(mode(), 3)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    cycle = 0
    for sent in messages(mode(), models, 60):
        given = []
        for token in tokens_of(plan, sent.message, cycle, sent.block(mode.block_bytes), tag=int.from_bytes(sent.known, "little")):
            cycle = token.cycle + (token.part >= 0)
            output = machine.run(token)
            if output is not None:
                given.append(output)
        assert given == [*sent.blocks, sent.tag], sent.message


def test_reading_too_early_is_seen():
    """A chain is read again before its product is there."""
    plan = plan_stream(GCM(), 16, {"cipher": 11, "mul": 5})
    models = models_of(GCM(), 1)
    machine = Machine(plan.steps, plan.kinds, plan.placed, 4, OnNumbers(plan, models))
    (sent,) = [sent for sent in messages(GCM(), models, 40) if len(sent.ad) > 80][:1]
    with pytest.raises(MachineError, match="associated: a product reads in cycle"):
        for token in tokens_of(plan, sent.message, 0, sent.block(16)):
            machine.run(token)


def test_tokens_of_a_message():
    """One for each block, and one for the tag: a start takes none with usual nonces, and others two."""
    plan = plan_stream(GCM(), 16, {"cipher": 11, "mul": 5})
    models = models_of(GCM(), 1)
    for sent in messages(GCM(), models, 30):
        tokens = [token for token in tokens_of(plan, sent.message, 0, sent.block(16)) if token.part >= 0]
        blocks = -(-len(sent.ad) // 16) - (-len(sent.text) // 16)
        assert len(tokens) == blocks + 1 + 2 * (len(sent.nonce) != 12)
        assert [token.power for token in tokens[-blocks - 1 :]] == [min(plan.chains, left) for left in range(blocks + 1, 0, -1)]
        assert sum(token.first for token in tokens) == 1
    assert isinstance(tokens[0], Token)
