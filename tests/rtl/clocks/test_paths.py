# SPDX-License-Identifier: Apache-2.0
"""The paths between clocks: those that are listed, and faults that the check of the netlist finds."""

from __future__ import annotations

import pytest
from tests.rtl.clocks.bench import SECOND, verilog
from tests.rtl.clocks.faults import changed, netlist, told
from tests.rtl.clocks.registers import PARAMETERS

from modeloom.emit import CheckFailed
from modeloom.interfaces.front import APB, AXI_LITE, REGISTER_BUSES
from modeloom.product.description import Result, Secret
from modeloom.rtl.clocks import CrossingParameters, crossing_paths
from modeloom.taint import TimingChannel, check_netlist
from modeloom.verification.clocks import check_netlist_paths


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The netlists with each bus of registers."""
    found = {}
    for bus, parameters in PARAMETERS.items():
        path = tmp_path_factory.mktemp("crossings") / "crossings.v"
        path.write_text(verilog(parameters))
        found[bus] = netlist(path)
    return found


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_there_are_no_other_paths(good, bus):
    assert check_netlist_paths(good[bus], told(PARAMETERS[bus])) > 200


CARRIED = {
    AXI_LITE: ("s_axis_tdata", "core_m_axis_tdata", "core_m_axis_status_tdata", "s_axis_key_tdata", "s_axil_wdata", "core_s_axil_rdata"),
    APB: ("s_apb_pwdata", "core_s_apb_prdata"),
}  # fmt: skip


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_nothing_depends_on_what_a_bus_carries(good, bus):
    for name in CARRIED[bus]:
        out = name.removeprefix("core_") if name.startswith("core_") else f"core_{name}"
        assert check_netlist(good[bus], [Secret("data", name, 0, 32)], [Result(out, 32)]).control > 100


def test_one_clock_has_no_paths():
    assert crossing_paths(CrossingParameters(high=True)) == ()
    assert [one.kind for one in crossing_paths(CrossingParameters(asynchronous=True))] == ["reset", "bit"]


FAULTS = {
    "a synchroniser with one register": (
        "crossings_s_axis_to_read", "assign o = stable_reg;", "assign o = meta_reg;", "s_axis/to_read/meta_reg has no second register"
    ),
    "logic before a synchroniser": (
        "crossings_s_axis_to_read", "meta_reg <= i;", "meta_reg <= i ^ (i >> 1);", "does not take s_axis/w_gray_reg as it is"
    ),
    "a place without its synchroniser": (
        "crossings_s_axis", r"get = r_gray_reg != to_read_o", "get = r_gray_reg != (to_read_o | w_gray_reg)", "which is of clk_data"
    ),
    "a valid that goes past its queue": (
        "crossings", r"(assign core_s_axis_tvalid = )", r"\1s_axis_tvalid & ", "core_s_axis_tvalid is of aclk, and depends on s_axis_tvalid"
    ),
    "a queue that is written by both sides": (
        "crossings_s_axis", r"(assign port_addr = erase_we)", r"\1 ^ o_ready", "depends on|written in clk_data"
    ),
    "an interrupt without its register": (
        "crossings", r"\.i\(irq_reg\)", ".i(core_irq)", "from irq_reg to interrupt/meta_reg, which is not there"
    ),
    "a count in plain binary": ("crossings_taken_ends", r"seen <= after \^", "seen <= after |", None),
}  # fmt: skip
"""Module, what stands there, what stands there instead, and what the check says.  Some cannot be seen in the netlist."""


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name, tmp_path):
    module, pattern, other, message = FAULTS[name]
    wrong = netlist(changed(tmp_path, module, pattern, other))
    if message is None:
        # The proofs and the simulation look at values.
        assert check_netlist_paths(wrong, told(SECOND))
        return
    with pytest.raises(CheckFailed, match=message):
        check_netlist_paths(wrong, told(SECOND))


APB_FAULTS = {
    "a select without its register": (
        r"core_psel = psel_reg", "core_psel = bus_psel & psel_reg", "core_s_apb_psel is of aclk, and depends on s_apb_psel"
    ),
    "an answer without its synchroniser": (r"bus_pready <= request_reg & to_host_o", r"bus_pready <= request_reg & answer_reg",
                                           "s_apb_pready is of clk_host, and depends on s_apb.answer_reg"),
}  # fmt: skip
"""What stands in the bridge of APB, what stands there instead, and what the check says."""


@pytest.mark.parametrize("name", APB_FAULTS)
def test_faults_of_apb_are_found(name, tmp_path):
    pattern, other, message = APB_FAULTS[name]
    wrong = netlist(changed(tmp_path, "crossings_s_apb", pattern, other, PARAMETERS[APB]))
    with pytest.raises(CheckFailed, match=message):
        check_netlist_paths(wrong, told(PARAMETERS[APB]))


def test_a_transfer_that_waits_for_its_data_is_found(tmp_path):
    """When it begins in the core depends on what is written, on a path that is listed for the data."""
    wrong = netlist(changed(tmp_path, "crossings_s_apb", r"(core_psel = psel_reg)", r"\1 & ~pwdata_reg[3]", PARAMETERS[APB]))
    assert check_netlist_paths(wrong, told(PARAMETERS[APB]))
    with pytest.raises(TimingChannel, match="core_s_apb_psel"):
        check_netlist(wrong, [Secret("data", "s_apb_pwdata", 0, 32)], [Result("core_s_apb_pwdata", 32)])
