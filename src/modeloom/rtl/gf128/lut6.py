# SPDX-License-Identifier: Apache-2.0
"""Field multiplier with a structure for LUTs of 6 (or 4) inputs, one product per cycle.

Data flow for 128 bits, 6 inputs and halt = 8::

    a ── halves and their sums, 4 times ──┐                      each coefficient of a product is a sum of at most 16 products
    b ── halves and their sums, 4 times ──┴── sums of products   of two signals and of other sums; nothing else is a signal
                                                    │
                 o ── each bit one more sum ── sums of sums

Gates and LUTs need different structures.  A XOR of two signals wastes 4 inputs of a LUT, but another term of a sum takes only a fifth of
a LUT.  Sums are therefore never split into XORs of two terms.  A coefficient is a signal only if it is read more than once.  With
y = x^n, A = A0 + A1 y and B likewise, Karatsuba's product is

    AB = (1 + y)(A0 B0 + A1 B1 y) + y (A0 + A1)(B0 + B1)                    Bernstein, Batch binary Edwards, CRYPTO 2009, section 2

This is linear, so it is applied to a whole *list* of shifted products at once.  The outer products of the list are again a list, in which
neighbours overlap.  Their coefficients merge into one sum before anything is read twice.  With pieces of 8 bits, this is always a sum of
8 products, which exactly fill 3 LUTs of 6 inputs.  The middle products of a list do not overlap.  Schoolbook multiplication already
begins at twice the size for them.  The reduction adds its terms to the same sums.  ``Network`` does the rest.

Each level of LUTs is a module that our flow maps separately (``synth.yosys.APART``).  Otherwise ABC would split the sums to reduce depth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from random import Random

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.multiplier import check_field, check_number, cut_depths
from modeloom.spec.field import Field

__all__ = ["Lut", "LutMultiplier", "Network", "Term", "Terms", "lut_count", "multiplier_luts"]

# Covers sums of products, which may share parts, with LUTs of K inputs.
#
# A *term* is a signal (1 input of a LUT) or a product of two signals (2 inputs).  A sum is a set of terms, and has its own signal:
#
#     sum of s inputs in the smallest number of LUTs        K = 6, s = 16: 8 products, 3 LUTs, no input free
#
#     p p p ── LUT ──┐                                       s inputs need ceil((s - 1) / (K - 1)) LUTs, as every LUT but the
#     p p p ── LUT ──┴ p p ── LUT ── sum                     last hands one input on; up to K - 2 inputs stay free
#
# Free inputs waste area.  A term can always be removed from a sum if it is added to all sums that read this sum.  Terms are therefore moved
# from sums that need a few inputs more than their LUTs have to readers with free inputs, until no move helps.

Term = int | tuple[int, int]
"""A signal, or a product of two."""

Terms = frozenset[Term]
"""A sum.  The sum of two sums is their symmetric difference, ``^``."""


def lut_count(slots: int, inputs: int) -> int:
    """Number of LUTs with ``inputs`` inputs for a sum whose terms have ``slots`` inputs in total.  A single signal needs none."""
    return max(0, -(-(slots - 1) // (inputs - 1)))


def _size(term: Term) -> int:
    return 1 if isinstance(term, int) else 2


def _slots(terms: Iterable[Term]) -> int:
    return sum(_size(term) for term in terms)


@dataclass(frozen=True)
class Lut:
    """One LUT.  ``signal`` is the sum of ``terms``, which have at most K inputs.  ``level`` is 1 more than the highest level of its
    inputs."""

    signal: int
    terms: tuple[Term, ...]
    level: int


class Network:
    """A network of inputs, sums of inputs (factors of products), and sums of products.

    Signals are numbers.  Factors and sums come after the signals on which they depend.  No factor depends on a sum.

    Parameters
    ----------
    inputs : int
        Inputs of a LUT.  The number is even, so products can fill all inputs.

    Attributes
    ----------
    count : int
        Number of signals so far.
    factors : dict
        The terms of each sum of inputs.  All of them are signals.
    sums : dict
        The terms of each sum of products.
    """

    def __init__(self, inputs: int) -> None:
        if inputs not in (4, 6):
            raise ValueError(f"a cover is for LUTs of 4 or 6 inputs, not {inputs}")
        self.inputs = inputs
        self.count = 0
        self.factors: dict[int, Terms] = {}
        self.sums: dict[int, Terms] = {}

    def new(self) -> int:
        """A new signal.  It is an input if it becomes neither a factor nor a sum."""
        self.count += 1
        return self.count - 1

    def factor(self, left: int, right: int) -> int:
        """The sum of two inputs or factors, which takes one LUT."""
        terms = self.factors.get(left, frozenset([left])) ^ self.factors.get(right, frozenset([right]))
        signal = self.new()
        self.factors[signal] = terms if len(terms) <= self.inputs else frozenset([left, right])
        return signal

    def signal(self, terms: Terms) -> int:
        """A new signal with the value of a sum."""
        signal = self.new()
        self.sums[signal] = terms
        return signal

    def sum(self, terms: Terms) -> Terms:
        """The same sum as one term.  An empty sum and a single signal are returned unchanged."""
        return terms if _slots(terms) <= 1 else frozenset([self.signal(terms)])

    def _readers(self, sums: Mapping[int, Mapping[Term, None]]) -> dict[int, dict[int, None]]:
        """For each signal, the sums that have it as a term."""
        readers: dict[int, dict[int, None]] = {signal: {} for signal in range(self.count)}
        for signal, terms in sums.items():
            for term in terms:
                if isinstance(term, int):
                    readers[term][signal] = None
        return readers

    def fill(self, outputs: set[int], rounds: int = 160, seed: int = 1) -> None:
        """Moves terms between sums to reduce the number of LUTs.  Every output keeps its value.

        This is simulated annealing with a fixed seed.  A move removes a term from a sum, or adds one, and does the same in all its readers.
        Free inputs also count in the cost, because only several of them together save a LUT.

        Parameters
        ----------
        outputs : set of int
            Sums that are read from outside.
        rounds : int
            Number of moves to try for each sum.  About 200,000 moves take a second.
        seed : int
            Seed of the random numbers.
        """
        random = Random(seed).random
        sums: dict[int, dict[Term, None]] = {signal: dict.fromkeys(sorted(terms, key=_order)) for signal, terms in self.sums.items()}
        readers = self._readers(sums)
        movable = [signal for signal in sums if signal not in outputs]
        slots = {signal: _slots(terms) for signal, terms in sums.items()}
        limit = 2 * max(slots.values(), default=0) + 64
        cost = [lut_count(number, self.inputs) + _FREE_INPUT * number for number in range(limit + 1)]
        steps = rounds * len(movable)
        for step in range(steps):
            temperature = _HOT * (_COLD / _HOT) ** (step / steps)
            signal = movable[int(random() * len(movable))]
            touched = (signal, *readers[signal])
            if len(touched) == 1:
                continue
            choice = tuple(sums[touched[int(random() * 2)]])
            term = choice[int(random() * len(choice))]
            size = _size(term)
            if (isinstance(term, int) and term >= signal) or (len(sums[signal]) == 1 and term in sums[signal]):
                continue  # a loop, or an empty sum
            if any(slots[place] + size > limit for place in touched):
                continue
            change = 0.0
            for place in touched:
                now = slots[place]
                change += cost[now - size if term in sums[place] else now + size] - cost[now]
            if change > 0 and random() >= exp(-change / temperature):
                continue
            for place in touched:
                if term in sums[place]:
                    del sums[place][term]
                    slots[place] -= size
                    if isinstance(term, int):
                        del readers[term][place]
                else:
                    sums[place][term] = None
                    slots[place] += size
                    if isinstance(term, int):
                        readers[term][place] = None
        self.sums = _without_copies(sums, outputs)

    def cover(self, outputs: set[int]) -> list[Lut]:
        """LUTs of all factors and sums that ``outputs`` need.  Each comes after the LUTs that it reads."""
        level = dict.fromkeys(range(self.count), 0)
        luts: list[Lut] = []
        made = {**dict(sorted(self.factors.items())), **dict(sorted(self.sums.items()))}
        needed = set(outputs)
        for signal in reversed(made):
            if signal in needed:
                for term in made[signal]:
                    needed.update([term] if isinstance(term, int) else term)
        for signal, terms in made.items():
            if signal not in needed:
                continue
            while _slots(terms) > self.inputs:
                chosen = self._earliest(terms, level)
                luts.append(self._lut(self.new(), chosen, level))
                terms = terms - chosen | {luts[-1].signal}
            luts.append(self._lut(signal, terms, level))
        return luts

    def _lut(self, signal: int, terms: Iterable[Term], level: dict[int, int]) -> Lut:
        level[signal] = 1 + max(_level_of(term, level) for term in terms)
        return Lut(signal, tuple(sorted(terms, key=_order)), level[signal])

    def _earliest(self, terms: Terms, level: dict[int, int]) -> Terms:
        """The earliest terms that fill a LUT."""
        ordered = sorted(terms, key=lambda term: (_level_of(term, level), _order(term)))
        chosen: list[Term] = []
        free = self.inputs
        for term in ordered:
            size = _size(term)
            if size <= free:
                chosen.append(term)
                free -= size
        if free:  # an odd number of signals and no other signal: one signal less makes room for a product
            chosen.remove(next(term for term in reversed(chosen) if isinstance(term, int)))
            chosen.append(next(term for term in ordered if term not in chosen and not isinstance(term, int)))
        return frozenset(chosen)


_FREE_INPUT = 0.06
"""Cost of a used input, in LUTs."""

_HOT, _COLD = 0.03, 0.01
"""Temperature of the first and the last step, in LUTs."""


def _without_copies(sums: Mapping[int, Iterable[Term]], outputs: set[int]) -> dict[int, Terms]:
    """The sums without empty sums and sums of one signal, which are replaced in their readers."""
    same: dict[Term, Terms] = {}
    result: dict[int, Terms] = {}
    for signal in sorted(sums):
        rest: Terms = frozenset()
        for term in sums[signal]:
            rest ^= same.get(term, frozenset([term]))
        if signal not in outputs and _slots(rest) <= 1:
            same[signal] = rest
        else:
            result[signal] = rest
    return result


def _order(term: Term) -> tuple[int, int]:
    return (term, -1) if isinstance(term, int) else term


def _level_of(term: Term, level: dict[int, int]) -> int:
    return level[term] if isinstance(term, int) else max(level[term[0]], level[term[1]])


# -- lut6 --------------------------------------------------------------------------------------------------------------------------

_LEVEL_BITS = 32
"""Number of registers, in blocks, that are worth one level of LUTs less between two registers."""


def _product(network: Network, products: Sequence[tuple[int, list[int], list[int]]], halt: int, *, apart: bool = False) -> dict[int, Terms]:
    """Coefficients of the sum of A B x^shift over all (shift, A, B), with factors of equal width; ``apart`` if they do not overlap."""
    width = max(len(a) for _, a, _ in products)
    result: dict[int, Terms] = defaultdict(frozenset)
    if width <= (2 * halt if apart else halt):
        pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for shift, a, b in products:
            for i, left in enumerate(a):
                for j, right in enumerate(b):
                    pairs[shift + i + j].append((left, right))
        result.update((k, frozenset(terms)) for k, terms in pairs.items())
        return result
    half = -(-width // 2)

    def folded(word: list[int]) -> list[int]:
        low, high = word[:half], word[half:]
        return [network.factor(u, v) for u, v in zip(low, high, strict=False)] + low[len(high) :]

    outer = [(shift + at, a[at:][:half], b[at:][:half]) for shift, a, b in products for at in (0, half)]
    middle = [(shift, folded(a), folded(b)) for shift, a, b in products]
    for k, terms in sorted(_product(network, outer, halt).items()):
        shared = network.sum(terms)
        result[k] ^= shared
        result[k + half] ^= shared
    for k, terms in _product(network, middle, halt, apart=True).items():
        result[k + half] ^= terms
    return result


def _reduced(network: Network, n: int, modulus: int, factor: int, product: Mapping[int, Terms]) -> list[Terms]:
    """Coefficients of product * x^factor mod modulus, for factors from -n to 0."""
    inner = [e for e in range(1, n) if modulus >> e & 1]
    terms: dict[int, Terms] = defaultdict(frozenset, product)
    first = -factor
    # x^k = sum of x^(k+e) + x^(k+n) from below, and x^k = x^(k-n) + sum of x^(k-n+e) from above, up to the n coefficients from first on
    for k in range(first):
        single = network.sum(terms[k])
        for e in (*inner, n):
            terms[k + e] ^= single
    for k in reversed(range(first + n, 2 * n - 1)):
        single = network.sum(terms[k])
        for e in (0, *inner):
            terms[k - n + e] ^= single
    return [terms[first + i] for i in range(n)]


def multiplier_luts(field: Field, inputs: int = 6, halt: int = 8) -> tuple[tuple[Lut, ...], tuple[int, ...]]:
    """The multiplier as LUTs.

    Parameters
    ----------
    field : Field
        The field, n bits; a factor from -n to 0.
    inputs : int
        Inputs of a LUT, 4 or 6.
    halt : int
        Pieces of at most this many bits are multiplied by the schoolbook.

    Returns
    -------
    tuple of Lut
        Each comes after the LUTs that it reads.  Signals 0 ... n-1 are the coefficients x^0, x^1, ... of factor a, and n ... 2n-1 those of
        b.
    tuple of int
        The signal of each coefficient of the product.

    Raises
    ------
    ValueError
        For another factor or another number of inputs.
    """
    n = field.width
    if not -n <= field.factor <= 0:
        raise ValueError(f"LutMultiplier: the factor of field {field.name} must be x^-{n} to x^0, not x^{field.factor}")
    return _luts(n, field.modulus, field.factor, inputs, halt)


@lru_cache(maxsize=16)
def _luts(n: int, modulus: int, factor: int, inputs: int, halt: int) -> tuple[tuple[Lut, ...], tuple[int, ...]]:
    network = Network(inputs)
    a, b = ([network.new() for _ in range(n)] for _ in range(2))
    product = _product(network, [(0, a, b)], halt)
    outputs = [network.signal(terms) for terms in _reduced(network, n, modulus, factor, product)]
    network.fill(set(outputs))
    return tuple(network.cover(set(outputs))), tuple(outputs)


class LutMultiplier(wiring.Component):
    """Pipelined field multiplier: ``o`` is ``field.mul(a, b)`` of the inputs ``stages`` cycles ago.  Each cycle starts a new product.

    The registers are inside, at equal depths of LUTs, and not at inputs and output.  They have neither enable nor reset.  The latency is
    ``stages`` cycles, and the interval is 1.

    Parameters
    ----------
    field : Field
        The field; any width, modulus and bit order, a factor from -width to 0.
    stages : int
        Registers between input and output, at least 0.
    inputs : int
        Inputs of a LUT, 4 or 6.
    halt : int
        Pieces of at most this many bits are multiplied by the schoolbook, at least 1.

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
    luts, levels : int
        Number of LUTs in the structure, and on its longest path.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or a number is not an ``int``.
    ValueError
        If ``stages`` is negative, ``halt`` is below 1, ``inputs`` is neither 4 nor 6, or the field has another factor.
    """

    interval = 1

    def __init__(self, field: Field, stages: int, *, inputs: int = 6, halt: int = 8) -> None:
        check_field(self, field)
        for name, number, least in (("stages", stages, 0), ("inputs", inputs, 4), ("halt", halt, 1)):
            check_number(self, name, number, least)
        self.field = field
        self.stages = self.latency = stages
        self._luts, self._outputs = multiplier_luts(field, inputs, halt)
        self.luts, self.levels = len(self._luts), max(lut.level for lut in self._luts)
        super().__init__({"a": In(field.width), "b": In(field.width), "o": Out(field.width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.field.width
        last = self._last_use()
        level = {signal: 0 for signal in range(2 * n)} | {lut.signal: lut.level for lut in self._luts}
        alive = [sum(level[s] <= depth < last[s] for s in level) for depth in range(self.levels + 1)]
        cuts: list[int] = []
        for cut in cut_depths(alive, self.stages, at_output=False, gate_bits=_LEVEL_BITS * n):
            # Two registers in a row are useless, and three may become a shift register, which takes a LUT.
            free = [depth for depth in range(1, self.levels) if depth not in cuts]
            cuts.append(min(free, key=alive.__getitem__) if cut in cuts and free else cut)
        at: dict[int, Value] = {}
        for i in range(n):
            at[i], at[n + i] = self.a[self.field.bit(i)], self.b[self.field.bit(i)]
        for depth in range(self.levels + 1):
            if depth:
                m.submodules[f"level{depth}"], made = _level([lut for lut in self._luts if lut.level == depth], at)
                at.update(made)
            for _ in range(cuts.count(depth)):
                crossing = [s for s in sorted(at) if last[s] > depth]
                for signal in crossing:
                    held = Signal(name=f"level{depth}_{signal}_reg", reset_less=True)
                    m.d.sync += held.eq(at[signal])
                    at[signal] = held
        block: list[Value] = [at[self._outputs[0]]] * n
        for i, signal in enumerate(self._outputs):
            block[self.field.bit(i)] = at[signal]
        m.d.comb += self.o.eq(Cat(block))
        return m

    def _last_use(self) -> dict[int, int]:
        """The level of the last LUT that reads each signal.  Outputs are read after all levels."""
        last = dict.fromkeys(range(2 * self.field.width), 0)
        for lut in self._luts:
            last.setdefault(lut.signal, 0)
            for term in lut.terms:
                for signal in [term] if isinstance(term, int) else term:
                    last[signal] = max(last[signal], lut.level)
        last.update(dict.fromkeys(self._outputs, self.levels + 1))
        return last


def _level(luts: Sequence[Lut], at: Mapping[int, Value]) -> tuple[Module, dict[int, Value]]:
    """The LUTs of one level, with one signal each.  Wide concatenations would make a compiled simulation much slower to build."""
    m = Module()
    result: dict[int, Value] = {}
    for lut in luts:
        total = None
        for term in lut.terms:
            value = at[term] if isinstance(term, int) else at[term[0]] & at[term[1]]
            total = value if total is None else total ^ value
        output = result[lut.signal] = Signal(name=f"lut{lut.signal}", attrs={"mapped_apart": 1})
        m.d.comb += output.eq(total)
    return m, result
