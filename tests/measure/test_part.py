# SPDX-License-Identifier: Apache-2.0
"""A part of a core that is mapped alone."""

from __future__ import annotations

import pytest
from tests.streamed import TINY, folder

from modeloom.measure.area import measure_part
from modeloom.product.folder import read_description
from modeloom.spec import UnknownName


def test_a_part_of_a_core() -> None:
    """The key schedule has a word of 32 bits and its S-boxes, and nothing of the pipeline."""
    place = folder(**TINY)
    found = measure_part(place, "core.bus.key_schedule", "xc7")
    name = read_description(place).name
    assert found["design"] == f"{name}_core_bus_key_schedule" and 0 < found["luts"] < 1000 and found["pairs"] >= found["luts"]
    with pytest.raises(UnknownName, match="unknown part of the core 'core.bus.pipelines'; did you mean core.bus.pipeline"):
        measure_part(place, "core.bus.pipelines", "xc7")
