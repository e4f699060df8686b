# SPDX-License-Identifier: Apache-2.0
"""The rules of AXI4-Lite for registers in a clock of their own, as invariants and rules of the emitted crossings.

``lite_bridge_state`` says what is counted beside them, and what is assumed.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, constant
from tests.formal.bridge_rules import (
    COMMON,
    FOUR,
    comes_to_rest,
    crosses_in_turn,
    has_rested,
    still_for_the_core,
    still_for_the_host,
)
from tests.formal.lite_bridge_state import LiteBridgeState
from tests.formal.signs import agrees, equal, falling, same, zero

from modeloom.rtl.clocks.bridge import Phase

__all__ = ["INVARIANTS", "RULES"]

# -- invariants: writes --------------------------------------------------------------------------------------------------------------


def a_write_crosses(s: LiteBridgeState) -> Bits:
    """What each side has seen of the other one follows from the turns."""
    mine = s.answer.equals(s.turn)
    early = s.host_reset | equal(s.to_host[1:], s.turn) & (s.to_host[0].equals(s.turn) | ~s.has_address & ~s.has_data)
    rest = equal(s.to_core, s.turn) & mine & ~s.busy & early
    there = agrees([*s.to_core, s.turn], s.turn) & equal(s.to_host, s.answer) & s.busy.implies(s.to_core[0].equals(s.turn))
    back = equal(s.to_core, s.turn) & ~s.busy & agrees([*s.to_host, s.answer], s.turn)
    crosses = (~s.sent).implies(rest) & (s.sent & ~mine).implies(there) & (s.sent & mine).implies(back)
    return crosses | s.set_back & nothing_is_written(s) & same(s.state, "s_axil.w_address_reg")


def nothing_is_written(s: LiteBridgeState) -> Bits:
    """The host's side has no write."""
    return zero(s.has_address, s.has_data, s.sent, s.done, s.turn, *s.kept)


def writes_are_set_back(s: LiteBridgeState) -> Bits:
    """A reset sets back first the host's side, and then that of the core, in which nothing begins meanwhile."""
    core = (s.resets & s.at(Phase.SWEEP) | s.told).implies(zero(s.busy, s.a_valid, s.w_valid, *s.passed))
    host = (s.told & ~s.answers).implies(nothing_is_written(s))
    old = all_of([
        nothing_is_written(s), zero(s.answer, s.busy, *s.to_core), falling([*s.to_host, s.answer]),
        (~s.reset_seen[1]).implies(~s.to_host[2]),
    ])  # fmt: skip
    rest = comes_to_rest(s, s.turn, s.to_core) & has_rested(s, s.answer, s.to_host)
    return core & host & rest & s.old_reset.implies(old)


def writes_are_counted(s: LiteBridgeState) -> Bits:
    """There is at most one write, and both sides know in which part of it."""
    one, none = constant(1, FOUR), constant(0, FOUR)
    numbers = [s["addresses"], s["words"], s["responses"]]
    mine = s.answer.equals(s.turn)
    running = all_of([
        s["addresses"].equals((s.busy & ~s.a_valid).extend(FOUR)), s["words"].equals((s.busy & ~s.w_valid).extend(FOUR)),
        s["responses"].equals(none),
    ])  # fmt: skip
    reset = all_of([s["addresses"] <= 1, s["words"] <= 1, s["responses"].equals(0)])
    return all_of([
        s["addressed"].equals(s.has_address.extend(FOUR)), s["given"].equals(s.has_data.extend(FOUR)),
        s.sent.implies(s.has_address & s.has_data & ~s.done), s.done.implies(s.has_address & s.has_data),
        (s.sent & ~mine).implies(s.resets.choose(reset, running)), (s.sent & mine).implies(equal(numbers, one)),
        (~s.sent).implies(equal(numbers, s.done.extend(FOUR))), (s.a_valid | s.w_valid).implies(s.busy),
        s["open_address"].equals(s.busy & ~s.a_valid & ~s.resets), s["open_word"].equals(s.busy & ~s.w_valid & ~s.resets),
    ])  # fmt: skip


