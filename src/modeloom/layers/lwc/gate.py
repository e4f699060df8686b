# SPDX-License-Identifier: Apache-2.0
"""The place where words become public: instructions and headers pass, and data do not.

::

    word ──────┐
    is public ─┴──▶ & ──▶ header, or zero

PDI and SDI carry secrets and headers over the same wires.  Whether the next word is a header follows from the headers before it, and never
from data.  So all that control knows of a word comes through this gate, which is closed while the words are data.  The check for timing
channels takes its output as public, and asks that no other way leads from words to control.
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.layers.lwc.parameters import HEADER, LwcParameters

__all__ = ["HeaderGate"]


class HeaderGate(wiring.Component):
    """Passes the header of a word on if the word is public.

    Members
    -------
    word : In(word_bits)
    public : In(1)
        The word is an instruction or a header, if it is one at all.
    header : Out(HEADER)
        Zero for other words.
    """

    def __init__(self, parameters: LwcParameters):
        self.parameters = parameters
        super().__init__({"word": In(parameters.word_bits), "public": In(1), "header": Out(HEADER)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        top = self.parameters.header(self.word)
        m.d.comb += self.header.as_value().eq(top & self.public.replicate(len(top)))
        return m
