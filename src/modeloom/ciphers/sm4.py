# SPDX-License-Identifier: Apache-2.0
"""The description of SM4, GB/T 32907-2016, for the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modeloom.ciphers.description import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.software import openssl, sm4_round_keys
from modeloom.spec.mode import DIRECTIONS

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

__all__ = ["SM4"]

ROUNDS = 32


def _timing(request: CoreRequest) -> CoreTiming:
    cycles = ROUNDS * request.stages
    # The operand register is in the core, as in the cores of AES.
    return CoreTiming(cycles + 1, 1 if request.form == "pipelined" else cycles)


def _hardware(request: CoreRequest) -> Component:
    from modeloom.rtl.sm4 import SM4Pipeline, SM4Sequential

    return (SM4Sequential if request.form == "sequential" else SM4Pipeline)(request.direction, request.stages, request.slots)


def _key_schedule(key_bits: int) -> Component:
    from modeloom.rtl.sm4 import SM4KeySchedule

    return SM4KeySchedule()


SM4 = BlockCipher(
    name="sm4",
    block_bytes=16,
    key_bits=(128,),
    round_keys=lambda key_bits: ROUNDS,
    round_key_bits=32,
    most_stages=2,
    pipelined=DIRECTIONS,
    sequential=DIRECTIONS,
    timing=_timing,
    software=openssl("SM4"),
    hardware=_hardware,
    key_schedule=_key_schedule,
    expand=sm4_round_keys,
)
"""SM4, GB/T 32907-2016."""
