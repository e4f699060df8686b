# SPDX-License-Identifier: Apache-2.0
"""Buses with several channels with a fault each, in the parts before the pipeline and in the order of statuses."""

from __future__ import annotations

from dataclasses import dataclass

from tests.formal.induction import Fault

__all__ = ["FAULTS", "PartFault"]


@dataclass(frozen=True)
class PartFault(Fault):
    """A fault, the part of the buses whose rules it breaks, and in how many cycles a run may show it."""

    part: str = "front_window"
    cycles: int = 14


FAULTS = (
    PartFault(
        "a token gets the word of another channel", "front_window", r"\.raddr_0\(i_payload\[145:144\]\)", ".raddr_0(2'h0)",
        "words_are_read",
    ),
    PartFault(
        "a place is given twice", "front_window_pool", r"unused_reg \+ \{ 6'h0, unused \}",
        "unused_reg + { 6'h0, unused & ~free }", "places_are_in_one_hand",
    ),
    PartFault("a place does not come back", "front_window", r"\.free\(freed\)", ".free(freed & ~o_ready)", "places_are_counted"),
    PartFault(
        "a token is lost", "front_window", r"put_reg <= i_valid & i_ready", "put_reg <= i_valid & i_ready & ~work_valid_reg",
        "tokens_are_taken",
    ),
    PartFault(
        "a token is given twice", "front_window", r"load = ~work_valid_reg \| \(move & last\)",
        "load = ~work_valid_reg | (move & last & releases_o_valid)", "tokens_are_counted",
    ),
    PartFault(
        "a token has the message of another", "front_window", r"taken_reg\[151:146\]\n",
        "taken_reg[151:146] ^ work_valid_reg\n", "messages_go_with_tokens",
    ),
    PartFault(
        "the store is read at another place", "front_window", r"\.raddr_0\(work_reg\[15:10\]\)", ".raddr_0(work_reg[23:18])",
        "tokens_are_somewhere",
    ),
    PartFault(
        "the newest token of a channel goes first", "front_window", r"made\[49:18\]", "made[41:10]", "tokens_are_somewhere",
    ),
    PartFault(
        "a beat is compared with the command of another channel", "front_intake_orders", r"\bcontext_v, read_addr",
        "order_context, read_addr",
        "context_is_read", "front",
    ),
    PartFault(
        "a tag has the channel of the next beat", "front_intake", r"ended_reg \? tag_reg\[1:0\] : context_reg", "context_reg",
        "tokens_are_of_the_message_of_their_beat", "front",
    ),
    PartFault(
        "a tag has the place of the next message", "front_intake", r"ended_reg \? tag_reg\[7:2\] : ", "",
        "tokens_are_of_the_message_of_their_beat", "front",
    ),
    PartFault(
        "a packet never finds its command", "front_intake", r"\.we\(put_reg\)", ".we(put_reg & ~put)", "commands_are_told", "front",
    ),
    PartFault(
        "a channel takes a command too many", "front_intake", r"begun_rdata_0 - numbers_rdata_0 != 3'h4", "1'h1", "messages_are_counted",
        "front",
    ),
    PartFault(
        "the place of another message is free", "front", r"\.place\(token_payload\[151:146\]\)", ".place(window_message)",
        "place_is_in_one_hand", "front",
    ),
    PartFault(
        "a place is not free again", "front", r"\.free\(pool_free\)", ".free(pool_free & ~admitted)", "places_are_counted", "front",
    ),
    PartFault(
        "a command does not wait for a place", "front", r"order_valid & pool_o_valid", "order_valid", "commands_wait_for_places", "front",
    ),
    PartFault(
        "a command of a channel that is not there waits for a packet", "front", r"order_foreign = [^;]*;", "order_foreign = 1'h0;",
        "channels_that_are_not_there_hold_nothing_up", "front",
    ),
    PartFault(
        "a beat of a channel that is not there waits for a command", "front_intake", r"slice_i_valid = s_valid & [^;]*;",
        "slice_i_valid = s_valid;", "channels_that_are_not_there_hold_nothing_up", "front",
    ),
    PartFault(
        "a refused command has the place of another message", "front_intake", r"order\[75:70\], order_context",
        "tag_reg[7:2], order_context",
        "tag_is_of_its_message", "front",
    ),
    PartFault(
        "text goes on behind a fault", "front_intake", r"\|fault \? 1'h1 : now\[1\]", "now[1]", "text_ends_once", "front",
    ),
    PartFault(
        "a message ends twice", "front_intake", r"if \(token_ready\) ended_reg <= ended ",
        "if (token_ready) ended_reg <= ended | ended_reg & s_valid ", "tag_is_of_its_message", "front",
    ),
    PartFault(
        "a message does not end", "front_intake", r"if \(token_ready\) ended_reg <= ended ",
        "if (token_ready) ended_reg <= ended & ~s_valid ", "messages_are_counted", "front",
    ),
    PartFault(
        "a message is stored in another place", "front", r"(\.raddr_0\(window_message\),\s+\.waddr)\(pool_o_payload\)",
        r"\1(window_message)", "message_is_stored", "front",
    ),
    PartFault(
        "a beat in the middle is partial", "front_intake", r"\| ~\(seen\[5\] \| beat_reg\[144\]\)", "", "tokens_are_in_order", "front",
    ),
    PartFault(
        "a status does not wait for its text", "verdicts", r"\| ~(may_difference)\[7\]", r"| ~\1[0]",
        "status_follows_its_text", "",
    ),
    PartFault(
        "text that waits counts as delivered", "texts", r"delivered = out_o_valid & m_ready", "delivered = out_o_valid",
        "packets_are_numbered", "",
    ),
    PartFault(
        "a mark leaves out the last packet", "entry", r"verdict <= \{ packets_reg \+ \{ 7'h0, ",
        "verdict <= { packets_reg + { 7'h0, 1'h0 & ", "mark_is_a_number", "",
    ),
    PartFault(
        "a status does not know of its text", "entry", r"overwrites, context_now\[7\] \| ", "overwrites, ",
        "messages_with_text_wait_for_it", "",
    ),
    PartFault(
        "a status has the mark of the next one", "verdicts", r"statuses_i_payload = \{\s+decision_reg\[173:166\]",
        "statuses_i_payload = { sums_reg[173:166]", "verdict_is_somewhere", "",
    ),
    PartFault(
        "the text of a message counts for another channel", "entry", r"\.waddr\(context_here\)", ".waddr(scrub_context_reg)",
        "contexts_know_their_packets", "",
    ),
    PartFault(
        "a cut packet has no verdict", "entry", r"verdict_valid <= ends;", "verdict_valid <= ends & ~token_payload[138];",
        "later_packets_have_verdicts", "",
    ),
)  # fmt: skip
