# SPDX-License-Identifier: Apache-2.0
"""Latency at the pins of 4096-byte sectors, beside the least that their schedules can have.

Run: python bench/latency.py [MODE ...] [--aes 1,2,4,8] [--store]

For each mode and number of pipelines, with sectors that overlap: the figures of ``modeloom explain MODE --sector 4096 --aes N`` and

- ``paths_bound``: the bound of the latency without the interval (paths and issue rates alone);
- ``least_pins``: beats in + latency bound + beats out, in cycles;
- ``ratio``: latency at the pins by that; the buses' own 12 cycles are in the former alone.

``optimal`` says that the latency is that of the bound, so that no schedule of the graph has less.

One JSON object a line.  ``--store`` writes ``baselines/latency.json``, from which ``tools/readme.py`` makes the table of docs/model.md;
all of them take about ten minutes of one core.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector.describe import beats
from modeloom.modes import find
from modeloom.options.sectors import Options

STORED = Path(__file__).resolve().parents[1] / "baselines" / "latency.json"

MODES = ("hctr2", "heh-brw", "hmch-brw", "heh-poly", "hmch-poly")

SECTOR = 4096
"""Bytes."""

FIGURES = ("ii", "ii_bound", "latency", "latency_bound", "latency_pins", "optimal", "storage_blocks", "storage_bound", "proved")


def measure(mode: str, aes: int) -> dict[str, Any]:
    """The figures of one core."""
    compiled = compile_mode(find(mode), Options(sector=SECTOR, cipher_cores=aes))
    figures = compiled.explain()
    least = figures["latency_bound"] + 2 * beats(compiled)
    return {
        "command": f"modeloom explain {mode} --sector {SECTOR} --aes {aes}",
        "mode": mode,
        "aes": aes,
        "mul": figures["units"]["mul"]["count"],
        **{name: figures[name] for name in FIGURES},
        "paths_bound": compiled.schedule.problem.latency_bound(),
        "least_pins": least,
        "ratio": round(figures["latency_pins"] / least, 3),
    }


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--aes", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4, 8], help="pipelines")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    results = []
    for mode in options.modes:
        for aes in options.aes:
            results.append(measure(mode, aes))
            print(json.dumps(results[-1]), flush=True)
    if options.store:
        STORED.write_text("[\n" + ",\n".join(f" {json.dumps(result)}" for result in results) + "\n]\n")


if __name__ == "__main__":
    main()
