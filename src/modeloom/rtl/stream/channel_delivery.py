# SPDX-License-Identifier: Apache-2.0
"""Text and statuses of several channels: each says its channel, and a status follows the packets that have ended before it."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.data import View
from amaranth.lib.wiring import Out

from modeloom.rtl.stream.delivery import Delivery, Statuses

__all__ = ["ChannelDelivery"]


class ChannelDelivery(Delivery):
    """By marks, which count packets of whatever channel."""

    carried = {"channel": 8}

    @property
    def kept(self) -> dict[str, int]:
        """The channel, and the packets before it."""
        return {"channel": 8, "mark": self.parameters.mark_bits}

    def verdict_ports(self) -> dict[str, object]:
        """The key slot of a message that has its tag."""
        return {"finished_slot": Out(self.parameters.slot_bits)}

    def show(self, m: Module, texts: wiring.Component, given: View, out: wiring.Component) -> None:
        """The channel."""
        m.d.comb += [
            out.i.payload.channel.eq(given.channel), texts.m.payload.channel.eq(out.o.payload.channel & out.o.valid.replicate(8)),
        ]

    def order(self, m: Module, s: Statuses) -> None:
        """A status follows the packets that have ended before it."""
        packets_reg = Signal(self.parameters.mark_bits)
        ahead = Signal(self.parameters.mark_bits)
        m.d.sync += packets_reg.eq(packets_reg + s.whole.delivered)
        m.d.comb += [
            s.waiting.i.payload.channel.eq(s.decision.channel), s.waiting.i.payload.mark.eq(s.decision.mark),
            ahead.eq(packets_reg - s.head.mark), s.may.eq(~s.head.packet | ~ahead[-1]),
            s.out.i.payload.channel.eq(s.head.channel), s.whole.finished_slot.eq(s.want.slot),
        ]  # fmt: skip
