# SPDX-License-Identifier: Apache-2.0
"""Whether opening a message gives back what was sealed, and accepts its tag: proved, or tested on numbers.

::

    a few messages on numbers ──▶ normal forms, from any state ──equal──▶ proved
                │                     └──differ──▶ many messages, and steps from chosen states, on numbers ──▶ tested
                └── a message that does not come back: an error ──────────┘

From a state that no message reaches, a step may fail in a right definition, if two parts of the state belong together.  So what fails from
chosen states alone is an error only if normal forms of whole messages differ, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modeloom.definition.check import PROVED, TESTED, Checked
from modeloom.definition.messages import StreamModel, Taken, derived_key
from modeloom.definition.software import differs, replay_step
from modeloom.ir.graph import told
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.errors import many, place_of
from modeloom.spec.numbers import Piece
from modeloom.spec.stream import ABSORB, Lengths, State, StreamMode
from modeloom.streams.prove_open import PartOfText, parts_of_text, prove_open, prove_short, runs_of
from modeloom.streams.trace import StreamTrace, lengths_in_start, trace_stream

__all__ = ["check_messages", "check_open", "checked_inverse", "checked_model", "models_under", "warnings_of"]


# -- dependence --------------------------------------------------------------------------------------------------------------------------

# Warnings for stream modes that are consistent and insecure, where a dependence shows it.
#
#     text bit ──same bit for every key────────▶ "leaves in the clear"
#     nonce, key, position ──no influence──────▶ "does not depend on the nonce", ...
#     one bit more or less of what is sealed ──same tag──▶ "the tag does not depend on ..."
#     two messages of different lengths ──same tag──▶ "have one tag"
#
# All are found with the software model, in short messages.  That there is no warning does not mean that a mode is secure.

SAMPLES = 40
"""Keys or nonces that are tried.  A bit that depends on them is the same for all with a probability of 2^-39."""

PAD10 = b"\x80"


class _Sealed(NamedTuple):
    nonce: bytes
    associated: bytes
    text: bytes
    """The ciphertext."""
    tag: bytes


def warnings_of(mode: StreamMode, cipher_key_bytes: int, cipher: str | None = None) -> tuple[str, ...]:
    """What is probably not intended in a definition, a line for each."""
    key = type(mode), cipher_key_bytes, cipher
    if key not in _FOUND:
        _FOUND[key] = tuple(_Search(mode, cipher_key_bytes, cipher).warnings())
    return _FOUND[key]


_FOUND: dict[tuple[type[StreamMode], int, str | None], tuple[str, ...]] = {}


class _Search:
    def __init__(self, mode: StreamMode, cipher_key_bytes: int, cipher: str | None):
        self.mode, self.cipher, self.cipher_key_bytes = mode, cipher, cipher_key_bytes
        self.parts = {name: mode.part_bytes(name, cipher_key_bytes) for name in mode.key_parts}
        self.rng = random.Random(f"dependence {mode.name}")
        self.size, self.whole = mode.block_bytes, mode.block_bytes * mode.text_blocks
        self.nonce_bytes = mode.nonce_bytes[0][0]
        self.most_text, self.most_associated = mode.most_text_with(self.nonce_bytes), mode.most_associated
        self.model = self.with_key()

    def with_key(self, key: dict[str, bytes] | None = None) -> StreamModel:
        """The mode under a key, or a random one that it takes."""
        for _ in range(8):
            made = key or {name: self.rng.randbytes(nbytes) for name, nbytes in self.parts.items()}
            try:
                return StreamModel(self.mode, b"".join(made.values()), self.cipher, derived=True)
            except DefinitionError:
                raise
            except InputError:
                if key:
                    raise
        raise InputError(f"{self.mode.name}: the mode refuses keys")

    def seal(self, nonce: bytes, associated: bytes, text: bytes, model: StreamModel | None = None) -> _Sealed:
        """Ciphertext and whole tag."""
        given, tag = b"", b""
        for way in self.mode.sealing():
            given, tag = (model or self.model).run(way, nonce, text, associated, known=tag)
        return _Sealed(nonce, associated, given, tag)

    def accepted(self, message: _Sealed) -> bytes:
        """The tag that opening a message would accept."""
        return self.model.run("decrypt", message.nonce, message.text, message.associated, known=message.tag)[1]

    def random(self, associated: int, text: int) -> tuple[bytes, bytes, bytes]:
        """A nonce, associated data and text, of so many bytes if the mode allows them."""
        associated, text = min(associated, self.most_associated), min(text, self.most_text)
        return self.rng.randbytes(self.nonce_bytes), self.rng.randbytes(associated), self.rng.randbytes(text)

    def warnings(self) -> Iterator[str]:
        """All that is found."""
        name = self.mode.name
        for search in (self.derivation, self.keys, self.nonces, self.passes, self.positions, self.key_parts, self.tag, self.lengths):
            found = []
            try:
                for text in search():
                    found.append(text)
            except DefinitionError:
                raise
            except InputError:  # the mode refuses what this search tries
                pass
            yield from (f"{name}: {text}" for text in found)
            # A tag that leaves out a part does not depend on its length either.
            if found and search == self.tag:
                return

    @property
    def texts(self) -> list[int]:
        """Lengths of texts with every kind of last part.  There are none in a mode without text."""
        size, whole = self.size, self.whole
        lengths = (1, size - 1, size, size + 3, whole, whole + 1, 2 * whole, 2 * whole + size // 2)
        return sorted({min(nbytes, self.most_text) for nbytes in lengths} - {0})

    # -- the text ------------------------------------------------------------------------------------------------------------------------

    def keys(self) -> Iterator[str]:
        """Bits of the text and of the tag that are the same under every key."""
        models: list[StreamModel] = []

        def under_keys() -> Iterator[StreamModel]:
            for number in range(SAMPLES):
                if number == len(models):
                    models.append(self.with_key())
                yield models[number]

        for nbytes in self.texts:
            nonce, associated, text = self.random(5, nbytes)
            fixed = _unchanged(self.seal(nonce, associated, text, model).text for model in under_keys())
            if fixed is not None:
                clear = self.seal(nonce, associated, text).text[fixed] == text[fixed]
                yield (
                    f"byte {fixed} of a text of {many(nbytes, 'byte')} "
                    + ("leaves in the clear" if clear else "leaves with bits that do not depend on the key")
                )
                break
        for nbytes in (0, self.size):
            nonce, associated, text = self.random(self.size, nbytes)
            fixed = _unchanged(self.seal(nonce, associated, text, model).tag for model in under_keys())
            if fixed is not None:
                yield f"bits of byte {fixed} of the tag of {many(nbytes, 'byte')} of text do not depend on the key"
                break

    def nonces(self) -> Iterator[str]:
        """Bits of the text that are the same with every nonce, and bits of the nonce that change no text."""
        classes = [lengths[0] for lengths in self.mode.nonce_bytes]
        if not self.texts:
            return
        for length, nbytes in [(classes[0], nbytes) for nbytes in self.texts] + [(length, self.whole) for length in classes[1:]]:
            _, associated, text = self.random(5, min(nbytes, self.mode.most_text_with(length)))
            fixed = _unchanged(self.seal(self.rng.randbytes(length), associated, text).text for _ in range(SAMPLES))
            if fixed is not None:
                yield f"byte {fixed} of the ciphertext of {many(nbytes, 'byte')} does not depend on a nonce of {many(length, 'byte')}"
                return
        for length in classes:
            nonce, text = self.rng.randbytes(length), self.rng.randbytes(min(self.whole, self.mode.most_text_with(length)))
            sealed = self.seal(nonce, b"", text)
            for bit in self._bits(length, ends=True):
                changed = (int.from_bytes(nonce, "little") ^ 1 << bit).to_bytes(length, "little")
                if self.seal(changed, b"", text).text == sealed.text:
                    yield f"the ciphertext does not depend on a bit of byte {bit // 8} of a nonce of {many(length, 'byte')}"
                    return

    def passes(self) -> Iterator[str]:
        """Whether the ciphertext of a mode with two passes depends on the tag that the first one makes."""
        for way in self.mode.sealing()[1:] if self.texts else ():
            nonce, associated, text = self.random(5, 2 * self.whole)
            tags = [self.rng.randbytes(self.size) for _ in range(4)]
            if len({self.model.run(way, nonce, text, associated, known=tag)[0] for tag in tags}) < len(tags):
                yield "the ciphertext does not depend on the tag, so that messages with one nonce have one key stream"

    def derivation(self) -> Iterator[str]:
        """Whether the key of a message depends on the nonce, and on the master key."""
        if not self.mode.derives():
            return
        nbytes = self.cipher_key_bytes
        nonces, masters = ([self.rng.randbytes(length) for _ in range(4)] for length in (self.nonce_bytes, nbytes))
        for what, made in (
            ("the nonce", [derived_key(self.mode, masters[0], nonce, self.cipher) for nonce in nonces]),
            ("the master key", [derived_key(self.mode, master, nonces[0], self.cipher) for master in masters]),
        ):
            at = 0
            for part, length in self.parts.items():
                if len({key[at : at + length] for key in made}) < len(made):
                    yield f"the part {part} of the key of a message does not depend on {what}"
                at += length

    def positions(self) -> Iterator[str]:
        """Equal blocks of text that give equal blocks of ciphertext in one message."""
        size = self.size
        text = self.rng.randbytes(size) * min(4 * self.mode.text_blocks, self.most_text // size)
        sealed = self.seal(self.rng.randbytes(self.nonce_bytes), b"", text).text
        blocks = [sealed[at : at + size] for at in range(0, len(sealed), size)]
        for number, block in enumerate(blocks):
            if block in blocks[:number]:
                yield f"blocks {blocks.index(block)} and {number} of a text are enciphered alike: equal blocks show in the ciphertext"
                return

    # -- the tag -------------------------------------------------------------------------------------------------------------------------

    def tag(self) -> Iterator[str]:
        """Bits of what is sealed that may be changed without another tag."""
        for number, (associated, text) in enumerate(dict.fromkeys(self._shapes())):
            sealed = self.seal(*self.random(associated, text))
            for field, what in (("associated", "associated data"), ("text", "ciphertext"), ("nonce", "nonce")):
                data = getattr(sealed, field)
                for bit in self._bits(len(data), ends=not number):
                    changed = (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(len(data), "little")
                    if self.accepted(sealed._replace(**{field: changed})) == sealed.tag:
                        of = f" of {many(len(data), 'byte')}" if what != "nonce" else ""
                        with_text = f", with {many(text, 'byte')} of text" if what != "ciphertext" else ""
                        yield f"the tag does not depend on a bit of byte {bit // 8} of the {what}{of}{with_text}: it can be changed unseen"
                        return

    def _shapes(self) -> Iterator[tuple[int, int]]:
        """Bytes of associated data and text."""
        size, whole = self.size, self.whole
        shapes = ((size + 5, 2 * whole + 5), (2 * size, 2 * whole), (1, 1), (size, 0), (0, whole + size), (size - 1, size - 1))
        yield from ((min(associated, self.most_associated), min(text, self.most_text)) for associated, text in shapes)

    def _bits(self, nbytes: int, ends: bool = False) -> list[int]:
        """A bit of each byte, and with ``ends`` all bits of the first byte and the last two."""
        chosen = {8 * at + self.rng.randrange(8) for at in range(nbytes)}
        if ends:
            chosen |= {bit for bit in (*range(8), *range(8 * nbytes - 16, 8 * nbytes)) if 0 <= bit < 8 * nbytes}
        return sorted(chosen)

    def key_parts(self) -> Iterator[str]:
        """Parts of the key on which nothing depends."""
        if len(self.parts) == 1:
            return
        key = {name: self.rng.randbytes(nbytes) for name, nbytes in self.parts.items()}
        message = self.random(self.size + 1, 2 * self.whole + 1)
        before = self.seal(*message, self.with_key(key))
        for name, value in key.items():
            other = {**key, name: bytes(byte ^ self.rng.randrange(1, 256) for byte in value)}
            try:
                changed = self.with_key(other)
            except InputError:  # the mode refuses this key
                continue
            if self.seal(*message, changed) == before:
                yield f"nothing depends on the part {name} of the key"

    # -- lengths -------------------------------------------------------------------------------------------------------------------------

    def lengths(self) -> Iterator[str]:
        """Two short messages that are different, and have one tag by construction."""
        nonce = self.rng.randbytes(self.nonce_bytes)
        _, second, first = self.random(2 * self.size, 2 * self.whole)
        sealed = self.seal(nonce, second, first)

        def variants(data: bytes, other: bytes, most: int) -> list[bytes]:
            return [one for one in self._variants(data, other) if len(one) <= most]

        found = self._equal(
            variants(first, second, self.most_text), variants(second, first, self.most_associated),
            lambda associated, text: self.seal(nonce, associated, text).tag, "text",
        )  # fmt: skip
        found = found or self._equal(
            variants(sealed.text, second, self.most_text), variants(second, sealed.text, self.most_associated),
            lambda associated, text: self.accepted(sealed._replace(associated=associated, text=text)), "ciphertext",
        )  # fmt: skip
        if found:
            yield found

    def _variants(self, data: bytes, other: bytes) -> list[bytes]:
        """Data that are alike but for their end, with what paddings add; and the first block of other data, for parts that touch."""
        size = self.size
        made = [b"", b"\0", bytes(size), PAD10 + bytes(size - 1), other[:size]]
        for nbytes in {size - 1, size, self.whole - 1, self.whole}:
            begin = data[:nbytes]
            padded = begin + bytes(-(nbytes + 1) % size)
            made += [begin, begin + b"\0", begin + PAD10, begin + PAD10 + padded[nbytes:], begin + bytes(size)]
        return list(dict.fromkeys(made))

    def _equal(
        self, texts: Sequence[bytes], associated: Sequence[bytes], tag: Callable[[bytes, bytes], bytes], noun: str,
    ) -> str | None:  # fmt: skip
        seen: dict[bytes, tuple[bytes, bytes]] = {}
        pairs = [(a, b"") for a in associated] + [(a, t) for t in texts for a in associated[:1]]
        pairs += [(a, t) for t in texts[1:] for a in associated[-6:]]
        for a, t in dict.fromkeys(pairs):
            value = tag(a, t)
            if value in seen and seen[value] != (a, t):
                b, u = seen[value]
                return (
                    f"{many(len(b), 'byte')} of associated data with {len(u)} of {noun}, and {len(a)} with {len(t)}, have one tag by "
                    "construction: the tag does not depend on lengths, or a padding is not separated"
                )
            seen[value] = (a, t)
        return None


def _unchanged(samples: Iterator[bytes]) -> int | None:
    """The first byte with a bit that is the same in all samples; None if there is none.  Most bits change in the first few."""
    first = next(samples)
    same, number = (1 << 8 * len(first)) - 1, int.from_bytes(first, "little")
    for sample in samples:
        same &= ~(number ^ int.from_bytes(sample, "little"))
        if not same:
            return None
    return ((same & -same).bit_length() - 1) // 8 if same else None


# -- opened ------------------------------------------------------------------------------------------------------------------------------

# -- opened ----------------------------------------------------------------------------------------------------------------------------

STATES = 12
"""Chosen states from which each step runs, if normal forms decide nothing."""


@dataclass(frozen=True)
class _Message:
    nonce: bytes
    text: bytes
    associated: bytes
    tag_bytes: int

    def filled(self, byte: int) -> _Message:
        """A message of the same lengths in which all bytes are equal."""
        nonce, text, associated = (bytes([byte]) * len(part) for part in (self.nonce, self.text, self.associated))
        return _Message(nonce, text, associated, self.tag_bytes)


def check_open(mode: StreamMode, trace: StreamTrace, key_bytes: int, cipher: str | None = None) -> str:
    """Returns ``PROVED`` or ``TESTED``.

    Parameters
    ----------
    trace : StreamTrace
        The traced steps of the mode.
    key_bytes : int
        Bytes of the whole key of a message.
    cipher : str or None
        The block cipher, if it is not that of the mode.

    Raises
    ------
    DefinitionError
        A message does not come back, or its tag is refused.  The error names the step, and its line.
    """
    models = models_under(mode, key_bytes, cipher, random.Random(f"keys {mode.name}"))
    for model in models[:2]:
        for message in _few(mode):
            _check(model, message)
    if prove_open(mode, trace) is None:
        return PROVED
    for model in models:
        for message in _many(mode):
            _check(model, message)
    whole = prove_short(mode, trace) is None
    if not whole:
        for model in models[:2]:
            _check_steps(model, trace)
    return TESTED


def models_under(mode: StreamMode, key_bytes: int, cipher: str | None, rng: random.Random) -> list[StreamModel]:
    """The mode under random and chosen keys that it takes.  Raises ``DefinitionError`` if it refuses all of them."""
    keys = [rng.randbytes(key_bytes) for _ in range(3)] + [bytes(range(key_bytes)), b"\xff" * key_bytes, bytes(key_bytes)]
    models = []
    for key in keys:
        try:
            models.append(StreamModel(mode, key, cipher, derived=True))
        except DefinitionError:
            raise
        except InputError:
            continue
    if not models:
        raise DefinitionError(f"{mode.name}: the mode refused every key that was tried")
    return models


def _few(mode: StreamMode) -> Iterator[_Message]:
    """A message for every last part of a text, and for every nonce and tag length: they reveal nearly every wrong definition."""
    rng = random.Random(f"few {mode.name}")
    size, whole = mode.block_bytes, mode.block_bytes * mode.text_blocks
    nonces = [nbytes for lengths in mode.nonce_bytes for nbytes in lengths]
    texts = [0, *range(1, whole + 1), whole + 1, 2 * whole - 1, 2 * whole, 2 * whole + size, 5 * whole + 3]
    for number in range(max(len(texts), len(nonces), len(mode.tag_bytes))):
        text, associated = texts[number % len(texts)], rng.choice((0, 0, 1, size - 1, size, size + 1, 3 * size + 2))
        yield _message(mode, rng, nonces[number % len(nonces)], text, associated, mode.tag_bytes[number % len(mode.tag_bytes)])


def _many(mode: StreamMode) -> Iterator[_Message]:
    """Texts of many lengths, also in longer messages, beside associated data of many lengths; and some of chosen bytes."""
    rng = random.Random(f"many {mode.name}")
    size, whole = mode.block_bytes, mode.block_bytes * mode.text_blocks
    nonces = [nbytes for lengths in mode.nonce_bytes for nbytes in lengths]
    for text in (*range(3 * whole + 2), 9 * whole, 17 * whole - 1, 33 * whole + size // 2):
        for associated in (0, rng.randrange(1, 3 * size)):
            yield _message(mode, rng, rng.choice(nonces), text, associated, rng.choice(mode.tag_bytes))
    for fill in (0, 0xFF):
        for nbytes in (size, 3 * whole + 1):
            yield _message(mode, rng, mode.nonce_bytes[-1][-1], nbytes, nbytes, mode.tag_bytes[0]).filled(fill)


def _message(mode: StreamMode, rng: random.Random, nonce: int, text: int, associated: int, tag: int) -> _Message:
    text, associated = min(text, mode.most_text_with(nonce)), min(associated, mode.most_associated)
    return _Message(rng.randbytes(nonce), rng.randbytes(text), rng.randbytes(associated), tag)


def _check(model: StreamModel, message: _Message) -> None:
    """Seals and opens a message step by step.  Raises ``DefinitionError`` for the first step that does not invert its counterpart."""
    given = message.nonce, message.associated, message.tag_bytes
    known, passes = b"", list[list[Taken]]()
    for way in model.mode.sealing():
        passes.append(_run(model, way, message.text, given, known))
        known = passes[-1][-1].given
    first, sealed = passes[0], passes[-1]
    if first[-1].given != known:
        what = f"the second pass over a message of {_of(message)} gives another tag than the first"
        raise DefinitionError(_tag_differs(model, message, first, sealed, what))
    text = b"".join(step.given for step in sealed[:-1])
    opened = _run(model, "decrypt", text, given, known)
    if b"".join(step.given for step in opened[:-1]) != message.text:
        at = 0
        for one, other in zip(sealed, opened, strict=True):
            if other.given != message.text[at : at + len(other.given)]:
                raise DefinitionError(_text_differs(model.mode, message, one, other, at))
            at += len(other.given)
    if opened[-1].given != sealed[-1].given:
        what = f"the tag of a sealed message of {_of(message)} is refused"
        raise DefinitionError(_tag_differs(model, message, sealed, opened, what))


def _run(model: StreamModel, direction: str, text: bytes, given: tuple[bytes, bytes, int], known: bytes) -> list[Taken]:
    nonce, associated, tag_bytes = given
    return list(model.steps(direction, nonce, text, associated, tag_bytes, known))


def _of(message: _Message) -> str:
    nonce, tag = len(message.nonce), message.tag_bytes
    text = many(len(message.text), "byte")
    return f"{text} of text and {len(message.associated)} of associated data (nonce of {nonce}, tag of {tag})"


def _text_differs(mode: StreamMode, message: _Message, sealed: Taken, opened: Taken, at: int) -> str:
    return (
        f"{mode.name}: decrypt does not invert encrypt: block {at // mode.block_bytes} of a message of {_of(message)} comes back changed; "
        f"{_lines(mode, sealed.step, opened.step)}"
    )


def _tag_differs(model: StreamModel, message: _Message, left: list[Taken], right: list[Taken], what: str) -> str:
    """The first step that leaves another state, in a name that matters to the tag and that its run did not write differently in
    ``start``."""
    mode = model.mode
    free = {name for name, value in left[0].state.items() if getattr(right[0].state, name) != value}
    names = _of_tag(model, message, left[-2].state, right[-2].state) - free
    for one, other in zip(left, right, strict=True):
        for name, value in one.state.items():
            if name in names and getattr(other.state, name) != value and other.step != "tag":
                return f"{mode.name}: {what}: the state {name} differs; {_lines(mode, one.step, other.step, name)}"
    return f"{mode.name}: {what}: tag() differs in {place_of(mode.tag)}"


def _of_tag(model: StreamModel, message: _Message, one: State, other: State) -> set[str]:
    """The names in which two states before ``tag`` differ and that change the tag alone; if none does, all in which they differ."""
    o, k = model.keyed
    lengths = Lengths(len(message.associated), len(message.text))

    def tag(**changed: int) -> int:
        return model.mode.tag(o, k, other.replace(**changed), lengths)

    names = {name: value for name, value in one.items() if getattr(other, name) != value}
    return {name for name, value in names.items() if tag(**{name: value}) != tag()} or set(names)


def _lines(mode: StreamMode, left: str, right: str, name: str | None = None) -> str:
    """The lines in which two steps compute their text, or a name of the state."""
    return f"{left}() makes it in {_line(mode, left, name)}, and {right}() in {_line(mode, right, name)}"


def _line(mode: StreamMode, step: str, name: str | None = None) -> str:
    """The line in which a step computes its text, or a name of the state."""
    traced = trace_stream(mode, (mode.cipher_key_bits or (128,))[0] // 8, step)
    made = traced.step(step)
    nodes = [made.updates.get(name)] if name is not None else [made.output]
    lines = [traced.nodes[node].line for node in nodes if node is not None]
    # A state that a step hands on has no line.
    return told(lines[0], traced.file) if lines and lines[0] else place_of(getattr(mode, step))


def _check_steps(model: StreamModel, trace: StreamTrace) -> None:
    """Runs the steps of text in both directions from chosen states, counters before their carry among them.

    Names that a step leaves different do no harm if no text and no tag depends on them, as in ``prove_open``.  Raises
    ``DefinitionError`` if a text does not come back, or a tag differs.
    """
    mode, rng = model.mode, random.Random(f"states {model.mode.name}")
    parts = [(part, number) for part in parts_of_text(mode) for number in range(STATES)]
    for left, right, common in runs_of(mode, trace):
        while True:
            remaining = set(common)
            for part, number in parts:
                one, other, _ = _from_state(model, trace, left, right, common, part, number, rng)
                remaining &= {name for name in common if getattr(one, name) == getattr(other, name)}
            if remaining == common:
                break
            common = remaining
        for part, number in parts:
            steps = part.step(mode, left), part.step(mode, right)

            def comes_back(common: set[str], part: PartOfText = part, number: int = number, of: tuple[str, str] = (left, right)) -> bool:
                return _from_state(model, trace, *of, common, part, number, rng)[2]

            if not comes_back(common):
                raise DefinitionError(
                    f"{mode.name}: {steps[1]} does not invert {steps[0]} for every state, although no message that was tried shows it; "
                    f"{_unlike(model, trace, common, comes_back, *steps)}"
                )

        def tags_agree(common: set[str]) -> bool:
            return _tags_agree(model, trace, common, rng)

        if not tags_agree(common):
            raise DefinitionError(
                f"{mode.name}: the tags of {left} and {right} differ for some states, although no message that was tried shows it; "
                f"{_unlike(model, trace, common, tags_agree, left, right)}"
            )


def _unlike(model: StreamModel, trace: StreamTrace, common: set[str], right: Callable[[set[str]], bool], *steps: str) -> str:
    """The lines of a name of the state in which two steps differ, or of their text.

    It is a name with which all is right if it is in common, too; otherwise one on which the text or the tag depends.
    """
    names = [name for name in trace.state if name not in common and name not in trace.tagged]
    name = next((name for name in names if right(common | {name})), None)
    name = name or next((name for name in names if _matters(model, trace, steps[0], name)), None)
    return (f"the state {name} differs; " if name else "") + _lines(model.mode, steps[0], steps[1], name)


def _matters(model: StreamModel, trace: StreamTrace, step: str, name: str) -> bool:
    """Whether the text of a step, or the tag, is another one if a name of the state before it is."""
    rng, (o, k) = random.Random(name), model.keyed
    size, count = model.mode.block_bytes, 2 if model.mode.takes_pair(step) else 1
    pieces = tuple(Piece(rng.randbytes(size), 1) for _ in range(count))
    one = _state(trace, 2, set(), rng)[0]
    found = []
    for state in (one, one.replace(**{name: rng.getrandbits(8 * size)})):
        text = model.take(o, k, state, step, pieces if count > 1 else pieces[0])[1]
        found.append((text, model.mode.tag(o, k, state, Lengths(size, size))))
    return found[0] != found[1]


def _state(trace: StreamTrace, number: int, common: set[str], rng: random.Random) -> tuple[State, State]:
    """Two states that agree in the common names: all ones, in which every counter carries, zeros, or random ones."""
    width = 8 * trace.block_bytes

    def value() -> int:
        return ((1 << width) - 1, 0)[number] if number < 2 else rng.getrandbits(width)

    left = {name: value() for name in trace.state}
    right = {name: left[name] if name in common else rng.getrandbits(width) for name in trace.state}
    return State(**left), State(**right)


def _from_state(
    model: StreamModel, trace: StreamTrace, left: str, right: str, common: set[str], part: PartOfText, number: int, rng: random.Random,
) -> tuple[State, State, bool]:  # fmt: skip
    """Both states after a part of the text, and whether the text comes back."""
    mode, (o, k) = model.mode, model.keyed
    states = _state(trace, number, common, rng)
    index = (1, 2, 4, 3, 1 << 15, 1 << 20)[number] if number < 6 else rng.randrange(1, 1 << 24)
    sizes = [*[mode.block_bytes] * (part.blocks - 1), part.nbytes]
    text = [rng.randbytes(nbytes) for nbytes in sizes]

    def run(direction: str, state: State, given: list[bytes]) -> tuple[State, list[bytes]]:
        step = part.step(mode, direction)
        pieces = tuple(Piece(each, index) for each in given)
        after, blocks = model.take(o, k, state, step, pieces if mode.takes_pair(step) else pieces[0])
        return after, [block.to_bytes(mode.block_bytes, "little")[:nbytes] for block, nbytes in zip(blocks, sizes)]

    after, between = run(left, states[0], text)
    if left == ABSORB:
        return after, run(right, states[1], text)[0], True
    other, back = run(right, states[1], between)
    return after, other, back == text


def _tags_agree(model: StreamModel, trace: StreamTrace, common: set[str], rng: random.Random) -> bool:
    o, k = model.keyed
    for number in range(STATES):
        lengths = Lengths(rng.randrange(1 << 20), rng.randrange(1 << 20))
        tags: list[int] = [model.mode.tag(o, k, state, lengths) for state in _state(trace, number, common, rng)]
        if tags[0] != tags[1]:
            return False
    return True


# -- message check ---------------------------------------------------------------------------------------------------------------------

# The checks of a stream mode before it is compiled, and before ``modeloom.model`` returns the model of a
# user's definition.
#
#     attributes ──▶ trace of all steps ──▶ the same on numbers ──▶ open inverts seal ──▶ what nothing depends on
#      (spec)         (streams)              error                  proved, tested,       warnings
#                                                                   or error

TIMES = 3
"""Times that each step runs on numbers.  The first time, all blocks are zeros."""


def check_messages(mode: StreamMode, cipher_key_bytes: int, cipher: str | None = None) -> Checked:
    """Checks a definition in all its steps.

    Parameters
    ----------
    cipher_key_bytes : int
        Bytes of a cipher key.
    cipher : str or None
        The block cipher, if it is not that of the mode.

    Raises
    ------
    DefinitionError
        The definition is wrong.
    """
    inverse = checked_inverse(mode, cipher_key_bytes, cipher)
    return Checked(inverse, warnings_of(mode, cipher_key_bytes, cipher))


def checked_inverse(mode: StreamMode, cipher_key_bytes: int, cipher: str | None = None) -> str:
    """The same without warnings.  Returns how it is known that opening inverts sealing: "proved" or "tested"."""
    # What a definition computes is a matter of its class.
    key = type(mode), cipher_key_bytes, cipher
    if key not in _CHECKED:
        trace = trace_stream(mode, cipher_key_bytes)
        key_bytes = mode.key_bytes(cipher_key_bytes)
        _check_numbers(mode, trace, key_bytes, cipher)
        _CHECKED[key] = check_open(mode, trace, key_bytes, cipher)
    return _CHECKED[key]


def checked_model(mode: StreamMode, key: bytes, cipher: str | None = None) -> StreamModel:
    """The software model of a mode.  A user's definition is checked first: messages come back."""
    model = StreamModel(mode, key, cipher)
    if not type(mode).__module__.startswith("modeloom.modes."):
        checked_inverse(mode, model.cipher_key_bytes, cipher)
    return model


