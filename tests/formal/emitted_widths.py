# SPDX-License-Identifier: Apache-2.0
"""Converters of ``--data-width`` as they are emitted: Amaranth, the passes of ``modeloom.emit``, Verilog, and back into a netlist."""

from __future__ import annotations

from functools import lru_cache

from tests.formal.emitted_bus import machine_of
from tests.formal.machine import Machine

from modeloom.rtl.width import WidthConverters, WidthParameters
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = ["TOP", "WIDTHS", "width_machine", "width_verilog"]

TOP = "width"

WIDTHS = {
    "sectors, a lane, 32 bits": WidthParameters(16, 4),
    "sectors, a lane, 256 bits": WidthParameters(16, 32),
    "sectors, a lane, 1024 bits": WidthParameters(16, 128),
    "sectors, four lanes, 32 bits": WidthParameters(64, 4),
    "sectors, four lanes, 256 bits": WidthParameters(64, 32),
    "sectors, four lanes, 1024 bits": WidthParameters(64, 128),
    "messages on the wire, 64 bits": WidthParameters(16, 8, cut=True),
    "messages on the wire, two lanes, 512 bits": WidthParameters(32, 64, cut=True),
    "messages, 32 bits": WidthParameters(16, 4, parts=True, cut=True),
    "messages, 256 bits": WidthParameters(16, 32, parts=True, cut=True),
    "messages, 1024 bits": WidthParameters(16, 128, parts=True, cut=True),
    "messages, two lanes, 32 bits": WidthParameters(32, 4, parts=True, cut=True),
    "channels, 32 bits": WidthParameters(16, 4, 3, parts=True, cut=True),
    "channels, 256 bits": WidthParameters(16, 32, 3, parts=True, cut=True),
    "channels, 1024 bits": WidthParameters(16, 128, 16, parts=True, cut=True),
    "channels, four lanes, 32 bits": WidthParameters(64, 4, 4, parts=True, cut=True),
}  # fmt: skip
"""The converters that are proved: the bytes of a beat of the core and of the host, channels, and forms of packets."""


@lru_cache
def width_verilog(parameters: WidthParameters) -> str:
    """Verilog of ``WidthConverters``, made as ``modeloom.emit`` makes that of a core."""
    return inner_verilog(component_rtlil(WidthConverters(parameters), TOP), TOP)


@lru_cache
def width_machine(which: str) -> Machine:
    """The transition system of converters."""
    return machine_of(width_verilog(WIDTHS[which]), TOP)
