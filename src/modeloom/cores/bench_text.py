# SPDX-License-Identifier: Apache-2.0
"""Vectors for the benches of all kinds of cores: bytes from labels, packets of beats, and numbers in Verilog."""

from __future__ import annotations

import hashlib

__all__ = ["Beat", "beats_of", "bench_bytes", "hexadecimal"]

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
