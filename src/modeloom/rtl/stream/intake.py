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

from modeloom.rtl.bus.ports import ErasedComponent
from modeloom.rtl.stream.command import started_layout
from modeloom.rtl.stream.long_counter import LongCounter
from modeloom.rtl.stream.packet import LENGTH_BITS, Packet, packet_layout, see_beat, seen_layout
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters

__all__ = ["MessageIntake"]


class MessageIntake(ErasedComponent[MessageParameters]):
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
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        return {
            "s": In(stream.Signature(packet_layout(parameters))),
            "order": In(stream.Signature(started_layout(parameters))),
            "message": Out(stream.Signature(parameters.message)),
            "token": Out(stream.Signature(parameters.piece)),
            **({"associated": Out(LENGTH_BITS), "ending": Out(1)} if parameters.plan.prefixes else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the register of a beat, the state of its packet, its token, and the begin of the next message."""
        m = Module()
        p = self.parameters
        parts, size, index_bits = p.parts, p.beat_bytes, p.parts.tail_bits
        count_bits = LENGTH_BITS - index_bits
        # What tkeep says is found before the register: much depends on it.
        held_beat = StructLayout({"beat": packet_layout(p), "seen": seen_layout(p)})
        masks = p.plan.cadence is None
        place = held_beat["beat"].offset + packet_layout(p)["data"].offset
        bytes_held = [slice(at, at + 8) for at in range(place, place + 8 * size, 8)]
        m.submodules.slice = taken = p.pace.slice(m, held_beat, self, bytes_held if masks else ())
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
        first_part, *others = parts.stated
        # begun: some of the part behind has been passed on.
        flags = ("discard", "ended", "first", "begun", *parts.until[1:], *parts.past)
        registers = {name: Signal(name=f"{name}_reg") for name in flags}
        registers["in_associated"] = in_first_reg = Signal(name=f"in_{first_part}_reg")
        registers["code"] = Signal(CODE_BITS, name="code_reg")
        for name in ("tail", "partial"):
            registers[name] = Signal(index_bits, name=f"{name}_reg", reset_less=True)
        stated = {name: Signal(LENGTH_BITS, name=f"{name}_reg", reset_less=True) for name in parts.stated}

        def change(**values: Value) -> None:
            m.d.sync += [registers[name].eq(value) for name, value in values.items()]

        beat, seen, valid = taken.o.payload.beat, taken.o.payload.seen, taken.o.valid
        # The most text of this message is that which a core holds, and not the mode's.
        held_reg = Signal()
        # Marked beats are counted, and the command says nothing of them.
        marked = {"in_associated": beat.associated} if p.marked else {}
        ends_message, _ = Packet(
            p=p, may=busy_reg & self.token.ready, ended=registers["ended"], valid=valid, beat=beat, seen=seen,
            state={**registers, **marked}, order={"associated": Cat(registers["tail"], associated.total)} if p.marked else stated,
            held=held_reg, reached=associated.reached, text_reached=text.reached, text=text.total, count=associated.count,
            count_text=text.count, set=change, masked=masks,
        ).take(m, self.token, taken.o.ready)  # fmt: skip

        # -- the next message -------------------------------------------------------------------------------------------------
        order = self.order.payload
        load = Signal()
        # A length in the command is compared with what the core holds before the message begins.
        held = order.message.decrypt & int(parts.most_held < parts.most)
        # The count of beats before the last one is that of all whole beats, or one less if the last beat is whole itself.
        leading = order[first_part]
        first = Const(0) if p.marked else leading[:index_bits] == 0
        if parts.begins[0]:
            first = first + parts.begins[0]
        first_text, last_text = parts.begin_behind(order, held)
        m.d.sync += [stated[name].eq(Mux(load, order[name], stated[name])) for name in others]
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
            m.d.comb += [self.associated.eq(stated["associated"]), self.ending.eq(associated.reached)]
        with m.If(ends_message):
            m.d.sync += busy_reg.eq(0)
        with m.If(load):
            m.d.sync += [
                busy_reg.eq(1), held_reg.eq(held), *(registers[name].eq(name == "first") for name in flags[1:]), registers["partial"].eq(0),
                registers["code"].eq(order.code), registers["discard"].eq(order.code.any()), in_first_reg.eq(leading.any()),
                registers["tail"].eq(0 if p.marked else leading[:index_bits]),
                stated[first_part].eq(leading),
            ]  # fmt: skip
        return m
