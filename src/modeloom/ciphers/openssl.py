# SPDX-License-Identifier: Apache-2.0
"""Ciphers of OpenSSL as the software of a description.  The hardware is compared with it, and models run on it."""

from __future__ import annotations

from collections.abc import Callable

from modeloom.spec import Cipher

__all__ = ["openssl"]


class _Keyed:
    """A cipher under a key, as OpenSSL has it."""

    def __init__(self, encrypt: Callable[[bytes], bytes], decrypt: Callable[[bytes], bytes]):
        self._encrypt, self._decrypt = encrypt, decrypt

    def encrypt(self, block: bytes, /, *tweak: bytes) -> bytes:
        """The blocks, enciphered.  There are no tweaks."""
        return self._encrypt(block, *tweak)

    def decrypt(self, block: bytes, /, *tweak: bytes) -> bytes:
        """The blocks, deciphered."""
        return self._decrypt(block, *tweak)


def openssl(algorithm: str) -> Callable[[bytes], Cipher]:
    """The ``software`` of a description, for a cipher in OpenSSL.

    Parameters
    ----------
    algorithm : str
        Its name in ``cryptography.hazmat.primitives.ciphers.algorithms``.
    """

    def software(key: bytes) -> Cipher:
        from cryptography.hazmat.primitives import ciphers

        ecb = ciphers.Cipher(getattr(ciphers.algorithms, algorithm)(key), ciphers.modes.ECB())
        return _Keyed(ecb.encryptor().update, ecb.decryptor().update)

    return software
