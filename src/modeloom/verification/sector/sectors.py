# SPDX-License-Identifier: Apache-2.0
"""Tests sectors of all sizes, directions and slots: edge values, then random ones with pauses, back-pressure and faulty packets."""

from __future__ import annotations

import random
from itertools import cycle

from modeloom.verification.host import BUSES
from modeloom.verification.sector.coverage import Need
from modeloom.verification.sector.host import Host
from modeloom.verification.sector.packet import FAULTS
from modeloom.verification.sector.subject import Subject

__all__ = ["check_edges", "check_sectors", "PATTERNS"]

PATTERNS: tuple[dict[str, float], ...] = (
    {},
    dict.fromkeys(BUSES, 0.1),
    {"m_axis": 0.7},
    {"s_axis": 0.7},
    {"s_axis_cmd": 0.95},
    {"m_axis_status": 0.97},
    {"s_axis": 0.5, "m_axis": 0.5, "m_axis_status": 0.5},
    {"m_axis": 0.95},
)
"""Probabilities of pauses: none, some on all buses, one slow bus at a time, and both data buses slow."""

CHUNK = 64
"""Number of sectors with the same pattern and the same keys."""


def edge_blocks(size: int, block: int, rng: random.Random) -> list[bytes]:
    """Edge values for data: zeros, ones, equal blocks, a single bit at either end, and one bit in every block."""
    equal = rng.randbytes(block) * (size // block + 1)
    return [
        bytes(size), b"\xff" * size, equal[:size],
        b"\x01" + bytes(size - 1), bytes(size - 1) + b"\x80", (b"\x80" + bytes(block - 1)) * (size // block) + bytes(size % block),
    ]  # fmt: skip


def edge_tweaks(nbytes: int) -> list[bytes]:
    """Edge values for tweaks: 0, all ones, and counters of 32 and 64 bits in both byte orders, before and at their wrap."""
    if not nbytes:
        return [b""]
    tweaks = [bytes(nbytes), b"\xff" * nbytes, b"\x01".ljust(nbytes, b"\0"), b"\x80".rjust(nbytes, b"\0")]
    for width in (4, 8):
        if width < nbytes:
            ones = b"\xff" * width
            tweaks += [ones.ljust(nbytes, b"\0"), ones.rjust(nbytes, b"\0")]
            tweaks += [(b"\xfe" + ones[1:]).ljust(nbytes, b"\0"), (ones[1:] + b"\xfe").rjust(nbytes, b"\0")]
    return tweaks


def check_edges(subject: Subject) -> tuple[str, dict[str, int]]:
    """Runs every edge value of data with every edge value of the tweak, in each direction and size.  Slots alternate."""
    rng = subject.rng("edges")
    host = Host(subject, rng)
    for slot in range(host.slots):
        host.load(subject.good_key(rng), slot)
    host.settle()
    slots = cycle(range(host.slots))
    for size, nbytes in enumerate(subject.sizes):
        for data in edge_blocks(nbytes, host.core.block_bytes, rng):
            for tweak in edge_tweaks(host.core.tweak_bytes):
                for decrypt in subject.ways:
                    host.job(slot=next(slots), decrypt=decrypt, size=size, tweak=tweak, data=data)
            host.settle()
    return f"{host.sectors} sectors of edge values of data and tweaks", {"sectors": host.sectors}


def check_sectors(subject: Subject, need: Need, wanted: int | None = None) -> tuple[str, dict[str, int]]:
    """Runs random sectors in chunks.  Each chunk has new keys and another pattern of pauses.  Some packets are faulty, and some slots
    empty.

    Parameters
    ----------
    need : Need
        Number of sectors of each direction that the S-boxes need.
    wanted : int, optional
        Total number of sectors, if the user chose one.
    """
    rng = subject.rng("sectors")
    host = Host(subject, rng)
    target = wanted or need.sectors * len(subject.ways)
    size = 0
    patterns = cycle(PATTERNS)
    good = 0
    while good < target:
        empty = rng.randrange(host.slots) if host.slots > 1 and rng.random() < 0.3 else None
        host.set_gaps({})
        for slot in range(host.slots):
            if slot == empty:
                host.erase(slot)
            else:
                host.load(subject.good_key(rng), slot)
        host.settle()
        host.set_gaps(next(patterns))
        for _ in range(min(CHUNK, target - good) if wanted else CHUNK):
            # Sizes come in runs, because the engine drains for each change.
            if rng.random() < 0.15:
                size = rng.randrange(len(subject.sizes))
            slot = rng.randrange(host.slots)
            fault = rng.choice(FAULTS) if rng.random() < 0.04 else None
            if rng.random() < 0.01:
                host.job(slot=slot, decrypt=rng.random() < 0.5, size=rng.randrange(len(subject.sizes), 256), nbytes=subject.sizes[0])
                continue
            host.job(slot=slot, decrypt=rng.choice(subject.ways), size=size, fault=fault)
            good += 1
        if rng.random() < 0.2:
            # The host takes nothing until the core is full.
            host.set_gaps({"m_axis": 0.999999} if rng.random() < 0.5 else {"m_axis_status": 0.999999})
            host.run(4 * host.sector_cycles)
            host.set_gaps({})
        host.settle()
    reference = "the independent reference" if subject.independent else "the definition"
    return f"{host.sectors} random sectors with pauses and back-pressure agree with {reference}", {"sectors": host.sectors}
