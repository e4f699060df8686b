# SPDX-License-Identifier: Apache-2.0
"""The bench of a core for messages, in SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import hexadecimal, key_lines, packet_lines, phase_lines, wanted_lines
from modeloom.cores.stream.packing import message_places
from modeloom.cores.stream.traffic import BenchOutcome
from modeloom.cores.stream.vectors import BenchVectors, bench_vectors
from modeloom.cores.template import filled, without
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.messages import StreamDescription
from modeloom.version import VERSION

__all__ = ["bench_limit", "bench_verilog", "key_cycles"]

NOTHING = BenchOutcome(0)

CHECK = """\
if (alone_out - alone_in != LATENCY)
  fail("not the stated latency");"""

CADENCE_CHECK = """\
// The block waits for its place in the cadence, up to @WAITS@ cycles.
if (alone_out - alone_in > LATENCY || alone_out - alone_in < LATENCY - @WAITS@)
  fail("not the stated latency");"""

PACE = """\
for (i = FIRST_STEADY; i < PHASE_BURST; i = i + 1)
  if (told_at[i] - told_at[i - 1] != INTERVAL)
    fail("messages not at the stated distance");"""

MEAN_PACE = """\
if (told_at[PHASE_BURST - 1] - told_at[FIRST_STEADY - 1] > INTERVAL * (PHASE_BURST - FIRST_STEADY))
  fail("messages not at the stated distance");"""
"""Tokens that enter beside those of messages change single distances, with a cadence by a batch."""

DISTANCE = "told_at[PHASE_BURST - 1] - told_at[PHASE_BURST - 2]"

MEAN_DISTANCE = """\
(told_at[PHASE_BURST - 1] - told_at[FIRST_STEADY - 1] > INTERVAL * (PHASE_BURST - FIRST_STEADY) ? INTERVAL + 1 : INTERVAL)"""
"""The last messages of a burst may have started long before, so that they follow each other faster than stated, but never slower."""

KEYLESS = """
        if (@GIVES@) begin
          while (judged < beats_out && !given_last[judged])
            judged = judged + 1;
          if (judged == beats_out || !given_cut[judged])
            fail("no end of a packet without a key");
          else
            judged = judged + 1;
        end"""
"""What leaves, in wire form, of a message without a key."""


def key_cycles(d: StreamDescription) -> int:
    """A generous limit for the cycles of a key packet, with the erasure of the old key and a set-up that computes word by word."""
    return 4 * d.key_erase_cycles + 8 * d.explain.stages * (d.explain.key_words + 4) + 2000


def _assignments(vectors: BenchVectors, d: StreamDescription, most_beats: int) -> Iterator[str]:
    yield from key_lines(vectors.keys, most_beats)
    for number, key in enumerate(vectors.keys):
        yield f"key_beats[{number}] = {len(key.beats)}; key_last[{number}] = {KEY_BEAT_BYTES}'h{key.beats[-1][1]:x};"
    sent = wanted = 0
    bits = 8 * d.block_bytes
    for number, message in enumerate(vectors.messages):
        yield from packet_lines(number, message.command.pack(d), message.beats, sent, d.beat_bytes)
        if d.channels > 1:
            yield from (f"sent_channel[{at}] = {message.command.channel};" for at in range(sent, sent + len(message.beats)))
        sent += len(message.beats)
        places = [wanted]
        renewed = message.renewed or NOTHING
        for outcome in (message.wanted, renewed):
            yield from wanted_lines(outcome.beats, wanted, d.beat_bytes)
            wanted += len(outcome.beats)
            places.append(wanted)
        changes = int(message.changes)
        yield f"code[{number}] = {int(message.wanted.code)}; changes[{number}] = {changes}; ends[{number}] = {sent};"
        yield f"tag[{number}] = {hexadecimal(message.wanted.tag, bits)};"
        yield f"want_from[{number}] = {places[0]}; want_to[{number}] = {places[1]}; renew_to[{number}] = {places[2]};"
        yield f"renew_code[{number}] = {int(renewed.code)}; renew_tag[{number}] = {hexadecimal(renewed.tag, bits)};"


def _channels(d: StreamDescription, field: str, rest: object) -> dict[str, object]:
    """Values of the places that depend on whether there are several channels."""
    values: dict[str, object] = dict.fromkeys(("CHANNEL_ARRAYS", "CHANNEL_GIVEN", "CHANNEL_SAME", "MORE_SENT"), "")
    wires, pins = "\n  wire                   m_axis_tuser;", "\n    .m_axis_tuser(m_axis_tuser),"
    if d.channels == 1:
        return {**values, "REST_WANTED": f"{rest}'b0", "MORE_WIRES": wires, "MORE_PINS": pins}
    return {
        "CHANNEL_ARRAYS": "\n  reg [7:0]              sent_channel [0:SENT-1];\n  reg [7:0]              given_channel [0:WANTED-1];",
        "CHANNEL_GIVEN": "\n        given_channel[beats_out] = m_axis_tid;",
        "CHANNEL_SAME": f"\n               && given_channel[judged + at] === command[statuses]{field}",
        "MORE_SENT": "\n        s_axis_tid <= sent_channel[beats_in];",
        "REST_WANTED": f"command[statuses]{field}",
        "MORE_WIRES": f"{wires}\n  reg  [7:0]             s_axis_tid = 8'b0;\n  wire [7:0]             m_axis_tid;",
        "MORE_PINS": f"\n    .s_axis_tid(s_axis_tid),\n    .m_axis_tid(m_axis_tid),{pins}",
    }  # fmt: skip


def bench_limit(d: StreamDescription, vectors: BenchVectors) -> int:
    """The number of cycles after which the bench gives up."""
    shape = d.bench_shape
    longest = d.message_cycles(shape.associated, shape.text)
    return 2000 + 6 * d.erase_cycles + 30 * key_cycles(d) + 2 * (len(vectors.messages) + 20) * (longest + 100)


def _latency_check(d: StreamDescription) -> str:
    """The check of the latency.  Text that is held has none."""
    if not d.timed:
        return ""
    return CHECK if d.cadence is None else CADENCE_CHECK.replace("@WAITS@", str(d.waits))


def _pace_check(d: StreamDescription) -> str:
    """The check of the distance of messages, if there is one that is stated."""
    if "cycles_per_message" not in d.bench_figures:
        return ""
    return _allowed(MEAN_PACE, d) if d.varies else PACE


def _allowed(text: str, d: StreamDescription) -> str:
    """A text with the cycles by which the distances of all messages of a burst together may vary with a cadence."""
    return text.replace("(PHASE_BURST - FIRST_STEADY)", f"(PHASE_BURST - FIRST_STEADY) + {d.waits}") if d.cadence is not None else text


def _packet_places(d: StreamDescription, places: dict[str, object]) -> dict[str, object]:
    """What differs between the forms of packets."""
    if not d.wire:
        return {"CUT_WANTED": "wanted_keep[from + at] == {BEAT_BYTES{1'b0}}", "KEYLESS": "", "ALONE_BEAT": ""}
    failed = f"m_axis_status_tdata{places['STATUS_CODE']} != OK"
    gives = f"!command[statuses]{places['COMMAND_DECRYPT']}" if d.hold is not None else "1'b1"
    return {
        "CUT_WANTED": f"at == to - from - 1 && {failed}", "KEYLESS": KEYLESS.replace("@GIVES@", gives),
        "ALONE_BEAT": " && judged == beats_out",
    }


def bench_verilog(compiled: CompiledStream, d: StreamDescription) -> str:
    """The text of the bench, in SystemVerilog."""
    vectors = bench_vectors(compiled, d)
    places = message_places(d.block_bytes, d.named_slots, d.inline, d.channels, bool(d.lengths_first), 1 + d.two_passes, d.text_first)
    beats = [len(message.beats) for message in vectors.messages]
    longest = max(d.packet_sizes)
    most_beats = -(-longest // KEY_BEAT_BYTES)
    last_keep = (1 << longest - (most_beats - 1) * KEY_BEAT_BYTES) - 1
    given = [len(outcome.beats) for message in vectors.messages for outcome in (message.wanted, message.renewed) if outcome]
    values = {
        **places,
        **_packet_places(d, places),
        **_channels(d, str(places["COMMAND_CHANNEL"]), places["REST_BITS"]),
        "NAME": d.name,
        "VERSION": VERSION,
        "BEAT_BITS": 8 * d.beat_bytes,
        "BEAT_BYTES": d.beat_bytes,
        "COMMANDS": len(vectors.messages),
        "SENT": sum(beats),
        "WANTED": sum(given),
        "KEYS": len(vectors.keys),
        "KEY_BEATS": most_beats,
        "SLOTS": d.named_slots,
        "USED": len({key.slot for key in vectors.keys}),
        "KEY_LAST_KEEP": f"{KEY_BEAT_BYTES}'h{last_keep:x}",
        "INTERVAL": d.bench_figures.get("cycles_per_message", 0),
        "LATENCY": d.latency,
        "DISTANCE": _allowed(MEAN_DISTANCE, d) if d.varies else DISTANCE,
        "PACE_CHECK": _pace_check(d),
        "LATENCY_CHECK": _latency_check(d),
        "ERASE_CYCLES": d.erase_cycles,
        "LIMIT": bench_limit(d, vectors),
        "PHASES": phase_lines(vectors.phases),
        "SENT_BEFORE": sum(beats[: vectors.phases["burst"]]),
        # A packet of one beat that lacks a byte is not a key of any size.
        # If keys come with messages, each wrong one takes a place until its message comes.
        "SHORT_KEY": "" if d.inline else f"wrong_key(0, 1, {KEY_BEAT_BYTES}'h{(1 << KEY_BEAT_BYTES - 1) - 1:x}, key_slot[0]);",
        "REFUSED": "",
        "BEATS_OF": "key_beats[number]",
        "LAST_OF": "key_last[number]",
        "VECTORS": "\n".join(_assignments(vectors, d, most_beats)),
    }
    text = filled(__package__ or "", "bench.sv", values)
    return without(text, "s_axis_key_tdest") if d.inline else text
