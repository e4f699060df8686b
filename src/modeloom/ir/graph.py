# SPDX-License-Identifier: Apache-2.0
"""The graph of a definition: nodes without duplicates, and the properties of the whole graph.

::

    block i, tweak j, raw NAME, const V ──▶ node ──▶ node ──▶ outputs[direction]
                                            └─ reads only nodes before it
"""

from __future__ import annotations

import dataclasses
import inspect
import linecache
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from modeloom.spec import Field
from modeloom.spec.counters import Amount
from modeloom.spec.errors import is_users
from modeloom.spec.kinds import MUL, OPERANDS, OPERATIONS, SQR, Kind, Operation, UnitKind

__all__ = [
    "LEAVES", "MESSAGE_LEAVES", "NOWHERE", "OF_PIECES", "Chain", "Form", "Line", "Node", "Op", "OpGraph", "Pair", "Term", "Trace",
    "definition_file", "form_text", "reached", "running_line", "told",
]  # fmt: skip


# -- lines -----------------------------------------------------------------------------------------------------------------------------

# Lines of definitions: the origin of an operation, for messages, listings and charts.


class Line(NamedTuple):
    """A line of a definition.

    ``file`` is the name of the file without its folder, or "" if it is the mode's own file; ``number`` counts from 1.
    """

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}" if self.file else str(self.number)

    def __bool__(self) -> bool:
        return self.number > 0


NOWHERE = Line("", 0)
"""The line of nodes that exist before a definition runs: input blocks, tweaks, key blocks."""

TRACING = ("modeloom.ir.", "modeloom.spec.", "modeloom.streams.")
"""Modules of this package whose frames lie between the compiler and a definition."""


def definition_file(mode: object) -> str:
    """Path of the file with a mode's class, or with its ``encrypt`` if the class was not imported the usual way."""
    try:
        return inspect.getsourcefile(type(mode)) or ""
    except (TypeError, OSError):
        return getattr(getattr(getattr(type(mode), "encrypt", None), "__code__", None), "co_filename", "")


def told(line: Line, own: str) -> str:
    """A line in words for messages: ``FILE, line N``, or the file alone; ``own`` is the path of the mode's own file."""
    file = line.file or Path(own).name
    return f"{file}, line {line.number}" if line else file


