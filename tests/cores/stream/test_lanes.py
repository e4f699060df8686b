# SPDX-License-Identifier: Apache-2.0
"""Cores that take two and four blocks a cycle."""

from itertools import pairwise
from random import Random

import pytest
from tests.built import slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Traffic, check, tokens
from tests.streams.modes import NoHash, WideAEAD

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.gcm import GCM

SLOTS = 3
KEY_BITS = {GCM: 128, NoHash: 128, WideAEAD: 256}


def made(lanes, mode=GCM, gaps=None):
    """A host and messages for a core, its keys loaded."""
    rng = Random(lanes)
    compiled = compile_stream(
        mode(), StreamOptions(key_bits=KEY_BITS[mode], cipher_stages=1, mul_stages=1, key_slots=SLOTS, blocks_per_cycle=lanes), prove=False
    )
    host = Host(compiled, gaps=gaps)
    keys = [rng.randbytes(mode().key_bytes(KEY_BITS[mode] // 8)) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        host.key(key, slot)
    return host, Traffic(mode(), keys, rng)


@pytest.mark.parametrize("lanes", [2, *slowly(4)])
def test_gcm(lanes):
    """Random messages, then all lengths of associated data and text about a few beats, then the cycles."""
    host, traffic = made(lanes)
    check(host, traffic.some(150, most=16 * lanes * 6))
    lengths = [0, 1, *range(15, 16 * (lanes + 1) + 2, 8), 32 * lanes]
    check(host, [traffic.one(None, ad, text) for ad in lengths for text in lengths])
    batch = [traffic.one(None, ad, text) for ad in (0, 8, 40, 70) for text in (0, 1, 16, 47, 64, 128)]
    ends = [status.status_cycle for status in check(host, batch * 3)[len(batch) - 1 :: len(batch)]]
    assert [after - before for before, after in pairwise(ends)] == [tokens(batch, lanes=lanes)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [2, 4])
def test_gaps_and_back_pressure(lanes):
    gaps = {"s_axis": 0.4, "s_axis_cmd": 0.5, "m_axis": 0.5, "m_axis_status": 0.6}
    host, traffic = made(lanes, gaps=gaps)
    check(host, traffic.some(300, most=16 * lanes * 6))


@pytest.mark.slow
@pytest.mark.parametrize("mode", [WideAEAD, NoHash])
def test_other_modes(mode):
    """A tag that takes the units in another order has a token of its own."""
    host, traffic = made(2, mode)
    check(host, traffic.some(100, most=mode.block_bytes * 10))


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [2, 4])
def test_what_is_wrong(lanes):
    """Faults in each lane of a beat."""
    host, traffic = made(lanes)
    beat = 16 * lanes
    full = (bytes(beat), (1 << beat) - 1)
    sent, codes = [], []
    for lane in range(lanes):
        hole = ((1 << beat) - 1) ^ 1 << 16 * lane + 3
        sent += [Sent(bytes(12), beats=[(*full, 0), (bytes(beat), hole, 1)]), traffic.one(None, 5, 40, decrypt=False)[0]]
        codes += ["BAD_KEEP", "OK"]
        short = (1 << 16 * lane + 5) - 1
        sent += [Sent(bytes(12), beats=[(bytes(beat), short, 0), (*full, 1)]), Sent(bytes(12), ad=bytes(3 * beat), beats=[(*full, 1)])]
        codes += ["BAD_KEEP", "TOO_SHORT"]
    statuses, packets = host.run(sent)
    assert [got.code for got in statuses] == codes
    assert [cut for _, cut in packets] == [1, 0] * lanes
    check(host, traffic.some(30, most=200))
