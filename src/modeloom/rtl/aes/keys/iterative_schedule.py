# SPDX-License-Identifier: Apache-2.0
"""The iterative AES key schedule: one round key per cycle, with four S-boxes, for one or all key sizes (gcm2008, section 4.2.2).

Byte 0 of a key is bits [7:0]; word j is bits [32j + 31 : 32j].  With n rounds::

    cycle       0       1          2          ...    n + 1
    key ─────▶ load
    window      -     words of    next        ...    round key n
                      the key
    data        0     round key   round key   ...    round key n      (we is high in the cycles 1 ... n + 1)
                        0           1

The window and its step come from ``key_step``.  A pipeline that takes round keys directly from the step (``agile_pipeline``) gets
them one cycle earlier, and can accept a key every n cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.key_step import (
    SIZE_CODES,
    KeyStep,
    Phase,
    check_sizes,
    expand,
    key_words,
    last_word,
    next_constant,
    operand_register,
)
from modeloom.rtl.aes.layers.mixcolumns import inv_mix_columns
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, columns, named
from modeloom.rtl.aes.sboxes.sbox import sub_bytes

__all__ = ["IterativeKeySchedule", "KeyWindow"]


def _flag(name: str, varies: bool, otherwise: bool) -> Any:
    """A register for a value that varies.  A constant stays a constant."""
    return Signal(name=name) if varies else otherwise


class KeyWindow:
    """The window of a key schedule with its registers, in the module of a component.

    Parameters
    ----------
    m : Module
        Receives registers and logic.
    sizes : sequence of int
        Key sizes that there can be.
    load, key, size
        Takes *key* in this cycle; *size* is its code (``SIZE_CODES``), if there are several.
    step
        The window moves by a round key, at the earliest in the cycle after the load.  With *slow*, it is two cycles after a load or
        a step.
    clear
        Sets all registers to 0.  It takes precedence over the others.
    slow : bool
        Registers the S-boxes' outputs.

    Attributes
    ----------
    round_key : Value
        The round key in the window, from registers.
    next_key : Value
        The one after it.
    is_192, is_256 : Value or bool
        The size of the key in the window.
    """

    def __init__(
        self, m: Module, sizes: tuple[int, ...], *, load: Value, key: Value, size: Value, step: Value, clear: Value, slow: bool = False
    ):
        several = len(sizes) > 1
        words = key_words(sizes)
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(words)]
        rcon_reg = Signal(8)
        self.is_192 = _flag("is_192_reg", several, sizes == (192,))
        self.is_256 = _flag("is_256_reg", several, sizes == (256,))
        chained, middle = _flag("chained_reg", 192 in sizes, False), _flag("middle_reg", 192 in sizes, False)
        plain = _flag("plain_reg", 256 in sizes, False)
        now = Phase(chained, middle, plain)

        registered = [*word_reg, rcon_reg]
        operand = word_reg[-1]
        if operand_register(sizes):
            operand = Signal(32, name="operand_reg")
            registered.append(operand)
        substituted = sub_bytes(m, operand)
        if slow:
            substituted_reg = Signal(32)
            m.d.sync += substituted_reg.eq(Mux(clear, 0, substituted))
            substituted = substituted_reg
        made = expand(m, word_reg, substituted, rcon_reg, now, sizes=sizes, is_192=self.is_192, is_256=self.is_256)
        self.step: KeyStep = made
        self.round_key, self.next_key = Cat(word_reg[:4]), made.round_key

        with m.If(clear):
            m.d.sync += [reg.eq(0) for reg in registered]
        with m.Elif(load):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, columns(key), strict=True)]
            m.d.sync += rcon_reg.eq(1)
            if operand_register(sizes):
                m.d.sync += operand.eq(last_word(key, sizes, size))
            if several:
                m.d.sync += [self.is_192.eq(size == SIZE_CODES[192]), self.is_256.eq(size[1])]
            m.d.sync += [reg.eq(0) for reg in (chained, middle, plain) if isinstance(reg, Signal)]
        with m.Elif(step):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, made.window, strict=True)]
            if operand_register(sizes):
                m.d.sync += operand.eq(made.operand)
            used: list[Value] = []
            if 192 in sizes:
                m.d.sync += [middle.eq(self.is_192 & ~chained), chained.eq(self.is_192 & (~chained | middle))]
                used.append(~chained | middle)
            if 256 in sizes:
                m.d.sync += plain.eq(self.is_256 & ~plain)
                used.append(~plain)
            with m.If(Cat(used).all() if used else 1):
                m.d.sync += rcon_reg.eq(next_constant(rcon_reg))


def rounds_of(sizes: tuple[int, ...], size: Value) -> Value | int:
    """Number of rounds for a key of this size."""
    rounds: Value | int = ROUNDS[sizes[0]]
    for bits in sizes[1:]:
        rounds = Mux(size == SIZE_CODES[bits], ROUNDS[bits], rounds)
    return rounds


class IterativeKeySchedule(wiring.Component):
    """Expands a cipher key into round keys, one per cycle (gcm2008, section 4.2.2), or overwrites all of them with zeros.

    The ports are those of ``KeySchedule``, which takes four cycles for each round key and a fraction of the logic.

    Parameters
    ----------
    key_bits : int, str or sequence of int
        128, 192, 256, or "all" or two or three sizes: each key comes with its size.
    inverse : bool
        Whether there is an output ``data_dec``, which takes InvMixColumns of four columns.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key.
    latency : int
        1: round key r is written r + 1 cycles after ``start``.
    interval : int
        rounds + 1 cycles (11, 13, 15 for the three sizes) from one start to the earliest next start, which may be in the cycle of
        ``done``.
    erase_latency : int
        rounds + 1 cycles from ``erase`` to the last write, one write a cycle.

    Members
    -------
    start, key, key_size
        Takes ``key``.  With several sizes, ``key_size`` is 0, 1 or 2 for 128, 192 or 256 bits, and shorter keys are in the lower bits.
    erase
        Writes zeros to all rounds, in both forms.  It takes precedence over ``start``, and may come at any time: it ends an
        expansion.
    we, round, data, data_dec
        A write: number of the round key, and its 128 bits as the cipher and as the equivalent inverse cipher (FIPS 197, 5.3.5:
        InvMixColumns of all but the first and the last) wants them.  Without a write, the data is 0.
    busy
        High from the cycle after a request to its last write, which ``done`` marks.
    done
        High in the cycle of the last write.  A start is ignored if ``busy`` is high and ``done`` is not.

    The component keeps no part of a key after ``done``, nor from the cycle after ``erase`` on.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        *key_bits* is not an AES key length.
    """

    def __init__(self, key_bits: int | str | Sequence[int] = 128, *, inverse: bool = True):
        if not isinstance(inverse, bool):
            raise TypeError(f"inverse must be True or False, not {inverse!r}")
        self.inverse = inverse
        self.sizes = check_sizes(key_bits)
        self.key_bits = key_bits
        self.rounds = ROUNDS[self.sizes[-1]]
        self.latency = 1
        self.interval = self.erase_latency = self.rounds + 1
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(self.sizes[-1]),
            **({"key_size": In(2)} if len(self.sizes) > 1 else {}),
            "we": Out(1),
            "round": Out(4),
            "data": Out(BLOCK_BITS),
            **({"data_dec": Out(BLOCK_BITS)} if inverse else {}),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        size: Value = self.key_size if len(self.sizes) > 1 else Signal(2, name="key_size")
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(4)
        last_reg = Signal(4)
        done = Signal()
        load = Signal()
        m.d.comb += [
            done.eq(busy_reg & (round_reg == last_reg)),
            load.eq(self.start & (~busy_reg | done)),
            self.busy.eq(busy_reg),
            self.we.eq(busy_reg),
            self.done.eq(done),
            self.round.eq(round_reg),
        ]
        # Cleared after the last write, the window holds the zeros that an erasure writes; it does not step then, as S(0) is not 0.
        clear = self.erase | (done & ~load)
        window = KeyWindow(m, self.sizes, load=load, key=self.key, size=size, step=busy_reg & ~erasing_reg, clear=clear)
        with m.If(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1), round_reg.eq(0), last_reg.eq(self.rounds)]
        with m.Elif(load):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(0), round_reg.eq(0), last_reg.eq(rounds_of(self.sizes, size))]
        with m.Elif(done):
            m.d.sync += [busy_reg.eq(0), erasing_reg.eq(0), round_reg.eq(0)]
        with m.Elif(busy_reg):
            m.d.sync += round_reg.eq(round_reg + 1)

        m.d.comb += self.data.eq(window.round_key)
        if self.inverse:
            edge = Signal()
            mixed = named(m, "mixed", inv_mix_columns(m, window.round_key))
            m.d.comb += [edge.eq((round_reg == 0) | done), self.data_dec.eq(Mux(edge, window.round_key, mixed))]
        return m
