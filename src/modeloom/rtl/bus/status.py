# SPDX-License-Identifier: Apache-2.0
"""Gives back one status for each command, in the order of the commands, after the data of its sector.

::

    push: tag, code ──▶ queue ──▶ head ──▶ [status] ──▶ m_axis_status
    delivered ──▶ sectors whose data have been taken ──▶ lets a head with code OK pass
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import fifo, stream
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.sector import StatusCode

from .component import BusComponent
from .parameters import BusParameters
from .ports import STATUS

__all__ = ["StatusQueue"]


class StatusQueue(BusComponent):
    """Holds tag and code of the commands in flight.

    The data of later sectors do not wait for the statuses of earlier ones; when ``ring_sectors`` + 4 statuses wait, no
    more sectors are taken in.  Two cycles from ``delivered`` to the status, one status a cycle.

    Members
    -------
    push, tag, code : 1, 16, 3
        A command has been decided; only while ``room``.
    room : 1
        The queue takes one more.
    delivered : 1
        The host has taken the last beat of a sector.
    status : stream of STATUS
        To the host; the payload is zero while not valid.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Any]:
        return {
            "push": In(1),
            "tag": In(16),
            "code": In(3),
            "room": Out(1),
            "delivered": In(1),
            "status": Out(stream.Signature(STATUS)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self.parameters.ring_sectors + 4
        m.submodules.queue = queue = fifo.SyncFIFOBuffered(width=16 + len(self.code), depth=depth)
        delivered_reg = Signal(range(depth + 2))
        status_reg = Signal(STATUS)
        valid_reg = Signal()

        head_tag, head_code = queue.r_data[:16], queue.r_data[16:]
        head_ok = Signal()
        pop = Signal()
        m.d.comb += [
            queue.w_data.eq(Cat(self.tag, self.code)),
            queue.w_en.eq(self.push),
            self.room.eq(queue.w_rdy),
            head_ok.eq(head_code == StatusCode.OK),
            pop.eq(queue.r_rdy & (~valid_reg | self.status.ready) & (~head_ok | (delivered_reg != 0))),
            queue.r_en.eq(pop),
            self.status.valid.eq(valid_reg),
            self.status.payload.eq(status_reg),
        ]
        m.d.sync += delivered_reg.eq(delivered_reg + self.delivered - (pop & head_ok))
        with m.If(pop):
            m.d.sync += [valid_reg.eq(1), status_reg.tag.eq(head_tag), status_reg.code.eq(head_code)]
        with m.Elif(self.status.ready):
            m.d.sync += [valid_reg.eq(0), status_reg.eq(0)]
        return m
