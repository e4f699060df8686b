# SPDX-License-Identifier: Apache-2.0
"""The buses of a core that stores messages to seal: the buffer in front of the core.

::

    cmd, s ──▶ MessageBuffer ──cmd, s──▶ MessageBus or DerivedBus ──▶ m
    status ◀──────┘      ▲────status────────┘
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.layers.buffer.buffer import MessageBuffer
from modeloom.layers.buffer.parameters import BufferedParameters
from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.texts import text_layout

__all__ = ["BufferedBus"]


class BufferedBus(wiring.Component):
    """The buses of a core that stores messages.

    Parameters
    ----------
    parameters : BufferedParameters
    core : MessageBus or DerivedBus
        The core behind, with its pipeline.

    Members
    -------
    cmd, s, m, status, key, key_state
        As in a core with key slots and one pass.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: BufferedParameters, core: Any):
        self.parameters, self.core = parameters, core
        p, slots = parameters, parameters.key_slots
        super().__init__({
            "cmd": In(stream.Signature(p.command)), "s": In(stream.Signature(p.beat)),
            "m": Out(stream.Signature(text_layout(p.messages))), "status": Out(stream.Signature(p.status)),
            "key": In(stream.Signature(key_beat(slots))), "key_state": Out(key_state_signature(slots)),
            "erase": In(1), "erase_address": In(p.erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.buffer = buffer = MessageBuffer(self.parameters)
        m.submodules.core = core = self.core
        for source, target in (
            (wiring.flipped(self.cmd), buffer.cmd), (wiring.flipped(self.s), buffer.s), (buffer.status, wiring.flipped(self.status)),
            (buffer.core_cmd, core.cmd), (buffer.core_s, core.s), (core.status, buffer.core_status),
            (core.m, wiring.flipped(self.m)), (wiring.flipped(self.key), core.key), (core.key_state, wiring.flipped(self.key_state)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        m.d.comb += [
            *(part.erase.eq(self.erase) for part in (buffer, core)),
            *(part.erase_address.eq(self.erase_address) for part in (buffer, core)),
        ]  # fmt: skip
        return m
