# SPDX-License-Identifier: Apache-2.0
"""The longest messages of a stream mode: their number of bits fits into half a block, if the definition says nothing else."""

from __future__ import annotations

import pytest

from modeloom.modes import STREAMS
from modeloom.modes.gcm import GCM
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.numbers import StreamNumbers
from modeloom.spec.stream import StreamMode


class Short(StreamMode):
    name, block_bytes = "short", 8


class Stated(Short):
    most_text = 1000


class Wide(Short):
    block_bytes = 32


def test_defaults() -> None:
    assert (Short.most_text, Short.most_associated) == ((1 << 29) - 1,) * 2
    assert (Stated.most_text, Stated.most_associated) == (1000, (1 << 29) - 1)
    assert Wide.most_text == (1 << 61) - 1 and StreamMode.most_text == (1 << 61) - 1
    assert GCM.most_associated == (1 << 61) - 1 and GCM.most_text == 16 * ((1 << 32) - 2)
    assert all(mode.most_associated <= (1 << 61) - 1 for mode in STREAMS)


def test_longer_ones_are_refused() -> None:
    Short.check_lengths(0, (1 << 29) - 1, 12)
    for lengths in ((0, 1 << 29), (1 << 29, 0)):
        with pytest.raises(InputError, match="bytes"):
            Short.check_lengths(*lengths, 12)


def test_lengths_that_have_no_room() -> None:
    """A definition that states more than it can write is told of it."""
    o = StreamNumbers.__new__(StreamNumbers)
    o._block_bytes = 8
    assert o.bit_lengths(1, (1 << 29) - 1) == int.from_bytes(b"\0\0\0\x08\xff\xff\xff\xf8", "little")
    with pytest.raises(DefinitionError, match=r"32 bits, .* 536870912 bytes have no room; state a smaller most_text"):
        o.bit_lengths(0, 1 << 29)
