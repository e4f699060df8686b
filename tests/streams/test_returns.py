# SPDX-License-Identifier: Apache-2.0
"""Pairs of blocks, tokens that return to the cipher, and steps for last blocks: on numbers, and proved; changed plans are refused."""

import pytest
from tests.generality.quad256 import QUAD256
from tests.streams.modes import Deciphering
from tests.streams.numbers import OnNumbers, blocks_of, messages, models_of
from tests.streams.pair_modes import Braid, Twice

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.execute import ProofError
from modeloom.spec import DefinitionError, InputError, checked_mode
from modeloom.spec.attributes import checked_stream
from modeloom.spec.kinds import CIPHER
from modeloom.streams.forms import Message
from modeloom.streams.machine import Machine, MachineError, Token
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import prove_stream, tokens_of
from modeloom.streams.reservation import ReservationTable, entered
from modeloom.streams.steps import Term

LATENCIES = {"cipher": 11, "mul": 5}
MODES = [AESOTR, Braid, Twice]


def made(mode, latency=11):
    return plan_stream(mode(), mode.block_bytes, {"cipher": latency, "mul": 5})


def test_returns():
    """A pair of AES-OTR has the cipher twice, a latency apart; a pair in three rounds three times."""
    otr, braid, twice = map(made, MODES)
    assert otr.uses["encrypt"] == otr.uses["last_decrypt"] == (0, 11) and otr.uses["single_encrypt"] == (0,)
    assert otr.uses["associated"] == (0,) and otr.uses["last_associated"] == (11,)
    assert otr.runs_ahead and otr.follows and otr.uses["tag"] == (otr.behind,) == (23,)
    assert braid.uses["encrypt"] == (0, 11, 22) and braid.uses["partial_encrypt"] == (0, 1) and braid.uses["associated"] == (0, 11)
    assert twice.uses["encrypt"] == (0, 11) and twice.uses["associated"] == () and not twice.runs_ahead and not twice.follows
    assert all(plan.pairs == (plan is not twice) and plan.returning for plan in (otr, braid, twice))
    assert not plan_stream(OCB3(), 16, LATENCIES).returning


@pytest.mark.parametrize("latency", [1, 4, 11])
@pytest.mark.parametrize("mode", MODES)
def test_messages(mode, latency):
    """The pipeline on numbers gives what the software model gives, with messages between each other."""
    plan = made(mode, latency)
    models = models_of(mode(), 3)
    sent = messages(mode(), models, 60)
    alone = [list(tokens_of(plan, each.message, 0, each.block(mode.block_bytes), number)) for number, each in enumerate(sent)]
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    given = [[] for _ in sent]
    for number, token in entered(plan, alone, latency):
        given[number] += blocks_of(machine.run(token))
    assert given == [[*each.blocks, each.tag] for each in sent]


@pytest.mark.parametrize("mode", MODES)
def test_proof(mode):
    assert prove_stream(made(mode, 6)).messages > 200


