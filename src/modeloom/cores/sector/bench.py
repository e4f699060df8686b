# SPDX-License-Identifier: Apache-2.0
"""The bench of a core for sectors, in SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import (
    Beat,
    BenchKey,
    beats_of,
    bench_bytes,
    filled,
    first_keys,
    key_lines,
    packet_lines,
    phase_lines,
    wanted_lines,
)
from modeloom.cores.described import key_layout
from modeloom.cores.port_rules import PortRules, command_read, packing_places
from modeloom.cores.sector.describe import interval_pins, latency_pins, overhead_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.definition.software import Model
from modeloom.interfaces.sector import COMMANDS, NAMED_SLOTS, StatusCode, pack_command, sector_interfaces
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.cases import Case, Cases
from modeloom.product.core import top_ports
from modeloom.rtl.bus.parameters import key_beats, key_last_keep
from modeloom.rtl.bus.sector import BusParameters
from modeloom.spec import InputError
from modeloom.version import VERSION

__all__ = [
    "BenchSector", "BenchVectors", "Traffic", "bench_limit", "bench_vectors", "bench_verilog", "rules_module", "sector_cases",
    "sector_places",
]  # fmt: skip


# -- rules -----------------------------------------------------------------------------------------------------------------------------

# Assertions of an emitted core for sectors.  They check the rules of its streams and its promises in simulation, if a macro is defined.
#
#     `ifdef MODELOOM_ASSERT       module NAME_rules: reads all ports of NAME, reports errors of the host or the core
#                                  NAME has an instance of it
#     `endif
#
# The module is plain Verilog-2005, which every simulator accepts.  Without the macro, it does not exist.

# The positions of the fields of commands, statuses and keys of a core for sectors, for the templates of Verilog files.

def sector_places(slots: int) -> dict[str, object]:
    """Values for the placeholders in ``templates``, for a core with so many key slots."""
    return {**packing_places(sector_interfaces(slots), "tag", slots), "OK": int(StatusCode.OK), "NO_KEY": int(StatusCode.NO_KEY)}

KEEP = (
    "  if (m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))",
    '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
)
"""The assertion on the ``tkeep`` of results."""


def rules_module(compiled: Compiled, name: str) -> str:
    """The text of the module with the assertions, within its ``ifdef``."""
    p = bus_parameters(compiled)
    interfaces, places = sector_interfaces(p.key_slots), sector_places(p.key_slots)
    rules = PortRules(interfaces, "tag", p.key_slots)
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    read = command_read(COMMANDS.packing, {"tweak": p.tweak_bits})
    values = {
        **places,
        **rules.values(top_ports(interfaces, p), KEEP),
        "NAME": name,
        "BEAT_BYTES": p.beat_bytes,
        "KEY_BEATS": key_beats(p.keys),
        "SLOTS": p.key_slots,
        # The result buffer, the queue before it, and the registers for command and status all hold commands.
        "IN_FLIGHT": p.buffers.ring_sectors + 8,
        "ERASE_CYCLES": erase_cycles(compiled),
        # Twice the longest time, because the engine drains when the sector size changes.
        "PATIENCE": 2 * longest + 200,
        "KEY_LAST_KEEP": f"{places['KEY_KEEP_BITS']}'h{key_last_keep(p.keys):04x}",
        "KEY_WRONG": (
            "s_axis_key_tlast != (key_beats == KEY_BEATS) || s_axis_key_tkeep != (s_axis_key_tlast ? KEY_LAST_KEEP : "
            f"{places['KEY_ALL']})"
        ),
        "COMMAND_READ": f"{COMMANDS.packing.bits}'h{read:0{COMMANDS.packing.bits // 4}x}",
        "KNOWN_SIZE": " || ".join(f"length == {size.nbytes}" for size in p.sizes),
        "CODES": rules.codes(StatusCode),
    }
    return filled(__package__ or "", "rules.v", values)


# -- bench -----------------------------------------------------------------------------------------------------------------------------

# The commands of a bench one by one: correct and wrong packets, and the expected result of each.

@dataclass(frozen=True)
class BenchSector:
    """One command.

    Attributes
    ----------
    command : bytes
        Its 40 bytes.
    beats : tuple of (bytes, int)
        Data and ``tkeep`` of the beats of its packet.
    code : int
        The expected status.  If the key changes meanwhile, both OK and NO_KEY are possible.
    wanted : tuple of (bytes, int)
        Data and ``tkeep`` of the expected beats.  If the key changes, these are for the old key.
    renewed : tuple of (bytes, int)
        The expected beats for the new key.
    changes : bool
        Whether the key is replaced or erased while the command is in progress.
    """

    command: bytes
    beats: tuple[Beat, ...]
    code: int
    wanted: tuple[Beat, ...] = ()
    renewed: tuple[Beat, ...] = ()
    changes: bool = False


class Traffic:
    """Makes commands, each with its own data and tweak.  Slots and directions alternate.

    Parameters
    ----------
    compiled : modeloom.compiler.compile.Compiled
    p : BusParameters
    """

    def __init__(self, compiled: Compiled, p: BusParameters):
        self.compiled, self.p = compiled, p
        self.directions = compiled.options.directions
        self.models: dict[int, Model] = {}
        self.sectors: list[BenchSector] = []

    def load(self, slot: int, key: bytes) -> Model:
        """Sets the key of a slot for the following sectors, and returns its model."""
        self.models[slot] = Model(self.compiled.mode, key, self.compiled.options.cipher)
        return self.models[slot]

    def _next(self, size: int) -> tuple[int, bytes, bytes, str]:
        number = len(self.sectors)
        # Runs of one, two and three sectors in a direction, so that all sequences of directions occur.
        direction = self.directions[(number % 12) in (1, 4, 5, 9, 10, 11) and len(self.directions) - 1]
        tweak = bench_bytes(f"tweak {number}", self.compiled.source.tweak_bytes)
        return number, tweak, bench_bytes(f"sector {number}", self.p.sizes[size].nbytes), direction

    def _command(self, tweak: bytes, slot: int, size: int, direction: str) -> bytes:
        tag = (0x4D4C + 257 * len(self.sectors)) & 0xFFFF
        return pack_command(tweak=tweak, tag=tag, slot=slot, size=size, decrypt=direction == "decrypt")

    def good(self, *, size: int = 0, slot: int | None = None, renewed: Model | None = None, changes: bool = False) -> None:
        """Adds a correct sector.  ``changes`` says that the key of its slot is meanwhile replaced by that of ``renewed``, or erased."""
        number, tweak, data, direction = self._next(size)
        if slot is None:
            slots = sorted(self.models)
            slot = slots[number // 3 % len(slots)]
        wanted, renewals = (
            beats_of(getattr(model, direction)(tweak, data), self.p.beat_bytes) if model else ()
            for model in (self.models[slot], renewed)
        )
        self.sectors.append(
            BenchSector(
                self._command(tweak, slot, size, direction), beats_of(data, self.p.beat_bytes), int(StatusCode.OK), wanted, renewals,
                changes,
            )
        )

    def bad(
        self, code: StatusCode, *, slot: int | None = None, size: int = 0, bytes_more: int = 0, keep: tuple[int, int] | None = None,
        short: bool = False, direction: str | None = None,
    ) -> None:  # fmt: skip
        """Adds a command that the core refuses.  Its packet may have more or fewer bytes than the sector, or only one beat.  ``keep`` is
        the number of a beat and a mask of the bits of its ``tkeep`` to invert.
        """
        number, tweak, data, usual = self._next(0 if size >= len(self.p.sizes) else size)
        if slot is None:
            slot = min(self.models, default=0)
        data = (data + bench_bytes(f"more {number}", max(0, bytes_more)))[: len(data) + bytes_more]
        beats = list(beats_of(data, self.p.beat_bytes))[: 1 if short else None]
        if keep is not None:
            at, turned = keep
            beats[at] = (beats[at][0], beats[at][1] ^ turned)
        self.sectors.append(BenchSector(self._command(tweak, slot, size, direction or usual), tuple(beats), int(code)))


# -- vectors -----------------------------------------------------------------------------------------------------------------------

# The vectors of the bench: commands and sectors from a fixed seed, and results from the software model.
#
#     phase      commands                                       wanted
#     empty      one before any key is loaded                   status NO_KEY, no data
#     burst      back to back                                   results; equal distances in the second half
#     alone      one                                            result; its latency at the pins
#     wrong      each error that a host can make, with good     each code; results between them; in a core for several sizes, each
#                ones in between                                size before and after each other
#     stalls     more than the result buffer holds, while       results
#                results wait, then with random pauses
#     statuses   refused ones, while the statuses wait          NO_KEY
#     renewed    after other keys have been loaded              results under the new keys
#     reload     while the key of a slot is replaced            results under the old key, NO_KEY, results under the new one
#     reloaded   after that                                     results under the new key
#     refused    after a key that is refused                    NO_KEY
#     erasure    while a slot is erased                         results, NO_KEY
#     erased     after that                                     NO_KEY
#     zeroize    cut off by zeroize                             what comes before it
#     zeroized   after it                                       NO_KEY
#     started    with a key again                               results
#     reset      cut off by a reset                             what comes before it
#     unkeyed    after it                                       NO_KEY
#     restarted  with a key again                               results

LONG = 64
"""With sectors of more blocks than this, the bench sends fewer sectors, because its text and its time grow with all blocks."""


@dataclass(frozen=True)
class BenchVectors:
    """Keys, commands and phases.

    Attributes
    ----------
    keys : tuple of BenchKey
        One for each slot that is used, then another one for each, then a third one for the first slot.
    refused : BenchKey or None
        A key that the mode refuses, if it refuses any that are easily found.
    sectors : tuple of BenchSector
        In order.
    phases : dict
        Number of commands sent by the end of each phase.
    """

    keys: tuple[BenchKey, ...]
    refused: BenchKey | None
    sectors: tuple[BenchSector, ...]
    phases: dict[str, int]


def _refused(compiled: Compiled, key: bytes) -> bytes | None:
    """A key that the mode refuses: either all cipher keys are equal, or each block is 1."""
    mode = compiled.mode
    equal, ones = bytearray(key), bytearray(key)
    first: bytes | None = None
    for part in key_layout(mode, compiled.options.key_bits or 0):
        place = slice(part.offset, part.offset + part.bytes)
        if part.name in mode.cipher_keys:
            first = first or bytes(key[place])
            equal[place] = first[: part.bytes].ljust(part.bytes, b"\0")
        else:
            ones[place] = mode.field.one.to_bytes(part.bytes, "little")
    for candidate in (bytes(equal), bytes(ones)):
        try:
            Model(mode, candidate, compiled.options.cipher).set_up(compiled.source.blocks)
        except InputError:
            return candidate
    return None


def bench_vectors(compiled: Compiled) -> BenchVectors:
    """The vectors of a core.  They are the same for the same definition and options."""
    p = bus_parameters(compiled)
    mode, options = compiled.mode, compiled.options
    slots = sorted({0, options.key_slots - 1})
    length = mode.key_bytes((options.key_bits or 0) // 8)
    keys = [BenchKey(slot, bench_bytes(f"key {slot}", length)) for slot in slots]
    keys += [BenchKey(slot, bench_bytes(f"second key {slot}", length)) for slot in slots]
    keys.append(BenchKey(slots[0], bench_bytes("third key", length)))
    refused = _refused(compiled, keys[0].key)
    traffic = Traffic(compiled, p)
    few = 2 if compiled.source.blocks > LONG else 4
    phases: dict[str, int] = {}

    def end(phase: str) -> None:
        phases[phase] = len(traffic.sectors)

    def load(first: int, count: int = len(slots)) -> None:
        for key in keys[first : first + count]:
            traffic.load(key.slot, key.key)

    traffic.bad(StatusCode.NO_KEY)
    end("empty")
    load(0)
    # The burst is longer than the result buffer, so it would reveal waiting for a place in the buffer.
    for _ in range(max(12, compiled.result_sectors + 8)):
        traffic.good()
    end("burst")
    traffic.good()
    end("alone")
    _wrong(traffic, compiled)
    end("wrong")
    for number in range(compiled.result_sectors + few):
        traffic.good(size=number // 2 % len(p.sizes))
    end("stalls")
    for _ in range(compiled.result_sectors + 10):
        # A slot that is not there, or one that is empty.
        traffic.bad(StatusCode.NO_KEY, slot=255 if p.key_slots < NAMED_SLOTS else 1, short=True)
    end("statuses")
    load(len(slots))
    for _ in range(2 * few):
        traffic.good()
    end("renewed")
    third = Model(mode, keys[-1].key, options.cipher)
    for number in range(3 * few):
        slot = slots[number % len(slots)]
        changes = slot == slots[0]
        traffic.good(slot=slot, renewed=third if changes else None, changes=changes)
    end("reload")
    load(2 * len(slots), 1)
    for number in range(few):
        traffic.good(slot=slots[number % len(slots)])
    end("reloaded")
    traffic.bad(StatusCode.NO_KEY, slot=slots[0])
    end("refused")
    load(0, 1)
    for number in range(2 * few):
        slot = slots[number % len(slots)]
        traffic.good(slot=slot, changes=slot == slots[0])
    end("erasure")
    traffic.bad(StatusCode.NO_KEY, slot=slots[0])
    end("erased")
    for cut, after, again in (("zeroize", "zeroized", "started"), ("reset", "unkeyed", "restarted")):
        load(0)
        for _ in range(few + 1):
            traffic.good()
        end(cut)
        for slot in slots:
            traffic.bad(StatusCode.NO_KEY, slot=slot)
        end(after)
        load(0)
        for _ in range(2):
            traffic.good()
        end(again)
    return BenchVectors(tuple(keys), BenchKey(slots[0], refused) if refused else None, tuple(traffic.sectors), phases)


def _wrong(traffic: Traffic, compiled: Compiled) -> None:
    """Each error that a host can make, and each size before and after each other."""
    p = traffic.p
    traffic.bad(StatusCode.TOO_SHORT, bytes_more=-1)
    traffic.good()
    if p.sizes[0].beats > 1:
        traffic.bad(StatusCode.TOO_SHORT, short=True)
        traffic.bad(StatusCode.BAD_KEEP, keep=(0, 1 << p.beat_bytes - 1))
    traffic.bad(StatusCode.TOO_LONG, bytes_more=1)
    traffic.bad(StatusCode.TOO_LONG, bytes_more=2 * p.beat_bytes)
    traffic.bad(StatusCode.BAD_KEEP, bytes_more=p.beat_bytes, keep=(-1, 1))
    # A gap in the last beat of a sector, and a last beat without bytes.
    traffic.bad(StatusCode.BAD_KEEP, keep=(-1, 1))
    traffic.bad(StatusCode.BAD_KEEP, keep=(-1, p.last_keep))
    traffic.good()
    traffic.bad(StatusCode.UNKNOWN_SIZE, size=255, slot=255, bytes_more=-1)
    traffic.bad(StatusCode.UNKNOWN_SIZE, size=len(p.sizes))
    for slot in (number for number in (p.key_slots, 254, 255) if p.key_slots <= number < NAMED_SLOTS):
        traffic.bad(StatusCode.NO_KEY, slot=slot)
    if not (p.sectors.encrypt and p.sectors.decrypt):
        traffic.bad(StatusCode.NO_DIRECTION, direction="decrypt" if p.sectors.encrypt else "encrypt")
    traffic.good()
    for step in range(1, len(p.sizes)):
        for size in range(len(p.sizes)):
            for number in (size, (size + step) % len(p.sizes)):
                traffic.good(size=number)
                traffic.bad(StatusCode.TOO_LONG, size=number, bytes_more=1)


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


# -- cases -------------------------------------------------------------------------------------------------------------------------

# The sectors of the bench for a test in the user's own flow.

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
