# SPDX-License-Identifier: Apache-2.0
"""Sequential SM4 cores: one block at a time, with one or two cycles for each round.

Byte 0 of a block is bits [7:0] of the signal.  With rounds of p cycles::

    cycle        0      1        1 + p     ...   1 + 31 p    1 + 32 p
    word_n_reg   -      i        round 1   ...   round 31    next block, if it came in cycle 32 p
    key_reg      -      rk_0     rk_1      ...   rk_31                      (a decrypter: rk_31, ..., rk_0)
    o                                                        result, until the next one

The next block may come in the last cycle of the last round, which writes ``o``.  Encryption and decryption use the same data path.  The
direction affects only the address of the round keys.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.parameters import check_count, columns, named, slot_shape
from modeloom.rtl.sm4.pipeline import STAGES, check_direction
from modeloom.rtl.sm4.round import ROUNDS, block_of, linear, substitute, words_of

__all__ = ["SM4Sequential"]

BLOCK_BITS = 128
WORD_BITS = 32


class SM4Sequential(wiring.Component):
    """SM4 of one block (GB/T 32907-2016, 7.1 and 7.2).

    Parameters
    ----------
    direction : str
        "encrypt", "decrypt" or "both".
    registers_per_round : int
        Cycles for each round: 1, or 2 with a register after the S-boxes.
    slots : int
        Number of key slots, at least 1.

    Attributes
    ----------
    latency : int
        32 * registers_per_round + 1: a block started in cycle t is at ``o`` from cycle t + latency on.
    interval : int
        32 * registers_per_round: cycles from one start to the earliest next start.

    Members
    -------
    start, i, slot, decrypt
        Block (128 bits), key slot and direction (only with "both").  They are read in a cycle in which ``start`` is high.  A start less
        than ``interval`` cycles after the previous one is ignored.
    o
        Result (128 bits), held until the next one.
    key_we, key_slot, key_round, key_data
        Writes round key ``key_round`` (0 to 31, 32 bits) of a slot.  The writes come from ``SM4KeySchedule``.  The key is valid from the
        next cycle on.  The keys of a block must not change while the block is processed.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, direction: str = "encrypt", registers_per_round: int = 1, slots: int = 1):
        self.direction = check_direction(direction)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, STAGES)
        self.slots = check_count("slots", slots)
        self.interval = ROUNDS * registers_per_round
        self.latency = self.interval + 1
        ports: dict[str, Member] = {
            "i": In(BLOCK_BITS),
            "slot": In(slot_shape(slots)),
            "start": In(1),
            "o": Out(BLOCK_BITS),
            "key_we": In(1),
            "key_slot": In(slot_shape(slots)),
            "key_round": In(range(ROUNDS)),
            "key_data": In(WORD_BITS),
        }
        if direction == "both":
            ports["decrypt"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # A block may start if no block is processed, or in the last cycle of the last round.
        idle_reg = Signal(init=1)
        free_reg = Signal(init=1)
        # This cycle is known one cycle ahead, because it enables 128 registers.
        last_reg = Signal()
        round_reg = Signal(range(ROUNDS))
        ends = Signal()
        advances = Signal()
        if self.registers_per_round == 1:
            m.d.comb += [advances.eq(1), ends.eq(~idle_reg & (round_reg == ROUNDS - 2))]
        else:
            m.d.comb += ends.eq(~idle_reg & (round_reg == ROUNDS - 1) & ~advances)
            advances_reg = Signal()
            m.d.comb += advances.eq(advances_reg)
            m.d.sync += advances_reg.eq(~free_reg & ~advances_reg)
        m.d.sync += [last_reg.eq(ends), free_reg.eq(ends | (free_reg & ~self.start)), idle_reg.eq(free_reg & ~self.start)]
        slot_reg = Signal(slot_shape(self.slots), reset_less=True)
        decrypt_reg = Signal(reset_less=True)
        decrypts: Value = self.decrypt if self.direction == "both" else Signal(name="decrypt")
        with m.If(free_reg):
            m.d.sync += [round_reg.eq(0), slot_reg.eq(self.slot), decrypt_reg.eq(decrypts)]
        with m.Elif(advances):
            m.d.sync += round_reg.eq(round_reg + 1)

        # Keys are read in the cycle before the round that uses them.
        place, slot = Mux(free_reg, 0, round_reg + 1)[: len(round_reg)], Mux(free_reg, self.slot, slot_reg)
        key = self._round_key(m, place, slot, Mux(free_reg, decrypts, decrypt_reg), free_reg | advances)

        word_reg = [Signal(WORD_BITS, name=f"word_{n}_reg", reset_less=True) for n in range(4)]
        substituted = substitute(m, named(m, "total", word_reg[1] ^ word_reg[2] ^ word_reg[3] ^ key))
        if self.registers_per_round > 1:
            substituted_reg = Signal(WORD_BITS, reset_less=True)
            m.d.sync += substituted_reg.eq(substituted)
            substituted = substituted_reg
        after = [*word_reg[1:], named(m, "new_word", word_reg[0] ^ linear(substituted))]
        with m.If(free_reg):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, words_of(self.i), strict=True)]
        with m.Elif(advances):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, after, strict=True)]

        # The result stays until the next one, so the reset erases it.  Its registers have the order of the bits of the block, as in the
        # pipelines.
        o_reg = [Signal(WORD_BITS, name=f"o_{n}_reg") for n in range(4)]
        with m.If(last_reg):
            m.d.sync += [reg.eq(column) for reg, column in zip(o_reg, columns(block_of(after[::-1])), strict=True)]
        m.d.comb += self.o.eq(Cat(o_reg))
        return m

    def _round_key(self, m: Module, place: Value, slot: Value, decrypts: Value, reads: Value) -> Value:
        """The round key of step *place*, available from the next cycle on."""
        keys = memory.Memory(shape=WORD_BITS, depth=ROUNDS * self.slots, init=[], attrs={"ram_style": "distributed"})
        m.submodules.keys = keys
        write_port, read_port = keys.write_port(), keys.read_port(domain="comb")
        if self.direction == "both":
            place = place ^ decrypts.replicate(len(self.key_round))
        elif self.direction == "decrypt":
            place = ~place
        high = slot if self.slots > 1 else Cat()
        m.d.comb += [
            write_port.addr.eq(Cat(self.key_round, self.key_slot if self.slots > 1 else Cat())), write_port.data.eq(self.key_data),
            write_port.en.eq(self.key_we), read_port.addr.eq(Cat(place[: len(self.key_round)], high)),
        ]  # fmt: skip
        key_reg = Signal(WORD_BITS, reset_less=True)
        with m.If(reads):
            m.d.sync += key_reg.eq(read_port.data)
        return key_reg
