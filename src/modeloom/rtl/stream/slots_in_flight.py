# SPDX-License-Identifier: Apache-2.0
"""Which key slots have messages, in a core with several channels, where messages do not finish in the order of their commands.

::

    admitted, slot ──▶ messages of each slot that have begun ──┐
    finished, slot ──▶ messages of each slot that are done ────┴──▶ different? ──▶ busy
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.channel_words import ChannelWords
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["SlotsInFlight"]


class SlotsInFlight(BusComponent[MessageParameters]):
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
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "admitted": In(1), "slot": In(p.slot_bits), "finished": In(1), "finished_slot": In(p.slot_bits), "query": In(p.slot_bits),
            "busy": Out(1), "erase": In(1), "erase_address": In(p.erase_bits),
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
            words.erase.eq(self.erase), words.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        return words.rdata[1]
