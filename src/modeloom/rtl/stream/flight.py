# SPDX-License-Identifier: Apache-2.0
"""Knows the key slots of the messages in flight, so that a key is overwritten only when its own messages are done.

::

    admitted, slot ──▶ number of the last message of each slot ──▶ among those in flight? ──▶ busy
    admitted, finished ──▶ numbers of the messages in flight ──────┘

Messages finish in the order in which they begin.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent, ErasedComponent, erased
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.contexts import ChannelWords
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["MessagesInFlight", "SlotsInFlight"]


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


# -- slots in flight ---------------------------------------------------------------------------------------------------------------

# Which key slots have messages, in a core with several channels, where messages do not finish in the order of their commands.
#
#     admitted, slot ──▶ messages of each slot that have begun ──┐
#     finished, slot ──▶ messages of each slot that are done ────┴──▶ different? ──▶ busy

class SlotsInFlight(ErasedComponent[MessageParameters]):
    """Counts the messages of each key slot.

    Members
    -------
    admitted, slot : In
        The core takes a command with this slot.
    finished, finished_slot : In
        A message of this slot is done.
    query : slot
        The slot in question.
    busy : 1
        A message uses it, as of three cycles ago.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "admitted": In(1), "slot": In(p.slot_bits), "finished": In(1), "finished_slot": In(p.slot_bits), "query": In(p.slot_bits),
            "busy": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        begun = self._counted(m, "begun", self.admitted, self.slot)
        done = self._counted(m, "done", self.finished, self.finished_slot)
        m.d.sync += self.busy.eq(begun != done)
        return m

    def _counted(self, m: Module, name: str, count: Signal, slot: Signal) -> Value:
        """Counts for each slot; the count of the slot in question."""
        p = self.parameters
        m.submodules[name] = words = ChannelWords(p.flight_bits, p.keys.slots, 2, p.erase_bits)
        count_reg, slot_reg = Signal(name=f"{name}_reg"), Signal(p.slot_bits, name=f"{name}_slot_reg")
        m.d.sync += [count_reg.eq(count), slot_reg.eq(slot)]
        m.d.comb += [
            words.raddr[0].eq(slot), words.raddr[1].eq(self.query),
            words.we.eq(count_reg), words.waddr.eq(slot_reg), words.wdata.eq(words.rdata[0] + 1),
            *erased(self, words),
        ]  # fmt: skip
        return words.rdata[1]
