# SPDX-License-Identifier: Apache-2.0
"""The LWC interface of a core: the parts around the message control.

::

    pdi ──▶ SegmentParser ──cmd, s, late──▶ MessageBus ──m, status──▶ SegmentWriter ──▶ do
                │   └───────────────records──────────────────────────────▲
                └activate──▶ KeyLoader ──key──▶ MessageBus
    sdi ────────────────────────▲
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.layers.lwc.loader import KeyLoader
from modeloom.layers.lwc.parameters import LwcParameters
from modeloom.layers.lwc.parser import SegmentParser
from modeloom.layers.lwc.writer import SegmentWriter, word_layout

__all__ = ["LwcBus"]


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
