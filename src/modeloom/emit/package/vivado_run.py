# SPDX-License-Identifier: Apache-2.0
"""A script for Vivado that measures a core: synthesis, place and route, and a JSON file with clock and utilisation (UG835, UG904)."""

from __future__ import annotations

from modeloom.emit.package.outside import outside
from modeloom.product.description import Description

__all__ = ["SCHEMA", "vivado_run"]

SCHEMA = "modeloom-vivado-1"

PART = "xcku5p-ffvb676-2-e"
"""The part if none is given: a Kintex UltraScale+ that every edition of Vivado has."""

PERIOD = "4.0"
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
        f"set period [expr {{$argc > 1 ? [lindex $argv 1] : {PERIOD}}}]",
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
