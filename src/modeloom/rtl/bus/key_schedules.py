# SPDX-License-Identifier: Apache-2.0
"""Key schedules for cipher keys of several lengths behind one port.

``length`` selects the key schedule that gets the request and whose writes go out::

    length ──┬──▶ start, erase of one ──▶ key schedule 0 ──┐
             │                        ──▶ key schedule 1 ──┴──▶ writes of the one at work
             └────────────────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module
from amaranth.lib import wiring

from .key_port import key_schedule_signature

__all__ = ["KeySchedules"]


class KeySchedules(wiring.Component):
    """Several key schedules, one of which works at a time.

    The ports are those of ``key_schedule_signature``, seen from outside.  ``length`` selects the key schedule.

    Parameters
    ----------
    schedules : sequence of component
        A key schedule for each length.  They have the same ports, with the widths of their own keys and round keys.
    round_keys, round_key_bits : int
        The largest number of round keys, and the width of one in bits.
    """

    def __init__(self, schedules: Sequence[wiring.Component], round_keys: int, round_key_bits: int):
        self.schedules = list(schedules)
        widest = max(len(schedule.key) for schedule in self.schedules)
        super().__init__(key_schedule_signature(widest, round_keys, round_key_bits, len(self.schedules)).flip())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, schedule in enumerate(self.schedules):
            m.submodules[f"length_{len(schedule.key)}"] = schedule
            mine = self.length == number
            m.d.comb += [
                schedule.start.eq(self.start & mine), schedule.erase.eq(self.erase & mine),
                schedule.key.eq(self.key[: len(schedule.key)]),
            ]  # fmt: skip
            with m.If(mine):
                for name in ("we", "round", "data", "data_dec", "busy", "done"):
                    m.d.comb += getattr(self, name).eq(getattr(schedule, name))
        return m
