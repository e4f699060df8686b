#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds S-boxes with few gates and writes ``src/modeloom/rtl/aes/compact_gates.py``: ``python tools/compact_sbox.py``.

The method is that of J. Boyar and R. Peralta (A new combinational logic minimization technique with applications to cryptology, SEA 2010;
A small depth-16 circuit for the AES S-box, SEC 2012); the circuits are found here, from the fields::

    8 bits ── top ──┬── 9 AND ── sums ── D ── inverse in GF(2^4), 5 AND ── 9 forms ──┬── 18 AND ── bottom ── 8 bits
                    └──────────────────── 18 forms of a_1 and a_0 ───────────────────┘

For x = a_1 Y^16 + a_0 Y over GF(2^4): D = c (t^2 a_1 a_0 + n (a_1 + a_0)^2) with t = Y + Y^16, n = Y^17, and
1 / x = c (a_0 Y^16 + a_1 Y) / D.  A product in GF(2^4) is nine ANDs of sums of bits.  Every normal basis (Y^16, Y) over GF(2^4),
(Z^4, Z) over GF(2^2) and every c is another circuit.  The factors of the first nine ANDs may be inverted, which adds linear terms to D
for nothing: those are chosen so that least is left of the linear part of D.

Linear parts: of all sums of two signals, the one that brings the targets nearest is made next, where the distance of a target is the least
number of XORs from what there is; it is held for all 2^n vectors, so a step costs one pass over a table.  Ties are broken at random.

``--search`` tries the bases (minutes for each direction; ``--bases``, ``--seeds``); without it the bases found so are taken.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from modeloom.rtl.aes.sbox import INV_SBOX, SBOX, affine  # noqa: E402
from modeloom.rtl.logic import GateList, GateListBuilder  # noqa: E402

TARGET = ROOT / "src" / "modeloom" / "rtl" / "aes" / "compact_gates.py"

FORMS = (1, 2, 4, 8, 3, 12, 5, 10, 15)
"""Sums of the bits of an element of GF(2^4) that are multiplied."""

TABLES = {"forward": SBOX, "inverse": INV_SBOX}

FOUND = {"forward": (0x28, 0x5C, 0xE0), "inverse": (0x64, 0x50, 0xED)}
"""Y, Z and c of the best circuits that ``--search`` has found."""


# -- fields -----------------------------------------------------------------------------------------------------------------------


@cache
def multiply(a: int, b: int) -> int:
    """Product in the field of AES."""
    result = 0
    for n in range(8):
        result ^= (a << n) * (b >> n & 1)
    for n in range(14, 7, -1):
        result ^= (0x11B << n - 8) * (result >> n & 1)
    return result


@cache
def power(a: int, exponent: int) -> int:
    """a to a power of at least 1."""
    return a if exponent == 1 else multiply(a, power(a, exponent - 1))


def combined(elements: Sequence[int], bits: int) -> int:
    """Sum of the elements whose bit is set."""
    total = 0
    for n, element in enumerate(elements):
        total ^= element * (bits >> n & 1)
    return total


GF16 = [x for x in range(256) if power(x, 16) == x]
W = next(x for x in GF16 if x > 1 and power(x, 4) == x)


@dataclass(frozen=True)
class Tower:
    """A choice of bases.  Coordinates of a byte: bits 3:0 are a_0, bits 7:4 are a_1; of GF(2^4): Z W, Z W^2, Z^4 W, Z^4 W^2."""

    y: int
    z: int
    c: int

    @property
    def basis(self) -> list[int]:
        """Elements of GF(2^4) that the bits of a_0 and a_1 stand for."""
        return [multiply(part, w) for part in (self.z, power(self.z, 4)) for w in (W, multiply(W, W))]

    def bits(self, element: int) -> int:
        """Coordinates of an element of GF(2^4)."""
        return next(v for v in range(16) if combined(self.basis, v) == element)

    def coordinates(self) -> list[int]:
        """Coordinates of every byte."""
        elements = [multiply(part, g) for part in (self.y, power(self.y, 16)) for g in self.basis]
        found = {combined(elements, v): v for v in range(256)}
        return [found[x] for x in range(256)]


def towers() -> Iterator[Tower]:
    """All normal bases, each once of those that differ in the order of their elements."""
    for z in (z for z in GF16 if power(z, 4) > z):
        for y in (y for y in range(256) if power(y, 16) > y if y):
            for c in GF16[1:]:
                yield Tower(y, z, c)


