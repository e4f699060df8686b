# SPDX-License-Identifier: Apache-2.0
"""How deep the memories of the message control are: how many tokens, messages and beats of text are under way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from amaranth.utils import ceil_log2

from modeloom.cycles.messages import ENTRY_SLACK, HOLD_SLACK
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.stream.delivery import ChannelDelivery, Delivery, WireDelivery
from modeloom.rtl.stream.hold import HeldDelivery
from modeloom.rtl.stream.sizes import MessageSizes

__all__ = ["ORDERS", "SEGMENT_TAGS", "STORE_SLACK", "TURN_PLACES", "MessageDepths"]

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


class OneChannel:
    """One message after another: a single context, with no bits for the number of a channel, and no store of messages."""

    contexts, channel_bits, turns = 1, 0, 0

    def __init__(self, p: MessageDepths):
        self.p = p

    @property
    def stored(self) -> int:
        """Places of the store of messages."""
        return 0

    def starting(self, depth: int) -> int:
        """Places of starts, if so many are under way."""
        return depth

    @property
    def messages(self) -> int:
        """Messages that have a command, and whose last token has not entered."""
        return self.p.token_depth

    @property
    def waiting(self) -> int:
        """Such messages of one channel."""
        return self.messages

    @property
    def words(self) -> tuple[int, ...]:
        """Words of memories that depend on the number of channels."""
        return self.p.token_depth, self.p.plan.lane_chains


class SeveralChannels(OneChannel):
    """Messages of several channels interleave."""

    channel_bits = 8

    def __init__(self, p: MessageDepths):
        super().__init__(p)
        self.contexts = min(p.channels + 1, MOST_CHANNELS)
        # Tokens of each channel that wait for a chain through the cipher.
        self.turns = TURN_PLACES if p.plan.chained else 0

    @property
    def stored(self) -> int:
        return self.p.message_store

    def starting(self, depth: int) -> int:
        return _power(ORDERS * self.contexts + depth)

    @property
    def messages(self) -> int:
        return self.p.message_store

    @property
    def waiting(self) -> int:
        # Each message whose packet has ended has a token.  One may wait behind the intake, one with a prefix, and one at the entry.
        p, tokens = self.p, 2 + bool(self.p.plan.prefixes)
        tokens += TURN_SLICE + self.turns if self.turns else p.token_store - STORE_SLACK // 2 + STORE_LATE
        return min(p.message_store, ORDERS + tokens)

    @property
    def words(self) -> tuple[int, ...]:
        p = self.p
        return p.token_store, p.message_store, self.contexts * max(ORDERS, self.turns, 1 << p.chain_bits), p.keys.slots


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
        of_packets = {"aligned": Delivery, "wire": WireDelivery, "segments": Delivery}[self.packet]
        kind = HeldDelivery if self.hold is not None else ChannelDelivery if self.interleaved else of_packets
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
        return self.delivery.depth

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
        return _power(self.tag_depth + self.token_depth + WIRE_AHEAD + self.start_depth)

    @property
    def shape_depth(self) -> int:
        """Commands, in wire form, that wait for the splitter until their packets come."""
        return max(self.start_depth, WIRE_COMMANDS)

    @property
    def header_depth(self) -> int:
        """Beats of headers, in wire form, that wait until the packets before them have left."""
        return _power(self.window + self.tag_stage + ENTRY_SLACK + HOLD_SLACK)

    @property
    def flight_bits(self) -> int:
        """Bits of the number of a message: more than there are in flight."""
        return (self.tag_depth + self.ways.messages + self.start_places + 4).bit_length()

    # -- starts that run ahead ----------------------------------------------------------------------------------------------------

    @property
    def start_depth(self) -> int:
        """Messages, if starts run ahead, whose start is under way or waits for them to begin; else 0."""
        ahead = self.plan.placed.ahead
        return _power(self.pace.starting(max(ahead.values()), *ahead) + START_SLACK) if self.plan.runs_ahead else 0

    @property
    def start_places(self) -> int:
        """Places of what starts that run ahead have computed, from the start of a message until it has begun."""
        return self.start_depth and self.ways.starting(self.start_depth)

    @property
    def place_bits(self) -> int:
        """Bits of the number of such a place."""
        return ceil_log2(self.start_places)

    # -- channels -----------------------------------------------------------------------------------------------------------------

    @cached_property
    def ways(self) -> OneChannel:
        """What is there for each channel, or for the only one."""
        return SeveralChannels(self) if self.interleaved else OneChannel(self)

    @property
    def contexts(self) -> int:
        """Words of what is kept for each channel.  One is for commands and packets of channels that the core does not have."""
        return self.ways.contexts

    @property
    def context_bits(self) -> int:
        """Bits of the number of such a word."""
        return ceil_log2(self.contexts)

    @property
    def token_store(self) -> int:
        """Tokens of all channels together that wait before the pipeline."""
        return _power(self.contexts * (self.window - 1) + STORE_SLACK)

    @property
    def message_store(self) -> int:
        """Messages that have a command, and whose last token has not entered the pipeline."""
        return max(self.token_store, _power((ORDERS + self.ways.turns) * self.contexts + STORE_SLACK))

    # -- what a host may send before a status comes -------------------------------------------------------------------------------

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status: as many as all parts between both ports hold."""
        looked_up, waiting = int(not self.inline and self.keys.slots > LISTED_SLOTS), self.ways.waiting
        if self.start_places:
            # A message has a place of a start until its first token enters.  One message of a channel is at the entry without a place.
            waiting = min(self.start_places + 1, 1 + self.start_depth + waiting)
        waiting += COMMAND_PLACES + looked_up + WIRE_COMMANDS * self.wire
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
        wire = (self.ending_depth, self.head_depth, self.header_depth) if self.wire else ()
        segments = (self.segment_depth, self.entered_depth) if self.segments else ()
        return max(
            self.keys.round_words, words, self.text_depth, self.hold_depth, self.tag_depth, self.start_places, *self.ways.words, *wire,
            *segments,
        )  # fmt: skip

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())
