# SPDX-License-Identifier: Apache-2.0
"""Where a command meets its packet: lets the sector enter the engine or refuses it.

::

    command ─┐                   good ──▶ enter ──▶ enter_ack; place in the ring, slot noted as in flight
             ├──▶ one decision ──┤
    packet  ─┘                   bad ───▶ nothing
                                 both ──▶ tag and code into the status queue, in the order of the commands

A good command stays in the command intake until its sector has entered, and the engine reads its fields there.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.component import BusComponent

from .parameters import BusParameters
from .ports import CODE_BITS

__all__ = ["EntryGate"]


class EntryGate(BusComponent[BusParameters]):
    """Decides on a command and its packet; the engine sees ``enter`` in the cycle after.

    A good sector waits for a free place in the ring and for the one before it to have entered; a bad one waits only for
    that and for room in the status queue.  A good packet is taken in the cycle in which it is complete, if its command has been there
    for a cycle; from one entry to the next are ``cycles.ENTRY_CYCLES`` at least.

    Members
    -------
    command_valid, command_ok, command_code
        From :class:`~modeloom.rtl.bus.sector.command.CommandIntake`.
    packet_complete, packet_ok, packet_good, packet_code
        From :class:`~modeloom.rtl.bus.sector.intake.SectorIntake`.
    command_take, packet_take : 1
        Command, and packet, have been used.
    place : 1
        The ring has a free place.
    room : 1
        The status queue has room.
    admit : 1
        The sector will enter: ``ticket`` is its place.
    push, code : 1, 3
        Command and packet have been decided, with this status.
    enter, enter_ack, ticket
        The engine's.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Any]:
        return {
            "command_valid": In(1),
            "command_ok": In(1),
            "command_code": In(CODE_BITS),
            "packet_complete": In(1),
            "packet_ok": In(1),
            "packet_good": In(1),
            "packet_code": In(CODE_BITS),
            "command_take": Out(1),
            "packet_take": Out(1),
            "place": In(1),
            "room": In(1),
            "admit": Out(1),
            "push": Out(1),
            "code": Out(CODE_BITS),
            "enter": Out(1),
            "enter_ack": In(1),
            "ticket": Out(parameters.ticket_bits),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ticket_reg = Signal(self.parameters.ticket_bits)
        enter_reg = Signal()
        # Everything but the packet's end is known a cycle ahead.  ``go_reg``: the command that waits is good, no sector asks to enter,
        # and there are a place in the ring and room for the status; ``drop_reg``: command and packet that wait are refused.
        go_reg = Signal()
        drop_reg = Signal()
        drop_code_reg = Signal.like(self.code, reset_less=True)
        free = Signal()
        m.d.comb += [
            self.admit.eq(self.packet_good & go_reg),
            self.push.eq(self.admit | drop_reg),
            self.packet_take.eq(self.push),
            self.command_take.eq(self.enter_ack | drop_reg),
            self.code.eq(Mux(drop_reg, drop_code_reg, StatusCode.OK)),
            self.enter.eq(enter_reg),
            self.ticket.eq(ticket_reg),
            free.eq(self.command_valid & self.room & ~enter_reg & ~self.push),
        ]
        m.d.sync += [
            go_reg.eq(free & self.command_ok & self.place),
            drop_reg.eq(free & self.packet_complete & ~(self.command_ok & self.packet_ok)),
            drop_code_reg.eq(Mux(self.command_ok, self.packet_code, self.command_code)),
        ]
        with m.If(self.admit):
            m.d.sync += enter_reg.eq(1)
        with m.Elif(self.enter_ack):
            m.d.sync += enter_reg.eq(0)
            with m.If(ticket_reg == self.parameters.buffers.ring_sectors - 1):
                m.d.sync += ticket_reg.eq(0)
            with m.Else():
                m.d.sync += ticket_reg.eq(ticket_reg + 1)
        return m
