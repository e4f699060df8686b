# SPDX-License-Identifier: Apache-2.0
"""The lowered graph: unit operations on linear forms.

An operation reads its operands when it issues.  It reads the terms that are added to its result just before the result is written::

    pre[0], pre[1] ──▶ unit ──▶ keep ──▶ ⊕ ──▶ result, which has a name
                                         ▲
    post ────────────────────────────────┘

A form is the XOR of some terms.  A term is ``keep(source) * x^k``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from modeloom.ir.lines import NOWHERE, Line
from modeloom.spec.kinds import OPERANDS, OPERATIONS, Kind, UnitKind

__all__ = ["Term", "Form", "Op", "Pair", "Chain", "OpGraph", "form_text"]

Source = tuple[str, object]


class Term(NamedTuple):
    """One term of a form.

    ``source`` is ("block", i), ("tweak", j), ("key", name), ("const", value), ("op", id) or ("chain", id, step); ``k`` the power
    of x it is multiplied with; ``keep`` the bytes kept before that (0: all; below 0: all
    but the first so many).
    """

    source: tuple
    k: int = 0
    keep: int = 0


Form = tuple[Term, ...]


@dataclass
class Op:
    """One operation of one direction.

    Attributes
    ----------
    kind : Kind
        The kind (``spec.kinds``).  The name of an operation stands for the kind with a key of the usual length.
    pre : list of Form
        Operands.
    post : Form
        Terms added to the result.
    keep : int
        Bytes of the unit's result that are kept before the terms are added (0: all).
    number : int
        The number of the cipher key, or the number of the operation (``Operation.numbers``).
    index : int, str or None
        The number of a block that leaves, or in the set-up the name of the key value that is written.
    line : Line
        Line of the definition; false if it has none.
    block : int or None
        The block of the sector that it belongs to, which decides its lane.
    """

    kind: Kind
    pre: list[Form]
    post: Form = ()
    keep: int = 0
    number: int = 0
    index: int | str | None = None
    line: Line = NOWHERE
    block: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind) and self.kind in OPERATIONS:
            self.kind = Kind(OPERATIONS[self.kind])

    @property
    def leaves(self) -> bool:
        """Whether a block, or a key value of the set-up, leaves."""
        return self.kind.operation.unit.leaves

    def terms(self) -> Iterator[tuple[str, Term]]:
        """All terms with their operands: "a", "b" or "post"."""
        for name, form in zip(OPERANDS, self.pre):
            for term in form:
                yield name, term
        for term in self.post:
            yield "post", term


@dataclass(frozen=True)
class Chain:
    """A register that holds base * x^(start + stride * step).  The step advances with each use.

    ``base`` and ``start`` are given for each direction.
    """

    id: int
    stride: int
    length: int
    base: dict[str, Term]


@dataclass
class Pair:
    """Operations of the directions that issue in the same cycle on the same unit."""

    id: int
    ops: dict[str, Op]

    @property
    def kind(self) -> UnitKind:
        """Kind of the unit: the shared one if the directions use different cores of it."""
        units = [op.kind.unit for op in self.ops.values()]
        return units[0] if len(set(units)) == 1 else next((op.kind.shared for op in self.ops.values() if op.kind.shared), units[0])

    @property
    def leaves(self) -> bool:
        """Whether blocks, or key values of set-up, leave."""
        return self.kind.type.leaves

    @property
    def block(self) -> int | None:
        """The block of the first direction that has one."""
        return next((op.block for op in self.ops.values() if op.block is not None), None)


@dataclass
class OpGraph:
    """Operations of all directions in pairs.  Ids are positions in ``pairs``.

    Attributes
    ----------
    directions : tuple of str
        The directions built; ("setup",) for a set-up.
    pairs : list of Pair
        The pairs, in an order in which every operation comes after what it reads.
    chains : list of Chain
    key_names : list of str
        Words of the key memory in order: key blocks of the host, then set-up values.
    nonzero : tuple of str
        Words that must not be 0.
    derived : tuple of tuple of str
        For each cipher key that set-up makes, the words that hold it.
    """

    name: str
    directions: tuple[str, ...]
    pairs: list[Pair] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    key_names: list[str] = field(default_factory=list)
    nonzero: tuple[str, ...] = ()
    derived: tuple[tuple[str, ...], ...] = ()

    def ops(self, direction: str) -> Iterator[tuple[int, Op]]:
        """Ids and operations of one direction."""
        for pair in self.pairs:
            if direction in pair.ops:
                yield pair.id, pair.ops[direction]

    def uses(self, direction: str) -> dict[UnitKind, int]:
        """Operations in one direction, by the kind of unit for this operation alone."""
        counts: dict[UnitKind, int] = {}
        for _, op in self.ops(direction):
            kind = op.kind.unit
            counts[kind] = counts.get(kind, 0) + 1
        return counts


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _term_text(term: Term) -> str:
    kind, *args = term.source
    text = {
        "block": lambda: f"P{args[0]}",
        "tweak": lambda: f"T{args[0]}",
        "key": lambda: str(args[0]),
        "const": lambda: f"{args[0]:#x}",
        "op": lambda: f"%{args[0]}",
        "chain": lambda: f"c{args[0]}[{args[1]}]",
    }[kind]()
    if term.keep:
        text = f"head({text},{term.keep})" if term.keep > 0 else f"tail({text},{-term.keep})"
    return text + (f"·x{str(term.k).translate(_SUPERSCRIPT)}" if term.k else "")


def form_text(form: Form) -> str:
    """A form as text: terms joined by XOR."""
    return " ⊕ ".join(map(_term_text, form)) or "0"
