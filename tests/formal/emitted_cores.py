# SPDX-License-Identifier: Apache-2.0
"""Whole cores for messages as they are emitted, with the parts in front of their message control.

Ciphers are the smallest ones where a core may have them.  No rule of the streams depends on what they compute.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests import streamed
from tests.formal.emitted_bus import machine_of
from tests.formal.machine import Machine

from modeloom.cores.lwc import LwcCore
from modeloom.cores.stream import StreamCore
from modeloom.layers import Stack
from modeloom.layers.buffer import BufferedParameters
from modeloom.layers.lwc.parameters import LwcParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = ["BUFFERED", "CORES", "SEGMENTS", "TOP", "buffered_of", "core_machine", "core_verilog", "lwc_of", "message_part", "messages_of"]

TOP = "core"


@dataclass(frozen=True)
class EmittedCore:
    """A mode, the options of its core, and the path of the message control in it."""

    mode: str
    options: dict[str, Any]
    part: str = "bus."


SMALL: dict[str, Any] = {"cipher_arch": "multistream", "streams": 1}
SLOTS: dict[str, Any] = {**SMALL, "key_slots": 2}
DERIVED: dict[str, Any] = {**SLOTS, "key_bits": 128, "keys": "derived", "cipher_stages": None, "mul_stages": 0}

CORES = {
    "two passes": EmittedCore("deoxys-ii", SLOTS),
    "stored": EmittedCore("deoxys-ii", {**SLOTS, "message_buffer": 256}, "bus.core."),
    "derived": EmittedCore("gcm-siv", DERIVED, "bus.messages."),
    "derived stored": EmittedCore("gcm-siv", {**DERIVED, "message_buffer": 256}, "bus.core.messages."),
    "text first": EmittedCore("deoxys-i", {**SLOTS, "order": "text-first"}),
    "text first held": EmittedCore("deoxys-i", {**SLOTS, "order": "text-first", "hold": 64}),
    "segments": EmittedCore("deoxys-i", {**SMALL, "interface": "lwc"}, "bus.messages."),
    "segments held": EmittedCore("deoxys-i", {**SMALL, "interface": "lwc", "hold": 64}, "bus.messages."),
}
"""The cores that are proved."""

BUFFERED = tuple(name for name, core in CORES.items() if "message_buffer" in core.options)
SEGMENTS = tuple(name for name, core in CORES.items() if core.options.get("interface") == "lwc")


def _compiled(name: str):
    core = CORES[name]
    return streamed.compiled(core.mode, prove=False, **core.options)


@lru_cache
def core_verilog(name: str) -> str:
    """Verilog of a core, without the comments of its modules."""
    core = (LwcCore if name in SEGMENTS else StreamCore)(_compiled(name))
    return inner_verilog(component_rtlil(core.component(), TOP), TOP)


@lru_cache
def core_machine(name: str) -> Machine:
    """The transition system of a core."""
    return machine_of(core_verilog(name), TOP)


def message_part(name: str, machine: Machine | None = None) -> Machine:
    """The same with the names of its message control."""
    return (machine or core_machine(name)).part(CORES[name].part)


def messages_of(name: str) -> MessageParameters:
    """The sizes of the message control."""
    return Stack(_compiled(name)).parameters


def buffered_of(name: str) -> BufferedParameters:
    """The sizes of the part that stores messages."""
    return Stack(_compiled(name)).top.sizes


def lwc_of(name: str) -> LwcParameters:
    """The sizes of the LWC interface."""
    return Stack(_compiled(name)).top.words
