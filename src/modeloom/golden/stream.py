# SPDX-License-Identifier: Apache-2.0
"""The reference stream modes by name: authenticated encryption of messages of any length."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from .aes import AES
from .block_cipher import CipherFactory
from .ccm import CCM
from .deoxys_i import DeoxysI
from .deoxys_ii import DeoxysII
from .gcm import GCM
from .gcm_siv import GCMSIV, GCMSIVMessages
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

_UNDER_MESSAGE_KEYS: dict[tuple[str, str], Callable[[bytes], StreamMode]] = {("gcm-siv", "aes"): GCMSIVMessages}

_ON_DEOXYS_BC: dict[str, Callable[[bytes], StreamMode]] = {"deoxys-i": DeoxysI, "deoxys-ii": DeoxysII}

_CIPHERS: dict[str, CipherFactory] = {"aes": AES, "sm4": SM4}

_ON_ANY_CIPHER: dict[str, Callable[..., StreamMode]] = {"ccm": CCM, "gcm": GCM, "ocb3": OCB3}


def stream_mode_names(cipher: str = "aes") -> tuple[str, ...]:
    """The names that :func:`stream_mode` knows for a cipher, in alphabetical order."""
    return tuple(sorted(_references(cipher)))


def stream_mode(name: str, key: bytes, cipher: str = "aes", message_keys: bool = False) -> StreamMode:
    """The reference of stream mode *name* under *key*, with the cipher "aes", "sm4" or "deoxys-bc".

    With *message_keys*, *key* is what the mode derives from a key and a nonce, and all messages have this nonce.

    Raises
    ------
    ValueError
        No reference has this name and cipher, or *key* has a wrong length for it.
    TypeError
        *key* is not bytes.
    """
    references = _references(cipher)
    if name not in references:
        of_cipher = "" if cipher == "aes" else f" with cipher {cipher!r}"
        raise ValueError(f"no reference for stream mode {name!r}{of_cipher}; there are {', '.join(sorted(references)) or 'none'}")
    return (_UNDER_MESSAGE_KEYS[name, cipher] if message_keys else references[name])(key)


def _references(cipher: str) -> dict[str, Callable[[bytes], StreamMode]]:
    """The references of a cipher by name, none for a cipher that is unknown here."""
    if cipher == "deoxys-bc":
        return _ON_DEOXYS_BC
    if cipher not in _CIPHERS:
        return {}
    factory = _CIPHERS[cipher]
    on_any = {name: partial(make, cipher=factory) for name, make in _ON_ANY_CIPHER.items()}
    return on_any | (_ON_AES if cipher == "aes" else {})