def what_is_written_is_kept(s: LiteBridgeState) -> Bits:
    """Address and data are those of the host.  An erasure makes zeros of the data, without strobes.  After the write they are zeros."""
    waits = s.has_data & ~s.done
    whole = s.passed[0].equals(s["data"]) & s.passed[1].equals(s["strobe"])
    gone = zero(*s.passed)
    return all_of([
        s.has_address.implies(s["s_axil.w_address_reg"].equals(s["address"])),
        waits.choose(s.unchanged | s["met"] & zero(*s.kept), zero(*s.kept)), s.sent.implies(same(s.state, *SENT)),
        s.busy.implies(s["core_s_axil_awaddr"].equals(s["address"])), s.w_valid.choose(whole | gone & s["met"], gone),
    ])  # fmt: skip


SENT = ("s_axil.w_address_reg", "s_axil.w_data_reg", "s_axil.w_strobe_reg")
"""What stands still while it crosses."""


def responses_cross(s: LiteBridgeState) -> Bits:
    """The host is shown the response of the registers."""
    mine, response = s.answer.equals(s.turn), s["s_axil.w_response_reg"]
    return all_of([
        (s.sent & mine).implies(response.equals(s["said"])), s.done.implies(s["s_axil_bresp"].equals(s["said"])),
        (s.sent & s.to_host[2].equals(s.turn)).implies(same(s.state, "s_axil.w_response_reg")),
    ])  # fmt: skip


# -- invariants: reads ---------------------------------------------------------------------------------------------------------------


def a_read_crosses(s: LiteBridgeState) -> Bits:
    """Request and answer rise and fall in turn."""
    crosses = crosses_in_turn(s, s.request, s.reply, s.read_to_core, s.read_to_host)
    reads = s.reads.implies(s.read_to_core[0] & ~s.reply & s.request) | s.set_back & nothing_is_read(s)
    return crosses & reads


def nothing_is_read(s: LiteBridgeState) -> Bits:
    """The host's side has no read."""
    return zero(s.request, s.has_word, s.shown)


def reads_are_set_back(s: LiteBridgeState) -> Bits:
    """The same as for writes."""
    core = (s.resets & s.at(Phase.SWEEP) | s.told).implies(zero(s.reads, s.r_valid))
    host = (s.told & ~s.answers).implies(nothing_is_read(s))
    old = nothing_is_read(s) & zero(s.reply, *s.read_to_core)
    return core & host & comes_to_rest(s, s.request, s.read_to_core) & s.old_reset.implies(old)


def reads_are_counted(s: LiteBridgeState) -> Bits:
    """There is at most one read, and both sides know in which part of it."""
    numbers = [s["reads"], s["words_read"]]
    running = s["reads"].equals((s.reads & ~s.r_valid).extend(FOUR)) & s["words_read"].equals(0)
    reset = (s["reads"] <= 1) & s["words_read"].equals(0)
    return all_of([
        s["asked"].equals((s.request | s.has_word).extend(FOUR)), ~(s.request & s.has_word),
        (s.request & ~s.reply).implies(s.resets.choose(reset, running)), (s.request & s.reply).implies(equal(numbers, constant(1, FOUR))),
        (~s.request).implies(equal(numbers, s.has_word.extend(FOUR))), s.r_valid.implies(s.reads),
        s["open_read"].equals(s.reads & ~s.r_valid & ~s.resets),
    ])  # fmt: skip


def what_is_read_is_kept(s: LiteBridgeState) -> Bits:
    """The address is that of the host, and it is shown the word and the response of the registers.  There is no word without a read."""
    asked = s.read_to_core[0] | s.read_to_core[1] | s.read_to_core[2]
    return all_of([
        s.request.implies(s["s_axil.r_address_reg"].equals(s["asked_at"])), s.reads.implies(s["core_s_axil_araddr"].equals(s["asked_at"])),
        asked.implies(same(s.state, "s_axil.r_address_reg")), (s.request & s.reply).implies(s.word.equals(s["word_said"])),
        s.reply | zero(s.word), s.has_word.choose(s.shown.equals(s["word_said"]), zero(s.shown)),
        (s.reply & s.read_to_host[2]).implies(same(s.state, "s_axil.r_word_reg")),
    ])  # fmt: skip


