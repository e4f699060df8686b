# SPDX-License-Identifier: Apache-2.0
"""Rounds of AES by themselves: one of a pipeline, and one for several blocks."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.layers.both import split_register
from modeloom.rtl.aes.layers.round_networks import add_in_luts
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns
from modeloom.rtl.aes.rounds.round_stages import STREAMS, RoundStages, add, check_streams, register, stream_round
from modeloom.spec.mode import DIRECTIONS

__all__ = ["STREAMS", "AESMultiStream", "AESRound"]


# One round of AES by itself, as in a pipeline, for measurements and comparisons.
#
#     i ──▶ SubBytes ──▶ ShiftRows ──▶ MixColumns ──(+)──▶ o        registers as in round_stages
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
        if direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")
        self.streams, self.direction = check_streams(streams), direction
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
        if direction == "both":
            ports["decrypt"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        """Makes the counter of rounds and streams, the direction of each block, the number of the next round key, the round with its
        registers, and the result of the last round."""
        m = Module()
        streams, rounds, both = self.streams, self.rounds, self.direction == "both"
        # The round of the block in stage 4 (0 for a block that enters), and its stream, one-hot.
        round_reg = Signal(4)
        phase_reg = Signal(streams, init=1)
        # Round 0 is also round n of the previous batch, if there is one (``ending_reg``).  A new batch is processed from its start
        # on.
        enter_reg = Signal(init=1)
        ending_reg = Signal()
        work_reg = Signal()
        valid_reg = Signal()
        decrypt_reg = Signal(reset_less=True)
        takes = Signal()
        goes_on = Signal()
        m.d.comb += [
            self.ready.eq(enter_reg & phase_reg[0]),
            takes.eq(self.ready & self.start),
            goes_on.eq(Mux(self.ready, self.start, work_reg)),
            self.valid.eq(valid_reg),
        ]
        m.d.sync += [work_reg.eq(goes_on), valid_reg.eq(ending_reg)]
        with m.If(goes_on | ending_reg):
            m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
            with m.If(phase_reg[-1]):
                ends = Signal()
                m.d.comb += ends.eq(round_reg == rounds - 1)
                m.d.sync += [round_reg.eq(Mux(ends | ~goes_on, 0, round_reg + 1)), enter_reg.eq(ends | ~goes_on), ending_reg.eq(ends)]

        following = Signal(4)
        m.d.comb += following.eq(Mux(phase_reg[-1], round_reg + 1, Mux(enter_reg, rounds, round_reg)))
        ways: list[Value] = [decrypt_reg]
        if both:
            with m.If(takes):
                m.d.sync += decrypt_reg.eq(self.decrypt)
            for n in range(1, streams):
                way_reg = Signal(name=f"decrypt_{n}_reg", reset_less=True)
                m.d.sync += way_reg.eq(ways[-1])
                ways.append(way_reg)
            # The direction of the block that will be in stage 4.
            backward = Mux(takes, self.decrypt, decrypt_reg) if streams == 1 else ways[streams - 2]
            m.d.comb += self.key_index.eq(Mux(backward, rounds - following, following))
        else:
            m.d.comb += self.key_index.eq(rounds - following if self.direction == "decrypt" else following)

        next_state = Signal(128)
        state: Value | tuple[Value, Value]
        if both:
            # In stage 4: the block that enters, or one whose direction was known in all stages before.
            way = Mux(enter_reg, Mux(takes, self.decrypt, decrypt_reg), ways[-1])
            state = split_register(m, next_state, way, "state")
        else:
            state = register(m, next_state, "state")
        mixed, waiting = stream_round(m, state, ways, streams=streams, direction=self.direction)
        o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
        entering, going = columns(add(self.i, self.key_first)), columns(add(mixed, self.key))
        leaving = columns(add_in_luts(m, waiting, self.key))
        m.d.comb += next_state.eq(Cat(Mux(enter_reg, new, old) for new, old in zip(entering, going, strict=True)))
        for n in range(4):
            with m.If(ending_reg):
                m.d.sync += o_reg[n].eq(leaving[n])
        m.d.comb += self.o.eq(Cat(o_reg))
        return m
