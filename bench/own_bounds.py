# SPDX-License-Identifier: Apache-2.0
"""Latency of every mode beside the bounds that each direction has alone.

Run: python bench/own_bounds.py [MODE ...] [--sector N,...] [--aes 1,2,4,8] [--store]

For each mode, sector and number of pipelines, with sectors that overlap and both directions in one core: the figures of ``modeloom explain
MODE --sector N --aes M``, and ``ratio``, the latency by the larger of the two bounds.  Programs are not proved here.

One JSON object a line.  ``--store`` puts them into ``baselines/own_bounds.json``, in the place of older ones of the same cores;
``tools/readme.py`` makes the tables of docs/model.md of it.  A mode that allows no sectors of N bytes takes its longest (EME: 2048).
Sectors of 512 bytes take some minutes of one core, those of 4096 bytes half an hour.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.modes import BUILT_IN, find
from modeloom.options.sectors import Options

STORED = Path(__file__).resolve().parents[1] / "baselines" / "own_bounds.json"

SECTORS = (512,)
"""Bytes, if the command line names none."""

PIPELINES = (1, 2, 4, 8)

FIGURES = ("ii", "ii_bound", "latency", "latency_bound", "latency_bounds", "pairing_bound", "optimal")


def measure(mode: str, sector: int, aes: int) -> dict[str, Any]:
    """The figures of one core."""
    definition = find(mode)
    if definition.max_blocks:
        sector = min(sector, definition.max_blocks * definition.block_bytes)
    figures = compile_mode(definition, Options(sector=sector, cipher_cores=aes), prove=False).explain()
    return {
        "mode": mode,
        "sector": sector,
        "aes": aes,
        **{name: figures[name] for name in FIGURES},
        "ratio": round(figures["latency"] / figures["latency_bound"], 3),
        "latency_reason": figures.get("latency_reason"),
    }


def stored() -> list[dict[str, Any]]:
    """The stored figures."""
    rows: list[dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    return rows


def store(results: list[dict[str, Any]]) -> None:
    """Puts figures into the file, in the order of modes, sectors and pipelines."""
    order = [mode.name for mode in BUILT_IN]
    rows = {(row["sector"], order.index(row["mode"]), row["aes"]): row for row in [*stored(), *results]}
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(rows[key])}" for key in sorted(rows)) + "\n]\n")


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.split(",")]


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=[mode.name for mode in BUILT_IN], metavar="MODE")
    parser.add_argument("--sector", type=_numbers, default=list(SECTORS), help="bytes")
    parser.add_argument("--aes", type=_numbers, default=list(PIPELINES), help="pipelines")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    for sector in options.sector:
        for mode in options.modes:
            for aes in options.aes:
                result = measure(mode, sector, aes)
                print(json.dumps(result), flush=True)
                if options.store:
                    store([result])


if __name__ == "__main__":
    main()