INVARIANTS = (
    *COMMON, a_write_crosses, writes_are_set_back, writes_are_counted, what_is_written_is_kept, responses_cross, a_read_crosses,
    reads_are_set_back, reads_are_counted, what_is_read_is_kept,
)  # fmt: skip


# -- rules ---------------------------------------------------------------------------------------------------------------------------


def responses_stay(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """A response that is not taken stays, and so does what it says, unless the host's side is in reset."""
    reset = s.host & s.host_reset
    write = s.done & ~s.moves("b") & ~reset
    read = s.has_word & ~s.moves("r") & ~reset
    return write.implies(t.done & t["s_axil_bresp"].equals(s["s_axil_bresp"])) & read.implies(t.has_word & t.shown.equals(s.shown))


def a_response_for_each_access(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """A response has an access that was whole before it, which the registers have had once; no other one has had it.  It is theirs."""
    one = constant(1, FOUR)
    write = equal([s["addressed"], s["given"], s["addresses"], s["words"], s["responses"]], one) & s["s_axil_bresp"].equals(s["said"])
    read = equal([s["asked"], s["reads"], s["words_read"]], one) & s.shown.equals(s["word_said"])
    return s.done.implies(write) & s.has_word.implies(read)


def registers_see_the_write(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """They get each part of a write once, as the host said it.  An erasure that met it makes zeros of the data, without strobes."""
    whole = equal([s["addressed"], s["given"]], constant(1, FOUR)) & ~s.done
    data = s["core_s_axil_wdata"].equals(s["data"]) & s["core_s_axil_wstrb"].equals(s["strobe"])
    gone = s["met"] & zero(s["core_s_axil_wdata"], s["core_s_axil_wstrb"])
    return all_of([
        s.moves("aw", "core_").implies(whole & s["addresses"].equals(0) & s["core_s_axil_awaddr"].equals(s["address"])),
        s.moves("w", "core_").implies(whole & s["words"].equals(0) & (data | gone)),
    ])  # fmt: skip


def registers_see_the_read(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """They get each read once, with its address."""
    asked = s["asked"].equals(1) & s["reads"].equals(0) & s["core_s_axil_araddr"].equals(s["asked_at"])
    return s.moves("ar", "core_").implies(asked)


def the_core_keeps_the_rules(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """What is offered to the registers stays until they take it or are reset, but that an erasure makes zeros of data.

    Responses are taken at once.
    """
    found = []
    for channel, payload in (("aw", ["awaddr"]), ("w", []), ("ar", ["araddr"])):
        waits = s[f"core_s_axil_{channel}valid"] & ~s.moves(channel, "core_") & ~t.resets
        found.append(waits.implies(t[f"core_s_axil_{channel}valid"] & all_of(
            t[f"core_s_axil_{name}"].equals(s[f"core_s_axil_{name}"]) for name in payload
        )))  # fmt: skip
    stalls = s["core_s_axil_wvalid"] & ~s.moves("w", "core_") & ~t.resets
    kept = all_of(after.equals(before) for after, before in zip(t.passed, s.passed))
    found.append(stalls.implies(kept | zero(*t.passed) & s.asks))
    found += [s["core_s_axil_bvalid"].implies(s["core_s_axil_bready"]), s["core_s_axil_rvalid"].implies(s["core_s_axil_rready"])]
    return all_of(found)


def data_do_not_stay(s: LiteBridgeState, t: LiteBridgeState) -> Bits:
    """Data may be a word of a key.  The host's side keeps nothing of an access that is over.

    The core's side keeps what was written until the registers have it, and what was read until the host has it and may read again.
    """
    written = (~s["given"].some() | s.done).implies(zero(*s.kept)) & (~s["core_s_axil_wvalid"] & ~s.resets).implies(zero(*s.passed))
    read = (~s["asked"].some()).implies(zero(s.shown)) & (~s.reply | s["s_axil_arready"]).implies(zero(s.word))
    return written & read


RULES = (
    still_for_the_core, still_for_the_host, responses_stay, a_response_for_each_access, registers_see_the_write, registers_see_the_read,
    the_core_keeps_the_rules, data_do_not_stay,
)  # fmt: skip
