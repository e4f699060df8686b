# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/scaling.md: what ``bench/scaling.py`` has stored, at clocks that were routed, and what rates take by that.

::

    baselines/scaling.json    schedules, cycles at the pins, areas ─┐
    baselines/nextpnr-*/      routed clocks, what the device has   ─┴─▶  cores, LUTs, memories and devices for a rate
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from circuit_tables import table

ROOT = Path(__file__).resolve().parents[1]

MODES = ("hctr2", "heh-brw", "eme2", "xts")

PIPELINES = (1, 2, 4, 8)

SECTOR = 4096

RATES = (100, 200, 400)
"""Gbit/s."""

PART = "LFE5U-85F"

WRITE_LUTS = 2
"""LUTs that a 16 x 4 memory of ECP5 takes besides the four of its data: those of its write slice (nextpnr's RAMW)."""

NAMES = {"COMB": "LUTs", "FF": "registers", "DP16KD": "block memories"}
"""What nextpnr calls the resources of a device."""

Row = dict[str, Any]


def placed_and_routed(row: Row) -> str:
    """Which of nextpnr's placers and routers; a result that does not name them has its defaults."""
    return f"{row.get('placer') or 'heap'}, {row.get('router') or 'router1'}"


@cache
def stored() -> dict[str, dict[tuple[str, int], Row]]:
    """Rows by kind (areas: by target), mode and pipelines."""
    every = json.loads((ROOT / "baselines" / "scaling.json").read_text(encoding="utf-8"))
    found: dict[str, dict[tuple[str, int], Row]] = {kind: {} for kind in ("schedules", "cores", "ecp5")}
    for kind, rows in every.items():
        for row in rows:
            found.setdefault(row.get("target", kind), {})[row["mode"], row["aes"]] = row
    return found


@cache
def routed() -> dict[str, Row]:
    """Whole cores that were placed and routed on ECP5 with S-boxes in block memories, by name."""
    files = sorted((ROOT / "baselines").glob("nextpnr-*/*_bram.ecp5.json"))
    each = {path.name.split(".")[0]: json.loads(path.read_text(encoding="utf-8")) for path in files}
    return {name: row for name, row in each.items() if row.get("core")}


@dataclass(frozen=True)
class Clock:
    """MHz, the core that was routed at it, and whether that is one of the mode."""

    mhz: float
    core: str
    own: bool


def clock(mode: str) -> Clock:
    """The routed clock of the mode's largest sector; of a mode of which no core was routed, that of the slowest core that was."""
    own = {name: row for name, row in routed().items() if row["core"]["mode"] == mode}
    if own:
        name = max(own, key=lambda each: (own[each]["core"]["sector_bytes"], each))
        return Clock(own[name]["clock_mhz"], name, True)
    name = min(routed(), key=lambda each: routed()[each]["clock_mhz"])
    return Clock(routed()[name]["clock_mhz"], name, False)


def interval(mode: str, aes: int) -> int | None:
    """Cycles from a sector to the next: as the bench counted them, or else as the schedule has them; None without either."""
    if pins := stored()["cores"].get((mode, aes)):
        return pins["interval"]
    return stored()["schedules"].get((mode, aes), {}).get("ii")


def gbits(mode: str, aes: int) -> float | None:
    """Throughput of a core in Gbit/s at the clock of its mode."""
    cycles = interval(mode, aes)
    return None if cycles is None else 8 * SECTOR * clock(mode).mhz / cycles / 1000


def used(row: Row) -> dict[str, int]:
    """What a core takes of an ECP5: logic and data memory are the same LUTs."""
    luts = row["luts"] + row["lutram_luts"] + WRITE_LUTS * row["lutram_cells"]
    return {"COMB": luts, "FF": row["registers"], "DP16KD": row["bram_cells"]}


@cache
def available() -> dict[str, int]:
    """What the device has of each, as nextpnr says."""
    one = next(iter(routed().values()))["utilisation"]
    return {name: one[name]["available"] for name in NAMES}


