# SPDX-License-Identifier: Apache-2.0
"""The description of a circuit: a name with options, which gives hardware, gate counts and a model of its function.

``modeloom circuit``, the generic test of latency and interval, and ``docs/circuits.md`` use only this description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from amaranth.lib.wiring import Component

from modeloom.spec import InputError, UnknownName
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

__all__ = ["FIELDS", "FIELD_OPTION", "X40_ORDER", "Built", "Circuit", "Gates", "Operation", "Option", "number_of"]


def number_of(block: bytes) -> int:
    """A block in the order of ports: byte 0 at [7:0]."""
    return int.from_bytes(block, "little")


@dataclass(frozen=True)
class Option:
    """An option of a circuit.

    Attributes
    ----------
    name : str
        Its name in Python.  The flag is the same name with ``--`` and hyphens.  A name has the same meaning in all circuits.
    default : int, str or None
        The default value.  With None, the circuit chooses.
    about : str
        A phrase for ``--help``.
    choices : tuple
        The possible values.  If empty, they are integers from ``low`` to ``high``.
    low, high : int
        Limits of an integer, both included.
    on_luts : mapping
        Values that replace ``default`` if the target is known, by the number of inputs of its LUTs.  0 is for gates.
    unless : tuple of str
        Options that disable ``on_luts`` if the user chooses them.
    old : mapping
        Older names of values, each with the value.
    """

    name: str
    default: int | str | None
    about: str
    choices: tuple[int | str, ...] = ()
    low: int = 0
    high: int = 1 << 16
    on_luts: Mapping[int, int | str] = field(default_factory=dict)
    unless: tuple[str, ...] = ()
    old: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return "--" + self.name.replace("_", "-")

    def checked(self, value: int | str) -> int | str:
        """Returns ``value`` if the option has this value.  A number may be text.

        Raises
        ------
        InputError
            For any other value.
        """
        if self.choices:
            value = self.old.get(value, value) if isinstance(value, str) else value
            for choice in self.choices:
                if str(choice) == str(value):
                    return choice
            raise InputError(f"{self.flag} must be one of {', '.join(map(str, self.choices))}, not {value}")
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise InputError(f"{self.flag} must be a number, not {value}") from None
        if not self.low <= number <= self.high:
            raise InputError(f"{self.flag} must be from {self.low} to {self.high}, not {number}")
        return number


@dataclass(frozen=True)
class Gates:
    """The two-input gates in the structure of the circuit itself, before any tool.

    Attributes
    ----------
    ands, xors : int
        Number of AND gates and of XOR gates.  An XNOR counts as an XOR.  A NOT is free.
    depth : int
        Gates on the longest path.
    """

    ands: int
    xors: int
    depth: int

    @property
    def total(self) -> int:
        """Total number of AND and XOR gates."""
        return self.ands + self.xors

    @property
    def nand2(self) -> int:
        """Area in NAND2 gates, counted as in gcm2008, section 3.3.3: 4 for an XOR, 2 for an AND."""
        return 4 * self.xors + 2 * self.ands


@dataclass(frozen=True)
class Operation:
    """One operation of a circuit: a product, a block, or a batch of blocks of several streams.

    Attributes
    ----------
    inputs : sequence of mapping
        Values of input ports in cycles 0, 1, … of the operation.  Other ports are 0.
    outputs : sequence of mapping
        Values of output ports in the cycles ``latency``, ``latency + 1``, ….
    """

    inputs: Sequence[Mapping[str, int]]
    outputs: Sequence[Mapping[str, int]]


@dataclass(frozen=True)
class Built:
    """A circuit with its options chosen.

    Attributes
    ----------
    component : amaranth.lib.wiring.Component
        The hardware, with the attributes ``latency`` (cycles from the first cycle of an operation to its first output) and
        ``interval`` (cycles from one operation to the next).  A combinational circuit has latency 0 and interval 1.
    operation : callable
        ``operation(random)`` makes an operation on random data, with its expected result.
    gates : Gates or None
        The counts of the structure of the circuit.  None if it has none, and mapping determines the gates.
    figures : mapping
        Further figures by name, numbers or text, for ``--json``.
    prepare : sequence of mapping
        Values of input ports in the cycles before the first operation, which load keys.
    """

    component: Component
    operation: Callable[[Random], Operation]
    gates: Gates | None = None
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    prepare: Sequence[Mapping[str, int]] = ()


@dataclass(frozen=True)
class Circuit:
    """An arithmetic or cipher circuit with a name in ``modeloom circuit``.

    Attributes
    ----------
    name : str
        The name, with hyphens.
    title : str
        A short description.
    source : str
        Paper and section.
    options : tuple of Option
        What can be chosen.
    make : callable
        ``make(**options)`` makes the circuit, with a value for each option.
    """

    name: str
    title: str
    source: str
    options: tuple[Option, ...]
    make: Callable[..., Built]

    def build(self, **chosen: int | str | None) -> Built:
        """The circuit with these options.  Other options have their defaults.

        Raises
        ------
        UnknownName
            It has no such option.
        InputError
            The option has no such value, or the values do not fit together.
        """
        known = {option.name: option for option in self.options}
        for name in chosen:
            if name not in known:
                raise UnknownName(f"option of {self.name}", name, known)
        values = {name: option.default if (value := chosen.get(name)) is None else option.checked(value) for name, option in known.items()}
        return self.make(**values)


# The moduli for which circuits can be built, by name.
#
#     ghash, xts    x^128 + x^7 + x^2 + x + 1              bits of a byte reversed, or not
#     polyval       x^128 + x^127 + x^126 + x^121 + 1      product with the factor x^-128
#     x40           x^128 + x^40 + x^2 + x + 1             order of GHASH

X40_ORDER = Field("x40", 128, (1 << 128) | (1 << 40) | 0x7, bytewise_reversed=True)
"""x^128 + x^40 + x^2 + x + 1.  gcm2008, section 3.3.2 uses it to show the cost of a larger inner exponent.

x^3 + x^2 + 1 divides it, so it defines a ring in which not every block has an inverse.  It is used to compare gates.
"""

FIELDS: dict[str, Field] = {field.name: field for field in (GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, X40_ORDER)}

FIELD_OPTION = Option("field", "ghash", "Modulus, bit order, and factor of the product", choices=tuple(FIELDS))
