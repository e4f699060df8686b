# SPDX-License-Identifier: Apache-2.0
"""Names in emitted Verilog: plain names for all objects, and names that end in ``_reg`` for registers."""

from __future__ import annotations

import re

from modeloom_verilog.rtlil import RtlilModule, Statement

__all__ = ["KEYWORDS", "name_registers", "plain_design", "plain_name"]

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
