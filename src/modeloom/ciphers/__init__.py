# SPDX-License-Identifier: Apache-2.0
"""The block ciphers of modes, and the look-up of a cipher by name.

The compiler uses only the description of a cipher.  AES, SM4 and Deoxys-BC are here, and a mode may bring its own cipher.
"""

from __future__ import annotations

from modeloom.ciphers.aes import AES
from modeloom.ciphers.deoxys import DEOXYS_BC
from modeloom.ciphers.description import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.sm4 import SM4
from modeloom.spec import DefinitionError, InputError, UnknownName
from modeloom.spec.attributes import attribute_place
from modeloom.spec.mode import Definition

__all__ = ["AES", "CIPHERS", "DEOXYS_BC", "SM4", "BlockCipher", "CoreRequest", "CoreTiming", "cipher", "cipher_of", "is_own"]

CIPHERS = {AES.name: AES, SM4.name: SM4, DEOXYS_BC.name: DEOXYS_BC}


def cipher(name: str) -> BlockCipher:
    """The cipher with this name.  Raises ``UnknownName``."""
    if name not in CIPHERS:
        raise UnknownName("cipher", name, CIPHERS)
    return CIPHERS[name]


def is_own(one: BlockCipher) -> bool:
    """Whether a cipher comes from a user, and is none of this project."""
    return CIPHERS.get(one.name) is not one


def cipher_of(mode: Definition, name: str | None = None) -> BlockCipher:
    """The cipher of a mode: its own, or the one with the given name.

    Raises
    ------
    UnknownName
        No cipher has this name.
    InputError
        The blocks of the cipher do not have the size of those of the mode.
    DefinitionError
        The field of the mode does not have the width of its blocks.
    """
    if not isinstance(mode.cipher, BlockCipher | str):
        what = f"the class {mode.cipher.__name__}" if isinstance(mode.cipher, type) else repr(mode.cipher)
        place = attribute_place(type(mode), "cipher")
        raise DefinitionError(f"{mode.name}: {place}cipher is {what}; it must be a BlockCipher(...), or the name of one")
    own = mode.cipher if isinstance(mode.cipher, BlockCipher) else cipher(mode.cipher)
    chosen = own if name is None or name == own.name else cipher(name)
    if chosen.tweak_bytes != own.tweak_bytes:
        wanted = "a tweakable cipher" if own.tweak_bytes else "a cipher without tweaks"
        raise InputError(f"{mode.name} needs {wanted}, such as {own.name}, and {chosen.name} is none")
    if chosen.block_bytes != mode.block_bytes:
        raise InputError(f"{mode.name} works on blocks of {mode.block_bytes} bytes, but those of {chosen.name} have {chosen.block_bytes}")
    if mode.field.width != 8 * mode.block_bytes:
        raise DefinitionError(
            f"{mode.name}: the field {mode.field.name} has {mode.field.width} bits, but a block has "
            f"{8 * mode.block_bytes}"
        )
    for key, bits in mode.fixed_key_bits.items():
        if key not in mode.cipher_keys:
            raise DefinitionError(f"{mode.name}: fixed_key_bits names {key!r}, which is not one of cipher_keys")
        if bits not in chosen.key_bits:
            raise DefinitionError(
                f"{mode.name}: fixed_key_bits gives {key} {bits} bits, and {chosen.name} has keys of {', '.join(map(str, chosen.key_bits))}"
            )
    if mode.cipher_keys and set(mode.cipher_keys) <= set(mode.fixed_key_bits):
        raise DefinitionError(
            f"{mode.name}: fixed_key_bits names all cipher keys; omit one, which --key-bits then sets, and limit its sizes "
            "with cipher_key_bits"
        )
    return chosen