_CHECKED: dict[tuple[type[StreamMode], int, str | None], str] = {}
"""The results of definitions that passed."""


def _check_numbers(mode: StreamMode, trace: StreamTrace, key_bytes: int, cipher: str | None) -> None:
    """Runs each step on numbers.  Raises ``DefinitionError`` if it gives something else than its trace, which is what a core computes."""
    rng = random.Random(f"numbers {mode.name}")
    model = models_under(mode, key_bytes, cipher, rng)[0]
    _check_messages(model, trace, rng)
    size = mode.block_bytes
    pieces = [(name, part) for part in parts_of_text(mode) for name in (part.step(mode, way) for way in mode.text_steps())]
    for name, part in dict.fromkeys(pieces):
        for number in range(TIMES):
            sizes = [*[size] * (part.blocks - 1), part.nbytes]
            taken = [Piece(rng.randbytes(nbytes) if number else bytes(nbytes), 1 + number) for nbytes in sizes]
            state = {each: rng.getrandbits(8 * size) if number else 0 for each in trace.state}
            o, k = model.keyed
            after, given = model.take(o, k, State(**state), name, tuple(taken) if mode.takes_pair(name) else taken[0])
            _compare(mode, trace, model, name, state, taken, {}, dict(after.items()), tuple(given))


