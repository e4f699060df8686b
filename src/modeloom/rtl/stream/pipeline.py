# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a stream mode: units at their stages, delay lines between them, the state at its homes.

::

    token ──┬─ kind, slot, ... ──[reg]──[reg]── ... ──▶ selects of each stage
            └─ block ────────────[reg]── ... ─┐
    state ──▶ operands ──▶ cipher ────────────┴─▶ operands ──▶ multiplier ──▶ text, tag
      ▲                                              │
      └──────────────────────────────────────────────┘

A token enters in any cycle or not at all, and nothing stalls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.line import Line
from modeloom.rtl.stream.values import TokenValues
from modeloom.streams.place import unit_of
from modeloom.streams.plan import StreamPlan, TokenKind
from modeloom.streams.setup import Preparation
from modeloom.streams.steps import Form, Step, Term

__all__ = ["TokenPipeline"]

LUT_SLOTS = 64
"""Most key slots whose words are in LUT memories; those of more are in block memories."""


class TokenPipeline(wiring.Component):
    """The pipeline that a plan describes.

    Parameters
    ----------
    plan : StreamPlan
    ciphers : sequence of Component
        A pipeline of the block cipher for each lane, with ports ``i``, ``slot``, ``o`` and those of round keys; empty if no step uses it.
    multipliers : sequence of Component
        For each lane: ports ``a``, ``b``, ``o``; ``MULTIPLIER_REGISTERS`` fewer cycles than the plan counts.  Empty if no step uses it.
    slots : int
        Key slots.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key.
    erase_bits : int
        Width of ``erase_address``; 0 if the memories cannot be erased.

    Members
    -------
    valid : In
        Whether a token enters.
    active, kind : In
        For each lane whether it has a block, and which kind: a number of ``plan.tokens``, then of ``plan.preparations``.  Tokens of
        ``start`` and of set-up are in lane 0.
    block, nbytes : In
        For each lane its block, and the bytes of a piece of text.
    begin, nonce : In
        Whether it is the first of a message whose ``start`` takes no token, and the nonce then.
    slot : In
    product, chain, fresh, opening : In
        For the hash: whether the token has blocks of it; the number of the chain in each lane; whether the chains are empty; and whether it
        is the first whose products are a part of the result.
    power : In
        For each lane the power of the key (``streams.chains``).
    text, text_valid : Out
        Blocks of text, one for each lane; zero in a lane that has none.
    tag, tag_valid : Out
        A tag.
    word, word_valid, word_index, word_slot : Out
        A word of the key memory that set-up has computed; it is written by itself.
    key_we, key_slot, key_index, key_data : In
        Writes a word of the key memory.
    rk_we, rk_slot, rk_round, rk_data, rk_length : In
        Writes a round key.  ``rk_length`` is the size of its key, only with a cipher for several sizes.  It is the longest while the
        pipeline is held in reset.
    erase, erase_address : In
        While the pipeline is held in reset, and ``rk_data`` is zero: zeros to this word of all memories.  A round key has the address
        slot · 2^``round_bits`` + round.
    """

    def __init__(
        self, plan: StreamPlan, ciphers: Sequence[Any], multipliers: Sequence[Any], slots: int, round_bits: int, round_key_bits: int,
        erase_bits: int = 0,
    ):  # fmt: skip
        self.plan, self.ciphers, self.multipliers, self.slots = plan, list(ciphers), list(multipliers), slots
        self.round_bits, self.erase_bits = round_bits, erase_bits
        self.width = 8 * plan.mode.block_bytes
        lanes, slot = plan.lanes, range(max(2, slots))
        super().__init__({
            "valid": In(1), "active": In(lanes), "kind": In(range(max(2, len(plan.tokens) + len(plan.preparations)))).array(lanes),
            "block": In(self.width).array(lanes), "nbytes": In(range(plan.mode.block_bytes + 1)).array(lanes),
            "begin": In(1), "nonce": In(self.width), "slot": In(slot),
            "product": In(1), "chain": In(range(max(2, plan.lane_chains))), "fresh": In(1), "opening": In(1),
            "power": In(range(plan.chains + 1)).array(lanes),
            "text": Out(self.width).array(lanes), "text_valid": Out(1), "tag": Out(self.width), "tag_valid": Out(1),
            "word": Out(self.width), "word_valid": Out(1), "word_index": Out(range(max(2, len(plan.words)))), "word_slot": Out(slot),
            "key_we": In(1), "key_slot": In(slot), "key_index": In(range(max(2, len(plan.words)))), "key_data": In(self.width),
            "rk_we": In(1), "rk_slot": In(slot), "rk_round": In(round_bits), "rk_data": In(round_key_bits),
            "erase": In(1), "erase_address": In(erase_bits),
            **({"rk_length": In(len(self.ciphers[0].key_length))} if self.key_sizes else {}),
        })  # fmt: skip

    @property
    def key_sizes(self) -> bool:
        """Whether the cipher takes keys of several sizes."""
        return bool(self.ciphers) and hasattr(self.ciphers[0], "key_length")

    @property
    def text_stage(self) -> int:
        """Cycles from a token to its text."""
        return max(self.plan.placed.outputs[title] for title in ("encrypt", "decrypt"))

    @property
    def tag_stage(self) -> int:
        """Cycles from the last token of a message to its tag."""
        return self.plan.placed.outputs["tag"]

    def elaborate(self, platform: object) -> Module:
        return _Elaboration(self).run()


