# SPDX-License-Identifier: Apache-2.0
"""Checks erasure of a key, ``zeroize`` and the reset: nothing is left after the stated cycles, and the core works again."""

from __future__ import annotations

import random
from collections.abc import Iterator

from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.sim import AT_REST
from modeloom.verification.host import DataBits, check_hold, data_bits, differences, hold_cycles, request, scatter
from modeloom.verification.sector.host import Host, Subject, sample_slots

__all__ = ["RESULTS", "check_key_erasure", "check_zeroize", "fill"]


def fill(
    core: SimulatedCore, rng: random.Random, *, sectors: int = 12, cycles: int = 100, good: Iterator[bytes] | None = None
) -> list[bytes]:
    """Brings a core into the middle of its work: keys in all slots, sectors in flight, waiting results, and a key that is being loaded.

    Keys and data come from *rng*.  Everything else is the same for all cores.

    Parameters
    ----------
    sectors : int
        Number of sectors to send.  Slots and directions alternate.
    cycles : int
        Number of cycles for the last key, in addition to the time for one sector.
    good : iterator of bytes, optional
        Keys to use instead of random ones.

    Returns
    -------
    list of bytes
        The keys of the slots.
    """

    def next_key() -> bytes:
        return next(good) if good else rng.randbytes(core.description.key_bytes)

    keys = [next_key() for _ in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    ways = [direction == "decrypt" for direction in core.description.directions]
    for n in range(sectors):
        core.send_command(bytes([n]) * core.tweak_bytes, decrypt=ways[n % len(ways)], slot=n % len(keys), tag=n)
        core.send_packet(rng.randbytes(core.sector_bytes))
    # The host takes nothing, so results wait while others are computed.  Then a key comes.
    core.runner.set_gaps({"m_axis": AT_REST})
    core.runner.run(max_cycles=core.description.pins.latency_pins + core.description.pins.interval)
    core.send_key(next_key(), 0)
    core.runner.run(max_cycles=cycles)
    return keys


# -- erasure -----------------------------------------------------------------------------------------------------------------------

ABORTS = 16
"""Number of times that work is aborted."""

RESULTS = ".bus.ring."
"""Part of the names in the result buffer.  Results belong to the host, and stay when a key is erased (docs/security.md)."""

MOMENTS = (3, 30, 100, 170)
"""Cycles after the last key packet in which erasures are tried: the core checks, overwrites, reads, expands and sets up."""


def _good_keys(subject: Subject, rng: random.Random) -> Iterator[bytes]:
    while True:
        yield subject.good_key(rng)


def check_key_erasure(subject: Subject) -> tuple[str, dict[str, object]]:
    """For each slot, or for some of many, takes two cores that differ only in the key of this slot.  The key has been set up and used in
    each size and direction.  The cores must be in the same state ``key_erase_cycles`` after the erasure begins, after another key
    replaces it, and if that packet is refused.
    """
    slots, cycles = subject.description.key_slots, subject.description.key_erase_cycles
    few = slots <= LISTED_SLOTS
    checked = sample_slots(slots)
    compared = 0
    for slot in checked:
        for how in ("erased", "loaded anew", "refused"):
            if how != "erased" and slot != slots - 1:
                continue
            cores = [_used(subject, slot, seed) for seed in (1, 2)]
            compared = len(differences(cores))
            if compared < 10:
                raise CheckFailed(f"{subject.directory}: two cores with different keys in slot {slot} differ in {compared} words only")
            for core in cores:
                rng = random.Random(f"{subject.seed} next key")
                if how == "erased":
                    core.send_key(bytes(16), slot, erase=True)
                    core.runner.run(max_cycles=cycles)
                elif how == "refused":
                    core.send_key(b"\x5a" * (subject.description.key_bytes + 16), slot)
                    core.runner.run({}, drain=True, max_cycles=20 * cycles + 2000)  # the last beat, which has the error
                    core.runner.run(max_cycles=cycles)
                else:
                    core.load_key(subject.good_key(rng), slot)
            left = [name for name in differences(cores) if RESULTS not in name]
            if how == "loaded anew" and not any(name.endswith("]") for name in left):
                # No memory holds anything of the old key.  A unit may have read a word just before it was overwritten.
                for core in cores:
                    core.runner.run(max_cycles=cycles)
                left = [name for name in differences(cores) if RESULTS not in name]
            if left:
                raise CheckFailed(
                    f"{subject.directory}: slot {slot} is {how}, and {left[0]} still depends on its old key ({len(left)} words do)"
                )
            for core in cores:
                if core.simulation.get("key_busy"):
                    raise CheckFailed(f"{subject.directory}: key_busy is high {cycles} cycles after an erasure began")
                here = int(how == "loaded anew")
                # With many slots there is one flag, of the slot of the last packet.
                expected = (1 << slots) - 1 ^ (1 - here << slot) if few else here
                if (loaded := core.simulation.get("key_loaded")) != expected:
                    raise CheckFailed(f"{subject.directory}: slot {slot} is {how}, and key_loaded is {loaded:#x}")
    where = "the key slot" if slots == 1 else f"any of {slots} slots" if few else f"slots {', '.join(map(str, checked))} of {slots}"
    text = f"nothing of a key is left in {where} {cycles} cycles after its erasure begins, or after another key is loaded"
    return text, {"slots": slots, "key_erase_cycles": cycles, "words_that_differed": compared}


def _used(subject: Subject, slot: int, seed: int) -> SimulatedCore:
    """A core whose slot has a key of this seed, and which is otherwise always the same.  It has run sectors of every size and direction."""
    core = subject.core()
    own, common = random.Random(f"{subject.seed} key {seed}"), random.Random(f"{subject.seed} common")
    keys = [subject.good_key(common) for _ in range(subject.description.key_slots)]
    keys[slot] = subject.good_key(own)
    for number, key in enumerate(keys):
        core.load_key(key, number)
    for size in subject.sizes:
        for decrypt in subject.ways:
            jobs = [Sector(bytes([n]) * core.tweak_bytes, common.randbytes(size), decrypt, slot) for n in range(3)]
            core.run(jobs)
    return core


def check_zeroize(subject: Subject) -> tuple[str, dict[str, object]]:
    """Takes two cores that run in step with different keys and data.  They must have the same state after ``zeroize`` and after a reset.
    Both take exactly ``erase_cycles``.  Meanwhile all buses are idle, and the core works afterwards.  Before the erasure, each word that
    may hold data gets some, since a short run leaves many words empty.
    """
    stated = subject.description.erase_cycles
    rng = subject.rng("zeroize")
    fresh = subject.core()
    check_hold(fresh, subject.directory, "power-up")
    differed, bits = 0, dict[str, DataBits]()
    for number, how in enumerate(("zeroize", "reset", "zeroize", "zeroize")):
        cores = []
        for seed in (1, 2):
            core = subject.core()
            own = random.Random(f"{subject.seed} zeroize {seed}")
            fill(core, own, cycles=MOMENTS[number], good=_good_keys(subject, own))
            cores.append(core)
        differed = len(differences(cores))
        if differed < 20:
            raise CheckFailed(f"{subject.directory}: two cores with different keys and data differ in {differed} words only")
        bits = data_bits(cores, bits)
        for seed, core in enumerate(cores):
            scatter(core, bits, random.Random(f"{subject.seed} scatter {number} {seed}"))
            request(core, how)
            check_hold(core, subject.directory, how)
        if left := differences(cores):
            raise CheckFailed(f"{subject.directory}: {left[0]} depends on keys or data after {how} ({len(left)} words do)")
    # A request in the middle restarts the erasure.
    for cut in (1, stated // 2, stated - 1):
        request(cores[0], "zeroize")
        cores[0].runner.run(max_cycles=cut)
        request(cores[0], "zeroize")
        check_hold(cores[0], subject.directory, "a second zeroize")
    sectors = _again(subject, rng)
    text = f"zeroize, reset and power-up take {stated} cycles and leave nothing in {differed} words that differed; the core works again"
    return text, {"erase_cycles": stated, "words_that_differed": differed, "sectors": sectors}


def _again(subject: Subject, rng: random.Random) -> int:
    """Aborts work at random times, and checks that the core then does the same as a new one in every cycle.

    Returns the number of sectors.
    """
    host = Host(subject, rng)
    script = _FirstSteps(subject)
    new = subject.core()
    hold_cycles(new, 4 * subject.description.erase_cycles)
    wanted = script.run(new)
    places = -(-subject.description.explain.output_blocks // subject.description.blocks)
    for number in range(ABORTS):
        slots = [slot for slot in range(host.slots) if rng.random() < 0.8] or [0]
        host.load_slots(*slots)
        size = rng.randrange(len(subject.sizes))
        # Each time, the sectors in flight have other places in the result buffer.
        for _ in range(rng.randrange(2 * places + 6)):
            host.job(slot=rng.choice(slots), decrypt=rng.choice(subject.ways), size=size)
        if number % 2:
            host.load(subject.good_key(rng), rng.choice(slots))
            host.run(rng.randrange(1, script.key_cycles))
        elif number % 8 == 2:
            host.wrong_key(rng.randbytes(subject.description.key_bytes + 1), rng.choice(slots))
            host.settle()
        else:
            host.run(rng.randrange(1, host.sector_cycles + places * subject.description.sizes[size].interval))
        how = "zeroize" if number // 4 % 2 else "aresetn"
        host.abort(how)
        if script.run(host.core) != wanted:
            host.fail(f"is not as new after {how}: it gives other outputs than a core that has done nothing before")
        host.abort("zeroize")
    return host.sectors


class _FirstSteps:
    """The first work of a core: a key for each slot, then sectors of every slot and direction.

    Attributes
    ----------
    key_cycles : int
        Number of cycles for the keys, one after another.
    """

    def __init__(self, subject: Subject):
        rng = subject.rng("first steps")
        self.slots = subject.description.key_slots
        self.keys = [subject.good_key(rng) for _ in range(self.slots)]
        self.jobs = [(bytes(subject.description.tweak_bytes), rng.randbytes(subject.sizes[0]), way) for way in subject.ways]
        self.sector_cycles = 4 * (subject.description.pins.latency_pins + subject.description.pins.interval)
        self.key_cycles = 0

    def run(self, core: SimulatedCore) -> bytes:
        """All outputs in every cycle."""
        core.runner.set_gaps(dict.fromkeys(core.runner.by_name, 0.0))
        core.simulation.watch([name for name, port in core.simulation.ports.items() if port.kind == "output"])
        for slot, key in enumerate(self.keys):
            core.send_key(key, slot)
        if not self.key_cycles:
            start = core.cycles
            core._wait_for_key_port()
            self.key_cycles = core.cycles - start
        else:
            core.runner.run(max_cycles=self.key_cycles)
        for slot in range(self.slots):
            for tweak, data, decrypt in self.jobs:
                core.send_command(tweak, decrypt=decrypt, slot=slot)
                core.send_packet(data)
        core.runner.run(max_cycles=self.sector_cycles + self.slots * self.sector_cycles // 4)
        seen = core.simulation.watched()
        core.simulation.watch([])
        for name in ("m_axis", "m_axis_status"):
            core.runner.take(name)
        return seen
