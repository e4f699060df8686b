# SPDX-License-Identifier: Apache-2.0
"""Circuits of Deoxys-BC: options that the generic test does not take, and what does not go together."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.circuits.units import measured

from modeloom.spec import InputError
from modeloom_circuits import find_circuit

CASES = [{"streams": 2, "direction": "both"}, {"streams": 2, "schedule": "srl"}]
CASES += slowly(
    *[{"streams": streams, "direction": direction} for streams in (1, 2, 4) for direction in ("decrypt", "both")],
    *[{"streams": streams, "schedule": "srl"} for streams in (1, 4)],
    *[{"form": "pipeline", "stages": stages, "slots": slots, "direction": direction}
      for stages, slots, direction in ((1, 1, "encrypt"), (2, 4, "decrypt"), (4, 2, "both"))],
)  # fmt: skip


@pytest.mark.parametrize("options", CASES, ids=str)
def test_declared_latency_and_interval(options):
    built = find_circuit("deoxys-bc").build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"streams": 3}, "--streams must be one of 1, 2, 4"),
        ({"form": "pipeline", "streams": 2}, "--streams is for --form multistream, not pipeline"),
        ({"form": "pipeline", "schedule": "srl"}, "--schedule is for --form multistream, not pipeline"),
        ({"stages": 2}, "--stages is for --form pipeline, not multistream"),
        ({"slots": 2}, "--slots is for --form pipeline, not multistream"),
        ({"schedule": "srl", "direction": "both"}, "--schedule srl is for --direction encrypt"),
    ],
)
def test_what_does_not_go_together(options, message):
    with pytest.raises(InputError, match=message):
        find_circuit("deoxys-bc").build(**options)


def test_cycles_of_a_block():
    """14 for each block and stream; luts2017, section 4.2, prints 3 874 Mbit/s at 454 MHz, which is 15."""
    for streams in (1, 2, 4):
        assert find_circuit("deoxys-bc").build(streams=streams).figures["cycles_per_block"] == 14
    assert round(128 * 454 / 15) == 3874
