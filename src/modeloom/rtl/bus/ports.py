# SPDX-License-Identifier: Apache-2.0
"""Makes hardware of the tables of ``modeloom.interfaces``: layouts of payloads, and the flat names of ports.

For instance::

    Interface "s_axis_key"  ──▶  stream.Signature({data, keep, last, slot, erase})  ◀── flat_ports ──▶  s_axis_key_tdata ...
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from amaranth.hdl import Cat, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import fifo, memory, stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import Component, In, Member, Out, Signature

from modeloom.interfaces import Interface, Side, Width
from modeloom.interfaces.shared import DATA_IN, KEYS, KEYS_IN_ORDER
from modeloom.interfaces.table import CoreShape

__all__ = [
    "BusComponent", "ErasedComponent", "FlatPort", "MemorySlice", "RegisterSlice", "StatusQueue", "StreamRegister", "beat_layout",
    "erased", "fields_layout", "flat_ports", "join", "key_beat", "ordered_key_beat", "payload_layout", "signals", "top_members",
    "verdict_signature",
]  # fmt: skip


# -- register slice --------------------------------------------------------------------------------------------------------------------

# A stream register without combinational paths between its two sides.

# A stream register with one place: half of a ``RegisterSlice``, for a chain of parts behind one.

class StreamRegister(wiring.Component):
    """One place of buffer. A payload passes in every cycle, and ``i.ready`` follows ``o.ready`` in the same cycle.

    Latency 1 cycle, one payload a cycle.

    Parameters
    ----------
    shape : ShapeLike
        Payload.
    reset : bool
        Whether a reset clears the payload.
    blanks : sequence of slice
        Bits of the payload that may be taken as zeros.  The register then has a reset for them, which takes no LUTs.

    Members
    -------
    i, o : stream
        In and out.
    blank : In(len(blanks))
        With *blanks* only: takes zeros instead of these bits of ``i``.
    """

    def __init__(self, shape: ShapeLike, *, reset: bool = False, blanks: Sequence[slice] = ()):
        self.shape, self.reset, self.blanks = shape, reset, tuple(blanks)
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), **({"blank": In(len(self.blanks))} if blanks else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        payload_reg = Signal(self.shape, reset_less=not self.reset)
        valid_reg = Signal()
        m.d.comb += [
            self.i.ready.eq(~valid_reg | self.o.ready), self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(Value.cast(payload_reg)),
        ]  # fmt: skip
        # An empty register takes whatever is on its input, so an old payload is gone a cycle after a reset.
        with m.If(self.i.ready):
            m.d.sync += [valid_reg.eq(self.i.valid), payload_reg.eq(self.i.payload)]
        for number, part in enumerate(self.blanks):
            with m.If(self.i.ready & self.blank[number]):
                m.d.sync += Value.cast(payload_reg)[part].eq(0)
        return m


class RegisterSlice(wiring.Component):
    """A buffer of two payloads.  ``i.ready`` is a register, and yet a payload can pass in every cycle.

    The latency is 1 cycle.  Payload registers are not reset.

    Parameters
    ----------
    shape : ShapeLike
        The shape of the payload.
    blanks : sequence of slice
        Bits of the payload that may be taken as zeros.  The registers then have a reset for them, which takes no LUTs.

    Members
    -------
    i, o : stream
        The input and the output.
    blank : In(len(blanks))
        With *blanks* only: takes zeros instead of these bits of ``i``.
    """

    def __init__(self, shape: ShapeLike, *, blanks: Sequence[slice] = ()):
        self.shape, self.blanks = shape, tuple(blanks)
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), **({"blank": In(len(self.blanks))} if blanks else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        payload_reg = [Signal(self.shape, name=f"payload{i}_reg", reset_less=True) for i in range(2)]
        from_reg = Signal()
        valid_reg = Signal()
        full_reg = Signal()

        # Each side has a pointer of its own, so that no handshake drives the enables of wide registers.  An empty place takes
        # whatever is on the input, so an old payload is gone one cycle after a reset.
        for i, reg in enumerate(payload_reg):
            takes = ~full_reg & ~(valid_reg & (from_reg == i))
            with m.If(takes):
                m.d.sync += reg.eq(self.i.payload)
            for number, part in enumerate(self.blanks):
                with m.If(takes & self.blank[number]):
                    m.d.sync += Value.cast(reg)[part].eq(0)
        put = Signal()
        get = Signal()
        m.d.comb += [
            put.eq(self.i.valid & ~full_reg),
            get.eq(self.o.ready & valid_reg),
            self.i.ready.eq(~full_reg),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(Mux(from_reg, Value.cast(payload_reg[1]), Value.cast(payload_reg[0]))),
        ]
        m.d.sync += [
            from_reg.eq(from_reg ^ get),
            valid_reg.eq(Mux(valid_reg, full_reg | put | ~get, put)),
            full_reg.eq(valid_reg & ~get & (full_reg | put)),
        ]
        return m


# -- memory slice ------------------------------------------------------------------------------------------------------------------

# A ``RegisterSlice`` in LUT memory: without a multiplexer and two registers for each bit.
#
#     i ──▶ two words ──▶ o         one cycle from i to o, one payload a cycle

class MemorySlice(wiring.Component):
    """A buffer of two payloads.  ``i.ready`` is a register, and yet a payload can pass in every cycle.

    The latency is 1 cycle.  The payload at the output comes from the memory without a register.

    Parameters
    ----------
    shape : ShapeLike
        The shape of the payload.

    Members
    -------
    i, o : stream
        The input and the output.
    erase, erase_address : In(1), In(1)
        While the buffer is held in reset: this word takes whatever is on the input.
    """

    def __init__(self, shape: ShapeLike):
        self.shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), "erase": In(1), "erase_address": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given = Value.cast(self.i.payload)
        words = memory.Memory(shape=len(given), depth=2, init=[], attrs={"ram_style": "distributed"})
        m.submodules.words = words
        write, read = words.write_port(), words.read_port(domain="comb")
        from_reg = Signal()
        valid_reg = Signal()
        full_reg = Signal()
        put = Signal()
        get = Signal()
        m.d.comb += [
            put.eq(self.i.valid & ~full_reg), get.eq(self.o.ready & valid_reg), self.i.ready.eq(~full_reg),
            write.en.eq(put | self.erase), write.addr.eq(Mux(self.erase, self.erase_address, from_reg ^ valid_reg)), write.data.eq(given),
            read.addr.eq(from_reg), self.o.valid.eq(valid_reg), Value.cast(self.o.payload).eq(read.data),
        ]  # fmt: skip
        m.d.sync += [
            from_reg.eq(from_reg ^ get),
            valid_reg.eq(Mux(valid_reg, full_reg | put | ~get, put)), full_reg.eq(valid_reg & ~get & (full_reg | put)),
        ]  # fmt: skip
        return m


# -- status ----------------------------------------------------------------------------------------------------------------------------

# Gives back one status for each command, in the order of the commands, after the data of its sector.
#
# A status with a good code waits at the head of the queue until its data have been taken::
#
#     verdict ──▶ queue ──▶ head ──▶ [status] ──▶ m_axis_status
#     delivered ──▶ number of sectors whose data have been taken ──▶ lets a head with a good code pass

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


# -- ports -----------------------------------------------------------------------------------------------------------------------------

# The base class of the parts of the buses.  Each part has a set of sizes, from which its ports follow.

Sizes = TypeVar("Sizes")


class BusComponent(wiring.Component, Generic[Sizes]):
    """A part of the buses of a core.

    Parameters
    ----------
    parameters : Sizes
        The sizes that it needs to know.
    """

    def __init__(self, parameters: Sizes):
        self.parameters = parameters
        super().__init__(self.ports(parameters))

    @staticmethod
    @abstractmethod
    def ports(parameters: Sizes) -> dict[str, Member]:
        """The members of the signature of a part with these sizes."""


class Erasable(Protocol):
    """Sizes of a part with memories."""

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""


ErasedSizes = TypeVar("ErasedSizes", bound=Erasable)


class ErasedComponent(BusComponent[ErasedSizes]):
    """A part with memories.

    Members
    -------
    erase, erase_address : In
        While it is held in reset: zeros to this word of its memories, or what is on the input of a register.
    """

    def __init__(self, parameters: ErasedSizes):
        self.parameters = parameters
        Component.__init__(self, {**self.ports(parameters), "erase": In(1), "erase_address": In(parameters.erase_bits)})


def erased(whole: object, *parts: object) -> list[object]:
    """Passes the erasure of a part on to others in it."""
    return [join(whole, part, "erase", "erase_address") for part in parts]


def join(source: object, target: object, *names: str) -> list[object]:
    """Connects members that have the same names."""
    return [getattr(target, name).eq(getattr(source, name)) for name in names]


def signals(names: str, shape: ShapeLike = 1) -> Iterator[Signal]:
    """Signals of a shape with these names."""
    return (Signal(shape, name=name) for name in names.split())


def fields_layout(interface: Interface) -> StructLayout:
    """The layout of the fields of ``tdata``, bit 0 first."""
    return StructLayout({field.name: field.bits for field in interface.packing.fields})


def payload_layout(interface: Interface, core: CoreShape) -> StructLayout:
    """The payload of a stream of bytes in a core.  tdata, tkeep, tlast and so on have the names that they have in the hardware."""
    return StructLayout({port.member: port.width.bits(core) for port in interface.payload})


@dataclass(frozen=True)
class _Keys:
    """The only size of a core that the interface of keys depends on."""

    key_slots: int
    beat_bytes: int = 0


def key_beat(key_slots: int) -> StructLayout:
    """The layout of a beat of a key packet: tdata, tkeep, tlast, tdest, tuser."""
    return payload_layout(KEYS, _Keys(key_slots))


def ordered_key_beat() -> StructLayout:
    """The layout of a beat of a key packet, in a core whose keys come in order: tdata, tkeep, tlast, tuser."""
    return payload_layout(KEYS_IN_ORDER, _Keys(1))


def beat_layout(core: CoreShape) -> StructLayout:
    """The layout of a beat of data: tdata, tkeep, tlast."""
    return payload_layout(DATA_IN, core)


@dataclass(frozen=True)
class FlatPort:
    """One port of the emitted top.

    Attributes
    ----------
    name : str
        Its AXI name.
    path
        Its place in the hardware, for instance in :class:`~modeloom.rtl.bus.sector.core.CoreBus`.  A field of the payload of a
        stream is a range of its bits.
    output : bool
        Whether it is an output of the core.
    width : int
        Its width in bits.
    """

    name: str
    path: str
    output: bool
    width: Width

    def inside(self, component: Component) -> Value:
        """The value at its place in a component."""
        for name in self.path.split("."):
            component = getattr(component, name)
        return Value.cast(component)


def top_members(ports: Iterable[FlatPort], core: CoreShape) -> dict[str, Member]:
    """The members of an emitted top: its clock, its reset, and these ports."""
    flat = {port.name: (Out if port.output else In)(port.width.bits(core)) for port in ports}
    return {"aclk": In(1), "aresetn": In(1), **flat}


def flat_ports(interface: Interface) -> Iterator[FlatPort]:
    """The ports of an interface with their flat names."""
    for port in interface.ports:
        yield FlatPort(interface.port_name(port), interface.path_of(port), interface.driven_by(port) is Side.CORE, port.width)
