# SPDX-License-Identifier: Apache-2.0
"""The cipher keys that share cores: those of one length.

A core holds the round keys of its own keys alone, under a number that is made of the key slot and the key's place among them::

    cipher keys of a slot     K (128 bits)   IV (256)   J (128)
    cores for 128 bits        0                         1
    cores for 256 bits                       0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Array, Value

from modeloom.rtl.engine.wires import cipher_slot

__all__ = ["KeyClass", "key_class"]


class KeyClass(NamedTuple):
    """Cipher keys of one length, by their numbers, among ``of`` in a slot; ``bits`` is 0 for the length of most."""

    bits: int
    numbers: tuple[int, ...]
    of: int

    def slots(self, key_slots: int) -> int:
        """Numbers under which a core may know a key."""
        return key_slots << max(0, len(self.numbers) - 1).bit_length()

    def slot(self, place: Value, slot: Value) -> Value:
        """The number of the key at a place of this class."""
        return cipher_slot(len(self.numbers), place, slot)

    def has(self, key: Value) -> Value | None:
        """Whether a cipher key is one of them; None if all are."""
        if len(self.numbers) == self.of:
            return None
        return Value.cast(Array(int(number in self.numbers) for number in range(self.of))[key])

    def place(self, key: Value) -> Value:
        """The place of a cipher key among them."""
        if len(self.numbers) == self.of:
            return key
        places = [self.numbers.index(number) if number in self.numbers else 0 for number in range(self.of)]
        return Value.cast(Array(places)[key])


def key_class(cipher_bits: Sequence[int], bits: int) -> KeyClass:
    """The keys of so many bits; 0: of the length of most."""
    return KeyClass(bits, tuple(number for number, width in enumerate(cipher_bits) if width == bits), len(cipher_bits))
