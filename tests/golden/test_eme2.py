# SPDX-License-Identifier: Apache-2.0
"""EME2: Gladman's vectors, inversion past 128 blocks, and its relation to EME."""

import pytest
from tests.golden.relations import check_diffusion, check_inversion, check_published_vectors, check_refused_input, doubled

from modeloom_golden import AES, EME, EME2
from modeloom_golden.checks import xor

TWEAK = bytes(range(16))


def test_published_vectors_both_directions():
    assert check_published_vectors("eme2") == 96


@pytest.mark.parametrize("key_bytes", [48, 56, 64])
def test_decryption_inverts_encryption(key_bytes):
    keyed = EME2(bytes(range(key_bytes)))
    sizes = [*range(16, 81, 7), 31, 32, 33, *(16 * 128 + n for n in (-1, 0, 1, 15, 16, 17)), 16 * 257, 16 * 300 + 9]
    for size in sizes:
        check_inversion(keyed, TWEAK, bytes(size))
    for tweak in (b"", bytes(1), bytes(17), bytes(100)):
        check_inversion(keyed, tweak, bytes(37))


def test_every_bit_reaches_every_block():
    keyed = EME2(bytes(range(48)))
    check_diffusion(keyed, TWEAK, [16, 20, 32, 45, 512, 16 * 128, 16 * 129, 16 * 130 + 5])
    check_diffusion(keyed, bytes(range(37)), [16, 46])


def test_it_is_eme_with_its_own_mask_and_tweak():
    # With K_ECB = 2 E_K(0), EME under the tweak T* is EME2 on whole blocks up to 128.
    k_ad, k_aes, data = bytes(range(50, 66)), bytes(range(16)), bytes(range(256)) * 8
    e = AES(k_aes).encrypt_block
    keyed = EME2(k_ad + doubled(e(bytes(16))) + k_aes)
    mask = doubled(k_ad)
    for tweak, t_star in (
        (b"", e(k_ad)),
        (TWEAK, xor(e(xor(TWEAK, mask)), mask)),
        # One whole and one padded block: the mask of the second is doubled twice.
        (
            TWEAK + b"\x07",
            xor(
                *(e(xor(TWEAK, mask)), mask),
                *(e(xor(b"\x07\x80" + bytes(14), doubled(doubled(mask)))), doubled(doubled(mask))),
            ),
        ),
    ):
        for size in (16, 32, 2048):
            assert keyed.encrypt(tweak, data[:size]) == EME(k_aes).encrypt(t_star, data[:size])


def test_padding_separates_messages_and_tweaks():
    keyed = EME2(bytes(range(48)))
    tweaks = (b"", b"\x00", b"\x80", b"\x00\x80", b"\x00\x80" + bytes(14), bytes(16), bytes(17))
    rests = (b"", b"\x00", b"\x80", b"\x00\x80", b"\x00\x80" + bytes(14), bytes(16), bytes(17))
    assert len({keyed.encrypt(tweak, bytes(16) + rest)[:16] for tweak in tweaks for rest in rests}) == 49


def test_what_is_refused():
    check_refused_input(EME2(bytes(64)))
    with pytest.raises(ValueError, match="K_AD ‖ K_ECB ‖ K_AES, more than 32 bytes, not 32"):
        EME2(bytes(32))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes, not 8"):
        EME2(bytes(40))
    with pytest.raises(TypeError, match="EME2 key must be bytes"):
        EME2("text")
