# SPDX-License-Identifier: Apache-2.0
"""Round keys that circulate in shift registers, for round cores that encrypt or decrypt.  Each key is expanded once.

The ring is as long as the number of rounds.  One SRL16E holds one bit of each round key (luts2017, section 2.3, uses shift
registers for round keys).  There is no address, and no logic except the multiplexer at the entry::

              ┌───────────────────────────────────────────────┐
              ▼                                               │
    step ──▶ mux ──▶ shift register of n words, enable ───────┴──▶ data      round keys 1, 2, ... n, 1, ...
    InvMix                                                                   (decrypting: n - 1, ..., 1, 0, n - 1, ...)
                     first: round key 0 (decrypting: n), which whitens the block

A decrypter needs the round keys in the reverse order of the schedule.  In the turning ring, a word that enters n - 1 cycles after
another one is placed before it.  The schedule therefore makes a step every n - 1 cycles, and this is sufficient.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.iterative_schedule import KeyWindow
from modeloom.rtl.aes.layers.mixcolumns import inv_mix_columns
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_key_bits, columns, named

__all__ = ["KeyRing"]


class KeyRing(wiring.Component):
    """Iterative schedule with its round keys in a ring.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    inverse : bool
        Whether to give the round keys of the equivalent inverse cipher, with the last one first.

    Attributes
    ----------
    rounds : int
        n: 10, 12 or 14.
    latency : int
        Cycles from ``start`` to the first in which ``first`` and ``data`` are right.  There are n + 1, or n * (n - 1) + 2 with
        *inverse* (92, 134, 184).
    interval : int
        The same number.  A key may come in the cycle in which the previous key is ready.  If the ring then turns in every cycle, it
        shows all round keys of the previous key while those of the new key enter.
    erase_latency : int
        n + 1 cycles from ``erase`` to the first in which nothing is left of a key.

    Members
    -------
    start, key
        Takes a key; ignored while ``busy`` is high.
    erase
        Overwrites everything with zeros.  It takes precedence over ``start`` and ends an expansion.
    busy
        High from the cycle after a request until the ring is ready.
    first
        The round key that whitens a block (128 bits).
    data
        The round key of the round.
    advance
        Turns the ring to the next round.  After the last round comes the first.  For N streams, it is high in every N-th cycle.
        Ignored while ``busy`` is high.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, *, inverse: bool = False):
        self.key_bits = check_key_bits(key_bits)
        if not isinstance(inverse, bool):
            raise TypeError(f"inverse must be True or False, not {inverse!r}")
        self.inverse = inverse
        self.rounds = n = ROUNDS[key_bits]
        self.latency = self.interval = n * (n - 1) + 2 if inverse else n + 1
        self.erase_latency = n + 1
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(key_bits),
            "busy": Out(1),
            "first": Out(BLOCK_BITS),
            "data": Out(BLOCK_BITS),
            "advance": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        """Makes the window that computes a round key in each cycle, the round key with which blocks begin, and the ring of the others."""
        m = Module()
        n = self.rounds
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(4)  # the round key in the window
        wait_reg = Signal(range(n))
        load = Signal()
        step = Signal()
        done = Signal()
        m.d.comb += [load.eq(self.start & ~busy_reg & ~self.erase), self.busy.eq(busy_reg)]
        clear = self.erase | done
        window = KeyWindow(m, (self.key_bits,), load=load, key=self.key, size=Signal(2, name="key_size"), step=step, clear=clear)
        m.d.comb += step.eq(busy_reg & ~erasing_reg & ((wait_reg == 0) if self.inverse else 1))
        with m.If(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1), round_reg.eq(0), wait_reg.eq(0)]
        with m.Elif(load):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(0), round_reg.eq(0), wait_reg.eq(0)]
        with m.Elif(done):
            m.d.sync += [busy_reg.eq(0), erasing_reg.eq(0)]
        with m.Elif(busy_reg):
            if self.inverse:
                m.d.sync += wait_reg.eq(Mux((wait_reg == n - 2) | erasing_reg, 0, wait_reg + 1))
            with m.If(step | erasing_reg):
                m.d.sync += round_reg.eq(round_reg + 1)

        first_reg = Signal(BLOCK_BITS)
        enters = Signal()
        entering: Value
        if self.inverse:
            # Round key r enters in the cycle of the step to r + 1.  The last one has no step, and goes to the place where blocks
            # begin.
            mixed = named(m, "mixed", inv_mix_columns(m, window.round_key))
            entering = Cat(
                Mux(round_reg == 0, a, b) for a, b in zip(columns(window.round_key), columns(mixed), strict=True)
            )
            last = round_reg == n
            m.d.comb += enters.eq((step & ~last) | erasing_reg)
            take_first, first = step & last, window.round_key
            # The ring continues until round key n - 1, which entered n - 1 cycles before, is at its end.
            m.d.comb += done.eq(Mux(erasing_reg, round_reg == n - 1, step & last))
        else:
            entering = window.next_key
            m.d.comb += enters.eq(busy_reg)
            take_first, first = load, self.key[:BLOCK_BITS]
            m.d.comb += done.eq(busy_reg & (round_reg == n - 1))
        with m.If(self.erase):
            m.d.sync += first_reg.eq(0)
        with m.Elif(take_first):
            m.d.sync += first_reg.eq(first)

        turns = Signal()
        m.d.comb += turns.eq(busy_reg | self.advance)
        ring = [Signal(BLOCK_BITS, name=f"ring_{k}_reg", reset_less=True) for k in range(n)]
        entry = Cat(
            Mux(enters, Mux(erasing_reg, 0, new), old) for new, old in zip(columns(entering), columns(ring[-1]), strict=True)
        )
        with m.If(turns):
            m.d.sync += [reg.eq(value) for reg, value in zip(ring, [entry, *ring], strict=False)]
        m.d.comb += [self.first.eq(first_reg), self.data.eq(ring[-1])]
        return m
