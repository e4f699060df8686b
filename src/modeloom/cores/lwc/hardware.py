# SPDX-License-Identifier: Apache-2.0
"""A whole core behind the LWC interface: the buses, the pipeline of a compiled stream mode, and the flat port names of the emitted top.

The core and its ports::

    aclk, aresetn,   ┌──────────────────────────────────────────────────────┐
    zeroize      ──▶ │ Zeroizer ──▶ reset, zeros to all memories            │ ──▶ zeroizing
    pdi_*        ──▶ │ LwcBus ◀──▶ MessageBus ◀──▶ TokenPipeline            │ ──▶ do_*
    sdi_*        ──▶ └──────────────────────────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.lib import wiring

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.stream.hardware import StreamHardware, bus_parameters
from modeloom.interfaces.lwc import lwc_core
from modeloom.rtl.bus.ports import FlatPort, flat_ports
from modeloom.rtl.lwc import LwcBus, LwcParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.spec import InputError

__all__ = ["LwcHardware", "lwc_parameters"]


def lwc_parameters(compiled: CompiledStream) -> LwcParameters:
    """The sizes of the interface.  Raises ``InputError`` if it does not fit the mode."""
    messages = bus_parameters(compiled)
    try:
        return LwcParameters(messages=messages, word_bits=compiled.options.interface_bits or 0)
    except ValueError as error:
        raise InputError(f"{compiled.mode.name}: the LWC interface does not fit this mode: {error}") from error


class LwcHardware(StreamHardware):
    """The core of a compiled stream mode with this interface; ports as in ``interfaces.lwc``."""

    QUIET = ("pdi.ready", "sdi.ready", "do.valid")
    QUIET_PAYLOADS = ("do.payload",)

    def __init__(self, compiled: CompiledStream, parameters: LwcParameters | None = None):
        self.lwc = parameters or lwc_parameters(compiled)
        super().__init__(compiled, self.lwc.messages)

    def ports_of(self, parameters: MessageParameters) -> tuple[FlatPort, ...]:
        """The ports of the interface."""
        return tuple(port for interface in lwc_core(self.lwc.word_bits) for port in flat_ports(interface))

    def buses(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The interface around the message control."""
        return LwcBus(self.lwc, pipeline, schedules)
