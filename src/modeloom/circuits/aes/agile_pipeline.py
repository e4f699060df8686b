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
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.circuits.aes.encrypt_rounds import Travellers, collect, encrypt_rounds
from modeloom.rtl.aes.keys.iterative_schedule import KeyWindow, rounds_of
from modeloom.rtl.aes.keys.key_step import ALL, SIZE_CODES, check_sizes
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count
from modeloom.rtl.aes.rounds.round_stages import add

__all__ = ["COLLISIONS", "AESAgilePipeline"]

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
        self.latencies = {
            bits: self.latency if collision == "delay" else ROUNDS[bits] * registers_per_round + 1 for bits in self.sizes
        }
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

        beside = Travellers(m, taken, size_reg, self.latency - 1, several=several, erase=self.erase)
        stages = self.registers_per_round
        results = encrypt_rounds(m, add(self.i, keys[0]), keys, self.sizes, stages)
        o, o_valid = collect(m, results, beside, stages=stages, wait=self.collision == "delay", erase=self.erase)
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
