# SPDX-License-Identifier: Apache-2.0
"""Seconds of compilation and proof for 32- and 64-block modes.  Run: python bench/compile_time.py"""

from __future__ import annotations

import json
import time

from modeloom.compiler import compile_mode
from modeloom.modes import find
from modeloom.options import Options

CASES = [("hctr2", {}), ("hctr2", {"tweak": 32}), ("hctr2", {"sector": 520}), ("heh-brw", {}), ("heh-brw", {"key_bits": 256}),
         ("hctr2", {"sector": 1024}), ("heh-brw", {"sector": 1024})]  # fmt: skip


def measure(mode: str, changes: dict) -> dict:
    """Time of each step in seconds, and the figures that came out."""
    steps: list[tuple[str, float]] = []
    start = time.perf_counter()
    options = Options().but(**changes)
    compiled = compile_mode(find(mode), options, progress=lambda step: steps.append((step, time.perf_counter())))
    end = time.perf_counter()
    times = [at for _, at in steps] + [end]
    figures = compiled.explain()
    return {
        "mode": mode,
        **changes,
        "seconds": round(end - start, 2),
        "steps": {name: round(b - a, 2) for (name, a), b in zip(steps, times[1:])},
        **{key: figures[key] for key in ("ii", "ii_bound", "latency", "storage_blocks", "storage_bound", "proved")},
    }


if __name__ == "__main__":
    for mode, changes in CASES:
        print(json.dumps(measure(mode, changes)))
