# SPDX-License-Identifier: Apache-2.0
"""Payloads of commands and statuses, and the flat ports of a core for sectors."""

from __future__ import annotations

from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE, STATUSES, StatusCode
from modeloom.interfaces.shared import CONTROL
from modeloom.rtl.bus.ports import FlatPort, fields_layout, flat_ports

__all__ = ["CODE_BITS", "COMMAND", "FLAT_PORTS", "STATUS"]

COMMAND = fields_layout(COMMANDS)
"""The layout of a command, bit 0 first."""

STATUS = fields_layout(STATUSES)
"""The layout of a status, bit 0 first."""

CODE_BITS = max(StatusCode).bit_length()
"""The width of the largest status code."""

FLAT_PORTS: tuple[FlatPort, ...] = tuple(port for interface in SECTOR_CORE if interface is not CONTROL for port in flat_ports(interface))
"""The ports of the buses in the order of the emitted top.  They stand behind ``aclk`` and ``aresetn``."""
