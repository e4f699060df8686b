# SPDX-License-Identifier: Apache-2.0
"""Long traffic that shows whether a fault changes any output, and has nothing of the checks of ``modeloom verify`` in it.

It is a script, made before anything runs: beats for the buses, pauses, ``zeroize`` and resets, each followed by some cycles.  Nothing in
it waits for the core, so a faulty core and the good one get the same, and all outputs are compared in every cycle.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from modeloom.product.beats import SectorDescription
from modeloom.product.simulated import SimulatedCore

from .actions import Action, forget, gaps, key_packet, nothing, put

__all__ = ["Traffic"]


class Traffic:
    """A script for cores of one description.

    Parameters
    ----------
    description : SectorDescription
        ``core.json``.
    cycles : int
        Cycles of the whole script, roughly.
    seed : int
    """

    def __init__(self, description: SectorDescription, cycles: int, seed: int):
        self.description = description
        self.steps = list(self._script(cycles, random.Random(f"traffic {seed}")))

    def outputs(self, core: SimulatedCore) -> Iterator[bytes]:
        """Runs the script on a core fresh out of a reset; the outputs of each step, all cycles one behind the other."""
        core.simulation.watch([name for name, port in core.simulation.ports.items() if port.kind == "output"])
        for action, cycles in self.steps:
            action(core)
            core.runner.run(max_cycles=cycles)
            yield core.simulation.watched()
            for name in ("m_axis", "m_axis_status"):
                core.runner.take(name)

    def _script(self, cycles: int, rng: random.Random) -> Iterator[tuple[Action, int]]:
        d = self.description
        slots, ways = d.key_slots, [direction == "decrypt" for direction in d.directions]
        pace = max(size.interval for size in d.sizes)
        done = 0
        while done < cycles:
            # An episode begins with keys in most slots, and ends with what it began, an erasure of everything, or a reset.
            for slot in range(slots):
                if rng.random() < 0.85:
                    yield key_packet(rng.randbytes(d.key_bytes), slot), rng.randrange(1, 400)
            yield nothing, 400
            for _ in range(rng.randrange(10, 60)):
                kind = rng.random()
                if kind < 0.72:
                    size = rng.randrange(len(d.sizes)) if rng.random() < 0.3 else 0
                    burst = rng.randrange(1, 8)
                    jobs = [self._job(rng, size, slots, ways) for _ in range(burst)]
                    step = _jobs(jobs), rng.randrange(1, burst * pace + 2)
                elif kind < 0.80:
                    step = key_packet(rng.randbytes(d.key_bytes), rng.randrange(slots)), rng.randrange(1, 300)
                elif kind < 0.85:
                    step = key_packet(bytes(16), rng.randrange(slots), erase=True), rng.randrange(1, 200)
                elif kind < 0.88:
                    length = rng.choice((rng.randrange(1, 80), d.key_bytes))
                    slot = rng.choice((rng.randrange(slots), rng.randrange(256)))
                    data, keep = rng.randbytes(length), rng.randrange(1 << 16)
                    step = key_packet(data, slot, keep=keep if keep % 2 else None), rng.randrange(1, 200)
                else:
                    names = ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status", "s_axis_key")
                    pauses = {name: rng.choice((0.0, 0.0, 0.0, 0.2, 0.8, 0.99)) for name in names}
                    step = gaps(pauses), 1
                yield step
                done += step[1]
            yield gaps(dict.fromkeys(("s_axis", "s_axis_cmd", "m_axis", "m_axis_status", "s_axis_key"), 0.0)), 500
            done += 1500
            if rng.random() < 0.6:
                name, active = rng.choice((("zeroize", 1), ("aresetn", 0)))
                yield nothing, rng.randrange(1, 200)
                yield put(name, active), rng.randrange(1, 3)
                yield put(name, 1 - active), 1
                yield forget, d.erase_cycles + 2

    def _job(self, rng: random.Random, size: int, slots: int, ways: list[bool]) -> tuple[Any, ...]:
        d = self.description
        nbytes = d.sizes[size].sector_bytes
        beat = d.lanes * d.block_bytes
        fault = rng.random()
        number = size if fault > 0.02 else rng.randrange(256)
        slot = rng.randrange(slots) if fault < 0.9 or fault > 0.93 else rng.randrange(256)
        way = rng.choice(ways) if fault > 0.04 else rng.random() < 0.5
        if 0.04 < fault < 0.1:
            nbytes = max(1, nbytes + rng.choice((-beat, -1, 1, beat, 2 * nbytes)))
        data = rng.choice((bytes(nbytes), rng.randbytes(nbytes), rng.randbytes(nbytes), rng.randbytes(nbytes)))
        beats = -(-nbytes // beat)
        keeps = [(1 << beat) - 1] * (beats - 1) + [(1 << nbytes - (beats - 1) * beat) - 1]
        if 0.1 < fault < 0.14:
            keeps[rng.randrange(beats)] ^= 1 << rng.randrange(beat)
        tweak = rng.choice((bytes(d.tweak_bytes), rng.randbytes(d.tweak_bytes)))
        # Command and packet as numbers; reserved bits of the command are not zero.
        command = tweak.ljust(32, b"\0") + rng.randbytes(2) + bytes([slot, number, int(way)]) + rng.randbytes(3)
        return command, data.ljust(beats * beat, b"\0"), keeps


def _jobs(jobs: list[tuple[Any, ...]]) -> Action:
    keeps = [keep for _, _, some in jobs for keep in some]
    lasts = [int(i == len(some) - 1) for _, _, some in jobs for i in range(len(some))]

    def act(core: SimulatedCore) -> None:
        core.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(command for command, _, _ in jobs)})
        data = b"".join(data for _, data, _ in jobs)
        core.runner.feed("s_axis", {"s_axis_tdata": data, "s_axis_tkeep": keeps, "s_axis_tlast": lasts})

    return act
