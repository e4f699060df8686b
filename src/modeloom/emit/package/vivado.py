# SPDX-License-Identifier: Apache-2.0
"""Scripts for Vivado: one packages a core as an IP, one measures it."""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.emit.package.core_file import APB, AXI_LITE, MAPPED, STREAM, Bus, outside
from modeloom.front.map import Register
from modeloom.product.description import Description
from modeloom.product.front import ClocksDescription, Crossing

__all__ = ["SCHEMA", "quartus_sdc", "quoted", "sdc", "vivado_ip", "vivado_run", "xdc"]


# -- constraints -------------------------------------------------------------------------------------------------------------------------

# Constraints for the paths between clocks: XDC for Vivado (UG903), SDC for Quartus, and plain SDC for Radiant and others.
#
#     gray     at most a cycle of its own clock, and so is the skew between its bits
#     bit      at most a cycle of its own clock
#     word     at most a cycle of the clock that reads it
#     memory   the same
#     reset    no constraint: it may come at any time
#
# The clocks themselves are for the user to define.  Nothing here says that they are asynchronous to each other: these constraints have to
# hold, and a clock group would take them away.

PERIOD = "10.0"
"""Nanoseconds that plain SDC allows if nothing else is said."""


def _told(description: Description) -> tuple[str, ClocksDescription]:
    front = description.front
    if front is None or front.clocks is None:
        raise ValueError("a core without clocks of the host has no constraints")
    return front.top, front.clocks


def _head(description: Description, tool: str, lines: list[str]) -> list[str]:
    top, told = _told(description)
    clocks = ", ".join(["aclk", *(one.name for one in told.clocks)])
    return [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Constraints for {top}, for {tool}: all paths between clocks in its instance {told.instance}.",
        "#",
        f"# Define the clocks ({clocks}) yourself. Do not put them into asynchronous groups, and do not make the paths between them false:",
        "# either would take away the constraints here.",
        *(f"# {line}" if line else "#" for line in lines), "",
    ]  # fmt: skip


def xdc(description: Description) -> str:
    """Constraints for Vivado.  A period is the least one of all instances, if there are several."""
    top, told = _told(description)
    lines = _head(description, "Vivado", [
        f"The file needs no scope. With several instances of {top} in a design, read it once.",
        "Use it for implementation; synthesis does not need it (USED_IN_SYNTHESIS false).",
    ])  # fmt: skip

    def cells(path: str) -> str:
        # The instance may be at the top, or below it.  That of a core whose name ends in this one is another.
        names = f"NAME =~ {told.instance}/{path}* || NAME =~ */{told.instance}/{path}*"
        return f"[get_cells -hierarchical -filter {{IS_SEQUENTIAL && ({names})}}]"

    for one in told.crossings:
        target = cells(f"{one.target}_reg")
        if one.kind == "reset":
            lines += [
                f"# {one.target}: the reset",
                f"set_false_path -to [get_pins -of_objects {target} -filter {{REF_PIN_NAME == PRE || REF_PIN_NAME == CLR}}]", "",
            ]  # fmt: skip
            continue
        source, timed = cells(f"{one.source}_reg"), "from" if one.kind in ("gray", "bit") else "to"
        if one.kind == "memory":
            # Tools cut a memory into cells with names of their own.  All that comes from its clock comes through it.
            queue = one.source.rpartition("/")[0]
            source = f"[get_clocks -of_objects {cells(f'{queue}/w_gray_reg_reg')}]"
        lines += [
            f"# {one.source} to {one.target}: {one.kind}", f"set modeloom_from {source}", f"set modeloom_to {target}",
            f"set modeloom_period [get_property -min PERIOD [get_clocks -of_objects $modeloom_{timed}]]",
            "set_max_delay -datapath_only -from $modeloom_from -to $modeloom_to $modeloom_period",
            *(["set_bus_skew -from $modeloom_from -to $modeloom_to $modeloom_period"] if one.kind == "gray" else []), "",
        ]  # fmt: skip
    return "\n".join(lines)


def quartus_sdc(description: Description) -> str:
    """Constraints for the timing analyzer of Quartus.  Its names have the entity before the instance, so "*" stands for entities."""
    _, told = _told(description)
    lines = _head(description, "Quartus", ["Setup and hold are not analysed on these paths. Delay and skew are."])

    def registers(path: str, kind: str = "") -> str:
        *instances, register = path.split("/")
        inner = "".join(f"|*:{one}" for one in instances)
        last = f"*{register}*" if kind == "memory" else f"{register}*"
        return f"[get_registers -nowarn {{*:{told.instance}{inner}|{last}}}]"

    for one in told.crossings:
        target = registers(one.target)
        if one.kind == "reset":
            lines += [f"# {one.target}: the reset", f"set_false_path -to {target} -from [get_ports -nowarn *]", ""]
            continue
        source = registers(one.source, one.kind)
        paths = f"-from {source} -to {target}"
        of = "src" if one.kind in ("gray", "bit") else "dst"
        lines += [
            f"# {one.source} to {one.target}: {one.kind}", f"set_max_delay {paths} 100", f"set_min_delay {paths} -100",
            f"set_net_delay {paths} -max -get_value_from_clock_period {of}_clock_period -value_multiplier 0.8",
            *([f"set_max_skew {paths} -get_skew_value_from_clock_period src_clock_period -skew_value_multiplier 0.8"]
              if one.kind == "gray" else []), "",
        ]  # fmt: skip
    return "\n".join(lines)


