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

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.cycles import FENCE_CYCLES
from modeloom.cycles.messages import WORD_CYCLES
from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.inline_port import InlineKeyPort, turn_layout
from modeloom.rtl.bus.ports import BusComponent, join, ordered_key_beat, signals
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.command import order_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.powers import KeyPowers

__all__ = ["InlineKeys", "KeyRing", "TurnPreparation", "TurnPreparations"]


# Computes the values that depend on a key only, for keys that come with messages.
#
# Two keys are in work at a time, in different places:
#
#     made ──▶ tokens: E(K, 0) ... ──▶ base ──▶ powers ──▶ ready
#              through the pipeline             a multiplier of its own
#              key n + 1                        key n
#
# A token takes a cycle from the messages if no cycle is free.  Powers of the key of the hash take no cycles from them.

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
            "made": In(stream.Signature(turn_layout(p.keys.slots))),
            **({"base": In(p.block_bits)} if p.ordered_keys.base_word is not None else {}),
            "prepare": Out(1), "prepare_kind": Out(range(max(2, len(plan.tokens) + len(plan.preparations)))),
            "prepare_slot": Out(p.slot_bits), "prepared": In(1),
            "word_valid": In(1), "word_index": In(index), "word": In(p.block_bits),
            "power_we": Out(1), "power_slot": Out(p.slot_bits), "power_index": Out(index), "power": Out(p.block_bits), "power_taken": In(1),
            "mine": In(1), "ready": Out(1), "turn": Out(turn_layout(p.keys.slots)), "busy": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the powers, and the state machine: a key waits, sends its tokens one by one, and is handed to the powers."""
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        kinds = [len(plan.tokens) + number for number in p.prepared_by_tokens]
        number_reg = Signal(range(len(kinds) + 1))
        wait_reg = Signal(range(WORD_CYCLES + 1))
        turn_reg, last_reg = signals("turn_reg last_reg", turn_layout(p.keys.slots))
        last_valid_reg, start, powers_busy = signals("last_valid_reg start powers_busy")
        base_reg = Signal(p.block_bits)
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
                    if p.ordered_keys.base_word is not None:
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


# -- turn preparations -------------------------------------------------------------------------------------------------------------

# Several preparations of keys that come with messages, which take keys by turns.
#
#     made ──┬─▶ TurnPreparation ──┐      tokens: one of those that ask
#            ├─▶ TurnPreparation ──┼──▶   words of the pipeline: by their slot
#            └─▶ TurnPreparation ──┘      ready, in the order of the keys
#
# A token of set-up takes as long as the cipher.  While one key waits for its token, other keys are prepared.

ASKED = ("prepare_kind", "prepare_slot")
WRITTEN = ("power_slot", "power_index", "power")


class TurnPreparations(BusComponent[MessageParameters]):
    """As many preparations as the distance of keys needs.

    Members
    -------
    word_slot : slot
        The slot of the word that the pipeline writes.
    others
        Those of :class:`~modeloom.rtl.stream.inline_keys.TurnPreparation`, without ``mine``.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        own = TurnPreparation.ports(parameters)
        del own["mine"]
        return {**own, "word_slot": In(parameters.slot_bits)}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        parts = [TurnPreparation(p) for _ in range(p.preparations)]
        count = len(parts)
        # The one that takes the next slot, and the one whose slot is the next to be ready.
        next_reg, first_reg = signals("next_reg first_reg", range(max(2, count)))
        ready = Signal()
        for number, part in enumerate(parts):
            m.submodules[f"preparation_{number}"] = part
            m.d.comb += [
                part.made.payload.eq(self.made.payload), part.made.valid.eq(self.made.valid & (next_reg == number)),
                part.mine.eq(first_reg == number),
                part.word_valid.eq(self.word_valid & (self.word_slot == part.prepare_slot)),
                part.word_index.eq(self.word_index), part.word.eq(self.word),
            ]  # fmt: skip
            if p.ordered_keys.base_word is not None:
                m.d.comb += part.base.eq(self.base)
        m.d.comb += [
            self.made.ready.eq(Array(part.made.ready for part in parts)[next_reg]),
            ready.eq(Array(part.ready for part in parts)[first_reg]), self.ready.eq(ready),
            self.turn.eq(Array(part.turn.as_value() for part in parts)[first_reg]),
        ]  # fmt: skip
        for moves, register in ((self.made.valid & self.made.ready, next_reg), (ready, first_reg)):
            with m.If(moves):
                m.d.sync += register.eq(register + 1)
                with m.If(register == count - 1):
                    m.d.sync += register.eq(0)
        self._choose(m, parts, first_reg, "prepare", "prepared", ASKED)
        self._choose(m, parts, first_reg, "power_we", "power_taken", WRITTEN)
        m.d.comb += self.busy.eq(Cat(part.busy for part in parts).any())
        return m

    def _choose(
        self, m: Module, parts: list[TurnPreparation], first: Signal, asks: str, taken: str, members: tuple[str, ...]
    ) -> None:
        """Serves the oldest key of those that ask.  If a younger one went first, the messages of both would wait for the older one."""
        # Those from ``first`` on have older keys than those before it.  The last part is always one of them.
        order = [(part, getattr(part, asks) & (first <= number)) for number, part in enumerate(parts[:-1])]
        order += [(part, getattr(part, asks)) for part in (parts[-1], *parts[:-1])]
        for place, (part, asked) in enumerate(order):
            with m.Elif(asked) if place else m.If(asked):
                m.d.comb += [getattr(self, asks).eq(1), getattr(part, taken).eq(getattr(self, taken))]
                m.d.comb += [getattr(self, name).eq(getattr(part, name)) for name in members]


