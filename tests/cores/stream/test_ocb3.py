# SPDX-License-Identifier: Apache-2.0
"""Cores of OCB3: random messages, messages back to back, and the memory of what starts have computed."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
from tests.built import slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Expected, Traffic, check

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.ocb3 import OCB3
from modeloom.spec import InputError

SMALL = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1, "key_slots": 3}
TINY = {"cipher_arch": "multistream", "cipher_stages": None, "streams": 1, "mul_stages": 0}
"""One round of the cipher; such a core is built in less time."""

PLACES = 32
"""Messages of such a core that may have started and not begun."""


def core(gaps=None, seed=11, **options):
    """A core with a key in each slot, and messages for it."""
    rng = Random(seed)
    compiled = compile_stream(OCB3(), StreamOptions(**{**SMALL, **options}), prove=False)
    host = Host(compiled, gaps=gaps)
    keys = [rng.randbytes(compiled.options.key_bits // 8) for _ in range(3)]
    for slot, key in enumerate(keys):
        host.key(key, slot)
    return host, Traffic(OCB3(), keys, rng)


@pytest.mark.parametrize("options", slowly({}, {"key_bits": None}, {"cipher_stages": 2}), ids=str)
def test_random_messages(options):
    host, traffic = core({"m_axis": 0.2, "s_axis": 0.1, "s_axis_cmd": 0.3}, **options)
    check(host, traffic.some(150, most=300))


@pytest.mark.parametrize(
    ("ad", "text", "cycles"), [(0, 0, 2), (0, 1, 3), (1, 0, 3), (0, 16, 3), (17, 47, 7), (0, 160, 12), (33, 1, 6)],
)
def test_pace(ad, text, cycles):
    """A cycle for each block, one for the start and one for the tag: nothing waits for the cipher."""
    host, traffic = core()
    count = 160
    statuses = check(host, [traffic.one(None, ad, text) for _ in range(count)])
    half = [status.status_cycle for status in statuses[count // 4 :]]
    # Starts of messages without data come in bursts, as many as have places.
    burst = PLACES if not ad + text else 0
    assert half[-1] - half[0] <= cycles * (len(half) - 1) + burst
    # The first messages wait for their starts, and the others do not.
    told = [status.status_cycle for status in statuses]
    assert told[-1] - told[0] <= cycles * (count - 1) + 40


@pytest.mark.parametrize("options", [TINY, *slowly({})], ids=["tiny", "small"])
def test_a_sample_against_the_cryptography_package(options):
    """Each length of associated data and of text from 0 to 64 in a random combination; tests/core/test_aeads.py has all of them."""
    host, traffic = core(seed=13, **options)
    rng, lengths, made = traffic.rng, [*range(65)], []
    for ad_bytes, text_bytes in [(0, 0), *zip(rng.sample(lengths, 65), rng.sample(lengths, 65), strict=True)]:
        slot, nonce, ad, text = rng.randrange(3), rng.randbytes(rng.randrange(12, 16)), rng.randbytes(ad_bytes), rng.randbytes(text_bytes)
        sealed = AESOCB3(traffic.keys[slot]).encrypt(nonce, text, ad)
        given, tag = sealed[:text_bytes], sealed[text_bytes:]
        wrong = tag[:-1] + bytes([tag[-1] ^ 1 << rng.randrange(8)])
        made += [
            (Sent(nonce, text, ad, slot), Expected("OK", tag, given)),
            (Sent(nonce, given, ad, slot, True, wrong), Expected("WRONG_TAG", b"", text)),
            (Sent(nonce, given, ad, slot, True, tag), Expected("OK", b"", text)),
        ]
    check(host, made)


def test_long_messages_use_large_multiples():
    host, traffic = core(seed=12)
    check(host, [traffic.one(None, 16 * 70, 16 * 140 + 3, decrypt=decrypt) for decrypt in (False, True)])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"keys": "inline"}, "ocb3 deciphers blocks, so a core needs the round keys in two forms; leave out --keys inline"),
        ({"keys": "expanded"}, "ocb3 deciphers blocks, so a core needs the round keys in two forms; leave out --keys expanded"),
        ({"channels": 2, "hold": 100}, "--hold and --channels cannot be combined: each channel would need its own buffer"),
    ],
)
def test_what_does_not_go_together(options, says):
    with pytest.raises(InputError, match=says):
        compile_stream(OCB3(), StreamOptions(**{**SMALL, **options}), prove=False)
