# SPDX-License-Identifier: Apache-2.0
"""The front end with registers: a module beside a core.

::

    s_axil ──▶ AxiLite ──▶ Registers ──▶ KeySender ──▶ s_axis_key of the core
    s_apb  ──▶ Apb           ▲   │
    streams of the core ──▶ Counters   └──▶ zeroize, irq
    key_loaded, key_busy, key_error, zeroizing ──▶ state

It drives the key port and ``zeroize`` of the core, and watches all its other streams, which go past it.  With commands over registers,
it drives the commands, and takes the statuses.

Keeps the bytes of a key that a host writes word by word, sends them to a core as a packet, and overwrites them.

::

    words ──▶ memory ──▶ [beat] ──▶ s_axis_key            idle ──▶ read ──▶ offer ──▶ ... ──▶ wipe ──▶ idle
                ▲                                                  4 words   a beat           zeros to every word
    zeros ──────┘

A packet that erases a slot has one beat of zeros.  Whatever was sent, and after a reset, every word is overwritten with zeros before the
next word is taken.  A flag for each word tells whether it was written since then, so that no key has zeros in the place of words that an
erasure took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from amaranth.hdl import Array, Cat, ClockDomain, ClockSignal, Const, Module, Mux, ResetInserter, ResetSignal, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.front.map import RegisterMap
from modeloom.interfaces import Interface, Side
from modeloom.interfaces.front import APB, AXI_LITE, QUEUE_ERASURE, STATUS_ORDER, WORD_BITS, WORD_BYTES, register_bus
from modeloom.interfaces.shared import DATA_IN, DATA_OUT, KEY_BEAT_BYTES
from modeloom.interfaces.table import CoreShape, Packing
from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.front.registers import Apb, AxiLite, CommandPort, Registers

__all__ = ["Counters", "FrontParameters", "KeySender", "RegisterFront"]


# Counters of 64 bits that a bus of 32 bits reads.
#
#     amount ──[reg]──▶ + low half ──[carry]──▶ + high half
#                        │                        │
#     read_low ──────────┴─▶ low      a cycle later ──▶ [kept] ──▶ high
#
# The upper half of the counter whose lower half was read is kept, so that both belong to one moment.  A carry takes a cycle, and so does
# keeping the upper half.

class Counters(wiring.Component):
    """Some counters.

    Parameters
    ----------
    amounts : mapping
        Bits of the amount that is added in a cycle, by the names of the counters.

    Members
    -------
    NAME_amount : In
        What is added in this cycle.
    NAME : Out(32)
        The lower half.
    clear : In(1)
        Sets all of them to zero.
    read, which : In(1), In
        The lower half of this counter, by its number, is read in this cycle.
    high : Out(32)
        The upper half that belongs to the last read.
    """

    def __init__(self, amounts: Mapping[str, int]):
        self.names = tuple(amounts)
        super().__init__({
            **{f"{name}_amount": In(bits) for name, bits in amounts.items()}, **{name: Out(WORD_BITS) for name in amounts},
            "clear": In(1), "read": In(1), "which": In(range(max(2, len(amounts)))), "high": Out(WORD_BITS),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        highs: list[Value] = []
        for name in self.names:
            amount: Signal = getattr(self, f"{name}_amount")
            amount_reg = Signal.like(amount, name=f"{name}_amount_reg")
            low_reg, high_reg = Signal(WORD_BITS, name=f"{name}_low_reg"), Signal(WORD_BITS, name=f"{name}_high_reg")
            carry_reg = Signal(name=f"{name}_carry_reg")
            total = Signal(WORD_BITS + 1, name=f"{name}_total")
            m.d.comb += [total.eq(low_reg + amount_reg), getattr(self, name).eq(low_reg)]
            m.d.sync += [amount_reg.eq(amount), low_reg.eq(total), carry_reg.eq(total[WORD_BITS]), high_reg.eq(high_reg + carry_reg)]
            with m.If(self.clear):
                m.d.sync += [amount_reg.eq(0), low_reg.eq(0), carry_reg.eq(0), high_reg.eq(0)]
            highs.append(high_reg)
        which_reg = Signal.like(self.which)
        keep_reg = Signal()
        kept_reg = Signal(WORD_BITS)
        m.d.sync += [keep_reg.eq(self.read), which_reg.eq(self.which)]
        with m.If(keep_reg):
            # By now the carry of the lower half that was read is in.
            m.d.sync += kept_reg.eq(Array(highs)[which_reg])
        m.d.comb += self.high.eq(kept_reg)
        return m


# -- front -------------------------------------------------------------------------------------------------------------------------

BEAT_WORDS = KEY_BEAT_BYTES // WORD_BYTES


class KeySender(wiring.Component):
    """The memory and what sends it.

    Parameters
    ----------
    words : int
        Number of words of the longest key, a multiple of those of a beat.
    slots : int
        Number of key slots of the core.

    Members
    -------
    write, address, word : In(1), In, In(32)
        Writes a word while ``busy`` is low.
    send, slot, erase, bytes : In
        Sends so many bytes for a slot, or erases the slot, while ``busy`` is low.
    complete : Out(1)
        All words of so many bytes were written since the memory was overwritten.
    busy : Out(1)
    key : Out(stream)
        The port of the core (``interfaces.shared.KEYS``).
    """

    def __init__(self, words: int, slots: int):
        if words < BEAT_WORDS or words % BEAT_WORDS:
            raise ValueError(f"words is a multiple of {BEAT_WORDS}, not {words}")
        self.words, self.slots = words, slots
        layout = key_beat(slots)
        super().__init__({
            "write": In(1), "address": In(range(words)), "word": In(WORD_BITS),
            "send": In(1), "slot": In(layout["slot"].width), "erase": In(1), "bytes": In(range(WORD_BYTES * words + 1)),
            "complete": Out(1), "busy": Out(1), "key": Out(stream.Signature(layout)),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = BlockMemory(WORD_BITS, self.words, 1)
        # One more than the words, so that the last of them has been read when this is reached.
        at_reg = Signal(range(self.words + 1))
        left_reg = Signal.like(self.bytes)
        slot_reg = Signal.like(self.slot)
        erase_reg = Signal()
        beat_reg = Signal(8 * KEY_BEAT_BYTES)
        valid_reg = Signal()
        read_reg = Signal()
        wipe_reg = Signal(init=1)
        count_reg = Signal(range(BEAT_WORDS + 1))
        written_reg = Signal(self.words)
        # The word of this cycle was asked for in the cycle before.
        asked_reg = Signal()
        key = self.key.payload
        last = Signal()
        m.d.comb += [
            self.busy.eq(read_reg | valid_reg | wipe_reg),
            memory.we.eq(wipe_reg | self.write & ~self.busy),
            memory.waddr.eq(Mux(wipe_reg, at_reg, self.address)),
            memory.wdata.eq(self.word & (~wipe_reg).replicate(WORD_BITS)),
            memory.raddr[0].eq(at_reg),
            last.eq(left_reg <= KEY_BEAT_BYTES),
            self.key.valid.eq(valid_reg), key.data.eq(beat_reg), key.last.eq(last), key.slot.eq(slot_reg), key.erase.eq(erase_reg),
        ]  # fmt: skip
        with m.If(wipe_reg):
            m.d.sync += written_reg.eq(0)
        with m.Elif(memory.we):
            m.d.sync += written_reg.bit_select(self.address, 1).eq(1)
        needed = Cat(self.bytes > WORD_BYTES * at for at in range(self.words))
        m.d.comb += self.complete.eq(~(needed & ~written_reg).any())
        for byte in range(KEY_BEAT_BYTES):
            m.d.comb += key.keep[byte].eq(left_reg > byte)
        with m.If(wipe_reg):
            m.d.sync += at_reg.eq(at_reg + 1)
            with m.If(at_reg == self.words - 1):
                m.d.sync += [wipe_reg.eq(0), at_reg.eq(0)]
        with m.Elif(valid_reg):
            with m.If(self.key.ready):
                m.d.sync += [valid_reg.eq(0), beat_reg.eq(0), left_reg.eq(left_reg - KEY_BEAT_BYTES), read_reg.eq(~last), wipe_reg.eq(last)]
                with m.If(last):
                    m.d.sync += at_reg.eq(0)
        with m.Elif(read_reg):
            m.d.sync += asked_reg.eq(count_reg < BEAT_WORDS)
            with m.If(count_reg < BEAT_WORDS):
                m.d.sync += [count_reg.eq(count_reg + 1), at_reg.eq(at_reg + 1)]
            with m.If(asked_reg):
                m.d.sync += beat_reg.eq(Cat(beat_reg[WORD_BITS:], memory.rdata[0]))
            with m.If((count_reg == BEAT_WORDS) & asked_reg):
                m.d.sync += [read_reg.eq(0), valid_reg.eq(1), count_reg.eq(0), asked_reg.eq(0)]
        with m.Elif(self.send):
            m.d.sync += [
                slot_reg.eq(self.slot), erase_reg.eq(self.erase), left_reg.eq(Mux(self.erase, KEY_BEAT_BYTES, self.bytes)),
                read_reg.eq(~self.erase), valid_reg.eq(self.erase), at_reg.eq(0),
            ]  # fmt: skip
        return m


COUNTED = (
    "cycles", "commands", "succeeded", "failed", "bytes_in", "bytes_out", "command_waits", "in_waits", "in_idle", "out_waits", "out_idle",
    "status_waits",
)  # fmt: skip
"""The counters in the order of their registers."""


@dataclass(frozen=True)
class FrontParameters:
    """The figures of a front end.

    Attributes
    ----------
    map : RegisterMap
    interfaces : tuple of Interface
        Those of the core.
    shape : CoreShape
        The figures on which the widths of its ports depend.
    bus : str
        One of ``interfaces.front.REGISTER_BUSES``.
    ordered : bool
        With commands over registers, whether statuses wait for what ``interfaces.front.STATUS_ORDER`` tells.
    queued : bool
        Whether there are queues around, of whose erasure ``interfaces.front.QUEUE_ERASURE`` tells.
    """

    map: RegisterMap
    interfaces: tuple[Interface, ...]
    shape: CoreShape
    bus: str = AXI_LITE
    ordered: bool = False
    queued: bool = False

    @property
    def bus_interface(self) -> Interface:
        """The port for registers, without the type of protection, which nothing reads."""
        bus = register_bus(self.bus, self.map.address_bits)
        return replace(bus, payload=tuple(port for port in bus.payload if not port.name.endswith("prot")))

    def interface(self, member: str) -> Interface:
        """An interface of the core by its name in the hardware.  Raises ``KeyError`` if there is none."""
        return {one.member: one for one in self.interfaces}[member]

    @property
    def watched(self) -> tuple[Interface, ...]:
        """The streams that go past the front end."""
        return tuple(one for one in self.interfaces if one.stream and one.member != "key")

    @property
    def commands(self) -> bool:
        """Whether commands and statuses go over registers."""
        return "command_data" in self.map.by_name

    @property
    def codes(self) -> int:
        """The number of codes of a status other than OK."""
        return self.map.parameters["CODES"]

    def width(self, interface: Interface, name: str) -> int:
        """The width of a port."""
        return interface.port(name).width.bits(self.shape)


class RegisterFront(wiring.Component):
    """The front end.

    Parameters
    ----------
    parameters : FrontParameters

    Members
    -------
    aclk, aresetn : In
        Those of the core.
    s_axil_* or s_apb_*, irq : the ports of ``interfaces.front``, without ``prot``
    erase_pin, erasing_pin : In(1), Out(1)
        The pins ``zeroize`` and ``zeroizing`` of the whole.
    zeroize, zeroizing : Out(1), In(1)
        Those of the core.
    s_axis_key_*, key_* : the ports of the core for keys, seen from the other side
    *_tvalid, *_tready, *_tkeep, m_axis_status_tdata : In
        What it watches of the other streams.  With commands over registers, all ports of commands and statuses are here, seen from the
        other side.
    status_waits, status_may : Out(1), In(1)
        With ``ordered``: whether a status could come into the queue, and whether it may.
    queues_held : In(1)
        With ``queued``: queues around are being erased.
    """

    def __init__(self, parameters: FrontParameters):
        self.parameters = p = parameters
        members: dict[str, In | Out] = {
            "aclk": In(1), "aresetn": In(1), "erase_pin": In(1), "erasing_pin": Out(1), "zeroize": Out(1), "zeroizing": In(1),
            "irq": Out(1),
        }  # fmt: skip

        def ports(one: Interface, driver: Side) -> dict[str, In | Out]:
            """The ports of an interface: what *driver* drives comes in."""
            return {one.port_name(port): (In if one.driven_by(port) is driver else Out)(port.width.bits(p.shape)) for port in one.ports}

        members |= ports(p.bus_interface, Side.HOST) | ports(p.interface("key"), Side.CORE) | ports(p.interface("key_state"), Side.CORE)
        if p.ordered:
            members |= {STATUS_ORDER.port_name(port): Out(1) if port.driver is Side.CORE else In(1) for port in STATUS_ORDER.ports}
        if p.queued:
            members |= {QUEUE_ERASURE.port_name(port): In(1) for port in QUEUE_ERASURE.ports}
        for one in self._driven():
            members |= ports(one, Side.CORE)
        for one, names in self._watched():
            if one not in self._driven():
                members |= {one.port_name(one.port(name)): In(p.width(one, name)) for name in names}
        super().__init__(members)

    def _driven(self) -> tuple[Interface, ...]:
        """The streams that go over registers, besides keys."""
        p = self.parameters
        return (p.interface("cmd"), p.interface("status")) if p.commands else ()

    def _watched(self) -> Sequence[tuple[Interface, tuple[str, ...]]]:
        """The ports that are watched of each stream."""
        more = {DATA_IN.name: ("tkeep",), DATA_OUT.name: ("tkeep",), "m_axis_status": ("tdata",)}
        return [(one, ("tvalid", "tready", *more.get(one.name, ()))) for one in self.parameters.watched]

    def _stream(self, interface: Interface) -> tuple[Signal, Signal]:
        """``tvalid`` and ``tready`` of a stream."""
        return getattr(self, f"{interface.name}_tvalid"), getattr(self, f"{interface.name}_tready")

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        m.domains.sync = ClockDomain("sync")
        bus: Apb | AxiLite = Apb(p.map.address_bits) if p.bus == APB else AxiLite(p.map.address_bits)
        m.submodules.bus = bus
        m.submodules.registers = registers = Registers(p.map)
        # An erasure must not break off what the host does on the bus, so only the key is reset by it.
        erase = Signal()
        keys = KeySender(p.map.by_name["key_data"].words, p.shape.key_slots)
        m.submodules.keys = ResetInserter(erase)(keys)
        m.d.comb += [
            ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn), bus.erase.eq(erase),
            erase.eq(self.erase_pin | registers.control_zeroize), self.zeroize.eq(erase),
        ]  # fmt: skip
        for port in p.bus_interface.ports:
            outer: Signal = getattr(self, p.bus_interface.port_name(port))
            inner: Signal = getattr(bus.bus, port.name)
            m.d.comb += outer.eq(inner) if port.driver is Side.CORE else inner.eq(outer)
        wiring.connect(m, bus.access, registers.access)
        self._keys(m, registers, keys)
        commands = self._commands(m, registers, erase) if p.commands else None
        self._events(m, registers, keys, commands)
        self._counters(m, registers)
        return m

    def _keys(self, m: Module, registers: Registers, keys: KeySender) -> None:
        """Keys go from registers to the core."""
        p = self.parameters
        interface = p.interface("key")
        for port in interface.payload:
            m.d.comb += getattr(self, interface.port_name(port)).eq(getattr(keys.key.payload, port.member))
        send, length = registers.key_send_word, registers.key_length_bytes
        fits = length <= 4 * p.map.by_name["key_data"].words
        erases = send[16]
        # The key port would take a slot number that does not fit for another slot.
        unknown = send[len(keys.slot) : 16].any()
        m.d.comb += [
            self.s_axis_key_tvalid.eq(keys.key.valid), keys.key.ready.eq(self.s_axis_key_tready),
            keys.write.eq(registers.key_data_write), keys.address.eq(registers.key_data_address), keys.word.eq(registers.key_data_word),
            registers.key_data_refuse.eq(keys.busy),
            registers.key_send_refuse.eq(keys.busy | unknown | ~(fits & keys.complete) & ~erases),
            keys.send.eq(registers.key_send_write), keys.slot.eq(send[: len(keys.slot)]), keys.erase.eq(erases),
            keys.bytes.eq(length[: len(keys.bytes)]),
        ]  # fmt: skip
        loaded = Value.cast(self.key_loaded)
        m.d.comb += [
            registers.key_loaded0_slots.eq(loaded[:WORD_BITS]),
            registers.key_loaded1_slots.eq(loaded[WORD_BITS:] if len(loaded) > WORD_BITS else 0),
            registers.state_key_busy.eq(self.key_busy),
            registers.state_key_error.eq(self.key_error), registers.state_key_sending.eq(keys.busy),
        ]  # fmt: skip

    def _commands(self, m: Module, registers: Registers, erase: Value) -> CommandPort:
        """Commands go from registers to the core, and statuses from the core to registers."""
        p = self.parameters
        command, status = p.interface("cmd").packing, p.interface("status").packing
        port = CommandPort(command.bits, status.bits, p.map.by_name["command_data"].words)
        m.submodules.command_port = port
        head = port.head
        number = head[status.slice(self._number(status))]
        names = {field.name for field in status.fields}
        read: Signal = registers.status_read
        may: Value = Const(1, 1)
        if p.ordered:
            may = self.status_may
            m.d.comb += self.status_waits.eq(self.m_axis_status_tvalid & port.status.ready)
        m.d.comb += [
            port.write.eq(registers.command_data_write), port.address.eq(registers.command_data_address),
            port.word.eq(registers.command_data_word), registers.command_data_refuse.eq(port.busy),
            registers.command_submit_refuse.eq(port.busy),
            port.submit.eq(registers.command_submit_write & registers.command_submit_word[0]),
            port.erase.eq(erase), self.s_axis_cmd_tvalid.eq(port.command.valid), port.command.ready.eq(self.s_axis_cmd_tready),
            self.s_axis_cmd_tdata.eq(port.command.payload), port.status.valid.eq(self.m_axis_status_tvalid & may),
            self.m_axis_status_tready.eq(port.status.ready & may), port.status.payload.eq(self.m_axis_status_tdata), port.pop.eq(read),
            registers.command_state_busy.eq(port.busy), registers.command_state_statuses.eq(port.count),
        ]  # fmt: skip
        # Without a status, the queue still gives the last one.
        for value, given in (
            (registers.status_there, Const(1, 1)), (registers.status_code, head[status.slice("code")]), (registers.status_command, number),
            (registers.status_channel, head[status.slice("channel")] if "channel" in names else Const(0, 1)),
        ):  # fmt: skip
            m.d.comb += value.eq(Mux(port.has_status, given, 0))
        if "status_tag0" in p.map.by_name:
            tag = head[status.slice("tag")]
            tag_reg = Signal(len(tag))
            with m.If(erase):
                m.d.sync += tag_reg.eq(0)
            with m.Elif(read):
                m.d.sync += tag_reg.eq(Mux(port.has_status, tag, 0))
            for at in range(len(tag) // WORD_BITS):
                m.d.comb += getattr(registers, f"status_tag{at}_bytes").eq(tag_reg.word_select(at, WORD_BITS))
        return port

    @staticmethod
    def _number(status: Packing) -> str:
        """The name of the field of a status with the number of its command."""
        return "tag" if status.field("tag").bits == 16 else "id"

    def _events(self, m: Module, registers: Registers, keys: KeySender, port: CommandPort | None) -> None:
        """What raises the interrupt."""
        p = self.parameters
        status = p.interface("status")
        valid, ready = self._stream(status)
        packing = status.packing
        number = self._number(packing)
        code, number_of_command = self.m_axis_status_tdata[packing.slice("code")], self.m_axis_status_tdata[packing.slice(number)]
        # A key is at work from its first word on, so that both ends of it are seen here.
        working_reg = Signal()
        sent_reg = Signal()
        # What is here is overwritten, too, before an erasure is done.
        here = keys.busy if port is None else keys.busy | port.erasing
        erasing_reg = Signal()
        erased_reg = Signal()
        erasing = Signal()
        # Queues wait for the pin, so it cannot wait for them.
        everywhere = Signal()
        code_reg = Signal.like(code)
        number_reg = Signal.like(number_of_command)
        came_reg = Signal()
        failed = Signal()
        last_code_reg = Signal.like(code)
        last_number_reg = Signal.like(number_of_command)
        m.d.sync += [
            sent_reg.eq(keys.key.valid & keys.key.ready | sent_reg & (keys.busy | self.key_busy)),
            working_reg.eq(sent_reg), erasing_reg.eq(self.zeroize | erasing_reg & (here | self.zeroizing)), erased_reg.eq(everywhere),
            came_reg.eq(valid & ready), code_reg.eq(code), number_reg.eq(number_of_command),
        ]  # fmt: skip
        with m.If(failed):
            m.d.sync += [last_code_reg.eq(code_reg), last_number_reg.eq(number_reg)]
        m.d.comb += [
            failed.eq(came_reg & code_reg.any()),
            erasing.eq(self.zeroizing | erasing_reg), self.erasing_pin.eq(erasing),
            everywhere.eq(erasing | self.queues_held if p.queued else erasing), registers.state_zeroizing.eq(everywhere),
            registers.interrupt_pending_key_done.eq(working_reg & ~sent_reg),
            registers.interrupt_pending_zeroized.eq(erased_reg & ~everywhere),
            registers.interrupt_pending_failed.eq(failed),
            registers.last_failure_code.eq(last_code_reg), registers.last_failure_command.eq(last_number_reg),
        ]  # fmt: skip
        events: tuple[str, ...] = ("key_done", "zeroized", "failed")
        if port is not None:
            events = (*events, "status", "command_taken")
            m.d.comb += [registers.interrupt_pending_status.eq(port.came), registers.interrupt_pending_command_taken.eq(port.taken)]
        irq_reg = Signal()
        pending = [getattr(registers, f"interrupt_pending_{one}_value") & getattr(registers, f"interrupt_enable_{one}") for one in events]
        m.d.sync += irq_reg.eq(Cat(pending).any())
        m.d.comb += self.irq.eq(irq_reg)
        for at in range(p.codes):
            count_reg = Signal(WORD_BITS, name=f"failures{at}_reg")
            with m.If(registers.control_clear_counters):
                m.d.sync += count_reg.eq(0)
            with m.Elif(came_reg & (code_reg == at + 1)):
                m.d.sync += count_reg.eq(Mux(count_reg.all(), count_reg, count_reg + 1))
            m.d.comb += getattr(registers, f"failures{at}_count").eq(count_reg)

    def _counters(self, m: Module, registers: Registers) -> None:
        """What the streams do."""
        p = self.parameters
        moves, waits, idles = {}, {}, {}
        for interface in p.watched:
            valid, ready = self._stream(interface)
            moves[interface.name], waits[interface.name], idles[interface.name] = valid & ready, valid & ~ready, ~valid & ready
        sizes = {}
        for name in (DATA_IN.name, DATA_OUT.name):
            # The number of bytes takes a cycle of its own.
            keep: Signal = getattr(self, f"{name}_tkeep")
            moved_reg = Signal(len(keep), name=f"{name}_moved_reg")
            m.d.sync += moved_reg.eq(keep & moves[name].replicate(len(keep)))
            sizes[name] = sum((moved_reg[at] for at in range(1, len(keep))), start=moved_reg[0])
        status = p.interface("status")
        code = self.m_axis_status_tdata[status.packing.slice("code")]
        ended = moves[status.name]
        amounts: dict[str, Value] = {
            "cycles": Cat(1), "commands": moves["s_axis_cmd"], "succeeded": ended & ~code.any(), "failed": ended & code.any(),
            "bytes_in": sizes[DATA_IN.name], "bytes_out": sizes[DATA_OUT.name], "command_waits": waits["s_axis_cmd"],
            "in_waits": waits[DATA_IN.name], "in_idle": idles[DATA_IN.name], "out_waits": waits[DATA_OUT.name],
            "out_idle": idles[DATA_OUT.name], "status_waits": waits[status.name],
        }  # fmt: skip
        m.submodules.counters = counters = Counters({name: len(amounts[name]) for name in COUNTED})
        reads = [getattr(registers, f"{name}_read") for name in COUNTED]
        for name in COUNTED:
            m.d.comb += [
                getattr(counters, f"{name}_amount").eq(amounts[name]), getattr(registers, f"{name}_value").eq(getattr(counters, name)),
            ]  # fmt: skip
        which = Signal.like(counters.which)
        for at, read in enumerate(reads):
            with m.If(read):
                m.d.comb += which.eq(at)
        m.d.comb += [
            counters.clear.eq(registers.control_clear_counters), counters.read.eq(Cat(reads).any()), counters.which.eq(which),
            registers.high_value.eq(counters.high),
        ]  # fmt: skip
