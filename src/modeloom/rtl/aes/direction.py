# SPDX-License-Identifier: Apache-2.0
"""The direction of a core of a cipher, or of an S-box, chosen once: one of two, or both by a bit that comes with each block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, Member

from modeloom.rtl.aes.parameters import columns, named

__all__ = ["CORES", "LAYERS", "Direction", "KeyForm", "choose", "joined"]


def choose(condition: Value, yes: Value, no: Value) -> Value:
    """One of two values, column by column, for the sake of the simulator: see mixcolumns."""
    return Cat(Mux(condition, a, b) for a, b in zip(columns(yes), columns(no), strict=True))


def joined(way: Value, values: Sequence[Value]) -> Value:
    """The only value, or of two the second one if *way* is 1."""
    first, *second = values
    return choose(way, second[0], first) if second else first


class KeyForm(NamedTuple):
    """Round keys for one direction: whether it is decryption, a prefix of names, and the port that they come from."""

    backward: bool
    prefix: str
    data: Value

    @property
    def name(self) -> str:
        """ "enc" or "dec"."""
        return ("enc", "dec")[self.backward]


class Direction(str):
    """A direction.  It is equal to its name.

    Attributes
    ----------
    ways : tuple of bool
        The directions that a block may have.  True is decryption, or the inverse.
    port : str
        The input for the direction of a block.  It is empty if there is only one.
    """

    ways: tuple[bool, ...]
    port: str

    def __new__(cls, name: str, ways: tuple[bool, ...] = (), port: str = "") -> Direction:
        """A new direction."""
        self = super().__new__(cls, name)
        self.ways, self.port = ways, port
        return self

    @staticmethod
    def of(name: str) -> Direction:
        """The direction of a core with this name.  Raises ``ValueError``."""
        return _find(CORES, name)

    @staticmethod
    def of_layer(name: str) -> Direction:
        """The direction of an S-box or another layer with this name.  Raises ``ValueError``."""
        return _find(LAYERS, name)

    def require(self, names: Collection[str], error: Exception) -> None:
        """Raises *error* if this is none of the named directions."""
        if self not in names:
            raise error

    def ports(self, **ports: Member) -> dict[str, Member]:
        """Those ports if a block may have both directions, and otherwise none."""
        return ports if self.port else {}

    def bit(self, core: Component, name: str = "decrypt") -> Value:
        """The direction of the block at the inputs of a core.  With one direction, nothing drives or reads it."""
        return getattr(core, self.port) if self.port else Signal(name=name)

    def way(self, core: Component) -> bool | Value:
        """The only direction, or else that of the block at the inputs of a core."""
        return self.bit(core) if self.port else self.ways[0]

    def held(self, m: Module, core: Component, takes: Value, name: str = "decrypt") -> tuple[Value, Value]:
        """The direction of the block at work, from the cycle *takes* in which it comes, and from the next cycle on."""
        way = self.bit(core, name)
        if not self.port:
            return way, way
        decrypt_reg = Signal(name="decrypt_reg", reset_less=True)
        with m.If(takes):
            m.d.sync += decrypt_reg.eq(way)
        return Mux(takes, way, decrypt_reg), decrypt_reg

    def late(self, m: Module, way: Value, name: str) -> Value:
        """The direction of a block, a cycle later.  With one direction, it is the same."""
        if not self.port:
            return way
        late = Signal(name=name, reset_less=True)
        m.d.sync += late.eq(way)
        return late

    def choose(self, way: Value, forward: Value, backward: Value) -> Value:
        """One of two values: that of the direction of the core, or of a block of the direction *way*."""
        return joined(way, [(forward, backward)[each] for each in self.ways])

    def chosen(self, m: Module, name: str, way: Value, forward: Value, backward: Value) -> Value:
        """The same.  If it is chosen for each block, it is on signals with a name."""
        one = self.choose(way, forward, backward)
        return named(m, name, one) if self.port else one

    def key_forms(self, core: Component) -> list[KeyForm]:
        """The forms of round keys that a core of AES holds.  With both directions, the inverse cipher has a port of its own."""
        ports = ("key_data", "key_data_dec")
        return [KeyForm(way, ("", "dec_")[n], getattr(core, ports[n])) for n, way in enumerate(self.ways)]

    def draw(self, random: Random) -> tuple[bool, dict[str, int]]:
        """Whether a random operation goes backward, and the port that says so, if there is one."""
        if not self.port:
            return self.ways[0], {}
        way = random.random() < 0.5
        return way, {self.port: int(way)}


CORES = tuple(Direction(*of) for of in (("encrypt", (False,)), ("decrypt", (True,)), ("both", (False, True), "decrypt")))
"""The directions of cores."""

LAYERS = tuple(Direction(*of) for of in (("forward", (False,)), ("inverse", (True,)), ("both", (False, True), "inverse")))
"""The directions of S-boxes and of MixColumns."""


def _find(directions: tuple[Direction, ...], name: str) -> Direction:
    if name not in directions:
        raise ValueError(f"direction must be one of {', '.join(directions)}, not {name!r}")
    return directions[directions.index(name)]
