# SPDX-License-Identifier: Apache-2.0
"""The path of keys that come with messages, from the key port to the memories of the pipeline.

::

    key ──▶ InlineKeyPort ──▶ TurnPreparations ──▶ KeyRing ◀── commands
              │                 │ powers             │ zeros
              ▼                 ▼                    ▼
            round keys, words ──────── one write port each ──▶ pipeline

Round keys and results of set-up are written at once.  Zeros are written in the cycles that are left.  With iterative key schedules,
each of them has a write port, and a slot is cleared at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.inline_port import InlineKeyPort
from modeloom.rtl.bus.ports import ordered_key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.command import order_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.ring import KeyRing
from modeloom.rtl.stream.turn_preparation import TurnPreparation
from modeloom.rtl.stream.turn_preparations import TurnPreparations

__all__ = ["InlineKeys"]


class InlineKeys(BusComponent[MessageParameters]):
    """Key port, preparation and ring.

    Members
    -------
    key : stream of ordered_key_beat
    key_state : key_state_signature
        The state of the keys.  It has one bit for all slots.
    i, o : stream of order_layout
        Commands, and the same commands with their slots.
    query, in_use, scrub, scrubbed
        As in :class:`~modeloom.rtl.stream.ring.KeyRing`.
    prepare, prepare_kind, prepare_slot, prepared, word_valid, word_index, word, word_slot
        As in :class:`~modeloom.rtl.stream.turn_preparations.TurnPreparations`.
    key_we, key_slot, key_index, key_data, rk_we, rk_slot, rk_round, rk_data, rk_length
        Write ports of the pipeline.  Nothing is written to the key memory in a cycle with ``word_valid``.
    rk_we_1, rk_slot_1, rk_round_1, rk_data_1, rk_length_1
        That of a second key schedule.
    clear_words, words_cleared, clear_rounds, clear_slot
        Zeros to all words, or to all round keys, of a slot.  They are there with iterative key schedules.
    freed : 1
        As in the ring.  It is there if ``parameters.tells_freed``.
    """

    def __init__(self, parameters: MessageParameters, key_schedules: Sequence[wiring.Component]):
        self.key_schedules = list(key_schedules)
        super().__init__(parameters)

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p, plan = parameters, parameters.plan
        index, slot = range(max(2, len(plan.words))), p.slot_bits
        order = stream.Signature(order_layout(p))
        return {
            "key": In(stream.Signature(ordered_key_beat())), "key_state": Out(key_state_signature(1)), "i": In(order), "o": Out(order),
            "query": Out(slot), "in_use": In(1), "scrub": Out(1), "scrubbed": In(1),
            "prepare": Out(1), "prepare_kind": Out(range(max(2, len(plan.tokens) + len(plan.preparations)))), "prepare_slot": Out(slot),
            "prepared": In(1), "word_valid": In(1), "word_index": In(index), "word": In(p.block_bits), "word_slot": In(slot),
            "key_we": Out(1), "key_slot": Out(slot), "key_index": Out(index), "key_data": Out(p.block_bits),
            **{name: Out(shape) for name, shape in p.round_key_ports.items()},
            **({"clear_words": Out(1), "words_cleared": In(1), "clear_rounds": Out(1), "clear_slot": Out(slot)} if p.writers else {}),
            **({"freed": Out(1)} if p.tells_freed else {}),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.port = port = InlineKeyPort(p.ordered_keys)
        for unit, key_schedule in zip(p.ordered_keys.units, self.key_schedules, strict=True):
            m.submodules[f"key_schedule{unit}"] = key_schedule
            wiring.connect(m, getattr(port, f"schedule{unit}"), key_schedule)
        preparation: TurnPreparation | TurnPreparations
        if p.preparations > 1:
            m.submodules.preparation = preparation = TurnPreparations(p)
            m.d.comb += preparation.word_slot.eq(self.word_slot)
        else:
            m.submodules.preparation = preparation = TurnPreparation(p)
            m.d.comb += preparation.mine.eq(1)
        m.submodules.ring = ring = KeyRing(p)
        wiring.connect(m, wiring.flipped(self.key), port.key)
        wiring.connect(m, port.made, preparation.made)
        wiring.connect(m, wiring.flipped(self.i), ring.i)
        wiring.connect(m, ring.o, wiring.flipped(self.o))
        self._join(m, port, ring, ("begun",))
        self._join(m, ring, port, ("room",))
        self._join(m, preparation, ring, ("ready", "turn"))
        self._join(m, preparation, self, ("prepare", "prepare_kind", "prepare_slot"))
        self._join(m, self, preparation, ("prepared", "word_valid", "word_index", "word"))
        self._join(m, ring, self, ("query", "scrub"))
        self._join(m, self, ring, ("in_use", "scrubbed"))
        if p.base_word is not None:
            self._join(m, port, preparation, ("base",))
        if p.tells_freed:
            self._join(m, ring, self, ("freed",))

        free = Signal()
        given = Signal()
        m.d.comb += [
            # The slot of the next packet may still be cleared.
            given.eq(port.word.we & ~ring.clear_words if p.writers else port.word.we),
            free.eq(~self.word_valid),
            port.word_taken.eq(free & given),
            preparation.power_taken.eq(free & ~given & preparation.power_we),
        ]  # fmt: skip
        erases = Const(0, 1)
        if p.writers:
            m.d.comb += [
                self.clear_words.eq(ring.clear_words), ring.words_cleared.eq(self.words_cleared),
                self.clear_rounds.eq(ring.clear_rounds), self.clear_slot.eq(ring.clear_slot),
            ]  # fmt: skip
        else:
            erases = ring.erase_word
            m.d.comb += ring.word_taken.eq(free & ~given & ~preparation.power_we & ring.erase_word)
        m.d.comb += self.key_we.eq(free & (given | preparation.power_we | erases))
        with m.If(given):
            m.d.comb += [self.key_slot.eq(port.word.slot), self.key_index.eq(port.word.index), self.key_data.eq(port.word.data)]
        with m.Elif(preparation.power_we):
            m.d.comb += [
                self.key_slot.eq(preparation.power_slot), self.key_index.eq(preparation.power_index), self.key_data.eq(preparation.power),
            ]  # fmt: skip
        if not p.writers:
            with m.Else():
                m.d.comb += [self.key_slot.eq(ring.query), self.key_index.eq(ring.erase_index)]
        self._write_round_keys(m, port, ring)

        loaded_reg = Signal()
        with m.If(port.begun):
            m.d.sync += loaded_reg.eq(0)
        with m.Elif(preparation.ready):
            m.d.sync += loaded_reg.eq(preparation.turn.good)
        coming = Signal()
        m.d.comb += [
            coming.eq(port.busy | preparation.busy),
            self.key_state.loaded.eq(loaded_reg & ~coming), self.key_state.busy.eq(coming | ring.busy), self.key_state.error.eq(port.error),
        ]  # fmt: skip
        return m

    def _write_round_keys(self, m: Module, port: InlineKeyPort, ring: KeyRing) -> None:
        """Connects the write ports of round keys with the key schedules, and with the ring if it writes zeros one by one."""
        p = self.parameters
        for unit in p.ordered_keys.units:
            rounds = getattr(port, f"round_key{unit}")
            slot, number, we = rounds.slot, rounds.round, rounds.we
            if not p.writers:
                slot, number = Mux(we, slot, ring.query), Mux(we, number, ring.erase_number)
                we = we | ring.erase_round
                m.d.comb += ring.round_taken.eq(~rounds.we & ring.erase_round)
            for name, value in (("we", we), ("slot", slot), ("round", number), ("data", rounds.data)):
                m.d.comb += getattr(self, f"rk_{name}{unit}").eq(value)
            if len(p.keys.sizes) > 1:
                # Zeros are written with the length of the longest key, so that they reach all round keys.
                m.d.comb += getattr(self, f"rk_length{unit}").eq(Mux(rounds.we, rounds.length, p.keys.longest))

    def _join(self, m: Module, source: Any, target: Any, names: tuple[str, ...]) -> None:
        """Connects members that have the same names."""
        m.d.comb += [getattr(target, name).eq(getattr(source, name)) for name in names]
