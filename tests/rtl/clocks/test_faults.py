# SPDX-License-Identifier: Apache-2.0
"""Faults in crossings that the simulation finds."""

from __future__ import annotations

import pytest
from tests.rtl.clocks import test_crossings
from tests.rtl.clocks.bench import Bench
from tests.rtl.clocks.faults import changed, library

# With a fast core, words that the host has set back are overwritten like words that were read, before the sweep comes to them.  With
# equal clocks of the host, the erasure of the other clock lasts long enough for both.
FAULTS = {
    "the sweep of the host skips a word": (
        "crossings_clk_data_host", r"answer \| erase_address == 4'hf", "answer | erase_address == 4'he", "test_nothing_is_left", "2:3"
    ),
    "the sweep of the core skips a word": (
        "crossings_clk_data_core", r"swept_reg \| erase_address == 4'hf", "swept_reg | erase_address == 4'he", "test_nothing_is_left", "7:3"
    ),
    "a word that was read stays": (
        "crossings_s_axis", r"port_en = put \| wipes", "port_en = put", "test_what_was_read_is_overwritten_without_an_erasure", "7:3"
    ),
    "the core does not wait for the host": (
        "crossings_clk_data_core", r"if \(answer & ~reset\)", "if (~reset)", "test_an_erasure_in_the_middle", "slow data"
    ),
    "a full queue takes a word": (
        "crossings_s_axis", r"full = w_gray_reg == \(to_write_o \^ 5'h18\)", "full = w_gray_reg == (to_write_o ^ 5'h10)",
        "test_all_beats_come_once_and_in_order", "7:3",
    ),
    "a status overtakes its data": (
        "crossings_order", r"may = ~may_difference\[11\]", "may = 1'b1", "test_a_status_comes_after_its_data", "7:3"
    ),
}  # fmt: skip
"""Module, what stands there, what stands there instead, the test that finds it, and the clocks."""


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name, tmp_path, monkeypatch):
    module, pattern, other, test, clocks = FAULTS[name]
    wrong = library(changed(tmp_path, module, pattern, other))
    monkeypatch.setattr(test_crossings, "Bench", lambda *given, **more: Bench(*given, **more, path=wrong))
    more = ["zeroize"] if test == "test_an_erasure_in_the_middle" else []
    with pytest.raises(AssertionError):
        getattr(test_crossings, test)(clocks, *more)
