# SPDX-License-Identifier: Apache-2.0
"""How many blocks a unit takes in some cycles, against all phases of its batches."""

from __future__ import annotations

import random

import numpy as np
import pytest

from modeloom.spec.cadence import Cadence

CADENCES = [Cadence(10, 1), Cadence(7, 3), Cadence(5, 4), Cadence(40, 4)]


@pytest.mark.parametrize("cadence", CADENCES, ids=str)
def test_room_and_span(cadence: Cadence) -> None:
    """``room`` is reached in some phase, and ``span`` is where it first has room for so many blocks."""
    most = [
        max(sum(cadence.takes(phase + cycle) for cycle in range(cycles)) for phase in range(cadence.interval))
        for cycles in range(3 * cadence.interval)
    ]
    assert [cadence.room(cycles) for cycles in range(len(most))] == most
    assert cadence.room(np.arange(len(most))).tolist() == most
    for blocks in range(1, 2 * cadence.blocks + 1):
        assert cadence.span(blocks) == min(cycles for cycles, room in enumerate(most) if room >= blocks) - 1
    assert cadence.span(np.arange(1, 9)).tolist() == [cadence.span(blocks) for blocks in range(1, 9)]


@pytest.mark.parametrize("cadence", CADENCES, ids=str)
def test_phase(cadence: Cadence) -> None:
    """A phase is found where one exists whose batches do not reach beyond their intervals."""
    rng, found, refused = random.Random(1), 0, 0
    for _ in range(200):
        first = rng.randrange(cadence.interval)
        starts = [rng.randrange(4) * cadence.interval + first + rng.randrange(cadence.blocks) for _ in range(rng.randint(1, 4))]
        starts += [rng.randrange(99)] * (rng.random() < 0.2)
        phases = range(cadence.interval - cadence.blocks + 1)
        exist = any(all(cadence.takes(start - phase) for start in starts) for phase in phases)
        phase = cadence.phase(starts)
        assert (phase is not None) == exist
        if phase is not None:
            assert phase in phases and all(cadence.takes(start - phase) for start in starts)
        found, refused = found + exist, refused + (not exist)
    assert found > 40 and refused > 10
    assert cadence.phase([]) == 0
