# SPDX-License-Identifier: Apache-2.0
"""The values of forms in a pipeline of tokens: what a step reads, at the stage at which it is needed.

::

    input of a token ──[reg]──[reg]── ...       of_lane, lines
    result of a unit ──[reg]── ...              units
    state at its home ──[reg]── ...             states          ──▶ form: wires, and a sum
    words of the key memory                     reads
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_, xor
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modeloom.rtl.counter import CounterAdder, counter_bits
from modeloom.rtl.engine.storage import BlockMemory, cut_bytes
from modeloom.rtl.gf128.reduction import scale
from modeloom.rtl.stream.long_counter import counters_in_turn
from modeloom.rtl.stream.storage import LEAST_BITS, Batches, BatchLine, Line, QuietLine
from modeloom.rtl.stream.tags import tag_sum
from modeloom.spec.counters import Amount
from modeloom.spec.field import Field
from modeloom.streams.plan import StreamPlan, TokenKind
from modeloom.streams.steps import Form, Step, Term, chains_of
from modeloom.streams.trace import Known

__all__ = ["GatedSum", "TokenValues", "live_bits", "moved", "reversed_bytes", "scaled", "string_moved"]


# Sums whose terms depend on the kind of a token.
#
# Kinds that read the same value share its gate, so that a bit of a sum has one AND for each value, and not one for each kind:
#
#     kind 0: a + b        ──▶    a & (kind 0 or kind 1)  +  b & kind 0  +  c & (kind 1, bytes of the piece)
#     kind 1: a + cut(c)

class GatedSum:
    """The XOR of values of *width* bits, a multiple of 8, each of which counts for some kinds of tokens.  *name* begins names of gates."""

    def __init__(self, width: int, name: str):
        self.width, self._name = width, name
        self._values: dict[Hashable, Value] = {}
        # Values that are zero unless one of their conditions holds.
        self._quiet: set[Hashable] = set()
        # For each value: the conditions of whole values, and those of pieces with a mask of their bytes.
        self._whole: dict[Hashable, list[Value]] = {}
        self._pieces: dict[Hashable, list[tuple[Value, Value]]] = {}

    def add(self, key: Hashable, when: Value, value: Value, mask: Value | None = None, *, quiet: bool = False) -> None:
        """Adds a value under the condition *when* of one bit, of which at most one holds in a cycle.

        Equal keys have equal values.  A mask has one bit for each byte, and says that it counts.  A quiet value is zero unless the
        condition holds, and needs no gate.
        """
        if quiet:
            self._quiet.add(key)
        self._values.setdefault(key, value)
        if mask is None:
            self._whole.setdefault(key, []).append(when)
        else:
            self._pieces.setdefault(key, []).append((when, mask))

    def hush(self, key: Hashable, conditions: Sequence[Value]) -> None:
        """Takes the gate of a value that is zero unless one of some conditions holds, if it is added under each of them."""
        whole = [id(when) for when in self._whole.get(key, ())]
        if key not in self._pieces and all(whole.count(id(when)) == 1 for when in conditions):
            self._quiet.add(key)

    def has(self, key: Hashable) -> bool:
        """Whether a value is added under some condition."""
        return key in self._values

    def join(self, group: Sequence[Hashable], conditions: Sequence[Value], mask: int, value: Value) -> None:
        """Gives those bits of values that *mask* has one source without a gate, if every token adds exactly one of these values.

        One of the conditions holds whenever there is a token, and *value* has these bits, whichever value is added.
        """
        if not set(group) <= {*self._values} - {*self._pieces} - self._quiet:
            return
        added = [id(when) for key in group for when in self._whole[key]]
        if sorted(added) != sorted(map(id, conditions)):
            return
        for key in group:
            whole = self._values[key]
            self._values[key] = Cat(Const(0, 1) if mask >> at & 1 else whole[at] for at in range(self.width))
        self.add(("joined", *group), Const(1, 1), Cat(value[at] if mask >> at & 1 else Const(0, 1) for at in range(self.width)), quiet=True)

    def total(self, m: Module) -> Value:
        """The sum.  Its gates are added to *m*.  A sum of one whole value is a multiplexer with 0, which registers make their reset."""
        parts: list[Value] = []
        for number, (key, value) in enumerate(self._values.items()):
            # A kind may add a value and a piece of it.  So conditions are summed, too.
            if key in self._quiet:
                parts.append(value)
                continue
            whole = reduce(xor, self._whole.get(key, ()), Const(0, 1))
            pieces = self._pieces.get(key, [])
            gate = Signal(self.width // 8 if pieces else 1, name=f"{self._name}_gate_{number}")
            if not pieces:
                m.d.comb += gate.eq(whole)
                parts.append(Mux(gate, value, 0))
                continue
            bytes_here = reduce(xor, (mask & when.replicate(len(gate)) for when, mask in pieces))
            m.d.comb += gate.eq(bytes_here ^ whole.replicate(len(gate)))
            parts.append(value & Cat(bit.replicate(8) for bit in gate))
        return reduce(xor, parts) if parts else Const(0, self.width)


# -- moves -------------------------------------------------------------------------------------------------------------------------

# Blocks moved and scaled by a number that is known when the core runs: a multiplexer for each bit of the number.
#
#     move by n + c     string of the block, moved by c ──▶ by 1 or not ──▶ by 2 or not ──▶ by 4 or not ...
#     block * x^n       coefficients ──▶ up by 1 or not ──▶ up by 2 or not ... ──▶ what has left returns, reduced by the modulus
#
# The string of a block begins with the highest bit of byte 0.

def reversed_bytes(value: Value) -> Value:
    """A block with its bytes in the other order."""
    return Cat(value.word_select(at, 8) for at in reversed(range(len(value) // 8)))


def _string(value: Value) -> list[Value]:
    """The bits of a block as a string, or the bits of a block whose string this is."""
    return [value[i & ~7 | 7 - i % 8] for i in range(len(value))]


def _chosen_by(bit: Value, one: Value, other: Value) -> Value:
    """One of two values.  As gates, it selects nothing: a nonce may have the bit, and no control signal depends on a nonce."""
    width = max(len(one), len(other))
    return (one & bit.replicate(width)) | (other & ~bit.replicate(width))


def string_moved(value: Value, places: int) -> Value:
    """A block whose string is moved this far to the front, or to the end for a number below 0.

    This takes wires only.  The block should be a signal, because each bit is selected from it.
    """
    width = len(value)
    bits = _string(value)
    zeros: Sequence[Value] = [Const(0, 1)] * min(abs(places), width)
    string = [*bits[places:], *zeros] if places >= 0 else [*zeros, *bits][:width]
    return Cat(string[i & ~7 | 7 - i % 8] for i in range(width))


def moved(m: Module, value: Value, amount: Value, plus: int, name: str) -> Value:
    """A block whose string is moved to the front by ``amount + plus`` bits; *plus* may be below 0.  Names of signals begin with *name*."""
    width, most = len(value), (1 << len(amount)) - 1
    bits = _string(value)
    # Bit j of the result is bit j + amount + plus of the string.
    wide: Value = Cat(bits[at] if 0 <= at < width else Const(0, 1) for at in range(plus, plus + width + most))
    for level in reversed(range(len(amount))):
        step = 1 << level
        chosen = Signal(len(wide) - step, name=f"{name}_{level}")
        m.d.comb += chosen.eq(_chosen_by(amount[level], wide[step:], wide[: len(wide) - step]))
        wide = chosen
    return Cat(_string(wide))


def scaled(m: Module, field: Field, value: Value, amount: Value, name: str) -> Value:
    """A block times x^amount.  The parameters are those of :func:`moved`."""
    width, most = field.width, (1 << len(amount)) - 1
    wide: Value = Cat(value[field.bit(i)] for i in range(width))
    for level in range(len(amount)):
        step = 1 << level
        chosen = Signal(len(wide) + step, name=f"{name}_{level}")
        m.d.comb += chosen.eq(_chosen_by(amount[level], Cat(Const(0, step), wide), wide))
        wide = chosen
    back: list[list[Value]] = [[wide[i]] for i in range(width)]
    for place in range(width, width + most):
        remainder = field.x_power(place)
        for i in range(width):
            if remainder >> i & 1:
                back[i].append(wide[place])
    result: list[Value] = [Const(0, 1)] * width
    for i, terms in enumerate(back):
        result[field.bit(i)] = reduce(xor, terms)
    return Cat(result)


# -- values ------------------------------------------------------------------------------------------------------------------------

SUBSETS = ("cut", "whole", "keep")
"""Maps that leave bits out, and move none."""


class TokenValues:
    """Delay lines, units and state of a pipeline as they are made, and the values of forms that are made of them.

    Parameters
    ----------
    component : TokenPipeline
    """

    def __init__(self, component: Any):
        self.c, self.plan, self.m = component, component.plan, Module()
        self.placed, self.width, self.lanes = self.plan.placed, component.width, self.plan.lanes
        self.ends = [""] if self.lanes == 1 else [f"_{lane}" for lane in range(self.lanes)]
        m, c = self.m, component
        # Delay lines are made where they are read, under conditions too: their registers stand in a module of their own.
        m.submodules.lines = self.late = Module()
        self._batches: Batches | None = None
        if c.batches:
            begins = Line(self.late, c.batch, 0, "batch")
            if self.plan.all_ciphered:
                self._batches = Batches(self.late, self.plan.cadence, begins)
        self.valid = self.flag(c.i.valid, "valid")
        self.kinds: list[dict[int, Line]] = [self._kinds(lane) for lane in range(self.lanes)]
        self.lines = {
            name: self.line(getattr(c.i, name), 0, name)
            for name in (
                "begin", "nonce", "slot", "chain", "fresh", "opening", "given", "start_place", "begin_place", "blank",
                *(f"known_{name}" for name in self.plan.known_lengths),
            )
        }  # fmt: skip
        self.lines["product"] = self.flag(c.i.product, "product")
        if c.batches:
            self.lines["batch"] = begins
        self.lines["context"] = Line(self.late, c.i.context, 0, "context")
        self.of_lane = {
            name: [self.line(getattr(c.i, name)[lane], 0, self.in_lane(lane, name)) for lane in range(self.lanes)]
            for name in ("block", "nbytes", "power", "times")
        }
        self.of_lane["second"] = [self.line(c.i.second, 0, "second")]
        self.units: list[dict[str, Line]] = [{} for _ in range(self.lanes)]
        self.operands: list[dict[str, tuple[Signal, ...]]] = [{} for _ in range(self.lanes)]
        # For each part of the state what each lane reads, and what the last one leaves.
        self.states: dict[str, list[Line]] = {}
        self.registers: dict[str, Signal] = {}
        # The parts that are chains through the cipher, and the bits of each part that may be set.
        self.linked = {kind.name for kind in chains_of(self.plan.kinds)}
        self.live = live_bits(self.plan)
        # The part of the state whose sum is the tag, too, while a token of a tag is there.
        self.tag_sum = tag_sum(self.plan, component.contexts)
        # The counters that share a register, its bits, whether the second of them has begun, and the one that a token counts.
        self.turns = counters_in_turn(self.plan, component.contexts)
        self.turn_bits = Signal(self.turns.shared.bit_count() if self.turns else 0, name="count_reg")
        self.turned, self.turn_value = Signal(name="turned_reg"), Signal(self.width, name="counted")
        # For a counter that starts as a held part of the state does: this part, and the bits that the register of the counter has.
        self.shared: dict[str, tuple[str, slice]] = {}
        # With several contexts: by part of the state what is written, and what is read at each stage.
        self.writes: dict[str, list[tuple[Value, int, Value]]] = {}
        self.words: dict[str, dict[int, Signal]] = {}
        self.chains: list[Signal] = []
        # Words of the key memory, by lane, unit and port.
        self.reads: dict[tuple[int, str, int], Value] = {}
        self.total: Line | None = None
        self._masks: dict[tuple[int, int], Value] = {}
        self._marks: dict[tuple[int, int], Value] = {}
        self._tables: dict[tuple[object, int], Value] = {}
        self._amounts: dict[Amount, Line] = {}
        # Key values beside units: for each lane and key value what is read in stage 1, and products with numbers of the message.
        self.key_lines: dict[tuple[int, object], Line] = {}
        self._multiples: dict[tuple[int, Term], Line] = {}
        # What starts have computed, as their messages read it: by part of the state and stage.
        self.begun: dict[str, dict[int, Signal]] = {}
        self._early: dict[tuple[str, int], Value] = {}
        self._counters: list[CounterAdder] = []
        # By what is added: the values that the operand is made of, and the sum.
        self._adders: dict[Hashable, tuple[list[Value], Value]] = {}

    def line(self, value: Value, stage: int, name: str) -> Line:
        """A line of a value from a stage on."""
        if self._batches is not None and len(value) >= LEAST_BITS:
            return BatchLine(self.late, value, stage, name, self._batches)
        return Line(self.late, value, stage, name)

    def flag(self, value: Value, name: str) -> Line:
        """A line of a bit that says that there is a token."""
        return QuietLine(self.late, value, 0, name) if self.c.batches else Line(self.late, value, 0, name, reset=True)

    def in_lane(self, lane: int, name: str) -> str:
        """A name in a lane."""
        return name + self.ends[lane]

    def _kinds(self, lane: int) -> dict[int, Line]:
        """For each kind of token that a lane may have, whether it has it."""
        token, result = self.c.i, {}
        for number in self._numbers(lane):
            bit = Signal(name=self.in_lane(lane, f"is_{self._name(number)}"))
            self.m.d.comb += bit.eq(token.valid & token.active[lane] & (token.kind[lane] == number))
            result[number] = self.flag(bit, bit.name)
        return result

    def tokens(self, lane: int) -> Iterator[tuple[Line, TokenKind, Step]]:
        """The kinds of tokens of messages that a lane may have: whether it has one, the kind, and its step."""
        for number, line in self.kinds[lane].items():
            if number < len(self.plan.tokens):
                yield line, self.plan.tokens[number], self.plan.step(self.plan.tokens[number].title)

    def _numbers(self, lane: int) -> list[int]:
        tokens = self.plan.tokens
        if lane == 0:
            missing = () if "decrypt" in self.c.directions else ("decrypt", "partial_decrypt")
            own = [n for n, token in enumerate(tokens) if self.plan.step(token.title).name not in missing]
            return [*own, *range(len(tokens), len(tokens) + len(self.plan.preparations))]
        loops = [n for n, token in enumerate(tokens) if self.plan.step(token.title).name not in ("start", "tag")]
        shared = [n for n, token in enumerate(tokens) if token.title == "tag"] if self.plan.shares_tag else []
        return [*loops, *shared]

    def _name(self, number: int) -> str:
        if number >= len(self.plan.tokens):
            return f"prepare_{number - len(self.plan.tokens)}"
        token = self.plan.tokens[number]
        return f"{token.title.replace(' ', '_')}{f'_{token.part}' if token.part else ''}"

    def memory(self, depth: int, ports: int, style: str = "distributed", clears: bool = False) -> BlockMemory:
        """A memory that can be erased."""
        memory = BlockMemory(self.width, depth, ports, style=style, erase_bits=self.c.erase_bits, clears=clears)
        self.m.d.comb += [memory.erase.eq(self.c.erase), memory.erase_address.eq(self.c.erase_address)]
        return memory

    def context(self, stage: int) -> Value:
        """The context of the token in a stage, or of that which comes next for stage -1."""
        value: Value = self.c.i.next_context if stage < 0 else self.lines["context"].at(stage)
        return value

    def in_turn(self, name: str) -> int:
        """A number with a one for each bit of a part of the state whose register another part shares in turn."""
        return self.turns.shared if self.turns and name in (self.turns.first, self.turns.second) else 0

    def stored(self, name: str, stage: int) -> Value:
        """What a part of the state is in a stage: its register, or the word of the token's context."""
        if name in self.shared:
            held, part = self.shared[name]
            rest = self.stored(held, stage)
            return Cat(rest[: part.start], self.registers[name], rest[part.stop :])
        if self.c.contexts == 1:
            bits, shared = iter(self.registers[name]), iter(self.turn_bits)
            taken = self.in_turn(name)
            return Cat(
                next(shared) if taken >> at & 1 else next(bits) if self.live[name] >> at & 1 else Const(0, 1) for at in range(self.width)
            )
        ports = self.words.setdefault(name, {})
        if stage not in ports:
            ports[stage] = Signal(self.width, name=f"{name}_{stage}_word")
        return ports[stage]

    def keep(self, name: str, when: Value, stage: int, value: Value) -> None:
        """Writes a part of the state for the token in a stage."""
        if self.c.contexts > 1:
            self.writes.setdefault(name, []).append((when, stage, value))
            return
        live = Cat(bit for at, bit in enumerate(value) if self.live[name] >> at & 1)
        with self.m.If(when):
            self.m.d.sync += self.registers[name].eq(value[self.shared[name][1]] if name in self.shared else live)

    def sum(self, values: Sequence[Value]) -> Value:
        """The XOR of some blocks."""
        return reduce(xor, values, Const(0, self.width)) if values else Const(0, self.width)

    def mapped(self, value: Value, term: Term, stage: int, lane: int) -> Value:
        """A value behind the wires of a term."""
        for kind, *numbers in term.maps:
            match kind, *numbers:
                case ("shift", int(number)):
                    value = string_moved(self._named(value, "moved"), number)
                case ("scale", int(number)):
                    value = scale(self.plan.mode.field, self._named(value, "scaled"), number)
                case ("shift", Amount() as amount):
                    value = self._named(value, "shift_by")
                    value = moved(self.late, value, self._amount(amount, stage, lane), amount.plus, "shift_level")
                case ("scale", Amount() as amount):
                    value = self._named(value, "scale_by")
                    value = scaled(self.late, self.plan.mode.field, value, self._amount(amount, stage, lane), "scale_level")
                case ("keep", int(number)):
                    value = cut_bytes(value, number)
                case ("whole",):
                    value = Mux(self.of_lane["nbytes"][lane].at(stage) == self.width // 8, value, 0)
                case _:
                    value = value & Cat(bit.replicate(8) for bit in self._mask(stage, lane))
        return value

    def _named(self, value: Value, name: str) -> Value:
        """A value as a signal, each bit of which can be selected."""
        named = Signal(self.width, name=name)
        self.late.d.comb += named.eq(value)
        return named

    def _amount(self, amount: Amount, stage: int, lane: int) -> Value:
        """A number that is known when a message comes."""
        if amount.kind == "ntz":
            return self.of_lane["times"][lane].at(stage)[: amount.bits]
        known = replace(amount, plus=0)
        if known not in self._amounts:
            # Only its bits wait until a stage needs them.
            last = Signal(amount.bits, name=f"amount_{len(self._amounts)}")
            block = Signal(self.width, name=f"{last.name}_block")
            string = [block[i & ~7 | 7 - i % 8] for i in range(self.width)]
            self.late.d.comb += [block.eq(self.form(amount.what or (), 0, None, 0, 0)), last.eq(Cat(reversed(string[-amount.bits :])))]
            self._amounts[known] = Line(self.late, last, 0, last.name)
        return self._amounts[known].at(stage)

    def _mask(self, stage: int, lane: int) -> Value:
        """A one for each byte of a piece."""
        if (stage, lane) not in self._masks:
            nbytes = self.of_lane["nbytes"][lane].at(stage)
            mask = Signal(self.width // 8, name=self.in_lane(lane, f"mask_{stage}"))
            self.late.d.comb += mask.eq(Cat(nbytes > at for at in range(self.width // 8)))
            self._masks[stage, lane] = mask
        return self._masks[stage, lane]

    def _mark(self, stage: int, lane: int) -> Value:
        """A bit 1 behind the bytes of a partial block: the first bit of the next byte."""
        if (stage, lane) not in self._marks:
            nbytes = self.of_lane["nbytes"][lane].at(stage)
            mark = Signal(self.width, name=self.in_lane(lane, f"mark_{stage}"))
            self.late.d.comb += mark.eq(Cat(Cat(Const(0, 7), nbytes == at) for at in range(self.width // 8)))
            self._marks[stage, lane] = mark
        return self._marks[stage, lane]

    def gather(
        self, into: GatedSum, when: Value, form: Form, stage: int, step: Step | None, part: int, lane: int,
        port: tuple[str, int] | None = None,
    ) -> None:  # fmt: skip
        """Adds the value of a form to a sum, for tokens of one kind.  The other parameters are those of :meth:`form`."""
        for each in form:
            source, term = self._read(each, stage, step, part, lane, port)
            cut = term.maps[-1:] == (("cut",),)
            plain = Term(term.source, term.maps[:-1] if cut else term.maps)
            key = (self._identity(source), plain.maps, stage, lane) if plain.maps else self._identity(source)
            into.add(key, when, self.mapped(source, plain, stage, lane), self._mask(stage, lane) if cut else None)

    @staticmethod
    def _identity(value: Value) -> Hashable:
        """Equal for the same signals, and for equal constants."""
        return ("const", value.value) if isinstance(value, Const) else id(value)

    def form(
        self, form: Form, stage: int, step: Step | None, part: int, lane: int, port: tuple[str, int] | None = None
    ) -> Value:
        """The value of a form for the token in a stage, which is part ``part`` of its step."""
        read = [self._read(term, stage, step, part, lane, port) for term in form]
        return self.sum([self.mapped(value, term, stage, lane) for value, term in read])

    def _read(
        self, term: Term, stage: int, step: Step | None, part: int, lane: int, port: tuple[str, int] | None
    ) -> tuple[Value, Term]:
        """A value, and the term of it that is left to map.  Products of key values with numbers of the message come from a register."""
        if term.source.kind != "key" or not any(term.amounts()):
            return self._term(term, stage, step, part, lane, port), term
        if (lane, term) not in self._multiples:
            product = self.mapped(self.key_lines[lane, term.source.what].at(1), term, 1, lane)
            self._multiples[lane, term] = self.line(product, 1, self.in_lane(lane, f"multiple_{len(self._multiples)}"))
        return self._multiples[lane, term].at(stage), Term(term.source)

    def _term(self, term: Term, stage: int, step: Step | None, part: int, lane: int, port: tuple[str, int] | None) -> Value:
        kind, what = term.source
        if kind == "const":
            return Const(term.source.number, self.width)
        if kind == "key" and self.plan.carries_keys:
            return self.key_lines[lane, what].at(stage)
        if kind in ("key", "word"):
            assert port is not None
            return self.reads[lane, *port]
        if kind == "mark":
            return self._mark(stage, lane)
        if kind == "number":
            return self._number(what, stage)
        if kind == "tag":
            return self.lines["given"].at(stage)
        if kind == "left":
            return self.states[str(what)][lane + 1].at(stage)
        if kind == "state" and step is not None and step.name == "tag" and self.plan.reservations.detached(step.title):
            # What the last token of the message has left goes on through the pipeline before the tag.
            return self.states[str(what)][-1].at(stage + self.plan.behind)
        if kind == "state":
            if self.plan.kinds[str(what)].kind == "horner":
                assert self.total is not None
                return self.total.at(stage)
            line = self.states[str(what)][lane]
            return line.at(stage) if stage >= line.born or step is None else self._awaited(str(what), stage, step, part)
        if kind == "op":
            assert step is not None
            return self._result(step, term.source.number, part, stage, lane)
        return self.of_lane["second" if (kind, what) == ("text", 2) else "block"][lane].at(stage)

    def _awaited(self, name: str, stage: int, step: Step, part: int) -> Value:
        """What a part of the state is before its home.

        The token of a step that waits comes when nothing else of the message is under way: all blocks have written the register.
        """
        if not self.placed.passes[step.title][part].at:
            raise ValueError(f"{step.title} reads {name} in stage {stage}, before its home, and does not wait for it")
        register, initial = self.stored(name, stage), self.initial(name, stage)
        if initial is None or not self.placed.passes[step.title][0].at:
            return register
        if (name, stage) not in self._early:
            # No block comes before the tokens of a tag that begins its message.
            value = Signal(self.width, name=f"{name}_in_{stage}")
            self.late.d.comb += value.eq(Mux(self.lines["begin"].at(stage), initial, register))
            self._early[name, stage] = value
        return self._early[name, stage]

    def initial(self, name: str, stage: int) -> Value | None:
        """What a ``start`` without tokens makes of the nonce for a part of the state; None if there is no such start."""
        if name in self.plan.started:
            read = self.begun.setdefault(name, {})
            if stage not in read:
                read[stage] = Signal(self.width, name=f"{name}_{stage}_begun")
            return Mux(self.lines["blank"].at(stage), 0, read[stage])
        made: Value | None = None
        for start in self.plan.free_starts:
            value = self.sum([self.mapped(self._start_term(term, stage), term, stage, 0) for term in start.updates[name]])
            if made is None:
                made = value
            else:
                lengths = self.plan.mode.nonce_bytes[start.nonce_class]
                made = Mux(reduce(or_, (self.lines["known_nonce"].at(stage) == nbytes for nbytes in lengths)), value, made)
        return made

    def _start_term(self, term: Term, stage: int) -> Value:
        if term.source.kind == "const":
            return Const(term.source.number, self.width)
        if term.source.kind == "number":
            return self._number(term.source.what, stage)
        return self.lines["given" if term.source.kind == "tag" else "nonce"].at(stage)

    def _number(self, what: object, stage: int) -> Value:
        """A number of lengths as big-endian bytes of a block."""
        assert isinstance(what, tuple)
        of, first, nbytes = what
        if (what, stage) not in self._tables:
            bits: Value = self.lines[f"known_{of}"].at(stage) if isinstance(of, str) else self._table(of, nbytes, stage)
            wide = Cat(bits, Const(0, 8 * nbytes))[: 8 * nbytes]
            turned = Cat(wide.word_select(at, 8) for at in reversed(range(nbytes)))
            self._tables[what, stage] = Cat(Const(0, 8 * first), turned, Const(0, self.width - 8 * (first + nbytes)))
        return self._tables[what, stage]

    def _table(self, of: Known, nbytes: int, stage: int) -> Value:
        """A number that depends on some lengths, looked up."""
        result = Signal(8 * nbytes, name=f"number_{len(self._tables)}")
        lengths = [self.lines[f"known_{name}"].at(stage) for name in of.names]
        with self.late.Switch(Cat(lengths)):
            for values, number in of.cases:
                key, at = 0, 0
                for value, signal in zip(values, lengths, strict=True):
                    key, at = key | value << at, at + len(signal)
                with self.late.Case(key):
                    self.late.d.comb += result.eq(number)
        return result

    def _result(self, step: Step, number: int, part: int, stage: int, lane: int) -> Value:
        """The result of an operation of a step, which an earlier token of the step may have done."""
        unit = self.placed.units[step.title][number]
        if not unit:
            return self._added(step, number, part, stage, lane)
        passes = self.placed.passes[step.title]
        done = next(n for n, each in enumerate(passes) if number in each.operations)
        line = self.total if number == self.plan.hashed(step) else self.units[lane][unit]
        assert line is not None
        return line.at(stage + passes[part].at - passes[done].at - self.placed.later(step.title, number))

    def counted(self, step: Step, number: int, value: Value, counts: Value) -> Value:
        """A block with what an operation adds to its counter, if *counts*: an adder alone, without a choice behind it."""
        operation = step.operations[number]
        assert operation.operation.counter is not None
        adder = CounterAdder(self.width, operation.operation.counter)
        self.late.submodules[f"count{len(self._counters)}"] = adder
        self._counters.append(adder)
        self.late.d.comb += [adder.i.eq(value), adder.number.eq(Mux(counts, operation.number, 0))]
        return adder.o

    def _added(self, step: Step, number: int, part: int, stage: int, lane: int) -> Value:
        operation = step.operations[number]
        assert operation.operation.counter is not None
        form, count = operation.operands[0], operation.number
        if len(form) == 1 and form[0].source.kind == "state" and self.plan.kinds[str(form[0].source.what)].kind == "counter":
            # The lanes before this one have blocks of the same step, and add as much each: no adder waits for another one.
            count, of_lane = count * (lane + 1), 0
        else:
            of_lane = lane
        # Steps that count alike share an adder.
        values = [self._term(term, stage, step, part, of_lane, None) for term in form]
        added = tuple((self._identity(value), term.maps) for value, term in zip(values, form, strict=True))
        key = (operation.operation.counter, count, stage, of_lane, added)
        if key not in self._adders:
            adder = CounterAdder(self.width, operation.operation.counter)
            self.late.submodules[f"add{len(self._adders)}"] = adder
            self.late.d.comb += [adder.i.eq(self.form(form, stage, step, part, of_lane)), adder.number.eq(count)]
            self._adders[key] = values, adder.o
        return self._adders[key][1]


def live_bits(plan: StreamPlan) -> dict[str, int]:
    """By part of the state, a number with a one for each bit that may be set.  Those of chains and of the hash may all be.

    The other bits are always zero, and need no register.  A part begins with what a ``start`` makes of it, and tokens add blocks, numbers
    and constants to it::

        start: last = 0          partial block: last = 0x40          ──▶ a single bit
        start: sum = 0           block: sum ^ p                      ──▶ all bits
    """
    width = 8 * plan.mode.block_bytes
    every = (1 << width) - 1
    found = {name: every if kind.mixes else 0 for name, kind in plan.kinds.items()}
    while True:
        before = dict(found)
        for step in plan.steps:
            for name, form in step.updates.items():
                found[name] |= _of_form(form, step, before, width)
        if found == before:
            return found


def _of_form(form: Form, step: Step, known: Mapping[str, int], width: int) -> int:
    bits = 0
    for term in form:
        bits |= _of_term(term, step, known, width)
    return bits


def _of_term(term: Term, step: Step, known: Mapping[str, int], width: int) -> int:
    every = (1 << width) - 1
    kind, what = term.source
    bits = every
    if kind == "const":
        bits = term.source.number
    elif kind in ("state", "left"):
        bits = known[str(what)]
    elif kind == "mark":
        bits = sum(0x80 << at for at in range(0, width, 8))
    elif kind == "op":
        made = step.operations[term.source.number]
        if made.operation.counter is not None:
            counted = counter_bits(made.operation.counter, width)
            bits = _of_form(made.operands[0], step, known, width) | ((1 << counted.stop) - (1 << counted.start))
    return bits if not bits or {each[0] for each in term.maps} <= set(SUBSETS) else every
