# SPDX-License-Identifier: Apache-2.0
"""Proof by induction with things that are followed: a state with variables of the proof's own beside the registers.

::

    erasure, reset ──▶ nothing is followed ──▶ something is chosen as it comes ──▶ where it is ──▶ it has left

What is chosen is any: a rule that holds for it holds for all.  A constant of a proof has one value in all cycles, and this value is any.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from tests.formal.bits import Bits, all_of, constant, fresh
from tests.formal.induction import Invariant, Rule, unproved_by_induction
from tests.formal.machine import Machine, State
from tests.formal.proof import holds

from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.taint.graph import Cell

__all__ = ["Followed", "Queue", "erased", "refuted_with_a_run", "select", "unproved_of"]

SETTLE = 2
"""Cycles of reset behind an erasure: the address of an erasure passes a register."""


class Followed:
    """A state of a machine, and variables of the proof.

    Class attributes
    ----------------
    variables : mapping of str to function of parameters
        Width of each variable.  They are 0 after a reset.
    constants : mapping of str to function of parameters
        Width of each constant.
    chosen : sequence of str
        Bits that are free in each cycle.
    """

    variables: ClassVar[Mapping[str, Callable[[MessageParameters], int]]] = {}
    constants: ClassVar[Mapping[str, Callable[[MessageParameters], int]]] = {}
    chosen: ClassVar[Sequence[str]] = ()

    def __init__(self, state: State, p: MessageParameters, values: Mapping[str, Bits], fixed: Mapping[str, Bits]):
        self.state, self.p, self.values, self.fixed = state, p, dict(values), dict(fixed)
        self.choices = {name: fresh(f"{state.label}.{name}", 1) for name in self.chosen}
        self._cells: dict[str, Cell] = {}

    @classmethod
    def any(cls, machine: Machine, p: MessageParameters, label: str = "s") -> Followed:
        """Any state."""
        values = {name: fresh(f"{label}.{name}", width(p)) for name, width in cls.variables.items()}
        return cls(machine.free(label), p, values, cls._fixed(p))

    @classmethod
    def _fixed(cls, p: MessageParameters) -> dict[str, Bits]:
        return {name: fresh(name, width(p)) for name, width in cls.constants.items()}

    @classmethod
    def start(cls, state: State, p: MessageParameters) -> Followed:
        """A state in which nothing is followed."""
        return cls(state, p, {name: constant(0, width(p)) for name, width in cls.variables.items()}, cls._fixed(p))

    def __getitem__(self, name: str) -> Bits:
        for known in (self.values, self.fixed, self.choices):
            if name in known:
                return known[name]
        return self.state[name]

    def first(self, *names: str) -> Bits:
        """The first of some nets that there is: a register that is also a port has the name of either."""
        return self.state[next(name for name in names if self.state.has(name))]

    def cell(self, name: str) -> Cell:
        """The memory of an instance."""
        if name not in self._cells:
            self._cells[name] = self.state.machine.memory(name)
        return self._cells[name]

    def word(self, name: str, at: Bits) -> Bits:
        """A word of the memory of an instance."""
        cell = self.cell(name)
        return self.state.word(cell, at[: cell.parameters["ABITS"]] if at.width > cell.parameters["ABITS"] else at)

    def slice(self, name: str) -> list[tuple[Bits, Bits]]:
        """The two places of a register slice (``State.slice``)."""
        return self.state.slice(name)

    def queue(self, name: str, depth: int) -> Queue:
        """A ``Queue`` of the buses."""
        return Queue(self, name, depth)

    def next(self) -> Followed:
        """The state of the cycle after."""
        t = type(self)(self.state.next(), self.p, {}, self.fixed)
        t.values = self.follow(t)
        return t

    def follow(self, t: Followed) -> dict[str, Bits]:
        """Values of the variables in the cycle after, whose registers are known already."""
        return dict(self.values)


class Queue:
    """Names for the parts of a queue in one state."""

    def __init__(self, of: Followed, name: str, depth: int):
        self.of, self.name, self.depth = of, name, depth
        self.put, self.get, self.following = (of[f"{name}.{at}_reg"] for at in ("put", "get", "next"))
        self.level = (self.put - self.get).wide
        self.ready = of.first(f"{name}.ready_reg", f"{name}_i_ready")
        self.valid = of.first(f"{name}.valid_reg", f"{name}_o_valid")
        self.head = of.first(f"{name}_o_payload", f"{name}.o_payload")

    def word(self, at: Bits) -> Bits:
        """The word at a pointer."""
        return self.of.word(f"{self.name}.memory", at)

    def holds(self, at: Bits) -> Bits:
        """Whether a pointer is at a payload that is in the queue."""
        return (at - self.get).wide < self.level

    @property
    def sound(self) -> Bits:
        """It has no more than its depth; a full one takes nothing, an empty one gives nothing; what it gives is the oldest; and it
        knows the place after that."""
        return all_of([
            self.level <= self.depth, self.ready.implies(self.level < self.depth), self.valid.implies(self.level > 0),
            self.valid.implies(self.head.equals(self.word(self.get))), ~self.of[f"{self.name}.memory.erase_reg"],
            self.following.equals(self.get + 1),
        ])  # fmt: skip

    def changes_by_a_word(self, after: Queue, at: Bits) -> Bits:
        """At any pointer: only the word that is put comes, only the oldest leaves, and the others stay as they are."""
        come, gone = after.put.differs(self.put), after.get.differs(self.get)
        here, before = self.holds(at), self.of.first(f"{self.name}.i_payload", f"{self.name}.memory.wdata")
        new = come & at.equals(self.put)
        return all_of([
            come.implies(after.put.equals(self.put + 1) & ~self.holds(self.put)), gone.implies(after.get.equals(self.get + 1) & self.valid),
            after.holds(at).equals((here | new) & ~(gone & at.equals(self.get))),
            new.implies(after.word(at).equals(before)), (here & after.holds(at)).implies(after.word(at).equals(self.word(at))),
        ])  # fmt: skip


def select(cases: Iterable[tuple[Bits, Bits]], otherwise: Bits) -> Bits:
    """The value of the first case that is true."""
    result = otherwise
    for truth, value in reversed(list(cases)):
        result = truth.choose(value, result)
    return result


def erased(kind: type[Followed], machine: Machine, p: MessageParameters, words: int) -> tuple[Followed, Bits]:
    """A state after an erasure of the first words of all memories and some cycles of reset, from any state, and what is assumed for it."""
    state, assumed = machine.free("any"), []
    for number in range(words + SETTLE):
        assumed += [state["rst"], state["erase"].equals(int(number < words))]
        if number < words:
            assumed.append(state["erase_address"].equals(number))
        state = state.next()
    return kind.start(state, p), all_of(assumed)


def unproved_of(
    kind: type[Followed], machine: Machine, p: MessageParameters, invariants: Sequence[Invariant], rules: Sequence[Rule],
    assumed: Sequence[Invariant], only: Collection[str] = (),
) -> list[str]:  # fmt: skip
    """Invariants that do not hold after an erasure, or a cycle after all of them held, and rules that do not follow from them."""
    after_reset, reset = erased(kind, machine, p, p.contexts if p.channels > 1 else 0)
    s = kind.any(machine, p)
    conditions = [condition(s) for condition in assumed]
    return unproved_by_induction(invariants, rules, after_reset, [reset], s, s.next(), conditions, only)


def refuted_with_a_run(
    kind: type[Followed], machine: Machine, p: MessageParameters, broken: Callable[..., Bits], invariant: bool,
    surroundings: Callable[..., Bits], cycles: int,
) -> int | None:  # fmt: skip
    """After how many cycles behind an erasure a run can break an invariant or a rule; None if it takes more than *cycles*."""
    s, reset = erased(kind, machine, p, p.contexts if p.channels > 1 else 0)
    assumed = [reset]
    for number in range(cycles):
        assumed.append(surroundings(s))
        t = s.next()
        if holds(broken(t) if invariant else broken(s, t), *assumed) is not None:
            return number
        s = t
    return None
