# SPDX-License-Identifier: Apache-2.0
"""Memories of the engine: rotating banks of blocks, and the key memory.

They read with a register: an address in cycle u - 1 gives data in cycle u, and sees what was written up to cycle u - 2.  If the word
is written in cycle u - 1, LUT memories give the old one; what block memories give depends on the device, and programs for them never
use it (``Program.rest``).  The banks of input blocks are deep, and read in two cycles: an address in cycle u - 2 gives data in cycle u,
and sees what was written up to u - 3::

    address ──▶ words 0 ... 31   ──[reg]──┐
            ──▶ words 32 ... 63  ──[reg]──┤──▶ choice ──[reg]──▶ data
            ...                           │
    address ──[reg]───────────────────────┘
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockMemory", "rotated"]

PART_WORDS, PARTS = 32, 8
"""Words of the parts of a deep memory at least, and parts at most."""


class BlockMemory(wiring.Component):
    """One write port, some read ports with registered data.

    Parameters
    ----------
    width : int
        Bits of a word.
    depth : int
        Words.
    ports : int
        Read ports.
    deep : bool
        Whether it reads in two cycles, from parts with registers of their own.
    erase_bits : int
        Width of ``erase_address``; 0 if the memory holds no secrets.
    style : str
        ``ram_style`` of the memory: "distributed", "block" (then in one part) or "" for the tool's choice.

    Members
    -------
    we, waddr, wdata : In
        Write port.
    raddr, rdata : In, Out
        Read ports.
    move : In
        Bit 0 enables the registers behind the memory, bit 1 those behind the choice of a part; both are high if not driven.
    erase, erase_address : In
        Writes the ``wdata`` of a cycle later, which is zero then, to this word; an address beyond the last word does nothing.
    """

    def __init__(
        self, width: int, depth: int, ports: int, deep: bool = False, style: str = "distributed", erase_bits: int = 0
    ):
        self.width, self.depth, self.ports, self.deep, self.style = width, depth, ports, deep, style
        self.erase_bits = erase_bits
        address = range(max(2, depth))
        super().__init__(
            {
                "we": In(1),
                "waddr": In(address),
                "wdata": In(width),
                "raddr": In(address).array(ports),
                "move": In(2, init=3),
                "erase": In(1),
                "erase_address": In(erase_bits),
                "rdata": Out(width).array(ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = max(2, self.depth)
        part = depth if not self.deep or self.style != "distributed" else max(PART_WORDS, 1 << (-(-depth // PARTS) - 1).bit_length())
        inner = (part - 1).bit_length()
        parts: list[list[Value]] = [[] for _ in range(self.ports)]
        attributes: dict[str, Any] = {"ram_style": self.style} if self.style else {}
        if self.style == "block":
            # Without this, Yosys puts a multiplexer behind each port of an ECP5's block memories, for the old word.
            attributes["no_rw_check"] = 1
        waddr = Signal.like(self.waddr, name="write_address")
        we = self.we
        m.d.comb += waddr.eq(self.waddr)
        if self.erase_bits:
            # One address is compared with the depths of all memories, and they lie all over the die: a register stands in between.
            # It has no reset, since a core is held in reset while it is erased.
            erase_reg = Signal(reset_less=True)
            erase_address_reg = Signal(range(max(2, depth)), reset_less=True)
            inside = self.erase_address < depth if 1 << self.erase_bits > depth else Const(1, 1)
            m.d.sync += [erase_reg.eq(self.erase & inside), erase_address_reg.eq(self.erase_address)]
            we = self.we | erase_reg
            m.d.comb += waddr.eq(Mux(erase_reg, erase_address_reg, self.waddr))
        for n, first in enumerate(range(0, depth, part)):
            # All parts see every address: the last one is as deep as the bits of an address reach.
            words = part if part == depth else 1 << max(1, (min(part, depth - first) - 1).bit_length())
            bits = (words - 1).bit_length()
            mem = memory.Memory(shape=self.width, depth=words, init=[], attrs=attributes)
            m.submodules[f"mem{n}"] = mem
            write = mem.write_port()
            here = waddr[inner:] == n if part < depth else 1
            m.d.comb += [write.en.eq(we & here), write.addr.eq(waddr[:bits]), write.data.eq(self.wdata)]
            for i in range(self.ports):
                read = mem.read_port()
                m.d.comb += [read.en.eq(self.move[0]), read.addr.eq(self.raddr[i][:bits])]
                parts[i].append(read.data)
        for i in range(self.ports):
            if not self.deep:
                m.d.comb += self.rdata[i].eq(parts[i][0])
                continue
            chosen = Signal(range(max(2, len(parts[i]))), name=f"part{i}_reg", reset_less=True)
            data = Signal(self.width, name=f"data{i}_reg", reset_less=True)
            with m.If(self.move[0]):
                m.d.sync += chosen.eq(self.raddr[i][inner:])
            with m.If(self.move[1]):
                m.d.sync += data.eq(Array(parts[i])[chosen] if len(parts[i]) > 1 else parts[i][0])
            m.d.comb += self.rdata[i].eq(data)
        return m


def rotated(
    m: Module, cell: Value, base: Value, cells: int, target: Value, *, late: bool = False, modulus: Value | int | None = None
) -> None:
    """Registers (cell + base) mod ``modulus`` into ``target``, in one cycle or (``late``) in two; both operands are below it.

    ``modulus`` is ``cells``, or a value of at most ``cells``.
    """
    if cells == 1:
        m.d.sync += target.eq(0)
        return
    if modulus is None:
        modulus = cells
    total = (cell + base)[: (2 * cells - 2).bit_length()]
    if late:
        sum_reg = Signal(len(total), name=f"{target.name}_sum", reset_less=True)
        m.d.sync += sum_reg.eq(total)
        total = sum_reg
    m.d.sync += target.eq(total)
    with m.If(total >= modulus):
        m.d.sync += target.eq(total - modulus)
