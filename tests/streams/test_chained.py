# SPDX-License-Identifier: Apache-2.0
"""Chains through the cipher, lengths before the message, and prefixes of associated data: tokens, the proof, and what it refuses."""

from dataclasses import replace

import pytest
from tests.streams.chained_modes import ChainFromZero, WideChain
from tests.streams.numbers import OnNumbers, messages, models_of

from modeloom.compiler import streams
from modeloom.compiler.streams import CipherNumbers, interleaving
from modeloom.modes.ccm import CCM
from modeloom.prove.execute import ProofError
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.stream import LengthPrefix, State
from modeloom.streams.machine import Machine
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import StreamProof, prove_stream, tokens_of
from modeloom.streams.prove_open import prove_channels

LATENCIES = {"cipher": 11, "mul": 2}
MADE = [(CCM, 1), (CCM, 2), (WideChain, 1), (WideChain, 2), (ChainFromZero, 1)]


def made(mode=CCM, cores=2, **latencies):
    return plan_stream(mode(), 32 if mode is WideChain else 16, {**LATENCIES, **latencies}, cores=cores)


@pytest.mark.parametrize(("mode", "cores"), MADE)
@pytest.mark.parametrize("cipher", [3, 11, 21])
def test_proved(mode, cores, cipher):
    plan = made(mode, cores, cipher=cipher)
    assert prove_stream(plan).messages > 100 and prove_channels(plan) > 10


@pytest.mark.parametrize(("mode", "cores"), MADE)
def test_messages_on_numbers(mode, cores):
    plan = made(mode, cores)
    models = models_of(mode(), 3)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, OnNumbers(plan, models))
    cycle = 0
    for sent in messages(mode(), models, 60):
        given = []
        for token in tokens_of(plan, sent.message, cycle, sent.block(mode.block_bytes)):
            cycle = token.cycle + (token.part >= 0)
            output = machine.run(token)
            if output is not None:
                given.append(output)
        assert given == [*sent.blocks, sent.tag], sent.message


@pytest.mark.parametrize(("mode", "cores", "tokens"), [
    # The cipher of a link comes first in the next token, so that a start takes none.
    (CCM, 1, (0, 1, 2, 2)), (CCM, 2, (0, 1, 1, 1)), (WideChain, 1, (0, 1, 2, 2)), (WideChain, 2, (0, 1, 1, 1)),
    (ChainFromZero, 1, (0, 1, 1, 1)),
])  # fmt: skip
def test_tokens(mode, cores, tokens):
    plan = made(mode, cores)
    assert tuple(map(plan.tokens_of, ("start", "associated", "text", "tag"))) == tokens
    # A link is written a latency after it was read, at the end of a cycle.
    assert plan.placed.turn == LATENCIES["cipher"] + 1


def test_what_becomes_of_the_chain():
    assert made(CCM).kinds["y"].kind == "late" and made(ChainFromZero, 1).kinds["y"].kind == "cipher"


def early(plan):
    plan.placed.turn -= 1


def other_prefix(plan):
    plan.prefixes = (LengthPrefix(1, b"", 3), *plan.prefixes[1:])


def later_prefix(plan):
    plan.prefixes = (plan.prefixes[0], replace(plan.prefixes[1], least=0xFF01), plan.prefixes[2])


def other_marker(plan):
    plan.prefixes = (*plan.prefixes[:2], replace(plan.prefixes[2], marker=b"\xff\xfe"))


def no_prefix(plan):
    plan.prefixes = ()


def other_place(plan):
    start = plan.step("start")
    start.updates["y"] = tuple(
        replace_number(term, 1) if term.source.kind == "number" and term.source.what[0] == "text" else term for term in start.updates["y"]
    )


def other_table(plan):
    start = plan.step("start")
    start.updates["counter"] = tuple(replace_case(term) if term.source.kind == "number" else term for term in start.updates["counter"])


def replace_number(term, less):
    of, first, nbytes = term.source.what
    return term._replace(source=term.source._replace(what=(of, first - less, nbytes)))


