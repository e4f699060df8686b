# SPDX-License-Identifier: Apache-2.0
"""The kinds of operations, and of the functional units that perform them: all that the compiler knows about each, as data.

A unit takes the operands of an operation, and a number if the operation has one.  Some cycles later it returns a block::

    operands ──▶ ┌────────────┐
    number   ──▶ │ unit       │ ──▶ result          enc, dec        number of the cipher key; tenc and tdec also take a tweak
                 └────────────┘                     add, add64, …   what is added
                                                    mul, sqr, acc   none

A new kind needs an entry here and a component in ``cores.components``.  It is then traced, scheduled, allocated, proved and built like the
others.  If an entry does not say what an operation does to normal forms, the proof treats it as an unknown function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from modeloom.spec.counters import COUNTERS, Counter
from modeloom.spec.errors import many
from modeloom.spec.mode import CipherKey, Operations

__all__ = [
    "ACC", "BOTH", "CIPHER", "DEC", "ENC", "MUL", "OPERANDS", "OPERATIONS", "OUT", "SQR", "TDEC", "TENC", "UNITS", "Kind", "Operation",
    "UnitKind", "UnitTiming", "UnitType", "register",
]  # fmt: skip

OPERANDS = ("a", "b", "c", "d")
"""Names of the operands of a unit, in order."""


@dataclass(frozen=True)
class UnitTiming:
    """Latency of the component of a unit, and interval between two operations, both in cycles."""

    core: int
    interval: int = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitType:
    """A kind of unit.

    Attributes
    ----------
    name : str
        Name in listings and, followed by a number, in names of instances.  It consists of letters.
    ports : tuple of str
        The port of the component for each operand.
    keyed : bool
        Whether its components hold the round keys of a cipher.
    either : bool
        Whether it performs two operations that are inverse to each other.  A direction bit selects one.
    laned : bool
        Whether operations of block i run on instance i modulo the number of instances.
    leaves : bool
        Whether blocks leave the engine here.  It is then an output lane.
    component : bool
        Whether there is a component between the operand network and the sum behind the unit.
    group : str or None
        Group in the area report; None for the engine.  "cipher" appears there as the name of the cipher.
    noun : str
        Noun for messages and documents.
    timing : UnitTiming or None
        Timing of its component, if it does not follow from the options (``compiler.units``).
    """

    name: str
    ports: tuple[str, ...] = ("i",)
    keyed: bool = False
    either: bool = False
    laned: bool = False
    leaves: bool = False
    component: bool = True
    group: str | None = None
    noun: str = ""
    timing: UnitTiming | None = None

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the operands."""
        return OPERANDS[: len(self.ports)]


V = TypeVar("V")

