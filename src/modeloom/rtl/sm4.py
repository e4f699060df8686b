# SPDX-License-Identifier: Apache-2.0
"""SM4 pipelines: one block per cycle, fixed latency, round keys of several slots.

Byte 0 of a block is bits [7:0] of the signal.  With one register in each round::

    cycle      0               1           2                   33
    i, slot ──▶[operand reg]──▶ round 1 ──▶ round 2 ──▶ ... ──▶ o
                                ▲           ▲
                              rk_0        rk_1              (a decrypter: rk_31, rk_30, ..., rk_0)

Encryption and decryption use the same data path.  A round of a pipeline for both directions holds two keys.  The direction travels with
the block and selects one of them a cycle ahead.  The pipeline never stalls: no register of the data path has a clock enable or a reset.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.key_schedule import read_word, slotted_ports
from modeloom.rtl.aes.parameters import Direction, check_count, columns, joined, named, slot_shape
from modeloom.rtl.aes.sbox import look_up
from modeloom.spec.field import Field

__all__ = [
    "FIXED_PARAMETERS", "ROUNDS", "SBOX", "SM4KeySchedule", "SM4Pipeline", "SM4Sequential", "STAGES", "SYSTEM_PARAMETER",
    "block_of", "key_linear", "linear", "substitute", "words_of",
]  # fmt: skip

# -- round -----------------------------------------------------------------------------------------------------------------------------

# The parts of SM4: words, the S-box, and the linear maps.
#
# Byte 0 of a block is bits [7:0] of the signal.  The words of SM4 have their first byte in the highest bits.  Here each word is a signal of
# 32 bits with this order, so rotations are as in the standard::
#
#     block   bits   31:0        63:32       95:64       127:96
#             word   X_0         X_1         X_2         X_3
#     byte           0 1 2 3     4 5 6 7     ...
#     X_0     bits   31:24 23:16 15:8 7:0
#
# A round of one cycle, and the place of the second register in a round of two cycles::
#
#     X_{i+1} ⊕ X_{i+2} ⊕ X_{i+3} ⊕ rk_i ──▶ S-boxes ──[second register]──▶ L ──▶ ⊕ X_i ──[register]──▶ X_{i+4}
#
# The S-box is computed from its algebraic form, s(x) = A(1 / A(x)) with an affine map A and the field of x^8 + x^7 + x^6 + x^5 + x^4 + x^2
# + x + 1 (F. Liu et al., Analysis of the SMS4 block cipher, ACISP 2007).  ``modeloom_golden`` has the printed table of the standard.

ROUNDS = 32

SYSTEM_PARAMETER = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
"""FK, the system parameter that is added to the words of a key."""

FIXED_PARAMETERS = tuple(sum(7 * (4 * i + j) % 256 << 8 * (3 - j) for j in range(4)) for i in range(ROUNDS))
"""CK_i, the fixed parameters, one word for each round key."""

_FIELD = Field("SM4 S-box", 8, 0x1F5)
_ROW, _CONSTANT = 0xA7, 0xD3


def _affine(a: int) -> int:
    """A circulant matrix times a byte, plus a constant.  Bit i is the parity of the bits in row 0 rotated by i."""
    rows = ((_ROW << i | _ROW >> 8 - i) & 0xFF for i in range(8))
    return _CONSTANT ^ sum((row & a).bit_count() % 2 << i for i, row in enumerate(rows))


SBOX: tuple[int, ...] = tuple(_affine(_FIELD.power(_affine(x), 254)) for x in range(256))
"""The S-box for each byte.  a^254 is 1 / a, and 0 for 0."""


def _turned(word: Value) -> Value:
    return Cat(word[low : low + 8] for low in (24, 16, 8, 0))


def words_of(block: Value) -> list[Value]:
    """The four words of a block or key.  X_0 is the first."""
    return [_turned(block[low : low + WORD_BITS]) for low in range(0, 4 * WORD_BITS, WORD_BITS)]


def block_of(words: Sequence[Value]) -> Value:
    """The block of four words, in order."""
    return Cat(_turned(word) for word in words)


def substitute(m: Module, word: Value) -> Value:
    """τ: the S-box for each of four bytes.  It adds one asynchronous memory to *m*, with 32 LUT6 for each byte."""
    return look_up(m, [word[low : low + 8] for low in range(0, WORD_BITS, 8)], SBOX, "sm4_sbox")


def _rotations(word: Value, places: Sequence[int]) -> Value:
    total = word
    for places_left in places:
        total = total ^ word.rotate_left(places_left)
    return total


def linear(word: Value) -> Value:
    """L, the linear map of a round."""
    return _rotations(word, (2, 10, 18, 24))


def key_linear(word: Value) -> Value:
    """L', the linear map of the key schedule."""
    return _rotations(word, (13, 23))


# -- key schedule ------------------------------------------------------------------------------------------------------------------

