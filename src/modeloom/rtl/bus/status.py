# SPDX-License-Identifier: Apache-2.0
"""Gives back one status for each command, in the order of the commands, after the data of its sector.

A status with a good code waits at the head of the queue until its data have been taken::

    verdict ──▶ queue ──▶ head ──▶ [status] ──▶ m_axis_status
    delivered ──▶ number of sectors whose data have been taken ──▶ lets a head with a good code pass
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import fifo, stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out, Signature

__all__ = ["StatusQueue", "verdict_signature"]

GOOD = 0
"""The code of a command whose data were given.  Its status follows the data."""


def verdict_signature(payload: StructLayout, code_bits: int) -> Signature:
    """The decision on a command, seen from the part that decides.

    Parameters
    ----------
    payload : StructLayout
        The payload of a status, with fields "tag" and "code".
    code_bits : int
        Width of the codes that are given.

    Members
    -------
    push, tag, code : 1, width of a tag, code_bits
        A command has been decided.  ``push`` is high only while ``room`` is high.
    room : 1
        The queue can take one more.
    """
    return Signature({"push": Out(1), "tag": Out(payload["tag"].width), "code": Out(code_bits), "room": In(1)})


class StatusQueue(wiring.Component):
    """Holds tag and code of the commands in flight.

    The data of later sectors do not wait for the statuses of earlier ones.  When ``depth`` statuses wait, no more commands are
    decided.  A status comes two cycles after ``delivered``, and there can be one status in each cycle.

    Parameters
    ----------
    depth : int
        Number of statuses that it holds.
    payload : StructLayout
        The payload of a status, with fields "tag" and "code".
    code_bits : int
        Width of the codes that are given.

    Members
    -------
    verdict : verdict_signature
        A command has been decided.
    delivered : 1
        The host has taken the last beat of a sector.
    status : stream of payload
        Statuses to the host.  The payload is zero while not valid.

    Raises
    ------
    ValueError
        If ``depth`` is less than 1.
    """

    def __init__(self, depth: int, payload: StructLayout, code_bits: int):
        if depth < 1:
            raise ValueError(f"depth is at least 1, not {depth}")
        self.depth, self.payload = depth, payload
        super().__init__(
            {"verdict": In(verdict_signature(payload, code_bits)), "delivered": In(1), "status": Out(stream.Signature(payload))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth, tag, code = self.depth, self.verdict.tag, self.verdict.code
        m.submodules.queue = queue = fifo.SyncFIFOBuffered(width=len(tag) + len(code), depth=depth)
        delivered_reg = Signal(range(depth + 2))
        status_reg = Signal(self.payload)
        valid_reg = Signal()

        head_tag, head_code = queue.r_data[: len(tag)], queue.r_data[len(tag) :]
        head_ok = Signal()
        pop = Signal()
        m.d.comb += [
            queue.w_data.eq(Cat(tag, code)),
            queue.w_en.eq(self.verdict.push),
            self.verdict.room.eq(queue.w_rdy),
            head_ok.eq(head_code == GOOD),
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
