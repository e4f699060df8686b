# SPDX-License-Identifier: Apache-2.0
"""SM4 circuits: other options than the generic test takes."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.circuits.units import measured

from modeloom_circuits import find_circuit

CASES = [("sm4-sequential", {"direction": "both", "stages": 2, "slots": 3})]
CASES += slowly(
    ("sm4-sequential", {"direction": "decrypt"}),
    *[("sm4-pipeline", {"direction": direction, "stages": stages, "slots": slots})
      for direction, stages, slots in (("encrypt", 2, 1), ("decrypt", 1, 2), ("decrypt", 2, 3))],
)  # fmt: skip


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]
