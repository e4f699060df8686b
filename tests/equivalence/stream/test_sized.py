# SPDX-License-Identifier: Apache-2.0
"""The name of the round keys in a cipher for keys of several sizes: it is the same only if the pipeline holds the same."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from modeloom.equivalence import lanes
from modeloom.equivalence.cores import CoreTimes
from modeloom.equivalence.stream.core import SizedCipherCore
from modeloom.spec.kinds import OPERATIONS

ROUNDS = 4
WIDTHS = {"key_we": 1, "key_slot": 2, "key_round": 3, "key_length": 2, "key_data": 8, "slot": 2}

Write = tuple[int, int, str]
"""Size of the key (0 is the longest), number of the round key, and its name; "" for zeros."""

ZEROS: list[Write] = [(0, number, "") for number in range(ROUNDS)]
KEY: list[Write] = [(1, number, f"key {number}") for number in range(3)]
LONG: list[Write] = [(0, number, f"long {number}") for number in range(ROUNDS)]
BEYOND: Write = (0, ROUNDS, "")


def name_of(writes: Iterable[Write]) -> int:
    """The name of what a core holds for slot 1 after these writes."""
    operation = OPERATIONS["enc"]
    widths = {**WIDTHS, **dict.fromkeys(operation.unit.ports, 8)}
    ports = {role: ((role, width),) for role, width in widths.items()}
    core = SizedCipherCore("cipher", ports, [operation], operation.unit, 1, CoreTimes(2), ROUNDS, 8)
    for cycle, (size, number, name) in enumerate(writes):
        values = {"key_we": 1, "key_slot": 1, "key_round": number, "key_length": size, "slot": 0}
        inputs = {role: lanes.constant(value, widths[role]) for role, value in values.items()}
        core.clock({**inputs, **dict.fromkeys(operation.unit.ports, 0), "key_data": lanes.atom(name, 8) if name else 0}, cycle)
    return core.digest(operation.name, 1)


@pytest.mark.parametrize("writes", [
    [*reversed(ZEROS), *KEY], [BEYOND, *reversed(ZEROS), *KEY], [*LONG, *ZEROS, *KEY], [*ZEROS, *KEY, *reversed(ZEROS), *KEY],
], ids=["backwards", "a number beyond", "behind a longer key", "behind itself"])  # fmt: skip
def test_what_was_there_before_zeros_and_their_order_do_not_count(writes: list[Write]) -> None:
    assert name_of(writes) == name_of([*ZEROS, *KEY])


@pytest.mark.parametrize("writes", [
    [*ZEROS[1:], *KEY], [*KEY, *ZEROS], [*ZEROS, *KEY[:-1]], [*LONG, *ZEROS[:-1], *KEY], [*ZEROS, KEY[1], KEY[0], KEY[2]],
    [*ZEROS, (1, 0, "key 1"), (1, 1, "key 0"), KEY[2]], [*KEY[:2], *ZEROS, KEY[2]], [*ZEROS[:2], *KEY, *ZEROS[2:]],
], ids=[
    "a zero is missing", "zeros behind the key", "a round key is missing", "a word of a longer key is left", "another order",
    "round keys at other places", "zeros in the middle", "the key among zeros",
])  # fmt: skip
def test_what_may_differ_in_the_pipeline_has_another_name(writes: list[Write]) -> None:
    assert name_of(writes) != name_of([*ZEROS, *KEY])
