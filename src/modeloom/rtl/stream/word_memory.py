# SPDX-License-Identifier: Apache-2.0
"""The key memory of a pipeline, with a part for each word: all words of a slot are cleared in one cycle, or in a few if
words of other slots are written meanwhile.

::

    slot ──┬─▶ word 0 of all slots ──[reg]──┐
           ├─▶ word 1              ──[reg]──┼──▶ choice ──▶ data
           └─▶ ...                          │
    index ─────────────────────────[reg]────┘
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["WordMemory"]


class WordMemory(wiring.Component):
    """A memory with one write port, and some read ports whose data come a cycle after the address.

    An address is the number of a word, which has as many bits as the number of the last word needs, and above it the slot.

    Parameters
    ----------
    width : int
        Width of a word in bits.
    words, slots, ports : int
        Words of a slot, slots, and read ports.
    erase_bits : int
        Width of ``erase_address``; 0 if the memory holds no secrets.

    Members
    -------
    we, waddr, wdata, raddr, rdata, erase, erase_address
        Those of :class:`~modeloom.rtl.engine.storage.BlockMemory`.
    clear, clear_slot, cleared : In, In, Out
        Zeros to all words of a slot, beside writes: ``clear`` holds until ``cleared``.  A word that is written to waits.  Nothing is
        written to this slot meanwhile.
    """

    def __init__(self, width: int, words: int, slots: int, ports: int, erase_bits: int):
        self.width, self.words, self.slots, self.ports, self.erase_bits = width, words, slots, ports, erase_bits
        self.bits = max(1, (words - 1).bit_length())
        address = range(slots << self.bits)
        super().__init__({
            "we": In(1), "waddr": In(address), "wdata": In(width), "raddr": In(address).array(ports), "rdata": Out(width).array(ports),
            "erase": In(1), "erase_address": In(erase_bits), "clear": In(1), "clear_slot": In(range(max(2, slots))), "cleared": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = self.bits
        parts = [BlockMemory(self.width, self.slots, self.ports, erase_bits=max(0, self.erase_bits - bits)) for _ in range(self.words)]
        done_reg = Signal(self.words)
        done = Signal(self.words)
        writes = Signal(self.words)
        m.d.comb += [done.eq(done_reg | ~writes), self.cleared.eq(self.clear & done.all())]
        m.d.sync += done_reg.eq(done & (self.clear & ~self.cleared).replicate(self.words))
        for number, part in enumerate(parts):
            m.submodules[f"word_{number}"] = part
            m.d.comb += [
                writes[number].eq(self.we & (self.waddr[:bits] == number)), part.we.eq(writes[number] | self.clear),
                part.waddr.eq(Mux(writes[number], self.waddr[bits:], self.clear_slot)),
                part.wdata.eq(self.wdata & writes[number].replicate(self.width)),
                part.erase.eq(self.erase & (self.erase_address[:bits] == number)), part.erase_address.eq(self.erase_address[bits:]),
                *(part.raddr[port].eq(self.raddr[port][bits:]) for port in range(self.ports)),
            ]  # fmt: skip
        for port in range(self.ports):
            index_reg = Signal(bits, name=f"index_{port}_reg", reset_less=True)
            m.d.sync += index_reg.eq(self.raddr[port][:bits])
            # A number beyond the last word reads zeros.
            words = [part.rdata[port] for part in parts] + [Const(0, self.width)] * ((1 << bits) - self.words)
            m.d.comb += self.rdata[port].eq(Array(words)[index_reg])
        return m
