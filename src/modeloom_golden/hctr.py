# SPDX-License-Identifier: Apache-2.0
"""HCTR: hash, counter mode, hash. tes2010, section 3.1 and Fig. 2; Wang, Feng, Wu, CISC 2005.

Field elements are in GHASH order (see :mod:`modeloom_golden.field`), numbers are big-endian. Key and message, with the
partial blocks and tweaks of any length that the paper leaves out::

    key     | K | h (16 bytes) |       K: key of the cipher
    data    | P_1 (16 bytes) | rest |  rest: any length
    hashed  | rest ‖ T | zeros up to a whole block | bit length of rest ‖ T, 16 bytes |

With the cipher SM4 this is HCTR of GB/T 17964-2021.
"""

from __future__ import annotations

from .aes import AES
from .checks import (
    BLOCK_BYTES,
    CipherFactory,
    bin_n,
    check_block,
    check_bytes,
    check_message,
    counter_mode,
    pad_zeros,
    split_blocks,
    split_key,
    xor,
)
from .field import ghash, polyval


class HCTR:
    """HCTR: a tweakable permutation of messages of 16 bytes or more.

    Parameters
    ----------
    key : bytes
        K ‖ h: 32, 40 or 48 bytes for AES.
    cipher : callable
        The block cipher of the bytes of K.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or K has no length that the cipher takes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        cipher_key, self._h = split_key("HCTR key", "K ‖ h", key)
        self._cipher = cipher(cipher_key)

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (at least 16 bytes) under *tweak* (any length).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes; *data* is shorter.
        """
        p1, rest = _split(data)
        mm = xor(p1, self._hash(rest, tweak))  # line 1
        cc = self._cipher.encrypt_block(mm)  # line 2
        c_rest = counter_mode(self._cipher, xor(mm, cc), rest)  # lines 3 and 4
        c1 = xor(cc, self._hash(c_rest, tweak))  # line 5
        return c1 + c_rest

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        c1, rest = _split(data)
        cc = xor(c1, self._hash(rest, tweak))
        mm = self._cipher.decrypt_block(cc)
        p_rest = counter_mode(self._cipher, xor(mm, cc), rest)
        p1 = xor(mm, self._hash(p_rest, tweak))
        return p1 + p_rest

    def _hash(self, rest: bytes, tweak: bytes) -> bytes:
        """H_h(rest ‖ T) of equation (1), the last block padded with zeros: h X_1 … h X_p by Horner, then the length."""
        x = rest + check_bytes("tweak", tweak)
        return ghash(self._h, [*split_blocks("hash input", pad_zeros(x)), bin_n(8 * len(x))])


def _split(data: bytes) -> tuple[bytes, bytes]:
    data = check_message("HCTR data", data)
    return data[:BLOCK_BYTES], data[BLOCK_BYTES:]


# -- XCTR --------------------------------------------------------------------------------------------------------------------------------

# XCTR, the counter mode of HCTR2. Crowley, Huckleberry, Biggers, eprint 2021/1441, section 2.
#
# Byte order: the counter is a 128-bit little-endian number that starts at 1, added by XOR::
#
#     keystream block i = E_K(S ⊕ i)       i = 1: 01 00 00 … 00

def xctr(aes: AES, nonce: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt *data*, of any length, under the 16-byte *nonce* S; the last keystream block is cut."""
    start = int.from_bytes(check_block("nonce", nonce), "little")
    data = check_bytes("data", data)
    blocks = -(-len(data) // BLOCK_BYTES)
    counters = b"".join((start ^ i).to_bytes(BLOCK_BYTES, "little") for i in range(1, blocks + 1))
    keystream = aes.encrypt_blocks(counters)
    return bytes(d ^ k for d, k in zip(data, keystream, strict=False))


# -- HCTR2 -------------------------------------------------------------------------------------------------------------------------------

# HCTR2 with AES. Crowley, Huckleberry, Biggers, eprint 2021/1441, section 2.
#
# Byte order: numbers and the padding bit are little-endian, so bin(1) is ``01 00 … 00`` and the bit that pads a partial
# block is the byte ``01``. A message is split from the left::
#
#     P = M ‖ N      C = U ‖ V      M, U: bytes 0 … 15      N, V: the rest, of any length

class HCTR2:
    """HCTR2-AES: a tweakable permutation of messages of 16 bytes or more.

    Parameters
    ----------
    key : bytes
        The AES key: 16, 24 or 32 bytes. The hash key and L are derived from it.

    Raises ``TypeError`` or ``ValueError`` if *key* is not an AES key.
    """

    def __init__(self, key: bytes) -> None:
        self._aes = AES(key)
        self._h = self._aes.encrypt_block(_bin(0))
        self._l = self._aes.encrypt_block(_bin(1))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (at least 16 bytes) under *tweak* (any length). ValueError if *data* is shorter."""
        m, n = _split_first(data)
        mm = xor(m, self._hash(tweak, n))
        uu = self._aes.encrypt_block(mm)
        s = xor(mm, uu, self._l)
        v = xctr(self._aes, s, n)
        u = xor(uu, self._hash(tweak, v))
        return u + v

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        u, v = _split_first(data)
        uu = xor(u, self._hash(tweak, v))
        mm = self._aes.decrypt_block(uu)
        s = xor(mm, uu, self._l)
        n = xctr(self._aes, s, v)
        m = xor(mm, self._hash(tweak, n))
        return m + n

    def _hash(self, tweak: bytes, message: bytes) -> bytes:
        """H_h(T, M): the first block tells the tweak's length in bits and whether *message* had to be padded."""
        tweak = check_bytes("tweak", tweak)
        partial = len(message) % BLOCK_BYTES != 0
        length = _bin(2 * 8 * len(tweak) + (3 if partial else 2))
        padded = pad_zeros(message + b"\x01") if partial else message
        return polyval(self._h, split_blocks("hash input", length + pad_zeros(tweak) + padded))


def _split_first(data: bytes) -> tuple[bytes, bytes]:
    data = check_message("HCTR2 data", data)
    return data[:BLOCK_BYTES], data[BLOCK_BYTES:]


def _bin(number: int) -> bytes:
    return number.to_bytes(BLOCK_BYTES, "little")
