# SPDX-License-Identifier: Apache-2.0
"""Block ciphers that modes run on: their sizes, the timing of their cores, their hardware and their software.

The compiler knows a cipher only through this description; AES comes first, others can follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modeloom.spec import UnknownName

__all__ = ["CoreTiming", "BlockCipher", "AES", "cipher", "CIPHERS"]


@dataclass(frozen=True)
class CoreTiming:
    """Cycles from operand to result, and between two operations."""

    latency: int
    interval: int


@dataclass(frozen=True)
class BlockCipher:
    """A block cipher.

    Attributes
    ----------
    block_bytes : int
    key_bits : tuple of int
        Key sizes, the default first.
    timing : callable
        ``timing(core, architecture, key_bits, stages)``: timing of the "enc" or "dec" core that is "pipelined" (``stages`` registers
        a round) or "sequential" (``stages`` cycles a round).
    software : callable
        ``software(key)``: the keyed cipher on bytes.
    hardware : callable
        ``hardware(core, architecture, key_bits, stages, slots)``: the Amaranth component.
    key_schedule : callable
        ``key_schedule(key_bits)``: the Amaranth component that expands keys.
    """

    name: str
    block_bytes: int
    key_bits: tuple[int, ...]
    timing: Callable[[str, str, int, int], CoreTiming]
    software: Callable[[bytes], Any]
    hardware: Callable[[str, str, int, int, int], Any]
    key_schedule: Callable[[int], Any]


def _aes_rounds(key_bits: int) -> int:
    return key_bits // 32 + 6


def _aes_timing(core: str, architecture: str, key_bits: int, stages: int) -> CoreTiming:
    rounds = _aes_rounds(key_bits)
    cycles = rounds * stages + 1  # the whitened input is registered: the operand register is in the core
    return CoreTiming(cycles, 1 if architecture == "pipelined" else cycles)


def _aes_software(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    class Keyed:
        def __init__(self) -> None:
            ecb = Cipher(algorithms.AES(key), modes.ECB())
            self.encrypt = ecb.encryptor().update
            self.decrypt = ecb.decryptor().update

    return Keyed()


def _aes_hardware(core: str, architecture: str, key_bits: int, stages: int, slots: int) -> Any:
    from modeloom.rtl.aes.pipeline import AESDecryptPipeline, AESEncryptPipeline
    from modeloom.rtl.aes.sequential import AESDecryptSequential

    if architecture == "sequential":
        return AESDecryptSequential(key_bits, slots, stages)
    kind = AESEncryptPipeline if core == "enc" else AESDecryptPipeline
    return kind(key_bits, stages, slots)


def _aes_key_schedule(key_bits: int) -> Any:
    from modeloom.rtl.aes.key_schedule import KeySchedule

    return KeySchedule(key_bits)


AES = BlockCipher("aes", 16, (128, 192, 256), _aes_timing, _aes_software, _aes_hardware, _aes_key_schedule)
"""The Advanced Encryption Standard, FIPS 197."""

CIPHERS = {AES.name: AES}


def cipher(name: str) -> BlockCipher:
    """The cipher of this name; raises ``UnknownName``."""
    if name not in CIPHERS:
        raise UnknownName("cipher", name, CIPHERS)
    return CIPHERS[name]
