# SPDX-License-Identifier: Apache-2.0
"""Loads the key on SDI into the slot that is not in use, when an instruction on PDI activates it.

::

    IDLE ──activate──▶ INSTRUCTION ──load key──▶ HEADER ──key──▶ DATA ──last beat──▶ SETTLE ──▶ WAIT ──▶ IDLE
                            └──────another─────────┴────▶ SKIP ──▶ EMPTY ──────────────┘

There are two slots, which take turns.  So a key is prepared while messages of the one before are under way.  If what comes is no key, the
slot is erased, and messages are refused until the next key.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import Opcode, Segment
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.layers.lwc.parameters import HeaderGate, LwcParameters, swapped
from modeloom.rtl.bus.ports import BusComponent, key_beat

__all__ = ["KeyLoader"]


class KeyLoader(BusComponent[LwcParameters]):
    """A word of a key a cycle while the key port takes them.

    Members
    -------
    sdi : stream of words
    activate, idle : In(1), Out(1)
        Asks for a key, while nothing is worked on.
    slot : Out(1)
        The slot of the last key.
    key : stream of key_beat
        For the key port.
    busy : In(1)
        The key port works on a packet.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        return {
            "sdi": In(stream.Signature(parameters.word_bits)), "activate": In(1), "idle": Out(1), "slot": Out(1),
            "key": Out(stream.Signature(key_beat(2))), "busy": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        count = KEY_BEAT_BYTES // p.word_bytes
        m.submodules.gate = gate = HeaderGate(p)
        header, word, valid, ready = gate.header, self.sdi.payload, self.sdi.valid, self.sdi.ready
        slot_reg = Signal()
        words_reg = [Signal(p.word_bits, name=f"word_{at}_reg") for at in range(count)]
        number_reg = Signal(range(max(2, count)))
        nbytes_reg = Signal(range(KEY_BEAT_BYTES + 1))
        left_reg = Signal(p.count_bits)
        tail_reg = Signal(p.offset_bits)
        full_reg = Signal()
        last_word, key = left_reg == 1, self.key.payload
        m.d.comb += [
            gate.word.eq(word), self.slot.eq(slot_reg), key.slot.eq(slot_reg), key.data.eq(Cat(words_reg)),
            key.keep.eq(Cat(nbytes_reg > at for at in range(KEY_BEAT_BYTES))), key.last.eq(left_reg == 0),
        ]  # fmt: skip
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.idle.eq(1)
                with m.If(self.activate):
                    m.d.sync += slot_reg.eq(~slot_reg)
                    m.next = "INSTRUCTION"
            with m.State("INSTRUCTION"):
                m.d.comb += [ready.eq(1), gate.public.eq(1)]
                with m.If(valid):
                    m.next = "EMPTY"
                    with m.If(header.type == Opcode.LOAD_KEY):
                        m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [ready.eq(1), gate.public.eq(1)]
                with m.If(valid):
                    m.d.sync += [
                        left_reg.eq(header.length[p.offset_bits :] + header.length[: p.offset_bits].any()),
                        tail_reg.eq(header.length[: p.offset_bits]), number_reg.eq(0),
                    ]  # fmt: skip
                    with m.If(~header.length.any()):
                        m.next = "EMPTY"
                    with m.Elif((header.type == Segment.KEY) & header.eot & header.last):
                        m.next = "DATA"
                    with m.Else():
                        m.next = "SKIP"
            with m.State("DATA"):
                m.d.comb += [ready.eq(~full_reg), self.key.valid.eq(full_reg)]
                with m.If(valid & ready):
                    m.d.sync += [
                        left_reg.eq(left_reg - 1), number_reg.eq(number_reg + 1),
                        full_reg.eq(last_word | (number_reg == count - 1)),
                        nbytes_reg.eq(number_reg * p.word_bytes + p.word_bytes),
                    ]  # fmt: skip
                    with m.If(last_word & (tail_reg != 0)):
                        m.d.sync += nbytes_reg.eq(number_reg * p.word_bytes + tail_reg)
                    for at, word_reg in enumerate(words_reg):
                        with m.If(number_reg == at):
                            m.d.sync += word_reg.eq(swapped(word))
                with m.If(full_reg & self.key.ready):
                    # Nothing of a key stays here.
                    m.d.sync += [full_reg.eq(0), number_reg.eq(0), *(word_reg.eq(0) for word_reg in words_reg)]
                    with m.If(left_reg == 0):
                        m.next = "SETTLE"
            with m.State("SKIP"):
                m.d.comb += ready.eq(1)
                with m.If(valid):
                    m.d.sync += left_reg.eq(left_reg - 1)
                    with m.If(last_word):
                        m.next = "EMPTY"
            with m.State("EMPTY"):
                m.d.comb += [self.key.valid.eq(1), key.erase.eq(1), key.last.eq(1), key.keep.eq(-1)]
                with m.If(self.key.ready):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.next = "WAIT"
            with m.State("WAIT"):
                with m.If(~self.busy):
                    m.next = "IDLE"
        return m