# -- ring --------------------------------------------------------------------------------------------------------------------------

# The ring of hidden key slots decides which slot a message has, and when a slot is free again.
#
#            prepared        taken by a command     its messages are done     overwritten
#     free ────────▶ ready ─────────▶ current ─▶ used ────────▶ erased ──────────▶ free
#       slot n + 2     slot n + 1        slot n         slot n - 1
#
# Slots are used in turn.  A command that brings a key waits for the next slot.  Every other command has the slot of the command
# before it.

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
            "scrub": Out(1), "scrubbed": In(1), "busy": Out(1), **dict.fromkeys(p.keys.told, Out(1)),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the slot of a command, the numbers of slots, the erasure of used slots, and that of the state."""
        m = Module()
        p = self.parameters
        slots = p.keys.slots
        good_reg, drops_reg = signals("good_reg drops_reg", slots)
        head_reg, current_reg, tail_reg = (Signal(range(slots), name=f"{name}_reg") for name in ("head", "current", "tail"))
        in_use_reg, ready_reg, used_reg = (Signal(range(slots + 1), name=f"{name}_reg") for name in ("taken", "ready", "used"))
        # any_reg: a slot has been taken.  has_key_reg: the last slot that was taken has a key.
        any_reg, has_key_reg, room_reg, freed, used = signals("any_reg has_key_reg room_reg freed used")

        # -- which slot a command has ---------------------------------------------------------------------------------------------
        command = self.i.payload
        some_ready, good, drops, take = signals("some_ready good drops take")
        m.d.comb += [
            some_ready.eq(ready_reg != 0), good.eq(good_reg.bit_select(head_reg, 1)), drops.eq(drops_reg.bit_select(head_reg, 1)),
            self.o.valid.eq(self.i.valid & (~command.new_key | (some_ready & ~drops))),
            self.i.ready.eq(self.o.ready & (~command.new_key | (some_ready & ~drops))),
            self.o.payload.eq(command),
            self.o.payload.message.slot.eq(Mux(command.new_key, head_reg, current_reg)),
            # No command uses the slot of a packet that drops a key, so this slot is taken as soon as it is the next one.
            take.eq(some_ready & (drops | (self.i.valid & command.new_key & self.o.ready))),
        ]  # fmt: skip
        with m.If(~Mux(command.new_key, good, has_key_reg) & (command.code < MessageCode.NO_KEY)):
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
        in_use = p.ordered_keys.in_use(self.in_use, drops_reg.bit_select(tail_reg, 1))
        if p.writers:
            overwriting = self._clear(m, used, freed, tail_reg, in_use)
        else:
            overwriting = self._overwrite(m, used_reg, freed, tail_reg, in_use)
        m.d.comb += [getattr(self, name).eq(freed) for name in p.keys.told]
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
        m.d.comb += [self.query.eq(tail_reg), self.erase_index.eq(words_reg - 1), self.erase_number.eq(rounds_reg - 1)]
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
        return Mux(slot == self.parameters.key_slots - 1, 0, slot + 1)


# -- inline keys -------------------------------------------------------------------------------------------------------------------

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
        As in :class:`~modeloom.rtl.stream.inline_keys.KeyRing`.
    prepare, prepare_kind, prepare_slot, prepared, word_valid, word_index, word, word_slot
        As in :class:`~modeloom.rtl.stream.inline_keys.TurnPreparations`.
    key_we, key_slot, key_index, key_data, rk_we, rk_slot, rk_round, rk_data, rk_length
        Write ports of the pipeline.  Nothing is written to the key memory in a cycle with ``word_valid``.
    rk_we_1, rk_slot_1, rk_round_1, rk_data_1, rk_length_1
        That of a second key schedule.
    clear_words, words_cleared, clear_rounds, clear_slot
        Zeros to all words, or to all round keys, of a slot.  They are there with iterative key schedules.
    freed : 1
        As in the ring, if ``parameters.keys.told`` has it.
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
            **dict.fromkeys(p.keys.told, Out(1)),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes port, preparation and ring, and the write ports of words and round keys that they share."""
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
        m.d.comb += [
            *join(port, ring, "begun"), *join(ring, port, "room"), *join(preparation, ring, "ready", "turn"),
            *join(preparation, self, "prepare", "prepare_kind", "prepare_slot"),
            *join(self, preparation, "prepared", "word_valid", "word_index", "word"),
            *join(ring, self, "query", "scrub"), *join(self, ring, "in_use", "scrubbed"),
        ]  # fmt: skip
        if p.ordered_keys.base_word is not None:
            m.d.comb += join(port, preparation, "base")
        m.d.comb += join(ring, self, *p.keys.told)

        free, given = signals("free given")
        m.d.comb += [
            # The slot of the next packet may still be cleared.
            given.eq(port.word.we & ~ring.clear_words if p.writers else port.word.we),
            free.eq(~self.word_valid),
            port.word_taken.eq(free & given),
            preparation.power_taken.eq(free & ~given & preparation.power_we),
        ]  # fmt: skip
        erases = Const(0, 1)
        if p.writers:
            m.d.comb += [*join(ring, self, "clear_words", "clear_rounds", "clear_slot"), *join(self, ring, "words_cleared")]
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
            for name, longest in p.keys.size_fields.items():
                # Zeros are written with the length of the longest key, so that they reach all round keys.
                m.d.comb += getattr(self, f"rk_{name}{unit}").eq(Mux(rounds.we, getattr(rounds, name), longest))
