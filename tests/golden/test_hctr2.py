# SPDX-License-Identifier: Apache-2.0
"""HCTR2 against all its vectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden.relations import check_inversion, check_vectors

from modeloom import vectors
from modeloom_golden import HCTR2


@pytest.mark.parametrize("name", ["hctr2_aes128", "hctr2_aes256"])
def test_published_vectors_both_directions(name):
    check_vectors(vectors.load(name)["tests"], HCTR2)


@given(
    key=st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)),
    tweak=st.binary(max_size=50),
    data=st.binary(min_size=16, max_size=200),
)
def test_decryption_inverts_encryption(key, tweak, data):
    check_inversion(HCTR2(key), tweak, data)


def test_padding_separates_messages_and_tweaks():
    mode = HCTR2(bytes(16))
    # A partial block and the same block padded, a tweak and the same tweak with a zero byte: all hash apart.
    firsts = {
        mode.encrypt(tweak, bytes(16) + rest)[:16]
        for tweak in (b"", b"\x00", bytes(16))
        for rest in (b"", b"\x00", b"\x00\x01", b"\x00\x01" + bytes(14), bytes(16))
    }
    assert len(firsts) == 15


def test_what_is_refused():
    mode = HCTR2(bytes(32))
    for call in (mode.encrypt, mode.decrypt):
        with pytest.raises(ValueError, match="at least 16 bytes, not 15"):
            call(b"", bytes(15))
        with pytest.raises(TypeError, match="tweak must be bytes"):
            call(7, bytes(16))
    with pytest.raises(ValueError, match="AES key must be"):
        HCTR2(bytes(20))
