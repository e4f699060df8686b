# SPDX-License-Identifier: Apache-2.0
"""The reservation table: what steps take of entry, cipher and chain, and the first cycle in which they fit between each other."""

import random

import pytest
from tests.streams.modes import Deciphering, Ladder, SecretOffsets
from tests.streams.pair_modes import Braid, Twice

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import CIPHER
from modeloom.streams.plan import plan_stream
from modeloom.streams.reservation import CHAIN, ENTRY, Reservations

CADENCE = Cadence(20, 2)


def made(mode, cadence=None, lanes=1):
    return plan_stream(mode(), 16, {"cipher": 11 if cadence is None else 21, "mul": 5}, lanes, cadence=cadence)


def test_programs():
    """A pair has the cipher twice; a tag that follows has it behind its message; a chained block has its chain for a turn."""
    otr, gcm, ccm = (made(mode).reservations for mode in (AESOTR, GCM, CCM))
    assert otr.resources == (ENTRY, CIPHER) and gcm.resources == (ENTRY,) and ccm.resources == (ENTRY, CHAIN)
    assert otr.program("encrypt").uses == {ENTRY: (0,), CIPHER: (0, 11)}
    assert otr.program("tag").uses == {ENTRY: (23,), CIPHER: (23,)}
    assert otr.detached("tag") and not otr.sequence("tag").tokens and otr.sequence("tag").cycles == 1
    assert gcm.program("associated").uses[CIPHER] == () and not gcm.detached("tag")
    assert ccm.program("associated").uses[CHAIN] == tuple(range(ccm.placed.turn))


@pytest.mark.parametrize(
    ("mode", "detached", "shared"),
    [
        (GCM, [], [ENTRY]), (OCB3, ["start", "tag"], [ENTRY]), (Ladder, ["start", "start 1", "tag"], [ENTRY]),
        (SecretOffsets, ["start"], [ENTRY]), (Deciphering, ["tag"], [ENTRY]), (CCM, [], [ENTRY, CHAIN]),
        (Braid, ["start", "start 1", "tag"], [ENTRY, CIPHER]),
    ],
)  # fmt: skip
def test_steps_that_enter_between_those_of_other_messages(mode, detached, shared):
    """Starts that run ahead, for each class of nonces, and a tag that follows; tokens of all other steps enter one by one."""
    table = made(mode).reservations
    titles = [step.title for step in table.plan.steps]
    assert [title for title in titles if table.detached(title)] == detached
    assert [title for title in titles if not table.one_by_one("encrypt", title)] == detached
    assert [resource for resource in (ENTRY, CIPHER, CHAIN) if table.shares(resource)] == shared


def test_blocks_side_by_side_do_not_enter_one_by_one():
    assert made(GCM).reservations.one_by_one() and not made(GCM, lanes=2).reservations.one_by_one()


def test_starts_that_take_no_token_of_their_message():
    """By class of nonces, those without a token; all that run ahead count as one."""
    assert [[step.title for step in made(mode).free_starts] for mode in (GCM, Ladder)] == [["start"], ["start"]]


@pytest.mark.parametrize("cadence", [None, CADENCE])
@pytest.mark.parametrize("mode", [AESOTR, Braid, Twice, OCB3])
def test_nothing_is_taken_twice(mode, cadence):
    """Tokens enter in the first cycle in which all is free, and none before it would fit."""
    plan, rng, titles = made(mode, cadence), random.Random(5), [*mode.block_steps()]
    table, reservations = plan.reservations, Reservations(plan)
    taken: dict[str, set[int]] = {ENTRY: set(), CIPHER: set()}

    def needed(cycle, title, closes):
        uses = [table.program(title).uses, *[table.program("tag").uses] * closes]
        return {(name, cycle + use) for each in uses for name in taken if name in table.resources for use in each[name]}

    def fits(cycle, title, closes):
        kept = cadence is None or cycle % cadence.interval in (table.phases(title) or range(cadence.interval))
        return kept and all(use not in taken[name] for name, use in needed(cycle, title, closes))

    cycles = [0]
    for _ in range(200):
        title, closes = rng.choice(titles), plan.follows and rng.random() < 0.2
        if len(table.program(title).tokens) > 1:
            continue
        asked = cycles[-1] + rng.randrange(3)
        cycle = reservations.enter(asked, title, closes)
        assert [at for at in range(asked, cycle + 1) if fits(at, title, closes)] == [cycle]
        for name, use in needed(cycle, title, closes):
            taken[name].add(use)
        cycles.append(cycle)
    assert len(cycles) > 100


def test_what_is_taken_makes_others_wait():
    plan = made(AESOTR)
    reservations = Reservations(plan)
    # Eleven pairs fill the cipher before the first of them returns, and the next one waits for the last of them.
    assert [reservations.enter(0, "encrypt") for _ in range(12)] == [*range(11), 22]
    assert not reservations.free(12, "associated") and reservations.free(34, "encrypt")


def test_cycles_of_steps_with_a_cadence():
    table = made(GCM, CADENCE).reservations
    assert [table.begins(cycle, "encrypt") for cycle in (0, 1, 2, 19, 20)] == [0, 1, 20, 20, 20]
    assert table.begins(7, "associated") == 7 and table.phases("associated") is None
    assert table.entry_cycles("associated", "encrypt") == 20


def test_text():
    assert made(AESOTR).reservations.text().splitlines()[0] == "reservations aes-otr: entry, cipher"
    assert "  encrypt: entry 0; cipher 0 11; next 1" in made(AESOTR).reservations.text().splitlines()
    assert made(GCM, CADENCE).reservations.text().splitlines()[0] == "reservations gcm: entry, cipher 2 in 20 cycles"
