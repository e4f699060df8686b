# SPDX-License-Identifier: Apache-2.0
"""The Verilog bench: passes on cores, measures what the schedule says and what CXXRTL measures, fails on broken cores."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from tests.emit.emitted import PARTIAL, PLAIN, SLOTS, core, folder

from modeloom.emit import CheckFailed, ToolMissing, interval_pins, latency_pins, run_bench
from modeloom.emit.vectors import bench_vectors
from modeloom.simulated import Sector, SimulatedCore

CHOICES = {"partial": PARTIAL, "plain": PLAIN, "slots": SLOTS}

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="iverilog is not installed")


@cache
def measured(name: str) -> dict:
    """What the bench of one of ``CHOICES`` says."""
    return run_bench(folder(CHOICES[name]))


def copied(tmp_path: Path) -> Path:
    """The plain core, to be broken."""
    return Path(shutil.copytree(folder(PLAIN), tmp_path / "core")) / "heh_brw_32.v"


@needs_icarus
@pytest.mark.parametrize("name", CHOICES)
def test_passes_with_the_figures_of_the_schedule(name: str) -> None:
    compiled = core(CHOICES[name])
    explain = compiled.explain()
    figures = measured(name)
    assert figures["sectors"] == sum(bool(sector.wanted) for sector in bench_vectors(compiled).sectors) >= 14
    assert figures["cycles_per_sector"] == explain["cycles_per_sector"]
    assert figures["latency"] == explain["latency"]
    assert figures["interval"] == explain["ii"] == interval_pins(compiled)
    assert figures["latency_pins"] == latency_pins(compiled)


@needs_icarus
def test_same_cycles_as_cxxrtl() -> None:
    simulated = SimulatedCore(folder(SLOTS), optimize=0)
    beats = simulated.description["beats"]
    vectors = bench_vectors(core(SLOTS))
    for slot, key in vectors.keys:
        simulated.load_key(key, slot)
    burst = [sector for sector in vectors.sectors if sector.wanted]
    tweak = simulated.tweak_bytes
    sectors = [Sector(sector.command[:tweak], b"".join(sector.beats), slot=sector.command[34]) for sector in burst]
    results = simulated.run(sectors)
    assert results == [b"".join(sector.wanted) for sector in burst]
    first = list(simulated.output_cycles)[::beats]
    distances = {later - earlier for earlier, later in zip(first, first[1:], strict=False)}
    simulated.runner.run(max_cycles=200)
    simulated.runner.accepted("s_axis")
    simulated.run(sectors[:1])
    lone = simulated.output_cycles[-1] - simulated.runner.accepted("s_axis")[0]
    figures = measured("slots")
    assert distances == {figures["interval"]}
    assert lone == figures["latency_pins"]


@needs_icarus
@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"memory0\[37\] = 8'h3f", "memory0[37] = 8'h3e"),  # an entry of an S-box
        (r"assign m_axis_tlast = (\w+)", r"assign m_axis_tlast = ~\1"),
        (r"\.m_axis_status_tdata\(m_axis_status_tdata\)", ".m_axis_status_tdata({m_axis_status_tdata[31:1], m_axis_status_tdata[1]})"),
        (r"\.key_error\(key_error\)", ".key_error()"),
    ],
    ids=["s-box", "tlast", "tag", "floating"],
)
def test_a_broken_core_fails(tmp_path: Path, pattern: str, replacement: str) -> None:
    verilog = copied(tmp_path)
    text = verilog.read_text()
    broken = re.sub(pattern, replacement, text)
    assert broken != text
    verilog.write_text(broken)
    with pytest.raises(CheckFailed, match="^FAIL heh_brw_32"):
        run_bench(verilog.parent)


@needs_icarus
def test_a_slower_core_fails(tmp_path: Path) -> None:
    """One more register before the results: right data, another latency."""
    verilog = copied(tmp_path)
    ports = {p["name"]: p for p in json.loads((verilog.parent / "core.json").read_text())["ports"]}
    text = verilog.read_text()
    late = ""
    for name in ("m_axis_tvalid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast"):
        width = ports[name]["width"]
        late += f"  wire [{width - 1}:0] early_{name};\n  reg [{width - 1}:0] late_{name} = 0;\n"
        late += f"  always @(posedge aclk) late_{name} <= early_{name};\n  assign {name} = late_{name};\n"
        text = text.replace(f".{name}({name})", f".{name}(early_{name})", 1)
    verilog.write_text(text.replace(");\n\n  heh_brw_32_core core (", f");\n\n{late}\n  heh_brw_32_core core (", 1))
    with pytest.raises(CheckFailed, match="not the stated latency"):
        run_bench(verilog.parent)


@needs_icarus
def test_other_figures_in_the_description_fail(tmp_path: Path) -> None:
    verilog = copied(tmp_path)
    path = verilog.parent / "core.json"
    description = json.loads(path.read_text())
    description["explain"]["cycles_per_sector"] -= 1
    path.write_text(json.dumps(description))
    with pytest.raises(CheckFailed, match="core.json states"):
        run_bench(verilog.parent)


@needs_icarus
def test_a_core_that_does_not_compile_fails(tmp_path: Path) -> None:
    verilog = copied(tmp_path)
    verilog.write_text(verilog.read_text() + "module\n")
    with pytest.raises(CheckFailed, match="iverilog"):
        run_bench(verilog.parent)


def test_missing_icarus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolMissing, match="apt-get install iverilog"):
        run_bench(folder(PLAIN))


def test_vectors() -> None:
    """Both directions next to each other, all slots in use, a burst longer than the result buffer, the same each time."""
    compiled = core(PARTIAL)
    vectors = bench_vectors(compiled)
    assert vectors == bench_vectors(compiled)
    flags = [sector.command[36] for sector in vectors.sectors if sector.wanted]
    assert {(a, b) for a, b in zip(flags, flags[1:], strict=False)} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert vectors.phases[1] - vectors.phases[0] > compiled.result_sectors
    assert [sector.code for sector in vectors.sectors if not sector.wanted] == [4, 1]
    assert len({sector.command[32:34] for sector in vectors.sectors}) == len(vectors.sectors)
    slots = bench_vectors(core(SLOTS))
    assert {sector.command[34] for sector in slots.sectors} == {0, 2} == {slot for slot, _ in slots.keys}
