# SPDX-License-Identifier: Apache-2.0
"""Messages for a core behind the LWC interface, with the words that DO has to give: for its bench, and as test vectors.

Keys and messages come from a fixed seed, and results from the software model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from modeloom.compiler.streams import CompiledStream
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.lwc import Header, Opcode, Segment
from modeloom.interfaces.messages import MessageCode
from modeloom.product.lwc import LwcDescription
from modeloom.product.message import Message
from modeloom.protocol.outcome import judge_whole
from modeloom.protocol.segments import LONGEST, Piece, WordForm, words_in

__all__ = ["LwcItem", "LwcVectors", "lwc_all", "lwc_items", "lwc_vectors"]

SEED = "lwc vectors"


@dataclass(frozen=True)
class LwcItem:
    """What is sent for one message, with its key if it brings one, and what comes back.

    Attributes
    ----------
    message : Message or None
        None if it is a fault.
    key : int
        The number of its key, from 1 on.
    pdi, sdi, do : list of Piece
    """

    message: Message | None
    key: int
    pdi: list[Piece]
    sdi: list[Piece]
    do: list[Piece]


@dataclass
class LwcVectors:
    """The words of all items.

    Attributes
    ----------
    pdi, sdi : list of int
    do : list of (int, int)
        Words with ``do_last``.
    messages : int
        Number of statuses.
    """

    pdi: list[int] = field(default_factory=list)
    sdi: list[int] = field(default_factory=list)
    do: list[tuple[int, int]] = field(default_factory=list)
    messages: int = 0

    def add(self, item: LwcItem) -> None:
        """Appends the words of an item."""
        self.pdi += words_in(item.pdi)
        self.sdi += words_in(item.sdi)
        self.do += [(word, int(piece.kind == "STT")) for piece in item.do for word in piece.words]
        self.messages += 1


class _Maker:
    """Makes items, one after another.

    Parameters
    ----------
    compiled : CompiledStream
    d : LwcDescription
    """

    def __init__(self, compiled: CompiledStream, d: LwcDescription):
        self.mode, self.cipher, self.d = compiled.mode, compiled.options.cipher, d
        self.form, self.rng = WordForm(d.word_bytes, bool(d.lengths_first)), Random(SEED)
        self.tag_bytes, self.keys = d.tag_bytes[0], 0
        self.model: StreamModel | None = None

    def new_key(self) -> tuple[list[Piece], list[Piece]]:
        """Another key: what activates it, and what loads it."""
        sizes = self.d.key_sizes
        key = self.rng.randbytes(sizes[self.keys % len(sizes)])
        self.model, self.keys = StreamModel(self.mode, key, self.cipher), self.keys + 1
        return [self.form.instruction(Opcode.ACTIVATE_KEY)], self.form.key(key)

    def item(
        self, ad: int, text: int, decrypt: int, *, new_key: bool = False, wrong: bool = False, nonce: int | None = None,
        ad_segment: int = LONGEST, text_segment: int = LONGEST,
    ) -> LwcItem:  # fmt: skip
        """A message with so many bytes."""
        pdi, sdi = self.new_key() if new_key else ([], [])
        header, data = self.rng.randbytes(ad), self.rng.randbytes(text)
        begin = self.rng.randbytes(self.d.nonces[0] if nonce is None else nonce)
        other, tag = (b"", b"") if self.model is None else self.model.run("encrypt", begin, data, header, self.tag_bytes)
        tag = tag[: self.tag_bytes]
        if self.model is None:
            other, tag = bytes(text), bytes(self.tag_bytes)
        if wrong:
            tag = tag[:-1] + bytes([tag[-1] ^ 1 << self.rng.randrange(8)])
        message = Message(begin, other + tag if decrypt else data, header, decrypt)
        pdi = [*pdi, *self.form.message(message, self.tag_bytes, ad_segment, text_segment)]
        found = judge_whole(self.d, decrypt, ad, text, self.tag_bytes, self.model is not None).settled(not wrong)
        shown = (data if decrypt else other) if found.leaves or not text else None
        answer = self.form.answer(decrypt, shown, tag, found.code == MessageCode.OK, text_segment)
        return LwcItem(message, self.keys, pdi, sdi, list(answer))


def lwc_items(compiled: CompiledStream, d: LwcDescription) -> Iterator[LwcItem]:
    """Right messages and messages with wrong tags: every direction, lengths around blocks, several segments, new keys."""
    yield from _messages(_Maker(compiled, d), d.block_bytes, d.word_bytes)


def _messages(maker: _Maker, block: int, word: int) -> Iterator[LwcItem]:
    most = 3 * block if maker.d.hold is None else min(3 * block, maker.d.hold)
    shapes = [(0, 0), (0, 1), (1, 0), (block, block), (block - 1, block + 1), (block + 1, block - 1), (2 * block, 0), (3, most), (33, 2)]
    for number, (ad, text) in enumerate(shapes):
        for decrypt in maker.d.ways:
            yield maker.item(ad, text, decrypt, new_key=number % 3 == 0 and decrypt == maker.d.ways[0])
    for decrypt in maker.d.ways:
        # Segments that end within beats, and one without data at the end.
        yield maker.item(2 * block + word, min(most, 2 * block + 1), decrypt, ad_segment=word, text_segment=block)
        yield maker.item(2 * block + word, min(most, 3 * block - 1), decrypt, ad_segment=word, text_segment=block + word)
        yield maker.item(2 * block, min(most, 2 * block), decrypt, ad_segment=block + word, text_segment=block)
        # No segment for associated data, once while the key is loaded, and a message of each direction behind it.
        for text in (0, 1, block):
            yield maker.item(0, min(most, text), decrypt, new_key=text == 1, ad_segment=0)
            yield from (maker.item(0, 1, way, ad_segment=0) for way in maker.d.ways)
        for nonce in maker.d.nonces[1:2]:
            yield maker.item(5, min(most, 20), decrypt, nonce=nonce)
    if True in maker.d.ways:
        for text in (0, 5, block):
            yield maker.item(4, min(most, text), True, wrong=True)
            yield maker.item(0, min(most, block + 3), True, new_key=text == 5)


def _faults(maker: _Maker, block: int, word: int) -> Iterator[LwcItem]:
    """Faults, with a right message behind each."""
    form, d = maker.form, maker.d
    nonce = maker.rng.randbytes(d.nonces[0])
    way = d.ways[0]
    begin = form.instruction(Opcode.DECRYPT if way else Opcode.ENCRYPT)
    kind, wrong = (Segment.CIPHERTEXT, Segment.PLAINTEXT) if way else (Segment.PLAINTEXT, Segment.CIPHERTEXT)
    lengths = [form.segment(Header(Segment.LENGTH, 8), bytes(8))] if d.lengths_first else []
    npub = [*lengths, form.segment(Header(Segment.NPUB, len(nonce)), nonce)]
    last = Header(kind, 0, last=True)
    few = maker.rng.randbytes(word + 1)
    cases: list[list[Piece]] = [
        [Piece("INS", [form.top(0x1 << 28)])],
        [form.instruction(Opcode.LOAD_KEY)],
        [form.instruction(Opcode.HASH), form.segment(Header(0x7, 3, True, True, True), b"abc")],
        # No nonce, a nonce that is too long, and one without data.
        [begin, *lengths, form.segment(Header(Segment.AD, 5), b"12345"), form.segment(last, b"")],
        [begin, *lengths, form.segment(Header(Segment.NPUB, block + 1), bytes(block + 1)), form.segment(last, b"")],
        [begin, *lengths, form.segment(Header(Segment.NPUB, 0), b""), form.segment(last, b"")],
        # The text of the other direction, behind associated data; associated data behind text; an unknown type.
        [begin, *npub, form.segment(Header(Segment.AD, 5), b"12345"), form.segment(Header(wrong, 5, last=True), b"12345")],
        [begin, *npub, form.segment(Header(Segment.AD, 0), b""), form.segment(Header(Segment.AD, 1, last=True), b"1")],
        [begin, *npub, form.segment(Header(0x2, word + 1, last=True), few)],
        # Part of a word, with more of the same type behind it; Last where the message does not end.
        [begin, *npub, form.segment(Header(Segment.AD, word + 1, eot=False), few), form.segment(last, b"")],
        [begin, *npub, form.segment(Header(Segment.AD, 4, last=True), b"1234")],
        [begin, *npub, form.segment(Header(kind, block - word, eot=False), bytes(block - word)), form.segment(last, b"")],
        [begin, form.segment(Header(Segment.LENGTH, 7), bytes(7)), *npub, form.segment(last, b"")],
    ]
    if True in d.ways:
        cases += [
            [form.instruction(Opcode.DECRYPT), *npub, form.segment(Header(Segment.CIPHERTEXT, 0, last=True), b"")],
            [
                form.instruction(Opcode.DECRYPT), *npub,
                form.segment(Header(Segment.TAG, maker.tag_bytes, last=True), bytes(maker.tag_bytes)),
            ],
        ]
    for pieces in cases:
        yield LwcItem(None, maker.keys, pieces, [], [form.status(False)])
        yield maker.item(3, 5, d.ways[-1])
    # Words on SDI that are no key: the wrong instruction, the wrong type, the wrong length.
    key = maker.rng.randbytes(d.key_sizes[0])
    bad: list[list[Piece]] = [
        [form.instruction(Opcode.ENCRYPT)],
        [form.instruction(Opcode.LOAD_KEY), form.segment(Header(Segment.AD, len(key), True, True, True), key)],
        [form.instruction(Opcode.LOAD_KEY), form.segment(Header(Segment.KEY, 0, True, True, True), b"")],
        form.key(key[:-1]),
        form.key(key + b"more than a key"),
    ]
    for pieces in bad:
        refused = maker.item(3, 5, d.ways[0])
        activate = form.instruction(Opcode.ACTIVATE_KEY)
        yield LwcItem(None, maker.keys, [activate, *refused.pdi], pieces, [form.status(False)])
        yield maker.item(3, 5, d.ways[-1], new_key=True)


def _cut(maker: _Maker, block: int, word: int) -> Iterator[LwcItem]:
    """Faults behind text that has begun to leave: its whole beats leave, and zeros fill the segment."""
    form, d = maker.form, maker.d
    if False not in d.ways or d.lengths_first or maker.model is None:
        return
    beat = d.beat_bytes
    for extra in (0, word):
        nonce, text = maker.rng.randbytes(d.nonces[0]), maker.rng.randbytes(beat + extra)
        whole = len(text) // beat * beat  # a word can be as wide as a beat
        other = maker.model.run("encrypt", nonce, text, b"", maker.tag_bytes)[0]
        pieces = [
            form.instruction(Opcode.ENCRYPT), form.segment(Header(Segment.NPUB, len(nonce)), nonce),
            form.segment(Header(Segment.PLAINTEXT, len(text), eot=False), text), form.segment(Header(Segment.TAG, 4, last=True), b"1234"),
        ]  # fmt: skip
        left = form.segment(Header(Segment.CIPHERTEXT, len(text), eot=False), other[:whole] + bytes(len(text) - whole))
        yield LwcItem(None, maker.keys, pieces, [], [left, form.status(False)])
        yield maker.item(3, 5, False)


def lwc_all(compiled: CompiledStream, d: LwcDescription) -> Iterator[LwcItem]:
    """A message before any key, and then messages and faults of all kinds."""
    maker, block, word = _Maker(compiled, d), d.block_bytes, d.word_bytes
    yield maker.item(3, 5, d.ways[0])
    for make in (_messages, _faults, _cut):
        yield from make(maker, block, word)


def lwc_vectors(compiled: CompiledStream, d: LwcDescription) -> LwcVectors:
    """The words of the bench."""
    vectors = LwcVectors()
    for item in lwc_all(compiled, d):
        vectors.add(item)
    return vectors
