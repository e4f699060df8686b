# SPDX-License-Identifier: Apache-2.0
"""Cores for messages with keys of several sizes: each slot has its own, and a message of any slot may follow one of any other."""

from dataclasses import replace
from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.built import slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Traffic, check, tokens

from modeloom.cli import main
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.describe import cipher_name
from modeloom.modes.gcm import GCM
from modeloom.spec import InputError

OPTIONS = StreamOptions(key_bits=256, more_key_bits=(192, 128), cipher_stages=1, mul_stages=2, key_slots=4)
BYTES = (16, 24, 32)


@pytest.fixture(scope="module")
def compiled():
    return compile_stream(GCM(), OPTIONS, prove=False)


def loaded(host, keys):
    for slot, key in enumerate(keys):
        host.key(key, slot)
        assert not host.sim.get("key_error") and host.sim.get("key_loaded") >> slot & 1
    return Traffic(GCM(), keys, Random(5))


def test_messages_of_slots_with_keys_of_all_sizes(compiled):
    """Random messages; then the same slots with keys of other sizes."""
    rng, host = Random(6), Host(compiled)
    for turn in range(3):
        traffic = loaded(host, [rng.randbytes(BYTES[(slot + turn) % 3]) for slot in range(4)])
        check(host, traffic.some(40))


def test_a_key_of_another_size_at_every_message_costs_nothing(compiled):
    rng, host = Random(7), Host(compiled)
    traffic = loaded(host, [rng.randbytes(size) for size in (32, 16, 24, 16)])
    spent = []
    for slots in (lambda n: 0, lambda n: n % 4):
        made = [traffic.one(None, 8, 64, slot=slots(number)) for number in range(24)]
        statuses = check(host, made)
        spent.append(statuses[-1].status_cycle - statuses[0].status_cycle)
        assert spent[-1] == tokens(made[1:])
    assert spent[0] == spent[1]


def test_against_another_implementation(compiled):
    rng, host, made = Random(8), Host(compiled), []
    keys = [rng.randbytes(size) for size in (*BYTES, 32)]
    loaded(host, keys)
    for number in range(24):
        nonce, text, ad, slot = rng.randbytes(12), rng.randbytes(number * 3), rng.randbytes(number % 5 * 7), number % 4
        made.append((Sent(nonce, text, ad, slot), AESGCM(keys[slot]).encrypt(nonce, text, ad)))
    statuses, packets = host.run([sent for sent, _ in made])
    assert [got.tag for got in statuses] == [sealed[-16:] for _, sealed in made]
    assert [text for text, _ in packets] == [sealed[:-16] for _, sealed in made if sealed[:-16]]


def test_keys_of_other_lengths_are_refused(compiled):
    rng, host = Random(9), Host(compiled)
    keys = [rng.randbytes(size) for size in (*BYTES, 16)]
    traffic = loaded(host, keys)
    for length in (1, 15, 17, 23, 25, 31, 33, 48):
        host.key(rng.randbytes(length), 1)
        assert host.sim.get("key_error") and not host.sim.get("key_loaded") & 2, length
        statuses, _ = host.run([Sent(rng.randbytes(12), b"text", slot=1)])
        assert statuses[0].code == "NO_KEY"
    host.key(keys[1], 1)
    check(host, traffic.some(12))


def test_what_is_said_of_them(compiled):
    assert StreamCore(compiled).describe("core", "modeloom").key_sizes == (32, 24, 16) and cipher_name(compiled) == "AES-128/192/256"
    other = compile_stream(GCM(), replace(OPTIONS, key_bits=128, more_key_bits=(256, 192)), prove=False)
    assert other.options == compiled.options, "the longest comes first"


def test_sizes_that_a_cipher_or_a_mode_does_not_have():
    for change, message in (
        ({"more_key_bits": (64,)}, "aes has keys of 128, 192, 256 bits, not 64"),
        ({"cipher": "sm4", "key_bits": None, "more_key_bits": (256,)}, "sm4 has keys of 128 bits, not 256"),
    ):
        with pytest.raises(InputError, match=message):
            compile_stream(GCM(), replace(OPTIONS, **change), prove=False)


@pytest.mark.parametrize(("mode", "status", "said"), [("gcm", 0, "gcm"), *slowly(("xts", 2, "--key-bits all is for stream modes"))])
def test_the_command_takes_all(mode, status, said, capsys):
    """Modes on sectors have one size."""
    with pytest.raises(SystemExit) as stop:
        main(["explain", mode, "--key-bits", "all"])
    shown = capsys.readouterr()
    assert stop.value.code == status and said in shown.out + shown.err


def written_words(host):
    """All words of memories that may hold secrets, as numbers; narrow ones are S-boxes, sizes of keys, and numbers of messages."""
    memories = [(name, port) for name, port in host.sim.objects.items() if port.kind == "memory" and port.width >= 64]
    return [host.sim.get(name, word) for name, port in memories for word in range(port.depth)]


def test_zeroize_overwrites_keys_of_all_sizes(compiled):
    rng, host = Random(10), Host(compiled)
    traffic = loaded(host, [rng.randbytes(size) for size in (32, 24, 16, 32)])
    check(host, traffic.some(12))
    assert sum(map(bool, written_words(host))) > 4 * 11
    # Commands that wait are overwritten with what the bus has.
    host.sim.set("s_axis_cmd_tdata", 0)
    host.sim.set("zeroize", 1)
    host.sim.step()
    host.sim.set("zeroize", 0)
    host.wait()
    assert not any(written_words(host)) and not host.sim.get("key_loaded")
    statuses, _ = host.run([Sent(rng.randbytes(12), b"text", slot=slot) for slot in range(4)])
    assert [got.code for got in statuses] == ["NO_KEY"] * 4
    check(host, loaded(host, [rng.randbytes(size) for size in (16, 32, 32, 24)]).some(12))
