# SPDX-License-Identifier: Apache-2.0
"""The bench of a core, in SystemVerilog, and running it with Icarus Verilog."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modeloom.cores.sector import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.emit.figures import interval_pins, latency_pins, overhead_pins
from modeloom.emit.packing import PACKING
from modeloom.emit.template import filled
from modeloom.emit.tools import CheckFailed, require, run
from modeloom.emit.vectors import BenchKey, BenchVectors, bench_vectors
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.description import ASSERT_MACRO
from modeloom.product.folder import read_description
from modeloom.rtl.bus.key_format import key_beats, key_last_keep
from modeloom.rtl.bus.parameters import BusParameters
from modeloom.version import VERSION

__all__ = ["bench_verilog", "run_bench"]


def _hex(data: bytes, bits: int) -> str:
    return f"{bits}'h{int.from_bytes(data, 'little'):0{-(-bits // 4)}x}"


def _assignments(vectors: BenchVectors, p: BusParameters) -> Iterator[str]:
    for number, key in enumerate(_keys(vectors)):
        yield f"key_slot[{number}] = {key.slot};"
        for i in range(key_beats(p)):
            yield f"key[{number * key_beats(p) + i}] = {_hex(key.key[KEY_BEAT_BYTES * i : KEY_BEAT_BYTES * (i + 1)], 8 * KEY_BEAT_BYTES)};"
    sent = wanted = 0

    def keep(value: int) -> str:
        return "{BEAT_BYTES{1'b1}}" if value == (1 << p.beat_bytes) - 1 else f"{p.beat_bytes}'h{value:x}"

    for number, sector in enumerate(vectors.sectors):
        yield f"command[{number}] = {_hex(sector.command, 8 * len(sector.command))};"
        for i, (beat, kept) in enumerate(sector.beats):
            last = int(i == len(sector.beats) - 1)
            yield f"sent[{sent}] = {_hex(beat, p.beat_bits)}; sent_keep[{sent}] = {keep(kept)}; sent_last[{sent}] = {last};"
            sent += 1
        places = [wanted]
        for beats in (sector.wanted, sector.renewed):
            for beat, kept in beats:
                yield f"wanted[{wanted}] = {_hex(beat, p.beat_bits)}; wanted_keep[{wanted}] = {keep(kept)};"
                wanted += 1
            places.append(wanted)
        yield f"code[{number}] = {sector.code}; changes[{number}] = {int(sector.changes)}; ends[{number}] = {sent};"
        yield f"want_from[{number}] = {places[0]}; want_to[{number}] = {places[1]}; renew_to[{number}] = {places[2]};"


def _keys(vectors: BenchVectors) -> list[BenchKey]:
    return [*vectors.keys, *([vectors.refused] if vectors.refused else [])]


def _limit(compiled: Any, vectors: BenchVectors) -> int:
    """Cycles after which the bench gives up."""
    setup = sum(one.setup_schedule.latency for one in compiled.sizes) + key_erase_cycles(compiled) + 1000
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    return 2000 + 6 * erase_cycles(compiled) + 30 * setup + 4 * (len(vectors.sectors) + 20) * (longest + 100)


def bench_verilog(compiled: Any, name: str) -> str:
    """Text of the bench."""
    p = bus_parameters(compiled)
    vectors = bench_vectors(compiled)
    schedule = compiled.schedule
    beats = [len(sector.beats) for sector in vectors.sectors]
    phases = vectors.phases
    width = max(map(len, phases))
    refused = "wrong_key(KEYS - 1, KEY_BEATS, KEY_LAST_KEEP, key_slot[KEYS - 1]);" if vectors.refused else ""
    values = {
        **PACKING,
        "NAME": name,
        "VERSION": VERSION,
        "BEAT_BITS": p.beat_bits,
        "BEAT_BYTES": p.beat_bytes,
        "COMMANDS": len(vectors.sectors),
        "SENT": sum(beats),
        "WANTED": sum(len(sector.wanted) + len(sector.renewed) for sector in vectors.sectors),
        "KEYS": len(_keys(vectors)),
        "KEY_BEATS": key_beats(p),
        "SLOTS": p.key_slots,
        "USED": len({key.slot for key in vectors.keys}),
        "KEY_LAST_KEEP": f"{KEY_BEAT_BYTES}'h{key_last_keep(p):x}",
        "INTERVAL": interval_pins(compiled),
        "LATENCY": schedule.latency,
        "OVERHEAD": overhead_pins(compiled),
        "OVERLAP": int(compiled.options.overlap),
        "ERASE_CYCLES": erase_cycles(compiled),
        "LIMIT": _limit(compiled, vectors),
        "PHASES": "\n".join(f"localparam PHASE_{phase.upper():<{width}} = {end};" for phase, end in phases.items()),
        "FIRST_STEADY": (phases["burst"] - phases["empty"]) // 2,
        "SENT_BEFORE": sum(beats[: phases["burst"]]),
        "REFUSED": refused,
        "VECTORS": "\n".join(_assignments(vectors, p)),
    }
    return filled("bench.sv", values)


def run_bench(directory: str | Path) -> dict[str, int]:
    """Runs the bench of a built core with Icarus Verilog.

    Returns
    -------
    dict
        The bench's figures: ``sectors``, ``cycles_per_sector``, ``interval``, ``latency``, ``latency_pins``; cycles.

    Raises
    ------
    CheckFailed
        If the bench does not compile, finds an error, or finds other figures than ``core.json`` states.
    ToolMissing
        If Icarus Verilog is not installed.
    """
    description = read_description(directory)
    name, files = description.name, description.files
    compiler, simulator = require("iverilog"), require("vvp")
    here = Path(directory).resolve()
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        program = str(Path(work) / "bench.vvp")
        sources = [str(here / files.verilog), str(here / files.bench)]
        status, output = run([compiler, "-g2012", f"-D{ASSERT_MACRO}", "-s", f"{name}_tb", "-o", program, *sources], Path(work))
        if status:
            lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines() or ["no message"]
            raise CheckFailed(f"iverilog: {lines[0].replace(str(here) + '/', '')}")
        status, output = run([simulator, "-n", program], Path(work))
    lines = [line for line in output.splitlines() if line.startswith("modeloom-bench: ")]
    last = lines[-1] if lines else "modeloom-bench: FAIL: the bench did not end"
    if status or not last.startswith(f"modeloom-bench: {name} ok "):
        # What the assertions of the core say is the cause of what the bench sees.
        broken = [line.removeprefix("modeloom-assert: ") for line in output.splitlines() if line.startswith("modeloom-assert: error")]
        first = broken[0] if broken else lines[0].removeprefix("modeloom-bench: ") if len(lines) > 1 else ""
        raise CheckFailed(last.removeprefix("modeloom-bench: ") + (f"; first: {first}" if first else ""))
    figures = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", last)}
    for key, wanted in description.bench_figures.items():
        if figures.get(key) != wanted:
            raise CheckFailed(f"the bench measures {key}={figures.get(key)}, core.json states {wanted}")
    return figures
