# SPDX-License-Identifier: Apache-2.0
"""Runs a definition on symbols and gives its graph.

Both directions and the set-up are traced into one list of nodes without duplicates, so that whatever depends on the key
alone is one and the same node everywhere::

    raw, const ──setup──▶ key values ──┐
    block i, tweak j ──────────────────┴─encrypt / decrypt──▶ outputs[direction]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from modeloom.ir.lines import NOWHERE, Line, definition_file, running_line
from modeloom.spec import CIPHER, Blocks, DefinitionError, Field, Keys, Mode

__all__ = ["Node", "Trace", "Value", "Tracer", "trace"]

DIRECTIONS = ("encrypt", "decrypt")


@dataclass(frozen=True)
class Node:
    """A node of the traced graph.

    ``kind`` and ``args`` are one of::

        block i | tweak j | raw NAME | const V      leaves: input, tweak, key block of the host, constant
        xor a b | scale a k | keep a n              wires: sum, a * x^k, the first n bytes
        enc a | dec a | mul a b                     unit operations
        sqr a                                       a * a on key values, for a squaring unit: ``ir.expand`` puts it in the place of mul a a
        power h e | poly h x1 ... xm                h^e; x1 h^m + ... + xm h: rewritten into products by ``ir.expand``
    """

    id: int
    kind: str
    args: tuple[Any, ...]
    key_only: bool
    line: Line

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes it reads."""
        if self.kind in ("block", "tweak", "raw", "const"):
            return ()
        return self.args[:1] if self.kind in ("scale", "keep", "power") else self.args


