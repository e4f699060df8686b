# SPDX-License-Identifier: Apache-2.0
"""MixColumns and its inverse as sums of at most six terms, for FPGAs with LUT6.

Bit k of the bytes of a column, from row r on, is ``a_k b_k c_k d_k``; ``o_k`` is the result in row r, and u = a + b + c + d for every r::

    MixColumns      o = 2 (a + b) + b + c + d                    five terms; bits 1, 3, 4 have a_7 + b_7 of the reduction, too
    InvMixColumns   o = a + 2 (a + b) + 4 (a + c) + 9 u          six terms in bits 0, 6, 7, with a bit of 9 u
    either          o = MixColumns + inverse (8 u + 4 (a + c))

    network                       LUT6   levels      with the round key
    MixColumns                      36        2      44
    InvMixColumns                   51        4      58 (5 levels)
                                    57        3
    either                          60        4            (Yosys makes 63 of it: sums with a gate are not pinned)

luts2017, section 3.2 has 36 LUTs for MixColumns (its decomposition 2, the same sums) and 60 for the inverse.  Three observations make the
inverse smaller here.  The rows of M^-1 differ by few terms from 9 u, which all rows share.  In bits 1 to 5, the terms from 4 (a + c), from
the reduction and from 9 u are equal for rows r and r + 2 (``z``).  And a_6 + c_6 + u_6 = b_6 + d_6.  With the round key in the last LUT,
rows 2 and 3 are computed from rows 0 and 1: row r + 2 of M^-1 a is row r plus a + c + 2 u.
"""

from __future__ import annotations

from functools import cache

from amaranth.hdl import Cat, Module, Value

from modeloom.rtl.aes.parameters import columns
from modeloom.rtl.logic import Sum, XorLuts

__all__ = [
    "both_mix_columns_lut6", "both_network", "forward_network", "inv_mix_columns_lut6", "inverse_network",
    "keyed_forward_network", "keyed_inverse_network", "mix_columns_lut6",
]  # fmt: skip

_REDUCED = (1, 3, 4)
"""Bits that x^8 = x^4 + x^3 + x + 1 changes, except bit 0."""


def _bit(row: int, k: int) -> str:
    return f"i{row % 4}_{k}"


def _key(row: int, k: int) -> str:
    return f"k{row}_{k}"


def _rows(row: int) -> tuple[int, int, int, int]:
    """Rows of a, b, c, d for the result in this row."""
    return row, row + 1, row + 2, row + 3


_INPUTS = tuple(_bit(row, k) for row in range(4) for k in range(8))
_KEYS = tuple(_key(row, k) for row in range(4) for k in range(8))
_OUTPUTS = tuple(f"o{row}_{k}" for row in range(4) for k in range(8))


class _Sums(dict[str, Sum]):
    """Sums by name.  ``u0`` to ``u7`` are the sums of bit k of all rows."""

    def put(self, name: str, *terms: str, gated: tuple[str, ...] = ()) -> None:
        self[name] = Sum(terms, gated)

    def put_u(self, *bits: int) -> None:
        for k in bits:
            self.put(f"u{k}", *self.column(k))

    @staticmethod
    def column(k: int) -> list[str]:
        return [_bit(row, k) for row in range(4)]


@cache
def forward_network() -> XorLuts:
    """MixColumns of a column: 36 LUTs, two levels."""
    sums = _Sums()
    for row in range(4):
        sums.put(f"x{row}", _bit(row, 7), _bit(row + 1, 7))
    for row in range(4):
        a, b, c, d = _rows(row)
        for k in range(8):
            carried = [f"x{row}"] if k in _REDUCED else []
            sums.put(f"o{row}_{k}", _bit(a, (k - 1) % 8), _bit(b, (k - 1) % 8), _bit(b, k), _bit(c, k), _bit(d, k), *carried)
    return XorLuts(_INPUTS, sums, _OUTPUTS)


@cache
def keyed_forward_network() -> XorLuts:
    """MixColumns of a column, and a round key added: 44 LUTs, two levels."""
    sums = _Sums()
    for row in range(4):
        a, b, c, d = _rows(row)
        for k in range(8):
            key = _key(row, k)
            if k in _REDUCED:
                key = f"x{row}_{k}"
                sums.put(key, _bit(a, 7), _bit(b, 7), _key(row, k))
            sums.put(f"o{row}_{k}", _bit(a, (k - 1) % 8), _bit(b, (k - 1) % 8), _bit(b, k), _bit(c, k), _bit(d, k), key)
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


