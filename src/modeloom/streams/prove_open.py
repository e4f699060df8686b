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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from modeloom.prove.polynomials import Polynomial
from modeloom.prove.symbols import ProofError
from modeloom.spec.stream import ABSORB, StreamMode
from modeloom.streams.forms import Definition, Forms, Message, Unknown, input_block, nonce_block
from modeloom.streams.trace import StreamTrace

__all__ = ["Doubt", "PartOfText", "parts_of_text", "prove_open", "prove_short", "runs_of"]

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
            kept = set(self.common)
            for step, nbytes in dict.fromkeys(associated):
                kept &= self._same(*self._associated(step, nbytes))
            for part in parts:
                left, right, _ = self._text(part)
                kept &= self._same(left, right)
            if kept == self.common:
                break
            self.common = kept
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
