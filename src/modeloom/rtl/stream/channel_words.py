# SPDX-License-Identifier: Apache-2.0
"""What is a register in a core with one channel, and a word for each channel in others.

::

    channel of the next cycle ──▶ words ──[reg]──┬──▶ word of this cycle        ChannelWords
    word that is written in this cycle ──[reg]───┘

    channel ──▶ words ──▶ word, in the same cycle                               ChannelFlags
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["ChannelFlags", "ChannelWords"]


class WordsOfChannels(wiring.Component):
    """A word for each channel: zeros at power-up, and after an erasure.

    Parameters
    ----------
    width, channels : int
        Bits of a word, and number of words.
    ports : int
        Read ports.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    raddr, rdata : In, Out
        Read ports.
    we, waddr, wdata : In
        Write port.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    def __init__(self, width: int, channels: int, ports: int, erase_bits: int):
        self.width, self.channels, self.ports, self.erase_bits = width, channels, ports, erase_bits
        address = range(max(2, channels))
        super().__init__({
            "raddr": In(address).array(ports), "rdata": Out(width).array(ports),
            "we": In(1), "waddr": In(address), "wdata": In(width),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip


class ChannelWords(WordsOfChannels):
    """A word for each channel, read and written in a cycle: an address in cycle u - 1 gives data in cycle u, as they are after all writes
    up to cycle u - 1."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = BlockMemory(self.width, self.channels, self.ports, erase_bits=self.erase_bits)
        written_reg = Signal(self.width)
        written = Signal(self.width)
        m.d.comb += [
            # An erasure writes what stands here while the core is held in reset.
            written.eq(self.wdata & self.we.replicate(self.width)),
            words.we.eq(self.we), words.waddr.eq(self.waddr), words.wdata.eq(written),
            words.erase.eq(self.erase), words.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        m.d.sync += written_reg.eq(written)
        for port in range(self.ports):
            same_reg = Signal(name=f"same_{port}_reg")
            m.d.comb += [
                words.raddr[port].eq(self.raddr[port]), self.rdata[port].eq(Mux(same_reg, written_reg, words.rdata[port])),
            ]  # fmt: skip
            m.d.sync += same_reg.eq(self.we & (self.waddr == self.raddr[port]))
        return m


class ChannelFlags(WordsOfChannels):
    """A few bits for each channel, read in the cycle of the address, as they are after all writes of the cycles before."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = max(2, self.channels)
        m.submodules.words = words = memory.Memory(shape=self.width, depth=depth, init=[], attrs={"ram_style": "distributed"})
        write = words.write_port()
        inside: Value = self.erase_address < depth if 1 << self.erase_bits > depth else Const(1, 1)
        erase_reg = Signal(reset_less=True)
        erase_address_reg = Signal(range(depth), reset_less=True)
        m.d.sync += [erase_reg.eq(self.erase & inside), erase_address_reg.eq(self.erase_address)]
        m.d.comb += [
            write.en.eq(self.we | erase_reg), write.addr.eq(Mux(erase_reg, erase_address_reg, self.waddr)),
            write.data.eq(Mux(erase_reg, 0, self.wdata)),
        ]  # fmt: skip
        for port in range(self.ports):
            read = words.read_port(domain="comb")
            m.d.comb += [read.addr.eq(self.raddr[port]), self.rdata[port].eq(read.data)]
        return m
