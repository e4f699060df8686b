# SPDX-License-Identifier: Apache-2.0
"""The sizes of the buses of a core for sectors.  They are checked once, and all parts of the buses share them.

This is the layout of a sector of 7 blocks, the last one partial, on 2 lanes::

    beat 0   beat 1   beat 2   beat 3
    B0 B1    B2 B3    B4 B5    B6 --       block i is lane i mod lanes of beat i // lanes
"""

from __future__ import annotations

from dataclasses import dataclass, field

from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.parameters import DataParameters, KeyParameters, check_flags, check_integer

__all__ = ["BufferParameters", "BusParameters", "SectorParameters", "SectorSize"]


@dataclass(frozen=True)
class SectorSize:
    """A sector of ``blocks`` blocks on ``lanes`` lanes.  The last block has ``tail`` bytes, or is whole if ``tail`` is 0."""

    blocks: int
    tail: int
    lanes: int
    block_bytes: int

    @property
    def nbytes(self) -> int:
        """The number of bytes of the sector."""
        return (self.blocks - 1) * self.block_bytes + (self.tail or self.block_bytes)

    @property
    def beats(self) -> int:
        """The number of beats of the sector."""
        return -(-self.blocks // self.lanes)

    @property
    def last_keep(self) -> int:
        """The tkeep of its last beat.  Bit b stands for byte b."""
        return (1 << self.nbytes - (self.beats - 1) * self.lanes * self.block_bytes) - 1


@dataclass(frozen=True, kw_only=True)
class SectorParameters:
    """The sectors that a core takes.

    Parameters
    ----------
    blocks : int
        Blocks of a sector, 1 to 512, the partial last one included.
    tail : int
        Bytes of the last block.  0 means that it is whole.
    more_sizes : tuple of (int, int)
        Blocks and tail of each further sector size.
    tweak_blocks : int
        Blocks of a tweak, 0 to 2, with at most 256 bits in all.
    encrypt, decrypt : bool
        Whether each direction is built.  At least one is.

    Raises
    ------
    TypeError, ValueError
        If a parameter has the wrong type or is out of its range.
    """

    blocks: int
    tail: int = 0
    more_sizes: tuple[tuple[int, int], ...] = ()
    tweak_blocks: int = 1
    encrypt: bool = True
    decrypt: bool = True

    def __post_init__(self) -> None:
        for blocks, _ in self.pairs:
            check_integer("blocks", blocks, 1, 512)
        check_integer("tweak_blocks", self.tweak_blocks, 0, 2)
        check_flags(self, "encrypt", "decrypt")
        if not (self.encrypt or self.decrypt):
            raise ValueError("a core has at least one direction: encrypt, decrypt or both")

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Blocks and tail of each size, in the order of their numbers in commands."""
        return ((self.blocks, self.tail), *self.more_sizes)


@dataclass(frozen=True, kw_only=True)
class BufferParameters:
    """The memories of a core.

    Parameters
    ----------
    ring_sectors : int
        Number of sectors that the result buffer holds, those in flight included (:func:`modeloom.cycles.ring_depth`).
    ring_style : str
        The kind of memory of the result buffer.  "block" takes few LUTs, but its read is the slowest path of the buses on ECP5.
        "distributed" takes LUTs, and "" is the choice of the synthesis tool.
    engine_words : int
        Words of the deepest memory of the engine.  Memories of keys do not count.

    Raises
    ------
    TypeError, ValueError
        If a parameter has the wrong type or is out of its range.
    """

    ring_sectors: int
    ring_style: str = ""
    engine_words: int = 1

    def __post_init__(self) -> None:
        check_integer("ring_sectors", self.ring_sectors, 1, 4096)
        check_integer("engine_words", self.engine_words, 1, 65536)
        if self.ring_style not in ("", "block", "distributed"):
            raise ValueError(f'ring_style is "block", "distributed" or "", not {self.ring_style!r}')


@dataclass(frozen=True, kw_only=True)
class BusParameters:
    """Sizes of the buses and buffers of a core.

    Parameters
    ----------
    sectors : SectorParameters
    buffers : BufferParameters
    data : DataParameters
    keys : KeyParameters
        Its words are as wide as blocks.

    Raises
    ------
    TypeError, ValueError
        If the parts do not fit each other.
    """

    sectors: SectorParameters
    buffers: BufferParameters
    data: DataParameters = field(default_factory=DataParameters)
    keys: KeyParameters = field(default_factory=KeyParameters)

    def __post_init__(self) -> None:
        if self.keys.block_bits != self.data.block_bits:
            raise ValueError(f"words of the key memory have {self.keys.block_bits} bits, blocks {self.data.block_bits}")
        for _, tail in self.sectors.pairs:
            check_integer("tail", tail, 0, self.data.block_bytes)
        check_integer("tweak_blocks", self.sectors.tweak_blocks, 0, 256 // self.data.block_bits)

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.data.beat_bytes

    @property
    def key_slots(self) -> int:
        """The number of key slots."""
        return self.keys.slots

    @property
    def sizes(self) -> tuple[SectorSize, ...]:
        """The sector sizes, in the order of their numbers in commands."""
        return tuple(SectorSize(blocks, tail, self.data.lanes, self.data.block_bytes) for blocks, tail in self.sectors.pairs)

    @property
    def size_bits(self) -> int:
        """The width of the number of a size."""
        return max(1, (len(self.sizes) - 1).bit_length())

    @property
    def beats(self) -> int:
        """The number of beats of the largest sector."""
        return max(size.beats for size in self.sizes)

    @property
    def most_blocks(self) -> int:
        """The number of blocks of the largest sector."""
        return max(size.blocks for size in self.sizes)

    @property
    def sector_bytes(self) -> int:
        """The number of bytes of a sector of the first size."""
        return self.sizes[0].nbytes

    @property
    def last_keep(self) -> int:
        """The tkeep of the last beat of a sector of the first size.  Bit b stands for byte b."""
        return self.sizes[0].last_keep

    @property
    def tweak_bits(self) -> int:
        """The number of bits of the tweak that reach the engine.  It is 0 if the mode takes no tweak."""
        return self.data.block_bits * self.sectors.tweak_blocks

    @property
    def ticket_bits(self) -> int:
        """The width of the number of a place in the ring, which is the ticket of a sector."""
        return max(1, (self.buffers.ring_sectors - 1).bit_length())

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory of the core."""
        ring = self.buffers.ring_sectors * self.beats
        flags = self.keys.slots if self.keys.slots > LISTED_SLOTS else 1
        return max(ring, self.keys.round_words, self.keys.words * self.keys.slots, self.buffers.engine_words, flags)

    @property
    def erase_bits(self) -> int:
        """The width of the address of the word that is erased."""
        return max(1, (self.erase_words - 1).bit_length())
