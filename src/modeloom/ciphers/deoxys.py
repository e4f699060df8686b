# SPDX-License-Identifier: Apache-2.0
"""The description of Deoxys-BC-256 (Deoxys v1.41, section 2) for the compiler: a tweakable cipher with tweaks of a block."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from modeloom.ciphers.description import BlockCipher, CoreRequest, CoreTiming
from modeloom.spec.mode import DIRECTIONS

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

__all__ = ["DEOXYS_BC", "DeoxysSoftware", "deoxys_key_parts"]

ROUNDS = 14


def _timing(request: CoreRequest) -> CoreTiming:
    # The operand register is in the core, as in the cores of AES.
    if request.form == "multistream":
        cycles = ROUNDS * request.streams
        # The round of four streams in one direction has a register behind its subtweakey, which is that of the result.
        behind = request.streams == 4 and request.direction != "both"
        return CoreTiming(cycles + 2 - behind, cycles, request.streams)
    return CoreTiming(ROUNDS * request.stages + 1, 1)


def _hardware(request: CoreRequest) -> Component:
    from modeloom.rtl.deoxys.multistream import DeoxysBCStreams
    from modeloom.rtl.deoxys.rounds import DeoxysBCPipeline

    if request.form == "multistream":
        return DeoxysBCStreams(request.streams, request.slots, request.direction, whole_sboxes=request.networks == "lut6")
    return DeoxysBCPipeline(request.stages, request.slots, request.direction, whole_sboxes=request.networks == "lut6")


def _key_schedule(key_bits: int) -> Component:
    from modeloom.rtl.deoxys.rounds import DeoxysKeySchedule

    return DeoxysKeySchedule()


def deoxys_key_parts(key: bytes) -> list[bytes]:
    """What a key of 16 bytes adds to subtweakeys 0 to 14, 16 bytes each."""
    from modeloom.rtl.deoxys.rounds import CONSTANTS, H

    parts, word = [], key
    for rcon in CONSTANTS:
        constant = bytes([1, 2, 4, 8, *[rcon] * 4, *bytes(8)])
        parts.append(bytes(a ^ b for a, b in zip(word, constant, strict=True)))
        stepped = bytes(x << 1 & 0xFF | (x >> 7 ^ x >> 5) & 1 for x in word)
        word = bytes(stepped[source] for source in H)
    return parts


@cache
def _columns(inverse: bool) -> list[list[int]]:
    """What each byte of a row adds to its column: MixColumns after the S-box, or InvMixColumns alone; 32 bits with row 0 at [7:0]."""
    from modeloom.rtl.aes.sbox import SBOX

    def times(a: int, b: int) -> int:
        product = 0
        while b:
            product ^= a * (b & 1)
            a, b = a << 1 ^ 0x11B * (a >> 7), b >> 1
        return product

    factors = (14, 9, 13, 11) if inverse else (2, 1, 1, 3)
    tables = []
    for row in range(4):
        shares = [[times(n if inverse else SBOX[n], factors[(to - row) % 4]) for to in range(4)] for n in range(256)]
        tables.append([int.from_bytes(bytes(share), "little") for share in shares])
    return tables


class DeoxysSoftware:
    """Deoxys-BC-256 with a key of 16 bytes."""

    tweak_bytes = 16

    def __init__(self, key: bytes):
        self._parts = [int.from_bytes(part, "little") for part in deoxys_key_parts(key)]

    def encrypt(self, blocks: bytes, /, *tweak: bytes) -> bytes:
        """The blocks, enciphered under one tweak."""
        tables, (first, *others) = _columns(False), self._subtweakeys(*tweak)
        result = b""
        for at in range(0, len(blocks), 16):
            state = (int.from_bytes(blocks[at : at + 16], "little") ^ first).to_bytes(16, "little")
            for subtweakey in others:
                total = 0
                for c in range(4):
                    word = 0
                    for row, table in enumerate(tables):
                        word ^= table[state[(row + 4 * (c + row)) % 16]]
                    total |= word << 32 * c
                state = (total ^ subtweakey).to_bytes(16, "little")
            result += state
        return result

    def decrypt(self, blocks: bytes, /, *tweak: bytes) -> bytes:
        """The blocks, deciphered under one tweak."""
        from modeloom.rtl.aes.sbox import INV_SBOX

        tables, (*others, last) = _columns(True), self._subtweakeys(*tweak)
        result = b""
        for at in range(0, len(blocks), 16):
            state = (int.from_bytes(blocks[at : at + 16], "little") ^ last).to_bytes(16, "little")
            for subtweakey in reversed(others):
                mixed = b""
                for c in range(0, 16, 4):
                    word = 0
                    for row, table in enumerate(tables):
                        word ^= table[state[c + row]]
                    mixed += word.to_bytes(4, "little")
                state = bytes(INV_SBOX[mixed[(row + 4 * (c - row)) % 16]] for c in range(4) for row in range(4))
                state = (int.from_bytes(state, "little") ^ subtweakey).to_bytes(16, "little")
            result += state
        return result

    def _subtweakeys(self, tweak: bytes) -> list[int]:
        from modeloom.rtl.deoxys.rounds import H

        result = []
        for part in self._parts:
            result.append(part ^ int.from_bytes(tweak, "little"))
            tweak = bytes(tweak[source] for source in H)
        return result


DEOXYS_BC = BlockCipher(
    name="deoxys-bc",
    block_bytes=16,
    tweak_bytes=16,
    key_bits=(128,),
    round_keys=lambda key_bits: ROUNDS + 1,
    round_key_bits=128,
    most_stages=4,
    pipelined=DIRECTIONS,
    multistream=DIRECTIONS,
    streams=(1, 2, 4),
    timing=_timing,
    software=DeoxysSoftware,
    hardware=_hardware,
    key_schedule=_key_schedule,
    expand=deoxys_key_parts,
)
"""Deoxys-BC-256."""
