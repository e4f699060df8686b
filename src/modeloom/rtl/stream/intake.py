# SPDX-License-Identifier: Apache-2.0
"""Turns the beats of a packet into tokens: associated data, then text, then the tag.

::

             ┌──────────── next message ─────────────┐
             ▼                                       │
    ──▶ ASSOCIATED ──last of them──▶ TEXT ──last──▶ TAG
             │                         │             ▲
             └───── fault ──▶ DISCARD ◀┘ ────last────┘
    a refused command ──────────▲

It takes one beat in each cycle, and one cycle for the tag.  With several blocks in a beat, the tag takes a lane that the last beat
leaves free.  The packet of a message without data is a beat without bytes, which is taken together with its tag.  Every message
gives a token for its tag, even if it is refused, so that statuses are in order.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.ports import beat_layout
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.stream.command import order_layout
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters, TokenStep

__all__ = ["MessageIntake"]

LENGTH_BITS = 64
"""Bits of a length in bytes."""


class MessageIntake(BusComponent[MessageParameters]):
    """Checks the packets of messages, and counts their bytes.

    Members
    -------
    s : stream of beats
        Beats from the host.
    order : stream of order_layout
        Checked commands.
    message : stream of MessageParameters.message
        A message begins.  This comes before its first token, or together with it.
    token : stream of MessageParameters.token
        The tokens of the messages.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "s": In(stream.Signature(beat_layout(parameters))),
            "order": In(stream.Signature(order_layout(parameters))),
            "message": Out(stream.Signature(parameters.message)),
            "token": Out(stream.Signature(parameters.token)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size, index_bits = p.beat_bytes, p.beat_bytes.bit_length() - 1
        count_bits = LENGTH_BITS - index_bits
        m.submodules.slice = taken = RegisterSlice(beat_layout(p))
        m.submodules.associated_counter = associated = LongCounter(count_bits)
        m.submodules.text_counter = text = LongCounter(count_bits)
        m.d.comb += [taken.i.valid.eq(self.s.valid), taken.i.payload.eq(self.s.payload), self.s.ready.eq(taken.i.ready)]

        busy_reg = Signal()
        discard_reg = Signal()
        in_associated_reg = Signal()
        ended_reg = Signal()
        first_reg = Signal()
        # Some text of this message has been passed on.
        begun_reg = Signal()
        code_reg = Signal(CODE_BITS)
        associated_reg = Signal(LENGTH_BITS, reset_less=True)
        tail_reg = Signal(index_bits, reset_less=True)
        partial_reg = Signal(index_bits, reset_less=True)

        beat, valid = taken.o.payload, taken.o.valid
        # -- what the beat is -------------------------------------------------------------------------------------------------
        full, empty, hole = Signal(), Signal(), Signal()
        nbytes = Signal(p.beat_nbytes_bits)
        tail_keep = Signal(size)
        m.d.comb += [
            full.eq(beat.keep.all()), empty.eq(~beat.keep[0]),
            hole.eq((~beat.keep[:-1] & beat.keep[1:]).any()),
            # No tail is as long as a block.
            tail_keep.eq(Cat(*((tail_reg > at) | (tail_reg == 0) for at in range(size - 1)), tail_reg == 0)),
        ]  # fmt: skip
        ends = Cat(beat.keep[at] & (~beat.keep[at + 1] if at + 1 < size else 1) for at in range(size))
        for bit in range(p.beat_nbytes_bits):
            m.d.comb += nbytes[bit].eq(Cat(ends[at] for at in range(size) if (at + 1) >> bit & 1).any())

        wanted, fits, short = Signal(size), Signal(), Signal()
        m.d.comb += [
            wanted.eq(tail_keep | (~associated.reached).replicate(size)),
            fits.eq((beat.keep == wanted) & (associated.reached | ~beat.last)),
            short.eq(beat.last & ~hole & ~(beat.keep & ~wanted).any()),
        ]
        most = p.plan.mode.most_text
        most_held = most if p.hold is None else min(most, p.text_from * size + p.hold)
        # The most text of this message is that which a core holds, and not the mode's.
        held_reg = Signal()
        null = Signal()
        too_long = Signal()
        m.d.comb += [
            null.eq(empty & ~hole & beat.last & ~begun_reg),
            too_long.eq(text.reached & (nbytes > Mux(held_reg, most_held % size, most % size))),
        ]

        # -- what becomes of it -----------------------------------------------------------------------------------------------
        token, room = self.token.payload, self.token.ready
        give = Signal()
        take = Signal()
        ends_message, alone, shared, is_text = Signal(), Signal(), Signal(), Signal()
        fault = Signal(CODE_BITS)
        full_lanes = Signal(range(p.lanes + 1))
        m.d.comb += [
            full_lanes.eq(sum((beat.keep[at : at + 1] for at in range(p.block_bytes, size, p.block_bytes)), beat.keep[:1])),
            Value.cast(token.blocks).eq(beat.data & Cat(bit.replicate(8) for bit in beat.keep)),
            token.full.eq(full_lanes),
            ends_message.eq(alone | shared),
            token.tag.eq(shared),
            token.first.eq(first_reg),
            token.nbytes.eq(nbytes),
            self.token.valid.eq(give),
            taken.o.ready.eq(take),
        ]
        with m.If(busy_reg & room):
            with m.If(ended_reg):
                m.d.comb += alone.eq(1)
            with m.Elif(valid):
                m.d.comb += take.eq(1)
                with m.If(discard_reg):
                    m.d.sync += ended_reg.eq(beat.last)
                with m.Elif(in_associated_reg):
                    with m.If(fits):
                        m.d.comb += [give.eq(1), token.step.eq(TokenStep.ASSOCIATED), associated.count.eq(1)]
                        m.d.sync += [in_associated_reg.eq(~associated.reached), ended_reg.eq(beat.last)]
                    with m.Else():
                        m.d.comb += fault.eq(Mux(short, MessageCode.TOO_SHORT, MessageCode.BAD_KEEP))
                with m.Elif(null):
                    m.d.comb += alone.eq(1)
                with m.Elif(hole | empty | ~(full | beat.last)):
                    m.d.comb += fault.eq(MessageCode.BAD_KEEP)
                with m.Elif(too_long):
                    m.d.comb += fault.eq(Mux(held_reg, MessageCode.TOO_LONG_TO_HOLD, MessageCode.TOO_LONG))
                with m.Else():
                    m.d.comb += [
                        give.eq(1), is_text.eq(1), token.step.eq(TokenStep.TEXT), token.last.eq(beat.last), text.count.eq(full),
                    ]  # fmt: skip
                    m.d.sync += [begun_reg.eq(1), ended_reg.eq(beat.last), partial_reg.eq(nbytes)]
        with m.If(fault.any()):
            m.d.sync += [code_reg.eq(fault), discard_reg.eq(1), ended_reg.eq(beat.last)]
            with m.If(begun_reg):
                # The packet that has begun to leave the core ends with a beat that has no bytes.
                m.d.comb += [
                    give.eq(1), token.step.eq(TokenStep.TEXT), token.nbytes.eq(0), token.full.eq(0), token.last.eq(1), token.cut.eq(1),
                ]  # fmt: skip
        with m.If(give):
            m.d.sync += first_reg.eq(0)

        lengths = Signal(2 * LENGTH_BITS)
        m.d.comb += lengths.eq(Cat(associated_reg, partial_reg, text.value))
        if p.plan.shares_tag:
            with m.If(give & ~fault.any() & beat.last & (full_lanes != p.lanes) & ~alone):
                m.d.comb += shared.eq(1)
                with m.If(is_text):
                    m.d.comb += lengths.eq(Cat(associated_reg, nbytes[:index_bits], text.value))
            with m.If(shared):
                m.d.comb += token.blocks[full_lanes].eq(lengths)
        with m.If(alone):
            m.d.comb += [
                give.eq(1), token.step.eq(TokenStep.TAG), token.blocks[0].eq(lengths), token.code.eq(code_reg), token.nbytes.eq(0),
                token.full.eq(0),
            ]  # fmt: skip

        # -- the next message -------------------------------------------------------------------------------------------------
        order, load = self.order.payload, Signal()
        held = order.message.decrypt & int(most_held < most)
        m.d.comb += [
            load.eq(self.order.valid & self.message.ready & (ends_message | ~busy_reg)),
            self.order.ready.eq(load),
            self.message.valid.eq(load),
            self.message.payload.eq(order.message),
            associated.clear.eq(load),
            # The count of beats before the last one is that of all whole beats, or one less if the last beat is whole itself.
            associated.first.eq(order.associated[:index_bits] == 0),
            associated.limit.eq(order.associated[index_bits:]),
            text.clear.eq(load), text.first.eq(p.text_from), text.limit.eq(Mux(held, most_held // size, most // size)),
        ]  # fmt: skip
        with m.If(ends_message):
            m.d.sync += busy_reg.eq(0)
        with m.If(load):
            m.d.sync += [
                busy_reg.eq(1), held_reg.eq(held), first_reg.eq(1), begun_reg.eq(0), ended_reg.eq(0), partial_reg.eq(0),
                code_reg.eq(order.code), discard_reg.eq(order.code.any()), in_associated_reg.eq(order.associated.any()),
                associated_reg.eq(order.associated), tail_reg.eq(order.associated[:index_bits]),
            ]  # fmt: skip
        return m
