# SPDX-License-Identifier: Apache-2.0
"""Cores that take round keys: the same messages as with keys, and a key of another slot costs nothing."""

import re
from dataclasses import replace
from random import Random

import pytest
from tests import streamed
from tests.built import slow, slowly
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Traffic, check
from tests.external import needs
from tests.streams.modes import WideAEAD

import modeloom_golden as golden
from modeloom.ciphers import AES, SM4, BlockCipher, cipher_of
from modeloom.ciphers.check import check_core as check_cipher_core
from modeloom.ciphers.description import CoreRequest
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.core import StreamHardware
from modeloom.definition.software import expanded_key
from modeloom.emit import lint, run_bench
from modeloom.modes.gcm import GCM
from modeloom.product.folder import read_messages
from modeloom.product.message import MessageError
from modeloom.product.messages import TAG_VERDICT
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.errors import AuthenticationError
from modeloom.taint import check_core
from modeloom_golden import aes_steps, sm4

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


@slow
def test_messages(host, keys):
    check(host, Traffic(GCM(), keys, Random(3)).some(60))


@slow
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


@slow
def test_a_key_that_is_not_expanded_is_refused(host, keys):
    traffic = Traffic(GCM(), keys, Random(3))
    host.key(keys[1], 1)
    assert host.sim.get("key_error") and host.sim.get("key_loaded") == 0b101
    statuses, _ = host.run([traffic.one(None, 5, 20, slot=1)[0], traffic.one(None, 5, 20, slot=0, decrypt=False)[0]])
    assert [got.code for got in statuses] == ["NO_KEY", "OK"]


@slow
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
    assert AES.expand(key) == aes_steps.round_keys(key)
    assert expanded_key(GCM(), AES, key) == b"".join(aes_steps.round_keys(key))


def test_round_keys_of_sm4_are_those_of_the_reference():
    key = Random(4).randbytes(16)
    assert [int.from_bytes(each, "little") for each in SM4.expand(key)] == sm4.round_keys(key)
    # Each round key has a beat of its own.
    packet = expanded_key(GCM(), SM4, key)
    assert [packet[at : at + 4] for at in range(0, len(packet), 16)] == SM4.expand(key) and len(packet) == 32 * 16


def test_software_and_key_schedule_are_compared():
    request = CoreRequest(direction="encrypt", form="pipelined", key_bits=128, stages=1, slots=1)
    check_cipher_core(AES, request)
    wrong = replace(AES, expand=lambda key: [*AES.expand(key)[:-1], bytes(16)])
    with pytest.raises(DefinitionError, match="expand gives 0{32} for round key 10"):
        check_cipher_core(wrong, request)


def test_a_cipher_without_expand():
    assert isinstance(cipher_of(WideAEAD(), None), BlockCipher) and cipher_of(WideAEAD(), None).expand is None
    with pytest.raises(InputError, match="its description has no expand"):
        compile_stream(WideAEAD(), SMALL, prove=False)
    with pytest.raises(InputError, match="inlined"):
        compile_stream(GCM(), replace(SMALL, keys="inlined"), prove=False)


# -- the folder of a core -----------------------------------------------------------------------------------------------------

BOTH = {**streamed.SMALL, "keys": "expanded", "hold": 40, "prove": False}


@pytest.mark.slow
def test_a_built_core_takes_keys_that_software_expands():
    d, core = read_messages(streamed.folder(**BOTH)), streamed.simulated(**BOTH)
    assert (d.key_sizes, d.packet_bytes, d.hold, d.options["keys"]) == ((16,), 176, 40, "expanded")
    assert StreamCore(streamed.compiled(**BOTH)).words == ("gcm", "k128", "round1", "mulstages1", "slots3", "hold40", "expanded")
    key, nonce = bytes(range(16)), bytes(12)
    core.load_key(key, 1)
    sealed = core.seal(nonce, b"text", b"header", slot=1)
    assert sealed == golden.GCM(key).seal(nonce, b"text", b"header")
    assert core.open(nonce, sealed, b"header", slot=1) == b"text"
    with pytest.raises(AuthenticationError):
        core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"header", slot=1)
    with pytest.raises(MessageError, match="TOO_LONG_TO_HOLD"):
        core.open(nonce, golden.GCM(key).seal(nonce, bytes(41)), slot=1)
    assert core.open(nonce, golden.GCM(key).seal(nonce, bytes(40)), slot=1) == bytes(40)
    with pytest.raises(InputError, match="takes keys of 16 bytes"):
        core.load_key(bytes(176), 0)


@pytest.mark.slow
def test_its_files_say_what_a_packet_is():
    folder = streamed.folder(**BOTH)
    d = read_messages(folder)
    sheet, verilog = (re.sub(r"\s+(// )?", " ", (folder / name).read_text()) for name in (d.files.datasheet, d.files.verilog))
    assert "A packet on `s_axis_key` has 176 bytes" in sheet and "its 11 round keys" in sheet
    assert "expanded keys: one packet for each key" in verilog and "key_schedule" not in verilog
    for said in (sheet, verilog):
        assert "releases plaintext" not in said


@pytest.mark.slow
@needs("iverilog")
def test_the_bench_passes():
    assert run_bench(streamed.folder(**BOTH))["cycles_per_message"] == 5


@pytest.mark.slow
def test_lint():
    lint(streamed.folder(**BOTH))


@slow
def test_no_timing_channel():
    """The round keys and the verdict that lets text go are all that is secret of them, and control depends on the verdict alone."""
    assert check_core(streamed.folder(**BOTH)).declassified == {TAG_VERDICT: 1}
