# SPDX-License-Identifier: Apache-2.0
"""The effect of the cells of a netlist on words of symbols.

::

    xor, not, mux with a known select, shift by a known distance, and, or with a constant in each bit     exact add, compare, ... of
    numbers                                                                          the number anything else
    an atom of cell and operands
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from modeloom.equivalence import lanes
from modeloom.equivalence.lanes import LANES, ONE, apart, bits_of, mask, number
from modeloom.spec import Counter
from modeloom.taint.graph import Bit, Cell

__all__ = ["CELLS", "CircuitError", "Read", "added", "counted"]


# -- counters ----------------------------------------------------------------------------------------------------------------------------

# Sums of a counter of symbols and a number, in a form in which equal sums are equal words.
#
#     (v + 1) + 1  =  v + 2        each is the word of v and 2, modulo 2^bits
#
# A sum of numbers is the number.  Nothing else is known about a sum of symbols.

_sums: dict[tuple[int, int], tuple[int, int]] = {}
"""For each sum and its width, the word that it began with, and the number that was added to it."""


def added(word: int, number: int, bits: int) -> int:
    """A word of so many bits plus a number, without the carry."""
    value = lanes.number(word)
    if value is not None:
        return lanes.constant((value + number) % (1 << bits), bits)
    base, before = _sums.get((word, bits), (word, 0))
    total = (before + number) % (1 << bits)
    if not total:
        return base
    result = lanes.operation(f"sum {total}", bits, base)
    _sums[result, bits] = base, total
    return result


def counted(block: int, counter: Counter, number: int, width: int) -> int:
    """A block of ``width`` bits with a number added to its counter."""
    bits, shift = counter.bits, counter.low(width) * lanes.LANES
    place = lanes.mask(bits) << shift
    count = _turned((block & place) >> shift, counter)
    return block & ~place | _turned(added(count, number, bits), counter) << shift


def _turned(word: int, counter: Counter) -> int:
    """A word with its bytes in the order of a counter, or a counter with its bytes in the order of words."""
    bits = lanes.bits_of(word, counter.bits)
    return lanes.joined([bit for byte in counter.ascending([bits[at : at + 8] for at in range(0, counter.bits, 8)]) for bit in byte])


# -- cells -------------------------------------------------------------------------------------------------------------------------------

MOST = 4096
"""Number of results that a cell on numbers caches."""


class CircuitError(Exception):
    """The circuit is malformed, or control depends on data.  The message is one line."""


def _operand(cell: Cell, port: str, width: int) -> list[Bit]:
    """An operand, extended or truncated to a width."""
    bits = list(cell[port][:width])
    fill: Bit = bits[-1] if bits and cell.parameters.get(f"{port}_SIGNED") else "0"
    return bits + [fill] * (width - len(bits))


@dataclass(frozen=True)
class Kind:
    """A type of cells.

    Attributes
    ----------
    operands : callable
        The words that the cell reads.
    line : callable
        Makes the Python text that computes the output, from their names, their bits, the names that the text may use, and the place
        of the cell.
    fixed : callable
        The bits of the output that are always 0 and those that are always 1, as a pair of numbers, from the same pairs of the
        operands.
    """

    operands: Callable[[Cell], list[list[Bit]]]
    line: Callable[[Cell, list[str], list[list[Bit]], dict[str, object], int, list[Fixed]], str]
    fixed: Callable[[Cell, list[Fixed]], Fixed] = lambda cell, operands: (0, 0)


Fixed = tuple[int, int]
"""Bits of a word that are always 0, and those that are always 1."""


def _decided(cell: Cell, fixed: list[Fixed]) -> bool:
    """Whether in each bit one of two operands is fixed, so that the operation is exact."""
    return fixed[0][0] | fixed[0][1] | fixed[1][0] | fixed[1][1] == (1 << len(cell["Y"])) - 1


def _bitwise_operands(cell: Cell) -> list[list[Bit]]:
    width = len(cell["Y"])
    return [_operand(cell, port, width) for port in ("A", "B") if port in cell.ports]


def _and_word(a: int, b: int, width: int) -> int:
    if not a or not b:
        return 0
    if a == b:
        return a
    if number(b) is not None or number(a) is not None:
        return a & b
    return lanes.joined([_and_bit(x, y) for x, y in zip(bits_of(a, width), bits_of(b, width))])


def _and_bit(a: int, b: int) -> int:
    if not a or not b:
        return 0
    if a == ONE or a == b:
        return b
    if b == ONE:
        return a
    if a ^ b == ONE:
        return 0
    return lanes.operation("and", 1, *sorted((a, b)))


def _or_word(a: int, b: int, width: int) -> int:
    if not a or not b or a == b:
        return a | b
    full = mask(width)
    return _and_word(a ^ full, b ^ full, width) ^ full


def _gated(word: int, bit: int, width: int) -> int:
    """A word, and one bit that applies to the whole word."""
    if not bit:
        return 0
    return word if bit == ONE else _and_word(word, bit * lanes.repeated(width), width)


def _and_line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
    width = len(cell["Y"])
    if _decided(cell, fixed):
        return f"{names[0]} & {names[1]}"
    space.update(and_bit=_and_bit, and_word=_and_word, gated=_gated)
    if width == 1:
        return f"and_bit({names[0]}, {names[1]})"
    for one, other in ((0, 1), (1, 0)):
        if len(set(bits[one])) == 1 and isinstance(bits[one][0], int):
            return f"gated({names[other]}, {names[one]} & ONE, {width})"
    return f"and_word({names[0]}, {names[1]}, {width})"


def _or_line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
    if _decided(cell, fixed):
        return f"{names[0]} | {names[1]}"
    space["or_word"] = _or_word
    return f"or_word({names[0]}, {names[1]}, {len(cell['Y'])})"


def _plain(text: str) -> Callable[..., str]:
    def line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
        width = len(cell["Y"])
        space[f"full{width}"] = mask(width)
        return text.format(*names, full=f"full{width}")

    return line


def _select_operands(cell: Cell) -> list[list[Bit]]:
    width = len(cell["Y"])
    choices = [list(cell["B"][i : i + width]) for i in range(0, len(cell["B"]), width)]
    return [list(cell["A"]), *choices, *([bit] for bit in cell["S"])]


def _mux(s: int, a: int, b: int, width: int) -> int:
    if not s:
        return a
    if s == ONE:
        return b
    if a == b:
        return a
    return lanes.operation("mux", width, s, a, b)


MOST_NESTED = 2
"""Choices of a cell that become one expression.  Each of them has the expression of all before it twice."""


def _choose(result: int, width: int, *pairs: int) -> int:
    """The last of some choices whose select is set; ``pairs`` are selects and choices in turn."""
    for select, choice in zip(pairs[::2], pairs[1::2]):
        result = _mux(select, result, choice, width)
    return result


def _mux_line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
    space["mux"], space["choose"] = _mux, _choose
    count, width = len(cell["S"]), len(cell["Y"])
    if count > MOST_NESTED:
        pairs = ", ".join(f"{select}, {choice}" for choice, select in zip(names[1 : 1 + count], names[1 + count :]))
        return f"choose({names[0]}, {width}, {pairs})"
    result = names[0]
    for choice, select in zip(names[1 : 1 + count], names[1 + count :]):
        other = f"({result})" if result != names[0] else result
        result = f"{other} if not {select} else {choice} if {select} == ONE else mux({select}, {other}, {choice}, {width})"
    return result


def _signed(cell: Cell) -> bool:
    """Whether both operands have a sign."""
    return bool(cell.parameters.get("A_SIGNED") and cell.parameters.get("B_SIGNED"))


def _compared_operands(cell: Cell) -> list[list[Bit]]:
    width = max(len(cell["A"]), len(cell["B"]))
    return [list(cell[port]) + [cell[port][-1] if _signed(cell) else "0"] * (width - len(cell[port])) for port in ("A", "B")]


def _number_operands(cell: Cell) -> list[list[Bit]]:
    return [list(cell[port]) for port in ("A", "B") if port in cell.ports]


def _of_numbers(
    name: str, operation: Callable[..., int], operands: Callable[[Cell], list[list[Bit]]],
    known: Callable[..., int | None] = lambda *words: None,
) -> Kind:  # fmt: skip
    """Cells that are computed on numbers.  ``known`` gives the bits that are known even for symbols."""

    def line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
        width = len(cell["Y"])
        widths = [len(operand) for operand in bits]
        # With the sign turned, numbers have the order of numbers without one.
        sign = 1 << widths[0] - 1 if operands is _compared_operands and _signed(cell) else 0

        remembered: dict[tuple[int, ...], int] = {}

        def compute(*words: int) -> int:
            result = remembered.get(words)
            if result is not None:
                return result
            values = [value for word in words if (value := number(word)) is not None]
            if len(values) == len(words):
                result = lanes.constant(operation(*(value ^ sign for value in values)) & ((1 << width) - 1), width)
                if len(remembered) < MOST:
                    remembered[words] = result
                return result
            found = None if sign else known(*words, *widths)
            return lanes.operation(f"{name} {widths}", width, *words) if found is None else found

        space[f"cell{place}"] = compute
        return f"cell{place}({', '.join(names)})"

    return Kind(operands, line)


def _some(word: int, width: int) -> int | None:
    return ONE if ONE in bits_of(word, width) else None


def _every(word: int, width: int) -> int | None:
    return 0 if 0 in bits_of(word, width) else None


def _odd(word: int, width: int) -> int:
    total = 0
    for bit in bits_of(word, width):
        total ^= bit
    return total


def _same(a: int, b: int, width: int, _: int) -> int | None:
    if a == b:
        return ONE
    return 0 if apart(a, b, width) else None


def _other(a: int, b: int, width: int, _: int) -> int | None:
    same = _same(a, b, width, width)
    return None if same is None else same ^ ONE


def _below(a: int, b: int, width: int, _: int) -> int | None:
    return None if b else 0


def _add_line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
    """A sum.  If one operand is a number, sums with the same result are equal words (``counters``)."""
    width = len(cell["Y"])
    # Constant zeros above an operand make room for the carry.
    used = [len(operand) - next((n for n, bit in enumerate(reversed(operand)) if bit != "0"), width) for operand in bits]
    remembered: dict[tuple[int, int], int] = {}

    def counted(word: int, count: int, bits: int) -> int:
        low = added(word & mask(bits), count, bits)
        return low | (lanes.operation(f"carry {count}", width - bits, word) << bits * LANES if bits < width else 0)

    def compute(a: int, b: int) -> int:
        result = remembered.get((a, b))
        if result is not None:
            return result
        p, q = number(a), number(b)
        if p is not None and q is not None:
            result = lanes.constant((p + q) & ((1 << width) - 1), width)
            if len(remembered) < MOST:
                remembered[a, b] = result
            return result
        if q is not None:
            return counted(a, q, used[0])
        if p is not None:
            return counted(b, p, used[1])
        return lanes.operation("add", width, *sorted((a, b)))

    space[f"cell{place}"] = compute
    return f"cell{place}({', '.join(names)})"


def _fixed_sum(cell: Cell, f: list[Fixed]) -> Fixed:
    return f[0][0] & f[1][0] | f[0][1] & f[1][1], f[0][0] & f[1][1] | f[0][1] & f[1][0]


def _fixed_choice(cell: Cell, f: list[Fixed]) -> Fixed:
    zeros, ones = f[0]
    for choice in f[1 : 1 + len(cell["S"])]:
        zeros, ones = zeros & choice[0], ones & choice[1]
    return zeros, ones


def _shift_line(sign: int) -> Callable[..., str]:
    def line(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
        if cell.parameters.get("B_SIGNED") or cell.parameters.get("A_SIGNED"):
            raise CircuitError(f"cell {cell.name} of type {cell.type} shifts numbers with a sign")
        width = len(cell["Y"])

        def compute(a: int, b: int) -> int:
            distance = number(b)
            if distance is None:
                return lanes.operation(cell.type, width, a, b)
            moved = a << distance * LANES if sign > 0 else a >> distance * LANES
            return moved & mask(width)

        space[f"cell{place}"] = compute
        return f"cell{place}({', '.join(names)})"

    return line


CELLS: dict[str, Kind] = {
    "$not": Kind(_bitwise_operands, _plain("{0} ^ {full}"), lambda cell, f: (f[0][1], f[0][0])),
    "$pos": Kind(_bitwise_operands, _plain("{0}"), lambda cell, f: f[0]),
    "$xor": Kind(_bitwise_operands, _plain("{0} ^ {1}"), _fixed_sum),
    "$xnor": Kind(_bitwise_operands, _plain("{0} ^ {1} ^ {full}")),
    "$and": Kind(_bitwise_operands, _and_line, lambda cell, f: (f[0][0] | f[1][0], f[0][1] & f[1][1])),
    "$or": Kind(_bitwise_operands, _or_line, lambda cell, f: (f[0][0] & f[1][0], f[0][1] | f[1][1])),
    "$mux": Kind(_select_operands, _mux_line, _fixed_choice),
    "$pmux": Kind(_select_operands, _mux_line, _fixed_choice),
    "$add": Kind(_bitwise_operands, _add_line),
    "$sub": _of_numbers("sub", lambda a, b: a - b, _bitwise_operands),
    "$mul": _of_numbers("mul", lambda a, b: a * b, _bitwise_operands),
    "$eq": _of_numbers("eq", lambda a, b: a == b, _compared_operands, _same),
    "$ne": _of_numbers("ne", lambda a, b: a != b, _compared_operands, _other),
    "$lt": _of_numbers("lt", lambda a, b: a < b, _compared_operands, _below),
    "$le": _of_numbers("le", lambda a, b: a <= b, _compared_operands),
    "$gt": _of_numbers("gt", lambda a, b: a > b, _compared_operands),
    "$ge": _of_numbers("ge", lambda a, b: a >= b, _compared_operands),
    "$reduce_or": _of_numbers("or", lambda a: int(a != 0), _number_operands, _some),
    "$reduce_bool": _of_numbers("or", lambda a: int(a != 0), _number_operands, _some),
    "$reduce_xor": _of_numbers("xor", lambda a: a.bit_count() & 1, _number_operands, _odd),
    "$logic_not": _of_numbers("not", lambda a: int(a == 0), _number_operands, lambda a, n: None if _some(a, n) is None else 0),
    "$logic_and": _of_numbers("both", lambda a, b: int(a != 0 and b != 0), _number_operands),
    "$logic_or": _of_numbers("either", lambda a, b: int(a != 0 or b != 0), _number_operands),
    "$shl": Kind(_number_operands, _shift_line(1)),
    "$shr": Kind(_number_operands, _shift_line(-1)),
}
"""Types of cells by their names in Yosys.  Other types are refused."""


def _reduce_and(cell: Cell, names: list[str], bits: list[list[Bit]], space: dict[str, object], place: int, fixed: list[Fixed]) -> str:
    width = len(bits[0])

    def compute(a: int) -> int:
        if a == mask(width):
            return ONE
        found = 0 if number(a) is not None else _every(a, width)
        return lanes.operation(f"all {width}", 1, a) if found is None else found

    space[f"cell{place}"] = compute
    return f"cell{place}({names[0]})"


CELLS["$reduce_and"] = Kind(_number_operands, _reduce_and)


class Read:
    """A read port of a memory.

    Parameters
    ----------
    cell : Cell
    contents : sequence of int or None
        The words of a memory with write ports; None for a table.
    """

    def __init__(self, cell: Cell, contents: Sequence[int] | None):
        self.cell, self.width = cell, cell.numbers["WIDTH"]
        self.table = ""
        self._told = 0
        if contents is None:
            words = _table(cell)
            contents = [lanes.constant(word, self.width) for word in words]
            self.table = "table " + sha256(repr(words).encode()).hexdigest()
        self.contents = contents

    def __call__(self, address: int) -> int:
        at = number(address)
        if at is not None:
            return self.contents[at] if at < len(self.contents) else lanes.atom(f"beyond {self.cell.name} {at}", self.width)
        if self.table:
            return lanes.operation(self.table, self.width, address)
        # Nothing is known about the value, so each read is a new symbol.
        self._told += 1
        return lanes.atom(f"unknown word {self._told} of {self.cell.name}", self.width)


def _table(cell: Cell) -> list[int]:
    p = cell.numbers
    if "INIT" not in p:
        raise CircuitError(f"table {cell.name} has undefined words")
    return [p["INIT"] >> n * p["WIDTH"] & ((1 << p["WIDTH"]) - 1) for n in range(p["SIZE"])]
