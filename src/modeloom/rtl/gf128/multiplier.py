# SPDX-License-Identifier: Apache-2.0
"""The common part of the multipliers that are made from a graph of words: ports, parameters, pipeline registers.

::

    a ──┐
        ├── graph, registers at equal depths of two-input gates ── o        o of cycle t is a * b of cycle t - stages
    b ──┘
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.words import Word, topological
from modeloom.spec.field import Field

__all__ = ["GraphMultiplier", "check_field", "check_number", "cut_depths", "lower", "place_cuts"]


# -- lowering ----------------------------------------------------------------------------------------------------------------------------

# Lowers a graph of words to Amaranth logic, with pipeline registers placed by depth.
#
#     depth    0     1     2     3     4     5            depth: two-input gates from the inputs
#              a ────┬─────xor───┬───and───xor── o
#              b ────┘           │     │
#                                cut after depth 2: one register on every word that crosses
#
# Slices, masks and other views are taken after the registers, so a bit is never registered twice.

def _register_bits(output: Word) -> list[int]:
    """Number of live bits at a cut just above each depth 0 ... output.depth.  Views are taken after the registers."""
    last_use: dict[int, int] = {output.serial: output.depth + 1}
    bits = [0] * (output.depth + 1)
    for word in reversed(topological(output)):
        use = last_use.get(word.serial, 0)
        for argument in word.arguments:
            reach = word.depth if word.holds else use
            last_use[argument.serial] = max(last_use.get(argument.serial, 0), reach)
        if word.holds:
            for depth in range(word.depth, min(use, output.depth + 1)):
                bits[depth] += word.support.bit_count()
    return bits


def place_cuts(output: Word, stages: int, *, at_output: bool, gate_bits: int | None = None) -> tuple[int, ...]:
    """Depths after which pipeline registers are placed.

    Minimizes the longest path of gates between registers.  One more gate is accepted if it saves ``gate_bits`` register bits, because a
    cut through the partial sums of a product would register all of them.

    Parameters
    ----------
    output : Word
        End of the graph.
    stages : int
        Number of registers on every path.
    at_output : bool
        Whether the last register holds the output itself.  Otherwise logic follows it, and one XOR outside the graph counts as part of
        this logic.
    gate_bits : int, optional
        Number of register bits that are worth one gate of the longest path.  The default is 8 times the width of the output.

    Returns
    -------
    tuple of int
        ``stages`` depths in rising order.  A gate of depth d comes after all registers at depths less than d.
    """
    if stages == 0:
        return ()
    if gate_bits is None:
        gate_bits = 8 * output.width
    return cut_depths(_register_bits(output), stages, at_output=at_output, gate_bits=gate_bits)


def cut_depths(bits: Sequence[int], stages: int, *, at_output: bool, gate_bits: int) -> tuple[int, ...]:
    """``place_cuts`` for any network of gates or LUTs.  ``bits`` has the number of live bits above each depth 0, 1, … of the output."""
    if stages == 0:
        return ()
    end = len(bits) - 1
    free = stages - 1 if at_output else stages
    total = end if at_output else end + 1
    last = max(0, end - 1)  # the inputs are not registered, and the output only on request
    candidates = []
    for longest in range(-(-total // (free + 1)), total + 1):
        # for each depth of the latest cut: the smallest number of register bits so far, and the cuts for it
        best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
        for _ in range(free):
            extended: dict[int, tuple[int, tuple[int, ...]]] = {}
            for depth, (cost, cuts) in best.items():
                for cut in range(max(depth, min(1, last)), min(depth + longest, last) + 1):
                    candidate = (cost + bits[cut], (*cuts, cut))
                    extended[cut] = min(candidate, extended.get(cut, candidate))
            best = extended
        finished = [value for depth, value in best.items() if total - depth <= longest]
        if finished:
            cost, cuts = min(finished)
            candidates.append((cost + longest * gate_bits, longest, cuts))
    cuts = min(candidates)[2]
    return (*cuts, end) if at_output else cuts


_LIMB = 32
"""Bits in a machine word of the simulation.  Wider words are lowered in limbs, because CXXRTL keeps values of up to 32 bits in
registers of the processor and moves wider ones through memory."""

_OPERATORS = ("xor", "and", "parity", "mask", "merge", "spread")
"""Kinds of words that become Amaranth operators.  The others only select bits."""


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
        The module for registers and intermediate signals.  It is required with ``cuts``, and should be given for all but small graphs.
    cuts : sequence of int
        Depths after which registers are placed, from ``place_cuts``.
    domain : str
        Clock domain of the registers.  They have no reset and no enable.

    Returns
    -------
    Value
        The result, ``len(cuts)`` cycles after the inputs.

    Raises
    ------
    ValueError
        If registers are needed but there is no module.
    """
    known: dict[tuple[int, int], list[Value]] = {}
    names = count()

    def at(word: Word, stage: int) -> list[Value]:
        key = (word.serial, stage)
        if key not in known:
            known[key] = build(word, stage)
        return known[key]

    def build(word: Word, stage: int) -> list[Value]:
        if word.kind == "zero":
            return _limbs([Const(0, word.width)])
        if word.kind == "input" and stage == 0:
            return _limbs([values[word]])
        if word.holds and stage > sum(cut < word.depth for cut in cuts):
            return [register(limb, stage) for limb in at(word, stage - 1)]
        limbs = _express(word, [at(argument, stage) for argument in word.arguments])
        return [name(limb) for limb in limbs] if word.kind in _OPERATORS else limbs

    def register(limb: Value, stage: int) -> Value:
        if isinstance(limb, Const):
            return limb
        if module is None:
            raise ValueError("lower: pipeline registers need a module")
        result = Signal(len(limb), name=f"stage{stage}_{next(names)}_reg", reset_less=True)
        module.d[domain] += result.eq(limb)
        return result

    def name(limb: Value) -> Value:
        # Amaranth computes the shape of an operator from all of its operands, which takes exponential time in a graph with shared nodes.
        # A signal or a slice knows its shape.
        if isinstance(limb, (Const, Signal)) or module is None:
            return limb if isinstance(limb, Const) else limb[:]
        result = Signal(len(limb), name="")
        module.d.comb += result.eq(limb)
        return result

    return Cat(at(output, len(cuts)))


