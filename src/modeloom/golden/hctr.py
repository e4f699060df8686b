# SPDX-License-Identifier: Apache-2.0
"""HCTR: hash, counter mode, hash. tes2010, section 3.1 and Fig. 2; Wang, Feng, Wu, CISC 2005.

Field elements are in GHASH order (see :mod:`modeloom.golden.field`), numbers are big-endian. Key and message, with the
partial blocks and tweaks of any length that the paper leaves out::

    key     | K | h (16 bytes) |       K: key of the cipher
    data    | P_1 (16 bytes) | rest |  rest: any length
    hashed  | rest ‖ T | zeros up to a whole block | bit length of rest ‖ T, 16 bytes |

With the cipher SM4 this is HCTR of GB/T 17964-2021.
"""

from __future__ import annotations

from .aes import AES
from .block_cipher import CipherFactory, bin_n, counter_mode
from .checks import BLOCK_BYTES, check_bytes, check_message, pad_zeros, split_blocks, split_key, xor
from .polyval import ghash


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
