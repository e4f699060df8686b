# SPDX-License-Identifier: Apache-2.0
"""Writes the packet of a sector directly into the input banks of the engine, and checks its length.

::

    s ──▶ BeatCheck ──▶ RegisterSlice ──▶ SectorIntake ──▶ fill (registered)
          tkeep becomes   cuts tready       counts beats     └──▶ packet ──▶ (take)
          zeros and flags

A packet can be taken in before its command has come.  In a core for several sector sizes it has to wait for the command, which has
the size.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Member, Out

from modeloom.cycles import FILL_AHEAD
from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.ports import BusComponent, beat_layout
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.bus.sector.parameters import BusParameters, opening_signature, packet_signature
from modeloom.rtl.engine.interface import fill_signature

__all__ = ["BeatCheck", "SectorIntake", "checked_beat_layout"]


def checked_beat_layout(parameters: BusParameters) -> StructLayout:
    """The layout of a beat whose bytes outside tkeep are zero.  It has three flags instead of tkeep.

    ``bad``
        In the last beat, tkeep is not ones from bit 0 on and then zeros.  In any other beat, it is not all ones.
    ``missing``
        A bit for each sector size.  The beat lacks the last byte that the last beat of such a sector has.
    ``extra``
        A bit for each sector size.  The beat has the byte behind this one.

    If no beat of a packet is bad, ``missing`` and ``extra`` of its last beat tell its length.
    """
    sizes = len(parameters.sizes)
    return StructLayout({"data": parameters.data.beat_bits, "last": 1, "bad": 1, "missing": sizes, "extra": sizes})


class BeatCheck(BusComponent[BusParameters]):
    """Makes bytes outside tkeep zero, and checks tkeep.  It is combinational.

    Members
    -------
    i : stream of beats
        Beats from the host.
    o : stream of checked beats
        Beats with the layout of `checked_beat_layout`.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {"i": In(stream.Signature(beat_layout(parameters))), "o": Out(stream.Signature(checked_beat_layout(parameters)))}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        i, o = self.i.p, self.o.p
        last_bytes = [size.last_keep.bit_length() for size in p.sizes]
        # A gap is a one above a zero.
        gaps = ~i.keep[:-1] & i.keep[1:]
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            o.data.eq(Cat(i.data.word_select(byte, 8) & i.keep[byte].replicate(8) for byte in range(p.beat_bytes))),
            o.last.eq(i.last),
            o.bad.eq(Mux(i.last, ~i.keep[0] | gaps.any(), ~i.keep.all())),
            o.missing.eq(Cat(~i.keep[last - 1] for last in last_bytes)),
            o.extra.eq(Cat(i.keep[last] if last < p.beat_bytes else Const(0, 1) for last in last_bytes)),
        ]
        return m


