# SPDX-License-Identifier: Apache-2.0
"""The proof accepts pipelines that compute their definition, and refuses each that is changed."""

from dataclasses import replace

import pytest
from tests.streams.modes import Deciphering, HashedTwice, Ladder, NoHash, Offsets, Padded, SecretOffsets, WideAEAD

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.deoxys_i import DeoxysI
from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.execute import ProofError
from modeloom.streams import prove
from modeloom.streams.forms import Message
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import Weight, prove_setup, prove_step, prove_stream, tokens_of
from modeloom.streams.steps import Source, Term

LATENCIES = {"cipher": 11, "mul": 5}


def made(mode=GCM, **latencies):
    return plan_stream(mode(), mode.block_bytes, {**LATENCIES, **latencies})


@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded, Offsets, SecretOffsets, Deciphering, Ladder, OCB3, DeoxysI, HashedTwice])
@pytest.mark.parametrize("latencies", [{}, {"cipher": 29, "mul": 3}, {"mul": 1}], ids=str)
def test_proved(mode, latencies):
    plan = made(mode, **latencies)
    done = prove_stream(plan)
    # Every number of blocks up to three turns of the chains, both directions.
    assert done.messages > 6 * plan.chains and done.blocks > 3 * plan.chains**2


def chains(plan):
    plan.chains -= 3


def early_product(plan):
    plan.placed.stages["mul"] -= 1


def early_start(plan):
    plan.placed.ahead["start 1"] -= 1


def early_part(plan):
    first, second = plan.placed.passes["start 1"]
    plan.placed.passes["start 1"] = first, replace(second, at=second.at - 1)


def other_counter(plan):
    step = plan.step("decrypt")
    step.operations = [replace(o, number=2) if o.operation.counter else o for o in step.operations]


def other_key(plan):
    step = plan.step("tag")
    step.operations = [replace(o, number=1) if o.operation.keyed else o for o in step.operations]


def no_cut(plan):
    step = plan.step("encrypt")
    step.output = tuple(Term(term.source) for term in step.output)


def hash_of_uncut(plan):
    step = plan.step("encrypt")
    step.operations = [replace(o, operands=tuple(tuple(Term(t.source) for t in f) for f in o.operands)) for o in step.operations]


def lengths_turned(plan):
    step = plan.step("tag")
    turned = Source("lengths", ("big", "text", "associated"))
    step.operations = [
        replace(o, operands=tuple(tuple(Term(turned) if t.source.kind == "lengths" else t for t in f) for f in o.operands))
        for o in step.operations
    ]


def no_mask(plan):
    plan.step("tag").output = plan.step("tag").output[1:]


def held_counter(plan):
    del plan.step("encrypt").updates["counter"]


def other_start(plan):
    start = plan.step("start")
    start.updates["counter"] = start.updates["counter"][:1]


@pytest.mark.parametrize(
    "change",
    [chains, early_product, early_start, early_part, other_counter, other_key, no_cut, hash_of_uncut, lengths_turned, no_mask, held_counter,
     other_start],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_changed_pipelines_are_refused(change):
    plan = made()
    prove_stream(plan)
    change(plan)
    with pytest.raises(ProofError, match="^gcm: "):
        prove_stream(plan)


def no_mark(plan):
    step = plan.step("partial_encrypt")
    step.updates["sum"] = tuple(term for term in step.updates["sum"] if term.source.kind != "mark")


def mark_of_associated(plan):
    step = plan.step("partial_associated")
    kept = tuple(tuple(tuple(t for t in form if t.source.kind != "mark") for form in o.operands) for o in step.operations)
    step.operations = [replace(o, operands=forms) for o, forms in zip(step.operations, kept, strict=True)]


def partial_as_whole(plan):
    step = plan.step("partial_decrypt")
    step.updates["sum"] = tuple(Term(t.source, (("scale", 1),)) if t.source.kind == "state" else t for t in step.updates["sum"])


def partial_with_another_block(plan):
    step = plan.step("partial_encrypt")
    step.operations = [*plan.step("partial_decrypt").operations[:1], *plan.step("encrypt").operations[-1:]]


@pytest.mark.parametrize(
    "change", [no_mark, mark_of_associated, partial_as_whole, partial_with_another_block], ids=lambda change: change.__name__
)
def test_changed_steps_for_partial_blocks_are_refused(change):
    plan = made(Padded)
    prove_stream(plan)
    change(plan)
    with pytest.raises(ProofError, match="^padded: "):
        prove_stream(plan)


def _changed(plan, number, **changes):
    plan.preparations[number] = replace(plan.preparations[number], **changes)


SETUPS = {
    "another power": (GCM, lambda plan: _changed(plan, 2, operands=plan.preparations[1].operands), r"does not compute H\^3"),
    "another constant": (GCM, lambda plan: _changed(plan, 0, operands=((Term(Source("const", 1)),),)), "does not compute H"),
    "another order": (GCM, lambda plan: plan.preparations.reverse(), "before it is made"),
    "a power is missing": (GCM, lambda plan: plan.preparations.pop(), "no preparation makes"),
    "a product of other words": (WideAEAD, lambda plan: _changed(plan, 1, operands=plan.preparations[0].operands), r"not compute h\^3"),
}
"""Changes of set-up, and what the proof then says."""


@pytest.mark.parametrize("what", SETUPS)
def test_changed_set_ups_are_refused(what):
    mode, change, says = SETUPS[what]
    plan = made(mode)
    prove_setup(plan)
    change(plan)
    with pytest.raises(ProofError, match=f"^{mode.name}: .*{says}"):
        prove_setup(plan)


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded, Deciphering, Ladder, OCB3, DeoxysI])
def test_several_blocks_a_cycle(mode, lanes):
    plan = plan_stream(mode(), mode.block_bytes, {**LATENCIES, "mul": 1}, lanes)
    assert plan.chains == 3 * lanes
    done = prove_stream(plan)
    assert done.messages > 6 * plan.chains


