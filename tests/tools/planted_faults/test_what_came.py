# SPDX-License-Identifier: Apache-2.0
"""Records of two cores: the same beats in other cycles are the same, and a lost, a doubled or another beat is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tools.planted_faults.what_came import FAR, WhatCame

from modeloom.interfaces.messages import MessageCode

BLOCK = 4

NAMES = (
    "key_error", "key_loaded", "m_axis_status_tdata", "m_axis_status_tvalid", "m_axis_tdata", "m_axis_tlast", "m_axis_tvalid", "zeroizing",
)  # fmt: skip
SIZES = {"m_axis_status_tdata": BLOCK + 4}
READY = ("m_axis_status_tready", "m_axis_tready")


def came() -> WhatCame:
    ports = {name: SimpleNamespace(kind="output", bytes=SIZES.get(name, 1)) for name in NAMES}
    ports |= {name: SimpleNamespace(kind="input", bytes=1) for name in (*READY, "s_axis_tvalid")}
    return WhatCame(SimpleNamespace(ports=ports), BLOCK)  # type: ignore[arg-type]


def record(found: WhatCame, *cycles: dict[str, int]) -> bytes:
    rest = dict.fromkeys(found.names, 0) | dict.fromkeys(READY, 1)
    return b"".join((rest | cycle)[name].to_bytes(SIZES.get(name, 1), "little") for cycle in cycles for name in found.names)


def beat(data: int, **more: int) -> dict[str, int]:
    return {"m_axis_tdata": data, "m_axis_tvalid": 1, **more}


def test_names() -> None:
    assert sorted(came().names) == sorted((*NAMES, *READY))


def test_beats_in_other_cycles() -> None:
    found = came()
    one = record(found, {}, beat(1), {}, beat(2))
    late = record(found, {}, {}, beat(1), beat(2, m_axis_tready=0), beat(2, m_axis_tready=0), beat(2))
    assert found.same(one, late, whole=True, judged=False) and found.first_difference(one, late) == 1


@pytest.mark.parametrize("other", [
    (beat(1),), (beat(1), beat(3)), (beat(1), beat(2), beat(2)), (beat(1), beat(2, m_axis_tlast=1)), (beat(2), beat(1)),
    (beat(1), beat(2), {"m_axis_status_tvalid": 1}), (beat(1), beat(2), {"key_loaded": 1}), (beat(1), beat(2), {"key_error": 1}, {}),
])  # fmt: skip
def test_other_beats(other: tuple[dict[str, int], ...]) -> None:
    found = came()
    assert not found.same(record(found, beat(1), beat(2)), record(found, *other), whole=True, judged=False)


def test_pieces_between_erasures() -> None:
    """What is cut off may be behind, but not by much, and what comes after an erasure is compared from its beginning."""
    found = came()
    erase = {"zeroizing": 1}
    one = record(found, beat(1), beat(2), erase, erase, beat(3))
    assert found.same(one, record(found, beat(1), erase, beat(3)), whole=True, judged=False)
    assert not found.same(one, record(found, beat(1), erase, beat(4)), whole=True, judged=False)
    assert not found.same(one, record(found, beat(1), beat(2), beat(3)), whole=False, judged=False)
    many = [beat(value) for value in range(FAR + 2)]
    assert not found.same(record(found, *many), record(found, beat(0)), whole=False, judged=False)
    assert found.same(record(found, *many), record(found, *many[:2]), whole=False, judged=False)


def status(id: int, code: MessageCode, channel: int = 0) -> dict[str, int]:
    return {"m_axis_status_tdata": (id | code << 16 | channel << 24) << 8 * BLOCK, "m_axis_status_tvalid": 1}


def test_channels_have_no_order() -> None:
    found = came()
    first, second, later = (status(id, MessageCode.OK, channel) for id, channel in ((1, 0), (2, 1), (3, 0)))
    assert found.same(record(found, first, second, later), record(found, second, first, later), whole=True, judged=False)
    assert not found.same(record(found, first, second, later), record(found, later, second, first), whole=True, judged=False)


def test_a_message_that_meets_another_key() -> None:
    """Cycles decide whether a message comes before a new key or while it is loaded; no other answer depends on them."""
    found = came()
    one = record(found, beat(1), status(5, MessageCode.OK), status(6, MessageCode.OK))
    other = record(found, status(5, MessageCode.NO_KEY), status(6, MessageCode.OK))
    assert found.same(one, other, whole=True, judged=True) and found.same(other, one, whole=True, judged=True)
    assert not found.same(one, other, whole=True, judged=False)
    for code, id in ((MessageCode.WRONG_TAG, 5), (MessageCode.NO_KEY, 7)):
        assert not found.same(one, record(found, beat(1), status(id, code), status(6, MessageCode.OK)), whole=True, judged=True)
    assert not found.same(one, record(found, status(5, MessageCode.NO_KEY), status(6, MessageCode.WRONG_TAG)), whole=True, judged=True)
    assert not found.same(one, record(found, status(5, MessageCode.NO_KEY)), whole=True, judged=True)
