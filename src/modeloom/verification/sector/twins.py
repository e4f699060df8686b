# SPDX-License-Identifier: Apache-2.0
"""Runs two cores in step that differ only in keys or data.  Any difference in their later states is a trace of the secrets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from modeloom.product.simulated import SimulatedCore

__all__ = ["QUIET", "State", "differences", "fill", "hold_cycles", "request", "state"]

State = dict[str | tuple[str, int], int]
"""Registers by name, and words of memories by name and number."""

QUIET = (
    "m_axis_tvalid", "m_axis_tdata", "m_axis_status_tvalid", "m_axis_status_tdata",
    "s_axis_tready", "s_axis_cmd_tready", "s_axis_key_tready", "key_loaded",
)  # fmt: skip
"""Outputs that are zero during an erasure, from its second cycle on."""

NEVER = 0.999999
"""Probability of a pause that represents a host that takes nothing."""


def state(core: SimulatedCore) -> State:
    """All registers and words of memories."""
    found: State = {}
    for name, item in core.simulation.objects.items():
        if item.kind == "state":
            found[name] = core.simulation.get(name)
        elif item.kind == "memory":
            found.update({(name, word): core.simulation.get(name, word) for word in range(item.depth)})
    return found


def differences(cores: Sequence[SimulatedCore]) -> list[str]:
    """Names of registers and words that differ between two cores."""
    first, second = (state(core) for core in cores)
    return [name if isinstance(name, str) else f"{name[0]}[{name[1]}]" for name in first if first[name] != second[name]]


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


def request(core: SimulatedCore, how: str) -> None:
    """Runs one cycle with ``zeroize`` or a reset ("reset").  The host drops its work in progress."""
    core.runner.forget()
    core.simulation.set("s_axis_tdata", 0)
    name, active = ("zeroize", 1) if how == "zeroize" else ("aresetn", 0)
    core.simulation.set(name, active)
    core.runner.run(max_cycles=1)
    core.simulation.set(name, 1 - active)


def hold_cycles(core: SimulatedCore, limit: int) -> tuple[int, str]:
    """The number of cycles for which ``zeroizing`` is high from now on, at most *limit*, and the first output that was active meanwhile."""
    cycles, loud = 0, ""
    while core.simulation.get("zeroizing") and cycles < limit:
        if cycles and not loud:
            loud = next((name for name in QUIET if core.simulation.get(name)), "")
        core.runner.run(max_cycles=1)
        cycles += 1
    return cycles, loud
