# SPDX-License-Identifier: Apache-2.0
"""One step of the AES key schedule (FIPS 197, 5.2): from round key r to round key r + 1, for one or all key sizes.

The window has Nk words (4, 6 or 8). The round key is in the first four words. A step computes four words n0 ... n3, moves the window by
four words, and uses four S-boxes at most once, for any key size (gcm2008, section 2.2.5, Fig. 2.8)::

    window     w0 w1 w2 w3 [w4 w5 [w6 w7]]  n0 n1 n2 n3
    128 bits                             S^                  in each step
    192 bits                             S^    .  .          steps 0, 3, 6, ...   S stands before the word it is added to:
                                         .     S^            steps 1, 4, 7, ...   n0, or n2
                                         .     .             steps 2, 5, 8, ...
    256 bits                             S^                  in each step; in steps 1, 3, ... without rotation and constant

    n0 = w0 ^ (S or the last word)    n1 = w1 ^ n0    n2 = w2 ^ (n1 or S)    n3 = w3 ^ n2

The S-boxes read their word from a register or directly from the window, because a table with logic before it takes up to twice as many LUTs
(see ``sbox``). For 192 bits in step 1, this word is computed in step 0 together with n3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Value

from modeloom.rtl.aes.parameters import ROUNDS, check_key_bits, columns, named

__all__ = [
    "ALL",
    "SIZE_CODES",
    "KeyStep",
    "Phase",
    "check_sizes",
    "constant",
    "expand",
    "key_words",
    "last_word",
    "next_constant",
    "operand_register",
    "phase",
]

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
    chained
        n0 uses the last word of the window and no S-box (192 bits, steps 1 and 2 of three).
    middle
        n2 uses the S-boxes (192 bits, step 1 of three).
    plain
        S-boxes without rotation and round constant (256 bits, odd steps).
    """

    chained: Value | bool = False
    middle: Value | bool = False
    plain: Value | bool = False


def phase(key_bits: int, step: int) -> Phase:
    """The phase of the step from round key *step* to the next."""
    third = step % 3 if key_bits == 192 else 0
    return Phase(chained=third != 0, middle=third == 1, plain=key_bits == 256 and step % 2 == 1)


def constant(key_bits: int, step: int) -> int:
    """The round constant of the step from round key *step* to the next; 0 if the step adds none."""
    now = phase(key_bits, step)
    if now.plain or (now.chained and not now.middle):
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
    n0 = named(m, "n0", window[0] ^ _choose(now.chained, last, transformed))
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
        before_middle = not now.chained if isinstance(now.chained, bool) else ~now.chained
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


