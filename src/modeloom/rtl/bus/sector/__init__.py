# SPDX-License-Identifier: Apache-2.0
"""The parts of the buses that only cores for sectors have: commands, sector packets, the entry into the engine, the result buffer."""

from .core import CoreBus
from .parameters import BufferParameters, BusParameters, SectorParameters, SectorSize
from .ports import FLAT_PORTS

__all__ = ["FLAT_PORTS", "BufferParameters", "BusParameters", "CoreBus", "SectorParameters", "SectorSize"]
