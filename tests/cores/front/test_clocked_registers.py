# SPDX-License-Identifier: Apache-2.0
"""Registers with a clock of their own behind APB: their files, their checks, the driver in C, and faults that the checks find."""

from __future__ import annotations

import ctypes
import re

import pytest
from tests.built import slow
from tests.c_programs import compile_c
from tests.cores.front.board import OK, POLLS, Board
from tests.cores.front.checks import changed, compare_files, figures_of
from tests.cores.front.cores import sector_core

from modeloom.emit import CheckFailed, lint
from modeloom.front.map import SOURCE
from modeloom.product.folder import read_description
from modeloom.product.front import RegisterRefused
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.sim import Clock
from modeloom.taint import TimingChannel
from modeloom.verification.clocks import check_paths, crossing_control
from modeloom.verification.front import front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject

RATIOS = {
    "unequal periods": None, "faster hosts": {"aclk": Clock(1000), "clk_host": Clock(270, 30, 90), "clk_data": Clock(610, 100)},
    "slower hosts": {"aclk": Clock(300), "clk_host": Clock(1900, 3, 400), "clk_data": Clock(700)},
    "another phase": {"aclk": Clock(1000), "clk_host": Clock(1000, 370), "clk_data": Clock(1000, 730)},
}  # fmt: skip
"""When the clocks rise."""

BRIDGE = "_crossings_s_apb"
"""How the name of the module between the clocks of the registers ends."""


def test_the_files_are_those_of_today(clocked_apb):
    compare_files(sector_core(), clocked_apb)
    lint(clocked_apb)


def test_what_tells_of_it(clocked_apb):
    """``core.json``, the datasheet, the constraints, and the scripts for Vivado."""
    d = read_description(clocked_apb)
    assert (d.front.kind, d.front.bus, d.front.clocks.reset_asynchronous) == ("registers", "apb", True)
    buses = {one.name: one.buses for one in d.front.clocks.clocks}
    assert buses == {"clk_host": ("s_apb",), "clk_data": ("s_axis", "m_axis")}
    ports = [port.name for port in d.front.ports]
    assert ports[:4] == ["aclk", "aresetn", "clk_host", "clk_data"] and {"s_apb_psel", "s_apb_pprot", "clk_host_zeroizing"} <= {*ports}
    assert "`clk_host` is the clock of `s_apb`." in (clocked_apb / "datasheet.md").read_text()
    crossings = [one for one in d.front.clocks.crossings if one.source.startswith("s_apb/")]
    assert sorted(one.kind for one in crossings) == ["bit"] * 2 + ["word"] * 6
    for ending in (".xdc", ".sdc", "_quartus.sdc"):
        text = (clocked_apb / (d.front.top + ending)).read_text()
        assert all(one.target.rpartition("/")[2] in text for one in crossings), ending
    script = (clocked_apb / d.files.vivado_ip).read_text()
    assert re.search(r"clk_host clock]\nmodeloom_parameter \$clock ASSOCIATED_BUSIF s_apb\n", script)
    assert check_paths(clocked_apb, d) > 400


@pytest.mark.parametrize("name", RATIOS)
def test_sectors_at_several_ratios(clocked_apb, name):
    """Keys, work, an erased key, and an erasure of all, over registers."""
    core = SimulatedCore(clocked_apb, optimize=0, front=True, clocks=RATIOS[name])
    bare = SimulatedCore(clocked_apb, optimize=0)
    key, jobs = bytes(range(32)), [Sector(bytes([at]) * 16, bytes(range(64))) for at in range(5)]
    for one in (core, bare):
        one.load_key(key, 1)
    jobs = [Sector(job.tweak, job.data, slot=1) for job in jobs]
    assert core.run(jobs) == bare.run(jobs)
    host = core.registers
    assert host.counter("commands") == host.counter("succeeded") == len(jobs)
    with pytest.raises(RegisterRefused):
        host.read("key_data")
    with pytest.raises(RegisterRefused):
        host.write_bytes(host.address("interrupt_enable"), 7, 7)
    core.load_key(key)
    core.erase_key(1)
    assert host.flag("key_loaded") == 1
    host.zeroize()
    assert host.flag("key_loaded") == 0
    # A write waits until the erasure is over in all clocks.
    host.write("interrupt_enable", 5)
    assert host.read("interrupt_enable") == 5 and not core.simulation.get("clk_host_zeroizing")
    core.load_key(key, 1)
    assert core.run(jobs) == bare.run(jobs)
    assert not core.runner.violations()


def test_the_registers_tell_of_the_erasure_of_queues(clocked_apb):
    """A slow clock of the data holds up the erasure: what the host reads and its event wait for it, as the pin does."""
    clocks = {"aclk": Clock(1000), "clk_host": Clock(700), "clk_data": Clock(100_000)}
    core = SimulatedCore(clocked_apb, optimize=0, front=True, clocks=clocks)
    host, pin = core.registers, lambda: core.simulation.get("zeroizing")
    host.wait_for("zeroizing")
    assert not pin()
    host.write("interrupt_pending", 7)
    host.write("control", 1)
    seen = False
    while host.flag("zeroizing"):
        seen |= bool(pin())
        assert not host.read("interrupt_pending") or not pin()
    assert seen and not pin() and host.read("interrupt_pending") == 2


def test_the_driver_stays_as_it_is(clocked_apb, tmp_path):
    source = clocked_apb / "modeloom.c"
    assert source.read_bytes() == (SOURCE.parent / "driver" / "modeloom.c").read_bytes()
    driver = ctypes.CDLL(str(compile_c(tmp_path / "driver.so", [source], shared=True)))
    board = Board(driver, clocked_apb).opened()
    key = bytes(range(32))
    assert board.call("load_key", 1, key, ctypes.c_size_t(len(key)), POLLS) == OK
    assert board.has_key(1) == 1 and board.has_key(0) == 0
    job = Sector(bytes(16), bytes(range(64)), slot=1)
    bare = SimulatedCore(clocked_apb, optimize=0)
    bare.load_key(key, 1)
    assert board.sim.run([job]) == bare.run([job])
    assert board.call("zeroize", POLLS) == OK and board.has_key(1) == 0


@slow
def test_checks_of_sectors(clocked_apb):
    figures = figures_of(SectorWork(Subject(clocked_apb, optimize=1)))
    assert figures["front"]["control_signals"] > 1000
    assert figures["clocks"]["words_that_differed"] > 100 and figures["registers"]["sectors"] == 72


def test_a_leak_is_found(clocked_apb, tmp_path):
    folder = changed(clocked_apb, tmp_path / "core", r"(assign core_psel = psel_reg)", r"\1 & ~pwdata_reg[7]", BRIDGE)
    with pytest.raises(TimingChannel, match="core_s_apb_psel"):
        crossing_control(folder / read_description(folder).front.verilog, read_description(folder))


@slow
def test_a_key_that_stays_in_the_bridge_is_found(clocked_apb, tmp_path):
    """The word that a host wrote last is that of a key."""
    folder = changed(clocked_apb, tmp_path / "core", r"if \(request_reg & to_host_o\) data_reg <= 32'h0;\s+else if", "if", BRIDGE)
    clocks = list(front_steps(SectorWork(Subject(folder, optimize=1))))[1]
    with pytest.raises(CheckFailed, match="s_apb.data_reg depends on keys or data after zeroize"):
        clocks()
