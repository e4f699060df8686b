# SPDX-License-Identifier: Apache-2.0
"""Packets of several messages may interleave."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import CHAINED_CYCLES, CHANNEL_CYCLES
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.interfaces.table import Packing, by_member
from modeloom.layers.layer import Layer
from modeloom.layers.texts import Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["Channels"]


FOREIGN = """
          // A command of a channel that the core does not have has no packet.
          if (c >= {}) begin
            lengths[place(first[c] + packets_in[c])] = 64'b0;
            packets_in[c] = packets_in[c] + 1;
            all_packets = all_packets + 1;
          end"""


class Channels(Layer):
    """The pipeline has a context for each channel."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--channels``."""
        return compiled.options.channels > 1

    def control(self, p: MessageParameters) -> MessageParameters:
        """Contexts."""
        return replace(p, channels=self.compiled.options.channels)

    @property
    def latency(self) -> int:
        """Tokens wait in the places of their channels."""
        return self.inside.latency + (CHAINED_CYCLES if self.compiled.plan.chained else CHANNEL_CYCLES)

    def described(self, d: StreamDescription) -> StreamDescription:
        """Their number."""
        return replace(d, channels=self.compiled.options.channels)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """How packets interleave."""
        about = (
            f"The beats of up to {d.channels} packets, of a channel each, may interleave in any order. `tid` names the channel of a "
            "beat on `s_axis` and `m_axis`. The packets and statuses of a channel are in the order of its commands. The core takes "
            "four commands of each channel before the packet of the first of them has ended. A fifth one waits, and all commands "
            "behind it wait, too."
        )
        others = (
            f"A command of channel {d.channels} or above gets NO_CHANNEL at once. It has no packet, and beats of such channels are "
            "dropped."
        )
        return replace(
            t, packets=(*t.packets, about, *[others] * (d.channels < MOST_CHANNELS), ""), zero_fields=(),
            channel=f"channel, 0 to {d.channels - 1}", state_note=f", {d.channels} channels",
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """Commands of channels that the core does not have get a status, too."""
        count, status = self.compiled.options.channels, by_member(self.interfaces, "status").packing
        foreign = {"OWN_BEAT": f" && s_axis_tid < {count}", "FOREIGN_COMMAND": FOREIGN.format(count)} if count < MOST_CHANNELS else {}
        places = {
            "TIDS": MOST_CHANNELS, "CHANNEL_IN": "s_axis_tid", "CHANNEL_OUT": "m_axis_tid",
            "CHANNEL_OF_COMMAND": f"s_axis_cmd_tdata{command.verilog('channel')}",
            "CHANNEL_OF_STATUS": f"m_axis_status_tdata{status.verilog('channel')}",
        }  # fmt: skip
        return replace(r, waiting=self.stack.parameters.message_store, channel_values={**r.channel_values, **places, **foreign})
