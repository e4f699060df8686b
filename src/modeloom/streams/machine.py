# SPDX-License-Identifier: Apache-2.0
"""The pipeline of tokens as a machine.  It does the work of the core for each token, on numbers or on symbols.

Tokens read and write each part of the state at its home stage, one after another, so a token sees the result of the previous token.
A token that returns to the cipher runs as a whole when it enters.  Three results take longer, and the machine checks that nothing reads
them too early.  A chain of a Horner hash is written one multiplier latency after it was read, and a chain through the cipher one latency
of the cipher after it.  A ``start`` may compute some values late.  A cipher that takes blocks in batches has a cadence:
the machine refuses a token that uses it in another cycle.

The result of a ``start`` that runs ahead waits until its message begins.  The token of a tag that follows reads the state as the last
token of its message has left it (``Placement``).

With several blocks in a cycle, a token has a block in each lane.  In the hardware a lane reads the state that the lane before it
leaves, within a cycle.  Here the lanes are separate tokens with the same cycle, one after another.  The hash runs in chains
(``streams.prove``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from modeloom.spec.counters import Amount
from modeloom.spec.kinds import MUL, Operation
from modeloom.spec.numbers import trailing_zeros
from modeloom.streams.place import Placement
from modeloom.streams.steps import Form, Recurrence, Source, Step, Term, horner_operation
from modeloom.streams.trace import Known

__all__ = ["Algebra", "BlockOrPair", "Chains", "Machine", "MachineError", "Token"]

V = TypeVar("V")
"""A block: a number, or a symbol."""

BlockOrPair: TypeAlias = V | tuple[V, ...]
"""What a step takes or gives."""

Timed: TypeAlias = tuple[int, V]
"""The cycle from which on a block can be read, and the block."""

MEMORY_CYCLES = 2
"""Cycles of a value through a memory: it is written, and then read into a register."""


KNOWN = ("const", "key", "mark", "number", "lengths")
"""Kinds of sources that are there before a token enters."""


class MachineError(AssertionError):
    """A token reads a value that is not ready yet, or uses a unit that is not free."""


class Shift(Protocol):
    """A number by which a block is moved or scaled."""

    def __add__(self, number: int, /) -> object: ...


class Algebra(Protocol[V]):
    """The blocks and operations of the machine."""

    zero: V

    def xor(self, a: V, b: V) -> V: ...
    def wire(self, wire: tuple[object, ...], a: V, nbytes: int) -> V: ...
    def const(self, value: int) -> V: ...
    def lengths(self, order: str, first: int, second: int) -> V: ...
    def number(self, value: int, first: int, nbytes: int) -> V: ...
    def mark(self, nbytes: int) -> V: ...
    def front01(self, nonce: V, nbytes: int) -> V: ...
    def last_bits(self, a: V, bits: int) -> Shift: ...
    def key(self, slot: int, node: int, exponent: int) -> V: ...
    def operate(self, operation: Operation, operands: Sequence[V], number: int, slot: int) -> V: ...


@dataclass(frozen=True)
class Token(Generic[V]):
    """A token that enters the pipeline.

    Attributes
    ----------
    cycle : int
        The cycle in which it enters.
    step, part : str, int
        The title of the step, and the index of the token in it; -1 for a ``start`` without tokens.
    channel, slot : int
        The channel, which has the state, and the key slot.
    block : V or (V, V)
        The nonce, the associated data or the text; both blocks of a pair of text.
    nbytes : int
        Number of bytes of the block of associated data or of text, of the second one of a pair.
    place, power, closing : int, int, bool
        These are for the hash: the number of the slot in the message, the power of the key, and whether the product is a part of
        the hash.
    first : bool
        Whether it is the first token of the message with a block of the hash.
    empty : bool
        Whether it is an empty slot.  Only its chain goes on then.
    lengths : dict
        The lengths of the message as far as they are known, as ``lengths_in_start`` names them.
    index : int
        The number of the block among those of associated data, or of text, from 1.
    message : int
        The number of the message.
    tag : V
        The tag of the message, for its ``start`` in a mode with two passes.
    opens, closes : bool
        Whether it is the first token of its message that reads the state, or the last one.  A token without a step only opens and closes
        a message without blocks.
    """

    cycle: int
    step: str
    part: int = 0
    channel: int = 0
    slot: int = 0
    block: BlockOrPair[V] | None = None
    nbytes: int = 0
    place: int = 0
    power: int = 0
    closing: bool = False
    first: bool = False
    empty: bool = False
    lengths: Mapping[str, int] = field(default_factory=dict)
    index: int = 0
    message: int = 0
    tag: V | None = None
    opens: bool = False
    closes: bool = False


@dataclass
class Chains(Generic[V]):
    """The chains of a Horner hash of a channel.

    Attributes
    ----------
    values : dict
        For each chain, the cycle from which on its value can be read, and the value.
    begin, slots : int
        The chain of the first slot of the message, and the number of slots of the message so far.
    total : (int, V) or None
        The sum of the last products so far, with the cycle from which on it can be read.
    """

    values: dict[int, Timed[V]] = field(default_factory=dict)
    begin: int = 0
    slots: int = 0
    total: Timed[V] | None = None


class Machine(Generic[V]):
    """A pipeline with its state.

    Parameters
    ----------
    steps, kinds, placed
        The result of the compiler.
    chains : int
        Number of chains of a Horner hash.
    algebra : Algebra
    """

    def __init__(self, steps: Sequence[Step], kinds: Mapping[str, Recurrence], placed: Placement, chains: int, algebra: Algebra[V]):
        self.steps = {step.title: step for step in steps}
        self.kinds, self.placed, self.chains, self.o = kinds, placed, chains, algebra
        self._state: dict[tuple[int, str], Timed[V]] = {}
        self._hash: dict[tuple[int, str], Chains[V]] = {}
        # If tokens return to the cipher, the cycles in which it is taken.
        self._taken: set[tuple[str, int]] = set()
        self._partial: dict[tuple[int, int], dict[int, Timed[V]]] = {}
        # By channel and message: what a start has computed ahead, and the cycle of the last token with the state that it has left.
        self._started: dict[tuple[int, int], dict[str, Timed[V]]] = {}
        self._closed: dict[tuple[int, int], tuple[int, dict[str, Timed[V]]]] = {}

    def run(self, token: Token[V]) -> BlockOrPair[V] | None:
        """Runs a token.  Returns the text or the tag that it gives, both blocks of a pair, or None."""
        if token.empty:
            self._empty(token)
            return None
        if token.opens:
            self._open(token)
        output = self._run(token) if token.step else None
        if token.closes:
            left = {name: value for (channel, name), value in self._state.items() if channel == token.channel}
            self._closed[token.channel, token.message] = token.cycle, left
        return output

    def _open(self, token: Token[V]) -> None:
        """Begins a message with what its start has computed."""
        started = self._started.pop((token.channel, token.message), None)
        if started is None:
            raise MachineError(f"message {token.message} begins before its start")
        for name, value in started.items():
            if self.kinds[name].kind == "horner":
                self._hash[token.channel, name] = Chains(total=None if value[1] == self.o.zero else value)
            else:
                self._state[token.channel, name] = value

    def _run(self, token: Token[V]) -> BlockOrPair[V] | None:
        """Runs a token that belongs to a step."""
        step = self.steps[token.step]
        if token.part < 0:
            # A start without tokens, whose state is ready when the command comes.
            return self.finish(token, {})
        done = self._results(token)
        part = self.placed.passes[step.title][token.part]
        for number in part.operations:
            done[number] = self._operate(step, number, token, done)
        last = token.part == len(self.placed.passes[step.title]) - 1
        if not last:
            return None
        return self.finish(token, done)

    def finish(self, token: Token[V], done: dict[int, Timed[V]]) -> BlockOrPair[V] | None:
        """The new state and the output of a step."""
        step = self.steps[token.step]
        waiting: Mapping[str, Form] = {}
        if step.name == "start":
            # What comes from a unit is written to a memory, and then read into a register.
            waiting = self.placed.starts.waiting(step.updates)
            started = {name: self._form(step, form, token, done) for name, form in waiting.items()}
            self._started[token.channel, token.message] = {
                name: (ready + MEMORY_CYCLES * bool(ready), value) for name, (ready, value) in started.items()
            }
        new = {}
        for name, form in step.updates.items():
            if name in waiting:
                continue
            if self.kinds[name].kind != "horner":
                ready, value = self._form(step, form, token, done)
                # The tokens of a start write the state at the end of a cycle.  A start without tokens has it ready at once.
                # In other steps it is ready at its home, where the next lane reads it within the cycle.
                late = step.name == "start" and token.part >= 0
                home = self.placed.homes[name]
                if name in self.placed.written and token.part >= 0:
                    # All tokens write it at the same stage, at the end of a cycle.
                    late, home = True, self.placed.written[name]
                new[name] = max(ready, token.cycle + home) + late, value
            elif step.name == "start":
                self._hash[token.channel, name] = Chains(total=self._form(step, form, token, done))
        # The output reads the state as the step has found it.
        outputs = tuple(self._form(step, form, token, done)[1] for form in step.outputs())
        output: BlockOrPair[V] | None = outputs if step.second is not None else outputs[0] if outputs else None
        self._state.update({(token.channel, name): value for name, value in new.items()})
        self._partial.pop((token.channel, token.message), None)
        return output

    def loaded(self, state: Mapping[str, V], name: str, chains: Sequence[V], channel: int = 0) -> Chains[V]:
        """Sets values in the state of a channel, and in the chains of a hash in the order of their next use.  They count as ready."""
        self._state.update({(channel, part): (0, value) for part, value in state.items() if part != name})
        hashed = self._hash[channel, name] = Chains({place: (0, value) for place, value in enumerate(chains)})
        return hashed

    def state_of(self, channel: int) -> tuple[dict[str, Timed[V]], dict[str, Chains[V]]]:
        """A copy of the state of a channel, and of its hash."""
        return (
            {name: value for (of, name), value in self._state.items() if of == channel},
            {name: deepcopy(hashed) for (of, name), hashed in self._hash.items() if of == channel},
        )

    def _results(self, token: Token[V]) -> dict[int, Timed[V]]:
        """The results of earlier tokens of the step."""
        if not token.part:
            self._partial[token.channel, token.message] = {}
        return self._partial[token.channel, token.message]

    def _operate(self, step: Step, number: int, token: Token[V], done: dict[int, Timed[V]]) -> Timed[V]:
        """The cycle in which the result of an operation is ready, and the result."""
        operation, o = step.operations[number], self.o
        unit = self.placed.units[step.title][number]
        for name, kind in self.kinds.items():
            if kind.kind == "horner" and horner_operation(step, kind) == number:
                return self._product(step, number, token, done, name)
        read = [self._form(step, operand, token, done) for operand in operation.operands]
        ready = max(cycle for cycle, _ in read)
        if unit:
            stage = token.cycle + self.placed.stages[unit] + self.placed.later(step.title, number)
            if self.placed.returns:
                if (unit, stage) in self._taken:
                    raise MachineError(f"{token.step}: operation {number} has the {unit} in cycle {stage}, which another one has")
                self._taken.add((unit, stage))
            entered = token.cycle + self.placed.later(step.title, number)
            if operation.operation.keyed and not self.placed.takes_block(entered):
                raise MachineError(f"{token.step}: operation {number} uses the cipher in cycle {stage}, out of its cadence")
            if ready > stage:
                raise MachineError(f"{token.step}: operation {number} reads in cycle {stage} what is there in cycle {ready}")
            ready = stage + self.placed.latencies[unit]
        return ready, o.operate(operation.operation, [value for _, value in read], operation.number, token.slot)

    def _product(self, step: Step, number: int, token: Token[V], done: dict[int, Timed[V]], name: str) -> Timed[V]:
        """Computes a product of a Horner hash.  The result is the hash, as far as it is complete."""
        operation = step.operations[number]
        operand = next(form for form in operation.operands if any(term.source == ("state", name) for term in form))
        rest = tuple(term for term in operand if term.source != ("state", name))
        return self._multiply(token, name, *self._form(step, rest, token, done))

    def _empty(self, token: Token[V]) -> None:
        """Runs a slot without a block.  Its chain goes on with zero."""
        for name, kind in self.kinds.items():
            if kind.kind == "horner":
                self._multiply(token, name, 0, self.o.zero)

    def _multiply(self, token: Token[V], name: str, ready: int, value: V) -> Timed[V]:
        """Computes the next step of the chain of a slot.  The result is the hash, as far as it is complete."""
        o, hashed = self.o, self._hash[token.channel, name]
        if token.first:
            start = hashed.total
            hashed.begin = (hashed.begin + hashed.slots) % self.chains
            hashed.values = {hashed.begin: start} if start else {}
            hashed.slots, hashed.total = 0, None
        stage = token.cycle + self.placed.stages["mul"]
        chain = (hashed.begin + token.place) % self.chains
        hashed.slots = max(hashed.slots, token.place + 1)
        before, sofar = hashed.values.get(chain, (0, o.zero))
        if max(ready, before) > stage:
            raise MachineError(f"{token.step}: a product reads in cycle {stage} what is there in cycle {max(ready, before)}")
        key = self.kinds[name].key
        assert key is not None
        after = stage + self.placed.latencies["mul"]
        operand = o.xor(value, sofar)
        if token.power:
            operand = o.operate(MUL.operation, [operand, o.key(token.slot, key, token.power)], 0, token.slot)
        result = after, operand
        hashed.values[chain] = result
        if token.closing:
            hashed.total = (after, o.xor(hashed.total[1], result[1]) if hashed.total else result[1])
            return hashed.total
        return result

    def _form(self, step: Step, form: Form, token: Token[V], done: dict[int, Timed[V]]) -> Timed[V]:
        ready, value = 0, self.o.zero
        for term in form:
            cycle, read = self._term(step, term, token, done)
            for wire in term.maps:
                read = self.o.wire(self._known(step, wire, token, done), read, token.nbytes)
            ready, value = max(ready, cycle), self.o.xor(value, read)
        return ready, value

    def _known(self, step: Step, wire: tuple[object, ...], token: Token[V], done: dict[int, Timed[V]]) -> tuple[object, ...]:
        """A linear map with its number in place of an ``Amount``."""
        amount = wire[-1]
        if not isinstance(amount, Amount):
            return wire
        if amount.what is None:
            return wire[0], trailing_zeros(token.index) + amount.plus
        return wire[0], self.o.last_bits(self._form(step, amount.what, token, done)[1], amount.bits) + amount.plus

    def _term(self, step: Step, term: Term, token: Token[V], done: dict[int, Timed[V]]) -> Timed[V]:
        kind, what = term.source
        if kind == "op":
            assert isinstance(what, int)
            if what not in done:
                done[what] = self._operate(step, what, token, done)
            return done[what]
        if kind == "left":
            ready, value = self._form(step, step.updates[str(what)], token, done)
            return max(ready, self._home(step, str(what), token)), value
        if kind == "state":
            # A tag that does not close its message follows it.
            read = self._left_behind if step.name == "tag" and not token.closes else self._state_read
            return read(step, str(what), token)
        return (0, self._known_value(term.source, token)) if kind in KNOWN else (token.cycle, self._given(term.source, token))

    def _home(self, step: Step, name: str, token: Token[V]) -> int:
        """The cycle in which the first token of a step is at the home of a part of the state.

        Later tokens of a step find the same value as the first one, because the channel has no other tokens in progress.
        """
        return token.cycle - self.placed.passes[step.title][max(0, token.part)].at + self.placed.homes[name]

    def _state_read(self, step: Step, name: str, token: Token[V]) -> Timed[V]:
        """A part of the state, or a hash that is closed."""
        if self.kinds[name].kind == "horner":
            total = self._hash[token.channel, name].total
            if total is None:
                raise MachineError(f"{token.step} reads the hash {name} of channel {token.channel}, which is not closed")
            return total
        if (token.channel, name) not in self._state:
            raise MachineError(f"{token.step} reads the state {name} of channel {token.channel}, which no message has begun")
        cycle, value = self._state[token.channel, name]
        home = self._home(step, name, token)
        if cycle > home:
            raise MachineError(f"{token.step} reads the state {name} in cycle {home}, and start has it in cycle {cycle}")
        return home, value

    def _known_value(self, source: Source, token: Token[V]) -> V:
        """A constant, a key word, or what the lengths of the message make."""
        kind, what = source
        if kind == "mark":
            return self.o.mark(token.nbytes)
        if isinstance(what, int):
            return self.o.const(what) if kind == "const" else self.o.key(token.slot, what, 1)
        assert isinstance(what, tuple)
        if kind == "number":
            of, first, nbytes = what
            return self.o.number(of.value(token.lengths) if isinstance(of, Known) else token.lengths[of], first, nbytes)
        order, *lengths = what
        first, second = (token.lengths[n] if isinstance(n, str) else n for n in lengths)
        return self.o.lengths(order, first, second)

    def _given(self, source: Source, token: Token[V]) -> V:
        """What enters with the token: its block, one of a pair, or the tag of its message."""
        kind, what = source
        if kind == "tag":
            assert token.tag is not None
            return token.tag
        block = token.block
        if kind == "text" and isinstance(what, int):
            assert isinstance(block, tuple)
            return block[what - 1]
        assert block is not None and not isinstance(block, tuple)
        return self.o.front01(block, token.lengths["nonce"]) if kind == "nonce" and what == "01" else block

    def _left_behind(self, step: Step, name: str, token: Token[V]) -> Timed[V]:
        """A part of the state as the message has left it, for its tag."""
        if (token.channel, token.message) not in self._closed:
            raise MachineError(f"the tag of message {token.message} comes before its end")
        closed, state = self._closed[token.channel, token.message]
        if token.cycle - closed != self.placed.passes[step.title][token.part].at:
            raise MachineError(f"the tag comes {token.cycle - closed} cycles after the end of its message")
        ready, value = state[name]
        return max(ready, closed + self.placed.homes[name]), value
