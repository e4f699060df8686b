# SPDX-License-Identifier: Apache-2.0
"""AES-OTR: two references that share nothing but AES agree, mistakes in either are seen, and what is refused."""

from random import Random

import pytest
from tests.built import slowly
from tests.golden.aead import (
    ALIGNMENTS,
    SAMPLE,
    Counted,
    check_both_ways,
    check_one_shape,
    check_refusals,
    check_wrong_types,
    message,
    planted,
)
from tests.golden.relations import flipped

from modeloom_golden import AES, AESOTR, AuthenticationError, ChainedOTR, otr, otr_chains
from modeloom_golden.checks import xor

SERIAL = pytest.mark.parametrize("serial", [False, True], ids=["parallel", "serial"])


LENGTHS = [*SAMPLE, (100, 96), (128, 97), (33, 112), (7, 130), (0, 200)]
"""The sample, and messages with two pairs and more before the last one."""


def agree(one, other, lengths, seed=1):
    """Whether two references seal messages of these lengths of associated data and text to the same bytes."""
    random = Random(seed)
    for ad_bytes, text_bytes in lengths:
        key = random.randbytes(random.choice((16, 24, 32)))
        nonce, text, ad = message(random, random.randrange(1, 16), text_bytes, ad_bytes)
        tag_bytes = random.choice((4, 8, 12, 16, 16, 16))
        if one(key).seal(nonce, text, ad, tag_bytes) != other(key).seal(nonce, text, ad, tag_bytes):
            return False
    return True


@SERIAL
@pytest.mark.parametrize("lengths", [LENGTHS, *slowly(ALIGNMENTS)], ids=["sample", "all"])
def test_the_references_agree_on_alignments(lengths, serial):
    random = Random(1)
    assert agree(lambda key: AESOTR(key, serial), lambda key: ChainedOTR(key, serial), lengths)
    for ad_bytes, text_bytes in lengths:
        key, tag_bytes = random.randbytes(16), random.choice(otr.TAG_BYTES)
        nonce, text, ad = message(random, 12, text_bytes, ad_bytes)
        sealed = ChainedOTR(key, serial).seal(nonce, text, ad, tag_bytes)
        check_both_ways(AESOTR(key, serial), sealed, nonce, text, ad, tag_bytes)
        check_both_ways(ChainedOTR(key, serial), sealed, nonce, text, ad, tag_bytes)


@SERIAL
@pytest.mark.parametrize("count", [40, *slowly(10_000)])
def test_the_references_agree_on_random_messages(count, serial):
    random = Random(2)
    lengths = [(random.randrange(150), random.randrange(300)) for _ in range(count)]
    assert agree(lambda key: AESOTR(key, serial), lambda key: ChainedOTR(key, serial), lengths)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Masks of the text.
        ("self._e(times_power(mask, i) ^ odd) ^ even", "self._e(mask ^ odd) ^ even"),
        ("_bytes(self._e(times_power(times(mask, 3), i) ^ c_odd) ^ odd)", "_bytes(self._e(times_power(mask, i) ^ c_odd) ^ odd)"),
        ("c_even = _cut_sum(m[-1], z)\n            last_mask = times(last_mask, 3)",
         "c_even = _cut_sum(m[-1], z)\n            last_mask = times(last_mask, 5)"),
        ("7 if last_bytes == BLOCK_BYTES", "3 if last_bytes == BLOCK_BYTES"),
        # The sum.
        ("total ^= even", "total ^= odd"),
        ("total ^= z ^ _padded(c_even)", "total ^= _padded(c_even)"),
        ("total ^= _padded(m[-1])\n        return", "pass\n        return"),
        # The nonce.
        ("8 * tag_bytes % 128 << 121", "8 * tag_bytes % 128 << 120"),
        ("| 1 << 8 * len(nonce) |", "|"),
        # Associated data and field.
        ("4 if whole else 2", "2 if whole else 4"),
        ("times(3, 3) if whole else 3", "3 if whole else times(3, 3)"),
        ("times_power(self._q, i) ^ _number(block)", "self._q ^ _number(block)"),
        ("times(u ^ ta, 2) if self._serial else u", "u ^ ta if self._serial else u"),
        ("te if self._serial else te ^ ta", "te"),
        ("0b10000111", "0b10000011"),
        ('part + b"\\x80"', 'part + b"\\x01"'),
    ],
)  # fmt: skip
def test_a_mistake_in_the_first_is_seen_by_the_second(old, new):
    wrong = planted("otr", old, new)["AESOTR"]
    assert not all(
        agree(lambda key, s=serial: wrong(key, s), lambda key, s=serial: ChainedOTR(key, s), LENGTHS) for serial in (False, True)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first, second = _double(first), _double(second)", "first, second = _double(first), second"),
        ("second = _add(first, _double(first))", "second = _double(first)"),
        ("checksum = _add(checksum, held[1])", "checksum = _add(checksum, held[0])"),
        ("2 if len(last) == 16 else 1", "1 if len(last) == 16 else 2"),
        ("_add(mask, twice) if whole else mask", "mask if whole else _add(mask, twice)"),
        ("0x87 * bits[0]", "0x85 * bits[0]"),
        ("_add(checksum, _add(pad, _fill(right))), second", "_add(checksum, _add(pad, _fill(right))), first"),
    ],
)
def test_a_mistake_in_the_second_is_seen_by_the_first(old, new):
    wrong = planted("otr_chains", old, new)["ChainedOTR"]
    assert not all(
        agree(lambda key, s=serial: wrong(key, s), lambda key, s=serial: AESOTR(key, s), LENGTHS) for serial in (False, True)
    )


