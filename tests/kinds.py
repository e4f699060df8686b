# SPDX-License-Identifier: Apache-2.0
"""Operations, units and networks for programs and graphs that tests make by hand."""

from __future__ import annotations

from modeloom.allocate.program import ChainName, NetName, OutName, UnitName
from modeloom.spec.kinds import OPERANDS, OPERATIONS, UNITS, Kind, UnitKind

__all__ = ["chain", "kind", "lane", "net_of", "unit", "unit_kind"]


def kind(name: str, key_bits: int = 0) -> Kind:
    """An operation."""
    return Kind(OPERATIONS[name], key_bits)


def unit_kind(name: str, key_bits: int = 0) -> UnitKind:
    """A kind of unit."""
    return UnitKind(UNITS[name], key_bits)


def unit(name: str, number: int = 0, key_bits: int = 0) -> UnitName:
    """A unit."""
    return UnitName(unit_kind(name, key_bits), number)


def net_of(name: str, number: int = 0, operand: str = OPERANDS[0]) -> NetName:
    """The network before or behind a unit."""
    return NetName(unit(name, number), operand)


def lane(number: int = 0) -> NetName:
    """The network of a lane."""
    return NetName(OutName(number))


def chain(number: int = 0) -> NetName:
    """The network before the register of a chain."""
    return NetName(ChainName(number))
