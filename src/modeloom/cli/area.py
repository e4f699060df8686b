# SPDX-License-Identifier: Apache-2.0
"""The figures of a synthesised core as a table for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modeloom.emit.html.luts import lut_figure
from modeloom.spec.wording import many
from modeloom.synth.targets import TARGETS

__all__ = ["area_table"]

UNITS = {
    "luts": "logic LUTs", "memory_luts": "memory LUTs", "all_luts": "all LUTs", "area": "area", "ffs": "registers",
    "bram_cells": "block memories", "dsps": "DSP",
}  # fmt: skip
"""The columns, by the names of the figures in the JSON.  LUTs as memories are in one column with those as shift registers."""


def area_table(result: Mapping[str, Any]) -> str:
    """The output of ``modeloom synth`` for ``measure.measure_core``: a row for each block and for the core, then depth, clock, throughput.

    The core is mapped as a whole.  It is usually smaller than the sum of its blocks, because of optimisation across their borders.
    """
    core = result["core"]
    slots = many(core["key_slots"], "key slot")
    head = f"{result['design']}: {core['mode']}, {_width(core, result['throughput'])}, {slots}; {result['device']}"
    kinds = ["area", "ffs"] if result["luts"] is None else ["luts", "memory_luts", "all_luts", "ffs", "bram_cells", "dsps"]
    rows = [["", *(UNITS[kind] for kind in kinds)]]
    for name, figures in (result.get("blocks") or {}).items():
        rows.append([name, *(_number(_value(figures, kind)) for kind in kinds)])
    if result.get("blocks"):
        rows.append(["sum of blocks", *(_number(_value(result["blocks_total"], kind)) for kind in kinds)])
    rows.append(["core", *(_number(_value(result, kind)) for kind in kinds)])
    if share := result["share"]:
        # A device has LUTs for logic and for memories together.
        parts = {"all_luts" if kind == "luts" else kind: part for kind, part in share.items()}
        rows.append([f"of an {share['device']}", *(f"{parts[kind]} %" if kind in parts else "" for kind in kinds)])
    return "\n".join([head, "", *_aligned(rows), "", *_pairs(_facts(result))]) + "\n"


def _width(figures: Mapping[str, Any], throughput: Sequence[Mapping[str, Any]]) -> str:
    """What a core takes: the bytes of a unit, such as "sectors of 512 bytes" from ``sector_bytes``, or blocks of text and their cycles."""
    if "blocks_per_cycle" in figures:
        cycles = max((each["interval"] for each in throughput), default=1)
        return many(figures["blocks_per_cycle"], "block") + (" per cycle" if cycles == 1 else f" every {cycles:g} cycles")
    what, size = _sized(figures)
    return f"{what}s of {size} bytes"


def _sized(figures: Mapping[str, Any]) -> tuple[str, int]:
    """The unit that a core processes, and its bytes: "sector" and the number from ``sector_bytes``."""
    name = next(name for name in figures if name.endswith("_bytes"))
    return name.removesuffix("_bytes"), figures[name]


def _value(figures: Mapping[str, Any], kind: str) -> Any:
    if kind == "dsps":
        return sum(count for cell, count in figures["cells"].items() if TARGETS["ecp5"].is_dsp(cell))
    return lut_figure(figures, kind)


def _facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    unit = "LUTs" if result["luts"] is not None else "gates"
    between = result["levels_register"]
    depth = f"{result['levels']} {unit}" + ("" if between in (None, result["levels"]) else f", {between} between registers")
    facts = [("depth", depth), ("longest path", f"{result['longest_path']['from']} to {result['longest_path']['to']}")]
    if result.get("pairs") is not None:
        facts.append(("LUT-FF pairs", f"{_number(result['pairs'])}, {_number(result['pairs_with_both'])} of them with both"))
    if result.get("delay_ns") is not None:
        facts.append(("gates' delay", f"{result['delay_ns']} ns, without wires and registers"))
    if result.get("fast") is not None:
        facts.append(("mapped for delay", f"{result['fast']['delay_ns']} ns, area {_number(result['fast']['area'])}"))
    if result.get("area_nand2") is not None:
        facts.append(("NAND2 gates", _number(result["area_nand2"])))
    clock = result["clock_mhz"]
    if clock is not None:
        how = ", ".join(["nextpnr", *(str(result[name]) for name in ("placer", "router") if result.get(name))])
        facts.append(("clock", f"{clock} MHz, {result['clock_target_mhz']:g} asked for ({how})"))
    for each in result["throughput"]:
        bits, at = each["bits_per_cycle"], 100 if clock is None else clock
        sector = f"{_sized(each)[1]} bytes every {each['interval']} cycles, {bits:g} bits per cycle"
        facts.append(("throughput", f"{bits * at / 1000:.1f} Gbit/s at {at} MHz: {sector}"))
    facts.append(("tools", ", ".join(f"{name} {version}" for name, version in result["tools"].items())))
    return facts


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}".replace(",", " ")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Left-aligned names and right-aligned figures."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows)
    return [line.rstrip() for line in lines]


def _pairs(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return [f"{name.ljust(width)}  {text}" for name, text in rows]
