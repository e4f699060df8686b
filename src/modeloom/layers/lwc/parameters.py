# SPDX-License-Identifier: Apache-2.0
"""The sizes of the LWC interface, and the layouts of what its parts give each other.

::

    word      ├ type 4 ┼ flags ┼ length 16 ┤ rest: zero          byte 0 of data is the upper byte of a word
    RECORD    what the writer has to know, in order: a segment of text, the end of a message, or a fault without a message
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import HEADER_BITS, WORD_BITS
from modeloom.rtl.bus.ports import erased, join
from modeloom.rtl.stream.forms import AlignedPackets
from modeloom.rtl.stream.parameters import CODE_BITS, STATUS_PLACES, MessageDepths, MessageParameters, power_of_two
from modeloom.rtl.stream.storage import Queue

if TYPE_CHECKING:
    from modeloom.rtl.stream.bus import MessageBus

__all__ = [
    "HEADER", "HeaderGate", "LwcParameters", "Record", "Segments", "entered_depth", "late_layout", "record_layout", "segment_depth",
    "swapped",
]  # fmt: skip

SEGMENT_TAGS, SEGMENT_SLACK = 4, 8
"""Tags that wait for the end of their message, and beats or records that are on the way between the parts, amply."""

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


def segment_depth(p: MessageDepths) -> int:
    """Records of segments of text whose text cannot have left.

    Each has a block at least.  Text waits while its tokens are in the window of the hash and, if it is held, until its message ends.
    """
    return power_of_two(p.lanes * (p.token_depth + p.hold_depth + SEGMENT_SLACK) + SEGMENT_SLACK)


def entered_depth(p: MessageDepths) -> int:
    """Messages whose last token has entered the pipeline, and whose status has not been written.

    A status in the buffer at its port has returned its place, so there are more of them than ``tag_depth``.
    """
    return power_of_two(p.tag_depth + STATUS_PLACES)


def late_layout(parameters: MessageParameters) -> StructLayout:
    """The layout of a tag that comes behind the text of its message, with the code of a fault."""
    return StructLayout({"tag": parameters.block_bits, "code": CODE_BITS})


@dataclass(frozen=True)
class Segments(AlignedPackets):
    """Beats that are made of segments of LWC.  They are as in aligned form, but the tag comes behind them, and a beat says whether it is
    associated data, whose number nobody knows before.

    The bus has further members.  ``late`` has the tag of each message to open, zero for others, and the code of a fault in its segments;
    it comes before the last beat of the message.  ``last_enters`` says that the last token of a message enters the pipeline, and
    ``has_text`` whether the message has a packet of text.  With ``hold``, ``judged`` and ``right`` are the verdict on such a message to be
    opened.
    """

    late_tag: ClassVar[bool] = True
    unstated: ClassVar[bool] = True

    def words(self, p: MessageDepths) -> tuple[int, ...]:
        """Those of records and of messages that have entered."""
        return segment_depth(p), entered_depth(p)

    def ports(self, p: MessageParameters) -> dict[str, object]:
        """Tags, and what becomes of messages."""
        judged = dict.fromkeys(p.delivery.judged, Out(1))
        return {"late": In(stream.Signature(late_layout(p))), "last_enters": Out(1), "has_text": Out(1), **judged}

    def around(self, m: Module, bus: MessageBus) -> None:
        """Takes the tags to their verdicts."""
        p, entry, enters = bus.parameters, bus.entry, Signal(name="last_enters_now")
        m.submodules.late = late = Queue(late_layout(p), SEGMENT_TAGS, p.erase_bits)
        wiring.connect(m, wiring.flipped(bus.late), late.i)
        m.d.comb += [
            *erased(bus, late), enters.eq(entry.verdict_valid & ~entry.verdict.empty), late.o.ready.eq(enters),
            bus.last_enters.eq(enters), bus.has_text.eq(entry.verdict.packet), bus.verdicts.verdict.tag.eq(late.o.payload.tag),
        ]  # fmt: skip
        with m.If(late.o.payload.code > entry.verdict.code):
            m.d.comb += bus.verdicts.verdict.code.eq(late.o.payload.code)
        m.d.comb += join(bus.verdicts, bus, *p.delivery.judged)


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
        if not isinstance(self.messages.form, Segments) or self.messages.key_slots != 2:
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
