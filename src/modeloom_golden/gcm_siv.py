# SPDX-License-Identifier: Apache-2.0
"""AES-GCM-SIV. RFC 8452 (April 2019), sections 4 and 5, line by line.

All numbers are little-endian::

    derivation block    | i (4) | nonce (12) |             the cipher of it gives 8 bytes of key
    length block        | bits of the associated data (8) | bits of the text (8) |
    before the tag      POLYVAL of  A | zeros up to a block | P | zeros up to a block | length block
                        its first 12 bytes plus the nonce, and the most significant bit of byte 15 zero
    counter block       the tag with the most significant bit of byte 15 one; bytes 0 to 3 count modulo 2^32
    sealed              | C, as long as the text | T (16) |

The inverse direction of the cipher is never used. The tag is made of the text, so that the text is read twice.
"""

from __future__ import annotations

from .aes import AES
from .checks import (
    BLOCK_BYTES,
    BlockCipher,
    CipherFactory,
    check_block,
    check_bytes,
    check_tag,
    pad_zeros,
    split_blocks,
    split_sealed,
    xor,
)
from .field import polyval

KEY_BYTES = (16, 32)
"""The key-generating keys of AEAD_AES_128_GCM_SIV and AEAD_AES_256_GCM_SIV, section 6."""

NONCE_BYTES = 12

TAG_BYTES = 16

MOST_BYTES = 2**36
"""Of text, and of associated data. Section 6."""


class GCMSIV:
    """AES-GCM-SIV: authenticated encryption that endures a nonce used twice, for messages of any number of bytes.

    Parameters
    ----------
    key : bytes
        The key-generating key, 16 or 32 bytes; keys for each nonce come out of it.
    cipher : callable
        The block cipher of the bytes of a key.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has another length.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._key = check_bytes("GCM-SIV key", key)
        if len(key) not in KEY_BYTES:
            raise ValueError(f"GCM-SIV key must be 16 or 32 bytes, not {len(key)}")
        self._factory = cipher
        self._cipher = cipher(self._key)

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of 16 bytes over *ad* and *text*. Section 4, encryption.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of one of them, or of the tag, is
        none of the standard.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), len(text), len(ad), tag_bytes)
        authentication_key, cipher = self._derived(nonce)
        tag = expected_tag(authentication_key, cipher, nonce, text, ad)
        return aes_ctr(cipher, _first_counter(tag), text) + tag

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right. Section 5, decryption.

        Raises ``AuthenticationError`` (FAIL) if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), max(0, len(sealed) - TAG_BYTES), len(ad), tag_bytes)
        ciphertext, tag = split_sealed(sealed, TAG_BYTES)
        authentication_key, cipher = self._derived(nonce)
        text = aes_ctr(cipher, _first_counter(tag), ciphertext)
        check_tag(tag, expected_tag(authentication_key, cipher, nonce, text, ad))
        return text

    def derive_keys(self, nonce: bytes) -> tuple[bytes, bytes]:
        """The message-authentication key, 16 bytes, and the message-encryption key, as long as the key. Section 4, derive_keys."""
        halves = [self._cipher.encrypt_block(i.to_bytes(4, "little") + nonce)[:8] for i in range(2 + len(self._key) // 8)]
        return b"".join(halves[:2]), b"".join(halves[2:])

    def _derived(self, nonce: bytes) -> tuple[bytes, BlockCipher]:
        authentication_key, encryption_key = self.derive_keys(nonce)
        return authentication_key, self._factory(encryption_key)


class GCMSIVMessages:
    """AES-GCM-SIV under the keys of one nonce, as derive_keys gives them. Sections 4 and 5, without derive_keys.

    Parameters
    ----------
    keys : bytes
        The message-authentication key, 16 bytes, and the message-encryption key, 16 or 32 bytes.
    cipher : callable
        The block cipher of the bytes of a key.

    Raises ``TypeError`` or ``ValueError`` if *keys* is not bytes, or has another length.
    """

    def __init__(self, keys: bytes, cipher: CipherFactory = AES) -> None:
        keys = check_bytes("GCM-SIV message keys", keys)
        self._authentication_key, encryption_key = keys[:BLOCK_BYTES], keys[BLOCK_BYTES:]
        if len(encryption_key) not in KEY_BYTES:
            raise ValueError(f"GCM-SIV message keys must have 32 or 48 bytes, not {len(keys)}")
        self._cipher = cipher(encryption_key)

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """As :meth:`GCMSIV.seal`."""
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), len(text), len(ad), tag_bytes)
        tag = expected_tag(self._authentication_key, self._cipher, nonce, text, ad)
        return aes_ctr(self._cipher, _first_counter(tag), text) + tag

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """As :meth:`GCMSIV.open`."""
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), max(0, len(sealed) - TAG_BYTES), len(ad), tag_bytes)
        ciphertext, tag = split_sealed(sealed, TAG_BYTES)
        text = aes_ctr(self._cipher, _first_counter(tag), ciphertext)
        check_tag(tag, expected_tag(self._authentication_key, self._cipher, nonce, text, ad))
        return text


def expected_tag(authentication_key: bytes, cipher: BlockCipher, nonce: bytes, text: bytes, ad: bytes) -> bytes:
    """The tag of a text under the keys of its nonce. Section 4: from the length block to the tag."""
    length_block = (8 * len(ad)).to_bytes(8, "little") + (8 * len(text)).to_bytes(8, "little")
    s_s = polyval(authentication_key, split_blocks("hash input", pad_zeros(ad) + pad_zeros(text) + length_block))
    s_s = xor(s_s, nonce + bytes(4))
    return cipher.encrypt_block(s_s[:-1] + bytes([s_s[-1] & 0x7F]))


def aes_ctr(cipher: BlockCipher, initial: bytes, data: bytes) -> bytes:
    """*data* under the ciphers of *initial* and what follows: bytes 0 to 3 count modulo 2^32. Section 4, AES_CTR."""
    block, result = check_block("initial counter block", initial), b""
    for i in range(0, len(data), BLOCK_BYTES):
        part = data[i : i + BLOCK_BYTES]
        result += xor(part, cipher.encrypt_block(block)[: len(part)])
        block = ((int.from_bytes(block[:4], "little") + 1) % 2**32).to_bytes(4, "little") + block[4:]
    return result


def check_lengths(nonce_bytes: int, text_bytes: int, ad_bytes: int, tag_bytes: int) -> None:
    """ValueError for a length that the standard does not have. Sections 4 to 6."""
    if tag_bytes != TAG_BYTES:
        raise ValueError(f"a GCM-SIV tag has {TAG_BYTES} bytes, not {tag_bytes}")
    if nonce_bytes != NONCE_BYTES:
        raise ValueError(f"a GCM-SIV nonce has {NONCE_BYTES} bytes, not {nonce_bytes}")
    for name, length in (("text", text_bytes), ("ad", ad_bytes)):
        if length > MOST_BYTES:
            raise ValueError(f"GCM-SIV {name} must be at most {MOST_BYTES} bytes, not {length}")


def _first_counter(tag: bytes) -> bytes:
    return tag[:-1] + bytes([tag[-1] | 0x80])
