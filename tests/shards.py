# SPDX-License-Identifier: Apache-2.0
"""The slow tests, in shards of about equal length.

A test is slow if it says so, or if ``slow_tests.txt`` names it.  A test is listed there if it takes long and something shorter stands for
its subject, or if it needs a core that only such tests need.  The list has the seconds of each in a run of all (``tools/slow_tests.py``).

The tests of a file that have the same parameters stay together, since they share a core.  Such groups are dealt to the shards in turn,
file by file.  So each shard gets its part of every file that takes long, and no one has to know how long.  Within a file, the order is
that of a checksum: parameters often come in a rhythm, and one shard must not get the largest size each time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

__all__ = ["COLLECTED", "LISTED", "group_of", "parse", "shards"]

HERE = Path(__file__).parent

LISTED: dict[str, float] = {
    name: float(seconds)
    for seconds, name in (line.split(maxsplit=1) for line in (HERE / "slow_tests.txt").read_text(encoding="utf-8").splitlines())
}
"""Seconds by test, of those that ``slow_tests.txt`` names."""

COLLECTED = pytest.StashKey[list[str]]()
"""The names of all tests of a run, with those that are left out."""


def group_of(nodeid: str) -> tuple[str, str]:
    """What a test stays together with: its file and its parameters."""
    file, _, test = nodeid.partition("::")
    return file, test.partition("[")[2]


def shards(groups: Iterable[tuple[str, str]], count: int) -> list[list[tuple[str, str]]]:
    """Groups by shard."""
    parts: list[list[tuple[str, str]]] = [[] for _ in range(count)]
    for number, group in enumerate(sorted(set(groups), key=lambda group: (group[0], zlib.crc32(group[1].encode()), group[1]))):
        parts[number % count].append(group)
    return parts


def parse(shard: str) -> tuple[int, int]:
    """Number and count of a shard that is given as ``3/8``, counted from 1; raises ``ValueError``."""
    number, count = (int(part) for part in shard.split("/"))
    if not 1 <= number <= count:
        raise ValueError(f"shard {number} of {count}")
    return number, count
