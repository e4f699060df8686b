# SPDX-License-Identifier: Apache-2.0
"""Faulty packets, and the status that each must get."""

from __future__ import annotations

import random

import pytest

from modeloom.interfaces.sector import StatusCode
from modeloom.protocol.transactions import MessagePacket, whole_packet
from modeloom.verification.sector.host import FAULTS, code_of, faulty

OK, SHORT, LONG, KEEP = StatusCode.OK, StatusCode.TOO_SHORT, StatusCode.TOO_LONG, StatusCode.BAD_KEEP


@pytest.mark.parametrize(
    ("keeps", "nbytes", "code"),
    [
        ((0xFFFF, 0xFFFF, 0x00FF), 40, OK),
        ((0xFFFF, 0xFFFF), 40, SHORT),
        ((0xFFFF, 0xFFFF, 0x007F), 40, SHORT),
        ((0xFFFF, 0xFFFF, 0x01FF), 40, LONG),
        ((0xFFFF, 0xFFFF, 0xFFFF, 0x0001), 40, LONG),
        ((0xFFFF, 0xFFFF, 0x00FD), 40, KEEP),
        ((0xFFFF, 0xFFFF, 0x00FE), 40, KEEP),
        ((0xFFFF, 0xFFFF, 0x0000), 32, KEEP),
        ((0x7FFF, 0xFFFF, 0x00FF), 40, KEEP),
        # A tkeep from which no length can be read comes before a wrong length.
        ((0x7FFF, 0x00FF), 40, KEEP),
        ((0xFFFD,), 40, KEEP),
    ],
)
def test_codes(keeps: tuple[int, ...], nbytes: int, code: StatusCode) -> None:
    assert code_of(MessagePacket(bytes(16 * len(keeps)), keeps), 16, nbytes) == code


@pytest.mark.parametrize("beat_bytes", [16, 32, 128])
@pytest.mark.parametrize("nbytes", [32, 40, 96, 512])
def test_every_fault_is_one(beat_bytes: int, nbytes: int) -> None:
    data = random.Random(1).randbytes(nbytes)
    assert code_of(whole_packet([data], beat_bytes), beat_bytes, nbytes) == OK
    codes = set()
    for seed in range(20):
        for fault in FAULTS:
            packet = faulty(data, beat_bytes, fault, random.Random(seed))
            assert len(packet.data) == len(packet.keeps) * beat_bytes
            code = code_of(packet, beat_bytes, nbytes)
            assert code != OK, fault
            codes.add(code)
    assert codes == {SHORT, LONG, KEEP}


def test_an_unknown_fault() -> None:
    with pytest.raises(ValueError, match="no fault 'odd'"):
        faulty(bytes(16), 16, "odd", random.Random(1))
