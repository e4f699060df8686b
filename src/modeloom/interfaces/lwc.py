# SPDX-License-Identifier: Apache-2.0
"""The LWC interface: instructions and segments on PDI and SDI, segments and a status on DO.

An instruction, a header and a status are the upper 32 bits of a word.  Data follow in words whose upper byte is the first one::

    31    28 27      26   25   24   23      16 15            0
    ├ type ─┼ partial ┼ EOI ┼ EOT ┼ Last ┼ reserved ─┼ bytes of data ─┤      header of a segment
    ├ opcode ┼ 0 ...                                                  ┤      instruction, status

    PDI   encrypt │ Npub │ AD ... │ plaintext ...          DO   ciphertext ... │ tag │ success
          decrypt │ Npub │ AD ... │ ciphertext ... │ tag        plaintext ... │ success or failure
          activate key                                     SDI  load key │ key

Source: J.-P. Kaps et al., "Hardware API for Lightweight Cryptography", GMU, version 1.2, sections 3 and 4; the API for CAESAR
(ePrint 2016/626) has the same words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from modeloom.interfaces.shared import CONTROL
from modeloom.interfaces.table import Interface, Port, Role, Side, Width

__all__ = [
    "HEADER_BITS", "LENGTH_SEGMENT_BYTES", "MOST_SEGMENT", "WORD_BITS", "Header", "Opcode", "Segment", "lwc_core", "opcode_word",
    "words_of",
]  # fmt: skip

HEADER_BITS = 32
"""Bits of an instruction, of a header and of a status."""

WORD_BITS = (32, 64, 128)
"""Widths of words.  Version 1.2 of the API for lightweight cryptography ends at 32 bits, and that for CAESAR has more."""

MOST_SEGMENT = 0xFFFF
"""Most bytes of a segment."""

LENGTH_SEGMENT_BYTES = 8
"""Bytes of a length segment: the number of bytes of associated data, and that of text, each of 32 bits, big-endian."""


class Opcode(IntEnum):
    """The upper four bits of an instruction or of a status."""

    ENCRYPT = 0x2
    DECRYPT = 0x3
    LOAD_KEY = 0x4
    ACTIVATE_KEY = 0x7
    HASH = 0x8
    SUCCESS = 0xE
    FAILURE = 0xF


class Segment(IntEnum):
    """The type of a segment: the upper four bits of its header."""

    AD = 0x1
    PLAINTEXT = 0x4
    CIPHERTEXT = 0x5
    TAG = 0x8
    LENGTH = 0xA
    KEY = 0xC
    NPUB = 0xD


@dataclass(frozen=True)
class Header:
    """The header of a segment.

    Attributes
    ----------
    type : int
        A ``Segment``, or another number of four bits.
    length : int
        Bytes of data, 0 to ``MOST_SEGMENT``.
    eoi : bool
        The last segment of the input that has data, except for the tag.  Cores ignore it.
    eot : bool
        The last segment of its type.
    last : bool
        The last segment of the message.
    """

    type: int
    length: int
    eoi: bool = False
    eot: bool = True
    last: bool = False

    @property
    def value(self) -> int:
        """The 32 bits.  Raises ``ValueError`` for a length that a segment cannot have."""
        if not 0 <= self.length <= MOST_SEGMENT:
            raise ValueError(f"a segment has 0 to {MOST_SEGMENT} bytes, not {self.length}")
        return int(self.type) << 28 | self.eoi << 26 | self.eot << 25 | self.last << 24 | self.length

    @classmethod
    def of(cls, value: int) -> Header:
        """The header from its 32 bits."""
        return cls(value >> 28, value & MOST_SEGMENT, bool(value >> 26 & 1), bool(value >> 25 & 1), bool(value >> 24 & 1))


def opcode_word(opcode: Opcode) -> int:
    """The 32 bits of an instruction or of a status."""
    return int(opcode) << 28


def words_of(data: bytes, word_bytes: int) -> list[int]:
    """The words of the data of a segment, zero behind their end."""
    return [int.from_bytes(data[at : at + word_bytes].ljust(word_bytes, b"\0"), "big") for at in range(0, len(data), word_bytes)]


def _stream(name: str, about: str, driver: Side, ports: tuple[Port, ...]) -> Interface:
    """A stream of words with the names that LWC has for its ports."""
    valid = Port("valid", Width(), "the sender offers a word", "valid")
    ready = Port("ready", Width(), "the receiver takes it", "ready", driver.other)
    return Interface(name, name, about, driver, (valid, ready, *ports), stream=False)


@cache
def lwc_core(word_bits: int = 32) -> tuple[Interface, ...]:
    """All interfaces of a core with this interface, in the order of the emitted top, after ``aclk`` and ``aresetn``.

    Parameters
    ----------
    word_bits : int
        Width of words, one of ``WORD_BITS``.
    """
    width = Width(word_bits)
    return (
        CONTROL,
        _stream(
            "pdi", "public data in: instructions, and the segments of messages; byte 0 of a word is its upper byte", Side.HOST,
            (Port("data", width, "an instruction, a header or data", "payload", role=Role.DATA),),
        ),
        _stream(
            "sdi", "secret data in: the key that an instruction on PDI activates", Side.HOST,
            (Port("data", width, "an instruction, a header or bytes of a key", "payload", role=Role.KEY),),
        ),
        _stream(
            "do", "data out: segments of text, the tag of a message that was sealed, and a status", Side.CORE,
            (
                Port("data", width, "a header, data or a status", "payload.data", role=Role.RESULT),
                Port("last", Width(), "the last word of a message, which is its status", "payload.last"),
            ),
        ),
    )  # fmt: skip
