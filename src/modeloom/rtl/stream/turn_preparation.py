# SPDX-License-Identifier: Apache-2.0
"""Computes the values that depend on a key only, for keys that come with messages.

Two keys are in work at a time, in different places::

    made ──▶ tokens: E(K, 0) ... ──▶ base ──▶ powers ──▶ ready
             through the pipeline             a multiplier of its own
             key n + 1                        key n

A token takes a cycle from the messages if no cycle is free.  Powers of the key of the hash take no cycles from them.
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import WORD_CYCLES
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.inline_port import turn_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.powers import KeyPowers

__all__ = ["TurnPreparation"]


class TurnPreparation(BusComponent[MessageParameters]):
    """Prepares the slots of the ring in order.

    Members
    -------
    made : stream of turn_layout
        Slots whose round keys are written, from the key port.
    base : block_bits
        The key of the hash for the slot in ``made``.  It is there only if this key comes from the host.
    prepare, prepare_kind, prepare_slot, prepared : 1, kind, slot, 1
        Asks the entry for a token of set-up, until the token has entered.
    word_valid, word_index, word : In
        The pipeline writes the word of the last token.
    power_we, power_slot, power_index, power, power_taken
        Writes a power to the key memory.  It holds until it is written.
    mine : 1
        The slots before this one are ready.
    ready, turn : 1, turn_layout
        A slot has everything that its messages need, or it has no key.
    busy : 1
        There is a slot that is not ready.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p, plan = parameters, parameters.plan
        index = range(max(2, len(plan.words)))
        return {
            "made": In(stream.Signature(turn_layout(p.keys.slots))), **({"base": In(p.block_bits)} if p.base_word is not None else {}),
            "prepare": Out(1), "prepare_kind": Out(range(max(2, len(plan.tokens) + len(plan.preparations)))),
            "prepare_slot": Out(p.slot_bits), "prepared": In(1),
            "word_valid": In(1), "word_index": In(index), "word": In(p.block_bits),
            "power_we": Out(1), "power_slot": Out(p.slot_bits), "power_index": Out(index), "power": Out(p.block_bits), "power_taken": In(1),
            "mine": In(1), "ready": Out(1), "turn": Out(turn_layout(p.keys.slots)), "busy": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        kinds = [len(plan.tokens) + number for number in p.prepared_by_tokens]
        number_reg = Signal(range(len(kinds) + 1))
        wait_reg = Signal(range(WORD_CYCLES + 1))
        turn_reg = Signal(turn_layout(p.keys.slots))
        last_reg = Signal(turn_layout(p.keys.slots))
        last_valid_reg = Signal()
        base_reg = Signal(p.block_bits)
        start = Signal()
        powers_busy = Signal()
        base: int | None = None
        if p.powers:
            assert plan.horner is not None and plan.horner.key is not None
            base = plan.word(plan.horner.key)
            m.submodules.powers = powers = KeyPowers(plan.mode.field, plan.chains, p.power_digit)
            # The place of each power in a slot.  Powers 0 and 1 are not computed.
            places = [0, 0, *(plan.word(plan.horner.key, exponent) for exponent in range(2, plan.chains + 1))]
            m.d.comb += [
                powers.start.eq(start & turn_reg.good), powers.base.eq(base_reg), powers_busy.eq(powers.busy),
                self.power_we.eq(powers.we), self.power_index.eq(Array(places)[powers.exponent]), self.power.eq(powers.data),
                powers.taken.eq(self.power_taken),
            ]  # fmt: skip

        m.d.comb += [
            self.prepare_kind.eq(Array(kinds)[number_reg] if kinds else Const(0, 1)), self.prepare_slot.eq(turn_reg.slot),
            self.power_slot.eq(last_reg.slot), self.ready.eq(last_valid_reg & ~powers_busy & self.mine), self.turn.eq(last_reg),
        ]  # fmt: skip
        with m.If(self.ready):
            m.d.sync += last_valid_reg.eq(0)
        with m.FSM() as fsm:
            with m.State("IDLE"):
                m.d.comb += self.made.ready.eq(1)
                m.d.sync += [turn_reg.eq(self.made.payload), number_reg.eq(0), wait_reg.eq(WORD_CYCLES)]
                with m.If(self.made.valid):
                    if p.base_word is not None:
                        m.d.sync += base_reg.eq(self.base)
                    with m.If(self.made.payload.good & bool(kinds)):
                        m.next = "WAIT"
                    with m.Else():
                        m.next = "HAND"
            with m.State("WAIT"):
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "TOKEN"
            with m.State("TOKEN"):
                m.d.comb += self.prepare.eq(1)
                with m.If(self.prepared):
                    m.next = "WORD"
            with m.State("WORD"):
                m.d.sync += wait_reg.eq(WORD_CYCLES)
                with m.If(self.word_valid):
                    if base is not None:
                        with m.If(self.word_index == base):
                            m.d.sync += base_reg.eq(self.word)
                    m.d.sync += number_reg.eq(number_reg + 1)
                    with m.If(number_reg == len(kinds) - 1):
                        m.next = "HAND"
                    with m.Else():
                        m.next = "WAIT"
            with m.State("HAND"):
                with m.If(~powers_busy & (~last_valid_reg | self.mine)):
                    m.d.comb += start.eq(1)
                    m.d.sync += [last_reg.eq(turn_reg), last_valid_reg.eq(1), base_reg.eq(0)]
                    m.next = "IDLE"
        m.d.comb += self.busy.eq(~fsm.ongoing("IDLE") | last_valid_reg)
        return m
