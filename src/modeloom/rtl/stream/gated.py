# SPDX-License-Identifier: Apache-2.0
"""Sums whose terms depend on the kind of a token.

Kinds that read the same value share its gate, so that a bit of a sum has one AND for each value, and not one for each kind::

    kind 0: a + b        ──▶    a & (kind 0 or kind 1)  +  b & kind 0  +  c & (kind 1, bytes of the piece)
    kind 1: a + cut(c)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

__all__ = ["GatedSum"]


class GatedSum:
    """The XOR of values, each of which counts for some kinds of tokens.

    Parameters
    ----------
    width : int
        Bits of a value, a multiple of 8.
    name : str
        Prefix of the names of gates.
    """

    def __init__(self, width: int, name: str):
        self.width, self._name = width, name
        self._values: dict[Hashable, Value] = {}
        # Values that are zero unless one of their conditions holds.
        self._quiet: set[Hashable] = set()
        # For each value: the conditions of whole values, and those of pieces with a mask of their bytes.
        self._whole: dict[Hashable, list[Value]] = {}
        self._pieces: dict[Hashable, list[tuple[Value, Value]]] = {}

    def add(self, key: Hashable, when: Value, value: Value, mask: Value | None = None, *, quiet: bool = False) -> None:
        """Adds a value under a condition of one bit, of which at most one holds in a cycle.

        Parameters
        ----------
        key : hashable
            Equal keys have equal values.
        when, value : Value
            The condition, and the value.
        mask : Value, optional
            The bytes that count, one bit for each.
        quiet : bool
            The value is zero unless the condition holds.  It needs no gate then.
        """
        if quiet:
            self._quiet.add(key)
        self._values.setdefault(key, value)
        if mask is None:
            self._whole.setdefault(key, []).append(when)
        else:
            self._pieces.setdefault(key, []).append((when, mask))

    def hush(self, key: Hashable, conditions: Sequence[Value]) -> None:
        """Takes the gate of a value that is zero unless one of some conditions holds, if it is added under each of them."""
        whole = [id(when) for when in self._whole.get(key, ())]
        if key not in self._pieces and all(whole.count(id(when)) == 1 for when in conditions):
            self._quiet.add(key)

    def has(self, key: Hashable) -> bool:
        """Whether a value is added under some condition."""
        return key in self._values

    def join(self, keys: Sequence[Hashable], conditions: Sequence[Value], mask: int, value: Value) -> None:
        """Gives some bits of values one source without a gate, if every token adds exactly one of these values.

        Parameters
        ----------
        keys : sequence of hashable
            The values.
        conditions : sequence of Value
            One of these holds whenever there is a token.
        mask : int
            A one for each of the bits.
        value : Value
            What these bits are, whichever value is added.
        """
        if any(key in self._pieces or key in self._quiet or key not in self._values for key in keys):
            return
        added = [id(when) for key in keys for when in self._whole[key]]
        if sorted(added) != sorted(map(id, conditions)):
            return
        for key in keys:
            whole = self._values[key]
            self._values[key] = Cat(Const(0, 1) if mask >> at & 1 else whole[at] for at in range(self.width))
        self.add(("joined", *keys), Const(1, 1), Cat(value[at] if mask >> at & 1 else Const(0, 1) for at in range(self.width)), quiet=True)

    def total(self, m: Module) -> Value:
        """The sum.  Its gates are added to *m*.  A sum of one whole value is a multiplexer with 0, which registers make their reset."""
        parts: list[Value] = []
        for number, (key, value) in enumerate(self._values.items()):
            # A kind may add a value and a piece of it.  So conditions are summed, too.
            if key in self._quiet:
                parts.append(value)
                continue
            whole = reduce(xor, self._whole.get(key, ()), Const(0, 1))
            pieces = self._pieces.get(key, [])
            gate = Signal(self.width // 8 if pieces else 1, name=f"{self._name}_gate_{number}")
            if not pieces:
                m.d.comb += gate.eq(whole)
                parts.append(Mux(gate, value, 0))
                continue
            bytes_here = reduce(xor, (mask & when.replicate(len(gate)) for when, mask in pieces))
            m.d.comb += gate.eq(bytes_here ^ whole.replicate(len(gate)))
            parts.append(value & Cat(bit.replicate(8) for bit in gate))
        return reduce(xor, parts) if parts else Const(0, self.width)
