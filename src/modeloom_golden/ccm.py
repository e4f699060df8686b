# SPDX-License-Identifier: Apache-2.0
"""CCM. NIST SP 800-38C (May 2004, with the errata of July 2007), sections 5 and 6, and the formatting of its appendix A.

The standard's names: n bytes of nonce, q = 15 - n bytes of the length of the payload, t bytes of tag, a bytes of associated data::

    B_0       | flags (1) | nonce (n) | length of the payload in bytes (q), big-endian |
      flags     bit 6: there is associated data; bits 5 to 3: (t - 2) / 2; bits 2 to 0: q - 1; bit 7 is zero
    B_1 …     | a, as encode_ad_length says (2, 6 or 10) | A | zeros up to a block | payload | zeros up to a block |
    Ctr_i     | q - 1 (1) | nonce (n) | i (q), big-endian |
    sealed    | C, as long as the payload | T (t) |

The inverse direction of the cipher is never used. T is the end of a chain over B_0, B_1, …, under the cipher of Ctr_0.
"""

from __future__ import annotations

from .aes import AES
from .checks import BLOCK_BYTES, BlockCipher, CipherFactory, check_bytes, check_tag, pad_zeros, split_sealed, xor

TAG_BYTES = (4, 6, 8, 10, 12, 14, 16)
"""t of appendix A.1."""

NONCE_BYTES = tuple(range(7, 14))
"""n of appendix A.1: q is 2 to 8."""


class CCM:
    """CCM: authenticated encryption with associated data, for messages of any number of bytes that q bytes can tell.

    Parameters
    ----------
    key : bytes
        Of the cipher: 16, 24 or 32 bytes for AES.
    cipher : callable
        The block cipher of the bytes of *key*.

    Raises ``TypeError`` or ``ValueError`` if *key* is not bytes, or has no length that the cipher takes.
    """

    def __init__(self, key: bytes, cipher: CipherFactory = AES) -> None:
        self._cipher = cipher(check_bytes("CCM key", key))

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """C ‖ T: *text* encrypted, then the tag of *tag_bytes* bytes over *ad* and *text*. Section 6.1.

        A nonce must never serve for two messages under one key.

        Raises ``TypeError`` if *nonce*, *text* or *ad* is not bytes, and ``ValueError`` if the length of one of them, or of the tag, is
        none of the standard.
        """
        nonce, text, ad = check_bytes("nonce", nonce), check_bytes("text", text), check_bytes("ad", ad)
        check_lengths(len(nonce), len(text), len(ad), tag_bytes)
        t = cbc_mac(self._cipher, formatted(nonce, text, ad, tag_bytes))[:tag_bytes]  # steps 1 to 4
        s_0, *s = self._keystream(nonce, len(text))  # steps 5 to 7
        return _added(text, b"".join(s)) + _added(t, s_0)  # step 8

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text of a sealed message, if its tag is right. Section 6.2.

        Raises ``AuthenticationError`` (INVALID) if the tag is wrong, or *sealed* is shorter than a tag; otherwise as :meth:`seal`.
        """
        nonce, sealed, ad = check_bytes("nonce", nonce), check_bytes("sealed", sealed), check_bytes("ad", ad)
        check_lengths(len(nonce), max(0, len(sealed) - tag_bytes), len(ad), tag_bytes)
        c, t_under_s_0 = split_sealed(sealed, tag_bytes)  # step 1
        s_0, *s = self._keystream(nonce, len(c))  # steps 2 to 4
        p, t = _added(c, b"".join(s)), _added(t_under_s_0, s_0)  # steps 5 and 6
        check_tag(t, cbc_mac(self._cipher, formatted(nonce, p, ad, tag_bytes))[:tag_bytes])  # steps 7 to 10
        return p

    def _keystream(self, nonce: bytes, text_bytes: int) -> list[bytes]:
        """S_0 and what a text of *text_bytes* bytes needs behind it."""
        return [self._cipher.encrypt_block(counter_block(nonce, i)) for i in range(1 + -(-text_bytes // BLOCK_BYTES))]


def formatted(nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes:
    """B_0 ‖ B_1 ‖ …, whole blocks. Appendix A.2."""
    q = 15 - len(nonce)
    flags = 64 * bool(ad) + 8 * ((tag_bytes - 2) // 2) + q - 1
    b_0 = bytes([flags]) + nonce + len(text).to_bytes(q, "big")
    return b_0 + (pad_zeros(encode_ad_length(len(ad)) + ad) if ad else b"") + pad_zeros(text)


def encode_ad_length(ad_bytes: int) -> bytes:
    """The bytes before the associated data, of which there is one at least: 2, 6 or 10. Appendix A.2.2."""
    if ad_bytes < 2**16 - 2**8:
        return ad_bytes.to_bytes(2, "big")
    if ad_bytes < 2**32:
        return b"\xff\xfe" + ad_bytes.to_bytes(4, "big")
    return b"\xff\xff" + ad_bytes.to_bytes(8, "big")


def counter_block(nonce: bytes, i: int) -> bytes:
    """Ctr_i. Appendix A.3."""
    q = 15 - len(nonce)
    return bytes([q - 1]) + nonce + i.to_bytes(q, "big")


def cbc_mac(cipher: BlockCipher, blocks: bytes) -> bytes:
    """Y_r: the cipher of the sum of each block and what came out before it. Section 6.1, steps 2 and 3."""
    y = bytes(BLOCK_BYTES)
    for i in range(0, len(blocks), BLOCK_BYTES):
        y = cipher.encrypt_block(xor(y, blocks[i : i + BLOCK_BYTES]))
    return y


def check_lengths(nonce_bytes: int, text_bytes: int, ad_bytes: int, tag_bytes: int) -> None:
    """ValueError for a length that appendix A.1 does not have."""
    if tag_bytes not in TAG_BYTES:
        raise ValueError(f"a CCM tag has {', '.join(map(str, TAG_BYTES[:-1]))} or {TAG_BYTES[-1]} bytes, not {tag_bytes}")
    if nonce_bytes not in NONCE_BYTES:
        raise ValueError(f"a CCM nonce has {NONCE_BYTES[0]} to {NONCE_BYTES[-1]} bytes, not {nonce_bytes}")
    if text_bytes >> 8 * (15 - nonce_bytes):
        most = (1 << 8 * (15 - nonce_bytes)) - 1
        raise ValueError(f"with a nonce of {nonce_bytes} bytes a CCM text has at most {most} bytes, not {text_bytes}")
    if ad_bytes >= 2**64:
        raise ValueError(f"CCM associated data has at most {2**64 - 1} bytes, not {ad_bytes}")


def _added(data: bytes, keystream: bytes) -> bytes:
    return xor(data, keystream[: len(data)])