def sdc(description: Description) -> str:
    """Constraints with commands that all tools for SDC have."""
    _, told = _told(description)
    lines = _head(description, "Radiant and other tools that read plain SDC", [
        "modeloom_period is the period of the fastest clock in nanoseconds. Set it before this file is read, or change it here.",
        "A tool may name cells in another way: compare them with the netlist, and look into its report whether paths were found.",
    ])  # fmt: skip
    lines += [f"if {{![info exists modeloom_period]}} {{ set modeloom_period {PERIOD} }}", ""]

    def cells(path: str) -> str:
        return f"[get_cells {{{told.instance}/{path}* */{told.instance}/{path}*}}]"

    for one in told.crossings:
        lines += [f"# {one.source or 'the reset'} to {one.target}: {one.kind}", _plain(one, cells(one.source), cells(one.target)), ""]
    return "\n".join(lines)


def _plain(one: Crossing, source: str, target: str) -> str:
    if one.kind == "reset":
        return f"set_false_path -to {target}"
    return f"set_max_delay -from {source} -to {target} $modeloom_period"


# -- IP core -----------------------------------------------------------------------------------------------------------------------------

# A script for Vivado that packages a core as an IP with AXI interfaces (UG1118; ``help ipx::*`` in Vivado).
#
# The script works on what Vivado has inferred from the names of the ports.  It adds a bus that Vivado did not find.

BUS_TYPES = {STREAM: "axis", AXI_LITE: "aximm", APB: "apb"}
"""The names that Vivado has for the buses."""

LEAST_RANGE = 4096
"""Bytes of the smallest range of addresses: the address editor of Vivado assigns no smaller one."""

PROCEDURES = """\
# Vivado infers a bus from the names of its ports. It is added here if it was not inferred.
proc modeloom_bus {core name type mode ports} {
  set bus [ipx::get_bus_interfaces $name -of_objects $core]
  if {$bus eq ""} {
    set bus [ipx::add_bus_interface $name $core]
    set_property abstraction_type_vlnv xilinx.com:interface:${type}_rtl:1.0 $bus
    set_property bus_type_vlnv xilinx.com:interface:${type}:1.0 $bus
    set_property interface_mode $mode $bus
    foreach {logical physical} $ports {
      set_property physical_name $physical [ipx::add_port_map $logical $bus]
    }
  }
  return $bus
}

# A clock, reset or interrupt.
proc modeloom_signal {core name type} {
  if {[ipx::get_bus_interfaces $name -of_objects $core] eq ""} {
    ipx::infer_bus_interface $name xilinx.com:signal:${type}_rtl:1.0 $core
  }
  return [ipx::get_bus_interfaces $name -of_objects $core]
}

proc modeloom_parameter {bus name value} {
  set parameter [ipx::get_bus_parameters $name -of_objects $bus]
  if {$parameter eq ""} {
    set parameter [ipx::add_bus_parameter $name $bus]
  }
  set_property value $value $parameter
}
"""

REGISTER_PROCEDURE = """
proc modeloom_register {block name offset access about} {
  set register [ipx::add_register $name $block]
  set_property address_offset $offset $register
  set_property size 32 $register
  set_property access $access $register
  set_property description $about $register
}
"""


def quoted(text: str) -> str:
    """Text as one word of Tcl, in which nothing is substituted."""
    special = str.maketrans({letter: f"\\{letter}" for letter in '\\"$[]'})
    return f'"{text.translate(special)}"'


