# SPDX-License-Identifier: Apache-2.0
"""The parts of the buses that only cores for sectors have: commands, sector packets, the entry into the engine, the result buffer."""

from modeloom.rtl.bus.sector.core import CoreBus
from modeloom.rtl.bus.sector.parameters import FLAT_PORTS, BufferParameters, BusParameters, SectorParameters, SectorSize

__all__ = ["FLAT_PORTS", "BufferParameters", "BusParameters", "CoreBus", "SectorParameters", "SectorSize"]
