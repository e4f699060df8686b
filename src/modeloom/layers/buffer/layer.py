# SPDX-License-Identifier: Apache-2.0
"""Stores messages to seal, and works on each twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from amaranth.lib import wiring

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import BUFFER_SLACK
from modeloom.layers.buffer.buffer import BufferedBus, BufferedParameters
from modeloom.layers.layer import Layer, titles_around
from modeloom.layers.texts import Texts
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Box
from modeloom.rtl.stream.pipeline import TokenPipeline

__all__ = ["MessageStore"]

TITLES = {
    "bus": "The part that stores messages to seal, in front of the core",
    "bus_buffer": "Stores messages to seal, and sends each through both passes",
    "bus_buffer_feeder": "The memory of messages, and the beats of each pass",
    "bus_core": "The core behind it",
}


class MessageStore(Layer):
    """A memory of messages in front of the core."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--message-buffer``."""
        return compiled.options.message_buffer is not None

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> BufferedParameters:
        """The memory, and the core behind it."""
        nbytes = cast(int, self.compiled.options.message_buffer)
        return BufferedParameters(messages=self.stack.parameters, core=self.inside.sizes, nbytes=nbytes)

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The memory and the core behind it."""
        return BufferedBus(self.sizes, self.inside.bus(pipeline, schedules))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the memory."""
        return titles_around(self.inside.titles(), TITLES, "core")

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """The first pass up to its tag, and the second one up to its text."""
        p = self.stack.parameters
        first = p.entry_cycles(*p.first_tokens, "absorb", "tag") + p.window + p.tag_stage
        return 2 * self.inside.latency - p.text_stage + first + BUFFER_SLACK

    @property
    def varies(self) -> bool:
        """A pass waits for those of other messages."""
        return True

    def described(self, d: StreamDescription) -> StreamDescription:
        """The bytes of the longest message."""
        return replace(d, message_buffer=self.compiled.options.message_buffer)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """What the core does with a message."""
        shape, stored = d.bench_shape, f"{d.buffered_bytes} bytes"
        cycles = d.sealed_cycles(shape.associated, shape.text)
        return replace(
            t, built=(
                f"The core stores messages to seal up to {stored}, so that they come once, and works on each twice.", *t.built,
            ),
            key_figure=f"messages to seal are stored, up to {stored}; {t.key_figure}",
            sealing=(
                "**Messages to seal** are stored, and the core works on each twice: the first pass computes the tag, and the second one "
                f"encrypts under it. A packet to seal has at most {d.buffered_beats} beats ({stored}). A longer one gets TOO_LONG_TO_HOLD, "
                "whatever else is wrong with it, and gives no text. The ciphertext comes when the whole packet has come, and its tag is "
                "known. Messages to open are not stored. One waits until the second passes of the messages before it have begun.", "",
                "A block takes two tokens, one in each pass, and so two cycles in the steady state. The text of a message stays in the "
                "memory until other messages overwrite it, or until `zeroize`.", "",
            ),
            message_rows=(
                ["maximum average interval between messages of these lengths to seal", cycles, "cycles"],
                ["longest message to seal", d.buffered_bytes, "bytes"],
            ),
            latency_notes=(
                *t.latency_notes, "It is that of a message to seal: of its first pass up to the tag, and of its second pass.",
            ),
            data_boxes=(*t.data_boxes, Box("storage", "message store", stored, "messages to seal, which the core works on twice")),
        )  # fmt: skip
