# SPDX-License-Identifier: Apache-2.0
"""The unrolled AES key schedule.  It travels with the block, so each block may have its own key (gcm2008, section 4.2.2).

Each round has a step of ``key_step``, with registers between the steps.  With P registers in each round::

    cycle          1            1 + P          1 + 2P     ...     1 + n P
    key ──▶ reg ─┬──▶ step ──▶ reg ─┬──▶ step ──▶ reg ─┬── ...  ──▶ reg ──▶ key_n
                 └▶ key_0           └▶ key_1           └▶ key_2

With one register, the S-boxes and the XORs of a step are in one cycle.  With more, there is a register after the S-boxes.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.circuits.aes.encrypt_rounds import Travellers, collect, encrypt_rounds
from modeloom.rtl.aes.keys.key_step import ALL, SIZE_CODES, Phase, check_sizes, constant, expand, last_word, operand_register, phase
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, columns
from modeloom.rtl.aes.rounds.round_stages import add, register
from modeloom.rtl.aes.sboxes.sbox import sub_bytes

__all__ = ["AESUnrolledPipeline", "UnrolledKeySchedule"]


def _erasable(m: Module, value: Value, name: str, erase: Value) -> Value:
    """*value* a cycle later, or 0."""
    reg = Signal(len(value), name=name)
    with m.If(erase):
        m.d.sync += reg.eq(0)
    with m.Else():
        m.d.sync += reg.eq(value)
    return reg


class UnrolledKeySchedule(wiring.Component):
    """Computes all round keys of a new key in every cycle.

    Parameters
    ----------
    key_bits : int or str
        128, 192, 256, or "all": each key comes with its size.
    registers_per_round : int
        1 to 4.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key.
    latency : int
        1: ``key_r`` shows round key r of a key ``registers_per_round`` * r + 1 cycles after the key.
    interval : int
        1: one key in every cycle.
    erase_latency : int
        1: no register holds a part of a key in the cycle after ``erase``.

    Members
    -------
    key, key_size
        A key.  With "all", ``key_size`` is 0, 1 or 2 for 128, 192 or 256 bits; shorter keys are in the lower bits.
    erase
        Clears all registers.
    key_0, key_1, ...
        Round keys (128 bits), from registers.  Those after the last round key of a key are meaningless.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int | str = 128, registers_per_round: int = 1):
        self.sizes = check_sizes(key_bits)
        self.key_bits = key_bits
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, 4)
        self.rounds = ROUNDS[self.sizes[-1]]
        self.latency = self.interval = self.erase_latency = 1
        super().__init__({
            "key": In(self.sizes[-1]),
            **({"key_size": In(2)} if key_bits == ALL else {}),
            "erase": In(1),
            **{f"key_{r}": Out(BLOCK_BITS) for r in range(self.rounds + 1)},
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        several = len(self.sizes) > 1
        size: Value = self.key_size if several else Signal(2, name="key_size")
        # The values that travel: the window, the word for the S-boxes if it is not part of the window, and the size.
        own_operand = operand_register(self.sizes)
        window = columns(self.key)
        operand = last_word(self.key, self.sizes, size)
        substituted: Value
        for r in range(self.rounds + 1):
            delays = self.registers_per_round if r else 1
            for n in range(delays):
                # The step is before the last register of a round.  The S-boxes are one register earlier, if there is one.
                if r and n == max(0, delays - 2):
                    substituted = sub_bytes(m, operand)
                    if delays > 1:
                        substituted = _erasable(m, substituted, f"substituted_{r}_reg", self.erase)
                if r and n == delays - 1:
                    window, operand = self._step(m, window, substituted, size, r - 1)
                window = [_erasable(m, word, f"word_{r}_{n}_{k}_reg", self.erase) for k, word in enumerate(window)]
                operand = _erasable(m, operand, f"operand_{r}_{n}_reg", self.erase) if own_operand else window[-1]
                if several:
                    size = register(m, size, f"size_{r}_{n}")
            m.d.comb += getattr(self, f"key_{r}").eq(Cat(window[:4]))
        return m

    def _step(self, m: Module, window: list[Value], substituted: Value, size: Value, step: int) -> tuple[list[Value], Value]:
        if len(self.sizes) == 1:
            (bits,) = self.sizes
            is_192, is_256, now = bits == 192, bits == 256, phase(bits, step)
            rcon: Value | int = constant(bits, step)
        else:
            is_192, is_256 = size == SIZE_CODES[192], size == SIZE_CODES[256]
            third, odd = phase(192, step), phase(256, step)
            now = Phase(
                chained=is_192 if third.chained else False,
                middle=is_192 if third.middle else False,
                plain=is_256 if odd.plain else False,
            )
            rcon = Mux(is_192, constant(192, step), Mux(is_256, constant(256, step), constant(128, step)))
        made = expand(m, window, substituted, rcon, now, sizes=self.sizes, is_192=is_192, is_256=is_256)
        return list(made.window), made.operand


class AESUnrolledPipeline(wiring.Component):
    """AES encryption (FIPS 197, 5.1), one block per cycle, each with its own key.

    Parameters
    ----------
    key_bits : int or str
        128, 192, 256, or "all": each block comes with a key and its size.
    registers_per_round : int
        1 to 4.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key.
    latency : int
        rounds * registers_per_round + 2 cycles, for all key sizes.  A register before the whitening gives the schedule one cycle.
    interval : int
        1: one block and one key in every cycle.
    erase_latency : int
        1: no register holds a part of a key in the cycle after ``erase``.
    flush_latency : int
        Cycles after ``erase`` until no register depends on an earlier key or block.

    Members
    -------
    i, i_valid, key, key_size
        A block and its key.  With "all", ``key_size`` is 0, 1 or 2 for 128, 192 or 256 bits, and shorter keys are in the lower
        bits.
    o, o_valid
        Results; ``o`` is 0 if ``o_valid`` is low.
    erase
        Erases all keys and blocks in flight, and those of the same cycle.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int | str = 128, registers_per_round: int = 1):
        self.schedule = UnrolledKeySchedule(key_bits, registers_per_round)
        self.key_bits, self.sizes, self.rounds = key_bits, self.schedule.sizes, self.schedule.rounds
        self.registers_per_round = registers_per_round
        self.latency = self.rounds * registers_per_round + 2
        self.interval = self.erase_latency = 1
        self.flush_latency = self.latency
        super().__init__({
            "i": In(BLOCK_BITS),
            "i_valid": In(1),
            "key": In(self.sizes[-1]),
            **({"key_size": In(2)} if key_bits == ALL else {}),
            "o": Out(BLOCK_BITS),
            "o_valid": Out(1),
            "erase": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = self.schedule
        several = len(self.sizes) > 1
        m.d.comb += [schedule.key.eq(self.key), schedule.erase.eq(self.erase)]
        size: Value = Signal(2)
        if several:
            m.d.comb += schedule.key_size.eq(self.key_size)
            size = register(m, self.key_size, "size")
        taken_reg = Signal()
        m.d.sync += taken_reg.eq(self.i_valid & ~self.erase)
        stages = self.registers_per_round
        keys = [getattr(schedule, f"key_{r}") for r in range(self.rounds + 1)]
        beside = Travellers(m, taken_reg, size, self.latency - 2, several=several, erase=self.erase)
        whitened = add(register(m, self.i, "i"), keys[0])
        results = encrypt_rounds(m, whitened, keys, self.sizes, stages)
        o, o_valid = collect(m, results, beside, stages=stages, wait=True, erase=self.erase)
        m.d.comb += [self.o.eq(o), self.o_valid.eq(o_valid)]
        return m
