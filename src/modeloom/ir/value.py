# SPDX-License-Identifier: Apache-2.0
"""A block of a definition while it is traced. It stands for every value, so XOR is its only operator.

It refuses everything else that Python does with numbers, and names the operation for blocks.  Otherwise ``if x:`` would take one branch in
the core and both in the software model, where blocks are numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from modeloom.spec import DefinitionError

if TYPE_CHECKING:
    from modeloom.ir.trace import Tracer

__all__ = ["Value"]

_BRANCH = "a definition may branch on lengths and positions only, because a core does the same for all values"

_REFUSED = {
    "has no truth value": (_BRANCH, "bool"),
    "cannot be compared": (_BRANCH, "eq ne lt le gt ge contains"),
    "has no hash, so it cannot be in a dict or set": ("use its number in the list", "hash"),
    "has no length": ("o.head() and o.tail() take parts of it; len(p), p.nbytes and p.tail belong to the sector", "len"),
    "has no parts by index": ("o.head() and o.tail() take parts of it", "getitem iter reversed"),
    "is not a number, because it stands for every value": (
        "o.const() makes a block of a number",
        "int index float complex round trunc format bytes",
    ),
    "cannot be added or subtracted": (
        "a ^ b is the sum in the field, and o.add32() and o.add() add to a counter",
        "add radd sub rsub neg pos abs",
    ),
    "cannot be multiplied with *": ("write o.mul(a, b), or o.double(a, k) for a * x^k", "mul rmul matmul rmatmul"),
    "cannot be divided": (
        "o.inverse() in setup() inverts a key value",
        "truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod",
    ),
    "has no powers with **": ("write o.power(h, e) for a key value, or products", "pow rpow"),
    "cannot be shifted": ("o.double(a, k) is a * x^k, and moves bytes if k is a multiple of 8", "lshift rlshift rshift rrshift"),
    "does not support &, | and ~": ("o.head() and o.tail() take parts, and a ^ o.const(n) changes bits", "and rand or ror invert"),
    "cannot be changed": ("make a new one", "setitem delitem"),
    "cannot be called": ("it is a block", "call"),
}
"""What a block cannot do, what to write instead, and the operations of Python that this refuses."""


class Value:
    """A block of the definition while it is traced: node ``id`` of a tracer."""

    __slots__ = ("tracer", "id")

    def __init__(self, tracer: Tracer, id: int):
        self.tracer = tracer
        self.id = id

    def __xor__(self, other: object) -> Value:
        return self.tracer.xor(self, other)

    __rxor__ = __xor__

    def __repr__(self) -> str:
        return "<block>"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a block has no {name!r}: it stands for every value, and the words of o work on it")


def _refusal(what: str, instead: str) -> Callable[..., NoReturn]:
    def refuse(self: Value, *_: object) -> NoReturn:
        raise DefinitionError(f"{self.tracer.trace.mode}: a block {what}; {instead}")

    return refuse


for _what, (_instead, _names) in _REFUSED.items():
    for _name in _names.split():
        setattr(Value, f"__{_name}__", _refusal(_what, _instead))
