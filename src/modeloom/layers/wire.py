# SPDX-License-Identifier: Apache-2.0
"""Packets are as they are on the wire: header, text and tag touch each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import WIRE_CYCLES
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import LISTED_SLOTS, Packing
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.protocol.contract import WireForm
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.wire import OnWire

__all__ = ["WirePackets"]

FORM = WireForm()

STORED = """
  reg        opens      [0:CHANNELS*PACKETS-1];
  reg [7:0]  tag_bytes  [0:CHANNELS*PACKETS-1];"""
TAKEN = """
          opens[place(first[c] + commands[c])] = s_axis_cmd_tdata{decrypt};
          tag_bytes[place(first[c] + commands[c])] = s_axis_cmd_tdata{tag_bytes};"""
"""What has to be known of a message."""


KEYLESS = """
        if (@GIVES@) begin
          while (judged < beats_out && !given_last[judged])
            judged = judged + 1;
          if (judged == beats_out || !given_cut[judged])
            fail("no end of a packet without a key");
          else
            judged = judged + 1;
        end"""
"""What leaves of a message without a key."""


TITLES = {
    "bus_packets": "Packets as they are on the wire: takes them apart, and joins them again",
    "bus_packets_splitter": "Takes the tag off a packet",
    "bus_packets_aligner": "Lets text begin with a beat of its own",
    "bus_packets_order": "The parts of a packet out in their order",
    "bus_packets_joiner": "Joins the parts of a packet",
    "bus_packets_hold": "Holds packets to open until their tag was right",
}


class WirePackets(Layer):
    """Takes packets apart, and joins them again."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--packet wire``."""
        return compiled.options.packet == FORM.name

    def control(self, p: MessageParameters) -> MessageParameters:
        """What takes packets apart and joins them stands around the message control."""
        return replace(p, form=OnWire(), pins=FORM.pins)

    @property
    def latency(self) -> int:
        """Of a message of one beat, which waits for its tag."""
        p, top = self.stack.parameters, self.stack.top
        # The splitter keeps the beat for a cycle.  The start, and the lookup of the slot in a memory, which many slots need, begin with the
        # command meanwhile.  Without a hash the beat does not wait for the tag behind it.
        added = max(1, top.lead + (p.keys.slots > LISTED_SLOTS)) - 1 - (p.window == 1)
        tag = p.program("tag")
        before = max(p.entry_cycles(*p.first_tokens, way, "tag") for way in self.compiled.options.directions) - tag.cycles
        # What is opened ends with this beat.  A tag that follows counts from the text, and others from a token behind it.
        last = before + tag.tokens[-1][0] if tag.tokens else top.begin_cycles
        return last + p.tag_stage + WIRE_CYCLES + (not p.encrypt) + added

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of its parts, too."""
        return {**self.inside.titles(), **{name: [title] for name, title in TITLES.items()}}

    def described(self, d: StreamDescription) -> StreamDescription:
        """The form of packets."""
        return replace(d, packet=FORM.name)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """Header, text, tag."""
        return replace(
            t, counted="header and text",
            too_long=(
                "A message to open with more header and text than the core can hold is refused with TOO_LONG_TO_HOLD, and gives no packet."
            ),
            packets=(
                f"A message is one packet on `s_axis`, {d.beat_bytes} bytes per beat: the header, which is the associated data, the text, "
                "and the tag of a message to open. They touch each other at any byte. `tkeep` is all ones but in the last beat, where "
                "`tlast` is high. A packet without bytes is one beat with `tkeep` 0. The command states the bytes of the header and of the "
                "tag; its field `tag` is not read.", "",
                "A packet comes out on `m_axis` for each command, in the same form: the header unchanged, the other text, and the tag of a "
                "sealed message. `tuser` is 1 in its last beat if the message failed, and 0 otherwise. Such a packet may end early; it has "
                "no tag.", "",
            ),
            held_packets=(
                "The packet of a message to open leaves only if its tag is right. Otherwise there is no packet. Its header and text have "
                "at most {} bytes together.", "",
            ),
            tags=(
                "The tag of a sealed message is in the packet out, and in the status. To open, send the packet with its tag; the status "
                "and `tuser` say whether it is right. Of a refused message its header at most leaves, with `tuser` 1:"
            ),
            beat_notes=(*t.beat_notes, "It has one beat of text, which leaves when it is known whether the tag, or nothing, follows."),
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """Headers leave as they came.  A packet may have no bytes, and there is one channel."""
        return replace(
            r, template="rules_wire.v", values={**r.values, "LEAVES": "1'b1"},
            # What is opened and failed never leaves a core that holds packets.
            verified=f"code == {int(MessageCode.OK)} || !opens[place(first[c])]", stored=r.stored + STORED,
            taken=r.taken + TAKEN.format(decrypt=command.verilog("decrypt"), tag_bytes=command.verilog("tag_bytes")),
            unread=(*r.unread, "tag"),
            keep=(
                *r.keep[:2],
                "  if (m_axis_tlast ? !counts(m_axis_tkeep) && (|m_axis_tkeep || length_out[0] != 64'b0) : !(&m_axis_tkeep))", r.keep[3],
            ),
        )  # fmt: skip

    def bench(self, words: Mapping[str, str], d: StreamDescription, places: Mapping[str, object]) -> Mapping[str, str]:
        """The packet of a message that failed is marked, and has at least a beat, whatever failed."""
        gives = f"!command[statuses]{places['COMMAND_DECRYPT']}" if d.held(1) else "1'b1"
        return {
            **words, "CUT_WANTED": f"at == to - from - 1 && m_axis_status_tdata{places['STATUS_CODE']} != OK",
            "KEYLESS": KEYLESS.replace("@GIVES@", gives), "ALONE_BEAT": " && judged == beats_out",
        }  # fmt: skip
