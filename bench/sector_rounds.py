#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of sectors with each form of small cipher cores, beside their bounds.

::

    python bench/sector_rounds.py                     # XTS and HCTR2 at 512 bytes
    python bench/sector_rounds.py heh-brw --sector 4096
    python bench/sector_rounds.py xts --target xc7    # with areas; some minutes per core
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from modeloom.compiler.compile import Compiled, compile_mode  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit import emit  # noqa: E402
from modeloom.measure.area import measure_core  # noqa: E402
from modeloom.modes import find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402

FORMS: dict[str, dict[str, Any]] = {
    "--cipher-arch sequential --cipher-stages 1": {"cipher_arch": "sequential", "cipher_stages": 1},
    "--cipher-arch multistream --streams 1": {"cipher_arch": "multistream", "streams": 1},
    "--cipher-arch sequential --cipher-stages 4": {"cipher_arch": "sequential", "cipher_stages": 4},
    "--cipher-arch multistream --streams 4": {"cipher_arch": "multistream", "streams": 4},
}


def area(compiled: Compiled, target: str) -> list[str]:
    """LUTs of logic and as memory, registers and levels of a core, as ``modeloom synth`` gives them."""
    with tempfile.TemporaryDirectory() as place:
        emit(SectorCore(compiled), Path(place) / "core", command="bench/sector_rounds.py")
        found = measure_core(Path(place) / "core", target, blocks=False)
    memories = found["memories"]
    return [str(number) for number in (found["luts"], memories["lutram_luts"] + memories["srl_luts"], found["ffs"], found["levels"])]


def main(argv: list[str] | None = None) -> int:
    """Prints a row for each mode and form."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modes", nargs="*", default=["xts", "hctr2"])
    parser.add_argument("--sector", type=int, default=512)
    parser.add_argument("--target", help="also the area of each core on this target")
    options = parser.parse_args(argv)
    sizes = ["LUTs", "LUT memory", "registers", "levels"] if options.target else []
    heads = ["mode", "options", "cycles per sector", "bound", "latency", "bound", *sizes]
    print("| " + " | ".join(heads) + " |\n|---|---|" + "---:|" * (len(heads) - 2))
    for mode in options.modes:
        for text, form in FORMS.items():
            compiled = compile_mode(find(mode), Options(sector=options.sector, **form))
            figures = compiled.explain()
            cells = [str(figures[name]) for name in ("ii", "ii_bound", "latency", "latency_bound")]
            cells += area(compiled, options.target) if options.target else []
            print(f"| {mode} | `{text}` | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
