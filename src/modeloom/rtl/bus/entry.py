# SPDX-License-Identifier: Apache-2.0
"""Where a command meets its packet: lets the sector enter the engine or refuses it.

::

    command ─┐                   good ──▶ enter_* (registered) ──▶ enter_ack
             ├──▶ one decision ──┤        place in the ring, slot noted as in flight
    packet  ─┘                   bad ───▶ nothing
                                 both ──▶ tag and code into the status queue, in the order of the commands
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .parameters import BusParameters
from .ports import StatusCode

__all__ = ["EntryGate"]


class EntryGate(wiring.Component):
    """Decides on a command and its packet in one cycle; the engine sees ``enter`` in the next.

    A good sector waits for a free place in the ring and for the one before it to have entered; a bad one waits only for
    room in the status queue.  The decision takes command and packet together.

    Parameters
    ----------
    parameters : BusParameters
        Sizes.

    Members
    -------
    command_valid, command_ok, command_code, decrypt, slot, tweak, tag
        From :class:`~modeloom.rtl.bus.command.CommandIntake`.
    packet_complete, packet_ok, packet_code
        From :class:`~modeloom.rtl.bus.sector.SectorIntake`.
    take : 1
        Command and packet have been used.
    place : 1
        The ring has a free place.
    room : 1
        The status queue has room.
    admit : 1
        The sector will enter: ``admit_ticket`` is its place, ``slot`` its slot.
    code : 3
        Status code of what is taken.
    enter, enter_ack, enter_decrypt, enter_slot, enter_tweak, enter_ticket
        The engine's.
    enter_held : 1
        ``enter`` stays high in the next cycle for the same sector.
    """

    def __init__(self, parameters: BusParameters):
        self.parameters = parameters
        slot = range(max(2, parameters.key_slots))
        tweak_bits = max(1, parameters.tweak_bits)
        super().__init__(
            {
                "command_valid": In(1),
                "command_ok": In(1),
                "command_code": In(3),
                "decrypt": In(1),
                "slot": In(slot),
                "tweak": In(tweak_bits),
                "packet_complete": In(1),
                "packet_ok": In(1),
                "packet_code": In(3),
                "take": Out(1),
                "place": In(1),
                "room": In(1),
                "admit": Out(1),
                "admit_ticket": Out(parameters.ticket_bits),
                "code": Out(3),
                "enter": Out(1),
                "enter_ack": In(1),
                "enter_decrypt": Out(1),
                "enter_slot": Out(slot),
                "enter_tweak": Out(tweak_bits),
                "enter_ticket": Out(parameters.ticket_bits),
                "enter_held": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        ticket_reg = Signal(p.ticket_bits)
        enter_reg = Signal()
        enter_decrypt_reg = Signal(reset_less=True)
        enter_slot_reg = Signal.like(self.slot, reset_less=True)
        enter_tweak_reg = Signal.like(self.tweak, reset_less=True)
        enter_ticket_reg = Signal(p.ticket_bits, reset_less=True)

        good = Signal()
        m.d.comb += [
            good.eq(self.command_ok & self.packet_ok),
            self.enter_held.eq(enter_reg & ~self.enter_ack),
            self.take.eq(
                self.command_valid & self.packet_complete & self.room & (~good | (self.place & ~self.enter_held))
            ),
            self.admit.eq(self.take & good),
            self.admit_ticket.eq(ticket_reg),
            self.code.eq(Mux(good, StatusCode.OK, Mux(self.command_ok, self.packet_code, self.command_code))),
        ]
        with m.If(self.admit):
            m.d.sync += enter_reg.eq(1)
            with m.If(ticket_reg == p.ring_sectors - 1):
                m.d.sync += ticket_reg.eq(0)
            with m.Else():
                m.d.sync += ticket_reg.eq(ticket_reg + 1)
        with m.Elif(self.enter_ack):
            m.d.sync += enter_reg.eq(0)
        with m.If(~self.enter_held):
            m.d.sync += [
                enter_decrypt_reg.eq(self.decrypt),
                enter_slot_reg.eq(self.slot),
                enter_tweak_reg.eq(self.tweak),
                enter_ticket_reg.eq(ticket_reg),
            ]
        m.d.comb += [
            self.enter.eq(enter_reg),
            self.enter_decrypt.eq(enter_decrypt_reg),
            self.enter_slot.eq(enter_slot_reg),
            self.enter_tweak.eq(enter_tweak_reg),
            self.enter_ticket.eq(enter_ticket_reg),
        ]
        return m
