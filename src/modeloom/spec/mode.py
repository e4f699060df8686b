# SPDX-License-Identifier: Apache-2.0
"""Modes of operation on sectors: a set-up, an encryption and a decryption that are written with operations ``o``."""

from __future__ import annotations

from typing import ClassVar

from modeloom.spec.blocks import B, Blocks
from modeloom.spec.errors import InputError
from modeloom.spec.keyed import CIPHER, CipherKey, Definition, KeyParts, Keys, Operations

__all__ = ["CIPHER", "CipherKey", "KeyParts", "Keys", "Mode"]


class Mode(Definition):
    """A length-preserving mode on sectors.  Definitions are subclasses, and everything else is derived from them.

    :class:`~modeloom.spec.keyed.Definition` has the attributes of all modes.

    Attributes
    ----------
    tweak_sizes : tuple of int
        Tweak lengths in bytes for which cores can be built.  The default comes first.
    setup_of_size : bool
        Whether the set-up reads ``o.blocks``, the number of blocks in a sector.
    any_tweak : bool
        Whether the software model accepts tweaks of any length.
    partial : bool
        Whether the last block may be partial.
    one_direction : str
        "encrypt" or "decrypt" if the mode has only this direction.  Empty if it has both, each the inverse of the other.
    wide : bool
        Whether each block of a result depends on every bit of the sector.  If not, ``security`` says what holds instead.
    min_bytes, max_blocks : int
        Shortest sector in bytes (0 for one block), and longest sector in blocks (0 for no limit).
    max_blocks_reason : str
        Reason of this limit, for messages.
    """

    tweak_sizes: ClassVar[tuple[int, ...]] = (16,)
    setup_of_size: ClassVar[bool] = False
    any_tweak: ClassVar[bool] = False
    partial: ClassVar[bool] = False
    one_direction: ClassVar[str] = ""
    wide: ClassVar[bool] = True
    min_bytes: ClassVar[int] = 0
    max_blocks: ClassVar[int] = 0
    max_blocks_reason: ClassVar[str] = ""

    def encrypt(self, o: Operations[B], k: Keys, tweak: Blocks[B], p: Blocks[B]) -> list[B]:
        """Returns the ciphertext blocks for the plaintext blocks p."""
        raise NotImplementedError

    def decrypt(self, o: Operations[B], k: Keys, tweak: Blocks[B], c: Blocks[B]) -> list[B]:
        """Returns the plaintext blocks for the ciphertext blocks c."""
        raise NotImplementedError

    @classmethod
    def directions(cls) -> tuple[str, ...]:
        """The directions that the mode has."""
        return (cls.one_direction,) if cls.one_direction else ("encrypt", "decrypt")

    @classmethod
    def check_sector(cls, nbytes: int) -> None:
        """Raises ``InputError`` unless the mode accepts sectors of ``nbytes`` bytes."""
        least = cls.min_bytes or cls.block_bytes
        if nbytes < least:
            raise InputError(f"{cls.name}: a sector must have at least {least} bytes, not {nbytes}; choose a larger --sector")
        if nbytes % cls.block_bytes and not cls.partial:
            raise InputError(
                f"{cls.name}: a sector must be a whole number of blocks of {cls.block_bytes} bytes, and {nbytes} bytes are not; "
                f"choose --sector {nbytes // cls.block_bytes * cls.block_bytes} or {-(-nbytes // cls.block_bytes) * cls.block_bytes}"
            )
        if cls.max_blocks and -(-nbytes // cls.block_bytes) > cls.max_blocks:
            why = f" ({cls.max_blocks_reason})" if cls.max_blocks_reason else ""
            raise InputError(f"{cls.name}: a sector must have at most {cls.max_blocks * cls.block_bytes} bytes, not {nbytes}{why}")

    @classmethod
    def check_tweak(cls, nbytes: int, *, core: bool = False) -> None:
        """Raises ``InputError`` unless the mode, or with ``core`` a core of it, accepts tweaks of ``nbytes`` bytes."""
        if nbytes not in cls.tweak_sizes and (core or not cls.any_tweak):
            sizes = " or ".join(map(str, cls.tweak_sizes))
            raise InputError(f"{cls.name}: a tweak must have {sizes} bytes, not {nbytes}")
