# SPDX-License-Identifier: Apache-2.0
"""SM4 (GB/T 32907-2016) on single blocks, written from the standard.

Words are four bytes, the first one the highest.  A block is X_0 … X_3, and each of 32 rounds makes one word more::

    round i      X_{i+4}  = X_i ⊕ L(τ(X_{i+1} ⊕ X_{i+2} ⊕ X_{i+3} ⊕ rk_i))
    result       X_35 ‖ X_34 ‖ X_33 ‖ X_32
    key          K_j      = MK_j ⊕ FK_j,  j = 0 … 3
                 rk_i     = K_{i+4} = K_i ⊕ L'(τ(K_{i+1} ⊕ K_{i+2} ⊕ K_{i+3} ⊕ CK_i))

Decryption is the same with the round keys in the reverse order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .checks import check_block, check_bytes

KEY_BYTES = 16
ROUNDS = 32

#: The S-box, section 6.2 a), table 1; the upper half of a byte is its row.
SBOX = bytes.fromhex(
    "d690e9fecce13db716b614c228fb2c05"
    "2b679a762abe04c3aa44132649860699"
    "9c4250f491ef987a33540b43edcfac62"
    "e4b31ca9c908e89580df94fa758f3fa6"
    "4707a7fcf37317ba83593c19e6854fa8"
    "686b81b27164da8bf8eb0f4b70569d35"
    "1e240e5e6358d1a225227c3b01217887"
    "d40046579fd327524c3602e7a0c4c89e"
    "eabf8ad240c738b5a3f7f2cef96115a1"
    "e0ae5da49b341a55ad933230f58cb1e3"
    "1df6e22e8266ca60c02923ab0d534e6f"
    "d5db3745defd8e2f03ff6a726d6c5b51"
    "8d1baf92bbddbc7f11d95c411f105ad8"
    "0ac13188a5cd7bbd2d74d012b8e5b4b0"
    "8969974a0c96777e65b9f109c56ec684"
    "18f07dec3adc4d2079ee5f3ed7cb3948"
)
#: The system parameter FK.
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
#: The fixed parameters CK_i: byte j is 7 (4i + j) mod 256.
CK = tuple(int.from_bytes(bytes(7 * (4 * i + j) % 256 for j in range(4)), "big") for i in range(ROUNDS))


def rotated(word: int, places: int) -> int:
    """A word of 32 bits, rotated to the left."""
    return (word << places | word >> 32 - places) & 0xFFFFFFFF


def tau(word: int) -> int:
    """τ: the S-box of each byte."""
    return int.from_bytes(word.to_bytes(4, "big").translate(SBOX), "big")


def linear(word: int) -> int:
    """L, the linear map of the rounds."""
    return word ^ rotated(word, 2) ^ rotated(word, 10) ^ rotated(word, 18) ^ rotated(word, 24)


def key_linear(word: int) -> int:
    """L', the linear map of the key schedule."""
    return word ^ rotated(word, 13) ^ rotated(word, 23)


def round_keys(key: bytes) -> list[int]:
    """The 32 round keys of a key of 16 bytes."""
    k = [word ^ fk for word, fk in zip(_words(key), FK, strict=True)]
    return _extended(k, CK, key_linear)[4:]


class SM4:
    """The SM4 permutation of 128-bit blocks under one key.

    Parameters
    ----------
    key : bytes
        16 bytes.

    Raises ``TypeError`` if *key* is not bytes, and ``ValueError`` if *key* has a wrong length.
    """

    def __init__(self, key: bytes) -> None:
        key = check_bytes("SM4 key", key)
        if len(key) != KEY_BYTES:
            raise ValueError(f"SM4 key must be {KEY_BYTES} bytes, not {len(key)}")
        self._round_keys = round_keys(key)

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block of 16 bytes."""
        return _crypt(self._round_keys, check_block("block", block))

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""
        return _crypt(self._round_keys[::-1], check_block("block", block))


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, 16, 4)]


def _extended(words: list[int], added: Sequence[int], mix: Callable[[int], int]) -> list[int]:
    """Four words and one for each of *added*."""
    words = list(words)
    for i, value in enumerate(added):
        words.append(words[i] ^ mix(tau(words[i + 1] ^ words[i + 2] ^ words[i + 3] ^ value)))
    return words


def _crypt(keys: Sequence[int], block: bytes) -> bytes:
    words = _extended(_words(block), keys, linear)
    return b"".join(word.to_bytes(4, "big") for word in words[:-5:-1])
