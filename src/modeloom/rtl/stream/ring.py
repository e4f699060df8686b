# SPDX-License-Identifier: Apache-2.0
"""The ring of hidden key slots decides which slot a message has, and when a slot is free again.

::

           prepared        taken by a command     its messages are done     overwritten
    free ────────▶ ready ─────────▶ current ─▶ used ────────▶ erased ──────────▶ free
      slot n + 2     slot n + 1        slot n         slot n - 1

Slots are used in turn.  A command that brings a key waits for the next slot.  Every other command has the slot of the command
before it.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.cycles import FENCE_CYCLES
from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.inline_port import turn_layout
from modeloom.rtl.stream.command import order_layout
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["KeyRing"]

ANSWER_AFTER = 3
"""Cycles from a slot in question to the answer of the messages in flight."""


class KeyRing(BusComponent[MessageParameters]):
    """Gives each command its slot.

    Members
    -------
    begun, room : 1, 1
        ``begun`` says that the next slot is in use from now on, and ``room`` that there is a free slot.
    ready, turn : 1, turn_layout
        A slot is prepared.
    i, o : stream of order_layout
        Commands.  Those of ``o`` have a slot.  Their code is ``NO_KEY`` if the slot holds no key.
    query, in_use : slot, 1
        Asks the messages in flight whether any of them uses a slot.
    erase_word, erase_index, word_taken : 1, number of a word, 1
    erase_round, erase_number, round_taken : 1, number of a round key, 1
        Writes zeros to a word, or to a round key, of slot ``query``.  They hold until the zeros are written.
    clear_words, words_cleared, clear_rounds, clear_slot : 1, 1, 1, slot
        In the place of these with iterative key schedules: clears the words, or the round keys, of a slot.  The first holds until it is
        done, and the second holds for two cycles.
    scrub, scrubbed : 1, 1
        Asks the entry to overwrite what messages have left in the state.
    busy : 1
        Something of a used key is left.
    freed : 1
        A slot is free again, after the slots before it.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            "begun": In(1), "room": Out(1), "ready": In(1), "turn": In(turn_layout(p.keys.slots)),
            "i": In(stream.Signature(order_layout(p))), "o": Out(stream.Signature(order_layout(p))),
            "query": Out(p.slot_bits), "in_use": In(1),
            **({
                "clear_words": Out(1), "words_cleared": In(1), "clear_rounds": Out(1), "clear_slot": Out(p.slot_bits),
            } if p.writers else {
                "erase_word": Out(1), "erase_index": Out(range(max(2, p.keys.words))), "word_taken": In(1),
                "erase_round": Out(1), "erase_number": Out(p.keys.round_bits), "round_taken": In(1),
            }),
            "scrub": Out(1), "scrubbed": In(1), "busy": Out(1), **({"freed": Out(1)} if p.tells_freed else {}),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        slots = p.keys.slots
        good_reg = Signal(slots)
        drops_reg = Signal(slots)
        head_reg, current_reg, tail_reg = (Signal(range(slots), name=f"{name}_reg") for name in ("head", "current", "tail"))
        in_use_reg, ready_reg, used_reg = (Signal(range(slots + 1), name=f"{name}_reg") for name in ("taken", "ready", "used"))
        # any_reg: a slot has been taken.  has_key_reg: the last slot that was taken has a key.
        any_reg = Signal()
        has_key_reg = Signal()
        room_reg = Signal()
        freed = Signal()
        used = Signal()

        # -- which slot a command has ---------------------------------------------------------------------------------------------
        order = self.i.payload
        some_ready = Signal()
        good = Signal()
        drops = Signal()
        take = Signal()
        m.d.comb += [
            some_ready.eq(ready_reg != 0), good.eq(good_reg.bit_select(head_reg, 1)), drops.eq(drops_reg.bit_select(head_reg, 1)),
            self.o.valid.eq(self.i.valid & (~order.new_key | (some_ready & ~drops))),
            self.i.ready.eq(self.o.ready & (~order.new_key | (some_ready & ~drops))),
            self.o.payload.eq(order),
            self.o.payload.message.slot.eq(Mux(order.new_key, head_reg, current_reg)),
            # No command uses the slot of a packet that drops a key, so this slot is taken as soon as it is the next one.
            take.eq(some_ready & (drops | (self.i.valid & order.new_key & self.o.ready))),
        ]  # fmt: skip
        with m.If(~Mux(order.new_key, good, has_key_reg) & (order.code < MessageCode.NO_KEY)):
            m.d.comb += self.o.payload.code.eq(MessageCode.NO_KEY)
        with m.If(take):
            m.d.sync += [any_reg.eq(1), has_key_reg.eq(good), current_reg.eq(head_reg), head_reg.eq(self._next(head_reg))]
        with m.If(self.ready):
            m.d.sync += [
                good_reg.bit_select(self.turn.slot, 1).eq(self.turn.good), drops_reg.bit_select(self.turn.slot, 1).eq(self.turn.drops),
            ]  # fmt: skip

        # -- how many there are ---------------------------------------------------------------------------------------------------
        taken = Signal.like(in_use_reg)
        m.d.comb += [taken.eq(in_use_reg + self.begun - freed), self.room.eq(room_reg), used.eq(take & any_reg)]
        m.d.sync += [
            in_use_reg.eq(taken), room_reg.eq(taken != slots), ready_reg.eq(ready_reg + self.ready - take),
            used_reg.eq(used_reg + used - freed),
        ]  # fmt: skip

        # -- used slots -----------------------------------------------------------------------------------------------------------
        in_use = self.in_use
        if p.tells_freed:
            # Keys are dropped whenever no message waits.  No message has the slot of such a packet, so nothing is asked of what the
            # messages in flight have stored for it, which may never have been written.
            in_use = in_use & ~drops_reg.bit_select(tail_reg, 1)
        if p.writers:
            overwriting = self._clear(m, used, freed, tail_reg, in_use)
        else:
            overwriting = self._overwrite(m, used_reg, freed, tail_reg, in_use)
        if p.tells_freed:
            m.d.comb += self.freed.eq(freed)
        left_reg = Signal()
        with m.If(freed):
            m.d.sync += left_reg.eq(1)

        # -- what its messages left in the state ----------------------------------------------------------------------------------
        wait_reg = Signal(range(p.flush + 1))
        with m.FSM() as scrubbing:
            with m.State("IDLE"):
                m.d.sync += wait_reg.eq(p.flush)
                with m.If(left_reg):
                    m.d.sync += left_reg.eq(freed)
                    m.next = "SCRUB"
            with m.State("SCRUB"):
                m.d.comb += self.scrub.eq(1)
                with m.If(self.scrubbed):
                    m.next = "FLUSH"
            with m.State("FLUSH"):
                # Old values leave the pipeline in these cycles.
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "IDLE"
        m.d.comb += self.busy.eq((used_reg != 0) | left_reg | overwriting | ~scrubbing.ongoing("IDLE"))
        return m

    def _overwrite(self, m: Module, used_reg: Signal, freed: Signal, tail_reg: Signal, in_use: Value) -> Value:
        """Writes zeros over used slots, word by word.  Returns whether it does."""
        p = self.parameters
        fence_reg = Signal(range(FENCE_CYCLES + 1))
        words_reg = Signal(range(p.keys.words + 1))
        rounds_reg = Signal(range(p.keys.round_keys + 1))
        m.d.comb += [
            self.query.eq(tail_reg), self.erase_index.eq(words_reg - 1), self.erase_number.eq(rounds_reg - 1),
        ]  # fmt: skip
        with m.FSM() as overwriting:
            with m.State("IDLE"):
                m.d.sync += fence_reg.eq(FENCE_CYCLES)
                with m.If(used_reg != 0):
                    m.next = "FENCE"
            with m.State("FENCE"):
                # Messages of the slot that have just begun are seen some cycles later.
                m.d.sync += [words_reg.eq(p.keys.words), rounds_reg.eq(p.keys.round_keys)]
                with m.If(fence_reg != 0):
                    m.d.sync += fence_reg.eq(fence_reg - 1)
                with m.Elif(~in_use):
                    m.next = "ERASE"
            with m.State("ERASE"):
                m.d.comb += [self.erase_word.eq(words_reg != 0), self.erase_round.eq(rounds_reg != 0)]
                with m.If(self.word_taken):
                    m.d.sync += words_reg.eq(words_reg - 1)
                with m.If(self.round_taken):
                    m.d.sync += rounds_reg.eq(rounds_reg - 1)
                with m.If((words_reg == 0) & (rounds_reg == 0)):
                    m.d.comb += freed.eq(1)
                    m.d.sync += tail_reg.eq(self._next(tail_reg))
                    m.next = "IDLE"
        return ~overwriting.ongoing("IDLE")

    def _clear(self, m: Module, used: Signal, freed: Signal, tail_reg: Signal, in_use: Value) -> Value:
        """Clears used slots, one every few cycles.  Returns whether it does."""
        # Messages of a slot that have just begun are seen some cycles later, so it gets as old before it is looked at.
        age_reg = Signal(FENCE_CYCLES)
        old_reg = Signal(range(self.parameters.keys.slots + 1))
        wait_reg = Signal(range(ANSWER_AFTER + 1))
        words_reg = Signal()
        rounds_reg = Signal(2)
        slot_reg = Signal.like(tail_reg, name="clear_slot_reg")
        idle = Signal()
        m.d.comb += [
            self.query.eq(tail_reg), self.clear_words.eq(words_reg), self.clear_rounds.eq(rounds_reg.any()), self.clear_slot.eq(slot_reg),
            idle.eq(~words_reg & (rounds_reg == 0)),
        ]  # fmt: skip
        m.d.sync += [age_reg.eq(Cat(used, age_reg)), old_reg.eq(old_reg + age_reg[-1] - freed), rounds_reg.eq(rounds_reg << 1)]
        with m.If(self.words_cleared):
            m.d.sync += words_reg.eq(0)
        with m.If(old_reg == 0):
            m.d.sync += wait_reg.eq(ANSWER_AFTER)
        with m.Elif(wait_reg != 0):
            m.d.sync += wait_reg.eq(wait_reg - 1)
        with m.Elif(~in_use & idle):
            # Zeros come before whatever the next packet writes to the slot.
            m.d.comb += freed.eq(1)
            m.d.sync += [
                tail_reg.eq(self._next(tail_reg)), slot_reg.eq(tail_reg), words_reg.eq(1), rounds_reg.eq(1), wait_reg.eq(ANSWER_AFTER),
            ]  # fmt: skip
        return ~idle

    def _next(self, slot: Signal) -> object:
        """The slot behind a slot."""
        return Mux(slot == self.parameters.keys.slots - 1, 0, slot + 1)
