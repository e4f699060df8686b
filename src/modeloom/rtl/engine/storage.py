# SPDX-License-Identifier: Apache-2.0
"""Memories of the engine: rotating banks of blocks, and the key memory.

Both read with a register: an address in cycle u - 1 gives data in cycle u, and sees what was written up to cycle u - 2.
"""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BlockMemory", "rotated"]


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
    """

    def __init__(self, width: int, depth: int, ports: int):
        self.width, self.depth, self.ports = width, depth, ports
        address = range(max(2, depth))
        super().__init__(
            {
                "we": In(1),
                "waddr": In(address),
                "wdata": In(width),
                "raddr": In(address).array(ports),
                "rdata": Out(width).array(ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # LUT memories: a block memory on ECP5 gives its data too late in the cycle for a network behind it (docs/model.md).
        m.submodules.mem = mem = memory.Memory(
            shape=self.width, depth=max(2, self.depth), init=[], attrs={"ram_style": "distributed"}
        )
        write = mem.write_port()
        m.d.comb += [write.en.eq(self.we), write.addr.eq(self.waddr), write.data.eq(self.wdata)]
        for i in range(self.ports):
            read = mem.read_port()
            m.d.comb += [read.en.eq(1), read.addr.eq(self.raddr[i]), self.rdata[i].eq(read.data)]
        return m


def rotated(m: Module, cell: Value, base: Value, cells: int, target: Value) -> None:
    """Registers (cell + base) mod cells into ``target``; both operands are below ``cells``."""
    if cells == 1:
        m.d.sync += target.eq(0)
        return
    total = (cell + base)[: (2 * cells - 2).bit_length()]
    m.d.sync += target.eq(total)
    with m.If(total >= cells):
        m.d.sync += target.eq(total - cells)
