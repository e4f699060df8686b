# SPDX-License-Identifier: Apache-2.0
"""An AES encrypting pipeline that changes keys and key sizes without a lost cycle (gcm2008, section 4.2.2).

One pipeline of 14 rounds for all key sizes; blocks of shorter keys leave it after round 10 or 12.  The iterative schedule makes round key r
of a new key in the cycle in which the last block of the old key uses its own (Fig. 4.3), and takes its place: a front that moves through
the round keys beside the first block of the new key.  With one register a round::

    cycle          0            1             2            3
    key, key 0   new key ──▶  key 0        key 0        key 0         K'0 | K'0 | K'0
    key 1        old key 1    old key 1    key 1        key 1         K1  | K'1 | K'1
    key 2        old key 2    old key 2    old key 2    key 2         K2  | K2  | K'2
    block        last of the  first of                                (the front)
                 old key      the new key

Two collisions are to be avoided.  A block of a shorter key would meet blocks of a longer one at the output (Fig. 4.4).  ``delay``: it
waits, finished, in registers, and all sizes have the latency of the longest (Fig. 4.5, which has six registers; here four do, as those
of 192 bits are two of those of 128 bits)::

    round 10 ──▶ c ──▶ c ──▶┐ (128)
    round 12 ───────────────┴──▶ c ──▶ c ──▶┐ (128, 192)
    round 14 ───────────────────────────────┴──▶ o

``stall``: blocks wait at the input, 2 or 4 rounds, when a shorter key follows a longer one.  And a second front must not meet the first at
its source, the schedule: ``key_ready`` is low until the schedule has made the last round key.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.circuits.aes.encrypt_rounds import Travellers, collect, encrypt_rounds
from modeloom.circuits.aes.iterative_schedule import KeyWindow, rounds_of
from modeloom.circuits.aes.key_step import ALL, SIZE_CODES, check_sizes
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count
from modeloom.rtl.aes.rounds.round_stages import add

__all__ = ["COLLISIONS", "AESAgilePipeline"]

COLLISIONS = ("delay", "stall")
"""What is done about blocks of different key sizes that would leave in the same cycle."""


class AESAgilePipeline(wiring.Component):
    """AES encryption (FIPS 197, 5.1) with its key schedule: a block a cycle, a new key between any two blocks.

    Parameters
    ----------
    key_bits : int or str
        128, 192, 256, or "all": each key comes with its size.
    registers_per_round : int
        1 to 4, at the places of ``AESPipeline``'s.
    collision : str
        "delay" or "stall"; what "all" does about its key sizes.

    Attributes
    ----------
    rounds : int
        10, 12 or 14, of the longest key.
    latency : int
        rounds * registers_per_round + 1 cycles from a block to its result.  With "all" and "stall" it is that of the key's own rounds:
        ``latencies``, by key size.
    latencies : dict
        Key size in bits to latency.
    interval : int
        1: a block every cycle.
    key_interval : dict
        Key size in bits to cycles from a key of this size to the earliest next: its rounds * registers_per_round.  It is also the most
        that ``key_ready`` is low.
    stall : dict
        Pair of old and new key size to cycles in which no block is taken after the key; 0 unless "stall" and the new key is shorter.
    erase_latency : int
        1: the keys are gone in the cycle after ``erase``.
    flush_latency : int
        Cycles after ``erase`` from which no register holds anything that depends on a key or on a block of before.

    Members
    -------
    key, key_size, key_valid, key_ready
        A key is taken in a cycle with ``key_valid`` and ``key_ready`` high, for the blocks of all later cycles; a block of the same
        cycle still has the old one.  With "all", ``key_size`` is 0, 1 or 2 for 128, 192 or 256 bits; shorter keys are in the lower bits.
    i, i_valid, i_ready
        Blocks.  ``i_ready`` is low as long as there is no key, and while a shorter key stalls.
    o, o_valid
        Results in the order of the blocks; ``o`` is 0 if ``o_valid`` is low.  Nothing stalls them.
    erase
        Forgets the key and all blocks in flight, and a key or block that comes in the same cycle.  A new key overwrites the round keys
        that it has; of a longer one before it, the last round keys stay until there is a longer one again, or an erasure.

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
        """The schedule and the round keys, which it fills one after the other."""
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
        size: Value = self.key_size if several else Signal(2)
        # What is left in the window after the last step would be of no use: it goes.
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
        """Blocks are taken if there is a key, and no collision ahead."""
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
