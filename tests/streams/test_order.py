# SPDX-License-Identifier: Apache-2.0
"""Messages with their text first: the steps that the compiler makes of a definition, the proof, and what the proof refuses."""

from dataclasses import replace

import pytest
from tests.streams.modes import Padded
from tests.streams.numbers import OnNumbers, blocks_of, messages, models_of
from tests.streams.pair_modes import Twice

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes import find_any
from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.deoxys_i import DeoxysI
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.execute import ProofError
from modeloom.spec import InputError, UnknownName
from modeloom.spec.cadence import Cadence
from modeloom.spec.counters import Amount
from modeloom.spec.stream import ASSOCIATED_FIRST, BETWEEN, TEXT_FIRST
from modeloom.streams.machine import Machine
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import prove_numbers, prove_stream, tokens_of
from modeloom.streams.reservation import entered
from modeloom.streams.rewrite import ORDERED
from modeloom.streams.steps import Source, Term

MODES = [AESOTR, DeoxysI, OCB3]
CADENCES = {None: 11, Cadence(10, 1): 12, Cadence(40, 4): 41}
"""Cadences of the cipher, and its latencies."""


def made(mode, cadence=None, order=TEXT_FIRST):
    return plan_stream(mode(), 16, {"cipher": CADENCES[cadence], "mul": 5}, cadence=cadence, order=order)


def test_one_register_has_checksum_and_tag():
    """The sum of associated data has the register of the checksum, and a mask that of another mask, whose time is over."""
    shared = {mode: made(mode).shared for mode in MODES}
    assert shared == {
        AESOTR: {"ad_tag": "sum", "ad_mask": "mask"}, DeoxysI: {"auth": "checksum"}, OCB3: {"sum": "checksum", "hash_offset": "offset"},
    }  # fmt: skip
    for mode in MODES:
        plan, before = made(mode), made(mode, order="associated-first")
        assert before.shared == {} and not before.text_first and BETWEEN not in before.placed.passes
        assert set(plan.kinds) == set(before.kinds) - set(plan.shared)


def test_steps():
    """The tag of Deoxys-I is the sum alone; what it did to the checksum is done between text and associated data."""
    plan = made(DeoxysI)
    checksum = Term(Source("state", "checksum"))
    assert plan.step("tag").output == (checksum,) and not plan.step("tag").operations
    (enciphers,) = plan.step(BETWEEN).operations
    assert enciphers.operands[0] == (checksum,) and plan.step(BETWEEN).updates == {"checksum": (Term(Source("op", 0)),)}
    assert checksum in plan.step("associated").updates["checksum"]
    # A last block of AES-OTR replaces a sum that was zero; it adds to what the text has left there.
    sums = made(AESOTR).step("last_associated").updates["sum"]
    assert sums == (Term(Source("state", "sum")), Term(Source("op", 0)))
    # What begins with zero in the register of another part is set there.
    assert made(OCB3).step(BETWEEN).updates["offset"] == ()


@pytest.mark.parametrize("cadence", CADENCES)
@pytest.mark.parametrize("mode", MODES)
def test_proved(mode, cadence):
    """All lengths, with messages after one another; the definition is that of the other order."""
    plan = made(mode, cadence)
    done = prove_stream(plan)
    assert done.messages > 250 and done.blocks > 1000
    assert (prove_numbers(plan) > 0) == (mode is OCB3)
    assert plan.all_ciphered == (cadence is not None) or mode is AESOTR


@pytest.mark.parametrize("cadence", CADENCES)
@pytest.mark.parametrize("mode", MODES)
def test_messages(mode, cadence):
    """The pipeline on numbers gives what the software model gives."""
    plan = made(mode, cadence)
    models = models_of(mode(), 3)
    sent = messages(mode(), models, 60)
    alone = []
    for number, each in enumerate(sent):
        phase = (alone[-1][-1].cycle + 1) % plan.cadence.interval if alone and plan.cadence is not None else 0
        alone.append(list(tokens_of(plan, each.message, phase, each.block(16), number)))
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    given = [[] for _ in sent]
    for number, token in entered(plan, alone, 1):
        given[number] += blocks_of(machine.run(token))
    assert given == [[*each.blocks, each.tag] for each in sent]


def text_goes_on(plan):
    """Associated data come without the step that ends the text."""
    plan.step(BETWEEN).updates = {}


def a_sum_that_stays(plan):
    """The register of the checksum is not overwritten when it becomes that of the tag."""
    total = plan.shared[{"deoxys-i": "auth", "ocb3": "sum", "aes-otr": "ad_tag"}[plan.mode.name]]
    plan.step(BETWEEN).updates[total] = (Term(Source("state", total)), *plan.step(BETWEEN).updates[total])


def too_early(plan):
    """The end of the text does not wait for the checksum."""
    (one,) = plan.placed.passes[BETWEEN]
    plan.placed.passes[BETWEEN] = (replace(one, at=one.at - (1 if plan.cadence is None else plan.cadence.interval)),)


def replaced_by_associated_data(plan):
    """Associated data replace the sum, and do not add to it."""
    for step in plan.steps:
        if step.name.endswith("associated"):
            step.updates = {name: tuple(t for t in form if t.source.kind != "state" or t.maps) for name, form in step.updates.items()}


def the_other_order(plan):
    """Tokens of associated data enter first, as in the other order, and the step between before them."""
    plan.order = ORDERED[ASSOCIATED_FIRST]


