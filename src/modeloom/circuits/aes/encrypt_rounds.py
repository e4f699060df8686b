# SPDX-License-Identifier: Apache-2.0
"""The data path of an encryption pipeline for one or all key sizes: a sequence of rounds, with results after rounds 10, 12 and 14.

With P registers in each round.  The cycles count from the one in which the whitened block enters its register::

    cycle     0             P                 10 P                    12 P                   14 P
    state ──▶ reg ──▶ round 1 reg ──▶ ... ──▶ round 10 reg ──▶ ... ──▶ round 12 reg ──▶ ... ──▶ round 14
                                               └─ result 10             └─ result 12            └─ result 14

    delay:    result 10 ──▶ 2P registers ──▶┐
                               result 12 ───┴──▶ 2P registers ──▶┐
                                                    result 14 ───┴──▶ o                 (gcm2008, Fig. 4.5)

A result is a round without MixColumns, with its round key.  It has a separate XOR.  It shares the S-boxes and the key register with the
normal round for longer keys, so no round key is stored twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from modeloom.rtl.aes.keys.key_step import SIZE_CODES
from modeloom.rtl.aes.layers.mixcolumns import cut_mix_columns, join_mix_columns, shift_rows
from modeloom.rtl.aes.parameters import ROUNDS, columns
from modeloom.rtl.aes.rounds.round_stages import add, register
from modeloom.rtl.aes.sboxes.sbox import cut_sub_bytes, join_sub_bytes, quarter_of_bytes, sub_bytes

__all__ = ["Travellers", "collect", "encrypt_rounds"]


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


def _round(m: Module, state: Value, number: int, stages: int, *, goes_on: bool, leaves: bool) -> tuple[Value, Value]:
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
    if goes_on:
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
        mixed, finished = _round(m, state, number, stages, goes_on=number < rounds, leaves=number in last)
        if number in last:
            results[last[number]] = add(finished, keys[number])
        if number < rounds:
            state = register(m, add(mixed, keys[number]), f"round_{number}")
    return results


def _choose(condition: Value, yes: Value, no: Value) -> Value:
    return Cat(Mux(condition, a, b) for a, b in zip(columns(yes), columns(no), strict=True))


def collect(
    m: Module, results: dict[int, Value], beside: Travellers, *, stages: int, wait: bool, erase: Value
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
    leaves = beside.valid[cycle[longest]]
    if wait:
        result = results[next(iter(results))]
        for before, bits in pairwise(results):
            for n in range(cycle[before], cycle[bits]):
                result = register(m, result, f"waiting_{n}")
            result = _choose(beside.size[cycle[bits]] == SIZE_CODES[bits], results[bits], result)
    elif shorter:
        here = {bits: Signal(name=f"leaves_{bits}") for bits in results}
        for bits, signal in here.items():
            m.d.comb += signal.eq(beside.valid[cycle[bits]] & (beside.size[cycle[bits]] == SIZE_CODES[bits]))
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
