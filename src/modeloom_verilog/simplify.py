# SPDX-License-Identifier: Apache-2.0
"""Inlines expressions into the expressions that use them, and names the remaining nets.

A net without a name is inlined if only one expression reads it, or if it is short.  A longer net with several readers, or a net that would
make an expression too long, remains.  It is named after the first named net that depends on it::

    $7 = a & b;  y = $7 | c              ──▶   y = a & b | c
    $8 = <long>; sum_reg = $8; ok = $8   ──▶   sum_xor = <long>;  sum_reg = sum_xor;  ok = sum_xor
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from modeloom_verilog.circuit import Circuit
from modeloom_verilog.expressions import BITWISE, Expr, all_nets, binary, choice, concat, part_of, reduced, shifted, unary
from modeloom_verilog.rtlil import RtlilModule, Statement, names_in, sigspec_end

__all__ = ["MARKS", "Values", "drop_unused", "name_the_rest", "prune", "put_everywhere", "rename", "simplify"]


# -- prune -----------------------------------------------------------------------------------------------------------------------------

# Removes everything on which no output of the top depends, at all levels of the hierarchy, including ports of modules.
#
# A wire is live if something live is computed from it::
#
#     output of the top ──▶ instance's output ──▶ output port of its module ──▶ cell ──▶ input port ──▶ wires of all instances

MARKS = ("bytes", "bytes_of")
"""Attributes of wires that stay in a module that is needed (see ``copies``)."""

_OUTPUTS = {"\\Y", "\\Q"}


@dataclass
class _Node:
    """Something that computes wires from wires."""

    statement: Statement
    inputs: set[str]
    outputs: set[str]


def _node(statement: Statement) -> _Node:
    inputs: set[str] = set()
    outputs: set[str] = set()
    if statement.kind == "connect":
        tokens = statement.lines[0]
        middle = sigspec_end(tokens, 1)
        return _Node(statement, names_in(tokens[middle:]), names_in(tokens[:middle]))
    if statement.kind == "process":
        for tokens in statement.lines[1:]:
            if tokens[0] == "assign":
                middle = sigspec_end(tokens, 1)
                outputs |= names_in(tokens[:middle])
                inputs |= names_in(tokens[middle:])
            elif tokens[0] == "switch":
                inputs |= names_in(tokens)
        return _Node(statement, inputs, outputs)
    memory = (statement.parameter("\\MEMID") or "").strip('"').replace("\\\\", "\\")
    reads = statement.type.startswith("$memrd")
    for connection in statement.connections():
        drives = connection.port in _OUTPUTS or (reads and connection.port == "\\DATA")
        (outputs if drives else inputs).update(names_in(connection.signal))
    if memory:
        (inputs if reads else outputs).add(memory)
    return _Node(statement, inputs, outputs)


def prune(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    """The modules that are still needed, without dead wires, cells and ports.  Ports are renumbered, with clock and reset first.

    Parameters
    ----------
    modules : list of RtlilModule
        Changed in place.
    top : str
        Name of the top with its backslash.  All its ports stay.
    """
    ports = {module.name: module.ports() for module in modules}
    live, read, needed = _live(modules, top, ports)
    alive = {name for name, _ in live}
    kept = [module for module in modules if module.name in alive]
    for module in kept:
        _sweep(module, read, needed, ports)
    return kept


Wire = tuple[str, str]
"""A module, and a wire or a port of it."""


@dataclass
class _Drivers:
    """What drives wires: nodes, and ports of instances.  ``instances`` has those of a module, each with the module around it."""

    nodes: dict[Wire, list[_Node]]
    ports: dict[Wire, list[Wire]]
    instances: dict[str, list[tuple[str, Statement]]]


def _drivers(modules: list[RtlilModule], ports: dict[str, dict[str, str]]) -> _Drivers:
    found = _Drivers(defaultdict(list), defaultdict(list), defaultdict(list))
    for module in modules:
        for statement in module.of_kind("cell", "process", "connect"):
            if statement.instance:
                found.instances[statement.type].append((module.name, statement))
                for connection in statement.connections():
                    if ports[statement.type][connection.port] == "output":
                        for wire in names_in(connection.signal):
                            found.ports[module.name, wire].append((statement.type, connection.port))
                continue
            node = _node(statement)
            for wire in node.outputs:
                found.nodes[module.name, wire].append(node)
    return found


def _live(modules: list[RtlilModule], top: str, ports: dict[str, dict[str, str]]) -> tuple[set[Wire], set[Wire], set[int]]:
    """The live wires, the ports that are read, and the statements that are needed, by their ``id``."""
    drivers = _drivers(modules, ports)
    marked = {module.name: [one.name for one in module.of_kind("wire") if _marked(one)] for module in modules}
    work = [(top, name) for name in ports[top]]
    # A wire can be live within its module although nothing outside reads it.  Output ports that are read are therefore recorded separately.
    read: set[Wire] = set(work)
    live: set[Wire] = set()
    needed: set[int] = set()
    while work:
        at = work.pop()
        if at in live:
            continue
        live.add(at)
        name, net = at
        work += [(name, other) for other in marked.pop(name, ())]
        for node in drivers.nodes[at]:
            if id(node.statement) not in needed:
                needed.add(id(node.statement))
                work += [(name, other) for other in node.inputs]
        read.update(drivers.ports[at])
        work += drivers.ports[at]
        if ports[name].get(net) == "input":
            read.add(at)
            for parent, statement in drivers.instances[name]:
                for connection in statement.connections():
                    if connection.port == net:
                        work += [(parent, other) for other in names_in(connection.signal)]
    return live, read, needed


def _marked(wire: Statement) -> bool:
    """Whether emission asks for a wire, though nothing reads it."""
    return any(line.split(" ", 2)[1].removeprefix("\\") in MARKS for line in (text.strip() for text in wire.attributes))


def _sweep(
    module: RtlilModule, read: set[tuple[str, str]], needed: set[int], ports: dict[str, dict[str, str]]
) -> None:
    """Removes the dead objects of one module."""
    statements: list[Statement] = []
    mentioned: set[str] = set()
    for statement in module.statements:
        if statement.kind in ("wire", "memory"):
            continue
        if statement.instance:
            own = ports[statement.type]
            statement.lines = [
                line for line in statement.lines if line[0] != "connect" or (statement.type, line[1]) in read
            ]
            if not any(own[connection.port] == "output" for connection in statement.connections()):
                statement.lines = []
        elif id(statement) not in needed:
            statement.lines = []
        for line in statement.lines[0 if statement.kind == "connect" else 1 :]:
            if line[0] == "parameter" and line[-2] == "\\MEMID":
                mentioned.add(line[-1].strip('"').replace("\\\\", "\\"))
            elif line[0] != "parameter":
                mentioned |= names_in(line[2 if statement.kind == "cell" else 1 :])
    numbers = _port_order([name for name in ports[module.name] if (module.name, name) in read], ports[module.name])
    for statement in module.statements:
        if statement.kind in ("wire", "memory"):
            name = statement.name
            if name not in mentioned and name not in numbers:
                continue
            if statement.port:
                place = statement.lines[0].index(statement.port)
                new = [statement.port, str(numbers[name])] if name in numbers else []
                statement.lines[0][place : place + 2] = new
            statements.append(statement)
        elif statement.lines:
            statements.append(statement)
    module.statements = statements


def _port_order(names: list[str], directions: dict[str, str]) -> dict[str, int]:
    """Numbers of ports from 1, because 0 means "no port" in Yosys: clock, reset, then inputs and outputs in their old order."""
    special = {"\\clk": 0, "\\rst": 1}
    names = sorted(names, key=lambda name: special.get(name, 2 if directions[name] == "input" else 3))
    return {name: i for i, name in enumerate(names, 1)}


# -- simplify --------------------------------------------------------------------------------------------------------------------------

MOST = 24
"""Largest number of operands in an expression.  Trees of choices for a register may have more."""

SHORT = 2
"""Largest number of operands of an expression that is repeated wherever it is read."""


def unnamed(name: str) -> bool:
    """Whether a net has no name of its own."""
    return name.startswith("$")


def expressions(circuit: Circuit) -> Iterator[tuple[str, Expr]]:
    """All expressions, each with the name of the object that it drives."""
    yield from circuit.assigned.items()
    for name, register in circuit.registers.items():
        yield name, register.data
        yield name, register.clock
        if register.reset is not None:
            yield name, register.reset
    for name, read in circuit.reads.items():
        yield name, read.address
        yield name, read.enable
        if read.clock is not None:
            yield name, read.clock
    for name, memory in circuit.memories.items():
        for write in memory.writes:
            for value in (write.address, write.data, write.enable, write.clock):
                yield name, value
    for name, instance in circuit.instances.items():
        for port, value in instance.inputs.items():
            yield f"{name}_{port.removeprefix(chr(92))}", value


def _rebuilt(value: Expr, args: tuple[Expr, ...]) -> Expr:
    """An expression with other operands, simplified again."""
    if value.op == "concat":
        return concat(args)
    if value.op == "repeat":
        return concat([args[0]] * (value.width // args[0].width))
    if value.op == "choice":
        return choice(*args)
    if value.op == "~":
        return unary("~", args[0])
    if value.op == "signed":
        return Expr("signed", value.width, args)
    if value.op.startswith("r"):
        return reduced(value.op[1:], args[0])
    if value.op in ("<<", ">>", ">>>"):
        return shifted(value.op, *args)
    if value.op in ("<", "<=", ">", ">=") and "signed" in (args[0].op, args[1].op):
        return Expr(value.op, 1, args)
    return binary(value.op, *args)


def simplify(circuit: Circuit) -> None:
    """Inlines unnamed nets where they are read, in place."""
    counts = Counter(one.name for _, value in expressions(circuit) for one in all_nets(value))
    for name in [*circuit.nets]:
        if not circuit.nets[name].port and name not in counts and unnamed(name):
            circuit.assigned.pop(name, None)
    known: dict[str, Expr] = {}
    done: dict[Expr, Expr] = {}

    def put(value: Expr, most: int) -> Expr:
        if value.op == "net":
            return _replaced(value, most)
        if not value.args:
            return value
        if value in done and most == MOST:
            return done[value]
        most_of = [MOST, most, most] if value.op == "choice" else [MOST] * len(value.args)
        args = tuple(put(arg, limit) for arg, limit in zip(value.args, most_of, strict=True))
        result = value if args == value.args else _rebuilt(value, args)
        if most == MOST:
            done[value] = result
        return result

    def _replaced(value: Expr, most: int) -> Expr:
        name = value.name
        if name not in circuit.assigned or circuit.nets[name].port or "keep" in circuit.nets[name].attributes:
            return value
        if not unnamed(name):
            inner = circuit.assigned[name]
            return (part_of(inner, value.low, value.width) or value) if inner.constant else value
        if name not in known:
            known[name] = circuit.assigned[name] = put(circuit.assigned[name], most if counts[name] == 1 else MOST)
        inner = known[name]
        if counts[name] > 1 and inner.size > SHORT and inner.op != "const" or inner.size > most:
            return value
        # A shift of a signed value is only signed if it stands alone.
        found = None if inner.op == ">>>" else part_of(inner, value.low, value.width)
        return value if found is None else found

    _each(circuit, put)
    _shorten(circuit)


def _each(circuit: Circuit, put: Callable[[Expr, int], Expr]) -> None:
    """Rewrites all expressions.  Trees of choices in the data of a register may have any size."""
    for register in circuit.registers.values():
        register.data = put(register.data, 1 << 30)
        register.clock = put(register.clock, MOST)
        if register.reset is not None:
            register.reset = put(register.reset, MOST)
    for name in [*circuit.assigned]:
        circuit.assigned[name] = put(circuit.assigned[name], MOST)
    for read in circuit.reads.values():
        read.address, read.enable = put(read.address, MOST), put(read.enable, MOST)
        read.clock = None if read.clock is None else put(read.clock, MOST)
    for memory in circuit.memories.values():
        for write in memory.writes:
            write.address, write.data = put(write.address, MOST), put(write.data, MOST)
            write.enable, write.clock = put(write.enable, MOST), put(write.clock, MOST)
    for instance in circuit.instances.values():
        instance.inputs = {port: put(value, MOST) for port, value in instance.inputs.items()}


def _shorten(circuit: Circuit) -> None:
    """Removes unnamed nets that nothing reads any more."""
    while True:
        read = {one.name for _, value in expressions(circuit) for one in all_nets(value)}
        gone = [name for name in circuit.assigned if unnamed(name) and name not in read]
        if not gone:
            break
        for name in gone:
            del circuit.assigned[name]
            del circuit.nets[name]
    driven = {one.name for instance in circuit.instances.values() for value in instance.outputs.values() for one in all_nets(value)}
    keep = driven | set(circuit.assigned) | set(circuit.registers) | set(circuit.reads)
    circuit.nets = {name: one for name, one in circuit.nets.items() if name in keep or one.port or not unnamed(name)}


def drop_unused(circuits: list[Circuit], top: str) -> list[Circuit]:
    """Removes nets, instances and ports on which nothing depends.  Simplified expressions may read less than before."""
    changed = True
    while changed:
        needed = {circuit.name: _needed(circuit, top) for circuit in circuits}
        changed = any([_drop(circuit, needed, top) for circuit in circuits])
        used = {top, *(instance.module for circuit in circuits for instance in circuit.instances.values())}
        circuits = [circuit for circuit in circuits if circuit.name in used]
        for circuit in circuits:
            if circuit.name == top:
                continue
            read = {port for other in circuits for one in other.instances.values() if one.module == circuit.name for port in one.outputs}
            for port in circuit.ports("output"):
                if port not in read:
                    circuit.nets[port].port = ""
                    changed = True
    return circuits


def _drop(circuit: Circuit, needed: Mapping[str, set[str]], top: str) -> bool:
    """Removes from a circuit what it does not need, and connections to ports that no module needs.  Returns whether there was anything."""
    live, changed = needed[circuit.name], False
    for where in (circuit.assigned, circuit.registers, circuit.reads, circuit.memories, circuit.instances):
        for name in [name for name in where if name not in live]:
            del where[name]
            changed = True
    for name in [name for name, one in circuit.nets.items() if name not in live and not (one.port and circuit.name == top)]:
        del circuit.nets[name]
        changed = True
    for instance in circuit.instances.values():
        there = needed[instance.module]
        unread = [port for port, value in instance.outputs.items() if not any(one.name in live for one in all_nets(value))]
        for ports, gone in ((instance.inputs, [port for port in instance.inputs if port not in there]), (instance.outputs, unread)):
            for port in gone:
                del ports[port]
                changed = True
    return changed


def _needed(circuit: Circuit, top: str) -> set[str]:
    """Names of nets, memories and instances on which an output depends."""
    needs: dict[str, set[str]] = {}
    for name, value in expressions(circuit):
        needs.setdefault(name, set()).update(one.name for one in all_nets(value))
    for name, read in circuit.reads.items():
        needs[name].add(read.memory)
    for name, instance in circuit.instances.items():
        inputs = {one.name for value in instance.inputs.values() for one in all_nets(value)}
        outputs = {one.name for value in instance.outputs.values() for one in all_nets(value)}
        # An instance is live if one of its outputs is live.
        needs.setdefault(name, set()).update(inputs)
        for output in outputs:
            needs.setdefault(output, set()).add(name)
    work = circuit.ports() if circuit.name == top else circuit.ports("output")
    live: set[str] = set()
    while work:
        name = work.pop()
        if name not in live:
            live.add(name)
            work += needs.get(name, ())
    return live


_WORDS = {
    **BITWISE, "+": "sum", "-": "difference", "*": "product", "~": "complement", "==": "is", "!=": "is_not", "<": "below", "<=": "up_to",
    ">": "above", ">=": "from", "r&": "all", "r|": "any", "r^": "parity", "choice": "choice", "<<": "shifted", ">>": "shifted",
    ">>>": "shifted", "concat": "word", "repeat": "mask", "net": "copy", "const": "constant", "signed": "signed",
}  # fmt: skip


def name_the_rest(circuit: Circuit) -> dict[str, str]:
    """New names for unnamed nets, from the first named net that depends on the net and from the operation."""
    rest = [name for name in circuit.nets if unnamed(name)]
    if not rest:
        return {}
    readers: dict[str, str] = {}
    for target, value in expressions(circuit):
        for one in all_nets(value):
            if unnamed(one.name):
                readers.setdefault(one.name, target)
    taken = {name.removeprefix("\\") for name in (*circuit.nets, *circuit.memories, *circuit.instances)}
    names: dict[str, str] = {}
    for name in rest:
        target, seen = readers.get(name, ""), {name}
        while unnamed(target) and target not in seen:
            seen.add(target)
            target = readers.get(target, "")
        base = "net" if unnamed(target) or not target else target.removeprefix("\\").removesuffix("_reg")
        word = _WORDS[circuit.assigned[name].op] if name in circuit.assigned else "late" if name in circuit.registers else "part"
        new, number = f"{base}_{word}", 1
        while new in taken:
            number += 1
            new = f"{base}_{word}_{number}"
        taken.add(new)
        names[name] = "\\" + new
    return names


class Values:
    """Puts expressions in the places of nets.

    Parameters
    ----------
    values : mapping
        By names of nets; each can be cut into its bits, as signals can.
    """

    def __init__(self, values: Mapping[str, Expr]) -> None:
        self.values = values
        self._done: dict[Expr, Expr] = {}

    def __call__(self, value: Expr, most: int = 0) -> Expr:
        """An expression with them."""
        if value.op == "net":
            found = self.values.get(value.name)
            return value if found is None else part_of(found, value.low, value.width) or value
        if not value.args:
            return value
        if value not in self._done:
            args = tuple(self(arg) for arg in value.args)
            self._done[value] = value if args == value.args else _rebuilt(value, args)
        return self._done[value]


def put_everywhere(circuit: Circuit, values: Mapping[str, Expr]) -> None:
    """Puts expressions in the places of nets in all that reads them, in place; the nets stay."""
    _each(circuit, Values(values))


def rename(circuit: Circuit, names: dict[str, str]) -> None:
    """Gives nets new names, in place."""
    if not names:
        return
    done: dict[Expr, Expr] = {}

    def put(value: Expr, most: int = 0) -> Expr:
        if value.op == "net":
            return Expr("net", value.width, name=names.get(value.name, value.name), low=value.low)
        if not value.args:
            return value
        if value not in done:
            args = tuple(put(arg) for arg in value.args)
            done[value] = value if args == value.args else Expr(value.op, value.width, args, value.name, value.low)
        return done[value]

    _each(circuit, put)
    for instance in circuit.instances.values():
        instance.outputs = {port: put(value) for port, value in instance.outputs.items()}
    circuit.nets = {names.get(name, name): one for name, one in circuit.nets.items()}
    circuit.assigned = {names.get(name, name): value for name, value in circuit.assigned.items()}
    circuit.registers = {names.get(name, name): value for name, value in circuit.registers.items()}
    circuit.reads = {names.get(name, name): value for name, value in circuit.reads.items()}
