# SPDX-License-Identifier: Apache-2.0
"""Deoxys-II-128-128. Jean, Nikolić, Peyrin, Seurin: Deoxys v1.43, 2021: the mode SCT-2 with Deoxys-BC-256.

A tweak has 128 bits. All numbers are big-endian, blocks count from 0. The text is read twice: for the tag, and to be encrypted::

    0010 | block (124)                    whole block of associated data      both are summed, as in Deoxys-I
    0110 | number of whole blocks (124)   its last block, if it is partial
    0000 | block (124)                    whole block of text                 summed, too
    0100 | number of whole blocks (124)   its last block, if it is partial
    0001 | 0000 | nonce (120)             the sum: its cipher is the tag
    1 | tag, bits 1 to 127, + block       keystream: the cipher of 00000000 | nonce (120)

    sealed         | C, as long as the text | T (the tag) |

A partial block gets a 1 and zeros before it is enciphered. The inverse direction of the cipher is never used. A nonce that serves for two
messages reveals no more than whether they are equal.
"""

from __future__ import annotations

from .checks import BLOCK_BYTES, check_bytes, check_tag, pad_one_zeros, split_sealed, xor
from .deoxys_bc import DeoxysBC256
from .deoxys_i import TAG_BYTES, DeoxysI, authenticated, check_lengths, number_tweak, whole_blocks

NONCE_BYTES = 15

class DeoxysII(DeoxysI):
    """Deoxys-II-128-128: authenticated encryption that endures a nonce used twice.  Key, arguments and errors are as of Deoxys-I."""

    def __init__(self, key: bytes) -> None:
        self._cipher = DeoxysBC256(key)

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of 16 bytes over *ad* and *text*."""
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths("Deoxys-II", len(nonce), NONCE_BYTES, tag_bytes)
        tag = self._tag_of(nonce, text, ad)
        return self._encrypted(nonce, tag, text) + tag

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right."""
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths("Deoxys-II", len(nonce), NONCE_BYTES, tag_bytes)
        ciphertext, tag = split_sealed(sealed, TAG_BYTES)
        text = self._encrypted(nonce, tag, ciphertext)
        check_tag(tag, self._tag_of(nonce, text, ad))
        return text

    def _tag_of(self, nonce: bytes, text: bytes, ad: bytes) -> bytes:
        auth = authenticated(self._cipher, ad)
        whole, partial = whole_blocks(text)
        for i, m in enumerate(whole):
            auth = xor(auth, self._cipher.encrypt_block(m, number_tweak(0b0000, i)))
        if partial:
            auth = xor(auth, self._cipher.encrypt_block(pad_one_zeros(partial), number_tweak(0b0100, len(whole))))
        return self._cipher.encrypt_block(auth, b"\x10" + nonce)

    def _encrypted(self, nonce: bytes, tag: bytes, data: bytes) -> bytes:
        result = b""
        for i in range(0, len(data), BLOCK_BYTES):
            part = data[i : i + BLOCK_BYTES]
            tweak = (int.from_bytes(tag, "big") | 1 << 127) ^ i // BLOCK_BYTES
            pad = self._cipher.encrypt_block(b"\0" + nonce, tweak.to_bytes(BLOCK_BYTES, "big"))
            result += xor(part, pad[: len(part)])
        return result
