# SPDX-License-Identifier: Apache-2.0
"""The description of the Advanced Encryption Standard, FIPS 197, for the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modeloom.ciphers.description import FEW_SLOTS, SERIAL, BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.software import aes_round_keys, openssl
from modeloom.spec.mode import DIRECTIONS

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

__all__ = ["AES"]


def _rounds(key_bits: int) -> int:
    return key_bits // 32 + 6


BLOCK_MEMORY_CYCLES = 2
"""Cycles that block memories for round keys add to the latency of a pipeline."""


def _timing(request: CoreRequest) -> CoreTiming:
    cycles = max(map(_rounds, request.key_sizes)) * request.stages
    memory = BLOCK_MEMORY_CYCLES if request.slots > FEW_SLOTS else 0
    # The core registers the whitened input, which is the operand register.  A sequential core takes the next block in its last cycle.
    if request.form == "sequential":
        return CoreTiming(cycles + 1, cycles)
    if request.form in SERIAL:
        # A round has five places, each a cycle for every byte of a column, or for all of them.  The first round has no place 0.
        cycles = (5 * (max(map(_rounds, request.key_sizes)) + 1) - 1) * 32 // SERIAL[request.form] + 1
        return CoreTiming(cycles + 2, cycles)
    if request.form == "multistream":
        cycles = max(map(_rounds, request.key_sizes)) * request.streams
        # Blocks of shorter keys wait for their first round in places that all blocks pass.
        return CoreTiming(cycles + 1 + bool(request.more_key_bits) + memory, cycles, request.streams)
    return CoreTiming(cycles + 1 + memory, 1)


def _hardware(request: CoreRequest) -> Component:
    from modeloom.rtl.aes.multistream import AESStreams
    from modeloom.rtl.aes.pipeline import AESPipeline
    from modeloom.rtl.aes.sequential import AESSequential, AESSerial

    if request.form == "sequential":
        return AESSequential(request.key_bits, request.slots, request.stages, direction=request.direction, sbox=request.sbox)
    if request.form in SERIAL:
        return AESSerial(
            request.key_bits, request.slots, bits=SERIAL[request.form], direction=request.direction, batch=request.batch
        )
    if request.form == "multistream":
        return AESStreams(
            request.key_bits, request.streams, request.slots, direction=request.direction, more_key_bits=request.more_key_bits,
            block_memory=request.slots > FEW_SLOTS, whole_sboxes=request.networks == "lut6",
        )  # fmt: skip
    return AESPipeline(
        request.key_bits, request.stages, request.slots, direction=request.direction, sbox=request.sbox,
        more_key_bits=request.more_key_bits, key_memory="block" if request.slots > FEW_SLOTS else "distributed",
        key_writers=request.writers, mixcolumns=request.networks,
        whole_sboxes=request.networks == "lut6",
    )  # fmt: skip


def _key_schedule(key_bits: int) -> Component:
    from modeloom.rtl.aes.key_schedule import KeySchedule

    return KeySchedule(key_bits)


def _key_schedule_for(key_sizes: tuple[int, ...]) -> Component:
    from modeloom.rtl.aes.key_schedule import SizesKeySchedule

    return SizesKeySchedule(key_sizes)


def _iterative_schedule(key_sizes: tuple[int, ...]) -> Component:
    from modeloom.rtl.aes.iterative_schedule import PortKeySchedule

    return PortKeySchedule(key_sizes)


AES = BlockCipher(
    name="aes",
    block_bytes=16,
    key_bits=(128, 192, 256),
    round_keys=lambda key_bits: _rounds(key_bits) + 1,
    round_key_bits=128,
    most_stages=4,
    pipelined=DIRECTIONS,
    sequential=DIRECTIONS,
    multistream=DIRECTIONS,
    streams=(1, 2, 4),
    sboxes=("lut", "bram", "composite", "bdd", "compact"),
    timing=_timing,
    software=openssl("AES"),
    hardware=_hardware,
    key_schedule=_key_schedule,
    several_sizes=DIRECTIONS,
    key_schedule_for=_key_schedule_for,
    iterative_schedule=_iterative_schedule,
    expand=aes_round_keys,
    serial32=DIRECTIONS,
    serial8=DIRECTIONS,
)
"""The Advanced Encryption Standard, FIPS 197."""
