# SPDX-License-Identifier: Apache-2.0
"""Measures cores for sectors of 4096 bytes with 1, 2, 4 and 8 AES pipelines: schedules, cycles at the pins, areas, clocks.

Run: python bench/scaling.py [--store] [--missing] [--list] [--only KIND,...] [--mode M,...] [--aes N,...] [--target T,...]
                             [--placer heap|static] [--router router1|router2] [--limit MINUTES]

Kinds are ``schedules`` (compiles and proves), ``cores`` (the plain Verilog bench of the emitted core; needs Icarus Verilog), ``areas``
(Yosys, mapped by blocks: equal pipelines and multipliers are mapped once, and counted each) and ``clocks`` (place and route on ECP5;
minutes to hours each, and only if it is named).  All of a row comes out of one core, which is
``modeloom build MODE --sector 4096 --aes N --aes-sbox bram --storage bram``.

One JSON object a row, as it comes.  ``--store`` puts each into ``baselines/scaling.json`` at once, in the place of what was known of
it, so that a run can be stopped and continued with ``--missing``; a clock goes to ``baselines/nextpnr-VERSION``, beside those of
``baselines/make.py``.  ``--list`` only says what would be measured.  ``python tools/readme.py`` makes the tables of docs/scaling.md.
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
sys.path[:0] = [str(ROOT / "baselines")]

from make import CLOCK  # noqa: E402
from make import store as store_routed  # noqa: E402

from modeloom.compiler.compile import Compiled, compile_mode  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit import emit, run_bench  # noqa: E402
from modeloom.measure.area import (  # noqa: E402
    KnownBlocks,  # noqa: E402
    measure_blocks,
    measure_core,
)
from modeloom.modes import find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402
from modeloom.synth import SynthesisError  # noqa: E402
from modeloom.synth.flow import PLACERS, ROUTERS  # noqa: E402

STORED = ROOT / "baselines" / "scaling.json"

KINDS = ("schedules", "cores", "areas", "clocks")

MODES = ("hctr2", "heh-brw", "eme2", "xts")

PIPELINES = (1, 2, 4, 8)

SECTOR = 4096

TARGETS = ("ecp5", "xc7")

EXPLAINED = (
    "cycles_per_sector", "ii", "ii_bound", "latency", "latency_bound", "latency_pins", "first_output", "optimal", "uses",
    "storage_blocks", "storage_bound", "input_blocks", "output_blocks", "key_words", "setup_cycles", "proved",
)  # fmt: skip
"""What is kept of ``explain``."""

Row = dict[str, Any]

Wanted = tuple[str, str, int, str | None]
"""Kind, mode, pipelines, target."""


@cache
def compiled(mode: str, aes: int) -> Compiled:
    """The core's program, proved."""
    return compile_mode(find(mode), Options(sector=SECTOR, cipher_cores=aes, cipher_sbox="bram", storage="bram"))


@cache
def work() -> tempfile.TemporaryDirectory[str]:
    """A folder for cores, until the end."""
    return tempfile.TemporaryDirectory(prefix="modeloom-scaling-")


def name_of(mode: str, aes: int, target: str | None = None) -> str:
    """A row's name: arguments of ``modeloom build``, and the target if it has one."""
    return f"{mode} --sector {SECTOR} --aes {aes} --aes-sbox bram --storage bram" + (f" --target {target}" if target else "")


@cache
def emitted(mode: str, aes: int) -> Path:
    """The folder of the core."""
    folder = Path(work().name) / f"{mode}_{aes}"
    emit(SectorCore(compiled(mode, aes)), folder, command=f"modeloom build {name_of(mode, aes)}")
    return folder


def schedule(mode: str, aes: int) -> Row:
    """Figures of ``explain`` and the number of multipliers."""
    figures = compiled(mode, aes).explain()
    return {**{name: figures[name] for name in EXPLAINED}, "multipliers": figures["units"].get("mul", {"count": 0})["count"]}


def area(mode: str, aes: int, target: str) -> Row:
    """Figures of the core on a target, mapped by blocks: the whole, and LUTs of each block."""
    found = measure_blocks(emitted(mode, aes), target, known=KnownBlocks())
    total = found.total
    return {
        "target": target,
        "luts": total.luts,
        "registers": total.ffs,
        **total.memories,
        "bram": {cell: count for cell, count in total.cells.items() if cell.startswith(("DP16KD", "PDPW16KD", "RAMB"))},
        "blocks": {name: block.luts for name, block in found.blocks.items()},
        "yosys": found.tools["yosys"],
    }


def routed_name(mode: str, aes: int) -> str:
    """The name under which the clock of a core is stored."""
    return f"{mode.replace('-', '_')}_{SECTOR}{f'_aes{aes}' if aes > 1 else ''}_bram"


