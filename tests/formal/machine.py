# SPDX-License-Identifier: Apache-2.0
"""A flat netlist as a transition system over bit-vectors.

::

    State ──value of a net: gates, down to registers and inputs──▶ term
      └──next──▶ State whose registers are the terms at D of this one

Terms are made when they are asked for, so a question costs its own cone of logic only.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Mapping, Sequence

from bitwuzla import Bitwuzla, Kind, Term
from tests.formal.bits import MANAGER, Bits, all_of, any_of, concat, constant, fresh

from modeloom.taint.graph import Bit, Cell, Netlist

__all__ = ["Machine", "State", "number"]

sys.setrecursionlimit(20_000)


class Machine:
    """What drives each bit of a netlist; cells other than those of plain synchronous logic are refused when they are asked for.

    With ``within``, the path of an instance with a dot behind it, names are those of this part.  Rules of the part alone can then be
    proved of a whole core.
    """

    def __init__(self, netlist: Netlist, within: str = ""):
        self.netlist, self.within = netlist, within
        self.driver: dict[int, tuple[Cell, str, int]] = {}
        self.input: dict[int, tuple[str, int]] = {}
        for cell in netlist.cells:
            for port in ("Y", "Q", "RD_DATA"):
                for i, bit in enumerate(cell[port]):
                    if isinstance(bit, int):
                        self.driver[bit] = (cell, port, i)
        for name, bits in netlist.inputs.items():
            for i, bit in enumerate(bits):
                if isinstance(bit, int):
                    self.input[bit] = (name, i)

    def find(self, name: str) -> list[Bit] | None:
        """Bits of a net, by its name with or without ``_reg``."""
        for candidate in (name, name + "_reg", name.removesuffix("_reg")):
            with contextlib.suppress(KeyError):
                return self.netlist.net(self.within + candidate)
        return None

    def memory(self, instance: str) -> Cell:
        """The only memory of an instance, whatever its name is.  Instances have dots between them."""
        wanted = self.within + instance
        (cell,) = (cell for cell in self.netlist.cells if cell.type == "$mem_v2" and cell.name.rpartition(".")[0] == wanted)
        return cell

    def part(self, within: str) -> Machine:
        """The same machine, with the names of a part."""
        return Machine(self.netlist, within)

    def free(self, label: str, fixed: Mapping[str, int] | None = None) -> State:
        """Any state."""
        return State(self, label, fixed=fixed)

    def powered(self, label: str, inputs: Mapping[str, int] | None = None) -> State:
        """The state at power-on: registers with a value have it; others, and memories, have any."""
        return State(self, label, powered=True, inputs=inputs)


SIMPLIFIER = Bitwuzla(MANAGER)


class State:
    """A state of a machine and its inputs in one cycle, each free where nothing else is said.

    Parameters
    ----------
    machine : Machine
    label : str
        For the names of free variables.
    previous : State or None
        The state of the cycle before, from which this one follows.
    powered : bool
        Whether this is the state at power-on.
    inputs : mapping, optional
        Values of inputs that are not free.
    loose : collection of bits
        Registers with one of these bits have any value, whatever the state before.
    fixed : mapping, optional
        Values of named nets, whatever drives them.  Only states with these values are then looked at.
    """

    def __init__(
        self, machine: Machine, label: str, *, previous: State | None = None, powered: bool = False,
        inputs: Mapping[str, int] | None = None, loose: Collection[Bit] = (), fixed: Mapping[str, int] | None = None,
    ):  # fmt: skip
        self.machine, self.label, self.previous, self.powered = machine, label, previous, powered
        self.inputs, self.loose = inputs or {}, frozenset(loose)
        self.fixed = {
            bit: str(value >> at & 1) for name, value in (fixed or {}).items() for at, bit in enumerate(machine.find(name) or [])
        }  # fmt: skip
        self._terms: dict[tuple[str, str], Bits] = {}
        self._memories: dict[str, Term] = {}
        self._words: dict[str, list[int]] = {}

    def next(
        self, inputs: Mapping[str, int] | None = None, loose: Collection[Bit] = (), fixed: Mapping[str, int] | None = None
    ) -> State:  # fmt: skip
        """The state of the cycle after; its inputs are free but for the given ones."""
        return State(self.machine, self.label + "'", previous=self, inputs=inputs, loose=loose, fixed=fixed)

    def settle(self) -> None:
        """Turns registers and memories into numbers, for a run with given inputs; at power-on what has no value is zero."""
        before, initial = self.previous, self.machine.netlist.initial
        for cell in self.machine.netlist.cells:
            if cell["Q"]:
                q = cell["Q"]
                start = sum(1 << i for i, bit in enumerate(q) if initial.get(bit) == "1")  # type: ignore[arg-type]
                self._terms[cell.name, "Q"] = constant(start if before is None else number(self.value(q)), len(q))
            elif cell.type == "$mem_v2":
                p = cell.parameters
                width, bits = p["WIDTH"], p["ABITS"]
                words = _table(cell) if before is None else list(before._words[cell.name])
                for n in range(p["WR_PORTS"] if before is not None else 0):
                    assert before is not None
                    enable = number(before.value(cell["WR_EN"][n * width : (n + 1) * width]))
                    if not enable:
                        continue  # address and data may be undefined then
                    at = number(before.value(cell["WR_ADDR"][n * bits : (n + 1) * bits]))
                    data = number(before.value(cell["WR_DATA"][n * width : (n + 1) * width]))
                    words[at] = data & enable | words[at] & ~enable
                self._words[cell.name] = words
        self.previous = None

    def __getitem__(self, name: str) -> Bits:
        """Value of a named net; raises ``KeyError``.  A register that is also a port may have either name, with ``_reg`` or without."""
        found = self.machine.find(name)
        if found is None:
            raise KeyError(name)
        return self.value(found)

    def has(self, name: str) -> bool:
        """Whether there is a net of this name."""
        return self.machine.find(name) is not None

    def slice(self, name: str, *valid: str) -> list[tuple[Bits, Bits]]:
        """The two places of a register slice, the older one first: whether it holds a payload, and the payload.

        Its places are registers, or words of a memory.  The net of its valid bit may also have one of the names ``valid``.
        """
        names = (f"{name}.valid_reg", f"{name}.o_valid", f"{name}_o_valid", *valid)
        held = next(self[one] for one in names if self.has(one))
        if self.has(f"{name}.payload0_reg"):
            zero, one = self[f"{name}.payload0_reg"], self[f"{name}.payload1_reg"]
        else:
            memory = self.machine.memory(name)
            zero, one = (self.word(memory, constant(place, 1)) for place in range(2))
        newer = self[f"{name}.from_reg"]
        return [(held, newer.choose(one, zero)), (self[f"{name}.full_reg"], newer.choose(zero, one))]

    def value(self, bits: Sequence[Bit]) -> Bits:
        """Value of some bits, the first one lowest.  Amaranth writes a 0 without bits, which has a bit here."""
        if not bits:
            return constant(0, 1)
        runs: list[tuple[tuple[str, str] | str, int, int]] = []
        for bit in bits:
            source, index = self._origin(bit)
            if runs and runs[-1][0] == source and runs[-1][2] == index and source not in ("0", "1"):
                runs[-1] = (source, runs[-1][1], index + 1)
            else:
                runs.append((source, index, index + 1))
        return concat(
            constant(int(source), 1) if isinstance(source, str) else self._terms[source][low:high] for source, low, high in runs
        )

    def _origin(self, bit: Bit) -> tuple[tuple[str, str] | str, int]:
        """The term that a bit is part of, made if it is not there yet, and its place in it."""
        machine = self.machine
        if bit in ("0", "1"):
            return str(bit), 0
        if bit in self.fixed:
            return self.fixed[bit], 0
        if isinstance(bit, int) and bit in machine.driver:
            cell, port, index = machine.driver[bit]
            key = (cell.name, port)
            if key not in self._terms:
                self._terms[key] = self._output(cell, port)
            return key, index
        name, index = machine.input.get(bit, ("", 0)) if isinstance(bit, int) else ("", 0)
        # What nothing drives, and an undefined constant, may be anything.
        key = ("input", name) if name else ("undefined", f"{bit}.{len(self._terms)}")
        if key not in self._terms:
            width = len(machine.netlist.inputs[name]) if name else 1
            given = self.inputs.get(name) if name else None
            self._terms[key] = fresh(f"{self.label}.{name or key[1]}", width) if given is None else constant(given, width)
        return key, index

    def _output(self, cell: Cell, port: str) -> Bits:
        if port == "Q":
            return self._register(cell)
        if port == "RD_DATA":
            return self._read(cell)
        return self._gate(cell)

    # -- registers and memories ---------------------------------------------------------------------------------------------

    def _register(self, cell: Cell) -> Bits:
        if cell.type != "$dff":
            raise NotImplementedError(f"register {cell.name} of type {cell.type}")
        if self.previous is not None and self.loose.isdisjoint(cell["Q"]):
            return self.previous.value(cell["D"])
        width = len(cell["Q"])
        name = f"{self.label}.{self.machine.netlist.names.get(cell['Q'][0], cell.name)}"  # type: ignore[arg-type]
        if not self.powered:
            return fresh(name, width)
        initial = self.machine.netlist.initial
        values = [initial.get(bit) if isinstance(bit, int) else None for bit in cell["Q"]]
        return concat(constant(int(v), 1) if v is not None else fresh(f"{name}[{i}]", 1) for i, v in enumerate(values))

    def memory(self, cell: Cell) -> Term:
        """Contents of a memory, as an array."""
        if cell.name not in self._memories:
            self._memories[cell.name] = self._contents(cell)
        return self._memories[cell.name]

    def _contents(self, cell: Cell) -> Term:
        p = cell.parameters
        width, address = p["WIDTH"], p["ABITS"]
        if self.previous is None:
            sort = MANAGER.mk_array_sort(MANAGER.mk_bv_sort(address), MANAGER.mk_bv_sort(width))
            return MANAGER.mk_const(sort, f"{self.label}.{cell.name}")
        before = self.previous
        array = before.memory(cell)
        for n in range(p["WR_PORTS"]):
            at = before.value(cell["WR_ADDR"][n * address : (n + 1) * address])
            data = before.value(cell["WR_DATA"][n * width : (n + 1) * width])
            enable = before.value(cell["WR_EN"][n * width : (n + 1) * width])
            old = Bits(MANAGER.mk_term(Kind.ARRAY_SELECT, [array, at.term]), width)
            new = (data & enable) | (old & ~enable)
            array = MANAGER.mk_term(Kind.ARRAY_STORE, [array, at.term, new.term])
        return array

    def _read(self, cell: Cell) -> Bits:
        p = cell.parameters
        if p["RD_CLK_ENABLE"]:
            return self._registered(cell)
        address = p["ABITS"]
        addresses = [self.value(cell["RD_ADDR"][n * address : (n + 1) * address]) for n in range(p["RD_PORTS"])]
        words = self._words.get(cell.name) if p["WR_PORTS"] else _table(cell)
        if words is None:
            return concat(self.word(cell, at) for at in addresses)
        return concat(_chosen([constant(word, p["WIDTH"]) for word in words], at, address) for at in addresses)

    def _registered(self, cell: Cell) -> Bits:
        """A read port with a register: what stood at the address a cycle ago, before what was written then."""
        p = cell.parameters
        if p["RD_PORTS"] != 1 or p["RD_TRANSPARENCY_MASK"] or self._words:
            raise NotImplementedError(f"memory {cell.name} with other registered read ports than one that reads what stood there")
        if self.previous is None:
            return fresh(f"{self.label}.{cell.name}.read", p["WIDTH"])
        before = self.previous
        return before.value(cell["RD_EN"]).choose(before.word(cell, before.value(cell["RD_ADDR"])), before.value(cell["RD_DATA"]))

    def word(self, cell: Cell, at: Bits) -> Bits:
        """One word of a memory."""
        address = at.extend(cell.parameters["ABITS"])
        return Bits(MANAGER.mk_term(Kind.ARRAY_SELECT, [self.memory(cell), address.term]), cell.parameters["WIDTH"])

    # -- gates ------------------------------------------------------------------------------------------------------------

    def _gate(self, cell: Cell) -> Bits:
        kind, p, width = cell.type, cell.parameters, len(cell["Y"])
        if kind in ("$mux", "$pmux"):
            return self._choice(cell)
        a_signed = bool(p.get("A_SIGNED"))
        a = self.value(cell["A"])
        b = self.value(cell["B"]) if "B" in cell.ports else None
        if kind in _UNARY:
            return _UNARY[kind](a.extend(width, a_signed))
        if kind in _REDUCTIONS:
            return _REDUCTIONS[kind](a).extend(width)
        if b is None:
            raise NotImplementedError(f"cell {cell.name} of type {kind}")
        signed = a_signed and bool(p.get("B_SIGNED"))
        if kind in _BITWISE:
            return _BITWISE[kind](a.extend(width, signed), b.extend(width, signed))
        if kind in _COMPARISONS:
            common = max(a.width, b.width)
            a, b = a.extend(common, signed), b.extend(common, signed)
            if signed:
                # Their order is that of the numbers with the other sign bit.
                a, b = a ^ (1 << common - 1), b ^ (1 << common - 1)
            return _COMPARISONS[kind](a, b).extend(width)
        if kind in _LOGIC:
            return _LOGIC[kind](a.some(), b.some()).extend(width)
        if kind in _SHIFTS and not p.get("B_SIGNED"):
            common = max(a.width, b.width, width)
            return _SHIFTS[kind](a.extend(common, a_signed), b.extend(common)).extend(width)
        raise NotImplementedError(f"cell {cell.name} of type {kind}")

    def _choice(self, cell: Cell) -> Bits:
        known = [self.fixed.get(bit, bit) for bit in cell["S"]]
        if known == ["0"]:
            return self.value(cell["A"])
        if known == ["1"]:
            return self.value(cell["B"])
        select, result = self.value(cell["S"]), self.value(cell["A"])
        width = result.width
        for i in range(select.width):
            result = select[i].choose(self.value(cell["B"][i * width : (i + 1) * width]), result)
        return result


def number(bits: Bits) -> int:
    """The value of a term without free variables; raises ``ValueError`` for another."""
    term = SIMPLIFIER.simplify_term(bits.term)
    if not term.is_value():
        raise ValueError(f"no number: {str(term)[:80]}")
    return int(term.value(10))


def _table(cell: Cell) -> list[int]:
    """Words of a memory at power-on."""
    p = cell.parameters
    if not isinstance(p["INIT"], int):
        raise NotImplementedError(f"memory {cell.name} with undefined contents")
    return [p["INIT"] >> i * p["WIDTH"] & ((1 << p["WIDTH"]) - 1) for i in range(p["SIZE"])]


def _chosen(words: list[Bits], at: Bits, address: int) -> Bits:
    """One of some words, by a tree of choices; beyond their end the last one."""
    if len(words) == 1:
        return words[0]
    half = 1 << address - 1
    if len(words) <= half:
        return _chosen(words, at, address - 1)
    return at[address - 1].choose(_chosen(words[half:], at, address - 1), _chosen(words[:half], at, address - 1))


def _parity(a: Bits) -> Bits:
    result = a[0]
    for i in range(1, a.width):
        result = result ^ a[i]
    return result


_UNARY = {"$not": lambda a: ~a, "$pos": lambda a: a, "$neg": lambda a: constant(0, a.width) - a}
_BITWISE = {
    "$and": lambda a, b: a & b,
    "$or": lambda a, b: a | b,
    "$xor": lambda a, b: a ^ b,
    "$xnor": lambda a, b: ~(a ^ b),
    "$add": lambda a, b: a + b,
    "$sub": lambda a, b: a - b,
    "$mul": lambda a, b: a * b,
}
_COMPARISONS = {
    "$eq": lambda a, b: a.equals(b),
    "$ne": lambda a, b: a.differs(b),
    "$lt": lambda a, b: a < b,
    "$le": lambda a, b: a <= b,
    "$gt": lambda a, b: a > b,
    "$ge": lambda a, b: a >= b,
}
_REDUCTIONS = {
    "$reduce_or": lambda a: a.some(),
    "$reduce_bool": lambda a: a.some(),
    "$reduce_and": lambda a: (~a).equals(0),
    "$reduce_xor": _parity,
    "$logic_not": lambda a: a.equals(0),
}
_LOGIC = {"$logic_and": lambda a, b: all_of([a, b]), "$logic_or": lambda a, b: any_of([a, b])}
_SHIFTS = {"$shl": lambda a, b: a << b, "$shr": lambda a, b: a >> b}
