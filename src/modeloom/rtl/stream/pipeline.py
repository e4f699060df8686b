# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a stream mode: units at their stages, delay lines between them, and the state at its homes.

::

    token ──┬─ kind, slot, ... ──[reg]──[reg]── ... ──▶ selects of each stage
            └─ block ────────────[reg]── ... ─┐
    state ──▶ operands ──▶ cipher ────────────┴─▶ operands ──▶ multiplier ──▶ text, tag
      ▲                                              │
      └──────────────────────────────────────────────┘

A token may enter in any cycle, and nothing stalls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.inline_port import writer_ends
from modeloom.rtl.stream.key_values import KeyValues
from modeloom.rtl.stream.line import Line
from modeloom.rtl.stream.state import StateValues
from modeloom.rtl.stream.token import token_signature
from modeloom.rtl.stream.values import GatedSum
from modeloom.spec.kinds import CIPHER
from modeloom.streams.place import cipher_units
from modeloom.streams.plan import StreamPlan

__all__ = ["TokenPipeline"]


class TokenPipeline(wiring.Component):
    """The pipeline that a plan describes.

    Parameters
    ----------
    plan : StreamPlan
    ciphers : sequence of Component
        Pipelines of the block cipher, ``plan.cores`` for each lane, with ports ``i``, ``slot``, ``o`` and those of round keys.  Empty if
        no step uses it.
    multipliers : sequence of Component
        A multiplier for each lane, with ports ``a``, ``b``, ``o``.  Its latency is ``MULTIPLIER_REGISTERS`` cycles less than the
        plan counts.  Empty if no step uses it.
    slots : int
        Key slots.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key.
    erase_bits : int
        Width of ``erase_address``; 0 if the memories cannot be erased.
    contexts : int
        Messages that may interleave; each has a state of its own.
    writers : int
        Iterative key schedules that write round keys; 0 if a slot is not cleared at once.
    start_places : int
        Messages that may have started and not begun, if starts run ahead.
    directions : sequence of str
        Those that the core has, of "encrypt" and "decrypt".  There are no tokens for the text of another one.
    last_words : bool
        Whether a token of set-up brings the word before as its block.  The plan has a ``last_operand``.

    Members
    -------
    i : token_signature
        The token that enters.
    started, clear_started, clear_place, started_cleared : Out, In, In, Out
        If starts run ahead: starts have been computed, in the order of their tokens.  Zeros to a place, as soon as ``started_cleared``.
    text, text_valid : Out
        Blocks of text, one for each lane, or both blocks of a pair.  A lane without text is zero, and so is a block that no partner has.
    tag, tag_valid : Out
        A tag.  Without ``tag_valid`` it is zero, or the sum that is the tag otherwise (``tag_sum``).
    word, word_valid, word_index, word_slot : Out
        A word of the key memory that set-up has computed.  The pipeline writes it to the memory itself.
    last_word : Out
        With *last_words* only: the last word of the set-up under way, for the next token of it.  Zero if none is under way.
    key_we, key_slot, key_index, key_data : In
        Writes a word of the key memory.
    clear_words, words_cleared, clear_rounds, clear_slot : In, Out, In, In
        With writers: clears the words of a slot, until ``words_cleared``, or its round keys in two cycles.
    rk_we, rk_slot, rk_round, rk_data, rk_length : In
        Writes a round key.  ``rk_length`` is the size of its key, only with a cipher for several sizes.  It is the longest while
        the pipeline is held in reset.  A second writer has a port of its own, with names that end in ``_1``.
    rk_data_dec : In
        The round key in the form for inverse ciphers, only with a cipher that takes it.
    batch : In
        With a cipher that takes batches only: high ``BATCH_LEAD`` cycles before the first token of a batch is in stage 0.
    erase, erase_address : In
        While the pipeline is held in reset, and ``rk_data`` is zero: zeros to this word of all memories.  A round key has the
        address slot · 2^``round_bits`` + round.
    """

    def __init__(
        self, plan: StreamPlan, ciphers: Sequence[Any], multipliers: Sequence[Any], slots: int, round_bits: int, round_key_bits: int,
        erase_bits: int = 0, contexts: int = 1, writers: int = 0, start_places: int = 2, last_words: bool = False,
        directions: Sequence[str] = ("encrypt", "decrypt"),
    ):  # fmt: skip
        self.plan, self.ciphers, self.multipliers, self.slots = plan, list(ciphers), list(multipliers), slots
        self.round_bits, self.erase_bits, self.contexts = round_bits, erase_bits, contexts
        self.writers, self.last_words, self.directions = writers, last_words, tuple(directions)
        self.width = 8 * plan.mode.block_bytes
        self.start_places = start_places
        # Whether the cipher takes keys of several sizes, has both directions, takes blocks in batches, and round keys for inverse ciphers.
        members = self.ciphers[0].signature.members if self.ciphers else ()
        self.key_sizes, self.deciphers, self.batches, self.inverse_keys = (
            name in members for name in ("key_length", "decrypt", "batch", "key_data_dec")
        )  # fmt: skip
        early, lanes, slot = int(plan.runs_ahead), plan.lanes, range(max(2, slots))
        super().__init__({
            "i": In(token_signature(plan, slots, contexts, start_places)),
            "started": Out(early), "clear_started": In(early), "started_cleared": Out(early),
            "clear_place": In(range(early * start_places)),
            "text": Out(self.width).array(lanes * plan.mode.text_blocks), "text_valid": Out(1), "tag": Out(self.width), "tag_valid": Out(1),
            "word": Out(self.width), "word_valid": Out(1), "word_index": Out(range(max(2, len(plan.words)))), "word_slot": Out(slot),
            "key_we": In(1), "key_slot": In(slot), "key_index": In(range(max(2, len(plan.words)))), "key_data": In(self.width),
            **{f"rk_{name}{unit}": In(shape) for unit in writer_ends(writers)
               for name, shape in (("we", 1), ("slot", slot), ("round", round_bits), ("data", round_key_bits))},
            **({"clear_words": In(1), "words_cleared": Out(1), "clear_rounds": In(1), "clear_slot": In(slot)} if writers else {}),
            **({"rk_data_dec": In(round_key_bits)} if self.inverse_keys else {}),
            "erase": In(1), "erase_address": In(erase_bits), **({"last_word": Out(self.width)} if last_words else {}),
            **({f"rk_length{unit}": In(len(self.ciphers[0].key_length)) for unit in writer_ends(writers)} if self.key_sizes else {}),
            **({"batch": In(1)} if self.batches else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        return _Elaboration(self).run()


class _Elaboration(StateValues, KeyValues):
    c: TokenPipeline

    def run(self) -> Module:
        self._make_units()
        self.make_states()
        self.make_keys()
        self.connect_hash()
        self.chain_states()
        self._connect_operands()
        self.write_states()
        self._connect_outputs()
        self.make_started()
        self.connect_words()
        self.make_words()
        return self.m

    # -- units ----------------------------------------------------------------------------------------------------------------

    def _make_units(self) -> None:
        c = self.c
        ciphers = cipher_units(self.plan.cores)
        for unit, stage in self.placed.stages.items():
            for lane in range(self.lanes):
                if unit == "mul" and c.multipliers:
                    result = self._multiplier(c.multipliers[lane], lane)
                elif unit != "mul" and c.ciphers:
                    result = self._cipher(c.ciphers[lane * len(ciphers) + ciphers.index(unit)], lane, unit, stage)
                else:
                    continue
                self.units[lane][unit] = self.line(result, stage + self.placed.latencies[unit], self.in_lane(lane, unit))

    def _multiplier(self, component: Any, lane: int) -> Value:
        m = self.m
        m.submodules[self.in_lane(lane, "multiplier")] = component
        self.operands[lane]["mul"] = ports = tuple(Signal(self.width, name=self.in_lane(lane, f"mul_{port}")) for port in "ab")
        registers = [Signal(self.width, name=f"{port.name}_reg", reset_less=True) for port in ports]
        # With a reset, what the chains are overwritten with is zero.
        product = Signal(self.width, name=self.in_lane(lane, "mul") + "_reg")
        m.d.sync += [register.eq(port) for register, port in zip(registers, ports, strict=True)]
        m.d.comb += [component.a.eq(registers[0]), component.b.eq(registers[1])]
        m.d.sync += product.eq(component.o)
        return product

    def _deciphering(self, lane: int, unit: str) -> list[tuple[Line, int]]:
        """The kinds of tokens of a lane that decipher a block in a cipher, with the cycles by which they do so later."""
        found = [
            (line, self.placed.later(token.title, done)) for line, token, step in self.tokens(lane) for done in token.operations
            if step.operations[done].operation.inverse_keys and self.placed.units[token.title][done] == unit
        ]  # fmt: skip
        preparations = enumerate(self.plan.preparations, len(self.plan.tokens))
        made = [(self.kinds[0][number], 0) for number, each in preparations if each.operation.inverse_keys]
        return found + (made if lane == 0 and unit == CIPHER else [])

    def _slot(self, lane: int, unit: str, stage: int) -> Value:
        """The key slot of the token that has a cipher: one that comes by, or one that returns."""
        slot = self.lines["slot"].at(stage)
        returning: dict[int, list[Value]] = {}
        for line, token, _ in self.tokens(lane):
            for done in token.operations:
                later = self.placed.later(token.title, done)
                if later and self.placed.units[token.title][done] == unit:
                    returning.setdefault(later, []).append(line.at(stage + later))
        for later, kinds in returning.items():
            slot = Mux(reduce(or_, kinds), self.lines["slot"].at(stage + later), slot)
        return slot

    def _cipher(self, component: Any, lane: int, unit: str, stage: int) -> Value:
        m, c = self.m, self.c
        m.submodules[self.in_lane(lane, unit)] = component
        ports = ("i", "tweak") if "tweak" in component.signature.members else ("i",)
        self.operands[lane][unit] = operands = tuple(Signal(self.width, name=self.in_lane(lane, f"{unit}_{port}")) for port in ports)
        m.d.comb += [getattr(component, port).eq(operand) for port, operand in zip(ports, operands, strict=True)]
        m.d.comb += component.slot.eq(self._slot(lane, unit, stage))
        if c.deciphers:
            deciphering = (line.at(stage + later) for line, later in self._deciphering(lane, unit))
            m.d.comb += component.decrypt.eq(reduce(or_, deciphering, Const(0, 1)))
        if c.batches:
            m.d.comb += component.batch.eq(self.lines["batch"].at(stage))
        self._connect_round_keys(component)
        result: Value = component.o
        return result

    def _connect_round_keys(self, component: Any) -> None:
        m, c = self.m, self.c
        rounds = c.slots << c.round_bits
        erase: Value = Const(0, 1)
        if c.erase_bits:
            erase = c.erase & (c.erase_address < rounds) if 1 << c.erase_bits > rounds else c.erase
        m.d.comb += [
            component.key_we.eq(c.rk_we | erase), component.key_data.eq(c.rk_data),
            component.key_slot.eq(Mux(erase, c.erase_address[c.round_bits :], c.rk_slot)),
            component.key_round.eq(Mux(erase, c.erase_address[: c.round_bits], c.rk_round)),
        ]  # fmt: skip
        if c.inverse_keys:
            m.d.comb += component.key_data_dec.eq(c.rk_data_dec)
        if c.key_sizes:
            m.d.comb += component.key_length.eq(c.rk_length)
        if c.writers:
            m.d.comb += [component.key_clear.eq(c.clear_rounds), component.key_clear_slot.eq(c.clear_slot)]
        for unit in writer_ends(c.writers)[1:]:
            for name in ("we", "slot", "round", "data", *(["length"] if c.key_sizes else [])):
                m.d.comb += getattr(component, f"key_{name}{unit}").eq(getattr(c, f"rk_{name}{unit}"))

    # -- connections ----------------------------------------------------------------------------------------------------------

    def _connect_operands(self) -> None:
        m, c = self.m, self.c
        for lane in range(self.lanes):
            gathered: dict[tuple[str, int], GatedSum] = {}

            def of(port: tuple[str, int], lane: int = lane, gathered: dict[tuple[str, int], GatedSum] = gathered) -> GatedSum:
                return gathered.setdefault(port, GatedSum(self.width, self.operands[lane][port[0]][port[1]].name))

            for number, forms in self.all_operands(lane):
                token = self.plan.tokens[number] if number < len(self.plan.tokens) else None
                step, part = (self.plan.step(token.title), token.part) if token else (None, 0)
                for port, later, form in forms:
                    stage = self.placed.stages[port[0]] + later
                    self.gather(of(port), self.kinds[lane][number].at(stage), form, stage, step, part, lane, port)
            if self.plan.horner is not None:
                stage = self.placed.stages["mul"]
                product = self.lines["product"].at(stage)
                for line, form, step, part in self.hashed(lane):
                    self.gather(of(("mul", 0)), line.at(stage), form, stage, step, part, lane)
                # In a lane without a block, the chain goes on, too.
                of(("mul", 0)).add("chain", product & ~self.lines["fresh"].at(stage), self.chains[lane], quiet=True)
                if c.last_words:
                    # A token that brings nothing to the multiplier has no block.
                    kinds = [line.at(stage) for number, line in self.kinds[lane].items() if number != len(self.plan.tokens)]
                    of(("mul", 0)).hush(id(self.of_lane["block"][lane].at(stage)), kinds)
                key = self.reads[lane, "mul", 1]
                if self.lanes > 1:
                    one = Const(self.plan.mode.field.one, self.width)
                    of(("mul", 1)).add("power", product, Mux(self.of_lane["power"][lane].at(stage) == 0, one, key))
                else:
                    of(("mul", 1)).add(self._identity(key), product, key)
            for (unit, place), values in gathered.items():
                self.join_turns(values, self.placed.stages[unit])
                m.d.comb += self.operands[lane][unit][place].eq(values.total(m))

    def _connect_outputs(self) -> None:
        m, c = self.m, self.c
        tags: list[tuple[Value, Value]] = []
        valid: list[Value] = []
        for lane in range(self.lanes):
            pair = [GatedSum(self.width, self.in_lane(lane, name)) for name in ("text", "second")[: self.plan.mode.text_blocks]]
            for line, token, step in self.tokens(lane):
                if step.output is None or not token.ends:
                    continue
                if step.name == "tag":
                    stage = self.placed.outputs["tag"]
                    tags.append((line.at(stage), self.form(step.output, stage, step, token.part, lane)))
                    continue
                valid.append(line.at(self.plan.text_stage))
                for texts, form in zip(pair, step.outputs(), strict=False):
                    self.gather(texts, valid[-1], form, self.plan.text_stage, step, token.part, lane)
            m.d.comb += [c.text[lane + place].eq(texts.total(m)) for place, texts in enumerate(pair)]
        m.d.comb += [
            c.text_valid.eq(reduce(or_, valid)),
            c.tag_valid.eq(reduce(or_, (bit for bit, _ in tags))),
            c.tag.eq(
                self.states[self.tag_sum][-1].at(self.placed.outputs["tag"]) if self.tag_sum
                else reduce(or_, (Mux(bit, value, 0) for bit, value in tags))
            ),
        ]  # fmt: skip
