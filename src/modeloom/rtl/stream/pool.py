# SPDX-License-Identifier: Apache-2.0
"""The free places of a memory that several channels share.

::

    never used: 0, 1, 2, ... ──┐
    given back ──▶ queue ──────┴──▶ [reg] ──▶ place
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.stream.queue import Queue

__all__ = ["Pool"]


class Pool(wiring.Component):
    """Gives each place away once, until it comes back.

    A place a cycle; four cycles from ``free`` to ``o``.

    Parameters
    ----------
    depth : int
        Places, a power of two of at least 2.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    o : stream
        A free place.
    free, place : In
        This place, which was given away, is free again.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    def __init__(self, depth: int, erase_bits: int):
        self.depth, self.erase_bits = depth, erase_bits
        super().__init__({
            "o": Out(stream.Signature(range(depth))), "free": In(1), "place": In(range(depth)),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.queue = queue = Queue(range(self.depth), self.depth, self.erase_bits)
        # Those from here on have never been used.
        unused_reg = Signal(range(self.depth + 1))
        valid_reg = Signal()
        place_reg = Signal(range(self.depth))
        unused = Signal()
        move = Signal()
        m.d.comb += [
            unused.eq(unused_reg != self.depth),
            move.eq(~valid_reg | self.o.ready),
            queue.i.valid.eq(self.free), queue.i.payload.eq(self.place),
            queue.o.ready.eq(move & ~unused),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg), self.o.payload.eq(place_reg),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [
                valid_reg.eq(unused | queue.o.valid), place_reg.eq(Mux(unused, unused_reg, queue.o.payload)),
                unused_reg.eq(unused_reg + unused),
            ]  # fmt: skip
        return m
