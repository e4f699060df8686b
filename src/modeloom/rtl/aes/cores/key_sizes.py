# SPDX-License-Identifier: Apache-2.0
"""Keys of several sizes in one pipeline: which rounds a shorter key skips, and where its round keys are.

The last rounds are common.  For all three sizes::

    key          whitening   rounds 1, 2   rounds 3, 4   rounds 5 ... 14
    256 bits     key 0       keys 1, 2     keys 3, 4     keys 5 ... 14
    192 bits     key 0       -             keys 1, 2     keys 3 ... 12
    128 bits     key 0       -             -             keys 1 ... 10

A decrypter reads the round keys of a size in the opposite order.  Its whitening uses the last round key, and its last round uses key 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Member

from modeloom.rtl.aes.keys.round_keys import read_word
from modeloom.rtl.aes.parameters import ROUNDS, check_key_bits
from modeloom.rtl.aes.rounds.round_stages import register

__all__ = ["Bypass", "KeySizes", "Skip"]


@dataclass(frozen=True)
class Skip:
    """Rounds that some keys skip.

    Attributes
    ----------
    first, last : int
        Numbers of the rounds, from 1.
    lengths : tuple of bool
        For each size of keys, whether it skips them.
    """

    first: int
    last: int
    lengths: tuple[bool, ...]


@dataclass(frozen=True)
class KeySizes:
    """The key sizes of a pipeline.

    Attributes
    ----------
    sizes : tuple of int
        128, 192 or 256 bits each.  What ports called ``key_length`` carry is a place in this tuple.

    Raises
    ------
    TypeError
        A size is not an integer.
    ValueError
        A size is none of AES, or there twice.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        for bits in self.sizes:
            check_key_bits(bits)
        if len(set(self.sizes)) != len(self.sizes):
            raise ValueError(f"key sizes must differ, not {', '.join(map(str, self.sizes))}")

    @property
    def rounds(self) -> int:
        """Rounds of the longest key."""
        return max(ROUNDS[bits] for bits in self.sizes)

    @property
    def skips(self) -> tuple[Skip, ...]:
        """The skipped rounds in their order."""
        ends = sorted({self.rounds - ROUNDS[bits] for bits in self.sizes})
        return tuple(
            Skip(before + 1, end, tuple(self.rounds - ROUNDS[bits] >= end for bits in self.sizes))
            for before, end in zip(ends, ends[1:], strict=False)
        )

    @property
    def ports(self) -> dict[str, Member]:
        """The port for the size of a key, if there are several."""
        return {"key_length": In(range(len(self.sizes)))} if len(self.sizes) > 1 else {}

    def place(self, length: int, number: int) -> int:
        """The place of a round key in a pipeline that encrypts: 0 for the whitening, or the number of a round."""
        return number + self.rounds - ROUNDS[self.sizes[length]] if number else 0

    def matches(self, write: Mapping[str, Value], place: int, *, backward: bool) -> Value:
        """Whether a round key belongs to a place of the pipeline.

        Parameters
        ----------
        write : mapping
            The number of the round key, ``key_round``, as in FIPS 197, and with several sizes the size of the key, ``key_length``.
        place : int
            0 for the whitening, or the number of a round.
        backward : bool
            Whether blocks are decrypted there.
        """
        if len(self.sizes) == 1:
            return write["key_round"] == (self.rounds - place if backward else place)
        found: Value = Const(0, 1)
        for n, bits in enumerate(self.sizes):
            own = place - (self.rounds - ROUNDS[bits]) if place else 0
            if own >= 0 and (own or not place):
                found = found | ((write["key_length"] == n) & (write["key_round"] == (ROUNDS[bits] - own if backward else own)))
        return found

    def skipping(
        self, m: Module, write: Value, write_slot: Value, length: Value, slot: Value, *, slots: int, block: bool
    ) -> list[Value]:
        """For each of ``skips``, whether a block passes these rounds: a cycle after its slot is given, or two with a block memory.

        Parameters
        ----------
        m : Module
            Receives the storage.
        write, write_slot, length
            Writes the size of the key of a slot.
        slot
            The slot of the block.
        slots : int
            Key slots.
        block : bool
            Whether the storage is a block memory.
        """
        data = self._decoded(length)
        if slots == 1:
            held = [Signal(name=f"skips_{skip.first}_reg", reset_less=True) for skip in self.skips]
            with m.If(write):
                m.d.sync += [reg.eq(bit) for reg, bit in zip(held, data, strict=True)]
            return list(held)
        skips = read_word(m, "skips", slots, write, write_slot, Cat(data), slot, domain="sync", block=block)
        if not block:
            return list(skips)
        late = Signal(len(data), name="skips_reg", reset_less=True)
        m.d.sync += late.eq(skips)
        return list(late)

    def _decoded(self, length: Value) -> list[Value]:
        """For each of ``skips`` whether keys of a size skip it."""
        found: list[Value] = []
        for skip in self.skips:
            which: Sequence[Value] = [length == n for n, skipped in enumerate(skip.lengths) if skipped]
            found.append(Cat(which).any())
        return found


# -- bypass ------------------------------------------------------------------------------------------------------------------------

# The way of a block around rounds that its key does not have.
#
#     before the first of them ──▶ reg ──▶ reg ──▶ ... ──▶ beside the last of them

class Bypass:
    """Registers beside some rounds.

    Parameters
    ----------
    m : Module
        Receives the registers.
    skip : Skip
        The rounds.
    skips : callable
        ``skips(n)``: whether the block of n cycles ago takes this way.
    block : Value
        The block that enters the first of the rounds.
    cycle : int
        Cycles ago in which this block came.
    """

    def __init__(self, m: Module, skip: Skip, skips: Callable[[int], Value], block: Value, cycle: int):
        self.skip, self.skips = skip, skips
        self._m, self._blocks, self._cycle = m, [block], cycle

    def at(self, cycle: int) -> Value:
        """The block of *cycle* cycles ago."""
        while len(self._blocks) <= cycle - self._cycle:
            name = f"past_{self.skip.first}_{len(self._blocks)}"
            self._blocks.append(register(self._m, self._blocks[-1], name))
        return self._blocks[cycle - self._cycle]
