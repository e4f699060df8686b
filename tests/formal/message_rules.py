# SPDX-License-Identifier: Apache-2.0
"""Rules of the streams of cores for messages, the invariants that they need, and what is assumed.

As in ``stream_rules``, a number is read from a state and shown to change as a count would.  ``in_flight`` grows by one with each command
taken and falls by one with each status given, so it is the number of commands without a status, for however long a core runs.

::

    commands   taken ▶ checked ▶ messages ▶ entry ▶ expected ▶ compared ▶ summed ▶ decided ▶ statuses ▶ out
    text                                    entry ▶ beat_0 ▶ … ▶ texts.queue ▶ out        of these: last beats, delivered
    tags                                    entry ▶ is_tag_1 ▶ … ▶ tag_valid ▶ there
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tests.formal.bits import WIDE, Bits, all_of, any_of, constant, total
from tests.formal.machine import State

from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.rtl.stream.wire import OnWire
from modeloom.spec.stream import BETWEEN

__all__ = ["COUNTED", "INVARIANTS", "RULES", "MessageState", "counts_are_possible", "counts_follow", "lines_pass_on", "surroundings"]

QUEUES = {
    "texts.queue": "text_depth", "verdicts.expected": "tag_depth", "verdicts.statuses": "tag_depth", "messages": "token_depth",
    "verdicts.tags": "tag_depth",
}  # fmt: skip
"""Queues in memories, and their depths."""

SLICES = {"texts.out": "m", "verdicts.out": "status"}
"""Register slices before the host, and their streams."""

COUNTED = (("texts.queue", "last"), ("verdicts.expected", "told"), ("verdicts.expected", "packet"), ("verdicts.statuses", "packet"))
"""Payloads of queues that are counted: last beats; messages that get a status; those whose status waits for text."""


WORD_STATE = 3
"""State of ``KeyPreparation`` in which a word is awaited; with another number the proof fails."""

INLINE_STATES = (1, 3, 4)
"""States of ``TurnPreparation`` in which tokens are to come, enter, or are awaited; with other numbers the proof fails."""


@dataclass
class MessageState:
    """Names for what a state of the buses holds.

    ``closed`` says that the last beat of the message at the entry has entered.  ``counts`` has numbers of ``COUNTED`` by which they are
    known instead of by the words of the memories.
    """

    state: State
    p: MessageParameters
    closed: Bits
    counts: dict[tuple[str, str], Bits] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    @property
    def queues(self) -> dict[str, str]:
        """Queues that there are; with several channels no queue has the messages before the entry, and only cores with a cadence have one
        for tags alone."""
        there = {"messages": self.p.channels == 1, "verdicts.tags": self.p.plan.cadence is not None}
        return {name: depth for name, depth in QUEUES.items() if there.get(name, True)}

    def any(self, *names: str) -> Bits:
        """The first of some nets that there is: a register that is also a port has the name of either."""
        return self.state[next(name for name in names if self.state.has(name))]

    def next(self) -> MessageState:
        """The state of the cycle after."""
        t = MessageState(self.state.next(), self.p, self.closed)
        ends = t["entry_verdict_valid"] & ~t.told(t["entry_verdict"], "empty")
        t.closed = ~ends & (self.closed | t["entry_beat"] & t["entry_last"])
        for counted, number in self.counts.items():
            come, gone = self.changes(t, *counted)
            t.counts[counted] = number + come.wide - gone.wide
        return t

    def told(self, verdict: Bits, name: str) -> Bits:
        """A flag of a verdict."""
        return verdict[self.p.verdict[name].offset]

    def token(self, name: str) -> Bits:
        """A field of the token at the entry."""
        field = self.p.token[name]
        return self["entry.token_payload"][field.offset : field.offset + field.width]

    # -- what is counted in queues ---------------------------------------------------------------------------------------------

    def counts_as(self, what: str, payload: Bits) -> Bits:
        """Whether a payload of a queue is one of those that are counted."""
        if what == "last":
            return payload[8 * self.p.beat_bytes + self.p.beat_nbytes_bits]
        if payload.width != self.p.verdict.size:
            return payload[payload.width - 1]
        real = ~self.told(payload, "empty")
        return real if what == "told" else real & self.told(payload, "packet")

    def count(self, queue: str, what: str) -> Bits:
        """How many of them are in a queue."""
        if (queue, what) in self.counts:
            return self.counts[queue, what]
        return total(held & self.counts_as(what, payload) for held, payload in self.stored(queue))

    def changes(self, t: MessageState, queue: str, what: str) -> tuple[Bits, Bits]:
        """Whether one of them has come into a queue, and whether one has left it, in the cycle before another state."""
        put, get = f"{queue}.put_reg", f"{queue}.get_reg"
        come = t[put].differs(self[put]) & self.counts_as(what, t.word(queue, self[put]))
        return come, t[get].differs(self[get]) & self.counts_as(what, self[f"{queue}_o_payload"])

    # -- queues and slices ----------------------------------------------------------------------------------------------------

    def level(self, queue: str) -> Bits:
        """Payloads in a queue."""
        return (self[f"{queue}.put_reg"] - self[f"{queue}.get_reg"]).wide

    def ready(self, queue: str) -> Bits:
        """Whether it takes one."""
        return self.any(f"{queue}.ready_reg", f"{queue}_i_ready")

    def valid(self, queue: str) -> Bits:
        """Whether it gives one."""
        return self.any(f"{queue}.valid_reg", f"{queue}_o_valid")

    def word(self, queue: str, at: Bits) -> Bits:
        """A word of its memory."""
        cell = self.state.machine.memory(f"{queue}.memory")
        return self.state.word(cell, at[: cell.parameters["ABITS"]])

    def stored(self, queue: str) -> Iterator[tuple[Bits, Bits]]:
        """For each place of a queue whether it holds a payload, and the payload."""
        depth = getattr(self.p, QUEUES[queue])
        get = self[f"{queue}.get_reg"].wide
        for place in range(depth):
            distance = (constant(place, 16) - get) % depth
            yield distance < self.level(queue), self.word(queue, constant(place, 16))

    def slice(self, name: str) -> list[tuple[Bits, Bits]]:
        """The two places of a register slice (``State.slice``)."""
        return self.state.slice(name, f"{SLICES.get(name, name)}_valid")

    def keep_is_whole(self, beat: Bits) -> Bits:
        """Whether the ``tkeep`` of a beat of text is one that a beat may have.  A buffer for text hides which beat is a last one."""
        size = self.p.beat_bytes
        keep, last = beat[8 * size : 9 * size], beat[9 * size]
        first_ones = (keep & (keep + 1)).equals(0)
        return first_ones & (last | (~keep).equals(0)) if self.p.hold is None else first_ones

    @property
    def within_step(self) -> Bits:
        """The entry is within a step of a block or of a tag, which has a place for what comes of it."""
        apart = [self[name] for name in ("entry.takes_start", "entry.takes_between") if self.state.has(name)]
        return self["entry.offset_reg"].some() & ~any_of(apart)

    @property
    def step_goes_on(self) -> Bits:
        """The step at the entry takes more cycles than those that have been, and its token, if it is one of a message, is there."""
        p, at, step = self.p, self["entry.offset_reg"].wide, self["entry.step"]

        def within(*titles: str) -> Bits:
            return at < max(p.program(title).cycles for title in titles)

        text = [title for title in p.plan.mode.text_steps() if title in {one.title for one in p.plan.steps}]
        goes_on = step.equals(TokenStep.ASSOCIATED).choose(
            within("associated"), step.equals(TokenStep.TEXT).choose(within(*text), within("tag"))
        )
        if p.plan.text_first:
            goes_on = self["entry.takes_between"].choose(within(BETWEEN), goes_on)
        goes_on = self["entry.takes_start"].choose(within(*p.starts), goes_on)
        return goes_on & (self["entry.overwrites_reg"] | self["entry.has_token"])

    # -- counts -----------------------------------------------------------------------------------------------------------------

    def tag_at(self, stage: int) -> Bits:
        """Whether the token in a stage of the pipeline has a tag.  If a tag takes several tokens, this is the last one."""
        found = []
        part = max(token.part for token in self.p.plan.tokens if token.title == "tag")
        for lane in range(self.p.lanes):
            name = f"is_tag_{lane}" if self.p.lanes > 1 else f"is_tag_{part}" if part else "is_tag"
            name += f"_{stage}_reg" if stage else ""
            names = (f"pipeline.lines.{name}", f"pipeline.lines_{name}", *(("pipeline_tag_valid",) if stage == self.tag_output else ()))
            found.append(self.any(*names))
        return any_of(found)

    @property
    def tag_output(self) -> int:
        """The stage of the pipeline that gives tags."""
        return self.p.plan.placed.outputs["tag"]

    @property
    def lines(self) -> list[list[Bits]]:
        """Registers that pass a bit on, one to the next: whether there is a beat of text, and whether there is a tag."""
        text = [self["entry_beat"], *(self[f"texts.beat_{stage}_reg"] for stage in range(self.p.text_stage))]
        return [text, [self.tag_at(stage) for stage in range(self.tag_output + 1)]]

    @property
    def verdicts(self) -> list[tuple[Bits, Bits]]:
        """What stands in registers between the entry and the statuses: whether there is a message, and its verdict."""
        registers = [("compared", "wanted"), ("summed", "sums"), ("decided", "decision")]
        entered = self["entry_verdict_valid"], self["entry_verdict"]
        return [entered, *((self[f"verdicts.{there}_reg"], self[f"verdicts.{what}_reg"]) for there, what in registers)]

    @cached_property
    def in_flight(self) -> Bits:
        """Commands taken whose status has not been given."""
        slices = [held for name in ("command.checked", "verdicts.out") for held, _ in self.slice(name)]
        slices.append(self.any("command.taken.valid_reg", "command.taken_o_valid"))
        real = [held & self.counts_as("told", what) for held, what in self.verdicts]
        return total([*slices, *real, self.before_entry, self.count("verdicts.expected", "told"), self.level("verdicts.statuses")])

    @property
    def before_entry(self) -> Bits:
        """Messages between the command and the entry: in the queue, or in the store of all channels."""
        if self.p.channels == 1:
            return self.level("messages")
        pool = "front.pool.queue"
        free = (self[f"{pool}.put_reg"] - self[f"{pool}.get_reg"]).wide + self["front.pool_o_valid"].wide
        return self["front.pool.unused_reg"].wide - free

    @cached_property
    def beats_in_flight(self) -> Bits:
        """Beats of text from the entry to the queue, and in it."""
        return total([self["entry_beat"], *(self[f"texts.beat_{n}_reg"] for n in range(self.p.text_stage)), self.level("texts.queue")])

    @cached_property
    def tags_in_flight(self) -> Bits:
        """Messages from the entry to the queue of statuses, and in it."""
        names = ("entry_verdict_valid", "verdicts.compared_reg", "verdicts.summed_reg", "verdicts.decided_reg")
        return total([*(self[name] for name in names), self.level("verdicts.expected"), self.level("verdicts.statuses")])

    @cached_property
    def lasts(self) -> Bits:
        """Last beats of packets that have entered, without those whose status has been told."""
        nbytes = self.p.beat_nbytes_bits
        line = [self["entry_beat"] & self["entry_last"]]
        for n in range(self.p.text_stage):
            flags = self.any(f"texts.flags.stage_{n}_reg", "texts.flags_o")
            line.append(self[f"texts.beat_{n}_reg"] & flags[nbytes])
        out = [held & beat[9 * self.p.beat_bytes] for held, beat in self.slice("texts.out")]
        return total([*line, self.count("texts.queue", "last"), *out, self["verdicts.delivered_reg"]])

    @cached_property
    def packets(self) -> Bits:
        """Statuses to come that have to wait for a packet of text."""
        real = [held & self.counts_as("packet", what) for held, what in self.verdicts]
        return total([*real, self.count("verdicts.expected", "packet"), self.count("verdicts.statuses", "packet")])


# -- what is assumed ---------------------------------------------------------------------------------------------------------------


def surroundings(s: MessageState) -> Bits:
    """No reset and no erasure, and tokens at the entry are in the order of a message: text up to a last beat, and then the tag.

    ``test_tokens_are_in_order`` proves this of the intake.  The window between them hands tokens on as they come.
    """
    step, shared = s.token("step"), s.token("tag")
    text, tag = step.equals(TokenStep.TEXT), step.equals(TokenStep.TAG)
    several = s.p.channels > 1
    order = all_of([
        constant(1, 1) if several else text.implies(~s.closed) & (tag | shared & ~text).implies(~s["entry.packet_reg"] | s.closed),
        (text & shared).implies(s.token("last")), step.differs(3), shared.implies(constant(int(s.p.plan.joins_tag), 1)),
        shared.implies(~tag), shared.implies(s.token("full").wide < s.p.lanes) if s.p.plan.shares_tag else constant(1, 1),
        (text & ~s.token("last")).implies(s.token("nbytes").equals(s.p.beat_bytes)),
    ])  # fmt: skip
    rules = [~s["rst"], ~s["erase"], s["entry.token_valid"].implies(order)]
    if several:
        # ``front_rules`` proves this of the store of messages.
        pool = "front.pool.queue"
        rules += [
            s["front.pool_free"].implies(s.ready(pool)), s.valid(pool).implies(s[f"{pool}.put_reg"].differs(s[f"{pool}.get_reg"])),
            s[f"{pool}.next_reg"].equals(s[f"{pool}.get_reg"] + 1),
            s["front.admitted"].implies(s["front.pool_o_valid"]), s["entry.message_ready"].implies(s["front.token_valid"]),
            s["front.pool.unused_reg"].wide <= s.p.message_store, s.level(pool) <= s.p.message_store,
        ]  # fmt: skip
    return all_of(rules)


def lines_pass_on(s: MessageState, t: MessageState) -> Bits:
    """In a reset, nothing comes into the lines, and each register takes what the one before it had.

    So they are empty after as many cycles as they have registers.
    """
    rules = []
    for before, after in zip(s.lines, t.lines, strict=True):
        rules += [~after[0], *(late.equals(early) for late, early in zip(after[1:], before, strict=False))]
    return all_of(rules)


# -- counts in queues --------------------------------------------------------------------------------------------------------------


def counts_follow(s: MessageState, t: MessageState, queue: str, what: str) -> Bits:
    """The words of a memory that are counted become more by those that come, and fewer by those that leave."""
    come, gone = s.changes(t, queue, what)
    return (t.count(queue, what) + gone.wide).equals(s.count(queue, what) + come.wide)


def counts_are_possible(s: MessageState) -> Bits:
    """Of what is in a queue no more are counted than there are."""
    return all_of(s.count(queue, what) <= s.level(queue) for queue, what in COUNTED)


# -- invariants --------------------------------------------------------------------------------------------------------------------


def quiet(s: MessageState) -> Bits:
    """Nothing is erased but in a reset."""
    names = [f"{queue}.memory.erase_reg" for queue in s.queues]
    return ~any_of(s[name] for name in names if s.state.has(name))


def queues_hold_what_they_can(s: MessageState) -> Bits:
    """No queue has more than its depth; a full one takes nothing, an empty one gives nothing; and its next place follows the first."""
    rules = []
    for queue, depth in s.queues.items():
        level, depth = s.level(queue), getattr(s.p, depth)
        following = s[f"{queue}.next_reg"].equals(s[f"{queue}.get_reg"] + 1)
        rules += [level <= depth, s.ready(queue).implies(level < depth), s.valid(queue).implies(level > 0), following]
    return all_of(rules)


def heads_are_the_oldest(s: MessageState) -> Bits:
    """What a queue gives is the word at its reading end."""
    return all_of(s.valid(queue).implies(s[f"{queue}_o_payload"].equals(s.word(queue, s[f"{queue}.get_reg"]))) for queue in s.queues)


def slices_are_filled_in_order(s: MessageState) -> Bits:
    """The second place of a register slice is used only if the first one is."""
    names = (*SLICES, "command.checked")
    return all_of(s.slice(name)[1][0].implies(s.slice(name)[0][0]) for name in names)


def text_has_credit(s: MessageState) -> Bits:
    """Free places, one that becomes free, and beats of text in flight are all places, and a beat that arrives finds one."""
    free = s["entry.free_reg"]
    return all_of([
        (free.wide + s["entry.returned_reg"].wide + s.beats_in_flight).equals(s.p.text_depth),
        s["entry.credit_reg"].equals(free.some()), free.wide <= s.p.text_depth,
        (s.within_step & s["entry.step"].equals(TokenStep.TEXT)).implies(s["entry.credit_reg"]),
        s[f"texts.beat_{s.p.text_stage - 1}_reg"].implies(s.ready("texts.queue")),
    ])  # fmt: skip


def tags_have_credit(s: MessageState) -> Bits:
    """Free places, those that become free, and messages in flight are all places, and a verdict that arrives finds one."""
    free = s["entry.free_reg_2"]
    return all_of([
        (free.wide + s["entry.returned_reg_2"].wide + s.tags_in_flight).equals(s.p.tag_depth),
        s["entry.credit_reg_2"].equals(free.some()), free.wide <= s.p.tag_depth,
        (s.within_step & (s["entry.step"].equals(TokenStep.TAG) | s.token("tag"))).implies(s["entry.credit_reg_2"]),
        s["entry_verdict_valid"].implies(s.ready("verdicts.expected")), s["verdicts.decided_reg"].implies(s.ready("verdicts.statuses")),
    ])  # fmt: skip


def tags_meet_their_verdicts(s: MessageState) -> Bits:
    """As many tags are in the pipeline as verdicts wait for one, and a tag finds its verdict.

    A tag that follows its message waits at the entry, too.
    """
    there = s["verdicts.tag_valid_reg"]
    tags = [*(s.tag_at(stage) for stage in range(1, s.tag_output + 1)), there]
    wanted = s.level("verdicts.expected")
    if s.p.plan.follows:
        # The cycles in which the entry is taken: by tags that follow.
        waits = s["entry.entry_taken_reg"]
        tags += [s.tag_at(0), *(waits[place] for place in range(waits.width))]
        # A message that ends in this cycle has its tag at the beginning of the way.
        in_step = total(tags).equals(wanted + s["entry_verdict_valid"].wide) & s["entry_verdict_valid"].implies(waits[waits.width - 1])
    else:
        in_step = s.tag_at(0).equals(s["entry_verdict_valid"]) & total(tags).equals(wanted)
    return in_step & there.implies(s.valid("verdicts.expected"))


def tags_and_codes_pair(s: MessageState) -> Bits:
    """With a cadence, there is a tag for each code, in queues of their own.  A tag comes two cycles before its code."""
    if s.p.plan.cadence is None:
        return constant(1, 1)
    real = {there: s[f"verdicts.{there}_reg"] & ~s.told(s[f"verdicts.{what}_reg"], "empty") for there, what in (
        ("compared", "wanted"), ("summed", "sums"), ("decided", "decision"),
    )}  # fmt: skip
    tags, statuses = s.level("verdicts.tags"), s.level("verdicts.statuses")
    return all_of([
        tags.equals(total([statuses, real["summed"], real["decided"]])), real["compared"].implies(s.ready("verdicts.tags")),
        s.valid("verdicts.statuses").implies(s.valid("verdicts.tags")),
    ])  # fmt: skip


def entry_is_in_step(s: MessageState) -> Bits:
    """A step that has begun goes on: it takes several cycles.  Of a message that has not begun nothing has entered, and tokens between
    messages are not those of one.  Tokens that overwrite enter between messages."""
    within = s["entry.offset_reg"].some().implies(s.step_goes_on)
    if s.p.channels > 1:
        return within
    between = s["entry.between_reg"].implies(~s["entry.packet_reg"] & ~s.closed)
    begun = [s[name].some() for name in ("entry.offset_reg", "entry.started_reg", "entry.text_ended_reg") if s.state.has(name)]
    overwrites = (any_of(begun) & s["entry.overwrites_reg"]).implies(s["entry.between_reg"])
    rules = [within, between, overwrites, s.closed.implies(s["entry.packet_reg"])]
    if s.p.two_passes:
        # The first pass of a message gives no text.
        gives = s["entry.message_payload"][s.p.message["decrypt"].offset]
        rules.append(s["entry.packet_reg"].implies(s.valid("messages") & gives))
    return all_of(rules)


def set_up_gives_its_own_tokens(s: MessageState) -> Bits:
    """A token of set-up is none of a message: its number is one of those that there are, and not the last while its word is awaited."""
    several = s.p.preparations > 1
    parts = [f"keys.preparation.preparation_{n}" for n in range(s.p.preparations)] if several else ["keys.preparation"]
    count = len(s.p.prepared_by_tokens if s.p.inline else s.p.plan.preparations)
    rules = []
    for part in parts if s.p.inline else ["preparation"]:
        # Without tokens of set-up there may be no number.
        number = s[f"{part}.number_reg"].wide if s.state.has(f"{part}.number_reg") else constant(0, WIDE)
        state = s[f"{part}.fsm_state"]
        in_work = any_of(state.equals(one) for one in (INLINE_STATES if s.p.inline else (WORD_STATE,)))
        rules.append((number <= count) & in_work.implies(number < count))
    return all_of(rules)


def texts_and_statuses_pair(s: MessageState) -> Bits:
    """There is a last beat of text for each status that waits for one, and another if the message at the entry has given its own."""
    return s.lasts.equals(s.packets + s.closed.wide) if s.p.hold is None and s.p.channels == 1 else constant(1, 1)


def pieces_are_whole(s: MessageState) -> Bits:
    """The bytes of a beat are the first ones, and all of them but in a last beat."""
    size, bits = s.p.beat_bytes, s.p.beat_nbytes_bits
    rules = [s["entry_beat"].implies(s["entry_last"] | s["entry_bytes"].equals(size))]
    for n in range(s.p.text_stage):
        flags = s.any(f"texts.flags.stage_{n}_reg", "texts.flags_o")
        rules.append(s[f"texts.beat_{n}_reg"].implies(flags[bits] | flags[:bits].equals(size)))
    for held, beat in s.stored("texts.queue"):
        rules.append(held.implies(s.counts_as("last", beat) | beat[8 * size : 8 * size + bits].equals(size)))
    for held, beat in s.slice("texts.out"):
        rules.append(held.implies(s.keep_is_whole(beat)))
    return all_of(rules)


def nothing_is_left_on_the_wire(s: MessageState) -> Bits:
    """The slice behind packets on the wire gets zeros while no beat comes, so it gives zeros while it is empty."""
    return s["m_valid"] | s["m_payload"].equals(0) if s.p.form == OnWire() else constant(1, 1)


INVARIANTS = (
    quiet, queues_hold_what_they_can, heads_are_the_oldest, slices_are_filled_in_order, text_has_credit,
    tags_have_credit, tags_meet_their_verdicts, tags_and_codes_pair, entry_is_in_step, set_up_gives_its_own_tokens, texts_and_statuses_pair,
    pieces_are_whole, nothing_is_left_on_the_wire,
)  # fmt: skip


# -- rules -------------------------------------------------------------------------------------------------------------------------


def outputs_stay(s: MessageState, t: MessageState) -> Bits:
    """A beat of text, or a status, stays as it is until the host takes it."""
    rules = []
    for stream in SLICES.values():
        waits = s[f"{stream}_valid"] & ~s[f"{stream}_ready"]
        rules.append(waits.implies(t[f"{stream}_valid"] & t[f"{stream}_payload"].equals(s[f"{stream}_payload"])))
    return all_of(rules)


def nothing_without_valid(s: MessageState, t: MessageState) -> Bits:
    """No byte of text, tag or flag is out while ``valid`` is low."""
    return all_of((~s[f"{stream}_valid"]).implies(s[f"{stream}_payload"].equals(0)) for stream in SLICES.values())


def one_status_a_command(s: MessageState, t: MessageState) -> Bits:
    """Each command taken gives exactly one status: the number of those without one changes by no other event."""
    taken, given = s["cmd_valid"] & s["cmd_ready"], s["status_valid"] & s["status_ready"]
    return (t.in_flight + given.wide).equals(s.in_flight + taken.wide)


def tokens_have_places(s: MessageState, t: MessageState) -> Bits:
    """What comes out of the pipeline finds a place, as nothing there can wait: text, verdicts, statuses."""
    return all_of([
        s[f"texts.beat_{s.p.text_stage - 1}_reg"].implies(s.ready("texts.queue")),
        s["entry_verdict_valid"].implies(s.ready("verdicts.expected")), s["verdicts.decided_reg"].implies(s.ready("verdicts.statuses")),
    ])  # fmt: skip


def text_before_status(s: MessageState, t: MessageState) -> Bits:
    """A status that waits for a packet is let go only behind the last beat of one that no other status has been told for."""
    if s.p.hold is not None:
        return constant(1, 1)
    delivered = s["m_valid"] & s["m_ready"] & s["m_payload"][9 * s.p.beat_bytes]
    head = s["verdicts.statuses_o_payload"]
    gone = t["verdicts.statuses.get_reg"].differs(s["verdicts.statuses.get_reg"]) & head[head.width - 1]
    before, after = s["verdicts.delivered_reg"].wide, t["verdicts.delivered_reg"].wide
    return all_of([(after + gone.wide).equals(before + delivered.wide), gone.implies(before > 0)])


def keep_is_partial_only_last(s: MessageState, t: MessageState) -> Bits:
    """``tkeep`` has ones from bit 0 on, and all of them but in a last beat."""
    return s["m_valid"].implies(s.keep_is_whole(s["m_payload"]))


def results_do_not_wait_for_ready(s: MessageState, t: MessageState) -> Bits:
    """A beat or a status that is next is offered in the cycle after, if none is offered, whether the host is ready or not.

    With a buffer for text, this is the beat behind it; and the order of statuses of channels is that of ``mark_rules``.
    """
    text = s["texts.hold_o_valid"] if s.p.hold is not None else s.valid("texts.queue")
    rules = [(text & ~s["m_valid"]).implies(t["m_valid"])]
    if s.p.hold is None and s.p.channels == 1:
        head = s["verdicts.statuses_o_payload"]
        may = s.valid("verdicts.statuses") & (~head[head.width - 1] | s["verdicts.delivered_reg"].some())
        rules.append((may & ~s["status_valid"]).implies(t["status_valid"]))
    return all_of(rules)


RULES = (
    outputs_stay, nothing_without_valid, keep_is_partial_only_last, one_status_a_command, tokens_have_places, text_before_status,
    results_do_not_wait_for_ready,
)  # fmt: skip
