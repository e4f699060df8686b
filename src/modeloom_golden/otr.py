# SPDX-License-Identifier: Apache-2.0
"""AES-OTR v3.1 (K. Minematsu, submission to the CAESAR competition, 2016), with masks as products in the field.

Two blocks of text go through a Feistel network of two rounds, so that the cipher encrypts in both directions of the mode. With m
blocks of text, the last of which may be partial, and pairs counted from 0::

    nonce block    | length of the tag in bits modulo 128 (7 bits) | zeros | 1 | nonce (1 to 15 bytes) |
    U              the cipher of the nonce block; L = U (parallel), L = 2 · (U + TA) (serial)
    pair i         C_odd  = E(2^i · L + M_odd) + M_even        not the last pair
                   C_even = E(2^i · 3 · L + C_odd) + M_odd
    last pair      Z      = E(2^i · L + M_odd)                 M_even may be partial
                   C_even = M_even + the beginning of Z        what is behind C_even, padded, goes into the second round
                   C_odd  = E(2^i · 3 · L + pad(C_even)) + M_odd
    single block   C      = M + the beginning of E(2^i · L)    the last of an odd number; a message of no bytes has one
    sum            of all M_even of pairs that are not last; and Z + pad(C_even) of a last pair, or pad(M) of a single block
    TE             E(3^2 · L* + sum) if the last block is partial, else E(7 · L* + sum); L* is the mask that was used last:
                   2^i · 3 · L of a last pair, 2^i · L of a single block

pad appends a 1 and zeros to a partial block, and leaves a whole one as it is. Associated data of a blocks, with Q = E(0)::

    parallel       TA = E(sum of E(2^i · Q + A_i), i below a - 1, + pad(A_last) + 2^(a-1) · 3 · Q)     3^2 for 3 if A_last is whole
                   T  = the beginning of TE + TA
    serial         TA = E(the chain E(… E(A_0) + A_1 …) + pad(A_last) + 2 · Q)                         4 for 2 if A_last is whole
                   T  = the beginning of TE

TA is zero for no associated data. The field element 2 is x; the coefficient of x^0 is the last bit of a block, and
x^128 = x^7 + x^2 + x + 1.
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, CipherFactory, check_bytes, check_tag, split_sealed

TAG_BYTES = tuple(range(4, 17))
"""The lengths of tags of section 2: 32 to 128 bits, whole bytes here."""

MOST_NONCE_BYTES = 15
"""120 bits, section 2."""

MODULUS = 1 << 128 | 0b10000111


class AESOTR:
    """AES-OTR: authenticated encryption with associated data by the cipher's forward direction alone.

    Parameters
    ----------
    key : bytes
        16, 24 or 32 bytes.
    serial : bool
        Associated data in a chain, which must end before the text begins; else block by block, each by itself.
    cipher : callable
        The block cipher of the bytes of *key*.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has no length that the cipher takes.
    """

    def __init__(self, key: bytes, serial: bool = False, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(check_bytes("AES-OTR key", key))
        self._serial = serial
        self._q = self._e(0)

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of *tag_bytes* bytes over *ad* and *text*.

        A nonce must never serve for two messages under one key.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of the nonce or of the tag is none
        of the specification.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), tag_bytes)
        ta = self._associated(ad)
        m = _blocks(text)
        mask, last = self._l(nonce, ta, tag_bytes), (len(m) - 1) // 2
        c, total = [], 0
        for i in range(last):
            odd, even = map(_number, m[2 * i : 2 * i + 2])
            c_odd = self._e(times_power(mask, i) ^ odd) ^ even
            c += [_bytes(c_odd), _bytes(self._e(times_power(times(mask, 3), i) ^ c_odd) ^ odd)]
            total ^= even
        last_mask = times_power(mask, last)
        if len(m) % 2 == 0:
            odd = _number(m[-2])
            z = self._e(last_mask ^ odd)
            c_even = _cut_sum(m[-1], z)
            last_mask = times(last_mask, 3)
            c += [_bytes(self._e(last_mask ^ _padded(c_even)) ^ odd), c_even]
            total ^= z ^ _padded(c_even)
        else:
            c.append(_cut_sum(m[-1], self._e(last_mask)))
            total ^= _padded(m[-1])
        return b"".join(c) + self._tag(total, last_mask, len(m[-1]), ta, tag_bytes)

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right.

        Raises ``AuthenticationError`` if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), tag_bytes)
        ciphertext, t = split_sealed(sealed, tag_bytes)
        ta = self._associated(ad)
        c = _blocks(ciphertext)
        mask, last = self._l(nonce, ta, tag_bytes), (len(c) - 1) // 2
        m, total = [], 0
        for i in range(last):
            odd, even = map(_number, c[2 * i : 2 * i + 2])
            m_odd = self._e(times_power(times(mask, 3), i) ^ odd) ^ even
            m_even = self._e(times_power(mask, i) ^ m_odd) ^ odd
            m += [_bytes(m_odd), _bytes(m_even)]
            total ^= m_even
        last_mask = times_power(mask, last)
        if len(c) % 2 == 0:
            m_odd = self._e(times(last_mask, 3) ^ _padded(c[-1])) ^ _number(c[-2])
            z = self._e(last_mask ^ m_odd)
            m += [_bytes(m_odd), _cut_sum(c[-1], z)]
            last_mask = times(last_mask, 3)
            total ^= z ^ _padded(c[-1])
        else:
            m.append(_cut_sum(c[-1], self._e(last_mask)))
            total ^= _padded(m[-1])
        check_tag(t, self._tag(total, last_mask, len(c[-1]), ta, tag_bytes))
        return b"".join(m)

    def _e(self, block: int) -> int:
        return _number(self._cipher.encrypt_block(_bytes(block)))

    def _l(self, nonce: bytes, ta: int, tag_bytes: int) -> int:
        """L, the mask of the first pair."""
        u = self._e(_number(nonce) | 1 << 8 * len(nonce) | 8 * tag_bytes % 128 << 121)
        return times(u ^ ta, 2) if self._serial else u

    def _associated(self, ad: bytes) -> int:
        """TA of the associated data; zero for no bytes."""
        if not ad:
            return 0
        *a, last = _blocks(ad)
        whole, total = len(last) == BLOCK_BYTES, 0
        if self._serial:
            for block in a:
                total = self._e(total ^ _number(block))
            return self._e(total ^ _padded(last) ^ times(self._q, 4 if whole else 2))
        for i, block in enumerate(a):
            total ^= self._e(times_power(self._q, i) ^ _number(block))
        return self._e(total ^ _padded(last) ^ times_power(times(self._q, times(3, 3) if whole else 3), len(a)))

    def _tag(self, total: int, last_mask: int, last_bytes: int, ta: int, tag_bytes: int) -> bytes:
        te = self._e(times(last_mask, 7 if last_bytes == BLOCK_BYTES else times(3, 3)) ^ total)
        return _bytes(te if self._serial else te ^ ta)[:tag_bytes]


def times(a: int, b: int) -> int:
    """The product of two field elements: that of the polynomials, divided by the modulus with remainder."""
    product = 0
    for i in range(b.bit_length()):
        if b >> i & 1:
            product ^= a << i
    while product.bit_length() > 128:
        product ^= MODULUS << product.bit_length() - 129
    return product


def times_power(a: int, i: int) -> int:
    """2^i · *a*, with 2^i by squares and products."""
    power, square = 1, 2
    while i:
        if i & 1:
            power = times(power, square)
        square, i = times(square, square), i >> 1
    return times(a, power)


def check_lengths(nonce_bytes: int, tag_bytes: int) -> None:
    """ValueError for a length of nonce or tag that the specification does not have."""
    if tag_bytes not in TAG_BYTES:
        raise ValueError(f"an AES-OTR tag has {TAG_BYTES[0]} to {TAG_BYTES[-1]} bytes, not {tag_bytes}")
    if not 1 <= nonce_bytes <= MOST_NONCE_BYTES:
        raise ValueError(f"an AES-OTR nonce has 1 to {MOST_NONCE_BYTES} bytes, not {nonce_bytes}")


def _blocks(data: bytes) -> list[bytes]:
    """The blocks of *data*, the last of 1 to 16 bytes; one of no bytes if there are none."""
    return [data[i : i + BLOCK_BYTES] for i in range(0, len(data), BLOCK_BYTES)] or [b""]


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


def _bytes(number: int) -> bytes:
    return number.to_bytes(BLOCK_BYTES, "big")


def _padded(part: bytes) -> int:
    """A 1 and zeros behind a partial block."""
    return _number(part if len(part) == BLOCK_BYTES else part + b"\x80" + bytes(BLOCK_BYTES - 1 - len(part)))


def _cut_sum(part: bytes, z: int) -> bytes:
    """*part* plus the beginning of *z*."""
    return bytes(a ^ b for a, b in zip(part, _bytes(z), strict=False))
