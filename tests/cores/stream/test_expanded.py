# SPDX-License-Identifier: Apache-2.0
"""Cores that take round keys: the same messages as with keys, and a key of another slot costs nothing."""

from dataclasses import replace
from random import Random

import pytest
from tests.built import slowly
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Traffic, check
from tests.streams.modes import WideAEAD

from modeloom.ciphers import AES, SM4, BlockCipher, cipher_of
from modeloom.ciphers.check import check_core
from modeloom.ciphers.request import CoreRequest
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream.hardware import StreamHardware
from modeloom.definition.expanded import expanded_key
from modeloom.golden import aes_keys, sm4
from modeloom.modes.gcm import GCM
from modeloom.spec import DefinitionError, InputError

SLOTS = 3
SMALL = StreamOptions(cipher_stages=1, mul_stages=2, key_slots=SLOTS, keys="expanded")


@pytest.fixture(scope="module")
def compiled():
    return compile_stream(GCM(), SMALL, prove=False)


@pytest.fixture(scope="module")
def keys():
    rng = Random(23)
    return [rng.randbytes(16) for _ in range(SLOTS)]


@pytest.fixture
def host(compiled, keys):
    made = Host(compiled)
    for slot, key in enumerate(keys):
        made.key(expanded_key(GCM(), AES, key), slot)
    return made


def test_messages(host, keys):
    check(host, Traffic(GCM(), keys, Random(3)).some(60))


def test_a_key_is_loaded_while_others_work(host, keys):
    """It takes cycles that messages leave free."""
    traffic, new, spent = Traffic(GCM(), keys, Random(3)), bytes(range(16)), []
    for loading in (False, True):
        made = [traffic.one(None, 8, 100, slot=number % 2) for number in range(60)]
        if loading:
            host.key(expanded_key(GCM(), AES, new), 2, wait=False)
        statuses = check(host, made)
        spent.append(statuses[-1].status_cycle - statuses[0].status_cycle)
    assert spent[0] == spent[1]
    host.wait()
    other = Traffic(GCM(), [*keys[:2], new], Random(9))
    check(host, [other.one(None, 20, 50, slot=2) for _ in range(5)])


def test_a_key_that_is_not_expanded_is_refused(host, keys):
    traffic = Traffic(GCM(), keys, Random(3))
    host.key(keys[1], 1)
    assert host.sim.get("key_error") and host.sim.get("key_loaded") == 0b101
    statuses, _ = host.run([traffic.one(None, 5, 20, slot=1)[0], traffic.one(None, 5, 20, slot=0, decrypt=False)[0]])
    assert [got.code for got in statuses] == ["NO_KEY", "OK"]


def test_there_is_no_key_schedule(compiled, host):
    """Neither in the core nor among the registers of its simulation; and its interface says what a packet is."""
    assert not [name for name in host.sim.objects if "key_schedule" in name]
    keys = next(interface for interface in StreamHardware(compiled).parameters.interfaces if interface.member == "key")
    assert keys.about.startswith("expanded keys: ")


@pytest.mark.parametrize("key_bits", slowly(192, 256))
def test_longer_keys(key_bits):
    compiled = compile_stream(GCM(), replace(SMALL, key_bits=key_bits), prove=False)
    host, rng = Host(compiled), Random(key_bits)
    keys = [rng.randbytes(key_bits // 8) for _ in range(SLOTS)]
    for slot, key in enumerate(keys):
        host.key(expanded_key(GCM(), AES, key), slot)
    check(host, Traffic(GCM(), keys, rng).some(40))


# -- round keys in software ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_round_keys_of_aes_are_those_of_the_reference(key_bytes):
    key = Random(key_bytes).randbytes(key_bytes)
    assert AES.expand(key) == aes_keys.round_keys(key)
    assert expanded_key(GCM(), AES, key) == b"".join(aes_keys.round_keys(key))


def test_round_keys_of_sm4_are_those_of_the_reference():
    key = Random(4).randbytes(16)
    assert [int.from_bytes(each, "little") for each in SM4.expand(key)] == sm4.round_keys(key)
    # Each round key has a beat of its own.
    packet = expanded_key(GCM(), SM4, key)
    assert [packet[at : at + 4] for at in range(0, len(packet), 16)] == SM4.expand(key) and len(packet) == 32 * 16


def test_software_and_key_schedule_are_compared():
    request = CoreRequest(direction="encrypt", form="pipelined", key_bits=128, stages=1, slots=1)
    check_core(AES, request)
    wrong = replace(AES, expand=lambda key: [*AES.expand(key)[:-1], bytes(16)])
    with pytest.raises(DefinitionError, match="expand gives 0{32} for round key 10"):
        check_core(wrong, request)


def test_a_cipher_without_expand():
    assert isinstance(cipher_of(WideAEAD(), None), BlockCipher) and cipher_of(WideAEAD(), None).expand is None
    with pytest.raises(InputError, match="its description has no expand"):
        compile_stream(WideAEAD(), SMALL, prove=False)
    with pytest.raises(InputError, match="--keys is expand or expanded, not 'inlined'"):
        compile_stream(GCM(), replace(SMALL, keys="inlined"), prove=False)
