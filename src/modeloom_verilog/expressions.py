# SPDX-License-Identifier: Apache-2.0
"""Expressions of a netlist.  They are compared by value, and simplified when they are made.

Every expression has a width.  Its operands have exactly the widths that its operator needs, so Verilog never extends or truncates
one::

    a + b         both as wide as the result          a == b    both equally wide
    c ? a : b     c one bit, both as wide as the result

Trivial expressions are never made: ``x & 1``, ``x ^ 0``, a choice by a constant, a choice between equal arms.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

__all__ = [
    "BITWISE", "Expr", "all_nets", "binary", "choice", "concat", "const", "net", "part", "part_of", "reduced", "shifted", "signed",
    "unary", "wide",
]  # fmt: skip

BITWISE = {"&": "and", "|": "or", "^": "xor"}
"""Operators that work on each bit separately, with their names."""

SIZED = {**BITWISE, "+": "sum", "-": "difference", "*": "product"}
"""Operators whose operands are as wide as their result."""


@dataclass(frozen=True, eq=True)
class Expr:
    """An expression.

    Attributes
    ----------
    op : str
        "net", "const", "concat", "repeat", "choice", "~", "signed", a reduction ("r&", "r|", "r^"), or an operator of Verilog.
    width : int
        Bits.
    args : tuple of Expr
        Operands.  For a concatenation, the most significant one is the first.  For a choice, they are condition, one and other.
    name : str
        Name of a net, or bits of a constant as text, with the most significant bit first.
    low : int
        First bit of the net that belongs to the expression.
    """

    op: str
    width: int
    args: tuple[Expr, ...] = ()
    name: str = ""
    low: int = 0
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op, self.width, self.args, self.name, self.low)))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def size(self) -> int:
        """Number of operands in the expression.  It measures how hard the expression is to read."""
        return 1 if not self.args else sum(arg.size for arg in self.args)

    @property
    def constant(self) -> bool:
        return self.op == "const"


def const(width: int, value: int | str = 0) -> Expr:
    """A constant, from a number or from its bits as text."""
    text = value if isinstance(value, str) else format(value, f"0{width}b") if width else ""
    return Expr("const", width, name=text)


def net(name: str, width: int) -> Expr:
    """All bits of a net."""
    return Expr("net", width, name=name)


def part(name: str, low: int, width: int) -> Expr:
    """Some bits of a net."""
    return Expr("net", width, name=name, low=low)


def concat(parts: list[Expr] | tuple[Expr, ...]) -> Expr:
    """A concatenation of parts, the most significant one first.  Adjacent bits of one net become one part."""
    flat: list[Expr] = []
    for one in parts:
        for piece in one.args if one.op == "concat" else (one,):
            if not piece.width:
                continue
            last = flat[-1] if flat else None
            if last is not None and last.constant and piece.constant:
                flat[-1] = const(last.width + piece.width, last.name + piece.name)
            elif last is not None and last.op == piece.op == "net" and last.name == piece.name and piece.low + piece.width == last.low:
                flat[-1] = Expr("net", last.width + piece.width, name=last.name, low=piece.low)
            elif last is not None and piece.width == 1 and _repeats(last, piece):
                flat[-1] = Expr("repeat", last.width + 1, (piece,))
            else:
                flat.append(piece)
    if len(flat) < 2:
        return flat[0] if flat else const(0, "")
    if all(one.op == "choice" and one.args[0] == flat[0].args[0] for one in flat):
        return choice(flat[0].args[0], *(concat([one.args[arm] for one in flat]) for arm in (1, 2)))
    return Expr("concat", sum(one.width for one in flat), tuple(flat))


def _repeats(last: Expr, piece: Expr) -> bool:
    return not piece.constant and (last == piece or last.op == "repeat" and last.args[0] == piece)


def wide(value: Expr, width: int, is_signed: bool = False) -> Expr:
    """A value extended with zeros or with its sign, or truncated to its lower bits."""
    if value.width == width:
        return value
    if value.width > width:
        cut = part_of(value, 0, width)
        if cut is None:
            raise ValueError("a result that is cut off has no name")
        return cut
    if not is_signed or not value.width:
        return concat([const(width - value.width), value])
    sign = part_of(value, value.width - 1, 1)
    if sign is None:
        raise ValueError("a sign of what has no name")
    return concat([sign] * (width - value.width) + [value])


def part_of(value: Expr, low: int, width: int) -> Expr | None:
    """Some bits of a value, if Verilog can select them without a net for the value."""
    if not low and width == value.width:
        return value
    if value.op == "net":
        return Expr("net", width, name=value.name, low=value.low + low)
    if value.op == "const":
        end = value.width - low
        return const(width, value.name[end - width : end])
    if value.op == "repeat":
        return concat([value.args[0]] * width)
    if value.op == "concat":
        pieces: list[Expr] = []
        at = value.width
        for one in value.args:
            at -= one.width
            first, last = max(low, at), min(low + width, at + one.width)
            if first < last:
                piece = part_of(one, first - at, last - first)
                if piece is None:
                    return None
                pieces.append(piece)
        return concat(pieces)
    if value.op == "choice":
        arms = [part_of(arm, low, width) for arm in value.args[1:]]
        return None if arms[0] is None or arms[1] is None else choice(value.args[0], arms[0], arms[1])
    if value.op == "~":
        arm = part_of(value.args[0], low, width)
        return None if arm is None else unary("~", arm)
    # The lower bits of a sum are the sum of the lower bits.
    if value.op in BITWISE or value.op in SIZED and not low:
        arms = [part_of(arm, low, width) for arm in value.args]
        return None if arms[0] is None or arms[1] is None else binary(value.op, arms[0], arms[1])
    return None


def choice(condition: Expr, one: Expr, other: Expr) -> Expr:
    """``condition ? one : other``."""
    if one == other:
        return one
    if condition.constant:
        return one if "1" in condition.name else other
    if condition.op == "~":
        condition, one, other = condition.args[0], other, one
    if condition.op == "==" and one == _default(other, condition.args[0], condition.args[1]):
        return other
    if one.width == 1 and one.constant and other.constant:
        return condition if one.name == "1" else unary("~", condition)
    return Expr("choice", one.width, (condition, one, other))


def _default(chain: Expr, tested: Expr, number: Expr) -> Expr | None:
    """The result of a chain of choices on one signal, for a value that no choice in the chain compares with."""
    while chain.op == "choice" and chain.args[0].op == "==" and chain.args[0].args[0] == tested:
        other = chain.args[0].args[1]
        if not other.constant or not number.constant or other == number:
            return None
        chain = chain.args[2]
    if chain.op == "==" and chain.args[0] == tested and chain.args[1].constant and chain.args[1] != number:
        return const(1, 0)
    return chain


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


_FOLDED = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def unary(op: str, a: Expr) -> Expr:
    """The complement of all bits."""
    if a.op == "~":
        return a.args[0]
    if a.constant and not a.name.strip("01"):
        return const(a.width, a.name.translate(str.maketrans("01", "10")))
    if a.op in _OPPOSITE and a.args[0].op != "signed":
        return Expr(_OPPOSITE[a.op], 1, a.args)
    if a.op == "r|":
        return Expr("==", 1, (a.args[0], const(a.args[0].width)))
    return Expr(op, a.width, (a,))


def reduced(op: str, a: Expr) -> Expr:
    """All bits of a value under "&", "|" or "^"."""
    if not a.width:
        return const(1, int(op == "&"))
    if a.width == 1:
        return a
    if a.op == "repeat" and op != "^":
        return a.args[0]
    return Expr(f"r{op}", 1, (a,))


def signed(a: Expr) -> Expr:
    """A value as a signed number, for a comparison or a shift."""
    return Expr("signed", a.width, (a,))


def shifted(op: str, a: Expr, distance: Expr) -> Expr:
    """A value shifted by a number.  For a constant number it is the bits at other places, if they can be written without a name."""
    if not distance.constant or distance.name.strip("01"):
        return Expr(op, a.width, (a, distance))
    places = int(distance.name or "0", 2)
    if not places:
        return a
    if op == ">>>":
        value = a.args[0]
        sign = part_of(value, value.width - 1, 1)
        rest = part_of(value, places, value.width - places) if places < value.width else const(0)
        return Expr(op, a.width, (a, distance)) if sign is None or rest is None else concat([sign] * min(places, value.width) + [rest])
    if places >= a.width:
        return const(a.width)
    rest = part_of(a, places if op == ">>" else 0, a.width - places)
    if rest is None:
        return Expr(op, a.width, (a, distance))
    return concat([const(places), rest] if op == ">>" else [rest, const(places)])


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """Two operands of equal width with an operator of ``SIZED`` or a comparison."""
    if a.constant and b.constant and op in _FOLDED and not (a.name + b.name).strip("01"):
        return const(1, int(_FOLDED[op](int(a.name or "0", 2), int(b.name or "0", 2))))
    if a.constant and not b.constant and op in "&|^+*":
        a, b = b, a
    if b.constant and (found := _with_constant(op, a, b)) is not None:
        return found
    if a == b and op in "&|":
        return a
    if a == b and op in ("==", "!="):
        return const(1, int(op == "=="))
    return Expr(op, a.width if op in SIZED else 1, (a, b))


def _with_constant(op: str, a: Expr, b: Expr) -> Expr | None:
    """What an operation with a constant is without the operation, if it is anything simpler."""
    zeros, ones = not b.name.strip("0"), not b.name.strip("1")
    if zeros and op in "|^+-" or ones and op == "&":
        return a
    if zeros and op in "&*" or ones and op == "|":
        return b
    if ones and op == "^":
        return unary("~", a)
    if op not in ("==", "!="):
        return None
    if a.width == 1:
        return a if (op == "==") == ones else unary("~", a)
    return None if a.width else const(1, int(op == "=="))


def all_nets(value: Expr) -> Iterator[Expr]:
    """All occurrences of nets in an expression."""
    stack = [value]
    while stack:
        one = stack.pop()
        if one.op == "net":
            yield one
        stack += reversed(one.args)
