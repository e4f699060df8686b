# SPDX-License-Identifier: Apache-2.0
"""The bit sets of the slack search are those of a definition slot by slot."""

import random

import pytest

from modeloom.schedule.slack import _runs


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 11, 12])
@pytest.mark.parametrize("ii", [1, 2, 7, 12])
def test_runs_of_free_slots(ii, length):
    """A unit that takes several cycles needs each of them free, and the table is a circle."""
    rng = random.Random(ii * length)
    for row in (0, (1 << ii) - 1, *(rng.getrandbits(ii) | rng.getrandbits(ii) for _ in range(60))):
        found = {slot for slot in range(ii) if _runs(row, ii, length) >> slot & 1}
        assert found == {slot for slot in range(ii) if all(row >> (slot + ahead) % ii & 1 for ahead in range(length))}
