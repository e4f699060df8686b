# SPDX-License-Identifier: Apache-2.0
"""Equal parts of a design become one module: modules that differ only in their names, tables, and work on bytes."""

from __future__ import annotations

import re
from itertools import count

from modeloom_verilog.circuit import Circuit, Instance, Memory, Net, Read, Register
from modeloom_verilog.expressions import Expr, concat, const, net, part, part_of
from modeloom_verilog.rtlil import RtlilModule, render
from modeloom_verilog.simplify import Values, put_everywhere, rename

__all__ = ["TABLE", "WHOLE", "common", "copy_modules", "free_name", "share", "table_modules"]


# Replaces modules that differ only in their names by one module.  Two multipliers are then two instances of one module.

def share(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    """The modules without copies.  The instances are changed in place.

    The names of ports must be the same in equal modules.  ``names.plain_design`` ensures this.
    """
    groups: dict[str, list[str]] = {}
    first: dict[str, RtlilModule] = {}
    replaced: dict[str, str] = {}
    for module in _children_first(modules, top):
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = replaced[statement.type]
        body = render([RtlilModule("", module.attributes, module.statements)])
        first.setdefault(body, module)
        replaced[module.name] = first[body].name
        groups.setdefault(first[body].name, []).append(module.name)
    taken = {module.name for module in modules}
    names: dict[str, str] = {}
    for kept, members in groups.items():
        names[kept] = _common(members, taken) if len(members) > 1 else kept
        taken.add(names[kept])
    result = [module for module in modules if module.name in groups]
    for module in result:
        module.name = names[module.name]
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = names[statement.type]
    return result


def _children_first(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    by_name = {module.name: module for module in modules}
    found: dict[str, RtlilModule] = {}

    def visit(name: str) -> None:
        if name in found:
            return
        for statement in by_name[name].statements:
            if statement.instance:
                visit(statement.type)
        found[name] = by_name[name]

    visit(top)
    return list(found.values())


def common(members: list[str]) -> str | None:
    """The name of the first member, without the numbers in which the members differ.  None if they differ in more than numbers."""
    parts = [re.split(r"(\d+)", member) for member in members]
    if len({len(part) for part in parts}) > 1:
        return None
    columns = [set(column) for column in zip(*parts, strict=True)]
    if any(len(column) > 1 for column in columns[::2]):
        return None
    return "".join(column.pop() for column in columns if len(column) == 1)


def _common(members: list[str], taken: set[str]) -> str:
    """A name for a shared module: what is common to the names of all members."""
    name = common(members)
    if name is None:
        return members[0]
    for number in count(1):
        candidate = name if number == 1 else f"{name}_{number}"
        if candidate not in taken:
            return candidate
    raise AssertionError("one of the numbers is free")


# -- tables ------------------------------------------------------------------------------------------------------------------------

# Makes modules of tables, such as S-boxes: one module for each table, one instance for each look-up.
#
#     memory of 256 bytes, 16 read ports     ──▶     module TOP_aes_sbox: address, data
#                                                    aes_sbox_0_0 ... aes_sbox_0_15, instances of it
#     memory of 256 bytes, read by a clock   ──▶     module TOP_aes_sbox_bram: clk, address_0, address_1, data_0, data_1
#     at 2 ports                                     aes_sbox_bram_0, one instance: a block memory

TABLE = "table"
"""Attribute of a memory in a hardware description: the name of the table that it holds."""

WHOLE = "table_whole"
"""Attribute of such a memory: tools should map the module of the table by itself.  This holds for all places of the table."""

_CLOCK, _ADDRESS, _DATA = "\\clk", "\\address", "\\data"


def table_modules(circuits: list[Circuit], top: str) -> list[Circuit]:
    """The modules of all tables of a design.  The memories of the tables become instances of them, in place.

    A table that is read without a clock and has no name (``TABLE``) is named by its size.  Different tables with the same name get
    numbers.  A table without a name that is read by a clock stays where it is.
    """
    found: dict[tuple[object, ...], Circuit] = {}
    taken = {circuit.name for circuit in circuits}
    for circuit in circuits:
        places: dict[str, int] = {}
        names: dict[str, str] = {}
        taken_here = {*circuit.nets}
        for memory_name in [*circuit.memories]:
            memory = circuit.memories[memory_name]
            reads = {name: read for name, read in circuit.reads.items() if read.memory == memory_name}
            if memory.writes or not reads:
                continue
            label = memory.attributes.pop(TABLE, "").strip('"')
            alone = memory.attributes.pop(WHOLE, None) is not None
            clocked = [read.clock is not None for read in reads.values()]
            if any(clocked) and not (label and _by_one_clock(list(reads.values()))):
                continue
            label = label or f"table_{memory.depth}x{memory.width}"
            first = next(iter(reads.values()))
            # A memory that is read by a clock has as many ports as it has: two look-ups share it.
            groups = [list(reads)] if any(clocked) else [[name] for name in reads]
            size = (any(clocked), len(groups[0]), first.address.width, memory.width, memory.depth)
            key = (label, size, tuple(memory.words), tuple(sorted(memory.attributes.items())))
            if key not in found:
                found[key] = _module(free_name(f"\\{top}_{label}", taken), f"\\{label}", len(groups[0]), first, memory)
            found[key].whole_module |= alone
            place = places[label] = places.get(label, -1) + 1
            for i, group in enumerate(groups):
                name = f"{label}_{place}" if any(clocked) else f"{label}_{place}_{i}"
                instance = circuit.instances[f"\\{name}"] = Instance(found[key].name, f"\\{name}")
                if first.clock is not None:
                    instance.inputs[_CLOCK] = first.clock
                for port, data in enumerate(group):
                    number = f"_{port}" if len(group) > 1 else ""
                    if re.fullmatch(r"\\port_data(_\d+)?|\$.*", data):
                        names[data] = free_name(f"\\{name}_data{number}", taken_here)
                    instance.inputs[_ADDRESS + number] = circuit.reads.pop(data).address
                    instance.outputs[_DATA + number] = net(data, memory.width)
            del circuit.memories[memory_name]
        rename(circuit, names)
    return list(found.values())


def _by_one_clock(reads: list[Read]) -> bool:
    """Whether reads have one clock, and read in every cycle."""
    first = reads[0]
    return all(
        (read.clock, read.rising) == (first.clock, True) and read.enable.constant and "0" not in read.enable.name for read in reads
    )  # fmt: skip


def free_name(name: str, taken: set[str]) -> str:
    """A name that is not used yet.  It is added to those that are taken."""
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    taken.add(new)
    return new


def _module(name: str, words: str, ports: int, read: Read, memory: Memory) -> Circuit:
    """The module of a table with so many ports, which are read as *read* is.  ``words`` is the name of the memory in it."""
    bits = read.address.width
    numbers = [f"_{port}" for port in range(ports)] if ports > 1 else [""]
    clock = None if read.clock is None else net(_CLOCK, 1)
    nets = {_CLOCK: Net(1, "input")} if clock is not None else {}
    nets |= {_ADDRESS + number: Net(bits, "input") for number in numbers}
    nets |= {_DATA + number: Net(memory.width, "output") for number in numbers}
    return Circuit(
        name,
        nets,
        reads={_DATA + number: Read(words, net(_ADDRESS + number, bits), const(1, 1), clock, True) for number in numbers},
        memories={words: Memory(memory.width, memory.depth, dict(memory.attributes), list(memory.words))},
    )  # fmt: skip


# -- copies ------------------------------------------------------------------------------------------------------------------------

# Modules that do the same to each byte of a word become one module for a byte, with an instance for each.
#
# Hardware is described for all bytes at once, gate by gate, each gate as wide as there are bytes: this is sixteen times less to elaborate
# and to simulate.  A reader, and a tool that maps an S-box by itself, wants one S-box:
#
#     module of 16 bytes, xor_9[15:0] = ...     ──▶     module TOP_aes_sbox_compact: i, o, xor_9 = ...
#                                                       aes_sbox_compact_0_0 ... aes_sbox_compact_0_15, instances of it
#
# Two wires of the module say which bytes are meant, by attributes.  That the circuit treats all bytes alike is not believed but compared,
# byte by byte.

_BITS = 8
_IN, _OUT = "\\i", "\\o"


def copy_modules(circuits: list[Circuit], top: str) -> list[Circuit]:
    """The modules of a design, each that has a wire with the attribute ``bytes`` replaced by one for a byte.

    The value of the attribute names the new module.  Those that are equal are one, whatever number of bytes they were described for.

    Parameters
    ----------
    circuits : list of Circuit
        Those around the replaced modules are changed in place.
    top : str
        Name of the top, without backslash; the new names begin with it.

    Raises
    ------
    ValueError
        The bytes are not treated alike, or depend on each other.
    """
    words = {circuit.name: _Word(circuit) for circuit in circuits if any("bytes" in one.attributes for one in circuit.nets.values())}
    taken = {circuit.name for circuit in circuits}
    known: dict[tuple[object, ...], Circuit] = {}
    copied: dict[str, Circuit] = {}
    for name, word in words.items():
        one = word.one_byte()
        key = (word.label, *_key(one))
        if key not in known:
            one.name = free_name(f"\\{top}_{word.label}", taken)
            known[key] = one
        copied[name] = known[key]
    rest = [circuit for circuit in circuits if circuit.name not in words]
    for circuit in rest:
        _replace(circuit, words, copied)
    return [*rest, *known.values()]


def _replace(circuit: Circuit, words: dict[str, _Word], copied: dict[str, Circuit]) -> None:
    """Puts instances for each byte in the places of those for all; they are named by the place, and the byte."""
    instances: dict[str, Instance] = {}
    places: dict[str, int] = {}
    taken = {*circuit.instances, *circuit.nets}
    values: dict[str, Expr] = {}
    for name, whole in circuit.instances.items():
        if whole.module not in copied:
            instances[name] = whole
            continue
        word, one = words[whole.module], copied[whole.module]
        place = places[word.label] = places.get(word.label, -1) + 1
        result = net(free_name(f"\\{word.label}_{place}_bytes", taken), word.behind.width)
        circuit.nets[result.name] = Net(result.width)
        before = Values(whole.inputs)(word.before)
        for at in range(result.width // _BITS):
            instance = Instance(one.name, free_name(f"\\{word.label}_{place}_{at}", taken), {}, {_OUT: _byte(result, at)})
            for port in one.ports("input"):
                instance.inputs[port] = _byte(before, at) if port == _IN else whole.inputs[port]
            instances[instance.name] = instance
        for port, value in whole.outputs.items():
            if value.op != "net" or value.width != circuit.nets[value.name].width:
                raise ValueError(f"{circuit.name.removeprefix(chr(92))}: a part of a net is driven by bytes of {word.label}")
            values[value.name] = word.found(port, result)
    circuit.instances = instances
    if values:
        put_everywhere(circuit, values)
        for name, value in values.items():
            if circuit.nets[name].port:
                circuit.assigned[name] = value
            else:
                del circuit.nets[name]


def _byte(value: Expr, at: int) -> Expr:
    found = part_of(value, _BITS * at, _BITS)
    assert found is not None, "what is at a port is a signal"
    return found


def _key(circuit: Circuit) -> tuple[object, ...]:
    """What makes two circuits equal but for their names."""
    nets = tuple((name, one.width, one.port, *sorted(one.attributes.items())) for name, one in circuit.nets.items())
    registers = tuple((name, one.data, one.clock, one.rising) for name, one in circuit.registers.items())
    return nets, tuple(circuit.assigned.items()), registers


Bit = tuple[str, int]
"""A net and one of its bits."""


class _Word:
    """A module that does the same to each byte of ``before``, which gives ``behind``."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit, self.what = circuit, circuit.name.removeprefix("\\")
        if circuit.memories or circuit.instances or any(one.reset is not None for one in circuit.registers.values()):
            raise ValueError(f"{self.what}: a module for bytes has no memories, instances and asynchronous resets")
        marks = {mark: [name for name, one in circuit.nets.items() if mark in one.attributes] for mark in ("bytes_of", "bytes")}
        self.label = circuit.nets[marks["bytes"][0]].attributes["bytes"].strip('"')
        self.before, self.behind = (self._value(names[0]) for names in marks.values())
        for names in marks.values():
            for name in names:
                del circuit.nets[name].attributes["bytes" if name in marks["bytes"] else "bytes_of"]
        if self.before.width != self.behind.width or self.before.width % _BITS:
            raise ValueError(f"{self.what}: bytes of {self.before.width} bits, and of {self.behind.width}")
        self.places: dict[Bit, list[int]] = {}
        for place, bit in enumerate(_bits(self.before)):
            self.places.setdefault(self._root(bit), []).append(place)

    def _value(self, name: str) -> Expr:
        """What a wire is: itself, or what it is another name for."""
        return self.circuit.assigned.get(name, self.circuit.whole(name))

    def _root(self, bit: Bit) -> Bit:
        """The bit of the net for which another net is only a name."""
        name, at = bit
        while (value := self.circuit.assigned.get(name)) is not None:
            one = part_of(value, at, 1)
            if one is None or one.op != "net":
                break
            name, at = one.name, one.low
        return name, at

    def found(self, port: str, result: Expr) -> Expr:
        """The bits of a port, in the word of all results."""
        places = {self._root(bit): place for place, bit in enumerate(_bits(self.behind))}
        bits = [places.get(self._root((port, bit))) for bit in reversed(range(self.circuit.nets[port].width))]
        if any(place is None for place in bits):
            raise ValueError(f"{self.what}: {port.removeprefix(chr(92))} is no byte of {self.label}")
        return concat([part(result.name, place, 1) for place in bits if place is not None])

    def one_byte(self) -> Circuit:
        """The module for one byte: that of byte 0, after it is compared with that of each other."""
        first = _Byte(self, 0)
        for at in range(1, self.behind.width // _BITS):
            if _key(_Byte(self, at).result) != _key(first.result):
                raise ValueError(f"{self.what}: byte {at} is not computed as byte 0 is")
        # Names of the hardware description, where there is one.
        taken = {*first.result.ports("input"), _OUT}
        names = {local: free_name(name, taken) for local, (name, _, _) in first.origin.items() if name.startswith("\\")}
        rename(first.result, names)
        return first.result


class _Byte:
    """The part of a module on which one byte of its results depends, with nets that are numbered in the order in which they are met."""

    def __init__(self, word: _Word, at: int) -> None:
        self.word, self.circuit, self.at = word, word.circuit, at
        self.result = Circuit(word.circuit.name, {_IN: Net(_BITS, "input"), _OUT: Net(_BITS, "output")})
        self.local: dict[tuple[str, int, int], str] = {}
        self.origin: dict[str, tuple[str, int, int]] = {}
        self.result.assigned[_OUT] = self._of_byte(_byte(word.behind, at))
        done = 0
        while done < len(self.origin):
            name = f"${done}"
            self._drive(name, *self.origin[name])
            done += 1
        index = {name: i for i, name in enumerate(word.circuit.nets)}
        inner = sorted(self.origin, key=lambda local: (index[self.origin[local][0]], self.origin[local][1]))
        ports = sorted(self.result.ports("input"), key=lambda name: (name != "\\clk", name != _IN, name))
        order = [*ports, _OUT, *inner]
        self.result.nets = {name: self.result.nets[name] for name in order}

    def _drive(self, local: str, name: str, low: int, width: int) -> None:
        if name in self.circuit.assigned:
            self.result.assigned[local] = self._of_byte(self._part(self.circuit.assigned[name], low, width))
        elif name in self.circuit.registers:
            register = self.circuit.registers[name]
            data = self._of_byte(self._part(register.data, low, width))
            self.result.registers[local] = Register(data, self._of_byte(register.clock), register.rising)
        else:
            raise ValueError(f"{self.word.what}: nothing drives {name.removeprefix(chr(92))}")

    def _part(self, value: Expr, low: int, width: int) -> Expr:
        found = part_of(value, low, width)
        if found is None:
            raise ValueError(f"{self.word.what}: bytes depend on each other by {value.op}")
        return found

    def _of_byte(self, value: Expr) -> Expr:
        """An expression of this byte's nets."""
        if value.op == "net":
            return self._net(value)
        if not value.args:
            return value
        return Expr(value.op, value.width, tuple(self._of_byte(arg) for arg in value.args), value.name, value.low)

    def _net(self, value: Expr) -> Expr:
        one = self.circuit.nets[value.name]
        bits = _bits(value)
        if bits[0] in self.word.places:
            return concat([self._input(bit) for bit in reversed(bits)])
        if one.port == "input":
            if one.width != 1:
                raise ValueError(f"{self.word.what}: {value.name.removeprefix(chr(92))} is neither a byte nor a bit for all bytes")
            self.result.nets.setdefault(value.name, Net(1, "input"))
            return value
        place = (value.name, value.low, value.width)
        if place not in self.local:
            local = self.local[place] = f"${len(self.local)}"
            self.origin[local] = place
            attributes = dict(one.attributes)
            if "init" in attributes:
                start = attributes["init"].partition("'")[2]
                end = one.width - value.low
                attributes["init"] = f"{value.width}'{start[end - value.width : end]}"
            self.result.nets[local] = Net(value.width, "", attributes)
        return net(self.local[place], value.width)

    def _input(self, bit: Bit) -> Expr:
        """A bit of the word that comes in, as one of this byte."""
        own = [place - _BITS * self.at for place in self.word.places.get(bit, ()) if place // _BITS == self.at]
        if not own:
            raise ValueError(f"{self.word.what}: byte {self.at} depends on another one")
        return part(_IN, own[0], 1)


def _bits(value: Expr) -> list[Bit]:
    """The bits of a signal, the least significant one first; those of a constant have no net."""
    if value.op == "concat":
        return [bit for one in reversed(value.args) for bit in _bits(one)]
    if value.op == "repeat":
        return _bits(value.args[0]) * (value.width // value.args[0].width)
    if value.op == "net":
        return [(value.name, value.low + bit) for bit in range(value.width)]
    return [("", 0)] * value.width
