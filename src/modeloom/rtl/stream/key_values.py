# SPDX-License-Identifier: Apache-2.0
"""The key memory of a pipeline, with the places that read and write its words.

Each operand that reads words has a read port::

    host ──────────────────┐
    set-up: result of a unit ──▶ key memory ──▶ operand of a unit
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.gated import GatedSum
from modeloom.rtl.stream.last_word import by_port, last_operand
from modeloom.rtl.stream.values import TokenValues
from modeloom.rtl.stream.word_memory import WordMemory
from modeloom.streams.place import unit_of
from modeloom.streams.setup import Preparation
from modeloom.streams.steps import Form

__all__ = ["KeyValues"]

LUT_SLOTS = 64
"""Largest number of key slots for which words are in LUT memories.  With more slots they are in block memories."""


class KeyValues(TokenValues):
    """Makes the key memory of a pipeline."""

    def make_keys(self) -> None:
        """Makes the key memory with a read port for each place that reads words.  The kind of token there selects the word."""
        m, c, words = self.m, self.c, self.plan.words
        self.bits = max(1, (len(words) - 1).bit_length())
        wanted: dict[tuple[int, str, int], list[tuple[Value, Value]]] = {}
        beside = self._keys_beside() if self.plan.keys_beside else {}
        for lane in range(self.lanes):
            for number, forms in self.all_operands(lane):
                for (unit, port), _, form in forms:
                    for term in form:
                        if term.source.kind in (("word",) if beside else ("key", "word")):
                            word = term.source.what if term.source.kind == "word" else (term.source.what, 1)
                            is_kind = self.kinds[lane][number].at(self.placed.stages[unit] - 1)
                            index = Const(words.index(word), self.bits)  # type: ignore[arg-type]
                            wanted.setdefault((lane, unit, port), []).append((is_kind, index))
            if self.plan.horner is not None:
                base, stage = words.index((self.plan.horner.key, 1)), self.placed.stages["mul"] - 1  # type: ignore[arg-type]
                index = (self.of_lane["power"][lane].at(stage) + base - 1)[: self.bits]
                wanted.setdefault((lane, "mul", 1), []).append((self.lines["product"].at(stage), index))
            for node, (port, numbers) in beside.items():
                index = Const(words.index((node, 1)), self.bits)
                wanted.setdefault((lane, "", port), []).extend(
                    (self.kinds[lane][number].at(0), index) for number in numbers if number in self.kinds[lane]
                )
        if c.last_words:
            # The word before enters with its token.
            key = (0, *last_operand(self.plan))  # type: ignore[misc]
            del wanted[key]
            self.reads[key] = self.of_lane["block"][0].at(self.placed.stages[key[1]])
        if not words:
            if c.writers:
                m.d.comb += c.words_cleared.eq(c.clear_words)
            return
        style = "distributed" if c.slots <= LUT_SLOTS else "block"
        memory: BlockMemory | WordMemory
        if c.writers:
            memory = WordMemory(self.width, len(words), c.slots, max(1, len(wanted)), c.erase_bits)
            m.d.comb += [
                memory.erase.eq(c.erase), memory.erase_address.eq(c.erase_address),
                memory.clear.eq(c.clear_words), memory.clear_slot.eq(c.clear_slot), c.words_cleared.eq(memory.cleared),
            ]  # fmt: skip
        else:
            memory = self.memory(c.slots << self.bits, max(1, len(wanted)), style)
        self.key_memory = memory
        m.submodules.key_memory = memory
        for place, (key, by_kind) in enumerate(wanted.items()):
            # What is read beside units is there in stage 1.
            stage = self.placed.stages[key[1]] - 1 if key[1] else 0
            address = reduce(or_, (Mux(is_kind, index, 0) for is_kind, index in by_kind))
            m.d.comb += memory.raddr[place].eq(Cat(address[: self.bits], self.lines["slot"].at(stage)))
            self.reads[key] = memory.rdata[place]
        for lane in range(self.lanes):
            for port in sorted({port for port, _ in beside.values()}):
                line = self.line(self.reads[lane, "", port], 1, self.in_lane(lane, f"key_{port}"))
                self.key_lines |= {(lane, node): line for node, (of, _) in beside.items() if of == port}

    def _keep_last(self) -> None:
        """Keeps the last word of a set-up that goes on, for its next token.  Nothing of a key stays behind its set-up."""
        m, c = self.m, self.c
        if not c.last_words:
            return
        last_word_reg = Signal(self.width)
        ends = Signal(name="set_up_ends")
        m.d.comb += [ends.eq(c.word_index == self.plan.words.index(self.plan.preparations[-1].word)), c.last_word.eq(last_word_reg)]
        with m.If(c.word_valid & ends):
            m.d.sync += last_word_reg.eq(0)
        with m.Elif(c.word_valid):
            m.d.sync += last_word_reg.eq(c.word)

    def _keys_beside(self) -> dict[int, tuple[int, list[int]]]:
        """For each key value that a token reads, a port for it, and the kinds of tokens.  No kind reads two values at a port."""
        kinds: dict[int, list[int]] = {}
        for number, token in enumerate(self.plan.tokens):
            step = self.plan.step(token.title)
            forms = [form for n in token.operations for form in step.operations[n].operands]
            forms += [*step.updates.values(), *step.outputs()] if token.ends else []
            for node in {term.source.what for form in forms for term in form if term.source.kind == "key"}:
                assert isinstance(node, int)
                kinds.setdefault(node, []).append(number)
        ports: dict[int, tuple[int, list[int]]] = {}
        for node, numbers in sorted(kinds.items()):
            taken = {port for port, others in ports.values() if set(others) & set(numbers)}
            ports[node] = next(port for port in range(len(kinds)) if port not in taken), numbers
        return ports

    def all_operands(self, lane: int) -> list[tuple[int, list[tuple[tuple[str, int], int, Form]]]]:
        """For each kind of token of a lane, the ports of units that it uses, by how many cycles later, and their forms.

        Products of the hash are left out.
        """
        result = []
        for number in self.kinds[lane]:
            if number >= len(self.plan.tokens):
                made = self.plan.preparations[number - len(self.plan.tokens)]
                result.append((number, self._ports(unit_of(made.operation), made.operands, 0) if unit_of(made.operation) else []))
                continue
            token = self.plan.tokens[number]
            step = self.plan.step(token.title)
            forms: list[tuple[tuple[str, int], int, Form]] = []
            for n in token.operations:
                unit = self.placed.units[step.title][n]
                if unit and n != self.plan.hashed(step):
                    forms += self._ports(unit, step.operations[n].operands, self.placed.later(step.title, n))
            result.append((number, forms))
        return result

    def _ports(self, unit: str, operands: Sequence[Form], later: int) -> list[tuple[tuple[str, int], int, Form]]:
        """The operands at the ports of a unit."""
        return [((unit, port), later, form) for port, form in enumerate(by_port(operands))]

    def connect_words(self) -> None:
        """Connects the write port of the key memory to the host and to the results of set-up."""
        m, c = self.m, self.c
        if not self.plan.words:
            return
        words = GatedSum(self.width, "word")
        for number, made in enumerate(self.plan.preparations, len(self.plan.tokens)):
            stage = self._prepared_stage(made)
            is_kind, value = self.kinds[0][number].at(stage), self._prepared(made, stage)
            words.add(self._identity(value), is_kind, value)
            with m.If(is_kind):
                m.d.comb += [
                    c.word_valid.eq(1), c.word_index.eq(self.plan.words.index(made.word)), c.word_slot.eq(self.lines["slot"].at(stage)),
                ]  # fmt: skip
        m.d.comb += c.word.eq(words.total(m))
        memory = self.key_memory
        m.d.comb += [
            memory.we.eq(c.word_valid | c.key_we),
            memory.waddr.eq(Mux(c.word_valid, Cat(c.word_index, c.word_slot), Cat(c.key_index, c.key_slot))),
            # The word is zero while there is none.
            memory.wdata.eq(c.word ^ Mux(c.word_valid, 0, c.key_data)),
        ]  # fmt: skip
        self._keep_last()

    def _prepared_stage(self, made: Preparation) -> int:
        unit = unit_of(made.operation)
        return self.placed.stages[unit] + self.placed.latencies[unit]

    def _prepared(self, made: Preparation, stage: int) -> Value:
        return self.units[0][unit_of(made.operation)].at(stage)
