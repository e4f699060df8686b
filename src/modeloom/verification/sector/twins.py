# SPDX-License-Identifier: Apache-2.0
"""Brings a core for sectors into the middle of its work, for cores that differ only in keys or data."""

from __future__ import annotations

import random
from collections.abc import Iterator

from modeloom.product.simulated import SimulatedCore

__all__ = ["fill"]

NEVER = 0.999999
"""Probability of a pause that represents a host that takes nothing."""


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
    core.runner.set_gaps({"m_axis": NEVER})
    core.runner.run(max_cycles=core.description.pins.latency_pins + core.description.pins.interval)
    core.send_key(next_key(), 0)
    core.runner.run(max_cycles=cycles)
    return keys