def matrix(images: Sequence[int], rows: int) -> list[int]:
    """Rows of the matrix that takes bit n to ``images[n]``."""
    return [sum((image >> row & 1) << n for n, image in enumerate(images)) for row in range(rows)]


def product_rows(tower: Tower, factor: int) -> list[int]:
    """Bits of factor u v as sums of the nine products of forms of u and v."""
    tensors = [sum(1 << 4 * i + j for i, j in product(range(4), repeat=2) if f >> i & 1 and f >> j & 1) for f in FORMS]
    sums = {combined(tensors, choice): choice for choice in range(1 << 9)}
    basis = tower.basis
    products = [tower.bits(multiply(factor, multiply(basis[n // 4], basis[n % 4]))) for n in range(16)]
    return [sums[row] for row in matrix(products, 4)]


@dataclass(frozen=True)
class Problem:
    """The linear parts of a circuit: 18 forms of the input; D of the nine products and of the input; output of the 18 products."""

    forms: tuple[list[int], list[int]]
    d_products: list[int]
    d_inputs: list[int]
    bottom: list[int]


def problem(tower: Tower, direction: str) -> Problem:
    """What is to be built for these bases."""
    place = tower.coordinates()
    before = {affine(x) ^ affine(0): x for x in range(256)}
    images = [place[1 << n] if direction == "forward" else place[before[1 << n]] for n in range(8)]
    rows = matrix(images, 8)
    forms = tuple([combined(half, f) for f in FORMS] for half in (rows[:4], rows[4:]))
    y16 = power(tower.y, 16)
    trace, norm = tower.y ^ y16, multiply(tower.y, y16)
    sums = [combined(tower.basis, image & 15) ^ combined(tower.basis, image >> 4) for image in images]
    linear = [tower.bits(multiply(multiply(tower.c, norm), multiply(s, s))) for s in sums]
    own = product_rows(tower, 1)
    bottom = [0] * 8
    for n, element in enumerate(tower.basis):
        for half, part in enumerate((y16, tower.y)):
            image = multiply(multiply(tower.c, element), part)
            image = affine(image) ^ affine(0) if direction == "forward" else image
            for k in range(8):
                bottom[k] ^= (own[n] << 9 * half) * (image >> k & 1)
    return Problem(
        (forms[0], forms[1]), product_rows(tower, multiply(tower.c, multiply(trace, trace))), matrix(linear, 4), bottom
    )


# -- sums -------------------------------------------------------------------------------------------------------------------------


def few_sums(size: int, targets: Sequence[int], rng: random.Random, limit: int = 999) -> list[int] | None:
    """Vectors in the order of their making, each the sum of two before it or of inputs; None if more than ``limit`` are needed."""
    index = np.arange(1 << size)
    distance = np.full(1 << size, 99, dtype=np.uint8)
    distance[0] = 0
    signals = [1 << n for n in range(size)]
    for signal in signals:
        np.minimum(distance, distance[index ^ signal] + 1, out=distance)
    wanted = np.array(sorted(set(targets)))
    made: list[int] = []
    while len(left := wanted[distance[wanted] > 1]):
        if len(made) + len(left) > limit:
            return None
        near = left[distance[left] == 2]
        if len(near):
            choice = int(rng.choice(near))
        else:
            known = np.array(signals)
            i, j = np.triu_indices(len(known), 1)
            candidates = np.unique(known[i] ^ known[j])
            candidates = candidates[distance[candidates] > 1]
            after = np.minimum(distance[left], distance[left ^ candidates[:, None]] + 1).astype(np.int64)
            sums = after.sum(1)
            best = np.nonzero(sums == sums.min())[0]
            norms = (after[best] ** 2).sum(1)
            if rng.random() < 0.75:
                best = best[norms == norms.max()]
            choice = int(candidates[rng.choice(best)])
        made.append(choice)
        signals.append(choice)
        np.minimum(distance, distance[index ^ choice] + 1, out=distance)
    return made


# -- inversion in GF(2^4) -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inverter:
    """Inversion by five ANDs: vectors over four inputs (bits 3:0) and five products (bits 8:4).

    Attributes
    ----------
    factors : tuple
        Both factors of each product.
    outputs : tuple
        The nine forms of the result.
    sums : tuple
        What ``few_sums`` has made for both.
    """

    factors: tuple[tuple[int, int], ...]
    outputs: tuple[int, ...]
    sums: tuple[int, ...]


def functions(generators: Sequence[int]) -> np.ndarray:
    """Truth tables of all sums of the generators; the one at v is that of vector v."""
    sums = np.zeros(1, dtype=np.int64)
    for generator in generators:
        sums = np.concatenate([sums, sums ^ generator])
    return sums


def echelon(vectors: Sequence[int]) -> list[int]:
    """A basis of the span, highest leading bit first, each vector without the leading bits of the others."""
    basis: list[int] = []
    for vector in vectors:
        for other in basis:
            vector = min(vector, vector ^ other)
        if vector:
            basis = sorted([*(min(other, other ^ vector) for other in basis), vector], reverse=True)
    return basis


def remainders(values: np.ndarray, basis: Sequence[int]) -> np.ndarray:
    """What is left of truth tables when all of a span is taken off."""
    values = values.copy()
    for vector in basis:
        values ^= (values >> vector.bit_length() - 1 & 1) * vector
    return values


def inverters(tower: Tower, rng: random.Random, tries: int) -> Iterator[Inverter]:
    """Circuits of five ANDs, drawn at random.

    Every sum of output bits has degree 3, so the first product gives none; each of the four after it must bring one more sum of
    outputs into the span of what there is, which leaves few choices.
    """
    inverse = [0, *(tower.bits(power(combined(tower.basis, v), 14)) for v in range(1, 16))]
    bits = [sum((inverse[v] >> n & 1) << v for v in range(16)) for n in range(4)]
    components = functions(bits)[1:]
    inputs = [sum((v >> n & 1) << v for v in range(16)) for n in range(4)]
    choices: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for _ in range(tries):
        generators, factors = list(inputs), []
        while len(generators) < 9:
            key = tuple(generators)
            known = functions(generators)
            if key not in choices:
                span = echelon([*generators, (1 << 16) - 1])
                left = remainders(known[:, None] & known, span)
                new = left != 0
                useful = new if len(generators) == 4 else new & np.isin(left, remainders(components, span))
                choices[key] = list(zip(*(part.tolist() for part in np.nonzero(np.triu(useful, 1))), strict=True))
            if not choices[key]:
                break
            weights = [0.35 ** (f.bit_count() + g.bit_count()) for f, g in choices[key]]
            f, g = rng.choices(choices[key], weights)[0]
            factors.append((f, g))
            generators.append(int(known[f] & known[g]))
        else:
            place = {int(table): vector for vector, table in enumerate(functions(generators))}
            outputs = tuple(place[combined(bits, form)] for form in FORMS)
            sums = few_sums(9, [*outputs, *(f for pair in factors for f in pair)], rng)
            yield Inverter(tuple(factors), outputs, tuple(sums or ()))


def best_inverter(tower: Tower, rng: random.Random, tries: int) -> Inverter:
    """The one with the fewest sums."""
    return min(inverters(tower, rng, tries), key=lambda inverter: len(inverter.sums))


# -- circuits -----------------------------------------------------------------------------------------------------------------------


class Circuit:
    """A builder that knows depths, and makes sums from the least deep signals."""

    def __init__(self) -> None:
        self.builder = GateListBuilder(8)
        self.depth = dict.fromkeys(range(8), 0)

    def gate(self, operation: str, *operands: int) -> int:
        """A gate."""
        signal = self.builder.add(operation, *operands)
        self.depth[signal] = max(self.depth[operand] for operand in operands) + (operation != "not")
        return signal

    def make(self, signals: dict[int, int], vectors: Sequence[int]) -> None:
        """Adds those of the vectors whose parts are there, and then those that these allow; ``signals`` tells signals by vector."""
        waiting, progress = [vector for vector in vectors if vector not in signals], True
        while progress:
            progress = False
            for vector in list(waiting):
                pairs = [(signals[v], signals[vector ^ v]) for v in signals if vector ^ v in signals and v < vector ^ v]
                if pairs:
                    signals[vector] = self.gate("xor", *min(pairs, key=lambda pair: max(self.depth[s] for s in pair)))
                    waiting.remove(vector)
                    progress = True


@dataclass(frozen=True)
class Sums:
    """The vectors that the top and the bottom of a circuit make, and which factors of the first products are inverted."""

    top: tuple[int, ...]
    inverted: int
    bottom: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.top) + len(self.bottom)


def inversions(task: Problem) -> Iterator[int]:
    """Choices of inverted factors (bit 2 n: a_0 in product n, bit 2 n + 1: a_1) that leave least of the linear part of D."""
    a0, a1 = task.forms
    gains = []
    for n in range(9):
        # (a_0 + 1) a_1 = a_0 a_1 + a_1, wherever the product is a term of D.
        gains += [sum(form << 8 * k for k in range(4) if task.d_products[k] >> n & 1) for form in (a1[n], a0[n])]
    left = functions(gains) ^ sum(form << 8 * k for k, form in enumerate(task.d_inputs))
    distance = np.full(256, 99, dtype=np.int64)
    distance[0] = 0
    for form in {*a0, *a1}:
        distance = np.minimum(distance, distance[np.arange(256) ^ form] + 1)
    cost = sum(distance[left >> 8 * k & 255] for k in range(4))
    yield from (int(choice) for choice in np.nonzero(cost == cost.min())[0])


def d_targets(task: Problem, inverted: int) -> list[int]:
    """D as vectors over eight inputs (bits 7:0) and nine products (bits 16:8), with these factors inverted."""
    targets = []
    for k in range(4):
        linear = task.d_inputs[k]
        for n in range(9):
            if task.d_products[k] >> n & 1:
                linear ^= task.forms[1][n] * (inverted >> 2 * n & 1) ^ task.forms[0][n] * (inverted >> 2 * n + 1 & 1)
        targets.append(linear | task.d_products[k] << 8)
    return targets


def linear_parts(task: Problem, rng: random.Random, seeds: int) -> Sums:
    """The fewest sums found in so many attempts at top and bottom."""
    choices = list(inversions(task))
    top: list[int] | None = None
    bottom: list[int] | None = None
    inverted = 0
    for _ in range(seeds):
        choice = rng.choice(choices)
        found = few_sums(17, [*task.forms[0], *task.forms[1], *d_targets(task, choice)], rng, len(top) - 1 if top else 999)
        if found:
            top, inverted = found, choice
        found = few_sums(18, task.bottom, rng, len(bottom) - 1 if bottom else 999)
        bottom = found or bottom
    return Sums(tuple(top or ()), inverted, tuple(bottom or ()))


def assemble(task: Problem, sums: Sums, inverter: Inverter, constant: tuple[int, int]) -> GateList:
    """The whole circuit; ``constant``: what is added to the input bits, as values of the 8 coordinates, and to the output."""
    circuit = Circuit()
    top = {1 << n: n for n in range(8)}
    circuit.make(top, sums.top)

    def form(half: int, n: int, flip: int) -> int:
        """A form with its constant; inverted if that and ``flip`` differ."""
        offset = combined([constant[0] >> 4 * half + bit & 1 for bit in range(4)], FORMS[n])
        signal = top[task.forms[half][n]]
        return circuit.gate("not", signal) if offset ^ flip else signal

    factors = [[form(half, n, 0) for n in range(9)] for half in range(2)]
    constants = []
    for n in range(9):
        flips = [sums.inverted >> 2 * n + half & 1 for half in range(2)]
        top[1 << 8 + n] = circuit.gate("and", *(form(half, n, flips[half]) for half in range(2)))
        constants.append(flips[0] & flips[1])
    circuit.make(top, sums.top)
    # Sums are made without constants: those of inverted pairs of factors, and of the linear part of D, are put right at D.
    d = []
    for k, target in enumerate(d_targets(task, sums.inverted)):
        flip = sum(constants[n] for n in range(9) if task.d_products[k] >> n & 1)
        flip ^= linear_constant(task, constant[0], target & 255)
        d.append(circuit.gate("not", top[target]) if flip & 1 else top[target])
    middle = {1 << n: signal for n, signal in enumerate(d)}
    for n, pair in enumerate(inverter.factors):
        circuit.make(middle, inverter.sums)
        middle[16 << n] = circuit.gate("and", *(middle[factor] for factor in pair))
    circuit.make(middle, inverter.sums)
    result = [middle[output] for output in inverter.outputs]
    bottom = {
        1 << 9 * half + n: circuit.gate("and", result[n], factors[half][n]) for half in range(2) for n in range(9)
    }
    circuit.make(bottom, sums.bottom)
    outputs = [bottom[target] for target in task.bottom]
    return circuit.builder.finish(
        [circuit.gate("not", signal) if constant[1] >> n & 1 else signal for n, signal in enumerate(outputs)]
    )


def linear_constant(task: Problem, offset: int, vector: int) -> int:
    """The sum of inputs ``vector``, for the input whose coordinates are ``offset``."""
    rows = [*(task.forms[0][n] for n in range(4)), *(task.forms[1][n] for n in range(4))]
    choice = next(v for v in range(256) if combined(rows, v) == vector)
    return (choice & offset).bit_count() & 1


def circuit_of(tower: Tower, direction: str, rng: random.Random, seeds: int, tries: int) -> GateList:
    """The circuit with the fewest gates, then the least depth, found for these bases.

    Raises
    ------
    RuntimeError
        It does not compute the S-box.
    """
    task = problem(tower, direction)
    place = tower.coordinates()
    constant = (0, affine(0)) if direction == "forward" else (place[_before(0)], 0)
    inverter = best_inverter(tower, rng, tries)
    sums = min((linear_parts(task, rng, seeds) for _ in range(3)), key=lambda sums: sums.size)
    gates = assemble(task, sums, inverter, constant)
    if gates.table() != TABLES[direction]:
        raise RuntimeError(f"{tower} does not give the {direction} S-box")
    return gates


def _before(y: int) -> int:
    """The byte that the affine map takes to y."""
    return next(x for x in range(256) if affine(x) == y)


# -- search and result ----------------------------------------------------------------------------------------------------------------


def search(direction: str, rng: random.Random, bases: int, seeds: int) -> Tower:
    """The tower whose linear parts have the fewest sums: all by the forms of the input, the best ``bases`` pairs of bases with every c."""
    ranked: dict[tuple[int, int], int] = {}
    for tower in towers():
        if (tower.y, tower.z) not in ranked:
            forms = problem(tower, direction).forms
            ranked[tower.y, tower.z] = min(len(few_sums(8, [*forms[0], *forms[1]], rng) or ()) for _ in range(2))
    pairs = sorted(ranked, key=lambda pair: ranked[pair])[:bases]
    tried = []
    for n, (y, z) in enumerate(pairs):
        for c in GF16[1:]:
            tower = Tower(y, z, c)
            tried.append((linear_parts(problem(tower, direction), rng, 1).size, tower))
        print(f"{direction}: {n + 1} of {len(pairs)} bases, least sums {min(size for size, _ in tried)}", flush=True)
    best = sorted(tried, key=lambda entry: entry[0])[:40]
    return min(((linear_parts(problem(tower, direction), rng, seeds).size, n, tower) for n, (_, tower) in enumerate(best)))[2]


_SYMBOLS = {"xor": "^", "xnor": "=", "and": "&", "not": "~"}


def written(found: dict[str, tuple[Tower, GateList]]) -> str:
    """The module with the circuits."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        '"""Compact S-boxes as ``tools/compact_sbox.py`` has found them; generated.',
        "",
        "A gate is an operation (^ XOR, = XNOR, & AND, ~ NOT) with the numbers of the signals that it reads: 0 to 7 are the inputs,",
        "gate n is signal 8 + n.",
        '"""',
        "",
        "#: For each direction the gates and the output signals, bit 0 first.",
        "CIRCUITS: dict[str, tuple[str, tuple[int, ...]]] = {",
    ]
    for direction, (tower, gates) in found.items():
        lines.append(f"    # Y = 0x{tower.y:02x}, Z = 0x{tower.z:02x}, c = 0x{tower.c:02x}: "
                     f"{gates.ands} AND, {gates.xors} XOR, depth {gates.depth}")
        lines.append(f'    "{direction}": (')
        words = [_SYMBOLS[operation] + ",".join(map(str, operands)) for operation, operands in gates.gates]
        for low in range(0, len(words), 14):
            lines.append(f'        "{" ".join(words[low : low + 14])} "')
        lines[-1] = lines[-1][:-2] + '",'
        lines += [f"        {gates.outputs},", "    ),"]
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Finds both circuits and writes them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="try the bases, in the place of those that are known to be good")
    parser.add_argument("--bases", type=int, default=60, help="pairs of Y and Z that are tried with every c")
    parser.add_argument("--seeds", type=int, default=12, help="attempts at each linear part")
    parser.add_argument("--seed", type=int, default=5, help="of the random choices")
    options = parser.parse_args()
    found = {}
    for direction in TABLES:
        rng = random.Random(options.seed)
        tower = search(direction, rng, options.bases, options.seeds) if options.search else Tower(*FOUND[direction])
        gates = circuit_of(tower, direction, rng, options.seeds, 400)
        print(f"{direction}: {tower}: {gates.ands} AND, {gates.xors} XOR, depth {gates.depth}", flush=True)
        found[direction] = (tower, gates)
    TARGET.write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()
