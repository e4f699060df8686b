# SPDX-License-Identifier: Apache-2.0
"""What happens to a packet before the entry of a core for messages: the intake makes tokens, counters count, and the window hands on.

``given`` says that the last beat of text of the message in the intake has been given.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.formal.bits import Bits, all_of, any_of, concat, constant, total
from tests.formal.machine import State

from modeloom.rtl.stream.long_counter import LOW_BITS
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["TOKEN_INVARIANTS", "TOKEN_RULES", "TokenState", "undisturbed"]

COUNTERS = ("associated", "text")


@dataclass
class TokenState:
    """Names for what a state of intake and window holds."""

    state: State
    p: MessageParameters
    given: Bits

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    def token(self, name: str) -> Bits:
        """A field of the token that the intake gives."""
        field = self.p.token[name]
        return self["intake_token_payload"][field.offset : field.offset + field.width]

    @property
    def is_text(self) -> Bits:
        """The intake gives a token of text."""
        return self["intake_token_valid"] & self.token("step").equals(TokenStep.TEXT)

    def next(self) -> TokenState:
        """The state of the cycle after."""
        given = ~self["flight_admitted"] & (self.given | self.is_text & self.token("last"))
        return TokenState(self.state.next(), self.p, given)

    def word(self, at: Bits) -> Bits:
        """A word of the memory of the window."""
        cell = self.state.machine.memory("window.memory")
        return self.state.word(cell, at[: cell.parameters["ABITS"]])

    def waiting_beats(self) -> list[tuple[Bits, Bits, Bits]]:
        """For each place of the register of beats: whether it holds one, the beat, and what is known of it."""
        width = packet_layout(self.p).size
        return [(held, payload[:width], payload[width:]) for held, payload in self.state.slice("intake.slice")]

    @property
    def some_text(self) -> Bits:
        """Some text of the message in the intake has been given; with text first, its last beat has not."""
        return self["intake.open_reg" if self.p.text_first else "intake.begun_reg"]

    def small_counter(self, name: str) -> tuple[Bits, Bits]:
        """The registers of a counter with one adder: the count and its limit."""
        part = f"intake.{name}_counter"
        # The register is the output ``total``.  In a core that has no use for this output, it has its own name.
        names = (f"{part}_total", f"{part}.count_reg")
        return self[next(one for one in names if self.state.has(one))], self[f"{part}.limit_reg"]

    def counter(self, name: str) -> dict[str, Bits]:
        """The registers of a counter of blocks."""
        low, high = f"intake.{name}_counter.low_reg", f"intake.{name}_counter.high_reg"
        if not self.state.has(low):
            value = self[f"intake.{name}_counter_total"]
            found = {"low": value[:LOW_BITS], "high": value[LOW_BITS:]}
        else:
            found = {"low": self[low], "high": self[high]}
        for part in ("limit", "next_low", "at_low", "next_high", "at_high", "next_at_high"):
            found[part] = self[f"intake.{name}_counter.{part}_reg"]
        return found


def undisturbed(s: TokenState) -> Bits:
    """No reset and no erasure.  If beats say whether they are associated data, these do not come behind text, and none is the last beat of
    its message: ``segment_rules`` proves this."""
    rules = [~s["rst"], ~s["erase"], ~s["window.memory.erase_reg"]]
    if s.p.marked:
        layout, (held, beat, _) = packet_layout(s.p), s.waiting_beats()[0]
        associated, last = beat[layout["associated"].offset], beat[layout["last"].offset]
        taken = s["intake.busy_reg"] & s.some_text & ~s["intake.ended_reg"]
        rules.append((held & associated).implies(~taken & ~last))
    return all_of(rules)


def text_ends_once(s: TokenState) -> Bits:
    """The last beat has been given if text has begun and nothing of it can follow."""
    begun, over = s.some_text, s["intake.ended_reg"] | s["intake.discard_reg"]
    if s.p.text_first:
        in_text = s["intake.in_text_reg"]
        return all_of([
            (s["intake.busy_reg"] & begun).implies(in_text & s.given.equals(over)), s.given.implies(begun & over | ~in_text),
        ])  # fmt: skip
    rules = [(s["intake.busy_reg"] & begun).implies(s.given.equals(over)), s.given.implies(begun)]
    if not s.p.marked:
        rules.append(begun.implies(~s["intake.in_associated_reg"]))
    return all_of(rules)


def window_counts(s: TokenState) -> Bits:
    """The window knows how many tokens are in its memory, and takes none for which there is no place."""
    depth, count = s.p.token_depth, s["window.count_reg"].wide
    distance = (s["window.put_reg"] - s["window.get_reg"]).wide
    coming = total([s["window.count_reg"], s["window.taken_valid_reg"]])
    return all_of([count <= depth, distance.equals(count % depth), coming <= depth, s["window_i_ready"].implies(coming < depth)])


def beats_are_as_seen(s: TokenState) -> Bits:
    """What is known of a beat that waits, whether it is a full one for instance, is what its tkeep and tlast say."""
    return all_of(held.implies(seen.equals(_seen_of(s.p, beat))) for held, beat, seen in s.waiting_beats())


def _seen_of(p: MessageParameters, beat: Bits) -> Bits:
    """What tkeep and tlast of a beat say, in the order of ``seen_layout``.  The number of bytes is that up to the last one before a gap."""
    size, keep, last = p.beat_bytes, beat[8 * p.beat_bytes : 9 * p.beat_bytes], beat[9 * p.beat_bytes]
    ends = [keep[at] & (~keep[at + 1] if at + 1 < size else constant(1, 1)) for at in range(size)]
    # If there are gaps, more than one byte ends a row of bytes, and the bits of their numbers are combined.
    counted = [any_of(ends[at] for at in range(size) if (at + 1) >> bit & 1) for bit in range(p.beat_nbytes_bits)]
    hole = any_of(~keep[at] & keep[at + 1] for at in range(size - 1))
    return concat([*counted, keep.equals((1 << size) - 1), keep[0], hole, ~keep.some() & last])


def counters_look_ahead(s: TokenState) -> Bits:
    """The upper part of a counter, and whether it is the one of the limit, are known before the carry that needs them."""
    rules = []
    for name in () if s.p.plan.cadence else COUNTERS:
        c = s.counter(name)
        limit, following = c["limit"][LOW_BITS:], c["high"] + 1
        rules += [
            c["next_low"].equals(c["low"] + 1), c["at_low"].equals(c["low"].equals(c["limit"][:LOW_BITS])),
            c["at_high"].equals(c["high"].equals(limit)), (c["low"] > 0).implies(c["next_high"].equals(following)),
            (c["low"] > 1).implies(c["next_at_high"].equals(following.equals(limit))),
        ]  # fmt: skip
    return s["intake.busy_reg"].implies(all_of(rules))


TOKEN_INVARIANTS = (text_ends_once, window_counts, beats_are_as_seen, counters_look_ahead)


def tokens_are_in_order(s: TokenState, t: TokenState) -> Bits:
    """Text ends with a last beat, and the tag follows it; nothing but the last beat of text is partial."""
    p, step, shared = s.p, s.token("step"), s.token("tag")
    text, tag = step.equals(TokenStep.TEXT), step.equals(TokenStep.TAG)
    rules = all_of([
        text.implies(~s.given), (tag | shared & ~text).implies(~s.some_text | s.given),
        (text & shared).implies(s.token("last")), step.differs(3), shared.implies(constant(int(p.plan.joins_tag), 1)),
        shared.implies(~tag), shared.implies(s.token("full").wide < p.lanes) if p.plan.shares_tag else constant(1, 1),
        (text & ~s.token("last")).implies(s.token("nbytes").equals(p.beat_bytes)),
    ])  # fmt: skip
    return s["intake_token_valid"].implies(rules)


def window_keeps_tokens(s: TokenState, t: TokenState) -> Bits:
    """What the intake gives leaves the window unchanged, once, and in order."""
    p, depth = s.p, s.p.token_depth
    taken = s["intake_token_valid"] & s["window_i_ready"]
    rules = [t["window.taken_valid_reg"].equals(taken), taken.implies(t["window.taken_reg"].equals(s["intake_token_payload"]))]
    put, get = s["window.put_reg"], s["window.get_reg"]
    pop = t["window.get_reg"].differs(get)
    coming = s["window.taken_valid_reg"]
    rules += [
        t["window.put_reg"].equals(coming.choose(put + 1, put)), coming.implies(t.word(put).equals(s["window.taken_reg"])),
        pop.implies(t["window.get_reg"].equals(get + 1) & (s["window.count_reg"] > 0)),
    ]  # fmt: skip
    for place in range(depth):
        held = (constant(place + depth, 16) - get.wide) % depth < s["window.count_reg"].wide
        at = constant(place, 16)
        rules.append(held.implies(t.word(at).equals(s.word(at))))
    width = p.token.size
    out, waits = t["window_o_payload"][:width], s["window_o_valid"] & ~s["entry_token_ready"]
    # Without a hash there are no weights behind the token.
    stays = out.equals(s["window_o_payload"][:width]) if p.plan.horner is None else t["window_o_payload"].equals(s["window_o_payload"])
    rules += [
        waits.implies(~pop & t["window_o_valid"] & stays),
        (~waits).implies(t["window_o_valid"].equals(pop)), pop.implies(out.equals(s.word(get))),
    ]  # fmt: skip
    return all_of(rules)


def lengths_are_counted(s: TokenState, t: TokenState) -> Bits:
    """A counter has the blocks since its message began, of 48 bits and more, and says when it has as many as its limit."""
    rules = []
    begins = s["flight_admitted"]
    for name in COUNTERS if s.p.plan.cadence else ():
        (count, limit), (after, limit_after) = s.small_counter(name), t.small_counter(name)
        counts = s[f"intake.{name}_counter_count"]
        rules += [
            s[f"intake.{name}_counter_reached"].equals(count.equals(limit)),
            (~begins).implies(after.equals(counts.choose(count + 1, count)) & limit_after.equals(limit)),
        ]  # fmt: skip
    for name in () if s.p.plan.cadence else COUNTERS:
        c, after = s.counter(name), t.counter(name)
        low, high, limit = c["low"], c["high"], c["limit"]
        reached = high.equals(limit[LOW_BITS:]) & low.equals(limit[:LOW_BITS])
        counts = s[f"intake.{name}_counter_count"] & ~s["flight_admitted"]
        carry = counts & low.equals((1 << LOW_BITS) - 1)
        rules += [
            s["intake.busy_reg"].implies(s[f"intake.{name}_counter_reached"].equals(reached)),
            (s["intake.busy_reg"] & ~begins).implies(after["high"].equals(carry.choose(high + 1, high))),
            (~begins).implies(after["low"].equals(counts.choose(low + 1, low)) & after["limit"].equals(limit)),
        ]  # fmt: skip
    return all_of(rules)


TOKEN_RULES = (tokens_are_in_order, window_keeps_tokens, lengths_are_counted)
