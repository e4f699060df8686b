# SPDX-License-Identifier: Apache-2.0
"""The sizes of the part that stores messages to seal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amaranth.lib.data import StructLayout

from modeloom.interfaces import Interface
from modeloom.interfaces.messages import message_core
from modeloom.interfaces.table import RESERVED, by_member
from modeloom.rtl.bus.parameters import check_integer
from modeloom.rtl.bus.ports import fields_layout
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.sizes import MOST_HOLD
from modeloom.rtl.stream.verdicts import status_layout

if TYPE_CHECKING:
    from modeloom.layers.layer import Sizes

__all__ = ["BufferedParameters"]

SHORTEST = 4
"""Cycles of the shortest message to seal: two tokens in each pass."""

WAITING = 2
"""Commands whose packets are not stored, or are not to be stored."""

TURNED = 48
"""Cycles from the beats of a first pass to those of the second one, beside the stages of the tag and the window of the hash."""


@dataclass(frozen=True, kw_only=True)
class BufferedParameters:
    """The sizes of the part that stores messages, and of the core behind it.

    Parameters
    ----------
    messages : MessageParameters
        The message control, of a mode with two passes.
    core : Sizes
        The core behind it.
    nbytes : int
        Bytes of the longest message that can be stored, 1 to 2^20.  They are rounded up to whole beats.

    Raises
    ------
    TypeError, ValueError
        A parameter has the wrong type, or the core is none for this part.
    """

    messages: MessageParameters
    core: Sizes
    nbytes: int

    def __post_init__(self) -> None:
        check_integer("message_buffer", self.nbytes, 1, MOST_HOLD)
        p = self.messages
        if not p.two_passes or not p.encrypt:
            raise ValueError("messages are stored for the second pass of sealing")
        if p.hold is not None or p.channels > 1 or p.packet != "aligned" or p.lengths_first:
            raise ValueError("messages are stored in cores with one channel, aligned packets, and lengths that nobody knows before")
        if p.inline and not p.tells_freed:
            raise ValueError("both passes of a message need its key, and keys that come with messages come once")

    # -- the shape of the core ----------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.core.beat_bytes

    @property
    def key_slots(self) -> int:
        """The number of key slots."""
        return self.core.key_slots

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core: those of a core with one pass."""
        p = self.messages
        return message_core(p.block_bytes, None, p.expanded, self.core.key_slots)

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""
        return fields_layout(by_member(self.interfaces, "cmd"))

    @property
    def passed(self) -> StructLayout:
        """Payload of a command for the core behind."""
        return fields_layout(by_member(self.core.interfaces, "cmd"))

    @property
    def beat(self) -> StructLayout:
        """Payload of a beat."""
        return packet_layout(self.messages)

    @property
    def status(self) -> StructLayout:
        """Payload of a status."""
        return status_layout(self.messages)

    @property
    def stored(self) -> StructLayout:
        """A message that is stored: the fields of its command but its tag, its number of beats, and whether it was too long."""
        fields = {name: field.shape for name, field in self.command if name not in ("tag", "decrypt", RESERVED)}
        return StructLayout({**fields, "beats": self.count_bits, "long": 1})

    @property
    def record(self) -> StructLayout:
        """The result of a first pass."""
        return StructLayout({"tag": self.messages.block_bits, "code": CODE_BITS})

    @property
    def result(self) -> StructLayout:
        """What the status of a message is made of: a status that is still to come, or a code; and the tag of a sealed message."""
        return StructLayout({"tag": self.messages.block_bits, "id": 16, "code": CODE_BITS, "refused": 1})

    # -- sizes --------------------------------------------------------------------------------------------------------------------

    @property
    def most_beats(self) -> int:
        """Beats of the longest message that can be stored."""
        return -(-self.nbytes // self.beat_bytes)

    @property
    def words(self) -> int:
        """Beats of the memory, a power of two.

        It has room for two of the longest messages, one that comes while the other one has its second pass, and for beats of others that
        have their first pass until the tag of a message is there.
        """
        return 1 << (2 * self.most_beats + self.turned - 1).bit_length()

    @property
    def turned(self) -> int:
        """Cycles from the beats of a first pass to those of the second one, at least."""
        return self.messages.tag_stage + self.messages.window + TURNED

    @property
    def address_bits(self) -> int:
        """Bits of an address of the memory."""
        return (self.words - 1).bit_length()

    @property
    def count_bits(self) -> int:
        """Bits of a number of beats of a message."""
        return self.most_beats.bit_length()

    @property
    def depth(self) -> int:
        """Messages between their first and their second pass, a power of two: enough for the shortest ones."""
        return 1 << (-(-self.turned // SHORTEST) - 1).bit_length()

    @property
    def results(self) -> int:
        """Messages whose second pass has begun, and whose status was not taken; also of those to open."""
        return 2 * self.depth

    @property
    def most_commands(self) -> int:
        """Commands that the core takes without a status: those that wait for their packets, for their first pass, for the second one, and
        for their status.

        Commands inside the core behind are among them.
        """
        return WAITING + 2 * self.depth + self.results

    @property
    def most_packets(self) -> int:
        """Packets that the core takes without a status.  It takes none before its command."""
        return self.most_commands

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        return max(self.core.erase_words, self.words, 2 * self.results)

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
        return self.core.flush
