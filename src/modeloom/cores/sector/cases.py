# SPDX-License-Identifier: Apache-2.0
"""The sectors of the bench for a test in the user's own flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import first_keys
from modeloom.cores.sector.bench import bench_limit
from modeloom.cores.sector.hardware import bus_parameters
from modeloom.cores.sector.vectors import BenchSector, bench_vectors
from modeloom.interfaces.sector import COMMANDS, NAMED_SLOTS, StatusCode
from modeloom.product.cases import Case, Cases

__all__ = ["sector_cases"]

ENDS = {StatusCode.OK: "right", StatusCode.TOO_SHORT: "early", StatusCode.TOO_LONG: "late", StatusCode.BAD_KEEP: "keep"}
"""What is said of a packet by its status."""


def _points(compiled: Compiled, sector: BenchSector, first: int) -> Iterator[str]:
    """The points of coverage of a sector.  ``first`` is the first slot with a key."""
    (port,) = COMMANDS.payload
    assert port.packing is not None
    fields, code = port.packing.unpack(sector.command), StatusCode(sector.code)
    yield f"code.{code.name}"
    if code in ENDS:
        yield f"packet.{ENDS[code]}"
    if code == StatusCode.OK:
        yield f"direction.{('encrypt', 'decrypt')[fields['decrypt']]}"
        yield f"slot.{'first' if fields['slot'] == first else 'other'}"
        yield f"size.{'other' if fields['size'] else 'first'}"
    if code == StatusCode.NO_KEY and fields["slot"] >= compiled.options.key_slots:
        yield "slot.missing"
    if code == StatusCode.UNKNOWN_SIZE:
        yield "size.missing"


def _wanted(compiled: Compiled) -> Mapping[str, Sequence[str]]:
    """Those of a core."""
    several, sized = compiled.options.key_slots > 1, len(compiled.sizes) > 1
    missing = ["missing"] * (compiled.options.key_slots < NAMED_SLOTS)
    # A packet of one beat cannot be too short by a beat, but by bytes.
    codes = [code.name for code in StatusCode if code != StatusCode.NO_DIRECTION or len(compiled.options.directions) == 1]
    return {
        "direction": compiled.options.directions, "slot": ["first", *["other"] * several, *missing],
        "size": ["first", *["other"] * sized, "missing"], "code": codes, "packet": [*ENDS.values()],
    }  # fmt: skip


def sector_cases(compiled: Compiled) -> Cases:
    """Sectors without a key, and then good ones and each error that a host can make, and good ones of two sizes behind each other."""
    vectors = bench_vectors(compiled)
    begin, end = vectors.phases["empty"], vectors.phases["wrong"]
    keys = first_keys(vectors.keys)
    first = min(slot for slot, _ in keys)
    sizes = bus_parameters(compiled).sizes
    # Errors stand between all sizes so far.  The phase after them changes the size with its third sector.
    sectors = [*vectors.sectors[:end], *(vectors.sectors[end + 1 : end + 3] if len(sizes) > 1 else ())]
    cases = [Case(one.command, one.beats, one.wanted, one.code, points=tuple(_points(compiled, one, first))) for one in sectors]
    return Cases(
        keys, cases[:begin], cases[begin:], bench_limit(compiled, vectors), int(StatusCode.BAD_KEEP), _wanted(compiled),
        sizes=len(sizes), both=len(compiled.options.directions) > 1, most_bytes=max(size.nbytes for size in sizes),
    )  # fmt: skip