@pytest.mark.parametrize("nbytes", [96, 97, 400])
def test_places_of_the_cipher(nbytes):
    """A message of AES-OTR takes the cipher for each of its blocks, for its start and for its tag, and no two tokens at once."""
    plan = made(AESOTR)
    sizes = [Message(0, 0, "encrypt", 12, nbytes // 3, nbytes) for _ in range(30)]
    alone = [list(tokens_of(plan, message, 0, lambda place, nbytes: 0, number)) for number, message in enumerate(sizes)]
    used = []
    for _, token in entered(plan, alone, 3):
        # The token of a tag comes when it has the cipher.
        uses = (0,) if token.step == "tag" else plan.uses.get(token.step, ())
        used += [token.cycle + use for use in uses]
    blocks = sum(-(-part // 16) for part in (nbytes // 3, nbytes))
    assert len(used) == len(set(used)) == 30 * (blocks + 2)


def test_pairs_come_at_the_pace_of_their_blocks():
    """Text alone: two cycles for a pair, whatever the parity of the latency."""
    for latency in (10, 11):
        plan = made(AESOTR, latency)
        tokens = list(tokens_of(plan, Message(0, 0, "encrypt", 12, 0, 4000 * 16), 0, lambda place, nbytes: 0))
        text = [token.cycle for token in tokens if token.step.endswith("encrypt")]
        assert len(text) == 2000 and text[-1] - text[0] <= 4000


def earlier(plan):
    plan.placed.returns["encrypt"] = (0, plan.placed.returns["encrypt"][1] - 1)


def later_sum(plan):
    plan.placed.homes["sum"] -= 4


def other_mask(plan):
    step = plan.step("encrypt")
    step.operations[1] = step.operations[0]


def turned(plan):
    step = plan.step("decrypt")
    step.output, step.second = step.second, step.output


def whole_always(plan):
    step = plan.step("single_encrypt")
    step.updates["sum"] = tuple(Term(term.source, tuple(w for w in term.maps if w != ("whole",))) for term in step.updates["sum"])


def last_as_others(plan):
    plan.step("last_associated").updates["ad_tag"] = plan.step("associated").updates["ad_sum"]


def no_pad(plan):
    step = plan.step("last_decrypt")
    step.updates["sum"] = tuple(term for term in step.updates["sum"] if term.source.kind != "mark")


@pytest.mark.parametrize("change", [earlier, later_sum, other_mask, turned, whole_always, last_as_others, no_pad])
def test_changed_plans_are_refused(change):
    plan = made(AESOTR)
    change(plan)
    with pytest.raises(ProofError, match="aes-otr"):
        prove_stream(plan)


def test_two_tokens_have_no_cipher_at_once():
    plan = made(AESOTR)
    models = models_of(AESOTR(), 1)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    machine.loaded(dict.fromkeys(plan.trace.state, 0), "", ())
    machine.run(Token(100, "encrypt", block=(1, 2), nbytes=16))
    machine.run(Token(101, "encrypt", block=(1, 2), nbytes=16))
    with pytest.raises(MachineError, match="operation 0 has the cipher in cycle 112, which another one has"):
        machine.run(Token(111, "encrypt", block=(1, 2), nbytes=16))


def test_changed_reservations_are_refused(monkeypatch):
    """What takes the cipher without saying so meets another token."""
    plan, uses = made(AESOTR), ReservationTable.uses

    def silent(table, title):
        return {**uses(table, title), CIPHER: (0,)} if title == "decrypt" else uses(table, title)

    monkeypatch.setattr(ReservationTable, "uses", silent)
    with pytest.raises(ProofError, match="which another one has"):
        prove_stream(plan)


def wrong(base=AESOTR, **changed):
    return type("Wrong", (base,), {"name": "wrong", **changed})


def two_ciphers_of_tag(self, o, k, s, n):
    return o.enc(o.enc(s.sum)) ^ s.ad_tag


def index_of_pair(self, o, k, s, p):
    return s.replace(mask=o.double(s.mask, o.ntz(o.index(p[1])))), p


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (wrong(encrypt=lambda self, o, k, s, p: (s, p[0])), r"encrypt\(\) returns a tuple, not \(the state, a pair of blocks\)"),
        (wrong(encrypt=lambda self, o, k, s, p: s), r"encrypt\(\) returns a State, not \(the state, a pair of blocks\)"),
        (wrong(single_encrypt=lambda self, o, k, s, p: (s, (p, p))), r"single_encrypt\(\) returns a tuple, not \(the state, a block\)"),
        (wrong(encrypt=index_of_pair), r"o\.index\(block\) is not for pairs of blocks"),
        (wrong(tag=two_ciphers_of_tag), r"start\(\) and tag\(\) may encipher one block each"),
        (
            wrong(single_encrypt=lambda self, o, k, s, p: (s, o.if_whole(p, s.mask))),
            r"o\.if_whole\(block, p\) takes the block of the step as its second operand",
        ),
    ],
)
def test_wrong_definitions(mode, message):
    with pytest.raises(DefinitionError, match=message) as error:
        made(mode)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (wrong(text_blocks=3), "text_blocks is 3; it must be 1 or 2"),
        (wrong(Deciphering, text_blocks=2), r"the mode needs single_encrypt\(\)"),
        (wrong(text_blocks=1), r"has text_blocks = 1, and so no single_encrypt\(\)"),
        (wrong(partial_encrypt=AESOTR.encrypt), r"last_encrypt\(\) takes partial blocks, too; leave out partial_encrypt\(\)"),
    ],
)
def test_wrong_attributes(mode, message):
    with pytest.raises(DefinitionError, match=message):
        checked_stream(mode)
    assert checked_mode is not checked_stream


@pytest.mark.parametrize("mode", [AESOTR, Twice])
def test_several_blocks_a_cycle_are_refused(mode):
    with pytest.raises(InputError, match="is for one block per cycle; leave out --blocks-per-cycle"):
        compile_stream(mode(), StreamOptions(blocks_per_cycle=2))


def test_block_steps():
    assert AESOTR.block_steps() == (
        "associated", "last_associated", "encrypt", "last_encrypt", "single_encrypt", "decrypt", "last_decrypt", "single_decrypt",
    )  # fmt: skip
    assert Braid.step_of("encrypt", 64, True) == "encrypt" and Braid.step_of("encrypt", 40, True) == "partial_encrypt"
    assert Braid.step_of("encrypt", 32, True) == "single_encrypt" and Twice.step_of("associated", 16, False) == "associated"
    assert QUAD256.name and made(Braid).last_steps["decrypt"] == ("partial_decrypt", "single_decrypt")
