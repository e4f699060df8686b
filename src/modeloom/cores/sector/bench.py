# SPDX-License-Identifier: Apache-2.0
"""The bench of a core for sectors, in SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import hexadecimal
from modeloom.cores.sector.figures import interval_pins, latency_pins, overhead_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.cores.sector.packing import PACKING
from modeloom.cores.sector.vectors import BenchKey, BenchVectors, bench_vectors
from modeloom.cores.template import filled
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.rtl.bus.key_format import key_beats, key_last_keep
from modeloom.rtl.bus.sector import BusParameters
from modeloom.version import VERSION

__all__ = ["bench_verilog"]


def _assignments(vectors: BenchVectors, p: BusParameters) -> Iterator[str]:
    for number, key in enumerate(_keys(vectors)):
        yield f"key_slot[{number}] = {key.slot};"
        for i in range(key_beats(p.keys)):
            beat = key.key[KEY_BEAT_BYTES * i : KEY_BEAT_BYTES * (i + 1)]
            yield f"key[{number * key_beats(p.keys) + i}] = {hexadecimal(beat, 8 * KEY_BEAT_BYTES)};"
    sent = wanted = 0

    def keep(value: int) -> str:
        return "{BEAT_BYTES{1'b1}}" if value == (1 << p.beat_bytes) - 1 else f"{p.beat_bytes}'h{value:x}"

    for number, sector in enumerate(vectors.sectors):
        yield f"command[{number}] = {hexadecimal(sector.command, 8 * len(sector.command))};"
        for i, (beat, kept) in enumerate(sector.beats):
            last = int(i == len(sector.beats) - 1)
            yield f"sent[{sent}] = {hexadecimal(beat, p.data.beat_bits)}; sent_keep[{sent}] = {keep(kept)}; sent_last[{sent}] = {last};"
            sent += 1
        places = [wanted]
        for beats in (sector.wanted, sector.renewed):
            for beat, kept in beats:
                yield f"wanted[{wanted}] = {hexadecimal(beat, p.data.beat_bits)}; wanted_keep[{wanted}] = {keep(kept)};"
                wanted += 1
            places.append(wanted)
        yield f"code[{number}] = {sector.code}; changes[{number}] = {int(sector.changes)}; ends[{number}] = {sent};"
        yield f"want_from[{number}] = {places[0]}; want_to[{number}] = {places[1]}; renew_to[{number}] = {places[2]};"


def _keys(vectors: BenchVectors) -> list[BenchKey]:
    return [*vectors.keys, *([vectors.refused] if vectors.refused else [])]


def _limit(compiled: Compiled, vectors: BenchVectors) -> int:
    """Number of cycles after which the bench fails."""
    setup = sum(one.setup_schedule.latency for one in compiled.sizes) + key_erase_cycles(compiled) + 1000
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    return 2000 + 6 * erase_cycles(compiled) + 30 * setup + 4 * (len(vectors.sectors) + 20) * (longest + 100)


def bench_verilog(compiled: Compiled, name: str) -> str:
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
        "BEAT_BITS": p.data.beat_bits,
        "BEAT_BYTES": p.beat_bytes,
        "COMMANDS": len(vectors.sectors),
        "SENT": sum(beats),
        "WANTED": sum(len(sector.wanted) + len(sector.renewed) for sector in vectors.sectors),
        "KEYS": len(_keys(vectors)),
        "KEY_BEATS": key_beats(p.keys),
        "SLOTS": p.key_slots,
        "USED": len({key.slot for key in vectors.keys}),
        "KEY_LAST_KEEP": f"{KEY_BEAT_BYTES}'h{key_last_keep(p.keys):x}",
        "INTERVAL": interval_pins(compiled),
        "LATENCY": schedule.latency,
        "OVERHEAD": overhead_pins(compiled),
        "OVERLAP": int(compiled.options.overlap),
        "ERASE_CYCLES": erase_cycles(compiled),
        "MORE_WIRES": "",
        "MORE_PINS": "",
        "BEATS_OF": "KEY_BEATS",
        "LAST_OF": "KEY_LAST_KEEP",
        "LIMIT": _limit(compiled, vectors),
        "PHASES": "\n".join(f"localparam PHASE_{phase.upper():<{width}} = {end};" for phase, end in phases.items()),
        "FIRST_STEADY": (phases["burst"] - phases["empty"]) // 2,
        "SENT_BEFORE": sum(beats[: phases["burst"]]),
        "REFUSED": refused,
        "VECTORS": "\n".join(_assignments(vectors, p)),
    }
    return filled(__package__ or "", "bench.sv", values)