def vivado_ip(description: Description, registers: Sequence[Register] = ()) -> str:
    """Text of the script.

    Parameters
    ----------
    description : Description
    registers : sequence of Register
        Those behind its bus for registers.
    """
    seen = outside(description)
    script = description.files.vivado_ip
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Packages {seen.top} as an IP for Vivado:",
        "#",
        f"#   vivado -mode batch -source {script}                           the IP is written to {seen.top}_ip beside this script",
        f"#   vivado -mode batch -source {script} -tclargs FOLDER PART      to another folder, with another part",
        "#",
        "# Add the folder to the IP repositories of a project to use the IP.",
        "",
        "set here [file dirname [file normalize [info script]]]",
        f"set folder [expr {{$argc > 0 ? [file normalize [lindex $argv 0]] : [file join $here {seen.top}_ip]}}]",
        "set part [expr {$argc > 1 ? [lindex $argv 1] : \"\"}]",
        "",
        PROCEDURES + (REGISTER_PROCEDURE if registers else ""),
        'if {$part eq ""} {',
        f"  create_project -in_memory {seen.top}_ip",
        "} else {",
        f"  create_project -in_memory -part $part {seen.top}_ip",
        "}",
        *(f"add_files -norecurse [file join $here {file}]" for file in seen.verilog),
        *_constraints(description),
        f"set_property top {seen.top} [current_fileset]",
        "update_compile_order -fileset sources_1",
        "ipx::package_project -root_dir $folder -vendor modeloom -library modes -taxonomy /UserIP -import_files -force",
        "set core [ipx::current_core]",
        f"set_property name {seen.top} $core",
        f"set_property version {'.'.join(description.version.split('.')[:2])} $core",
        f"set_property display_name {quoted(seen.top)} $core",
        f"set_property description {quoted(description.summary)} $core",
        "set_property vendor_display_name modeloom $core",
        "set_property auto_family_support_level level_2 $core",
        "",
    ]  # fmt: skip
    for bus in seen.buses:
        mode = "slave" if bus.from_host else "master"
        ports = " ".join(f"{logical} {port.name}" for logical, port in bus.ports)
        lines.append(f"modeloom_bus $core {bus.name} {BUS_TYPES[bus.kind]} {mode} {{{ports}}}")
    lines.append("")
    for clock, buses in seen.all_clocks.items():
        lines.append(f"set clock [modeloom_signal $core {clock} clock]")
        lines += [f"modeloom_parameter $clock ASSOCIATED_BUSIF {':'.join(buses)}"] if buses else []
        lines += [f"modeloom_parameter $clock ASSOCIATED_RESET {seen.reset}"] if clock == seen.clock else []
    polarity = "ACTIVE_HIGH" if seen.reset_high else "ACTIVE_LOW"
    lines.append(f"modeloom_parameter [modeloom_signal $core {seen.reset} reset] POLARITY {polarity}")
    if seen.interrupt is not None:
        lines.append(f"modeloom_parameter [modeloom_signal $core {seen.interrupt.name} interrupt] SENSITIVITY LEVEL_HIGH")
    for bus in seen.buses:
        if bus.kind in MAPPED:
            lines += _memory_map(bus, registers)
    lines += [
        "",
        "ipx::create_xgui_files $core",
        "ipx::update_checksums $core",
        "ipx::check_integrity $core",
        "ipx::save_core $core",
        'puts "modeloom: the IP is in $folder"',
    ]
    return "\n".join(lines) + "\n"


def _constraints(description: Description) -> list[str]:
    """The constraints for paths between clocks, which the IP brings along."""
    file = description.files.xdc
    if file is None:
        return []
    return [
        f"add_files -fileset constrs_1 -norecurse [file join $here {file}]",
        f"set_property USED_IN_SYNTHESIS false [get_files {file}]",
        # Clocks of the project are known to constraints that are read late.
        f"set_property PROCESSING_ORDER LATE [get_files {file}]",
    ]


def _memory_map(bus: Bus, registers: Sequence[Register]) -> list[str]:
    address = bus.port(MAPPED[bus.kind][0])
    span = max(LEAST_RANGE, 1 << address.width) if address else LEAST_RANGE
    lines = [
        "",
        "# Vivado infers a range of addresses without registers.",
        "foreach map [ipx::get_memory_maps -of_objects $core] {",
        "  ipx::remove_memory_map [get_property name $map] $core",
        "}",
        f"set map [ipx::add_memory_map {bus.name} $core]",
        f"set_property slave_memory_map_ref {bus.name} [ipx::get_bus_interfaces {bus.name} -of_objects $core]",
        "set block [ipx::add_address_block registers $map]",
        "set_property usage register $block",
        "set_property width 32 $block",
        f"set_property range {span} $block",
    ]
    for one in registers:
        access = {"read": "read-only", "write": "write-only"}.get(one.access, "read-write")
        lines.append(f"modeloom_register $block {one.name} 0x{one.address:03x} {access} {quoted(one.about)}")
    return lines


# -- vivado run --------------------------------------------------------------------------------------------------------------------

# A script for Vivado that measures a core: synthesis, place and route, and a JSON file with clock and utilisation (UG835, UG904).

SCHEMA = "modeloom-vivado-1"

PART = "xcku5p-ffvb676-2-e"
"""The part if none is given: a Kintex UltraScale+ that every edition of Vivado has."""

