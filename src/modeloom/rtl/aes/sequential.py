# SPDX-License-Identifier: Apache-2.0
"""Sequential AES cores: one block at a time.  A round takes as many cycles as it has registers in a pipeline, or is serial.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state.  With n rounds of p cycles, and with the
round keys by their place (a decrypter has them in the opposite order)::

    cycle        0          1         1 + p     ...   1 + (n - 1) p   1 + n p
    state_reg    -       i ^ k_0    round 1     ...   round n - 1     next block, if it came in cycle n p
    o                                                                 result, until the next one

The registers of a round have no enable.  In the last cycle of a round, ``state_reg`` takes the sum with the round key.  The next block may
come in the last cycle of the last round, which writes ``o`` and not ``state_reg``.

A serial core has a data path of a column or of a byte.  A round has five places, each of one cycle or of four::

    place              0          1          2          3          4
    S-boxes         column 0   column 1   column 2   column 3      -          with a key schedule on the fly: its word
    MixColumns, key    -       column 0   column 1   column 2   column 3      of the same round
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from modeloom.rtl.aes.key_schedule import read_round_key, read_word, slotted_ports
from modeloom.rtl.aes.layers import (
    cut_both_mix_columns,
    inv_mix_columns,
    invert_bytes,
    join_mix_columns,
    lower_columns,
    map_after,
    mix_columns,
    plain_network,
    twice,
    undo_map,
)
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
from modeloom.rtl.aes.sbox import inv_sub_bytes, sub_bytes
from modeloom.spec.cadence import BATCH_LEAD

__all__ = ["PLACES", "WIDTHS", "AESSequential", "AESSerial", "SerialPlace", "serial_path"]

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


# -- serial --------------------------------------------------------------------------------------------------------------------------

# Round data paths of 32 and of 8 bits.  The order of bytes is that of ports: byte r of column c is byte r + 4c.
#
# With 32 bits, each row is a shift register without an enable.  In place t of a round, column j of the block before is in register
# 3 + t - j, and ShiftRows takes column t + r of row r: register 3 - r, or 7 - r from place 4 - r on.
#
# With 8 bits, the state is a memory of two blocks, one of which is read while the other one is written.  ShiftRows is the address.  With
# the byte s_k of a column, u = s_0 + s_1 + s_2 + s_3, and their order in time, MixColumns is (FIPS 197, 5.1.3 and 5.3.3)
#
#     s_k + u + 2 (s_k + s_{k+1})                                 and its inverse, in Horner's scheme,
#     s_k + u + 2 (s_k + s_{k+1} + 2 (s_k + s_{k+2} + 2 u))

PLACES = 5
"""Places of a round, which are cycles for a data path of 32 bits, and groups of four cycles for one of 8 bits."""

WIDTHS = (32, 8)
"""Widths of serial data paths in bits."""


@dataclass(frozen=True)
class SerialPlace:
    """Where a serial core is in a block.

    Attributes
    ----------
    place : Value
        0 to 4, the place in a round (3 bits).
    row : Value
        0 to 3, the byte of a column (2 bits).  Without meaning for 32 bits.
    odd : Value
        Bit 0 of the number of the round.  Without meaning for 32 bits.
    quiet : Value
        High in round 0 and without a block: MixColumns then gives zeros from the second cycle on.
    last : Value
        High in the last round.
    """

    place: Value
    row: Value
    odd: Value
    quiet: Value
    last: Value


Store = Callable[[Value, Value], Value]
"""Puts a sum into the state, or zeros if a second value is low, and gives the last 16 bytes."""


def serial_path(
    m: Module, bits: int, direction: Direction, way: Value, at: SerialPlace, addend: Value, busy: Value, word: Value | None = None
) -> tuple[Value, Value]:
    """The data path of a serial core, added to *m*: S-boxes, ShiftRows, MixColumns, and the sum with the round key.

    Parameters
    ----------
    m : Module
        Receives the logic.
    bits : int
        32 or 8.
    direction, way : Direction, Value
        Directions of the core, and that of the block, if there are two.
    at : SerialPlace
    addend : Value
        The part of the round key, in round 0 with that of the block, in the cycle of the sum (*bits*).
    busy : Value
        If it is low, the sum becomes zero.
    word : Value, optional
        What the S-boxes take in place 4, for a key schedule (*bits*).

    Returns
    -------
    tuple of Value
        The last 16 bytes that came out, the first one lowest, from the cycle after the last sum on (128 bits); and the output of the
        S-boxes (*bits*).
    """
    taken, store = (_rows if bits == 32 else _bytes)(m, direction, way, at, word)
    substituted = _substituted(m, taken, direction, way)
    first_reg = Signal(bits, name="substituted_reg")
    m.d.sync += first_reg.eq(substituted)
    with m.If(at.quiet):
        m.d.sync += first_reg.eq(0)
    kept, mixed = (_mixed_column if bits == 32 else _mixed_byte)(m, first_reg, direction, way, at)
    return store(named(m, "total", Mux(at.last, kept, mixed) ^ addend), busy), substituted


def _substituted(m: Module, state: Value, direction: Direction, way: Value) -> Value:
    """The S-boxes of some bytes.  Both directions share the inversion."""

    def both() -> Value:
        before = named(m, "before", Mux(way, undo_map(m, state), state))
        return map_after(m, invert_bytes(m, before, whole=True), way)

    forms: dict[str, Callable[[], Value]] = {
        "encrypt": lambda: sub_bytes(m, state, whole=True), "decrypt": lambda: inv_sub_bytes(m, state, whole=True), "both": both,
    }  # fmt: skip
    return forms[direction]()


def _rows(m: Module, direction: Direction, way: Value, at: SerialPlace, word: Value | None) -> tuple[Value, Store]:
    """A column behind ShiftRows from shift registers of the rows, or a word in place 4, and what puts columns into the registers."""
    # The registers of a row follow the column that goes into them.
    rows = [[Signal(8, name=f"row_{row}_{n}" + "_reg" * (n > 0)) for n in range(8 if row else 5)] for row in range(4)]
    # Mapping would make two S-boxes of one behind a multiplexer of two, so there is a register between them, for which the place before
    # chooses.  Beside a word, the multiplexer has more inputs, and S-boxes behind it remain whole.
    place, early = at.place, word is None
    late = {1: place[1], 2: place[0] | place[1], 3: ~place[2]} if early else {1: place[:2].all(), 2: place[1], 3: place[:2].any()}

    def taken(row: int, shift: int) -> Value:
        near = 4 - shift - early
        return Mux(late[shift], rows[row][near + 4], rows[row][near]) if shift else rows[row][near]

    def store(next_column: Value, busy: Value) -> Value:
        for row, registers in enumerate(rows):
            m.d.comb += registers[0].eq(next_column[8 * row : 8 * row + 8])
            m.d.sync += [after.eq(before) for before, after in zip(registers, registers[1:], strict=False)]
            with m.If(~busy):
                m.d.sync += registers[1].eq(0)
        return Cat(rows[row][4 - c] for c in range(4) for row in range(4))

    column = Cat(direction.choose(way, taken(row, row), taken(row, -row % 4)) for row in range(4))
    if word is not None:
        return Mux(place[2], word, column), store
    taken_reg = Signal(32)
    m.d.sync += taken_reg.eq(column)
    return taken_reg, store


def _bytes(m: Module, direction: Direction, way: Value, at: SerialPlace, word: Value | None) -> tuple[Value, Store]:
    """A byte behind ShiftRows from a memory, or a word in place 4, and what puts bytes into the memory."""
    column = named(m, "column", direction.choose(way, (at.place + at.row)[:2], (at.place - at.row)[:2]))
    write_at_reg = Signal(5, reset_less=True)
    m.d.sync += write_at_reg.eq(Cat(at.row, (at.place - 1)[:2], at.odd))
    byte = Signal(8)

    def store(next_byte: Value, busy: Value) -> Value:
        last = Signal(8, name="sum_reg")
        m.d.sync += last.eq(next_byte)
        with m.If(~busy):
            m.d.sync += last.eq(0)
        # Places without a byte write into a column that comes later in the round.
        m.d.comb += byte.eq(read_word(m, "state", 32, 1, write_at_reg, last, Cat(at.row, column, ~at.odd)))
        shift = [Signal(8, name=f"shift_{n}_reg") for n in range(15)]
        m.d.sync += [after.eq(before) for before, after in zip([last, *shift], shift, strict=False)]
        return Cat(*reversed(shift), last)

    return byte if word is None else Mux(at.place[2], word, byte), store


def _mixed_column(m: Module, column: Value, direction: Direction, way: Value, at: SerialPlace) -> tuple[Value, Value]:
    """A column, and MixColumns of it."""
    forms: dict[str, Callable[[], Value]] = {
        "encrypt": lambda: mix_columns(m, column), "decrypt": lambda: inv_mix_columns(m, column),
        "both": lambda: join_mix_columns(m, *cut_both_mix_columns(m, column, way)),
    }  # fmt: skip
    return column, forms[direction]()


def _mixed_byte(m: Module, byte: Value, direction: Direction, way: Value, at: SerialPlace) -> tuple[Value, Value]:
    """Each byte of a column three cycles later, and MixColumns of it."""

    def later(value: Value, name: str) -> Signal:
        late = Signal(8, name=name)
        m.d.sync += late.eq(value)
        with m.If(at.quiet):
            m.d.sync += late.eq(0)
        return late

    window = [byte]
    for n in range(3):
        window.append(later(window[-1], f"window_{n}_reg"))
    s = window[3]
    begins, ends = named(m, "begins", at.row == 0), named(m, "ends", at.row == 3)
    u, first_reg = Signal(8, name="u"), Signal(8, name="first_reg")
    m.d.comb += u.eq(Mux(begins, window[0] ^ window[1] ^ window[2] ^ s, later(u, "sum_of_column_reg")))
    with m.If(begins):
        m.d.sync += first_reg.eq(s)
    with m.If(at.quiet):
        m.d.sync += first_reg.eq(0)
    plain = named(m, "inner", s ^ Mux(ends, first_reg, window[2]))

    def inverse() -> Value:
        opposite = Signal(8)
        m.d.comb += opposite.eq(Mux(at.row[1], later(later(opposite, "opposite_0_reg"), "opposite_1_reg"), s ^ window[1]))
        return twice(m, opposite ^ twice(m, u)[:8])[:8]

    forms: dict[str, Callable[[], Value]] = {
        "encrypt": lambda: plain, "decrypt": lambda: named(m, "inner_inverse", plain ^ inverse()),
        "both": lambda: named(m, "inner_inverse", plain ^ Mux(way, inverse(), 0)),
    }  # fmt: skip
    inner = forms[direction]()
    return s, named(m, "mixed_byte", s ^ u ^ twice(m, inner)[:8])


class AESSerial(wiring.Component):
    """AES of one block (FIPS 197, 5.1; decryption: 5.3.5, the equivalent inverse cipher) with a data path of 32 or 8 bits.

    The round keys are in LUT memories, from which a multiplexer takes a word or a byte.  Writes and erasures come with 128 bits per cycle.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Number of key slots, at least 1.
    bits : int
        32 or 8, the width of the data path.
    direction : str
        "encrypt", "decrypt" or "both".
    batch : bool
        Whether ``batch`` starts the core, which is high two cycles before the block, in place of ``start``.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    interval : int
        Cycles from one start to the earliest next start: 5 * rounds + 5 with 32 bits, 20 * rounds + 17 with 8 bits.
    latency : int
        interval + 2: a block started in cycle t is at ``o`` from cycle t + latency on.

    Members
    -------
    start, i, slot, decrypt, o, key_we, key_slot, key_round, key_data, key_data_dec
        As those of :class:`AESSequential`.

    What is left of a block is overwritten within 40 cycles after its end or after a reset.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, slots: int = 1, *, bits: int = 32, direction: str = "encrypt", batch: bool = False):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        if bits not in WIDTHS:
            raise ValueError(f"bits must be 32 or 8, not {bits}")
        self.bits, self.direction = bits, Direction.of(direction)
        self.rounds = ROUNDS[key_bits]
        self.interval = (PLACES * (self.rounds + 1) - 1) * 32 // bits + 1
        self.latency = self.interval + 2
        super().__init__(
            slotted_ports(slots, 4, **{"batch" if batch else "start": In(1)})
            | self.direction.ports(decrypt=In(1), key_data_dec=In(BLOCK_BITS))
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # The places go on without a block and in a reset, so that zeros come to the whole state.
        place_reg, round_reg = Signal(3, reset_less=True, name="place_reg"), Signal(4, reset_less=True, name="round_reg")
        row_reg = Signal(2, name="row_reg", reset_less=True) if self.bits == 8 else Signal(2, name="row")
        busy_reg, done_reg = Signal(name="busy_reg"), Signal(name="done_reg")
        starts, ends, last, column_ends = Signal(name="starts"), Signal(name="ends"), Signal(name="last"), Signal(name="column_ends")
        start: Value = self.start if hasattr(self, "start") else self._after_batch(m)
        m.d.comb += [
            column_ends.eq(row_reg == 3 if self.bits == 8 else 1), last.eq(round_reg == self.rounds),
            ends.eq(busy_reg & last & place_reg[2] & column_ends), starts.eq(start & (ends | ~busy_reg)),
        ]
        m.d.sync += [done_reg.eq(ends), busy_reg.eq(starts | (busy_reg & ~ends))]
        if self.bits == 8:
            m.d.sync += row_reg.eq(row_reg + 1)
        with m.If(column_ends):
            m.d.sync += place_reg.eq(place_reg + 1)
            with m.If(place_reg[2]):
                m.d.sync += [place_reg.eq(0), round_reg.eq(round_reg + 1)]
        slot_reg = Signal(slot_shape(self.slots), reset_less=True)
        i_reg = Signal(BLOCK_BITS)
        with m.If(starts):
            # The cycle before the first sum, in which its part of the round key is read.
            m.d.sync += [place_reg.eq(0), round_reg.eq(0), slot_reg.eq(self.slot), i_reg.eq(self.i)]
            if self.bits == 8:
                m.d.sync += row_reg.eq(3)
        _, way = self.direction.held(m, self, starts)

        first = Signal()
        m.d.comb += first.eq(round_reg == 0)
        # The number of the next part of a block, and of a round key.
        part = place_reg[:2] if self.bits == 32 else named(m, "part", (Cat(row_reg, place_reg[:2]) - 3)[:4])
        i_part_reg, key_part_reg = Signal(self.bits, name="i_part_reg"), Signal(self.bits, name="key_part_reg")
        m.d.sync += i_part_reg.eq(i_reg.word_select(part, self.bits))
        with m.If(~(first & busy_reg)):
            m.d.sync += i_part_reg.eq(0)
        m.d.sync += key_part_reg.eq(self._key(m, Cat(round_reg, slot_reg), part, way))
        at = SerialPlace(place_reg, row_reg, round_reg[0], first | ~busy_reg, last)
        result, _ = serial_path(m, self.bits, self.direction, way, at, key_part_reg ^ i_part_reg, busy_reg)
        # The result stays until the next one, so the reset erases it.
        o_reg = Signal(BLOCK_BITS)
        with m.If(done_reg):
            m.d.sync += o_reg.eq(result)
        m.d.comb += self.o.eq(o_reg)
        return m

    def _after_batch(self, m: Module) -> Value:
        start: Value = self.batch
        for n in range(BATCH_LEAD):
            late = Signal(name=f"batch_{n}_reg")
            m.d.sync += late.eq(start)
            start = late
        return start

    def _key(self, m: Module, address: Value, part: Value, way: Value) -> Value:
        """A part of the round key at an address."""
        parts = []
        for form in self.direction.key_forms(self):
            write_at = Cat((self.rounds - self.key_round)[:4] if form.backward else self.key_round, self.key_slot)
            word = read_word(m, f"keys_{form.name}", 16 * self.slots, self.key_we, write_at, form.data, address)
            parts.append(named(m, f"key_part_{form.name}", word.word_select(part, self.bits)))
        return joined(way, parts)
