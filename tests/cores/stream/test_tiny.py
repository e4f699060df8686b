# SPDX-License-Identifier: Apache-2.0
"""Cores for messages that are built in little time, one for each thing that a core can have.

The mode multiplies nothing, and one round of the cipher works on one block at a time.  The slow tests beside this file have GCM and
OCB3 with pipelines, and more of each thing.
"""

from functools import lru_cache
from random import Random

import pytest
from tests import streamed
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Traffic, check
from tests.cores.stream.wire import WireHost, WireTraffic
from tests.streams.modes import NoHash, OwnKeys
from tests.streams.pair_modes import Twice

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.definition.messages import StreamModel
from modeloom.product.message import Message, MessageError

TINY = {"key_bits": None, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}
KEYS = [Random(size).randbytes(size) for size in (16, 24, 32)]
GAPS = {"s_axis": 0.3, "s_axis_cmd": 0.4, "m_axis": 0.4, "m_axis_status": 0.3}


@lru_cache(maxsize=8)
def compiled(mode=NoHash, **options):
    return compile_stream(mode(), StreamOptions(**{**TINY, **options}), prove=False)


def loaded(made, kind=Host, keys=KEYS, **options):
    """A host whose core has its keys."""
    host = kind(made, **options)
    for slot, key in enumerate(keys):
        host.key(key, slot)
        assert not host.sim.get("key_error")
    return host


@pytest.mark.parametrize("gaps", [None, GAPS], ids=["no gaps", "gaps"])
def test_messages(gaps):
    check(loaded(compiled(), gaps=gaps), Traffic(NoHash(), KEYS, Random(4)).some(60))


def test_wrong_packets_between_good_ones():
    host, traffic = loaded(compiled()), Traffic(NoHash(), KEYS, Random(5))
    whole = (bytes(16), 0xFFFF, 0)
    faults = {
        "TOO_SHORT": (20, [whole, (bytes(3), 7, 1)]), "BAD_KEEP": (0, [whole, (bytes(7), 0x7E, 1)]), "NO_KEY": (0, [(b"", 0, 1)]),
    }  # fmt: skip
    for code, (associated, beats) in faults.items():
        wrong = Sent(bytes(12), ad=bytes(associated), beats=beats, slot=3 if code == "NO_KEY" else 0)
        good = [traffic.one(None, 5, 40) for _ in range(2)]
        statuses, packets = host.run([good[0][0], wrong, good[1][0]])
        assert [got.code for got in statuses] == ["OK", code, "OK"] and statuses[1].tag == bytes(16)
        assert (packets[0], packets[-1]) == ((good[0][1].text, 0), (good[1][1].text, 0))


def test_the_key_port():
    """A slot is erased, refuses a key of a length that there is not, and takes the next one."""
    host, new = loaded(compiled()), Random(6).randbytes(32)
    host.key(b"\0", 1, erase=True)
    assert host.sim.get("key_loaded") == 0b101
    host.key(bytes(20), 1)
    assert host.sim.get("key_error") and host.sim.get("key_loaded") == 0b101
    statuses, _ = host.run([Sent(bytes(12), b"text", slot=1)])
    assert [got.code for got in statuses] == ["NO_KEY"]
    host.key(new, 1)
    check(host, Traffic(NoHash(), [KEYS[0], new, KEYS[2]], Random(7)).some(12))


def test_zeroize_drops_a_message_and_all_keys():
    host, traffic = loaded(compiled()), Traffic(NoHash(), KEYS, Random(8))
    sent, _ = traffic.one(None, 20, 64)
    host.feed([Sent(sent.nonce, sent.text, sent.ad, beats=[(data, keep, 0) for data, keep, _ in host.beats_of(sent)])])
    host.runner.run(max_cycles=30)
    host.sim.set("zeroize", 1)
    host.runner.run(max_cycles=1)
    host.sim.set("zeroize", 0)
    host.runner.forget()
    host.wait()
    assert not host.sim.get("key_loaded")
    host.runner.run(max_cycles=100)
    assert not host.statuses() and not host.packets()
    for slot, key in enumerate(KEYS):
        host.key(key, slot)
    check(host, [traffic.one(None, 20, 40) for _ in range(3)])


