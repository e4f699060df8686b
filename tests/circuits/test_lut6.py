# SPDX-License-Identifier: Apache-2.0
"""The LUT multiplier as a circuit: latency and interval at its ports with registers inside, and the figures of its structure."""

from __future__ import annotations

import pytest
from tests.built import slow
from tests.circuits.units import measured

from modeloom_circuits import find_circuit

CASES = (("lut6", {"stages": 3}), ("lut6", {"stages": 6, "halt": 16, "field": "polyval"}), ("lut6", {"stages": 16, "lut_inputs": 4}))


@slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert built.component.latency == options["stages"]
    assert measured(built) == [(built.component.latency, built.component.interval)]


def test_structure_has_fewer_luts_than_the_goal_of_4000():
    figures = find_circuit("lut6").build().figures
    assert figures["structure_luts"] <= 3750
    assert figures["structure_levels"] <= 11
