# SPDX-License-Identifier: Apache-2.0
"""The interface of the hardware API of lightweight cryptography: words of PDI, SDI and DO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.compiler.streams import CompiledStream
from modeloom.interfaces import Interface
from modeloom.interfaces.lwc import lwc_core
from modeloom.interfaces.table import CoreShape
from modeloom.layers.layer import Layer, Texts, titles_around
from modeloom.layers.lwc.parameters import LwcParameters, Segments
from modeloom.layers.lwc.parser import KeyLoader, SegmentParser, SegmentWriter, word_layout
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Box
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.spec import InputError

__all__ = ["LwcBus", "LwcInterface"]


# The LWC interface of a core: the parts around the message control.
#
#     pdi ──▶ SegmentParser ──cmd, s, late──▶ MessageBus ──m, status──▶ SegmentWriter ──▶ do
#                 │   └───────────────records──────────────────────────────▲
#                 └activate──▶ KeyLoader ──key──▶ MessageBus
#     sdi ────────────────────────▲

class LwcBus(wiring.Component):
    """The buses of a core with this interface, with its pipeline.

    A message is refused if its slot is loaded while the message waits.  This does not happen.  The two slots take turns, so another key is
    loaded between two keys of a slot.  A load ends with tokens that overwrite the state, and these enter only when no token of a message
    waits.  So all messages that came before the other key have entered the pipeline.

    Parameters
    ----------
    parameters : LwcParameters
    inside : MessageBus
        The message control, with its pipeline.

    Members
    -------
    pdi, sdi, do : streams of words
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: LwcParameters, inside: wiring.Component):
        self.parameters = parameters
        self.inside: Any = inside
        word = parameters.word_bits
        super().__init__({
            "pdi": In(stream.Signature(word)), "sdi": In(stream.Signature(word)), "do": Out(stream.Signature(word_layout(parameters))),
            "erase": In(1), "erase_address": In(parameters.messages.erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.parser = parser = SegmentParser(p)
        m.submodules.loader = loader = KeyLoader(p)
        m.submodules.writer = writer = SegmentWriter(p)
        m.submodules.messages = messages = self.inside
        for source, target in (
            (wiring.flipped(self.pdi), parser.pdi), (wiring.flipped(self.sdi), loader.sdi), (parser.cmd, messages.cmd),
            (parser.s, messages.s), (parser.late, messages.late), (parser.records, writer.records), (loader.key, messages.key),
            (messages.m, writer.text), (messages.status, writer.status), (writer.do, wiring.flipped(self.do)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        m.d.comb += [
            writer.last_enters.eq(messages.last_enters), writer.has_text.eq(messages.has_text),
            *(getattr(writer, name).eq(getattr(messages, name)) for name in p.messages.delivery.judged),
            loader.activate.eq(parser.activate), loader.busy.eq(messages.key_state.busy),
            parser.slot.eq(loader.slot), parser.key_ready.eq(loader.idle),
            *(part.erase.eq(self.erase) for part in (writer, messages)),
            *(part.erase_address.eq(self.erase_address) for part in (writer, messages)),
        ]  # fmt: skip
        return m


# -- layer -------------------------------------------------------------------------------------------------------------------------

TITLES = {
    "bus": "The LWC interface around the message control",
    "bus_parser": "Instructions and segments of PDI: commands, beats and tags",
    "bus_parser_gate": "Passes a word on if it is an instruction or a header",
    "bus_parser_expected": "Which segments may come",
    "bus_parser_assembler": "Words of associated data and text become beats",
    "bus_loader": "Keys of SDI, which go into two slots by turns",
    "bus_loader_gate": "Passes a word on if it is an instruction or a header",
    "bus_writer": "Segments and statuses on DO",
    "bus_messages": "The message control around the pipeline",
}


@dataclass(frozen=True)
class WordShape:
    """The figures on which the widths of ports depend: bytes of a word; there are no slots to name."""

    beat_bytes: int
    key_slots: int = 1


class LwcInterface(Layer):
    """Segments around the message control."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--interface lwc``."""
        return compiled.options.interface == "lwc"

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    def control(self, p: MessageParameters) -> MessageParameters:
        """Beats are made of segments."""
        return replace(p, form=Segments())

    @cached_property
    def words(self) -> LwcParameters:
        """The sizes of the interface.  Raises ``InputError`` if it does not fit the mode."""
        messages = self.stack.parameters
        try:
            return LwcParameters(messages=messages, word_bits=self.compiled.options.interface_bits or 0)
        except ValueError as error:
            raise InputError(f"{self.compiled.mode.name}: the LWC interface does not fit this mode: {error}") from error

    @property
    def shape(self) -> CoreShape:
        """Those of words."""
        return WordShape(self.words.word_bytes)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """PDI, SDI, DO and the erasure."""
        return lwc_core(self.words.word_bits)

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The interface around the message control."""
        return LwcBus(self.words, self.inside.bus(pipeline, schedules))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the interface."""
        return titles_around(self.inside.titles(), TITLES)

    @property
    def quiet(self) -> Sequence[str]:
        """Those of words."""
        return ("pdi.ready", "sdi.ready", "do.valid", "do.payload")

    @property
    def verdicts(self) -> tuple[str, str]:
        """Those of the statuses on DO."""
        return ("SUCCESS", "FAILURE")

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """PDI, SDI and DO in the diagram.  ``cores.lwc`` has the sentences."""
        pdi, do = Box("bus", "pdi", "segments"), Box("bus", "do", "segments")
        held = [box for box in t.text_boxes if box.kind == "storage"]
        return replace(
            t, built=(
                f"LWC interface with words of {self.words.word_bits} bits; cycles are those of the core behind it.",
                "Keys come over SDI, and an instruction on PDI activates each of them. Two slots alternate.",
            ),
            key_count="", data_boxes=(pdi, Box("control", "assembler", "words to blocks")),
            command_boxes=(
                replace(pdi, detail="instructions, segments"), Box("control", "parser", "commands", "instructions and headers of segments"),
            ),
            key_boxes=(Box("bus", "sdi", "keys"), Box("control", "loader, key schedule", "two slots by turns")),
            text_boxes=(*held, Box("control", "writer", "blocks to words"), do),
            status_boxes=(Box("control", "writer", "tags, statuses"), do),
        )  # fmt: skip
