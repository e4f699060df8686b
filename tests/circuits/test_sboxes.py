# SPDX-License-Identifier: Apache-2.0
"""S-boxes and MixColumns as circuits: names, options, gate counts; ports of some further forms."""

import pytest
from tests.built import slow
from tests.circuits.units import measured

from modeloom.spec import InputError
from modeloom_circuits import all_circuits, find_circuit

KINDS = ("lut", "bram", "composite", "bdd", "compact")

CASES = (
    ("sbox-lut", {"direction": "both", "stages": 2}),
    ("sbox-bram", {"direction": "both", "stages": 2}),
    ("sbox-composite", {"direction": "both", "stages": 3}),
    ("sbox-compact", {"direction": "both", "stages": 1}),
    ("inv-sbox-compact", {"stages": 4}),
    ("inv-sbox-bdd", {"stages": 2}),
    ("mixcolumns", {"direction": "both"}),
    ("inv-mixcolumns", {"levels": 3}),
)


@slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_declared_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


def test_names():
    wanted = {f"{prefix}sbox-{kind}" for prefix in ("", "inv-") for kind in KINDS} | {"mixcolumns", "inv-mixcolumns"}
    assert wanted <= all_circuits().keys()


@pytest.mark.parametrize("kind", KINDS)
def test_prefix_is_the_direction(kind):
    short, long = find_circuit(f"inv-sbox-{kind}").build(), find_circuit(f"sbox-{kind}").build(direction="inverse")
    assert short.gates == long.gates
    assert (short.component.kind, short.component.direction) == (long.component.kind, long.component.direction)
    assert (short.gates is None) == (kind in ("lut", "bram"))
    assert short.component.latency == (kind == "bram")


def test_counts():
    """Goals: at most 115 gates for the compact S-box and 121 to 125 for its inverse; LUTs of a column at most 36 and 60."""
    assert find_circuit("sbox-compact").build().gates.total <= 115
    assert find_circuit("inv-sbox-compact").build().gates.total <= 121
    assert find_circuit("mixcolumns").build().figures["lut6"] == 36
    inverse = find_circuit("inv-mixcolumns").build()
    assert (inverse.figures["lut6"], inverse.figures["lut6_levels"]) == (51, 4)
    assert find_circuit("inv-mixcolumns").build(levels=3).figures["lut6"] == 57
    # The LUTs' own sums are not those of the fewest gates; they are counted as they stand.
    assert inverse.gates.ands == 0 and inverse.gates.depth <= 3 * 4


def test_refused():
    with pytest.raises(InputError, match="--stages must be from 0 to 2, not 3"):
        find_circuit("sbox-lut").build(stages=3)
    with pytest.raises(InputError, match="--direction must be one of forward, inverse, both, not sideways"):
        find_circuit("sbox-compact").build(direction="sideways")
    with pytest.raises(InputError, match="--levels is for direction inverse, not forward"):
        find_circuit("mixcolumns").build(levels=3)
