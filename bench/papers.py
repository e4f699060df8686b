# SPDX-License-Identifier: Apache-2.0
"""Measures what of ours stands beside the papers' tables: schedules, cycles at the pins, areas, software.

Run: python bench/papers.py [--store] [--missing] [--list] [--only KIND,...] [--mode M,...] [--preset P,...] [--target T,...]
                            [--plain | --overlapped]

Kinds are ``schedules`` (seconds to minutes each), ``cores`` (compiles, proves, emits, and runs the plain Verilog bench; needs Icarus
Verilog), ``areas`` (Yosys, by blocks, about a minute each) and ``software`` (AES-NI of OpenSSL, seconds).  One JSON object a row, as it
comes.  ``--store`` puts each into ``src/modeloom_papers/measured/KIND.json`` at once, in the place of what was known of it, so that a run
can be stopped and continued with ``--missing``, and several can store at a time.  ``--list`` only says what would be measured.
``python tools/readme.py`` makes docs/papers.md of what is stored.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench")]

import papers_software  # noqa: E402

from modeloom.compiler.compile import Compiled, compile_mode  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit import emit, run_bench  # noqa: E402
from modeloom.measure.area import KnownBlocks, measure_blocks  # noqa: E402
from modeloom.modes import find  # noqa: E402
from modeloom.rtl.engine.layout import engine_fields  # noqa: E402
from modeloom_papers.ours import (  # noqa: E402
    Core,
    area_key,  # noqa: E402
    areas,
    cores,
    schedules,
)
from modeloom_papers.stored import KINDS  # noqa: E402

STORED = ROOT / "src" / "modeloom_papers" / "measured"

BLOCKS = KnownBlocks()
"""Blocks that are mapped already: the modes of a table share their AES pipelines and multipliers."""

EXPLAINED = (
    "cycles_per_sector", "latency", "latency_bound", "first_output", "ii", "ii_bound", "optimal", "uses", "storage_blocks", "storage_bound",
    "input_blocks", "output_blocks", "key_words", "setup_cycles", "proved",
)  # fmt: skip
"""What is kept of ``explain``."""


@cache
def compiled(core: Core) -> Compiled:
    """The core's program, proved."""
    return compile_mode(find(core.mode), core.options())


@cache
def work() -> tempfile.TemporaryDirectory[str]:
    """A folder for cores, until the end."""
    return tempfile.TemporaryDirectory(prefix="modeloom-papers-")


@cache
def emitted(core: Core) -> Path:
    """The folder of the core."""
    folder = Path(work().name) / core.arguments.replace(" ", "_")
    emit(SectorCore(compiled(core)), folder, command=f"modeloom build {core.arguments}")
    return folder


def schedule(core: Core) -> dict[str, Any]:
    """Figures of ``explain``, number of units, size of the control store (words and bits of a word) and registers of masks."""
    done = compiled(core)
    figures = done.explain()
    columns = engine_fields(done.core_program).columns
    return {
        **{name: figures[name] for name in EXPLAINED},
        "pipelines": done.options.aes,
        "multipliers": figures["units"].get("mul", {"count": 0})["count"],
        "control_rows": columns.rows,
        "control_bits": len(columns.columns),
        "mask_registers": len(done.allocation.program.chains),
    }


def area(core: Core, target: str) -> dict[str, Any]:
    """LUTs (logic; memory and shift registers), registers and block memories on a target, and the LUTs of each block."""
    found = measure_blocks(emitted(core), target, known=BLOCKS)
    memories = found.total.memories
    return {
        "target": target,
        "luts": found.total.luts,
        "lut_memory": memories["lutram_luts"] + memories["srl_luts"],
        "registers": found.total.ffs,
        "block_rams": memories["bram_cells"],
        "blocks": {name: figures.luts for name, figures in found.blocks.items()},
        "yosys": found.tools["yosys"],
    }


def rows(kind: str) -> list[tuple[str, Core | None, str | None]]:
    """Name, core and target of every row of a kind, in the order in which they are stored."""
    if kind == "software":
        return [(name, None, None) for name in papers_software.MEASURED]
    if kind == "areas":
        return [(area_key(core, target), core, target) for core, target in areas()]
    return [(core.arguments, core, None) for core in (cores() if kind == "cores" else schedules())]


def measure(kind: str, name: str, core: Core | None, target: str | None) -> dict[str, Any]:
    """One row."""
    if core is None:
        return {"name": name, **papers_software.measure(name)}
    about = {"name": name, "mode": core.mode, "preset": core.preset, "overlap": core.overlap}
    if kind == "schedules":
        return {**about, **schedule(core)}
    if kind == "cores":
        return {**about, **run_bench(emitted(core))}
    assert target is not None
    return {**about, **area(core, target)}


def known(kind: str) -> dict[str, dict[str, Any]]:
    """What is stored of a kind, by name."""
    path = STORED / f"{kind}.json"
    return {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}


def store(kind: str, row: dict[str, Any]) -> None:
    """Puts a row among those that are stored; what is no longer asked for goes."""
    folder = os.open(STORED, os.O_RDONLY)
    try:
        # Another run may store at the same time.
        fcntl.flock(folder, fcntl.LOCK_EX)
        every = {**known(kind), row["name"]: row}
        kept = [every[name] for name, *_ in rows(kind) if name in every]
        partial = STORED / f".{kind}.json.partial"
        partial.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")
        os.replace(partial, STORED / f"{kind}.json")
    finally:
        os.close(folder)


def chosen(options: argparse.Namespace) -> Iterator[tuple[str, str, Core | None, str | None]]:
    """Kind and row of everything that is asked for; what one core needs comes together."""
    found = []
    for kind in options.only:
        stored = known(kind) if options.missing else {}
        for name, core, target in rows(kind):
            if name in stored or core is None and (options.mode or options.preset or options.overlap is not None):
                continue
            if core is not None and (
                options.mode and core.mode not in options.mode
                or options.preset and core.preset not in options.preset
                or options.overlap is not None and core.overlap != options.overlap
            ):
                continue
            if options.target and target is not None and target not in options.target:
                continue
            found.append((kind, name, core, target))
    order = {core: number for number, core in enumerate(schedules())}
    yield from sorted(found, key=lambda row: -1 if row[2] is None else order[row[2]])


def main(arguments: list[str]) -> None:
    """Measures what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    several: dict[str, Any] = {"type": lambda text: text.split(","), "default": []}
    parser.add_argument("--only", **{**several, "default": list(KINDS)}, metavar="KIND,...", help=", ".join(KINDS))
    parser.add_argument("--mode", **several, metavar="MODE,...")
    parser.add_argument("--preset", **several, metavar="PRESET,...")
    parser.add_argument("--target", **several, metavar="TARGET,...")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--plain", dest="overlap", action="store_const", const=False)
    which.add_argument("--overlapped", dest="overlap", action="store_const", const=True)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    if wrong := [kind for kind in options.only if kind not in KINDS]:
        parser.error(f"no kind is called {wrong[0]}; there are {', '.join(KINDS)}")
    for row in chosen(options):
        if options.list:
            print(*row[:2])
            continue
        result = measure(*row)
        print(json.dumps(result), flush=True)
        if options.store:
            store(row[0], result)


if __name__ == "__main__":
    main(sys.argv[1:])
