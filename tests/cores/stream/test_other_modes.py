# SPDX-License-Identifier: Apache-2.0
"""Nothing of a core knows GCM: modes of the tests' own, with other blocks, fields, ciphers, and without a hash, become cores."""

from random import Random

import pytest
from tests.built import slowly
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Traffic, check, tokens
from tests.streams.modes import Deciphering, NoHash, Offsets, Padded, SecretOffsets, WideAEAD

from modeloom.compiler.streams import StreamOptions, compile_stream

OPTIONS = StreamOptions(cipher_stages=1, mul_stages=1, key_slots=3)


@pytest.mark.parametrize("mode", slowly(WideAEAD, NoHash, Padded, Offsets, SecretOffsets, Deciphering))
def test_random_messages(mode):
    rng = Random(11)
    compiled = compile_stream(mode(), OPTIONS, prove=False)
    host = Host(compiled, gaps={"m_axis": 0.2})
    keys = [rng.randbytes(mode().key_bytes(compiled.options.key_bits // 8)) for _ in range(3)]
    for slot, key in enumerate(keys):
        host.key(key, slot)
    traffic = Traffic(mode(), keys, rng)
    made = traffic.some(60, most=5 * mode.block_bytes)
    check(host, made)
    assert tokens(made, mode.block_bytes) > 200
