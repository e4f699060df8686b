# SPDX-License-Identifier: Apache-2.0
"""Names in emitted Verilog: plain names for all objects, and names that end in ``_reg`` for registers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from modeloom_verilog.rtlil import RtlilModule, Statement, names_in, sigspec_end

__all__ = ["KEYWORDS", "UNNAMED", "name_ports", "name_registers", "name_the_unnamed", "plain_design", "plain_name"]

KEYWORDS = frozenset(
    "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof "
    "bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context "
    "continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase "
    "endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive "
    "endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern final "
    "first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone "
    "ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer "
    "interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint "
    "macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 "
    "null or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown "
    "pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg "
    "reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until "
    "s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static string "
    "strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time "
    "timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned "
    "until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire "
    "with within wor xnor xor".split()
)
"""Reserved words of IEEE 1364-2005 and 1800-2017."""

# Plain Verilog names for all named objects of a design.
#
#     \key_busy$104    ──▶  key_busy            \port$4127$0  ──▶  p3 (its place among the ports, if ``unnamed`` finds no name)
#     \s__payload.data ──▶  s_payload_data      \final        ──▶  final_v (a keyword of SystemVerilog)

_UNNAMED = re.compile(r"port\$\d+(\$\d+)?|U\$\d+")


def plain_name(name: str, place: int, kind: str) -> str:
    """A name of letters, digits and single underscores.  Objects without a name are named by ``kind`` and ``place``."""
    if _UNNAMED.fullmatch(name):
        return f"{kind}{place}"
    new = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or f"{kind}{place}"
    if new[0].isdigit():
        new = f"{kind}{new}"
    return f"{new}_v" if new in KEYWORDS else new


def plain_design(modules: list[RtlilModule]) -> None:
    """Renames modules and their wires, memories and instances, in place.  Names stay unique in their module.

    Raises ``ValueError`` if two modules would get the same name.
    """
    module_names = {module.name: "\\" + plain_name(module.name[1:], i, "module") for i, module in enumerate(modules)}
    if len(set(module_names.values())) != len(modules):
        raise ValueError("two modules would have the same name")
    ports = {module.name: module.ports() for module in modules}
    maps = {module.name: _names(module, ports) for module in modules}
    for module in modules:
        names = maps[module.name]
        for statement in module.statements:
            for line in statement.lines:
                if line[0] == "parameter":
                    if line[-2] == "\\MEMID":
                        old = line[-1].strip('"').replace("\\\\", "\\")
                        line[-1] = '"' + names[old].replace("\\", "\\\\") + '"'
                    continue
                # In a cell, the second token is a type or port, which belongs to another namespace.
                own = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
                if statement.instance and line[0] == "connect":
                    line[1] = maps[statement.type].get(line[1], line[1])
                line[own:] = [names.get(token, token) for token in line[own:]]
    for module in modules:
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = module_names[statement.type]
        module.name = module_names[module.name]


def _names(module: RtlilModule, ports: dict[str, dict[str, str]]) -> dict[str, str]:
    """New names for the public objects of a module.  Ports are named first, because they are visible from outside."""
    places = {name: i for i, name in enumerate(module.ports())}
    named = module.of_kind("wire", "memory", "cell")
    taken: set[str] = set()
    result: dict[str, str] = {}

    def give(statement: Statement, place: int, kind: str, name: str = "") -> None:
        old = statement.name
        if not old.startswith("\\") and not name:
            return
        numbered = _NUMBERED.fullmatch(old[1:])
        base = new = plain_name(name or (numbered[1] if numbered and numbered[1] not in ("port", "U") else old[1:]), place, kind)
        number = 2
        while new in taken:
            new, number = f"{base}_{number}", number + 1
        taken.add(new)
        result[old] = "\\" + new

    for statement in named:
        if statement.name in places:
            give(statement, places[statement.name], "p")
    homes = _homes(module, ports)
    for i, statement in enumerate(named):
        if statement.name in places:
            continue
        home = homes.get(statement.name)
        if home is not None:
            give(statement, i, "", home)
        else:
            give(statement, i, {"wire": "w", "memory": "memory", "cell": "u"}[statement.kind])
    return result


_NUMBERED = re.compile(r"(.*?)\$\d+")
_PORTS = {"\\DATA": "data", "\\ADDR": "addr", "\\EN": "en"}


def _homes(module: RtlilModule, ports: dict[str, dict[str, str]]) -> dict[str, str]:
    """Names of the form INSTANCE_PORT or MEMORY_PORT for wires whose name is that of a port of an instance or memory, or is not unique.

    Registers, and ports of the module itself, keep their names.  A wire that an instance drives is named after this instance.
    """
    registers = {token for cell in module.of_kind("cell") if cell.type in ("$dff", "$adff") for token in _signal(cell, "\\Q")}
    own = set(module.ports())
    found: dict[str, str] = {}

    def give(net: str, home: str, port: str, always: bool) -> None:
        numbered = _NUMBERED.fullmatch(net[1:])
        bare = numbered[1] if numbered else net[1:]
        if (net.startswith("\\") or always) and net not in own and net not in registers and (always or numbered or bare == port):
            found.setdefault(net, f"{home}_{port}")

    for drives in (True, False):
        for cell in module.of_kind("cell"):
            for connection in cell.connections():
                tokens = connection.signal
                if len(tokens) > 2 or not tokens or tokens[0][0] not in "\\$":
                    continue
                if cell.instance and (ports[cell.type].get(connection.port) == "output") == drives:
                    give(tokens[0], cell.name[1:], connection.port[1:], drives)
                elif cell.type.startswith("$mem") and (cell.type.startswith("$memrd") and connection.port == "\\DATA") == drives:
                    memory = (cell.parameter("\\MEMID") or "").strip('"').replace("\\\\", "\\")
                    if connection.port in _PORTS and memory and not memory.startswith("\\U$"):
                        side = "read" if cell.type.startswith("$memrd") else "write"
                        give(tokens[0], memory[1:], f"{side}_{_PORTS[connection.port]}", False)
    return found


def _signal(cell: Statement, port: str) -> list[str]:
    return next((connection.signal for connection in cell.connections() if connection.port == port), [])


# -- registers ---------------------------------------------------------------------------------------------------------------------

# Gives registers the names that end in ``_reg``.
#
# If several signals are the same net, Amaranth takes the name of the first.  For a register this can be one that only reads it:
#
#     a <= ...;  column_0_reg = a          ──▶   column_0_reg <= ...

_REGISTER = re.compile(r".*_reg(\$\d+)?")


def name_registers(modules: list[RtlilModule]) -> None:
    """Renames registers of all modules that are no ports, in place."""
    for module in modules:
        ports = module.ports()
        wires = {wire.name: wire for wire in module.of_kind("wire")}
        slices = {name: f"[{_width(wire.lines[0]) - 1}:0]" for name, wire in wires.items()}
        aliases: dict[str, str] = {}
        for statement in module.of_kind("connect"):
            alias, *signal = statement.lines[0][1:]
            if _whole(signal, slices) and _REGISTER.fullmatch(alias) and alias in wires and alias not in ports:
                aliases.setdefault(signal[0], alias)
        new: dict[str, str] = {}
        for cell in module.of_kind("cell"):
            if cell.type in ("$dff", "$adff"):
                signal = next(connection.signal for connection in cell.connections() if connection.port == "\\Q")
                if _whole(signal, slices) and signal[0] in aliases and signal[0] not in ports and not _REGISTER.fullmatch(signal[0]):
                    new[signal[0]] = aliases[signal[0]]
        if new:
            _apply(module, new)


def _width(line: list[str]) -> int:
    return int(line[line.index("width") + 1]) if "width" in line else 1


def _whole(signal: list[str], slices: dict[str, str]) -> bool:
    """Whether tokens name all bits of one wire."""
    if signal[0] not in slices:
        return False
    return len(signal) == 1 or len(signal) == 2 and signal[1] in (slices[signal[0]], "[0]" if slices[signal[0]] == "[0:0]" else "")


def _apply(module: RtlilModule, new: dict[str, str]) -> None:
    """Puts new names in the place of old ones; the wires that had them go."""
    gone = set(new.values())
    module.statements = [
        statement
        for statement in module.statements
        if not (statement.kind == "wire" and statement.name in gone or statement.kind == "connect" and statement.lines[0][1] in gone)
    ]
    for statement in module.statements:
        for line in statement.lines:
            if line[0] != "parameter":
                start = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
                line[start:] = [new.get(token, token) for token in line[start:]]


# -- ports -------------------------------------------------------------------------------------------------------------------------------

# The ports of modules have the names of the ports of their components; other ports are named after what they are equal to.

# Names ports that no signal of their component or of the module around it is equal to.  Amaranth makes them of parts of signals, such as
# slices of a sum, and numbers them.  They are named after the signal that has their bits, or after the port of an instance at the other
# end:
#
#     module multiplier:  o = { $1465, ..., $1462 },  port$6523$0 = $1462      ──▶   o_31_0
#     module lines:       port$3531$0 = i[95:0], where i goes to add0          ──▶   add0_i_95_0
#     module lines:       port$3551$0 = $470, from the output total of add0    ──▶   add0_total_out

UNNAMED = re.compile(r"\\port(\$\d+)*")
"""Ports that Amaranth has numbered."""

# Gives the ports of modules the names of the ports of the components.
#
# Amaranth names a port after the first signal that it finds on its net, or does not name it.  Both the module of a component and the module
# around it have a signal for the port of the component.  The name that is common to both modules is therefore the name of the port:
#
#     module mul0:    y_reg, y          module engine:  y, mul0_post_r0          ──▶   y

_NUMBER = re.compile(r"\$\d+")

Bit = tuple[str, int]
"""A wire and one of its bits."""


def name_the_unnamed(modules: list[RtlilModule], top: str) -> None:
    """Renames such ports of all modules except ``top``, in place.  Each module has one instance."""
    by_name = {module.name: module for module in modules}
    parents = {one.type: (module, one) for module in modules for one in module.of_kind("cell") if one.instance}
    known: dict[str, _Signals] = {}

    def signals(module: RtlilModule) -> _Signals:
        if module.name not in known:
            known[module.name] = _Signals(module, by_name)
        return known[module.name]

    for name in _children_first(top, by_name):
        module = by_name[name]
        ports = [port for port in module.ports() if UNNAMED.fullmatch(port)]
        if name == top or not ports:
            continue
        parent, instance = parents[name]
        outside = {one.port: one.signal for one in instance.connections()}
        taken = {wire.name for wire in module.of_kind("wire")}
        new: dict[str, str] = {}
        for port in ports:
            inside, around, signal = signals(module), signals(parent), outside[port]
            found = inside.name([port]) or around.name(signal)
            if not found and (found := inside.end([port]) or around.end(signal, instance.name)):
                # The wire at the port of the instance gets this name without the direction.
                found += "_in" if module.ports()[port] == "input" else "_out"
            found = found or inside.name([port], numbered=True) or around.name(signal, numbered=True) or inside.near([port])
            if found:
                new[port] = _free(found, taken)
        _rename(module, new)
        for line in instance.lines[1:]:
            if line[0] == "connect":
                line[1] = new.get(line[1], line[1])
        # Both have the old names.
        known.pop(name, None)
        known.pop(parent.name, None)


def _children_first(top: str, by_name: dict[str, RtlilModule]) -> list[str]:
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        for cell in by_name[name].of_kind("cell"):
            if cell.instance and cell.type in by_name and cell.type not in found:
                visit(cell.type)
        found[name] = None

    visit(top)
    return list(found)


def _free(name: str, taken: set[str]) -> str:
    new, number = name, 2
    while new in taken:
        new, number = f"{name}_{number}", number + 1
    taken.add(new)
    return new


def _rename(module: RtlilModule, new: dict[str, str]) -> None:
    for statement in module.statements if new else ():
        for line in statement.lines:
            # In a cell, the second token is a type or a port, which belongs to another name space.
            start = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
            if line[0] != "parameter":
                line[start:] = [new.get(token, token) for token in line[start:]]


class _Signals:
    """What the signals of a module are called."""

    def __init__(self, module: RtlilModule, by_name: dict[str, RtlilModule]) -> None:
        self.module = module
        self.width: dict[str, int] = {}
        for wire in module.of_kind("wire"):
            line = wire.lines[0]
            self.width[wire.name] = int(line[line.index("width") + 1]) if "width" in line else 1
        self.same: dict[str, list[Bit]] = {}
        for statement in module.of_kind("connect"):
            tokens = statement.lines[0]
            middle = sigspec_end(tokens, 1)
            if middle == 2:
                self.same[tokens[1]] = self.bits(tokens[middle:])
        self.directions = {name: one.ports() for name, one in by_name.items()}
        ports = module.ports()
        # Ports first, then signals whose names have no number.
        named = [name for name in self.width if name.startswith("\\") and not UNNAMED.fullmatch(name)]
        self.named = sorted(named, key=lambda name: (name not in ports, bool(_NUMBER.search(name))))
        self.where: dict[Bit, list[str]] = {}
        self.roots = {name: [self.root((name, at)) for at in range(self.width[name])] for name in self.named}
        for name, bits in self.roots.items():
            for bit in dict.fromkeys(bits):
                self.where.setdefault(bit, []).append(name)
        # A wire with the name of the port of an instance at which it is gets the name of the instance, too (``names``).
        self.home: dict[str, str] = {}
        for cell in module.of_kind("cell"):
            for one in cell.connections() if cell.instance else ():
                signal = one.signal[0]
                if signal in self.roots and signal not in ports and _NUMBER.sub("", signal) == one.port:
                    self.home.setdefault(signal, f"{cell.name}_{one.port[1:]}")

    def bits(self, tokens: list[str]) -> list[Bit]:
        """The bits of a signal, the least significant one first; those of a constant have no wire."""
        if tokens[0] == "{":
            parts, at = [], 1
            while tokens[at] != "}":
                end = sigspec_end(tokens, at)
                parts.append(self.bits(tokens[at:end]))
                at = end
            return [bit for part in reversed(parts) for bit in part]
        if tokens[0][0] not in "\\$":
            return [("", 0)] * int(tokens[0].partition("'")[0])
        if len(tokens) == 1:
            return [(tokens[0], at) for at in range(self.width[tokens[0]])]
        high, _, low = tokens[1][1:-1].partition(":")
        return [(tokens[0], at) for at in range(int(low or high), int(high) + 1)]

    def root(self, bit: Bit) -> Bit:
        """The bit for which this one is another name."""
        while bit[0] in self.same:
            bit = self.same[bit[0]][bit[1]]
        return bit

    def name(self, signal: list[str], numbered: bool = False) -> str:
        """The signal that is equal to this one, or of which this one is a run of bits.  ``numbered`` allows names that are not unique."""
        wanted = [self.root(bit) for bit in self.bits(signal)]
        for name in self.where.get(wanted[0], ()) if wanted[0][0] else ():
            bits = self.roots[name]
            for low, bit in enumerate(bits):
                if bit == wanted[0] and bits[low : low + len(wanted)] == wanted:
                    bare = self.home.get(name, name)
                    if _NUMBER.search(bare) and not numbered:
                        break
                    bare = _NUMBER.sub("", bare)
                    return bare if len(wanted) == len(bits) else f"{bare}_{low + len(wanted) - 1}_{low}"
        return ""

    def end(self, signal: list[str], own: str = "") -> str:
        """The port of an instance that drives the signal, or else of one but ``own`` that it goes to: INSTANCE_PORT."""
        wanted = [self.root(bit) for bit in self.bits(signal)]
        for drives in (True, False):
            for cell in self.module.of_kind("cell"):
                if not cell.instance or cell.name == own:
                    continue
                for one in cell.connections():
                    output = self.directions[cell.type].get(one.port) == "output"
                    if output == drives and not UNNAMED.fullmatch(one.port) and wanted[0] in map(self.root, self.bits(one.signal)):
                        return f"{_NUMBER.sub('', cell.name)}_{_NUMBER.sub('', one.port[1:])}"
        return ""

    def near(self, signal: list[str]) -> str:
        """The first named signal from which this one is computed, or that is computed from it: NAME_value or NAME_part."""
        start = {name for name, _ in map(self.root, self.bits(signal)) if name} | set(names_in(signal[:1]))
        for forward in (False, True):
            seen, at = set(start), set(start)
            while at:
                found = {name for inputs, outputs in self._edges() if at & (inputs if forward else outputs)
                         for name in (outputs if forward else inputs)} - seen  # fmt: skip
                named = [name for name in self.named if name in found]
                if named:
                    return f"{_NUMBER.sub('', named[0])}_{'part' if forward else 'value'}"
                seen |= found
                at = found
        return ""

    def _edges(self) -> Iterator[tuple[set[str], set[str]]]:
        for statement in self.module.statements:
            if statement.kind == "connect":
                tokens = statement.lines[0]
                middle = sigspec_end(tokens, 1)
                yield names_in(tokens[middle:]), names_in(tokens[1:middle])
            elif statement.kind == "process":
                sources: set[str] = set()
                targets: set[str] = set()
                for tokens in statement.lines[1:]:
                    if tokens[0] == "assign":
                        middle = sigspec_end(tokens, 1)
                        targets |= names_in(tokens[1:middle])
                        sources |= names_in(tokens[middle:])
                    elif tokens[0] == "switch":
                        sources |= names_in(tokens[1:])
                yield sources, targets
            elif statement.kind == "cell":
                sources, targets = set(), set()
                for one in statement.connections():
                    output = self.directions[statement.type].get(one.port) == "output" if statement.instance else one.port in ("\\Y", "\\Q")
                    (targets if output else sources).update(names_in(one.signal))
                yield sources, targets


# -- members -----------------------------------------------------------------------------------------------------------------------

_LAST_NUMBER = re.compile(r"\$\d+$")

Place = tuple[str, int, int]


def name_ports(modules: list[RtlilModule], top: str) -> None:
    """Renames the ports of all modules except ``top``, in place.  Each module has one instance.

    If the net of an output has its own name in the module, for instance the name of a register, it keeps this name beside the port.
    """
    by_name = {module.name: module for module in modules}
    parents = {one.type: (module, one) for module in modules for one in module.of_kind("cell") if one.instance}
    aliases = {module.name: _aliases(module) for module in modules}
    renamed: dict[str, dict[str, str]] = {}
    for name, (parent, instance) in parents.items():
        if name == top or name not in by_name:
            continue
        module = by_name[name]
        renamed[name] = _new_names(module, parent, instance, aliases)
        _apply_of_ports(module, module.ports(), renamed[name])
    for module in modules:
        for statement in module.of_kind("cell"):
            if statement.instance:
                for line in statement.lines[1:]:
                    if line[0] == "connect":
                        line[1] = renamed.get(statement.type, {}).get(line[1], line[1])


def _new_names(module: RtlilModule, parent: RtlilModule, instance: Statement, aliases: dict[str, dict[Place, list[str]]]) -> dict[str, str]:
    """The ports of a module that get other names, with these."""
    taken = {wire.name for wire in module.of_kind("wire")}
    ports = module.ports()
    new: dict[str, str] = {}
    for connection in instance.connections():
        port = connection.port
        width = _width_of_ports(module, port)
        outside = {_bare(one) for one in _names_of_ports(aliases[parent.name], connection.signal) if not UNNAMED.fullmatch(one)}
        own = [port, *aliases[module.name].get((port, width - 1, 0), ())]
        chosen = _common_name(own, outside)
        if not chosen and UNNAMED.fullmatch(port):
            chosen = _part_of(module, [port, f"[{width - 1}:0]" if width > 1 else "[0]"]) or _part_of(parent, connection.signal)
        if not chosen or chosen == port and not _LAST_NUMBER.search(port):
            continue
        # The name without its number, unless something else in the module has this name.
        final = _bare(chosen)
        if final in new.values() or final in taken and final not in own:
            final = chosen
        if final != port and final not in new.values() and (final not in taken or final in own):
            new[port] = final
    # A name that another port loses in the same step is not free yet.  A port that would take it keeps its old name.
    return {old: final for old, final in new.items() if final not in ports or final in new}


def _common_name(own: list[str], outside: set[str]) -> str:
    """A name that both modules have for a port, the first of whose own names is that of today.  For a port without a name, any of them."""
    port = own[0]
    common = [one for one in own if _bare(one) in outside and not UNNAMED.fullmatch(one)]
    chosen = port if port in common and not _LAST_NUMBER.search(port) else next(iter(common), "")
    if not chosen and UNNAMED.fullmatch(port):
        chosen = next((one for one in own[1:] if not UNNAMED.fullmatch(one)), "") or min(outside, default="")
    return chosen


def _bare(name: str) -> str:
    return _LAST_NUMBER.sub("", name)


def _width_of_ports(module: RtlilModule, port: str) -> int:
    line = next(one for one in module.of_kind("wire") if one.name == port).lines[0]
    return int(line[line.index("width") + 1]) if "width" in line else 1


def _part_of(module: RtlilModule, signal: list[str]) -> str:
    """A name for a part of a concatenated signal: the name of the signal with the bits."""
    place = _place(signal)
    for statement in module.of_kind("connect") if place else ():
        tokens = statement.lines[0]
        if tokens[2] != "{" or not tokens[1].startswith("\\") or "$" in tokens[1]:
            continue
        low, at = 0, len(tokens) - 1
        while at > 3:
            end = at
            at -= 2 if tokens[at - 1].startswith("[") else 1
            part = tokens[at:end]
            if _place(part) == place:
                assert place is not None
                return f"{tokens[1]}_{low + place[1] - place[2]}_{low}"
            found = _place(part)
            low += found[1] - found[2] + 1 if found else int(part[0].partition("'")[0])
    return ""


def _place(tokens: list[str]) -> Place | None:
    """The net and the bits that the tokens describe, if they are one run of bits."""
    if len(tokens) != 2 or not tokens[1].startswith("["):
        return None
    high, _, low = tokens[1][1:-1].partition(":")
    return tokens[0], int(high), int(low or high)


def _aliases(module: RtlilModule) -> dict[Place, list[str]]:
    """The names of wires that are equal to a run of bits of a net, for all such runs."""
    found: dict[Place, list[str]] = defaultdict(list)
    for wire in module.of_kind("wire"):
        line = wire.lines[0]
        width = int(line[line.index("width") + 1]) if "width" in line else 1
        found[wire.name, width - 1, 0].append(wire.name)
    for statement in module.of_kind("connect"):
        tokens = statement.lines[0]
        place = _place(tokens[2:])
        if place is not None:
            found[place].append(tokens[1])
    return found


def _names_of_ports(aliases: dict[Place, list[str]], signal: list[str]) -> list[str]:
    place = _place(signal)
    if place is None:
        return []
    return [name for name in aliases.get(place, []) if name.startswith("\\")]


def _apply_of_ports(module: RtlilModule, ports: dict[str, str], new: dict[str, str]) -> None:
    """Renames ports of a module."""
    if not new:
        return
    inputs = {old: final for old, final in new.items() if ports[old] == "input"}
    outputs = {old: final for old, final in new.items() if ports[old] == "output"}
    dropped = set(new.values())
    wires = {wire.name: wire for wire in module.of_kind("wire")}
    statements: list[Statement] = []
    for statement in module.statements:
        if statement.kind == "wire" and statement.name in dropped:
            continue
        if statement.kind == "connect" and statement.lines[0][1] in dropped:
            continue
        statements.append(statement)
    module.statements = statements
    _rename_nets(statements, inputs)
    for old, final in outputs.items():
        wire = wires[old]
        line = wire.lines[0]
        at = line.index("output")
        number = line[at + 1]
        del line[at : at + 2]
        width = _width_of(line)
        if UNNAMED.fullmatch(old):
            # The port replaces the net, because nothing else uses the name of the net.
            line[-1:] = ["output", number, line[-1]]
            _rename_nets(statements, {old: final})
            continue
        bits = f"[{width - 1}:0]" if width > 1 else "[0]"
        module.statements.insert(0, Statement("wire", [["wire", "width", str(width), "output", number, final]]))
        module.statements.append(Statement("connect", [["connect", final, old, bits]]))


def _rename_nets(statements: list[Statement], names: dict[str, str]) -> None:
    """Renames nets wherever they are read or driven."""
    for statement in statements:
        for line in statement.lines:
            start = 2 if statement.kind == "cell" and line[0] in ("cell", "connect") else 1
            if line[0] != "parameter":
                line[start:] = [names.get(token, token) for token in line[start:]]


def _width_of(line: list[str]) -> int:
    return int(line[line.index("width") + 1]) if "width" in line else 1
