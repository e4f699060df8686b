# SPDX-License-Identifier: Apache-2.0
"""Area and depth of the hash circuits on Virtex-5, beside table 2 of brw2013.

Run: python bench/brw_area.py [--store] [NUMBER ...]    (about a minute a row)

One JSON object a row, as it comes: circuit, options, mapper, LUTs, flip-flops, levels of LUTs, cycles of a message.  The paper prints
slices (four LUT6 and four flip-flops each) after place and route.  ``--store`` writes each row into ``baselines/brw_area.json``, in the
place of what was known of it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.circuits import find_circuit
from modeloom.synth import synthesize

STORED = Path(__file__).resolve().parents[1] / "baselines" / "brw_area.json"

TARGET = "xc5v"

PAPER = {"blocks": 31, "stages": 3, "times_h": "yes"}

ROWS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("brw", PAPER | {"squares": "fly", "halt": 4}, "abc9"),
    ("brw", PAPER | {"squares": "fly", "halt": 16}, "abc9"),
    ("brw", PAPER | {"squares": "setup", "halt": 16}, "abc9"),
    ("poly", PAPER | {"halt": 4}, "abc9"),
    ("poly", PAPER | {"halt": 16}, "abc9"),
)
"""Circuit, options, mapper; the paper stops the Karatsuba recursion at 4 bits (appendix A)."""


def measure(name: str, options: dict[str, Any], mapper: str) -> dict[str, Any]:
    """One row."""
    built = find_circuit(name).build(**options)
    result = synthesize(rtlil.convert(built.component, name="hash"), "hash", TARGET, mapper=mapper)
    return {
        "circuit": name, "options": options, "target": TARGET, "mapper": mapper, "luts": result.luts, "ffs": result.ffs,
        "levels": result.levels, "levels_register": result.levels_register, "cycles": built.figures["cycles"],
        "interval": built.component.interval, "yosys": result.tools["yosys"],
    }  # fmt: skip


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored, in the order of ``ROWS``."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    found = {json.dumps([old["circuit"], old["options"], old["mapper"]]): old for old in [*known, row]}
    ordered = [found[key] for key in map(json.dumps, map(list, ROWS)) if key in found]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(old)}" for old in ordered) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures the rows."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("numbers", nargs="*", type=int, help="of the rows, from 0; all if none are given")
    parser.add_argument("--store", action="store_true")
    chosen = parser.parse_args()
    for number in chosen.numbers or range(len(ROWS)):
        row = measure(*ROWS[number])
        print(json.dumps(row), flush=True)
        if chosen.store:
            store(row)


if __name__ == "__main__":
    main()
