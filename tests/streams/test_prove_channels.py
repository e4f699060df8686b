# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose channels mix are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.streams.modes import Deciphering, NoHash, Padded, WideAEAD

from modeloom.modes.gcm import GCM
from modeloom.prove.execute import ProofError
from modeloom.streams import prove_open as module
from modeloom.streams.machine import Machine
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove_open import prove_apart, prove_channels

LATENCIES = {"cipher": 12, "mul": 3}


def made(mode=GCM, lanes=1):
    return plan_stream(mode(), 32 if mode is WideAEAD else 16, LATENCIES, lanes)


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded, Deciphering])
def test_channels_do_not_mix(mode, lanes):
    plan = made(mode, lanes)
    assert prove_channels(plan) > 2 * plan.chains


class _Shared(dict):
    """The state of a part that all channels have in common."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    def _key(self, key):
        return (0, key[1]) if key[1] == self.part else key

    def __getitem__(self, key):
        return super().__getitem__(self._key(key))

    def __setitem__(self, key, value):
        super().__setitem__(self._key(key), value)

    def update(self, values):
        for key, value in values.items():
            self[key] = value


def sharing(where, part):
    """Machines in which a part of the state has one word for all channels."""

    class Mixed(Machine):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            setattr(self, where, _Shared(part))

    return Mixed


PARTS = [("_state", "counter"), ("_state", "mask"), ("_hash", "y")]


@pytest.mark.parametrize(("where", "part"), PARTS)
def test_a_register_for_all_channels_is_refused(where, part, monkeypatch):
    machine = sharing(where, part)
    with pytest.raises(ProofError, match="^gcm: "):
        prove_channels(made(), machine=machine)
    # The pairs of messages alone find it, too.
    monkeypatch.setattr(module, "prove_apart", lambda *_: None)
    with pytest.raises(ProofError, match="interleaved"):
        prove_channels(made(), machine=machine)


@pytest.mark.parametrize(("where", "part"), [("_state", "counter"), ("_hash", "y")])
def test_the_induction_finds_it_alone(where, part):
    with pytest.raises(ProofError, match="the state of another channel"):
        prove_apart(made(), sharing(where, part))


def test_a_channel_that_is_not_the_tokens_own_is_refused():
    class Turned(Machine):
        def run(self, token):
            return super().run(replace(token, channel=1 - token.channel) if token.step == "encrypt" else token)

    with pytest.raises(ProofError, match="encrypt reads the state counter of channel 1, which no message has begun"):
        prove_channels(made(), machine=Turned)
