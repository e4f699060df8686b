# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose cipher takes blocks in batches: their tokens keep its cadence, and one that does not is refused."""

from dataclasses import replace

import pytest
from tests.built import slow, slowly
from tests.streams.chained_modes import ChainFromZero, WideChain
from tests.streams.modes import Deciphering, NoHash, Offsets, Padded, SecretOffsets, WideAEAD
from tests.streams.numbers import OnNumbers, messages, models_of
from tests.streams.pair_modes import Twice

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.deoxys_ii import DeoxysII
from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.execute import ProofError
from modeloom.spec.cadence import Cadence
from modeloom.streams.machine import Machine, MachineError, Token
from modeloom.streams.plan import StreamPlan, plan_stream
from modeloom.streams.prove import plan_title, prove_stream, tokens_of
from modeloom.streams.prove_open import prove_channels
from modeloom.streams.reservation import Reservations, ReservationTable

CHAINED = (CCM, ChainFromZero, WideChain)

CADENCES = [Cadence(10, 1), Cadence(20, 2), Cadence(40, 4)]


def made(mode=GCM, cadence=CADENCES[2], lanes=1):
    latencies = {"cipher": cadence.interval + 1, "mul": 5}
    return plan_stream(mode(), 32 if mode in (WideAEAD, WideChain) else 16, latencies, lanes, cadence=cadence)


@pytest.mark.parametrize("cadence", [CADENCES[2], *slowly(*CADENCES[:2])], ids=lambda each: f"{each.blocks}-{each.interval}")
@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded, Offsets, SecretOffsets, Deciphering, *CHAINED])
def test_proved(mode, cadence):
    plan = made(mode, cadence)
    assert prove_stream(plan).blocks > 3 * plan.chains**2
    prove_channels(plan)


@pytest.mark.parametrize("cadence", [CADENCES[1], *slowly(CADENCES[0], CADENCES[2])], ids=lambda each: f"{each.blocks}-{each.interval}")
@pytest.mark.parametrize("mode", [OCB3, *slowly(AESOTR, DeoxysII)])
def test_tokens_beside_others(mode, cadence):
    """Starts run ahead, tags follow after whole intervals, and tokens return to the cipher after whole intervals."""
    plan = made(mode, cadence)
    assert plan.follows and not plan.behind % cadence.interval and plan.all_ciphered
    assert all(not use % cadence.interval for uses in plan.uses.values() for use in uses)
    assert prove_stream(plan).blocks > 30


def test_tokens_that_return_and_tags_in_order():
    plan = made(Twice, CADENCES[2])
    assert plan.returning and not plan.follows and not plan.all_ciphered
    assert prove_stream(plan).blocks > 30


@slow
def test_channels_of_tokens_beside_others():
    prove_channels(made(OCB3, CADENCES[1]))


@pytest.mark.parametrize("mode", [AESOTR, *slowly(DeoxysII)])
def test_a_place_that_another_token_has_is_refused(mode, monkeypatch):
    monkeypatch.setattr(Reservations, "take", lambda taken, cycle, step, closes=False, at=0: None)
    with pytest.raises(ProofError, match="which another one has"):
        prove_stream(made(mode, CADENCES[1]))


@pytest.mark.parametrize("mode", [OCB3, AESOTR])
def test_tags_and_returning_tokens_out_of_the_cadence_are_refused(mode):
    """A place that is a cycle later than the cipher takes blocks."""
    plan = made(mode, CADENCES[1])
    tag = plan.placed.passes["tag"][0]
    plan.placed.passes["tag"] = (replace(tag, at=tag.at + 2),)
    with pytest.raises((ProofError, ValueError), match="out of its cadence|min"):
        prove_stream(plan)
    if mode is AESOTR:
        plan = made(mode, CADENCES[1])
        plan.placed.returns["encrypt"] = tuple(use and use + 2 for use in plan.placed.returns["encrypt"])
        with pytest.raises(ProofError, match="out of its cadence"):
            prove_stream(plan)


