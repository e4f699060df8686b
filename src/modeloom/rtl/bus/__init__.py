# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream buses around an engine: commands, sectors, results, statuses, keys."""

from .core import CoreBus
from .key_port import key_schedule_signature
from .parameters import BusParameters
from .ports import FLAT_PORTS

__all__ = ["FLAT_PORTS", "BusParameters", "CoreBus", "key_schedule_signature"]
