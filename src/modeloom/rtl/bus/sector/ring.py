# SPDX-License-Identifier: Apache-2.0
"""The result buffer.  Blocks come in any order, and sectors leave in the order of their entry.

Each lane has a memory of ``ring_sectors`` × ``beats`` words.  Block i of the sector with ticket t is in the memory of lane i mod
lanes::

    address = t · beats + i // lanes

    out ────▶ [address] ──▶ memories, read in two cycles ──▶ RegisterSlice ──▶ zeros while idle ──▶ m_axis
    done ───▶ sectors to send ──▶ running read address (tickets follow each other, so it only counts)

In a core for several sector sizes, ``beats`` is that of the largest size, and the buffer stores the size of the sector in each
place.

Only sectors that are done are read.  So no word is read while it is written, and no block is read of a sector that never ended.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.bus.ports import BusComponent, RegisterSlice, beat_layout
from modeloom.rtl.bus.sector.parameters import BusParameters, place_signature
from modeloom.rtl.engine.interface import done_signature, out_signature
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.zeroize import erase_signature

__all__ = ["ResultRing"]


class ResultRing(BusComponent[BusParameters]):
    """Stores result blocks and streams finished sectors, one beat in each cycle, without a pause between sectors.

    If no other sector is sent, the first beat of a sector is on the bus ``cycles.DONE_TO_FIRST_BEAT`` cycles after ``done``.

    Members
    -------
    place : place_signature
        Whether a place is free, and the place of a sector that will enter.
    out : out_signature
    done : done_signature
        Result blocks and ends of sectors from the engine.
    erase : erase_signature
        Writes zeros to this word of the memory of each lane, in a reset.
    m : stream of beats
        Beats to the host.  Data and keep are zero while not valid.
    delivered : 1
        The host has taken the last beat of a sector.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        p = parameters
        return {
            "place": In(place_signature(p)),
            "out": In(
                out_signature(block_bits=p.data.block_bits, lanes=p.data.lanes, blocks=p.most_blocks, ticket_bits=p.ticket_bits)
            ),
            "done": In(done_signature(p.ticket_bits)),
            "erase": In(erase_signature(p.erase_bits)),
            "m": Out(stream.Signature(beat_layout(p))),
            "delivered": Out(1),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the memories of the lanes, the sizes of the sectors in them, the counters that say which beats are there, the registers of
        a beat on its way out, and the output.

        A beat goes from memory to output in two moves.  What decides them is compared a cycle ahead.
        """
        m = Module()
        p = self.parameters
        depth = p.buffers.ring_sectors * p.beats

        fetch = Signal()
        move_1 = Signal()
        move_2 = Signal()
        read_address_reg = Signal(range(depth))
        bases = Array(Const(place * p.beats, range(depth)) for place in range(p.buffers.ring_sectors))
        read_data = self._lanes(m, bases, read_address_reg, Cat(move_1, move_2))

        done_reg = Signal()
        to_send_reg = Signal(range(p.buffers.ring_sectors + 1))
        more_reg = Signal()
        free_reg = Signal(range(p.buffers.ring_sectors + 1), init=p.buffers.ring_sectors)
        place_reg = Signal(init=1)
        finish_reg = Signal()
        beat_reg = Signal(range(max(2, p.beats)))
        final_reg = Signal(init=p.beats == 1)
        wrap_reg = Signal(init=depth == 1)
        # The size of the sector that is read, and the sizes that belong to the beats on their way out.
        sizes = [size.beats for size in p.sizes]
        several = len(sizes) > 1
        size_regs = Array(Signal(p.size_bits, name=f"size{place}_reg", reset_less=True) for place in range(p.buffers.ring_sectors))
        place_read_reg = Signal(p.ticket_bits)
        next_place = Mux(place_read_reg == p.buffers.ring_sectors - 1, 0, place_read_reg + 1)
        size = size_regs[place_read_reg] if several else Const(0)
        read_size_reg = Signal(p.size_bits, reset_less=True)
        fetched_size_reg = Signal(p.size_bits, reset_less=True)
        if several:
            with m.If(self.place.admit):
                m.d.sync += size_regs[self.place.ticket].eq(self.place.size)
        read_reg = Signal()
        read_last_reg = Signal(reset_less=True)
        fetched_reg = Signal()
        fetched_last_reg = Signal(reset_less=True)
        m.submodules.out = out = RegisterSlice(
            StructLayout({"data": p.data.beat_bits, "last": 1, **({"size": p.size_bits} if several else {})})
        )

        final: Value = final_reg
        if several and min(sizes) == 1:
            # It is not known ahead whether the next sector has one beat only.
            first_reg = Signal(init=1)
            final = Signal(name="final")
            m.d.comb += final.eq(final_reg | (first_reg & Array(Const(beats == 1, 1) for beats in sizes)[size]))
            with m.If(fetch):
                m.d.sync += first_reg.eq(final)
        finish = Signal()
        to_send = Signal.like(to_send_reg)
        free = Signal.like(free_reg)
        # Comparisons are made a cycle ahead, so that each enable of wide registers is one gate behind registers.
        m.d.comb += [
            move_2.eq(~fetched_reg | out.i.ready),
            move_1.eq(~read_reg | move_2),
            fetch.eq(move_1 & more_reg),
            finish.eq(fetch & final),
            to_send.eq(to_send_reg + done_reg - finish),
            free.eq(free_reg + finish_reg - self.place.admit),
            self.place.free.eq(place_reg),
        ]
        m.d.sync += [
            done_reg.eq(self.done.valid),
            to_send_reg.eq(to_send),
            more_reg.eq(to_send != 0),
            finish_reg.eq(finish),
            free_reg.eq(free),
            place_reg.eq(free != 0),
        ]
        with m.If(fetch):
            last_but_one = Array(Const(max(0, beats - 2), range(p.beats)) for beats in sizes)[size] if several else p.beats - 2
            m.d.sync += [beat_reg.eq(beat_reg + 1), final_reg.eq((beat_reg == last_but_one) | (p.beats == 1))]
            if final is not final_reg:
                m.d.sync += final_reg.eq((beat_reg == last_but_one) & ~final)
            m.d.sync += [read_address_reg.eq(read_address_reg + 1), wrap_reg.eq((read_address_reg == depth - 2) | (depth == 1))]
            with m.If(final):
                m.d.sync += beat_reg.eq(0)
            if several:
                with m.If(final):
                    m.d.sync += [place_read_reg.eq(next_place), read_address_reg.eq(bases[next_place])]
            else:
                with m.If(wrap_reg):
                    m.d.sync += read_address_reg.eq(0)
        with m.If(move_1):
            m.d.sync += [read_reg.eq(more_reg), read_last_reg.eq(final), read_size_reg.eq(size)]
        with m.If(move_2):
            m.d.sync += [fetched_reg.eq(read_reg), fetched_last_reg.eq(read_last_reg), fetched_size_reg.eq(read_size_reg)]

        if several:
            m.d.comb += out.i.p.size.eq(fetched_size_reg)
        m.d.comb += [out.i.valid.eq(fetched_reg), out.i.p.last.eq(fetched_last_reg)]
        self._send(m, out, Cat(read_data), fetched_last_reg, fetched_size_reg)
        return m

    def _lanes(self, m: Module, bases: Array, read_address: Value, move: Value) -> list[Value]:
        """A memory for the blocks of each lane, which are written a cycle after they leave the engine.  Returns what is read."""
        p = self.parameters
        depth, lane_shift = p.buffers.ring_sectors * p.beats, p.data.lanes.bit_length() - 1
        read_data = []
        for lane in range(p.data.lanes):
            blocks = BlockMemory(p.data.block_bits, depth, 1, deep=True, style=p.buffers.ring_style, erase_bits=p.erase_bits)
            m.submodules[f"lane{lane}"] = blocks
            write_reg = Signal(name=f"write{lane}_reg")
            address_reg = Signal(range(depth), name=f"address{lane}_reg", reset_less=True)
            data_reg = Signal(p.data.block_bits, name=f"data{lane}_reg")
            m.d.sync += [
                write_reg.eq(self.out.we[lane]),
                address_reg.eq(bases[self.out.ticket[lane]] + (self.out.index[lane] >> lane_shift)),
                data_reg.eq(self.out.data[lane]),
            ]
            m.d.comb += [
                blocks.we.eq(write_reg),
                blocks.waddr.eq(address_reg),
                blocks.wdata.eq(data_reg),
                blocks.raddr[0].eq(read_address),
                blocks.move.eq(move),
                blocks.erase.eq(self.erase.we),
                blocks.erase_address.eq(self.erase.address),
            ]
            read_data.append(blocks.rdata[0])
        return read_data

    def _send(self, m: Module, out: RegisterSlice, fetched: Value, fetched_last: Value, fetched_size: Value) -> None:
        """Sends the fetched beats through the register slice.  Bytes behind the end of a sector are zeros."""
        p = self.parameters
        several = len(p.sizes) > 1

        def in_sector(byte: int, last: Value, size: Value) -> Value | int:
            """Whether a byte belongs to the sector."""
            keeps = [size.last_keep >> byte & 1 for size in p.sizes]
            if all(keeps):
                return 1
            return ~last | Array(Const(keep, 1) for keep in keeps)[size] if any(keeps) else ~last

        valid = out.o.valid
        m.d.comb += [
            out.o.ready.eq(self.m.ready),
            self.m.valid.eq(valid),
            self.m.p.last.eq(valid & out.o.p.last),
            self.m.p.data.eq(Mux(valid, out.o.p.data, 0)),
            self.m.p.keep.eq(
                Cat(valid & in_sector(byte, out.o.p.last, out.o.p.size if several else None) for byte in range(p.beat_bytes))
            ),
            self.delivered.eq(valid & out.o.p.last & self.m.ready),
        ]
        for byte in range(p.beat_bytes):
            data = fetched.word_select(byte, 8)
            keep = in_sector(byte, fetched_last, fetched_size)
            m.d.comb += out.i.p.data.word_select(byte, 8).eq(data if isinstance(keep, int) else Mux(keep, data, 0))