@pytest.mark.parametrize("lanes", [2, *slowly(4)])
def test_lanes(lanes):
    assert prove_stream(made(lanes=lanes)).messages


def test_on_numbers():
    """Tokens that use the cipher enter in the first cycles of its interval, others at once, and the results are those of the model."""
    plan = made()
    models = models_of(GCM(), 3)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    cycle, entered = 0, {}
    for sent in messages(GCM(), models, 40):
        given = []
        for token in tokens_of(plan, sent.message, cycle, sent.block(16)):
            cycle = token.cycle + (token.part >= 0)
            entered.setdefault(token.step, set()).add(token.cycle % 40)
            output = machine.run(token)
            if output is not None:
                given.append(output)
        assert given == [*sent.blocks, sent.tag], sent.message
    assert entered["encrypt"] | entered["decrypt"] | entered["tag"] == {0, 1, 2, 3}
    assert len(entered["associated"]) > 8


def test_a_token_out_of_the_cadence_is_refused():
    plan = made()
    models = models_of(GCM(), 1)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    nonce = {"nonce": 12, "associated": 16, "text": 16}
    machine.run(Token(40, plan_title(plan, 0), -1, block=0, lengths=nonce))
    machine.run(Token(43, "encrypt", block=0, nbytes=16, power=1, first=True, lengths=nonce))
    with pytest.raises(MachineError, match="encrypt: operation . uses the cipher in cycle 44, out of its cadence"):
        machine.run(Token(44, "encrypt", block=0, nbytes=16, place=1, power=1, lengths=nonce))


def never_waits(plan, monkeypatch):
    monkeypatch.setattr(ReservationTable, "phases", lambda table, *titles: None)


def one_block_more(plan, monkeypatch):
    """Batches are planned with a block more than the cipher takes."""
    whole, taken = plan.cadence, replace(plan.cadence, blocks=plan.cadence.blocks - 1)
    plan.placed.cadence = taken
    monkeypatch.setattr(StreamPlan, "cadence", whole)


def other_interval(plan, monkeypatch):
    """Batches are planned a cycle closer than the cipher takes them."""
    taken = replace(plan.cadence, interval=plan.cadence.interval + 1)
    monkeypatch.setattr(StreamPlan, "cadence", plan.cadence)
    plan.placed.cadence = taken


@pytest.mark.parametrize("fault", [never_waits, one_block_more, other_interval])
def test_plans_out_of_the_cadence_are_refused(fault, monkeypatch):
    plan = made()
    fault(plan, monkeypatch)
    with pytest.raises(ProofError, match="uses the cipher in cycle .* out of its cadence"):
        prove_stream(plan)


def test_channels_out_of_the_cadence_are_refused(monkeypatch):
    plan = made()
    never_waits(plan, monkeypatch)
    with pytest.raises(ProofError, match="out of its cadence"):
        prove_channels(plan)


@pytest.mark.parametrize("cadence", CADENCES, ids=lambda each: f"{each.blocks}-{each.interval}")
def test_steps_that_use_the_cipher_twice(cadence):
    """The tokens of a step keep their distances, so these fit the cadence: there is a phase in which the step may begin."""
    plan = made(SecretOffsets, cadence)

    def several_of(plan):
        return [step.title for step in plan.steps if len(plan.reservations.paced(step.title)) > 1]

    several = several_of(plan)
    for title in several:
        phases = plan.reservations.phases(title)
        assert phases and all(cadence.takes(phase + at) for phase in phases for at in plan.reservations.paced(title))
    twice = [mode for mode in CHAINED if several_of(made(mode, cadence))]
    assert several or twice


@pytest.mark.parametrize(("interval", "blocks"), [(10, 0), (10, 10), (1, 1)])
def test_cadences_are_checked(interval, blocks):
    with pytest.raises(ValueError, match="a batch in .* cycles has from 1 to"):
        Cadence(interval, blocks)
