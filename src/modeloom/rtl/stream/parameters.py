# SPDX-License-Identifier: Apache-2.0
"""The parameters of the message control, and the layouts of the records between its parts.

::

    command ──▶ MESSAGE: nonce, slot, tag ... ───────────────────────────┐
    beats   ──▶ TOKEN: a block, and what it is ──▶ weights of the hash ──┴──▶ pipeline ──▶ BEAT, TAG
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self, TypeVar

from amaranth.lib.data import ArrayLayout, StructLayout
from amaranth.utils import ceil_log2

from modeloom.cycles.messages import CHAINED_CYCLES, CHANNEL_CYCLES, ENTRY_SLACK, HOLD_SLACK
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.parameters import check_integer
from modeloom.rtl.stream.delivery import ChannelDelivery, Delivery
from modeloom.rtl.stream.hold import HeldDelivery
from modeloom.rtl.stream.packet import PARTS, AssociatedFirst
from modeloom.rtl.stream.sizes import CODE_BITS, LENGTH_BITS, MessageSizes, known_bits
from modeloom.streams.reservation import Program

__all__ = [
    "CODE_BITS", "LENGTH_FIELDS", "ORDERS", "STATUS_PLACES", "STORE_SLACK", "TURN_PLACES", "MessageDepths", "MessageParameters",
    "power_of_two",
]  # fmt: skip


# -- depths ----------------------------------------------------------------------------------------------------------------------------

# How deep the memories of the message control are: how many tokens, messages and beats of text are under way.

STATUS_PLACES = 2
"""Statuses that have left their queue, in the buffer at the port."""

COMMAND_PLACES = 3
"""Commands in ``MessageCommands``: one that is checked, and two behind the checks.  One more waits where slots are looked up."""

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


T = TypeVar("T", bound="MessageDepths")


def power_of_two(least: int) -> int:
    """The least power of two that is at least this, and 2."""
    return 1 << max(1, (least - 1).bit_length())


class OneChannel:
    """One message after another: a single context, no bits for the number of a channel, and no store of messages.  No tokens of a channel
    wait in ``turns`` for a chain through the cipher, and no token waits for those of other channels."""

    contexts, channel_bits, turns, latency = 1, 0, 0, 0

    def __init__(self, p: MessageDepths):
        self.p = p

    def check(self) -> None:
        """Raises ``ValueError`` if the mode is not for these channels."""

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

    channel_bits, latency = 8, CHANNEL_CYCLES

    def __init__(self, p: MessageDepths):
        super().__init__(p)
        self.contexts = min(p.channels + 1, MOST_CHANNELS)

    @property
    def stored(self) -> int:
        return self.p.message_store

    def starting(self, depth: int) -> int:
        return power_of_two(ORDERS * self.contexts + depth)

    @property
    def messages(self) -> int:
        return self.p.message_store

    @property
    def waiting(self) -> int:
        # Each message whose packet has ended has a token.  One may wait behind the intake, one with a prefix, and one at the entry.
        return min(self.p.message_store, ORDERS + 2 + bool(self.p.plan.prefixes) + self._tokens)

    @property
    def _tokens(self) -> int:
        """Tokens of a channel between the intake and the entry."""
        return self.p.token_store - STORE_SLACK // 2 + STORE_LATE

    @property
    def words(self) -> tuple[int, ...]:
        p = self.p
        return p.token_store, p.message_store, self.contexts * max(ORDERS, self.turns, 1 << p.chain_bits), p.keys.slots


class ChannelsInTurn(SeveralChannels):
    """The same, in modes with a chain through the cipher, for which tokens of each channel wait."""

    turns, latency, _tokens = TURN_PLACES, CHAINED_CYCLES, TURN_SLICE + TURN_PLACES

    def check(self) -> None:
        if self.p.plan.horner is not None:
            raise ValueError("a mode with a chain through the cipher and a polynomial hash takes one channel")


class Starts(NamedTuple):
    """Starts that run ahead of their messages: how many are under way or wait for these to begin, and places of what they have computed
    until then; and the bits of a nonce in what is known of a message behind its start."""

    depth: int
    places: int
    nonce_bits: int


APART = (
    ("interleaved", ("hold", "late_tag", "inline"), "hold, late tags and keys that come with messages are for cores with one channel"),
    ("text_first", ("interleaved", "late_tag"), "text comes first in cores with one channel and packets in aligned form"),
    ("late_tag", ("two_passes",), "a mode with two passes needs its tag before a message begins"),
)  # fmt: skip
"""What a core cannot have together, by the names of members, and why."""


@dataclass(frozen=True, kw_only=True)
class MessageDepths(MessageSizes):
    """The sizes of the message control of a core with the depths of its memories."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("associated_from", self.associated_from, 0, self.plan.mode.most_associated // self.beat_bytes)
        self.delivery.check()
        self.ways.check()
        for others, why in self.form.apart:
            if any(getattr(self, other) for other in others):
                raise ValueError(why)
        if self.marked and (set(self.plan.known_lengths) - {"nonce", "tag"} or self.plan.prefixes):
            raise ValueError("segments do not tell the bytes of associated data before a message begins")
        for member, others, why in APART:
            if getattr(self, member) and any(getattr(self, other) for other in others):
                raise ValueError(why)

    @property
    def late_tag(self) -> bool:
        """Whether the tag of a message to open comes behind its text, and not in its command."""
        return self.form.late_tag

    @property
    def marked(self) -> bool:
        """Whether beats say that they are associated data, since the command does not have the number of its bytes."""
        return self.form.unstated and not self.lengths_first

    @property
    def core(self) -> Self:
        """Of the parts between those that take packets apart and join them."""
        return self.form.core(self)

    @property
    def token_depth(self) -> int:
        """The largest number of tokens that wait before the pipeline."""
        return power_of_two(self.window + 4)

    @cached_property
    def delivery(self) -> Delivery:
        """How text and statuses leave."""
        kind = HeldDelivery if self.hold is not None else ChannelDelivery if self.interleaved else self.form.delivery
        return kind(self)

    @property
    def text_depth(self) -> int:
        """Beats of text that the output holds, beside those in ``hold_depth``."""
        cycles = self.text_stage
        if self.delivery.verdicts_first:
            # Text may wait before the buffer, or before what joins packets, for the verdict on the message before it.
            cycles = max(cycles, self.tag_stage) + HOLD_SLACK
        return power_of_two(self.pace.entering(cycles + ENTRY_SLACK, self.token_depth, "encrypt", "decrypt"))

    @property
    def tag_depth(self) -> int:
        """Messages whose tag is under way or not taken."""
        return power_of_two(self.pace.entering(self.tag_stage + ENTRY_SLACK + HOLD_SLACK * self.delivery.verdicts_first, 0, "tag"))

    @property
    def hold_depth(self) -> int:
        """The number of beats of the buffer for text that is not verified.  It is 0 without this buffer."""
        return self.delivery.depth

    @property
    def flight_bits(self) -> int:
        """Bits of the number of a message: more than there are in flight."""
        return (self.tag_depth + self.ways.messages + self.start_places + 4).bit_length()

    # -- starts that run ahead ----------------------------------------------------------------------------------------------------

    @cached_property
    def starting(self) -> Starts:
        """Starts that run ahead; none if messages start when they come."""
        if not self.plan.runs_ahead:
            return Starts(0, 0, self.block_bits)
        ahead = self.plan.placed.ahead
        depth = power_of_two(self.pace.starting(max(ahead.values()), *ahead) + START_SLACK)
        return Starts(depth, self.ways.starting(depth), 0)

    @property
    def start_depth(self) -> int:
        """Messages, if starts run ahead, whose start is under way or waits for them to begin; else 0."""
        return self.starting.depth

    @property
    def start_places(self) -> int:
        """Places of what starts that run ahead have computed, from the start of a message until it has begun."""
        return self.starting.places

    @property
    def place_bits(self) -> int:
        """Bits of the number of such a place."""
        return ceil_log2(self.start_places)

    # -- channels -----------------------------------------------------------------------------------------------------------------

    @cached_property
    def ways(self) -> OneChannel:
        """What there is for each channel, or for the only one."""
        several = ChannelsInTurn if self.plan.chained else SeveralChannels
        return several(self) if self.interleaved else OneChannel(self)

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
        return power_of_two(self.contexts * (self.window - 1) + STORE_SLACK)

    @property
    def message_store(self) -> int:
        """Messages that have a command, and whose last token has not entered the pipeline."""
        return max(self.token_store, power_of_two((ORDERS + self.ways.turns) * self.contexts + STORE_SLACK))

    # -- what a host may send before a status comes -------------------------------------------------------------------------------

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status: as many as all parts between both ports hold."""
        looked_up, waiting = int(not self.inline and self.keys.slots > LISTED_SLOTS), self.ways.waiting
        if self.start_places:
            # A message has a place of a start until its first token enters.  One message of a channel is at the entry without a place.
            waiting = min(self.start_places + 1, 1 + self.start_depth + waiting)
        waiting = self.form.commands(self, waiting + COMMAND_PLACES + looked_up)
        return waiting + self.tag_depth + STATUS_PLACES

    @property
    def most_packets(self) -> int:
        """Packets of a channel that the core takes without a status.

        Beats wait for the command of their packet, but in aligned form these are fewer than commands that wait for their packets.
        """
        return self.most_commands + self.form.packets

    @property
    def mark_bits(self) -> int:
        """Bits of a number of packets: more than twice as many as there are between a token and its status."""
        return (2 * (self.text_depth + self.tag_depth + self.contexts + 4)).bit_length() + 1

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        words = self.keys.slots << self.word_bits if self.plan.words else 1
        return max(
            self.keys.round_words, words, self.text_depth, self.hold_depth, self.tag_depth, self.start_places, *self.ways.words,
            *self.form.words(self),
        )  # fmt: skip

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())


# -- parameters ------------------------------------------------------------------------------------------------------------------------

LENGTH_FIELDS = {"nonce": "nonce_bytes", "tag": "tag_bytes"}
"""The fields of a message with lengths that ``start`` reads, where they have other names."""


@dataclass(frozen=True, kw_only=True)
class MessageParameters(MessageDepths):
    """The sizes of the message control of a core with the programs of its steps and its records."""

    # -- programs -----------------------------------------------------------------------------------------------------------------

    def program(self, title: str) -> Program:
        """What a step takes of the sequence of its message."""
        return self.plan.reservations.sequence(title)

    def entry_cycles(self, *titles: str) -> int:
        """The largest number of cycles from the one in which the first of some steps could enter to the end of the last one."""
        return self.plan.reservations.entry_cycles(*titles)

    def ahead_waits(self, cycles: int, *titles: str) -> int:
        """With a cadence, the largest number of cycles that a start that runs ahead and then a step of its message wait for their places
        in batches, if the step could enter so many cycles after the start."""
        return self.plan.reservations.ahead_waits(cycles, next(self.starts), *titles)

    @property
    def starts(self) -> Iterator[str]:
        """Titles of ``start``, by the number of the class of nonces."""
        titles = {step.nonce_class: step.title for step in self.plan.steps if step.name == "start"}
        return (titles[number] for number in sorted(titles))

    @property
    def first_tokens(self) -> tuple[str, ...]:
        """The start of a message, with a nonce of the usual class, if it has tokens that enter before those of its blocks."""
        first = next(self.starts)
        return (first,) if self.program(first).tokens else ()

    @property
    def compares(self) -> bool:
        """Whether messages bring tags that are compared: those to open, and those of a second pass."""
        return self.decrypt or self.two_passes

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("text_from", self.text_from, 0, self.parts.most_ahead)

    @cached_property
    def parts(self) -> AssociatedFirst:
        """The kind of packets."""
        return next(kind for kind in PARTS if kind.chosen(self))(self)

    @property
    def known_fields(self) -> dict[str, str]:
        """The fields of a message with the lengths that ``start`` reads."""
        return {name: LENGTH_FIELDS.get(name, name) for name in self.plan.known_lengths}

    # -- records ------------------------------------------------------------------------------------------------------------------

    @property
    def message(self) -> StructLayout:
        """The layout of a message: what is known of it when it begins.  If the tag comes late, it is not known.

        ``decrypt`` says that its tag is compared.  In a mode with two passes, ``second`` is the second pass of a message to seal, whose
        tag is compared, too.
        """
        return StructLayout({
            "nonce": self.starting.nonce_bits, "nonce_bytes": self.nbytes_bits, "nonce_class": self.class_bits,
            "slot": self.slot_bits,
            "id": 16, "tag": 0 if self.late_tag else self.block_bits, "tag_bytes": self.nbytes_bits, "decrypt": 1,
            "second": len(self.plan.mode.text_steps()) - 2,
            "channel": self.ways.channel_bits,
            **{name: known_bits(name, self.block_bytes) for name in self.plan.known_lengths if name not in LENGTH_FIELDS},
            "place": self.place_bits,
        })  # fmt: skip

    @property
    def start(self) -> StructLayout:
        """A start that runs ahead: the nonce and its class, the key slot, lengths, and the place of what it computes."""
        known = {name: known_bits(name, self.block_bytes) for name in self.plan.known_lengths}
        return StructLayout({
            "nonce": self.block_bits, "nonce_class": self.class_bits, "slot": self.slot_bits, "place": self.place_bits, **known,
        })  # fmt: skip

    @property
    def token_nbytes_bits(self) -> int:
        """The width of a number of bytes of a token, which is a beat, or a pair of them."""
        return (self.beat_bytes * self.plan.mode.text_blocks).bit_length()

    @property
    def token(self) -> StructLayout:
        """Blocks of a message: the first ``full`` lanes have one.  In a mode with pairs of text, a token has one or two blocks.

        With ``tag`` the lane behind them has the tag, and so has the first lane of a token of the tag.  If tags follow their messages, it
        only says that the message ends, and ``lengths`` are those of the message, if the tag reads them.  Its block has the bytes of
        associated data and of text.  With several channels, ``context`` is the word of what is kept for its channel, and ``message`` the
        place of its message in the store.  ``final`` says that it has the last block of associated data, or of text, if a step asks.
        """
        return self._token(self.lanes * self.plan.mode.text_blocks)

    @property
    def piece(self) -> StructLayout:
        """The layout of a token before its text is put into pairs."""
        return self._token(self.lanes)

    def _token(self, blocks: int) -> StructLayout:
        nbytes = (blocks * self.block_bytes).bit_length()
        return StructLayout({
            "blocks": ArrayLayout(self.block_bits, blocks), "step": 2, "full": range(blocks + 1), "tag": 1, "first": 1,
            "nbytes": nbytes, "last": 1, "cut": 1, "code": CODE_BITS,
            "final": int(self.plan.ends),
            **({"lengths": 2 * LENGTH_BITS} if self.plan.tag_lengths else {}),
            "context": self.context_bits, "message": range(self.ways.stored),
        })  # fmt: skip

    @property
    def weighted(self) -> StructLayout:
        """A token with what the hash has to know: whether it has products, the power of the key in each lane, and whether its
        products are the first of those that are the hash."""
        powers = ArrayLayout(range(self.plan.chains + 1), self.lanes)
        return StructLayout({"token": self.token, "product": 1, "powers": powers, "opening": 1})

    @property
    def verdict(self) -> StructLayout:
        """The layout of what is known of a message when its tag comes."""
        return StructLayout({
            "id": 16, "tag": self.block_bits, "tag_bytes": self.nbytes_bits, "decrypt": 1, "code": CODE_BITS, "packet": 1, "empty": 1,
            **self.delivery.told,
        })  # fmt: skip
