# SPDX-License-Identifier: Apache-2.0
"""The vectors of the bench: commands and sectors from a fixed seed, and results from the software model.

::

    phase      commands                                       wanted
    empty      one before any key is loaded                   status NO_KEY, no data
    burst      back to back                                   results; equal distances in the second half
    alone      one                                            result; its latency at the pins
    wrong      each error that a host can make, with good     each code; results between them; in a core for several sizes, each
               ones in between                                size before and after each other
    stalls     more than the result buffer holds, while       results
               results wait, then with random pauses
    statuses   refused ones, while the statuses wait          NO_KEY
    renewed    after other keys have been loaded              results under the new keys
    reload     while the key of a slot is replaced            results under the old key, NO_KEY, results under the new one
    reloaded   after that                                     results under the new key
    refused    after a key that is refused                    NO_KEY
    erasure    while a slot is erased                         results, NO_KEY
    erased     after that                                     NO_KEY
    zeroize    cut off by zeroize                             what comes before it
    zeroized   after it                                       NO_KEY
    started    with a key again                               results
    reset      cut off by a reset                             what comes before it
    unkeyed    after it                                       NO_KEY
    restarted  with a key again                               results
"""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import BenchKey, bench_bytes
from modeloom.cores.described import key_layout
from modeloom.cores.sector.hardware import bus_parameters
from modeloom.cores.sector.traffic import BenchSector, Traffic
from modeloom.definition.software import Model
from modeloom.interfaces.sector import NAMED_SLOTS, StatusCode
from modeloom.spec import InputError

__all__ = ["BenchSector", "BenchVectors", "bench_vectors"]

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
