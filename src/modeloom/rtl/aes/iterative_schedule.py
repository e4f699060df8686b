# SPDX-License-Identifier: Apache-2.0
"""The iterative AES key schedule: one round key per cycle, with four S-boxes, for one or all key sizes (gcm2008, section 4.2.2).

Byte 0 of a key is bits [7:0]; word j is bits [32j + 31 : 32j].  With n rounds::

    cycle       0       1          2          ...    n + 1
    key ─────▶ load
    window      -     words of    next        ...    round key n
                      the key
    data        0     round key   round key   ...    round key n      (we is high in the cycles 1 ... n + 1)
                        0           1

The window and its step come from ``KeyWindow`` below.  A pipeline that takes round keys directly from the step (``agile_pipeline``) gets
them one cycle earlier, and can accept a key every n cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.layers import inv_mix_columns
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_key_bits, columns, named
from modeloom.rtl.aes.sbox import sub_bytes

__all__ = [
    "ALL", "IterativeKeySchedule", "KeyStep", "KeyWindow", "Phase", "PortKeySchedule", "SIZE_CODES", "check_sizes", "constant",
    "expand", "key_words", "last_word", "next_constant", "operand_register", "phase",
]  # fmt: skip

# One step of the AES key schedule (FIPS 197, 5.2): from round key r to round key r + 1, for one or all key sizes.
#
# The window has Nk words (4, 6 or 8). The round key is in the first four words. A step computes four words n0 ... n3, moves the window by
# four words, and uses four S-boxes at most once, for any key size (gcm2008, section 2.2.5, Fig. 2.8):
#
#     window     w0 w1 w2 w3 [w4 w5 [w6 w7]]  n0 n1 n2 n3
#     128 bits                             S^                  in each step
#     192 bits                             S^    .  .          steps 0, 3, 6, ...   S stands before the word it is added to:
#                                          .     S^            steps 1, 4, 7, ...   n0, or n2
#                                          .     .             steps 2, 5, 8, ...
#     256 bits                             S^                  in each step; in steps 1, 3, ... without rotation and constant
#
#     n0 = w0 ^ (S or the last word)    n1 = w1 ^ n0    n2 = w2 ^ (n1 or S)    n3 = w3 ^ n2
#
# The S-boxes read their word from a register or directly from the window, because a table with logic before it takes up to twice as many
# LUTs (see ``sbox``). For 192 bits in step 1, this word is computed in step 0 together with n3.

ALL = "all"
"""Used instead of a key size if the size comes with each key."""

SIZE_CODES = {128: 0, 192: 1, 256: 2}
"""The codes of ports named ``key_size``. 3 is not a size."""


def check_sizes(key_bits: int | str | Sequence[int]) -> tuple[int, ...]:
    """The key sizes for *key_bits*, the shortest first: only this size, some sizes, or all three for ``"all"``.

    Raises
    ------
    TypeError
        *key_bits* is neither an integer nor ``"all"``, nor are all of several sizes integers.
    ValueError
        *key_bits* is not an AES key length, or a size is there twice.
    """
    if isinstance(key_bits, Sequence) and not isinstance(key_bits, str):
        sizes = tuple(sorted(check_key_bits(bits) for bits in key_bits))
        if not sizes or len(set(sizes)) != len(sizes):
            raise ValueError(f"key sizes must differ, not {', '.join(map(str, key_bits))}")
        return sizes
    return tuple(ROUNDS) if key_bits == ALL else (check_key_bits(key_bits),)


def key_words(sizes: Sequence[int]) -> int:
    """Words of the longest key."""
    return max(sizes) // 32


@dataclass(frozen=True)
class Phase:
    """The position of a step in the pattern of Fig. 2.8.  The members are signals, or bools if they are constant.

    Attributes
    ----------
    linear
        n0 uses the last word of the window and no S-box (192 bits, steps 1 and 2 of three).
    middle
        n2 uses the S-boxes (192 bits, step 1 of three).
    plain
        S-boxes without rotation and round constant (256 bits, odd steps).
    """

    linear: Value | bool = False
    middle: Value | bool = False
    plain: Value | bool = False


def phase(key_bits: int, step: int) -> Phase:
    """The phase of the step from round key *step* to the next."""
    third = step % 3 if key_bits == 192 else 0
    return Phase(linear=third != 0, middle=third == 1, plain=key_bits == 256 and step % 2 == 1)


def constant(key_bits: int, step: int) -> int:
    """The round constant of the step from round key *step* to the next; 0 if the step adds none."""
    now = phase(key_bits, step)
    if now.plain or (now.linear and not now.middle):
        return 0
    power = sum(constant(key_bits, before) != 0 for before in range(step))
    value = 1
    for _ in range(power):
        value = value << 1 ^ (0x11B if value & 0x80 else 0)
    return value


def next_constant(rcon: Value) -> Value:
    """The round constant after *rcon* (8 bits): times x in the field of AES."""
    return rcon.rotate_left(1) ^ Mux(rcon[7], 0x1A, 0)


def _choose(condition: Value | bool, yes: Value, no: Value) -> Value:
    if isinstance(condition, bool):
        return yes if condition else no
    return Mux(condition, yes, no)


@dataclass(frozen=True)
class KeyStep:
    """The results of a step.

    Attributes
    ----------
    words : tuple of values
        n0 ... n3, 32 bits each.
    round_key
        The next round key (128 bits).
    window : tuple of values
        The next window: 4, 6 or 8 words, as many as before.  The words after those of the key are meaningless.
    operand
        The word for the S-boxes in the next step.
    """

    words: tuple[Value, ...]
    round_key: Value
    window: tuple[Value, ...]
    operand: Value


def expand(
    m: Module,
    window: Sequence[Value],
    substituted: Value,
    rcon: Value | int,
    now: Phase,
    *,
    sizes: Sequence[int],
    is_192: Value | bool,
    is_256: Value | bool,
) -> KeyStep:
    """Adds a step to *m*: at most three levels of LUTs after the S-boxes.

    Parameters
    ----------
    m : Module
        Receives the logic.
    window : sequence of values
        Words of the window, of the longest key in *sizes*.
    substituted
        SubWord of the operand (32 bits).
    rcon
        The round constant; taken if the S-boxes count and ``now.plain`` is low.
    now : Phase
        Where in the pattern the step stands.
    sizes : sequence of int
        Key sizes that there can be.
    is_192, is_256
        Which one it is; bools if it is known.
    """
    rotated = substituted.rotate_right(8) ^ rcon
    transformed = named(m, "transformed", _choose(now.plain, substituted, rotated))
    last = window[5] if 192 in sizes else window[3]
    n0 = named(m, "n0", window[0] ^ _choose(now.linear, last, transformed))
    n1 = named(m, "n1", window[1] ^ n0)
    n2 = named(m, "n2", window[2] ^ _choose(now.middle, transformed, n1))
    n3 = named(m, "n3", window[3] ^ n2)
    new = [n0, n1, n2, n3]

    # The window of each size, moved by four words.  Words beyond the window of a size do not matter for it.
    moved = []
    for n in range(len(window)):
        word = new[n] if n < 4 else None
        if 192 in sizes and n < 6:
            word_192 = [*window[4:6], *new][n]
            word = word_192 if word is None else _choose(is_192, word_192, word)
        if 256 in sizes:
            word_256 = [*window[4:8], *new][n]
            word = word_256 if word is None else _choose(is_256, word_256, word)
        assert word is not None
        moved.append(named(m, "moved", word))

    operand = n3
    if 192 in sizes:
        # Before step 1 of three: the sum of w5 of the next window and its n0.
        before_middle = not now.linear if isinstance(now.linear, bool) else ~now.linear
        between = _choose(is_192, _choose(before_middle, window[4] ^ window[5], Const(0, 32)), Const(0, 32))
        operand = named(m, "operand", n3 ^ between)
    return KeyStep(tuple(new), Cat(moved[:4]), tuple(moved), operand)


def last_word(key: Value, sizes: Sequence[int], size: Value) -> Value:
    """The last word of a key: the operand of the first step."""
    words = columns(key)
    word = words[min(sizes) // 32 - 1]
    for bits in sizes[1:]:
        word = Mux(size == SIZE_CODES[bits], words[bits // 32 - 1], word)
    return word


def operand_register(sizes: Sequence[int]) -> bool:
    """Whether the word for the S-boxes has its own register.  Otherwise it is the last word of the window."""
    return len(sizes) > 1 or 192 in sizes


# -- iterative schedule ------------------------------------------------------------------------------------------------------------

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
        linear, middle = _flag("chained_reg", 192 in sizes, False), _flag("middle_reg", 192 in sizes, False)
        plain = _flag("plain_reg", 256 in sizes, False)
        now = Phase(linear, middle, plain)

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
            m.d.sync += [reg.eq(0) for reg in (linear, middle, plain) if isinstance(reg, Signal)]
        with m.Elif(step):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, made.window, strict=True)]
            if operand_register(sizes):
                m.d.sync += operand.eq(made.operand)
            used: list[Value] = []
            if 192 in sizes:
                m.d.sync += [middle.eq(self.is_192 & ~linear), linear.eq(self.is_192 & (~linear | middle))]
                used.append(~linear | middle)
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


# -- port schedule -----------------------------------------------------------------------------------------------------------------

# The iterative AES key schedule with the ports of the word-serial one, for key ports.
#
#     length ──▶ key_size ──┐
#     start, key, erase ────┴──▶ IterativeKeySchedule ──▶ we, round, data, busy, done

class PortKeySchedule(wiring.Component):
    """Expands cipher keys of some sizes, one round key per cycle, or writes zeros over all round keys.

    Parameters
    ----------
    sizes : sequence of int
        128, 192 or 256 bits each.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key.
    latency : int
        1: round key r is written r + 1 cycles after ``start``.
    interval : int
        rounds + 1 cycles from one start to the earliest next start.
    erase_latency : int
        rounds + 1 cycles from ``erase`` to the last write, one write a cycle.

    Members
    -------
    length
        The size of the key, as a place in *sizes*.  It is there only with several sizes.
    start, key, erase, we, round, data, busy, done
        Those of :class:`~modeloom.rtl.aes.key_schedule.KeySchedule`.
    data_dec
        Zero: the schedule serves ciphers that encrypt only.

    The component keeps no part of a key after ``done``.

    Raises
    ------
    TypeError
        A size is not an integer.
    ValueError
        A size is not an AES key length, or is there twice.
    """

    def __init__(self, sizes: Sequence[int]):
        self.sizes = tuple(sizes)
        self._schedule = IterativeKeySchedule(self.sizes, inverse=False)
        self.rounds, self.latency = self._schedule.rounds, self._schedule.latency
        self.interval, self.erase_latency = self._schedule.interval, self._schedule.erase_latency
        super().__init__({
            **({"length": In(range(len(self.sizes)))} if len(self.sizes) > 1 else {}),
            "start": In(1), "erase": In(1), "key": In(max(self.sizes)),
            "we": Out(1), "round": Out(4), "data": Out(BLOCK_BITS), "data_dec": Out(BLOCK_BITS), "busy": Out(1), "done": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = self._schedule
        if len(self.sizes) > 1:
            m.d.comb += schedule.key_size.eq(Array(SIZE_CODES[bits] for bits in self.sizes)[self.length])
        m.d.comb += [getattr(schedule, name).eq(getattr(self, name)) for name in ("start", "erase", "key")]
        m.d.comb += [getattr(self, name).eq(getattr(schedule, name)) for name in ("we", "round", "data", "busy", "done")]
        return m
