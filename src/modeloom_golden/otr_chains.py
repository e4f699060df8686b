# SPDX-License-Identifier: Apache-2.0
"""AES-OTR v3.1 once more: block after block, with masks that double, and text that is opened by sealing it again.

No published vectors of AES-OTR have a licence to carry them, so that two references must agree. This one shares nothing with
:mod:`modeloom_golden.otr` but AES and the verdict. Both have the same author, who wrote them of the algorithms of the submission.
What differs is the way: blocks are lists of bytes, masks come out of chains of doublings, the text is taken one block at a time
with the last two held back, and the right tag of a message to open is the one that sealing its text gives::

    chain of masks      L, 2L, 4L, …   and beside it   3L, 6L, 12L, …
    a block comes       held: 0 or 1 blocks      it is held back
                        held: 2 blocks           these two are a pair that is not last: they go through the network
    the end comes       held: 0 or 1 blocks      a single block, of no bytes if none is held
                        held: 2 blocks           the last pair
"""

from __future__ import annotations

from collections.abc import Iterator

from .aes import AES
from .checks import AuthenticationError, check_tag

Block = list[int]


class ChainedOTR:
    """AES-OTR under one key; the same members as :class:`modeloom_golden.AESOTR`, without its checks of lengths.

    Parameters
    ----------
    key : bytes
        16, 24 or 32 bytes.
    serial : bool
        Associated data in a chain, or else block by block.
    """

    def __init__(self, key: bytes, serial: bool = False) -> None:
        self._aes = AES(key)
        self._serial = serial

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The ciphertext, and the tag of *tag_bytes* bytes behind it."""
        authenticated = self._authenticated(ad)
        masks = self._masks(nonce, authenticated, tag_bytes)
        sealed: list[int] = []
        checksum: Block = [0] * 16
        held: list[Block] = []
        for block in _cut(text):
            if len(held) == 2:
                first, second = next(masks)
                left = _add(self._cipher(_add(held[0], first)), held[1])
                sealed += left + _add(self._cipher(_add(left, second)), held[0])
                checksum = _add(checksum, held[1])
                held = []
            held.append(block)
        first, second = next(masks)
        if len(held) == 2:
            pad = self._cipher(_add(held[0], first))
            right = _add(held[1], pad[: len(held[1])])
            sealed += _add(self._cipher(_add(_fill(right), second)), held[0]) + right
            checksum, mask = _add(checksum, _add(pad, _fill(right))), second
        else:
            single = held[0] if held else []
            sealed += _add(single, self._cipher(first)[: len(single)])
            checksum, mask = _add(checksum, _fill(single)), first
        twice = _double(mask)
        whole = held and len(held[-1]) == 16
        mask = _add(_add(mask, twice) if whole else mask, _double(twice))
        tag = self._cipher(_add(mask, checksum))
        if not self._serial:
            tag = _add(tag, authenticated)
        return bytes(sealed + tag[:tag_bytes])

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", tag_bytes: int = 16) -> bytes:
        """The text whose sealing gives *sealed*; AuthenticationError if there is none."""
        if len(sealed) < tag_bytes:
            raise AuthenticationError("shorter than a tag")
        text = self._text(self._masks(nonce, self._authenticated(ad), tag_bytes), sealed[: len(sealed) - tag_bytes])
        check_tag(sealed, self.seal(nonce, text, ad, tag_bytes))
        return text

    def _text(self, masks: Iterator[tuple[Block, Block]], ciphertext: bytes) -> bytes:
        """The text of a ciphertext, whatever the tag: each pair backwards through the network."""
        text: list[int] = []
        blocks = _cut(ciphertext)
        while len(blocks) > 2:
            first, second = next(masks)
            left = _add(self._cipher(_add(blocks[0], second)), blocks[1])
            text += left + _add(self._cipher(_add(left, first)), blocks[0])
            blocks = blocks[2:]
        first, second = next(masks)
        if len(blocks) == 2:
            left = _add(self._cipher(_add(_fill(blocks[1]), second)), blocks[0])
            text += left + _add(blocks[1], self._cipher(_add(left, first))[: len(blocks[1])])
        elif blocks:
            text += _add(blocks[0], self._cipher(first)[: len(blocks[0])])
        return bytes(text)

    def _cipher(self, block: Block) -> Block:
        return list(self._aes.encrypt_block(bytes(block)))

    def _masks(self, nonce: bytes, authenticated: Block, tag_bytes: int) -> Iterator[tuple[Block, Block]]:
        """The masks of the two rounds, pair after pair."""
        bits = f"{8 * tag_bytes % 128:07b}" + "1".rjust(121 - 8 * len(nonce), "0") + "".join(f"{byte:08b}" for byte in nonce)
        first = self._cipher([int(bits[i : i + 8], 2) for i in range(0, 128, 8)])
        if self._serial:
            first = _double(_add(first, authenticated))
        second = _add(first, _double(first))
        while True:
            yield first, second
            first, second = _double(first), _double(second)

    def _authenticated(self, ad: bytes) -> Block:
        """What is made of the associated data."""
        blocks = _cut(ad)
        if not blocks:
            return [0] * 16
        mask = self._cipher([0] * 16)
        total: Block = [0] * 16
        for block in blocks[:-1]:
            if self._serial:
                total = self._cipher(_add(total, block))
            else:
                total = _add(total, self._cipher(_add(block, mask)))
                mask = _double(mask)
        last = blocks[-1]
        for _ in range(2 if len(last) == 16 else 1):
            mask = _double(mask) if self._serial else _add(mask, _double(mask))
        return self._cipher(_add(total, _add(_fill(last), mask)))


def _cut(data: bytes) -> list[Block]:
    return [list(data[i : i + 16]) for i in range(0, len(data), 16)]


def _add(a: Block, b: Block) -> Block:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _fill(part: Block) -> Block:
    """A byte 80 and zeros up to a block behind a partial one."""
    return part if len(part) == 16 else (part + [0x80] + [0] * 16)[:16]


def _double(block: Block) -> Block:
    """Each byte one place to the left, with the top bit of the next; what falls out at the left comes in as 87 at the right."""
    bits = [byte >> 7 for byte in block]
    shifted = [byte << 1 & 255 | top for byte, top in zip(block, [*bits[1:], 0], strict=True)]
    return [*shifted[:-1], shifted[-1] ^ 0x87 * bits[0]]
