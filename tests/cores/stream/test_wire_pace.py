# SPDX-License-Identifier: Apache-2.0
"""Stated figures of cores whose packets are as they are on the wire are those at their pins, for every kind of start and of tag."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.built import slowly
from tests.streamed import folder

from modeloom.emit import CheckFailed
from modeloom.verification.stream.host import StreamSubject, host_of
from modeloom.verification.stream.pace import check_pace, cycles_told, latencies

WIRE: dict[str, Any] = {"packet": "wire", "cipher_stages": 1, "key_slots": 2}
OCB3: dict[str, Any] = {**WIRE, "key_bits": 128}
STREAMS: dict[str, Any] = {"cipher_arch": "multistream", "cipher_stages": None}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "a start that runs ahead": ("ocb3", OCB3),
    "a start that runs ahead, many slots": ("ocb3", {**OCB3, "key_slots": 70}),
    "a start that runs ahead, held": ("ocb3", {**OCB3, "hold": 64}),
    "a start that runs ahead, streams": ("ocb3", {**OCB3, **STREAMS, "streams": 4}),
    "a tag that follows": ("deoxys-i", WIRE),
    "a tag that follows, held": ("deoxys-i", {**WIRE, "hold": 64}),
    "a tag that follows, streams": ("deoxys-i", {**WIRE, **STREAMS, "streams": 1}),
    "a hash": ("gcm", OCB3),
    "a hash, many slots": ("gcm", {**OCB3, "key_slots": 70}),
    "no hash": ("tests/streams/modes.py:NoHash", OCB3),
}
QUICK = ("a start that runs ahead",)


def subject_of(core: str) -> StreamSubject:
    """The core, built once."""
    mode, options = CORES[core]
    return StreamSubject(folder(mode, prove=False, **options), optimize=0)


@pytest.mark.parametrize("core", [*QUICK, *slowly(*(name for name in CORES if name not in QUICK))])
def test_latency(core: str) -> None:
    subject = subject_of(core)
    host, d = host_of(subject, subject.rng("pace")), subject.description
    host.load_all()
    assert d.timed
    for way in d.timed:
        assert max(latencies(host, way, host.used[0])) == d.latency_of(way)


@pytest.mark.parametrize("more", [-1, 1])
def test_another_latency_is_found(more: int) -> None:
    subject = subject_of(QUICK[0])
    right = subject.description.latency
    subject.description = replace(subject.description, latency=right + more)
    with pytest.raises(CheckFailed, match=rf"takes \d+ cycles from text to text, core.json states {right + more}"):
        check_pace(subject)


def test_another_distance_is_found() -> None:
    """Starts that have run ahead hide no longer distance: messages are measured when as many of them start as end."""
    subject = subject_of(QUICK[0])
    d = subject.description
    stated = d.steady(0, 1)[1]
    subject.description = replace(d, cycles=replace(d.cycles, tag=d.cycles.tag - 1))
    with pytest.raises(CheckFailed, match=rf"24 messages of 0 and 1 bytes in [\d.]+ cycles, core.json states {stated - 1} for each"):
        check_pace(subject)


def test_many_numbers_of_cycles_are_told_as_a_span() -> None:
    assert cycles_told({57}) == "57" and cycles_told({58, 57}) == "57 or 58"
    assert cycles_told(set(range(295, 351))) == "295 to 350"


@pytest.mark.parametrize("core", [*QUICK, *slowly(*(name for name in CORES if name not in QUICK))])
def test_pace(core: str) -> None:
    """Messages follow each other as stated, too."""
    assert check_pace(subject_of(core))[0]
