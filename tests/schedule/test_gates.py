# SPDX-License-Identifier: Apache-2.0
"""The bound of a gate: never above the least that a solver finds, and what proves the plain schedule of EME minimal."""

from __future__ import annotations

import random

import pytest
from tests.schedule.random_problems import INSTANCES, anything, exists, two_hashes

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.exact import gate_bound
from modeloom.schedule.modulo import schedule


@pytest.mark.parametrize("make", [two_hashes, anything])
def test_no_schedule_is_shorter(make) -> None:  # type: ignore[no-untyped-def]
    """Also where no result waits for the operations with the most around them; plain, so the interval is as long as the schedule."""
    rng, tight = random.Random(make.__name__), 0
    for _ in range(INSTANCES // 2):
        problem = make(rng)
        bound = gate_bound(problem)
        made = schedule(problem, overlap=False, restarts=1)
        assert bound <= made.latency
        if bound > problem.latency_bound():
            assert not exists(problem, 4 * made.latency, bound - 1)
            tight += bound == made.latency
    assert make is anything or tight


def test_eme_is_minimal() -> None:
    """All goes through the mask: neither paths nor the rate of the cipher alone prove it."""
    options = Options(sector=128, cipher_stages=1, mul_stages=1, registered=False, overlap=False, exact=True, lanes=1)
    made = compile_mode(find("eme"), options, prove=False).schedule
    assert made.optimal and made.latency > made.problem.latency_bound()
    # The register of the mask costs a cycle that the bound does not see, and the solver does.
    assert 0 <= made.latency - gate_bound(made.problem) <= 1
