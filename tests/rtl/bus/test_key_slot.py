# SPDX-License-Identifier: Apache-2.0
"""What becomes of a slot is said in one place: the states that all key ports have are not written again."""

import inspect
import re

import pytest

from modeloom.rtl.bus import expanded_port, key_port
from modeloom.rtl.bus import key_port as key_slot

SHARED = ("IDLE", "FENCE", "SCRUB", "DISCARD")


@pytest.mark.parametrize("port", [key_port, expanded_port], ids=lambda module: module.__name__.split(".")[-1])
def test_states_of_the_slot_are_shared(port):
    states = re.findall(r'm\.State\("(\w+)"\)', inspect.getsource(port))
    assert states and not set(states) & set(SHARED)
    assert set(SHARED) == set(re.findall(r'm\.State\("(\w+)"\)', inspect.getsource(key_slot)))
