# SPDX-License-Identifier: Apache-2.0
"""The circuit of a module, read from RTLIL: nets with their expressions, registers, memories and instances.

::

    cell $and $3 ...      ──▶   assigned["$1"] = a & b
    process $4 ...        ──▶   assigned["$2"] = rst ? 0 : clear ? 0 : sum
    cell $dff $5 ...      ──▶   registers["\\y_reg"] = Register(data $2, clock clk)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from modeloom_verilog.expressions import (
    Expr,
    all_nets,
    binary,
    choice,
    concat,
    const,
    net,
    part,
    part_of,
    reduced,
    shifted,
    signed,
    unary,
    wide,
)
from modeloom_verilog.rtlil import RtlilModule, Statement, sigspec_end

__all__ = ["Circuit", "Instance", "Memory", "Net", "Read", "Register", "Write", "check_loops", "circuit_of"]


@dataclass
class Net:
    """A net: its bits, the kind of port that it is ("input", "output", or "" for none), its attributes by name (as RTLIL writes them)."""

    width: int
    port: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class Register:
    """A register: the value that it takes at an edge of its clock.  ``reset`` is an asynchronous reset, which sets ``value``."""

    data: Expr
    clock: Expr
    rising: bool = True
    reset: Expr | None = None
    value: Expr | None = None


@dataclass
class Write:
    """A write port of a memory.  ``enable`` has a bit for each bit of the word."""

    address: Expr
    data: Expr
    enable: Expr
    clock: Expr
    rising: bool


@dataclass
class Read:
    """A read port of a memory, on the net that it drives.  It has a register if it has a clock."""

    memory: str
    address: Expr
    enable: Expr
    clock: Expr | None
    rising: bool


@dataclass
class Memory:
    """A memory: width and number of its words, their initial values, and its write ports."""

    width: int
    depth: int
    attributes: dict[str, str]
    words: list[int] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)


@dataclass
class Instance:
    """An instance of a module: the expressions at its inputs, and the nets at its outputs.  One port may drive several nets."""

    module: str
    name: str
    inputs: dict[str, Expr] = field(default_factory=dict)
    outputs: dict[str, Expr] = field(default_factory=dict)


@dataclass
class Circuit:
    """A module.

    Attributes
    ----------
    nets : dict
        All nets in order, ports among them.
    assigned, registers, reads : dict
        The driver of each net, by the name of the net.
    memories, instances : dict
        By name.
    whole_module : bool
        Whether tools should map the module by itself.
    """

    name: str
    nets: dict[str, Net] = field(default_factory=dict)
    assigned: dict[str, Expr] = field(default_factory=dict)
    registers: dict[str, Register] = field(default_factory=dict)
    reads: dict[str, Read] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    whole_module: bool = False

    def ports(self, *kinds: str) -> list[str]:
        """Names of the ports of these kinds, or of all."""
        return [name for name, one in self.nets.items() if one.port in (kinds or ("input", "output"))]

    def whole(self, name: str) -> Expr:
        """All bits of a net."""
        return net(name, self.nets[name].width)


_REDUCTIONS = {"$reduce_and": "&", "$reduce_or": "|", "$reduce_bool": "|", "$reduce_xor": "^"}
_COMPARED = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_SUMS = {"$and": "&", "$or": "|", "$xor": "^", "$add": "+", "$sub": "-", "$mul": "*"}
_SHIFTS = {"$shl": "<<", "$shr": ">>", "$sshr": ">>>"}


class _Reader:
    """Reads the statements of one module, for ``circuit_of``."""

    def __init__(self, module: RtlilModule):
        self.module = module
        self.result = Circuit(module.name)

    def read(self, directions: dict[str, dict[str, str]]) -> Circuit:
        result = self.result
        ports = self.module.ports()
        wires = {wire.name: wire for wire in self.module.of_kind("wire")}
        for name in [*ports, *(name for name in wires if name not in ports)]:
            line = wires[name].lines[0]
            width = int(line[line.index("width") + 1]) if "width" in line else 1
            result.nets[name] = Net(width, ports.get(name, ""), _attributes(wires[name]))
        for statement in self.module.of_kind("memory"):
            line = statement.lines[0]
            width, depth = (int(line[line.index(word) + 1]) for word in ("width", "size"))
            result.memories[statement.name] = Memory(width, depth, _attributes(statement))
        for statement in self.module.statements:
            if statement.kind == "connect":
                tokens = statement.lines[0]
                middle = sigspec_end(tokens, 1)
                self._drive(tokens[1:middle], self.signal(tokens[middle:]))
            elif statement.kind == "process":
                self._process(statement)
            elif statement.instance:
                self._instance(statement, directions[statement.type])
            elif statement.kind == "cell":
                self._cell(statement)
        return result

    def signal(self, tokens: list[str]) -> Expr:
        """The signal that the tokens describe."""
        if tokens[0] == "{":
            parts, at = [], 1
            while tokens[at] != "}":
                end = sigspec_end(tokens, at)
                parts.append(self.signal(tokens[at:end]))
                at = end
            return concat(parts)
        first = tokens[0]
        if first[0] not in "\\$":
            width, _, bits = first.partition("'")
            if not _:
                return const(32, int(first) & 0xFFFFFFFF)
            return const(int(width), bits.rjust(int(width), "0") if bits else "")
        whole = self.result.nets[first].width
        if len(tokens) == 1:
            return net(first, whole)
        high, _, low = tokens[1][1:-1].partition(":")
        bottom = int(low or high)
        return part(first, bottom, int(high) - bottom + 1)

    def _drive(self, tokens: list[str], value: Expr) -> None:
        target = self.signal(tokens)
        if target.op != "net" or target.width != self.result.nets[target.name].width:
            raise ValueError(f"{self.module.name}: a part of a net is driven by itself: {' '.join(tokens)}")
        self.result.assigned[target.name] = value

    def _whole_net(self, tokens: list[str]) -> str:
        if len(tokens) != 1:
            raise ValueError(f"{self.module.name}: a part of a net is driven by itself: {' '.join(tokens)}")
        return tokens[0]

    # -- cells -----------------------------------------------------------------------------------------------------------

    def _cell(self, cell: Statement) -> None:
        ports = {connection.port[1:]: connection.signal for connection in cell.connections()}
        kind = cell.type
        if kind in ("$dff", "$adff"):
            asynchronous = kind == "$adff"
            self.result.registers[self._whole_net(ports["Q"])] = Register(
                self.signal(ports["D"]), self.signal(ports["CLK"]), _flag(cell, "CLK_POLARITY"),
                self.signal(ports["ARST"]) if asynchronous else None,
                self.signal([cell.parameter("\\ARST_VALUE") or ""]) if asynchronous else None,
            )  # fmt: skip
        elif kind.startswith("$mem"):
            self._memory(cell, ports)
        else:
            self._drive(ports["Y"], self._operation(cell, {name: self.signal(tokens) for name, tokens in ports.items() if name != "Y"}))

    def _operation(self, cell: Statement, ports: dict[str, Expr]) -> Expr:
        kind = cell.type
        if kind == "$mux":
            return choice(ports["S"], ports["B"], ports["A"])
        width = int(cell.parameter("\\Y_WIDTH") or 0)
        is_signed = cell.parameter("\\A_SIGNED") == "1"
        a = ports["A"]
        if kind in _REDUCTIONS:
            return wide(reduced(_REDUCTIONS[kind], a), width)
        if kind == "$not":
            return unary("~", wide(a, width, is_signed))
        if kind == "$neg":
            return binary("-", const(width), self._wide(a, width, is_signed))
        b = ports["B"]
        if kind in _COMPARED:
            size = max(a.width, b.width)
            a, b = self._wide(a, size, is_signed), self._wide(b, size, is_signed)
            if is_signed and kind not in ("$eq", "$ne"):
                a, b = signed(a), signed(b)
            return wide(binary(_COMPARED[kind], a, b), width)
        if kind in _SUMS:
            return binary(_SUMS[kind], self._wide(a, width, is_signed), self._wide(b, width, cell.parameter("\\B_SIGNED") == "1"))
        if kind in _SHIFTS or kind == "$shift":
            size = max(a.width, width)
            a = self._wide(a, size, is_signed)
            op = ">>>" if kind == "$shift" and is_signed else ">>" if kind == "$shift" else _SHIFTS[kind]
            found = shifted(op, signed(a) if op == ">>>" else a, b)
            return found if size == width else part_of(self._named(found), 0, width) or found
        raise ValueError(f"{self.module.name}: a cell of type {kind}")

    def _wide(self, value: Expr, width: int, is_signed: bool) -> Expr:
        return wide(value, width, is_signed)

    def _named(self, value: Expr) -> Expr:
        """A new net for a value, so that a part of its bits can be selected."""
        if part_of(value, 0, 1) is not None:
            return value
        name = f"$cut{len(self.result.nets)}"
        self.result.nets[name] = Net(value.width)
        self.result.assigned[name] = value
        return net(name, value.width)

    def _memory(self, cell: Statement, ports: dict[str, list[str]]) -> None:
        name = (cell.parameter("\\MEMID") or "").strip('"').replace("\\\\", "\\")
        memory = self.result.memories[name]
        if cell.type == "$meminit_v2":
            bits = self.signal(ports["DATA"]).name
            memory.words = [int(bits[at - memory.width : at], 2) for at in range(len(bits), 0, -memory.width)]
            return
        address = self.signal(ports["ADDR"])
        clocked = _flag(cell, "CLK_ENABLE")
        rising = _flag(cell, "CLK_POLARITY")
        clock = self.signal(ports["CLK"])
        if cell.type == "$memwr_v2":
            memory.writes.append(Write(address, self.signal(ports["DATA"]), self.signal(ports["EN"]), clock, rising))
        else:
            if "1" in (cell.parameter("\\TRANSPARENCY_MASK") or "").partition("'")[2]:
                raise ValueError(f"{self.module.name}: a memory that shows what is being written")
            self.result.reads[self._whole_net(ports["DATA"])] = Read(
                name, address, self.signal(ports["EN"]), clock if clocked else None, rising
            )  # fmt: skip

    def _instance(self, cell: Statement, directions: dict[str, str]) -> None:
        instance = Instance(cell.type, cell.name)
        for connection in cell.connections():
            where = instance.outputs if directions[connection.port] == "output" else instance.inputs
            where[connection.port] = self.signal(connection.signal)
        self.result.instances[cell.name] = instance

    # -- processes -------------------------------------------------------------------------------------------------------

    def _process(self, process: Statement) -> None:
        """Makes one tree of choices for each run of bits that is assigned together."""
        lines = process.lines[1:-1]
        targets = [self.signal(tokens[1 : sigspec_end(tokens, 1)]) for tokens in lines if tokens[0] == "assign"]
        name = targets[0].name
        width = self.result.nets[name].width
        edges = sorted({0, width, *(one.low for one in targets), *(one.low + one.width for one in targets)})
        pieces = []
        for low, high in zip(edges, edges[1:]):
            value, end = self._block(lines, 0, None, low, high)
            if value is None or end != len(lines):
                raise ValueError(f"{self.module.name}: a process that assigns nothing to bit {low} of {name}")
            pieces.append(value)
        self.result.assigned[name] = concat(pieces[::-1])

    def _block(self, lines: list[list[str]], at: int, value: Expr | None, low: int, high: int) -> tuple[Expr | None, int]:
        """The value of some bits after a block of statements, and the line at which the block ends."""
        while at < len(lines) and lines[at][0] in ("assign", "switch"):
            tokens = lines[at]
            at += 1
            if tokens[0] == "assign":
                middle = sigspec_end(tokens, 1)
                target = self.signal(tokens[1:middle])
                if target.low <= low and high <= target.low + target.width:
                    value = part_of(self._named(self.signal(tokens[middle:])), low - target.low, high - low)
                continue
            tested = self.signal(tokens[1:])
            arms: list[tuple[Expr, Expr | None]] = []
            seen: set[str] = set()
            while lines[at][0] == "case":
                patterns = [token.partition("'")[2].rstrip(",") for token in lines[at][1:]]
                seen.update(bits for bits in patterns if not bits.strip("01"))
                # If the patterns cover all values, the last one needs no comparison.
                condition = const(1, 1) if len(seen) == 1 << tested.width else self._condition(tested, patterns)
                result, at = self._block(lines, at + 1, value, low, high)
                arms.append((condition, result))
            at += 1
            for condition, result in reversed(arms):
                if condition.constant and condition.name == "1":
                    value = result
                elif value is None or result is None:
                    raise ValueError(f"{self.module.name}: a value that is not always assigned")
                else:
                    value = choice(condition, result, value)
        return value, at

    def _condition(self, tested: Expr, patterns: list[str]) -> Expr:
        """The condition that a signal has one of some values.  It is always true if there are none."""
        found = const(1, int(not patterns))
        for bits in patterns:
            one = const(1, 1)
            for first, last in _known(bits):
                piece = part_of(self._named(tested), len(bits) - last, last - first)
                assert piece is not None
                one = binary("&", one, binary("==", piece, const(piece.width, bits[first:last])))
            found = binary("|", found, one)
        return found


def _known(bits: str) -> list[tuple[int, int]]:
    """Runs of bits of a pattern that must match."""
    runs: list[tuple[int, int]] = []
    start = None
    for at, bit in enumerate(bits + "-"):
        if bit in "01" and start is None:
            start = at
        elif bit not in "01" and start is not None:
            runs.append((start, at))
            start = None
    return runs


def _flag(cell: Statement, name: str) -> bool:
    return (cell.parameter(f"\\{name}") or "0").endswith("1")


def _attributes(statement: Statement) -> dict[str, str]:
    found = {}
    for line in statement.attributes:
        _, name, value = line.strip().split(" ", 2)
        found[name.removeprefix("\\")] = value
    return found


def circuit_of(module: RtlilModule, directions: dict[str, dict[str, str]]) -> Circuit:
    """The circuit of a module.

    Parameters
    ----------
    module : RtlilModule
    directions : dict
        "input" or "output" for each port of each module of which it has an instance.

    Raises
    ------
    ValueError
        The module has cells that no component of this project, and no cipher of a user, should have.
    """
    return _Reader(module).read(directions)


def check_loops(circuit: Circuit) -> None:
    """Raises ``ValueError`` if the expressions of a module have a loop without a register."""
    needs = {name: {one.name for one in all_nets(value)} for name, value in circuit.assigned.items()}
    needs |= {name: {one.name for one in all_nets(read.address)} for name, read in circuit.reads.items() if read.clock is None}
    done: set[str] = set()
    for start in needs:
        stack: list[tuple[str, bool]] = [(start, False)]
        above: set[str] = set()
        while stack:
            name, left = stack.pop()
            if left:
                above.discard(name)
                done.add(name)
            elif name not in done:
                if name in above:
                    raise ValueError(f"{circuit.name.removeprefix(chr(92))}: a loop without a register at {name.removeprefix(chr(92))}")
                above.add(name)
                stack.append((name, True))
                stack += [(need, False) for need in needs[name] if need in needs and need not in done]
    undriven = set(needs) - set(circuit.nets)
    if undriven:
        raise ValueError(f"{circuit.name}: nothing is known of {sorted(undriven)[0]}")
