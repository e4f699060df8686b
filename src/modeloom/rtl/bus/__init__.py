# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream buses around an engine: commands, sectors, results, statuses, keys."""

from .core import CoreBus
from .key_port import key_schedule_signature
from .parameters import BusParameters
from .ports import FLAT_PORTS, StatusCode, pack_command, unpack_status

__all__ = [
    "FLAT_PORTS",
    "BusParameters",
    "CoreBus",
    "StatusCode",
    "key_schedule_signature",
    "pack_command",
    "unpack_status",
]
