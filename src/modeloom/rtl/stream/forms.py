# SPDX-License-Identifier: Apache-2.0
"""The form of packets: the contract between the message control and what takes packets apart and joins them.

::

    cmd, s ──▶ ┐        ┌──▶ command, beats ──▶ message control ──▶ text ──▶ ┐        ┌──▶ m
               └─ form ─┘                       verdicts ──────────────────▶ └─ form ─┘

Without such parts, the buses are those of the message control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from amaranth.hdl import Module
from amaranth.lib import stream, wiring

from modeloom.rtl.bus.ports import join
from modeloom.rtl.stream.delivery import Delivery

if TYPE_CHECKING:
    from modeloom.rtl.stream.bus import MessageBus
    from modeloom.rtl.stream.parameters import MessageDepths, MessageParameters

__all__ = ["AlignedPackets"]

T = TypeVar("T", bound="MessageDepths")


@dataclass(frozen=True)
class AlignedPackets:
    """Packets whose parts begin with beats of their own, as the message control takes them.

    Attributes
    ----------
    late_tag : bool
        Whether the tag of a message to open comes behind its text, and not in its command.
    unstated : bool
        Whether beats say that they are associated data, if the mode does not know their number before.
    packets : int
        Packets that a host may send beyond those whose commands are taken.
    delivery : type
        How packets leave, in a core with one channel that holds nothing in the message control.
    apart : sequence of (sequence of str, str)
        Members of the sizes that a core with this form cannot have, and why.
    """

    late_tag: ClassVar[bool] = False
    unstated: ClassVar[bool] = False
    packets: ClassVar[int] = 0
    delivery: ClassVar[type[Delivery]] = Delivery
    apart: ClassVar[Sequence[tuple[Sequence[str], str]]] = ()

    def core(self, p: T) -> T:
        """The sizes of the parts between those that take packets apart and join them."""
        return p

    def commands(self, p: MessageDepths, waiting: int) -> int:
        """Commands that are taken of messages whose last tokens have not entered, of which so many wait behind the command port."""
        return waiting

    def words(self, p: MessageDepths) -> tuple[int, ...]:
        """Words of memories that only this form has."""
        return ()

    def ports(self, p: MessageParameters) -> dict[str, object]:
        """Further ports of the buses."""
        return {}

    def connect(self, m: Module, bus: str, source: stream.Interface, target: stream.Interface) -> None:
        """Connects a bus, ``cmd``, ``s`` or ``m``, with the message control."""
        wiring.connect(m, source, target)

    def delivered(self, bus: MessageBus) -> list[object]:
        """Says what has left."""
        return join(bus.texts, bus.verdicts, "delivered")

    def around(self, m: Module, bus: MessageBus) -> None:
        """Makes what stands around the message control."""
