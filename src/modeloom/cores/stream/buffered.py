# SPDX-License-Identifier: Apache-2.0
"""A core for messages that stores messages to seal: its sizes, its figures and its hardware."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from amaranth.lib import wiring

from modeloom import cycles
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.stream.derived import derived_bus, derived_latency, derived_parameters, deriver_ciphers, master_erase_cycles
from modeloom.cores.stream.hardware import StreamHardware, bus_parameters, key_erase_cycles, latency
from modeloom.cycles.messages import BUFFER_SLACK
from modeloom.interfaces.table import CoreShape
from modeloom.rtl.bus.ports import FlatPort, flat_ports
from modeloom.rtl.stream.buffered import BufferedBus, BufferedParameters
from modeloom.rtl.stream.bus import MessageBus
from modeloom.rtl.stream.derived import DerivedParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.spec import InputError

__all__ = ["BufferedHardware", "buffered_erase_cycles", "buffered_key_erase_cycles", "buffered_latency", "buffered_parameters"]


def buffered_parameters(compiled: CompiledStream) -> BufferedParameters:
    """The sizes of the part that stores messages.  Raises ``InputError`` if the buses do not fit the mode."""
    core = bus_parameters(compiled) if compiled.derived is None else derived_parameters(compiled)
    try:
        return BufferedParameters(core=core, nbytes=compiled.options.message_buffer or 0)
    except ValueError as error:
        raise InputError(f"{compiled.mode.name}: --message-buffer does not fit this core: {error}") from error


def buffered_latency(compiled: CompiledStream) -> int:
    """The largest number of cycles from the first beat of text in to the first beat out, for a message of one beat in an idle core: those
    of the first pass to its tag, and those of the second one to its text."""
    p = bus_parameters(compiled)
    pass_cycles = (latency if compiled.derived is None else derived_latency)(compiled)
    first = next(p.starts)
    steps = [*([first] if p.program(first).tokens else []), "absorb", "tag"]
    return 2 * pass_cycles - p.text_stage + p.entry_cycles(*steps) + p.window + p.tag_stage + BUFFER_SLACK


def buffered_erase_cycles(compiled: CompiledStream) -> int:
    """The number of cycles that a core takes to overwrite everything, after the last cycle with a reset or ``zeroize``."""
    p = buffered_parameters(compiled)
    return cycles.zeroize_cycles(p.erase_words, p.flush)


def buffered_key_erase_cycles(compiled: CompiledStream) -> int:
    """As in the core without the buffer, which holds no key."""
    return (key_erase_cycles if compiled.derived is None else master_erase_cycles)(compiled)


class BufferedHardware(StreamHardware):
    """The core of a compiled stream mode that stores messages to seal."""

    @cached_property
    def buffered(self) -> BufferedParameters:
        """The sizes of the part that stores messages."""
        return buffered_parameters(self.compiled)

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self.buffered

    @property
    def swept(self) -> tuple[int, int]:
        """As in every core, with the memory of messages."""
        return self.buffered.erase_words, self.buffered.flush

    def ports_of(self, parameters: MessageParameters) -> tuple[FlatPort, ...]:
        """The ports of a core with one pass."""
        return tuple(port for interface in self.buffered.interfaces for port in flat_ports(interface))

    def derivers(self) -> DerivedParameters | None:
        """The sizes of the part that derives keys; None if there is none."""
        return None if self.compiled.derived is None else derived_parameters(self.compiled)

    def deriver_ciphers(self) -> Sequence[Any]:
        """The ciphers of this part."""
        return () if self.compiled.derived is None else deriver_ciphers(self.compiled)

    def buses(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The buffer and the core behind it."""
        core = (
            MessageBus(self.parameters, pipeline, schedules) if self.compiled.derived is None
            else derived_bus(self.compiled, pipeline, schedules)
        )
        return BufferedBus(self.buffered, core)
