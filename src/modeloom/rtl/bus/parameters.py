# SPDX-License-Identifier: Apache-2.0
"""The sizes that shape the bus side of a core, checked once and shared by all of its parts.

Layout of a sector of ``blocks`` blocks on ``lanes`` lanes (here 7 blocks on 2 lanes, the last one partial)::

    beat 0   beat 1   beat 2   beat 3
    B0 B1    B2 B3    B4 B5    B6 --       block i is lane i mod lanes of beat i // lanes
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BusParameters", "SectorSize"]


def _integer(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an integer, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} is from {low} to {high}, not {value}")


@dataclass(frozen=True)
class SectorSize:
    """A sector of ``blocks`` blocks, the last one of ``tail`` bytes (0: whole), on ``lanes`` lanes."""

    blocks: int
    tail: int
    lanes: int
    block_bytes: int

    @property
    def nbytes(self) -> int:
        """Bytes of the sector."""
        return (self.blocks - 1) * self.block_bytes + (self.tail or self.block_bytes)

    @property
    def beats(self) -> int:
        """Beats of the sector."""
        return -(-self.blocks // self.lanes)

    @property
    def last_keep(self) -> int:
        """tkeep of its last beat, bit b for byte b."""
        return (1 << self.nbytes - (self.beats - 1) * self.lanes * self.block_bytes) - 1


@dataclass(frozen=True, kw_only=True)
class BusParameters:
    """Sizes of the buses and buffers of a core.

    Parameters
    ----------
    blocks : int
        Blocks of a sector, the partial last one included; 1 to 512.
    ring_sectors : int
        Sectors the result buffer holds, those in flight included; see :func:`modeloom.cycles.ring_depth`.
    block_bits : int
        Width of a block in bits: 128 or 256.
    lanes : int
        Blocks a beat: 1, 2, 4 or 8.
    tail : int
        Bytes of the last block; 0 means that it is whole.
    more_sizes : tuple of (int, int)
        Blocks and tail of further sector sizes.
    tweak_blocks : int
        Blocks of a tweak: 0 to 2, at most 256 bits in all.
    key_slots : int
        Key slots: 1 to 64.
    cipher_key_bits : int
        Width of the block cipher's key: a multiple of 64 from 64 to 512 bits.
    round_keys, round_key_bits : int
        Round keys of the longest cipher key, 1 to 256, and the width of one in bits, 8 to 1024.
    raw_words_before, raw_words_after : int
        Blocks of key that precede and follow the cipher's keys in the mode's key; they become words 0, 1, ... of the
        key memory in this order.
    fixed_key_bits : tuple of (int, int)
        Numbers of cipher keys that have other widths than ``cipher_key_bits``, and these; not all of them.
    cipher_keys : int
        Keys of the cipher in the mode's key, 1 to 8, one after another; of 128 bits or more if there are several, so that no two
        end in one beat.
    distinct_keys : bool
        Whether a packet with equal cipher keys is refused; for at most two.
    derived_keys : tuple of tuple of int
        For each further cipher key, the words of the key memory that set-up makes it of; none that the host loads.
    nonzero_words : tuple of int
        Words of set-up's that must not be 0: then the key is refused.
    key_words : int
        Words of the key memory a slot, the raw words and the values of set-up: at least the raw words.
    engine_words : int
        Words of the engine's deepest memory, those of keys apart.
    ring_style : str
        What the memories of the result buffer are built from: "block" (few LUTs; its read is the slowest path of the
        buses on ECP5), "distributed" (LUTs), or "" for the synthesis tool's choice.
    encrypt, decrypt : bool
        Directions that are built; at least one.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not of its type or outside its range.
    """

    blocks: int
    ring_sectors: int
    block_bits: int = 128
    lanes: int = 1
    tail: int = 0
    more_sizes: tuple[tuple[int, int], ...] = ()
    tweak_blocks: int = 1
    key_slots: int = 1
    cipher_key_bits: int = 128
    round_keys: int = 16
    round_key_bits: int = 128
    raw_words_before: int = 0
    raw_words_after: int = 0
    fixed_key_bits: tuple[tuple[int, int], ...] = ()
    cipher_keys: int = 1
    distinct_keys: bool = False
    derived_keys: tuple[tuple[int, ...], ...] = ()
    nonzero_words: tuple[int, ...] = ()
    key_words: int = 0
    engine_words: int = 1
    ring_style: str = ""
    encrypt: bool = True
    decrypt: bool = True

    def __post_init__(self) -> None:
        if self.block_bits not in (128, 256):
            raise ValueError(f"block_bits is 128 or 256, not {self.block_bits!r}")
        if self.lanes not in (1, 2, 4, 8):
            raise ValueError(f"lanes is 1, 2, 4 or 8, not {self.lanes!r}")
        for blocks, tail in ((self.blocks, self.tail), *self.more_sizes):
            _integer("blocks", blocks, 1, 512)
            _integer("tail", tail, 0, self.block_bytes)
        _integer("ring_sectors", self.ring_sectors, 1, 4096)
        _integer("tweak_blocks", self.tweak_blocks, 0, 256 // self.block_bits)
        _integer("key_slots", self.key_slots, 1, 64)
        for bits in (self.cipher_key_bits, *(bits for _, bits in self.fixed_key_bits)):
            _integer("cipher_key_bits", bits, 64, 512)
            if bits % 64:
                raise ValueError(f"cipher_key_bits is a multiple of 64, not {bits}")
        _integer("round_keys", self.round_keys, 1, 256)
        _integer("round_key_bits", self.round_key_bits, 8, 1024)
        _integer("raw_words_before", self.raw_words_before, 0, 16)
        _integer("raw_words_after", self.raw_words_after, 0, 16)
        _integer("cipher_keys", self.cipher_keys, 1, 8)
        _integer("cipher keys", self.all_cipher_keys, 1, 16)
        if self.cipher_keys > 1 and min(self.key_widths) < 128:
            raise ValueError(f"cipher_key_bits is at least 128 if there are several cipher keys, not {min(self.key_widths)}")
        if {number for number, _ in self.fixed_key_bits} >= set(range(self.cipher_keys)) or any(
            not 0 <= number < self.cipher_keys for number, _ in self.fixed_key_bits
        ):
            raise ValueError(f"fixed_key_bits is for some of {self.cipher_keys} cipher keys, not {self.fixed_key_bits!r}")
        if self.distinct_keys and self.cipher_keys > 2:
            raise ValueError(f"distinct_keys is for at most two cipher keys, not {self.cipher_keys}")
        raw_words = self.raw_words_before + self.raw_words_after
        _integer("key_words", self.key_words, raw_words, 1024)
        for word in (*self.nonzero_words, *(word for words in self.derived_keys for word in words)):
            _integer("a word that set-up writes", word, raw_words, self.key_words - 1)
        for words in self.derived_keys:
            if len(words) * self.block_bits < self.cipher_key_bits:
                raise ValueError(f"a cipher key of {self.cipher_key_bits} bits is more than {len(words)} words")
        _integer("engine_words", self.engine_words, 1, 65536)
        for name in ("encrypt", "decrypt", "distinct_keys"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.ring_style not in ("", "block", "distributed"):
            raise ValueError(f'ring_style is "block", "distributed" or "", not {self.ring_style!r}')
        if not (self.encrypt or self.decrypt):
            raise ValueError("a core has at least one direction: encrypt, decrypt or both")

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return self.block_bits // 8

    @property
    def sizes(self) -> tuple[SectorSize, ...]:
        """The sector sizes, in the order of their numbers in commands."""
        pairs = ((self.blocks, self.tail), *self.more_sizes)
        return tuple(SectorSize(blocks, tail, self.lanes, self.block_bytes) for blocks, tail in pairs)

    @property
    def size_bits(self) -> int:
        """Width of the number of a size."""
        return max(1, (len(self.sizes) - 1).bit_length())

    @property
    def beats(self) -> int:
        """Beats of the largest sector."""
        return max(size.beats for size in self.sizes)

    @property
    def most_blocks(self) -> int:
        """Blocks of the largest sector."""
        return max(size.blocks for size in self.sizes)

    @property
    def beat_bits(self) -> int:
        """Width of tdata of the data buses."""
        return self.block_bits * self.lanes

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat."""
        return self.block_bytes * self.lanes

    @property
    def sector_bytes(self) -> int:
        """Bytes of a sector of the first size."""
        return self.sizes[0].nbytes

    @property
    def last_keep(self) -> int:
        """tkeep of the last beat of a sector of the first size, bit b for byte b."""
        return self.sizes[0].last_keep

    @property
    def tweak_bits(self) -> int:
        """Bits of the tweak that reach the engine (0 if the mode takes none)."""
        return self.block_bits * self.tweak_blocks

    @property
    def ticket_bits(self) -> int:
        """Width of a sector's place in the ring."""
        return max(1, (self.ring_sectors - 1).bit_length())

    @property
    def round_bits(self) -> int:
        """Width of the number of a round key; a slot's round keys have 2 ** ``round_bits`` addresses."""
        return max(1, (self.round_keys - 1).bit_length())

    @property
    def all_cipher_keys(self) -> int:
        """Cipher keys of a slot, the host's and those of set-up."""
        return self.cipher_keys + len(self.derived_keys)

    @property
    def key_widths(self) -> tuple[int, ...]:
        """Bits of each cipher key of a slot, in the order of their numbers."""
        fixed = dict(self.fixed_key_bits)
        return tuple(fixed.get(number, self.cipher_key_bits) for number in range(self.all_cipher_keys))

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """The different widths of cipher keys, ``cipher_key_bits`` first: each has a key schedule."""
        return tuple(dict.fromkeys((self.cipher_key_bits, *self.key_widths)))

    @property
    def key_number_bits(self) -> int:
        """Bits of the number of a cipher key of a slot; 0 if there is one."""
        return (self.all_cipher_keys - 1).bit_length()

    @property
    def round_words(self) -> int:
        """Addresses of round keys: (slot, cipher key, round)."""
        return self.key_slots << self.key_number_bits << self.round_bits

    @property
    def erase_words(self) -> int:
        """Words of the deepest memory of the core."""
        return max(self.ring_sectors * self.beats, self.round_words, self.key_words * self.key_slots, self.engine_words)

    @property
    def erase_bits(self) -> int:
        """Width of the address under which memories are erased."""
        return max(1, (self.erase_words - 1).bit_length())

    @property
    def key_bytes(self) -> int:
        """Bytes of a key packet: the mode's whole key."""
        return sum(self.key_widths[: self.cipher_keys]) // 8 + (self.raw_words_before + self.raw_words_after) * self.block_bytes
