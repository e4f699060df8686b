# SPDX-License-Identifier: Apache-2.0
"""Software expands keys, and the core has no key schedule."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.layers.layer import Layer, Texts
from modeloom.product.messages import StreamDescription
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["ExpandedKeys"]


class ExpandedKeys(Layer):
    """Takes round keys."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--keys expanded``."""
        return compiled.options.keys == "expanded"

    def control(self, p: MessageParameters) -> MessageParameters:
        """Round keys go straight to the cipher."""
        return replace(p, keys=ExpandedKeyParameters.like(p.keys))

    @property
    def schedules(self) -> int:
        """Software has it."""
        return 0

    def described(self, d: StreamDescription) -> StreamDescription:
        """The bytes of a packet."""
        return replace(d, packet_bytes=self.stack.parameters.keys.packet_bytes)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """All round keys."""
        count, (bus, schedule) = self.stack.parameters.keys.round_keys, t.key_boxes
        return replace(
            t, key_boxes=(bus, replace(schedule, detail="round keys come expanded")),
            key_packets=(
                f"**Keys.** The core has no key schedule: software expands a key. A packet on `s_axis_key` has {d.packet_bytes} bytes, 16 "
                f"per beat: the parts of the key in their order, and in the place of the {d.cipher.upper()} key its {count} round keys as "
                "encryption takes them, the first one first. Each part and each round key begins with a beat. What remains of its last "
                "beat is not read. `tkeep` is all ones in every beat. `tdest` of the first beat names the slot. The core computes all else "
                "that depends only on the key.", "",
            ),
        )  # fmt: skip