def clock(mode: str, aes: int, placer: str, router: str, limit: float | None) -> Row:
    """What place and route makes of the core; raises ``SynthesisError`` if a tool takes longer than ``limit`` minutes."""
    return measure_core(
        emitted(mode, aes), "ecp5", pnr=True, freq=CLOCK, placer=placer, router=router, blocks=False,
        timeout=None if limit is None else 60 * limit,
    )  # fmt: skip


def measure(kind: str, mode: str, aes: int, target: str | None) -> Row:
    """One row."""
    about = {"name": name_of(mode, aes, target), "mode": mode, "aes": aes}
    if kind == "schedules":
        return {**about, **schedule(mode, aes)}
    if kind == "cores":
        return {**about, **run_bench(emitted(mode, aes))}
    assert target is not None
    return {**about, **area(mode, aes, target)}


def known() -> dict[str, list[Row]]:
    """What is stored, by kind."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}


def store(kind: str, row: Row) -> None:
    """Puts a row among those that are stored."""
    folder = os.open(STORED.parent, os.O_RDONLY)
    try:
        # Another run may store at the same time.
        fcntl.flock(folder, fcntl.LOCK_EX)
        every = {name: {each["name"]: each for each in rows} for name, rows in known().items()}
        every.setdefault(kind, {})[row["name"]] = row
        text = []
        for name in KINDS:
            order = [name_of(mode, aes, target) for each, mode, aes, target in rows_of(name) if each == name]
            kept = [f"  {json.dumps(every[name][one])}" for one in order if one in every.get(name, {})]
            text += [f' "{name}": [\n' + ",\n".join(kept) + "\n ]"] if kept else []
        partial = STORED.with_suffix(".partial")
        partial.write_text("{\n" + ",\n".join(text) + "\n}\n", encoding="utf-8")
        os.replace(partial, STORED)
    finally:
        os.close(folder)


def rows_of(kind: str) -> Iterator[Wanted]:
    """Every row of a kind, in the order in which they are stored."""
    for mode in MODES:
        for aes in PIPELINES:
            for target in TARGETS if kind == "areas" else (None,):
                yield kind, mode, aes, target


def chosen(options: argparse.Namespace) -> list[Wanted]:
    """Everything that is asked for, small cores first; what one core needs comes together."""
    stored = known() if options.missing else {}
    done = {(kind, row["name"]) for kind, rows in stored.items() for row in rows}
    found = []
    for kind in options.only:
        for wanted in rows_of(kind):
            _, mode, aes, target = wanted
            if kind == "clocks":
                present = options.missing and any(STORED.parent.glob(f"nextpnr-*/{routed_name(mode, aes)}.ecp5.json"))
            else:
                present = (kind, name_of(mode, aes, target)) in done
            if not present and mode in options.mode and aes in options.aes and (target is None or target in options.target):
                found.append(wanted)
    return sorted(found, key=lambda each: (each[2], MODES.index(each[1])))


def main(arguments: list[str]) -> None:
    """Measures what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    several: dict[str, Any] = {"type": lambda text: text.split(",")}
    parser.add_argument("--only", **several, default=KINDS[:-1], metavar="KIND,...", help=", ".join(KINDS))
    parser.add_argument("--mode", **several, default=MODES, metavar="MODE,...")
    parser.add_argument("--aes", type=lambda text: [int(part) for part in text.split(",")], default=PIPELINES, metavar="N,...")
    parser.add_argument("--target", **several, default=TARGETS[:1], metavar="TARGET,...")
    parser.add_argument("--placer", choices=PLACERS, default=PLACERS[-1], help="of a clock (%(default)s)")
    parser.add_argument("--router", choices=ROUTERS, default=ROUTERS[0], help="of a clock (%(default)s)")
    parser.add_argument("--limit", type=float, metavar="MINUTES", help="for each tool of a clock")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    for values, there in ((options.only, KINDS), (options.mode, MODES), (options.aes, PIPELINES), (options.target, TARGETS)):
        if wrong := [value for value in values if value not in there]:
            parser.error(f"there is no {wrong[0]} here, only {', '.join(map(str, there))}")
    for kind, mode, aes, target in chosen(options):
        if options.list:
            print(kind, name_of(mode, aes, target))
            continue
        if kind == "clocks":
            try:
                result = clock(mode, aes, options.placer, options.router, options.limit)
            except SynthesisError as error:
                print(f"{name_of(mode, aes)}: no clock: {error}", file=sys.stderr, flush=True)
                continue
            print(json.dumps({"name": name_of(mode, aes), "clock_mhz": result["clock_mhz"]}), flush=True)
            if options.store:
                store_routed("nextpnr", routed_name(mode, aes), "ecp5", result)
            continue
        result = measure(kind, mode, aes, target)
        print(json.dumps(result), flush=True)
        if options.store:
            store(kind, result)


if __name__ == "__main__":
    main(sys.argv[1:])
