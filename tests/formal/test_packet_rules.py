# SPDX-License-Identifier: Apache-2.0
"""The verdict on every packet is proved to be that of docs/interfaces.md, of packets of any length; and each step can fail."""

from __future__ import annotations

import pytest
from tests.built import slowly
from tests.formal.emitted_bus import SIZES, SMALL, bus_verilog, machine_of
from tests.formal.packet_rules import check_packets
from tests.formal.proof import Counterexample
from tests.verilog_edit import edit_module


@pytest.mark.parametrize("size", SIZES)
def test_verdict_on_packets(size: str) -> None:
    """The buses give every packet the status that the rules require, which is proved for all packets."""
    check_packets(machine_of(bus_verilog(SIZES[size])), SIZES[size])


FAULTS = {
    "the last byte is not missed": ("bus_sector_check", r"~i_payload\[136\],", "1'h0,", "beats_are_checked"),
    "gaps in tkeep are not seen": ("bus_sector_check", r"\|\(~i_payload\[142:128\]", "1'h0 & |(~i_payload[142:128]", "beats_are_checked"),
    "a byte outside tkeep is kept": ("bus_sector_check", r"(i_payload\[47:40\]) & \{8\{i_payload\[133\]\}\}", r"\1", "beats_are_checked"),
    "beats behind the end are forgotten": ("bus_sector", r"(else if \(final_reg\) overrun_reg <=) 1'h1", r"\1 1'h0", "counters_follow"),
    "a bad beat is forgotten": ("bus_sector", r"if \(accept\) bad_reg <= [^;]*;", "if (accept) bad_reg <= 1'h0;", "counters_follow"),
    "a packet that is too long is too short": ("bus_sector", r"overrun_reg \? 2'h2 :", "overrun_reg ? 2'h1 :", "verdict_is_right"),
    "a packet a beat short is good": ("bus_sector", r"(slice_o_payload\[131:130\] :\s+)2'h1;", r"\g<1>2'h0;", "verdict_is_right"),
    "beats change places": (
        "bus_sector_slice", r"from_reg \? payload1_reg : payload0_reg", "from_reg ? payload0_reg : payload1_reg", "beats_stay_in_order",
    ),
    "a code loses a bit": ("bus_entry", r"(drop_code_reg) <= (\w+);", r"\1 <= \2 & 3'h6;", "code_is_the_verdict"),
}  # fmt: skip
"""Faults: module, pattern, replacement, and the step that does not hold any more."""


@pytest.mark.parametrize("fault", [fault if n % 4 == 3 else slowly(fault)[0] for n, fault in enumerate(FAULTS)])
def test_faults_break_the_proof(fault: str) -> None:
    module, pattern, replacement, step = FAULTS[fault]
    with pytest.raises(Counterexample, match=step):
        check_packets(machine_of(edit_module(bus_verilog(SMALL), module, pattern, replacement)), SMALL)
