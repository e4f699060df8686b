# SPDX-License-Identifier: Apache-2.0
"""Takes keys that come with messages, one packet after another, and expands them into hidden slots.

::

    key ──▶ packet ──▶ held ──▶ key schedule ──▶ made: the slot, whether it has a key
              │                  writes round keys
              └── the next packet comes meanwhile

Several iterative key schedules take keys by turns, and finish them in the same order.

A packet is the key of the mode as in :class:`~modeloom.rtl.bus.key_port.KeyPort`, or it asks to drop the key before it.  A packet
that is not a key takes a slot, too, so that keys stay in order.  Messages that would use its slot are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import Component, In, Member, Out, PureInterface

from modeloom.interfaces.messages import IN_ORDER
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.key_port import key_schedule_signature
from modeloom.rtl.bus.parameters import KeyParameters, check_integer, history_beats, key_beats, key_parts, packet_ends
from modeloom.rtl.bus.ports import BusComponent, ordered_key_beat, signals
from modeloom.rtl.bus.preparation import round_key_signature, word_signature

__all__ = ["LEAST_RING", "InlineKeyParameters", "InlineKeyPort", "turn_layout", "writer_ends"]

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
    writers : int
        0 for a key schedule of any kind, or the number of iterative key schedules.  With those, a used slot is cleared at once.
    least_round_keys : int
        Round keys of the shortest cipher key; 0 if all have ``round_keys``.
    told : tuple of str
        What the core tells the part in front of it, a bit each: ("freed",) when a key is overwritten, in the order of the keys.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not of its type or outside its range.
    """

    pins = IN_ORDER
    named = ()
    turns = {"new_key": 1}

    base_word: int | None = None
    writers: int = 0
    least_round_keys: int = 0
    told: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: KeyParameters) -> Self:
        """These keys, which come with the messages.  Raises ``ValueError`` if they are loaded into slots."""
        if not isinstance(given, cls):
            raise ValueError("the keys of this core are loaded into slots")
        return given

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("writers", self.writers, 0, 2)
        check_integer("least_round_keys", self.least_round_keys, 0, self.round_keys)
        check_integer("key_slots", self.slots, LEAST_RING, LISTED_SLOTS)
        if self.all_cipher_keys != 1 or self.nonzero_words:
            raise ValueError("keys in order are for one cipher key, of which none is refused")

    def first(self, setup: Value) -> Value:
        """It does: messages wait for their keys."""
        return setup

    def in_use(self, asked: Value, dropped: Value) -> Value:
        """Whether messages in flight use a slot, by their answer and whether its packet only dropped the key before it."""
        # Where keys are dropped whenever no message waits, no message has the slot of such a packet.  So nothing is asked of what the
        # messages in flight have stored for it, which may never have been written.
        return asked & ~dropped if self.told else asked

    @property
    def units(self) -> tuple[str, ...]:
        """Ends of the names of what each key schedule has."""
        return writer_ends(self.writers)

    @property
    def spacing(self) -> int:
        """Least number of cycles between the starts of two iterative key schedules.

        A shorter key may skip as many places as it has fewer round keys.  Two more cycles keep one writer two places behind the other, so
        that no place is written in two successive cycles, and a slot can be cleared in two.
        """
        return self.round_keys - (self.least_round_keys or self.round_keys) + 2


