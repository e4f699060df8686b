# SPDX-License-Identifier: Apache-2.0
"""The key packet of a core that takes expanded keys.

::

    K ‖ word     ──▶ RK0 ‖ RK1 ‖ ... ‖ word        each part padded with zeros to whole beats
"""

from __future__ import annotations

from pathlib import Path

from modeloom.ciphers import BlockCipher, cipher_of
from modeloom.modes import find_any
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode

__all__ = ["expanded_key", "expanded_key_of"]


def expanded_key(mode: StreamMode, cipher: BlockCipher, key: bytes, beat_bytes: int = 16) -> bytes:
    """The bytes of a key packet with round keys in the place of the cipher key.

    Parameters
    ----------
    mode : StreamMode
    cipher : BlockCipher
    key : bytes
        The mode's whole key, as a core that expands keys takes it.
    beat_bytes : int
        Bytes of a beat; each round key and each other part begins with one.

    Raises
    ------
    InputError
        The key has a wrong length, or the cipher has no software for its round keys.
    """
    if cipher.expand is None:
        raise InputError(f"{cipher.name} has no software that expands a key: its description has no expand")
    parts = mode.split_key(key, tuple(bits // 8 for bits in cipher.key_bits))
    packet = b""
    for name, value in parts.items():
        for each in cipher.expand(value) if name in mode.cipher_keys else (value,):
            packet += each + bytes(-len(each) % beat_bytes)
    return packet


def expanded_key_of(definition: str, folder: str | Path, cipher_name: str, key: bytes) -> bytes:
    """``expanded_key`` for a mode by its name or place, which may be given from a folder, and a cipher by its name."""
    mode = find_any(definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{definition} is a mode for sectors, whose cores expand keys themselves")
    return expanded_key(mode, cipher_of(mode, cipher_name), key)
