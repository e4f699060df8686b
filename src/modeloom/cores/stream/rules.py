# SPDX-License-Identifier: Apache-2.0
"""Assertions for the simulation of an emitted core for messages: the rules of its streams, and its promises.

They are in a module that is there only if a macro is defined.  The module is plain Verilog-2005, so that every simulator takes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.packing import command_read
from modeloom.cores.port_rules import PortRules
from modeloom.cores.stream.bench import key_cycles
from modeloom.cores.stream.buffered import buffered_parameters
from modeloom.cores.stream.derived import derived_parameters
from modeloom.cores.stream.hardware import bus_parameters
from modeloom.cores.stream.packing import message_places
from modeloom.cores.template import filled, without
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.messages import StreamDescription
from modeloom.product.ports import top_ports

__all__ = ["rules_module"]

KEEP = (
    "  if (m_axis_tuser && !m_axis_tlast)",
    '    broken("m_axis_tuser is high before the last beat");',
    "  if (m_axis_tuser ? |m_axis_tkeep : m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))",
    '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
)
"""The rule for ``tkeep`` of the text."""

WIRE_KEEP = (
    "  if (m_axis_tuser && !m_axis_tlast)",
    '    broken("m_axis_tuser is high before the last beat");',
    "  if (m_axis_tlast ? !counts(m_axis_tkeep) && (|m_axis_tkeep || length_out[0] != 64'b0) : !(&m_axis_tkeep))",
    '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
)
"""The same of packets on the wire, which have one channel."""

RINGS = """
  reg        opens      [0:CHANNELS*PACKETS-1];
  reg [7:0]  tag_bytes  [0:CHANNELS*PACKETS-1];"""
RINGED = """
          opens[place(first[c] + commands[c])] = s_axis_cmd_tdata@COMMAND_DECRYPT@;
          tag_bytes[place(first[c] + commands[c])] = s_axis_cmd_tdata@COMMAND_TAG_BYTES@;"""
"""What has to be known of a message in wire form."""

SILENT = """
  reg        silent     [0:CHANNELS*PACKETS-1];"""
SILENCED = """
          silent[place(first[c] + commands[c])] = s_axis_cmd_tdata@COMMAND_DECRYPT@ == 2'd0;"""
"""Whether a message is a first pass, which has no text out."""


SOUND = """
  reg        opens      [0:CHANNELS*PACKETS-1];
  reg [63:0] sound      [0:CHANNELS*PACKETS-1];
  reg [63:0] sound_now = 64'b0;  // bytes of the full beats at the front of the packet on s_axis, and of the beat behind them
  reg        ragged    = 1'b0;   // there has been a beat that is not full
  reg        whole;"""
"""What has to be known of a packet that begins with its text, of which the command has the bytes."""

TEXT_FIRST = (
    ("  reg [63:0] associated [", "  reg [63:0] announced  ["),
    ("          associated[place(", "          announced[place("),
    ("        length[c] = length[c] + ones(s_axis_tkeep);\n", """\
        length[c] = length[c] + ones(s_axis_tkeep);
        if (!ragged)
          sound_now = sound_now + (counts(s_axis_tkeep) ? ones(s_axis_tkeep) : 64'b0);
        ragged = ragged || !(&s_axis_tkeep);
"""),
    ("            lengths[place(first[c] + packets_in[c])] = length[c];\n", """\
            lengths[place(first[c] + packets_in[c])] = length[c];
            sound[place(first[c] + packets_in[c])] = sound_now;
"""),
    ("          length[c] = 64'b0;\n        end\n      end\n\n  ", """\
          length[c] = 64'b0;
          sound_now = 64'b0;
          ragged = 1'b0;
        end
      end

  """),
    ("    begin\n      all_commands = 0;\n", "    begin\n      sound_now = 64'b0;\n      ragged = 1'b0;\n      all_commands = 0;\n"),
)  # fmt: skip
"""What differs in the rules of such a core."""


