# SPDX-License-Identifier: Apache-2.0
"""Place and route of tiny designs, on request: the tool is an extra, and is translated for the machine when it first runs.

Run: pip install -e '.[pnr]'; python -m pytest --slow tests/synth/test_nextpnr.py
"""

import pytest
from tests.built import slow
from tests.external import needs
from tests.synth.designs import Adder, Rom, convert

from modeloom.synth import SynthesisError, synthesize
from modeloom.synth.flow import PLACERS, ROUTERS

pytestmark = [
    slow,
    needs("nextpnr-ecp5"),
]


def test_clock_and_utilisation():
    results = [synthesize(convert(Adder(16), "adder"), "adder", "ecp5", pnr=True, freq=100) for _ in range(2)]
    assert results[0] == results[1]
    result = results[0]
    assert 100 < result.clock_mhz < 1000
    assert result.clock_target_mhz == 100
    assert result.utilisation["FF"]["used"] == 48
    assert result.utilisation["COMB"]["used"] >= result.luts
    assert "nextpnr-ecp5" in result.tools


@pytest.mark.parametrize(("what", "names"), [("placer", PLACERS), ("router", ROUTERS)])
def test_placers_and_routers(what, names):
    """Each makes something of it; which one did is in the result."""
    one, two = (synthesize(convert(Adder(16), "adder"), "adder", "ecp5", pnr=True, freq=100, **{what: name}) for name in names)
    assert (getattr(one, what), getattr(two, what)) == names and one.utilisation == two.utilisation
    assert one.clock_mhz > 100 and two.clock_mhz > 100
    assert (one.timing_weight, two.timing_weight) == (1000, None if what == "placer" else 1000)


def test_ports_are_no_limit():
    result = synthesize(convert(Adder(600), "adder"), "adder", "ecp5", pnr=True, freq=50)
    assert result.utilisation["FF"]["used"] == 1800
    assert result.clock_mhz > 20


def test_design_without_clock():
    with pytest.raises(SynthesisError, match="no clock"):
        synthesize(convert(Rom(), "rom"), "rom", "ecp5", pnr=True)
