# SPDX-License-Identifier: Apache-2.0
"""A round of Deoxys-BC on the layers of AES, with its subtweakey at the end, so that each direction takes subtweakeys in its own order.

::

    encrypt    state ──▶ S-boxes ──A──▶ MixColumns, first sums ──B──▶ MixColumns (+) subtweakey ──C──▶
    decrypt    state ──▶ InvMixColumns ──D──▶ inverse S-boxes ──A──▶ (+) subtweakey ──C──▶
    both       state ──┬────────────────────▶ 0 ┐
                       └──▶ InvMixColumns ──D─▶ 1 ┴─▶ inversion in GF(2^8) ──A──┬──▶ affine map, MixColumns ──B──▶ 0 ┐
                                                                               └───────────────────────────B──▶ 1 ┴─▶(+)──▶

The inverse cipher is the straight one (Deoxys v1.41, section 2.2): a subtweakey has a tweak in it, and its form for the equivalent inverse
cipher would take an InvMixColumns of its own in each round.  So a round for both directions shares the inversion, and not MixColumns.

Letters are places of registers::

    registers    encrypt    decrypt    both          a round in a pipeline has one more behind it, and a round core its state
    0
    1            A          D          A
    2            A B        D A        D A
    3            A B C      D A C      D A B

With both directions, D registers the state beside InvMixColumns, too.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from modeloom.rtl.aes.layers.both import affine_in_luts, invert_bytes, map_before_in_luts
from modeloom.rtl.aes.layers.mixcolumns import inv_shift_rows, shift_rows
from modeloom.rtl.aes.layers.round_networks import add_in_luts, keyed_forward_network, lower_columns, plain_network
from modeloom.rtl.aes.parameters import columns, named
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.aes.sboxes.sbox import inv_sub_bytes, sub_bytes

__all__ = ["CUTS", "deoxys_round", "key_lead"]

CUTS = {
    "encrypt": ("", "A", "AB", "ABC"),
    "decrypt": ("", "D", "DA", "DAC"),
    "both": ("", "A", "DA", "DAB"),
}
"""Places of the registers of a round, for each direction and number of them."""


def key_lead(direction: str, registers: int) -> int:
    """How many registers of a round are behind its subtweakey: 0 or 1."""
    return int("C" in CUTS[direction][registers])


def deoxys_round(
    m: Module, state: Value, subtweakey: Value, direction: str, registers: int, way: Callable[[int], Value], name: str = "",
    whole_sboxes: bool = True,
) -> Value:
    """A round, added to *m*.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    state : Value
        128 bits.
    subtweakey : Value
        For the end of this round, in the cycle of the result, or a cycle before (:func:`key_lead`).
    direction : str
        "encrypt", "decrypt" or "both".
    registers : int
        0 to 3.
    way : callable
        ``way(n)``: whether the block that entered the round n cycles ago is decrypted.  It is used with "both".
    name : str
        Prefix of the names of registers.
    whole_sboxes : bool
        Asks tools to map each table by itself (see ``sub_bytes``).

    Returns
    -------
    Value
        The next state, *registers* cycles later.
    """
    cuts = CUTS[direction][registers]

    def cut(place: str, value: Value, what: str) -> Value:
        return register(m, value, name + what) if place in cuts else value

    if direction == "encrypt":
        state = cut("A", shift_rows(sub_bytes(m, state, whole=whole_sboxes)), "substituted")
        first = (lambda value, what: register(m, value, name + what)) if "B" in cuts else None
        state = lower_columns(m, keyed_forward_network(), state, subtweakey, register=first)
        return cut("C", state, "added")
    unmixed = cut("D", lower_columns(m, plain_network("decrypt"), state), "unmixed")
    if direction == "decrypt":
        state = cut("A", inv_sub_bytes(m, inv_shift_rows(unmixed), whole=whole_sboxes), "substituted")
        return cut("C", add_in_luts(m, state, subtweakey), "added")
    state = cut("D", state, "beside")
    before, after = int("D" in cuts), int("D" in cuts) + int("A" in cuts)
    chosen = map_before_in_luts(m, shift_rows(state), inv_shift_rows(unmixed), way(before))
    inverted = cut("A", invert_bytes(m, chosen, whole=whole_sboxes), "inverted")
    mixed = cut("B", lower_columns(m, plain_network("encrypt"), affine_in_luts(m, inverted)), "mixed")
    waiting = cut("B", inverted, "waiting")
    return _after_mix_columns(m, mixed, waiting, subtweakey, way(after + int("B" in cuts)))


def _after_mix_columns(m: Module, mixed: Value, waiting: Value, subtweakey: Value, decrypt: Value) -> Value:
    """*mixed*, or *waiting* if *decrypt*, and the subtweakey.  Each bit is one LUT."""
    result = []
    for parts in zip(columns(mixed), columns(waiting), columns(subtweakey), strict=True):
        m_c, w_c, k_c = (named(m, what, part) for what, part in zip(("mixed", "waiting", "key"), parts, strict=True))
        sums = [Signal(name=f"result_{n}", attrs={"keep": 1}) for n in range(32)]
        m.d.comb += [bit.eq(Mux(decrypt, w_c[n], m_c[n]) ^ k_c[n]) for n, bit in enumerate(sums)]
        result.append(named(m, "results", Cat(sums)))
    return Cat(result)
