# SPDX-License-Identifier: Apache-2.0
"""The round of AES around a loop, with registers at places where they cost no LUT (luts2017, section 3.3).

With four streams, each register holds a different block, and every LUT6 is followed by a register::

    state reg ──▶ S-boxes ──▶ reg ──▶ x = a_7 + b_7 ──▶ reg ──▶ MixColumns ──▶ reg ──▶ mixed     (+) key: the state again
                              └──────▶ reg ────────────────────▶ waiting reg ──────▶ plain     (+) key: the result
    stage              1                     2                        3                      4

    streams   registers at the end of stage
    1         4: the sum with the round key
    2         1 (S-boxes), 4
    4         1, 2, 3, 4; both directions: inversion in the field, S-box, MixColumns, 4
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Value

from modeloom.rtl.aes.layers.both import invert_bytes, map_after, map_after_split, map_before_split
from modeloom.rtl.aes.layers.mixcolumns import inv_shift_rows, shift_rows
from modeloom.rtl.aes.layers.round_networks import lower_columns, plain_network
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.aes.sboxes.sbox import inv_sub_bytes, sub_bytes

__all__ = ["STREAMS", "check_streams", "stream_round"]

STREAMS = (1, 2, 4)
"""Possible numbers of blocks in a round."""


def check_streams(streams: int) -> int:
    """*streams* if a round can have so many.

    Raises
    ------
    ValueError
        *streams* is another number.
    """
    if streams not in STREAMS or isinstance(streams, bool):
        raise ValueError(f"streams must be one of {', '.join(map(str, STREAMS))}, not {streams!r}")
    return streams


def stream_round(
    m: Module, state: Value | tuple[Value, Value], ways: Sequence[Value], *, streams: int, direction: str, whole_sboxes: bool = False
) -> tuple[Value, Value]:
    """Stages 1 to 3 of a round: the state with MixColumns and without, *streams* - 1 cycles later.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    state : Value or tuple of Value
        128 bits, or what ``split_register`` makes of them with direction "both".
    ways : sequence of Value
        The direction of the block in each stage, used with direction "both".
    streams : int
        One of ``STREAMS``.
    direction : str
        "encrypt", "decrypt" (FIPS 197, 5.3.5) or "both".
    whole_sboxes : bool
        Asks tools to map each table of an encrypter by itself.
    """

    def late(value: Value, name: str) -> Value:
        return register(m, value, name)

    network = plain_network(direction)
    if direction == "both":
        assert isinstance(state, tuple)
        inverted = invert_bytes(m, map_before_split(m, state, ways[0]))
        if streams == 4:
            inverted = late(inverted, "inverted")
        substituted = map_after(m, inverted, ways[1]) if streams == 4 else map_after_split(m, inverted, ways[0])
        if streams > 1:
            substituted = late(substituted, "substituted")
        mixed = lower_columns(m, network, substituted, gate=ways[{1: 0, 2: 1, 4: 2}[streams]])
    else:
        assert isinstance(state, Value)
        inverse = direction == "decrypt"
        substituted = inv_shift_rows(inv_sub_bytes(m, state)) if inverse else shift_rows(sub_bytes(m, state, whole=whole_sboxes))
        if streams > 1:
            substituted = late(substituted, "substituted")
        mixed = lower_columns(m, network, substituted, register=late if streams == 4 else None)
        if streams == 4:
            substituted = late(substituted, "beside_sums")
    return (late(mixed, "mixed"), late(substituted, "waiting")) if streams == 4 else (mixed, substituted)
