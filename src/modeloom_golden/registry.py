# SPDX-License-Identifier: Apache-2.0
"""The reference modes and ciphers by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from .aes import AES
from .brw import permutation
from .ccm import CCM
from .checks import CipherFactory
from .deoxys_i import DeoxysI
from .deoxys_ii import DeoxysII
from .eme import CMC, EME, EME2
from .field import ghash_double, poly
from .gcm import GCM
from .gcm_siv import GCMSIV, GCMSIVMessages
from .hch import HCH, HCHfp
from .hctr import HCTR, HCTR2
from .ocb3 import OCB3
from .otr import AESOTR
from .psi import HEH, HMCH
from .sm4 import SM4
from .tet import TET
from .xcb import XCB, XCB1619
from .xts import XTS


class Mode(Protocol):
    """A tweakable length-preserving cipher under one key."""

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Encrypt *data* under *tweak*."""

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """The inverse of :meth:`encrypt`."""


_ON_AES: dict[str, Callable[[bytes], Mode]] = {
    "hctr2": HCTR2,
    "heh-brw": HEH,
    # Three stages: the multiplier of brw2013, for which its section 4.2 prints π.
    "heh-brw-pi": lambda key: HEH(key, lambda hashed_blocks: permutation(hashed_blocks, stages=3)),
    "heh-poly": lambda key: HEH(key, polynomial=poly),
    "hmch-brw": HMCH,
    "hmch-poly": lambda key: HMCH(key, polynomial=poly),
}

_CIPHERS: dict[str, CipherFactory] = {"aes": AES, "sm4": SM4}

_ON_ANY_CIPHER: dict[str, Callable[[bytes, CipherFactory], Mode]] = {
    "cmc": CMC,
    "eme": EME,
    "eme2": EME2,
    "hch": HCH,
    "hchfp": HCHfp,
    "hctr": HCTR,
    "tet": TET,
    "xcb": XCB,
    "xcb-1619": XCB1619,
    "xts": XTS,
    "xts-gb": lambda key, cipher: XTS(key, cipher, ghash_double),
    "xts-ieee": XTS,
}


def mode_names(cipher: str = "aes") -> tuple[str, ...]:
    """The names that :func:`mode` knows for a cipher, in alphabetical order."""
    if cipher not in _CIPHERS:
        return ()
    return tuple(sorted({**_ON_ANY_CIPHER, **(_ON_AES if cipher == "aes" else {})}))


def mode(name: str, key: bytes, cipher: str = "aes") -> Mode:
    """The reference of mode *name* under *key*, with the cipher "aes" or "sm4".

    Raises
    ------
    ValueError
        No reference has this name and cipher, or *key* has a wrong length for it.
    TypeError
        *key* is not bytes.
    """
    if name not in (names := mode_names(cipher)):
        of_cipher = "" if cipher == "aes" else f" with cipher {cipher!r}"
        raise ValueError(f"no reference for mode {name!r}{of_cipher}; there are {', '.join(names)}")
    return _ON_AES[name](key) if name in _ON_AES else _ON_ANY_CIPHER[name](key, _CIPHERS[cipher])


# -- modes for messages ------------------------------------------------------------------------------------------------------------------

# The reference stream modes by name: authenticated encryption of messages of any length.

class StreamMode(Protocol):
    """Authenticated encryption with associated data under one key. A sealed message is the ciphertext and the tag behind it."""

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """Encrypt *text*, and append the tag over *ad* and the ciphertext."""

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message; AuthenticationError if its tag is wrong."""


_STREAM_ON_AES: dict[str, Callable[[bytes], StreamMode]] = {
    "aes-otr": AESOTR,
    "aes-otr-serial": lambda key: AESOTR(key, serial=True),
    "gcm-siv": GCMSIV,
}

_UNDER_MESSAGE_KEYS: dict[tuple[str, str], Callable[[bytes], StreamMode]] = {("gcm-siv", "aes"): GCMSIVMessages}

_ON_DEOXYS_BC: dict[str, Callable[[bytes], StreamMode]] = {"deoxys-i": DeoxysI, "deoxys-ii": DeoxysII}

_STREAM_CIPHERS: dict[str, CipherFactory] = {"aes": AES, "sm4": SM4}

_STREAM_ON_ANY_CIPHER: dict[str, Callable[..., StreamMode]] = {"ccm": CCM, "gcm": GCM, "ocb3": OCB3}


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
    if cipher not in _STREAM_CIPHERS:
        return {}
    factory = _STREAM_CIPHERS[cipher]
    on_any = {name: partial(make, cipher=factory) for name, make in _STREAM_ON_ANY_CIPHER.items()}
    return on_any | (_STREAM_ON_AES if cipher == "aes" else {})