OnNumbers = Callable[[Operations[int], Sequence[int], int], int]
OnForms = Callable[[Any, Sequence[Any], int], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation:
    """A kind of operation.

    Attributes
    ----------
    name : str
        Name in definitions (``o.NAME``), dumps and listings, and of the component in Verilog.
    unit : UnitType
        The unit that performs it.
    shared : UnitType or None
        The unit that performs both it and its inverse, behind one operand network.
    commutes : bool
        Whether the operands may be exchanged.
    numbers : range
        The numbers that it may have.  Empty if it has none, or the number of a cipher key.
    inverse : str
        The operation that inverts it in the first operand, with the same key and the same further operands.
    inverse_keys : bool
        Whether its component gets the round keys in the form for the inverse cipher.
    of_keys : bool
        Whether it works on key values in every sector, without a word in the key memory.
    adds : bool
        Whether terms may be added to its result, and whether it may be truncated.
    linear : bool
        Whether its result is linear in each operand.
    counter : Counter or None
        The counter that it adds to.
    sign : str
        Its sign before a number in listings.  If empty, the name is used.
    on_numbers : callable
        ``on_numbers(o, operands, number)`` is the result for blocks that are numbers, where ``o`` is ``spec.Numbers``.
    on_forms : callable or None
        The same for normal forms, where ``o`` is ``prove.polynomials.Algebra``.  If None, only ``inverse`` is known about the operation.
    """

    name: str
    unit: UnitType
    on_numbers: OnNumbers
    shared: UnitType | None = None
    commutes: bool = False
    numbers: range = range(0)
    inverse: str = ""
    inverse_keys: bool = False
    of_keys: bool = False
    adds: bool = True
    linear: bool = False
    counter: Counter | None = None
    sign: str = ""
    on_forms: OnForms | None = field(default=None, repr=False)

    @property
    def keyed(self) -> bool:
        """Whether its number is the number of a cipher key."""
        return self.unit.keyed

    @property
    def numbered(self) -> bool:
        """Whether it has a number in definitions."""
        return self.keyed or bool(self.numbers)

    @property
    def operands(self) -> int:
        """Number of its operands."""
        return len(self.unit.ports)

    @property
    def signature(self) -> str:
        """Its arguments in a definition, for messages."""
        blocks = many(self.operands, "block")
        return f"{blocks}, key=" if self.keyed else f"{blocks} and a number" if self.numbers else blocks


class Kind(str):
    """The kind of an operation in a graph.

    ``key_bits`` is the length of its cipher key if the mode fixes this length (``Mode.fixed_key_bits``), and 0 otherwise.  As text, a
    kind is the name of the operation, followed by ``key_bits`` unless it is 0.
    """

    __slots__ = ("key_bits", "operation")

    operation: Operation
    key_bits: int

    def __new__(cls, operation: Operation, key_bits: int = 0) -> Kind:
        self = super().__new__(cls, f"{operation.name}{key_bits or ''}")
        self.operation, self.key_bits = operation, key_bits
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _kind, (self.operation.name, self.key_bits)

    @property
    def unit(self) -> UnitKind:
        """The unit that performs only this operation."""
        return UnitKind(self.operation.unit, self.key_bits)

    @property
    def shared(self) -> UnitKind | None:
        """The unit that performs both it and its inverse; None if there is none, and for keys of a fixed length."""
        return UnitKind(self.operation.shared) if self.operation.shared and not self.key_bits else None

    @property
    def widest(self) -> UnitKind:
        """The shared unit if there may be one, and otherwise the unit for this operation alone."""
        return self.shared or self.unit


class UnitKind(str):
    """The kind of a unit.  ``key_bits`` is the length of its cipher keys if the mode fixes this length, and 0 otherwise."""

    __slots__ = ("key_bits", "type")

    type: UnitType
    key_bits: int

    def __new__(cls, type: UnitType, key_bits: int = 0) -> UnitKind:
        self = super().__new__(cls, f"{type.name}{key_bits or ''}")
        self.type, self.key_bits = type, key_bits
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unit_kind, (self.type.name, self.key_bits)

    def does(self, kind: Kind) -> bool:
        """Whether the unit performs an operation."""
        return self.key_bits == kind.key_bits and self.type in (kind.operation.unit, kind.operation.shared)


def _kind(name: str, key_bits: int) -> Kind:
    return Kind(OPERATIONS[name], key_bits)


def _unit_kind(name: str, key_bits: int) -> UnitKind:
    return UnitKind(UNITS[name], key_bits)


_ENC = UnitType(name="enc", keyed=True, laned=True, group="cipher", noun="encrypter")
_DEC = UnitType(name="dec", keyed=True, laned=True, group="cipher", noun="decrypter")
_CIPHER = UnitType(name="cipher", keyed=True, either=True, laned=True, group="cipher", noun="cipher")
_TENC = UnitType(name="tenc", ports=("i", "tweak"), keyed=True, laned=True, group="cipher", noun="tweakable encrypter")
_TDEC = UnitType(name="tdec", ports=("i", "tweak"), keyed=True, laned=True, group="cipher", noun="tweakable decrypter")
_MUL = UnitType(name="mul", ports=("a", "b"), group="multipliers", noun="multiplier")
_SQR = UnitType(name="sqr", group="squarers", noun="squarer")
_ADD = UnitType(name="add", group="counters", noun="counter")
_ACC = UnitType(name="acc", component=False, noun="adder")
_OUT = UnitType(name="out", laned=True, leaves=True, component=False, noun="output lane")


def _encrypted(o: Operations[int], operands: Sequence[int], number: int) -> int:
    return o.enc(operands[0], CipherKey(number))


def _decrypted(o: Operations[int], operands: Sequence[int], number: int) -> int:
    return o.dec(operands[0], CipherKey(number))


def _adder(name: str, sign: str, counter: Counter) -> Operation:
    return Operation(
        name=name, unit=_ADD, numbers=range(1, 1 << counter.bits), counter=counter, sign=sign,
        on_numbers=lambda o, x, n: o.add(x[0], n, *counter),
        on_forms=lambda o, x, n: o.counter(name, n, counter.bits, x[0]),
    )  # fmt: skip


def _first(o: object, operands: Sequence[V], number: int) -> V:
    return operands[0]


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(name="enc", unit=_ENC, shared=_CIPHER, inverse="dec", on_numbers=_encrypted),
        Operation(name="dec", unit=_DEC, shared=_CIPHER, inverse="enc", inverse_keys=True, on_numbers=_decrypted),
        Operation(name="tenc", unit=_TENC, inverse="tdec", on_numbers=lambda o, x, n: o.tenc(x[0], x[1], CipherKey(n))),
        Operation(
            name="tdec", unit=_TDEC, inverse="tenc", inverse_keys=True, on_numbers=lambda o, x, n: o.tdec(x[0], x[1], CipherKey(n)),
        ),
        Operation(
            name="mul", unit=_MUL, commutes=True, linear=True, on_numbers=lambda o, x, n: o.mul(*x),
            on_forms=lambda o, x, n: o.mul(*x),
        ),
        Operation(
            name="sqr", unit=_SQR, linear=True, of_keys=True, on_numbers=lambda o, x, n: o.mul(x[0], x[0]),
            on_forms=lambda o, x, n: o.mul(x[0], x[0]),
        ),
        *(_adder(name, "+" + name.removeprefix("add"), counter) for name, counter in COUNTERS.items()),
        Operation(name="acc", unit=_ACC, adds=False, on_numbers=_first, on_forms=_first),
        Operation(name="out", unit=_OUT, adds=False, on_numbers=_first, on_forms=_first),
    )
}  # fmt: skip
"""Every operation by its name."""

