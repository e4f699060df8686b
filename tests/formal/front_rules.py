# SPDX-License-Identifier: Apache-2.0
"""Rules of what stands before the window of cores with several channels: each beat goes to the message of its channel, and ends it once.

The message in a place of the store is followed.  The place is the constant ``place``, so what holds for it holds for all::

    command ─▶ ORDER: number of a context ──last beat──▶ TAG to be given ──▶ IN_WINDOW ──taken by the entry──▶ FREE
       │                                    └─with the tag ──────────────────▲
       └─ of a channel that the core does not have ─────▶ TAG

``used`` counts messages in the store, ``ends`` those of them whose last token is in the window, and ``pooled`` how often ``place`` is in
the queue of the pool.  ``begun`` and ``given`` say whether text of the message, and its last beat, have been given.
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, all_of, any_of, concat, constant, total
from tests.formal.follow import Followed, select

from modeloom.rtl.stream.channels import INDEX_BITS, packet_order
from modeloom.rtl.stream.command import order_layout
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import ORDERS
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["ASSUMED", "INVARIANTS", "RULES", "Front", "seen"]

FREE, ORDER, TAG, IN_WINDOW = range(4)
"""Where the message is."""

ACTIVE, DISCARD, IN_ASSOCIATED, BEGUN = 0, 1, 2, 4
"""Bits of the state of a packet."""


class Front(Followed):
    """Names for what a state holds."""

    variables = {
        "where": lambda p: 2, "context": lambda p: p.context_bits, "number": lambda p: INDEX_BITS + 1, "given": lambda p: 1,
        "begun": lambda p: 1, "message": lambda p: p.message.size, "order": lambda p: packet_order(p).size,
        "pooled": lambda p: WIDE, "used": lambda p: WIDE, "ends": lambda p: WIDE,
    }  # fmt: skip
    constants = {"place": lambda p: (p.message_store - 1).bit_length(), "pointer": lambda p: p.message_store.bit_length()}

    def __init__(self, *of):
        super().__init__(*of)
        self.pool = self.queue("pool.queue", self.p.message_store)
        self.here = self["intake.context_reg"]

    def is_at(self, *places: int) -> Bits:
        """Whether the message is in one of some places."""
        return any_of(self["where"].equals(place) for place in places)

    def field(self, layout, value: Bits, name: str) -> Bits:
        """A field of a record."""
        field = layout[name]
        return value[field.offset : field.offset + field.width]

    def token(self, name: str) -> Bits:
        """A field of the token that the intake gives."""
        return self.field(self.p.token, self["intake_token_payload"], name)

    def leaving(self, name: str) -> Bits:
        """A field of the token that the window gives."""
        return self.field(self.p.token, self["token_payload"], name)

    @property
    def contexts(self) -> list[Bits]:
        """Numbers of all contexts."""
        return [constant(n, self.p.context_bits) for n in range(self.p.contexts)]

    def flags(self, name: str, context: Bits) -> Bits:
        """A word of the numbers of messages."""
        return self.word(f"intake.{name}", context)

    def waiting(self, context: Bits) -> Bits:
        """How many messages of a context have a command, and have not had their last beat."""
        return self.flags("begun", context) - self.flags("numbers", context)

    def stored(self, number: Bits, context: Bits) -> Bits:
        """What the packet of a message has to be."""
        return self.word("intake.orders", concat([number[:INDEX_BITS], context]))

    def progress(self, context: Bits) -> Bits:
        """The state of the packet of a context."""
        return self.word("intake.progress.words", context)

    @property
    def mine(self) -> Bits:
        """The beat in question is one of the message."""
        return self.is_at(ORDER) & self.here.equals(self["context"]) & self["intake.number_reg"].equals(self["number"])

    @property
    def gives(self) -> Bits:
        """The intake gives a token, and the window takes it."""
        return self["intake_token_valid"] & self["window_i_ready"]

    @property
    def is_end(self) -> Bits:
        """This token ends its message."""
        return self.token("step").equals(TokenStep.TAG) | self.token("tag")

    @property
    def current(self) -> Bits:
        """The message is the one under way in its context."""
        return self.is_at(ORDER) & self.flags("numbers", self["context"]).equals(self["number"])

    def channel_context(self, channel: Bits) -> Bits:
        """The context of a channel."""
        own, others = channel[: self.p.context_bits], constant(self.p.channels, self.p.context_bits)
        return (channel < self.p.channels).choose(own, others)

    @property
    def refused(self) -> Bits:
        """The command that is taken names a channel that the core does not have."""
        channel = self.field(self.p.message, self["order_payload"][: self.p.message.size], "channel")
        return constant(0, 1) if self.p.contexts == self.p.channels else channel >= self.p.channels

    def follow(self, t: Front) -> dict[str, Bits]:
        s, values = self, dict(self.values)

        def place(number: int) -> Bits:
            return constant(number, 2)

        comes = s["admitted"] & s["pool_o_payload"].equals(s["place"])
        of_it = s.gives & s.token("message").equals(s["place"])
        last, text = s["intake.advance"] & s.mine, s.token("step").equals(TokenStep.TEXT)
        values["where"] = select([
            (comes, s.refused.choose(place(TAG), place(ORDER))), (s.is_at(ORDER, TAG) & of_it & s.is_end, place(IN_WINDOW)),
            (last, place(TAG)), (s["pool_free"] & s.leaving("message").equals(s["place"]), place(FREE)),
        ], s["where"])  # fmt: skip
        values["context"] = comes.choose(s["intake.order_context"], s["context"])
        values["number"] = comes.choose(s.flags("begun", s["intake.order_context"]), s["number"])
        values["message"] = comes.choose(s["order_payload"][: s.p.message.size], s["message"])
        values["order"] = comes.choose(s["intake_order"], s["order"])
        values["begun"] = ~comes & (s["begun"] | of_it & text)
        values["given"] = ~comes & (s["given"] | of_it & text & s.token("last"))
        come, gone = s.pool.put.differs(t.pool.put), s.pool.get.differs(t.pool.get)
        put, got = come & s["pool.place"].equals(s["place"]), gone & s.pool.head.equals(s["place"])
        values["pooled"] = s["pooled"] + put.wide - got.wide
        values["used"] = s["used"] + s["admitted"].wide - s["pool_free"].wide
        values["ends"] = s["ends"] + (s.gives & s.is_end).wide - s["pool_free"].wide
        return values


# -- what is assumed ---------------------------------------------------------------------------------------------------------------


def undisturbed(s: Front) -> Bits:
    """No reset and no erasure; and a message is taken with the token that ends it (``order_rules`` proves this of the entry)."""
    ends = s.leaving("step").equals(TokenStep.TAG) | s.leaving("tag")
    return ~s["rst"] & ~s["erase"] & s["message_ready"].implies(s["token_ready"] & (s["token_valid"].implies(ends)))


def window_keeps_tokens(s: Front) -> Bits:
    """``window_rules`` proves this: a token that leaves came, those of a message before its end, and with the place of its message."""
    t = s.state.next()
    width = s.p.token.size
    mine = s.leaving("message").equals(s["place"])
    after = s.field(s.p.token, t["token_payload"][:width], "message").equals(s["place"])
    moved = s["window_move"]
    return all_of([
        (s["token_valid"] & mine).implies(~s.is_at(FREE)), s["pool_free"].implies((s["ends"] > 0) & mine.implies(s.is_at(IN_WINDOW))),
        (t["token_valid"] & after).implies(moved.choose(s["window_message"].equals(s["place"]), s["token_valid"] & mine)),
        (t["token_valid"] & after & moved).implies(~s.is_at(FREE)),
    ])  # fmt: skip


def sums(s: Front) -> Bits:
    """What is true of sums over the words of the queue of the pool, which change by a word at a time, and of messages in the window."""
    return all_of([
        s["pooled"] <= s.pool.level, (s.pool.valid & s.pool.head.equals(s["place"])).implies(s["pooled"] > 0), s["ends"] < 1 << WIDE - 2,
    ])  # fmt: skip


ASSUMED = (undisturbed, window_keeps_tokens, sums)


# -- invariants --------------------------------------------------------------------------------------------------------------------


def nothing_is_erased(s: Front) -> Bits:
    """Nothing is erased but in a reset; and the queue of the pool is in order."""
    words = ("orders", "numbers", "begun", "readable", "progress.words")
    names = [*(f"intake.{name}.erase_reg" for name in words), "messages.erase_reg"]
    return s.pool.sound & all_of(~s[name] for name in names)


def places_are_counted(s: Front) -> Bits:
    """Places that were ever used are free, or have a message."""
    depth, unused, there = s.p.message_store, s["pool.unused_reg"].wide, s["pool_o_valid"]
    none = unused.equals(0) & s["used"].equals(0) & s.pool.level.equals(0)
    return all_of([
        unused <= depth, total([s["used"], s.pool.level, there]).equals(unused), s["used"] <= depth,
        (~there).implies(none | unused.equals(depth) & (s.pool.level <= 2)),
        (s.pool.level > 1).implies(s.pool.valid), (~s.pool.ready).implies(none | (s.pool.level > depth - 2)),
    ])  # fmt: skip


def messages_are_counted(s: Front) -> Bits:
    """A message in the store waits for its packet, or for its tag, or its end is in the window."""
    waiting = [s.waiting(context) for context in s.contexts]
    few = all_of(number <= ORDERS for number in waiting)
    return few & s["used"].equals(total([*waiting, s["intake.ended_reg"], s["ends"]]))


def place_is_in_one_hand(s: Front) -> Bits:
    """The place is free once, or it has a message."""
    free = s["pool_o_valid"] & s["pool_o_payload"].equals(s["place"])
    unused = s["pool.unused_reg"].wide <= s["place"].wide
    return total([unused, s["pooled"], free, ~s.is_at(FREE)]).equals(1)


def commands_are_told(s: Front) -> Bits:
    """The beats know the commands of a context, but for the one that came in the cycle before."""
    rules = [s.here.wide < s.p.contexts]
    for context in s.contexts:
        begun, readable = s.flags("begun", context), s.flags("readable", context)
        new = s["intake.put_reg"] & s["intake.put_context_reg"].equals(context)
        late = (readable + 1).equals(begun) & s["intake.put_number_reg"].equals(begun) & s.waiting(context).some()
        rules.append(new.choose(late, readable.equals(begun)))
    return all_of(rules)


def context_is_read(s: Front) -> Bits:
    """What is known of the beat in question is what stands in the words of its context."""
    number, known = s["intake.number_reg"], s.flags("readable", s.here).differs(s["intake.number_reg"])
    channel = s.field(packet_layout(s.p), s["intake.beat_reg"], "channel")
    return all_of([
        number.equals(s.flags("numbers", s.here)), s["intake.progress_rdata_0"].equals(s.progress(s.here)),
        known.implies(s["intake.orders_rdata_0"].equals(s.stored(number, s.here))),
        s["intake.valid_reg"].implies(s.here.equals(s.channel_context(channel))),
    ])  # fmt: skip


def orders_are_in_places(s: Front) -> Bits:
    """The order of the message is in its place, and no other order has its place in the store."""
    rules, message = [], packet_order(s.p)["message"]
    for context in s.contexts:
        for place in range(ORDERS):
            at = constant(place, INDEX_BITS)
            word = s.stored(at, context)
            held = (at - s.flags("numbers", context)[:INDEX_BITS]).wide < s.waiting(context).wide
            mine = s.is_at(ORDER) & s["context"].equals(context) & s["number"][:INDEX_BITS].equals(at)
            named = word[message.offset : message.offset + message.width].equals(s["place"])
            rules += [mine.implies(held & word.equals(s["order"])), held.implies(named.equals(mine))]
    there = (s["number"] - s.flags("numbers", s["context"])) < s.waiting(s["context"])
    channel = s.field(s.p.message, s["message"], "channel")
    return all_of([
        *rules, s.is_at(ORDER).implies(there & (s["context"].wide < s.p.contexts)),
        (~s.is_at(FREE)).implies(s["context"].equals(s.channel_context(channel))),
    ])  # fmt: skip


def tag_is_of_its_message(s: Front) -> Bits:
    """A tag that is to be given is that of the message that says so, and of its context."""
    context, bits = s["intake.tag_reg"][: s.p.context_bits], s["place"].width
    named = s["intake.tag_reg"][s.p.context_bits : s.p.context_bits + bits].equals(s["place"])
    return s.is_at(TAG).equals(s["intake.ended_reg"] & named) & s.is_at(TAG).implies(context.equals(s["context"]))


def text_ends_once(s: Front) -> Bits:
    """The last beat has been given if text has begun and nothing of it can follow."""
    word = s.progress(s["context"])
    begun = s.current & word[ACTIVE] & word[BEGUN]
    words = [(context, s.progress(context)) for context in s.contexts]
    return all_of([
        s.is_at(ORDER).implies(s["begun"].equals(begun) & s["given"].equals(begun & word[DISCARD])),
        s.is_at(TAG).implies(s["begun"].equals(s["given"])),
        # A packet under way has a command, and no text while associated data are to come.
        *(each[ACTIVE].implies(s.waiting(context).some() & ~(each[BEGUN] & each[IN_ASSOCIATED])) for context, each in words),
    ])  # fmt: skip


def message_is_stored(s: Front) -> Bits:
    """The message stands in its place, and the entry gets it with its tokens."""
    stored = s.word("messages", s["place"])
    out = s["token_valid"] & s.leaving("message").equals(s["place"])
    return (~s.is_at(FREE)).implies(stored.equals(s["message"])) & out.implies(s["message_payload"].equals(s["message"]))


INVARIANTS = (
    nothing_is_erased, places_are_counted, messages_are_counted, place_is_in_one_hand, commands_are_told, context_is_read,
    orders_are_in_places, tag_is_of_its_message, text_ends_once, message_is_stored,
)  # fmt: skip


# -- rules -------------------------------------------------------------------------------------------------------------------------


def tokens_are_of_the_message_of_their_beat(s: Front, t: Front) -> Bits:
    """A token has the place of the message if it comes of a beat of its packet, or is its tag; and it has its context."""
    comes = s["intake.ended_reg"].choose(s.is_at(TAG), s.mine)
    named = s.token("message").equals(s["place"])
    return s.gives.implies(named.equals(comes) & named.implies(s.token("context").equals(s["context"])))


def beats_are_checked_by_their_command(s: Front, t: Front) -> Bits:
    """A beat of the message is compared with the command of the message, and belongs to its channel."""
    takes, layout = s["intake.take"] & s.mine, packet_layout(s.p)
    channel = s.field(layout, s["intake.beat_reg"], "channel")
    of_channel = s.channel_context(channel).equals(s.channel_context(s.field(s.p.message, s["message"], "channel")))
    return takes.implies(s["intake.orders_rdata_0"].equals(s["order"]) & s.current & of_channel)


def messages_end_once(s: Front, t: Front) -> Bits:
    """A message ends with a token that says so, once, behind its last beat."""
    ends = s.gives & s.is_end & s.token("message").equals(s["place"])
    return ends.equals(s.is_at(ORDER, TAG) & t.is_at(IN_WINDOW)) & ends.implies(s.is_at(TAG) | s.mine & s["intake.advance"])


def tokens_are_in_order(s: Front, t: Front) -> Bits:
    """Text ends with a last beat, and the tag follows it; nothing but the last beat of text is partial."""
    p, step, shared = s.p, s.token("step"), s.token("tag")
    text, tag = step.equals(TokenStep.TEXT), step.equals(TokenStep.TAG)
    rules = all_of([
        text.implies(~s["given"]), (tag | shared & ~text).implies(~s["begun"] | s["given"]), (text & shared).implies(s.token("last")),
        (text & ~s.token("last")).implies(s.token("nbytes").equals(p.beat_bytes)),
    ])  # fmt: skip
    return (s.gives & s.token("message").equals(s["place"])).implies(rules)


def commands_wait_for_places(s: Front, t: Front) -> Bits:
    """A command is taken with a free place, its message is stored there, and a place that is free again finds room."""
    taken = s["admitted"]
    order = order_layout(s.p)["associated"]
    stored = s["intake_order"][:64].equals(s["order_payload"][order.offset : order.offset + order.width])
    return all_of([
        taken.implies(s["pool_o_valid"] & s["order_valid"] & stored), s["pool_free"].implies(s.pool.ready),
        taken.implies(t.word("messages", s["pool_o_payload"]).equals(s["order_payload"][: s.p.message.size])),
    ])  # fmt: skip


def channels_that_are_not_there_hold_nothing_up(s: Front, t: Front) -> Bits:
    """A command of such a channel is taken as soon as the window takes a token, and its tag is the next one; its beats are dropped."""
    refuses = s["order_valid"] & s["pool_o_valid"] & s.refused & s["window_i_ready"]
    none = s.field(packet_layout(s.p), s["s_payload"], "channel") >= s.p.channels
    dropped = s["intake.slice_i_valid"].equals(s["s_valid"] & ~none)
    return dropped & refuses.implies(s["admitted"] & t["intake.ended_reg"] & ~s["intake.advance"])


def pool_changes_by_a_place(s: Front, t: Front) -> Bits:
    """One place comes into the queue of the pool, one leaves, and the others stay."""
    return s.pool.changes_by_a_word(t.pool, s["pointer"])


def messages_in_the_store(s: Front, t: Front) -> Bits:
    """The number of messages in the store grows by one with each command that is taken, and falls by one with each end that leaves."""
    depth = s.p.message_store

    def used(one: Front) -> Bits:
        return one["pool.unused_reg"].wide - total([one.pool.level, one["pool_o_valid"]])

    return (used(t) + s["pool_free"].wide).equals(used(s) + s["admitted"].wide) & (used(s) <= depth)


RULES = (
    tokens_are_of_the_message_of_their_beat, beats_are_checked_by_their_command, messages_end_once, tokens_are_in_order,
    commands_wait_for_places, channels_that_are_not_there_hold_nothing_up, pool_changes_by_a_place, messages_in_the_store,
)  # fmt: skip


def seen(s: Front) -> list[Bits]:
    """States that are possible."""
    return [
        s.is_at(TAG) & s.gives & s["pool_free"], s.mine & s["intake.take"] & s["begun"] & (s["used"] > 9), s["given"] & s.current,
    ]  # fmt: skip