def test_keys_of_all_sizes():
    """Each slot has keys of all sizes, one after the other."""
    rng = Random(12)
    for turn in range(3):
        keys = [KEYS[(slot + turn) % 3] for slot in range(3)]
        check(loaded(compiled(), keys=keys), Traffic(NoHash(), keys, rng).some(12))


def test_held_packets_on_the_wire():
    """Nothing leaves of a packet with a wrong tag or a fault, or of one that is too long to hold."""
    keys = [key[:16] for key in KEYS]
    host = loaded(compiled(key_bits=128, packet="wire", hold=80), WireHost, keys)
    traffic = WireTraffic(NoHash(), keys, Random(10), hold=80)
    wrong = [traffic.one(5, 20, decrypt=True, wrong=9), traffic.one(5, 100, decrypt=True, wrong=None)]
    holed = traffic.one(3, 60, decrypt=True, edit=lambda beats: [(beats[0][0], beats[0][1] ^ 2), *beats[1:]])
    assert [packet.code for packet in (*wrong, holed)] == ["WRONG_TAG", "TOO_LONG_TO_HOLD", "BAD_KEEP"]
    host.check([*wrong, holed, *traffic.some(50)])


def test_blocks_that_return():
    keys = [key[:16] for key in KEYS]
    check(loaded(compiled(Twice, key_bits=128), keys=keys), Traffic(Twice(), keys, Random(13)).some(30))


def test_keys_that_come_with_messages():
    """The cipher is a pipeline: each message has another key, a key that was dropped is gone, and a wrong one is told of."""
    core = streamed.simulated("no-hash", prove=False, key_bits=128, key_slots=3, cipher_stages=1, keys="inline")
    rng, messages, wanted = Random(14), [], []
    for number in range(20):
        key, nonce, ad, text = rng.randbytes(16), rng.randbytes(12), rng.randbytes(number % 3 * 7), rng.randbytes(1 + rng.randrange(60))
        sealed = StreamModel(NoHash(), key).seal(nonce, text, ad)
        decrypt = number % 3 == 1
        messages.append(Message(nonce, sealed if decrypt else text, ad, decrypt, key=key))
        wanted.append(text if decrypt else sealed)
    assert core.run(messages) == wanted
    core.load_key(KEYS[0])
    assert core.seal(bytes(12), b"text") == StreamModel(NoHash(), KEYS[0]).seal(bytes(12), b"text")
    core.erase_key()
    with pytest.raises(MessageError, match="NO_KEY"):
        core.seal(bytes(12), b"text")
    core.feed_key(bytes(16), [0x7FFF])
    core.runner.run(max_cycles=80)
    assert core.simulation.get("key_error") and not core.simulation.get("key_loaded")


def test_keys_that_the_core_derives():
    """Of master keys of both sizes, which change places: the key of a slot has the size of the last one that was loaded."""
    core = streamed.simulated("own-keys", prove=False, key_slots=2, cipher_stages=1, keys="derived")
    rng, sizes = Random(15), core.description.user_key_lengths
    assert len(sizes) > 1
    for turn in range(3):
        keys = [rng.randbytes(sizes[(slot + turn) % len(sizes)]) for slot in range(2)]
        messages, wanted = [], []
        for slot, key in enumerate(keys):
            core.load_key(key, slot)
        for number in range(8):
            slot, nonce, ad, text = number % 2, rng.randbytes(12), rng.randbytes(number), rng.randbytes(rng.randrange(50))
            messages.append(Message(nonce, text, ad, False, slot))
            wanted.append(StreamModel(OwnKeys(), keys[slot]).seal(nonce, text, ad))
        assert core.run(messages) == wanted
