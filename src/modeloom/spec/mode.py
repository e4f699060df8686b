# SPDX-License-Identifier: Apache-2.0
"""What a mode of operation is: a key layout, a set-up, an encryption and a decryption written with operations ``o``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from modeloom.spec.blocks import Blocks
from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.field import GHASH_ORDER, Field

__all__ = ["CIPHER", "CipherKey", "KeyParts", "Keys", "Mode"]

CIPHER = "cipher"
"""Name of the block cipher's key in ``Mode.key_parts``."""


@dataclass(frozen=True)
class CipherKey:
    """A key of the block cipher, as ``o.enc`` and ``o.dec`` take it: a part of the mode's key, or what ``o.cipher_key`` made.

    Attributes
    ----------
    number : int
        Its place among the cipher keys of a mode: those of ``key_parts`` first, then those that set-up makes.
    """

    number: int


class Keys:
    """What set-up gives: named blocks and cipher keys that stay for as long as the key does."""

    def __init__(self, **values: Any):
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise DefinitionError(self._missing(name, ", ".join(self.__dict__.get("_values", {})) or "nothing")) from None

    def _missing(self, name: str, known: str) -> str:
        return f"the definition reads key value {name!r} that the set-up never wrote (it wrote {known}); add it to setup()"

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and values in the order of their definition."""
        return iter(self._values.items())


class KeyParts(Keys):
    """What set-up is given: the parts of the mode's key."""

    def _missing(self, name: str, known: str) -> str:
        return f"setup() reads {name!r}, which is not a part of the key (the parts are {known}); add it to key_parts"


