# SPDX-License-Identifier: Apache-2.0
"""What the bench sends and expects: commands and sectors from a fixed seed, results from the software model.

::

    phase   commands                       wanted
    0       one before any key is loaded   status NO_KEY, no data
    1       a burst, back to back          results; equal distances in its second half
    2       one alone                      result; its latency over the pins
    3       one cut short, then a good one status TOO_SHORT, no data; then a result
            in a core for several sizes, then each size before and behind each other
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from modeloom.rtl.bus.ports import StatusCode, pack_command
from modeloom.rtl.core import bus_parameters
from modeloom.software import Model

__all__ = ["BenchSector", "BenchVectors", "bench_vectors"]


@dataclass(frozen=True)
class BenchSector:
    """One command: 40 bytes; the beats and the last tkeep of its packet; the status wanted; the beats and the last tkeep wanted."""

    command: bytes
    beats: tuple[bytes, ...]
    last_keep: int
    code: int
    wanted: tuple[bytes, ...]
    wanted_keep: int


@dataclass(frozen=True)
class BenchVectors:
    """``keys`` are slot and bytes; ``sectors`` in order; ``phases`` the number of commands sent by the end of each phase."""

    keys: tuple[tuple[int, bytes], ...]
    sectors: tuple[BenchSector, ...]
    phases: tuple[int, ...]


def _bytes(label: str, length: int) -> bytes:
    return hashlib.shake_128(f"modeloom bench {label}".encode()).digest(length)


def _beats(data: bytes, size: int) -> tuple[bytes, ...]:
    return tuple(data[at : at + size].ljust(size, b"\0") for at in range(0, len(data), size))


def bench_vectors(compiled: Any) -> BenchVectors:
    """The vectors of a core; the same for the same definition and options."""
    p = bus_parameters(compiled)
    mode, options = compiled.mode, compiled.options
    slots = sorted({0, options.key_slots - 1})
    keys = {slot: _bytes(f"key {slot}", mode.key_bytes(options.key_bits // 8)) for slot in slots}
    models = {slot: Model(mode, key, options.cipher) for slot, key in keys.items()}
    directions = options.directions
    sectors: list[BenchSector] = []

    def add(code: StatusCode, cut: int = 0, size: int = 0) -> None:
        number = len(sectors)
        tweak = _bytes(f"tweak {number}", compiled.source.tweak_bytes)
        data = _bytes(f"sector {number}", p.sizes[size].nbytes)
        slot = slots[number // 3 % len(slots)]
        # Runs of one, two and three sectors in a direction: every change of direction next to every other.
        direction = directions[(number % 12) in (1, 4, 5, 9, 10, 11) and len(directions) - 1]
        tag = (0x4D4C + 257 * number) & 0xFFFF
        command = pack_command(tweak=tweak, tag=tag, slot=slot, size=size, decrypt=direction == "decrypt")
        wanted = _beats(getattr(models[slot], direction)(tweak, data), p.beat_bytes) if code == StatusCode.OK else ()
        sent = data[: len(data) - cut]
        beats = _beats(sent, p.beat_bytes)
        last = len(sent) - (len(beats) - 1) * p.beat_bytes
        sectors.append(BenchSector(command, beats, (1 << last) - 1, int(code), wanted, p.sizes[size].last_keep))

    phases = []
    add(StatusCode.NO_KEY)
    phases.append(len(sectors))
    # Longer than the result buffer, so that waiting for a place in it would show.
    for _ in range(max(12, compiled.result_sectors + 8)):
        add(StatusCode.OK)
    phases.append(len(sectors))
    add(StatusCode.OK)
    phases.append(len(sectors))
    add(StatusCode.TOO_SHORT, cut=1)
    add(StatusCode.OK)
    for step in range(1, len(p.sizes)):
        for size in range(len(p.sizes)):
            for number in (size, (size + step) % len(p.sizes)):
                add(StatusCode.OK, size=number)
    phases.append(len(sectors))
    return BenchVectors(tuple(keys.items()), tuple(sectors), tuple(phases))
