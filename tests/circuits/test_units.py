# SPDX-License-Identifier: Apache-2.0
"""Every circuit: declared latency and interval are those that its ports show; ``simulation.get`` settles combinational logic."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.circuits.units import measured

from modeloom_circuits import all_circuits

LONG = (
    "aes-pipeline", "aes-pipeline-agile", "aes-round", "aes-sequential", "aes-serial-core", "mastrovito", "karatsuba", "karatsuba-refined",
    "fan-hasan", "lut6", "brw", "poly",
)  # fmt: skip
"""They take long to compile; tests/rtl measures them, too, smaller ones."""

SMALL = [name for name in all_circuits() if name.startswith(("sbox-", "inv-", "mixcolumns", "square"))]

GROUPS = [SMALL, *([name] for name in all_circuits() if name not in (*SMALL, *LONG)), *slowly(*(([name],) for name in LONG))]
"""Circuits that share a simulation."""


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_declared_latency_and_interval(names):
    several = [all_circuits()[name].build() for name in names]
    declared = [(built.component.latency, built.component.interval) for built in several]
    assert dict(zip(names, measured(*several))) == dict(zip(names, declared))


def test_the_test_finds_a_wrong_figure():
    for attribute, wrong in (("latency", 1), ("interval", 2)):
        built = all_circuits()["square"].build()
        setattr(built.component, attribute, wrong)
        assert measured(built) == [(0, 1)]
