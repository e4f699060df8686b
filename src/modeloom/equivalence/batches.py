# SPDX-License-Identifier: Apache-2.0
"""The batches of a cipher core that is executed as a whole: in which cycles it takes a block.

::

    batch     high, low ... (low for at least the interval)       a batch that begins before the one before it is done is an error
    blocks    after ``BATCH_LEAD`` cycles, in as many cycles as a batch has blocks        in other cycles, the result is unknown
"""

from __future__ import annotations

from modeloom.equivalence.circuit import CircuitError
from modeloom.spec.cadence import BATCH_LEAD, Cadence

__all__ = ["Batches"]


class Batches:
    """Follows the signal that begins a batch.

    Parameters
    ----------
    cadence : Cadence
    """

    def __init__(self, cadence: Cadence):
        self.cadence = cadence
        self.begun: int | None = None
        self.begins: int | None = None

    def clock(self, begins: bool, reset: bool, path: str, cycle: int) -> None:
        """Notes the signal in a cycle, and a reset.  Raises ``CircuitError`` if the core has no place for a batch."""
        if reset:
            self.begun = self.begins = None
        if reset or not begins:
            return
        last = self.begins if self.begins is not None else self.begun
        if last is not None and cycle + BATCH_LEAD < last + self.cadence.interval:
            raise CircuitError(f"cycle {cycle}: a batch of {path} begins before the one before it is done")
        self._turn(cycle)
        self.begins = cycle + BATCH_LEAD

    def takes(self, cycle: int) -> bool:
        """Whether the core takes a block in a cycle."""
        self._turn(cycle)
        return self.begun is not None and cycle < self.begun + self.cadence.blocks

    def state(self, cycle: int) -> tuple[int | None, ...]:
        """What of it the future depends on."""
        return tuple(None if each is None else max(each - cycle, -self.cadence.interval) for each in (self.begun, self.begins))

    def _turn(self, cycle: int) -> None:
        if self.begins is not None and cycle >= self.begins:
            self.begun, self.begins = self.begins, None
