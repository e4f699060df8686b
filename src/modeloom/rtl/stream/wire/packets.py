# SPDX-License-Identifier: Apache-2.0
"""The parts around the message control of a core with ``--packet wire``.

::

    cmd ──┬──▶ shapes ──▶ TagSplitter ──▶ [slice] ──▶ TextAligner ──▶ beats of the core
    s ────┼───────────────────▲ └──▶ endings ──▶ tag and code      └──▶ headers ──┐
          └──▶ heads ──────────────────────────────────────────────────┐          ▼
    text, verdicts of the core ────────────────────────────────────────┴──▶ PieceOrder ──▶ PacketJoiner ──▶ [hold] ──▶ m
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, beat_layout, erased, signals
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.stream.command import command_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.queue import Queue
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.wire.hold import PacketHold
from modeloom.rtl.stream.wire.layouts import (
    ending_layout,
    final_layout,
    first_bytes,
    head_layout,
    joined_layout,
    offset_bits,
    part_layout,
    piece_layout,
    shape_layout,
    trimmed_layout,
    turned_down,
)
from modeloom.rtl.stream.wire.order import PacketJoiner, PieceOrder
from modeloom.rtl.stream.wire.split import TagSplitter

__all__ = ["TextAligner", "WirePackets"]


# Moves text to the beginning of a beat, as the core needs it, and gives the header to a second output.
#
#     in      │ h h h h │ h t t t │ t t T │       4 bytes per beat, a header of 5
#     header  │ h h h h │ h       │                  also for the core, as associated data
#     text                        │ t t t t │ t │
#
# Behind a header that ends within a beat, each beat of text is the rest of a beat and the beginning of the next one.

class TextAligner(BusComponent[MessageParameters]):
    """Realigns the text of packets without tags.

    It gives one beat in each cycle.  A packet takes as many cycles as its header and its text have beats when each begins in a new
    beat.  The latency from ``i`` to ``o`` is 0 cycles.

    Members
    -------
    i : stream of trimmed_layout
    o : stream of beats
        The header, then the text, which begins in a new beat.  A packet without bytes gives one beat without bytes.
    header : stream of piece_layout
        The same beats of the header.  A header that is cut short ends with a beat too.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "i": In(stream.Signature(trimmed_layout(parameters))), "o": Out(stream.Signature(beat_layout(parameters))),
            "header": Out(stream.Signature(piece_layout(parameters))),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size = p.beat_bytes
        # Text behind the header, or behind the last beat that was given.  It leaves alone if no beat follows in its packet.
        rest_reg = Signal(8 * size)
        rest_bytes_reg = Signal(offset_bits(p))
        drain_reg = Signal()

        beat = self.i.payload
        turned, data = signals("turned data", 8 * size)
        behind, nbytes = signals("behind nbytes", p.beat_nbytes_bits)
        in_rest = Signal(size)
        more, last, give = signals("more last give")
        m.d.comb += [
            turned.eq(turned_down(beat.data, beat.offset)),
            # The bytes of a beat in front of the offset, with which a beat out ends.
            behind.eq(Mux(beat.offset == 0, size, beat.offset)),
            more.eq(beat.nbytes > behind),
            in_rest.eq(Cat((beat.offset != 0) & (size - beat.offset > at) for at in range(size))),
        ]
        with m.If(drain_reg):
            m.d.comb += [data.eq(rest_reg), nbytes.eq(rest_bytes_reg), last.eq(1)]
        with m.Elif(beat.header):
            # A beat in which no header ends is read as a whole.
            m.d.comb += [
                data.eq(beat.data),
                nbytes.eq(Mux(beat.ends_header & more, behind, beat.nbytes)),
                last.eq(beat.last & ~(beat.ends_header & more)),
            ]
        with m.Else():
            kept = Cat(bit.replicate(8) for bit in in_rest)
            m.d.comb += [
                data.eq((rest_reg & kept) | (turned & ~kept)),
                nbytes.eq(Mux(beat.offset == 0, beat.nbytes, Mux(more, size, size - beat.offset + beat.nbytes))),
                last.eq(beat.last & ((beat.offset == 0) | ~more)),
            ]
        to_header = beat.header & ~drain_reg
        m.d.comb += [
            give.eq((self.i.valid | drain_reg) & self.o.ready & (self.header.ready | ~to_header)),
            self.i.ready.eq(self.o.ready & ~drain_reg & (self.header.ready | ~to_header)),
            self.o.valid.eq(give), self.o.payload.last.eq(last), self.o.payload.data.eq(data),
            self.o.payload.keep.eq(Cat(nbytes > at for at in range(size))),
            self.header.valid.eq(give & to_header), self.header.payload.nbytes.eq(nbytes),
            self.header.payload.data.eq(data & first_bytes(nbytes, size)), self.header.payload.last.eq(beat.ends_header | last),
        ]  # fmt: skip
        with m.If(give):
            m.d.sync += [
                rest_reg.eq(turned), rest_bytes_reg.eq(beat.nbytes - beat.offset),
                drain_reg.eq(~drain_reg & beat.last & more & (beat.offset != 0) & (beat.ends_header | ~beat.header)),
            ]  # fmt: skip
        return m


# -- packets -----------------------------------------------------------------------------------------------------------------------

