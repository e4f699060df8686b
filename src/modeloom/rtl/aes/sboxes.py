# SPDX-License-Identifier: Apache-2.0
"""All forms of the S-box with one interface: by name, forward, inverse or both, with inner registers.

::

    form        what it is                                         registers (stages)
    lut         a table of 256 (512: both) bytes in logic          0, 1: result, 2: also between four quarters and their selection
    bram        the same table in a block memory of two ports      1: inside the memory, 2: also after it
    composite   inversion in GF(((2^2)^2)^2)                       any number, by depth
    bdd         a decision diagram of multiplexers                 any number, by depth
    compact     the fewest gates known here, 32 of them ANDs       any number, by depth

A form for both directions has an input that is 1 for the inverse.  It travels with the byte through the registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.compact_gates import CIRCUITS
from modeloom.rtl.aes.parameters import Direction, check_count, named
from modeloom.rtl.aes.sbox import INV_SBOX, SBOX, affine
from modeloom.rtl.logic import Gate, GateList, GateListBuilder, add_linear, apply, inverse_matrix, multiply_matrices, rank

__all__ = [
    "AFFINE", "AFFINE_CONSTANT", "SBOXES", "SBox", "SBoxForm", "bdd_sbox", "best_order", "compact_sbox", "composite_sbox",
    "sub_bytes_of", "tower_matrix",
]  # fmt: skip


# -- towers of fields, decision diagrams, few gates --------------------------------------------------------------------------------------

# The S-box of AES by inversion in the tower of fields GF(((2^2)^2)^2).
#
# Source: A. Satoh et al., A compact Rijndael hardware architecture with S-box optimization, ASIACRYPT 2001; gcm2008, section 2.2.2,
# eq. (2.5) and Fig. 2.3.  For z = a x + b with a, b in GF(2^4)::
#
#             ┌─ a ──┬── square ── × λ ──(+)── inverse ──┬── × ── a'
#     i ─ δ ─┤       │                    │              │
#             └─ b ──┴─ (a + b) ── × b ───┘              └── × (a + b) ── b' ──── δ^-1, affine ── o
#
#     GF(2^2) = GF(2)[w] / (w^2 + w + 1)        GF(2^4) = GF(2^2)[y] / (y^2 + y + w)
#     GF(2^8) = GF(2^4)[x] / (x^2 + x + λ)      λ = (w + 1) y, bits 1100
#
# The bits of an element are written with the highest first: a before b, and likewise in the smaller fields.  The inverse S-box has the
# inverse affine map before δ.  The form for both directions shares the inversion.  Multiplexers select the maps before and after it.

_PHI, _LAMBDA = 0b10, 0b1100


def _inputs(ways: Sequence[bool]) -> int:
    """Inputs of an S-box.  For both directions, the ninth is 1 for the inverse."""
    return 7 + len(ways)


def _select(builder: GateListBuilder, parts: Sequence[Sequence[int]]) -> list[int]:
    """The signals of the only direction, or those of forward and inverse as the ninth input chooses."""
    first, *second = parts
    return [builder.mux(8, high, low) for low, high in zip(first, *second, strict=True)] if second else list(first)


def _rows(images: Sequence[int]) -> list[int]:
    """The matrix that takes bit n to ``images[n]``."""
    return [sum((image >> row & 1) << n for n, image in enumerate(images)) for row in range(8)]


AFFINE_CONSTANT = affine(0)
"""The constant of the affine map of the S-box."""

AFFINE = _rows([affine(1 << n) ^ AFFINE_CONSTANT for n in range(8)])
"""The linear part of this map, by rows."""


def _tower_multiply(a: int, b: int, bits: int) -> int:
    """Product of two numbers in the field of the tower with the given number of bits."""
    if bits == 1:
        return a & b
    half = bits // 2
    (a1, a0), (b1, b0) = divmod(a, 1 << half), divmod(b, 1 << half)
    high, low = _tower_multiply(a1, b1, half), _tower_multiply(a0, b0, half)
    middle = _tower_multiply(a1 ^ a0, b1 ^ b0, half)
    factor = {2: 1, 4: _PHI, 8: _LAMBDA}[bits]
    return (middle ^ low) << half | low ^ _tower_multiply(high, factor, half)


@cache
def tower_matrix() -> tuple[int, ...]:
    """The rows of δ, which maps a byte of AES to the tower.  Of the eight such maps, this one and its inverse have the fewest ones."""
    found = []
    for root in range(2, 256):
        powers = [1]
        for _ in range(8):
            powers.append(_tower_multiply(powers[-1], root, 8))
        if powers[8] ^ powers[4] ^ powers[3] ^ powers[1] ^ 1 == 0:
            rows = _rows(powers[:8])
            ones = sum(row.bit_count() for row in [*rows, *multiply_matrices(AFFINE, inverse_matrix(rows))])
            found.append((ones, tuple(rows)))
    return min(found)[1]


class _Tower:
    """Arithmetic on lists of signals, with the lowest bit first."""

    def __init__(self, builder: GateListBuilder) -> None:
        self.builder = builder

    def add(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        return [self.builder.xor(x, y) for x, y in zip(a, b, strict=True)]

    def linear(self, a: Sequence[int], images: Sequence[int]) -> list[int]:
        """The linear map that takes bit n to ``images[n]``."""
        size = len(a)
        rows = [sum((image >> row & 1) << n for n, image in enumerate(images)) for row in range(size)]
        return add_linear(self.builder, a, rows)

    def multiply(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        if len(a) == 1:
            return [self.builder.conjunction(a[0], b[0])]
        half = len(a) // 2
        low, high = self.multiply(a[:half], b[:half]), self.multiply(a[half:], b[half:])
        middle = self.multiply(self.add(a[:half], a[half:]), self.add(b[:half], b[half:]))
        return [*self.add(low, self.scale(high)), *self.add(middle, low)]

    def scale(self, a: Sequence[int]) -> list[int]:
        """Product with w in GF(2^2).  A single bit is unchanged."""
        return list(a) if len(a) == 1 else self.linear(a, [_tower_multiply(1 << n, _PHI, len(a)) for n in range(len(a))])

    def invert(self, a: Sequence[int]) -> list[int]:
        """Inverse in GF(2^4) and smaller fields.  In GF(2^2) it is the square."""
        if len(a) == 2:
            return self.linear(a, [_tower_multiply(1 << n, 1 << n, 2) for n in range(2)])
        low, high = a[:2], a[2:]
        both = self.add(low, high)
        norm = self.linear(high, [_tower_multiply(_tower_multiply(1 << n, 1 << n, 2), _PHI, 2) for n in range(2)])
        inverse = self.invert(self.add(norm, self.multiply(low, both)))
        return [*self.multiply(both, inverse), *self.multiply(high, inverse)]


@cache
def composite_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    ways = Direction.of_layer(direction).ways
    builder = GateListBuilder(_inputs(ways))
    tower = _Tower(builder)
    into = list(tower_matrix())
    out = inverse_matrix(into)
    before = multiply_matrices(into, inverse_matrix(AFFINE))
    behind = multiply_matrices(AFFINE, out)

    def mapped(signals: Sequence[int], forward: tuple[list[int], int], inverse: tuple[list[int], int]) -> list[int]:
        """The affine map of the direction, given as a matrix and a constant."""
        maps = [(forward, inverse)[way] for way in reversed(ways)]
        sums = add_linear(builder, signals, [row for rows, _ in maps for row in rows])
        parts = [
            [builder.invert(signal) if constant >> n & 1 else signal for n, signal in enumerate(sums[at : at + 8])]
            for at, (_, constant) in zip((0, 8), maps, strict=False)
        ]
        return _select(builder, parts[::-1])

    offset = sum(((row & AFFINE_CONSTANT).bit_count() & 1) << n for n, row in enumerate(before))
    z = mapped(list(range(8)), (into, 0), (before, offset))
    low, high = z[:4], z[4:]
    both = tower.add(low, high)
    norm = tower.linear(high, [_tower_multiply(_tower_multiply(1 << n, 1 << n, 4), _LAMBDA, 4) for n in range(4)])
    inverse = tower.invert(tower.add(norm, tower.multiply(low, both)))
    z = [*tower.multiply(both, inverse), *tower.multiply(high, inverse)]
    return builder.finish(mapped(z, (behind, AFFINE_CONSTANT), (out, 0)))


# -- compact -----------------------------------------------------------------------------------------------------------------------

# The S-box of AES with few gates.
#
# The method is that of J. Boyar and R. Peralta, A new combinational logic minimization technique with applications to cryptology, SEA 2010:
# inversion in GF((2^4)^2) between two linear layers, with 32 ANDs in total.  A search finds few XORs for every linear part.  The circuits
# come from ``tools/compact_sbox.py``, which derives them from the fields.  They are data, and tests prove them for all 256 values:
#
#     gates    forward          inverse          both
#     here     32 + 76 = 108    32 + 76 = 108    42 + 125 = 167    AND + XOR; an AND may have inverted inputs
#     there    32 + 83 = 115    121                                AND + XOR; an AND has none: 111 here
#
# The form for both directions has the same linear stage before and after the forward circuit S:
#
#     i ──▶ g ──▶ S ──▶ g ──▶ o        g(x) = x,                         if inverse = 0
#                                      g(x) = B x + c = A^-1 (x + 63),   if inverse = 1
#
# S is an inversion followed by the affine map x -> A x + 63.  For the inverse S-box, g(x) = B x + c removes this map before and after it.
# The matrix of B x + x has rank 5, so g needs only five ANDs with ``inverse``.

_OPERATIONS = {"^": "xor", "=": "xnor", "&": "and", "~": "not"}


@cache
def compact_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    return {"forward": _stored, "inverse": _stored, "both": _both}[Direction.of_layer(direction)](direction)


def _stored(direction: str) -> GateList:
    gates, outputs = CIRCUITS[direction]
    parsed = [Gate(_OPERATIONS[word[0]], tuple(map(int, word[1:].split(",")))) for word in gates.split()]
    return GateList(8, parsed, outputs)


def _both(direction: str) -> GateList:
    builder = GateListBuilder(9)
    signals = _undone(builder, range(8))
    number = dict(enumerate(signals))
    forward = compact_sbox("forward")
    for signal, (operation, operands) in enumerate(forward.gates, 8):
        number[signal] = builder.add(operation, *(number[operand] for operand in operands))
    return builder.finish(_undone(builder, [number[output] for output in forward.outputs]))


def _undone(builder: GateListBuilder, signals: Sequence[int]) -> list[int]:
    """g of eight signals.  Input 8 is ``inverse``."""
    inverse = inverse_matrix(AFFINE)
    rows = [row ^ 1 << n for n, row in enumerate(inverse)]
    constant = apply(inverse, AFFINE_CONSTANT)
    # The rows whose sums are gated.  Each other row is a sum of some of them.
    chosen: list[int] = []
    for n in range(8):
        if rank([rows[m] for m in [*chosen, n]]) > len(chosen):
            chosen.append(n)
    gated = []
    for n, signal in zip(chosen, add_linear(builder, signals, [rows[n] for n in chosen]), strict=True):
        gated.append(builder.conjunction(8, builder.invert(signal) if constant >> n & 1 else signal))
    # Row n in terms of the gated ones, and whether its constant then needs ``inverse`` itself.
    terms = []
    for n in range(8):
        choice = next(v for v in range(1 << len(chosen)) if _sum([rows[m] for m in chosen], v) == rows[n])
        offset = sum(constant >> m & 1 for k, m in enumerate(chosen) if choice >> k & 1) + (constant >> n & 1) & 1
        terms.append(choice | offset << len(chosen))
    sums = add_linear(builder, [*gated, 8], terms)
    return [builder.xor(signal, term) for signal, term in zip(signals, sums, strict=True)]


def _sum(rows: Sequence[int], choice: int) -> int:
    total = 0
    for n, row in enumerate(rows):
        total ^= row * (choice >> n & 1)
    return total


# -- bdd ---------------------------------------------------------------------------------------------------------------------------

# The S-box of AES as a decision diagram.  Every node is a multiplexer that a bit of the input controls.
#
# Source: gcm2008, section 2.2.2 (binary decision diagrams); S. Morioka and A. Satoh, A 10-Gbps full-AES crypto design with a twisted BDD
# S-box architecture, IEEE Trans. VLSI Systems 12(7), 2004; R. E. Bryant, Graph-based algorithms for Boolean function manipulation, 1986:
#
#     o_7 ... o_0        one root for each output bit           first variable chooses:  8 nodes
#      │       │                                                second                  16
#      mux     mux ...   function of the variables left         ...                     ...
#     ┌┴─┐                                                      last                    the variable itself
#
# Equal functions share one node, for all outputs.  A function and its complement also share one, because inversions are free.  A node whose
# function has two variables is an AND, OR or XOR gate.  The order of the variables has the fewest multiplexers of all 8! orders.  A level
# depends only on the set of variables above it, so it is enough to compare 256 sets (S. J. Friedman and K. J. Supowit, Finding the optimal
# variable ordering for binary decision diagrams, IEEE Trans. Computers 39(5), 1990).

_FLIP = str.maketrans("01", "10")

# A function of n variables is a text of 2^n digits.  The digit at x is its value for x.


def _columns(table: Sequence[int]) -> list[str]:
    return ["".join(str(value >> n & 1) for value in table) for n in range(8)]


def _cofactors(function: str, position: int) -> tuple[str, str]:
    """The function with the variable at this position set to 0, and set to 1."""
    block = 1 << position
    parts = [function[low : low + block] for low in range(0, len(function), block)]
    return "".join(parts[::2]), "".join(parts[1::2])


def _regular(function: str) -> str:
    """The function, or its complement if the function is not 0 at 0."""
    return function if function[0] == "0" else function.translate(_FLIP)


def best_order(functions: Iterable[str], variables: int = 8) -> tuple[int, ...]:
    """The order of variables with the fewest nodes of two or more variables.  The variable at the roots is the first.

    Parameters
    ----------
    functions : iterable of str
        Values for 0, 1, ...
    variables : int
        Number of variables of the functions.
    """
    below: dict[int, set[str]] = {0: {_regular(function) for function in functions}}
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for chosen in sorted(range(1 << variables), key=lambda chosen: (chosen.bit_count(), chosen)):
        left = [v for v in range(variables) if not chosen >> v & 1]
        if chosen:
            last = chosen.bit_length() - 1
            position = last - (chosen ^ 1 << last).bit_count()
            below[chosen] = {_regular(half) for function in below[chosen ^ 1 << last] for half in _cofactors(function, position)}
        cost, order = best[chosen]
        for position, v in enumerate(left):
            nodes = 0
            for function in below[chosen]:
                low, high = _cofactors(function, position)
                # A function of only this variable is the variable itself.
                nodes += low != high and not (len(set(low)) == 1 and len(set(high)) == 1)
            further = chosen | 1 << v
            candidate = (cost + nodes, (*order, v))
            best[further] = min(candidate, best.get(further, candidate))
    return best[(1 << variables) - 1][1]


class _Diagram:
    """Nodes as gates.  An edge is a signal and a flag that says whether it is inverted."""

    def __init__(self, builder: GateListBuilder, order: Sequence[int]) -> None:
        self.builder, self.order = builder, order
        self.known: dict[str, int] = {}

    def reordered(self, function: str) -> str:
        """The function with the first variable of the order as the highest digit of x."""
        size = len(self.order)
        places = [sum((x >> size - 1 - n & 1) << v for n, v in enumerate(self.order)) for x in range(1 << size)]
        return "".join(function[place] for place in places)

    def edge(self, function: str) -> tuple[int, bool]:
        regular = _regular(function)
        if regular not in self.known:
            self.known[regular] = self.node(regular)
        return self.known[regular], regular != function

    def node(self, function: str) -> int:
        add = self.builder.add
        low, high = _cofactors(function, (len(function) - 1).bit_length() - 1)
        if low == high:
            return self.edge(low)[0]
        select = self.order[len(self.order) - (len(function) - 1).bit_length()]
        # The function is 0 at 0, so its low half is regular.
        zero, one = low.strip("0") == "", high.strip("0") == ""
        if zero and high.strip("1") == "":
            return select
        if low == high.translate(_FLIP):
            return add("xor", select, self.edge(low)[0])
        if zero:
            return add("and", select, self.signal(high))
        if one:
            return add("and", self.builder.invert(select), self.signal(low))
        if high.strip("1") == "":
            return add("or", select, self.signal(low))
        return add("mux", select, self.signal(high), self.signal(low))

    def signal(self, function: str) -> int:
        signal, inverted = self.edge(function)
        return self.builder.invert(signal) if inverted else signal


@cache
def bdd_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input at the roots, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    ways = Direction.of_layer(direction).ways
    functions = [_columns((SBOX, INV_SBOX)[way]) for way in ways]
    order = best_order(function for columns in functions for function in columns)
    builder = GateListBuilder(_inputs(ways))
    diagram = _Diagram(builder, order)
    signals = [[diagram.signal(diagram.reordered(function)) for function in columns] for columns in functions]
    return builder.finish(_select(builder, signals))


# -- forms -------------------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class SBoxForm:
    """A way to build the S-box.

    Attributes
    ----------
    name : str
    title : str
        A phrase.
    gates : callable or None
        ``gates(direction)`` is the list of gates; None for tables.
    least, most : int
        Possible numbers of registers.  ``least`` is the default.
    """

    name: str
    title: str
    gates: Callable[[str], GateList] | None = None
    least: int = 0
    most: int = 64


#: The forms by name.
SBOXES: dict[str, SBoxForm] = {
    form.name: form
    for form in (
        SBoxForm("lut", "table in logic", most=2),
        SBoxForm("bram", "table in block memory", least=1, most=2),
        SBoxForm("composite", "inversion in the tower of fields GF(((2^2)^2)^2)", composite_sbox),
        SBoxForm("bdd", "decision diagram of multiplexers", bdd_sbox),
        SBoxForm("compact", "few gates, 32 ANDs", compact_sbox),
    )
}


def sub_bytes_of(
    m: Module, state: Value, kind: str = "lut", *, inverse: bool | Value = False, stages: int | None = None
) -> Value:
    """SubBytes of a state, or of any whole number of bytes, with S-boxes of a form.  The logic is added to *m*.

    Parameters
    ----------
    m : Module
        Outside of its ``If`` and ``Switch``.
    state : Value
        Bytes, byte 0 at [7:0].
    kind : str
        A key of ``SBOXES``.
    inverse : bool or Value
        Whether to compute InvSubBytes.  A value of one bit selects the direction for the state of the same cycle.
    stages : int, optional
        Number of registers from *state* to the result, without reset and enable.  The default is the smallest number for the form.

    Returns
    -------
    Value
        The result, as wide as *state*, ``stages`` cycles later.

    Raises
    ------
    ValueError
        The form is unknown, it cannot have this number of registers, or *state* does not have a whole number of bytes.
    """
    form = _form(kind)
    stages = form.least if stages is None else check_count("stages", stages, form.least, form.most)
    state = Value.cast(state)
    if len(state) == 0 or len(state) % 8:
        raise ValueError(f"S-box input must be a whole number of bytes, not {len(state)} bits")
    direction = "both" if isinstance(inverse, Value) else "inverse" if inverse else "forward"
    chosen = inverse if isinstance(inverse, Value) else None
    if form.gates is not None:
        return _by_gates(m, form.gates(direction), state, chosen, stages, f"{_NAMES[direction]}_{kind}")
    table, name = {"forward": SBOX, "inverse": INV_SBOX, "both": SBOX + INV_SBOX}[direction], _NAMES[direction]
    addresses = [state[low : low + 8] for low in range(0, len(state), 8)]
    if chosen is not None:
        addresses = [Cat(address, chosen) for address in addresses]
    if kind == "bram":
        return _in_block_memories(m, table, addresses, stages, f"{name}_bram")
    return _in_logic(m, table, addresses, stages, name)


_NAMES = {"forward": "aes_sbox", "inverse": "aes_inv_sbox", "both": "aes_both_sboxes"}
"""The name of the module of an S-box, by direction."""


def _form(kind: str) -> SBoxForm:
    if kind not in SBOXES:
        raise ValueError(f"the S-box must be one of {', '.join(SBOXES)}, not {kind!r}")
    return SBOXES[kind]


def _by_gates(m: Module, gates: GateList, state: Value, chosen: Value | None, stages: int, name: str) -> Value:
    """S-boxes in a separate module.  Emitted Verilog has one module with this *name* for a byte.  A single S-box is placed in *m*."""
    if len(state) == 8:
        return _planes(m, gates, state, chosen, stages)
    inside = Module()
    substituted = Signal(len(state))
    # Signals of this module define the wires of the bytes, because Amaranth splits ports at their drivers.
    before, behind = Signal(len(state), name="i", attrs={"bytes_of": name}), Signal(len(state), name="o", attrs={"bytes": name})
    if chosen is not None:
        inverse = Signal()
        m.d.comb += inverse.eq(chosen)
        chosen = inverse
    inside.d.comb += [before.eq(state), behind.eq(_planes(inside, gates, before, chosen, stages)), substituted.eq(behind)]
    m.submodules[next(one for n in count() if not hasattr(m.submodules, one := f"sub_bytes{n or ''}"))] = inside
    return substituted


def _planes(m: Module, gates: GateList, state: Value, chosen: Value | None, stages: int) -> Value:
    """Gates with one bit for each byte."""
    size = len(state) // 8
    planes = [Cat(state[n::8]) for n in range(8)]
    if chosen is not None:
        planes.append(chosen.replicate(size))
    outputs = gates.lower(m, planes, stages)
    return Cat(output[n] for n in range(size) for output in outputs)


def _register(m: Module, value: Value, name: str) -> Value:
    register = Signal(len(value), name=name, reset_less=True)
    m.d.sync += register.eq(value)
    return register


def _in_logic(m: Module, table: tuple[int, ...], addresses: list[Value], stages: int, name: str) -> Value:
    if stages < 2:
        rom = memory.Memory(shape=8, depth=len(table), init=table, attrs={"rom_style": "logic", "table": name})
        m.submodules += rom
        result = named(m, "substituted", Cat(_read(m, rom, address) for address in addresses))
        return _register(m, result, "sbox_reg") if stages else result
    # 64 entries take one LUT6 for each bit.  The rest of the address selects between them.
    parts = []
    for low in range(0, len(table), 64):
        attributes = {"rom_style": "logic", "table": f"{name}_quarter{low // 64}"}
        rom = memory.Memory(shape=8, depth=64, init=table[low : low + 64], attrs=attributes)
        m.submodules += rom
        parts.append([_register(m, _read(m, rom, address[:6]), f"part_{low // 64}_reg") for address in addresses])
    result = []
    for n, address in enumerate(addresses):
        choices = [part[n] for part in parts]
        for bit in _register(m, address[6:], "choice_reg"):
            choices = [Mux(bit, high, low) for low, high in zip(choices[::2], choices[1::2], strict=True)]
        result.append(choices[0])
    return _register(m, Cat(result), "sbox_reg")


def _read(m: Module, rom: memory.Memory, address: Value) -> Value:
    port = rom.read_port(domain="comb")
    m.d.comb += port.addr.eq(address)
    return port.data


def _in_block_memories(m: Module, table: tuple[int, ...], addresses: list[Value], stages: int, name: str) -> Value:
    result = []
    for n in range(0, len(addresses), 2):
        rom = memory.Memory(shape=8, depth=len(table), init=table, attrs={"rom_style": "block", "table": name})
        m.submodules += rom
        for address in addresses[n : n + 2]:
            port = rom.read_port()
            m.d.comb += [port.addr.eq(address), port.en.eq(1)]
            result.append(port.data)
    return _register(m, Cat(result), "sbox_reg") if stages > 1 else named(m, "substituted", Cat(result))


class SBox(wiring.Component):
    """One S-box: ``o`` is the S-box of the byte ``i`` of ``latency`` cycles ago.  Each cycle takes a new byte.

    Parameters
    ----------
    kind : str
        A key of ``SBOXES``.
    direction : str
        ``forward``, ``inverse`` or ``both``.
    stages : int, optional
        Number of registers.  The default is the smallest number for the form.

    Attributes
    ----------
    latency : int
        Cycles, equal to ``stages``.
    interval : int
        1.

    Members
    -------
    i : In(8)
        A byte.
    inverse : In(1)
        Only with direction ``both``: 1 for the inverse S-box of this byte.
    o : Out(8)
        Its image.

    Raises
    ------
    TypeError
        ``stages`` is no integer.
    ValueError
        The form or the direction is unknown, or the form cannot have this number of registers.
    """

    interval = 1

    def __init__(self, kind: str = "lut", direction: str = "forward", stages: int | None = None) -> None:
        form = _form(kind)
        self.kind, self.direction = kind, Direction.of_layer(direction)
        self.latency = form.least if stages is None else check_count("stages", stages, form.least, form.most)
        super().__init__({"i": In(8), "o": Out(8), **self.direction.ports(inverse=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inverse = self.direction.way(self)
        m.d.comb += self.o.eq(sub_bytes_of(m, self.i, self.kind, inverse=inverse, stages=self.latency))
        return m
