# SPDX-License-Identifier: Apache-2.0
"""Seconds of compilation and proof, and the figures that come out.

Run: python bench/compile_time.py [--blocks 32,256] [--aes 1,2,4,8] [MODE ...]

One JSON object a line.  ``seconds`` is the time of the processor, which does not depend on what else runs; ``latency_plain`` is the
latency of a schedule that does not overlap sectors (with --plain).
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.modulo import schedule

MODES = ("hctr2", "heh-brw", "hmch-brw", "heh-poly", "hmch-poly")

SIZES = (512, 520, 528, 4096, 4104, 4160, 4224)
"""Bytes of a sector with --sizes; those with a partial block where the mode has them."""

FIGURES = ("ii", "ii_bound", "latency", "latency_bound", "latency_pins", "storage_blocks", "storage_bound", "proved")


def measure(mode: str, changes: dict[str, Any], plain: bool = False) -> dict[str, Any]:
    """Time of each step in seconds, and the figures that came out."""
    steps: dict[str, float] = {}

    def begun(step: str, _: float) -> None:
        steps.setdefault(step, time.process_time())

    start = time.process_time()
    compiled = compile_mode(find(mode), Options().but(**changes), progress=begun)
    end = time.process_time()
    figures = compiled.explain()
    times = [*steps.values(), end]
    result = {
        "mode": mode,
        **changes,
        "seconds": round(end - start, 2),
        "steps": {name: round(b - a, 2) for name, a, b in zip(steps, times, times[1:])},
        **{key: figures[key] for key in FIGURES},
    }
    if plain:
        result["latency_plain"] = schedule(compiled.schedule.problem, overlap=False, restarts=Options().restarts).latency
    return result


def numbers(text: str) -> list[int]:
    """Numbers separated by commas."""
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--blocks", type=numbers, default=[32, 256], help="blocks of a sector")
    parser.add_argument("--sizes", action="store_true", help="sector sizes around 512 and 4096 bytes instead")
    parser.add_argument("--aes", type=numbers, default=[1, 2, 4, 8], help="pipelines")
    parser.add_argument("--plain", action="store_true", help="also without overlapping")
    chosen = parser.parse_args()
    for nbytes in SIZES if chosen.sizes else [16 * n for n in chosen.blocks]:
        for aes in chosen.aes:
            for name in chosen.modes:
                if nbytes % find(name).block_bytes == 0 or find(name).partial:
                    print(json.dumps(measure(name, {"sector": nbytes, "aes": aes}, chosen.plain)), flush=True)
