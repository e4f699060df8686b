# SPDX-License-Identifier: Apache-2.0
"""Takes instructions and segments from PDI: commands, beats and tags for the message control, and records for the writer.

::

    INSTRUCTION ──encrypt, decrypt──▶ HEADER ◀──────┐
      ▲ │ │                             └──▶ DATA ──┴── words of nonce, associated data, text, tag
      │ │ └──activate key──▶ ACTIVATE ──▶ the key of SDI goes into the slot that is not in use
      │ └────another─────▶ FAULT ──▶ record
      └── the segment with Last has ended ──▶ finish: tag, last beat, record, beside the words that follow

A segment must have a type that may come here, and a length that it may have.  Otherwise the message is faulty: its other segments are
skipped up to the one with Last, and the message ends with FAILURE.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import LENGTH_SEGMENT_BYTES, Opcode, Segment
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.layers.lwc.parameters import (
    HEADER,
    HeaderGate,
    LwcParameters,
    Record,
    entered_depth,
    late_layout,
    record_layout,
    segment_depth,
    swapped,
)
from modeloom.rtl.bus.ports import BusComponent, RegisterSlice, key_beat
from modeloom.rtl.stream.command import command_layout
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.verdicts import status_layout

__all__ = ["BeatAssembler", "ExpectedSegment", "KeyLoader", "Phase", "SegmentParser", "SegmentWriter", "piece_layout", "word_layout"]


# -- loader ----------------------------------------------------------------------------------------------------------------------------

# Loads the key on SDI into the slot that is not in use, when an instruction on PDI activates it.
#
#     IDLE ──activate──▶ INSTRUCTION ──load key──▶ HEADER ──key──▶ DATA ──last beat──▶ SETTLE ──▶ WAIT ──▶ IDLE
#                             └──────another─────────┴────▶ SKIP ──▶ EMPTY ──────────────┘
#
# There are two slots, which take turns.  So a key is prepared while messages of the one before are under way.  If what comes is no key, the
# slot is erased, and messages are refused until the next key.


class KeyLoader(BusComponent[LwcParameters]):
    """A word of a key a cycle while the key port takes them.

    Members
    -------
    sdi : stream of words
    activate, idle : In(1), Out(1)
        Asks for a key, while nothing is worked on.
    slot : Out(1)
        The slot of the last key.
    key : stream of key_beat
        For the key port.
    busy : In(1)
        The key port works on a packet.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        return {
            "sdi": In(stream.Signature(parameters.word_bits)), "activate": In(1), "idle": Out(1), "slot": Out(1),
            "key": Out(stream.Signature(key_beat(2))), "busy": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        count = KEY_BEAT_BYTES // p.word_bytes
        m.submodules.gate = gate = HeaderGate(p)
        header, word, valid, ready = gate.header, self.sdi.payload, self.sdi.valid, self.sdi.ready
        slot_reg = Signal()
        words_reg = [Signal(p.word_bits, name=f"word_{at}_reg") for at in range(count)]
        number_reg = Signal(range(max(2, count)))
        nbytes_reg = Signal(range(KEY_BEAT_BYTES + 1))
        left_reg = Signal(p.count_bits)
        tail_reg = Signal(p.offset_bits)
        full_reg = Signal()
        last_word, key = left_reg == 1, self.key.payload
        m.d.comb += [
            gate.word.eq(word), self.slot.eq(slot_reg), key.slot.eq(slot_reg), key.data.eq(Cat(words_reg)),
            key.keep.eq(Cat(nbytes_reg > at for at in range(KEY_BEAT_BYTES))), key.last.eq(left_reg == 0),
        ]  # fmt: skip
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.idle.eq(1)
                with m.If(self.activate):
                    m.d.sync += slot_reg.eq(~slot_reg)
                    m.next = "INSTRUCTION"
            with m.State("INSTRUCTION"):
                m.d.comb += [ready.eq(1), gate.public.eq(1)]
                with m.If(valid):
                    m.next = "EMPTY"
                    with m.If(header.type == Opcode.LOAD_KEY):
                        m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [ready.eq(1), gate.public.eq(1)]
                with m.If(valid):
                    m.d.sync += [
                        left_reg.eq(header.length[p.offset_bits :] + header.length[: p.offset_bits].any()),
                        tail_reg.eq(header.length[: p.offset_bits]), number_reg.eq(0),
                    ]  # fmt: skip
                    with m.If(~header.length.any()):
                        m.next = "EMPTY"
                    with m.Elif((header.type == Segment.KEY) & header.eot & header.last):
                        m.next = "DATA"
                    with m.Else():
                        m.next = "SKIP"
            with m.State("DATA"):
                m.d.comb += [ready.eq(~full_reg), self.key.valid.eq(full_reg)]
                with m.If(valid & ready):
                    m.d.sync += [
                        left_reg.eq(left_reg - 1), number_reg.eq(number_reg + 1),
                        full_reg.eq(last_word | (number_reg == count - 1)),
                        nbytes_reg.eq(number_reg * p.word_bytes + p.word_bytes),
                    ]  # fmt: skip
                    with m.If(last_word & (tail_reg != 0)):
                        m.d.sync += nbytes_reg.eq(number_reg * p.word_bytes + tail_reg)
                    for at, word_reg in enumerate(words_reg):
                        with m.If(number_reg == at):
                            m.d.sync += word_reg.eq(swapped(word))
                with m.If(full_reg & self.key.ready):
                    # Nothing of a key stays here.
                    m.d.sync += [full_reg.eq(0), number_reg.eq(0), *(word_reg.eq(0) for word_reg in words_reg)]
                    with m.If(left_reg == 0):
                        m.next = "SETTLE"
            with m.State("SKIP"):
                m.d.comb += ready.eq(1)
                with m.If(valid):
                    m.d.sync += left_reg.eq(left_reg - 1)
                    with m.If(last_word):
                        m.next = "EMPTY"
            with m.State("EMPTY"):
                m.d.comb += [self.key.valid.eq(1), key.erase.eq(1), key.last.eq(1), key.keep.eq(-1)]
                with m.If(self.key.ready):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.next = "WAIT"
            with m.State("WAIT"):
                with m.If(~self.busy):
                    m.next = "IDLE"
        return m


# -- writer ----------------------------------------------------------------------------------------------------------------------------

# Writes DO: the segments of text that the records tell, the tag of a message that was sealed, and a status for each message.
#
#     NEXT ──segment of text──▶ header ──▶ TEXT ──its words──┐
#      ▲ │ ▲─────────────────────────────────────────────────┘
#      │ └──end of a message──▶ END ──sealed──▶ header, TAG ──▶ STATUS
#      └────────────────────────────────────────────────────────┘
#
# A header leaves only if its text comes.  Of a message that the core refuses, and of a message with a wrong tag whose text is held, a
# status is all that leaves.  If a fault ends a message within its text, zeros fill the segment that has begun.


def word_layout(parameters: LwcParameters) -> StructLayout:
    """A word of DO: its data, and whether it is the last one of a message."""
    return StructLayout({"data": parameters.word_bits, "last": 1})


class SegmentWriter(BusComponent[LwcParameters]):
    """One word per cycle while the text is there.

    Members
    -------
    records : stream of record_layout
        From the parser.
    text, status : streams
        From the message control.
    last_enters, has_text : In(1), In(1)
        The last token of a message enters the pipeline, and whether text of the message comes.
    judged, right : In(1), In(1)
        With ``hold`` only: the verdict on a message to be opened that has text.
    do : stream of word_layout
        The payload is zero while not valid.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        messages = parameters.messages
        return {
            "records": In(stream.Signature(record_layout())), "text": In(stream.Signature(text_layout(messages))),
            "status": In(stream.Signature(status_layout(messages))), "last_enters": In(1), "has_text": In(1),
            **dict.fromkeys(messages.delivery.judged, In(1)), "do": Out(stream.Signature(word_layout(parameters))),
            "erase": In(1), "erase_address": In(messages.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, messages = self.parameters, self.parameters.messages
        m.submodules.queue = records = Queue(record_layout(), segment_depth(messages), messages.erase_bits)
        m.submodules.ended = ended = Queue(1, entered_depth(messages), messages.erase_bits)
        m.submodules.out = out = RegisterSlice(word_layout(p))
        queues = [records, ended]
        fates: Any = None
        if messages.delivery.judged:
            m.submodules.fates = fates = Queue(1, entered_depth(messages), messages.erase_bits)
            queues.append(fates)
            m.d.comb += [fates.i.valid.eq(self.judged), fates.i.payload.eq(self.right)]
        wiring.connect(m, wiring.flipped(self.records), records.i)
        m.d.comb += [
            *(queue.erase.eq(self.erase) for queue in queues), *(queue.erase_address.eq(self.erase_address) for queue in queues),
            ended.i.valid.eq(self.last_enters), ended.i.payload.eq(self.has_text),
            self.do.valid.eq(out.o.valid), out.o.ready.eq(self.do.ready),
            self.do.payload.as_value().eq(out.o.payload.as_value() & out.o.valid.replicate(p.word_bits + 1)),
        ]  # fmt: skip
        record, valid = records.o.payload, records.o.valid
        # Of a message: its text comes; it failed before; all of its text has been taken.
        known_reg, failed_reg, dry_reg = (Signal(name=name) for name in ("known_reg", "failed_reg", "dry_reg"))
        left_reg = Signal(p.count_bits)
        place_reg = Signal(range(max(2, p.beat_words)))
        tag_reg = Signal(range(max(2, p.block_words)))
        wrong_reg = Signal()
        put, data, accepted = out.i.valid, out.i.payload.data, out.i.ready
        text, beat, status = self.text, self.text.payload, self.status.payload

        with m.FSM():
            with m.State("NEXT"):
                with m.If(valid & (record.kind == Record.TEXT)):
                    give = known_reg | ~record.length.any()
                    with m.If(failed_reg):
                        m.d.comb += records.o.ready.eq(1)
                    with m.Elif(give):
                        type_ = Mux(record.decrypt, Segment.PLAINTEXT, Segment.CIPHERTEXT)
                        m.d.comb += [put.eq(1), data.eq(self._header(m, type_, record.length, record.eot, record.eot & record.decrypt))]
                        with m.If(accepted):
                            m.d.sync += left_reg.eq(record.length[p.offset_bits :] + record.length[: p.offset_bits].any())
                            with m.If(record.length.any()):
                                m.next = "TEXT"
                            with m.Else():
                                m.d.comb += records.o.ready.eq(1)
                    with m.Else():
                        self._decide(m, record.decrypt, ended, fates, known_reg, failed_reg)
                with m.Elif(valid & (record.kind == Record.END)):
                    m.next = "END"
                with m.Elif(valid):
                    m.d.comb += records.o.ready.eq(1)
                    m.d.sync += wrong_reg.eq(1)
                    m.next = "STATUS"
            with m.State("TEXT"):
                # The beat that cuts a packet off has no bytes.
                cut = text.valid & ~beat.keep[0]
                end = left_reg == 1
                m.d.comb += [
                    put.eq((text.valid & ~cut) | dry_reg),
                    data.eq(Mux(dry_reg, 0, swapped_words(p, beat.data, place_reg))),
                    text.ready.eq(~dry_reg & (cut | (accepted & ((place_reg == p.beat_words - 1) | (end & record.eot))))),
                ]  # fmt: skip
                with m.If(text.valid & text.ready & beat.last):
                    m.d.sync += dry_reg.eq(1)
                with m.If(put & accepted):
                    m.d.sync += [left_reg.eq(left_reg - 1), place_reg.eq(Mux(place_reg == p.beat_words - 1, 0, place_reg + 1))]
                    with m.If(end):
                        m.d.comb += records.o.ready.eq(1)
                        m.next = "NEXT"
            with m.State("END"):
                code = status.code
                # What has begun to leave has an end, even if no segment waits for it.
                with m.If(known_reg & ~dry_reg):
                    m.d.comb += text.ready.eq(1)
                    with m.If(text.valid & beat.last):
                        m.d.sync += dry_reg.eq(1)
                with m.Elif(self.status.valid):
                    seals = ~record.decrypt & ~code.any()
                    m.d.sync += [wrong_reg.eq(code.any()), tag_reg.eq(0)]
                    m.d.comb += [
                        put.eq(seals), data.eq(self._header(m, Const(Segment.TAG, 4), Const(p.tag_bytes, 16), Const(1, 1), Const(1, 1))),
                    ]  # fmt: skip
                    with m.If(~seals):
                        m.next = "CLOSE"
                    with m.Elif(accepted):
                        m.next = "TAG"
            with m.State("TAG"):
                m.d.comb += [put.eq(1), data.eq(swapped_words(p, status.tag, tag_reg))]
                with m.If(accepted):
                    m.d.sync += tag_reg.eq(tag_reg + 1)
                    with m.If(tag_reg == -(-p.tag_bytes // p.word_bytes) - 1):
                        m.next = "CLOSE"
            with m.State("CLOSE"):
                m.d.comb += [records.o.ready.eq(1), ended.o.ready.eq(1), self.status.ready.eq(1)]
                m.d.sync += [known_reg.eq(0), failed_reg.eq(0), dry_reg.eq(0), place_reg.eq(0)]
                m.next = "STATUS"
            with m.State("STATUS"):
                code_word = Signal(HEADER)
                m.d.comb += [
                    code_word.type.eq(Mux(wrong_reg, Opcode.FAILURE, Opcode.SUCCESS)), put.eq(1), out.i.payload.last.eq(1),
                    p.header(data).eq(code_word.as_value()),
                ]  # fmt: skip
                with m.If(accepted):
                    m.next = "NEXT"
        return m

    def _header(self, m: Module, kind: Value, length: Value, eot: Value, last: Value) -> Value:
        """A word with the header of a segment."""
        p = self.parameters
        header, word = Signal(HEADER, name="header"), Signal(p.word_bits, name="header_word")
        m.d.comb += [header.type.eq(kind), header.length.eq(length), header.eot.eq(eot), header.last.eq(last)]
        m.d.comb += p.header(word).eq(header.as_value())
        return word

    def _decide(self, m: Module, decrypt: Value, ended: Queue, fates: Any, known: Signal, failed: Signal) -> None:
        """Whether the text of a message comes, of which no word has left yet.

        While the last token of the message has not entered, text that is there belongs to it.  Behind that, it may be that of the next
        message.
        """
        has = ended.o.payload
        with m.If(ended.o.valid & ~has):
            m.d.sync += failed.eq(1)
        if fates is None:
            with m.Elif(ended.o.valid | self.text.valid):
                m.d.sync += known.eq(1)
            return
        with m.Elif(~decrypt & (ended.o.valid | self.text.valid)):
            m.d.sync += known.eq(1)
        with m.Elif(ended.o.valid & fates.o.valid):
            m.d.comb += fates.o.ready.eq(1)
            m.d.sync += [known.eq(fates.o.payload), failed.eq(~fates.o.payload)]


def swapped_words(p: LwcParameters, value: Value, number: Value) -> Value:
    """A word of a beat or of a block, by its number."""
    return swapped(value.word_select(number, p.word_bits))


# -- parser ----------------------------------------------------------------------------------------------------------------------------

# Puts the words of associated data and text into beats, and says which beat is the last one of its message.
#
#     words  w0 w1 w2 w3 │ w4 w5 ▏            text ends behind w5, with a part of it
#     beats  ├─ full ────┤ ├ partial ┤        a beat of text waits here for the next word of text, or for the end of the message
#
# A beat of text cannot leave before it is known whether it is the last one.  For a message to open, this is known when its tag is there.
# A message without text ends with a beat that has no bytes.

def piece_layout(parameters: LwcParameters) -> StructLayout:
    """The layout of a word of data, byte 0 lowest: how many of its bytes count, whether they are the last ones of associated data or of
    text, and whether they are associated data."""
    p = parameters
    return StructLayout({"data": p.word_bits, "nbytes": range(p.word_bytes + 1), "ends": 1, "associated": 1})


class BeatAssembler(BusComponent[LwcParameters]):
    """One word per cycle.  ``i.ready`` does not depend on ``i.valid``.

    Members
    -------
    i : stream of piece_layout
        Associated data, and then text.  Only the last word of each may have fewer bytes than a word.
    flush : In(1)
        No more words of associated data, or of text, come, although the last one did not say so.
    finish : stream without payload
        The message ends.  What has been put into a beat in part, which happens in a faulty message only, is dropped.
    o : stream of packet_layout
        Beats for the message control.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        return {
            "i": In(stream.Signature(piece_layout(parameters))), "flush": In(1), "finish": In(stream.Signature(0)),
            "o": Out(stream.Signature(packet_layout(parameters.messages))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, size = self.parameters, self.parameters.messages.beat_bytes
        words_reg = [Signal(p.word_bits, name=f"word_{at}_reg") for at in range(p.beat_words)]
        fill_reg = Signal(range(max(2, p.beat_words)))
        nbytes_reg = Signal(range(size + 1))
        full_reg, associated_reg = (Signal(name=name) for name in ("full_reg", "associated_reg"))
        take, last, push = (Signal(name=name) for name in ("take", "last", "push"))
        piece = self.i.payload
        complete = (fill_reg == p.beat_words - 1) | piece.ends
        m.d.comb += [
            last.eq(self.finish.valid & ~(full_reg & associated_reg)),
            # The next word of text shows that the beat before it is not the last one.
            self.o.valid.eq(self.finish.valid | (full_reg & (associated_reg | self.i.valid))),
            push.eq(self.o.valid & self.o.ready), self.finish.ready.eq(self.o.ready & last),
            self.i.ready.eq(~full_reg | self.o.ready), take.eq(self.i.valid & self.i.ready),
            self.o.payload.data.eq(Cat(words_reg)), self.o.payload.last.eq(last),
            self.o.payload.keep.eq(Cat((nbytes_reg > at) & full_reg for at in range(size))),
        ]  # fmt: skip
        if p.messages.marked:
            m.d.comb += self.o.payload.associated.eq(full_reg & associated_reg)
        with m.If(self.flush & (fill_reg != 0)):
            m.d.sync += [full_reg.eq(1), fill_reg.eq(0)]
        with m.If(push):
            m.d.sync += full_reg.eq(0)
            with m.If(last):
                m.d.sync += fill_reg.eq(0)
        with m.If(take):
            m.d.sync += [
                full_reg.eq(complete), fill_reg.eq(Mux(complete, 0, fill_reg + 1)), associated_reg.eq(piece.associated),
                nbytes_reg.eq(fill_reg * p.word_bytes + piece.nbytes),
            ]  # fmt: skip
            for at, word_reg in enumerate(words_reg):
                with m.If(fill_reg == at):
                    m.d.sync += word_reg.eq(piece.data)
        return m


# -- expected ----------------------------------------------------------------------------------------------------------------------

# The order of the segments of a message, and the lengths that they may have.
#
#     START ──length──▶ LENGTHS ──Npub──▶ NONCE ──AD──▶ ASSOCIATED ──text──▶ TEXT ──tag──▶ TAG
#       └─────────── Npub, if the mode needs no lengths ──┘ │      └ EOT ──────┘ └ EOT, to open ┘
#                                                           └──── text ────▶
#
# A type of segments ends with EOT.  Segments before that have whole words, and those of text at least a block.  Associated data may be left
# out.  Last stands in the last segment of text of a message to seal, and in
# the tag of a message to open.

class Phase(IntEnum):
    """What has come of a message.  A number is also the kind of a segment; START is that of one which is skipped."""

    START = 0
    LENGTHS = 1
    NONCE = 2
    ASSOCIATED = 3
    """Associated data, and more are to come."""
    ASSOCIATED_ENDED = 4
    TEXT = 5
    """Text, and more is to come."""
    TEXT_ENDED = 6
    TAG = 7


class NoLengths:
    """A message begins with its nonce."""

    begin = Phase.START
    """What has come before the nonce."""

    def expect(self, m: Module, expected: ExpectedSegment) -> None:
        """Judges the header of a segment of lengths."""

    def store(self, m: Module, taken: Value, kind: Signal, of_data: Value, word: Value) -> None:
        """Stores a word that is taken, if it has data of this segment."""

    def fields(self, command: View) -> list[Any]:
        """The lengths in a command."""
        return []


class LengthsFirst(NoLengths):
    """A message begins with a segment of lengths, for a mode that knows them before a message begins."""

    begin = Phase.LENGTHS

    def __init__(self) -> None:
        self.lengths_reg = Signal(8 * LENGTH_SEGMENT_BYTES)

    def expect(self, m: Module, expected: ExpectedSegment) -> None:
        header = expected.header
        with m.Elif(header.type == Segment.LENGTH):
            m.d.comb += [
                expected.kind.eq(Phase.LENGTHS),
                expected.right.eq((expected.phase == Phase.START) & header.eot & ~header.last & (header.length == LENGTH_SEGMENT_BYTES)),
            ]  # fmt: skip

    def store(self, m: Module, taken: Value, kind: Signal, of_data: Value, word: Value) -> None:
        with m.If(taken & (kind == Phase.LENGTHS) & of_data):
            # Big-endian, whatever the width of words.
            m.d.sync += self.lengths_reg.eq(_joined(self.lengths_reg, word)[: len(self.lengths_reg)])

    def fields(self, command: View) -> list[Any]:
        half = 4 * LENGTH_SEGMENT_BYTES
        return [command.associated.eq(self.lengths_reg[half:]), command.text.eq(self.lengths_reg[:half])]


def lengths_of(p: LwcParameters) -> NoLengths:
    """What of the lengths of a message comes before its nonce."""
    return LengthsFirst() if p.messages.lengths_first else NoLengths()


class ExpectedSegment(wiring.Component):
    """Judges a header, without a cycle of its own.

    Members
    -------
    header : In(HEADER)
    phase, decrypt : In(Phase), In(1)
        What has come before, and the direction.
    right : Out(1)
        The segment may come here.
    kind, next_phase : Out(Phase), Out(Phase)
        The kind of the segment, and what has come after it.
    """

    def __init__(self, parameters: LwcParameters):
        self.parameters = parameters
        super().__init__({
            "header": In(HEADER), "phase": In(Phase), "decrypt": In(1), "right": Out(1), "kind": Out(Phase), "next_phase": Out(Phase),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, header, phase = self.parameters, self.header, self.phase
        length, eot = header.length, header.eot
        lengths = lengths_of(p)
        last = Signal()
        # No part of a word is followed by more of the same type.
        whole = Signal()
        # As many segments of text as there are blocks wait for their text, and no more.
        long = Signal()
        m.d.comb += [whole.eq(eot | (length[: p.offset_bits] == 0)), self.next_phase.eq(self.kind)]
        text = Mux(self.decrypt, Segment.CIPHERTEXT, Segment.PLAINTEXT)
        with m.If(header.type == text):
            open_phases = (phase == Phase.NONCE) | (phase == Phase.ASSOCIATED_ENDED) | (phase == Phase.TEXT)
            m.d.comb += [
                self.kind.eq(Phase.TEXT), self.next_phase.eq(Mux(eot, Phase.TEXT_ENDED, Phase.TEXT)),
                last.eq(eot & ~self.decrypt), long.eq(eot | (length >= p.messages.block_bytes)),
                self.right.eq(open_phases & whole & long & (header.last == last)),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.AD):
            m.d.comb += [
                self.kind.eq(Phase.ASSOCIATED), self.next_phase.eq(Mux(eot, Phase.ASSOCIATED_ENDED, Phase.ASSOCIATED)),
                self.right.eq(((phase == Phase.NONCE) | (phase == Phase.ASSOCIATED)) & whole & ~header.last),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.NPUB):
            m.d.comb += [
                self.kind.eq(Phase.NONCE),
                self.right.eq((phase == lengths.begin) & eot & ~header.last & length.any() & (length <= p.messages.block_bytes)),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.TAG):
            m.d.comb += [
                self.kind.eq(Phase.TAG),
                self.right.eq((phase == Phase.TEXT_ENDED) & self.decrypt & eot & header.last & (length == p.tag_bytes)),
            ]  # fmt: skip
        lengths.expect(m, self)
        return m


class SegmentParser(BusComponent[LwcParameters]):
    """One word per cycle, except where the message control or the writer is not ready, or a key is not loaded.

    Members
    -------
    pdi : stream of words
    activate : Out(1)
        Asks for the key on SDI.
    slot, key_ready : In(1), In(1)
        The slot of the key that was activated last, and whether it is worked off.  Commands and the next key wait for that.
    cmd, s, late : streams
        For the message control: see :class:`~modeloom.rtl.stream.bus.MessageBus`.
    records : stream of record_layout
        For the writer.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        messages = parameters.messages
        return {
            "pdi": In(stream.Signature(parameters.word_bits)), "activate": Out(1), "slot": In(1), "key_ready": In(1),
            "cmd": Out(stream.Signature(command_layout(messages))),
            "s": Out(stream.Signature(packet_layout(messages))), "late": Out(stream.Signature(late_layout(messages))),
            "records": Out(stream.Signature(record_layout())),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, messages = self.parameters, self.parameters.messages
        m.submodules.gate = gate = HeaderGate(p)
        m.submodules.expected = expected = ExpectedSegment(p)
        m.submodules.assembler = assembler = BeatAssembler(p)
        wiring.connect(m, assembler.o, wiring.flipped(self.s))
        header, word, valid, ready = gate.header, self.pdi.payload, self.pdi.valid, self.pdi.ready

        # -- the segment ------------------------------------------------------------------------------------------------------
        decrypt_reg, fault_reg, issued_reg = (Signal(name=name) for name in ("decrypt_reg", "fault_reg", "issued_reg"))
        phase_reg = Signal(Phase)
        kind_reg = Signal(Phase)
        eot_reg, last_reg = (Signal(name=name) for name in ("eot_reg", "last_reg"))
        left_reg = Signal(p.count_bits)
        tail_reg = Signal(p.offset_bits)
        number_reg = Signal(range(max(2, p.block_words)))
        # -- the message ------------------------------------------------------------------------------------------------------
        nonce_reg = Signal(messages.block_bits)
        tag_reg = Signal(messages.block_bits)
        nonce_bytes_reg = Signal(messages.nbytes_bits)
        lengths = lengths_of(p)
        command_reg = Signal()
        # -- its end ----------------------------------------------------------------------------------------------------------
        names = ("finish_reg", "finish_fault_reg", "finish_issued_reg", "finish_decrypt_reg")
        finish_reg, finish_fault_reg, finish_issued_reg, finish_decrypt_reg = (Signal(name=name) for name in names)

        ended, taken, begins = (Signal(name=name) for name in ("ended", "taken", "begins"))
        record = self.records.payload
        data_word = left_reg == 1
        m.d.comb += [
            gate.word.eq(word), expected.header.eq(header), expected.phase.eq(phase_reg), expected.decrypt.eq(decrypt_reg),
            taken.eq(valid & ready),
            self.cmd.valid.eq(command_reg & self.key_ready), *self._command(nonce_reg, nonce_bytes_reg, decrypt_reg, lengths),
            assembler.i.payload.data.eq(swapped(word)), assembler.i.payload.associated.eq(kind_reg == Phase.ASSOCIATED),
            assembler.i.payload.nbytes.eq(Mux(data_word & (tail_reg != 0), tail_reg, p.word_bytes)),
            assembler.i.payload.ends.eq(data_word & eot_reg),
        ]  # fmt: skip
        with m.If(self.cmd.valid & self.cmd.ready):
            m.d.sync += command_reg.eq(0)

        def end(last: Value | Signal) -> None:
            """The end of a segment, which may be that of its message."""
            m.next = "HEADER"
            with m.If(last):
                m.d.comb += ended.eq(1)
                m.next = "INSTRUCTION"

        with m.FSM():
            with m.State("INSTRUCTION"):
                # The command before has its direction from a register.
                m.d.comb += [ready.eq(~command_reg), gate.public.eq(1)]
                with m.If(taken):
                    m.d.sync += [
                        decrypt_reg.eq(header.type == Opcode.DECRYPT), fault_reg.eq(0), issued_reg.eq(0), phase_reg.eq(Phase.START),
                    ]  # fmt: skip
                    with m.Switch(header.type):
                        with m.Case(Opcode.ENCRYPT, Opcode.DECRYPT):
                            m.next = "HEADER"
                        with m.Case(Opcode.HASH):
                            # A message that the core does not have is skipped.
                            m.d.sync += fault_reg.eq(1)
                            m.next = "HEADER"
                        with m.Case(Opcode.ACTIVATE_KEY):
                            m.next = "ACTIVATE"
                        with m.Default():
                            m.next = "FAULT"
            with m.State("ACTIVATE"):
                with m.If(self.key_ready & ~finish_reg & ~command_reg):
                    m.d.comb += self.activate.eq(1)
                    m.next = "INSTRUCTION"
            with m.State("FAULT"):
                m.d.comb += [self.records.valid.eq(~finish_reg), record.kind.eq(Record.FAULT)]
                with m.If(self.records.ready & ~finish_reg):
                    m.next = "INSTRUCTION"
            with m.State("HEADER"):
                right, text = expected.right & ~fault_reg, expected.kind == Phase.TEXT
                m.d.comb += [
                    # A record may be given, and the command before has left its registers.
                    ready.eq(self.records.ready & ~finish_reg & ~command_reg), gate.public.eq(1),
                    self.records.valid.eq(valid & ~finish_reg & ~command_reg & right & text),
                    record.kind.eq(Record.TEXT), record.decrypt.eq(decrypt_reg), record.eot.eq(header.eot), record.length.eq(header.length),
                ]  # fmt: skip
                with m.If(taken):
                    m.d.sync += [
                        kind_reg.eq(expected.kind), eot_reg.eq(header.eot), last_reg.eq(header.last), number_reg.eq(0),
                        tail_reg.eq(header.length[: p.offset_bits]),
                        left_reg.eq(header.length[p.offset_bits :] + header.length[: p.offset_bits].any()),
                    ]  # fmt: skip
                    with m.If(right):
                        m.d.sync += phase_reg.eq(expected.next_phase)
                        with m.If(expected.kind == Phase.NONCE):
                            m.d.sync += nonce_bytes_reg.eq(header.length)
                        with m.If(((expected.kind == Phase.ASSOCIATED) | text) & ~issued_reg):
                            m.d.comb += begins.eq(1)
                            m.d.sync += [command_reg.eq(1), issued_reg.eq(1)]
                    with m.Else():
                        m.d.sync += [fault_reg.eq(1), kind_reg.eq(Phase.START)]
                    with m.If(header.length.any()):
                        m.next = "DATA"
                    with m.Else():
                        m.d.comb += assembler.flush.eq(right & header.eot)
                        end(header.last)
            with m.State("DATA"):
                blocks = (kind_reg == Phase.ASSOCIATED) | (kind_reg == Phase.TEXT)
                m.d.comb += [assembler.i.valid.eq(valid & blocks), ready.eq(~blocks | assembler.i.ready)]
                with m.If(taken):
                    m.d.sync += [left_reg.eq(left_reg - 1), number_reg.eq(number_reg + 1)]
                    with m.If(data_word):
                        end(last_reg)
        self._words(m, taken & (kind_reg == Phase.NONCE) & (left_reg != 0), number_reg, nonce_reg)
        self._words(m, taken & (kind_reg == Phase.TAG) & (left_reg != 0), number_reg, tag_reg)
        lengths.store(m, taken, kind_reg, left_reg != 0, word)

        # -- the end of a message, beside the next instruction ----------------------------------------------------------------------
        with m.If(ended):
            m.d.sync += [
                # A message without data may begin and end with the same header.
                finish_reg.eq(1), finish_issued_reg.eq(issued_reg | begins), finish_decrypt_reg.eq(decrypt_reg),
                # A fault in the header that ends the message counts, too.
                finish_fault_reg.eq(fault_reg | (gate.public & ~expected.right)),
            ]  # fmt: skip
        go = self.records.ready & self.late.ready
        with m.If(finish_reg):
            m.d.comb += record.decrypt.eq(finish_decrypt_reg)
            with m.If(finish_issued_reg):
                m.d.comb += [
                    assembler.finish.valid.eq(go), self.late.valid.eq(assembler.finish.ready & self.records.ready),
                    self.records.valid.eq(assembler.finish.ready & self.late.ready), record.kind.eq(Record.END),
                ]  # fmt: skip
                with m.If(go & assembler.finish.ready):
                    m.d.sync += finish_reg.eq(0)
            with m.Else():
                m.d.comb += [self.records.valid.eq(1), record.kind.eq(Record.FAULT)]
                with m.If(self.records.ready):
                    m.d.sync += finish_reg.eq(0)
        m.d.comb += [
            self.late.payload.tag.eq(Mux(finish_decrypt_reg, tag_reg, 0)),
            self.late.payload.code.eq(Mux(finish_fault_reg, MessageCode.BAD_KEEP, MessageCode.OK)),
        ]  # fmt: skip
        return m

    def _words(self, m: Module, write: Value, number: Signal, target: Signal) -> None:
        """Writes a word of a block."""
        width = self.parameters.word_bits
        with m.If(write):
            for at in range(len(target) // width):
                with m.If(number == at):
                    m.d.sync += target.word_select(at, width).eq(swapped(self.pdi.payload))

    def _command(self, nonce: Signal, nonce_bytes: Signal, decrypt: Signal, lengths: NoLengths) -> list[Any]:
        """The fields of a command."""
        p, command = self.parameters, self.cmd.payload
        return [
            command.nonce.eq(nonce), command.nonce_bytes.eq(nonce_bytes), command.tag_bytes.eq(Const(p.tag_bytes, 8)),
            command.decrypt.eq(decrypt), command.slot.eq(self.slot), *lengths.fields(command),
        ]  # fmt: skip


def _joined(before: Signal, word: Value) -> Value:
    """The bits that came before, with those of a word behind them, of which the upper ones are the first."""
    if len(word) <= len(before):
        return Cat(word, before[: len(before) - len(word)])
    return word[len(word) - len(before) :]
