# SPDX-License-Identifier: Apache-2.0
"""Word-level expression graphs of combinational logic over GF(2).

A ``Word`` is a value of a fixed width.  Bit 0 is the lowest.  Two kinds of gates take area and time: ``a ^ b`` and ``a & b`` of two words.
All other operations only select bits (slices, concatenations, shifts, masks, merges of words without common bits).  They become wires in a
circuit, and a few machine instructions in a compiled simulation.

A graph has four uses: ``evaluate`` runs it on integers, ``variables_of`` finds the inputs in its products (for proofs of bilinearity),
``lowering.place_cuts`` places pipeline registers, and ``lowering.lower`` writes it in Amaranth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count

__all__ = [
    "Word", "bit_depth", "evaluate", "gate_counts", "join", "repeat", "reverse_in_bytes", "spread", "to_lanes", "to_planes",
    "topological", "transpose", "variables_of", "xor_all", "zero",
]  # fmt: skip


# -- words -----------------------------------------------------------------------------------------------------------------------------

_SERIAL = count()


class Word:
    """A node of a graph.

    Attributes
    ----------
    kind : str
        ``input``, ``zero``, the gates ``xor``, ``and``, ``parity``, or a view: ``mask``, ``merge``, ``shift``, ``slice``,
        ``join``, ``spread``, ``anchor``.
    width : int
        Bits.
    arguments : tuple of Word
        Operands.
    parameter : int
        Depending on the kind: mask, distance (left is positive), first bit, or spread constant.
    support : int
        The bits that can be 1.
    depth : int
        Number of two-input gates on the longest path from an input.
    """

    depth: int

    __slots__ = ("arguments", "depth", "kind", "parameter", "serial", "support", "width")

    def __init__(self, kind: str, width: int, arguments: tuple[Word, ...] = (), parameter: int = 0, support: int = 0):
        self.kind = kind
        self.width = width
        self.arguments = arguments
        self.parameter = parameter
        self.support = support
        self.serial = next(_SERIAL)
        delay = 0
        if kind in ("xor", "and"):
            delay = 1
        elif kind == "parity":
            delay = (parameter.bit_count() - 1).bit_length()
        self.depth = delay + max((word.depth for word in arguments), default=0)

    @classmethod
    def input(cls, width: int) -> Word:
        """A new input of ``width`` bits."""
        return cls("input", width, support=(1 << width) - 1)

    @property
    def is_gate(self) -> bool:
        """Whether the node is logic, not an input or a view."""
        return self.kind in ("xor", "and", "parity")

    @property
    def holds(self) -> bool:
        """Whether a pipeline register may hold the node: a gate, an input or an anchor."""
        return self.is_gate or self.kind in ("input", "anchor")

    def _same_width(self, other: Word) -> None:
        if self.width != other.width:
            raise ValueError(f"words of {self.width} and {other.width} bits cannot be combined")

    def __xor__(self, other: Word) -> Word:
        self._same_width(other)
        if not (self.support and other.support):
            return self if self.support else other
        return Word("xor", self.width, (self, other), support=self.support | other.support)

    def __and__(self, other: Word | int) -> Word:
        support = self.support & (other if isinstance(other, int) else other.support)
        if isinstance(other, Word):
            self._same_width(other)
            return Word("and", self.width, (self, other), support=support) if support else zero(self.width)
        if support in (0, self.support):
            return self if support else zero(self.width)
        return Word("mask", self.width, (self,), other & (1 << self.width) - 1, support)

    def __or__(self, other: Word) -> Word:
        """Merges two words.  No bit can be 1 in both."""
        self._same_width(other)
        if self.support & other.support:
            raise ValueError("a merge of words with a common bit")
        if not (self.support and other.support):
            return self if self.support else other
        return Word("merge", self.width, (self, other), support=self.support | other.support)

    def __lshift__(self, distance: int) -> Word:
        """Shifts towards the high end within the width.  Negative distances shift towards the low end."""
        moved = self.support << distance if distance >= 0 else self.support >> -distance
        moved &= (1 << self.width) - 1
        if distance == 0 or not moved:
            return self if moved else zero(self.width)
        return Word("shift", self.width, (self,), distance, moved)

    def __rshift__(self, distance: int) -> Word:
        return self << -distance

    def part(self, start: int, width: int) -> Word:
        """The ``width`` bits from ``start`` on.  Bits beyond the end are zero."""
        inside = max(0, min(width, self.width - start))
        support = (self.support >> start) & (1 << inside) - 1
        if not support:
            return zero(width)
        result = self if inside == self.width else Word("slice", inside, (self,), start, support)
        return result if inside == width else join([result, zero(width - inside)])

    def extend(self, width: int) -> Word:
        """The word extended with zeros, or truncated, to ``width`` bits."""
        return self.part(0, width)

    def parity(self, mask: int) -> Word:
        """XOR of the bits selected by ``mask``, one bit."""
        mask &= self.support
        return Word("parity", 1, (self,), mask, 1) if mask else zero(1)

    def anchored(self) -> Word:
        """The same word, marked as a possible place for a register.  The views up to here are then not repeated after the register."""
        return Word("anchor", self.width, (self,), support=self.support) if self.support else self


def zero(width: int) -> Word:
    """The constant 0 with ``width`` bits."""
    return Word("zero", width)


def join(words: Sequence[Word]) -> Word:
    """Concatenation.  The first word has the lowest bits."""
    if len(words) == 1:
        return words[0]
    support = width = 0
    for word in words:
        support |= word.support << width
        width += word.width
    return Word("join", width, tuple(words), support=support) if support else zero(width)


def spread(bit: Word, width: int, constant: int) -> Word:
    """``constant`` if the one-bit word is 1, otherwise 0.  Raises ``ValueError`` if the constant has more than ``width`` bits."""
    if constant >> width:
        raise ValueError(f"{constant} has more than {width} bits")
    return Word("spread", width, (bit,), constant, constant) if bit.support and constant else zero(width)


def xor_all(words: Iterable[Word]) -> Word:
    """XOR of one or more words, as a tree of the smallest depth."""
    heap = [(word.depth, index, word) for index, word in enumerate(words)]
    heapify(heap)
    index = len(heap)
    while len(heap) > 1:
        _, _, first = heappop(heap)
        _, _, second = heappop(heap)
        result = first ^ second
        heappush(heap, (result.depth, index, result))
        index += 1
    return heap[0][2]


def topological(output: Word) -> list[Word]:
    """All nodes that ``output`` needs.  Operands come before their users."""
    found: dict[int, Word] = {}
    stack = [output]
    while stack:
        word = stack.pop()
        if word.serial not in found:
            found[word.serial] = word
            stack.extend(word.arguments)
    return [found[serial] for serial in sorted(found)]


def evaluate(output: Word, values: Mapping[Word, int]) -> int:
    """The value of ``output`` for integer values of the inputs."""
    known: dict[int, int] = {}
    for word in topological(output):
        operands = [known[argument.serial] for argument in word.arguments]
        known[word.serial] = values[word] if word.kind == "input" else _compute(word, operands)
    return known[output.serial]


def _compute(word: Word, operands: list[int]) -> int:
    ones = (1 << word.width) - 1
    match word.kind:
        case "xor":
            return operands[0] ^ operands[1]
        case "and":
            return operands[0] & operands[1]
        case "parity":
            return (operands[0] & word.parameter).bit_count() & 1
        case "mask":
            return operands[0] & word.parameter
        case "anchor":
            return operands[0]
        case "merge":
            return operands[0] | operands[1]
        case "shift":
            return (operands[0] << word.parameter if word.parameter > 0 else operands[0] >> -word.parameter) & ones
        case "slice":
            return (operands[0] >> word.parameter) & ones
        case "spread":
            return word.parameter if operands[0] else 0
        case "join":
            result = position = 0
            for argument, operand in zip(word.arguments, operands, strict=True):
                result |= operand << position
                position += argument.width
            return result
    return 0


def gate_counts(output: Word) -> tuple[int, int]:
    """Numbers of two-input AND and XOR gates for all bits of a graph.  A position where one operand is always 0 is a wire."""
    ands = xors = 0
    for word in topological(output):
        if word.kind == "and":
            ands += word.support.bit_count()
        elif word.kind == "xor":
            xors += (word.arguments[0].support & word.arguments[1].support).bit_count()
        elif word.kind == "parity":
            xors += word.parameter.bit_count() - 1
    return ands, xors


def bit_depth(output: Word) -> int:
    """Number of two-input gates on the longest path to any bit of ``output``, computed bit by bit.

    A position of an XOR where one operand is always 0 is a wire.  ``Word.depth`` takes a word as a whole and can be larger.
    """
    depths: dict[int, list[int]] = {}
    for word in topological(output):
        operands = [depths[argument.serial] for argument in word.arguments]
        depths[word.serial] = _bit_depths(word, operands)
    return max(depths[output.serial], default=0)


def _bit_depths(word: Word, operands: list[list[int]]) -> list[int]:
    """Depths of the bits of a node.  Bits that are always 0 have depth 0."""
    width = word.width
    live = [word.support >> i & 1 for i in range(width)]
    match word.kind:
        case "xor" | "and":
            both = word.arguments[0].support & word.arguments[1].support
            return [(max(pair) + (both >> i & 1)) * live[i] for i, pair in enumerate(zip(*operands))]
        case "parity":
            heap = [depth for i, depth in enumerate(operands[0]) if word.parameter >> i & 1]
            heapify(heap)
            while len(heap) > 1:
                heappush(heap, max(heappop(heap), heappop(heap)) + 1)
            return heap
        case "mask" | "anchor":
            return [depth * keep for depth, keep in zip(operands[0], live)]
        case "merge":
            return [max(pair) for pair in zip(*operands)]
        case "shift":
            sources = range(-word.parameter, width - word.parameter)
            return [operands[0][source] if keep else 0 for source, keep in zip(sources, live)]
        case "slice":
            return operands[0][word.parameter : word.parameter + width]
        case "spread":
            return [operands[0][0] * keep for keep in live]
        case "join":
            return [depth for operand in operands for depth in operand]
    return [0] * width


def variables_of(output: Word) -> frozenset[tuple[Word, ...]]:
    """The kinds of products of inputs that occur in the bits of ``output``, which are sums of such products.

    Returns
    -------
    frozenset of tuple of Word
        Each tuple lists the inputs of one kind of product in order of creation: {(a,)} for a word linear in a alone,
        {(a, b)} for one that is bilinear in a and b.

    Notes
    -----
    Every view is linear over GF(2), a merge included (it is an XOR of disjoint words).
    """
    kinds: dict[int, frozenset[tuple[Word, ...]]] = {}
    for word in topological(output):
        operands = [kinds[argument.serial] for argument in word.arguments]
        if word.kind == "input":
            kinds[word.serial] = frozenset({(word,)})
        elif word.kind == "and":
            kinds[word.serial] = frozenset(
                tuple(sorted(left + right, key=lambda item: item.serial)) for left in operands[0] for right in operands[1]
            )
        else:
            kinds[word.serial] = frozenset().union(*operands)
    return kinds[output.serial]


# -- planes ----------------------------------------------------------------------------------------------------------------------------

# Bit transposition of words.  It takes wires in a circuit, and a few wide instructions in a compiled simulation.
#
# A lane is a small polynomial.  A plane holds one coefficient of every lane::
#
#     lane 0: a3 a2 a1 a0          plane 0: ... c0 b0 a0
#     lane 1: b3 b2 b1 b0    ->    plane 1: ... c1 b1 a1
#     lane 2: c3 c2 c1 c0          plane 2: ... c2 b2 a2
#
# One operation on planes therefore does the same step for all lanes.  The transposition exchanges larger and larger squares of bits with
# masks and shifts (Warren, Hacker's Delight, section 7-3).


def repeat(pattern: int, period: int, width: int) -> int:
    """The ``period`` bits of ``pattern`` repeated up to ``width`` bits."""
    return sum(pattern << position for position in range(0, width, period)) & (1 << width) - 1


def transpose(words: Sequence[Word]) -> list[Word]:
    """Exchanges the row and the column of bits in squares.

    Parameters
    ----------
    words : sequence of Word
        2^n rows of equal width, which is a multiple of 2^n.

    Returns
    -------
    list of Word
        Bit c * 2^n + t of row r is bit c * 2^n + r of row t of ``words``.
    """
    rows, width = list(words), words[0].width
    side = len(rows)
    if side & (side - 1) or width % side or any(word.width != width for word in rows):
        raise ValueError(f"transpose: {side} rows of {width} bits do not form squares of a power of two")
    step = 1
    while step < side:
        low = repeat((1 << step) - 1, 2 * step, width)
        high = low << step
        for row in range(side):
            if not row & step:
                upper, lower = rows[row], rows[row | step]
                rows[row] = (upper & low) | ((lower & low) << step)
                rows[row | step] = ((upper >> step) & low) | (lower & high)
        step *= 2
    return rows


def to_planes(lanes: Sequence[Word]) -> list[Word]:
    """Planes of lanes of equal width.  Bit l of plane t is bit t of lane l.

    Planes are padded with zeros to a multiple of 32 bits, so operations on them never have to clear bits.
    """
    width = lanes[0].width
    side = 1 << (width - 1).bit_length()
    columns = -(-len(lanes) // side)
    padded = [lane.extend(side) for lane in lanes] + [zero(side)] * (columns * side - len(lanes))
    rows = transpose([join(padded[row::side]) for row in range(side)])
    return [row.extend(-(-len(lanes) // 32) * 32) for row in rows[:width]]


def to_lanes(planes: Sequence[Word], lanes: int) -> list[Word]:
    """Inverse of ``to_planes``: the first ``lanes`` lanes."""
    width = len(planes)
    side = 1 << (width - 1).bit_length()
    columns = -(-lanes // side)
    padded = [plane.extend(columns * side) for plane in planes] + [zero(columns * side)] * (side - width)
    rows = transpose(padded)
    return [rows[lane % side].part(lane // side * side, width) for lane in range(lanes)]


def reverse_in_bytes(word: Word) -> Word:
    """Every byte with its bits in reverse order."""
    for step, low in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        mask = repeat(low, 8, word.width)
        word = ((word & mask) << step) | ((word >> step) & mask)
    return word
