# SPDX-License-Identifier: Apache-2.0
"""The reservation table of a pipeline: in which cycles each step takes what, and the first cycle in which all of it is free.

::

    cycle                     0   1   2   ...   D   ...   behind
    block          entry      x
    pair           entry      x
                   cipher     x                 x                   its token returns to the cipher
    last block     entry      x                           x         its tag follows
                   cipher     x                           x
    chained block  entry      x
                   chain      x   x   x   ...                       until the turn is over
    cadence        cipher     may begin in some cycles of an interval only

The arbiter of the hardware (``rtl/stream/arbiter``) is made of this table, and proofs run messages by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modeloom.spec.cadence import EVERY_CYCLE
from modeloom.spec.kinds import CIPHER

if TYPE_CHECKING:
    from modeloom.streams.plan import StreamPlan

__all__ = ["CHAIN", "ENTRY", "Program", "ReservationTable", "Reservations"]

ENTRY = "entry"
"""The entry of the pipeline, which takes the tokens of a cycle."""

CHAIN = "chain"
"""The chain of a message through the cipher, which its next step reads."""


@dataclass(frozen=True)
class Program:
    """What a step takes.  Cycles count from the one in which the step enters.

    Attributes
    ----------
    tokens : tuple of (int, int)
        For each token, its cycle and its kind.
    cycles : int
        The number of cycles after which the next step may begin, if it does not wait for a chain.
    uses : dict
        For each resource, the cycles in which it is taken.
    """

    tokens: tuple[tuple[int, int], ...]
    cycles: int
    uses: Mapping[str, tuple[int, ...]]


class ReservationTable:
    """The programs of the steps of a plan.

    Parameters
    ----------
    plan : StreamPlan
    """

    def __init__(self, plan: StreamPlan):
        self.plan, self.placed, self.cadence = plan, plan.placed, plan.cadence or EVERY_CYCLE

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources for which tokens meet.

        A token has the units as it comes by them, so that the entry is enough to share them, unless tokens return to the cipher.
        """
        return (ENTRY, *[CIPHER] * self.plan.returning, *[CHAIN] * self.plan.chained)

    def shares(self, resource: str) -> bool:
        """Whether tokens meet for a resource, so that some of them wait for it."""
        return resource in self.resources

    # -- programs -----------------------------------------------------------------------------------------------------------------

    def program(self, title: str) -> Program:
        """What a step takes.  A tag that follows counts from the last block of its message."""
        passes = self.placed.passes[title]
        tokens = tuple((one.at, self.plan.kind_of(title, number)) for number, one in enumerate(passes))
        cycles = max(passes[-1].at + 1 if passes else 0, self.placed.ahead.get(title, 0))
        return Program(tokens, cycles, self.uses(title))

    def sequence(self, title: str) -> Program:
        """What a step takes of the sequence of its message: nothing, if its token enters between the tokens of others."""
        if self.detached(title):
            return Program((), 1, {})
        program = self.program(title)
        return Program(program.tokens, max(1, program.cycles), program.uses)

    def detached(self, title: str) -> bool:
        """Whether the token of a step enters between those of other messages: a start that runs ahead, or a tag that follows."""
        return self.placed.follows if title == "tag" else self.placed.starts.early and title.startswith("start")

    def one_by_one(self, *titles: str) -> bool:
        """Whether the tokens of some steps have a block each, and enter in the order of their messages."""
        return self.plan.lanes == 1 and not any(map(self.beside, titles))

    def uses(self, title: str) -> Mapping[str, tuple[int, ...]]:
        """For each resource, the cycles in which a step takes it."""
        step, passes = self.plan.step(title), self.placed.passes[title]
        last = passes[-1].at if passes else 0
        found = {ENTRY: tuple(one.at for one in passes), CIPHER: self.placed.uses(step)}
        turn = self.plan.turn_after(step)
        return found | ({CHAIN: tuple(range(last, last + turn))} if turn > 1 else {})

    # -- the cadence of the cipher ------------------------------------------------------------------------------------------------

    def paced(self, title: str) -> tuple[int, ...]:
        """The cycles of those tokens of a step that keep the cadence, because they use the cipher.

        A partial last block counts as a whole one, and a whole one as a partial one, since both enter as the same step.  A token that
        returns does so after whole intervals.
        """
        if title == "tag" and self.plan.tag_keeps:
            return (0,)
        every = (title, *self.plan.last_steps.get(title, ()))
        return tuple(sorted({at for each in every for at in self.placed.cipher_tokens(self.plan.step(each))}))

    def phases(self, *titles: str) -> frozenset[int] | None:
        """The phases of the cadence in which steps that share their tokens may begin; None if they may begin in every cycle."""
        phases = self.cadence.phases({at for title in titles for at in self.paced(title)})
        return phases if len(phases) < len(self._each_phase) else None

    def begins(self, cycle: int, *titles: str) -> int:
        """The first cycle from *cycle* on in which steps that share their tokens may begin."""
        phases = self.phases(*titles)
        return cycle + (0 if phases is None else self.waits(cycle, phases))

    def waits(self, cycle: int, phases: frozenset[int]) -> int:
        """The number of cycles from *cycle* to the first one in some phases of the cadence."""
        return min((phase - cycle) % self.cadence.interval for phase in phases)

    # -- sums of cycles -----------------------------------------------------------------------------------------------------------

    def entry_cycles(self, *titles: str) -> int:
        """The largest number of cycles from the one in which the first of some steps of a message could enter to the end of the last."""
        return max(self._ends(phase, titles) - phase for phase in self._each_phase)

    def ahead_waits(self, cycles: int, start: str, *titles: str) -> int:
        """The largest number of cycles that a start that runs ahead and then a step of its message wait for their places in batches, if
        the step could enter so many cycles after the start."""
        ready = {phase: self.begins(phase, start) + cycles for phase in self._each_phase}
        return max(self.begins(ready[phase], title) - phase - cycles for phase in self._each_phase for title in titles)

    @property
    def _each_phase(self) -> range:
        return range(self.cadence.interval)

    def _ends(self, cycle: int, titles: tuple[str, ...]) -> int:
        for title in titles:
            cycle = self.begins(cycle, title) + self.sequence(title).cycles
        return cycle

    # -- text ---------------------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The table as text: for each step its tokens, what it takes, and when the next step may begin."""
        plan = self.plan
        lines = [f"reservations {plan.mode.name}: {', '.join((*self.resources, *self.cadence.told('cipher')))}"]
        for step in plan.steps:
            program, phases = self.program(step.title), self.phases(step.title)
            said = [f"{name} {' '.join(map(str, self._shown(cycles)))}" for name, cycles in program.uses.items() if cycles]
            if phases is not None:
                said.append(f"phases {' '.join(map(str, self._shown(sorted(phases))))}")
            if self.detached(step.title):
                said.append("follows its message" if step.name == "tag" else "runs ahead")
            else:
                said.append(f"next {program.cycles + plan.turn_after(step) - 1}")
            lines.append(f"  {step.title}: {'; '.join(said)}")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _shown(cycles: tuple[int, ...] | list[int]) -> list[str]:
        """Numbers in order, with runs of more than two as their ends."""
        runs: list[list[int]] = []
        for cycle in cycles:
            if runs and cycle == runs[-1][-1] + 1:
                runs[-1].append(cycle)
            else:
                runs.append([cycle])
        return [text for run in runs for text in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run))]


