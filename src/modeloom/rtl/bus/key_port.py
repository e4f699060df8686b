# SPDX-License-Identifier: Apache-2.0
"""Loads keys into slots and erases them.

::

    key ──▶ fence ──▶ erase ──▶ receive ──▶ expand ──▶ set-up ──▶ loaded
            slot is   zeros     words to    round      values that
            empty     over all  key memory  keys       depend on the key alone
            from here  │
                       └─▶ scrub ──▶ empty
                           zeros over what has been computed with the key

A cipher key that is not the last one is expanded as soon as it is there, before the rest of the packet is taken. Keys that
set-up makes are caught as it writes them, and expanded after it; for each further one set-up runs again. A word that is 0
and must not be, or cipher keys that are equal and must not be, make the packet one that does not fit: what is found is kept in
``unusable_reg``, the one bit of a key on which anything but data depends, and decides before the next expansion or at the end.

The slot is marked empty first, so nothing further uses it; what is in flight under it ends; then the old key is overwritten
with zeros before a byte of the new one is taken. A packet that does not fit leaves the slot empty and overwritten.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, Signature

from modeloom.cycles import FENCE_CYCLES
from modeloom.interfaces.shared import KEY_BEAT_BYTES

from .component import BusComponent
from .key_format import history_beats, key_beats, key_last_keep, key_parts
from .parameters import KeyParameters
from .ports import KEY_BEAT

__all__ = ["KeyPort", "key_schedule_signature"]


def key_schedule_signature(key_bits: int, round_keys: int, round_key_bits: int, lengths: int = 1) -> Signature:
    """Ports of a key schedule, seen from the key port.

    Parameters
    ----------
    key_bits : int
        Width of the cipher's key in bits.
    round_keys, round_key_bits : int
        Number of round keys, and the width of one in bits.
    lengths : int
        Lengths of keys that there are key schedules for; ``key_bits`` is the longest.

    Members
    -------
    length : range(lengths)
        Only if there are several: which length the request is about, from the request until it is done.
    start, key : 1, key_bits
        Expands ``key``, which is read in this cycle only.
    erase : 1
        Writes zeros to all round keys in both forms.
    we, round, data, data_dec : 1, number of a round key, round_key_bits, round_key_bits
        Writes one round key, as ciphers and as inverse ciphers want it.
    busy : 1
        A request is being worked on; no other is made meanwhile.
    done : 1
        High for one cycle, together with or after the last write of a request.
    """
    return Signature(
        {
            **({"length": Out(range(lengths))} if lengths > 1 else {}),
            "start": Out(1),
            "erase": Out(1),
            "key": Out(key_bits),
            "we": In(1),
            "round": In(max(1, (round_keys - 1).bit_length())),
            "data": In(round_key_bits),
            "data_dec": In(round_key_bits),
            "busy": In(1),
            "done": In(1),
        }
    )


class KeyPort(BusComponent[KeyParameters]):
    """Key packets to key memory, key schedule and set-up.

    From the first beat offered, the slot's old key is overwritten within ``FENCE_CYCLES`` + 5 cycles, the longer
    of ``key_words`` and the key schedule's time to erase, and that time and 2 cycles more for each cipher key but the first;
    only sectors of the slot in flight add to that what they still need (at most the engine's wait for an entry and its
    latency). Sectors of other slots go on meanwhile. Then ``setup`` asks for the set-up, once for each cipher key that it
    makes, or for the overwriting of what has been computed with an erased key, and ``setup_done`` ends it. When that may begin is
    the business of whoever does it: the engine of a core for sectors runs empty first, another one need not. How many cycles a
    packet takes depends on its key only by whether the mode refuses it.

    A cipher key and the beats before the last one stay here until the packet is complete, as long as the host takes for it.

    Members
    -------
    key : stream of KEY_BEAT
        From the host.
    query : slot, slot_busy : 1
        Whether anything that was admitted under the slot's key is under way, as of one cycle ago.
    loaded : key_slots
        Slots that hold a key.
    busy : 1
        A packet is being worked on.
    error : 1
        The last packet had the wrong length, a slot out of range, or a key that the mode refuses; stays until the next packet.
    key_we, key_slot, key_index, key_data, rk_we, rk_slot, rk_key, rk_round, rk_data, rk_data_dec
        Writes key words and round keys.
    setup, setup_slot, setup_scrub, setup_done
        The request is held until ``setup_done`` (one cycle): values of the slot are computed from its key or, with ``setup_scrub``,
        what was computed with keys is overwritten.
    word_we, word_index, word_data
        A key word that set-up writes, before ``setup_done``.
    schedule : key_schedule_signature
        To and from the key schedule.
    """

    @staticmethod
    def ports(parameters: KeyParameters) -> dict[str, Any]:
        p = parameters
        slot = range(max(2, p.slots))
        return {
            "key": In(stream.Signature(KEY_BEAT)),
            "query": Out(slot),
            "slot_busy": In(1),
            "loaded": Out(p.slots),
            "busy": Out(1),
            "error": Out(1),
            "key_we": Out(1),
            "key_slot": Out(slot),
            "key_index": Out(range(max(2, p.words))),
            "key_data": Out(p.block_bits),
            "rk_we": Out(1),
            "rk_slot": Out(slot),
            "rk_key": Out(range(max(2, p.all_cipher_keys))),
            "rk_round": Out(p.round_bits),
            "rk_data": Out(p.round_key_bits),
            "rk_data_dec": Out(p.round_key_bits),
            "setup": Out(1),
            "setup_slot": Out(slot),
            "setup_scrub": Out(1),
            "setup_done": In(1),
            "word_we": In(1),
            "word_index": In(range(max(2, p.words))),
            "word_data": In(p.block_bits),
            "schedule": Out(key_schedule_signature(max(p.lengths), p.round_keys, p.round_key_bits, len(p.lengths))),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        beats = key_beats(p)
        history = history_beats(p)

        slot_reg = Signal.like(self.query)
        loaded_reg = Signal(p.slots)
        error_reg = Signal()
        refused_reg = Signal()
        ended_reg = Signal()
        fence_reg = Signal(range(FENCE_CYCLES))
        words_left_reg = Signal(range(p.words + 1))
        rounds_left_reg = Signal()
        beat_reg = Signal(range(max(2, beats)))
        history_reg = Signal(8 * KEY_BEAT_BYTES * history)
        cipher_key_reg = Signal(max(p.lengths))
        # Which cipher key is worked on; the packet's are all there from ``complete_reg`` on.
        number_reg = Signal(range(max(2, p.all_cipher_keys)))
        complete_reg = Signal()
        # The mode refuses this key.  Nothing chooses by what is compared before it is in this register.
        unusable_reg = Signal()
        refuses = (p.distinct_keys and p.cipher_keys > 1) or bool(p.nonzero_words)

        key_we_reg = Signal()
        key_index_reg = Signal(range(max(2, p.words)))
        key_data_reg = Signal(p.block_bits)
        rk_we_reg = Signal()
        rk_key_reg = Signal.like(number_reg)
        rk_round_reg = Signal(p.round_bits)
        rk_data_reg = Signal(p.round_key_bits)
        rk_data_dec_reg = Signal(p.round_key_bits)

        beat = self.key.p
        final = Signal()
        fits = Signal()
        erasing = Signal()
        window = Cat(history_reg, beat.data)
        m.d.comb += [
            final.eq(beat_reg == beats - 1),
            fits.eq((beat.last == final) & (beat.keep == Mux(final, key_last_keep(p), (1 << KEY_BEAT_BYTES) - 1))),
        ]

        schedule = self.schedule
        m.d.sync += [
            key_we_reg.eq(0),
            rk_we_reg.eq(schedule.we),
            rk_key_reg.eq(number_reg),
            rk_round_reg.eq(schedule.round),
            rk_data_reg.eq(schedule.data),
            rk_data_dec_reg.eq(schedule.data_dec),
        ]

        def refuse(ended: Value | int) -> None:
            m.d.sync += [error_reg.eq(1), refused_reg.eq(1), ended_reg.eq(ended), number_reg.eq(0)]
            m.next = "OVERWRITE"

        with m.FSM() as fsm:
            with m.State("IDLE"):
                m.d.sync += [
                    slot_reg.eq(beat.slot),
                    refused_reg.eq(beat.erase),
                    ended_reg.eq(0),
                    fence_reg.eq(0),
                    beat_reg.eq(0),
                    number_reg.eq(0),
                    complete_reg.eq(0),
                ]
                if refuses:
                    m.d.sync += unusable_reg.eq(0)
                with m.If(self.key.valid):
                    m.d.sync += error_reg.eq(beat.slot >= p.slots)
                    with m.If(beat.slot >= p.slots):
                        m.next = "DISCARD"
                    with m.Else():
                        m.next = "FENCE"

            with m.State("FENCE"):
                m.d.sync += loaded_reg.bit_select(slot_reg if p.slots > 1 else 0, 1).eq(0)
                with m.If(fence_reg != FENCE_CYCLES - 1):
                    m.d.sync += fence_reg.eq(fence_reg + 1)
                with m.Elif(~self.slot_busy):
                    m.next = "OVERWRITE"

            with m.State("OVERWRITE"):
                m.d.comb += schedule.erase.eq(1)
                m.d.sync += rounds_left_reg.eq(1)
                with m.If(number_reg == 0):
                    m.d.sync += words_left_reg.eq(p.words)
                m.next = "ERASE"

            with m.State("ERASE"):
                m.d.comb += erasing.eq(1)
                with m.If(schedule.done):
                    m.d.sync += rounds_left_reg.eq(0)
                with m.If(words_left_reg != 0):
                    m.d.sync += words_left_reg.eq(words_left_reg - 1)
                    m.d.sync += [key_we_reg.eq(1), key_index_reg.eq(words_left_reg - 1)]
                with m.Elif(~rounds_left_reg):
                    m.d.sync += number_reg.eq(number_reg + 1)
                    with m.If(number_reg != p.all_cipher_keys - 1):
                        m.next = "OVERWRITE"
                    with m.Else():
                        m.d.sync += number_reg.eq(0)
                        with m.If(~refused_reg):
                            m.next = "RECEIVE"
                        with m.Else():
                            m.next = "SCRUB"

            with m.State("SCRUB"):
                m.d.comb += [self.setup.eq(1), self.setup_scrub.eq(1)]
                with m.If(self.setup_done):
                    with m.If(ended_reg):
                        m.next = "IDLE"
                    with m.Else():
                        m.next = "DISCARD"

            with m.State("RECEIVE"):
                m.d.comb += self.key.ready.eq(1)
                with m.If(self.key.valid):
                    m.d.sync += beat_reg.eq(beat_reg + 1)
                    if history:
                        m.d.sync += history_reg.eq(window[8 * KEY_BEAT_BYTES :])
                    expand = Signal()
                    with m.Switch(beat_reg):
                        for part in key_parts(p):
                            with m.Case(part.end_beat):
                                value = window[part.window_slice(history)]
                                if part.cipher is None:
                                    m.d.sync += [key_we_reg.eq(1), key_index_reg.eq(part.word), key_data_reg.eq(value)]
                                    continue
                                m.d.sync += [cipher_key_reg.eq(value), number_reg.eq(part.cipher)]
                                m.d.comb += expand.eq(part.cipher != p.cipher_keys - 1)
                                if part.cipher and p.distinct_keys and len(set(p.widths)) == 1:
                                    m.d.sync += unusable_reg.eq(unusable_reg | (value == cipher_key_reg))
                    m.d.sync += complete_reg.eq(beat.last)
                    with m.If(~fits):
                        refuse(beat.last)
                    with m.Elif(beat.last | expand):
                        m.next = "START"

            with m.State("START"):
                with m.If(unusable_reg):
                    refuse(complete_reg)
                with m.Else():
                    m.d.comb += schedule.start.eq(1)
                    m.next = "EXPAND"

            with m.State("EXPAND"):
                with m.If(schedule.done):
                    m.next = "SETTLE"

            with m.State("SETTLE"):
                m.next = "SETUP"
                if p.cipher_keys > 1:
                    with m.If(~complete_reg):
                        m.next = "RECEIVE"
                if p.derived_keys:
                    with m.If(number_reg == p.all_cipher_keys - 1):
                        m.next = "LOADED"

            with m.State("SETUP"):
                m.d.comb += self.setup.eq(1)
                for number, words in enumerate(p.derived_keys, p.cipher_keys - 1):
                    for at, word in enumerate(words):
                        bits = slice(at * p.block_bits, min((at + 1) * p.block_bits, p.cipher_key_bits))
                        with m.If(self.word_we & (number_reg == number) & (self.word_index == word)):
                            m.d.sync += cipher_key_reg[bits].eq(self.word_data)
                for word in p.nonzero_words:
                    with m.If(self.word_we & (self.word_index == word)):
                        m.d.sync += unusable_reg.eq(unusable_reg | (self.word_data == 0))
                with m.If(self.setup_done):
                    m.next = "LOADED"
                    if p.derived_keys:
                        m.d.sync += number_reg.eq(number_reg + 1)
                        m.next = "START"

            with m.State("LOADED"):
                with m.If(unusable_reg):
                    refuse(1)
                with m.Else():
                    m.d.sync += loaded_reg.bit_select(slot_reg if p.slots > 1 else 0, 1).eq(1)
                    m.next = "IDLE"

            with m.State("DISCARD"):
                m.d.comb += self.key.ready.eq(1)
                with m.If(self.key.valid & beat.last):
                    m.next = "IDLE"

        # The key stays nowhere on this side: not when all of it has been passed on, nor when it is refused.
        with m.If(erasing | fsm.ongoing("EXPAND")):
            m.d.sync += key_data_reg.eq(0)
        with m.If(erasing | (fsm.ongoing("EXPAND") & complete_reg)):
            m.d.sync += [history_reg.eq(0), cipher_key_reg.eq(0)]

        m.d.comb += [
            self.query.eq(slot_reg),
            self.loaded.eq(loaded_reg),
            self.busy.eq(~fsm.ongoing("IDLE")),
            self.error.eq(error_reg),
            self.key_we.eq(key_we_reg),
            self.key_slot.eq(slot_reg),
            self.key_index.eq(key_index_reg),
            self.key_data.eq(key_data_reg),
            self.rk_we.eq(rk_we_reg),
            self.rk_slot.eq(slot_reg),
            self.rk_key.eq(rk_key_reg),
            self.rk_round.eq(rk_round_reg),
            self.rk_data.eq(rk_data_reg),
            self.rk_data_dec.eq(rk_data_dec_reg),
            self.setup_slot.eq(slot_reg),
            schedule.key.eq(cipher_key_reg),
        ]
        if len(p.lengths) > 1:
            m.d.comb += schedule.length.eq(Array(p.lengths.index(bits) for bits in p.widths)[number_reg])
        return m
