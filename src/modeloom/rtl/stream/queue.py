# SPDX-License-Identifier: Apache-2.0
"""A queue in a memory that can be erased.

::

    i ──▶ memory ──[reg]──▶ o         two cycles from i to o, one payload a cycle
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, ResetSignal, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import signals
from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["Pool", "Queue"]


class Queue(wiring.Component):
    """A queue of payloads.

    Parameters
    ----------
    shape : ShapeLike
        The shape of a payload.
    depth : int
        Number of payloads that it holds, a power of two of at least 2.
    erase_bits : int
        Width of ``erase_address``.
    masked : bool
        Without it, the payload at the input must be zero while the queue is held in reset, because the memory is overwritten with it.
    clears : bool
        Whether the payload at the output is zero from the second cycle of a reset on.

    Members
    -------
    i, o : stream
        The input and the output.
    erase, erase_address : In(1), In(erase_bits)
        Writes zeros to this word, while the queue is held in reset.

    Raises
    ------
    ValueError
        If *depth* is not a power of two of at least 2.
    """

    def __init__(self, shape: ShapeLike, depth: int, erase_bits: int, *, masked: bool = True, clears: bool = False):
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth is a power of two of at least 2, not {depth}")
        self.shape, self.depth, self.erase_bits, self.masked, self.clears = shape, depth, erase_bits, masked, clears
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        written = Value.cast(self.i.payload)
        m.submodules.memory = memory = BlockMemory(len(written), self.depth, 1, erase_bits=self.erase_bits, clears=self.clears)
        if self.clears:
            m.d.comb += memory.clear[0].eq(ResetSignal())
        # These have one bit more than an address, so that full and empty differ.
        put_reg = Signal(range(2 * self.depth))
        get_reg = Signal.like(put_reg)
        get = Signal.like(put_reg)
        # Whether a payload leaves is known late in a cycle, so both addresses are registers.
        next_reg = Signal.like(put_reg, init=1)
        pop, ready_reg, valid_reg, put = signals("pop ready_reg valid_reg put")
        bits = (self.depth - 1).bit_length()
        level = Signal.like(put_reg)
        m.d.comb += [
            put.eq(self.i.valid & ready_reg),
            self.i.ready.eq(ready_reg),
            pop.eq(valid_reg & self.o.ready),
            get.eq(Mux(pop, next_reg, get_reg)),
            memory.we.eq(put), memory.waddr.eq(put_reg[:bits]),
            memory.wdata.eq(written & put.replicate(len(written)) if self.masked else written),
            memory.raddr[0].eq(get[:bits]),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(memory.rdata[0]),
            level.eq(put_reg - get_reg),
        ]  # fmt: skip
        m.d.sync += [
            put_reg.eq(Mux(put, put_reg + 1, put_reg)),
            get_reg.eq(get), next_reg.eq(Mux(pop, next_reg + 1, next_reg)),
            valid_reg.eq(Mux(pop, next_reg != put_reg, get_reg != put_reg)),
            # A payload that leaves in this cycle is not counted, so that ready does not wait for o.ready.
            ready_reg.eq(Mux(put, level + 1 < self.depth, level < self.depth)),
        ]
        return m


# -- pool --------------------------------------------------------------------------------------------------------------------------

# The free places of a memory that several channels share.
#
#     never used: 0, 1, 2, ... ──┐
#     given back ──▶ queue ──────┴──▶ [reg] ──▶ place

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
        valid_reg, unused, move = signals("valid_reg unused move")
        place_reg = Signal(range(self.depth))
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