def replace_case(term):
    of, first, nbytes = term.source.what
    (case, number), *rest = of.cases
    return term._replace(source=term.source._replace(what=(replace(of, cases=((case, number ^ 1), *rest)), first, nbytes)))


def without_cipher(plan):
    step = plan.step("tag")
    step.output = step.output[1:]


def chain_of_the_other_text(plan):
    step = plan.step("decrypt")
    step.updates["y"] = plan.step("encrypt").updates["y"]


@pytest.mark.parametrize("change", [
    early, other_prefix, later_prefix, other_marker, no_prefix, other_place, other_table, without_cipher, chain_of_the_other_text,
])  # fmt: skip
def test_changed_plans_are_refused(change):
    plan = made()
    change(plan)
    with pytest.raises(ProofError, match=r"^ccm: "):
        prove_stream(plan)


def test_channels_that_do_not_wait_are_refused():
    plan = made()
    plan.placed.turn -= 1
    with pytest.raises(ProofError, match=r"reads the state y in cycle \d+, and start has it in cycle"):
        prove_channels(plan)


def changed(**steps):
    return type("Changed", (CCM,), {"name": "changed", **steps})


def unknown_number(self, o, k, nonce, n):
    return State(y=o.enc(o.number(n.tag, 0, 1)), counter=o.number(n.associated - 1, 0, 1), mask=nonce.block)


def too_large(self, o, k, nonce, n):
    return State(y=o.enc(o.number(16 * n.tag, 0, 1)), counter=nonce.block, mask=nonce.block)


def branching(self, o, k, nonce, n):
    return State(y=o.enc(nonce.block if n.associated > 0 else o.const(0)), counter=nonce.block, mask=nonce.block)


def outside(self, o, k, nonce, n):
    return State(y=o.enc(o.number(n.text, 9, 8)), counter=nonce.block, mask=nonce.block)


def other_chain(self, o, k, s, a):
    return s.replace(y=o.enc(o.double(s.y) ^ a) ^ s.y)


@pytest.mark.parametrize(("steps", "message"), [
    ({"start": unknown_number}, "the bytes of associated are known when a message comes"),
    ({"start": too_large}, r"o\.number\(\): 256 does not fit into 1 bytes \(tag 16\)"),
    ({"start": branching}, "a number that depends on lengths is known when a message comes"),
    ({"start": outside}, r"o\.number\(\) has no 8 bytes from byte 9 on in a block of 16 bytes"),
    ({"associated": other_chain}, "the state y goes through operations in a way that no pipeline keeps up with"),
])  # fmt: skip
def test_wrong_definitions(steps, message):
    with pytest.raises(DefinitionError, match=f"^changed: .*{message}"):
        plan_stream(changed(**steps)(), 16, LATENCIES)


def test_lanes_are_refused():
    for mode in (CCM, ChainFromZero):
        with pytest.raises(InputError, match="several blocks per cycle are impossible|it takes one block per cycle at most"):
            plan_stream(mode(), 16, LATENCIES, lanes=2)


@pytest.mark.parametrize(("channels", "ciphers", "wait", "pairs"), [(1, 1, LATENCIES["cipher"], None), (2, 2, 0, 7), (3, 2, 0, 7)])
def test_channels_use_what_one_leaves_free(monkeypatch, channels, ciphers, wait, pairs):
    """With several channels, a core has all ciphers of a block and waits for no chain, and the proof has pairs of messages, too."""
    plan, shared = made(cores=1), interleaving(channels)
    assert CipherNumbers.of(plan, channels)[:2] == (ciphers, range(1, 3))
    assert {step.title: shared.waits(plan, step) for step in plan.steps} == {
        "start": 0, "associated": wait, "encrypt": wait, "decrypt": wait, "tag": 0,
    }  # fmt: skip
    monkeypatch.setattr(streams, "prove_stream", lambda plan, late_ends: StreamProof(5, 6 + late_ends))
    monkeypatch.setattr(streams, "prove_channels", lambda plan: 7)
    assert shared.proved(plan, late_ends=True) == StreamProof(5, 7, pairs)