def _k(rule):
    """The rule of the weights with something changed."""
    return lambda full, k: [Weight(*rule(full, place, k)) for place in range(len(full))]


RULES = {
    "a slot too far": lambda full, p, k: (sum(full[p : p + k + 1]), p + k >= len(full)),
    "a slot too near": lambda full, p, k: (sum(full[p : p + k - 1]), p + k >= len(full)),
    "always all": lambda full, p, k: (k, p + k >= len(full)),
    "all that is left": lambda full, p, k: (sum(full[p:]), p + k >= len(full)),
    "empty ones too": lambda full, p, k: (len(full[p : p + k]), p + k >= len(full)),
    "closing one early": lambda full, p, k: (sum(full[p : p + k]), p + k + 1 >= len(full)),
    "closing one late": lambda full, p, k: (sum(full[p : p + k]), p + k > len(full)),
}


def test_tags_behind_a_last_block_beside_a_free_lane(monkeypatch):
    """The end of a message of associated data alone may come behind its last block.  A power too high is refused."""
    lanes = 2
    plan = plan_stream(GCM(), 16, {**LATENCIES, "mul": 2}, lanes)
    beside = Message(0, 0, "encrypt", 12, 16 * (2 * lanes + 1), 0)
    last = [
        [(token.place, token.power) for token in tokens_of(plan, message, 0, lambda place, nbytes: 0)][-1]
        for message in (beside, replace(beside, apart=True))
    ]
    assert last == [(2 * lanes + 1, 1), (3 * lanes, 1)]
    assert prove_stream(plan, late_ends=True).messages

    def higher(plan, message, *more):
        for token in tokens_of(plan, message, *more):
            yield replace(token, power=token.power + 1) if message.apart and token.step == "tag" else token

    monkeypatch.setattr(prove, "tokens_of", higher)
    assert prove_stream(plan).messages
    with pytest.raises(ProofError, match="does not give the tag of the definition"):
        prove_stream(plan, late_ends=True)
    # This is how the compiler proves cores behind the LWC interface, and no others.
    options = StreamOptions(blocks_per_cycle=2, key_bits=128, cipher_stages=1, mul_stages=1)
    assert compile_stream(GCM(), options).proof
    with pytest.raises(ProofError, match="does not give the tag of the definition"):
        compile_stream(GCM(), replace(options, interface="lwc"))


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_other_rules_for_the_chains_are_refused(monkeypatch, rule, lanes):
    """The rule of the weights, changed; blocks in the middle of long messages are looked at, too."""
    from modeloom.streams import prove

    plan = plan_stream(GCM(), 16, {**LATENCIES, "mul": 2}, lanes)
    if (rule, lanes) == ("empty ones too", 1):
        # One block a cycle leaves no slot empty.
        prove_stream(plan)
        return
    monkeypatch.setattr(prove, "weights", _k(RULES[rule]))
    with pytest.raises(ProofError):
        prove_stream(plan)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(hashed.begin + token.place) % self.chains", "(hashed.begin + token.place * 2) % self.chains"),
        ("operand = o.xor(value, sofar)", "operand = value"),
        ("o.xor(hashed.total[1], result[1]) if hashed.total else result[1]", "result[1]"),
    ],
)
def test_another_machine_is_refused(monkeypatch, old, new):
    from modeloom.streams import machine, prove

    source = open(machine.__file__, encoding="utf-8").read()
    assert source.count(old) == 1
    names = {"__name__": machine.__name__}
    exec(compile(source.replace(old, new), "machine", "exec"), names)
    for name in ("Machine", "MachineError", "Token"):
        monkeypatch.setattr(prove, name, names[name])
    with pytest.raises(ProofError):
        prove_stream(made())


def test_steps_of_long_messages():
    for step in ("associated", "encrypt", "decrypt"):
        prove_step(made(), step)
