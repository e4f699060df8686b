# SPDX-License-Identifier: Apache-2.0
"""The multipliers of engines: the names that users give are those that there are, and each has the ports and latency of a unit."""

from __future__ import annotations

import pytest

from modeloom.options.sectors import MULTIPLIERS as NAMES
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER


def test_names():
    assert tuple(MULTIPLIERS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_latency_and_ports(name):
    for field in (GHASH_ORDER, POLYVAL_ORDER):
        for stages in (1, 3, 8):
            multiplier = MULTIPLIERS[name](field, stages)
            assert (multiplier.latency, multiplier.interval) == (stages, 1)
            assert {port: len(getattr(multiplier, port)) for port in ("a", "b", "o")} == {"a": 128, "b": 128, "o": 128}
