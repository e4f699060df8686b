# SPDX-License-Identifier: Apache-2.0
"""A beat without bytes that ends a packet: it stands for a part without bytes, and anywhere else every kind of core refuses it alike."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests import streamed
from tests.built import slowly
from tests.streamed import SMALL, TINY

from modeloom.interfaces.messages import MessageCode, pack_message_command, status_channel, unpack_message_status

FAST: dict[str, Any] = {**TINY, "prove": False}
ROUND: dict[str, Any] = {"cipher_arch": "multistream", "streams": 1, "key_slots": 3, "prove": False}
KINDS: dict[str, dict[str, Any]] = {
    "gcm": TINY, "ccm": {**FAST, "mode": "ccm"}, "two blocks a cycle": {**FAST, "blocks_per_cycle": 2}, "hold": {**FAST, "hold": 96},
    "ccm with hold": {**FAST, "mode": "ccm", "hold": 96}, "wire": {**FAST, "packet": "wire"},
    "wire with hold": {**FAST, "packet": "wire", "hold": 96}, "starts that run ahead": {**FAST, "mode": "ocb3", "packet": "wire"},
    "pairs": {**FAST, "mode": "aes-otr"}, "channels": {**SMALL, "channels": 3, "prove": False},
    "channels with a chain": {**SMALL, "mode": "ccm", "channels": 3, "prove": False},
    "text first": {**ROUND, "mode": "deoxys-i", "order": "text-first"},
    "two passes": {**ROUND, "mode": "deoxys-ii"}, "stored messages": {**ROUND, "mode": "deoxys-ii", "message_buffer": 256},
    "derived keys": {**FAST, "mode": "gcm-siv", "keys": "derived"},
}  # fmt: skip
"""Options of a core of each kind."""


class Bus:
    """A core, and beats of any form."""

    def __init__(self, options: dict[str, Any], gaps: dict[str, float] | None = None):
        self.core = streamed.simulated(**options, seed=1, gaps=gaps)
        self.d, self.rng = self.core.description, random.Random(1)
        self.core.load_key(self.rng.randbytes(self.d.key_lengths[0]))
        self.size, self.count = self.d.beat_bytes, 0

    def command(self, ad: int, text: int, decrypt: int, **fields: int) -> None:
        """Queues a command."""
        self.core.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": pack_message_command(
            self.d.command_fields, nonce=self.rng.randbytes(self.d.nonces[0]), tag_bytes=self.d.tag_bytes[0], associated=ad, text=text,
            decrypt=decrypt, id=self.count, **fields,
        )})  # fmt: skip
        self.count += 1

    def packet(self, nbytes: list[int], channel: int = 0) -> None:
        """Queues a packet with so many bytes in each of its beats."""
        column = {"s_axis_tid": [channel] * len(nbytes)} if self.d.channels > 1 else {}
        self.core.runner.feed("s_axis", {
            "s_axis_tdata": self.rng.randbytes(len(nbytes) * self.size), "s_axis_tkeep": [(1 << each) - 1 for each in nbytes],
            "s_axis_tlast": [int(at == len(nbytes) - 1) for at in range(len(nbytes))], **column,
        })  # fmt: skip

    def statuses(self, count: int, cycles: int = 6000) -> list[tuple[int, str, int]]:
        """Id, code and channel of so many statuses."""
        assert self.core.runner.run({"m_axis_status": count}, max_cycles=cycles).done, "a status is missing"
        size, found = self.d.block_bytes, []
        for value in self.core.runner.take("m_axis_status").values("m_axis_status_tdata"):
            status = value.to_bytes(size + 4, "little")
            _, number, code = unpack_message_status(status, size)
            found.append((number, code.name, status_channel(status, size)))
        return found


@pytest.mark.parametrize("decrypt", [0, 1])
@pytest.mark.parametrize("kind", ["gcm", "ccm", *slowly(*(kind for kind in KINDS if kind not in ("gcm", "ccm")))])
def test_a_last_beat_without_bytes(kind: str, decrypt: int) -> None:
    """Behind whole text, behind whole associated data, within either, alone and behind another such beat."""
    bus = Bus(KINDS[kind])
    size, d = bus.size, bus.d
    good, bad, short = ("WRONG_TAG" if decrypt else "OK"), "BAD_KEEP", "TOO_SHORT"
    tag = d.form.tag_bytes(decrypt, d.tag_bytes[0])
    # Bytes of associated data and of text as the command says, and those of the beats.
    cases: list[tuple[int, int, list[int], str]] = []
    if d.form.name == "wire":
        whole = [size] * (2 + -(-tag // size))
        cases += [(size, size + tag, [*whole, 0], bad), (2 * size, tag, [*whole, 0], bad), (0, 0, [0], short if decrypt else good)]
        cases += [(size, size, [*whole, 0, 0], bad), (size, size, whole[:1] + [0], bad)]
    else:
        part = (0, 2 * size) if d.text_first else (2 * size, 0)
        cases += [
            # The part behind is empty: the beat stands for it.
            (*part, [size, size, 0], good), (*part, [size, size], good), (0, 0, [0], good),
            # It stands for nothing.
            (*part, [size, 0], bad), (*part, [size, size, 0, 0], bad), (0, 0, [0, 0], bad), (*part, [0], short),
            (size, size, [size, size, 0], bad), (size, 3 * size, [*[size] * 4, 0], bad),
        ]
        if not d.text_first:
            cases += [(0, 2 * size, [size, size, 0], bad), (3, size, [3, size, 0], bad)]
        if d.lengths_first:
            cases += [(0, 2 * size, [size, size, 1], "TOO_LONG"), (0, 2 * size, [size, 0], bad), (0, 2 * size, [0], short)]
            cases += [(0, 2 * size, [size, size, size, 0], "TOO_LONG"), (size, 2 * size, [size, 0], short)]
    wanted = []
    for ad, text, nbytes, code in cases:
        bus.command(ad, text, decrypt)
        bus.packet(nbytes)
        wanted.append((bus.count - 1, code, 0))
        bus.command(0, size, decrypt)
        bus.packet([size] * (1 + -(-tag // size)))
        wanted.append((bus.count - 1, good, 0))
    assert bus.statuses(len(wanted), 400 * len(wanted)) == wanted


@pytest.mark.parametrize("kind", slowly("channels", "channels with a chain"))
def test_commands_of_channels_that_are_not_there_wait_for_no_packet(kind: str) -> None:
    """They get their statuses at once, however many they are; what is sent to such channels is dropped; and nothing of others waits."""
    bus = Bus(KINDS[kind], gaps={"m_axis_status": 0.3})
    size, there = bus.size, range(bus.d.channels)
    for number in range(30):
        bus.command(size, 5, 0, channel=bus.d.channels + number % 7 * 40 % (256 - bus.d.channels))
    bus.command(size, 5, 0, channel=255, nonce_bytes=99)
    found = bus.statuses(31)
    assert [(number, code) for number, code, _ in found] == [*((number, "NO_CHANNEL") for number in range(30)), (30, "BAD_NONCE_LENGTH")]
    assert {channel for *_, channel in found} > {255, bus.d.channels}
    # Beats without a command, before and between the beats of others; the last one has no end.
    wanted = []
    for turn in range(12):
        bus.packet([size] * 3, 200)
        channel = turn % len(there)
        bus.command(size, size, 0, channel=bus.d.channels)
        wanted.append((bus.count - 1, "NO_CHANNEL", bus.d.channels))
        bus.command(size, size, 0, channel=channel)
        bus.packet([size, size], channel)
        wanted.append((bus.count - 1, "OK", channel))
    found = bus.statuses(len(wanted))
    for channel in (*there, bus.d.channels):
        assert [one for one in found if one[2] == channel] == [one for one in wanted if one[2] == channel]
    bus.core.runner.run(max_cycles=300)
    assert not bus.core.runner.waiting("s_axis") and not bus.core.runner.waiting("s_axis_cmd")


def test_one_definition_says_what_a_status_has() -> None:
    assert status_channel(bytes(16) + bytes([1, 0, MessageCode.OK, 7])) == 7
