# SPDX-License-Identifier: Apache-2.0
"""Area and depth of the S-boxes and of MixColumns on every target.

Run: python bench/sbox_area.py [CIRCUIT ...] [--target xc6v,gates] [--store]

For each circuit, in the forms that its options give: ``and``, ``xor``, ``total`` and ``depth`` of its own structure, and for each target
LUTs, levels and registers, or gates, as Yosys maps it.  ``--store`` writes ``baselines/sboxes.json``; all of them take about a quarter of
an hour of one core.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.circuits import find_circuit
from modeloom.synth import synthesize

STORED = Path(__file__).resolve().parents[1] / "baselines" / "sboxes.json"

TARGETS = ("xc6v", "xc7", "xc5v", "ecp5", "gates")

CIRCUITS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((f"{prefix}sbox-{kind}", {}) for kind in ("lut", "bram", "composite", "bdd", "compact") for prefix in ("", "inv-")),
    *((f"sbox-{kind}", {"direction": "shared"}) for kind in ("lut", "bram", "composite", "bdd", "compact")),
    ("mixcolumns", {}),
    ("inv-mixcolumns", {}),
    ("inv-mixcolumns", {"levels": 3}),
    ("mixcolumns", {"direction": "shared"}),
)


def command(name: str, options: dict[str, Any]) -> str:
    """What asks for the circuit."""
    return " ".join([f"modeloom circuit {name}", *(f"--{option} {value}" for option, value in options.items())])


def measure(name: str, options: dict[str, Any], targets: tuple[str, ...]) -> dict[str, Any]:
    """The figures of one circuit."""
    built = find_circuit(name).build(**options)
    entry: dict[str, Any] = {"command": command(name, options), "circuit": name, "options": options, "latency": built.component.latency}
    if built.gates is not None:
        entry |= {"and": built.gates.ands, "xor": built.gates.xors, "total": built.gates.total, "depth": built.gates.depth}
    entry["targets"] = {}
    for target in targets:
        if target == "gates" and "bram" in name:
            continue  # a table in block memory has no gates
        result = synthesize(rtlil.convert(built.component, name="circuit"), "circuit", target)
        figures: dict[str, Any] = {"levels": result.levels, "ffs": result.ffs}
        if result.gates is not None:
            figures |= {"gates": result.gates, "nand2": result.area}
        else:
            figures |= {"luts": result.luts, "block_rams": result.memories["bram_cells"]}
        entry["targets"][target] = figures
    return entry


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("circuits", nargs="*", metavar="CIRCUIT")
    parser.add_argument("--target", type=lambda text: tuple(text.split(",")), default=TARGETS)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    results = []
    for name, chosen in CIRCUITS:
        if not options.circuits or name in options.circuits:
            results.append(measure(name, chosen, options.target))
            print(json.dumps(results[-1]), flush=True)
    if options.store:
        STORED.write_text("[\n" + ",\n".join(f" {json.dumps(result)}" for result in results) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
