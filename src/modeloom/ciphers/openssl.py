# SPDX-License-Identifier: Apache-2.0
"""Ciphers of OpenSSL as the software of a description.  The hardware is compared with it, and models run on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["openssl"]


def openssl(algorithm: str) -> Callable[[bytes], Any]:
    """The ``software`` of a description, for a cipher in OpenSSL.

    Parameters
    ----------
    algorithm : str
        Its name in ``cryptography.hazmat.primitives.ciphers.algorithms``.
    """

    def software(key: bytes) -> Any:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        class Keyed:
            def __init__(self) -> None:
                ecb = Cipher(getattr(algorithms, algorithm)(key), modes.ECB())
                self.encrypt = ecb.encryptor().update
                self.decrypt = ecb.decryptor().update

        return Keyed()

    return software
