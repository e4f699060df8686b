# SPDX-License-Identifier: Apache-2.0
"""What becomes of a slot is said in one place: the states that all key ports have are not written again."""

import inspect
import re

import pytest

from modeloom.rtl.bus.expanded_port import ExpandedKeyPort
from modeloom.rtl.bus.key_port import KeyPort, KeySlot

SHARED = ("IDLE", "FENCE", "SCRUB", "DISCARD")


@pytest.mark.parametrize("port", [KeyPort, ExpandedKeyPort], ids=["key_port", "expanded_port"])
def test_states_of_the_slot_are_shared(port):
    states = re.findall(r'm\.State\("(\w+)"\)', inspect.getsource(port))
    assert states and not set(states) & set(SHARED)
    assert set(SHARED) == set(re.findall(r'm\.State\("(\w+)"\)', inspect.getsource(KeySlot)))
