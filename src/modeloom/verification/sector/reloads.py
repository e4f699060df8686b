# SPDX-License-Identifier: Apache-2.0
"""Loads, replaces and erases keys in all slots while sectors of all slots are in flight."""

from __future__ import annotations

from modeloom.verification.host import BUSES
from modeloom.verification.sector.host import Host
from modeloom.verification.sector.packet import FAULTS
from modeloom.verification.sector.subject import Subject

__all__ = ["ROUNDS", "check_reloads"]

MOST_PLACES = 64
"""Number of places of the result buffer that are tried separately."""

ROUNDS = 60
"""Number of rounds of traffic.  A key comes in the middle of each round."""


def check_reloads(subject: Subject, rounds: int | None = None) -> tuple[str, dict[str, int]]:
    """Runs rounds in which sectors fill the core, half of them for one slot.  At a random time, a key packet for this slot comes, followed
    by more sectors.  The results of this slot must use the old key, be ``NO_KEY``, or use the new key, in this order.  Other slots must not
    be affected."""
    rng = subject.rng("reloads")
    host = Host(subject, rng)
    description = subject.description
    for slot in range(host.slots):
        host.load(subject.good_key(rng), slot)
    host.settle()
    loads = erasures = 0
    in_flight = max(2, max(-(-size.latency_pins // size.interval) for size in description.sizes))
    for number in range(ROUNDS if rounds is None else rounds):
        slot = number % host.slots
        # Most rounds run at full speed, with the largest number of sectors in flight.
        host.set_gaps({} if number % 3 else {rng.choice(BUSES): rng.choice((0.3, 0.9))})
        size = rng.randrange(len(subject.sizes))

        def traffic(count: int, size: int = size, slot: int = slot) -> None:
            for _ in range(count):
                target = slot if rng.random() < 0.5 else rng.randrange(host.slots)
                fault = rng.choice(FAULTS) if rng.random() < 0.03 else None
                host.job(slot=target, decrypt=rng.choice(subject.ways), size=size, fault=fault)

        traffic(in_flight + rng.randrange(4))
        host.run(rng.randrange(1, (in_flight + 2) * description.sizes[size].interval + description.sizes[size].latency_pins))
        for _ in range(rng.choice((1, 1, 2))):
            kind = rng.random()
            if kind < 0.25:
                host.erase(slot)
                erasures += 1
            elif kind < 0.32:
                host.wrong_key(rng.randbytes(rng.choice((5, description.key_bytes + 1))), slot)
            else:
                host.load(subject.good_key(rng), slot)
                loads += 1
        traffic(rng.randrange(2, in_flight + 4))
        host.run(rng.randrange(1, 2 * host.key_cycles // 3))
        traffic(rng.randrange(2, in_flight + 4))
        host.settle()
        if rng.random() < 0.5:
            host.load(subject.good_key(rng), slot)
            loads += 1
            traffic(2)
            host.settle()
    loads += _each_place(host)
    text = f"{loads} keys loaded and {erasures} erased while {host.sectors} sectors of all slots were in flight"
    return text, {"loads": loads, "erasures": erasures, "sectors": host.sectors}


def _each_place(host: Host) -> int:
    """Sends a key for a slot while a single sector of this slot is in flight, in each possible place of such a sector.  If there were other
    sectors of the slot, an unrecorded one would not be noticed.  Returns the number of keys."""
    rng, subject, description = host.rng, host.subject, host.description
    host.set_gaps({})
    size = max(range(len(subject.sizes)), key=lambda number: description.sizes[number].latency_pins)
    figures = description.sizes[size]
    places = max(-(-one.explain.output_blocks // one.blocks) for one in description.sizes)
    count = min(places, MOST_PLACES)
    for number in range(count + 1):
        slot = number % host.slots
        host.load(subject.good_key(rng), slot)
        host.settle()
        host.job(slot=slot, decrypt=rng.choice(subject.ways), size=size)
        # The key comes after the entry of the sector, and early enough that the sector would still need the overwritten key.
        host.run(figures.beats + rng.randrange(4, 4 + max(1, figures.latency_pins // 3)))
        host.load(subject.good_key(rng), slot)
        host.settle()
    return 2 * (count + 1)
