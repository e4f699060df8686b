# SPDX-License-Identifier: Apache-2.0
"""Directions of cores and of layers: ports, choices, and names that are not one."""

import copy
import pickle

import pytest
from amaranth.hdl import Signal
from amaranth.lib.wiring import In

from modeloom.rtl.aes.parameters import CORES, LAYERS, Direction, joined


@pytest.mark.parametrize(("direction", "ways"), list(zip(CORES, [(False,), (True,), (False, True)], strict=True)))
def test_a_direction_is_its_name(direction, ways):
    found = Direction.of(str(direction))
    assert found == str(direction) and found.ways == ways
    assert found.ports(decrypt=In(1)) == ({"decrypt": In(1)} if len(ways) > 1 else {})
    for same in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert same == found and (same.ways, same.port) == (found.ways, found.port)


def test_a_choice_has_no_multiplexer_in_one_direction():
    forward, backward, way = Signal(32), Signal(32), Signal()
    assert CORES[0].choose(way, forward, backward) is forward and LAYERS[1].choose(way, forward, backward) is backward
    assert joined(way, [forward]) is forward and len(CORES[2].choose(way, forward, backward)) == 32


def test_unknown_directions_are_refused():
    with pytest.raises(ValueError, match="direction must be one of encrypt, decrypt, both, not 'inverse'"):
        Direction.of("inverse")
    with pytest.raises(ValueError, match="direction must be one of forward, inverse, both, not 'encrypt'"):
        Direction.of_layer("encrypt")
    with pytest.raises(ValueError, match="in this order only"):
        Direction.of("both").require(CORES[:1], ValueError("in this order only"))
