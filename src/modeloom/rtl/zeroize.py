# SPDX-License-Identifier: Apache-2.0
"""Erases the whole state of a core: keys, set-up values, plaintext, and everything computed from them.

::

    zeroize, ~aresetn ──▶ [hold] ──▶ reset of the whole core ─────────────────────────────┐
                            │                                                              ▼
                            └──▶ settle ──▶ sweep: zeros to every word of every memory ──▶ flush ──▶ ready
                       SETTLE_CYCLES   an address a cycle, all memories at once       pipelines run empty

Meanwhile, the rest of the core is held in reset, so it writes only zeros and its buses are idle.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, Signature

from modeloom.cycles import SETTLE_CYCLES

__all__ = ["Zeroizer", "erase_signature"]


# What erases the memories of a core, word by word: one giver, and every memory listens.
#
#     Zeroizer ── erase.we, erase.address ──┬──▶ input banks, banks of results, key memory, round keys
#                                           └──▶ result buffer

def erase_signature(bits: int) -> Signature:
    """The erasure of memories, seen from who asks for it.

    Parameters
    ----------
    bits : int
        Width of ``address``.

    Members
    -------
    we : 1
        Zeros go to the word ``address`` of all memories. The parts that hold them are held in reset meanwhile.
    address : bits
        The word. Memories that have no such word do nothing.
    """
    return Signature({"we": Out(1), "address": Out(bits)})


# -- zeroize -----------------------------------------------------------------------------------------------------------------------

class Zeroizer(wiring.Component):
    """Holds a core in reset while it overwrites its memories.  It has its own clock domain, "always", without a reset.

    Parameters
    ----------
    depth : int
        Number of words in the deepest memory.
    flush : int
        Largest number of cycles that a value can stay in registers without a reset.

    Members
    -------
    request : In
        Starts or restarts the erasure.  A power-up also starts it.
    hold : Out
        Reset of the rest of the core, for :func:`modeloom.cycles.zeroize_cycles` cycles after the last request.
    erase : Out
        ``erase_signature``: writes zeros to this word of all memories.

    Raises
    ------
    ValueError
        *depth* or *flush* is below 1.
    """

    def __init__(self, depth: int, flush: int):
        if depth < 1 or flush < 1:
            raise ValueError(f"depth and flush are at least 1, not {depth} and {flush}")
        self.depth, self.flush = depth, flush
        super().__init__({"request": In(1), "hold": Out(1), "erase": Out(erase_signature(max(1, (depth - 1).bit_length())))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        hold_reg = Signal(init=1)
        erase_reg = Signal()
        swept_reg = Signal()
        wait_reg = Signal(range(max(SETTLE_CYCLES, self.flush)), init=SETTLE_CYCLES - 1)
        address_reg = Signal.like(self.erase.address)
        m.d.comb += [self.hold.eq(hold_reg), self.erase.we.eq(erase_reg), self.erase.address.eq(address_reg)]
        with m.If(self.request):
            m.d.always += [
                hold_reg.eq(1), erase_reg.eq(0), swept_reg.eq(0), wait_reg.eq(SETTLE_CYCLES - 1), address_reg.eq(0),
            ]  # fmt: skip
        with m.Elif(erase_reg):
            m.d.always += address_reg.eq(address_reg + 1)
            with m.If(address_reg == self.depth - 1):
                m.d.always += [erase_reg.eq(0), swept_reg.eq(1), wait_reg.eq(self.flush - 1)]
        with m.Elif(hold_reg):
            m.d.always += wait_reg.eq(wait_reg - 1)
            with m.If(wait_reg == 0):
                m.d.always += [hold_reg.eq(~swept_reg), erase_reg.eq(~swept_reg)]
        return m
