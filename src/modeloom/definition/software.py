# SPDX-License-Identifier: Apache-2.0
"""The software model of a mode: its definition run on numbers."""

from __future__ import annotations

from modeloom.definition.keyed import KeyedDefinition, as_bytes, key_lengths
from modeloom.ir.trace import trace
from modeloom.modes import find
from modeloom.spec import Blocks, InputError, Keys, Mode, Numbers, blame, checked_mode
from modeloom.spec.beside import beside

__all__ = ["Model", "as_bytes", "key_lengths", "model", "to_blocks", "to_bytes"]


def to_blocks(data: bytes, block_bytes: int) -> Blocks:
    """Splits bytes into blocks.  A partial last block is filled with zeros."""
    values = [int.from_bytes(data[at : at + block_bytes], "little") for at in range(0, len(data), block_bytes)]
    return Blocks(values, len(data), block_bytes)


def to_bytes(blocks: list[int], nbytes: int, block_bytes: int) -> bytes:
    """Joins blocks and returns the first ``nbytes`` bytes."""
    return b"".join(block.to_bytes(block_bytes, "little") for block in blocks)[:nbytes]


class Model(KeyedDefinition[Numbers]):
    """A mode with a key.

    Parameters
    ----------
    mode : Mode
        The mode, or its class.
    key : bytes
        The whole key of the mode, with its parts in the order of ``mode.key_parts``.  Its length selects the key size of the cipher.
    cipher_name : str or None
        The block cipher, if it is not that of the mode.
    """

    numbers = Numbers

    def __init__(self, mode: Mode, key: bytes, cipher_name: str | None = None):
        if isinstance(mode, str):
            raise TypeError(f"mode must be an instance of Mode, not {mode!r}; modeloom.model takes the name of a mode")
        mode = checked_mode(mode)
        super().__init__(mode, key, cipher_name)
        self.mode = mode
        self._ready: dict[int, tuple[Numbers, Keys]] = {}
        self._traced: set[tuple[int, int]] = set()

    def set_up(self, blocks: int) -> tuple[Numbers, Keys]:
        """The operations and key values, for sectors of so many blocks if the set-up depends on that.

        Raises ``InputError`` for a key that the mode refuses.
        """
        blocks = blocks if self.mode.setup_of_size else 0
        if blocks not in self._ready:
            o = self.operations()
            o.blocks = blocks
            self._ready[blocks] = o, self.run_setup(o)
        return self._ready[blocks]

    def blocks(self, direction: str, tweak: bytes, data: bytes) -> list[int]:
        """The blocks that a direction gives for a sector, including whatever the definition leaves behind the bytes of a partial block."""
        tweak, data = as_bytes("tweak", tweak), as_bytes("data", data)
        self.mode.check_sector(len(data))
        self.mode.check_tweak(len(tweak))
        if direction not in self.mode.directions():
            raise InputError(f"{self.mode.name}: the mode has one direction only, {self.mode.one_direction}")
        size = self.mode.block_bytes
        if (len(data), len(tweak)) not in self._traced:
            # What a core cannot do is refused here, too, although numbers can do it.
            trace(self.mode, len(data), len(tweak), key_bytes=self.cipher_key_bytes)
            self._traced.add((len(data), len(tweak)))
        o, keys = self.set_up(-(-len(data) // size))
        with beside(self.mode.folder), blame(self.mode.name, getattr(self.mode, direction)):
            return list(getattr(self.mode, direction)(o, keys, to_blocks(tweak, size), to_blocks(data, size)))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Ciphertext of a sector.  Raises ``InputError`` for lengths that the mode does not accept."""
        return to_bytes(self.blocks("encrypt", tweak, data), len(data), self.mode.block_bytes)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Plaintext of a sector.  Raises ``InputError`` for lengths that the mode does not accept."""
        return to_bytes(self.blocks("decrypt", tweak, data), len(data), self.mode.block_bytes)


def model(name: str, key: bytes, cipher: str | None = None) -> Model:
    """The software model of a mode given by name, with a cipher given by name or with that of the mode."""
    return Model(find(name, cipher=cipher), key, cipher)
