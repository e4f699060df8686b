# SPDX-License-Identifier: Apache-2.0
"""The bench of a core for sectors, in SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import BenchKey, key_lines, packet_lines, phase_lines, wanted_lines
from modeloom.cores.sector.figures import interval_pins, latency_pins, overhead_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.cores.sector.packing import sector_places
from modeloom.cores.sector.vectors import BenchVectors, bench_vectors
from modeloom.cores.template import filled
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.rtl.bus.key_format import key_beats, key_last_keep
from modeloom.rtl.bus.sector import BusParameters
from modeloom.version import VERSION

__all__ = ["bench_limit", "bench_verilog"]


def _assignments(vectors: BenchVectors, p: BusParameters) -> Iterator[str]:
    yield from key_lines(_keys(vectors), key_beats(p.keys))
    sent = wanted = 0
    for number, sector in enumerate(vectors.sectors):
        yield from packet_lines(number, sector.command, sector.beats, sent, p.beat_bytes)
        sent += len(sector.beats)
        places = [wanted]
        for beats in (sector.wanted, sector.renewed):
            yield from wanted_lines(beats, wanted, p.beat_bytes)
            wanted += len(beats)
            places.append(wanted)
        yield f"code[{number}] = {sector.code}; changes[{number}] = {int(sector.changes)}; ends[{number}] = {sent};"
        yield f"want_from[{number}] = {places[0]}; want_to[{number}] = {places[1]}; renew_to[{number}] = {places[2]};"


def _keys(vectors: BenchVectors) -> list[BenchKey]:
    return [*vectors.keys, *([vectors.refused] if vectors.refused else [])]


def _left(compiled: Compiled) -> str:
    """What waits for an idle engine before the lone sector: batches go on in all stages, of which sectors of other sizes may need more."""
    if compiled.options.cipher_arch != "multistream" or len(compiled.sizes) == 1:
        return ""
    program = compiled.core_program
    return f"\n    repeat ({program.stages * max(main.rows for main in program.mains)}) @(negedge aclk);"


def bench_limit(compiled: Compiled, vectors: BenchVectors) -> int:
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
    refused = "wrong_key(KEYS - 1, KEY_BEATS, KEY_LAST_KEEP, key_slot[KEYS - 1]);" if vectors.refused else ""
    places = sector_places(p.key_slots)
    values = {
        **places,
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
        "MORE_SENT": "",
        "MORE_WIRES": "",
        "MORE_PINS": "",
        "LEFT": _left(compiled),
        "SHORT_KEY": f"if (KEY_BEATS > 1)\n  wrong_key(0, 1, {places['KEY_ALL']}, key_slot[0]);",
        "BEATS_OF": "KEY_BEATS",
        "LAST_OF": "KEY_LAST_KEEP",
        "LIMIT": bench_limit(compiled, vectors),
        "PHASES": phase_lines(phases),
        "FIRST_STEADY": (phases["burst"] - phases["empty"]) // 2,
        "SENT_BEFORE": sum(beats[: phases["burst"]]),
        "REFUSED": refused,
        "VECTORS": "\n".join(_assignments(vectors, p)),
    }
    return filled(__package__ or "", "bench.sv", values)
