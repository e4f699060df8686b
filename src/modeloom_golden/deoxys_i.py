# SPDX-License-Identifier: Apache-2.0
"""Deoxys-I-128-128. Jean, Nikolić, Peyrin, Seurin: Deoxys v1.41, submission to the CAESAR competition, 2016, section 2.4.

The cipher is Deoxys-BC-256. A tweak has 128 bits, a prefix of 4 bits first. All numbers are big-endian, blocks count from 0::

    0010 | block (124)                    whole block of associated data
    0110 | number of whole blocks (124)   last block of associated data, if it is partial
    0000 | nonce (64) | block (60)        whole block of text
    0100 | nonce (64) | whole blocks (60) keystream for the last block of text, if it is partial
    0001 | nonce (64) | whole blocks (60) sum of the text, of whole blocks only
    0101 | nonce (64) | all blocks (60)   sum of the text, if its last block is partial

    sealed         | C, as long as the text | T (the tag) |

A partial block gets a 1 and zeros before it is summed or enciphered. The text may be of no bytes: then the sum is zero. Opening uses the
inverse direction of the cipher. A nonce must never serve for two messages under one key.
"""

from __future__ import annotations

from .checks import BLOCK_BYTES, check_bytes, check_tag, pad_one_zeros, split_sealed, xor
from .deoxys_bc import DeoxysBC256

NONCE_BYTES = 8

TAG_BYTES = 16


class DeoxysI:
    """Deoxys-I-128-128: authenticated encryption with associated data in one pass, for messages of any number of bytes.

    Parameters
    ----------
    key : bytes
        16 bytes.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has another length.
    """

    def __init__(self, key: bytes) -> None:
        self._cipher = DeoxysBC256(key)

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of 16 bytes over *ad* and *text*.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of the nonce or of the tag is none
        of the specification.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths("Deoxys-I", len(nonce), NONCE_BYTES, tag_bytes)
        whole, partial = whole_blocks(text)
        sealed, checksum = b"", bytes(BLOCK_BYTES)
        for i, m in enumerate(whole):
            sealed += self._cipher.encrypt_block(m, text_tweak(0b0000, nonce, i))
            checksum = xor(checksum, m)
        if partial:
            sealed += self._with_keystream(partial, nonce, len(whole))
            checksum = xor(checksum, pad_one_zeros(partial))
        return sealed + self._tag(nonce, checksum, len(whole), bool(partial), ad)

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right.

        Raises ``AuthenticationError`` if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths("Deoxys-I", len(nonce), NONCE_BYTES, tag_bytes)
        ciphertext, tag = split_sealed(sealed, TAG_BYTES)
        whole, partial = whole_blocks(ciphertext)
        text, checksum = b"", bytes(BLOCK_BYTES)
        for i, c in enumerate(whole):
            m = self._cipher.decrypt_block(c, text_tweak(0b0000, nonce, i))
            text, checksum = text + m, xor(checksum, m)
        if partial:
            m = self._with_keystream(partial, nonce, len(whole))
            text, checksum = text + m, xor(checksum, pad_one_zeros(m))
        check_tag(tag, self._tag(nonce, checksum, len(whole), bool(partial), ad))
        return text

    def _with_keystream(self, partial: bytes, nonce: bytes, blocks: int) -> bytes:
        pad = self._cipher.encrypt_block(bytes(BLOCK_BYTES), text_tweak(0b0100, nonce, blocks))
        return xor(partial, pad[: len(partial)])

    def _tag(self, nonce: bytes, checksum: bytes, blocks: int, partial: bool, ad: bytes) -> bytes:
        tweak = text_tweak(0b0101, nonce, blocks + 1) if partial else text_tweak(0b0001, nonce, blocks)
        final = self._cipher.encrypt_block(checksum, tweak)
        return xor(final, authenticated(self._cipher, ad))


def authenticated(cipher: DeoxysBC256, ad: bytes) -> bytes:
    """Auth: the sum of the ciphers of the blocks of *ad*, zero for no bytes."""
    auth = bytes(BLOCK_BYTES)
    whole, partial = whole_blocks(check_bytes("ad", ad))
    for i, a in enumerate(whole):
        auth = xor(auth, cipher.encrypt_block(a, number_tweak(0b0010, i)))
    if partial:
        auth = xor(auth, cipher.encrypt_block(pad_one_zeros(partial), number_tweak(0b0110, len(whole))))
    return auth


def number_tweak(prefix: int, number: int) -> bytes:
    """*prefix* (4 bits) ‖ *number* (124 bits)."""
    return (prefix << 124 | number).to_bytes(BLOCK_BYTES, "big")


def text_tweak(prefix: int, nonce: bytes, number: int) -> bytes:
    """*prefix* (4 bits) ‖ *nonce* (64 bits) ‖ *number* (60 bits)."""
    return number_tweak(prefix, int.from_bytes(nonce, "big") << 60 | number)


def whole_blocks(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole blocks of *data*, and the bytes behind them, fewer than a block."""
    end = len(data) // BLOCK_BYTES * BLOCK_BYTES
    return [data[i : i + BLOCK_BYTES] for i in range(0, end, BLOCK_BYTES)], data[end:]


def check_lengths(name: str, nonce_bytes: int, right_nonce: int, tag_bytes: int) -> None:
    """ValueError for a length of nonce or tag that this kind of Deoxys does not have."""
    if tag_bytes != TAG_BYTES:
        raise ValueError(f"a {name} tag has {TAG_BYTES} bytes, not {tag_bytes}")
    if nonce_bytes != right_nonce:
        raise ValueError(f"a {name} nonce has {right_nonce} bytes, not {nonce_bytes}")
