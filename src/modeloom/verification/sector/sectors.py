# SPDX-License-Identifier: Apache-2.0
"""Tests sectors of all sizes, directions and slots: edge values, then random ones with pauses, back-pressure and faulty packets."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import cycle

from modeloom.ciphers import AES
from modeloom.compiler.compile import Compiled
from modeloom.golden.aes_keys import round_keys
from modeloom.sim import AT_REST
from modeloom.spec.kinds import DEC, ENC
from modeloom.spec.wording import many
from modeloom.verification.host import BUSES
from modeloom.verification.sector.host import FAULTS, Host
from modeloom.verification.sector.subject import Subject

__all__ = [
    "PATTERNS", "Need", "check_edges", "check_keys", "check_sectors", "chosen_keys", "missed", "needed_sectors", "schedule_keys",
]  # fmt: skip

# Computes the number of keys and sectors that read every entry of every S-box.
#
# A wrong entry affects every result after a look-up of it, so the number of look-ups matters.  n random look-ups in a table of 256 entries
# all miss a given entry with probability (1 - 1/256)^n.  With T such tables, some entry of some table is missed with probability at most
# T · 256 · exp(-n / 256).  A key schedule has few S-boxes, and their inputs can be chosen, so nothing is left
# to chance.

LOOKUPS = 6400
"""Number of look-ups for each S-box of a cipher core.  Two pipelines of ten rounds have 320 S-boxes: some entry is missed with probability
below 10^-5, and a single wrong entry is missed with probability 10^-11."""

RANDOM_KEYS = 200
"""Number of keys for a cipher whose key schedule is unknown here."""

MOST_CYCLES = 600_000
"""Largest number of cycles for random sectors, because the simulation of large cores is slow."""


def schedule_keys(cipher: str, nbytes: int, rng: random.Random) -> Iterator[bytes]:
    """Keys of a cipher for which its key schedule reads every entry of its S-boxes.

    Each S-box in the key schedule of AES (FIPS 197, 5.2) reads a byte of a word.  The first word that they read is the last word of the
    key, which gets bytes that no earlier key has looked up.  The other words that are read also count.  For other ciphers the
    keys are random.
    """
    if cipher != AES.name or nbytes not in (16, 24, 32):
        for _ in range(RANDOM_KEYS):
            yield rng.randbytes(nbytes)
        return
    left = [set(range(256)) for _ in range(4)]
    while any(left):
        chosen = bytes(rng.choice(sorted(values)) if values else rng.randrange(256) for values in left)
        key = rng.randbytes(nbytes - 4) + chosen
        for word in read_words(key):
            for lane, value in enumerate(word):
                left[lane].discard(value)
        yield key


def read_words(key: bytes) -> list[bytes]:
    """The words that the S-boxes in the key schedule of AES read, before any rotation."""
    words = [keys[at : at + 4] for keys in round_keys(key) for at in range(0, 16, 4)]
    count = len(key) // 4
    return [words[n - 1] for n in range(count, len(words)) if n % count == 0 or (count == 8 and n % count == 4)]


class Need:
    """The number of look-ups of each S-box for a sector of each direction, and the number of sectors that is enough.

    Attributes
    ----------
    sectors : int
        Sectors of each direction.
    lookups : int
        Look-ups of the S-box that is read least, for this number of sectors; 0 if the mode has no cipher calls.
    """

    def __init__(self, sectors: int, lookups: int):
        self.sectors, self.lookups = sectors, lookups


def needed_sectors(compiled: Compiled) -> Need:
    """The number of sectors of each direction for ``LOOKUPS`` look-ups of each S-box of the cipher cores, limited by ``MOST_CYCLES``.

    Calls are distributed evenly over the cores of a kind.  A sequential core reads its S-boxes once in each round.
    """
    options, architecture = compiled.options, compiled.architecture
    rounds = architecture.cipher.round_keys(options.key_bits or 0) - 1
    least: list[float] = []
    for kind in (ENC, DEC):
        # A core that is used in only one direction must get its look-ups there.
        calls = max(one.graph.uses(way).get(kind.unit, 0) for one in compiled.sizes for way in one.graph.directions)
        if not calls:
            continue
        form = architecture.forms.get(kind, architecture.forms.get("both", options.cipher_form))
        count = options.cipher_cores if form == options.cipher_form else 1
        least.append(calls * (rounds if form == "sequential" else 1) / count)
    if not least:
        return Need(200, 0)
    interval = max(one.explain()["cycles_per_sector"] for one in compiled.sizes)
    affordable = max(64, MOST_CYCLES // interval)
    sectors = min(max(64, math.ceil(LOOKUPS / min(least))), affordable)
    return Need(sectors, int(sectors * min(least)))


def missed(lookups: int) -> float:
    """The probability that one wrong entry of one S-box is never looked up."""
    return math.exp(-lookups / 256)


# -- keys --------------------------------------------------------------------------------------------------------------------------

# Tests many keys, so the key schedule reads every entry of its S-boxes, and each slot holds several of them in turn.

def chosen_keys(subject: Subject, rng: random.Random) -> list[bytes]:
    """Whole keys of the mode: edge values, then keys for the S-boxes of the key schedule.  The mode may refuse some of them."""
    layout = subject.description.key_layout
    cipher_keys = set(subject.mode.cipher_keys)
    total = subject.description.key_bytes
    keys = [bytes(total), b"\xff" * total]
    # One bit at each end of each part, set alone and cleared alone.
    for part in layout:
        for place in (8 * part.offset, 8 * (part.offset + part.bytes) - 1):
            value = 1 << place
            keys += [value.to_bytes(total, "little"), (value ^ (1 << 8 * total) - 1).to_bytes(total, "little")]
    parts = [part for part in layout if part.name in cipher_keys]
    for number, part in enumerate(parts):
        # All cipher keys use the same key schedule, so one of them is enough, unless they have different lengths.
        if any(other.bytes == part.bytes for other in parts[:number]):
            continue
        for chosen in schedule_keys(subject.description.cipher, part.bytes, rng):
            key = bytearray(rng.randbytes(total))
            key[part.offset : part.offset + part.bytes] = chosen
            keys.append(bytes(key))
    return keys


def check_keys(subject: Subject) -> tuple[str, dict[str, int]]:
    """Loads every key and runs a sector of each direction with it.  Slots and sizes alternate, and the beats of every other group of keys
    come with pauses."""
    rng = subject.rng("keys")
    keys = chosen_keys(subject, rng)
    host = Host(subject, rng)
    refused = 0
    for start in range(0, len(keys), host.slots):
        group = list(enumerate(keys[start : start + host.slots]))
        # Longer than the expansion of the key before.
        host.set_gaps({"s_axis_key": 0.98} if start // host.slots % 2 else {})
        for slot, key in group:
            host.load(key, slot)
            refused += subject.reference(key) is None
        host.settle()
        size = start // host.slots % len(subject.sizes)
        for slot, _ in group:
            for decrypt in subject.ways:
                host.job(slot=slot, decrypt=decrypt, size=size)
        host.settle()
    more = f", {refused} of them refused by the mode" if refused else ""
    text = f"{len(keys)} keys in {many(host.slots, 'slot')}{more}; the key schedule reads every entry of its S-boxes"
    if subject.description.cipher != "aes":
        text = f"{len(keys)} random and edge keys in {many(host.slots, 'slot')}{more}"
    return text, {"keys": len(keys), "refused": refused, "sectors": host.sectors}


# -- sectors -----------------------------------------------------------------------------------------------------------------------

PATTERNS: tuple[dict[str, float], ...] = (
    {},
    dict.fromkeys(BUSES, 0.1),
    {"m_axis": 0.7},
    {"s_axis": 0.7},
    {"s_axis_cmd": 0.95},
    {"m_axis_status": 0.97},
    {"s_axis": 0.5, "m_axis": 0.5, "m_axis_status": 0.5},
    {"m_axis": 0.95},
)
"""Probabilities of pauses: none, some on all buses, one slow bus at a time, and both data buses slow."""

CHUNK = 64
"""Number of sectors with the same pattern and the same keys."""


def edge_blocks(size: int, block: int, rng: random.Random) -> list[bytes]:
    """Edge values for data: zeros, ones, equal blocks, a single bit at either end, and one bit in every block."""
    equal = rng.randbytes(block) * (size // block + 1)
    return [
        bytes(size), b"\xff" * size, equal[:size],
        b"\x01" + bytes(size - 1), bytes(size - 1) + b"\x80", (b"\x80" + bytes(block - 1)) * (size // block) + bytes(size % block),
    ]  # fmt: skip


def edge_tweaks(nbytes: int) -> list[bytes]:
    """Edge values for tweaks: 0, all ones, and counters of 32 and 64 bits in both byte orders, before and at their wrap."""
    if not nbytes:
        return [b""]
    tweaks = [bytes(nbytes), b"\xff" * nbytes, b"\x01".ljust(nbytes, b"\0"), b"\x80".rjust(nbytes, b"\0")]
    for width in (4, 8):
        if width < nbytes:
            ones = b"\xff" * width
            tweaks += [ones.ljust(nbytes, b"\0"), ones.rjust(nbytes, b"\0")]
            tweaks += [(b"\xfe" + ones[1:]).ljust(nbytes, b"\0"), (ones[1:] + b"\xfe").rjust(nbytes, b"\0")]
    return tweaks


def check_edges(subject: Subject) -> tuple[str, dict[str, int]]:
    """Runs every edge value of data with every edge value of the tweak, in each direction and size.  Slots alternate."""
    rng = subject.rng("edges")
    host = Host(subject, rng)
    host.load_slots()
    slots = cycle(range(host.slots))
    for size, nbytes in enumerate(subject.sizes):
        for data in edge_blocks(nbytes, host.core.block_bytes, rng):
            for tweak in edge_tweaks(host.core.tweak_bytes):
                for decrypt in subject.ways:
                    host.job(slot=next(slots), decrypt=decrypt, size=size, tweak=tweak, data=data)
            host.settle()
    return f"{host.sectors} sectors of edge values of data and tweaks", {"sectors": host.sectors}


def check_sectors(subject: Subject, need: Need, wanted: int | None = None) -> tuple[str, dict[str, int]]:
    """Runs random sectors in chunks.  Each chunk has new keys and another pattern of pauses.  Some packets are faulty, and some slots
    empty.

    Parameters
    ----------
    need : Need
        Number of sectors of each direction that the S-boxes need.
    wanted : int, optional
        Total number of sectors, if the user chose one.
    """
    rng = subject.rng("sectors")
    host = Host(subject, rng)
    target = wanted or need.sectors * len(subject.ways)
    size = 0
    patterns = cycle(PATTERNS)
    good = 0
    while good < target:
        empty = rng.randrange(host.slots) if host.slots > 1 and rng.random() < 0.3 else None
        host.set_gaps({})
        for slot in range(host.slots):
            if slot == empty:
                host.erase(slot)
            else:
                host.load(subject.good_key(rng), slot)
        host.settle()
        host.set_gaps(next(patterns))
        for _ in range(min(CHUNK, target - good) if wanted else CHUNK):
            # Sizes come in runs, because the engine drains for each change.
            if rng.random() < 0.15:
                size = rng.randrange(len(subject.sizes))
            slot = rng.randrange(host.slots)
            fault = rng.choice(FAULTS) if rng.random() < 0.04 else None
            if rng.random() < 0.01:
                host.job(slot=slot, decrypt=rng.random() < 0.5, size=rng.randrange(len(subject.sizes), 256), nbytes=subject.sizes[0])
                continue
            host.job(slot=slot, decrypt=rng.choice(subject.ways), size=size, fault=fault)
            good += 1
        if rng.random() < 0.2:
            # The host takes nothing until the core is full.
            host.set_gaps({"m_axis": AT_REST} if rng.random() < 0.5 else {"m_axis_status": AT_REST})
            host.run(4 * host.sector_cycles)
            host.set_gaps({})
        host.settle()
    reference = "the independent reference" if subject.independent else "the definition"
    return f"{host.sectors} random sectors with pauses and back-pressure agree with {reference}", {"sectors": host.sectors}
