# SPDX-License-Identifier: Apache-2.0
"""Area and rate of every authenticated encryption mode on three kinds of ciphers, for docs/aead.md and ``modeloom aead``.

Run: python bench/aead.py [--mode NAME,...] [--architecture NAME,...] [--target NAME,...] [--missing] [--store]   (minutes per core)

One JSON object for each measurement, as it comes.  ``--store`` writes it into ``src/modeloom/measure/measured/aead.json``, in the place
of what was known of it; ``tools/readme.py`` and ``tools/plots.py`` make the tables and the picture of docs/aead.md.  ``--missing``
measures only what is not stored.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from modeloom.measure.aead import ARCHITECTURES, TARGETS, measure_area, measure_rate, modes, place

STORED = Path(__file__).resolve().parents[1] / "src" / "modeloom" / "measure" / "measured" / "aead.json"


def known() -> dict[tuple[str, str], dict[str, Any]]:
    """The rows that are stored, by mode and architecture."""
    rows = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    return {place(row): row for row in rows}


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored; the areas of other targets stay."""
    every = {**known(), place(row): row}
    kept = [every[mode, architecture] for mode in modes() for architecture in ARCHITECTURES if (mode, architecture) in every]
    STORED.parent.mkdir(exist_ok=True)
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


def measure(mode: str, architecture: str, targets: list[str], *, missing: bool, keep: bool) -> None:
    """Measures a core: its rate, and its area on each target.  Prints and stores each as it comes."""
    before = known().get((mode, architecture))
    # A core that was refused may be built today.
    row = before if missing and before and "refused" not in before else measure_rate(mode, architecture)
    if row is not before:
        row = {**row, **({"areas": before["areas"]} if before and "areas" in before and "areas" in row else {})}
        print(json.dumps(row), flush=True)
        if keep:
            store(row)
    for target in [] if "refused" in row else targets:
        if missing and target in row["areas"]:
            continue
        area = measure_area(mode, architecture, target)
        row = {**row, "areas": {**row["areas"], target: area}}
        print(json.dumps({"mode": mode, "architecture": architecture, "target": target, **area}), flush=True)
        if keep:
            store(row)


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = {"mode": modes(), "architecture": list(ARCHITECTURES), "target": list(TARGETS)}
    for option, every in choices.items():
        parser.add_argument(f"--{option}", default=",".join(every), help=f"some of {', '.join(every)} (default: all)")
    parser.add_argument("--missing", action="store_true", help="measure only what is not stored")
    parser.add_argument("--store", action="store_true", help="write the rows into src/modeloom/measure/measured/aead.json")
    arguments = vars(parser.parse_args())
    chosen = {option: arguments[option].split(",") for option in choices}
    for option, every in choices.items():
        for name in chosen[option]:
            if name not in every:
                parser.error(f"unknown {option} {name!r}; choose some of {', '.join(every)}")
    for mode in chosen["mode"]:
        for architecture in chosen["architecture"]:
            measure(mode, architecture, chosen["target"], missing=arguments["missing"], keep=arguments["store"])


if __name__ == "__main__":
    main()
