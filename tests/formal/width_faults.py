# SPDX-License-Identifier: Apache-2.0
"""Converters with a fault each, as an edit of their Verilog, and the rule or invariant that it breaks."""

from __future__ import annotations

from dataclasses import dataclass

from tests.formal.induction import Fault

__all__ = ["FAULTS", "WidthFault"]

SECTORS, WIDER, CHANNELS = "sectors, a lane, 32 bits", "sectors, a lane, 256 bits", "channels, 32 bits"


@dataclass(frozen=True)
class WidthFault(Fault):
    """A fault, the direction of the data whose proof refuses it, and the converters."""

    way: str = "in"
    which: str = SECTORS


FAULTS = (
    # s_axis up to the part that converts
    WidthFault(
        "a beat is lost while two wait", "entry", r"valid_reg & ~get & \(full_reg \| put\)", "valid_reg & put",
        "beats_are_seen_in_order",
    ),
    WidthFault("beats change places", "entry", r"from_reg <= from_reg \^ get", "from_reg <= from_reg ^ put", "beats_are_seen_in_order"),
    WidthFault("a hole is not seen", "rule", r"\|\(~i_payload\[34:32\] & i_payload\[35:33\]\) \| ", "", "wrong_beats_are_seen"),
    WidthFault(
        "a partial beat passes for a whole one", "rule", r"&i_payload\[35:32\]", "&i_payload[34:32]", "right_beats_stand_in_front",
    ),
    WidthFault("an empty beat passes", "rule", r"& begun_reg\)", "& begun_reg & ~i_payload[36])", "wrong_beats_are_seen"),
    WidthFault(
        "the second beat of a packet is a first one", "rule", r"begun_reg <= ~i_payload\[36\]", "begun_reg <= 1'h0",
        "begun_is_counted",
    ),
    # narrow beats of the host are joined
    WidthFault("a wide beat does not wait for the core", "into", r"may = o_ready \| ~complete", "may = 1'h1", "offers_stay"),
    WidthFault(
        "narrow beats wait for the core", "into", r"may = o_ready \| ~complete", "may = o_ready",
        "gathered_beats_do_not_wait_for_ready",
    ),
    WidthFault(
        "a beat is dropped while another waits", "into", r"move = ~valid_reg \| take", "move = 1'h1", "the_register_passes_beats_on",
    ),
    WidthFault(
        "a byte is not in its place", "into", r"kept_reg\[97:66\] \| \(beat_reg\[31:0\] & \{32\{here2\}\}\),\n",
        "kept_reg[97:66] | (beat_reg[31:0] & {32{here3}}),\n", "gathered_bytes_leave_unchanged",
    ),
    WidthFault(
        "a byte is kept in another place", "into", r"kept_reg\[65:34\] \| \(beat_reg\[31:0\] & \{32\{here1\}\}\)\) &",
        "kept_reg[65:34] | (beat_reg[31:0] & {32{here0}})) &", "the_byte_is_kept",
    ),
    WidthFault("bytes of the packet before stay", "into", r"& \{32\{~complete\}\}", "& {32{1'h1}}", "kept_bytes_have_zeros_behind"),
    WidthFault(
        "the place of the packet before stays", "into", r"complete \? 2'h0 : kept_reg\[1:0\]", "kept_reg[1:0]",
        "gathered_bytes_are_counted",
    ),
    WidthFault(
        "the end of a packet does not end a beat", "into", r"complete = beat_reg\[36\] \| beat_reg\[37\] \|", "complete =",
        "gathered_ends_pass",
    ),
    WidthFault(
        "the core is not told of a wrong beat", "into", r"beat_reg\[38\] \? 4'h2 :", "beat_reg[38] ? 4'h1 :", "gathered_ends_pass",
    ),
    WidthFault("bytes in front are not marked", "into", r"> 2'h0\}\}", "> 2'h1}}", "gathered_beats_are_whole"),
    # wide beats of the host are parted
    WidthFault(
        "a wide beat does not wait for its parts", "into", r"\(final_v & o_ready\)", "o_ready", "parted_bytes_are_counted", "in",
        WIDER,
    ),
    WidthFault("a part does not wait for the core", "into", r"o_ready \? \{ 16'h0", "1'h1 ? { 16'h0", "offers_stay", "in", WIDER),
    WidthFault(
        "a part is given twice", "into", r"o_ready \? \{ 128'h0,\s+beat_reg\[255:128\] \}", "o_ready ? beat_reg[255:0]",
        "the_byte_is_held", "in", WIDER,
    ),
    WidthFault(
        "bytes of the next part leave", "into", r"beat_reg\[127:0\] \}", "beat_reg[255:128] }", "parted_bytes_leave_unchanged", "in",
        WIDER,
    ),
    WidthFault("each part ends the packet", "into", r"beat_reg\[288\] & final_v", "beat_reg[288]", "parted_ends_pass", "in", WIDER),
    WidthFault(
        "a wrong wide beat passes", "into", r"i_payload\[290\] \? 32'h2 :", "i_payload[290] ? 32'h3 :", "parted_ends_pass", "in",
        WIDER,
    ),
    WidthFault(
        "a byte of a part is not marked", "into", r"beat_reg\[271:256\], beat", "beat_reg[271:257], 1'h0, beat",
        "parted_beats_are_whole", "in", WIDER,
    ),
    WidthFault(
        "a wide beat waits for the core", "into", r"move = ~valid_reg \| \(final_v & o_ready\)", "move = final_v & o_ready",
        "parted_beats_do_not_wait_for_ready", "in", WIDER,
    ),
    WidthFault(
        "the last part is cut short", "into", r"final_v = beat_reg\[287:272\] == 16'h0", "final_v = beat_reg[287:273] == 15'h0",
        "parted_bytes_are_counted", "in", WIDER,
    ),
    # wide beats of the core are parted
    WidthFault(
        "a part does not wait for the host", "back", r"else if \(o_valid & o_ready\)", "else if (o_valid)", "offers_stay", "out",
    ),
    WidthFault(
        "another part leaves", "back", r"2'h1 \? i_payload\[63:32\]", "2'h1 ? i_payload[31:0]", "direct_bytes_leave_unchanged", "out",
    ),
    WidthFault("a part is skipped", "back", r"place_reg \+ 2'h1", "place_reg + 2'h2", "direct_bytes_are_counted", "out"),
    WidthFault(
        "a wide beat is taken with its first part", "back", r"i_ready = o_ready & final_v", "i_ready = o_ready",
        "direct_bytes_are_counted", "out",
    ),
    WidthFault(
        "each part of the result ends the packet", "back", r"i_payload\[144\] & final_v", "i_payload[144]", "direct_ends_pass", "out",
    ),
    WidthFault(
        "an empty part is left over", "back", r"place_reg == 2'h1 \? ~i_payload\[136\]", "place_reg == 2'h1 ? ~i_payload[137]",
        "direct_bytes_are_counted", "out",
    ),
    WidthFault(
        "a part has the tkeep of another", "back", r"2'h0 \? i_payload\[131:128\]", "2'h0 ? i_payload[143:140]",
        "direct_beats_are_whole", "out",
    ),
    WidthFault(
        "an offer waits for the host", "", r"m_axis_tvalid = core_m_axis_tvalid",
        "m_axis_tvalid = core_m_axis_tvalid & m_axis_tready", "direct_beats_do_not_wait_for_ready", "out",
    ),
    # narrow beats of the core are joined
    WidthFault("old bytes stay on the bus", "back", r"o_valid \?", "1'h1 ?", "bytes_outside_are_zero", "out", WIDER),
    WidthFault(
        "narrow results wait for the host", "back", r"i_ready = o_ready \| ~complete", "i_ready = o_ready",
        "gathered_beats_do_not_wait_for_ready", "out", WIDER,
    ),
    WidthFault(
        "a result is taken before the host takes it", "back", r"i_ready = o_ready \| ~complete", "i_ready = 1'h1",
        "gathered_ends_pass", "out", WIDER,
    ),
    WidthFault(
        "a byte of a result is doubled", "back", r"i_payload\[127:0\] & \{128\{here1\}\}", "i_payload[127:0]",
        "bytes_outside_are_zero", "out", WIDER,
    ),
    # channels
    WidthFault(
        "a beat of a channel that is not there is passed on", "", r" & s_axis_tid < 8'h3", "", "beats_are_seen_in_order", "in", CHANNELS,
    ),
    WidthFault(
        "a command of a channel that is not there has a packet", "", r" & channel < 8'h3", "", "commands_have_packets", "in", CHANNELS,
    ),
    WidthFault(
        "a command does not wait", "", r"s_axis_cmd_tready = core_s_axis_cmd_tready & command_may",
        "s_axis_cmd_tready = core_s_axis_cmd_tready", "commands_stay", "in", CHANNELS,
    ),
    WidthFault(
        "a beat gets the word of another channel", "into", r"8'h3 \? i_payload\[38:37\]", "8'h3 ? i_payload[39:38]",
        "kept_bytes_have_zeros_behind", "in", CHANNELS,
    ),
    WidthFault(
        "a word is read as it was", "into_of_channels", r"same_0_reg <= we &", "same_0_reg <= 1'h0 &", "kept_bytes_have_zeros_behind",
        "in", CHANNELS,
    ),
    WidthFault("an erasure leaves a channel", "", r"address_reg != 2'h3", "address_reg != 2'h1", "words_are_erased", "in", CHANNELS),
)  # fmt: skip
"""Those of a module without a name are planted in the outermost one."""
