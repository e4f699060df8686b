# SPDX-License-Identifier: Apache-2.0
"""Cycles that a change of the sector size costs, measured on simulated cores.

Run: python bench/size_changes.py [MODE SIZES] [--store]

SIZES are bytes with commas between them (512,520,4096).  Sectors of one size back to back, then of the other: the distance of the
statuses across the change, less the interval of the new size.  One JSON object a core; ``--store`` writes
``baselines/size_changes.json``, from which ``tools/readme.py`` makes the table of docs/model.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.product.simulated import Sector, SimulatedCore

STORED = Path(__file__).resolve().parents[1] / "baselines" / "size_changes.json"
RUN = 8
"""Sectors of each size: more than are in flight."""

CORES = (("hctr2", (512, 520, 4096)), ("heh-brw", (512, 4096)))


def measure(mode: str, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Interval of each size, and cost of each change."""
    compiled = compile_mode(find(mode), Options(sector=sizes[0], more_sectors=sizes[1:]))
    with tempfile.TemporaryDirectory() as work:
        emit(SectorCore(compiled), Path(work) / "core", command=f"modeloom build {mode} --sector {','.join(map(str, sizes))}")
        core = SimulatedCore(Path(work) / "core", optimize=0)  # it runs for some thousand cycles only
    core.load_key(bytes(range(core.description.key_bytes)))
    intervals = {size.sector_bytes: size.interval for size in core.description.sizes}
    changes = []
    for old, new in product(sizes, sizes):
        core.run([Sector(bytes(core.tweak_bytes), bytes(size)) for size in [old] * RUN + [new] * RUN])
        distance = core.status_cycles[RUN] - core.status_cycles[RUN - 1]
        changes.append({"from": old, "to": new, "distance": distance, "cost": distance - intervals[new]})
    return {"mode": mode, "intervals": intervals, "changes": changes}


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mode", nargs="?")
    parser.add_argument("sizes", nargs="?", default="512,520,4096")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    cores = [(options.mode, tuple(map(int, options.sizes.split(","))))] if options.mode else CORES
    results = [measure(mode, sizes) for mode, sizes in cores]
    for result in results:
        print(json.dumps(result))
    if options.store:
        STORED.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
