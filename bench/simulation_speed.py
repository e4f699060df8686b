# SPDX-License-Identifier: Apache-2.0
"""MB/s of the simulation of an emitted core on one processor core.  Run: python bench/simulation_speed.py [MODE]"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.product.simulated import Sector, SimulatedCore

SECTORS = 4096


def measure(mode: str) -> dict:
    """Compiles the simulation (or takes it from the cache) and runs sectors of both directions back to back."""
    rng = random.Random(1)
    compiled = compile_mode(find(mode), Options())
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(SectorCore(compiled), folder, command=f"modeloom build {mode}")
        start = time.perf_counter()
        core = SimulatedCore(folder)
        ready = time.perf_counter()
        core.load_key(rng.randbytes(core.description.key_bytes))
        jobs = [
            Sector(rng.randbytes(core.tweak_bytes), rng.randbytes(core.sector_bytes), rng.random() < 0.5) for _ in range(SECTORS)
        ]
        first, begin, cpu = core.cycles, time.perf_counter(), time.process_time()
        core.run(jobs)
        seconds, used = time.perf_counter() - begin, time.process_time() - cpu
        cycles = core.cycles - first
    return {
        "mode": mode,
        "sector_bytes": compiled.source.nbytes,
        "sectors": SECTORS,
        "cycles": cycles,
        "build_seconds": round(ready - start, 1),
        "seconds": round(seconds, 3),
        "cpu_seconds": round(used, 3),
        "megabytes_a_second": round(SECTORS * compiled.source.nbytes / used / 1e6, 2),
        "kilocycles_a_second": round(cycles / used / 1e3, 1),
    }


if __name__ == "__main__":
    for name in sys.argv[1:] or ["hctr2", "heh-brw"]:
        print(json.dumps(measure(name)))