IP_PERIOD = "4.0"
"""Nanoseconds of a cycle if none are given."""

COUNTS = {
    "luts": "(?:CLB|Slice) LUTs", "luts_logic": "LUT as Logic", "luts_memory": "LUT as Memory", "registers": "(?:CLB|Slice) Registers",
    "block_rams": "Block RAM Tile", "dsps": "DSPs",
}  # fmt: skip
"""The rows of the report on utilisation, by their names in the JSON file.  7 series and UltraScale have different names for them."""

RARE = {"urams": "URAM"}
"""Rows that not every family has."""

PROCEDURE = r"""
# The number in a row of the report on utilisation. A row that is not there is "default", or an error without one.
proc modeloom_used {report row {default ""}} {
  if {[regexp -line "^\\|\\s*${row}\\*?\\s*\\|\\s*(\[0-9.\]+)\\s*\\|" $report all number]} {
    return $number
  }
  if {$default eq ""} {
    error "modeloom: the report on utilisation has no row \"$row\""
  }
  return $default
}
"""


def vivado_run(description: Description) -> str:
    """Text of the script."""
    seen = outside(description)
    script = description.files.vivado_run
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Synthesis, place and route of {seen.top} alone, out of context:",
        "#",
        f"#   vivado -mode batch -source {script}",
        f"#   vivado -mode batch -source {script} -tclargs PART NANOSECONDS FOLDER",
        "#",
        f"# The results are in FOLDER, which is {seen.top}_vivado beside this script if it is not given: {seen.top}_vivado.json with clock",
        "# and utilisation, the reports of Vivado, and a checkpoint. The clock is 1000 / (period - slack): to find the highest one, give a",
        "# period that is a little too short.",
        "",
        "set here [file dirname [file normalize [info script]]]",
        f"set part [expr {{$argc > 0 ? [lindex $argv 0] : \"{PART}\"}}]",
        f"set period [expr {{$argc > 1 ? [lindex $argv 1] : {IP_PERIOD}}}]",
        f"set folder [expr {{$argc > 2 ? [file normalize [lindex $argv 2]] : [file join $here {seen.top}_vivado]}}]",
        "file mkdir $folder",
        PROCEDURE,
        f"create_project -in_memory -part $part {seen.top}",
        *(f"read_verilog [file join $here {file}]" for file in seen.verilog),
        "",
        "set constraints [open [file join $folder clock.xdc] w]",
        *(f'puts $constraints "create_clock -name {clock} -period $period \\[get_ports {clock}\\]"' for clock in seen.all_clocks),
        "close $constraints",
        "read_xdc -mode out_of_context [file join $folder clock.xdc]",
        "",
        f"synth_design -top {seen.top} -part $part -mode out_of_context",
        *([f"read_xdc [file join $here {description.files.xdc}]"] if description.files.xdc else []),
        "opt_design",
        "place_design",
        "phys_opt_design",
        "route_design",
        "",
        "report_timing_summary -file [file join $folder timing.rpt]",
        "report_utilization -hierarchical -file [file join $folder hierarchy.rpt]",
        "report_route_status -file [file join $folder route.rpt]",
        f"write_checkpoint -force [file join $folder {seen.top}.dcp]",
        "",
        "set setup [get_property SLACK [lindex [get_timing_paths -delay_type max -max_paths 1] 0]]",
        "set hold [get_property SLACK [lindex [get_timing_paths -delay_type min -max_paths 1] 0]]",
        "set report [report_utilization -return_string]",
        "set clock [expr {1000.0 / ($period - $setup)}]",
        f"set result [open [file join $folder {seen.top}_vivado.json] w]",
        "puts $result \"{\"",
        f'puts $result "  \\"schema\\": \\"{SCHEMA}\\","',
        f'puts $result "  \\"core\\": \\"{description.name}\\","',
        f'puts $result "  \\"top\\": \\"{seen.top}\\","',
        'puts $result "  \\"part\\": \\"$part\\","',
        'puts $result "  \\"vivado\\": \\"[version -short]\\","',
        *(f'puts $result "  \\"{name}\\": [modeloom_used $report {{{row}}}],"' for name, row in COUNTS.items()),
        *(f'puts $result "  \\"{name}\\": [modeloom_used $report {{{row}}} 0],"' for name, row in RARE.items()),
        'puts $result "  \\"period_ns\\": $period,"',
        'puts $result "  \\"slack_ns\\": $setup,"',
        'puts $result "  \\"hold_slack_ns\\": $hold,"',
        'puts $result "  \\"clock_mhz\\": [format %.2f $clock]"',
        "puts $result \"}\"",
        "close $result",
        f'puts "modeloom: {seen.top} on $part: [format %.2f $clock] MHz"',
    ]  # fmt: skip
    return "\n".join(lines) + "\n"
