# SPDX-License-Identifier: Apache-2.0
"""Writes DO: the segments of text that the records tell, the tag of a message that was sealed, and a status for each message.

::

    NEXT ──segment of text──▶ header ──▶ TEXT ──its words──┐
     ▲ │ ▲─────────────────────────────────────────────────┘
     │ └──end of a message──▶ END ──sealed──▶ header, TAG ──▶ STATUS
     └────────────────────────────────────────────────────────┘

A header leaves only if its text comes.  Of a message that the core refuses, and of a message with a wrong tag whose text is held, a status
is all that leaves.  If a fault ends a message within its text, zeros fill the segment that has begun.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import Opcode, Segment
from modeloom.layers.lwc.parameters import HEADER, LwcParameters, Record, record_layout, swapped
from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.stream.queue import Queue
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.verdicts import status_layout

__all__ = ["SegmentWriter", "word_layout"]


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
        m.submodules.queue = records = Queue(record_layout(), messages.segment_depth, messages.erase_bits)
        m.submodules.ended = ended = Queue(1, messages.entered_depth, messages.erase_bits)
        m.submodules.out = out = RegisterSlice(word_layout(p))
        queues = [records, ended]
        fates: Any = None
        if messages.delivery.judged:
            m.submodules.fates = fates = Queue(1, messages.entered_depth, messages.erase_bits)
            queues.append(fates)
            m.d.comb += [fates.i.valid.eq(self.judged), fates.i.payload.eq(self.right)]
        wiring.connect(m, wiring.flipped(self.records), records.i)
        m.d.comb += [
            *(queue.erase.eq(self.erase) for queue in queues), *(queue.erase_address.eq(self.erase_address) for queue in queues),
            ended.i.valid.eq(self.last_enters), ended.i.payload.eq(self.has_text),
            self.do.valid.eq(out.o.valid), out.o.ready.eq(self.do.ready),
            self.do.payload.as_value().eq(out.o.payload.as_value() & out.o.valid.replicate(p.word_bits + 1)),
        ]  # fmt: skip
        record, there = records.o.payload, records.o.valid
        # Of a message: its text comes; it failed before; all of its text has been taken.
        known_reg, failed_reg, dry_reg = (Signal(name=name) for name in ("known_reg", "failed_reg", "dry_reg"))
        left_reg = Signal(p.count_bits)
        place_reg = Signal(range(max(2, p.beat_words)))
        tag_reg = Signal(range(max(2, p.block_words)))
        wrong_reg = Signal()
        put, data, goes = out.i.valid, out.i.payload.data, out.i.ready
        text, beat, status = self.text, self.text.payload, self.status.payload

        with m.FSM():
            with m.State("NEXT"):
                with m.If(there & (record.kind == Record.TEXT)):
                    give = known_reg | ~record.length.any()
                    with m.If(failed_reg):
                        m.d.comb += records.o.ready.eq(1)
                    with m.Elif(give):
                        type_ = Mux(record.decrypt, Segment.PLAINTEXT, Segment.CIPHERTEXT)
                        m.d.comb += [put.eq(1), data.eq(self._header(m, type_, record.length, record.eot, record.eot & record.decrypt))]
                        with m.If(goes):
                            m.d.sync += left_reg.eq(record.length[p.offset_bits :] + record.length[: p.offset_bits].any())
                            with m.If(record.length.any()):
                                m.next = "TEXT"
                            with m.Else():
                                m.d.comb += records.o.ready.eq(1)
                    with m.Else():
                        self._decide(m, record.decrypt, ended, fates, known_reg, failed_reg)
                with m.Elif(there & (record.kind == Record.END)):
                    m.next = "END"
                with m.Elif(there):
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
                    text.ready.eq(~dry_reg & (cut | (goes & ((place_reg == p.beat_words - 1) | (end & record.eot))))),
                ]  # fmt: skip
                with m.If(text.valid & text.ready & beat.last):
                    m.d.sync += dry_reg.eq(1)
                with m.If(put & goes):
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
                    with m.Elif(goes):
                        m.next = "TAG"
            with m.State("TAG"):
                m.d.comb += [put.eq(1), data.eq(swapped_words(p, status.tag, tag_reg))]
                with m.If(goes):
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
                with m.If(goes):
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
