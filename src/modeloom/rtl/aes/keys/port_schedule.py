# SPDX-License-Identifier: Apache-2.0
"""The iterative AES key schedule with the ports of the word-serial one, for key ports.

::

    length ──▶ key_size ──┐
    start, key, erase ────┴──▶ IterativeKeySchedule ──▶ we, round, data, busy, done
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.iterative_schedule import IterativeKeySchedule
from modeloom.rtl.aes.keys.key_step import SIZE_CODES
from modeloom.rtl.aes.parameters import BLOCK_BITS

__all__ = ["PortKeySchedule"]


class PortKeySchedule(wiring.Component):
    """Expands cipher keys of some sizes, one round key per cycle, or writes zeros over all round keys.

    Parameters
    ----------
    sizes : sequence of int
        128, 192 or 256 bits each.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key.
    latency : int
        1: round key r is written r + 1 cycles after ``start``.
    interval : int
        rounds + 1 cycles from one start to the earliest next start.
    erase_latency : int
        rounds + 1 cycles from ``erase`` to the last write, one write a cycle.

    Members
    -------
    length
        The size of the key, as a place in *sizes*.  It is there only with several sizes.
    start, key, erase, we, round, data, busy, done
        Those of :class:`~modeloom.rtl.aes.keys.key_schedule.KeySchedule`.
    data_dec
        Zero: the schedule serves ciphers that encrypt only.

    The component keeps no part of a key after ``done``.

    Raises
    ------
    TypeError
        A size is not an integer.
    ValueError
        A size is not an AES key length, or is there twice.
    """

    def __init__(self, sizes: Sequence[int]):
        self.sizes = tuple(sizes)
        self._schedule = IterativeKeySchedule(self.sizes, inverse=False)
        self.rounds, self.latency = self._schedule.rounds, self._schedule.latency
        self.interval, self.erase_latency = self._schedule.interval, self._schedule.erase_latency
        super().__init__({
            **({"length": In(range(len(self.sizes)))} if len(self.sizes) > 1 else {}),
            "start": In(1), "erase": In(1), "key": In(max(self.sizes)),
            "we": Out(1), "round": Out(4), "data": Out(BLOCK_BITS), "data_dec": Out(BLOCK_BITS), "busy": Out(1), "done": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = self._schedule
        if len(self.sizes) > 1:
            m.d.comb += schedule.key_size.eq(Array(SIZE_CODES[bits] for bits in self.sizes)[self.length])
        m.d.comb += [getattr(schedule, name).eq(getattr(self, name)) for name in ("start", "erase", "key")]
        m.d.comb += [getattr(self, name).eq(getattr(schedule, name)) for name in ("we", "round", "data", "busy", "done")]
        return m
