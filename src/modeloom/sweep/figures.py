# SPDX-License-Identifier: Apache-2.0
"""The main figures of a point, as plain columns: the same names for sectors, messages and circuits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FIGURES", "Figures", "Result", "figures_of"]

Result = Mapping[str, Any]
"""The results of the steps of a point, or of one of them, as JSON has them."""

Figures = dict[str, Any]
"""The columns of a point."""

FIGURES: dict[str, tuple[str, str]] = {
    "sector_bytes": ("INTEGER", "bytes of a sector"),
    "blocks_per_cycle": ("INTEGER", "stream modes: blocks that enter in a cycle"),
    "cycles_per_sector": ("REAL", "cycles from sector to sector"),
    "bytes_per_cycle": ("REAL", "bytes of long text, or of sectors, in a cycle"),
    "latency": ("INTEGER", "cycles from the first issue to the last block in the output buffer; for stream modes, of a beat of text in "
                "the core; for circuits, from operands to result"),
    "storage_blocks": ("INTEGER", "blocks of storage of a sector core"),
    "cipher_cores": ("INTEGER", "cores of the block cipher"),
    "multipliers": ("INTEGER", "multipliers in GF(2^n)"),
    "luts": ("INTEGER", "LUTs of logic"),
    "lutram_luts": ("INTEGER", "LUTs of memories"),
    "srl_luts": ("INTEGER", "LUTs of shift registers"),
    "ffs": ("INTEGER", "flip-flops"),
    "bram": ("INTEGER", "block memories"),
    "dsps": ("INTEGER", "DSP blocks"),
    "nand2": ("REAL", "area in NAND2 gates, for gates and Liberty files"),
    "levels": ("INTEGER", "LUTs or gates on the critical path; only for a core that is mapped as a whole"),
    "mhz": ("REAL", "clock after place and route"),
    "proved": ("INTEGER", "1 if the program or the pipeline is proved to compute the mode"),
    "simulated": ("INTEGER", "1 if the testbench of the core passed"),
}  # fmt: skip
"""Columns: the type in SQLite, and what they hold.  A figure that a point does not have is NULL."""


def figures_of(kind: str, result: Result) -> Figures:
    """The columns of a point from the results of its steps."""
    found: Figures = dict.fromkeys(FIGURES)
    if "circuit" in result:
        found |= _circuit(result["circuit"])
    if "explain" in result:
        found |= _sector(result["explain"]) if kind == "sector" else _stream(result["explain"], result["core"])
    if "synth" in result:
        found |= _area(result["synth"])
    if "bench" in result:
        found["simulated"] = 1
    return found


def _sector(explain: Result) -> Figures:
    units = explain["units"]
    cycles = explain["cycles_per_sector"]
    return {
        "sector_bytes": explain["sector_bytes"], "cycles_per_sector": cycles,
        "bytes_per_cycle": round(explain["sector_bytes"] / cycles, 4), "latency": explain["latency"],
        "storage_blocks": explain["storage_blocks"],
        "cipher_cores": sum(unit["count"] for kind, unit in units.items() if kind.startswith(("cipher", "enc", "dec", "tenc", "tdec"))),
        "multipliers": units.get("mul", {"count": 0})["count"], "proved": int(explain["proved"]),
    }  # fmt: skip


def _stream(explain: Result, core: Result) -> Figures:
    # A core that seals takes the text of a message twice if the mode has two passes.
    passes = 1 if core["direction"] == "decrypt" else explain.get("passes", 1)
    cycles = core["cycles"]["text"] * passes
    return {
        "blocks_per_cycle": explain["blocks_per_cycle"],
        "bytes_per_cycle": round(explain["block_bytes"] * explain["blocks_per_cycle"] / cycles, 4), "latency": core["latency"],
        "cipher_cores": explain["blocks_per_cycle"] * sum(unit.startswith("cipher") for unit in explain["units"]),
        "multipliers": core["multipliers"], "proved": int(explain["proved"]),
    }  # fmt: skip


def _circuit(circuit: Result) -> Figures:
    found = {"latency": circuit["latency"], "nand2": circuit.get("nand2")}
    if "target" not in circuit:
        return found
    memories = circuit["memories"]
    return found | {
        "luts": circuit["luts"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"], "ffs": circuit["ffs"],
        "bram": memories["bram_cells"], "levels": circuit["levels"], "mhz": circuit["clock_mhz"],
        "nand2": circuit["area_nand2"] if circuit["luts"] is None else found["nand2"],
    }  # fmt: skip


def _area(synth: Result) -> Figures:
    from modeloom.synth import TARGETS

    memories = synth["memories"]
    return {
        "luts": synth["luts"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"], "ffs": synth["ffs"],
        "bram": memories["bram_cells"], "dsps": sum(count for cell, count in synth["cells"].items() if TARGETS["ecp5"].is_dsp(cell)),
        "nand2": synth.get("area_nand2", synth["area"]) if synth["luts"] is None else None, "levels": synth.get("levels"),
        "mhz": synth.get("clock_mhz"),
    }  # fmt: skip
