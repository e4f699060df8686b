# SPDX-License-Identifier: Apache-2.0
"""The bench of a core behind the LWC interface: words of PDI and SDI, and every word that DO has to give.

::

    phase    messages
    unkeyed  one before any key, which fails
    mixed    each direction, lengths around blocks, several segments, wrong tags, a new key now and then
    faults   wrong instructions, types, orders and lengths, with a good message behind each

All phases run twice: at full speed, and with pauses of PDI, SDI and DO.  A reset lies between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import filled
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.lwc import Header, Opcode, Segment
from modeloom.interfaces.messages import MessageCode
from modeloom.product.cases import POINTS, Case, Cases, length_point
from modeloom.product.message import LwcDescription, Message
from modeloom.protocol.outcome import judge_whole
from modeloom.protocol.segments import LONGEST, Piece, WordForm, words_in
from modeloom.spec import InputError
from modeloom.version import VERSION

__all__ = [
    "LwcItem", "LwcVectors", "bench_limit", "bench_verilog", "lwc_all", "lwc_cases", "lwc_items", "lwc_vectors", "vector_texts",
    "write_vectors",
]  # fmt: skip

# Messages for a core behind the LWC interface, with the words that DO has to give: for its bench, and as test vectors.
#
# Keys and messages come from a fixed seed, and results from the software model.

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
        self.form, self.rng = d.words, Random(SEED)
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
    most = min((3 * block, *maker.d.held_limits))
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
    npub = [*(lengths := form.lengths(0, 0)), form.segment(Header(Segment.NPUB, len(nonce)), nonce)]
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
    if 0 not in d.ways or maker.model is None:
        return
    beat = d.beat_bytes
    for extra in form.cut_texts(word):
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


def bench_limit(d: LwcDescription, vectors: LwcVectors) -> int:
    """Cycles in which all messages are done, with pauses."""
    return 64 * (len(vectors.pdi) + len(vectors.do)) + 8 * len(vectors.sdi) * (d.key_erase_cycles + 500) + 8 * d.erase_cycles + 4000


def bench_verilog(compiled: CompiledStream, d: LwcDescription) -> str:
    """The text of the bench, in SystemVerilog."""
    vectors = lwc_vectors(compiled, d)
    bits = d.interface_bits
    columns = {"pdi": vectors.pdi, "sdi": vectors.sdi, "wanted": [word for word, _ in vectors.do]}
    lines = [f"{name}[{at}] = {bits}'h{word:0{bits // 4}x};" for name, words in columns.items() for at, word in enumerate(words)]
    lines += [f"wanted_last[{at}] = 1'b{last};" for at, (_, last) in enumerate(vectors.do)]
    values = {
        "NAME": d.name, "VERSION": VERSION, "WORD_BITS": bits, "PDI_WORDS": len(vectors.pdi), "SDI_WORDS": len(vectors.sdi),
        "DO_WORDS": len(vectors.do), "MESSAGES": vectors.messages, "LIMIT": bench_limit(d, vectors), "VECTORS": "\n".join(lines),
    }  # fmt: skip
    return filled(__package__ or "", "bench.sv", values)


# -- cases -------------------------------------------------------------------------------------------------------------------------

# The messages and faults of the bench for a test in the user's own flow.
#
# A case is a message: its words on PDI are sent, its key goes to SDI, and what comes back are the words of DO.  Its status is its last
# word.

FAILED = 1
"""The code of a message whose status is a failure."""


def _points(d: LwcDescription, item: LwcItem, success: bool) -> Iterator[str]:
    """The points of coverage of an item."""
    message = item.message
    if message is None:
        yield "answer.no key" if item.sdi else "answer.fault"
        return
    if not item.key:
        yield "answer.before a key"
        return
    yield "answer.success" if success else "answer.wrong tag"
    yield f"direction.{'decrypt' if message.decrypt else 'encrypt'}"
    yield f"nonce.{'usual' if len(message.nonce) == d.nonces[0] else 'other'}"
    yield length_point("associated", len(message.ad), d.beat_bytes)
    yield length_point("text", len(message.data) - d.tag_bytes[0] * message.decrypt, d.beat_bytes)


def _wanted(d: LwcDescription) -> Mapping[str, Sequence[str]]:
    """The points of a core."""
    lengths = [*POINTS["associated"]]
    return {
        "direction": [("encrypt", "decrypt")[way] for way in d.ways], "associated": lengths, "text": lengths,
        "nonce": ["usual", *["other"] * (len(d.nonces) > 1)],
        "answer": [name for name in POINTS["answer"] if name != "wrong tag" or True in d.ways],
    }  # fmt: skip


def _case(d: LwcDescription, item: LwcItem) -> Case:
    *segments, status = words_in(item.do)
    size = d.word_bytes
    success = status == WordForm(size).status(True).words[0]
    keep = (1 << size) - 1
    sent, wanted = ([(word.to_bytes(size, "little"), keep) for word in words] for words in (words_in(item.pdi), segments))
    return Case(
        # A message has no command; the test reads its direction here.
        bytes([item.message is not None and item.message.decrypt]), sent, wanted, 0 if success else FAILED, status.to_bytes(size, "little"),
        key=b"".join(word.to_bytes(size, "little") for word in words_in(item.sdi)), points=tuple(_points(d, item, success)),
    )  # fmt: skip


def lwc_cases(compiled: CompiledStream, d: LwcDescription) -> Cases:
    """A message before any key, and then messages of each direction, new keys, wrong tags and faults."""
    first, *others = (_case(d, item) for item in lwc_all(compiled, d))
    fault = next(case for case in others if "answer.fault" in case.points)
    # Two faults follow each other at the end.
    return Cases(
        (), [first], [*others, fault, fault], bench_limit(d, lwc_vectors(compiled, d)), FAILED, _wanted(d), both=len(d.ways) > 1,
        absent=("stall.commands wait", "stall.status waits", "stall.data in pauses"),
    )  # fmt: skip


# -- text --------------------------------------------------------------------------------------------------------------------------

# Test vectors of a core behind the LWC interface as text, in the form that test benches of the development package of LWC read.
#
#     pdi.txt    # instructions and segments       sdi.txt    # keys            do.txt    # segments and statuses
#                INS = 20000000                               INS = 40000000              HDR = 52000005
#                HDR = D200000C                               HDR = C7000010              DAT = 0102030405000000
#                DAT = 0001020304050607...                    DAT = 00010203...           STT = E0000000

WORDS_A_LINE = 8
"""Words of data in a line."""

END = "###EOF"


def _lines(pieces: Iterable[Piece], digits: int) -> Iterator[str]:
    for piece in pieces:
        head, *data = (f"{word:0{digits}X}" for word in piece.words)
        yield f"{piece.kind} = {head}"
        for at in range(0, len(data), WORDS_A_LINE):
            yield f"DAT = {''.join(data[at : at + WORDS_A_LINE])}"


def _title(number: int, item: LwcItem) -> Iterator[str]:
    """The comment before a message."""
    message = item.message
    if message is None:
        return
    yield ""
    yield f"#### Authenticated {'Decryption' if message.decrypt else 'Encryption'}"
    yield f"#### MsgID={number:3}, KeyID={item.key:3}, associated data: {len(message.ad)} bytes, data: {len(message.data)} bytes"


def vector_texts(compiled: CompiledStream, d: LwcDescription) -> dict[str, str]:
    """The texts of ``pdi.txt``, ``sdi.txt`` and ``do.txt``: messages of every direction around the size of a block, with several segments,
    new keys and wrong tags."""
    digits = d.interface_bits // 4
    lines: dict[str, list[str]] = {
        name: [f"# {name}: {d.title}, test vectors of {d.name}", f"# Made by modeloom {d.version}; results come from its software model"]
        for name in ("pdi.txt", "sdi.txt", "do.txt")
    }
    for number, item in enumerate(lwc_items(compiled, d), 1):
        for name, pieces in (("pdi.txt", item.pdi), ("sdi.txt", item.sdi), ("do.txt", item.do)):
            if pieces:
                lines[name] += [*_title(number, item), *_lines(pieces, digits)]
    return {name: "\n".join([*found, "", END, ""]) for name, found in lines.items()}


def write_vectors(folder: str | Path, compiled: CompiledStream, d: LwcDescription) -> None:
    """Writes these files into a folder, which is created if it does not exist.  Raises ``InputError`` if this cannot be done."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in vector_texts(compiled, d).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: the test vectors cannot be written: {error.strerror or error}") from None
