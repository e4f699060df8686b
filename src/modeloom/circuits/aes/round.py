# SPDX-License-Identifier: Apache-2.0
"""One round of AES by itself, as in a pipeline, for measurements and comparisons.

::

    i ──▶ SubBytes ──▶ ShiftRows ──▶ MixColumns ──(+)──▶ o        registers as in round_stages
                                                   ▲
    key, ``key_cycle`` cycles after i ─────────────┘              decrypt: the inverses
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.parameters import BLOCK_BITS, check_count
from modeloom.rtl.aes.rounds.round_stages import RoundStages, register

__all__ = ["AESRound"]


class AESRound(wiring.Component):
    """A round: SubBytes, ShiftRows, MixColumns, AddRoundKey (FIPS 197, 5.1), or one of the equivalent inverse cipher (5.3.5).

    Parameters
    ----------
    stages : int
        Registers, 0 to 4; 0 is combinational.
    direction : str
        "encrypt", "decrypt" or "both".
    sbox : str
        "lut" or "bram".  "bram" needs at least one register.
    mixcolumns : str
        "plain", or "lut6": partitioned by hand into LUTs of six inputs, together with the round key.
    last : bool
        Whether this is the last round, without MixColumns.

    Attributes
    ----------
    latency : int
        ``stages`` cycles from ``i`` to ``o``.
    interval : int
        1: one block in every cycle.
    key_cycle : int
        Cycles from a block to its round key.

    Members
    -------
    i, decrypt
        State (128 bits), and its direction with "both".
    key
        Round key, ``key_cycle`` cycles later.  A round for decryption takes it in the form for decryption.
    o
        The next state.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(
        self, stages: int = 1, direction: str = "encrypt", sbox: str = "lut", *, last: bool = False,
        mixcolumns: str = "plain",
    ):
        check_count("stages", stages, 0, 4)
        if not isinstance(last, bool):
            raise TypeError(f"last must be True or False, not {last!r}")
        self._parts = RoundStages(direction, max(1, stages), sbox, mixcolumns)
        if sbox == "bram" and not stages:
            raise ValueError("a block memory registers its address: sbox 'bram' needs at least one stage")
        self.stages, self.direction, self.sbox, self.last = stages, direction, sbox, last
        self._registered = stages > 0 and self._parts.registers_sums
        self.latency, self.interval = stages, 1
        self.key_cycle = stages - self._registered
        ports: dict[str, Member] = {"i": In(BLOCK_BITS), "key": In(BLOCK_BITS), "o": Out(BLOCK_BITS)}
        if direction == "both":
            ports["decrypt"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def later(decrypt: Value) -> Value:
            late = Signal(name="decrypt_reg", reset_less=True)
            m.d.sync += late.eq(decrypt)
            return late

        state, way = self._parts.substitute(m, self.i, self.decrypt if self.direction == "both" else Signal(name="decrypt"), later=later)
        state = self._parts.finish(m, state, self.key) if self.last else self._parts.mix(m, state, way, self.key)
        m.d.comb += self.o.eq(register(m, state, "o") if self._registered else state)
        return m
