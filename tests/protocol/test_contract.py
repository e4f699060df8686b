# SPDX-License-Identifier: Apache-2.0
"""What the parts of a contract answer: passes, sources of keys, and channels."""

from __future__ import annotations

from typing import Any

import pytest
from tests.protocol.contracts import Plain

from modeloom.interfaces.messages import IN_ORDER, IN_SLOTS, ROUND_KEYS
from modeloom.protocol.contract import ChannelFields, MasterKeySlots, RoundKeySlots
from modeloom.spec import InputError

ONCE, TWICE = Plain(), Plain(tag_first=True)
STORED = Plain(tag_first=True, message_buffer=9)
IN_RING = Plain(inline=True, key_slots=4)


def test_steps_of_passes() -> None:
    """A block of text takes the same step in the only pass and in the last one; the first of two passes makes the tag."""
    assert [ONCE.step_of(way) for way in ONCE.ways] == [STORED.step_of(way) for way in STORED.ways] == ["encrypt", "decrypt"]
    assert [TWICE.step_of(way) for way in TWICE.ways] == ["absorb", "decrypt", "encrypt"]
    assert [TWICE.way_of(step) for step in ("absorb", "decrypt", "encrypt")] == [0, 1, 2]
    assert (ONCE.passes.of(True), TWICE.passes.of(True), ONCE.passes.of(False), TWICE.passes.of(False)) == ((1,), (1,), (0,), (0, 2))
    assert (ONCE.wrong_ways, TWICE.wrong_ways, Plain(tag_first=True, directions=("decrypt",)).ways) == ((), (3,), (1,))


def test_what_is_sent_in_a_pass_and_comes_of_it() -> None:
    assert ONCE.passes.sent(b"plain", b"text!", b"tag") == STORED.passes.sent(b"plain", b"text!", b"tag") == {0: (b"plain", b"text!tag")}
    assert TWICE.passes.sent(b"plain", b"text!", b"tag") == {0: (b"plain", b"tag"), 2: (b"plaintag", b"text!")}
    # The tag that a first pass computes depends on no other one; that of a message whose text is encrypted under its tag does.
    assert (ONCE.passes.right_tag(b"tag"), TWICE.passes.right_tag(b"tag")) == (b"tag", b"")


def test_how_often_the_core_works_on_a_message() -> None:
    """It works twice on what it stores, once on what the host sends again."""
    assert [(c.passes.turns, c.passes.direct, c.passes.most_beats) for c in (ONCE, TWICE, STORED)] == [
        (1, True, None), (1, True, None), (2, False, 3),
    ]  # fmt: skip


def test_a_message_that_is_timed_alone() -> None:
    """With two passes, it is one whose text leaves, and a second pass if that is timed."""
    assert (ONCE.passes.alone((0, 1)), STORED.passes.alone((0, 1))) == ((), ())
    assert (TWICE.passes.alone((1, 2)), TWICE.passes.alone((2,)), TWICE.passes.alone(())) == ((2,), (2,), ())


def test_keys_in_slots() -> None:
    source = ONCE.key_source
    assert (source.wrong, [slot for slot in range(4) if source.lacks(slot)]) == ((2, 65535), [2, 3])
    assert [bool(source.refused(slot, None)) for slot in (-1, 0, 1, 2)] == [True, False, False, True]
    assert "--keys inline" in source.refused(0, b"key") and "no key slot 2" in source.refused(2, b"key")
    assert (source.loaded([b"a", b"b"]), source.brings(1, b"key"), source.changed(1), source.turns(3)) == ([b"a", b"b"], (1, None), (1,), 0)
    assert (source.used(9, None), source.used(9, 1), source.slots_of(2)) == (2, 1, 2)
    for slots in (0, 3):
        with pytest.raises(InputError, match=f"this core has 2 key slots; {slots} cannot be used"):
            source.used(9, slots)


def test_keys_that_come_with_messages() -> None:
    source = IN_RING.key_source
    assert (source.wrong, source.lacks(65535), IN_RING.named_slots) == ((), False, 1)
    assert [bool(source.refused(slot, key)) for slot, key in ((0, None), (0, b"key"), (1, b"key"))] == [False, False, True]
    assert (list(source.loaded([b"a"])), source.brings(1, b"key"), source.changed(1), source.turns(3)) == ([], (0, b"key"), (), 3)
    assert (source.used(9, None), source.slots_of(9)) == (9, 4)
    with pytest.raises(InputError, match="every packet brings a new key"):
        source.used(9, 1)


@pytest.mark.parametrize(("changes", "pins", "costs"), [
    ({}, IN_SLOTS, False), ({"packet_bytes": 176}, ROUND_KEYS, False), ({"derive_interval": 40}, IN_SLOTS, True),
    ({"inline": True}, IN_ORDER, True),
], ids=["keys", "round keys", "master keys", "with messages"])  # fmt: skip
def test_where_keys_come_from(changes: dict[str, Any], pins: object, costs: bool) -> None:
    class Core(Plain):
        packet_bytes = changes.get("packet_bytes")
        derive_interval = changes.get("derive_interval")

    source = Core(inline=bool(changes.get("inline"))).key_source
    assert (source.pins, source.costs) == (pins, costs)
    assert isinstance(source, RoundKeySlots) == (pins is ROUND_KEYS) and isinstance(source, MasterKeySlots) == (costs and pins is IN_SLOTS)


def test_channels() -> None:
    one, three = ChannelFields(1), ChannelFields(3)
    assert [fields.of(2) for fields in (one, three)] == [0, 2]
    assert [[bool(fields.refused(channel)) for channel in (-1, 0, 1, 2, 3)] for fields in (one, three)] == [
        [True, False, True, True, True], [True, False, False, False, True],
    ]  # fmt: skip
    # A block that waits for the one before it leaves cycles to others, if there are others.
    assert (one.alone(11), three.alone(11)) == (0, 11)
    assert (one.named(0), three.named(2)) == ({}, {"channel": 2})
    assert (one.columns("s_axis", [0]), three.columns("s_axis", [2])) == ({}, {"s_axis_tid": [2]})


def test_packets_on_the_wire_are_one_piece() -> None:
    """No part of them begins with a beat of its own, their tag is no field of a command, and no message rests between beats."""
    aligned, text_first, wire = (Plain(**options).form for options in ({}, {"order": "text-first"}, {"packet": "wire"}))
    assert [form.rests for form in (aligned, text_first, wire)] == [True, True, False]
    assert [form.apart(5) for form in (aligned, text_first, wire)] == [5, 5, 0]
    assert [form.given(b"tag") for form in (aligned, text_first, wire)] == [b"tag", b"tag", b""]
    assert [form.header(5) for form in (aligned, text_first, wire)] == [0, 0, 5]
    assert [[form.tag_bytes(way, 4) for way in (0, 1)] for form in (aligned, text_first, wire)] == [[0, 0], [0, 0], [0, 4]]
