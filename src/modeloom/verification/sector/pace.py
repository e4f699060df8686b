# SPDX-License-Identifier: Apache-2.0
"""Measures the figures in ``core.json`` at the pins: latency of a lone sector, and interval between successive sectors."""

from __future__ import annotations

from modeloom.verification.sector.host import Host
from modeloom.verification.sector.subject import Subject

__all__ = ["check_pace"]


def check_pace(subject: Subject) -> tuple[str, dict[str, object]]:
    """Measures latency and interval for each size in each direction, and with alternating directions."""
    rng = subject.rng("pace")
    host = Host(subject, rng)
    for slot in range(host.slots):
        host.load(subject.good_key(rng), slot)
    host.settle()
    stages = max(one.explain.latency // one.interval + 1 for one in subject.description.sizes)
    ways = [(way,) for way in subject.ways] + ([tuple(subject.ways)] if len(subject.ways) > 1 else [])
    for number, size in enumerate(subject.description.sizes):
        # The first sector of a size switches the engine to this size.
        _run(host, [subject.ways[0]], number)
        for way in subject.ways:
            # The engine finishes its rows and is idle: a sector goes through as many stages as one of any size needs.
            host.run(size.interval * stages + size.latency_pins)
            sent, taken = _run(host, [way], number)
            if (latency := taken[-1] - sent[0]) != size.latency_pins:
                host.fail(f"takes {latency} cycles for {size.sector_bytes} bytes, core.json states {size.latency_pins}")
        for pattern in ways:
            # This is longer than the result buffer, so it would reveal waiting for a place in the buffer.
            held = -(-size.explain.output_blocks // size.blocks)
            count = max(12, held + 8)
            _, taken = _run(host, [pattern[i % len(pattern)] for i in range(count)], number)
            firsts = taken[:: size.beats][count // 2 :]
            steps = {b - a for a, b in zip(firsts, firsts[1:])}
            if steps != {size.interval}:
                every = " or ".join(map(str, sorted(steps)))
                host.fail(f"gives {size.sector_bytes} bytes every {every} cycles, core.json states {size.interval}")
    pins = ", ".join(f"{size.sector_bytes} bytes every {size.interval} cycles" for size in subject.description.sizes)
    return f"latency and interval are those of core.json ({pins})", {"sectors": host.sectors}


def _run(host: Host, ways: list[bool], size: int) -> tuple[list[int], list[int]]:
    """Runs sectors.  Returns the cycles of the beats in and of the beats out."""
    host.runner.accepted("s_axis")
    for number, way in enumerate(ways):
        host.job(slot=number % host.slots, decrypt=way, size=size)
    host.settle()
    return list(host.runner.accepted("s_axis")), host.output_cycles()
