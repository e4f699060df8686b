# SPDX-License-Identifier: Apache-2.0
"""Names of the parts of a program, in listings and in Verilog.  Each name is a value with members, and is never parsed::

    cipher0, enc256_1        unit: kind, number              its bank has the same name
    in0, lane0               bank of the input blocks of a lane, and its writer
    out0, chain0             lane on which blocks leave; register of a chain
    cipher0.a, out0.a, …     network: its owner, operand
"""

from __future__ import annotations

from typing import Final, Self

from modeloom.spec.kinds import OPERANDS, UnitKind

__all__ = ["POST", "TWEAK", "ChainName", "InputName", "LaneName", "NetName", "OutName", "UnitName"]

POST: Final = "post"
"""The operand of the sum after a unit."""

TWEAK: Final = "tweak"
"""The bank of tweaks, and its writer."""


class UnitName(str):
    """A unit of the engine, and the bank of its results."""

    __slots__ = ("kind", "number")

    kind: UnitKind
    number: int

    def __new__(cls, kind: UnitKind, number: int) -> UnitName:
        # An underscore separates the bits of a cipher key from the number.
        self = super().__new__(cls, f"{kind}_{number}" if kind.key_bits else f"{kind}{number}")
        self.kind, self.number = kind, number
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return UnitName, (self.kind, self.number)


class _Numbered(str):
    """A word with a number."""

    __slots__ = ("number",)

    WORD = ""
    number: int

    def __new__(cls, number: int) -> Self:
        self = super().__new__(cls, f"{cls.WORD}{number}")
        self.number = number
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.number,)


class InputName(_Numbered):
    """The bank of the input blocks of a lane."""

    WORD = "in"


class LaneName(_Numbered):
    """A lane of the bus, which writes its bank."""

    WORD = "lane"


class OutName(_Numbered):
    """A lane on which blocks leave."""

    WORD = "out"


class ChainName(_Numbered):
    """The register of a chain."""

    WORD = "chain"


class NetName(str):
    """A network: before an operand of a unit, after the unit (``POST``), on a lane, or before a chain."""

    __slots__ = ("operand", "owner")

    owner: UnitName | OutName | ChainName
    operand: str

    def __new__(cls, owner: UnitName | OutName | ChainName, operand: str = OPERANDS[0]) -> NetName:
        self = super().__new__(cls, f"{owner}.{operand}")
        self.owner, self.operand = owner, operand
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return NetName, (self.owner, self.operand)

    @property
    def first(self) -> bool:
        """Whether it feeds the first operand, whose rows select the operation of the unit."""
        return self.operand == OPERANDS[0]

    @property
    def post(self) -> bool:
        """Whether it feeds the sum after a unit."""
        return self.operand == POST