UNITS: dict[str, UnitType] = {unit.name: unit for unit in (_CIPHER, *(operation.unit for operation in OPERATIONS.values()))}
"""Every type of unit by its name."""

ENC, DEC, TENC, TDEC, MUL, SQR, ACC, OUT = (Kind(OPERATIONS[name]) for name in ("enc", "dec", "tenc", "tdec", "mul", "sqr", "acc", "out"))

BOTH = "both"
"""Name of a component that performs both operations of a unit (``UnitType.either``)."""

CIPHER = UnitKind(_CIPHER)
"""The unit with both cores of the cipher behind one operand network."""


def register(*operations: Operation) -> None:
    """Adds operations and their units.

    Raises
    ------
    ValueError
        A name is taken, or does not consist of letters; an operation has more than four operands; or two operations are not the inverse
        of each other.
    """
    known = OPERATIONS | {operation.name: operation for operation in operations}
    for operation in operations:
        name, unit = operation.name, operation.unit
        if name in OPERATIONS or UNITS.get(unit.name, unit) is not unit:
            raise ValueError(f"there is a kind {name if name in OPERATIONS else unit.name!r} already")
        if not all(text.isidentifier() and text.isalpha() for text in (name, unit.name)):
            raise ValueError(f"{name!r} and {unit.name!r}: names of kinds are words of letters")
        if not 1 <= operation.operands <= len(OPERANDS):
            raise ValueError(f"{name} takes {operation.operands} operands; units have one to {len(OPERANDS)}")
        if operation.inverse and (operation.inverse not in known or known[operation.inverse].inverse != name):
            raise ValueError(f"{name}: {operation.inverse} is not its inverse")
    for operation in operations:
        OPERATIONS[operation.name] = operation
        UNITS[operation.unit.name] = operation.unit
