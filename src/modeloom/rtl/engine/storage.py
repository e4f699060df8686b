# SPDX-License-Identifier: Apache-2.0
"""The memories of the engine: rotating banks of blocks, and the key memory.

Their outputs are registered.  An address in cycle u - 1 gives data in cycle u, and sees what was written up to cycle u - 2.  If the
word is written in cycle u - 1, LUT memories give the old one.  What block memories give then depends on the device, and programs
for them never use it (``Program.rest``).  The banks of input blocks are deep, and reading takes two cycles: an address in cycle u -
2 gives data in cycle u, and sees what was written up to u - 3::

    address ──▶ words 0 ... 31   ──[reg]──┐
            ──▶ words 32 ... 63  ──[reg]──┤──▶ choice ──[reg]──▶ data
            ...                           │
    address ──[reg]───────────────────────┘
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockMemory", "rotated"]

PART_WORDS, PARTS = 32, 8
"""The least number of words in a part of a deep memory, and the largest number of parts."""


class BlockMemory(wiring.Component):
    """A memory with one write port, and some read ports with registered data.

    Parameters
    ----------
    width : int
        Width of a word in bits.
    depth : int
        Number of words.
    ports : int
        Number of read ports.
    deep : bool
        Whether reading takes two cycles instead of one.  The memory then consists of parts with registers of their own.
    erase_bits : int
        Width of ``erase_address``; 0 if the memory holds no secrets.
    style : str
        The attribute ``ram_style`` of the memory: "distributed", "block" (in one part), or "" for the choice of the tool.
    clears : bool
        Whether a read port can give zeros.  The memory is then "distributed", and not deep.

    Members
    -------
    we, waddr, wdata : In(1), In(range(depth)), In(width)
        The write port.
    raddr, rdata : In(range(depth)), Out(width), for each port
        The read ports.
    move : In(2)
        Bit 0 enables the registers behind the memory, and bit 1 those behind the choice of a part.  Both are high by default.
    clear : In(1), for each port
        With *clears* only: gives zeros in the next cycle, instead of the word.
    erase, erase_address : In(1), In(erase_bits)
        Writes to this word in the next cycle.  The word becomes the ``wdata`` of that cycle, which has to be zero.  An address
        beyond the last word does nothing.
    """

    def __init__(
        self, width: int, depth: int, ports: int, deep: bool = False, style: str = "distributed", erase_bits: int = 0,
        clears: bool = False,
    ):  # fmt: skip
        self.width, self.depth, self.ports, self.deep, self.style = width, depth, ports, deep, style
        self.erase_bits, self.clears = erase_bits, clears
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
                **({"clear": In(1).array(ports)} if clears else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = max(2, self.depth)
        part = depth if not self.deep or self.style != "distributed" else max(PART_WORDS, 1 << (-(-depth // PARTS) - 1).bit_length())
        inner = (part - 1).bit_length()
        parts: list[list[Value]] = [[] for _ in range(self.ports)]
        attributes: dict[str, str | int] = {"ram_style": self.style} if self.style else {}
        if self.style == "block":
            # Without this, Yosys puts a multiplexer behind each port of the block memories of an ECP5, to give the old word.
            attributes["no_rw_check"] = 1
        waddr = Signal.like(self.waddr, name="write_address")
        we = self.we
        m.d.comb += waddr.eq(self.waddr)
        if self.erase_bits:
            # One address is compared with the depths of all memories, which lie all over the die, so there is a register in
            # between.  It has no reset, since a core is held in reset while it is erased.
            erase_reg = Signal(reset_less=True)
            erase_address_reg = Signal(range(max(2, depth)), reset_less=True)
            inside = self.erase_address < depth if 1 << self.erase_bits > depth else Const(1, 1)
            m.d.sync += [erase_reg.eq(self.erase & inside), erase_address_reg.eq(self.erase_address)]
            we = self.we | erase_reg
            m.d.comb += waddr.eq(Mux(erase_reg, erase_address_reg, self.waddr))
        for n, first in enumerate(range(0, depth, part)):
            # All parts see every address, so the last one is as deep as the bits of an address reach.
            words = part if part == depth else 1 << max(1, (min(part, depth - first) - 1).bit_length())
            bits = (words - 1).bit_length()
            mem = memory.Memory(shape=self.width, depth=words, init=[], attrs=attributes)
            m.submodules[f"mem{n}"] = mem
            write = mem.write_port()
            here = waddr[inner:] == n if part < depth else 1
            m.d.comb += [write.en.eq(we & here), write.addr.eq(waddr[:bits]), write.data.eq(self.wdata)]
            for i in range(self.ports):
                if self.clears:
                    # The register has a reset for this, which takes no LUTs.
                    asked = mem.read_port(domain="comb")
                    word = Signal(self.width, name=f"word{i}_reg", reset_less=True)
                    m.d.comb += asked.addr.eq(self.raddr[i][:bits])
                    with m.If(self.move[0]):
                        m.d.sync += word.eq(Mux(self.clear[i], 0, asked.data))
                    parts[i].append(word)
                    continue
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
    """Registers (cell + base) mod ``modulus`` in ``target``.  This takes one cycle, or two with ``late``.

    Both operands must be less than ``modulus``, which is ``cells`` or a value of at most ``cells``.
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