@cache
def inverse_network(levels: int = 4) -> XorLuts:
    """InvMixColumns of a column: 51 LUTs with four levels, 57 with three.

    Raises
    ------
    ValueError
        ``levels`` is neither 3 nor 4.
    """
    if levels not in (3, 4):
        raise ValueError(f"levels must be 3 or 4, not {levels}")
    sums = _Sums()
    flat = levels == 3
    sums.put_u(*([0, 1, 2, 3, 4, 5, 6, 7] if flat else [1, 2, 4, 5, 6, 7]))
    # The bits of 9 u = u + 8 u that outputs read directly.
    sums.put("w0", "u5", *(["u0"] if flat else sums.column(0)))
    sums.put("w6", "u6", "u7", *(["u3"] if flat else sums.column(3)))
    sums.put("w7", "u4", "u7")
    for r in range(2):
        a, b, c, d = _rows(r)
        six_seven = (_bit(b, 6), _bit(d, 6), _bit(a, 7), _bit(c, 7))
        sums.put(f"z{r}_2", _bit(b, 7), _bit(d, 7), "u2", "u6")
        sums.put(f"z{r}_5", _bit(b, 7), _bit(d, 7), "u2", "u5", "u6")
        if flat:
            sums.put(f"y{r}_1", *six_seven)
            sums.put(f"y{r}_3", _bit(a, 1), _bit(c, 1), _bit(b, 6), _bit(d, 6))
            sums.put(f"z{r}_1", f"y{r}_1", "u1", "u5")
            sums.put(f"z{r}_4", f"y{r}_1", _bit(a, 2), _bit(c, 2), "u1", "u4", "u5")
            sums.put(f"z{r}_3", f"y{r}_3", "u0", "u3", "u5", "u6", "u7")
        else:
            sums.put(f"z{r}_1", *six_seven, "u1", "u5")
            sums.put(f"z{r}_4", f"z{r}_1", _bit(a, 2), _bit(c, 2), "u4")
            sums.put(f"z{r}_3", _bit(a, 1), _bit(c, 1), _bit(b, 6), _bit(d, 6), "w0", "w6")
    for row in range(4):
        a, b, c, _ = _rows(row)
        r = row % 2
        seven = (_bit(a, 7), _bit(b, 7))
        sums.put(f"o{row}_0", _bit(a, 0), *seven, _bit(a, 6), _bit(c, 6), "w0")
        for k in (1, 3, 4):
            sums.put(f"o{row}_{k}", _bit(a, k), _bit(a, k - 1), _bit(b, k - 1), *seven, f"z{r}_{k}")
        for k, last in ((2, f"z{r}_2"), (5, f"z{r}_5"), (6, "w6"), (7, "w7")):
            sums.put(f"o{row}_{k}", _bit(a, k), _bit(a, k - 1), _bit(b, k - 1), _bit(a, k - 2), _bit(c, k - 2), last)
    return XorLuts(_INPUTS, sums, _OUTPUTS)


@cache
def keyed_inverse_network() -> XorLuts:
    """InvMixColumns of a column, and a round key added: 58 LUTs, five levels."""
    sums = _Sums()
    # e = 2 u.  Rows r and r + 2 differ by e + a + c.
    sums.put("e0", *sums.column(7))
    for k in range(1, 8):
        sums.put(f"e{k}", *sums.column(k - 1), *(["e0"] if k in _REDUCED else []))
    # 9 u in e, its bits 3 and 4.
    sums.put("w3", "e0", "e1", "e4", "e6")
    sums.put("w4", "e2", "e5", "e6")
    for row in range(2):
        a, b, c, d = _rows(row)
        six_seven = (_bit(b, 7), _bit(c, 7), _bit(b, 6), _bit(d, 6))
        inner: dict[int, list[str]] = {
            0: [_bit(a, 0), _bit(a, 7), _bit(b, 7), _bit(a, 6), _bit(c, 6)],
            1: [*six_seven, "e2"],
            2: [_bit(a, 0), _bit(c, 0), _bit(a, 7), _bit(c, 7), "e7"],
            3: [_bit(a, 7), _bit(b, 7), _bit(a, 6), _bit(c, 6), _bit(a, 1), _bit(c, 1)],
            4: [*six_seven, _bit(a, 2), _bit(c, 2)],
            5: [_bit(a, 3), _bit(c, 3), _bit(a, 7), _bit(c, 7), "e6", "e7"],
            6: [_bit(a, 4), _bit(c, 4), "e7"],
            7: [_bit(a, 5), _bit(c, 5), "e5"],
        }
        outer = {0: ["e0", "e1", "e6"], 1: ["e6"], 2: ["e3"], 3: ["w3"], 4: ["w4"], 5: ["e3"], 6: ["e4"], 7: ["e0"]}
        for k in range(8):
            sums.put(f"y{row}_{k}", *inner[k])
            own = [_bit(a, k), _bit(a, k - 1), _bit(b, k - 1)] if k else []
            sums.put(f"o{row}_{k}", f"y{row}_{k}", *own, *outer[k], _key(row, k))
            sums.put(f"o{row + 2}_{k}", f"o{row}_{k}", _bit(a, k), _bit(c, k), f"e{k}", _key(row, k), _key(row + 2, k))
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


