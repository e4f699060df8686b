# SPDX-License-Identifier: Apache-2.0
"""What definitions of modes are written with: blocks, keys, what a mode says of itself, and modes on sectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar, overload

from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.field import GHASH_ORDER, Field

__all__ = [
    "B", "CIPHER", "DIRECTIONS", "ONE_BY_ONE", "Block", "Blocks", "CipherKey", "Definition", "KeyParts", "Keying", "Keys", "Mode",
    "Operations",
]  # fmt: skip

# The directions of a core. Ciphers, modes, their hardware and their options all use these names.

DIRECTIONS = ("encrypt", "decrypt", "both")
"""Directions of a core.  A core for "both" is given the direction of each block or sector."""

ONE_BY_ONE = {"both": ("encrypt", "decrypt"), "encrypt": ("encrypt",), "decrypt": ("decrypt",)}


# -- blocks ------------------------------------------------------------------------------------------------------------------------

# A sector or a tweak as a list of blocks, of which the last one may be partial.
#
# A partial last block holds its bytes first, followed by zeros:
#
#     byte   0 … tail-1     tail … n/8-1
#            data           0

class Block(Protocol):
    """A block in a definition: a number in the software model, a symbol in the tracer."""

    def __xor__(self, other: Self, /) -> Self: ...


B = TypeVar("B", bound=Block)
"""The blocks on which a definition runs."""


class Blocks(Sequence[B]):
    """A sequence of blocks with its length in bytes.

    Parameters
    ----------
    values : iterable
        The blocks: numbers in the software model, symbolic values in the tracer.
    nbytes : int
        Total number of bytes.  The last block holds the remainder.
    block_bytes : int
        Bytes in a block.
    """

    def __init__(self, values: Iterable[B], nbytes: int, block_bytes: int = 16):
        self._values = tuple(values)
        self.nbytes = nbytes
        self.block_bytes = block_bytes
        if len(self._values) != -(-nbytes // block_bytes):
            raise ValueError(f"{nbytes} bytes are not {len(self._values)} blocks of {block_bytes} bytes")

    @property
    def tail(self) -> int:
        """Number of bytes in the last block: ``block_bytes`` unless it is partial."""
        return (self.nbytes - 1) % self.block_bytes + 1 if self.nbytes else self.block_bytes

    @property
    def whole(self) -> bool:
        """Whether the last block is whole, too."""
        return self.nbytes % self.block_bytes == 0

    @property
    def lengths(self) -> list[int]:
        """Number of bytes in each block."""
        return [self.block_bytes] * (len(self) - 1) + [self.tail] if len(self) else []

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> B: ...
    @overload
    def __getitem__(self, index: slice) -> Blocks[B]: ...
    def __getitem__(self, index: int | slice) -> B | Blocks[B]:
        if not isinstance(index, slice):
            if not -len(self) <= index < len(self):
                raise IndexError(f"there is no block {index}: {self.nbytes} bytes have {len(self)}")
            return self._values[index]
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise ValueError("blocks are sliced with step 1")
        nbytes = min(self.nbytes, stop * self.block_bytes) - min(self.nbytes, start * self.block_bytes)
        return Blocks(self._values[start:stop], max(0, nbytes), self.block_bytes)

    def __repr__(self) -> str:
        return f"<{len(self)} blocks>"

    def like(self, values: Iterable[B]) -> Blocks[B]:
        """Makes blocks of the same lengths from other values."""
        return Blocks(values, self.nbytes, self.block_bytes)


# -- keyed -------------------------------------------------------------------------------------------------------------------------

# What the definitions of all modes have in common: what a mode says of itself, its key and the parts of the key.

CIPHER = "cipher"
"""Name of the key of the block cipher in ``Mode.key_parts``."""


@dataclass(frozen=True)
class CipherKey:
    """A key of the block cipher for ``o.enc`` and ``o.dec``: a part of the key of the mode, or a key that ``o.cipher_key`` made.

    Attributes
    ----------
    number : int
        Position among the cipher keys of a mode.  Those in ``key_parts`` come first, followed by those that the set-up makes.
    """

    number: int


class Operations(Protocol[B]):
    """The operations ``o`` of a definition on its blocks: the words of ``Numbers``, and every other operation by its name."""

    blocks: int

    def __getattr__(self, name: str, /) -> Callable[..., B]: ...
    def const(self, value: int, /) -> B: ...
    def enc(self, block: B, /, key: CipherKey | None = None) -> B: ...
    def dec(self, block: B, /, key: CipherKey | None = None) -> B: ...
    def cipher_key(self, *blocks: B) -> CipherKey: ...
    def mul(self, a: B, b: B, /) -> B: ...
    def double(self, block: B, /, times: int = 1) -> B: ...
    def power(self, h: B, exponent: int, /) -> B: ...
    def inverse(self, value: B, what: str, /) -> B: ...
    def poly(self, h: B, blocks: Sequence[B], /, last: B | None = None) -> B: ...
    def add(self, block: B, number: int, /, bits: int = 32, order: str = "big") -> B: ...
    def head(self, block: B, nbytes: int, /) -> B: ...
    def tail(self, block: B, nbytes: int, /) -> B: ...
    def pad(self, block: B, nbytes: int, byte: int, /) -> B: ...


class Keys:
    """The results of a set-up: named blocks and cipher keys, which are kept as long as the key."""

    def __init__(self, **values: object):
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise DefinitionError(self._missing(name, ", ".join(self.__dict__.get("_values", {})) or "nothing")) from None

    def _missing(self, name: str, known: str) -> str:
        return f"the definition reads key value {name!r} that the set-up never wrote (it wrote {known}); add it to setup()"

    def items(self) -> Iterator[tuple[str, object]]:
        """Names and values in the order of their definition."""
        return iter(self._values.items())


class KeyParts(Keys):
    """The arguments of a set-up: the parts of the key of the mode."""

    def _missing(self, name: str, known: str) -> str:
        return f"setup() reads {name!r}, which is not a part of the key (the parts are {known}); add it to key_parts"


class Keying:
    """Where the key of a message or a sector comes from: it is the key of the mode."""

    options: Mapping[str, str] = {}
    """What cores of the mode need among their options."""

    def key_bytes(self, mode: type[Definition] | Definition, cipher_key_bytes: int) -> int:
        """Bytes of the key that a user gives, for a cipher key of the given length."""
        return mode.key_bytes(cipher_key_bytes)

    def check_slots(self, mode: str) -> None:
        """Raises ``InputError`` if keys that stay in the slots of a core are of no use."""


KEYING = Keying()


class Definition:
    """A mode of operation under a key.

    Attributes
    ----------
    name, title, source, security : str
        Name on the command line; full name; paper and figure; and a sentence with the bound, the data limit and known attacks.
    broken : bool
        Whether an attack makes the mode unfit for new uses.  ``security`` names the attack; commands and cores carry a warning.
    field : Field
        The field and its bit order.  The field is as wide as a block.
    block_bytes : int
        Bytes in a block.
    cipher : str or modeloom.ciphers.BlockCipher
        The block cipher, as a name or as a description.  Its blocks have the size of those of the mode.
    key_parts : tuple of str
        The parts of the key, in order.
    cipher_keys : tuple of str
        The parts that are keys of the block cipher.  Every other part is a block.
    distinct_keys : bool
        Whether the mode refuses a key whose cipher keys are equal.
    refused_keys : str
        Which keys the mode refuses when they are loaded, for messages.  A core derives it from the definition if it is empty.
    cipher_key_bits : tuple of int
        Key sizes of the cipher, in bits, for which the mode is defined.  Empty for all sizes of the cipher.
    fixed_key_bits : dict
        Bits of those cipher keys, by name, whose length does not depend on ``--key-bits``.  At least one of ``cipher_keys`` must be
        left to that option.
    place, folder : str
        ``FILE.py:CLASS`` if the definition was given in this form, and the folder of the file, from which it may import.  Otherwise empty.
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
    place: str = ""
    folder: str = ""

    def setup(self, o: Operations[B], key: Keys) -> Keys:
        """Computes key values from the key.  ``key.NAME`` is a block or a ``CipherKey``, for each name in ``key_parts``."""
        raise NotImplementedError

    @classmethod
    def derives(cls) -> bool:
        """Whether each message has a key of its own, which is made of a master key as long as a cipher key."""
        return False

    @classmethod
    def keying(cls) -> Keying:
        """Where the key of a message or a sector comes from."""
        return KEYING

    @classmethod
    def key_bytes(cls, cipher_key_bytes: int) -> int:
        """Bytes in the whole key of the mode, for a cipher key of the given length."""
        return sum(cls.part_bytes(part, cipher_key_bytes) for part in cls.key_parts)

    @classmethod
    def part_bytes(cls, part: str, cipher_key_bytes: int) -> int:
        """Bytes in one part of the key, for a cipher key of the given length."""
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
        """Splits a whole key into its parts.

        Raises ``InputError`` for a wrong length, or for equal cipher keys where they must differ.
        """
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


# -- mode --------------------------------------------------------------------------------------------------------------------------

class Mode(Definition):
    """A length-preserving mode on sectors.  Definitions are subclasses, and everything else is derived from them.

    :class:`~modeloom.spec.mode.Definition` has the attributes of all modes.

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
        return ONE_BY_ONE[cls.one_direction or "both"]

    def ways(self) -> dict[str, Callable[..., list[B]]]:
        """For each direction that the mode has, its definition."""
        return {name: getattr(self, name) for name in self.directions()}

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
