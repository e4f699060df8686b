# SPDX-License-Identifier: Apache-2.0
"""Cycles a sector that the plain Verilog bench of emitted cores counts, for cores with several AES pipelines.

Run: python bench/pipelines.py [--blocks 32,256] [--aes 1,2,4,8] [--store] [MODE ...]    (needs Icarus Verilog; some minutes per core)

One JSON object a core, as it comes: what the bench measured at the pins beside what the schedule says; ``run_bench`` fails if they
differ.  The numbers of multipliers are the defaults.  ``--store`` writes each into ``baselines/pipelines.json``, in the place of what
was known of that core; ``tools/readme.py`` makes the table of docs/model.md from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit, run_bench
from modeloom.modes import find
from modeloom.options.sectors import Options

STORED = Path(__file__).resolve().parents[1] / "baselines" / "pipelines.json"

MODES = ("hctr2", "heh-brw", "hmch-brw", "heh-poly", "hmch-poly")


def measure(mode: str, blocks: int, aes: int) -> dict[str, Any]:
    """Compiles, proves and emits a core, and runs its bench."""
    start = time.process_time()
    compiled = compile_mode(find(mode), Options(sector=16 * blocks, cipher_cores=aes))
    figures = compiled.explain()
    with tempfile.TemporaryDirectory() as work:
        emit(SectorCore(compiled), Path(work) / "core", command=f"modeloom build {mode} --sector {16 * blocks} --aes {aes}")
        measured = run_bench(Path(work) / "core")
    return {
        "mode": mode, "blocks": blocks, "aes": aes, "mul": figures["units"].get("mul", {"count": 0})["count"],
        "ii_bound": figures["ii_bound"], "ii": figures["ii"], "measured": measured["cycles_per_sector"],
        "latency": figures["latency"], "measured_latency": measured["latency"], "latency_pins": measured["latency_pins"],
        "seconds": round(time.process_time() - start, 1),
    }  # fmt: skip


def store(result: dict[str, Any]) -> None:
    """Puts the figures of a core among those that are stored."""
    known = json.loads(STORED.read_text()) if STORED.exists() else []
    cores = {(row["mode"], row["blocks"], row["aes"]): row for row in [*known, result]}
    rows = sorted(cores.values(), key=lambda row: (MODES.index(row["mode"]), row["blocks"], row["aes"]))
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(row)}" for row in rows) + "\n]\n")


def main() -> None:
    """Measures every combination."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("modes", nargs="*", default=MODES)
    parser.add_argument("--blocks", default="32,256")
    parser.add_argument("--aes", default="1,2,4,8")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    numbers = [[int(n) for n in text.split(",")] for text in (options.blocks, options.aes)]
    for mode, blocks, aes in product(options.modes, *numbers):
        result = measure(mode, blocks, aes)
        print(json.dumps(result), flush=True)
        if options.store:
            store(result)


if __name__ == "__main__":
    main()