def writer_ends(writers: int) -> tuple[str, ...]:
    """Ends of the names of ports for writes of round keys: at least one port, and one for each writer."""
    return ("", *(f"_{number}" for number in range(1, writers)))


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
    round_key_1, schedule_1
        The same for a second key schedule.
    busy, error : 1, 1
        A packet is being worked on, and the last packet had a wrong length.
    """

    @staticmethod
    def ports(parameters: InlineKeyParameters) -> dict[str, Member]:
        p = parameters
        return {
            "key": In(stream.Signature(ordered_key_beat())), "room": In(1), "begun": Out(1),
            "made": Out(stream.Signature(turn_layout(p.slots))),
            "word": Out(word_signature(slots=p.slots, words=p.words, block_bits=p.block_bits)), "word_taken": In(1),
            **{f"round_key{unit}": Out(
                round_key_signature(
                    slots=p.slots, cipher_keys=1, round_bits=p.round_bits, round_key_bits=p.round_key_bits, sizes=len(p.sizes)
                )
            ) for unit in p.units},
            **{f"schedule{unit}": Out(key_schedule_signature(max(p.sizes), p.round_keys, p.round_key_bits, len(p.sizes)))
               for unit in p.units},
            "busy": Out(1), "error": Out(1), **({"base": Out(p.block_bits)} if p.base_word is not None else {}),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the checks of a beat, then the state machine that takes a packet in and hands its cipher key to a key schedule.  The way of
        a word that goes with its slot, the key schedules with the keys that wait behind them, and the outputs follow.

        No register keeps a part of a key that has been handed on.
        """
        m = Module()
        p, beat = self.parameters, self.key.payload
        beats, history = key_beats(p), history_beats(p)
        slot_reg = Signal.like(self.made.payload.slot)
        beat_reg = Signal(range(max(2, beats)))
        begun_reg, good_reg, drops_reg, error_reg, word_we_reg = signals("begun_reg good_reg drops_reg error_reg word_we_reg")
        history_reg = Signal(8 * KEY_BEAT_BYTES * history)
        cipher_key_reg = Signal(max(p.sizes))
        length_reg = Signal(range(max(2, len(p.sizes))))
        word_index_reg = Signal.like(self.word.index)
        word_reg = Signal(p.block_bits)
        word_slot_reg = Signal.like(slot_reg)
        made_reg = Signal(turn_layout(p.slots))
        made_valid_reg = Signal()
        units = [_Unit(p, end, getattr(self, f"schedule{end}")) for end in p.units]
        # The key schedule that takes the next key, and the one that is done first.
        next_reg, first_reg = signals("next_reg first_reg")
        spaced = self._spaced(m)

        # -- what the beat is -------------------------------------------------------------------------------------------------
        final, fits, take = signals("final fits take")
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
                free_units = Cat(~unit.expanding & ~unit.expanded & ~unit.schedule.busy for unit in units)
                with m.If(free_units.bit_select(next_reg, 1) & spaced):
                    m.d.comb += handed.eq(1)
                    m.d.sync += [
                        cipher_key_reg.eq(0), begun_reg.eq(0), drops_reg.eq(0), slot_reg.eq(Mux(slot_reg == p.slots - 1, 0, slot_reg + 1)),
                    ]  # fmt: skip
                    m.next = "RECEIVE"
        if len(units) > 1:
            with m.If(handed):
                m.d.sync += next_reg.eq(~next_reg)

        # -- a word that goes with its slot -----------------------------------------------------------------------------------
        offer, free = signals("offer free")
        front_reg, made_base_reg = Signal(p.block_bits, name="base_front_reg"), Signal(p.block_bits, name="base_made_reg")
        if p.base_word is not None:
            own = word_we_reg & (word_index_reg == p.base_word) & (word_slot_reg == slot_reg)
            m.d.comb += self.base.eq(made_base_reg)
            with m.If(self.made.ready):
                m.d.sync += made_base_reg.eq(0)
            with m.If(own):
                m.d.sync += front_reg.eq(word_reg)
            with m.If(handed):
                m.d.sync += front_reg.eq(0)

        # -- the key schedules ------------------------------------------------------------------------------------------------
        m.d.comb += [free.eq(~made_valid_reg | self.made.ready), self.made.valid.eq(made_valid_reg), self.made.payload.eq(made_reg)]
        with m.If(self.made.ready):
            m.d.sync += made_valid_reg.eq(0)
        for number, unit in enumerate(units):
            schedule, selected, done = unit.schedule, Signal(name=f"handed{unit.end}"), Signal(name=f"offer{unit.end}")
            m.d.comb += [
                selected.eq(handed & (next_reg == number)), schedule.start.eq(selected & good_reg),
                done.eq(unit.expanded | (unit.expanding & schedule.done)), schedule.key.eq(cipher_key_reg),
            ]  # fmt: skip
            with m.If(done):
                m.d.sync += [unit.expanding.eq(0), unit.expanded.eq(1)]
                with m.If(free & (first_reg == number)):
                    m.d.comb += offer.eq(1)
                    m.d.sync += [unit.expanded.eq(0), made_valid_reg.eq(1), made_reg.eq(unit.turn)]
                    if p.base_word is not None:
                        m.d.sync += [unit.base.eq(0), made_base_reg.eq(unit.base)]
            with m.If(selected):
                m.d.sync += [
                    unit.expanding.eq(good_reg), unit.expanded.eq(~good_reg), unit.length.eq(length_reg),
                    unit.turn.slot.eq(slot_reg), unit.turn.good.eq(good_reg), unit.turn.drops.eq(drops_reg),
                ]  # fmt: skip
                if p.base_word is not None:
                    m.d.sync += unit.base.eq(Mux(own, word_reg, front_reg))
            self._write(m, unit, getattr(self, f"round_key{unit.end}"))
            if len(p.sizes) > 1:
                # The length holds from the cycle in which the schedule begins until it is done.
                m.d.comb += schedule.length.eq(Mux(selected, length_reg, unit.length))
        if len(units) > 1:
            with m.If(offer):
                m.d.sync += first_reg.eq(~first_reg)
        working = Cat(unit.expanding | unit.expanded for unit in units).any()
        m.d.comb += [
            self.word.we.eq(word_we_reg), self.word.slot.eq(word_slot_reg), self.word.index.eq(word_index_reg), self.word.data.eq(word_reg),
            self.busy.eq(begun_reg | ~fsm.ongoing("RECEIVE") | working | made_valid_reg | word_we_reg), self.error.eq(error_reg),
        ]  # fmt: skip
        return m

    def _spaced(self, m: Module) -> Value:
        """Whether the last start is as far back as it has to be."""
        p = self.parameters
        if p.writers < 2:
            return Const(1, 1)
        wait_reg = Signal(range(p.spacing))
        starts = Cat(getattr(self, f"schedule{unit}").start for unit in p.units).any()
        with m.If(starts):
            m.d.sync += wait_reg.eq(p.spacing - 1)
        with m.Elif(wait_reg != 0):
            m.d.sync += wait_reg.eq(wait_reg - 1)
        return wait_reg == 0

    def _write(self, m: Module, unit: _Unit, port: PureInterface) -> None:
        """Writes the round keys of a key schedule, through registers."""
        p, schedule = self.parameters, unit.schedule
        we_reg, round_reg = Signal(name=f"rk_we{unit.end}_reg"), Signal(p.round_bits, name=f"rk_round{unit.end}_reg")
        data_reg = Signal(p.round_key_bits, name=f"rk_data{unit.end}_reg")
        slot_reg = Signal.like(unit.turn.slot, name=f"rk_slot{unit.end}_reg")
        m.d.sync += [
            we_reg.eq(schedule.we), round_reg.eq(schedule.round), slot_reg.eq(unit.turn.slot),
            data_reg.eq(schedule.data & schedule.we.replicate(p.round_key_bits)),
        ]  # fmt: skip
        m.d.comb += [port.we.eq(we_reg), port.slot.eq(slot_reg), port.round.eq(round_reg), port.data.eq(data_reg)]
        if len(p.sizes) > 1:
            length_reg = Signal.like(unit.length, name=f"rk_length{unit.end}_reg", init=p.longest)
            m.d.sync += length_reg.eq(unit.length)
            m.d.comb += port.length.eq(length_reg)


class _Unit:
    """The registers of the key that a key schedule works on.

    ``expanding``: the schedule works.  ``expanded``: the key waits until it can be handed on.
    """

    def __init__(self, p: InlineKeyParameters, end: str, schedule: Component):
        self.end, self.schedule = end, schedule
        self.expanding, self.expanded = Signal(name=f"expanding{end}_reg"), Signal(name=f"expanded{end}_reg")
        self.turn = Signal(turn_layout(p.slots), name=f"turn{end}_reg")
        self.length = Signal(range(max(2, len(p.sizes))), name=f"schedule_length{end}_reg")
        self.base = Signal(p.block_bits, name=f"base_turn{end}_reg")
