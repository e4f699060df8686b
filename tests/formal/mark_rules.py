# SPDX-License-Identifier: Apache-2.0
"""With several channels, a status follows the text of its message: rules of the marks, which number the packets that have ended.

The mark of a verdict is the number of packets whose last beat has entered.  The status waits until as many have been delivered.  The
numbers repeat, so this needs a bound: last beats that enter behind a verdict belong to messages whose verdicts are behind it, too, or
whose tags are still to come.  One verdict is followed::

    entry ─▶ EXPECTED at q ─▶ COMPARED ─▶ SUMMED ─▶ DECIDED ─▶ STATUSES at q ─▶ TOLD
    text     beat_0 ─▶ … ─▶ texts.queue ─▶ out ─▶ host          last beats before its mark have left

``later`` counts last beats that entered behind it, and ``closed_c`` says that the last beat of the message of context c has entered.
``ends`` counts the last beats in the queue of text; ``message_proof.uncounted`` proves that it changes as their number does.
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, all_of, any_of, constant, total
from tests.formal.follow import select
from tests.formal.order_rules import Passage

from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["ASSUMED", "INVARIANTS", "RULES", "Marks", "seen"]

IDLE, ENTERED, EXPECTED, COMPARED, SUMMED, DECIDED, WAITING, TOLD = range(8)
"""Where the verdict is."""

CONTEXTS = 3
"""Contexts of the buses that are proved: two channels, and those that the core does not have."""


class Marks(Passage):
    """Names for what a state of the buses holds."""

    variables = {
        "where": lambda p: 3, "at": lambda p: p.tag_depth.bit_length(), "mark": lambda p: p.mark_bits, "later": lambda p: WIDE,
        "ends": lambda p: WIDE, **{f"{what}_{n}": lambda p: 1 for what in ("closed", "begun") for n in range(CONTEXTS)},
    }  # fmt: skip
    constants = {}
    chosen = ("choose",)

    def __init__(self, *of):
        super().__init__(*of)
        self.texts, self.expected, self.statuses = (self.queues[name] for name in ("texts.queue", "verdicts.expected", "verdicts.statuses"))

    def is_at(self, *places: int) -> Bits:
        """Whether the verdict is in one of some places."""
        return any_of(self["where"].equals(place) for place in places)

    def verdict(self, value: Bits, name: str) -> Bits:
        """A field of a verdict."""
        return self.field(self.p.verdict, value, name)

    @property
    def entered(self) -> Bits:
        """The verdict of the entry is about a message."""
        return self["entry_verdict_valid"] & ~self.verdict(self["entry_verdict"], "empty")

    @property
    def ended(self) -> Bits:
        """The last beat of a packet has entered."""
        return self["entry_beat"] & self["entry_last"]

    def is_last(self, beat: Bits) -> Bits:
        """Of a beat in the queue of text."""
        return beat[8 * self.p.beat_bytes + self.p.beat_nbytes_bits]

    @property
    def token(self) -> dict[str, Bits]:
        """Fields of the token at the entry."""
        return {name: self.field(self.p.token, self["entry.token_payload"], name) for name in ("step", "tag", "last", "context")}

    @property
    def lasts(self) -> Bits:
        """Last beats of packets from the entry to the host."""
        line = [self.ended]
        for n in range(self.p.text_stage):
            flags = self.first(f"texts.flags.stage_{n}_reg", "texts.flags_o")
            line.append(self[f"texts.beat_{n}_reg"] & flags[self.p.beat_nbytes_bits])
        out = [held & beat[9 * self.p.beat_bytes] for held, beat in self.slice("texts.out")]
        return total([*line, self["ends"], *out])

    @property
    def behind(self) -> Bits:
        """Verdicts on messages behind that which is followed."""
        registers = [("compared", "wanted"), ("summed", "sums"), ("decided", "decision")]
        held = [self[f"verdicts.{there}_reg"] & ~self.verdict(self[f"verdicts.{what}_reg"], "empty") for there, what in registers]
        start = select([(self.is_at(EXPECTED), self["at"] + 1)], self.expected.get)
        queued = []
        for number in range(self.p.tag_depth):
            at = start + number
            inside = constant(number, WIDE) < (self.expected.put - start).wide
            queued.append(inside & ~self.verdict(self.expected.word(at), "empty"))
        new = total([*queued, self.entered])
        waiting = (self.statuses.put - self["at"]).wide - 1
        return select([
            (self.is_at(ENTERED), constant(0, WIDE)), (self.is_at(EXPECTED, COMPARED), new), (self.is_at(SUMMED), new + held[0].wide),
            (self.is_at(DECIDED), new + total(held[:2])), (self.is_at(WAITING), new + total(held) + waiting),
        ], constant(0, WIDE))  # fmt: skip

    @property
    def open(self) -> Bits:
        """Messages whose last beat has entered, and not their tag."""
        return total(self[f"closed_{n}"] for n in range(CONTEXTS))

    def follow(self, t: Marks) -> dict[str, Bits]:
        s, values = self, dict(self.values)

        def place(number: int) -> Bits:
            return constant(number, 3)

        comes = s.is_at(IDLE) & s["choose"] & t.entered
        popped = s.expected.get.differs(t.expected.get) & s["at"].equals(s.expected.get)
        told = s.statuses.get.differs(t.statuses.get) & s["at"].equals(s.statuses.get)
        values["where"] = select([
            (comes, place(ENTERED)), (s.is_at(ENTERED), place(EXPECTED)), (s.is_at(EXPECTED) & popped, place(COMPARED)),
            (s.is_at(COMPARED), place(SUMMED)), (s.is_at(SUMMED), place(DECIDED)), (s.is_at(DECIDED), place(WAITING)),
            (s.is_at(WAITING) & told, place(TOLD)),
        ], s["where"])  # fmt: skip
        values["at"] = select([(s.is_at(ENTERED), s.expected.put), (s.is_at(DECIDED), s.statuses.put)], s["at"])
        values["mark"] = comes.choose(t.verdict(t["entry_verdict"], "mark"), s["mark"])
        values["later"] = s.is_at(IDLE).choose(constant(0, WIDE), s["later"] + t.ended.wide)
        come = s.texts.put.differs(t.texts.put) & s.is_last(s["texts.queue.i_payload"])
        gone = s.texts.get.differs(t.texts.get) & s.is_last(s.texts.head)
        values["ends"] = s["ends"] + come.wide - gone.wide
        for n in range(CONTEXTS):
            mine, ends = s.token["context"].equals(n), s["entry.message_ready"]
            values[f"closed_{n}"] = select([(mine & ends, constant(0, 1)), (mine & t.ended, constant(1, 1))], s[f"closed_{n}"])
            values[f"begun_{n}"] = select([(mine & ends, constant(0, 1)), (mine & t["entry_beat"], constant(1, 1))], s[f"begun_{n}"])
        return values


def undisturbed(s: Marks) -> Bits:
    """No reset and no erasure; and the tokens of each context are in the order of a message.

    ``front_rules`` proves this of the intake, and ``window_rules`` that the window keeps it.
    """
    token, rules = s.token, []
    text, tag, shared = token["step"].equals(TokenStep.TEXT), token["step"].equals(TokenStep.TAG), token["tag"]
    for n in range(CONTEXTS):
        closed, begun = s[f"closed_{n}"], s[f"begun_{n}"]
        order = text.implies(~closed) & (tag | shared & ~text).implies(~begun | closed) & (text & shared).implies(token["last"])
        rules.append(token["context"].equals(n).implies(order))
    there = s["entry.token_valid"].implies(all_of([*rules, token["context"].wide < CONTEXTS]))
    return all_of([~s["rst"], ~s["erase"], ~s["entry.contexts.erase_reg"], there])


def places_are_there(s: Marks) -> Bits:
    """``message_rules`` proves this: what comes finds a place, and a tag its verdict."""
    return all_of([
        s[f"texts.beat_{s.p.text_stage - 1}_reg"].implies(s.texts.ready), s["entry_verdict_valid"].implies(s.expected.ready),
        s["verdicts.decided_reg"].implies(s.statuses.ready), s["verdicts.tag_valid_reg"].implies(s.expected.valid),
    ])  # fmt: skip


def ends_are_counted(s: Marks) -> Bits:
    """There are no more last beats in the queue than beats."""
    return s["ends"] <= s.texts.level


ASSUMED = (undisturbed, places_are_there, ends_are_counted)


def queues_are_sound(s: Marks) -> Bits:
    """No queue has more than its depth, and each gives the oldest that it has."""
    return all_of(queue.sound for queue in s.queues.values())


def slices_are_filled_in_order(s: Marks) -> Bits:
    """The second place of the slice of text is used only if the first one is."""
    first, second = s.slice("texts.out")
    return second[0].implies(first[0])


def packets_are_numbered(s: Marks) -> Bits:
    """Packets whose last beat has entered, less those that are delivered, are those between the entry and the host."""
    return (s["entry.packets_reg"] - s["verdicts.packets_reg"]).equals(s.lasts[: s.p.mark_bits])


def contexts_know_their_packets(s: Marks) -> Bits:
    """The word of a context says whether its message has had text.  A message whose last beat has entered has had some.

    Tokens that overwrite are those of a context without a message.
    """
    overwrites, context = s["entry.offset_reg"].some() & s["entry.overwrites_reg"], s["entry.scrub_context_reg"]
    rules = [(context.wide < CONTEXTS) | s["entry.scrubbed"], overwrites.implies(s["entry.scrub"] & ~s["entry.scrubbed"])]
    for n in range(CONTEXTS):
        word, begun = s.word("entry.contexts", constant(n, s.p.context_bits)), s[f"begun_{n}"]
        rules += [
            word[word.width - 1].equals(begun), s[f"closed_{n}"].implies(begun), begun.implies(word[0]),
            (overwrites & context.equals(n)).implies(~word[0]),
        ]  # fmt: skip
    return all_of(rules)


def verdict_is_somewhere(s: Marks) -> Bits:
    """The verdict is where it is said to be, with its mark."""
    size = s.statuses.head.width
    places = {
        ENTERED: ("entry_verdict_valid", s["entry_verdict"]), COMPARED: ("verdicts.compared_reg", s["verdicts.wanted_reg"]),
        SUMMED: ("verdicts.summed_reg", s["verdicts.sums_reg"]), DECIDED: ("verdicts.decided_reg", s["verdicts.decision_reg"]),
    }  # fmt: skip

    def mine(verdict: Bits) -> Bits:
        return s.verdict(verdict, "mark").equals(s["mark"]) & ~s.verdict(verdict, "empty")

    rules = [s.is_at(place).implies(s[there] & mine(verdict)) for place, (there, verdict) in places.items()]
    waits = s.statuses.holds(s["at"]) & s.statuses.word(s["at"])[size - s.p.mark_bits :].equals(s["mark"])
    return all_of([
        *rules, s.is_at(EXPECTED).implies(s.expected.holds(s["at"]) & mine(s.expected.word(s["at"]))), s.is_at(WAITING).implies(waits),
    ])  # fmt: skip


def mark_is_a_number(s: Marks) -> Bits:
    """The mark is the number of packets that had ended when the verdict entered."""
    return s.is_at(IDLE, TOLD) | (s["mark"] + s["later"][: s.p.mark_bits]).equals(s["entry.packets_reg"])


def later_packets_have_verdicts(s: Marks) -> Bits:
    """Each packet that ended behind the verdict has a verdict behind it, or its tag is to come."""
    return s.is_at(IDLE, TOLD) | (s["later"] <= s.behind + s.open)


INVARIANTS = (
    queues_are_sound, slices_are_filled_in_order, packets_are_numbered, contexts_know_their_packets, verdict_is_somewhere,
    mark_is_a_number, later_packets_have_verdicts,
)  # fmt: skip


def status_follows_its_text(s: Marks, t: Marks) -> Bits:
    """A status that waits for text is told when all packets that ended before its verdict have been delivered."""
    head = s.statuses.head
    packet = head[s.p.block_bits + 16 + s.p.verdict["code"].width]
    told = s.is_at(WAITING) & t.is_at(TOLD)
    return (told & packet).implies(s.lasts <= s["later"])


def messages_with_text_wait_for_it(s: Marks, t: Marks) -> Bits:
    """The verdict on a message says whether it has had text, and the last beat has then entered, at the latest with its end."""
    rules = []
    for n in range(CONTEXTS):
        begun = s[f"begun_{n}"] | t["entry_beat"]
        ends = s["entry.message_ready"] & s.token["context"].equals(n)
        packet = t.verdict(t["entry_verdict"], "packet")
        rules.append(ends.implies(t.entered & packet.equals(begun) & begun.implies(s[f"closed_{n}"] | t.ended)))
    return all_of(rules)


def deliveries_are_counted(s: Marks, t: Marks) -> Bits:
    """A last beat is delivered when the host takes it, and counts once."""
    delivered = s["m_valid"] & s["m_ready"] & s["m_payload"][9 * s.p.beat_bytes]
    return t["verdicts.packets_reg"].equals(s["verdicts.packets_reg"] + delivered.extend(s.p.mark_bits)) & (
        (t.lasts + delivered.wide).equals(s.lasts + t.ended.wide)
    )


RULES = (status_follows_its_text, messages_with_text_wait_for_it, deliveries_are_counted)


def seen(s: Marks) -> list[Bits]:
    """States that are possible."""
    both_closed = s["closed_0"] & s["closed_1"]
    return [s.is_at(WAITING) & (s["later"] > 2) & (s.lasts > s["later"]), s.is_at(EXPECTED) & both_closed & s["entry_beat"]]
