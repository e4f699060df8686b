# SPDX-License-Identifier: Apache-2.0
"""Takes the commands of messages, and finds what is wrong with each.

::

    cmd ──▶ [register] ──▶ lengths, numbers ──▶ [slice] ──▶ slot ──▶ o
                                                             ▲
                                                 key_loaded ─┘  in the cycle in which the message begins

The slice is behind the checks, so that the end of a message, which is known late in its cycle, enables no wide register.

A command a cycle.  The slot is looked up when the message begins, so that a command that waits while its key is erased is refused.
The flags of many slots are in a memory, which answers a cycle later.  The command then has another register, and the slot that is
asked for is the one that this register will have.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import LISTED_SLOTS, by_member
from modeloom.rtl.bus.key_port import lookup_signature
from modeloom.rtl.bus.ports import ErasedComponent, MemorySlice, StreamRegister, fields_layout, signals
from modeloom.rtl.stream.delivery import above
from modeloom.rtl.stream.parameters import CODE_BITS, LENGTH_FIELDS, MessageParameters
from modeloom.streams.trace import SOME

__all__ = ["MessageCommands", "TurnCommands", "command_layout", "order_layout", "started_layout"]


def command_layout(parameters: MessageParameters) -> StructLayout:
    """Payload of a command, bit 0 first."""
    return fields_layout(by_member(parameters.interfaces, "cmd"))


def order_layout(parameters: MessageParameters) -> StructLayout:
    """A checked command: the message, the bytes of what comes first in its packet, and the code of what is wrong; and whether a key comes
    with it.

    If starts run ahead, the message has no nonce, and it is beside the message.
    """
    first, *others = parameters.parts.stated
    return StructLayout({
        "message": parameters.message, first: 64, "code": CODE_BITS, **dict.fromkeys(others, 64), **parameters.keys.turns,
        "nonce": parameters.block_bits - parameters.message["nonce"].width,
    })  # fmt: skip


def started_layout(parameters: MessageParameters) -> StructLayout:
    """A command as the part that takes packets gets it: without a nonce that is not needed any more."""
    return StructLayout({name: field.shape for name, field in order_layout(parameters) if name != "nonce"})


class MessageCommands(ErasedComponent[MessageParameters]):
    """Registers and checks commands; two cycles from the bus to ``o``.

    Members
    -------
    cmd : stream of command_layout
        From the host.
    key_loaded : key_slots bits
        The slots with a key.  It is there with up to ``LISTED_SLOTS`` slots.
    lookup : lookup_signature
        Asks whether a slot has a key.  It is there with more slots.
    o : stream of order_layout
        Commands with ``code``: 0 or the ``MessageCode`` that says why the core cannot obey it, as of this cycle.  If keys come with the
        messages, nothing is known of keys here, and the slot is 0.
    """

    @classmethod
    def ports(cls, parameters: MessageParameters) -> dict[str, object]:
        return {
            "cmd": In(stream.Signature(command_layout(parameters))),
            **cls.key_ports(parameters.key_slots),
            "o": Out(stream.Signature(order_layout(parameters))),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the register of a command, the checks of its lengths and numbers, and the register behind the checks."""
        m = Module()
        p = self.parameters
        order = order_layout(p)
        ends = p.plan.nonce_form != "01"
        m.submodules.taken = taken = StreamRegister(command_layout(p), reset=True, blanks=self._nonce_bytes() if ends else ())
        m.submodules.checked = checked = MemorySlice(StructLayout({"order": order, "slot": 16}))
        command, made = taken.o.payload, Signal(order, name="made")
        m.d.comb += [
            taken.i.valid.eq(self.cmd.valid), taken.i.payload.eq(self.cmd.payload), self.cmd.ready.eq(taken.i.ready),
            checked.i.valid.eq(taken.o.valid), taken.o.ready.eq(checked.i.ready), checked.i.payload.order.eq(made),
            # The first word is overwritten before the sweep begins: the sweep of the memory behind writes what this one gives.
            checked.erase.eq(ResetSignal()), checked.erase_address.eq(self.erase_address[0]),
        ]  # fmt: skip
        for name in p.keys.named:
            m.d.comb += [checked.i.payload[name].eq(command[name]), made.message[name].eq(command[name])]

        mode = p.plan.mode
        nonce_class = Signal(p.class_bits)
        nonce_known, tag_known = signals("nonce_known tag_known")
        with m.Switch(command.nonce_bytes):
            for number, lengths in enumerate(mode.nonce_bytes):
                with m.Case(*lengths):
                    m.d.comb += [nonce_class.eq(number), nonce_known.eq(1)]
        with m.Switch(command.tag_bytes):
            with m.Case(*mode.tag_bytes):
                m.d.comb += tag_known.eq(1)
        code = Signal(CODE_BITS, name="wrong")
        wrong_lengths = {"associated": self._wrong_associated, "text": self._wrong_text}
        wrong = (
            *(pair for name in reversed(p.parts.stated) for pair in wrong_lengths[name](m, command)),
            (MessageCode.NO_DIRECTION, self._no_direction(command.decrypt)),
            (MessageCode.NO_CHANNEL, p.delivery.no_channel(command)),
            (MessageCode.BAD_TAG_LENGTH, ~tag_known),
            (MessageCode.BAD_NONCE_LENGTH, ~nonce_known),
        )
        for number, condition in wrong:
            with m.If(condition):
                m.d.comb += code.eq(number)
        size = p.block_bits
        nonce = command.nonce[:size]
        # A start that runs ahead takes the nonce, and the message has none.
        given = Cat(made.message.nonce, made.nonce)
        if p.plan.nonce_form == "01":
            m.d.comb += given.eq(self._at_end(nonce, command.nonce_bytes))
        else:
            # Bytes behind the end of the nonce are ignored.
            m.d.comb += [given.eq(nonce), taken.blank.eq(Cat(self.cmd.payload.nonce_bytes <= at for at in range(p.block_bytes)))]
        m.d.comb += [
            made.message.nonce_bytes.eq(command.nonce_bytes),
            made.message.nonce_class.eq(nonce_class),
            made.message.id.eq(command.id),
            made.message.tag.eq(command.tag[:size]),
            made.message.tag_bytes.eq(command.tag_bytes),
            made.message.decrypt.eq(command.decrypt.any()),
            made.message.second.eq(command.decrypt[1:]), made.message.channel.eq(command.channel),
            *(made[name].eq(command[name]) for name in p.parts.stated),
            *(made.message[name].eq(self._length(command, name)) for name in p.plan.known_lengths if name not in LENGTH_FIELDS),
            made.code.eq(code),
        ]
        self.pass_on(m, made, command, checked)
        return m

    @staticmethod
    def key_ports(slots: int) -> dict[str, object]:
        """What tells whether a slot has a key."""
        return {"key_loaded": In(slots)} if slots <= LISTED_SLOTS else {"lookup": Out(lookup_signature(slots))}

    def pass_on(self, m: Module, made: Any, command: Any, checked: MemorySlice) -> None:
        """Passes a checked command on, with ``NO_KEY`` if its slot has no key."""
        slots, waiting = self.parameters.key_slots, checked.o.payload
        index_bits = (slots - 1).bit_length()
        loaded, has_key = signals("loaded has_key")
        if slots <= LISTED_SLOTS:
            m.d.comb += [
                loaded.eq(Cat(self.key_loaded, Const(0, (1 << index_bits) - slots)).bit_select(waiting.slot[:index_bits], 1)),
                self.o.valid.eq(checked.o.valid), checked.o.ready.eq(self.o.ready),
            ]  # fmt: skip
        else:
            valid_reg = Signal()
            waiting_reg = Signal(checked.o.payload.shape(), reset_less=True)
            m.d.comb += [
                loaded.eq(self.lookup.loaded), self.o.valid.eq(valid_reg), checked.o.ready.eq(~valid_reg | self.o.ready),
                self.lookup.slot.eq(Mux(checked.o.ready, waiting.slot, waiting_reg.slot)),
            ]  # fmt: skip
            # An empty register takes whatever is on its input, so an old command is gone some cycles after a reset.
            with m.If(checked.o.ready):
                m.d.sync += [valid_reg.eq(checked.o.valid), waiting_reg.eq(waiting)]
            waiting = waiting_reg
        m.d.comb += [has_key.eq(loaded & ~waiting.slot[index_bits:].any()), self.o.payload.eq(waiting.order)]
        code = waiting.order.code
        with m.If(~has_key & (code < MessageCode.NO_KEY)):
            m.d.comb += self.o.payload.code.eq(MessageCode.NO_KEY)

    def _nonce_bytes(self) -> list[slice]:
        """The bits of each byte of the nonce in the register of a command."""
        place = command_layout(self.parameters)["nonce"].offset
        return [slice(place + 8 * at, place + 8 * at + 8) for at in range(self.parameters.block_bytes)]

    def _at_end(self, nonce: Value, nbytes: Value) -> Value:
        """A nonce at the end of a block, with a bit 1 in front of it (``StreamNumbers.pad01``)."""
        size = self.parameters.block_bytes
        bits = (size - 1).bit_length()
        # The block begins at byte ``nbytes`` of this, with a multiplexer for each bit of the number.
        wide: Value = Cat(Const(0, 8 * (size - 1)), Const(1, 8), nonce[: 8 * ((1 << bits) - 1)])
        for bit in reversed(range(bits)):
            step = 8 << bit
            wide = Mux(nbytes[bit], wide[step:], wide[: len(wide) - step])
        return Mux(nbytes == size, nonce, wide[: 8 * size])

    def _no_direction(self, way: Value) -> Value:
        """Whether the core was not built for this direction, or this pass."""
        p = self.parameters
        # No core has a pass that is to open and the second one.
        return Mux(way[0], reduce(lambda refused, second: second | refused, way[1:], not p.decrypt), not p.encrypt)

    def _length(self, command: Any, name: str) -> Value:
        """A length that ``start`` reads, by its name."""
        length: Value = command.associated.any() if name == SOME else command[name]
        return length

    def _wrong_associated(self, m: Module, command: Any) -> list[tuple[MessageCode, Value]]:
        """The code of a length of associated data."""
        return [(MessageCode.TOO_LONG, above(command.associated, self.parameters.plan.mode.most_associated))]

    def _wrong_text(self, m: Module, command: Any) -> list[tuple[MessageCode, Value]]:
        """The codes of a length of text, which may depend on the nonce."""
        p, mode = self.parameters, self.parameters.plan.mode
        over = Signal(name="text_above")
        m.d.comb += over.eq(above(command.text, mode.most_text))
        with m.Switch(command.nonce_bytes):
            for length in sorted(mode.most_text_with_nonce):
                with m.Case(length):
                    m.d.comb += over.eq(above(command.text, mode.most_text_with(length)))
        return [*p.delivery.too_long(command), (MessageCode.TOO_LONG, over)]


class TurnCommands(MessageCommands):
    """The same with keys that come with the messages."""

    @staticmethod
    def key_ports(slots: int) -> dict[str, object]:
        """There are none."""
        return {}

    def pass_on(self, m: Module, made: Any, command: Any, checked: MemorySlice) -> None:
        """Passes a checked command on."""
        m.d.comb += [
            made.new_key.eq(command.new_key), self.o.valid.eq(checked.o.valid), checked.o.ready.eq(self.o.ready),
            self.o.payload.eq(checked.o.payload.order),
        ]  # fmt: skip
