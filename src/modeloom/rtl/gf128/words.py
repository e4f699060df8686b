# SPDX-License-Identifier: Apache-2.0
"""Word-level expression graphs of combinational logic, and pipeline registers placed in them by depth.

A ``Word`` is a value of a fixed width, bit 0 the lowest.  Two kinds of gates cost area and time: ``a ^ b`` and ``a & b`` of
two words.  Everything else only names bits (slices, concatenations, shifts, masks, merges of words that are never both set)
and becomes wires in a circuit, but stays a handful of machine instructions in a compiled simulation.

One graph has four uses: ``evaluate`` runs it on integers, ``lower`` writes it in Amaranth, ``place_cuts`` finds where
pipeline registers go, and ``variables_of`` tells which inputs each product contains (for proofs of bilinearity).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count

from amaranth.hdl import Cat, Const, Module, Signal, Value

__all__ = ["Word", "evaluate", "join", "lower", "place_cuts", "spread", "variables_of", "xor_all", "zero"]

_SERIAL = count()


class Word:
    """A node of a graph.

    Attributes
    ----------
    kind : str
        ``input``, ``zero``, the gates ``xor``, ``and``, ``parity``, or a view: ``mask``, ``merge``, ``shift``, ``slice``,
        ``join``, ``spread``.
    width : int
        Bits.
    arguments : tuple of Word
        Operands.
    parameter : int
        Mask, distance (left is positive), first bit, or spread constant, by the kind.
    depth : int
        Two-input gates on the longest path from an input.
    """

    __slots__ = ("arguments", "depth", "kind", "parameter", "serial", "width")

    def __init__(self, kind: str, width: int, arguments: tuple[Word, ...] = (), parameter: int = 0):
        self.kind = kind
        self.width = width
        self.arguments = arguments
        self.parameter = parameter
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
        return cls("input", width)

    @property
    def is_gate(self) -> bool:
        """Whether the node is logic, not an input or a view."""
        return self.kind in ("xor", "and", "parity")

    def _same_width(self, other: Word) -> None:
        if self.width != other.width:
            raise ValueError(f"words of {self.width} and {other.width} bits cannot be combined")

    def __xor__(self, other: Word) -> Word:
        self._same_width(other)
        if self.kind == "zero":
            return other
        if other.kind == "zero":
            return self
        return Word("xor", self.width, (self, other))

    def __and__(self, other: Word | int) -> Word:
        if isinstance(other, int):
            return self if self.kind == "zero" else Word("mask", self.width, (self,), other & (1 << self.width) - 1)
        self._same_width(other)
        if "zero" in (self.kind, other.kind):
            return zero(self.width)
        return Word("and", self.width, (self, other))

    def __or__(self, other: Word) -> Word:
        """Merge: the union of two words that have no bit position in which both can be set."""
        self._same_width(other)
        if self.kind == "zero":
            return other
        if other.kind == "zero":
            return self
        return Word("merge", self.width, (self, other))

    def __lshift__(self, distance: int) -> Word:
        """Shift towards the high end within the width; negative distances shift towards the low end."""
        if abs(distance) >= self.width or self.kind == "zero":
            return zero(self.width)
        return self if distance == 0 else Word("shift", self.width, (self,), distance)

    def __rshift__(self, distance: int) -> Word:
        return self << -distance

    def part(self, start: int, width: int) -> Word:
        """The ``width`` bits from ``start`` on; bits beyond the end are zero."""
        inside = max(0, min(width, self.width - start))
        if self.kind == "zero" or inside == 0:
            return zero(width)
        result = self if inside == self.width else Word("slice", inside, (self,), start)
        return result if inside == width else join([result, zero(width - inside)])

    def extend(self, width: int) -> Word:
        """The word with zeros above it, or cut off above."""
        return self.part(0, width)

    def parity(self, mask: int) -> Word:
        """XOR of the bits selected by ``mask``, one bit."""
        mask &= (1 << self.width) - 1
        return Word("parity", 1, (self,), mask) if mask else zero(1)


def zero(width: int) -> Word:
    """The constant 0 of a width."""
    return Word("zero", width)


def join(words: Sequence[Word]) -> Word:
    """Concatenation, the first word lowest."""
    if len(words) == 1:
        return words[0]
    return Word("join", sum(word.width for word in words), tuple(words))


def spread(bit: Word, width: int, constant: int) -> Word:
    """``constant`` where the one-bit word is 1, else 0."""
    return Word("spread", width, (bit,), constant)


def xor_all(words: Iterable[Word]) -> Word:
    """XOR of one or more words as a tree of least depth."""
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


def _order(output: Word) -> list[Word]:
    """Every node that ``output`` needs, operands before users."""
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
    for word in _order(output):
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
        case "merge":
            if operands[0] & operands[1]:
                raise ValueError("a merge of words with a common bit")
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


def variables_of(output: Word) -> frozenset[tuple[Word, ...]]:
    """Which products of inputs the bits of ``output`` are sums of.

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
    for word in _order(output):
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


