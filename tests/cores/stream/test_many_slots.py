# SPDX-License-Identifier: Apache-2.0
"""Cores for messages with more key slots than a port lists: round keys in block memories, flags of the slots in another."""

from dataclasses import replace
from random import Random

import pytest
from tests.built import slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Expected, Traffic, check, tokens

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.gcm import GCM


@pytest.mark.parametrize("slots", slowly(70, 1024))
def test_many_slots(slots):
    """Messages of some slots and of empty ones, in turn; a slot that is erased, and one that has its key again."""
    rng = Random(8)
    host = Host(compile_stream(GCM(), StreamOptions(key_bits=128, cipher_stages=1, mul_stages=2, key_slots=slots), prove=False))
    used = [0, 1, 63, 64, slots - 1]
    keys = {slot: rng.randbytes(16) for slot in used}
    for slot, key in keys.items():
        host.key(key, slot)
        assert host.sim.get("key_loaded") == 1
    traffic = Traffic(GCM(), list(keys.values()), rng)

    def good(number):
        sent, expected = traffic.one(None, 5, 30, slot=number)
        return replace(sent, slot=used[number]), expected

    def empty(slot):
        return Sent(rng.randbytes(12), b"", b"", slot, tag_bytes=16), Expected("NO_KEY", b"", b"")

    # Empty slots, numbers behind the last slot, and those that differ from a loaded one in a bit above.
    others = [2, 65, slots, 127, 64 + 1024, slots - 1 + 4096, 65535]
    made = [each for number in range(20) for each in (good(number % len(used)), empty(others[number % len(others)]))]
    check(host, made)

    made = [good(number % len(used)) for number in range(20)]
    statuses = check(host, made)
    assert statuses[-1].status_cycle - statuses[0].status_cycle == tokens(made[1:]), "no cycle is lost"

    host.key(b"\0", 64, erase=True)
    assert host.sim.get("key_loaded") == 0 and not host.sim.get("key_error")
    check(host, [good(0), empty(64), good(2), empty(64)])
    host.key(bytes(15), 1)
    assert host.sim.get("key_loaded") == 0 and host.sim.get("key_error")
    check(host, [empty(1), good(2)])
    host.key(keys[64], 64)
    check(host, [good(3), empty(1)])
    if slots < 1024:
        # Of 1024 slots every number names one.
        host.key(bytes(16), slots)
        assert host.sim.get("key_loaded") == 0 and host.sim.get("key_error")
    check(host, [good(3), good(4)])
