# SPDX-License-Identifier: Apache-2.0
"""The reference modes and ciphers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .aes import AES
from .block_cipher import CipherFactory
from .brw import permutation
from .cmc import CMC
from .eme import EME
from .eme2 import EME2
from .field import ghash_double
from .hch import HCH, HCHfp
from .hctr import HCTR
from .hctr2 import HCTR2
from .heh import HEH
from .hmch import HMCH
from .poly import poly
from .sm4 import SM4
from .tet import TET
from .xcb import XCB
from .xcb_1619 import XCB1619
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