class _Elaboration(TokenValues):
    c: TokenPipeline

    def run(self) -> Module:
        self._make_units()
        self._make_states()
        self._make_keys()
        self._connect_hash()
        self._chain_states()
        self._connect_operands()
        self._write_states()
        self._connect_outputs()
        self._connect_words()
        return self.m

    # -- units ----------------------------------------------------------------------------------------------------------------

    def _make_units(self) -> None:
        c = self.c
        for unit, stage in self.placed.stages.items():
            for lane in range(self.lanes):
                if unit == "mul" and c.multipliers:
                    result = self._multiplier(c.multipliers[lane], lane)
                elif unit != "mul" and c.ciphers:
                    result = self._cipher(c.ciphers[lane], lane, unit, stage)
                else:
                    continue
                self.units[lane][unit] = Line(self.late, result, stage + self.placed.latencies[unit], self.in_lane(lane, unit))

    def _multiplier(self, component: Any, lane: int) -> Value:
        m = self.m
        m.submodules[self.in_lane(lane, "multiplier")] = component
        self.operands[lane]["mul"] = ports = tuple(Signal(self.width, name=self.in_lane(lane, f"mul_{port}")) for port in "ab")
        registers = [Signal(self.width, name=f"{port.name}_reg", reset_less=True) for port in ports]
        product = Signal(self.width, name=self.in_lane(lane, "mul") + "_reg", reset_less=True)
        m.d.sync += [register.eq(port) for register, port in zip(registers, ports, strict=True)]
        m.d.comb += [component.a.eq(registers[0]), component.b.eq(registers[1])]
        m.d.sync += product.eq(component.o)
        return product

    def _cipher(self, component: Any, lane: int, unit: str, stage: int) -> Value:
        m = self.m
        m.submodules[self.in_lane(lane, "cipher")] = component
        self.operands[lane][unit] = (Signal(self.width, name=self.in_lane(lane, "cipher_i")),)
        m.d.comb += [component.i.eq(self.operands[lane][unit][0]), component.slot.eq(self.lines["slot"].at(stage))]
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
        if c.key_sizes:
            m.d.comb += component.key_length.eq(c.rk_length)

    def _memory(self, depth: int, ports: int, style: str = "distributed") -> BlockMemory:
        """A memory that can be erased."""
        memory = BlockMemory(self.width, depth, ports, style=style, erase_bits=self.c.erase_bits)
        self.m.d.comb += [memory.erase.eq(self.c.erase), memory.erase_address.eq(self.c.erase_address)]
        return memory

    # -- state ----------------------------------------------------------------------------------------------------------------

    def _make_states(self) -> None:
        """Registers of the state, and what lane 0 reads of them at their homes."""
        m = self.m
        for name, kind in self.plan.kinds.items():
            if kind.kind == "horner":
                continue
            # A reset clears the state: nothing else would until the next message.
            register = Signal(self.width, name=f"{name}_reg")
            value = Signal(self.width, name=name)
            home = self.placed.homes[name]
            start = next((s for s in self.plan.steps if s.name == "start" and not self.placed.passes[s.title]), None)
            if start is None:
                m.d.comb += value.eq(register)
            else:
                init = self.sum([self.mapped(self._start_term(term, home), term, home, 0) for term in start.updates[name]])
                m.d.comb += value.eq(Mux(self.lines["begin"].at(home), init, register))
            self.registers[name], self.states[name] = register, [Line(self.late, value, home, name)]

    def _start_term(self, term: Term, stage: int) -> Value:
        if term.source.kind == "const":
            return Const(int(term.source.what), self.width)  # type: ignore[call-overload]
        return self.lines["nonce"].at(stage)

    def _chain_states(self) -> None:
        """What each lane leaves of the state to the next one, within a cycle."""
        for lane in range(self.lanes):
            for name in self.registers:
                home = self.placed.homes[name]
                value = self.states[name][lane].at(home)
                for number, token in self._updating(lane, name):
                    step = self.plan.step(token.title)
                    value = Mux(self.kinds[lane][number].at(home), self.form(step.updates[name], home, step, token.part, lane), value)
                left = Signal(self.width, name=f"{self.in_lane(lane, name)}_left")
                self.late.d.comb += left.eq(value)
                self.states[name].append(Line(self.late, left, home, left.name))

    def _updating(self, lane: int, name: str) -> list[tuple[int, TokenKind]]:
        """Kinds of tokens of blocks that write a part of the state."""
        result = []
        for number in self.kinds[lane]:
            if number < len(self.plan.tokens):
                token = self.plan.tokens[number]
                step = self.plan.step(token.title)
                if token.ends and step.name != "start" and name in step.updates:
                    result.append((number, token))
        return result

    def _write_states(self) -> None:
        m = self.m
        for name, register in self.registers.items():
            home = self.placed.homes[name]
            written = [self.kinds[lane][number].at(home) for lane in range(self.lanes) for number, _ in self._updating(lane, name)]
            with m.If(reduce(or_, written, self.valid.at(home) & self.lines["begin"].at(home))):
                m.d.sync += register.eq(self.states[name][-1].at(home))
            for number, token in enumerate(self.plan.tokens):
                step = self.plan.step(token.title)
                if step.name == "start" and token.ends and name in step.updates:
                    stage = self._start_stage(step, token, name)
                    with m.If(self.kinds[0][number].at(stage)):
                        m.d.sync += register.eq(self.form(step.updates[name], stage, step, token.part, 0))

    def _start_stage(self, step: Step, token: TokenKind, name: str) -> int:
        """The stage of a ``start``'s last token in which it writes a part of the state."""
        at = self.placed.passes[step.title][token.part].at
        made = [term.source.what for term in step.updates[name] if term.source.kind == "op"]
        ready = [self.placed.ready[step.title][number] - at for number in made if isinstance(number, int)]
        return max([self.placed.homes[name], *ready])

    # -- keys -----------------------------------------------------------------------------------------------------------------

    def _make_keys(self) -> None:
        """A read port of the key memory for each place that reads words, and what is read there by each kind of token."""
        m, c, words = self.m, self.c, self.plan.words
        self.bits = max(1, (len(words) - 1).bit_length())
        wanted: dict[tuple[int, str, int], list[tuple[Value, Value]]] = {}
        for lane in range(self.lanes):
            for number, forms in self._all_operands(lane):
                for (unit, port), form in forms.items():
                    for term in form:
                        if term.source.kind in ("key", "word"):
                            word = term.source.what if term.source.kind == "word" else (term.source.what, 1)
                            is_kind = self.kinds[lane][number].at(self.placed.stages[unit] - 1)
                            index = Const(words.index(word), self.bits)  # type: ignore[arg-type]
                            wanted.setdefault((lane, unit, port), []).append((is_kind, index))
            if self.plan.horner is not None:
                base, stage = words.index((self.plan.horner.key, 1)), self.placed.stages["mul"] - 1  # type: ignore[arg-type]
                index = (self.of_lane["power"][lane].at(stage) + base - 1)[: self.bits]
                wanted.setdefault((lane, "mul", 1), []).append((self.lines["product"].at(stage), index))
        if not words:
            return
        style = "distributed" if c.slots <= LUT_SLOTS else "block"
        self.key_memory = memory = self._memory(c.slots << self.bits, max(1, len(wanted)), style)
        m.submodules.key_memory = memory
        for place, (key, by_kind) in enumerate(wanted.items()):
            stage = self.placed.stages[key[1]] - 1
            address = reduce(or_, (Mux(is_kind, index, 0) for is_kind, index in by_kind))
            m.d.comb += memory.raddr[place].eq(Cat(address[: self.bits], self.lines["slot"].at(stage)))
            self.reads[key] = memory.rdata[place]

    def _all_operands(self, lane: int) -> list[tuple[int, dict[tuple[str, int], Form]]]:
        """For each kind of token of a lane, the form of each port of a unit that it uses; the hash apart."""
        result = []
        for number in self.kinds[lane]:
            if number >= len(self.plan.tokens):
                made = self.plan.preparations[number - len(self.plan.tokens)]
                result.append((number, self._ports(unit_of(made.operation), made.operands) if unit_of(made.operation) else {}))
                continue
            token = self.plan.tokens[number]
            step = self.plan.step(token.title)
            forms: dict[tuple[str, int], Form] = {}
            for n in token.operations:
                operation = step.operations[n]
                if unit_of(operation.operation) and n != self.plan.hashed(step):
                    forms |= self._ports(unit_of(operation.operation), operation.operands)
            result.append((number, forms))
        return result

    def _ports(self, unit: str, operands: Sequence[Form]) -> dict[tuple[str, int], Form]:
        """Operands at the ports of a unit: a word of the key memory alone goes to the last one, where there are several."""
        order = sorted(operands, key=lambda form: len(form) == 1 and form[0].source.kind in ("key", "word"))
        return {(unit, port): form for port, form in enumerate(order)}

    # -- connections ----------------------------------------------------------------------------------------------------------

    def _connect_hash(self) -> None:
        """Chains of the hash, and the sum of its last products."""
        if self.plan.horner is None:
            return
        m, lines = self.m, self.lines
        stage = self.placed.stages["mul"]
        done = stage + self.placed.latencies["mul"]
        name = self.plan.horner.name
        active = lines["product"].at(done)
        products = []
        for lane in range(self.lanes):
            chains = self._memory(self.plan.lane_chains, 1)
            m.submodules[self.in_lane(lane, "chains")] = chains
            product = self.units[lane]["mul"].at(done)
            m.d.comb += [
                chains.raddr[0].eq(lines["chain"].at(stage - 1)),
                chains.waddr.eq(lines["chain"].at(done)), chains.we.eq(active),
                # A reset reaches no product, but it reaches what says that there is one.
                chains.wdata.eq(product & active.replicate(self.width)),
            ]  # fmt: skip
            chain = Signal(self.width, name=self.in_lane(lane, f"{name}_chain"))
            m.d.comb += chain.eq(Mux(lines["fresh"].at(stage), 0, chains.rdata[0]))
            self.chains.append(chain)
            products.append(product)
        register = Signal(self.width, name=f"{name}_reg")
        total = Signal(self.width, name=name)
        m.d.comb += total.eq(self.sum(products) ^ Mux(lines["opening"].at(done), 0, register))
        with m.If(active):
            m.d.sync += register.eq(total)
        self.total = Line(self.late, total, done, name)

    def _connect_operands(self) -> None:
        m = self.m
        for lane in range(self.lanes):
            gathered: dict[tuple[str, int], list[Value]] = {}
            for number, forms in self._all_operands(lane):
                token = self.plan.tokens[number] if number < len(self.plan.tokens) else None
                step, part = (self.plan.step(token.title), token.part) if token else (None, 0)
                for port, form in forms.items():
                    stage = self.placed.stages[port[0]]
                    value = self.form(form, stage, step, part, lane, port)
                    gathered.setdefault(port, []).append(Mux(self.kinds[lane][number].at(stage), value, 0))
            chain: Value = Const(0, self.width)
            if self.plan.horner is not None:
                stage = self.placed.stages["mul"]
                product = self.lines["product"].at(stage)
                for number, value in self._hashed(lane, stage):
                    gathered.setdefault(("mul", 0), []).append(Mux(self.kinds[lane][number].at(stage), value, 0))
                # A lane without a block goes on with its chain, too.
                chain = Mux(product, self.chains[lane], 0)
                key = self.reads[lane, "mul", 1]
                if self.lanes > 1:
                    key = Mux(self.of_lane["power"][lane].at(stage) == 0, Const(self.plan.mode.field.one, self.width), key)
                gathered.setdefault(("mul", 1), []).append(Mux(product, key, 0))
            for (unit, place), values in gathered.items():
                value = reduce(or_, values)
                m.d.comb += self.operands[lane][unit][place].eq(value ^ chain if (unit, place) == ("mul", 0) else value)

    def _hashed(self, lane: int, stage: int) -> Iterator[tuple[int, Value]]:
        """For each kind of token that has a block of the hash, what is added to the chain."""
        assert self.plan.horner is not None
        source = ("state", self.plan.horner.name)
        for number in self.kinds[lane]:
            if number >= len(self.plan.tokens):
                continue
            token = self.plan.tokens[number]
            step = self.plan.step(token.title)
            product = self.plan.hashed(step)
            if product is None or product not in token.operations:
                continue
            operand = next(form for form in step.operations[product].operands if any(term.source == source for term in form))
            rest = tuple(term for term in operand if term.source != source)
            yield number, self.form(rest, stage, step, token.part, lane)

    def _connect_outputs(self) -> None:
        m, c = self.m, self.c
        tags: list[tuple[Value, Value]] = []
        valid: list[Value] = []
        for lane in range(self.lanes):
            texts: list[Value] = []
            for number in self.kinds[lane]:
                if number >= len(self.plan.tokens):
                    continue
                token = self.plan.tokens[number]
                step = self.plan.step(token.title)
                if step.output is None or not token.ends:
                    continue
                is_tag = step.name == "tag"
                stage = c.tag_stage if is_tag else c.text_stage
                is_kind, value = self.kinds[lane][number].at(stage), self.form(step.output, stage, step, token.part, lane)
                if is_tag:
                    tags.append((is_kind, value))
                else:
                    texts.append(Mux(is_kind, value, 0))
                    valid.append(is_kind)
            m.d.comb += c.text[lane].eq(reduce(or_, texts))
        m.d.comb += [
            c.text_valid.eq(reduce(or_, valid)),
            c.tag_valid.eq(reduce(or_, (bit for bit, _ in tags))), c.tag.eq(reduce(or_, (Mux(bit, value, 0) for bit, value in tags))),
        ]  # fmt: skip

    def _connect_words(self) -> None:
        """Words of the key memory come from the host and from set-up."""
        m, c = self.m, self.c
        if not self.plan.words:
            return
        for number, made in enumerate(self.plan.preparations, len(self.plan.tokens)):
            stage = self._prepared_stage(made)
            with m.If(self.kinds[0][number].at(stage)):
                m.d.comb += [
                    c.word_valid.eq(1), c.word_index.eq(self.plan.words.index(made.word)), c.word_slot.eq(self.lines["slot"].at(stage)),
                    c.word.eq(self._prepared(made, stage)),
                ]  # fmt: skip
        memory = self.key_memory
        m.d.comb += [
            memory.we.eq(c.word_valid | c.key_we),
            memory.waddr.eq(Mux(c.word_valid, Cat(c.word_index, c.word_slot), Cat(c.key_index, c.key_slot))),
            memory.wdata.eq(Mux(c.word_valid, c.word, c.key_data)),
        ]  # fmt: skip

    def _prepared_stage(self, made: Preparation) -> int:
        unit = unit_of(made.operation)
        return self.placed.stages[unit] + self.placed.latencies[unit]

    def _prepared(self, made: Preparation, stage: int) -> Value:
        return self.units[0][unit_of(made.operation)].at(stage)
