# SPDX-License-Identifier: Apache-2.0
"""Text of messages to open leaves only after their tags were found correct."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import HOLD_CYCLES
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import Packing
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Box
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["Hold"]


class Hold(Layer):
    """Holds text until its tag was checked."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--hold``."""
        return compiled.options.hold is not None

    def control(self, p: MessageParameters) -> MessageParameters:
        """A buffer behind the text."""
        return replace(p, hold=self.compiled.options.hold)

    @property
    def latency(self) -> int:
        """Also of messages that are not held."""
        return self.inside.latency + HOLD_CYCLES

    def described(self, d: StreamDescription) -> StreamDescription:
        """The bytes of the buffer."""
        return replace(d, hold=self.compiled.options.hold)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """Nothing leaves unverified."""
        return replace(
            t, protection=f" Text of {{whose}} leaves the core only after its tag was found correct, up to {d.hold} bytes{{what}}.",
            protection_item=[f"- Nothing of a message leaves before its tag was found correct. {t.too_long}"],
            wrong_pass="No text of such a pass leaves.", alone="a sealed message",
            packets=(*t.packets, *(line.format(d.hold) for line in t.held_packets)),
            held_rows=([f"maximum {t.counted} of a message to open", d.hold, "bytes"],),
            text_boxes=(Box("storage", "hold", f"{d.hold} bytes", "text waits here until its tag was checked"), *t.text_boxes),
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """Text leaves with right tags alone."""
        return replace(r, text_codes=(MessageCode.OK,), values={**r.values, "LEAVES": r.verified})
