# SPDX-License-Identifier: Apache-2.0
"""Changes the size of sectors, in cores for several sizes.

::

    command ──┬─ same size ─────────────────────────────▶ open: its packet may be taken in
              └─ another ──▶ wait for an idle engine ──▶ size, restart ──▶ open
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent

from .parameters import BusParameters

__all__ = ["SizeGate"]


class SizeGate(BusComponent[BusParameters]):
    """Lets the packet of a command in once the engine is set to its size.

    Members
    -------
    command_valid, command_size, command_size_known, next_valid, next_size, next_size_known
        From :class:`~modeloom.rtl.bus.sector.command.CommandIntake`.
    admitted : 1
        The packet of the command has been taken in; the next one belongs to the command behind it.
    idle : 1
        The engine's.
    size, restart : size_bits, 1
        To the engine: the size of sectors; ``restart`` is high in the cycle after a change.
    open : 1
        The packet to come may be taken in.  That of a command of unknown size may always: it is dropped.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Any]:
        bits = parameters.size_bits
        return {
            "command_valid": In(1),
            "command_size": In(bits),
            "command_size_known": In(1),
            "next_valid": In(1),
            "next_size": In(bits),
            "next_size_known": In(1),
            "admitted": In(1),
            "idle": In(1),
            "size": Out(bits),
            "restart": Out(1),
            "open": Out(1),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        size_reg = Signal.like(self.size)
        restart_reg = Signal()
        # The command whose packet comes next.
        first = self.command_valid & ~self.admitted
        fits = ~self.command_size_known | (self.command_size == size_reg)
        next_fits = ~self.next_size_known | (self.next_size == size_reg)
        change = Signal()
        m.d.comb += [
            change.eq(first & ~fits & self.idle & ~restart_reg),
            self.open.eq(Mux(first, fits, self.next_valid & next_fits)),
            self.size.eq(size_reg),
            self.restart.eq(restart_reg),
        ]
        m.d.sync += restart_reg.eq(change)
        with m.If(change):
            m.d.sync += size_reg.eq(self.command_size)
        return m
