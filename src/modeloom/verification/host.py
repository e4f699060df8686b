# SPDX-License-Identifier: Apache-2.0
"""What the hosts of all kinds of cores have in common: keys at any time with their histories, erasure, and the rules of the buses.

A key packet and a command use different buses.  If a command waits while a new key comes for its slot, the core may decide the command
before or after the new key.  Each slot has a history, and the results may only move forward in it::

    slot 1     key A ──▶ empty ──▶ key B ──▶ empty         loaded, loaded again, erased
    results      A   A   NO_KEY      B   B   NO_KEY        never A again after a NO_KEY or a B
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic

from modeloom.emit.tools import CheckFailed
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.sim import AT_REST
from modeloom.verification.subject import C

__all__ = ["BUSES", "PATIENCE", "CoreHost"]

BUSES = ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")
"""The streams of data, whose gaps can be set."""

PATIENCE = 4000
"""Number of cycles beyond the time for its work after which a core counts as hanging."""

RISE = 2
"""Cycles from the first beat of a key packet, by which ``key_busy`` is high."""


class CoreHost(ABC, Generic[C]):
    """Drives one core and checks all its outputs.

    Parameters
    ----------
    subject
        The source of the core, with ``reference``.
    rng : random.Random
        Random numbers for everything that the caller does not choose.
    core : optional
        The core.  The default is a new one.
    """

    def __init__(self, subject: Any, rng: random.Random, core: C | None = None):
        self.subject, self.rng = subject, rng
        self.core: C = core or subject.core(seed=rng.randrange(1 << 32))
        self.description = subject.description
        self.runner = self.core.runner
        self.slots: int = self.core.slots
        self._patience = 0.0
        self._stretch = 1.0
        self._output_cycles: list[int] = []
        self._forget()

    def _forget(self) -> None:
        self._history: list[list[bytes | None]] = [[None] for _ in range(self.slots)]
        self._at = [0] * self.slots
        self._sends_keys = False
        self._key_error: bool | None = None
        self._last = 0

    @property
    @abstractmethod
    def key_cycles(self) -> int:
        """Number of cycles that a key packet takes at most, with a margin."""

    @abstractmethod
    def compare(self, rules: bool = True) -> None:
        """Checks all that has come and, on request, the rules of the buses."""

    @abstractmethod
    def _left(self) -> int:
        """Number of jobs without a status."""

    @abstractmethod
    def _more(self) -> bool:
        """Whether data have come that belong to no status so far."""

    # Sending

    def set_gaps(self, gaps: Mapping[str, float]) -> None:
        """Sets the probabilities of pauses on the buses of data.  The default is 0.  With a bus at rest, nobody may ``settle``."""
        every = {name: gaps.get(name, 0.0) for name in (*BUSES, "s_axis_key")}
        self.runner.set_gaps(every)
        self._stretch = 1 / (1 - max(gap for gap in every.values() if gap < AT_REST))

    def load(self, key: bytes, slot: int) -> None:
        """Sends a key.  Its slot is empty from then on, and holds the key later unless the mode refuses it."""
        good = self.subject.reference(key) is not None
        self._key_packet(slot, [None, key] if good else [None], not good)
        self.core.send_key(self.core.key_packet(key), slot)

    def erase(self, slot: int) -> None:
        """Sends a packet that erases a slot."""
        self._key_packet(slot, [None], False)
        self.core.send_key(bytes(16), slot, erase=True)

    def wrong_key(self, data: bytes, slot: int, keeps: tuple[int, ...] | None = None) -> None:
        """Sends a key packet that must be refused: its length or its ``tkeep`` is wrong, or the slot does not exist."""
        self._key_packet(slot, [None], True)
        self.core.feed_key(data, keeps, slot)

    def key_packets_alone(self) -> None:
        """Sends a key, another one, an erasure and a packet that must be refused while nothing else is under way.  ``key_busy`` is high for
        one time from the beginning of each to its end."""
        slot, rng, subject = self.slots - 1, self.rng, self.subject
        self.settle()
        for number in range(4):
            if number == 2:
                self.erase(slot)
            elif number == 3:
                self.wrong_key(rng.randbytes(1), slot)
            else:
                self.load(subject.good_key(rng), slot)
            self._busy_once()
            self.settle()

    def _busy_once(self) -> None:
        flag, cycles = self.core.simulation.get, 0
        changes: list[int] = []
        while len(changes) < 3 and cycles < 2 * self.key_cycles:
            self.runner.run(max_cycles=1)
            cycles += 1
            if bool(flag("key_busy")) != len(changes) % 2:
                changes.append(cycles)
        late = not (self.subject.front or self.subject.clocks) and changes and changes[0] > RISE
        if late or len(changes) != 2:
            self.fail("has key_busy low before it is done with a key packet" if late or len(changes) > 2 else "has no end of key_busy")

    def _key_packet(self, slot: int, phases: list[bytes | None], error: bool) -> None:
        if slot < self.slots:
            self._history[slot] += phases
        self._key_error, self._last = error, slot
        self._sends_keys = True
        self._patience += self.key_cycles

    def _rest(self, limit: int) -> None:
        """Waits until the key port is idle.  Each slot is then at the end of its history."""
        simulation = self.core.simulation
        for _ in range(limit // 16 + 1):
            if not simulation.get("key_busy"):
                break
            self.runner.run(max_cycles=16)
        else:
            self.fail(f"has key_busy high for {limit} cycles")
        self._at = [len(history) - 1 for history in self._history]
        loaded = self._loaded()
        if (found := simulation.get("key_loaded")) != loaded:
            self.fail(f"has key_loaded {found:#x} where the slots with a key are {loaded:#x}")
        if self._key_error is not None and bool(simulation.get("key_error")) != self._key_error:
            why = "the last key must be refused" if self._key_error else "the last key must be taken"
            self.fail(f"has key_error {int(not self._key_error)} where {why}")
        self._sends_keys, self._key_error = False, None

    def settle(self) -> None:
        """Waits until every command has its status and the key port is idle, and checks the results."""
        limit = int((self._patience + PATIENCE) * self._stretch) + self.description.erase_cycles
        self._patience = 0.0
        waiting = self._left()
        result = self.runner.run({"m_axis_status": waiting}, drain=True, max_cycles=limit)
        self.compare()
        if result.timed_out or self._left():
            self.fail(f"hangs: {self._left()} of {waiting} statuses are missing after {limit} cycles")
        if self._sends_keys:
            self._rest(limit)
        # Nothing comes after the last status.
        self.runner.run(max_cycles=8)
        self.compare()
        if self._more() or self.runner.waiting("m_axis_status"):
            self.fail("gives more than it was asked for")

    def _loaded(self) -> int:
        """What ``key_loaded`` is when the key port is idle."""
        if self.slots > LISTED_SLOTS:  # one flag, of the slot of the last packet
            return int(self._last < self.slots and self._history[self._last][-1] is not None)
        return sum(1 << slot for slot, history in enumerate(self._history) if history[-1] is not None)

    def _compare_aborted(self) -> None:
        """Checks what came in the cycle after a request to erase."""
        self.compare(rules=False)

    def check_rules(self) -> None:
        """Checks the rules of the buses."""
        found = self.runner.violations()
        if found:
            self.fail(f"a stream breaks the rules of AXI4-Stream at cycle {found.first_cycle}")
        if found.loud:
            self.fail(f"an output bus is not zero while it is not valid ({found.loud} cycles)")

    def run(self, cycles: int) -> None:
        """Runs for a number of cycles, and checks what has come."""
        self.runner.run(max_cycles=cycles)
        self.compare()

    def fail(self, what: str) -> None:
        """Raises ``CheckFailed``.  The message has the cycle."""
        raise CheckFailed(f"{self.subject.directory}: at cycle {self.core.cycles} the core {what}")

    def output_cycles(self) -> list[int]:
        """Cycles of the result beats since the last call."""
        cycles, self._output_cycles = self._output_cycles, []
        return cycles

    # Erasure

    def abort(self, request: str) -> None:
        """Runs one cycle with ``zeroize`` or a reset ("aresetn").  Results so far are checked, and work in progress is dropped."""
        simulation = self.core.simulation
        active = int(request == "zeroize")
        simulation.set(request, active)
        self.runner.run(max_cycles=1)
        self.compare(rules=False)
        simulation.set(request, 1 - active)
        # A beat may still pass in the cycle of the request and in the next one.  It is not an error if valid falls then.
        self.runner.run(max_cycles=1)
        self._compare_aborted()
        self.runner.forget()
        self._forget()
        self.runner.run(max_cycles=self.description.erase_cycles - 2)
        if self.runner.waiting("m_axis") or self.runner.waiting("m_axis_status"):
            self.fail(f"gives a beat during the erasure by {request}")
        if not simulation.get("zeroizing"):
            self.fail(f"has zeroizing low before {self.description.erase_cycles} cycles are over")
        self.runner.run(max_cycles=1)
        for name in ("zeroizing", "key_loaded", "key_busy", "key_error"):
            if simulation.get(name):
                self.fail(f"has {name} {simulation.get(name):#x} still {self.description.erase_cycles} cycles after {request}")
