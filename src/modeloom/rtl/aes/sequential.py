# SPDX-License-Identifier: Apache-2.0
"""Sequential AES cores: one block at a time.  A round takes as many cycles as it has registers in a pipeline.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state.  With n rounds of p cycles, and with the
round keys by their place (a decrypter has them in the opposite order)::

    cycle        0          1         1 + p     ...   1 + (n - 1) p   1 + n p
    state_reg    -       i ^ k_0    round 1     ...   round n - 1     next block, if it came in cycle n p
    o                                                                 result, until the next one

The registers of a round have no enable.  In the last cycle of a round, ``state_reg`` takes the sum with the round key.  The next block may
come in the last cycle of the last round, which writes ``o`` and not ``state_reg``.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from modeloom.rtl.aes.key_schedule import read_round_key, read_word, slotted_ports
from modeloom.rtl.aes.layers import lower_columns, plain_network
from modeloom.rtl.aes.parameters import (
    BLOCK_BITS,
    ROUNDS,
    Direction,
    KeyForm,
    check_count,
    check_key_bits,
    columns,
    joined,
    named,
    slot_shape,
)
from modeloom.rtl.aes.rounds import RoundStages, add, register, table_round

__all__ = ["AESSequential"]

class AESSequential(wiring.Component):
    """AES of one block (FIPS 197, 5.1; decryption: 5.3.5, the equivalent inverse cipher).

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Number of key slots, at least 1.
    registers_per_round : int
        Cycles for each round, 1 to 4.  ``rtl.aes.rounds`` has the places of the registers.
    direction : str
        "encrypt", "decrypt" or "both".
    sbox : str
        "lut"; "bram"; or "table": S-box and MixColumns together in block memories (see ``tables``), with 1 or 2 cycles for each round.
    mixcolumns : str
        "plain", or "lut6": partitioned by hand into LUTs of six inputs.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * registers_per_round + 1: a block started in cycle t is at ``o`` from cycle t + latency on.
    interval : int
        rounds * registers_per_round: cycles from one start to the earliest next start.

    Members
    -------
    start, i, slot, decrypt
        Block (128 bits), key slot and direction (only with "both"). They are read in a cycle in which ``start`` is high. A start less than
        ``interval`` cycles after the previous one is ignored.
    o
        Result (128 bits), held until the next one.
    key_we, key_slot, key_round, key_data, key_data_dec
        Writes round key ``key_round`` (0 is the cipher key's first block, as in FIPS 197) of a slot: ``KeySchedule.data`` for an
        encrypter, ``data_dec`` for a decrypter at ``key_data``, both for both. It holds from the next cycle on. Keys of a block at work
        must not change.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(
        self, key_bits: int = 128, slots: int = 1, registers_per_round: int = 1, *, direction: str = "encrypt", sbox: str = "lut",
        mixcolumns: str = "plain",
    ):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        self.direction = Direction.of(direction)
        self._stages = RoundStages(self.direction, registers_per_round, "bram" if sbox == "table" else sbox, mixcolumns)
        if sbox == "table":
            check_count("registers_per_round of sbox 'table'", registers_per_round, 1, 2)
        self.registers_per_round, self.sbox, self.mixcolumns = registers_per_round, sbox, mixcolumns
        self.rounds = ROUNDS[key_bits]
        self.interval = self.rounds * registers_per_round
        self.latency = self.interval + 1
        super().__init__(slotted_ports(slots, 4, start=In(1)) | self.direction.ports(decrypt=In(1), key_data_dec=In(BLOCK_BITS)))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rounds, cycles = self.rounds, self.registers_per_round
        # A block may start if no block is processed, or in the last cycle of the last round.
        idle_reg = Signal(init=1)
        free_reg = Signal(init=1)
        # This cycle is known one cycle ahead, because it enables 128 registers.
        last_reg = Signal()
        round_reg = Signal(4)
        phase_reg = Signal(cycles, init=1)
        slot_reg = Signal(slot_shape(self.slots), reset_less=True)
        ends = Signal()
        before_last = (round_reg == rounds - 1) if cycles == 1 else (round_reg == rounds) & phase_reg[-2]
        m.d.comb += ends.eq(~idle_reg & before_last)
        m.d.sync += [last_reg.eq(ends), free_reg.eq(ends | (free_reg & ~self.start)), idle_reg.eq(free_reg & ~self.start)]
        with m.If(free_reg):
            m.d.sync += [round_reg.eq(1), phase_reg.eq(1), slot_reg.eq(self.slot)]
        with m.Else():
            m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
            with m.If(phase_reg[-1]):
                m.d.sync += round_reg.eq(round_reg + 1)

        way, decrypt_reg = self.direction.held(m, self, free_reg)
        if cycles == 1:
            # Keys are read in the cycle before they are used.  The first key is read in the cycle that takes the block.
            place = Mux(free_reg, 1, round_reg + 1)
            slot, decrypt = Mux(free_reg, self.slot, slot_reg), way
        else:
            place, slot, decrypt = round_reg, slot_reg, decrypt_reg
        key = self._keys(m, named(m, "key_place", Cat(place[:4], slot)), decrypt)
        whitened = named(m, "whitened", add(self.i, self._first_key(m)))

        next_state = [Signal(32, name=f"next_state_column_{c}") for c in range(4)]
        result, mixed = self._round(m, Cat(next_state), decrypt_reg, way, round_reg, key)
        for next_c, whitened_c, mixed_c in zip(next_state, columns(whitened), columns(mixed), strict=True):
            m.d.comb += next_c.eq(Mux(free_reg, whitened_c, mixed_c))

        # The result stays until the next one, so the reset erases it.
        o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
        with m.If(last_reg):
            m.d.sync += [reg.eq(column) for reg, column in zip(o_reg, columns(result), strict=True)]
        m.d.comb += self.o.eq(Cat(o_reg))
        return m

    def _round(
        self, m: Module, state: Value, decrypt: Value, next_decrypt: Value, number: Value, key: Value
    ) -> tuple[Value, Value]:
        """The results of the last round and of another round for a state."""
        if self.sbox == "table":
            mixed = table_round(m, state, next_decrypt, number == self.rounds - 1, self.direction, self.registers_per_round)
            return (add(mixed, key),) * 2
        if self._stages.registers_sums:
            state, next_decrypt = self._stages.hold(m, state, next_decrypt, "state"), decrypt
        state, _ = self._stages.substitute(m, state, next_decrypt)
        if self.mixcolumns == "lut6":
            # The key fits into the LUT of the multiplexer that follows.
            def late(value: Value, term: str) -> Value:
                return register(m, value, term)

            cut = late if self.registers_per_round >= 3 else None
            mixed = add(lower_columns(m, plain_network(self.direction), state, gate=decrypt, register=cut), key)
        else:
            mixed = self._stages.mix(m, state, decrypt, key)
        return self._stages.finish(m, state, key), mixed

    def _first_key(self, m: Module) -> Value:
        """The round key for the block at the input."""

        def stored(form: KeyForm) -> Value:
            number = self.rounds if form.backward else 0
            write = Signal(name=f"write_{form.prefix}{number}")
            m.d.comb += write.eq(self.key_we & (self.key_round == number))
            return read_round_key(
                m, write, self.key_slot, form.data, slots=self.slots, travel=[self.slot], cycle=0, index=f"{form.prefix}{number}"
            )

        forms = self.direction.key_forms(self)
        return joined(self.direction.bit(self), [stored(form) for form in forms[::-1]][::-1])

    def _keys(self, m: Module, address: Value, decrypt: Value) -> Value:
        """The round key of a place (1 to rounds) and slot, in the next cycle."""
        outputs = []
        for form in self.direction.key_forms(self):
            write_at = Cat((self.rounds - self.key_round)[:4] if form.backward else self.key_round, self.key_slot)
            outputs.append(read_word(m, f"keys_{form.name}", 16 * self.slots, self.key_we, write_at, form.data, address))
        return register(m, joined(decrypt, outputs), "key")
