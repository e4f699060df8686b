# SPDX-License-Identifier: Apache-2.0
"""A definition with a key on numbers: the parts of the key, the operations, and the results of the set-up."""

from __future__ import annotations

from typing import Generic, TypeVar

from modeloom.ciphers import cipher_of
from modeloom.spec import CipherKey, Keys, Numbers, blame
from modeloom.spec.beside import beside
from modeloom.spec.keyed import Definition, KeyParts

__all__ = ["KeyedDefinition", "as_bytes", "key_lengths"]


def as_bytes(what: str, value: object) -> bytes:
    """Converts bytes, bytearray or memoryview to bytes.  Raises ``TypeError`` for anything else."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    hint = "; bytes.fromhex reads hex digits" if isinstance(value, str) else ""
    raise TypeError(f"{what} must be bytes, not {type(value).__name__}{hint}")


def key_lengths(mode: Definition, cipher_name: str | None = None) -> list[int]:
    """Lengths in bytes that the whole key of a mode may have, one for each key size of the cipher."""
    sizes = mode.cipher_key_bits or cipher_of(mode, cipher_name).key_bits
    return sorted({bits // 8 if mode.derives() else mode.key_bytes(bits // 8) for bits in sizes})


O = TypeVar("O", bound=Numbers)


class KeyedDefinition(Generic[O]):
    """A definition with a key.

    Parameters
    ----------
    mode : Definition
        The mode, or its class.
    key : bytes
        The whole key of the mode, with its parts in the order of ``mode.key_parts``.  Its length selects the key size of the cipher.
    cipher_name : str or None
        The block cipher, if it is not that of the mode.

    Attributes
    ----------
    cipher_key_bytes : int
        Bytes of a cipher key, but of those in ``mode.fixed_key_bits``.
    """

    numbers: type[O]
    """The operations."""

    def __init__(self, mode: Definition, key: bytes, cipher_name: str | None = None):
        description = cipher_of(mode, cipher_name)
        parts = mode.split_key(as_bytes("key", key), tuple(bits // 8 for bits in sorted(description.key_bits)))
        free = (len(parts[name]) for name in mode.cipher_keys if name not in mode.fixed_key_bits)
        self.cipher_key_bytes = next(free, mode.block_bytes)
        self.definition = mode
        self._description, self._parts = description, parts

    def operations(self) -> O:
        """The operations with the cipher keys of the mode."""
        keyed, mode = self._description.software, self.definition
        return self.numbers(mode.field, [keyed(self._parts[name]) for name in mode.cipher_keys], keyed, self.cipher_key_bytes)

    @property
    def parts(self) -> dict[str, bytes]:
        """The parts of the key by name."""
        return self._parts

    @property
    def key_blocks(self) -> dict[str, int]:
        """The parts of the key that are blocks."""
        return {name: int.from_bytes(value, "little") for name, value in self._parts.items() if name not in self.definition.cipher_keys}

    def run_setup(self, o: Numbers) -> Keys:
        """Runs the set-up with operations.  Raises ``InputError`` for a key that the mode refuses."""
        mode = self.definition
        raw: dict[str, object] = {**self.key_blocks, **{name: CipherKey(number) for number, name in enumerate(mode.cipher_keys)}}
        with beside(mode.folder), blame(mode.name, mode.setup):
            return mode.setup(o, KeyParts(**raw))