@dataclass
class Trace:
    """What a definition computes at one sector size.

    Attributes
    ----------
    nodes : list of Node
        In an order in which every node comes after what it reads.
    outputs : dict
        For each direction, the nodes of the result blocks.
    key_names : dict
        Names that set-up gave to nodes.
    file : str
        Path of the mode's own file.
    text : dict
        Text of each line that a node names.
    """

    mode: str
    field: Field
    nbytes: int
    tweak_bytes: int
    block_bytes: int
    nodes: list[Node] = field(default_factory=list)
    outputs: dict[str, list[int]] = field(default_factory=dict)
    key_names: dict[int, str] = field(default_factory=dict)
    raw_names: tuple[str, ...] = ()
    file: str = ""
    text: dict[Line, str] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """Blocks of a sector, the partial last one included."""
        return -(-self.nbytes // self.block_bytes)

    @property
    def tweak_blocks(self) -> int:
        """Blocks of a tweak."""
        return -(-self.tweak_bytes // self.block_bytes)


class Value:
    """A block of the definition while it is traced."""

    __slots__ = ("tracer", "id")

    def __init__(self, tracer: Tracer, id: int):
        self.tracer = tracer
        self.id = id

    def __xor__(self, other: Any) -> Value:
        return self.tracer.xor(self, other)

    __rxor__ = __xor__


class Tracer:
    """The operations ``o`` of a definition, recording nodes without duplicates."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.line: Line | None = None  # the line of new nodes; None: that of the definition which is running
        self._index: dict[tuple[str, tuple[Any, ...]], int] = {}

    def node(self, kind: str, *args: Any) -> int:
        """The node of this kind and these arguments, made if it is new."""
        key = (kind, args)
        if key not in self._index:
            nodes = self.trace.nodes
            line = self._running_line() if self.line is None else self.line
            draft = Node(len(nodes), kind, args, False, line)
            key_only = kind in ("raw", "const") or (
                kind not in ("block", "tweak") and all(nodes[i].key_only for i in draft.inputs)
            )
            self._index[key] = draft.id
            nodes.append(Node(draft.id, kind, args, key_only, draft.line))
        return self._index[key]

    def _running_line(self) -> Line:
        line, text = running_line(self.trace.file)
        if line:
            self.trace.text[line] = text
        return line

    def _id(self, value: Any) -> int:
        if not isinstance(value, Value):
            raise DefinitionError(
                f"{self.trace.mode}: an operation got {value!r}, which is no block; use o.const() for constants"
            )
        return value.id

    def _value(self, kind: str, *args: Any) -> Value:
        return Value(self, self.node(kind, *args))

    def leaf(self, kind: str, arg: Any) -> Value:
        """An input block, a tweak block or a key block."""
        return self._value(kind, arg)

    def const(self, value: int) -> Value:
        """See ``Numbers.const``."""
        if not 0 <= value < 1 << 8 * self.trace.block_bytes:
            raise DefinitionError(f"{self.trace.mode}: constant {value} does not fit a block")
        return self._value("const", value)

    def xor(self, a: Value, b: Any) -> Value:
        """Sum; equal terms are left to the lowering."""
        left, right = self._id(a), self._id(b)
        return self._value("xor", min(left, right), max(left, right))

    def enc(self, a: Value) -> Value:
        """See ``Numbers.enc``."""
        return self._value("enc", self._id(a))

    def dec(self, a: Value) -> Value:
        """See ``Numbers.dec``."""
        return self._value("dec", self._id(a))

    def mul(self, a: Value, b: Value) -> Value:
        """See ``Numbers.mul``."""
        left, right = self._id(a), self._id(b)
        return self._value("mul", min(left, right), max(left, right))

    def double(self, a: Value, times: int = 1) -> Value:
        """See ``Numbers.double``."""
        node = self.trace.nodes[self._id(a)]
        if node.kind == "scale":
            return self._value("scale", node.args[0], node.args[1] + times) if node.args[1] + times else Value(self, node.args[0])
        return self._value("scale", node.id, times) if times else a

    def power(self, h: Value, exponent: int) -> Value:
        """See ``Numbers.power``."""
        if not self.trace.nodes[self._id(h)].key_only:
            raise DefinitionError(f"{self.trace.mode}: o.power() takes a key value; multiply with o.mul() instead")
        if exponent < 1:
            raise DefinitionError(f"{self.trace.mode}: o.power() takes exponents from 1, not {exponent}")
        return h if exponent == 1 else self._value("power", h.id, exponent)

    def poly(self, h: Value, blocks: Sequence[Value]) -> Value:
        """See ``Numbers.poly``."""
        if not blocks:
            raise DefinitionError(f"{self.trace.mode}: o.poly() takes at least one block")
        return self._value("poly", self._id(h), *(self._id(x) for x in blocks))

    def head(self, a: Value, nbytes: int) -> Value:
        """See ``Numbers.head``."""
        return a if nbytes == self.trace.block_bytes else self._value("keep", self._id(a), nbytes)

    def pad(self, a: Value, nbytes: int, byte: int) -> Value:
        """See ``Numbers.pad``."""
        return a if nbytes == self.trace.block_bytes else self.xor(a, self.const(byte << 8 * nbytes))


def trace(mode: Mode, nbytes: int, tweak_bytes: int, directions: Sequence[str] = DIRECTIONS) -> Trace:
    """Traces a mode's set-up and directions for sectors of ``nbytes`` and tweaks of ``tweak_bytes`` bytes.

    Raises
    ------
    DefinitionError
        The definition reads a key value that set-up never wrote, uses what is no block, or returns the wrong number of blocks.
    """
    size = mode.block_bytes
    result = Trace(mode.name, mode.field, nbytes, tweak_bytes, size, file=definition_file(mode))
    tracer = Tracer(result)
    tracer.line = NOWHERE
    result.raw_names = tuple(part for part in mode.key_parts if part != CIPHER)
    raw = Keys(**{name: tracer.leaf("raw", name) for name in result.raw_names})
    tracer.line = None
    keys = mode.setup(tracer, raw)
    if not isinstance(keys, Keys):
        raise DefinitionError(f"{mode.name}: setup() must return Keys(...), not {type(keys).__name__}")
    for name, value in keys.items():
        result.key_names.setdefault(tracer._id(value), name)
    tracer.line = NOWHERE
    tweak = Blocks([tracer.leaf("tweak", j) for j in range(result.tweak_blocks)], tweak_bytes, size)
    blocks = Blocks([tracer.leaf("block", i) for i in range(result.blocks)], nbytes, size)
    tracer.line = None
    for direction in directions:
        outputs = list(getattr(mode, direction)(tracer, keys, tweak, blocks))
        if len(outputs) != result.blocks:
            raise DefinitionError(
                f"{mode.name}: {direction}() returns {len(outputs)} blocks for a sector of {result.blocks}; return one for each"
            )
        result.outputs[direction] = [tracer._id(value) for value in outputs]
    return result
