# SPDX-License-Identifier: Apache-2.0
"""The buses of a core alone, as they are emitted: Amaranth, the passes of ``modeloom.emit``, Verilog, and back into a netlist."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.formal.machine import Machine
from tests.rtl.bus.parameters import bus_sizes

from modeloom.rtl.aes import KeySchedule
from modeloom.rtl.aes.key_schedule import SizesKeySchedule
from modeloom.rtl.bus.key_port import KeySchedules
from modeloom.rtl.bus.sector import BusParameters, CoreBus
from modeloom.taint import flat_netlist
from modeloom_verilog.modules import component_rtlil, inner_verilog

TOP = "bus"


@lru_cache
def bus_verilog(parameters: BusParameters) -> str:
    """Verilog of a ``CoreBus`` with AES' key schedule, made as ``modeloom.emit`` makes that of a core."""
    keys = parameters.keys
    if keys.more_key_bits:
        schedule: Any = SizesKeySchedule(keys.sizes)
    else:
        several = len(keys.lengths) > 1
        schedules = [KeySchedule(bits) for bits in keys.lengths]
        schedule = KeySchedules(schedules, keys.round_keys, keys.round_key_bits) if several else schedules[0]
    bus = CoreBus(parameters, schedule)
    return inner_verilog(component_rtlil(bus, TOP), TOP)


def machine_of(verilog: str, top: str = TOP) -> Machine:
    """The transition system of a Verilog text."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "bus.v"
        path.write_text(verilog, encoding="utf-8")
        return Machine(flat_netlist(path, top))


SMALL = bus_sizes(blocks=5, ring_sectors=2, tail=9, key_slots=2)
"""Few states: five beats, one more than may be written ahead, the last one partial, and two places."""

SEVERAL = bus_sizes(blocks=5, ring_sectors=2, tail=9, more_sizes=((2, 0), (3, 4)))
"""Three sizes, two of them with a partial last beat."""

SINGLE = bus_sizes(blocks=2, ring_sectors=3, lanes=2, tail=5, raw_words_after=1, key_words=2)
"""A sector is one beat."""

ONE_BEAT = bus_sizes(blocks=3, ring_sectors=2, tail=9, more_sizes=((1, 0), (2, 4), (1, 3)))
"""Four sizes, two of which are one beat."""

REAL = bus_sizes(blocks=32, ring_sectors=5, key_words=4)
"""A core for 512 bytes."""

KEYS = bus_sizes(
    blocks=2, ring_sectors=2, key_slots=2, cipher_keys=2, distinct_keys=True, raw_words_after=1, key_words=4, derived_keys=((1,), (3,)),
    nonzero_words=(2, 3),
)  # fmt: skip
"""Four cipher keys, two of the host and two of set-up, and all reasons to refuse them."""

LENGTHS = bus_sizes(blocks=2, ring_sectors=2, key_slots=2, cipher_keys=2, fixed_key_bits=((1, 256),), raw_words_after=1, key_words=1)
"""Two cipher keys, the second one of another length."""

KEY_SIZES = bus_sizes(
    blocks=2, ring_sectors=2, key_slots=2, cipher_key_bits=192, more_key_bits=(256, 128), round_keys=15, raw_words_before=1, key_words=1
)  # fmt: skip
"""A word, and a cipher key of three sizes."""

SIZES = {"small": SMALL, "single": SINGLE, "several": SEVERAL, "one beat of several": ONE_BEAT, "512 bytes": REAL}
"""The buses that are proved."""

KEYED = SIZES | {"cipher keys": KEYS, "two lengths": LENGTHS, "key sizes": KEY_SIZES}
"""Those whose rules of keys are proved."""
