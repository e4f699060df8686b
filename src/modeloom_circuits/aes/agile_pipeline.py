# SPDX-License-Identifier: Apache-2.0
"""An AES encryption pipeline that changes keys and key sizes without losing a cycle (gcm2008, section 4.2.2).

One pipeline of 14 rounds serves all key sizes.  Blocks of shorter keys leave it after round 10 or 12.  The iterative schedule
computes round key r of a new key in the cycle in which the last block of the old key uses round key r of the old key (Fig. 4.3),
and then replaces it. A front moves through the round keys together with the first block of the new key.  With one register in each
round::

    cycle          0            1             2            3
    key, key 0   new key ──▶  key 0        key 0        key 0         K'0 | K'0 | K'0
    key 1        old key 1    old key 1    key 1        key 1         K1  | K'1 | K'1
    key 2        old key 2    old key 2    old key 2    key 2         K2  | K2  | K'2
    block        last of the  first of                                (the front)
                 old key      the new key

Two collisions must be avoided.  First, blocks of a shorter and of a longer key would collide at the output (Fig. 4.4).  With
``delay``, finished blocks wait in registers, and all sizes have the latency of the longest one.  Fig. 4.5 has six registers for
this.  Here four are enough, because blocks of 192-bit keys use two of the registers for 128-bit keys::

    round 10 ──▶ c ──▶ c ──▶┐ (128)
    round 12 ───────────────┴──▶ c ──▶ c ──▶┐ (128, 192)
    round 14 ───────────────────────────────┴──▶ o

With ``stall``, blocks wait at the input for 2 or 4 rounds when a shorter key follows a longer one.  Second, two fronts must not
collide at the schedule, so ``key_ready`` is low until the schedule has computed the last round key.

The unrolled AES key schedule.  It travels with the block, so each block may have its own key (gcm2008, section 4.2.2).

Each round has a step of ``KeyWindow``, with registers between the steps.  With P registers in each round::

    cycle          1            1 + P          1 + 2P     ...     1 + n P
    key ──▶ reg ─┬──▶ step ──▶ reg ─┬──▶ step ──▶ reg ─┬── ...  ──▶ reg ──▶ key_n
                 └▶ key_0           └▶ key_1           └▶ key_2

With one register, the S-boxes and the XORs of a step are in one cycle.  With more, there is a register after the S-boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.iterative_schedule import (
    ALL,
    SIZE_CODES,
    KeyWindow,
    Phase,
    check_sizes,
    constant,
    expand,
    last_word,
    operand_register,
    phase,
    rounds_of,
)
from modeloom.rtl.aes.layers import cut_mix_columns, join_mix_columns, shift_rows
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, columns
from modeloom.rtl.aes.rounds import add, register
from modeloom.rtl.aes.sbox import cut_sub_bytes, join_sub_bytes, quarter_of_bytes, sub_bytes

__all__ = ["COLLISIONS", "AESAgilePipeline", "AESUnrolledPipeline", "Travellers", "UnrolledKeySchedule", "collect", "encrypt_rounds"]


# The data path of an encryption pipeline for one or all key sizes: a sequence of rounds, with results after rounds 10, 12 and 14.
#
# With P registers in each round.  The cycles count from the one in which the whitened block enters its register:
#
#     cycle     0             P                 10 P                    12 P                   14 P
#     state ──▶ reg ──▶ round 1 reg ──▶ ... ──▶ round 10 reg ──▶ ... ──▶ round 12 reg ──▶ ... ──▶ round 14
#                                                └─ result 10             └─ result 12            └─ result 14
#
#     delay:    result 10 ──▶ 2P registers ──▶┐
#                                result 12 ───┴──▶ 2P registers ──▶┐
#                                                     result 14 ───┴──▶ o                 (gcm2008, Fig. 4.5)
#
# A result is a round without MixColumns, with its round key.  It has a separate XOR.  It shares the S-boxes and the key register with the
# normal round for longer keys, so no round key is stored twice.

class Travellers:
    """The control that travels with a block: whether there is a block, and the size of its key.

    Attributes
    ----------
    valid, size : list of values
        Item n belongs to the block of n cycles ago.
    """

    def __init__(self, m: Module, valid: Value, size: Value, cycles: int, *, several: bool, erase: Value):
        self.valid, self.size = [valid], [size]
        for n in range(1, cycles + 1):
            valid_reg = Signal(name=f"valid_{n}_reg")
            m.d.sync += valid_reg.eq(self.valid[-1] & ~erase)
            self.valid.append(valid_reg)
            if several:
                size_reg = Signal(2, name=f"size_{n}_reg", reset_less=True)
                m.d.sync += size_reg.eq(self.size[-1])
                self.size.append(size_reg)


def _round(m: Module, state: Value, number: int, stages: int, *, continues: bool, leaves: bool) -> tuple[Value, Value]:
    """A round without its key: the state for the next round, and the result."""
    if stages >= 4:
        quarters = [register(m, q, f"round_{number}_quarter_{n}") for n, q in enumerate(cut_sub_bytes(m, state))]
        state = join_sub_bytes(m, quarters, register(m, quarter_of_bytes(state), f"round_{number}_chosen"))
    else:
        state = sub_bytes(m, state)
    state = shift_rows(state)
    if stages >= 2:
        state = register(m, state, f"round_{number}_substituted")
    mixed = state
    if continues:
        u, v = cut_mix_columns(m, state)
        if stages >= 3:
            u, v = register(m, u, f"round_{number}_u"), register(m, v, f"round_{number}_v")
        mixed = join_mix_columns(m, u, v)
    if leaves and stages >= 3:
        state = register(m, state, f"round_{number}_waiting")
    return mixed, state


def encrypt_rounds(m: Module, whitened: Value, keys: Sequence[Value], sizes: Sequence[int], stages: int) -> dict[int, Value]:
    """The rounds, added to *m*.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    whitened
        Block with round key 0, before its register.
    keys : sequence of values
        ``keys[r]`` is the round key that a block uses *stages* * r cycles after whitening.  ``keys[0]`` is not used.
    sizes : sequence of int
        Key sizes.
    stages : int
        Registers in each round, 1 to 4.

    Returns
    -------
    dict
        For each key size, the unregistered result, *stages* * rounds cycles after the whitening.
    """
    last = {ROUNDS[bits]: bits for bits in sizes}
    rounds = max(last)
    results = {}
    state = register(m, whitened, "whitened")
    for number in range(1, rounds + 1):
        mixed, finished = _round(m, state, number, stages, continues=number < rounds, leaves=number in last)
        if number in last:
            results[last[number]] = add(finished, keys[number])
        if number < rounds:
            state = register(m, add(mixed, keys[number]), f"round_{number}")
    return results


def _choose(condition: Value, yes: Value, no: Value) -> Value:
    return Cat(Mux(condition, a, b) for a, b in zip(columns(yes), columns(no), strict=True))


def collect(
    m: Module, results: dict[int, Value], travellers: Travellers, *, stages: int, wait: bool, erase: Value
) -> tuple[Value, Value]:
    """Merges the results of the key sizes in an output register, which is 0 without a result, with a valid bit.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    results : dict
        From :func:`encrypt_rounds`.
    beside : Travellers
        From the cycle of whitening on.
    stages : int
        Registers a round.
    wait : bool
        Results of shorter keys wait until they have the latency of the longest key.  Otherwise they leave at once, and never two together.
    erase
        Nothing leaves.
    """
    *shorter, longest = results
    cycle = {bits: ROUNDS[bits] * stages for bits in results}
    result = results[longest]
    leaves = travellers.valid[cycle[longest]]
    if wait:
        result = results[next(iter(results))]
        for before, bits in pairwise(results):
            for n in range(cycle[before], cycle[bits]):
                result = register(m, result, f"waiting_{n}")
            result = _choose(travellers.size[cycle[bits]] == SIZE_CODES[bits], results[bits], result)
    elif shorter:
        here = {bits: Signal(name=f"leaves_{bits}") for bits in results}
        for bits, signal in here.items():
            m.d.comb += signal.eq(travellers.valid[cycle[bits]] & (travellers.size[cycle[bits]] == SIZE_CODES[bits]))
        leaves = Cat(here.values()).any()
        for bits in shorter:
            result = _choose(here[bits], results[bits], result)
    o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
    o_valid_reg = Signal()
    shown = Signal()
    m.d.comb += shown.eq(leaves & ~erase)
    m.d.sync += o_valid_reg.eq(shown)
    with m.If(shown):
        m.d.sync += [reg.eq(column) for reg, column in zip(o_reg, columns(result), strict=True)]
    with m.Else():
        m.d.sync += [reg.eq(0) for reg in o_reg]
    return Cat(o_reg), o_valid_reg


# -- unrolled schedule -------------------------------------------------------------------------------------------------------------

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
                linear=is_192 if third.linear else False,
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
        travellers = Travellers(m, taken_reg, size, self.latency - 2, several=several, erase=self.erase)
        whitened = add(register(m, self.i, "i"), keys[0])
        results = encrypt_rounds(m, whitened, keys, self.sizes, stages)
        o, o_valid = collect(m, results, travellers, stages=stages, wait=True, erase=self.erase)
        m.d.comb += [self.o.eq(o), self.o_valid.eq(o_valid)]
        return m


# -- agile pipeline ----------------------------------------------------------------------------------------------------------------

COLLISIONS = ("delay", "stall")
"""The ways to handle blocks of different key sizes that would leave in the same cycle."""


class AESAgilePipeline(wiring.Component):
    """AES encryption (FIPS 197, 5.1) with its key schedule: one block per cycle, and a new key between any two blocks.

    Parameters
    ----------
    key_bits : int or str
        128, 192, 256, or "all" if each key comes with its size.
    registers_per_round : int
        1 to 4, at the same places as in ``AESPipeline``.
    collision : str
        "delay" or "stall", for "all" key sizes.

    Attributes
    ----------
    rounds : int
        10, 12 or 14, of the longest key.
    latency : int
        rounds * registers_per_round + 1 cycles from a block to its result.  With "all" and "stall" it is that of the key's own
        rounds: ``latencies``, by key size.
    latencies : dict
        Key size in bits to latency.
    interval : int
        1: one block in every cycle.
    key_interval : dict
        For each key size in bits, the cycles from a key to the earliest next key: its rounds * registers_per_round.  It is also the
        most that ``key_ready`` is low.
    stall : dict
        For each pair of old and new key size, the cycles after the key in which no block is accepted.  It is 0, except with "stall"
        and a shorter new key.
    erase_latency : int
        1: the keys are gone in the cycle after ``erase``.
    flush_latency : int
        Cycles after ``erase`` until no register depends on an earlier key or block.

    Members
    -------
    key, key_size, key_valid, key_ready
        A key is accepted in a cycle in which ``key_valid`` and ``key_ready`` are high.  It applies to the blocks of all later
        cycles, and a block of the same cycle uses the old key.  With "all", ``key_size`` is 0, 1 or 2 for 128, 192 or 256 bits, and
        shorter keys use the lower bits.
    i, i_valid, i_ready
        Blocks.  ``i_ready`` is low while there is no key, and while a shorter key stalls.
    o, o_valid
        Results in the order of the blocks.  ``o`` is 0 if ``o_valid`` is low.  The results cannot be stalled.
    erase
        Erases the key and all blocks in flight, and ignores a key or block in the same cycle.  A new key overwrites as many round
        keys as it has.  If the previous key was longer, its last round keys stay until a longer key or an erasure.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int | str = 128, registers_per_round: int = 1, collision: str = "delay"):
        self.sizes = check_sizes(key_bits)
        self.key_bits = key_bits
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, 4)
        if collision not in COLLISIONS:
            raise ValueError(f"collision must be one of {', '.join(COLLISIONS)}, not {collision!r}")
        self.collision = collision
        self.rounds = ROUNDS[self.sizes[-1]]
        self.latency = self.rounds * registers_per_round + 1
        self.latencies = {bits: self.latency if collision == "delay" else ROUNDS[bits] * registers_per_round + 1 for bits in self.sizes}
        self.interval = 1
        self.key_interval = {bits: ROUNDS[bits] * registers_per_round for bits in self.sizes}
        self.stall = {(old, new): max(0, self.latencies[old] - self.latencies[new]) for old in self.sizes for new in self.sizes}
        self.erase_latency = 1
        self.flush_latency = self.latency
        super().__init__({
            "key": In(self.sizes[-1]),
            **({"key_size": In(2)} if key_bits == ALL else {}),
            "key_valid": In(1),
            "key_ready": Out(1),
            "i": In(BLOCK_BITS),
            "i_valid": In(1),
            "i_ready": Out(1),
            "o": Out(BLOCK_BITS),
            "o_valid": Out(1),
            "erase": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        several = len(self.sizes) > 1
        size_reg = Signal(2)
        load = Signal()
        keys = self._keys(m, load)
        if several:
            with m.If(load):
                m.d.sync += size_reg.eq(self.key_size)

        taken = Signal()
        m.d.comb += taken.eq(self.i_valid & self.i_ready)
        self._admission(m, load, size_reg)

        travellers = Travellers(m, taken, size_reg, self.latency - 1, several=several, erase=self.erase)
        stages = self.registers_per_round
        results = encrypt_rounds(m, add(self.i, keys[0]), keys, self.sizes, stages)
        o, o_valid = collect(m, results, travellers, stages=stages, wait=self.collision == "delay", erase=self.erase)
        m.d.comb += [self.o.eq(o), self.o_valid.eq(o_valid)]
        return m

    def _keys(self, m: Module, load: Value) -> list[Value]:
        """The schedule, and the round keys, which it writes one after another."""
        stages = self.registers_per_round
        several = len(self.sizes) > 1
        busy_reg = Signal()
        # The round key in the window, and the last one of this key.
        round_reg = Signal(4)
        last_reg = Signal(4, init=ROUNDS[self.sizes[0]] - 1)
        step = Signal()
        m.d.comb += step.eq(busy_reg)
        if stages > 1:
            wait_reg = Signal(stages - 1)
            m.d.comb += step.eq(busy_reg & wait_reg[-1])
            m.d.sync += wait_reg.eq(Mux(load | step | ~busy_reg, 0, wait_reg << 1 | 1))
        final = Signal()
        m.d.comb += [
            final.eq(step & (round_reg == (last_reg if several else self.rounds - 1))),
            self.key_ready.eq(~busy_reg | final),
            load.eq(self.key_valid & self.key_ready & ~self.erase),
        ]
        size: Value = self.key_size if several else Signal(2, name="key_size")
        # The rest of the window after the last step is useless, so it is cleared.
        window = KeyWindow(
            m, self.sizes, load=load, key=self.key, size=size, step=step, clear=self.erase | (final & ~load), slow=stages > 1
        )
        with m.If(self.erase | (final & ~load)):
            m.d.sync += [busy_reg.eq(0), round_reg.eq(0)]
        with m.Elif(load):
            m.d.sync += [busy_reg.eq(1), round_reg.eq(0)]
            if several:
                m.d.sync += last_reg.eq(rounds_of(self.sizes, size) - 1)
        with m.Elif(step):
            m.d.sync += round_reg.eq(round_reg + 1)

        keys: list[Value] = []
        for number in range(self.rounds + 1):
            key_reg = Signal(BLOCK_BITS, name=f"key_{number}_reg")
            with m.If(self.erase):
                m.d.sync += key_reg.eq(0)
            with m.Elif(step & (round_reg == number - 1) if number else load):
                m.d.sync += key_reg.eq(window.next_key if number else self.key[:BLOCK_BITS])
            keys.append(key_reg)
        return keys

    def _admission(self, m: Module, load: Value, size_reg: Value) -> None:
        """Blocks are accepted if there is a key and no collision would follow."""
        open_reg = Signal()
        with m.If(self.erase):
            m.d.sync += open_reg.eq(0)
        with m.Elif(load):
            m.d.sync += open_reg.eq(1)
        m.d.comb += self.i_ready.eq(open_reg)
        if len(self.sizes) > 1 and self.collision == "stall":
            stall_reg = Signal(range(max(self.stall.values()) + 1))
            with m.If(self.erase):
                m.d.sync += stall_reg.eq(0)
            with m.Elif(load):
                # From no key at all, a reset size counts as the shortest.
                m.d.sync += stall_reg.eq(0)
                for (old, new), cycles in self.stall.items():
                    if cycles:
                        with m.If((size_reg == SIZE_CODES[old]) & (self.key_size == SIZE_CODES[new])):
                            m.d.sync += stall_reg.eq(cycles)
            with m.Elif(stall_reg != 0):
                m.d.sync += stall_reg.eq(stall_reg - 1)
            m.d.comb += self.i_ready.eq(open_reg & (stall_reg == 0))
