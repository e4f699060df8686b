# SPDX-License-Identifier: Apache-2.0
"""GCM and GMAC. NIST SP 800-38D (November 2007), sections 5 to 7, algorithm by algorithm.

This code follows the standard to the letter. It shares no product, hash or counter with the other references. A block is
a number here: bit 0 of the standard, the leftmost one, is the most significant bit and the coefficient of x^0::

    block          | byte 0 | byte 1 | ... | byte 15 |          big-endian number; x^0 at the left, x^127 at the right
    J0, 12 bytes   | nonce (12)              | 00 00 00 01 |
    J0, others     GHASH of | nonce | zeros up to a block, and 8 more bytes | bit length of nonce (8) |
    hashed         | A | zeros up to a block | C | zeros up to a block | bit length of A (8) | bit length of C (8) |
    sealed         | C, as long as the text | T (the tag) |

The inverse direction of the cipher is never used. Appendix C of the standard restricts tags of 8 and 4 bytes further, by the
lengths and the number of the messages under one key. The protocol must ensure this.
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, BlockCipher, CipherFactory, check_block, check_bytes, check_tag, split_sealed

TAG_BYTES = (16, 15, 14, 13, 12, 8, 4)
"""The lengths of tags of section 5.2.1.2."""

MOST_TEXT_BYTES = 2**36 - 32
"""2^39 - 256 bits, section 5.2.1.1: from J0 + 1 on, no counter block is used twice."""

MOST_BYTES = 2**61 - 1
"""What is below 2^64 bits: the lengths of nonce and associated data. Section 5.2.1.1."""

_R = 0b11100001 << 120
"""11100001 ‖ 0^120, section 6.3: x^128 = 1 + x + x^2 + x^7."""


class GCM:
    """GCM: authenticated encryption with associated data, for messages of any number of bytes.

    Parameters
    ----------
    key : bytes
        Of the cipher: 16, 24 or 32 bytes for AES.
    cipher : callable
        The block cipher of the bytes of *key*.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has no length that the cipher takes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(check_bytes("GCM key", key))
        self._h = self._cipher.encrypt_block(bytes(BLOCK_BYTES))

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of *tag_bytes* bytes over *ad* and C. Algorithm 4, GCM-AE.

        A nonce must never serve for two messages under one key.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of one of them, or of the tag, is
        none of the standard.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), len(text), len(ad), tag_bytes)
        j0 = self._first_counter(nonce)  # step 2
        c = gctr(self._cipher, inc32(j0), text)  # step 3
        return c + self._tag(j0, ad, c, tag_bytes)

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right. Algorithm 5, GCM-AD.

        The computation is the same for right and wrong tags, and the time of the comparison does not depend on the tags.

        Raises ``AuthenticationError`` (FAIL) if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), max(0, len(sealed) - tag_bytes), len(ad), tag_bytes)
        c, t = split_sealed(sealed, tag_bytes)  # steps 1 and 2
        j0 = self._first_counter(nonce)  # step 3
        p = gctr(self._cipher, inc32(j0), c)  # step 4
        check_tag(t, self._tag(j0, ad, c, tag_bytes))  # steps 5 to 8
        return p

    def gmac(self, nonce: bytes, ad: bytes, tag_bytes: int = 16) -> bytes:
        """The tag of *ad* alone: GMAC is GCM without text, section 3. Errors as for :meth:`seal`."""
        return self.seal(nonce, b"", ad, tag_bytes)

    def _first_counter(self, nonce: bytes) -> bytes:
        """J_0: step 2 of algorithm 4."""
        if len(nonce) == 12:
            return nonce + b"\x00\x00\x00\x01"
        return ghash(self._h, nonce + bytes(-len(nonce) % BLOCK_BYTES + 8) + _bits(nonce))

    def _tag(self, j0: bytes, ad: bytes, c: bytes, tag_bytes: int) -> bytes:
        """T: steps 4 to 6 of algorithm 4, the same as steps 5 to 7 of algorithm 5."""
        u, v = -len(c) % BLOCK_BYTES, -len(ad) % BLOCK_BYTES
        s = ghash(self._h, ad + bytes(v) + c + bytes(u) + _bits(ad) + _bits(c))
        return gctr(self._cipher, j0, s)[:tag_bytes]


