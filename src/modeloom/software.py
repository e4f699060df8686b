# SPDX-License-Identifier: Apache-2.0
"""The software model of a mode: its definition run on numbers."""

from __future__ import annotations

from modeloom.ciphers import cipher_of
from modeloom.modes import find
from modeloom.spec import CIPHER, Blocks, Keys, Mode, Numbers

__all__ = ["Model", "model", "to_blocks", "to_bytes"]


def to_blocks(data: bytes, block_bytes: int) -> Blocks:
    """Bytes as blocks; a partial last one is filled with zeros."""
    values = [int.from_bytes(data[at : at + block_bytes], "little") for at in range(0, len(data), block_bytes)]
    return Blocks(values, len(data), block_bytes)


def to_bytes(blocks: list[int], nbytes: int, block_bytes: int) -> bytes:
    """The first ``nbytes`` bytes of blocks."""
    return b"".join(block.to_bytes(block_bytes, "little") for block in blocks)[:nbytes]


class Model:
    """A mode with a key.

    Parameters
    ----------
    mode : Mode
    key : bytes
        The mode's whole key, parts in the order of ``mode.key_parts``; its length decides the cipher's key size.
    cipher_name : str or None
        The block cipher, if it is not the mode's.
    """

    def __init__(self, mode: Mode, key: bytes, cipher_name: str | None = None):
        description = cipher_of(mode, cipher_name)
        parts = mode.split_key(key, tuple(bits // 8 for bits in sorted(description.key_bits)))
        self.mode = mode
        self._ops = Numbers(mode.field, description.software(parts[CIPHER]))
        raw = {name: int.from_bytes(value, "little") for name, value in parts.items() if name != CIPHER}
        self._keys = mode.setup(self._ops, Keys(**raw))

    def _run(self, direction: str, tweak: bytes, data: bytes) -> bytes:
        self.mode.check_sector(len(data))
        self.mode.check_tweak(len(tweak))
        size = self.mode.block_bytes
        run = getattr(self.mode, direction)
        blocks = run(self._ops, self._keys, to_blocks(tweak, size), to_blocks(data, size))
        return to_bytes(list(blocks), len(data), size)

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Ciphertext of a sector; raises ``InputError`` for lengths that the mode does not take."""
        return self._run("encrypt", tweak, data)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        """Plaintext of a sector; raises ``InputError`` for lengths that the mode does not take."""
        return self._run("decrypt", tweak, data)


def model(name: str, key: bytes) -> Model:
    """The software model of a mode by its name."""
    return Model(find(name), key)
