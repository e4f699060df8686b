# SPDX-License-Identifier: Apache-2.0
"""A cipher core that takes keys of several sizes, executed as a whole.

The place to which a round key belongs depends on its number and on the size of its key.  So a result may depend on all that was written, in
its order, since zeros of the longest size were written to all places::

    longest: 0 0 0 ... 0    128 bits: RK0 RK1 ... RK10         the next key begins with zeros again, and nothing before them counts
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import CipherCore, taken

__all__ = ["SizedCipherCore"]


class SizedCipherCore(CipherCore):
    """A cipher core with a port ``key_length``, whose value 0 is the longest size.

    Parameters
    ----------
    place : callable, optional
        The place of a round key in the pipeline, from its size and its number.  It is there if a slot can be cleared at once.
    others
        Those of ``CipherCore``.
    """

    def __init__(self, *arguments: object, place: Callable[[int, int], int] | None = None):
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.place = place
        self.history: dict[int, dict[tuple[int, int], int]] = {}

    def keys(self, core: str, slot: int) -> int:
        """A name for the round keys that the core holds for a slot."""
        if (core, slot) not in self._digests:
            held = [lanes.operation(f"round key {number} of size {size}", 1, word) for (size, number), word in self._held(slot).items()]
            self._digests[core, slot] = lanes.operation("keys", 1, *held)
        return self._digests[core, slot]

    def _held(self, slot: int) -> dict[tuple[int, int], int]:
        """The words that count, by size and number, in the order in which they were written."""
        written = self.history.get(slot, {})
        order = list(written)
        zeros = [at for at, (size, number) in enumerate(order) if not size and number < self.rounds]
        first = zeros[0] if len(zeros) == self.rounds else 0
        held: dict[tuple[int, int], int] = {}
        for size, places in groupby(order[first:], key=lambda at: at[0]):
            # Round keys of the longest size have a place each, so their order does not matter.  An erasure may begin at either end.
            held |= {place: written[place] for place in (places if size else sorted(places))}
        return held

    def _place(self, inputs: Mapping[str, int], writer: str, cycle: int) -> int:
        if self.place is None:
            raise CircuitError(f"{self.path}: the places of its round keys are not known")
        return self.place(self._number(inputs, f"key_length{writer}", cycle), super()._place(inputs, writer, cycle))

    def _clear(self, slot: int, written: set[int]) -> None:
        assert self.place is not None
        held: dict[tuple[int, int], int] = {}
        before = self.history.get(slot, {})
        for number in range(self.rounds):
            if number in written:
                held |= {at: word for at, word in before.items() if self.place(*at) == number}
            else:
                held[0, number] = 0
        self.history[slot] = held
        self._forget(slot)

    def _forget(self, slot: int) -> None:
        self._digests = {place: name for place, name in self._digests.items() if place[1] != slot}

    def _write(self, inputs: Mapping[str, int], writer: str, cycle: int) -> None:
        slot, number, size = (self._number(inputs, f"{port}{writer}", cycle) for port in ("key_slot", "key_round", "key_length"))
        if number >= self.rounds:
            # No key has so many.  An erasure counts up to a power of two.
            return
        written = self.history.setdefault(slot, {})
        written.pop((size, number), None)
        forms = [taken(inputs, self.ports[f"{form}{writer}"]) for form in dict.fromkeys(self.forms.values())]
        written[size, number] = lanes.operation("forms of a round key", 1, *forms) if len(forms) > 1 else forms[0]
        self._forget(slot)

    def state(self, cycle: int) -> object:
        return (*super().state(cycle), tuple((slot, tuple(self._held(slot).items())) for slot in sorted(self.history)))  # type: ignore[misc]
