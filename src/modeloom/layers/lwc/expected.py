# SPDX-License-Identifier: Apache-2.0
"""The order of the segments of a message, and the lengths that they may have.

::

    START ──length──▶ LENGTHS ──Npub──▶ NONCE ──AD──▶ ASSOCIATED ──text──▶ TEXT ──tag──▶ TAG
      └─────────── Npub, if the mode needs no lengths ──┘ │      └ EOT ──────┘ └ EOT, to open ┘
                                                          └──── text ────▶

A type of segments ends with EOT.  Segments before that have whole words, and those of text at least a block.  Associated data may be left
out.  Last stands in the last segment of text of a message to seal, and in
the tag of a message to open.
"""

from __future__ import annotations

from enum import IntEnum

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import LENGTH_SEGMENT_BYTES, Segment
from modeloom.layers.lwc.parameters import HEADER, LwcParameters

__all__ = ["ExpectedSegment", "Phase"]


class Phase(IntEnum):
    """What has come of a message.  A number is also the kind of a segment; START is that of one which is skipped."""

    START = 0
    LENGTHS = 1
    NONCE = 2
    ASSOCIATED = 3
    """Associated data, and more are to come."""
    ASSOCIATED_ENDED = 4
    TEXT = 5
    """Text, and more is to come."""
    TEXT_ENDED = 6
    TAG = 7


class ExpectedSegment(wiring.Component):
    """Judges a header, without a cycle of its own.

    Members
    -------
    header : In(HEADER)
    phase, decrypt : In(Phase), In(1)
        What has come before, and the direction.
    right : Out(1)
        The segment may come here.
    kind, next_phase : Out(Phase), Out(Phase)
        The kind of the segment, and what has come after it.
    """

    def __init__(self, parameters: LwcParameters):
        self.parameters = parameters
        super().__init__({
            "header": In(HEADER), "phase": In(Phase), "decrypt": In(1), "right": Out(1), "kind": Out(Phase), "next_phase": Out(Phase),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, header, phase = self.parameters, self.header, self.phase
        length, eot = header.length, header.eot
        begin = Phase.LENGTHS if p.messages.lengths_first else Phase.START
        last = Signal()
        # No part of a word is followed by more of the same type.
        whole = Signal()
        # As many segments of text as there are blocks wait for their text, and no more.
        long = Signal()
        m.d.comb += [whole.eq(eot | (length[: p.offset_bits] == 0)), self.next_phase.eq(self.kind)]
        text = Mux(self.decrypt, Segment.CIPHERTEXT, Segment.PLAINTEXT)
        with m.If(header.type == text):
            open_phases = (phase == Phase.NONCE) | (phase == Phase.ASSOCIATED_ENDED) | (phase == Phase.TEXT)
            m.d.comb += [
                self.kind.eq(Phase.TEXT), self.next_phase.eq(Mux(eot, Phase.TEXT_ENDED, Phase.TEXT)),
                last.eq(eot & ~self.decrypt), long.eq(eot | (length >= p.messages.block_bytes)),
                self.right.eq(open_phases & whole & long & (header.last == last)),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.AD):
            m.d.comb += [
                self.kind.eq(Phase.ASSOCIATED), self.next_phase.eq(Mux(eot, Phase.ASSOCIATED_ENDED, Phase.ASSOCIATED)),
                self.right.eq(((phase == Phase.NONCE) | (phase == Phase.ASSOCIATED)) & whole & ~header.last),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.NPUB):
            m.d.comb += [
                self.kind.eq(Phase.NONCE),
                self.right.eq((phase == begin) & eot & ~header.last & length.any() & (length <= p.messages.block_bytes)),
            ]  # fmt: skip
        with m.Elif(header.type == Segment.TAG):
            m.d.comb += [
                self.kind.eq(Phase.TAG),
                self.right.eq((phase == Phase.TEXT_ENDED) & self.decrypt & eot & header.last & (length == p.tag_bytes)),
            ]  # fmt: skip
        if p.messages.lengths_first:
            with m.Elif(header.type == Segment.LENGTH):
                m.d.comb += [
                    self.kind.eq(Phase.LENGTHS),
                    self.right.eq((phase == Phase.START) & eot & ~header.last & (length == LENGTH_SEGMENT_BYTES)),
                ]  # fmt: skip
        return m
