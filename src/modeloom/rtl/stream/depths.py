# SPDX-License-Identifier: Apache-2.0
"""How deep the memories of the message control are: how many tokens, messages and beats of text are under way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modeloom.cycles.messages import ENTRY_SLACK, HOLD_SLACK
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.stream.delivery import ChannelDelivery, Delivery
from modeloom.rtl.stream.hold import HeldDelivery
from modeloom.rtl.stream.sizes import MessageSizes

__all__ = ["ORDERS", "SEGMENT_TAGS", "STORE_SLACK", "TURN_PLACES", "MessageDepths"]

LEAST_HELD = 4
"""Number of beats of the smallest buffer through which a beat can pass in each cycle."""

SEGMENT_TAGS, SEGMENT_SLACK = 4, 8
"""With segments: tags that wait for the end of their message, and beats or records that are on the way between the parts, amply."""

STATUS_PLACES = 2
"""Statuses that have left their queue, in the buffer at the port."""

COMMAND_PLACES = 3
"""Commands in ``MessageCommands``: one that is checked, and two behind the checks.  One more waits where slots are looked up."""

WIRE_COMMANDS, WIRE_PACKETS, WIRE_SPLIT = 2, 4, 5
"""In wire form: commands that wait behind the splitter for their packets, or for the splitter if no start runs ahead; beats before the
splitter that wait for the command of their packet; and beats from the splitter to the intake.  Each of these beats may be a packet."""

WIRE_AHEAD = 8
"""Messages, in wire form, on the way from the bus to the core."""

ORDERS = 4
"""Commands of a channel that the core takes: that of the message under way, and others that wait."""

START_SLACK = 12
"""Messages that have started and are on their way to the pipeline, or whose places are cleared, amply."""

TURN_PLACES = 4
"""Tokens of each channel that wait for a chain through the cipher: a power of two."""

STORE_SLACK = 24
"""Places of the store of tokens that are under way between its parts, amply."""

STORE_LATE = 2
"""Tokens that the store takes after the number has come at which it takes no more: its ready is a register behind a register."""

TURN_SLICE = 2
"""Tokens that wait before the places of their channels."""


def _power(least: int) -> int:
    return 1 << max(1, (least - 1).bit_length())


@dataclass(frozen=True, kw_only=True)
class MessageDepths(MessageSizes):
    """The sizes of the message control of a core with the depths of its memories."""

    @property
    def token_depth(self) -> int:
        """The largest number of tokens that wait before the pipeline."""
        return _power(self.window + 4)

    @cached_property
    def delivery(self) -> Delivery:
        """How text and statuses leave."""
        kind = HeldDelivery if self.hold is not None else ChannelDelivery if self.interleaved else Delivery
        return kind(self)

    @property
    def verdicts_first(self) -> bool:
        """Whether a verdict on a message is used before its packet has left."""
        return self.hold is not None or self.wire

    @property
    def text_depth(self) -> int:
        """Beats of text that the output holds, beside those in ``hold_depth``."""
        cycles = self.text_stage
        if self.verdicts_first:
            # Text may wait before the buffer, or before what joins packets, for the verdict on the message before it.
            cycles = max(cycles, self.tag_stage) + HOLD_SLACK
        return _power(self.pace.entering(cycles + ENTRY_SLACK, self.token_depth, "encrypt", "decrypt"))

    @property
    def tag_depth(self) -> int:
        """Messages whose tag is under way or not taken."""
        return _power(self.pace.entering(self.tag_stage + ENTRY_SLACK + HOLD_SLACK * self.verdicts_first, 0, "tag"))

    @property
    def hold_depth(self) -> int:
        """The number of beats of the buffer for text that is not verified.  It is 0 without this buffer."""
        return 0 if self.hold is None else max(LEAST_HELD, -(-self.hold // self.beat_bytes))

    @property
    def ending_depth(self) -> int:
        """Messages, in wire form, whose packets have ended, and whose last tokens have not entered."""
        return _power(self.token_depth + WIRE_AHEAD)

    @property
    def segment_depth(self) -> int:
        """With segments: records of segments of text whose text cannot have left.

        Each has a block at least.  Text waits while its tokens are in the window of the hash and, if it is held, until its message ends.
        """
        return _power(self.lanes * (self.token_depth + self.hold_depth + SEGMENT_SLACK) + SEGMENT_SLACK)

    @property
    def entered_depth(self) -> int:
        """With segments: messages whose last token has entered the pipeline, and whose status has not been written.

        A status in the buffer at its port has returned its place, so there are more of them than ``tag_depth``.
        """
        return _power(self.tag_depth + STATUS_PLACES)

    @property
    def head_depth(self) -> int:
        """Messages, in wire form, from the command to the end of the packet out."""
        return _power(self.tag_depth + self.token_depth + WIRE_AHEAD + (self.start_depth if self.plan.runs_ahead else 0))

    @property
    def shape_depth(self) -> int:
        """Commands, in wire form, that wait for the splitter until their packets come."""
        return self.start_depth if self.plan.runs_ahead else WIRE_COMMANDS

    @property
    def header_depth(self) -> int:
        """Beats of headers, in wire form, that wait until the packets before them have left."""
        return _power(self.window + self.tag_stage + ENTRY_SLACK + HOLD_SLACK)

    @property
    def flight_bits(self) -> int:
        """Bits of the number of a message: more than there are in flight."""
        before = self.start_places if self.plan.runs_ahead else 0
        return (self.tag_depth + (self.message_store if self.channels > 1 else self.token_depth) + before + 4).bit_length()

    # -- starts that run ahead ----------------------------------------------------------------------------------------------------

    @property
    def start_depth(self) -> int:
        """Messages, if starts run ahead, whose start is under way or waits for them to begin."""
        ahead = self.plan.placed.ahead
        return _power(self.pace.starting(max(ahead.values()), *ahead) + START_SLACK)

    @property
    def start_places(self) -> int:
        """Places of what starts that run ahead have computed, from the start of a message until it has begun."""
        return self.start_depth if self.channels == 1 else _power(ORDERS * self.contexts + self.start_depth)

    @property
    def place_bits(self) -> int:
        """Bits of the number of such a place."""
        return (self.start_places - 1).bit_length()

    # -- channels -----------------------------------------------------------------------------------------------------------------

    @property
    def contexts(self) -> int:
        """Words of what is kept for each channel.  One is for commands and packets of channels that the core does not have."""
        return min(self.channels + 1, MOST_CHANNELS) if self.channels > 1 else 1

    @property
    def context_bits(self) -> int:
        """Bits of the number of such a word."""
        return max(1, (self.contexts - 1).bit_length())

    @property
    def token_store(self) -> int:
        """Tokens of all channels together that wait before the pipeline."""
        return _power(self.contexts * (self.window - 1) + STORE_SLACK)

    @property
    def message_store(self) -> int:
        """Messages that have a command, and whose last token has not entered the pipeline."""
        waiting = TURN_PLACES * self.contexts if self.plan.chained else 0
        return max(self.token_store, _power(ORDERS * self.contexts + waiting + STORE_SLACK))

    @property
    def channel_messages(self) -> int:
        """Messages of one channel that are in the store, when no other channel has any."""
        # Each message whose packet has ended has a token.  One may wait behind the intake, one with a prefix, and one at the entry.
        tokens = 2 + bool(self.plan.prefixes)
        tokens += TURN_SLICE + TURN_PLACES if self.plan.chained else self.token_store - STORE_SLACK // 2 + STORE_LATE
        return min(self.message_store, ORDERS + tokens)

    # -- what a host may send before a status comes -------------------------------------------------------------------------------

    @property
    def before_entry(self) -> int:
        """Messages of a channel whose command is checked, and whose last token has not entered the pipeline."""
        waiting = self.token_depth if self.channels == 1 else self.channel_messages
        if not self.plan.runs_ahead:
            return waiting
        # A message has a place of a start until its first token enters.  One message of a channel is at the entry without a place.
        return min(self.start_places + 1, 1 + self.start_depth + waiting)

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status: as many as all parts between both ports hold."""
        looked_up = int(not self.inline and self.keys.slots > LISTED_SLOTS)
        waiting = COMMAND_PLACES + looked_up + WIRE_COMMANDS * self.wire + self.before_entry
        if self.wire:
            # A command has a place at the splitter until its packet has gone by.
            waiting = min(waiting, self.shape_depth + WIRE_SPLIT + self.token_depth)
        return waiting + self.tag_depth + STATUS_PLACES

    @property
    def most_packets(self) -> int:
        """Packets of a channel that the core takes without a status.

        Beats wait for the command of their packet, but in aligned form these are fewer than commands that wait for their packets.
        """
        return self.most_commands + WIRE_PACKETS * self.wire

    @property
    def mark_bits(self) -> int:
        """Bits of a number of packets: more than twice as many as there are between a token and its status."""
        return (2 * (self.text_depth + self.tag_depth + self.contexts + 4)).bit_length() + 1

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        words = self.keys.slots << self.word_bits if self.plan.words else 1
        wire = max(self.ending_depth, self.head_depth, self.header_depth) if self.wire else 0
        shared = (
            (self.token_store, self.message_store, self.contexts * max(ORDERS, TURN_PLACES if self.plan.chained else 0,
             1 << self.chain_bits), self.keys.slots)
            if self.channels > 1 else (self.token_depth, self.plan.lane_chains)
        )  # fmt: skip
        starts = self.start_places if self.plan.runs_ahead else 0
        wire = max(wire, self.segment_depth, self.entered_depth) if self.segments else wire
        return max(self.round_words, words, self.text_depth, self.hold_depth, self.tag_depth, *shared, wire, starts)

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())