def multiply(x: int, y: int) -> int:
    """X • Y, the product of two blocks. Algorithm 1, section 6.3."""
    return _sum_of_multiples(x, _multiples(y))


def ghash(h: bytes, x: bytes) -> bytes:
    """GHASH_H(X): 16 bytes; *x* is whole blocks, zero for none. Algorithm 2, section 6.4.

    Raises ``TypeError`` or ``ValueError`` if *h* is no block, or *x* has a partial one.
    """
    v, x = _multiples(_number(check_block("hash subkey", h))), check_bytes("x", x)
    if len(x) % BLOCK_BYTES:
        raise ValueError(f"x must be whole blocks of {BLOCK_BYTES} bytes, not {len(x)} bytes")
    y = 0
    for i in range(0, len(x), BLOCK_BYTES):
        y = _sum_of_multiples(y ^ _number(x[i : i + BLOCK_BYTES]), v)
    return y.to_bytes(BLOCK_BYTES, "big")


def inc32(block: bytes) -> bytes:
    """inc_32(X): the rightmost 32 bits, a big-endian number, plus 1 modulo 2^32; the others as they are. Section 6.2."""
    block = check_block("counter block", block)
    return block[:12] + ((_number(block[12:]) + 1) % 2**32).to_bytes(4, "big")


def gctr(cipher: BlockCipher, icb: bytes, x: bytes) -> bytes:
    """GCTR_K(ICB, X): *x* under the keystream E_K(ICB), E_K(inc_32(ICB)), …, its last block cut. Algorithm 3, section 6.5."""
    cb, x = check_block("initial counter block", icb), check_bytes("x", x)
    y = bytearray()
    for i in range(0, len(x), BLOCK_BYTES):
        part = x[i : i + BLOCK_BYTES]
        y += bytes(a ^ b for a, b in zip(part, cipher.encrypt_block(cb), strict=False))
        cb = inc32(cb)
    return bytes(y)


def check_lengths(nonce_bytes: int, text_bytes: int, ad_bytes: int, tag_bytes: int) -> None:
    """ValueError for a length that the standard does not have. Sections 5.2.1.1 and 5.2.1.2."""
    if tag_bytes not in TAG_BYTES:
        raise ValueError(f"a GCM tag has {', '.join(map(str, TAG_BYTES[:-1]))} or {TAG_BYTES[-1]} bytes, not {tag_bytes}")
    if nonce_bytes < 1:
        raise ValueError("a GCM nonce must have at least 1 byte")
    for name, length, most in (
        ("nonce", nonce_bytes, MOST_BYTES),
        ("text", text_bytes, MOST_TEXT_BYTES),
        ("ad", ad_bytes, MOST_BYTES),
    ):
        if length > most:
            raise ValueError(f"GCM {name} must be at most {most} bytes, not {length}")


def _multiples(y: int) -> list[int]:
    """V_0 … V_127 of algorithm 1: they depend on Y alone."""
    v = [y]
    while len(v) < 128:
        v.append(v[-1] >> 1 ^ (_R if v[-1] & 1 else 0))
    return v


def _sum_of_multiples(x: int, v: list[int]) -> int:
    """Z_128 of algorithm 1: the sum of the V_i for which bit i of X, from the left, is 1."""
    z = 0
    for x_i, v_i in zip(f"{x:0128b}", v, strict=True):
        if x_i == "1":
            z ^= v_i
    return z


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


def _bits(data: bytes) -> bytes:
    """[len(data)]_64: the length in bits, big-endian."""
    return (8 * len(data)).to_bytes(8, "big")
