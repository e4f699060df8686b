# SPDX-License-Identifier: Apache-2.0
"""HCH and HCHfp: hash, counter mode, hash. tes2010, section 3.1 and Fig. 2.

Field elements are in GHASH order (see :mod:`modeloom_golden.field`), numbers are big-endian. Keys and sector::

    HCH key     | K |                    K: key of the cipher
    HCHfp key   | K | α (16 bytes) |
    data        | P_1 | P_2 | … | P_m |  16 bytes each, m ≥ 2; P_2 … P_m are hashed, P_1 masks

Fig. 2 prints H_{R,Q} for both hashes. The second is H_{R,xQ}, as in the scheme of Chakraborty and Sarkar that it
describes; section 6 of the paper computes xQ. Equation (3) prints p - 1 as the first exponent and 1 as the last. There are
p terms, so the exponents run from p to 1, as section 5 writes them out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .aes import AES
from .checks import (
    BlockCipher,
    CipherFactory,
    bin_n,
    check_block,
    check_bytes,
    counter_mode,
    sector_blocks,
    split_blocks,
    split_key,
    xor,
)
from .field import ghash, ghash_double


class _HCHMode(ABC):
    """HCH and HCHfp except for the keys of the hash."""

    name: str
    _cipher: BlockCipher

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* (two or more whole blocks) under *tweak* (16 bytes).

        Raises ``TypeError`` or ``ValueError`` if an argument is not bytes, or its length does not fit.
        """
        p1, rest = self._split(data)
        r, q = self._hash_keys(check_block("tweak", tweak), 8 * len(data))  # line 1
        m1 = xor(p1, _hash(r, q, rest))  # line 2
        u1 = self._cipher.encrypt_block(m1)  # line 3
        c_rest = self._counter_mode(m1, u1, rest)
        c1 = xor(u1, _hash(r, ghash_double(q), c_rest))  # line 5
        return c1 + c_rest

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""
        c1, rest = self._split(data)
        r, q = self._hash_keys(check_block("tweak", tweak), 8 * len(data))
        u1 = xor(c1, _hash(r, ghash_double(q), rest))
        m1 = self._cipher.decrypt_block(u1)
        p_rest = self._counter_mode(m1, u1, rest)
        p1 = xor(m1, _hash(r, q, p_rest))
        return p1 + p_rest

    @abstractmethod
    def _hash_keys(self, tweak: bytes, bits: int) -> tuple[bytes, bytes]:
        """R and Q of the hash for a message of *bits* bits."""

    def _counter_mode(self, m1: bytes, u1: bytes, rest: bytes) -> bytes:
        s = self._cipher.encrypt_block(xor(m1, u1))  # line 3: S = E_K(I)
        return counter_mode(self._cipher, s, rest)  # line 4

    def _split(self, data: bytes) -> tuple[bytes, bytes]:
        first, *rest = sector_blocks(f"{self.name} data", data, 2)
        return first, b"".join(rest)


class HCH(_HCHMode):
    """HCH: R = E_K(T) and Q = E_K(R ⊕ bin(mn)), so that one key serves and the hash depends on the length.

    Parameters
    ----------
    key : bytes
        K: 16, 24 or 32 bytes for AES.
    cipher : callable
        The block cipher of the bytes of K.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or the cipher takes no key of this length.
    """

    name = "HCH"

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(check_bytes("HCH key", key))

    def _hash_keys(self, tweak: bytes, bits: int) -> tuple[bytes, bytes]:
        r = self._cipher.encrypt_block(tweak)
        return r, self._cipher.encrypt_block(xor(r, bin_n(bits)))


class HCHfp(_HCHMode):
    """HCH for messages of one fixed length: R = α is a key of its own and Q = E_K(T).

    Parameters
    ----------
    key : bytes
        K ‖ α: 32, 40 or 48 bytes for AES.
    cipher : callable
        The block cipher of the bytes of K.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or K has no length that the cipher takes.
    """

    name = "HCHfp"

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        cipher_key, self._alpha = split_key("HCHfp key", "K ‖ α", key)
        self._cipher = cipher(cipher_key)

    def _hash_keys(self, tweak: bytes, bits: int) -> tuple[bytes, bytes]:
        return self._alpha, self._cipher.encrypt_block(tweak)


def _hash(r: bytes, q: bytes, x: bytes) -> bytes:
    """H_{R,Q}(X) of equation (3): Q ⊕ X_1 R^p ⊕ … ⊕ X_p R."""
    return xor(q, ghash(r, split_blocks("hash input", x)))