def test_one_message_by_hand():
    """Three blocks of text, the last partial, and a block of associated data, from the cipher, shifts and sums alone."""
    aes, nonce, ad = AES(bytes(range(16))), bytes(range(12)), bytes(range(16))
    m1, m2, m3 = b"1" * 16, b"2" * 16, b"3" * 5

    def shifted(block, places):
        """2^places · *block*."""
        number = int.from_bytes(block, "big") << places
        while number >> 128:
            number ^= 0b10000111 << number.bit_length() - 129 ^ 1 << number.bit_length() - 1
        return number.to_bytes(16, "big")

    e = aes.encrypt_block
    mask = e(b"\0\0\0\1" + nonce)
    second = xor(mask, shifted(mask, 1))
    c1 = xor(e(xor(mask, m1)), m2)
    c2 = xor(e(xor(second, c1)), m1)
    mask = shifted(mask, 1)
    c3 = xor(e(mask)[:5], m3)
    te = e(xor(shifted(mask, 2), mask, m2, m3 + b"\x80" + bytes(10)))
    q = e(bytes(16))
    ta = e(xor(ad, q, shifted(q, 2)))
    assert AESOTR(bytes(range(16))).seal(nonce, m1 + m2 + m3, ad) == c1 + c2 + c3 + xor(te, ta)
    mask = shifted(xor(e(b"\0\0\0\1" + nonce), e(xor(ad, shifted(q, 2)))), 1)
    c = xor(e(mask)[:5], m3)
    te = e(xor(shifted(mask, 2), mask, m3 + b"\x80" + bytes(10)))
    assert AESOTR(bytes(range(16)), serial=True).seal(nonce, m3, ad) == c + te


def test_products_of_the_field():
    """Against the doublings of the second reference."""
    random = Random(1)
    for _ in range(50):
        block = random.randbytes(16)
        number, chain = int.from_bytes(block, "big"), list(block)
        for i in range(6):
            assert otr.times_power(number, i) == otr.times(number, 1 << i) == int.from_bytes(bytes(chain), "big")
            chain = otr_chains._double(chain)
    assert otr.times_power(1, 128) == 0b10000111 and otr.times(3, 3) == 5


@SERIAL
def test_what_is_refused(serial):
    for tag_bytes, text_bytes in ((16, 35), (16, 50), (4, 20)):
        check_refusals(AESOTR(bytes(range(16)), serial), bytes(range(12)), bytes(range(text_bytes)), bytes(range(17)), tag_bytes)
    reference = AESOTR(bytes(16), serial)
    check_wrong_types(reference, bytes(12))
    for call in (reference.seal, reference.open):
        for tag_bytes in (-1, 0, 3, 17):
            with pytest.raises(ValueError, match=f"an AES-OTR tag has 4 to 16 bytes, not {tag_bytes}"):
                call(bytes(12), bytes(40), b"", tag_bytes)
        for nonce_bytes in (0, 16):
            with pytest.raises(ValueError, match=f"an AES-OTR nonce has 1 to 15 bytes, not {nonce_bytes}"):
                call(bytes(nonce_bytes), bytes(40))
    with pytest.raises(ValueError, match="AES key must be 16, 24 or 32 bytes"):
        AESOTR(bytes(20))
    second = ChainedOTR(bytes(16), serial)
    sealed = second.seal(bytes(12), bytes(40), b"ad")
    for wrong in (flipped(sealed, 0), flipped(sealed, 8 * len(sealed) - 1), sealed[1:], sealed[:15]):
        with pytest.raises(AuthenticationError):
            second.open(bytes(12), wrong, b"ad")


def test_verdict_has_one_shape():
    # Q, which the key alone makes, is not counted: two blocks of associated data, the nonce, four blocks of text, the tag.
    for serial in (False, True):
        assert check_one_shape(AESOTR(bytes(16), serial, Counted), bytes(12)) == 2 + 1 + 4 + 1
