# SPDX-License-Identifier: Apache-2.0
"""Block ciphers that modes run on: their sizes, the timing of their cores, their hardware and their software.

The compiler knows a cipher only through this description; AES and SM4 are here, and a mode may bring its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modeloom.ciphers.guard import CoreTiming, guard
from modeloom.spec import DefinitionError, InputError, Mode, UnknownName
from modeloom.spec.attributes import attribute_place

__all__ = ["CoreTiming", "BlockCipher", "AES", "SM4", "cipher", "cipher_of", "CIPHERS"]


@dataclass(frozen=True, kw_only=True)
class BlockCipher:
    """A block cipher.

    Attributes
    ----------
    name : str
        Name for files and messages.
    block_bytes : int
        Bytes of a block.
    key_bits : tuple of int
        Key sizes in bits, the default first.
    round_keys : callable
        ``round_keys(key_bits)``: the number of round keys, which is what the key schedule writes.
    round_key_bits : int
        Width of a round key in bits.
    most_stages : int
        Registers a round that the pipelines may have: 1 to this.
    sequential : tuple of str
        The cores that there is a sequential form of as well as a pipeline: "enc", "dec", and "both", one core that does either.
    timing : callable
        ``timing(core, architecture, key_bits, stages)``: timing of the "enc" or "dec" core that is "pipelined" (``stages`` registers
        a round), or of a core that is "sequential" (``stages`` cycles a round).
    software : callable
        ``software(key)``: the keyed cipher on bytes, with ``encrypt(blocks)`` and ``decrypt(blocks)`` for any number of whole blocks.
    sboxes : tuple of str
        Forms of the S-box that the cores may have, the default first.
    hardware : callable
        ``hardware(core, architecture, key_bits, stages, slots, sbox)``: the Amaranth component, with the ports of ``AESEncryptPipeline``
        (``rtl.aes.cores.pipeline``), its ``latency``, and for a sequential one ``start``, high in the cycle of an operand.  A "both"
        core has ``decrypt``, the direction of an operand, and ``key_data_dec``, the round key for the inverse cipher.
    key_schedule : callable
        ``key_schedule(key_bits)``: the Amaranth component that expands keys, with the ports of ``rtl.bus.key_schedule_signature`` seen
        from outside.  It erases a round key a cycle and keeps no part of a key when it is done.
    """

    name: str
    block_bytes: int
    key_bits: tuple[int, ...]
    round_keys: Callable[[int], int]
    round_key_bits: int
    timing: Callable[[str, str, int, int], CoreTiming]
    software: Callable[[bytes], Any]
    hardware: Callable[[str, str, int, int, int, str], Any]
    key_schedule: Callable[[int], Any]
    most_stages: int = 1
    sequential: tuple[str, ...] = ()
    sboxes: tuple[str, ...] = ("lut",)

    def __post_init__(self) -> None:
        guard(self)


def _aes_rounds(key_bits: int) -> int:
    return key_bits // 32 + 6


def _aes_timing(core: str, architecture: str, key_bits: int, stages: int) -> CoreTiming:
    rounds = _aes_rounds(key_bits)
    cycles = rounds * stages
    # The whitened input is registered: the operand register is in the core.  In its last cycle a sequential core takes the next block.
    return CoreTiming(cycles + 1, 1 if architecture == "pipelined" else cycles)


def _aes_software(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    class Keyed:
        def __init__(self) -> None:
            ecb = Cipher(algorithms.AES(key), modes.ECB())
            self.encrypt = ecb.encryptor().update
            self.decrypt = ecb.decryptor().update

    return Keyed()


def _aes_hardware(core: str, architecture: str, key_bits: int, stages: int, slots: int, sbox: str) -> Any:
    from modeloom.rtl.aes.cores.pipeline import AESDecryptPipeline, AESEncryptPipeline
    from modeloom.rtl.aes.cores.sequential import AESSequential

    if architecture == "sequential":
        direction = {"enc": "encrypt", "dec": "decrypt", "both": "both"}[core]
        return AESSequential(key_bits, slots, stages, direction=direction, sbox=sbox)
    kind = AESEncryptPipeline if core == "enc" else AESDecryptPipeline
    return kind(key_bits, stages, slots, sbox=sbox)


def _aes_key_schedule(key_bits: int) -> Any:
    from modeloom.rtl.aes.keys.key_schedule import KeySchedule

    return KeySchedule(key_bits)


AES = BlockCipher(
    name="aes",
    block_bytes=16,
    key_bits=(128, 192, 256),
    round_keys=lambda key_bits: _aes_rounds(key_bits) + 1,
    round_key_bits=128,
    most_stages=4,
    sequential=("enc", "dec", "both"),
    sboxes=("lut", "bram", "composite", "bdd", "compact"),
    timing=_aes_timing,
    software=_aes_software,
    hardware=_aes_hardware,
    key_schedule=_aes_key_schedule,
)
"""The Advanced Encryption Standard, FIPS 197."""


def _sm4_timing(core: str, architecture: str, key_bits: int, stages: int) -> CoreTiming:
    cycles = 32 * stages
    # The operand register is in the core, as in those of AES.
    return CoreTiming(cycles + 1, 1 if architecture == "pipelined" else cycles)


def _sm4_software(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    class Keyed:
        def __init__(self) -> None:
            ecb = Cipher(algorithms.SM4(key), modes.ECB())
            self.encrypt = ecb.encryptor().update
            self.decrypt = ecb.decryptor().update

    return Keyed()


def _sm4_hardware(core: str, architecture: str, key_bits: int, stages: int, slots: int, sbox: str) -> Any:
    from modeloom.rtl.sm4.pipeline import SM4Pipeline
    from modeloom.rtl.sm4.sequential import SM4Sequential

    direction = {"enc": "encrypt", "dec": "decrypt", "both": "both"}[core]
    return (SM4Sequential if architecture == "sequential" else SM4Pipeline)(direction, stages, slots)


def _sm4_key_schedule(key_bits: int) -> Any:
    from modeloom.rtl.sm4.key_schedule import SM4KeySchedule

    return SM4KeySchedule()


SM4 = BlockCipher(
    name="sm4",
    block_bytes=16,
    key_bits=(128,),
    round_keys=lambda key_bits: 32,
    round_key_bits=32,
    most_stages=2,
    # A "both" core reads one form of the round keys alone, and ``equivalence`` looks for ports of both: no mode has it yet.
    sequential=("enc", "dec"),
    timing=_sm4_timing,
    software=_sm4_software,
    hardware=_sm4_hardware,
    key_schedule=_sm4_key_schedule,
)
"""SM4, GB/T 32907-2016."""

CIPHERS = {AES.name: AES, SM4.name: SM4}


def cipher(name: str) -> BlockCipher:
    """The cipher of this name; raises ``UnknownName``."""
    if name not in CIPHERS:
        raise UnknownName("cipher", name, CIPHERS)
    return CIPHERS[name]


def cipher_of(mode: Mode, name: str | None = None) -> BlockCipher:
    """The cipher that a mode runs on: its own, or the one of this name.

    Raises
    ------
    UnknownName
        No cipher has this name.
    InputError
        Its blocks are not those of the mode.
    DefinitionError
        The mode's field does not have the width of its blocks.
    """
    if not isinstance(mode.cipher, BlockCipher | str):
        what = f"the class {mode.cipher.__name__}" if isinstance(mode.cipher, type) else repr(mode.cipher)
        place = attribute_place(type(mode), "cipher")
        raise DefinitionError(f"{mode.name}: {place}cipher is {what}; it must be a BlockCipher(...), or the name of one")
    own = mode.cipher if isinstance(mode.cipher, BlockCipher) else cipher(mode.cipher)
    chosen = own if name in (None, own.name) else cipher(name)  # type: ignore[arg-type]
    if chosen.block_bytes != mode.block_bytes:
        raise InputError(f"{mode.name} works on blocks of {mode.block_bytes} bytes, those of {chosen.name} have {chosen.block_bytes}")
    if mode.field.width != 8 * mode.block_bytes:
        raise DefinitionError(f"{mode.name}: the field {mode.field.name} has {mode.field.width} bits, a block {8 * mode.block_bytes}")
    for key, bits in mode.fixed_key_bits.items():
        if key not in mode.cipher_keys:
            raise DefinitionError(f"{mode.name}: fixed_key_bits names {key!r}, which is not one of cipher_keys")
        if bits not in chosen.key_bits:
            raise DefinitionError(
                f"{mode.name}: fixed_key_bits gives {key} {bits} bits, and {chosen.name} has keys of {', '.join(map(str, chosen.key_bits))}"
            )
    if mode.cipher_keys and set(mode.cipher_keys) <= mode.fixed_key_bits.keys():
        raise DefinitionError(
            f"{mode.name}: fixed_key_bits names all cipher keys; leave one to --key-bits, and limit its sizes with cipher_key_bits"
        )
    return chosen
