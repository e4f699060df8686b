# SPDX-License-Identifier: Apache-2.0
"""What a mode of operation is: a key layout, a set-up, an encryption and a decryption written with operations ``o``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from modeloom.spec.blocks import Blocks
from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.field import GHASH_ORDER, Field

__all__ = ["Keys", "Mode", "CIPHER"]

CIPHER = "cipher"
"""Name of the block cipher's key in ``Mode.key_parts``."""


class Keys:
    """What set-up gives: named blocks that stay for as long as the key does."""

    def __init__(self, **values: Any):
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_values", {})) or "nothing"
            raise DefinitionError(
                f"the definition reads key value {name!r} that set-up never wrote (it wrote {known}); add it to setup()"
            ) from None

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and blocks in the order of their definition."""
        return iter(self._values.items())


class Mode:
    """A length-preserving mode on sectors.  Subclasses are the definitions; everything else is derived from them.

    Attributes
    ----------
    name, title, source, security : str
        Name on the command line; full name; paper and figure; bound, data limit and known attacks in a sentence.
    field : Field
        The field and its bit order; as wide as a block.
    block_bytes : int
        Bytes of a block.
    cipher : str or modeloom.ciphers.BlockCipher
        The block cipher, by its name or as its description; its blocks are those of the mode.
    key_parts : tuple of str
        The mode's key in order: ``CIPHER`` is the block cipher's key, every other name a block.
    tweak_sizes : tuple of int
        Tweak lengths in bytes for which cores are built, the default first.
    any_tweak : bool
        Whether the software model takes tweaks of any length.
    partial : bool
        Whether the last block may be partial.
    place : str
        ``FILE.py:CLASS`` if the definition was given so, else empty.
    min_bytes, max_blocks : int
        Shortest sector in bytes (0: a block), longest in blocks (0: no limit).
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    security: ClassVar[str]
    field: ClassVar[Field] = GHASH_ORDER
    block_bytes: ClassVar[int] = 16
    cipher: ClassVar[Any] = "aes"
    key_parts: ClassVar[tuple[str, ...]] = (CIPHER,)
    tweak_sizes: ClassVar[tuple[int, ...]] = (16,)
    any_tweak: ClassVar[bool] = False
    partial: ClassVar[bool] = False
    min_bytes: ClassVar[int] = 0
    max_blocks: ClassVar[int] = 0
    place: str = ""

    def setup(self, o: Any, key: Keys) -> Keys:
        """Key values from the mode's key blocks (``key.NAME`` for each name in ``key_parts`` but the cipher's)."""
        raise NotImplementedError

    def encrypt(self, o: Any, k: Keys, tweak: Blocks, p: Blocks) -> list[Any]:
        """Ciphertext blocks of the plaintext blocks p."""
        raise NotImplementedError

    def decrypt(self, o: Any, k: Keys, tweak: Blocks, c: Blocks) -> list[Any]:
        """Plaintext blocks of the ciphertext blocks c."""
        raise NotImplementedError

    @classmethod
    def check_sector(cls, nbytes: int) -> None:
        """Raises ``InputError`` unless the mode takes sectors of ``nbytes`` bytes."""
        least = cls.min_bytes or cls.block_bytes
        if nbytes < least:
            raise InputError(f"{cls.name}: a sector has at least {least} bytes, not {nbytes}; choose a larger --sector")
        if nbytes % cls.block_bytes and not cls.partial:
            raise InputError(
                f"{cls.name}: a sector is whole blocks of {cls.block_bytes} bytes, and {nbytes} is not a multiple; "
                f"choose --sector {nbytes // cls.block_bytes * cls.block_bytes} or {-(-nbytes // cls.block_bytes) * cls.block_bytes}"
            )
        if cls.max_blocks and -(-nbytes // cls.block_bytes) > cls.max_blocks:
            raise InputError(f"{cls.name}: a sector has at most {cls.max_blocks * cls.block_bytes} bytes, not {nbytes}")

    @classmethod
    def check_tweak(cls, nbytes: int, *, core: bool = False) -> None:
        """Raises ``InputError`` unless the mode takes tweaks of ``nbytes`` bytes (``core``: unless a core can)."""
        if nbytes not in cls.tweak_sizes and (core or not cls.any_tweak):
            sizes = " or ".join(map(str, cls.tweak_sizes))
            raise InputError(f"{cls.name}: a tweak has {sizes} bytes, not {nbytes}")

    @classmethod
    def key_bytes(cls, cipher_key_bytes: int) -> int:
        """Bytes of the mode's whole key for a cipher key of the given length."""
        return sum(cipher_key_bytes if part == CIPHER else cls.block_bytes for part in cls.key_parts)

    @classmethod
    def split_key(cls, key: bytes, cipher_key_sizes: tuple[int, ...]) -> dict[str, bytes]:
        """The parts of a whole key; raises ``InputError`` for a wrong length."""
        for size in cipher_key_sizes:
            if len(key) == cls.key_bytes(size):
                break
        else:
            sizes = ", ".join(str(cls.key_bytes(size)) for size in cipher_key_sizes)
            raise InputError(f"{cls.name}: a key ({' || '.join(cls.key_parts)}) has {sizes} bytes, not {len(key)}")
        parts, at = {}, 0
        for part in cls.key_parts:
            length = size if part == CIPHER else cls.block_bytes
            parts[part] = key[at : at + length]
            at += length
        return parts
