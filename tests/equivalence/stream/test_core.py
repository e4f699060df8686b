# SPDX-License-Identifier: Apache-2.0
"""What the proof reads of a compiled core keeps none of its components, whose warnings a user would see."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module
from tests.streamed import SMALL, TINY, compiled

from modeloom.cores.stream import StreamCore
from modeloom.equivalence.stream.core import Compiled


@pytest.mark.parametrize("options", [SMALL, {**SMALL, "key_bits": None}, TINY])
def test_no_component_is_kept(options: dict[str, Any]) -> None:
    core = StreamCore(compiled("gcm", prove=False, **options))
    # Amaranth warns only if something has been elaborated.
    rtlil.convert(Module(), ports=[])
    gc.collect()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read = Compiled.of(core.component)
        assert read.rounds and {"cipher", "multiplier"} <= set(read.units)
        del read
        gc.collect()
    assert [str(one.message) for one in told] == []
