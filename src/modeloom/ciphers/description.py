# SPDX-License-Identifier: Apache-2.0
"""What the compiler knows of a block cipher: sizes, the timing of its cores, their hardware, and its software.

AES and SM4 are described in files of their own; a mode may bring a cipher that is described in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modeloom.ciphers.guard import guard
from modeloom.ciphers.request import CoreRequest, CoreTiming

__all__ = ["BlockCipher"]


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
    pipelined, sequential : tuple of str
        Directions for which there is a core of this form: "encrypt", "decrypt", and "both" for one core that does either.
    timing : callable
        ``timing(request)``: the ``CoreTiming`` of the core that a ``CoreRequest`` asks for.  It is the same for any number of slots.
    software : callable
        ``software(key)``: the keyed cipher on bytes, with ``encrypt(blocks)`` and ``decrypt(blocks)`` for any number of whole blocks.
    sboxes : tuple of str
        Forms of the S-box that the cores may have, the default first.
    hardware : callable
        ``hardware(request)``: the Amaranth component that a ``CoreRequest`` asks for, with the ports of ``AESPipeline``
        (``rtl.aes.cores.pipeline``), its ``latency``, and for a sequential one ``start``, high in the cycle of an operand.  A core for
        both directions has ``decrypt``, the direction of an operand, and ``key_data_dec``, the round key in the form for the inverse
        cipher, where that has one of its own.
    key_schedule : callable
        ``key_schedule(key_bits)``: the Amaranth component that expands keys, with the ports of ``rtl.bus.key_schedule_signature`` seen
        from outside.  It erases a round key a cycle and keeps no part of a key when it is done.
    """

    name: str
    block_bytes: int
    key_bits: tuple[int, ...]
    round_keys: Callable[[int], int]
    round_key_bits: int
    timing: Callable[[CoreRequest], CoreTiming]
    software: Callable[[bytes], Any]
    hardware: Callable[[CoreRequest], Any]
    key_schedule: Callable[[int], Any]
    most_stages: int = 1
    pipelined: tuple[str, ...] = ("encrypt", "decrypt")
    sequential: tuple[str, ...] = ()
    sboxes: tuple[str, ...] = ("lut",)

    def __post_init__(self) -> None:
        guard(self)

    def has(self, direction: str, form: str) -> bool:
        """Whether there is a core for a direction in a form."""
        return direction in (self.pipelined if form == "pipelined" else self.sequential)
