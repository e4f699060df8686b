# SPDX-License-Identifier: Apache-2.0
"""MixColumns with the round key, in LUTs of six inputs.  The networks may have a register after some of their levels.

Bit k of the bytes of a column, from row r on, is ``a_k b_k c_k d_k``, its round key ``k``, and u = a + b + c + d for every r::

    network             LUT6   levels
    MixColumns + key      39        2     five terms and k; bits 1, 3, 4: 2 (a + b) + a + u + [a_7 + b_7] + k, with u shared by all rows
    Inverse + key         61        3     2 (a + b) + a + z + [a_7 + b_7] + k with z = u + 4 (a + c) + 8 u, shared by rows r and r + 2
    either + key          66        4     the same with z = u + [4 (a + c) + 8 u, if the gate is 1]

A cipher round with one register takes 32 LUT6 for each S-box and 39 for each column: 668 LUT6.  Each of the last 128 has its flip-flop.  If
the sums with a_7 + b_7 and u also get registers, there is only one LUT between registers, and the number of LUTs is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from amaranth.hdl import Cat, Module, Signal, Value

from modeloom.rtl.aes.layers.mixcolumns_lut6 import both_network, forward_network, inverse_network
from modeloom.rtl.aes.parameters import columns, named
from modeloom.rtl.logic.xor_luts import Sum, XorLuts

__all__ = ["add_in_luts", "keyed_both_network", "keyed_forward_network", "keyed_inverse_network", "lower_columns", "plain_network"]

_REDUCED = (1, 3, 4)
"""Bits that x^8 = x^4 + x^3 + x + 1 changes, except bit 0."""


def _bit(row: int, k: int) -> str:
    return f"i{row % 4}_{k}"


_INPUTS = tuple(_bit(row, k) for row in range(4) for k in range(8))
_KEYS = tuple(f"k{row}_{k}" for row in range(4) for k in range(8))
_OUTPUTS = tuple(f"o{row}_{k}" for row in range(4) for k in range(8))


def _column_sums(*bits: int) -> dict[str, Sum]:
    return {f"u{k}": Sum(tuple(_bit(row, k) for row in range(4))) for k in bits}


def _carries() -> dict[str, Sum]:
    return {f"x{row}": Sum((_bit(row, 7), _bit(row + 1, 7))) for row in range(4)}


@cache
def keyed_forward_network() -> XorLuts:
    """MixColumns of a column, and a round key added: 39 LUTs, two levels."""
    sums = _column_sums(*_REDUCED) | _carries()
    for row in range(4):
        for k in range(8):
            doubled = (_bit(row, (k - 1) % 8), _bit(row + 1, (k - 1) % 8))
            rest = (_bit(row, k), f"u{k}", f"x{row}") if k in _REDUCED else tuple(_bit(row + n, k) for n in (1, 2, 3))
            sums[f"o{row}_{k}"] = Sum((*doubled, *rest, f"k{row}_{k}"))
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


def _add_outputs(sums: dict[str, Sum], shared: Callable[[int, int], tuple[str, ...]]) -> XorLuts:
    for row in range(4):
        for k in range(8):
            terms = (_bit(row, (k - 1) % 8), _bit(row + 1, (k - 1) % 8), _bit(row, k), f"k{row}_{k}", *shared(row, k))
            sums[f"o{row}_{k}"] = Sum((*terms, f"x{row}") if k in _REDUCED else terms)
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


@cache
def keyed_inverse_network() -> XorLuts:
    """InvMixColumns of a column, and a round key added: 61 LUTs, three levels."""
    sums = _column_sums(*range(8)) | _carries()
    for r in range(2):
        a, c = r, r + 2
        # The coefficients of x^8 and x^9 in 4 (a + c) + 8 u.  That of x^10 is u_7.
        sums[f"e{r}"] = Sum((_bit(a, 6), _bit(c, 6), *(_bit(row, 5) for row in range(4))))
        sums[f"f{r}"] = Sum((_bit(a, 7), _bit(c, 7), *(_bit(row, 6) for row in range(4))))
    for r in range(2):
        pair = {k: (_bit(r, k), _bit(r + 2, k)) for k in range(8)}
        carried = {1: (f"e{r}", f"f{r}"), 2: (f"f{r}", "u7"), 3: (f"e{r}", "u7"), 4: (f"e{r}", f"f{r}"), 5: (f"f{r}", "u7")}
        for k in range(1, 6):
            four = pair[k - 2] if k >= 2 else ()
            eight = (f"u{k - 3}",) if k >= 3 else ()
            sums[f"z{r}_{k}"] = Sum((f"u{k}", *four, *eight, *carried[k]))
        if r == 0:
            sums["z0_0"] = Sum(("u0", *pair[6], "u5"))
            sums["z0_6"] = Sum(("u6", *pair[4], "u3", "u7"))
            sums["z0_7"] = Sum(("u7", *pair[5], "u4"))

    def shared(row: int, k: int) -> tuple[str, ...]:
        # Rows 1 and 3 contain 4 u, unlike rows 0 and 2.  In bits 0, 6 and 7 this is one term, for which there is a free input.
        more = {0: "u6", 6: "u4", 7: "u5"}
        return (f"z0_{k}", more[k]) if k in more and row % 2 else (f"z{row % 2}_{k}",)

    return _add_outputs(sums, shared)


@cache
def keyed_both_network() -> XorLuts:
    """MixColumns of a column, or InvMixColumns if the gate is 1, and a round key added: 66 LUTs, four levels."""
    sums = _column_sums(*range(8)) | _carries()
    for r in range(2):
        a, c = r, r + 2
        sums[f"f{r}"] = Sum((_bit(1 - r, 7), _bit(3 - r, 7), *(_bit(row, 6) for row in range(4))))
        sums[f"e{r}"] = Sum((_bit(a, 6), _bit(c, 6), "u5", "u7"))
        pair = {k: (_bit(a, k), _bit(c, k)) for k in range(8)}
        sums[f"g{r}"] = Sum((*pair[2], "u1", f"f{r}"))
        gated = {
            0: (*pair[6], "u5"), 1: (f"e{r}", f"f{r}"), 2: (*pair[0], f"f{r}"), 3: (*pair[1], "u0", f"e{r}"), 4: (f"e{r}", f"g{r}"),
            5: (*pair[3], "u2", f"f{r}"), 6: (*pair[4], "u3", "u7"), 7: (*pair[5], "u4"),
        }  # fmt: skip
        for k, terms in gated.items():
            sums[f"z{r}_{k}"] = Sum((f"u{k}",), terms)
    return _add_outputs(sums, lambda row, k: (f"z{row % 2}_{k}",))


def plain_network(direction: str) -> XorLuts:
    """MixColumns ("encrypt"), its inverse ("decrypt", three levels) or either ("both") without a key: 36, 57 and 60 LUTs for each
    column."""
    networks: dict[str, Callable[[], XorLuts]] = {
        "encrypt": forward_network, "decrypt": lambda: inverse_network(3), "both": both_network,
    }  # fmt: skip
    return networks[direction]()


def add_in_luts(m: Module, a: Value, b: Value) -> Value:
    """The sum of two values, with a LUT for each bit.  If the mapper decided, the S-boxes before it would become larger."""
    result = []
    for a_c, b_c in zip(columns(a), columns(b), strict=True):
        a_c, b_c = named(m, "a", a_c), named(m, "b", b_c)
        sums = [Signal(name=f"sum_{n}", attrs={"keep": 1}) for n in range(len(a_c))]
        m.d.comb += [bit.eq(Cat(a_c[n], b_c[n]).xor()) for n, bit in enumerate(sums)]
        result.append(named(m, "sums", Cat(sums)))
    return Cat(result)


def lower_columns(
    m: Module, network: XorLuts, state: Value, key: Value | None = None, gate: Value | None = None,
    register: Callable[[Value, str], Value] | None = None, cut: int = 1,
) -> Value:  # fmt: skip
    """The network of each column of *state* (and *key*), added to *m*.

    Parameters
    ----------
    m : Module
        Receives the logic.
    network : XorLuts
        Of one column.
    state, key : Value
        Whole columns of 32 bits.  The key is only for a network with a key, and belongs to the cycle of the result.
    gate : Value, optional
        One bit for all columns.
    register : callable, optional
        ``register(value, name)``: *value* a cycle later.  What the first *cut* levels give is then registered, and with it what later
        levels need of *state*.
    """
    first, second = (network, None) if register is None else _cut(network, cut)
    result = []
    for n, column in enumerate(columns(state)):
        # One column at a time, because mapping keeps only signals of one bit as LUTs.
        column = named(m, "column", column)
        values: dict[str, Value] = {name: column[at] for at, name in enumerate(_INPUTS)}
        keys: dict[str, Value] = {}
        if key is not None:
            own_key = named(m, "key", key[32 * n : 32 * n + 32])
            keys = {name: own_key[at] for at, name in enumerate(_KEYS)}
        if second is None or register is None:
            result.append(named(m, "mixed", Cat(first.lower(m, values | keys, gate))))
            continue
        made = values | dict(zip(first.outputs, first.lower(m, values, gate), strict=True))
        wanted = [name for name in second.inputs if name in made]
        late = register(Cat(made[name] for name in wanted), f"sums_{n}")
        result.append(named(m, "mixed", Cat(second.lower(m, {name: late[at] for at, name in enumerate(wanted)} | keys, gate))))
    return Cat(result)


def _cut(network: XorLuts, cut: int) -> tuple[XorLuts, XorLuts]:
    """Two networks: the sums of the first levels without outputs, and the remaining sums, which read them."""
    level = dict.fromkeys(network.inputs, 0)
    for name, each in network.sums.items():
        level[name] = 1 + max(level[term] for term in (*each.terms, *each.gated))
    early = {name: each for name, each in network.sums.items() if level[name] <= cut and name not in network.outputs}
    late = {name: each for name, each in network.sums.items() if name not in early}
    read = {term for each in late.values() for term in (*each.terms, *each.gated)}
    wanted = [name for name in (*network.inputs, *early) if name in read]
    return XorLuts(_INPUTS, early, tuple(name for name in early if name in read)), XorLuts(wanted, late, network.outputs)
