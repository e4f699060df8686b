# SPDX-License-Identifier: Apache-2.0
"""How packets of text leave, and statuses behind them: the contract, and the order of the messages.

::

    text ──▶ TextQueue: beats with what they ``carry`` ──▶ [held] ──▶ m
    tag ──▶ VerdictQueue: statuses with what they ``keep`` ──▶ may leave? ──▶ status

``hold`` has another kind, and so has ``channel_delivery``.

Text and statuses of several channels: each says its channel, and a status follows the packets that have ended before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import View
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode

if TYPE_CHECKING:
    from modeloom.rtl.stream.parameters import MessageDepths

__all__ = ["ChannelDelivery", "Delivery", "Statuses", "above"]

@dataclass(frozen=True)
class Statuses:
    """The signals of statuses that leave."""

    whole: wiring.Component  # The queue of verdicts.
    waiting: wiring.Component  # The queue of statuses,
    out: wiring.Component  # and the slice at the port.
    decided: Signal
    decision: View  # What a verdict is about.
    code: Signal
    pop: Signal  # The first status leaves.
    may: Signal  # It may leave.
    want: View  # The verdict that the next tag is for.
    passed: Signal  # The tag of a sealed message, with its decision.

    @property
    def head(self) -> View:
        """The first status."""
        return self.waiting.o.payload

    def delivered(self) -> Signal:
        """A register with the number of packets that have left, and whose status has not."""
        return Signal(range(self.whole.parameters.tag_depth + 4), name="delivered_reg")


def above(value: Value, most: int) -> Value:
    """Whether a number is above the limit.  It takes no adder if the limit is all ones."""
    if most & (most + 1) == 0:
        return value[most.bit_length() :].any()
    return value > most


class Delivery:
    """In the order of the messages, as soon as text is computed.

    Attributes
    ----------
    carried : dict
        Fields of a beat of text, with their widths.
    held, judged, dropped : tuple of str
        What the entry and the queue of verdicts tell the queue of text, and what that one tells the queue of verdicts: a bit each.
    verdicts_first : bool
        Whether a verdict on a message is used before its packet has left.
    """

    carried: ClassVar[dict[str, int]] = {}
    held: ClassVar[tuple[str, ...]] = ()
    judged: ClassVar[tuple[str, ...]] = ()
    dropped: ClassVar[tuple[str, ...]] = ()

    verdicts_first: ClassVar[bool] = False

    def __init__(self, parameters: MessageDepths):
        self.parameters = parameters

    def check(self) -> None:
        """Raises ``TypeError`` or ``ValueError`` if text of the core cannot leave so."""

    @property
    def kept(self) -> dict[str, int]:
        """Fields of a status that waits, with their widths."""
        return {}

    @property
    def depth(self) -> int:
        """Beats of text that can wait until they are verified."""
        return 0

    @property
    def most_text(self) -> int:
        """Most bytes of text of a message to be opened."""
        return self.parameters.plan.mode.most_text

    def too_long(self, command: View) -> list[tuple[MessageCode, Value]]:
        """The codes of a length of text that a command has, beside those of the mode."""
        return []

    def no_channel(self, command: View) -> Value:
        """Whether the core does not have the channel of a command."""
        return command.channel != 0

    def counts(self, of_packet: Value, of_message: Value) -> Value:
        """In wire form: whether the code of a packet comes before that of its message."""
        return of_packet > of_message

    @property
    def told(self) -> dict[str, int]:
        """Fields of a verdict on a message, with their widths."""
        return {}

    def text_ports(self) -> dict[str, object]:
        """Further ports of the queue of text."""
        carried = {name: In(bits) for name, bits in self.carried.items()}
        return {**carried, **dict.fromkeys(self.judged, In(1)), **dict.fromkeys(self.dropped, Out(1))}

    def verdict_ports(self) -> dict[str, object]:
        """Further ports of the queue of verdicts."""
        return {**dict.fromkeys(self.judged, Out(1)), **dict.fromkeys(self.dropped, In(1))}

    def behind(self, m: Module, texts: wiring.Component, beats: stream.Interface) -> stream.Interface:
        """The stream of beats that leave, for those that come out of the queue of text."""
        return beats

    def show(self, m: Module, texts: wiring.Component, given: View, out: wiring.Component) -> None:
        """Connects what a beat at the port has beside its data."""

    def end(self, m: Module, s: Statuses) -> None:
        """Says how a packet ends."""

    def order(self, m: Module, s: Statuses) -> None:
        """A status follows the text of its message."""
        delivered_reg = s.delivered()
        m.d.comb += s.may.eq(~s.head.packet | (delivered_reg != 0))
        m.d.sync += delivered_reg.eq(delivered_reg + s.whole.delivered - (s.pop & s.head.packet))


class ChannelDelivery(Delivery):
    """By marks, which count packets of whatever channel."""

    carried = {"channel": 8}

    @property
    def kept(self) -> dict[str, int]:
        """The channel, and the packets before it."""
        return {"channel": 8, "mark": self.parameters.mark_bits}

    @property
    def told(self) -> dict[str, int]:
        """The channel, the key slot, which is free then, and the packets before it."""
        return {"channel": 8, "slot": self.parameters.slot_bits, "mark": self.parameters.mark_bits}

    def no_channel(self, command: View) -> Value:
        """Channels are numbered from 0 on."""
        return above(command.channel, self.parameters.channels - 1)

    def verdict_ports(self) -> dict[str, object]:
        """The key slot of a message that has its tag."""
        return {"finished_slot": Out(self.parameters.slot_bits)}

    def show(self, m: Module, texts: wiring.Component, given: View, out: wiring.Component) -> None:
        """The channel."""
        m.d.comb += [out.i.payload.channel.eq(given.channel), texts.m.payload.channel.eq(out.o.payload.channel & out.o.valid.replicate(8))]

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
