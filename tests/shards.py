# SPDX-License-Identifier: Apache-2.0
"""The slow tests, in shards of about equal length.

A test is slow if it says so, or if ``slow_tests.txt`` names it.  A test is listed there if it takes long and something shorter stands for
its subject, or if it needs a core that only such tests need.  The list has the seconds of each in a run of all (``tools/slow_tests.py``).

``slow_seconds.json`` holds the processor seconds that the other slow tests of each file take.  A file that takes long is divided by the
parameters of its tests, so that those of one core stay together.  The longest go first, each to the shard that has least: the same
tests give the same shards.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

__all__ = ["LISTED", "LONGEST", "MEASURED", "SECONDS", "USUAL", "group_of", "parse", "seconds_of", "shards"]

HERE = Path(__file__).parent

LISTED: dict[str, float] = {
    name: float(seconds)
    for seconds, name in (line.split(maxsplit=1) for line in (HERE / "slow_tests.txt").read_text(encoding="utf-8").splitlines())
}
"""Seconds by test, of those that ``slow_tests.txt`` names."""

MEASURED: dict[str, float] = json.loads((HERE / "slow_seconds.json").read_text(encoding="utf-8"))
"""Seconds by file, of those that say that they are slow."""


def _seconds() -> dict[str, float]:
    every = Counter(MEASURED)
    for name, seconds in LISTED.items():
        every[name.partition("::")[0]] += seconds
    return dict(every)


SECONDS = _seconds()
"""Seconds by file, of all slow tests."""

USUAL = 60.0
"""Seconds of a file that has not been measured."""

LONGEST = 400.0
"""Seconds that a part of a file takes at most, on average."""


def _parts(file: str) -> int:
    return max(1, -int(-SECONDS.get(file, USUAL) // LONGEST))


def group_of(nodeid: str) -> str:
    """What a test goes with: its file, or a part of it, such as ``tests/core/test_soak.py#1``."""
    file, _, test = nodeid.partition("::")
    parts = _parts(file)
    return file if parts == 1 else f"{file}#{zlib.crc32(test.partition('[')[2].encode()) % parts}"


def seconds_of(group: str) -> float:
    """About how long the tests of a group take."""
    file = group.partition("#")[0]
    return SECONDS.get(file, USUAL) / _parts(file)


def shards(groups: Iterable[str], count: int) -> list[list[str]]:
    """Groups by shard."""
    parts: list[list[str]] = [[] for _ in range(count)]
    length = [0.0] * count
    for group in sorted(set(groups), key=lambda group: (-seconds_of(group), group)):
        least = length.index(min(length))
        parts[least].append(group)
        length[least] += seconds_of(group)
    return parts


def parse(shard: str) -> tuple[int, int]:
    """Number and count of a shard that is given as ``3/8``, counted from 1; raises ``ValueError``."""
    number, count = (int(part) for part in shard.split("/"))
    if not 1 <= number <= count:
        raise ValueError(f"shard {number} of {count}")
    return number, count