def running_line(own: str) -> tuple[Line, str]:
    """The current line of a running definition, and its text: that of the innermost frame in a mode or outside this package.

    ``own`` is the path of the mode's own file.  An operation that the tracer adds itself has no line.  The frames behind the compiler's are
    those of its caller, and say nothing of the definition.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not is_users(module) and not module.startswith(TRACING):
            break
        if is_users(module):
            path, number = frame.f_code.co_filename, frame.f_lineno
            text = linecache.getline(path, number, frame.f_globals).rstrip()
            return Line("" if path == own else Path(path).name, number), text
        frame = frame.f_back
    return NOWHERE, ""


# -- ops -------------------------------------------------------------------------------------------------------------------------------

# The lowered graph: unit operations on linear forms.
#
# An operation reads its operands when it issues.  It reads the terms that are added to its result just before the result is written::
#
#     pre[0], pre[1] ──▶ unit ──▶ keep ──▶ ⊕ ──▶ result, which has a name
#                                          ▲
#     post ────────────────────────────────┘
#
# A form is the XOR of some terms.  A term is ``keep(source) * x^k``.

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
            op = pair.ops.get(direction)
            if op is not None:
                yield pair.id, op

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


# -- graph -----------------------------------------------------------------------------------------------------------------------------

LEAVES = ("block", "tweak", "raw", "const")
"""Kinds of nodes that read no others, in sectors."""

MESSAGE_LEAVES = ("state", "text", "associated", "nonce", "tag", "lengths", "number", "mark")
"""Kinds of nodes that read no others, in messages (``streams.trace``)."""

OF_PIECES = ("cut", "whole")
"""Kinds of nodes that depend on the bytes of a block of a message."""


@dataclass(frozen=True)
class Node:
    """A node of the traced graph.

    ``kind`` and ``args`` are one of::

        block i | tweak j | raw NAME | const V      leaves: input, tweak, key block of the host, constant
        xor a b | scale a k | keep a n              wires: sum, a * x^k, the first n bytes (n < 0: all but the first -n)
        shift a n                                   wires of messages: the bits of the string moved n places to the front
        cut a | whole a                             wires of messages: as many bytes as the last block has; all if it is whole, or 0
        enc a key | mul a b | add a n | ...         unit operations (``spec.kinds``): operands, then the number of a cipher key or a number
        inverse a                                   1 / a, of a key value
        sqr a                                       a * a on key values, for a squaring unit: ``ir.expand`` puts it in place of mul a a
        power h e | poly h l x1 ... xm              h^e; (x1 h^(m-1) + ... + xm) l: rewritten into products by ``ir.expand``
    """

    id: int
    kind: str
    args: tuple[Any, ...]
    key_only: bool
    line: Line

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes it reads."""
        if self.kind in (*LEAVES, *MESSAGE_LEAVES):
            return ()
        if operation := self.operation:
            return self.args[: operation.operands]
        if self.kind in ("scale", "shift") and isinstance(self.args[1], Amount):
            return self.args[0], *([] if self.args[1].what is None else [self.args[1].what])
        return self.args[:1] if self.kind in ("scale", "keep", "cut", "power", "shift", "whole") else self.args

    @property
    def operation(self) -> Operation | None:
        """The unit operation of the node, if it is one."""
        return OPERATIONS.get(self.kind)

    @property
    def number(self) -> int:
        """The number of its operation; 0 if it has none."""
        operation = self.operation
        return self.args[-1] if operation and operation.numbered else 0

    @property
    def keyed(self) -> bool:
        """Whether it is a call of a cipher.  Its number is the number of the key."""
        return bool(self.operation and self.operation.keyed)

    @property
    def of_keys(self) -> bool:
        """Whether it is an operation on key values that is computed in each sector."""
        return bool(self.operation and self.operation.of_keys)

    @property
    def worded(self) -> bool:
        """Whether the set-up stores its result as a word if its operands are key values."""
        return bool(self.operation and not self.operation.of_keys)

    @property
    def factors(self) -> tuple[int, ...]:
        """The two factors of a product or of a square; none for other nodes."""
        return self.args if self.kind == MUL else self.args * 2 if self.kind == SQR else ()


@dataclass
class Trace:
    """The graph of a definition at one sector size.

    Attributes
    ----------
    nodes : list of Node
        The nodes, in an order in which every node comes after what it reads.
    outputs : dict
        For each direction, the nodes of the result blocks.
    key_names : dict
        Names that the set-up gave to nodes.
    cipher_keys : list of str
        Names of the cipher keys by their number: those of the host, then those that the set-up makes.
    cipher_bits : list of int
        For each of them, its length in bits if the mode fixes it (``Mode.fixed_key_bits``), or 0.
    derived : list of tuple of int
        For each cipher key that the set-up makes, the nodes of its blocks.
    nonzero : dict
        Key values that must not be 0, with their names for messages.
    scratch : set of int
        Nodes of the set-up that only later nodes of the set-up read, soon after.
    file : str
        Path of the file of the mode.
    text : dict
        Text of each line that a node names.
    """

    mode: str
    field: Field
    nbytes: int
    tweak_bytes: int
    block_bytes: int
    nodes: list[Node] = dataclasses.field(default_factory=list)
    outputs: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    key_names: dict[int, str] = dataclasses.field(default_factory=dict)
    raw_names: tuple[str, ...] = ()
    cipher_keys: list[str] = dataclasses.field(default_factory=list)
    cipher_bits: list[int] = dataclasses.field(default_factory=list)
    derived: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    nonzero: dict[int, str] = dataclasses.field(default_factory=dict)
    scratch: set[int] = dataclasses.field(default_factory=set)
    file: str = ""
    text: dict[Line, str] = dataclasses.field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """Number of blocks of a sector, including a partial last one."""
        return -(-self.nbytes // self.block_bytes)

    @property
    def tweak_blocks(self) -> int:
        """Blocks of a tweak."""
        return -(-self.tweak_bytes // self.block_bytes)

    @property
    def host_keys(self) -> int:
        """Number of cipher keys that the host loads."""
        return len(self.cipher_keys) - len(self.derived)


def reached(nodes: Sequence[Node], outputs: Iterable[int]) -> set[int]:
    """The nodes that some outputs depend on, directly or indirectly, including the outputs."""
    found: set[int] = set()
    stack = list(outputs)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            stack.extend(nodes[i].inputs)
    return found
