# SPDX-License-Identifier: Apache-2.0
"""The sizes of the buses of a core for sectors.  They are checked once, and all parts of the buses share them.

This is the layout of a sector of 7 blocks, the last one partial, on 2 lanes::

    beat 0   beat 1   beat 2   beat 3
    B0 B1    B2 B3    B4 B5    B6 --       block i is lane i mod lanes of beat i // lanes
"""

from __future__ import annotations

from dataclasses import dataclass, field

from amaranth.lib.wiring import In, Out, Signature

from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, STATUSES, StatusCode
from modeloom.interfaces.shared import CONTROL
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.parameters import DataParameters, KeyParameters, check_flags, check_integer
from modeloom.rtl.bus.ports import FlatPort, fields_layout, flat_ports
from modeloom.rtl.engine.interface import engine_signature

__all__ = [
    "CODE_BITS", "COMMAND", "FLAT_PORTS", "STATUS", "BufferParameters", "BusParameters", "SectorParameters", "SectorSize",
    "admission_signature", "command_signature", "engine_of", "opening_signature", "packet_signature", "place_signature",
    "upcoming_signature",
]  # fmt: skip


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
        words, blocks = self.keys.block_bits, self.data.block_bits
        if words != blocks:
            raise ValueError(f"words of the key memory have {words} bits, blocks {blocks}")
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
        flags = self.key_slots if self.key_slots > LISTED_SLOTS else 1
        return max(ring, self.keys.round_words, self.keys.words * self.key_slots, self.buffers.engine_words, flags)

    @property
    def erase_bits(self) -> int:
        """The width of the address of the word that is erased."""
        return max(1, (self.erase_words - 1).bit_length())


# Payloads of commands and statuses, and the flat ports of a core for sectors.

COMMAND = fields_layout(COMMANDS)
"""The layout of a command, bit 0 first."""

STATUS = fields_layout(STATUSES)
"""The layout of a status, bit 0 first."""

CODE_BITS = max(StatusCode).bit_length()
"""The width of the largest status code."""

FLAT_PORTS: tuple[FlatPort, ...] = tuple(port for one in SECTOR_CORE if one is not CONTROL for port in flat_ports(one))
"""The ports of the buses in the order of the emitted top.  They stand behind ``aclk`` and ``aresetn``."""


# -- links -------------------------------------------------------------------------------------------------------------------------

# The ports between the parts of the buses of a core for sectors.
#
# Each signature is written from the part that drives it:
#
#     CommandIntake ──┬─ command ───▶ EntryGate ──┬─ place ─────▶ ResultRing
#                     └─ upcoming ─▶ SizeGate     ├─ admission ─▶ SlotsInFlight
#                                       │ opening └─ verdict ───▶ StatusQueue (modeloom.rtl.bus.ports)
#                                       ▼
#                                  SectorIntake ─── packet ──▶ EntryGate
#
# The ports of the engine are in :mod:`modeloom.rtl.engine.interface`, and those of the key port in
# :mod:`modeloom.rtl.bus.preparation`.

def command_signature(p: BusParameters) -> Signature:
    """A command that waits, from :class:`~modeloom.rtl.bus.sector.core.CommandIntake`.

    Its fields hold for one cycle more than ``valid``.

    Members
    -------
    valid : 1
        A command waits.  The following members describe it.
    ok, code : 1, CODE_BITS
        Whether the core can obey it, and the ``StatusCode`` that says why not.
    decrypt, slot, size, tag : 1, range(key_slots), size_bits, 16
        The fields of the command.  ``size`` is 0 if the core has no such size, and ``code`` says so.
    take : 1
        The command has been used.  It is high only while ``valid`` is high.
    """
    return Signature(
        {
            "valid": Out(1),
            "ok": Out(1),
            "code": Out(CODE_BITS),
            "decrypt": Out(1),
            "slot": Out(range(max(2, p.key_slots))),
            "size": Out(p.size_bits),
            "tag": Out(COMMAND["tag"].width),
            "take": In(1),
        }
    )


