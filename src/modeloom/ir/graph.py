# SPDX-License-Identifier: Apache-2.0
"""The graph of a definition: nodes without duplicates, and the properties of the whole graph.

::

    block i, tweak j, raw NAME, const V ──▶ node ──▶ node ──▶ outputs[direction]
                                            └─ reads only nodes before it
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from modeloom.ir.lines import Line
from modeloom.spec import Field
from modeloom.spec.amounts import Amount
from modeloom.spec.kinds import MUL, OPERATIONS, SQR, Operation

__all__ = ["LEAVES", "MESSAGE_LEAVES", "OF_PIECES", "Node", "Trace", "reached"]

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
