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

    def _needed(self, cycle: int, step: str, closes: bool) -> set[int]:
        uses = set(self._uses.get(step, ()))
        if closes and self.plan.follows:
            uses |= set(self._uses.get("tag", ()))
        return {cycle + use for use in uses}

    def first(self, cycle: int, step: str, closes: bool = False) -> int:
        """The first cycle from this one on in which a token of a step may enter.  ``closes`` says that a tag follows it."""
        while self._needed(cycle, step, closes) & self._cycles:
            cycle += 1
        return cycle

    def take(self, cycle: int, step: str, closes: bool = False) -> None:
        """Takes what a token needs that enters in this cycle."""
        self._cycles |= self._needed(cycle, step, closes)