@cache
def both_network() -> XorLuts:
    """MixColumns of a column, or InvMixColumns if the gate is 1: 60 LUTs, four levels."""
    sums = _Sums()
    sums.put_u(0, 1, 3, 4, 5, 6, 7)
    sums.put("u26", *sums.column(2), "u6")
    for row in range(4):
        sums.put(f"x{row}", _bit(row, 7), _bit(row + 1, 7))
    for r in range(2):
        a, b, c, d = _rows(r)
        seven = (_bit(b, 7), _bit(d, 7))
        sums.put(f"t{r}_0", gated=("u5", _bit(a, 6), _bit(c, 6)))
        sums.put(f"t{r}_1", gated=("u5", _bit(b, 6), _bit(d, 6), _bit(a, 7), _bit(c, 7)))
        sums.put(f"t{r}_2", gated=("u6", *seven, _bit(a, 0), _bit(c, 0)))
        sums.put(f"t{r}_3", f"t{r}_0", gated=("u0", "u7", _bit(a, 1), _bit(c, 1)))
        sums.put(f"t{r}_4", f"t{r}_1", gated=("u1", _bit(a, 2), _bit(c, 2)))
        sums.put(f"t{r}_5", gated=("u26", *seven, _bit(a, 3), _bit(c, 3)))
        sums.put(f"t{r}_6", gated=("u3", "u7", _bit(a, 4), _bit(c, 4)))
        sums.put(f"t{r}_7", gated=("u4", _bit(a, 5), _bit(c, 5)))
    for row in range(4):
        a, b, c, d = _rows(row)
        for k in range(8):
            # b + c + d = a + u leaves an input for the carry.
            rest = ([_bit(a, k), f"u{k}", f"x{row}"] if k in _REDUCED else [_bit(b, k), _bit(c, k), _bit(d, k)])
            sums.put(f"o{row}_{k}", _bit(a, (k - 1) % 8), _bit(b, (k - 1) % 8), *rest, f"t{row % 2}_{k}")
    return XorLuts(_INPUTS, sums, _OUTPUTS)


def _lower(m: Module, network: XorLuts, state: Value, key: Value | None = None, gate: Value | None = None) -> Value:
    state = Value.cast(state)
    if len(state) == 0 or len(state) % 32:
        raise ValueError(f"MixColumns input must be a whole number of 32-bit columns, not {len(state)} bits")
    values = {_INPUTS[n]: Cat(state[n::32]) for n in range(32)}
    if key is not None:
        key = Value.cast(key)
        if len(key) != len(state):
            raise ValueError(f"the key must be as wide as the state, {len(state)} bits, not {len(key)}")
        values |= {_KEYS[n]: Cat(key[n::32]) for n in range(32)}
    outputs = network.lower(m, values, gate)
    return Cat(output[n] for n in range(len(columns(state))) for output in outputs)


def mix_columns_lut6(m: Module, state: Value, key: Value | None = None) -> Value:
    """MixColumns of any whole number of columns, then the XOR with *key* if there is one.  A column takes 36 LUT6, and 44 with a key.

    Raises
    ------
    ValueError
        The width of *state* is not a multiple of 32, or 0, or *key* has another width.
    """
    return _lower(m, forward_network() if key is None else keyed_forward_network(), state, key)


def inv_mix_columns_lut6(m: Module, state: Value, key: Value | None = None, *, levels: int = 4) -> Value:
    """InvMixColumns, then the XOR with *key* if there is one.  A column takes 51 LUT6 (57 with three *levels*), and 58 with a key (five
    levels).

    Raises
    ------
    ValueError
        As in :func:`mix_columns_lut6`, or *levels* is neither 3 nor 4.
    """
    return _lower(m, inverse_network(levels) if key is None else keyed_inverse_network(), state, key)


def both_mix_columns_lut6(m: Module, state: Value, inverse: Value) -> Value:
    """MixColumns, or InvMixColumns if *inverse* (one bit) is 1.  A column takes 60 LUT6.

    Raises
    ------
    ValueError
        The width of *state* is not a multiple of 32, or 0.
    """
    return _lower(m, both_network(), state, gate=inverse)