class Mode:
    """A length-preserving mode on sectors.  Subclasses are the definitions; everything else is derived from them.

    Attributes
    ----------
    name, title, source, security : str
        Name on the command line; full name; paper and figure; bound, data limit and known attacks in a sentence.
    broken : bool
        Whether an attack makes the mode unfit for new uses; ``security`` says which, and commands and cores warn.
    field : Field
        The field and its bit order; as wide as a block.
    block_bytes : int
        Bytes of a block.
    cipher : str or modeloom.ciphers.BlockCipher
        The block cipher, by its name or as its description; its blocks are those of the mode.
    key_parts : tuple of str
        The mode's key in order.
    cipher_keys : tuple of str
        The parts that are keys of the block cipher; every other part is a block.
    distinct_keys : bool
        Whether a key whose cipher keys are equal is refused.
    refused_keys : str
        What keys are refused at load, for messages.
    cipher_key_bits : tuple of int
        Sizes of cipher keys in bits that the mode is defined for; empty: all that the cipher has.
    fixed_key_bits : dict
        Bits of the cipher keys that have one length whatever ``--key-bits`` says, by name; at least one key of ``cipher_keys`` has none.
    tweak_sizes : tuple of int
        Tweak lengths in bytes for which cores are built, the default first.
    setup_of_size : bool
        Whether set-up reads ``o.blocks``, the blocks of a sector.
    any_tweak : bool
        Whether the software model takes tweaks of any length.
    partial : bool
        Whether the last block may be partial.
    one_direction : str
        "encrypt" or "decrypt" if the mode has this direction alone; empty: it has both, and each is the inverse of the other.
    wide : bool
        Whether each block of a result depends on every bit of the sector; ``security`` says what holds for a mode that is not so.
    place, folder : str
        ``FILE.py:CLASS`` if the definition was given so, and the folder of the file, from which it may import; else empty.
    min_bytes, max_blocks : int
        Shortest sector in bytes (0: a block), longest in blocks (0: no limit).
    max_blocks_reason : str
        Why there is a limit, for the message.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    security: ClassVar[str]
    broken: ClassVar[bool] = False
    field: ClassVar[Field] = GHASH_ORDER
    block_bytes: ClassVar[int] = 16
    cipher: ClassVar[Any] = "aes"
    key_parts: ClassVar[tuple[str, ...]] = (CIPHER,)
    cipher_keys: ClassVar[tuple[str, ...]] = (CIPHER,)
    distinct_keys: ClassVar[bool] = False
    refused_keys: ClassVar[str] = ""
    cipher_key_bits: ClassVar[tuple[int, ...]] = ()
    fixed_key_bits: ClassVar[dict[str, int]] = {}
    tweak_sizes: ClassVar[tuple[int, ...]] = (16,)
    setup_of_size: ClassVar[bool] = False
    any_tweak: ClassVar[bool] = False
    partial: ClassVar[bool] = False
    one_direction: ClassVar[str] = ""
    wide: ClassVar[bool] = True
    min_bytes: ClassVar[int] = 0
    max_blocks: ClassVar[int] = 0
    max_blocks_reason: ClassVar[str] = ""
    place: str = ""
    folder: str = ""

    def setup(self, o: Any, key: Keys) -> Keys:
        """Key values from the mode's key (``key.NAME`` for each name in ``key_parts``: a block, or a ``CipherKey``)."""
        raise NotImplementedError

    def encrypt(self, o: Any, k: Keys, tweak: Blocks, p: Blocks) -> list[Any]:
        """Ciphertext blocks of the plaintext blocks p."""
        raise NotImplementedError

    def decrypt(self, o: Any, k: Keys, tweak: Blocks, c: Blocks) -> list[Any]:
        """Plaintext blocks of the ciphertext blocks c."""
        raise NotImplementedError

    @classmethod
    def directions(cls) -> tuple[str, ...]:
        """The directions that the mode has."""
        return (cls.one_direction,) if cls.one_direction else ("encrypt", "decrypt")

    @classmethod
    def check_sector(cls, nbytes: int) -> None:
        """Raises ``InputError`` unless the mode takes sectors of ``nbytes`` bytes."""
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
        """Raises ``InputError`` unless the mode takes tweaks of ``nbytes`` bytes (``core``: unless a core can)."""
        if nbytes not in cls.tweak_sizes and (core or not cls.any_tweak):
            sizes = " or ".join(map(str, cls.tweak_sizes))
            raise InputError(f"{cls.name}: a tweak must have {sizes} bytes, not {nbytes}")

    @classmethod
    def key_bytes(cls, cipher_key_bytes: int) -> int:
        """Bytes of the mode's whole key for a cipher key of the given length."""
        return sum(cls.part_bytes(part, cipher_key_bytes) for part in cls.key_parts)

    @classmethod
    def part_bytes(cls, part: str, cipher_key_bytes: int) -> int:
        """Bytes of a part of the mode's key for a cipher key of the given length."""
        if part in cls.fixed_key_bits:
            return cls.fixed_key_bits[part] // 8
        return cipher_key_bytes if part in cls.cipher_keys else cls.block_bytes

    @classmethod
    def check_key_bits(cls, key_bits: int) -> None:
        """Raises ``InputError`` unless the mode is defined for cipher keys of this size."""
        if cls.cipher_key_bits and key_bits not in cls.cipher_key_bits:
            sizes = " or ".join(map(str, cls.cipher_key_bits))
            raise InputError(f"{cls.name}: the mode is defined for cipher keys of {sizes} bits, not {key_bits}")

    @classmethod
    def split_key(cls, key: bytes, cipher_key_sizes: tuple[int, ...]) -> dict[str, bytes]:
        """The parts of a whole key; raises ``InputError`` for a wrong length, or for equal cipher keys where they must differ."""
        if cls.cipher_key_bits:
            cipher_key_sizes = tuple(size for size in cipher_key_sizes if 8 * size in cls.cipher_key_bits)
        for size in cipher_key_sizes:
            if len(key) == cls.key_bytes(size):
                break
        else:
            sizes = " or ".join(str(cls.key_bytes(size)) for size in cipher_key_sizes)
            raise InputError(f"{cls.name}: a key ({' || '.join(cls.key_parts)}) must have {sizes} bytes, not {len(key)}")
        parts, at = {}, 0
        for part in cls.key_parts:
            length = cls.part_bytes(part, size)
            parts[part] = key[at : at + length]
            at += length
        if cls.distinct_keys and len({parts[part] for part in cls.cipher_keys}) < len(cls.cipher_keys):
            raise InputError(f"{cls.name}: {' and '.join(cls.cipher_keys)} are equal; choose different keys")
        return parts