class SectorIntake(BusComponent[BusParameters]):
    """Counts the beats of a packet, and writes them to the engine.  The next packet waits until this one has been decided.

    A beat takes two cycles from the bus to ``fill``.  There can be a beat in every cycle, also across packets, if each packet is
    taken in the cycle in which it is complete.

    Members
    -------
    s : stream of beats
        Beats from the host.
    fill : fill_signature
        Writes to the engine.
    packet : packet_signature
        The packet that has come, and whether a sector asks to enter.
    opening : opening_signature
        The size of the sectors that are taken in, and whether the next packet may be taken in.  It is there only in a core for
        several sizes.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        p = parameters
        return {
            "s": In(stream.Signature(beat_layout(p))),
            "fill": Out(fill_signature(block_bits=p.data.block_bits, lanes=p.data.lanes, blocks=p.most_blocks)),
            "packet": Out(packet_signature()),
            **({"opening": In(opening_signature(p))} if len(p.sizes) > 1 else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the check of each beat, the decision whether a beat is accepted, the place of the next beat, the verdict on the length of
        the packet, and the writes into the engine.

        A packet is written while it comes, and judged with its last beat.  Comparisons of its place are made a cycle ahead.
        """
        m = Module()
        p = self.parameters
        m.submodules.check = check = BeatCheck(p)
        m.submodules.slice = slice_ = RegisterSlice(checked_beat_layout(p))
        wiring.connect(m, wiring.flipped(self.s), check.i)
        wiring.connect(m, check.o, slice_.i)
        o, packet = slice_.o, self.packet

        beat_reg = Signal(range(max(2, p.beats)))
        overrun_reg = Signal()
        bad_reg = Signal()
        complete_reg = Signal()
        good_reg = Signal()
        ok_reg = Signal(reset_less=True)
        code_reg = Signal(2, reset_less=True)

        # While a sector asks to enter, the engine has room for the first beats of the next one only.  A complete packet has left
        # beat_reg at 0, so a sector that asks from the next cycle on need not be considered here.  Nor need an admission, since no
        # sector asks to enter then.  After a refusal one cycle is lost.
        room = Signal(init=1)
        early_reg = Signal(init=1)
        if p.beats > FILL_AHEAD:
            m.d.comb += room.eq(~packet.entering | early_reg)
        accept = Signal()
        beats = [size.beats for size in p.sizes]
        several = len(beats) > 1
        if several:
            opening = self.opening
            m.d.comb += opening.admitted.eq(packet.admit | packet.entering)

        def of_size(values: list[int]) -> Value:
            if len(values) == 1:
                return Const(values[0])
            return Array(Const(value, range(max(values) + 1)) for value in values)[opening.size]

        m.d.comb += [
            o.ready.eq(((room & ~complete_reg) | packet.admit) & (opening.open if several else 1)),
            accept.eq(o.ready & o.valid),
        ]

        # beat_reg is compared a cycle ahead.  The size of the next packet is not known then, and the packet may have one beat only.
        final_reg = Signal(init=p.beats == 1)
        final: Value = final_reg
        if several and min(beats) == 1:
            first_reg = Signal(init=1)
            final = Signal(name="final")
            m.d.comb += final.eq(final_reg | overrun_reg | (first_reg & of_size([int(count == 1) for count in beats])))
            with m.If(accept):
                m.d.sync += first_reg.eq(o.p.last)
        length = Signal(2)
        with m.If(packet.take):
            m.d.sync += [complete_reg.eq(0), good_reg.eq(0)]
        with m.If(accept):
            with m.If(o.p.last):
                m.d.sync += [complete_reg.eq(1), good_reg.eq(length == StatusCode.OK)]
                m.d.sync += [beat_reg.eq(0), early_reg.eq(1), final_reg.eq(p.beats == 1), overrun_reg.eq(0)]
            with m.Elif(final):
                m.d.sync += overrun_reg.eq(1)
            with m.Else():
                m.d.sync += beat_reg.eq(beat_reg + 1)
                m.d.sync += final_reg.eq(beat_reg == of_size([max(0, count - 2) for count in beats]) if p.beats > 1 else 0)
                with m.If(beat_reg == FILL_AHEAD - 1):
                    m.d.sync += early_reg.eq(0)

        bad = bad_reg | o.p.bad
        with m.If(bad):
            m.d.comb += length.eq(StatusCode.BAD_KEEP)
        with m.Elif(overrun_reg):
            m.d.comb += length.eq(StatusCode.TOO_LONG)
        with m.Elif(~final):
            m.d.comb += length.eq(StatusCode.TOO_SHORT)
        with m.Else():
            # TOO_SHORT and TOO_LONG are 1 and 2.
            m.d.comb += length.eq(
                Cat(o.p.missing.bit_select(opening.size, 1), o.p.extra.bit_select(opening.size, 1))
                if several
                else Cat(o.p.missing, o.p.extra)
            )
        with m.If(accept):
            m.d.sync += [code_reg.eq(length), ok_reg.eq(length == StatusCode.OK), bad_reg.eq(bad & ~o.p.last)]

        fill_we_reg = Signal()
        fill_beat_reg = Signal.like(beat_reg, reset_less=True)
        fill_data_reg = Signal(p.data.beat_bits, reset_less=True)
        m.d.sync += [
            # Beats behind the last beat of a sector overwrite that beat.  Their packet is refused.
            fill_we_reg.eq(accept),
            fill_beat_reg.eq(beat_reg),
            fill_data_reg.eq(o.p.data),
        ]
        fill = self.fill
        m.d.comb += [
            fill.we.eq(fill_we_reg), fill.beat.eq(fill_beat_reg), fill.data.eq(fill_data_reg), fill.ahead.eq(packet.entering),
            packet.complete.eq(complete_reg), packet.ok.eq(ok_reg), packet.good.eq(good_reg), packet.code.eq(code_reg),
        ]  # fmt: skip
        return m
