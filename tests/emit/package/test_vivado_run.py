# SPDX-License-Identifier: Apache-2.0
"""The script that measures a core in Vivado, run with commands that record how they are called."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.built import slowly
from tests.emit.package.folders import CASES, CLOCKS_OF_HOST, folder
from tests.external import needs

from modeloom.emit.package import outside
from modeloom.product.folder import read_description

pytestmark = needs("tcl")

ULTRASCALE = """
1. CLB Logic
+----------------------------+------+-------+-----------+-------+
|          Site Type         | Used | Fixed | Available | Util% |
+----------------------------+------+-------+-----------+-------+
| CLB LUTs                   | 3508 |     0 |    216960 |  1.62 |
|   LUT as Logic             | 2868 |     0 |    216960 |  1.32 |
|   LUT as Memory            |  640 |     0 |     99840 |  0.64 |
| CLB Registers              | 3724 |     0 |    433920 |  0.86 |
| Block RAM Tile |  4.5 |     0 |       480 |  0.94 |
| URAM           |    2 |     0 |        64 |  3.13 |
| DSPs      |    0 |     0 |      1824 |  0.00 |
"""
SERIES_7 = "\n".join(
    line.replace("CLB", "Slice").replace("Slice LUTs ", "Slice LUTs*") for line in ULTRASCALE.splitlines() if "URAM" not in line
)  # fmt: skip

ORDER = [
    "create_project", "read_verilog", "read_xdc", "synth_design", "opt_design", "place_design", "phys_opt_design", "route_design",
    "report_timing_summary", "report_utilization", "report_route_status", "write_checkpoint", "get_timing_paths", "get_property",
    "get_timing_paths", "get_property", "report_utilization", "version",
]  # fmt: skip


def run(kind: str, work: Path, report: str, *arguments: str) -> tuple[list[tuple[str, ...]], Path]:
    """Runs the script of a core in a folder: the calls, and where its results are if no arguments name a folder."""
    description = read_description(folder(kind))
    seen = outside(description)
    for file in (description.files.vivado_run, *seen.verilog, *filter(None, [description.files.xdc])):
        shutil.copy(folder(kind) / file, work)
    calls: list[tuple[str, ...]] = []
    answers = {"report_utilization": report, "version": "2024.2"}
    import tkinter

    tcl = tkinter.Tcl()

    def stand_in(name: str):
        def call(*given: str) -> str:
            calls.append((name, *given))
            if name in ("read_verilog", "read_xdc"):
                assert Path(given[-1]).is_file() and given[:-1] in ((), ("-mode", "out_of_context"))
            if name == "get_timing_paths":
                return given[given.index("-delay_type") + 1]
            if name == "get_property":
                return {"max": "-0.250", "min": "0.031"}[given[1]]
            return answers.get(name, "")

        return call

    for name in set(ORDER):
        tcl.createcommand(name, stand_in(name))
    tcl.createcommand("puts", tcl_puts(tcl))
    tcl.setvar("argc", str(len(arguments)))
    tcl.setvar("argv", " ".join(arguments))
    tcl.eval(f"source {{{work / description.files.vivado_run}}}")
    return calls, work / f"{seen.top}_vivado"


def tcl_puts(tcl):
    """``puts`` to a file only: what goes to the terminal is dropped."""
    tcl.eval("rename puts tcl_puts")
    return lambda *given: tcl.call("tcl_puts", *given) if len(given) > 1 else ""


@pytest.mark.parametrize("kind", CASES)
def test_the_json_file(kind, tmp_path):
    calls, results = run(kind, tmp_path, ULTRASCALE)
    description = read_description(folder(kind))
    seen = outside(description)
    names = [call[0] for call in calls]
    order = list(ORDER)
    if clocks := CLOCKS_OF_HOST.get(kind, ()):
        # Constraints between clocks are for the implementation.
        order.insert(order.index("opt_design"), "read_xdc")
    assert names == [name for name in order for _ in range(len(seen.verilog) if name == "read_verilog" else 1)]
    constraints = [call[1:] for call in calls if call[0] == "read_xdc"]
    assert constraints[0] == ("-mode", "out_of_context", str(results / "clock.xdc"))
    assert constraints[1:] == ([(str(tmp_path / f"{seen.top}.xdc"),)] if clocks else [])
    lines = sorted(f"create_clock -name {clock} -period 4.0 [get_ports {clock}]" for clock in ("aclk", *clocks))
    assert sorted((results / "clock.xdc").read_text().splitlines()) == lines
    synth = dict(zip(calls[names.index("synth_design")][1::2], calls[names.index("synth_design")][2::2]))
    assert synth == {"-top": seen.top, "-part": "xcku5p-ffvb676-2-e", "-mode": "out_of_context"}
    assert json.loads((results / f"{seen.top}_vivado.json").read_text()) == {
        "schema": "modeloom-vivado-1", "core": description.name, "top": seen.top, "part": "xcku5p-ffvb676-2-e", "vivado": "2024.2",
        "luts": 3508, "luts_logic": 2868, "luts_memory": 640, "registers": 3724, "block_rams": 4.5, "dsps": 0, "urams": 2,
        "period_ns": 4.0, "slack_ns": -0.25, "hold_slack_ns": 0.031, "clock_mhz": 235.29,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["clocked", *slowly("clocked-messages")])
def test_constraints_between_clocks_are_tcl(kind):
    """Each path between clocks has its delay, between cells and from a period that the tool is asked for."""
    description = read_description(folder(kind))
    calls: list[tuple[str, ...]] = []
    import tkinter

    tcl = tkinter.Tcl()

    def stand_in(name: str):
        def call(*given: str) -> str:
            calls.append((name, *given))
            return {"get_property": "2.500"}.get(name, f"{name}({given[-1]})")

        return call

    for name in ("get_cells", "get_clocks", "get_pins", "get_property", "set_max_delay", "set_bus_skew", "set_false_path"):
        tcl.createcommand(name, stand_in(name))
    tcl.eval(f"source {{{folder(kind) / description.files.xdc}}}")
    crossings = description.front.clocks.crossings
    cells = [call[-1] for call in calls if call[0] == "get_cells"]
    instance = description.front.clocks.instance
    for text in cells:
        parts = re.fullmatch(r"IS_SEQUENTIAL && \(NAME =~ (\S+) \|\| NAME =~ (\S+)\)", text)
        assert parts is not None and parts[1].startswith(f"{instance}/") and parts[2] == f"*/{parts[1]}"
    delays = [call[2:] for call in calls if call[:2] == ("set_max_delay", "-datapath_only")]
    skews = [call[1:] for call in calls if call[0] == "set_bus_skew"]
    assert len(delays) == sum(one.kind != "reset" for one in crossings) == sum(call[0] == "set_max_delay" for call in calls)
    assert len(skews) == sum(one.kind == "gray" for one in crossings) > 0
    for begin, source, end, target, period in (*delays, *skews):
        assert (begin, end, period) == ("-from", "-to", "2.500")
        assert source.removesuffix(")").partition("(")[2] in (*cells, *(f"get_cells({text})" for text in cells)), source
        assert target in [f"get_cells({text})" for text in cells], target
    assert {call[1:3] for call in calls if call[0] == "get_property"} == {("-min", "PERIOD")}


def test_arguments_and_the_names_of_an_older_family(tmp_path):
    calls, _ = run("sectors", tmp_path, SERIES_7, "xc7a100tcsg324-1", "6.0", str(tmp_path / "there"))
    top = outside(read_description(folder("sectors"))).top
    found = json.loads((tmp_path / "there" / f"{top}_vivado.json").read_text())
    assert (found["part"], found["luts"], found["registers"], found["urams"]) == ("xc7a100tcsg324-1", 3508, 3724, 0)
    assert found["period_ns"] == 6 and found["clock_mhz"] == 160


def test_a_report_without_a_row(tmp_path):
    import tkinter

    with pytest.raises(tkinter.TclError, match="no row"):
        run("sectors", tmp_path, ULTRASCALE.replace("CLB Registers", "Flip-flops"))
