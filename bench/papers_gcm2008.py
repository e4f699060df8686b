# SPDX-License-Identifier: Apache-2.0
"""Measures what of ours stands beside chapter 4 of gcm2008: areas of cores of GCM, and what a new key at every packet costs.

Run: python bench/papers_gcm2008.py [--store] [--missing] [--only KIND,...] [--target T,...]          (from the folder of the project)

Kinds are ``variants`` (Yosys, by blocks, minutes each) and ``key_changes`` (simulations, a minute).  One JSON object a row, as it comes.
``--store`` puts each into ``src/modeloom_papers/measured/KIND.json``, in the place of what was known of it; ``--missing`` measures only
what is not stored.  ``modeloom papers gcm2008`` shows the tables, and ``python tools/readme.py`` makes docs/papers.md of them.

The cells of Table 4.1 are those of ``bench/pitches.lib``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench")]

from modeloom.compiler.streams import StreamOptions, compile_stream  # noqa: E402
from modeloom.cores.stream import StreamCore  # noqa: E402
from modeloom.emit import emit  # noqa: E402
from modeloom.measure.area import KnownBlocks, measure_blocks  # noqa: E402
from modeloom.measure.traffic import (  # noqa: E402
    MIXES,
    Mix,
    Size,
    measure_traffic,  # noqa: E402
)
from modeloom.modes.gcm import GCM  # noqa: E402
from modeloom.product.simulated_messages import SimulatedStreamCore  # noqa: E402
from modeloom_papers.agility import lost_cycles, percent  # noqa: E402
from modeloom_papers.stored import MESSAGE_KINDS  # noqa: E402
from modeloom_papers.thesis import CELLS, DESIGNS, MIX, SIZES, Variant, change_key, variants  # noqa: E402  # noqa: E402

STORED = ROOT / "src" / "modeloom_papers" / "measured"

BLOCKS = KnownBlocks()
"""Blocks that are mapped already: the cores of a target share their AES pipelines and multipliers."""

PACKETS = 40
"""Packets of a run of one size."""

OURS: dict[str, dict[str, Any]] = {
    "ours, key slots": {"key_slots": 4, "key_bits": 128},
    "ours, keys inline": {"keys": "inline", "key_bits": 256},
}
"""Options of our cores for the changes of keys, by design.  A core with slots has the same cycles for keys of all sizes, and
keys of 256 bits take the longest where they come with messages."""

FEW_REGISTERS = {"cipher_stages": 1, "mul_stages": 1}
"""The outer pipeline of gcm2008; cores with key slots have the same cycles with more registers."""


def area(core: Variant, target: str) -> dict[str, Any]:
    """Gates, or LUTs, registers and block memories, of the whole core and of each block."""
    with tempfile.TemporaryDirectory(prefix="modeloom-papers-") as work:
        folder = Path(work) / "core"
        emit(StreamCore(compile_stream(GCM(), core.options())), folder, command=f"modeloom build {core.arguments}")
        place = f"liberty:{ROOT / 'bench' / 'pitches.lib'}" if target == CELLS else target
        found = measure_blocks(folder, place, known=BLOCKS, narrow=core.narrow(target))
    total, memories = found.total, found.total.memories
    about = {"target": target, "registers": total.ffs, "yosys": found.tools["yosys"]}
    if target == CELLS:
        sizes = {name: round(figures.area or 0) for name, figures in found.blocks.items()}
        return {**about, "gates": round(total.area or 0), "blocks": sizes}
    if found.narrow:
        about["without_wide_multiplexers"] = list(found.narrow)
    return {
        **about, "luts": total.luts, "lut_memory": memories["lutram_luts"] + memories["srl_luts"], "block_rams": memories["bram_cells"],
        "blocks": {name: figures.luts for name, figures in found.blocks.items()},
    }  # fmt: skip


@cache
def simulated(design: str) -> tuple[SimulatedStreamCore, Path]:
    """A core of ours and its folder, until the end."""
    folder = Path(work().name) / design.replace(", ", "_").replace(" ", "_")
    emit(StreamCore(compile_stream(GCM(), StreamOptions(**OURS[design], **FEW_REGISTERS))), folder, command="modeloom build gcm")
    return SimulatedStreamCore(folder, optimize=0), folder


@cache
def work() -> tempfile.TemporaryDirectory[str]:
    """A folder until the end."""
    return tempfile.TemporaryDirectory(prefix="modeloom-papers-")


def key_change(design: str, size: int | None) -> dict[str, Any]:
    """Packets of one size, or of the mix, with a new key each: percent of the peak by equation (4.1), and the most lost cycles."""
    mix = MIXES[MIX] if size is None else Mix(str(size), (Size(size, 1),), "one size")
    count = 2 * mix.round if size is None else PACKETS
    about = {"design": design, "bytes": size, "packets": count}
    latency = DESIGNS[design]
    if latency is None:
        core, folder = simulated(design)
        return {**about, "percent": measure_traffic(core, folder, mix, packets=count)["percent_as_gcm2008"]}
    sizes = [packet.nbytes for packet in mix.packets(count, random.Random(1))]
    lost = lost_cycles(sizes, latency)
    shares = [percent(nbytes, cycles) for nbytes, cycles in zip(sizes, lost, strict=True)]
    return {**about, "least_lost": min(lost), "most_lost": max(lost), "percent": round(sum(shares) / count, 4)}


def names(kind: str) -> list[str]:
    """The rows of a kind in the order in which they are stored."""
    if kind == "variants":
        return [f"{core.arguments} --target {target}" for core, target in variants()]
    return [change_key(design, size) for design in DESIGNS for size in (None, *SIZES)]


def rows(kinds: list[str], targets: list[str], skip: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measures what is asked for."""
    for kind in kinds:
        stored = known(kind) if skip else {}
        if kind == "variants":
            for core, target in variants():
                name = f"{core.arguments} --target {target}"
                if name not in stored and (not targets or target in targets):
                    yield kind, {"name": name, **area(core, target)}
        else:
            for design in DESIGNS:
                for size in (None, *SIZES):
                    if change_key(design, size) not in stored:
                        yield kind, {"name": change_key(design, size), **key_change(design, size)}


def known(kind: str) -> dict[str, dict[str, Any]]:
    """What is stored of a kind, by name."""
    path = STORED / f"{kind}.json"
    return {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}


def store(kind: str, row: dict[str, Any]) -> None:
    """Puts a row among those that are stored; what is no longer asked for goes."""
    every = {**known(kind), row["name"]: row}
    kept = [every[name] for name in names(kind) if name in every]
    partial = STORED / f".{kind}.json.partial"
    partial.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")
    os.replace(partial, STORED / f"{kind}.json")


def main(arguments: list[str]) -> None:
    """Measures what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(MESSAGE_KINDS), metavar="KIND,...")
    parser.add_argument("--target", default="", metavar="TARGET,...")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args(arguments)
    kinds = options.only.split(",")
    if wrong := [kind for kind in kinds if kind not in MESSAGE_KINDS]:
        parser.error(f"no kind is called {wrong[0]}; there are {', '.join(MESSAGE_KINDS)}")
    for kind, row in rows(kinds, options.target.split(",") if options.target else [], options.missing):
        print(json.dumps(row), flush=True)
        if options.store:
            store(kind, row)


if __name__ == "__main__":
    main(sys.argv[1:])
