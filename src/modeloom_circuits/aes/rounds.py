# SPDX-License-Identifier: Apache-2.0
"""Rounds of AES by themselves: one of a pipeline, and one for several blocks."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.layers.both import add_in_luts
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, Direction, check_count, check_key_bits, choose, columns
from modeloom.rtl.aes.rounds import RoundStages, add, check_streams, hold_state, register, stream_round
from modeloom.rtl.counter import run_batches

__all__ = ["AESMultiStream", "AESRound"]


# One round of AES by itself, as in a pipeline, for measurements and comparisons.
#
#     i ──▶ SubBytes ──▶ ShiftRows ──▶ MixColumns ──(+)──▶ o        registers as in rtl.aes.rounds
#                                                    ▲
#     key, ``key_cycle`` cycles after i ─────────────┘              decrypt: the inverses

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
        self.direction = Direction.of(direction)
        self._parts = RoundStages(self.direction, max(1, stages), sbox, mixcolumns)
        if sbox == "bram" and not stages:
            raise ValueError("a block memory registers its address: sbox 'bram' needs at least one stage")
        self.stages, self.sbox, self.last = stages, sbox, last
        self._registered = stages > 0 and self._parts.registers_sums
        self.latency, self.interval = stages, 1
        self.key_cycle = stages - self._registered
        super().__init__({"i": In(BLOCK_BITS), "key": In(BLOCK_BITS), "o": Out(BLOCK_BITS), **self.direction.ports(decrypt=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def later(decrypt: Value) -> Value:
            late = Signal(name="decrypt_reg", reset_less=True)
            m.d.sync += late.eq(decrypt)
            return late

        state, way = self._parts.substitute(m, self.i, self.direction.bit(self), later=later)
        state = self._parts.finish(m, state, self.key) if self.last else self._parts.mix(m, state, way, self.key)
        m.d.comb += self.o.eq(register(m, state, "o") if self._registered else state)
        return m


# -- multistream -------------------------------------------------------------------------------------------------------------------

# One round of AES for several blocks at a time (luts2017, section 3.3).  ``stream_round`` has the registers of the round:
#
#             ┌──────────────────────────────────────────────────────────┐
#             ▼                                                          │
#     i, key_first, key ──▶ state reg ──▶ S-boxes ... MixColumns ──▶ mixed
#     stage     4                1         2, 3            └──▶ waiting ──(+) key ──▶ o
#
# With s streams and n rounds, a batch of s blocks enters in the cycles 0 ... s - 1 and leaves in the cycles n s + 1 ... (n + 1) s.
# The next batch enters while the last round of this batch ends, so the input needs no additional cycles: s blocks take n s cycles.

class AESMultiStream(wiring.Component):
    """AES for 1, 2 or 4 blocks at a time with one key.  The round keys come from outside.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    streams : int
        1, 2 or 4: number of blocks in a batch, and of cycles in a round.
    direction : str
        "encrypt" (FIPS 197, 5.1), "decrypt" (5.3.5, with its form of the round keys) or "both".

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * streams + 1 cycles from a block to its result.
    interval : int
        rounds * streams: cycles from one batch to the earliest next batch.

    Members
    -------
    ready, start
        A batch begins in a cycle with both high.
    i
        The blocks of the batch (128 bits): one in this cycle, and the others in the following cycles.
    decrypt
        Direction of the batch, with its first block.  It is there only with "both".
    key_first
        The round key before the first round (of an encrypter 0, of a decrypter the last one), with each block at ``i``.
    key_index, key
        Number of the round key (0 ... rounds, as in FIPS 197) that must be at ``key`` in the next cycle. A memory with a registered
        output fits in between. In cycles in which no round ends, ``key`` is not used.
    o, valid
        Results (128 bits) in the cycles with ``valid`` high; ``o`` keeps the last one.

    Raises
    ------
    TypeError
        *key_bits* is not an integer.
    ValueError
        A parameter has none of its possible values.
    """

    def __init__(self, key_bits: int = 128, streams: int = 4, direction: str = "encrypt"):
        self.key_bits = check_key_bits(key_bits)
        self.direction, self.streams = Direction.of(direction), check_streams(streams)
        self.rounds = ROUNDS[key_bits]
        self.interval = self.rounds * streams
        self.latency = self.interval + 1
        ports: dict[str, Member] = {
            "ready": Out(1),
            "start": In(1),
            "i": In(BLOCK_BITS),
            "key_first": In(BLOCK_BITS),
            "key_index": Out(4),
            "key": In(BLOCK_BITS),
            "o": Out(BLOCK_BITS),
            "valid": Out(1),
        }
        super().__init__({**ports, **self.direction.ports(decrypt=In(1))})

    def elaborate(self, platform: object) -> Module:
        """Makes the counter of rounds and streams, the direction of each block, the number of the next round key, the round with its
        registers, and the result of the last round."""
        m = Module()
        streams, rounds = self.streams, self.rounds
        # A block is in stage 4, or enters there.
        round_reg, phase_reg, enter_reg, ending_reg, takes = run_batches(
            m, self.ready, self.start, self.valid, streams=streams, rounds=rounds
        )

        following = Signal(4)
        m.d.comb += following.eq(Mux(phase_reg[-1], round_reg + 1, Mux(enter_reg, rounds, round_reg)))
        now, decrypt_reg = self.direction.held(m, self, takes)
        ways = [now, decrypt_reg]
        for n in range(1, streams):
            ways.append(self.direction.late(m, ways[-1], f"decrypt_{n}_reg"))
        # The direction of the block that will be in stage 4.
        m.d.comb += self.key_index.eq(self.direction.choose(ways[streams - 1], following, (rounds - following)[:4]))

        next_state = Signal(128)
        # In stage 4: the block that enters, or one whose direction was known in all stages before.
        state = hold_state(m, next_state, Mux(enter_reg, now, ways[-1]), "state", self.direction)
        mixed, waiting = stream_round(m, state, ways[1:], streams=streams, direction=self.direction)
        o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
        leaving = columns(add_in_luts(m, waiting, self.key))
        m.d.comb += next_state.eq(choose(enter_reg, add(self.i, self.key_first), add(mixed, self.key)))
        for n in range(4):
            with m.If(ending_reg):
                m.d.sync += o_reg[n].eq(leaving[n])
        m.d.comb += self.o.eq(Cat(o_reg))
        return m
