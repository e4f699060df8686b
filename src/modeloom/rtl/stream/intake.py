# SPDX-License-Identifier: Apache-2.0
"""Turns the beats of a packet into tokens: associated data, then text, then the tag.

::

             ┌──────────── next message ─────────────┐
             ▼                                       │
    ──▶ ASSOCIATED ──last of them──▶ TEXT ──last──▶ TAG
             │                         │             ▲
             └───── fault ──▶ DISCARD ◀┘ ────last────┘
    a refused command ──────────▲

If messages have their text first, TEXT is before ASSOCIATED.

It takes one beat in each cycle, and one cycle for the tag.  With several blocks in a beat, the tag takes a lane that the last beat
leaves free.  The packet of a message without data is a beat without bytes, which is taken together with its tag.  Every message
gives a token for its tag, even if it is refused, so that statuses are in order.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.stream.command import started_layout
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.packet import LENGTH_BITS, Packet, most_text_held, packet_layout, see_beat, seen_layout, take_beat
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.port_slice import port_slice

__all__ = ["MessageIntake"]


class MessageIntake(BusComponent[MessageParameters]):
    """Checks the packets of messages, and counts their bytes.

    Members
    -------
    s : stream of beats
        Beats from the host.
    order : stream of started_layout
        Checked commands.
    message : stream of MessageParameters.message
        A message begins.  This comes before its first token, or together with it.
    token : stream of MessageParameters.piece
        The tokens of the messages.
    associated, ending : 64, 1
        With a prefix of associated data only: the bytes of associated data of the message of the token, and whether it has the last of
        them.
    erase, erase_address : In
        While it is held in reset: beats that wait are overwritten.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "s": In(stream.Signature(packet_layout(parameters))),
            "order": In(stream.Signature(started_layout(parameters))),
            "message": Out(stream.Signature(parameters.message)),
            "token": Out(stream.Signature(parameters.piece)),
            "erase": In(1), "erase_address": In(parameters.erase_bits),
            **({"associated": Out(LENGTH_BITS), "ending": Out(1)} if parameters.plan.prefixes else {}),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size, index_bits = p.beat_bytes, p.beat_bytes.bit_length() - 1
        most, most_held = p.plan.mode.most_text, most_text_held(p)
        count_bits = LENGTH_BITS - index_bits
        # What tkeep says is found before the register: much depends on it.
        held_beat = StructLayout({"beat": packet_layout(p), "seen": seen_layout(p)})
        masks = p.plan.cadence is None
        place = held_beat["beat"].offset + packet_layout(p)["data"].offset
        bytes_held = [slice(at, at + 8) for at in range(place, place + 8 * size, 8)]
        m.submodules.slice = taken = port_slice(m, p, held_beat, self, bytes_held if masks else ())
        if masks:
            # Bytes that are not there are zeros from here on.
            m.d.comb += taken.blank.eq(~self.s.payload.keep)
        m.submodules.associated_counter = associated = LongCounter(count_bits, small=p.plan.cadence is not None)
        m.submodules.text_counter = text = LongCounter(count_bits, small=p.plan.cadence is not None)
        m.d.comb += [
            taken.i.valid.eq(self.s.valid), taken.i.payload.beat.eq(self.s.payload), self.s.ready.eq(taken.i.ready),
            *see_beat(p, taken.i.payload.seen, self.s.payload),
        ]  # fmt: skip

        busy_reg = Signal()
        discard_reg = Signal()
        in_associated_reg = Signal(name="in_text_reg" if p.text_first else "in_associated_reg")
        ended_reg = Signal()
        first_reg = Signal()
        # Some text of this message has been passed on; with text first, some associated data, and text is still to come.
        begun_reg = Signal()
        open_reg = Signal(name="open_reg") if p.text_first else begun_reg
        # All text of the stated length has been passed on, and its packet goes on.
        past_reg = Signal()
        code_reg = Signal(CODE_BITS)
        associated_reg = Signal(LENGTH_BITS, reset_less=True)
        text_reg = Signal(LENGTH_BITS, reset_less=True)
        tail_reg = Signal(index_bits, reset_less=True)
        partial_reg = Signal(index_bits, reset_less=True)
        registers = {
            "discard": discard_reg, "in_associated": in_associated_reg, "ended": ended_reg, "first": first_reg, "begun": begun_reg,
            "code": code_reg, "partial": partial_reg, "tail": tail_reg, "open": open_reg,
            "past": past_reg,
        }  # fmt: skip

        def change(**values: Value) -> None:
            m.d.sync += [registers[name].eq(value) for name, value in values.items()]

        beat, seen, valid = taken.o.payload.beat, taken.o.payload.seen, taken.o.valid
        # The most text of this message is that which a core holds, and not the mode's.
        held_reg = Signal()
        came = take_beat(m, p, self.token, taken.o.ready, Packet(
            may=busy_reg & self.token.ready, ended=ended_reg, valid=valid, beat=beat, seen=seen, discard=discard_reg,
            in_associated=beat.associated if p.marked else in_associated_reg, first=first_reg, begun=begun_reg,
            open=open_reg, code=code_reg,
            # Marked beats are counted, and the command says nothing of them.
            associated=Cat(tail_reg, associated.total) if p.marked else associated_reg,
            tail=tail_reg, partial=partial_reg, held=held_reg, reached=associated.reached, text_reached=text.reached, text=text.total,
            count=associated.count, count_text=text.count, set=change, masked=masks,
            **({"text_bytes": text_reg, "past": past_reg} if p.lengths_first else {}),
        ))  # fmt: skip
        ends_message = came.ends_message

        # -- the next message -------------------------------------------------------------------------------------------------
        order = self.order.payload
        load = Signal()
        # A length in the command is compared with what the core holds before the message begins.
        held = Const(0, 1) if p.lengths_first or p.text_first else order.message.decrypt & int(most_held < most)
        # The count of beats before the last one is that of all whole beats, or one less if the last beat is whole itself.
        leading = order.text if p.text_first else order.associated
        first = Const(0) if p.marked else leading[:index_bits] == 0
        begin, begin_behind = (p.text_from, p.associated_from) if p.text_first else (p.associated_from, p.text_from)
        if begin:
            first = first + begin
        if p.lengths_first:
            first_text, last_text = order.text[:index_bits] == 0, order.text[index_bits:]
            m.d.sync += text_reg.eq(Mux(load, order.text, text_reg))
        else:
            first_text = begin_behind
            last_text = Const(p.plan.mode.most_associated // size) if p.text_first else Mux(held, most_held // size, most // size)
        m.d.comb += [
            load.eq(self.order.valid & self.message.ready & (ends_message | ~busy_reg)),
            self.order.ready.eq(load),
            self.message.valid.eq(load),
            self.message.payload.eq(order.message),
            associated.clear.eq(load),
            associated.first.eq(first),
            associated.limit.eq(leading[index_bits:]),
            text.clear.eq(load), text.first.eq(first_text), text.limit.eq(last_text),
        ]  # fmt: skip
        if p.plan.prefixes:
            m.d.comb += [self.associated.eq(associated_reg), self.ending.eq(associated.reached)]
        with m.If(ends_message):
            m.d.sync += busy_reg.eq(0)
        with m.If(load):
            m.d.sync += [
                busy_reg.eq(1), held_reg.eq(held), first_reg.eq(1), begun_reg.eq(0), ended_reg.eq(0), partial_reg.eq(0),
                code_reg.eq(order.code), discard_reg.eq(order.code.any()), in_associated_reg.eq(leading.any()),
                *([] if p.text_first else [associated_reg.eq(leading)]), tail_reg.eq(0 if p.marked else leading[:index_bits]),
            ]  # fmt: skip
            if p.text_first:
                m.d.sync += open_reg.eq(0)
            if p.lengths_first:
                m.d.sync += past_reg.eq(0)
        return m
