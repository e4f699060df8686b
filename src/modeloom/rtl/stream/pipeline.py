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

from collections.abc import Sequence
from functools import reduce
from operator import xor
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.counter import CounterAdder
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.engine.wires import kept
from modeloom.rtl.gf128.scale import scale
from modeloom.rtl.stream.line import Line
from modeloom.streams.place import unit_of
from modeloom.streams.plan import StreamPlan, TokenKind
from modeloom.streams.setup import Preparation
from modeloom.streams.steps import Form, Step, Term

__all__ = ["TokenPipeline"]


class TokenPipeline(wiring.Component):
    """The pipeline that a plan describes.

    Parameters
    ----------
    plan : StreamPlan
    cipher : Component
        A pipeline of the block cipher, with ports ``i``, ``slot``, ``o`` and those of round keys; None if no step uses it.
    multiplier : Component
        Ports ``a``, ``b``, ``o``; ``MULTIPLIER_REGISTERS`` fewer cycles than the plan counts.  None if no step uses it.
    slots : int
        Key slots.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key.
    erase_bits : int
        Width of ``erase_address``; 0 if the memories cannot be erased.

    Members
    -------
    valid, kind : In
        Whether a token enters, and which: a number of ``plan.tokens``, then of ``plan.preparations``.
    block, nbytes : In
        Its block, and the bytes of a piece of text.
    begin, nonce : In
        Whether it is the first of a message whose ``start`` takes no token, and the nonce then.
    slot : In
    chain, fresh, left, opening : In
        For the hash: the number of its chain, whether the chain is empty, how many blocks of the hash the message has from this one on
        (at most the number of chains), and whether it is the first whose product is a part of the result.
    text, text_valid : Out
        A block of text.
    tag, tag_valid : Out
        A tag.
    word, word_valid, word_index, word_slot : Out
        A word of the key memory that set-up has computed; it is written by itself.
    key_we, key_slot, key_index, key_data : In
        Writes a word of the key memory.
    rk_we, rk_slot, rk_round, rk_data : In
        Writes a round key.
    erase, erase_address : In
        While the pipeline is held in reset, and ``rk_data`` is zero: zeros to this word of all memories.  A round key has the address
        slot · 2^``round_bits`` + round.
    """

    def __init__(
        self, plan: StreamPlan, cipher: Any, multiplier: Any, slots: int, round_bits: int, round_key_bits: int, erase_bits: int = 0
    ):
        self.plan, self.cipher, self.multiplier, self.slots = plan, cipher, multiplier, slots
        self.round_bits, self.erase_bits = round_bits, erase_bits
        self.width = 8 * plan.mode.block_bytes
        slot = range(max(2, slots))
        super().__init__({
            "valid": In(1), "kind": In(range(max(2, len(plan.tokens) + len(plan.preparations)))),
            "block": In(self.width), "nbytes": In(range(plan.mode.block_bytes + 1)),
            "begin": In(1), "nonce": In(self.width), "slot": In(slot),
            "chain": In(range(max(2, plan.chains))), "fresh": In(1), "left": In(range(plan.chains + 1)), "opening": In(1),
            "text": Out(self.width), "text_valid": Out(1), "tag": Out(self.width), "tag_valid": Out(1),
            "word": Out(self.width), "word_valid": Out(1), "word_index": Out(range(max(2, len(plan.words)))), "word_slot": Out(slot),
            "key_we": In(1), "key_slot": In(slot), "key_index": In(range(max(2, len(plan.words)))), "key_data": In(self.width),
            "rk_we": In(1), "rk_slot": In(slot), "rk_round": In(round_bits), "rk_data": In(round_key_bits),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

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


class _Elaboration:
    def __init__(self, component: TokenPipeline):
        self.c, self.plan, self.m = component, component.plan, Module()
        self.placed, self.width = self.plan.placed, component.width
        m, c = self.m, component
        # Delay lines are made where they are read, under conditions too: their registers stand in a module of their own.
        m.submodules.lines = self.late = Module()
        self.valid = Line(self.late, c.valid, 0, "valid", reset=True)
        count = len(self.plan.tokens) + len(self.plan.preparations)
        chosen = [Signal(name=f"is_{self._name(n)}") for n in range(count)]
        m.d.comb += [bit.eq(c.valid & (c.kind == n)) for n, bit in enumerate(chosen)]
        self.kinds = [Line(self.late, bit, 0, bit.name, reset=True) for bit in chosen]
        self.lines = {
            name: Line(self.late, getattr(c, name), 0, name)
            for name in ("block", "nbytes", "begin", "nonce", "slot", "chain", "fresh", "left", "opening")
        }
        self.units: dict[str, Line] = {}
        self.operands: dict[str, tuple[Signal, ...]] = {}
        self.states: dict[str, Line] = {}
        self.registers: dict[str, Signal] = {}
        self.total: Line | None = None
        self._masks: dict[int, Value] = {}
        self._adders = 0

    def _name(self, number: int) -> str:
        tokens = self.plan.tokens
        if number < len(tokens):
            token = tokens[number]
            return f"{token.title.replace(' ', '_')}{f'_{token.part}' if token.part else ''}"
        return f"prepare_{number - len(tokens)}"

    def run(self) -> Module:
        self._make_units()
        self._make_states()
        self._make_keys()
        self._connect_hash()
        self._connect_operands()
        self._connect_states()
        self._connect_outputs()
        self._connect_words()
        return self.m

    # -- units ----------------------------------------------------------------------------------------------------------------

    def _make_units(self) -> None:
        m, c = self.m, self.c
        for unit, stage in self.placed.stages.items():
            if unit == "mul" and c.multiplier is not None:
                m.submodules.multiplier = component = c.multiplier
                self.operands[unit] = ports = tuple(Signal(self.width, name=f"mul_{port}") for port in "ab")
                registers = [Signal(self.width, name=f"mul_{port}_reg", reset_less=True) for port in "ab"]
                product = Signal(self.width, name="mul_reg", reset_less=True)
                m.d.sync += [register.eq(port) for register, port in zip(registers, ports, strict=True)]
                m.d.comb += [component.a.eq(registers[0]), component.b.eq(registers[1])]
                m.d.sync += product.eq(component.o)
                result: Value = product
            elif unit != "mul" and c.cipher is not None:
                m.submodules.cipher = component = c.cipher
                self.operands[unit] = (Signal(self.width, name="cipher_i"),)
                m.d.comb += [component.i.eq(self.operands[unit][0]), component.slot.eq(self.lines["slot"].at(stage))]
                self._connect_round_keys(component)
                result = component.o
            else:
                continue
            self.units[unit] = Line(self.late, result, stage + self.placed.latencies[unit], unit)

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

    def _memory(self, depth: int, ports: int) -> BlockMemory:
        """A memory that can be erased."""
        memory = BlockMemory(self.width, depth, ports, erase_bits=self.c.erase_bits)
        self.m.d.comb += [memory.erase.eq(self.c.erase), memory.erase_address.eq(self.c.erase_address)]
        return memory

    def _make_states(self) -> None:
        """Registers of the state, and what a token reads of them at their homes."""
        m = self.m
        for name, kind in self.plan.kinds.items():
            if kind.kind == "horner":
                continue
            register = Signal(self.width, name=f"{name}_reg", reset_less=True)
            value = Signal(self.width, name=name)
            home = self.placed.homes[name]
            start = next((s for s in self.plan.steps if s.name == "start" and not self.placed.passes[s.title]), None)
            if start is None:
                m.d.comb += value.eq(register)
            else:
                init = self._xor([self._mapped(self._start_term(term, home), term, home) for term in start.updates[name]])
                m.d.comb += value.eq(Mux(self.lines["begin"].at(home), init, register))
            self.registers[name], self.states[name] = register, Line(self.late, value, home, name)

    def _start_term(self, term: Term, stage: int) -> Value:
        if term.source.kind == "const":
            return Const(int(term.source.what), self.width)  # type: ignore[call-overload]
        return self.lines["nonce"].at(stage)

    # -- keys -----------------------------------------------------------------------------------------------------------------

    def _make_keys(self) -> None:
        """A read port of the key memory for each place that reads words, and what is read there by each kind of token."""
        m, c, words = self.m, self.c, self.plan.words
        self.bits = max(1, (len(words) - 1).bit_length())
        wanted: dict[tuple[str, int], dict[int, Value]] = {}
        for number, forms in self._all_operands():
            for (unit, port), form in forms.items():
                for term in form:
                    if term.source.kind in ("key", "word"):
                        word = term.source.what if term.source.kind == "word" else (term.source.what, 1)
                        wanted.setdefault((unit, port), {})[number] = Const(words.index(word), self.bits)  # type: ignore[arg-type]
        if self.plan.horner is not None:
            base = words.index((self.plan.horner.key, 1))  # type: ignore[arg-type]
            for number in self._hashing():
                wanted.setdefault(("mul", 1), {})[number] = (self.lines["left"].at(self.placed.stages["mul"] - 1) + base - 1)[: self.bits]
        self.reads: dict[tuple[str, int], Value] = {}
        if not words:
            return
        self.key_memory = memory = self._memory(c.slots << self.bits, max(1, len(wanted)))
        m.submodules.key_memory = memory
        for place, (key, by_kind) in enumerate(wanted.items()):
            stage = self.placed.stages[key[0]] - 1
            address = reduce(lambda a, b: a | b, (Mux(self.kinds[n].at(stage), index, 0) for n, index in by_kind.items()))
            m.d.comb += memory.raddr[place].eq(Cat(address[: self.bits], self.lines["slot"].at(stage)))
            self.reads[key] = memory.rdata[place]

    def _hashing(self) -> list[int]:
        """Kinds of tokens that do a product of the hash."""
        return [n for n, token in enumerate(self.plan.tokens) if self.plan.hashed(self.plan.step(token.title)) in token.operations]

    def _all_operands(self) -> list[tuple[int, dict[tuple[str, int], Form]]]:
        """For each kind of token, the form of each port of a unit that it uses; the hash apart."""
        result = []
        for number, token in enumerate(self.plan.tokens):
            step = self.plan.step(token.title)
            forms: dict[tuple[str, int], Form] = {}
            for n in token.operations:
                operation = step.operations[n]
                if unit_of(operation.operation) and n != self.plan.hashed(step):
                    forms |= self._ports(unit_of(operation.operation), operation.operands)
            result.append((number, forms))
        for number, made in enumerate(self.plan.preparations, len(self.plan.tokens)):
            result.append((number, self._ports(unit_of(made.operation), made.operands) if unit_of(made.operation) else {}))
        return result

    def _ports(self, unit: str, operands: Sequence[Form]) -> dict[tuple[str, int], Form]:
        """Operands at the ports of a unit: a word of the key memory alone goes to the last one, where there are several."""
        order = sorted(operands, key=lambda form: len(form) == 1 and form[0].source.kind in ("key", "word"))
        return {(unit, port): form for port, form in enumerate(order)}

    # -- forms ----------------------------------------------------------------------------------------------------------------

    def _xor(self, values: Sequence[Value]) -> Value:
        return reduce(xor, values, Const(0, self.width)) if values else Const(0, self.width)

    def _mapped(self, value: Value, term: Term, stage: int) -> Value:
        for wire in term.maps:
            if wire[0] == "scale":
                held = Signal(self.width, name="scaled")
                self.late.d.comb += held.eq(value)
                value = scale(self.plan.mode.field, held, int(wire[1]))  # type: ignore[call-overload]
            elif wire[0] == "keep":
                value = kept(value, int(wire[1]))  # type: ignore[call-overload]
            else:
                value = value & self._mask(stage)
        return value

    def _mask(self, stage: int) -> Value:
        """Ones for the bytes of a piece."""
        if stage not in self._masks:
            nbytes = self.lines["nbytes"].at(stage)
            mask = Signal(self.width, name=f"mask_{stage}")
            self.late.d.comb += mask.eq(Cat((nbytes > at).replicate(8) for at in range(self.width // 8)))
            self._masks[stage] = mask
        return self._masks[stage]

    def _form(self, form: Form, stage: int, step: Step | None, part: int, port: tuple[str, int] | None = None) -> Value:
        """The value of a form for the token in a stage, which is part ``part`` of its step."""
        return self._xor([self._mapped(self._term(term, stage, step, part, port), term, stage) for term in form])

    def _term(self, term: Term, stage: int, step: Step | None, part: int, port: tuple[str, int] | None) -> Value:
        kind, what = term.source
        if kind == "const":
            return Const(int(what), self.width)  # type: ignore[call-overload]
        if kind in ("key", "word"):
            assert port is not None
            return self.reads[port]
        if kind == "state":
            if self.plan.kinds[str(what)].kind == "horner":
                assert self.total is not None
                return self.total.at(stage)
            line = self.states[str(what)]
            # A later token of a step comes when nothing else of the message is under way: the register is as the first one found it.
            return self.registers[str(what)] if part and stage < line.born else line.at(stage)
        if kind == "op":
            assert step is not None and isinstance(what, int)
            return self._result(step, what, part, stage)
        return self.lines["block"].at(stage)

    def _result(self, step: Step, number: int, part: int, stage: int) -> Value:
        """The result of an operation of a step, which an earlier token of the step may have done."""
        operation = step.operations[number]
        unit = unit_of(operation.operation)
        if not unit:
            return self._added(step, number, part, stage)
        passes = self.placed.passes[step.title]
        done = next(n for n, each in enumerate(passes) if number in each.operations)
        line = self.total if number == self.plan.hashed(step) else self.units[unit]
        assert line is not None
        return line.at(stage + passes[part].at - passes[done].at)

    def _added(self, step: Step, number: int, part: int, stage: int) -> Value:
        operation = step.operations[number]
        assert operation.operation.counter is not None
        adder = CounterAdder(self.width, operation.operation.counter)
        self.late.submodules[f"add{self._adders}"] = adder
        self._adders += 1
        self.late.d.comb += [adder.i.eq(self._form(operation.operands[0], stage, step, part)), adder.number.eq(operation.number)]
        return adder.o

    # -- connections ----------------------------------------------------------------------------------------------------------

    def _connect_hash(self) -> None:
        """Chains of the hash, and the sum of its last products."""
        if self.plan.horner is None:
            return
        m, lines = self.m, self.lines
        stage = self.placed.stages["mul"]
        done = stage + self.placed.latencies["mul"]
        hashing = self._hashing()
        name = self.plan.horner.name
        m.submodules.chains = chains = self._memory(self.plan.chains, 1)
        active = Signal(name="hash_active")
        m.d.comb += active.eq(reduce(lambda a, b: a | b, (self.kinds[n].at(done) for n in hashing)))
        m.d.comb += [
            chains.raddr[0].eq(lines["chain"].at(stage - 1)),
            chains.waddr.eq(lines["chain"].at(done)), chains.we.eq(active),
            # A reset reaches no product, but it reaches what says that there is one.
            chains.wdata.eq(self.units["mul"].at(done) & active.replicate(self.width)),
        ]  # fmt: skip
        self.chain = Signal(self.width, name=f"{name}_chain")
        m.d.comb += self.chain.eq(Mux(lines["fresh"].at(stage), 0, chains.rdata[0]))
        register = Signal(self.width, name=f"{name}_reg", reset_less=True)
        total = Signal(self.width, name=name)
        m.d.comb += total.eq(self.units["mul"].at(done) ^ Mux(lines["opening"].at(done), 0, register))
        with m.If(active):
            m.d.sync += register.eq(total)
        self.total = Line(self.late, total, done, name)

    def _connect_operands(self) -> None:
        m = self.m
        gathered: dict[tuple[str, int], list[Value]] = {}
        for number, forms in self._all_operands():
            token = self.plan.tokens[number] if number < len(self.plan.tokens) else None
            step, part = (self.plan.step(token.title), token.part) if token else (None, 0)
            for port, form in forms.items():
                stage = self.placed.stages[port[0]]
                gathered.setdefault(port, []).append(Mux(self.kinds[number].at(stage), self._form(form, stage, step, part, port), 0))
        stage = self.placed.stages.get("mul", 0)
        for number in self._hashing():
            hashing = self.plan.tokens[number]
            of = self.plan.step(hashing.title)
            product = self.plan.hashed(of)
            assert self.plan.horner is not None and product is not None
            source = ("state", self.plan.horner.name)
            operand = next(form for form in of.operations[product].operands if any(term.source == source for term in form))
            rest = tuple(term for term in operand if term.source != source)
            value = self._form(rest, stage, of, hashing.part) ^ self.chain
            gathered.setdefault(("mul", 0), []).append(Mux(self.kinds[number].at(stage), value, 0))
            gathered.setdefault(("mul", 1), []).append(Mux(self.kinds[number].at(stage), self.reads["mul", 1], 0))
        for (unit, place), values in gathered.items():
            m.d.comb += self.operands[unit][place].eq(reduce(lambda a, b: a | b, values))

    def _connect_states(self) -> None:
        m = self.m
        for name, register in self.registers.items():
            home = self.placed.homes[name]
            with m.If(self.valid.at(home) & self.lines["begin"].at(home)):
                m.d.sync += register.eq(self.states[name].at(home))
            for number, token in enumerate(self.plan.tokens):
                step = self.plan.step(token.title)
                if not token.ends or name not in step.updates:
                    continue
                stage = self._update_stage(step, token, name)
                with m.If(self.kinds[number].at(stage)):
                    m.d.sync += register.eq(self._form(step.updates[name], stage, step, token.part))

    def _update_stage(self, step: Step, token: TokenKind, name: str) -> int:
        """The stage of a step's last token in which it writes a part of the state."""
        if step.name != "start":
            return self.placed.homes[name]
        at = self.placed.passes[step.title][token.part].at
        made = [term.source.what for term in step.updates[name] if term.source.kind == "op"]
        ready = [self.placed.ready[step.title][number] - at for number in made if isinstance(number, int)]
        return max([self.placed.homes[name], *ready])

    def _connect_outputs(self) -> None:
        m, c = self.m, self.c
        outputs: dict[str, list[tuple[Value, Value]]] = {"text": [], "tag": []}
        for number, token in enumerate(self.plan.tokens):
            step = self.plan.step(token.title)
            if step.output is None or not token.ends:
                continue
            name = "tag" if step.name == "tag" else "text"
            stage = c.tag_stage if name == "tag" else c.text_stage
            outputs[name].append((self.kinds[number].at(stage), self._form(step.output, stage, step, token.part)))
        for name, given in outputs.items():
            m.d.comb += getattr(c, f"{name}_valid").eq(reduce(lambda a, b: a | b, (bit for bit, _ in given)))
            m.d.comb += getattr(c, name).eq(reduce(lambda a, b: a | b, (Mux(bit, value, 0) for bit, value in given)))

    def _connect_words(self) -> None:
        """Words of the key memory come from the host and from set-up."""
        m, c = self.m, self.c
        if not self.plan.words:
            return
        results = []
        for number, made in enumerate(self.plan.preparations, len(self.plan.tokens)):
            results.append((number, made, self._prepared_stage(made)))
        for number, made, stage in results:
            with m.If(self.kinds[number].at(stage)):
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
        return self.units[unit_of(made.operation)].at(stage)
