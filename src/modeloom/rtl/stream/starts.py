# SPDX-License-Identifier: Apache-2.0
"""Lets the starts of messages run ahead: a command waits here until its start has been computed.

::

    i ──▶ [reg, with a free place] ──start──▶ entry ──▶ pipeline ──▶ value at this place
              └──▶ queue, until it has been computed ──▶ o
    message begins ──▶ some cycles ──▶ zeros to its place ──▶ free again

Commands leave in the order in which they have come.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import ErasedComponent, erased
from modeloom.rtl.stream.command import order_layout, started_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.queue import Pool, Queue

__all__ = ["StartsAhead"]


class StartsAhead(ErasedComponent[MessageParameters]):
    """Gives starts to the entry, and commands whose start has been computed to what takes their packets.

    Members
    -------
    i : stream of order_layout
        Checked commands.
    start : stream of MessageParameters.start
        The next start, for the entry.
    started : 1
        The first of the starts that have entered has been computed.
    o : stream of started_layout
        Commands that have started.
    admitted, slot : 1, slot
        A command is taken; nothing of its key may change from now on.
    begun, begun_place : 1, place
        A message has entered the pipeline with its first token, which reads what is at this place in the cycles that follow.
    clear_started, clear_place, started_cleared : 1, place, 1
        Asks the pipeline for zeros to a place.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "i": In(stream.Signature(order_layout(p))), "start": Out(stream.Signature(p.start)), "started": In(1),
            "o": Out(stream.Signature(started_layout(p))), "admitted": Out(1), "slot": Out(p.slot_bits),
            "begun": In(1), "begun_place": In(p.place_bits),
            "clear_started": Out(1), "clear_place": Out(p.place_bits), "started_cleared": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.places = places = Pool(p.start_places, p.erase_bits)
        m.submodules.used = used = Queue(p.place_bits, p.start_places, p.erase_bits)
        # A queue behind this one that does not mask its input is overwritten with what comes from here.
        bare = p.channels == 1 and not p.inline
        m.submodules.waiting = waiting = Queue(started_layout(p), p.start_depth, p.erase_bits, clears=bare)
        m.d.comb += erased(self, places, used, waiting)

        # -- the next start -----------------------------------------------------------------------------------------------------
        order_reg = Signal(order_layout(p))
        place_reg = Signal(p.place_bits)
        valid_reg = Signal()
        take = Signal()
        goes = Signal()
        m.d.comb += [
            take.eq(self.i.valid & places.o.valid & (~valid_reg | goes)),
            self.i.ready.eq(take), places.o.ready.eq(take), self.admitted.eq(take), self.slot.eq(self.i.payload.message.slot),
            self.start.valid.eq(valid_reg & waiting.i.ready), goes.eq(self.start.valid & self.start.ready),
        ]  # fmt: skip
        with m.If(take):
            m.d.sync += [order_reg.eq(self.i.payload), place_reg.eq(places.o.payload), valid_reg.eq(1)]
        with m.Elif(goes):
            # Nothing of a nonce stays behind.
            m.d.sync += [order_reg.eq(0), valid_reg.eq(0)]
        message = order_reg.message
        m.d.comb += [
            self.start.payload.nonce.eq(order_reg.nonce), self.start.payload.nonce_class.eq(message.nonce_class),
            self.start.payload.slot.eq(message.slot), self.start.payload.place.eq(place_reg),
            *(self.start.payload[name].eq(message[field]) for name, field in p.known_fields.items()),
            waiting.i.valid.eq(goes), waiting.i.payload.message.eq(message), waiting.i.payload.message.place.eq(place_reg),
            *(waiting.i.payload[name].eq(order_reg[name]) for name, _ in started_layout(p) if name != "message"),
        ]  # fmt: skip

        # -- commands that have started -----------------------------------------------------------------------------------------
        ready_reg = Signal(range(p.start_depth + 1))
        leaves = Signal()
        m.d.comb += [
            self.o.valid.eq(waiting.o.valid & (ready_reg != 0)), self.o.payload.eq(waiting.o.payload),
            waiting.o.ready.eq(self.o.ready & (ready_reg != 0)), leaves.eq(self.o.valid & self.o.ready),
        ]  # fmt: skip
        m.d.sync += ready_reg.eq(ready_reg + self.started - leaves)

        # -- places of messages that have begun ---------------------------------------------------------------------------------
        begun, place = self.begun, self.begun_place
        for number in range(max(p.plan.placed.homes[name] for name in p.plan.started) + 1):
            later, place_later = Signal(name=f"begun_{number}_reg"), Signal(p.place_bits, name=f"place_{number}_reg")
            m.d.sync += [later.eq(begun), place_later.eq(place)]
            begun, place = later, place_later
        m.d.comb += [
            used.i.valid.eq(begun), used.i.payload.eq(place), self.clear_started.eq(used.o.valid), self.clear_place.eq(used.o.payload),
            used.o.ready.eq(self.started_cleared), places.free.eq(self.started_cleared), places.place.eq(used.o.payload),
        ]  # fmt: skip
        return m
