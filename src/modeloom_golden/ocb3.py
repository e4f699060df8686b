# SPDX-License-Identifier: Apache-2.0
"""OCB3. RFC 7253 (May 2014), sections 2 to 4, line by line.

A block is a string of 16 bytes; bit 1 of the standard is the leftmost one, the most significant bit of byte 0::

    nonce block    | length of the tag in bits modulo 128 (7 bits) | zeros | 1 | nonce (1 to 15 bytes) |
    bottom         the last 6 bits of the nonce block; Ktop is the cipher of the block with zeros there
    Stretch        | Ktop (16 bytes) | bytes 0 to 7 of Ktop plus its bytes 1 to 8 |
    Offset_0       16 bytes of Stretch, from bit "bottom" on, counted from zero
    sealed         | C, as long as the text | T (the tag) |

The field element x is 00 … 02: the coefficient of x^0 is the last bit of the block, and x^128 = x^7 + x^2 + x + 1. Opening uses the
inverse direction of the cipher. A nonce must never serve for two messages under one key, whatever the lengths of their tags.
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, CipherFactory, check_block, check_bytes, check_tag, pad_one_zeros, split_sealed, xor

MOST_TAG_BYTES = 16
"""TAGLEN is at most 128 bits, section 3; the named parameter sets of section 3.1 have 16, 12 and 8 bytes."""

MOST_NONCE_BYTES = 15
"""120 bits, section 4.2. A nonce of no bytes is refused here: it serves for one message."""


class OCB3:
    """OCB3: authenticated encryption with associated data in one pass, for messages of any number of bytes.

    Parameters
    ----------
    key : bytes
        Of the cipher: 16, 24 or 32 bytes for AES.
    cipher : callable
        The block cipher of the bytes of *key*.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has no length that the cipher takes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(check_bytes("OCB3 key", key))
        self._l_star = self._cipher.encrypt_block(bytes(BLOCK_BYTES))
        self._l_dollar = double(self._l_star)
        self._l = [double(self._l_dollar)]

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of *tag_bytes* bytes over *ad* and *text*. OCB-ENCRYPT, section 4.2.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of the nonce or of the tag is none
        of the standard.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), tag_bytes)
        offset, checksum, sealed = self._first_offset(nonce, tag_bytes), bytes(BLOCK_BYTES), b""
        whole, p_star = _whole_blocks(text)
        for i, p in enumerate(whole, 1):
            offset = xor(offset, self._l_ntz(i))
            sealed += xor(offset, self._cipher.encrypt_block(xor(p, offset)))
            checksum = xor(checksum, p)
        if p_star:
            offset = xor(offset, self._l_star)
            sealed += xor(p_star, self._cipher.encrypt_block(offset)[: len(p_star)])
            checksum = xor(checksum, pad_one_zeros(p_star))
        return sealed + self._tag(offset, checksum, ad, tag_bytes)

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right. OCB-DECRYPT, section 4.3.

        Raises ``AuthenticationError`` (INVALID) if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), tag_bytes)
        c_all, t = split_sealed(sealed, tag_bytes)
        offset, checksum, text = self._first_offset(nonce, tag_bytes), bytes(BLOCK_BYTES), b""
        whole, c_star = _whole_blocks(c_all)
        for i, c in enumerate(whole, 1):
            offset = xor(offset, self._l_ntz(i))
            p = xor(offset, self._cipher.decrypt_block(xor(c, offset)))
            checksum, text = xor(checksum, p), text + p
        if c_star:
            offset = xor(offset, self._l_star)
            p = xor(c_star, self._cipher.encrypt_block(offset)[: len(c_star)])
            checksum, text = xor(checksum, pad_one_zeros(p)), text + p
        check_tag(t, self._tag(offset, checksum, ad, tag_bytes))
        return text

    def hash(self, ad: bytes) -> bytes:
        """HASH(K, A): 16 bytes, zero for no bytes. Section 4.1."""
        total, offset = bytes(BLOCK_BYTES), bytes(BLOCK_BYTES)
        whole, a_star = _whole_blocks(check_bytes("ad", ad))
        for i, a in enumerate(whole, 1):
            offset = xor(offset, self._l_ntz(i))
            total = xor(total, self._cipher.encrypt_block(xor(a, offset)))
        if a_star:
            offset = xor(offset, self._l_star)
            total = xor(total, self._cipher.encrypt_block(xor(pad_one_zeros(a_star), offset)))
        return total

    def _first_offset(self, nonce: bytes, tag_bytes: int) -> bytes:
        """Offset_0: the nonce-dependent values of section 4.2."""
        block = nonce_block(nonce, tag_bytes)
        bottom = block[-1] & 63
        ktop = self._cipher.encrypt_block(block[:-1] + bytes([block[-1] & 192]))
        stretch = int.from_bytes(ktop + xor(ktop[:8], ktop[1:9]), "big")
        return (stretch >> 64 - bottom).to_bytes(25, "big")[-BLOCK_BYTES:]

    def _tag(self, offset: bytes, checksum: bytes, ad: bytes, tag_bytes: int) -> bytes:
        """T, from the last offset and checksum."""
        return xor(self._cipher.encrypt_block(xor(checksum, offset, self._l_dollar)), self.hash(ad))[:tag_bytes]

    def _l_ntz(self, i: int) -> bytes:
        """L_ntz(i), with as many zeros in ntz(i) as *i*, from 1, ends with."""
        zeros = (i & -i).bit_length() - 1
        while len(self._l) <= zeros:
            self._l.append(double(self._l[-1]))
        return self._l[zeros]


def double(s: bytes) -> bytes:
    """double(S), the product with x. Section 2."""
    s = check_block("s", s)
    shifted = int.from_bytes(s, "big") << 1
    return (shifted if s[0] < 128 else shifted ^ 1 << 128 ^ 0b10000111).to_bytes(BLOCK_BYTES, "big")


def nonce_block(nonce: bytes, tag_bytes: int) -> bytes:
    """Nonce of section 4.2: num2str(TAGLEN mod 128, 7) ‖ zeros ‖ 1 ‖ N."""
    block = bytearray(BLOCK_BYTES - len(nonce)) + nonce
    block[0] = 8 * tag_bytes % 128 << 1
    block[BLOCK_BYTES - 1 - len(nonce)] |= 1
    return bytes(block)


def check_lengths(nonce_bytes: int, tag_bytes: int) -> None:
    """ValueError for a length of nonce or tag that the standard does not have."""
    if not 1 <= tag_bytes <= MOST_TAG_BYTES:
        raise ValueError(f"an OCB3 tag has 1 to {MOST_TAG_BYTES} bytes, not {tag_bytes}")
    if not 1 <= nonce_bytes <= MOST_NONCE_BYTES:
        raise ValueError(f"an OCB3 nonce has 1 to {MOST_NONCE_BYTES} bytes, not {nonce_bytes}")


def _whole_blocks(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole blocks of *data*, and the bytes behind them, fewer than a block."""
    end = len(data) // BLOCK_BYTES * BLOCK_BYTES
    return [data[i : i + BLOCK_BYTES] for i in range(0, end, BLOCK_BYTES)], data[end:]
