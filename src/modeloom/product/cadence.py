# SPDX-License-Identifier: Apache-2.0
"""The distance of messages in a core whose cipher takes blocks in batches: a model of the entry, which lets each step in as soon as it may.

::

    4 blocks every 40 cycles; messages of one block of associated data, two of text, and a tag
    cycle      0 1 2 | 3 ... | 40 41 42 | 43 ... | 80       A enters in any cycle, P and T in the first four of 40
    tokens     A P P   (T)     ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from modeloom.spec.cadence import Cadence

__all__ = ["CadenceFigures", "StepFigures"]


@dataclass(frozen=True, kw_only=True)
class StepFigures:
    """The tokens of a step in a core with a cadence."""

    ciphers: Annotated[tuple[int, ...], "Its tokens that use the cipher, by the cycles after its first one."]
    cycles: Annotated[int, "Cycles after which the next step may begin, if it does not have to wait for the cadence."]


@dataclass(frozen=True, kw_only=True)
class CadenceFigures:
    """The cycles in which tokens that use the cipher enter."""

    blocks: Annotated[int, "Blocks that the cipher takes in successive cycles."]
    interval: Annotated[int, "Cycles from the first of them to the first of the next ones."]
    steps: Annotated[Mapping[str, StepFigures], "The steps by title."]

    @property
    def cycles_a_block(self) -> float:
        """The mean number of cycles of a block."""
        return self.interval / self.blocks

    def phases(self, title: str) -> frozenset[int]:
        """The cycles of an interval in which a step may begin."""
        return Cadence(self.interval, self.blocks).phases(self.steps[title].ciphers)

    def after(self, cycle: int, titles: Iterable[str]) -> int:
        """The cycle after which the next step may begin, if steps that share their tokens begin as soon as they may from *cycle* on."""
        steps = [self.steps[title] for title in titles]
        offsets = {at for step in steps for at in step.ciphers}
        if offsets:
            phases = Cadence(self.interval, self.blocks).phases(offsets)
            while cycle % self.interval not in phases:
                cycle += 1
        return cycle + max(step.cycles for step in steps)

    def steady(self, message: Iterable[Iterable[str]]) -> tuple[int, int]:
        """For equal messages back to back, after how many of them their distances repeat, and the cycles of so many.

        Parameters
        ----------
        message : iterable of iterable of str
            The steps of a message in order, by title.  Those together share their tokens.
        """
        steps = [tuple(titles) for titles in message]
        cycle, seen, count = 0, dict[int, tuple[int, int]](), 0
        while cycle % self.interval not in seen:
            seen[cycle % self.interval] = count, cycle
            for titles in steps:
                cycle = self.after(cycle, titles)
            count += 1
        before, begun = seen[cycle % self.interval]
        return count - before, cycle - begun
