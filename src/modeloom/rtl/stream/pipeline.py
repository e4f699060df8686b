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

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.inline_port import writer_ends
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.entry import token_signature
from modeloom.rtl.stream.sizes import by_port, last_operand
from modeloom.rtl.stream.state import StateValues
from modeloom.rtl.stream.storage import Line
from modeloom.rtl.stream.values import GatedSum, TokenValues
from modeloom.spec.kinds import CIPHER
from modeloom.streams.derive import Preparation
from modeloom.streams.place import cipher_units, unit_of
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form

__all__ = ["KeyValues", "TokenPipeline", "WordMemory"]


# -- key values ------------------------------------------------------------------------------------------------------------------------

# The key memory of a pipeline, with the places that read and write its words.
#
# Each operand that reads words has a read port::
#
#     host ──────────────────┐
#     set-up: result of a unit ──▶ key memory ──▶ operand of a unit

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

LUT_SLOTS = 64
"""Largest number of key slots for which words are in LUT memories.  With more slots they are in block memories."""


class KeyValues(TokenValues):
    """Makes the key memory of a pipeline."""

    def make_keys(self) -> None:
        """Makes the key memory with a read port for each place that reads words.  The kind of token there selects the word."""
        m, c, words = self.m, self.c, self.plan.words
        self.bits = max(1, (len(words) - 1).bit_length())
        wanted: dict[tuple[int, str, int], list[tuple[Value, Value]]] = {}
        carried = self._carried_keys() if self.plan.carries_keys else {}
        for lane in range(self.lanes):
            for number, forms in self.all_operands(lane):
                for (unit, port), _, form in forms:
                    for term in form:
                        if term.source.kind in (("word",) if carried else ("key", "word")):
                            word = term.source.what if term.source.kind == "word" else (term.source.what, 1)
                            is_kind = self.kinds[lane][number].at(self.placed.stages[unit] - 1)
                            index = Const(words.index(word), self.bits)  # type: ignore[arg-type]
                            wanted.setdefault((lane, unit, port), []).append((is_kind, index))
            if self.plan.horner is not None:
                base, stage = words.index((self.plan.horner.key, 1)), self.placed.stages["mul"] - 1  # type: ignore[arg-type]
                index = (self.of_lane["power"][lane].at(stage) + base - 1)[: self.bits]
                wanted.setdefault((lane, "mul", 1), []).append((self.lines["product"].at(stage), index))
            for node, (port, numbers) in carried.items():
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
            for port in sorted({port for port, _ in carried.values()}):
                line = self.line(self.reads[lane, "", port], 1, self.in_lane(lane, f"key_{port}"))
                self.key_lines |= {(lane, node): line for node, (of, _) in carried.items() if of == port}

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

    def _carried_keys(self) -> dict[int, tuple[int, list[int]]]:
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


# -- pipeline --------------------------------------------------------------------------------------------------------------------------


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
