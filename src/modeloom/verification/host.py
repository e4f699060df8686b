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
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.product.description import Description
from modeloom.product.driven import DrivenCore, simulation_library
from modeloom.sim import AT_REST, Clock

__all__ = [
    "BUSES", "PATIENCE", "QUIET", "CoreHost", "CoreSubject", "DataBits", "State", "changed", "check_hold", "data_bits",
    "differences", "hold_cycles", "key_packets", "request", "scatter", "state",
]  # fmt: skip


# -- subject ---------------------------------------------------------------------------------------------------------------------------

# The core that is verified, of any kind: new simulations of its Verilog, and a reference for each key.

REFERENCES = 64
"""Number of cached references with a key, because the set-up of some modes takes longer than a piece of work."""

D = TypeVar("D", bound=Description)
C = TypeVar("C", bound=DrivenCore[Description])
R = TypeVar("R", covariant=True)


class CoreSubject(ABC, Generic[D, C, R]):
    """A built core under test.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    optimize : int
        Optimisation level of the C++ compiler.
    seed : int
        Seed of all random choices.  Each check has its own generator.
    converters : bool
        Whether the core is tested with the converters of its data streams.
    front : bool
        Whether the core is tested with all that stands around it.
    clocks : mapping, optional
        With *front*, when its clocks rise.

    Attributes
    ----------
    description : Description
        Its ``core.json``.
    cores : list of DrivenCore
        The cores that ``core`` has made since the list was emptied.
    """

    def __init__(
        self, directory: str | Path, *, optimize: int = 2, seed: int = 1, converters: bool = False, front: bool = False,
        clocks: Mapping[str, Clock] | None = None,
    ):  # fmt: skip
        self.directory, self.front, self.clocks = Path(directory), front, clocks
        self.description: D = self.read()
        # Data of a core with all around it go through its converters, too.
        self.converters = converters or front and self.description.front is not None and self.description.front.width is not None
        self.optimize, self.seed = optimize, seed
        self.cores: list[C] = []
        self._references: OrderedDict[bytes, R | None] = OrderedDict()

    def again(self, *, converters: bool = False, front: bool = False, clocks: Mapping[str, Clock] | None = None) -> Self:
        """The same core with other parts around it."""
        return type(self)(self.directory, optimize=self.optimize, seed=self.seed, converters=converters, front=front, clocks=clocks)

    @abstractmethod
    def read(self) -> D:
        """Reads ``core.json``.  Raises ``InputError`` if it is that of another kind of core."""

    @abstractmethod
    def make_core(self, seed: int) -> C:
        """A new core after a reset."""

    @abstractmethod
    def make_reference(self, key: bytes) -> R | None:
        """The reference for a key; None if the mode refuses the key."""

    @cached_property
    def library(self) -> Path:
        """The simulation of the Verilog in the folder."""
        return simulation_library(self.directory, self.optimize, front=self.front, converters=self.converters and not self.front)

    def core(self, *, seed: int = 0) -> C:
        """A new core after a reset."""
        core = self.make_core(seed)
        self.cores.append(core)
        return core

    def take_cycles(self) -> int:
        """Total number of cycles of all cores since the last call.  The cores are released."""
        total = sum(core.cycles for core in self.cores)
        self.cores = []
        return total

    def rng(self, purpose: str) -> random.Random:
        """A random generator for one purpose.  It depends only on the seed and the purpose."""
        return random.Random(f"{self.seed} {purpose}")

    @property
    @abstractmethod
    def ways(self) -> Sequence[int]:
        """The directions of the core, and its passes, as a command has them: 0 encrypts, 1 decrypts."""

    def reference(self, key: bytes) -> R | None:
        """The reference for a key; None if the mode refuses the key."""
        if key in self._references:
            self._references.move_to_end(key)
            return self._references[key]
        found = self.make_reference(key)
        self._references[key] = found
        if len(self._references) > REFERENCES:
            self._references.popitem(last=False)
        return found

    def good_key(self, rng: random.Random) -> bytes:
        """A random key that the mode takes, of any size that the core takes."""
        lengths = self.description.key_lengths
        while True:
            key = rng.randbytes(lengths[0] if len(lengths) == 1 else rng.choice(lengths))
            if self.reference(key):
                return key

    def user_key(self, rng: random.Random) -> bytes:
        """A random key as ``load_key`` of a simulated core takes it."""
        return self.good_key(rng)


# -- twins -----------------------------------------------------------------------------------------------------------------------------

# Compares two cores that differ only in keys or data.  Any difference in their later states is a trace of the secrets.

State = dict[str | tuple[str, int], int]
"""Registers by name, and words of memories by name and number."""

QUIET = (
    "m_axis_tvalid", "m_axis_tdata", "m_axis_status_tvalid", "m_axis_status_tdata",
    "s_axis_tready", "s_axis_cmd_tready", "s_axis_key_tready", "key_loaded",
)  # fmt: skip
"""Outputs that are zero during an erasure, from its second cycle on."""


