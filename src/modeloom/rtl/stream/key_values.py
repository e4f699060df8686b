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

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.sizes import by_port, last_operand
from modeloom.rtl.stream.values import GatedSum, TokenValues
from modeloom.streams.place import unit_of
from modeloom.streams.setup import Preparation
from modeloom.streams.steps import Form

__all__ = ["KeyValues", "WordMemory"]


# The key memory of a pipeline, with a part for each word: all words of a slot are cleared in one cycle, or in a few if
# words of other slots are written meanwhile.
#
#     slot ──┬─▶ word 0 of all slots ──[reg]──┐
#            ├─▶ word 1              ──[reg]──┼──▶ choice ──▶ data
#            └─▶ ...                          │
#     index ─────────────────────────[reg]────┘

class WordMemory(wiring.Component):
    """A memory with one write port, and some read ports whose data come a cycle after the address.

    An address is the number of a word, which has as many bits as the number of the last word needs, and above it the slot.

    Parameters
    ----------
    width : int
        Width of a word in bits.
    words, slots, ports : int
        Words of a slot, slots, and read ports.
    erase_bits : int
        Width of ``erase_address``; 0 if the memory holds no secrets.

    Members
    -------
    we, waddr, wdata, raddr, rdata, erase, erase_address
        Those of :class:`~modeloom.rtl.engine.storage.BlockMemory`.
    clear, clear_slot, cleared : In, In, Out
        Zeros to all words of a slot, beside writes: ``clear`` holds until ``cleared``.  A word that is written to waits.  Nothing is
        written to this slot meanwhile.
    """

    def __init__(self, width: int, words: int, slots: int, ports: int, erase_bits: int):
        self.width, self.words, self.slots, self.ports, self.erase_bits = width, words, slots, ports, erase_bits
        self.bits = max(1, (words - 1).bit_length())
        address = range(slots << self.bits)
        super().__init__({
            "we": In(1), "waddr": In(address), "wdata": In(width), "raddr": In(address).array(ports), "rdata": Out(width).array(ports),
            "erase": In(1), "erase_address": In(erase_bits), "clear": In(1), "clear_slot": In(range(max(2, slots))), "cleared": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = self.bits
        parts = [BlockMemory(self.width, self.slots, self.ports, erase_bits=max(0, self.erase_bits - bits)) for _ in range(self.words)]
        done_reg = Signal(self.words)
        done = Signal(self.words)
        writes = Signal(self.words)
        m.d.comb += [done.eq(done_reg | ~writes), self.cleared.eq(self.clear & done.all())]
        m.d.sync += done_reg.eq(done & (self.clear & ~self.cleared).replicate(self.words))
        for number, part in enumerate(parts):
            m.submodules[f"word_{number}"] = part
            m.d.comb += [
                writes[number].eq(self.we & (self.waddr[:bits] == number)), part.we.eq(writes[number] | self.clear),
                part.waddr.eq(Mux(writes[number], self.waddr[bits:], self.clear_slot)),
                part.wdata.eq(self.wdata & writes[number].replicate(self.width)),
                part.erase.eq(self.erase & (self.erase_address[:bits] == number)), part.erase_address.eq(self.erase_address[bits:]),
                *(part.raddr[port].eq(self.raddr[port][bits:]) for port in range(self.ports)),
            ]  # fmt: skip
        for port in range(self.ports):
            index_reg = Signal(bits, name=f"index_{port}_reg", reset_less=True)
            m.d.sync += index_reg.eq(self.raddr[port][:bits])
            # A number beyond the last word reads zeros.
            words = [part.rdata[port] for part in parts] + [Const(0, self.width)] * ((1 << bits) - self.words)
            m.d.comb += self.rdata[port].eq(Array(words)[index_reg])
        return m


# -- key values --------------------------------------------------------------------------------------------------------------------

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