def fitting(row: Row) -> int:
    """Cores that a device holds by count: nothing is said about whether they can be routed."""
    return min(have // used(row)[name] for name, have in available().items() if used(row)[name])


def _show(value: Any, digits: int = 0) -> str:
    return "-" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def cycles() -> str:
    """Interval and bound, measured cycles, latency."""
    rows = []
    for mode in MODES:
        for aes in PIPELINES:
            e, pins = stored()["schedules"].get((mode, aes), {}), stored()["cores"].get((mode, aes), {})
            figures = (e.get("multipliers"), e.get("ii"), e.get("ii_bound"), pins.get("interval"),
                       SECTOR / e["ii"] if e else None)  # fmt: skip
            times = (e.get("latency"), e.get("latency_bound"), pins.get("latency"), pins.get("latency_pins"), e.get("storage_blocks"))
            rows.append((f"`{mode}`", aes, *(_show(figure, 1) for figure in (*figures, *times))))
    head = ("mode", "pipelines", "multipliers", "interval", "bound", "measured", "bytes per cycle", "latency", "bound", "measured",
            "measured at the pins", "blocks stored")  # fmt: skip
    return table(head, rows, 1)


def areas() -> str:
    """LUTs, registers and memories on ECP5, LUTs of each block, and the largest share that the core takes of a device."""
    rows = []
    for mode in MODES:
        for aes in PIPELINES:
            row = stored()["ecp5"].get((mode, aes))
            if row is None:
                rows.append((f"`{mode}`", aes, *"-" * 9))
                continue
            blocks = row["blocks"]
            rest = sum(count for name, count in blocks.items() if name not in ("aes", "multipliers", "storage"))
            most = max(available(), key=lambda name: used(row)[name] / available()[name])
            share = f"{100 * used(row)[most] / available()[most]:.0f} % of {NAMES[most]}"
            rows.append((f"`{mode}`", aes, row["luts"], blocks["aes"], blocks["multipliers"], blocks["storage"], rest,
                         row["lutram_luts"], row["registers"], row["bram_cells"], share))  # fmt: skip
    head = ("mode", "pipelines", "LUT4", "AES", "multipliers", "storage", "engine, control, buses", "LUT4 as memory", "registers",
            "block memories", f"of an {PART}, at most")  # fmt: skip
    return table(head, rows, 1)


def clocks() -> str:
    """The core whose clock is used for each mode."""
    rows = []
    for mode in MODES:
        found = clock(mode)
        core = routed()[found.core]
        about = (f"`{core['core']['command']}`", "yes" if found.own else "no", placed_and_routed(core))
        rows.append((f"`{mode}`", *about, f"{found.mhz:.1f}"))
    return table(("mode", "clock of", "same mode", "placer, router", "MHz, routed"), rows, 4)


def rates() -> str:
    """Cores for each rate at the clock of the mode, and the clock at which one core would do."""
    rows = []
    for mode in MODES:
        for aes in PIPELINES:
            one, cycles = gbits(mode, aes), interval(mode, aes)
            cores = [None if one is None else ceil(rate / one) for rate in RATES]
            mhz = [None if cycles is None else rate * 1000 * cycles / (8 * SECTOR) for rate in RATES]
            rows.append((f"`{mode}`", aes, f"{clock(mode).mhz:.1f}", _show(one, 1), *map(_show, cores), *map(_show, mhz)))
    head = ("mode", "pipelines", "MHz", "Gbit/s", *(f"cores for {rate}" for rate in RATES), *(f"MHz for {rate} with one" for rate in RATES))
    return table(head, rows, 1)


def _choice(mode: str, rate: int) -> tuple[int, int, Row] | None:
    """Cores, pipelines of each and their area, of those measured: those that take least of the device's scarcest resource."""
    options = []
    for (name, aes), row in stored()["ecp5"].items():
        one = gbits(mode, aes)
        if name == mode and one is not None:
            cores = ceil(rate / one)
            load = max(cores * used(row)[each] / have for each, have in available().items())
            options.append((load, aes, cores, row))
    if not options:
        return None
    _, aes, cores, row = min(options, key=lambda each: each[:2])
    return cores, aes, row


def totals() -> str:
    """What each rate takes in all, with cores whose area was measured."""
    rows = []
    for mode in MODES:
        for rate in RATES:
            found = _choice(mode, rate)
            if found is None:
                rows.append((f"`{mode}`", rate, *"-" * 8))
                continue
            cores, aes, row = found
            multipliers = stored()["schedules"].get((mode, aes), {}).get("multipliers")
            each = fitting(row)
            devices = ceil(cores / each) if each else "none holds a core"
            rows.append((f"`{mode}`", rate, f"{cores} × {aes}", cores * aes, _show(None if multipliers is None else cores * multipliers),
                         cores * row["luts"], cores * row["lutram_luts"], cores * row["registers"], cores * row["bram_cells"],
                         devices))  # fmt: skip
    head = ("mode", "Gbit/s", "cores × pipelines", "pipelines", "multipliers", "LUT4", "LUT4 as memory", "registers", "block memories",
            f"{PART}, by count")  # fmt: skip
    return table(head, rows, 1)


def points() -> dict[str, list[tuple[float, float, str]]]:
    """Throughput (Gbit/s at the clock of the mode) over LUT4, logic and memory, of each core whose area was measured."""
    lines: dict[str, list[tuple[float, float, str]]] = {}
    for mode in MODES:
        for aes in PIPELINES:
            row, rate = stored()["ecp5"].get((mode, aes)), gbits(mode, aes)
            if row and rate is not None:
                lines.setdefault(mode, []).append((row["luts"] + row["lutram_luts"], round(rate, 2), str(aes)))
    return lines


TABLES: dict[str, Callable[[], str]] = {
    "scaling_cycles": cycles,
    "scaling_areas": areas,
    "scaling_clocks": clocks,
    "scaling_rates": rates,
    "scaling_totals": totals,
}
"""Parts of docs/scaling.md."""
