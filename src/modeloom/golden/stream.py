# SPDX-License-Identifier: Apache-2.0
"""The reference stream modes by name: authenticated encryption of messages of any length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .aes import AES
from .block_cipher import CipherFactory
from .ccm import CCM
from .gcm import GCM
from .gcm_siv import GCMSIV
from .ocb3 import OCB3
from .otr import AESOTR
from .sm4 import SM4


class StreamMode(Protocol):
    """Authenticated encryption with associated data under one key. A sealed message is the ciphertext and the tag behind it."""

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """Encrypt *text*, and append the tag over *ad* and the ciphertext."""

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message; AuthenticationError if its tag is wrong."""


_ON_AES: dict[str, Callable[[bytes], StreamMode]] = {
    "aes-otr": AESOTR,
    "aes-otr-serial": lambda key: AESOTR(key, serial=True),
    "gcm-siv": GCMSIV,
}

_CIPHERS: dict[str, CipherFactory] = {"aes": AES, "sm4": SM4}

_ON_ANY_CIPHER: dict[str, Callable[[bytes, CipherFactory], StreamMode]] = {"ccm": CCM, "gcm": GCM, "ocb3": OCB3}


def stream_mode_names(cipher: str = "aes") -> tuple[str, ...]:
    """The names that :func:`stream_mode` knows for a cipher, in alphabetical order."""
    if cipher not in _CIPHERS:
        return ()
    return tuple(sorted({**_ON_ANY_CIPHER, **(_ON_AES if cipher == "aes" else {})}))


def stream_mode(name: str, key: bytes, cipher: str = "aes") -> StreamMode:
    """The reference of stream mode *name* under *key*, with the cipher "aes" or "sm4".

    Raises
    ------
    ValueError
        No reference has this name and cipher, or *key* has a wrong length for it.
    TypeError
        *key* is not bytes.
    """
    if name not in (names := stream_mode_names(cipher)):
        of_cipher = "" if cipher == "aes" else f" with cipher {cipher!r}"
        raise ValueError(f"no reference for stream mode {name!r}{of_cipher}; there are {', '.join(names) or 'none'}")
    return _ON_AES[name](key) if name in _ON_AES else _ON_ANY_CIPHER[name](key, _CIPHERS[cipher])
