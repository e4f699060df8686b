# SPDX-License-Identifier: Apache-2.0
"""Proves that a pipeline of tokens computes its definition: both run on symbols, and their normal forms are compared.

The definition runs step by step as it was traced, before any rewriting. The pipeline runs token by token, with the powers of key
words, the chains, and the cycle in which each value is ready. Messages come one after another, with and without gaps::

    every length of associated data and text up to 3 k + 3 blocks of a hash of k chains, both directions, partial last blocks,
    every class of nonces, one message after every kind of message

For longer messages ``prove_step`` gives a proof by induction.  Let c_0, c_1, ... be the chains in the order in which they are used
next, y the hash of the definition, and F(i) the number of full slots among slots i to k - 2 from here.  Then

    D = y K^F(0) ⊕ (c_0 K^F(0) ⊕ c_1 K^F(1) ⊕ ... ⊕ c_(k-1))

is 0 after the first k slots.  A slot in the middle multiplies D by K, or keeps D if the slot that comes into view is empty.  After
the last k slots, the hash of the pipeline differs from that of the definition by D K or by D.  So D stays 0, and the hash is
correct.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from modeloom.prove.execute import ProofError
from modeloom.prove.polynomials import Polynomial
from modeloom.spec.stream import BETWEEN, PARTIAL, prefix_of
from modeloom.streams.derive import Word
from modeloom.streams.forms import Definition, Forms, Message, Unit, input_block, nonce_block, tag_block
from modeloom.streams.machine import BlockOrPair, Machine, MachineError, Token, V
from modeloom.streams.plan import StreamPlan
from modeloom.streams.reservation import Reservations, entered
from modeloom.streams.steps import Form

__all__ = [
    "Definition", "Forms", "Message", "StreamProof", "Weight", "input_block", "named_blocks", "nonce_block", "prove_numbers",
    "prove_setup", "prove_step", "prove_stream", "run_token", "tokens_of", "weights",
]  # fmt: skip


# The rule of the chains of a polynomial hash.
#
# A product takes several cycles, so the hash runs in k chains.  With several blocks in a cycle, each lane has a multiplier.  Blocks
# lie in *slots*.  A token has one slot for each lane.  Some slots are empty, because text begins with a new token.  Slot p is a step
# of chain p mod k, even if the slot is empty.  The power of the key is the number of full slots among the k slots from this one on:
#
#     y_j ← (y_j ⊕ x_p) · K^(full slots from p to p + k - 1)          j = p mod k
#
# The hash is the sum of the last k products, or of all products if there are fewer.  Without empty slots the power is min(k, left),
# where ``left`` is the number of blocks from this one to the last one.

@dataclass(frozen=True)
class Weight:
    """The numbers that belong to a slot.

    Attributes
    ----------
    power : int
        The power of the key for its product.
    closing : bool
        Whether its product is a part of the hash.
    """

    power: int
    closing: bool


def weights(full: Sequence[bool], chains: int) -> list[Weight]:
    """The weights of the slots of a message.  ``full`` says for each slot whether it has a block."""
    return [Weight(sum(full[place : place + chains]), place + chains >= len(full)) for place in range(len(full))]


# -- prove -------------------------------------------------------------------------------------------------------------------------

MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class StreamProof:
    """The extent of the comparison."""

    messages: int
    blocks: int
    interleaved: int | None = None
    """Pairs of messages of different channels, in cores that have several."""


def run_token(plan: StreamPlan, machine: Machine[V], token: Token[V], what: str = "") -> BlockOrPair[V] | None:
    """Runs a token.  Raises ``ProofError`` for one that reads or takes what it must not; *what* is what its text begins with."""
    try:
        return machine.run(token)
    except MachineError as error:
        raise ProofError(f"{plan.mode.name}: {what}{error}") from error


def tokens_of(
    plan: StreamPlan, message: Message, cycle: int, block: Callable[[int | None, int], V], ordinal: int = 0, tag: V | None = None
) -> Iterator[Token[V]]:  # fmt: skip
    """The tokens of a message in the order in which the message control admits them, with an earliest cycle for the first one.

    Parameters
    ----------
    block : callable
        ``block(place, nbytes)`` is a block of the message, and ``block(None, nbytes)`` is the nonce.
    ordinal : int
        The number of the message.
    tag : V
        Its tag, in a mode with two passes.
    """
    title = plan_title(plan, message.nonce_class)
    lengths = message.lengths
    nonce = block(None, message.nonce)
    cycle = plan.reservations.begins(cycle, title)
    for number, part in enumerate(plan.placed.passes[title]):
        yield Token(cycle + part.at, title, number, slot=message.slot, block=nonce, lengths=lengths, message=ordinal, tag=tag)
    if not plan.placed.passes[title]:
        yield Token(cycle, title, -1, slot=message.slot, block=nonce, lengths=lengths, message=ordinal, tag=tag)
    cycle += plan.placed.ahead[title]
    gaps = iter(message.gaps)
    groups = _groups(plan, message)
    flags = [flag for group in groups for flag in _flags(plan, group)]
    weighed = iter(enumerate(weights(flags, plan.chains)))
    first, slot, opens = True, message.slot, True
    before = message.associated_blocks(plan.mode.block_bytes, plan.prefixes)
    # The number of the next block of each part.  Blocks of associated data are named first in any order.
    places = {"associated": 0, message.direction: before}
    taken = Reservations(plan)
    ending = [group for group in groups if taken.table.detached(group[0].step)]
    groups = groups[: len(groups) - len(ending)]
    if not groups:
        cycle = taken.first(cycle, "", closes=True)
        yield Token(cycle, "", message=ordinal, opens=True, closes=True)
    for group in groups:
        closes = group is groups[-1]
        titles = [unit.step for unit in group]
        cycle = taken.first(taken.table.begins(cycle + next(gaps, 0), *titles), titles[0], closes)
        taken.take(cycle, titles[0], closes)
        slots = [next(weighed) for _ in _flags(plan, group)]
        # Empty lanes come first here, because a tag in another lane has their products in its sum.
        for number, weight in slots[len(group) :]:
            yield Token(cycle, "", slot=slot, place=number, power=weight.power, closing=weight.closing, first=first, empty=True)
            first = False
        turn = 1
        for lane, unit in enumerate(group):
            value, step, index = None, unit.step, 0
            if unit.part:
                count = places[unit.part]
                sizes = [*[plan.mode.block_bytes] * (unit.blocks - 1), unit.nbytes]
                values = [block(count + n, nbytes) for n, nbytes in enumerate(sizes)]
                value = tuple(values) if plan.mode.takes_pair(step) else values[0]
                places[unit.part] = count + unit.blocks
                index = places[unit.part] - (unit.part != "associated") * before
            turn = max(turn, plan.turn_after(plan.step(step)))
            number, weight = slots[lane] if slots else (0, Weight(0, False))
            for place, each in enumerate(plan.placed.passes[step]):
                yield Token(
                    cycle + each.at, step, place, slot=slot, block=value, nbytes=unit.nbytes, place=number, power=weight.power,
                    closing=weight.closing, first=first and bool(slots), lengths=lengths, index=index,
                    message=ordinal, opens=opens, closes=closes and lane == len(group) - 1,
                )  # fmt: skip
                opens = False
            first = first and not slots
        cycle += plan.placed.passes[group[0].step][-1].at + turn
    for (tag_unit,) in ending:
        # The tag follows the last block, or what stands for it.
        yield Token(cycle - bool(groups) + plan.behind, tag_unit.step, slot=slot, lengths=lengths, message=ordinal)


def _groups(plan: StreamPlan, message: Message) -> list[list[Unit]]:
    """For each token of a message, the blocks or pairs of its lanes.  The tag is the last one."""
    tag, between = Unit("", "tag", 0, 0), Unit("", BETWEEN, 0, 0)
    units, groups = [*message.units(plan.mode, plan.prefixes), between], list[list[Unit]]()
    for part in [{"text": message.direction}.get(part, part) for part in plan.order.parts]:
        of_part = [unit for unit in units if part in (unit.part, unit.step)]
        groups += [of_part[at : at + plan.lanes] for at in range(0, len(of_part), plan.lanes)]
    if groups and plan.tag_joins(len(groups[-1])) and not message.apart:
        groups[-1].append(tag)
    else:
        groups.append([tag])
    return groups


def _flags(plan: StreamPlan, group: Sequence[Unit]) -> list[bool]:
    """For each lane, whether it has a block of the hash.  The list is empty if no lane has one."""
    flags = [plan.hashed(plan.step(unit.step)) is not None for unit in group]
    return [*flags, *[False] * (plan.lanes - len(flags))] if any(flags) else []


def plan_title(plan: StreamPlan, nonce_class: int) -> str:
    """The title of the ``start`` of a class of nonces."""
    return next(step.title for step in plan.steps if (step.name, step.nonce_class) == ("start", nonce_class))


def _messages(plan: StreamPlan, seed: int) -> list[Message]:
    """Messages of all lengths that matter, in random order."""
    rng = random.Random(seed)
    size, chains = plan.mode.block_bytes, plan.chains
    made = []
    for total in range(3 * chains + 4):
        for associated in {0, total, min(1, total), max(0, total - 1), total // 2, rng.randrange(total + 1)}:
            for direction in plan.mode.text_steps():
                text = total - associated
                cut = [rng.randrange(size) if blocks and rng.random() < 0.5 else 0 for blocks in (associated, text)]
                number = rng.randrange(len(plan.mode.nonce_bytes))
                nonce = rng.choice(plan.mode.nonce_bytes[number])
                gaps = tuple(rng.choice((0, 0, 0, 1, 5)) for _ in range(total + 1)) if rng.random() < 0.3 else ()
                made.append(Message(rng.randrange(3), number, direction, nonce, associated * size - cut[0], text * size - cut[1], gaps))
    for number, lengths in enumerate(plan.mode.nonce_bytes):
        made += [Message(0, number, "encrypt", nonce, 0, rng.choice((0, size)), ()) for nonce in lengths]
    usual = plan.mode.nonce_bytes[0][0]
    lengths_of_text = range(size * plan.mode.text_blocks)
    made += [Message(1, 0, direction, usual, 0, nbytes) for direction in plan.mode.text_steps() for nbytes in lengths_of_text]
    if plan.last_steps:
        made += [Message(2, 0, "encrypt", usual, nbytes, rng.randrange(2 * size)) for nbytes in range(1, 2 * size)]
    rng.shuffle(made)
    made += [Message(0, 0, "encrypt", usual, each.least, 1) for each in plan.prefixes if each.least <= MOST_BYTES]
    tags = random.Random(seed + 1)
    return [replace(message, tag=tags.choice(plan.mode.tag_bytes)) for message in made]


def _prove_prefixes(plan: StreamPlan) -> None:
    """Compares the prefixes of associated data of all lengths about those at which they change."""
    for each in plan.mode.associated_prefix:
        for associated in (each.least - 1, each.least, each.least + 1, 2 * each.least):
            if prefix_of(plan.prefixes, associated) != plan.mode.prefix_of(associated):
                raise ProofError(f"{plan.mode.name}: {associated} bytes of associated data have another prefix than in the definition")


def named_blocks(plan: StreamPlan, forms: Forms, number: int, message: Message) -> Callable[[int | None, int], Polynomial]:
    """The nonce and the blocks of a message with this number, as ``tokens_of`` asks for them."""
    prefix = prefix_of(plan.prefixes, message.associated)
    return lambda place, nbytes: nonce_block(forms, number, nbytes) if place is None else input_block(forms, number, place, nbytes, prefix)


def prove_stream(plan: StreamPlan, seed: int = 1, late_ends: bool = False) -> StreamProof:
    """Proves that a pipeline computes its definition.  Raises ``ProofError`` if it does not.

    With ``late_ends``, the end of a message without text is known only after its last block has entered, as with the LWC interface.  Its
    tag then has a token of its own.
    """
    if plan.horner is not None:
        for step in plan.mode.block_steps():
            if plan.hashed(plan.step(step)) is not None:
                prove_step(plan, step)
    _prove_prefixes(plan)
    forms = Forms(plan)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    definition = Definition(plan, forms)
    blocks = 0
    messages = [replace(message, apart=late_ends and not message.text) for message in _messages(plan, seed)]
    alone: list[list[Token]] = []
    for number, message in enumerate(messages):
        # In a cadence, a message begins in the phase in which the one before it ends.
        phase = (alone[-1][-1].cycle + 1) % plan.reservations.cadence.interval if alone else 0
        alone.append(list(tokens_of(plan, message, phase, named_blocks(plan, forms, number, message), number, tag_block(forms, number))))
    given: list[list[Polynomial]] = [[] for _ in messages]
    for number, token in entered(plan, alone, seed):
        output = run_token(plan, machine, token)
        given[number] += [] if output is None else output if isinstance(output, tuple) else [output]
    for number, message in enumerate(messages):
        wanted, tag = definition.run(number, message)
        if given[number][:-1] != wanted:
            raise ProofError(f"{plan.mode.name}: {message}: the pipeline does not give the text of the definition")
        if given[number][-1:] != [tag]:
            raise ProofError(f"{plan.mode.name}: {message}: the pipeline does not give the tag of the definition")
        blocks += len(wanted)
    return StreamProof(len(messages), blocks)


def prove_step(plan: StreamPlan, step: str) -> None:
    """Proves the step of the induction at the head of this file.  Raises ``ProofError`` if it does not hold."""
    assert plan.horner is not None and plan.horner.key is not None
    induction = _Induction(plan, step)
    for flags in _windows(plan):
        induction.middle(flags)
    for flags in _endings(plan):
        induction.ending(flags)


def _windows(plan: StreamPlan) -> Iterator[list[bool]]:
    """Whether each of k slots in the middle of a message is full.  All are full, or all but some that follow each other."""
    k = plan.chains
    yield [True] * k
    for empty in range(1, plan.lanes):
        for first in range(1 - empty, k):
            yield [not first <= place < first + empty for place in range(k)]


def _endings(plan: StreamPlan) -> Iterator[list[bool]]:
    """Whether each of the last k slots of a message is full.  Lanes of the last token, and of one before, may be empty."""
    k, lanes = plan.chains, plan.lanes
    for last in range(lanes):
        yield [place < k - last for place in range(k)]
        for token in range(k // lanes - 1):
            for empty in range(1, lanes):
                end = (token + 1) * lanes
                yield [place < k - last and not end - empty <= place < end for place in range(k)]


class _Induction:
    """The relation between chains and hash, before and after the blocks of a step."""

    def __init__(self, plan: StreamPlan, step: str):
        assert plan.horner is not None and plan.horner.key is not None
        self.plan, self.step, self.name, self.node = plan, step, plan.horner.name, plan.horner.key
        self.forms = Forms(plan)
        self.definition = Definition(plan, self.forms)
        self.message = Message(0, 0, "encrypt", plan.mode.nonce_bytes[0][0], 0, 0)
        self.nbytes = plan.mode.block_bytes - step.startswith(PARTIAL)

    def times(self, value: Polynomial, power: int) -> Polynomial:
        """A value times a power of the key."""
        return self.forms.algebra.mul(value, self.forms.key(0, self.node, power)) if power else value

    def defect(self, y: Polynomial, chains: Sequence[Polynomial], flags: Sequence[bool]) -> Polynomial:
        """The D of chains in the order in which they are used next.  ``flags`` says which of the next k - 1 slots are full."""
        k = self.plan.chains
        total = self.times(y, sum(flags[: k - 1]))
        for place, chain in enumerate(chains):
            total = total ^ self.times(chain, sum(flags[place : k - 1]))
        return total

    def run(
        self, flags: Sequence[bool], given: Sequence[Weight]
    ) -> tuple[Polynomial, Polynomial, list[Polynomial], tuple[int, Polynomial] | None]:
        """Runs some slots.  Returns D before them, y and the chains after them, and the sum of the products that belong to the
        hash."""
        plan, k, forms = self.plan, self.plan.chains, self.forms
        machine = Machine(plan.steps, plan.kinds, plan.placed, k, forms)
        chains = [forms.algebra.atom("chain", place) for place in range(k)]
        state = {name: forms.algebra.atom("state", name) for name in plan.trace.state}
        hashed = machine.loaded(state, self.name, chains)
        before = self.defect(state[self.name], chains, flags)
        cycle = 1000
        for place, weight in enumerate(given):
            cycle = plan.reservations.begins(cycle + 1, self.step)
            block = input_block(forms, 0, place, self.nbytes)
            token = Token(
                cycle, self.step, block=block, nbytes=self.nbytes, place=place, power=weight.power, closing=weight.closing,
                empty=not flags[place],
            )  # fmt: skip
            run_token(plan, machine, token)
            if flags[place]:
                state, _ = self.definition.step(self.step, self.message, block, self.nbytes, state, {})
        after = [hashed.values[(len(given) + place) % k][1] for place in range(k)]
        return before, state[self.name], after, hashed.total

    def middle(self, flags: Sequence[bool]) -> None:
        """Checks a slot that more than k slots follow.  D is multiplied by the key if the slot that comes into view is full, else
        kept."""
        k = self.plan.chains
        # Many slots follow, so no product of this one belongs to the hash.
        weight = weights([*flags, *[True] * k], k)[0]
        before, y, chains, _ = self.run(flags, [weight])
        if self.defect(y, chains, flags[1:]) != self.times(before, int(flags[-1])):
            raise ProofError(
                f"{self.plan.mode.name}: {self.step}: a block in the middle of a long message does not keep the chains of the hash"
            )

    def ending(self, flags: Sequence[bool]) -> None:
        """Checks the last k slots.  The sum of their products is the hash, up to D."""
        before, y, _, total = self.run(flags, weights(flags, self.plan.chains))
        if total is None or total[1] ^ y != self.times(before, int(flags[-1])):
            raise ProofError(f"{self.plan.mode.name}: {self.step}: the last blocks of a long message do not give the hash")


# -- prove setup -------------------------------------------------------------------------------------------------------------------

# Proves that the set-up of a pipeline computes the key values of the definition, and their powers.
#
# The definition's set-up gives each key value as a normal form.  The preparations run one after another on the words of the key memory, and
# each must give the word that it is for:
#
#     preparation for (H, 3):   word (H, 2) * word (H, 1)   =   power (H, 3)

def prove_setup(plan: StreamPlan) -> None:
    """Compares all words of the key memory with the definition.  Raises ``ProofError`` if one differs, or is read before it is made."""
    forms = Forms(plan)
    made = {made.word for made in plan.preparations}
    words: dict[Word, Polynomial] = {word: forms.key(0, *word) for word in plan.words if word not in made}
    for node, exponent in words:
        if plan.trace.nodes[node].kind != "raw" or exponent != 1:
            raise ProofError(f"{plan.mode.name}: no preparation makes {plan.word_name(node, exponent)}")

    def value(form: Form) -> Polynomial:
        total = forms.zero
        for term in form:
            kind, what = term.source
            if kind == "word":
                assert isinstance(what, tuple)
                if what not in words:
                    raise ProofError(f"{plan.mode.name}: set-up reads a word of the key memory before it is made")
                read = words[what]
            else:
                assert isinstance(what, int)
                read = forms.const(what)
            for wire in term.maps:
                read = forms.wire(wire, read, 0)
            total = total ^ read
        return total

    for each in plan.preparations:
        result = forms.operate(each.operation, [value(form) for form in each.operands], each.number, 0)
        if result != forms.key(0, *each.word):
            raise ProofError(f"{plan.mode.name}: set-up does not compute {plan.word_name(*each.word)}")
        words[each.word] = result


# -- prove numbers -----------------------------------------------------------------------------------------------------------------

# Proves steps that depend on the number of a block, for every number that a message may reach.
#
# What such a step reads of the number is the number of its trailing zeros.  From any state, a block with each of these numbers must leave
# the state, and give the text, that the definition gives:
#
#     any state, block 1, 2, 4, 8, ...  ──▶  state, text
#
# Longer messages than those of ``prove`` follow by induction: a part of the state that is no hash goes from block to block.

def prove_numbers(plan: StreamPlan) -> int:
    """Compares the steps that read the number of a block.  Returns how many blocks were compared, and raises ``ProofError``."""
    compared = 0
    for name in plan.mode.block_steps():
        widths = [amount.bits for amount in plan.step(name).amounts() if amount.kind == "ntz"]
        for zeros in range(1 << max(widths)) if widths else ():
            _compare(plan, name, 1 << zeros)
            compared += 1
    return compared


def _compare(plan: StreamPlan, name: str, index: int) -> None:
    forms = Forms(plan)
    nbytes = plan.mode.block_bytes - name.startswith(PARTIAL)
    block, message = input_block(forms, 0, 0, nbytes), Message(0, 0, "encrypt", plan.mode.nonce_bytes[0][0], 0, 0)
    state = {part: forms.algebra.atom("state", part) for part in plan.trace.state}
    wanted, text = Definition(plan, forms).step(name, message, block, nbytes, state, {}, index)
    machine = Machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    # A part that has the register of another one is there if blocks of its own are.
    moved = plan.shared if name.endswith("associated") else {}
    places = {part: moved.get(part, part) for part in plan.trace.state if part in moved or part not in {*plan.shared, *moved.values()}}
    machine.loaded({places[part]: value for part, value in state.items() if part in places}, "", ())
    given = run_token(plan, machine, Token(plan.reservations.begins(1000, name), name, block=block, nbytes=nbytes, index=index))
    held = machine.state_of(0)[0]
    left = {part: held[place][1] for part, place in places.items()}
    if left != {part: wanted[part] for part in places} or given != text:
        raise ProofError(f"{plan.mode.name}: {name}: block {index} of a message does not give what the definition gives")