def state(core: DrivenCore[D]) -> State:
    """All registers and words of memories."""
    found: State = {}
    for name, item in core.simulation.objects.items():
        if item.kind == "state":
            found[name] = core.simulation.get(name)
        elif item.kind == "memory":
            found.update({(name, word): core.simulation.get(name, word) for word in range(item.depth)})
    return found


def changed(cores: Sequence[DrivenCore[D]]) -> dict[str, tuple[int, int]]:
    """Registers and words that differ between two cores, by name, with the value in each core."""
    first, second = (state(core) for core in cores)
    return {
        name if isinstance(name, str) else f"{name[0]}[{name[1]}]": (first[name], second[name])
        for name in first if first[name] != second[name]
    }  # fmt: skip


@dataclass(frozen=True)
class DataBits:
    """The bits of a register or a memory that hold data.

    Attributes
    ----------
    mask : int
        The bits of a word.
    words : int
        The words of a memory that can hold data: 0 to ``words`` - 1.  Some memories have more words than anything addresses.
    """

    mask: int
    words: int


def data_bits(cores: Sequence[DrivenCore[D]], known: Mapping[str, DataBits]) -> dict[str, DataBits]:
    """The bits that differ between two cores, and those that are known already, by the name of a register or memory."""
    first, second = (state(core) for core in cores)
    bits = dict(known)
    for key, value in first.items():
        if differs := value ^ second[key]:
            name, word = (key, 0) if isinstance(key, str) else key
            before = bits.get(name, DataBits(0, 0))
            bits[name] = DataBits(before.mask | differs, max(before.words, word + 1))
    return bits


def scatter(core: DrivenCore[D], bits: Mapping[str, DataBits], rng: random.Random) -> None:
    """Gives these bits of registers and words random values.

    If they are bits of data, the core goes on as before, and each word has data that it may have at another time.
    """
    simulation = core.simulation
    for name, data in bits.items():
        memory = simulation.objects[name].kind == "memory"
        for word in range(data.words) if memory else (None,):
            simulation.put(name, simulation.get(name, word) & ~data.mask | rng.getrandbits(data.mask.bit_length()) & data.mask, word)


def differences(cores: Sequence[DrivenCore[D]]) -> list[str]:
    """Names of registers and words that differ between two cores."""
    return list(changed(cores))


def request(core: DrivenCore[D], how: str) -> None:
    """Runs one cycle with ``zeroize`` or a reset ("reset").  The host drops its work in progress."""
    core.runner.forget()
    core.simulation.set("s_axis_tdata", 0)
    # The name of a reset ends with "n" if it is active low.
    reset = core.simulation.reset_port or "aresetn"
    name, active = ("zeroize", 1) if how == "zeroize" else (reset, int(not reset.endswith("n")))
    core.simulation.set(name, active)
    core.runner.run(max_cycles=1)
    core.simulation.set(name, 1 - active)


def hold_cycles(core: DrivenCore[D], limit: int) -> tuple[int, str]:
    """The number of cycles for which ``zeroizing`` is high from now on, at most *limit*, and the first output that was active meanwhile."""
    cycles, loud = 0, ""
    while core.simulation.get("zeroizing") and cycles < limit:
        if cycles and not loud:
            loud = next((name for name in QUIET if core.simulation.get(name)), "")
        core.runner.run(max_cycles=1)
        cycles += 1
    return cycles, loud


def check_hold(core: DrivenCore[D], directory: Path, how: str) -> None:
    """Checks that an erasure that has begun takes ``erase_cycles``, and that all buses are idle.  Raises ``CheckFailed``."""
    stated = core.description.erase_cycles
    # The constructor of a simulated core ends in the last cycle of the reset.  A request ends in its own cycle.
    cycles, loud = hold_cycles(core, 4 * stated + 100)
    if cycles != stated:
        raise CheckFailed(f"{directory}: zeroizing is high for {cycles} cycles after {how}, core.json states {stated}")
    if loud:
        raise CheckFailed(f"{directory}: {loud} is not zero during the erasure by {how}")


# -- host ------------------------------------------------------------------------------------------------------------------------------

BUSES = ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")
"""The streams of data, whose gaps can be set."""

PATIENCE = 4000
"""Number of cycles beyond the time for its work after which a core counts as hanging."""

RISE = 2
"""Cycles from the first beat of a key packet, by which ``key_busy`` is high."""


def key_packets(rng: random.Random) -> Iterator[str]:
    """Kinds of key packets without end.  Of each four, one is ``"erase"`` and one may be ``"wrong"``; the others are ``"load"``."""
    while True:
        four = ["erase", "load", "load", "wrong" if rng.random() < 0.28 else "load"]
        rng.shuffle(four)
        yield from four


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
