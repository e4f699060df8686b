# SPDX-License-Identifier: Apache-2.0
"""LED circuits: other options than the generic test takes, and the cost of more streams."""

from __future__ import annotations

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.circuits.units import measured

from modeloom.measure.area import measure_circuit
from modeloom.synth import synthesize
from modeloom_circuits import find_circuit

CASES = [
    ("led", {"key_bits": 128}),
    ("led-multistream", {"key_bits": 64, "streams": 2}),
    ("led-multistream", {"key_bits": 128, "streams": 3, "lut_inputs": 4}),
]


def test_declared_latency_and_interval():
    several = [find_circuit(name).build(**options) for name, options in CASES]
    assert measured(*several) == [(built.component.latency, built.component.interval) for built in several]


MOST = [("xc3se", 64, 310), *slowly(("xc7", 64, 270), ("xc3se", 128, 375), ("xc7", 128, 330))]
"""Target, size of the key, and the most LUTs that the goals of the project allow."""


@pytest.mark.parametrize(("target", "key_bits", "most"), MOST)
def test_three_streams_cost_no_luts(target, key_bits, most):
    """luts2017, section 4.3 and Table 8: no additional area, and 128 more registers (202 and 74 there)."""
    one, three = (
        measure_circuit(name, target=target, gates=False, key_bits=key_bits) for name in ("led", "led-multistream")
    )
    assert three["luts"] <= min(1.02 * one["luts"], most)
    assert three["ffs"] - one["ffs"] in range(128, 132)
    # The registers of all stages stand behind LUTs. Those of the control do not.
    assert three["pairs"] <= 1.02 * one["pairs"]
    assert three["levels"] <= one["levels"] - 2
    assert (one["interval"], three["interval"]) == (one["rounds"], 3 * three["rounds"])


def test_compact_mapping_knows_no_larger_luts():
    """``xilinx_dffopt`` moves enables and resets into LUTs, which then had five and six inputs."""
    design = rtlil.convert(find_circuit("led").build(lut_inputs=4).component, name="led")
    cells = synthesize(design, "led", "xc3se", mapper="compact").cells
    assert cells["LUT4"] > 100 and not {"LUT5", "LUT6"} & set(cells)
