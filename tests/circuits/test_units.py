# SPDX-License-Identifier: Apache-2.0
"""Every circuit: declared latency and interval are those that its ports show; ``simulation.get`` settles combinational logic."""

from __future__ import annotations

import pytest
from tests.circuits.units import measured

from modeloom.circuits import all_circuits

CASES = [(name, {}) for name in all_circuits()]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = all_circuits()[name].build(**options)
    assert measured(built) == (built.component.latency, built.component.interval)
