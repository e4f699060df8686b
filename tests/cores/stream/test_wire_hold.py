# SPDX-License-Identifier: Apache-2.0
"""Packets on the wire that are longer than the core can hold back get ``TOO_LONG_TO_HOLD``, wherever their header ends."""

from __future__ import annotations

from random import Random

import pytest
from tests import streamed

import modeloom
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message

LENGTHS = (
    (0, 48), (0, 49), (0, 53), (0, 64), (0, 65), (9, 39), (9, 40), (16, 32), (16, 33), (16, 49), (32, 16), (32, 17), (48, 0), (49, 0),
    (48, 1), (64, 1),
)  # fmt: skip
"""Bytes of header and of text, around a limit of whole beats."""


@pytest.mark.parametrize("hold", [48, 50])
def test_packets_around_the_limit(hold: int) -> None:
    rng, key = Random(hold), bytes(range(16))
    core = streamed.simulated("gcm", **streamed.TINY, packet="wire", hold=hold)
    core.load_key(key, 1)
    model = modeloom.model("gcm", key)
    messages, wanted = [], []
    for header, nbytes in LENGTHS:
        nonce, ad, text = rng.randbytes(12), rng.randbytes(header), rng.randbytes(nbytes)
        messages.append(Message(nonce, model.seal(nonce, text, ad), ad, decrypt=1, slot=1))
        wanted.append((MessageCode.OK, text) if header + nbytes <= hold else (MessageCode.TOO_LONG_TO_HOLD, b""))
    got = core.outcomes(messages)
    assert [(MessageCode(one.code), one.text if one.code == MessageCode.OK else b"") for one in got] == wanted
