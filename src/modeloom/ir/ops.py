# SPDX-License-Identifier: Apache-2.0
"""The lowered graph: unit operations on linear forms.

An operation reads its operands when it issues, and the terms that are added to its result just before that is written::

    pre[0], pre[1] ──▶ unit ──▶ keep ──▶ ⊕ ──▶ result, which has a name
                                         ▲
    post ────────────────────────────────┘

A form is a XOR of terms; a term is ``keep(source) * x^k``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from modeloom.ir.lines import NOWHERE, Line
from modeloom.spec import COUNTERS

__all__ = ["Term", "Form", "Op", "Pair", "Chain", "OpGraph", "CIPHER_CORES", "COUNTERS", "cipher_core", "form_text", "unit_kind"]

CIPHER_CORES = ("enc", "dec")
"""Operations that the block cipher's cores do."""

Source = tuple[str, object]


def cipher_core(kind: str) -> str:
    """Which of ``CIPHER_CORES`` does an operation or is a unit; empty for other kinds.

    "enc256" is the core "enc" for keys of 256 bits in a mode whose other keys have another length.
    """
    return kind[:3] if kind[:3] in CIPHER_CORES and (len(kind) == 3 or kind[3:].isdigit()) else ""


def unit_kind(kind: str) -> str:
    """The kind of unit that does an operation: all counters are of one, "add"."""
    return "add" if kind in COUNTERS else kind


class Term(NamedTuple):
    """One summand of a form.

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
    kind : str
        "enc", "dec" (with bits behind it for a cipher key of another length, "enc256"), "mul", "sqr" (a square), one of
        ``COUNTERS`` (a number added), "acc" (a sum on its own) or "out" (a result block leaves; ``index`` is its number,
        or in set-up the name of the key value that is written).
    pre : list of Form
        Operands: one, two for "mul".
    post : Form
        Terms added to the result.
    keep : int
        Bytes of the unit's result that are kept before the terms are added (0: all).
    number : int
        The number of the cipher key ("enc", "dec"), or what is added.
    line : Line
        Line of the definition; false if it has none.
    block : int or None
        The sector's block it belongs to, which decides its lane.
    """

    kind: str
    pre: list[Form]
    post: Form = ()
    keep: int = 0
    number: int = 0
    index: int | str | None = None
    line: Line = NOWHERE
    block: int | None = None

    def terms(self) -> Iterator[tuple[str, Term]]:
        """All terms with the operand they belong to: "a", "b" or "post"."""
        for name, form in zip("ab", self.pre):
            for term in form:
                yield name, term
        for term in self.post:
            yield "post", term


@dataclass(frozen=True)
class Chain:
    """A register that holds base * x^(start + stride * step), advanced from use to use.

    ``base`` and ``start`` for each direction.
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
    def kind(self) -> str:
        """Kind of the unit: "cipher" if the directions use different cores of it."""
        kinds = {unit_kind(op.kind) for op in self.ops.values()}
        return kinds.pop() if len(kinds) == 1 else "cipher"

    @property
    def block(self) -> int | None:
        """The block of the first direction that has one."""
        return next((op.block for op in self.ops.values() if op.block is not None), None)


@dataclass
class OpGraph:
    """Operations of all directions, paired; ids are positions in ``pairs``.

    Attributes
    ----------
    directions : tuple of str
        The directions built; ("setup",) for a set-up.
    pairs : list of Pair
        In an order in which every operation comes after what it reads.
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
    raw_names: tuple[str, ...] = ()
    nonzero: tuple[str, ...] = ()
    derived: tuple[tuple[str, ...], ...] = ()

    def ops(self, direction: str) -> Iterator[tuple[int, Op]]:
        """Ids and operations of one direction."""
        for pair in self.pairs:
            if direction in pair.ops:
                yield pair.id, pair.ops[direction]

    def uses(self, direction: str) -> dict[str, int]:
        """Operations in one direction, those of the cipher by core, others by kind of unit."""
        counts: dict[str, int] = {}
        for _, op in self.ops(direction):
            kind = unit_kind(op.kind)
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