def upcoming_signature(p: BusParameters) -> Signature:
    """The sizes of the next two sectors, from :class:`~modeloom.rtl.bus.sector.core.CommandIntake`.

    Members
    -------
    valid, size, known : 1, size_bits, 1
        Whether a command waits, the number of its size, and whether the core has such a size.
    next_valid, next_size, next_known : 1, size_bits, 1
        The same for the command behind it, which has not been checked yet.
    """
    return Signature(
        {
            "valid": Out(1),
            "size": Out(p.size_bits),
            "known": Out(1),
            "next_valid": Out(1),
            "next_size": Out(p.size_bits),
            "next_known": Out(1),
        }
    )


def packet_signature() -> Signature:
    """A packet of a sector, from :class:`~modeloom.rtl.bus.sector.core.SectorIntake`.

    Members
    -------
    complete : 1
        A packet has ended.  Its last beat is on ``fill`` in this cycle, or it was there earlier.  The following members describe
        it.
    ok, code : 1, CODE_BITS
        Whether it is the packet of a sector, and the ``StatusCode`` that says why not.
    good : 1
        Both ``complete`` and ``ok`` are high.
    take : 1
        The packet has been used.  It is high only while ``complete`` is high.
    admit : 1
        The packet has been used, and its sector will enter.
    entering : 1
        A sector asks the engine to enter.
    """
    return Signature(
        {"complete": Out(1), "ok": Out(1), "good": Out(1), "code": Out(CODE_BITS), "take": In(1), "admit": In(1), "entering": In(1)}
    )


def place_signature(p: BusParameters) -> Signature:
    """A place in the result buffer for a sector, from :class:`~modeloom.rtl.bus.sector.core.EntryGate`.

    Members
    -------
    free : 1
        There is a free place.
    admit, ticket, size : 1, ticket_bits, size_bits
        A sector of this size will enter, and has this place.
    """
    return Signature({"free": In(1), "admit": Out(1), "ticket": Out(p.ticket_bits), "size": Out(p.size_bits)})


def admission_signature(p: BusParameters) -> Signature:
    """A sector that will enter, and its key slot, from :class:`~modeloom.rtl.bus.sector.core.EntryGate`.

    Members
    -------
    admit, ticket, slot : 1, ticket_bits, range(key_slots)
        A sector of this slot will enter with this ticket.
    """
    return Signature({"admit": Out(1), "ticket": Out(p.ticket_bits), "slot": Out(range(max(2, p.key_slots)))})


def opening_signature(p: BusParameters) -> Signature:
    """Whether the next packet may be taken in, in a core for several sizes, from :class:`~modeloom.rtl.bus.sector.core.SizeGate`.

    Members
    -------
    size : size_bits
        The size of the sectors that are taken in.
    open : 1
        The next packet may be taken in: it has this size, or it belongs to a command that is refused for its size.
    admitted : 1
        The packet of the command that waits has been taken in.  The next packet belongs to the command behind it.
    """
    return Signature({"size": Out(p.size_bits), "open": Out(1), "admitted": In(1)})


def engine_of(p: BusParameters) -> Signature:
    """The ports of the engine for buses of these sizes, seen from the engine."""
    return engine_signature(
        block_bits=p.data.block_bits,
        lanes=p.data.lanes,
        blocks=p.most_blocks,
        tweak_blocks=p.sectors.tweak_blocks,
        key_slots=p.key_slots,
        key_words=p.keys.words,
        ticket_bits=p.ticket_bits,
        erase_bits=p.erase_bits,
        sizes=len(p.sizes),
        round_bits=p.keys.round_bits,
        round_key_bits=p.keys.round_key_bits,
        cipher_keys=p.keys.all_cipher_keys,
        key_sizes=len(p.keys.sizes),
    )
