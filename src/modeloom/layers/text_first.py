# SPDX-License-Identifier: Apache-2.0
"""Packets have their text before their associated data."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import Packing
from modeloom.layers.control import aligned_packets
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.protocol.contract import TextFirst
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["TextFirstPackets"]

FORM = TextFirst()

STORED = """
  reg        opens      [0:CHANNELS*PACKETS-1];
  reg [63:0] sound      [0:CHANNELS*PACKETS-1];
  reg [63:0] sound_now = 64'b0;  // bytes of the full beats at the front of the packet on s_axis, and of the beat behind them
  reg        ragged    = 1'b0;   // there has been a beat that is not full
  reg        whole;"""
TAKEN = """
          opens[place(first[c] + commands[c])] = s_axis_cmd_tdata{decrypt};"""
"""What has to be known of a packet that begins with its text, of which the command has the bytes."""

CHANGES = (
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


class TextFirstPackets(Layer):
    """Text, and then associated data."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--order text-first``."""
        return compiled.plan.text_first

    def control(self, p: MessageParameters) -> MessageParameters:
        """A command has the bytes of text."""
        return replace(p, pins=FORM.pins)

    def described(self, d: StreamDescription) -> StreamDescription:
        """The order, and the step between both."""
        return replace(d, order=FORM.order, cycles=replace(d.cycles, tag=d.cycles.tag + self.stack.top.between))

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """The command has the bytes of text."""
        return replace(
            t, faults=("A packet that ends before the end of its text gets TOO_SHORT.", "", *t.faults),
            packets=aligned_packets(
                d, "text", "associated data", "begin with a beat of their own",
                "The command has the number of bytes of text, at the place at which other cores have that of associated data "
                "(`associated_bytes` of the driver in C). If the associated data have a fault, the text has left as a whole, and is to be "
                "discarded.", "",
            ),
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """Text leaves before its packet has ended."""
        return replace(
            r, template="rules_text_first.v", values={**r.values, "LEAVES": "1'b1"}, verified="!opens[place(first[c])]",
            stored=r.stored + STORED, taken=r.taken + TAKEN.format(decrypt=command.verilog("decrypt")), changes=(*r.changes, *CHANGES),
            cut_codes=(*r.cut_codes, MessageCode.TOO_SHORT),
        )  # fmt: skip
