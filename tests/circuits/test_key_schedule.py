# SPDX-License-Identifier: Apache-2.0
"""Key schedules as circuits: latency and interval of each form, and options that do not go together."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.circuits.units import measured

from modeloom.spec import InputError
from modeloom_circuits import find_circuit

CASES = [
    ("aes-key-schedule", {"form": "offline", "slots": 3}),
    ("aes-key-schedule", {"form": "srl"}),
    ("aes-key-schedule", {"form": "ring", "key_bits": 192, "direction": "decrypt"}),
]
CASES += slowly(
    *[("aes-key-schedule", {"form": form, "key_bits": bits}) for form in ("offline", "srl", "ring") for bits in (128, 192, 256)],
    ("aes-key-schedule", {"form": "unrolled"}),
    *[("aes-key-schedule", {"form": form, "key_bits": "all"}) for form in ("iterative", "unrolled")],
    *[("aes-key-schedule", {"form": "offline", "slots": 0, "direction": way}) for way in ("encrypt", "decrypt")],
    *[("aes-key-schedule", {"form": form, "direction": "decrypt"}) for form in ("offline", "iterative", "ring")],
    *[("aes-pipeline-agile", options) for options in ({"key_bits": 128}, {"collision": "stall"}, {"form": "unrolled"})],
)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_figures():
    assert find_circuit("aes-key-schedule").build(key_bits=192).figures == {"rounds": 12, "erase_cycles": 13}
    agile = find_circuit("aes-pipeline-agile").build(collision="stall").figures
    assert agile == {"key_interval": 14, "key_change_stall": 4, "erase_cycles": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "srl", "key_bits": "all"}, "--form srl takes --key-bits 128, 192 or 256, not all"),
        ({"form": "unrolled", "direction": "decrypt"}, "--form unrolled is for --direction encrypt"),
        ({"form": "iterative", "streams": 2}, "--streams is for --form srl, not iterative"),
        ({"form": "ring", "slots": 2}, "--slots is for --form offline, not ring"),
        ({"form": "lazy"}, "--form must be one of offline, iterative, unrolled, srl, ring, not lazy"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(InputError, match=message):
        find_circuit("aes-key-schedule").build(**options)