# The SM4 key schedule (GB/T 32907-2016, 7.3), one round key per cycle.
#
# Four registers hold K_i ... K_{i+3} in cycle 1 + i after the start.  The last one is round key i - 1, which is written in this cycle:
#
#       K_i       K_{i+1}   K_{i+2}   K_{i+3} = rk_{i-1}
#     ┌─────┐    ┌─────┐   ┌─────┐   ┌─────┐
#     │  0  │◀───│  1  │◀──│  2  │◀──│  3  │◀── K_{i+4} = K_i ⊕ L'(τ(K_{i+1} ⊕ K_{i+2} ⊕ K_{i+3} ⊕ CK_i))
#     └─────┘    └─────┘   └─────┘   └─────┘
#
# Encrypters and decrypters have the same round keys.  A decrypter reads them in the opposite order.

KEY_BITS = 128
STEP = 28
"""Difference between each byte of CK_{i+1} and the same byte of CK_i, modulo 256."""


class SM4KeySchedule(wiring.Component):
    """Expands a key into a stream of round-key writes, or writes zeros over all round keys.

    Attributes
    ----------
    latency : int
        33 cycles from ``start`` to the last write.  Round key r is written r + 2 cycles after ``start``.
    interval : int
        34 cycles from one start to the earliest next start.
    erase_latency : int
        32 cycles from ``erase`` to the last write, with one write per cycle.

    Members
    -------
    start, key
        Expands ``key`` (128 bits), which is read only in this cycle.
    erase
        Writes zeros to all round keys.  It takes precedence over ``start`` in the same cycle.
    we, round, data, data_dec
        A write: number of the round key, 0 to 31, and its 32 bits, which are the same on both outputs.
    busy
        High from the cycle after a request to its last write, which ``done`` marks.  Meanwhile, requests are ignored.
    done
        High in the cycle of the last write.

    The component keeps no part of a key after ``done`` or a reset.
    """

    def __init__(self) -> None:
        self.latency, self.interval, self.erase_latency = ROUNDS + 1, ROUNDS + 2, ROUNDS
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(KEY_BITS),
            "we": Out(1),
            "round": Out(range(ROUNDS)),
            "data": Out(WORD_BITS),
            "data_dec": Out(WORD_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word_reg = [Signal(WORD_BITS, name=f"word_{n}_reg") for n in range(4)]
        fixed_reg = Signal(WORD_BITS, init=FIXED_PARAMETERS[0])
        busy_reg = Signal()
        erasing_reg = Signal()
        # There is no round key yet in the first cycle of an expansion.
        first_reg = Signal()
        round_reg = Signal(range(ROUNDS))
        m.d.comb += [
            self.busy.eq(busy_reg),
            self.we.eq(busy_reg & ~first_reg),
            self.done.eq(busy_reg & ~first_reg & (round_reg == ROUNDS - 1)),
            self.round.eq(round_reg),
            self.data.eq(word_reg[3]),
            self.data_dec.eq(word_reg[3]),
        ]
        total = named(m, "total", word_reg[1] ^ word_reg[2] ^ word_reg[3] ^ fixed_reg)
        new_word = named(m, "new_word", word_reg[0] ^ key_linear(substitute(m, total)))
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (*word_reg, busy_reg, erasing_reg, round_reg)]
            m.d.sync += fixed_reg.eq(FIXED_PARAMETERS[0])
        with m.Elif(busy_reg):
            m.d.sync += [first_reg.eq(0), round_reg.eq(Mux(first_reg, 0, round_reg + 1))]
            with m.If(~erasing_reg):
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, [*word_reg[1:], new_word], strict=True)]
                m.d.sync += fixed_reg.eq(Cat((byte + STEP)[:8] for byte in (fixed_reg[low : low + 8] for low in range(0, WORD_BITS, 8))))
        with m.Elif(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [busy_reg.eq(1), first_reg.eq(1)]
            m.d.sync += [reg.eq(word ^ fk) for reg, word, fk in zip(word_reg, words_of(self.key), SYSTEM_PARAMETER, strict=True)]
        return m


# -- pipeline --------------------------------------------------------------------------------------------------------------------------

# Sequential SM4 cores: one block at a time, with one or two cycles for each round.
#
# Byte 0 of a block is bits [7:0] of the signal.  With rounds of p cycles:
#
#     cycle        0      1        1 + p     ...   1 + 31 p    1 + 32 p
#     word_n_reg   -      i        round 1   ...   round 31    next block, if it came in cycle 32 p
#     key_reg      -      rk_0     rk_1      ...   rk_31                      (a decrypter: rk_31, ..., rk_0)
#     o                                                        result, until the next one
#
# The next block may come in the last cycle of the last round, which writes ``o``.  Encryption and decryption use the same data path.  The
# direction affects only the address of the round keys.

WORD_BITS = 32

STAGES = 2
"""Largest number of registers in a round: after the S-boxes and at the end."""


class SM4Pipeline(wiring.Component):
    """SM4 (GB/T 32907-2016, 7.1 or 7.2), one block per cycle.

    Parameters
    ----------
    direction : str
        "encrypt", "decrypt" or "both".
    registers_per_round : int
        1, or 2 with one after the S-boxes.
    slots : int
        Number of key slots, at least 1.  One slot is in registers.  Several slots are in LUT memories, one for each round.

    Attributes
    ----------
    latency : int
        32 * registers_per_round + 1: the result of a block given in cycle t is at ``o`` in cycle t + latency.
    interval : int
        1: one block in every cycle.

    Members
    -------
    i, slot, decrypt
        Block (128 bits), its key slot, and its direction (only with "both"), in every cycle.
    o
        Result (128 bits).
    key_we, key_slot, key_round, key_data
        Writes round key ``key_round`` (0 to 31, 32 bits) of a slot.  The writes come from ``SM4KeySchedule``.  A block in a later cycle
        uses the new key.  The keys of a slot must not change while its blocks are in flight.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, direction: str = "encrypt", registers_per_round: int = 1, slots: int = 1):
        self.direction = Direction.of(direction)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, STAGES)
        self.slots = check_count("slots", slots)
        self.latency = ROUNDS * registers_per_round + 1
        self.interval = 1
        super().__init__(slotted_ports(slots, range(ROUNDS), WORD_BITS) | self.direction.ports(decrypt=In(1)))

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def late(value: Value, name: str) -> Signal:
            reg = Signal(len(value), name=f"{name}_reg", reset_less=True)
            m.d.sync += reg.eq(value)
            return reg

        words: list[Value] = [late(word, f"operand_{n}") for n, word in enumerate(words_of(self.i))]
        # One cycle before the block, so that keys are read ahead.
        slot: Value = self.slot
        decrypts, several = self.direction.bit(self), len(self.direction.ways) > 1
        for number in range(ROUNDS):
            name = f"round_{number + 1}"
            keys = [
                self._round_key(m, ROUNDS - 1 - number if backward else number, "dec_" * n, slot, cycle=int(not several))
                for n, backward in enumerate(self.direction.ways)
            ]
            # Of two keys, one is selected a cycle ahead, so the logic of a round has no multiplexer.
            key = late(joined(decrypts, keys), f"{name}_key") if several else keys[0]
            first, *others = words
            substituted: Value = substitute(m, named(m, "total", others[0] ^ others[1] ^ others[2] ^ key))
            for cycle in range(self.registers_per_round if self.slots > 1 else 0):
                slot = late(slot, f"slot_{number * self.registers_per_round + cycle + 1}")
            for cycle in range(self.registers_per_round if several else 0):
                decrypts = late(decrypts, f"decrypt_{number * self.registers_per_round + cycle + 1}")
            if self.registers_per_round > 1:
                substituted = late(substituted, f"{name}_substituted")
                first, *others = [late(word, f"{name}_word_{n}") for n, word in enumerate((first, *others))]
            new = named(m, "new_word", first ^ linear(substituted))
            words = [*others, new]
            if number < ROUNDS - 1:
                words = [late(word, f"{name}_{n}") for n, word in enumerate(words)]
        # The registers have the order of the bits of the block, because ``equivalence.cores`` finds them in the netlist.
        m.d.comb += self.o.eq(Cat(late(column, f"o_{n}") for n, column in enumerate(columns(block_of(words[::-1])))))
        return m

    def _round_key(self, m: Module, index: int, form: str, slot: Value, cycle: int) -> Value:
        """A round key of a slot.  With several slots, it comes so many cycles later, 0 or 1."""
        write = Signal(name=f"write_{form}{index}")
        m.d.comb += write.eq(self.key_we & (self.key_round == index))
        if self.slots == 1:
            key_reg = Signal(WORD_BITS, name=f"key_{form}{index}_reg", reset_less=True)
            with m.If(write):
                m.d.sync += key_reg.eq(self.key_data)
            return key_reg
        return read_word(m, f"key_{form}{index}", self.slots, write, self.key_slot, self.key_data, slot, domain=("comb", "sync")[cycle])


# -- sequential --------------------------------------------------------------------------------------------------------------------

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
        self.direction = Direction.of(direction)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, STAGES)
        self.slots = check_count("slots", slots)
        self.interval = ROUNDS * registers_per_round
        self.latency = self.interval + 1
        super().__init__(slotted_ports(slots, range(ROUNDS), WORD_BITS, start=In(1)) | self.direction.ports(decrypt=In(1)))

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
        decrypts = self.direction.bit(self)
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
        turned = {"encrypt": place, "decrypt": ~place, "both": place ^ decrypts.replicate(len(self.key_round))}[self.direction]
        address = Cat(turned[: len(self.key_round)], slot if self.slots > 1 else Cat())
        write_at = Cat(self.key_round, self.key_slot if self.slots > 1 else Cat())
        key = read_word(m, "keys", ROUNDS * self.slots, self.key_we, write_at, self.key_data, address)
        key_reg = Signal(WORD_BITS, reset_less=True)
        with m.If(reads):
            m.d.sync += key_reg.eq(key)
        return key_reg
