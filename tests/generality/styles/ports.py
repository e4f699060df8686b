# SPDX-License-Identifier: Apache-2.0
"""The ports of the cores and key schedules of these ciphers."""

from __future__ import annotations

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class CorePorts(wiring.Component):
    """A core for blocks of 128 bits: a pipeline, or with ``both`` a sequential core for both directions."""

    def __init__(self, slots: int, latency: int, rounds: int, round_key_bits: int, *, inverse: bool = False, both: bool = False):
        self.inverse, self.slots, self.latency = inverse, slots, latency
        slot, more = range(max(2, slots)), {"start": In(1), "decrypt": In(1)} if both else {}
        super().__init__({
            "i": In(128), "slot": In(slot), "o": Out(128), "key_we": In(1), "key_slot": In(slot), "key_round": In(range(rounds)),
            "key_data": In(round_key_bits), **more,
        })  # fmt: skip


class SchedulePorts(wiring.Component):
    """A key schedule for keys of 128 bits."""

    def __init__(self, rounds: int, round_key_bits: int):
        super().__init__({
            "start": In(1), "erase": In(1), "key": In(128), "we": Out(1), "round": Out(range(rounds)), "data": Out(round_key_bits),
            "data_dec": Out(round_key_bits), "busy": Out(1), "done": Out(1),
        })  # fmt: skip
