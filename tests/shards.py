# SPDX-License-Identifier: Apache-2.0
"""The slow tests, in shards of about equal length.

``slow_seconds.json`` holds the seconds that the slow tests of each file take on one core; a file that takes too long for one shard has an
entry for each test function instead.  The longest go first, each to the shard that has least: the same tests give the same shards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

__all__ = ["SECONDS", "USUAL", "group_of", "parse", "shards"]

SECONDS: dict[str, float] = json.loads((Path(__file__).parent / "slow_seconds.json").read_text(encoding="utf-8"))
"""Seconds by file, or by file and test function, as ``tests/core/test_soak.py::test_soak``."""

USUAL = 60.0
"""Seconds of what has not been measured."""


def group_of(nodeid: str) -> str:
    """The entry that a test belongs to: its function's or, if there is none, its file's."""
    file, _, rest = nodeid.partition("::")
    function = f"{file}::{rest.partition('[')[0]}"
    return function if function in SECONDS else file


def shards(groups: Iterable[str], count: int) -> list[list[str]]:
    """Groups by shard."""
    parts: list[list[str]] = [[] for _ in range(count)]
    length = [0.0] * count
    for group in sorted(set(groups), key=lambda group: (-SECONDS.get(group, USUAL), group)):
        least = length.index(min(length))
        parts[least].append(group)
        length[least] += SECONDS.get(group, USUAL)
    return parts


def parse(shard: str) -> tuple[int, int]:
    """Number and count of a shard that is given as ``3/8``, counted from 1; raises ``ValueError``."""
    number, count = (int(part) for part in shard.split("/"))
    if not 1 <= number <= count:
        raise ValueError(f"shard {number} of {count}")
    return number, count