def _check_messages(model: StreamModel, trace: StreamTrace, rng: random.Random) -> None:
    """Compares ``start``, ``tagged``, the steps of associated data, and ``tag``, in messages with every length of nonces and tags."""
    mode, size = model.mode, model.mode.block_bytes
    nonces = [nbytes for lengths in mode.nonce_bytes for nbytes in lengths]
    for number in range(max(len(nonces), len(mode.tag_bytes), 2 * size + 2)):
        nonce, tag_bytes = nonces[number % len(nonces)], mode.tag_bytes[number % len(mode.tag_bytes)]
        ad = rng.randbytes(min(number % (2 * size + 2), mode.most_associated))
        text = rng.randbytes(min(number % 2, mode.most_text_with(nonce)))
        given_nonce, known = rng.randbytes(nonce), rng.randbytes(size)
        steps = list(model.steps("encrypt", given_nonce, text, ad, tag_bytes, known))
        lengths = lengths_in_start(nonce, len(ad), len(text), tag_bytes)
        data = mode.prefix_of(len(ad)) + ad
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        before: dict[str, int] = {}
        for at, step in enumerate(steps):
            taken = [Piece(given_nonce)] if not at else [Piece(blocks[at - 1], at)] if 0 < at <= len(blocks) else []
            state = {name: int(value) for name, value in step.state.items()}
            if not at or taken or step.step == "tag":
                given = (int.from_bytes(step.given, "little"),) if step.step == "tag" else ()
                _compare(mode, trace, model, step.step, before, taken, lengths, state, given, int.from_bytes(known, "little"))
            before = state


def _compare(
    mode: StreamMode, trace: StreamTrace, model: StreamModel, name: str, state: dict[str, int], taken: list[Piece],
    lengths: dict[str, int], after: dict[str, int], given: tuple[int, ...], tag: int = 0,
) -> None:  # fmt: skip
    step = trace.step(name, mode.nonce_class(taken[0].nbytes) if name == "start" else 0)
    updates, outputs = replay_step(trace, step, model.keyed[0], model.key_blocks, state, taken, lengths, tag)
    if name == "tag":
        updates = after
    if updates == after and outputs == tuple(map(int, given)):
        return
    what = next((f"the state {each}" for each in updates if updates[each] != after.get(each)), "the tag" if name == "tag" else "the text")
    raise differs(mode, what, name)
