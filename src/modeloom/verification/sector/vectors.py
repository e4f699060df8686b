# SPDX-License-Identifier: Apache-2.0
"""Runs published vectors on the core.  If none has the right lengths, it builds a core with the same options and other lengths."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modeloom import vectors
from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit.files import emit
from modeloom.emit.tools import CheckFailed
from modeloom.options.row import Value
from modeloom.options.sectors import SIZES, Options
from modeloom.product.sectors import SectorDescription
from modeloom.product.simulated import Sector
from modeloom.spec import InputError
from modeloom.verification.sector.subject import Subject

__all__ = ["beside", "check_vectors", "fitting"]

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


def beside(subject: Subject, options: Options, optimize: int) -> tuple[str, Mapping[str, object]]:
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
