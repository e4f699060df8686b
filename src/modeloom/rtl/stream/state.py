# SPDX-License-Identifier: Apache-2.0
"""The state of a pipeline: registers at their homes, and the chains of the hash.

::

    home:    register ──▶ lane 0 ──▶ lane 1 ──▶ ... ──▶ register          within a cycle
    chain:   register ──▶ cipher ──▶ register                             a latency later
    hash:    chains ──▶ multiplier ──▶ product ──▶ chains
                                          └──▶ sum of the last products
    started: start that runs ahead ──unit──▶ value ──▶ memory, at the place of its message ──▶ first token of the message, at its home
                                             zeros, when the message has begun ─▲
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from modeloom.rtl.counter import counter_bits
from modeloom.rtl.stream.contexts import ChannelWords
from modeloom.rtl.stream.long_counter import counter_of
from modeloom.rtl.stream.storage import Line
from modeloom.rtl.stream.values import GatedSum, TokenValues
from modeloom.streams.plan import TokenKind
from modeloom.streams.steps import Form, Source, Step

__all__ = ["LUT_PLACES", "StateValues", "TurnValues"]


# The counters of a pipeline that take turns in a register (``counters_in_turn``).
#
#     begins ──┐
#     turned ──┴──▶ first value, or register ──▶ adder ──▶ register        turned: the last token was not one of the first part
#
# Bits that no block changes have registers of their own, which only the first token of a message writes.

TURNED: dict[str, Callable[[TurnValues], Value]] = {
    "associated": lambda values: Mux(values.valid.at(0), ~values.in_first(), values.turned),
    # A token of set-up may come between both parts, and tells nothing.
    "text": lambda values: values.in_second() | (values.turned & ~values.in_first()),
}
"""The next value of ``turned``, by the part of a message that comes first."""


class TurnValues(TokenValues):
    """Makes and writes the registers of counters that take turns."""

    def turn_begun(self, register: Value) -> Value:
        """The second counter as a token reads it that does not begin its message: its first value, or the register."""
        turns = self.turns
        assert turns is not None
        return Cat(Mux(self.turned, bit, turns.begins >> at & 1) if turns.shared >> at & 1 else bit for at, bit in enumerate(register))

    def turn_left(self) -> dict[str, Value]:
        """What lane 0 leaves of both counters.  It counts the one whose turn it is."""
        turns = self.turns
        assert turns is not None
        values = {name: self.states[name][0].at(0) for name in (turns.first, turns.second)}
        step, number = turns.adds
        counts = reduce(or_, self._turn_kinds(lambda kind: turns.first in kind.updates or turns.second in kind.updates))
        self.late.d.comb += self.turn_value.eq(Mux(self.in_first(), values[turns.first], values[turns.second]))
        total = self.counted(step, number, self.turn_value, counts)
        # The register takes the sum whosever turn it is.
        self.m.d.sync += self.turned.eq(TURNED[self.plan.order.parts[0]](self))
        with self.m.If(counts | self._turn_begins()):
            self.m.d.sync += self.turn_bits.eq(self._bits(total, turns.shared))
        return {
            turns.first: Mux(self.in_first(), total, values[turns.first]),
            turns.second: Mux(self.in_first(), values[turns.second], total),
        }

    def join_turns(self, operand: GatedSum, stage: int) -> None:
        """Gives an operand to which every token adds one of the counters the bits that they share, without a gate for each."""
        if self.turns and stage == 0:
            keys = [self._identity(self.states[name][0].at(0)) for name in (self.turns.first, self.turns.second)]
            operand.join(keys, [line.at(0) for line in self.kinds[0].values()], self.turns.shared, self.turn_value)

    def write_turn(self, name: str, left: Value) -> None:
        """Writes the bits of a counter that the other one does not share."""
        turns = self.turns
        assert turns is not None
        initial = self.initial(name, 0)
        assert initial is not None
        own = self.live[name] & ~turns.shared
        writes = reduce(or_, self._turn_kinds(lambda kind: name in kind.updates), self._turn_begins())
        for counted, when, value in ((False, self._turn_begins(), initial), (True, writes, left)):
            mask = own & (turns.counted if counted else ~turns.counted)
            register = Cat(bit for bit, at in zip(self.registers[name], self._places(own), strict=True) if mask >> at & 1)
            with self.m.If(when):
                self.m.d.sync += register.eq(self._bits(value, mask))

    def _turn_begins(self) -> Value:
        return self.valid.at(0) & self.lines["begin"].at(0)

    def in_first(self) -> Value:
        """Whether the token at the front is of the part of its message that comes first, so that it is the turn of the first counter."""
        return reduce(or_, self._turn_kinds(self.plan.order.is_first), Const(0, 1))

    def in_second(self) -> Value:
        """Whether it is of the other part."""
        return reduce(or_, self._turn_kinds(lambda kind: not self.plan.order.is_first(kind)), Const(0, 1))

    def _turn_kinds(self, chosen: Callable[[Step], bool]) -> list[Value]:
        """For each kind of token of a block or tag whose step is chosen, whether the token at the front is of this kind."""
        return [line.at(0) for line, token, step in self.tokens(0) if token.title != "start" and chosen(step)]

    def _places(self, mask: int) -> list[int]:
        return [at for at in range(self.width) if mask >> at & 1]

    def _bits(self, value: Value, mask: int) -> Value:
        return Cat(value[at] for at in self._places(mask))


# -- state -------------------------------------------------------------------------------------------------------------------------

LUT_PLACES = 64
"""Most places in LUT memories of what starts that run ahead have computed.  More are in block memories."""


class StateValues(TurnValues):
    """Makes the registers and memories of the state of a pipeline, and writes them."""

    def make_states(self) -> None:
        """Makes the registers of the state, and the values that lane 0 reads at their homes."""
        m = self.m
        names = [name for name, kind in self.plan.kinds.items() if kind.kind != "horner"]
        for name in names:
            # A reset clears the state: nothing else would until the next message.
            live = self.live[name] & ~self.in_turn(name) if self.c.contexts == 1 else (1 << self.width) - 1
            self.registers[name] = Signal(live.bit_count(), name=f"{name}_reg")
            if (twin := self._twin(name)) is not None:
                # Blocks change the counter only, so its bits are the only ones with registers of their own.
                self.shared[name] = _, bits = twin
                self.live[name] = (1 << self.width) - 1
                self.registers[name] = Signal(bits.stop - bits.start, name=f"{name}_reg")
        for name in names:
            value = Signal(self.width, name=name)
            home = self.placed.homes[name]
            register = self.stored(name, home)
            initial = self.initial(name, home)
            if self.turns and name == self.turns.second:
                register = self.turn_begun(register)
            m.d.comb += value.eq(register if initial is None else Mux(self.lines["begin"].at(home), initial, register))
            self.states[name] = [self.line(value, home, name)]

    def _twin(self, name: str) -> tuple[str, slice] | None:
        """For a counter: a held part of the state that every start makes equal to it, in the same cycle, and the bits that blocks change.

        None if there is no such part, or if the state is in memories.
        """
        plan = self.plan
        if plan.kinds[name].kind != "counter" or self.c.contexts > 1:
            return None
        others = [step for step in plan.steps if step.name != "start"]
        starts = [step for step in plan.steps if step.name == "start" and not plan.reservations.detached(step.title)]
        counters = {counter_of(step, name) for step in others if name in step.updates}
        if not starts or len(counters) != 1 or (counter := counters.pop()) is None:
            return None
        for held in plan.kinds:
            alike = all(step.updates.get(name) == step.updates.get(held) for step in starts)
            keeps = all(held not in step.updates for step in others)
            if held != name and alike and keeps and self.placed.homes[name] == self.placed.homes[held]:
                return held, counter_bits(counter, self.width)
        return None

    def chain_states(self) -> None:
        """Makes the values of the state that each lane leaves to the next one, within a cycle."""
        turns = self.turn_left() if self.turns else {}
        for lane in range(self.lanes):
            for name in sorted(self.states, key=self._reads_others):
                if name in self.linked:
                    # There is one lane.
                    self.states[name].append(self.states[name][lane])
                    continue
                home = self.placed.homes[name]
                value = self.states[name][lane].at(home)
                value = turns[name] if name in turns else self._updated(name, lane, value, home)
                left = Signal(self.width, name=f"{self.in_lane(lane, name)}_left")
                self.late.d.comb += left.eq(value)
                self.states[name].append(self.line(left, home, left.name))

    def _updated(self, name: str, lane: int, value: Value, home: int) -> Value:
        """A part of the state behind a lane: what the token of the lane makes of *value*.

        Where tokens add to the value, it is one sum for all kinds of tokens.  Kinds that do not add to the value take it out of the sum.
        """
        counted = self._counted(name, lane)
        if counted is not None:
            lines, step, number = counted
            counts = reduce(or_, (line.at(home) for line in lines))
            return self.counted(step, number, value, counts)
        own = self._identity(value)
        forms = [(line.at(home), token.part, step) for line, token, step in self._updating(lane, name)]
        added = [self._added_to(own, step.updates[name], home, step, part, lane) for _, part, step in forms]
        if not any(form is not None for form in added):
            return self._chosen(name, lane, value, home)
        total = GatedSum(self.width, f"{self.in_lane(lane, name)}_left")
        replacing = [when for (when, _, _), form in zip(forms, added, strict=True) if form is None]
        for (when, part, step), form in zip(forms, added, strict=True):
            self.gather(total, when, step.updates[name] if form is None else form, home, step, part, lane)
        if name == self.tag_sum:
            self._add_tag(own, total, home)
        if replacing:
            value = self._without(name, value, home, reduce(or_, replacing))
        return value ^ total.total(self.late)

    def _without(self, name: str, value: Value, home: int, replaced: Value) -> Value:
        """A part of the state at its home; zero if a token replaces it."""
        initial = self.initial(name, home) if name in self.plan.shared.values() else None
        if isinstance(initial, Const) and not initial.value:
            # One signal clears it for a message that begins, and behind the text: a bit then has a LUT for all that is added.
            return Mux(replaced | self.lines["begin"].at(home), 0, self.stored(name, home))
        return Mux(replaced, 0, value)

    def _chosen(self, name: str, lane: int, value: Value, home: int) -> Value:
        """The new value of a part of the state to which no token adds: a choice between *value* and what tokens make of others."""
        by_value: dict[Hashable, tuple[list[Value], Value]] = {}
        for line, token, step in self._updating(lane, name):
            form = step.updates[name]
            read = [self._read(term, home, step, token.part, lane, None) for term in form]
            terms = [(self._identity(value), term.maps) for value, term in read]
            whens, _ = by_value.setdefault(tuple(terms), ([], self.form(form, home, step, token.part, lane)))
            whens.append(line.at(home))
        for whens, new in by_value.values():
            value = Mux(reduce(or_, whens), new, value)
        return value

    def _added_to(self, own: Hashable, form: Form, stage: int, step: Step, part: int, lane: int) -> Form | None:
        """What a form adds to a value; None if the value is not one of its terms."""
        itself = [term for term in form if not term.maps and self._identity(self._read(term, stage, step, part, lane, None)[0]) == own]
        return tuple(term for term in form if term is not itself[0]) if len(itself) == 1 else None

    def _add_tag(self, own: Hashable, total: GatedSum, home: int) -> None:
        """Lets the sum be the tag, too, while a token of a tag is there.  The register of the part is cleared then."""
        ((line, token, step),) = self._tags()
        assert step.output is not None
        added = self._added_to(own, step.output, home, step, token.part, 0)
        if added is None or not all(total.has(self._identity(self._read(term, home, step, token.part, 0, None)[0])) for term in added):
            raise ValueError(f"the tag does not have the sum of {self.tag_sum}")
        self.gather(total, line.at(home), added, home, step, token.part, 0)

    def _tags(self) -> list[tuple[Line, TokenKind, Step]]:
        """The kinds of tokens that give a tag."""
        return [each for each in self.tokens(0) if each[1].title == "tag" and each[1].ends]

    def _counted(self, name: str, lane: int) -> tuple[list[Line], Step, int] | None:
        """For a part of the state that tokens of a single lane only add a number to: their kinds, a step, and the operation that adds.

        None if anything else reads the sum, since it is the sum only while such a token is there.
        """
        updating = self._updating(lane, name)
        if not (updating and self.plan.reservations.one_by_one()):
            return None
        found = []
        for _, _, step in updating:
            if counter_of(step, name) is None:
                return None
            number = step.updates[name][0].source.number
            forms = [form for key, form in step.updates.items() if key != name]
            forms += [form for each in step.operations for form in each.operands] + [*step.outputs()]
            if any(term.source == Source("op", number) for form in forms for term in form):
                return None
            found.append((step.operations[number].operation.counter, step.operations[number].number, step, number))
        if len({each[:2] for each in found}) != 1:
            return None
        return [line for line, _, _ in updating], *found[0][2:]

    def _reads_others(self, name: str) -> bool:
        """Whether a step makes the new value of a part of the state of that of another part, which must be there before."""
        return any(term.source.kind == "left" for step in self.plan.steps for term in step.updates.get(name, ()))

    def _updating(self, lane: int, name: str) -> list[tuple[Line, TokenKind, Step]]:
        """The kinds of tokens with a block that write a part of the state."""
        return [each for each in self.tokens(lane) if each[1].ends and each[2].name != "start" and name in each[2].updates]

    def _write_started(self, name: str, least: int = 0) -> None:
        """Lets the starts that are tokens of their messages write a part of the state, in stage *least* or later."""
        for line, token, step in self.tokens(0):
            if step.name == "start" and token.ends and name in step.updates and not self.plan.reservations.detached(step.title):
                stage = max(least, self._start_stage(step, token, name))
                self.keep(name, line.at(stage), stage, self.form(step.updates[name], stage, step, token.part, 0))

    def write_states(self) -> None:
        for name in self.states:
            if name in self.linked:
                self._write_chain(name)
                continue
            home = self.placed.homes[name]
            if self.in_turn(name):
                self.write_turn(name, self.states[name][-1].at(home))
                continue
            written = [line.at(home) for lane in range(self.lanes) for line, _, _ in self._updating(lane, name)]
            begins = self.valid.at(home) & self.lines["begin"].at(home)
            self.keep(name, reduce(or_, written, begins), home, self.states[name][-1].at(home))
            if name == self.tag_sum:
                self.keep(name, reduce(or_, (line.at(home) for line, _, _ in self._tags())), home, Const(0, self.width))
            self._write_started(name)

    def _write_chain(self, name: str) -> None:
        """Writes a chain through the cipher.  All tokens write it at the same stage."""
        m, stage = self.m, self.placed.written[name]
        link = Signal(self.width, name=f"{name}_link")
        links: list[Value] = []
        total = GatedSum(self.width, f"{name}_next")
        for line, token, step in self._updating(0, name):
            links.append(line.at(stage))
            self.gather(total, links[-1], step.updates[name], stage, step, token.part, 0)
        # A message that begins with its tag overwrites what an older one has left.
        begins = self.valid.at(stage) & self.lines["begin"].at(stage)
        m.d.comb += link.eq(total.total(m))
        self.keep(name, reduce(or_, links, begins), stage, link)
        self._write_started(name, stage)

    def _start_stage(self, step: Step, token: TokenKind, name: str) -> int:
        """The stage in which the last token of a ``start`` writes a part of the state."""
        at = self.placed.passes[step.title][token.part].at
        made = (term.source.number for term in step.updates[name] if term.source.kind == "op")
        return max([self.placed.homes[name], *(self.placed.ready[step.title][number] - at for number in made)])

    def connect_hash(self) -> None:
        """Makes the chains of the hash, and the sum of its last products."""
        if self.plan.horner is None:
            return
        m, lines = self.m, self.lines
        stage = self.placed.stages["mul"]
        done = stage + self.placed.latencies["mul"]
        name = self.plan.horner.name
        active = lines["product"].at(done)
        products = []
        for lane in range(self.lanes):
            chains = self.memory(self.plan.lane_chains if self.c.contexts == 1 else self.c.contexts << len(self.c.i.chain), 1, clears=True)
            m.submodules[self.in_lane(lane, "chains")] = chains
            product = self.units[lane]["mul"].at(done)
            # A token reads zeros if it has no product, or begins its chain.
            m.d.comb += [
                chains.clear[0].eq(~lines["product"].at(stage - 1) | lines["fresh"].at(stage - 1)),
                chains.raddr[0].eq(self._chain(stage - 1)),
                chains.waddr.eq(self._chain(done)), chains.we.eq(active),
                chains.wdata.eq(product),
            ]  # fmt: skip
            self.chains.append(chains.rdata[0])
            products.append(product)
        self.registers[name] = Signal(self.width, name=f"{name}_reg")
        total = Signal(self.width, name=name)
        m.d.comb += total.eq(self.sum(products) ^ Mux(lines["opening"].at(done), 0, self.stored(name, done)))
        self.keep(name, active, done, total)
        self.total = Line(self.late, total, done, name)

    def _chain(self, stage: int) -> Value:
        """The word of the chain that the token in a stage goes on with."""
        chain = self.lines["chain"].at(stage)
        return chain if self.c.contexts == 1 else Cat(chain, self.context(stage))

    def make_words(self) -> None:
        """The state of all contexts, if there are several."""
        m, c = self.m, self.c
        for name, reads in self.words.items():
            m.submodules[f"{name}_words"] = words = ChannelWords(self.width, c.contexts, len(reads), c.erase_bits)
            m.d.comb += [words.erase.eq(c.erase), words.erase_address.eq(c.erase_address)]
            for port, (stage, value) in enumerate(reads.items()):
                m.d.comb += [words.raddr[port].eq(self.context(stage - 1)), value.eq(words.rdata[port])]
            for when, stage, value in self.writes[name]:
                # No two of them in a cycle: nothing else enters while a start with tokens is under way.
                with m.If(when):
                    m.d.comb += [words.we.eq(1), words.waddr.eq(self.context(stage)), words.wdata.eq(value)]

    def hashed(self, lane: int) -> Iterator[tuple[Line, Form, Step, int]]:
        """For each kind of token that has a block of the hash, what is added to the chain: a form of a part of a step."""
        assert self.plan.horner is not None
        source = ("state", self.plan.horner.name)
        for line, token, step in self.tokens(lane):
            product = self.plan.hashed(step)
            if product is None or product not in token.operations:
                continue
            operand = next(form for form in step.operations[product].operands if any(term.source == source for term in form))
            yield line, tuple(term for term in operand if term.source != source), step, token.part

    # -- what starts that run ahead have computed ---------------------------------------------------------------------------------

    def make_started(self) -> None:
        """Makes a memory for each part of the state that a start computes."""
        m, c = self.m, self.c
        style = "distributed" if c.start_places <= LUT_PLACES else "block"
        memories = []
        for name in self.plan.started:
            reads = self.begun.get(name, {})
            m.submodules[f"{name}_started"] = memory = self.memory(c.start_places, max(1, len(reads)), style)
            for port, (stage, value) in enumerate(reads.items()):
                m.d.comb += [memory.raddr[port].eq(self.lines["begin_place"].at(stage - 1)), value.eq(memory.rdata[port])]
            stage = max(self._start_stage(step, token, name) for _, token, step in self._starts())
            memories.append((memory, self._starting(stage), self._computed(name, stage), stage))
        free = ~reduce(or_, (written for _, written, _, _ in memories), Const(0, 1))
        for memory, written, value, stage in memories:
            m.d.comb += [
                memory.we.eq(written | (c.clear_started & free)),
                memory.waddr.eq(Mux(written, self.lines["start_place"].at(stage), c.clear_place)),
                # The value is zero while there is none.
                memory.wdata.eq(value),
            ]  # fmt: skip
        started = self._starting(max(stage for *_, stage in memories)) if memories else Const(0, 1)
        m.d.comb += [c.started.eq(started), c.started_cleared.eq(c.clear_started & free)]

    def _starts(self) -> list[tuple[Line, TokenKind, Step]]:
        """The kinds of the tokens of starts."""
        return [each for each in self.tokens(0) if each[2].name == "start"]

    def _starting(self, stage: int) -> Value:
        """Whether the token in a stage is one of a start."""
        return reduce(or_, (line.at(stage) for line, _, _ in self._starts()))

    def _computed(self, name: str, stage: int) -> Value:
        """What the start in a stage has computed."""
        forms = ((line.at(stage), self.form(step.updates[name], stage, step, token.part, 0)) for line, token, step in self._starts())
        return reduce(or_, (Mux(when, form, 0) for when, form in forms))
