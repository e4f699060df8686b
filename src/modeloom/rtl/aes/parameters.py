# SPDX-License-Identifier: Apache-2.0
"""Parameters that every AES component shares, and their checks.

AES state (FIPS 197, 3.4) in a 128-bit signal: row r, column c is byte r + 4c, at bits [8(r+4c) + 7 : 8(r+4c)]::

    bits     7:0   39:32   71:64  103:96
            15:8   47:40   79:72 111:104
           23:16   55:48   87:80 119:112
           31:24   63:56   95:88 127:120
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from amaranth.hdl import Cat, Module, Mux, Shape, Signal, Value
from amaranth.lib.wiring import Component, Member

from modeloom.spec import DefinitionError

__all__ = [
    "BLOCK_BITS", "CORES", "LAYERS", "ROUNDS", "Direction", "KeyForm", "check_count", "check_key_bits", "choose", "columns",
    "joined", "named", "slot_shape",
]  # fmt: skip


# -- parameters ------------------------------------------------------------------------------------------------------------------------

BLOCK_BITS = 128

#: Key length in bits to number of rounds (FIPS 197, table 3).
ROUNDS = {128: 10, 192: 12, 256: 14}


def check_count(name: str, value: int, low: int = 1, high: int | None = None) -> int:
    """*value* if it is an integer of at least *low* (and at most *high*).

    Raises
    ------
    TypeError
        *value* is not an integer.
    ValueError
        *value* is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if value < low or (high is not None and value > high):
        wanted = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be {wanted}, not {value}")
    return value


def check_key_bits(key_bits: object) -> int:
    """*key_bits* if it is an AES key length, 128, 192 or 256.

    Raises
    ------
    TypeError
        *key_bits* is not an integer.
    ValueError
        *key_bits* is another number.
    """
    if isinstance(key_bits, bool) or not isinstance(key_bits, int):
        raise TypeError(f"key_bits must be an integer, not {key_bits!r}")
    if key_bits not in ROUNDS:
        raise ValueError(f"key_bits must be 128, 192 or 256, not {key_bits}")
    return key_bits


UNNAMED = None
"""In the place of a value, if a call has the form of interface 1."""


def slot_shape(slots: int) -> Shape:
    """Shape of a slot number. It has at least one bit, because Verilog has no ports of zero bits."""
    return Shape.cast(range(max(2, slots)))


def named(m: Module, name: str, value: Value | None = UNNAMED) -> Value:
    """*value* on signals of up to 32 bits, in *m*.  If there are several, each name ends in its number.

    Amaranth emits the logic of an expression again for each use and walks through all of it for each slice; a signal is
    there once.

    Raises ``DefinitionError`` for a call in the form of interface 1, which had no name (docs/user-api.md).
    """
    if not isinstance(name, str):
        raise DefinitionError('named(m, value) of interface 1 is now named(m, "name", value); docs/user-api.md lists changed calls')
    words = columns(value)
    signals = []
    for n, column in enumerate(words):
        signal = Signal(len(column), name=f"{name}_{n}" if len(words) > 1 else name)
        m.d.comb += signal.eq(column)
        signals.append(signal)
    return Cat(signals) if len(signals) > 1 else signals[0]


def columns(block: Value) -> list[Value]:
    """The 32-bit words of *block*, column 0 first."""
    return [block[low : low + 32] for low in range(0, len(block), 32)]


# -- direction -------------------------------------------------------------------------------------------------------------------------

# The direction of a core of a cipher, or of an S-box, chosen once: one of two, or both by a bit that comes with each block.


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