def _packet_rules(d: StreamDescription, values: dict[str, object]) -> dict[str, object]:
    """What is told of packets out with their statuses."""
    if d.two_passes:
        silenced = SILENCED.replace("@COMMAND_DECRYPT@", str(values["COMMAND_DECRYPT"]))
        text = filled(__package__ or "", "rules_aligned.v", {**values, "HAS_TEXT": "!silent[place(first[c])] && "}).rstrip()
        return {"RINGS": SILENT, "RINGED": silenced, "PACKET_RULES": text}
    if d.text_first:
        opens = RINGED.split("\n")[1].replace("@COMMAND_DECRYPT@", str(values["COMMAND_DECRYPT"]))
        leaves = "1'b1" if d.hold is None else "!opens[place(first[c])]"
        text = filled(__package__ or "", "rules_text_first.v", {**values, "LEAVES": leaves}).rstrip()
        return {"RINGS": SOUND, "RINGED": f"\n{opens}", "PACKET_RULES": text}
    if not d.wire:
        values = {**values, "HAS_TEXT": ""}
        return {"RINGS": "", "RINGED": "", "PACKET_RULES": filled(__package__ or "", "rules_aligned.v", values).rstrip()}
    ringed = RINGED
    for name in ("COMMAND_DECRYPT", "COMMAND_TAG_BYTES"):
        ringed = ringed.replace(f"@{name}@", str(values[name]))
    # What is opened and failed never leaves a core that holds packets.
    leaves = f"code == {int(MessageCode.OK)} || !opens[place(first[c])]" if d.hold is not None else "1'b1"
    return {
        "RINGS": RINGS, "RINGED": ringed, "PACKET_RULES": filled(__package__ or "", "rules_wire.v", {**values, "LEAVES": leaves}).rstrip(),
    }


TIDS = 256
"""Values of ``tid``.  Commands of channels that a core does not have get a status too."""

FOREIGN = """
          // A command of a channel that the core does not have has no packet.
          if (c >= @CHANNELS@) begin
            lengths[place(first[c] + packets_in[c])] = 64'b0;
            packets_in[c] = packets_in[c] + 1;
            all_packets = all_packets + 1;
          end"""


def _channels(d: StreamDescription, values: dict[str, object]) -> dict[str, object]:
    """Where beats, commands and statuses tell of their channel.  In a core with one channel it is channel 0."""
    places = {"IN": "s_axis_tid", "OUT": "m_axis_tid"}
    foreign = {"OWN_BEAT": "", "FOREIGN_COMMAND": ""}
    if d.channels == 1:
        return {"TIDS": 1, **foreign, **{f"CHANNEL_{of}": "0" for of in (*places, "OF_COMMAND", "OF_STATUS")}}
    places |= {"OF_COMMAND": f"s_axis_cmd_tdata{values['COMMAND_CHANNEL']}", "OF_STATUS": f"m_axis_status_tdata{values['STATUS_REST']}"}
    if d.channels < TIDS:
        foreign = {"OWN_BEAT": f" && s_axis_tid < {d.channels}", "FOREIGN_COMMAND": FOREIGN.replace("@CHANNELS@", str(d.channels))}
    return {"TIDS": TIDS, **foreign, **{f"CHANNEL_{of}": place for of, place in places.items()}}


SLOT_RULE = """\
          if ({24'b0, key_slot} >= SLOTS)
            refused("s_axis_key_tdest is not a key slot");
"""

SLOT_STAYS = """\
        end else if (s_axis_key_tdest != key_slot || s_axis_key_tuser != key_erases)
          broken("s_axis_key_tdest or s_axis_key_tuser changed in a packet");
"""

LAST_BEAT = """\
        if (s_axis_key_tlast)
          key_beats = 0;
"""

