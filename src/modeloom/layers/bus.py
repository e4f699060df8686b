# SPDX-License-Identifier: Apache-2.0
"""The buses of a core with commands, packets, statuses and keys, for layers that stand in front of such a core."""

from __future__ import annotations

from typing import Any, Protocol

from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.verdicts import status_layout

__all__ = ["BusAround"]


class BusSizes(Protocol):
    """The sizes of these buses."""

    @property
    def messages(self) -> MessageParameters:
        """The message control."""

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""

    @property
    def key_slots(self) -> int:
        """Key slots that a host can name."""

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""


class BusAround(wiring.Component):
    """The buses of a core around the same buses of the core inside.

    Parameters
    ----------
    parameters : BusSizes
    inside : component
        The core inside, with its pipeline.

    Members
    -------
    cmd, s, m, status, key, key_state
        As in a core with key slots.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: BusSizes, inside: wiring.Component):
        self.inside: Any = inside
        p = parameters
        super().__init__({
            "cmd": In(stream.Signature(p.command)), "s": In(stream.Signature(packet_layout(p.messages))),
            "m": Out(stream.Signature(text_layout(p.messages))), "status": Out(stream.Signature(status_layout(p.messages))),
            "key": In(stream.Signature(key_beat(p.key_slots))), "key_state": Out(key_state_signature(p.key_slots)),
            "erase": In(1), "erase_address": In(p.erase_bits),
        })  # fmt: skip

    def erase_parts(self, *parts: Any) -> list[Any]:
        """Assignments that erase parts with the whole."""
        return [
            *(part.erase.eq(self.erase) for part in parts), *(part.erase_address.eq(self.erase_address) for part in parts),
        ]  # fmt: skip