class Reservations:
    """What tokens have taken so far, in software.

    Parameters
    ----------
    plan : StreamPlan
    """

    def __init__(self, plan: StreamPlan):
        self.plan, self.table = plan, plan.reservations
        self._taken: dict[str, set[int]] = {ENTRY: set(), CIPHER: set()}
        self._ciphers: dict[str, tuple[int, ...]] = {}
        self._phases: dict[tuple[str, bool], frozenset[int] | None] = {}

    def _cipher(self, title: str) -> tuple[int, ...]:
        if title not in self._ciphers:
            self._ciphers[title] = self.table.uses(title)[CIPHER] if title and self.table.shares(CIPHER) else ()
        return self._ciphers[title]

    def _needed(self, cycle: int, step: str, closes: bool, at: int) -> dict[str, set[int]]:
        ciphers, entries = set(self._cipher(step)), {at} if step else set[int]()
        if closes and self.table.detached("tag"):
            ciphers |= set(self._cipher("tag"))
            entries |= {self.plan.behind}
        return {ENTRY: {cycle + use for use in entries}, CIPHER: {cycle + use for use in ciphers}}

    def first(self, cycle: int, step: str, closes: bool = False) -> int:
        """The first cycle from this one on in which the token of a step may enter.  ``closes`` says that a tag follows it.

        With a cadence, both keep it.  A token without a step only ends its message.
        """
        cycle += self._waits(cycle, step, closes)
        while not self.free(cycle, step, closes):
            cycle += 1 + self._waits(cycle + 1, step, closes)
        return cycle

    def free(self, cycle: int, step: str, closes: bool = False, at: int = 0) -> bool:
        """Whether all that a step takes is free if it enters in this cycle, whatever the cadence is.

        ``at`` is the number of cycles after which its token comes.
        """
        return not any(needed & self._taken[name] for name, needed in self._needed(cycle, step, closes, at).items())

    def _waits(self, cycle: int, step: str, closes: bool) -> int:
        """The number of cycles that a token waits for the cadence."""
        key = step, closes
        if key not in self._phases:
            self._phases[key] = self.table.phases(*([step] if step else ()), *(["tag"] if closes and self.table.detached("tag") else ()))
        phases = self._phases[key]
        return 0 if phases is None else self.table.waits(cycle, phases)

    def take(self, cycle: int, step: str, closes: bool = False, at: int = 0) -> None:
        """Takes what a step needs that enters in this cycle."""
        for name, needed in self._needed(cycle, step, closes, at).items():
            self._taken[name] |= needed

    def enter(self, cycle: int, step: str, closes: bool = False) -> int:
        """Lets the token of a step enter in the first cycle from this one on in which it may, and returns this cycle."""
        cycle = self.first(cycle, step, closes)
        self.take(cycle, step, closes)
        return cycle
