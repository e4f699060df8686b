# SPDX-License-Identifier: Apache-2.0
"""Messages as words of the LWC interface, and messages from the words that a core gives.

::

    Message ──▶ instruction, headers, data ──▶ words of PDI          words of DO ──▶ headers, data, status ──▶ Answer
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from modeloom.interfaces.lwc import HEADER_BITS, MOST_SEGMENT, Header, Opcode, Segment, opcode_word, words_of

__all__ = ["LONGEST", "Answer", "Piece", "SegmentReader", "StatedWords", "WordForm", "words_in"]

LONGEST = MOST_SEGMENT // 64 * 64
"""Bytes of the segments of a long part, except for its last one: whole blocks and whole words."""


class Parts(Protocol):
    """The parts of a message, such as ``product.message.Message`` has: ``data`` end with the tag if it is to be opened."""

    @property
    def nonce(self) -> bytes: ...
    @property
    def ad(self) -> bytes: ...
    @property
    def data(self) -> bytes: ...
    @property
    def decrypt(self) -> int: ...


class Piece(NamedTuple):
    """An instruction, a segment or a status.

    Attributes
    ----------
    kind : str
        "INS" for an instruction, "HDR" for a segment, "STT" for a status.
    words : list of int
        The word of the instruction, of the header or of the status, and the data of a segment.
    """

    kind: str
    words: list[int]


def words_in(pieces: Iterable[Piece]) -> list[int]:
    """All words in order."""
    return [word for piece in pieces for word in piece.words]


@dataclass(frozen=True)
class WordForm:
    """The words of a core.

    Attributes
    ----------
    word_bytes : int
        Bytes of a word.
    segments : tuple of Segment
        The types of segments of a message.
    before_nonce : str
        What a message has before its nonce, for the datasheet.
    """

    word_bytes: int

    segments: ClassVar[tuple[Segment, ...]] = tuple(kind for kind in Segment if kind is not Segment.LENGTH)
    before_nonce: ClassVar[str] = ""

    def top(self, value: int) -> int:
        """A word with these 32 bits at its upper end."""
        return value << (8 * self.word_bytes - HEADER_BITS)

    def instruction(self, opcode: Opcode) -> Piece:
        """An instruction."""
        return Piece("INS", [self.top(opcode_word(opcode))])

    def status(self, success: bool) -> Piece:
        """A status."""
        return Piece("STT", [self.top(opcode_word(Opcode.SUCCESS if success else Opcode.FAILURE))])

    def segment(self, header: Header, data: bytes) -> Piece:
        """A segment."""
        return Piece("HDR", [self.top(header.value), *words_of(data, self.word_bytes)])

    def key(self, key: bytes) -> list[Piece]:
        """What loads a key on SDI."""
        return [self.instruction(Opcode.LOAD_KEY), self.segment(Header(Segment.KEY, len(key), True, True, True), key)]

    def begin(self, message: Parts, text: int, ad_segment: int = LONGEST) -> Iterator[Piece]:
        """The words of a message in front of its text, segment by segment.  The text has so many bytes.

        With 0 for ``ad_segment``, a message without associated data has no segment for them.
        """
        yield self.instruction(Opcode.DECRYPT if message.decrypt else Opcode.ENCRYPT)
        yield from self.lengths(len(message.ad), text)
        yield self.segment(Header(Segment.NPUB, len(message.nonce), not (message.ad or text)), message.nonce)
        if message.ad or ad_segment:
            yield from self.part(Segment.AD, message.ad, eoi=not text, most=ad_segment or LONGEST)

    def stated(self, associated: int, text: int) -> list[tuple[Header, bytes]]:
        """The header and the data of the segment of lengths, if a message begins with one."""
        return []

    def lengths(self, associated: int, text: int) -> list[Piece]:
        """This segment."""
        return [self.segment(header, data) for header, data in self.stated(associated, text)]

    def most_text(self, most: int) -> int:
        """Most bytes of text of a message, in a mode that takes so many."""
        return most

    def cut_texts(self, more: int) -> tuple[int, ...]:
        """Bytes of text beyond a beat, none or some *more*, that may have begun to leave before a fault comes."""
        return 0, more

    def part(self, kind: Segment, data: bytes, *, eoi: bool = False, last: bool = False, most: int = LONGEST) -> Iterator[Piece]:
        """The segments of associated data or text, each with at most ``most`` bytes.  The last one has EOT."""
        for at in range(0, len(data) or 1, most):
            end = at + most >= len(data)
            piece = data[at : at + most]
            yield self.segment(Header(kind, len(piece), bool(eoi and end and piece), end, last and end), piece)

    def message(self, message: Parts, tag_bytes: int, ad_segment: int = LONGEST, text_segment: int = LONGEST) -> Iterator[Piece]:
        """All segments of a message, whose ``data`` end with the tag if it is to be opened."""
        text, tag = message.data, b""
        if message.decrypt:
            text, tag = message.data[: len(message.data) - tag_bytes], message.data[len(message.data) - tag_bytes :]
        yield from self.begin(message, len(text), ad_segment)
        kind = Segment.CIPHERTEXT if message.decrypt else Segment.PLAINTEXT
        yield from self.part(kind, text, eoi=True, last=not message.decrypt, most=text_segment)
        if message.decrypt:
            yield self.segment(Header(Segment.TAG, len(tag), False, True, True), tag)

    def answer(self, decrypt: int, text: bytes | None, tag: bytes, success: bool, most: int = LONGEST) -> Iterator[Piece]:
        """What comes of a message on DO: the text in segments of at most *most* bytes if any leaves, the tag of one that was sealed, and
        the status."""
        if text is not None:
            yield from self.part(Segment.PLAINTEXT if decrypt else Segment.CIPHERTEXT, text, last=bool(decrypt), most=most)
        if success and not decrypt:
            yield self.segment(Header(Segment.TAG, len(tag), False, True, True), tag)
        yield self.status(success)


class StatedWords(WordForm):
    """The same, in modes that know the lengths of a message before it begins."""

    segments = tuple(Segment)
    before_nonce = "a segment of lengths (bytes of associated data, then of text, 32 bits each, big-endian), "

    def stated(self, associated: int, text: int) -> list[tuple[Header, bytes]]:
        data = associated.to_bytes(4, "big") + text.to_bytes(4, "big")
        return [(Header(Segment.LENGTH, len(data)), data)]

    def most_text(self, most: int) -> int:
        return min(most, (1 << 32) - 1)

    def cut_texts(self, more: int) -> tuple[int, ...]:
        return ()


@dataclass
class Answer:
    """What came of a message.

    Attributes
    ----------
    text, tag : bytes
    success : bool
        The status.
    segments : list of Header
        The headers in order.
    """

    text: bytes = b""
    tag: bytes = b""
    success: bool = False
    segments: list[Header] = field(default_factory=list)


class SegmentReader:
    """Reads the words of DO.

    Parameters
    ----------
    word_bytes : int
        Bytes of a word.
    """

    def __init__(self, word_bytes: int):
        self.word_bytes = word_bytes
        self._answer = Answer()
        self._text = bytearray()
        self._left = 0

    @property
    def begun(self) -> bool:
        """Whether a message has begun that has no status yet."""
        return bool(self._answer.segments or self._left)

    def text(self) -> bytes:
        """The text of the message under way that has come since the last call."""
        came = bytes(self._text)
        self._text.clear()
        return came

    def answers(self, words: Iterable[tuple[int, int]]) -> Iterator[Answer]:
        """The messages that end in these words, each a word with ``do_last``.  Raises ``ValueError`` for words that are no segments."""
        for word, last in words:
            if self._left:
                self._take(word, last)
                continue
            top = word >> (8 * self.word_bytes - HEADER_BITS)
            if word != top << (8 * self.word_bytes - HEADER_BITS):
                raise ValueError(f"a header with data behind it: {word:x}")
            if top in (opcode_word(Opcode.SUCCESS), opcode_word(Opcode.FAILURE)):
                if not last:
                    raise ValueError("a status that is not the last word of a message")
                answer, self._answer = self._answer, Answer()
                answer.text, answer.success = self.text(), top == opcode_word(Opcode.SUCCESS)
                yield answer
                continue
            header = Header.of(top)
            if last or header.value != top or header.type not in (Segment.PLAINTEXT, Segment.CIPHERTEXT, Segment.TAG):
                raise ValueError(f"no header and no status: {top:08x}")
            self._answer.segments.append(header)
            self._left = header.length

    def _take(self, word: int, last: int) -> None:
        data = word.to_bytes(self.word_bytes, "big")
        count = min(self._left, self.word_bytes)
        if last or any(data[count:]):
            raise ValueError(f"a word of data with bytes behind its end, or with do_last: {word:x}")
        self._left -= count
        if self._answer.segments[-1].type == Segment.TAG:
            self._answer.tag += data[:count]
        else:
            self._text += data[:count]
