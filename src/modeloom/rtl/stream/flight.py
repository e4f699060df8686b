# SPDX-License-Identifier: Apache-2.0
"""Knows the key slots of the messages in flight, so that a key is overwritten only when its own messages are done.

::

    admitted, slot ──▶ number of the last message of each slot ──▶ among those in flight? ──▶ busy
    admitted, finished ──▶ numbers of the messages in flight ──────┘

Messages finish in the order in which they begin.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["MessagesInFlight"]


class MessagesInFlight(BusComponent[MessageParameters]):
    """Stores the number of the last message of each slot.

    Numbers repeat after 2^``flight_bits`` messages.  A slot may then look busy until another message with the same number is done.

    Members
    -------
    admitted, slot : In(1), In(slot_bits)
        A message begins under a slot.
    finished : In(1)
        The first of the messages in flight is done.
    query : In(slot_bits)
        The slot in question.
    busy : Out(1)
        A message in flight used this slot three cycles ago.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "admitted": In(1), "slot": In(p.slot_bits), "finished": In(1), "query": In(p.slot_bits), "busy": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        bits = p.flight_bits
        m.submodules.last = last = BlockMemory(bits, p.keys.slots, 1)
        begun_reg = Signal(bits)
        done_reg = Signal(bits)
        m.d.comb += [
            last.we.eq(self.admitted), last.waddr.eq(self.slot), last.wdata.eq(begun_reg), last.raddr[0].eq(self.query),
        ]  # fmt: skip
        m.d.sync += [begun_reg.eq(begun_reg + self.admitted), done_reg.eq(done_reg + self.finished)]
        number = Signal(bits)
        count = Signal(bits)
        m.d.comb += [number.eq(last.rdata[0] - done_reg), count.eq(begun_reg - done_reg)]
        m.d.sync += self.busy.eq(number < count)
        return m
