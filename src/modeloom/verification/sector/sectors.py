# SPDX-License-Identifier: Apache-2.0
"""Tests sectors of all sizes, directions and slots: edge values, then random ones with pauses, back-pressure and faulty packets."""

from __future__ import annotations

import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from modeloom import vectors
from modeloom.ciphers import AES
from modeloom.ciphers.description import STARTED
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit.files import emit
from modeloom.emit.simulators import CheckFailed
from modeloom.options.row import Value
from modeloom.options.sectors import SIZES, Options
from modeloom.product.beats import SectorDescription
from modeloom.product.simulated import Sector
from modeloom.sim import AT_REST
from modeloom.spec import InputError
from modeloom.spec.errors import many
from modeloom.spec.kinds import DEC, ENC
from modeloom.verification.host import BUSES
from modeloom.verification.sector.host import FAULTS, Host, Subject
from modeloom_golden.aes_steps import round_keys

__all__ = [
    "PATTERNS", "Need", "check_edges", "check_keys", "check_sectors", "check_vectors", "chosen_keys", "fitting", "missed",
    "needed_sectors", "on_other_core", "schedule_keys",
]  # fmt: skip


# -- vectors ---------------------------------------------------------------------------------------------------------------------------

# Runs published vectors on the core.  If none has the right lengths, it builds a core with the same options and other lengths.

MOST_BLOCKS = 48
"""Largest number of blocks, over all sector sizes, of an additional core.  Its build then takes seconds."""

Test = dict[str, Any]


def fitting(description: SectorDescription) -> list[Test]:
    """The published vectors for the mode, the cipher, and the lengths of key, tweak and sector of the core."""
    sizes = {size.sector_bytes for size in description.sizes}
    return [
        test
        for test in vectors.for_mode(description.mode, description.cipher)
        if len(test["key"]) == 2 * description.key_bytes
        and len(test["tweak"]) == 2 * description.tweak_bytes
        and len(test["pt"]) // 2 in sizes
    ]


def run_vectors(subject: Subject, tests: Sequence[Test]) -> None:
    """Runs vectors in the directions of the core, grouped by key.  Raises ``CheckFailed`` for the first difference."""
    core = subject.core()
    by_key: dict[str, list[Test]] = defaultdict(list)
    for test in tests:
        by_key[test["key"]].append(test)
    for number, (key, group) in enumerate(by_key.items()):
        slot = number % subject.description.key_slots
        core.load_key(bytes.fromhex(key), slot)
        for decrypt in subject.ways:
            data, wanted = ("ct", "pt") if decrypt else ("pt", "ct")
            jobs = [Sector(bytes.fromhex(test["tweak"]), bytes.fromhex(test[data]), decrypt, slot) for test in group]
            for test, result in zip(group, core.run(jobs), strict=True):
                if result != bytes.fromhex(test[wanted]):
                    way = "decrypt" if decrypt else "encrypt"
                    raise CheckFailed(f"{subject.directory}: vector {test['tcId']} fails to {way}: {test.get('comment', '')}".rstrip(": "))


def check_vectors(subject: Subject) -> tuple[str, Mapping[str, object]]:
    """Vectors on the core itself."""
    tests = fitting(subject.description)
    run_vectors(subject, tests)
    return f"{len(tests)} published ones fit this core and pass", {"on_this_core": len(tests)}


def candidates(subject: Subject, options: Options) -> Iterator[tuple[int, Options]]:
    """Options with the same units and other lengths for which there are vectors, with the numbers of vectors in falling order."""
    mode = subject.mode
    block = mode.block_bytes
    groups: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for test in vectors.for_mode(subject.description.mode, subject.description.cipher):
        key, tweak, size = (len(test[name]) // 2 for name in ("key", "tweak", "pt"))
        blocks = -(-size // block)
        if tweak in mode.tweak_sizes and blocks <= MOST_BLOCKS:
            groups[key, tweak][size] += 1
    found = []
    for (key, tweak), sizes in groups.items():
        chosen: list[int] = []
        blocks = 0
        # With equal numbers, longer sectors come first, because they use more of the schedule.
        for size in sorted(sizes, key=lambda size: (-sizes[size], -size)):
            if blocks + -(-size // block) <= MOST_BLOCKS and len(chosen) < SIZES:
                chosen.append(size)
                blocks += -(-size // block)
        for bits in (options.key_bits, 128, 192, 256):
            if bits and mode.key_bytes(bits // 8) == key:
                changes: dict[str, Value] = {"sector": chosen[0], "more_sectors": tuple(chosen[1:]), "tweak": tweak, "key_bits": bits}
                found.append((sum(sizes[size] for size in chosen), bits == options.key_bits, options.but(**changes)))
                break
    for count, _, changed in sorted(found, key=lambda each: (-each[0], not each[1])):
        yield count, changed


def on_other_core(subject: Subject, options: Options, optimize: int) -> tuple[str, Mapping[str, object]]:
    """Builds a core that fits some vectors and runs them on it.  Says so if there is none."""
    for _, changed in candidates(subject, options):
        try:
            compiled = compile_mode(subject.mode, changed)
        except InputError:
            continue  # these units do not fit these lengths
        with tempfile.TemporaryDirectory(prefix="modeloom-vectors-") as work:
            emit(SectorCore(compiled), Path(work) / "core", command="modeloom verify")
            other = Subject(Path(work) / "core", optimize=optimize, seed=subject.seed)
            tests = fitting(other.description)
            run_vectors(other, tests)
        *first, last = map(str, other.sizes)
        lengths = f"{', '.join(first)} and {last}" if first else last
        text = f"no published vector fits this core; {len(tests)} pass on a core with the same units, built for sectors of {lengths} "
        text += f"bytes, tweaks of {changed.tweak} bytes and keys of {changed.key_bits} bits"
        return text, {"on_this_core": 0, "beside": len(tests), "sizes_beside": other.sizes}
    if vectors.for_mode(subject.description.mode, subject.description.cipher):
        return "no published vector fits a core with these units", {"on_this_core": 0, "beside": 0}
    return "there are no published vectors for this mode with this cipher", {"on_this_core": 0, "beside": 0}


# -- sectors ---------------------------------------------------------------------------------------------------------------------------

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

    Calls are distributed evenly over the cores of a kind.  A core that takes one block after another reads its S-boxes in each round.
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
        least.append(calls * (rounds * STARTED[form] if form in STARTED else 1) / count)
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
