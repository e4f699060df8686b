# SPDX-License-Identifier: Apache-2.0
"""Vectors for the benches of all kinds of cores: bytes from labels, packets of beats, and numbers in Verilog."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from modeloom.interfaces.shared import KEY_BEAT_BYTES

__all__ = [
    "Beat", "BenchKey", "beats_of", "bench_bytes", "first_keys", "hexadecimal", "keep_text", "key_lines", "packet_lines", "phase_lines",
    "wanted_lines",
]  # fmt: skip

Beat = tuple[bytes, int]
"""Bytes of a beat, and its ``tkeep``."""


def bench_bytes(label: str, length: int) -> bytes:
    """Pseudorandom bytes that depend only on the label."""
    return hashlib.shake_128(f"modeloom bench {label}".encode()).digest(length)


def beats_of(data: bytes, size: int) -> tuple[Beat, ...]:
    """The beats of a packet, each with its ``tkeep``."""
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    return tuple((chunk.ljust(size, b"\0"), (1 << len(chunk)) - 1) for chunk in chunks)


def hexadecimal(data: bytes, bits: int) -> str:
    """Bytes as a number in Verilog, with byte 0 in the lowest bits."""
    return f"{bits}'h{int.from_bytes(data, 'little'):0{-(-bits // 4)}x}"


@dataclass(frozen=True)
class BenchKey:
    """A key for a slot."""

    slot: int
    key: bytes

    @property
    def beats(self) -> tuple[Beat, ...]:
        """The beats of its packet."""
        return beats_of(self.key, KEY_BEAT_BYTES)


def first_keys(keys: Iterable[BenchKey]) -> list[tuple[int, bytes]]:
    """The first key of each slot."""
    found: dict[int, bytes] = {}
    for key in keys:
        found.setdefault(key.slot, key.key)
    return list(found.items())


def key_lines(keys: Sequence[BenchKey], most_beats: int) -> Iterator[str]:
    """The keys of a bench, in beats of which each key has at most so many."""
    for number, key in enumerate(keys):
        yield f"key_slot[{number}] = {key.slot};"
        for i, (beat, _) in enumerate(key.beats):
            yield f"key[{number * most_beats + i}] = {hexadecimal(beat[: len(key.key) - i * KEY_BEAT_BYTES], 8 * KEY_BEAT_BYTES)};"


def keep_text(value: int, beat_bytes: int) -> str:
    """A tkeep of a beat of data."""
    return "{BEAT_BYTES{1'b1}}" if value == (1 << beat_bytes) - 1 else f"{beat_bytes}'h{value:x}"


def packet_lines(number: int, command: bytes, beats: Sequence[Beat], sent: int, beat_bytes: int) -> Iterator[str]:
    """A command and its packet, behind so many beats of others."""
    yield f"command[{number}] = {hexadecimal(command, 8 * len(command))};"
    for i, (beat, kept) in enumerate(beats, sent):
        last, keep = int(i - sent == len(beats) - 1), keep_text(kept, beat_bytes)
        yield f"sent[{i}] = {hexadecimal(beat, 8 * beat_bytes)}; sent_keep[{i}] = {keep}; sent_last[{i}] = {last};"


def wanted_lines(beats: Iterable[Beat], wanted: int, beat_bytes: int) -> Iterator[str]:
    """Beats that must come back, behind so many others."""
    for i, (beat, kept) in enumerate(beats, wanted):
        yield f"wanted[{i}] = {hexadecimal(beat, 8 * beat_bytes)}; wanted_keep[{i}] = {keep_text(kept, beat_bytes)};"


def phase_lines(phases: Mapping[str, int]) -> str:
    """The numbers of commands by the ends of phases."""
    width = max(map(len, phases))
    return "\n".join(f"localparam PHASE_{phase.upper():<{width}} = {end};" for phase, end in phases.items())
