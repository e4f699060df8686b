# SPDX-License-Identifier: Apache-2.0
"""The cadence of a unit that takes blocks in batches, such as a round core for several streams.

::

    cycle       0 1 2 3 4 ... 39 40 41 42 43 44 ...      4 blocks every 40 cycles
    blocks      x x x x          x  x  x  x
    batch     x               x                          high ``BATCH_LEAD`` cycles before the first block
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from modeloom.spec.errors import DefinitionError, InputError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BATCH_LEAD", "EVERY_CYCLE", "Cadence", "Cycles"]

Cycles = TypeVar("Cycles", int, "np.ndarray")
"""A number of cycles or blocks, or an array of them."""

BATCH_LEAD = 2
"""Cycles from the signal that begins a batch to its first block."""


@dataclass(frozen=True)
class Cadence:
    """Blocks that enter a unit in successive cycles, again and again.

    Attributes
    ----------
    interval : int
        Cycles from the first block of a batch to that of the next one.
    blocks : int
        Blocks of a batch, fewer than the cycles of an interval: the unit takes one in each of the first ``blocks`` cycles of it.

    Raises
    ------
    ValueError
        A batch has no blocks, or as many as an interval has cycles.
    """

    interval: int
    blocks: int

    def __post_init__(self) -> None:
        if not 1 <= self.blocks < self.interval:
            raise ValueError(f"a batch in {self.interval} cycles has from 1 to {self.interval - 1} blocks, not {self.blocks}")

    @property
    def gaps(self) -> int:
        """Cycles of an interval in which the unit takes no block; 0 if it takes no batches."""
        return self.interval - self.blocks

    @property
    def batched(self) -> Cadence | None:
        """This cadence, or None if the unit takes no batches."""
        return self if self.gaps else None

    def told(self, what: str) -> list[str]:
        """Its words in a listing, behind what it is the cadence of; none if the unit takes no batches."""
        return [f"{what} {self.blocks} in {self.interval} cycles"] if self.gaps else []

    @property
    def described(self) -> dict[str, int]:
        """Its member of a description in JSON; none if the unit takes no batches."""
        return {"blocks": self.blocks} if self.gaps else {}

    def check_unit(self, unit: str, interval: int, *, several_cores: bool) -> None:
        """Raises ``InputError`` for a unit that is busy for several cycles with an operation, or performs some on another core."""
        if interval != 1 or several_cores:
            raise InputError(f"unit {unit}: a unit that takes batches takes one operation in each of their cycles, on one core")

    def no_order(self, mode: str) -> InputError:
        """The error for a mode whose operations of a block wait for each other in a circle."""
        # The steps of a pipeline may use ciphers in different orders, as it has several.
        return InputError(f"--cipher-arch multistream is not for {mode}: its steps use the one cipher at different places; leave it out")

    def takes(self, cycle: int) -> bool:
        """Whether the unit takes a block in a cycle."""
        return cycle % self.interval < self.blocks

    def places(self, cycles: int) -> int:
        """The number of blocks that the unit takes in so many cycles.  Raises ``ValueError`` if they are not whole intervals."""
        if cycles % self.interval:
            raise ValueError(f"{cycles} cycles are not a number of whole intervals of {self.interval}")
        return cycles // self.interval * self.blocks

    def room(self, cycles: Cycles) -> Cycles:
        """The most blocks that the unit takes in so many successive cycles, whatever the phase: a number, or an array of them."""
        turns, rest = cycles // self.interval, cycles % self.interval
        return turns * self.blocks + rest - (rest > self.blocks) * (rest - self.blocks)

    def span(self, blocks: Cycles) -> Cycles:
        """The fewest cycles from the first to the last of so many blocks: a number, or an array of them."""
        before = blocks - 1
        return before // self.blocks * self.interval + before % self.blocks

    def next(self, cycle: int) -> int:
        """The first cycle from this one on in which the unit takes a block."""
        return cycle if self.takes(cycle) else cycle + -cycle % self.interval

    def last(self, cycle: int) -> int:
        """The last cycle up to this one in which the unit takes a block."""
        return cycle - max(0, cycle % self.interval - self.blocks + 1)

    def phase(self, starts: Iterable[int]) -> int | None:
        """The first cycle of a batch within an interval, for starts that all lie within batches; None if there is no such cycle.

        A batch lies within one interval.
        """
        within = [start % self.interval for start in starts] or [0]
        if max(within) - min(within) >= self.blocks:
            return None
        return min(*within, self.gaps)

    def phases(self, offsets: Collection[int]) -> frozenset[int]:
        """The phases, from 0 to ``interval`` - 1, in which something may begin that uses the unit so many cycles later."""
        return frozenset(phase for phase in range(self.interval) if all(self.takes(phase + offset) for offset in offsets))


class _EveryCycle(Cadence):
    """Batches of one block without cycles between them."""

    def __post_init__(self) -> None:
        """There is nothing to check."""

    def check_unit(self, unit: str, interval: int, *, several_cores: bool) -> None:
        """Any unit has it."""

    def no_order(self, mode: str) -> InputError:
        return DefinitionError(f"{mode}: the operations of a block wait for each other in a circle, which no pipeline does")


EVERY_CYCLE: Cadence = _EveryCycle(1, 1)
"""The cadence of a unit that can take a block in every cycle."""
