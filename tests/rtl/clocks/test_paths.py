# SPDX-License-Identifier: Apache-2.0
"""The paths between clocks: those that are listed, and faults that the check of the netlist finds."""

from __future__ import annotations

import pytest
from tests.rtl.clocks.bench import SECOND, verilog
from tests.rtl.clocks.faults import TOLD, changed, netlist

from modeloom.emit import CheckFailed
from modeloom.product.description import Result, Secret
from modeloom.rtl.clocks import CrossingParameters, crossing_paths
from modeloom.taint import check_netlist
from modeloom.verification.crossings import check_netlist_paths


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("crossings") / "crossings.v"
    path.write_text(verilog(SECOND))
    return netlist(path)


def test_there_are_no_other_paths(good):
    assert check_netlist_paths(good, TOLD) > 200


def test_nothing_depends_on_what_a_bus_carries(good):
    for name in ("s_axis_tdata", "core_m_axis_tdata", "core_m_axis_status_tdata", "s_axis_key_tdata", "s_axil_wdata"):
        out = name.removeprefix("core_") if name.startswith("core_") else f"core_{name}"
        assert check_netlist(good, [Secret("data", name, 0, 32)], [Result(out, 32)]).control > 100


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
        assert check_netlist_paths(wrong, TOLD)
        return
    with pytest.raises(CheckFailed, match=message):
        check_netlist_paths(wrong, TOLD)