LAST_BEAT_COUNTS = """\
        if (s_axis_key_tlast) begin
          key_beats = 0;
          if (!key_erases)
            keys = keys + 1;
        end
"""

BEATS = "  integer key_beats = 0; "

COMMANDS = "          commands[c] = commands[c] + 1;\n"

TUSER_STAYS = """\
        end else if (s_axis_key_tuser != key_erases)
          broken("s_axis_key_tuser changed in a packet");
"""


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


def rules_module(compiled: CompiledStream, d: StreamDescription) -> str:
    """The text of the module with the assertions, with its ``ifdef``."""
    p = bus_parameters(compiled)
    interfaces = d.interfaces
    rules = PortRules(interfaces, "id", d.named_slots)
    packing = next(group.packing for group in interfaces if group.name == "s_axis_cmd")
    whole = (
        buffered_parameters(compiled) if d.message_buffer is not None else p if compiled.derived is None else derived_parameters(compiled)
    )
    waiting = p.token_depth if d.channels == 1 else p.message_store
    values = {
        **rules.values(top_ports(interfaces, d), WIRE_KEEP if d.wire else KEEP),
        **message_places(d.block_bytes, d.named_slots, d.inline, d.channels, bool(d.lengths_first), 1 + d.two_passes, d.text_first),
        "NAME": d.name,
        "BEAT_BYTES": d.beat_bytes,
        "SLOTS": d.named_slots,
        "IN_FLIGHT": whole.most_commands,
        "PACKETS": whole.most_packets,
        "ERASE_CYCLES": d.erase_cycles,
        "PATIENCE": d.message_cycles(0, 0) + key_cycles(d) + waiting * max(d.cycles_of(0, d.beat_bytes), d.cycles_of(1, 0)),
        "KEY_WRONG": _key_wrong(d.packet_sizes),
        "COMMAND_READ": f"{packing.bits}'h{command_read(packing, {'tag': 0} if d.wire else {}):0{packing.bits // 4}x}",
        # A core that holds text gives the text of a message only if its tag is correct.
        "GIVES_TEXT": " || ".join(f"code == {int(each)}" for each in (MessageCode.OK, MessageCode.WRONG_TAG)[: 1 if d.hold else 2]),
        # A text may be too short if its command says how long it is.
        "CUTS_TEXT": " || ".join(
            f"code == {int(each)}"
            for each in (MessageCode.BAD_KEEP, MessageCode.TOO_LONG, *([MessageCode.TOO_SHORT] if d.states_text else []))
        ),
        "CODES": rules.codes(MessageCode),
    }
    text = filled(__package__ or "", "rules.v", {**values, **_channels(d, values), **_packet_rules(d, values)})
    text = _changed(text, TEXT_FIRST) if d.text_first else text
    return _in_order(text, packing.verilog("new_key")) if d.inline else text


def _changed(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """The text with other words in some places, each of which is there once."""
    for before, after in changes:
        if text.count(before) != 1:
            raise ValueError(f"the rules have {before!r} {text.count(before)} times")
        text = text.replace(before, after)
    return text


def _in_order(text: str, new_key: str) -> str:
    """The rules of a core whose keys come with the messages: there are no slots, and a command waits for its key."""
    text = _changed(text, (
        (SLOT_RULE, ""), (SLOT_STAYS, TUSER_STAYS), (LAST_BEAT, LAST_BEAT_COUNTS),
        (BEATS, f"  integer keys = 0;           // taken, less the commands that bring one\n{BEATS}"),
        (COMMANDS, f"{COMMANDS}          if (s_axis_cmd_tdata{new_key})\n            keys = keys - 1;\n"),
        ("      if (!quiet || all_commands == 0 || ", "      if (!quiet || keys < 0 || all_commands == 0 || "),
        ("        key_beats = 0;\n        forget;\n", "        key_beats = 0;\n        keys = 0;\n        forget;\n"),
    ))
    return without(text, "s_axis_key_tdest")
