# SPDX-License-Identifier: Apache-2.0
"""Round keys of AES, byte by byte from FIPS 197, 5.2 and 5.3.5, for circuits that are less than a cipher.

Byte r + 4c of a round key is row r, column c.
"""

from __future__ import annotations

from .aes_steps import inv_mix_column, sub_byte
from .checks import check_bytes

__all__ = ["inverse_form", "inverse_round_keys", "round_keys"]

KEY_BYTES = (16, 24, 32)


def round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 … 10, 12 or 14 of a cipher key, 16 bytes each.

    Raises ``TypeError`` if *key* is not bytes, and ``ValueError`` if *key* does not have 16, 24 or 32 bytes.
    """
    key = check_bytes("AES key", key)
    if len(key) not in KEY_BYTES:
        raise ValueError(f"AES key must be 16, 24 or 32 bytes, not {len(key)}")
    count = len(key) // 4
    words = [key[at : at + 4] for at in range(0, len(key), 4)]
    constant = 1
    for n in range(count, 4 * (count + 7)):
        word = words[-1]
        if n % count == 0:
            word = bytes(map(sub_byte, word[1:] + word[:1]))
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = constant << 1 ^ (constant >> 7) * 0x11B
        elif count == 8 and n % count == 4:
            word = bytes(map(sub_byte, word))
        words.append(bytes(a ^ b for a, b in zip(words[-count], word, strict=True)))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def inverse_form(keys: list[bytes]) -> list[bytes]:
    """Round keys for the equivalent inverse cipher: all except the first and the last with InvMixColumns."""
    first, *inner, last = keys
    return [first, *(b"".join(inv_mix_column(key[at : at + 4]) for at in range(0, 16, 4)) for key in inner), last]


def inverse_round_keys(key: bytes) -> list[bytes]:
    """``inverse_form`` of ``round_keys``."""
    return inverse_form(round_keys(key))
