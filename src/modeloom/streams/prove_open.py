# SPDX-License-Identifier: Apache-2.0
"""Proves that opening a message gives back what was sealed, and accepts its tag: open(seal(N, A, P)) = P.

::

    state, p ──encrypt──▶ state', c                    from any state that both have in common, for every permutation
    state, c ──decrypt──▶ state'', p'   p' = p, and state'' = state' in what they have in common

Both runs begin with the same ``start`` and the same associated data, and end with the same ``tag``.  A step that is inverted from every
state is inverted after every message, so this is a proof by induction for messages of every length, nonce and tag.  Each step is
compared with every number of bytes that its last block may have.  The number of a block is an indeterminate.

*Names in common.*  A step may keep in the state what one direction alone reads.  Those names are found as a greatest fixed point: all names
are equal at first, those that a step leaves different are separate indeterminates from then on, until no more are found.

*Two passes.*  The pass that makes the tag and the one that encrypts are compared in the same way, so the tag of the first is that of the
second, and that of an opened message.  What ``tagged`` writes is not known in the first pass.

If a relation of several names makes the directions inverse, the induction does not see it.  ``prove_short`` then compares whole messages.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from modeloom.prove.execute import ProofError
from modeloom.prove.polynomials import Polynomial
from modeloom.spec.stream import ABSORB, PARTIAL, StreamMode
from modeloom.streams.forms import Definition, Forms, Message, Unknown, input_block, nonce_block, tag_block
from modeloom.streams.machine import BlockOrPair, Machine, Token
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import named_blocks, run_token, tokens_of
from modeloom.streams.trace import StreamTrace, lengths_in_start

__all__ = ["Doubt", "PartOfText", "parts_of_text", "prove_apart", "prove_channels", "prove_open", "prove_short", "runs_of"]


# -- prove channels --------------------------------------------------------------------------------------------------------------------

# Proves that messages of different channels may interleave at every token: none of them sees anything of another one.
#
# Pairs of messages run on symbols, with the tokens of two channels in turn and in random order, and are compared with the definition::
#
#     channel 0   A0      A1      A2      A-tag
#     channel 1       B0      B1      B-tag
#
# Each token enters as soon as the pipeline has a place, and its channel has waited as long as a chain through the cipher asks for.
#
# Longer messages and other interleavings follow by induction, which ``prove_apart`` shows. Let the states of two channels be arbitrary. A
# token of one of them leaves the state of the other as it is, and leaves in its own state, and gives, what it would if the other channel
# were not there. So each message goes on as if it were alone.

INTERLEAVED = "channels interleaved: "

MakeMachine = Callable[..., Machine]


def prove_channels(plan: StreamPlan, seed: int = 1, machine: MakeMachine = Machine) -> int:
    """Proves that channels do not mix.  Returns the number of pairs of messages, and raises ``ProofError``.

    Parameters
    ----------
    machine : callable
        The machine that runs the pipeline; another one for tests.
    """
    prove_apart(plan, machine)
    rng = random.Random(seed)
    pairs = list(_pairs(plan, rng))
    forms = Forms(plan)
    definition = Definition(plan, forms)
    running = machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    cycle, free, ended = 0, [0, 0], [0, 0]
    for number, pair in enumerate(pairs):
        units = [list(_units(plan, forms, 2 * number + channel, message, channel)) for channel, message in enumerate(pair)]
        given: list[list[BlockOrPair[Polynomial]]] = [[], []]
        waiting: dict[int, Token] = {}

        def run(token: Token, given: list[list[BlockOrPair[Polynomial]]] = given) -> None:
            output = run_token(plan, running, token, INTERLEAVED)
            if output is not None:
                given[token.channel].append(output)

        # Starts that run ahead are over before the first message begins.
        for each in units:
            for token in each.pop(0)[0] if plan.reservations.detached(each[0][0][0].step) else ():
                begun = plan.reservations.begins(cycle, token.step)
                run(replace(token, cycle=begun))
                cycle = begun + 1 + plan.placed.ahead[token.step]
        for channel in _order(rng, [len(each) for each in units]):
            while cycle in waiting:
                run(waiting.pop(cycle))
                cycle += 1
            unit, cycles, turn = units[channel].pop(0)
            cycle = _begins(plan, unit, max(cycle, free[channel]))
            while cycle in waiting:
                run(waiting.pop(cycle))
                cycle = _begins(plan, unit, cycle + 1)
            for token in unit:
                if token.step == "tag" and not token.closes:
                    # It enters behind the last token of its message, whatever enters in between.
                    waiting[ended[channel] + plan.behind] = replace(token, cycle=ended[channel] + plan.behind)
                    cycles = 0
                    continue
                ended[channel] = cycle + token.cycle
                run(replace(token, cycle=cycle + token.cycle))
            cycle += cycles
            free[channel] = cycle - cycles + turn
        for at, token in sorted(waiting.items()):
            run(token)
            cycle = at + 1
        for channel, message in enumerate(pair):
            wanted, tag = definition.run(2 * number + channel, message)
            if given[channel] != [*wanted, tag]:
                raise ProofError(f"{plan.mode.name}: {message}: interleaved with {pair[1 - channel]}, the pipeline gives something else")
    return len(pairs)


def _begins(plan: StreamPlan, unit: Sequence[Token], cycle: int) -> int:
    """The first cycle from *cycle* on in which the first token of some steps that share their tokens may enter."""
    table = plan.reservations
    titles = {token.step for token in unit if token.step} | {"tag" for token in unit if token.closes and table.detached("tag")}
    first = next((token for token in unit if token.step), None)
    if first is None:
        return table.begins(cycle, *titles)
    # A step may wait before its first token, and the tokens of some steps count from where the wait begins.
    waits = plan.placed.passes[first.step][first.part].at - first.cycle if first.part >= 0 else 0
    return table.begins(cycle - waits, *titles) + waits


def _pairs(plan: StreamPlan, rng: random.Random) -> Iterator[tuple[Message, Message]]:
    """Messages of all numbers of blocks up to a turn of the chains, each beside another one."""
    size, most, tags = plan.mode.block_bytes, plan.chains + 3, random.Random(3)

    def one(blocks: int) -> Message:
        associated = rng.randrange(blocks + 1)
        lengths = [max(0, count * size - (rng.randrange(size) if count else 0)) for count in (associated, blocks - associated)]
        number = rng.randrange(len(plan.mode.nonce_bytes))
        nonce = rng.choice(plan.mode.nonce_bytes[number])
        tag = tags.choice(plan.mode.tag_bytes)
        return Message(rng.randrange(3), number, rng.choice(plan.mode.text_steps()), nonce, lengths[0], lengths[1], tag=tag)

    for blocks in range(most):
        for other in (blocks, rng.randrange(most)):
            yield one(blocks), one(other)


def _order(rng: random.Random, counts: Sequence[int]) -> Iterator[int]:
    """The channels in turn, or at random."""
    left, turns, channel = list(counts), rng.random() < 0.5, 0
    while any(left):
        channel = 1 - channel if turns else rng.randrange(2)
        if left[channel]:
            left[channel] -= 1
            yield channel


def _units(plan: StreamPlan, forms: Forms, number: int, message: Message, channel: int) -> Iterator[tuple[list[Token], int, int]]:
    """The tokens of a message, in groups that nothing parts: those of a step, with cycles from the first one on.

    Each comes with the cycles that it takes of the pipeline, and with those after which the next one of its message may begin.
    """
    block = named_blocks(plan, forms, number, message)
    tokens = [replace(token, channel=channel) for token in tokens_of(plan, message, 0, block, number, tag_block(forms, number))]
    # A tag that waits begins before its first token, unless it follows its message.
    waits = plan.placed.passes["tag"][0].at
    begins = sorted({token.cycle - waits * (token.step == "tag" and token.closes) for token in tokens if token.part <= 0})
    for begin, end in zip(begins, [*begins[1:], max(token.cycle for token in tokens) + 1], strict=True):
        own = [replace(token, cycle=token.cycle - begin) for token in tokens if begin <= token.cycle < end]
        turn = max([1, *(plan.turn_after(plan.step(token.step)) for token in own if token.step)])
        yield own, end - begin - turn + 1, end - begin


def prove_apart(plan: StreamPlan, machine: MakeMachine = Machine) -> None:
    """Proves the step of the induction at the head of this file.  Raises ``ProofError`` if it does not hold."""
    forms = Forms(plan)
    size = plan.mode.block_bytes
    usual = plan.mode.nonce_bytes[0][0]
    for step in (*plan.mode.block_steps(), "tag"):
        nbytes = size - step.startswith(PARTIAL)
        alone, together = (_loaded(plan, forms, machine, channels) for channels in ((0,), (0, 1)))
        before = together.state_of(1)
        results = []
        closes, cycle = not plan.reservations.detached(step), plan.reservations.begins(1000, step)
        for running in (alone, together):
            run_token(plan, running, Token(cycle, "", closes=True), INTERLEAVED)
            outputs = [
                run_token(plan, running, Token(
                    cycle + each.at, step, part, block=input_block(forms, 0, 0, nbytes), nbytes=nbytes, power=1, closing=True, slot=0,
                    lengths=lengths_in_start(usual, size, size, plan.mode.tag_bytes[0]), index=1, closes=closes,
                ), INTERLEAVED)
                for part, each in enumerate(plan.placed.passes[step])
            ]  # fmt: skip
            results.append((outputs, running.state_of(0)))
        if results[0] != results[1]:
            raise ProofError(f"{plan.mode.name}: {step}: a token reads the state of another channel")
        if together.state_of(1) != before:
            raise ProofError(f"{plan.mode.name}: {step}: a token writes the state of another channel")


def _loaded(plan: StreamPlan, forms: Forms, machine: MakeMachine, channels: Sequence[int]) -> Machine:
    """A machine with an arbitrary state in some channels."""
    made = machine(plan.steps, plan.kinds, plan.placed, plan.chains, forms)
    horner = plan.horner
    for channel in channels:
        state = {name: forms.algebra.atom("state", channel, name) for name in plan.trace.state}
        chains = [forms.algebra.atom("chain", channel, place) for place in range(plan.chains)] if horner is not None else []
        hashed = made.loaded(state, horner.name if horner is not None else "", chains, channel)
        hashed.total = 0, forms.algebra.atom("total", channel)
    return made


# -- prove open ------------------------------------------------------------------------------------------------------------------------

MOST_PRODUCTS = 1 << 20
"""Products of terms that the forms of a comparison may take."""


class PartOfText(NamedTuple):
    """What a step of text takes: the number of its blocks, the bytes of the last of them, and whether it is the last part of the text."""

    blocks: int
    nbytes: int
    last: bool

    def step(self, mode: StreamMode, direction: str) -> str:
        """The step that takes it."""
        return mode.step_of(direction, (self.blocks - 1) * mode.block_bytes + self.nbytes, self.last)


def parts_of_text(mode: StreamMode) -> Iterator[PartOfText]:
    """All parts that a text may have: whole blocks in the middle, and every number of bytes at the end."""
    size = mode.block_bytes
    yield PartOfText(mode.text_blocks, size, False)
    for blocks in range(1, mode.text_blocks + 1):
        yield from (PartOfText(blocks, nbytes, True) for nbytes in range(1, size + 1))


@dataclass(frozen=True)
class Doubt:
    """Where the normal forms of two runs differ, which proves nothing yet.

    Attributes
    ----------
    runs : tuple of str
        The directions that are compared.
    step : str
        The step of the second one.
    what : str
        What differs: "text", "tag", or forms that became too large.
    part : PartOfText or None
        What the step was given; None for ``tag``.
    """

    runs: tuple[str, str]
    step: str
    what: str
    part: PartOfText | None = None


@dataclass(frozen=True)
class _Steps:
    mode: StreamMode
    trace: StreamTrace


class _OpenForms(Forms):
    """Normal forms in which lengths are indeterminates."""

    def __init__(self, plan: _Steps):
        super().__init__(plan)
        self.algebra._most_products = MOST_PRODUCTS

    def lengths(self, order: str, first: object, second: object) -> Polynomial:
        return self.algebra.atom("lengths", order, first, second)

    def _computed(self, slot: int, number: int) -> Polynomial:
        # Of what a set-up inverts or raises to a power, nothing has to be known here.
        if self.plan.trace.nodes[number].kind in ("power", "poly", "inverse"):
            return self.algebra.atom("key", slot, number)
        return super()._computed(slot, number)


def prove_open(mode: StreamMode, trace: StreamTrace) -> Doubt | None:
    """The proof by induction.  None if every message is proved to come back, else the first doubt.

    Parameters
    ----------
    trace : StreamTrace
        The traced steps of the mode.
    """
    steps = _Steps(mode, trace)
    try:
        return next(filter(None, (_Runs(steps, *runs).compare() for runs in runs_of(mode, trace))), None)
    except ProofError as error:
        return Doubt(("encrypt", "decrypt"), "", str(error))


def runs_of(mode: StreamMode, trace: StreamTrace) -> Iterator[tuple[str, str, set[str]]]:
    """The directions that are compared, each with the one before it: sealing pass by pass, and then opening.

    Each pair comes with the names of the state that they may have in common.
    """
    ways, unknown = (*mode.sealing(), "decrypt"), {ABSORB: set(trace.tagged)}
    return ((left, right, set(trace.state) - unknown.get(left, set())) for left, right in zip(ways, ways[1:]))


class _Runs:
    """Two runs over the same message, the second one with the text that the first one gives, if it gives any.

    Attributes
    ----------
    common : set of str
        The names of the state that both have in common, as far as is known.
    """

    def __init__(self, steps: _Steps, left: str, right: str, common: set[str]):
        self.steps, self.left, self.right, self.common = steps, left, right, common
        self.message = Message(0, 0, right, steps.mode.nonce_bytes[0][0], 0, 0)

    def compare(self) -> Doubt | None:
        """Finds the names in common, and then compares text and tag."""
        mode = self.steps.mode
        parts = list(parts_of_text(mode))
        associated = [(mode.step_of("associated", nbytes, last), nbytes) for nbytes, last in _lasts(mode)]
        while True:
            remaining = set(self.common)
            for step, nbytes in dict.fromkeys(associated):
                remaining &= self._same(*self._associated(step, nbytes))
            for part in parts:
                left, right, _ = self._text(part)
                remaining &= self._same(left, right)
            if remaining == self.common:
                break
            self.common = remaining
        for part in parts:
            if not self._text(part)[2]:
                return Doubt((self.left, self.right), part.step(mode, self.right), "text", part)
        if not self._tags():
            return Doubt((self.left, self.right), "tag", "tag")
        return None

    def _same(self, left: dict[str, Polynomial], right: dict[str, Polynomial]) -> set[str]:
        return {name for name in self.common if left[name] == right[name]}

    def _begin(self) -> tuple[Forms, Definition, list[dict[str, Polynomial]]]:
        """Forms, and any state of each run."""
        forms = _OpenForms(self.steps)
        atom = forms.algebra.atom
        states = [
            {name: atom("state", name) if name in self.common else atom("state", side, name) for name in self.steps.trace.state}
            for side in ("left", "right")
        ]
        return forms, Definition(self.steps, forms), states

    def _associated(self, step: str, nbytes: int) -> tuple[dict[str, Polynomial], dict[str, Polynomial]]:
        forms, definition, states = self._begin()
        block, index = input_block(forms, 0, 0, nbytes), Unknown(forms.algebra.atom("index"), 0)
        left, right = (definition.step(step, self.message, block, nbytes, state, {}, index)[0] for state in states)
        return left, right

    def _text(self, part: PartOfText) -> tuple[dict[str, Polynomial], dict[str, Polynomial], bool]:
        """Both states after a part of the text, and whether the text comes back."""
        mode = self.steps.mode
        forms, definition, states = self._begin()
        index = Unknown(forms.algebra.atom("index"), 0)
        sizes = [*[mode.block_bytes] * (part.blocks - 1), part.nbytes]
        text = [input_block(forms, 0, place, nbytes) for place, nbytes in enumerate(sizes)]

        def run(direction: str, state: dict[str, Polynomial], given: list[Polynomial]) -> tuple[dict[str, Polynomial], list[Polynomial]]:
            step = part.step(mode, direction)
            block = tuple(given) if mode.takes_pair(step) else given[0]
            after, out = definition.step(step, self.message, block, part.nbytes, state, {}, index)
            out = () if out is None else out if isinstance(out, tuple) else (out,)
            return after, [forms.algebra.head(each, nbytes) for each, nbytes in zip(out, sizes)]

        left, between = run(self.left, states[0], text)
        if self.left == ABSORB:
            # Both passes of a message to seal get its text.
            return left, run(self.right, states[1], text)[0], True
        right, back = run(self.right, states[1], between)
        return left, right, back == text

    def _tags(self) -> bool:
        forms, definition, states = self._begin()
        lengths = {"associated": "associated", "text": "text"}
        left, right = (definition.step("tag", self.message, forms.zero, 0, state, lengths)[1] for state in states)
        return bool(left == right)


def _lasts(mode: StreamMode) -> Iterator[tuple[int, bool]]:
    """Bytes of a block of associated data, and whether it is the last one."""
    yield mode.block_bytes, False
    yield from ((nbytes, True) for nbytes in range(1, mode.block_bytes + 1))


def short_messages(mode: StreamMode) -> Iterator[Message]:
    """Messages of every class: no, one and several parts of text with every last part, with and without associated data, every nonce."""
    size, whole = mode.block_bytes, mode.block_bytes * mode.text_blocks
    usual = mode.nonce_bytes[0][0]
    for before in (0, whole, 2 * whole):
        for part in parts_of_text(mode):
            text = before + size * (part.blocks - 1) + part.nbytes
            for associated in (0, size + 1) if before else (0, 1, size):
                yield Message(0, 0, "encrypt", usual, associated, text, tag=mode.tag_bytes[0])
    for number, lengths in enumerate(mode.nonce_bytes):
        for nonce in lengths:
            yield from (Message(0, number, "encrypt", nonce, 0, text, tag=tag) for text in (0, 1) for tag in mode.tag_bytes)
    yield from (Message(0, 0, "encrypt", usual, associated, 0, tag=mode.tag_bytes[0]) for associated in range(2 * size + 1))


def prove_short(mode: StreamMode, trace: StreamTrace) -> Message | None:
    """Seals and opens ``short_messages`` on normal forms.  None if all come back, else the first that is not proved to."""
    for message in short_messages(mode):
        try:
            if not _comes_back(mode, trace, message):
                return message
        except ProofError:
            return message
    return None


def _comes_back(mode: StreamMode, trace: StreamTrace, message: Message) -> bool:
    forms = _OpenForms(_Steps(mode, trace))
    definition = Definition(forms.plan, forms)
    sizes = [nbytes for step, nbytes in message.blocks(mode.block_bytes) if step != "associated"]
    text = [input_block(forms, 1, place, nbytes) for place, nbytes in enumerate(sizes)]

    def run(direction: str, given: list[Polynomial]) -> tuple[list[Polynomial], Polynomial]:
        moved = Message(0, message.nonce_class, direction, message.nonce, message.associated, message.text, tag=message.tag)
        nonce = nonce_block(forms, 0, message.nonce)
        state = definition.step("start", moved, nonce, message.nonce, {}, moved.lengths)[0]
        out: list[Polynomial] = []
        places = {"associated": 0, direction: 0}
        for part, step, count, nbytes in moved.units(mode):
            at = places[part]
            places[part] += count
            if part == "associated":
                block: Polynomial | tuple[Polynomial, ...] = input_block(forms, 0, at, nbytes)
            else:
                block = tuple(given[at : at + count]) if mode.takes_pair(step) else given[at]
            state, made = definition.step(step, moved, block, nbytes, state, moved.lengths, at + 1)
            out += [] if made is None else made if isinstance(made, tuple) else (made,)
        made = definition.step("tag", moved, forms.zero, 0, state, moved.lengths)[1]
        assert isinstance(made, Polynomial)
        return [forms.algebra.head(each, nbytes) for each, nbytes in zip(out, sizes)], made

    sealed = [run(way, text) for way in mode.sealing()]
    opened = run("decrypt", sealed[-1][0])
    return opened[0] == text and all(tag == opened[1] for _, tag in sealed)
