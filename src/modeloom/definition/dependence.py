# SPDX-License-Identifier: Apache-2.0
"""Warnings for stream modes that are consistent and insecure, where a dependence shows it.

::

    text bit ──same bit for every key────────▶ "leaves in the clear"
    nonce, key, position ──no influence──────▶ "does not depend on the nonce", ...
    one bit more or less of what is sealed ──same tag──▶ "the tag does not depend on ..."
    two messages of different lengths ──same tag──▶ "have one tag"

All are found with the software model, in short messages.  That there is no warning does not mean that a mode is secure.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from modeloom.definition.messages import StreamModel, derived_key
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.errors import many
from modeloom.spec.stream import StreamMode

__all__ = ["warnings_of"]

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