def another_key(plan):
    """The checksum is enciphered under another key."""
    plan.step(BETWEEN).operations = [replace(one, number=1) for one in plan.step(BETWEEN).operations]


@pytest.mark.parametrize(
    "change", [text_goes_on, a_sum_that_stays, too_early, replaced_by_associated_data, the_other_order, another_key],
    ids=lambda change: change.__name__,
)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_changed_pipelines_are_refused(mode, change):
    plan = made(mode, Cadence(40, 4))
    change(plan)
    with pytest.raises(ProofError, match=f"^{mode.name}: "):
        prove_stream(plan)


def a_mask_that_stays(plan):
    """Blocks of associated data have the mask that the text has left."""
    other = {"ocb3": "offset", "aes-otr": "mask"}[plan.mode.name]
    del plan.step(BETWEEN).updates[other]


@pytest.mark.parametrize("mode", [AESOTR, OCB3])
def test_a_mask_that_stays_is_refused(mode):
    plan = made(mode)
    a_mask_that_stays(plan)
    with pytest.raises(ProofError, match=f"^{mode.name}: "):
        prove_stream(plan)


def _next(term):
    """A term that is scaled by the next number."""
    maps = ((wire[0], replace(wire[1], plus=wire[1].plus + 1)) if isinstance(wire[-1], Amount) else wire for wire in term.maps)
    return Term(term.source, tuple(maps))


def test_another_number_is_refused():
    """OCB3 scales by the number of a block among those of its own part."""
    plan = made(OCB3)
    step = plan.step("associated")
    step.updates = {name: tuple(_next(term) for term in form) for name, form in step.updates.items()}
    with pytest.raises(ProofError, match="^ocb3: associated"):
        prove_numbers(plan)


class FirstIsOne(DeoxysI):
    """The sum does not begin with 0."""

    name = "first-is-one"

    def start(self, o, k, nonce):
        return super().start(o, k, nonce).replace(auth=o.const(1))


class Read(DeoxysI):
    """Blocks read the sum."""

    name = "read"

    def associated(self, o, k, s, a):
        return super().associated(o, k, s.replace(auth=o.double(s.auth)), a)


class InTheTag(DeoxysI):
    """The tag enciphers the sum of associated data."""

    name = "in-the-tag"

    def tag(self, o, k, s, n):
        return o.tenc(s.checksum ^ s.auth, s.tweak)


class Together(DeoxysI):
    """Associated data go into the checksum."""

    name = "together"

    def associated(self, o, k, s, a):
        return super().associated(o, k, s.replace(checksum=s.checksum ^ a), a)


class Counted(DeoxysI):
    """The tag has the lengths."""

    name = "counted"

    def tag(self, o, k, s, n):
        return o.tenc(s.checksum ^ o.bit_lengths(n.associated, n.text), s.tweak) ^ s.auth


class TwiceEnciphered(DeoxysI):
    """The tag enciphers the checksum twice."""

    name = "twice-enciphered"

    def tag(self, o, k, s, n):
        return o.tenc(o.tenc(s.checksum, s.tweak), s.tweak) ^ s.auth


REFUSED = {
    "gcm": "change the same part of the state, y",
    "ccm": "it authenticates lengths",
    "deoxys-ii": "it has two passes",
    FirstIsOne: "the sum auth of associated data does not begin with 0",
    Read: r"associated\(\) does more with the part of the state auth than to add to it",
    InTheTag: r"tag\(\) does more with the associated data than to add",
    Together: "change the same part of the state, checksum",
    Counted: r"tag\(\) reads the lengths",
    TwiceEnciphered: "its tag takes the cipher several times",
    Padded: "change the same part of the state|wait for each other|does more",
    Twice: "change the same part of the state|wait for each other|does more|begin with 0",
}  # fmt: skip


@pytest.mark.parametrize("mode", REFUSED, ids=str)
def test_modes_that_have_another_order(mode):
    """A mode whose parts wait for each other is refused, in one line with the reason."""
    definition = find_any(mode) if isinstance(mode, str) else mode()
    with pytest.raises(InputError, match=f"--order text-first is not for {definition.name}: .*({REFUSED[mode]}).*; leave it out") as told:
        compile_stream(definition, StreamOptions(order=TEXT_FIRST))
    assert "\n" not in str(told.value)


OPTIONS = {
    "--blocks-per-cycle": {"blocks_per_cycle": 2}, "--channels": {"channels": 2}, "--packet wire": {"packet": "wire"},
    "--interface lwc": {"interface": "lwc"},
}  # fmt: skip


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_do_not_go_with_it(option):
    with pytest.raises(InputError, match=f"^--order text-first and {option} cannot be combined: .*; leave out one of them$"):
        compile_stream(OCB3(), StreamOptions(order=TEXT_FIRST, **OPTIONS[option]))


def test_an_order_that_there_is_not():
    with pytest.raises(UnknownName, match="order"):
        compile_stream(OCB3(), StreamOptions(order="tag-first"))


def test_explain():
    """The figures name the order and the shared registers; the tag has a token, and so has the end of the text."""
    figures = compile_stream(DeoxysI(), StreamOptions(order=TEXT_FIRST)).explain()
    assert figures["order"] == "text-first" and figures["shared"] == {"auth": "checksum"}
    assert figures["tokens"] == {"start": 0, "associated": 1, "text": 1, "tag": 2} and "beside" not in figures
    assert "order" not in compile_stream(DeoxysI(), StreamOptions(), prove=False).explain()
