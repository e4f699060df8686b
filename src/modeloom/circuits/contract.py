# SPDX-License-Identifier: Apache-2.0
"""What a circuit is: a name with options, from which come hardware, gate counts and a model of what it computes.

``modeloom circuit``, the generic test of latency and interval, and ``docs/circuits.md`` know circuits through this description alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from modeloom.spec import InputError, UnknownName

__all__ = ["Built", "Circuit", "Gates", "Operation", "Option"]


@dataclass(frozen=True)
class Option:
    """A choice that a circuit offers.

    Attributes
    ----------
    name : str
        Its name in Python; the flag is the same with ``--`` and hyphens.  Circuits that share a name mean the same.
    default : int, str or None
        Taken if nobody chooses; None leaves the choice to the circuit.
    about : str
        A phrase for ``--help``.
    choices : tuple
        The values there are.  Empty: integers from ``low`` to ``high``.
    low, high : int
        Limits of an integer, both included.
    on_luts : mapping
        What is taken in place of ``default`` where a target is known, by the inputs of its LUTs; 0 stands for gates.
    unless : tuple of str
        Options that keep ``on_luts`` from being taken if somebody has chosen them.
    old : mapping
        Names that values had before, each with the value.
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
        """As a user writes it."""
        return "--" + self.name.replace("_", "-")

    def checked(self, value: Any) -> Any:
        """``value`` if the option has it; a number may come as text.

        Raises
        ------
        InputError
            For any other value.
        """
        if self.choices:
            value = self.old.get(value, value)
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
    """Two-input gates as the circuit's own structure has them, before any tool.

    Attributes
    ----------
    ands, xors : int
        AND gates and XOR gates.  An XNOR counts as an XOR, a NOT as nothing.
    depth : int
        Gates on the longest path.
    """

    ands: int
    xors: int
    depth: int

    @property
    def total(self) -> int:
        """AND and XOR gates together."""
        return self.ands + self.xors

    @property
    def nand2(self) -> int:
        """Area in NAND2 gates as gcm2008, section 3.3.3 counts it: 4 for an XOR, 2 for an AND."""
        return 4 * self.xors + 2 * self.ands


@dataclass(frozen=True)
class Operation:
    """One thing that a circuit does: a product, a block, a batch of blocks of several streams.

    Attributes
    ----------
    inputs : sequence of mapping
        Values of input ports in the cycles 0, 1, … of the operation; ports that are not named are 0.
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
        ``operation(random)``: an operation on random data with what it must give.
    gates : Gates or None
        Counts of the circuit's own structure; None if it has none, and the gates are those of a mapping.
    figures : mapping
        Further figures by name, numbers or text, for ``--json``.
    prepare : sequence of mapping
        Values of input ports in the cycles before the first operation, which load keys.
    """

    component: Any
    operation: Callable[[Random], Operation]
    gates: Gates | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    prepare: Sequence[Mapping[str, int]] = ()


@dataclass(frozen=True)
class Circuit:
    """An arithmetic or cipher circuit that ``modeloom circuit`` knows by name.

    Attributes
    ----------
    name : str
        The name, with hyphens.
    title : str
        What it is, a phrase.
    source : str
        Paper and section.
    options : tuple of Option
        What can be chosen.
    make : callable
        ``make(**options)``: the circuit for these values, one for each option.
    """

    name: str
    title: str
    source: str
    options: tuple[Option, ...]
    make: Callable[..., Built]

    def build(self, **chosen: Any) -> Built:
        """The circuit with these options, the others at their defaults.

        Raises
        ------
        UnknownName
            It has no such option.
        InputError
            The option has no such value, or the values do not go together.
        """
        known = {option.name: option for option in self.options}
        for name in chosen:
            if name not in known:
                raise UnknownName(f"option of {self.name}", name, known)
        values = {
            name: option.checked(chosen[name]) if chosen.get(name) is not None else option.default for name, option in known.items()
        }
        return self.make(**values)
