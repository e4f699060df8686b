# SPDX-License-Identifier: Apache-2.0
"""One round of LED for up to three blocks at a time, with registers at places where they cost no LUT (luts2017, section 4.3 and Fig. 10).

With three streams, each register holds a different block, and every register follows a LUT::

           ┌──────────────────────────────────────────────────────────┐
           ▼                                                          │
    i, key, rc ──▶ state reg ──▶ S-boxes ──▶ reg ──▶ ShiftRows, MixColumnsSerial ──▶ reg ──(+) key ──▶ o reg
    stage   3          1                     2                                            3

    streams   registers at the end of stage
    1         3: the sum with key and constants
    2         1 (S-boxes), 3
    3         1, 2 (MixColumnsSerial), 3

With s streams and n rounds, a batch of s blocks enters in the cycles 0 ... s - 1 and leaves in the cycles n s + 1 ... (n + 1) s.  The next
batch enters while the last round of this batch ends, so s blocks take n s cycles.

The shift register of the round constants also counts the rounds.  A block enters with the constant of the first round.

The registers of the second and third stream stand behind S-boxes and sums, so they share pairs with LUTs that a core with one stream has,
too.  MixColumnsSerial is divided into LUTs by hand (``layers``), because a mapper would join it with other logic where no register forbids
that, and the numbers of LUTs could not be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.rounds import check_streams
from modeloom.rtl.logic import Sum, XorLuts

__all__ = [
    "BLOCK_BITS", "CELLS", "KEY_BITS", "LEDRounds", "SBOX", "STREAMS", "column_network", "constants_of_round", "mix_columns",
    "place", "round_constants", "sub_cells",
]  # fmt: skip

# The parts of a round of LED: the order of cells, S-boxes, ShiftRows, MixColumnsSerial, constants.
#
# Byte 0 of a block is bits [7:0] of the signal.  The first cell of the specification is the upper half of byte 0, and bit k of a cell is
# the coefficient of x^k in GF(2^4) modulo x^4 + x + 1:
#
#     bits   7:4  3:0   15:12  11:8   23:20  19:16  31:28  27:24   39:36 ...
#     cell   m_0  m_1   m_2    m_3    m_4    m_5    m_6    m_7     m_8   ...
#     row     0    0     0      0      1      1      1      1       2    ...
#
# MixColumnsSerial multiplies a column four times by A, whose last row is (4 1 2 2).  Each time, a new row follows the three lower ones:
#
#     n_0 = a_2 + b_0 + c_3 + d_3                          a b c d: the column from its first row on
#     n_1 = n_0 + a_3 + b_0 + b_1 + c_0 + d_0              n_0 has a_2 + c_3 + d_3, which n_1 needs
#     n_2 = a_0 + a_3 + b_2 + c_1 + d_1
#     n_3 = a_1 + b_3 + c_2 + d_2
#
# Each bit is a sum of at most six terms, so a column takes 16 LUT6: one LUT for each bit, and there is no smaller network.

BLOCK_BITS = 64
CELLS = 16
SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
"""SubCells, the S-box of PRESENT."""


def place(cell: int) -> int:
    """Number of the lowest bit of a cell in a block or key.  Cells are numbered as in the specification, row by row."""
    return 4 * (cell ^ 1)


def round_constants(rounds: int) -> list[int]:
    """rc of each round: six bits of a shift register with the feedback rc_5 + rc_4 + 1."""
    found, rc = [], 0
    for _ in range(rounds):
        rc = rc << 1 & 63 | (rc >> 5 ^ rc >> 4 ^ 1) & 1
        found.append(rc)
    return found


def constants_of_round(rc: Value) -> Value:
    """What AddConstants adds besides row numbers and key size: the halves of rc in the second column."""
    bits: list[Value] = [Const(0, 4)] * CELLS
    for row in range(4):
        bits[4 * row + 1] = Cat(rc[0:3] if row % 2 else rc[3:6], Const(0, 1))
    return Cat(bits[cell ^ 1] for cell in range(CELLS))


def sub_cells(state: Value, key_bits: int) -> Value:
    """SubCells.  The tables of the first column include what AddConstants always adds there: row number and key size."""
    result = []
    for at in range(CELLS):
        cell = at ^ 1
        row, column = divmod(cell, 4)
        added = (row ^ (key_bits >> 4 if row < 2 else key_bits & 15)) if column == 0 else 0
        address = state[place(cell) : place(cell) + 4]
        for k in range(4):
            truth = sum((SBOX[x ^ added] >> k & 1) << x for x in range(16))
            result.append(Const(truth, 16).bit_select(address, 1))
    return Cat(result)


def _bit(row: int, k: int) -> str:
    return f"i{row}_{k}" if row < 4 else f"o{row - 4}_{k}"


_INPUTS = tuple(_bit(row, k) for row in range(4) for k in range(4))
_OUTPUTS = tuple(_bit(row, k) for row in range(4, 8) for k in range(4))


@cache
def column_network(lut_inputs: int = 6) -> XorLuts:
    """MixColumnsSerial of a column: 16 LUTs with six inputs, or 24 with four.

    Row r, bit k is ``i{r}_{k}`` before and ``o{r}_{k}`` afterwards.
    """
    sums: dict[str, Sum] = {}
    for new in range(4, 8):
        a, b, c, d = (tuple(_bit(row, k) for k in range(4)) for row in range(new - 4, new))
        # The bits of d, and n_0, come last in longer sums.
        one: tuple[str, ...] = (a[3], b[0], b[1], c[0])
        two: tuple[str, ...] = (a[0], a[3], b[2], c[1])
        if lut_inputs == 4:
            sums |= {f"p{new}": Sum(one), f"q{new}": Sum(two)}
            one, two = (f"p{new}",), (f"q{new}",)
        sums[_bit(new, 0)] = Sum((a[2], b[0], c[3], d[3]))
        sums[_bit(new, 1)] = Sum((*one, _bit(new, 0), d[0]))
        sums[_bit(new, 2)] = Sum((*two, d[1]))
        sums[_bit(new, 3)] = Sum((a[1], b[3], c[2], d[2]))
    return XorLuts(_INPUTS, sums, _OUTPUTS, lut_inputs)


def mix_columns(m: Module, state: Value, lut_inputs: int = 6) -> Value:
    """ShiftRows and MixColumnsSerial, added to *m*."""
    network = column_network(lut_inputs)
    cells: list[Sequence[Value]] = [()] * CELLS
    for column in range(4):
        values: dict[str, Value] = {}
        for row in range(4):
            low = place(4 * row + (column + row) % 4)
            for k in range(4):
                bit = Signal(name=f"column_{column}_{row}_{k}")
                m.d.comb += bit.eq(state[low + k])
                values[_bit(row, k)] = bit
        outputs = network.lower(m, values)
        for row in range(4):
            cells[4 * row + column] = outputs[4 * row : 4 * row + 4]
    return Cat(Cat(cells[cell ^ 1]) for cell in range(CELLS))


# -- rounds ------------------------------------------------------------------------------------------------------------------------

STREAMS = {1: (), 2: ("substituted",), 3: ("substituted", "mixed")}
"""Possible numbers of blocks in a round, with what has registers before the sum."""

KEY_BITS = {64: 32, 128: 48}
"""Rounds for each size of a key."""


class LEDRounds(wiring.Component):
    """Encryption with LED (eprint 2012/600) for 1, 2 or 3 blocks at a time with one key.

    Parameters
    ----------
    key_bits : int
        64 (LED-64) or 128 (LED-128).
    streams : int
        1, 2 or 3: number of blocks in a batch, and of cycles in a round.
    lut_inputs : int
        6 or 4: inputs of the LUTs for which the sums are divided.

    Attributes
    ----------
    rounds : int
        32 or 48.
    latency : int
        rounds * streams + 1 cycles from a block to its result.
    interval : int
        rounds * streams: cycles from one batch to the earliest next batch.

    Members
    -------
    ready, start
        A batch begins in a cycle with both high.  Between batches, ``ready`` is high in one of ``streams`` cycles.
    i
        The blocks of the batch (64 bits): one in this cycle, and the others in the following cycles.
    key
        The key (``key_bits``), from the first cycle of the batch to the cycle before the last result.  It is not stored.  A batch that
        begins at the earliest has the same key as the one before it.
    o, valid
        A result, in the order of the blocks.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 64, streams: int = 3, lut_inputs: int = 6) -> None:
        if isinstance(key_bits, bool) or key_bits not in KEY_BITS:
            raise ValueError(f"key_bits must be 64 or 128, not {key_bits}")
        check_streams(streams, STREAMS)
        if lut_inputs not in (4, 6):
            raise ValueError(f"lut_inputs must be 4 or 6, not {lut_inputs}")
        self.key_bits, self.streams, self.lut_inputs, self.rounds = key_bits, streams, lut_inputs, KEY_BITS[key_bits]
        self.interval = self.rounds * streams
        self.latency = self.interval + 1
        super().__init__({"ready": Out(1), "start": In(1), "i": In(BLOCK_BITS), "key": In(key_bits), "o": Out(BLOCK_BITS), "valid": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams, registered, constants = self.streams, STREAMS[self.streams], round_constants(self.rounds)
        # For the block in stage 3: the constant that it gets next, and its stream, one-hot.
        rc_reg = Signal(6, init=constants[0])
        phase_reg = Signal(streams, init=1)
        # A block enters in stage 3.  It takes the place of one that leaves, if there was a batch (``ending_reg``).
        enter_reg = Signal(init=1)
        ending_reg = Signal()
        work_reg = Signal()
        valid_reg = Signal()
        goes_on = Signal()
        ends = Signal()
        m.d.comb += [
            self.ready.eq(enter_reg & phase_reg[0]),
            goes_on.eq(Mux(self.ready, self.start, work_reg)),
            ends.eq(rc_reg == constants[-1]),
            self.valid.eq(valid_reg),
        ]
        m.d.sync += [work_reg.eq(goes_on), valid_reg.eq(ending_reg)]
        added = self._subkey(m, phase_reg[-1] & goes_on)
        m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
        with m.If(phase_reg[-1]):
            m.d.sync += [enter_reg.eq(ends | ~goes_on), ending_reg.eq(ends)]
            with m.If(goes_on):
                feedback = ~(rc_reg[5] ^ rc_reg[4])
                m.d.sync += rc_reg.eq(Mux(ends, constants[0], Cat(feedback, rc_reg[:5])))

        def register(value: Value, name: str) -> Value:
            if name not in registered:
                return value
            stored = Signal(BLOCK_BITS, name=f"{name}_reg", reset_less=True)
            m.d.sync += stored.eq(value)
            return stored

        state_reg = Signal(BLOCK_BITS, reset_less=True)
        substituted = register(sub_cells(state_reg, self.key_bits), "substituted")
        mixed = register(mix_columns(m, substituted, self.lut_inputs), "mixed")
        summed = Signal(BLOCK_BITS)
        m.d.comb += summed.eq(mixed ^ added)
        if self.lut_inputs == 4 and self.key_bits > BLOCK_BITS:
            # A selection before the sum: four inputs, for which the first subkey must also be what is added to a block that enters.
            taken = Mux(enter_reg, self.i, mixed) ^ added
        else:
            # A selection after the sum, which is needed for the result as well.
            taken = Mux(enter_reg, self.i ^ self.key[:BLOCK_BITS], summed)
        m.d.sync += state_reg.eq(taken ^ constants_of_round(rc_reg))
        o_reg = Signal(BLOCK_BITS, reset_less=True)
        # The last sum has no constant.  With an even number of steps, its subkey is the first one again.
        with m.If(ending_reg):
            m.d.sync += o_reg.eq(summed)
        m.d.comb += self.o.eq(o_reg)
        return m

    def _subkey(self, m: Module, step: Value) -> Value:
        """What is added in stage 3: a subkey after every fourth round, and nothing after the others.

        Subkeys are the halves of the key in turn.  ``step`` is high in the last cycle of a round.
        """
        halves = self.key_bits // BLOCK_BITS
        # A ring with a place for each round until the first half comes again.  The number of rounds is a multiple of its length.
        ring_reg = Signal(4 * halves, init=1)
        with m.If(step):
            m.d.sync += ring_reg.eq(ring_reg.rotate_left(1))
        added: Value = Const(0, BLOCK_BITS)
        for half in range(halves):
            subkey = self.key[BLOCK_BITS * half : BLOCK_BITS * (half + 1)]
            added = added ^ (subkey & ring_reg[4 * half].replicate(BLOCK_BITS))
        return added