class WirePackets(ErasedComponent[MessageParameters]):
    """Takes packets apart for the core, and makes packets of its results.

    Members
    -------
    cmd : stream of command_layout
        The same commands as those that the core takes, in the same cycles.
    s, m : streams
        Packets from the host and to it.
    core : stream of beats
        Associated data and text for the core.
    text : stream of text_layout
        Text from the core.
    last_enters, has_text : In
        The last token of a message enters the pipeline, and whether it has text.
    tag, code : Out
        The tag in the packet of this message, and the code of a fault in the packet.
    decided, final : In
        The verdict on a message, and how its packet ends.
    delivered : Out
        The last beat of a packet has been taken, or the packet was dropped because it failed.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        ending = ending_layout(p)
        return {
            "cmd": In(stream.Signature(command_layout(p))), "s": In(stream.Signature(beat_layout(p))),
            "m": Out(stream.Signature(text_layout(p))), "core": Out(stream.Signature(beat_layout(p))),
            "text": In(stream.Signature(text_layout(p))), "last_enters": In(1), "has_text": In(1), "tag": Out(ending["tag"].shape),
            "code": Out(ending["code"].shape), "decided": In(1), "final": In(final_layout(p)), "delivered": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        queues: dict[str, Any] = {}
        for name, layout, depth in (
            ("heads", head_layout(p), p.head_depth), ("endings", ending_layout(p), p.ending_depth),
            ("headers", piece_layout(p), p.header_depth), ("ended", 1, p.tag_depth), ("finals", final_layout(p), p.tag_depth),
        ):  # fmt: skip
            queues[name] = m.submodules[name] = Queue(layout, depth, p.erase_bits)
            m.d.comb += erased(self, queues[name])
        shapes: RegisterSlice | Queue
        if p.plan.runs_ahead:
            # Starts run ahead of packets, so the commands of later packets do, too.
            shapes = Queue(shape_layout(p), p.shape_depth, p.erase_bits)
            m.d.comb += erased(self, shapes)
        else:
            shapes = RegisterSlice(shape_layout(p))
        m.submodules.shapes = shapes
        m.submodules.splitter = splitter = TagSplitter(p)
        m.submodules.trimmed = trimmed = RegisterSlice(trimmed_layout(p))
        m.submodules.aligner = aligner = TextAligner(p)
        m.submodules.order = order = PieceOrder(p)
        m.submodules.parts = parts = RegisterSlice(part_layout(p))
        m.submodules.joiner = joiner = PacketJoiner(p)
        m.submodules.out = out = RegisterSlice(text_layout(p))
        for source, target in (
            (wiring.flipped(self.s), splitter.s), (shapes.o, splitter.shape), (splitter.o, trimmed.i), (trimmed.o, aligner.i),
            (aligner.o, wiring.flipped(self.core)), (aligner.header, queues["headers"].i), (splitter.ending, queues["endings"].i),
            (queues["heads"].o, order.heads), (queues["headers"].o, order.header), (wiring.flipped(self.text), order.text),
            (queues["ended"].o, order.ended), (queues["finals"].o, order.finals), (order.o, parts.i), (parts.o, joiner.i),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        self._commands(m, shapes, queues["heads"])
        endings, ended, finals = queues["endings"], queues["ended"], queues["finals"]
        m.d.comb += [
            endings.o.ready.eq(self.last_enters), self.tag.eq(endings.o.payload.tag), self.code.eq(endings.o.payload.code),
            ended.i.valid.eq(self.last_enters), ended.i.payload.eq(self.has_text),
            finals.i.valid.eq(self.decided), finals.i.payload.eq(self.final),
        ]  # fmt: skip

        joined: Any = joiner.o
        dropped = Signal()
        if p.hold is not None:
            m.submodules.hold = hold = PacketHold(joined_layout(p), p.hold_depth, p.erase_bits)
            wiring.connect(m, joiner.o, hold.i)
            joined = hold.o
            m.d.comb += [hold.idle.eq(~out.o.valid), dropped.eq(hold.dropped), *erased(self, hold)]
        beat, shown = joined.payload, joined.valid
        m.d.comb += [
            out.i.valid.eq(shown), joined.ready.eq(out.i.ready),
            out.i.payload.data.eq(beat.data & shown.replicate(8 * p.beat_bytes)),
            out.i.payload.keep.eq(Cat((beat.nbytes > at) & shown for at in range(p.beat_bytes))),
            out.i.payload.last.eq(beat.last & shown), out.i.payload.cut.eq(beat.failed & shown),
            self.m.valid.eq(out.o.valid), self.m.payload.eq(out.o.payload), out.o.ready.eq(self.m.ready),
            self.delivered.eq((out.o.valid & self.m.ready & out.o.payload.last) | dropped),
        ]  # fmt: skip
        return m

    def _commands(self, m: Module, shapes: RegisterSlice | Queue, heads: Queue) -> None:
        """Makes shapes and heads of commands."""
        p = self.parameters
        command: Any = self.cmd.payload
        shape, head = shapes.i.payload, heads.i.payload
        length, bits = command.associated, offset_bits(p)
        opens = command.decrypt & (command.tag_bytes <= p.block_bytes)
        m.d.comb += [
            self.cmd.ready.eq(shapes.i.ready & heads.i.ready),
            shapes.i.valid.eq(self.cmd.valid & heads.i.ready), heads.i.valid.eq(self.cmd.valid & shapes.i.ready),
            shape.offset.eq(length[:bits]), shape.beats.eq(length[bits:]), shape.headed.eq(length.any()),
            shape.within.eq(~((length - 1)[bits : len(length)].any()) & length.any()),
            shape.tag_bytes.eq(command.tag_bytes[: p.nbytes_bits] & opens.replicate(p.nbytes_bits)),
            shape.held.eq(command.decrypt & (p.hold is not None)), head.headed.eq(length.any()),
            head.held.eq(command.decrypt & (p.hold is not None)),
        ]  # fmt: skip
