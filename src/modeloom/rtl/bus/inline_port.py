# SPDX-License-Identifier: Apache-2.0
"""Takes keys that come with messages, one packet after another, and expands them into hidden slots.

::

    key ──▶ packet ──▶ held ──▶ key schedule ──▶ made: the slot, whether it has a key
              │                  writes round keys
              └── the next packet comes meanwhile

A packet is the key of the mode as in :class:`~modeloom.rtl.bus.key_port.KeyPort`, or it asks to drop the key before it.  A packet
that is not a key takes a slot, too, so that keys stay in order.  Messages that would use its slot are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS

from .component import BusComponent
from .key_format import history_beats, key_beats, key_parts, packet_ends
from .key_port import key_schedule_signature
from .parameters import KeyParameters, check_integer
from .ports import ordered_key_beat
from .preparation import round_key_signature, word_signature

__all__ = ["LEAST_RING", "InlineKeyParameters", "InlineKeyPort", "turn_layout"]

LEAST_RING = 3
"""Smallest number of slots of the ring.  One key is prepared, messages use the one before it, and an older one is overwritten."""


@dataclass(frozen=True, kw_only=True)
class InlineKeyParameters(KeyParameters):
    """The keys of a core whose keys come with the messages.

    The parameters are those of ``KeyParameters``.  ``slots`` is the size of the ring, ``LEAST_RING`` to ``LISTED_SLOTS``.  There is
    one cipher key, and no key is refused for its value.

    Parameters
    ----------
    base_word : int or None
        A word of the packet that set-up computes with outside the key memory.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not of its type or outside its range.
    """

    base_word: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("key_slots", self.slots, LEAST_RING, LISTED_SLOTS)
        if self.all_cipher_keys != 1 or self.nonzero_words:
            raise ValueError("keys in order are for one cipher key, of which none is refused")


def turn_layout(slots: int) -> StructLayout:
    """The layout of a slot of the ring: its number, whether it has a key, and whether it only drops the key before it."""
    return StructLayout({"slot": range(slots), "good": 1, "drops": 1})


class InlineKeyPort(BusComponent[InlineKeyParameters]):
    """Expands key packets into round keys, in order.

    The next packet is taken while the key schedule works on one.  The number of cycles that a packet takes depends on its length
    only.

    Members
    -------
    key : stream of ordered_key_beat
        Key packets from the host.
    room : 1
        The next slot of the ring is free and overwritten.
    begun : 1
        The first beat of a packet is taken, and the slot is in use from now on.
    made : stream of turn_layout
        The slots in order.  All words and round keys from the host are written two cycles later.
    base : block_bits
        The word ``base_word`` of the slot in ``made``.  It is there only with a ``base_word``.
    word : word_signature
        Writes a key word.  ``word_taken`` is high in the cycle in which it is written.
    round_key : round_key_signature
        Writes round keys.  These writes never wait.
    schedule : key_schedule_signature
        Requests to the key schedule, and its round keys.
    busy, error : 1, 1
        A packet is being worked on, and the last packet had a wrong length.
    """

    @staticmethod
    def ports(parameters: InlineKeyParameters) -> dict[str, Any]:
        p = parameters
        return {
            "key": In(stream.Signature(ordered_key_beat())), "room": In(1), "begun": Out(1),
            "made": Out(stream.Signature(turn_layout(p.slots))),
            "word": Out(word_signature(slots=p.slots, words=p.words, block_bits=p.block_bits)), "word_taken": In(1),
            "round_key": Out(
                round_key_signature(
                    slots=p.slots, cipher_keys=1, round_bits=p.round_bits, round_key_bits=p.round_key_bits, sizes=len(p.sizes)
                )
            ),
            "schedule": Out(key_schedule_signature(max(p.sizes), p.round_keys, p.round_key_bits, len(p.sizes))),
            "busy": Out(1), "error": Out(1), **({"base": Out(p.block_bits)} if p.base_word is not None else {}),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, beat, schedule = self.parameters, self.key.payload, self.schedule
        beats, history = key_beats(p), history_beats(p)
        slot_reg = Signal.like(self.made.payload.slot)
        beat_reg = Signal(range(max(2, beats)))
        begun_reg, good_reg, drops_reg, error_reg = Signal(), Signal(), Signal(), Signal()
        history_reg = Signal(8 * KEY_BEAT_BYTES * history)
        cipher_key_reg = Signal(max(p.sizes))
        length_reg = Signal(range(max(2, len(p.sizes))))
        word_we_reg, word_index_reg, word_reg = Signal(), Signal.like(self.word.index), Signal(p.block_bits)
        word_slot_reg = Signal.like(slot_reg)
        # These registers belong to the key that the key schedule works on.
        expanding_reg, expanded_reg = Signal(), Signal()
        turn_reg = Signal(turn_layout(p.slots))
        made_reg, made_valid_reg = Signal(turn_layout(p.slots)), Signal()
        schedule_length_reg = Signal.like(length_reg)

        # -- what the beat is -------------------------------------------------------------------------------------------------
        final, fits, take = Signal(), Signal(), Signal()
        window = Cat(history_reg, beat.data)
        ends = packet_ends(p)
        sized = Signal(len(ends))
        m.d.comb += [
            final.eq(beat_reg == beats - 1),
            sized.eq(Cat((beat_reg == end.beat) & (beat.keep == end.keep) for end in ends)),
            fits.eq(Mux(beat.last, sized.any(), ~final & beat.keep.all())),
            take.eq(self.key.valid & self.key.ready),
            self.begun.eq(take & ~begun_reg),
        ]
        with m.If(self.word_taken):
            m.d.sync += [word_we_reg.eq(0), word_reg.eq(0)]

        handed = Signal()
        with m.FSM() as fsm:
            with m.State("RECEIVE"):
                m.d.comb += self.key.ready.eq((begun_reg | self.room) & (~word_we_reg | self.word_taken))
                with m.If(take):
                    erases = Mux(begun_reg, drops_reg, beat.erase)
                    m.d.sync += [begun_reg.eq(1), drops_reg.eq(erases), beat_reg.eq(beat_reg + 1), good_reg.eq(~erases)]
                    with m.If(~begun_reg):
                        m.d.sync += error_reg.eq(0)
                    with m.If(erases):
                        with m.If(beat.last):
                            m.next = "HELD"
                        with m.Else():
                            m.next = "DISCARD"
                    with m.Elif(~fits):
                        m.d.sync += [good_reg.eq(0), error_reg.eq(1)]
                        with m.If(beat.last):
                            m.next = "HELD"
                        with m.Else():
                            m.next = "DISCARD"
                    with m.Else():
                        if history:
                            m.d.sync += history_reg.eq(window[8 * KEY_BEAT_BYTES :])
                        with m.Switch(beat_reg):
                            for part in key_parts(p):
                                with m.Case(part.end_beat):
                                    value = window[part.window_slice(history)]
                                    if part.cipher is None:
                                        m.d.sync += [
                                            word_we_reg.eq(1), word_index_reg.eq(part.word), word_reg.eq(value), word_slot_reg.eq(slot_reg),
                                        ]  # fmt: skip
                                    else:
                                        m.d.sync += cipher_key_reg.eq(value)
                        for number in range(len(ends)):
                            with m.If(beat.last & sized[number]):
                                m.d.sync += length_reg.eq(number)
                        with m.If(beat.last):
                            m.next = "HELD"
            with m.State("DISCARD"):
                m.d.comb += self.key.ready.eq(1)
                m.d.sync += [history_reg.eq(0), cipher_key_reg.eq(0)]
                with m.If(take & beat.last):
                    m.next = "HELD"
            with m.State("HELD"):
                m.d.sync += [history_reg.eq(0), beat_reg.eq(0)]
                with m.If(~expanding_reg & ~expanded_reg & ~schedule.busy):
                    m.d.comb += [handed.eq(1), schedule.start.eq(good_reg)]
                    m.d.sync += [
                        cipher_key_reg.eq(0), begun_reg.eq(0), drops_reg.eq(0), turn_reg.slot.eq(slot_reg), turn_reg.good.eq(good_reg),
                        turn_reg.drops.eq(drops_reg), schedule_length_reg.eq(length_reg),
                        slot_reg.eq(Mux(slot_reg == p.slots - 1, 0, slot_reg + 1)),
                    ]  # fmt: skip
                    m.next = "RECEIVE"

        # -- a word that goes with its slot -----------------------------------------------------------------------------------
        offer, free = Signal(), Signal()
        if p.base_word is not None:
            bases = [Signal(p.block_bits, name=f"base_{name}_reg") for name in ("front", "turn", "made")]
            m.d.comb += self.base.eq(bases[2])
            with m.If(self.made.ready):
                m.d.sync += bases[2].eq(0)
            with m.If(offer & free):
                m.d.sync += [bases[1].eq(0), bases[2].eq(bases[1])]
            with m.If(handed):
                m.d.sync += [bases[0].eq(0), bases[1].eq(bases[0])]
            with m.If(word_we_reg & (word_index_reg == p.base_word) & (word_slot_reg == slot_reg)):
                m.d.sync += bases[0].eq(word_reg)
                with m.If(handed):
                    m.d.sync += [bases[0].eq(0), bases[1].eq(word_reg)]

        # -- the key schedule -------------------------------------------------------------------------------------------------
        offered = Signal(turn_layout(p.slots))
        m.d.comb += [
            free.eq(~made_valid_reg | self.made.ready),
            offer.eq(expanded_reg | (expanding_reg & schedule.done)), offered.eq(turn_reg),
            self.made.valid.eq(made_valid_reg), self.made.payload.eq(made_reg),
        ]  # fmt: skip
        with m.If(self.made.ready):
            m.d.sync += made_valid_reg.eq(0)
        with m.If(handed):
            m.d.sync += [expanding_reg.eq(good_reg), expanded_reg.eq(~good_reg)]
        with m.If(offer):
            m.d.sync += [expanding_reg.eq(0), expanded_reg.eq(~free)]
            with m.If(free):
                m.d.sync += [made_valid_reg.eq(1), made_reg.eq(offered)]

        rk_we_reg, rk_round_reg, rk_data_reg = Signal(), Signal(p.round_bits), Signal(p.round_key_bits)
        rk_slot_reg = Signal.like(slot_reg)
        m.d.sync += [
            rk_we_reg.eq(schedule.we), rk_round_reg.eq(schedule.round), rk_slot_reg.eq(turn_reg.slot),
            rk_data_reg.eq(schedule.data & schedule.we.replicate(p.round_key_bits)),
        ]  # fmt: skip
        m.d.comb += [
            # The length holds from the cycle in which the schedule begins until it is done.
            schedule.key.eq(cipher_key_reg),
            self.word.we.eq(word_we_reg), self.word.slot.eq(word_slot_reg), self.word.index.eq(word_index_reg), self.word.data.eq(word_reg),
            self.round_key.we.eq(rk_we_reg), self.round_key.slot.eq(rk_slot_reg), self.round_key.round.eq(rk_round_reg),
            self.round_key.data.eq(rk_data_reg),
            self.busy.eq(begun_reg | ~fsm.ongoing("RECEIVE") | expanding_reg | expanded_reg | made_valid_reg | word_we_reg),
            self.error.eq(error_reg),
        ]  # fmt: skip
        if len(p.sizes) > 1:
            rk_length_reg = Signal.like(length_reg, init=p.longest)
            m.d.sync += rk_length_reg.eq(schedule_length_reg)
            m.d.comb += [
                schedule.length.eq(Mux(handed, length_reg, schedule_length_reg)), self.round_key.length.eq(rk_length_reg),
            ]  # fmt: skip
        return m
