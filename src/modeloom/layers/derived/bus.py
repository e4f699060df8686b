# SPDX-License-Identifier: Apache-2.0
"""The buses of a core that derives the keys of messages: master keys in slots, the deriver, and the message control.

::

    key ──▶ KeyPort ──round keys──▶ KeyDeriver ──key packets──▶ MessageBus ──▶ m, status
               └──────key_loaded──▶     ▲  └─────commands────▶     ▲
    cmd ────────────────────────────────┘                          │
    s ─────────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.layers.derived.deriver import KeyDeriver
from modeloom.layers.derived.parameters import DerivedParameters
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.bus import MessageBus, packet_layout, status_layout, text_layout
from modeloom.rtl.stream.pipeline import TokenPipeline

__all__ = ["DerivedBus"]


class DerivedBus(wiring.Component):
    """The buses of a core that derives keys, with its pipeline.

    Parameters
    ----------
    parameters : DerivedParameters
    pipeline, key_schedules
        As for :class:`~modeloom.rtl.stream.bus.MessageBus`.
    master_schedule : component
        The key schedule of master keys.
    cores : sequence of component
        The round cores of the deriver.

    Members
    -------
    cmd, s, m, status, key, key_state
        As in a core with key slots, which hold the master keys.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(
        self, parameters: DerivedParameters, pipeline: TokenPipeline, key_schedules: Sequence[wiring.Component],
        master_schedule: wiring.Component, cores: Sequence[Any],
    ):  # fmt: skip
        self.parameters, self.pipeline, self.key_schedules = parameters, pipeline, list(key_schedules)
        self.master_schedule, self.cores = master_schedule, list(cores)
        p, slots = parameters.messages, parameters.keys.slots
        super().__init__({
            "cmd": In(stream.Signature(parameters.command)), "s": In(stream.Signature(packet_layout(p))),
            "m": Out(stream.Signature(text_layout(p))), "status": Out(stream.Signature(status_layout(p))),
            "key": In(stream.Signature(key_beat(slots))), "key_state": Out(key_state_signature(slots)),
            "erase": In(1), "erase_address": In(parameters.erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.key_port = port = KeyPort(p.keys)
        m.submodules.key_schedule = self.master_schedule
        m.submodules.deriver = deriver = KeyDeriver(p, self.cores)
        m.submodules.messages = messages = MessageBus(p.messages, self.pipeline, self.key_schedules)
        for source, target in (
            (wiring.flipped(self.key), port.key), (port.schedule, self.master_schedule), (port.state, wiring.flipped(self.key_state)),
            (wiring.flipped(self.cmd), deriver.cmd), (deriver.o, messages.cmd), (deriver.key, messages.key),
            (wiring.flipped(self.s), messages.s), (messages.m, wiring.flipped(self.m)), (messages.status, wiring.flipped(self.status)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        round_key, setup = port.preparation.round_key, port.preparation.setup
        m.d.comb += [
            deriver.loaded.eq(port.state.loaded), deriver.freed.eq(messages.freed),
            deriver.query.eq(port.in_use.slot), port.in_use.busy.eq(deriver.in_use),
            deriver.rk_we.eq(round_key.we), deriver.rk_slot.eq(round_key.slot), deriver.rk_round.eq(round_key.round),
            deriver.rk_data.eq(round_key.data),
            # Nothing else is computed of a master key alone.
            setup.done.eq(setup.request),
            *(part.erase.eq(self.erase) for part in (deriver, messages)),
            *(part.erase_address.eq(self.erase_address) for part in (deriver, messages)),
        ]  # fmt: skip
        if len(p.keys.sizes) > 1:
            m.d.comb += deriver.rk_length.eq(round_key.length)
        return m
