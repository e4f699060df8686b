# SPDX-License-Identifier: Apache-2.0
"""The software of ciphers: blocks by OpenSSL, and round keys for cores that take expanded keys."""

from __future__ import annotations

from collections.abc import Callable

from modeloom.spec import Cipher

__all__ = ["aes_round_keys", "openssl", "sm4_round_keys"]


# Ciphers of OpenSSL as the software of a description.  The hardware is compared with it, and models run on it.

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


# -- round keys --------------------------------------------------------------------------------------------------------------------

# Round keys in software, for cores that take expanded keys: what the key schedules in hardware write, as bytes.
#
# A round key is a number in hardware.  Its bytes stand in the order of their bits, bits [7:0] first.

WORD = (1 << 32) - 1


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]


def _left(word: int, places: int) -> int:
    return (word << places | word >> 32 - places) & WORD


def _substitute(word: int, table: tuple[int, ...]) -> int:
    return int.from_bytes(bytes(table[byte] for byte in word.to_bytes(4, "big")), "big")


def _next_words(words: list[int], count: int, step: Callable[[int, list[int]], int]) -> list[int]:
    words = list(words)
    while len(words) < count:
        words.append(step(len(words), words))
    return words


def aes_round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 to 10, 12 or 14 of AES, 16 bytes each in the order of FIPS 197, 5.2, for a key of 16, 24 or 32 bytes."""
    from modeloom.rtl.aes.sbox import SBOX

    length = len(key) // 4
    constants = [1]
    while len(constants) < 10:
        constants.append(constants[-1] << 1 ^ (constants[-1] >> 7) * 0x11B)

    def step(number: int, words: list[int]) -> int:
        last = words[-1]
        if number % length == 0:
            last = _substitute(_left(last, 8), SBOX) ^ constants[number // length - 1] << 24
        elif length == 8 and number % length == 4:
            last = _substitute(last, SBOX)
        return words[-length] ^ last

    words = _next_words(_words(key), 4 * (length + 7), step)
    return [b"".join(word.to_bytes(4, "big") for word in words[at : at + 4]) for at in range(0, len(words), 4)]


def sm4_round_keys(key: bytes) -> list[bytes]:
    """Round keys 0 to 31 of SM4 (GB/T 32907-2016, 7.3), 4 bytes each with the lowest bits first, for a key of 16 bytes."""
    from modeloom.rtl.sm4 import FIXED_PARAMETERS, ROUNDS, SBOX, SYSTEM_PARAMETER

    def step(number: int, words: list[int]) -> int:
        mixed = _substitute(words[-1] ^ words[-2] ^ words[-3] ^ FIXED_PARAMETERS[number - 4], SBOX)
        return words[-4] ^ mixed ^ _left(mixed, 13) ^ _left(mixed, 23)

    first = [word ^ constant for word, constant in zip(_words(key), SYSTEM_PARAMETER, strict=True)]
    return [word.to_bytes(4, "little") for word in _next_words(first, 4 + ROUNDS, step)[4:]]
