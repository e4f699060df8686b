# SPDX-License-Identifier: Apache-2.0
"""Measures what of ours stands beside Tables 2 to 8 of luts2017: area and cycles of circuits and cores.

Run: python bench/papers_luts2017.py [--store] [--missing] [--only TEXT]                              (from the folder of the project)

The commands are those of ``modeloom_papers.rounds``: "circuit NAME … --target T" or "build MODE … --target T".  One JSON object a row, as
it comes.  ``--store`` puts each into ``src/modeloom_papers/measured/rounds.json``, in the place of what was known of it; ``--missing``
measures only what is not stored, and ``--only`` only commands that have this text.  ``modeloom papers luts2017`` shows the tables, and
``python tools/readme.py`` makes docs/papers.md of them.  Round cores take half a minute each, pipelines and cores some minutes.

On targets with LUTs, the whole design is flattened, because LUT-FF pairs do not add up across borders.  A core is mapped a second time, for
the figures of its blocks, and its pipeline with the cipher and its key schedule are mapped alone.  In cells it is mapped block by block
only, as for Table 4.1 of gcm2008.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from modeloom.measure.area import measure_blocks, measure_circuit, measure_core, measure_part
from modeloom.product.folder import read_description
from modeloom_papers.rounds import subjects
from modeloom_papers.thesis import CELLS

ROOT = Path(__file__).resolve().parents[1]

STORED = ROOT / "src" / "modeloom_papers" / "measured" / "rounds.json"

BLOCK_BYTES = 16

PARTS = {"pipeline with its cipher": "core.bus.pipeline", "key schedule": "core.bus.key_schedule"}
"""What the design of the paper has of a core.  Each is mapped alone, and its pairs are counted."""


def options_of(words: list[str]) -> dict[str, str]:
    """The options of a command by their names in Python.  Each has a value."""
    flags, values = words[::2], words[1::2]
    return {flag.removeprefix("--").replace("-", "_"): value for flag, value in zip(flags, values, strict=True)}


def place_of(target: str) -> str:
    """The target as the functions that measure take it."""
    return f"liberty:{ROOT / 'bench' / 'pitches.lib'}" if target == CELLS else target


def _memory_luts(memories: dict[str, int]) -> int:
    return memories["lutram_luts"] + memories["srl_luts"]


def circuit(name: str, options: dict[str, str], target: str) -> dict[str, Any]:
    """A circuit.  Its batch has a block for each stream, so its cycles are the interval by the streams."""
    found = measure_circuit(name, target=place_of(target), gates=False, **options)
    about = {"registers": found["ffs"], "levels": found["levels"], "cycles": found["interval"] / found.get("streams", 1)}
    if target == CELLS:
        return {"gates": round(found["area_nand2"]), **about, "yosys": found["tools"]["yosys"]}
    return {
        "luts": found["luts"] + _memory_luts(found["memories"]), "pairs": found["pairs"],
        "block_rams": found["memories"]["bram_cells"], **about, "yosys": found["tools"]["yosys"],
    }  # fmt: skip


def core(arguments: list[str], target: str) -> dict[str, Any]:
    """A core and its blocks, with the cycles of a block of a stream at its highest rate."""
    with tempfile.TemporaryDirectory(prefix="modeloom-papers-") as work:
        folder = Path(work) / "core"
        build = [sys.executable, "-m", "modeloom.cli", "build", *arguments, "-o", str(folder)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        rate = read_description(folder).rates[0]
        about = {"cycles": rate.interval * BLOCK_BYTES / rate.bytes}
        if target == CELLS:
            mapped = measure_blocks(folder, place_of(target))
            sizes = {name: {"gates": round(each.area or 0), "registers": each.ffs} for name, each in mapped.blocks.items()}
            figures = {"gates": round(mapped.total.area or 0), "registers": mapped.total.ffs}
            return {**figures, **about, "yosys": mapped.tools["yosys"], "blocks": sizes}
        found = measure_core(folder, target)
        parts = {name: measure_part(folder, path, target) for name, path in PARTS.items()}
    return {
        "luts": found["luts"] + _memory_luts(found["memories"]), "pairs": found["pairs"], "registers": found["ffs"],
        "levels": found["levels"], "block_rams": found["memories"]["bram_cells"], **about, "yosys": found["tools"]["yosys"],
        "blocks": {
            name: {"luts": each["luts"] + _memory_luts(each["memories"]), "registers": each["ffs"]}
            for name, each in found["blocks"].items()
        },
        "parts": {
            name: {"luts": each["luts"] + _memory_luts(each["memories"]), "registers": each["ffs"], "pairs": each["pairs"]}
            for name, each in parts.items()
        },
    }  # fmt: skip


def measure(command: str) -> dict[str, Any]:
    """The row of a command."""
    text, flag, target = command.partition(" --target ")
    kind, *words = shlex.split(text)
    if not flag or not words or kind not in ("circuit", "build"):
        raise ValueError(f"{command}: not a circuit or core with a target")
    found = circuit(words[0], options_of(words[1:]), target) if kind == "circuit" else core(words, target)
    cycles = found["cycles"]
    return {"name": command, **found, "cycles": int(cycles) if cycles == int(cycles) else round(cycles, 3)}


def known() -> dict[str, dict[str, Any]]:
    """What is stored, by command."""
    return {row["name"]: row for row in json.loads(STORED.read_text(encoding="utf-8"))} if STORED.is_file() else {}


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored.  Rows that no table asks for any longer are dropped."""
    every = {**known(), row["name"]: row}
    kept = [every[name] for name in subjects() if name in every]
    partial = STORED.with_suffix(".json.partial")
    partial.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")
    os.replace(partial, STORED)


def main(arguments: list[str]) -> None:
    """Measures what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args(arguments)
    stored = known() if options.missing else {}
    wanted = [command for command in subjects() if options.only in command]
    if not wanted:
        parser.error(f"no command has {options.only!r}; there are {', '.join(subjects())}")
    for command in wanted:
        if command not in stored:
            row = measure(command)
            print(json.dumps(row), flush=True)
            if options.store:
                store(row)


if __name__ == "__main__":
    main(sys.argv[1:])