def _limbs(pieces: Iterable[Value]) -> list[Value]:
    """The same bits in limbs.  All limbs are full except the last."""
    limbs: list[Value] = []
    partial: list[Value] = []
    missing = _LIMB
    for piece in pieces:
        start = 0
        while start < len(piece):
            taken = min(missing, len(piece) - start)
            whole = taken == len(piece)
            partial.append(piece if whole else _slice(piece, start, taken))
            start, missing = start + taken, missing - taken
            if missing == 0:
                limbs.append(_concatenate(partial))
                partial, missing = [], _LIMB
    return [*limbs, _concatenate(partial)] if partial else limbs


def _slice(value: Value, start: int, width: int) -> Value:
    return Const(value.value >> start, width) if isinstance(value, Const) else value[start : start + width]


def _concatenate(pieces: list[Value]) -> Value:
    if all(isinstance(piece, Const) and piece.value == 0 for piece in pieces):
        return Const(0, sum(len(piece) for piece in pieces))
    return pieces[0] if len(pieces) == 1 else Cat(pieces)


def _bits(limbs: list[Value], start: int, width: int) -> list[Value]:
    """The pieces of limbs that contain the ``width`` bits from ``start`` on."""
    pieces = []
    while width:
        limb = limbs[start // _LIMB]
        offset = start % _LIMB
        taken = min(width, len(limb) - offset)
        pieces.append(limb if taken == len(limb) else _slice(limb, offset, taken))
        start, width = start + taken, width - taken
    return pieces


def _is_zero(limb: Value) -> bool:
    return isinstance(limb, Const) and limb.value == 0


def _express(word: Word, operands: list[list[Value]]) -> list[Value]:
    distance = word.parameter
    match word.kind:
        case "slice":
            return _limbs(_bits(operands[0], word.parameter, word.width))
        case "join":
            return _limbs(limb for limbs in operands for limb in limbs)
        case "shift" if distance > 0:
            return _limbs([Const(0, distance), *_bits(operands[0], 0, word.width - distance)])
        case "shift":
            return _limbs([*_bits(operands[0], -distance, word.width + distance), Const(0, -distance)])
        case "parity":
            masked = [_masked(limb, word.parameter >> i * _LIMB) for i, limb in enumerate(operands[0])]
            return [Cat(limb.xor() for limb in masked if not _is_zero(limb)).xor()]
        case "anchor":
            return operands[0]
        case "mask":
            return [_masked(limb, word.parameter >> i * _LIMB) for i, limb in enumerate(operands[0])]
        case "spread":
            constant = Const(word.parameter, word.width)
            parts = _limbs([constant])
            return [part if _is_zero(part) else operands[0][0].replicate(len(part)) & part for part in parts]
    return [_gate(word.kind, left, right) for left, right in zip(operands[0], operands[1], strict=True)]


def _masked(limb: Value, mask: int) -> Value:
    ones = (1 << len(limb)) - 1
    if mask & ones == ones or _is_zero(limb):
        return limb
    return limb & Const(mask & ones, len(limb)) if mask & ones else Const(0, len(limb))


def _gate(kind: str, left: Value, right: Value) -> Value:
    if _is_zero(left) or _is_zero(right):
        return Const(0, len(left)) if kind == "and" else right if _is_zero(left) else left
    if kind == "and":
        return left & right
    return left ^ right if kind == "xor" else left | right


# -- multipliers -------------------------------------------------------------------------------------------------------------------------

def check_field(owner: object, field: object) -> None:
    """Raises TypeError if ``field`` is not a ``Field``."""
    if not isinstance(field, Field):
        raise TypeError(f"{type(owner).__name__}: field must be a Field, not {field!r}")


def check_number(owner: object, name: str, number: object, least: int) -> None:
    """Raises TypeError if ``number`` is not an int, and ValueError if it is below ``least``."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{type(owner).__name__}: {name} must be an int, not {number!r}")
    if number < least:
        raise ValueError(f"{type(owner).__name__}: {name} must be at least {least}, not {number}")


class GraphMultiplier(wiring.Component):
    """Field multiplier with a graph from a subclass: ``o`` is ``field.mul(a, b)`` of the inputs ``stages`` cycles ago.

    The registers are inside, and not at the inputs.  They have neither enable nor reset.

    Parameters
    ----------
    field : Field
        The field.
    stages : int
        Registers between input and output, at least 0.
    output_register : bool
        Whether the last register holds the output.
    **more_ports : Member
        Further ports of a subclass.

    Members
    -------
    a : In(width)
        Factor, a block in the field's order.
    b : In(width)
        Factor.
    o : Out(width)
        Product.

    Attributes
    ----------
    latency : int
        Cycles from inputs to output, equal to ``stages``.
    interval : int
        Cycles between products, 1.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or ``stages`` is not an ``int``.
    ValueError
        If ``stages`` is negative, or an output register is requested without a stage.
    """

    interval = 1

    def __init__(self, field: Field, stages: int = 0, *, output_register: bool = False, **more_ports: wiring.Member) -> None:
        check_field(self, field)
        check_number(self, "stages", stages, 0)
        if output_register and stages == 0:
            raise ValueError(f"{type(self).__name__}: an output register needs at least one stage")
        self.field = field
        self.output_register = output_register
        self.stages = self.latency = stages
        super().__init__({"a": In(field.width), "b": In(field.width), "o": Out(field.width), **more_ports})

    def product(self, a: Word, b: Word) -> Word:
        """The graph of the whole multiplier."""
        raise NotImplementedError

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a, b = Word.input(self.field.width), Word.input(self.field.width)
        product = self.product(a, b)
        cuts = place_cuts(product, self.stages, at_output=self.output_register)
        m.d.comb += self.o.eq(lower(product, {a: self.a, b: self.b}, module=m, cuts=cuts))
        return m