def _register_bits(output: Word) -> list[int]:
    """Bits alive across a cut just above each depth 0 ... output.depth; views are taken after the registers."""
    last_use: dict[int, int] = {output.serial: output.depth + 1}
    bits = [0] * (output.depth + 1)
    for word in reversed(_order(output)):
        use = last_use.get(word.serial, 0)
        for argument in word.arguments:
            reach = word.depth if word.is_gate else use
            last_use[argument.serial] = max(last_use.get(argument.serial, 0), reach)
        if word.is_gate or word.kind == "input":
            for depth in range(word.depth, min(use, output.depth + 1)):
                bits[depth] += word.width
    return bits


def place_cuts(output: Word, stages: int, *, at_output: bool, slack: int = 0) -> tuple[int, ...]:
    """Depths after which pipeline registers stand.

    The longest stretch of gates between registers is the least possible plus ``slack``; among such placements the one with
    the fewest register bits is taken.

    Parameters
    ----------
    output : Word
        End of the graph.
    stages : int
        Number of registers on every path.
    at_output : bool
        Whether the last register holds the output itself; otherwise logic follows it, and one XOR outside the graph is
        counted with that logic.
    slack : int
        Gates that the longest stretch may exceed its minimum by.

    Returns
    -------
    tuple of int
        ``stages`` depths in rising order.  A gate of depth d stands behind all registers at depths less than d.
    """
    if stages == 0:
        return ()
    bits = _register_bits(output)
    end = output.depth
    free = stages - 1 if at_output else stages
    stretches = free + 1
    total = end if at_output else end + 1
    for longest in range(-(-total // stretches) + slack, total + 1):
        # best[d]: fewest register bits, with the cuts that give them, when the latest cut is at depth d
        best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
        for _ in range(free):
            extended: dict[int, tuple[int, tuple[int, ...]]] = {}
            for depth, (cost, cuts) in best.items():
                for cut in range(depth, min(depth + longest, end) + 1):
                    candidate = (cost + bits[cut], (*cuts, cut))
                    if cut not in extended or candidate < extended[cut]:
                        extended[cut] = candidate
            best = extended
        finished = [value for depth, value in best.items() if total - depth <= longest]
        if finished:
            return (*min(finished)[1], end) if at_output else min(finished)[1]
    raise AssertionError("a stretch of the whole depth always fits")  # pragma: no cover


def lower(
    output: Word,
    values: Mapping[Word, Value],
    *,
    module: Module | None = None,
    cuts: Sequence[int] = (),
    domain: str = "sync",
) -> Value:
    """Amaranth expression of ``output``.

    Parameters
    ----------
    output : Word
        End of the graph.
    values : mapping of Word to Value
        Amaranth values of the inputs, all valid in the same cycle.
    module : Module
        Where registers and intermediate signals go; needed with ``cuts``, and good for all but small graphs.
    cuts : sequence of int
        Depths after which registers stand, from ``place_cuts``.
    domain : str
        Clock domain of the registers.  They have no reset and no enable.

    Returns
    -------
    Value
        The result, ``len(cuts)`` cycles after the inputs.
    """
    known: dict[tuple[int, int], Value] = {}

    def stage_of(word: Word) -> int:
        return sum(cut < word.depth for cut in cuts)

    def at(word: Word, stage: int) -> Value:
        key = (word.serial, stage)
        if key not in known:
            known[key] = build(word, stage)
        return known[key]

    def build(word: Word, stage: int) -> Value:
        if word.kind == "zero":
            return Const(0, word.width)
        if word.kind == "input" and stage == 0:
            return values[word]
        if (word.is_gate or word.kind == "input") and stage > stage_of(word):
            assert module is not None
            register = Signal(word.width, name=f"stage{stage}_{len(known)}_reg", reset_less=True)
            module.d[domain] += register.eq(at(word, stage - 1))
            return register
        expression = _express(word, [at(argument, stage) for argument in word.arguments])
        # Amaranth finds the shape of an expression by walking all of it, which is exponential in a graph with shared
        # nodes; the shape of a signal or of a slice is known at once.
        if module is None or word.kind in ("slice", "join"):
            return expression[:]
        node = Signal(word.width, name="")
        module.d.comb += node.eq(expression)
        return node

    return at(output, len(cuts))


def _express(word: Word, operands: list[Value]) -> Value:
    match word.kind:
        case "xor":
            return operands[0] ^ operands[1]
        case "and":
            return operands[0] & operands[1]
        case "parity":
            return (operands[0] & word.parameter).xor()
        case "mask":
            return operands[0] & Const(word.parameter, word.width)
        case "merge":
            return operands[0] | operands[1]
        case "shift":
            distance = word.parameter
            if distance > 0:
                return Cat(Const(0, distance), operands[0][: word.width - distance])
            return Cat(operands[0][-distance:], Const(0, -distance))
        case "slice":
            return operands[0][word.parameter : word.parameter + word.width]
        case "spread":
            return operands[0].replicate(word.width) & Const(word.parameter, word.width)
    return Cat(*operands)
