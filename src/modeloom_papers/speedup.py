# SPDX-License-Identifier: Apache-2.0
"""luts2017, section 2.3: how much faster a cipher is that has all its rounds in a row than one with a single round.

With r rounds of N stages each, and a message of B blocks::

    one round    a batch of N blocks goes through it r times        r N ceil(B / N) cycles, about r B
    unrolled     a block in every cycle, behind a latency of r N    r N + B - 1 cycles

    G = r B / (r N + B - 1)

``bench/speedup.py`` measures both: the former with the circuit ``aes-multistream``, the latter with cores of GCM.
"""

from __future__ import annotations

from modeloom_papers.stored import Row, measured

__all__ = ["BLOCKS", "ROUNDS", "STREAMS", "gain", "name_of", "round_cycles", "rows", "unrolled_cycles"]

ROUNDS = 10
"""r of AES-128."""

STREAMS = (1, 2, 4)
"""N."""

BLOCKS = tuple(1 << n for n in range(11))
"""B: 1 to 1024."""


def unrolled_cycles(streams: int, blocks: int) -> int:
    """r N + B - 1."""
    return ROUNDS * streams + blocks - 1


def round_cycles(streams: int, blocks: int) -> int:
    """r N ceil(B / N)."""
    return ROUNDS * streams * -(-blocks // streams)


def gain(streams: int, blocks: int) -> float:
    """G of the paper."""
    return ROUNDS * blocks / unrolled_cycles(streams, blocks)


def name_of(streams: int, blocks: int) -> str:
    """The name of a stored row."""
    return f"{streams} streams, {blocks} blocks"


def rows() -> list[Row]:
    """A row for each number of blocks, with the formula and what was measured for each number of streams."""
    found: list[Row] = []
    for blocks in BLOCKS:
        figures: Row = {}
        for streams in STREAMS:
            row = measured("speedups").get(name_of(streams, blocks), {})
            one, unrolled = row.get("round_cycles"), row.get("unrolled_cycles")
            figures |= {
                f"formula_{streams}": round(gain(streams, blocks), 3), f"round_cycles_{streams}": one,
                f"unrolled_cycles_{streams}": unrolled, f"measured_{streams}": round(one / unrolled, 3) if one and unrolled else None,
            }  # fmt: skip
        found.append(
            {
                "row": str(blocks), "mode": "AES-128", "core": None, "device": None, "printed": {}, "corrected": {}, "notes": [],
                "commands": {}, "target": None, "ours": figures,
            }  # fmt: skip
        )
    return found
