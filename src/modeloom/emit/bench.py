# SPDX-License-Identifier: Apache-2.0
"""The Verilog bench of a core, and running it with Icarus Verilog."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from modeloom.emit.figures import interval_pins, latency_pins, overhead_pins
from modeloom.emit.tools import CheckFailed, require, run
from modeloom.emit.vectors import BenchVectors, bench_vectors
from modeloom.rtl.bus.key_format import key_beats, key_last_keep
from modeloom.rtl.bus.parameters import BusParameters
from modeloom.rtl.core import bus_parameters, erase_cycles
from modeloom.simulated import read_description
from modeloom.version import VERSION

__all__ = ["bench_verilog", "run_bench"]


def _hex(data: bytes, bits: int) -> str:
    return f"{bits}'h{int.from_bytes(data, 'little'):0{-(-bits // 4)}x}"


def _assignments(vectors: BenchVectors, p: BusParameters) -> Iterator[str]:
    for number, (slot, key) in enumerate(vectors.keys):
        yield f"key_slot[{number}] = {slot};"
        for i in range(key_beats(p)):
            yield f"key[{number * key_beats(p) + i}] = {_hex(key[16 * i : 16 * i + 16], 128)};"
    sent = wanted = 0
    for number, sector in enumerate(vectors.sectors):
        yield f"command[{number}] = {_hex(sector.command, 320)};"
        yield f"code[{number}] = {sector.code};"
        for i, beat in enumerate(sector.beats):
            last = i == len(sector.beats) - 1
            keep = f"{p.beat_bytes}'h{sector.last_keep:x}" if last else "{BEAT_BYTES{1'b1}}"
            yield f"sent[{sent}] = {_hex(beat, p.beat_bits)}; sent_keep[{sent}] = {keep}; sent_last[{sent}] = {int(last)};"
            sent += 1
        yield f"ends[{number}] = {sent};"
        for i, beat in enumerate(sector.wanted):
            last = i == len(sector.wanted) - 1
            keep = f"{p.beat_bytes}'h{sector.wanted_keep:x}" if last else "{BEAT_BYTES{1'b1}}"
            yield f"wanted[{wanted}] = {_hex(beat, p.beat_bits)}; wanted_keep[{wanted}] = {keep}; wanted_last[{wanted}] = {int(last)};"
            wanted += 1


def bench_verilog(compiled: Any, name: str) -> str:
    """Text of the bench."""
    p = bus_parameters(compiled)
    vectors = bench_vectors(compiled)
    schedule = compiled.schedule
    ends = [sum(len(sector.beats) for sector in vectors.sectors[:end]) for end in vectors.phases]
    results = [sector for sector in vectors.sectors if sector.wanted]
    burst = vectors.phases[1] - vectors.phases[0]
    keys = sum(one.setup_schedule.latency for one in compiled.sizes) + 1000
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    limit = 2000 + erase_cycles(compiled) + 2 * len(vectors.keys) * keys + (len(results) + 12) * (longest + 100)
    values = {
        "NAME": name,
        "VERSION": VERSION,
        "BEAT_BITS": p.beat_bits,
        "BEAT_BYTES": p.beat_bytes,
        "COMMANDS": len(vectors.sectors),
        "SENT": ends[-1],
        "WANTED": sum(len(sector.wanted) for sector in results),
        "RESULTS": len(results),
        "KEYS": len(vectors.keys),
        "KEY_BEATS": key_beats(p),
        "SLOTS": p.key_slots,
        "KEY_LAST_KEEP": f"16'h{key_last_keep(p):x}",
        "INTERVAL": interval_pins(compiled),
        "LATENCY": schedule.latency,
        "OVERHEAD": overhead_pins(compiled),
        "OVERLAP": int(compiled.options.overlap),
        "LIMIT": limit,
        **{f"PHASE{i}": end for i, end in enumerate(vectors.phases)},
        "FIRST_STEADY": burst // 2,
        "SENT_BEFORE": ends[1],
        "VECTORS": "\n".join(f"      {line}" for line in _assignments(vectors, p)),
    }
    template = resources.files(__package__).joinpath("templates/bench.v").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z_]+\d?)@", lambda match: str(values[match[1]]), template)


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
    name, files = description["name"], description["files"]
    compiler, simulator = require("iverilog"), require("vvp")
    here = Path(directory).resolve()
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        program = str(Path(work) / "bench.vvp")
        sources = [str(here / files["verilog"]), str(here / files["bench"])]
        status, output = run([compiler, "-g2005", "-s", f"{name}_tb", "-o", program, *sources], Path(work))
        if status:
            lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines() or ["no message"]
            raise CheckFailed(f"iverilog: {lines[0].replace(str(here) + '/', '')}")
        status, output = run([simulator, "-N", program], Path(work))
    lines = [line for line in output.splitlines() if line.startswith("modeloom-bench: ")]
    last = lines[-1] if lines else "modeloom-bench: FAIL: the bench did not end"
    if status or not last.startswith(f"modeloom-bench: {name} ok "):
        first = lines[0].removeprefix("modeloom-bench: ") if len(lines) > 1 else ""
        raise CheckFailed(last.removeprefix("modeloom-bench: ") + (f"; first: {first}" if first else ""))
    figures = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", last)}
    explain = description["explain"]
    stated = {**{key: explain[key] for key in ("cycles_per_sector", "latency")}, **description["pins"]}
    for key in ("latency", "interval", "latency_pins", "cycles_per_sector"):
        wanted = stated[key]
        # An overlapped core whose bus is slower than its engine goes at the pace of the bus.
        if key == "cycles_per_sector" and explain["overlap"]:
            wanted = stated["interval"]
        if figures.get(key) != wanted:
            raise CheckFailed(f"the bench measures {key}={figures.get(key)}, core.json states {wanted}")
    return figures
