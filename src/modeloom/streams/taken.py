# SPDX-License-Identifier: Apache-2.0
"""The cycles in which the cipher is taken by tokens that return to it, and by tags that follow.

::

    a pair in cycle 0      has it in cycles 0 and D
    the end of a message   has it for its tag, a fixed number of cycles later
    another token          enters in the first cycle in which all that it takes is free
"""

from __future__ import annotations

from modeloom.streams.plan import StreamPlan

__all__ = ["Taken"]


class Taken:
    """What is taken so far.  Nothing is kept, and every cycle is free, if no token returns.

    Parameters
    ----------
    plan : StreamPlan
    """

    def __init__(self, plan: StreamPlan):
        self.plan = plan
        self._uses = plan.uses
        self._cycles: set[int] = set()
        self._phases: dict[tuple[str, bool], frozenset[int] | None] = {}

    def _needed(self, cycle: int, step: str, closes: bool) -> set[int]:
        uses = set(self._uses.get(step, ()))
        if closes and self.plan.follows:
            uses |= set(self._uses.get("tag", ()))
        return {cycle + use for use in uses}

    def first(self, cycle: int, step: str, closes: bool = False) -> int:
        """The first cycle from this one on in which a token of a step may enter.  ``closes`` says that a tag follows it.

        With a cadence, both keep it.  A token without a step only ends its message.
        """
        cycle += self._waits(cycle, step, closes)
        while self._needed(cycle, step, closes) & self._cycles:
            cycle += 1 + self._waits(cycle + 1, step, closes)
        return cycle

    def free(self, cycle: int, step: str) -> bool:
        """Whether all that a token of a step takes is free if it enters in this cycle, whatever the cadence is."""
        return not self._needed(cycle, step, closes=False) & self._cycles

    def _waits(self, cycle: int, step: str, closes: bool) -> int:
        """The number of cycles that a token waits for the cadence."""
        cadence, key = self.plan.cadence, (step, closes)
        if key not in self._phases:
            self._phases[key] = self.plan.phases(*[step] * bool(step), *["tag"] * (closes and self.plan.follows))
        phases = self._phases[key]
        return 0 if phases is None or cadence is None else min((phase - cycle) % cadence.interval for phase in phases)

    def take(self, cycle: int, step: str, closes: bool = False) -> None:
        """Takes what a token needs that enters in this cycle."""
        self._cycles |= self._needed(cycle, step, closes)
