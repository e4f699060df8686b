# SPDX-License-Identifier: Apache-2.0
"""Rules of streams at the pins of whole cores for messages, in every cycle: also in a reset, in an erasure, and in the cycles around them.

``CoreState`` has what the parts in front of the message control have in common.  While ``zeroizing`` is high, the core is in reset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tests.formal.bits import Bits, all_of, concat
from tests.formal.follow import Followed
from tests.formal.induction import Invariant, Rule, unproved_by_induction
from tests.formal.machine import Machine

__all__ = ["PIN_INVARIANTS", "PIN_RULES", "CoreState", "unproved_of_core"]

SLICES = ("texts.out", "verdicts.out", "writer.out")
"""Register slices before the pins, and the writer of segments."""


class CoreState(Followed):
    """A whole core in one cycle."""

    queue_depths: ClassVar[Sequence[str]] = ()
    """Names of queues; ``depth_of`` gives their depths."""

    constants: ClassVar[Any] = {"pointer": lambda p: 16}

    def __init__(self, *of):
        super().__init__(*of)
        self.queues = {name: self.queue(name, self.depth_of(name)) for name in self.queue_depths}

    def depth_of(self, name: str) -> int:
        """The depth of a queue."""
        raise NotImplementedError

    @property
    def streams(self) -> dict[str, list[str]]:
        """The streams to the host by the beginning of their names, which ends before ``valid``, and the names of their payload."""
        names = list(self.state.machine.netlist.outputs)
        starts = [name.removesuffix("valid") for name in names if name.endswith("valid")]
        return {start: [name for name in names if name.startswith(start) and not name.endswith("valid")] for start in starts}

    def payload(self, start: str) -> Bits:
        """The payload of a stream."""
        return concat(self[name] for name in self.streams[start])

    @property
    def works(self) -> Bits:
        """The core is in no reset."""
        return ~self["zeroizing"]

    def passes(self, start: str) -> Bits:
        """A beat passes on a stream at the pins."""
        return self[f"{start}valid"] & self[f"{start}ready"]


def erasures_are_in_resets(s: CoreState) -> Bits:
    """Nothing is erased while the core works."""
    return s["zeroizer_erase_we"].implies(~s.works)


def queues_are_sound(s: CoreState) -> Bits:
    """No queue has more than its depth, and each gives the oldest that it has."""
    return s.works.implies(all_of(queue.sound for queue in s.queues.values()))


PIN_INVARIANTS: tuple[Invariant, ...] = (erasures_are_in_resets, queues_are_sound)


def outputs_stay(s: CoreState, t: CoreState) -> Bits:
    """What is offered stays as it is until the host takes it, or until the core is erased."""
    rules = []
    for start in s.streams:
        waits = s[f"{start}valid"] & ~s[f"{start}ready"] & t.works
        rules.append(waits.implies(t[f"{start}valid"] & t.payload(start).equals(s.payload(start))))
    return all_of(rules)


def nothing_without_valid(s: CoreState, t: CoreState) -> Bits:
    """No bit of a payload is out while ``valid`` is low, and nothing is out while the core is erased."""
    quiet = [(~s[f"{start}valid"]).implies(s.payload(start).equals(0)) & (s.works | ~s[f"{start}valid"]) for start in s.streams]
    return all_of(quiet)


PIN_RULES: tuple[Rule, ...] = (outputs_stay, nothing_without_valid)


def unproved_of_core(
    kind: type[CoreState], machine: Machine, p: Any, invariants: Sequence[Invariant] = (), rules: Sequence[Rule] = (),
    only: Sequence[str] = (),
) -> list[str]:  # fmt: skip
    """Invariants and rules that do not hold, with those of the pins.  Nothing is assumed of the host, nor of ``aresetn`` and ``zeroize``.

    A core begins in a reset, in which nothing is erased yet.
    """
    before = kind.start(machine.free("any", {"zeroizing": 1, "zeroizer_erase_we": 0}), p)
    after_reset = kind.start(before.state.next(), p)
    s = kind.any(machine, p)
    return unproved_by_induction((*PIN_INVARIANTS, *invariants), (*PIN_RULES, *rules), after_reset, [], s, s.next(), [], only)
