# SPDX-License-Identifier: Apache-2.0
"""The multistream core of AES against the software: batches of blocks of all slots, directions and key sizes, at the interval and later."""

import pytest
from tests.built import slowly

from modeloom.ciphers import AES, CoreRequest
from modeloom.ciphers.check import check_core
from modeloom.rtl.aes import multistream
from modeloom.rtl.aes.multistream import AESStreams
from modeloom.spec import DefinitionError

ALL = (192, 128)


def request(direction="encrypt", key_bits=128, streams=4, slots=2, more=()):
    return CoreRequest(
        direction=direction, form="multistream", key_bits=key_bits, stages=streams, streams=streams, slots=slots, more_key_bits=more
    )


@pytest.mark.parametrize("asked", [
    request(), request(streams=1, slots=1), request(key_bits=256, streams=2, more=ALL),
    *slowly(
        request(streams=2), request(key_bits=256, streams=4, slots=3, more=ALL), request(key_bits=256, streams=1, more=ALL),
        request("decrypt", 256, 2, 2, ALL), request("decrypt", 128, 1, 1), request("both", 128, 4, 3), request("both", 192, 1, 2, (128,)),
        request("both", 256, 2, 3, ALL), request(streams=1, slots=70), request("both", 256, 1, 70, ALL),
        request(key_bits=256, streams=2, slots=70, more=(128,)),
    ),
], ids=str)  # fmt: skip
def test_core(asked):
    check_core(AES, asked)


def test_cycles():
    """Batches of N blocks every N cycles a round; keys of several sizes cost a cycle of latency, block memories two."""
    of = {name: AES.timing(request(**asked)) for name, asked in (
        ("one size", {}), ("several", {"key_bits": 256, "more": ALL}), ("many slots", {"streams": 1, "slots": 100}),
    )}  # fmt: skip
    assert [(each.latency, each.interval, each.blocks) for each in of.values()] == [(41, 40, 4), (58, 56, 4), (13, 10, 1)]
    assert AESStreams(256, 2, 3, more_key_bits=ALL).latency == AES.timing(request("encrypt", 256, 2, 3, ALL)).latency


def test_a_block_that_enters_a_round_early_is_seen(monkeypatch):
    """The check finds a core in which shorter keys begin in the wrong round."""

    def early(self, m, place, window):
        return enter(self, m, place + 1, window)

    enter = AESStreams._enter
    monkeypatch.setattr(multistream.AESStreams, "_enter", early)
    with pytest.raises(DefinitionError, match="blocks differ"):
        check_core(AES, request(key_bits=256, streams=2, more=(128,)))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"key_bits": 100}, ValueError, "key_bits must be 128, 192 or 256, not 100"),
        ({"streams": 3}, ValueError, "streams must be one of 1, 2, 4, not 3"),
        ({"direction": "up"}, ValueError, "direction must be one of encrypt, decrypt, both, not 'up'"),
        ({"slots": 0}, ValueError, "slots must be at least 1, not 0"),
        ({"more_key_bits": (128,)}, ValueError, "key sizes must differ"),
    ],
)
@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_parameters_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        AESStreams(**arguments)


def test_streams_belong_to_multistream_cores():
    with pytest.raises(ValueError, match="streams are for multistream cores, and this one is pipelined"):
        CoreRequest(direction="encrypt", form="pipelined", key_bits=128, stages=1, streams=2)
