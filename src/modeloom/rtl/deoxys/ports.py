# SPDX-License-Identifier: Apache-2.0
"""The ports of the cores of Deoxys-BC that hold the round keys of several slots: the pipeline, and the round for several blocks."""

from __future__ import annotations

from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.parameters import BLOCK_BITS, slot_shape
from modeloom.rtl.deoxys.tweakey import ROUNDS

__all__ = ["slotted_ports"]


def slotted_ports(slots: int, direction: str) -> dict[str, Member]:
    """Block, tweak and slot in, result out, and the port that writes the part of a subtweakey that comes of the key.

    There is ``decrypt`` if the direction is "both".
    """
    ports: dict[str, Member] = {
        "i": In(BLOCK_BITS),
        "tweak": In(BLOCK_BITS),
        "slot": In(slot_shape(slots)),
        "o": Out(BLOCK_BITS),
        "key_we": In(1),
        "key_slot": In(slot_shape(slots)),
        "key_round": In(range(ROUNDS + 1)),
        "key_data": In(BLOCK_BITS),
    }
    return {**ports, "decrypt": In(1)} if direction == "both" else ports
