# SPDX-License-Identifier: Apache-2.0
"""The bench of a core for messages, in SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import (
    BenchKey,
    filled,
    first_keys,
    hexadecimal,
    key_lines,
    packet_lines,
    phase_lines,
    wanted_lines,
    without,
)
from modeloom.cores.port_rules import PortRules, bit_range, command_read, packing_places
from modeloom.cores.stream.vectors import BenchMessage, BenchOutcome, BenchVectors, bench_vectors
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import by_member
from modeloom.layers import Stack
from modeloom.product.cases import POINTS, Case, Cases, length_point
from modeloom.product.core import top_ports
from modeloom.product.messages import StreamDescription
from modeloom.protocol.outcome import possible_codes, refusal
from modeloom.version import VERSION

__all__ = ["bench_limit", "bench_verilog", "key_cycles", "message_cases", "message_places", "rules_module"]


# -- bench -----------------------------------------------------------------------------------------------------------------------------

# The places of the fields of commands, statuses and keys of a core for messages, for the templates of Verilog files.

def message_places(d: StreamDescription) -> dict[str, object]:
    """The values for the templates."""
    packings = {group.name: group.packing for group in d.interfaces if group.name in ("s_axis_cmd", "m_axis_status")}
    command, status = packings["s_axis_cmd"], packings["m_axis_status"]
    return {
        **packing_places(d.interfaces, "id", d.named_slots),
        **{f"CODE_{code.name}": int(code) for code in MessageCode},
        "OK": int(MessageCode.OK),
        "NO_KEY": int(MessageCode.NO_KEY),
        "SEALED_TAG": status.verilog("tag"),
        "SEALED_BITS": status.field("tag").bits,
        "SEALED_RANGE": bit_range(status.field("tag").bits),
        "COMMAND_FIRST": command.verilog(d.form.first),
        "COMMAND_CHANNEL": command.verilog("channel"),
        "COMMAND_DECRYPT": command.verilog("decrypt"),
        "COMMAND_TAG_BYTES": command.verilog("tag_bytes"),
        **_keys(d).places,
    }


class _KeysInSlots:
    """What the bench does with keys that are loaded into slots."""

    places: Mapping[str, str] = {}
    # A packet of one beat that lacks a byte is not a key of any size.
    short = f"wrong_key(0, 1, {KEY_BEAT_BYTES}'h{(1 << KEY_BEAT_BYTES - 1) - 1:x}, key_slot[0]);"
    phases: tuple[tuple[str, str], ...] = (("empty", "wrong"),)
    """The phases of the cases with keys."""

    def named(self, text: str) -> str:
        """The bench with the ports of these keys."""
        return text

    def points(self, slots: int) -> list[str]:
        """The points of coverage of slots."""
        return ["first", *["other"] * (slots > 1), "missing"]

    def slot(self, slot: int) -> list[str]:
        """That of a message in a slot."""
        return [f"slot.{'other' if slot else 'first'}"]


class _KeysInOrder(_KeysInSlots):
    """The same for keys that come with messages.  They change once more, and each wrong one takes a place until its message comes."""

    places = {"FLAGS": "1", "OF_KEY": "", "OF_SLOT": "", "NO_SLOT": ""}
    short, phases = "", (("empty", "wrong"), ("statuses", "renewed"))

    def named(self, text: str) -> str:
        return without(text, "s_axis_key_tdest")

    def points(self, slots: int) -> list[str]:
        return []

    def slot(self, slot: int) -> list[str]:
        return []


def _keys(d: StreamDescription) -> _KeysInSlots:
    return _KeysInOrder() if d.inline else _KeysInSlots()


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
        for channel in d.channel_fields.named(message.command.channel).values():
            yield from (f"sent_channel[{at}] = {channel};" for at in range(sent, sent + len(message.beats)))
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
    wires, pins = "\n  wire                   m_axis_tuser;", "\n    .m_axis_tuser(m_axis_tuser),"
    values: dict[str, object] = {
        **dict.fromkeys(("CHANNEL_ARRAYS", "CHANNEL_GIVEN", "CHANNEL_SAME", "MORE_SENT"), ""),
        "REST_WANTED": f"{rest}'b0", "MORE_WIRES": wires, "MORE_PINS": pins,
    }  # fmt: skip
    for channel in d.channel_fields.named(field).values():
        values |= _channel_values(channel, wires, pins)
    return values


def _channel_values(field: str, wires: str, pins: str) -> dict[str, object]:
    """The same with several channels."""
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
    return CADENCE_CHECK.replace("@WAITS@", str(d.waits)) if d.waits else CHECK


def _pace_check(d: StreamDescription) -> str:
    """The check of the distance of messages, if there is one that is stated."""
    if "cycles_per_message" not in d.bench_figures:
        return ""
    return _allowed(MEAN_PACE, d) if d.varies else PACE


def _allowed(text: str, d: StreamDescription) -> str:
    """A text with the cycles by which the distances of all messages of a burst together may vary with a cadence."""
    return text.replace("(PHASE_BURST - FIRST_STEADY)", f"(PHASE_BURST - FIRST_STEADY) + {d.waits}") if d.waits else text


ENDS_OF_PACKETS = {"CUT_WANTED": "wanted_keep[from + at] == {BEAT_BYTES{1'b0}}", "KEYLESS": "", "ALONE_BEAT": ""}
"""How packets out end, unless a layer says more: when the last beat of one is marked, what leaves of a message without a key, and what has
to have come before a lone message is timed."""


def bench_verilog(stack: Stack, d: StreamDescription) -> str:
    """The text of the bench, in SystemVerilog."""
    vectors = bench_vectors(stack.compiled, d)
    places, keys = message_places(d), _keys(d)
    beats = [len(message.beats) for message in vectors.messages]
    longest = max(d.packet_sizes)
    most_beats = -(-longest // KEY_BEAT_BYTES)
    last_keep = (1 << longest - (most_beats - 1) * KEY_BEAT_BYTES) - 1
    given = [len(outcome.beats) for message in vectors.messages for outcome in (message.wanted, message.renewed) if outcome]
    values = {
        **places,
        **stack.bench(ENDS_OF_PACKETS, d, places),
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
        "SHORT_KEY": keys.short,
        "REFUSED": "",
        "BEATS_OF": "key_beats[number]",
        "LAST_OF": "key_last[number]",
        "VECTORS": "\n".join(_assignments(vectors, d, most_beats)),
    }
    return keys.named(filled(__package__ or "", "bench.sv", values))


# -- cases -------------------------------------------------------------------------------------------------------------------------

# The messages of the bench for a test in the user's own flow.
#
#     phase of the bench   empty ┃ burst alone lengths wrong ┃ stalls statuses ┃ renewed
#     the test             before┃ after                     ┃                 ┃ after, if keys come with messages

ENDS = {
    MessageCode.OK: "right", MessageCode.WRONG_TAG: "right", MessageCode.TOO_SHORT: "early", MessageCode.TOO_LONG: "late",
    MessageCode.BAD_KEEP: "keep",
}  # fmt: skip
"""What is said of a packet by its status."""


def _points(d: StreamDescription, message: BenchMessage) -> Iterator[str]:
    """The points of coverage of a message."""
    code, command = MessageCode(message.wanted.code), message.command
    yield f"code.{code.name}"
    if code in ENDS and (code == MessageCode.OK or refusal(d, command) != code):
        yield f"packet.{ENDS[code]}"
    if code in (MessageCode.OK, MessageCode.WRONG_TAG):
        yield f"direction.{('encrypt', 'decrypt', 'second pass')[command.decrypt]}"
        yield from (f"channel.{which}" for which in d.channel_fields.named("other" if command.channel else "first").values())
        yield from _keys(d).slot(command.slot)
        yield f"nonce.{'usual' if command.nonce_bytes == d.nonces[0] else 'other'}"
        yield f"tag.{'usual' if command.tag_bytes == d.tag_bytes[0] else 'other'}"
        yield from _lengths(d, message)
    if code == MessageCode.NO_KEY and d.key_source.lacks(command.slot):
        yield "slot.missing"
    if code == MessageCode.BAD_NONCE_LENGTH:
        yield "nonce.wrong"
    if code == MessageCode.BAD_TAG_LENGTH:
        yield "tag.wrong"
    if code == MessageCode.TOO_LONG_TO_HOLD:
        yield "text.too long to hold"


def _lengths(d: StreamDescription, message: BenchMessage) -> Iterator[str]:
    command, (first, _) = message.command, d.form.ordered(message.command.associated, message.command.text)
    rest = sum(keep.bit_count() for _, keep in message.beats) - first - d.form.tag_bytes(command.decrypt, command.tag_bytes)
    associated, text = d.form.ordered(first, rest)
    yield length_point("associated", associated, d.beat_bytes)
    yield length_point("text", text, d.beat_bytes)
    if command.decrypt and d.held_bytes(command.decrypt, associated, text) in d.held_limits:
        yield "text.held"


def _wanted(d: StreamDescription) -> Mapping[str, Sequence[str]]:
    """The points of a core."""
    possible = possible_codes(d)
    nonces, tags = len(d.nonces) > 1, len(d.tag_bytes) > 1
    lengths = [name for name in POINTS["text"] if name not in ("held", "too long to hold")]
    return {
        "direction": [("encrypt", "decrypt", "second pass")[way] for way in d.ways],
        "slot": _keys(d).points(d.named_slots),
        "associated": lengths, "text": [*lengths, *["held"] * d.held(1), *["too long to hold"] * d.stores],
        "nonce": ["usual", *["other"] * nonces, "wrong"], "tag": ["usual", *["other"] * tags, "wrong"],
        "code": [code.name for code in MessageCode if code in possible],
        "packet": ["right", "early", *["late"] * bool(d.lengths_first), "keep"],
    }  # fmt: skip


def _cases(d: StreamDescription, messages: Sequence[BenchMessage], keys: Iterator[BenchKey]) -> Iterator[Case]:
    for message in messages:
        command, wanted = message.command, message.wanted
        yield Case(
            command.pack(d), message.beats, wanted.beats, wanted.code, wanted.tag, d.channel_fields.of(command.channel),
            next(keys).key if command.new_key else b"", d.form.apart(d.form.ordered(command.associated, command.text)[0]),
            tuple(_points(d, message)),
        )  # fmt: skip


def _after(d: StreamDescription, vectors: BenchVectors) -> Iterator[Case]:
    """Cases with keys."""
    keys = iter(vectors.keys)
    for before, phase in _keys(d).phases:
        yield from _cases(d, vectors.messages[vectors.phases[before] : vectors.phases[phase]], keys)


def message_cases(compiled: CompiledStream, d: StreamDescription) -> Cases:
    """Messages without a key, and then all lengths and each error that a host can make.  Channels take turns, if there are several."""
    vectors = bench_vectors(compiled, d, any_order=True)
    before = _cases(d, vectors.messages[: vectors.phases["empty"]], iter(()))
    return Cases(
        d.key_source.loaded(first_keys(vectors.keys)), [*before], [*_after(d, vectors)], bench_limit(d, vectors), int(MessageCode.BAD_KEEP),
        _wanted(d), channels=d.channel_fields, both=len(d.ways) > 1,
    )  # fmt: skip


# -- rules -----------------------------------------------------------------------------------------------------------------------------

# Assertions for the simulation of an emitted core for messages: the rules of its streams, and its promises.
#
# They are in a module that is there only if a macro is defined.  The module is plain Verilog-2005, so that every simulator takes it.


def _key_wrong(sizes: tuple[int, ...]) -> str:
    """The condition that a beat belongs to no packet of a key of these sizes.

    The beat is behind the longest packet, or it is not whole, or it is the last one where no packet ends.
    """
    width, all_ones = KEY_BEAT_BYTES, (1 << KEY_BEAT_BYTES) - 1
    beats = max(-(-nbytes // width) for nbytes in sizes)
    ends = []
    for nbytes in sizes:
        count = -(-nbytes // width)
        ends.append(f"key_beats == {count} && s_axis_key_tkeep == {width}'h{(1 << nbytes - (count - 1) * width) - 1:x}")
    end = " || ".join(ends)
    return f"s_axis_key_tlast ? !({end}) : key_beats >= {beats} || s_axis_key_tkeep != {width}'h{all_ones:x}"


def rules_module(stack: Stack, d: StreamDescription) -> str:
    """The text of the module with the assertions, with its ``ifdef``."""
    sizes, interfaces = stack.top.sizes, d.interfaces
    ports = PortRules(interfaces, "id", d.named_slots)
    packing = by_member(interfaces, "cmd").packing
    rules = stack.rules(packing)
    values = {
        **ports.values(top_ports(interfaces, d), rules.keep),
        **message_places(d),
        "NAME": d.name,
        "BEAT_BYTES": d.beat_bytes,
        "SLOTS": d.named_slots,
        "IN_FLIGHT": sizes.most_commands,
        "PACKETS": sizes.most_packets,
        "ERASE_CYCLES": d.erase_cycles,
        "PATIENCE": d.message_cycles(0, 0) + key_cycles(d) + rules.waiting * max(d.cycles_of(0, d.beat_bytes), d.cycles_of(1, 0)),
        "KEY_WRONG": _key_wrong(d.packet_sizes),
        "COMMAND_READ": f"{packing.bits}'h{command_read(packing, dict.fromkeys(rules.unread, 0)):0{packing.bits // 4}x}",
        # A core that holds text gives the text of a message only if its tag is correct.
        "GIVES_TEXT": " || ".join(f"code == {int(each)}" for each in rules.text_codes),
        "CUTS_TEXT": " || ".join(f"code == {int(each)}" for each in rules.cut_codes),
        "CODES": ports.codes(MessageCode),
    }
    packets = filled(__package__ or "", rules.template, {**values, **rules.values}).rstrip()
    own = {"RINGS": rules.stored, "RINGED": rules.taken, "PACKET_RULES": packets}
    text = filled(__package__ or "", "rules.v", {**values, **rules.channel_values, **own})
    text = _changed(text, rules.changes)
    for word in rules.dropped:
        text = without(text, word)
    return text


def _changed(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """The text with other words in some places, each of which is there once."""
    for before, after in changes:
        if text.count(before) != 1:
            raise ValueError(f"the rules have {before!r} {text.count(before)} times")
        text = text.replace(before, after)
    return text
