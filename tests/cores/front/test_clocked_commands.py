# SPDX-License-Identifier: Apache-2.0
"""Commands over registers that have a clock of their own: their files, messages and statuses, the driver in C, checks, and faults."""

from __future__ import annotations

import pytest
from tests.built import slow
from tests.cores.front.checks import changed, compare_files, figures_of
from tests.cores.front.cores import message_core, sector_core

from modeloom import model
from modeloom.cores.front import clock_options, front_of
from modeloom.emit import CheckFailed, emit, lint
from modeloom.product.folder import read_description
from modeloom.product.message import Message
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.sim import AT_REST, Clock
from modeloom.verification.clocks import check_paths, crossing_control
from modeloom.verification.front import front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject
from modeloom.verification.stream import MessageWork
from modeloom.verification.stream.host import StreamSubject

KEY = bytes(range(16))

RATIOS = {
    "unequal periods": None, "faster registers": {"aclk": Clock(1000), "clk_host": Clock(270, 30, 90), "clk_data": Clock(2310, 100)},
    "slower registers": {"aclk": Clock(300), "clk_host": Clock(1900, 3, 400), "clk_data": Clock(170)},
}  # fmt: skip
"""When the clocks rise."""


def test_the_files_are_those_of_today(clocked_commands):
    compare_files(message_core(), clocked_commands)
    lint(clocked_commands)


def test_what_tells_of_it(clocked_commands):
    """There are no streams for commands and statuses, and the order of statuses and data is no port."""
    d = read_description(clocked_commands)
    assert (d.front.commands, d.front.bus) == ("registers", None)
    assert {one.name: one.buses for one in d.front.clocks.clocks} == {"clk_host": ("s_axil",), "clk_data": ("s_axis", "m_axis")}
    ports = {port.name for port in d.front.ports}
    assert not any(name.startswith(("s_axis_cmd", "m_axis_status", "status_")) for name in ports)
    crossings = {(one.kind, one.source, one.target) for one in d.front.clocks.crossings}
    assert ("gray", "taken_ends/seen", "order/to_statuses/meta_reg") in crossings
    assert check_paths(clocked_commands, d) > 300
    assert crossing_control(clocked_commands / d.front.verilog, d) > 100


@pytest.mark.parametrize("name", RATIOS)
def test_messages_at_several_ratios(clocked_commands, name):
    """The text is there when its status is read, and an erasure leaves no status."""
    core = SimulatedStreamCore(clocked_commands, front=True, optimize=0, clocks=RATIOS[name], gaps={"m_axis": 0.3})
    reference, host = model("ccm", KEY), core.registers
    core.load_key(KEY)
    nonce = bytes(core.description.nonces[0])
    for ad, text in ((0, 0), (5, 20), (70, 100)):
        given = nonce, bytes(range(text)), bytes(range(ad))
        sealed = core.seal(*given)
        assert sealed == reference.seal(*given) and core.open(nonce, sealed, given[2]) == given[1]
    assert host.counter("commands") == host.counter("succeeded") == 6
    assert host.poll() is None
    host.zeroize()
    assert host.flag("key_loaded") == 0 and host.poll() is None
    core.load_key(KEY)
    assert core.seal(nonce, bytes(50)) == reference.seal(nonce, bytes(50))
    assert not core.runner.violations()


@slow
def test_checks_of_messages(clocked_commands):
    figures = figures_of(MessageWork(StreamSubject(clocked_commands, optimize=1)))
    assert figures["front"]["control_signals"] > 1000
    assert figures["clocks"]["words_that_differed"] > 50 and figures["registers"]["messages"] > 20


@slow
@pytest.mark.parametrize(("bus", "width", "reset"), [("apb", None, "async-high"), (None, 512, "low")])
def test_checks_of_sectors(tmp_path, bus, width, reset):
    """One clock of the host for all buses."""
    front = front_of("registers", width, clock_options(("all=clk_host",), reset), bus=bus, commands="registers")
    emit(sector_core(), tmp_path / "core", command="modeloom build xts --clock all=clk_host", front=front)
    lint(tmp_path / "core")
    figures = figures_of(SectorWork(Subject(tmp_path / "core", optimize=1)))
    assert figures["clocks"]["words_that_differed"] > 100 and figures["registers"]["sectors"] == 72


FAULTS = {
    "in the core": (r"if \(read_answer_reg & ~read_to_core_o\) r_word_reg <= 34'h0;\s+else if", "if", "_crossings_s_axil"),
    "at the registers": (r"if \(there_reg & bus_rready\) bus_rdata <= 32'h0;\s+else if", "if", "_front_bus"),
}


@slow
@pytest.mark.parametrize("where", FAULTS)
def test_a_tag_that_stays_is_found(clocked_commands, tmp_path, where):
    """The word that the host read last is that of a tag."""
    folder = changed(clocked_commands, tmp_path / "core", *FAULTS[where])
    clocks = list(front_steps(MessageWork(StreamSubject(folder, optimize=1))))[1]
    with pytest.raises(CheckFailed, match="depends on keys or data after zeroize"):
        clocks()


def a_status_waits(folder) -> None:
    """The core has sealed a message, and the host takes none of its text for a while."""
    core = SimulatedStreamCore(folder, front=True, optimize=0)
    core.load_key(KEY)
    core.runner.set_gaps({"m_axis": AT_REST})
    core.send(Message(bytes(core.description.nonces[0]), bytes(40)))
    core.runner.run(max_cycles=4000)
    assert not core.registers.read("command_state") >> 16 & 0xFF, "there is a status"
    core.runner.set_gaps({"m_axis": 0.0})
    core.wait_for_statuses(1, 4000)
    assert core.runner.waiting("m_axis") == 3


def test_a_status_waits_for_its_data(clocked_commands):
    a_status_waits(clocked_commands)


@slow
def test_a_status_before_its_data_is_found(clocked_commands, tmp_path):
    folder = changed(clocked_commands, tmp_path / "core", r"may = ~may_difference\[11\]", "may = 1'b1", "_crossings_order")
    with pytest.raises(AssertionError, match="there is a status"):
        a_status_waits(folder)
