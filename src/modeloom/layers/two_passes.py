# SPDX-License-Identifier: Apache-2.0
"""A host sends each message to seal twice: for its tag, and for its text."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.interfaces.table import Packing
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.product.messages import StreamDescription

__all__ = ["TwoPasses"]

STORED = """
  reg        silent     [0:CHANNELS*PACKETS-1];"""
TAKEN = """
          silent[place(first[c] + commands[c])] = s_axis_cmd_tdata{decrypt} == 2'd0;"""
"""Whether a message is a first pass, which has no text out."""


class TwoPasses(Layer):
    """Commands say which pass a packet is for."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes with two passes, if the core does not store messages."""
        return compiled.mode.two_passes and compiled.options.message_buffer is None

    def described(self, d: StreamDescription) -> StreamDescription:
        """A second pass of few blocks may leave a place between its last block and its tag."""
        return d if d.unused is None else replace(d, unused=replace(d.unused, second=self.stack.inmost.place * ("encrypt" in d.directions)))

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """How a host seals."""
        passes = (
            "**Two passes.** A message to seal goes through the core twice, with the same nonce, associated data and plaintext. The first "
            "pass is a command with `decrypt` 0 and a packet: no text comes out, and the status has the tag. The second pass has `decrypt` "
            "2 and this tag in its command: the ciphertext comes out. Other messages may come between the passes, so that no cycle is "
            "lost.", "",
            "The core computes the tag in the second pass, too, and compares it. WRONG_TAG says that the passes were not those of one "
            f"message. {t.wrong_pass}", "",
        )  # fmt: skip
        return replace(
            t, compared="a message to open, or of a second pass,", sealing=passes if "encrypt" in d.directions else (),
            tags=(
                "To open, put the tag into the command with `decrypt` 1; the status says whether it is right. A refused message gives a "
                "status and no text:"
            ),
            nonces=(
                "**Use a nonce for one message.** The core does not look for it. Messages that are equal, with the same nonce, are sealed "
                "to the same; this is all that a nonce that is used a few times reveals."
            ),
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """First passes have no text out."""
        return replace(
            r, values={**r.values, "HAS_TEXT": "!silent[place(first[c])] && "}, stored=r.stored + STORED,
            taken=r.taken + TAKEN.format(decrypt=command.verilog("decrypt")),
        )  # fmt: skip
