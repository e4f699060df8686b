# SPDX-License-Identifier: Apache-2.0
"""The sizes of the LWC interface, and the layouts of what its parts give each other.

::

    word      ├ type 4 ┼ flags ┼ length 16 ┤ rest: zero          byte 0 of data is the upper byte of a word
    RECORD    what the writer has to know, in order: a segment of text, the end of a message, or a fault without a message
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import HEADER_BITS, WORD_BITS
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["HEADER", "HeaderGate", "LwcParameters", "Record", "record_layout", "swapped"]

HEADER = StructLayout({"length": 16, "reserved": 8, "last": 1, "eot": 1, "eoi": 1, "partial": 1, "type": 4})
"""The 32 bits of a header, bit 0 first.  The type of an instruction or of a status is its opcode."""


class Record(IntEnum):
    """Kinds of records."""

    TEXT = 0
    """A segment of text, with its length and whether it is the last one."""
    END = 1
    """The end of a message, whose status comes from the message control."""
    FAULT = 2
    """A fault in front of a message: nothing but a status."""


def record_layout() -> StructLayout:
    """The layout of a record."""
    return StructLayout({"kind": 2, "decrypt": 1, "eot": 1, "length": 16})


def swapped(word: Value) -> Value:
    """The bytes of a value in the opposite order: the first byte of a word is its upper one, and that of a beat its lower one."""
    return Cat(word.word_select(at, 8) for at in reversed(range(len(word) // 8)))


@dataclass(frozen=True, kw_only=True)
class LwcParameters:
    """The sizes of the interface.

    Parameters
    ----------
    messages : MessageParameters
        Those of the message control, with segments and two key slots.
    word_bits : int
        Width of words, one of ``WORD_BITS``.

    Raises
    ------
    ValueError
        If the message control is of another form, or a block is no whole number of words.
    """

    messages: MessageParameters
    word_bits: int = 32

    def __post_init__(self) -> None:
        if self.word_bits not in WORD_BITS:
            raise ValueError(f"words have {', '.join(map(str, WORD_BITS))} bits, not {self.word_bits}")
        if not self.messages.segments or self.messages.key_slots != 2:
            raise ValueError("the message control takes segments and has two key slots")
        if self.messages.block_bytes % self.word_bytes:
            raise ValueError(f"a block of {self.messages.block_bytes} bytes is no whole number of words of {self.word_bytes} bytes")

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.word_bits // 8

    @property
    def offset_bits(self) -> int:
        """Bits of the number of a byte in a word."""
        return self.word_bytes.bit_length() - 1

    @property
    def beat_words(self) -> int:
        """Words of a beat of the message control."""
        return self.messages.beat_bytes // self.word_bytes

    @property
    def block_words(self) -> int:
        """Words of a block."""
        return self.messages.block_bytes // self.word_bytes

    @property
    def tag_bytes(self) -> int:
        """Bytes of a tag: the default length of the mode, since a message to seal says nothing of it."""
        return self.messages.plan.mode.tag_bytes[0]

    @property
    def count_bits(self) -> int:
        """Bits of the number of words of a segment, which may be as many as fit into 65535 bytes and one more."""
        return 16 - self.offset_bits + 1

    def header(self, word: Value) -> Value:
        """The upper 32 bits of a word."""
        return word[self.word_bits - HEADER_BITS :]


class HeaderGate(wiring.Component):
    """The place where words become public: instructions and headers pass, and data do not.

    ::

        word ──────┐
        is public ─┴──▶ & ──▶ header, or zero

    PDI and SDI carry secrets and headers over the same wires.  Whether the next word is a header follows from the headers before it, and
    never from data.  So all that control knows of a word comes through this gate, which is closed while the words are data.  The check for
    timing channels takes its output as public, and asks that no other way leads from words to control.

    Members
    -------
    word : In(word_bits)
    public : In(1)
        The word is an instruction or a header, if it is one at all.
    header : Out(HEADER)
        Zero for other words.
    """

    def __init__(self, parameters: LwcParameters):
        self.parameters = parameters
        super().__init__({"word": In(parameters.word_bits), "public": In(1), "header": Out(HEADER)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        top = self.parameters.header(self.word)
        m.d.comb += self.header.as_value().eq(top & self.public.replicate(len(top)))
        return m
