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

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from modeloom.spec.cadence import EVERY_CYCLE
from modeloom.spec.kinds import CIPHER

if TYPE_CHECKING:
    from modeloom.streams.machine import Token
    from modeloom.streams.plan import StreamPlan

__all__ = ["CHAIN", "ENTRY", "Program", "ReservationTable", "Reservations", "entered"]

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
        return self.plan.lanes == 1 and not any(map(self.detached, titles))

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


# -- messages that overlap ------------------------------------------------------------------------------------------------------------

# The cycles in which the tokens of messages enter that follow each other, for proofs:
#
#     one after another     B1  B1  T1  B2  B2  T2
#     with a start that runs ahead, and a tag that follows:
#                           S1  S2  ...  B1  B1  S3  B2  B2  T1  B3  T2  ...

MOST_AHEAD = 3
"""Messages whose start may enter before the message under way has begun."""

Entered: TypeAlias = "Iterator[tuple[int, Token]]"
"""Tokens, each with the number of its message."""


def entered(plan: StreamPlan, messages: Sequence[Sequence[Token]], seed: int) -> Entered:
    """The tokens of all messages in the order of their cycles.

    Parameters
    ----------
    messages : sequence of sequence of Token
        The tokens of each message as if it were alone, from cycle 0 on (``streams.prove.tokens_of``), or with a cadence, from the phase on
        in which the message before it ends.
    seed : int
        Of the cycles in which starts enter that run ahead.
    """
    return _Overlap(plan, messages, random.Random(seed)).run()


class _Overlap:
    """Lets the tokens of messages enter between each other."""

    def __init__(self, plan: StreamPlan, messages: Sequence[Sequence[Token]], rng: random.Random):
        self.plan, self.messages, self.rng = plan, messages, rng
        self.taken, self.begun = Reservations(plan), list[int]()
        self.detached = self.taken.table.detached
        # In a cycle, the token that writes the state at its home goes before one that only reads what it has left.
        self.placed: list[tuple[int, int, int, Token]] = []

    def run(self) -> Entered:
        """The tokens in the order of their cycles."""
        now, put = 0, self._one_by_one if self.detached("tag") else self._together
        for number, tokens in enumerate(self.messages):
            apart = [token for token in tokens if token.part < 0 or self.detached(token.step)]
            for token in apart:
                now = now if token.step == "tag" else self._begin(number, token, now)
            now = put(number, [token for token in tokens if token not in apart], now)
            for token in apart:
                if token.step == "tag":
                    self._put(number, token, now + self.plan.behind)
            now += 1
        for _, _, number, token in sorted(self.placed, key=lambda each: each[:2]):
            yield number, token

    def _put(self, number: int, token: Token, cycle: int) -> None:
        self.placed.append((cycle, len(self.placed), number, replace(token, cycle=cycle)))

    def _begin(self, number: int, start: Token, now: int) -> int:
        """Puts a start without a token, or starts that run ahead; the cycle from which on the first token of the message may enter."""
        ahead = self.plan.placed.ahead[start.step]
        if start.part < 0:
            self._put(number, start, now)
            return now + ahead
        for other in range(len(self.begun), min(len(self.messages), number + 1 + self.rng.randrange(MOST_AHEAD + 1))):
            start = next(token for token in self.messages[other] if token.step.startswith("start"))
            self.begun.append(self.taken.enter(now + self.rng.randrange(4), start.step))
            self._put(other, start, self.begun[other])
        return max(now, self.begun[number] + ahead)

    def _together(self, number: int, stream: Sequence[Token], now: int) -> int:
        """Puts the tokens of a message at the distances that they have alone; the cycle of the last one."""
        def within(token: Token) -> int:
            """The cycles from the one in which the step of a token begins to the token."""
            return self.plan.placed.passes[token.step][token.part].at if token.step else 0

        period, shift = self.taken.table.cadence.interval, now - stream[0].cycle + within(stream[0])
        shift += -shift % period
        while not all(self.taken.free(token.cycle + shift - within(token), token.step, at=within(token)) for token in stream):
            shift += period
        for token in stream:
            self.taken.take(token.cycle + shift - within(token), token.step, at=within(token))
            self._put(number, token, token.cycle + shift)
        return stream[-1].cycle + shift

    def _one_by_one(self, number: int, stream: Sequence[Token], now: int) -> int:
        """Puts the tokens of a message whose tag follows; the cycle of the last one.

        Gaps stay; what others have taken makes them longer.  Lanes enter together, and what closes alone needs no place.
        """
        base = stream[0].cycle
        last, alone = base - 1, Reservations(self.plan)
        for token in stream:
            if token.cycle != last:
                closes = any(other.closes for other in stream if other.cycle == token.cycle)
                # What has waited in the message alone for its place is no gap, as it gets a place anew.
                gap = 1 + token.cycle - alone.first(last + 1, token.step, closes)
                alone.take(token.cycle, token.step, closes)
                now = self.taken.enter(now if last < base else now + gap, token.step, closes)
                last = token.cycle
            self._put(number, token, now)
        return now
