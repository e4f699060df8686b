# SPDX-License-Identifier: Apache-2.0
"""The fields of commands for messages, by where keys come from."""

import pytest

from modeloom.interfaces.messages import IN_ORDER, IN_SLOTS, ROUND_KEYS, KeyPins, message_command, message_core
from modeloom.interfaces.shared import KEY_FLAGS, ORDERED_KEY_FLAGS
from modeloom.interfaces.table import LISTED_SLOTS


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("lengths", [False, True])
def test_commands_have_the_same_size_wherever_keys_come_from(lengths: bool, passes: int) -> None:
    """A slot takes as many bits as are reserved beside the turn of a key."""
    slots, order = (message_command(16, keys, lengths=lengths, passes=passes) for keys in (IN_SLOTS, IN_ORDER))
    assert slots.bits == order.bits == 384 + 64 * lengths
    names = [{field.name for field in fields.fields} for fields in (slots, order)]
    assert (names[0] - names[1], names[1] - names[0]) == ({"slot"}, {"new_key"})
    assert slots.field("decrypt").bits == passes


@pytest.mark.parametrize(("keys", "said", "slots"), [
    (IN_SLOTS, "tdest selects the slot", True), (ROUND_KEYS, "expanded keys", True), (IN_ORDER, "keys in the order of the messages", False),
], ids=["in slots", "round keys", "in order"])  # fmt: skip
def test_pins_of_keys(keys: KeyPins, said: str, slots: bool) -> None:
    """The bus of keys says what a packet is, and has a port for the slot if there are slots; so does the state of them."""
    *_, bus, flags = message_core(keys=keys, key_slots=5)
    assert said in bus.about and (keys is ROUND_KEYS) == ("all round keys" in bus.about)
    assert ("tdest" in {port.name for port in bus.payload}) == slots
    assert flags == (KEY_FLAGS if slots else ORDERED_KEY_FLAGS)
    assert (flags != message_core(keys=keys, key_slots=LISTED_SLOTS + 1)[-1]) == slots
