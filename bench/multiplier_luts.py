# SPDX-License-Identifier: Apache-2.0
"""LUTs, levels and registers of the GHASH multipliers: plain refined Karatsuba beside the structure made for LUTs.

Run: python bench/multiplier_luts.py [--target xc6v] [--mapper abc9,compact] [--store] [lut6 | karatsuba-refined ...]
(some minutes a mapping of the plain one)

One JSON object a mapping, as it comes.  ``--store`` writes each into ``baselines/multiplier_luts.json``, in the place of what was
known of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.lut6 import LutMultiplier
from modeloom.spec.field import GHASH_ORDER
from modeloom.synth import synthesize

STORED = Path(__file__).resolve().parents[1] / "baselines" / "multiplier_luts.json"

KINDS = ("lut6", "karatsuba-refined")
LUT4 = ("ecp5",)


def variants(kind: str, target: str) -> Iterator[dict[str, Any]]:
    """Halting sizes and stages to measure."""
    if kind == "lut6":
        for stages in (0, 3, 6) if target == "xc6v" else (0,):
            yield {"halt": 8, "stages": stages, "lut_inputs": 4 if target in LUT4 else 6}
    else:
        for halt in (16, 8, 4, 32) if target == "xc6v" else (8,) if target in LUT4 else (16,):
            yield {"halt": halt, "stages": 0}


def measure(kind: str, target: str, mapper: str, halt: int, stages: int, lut_inputs: int | None = None) -> dict[str, Any]:
    """Maps one multiplier."""
    if kind == "lut6":
        component = LutMultiplier(GHASH_ORDER, stages, inputs=lut_inputs or 6, halt=halt)
    else:
        component = KaratsubaMultiplier(GHASH_ORDER, stages, halt)
    result = synthesize(rtlil.convert(component, name="multiplier"), "multiplier", target, mapper=mapper)
    return {
        "circuit": kind, "target": target, "mapper": mapper, "halt": halt, "stages": stages, "luts": result.luts, "levels": result.levels,
        "registers": result.ffs, "srl_luts": result.memories["srl_luts"], "yosys": result.tools["yosys"],
    }  # fmt: skip


def store(result: dict[str, Any]) -> None:
    """Puts the figures of a mapping among those that are stored."""
    known = json.loads(STORED.read_text()) if STORED.exists() else []

    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["target"], row["mapper"], KINDS.index(row["circuit"]), row["halt"], row["stages"]

    rows = {key(row): row for row in [*known, result]}
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(rows[name])}" for name in sorted(rows)) + "\n]\n")


def main() -> None:
    """Measures every combination."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("circuits", nargs="*", default=KINDS)
    parser.add_argument("--target", default="xc6v")
    parser.add_argument("--mapper", default="abc9,compact")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    for mapper in options.mapper.split(","):
        for kind in options.circuits:
            for variant in variants(kind, options.target):
                result = measure(kind, options.target, mapper, **variant)
                print(json.dumps(result), flush=True)
                if options.store:
                    store(result)


if __name__ == "__main__":
    main()
