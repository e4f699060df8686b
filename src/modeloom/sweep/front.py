# SPDX-License-Identifier: Apache-2.0
"""The Pareto front of a sweep: on each target, the points that no other one beats in both area and throughput."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from modeloom.modes import all_modes, all_streams
from modeloom.sweep.store import Row

__all__ = ["all_luts", "area_of", "is_broken", "memory_luts", "pareto_front", "throughputs"]


def area_of(row: Row) -> float | None:
    """The area of a point: LUTs of logic, memories and shift registers together, or NAND2 gates where there are no LUTs."""
    if row["target"] is None:
        return None
    if row["luts"] is None:
        nand2: float | None = row["nand2"]
        return nand2
    return all_luts(row)


def memory_luts(row: Row) -> int | None:
    """LUTs as memories and as shift registers.  None if they are not known, and without a target that has LUTs."""
    known = [row[name] for name in ("lutram_luts", "srl_luts") if row[name] is not None]
    return sum(known) if known and row["luts"] is not None else None


def all_luts(row: Row) -> int | None:
    """LUTs of logic, and as memories and shift registers.  None without a target that has LUTs."""
    return None if row["luts"] is None else row["luts"] + (memory_luts(row) or 0)


def is_broken(row: Row) -> bool:
    """Whether the mode of a point is one of modeloom's, and broken."""
    return row["kind"] != "circuit" and row["name"] in _broken()


@cache
def _broken() -> frozenset[str]:
    return frozenset(name for name, mode in (*all_modes().items(), *all_streams().items()) if mode.broken)


def throughputs(rows: Sequence[Row]) -> dict[str, float]:
    """The throughput of each point by its key: bytes a cycle, or bytes a microsecond on a target whose clocks are all known."""
    found: dict[str, float] = {}
    for target in {row["target"] for row in rows}:
        here = [row for row in rows if row["target"] == target and row["bytes_per_cycle"] is not None]
        clocked = all(row["mhz"] is not None for row in here)
        found |= {row["key"]: row["bytes_per_cycle"] * (row["mhz"] if clocked else 1) for row in here}
    return found


def pareto_front(rows: Sequence[Row]) -> set[str]:
    """The keys of the points on the front of their target.  Of points that are alike, all are on it.

    Points without an area or a throughput, points that have not passed, and those of modes that are known to be broken are on no front.
    Areas of whole cores and of blocks are not compared.
    """
    rate = throughputs(rows)
    front = set()
    groups: dict[tuple[str | None, str | None], list[tuple[float, float, str]]] = {}
    for row in rows:
        area = area_of(row)
        if row["status"] == "ok" and area is not None and row["key"] in rate and not is_broken(row):
            groups.setdefault((row["target"], row["area"]), []).append((area, rate[row["key"]], row["key"]))
    for group in groups.values():
        for area, fast, key in group:
            if not any(a <= area and f >= fast and (a, f) != (area, fast) for a, f, _ in group):
                front.add(key)
    return front
