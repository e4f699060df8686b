# SPDX-License-Identifier: Apache-2.0
"""Cipher keys of one length, which share the cores of their cipher.

A core holds the round keys of its own length only.  The number of a key is made of the key slot and the place of the key in its
class::

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
    """The cipher keys of one length.

    Attributes
    ----------
    bits : int
        Their length in bits.  It is 0 for the length that most keys of the mode have.
    numbers : tuple of int
        Their numbers among the cipher keys of a slot.
    of : int
        Number of cipher keys of a slot, those of other lengths included.
    """

    bits: int
    numbers: tuple[int, ...]
    of: int

    def slots(self, key_slots: int) -> int:
        """How many numbers a core has for its keys."""
        return key_slots << max(0, len(self.numbers) - 1).bit_length()

    def slot(self, place: Value, slot: Value) -> Value:
        """The number that a core has for the key at this place of the class, in this slot."""
        return cipher_slot(len(self.numbers), place, slot)

    def has(self, key: Value) -> Value | None:
        """Whether a cipher key is in the class.  It is None if all keys are."""
        if len(self.numbers) == self.of:
            return None
        return Value.cast(Array(int(number in self.numbers) for number in range(self.of))[key])

    def place(self, key: Value) -> Value:
        """The place of a cipher key in the class."""
        if len(self.numbers) == self.of:
            return key
        places = [self.numbers.index(number) if number in self.numbers else 0 for number in range(self.of)]
        return Value.cast(Array(places)[key])


def key_class(cipher_bits: Sequence[int], bits: int) -> KeyClass:
    """The class of the keys of this length in bits.  The length that most keys have is 0, as in ``cipher_bits``."""
    return KeyClass(bits, tuple(number for number, width in enumerate(cipher_bits) if width == bits), len(cipher_bits))
