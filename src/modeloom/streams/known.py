# SPDX-License-Identifier: Apache-2.0
"""Lengths of a message as a definition sees them while it is traced, and small numbers that it computes of them.

::

    14 - nonce.nbytes      a table: nonce of 7 bytes ─▶ 7, of 8 bytes ─▶ 6, ...
    n.associated > 0       a table of two entries
    n.text                 a number that only goes into a block

A length that has a few values may be computed with.  The result is a table of all cases, which is what the core has.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NoReturn, SupportsIndex, TypeAlias

from modeloom.spec import DefinitionError

__all__ = ["SOME", "Known", "Length", "lengths_in_start"]

SOME = "some"
"""The name of the number that is 1 if there are associated data."""

MOST_CASES = 1 << 12
"""Entries of a table."""

Operand: TypeAlias = "SupportsIndex | Known | Length"
"""What a definition adds to a number that depends on lengths, or multiplies it by."""


@dataclass(frozen=True)
class Known:
    """A number that depends on lengths of which there are a few.

    Attributes
    ----------
    mode : str
    names : tuple of str
        The lengths that it depends on: "nonce", "tag" or ``SOME``.
    cases : tuple of (tuple of int, int)
        For all values of these, the number.
    """

    mode: str
    names: tuple[str, ...]
    cases: tuple[tuple[tuple[int, ...], int], ...]

    def value(self, lengths: Mapping[str, int]) -> int:
        """The number for a message with these lengths."""
        return dict(self.cases)[tuple(lengths[name] for name in self.names)]

    def _with(self, function: Callable[[int, int], int], other: Operand, turned: bool = False) -> Known:
        if isinstance(other, Length):
            other = other.known()
        if not isinstance(other, Known):
            other = Known(self.mode, (), (((), operator.index(other)),))
        left, right = (other, self) if turned else (self, other)
        values: dict[str, list[int]] = {}
        for one in (left, right):
            for at, name in enumerate(one.names):
                values[name] = sorted({case[at] for case, _ in one.cases})
        names, cases = tuple(values), []
        for case in product(*values.values()):
            lengths = dict(zip(names, case, strict=True))
            try:
                cases.append((case, operator.index(function(left.value(lengths), right.value(lengths)))))
            except ZeroDivisionError:
                raise DefinitionError(f"{self.mode}: a number that depends on lengths is divided by 0") from None
        if len(cases) > MOST_CASES:
            raise DefinitionError(f"{self.mode}: a number depends on lengths in {len(cases)} cases; a core has tables of {MOST_CASES}")
        return Known(self.mode, names, tuple(cases))

    def _refuse(self, *_: object) -> NoReturn:
        raise DefinitionError(
            f"{self.mode}: a number that depends on lengths is known when a message comes; a definition adds to it, multiplies it, and "
            "gives it to o.number()"
        )

    def __add__(self, other: Operand) -> Known:
        return self._with(operator.add, other)

    def __radd__(self, other: Operand) -> Known:
        return self._with(operator.add, other, True)

    def __sub__(self, other: Operand) -> Known:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Operand) -> Known:
        return self._with(operator.sub, other, True)

    def __mul__(self, other: Operand) -> Known:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Operand) -> Known:
        return self._with(operator.mul, other, True)

    def __floordiv__(self, other: Operand) -> Known:
        return self._with(operator.floordiv, other)

    def __mod__(self, other: Operand) -> Known:
        return self._with(operator.mod, other)

    __bool__ = __index__ = __int__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


class Length:
    """A number of bytes that is known when the core runs.

    Parameters
    ----------
    mode : str
        Name of the mode, for messages.
    name : str
        "nonce", "associated", "text" or "tag".
    values : collection of int or None
        The possible values if there are only a few.  It may then be compared with a value that it never has, and computed with.
    first : bool
        Whether it is known before the message begins, so that it may be asked whether it is 0.
    """

    def __init__(self, mode: str, name: str, values: Iterable[int] | None = None, first: bool = False):
        self.mode, self.name, self.first = mode, name, first
        self.values = None if values is None else frozenset(values)

    def known(self) -> Known:
        """The number, for computing with it."""
        if self.values is None:
            self._refuse()
        return Known(self.mode, (self.name,), tuple(((value,), value) for value in sorted(self.values)))

    def _refuse(self, *_: object) -> NoReturn:
        raise DefinitionError(
            f"{self.mode}: the bytes of {self.name} are known when a message comes; a definition gives them to o.bit_lengths(), and "
            "compares those of a nonce with what divides its classes (nonce_bytes)"
        )

    def __eq__(self, other: object) -> bool:
        if self.values is None or not isinstance(other, int) or other in self.values:
            self._refuse()
        return False

    def __gt__(self, other: object) -> Known:
        if not self.first or self.name != "associated" or not isinstance(other, int) or other != 0:
            self._refuse()
        return Known(self.mode, (SOME,), (((0,), 0), ((1,), 1)))

    def __add__(self, other: Operand) -> Known:
        return self.known() + other

    def __radd__(self, other: Operand) -> Known:
        return self.known().__radd__(other)

    def __sub__(self, other: Operand) -> Known:
        return self.known() - other

    def __rsub__(self, other: Operand) -> Known:
        return self.known().__rsub__(other)

    def __mul__(self, other: Operand) -> Known:
        return self.known() * other

    def __rmul__(self, other: Operand) -> Known:
        return self.known().__rmul__(other)

    def __floordiv__(self, other: Operand) -> Known:
        return self.known() // other

    def __mod__(self, other: Operand) -> Known:
        return self.known() % other

    __bool__ = __index__ = __int__ = __lt__ = __le__ = __ge__ = _refuse


def lengths_in_start(nonce: int, associated: int, text: int, tag: int) -> dict[str, int]:
    """The lengths of a message by the names that numbers in ``start`` use."""
    return {"nonce": nonce, "associated": associated, "text": text, "tag": tag, SOME: int(associated > 0)}
