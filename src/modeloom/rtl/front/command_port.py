# SPDX-License-Identifier: Apache-2.0
"""Commands and statuses over registers.

::

    words ──▶ [command] ──submit──▶ s_axis_cmd              m_axis_status ──▶ queue ──read──▶ code, number   [tag]
                 ▲                      │                        ▲
    zeros ───────┴──────────────────────┘ taken                  └── tready is low while the queue is full: no status is lost

The words of a command are zero again when the core has taken it, so that nothing of one command comes into the next.  An erasure drops
the command and all statuses, and overwrites the queue.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import WORD_BITS
from modeloom.rtl.stream.queue import Queue

__all__ = ["CommandPort", "STATUS_PLACES"]

STATUS_PLACES = 16
"""Statuses that the queue holds."""


class CommandPort(wiring.Component):
    """The command that is written, and the queue of statuses.

    Parameters
    ----------
    command_bits, status_bits : int
        Bits of a command and of a status.
    words : int
        Words of a command.

    Members
    -------
    write, address, word : In(1), In, In(32)
        Writes a word of the command while ``busy`` is low.
    submit : In(1)
        Offers the command to the core, while ``busy`` is low.
    busy, taken : Out(1)
        A command waits for the core, or an erasure is in progress; the core takes it.
    command, status : streams
        The ports of the core.
    has_status, head : Out(1), Out(status_bits)
        Whether there is a status, and the oldest one.
    pop : In(1)
        Removes it.  Without one, nothing happens.
    count : Out
        Number of statuses in the queue.
    came : Out(1)
        A status comes into the queue.
    erase, erasing : In(1), Out(1)
        Erases all of this; the queue is being overwritten.
    """

    def __init__(self, command_bits: int, status_bits: int, words: int):
        if WORD_BITS * words < command_bits:
            raise ValueError(f"{words} words are too few for {command_bits} bits")
        self.command_bits, self.status_bits, self.words = command_bits, status_bits, words
        super().__init__({
            "write": In(1), "address": In(range(words)), "word": In(WORD_BITS), "submit": In(1), "busy": Out(1), "taken": Out(1),
            "command": Out(stream.Signature(command_bits)), "status": In(stream.Signature(status_bits)),
            "has_status": Out(1), "head": Out(status_bits), "pop": In(1), "count": Out(range(STATUS_PLACES + 1)), "came": Out(1),
            "erase": In(1), "erasing": Out(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # The queue is in reset from the cycle of an erasure until its words are overwritten, and also after a reset.  With a later reset, a
        # status that is read in the cycle after the erasure would leave its tag behind.
        sweep_reg = Signal(init=1)
        at_reg = Signal(range(STATUS_PLACES))
        queue = Queue(self.status_bits, STATUS_PLACES, len(at_reg))
        m.submodules.queue = ResetInserter(sweep_reg | self.erase)(queue)
        valid_reg = Signal()
        command = Signal(WORD_BITS * self.words)
        count_reg = Signal.like(self.count)
        popped = Signal()
        m.d.comb += [
            self.busy.eq(valid_reg | sweep_reg), self.taken.eq(valid_reg & self.command.ready),
            self.command.valid.eq(valid_reg), self.command.payload.eq(command),
            queue.i.valid.eq(self.status.valid), queue.i.payload.eq(self.status.payload), self.status.ready.eq(queue.i.ready),
            queue.erase.eq(sweep_reg), queue.erase_address.eq(at_reg), queue.o.ready.eq(self.pop),
            self.has_status.eq(queue.o.valid), self.head.eq(queue.o.payload), popped.eq(queue.o.valid & self.pop),
            self.came.eq(queue.i.valid & queue.i.ready), self.count.eq(count_reg),
            self.erasing.eq(sweep_reg),
        ]  # fmt: skip
        words = []
        for at in range(self.words):
            word_reg = Signal(WORD_BITS, name=f"word{at}_reg")
            with m.If(self.taken | self.erase):
                m.d.sync += word_reg.eq(0)
            with m.Elif(self.write & ~self.busy & (self.address == at)):
                m.d.sync += word_reg.eq(self.word)
            words.append(word_reg)
        m.d.comb += command.eq(Cat(words))
        m.d.sync += [
            valid_reg.eq(Mux(valid_reg, ~self.command.ready, self.submit & ~self.busy) & ~self.erase),
            count_reg.eq(Mux(sweep_reg, 0, count_reg + self.came - popped)),
        ]
        with m.If(self.erase):
            m.d.sync += [sweep_reg.eq(1), at_reg.eq(0)]
        with m.Elif(sweep_reg):
            m.d.sync += at_reg.eq(at_reg + 1)
            with m.If(at_reg == STATUS_PLACES - 1):
                m.d.sync += sweep_reg.eq(0)
        return m
