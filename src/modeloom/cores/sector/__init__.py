# SPDX-License-Identifier: Apache-2.0
"""The generator of cores for sectors of fixed sizes: buses around the engine of a compiled mode, and the files of such a core.

::

    hardware     the component, and the sizes of its buses
    core         SectorCore: a compiled mode as a Core
    describe     the contents of core.json: cycles at the pins, the cipher, the hash of the definition
    bench        the bench and its commands
    rules        assertions for simulation
    sheet        sections of the datasheet
    page         its pictures
"""

from modeloom.cores.sector.core import SectorCore, listings, options_of, same_core
from modeloom.cores.sector.describe import interval_pins, latency_pins
from modeloom.cores.sector.hardware import CORE_PORTS, ModeCore, bus_parameters, core_requests, erase_cycles, key_erase_cycles

__all__ = [
    "CORE_PORTS", "ModeCore", "SectorCore", "bus_parameters", "core_requests", "erase_cycles", "interval_pins", "key_erase_cycles",
    "latency_pins", "listings", "options_of", "same_core",
]  # fmt: skip
