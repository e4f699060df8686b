# SPDX-License-Identifier: Apache-2.0
"""Decides on a command and its packet: the sector enters the engine, or it is refused.

::

    command ─┐                   good ──▶ enter; the sector has a place in the ring, and its slot is in use
             ├──▶ one decision ──┤
    packet  ─┘                   bad ───▶ nothing
                                 both ──▶ tag and code into the status queue, in the order of the commands

A good command stays in the command intake until its sector has entered.  The engine reads its fields there.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Member, Out

from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.bus.preparation import in_use_signature
from modeloom.rtl.bus.sector.parameters import (
    CODE_BITS,
    STATUS,
    BusParameters,
    admission_signature,
    command_signature,
    packet_signature,
    place_signature,
)
from modeloom.rtl.bus.status import verdict_signature
from modeloom.rtl.engine.interface import done_signature, enter_signature

__all__ = ["EntryGate", "SlotsInFlight"]


class EntryGate(BusComponent[BusParameters]):
    """Decides on a command and its packet.  ``enter.request`` rises in the cycle after the decision.

    Every sector waits until the one before it has entered, and until there is room in the status queue.  A good sector waits also
    for a free place in the ring.  A good packet is taken in the cycle in which it is complete, if its command has been there for a
    cycle.  There are at least ``cycles.ENTRY_CYCLES`` cycles from one entry to the next.

    Members
    -------
    command : command_signature
    packet : packet_signature
        The command and the packet that wait.
    place : place_signature
        A place in the ring.  Its number is the ticket of the sector.
    admission : admission_signature
        The sector will enter.
    verdict : verdict_signature
        Command and packet have been decided, with this status.
    enter : enter_signature
        The request to the engine.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        p = parameters
        return {
            "command": In(command_signature(p)),
            "packet": In(packet_signature()),
            "place": Out(place_signature(p)),
            "admission": Out(admission_signature(p)),
            "verdict": Out(verdict_signature(STATUS, CODE_BITS)),
            "enter": Out(enter_signature(key_slots=p.key_slots, ticket_bits=p.ticket_bits)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ticket_reg = Signal(self.parameters.ticket_bits)
        enter_reg = Signal()
        # Everything but the end of the packet is known a cycle ahead.  ``go_reg`` says that the command is good, no sector asks to
        # enter, the ring has a place, and there is room for the status.  ``drop_reg`` says that command and packet are refused.
        go_reg = Signal()
        drop_reg = Signal()
        drop_code_reg = Signal(CODE_BITS, reset_less=True)
        command, packet, place, admission, verdict, enter = (
            self.command, self.packet, self.place, self.admission, self.verdict, self.enter
        )  # fmt: skip
        admit = Signal()
        push = Signal()
        free = Signal()
        m.d.comb += [
            admit.eq(packet.good & go_reg),
            push.eq(admit | drop_reg),
            free.eq(command.valid & verdict.room & ~enter_reg & ~push),
            command.take.eq(enter.ack | drop_reg),
            packet.take.eq(push), packet.admit.eq(admit), packet.entering.eq(enter_reg),
            place.admit.eq(admit), place.ticket.eq(ticket_reg), place.size.eq(command.size),
            admission.admit.eq(admit), admission.ticket.eq(ticket_reg), admission.slot.eq(command.slot),
            verdict.push.eq(push), verdict.tag.eq(command.tag), verdict.code.eq(Mux(drop_reg, drop_code_reg, StatusCode.OK)),
            enter.request.eq(enter_reg), enter.ticket.eq(ticket_reg), enter.decrypt.eq(command.decrypt), enter.slot.eq(command.slot),
        ]  # fmt: skip
        m.d.sync += [
            go_reg.eq(free & command.ok & place.free),
            drop_reg.eq(free & packet.complete & ~(command.ok & packet.ok)),
            drop_code_reg.eq(Mux(command.ok, packet.code, command.code)),
        ]
        with m.If(admit):
            m.d.sync += enter_reg.eq(1)
        with m.Elif(enter.ack):
            m.d.sync += enter_reg.eq(0)
            with m.If(ticket_reg == self.parameters.buffers.ring_sectors - 1):
                m.d.sync += ticket_reg.eq(0)
            with m.Else():
                m.d.sync += ticket_reg.eq(ticket_reg + 1)
        return m


# -- flight ------------------------------------------------------------------------------------------------------------------------

# Knows the key slots of the sectors in flight, so that a key is overwritten only when its own sectors are done.
#
#     admission ──▶ slot of each place of the ring ──▶ in_use.slot == slot of a busy place? ──▶ in_use.busy
#     done ───────▶ place no longer busy

class SlotsInFlight(BusComponent[BusParameters]):
    """Stores the slot of each sector from its admission to its ``done``.  ``in_use.busy`` is one cycle late.

    Members
    -------
    admission : admission_signature
        A sector will enter.
    done : done_signature
        A sector has left the engine.
    in_use : in_use_signature
        Whether a sector in flight uses a slot.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "admission": In(admission_signature(parameters)),
            "done": In(done_signature(parameters.ticket_bits)),
            "in_use": In(in_use_signature(parameters.key_slots)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        hits = []
        for place in range(self.parameters.buffers.ring_sectors):
            busy_reg = Signal(name=f"busy{place}_reg")
            slot_reg = Signal.like(self.admission.slot, name=f"slot{place}_reg", reset_less=True)
            with m.If(self.admission.admit & (self.admission.ticket == place)):
                m.d.sync += [busy_reg.eq(1), slot_reg.eq(self.admission.slot)]
            with m.Elif(self.done.valid & (self.done.ticket == place)):
                m.d.sync += busy_reg.eq(0)
            hits.append(busy_reg & (slot_reg == self.in_use.slot))
        m.d.sync += self.in_use.busy.eq(Cat(hits).any())
        return m
