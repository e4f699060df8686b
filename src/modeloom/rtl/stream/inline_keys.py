# SPDX-License-Identifier: Apache-2.0
"""The path of keys that come with messages, from the key port to the memories of the pipeline.

::

    key ──▶ InlineKeyPort ──▶ TurnPreparation ──▶ KeyRing ◀── commands
              │                 │ powers            │ zeros
              ▼                 ▼                   ▼
            round keys, words ──────── one write port each ──▶ pipeline

Round keys and results of set-up are written at once.  Zeros are written in the cycles that are left.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
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
    prepare, prepare_kind, prepare_slot, prepared, word_valid, word_index, word
        As in :class:`~modeloom.rtl.stream.turn_preparation.TurnPreparation`.
    key_we, key_slot, key_index, key_data, rk_we, rk_slot, rk_round, rk_data, rk_length
        Write ports of the pipeline.  Nothing is written to the key memory in a cycle with ``word_valid``.
    """

    def __init__(self, parameters: MessageParameters, key_schedule: wiring.Component):
        self.key_schedule = key_schedule
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
            "prepared": In(1), "word_valid": In(1), "word_index": In(index), "word": In(p.block_bits),
            "key_we": Out(1), "key_slot": Out(slot), "key_index": Out(index), "key_data": Out(p.block_bits),
            "rk_we": Out(1), "rk_slot": Out(slot), "rk_round": Out(p.keys.round_bits), "rk_data": Out(p.keys.round_key_bits),
            **({"rk_length": Out(range(len(p.keys.sizes)))} if len(p.keys.sizes) > 1 else {}),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.port = port = InlineKeyPort(p.ordered_keys)
        m.submodules.key_schedule = self.key_schedule
        m.submodules.preparation = preparation = TurnPreparation(p)
        m.submodules.ring = ring = KeyRing(p)
        wiring.connect(m, port.schedule, self.key_schedule)
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

        free = Signal()
        m.d.comb += [
            free.eq(~self.word_valid),
            port.word_taken.eq(free & port.word.we),
            preparation.power_taken.eq(free & ~port.word.we & preparation.power_we),
            ring.word_taken.eq(free & ~port.word.we & ~preparation.power_we & ring.erase_word),
            self.key_we.eq(free & (port.word.we | preparation.power_we | ring.erase_word)),
        ]  # fmt: skip
        with m.If(port.word.we):
            m.d.comb += [self.key_slot.eq(port.word.slot), self.key_index.eq(port.word.index), self.key_data.eq(port.word.data)]
        with m.Elif(preparation.power_we):
            m.d.comb += [
                self.key_slot.eq(preparation.power_slot), self.key_index.eq(preparation.power_index), self.key_data.eq(preparation.power),
            ]  # fmt: skip
        with m.Else():
            m.d.comb += [self.key_slot.eq(ring.query), self.key_index.eq(ring.erase_index)]

        rounds = port.round_key
        m.d.comb += [
            ring.round_taken.eq(~rounds.we & ring.erase_round), self.rk_we.eq(rounds.we | ring.erase_round),
            self.rk_slot.eq(Mux(rounds.we, rounds.slot, ring.query)), self.rk_round.eq(Mux(rounds.we, rounds.round, ring.erase_number)),
            self.rk_data.eq(rounds.data),
        ]  # fmt: skip
        if len(p.keys.sizes) > 1:
            # Zeros are written with the length of the longest key, so that they reach all round keys.
            m.d.comb += self.rk_length.eq(Mux(rounds.we, rounds.length, p.keys.longest))

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

    def _join(self, m: Module, source: Any, target: Any, names: tuple[str, ...]) -> None:
        """Connects members that have the same names."""
        m.d.comb += [getattr(target, name).eq(getattr(source, name)) for name in names]
