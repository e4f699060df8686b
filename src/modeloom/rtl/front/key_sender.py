# SPDX-License-Identifier: Apache-2.0
"""Keeps the bytes of a key that a host writes word by word, sends them to a core as a packet, and overwrites them.

::

    words ──▶ memory ──▶ [beat] ──▶ s_axis_key            idle ──▶ read ──▶ offer ──▶ ... ──▶ wipe ──▶ idle
                ▲                                                  4 words   a beat           zeros to every word
    zeros ──────┘

A packet that erases a slot has one beat of zeros.  Whatever was sent, and after a reset, every word is overwritten with zeros before the
next word is taken.  A flag for each word tells whether it was written since then, so that no key has zeros in the place of words that an
erasure took.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["KeySender"]

BEAT_WORDS = KEY_BEAT_BYTES // WORD_BYTES


class KeySender(wiring.Component):
    """The memory and what sends it.

    Parameters
    ----------
    words : int
        Number of words of the longest key, a multiple of those of a beat.
    slots : int
        Number of key slots of the core.

    Members
    -------
    write, address, word : In(1), In, In(32)
        Writes a word while ``busy`` is low.
    send, slot, erase, bytes : In
        Sends so many bytes for a slot, or erases the slot, while ``busy`` is low.
    complete : Out(1)
        All words of so many bytes were written since the memory was overwritten.
    busy : Out(1)
    key : Out(stream)
        The port of the core (``interfaces.shared.KEYS``).
    """

    def __init__(self, words: int, slots: int):
        if words < BEAT_WORDS or words % BEAT_WORDS:
            raise ValueError(f"words is a multiple of {BEAT_WORDS}, not {words}")
        self.words, self.slots = words, slots
        layout = key_beat(slots)
        super().__init__({
            "write": In(1), "address": In(range(words)), "word": In(WORD_BITS),
            "send": In(1), "slot": In(layout["slot"].width), "erase": In(1), "bytes": In(range(WORD_BYTES * words + 1)),
            "complete": Out(1), "busy": Out(1), "key": Out(stream.Signature(layout)),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = BlockMemory(WORD_BITS, self.words, 1)
        # One more than the words, so that the last of them has been read when this is reached.
        at_reg = Signal(range(self.words + 1))
        left_reg = Signal.like(self.bytes)
        slot_reg = Signal.like(self.slot)
        erase_reg = Signal()
        beat_reg = Signal(8 * KEY_BEAT_BYTES)
        valid_reg = Signal()
        read_reg = Signal()
        wipe_reg = Signal(init=1)
        count_reg = Signal(range(BEAT_WORDS + 1))
        written_reg = Signal(self.words)
        # The word of this cycle was asked for in the cycle before.
        asked_reg = Signal()
        key = self.key.payload
        last = Signal()
        m.d.comb += [
            self.busy.eq(read_reg | valid_reg | wipe_reg),
            memory.we.eq(wipe_reg | self.write & ~self.busy),
            memory.waddr.eq(Mux(wipe_reg, at_reg, self.address)),
            memory.wdata.eq(self.word & (~wipe_reg).replicate(WORD_BITS)),
            memory.raddr[0].eq(at_reg),
            last.eq(left_reg <= KEY_BEAT_BYTES),
            self.key.valid.eq(valid_reg), key.data.eq(beat_reg), key.last.eq(last), key.slot.eq(slot_reg), key.erase.eq(erase_reg),
        ]  # fmt: skip
        with m.If(wipe_reg):
            m.d.sync += written_reg.eq(0)
        with m.Elif(memory.we):
            m.d.sync += written_reg.bit_select(self.address, 1).eq(1)
        needed = Cat(self.bytes > WORD_BYTES * at for at in range(self.words))
        m.d.comb += self.complete.eq(~(needed & ~written_reg).any())
        for byte in range(KEY_BEAT_BYTES):
            m.d.comb += key.keep[byte].eq(left_reg > byte)
        with m.If(wipe_reg):
            m.d.sync += at_reg.eq(at_reg + 1)
            with m.If(at_reg == self.words - 1):
                m.d.sync += [wipe_reg.eq(0), at_reg.eq(0)]
        with m.Elif(valid_reg):
            with m.If(self.key.ready):
                m.d.sync += [
                    valid_reg.eq(0), beat_reg.eq(0), left_reg.eq(left_reg - KEY_BEAT_BYTES), read_reg.eq(~last), wipe_reg.eq(last),
                ]  # fmt: skip
                with m.If(last):
                    m.d.sync += at_reg.eq(0)
        with m.Elif(read_reg):
            m.d.sync += asked_reg.eq(count_reg < BEAT_WORDS)
            with m.If(count_reg < BEAT_WORDS):
                m.d.sync += [count_reg.eq(count_reg + 1), at_reg.eq(at_reg + 1)]
            with m.If(asked_reg):
                m.d.sync += beat_reg.eq(Cat(beat_reg[WORD_BITS:], memory.rdata[0]))
            with m.If((count_reg == BEAT_WORDS) & asked_reg):
                m.d.sync += [read_reg.eq(0), valid_reg.eq(1), count_reg.eq(0), asked_reg.eq(0)]
        with m.Elif(self.send):
            m.d.sync += [
                slot_reg.eq(self.slot), erase_reg.eq(self.erase), left_reg.eq(Mux(self.erase, KEY_BEAT_BYTES, self.bytes)),
                read_reg.eq(~self.erase), valid_reg.eq(self.erase), at_reg.eq(0),
            ]  # fmt: skip
        return m
