# SPDX-License-Identifier: Apache-2.0
"""Packets with a key each through the pipeline of gcm2008 with its iterative key schedule: how many cycles a new key costs (Table 4.3).

The thesis encrypts a block of zeros after each change of the key, for the key of the hash. It has no cycle for E(K, Y0) of a packet.  A
fixed latency for all changes of the key adds cycles in which no block enters::

    cycle        0      1      2 ... latency      then
    key          new                              ready again when the schedule has made the last round key
    block        last   zeros  none               the first block of the packet
                 of the old key

So a packet with fewer blocks than the schedule has rounds makes the next one wait.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from amaranth.back import rtlil

from modeloom.emit import CheckFailed
from modeloom.rtl.aes.iterative_schedule import ALL, SIZE_CODES
from modeloom.sim import Simulation
from modeloom_circuits.aes.agile_pipeline import AESAgilePipeline
from modeloom_golden.aes import AES

__all__ = ["lost_cycles", "percent"]

BLOCK_BYTES = 16
KEY_BYTES = 32
"""The longest keys, which the thesis takes for its bound of 14 cycles."""

PATIENCE = 64
"""Cycles without progress after which a run is given up."""


def percent(nbytes: int, lost: int) -> float:
    """σ of equation (4.1), in percent, for a packet of so many bytes and so many lost cycles."""
    blocks = nbytes / BLOCK_BYTES
    return 100 * blocks / (blocks + lost)


def lost_cycles(sizes: Sequence[int], latency: int = 1, *, seed: int = 1, optimize: int = 2) -> list[int]:
    """For each packet, the cycles until the first block of the next one in which none of its blocks enters.

    Parameters
    ----------
    sizes : sequence of int
        Bytes of the packets, each at least 1.
    latency : int
        Cycles after a key before the first block of its packet, at least 1: that of the block of zeros.

    Raises
    ------
    CheckFailed
        A result differs from AES, or the pipeline takes nothing any more.
    """
    rng = random.Random(f"agility {seed}")
    component = AESAgilePipeline(ALL, 1, "delay")
    sim = Simulation.of(rtlil.convert(component, name="top", emit_src=False), "top", optimize=optimize)
    sim.reset()
    sim.set("key_size", SIZE_CODES[8 * KEY_BYTES])
    wanted: list[bytes] = []
    got: list[bytes] = []
    starts: list[int] = []
    counts = [-(-size // BLOCK_BYTES) for size in sizes]

    def cycle(key: bytes | None, block: bytes | None) -> tuple[bool, bool]:
        """One cycle; whether key and block were taken."""
        sim.set("key_valid", key is not None)
        sim.set("key", int.from_bytes(key or b"", "little"))
        sim.set("i_valid", block is not None)
        sim.set("i", int.from_bytes(block or b"", "little"))
        if sim.get("o_valid"):
            got.append(sim.get("o").to_bytes(BLOCK_BYTES, "little"))
        taken = bool(key is not None and sim.get("key_ready")), bool(block is not None and sim.get("i_ready"))
        sim.step()
        return taken

    def offered(key: bytes | None, block: bytes | None) -> None:
        """Offers both until both are taken."""
        for _ in range(PATIENCE):
            took_key, took_block = cycle(key, block)
            key, block = None if took_key else key, None if took_block else block
            if key is None and block is None:
                return
        raise CheckFailed("key changes: the pipeline takes nothing any more")

    # The key of a packet comes in the cycle of the last block of the one before.
    last: bytes | None = None
    for count in [*counts, 1]:
        key = rng.randbytes(KEY_BYTES)
        offered(key, last)
        cipher, blocks = AES(key), [bytes(BLOCK_BYTES), *(rng.randbytes(BLOCK_BYTES) for _ in range(count))]
        wanted += map(cipher.encrypt_block, blocks)
        offered(None, blocks[0])
        for _ in range(latency - 1):
            cycle(None, None)
        starts.append(sim.cycle)
        for block in blocks[1:-1]:
            offered(None, block)
        last = blocks[-1]
    offered(None, last)
    for _ in range(component.latency):
        cycle(None, None)
    if got != wanted:
        raise CheckFailed("key changes: the pipeline gives other blocks than AES")
    return [after - start - count for start, after, count in zip(starts, starts[1:], counts, strict=False)]
