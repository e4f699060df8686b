# SPDX-License-Identifier: Apache-2.0
"""The registers of a map as hardware.

::

    access ──▶ address = register? ──▶ fields that are written        out: NAME_FIELD
                                   ──▶ external registers             out: NAME_write, word; in: NAME_refuse
    NAME_FIELD (in) ──────────────────▶ fields that come from inside ──▶ read data

What is written passes a gate that is closed for memories: they take keys, and all other registers see zeros then.  So no register
depends on a key, and the check for timing channels takes what comes out of the gate as public.  A memory that takes no keys has a gate
of its own, so that no key comes into it.
"""

from __future__ import annotations

from collections.abc import Iterator

from amaranth.hdl import Cat, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.front.map import Register, RegisterField, RegisterMap
from modeloom.interfaces.front import OKAY, SLVERR, WORD_BITS, WORD_BYTES
from modeloom.rtl.stream.storage import Queue

__all__ = [
    "KEY_MEMORY", "STATUS_PLACES", "Apb", "AxiLite", "CommandPort", "PublicGate", "Registers", "access_signature", "apb_signature",
    "axi_lite_signature",
]  # fmt: skip


# -- command port ----------------------------------------------------------------------------------------------------------------------

# Commands and statuses over registers.
#
#     words ──▶ [command] ──submit──▶ s_axis_cmd              m_axis_status ──▶ queue ──read──▶ code, number   [tag]
#                  ▲                      │                        ▲
#     zeros ───────┴──────────────────────┘ taken                  └── tready is low while the queue is full: no status is lost
#
# The words of a command are zero again when the core has taken it, so that nothing of one command comes into the next.  An erasure drops
# the command and all statuses, and overwrites the queue.

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


# -- buses -----------------------------------------------------------------------------------------------------------------------------

# The buses of registers: AXI4-Lite and APB4, 32 bits, for one access at a time.

# AXI4-Lite, 32 bits, for one access at a time.
#
#     AW ──▶ [address] ──┐
#     W  ──▶ [data] ─────┴──▶ write ──▶ registers ──▶ [error] ──▶ B
#     AR ──▶ [address] ─────▶ read  ──▶ registers ──▶ [data, error] ──▶ R
#
# Every response comes from a register, and no output depends on an input of the same cycle.  An address and its data may come in any order.

def axi_lite_signature(address_bits: int) -> wiring.Signature:
    """The five channels, seen from the host.  ``prot`` is left out."""
    return wiring.Signature({
        "awvalid": Out(1), "awready": In(1), "awaddr": Out(address_bits),
        "wvalid": Out(1), "wready": In(1), "wdata": Out(WORD_BITS), "wstrb": Out(WORD_BYTES),
        "bvalid": In(1), "bready": Out(1), "bresp": In(2),
        "arvalid": Out(1), "arready": In(1), "araddr": Out(address_bits),
        "rvalid": In(1), "rready": Out(1), "rdata": In(WORD_BITS), "rresp": In(2),
    })  # fmt: skip


def access_signature(address_bits: int) -> wiring.Signature:
    """An access to a register, seen from the bus.

    ``read`` or ``write`` is high for one cycle, in which ``read_data``, ``read_error`` and ``write_error`` have to be there.
    ``address`` counts words.
    """
    return wiring.Signature({
        "read": Out(1), "read_address": Out(address_bits - 2), "read_data": In(WORD_BITS), "read_error": In(1),
        "write": Out(1), "write_address": Out(address_bits - 2), "write_data": Out(WORD_BITS), "write_error": In(1),
    })  # fmt: skip


class AxiLite(wiring.Component):
    """The port.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.  The lowest two are not read.

    Members
    -------
    bus : In(axi_lite_signature)
    access : Out(access_signature)
        A write in which a byte is missing is not passed on.
    erase : In(1)
        Overwrites data that wait for their address.  Their write is refused.
    """

    def __init__(self, address_bits: int):
        super().__init__({"bus": In(axi_lite_signature(address_bits)), "access": Out(access_signature(address_bits)), "erase": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, access = self.bus, self.access
        address_reg = Signal.like(bus.awaddr)
        data_reg = Signal.like(bus.wdata)
        strobe_reg = Signal.like(bus.wstrb)
        has_address_reg = Signal()
        has_data_reg = Signal()
        answer_reg = Signal()
        error_reg = Signal()
        whole = strobe_reg.all()
        write = Signal()
        m.d.comb += [
            bus.awready.eq(~has_address_reg), bus.wready.eq(~has_data_reg), bus.bvalid.eq(answer_reg),
            bus.bresp.eq(Mux(error_reg, SLVERR, OKAY)),
            # The next access waits until the answer was taken.
            write.eq(has_address_reg & has_data_reg & ~answer_reg),
            access.write.eq(write & whole), access.write_address.eq(address_reg[2:]), access.write_data.eq(data_reg),
        ]  # fmt: skip
        with m.If(bus.awvalid & ~has_address_reg):
            m.d.sync += [has_address_reg.eq(1), address_reg.eq(bus.awaddr)]
        with m.If(bus.wvalid & ~has_data_reg):
            m.d.sync += [has_data_reg.eq(1), data_reg.eq(bus.wdata), strobe_reg.eq(bus.wstrb)]
        with m.If(write):
            # Data may be part of a key, so they go.
            m.d.sync += [answer_reg.eq(1), error_reg.eq(~whole | access.write_error), data_reg.eq(0)]
        with m.If(self.erase):
            m.d.sync += [data_reg.eq(0), strobe_reg.eq(0)]
        with m.If(answer_reg & bus.bready):
            m.d.sync += [answer_reg.eq(0), has_address_reg.eq(0), has_data_reg.eq(0)]

        read_reg = Signal()
        rvalid_reg = Signal()
        read_error_reg = Signal()
        read_address_reg = Signal.like(bus.araddr)
        read_data_reg = Signal.like(bus.rdata)
        m.d.comb += [
            bus.arready.eq(~read_reg & ~rvalid_reg), bus.rvalid.eq(rvalid_reg), bus.rdata.eq(read_data_reg),
            bus.rresp.eq(Mux(read_error_reg, SLVERR, OKAY)), access.read.eq(read_reg), access.read_address.eq(read_address_reg[2:]),
        ]  # fmt: skip
        with m.If(bus.arvalid & bus.arready):
            m.d.sync += [read_reg.eq(1), read_address_reg.eq(bus.araddr)]
        with m.If(read_reg):
            m.d.sync += [read_reg.eq(0), rvalid_reg.eq(1), read_data_reg.eq(access.read_data), read_error_reg.eq(access.read_error)]
        # Data may be part of a tag, so they go.
        with m.If(rvalid_reg & bus.rready):
            m.d.sync += [rvalid_reg.eq(0), read_data_reg.eq(0)]
        return m


# -- apb ---------------------------------------------------------------------------------------------------------------------------

# APB4, 32 bits.
#
#     cycle      0          1                    2
#     host       setup      access               access
#     here       [taken] ─▶ read, write ──────▶ [PREADY, PRDATA, PSLVERR]
#
# A transfer takes three cycles.  Every output comes from a register, so that none depends on an input of the same cycle.

def apb_signature(address_bits: int) -> wiring.Signature:
    """The signals, seen from the host.  ``pprot`` is left out."""
    return wiring.Signature({
        "psel": Out(1), "penable": Out(1), "paddr": Out(address_bits), "pwrite": Out(1), "pwdata": Out(WORD_BITS),
        "pstrb": Out(WORD_BYTES), "pready": In(1), "prdata": In(WORD_BITS), "pslverr": In(1),
    })  # fmt: skip


class Apb(wiring.Component):
    """The port.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.  The lowest two are not read.

    Members
    -------
    bus : In(apb_signature)
    access : Out(access_signature)
        A write in which a byte is missing is not passed on.
    erase : In(1)
        Overwrites data that were taken.  Their write is refused.
    """

    def __init__(self, address_bits: int):
        super().__init__({"bus": In(apb_signature(address_bits)), "access": Out(access_signature(address_bits)), "erase": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, access = self.bus, self.access
        taken_reg = Signal()
        write_reg = Signal()
        address_reg = Signal.like(bus.paddr)
        data_reg = Signal.like(bus.pwdata)
        strobe_reg = Signal.like(bus.pstrb)
        ready_reg = Signal()
        error_reg = Signal()
        read_data_reg = Signal.like(bus.prdata)
        whole = strobe_reg.all()
        setup = Signal()
        refused = Signal()
        m.d.comb += [
            # A transfer that is not over excludes another one, whatever the host does.
            setup.eq(bus.psel & ~bus.penable & ~taken_reg & ~ready_reg),
            bus.pready.eq(ready_reg), bus.prdata.eq(read_data_reg), bus.pslverr.eq(error_reg),
            access.write.eq(taken_reg & write_reg & whole), access.write_address.eq(address_reg[2:]), access.write_data.eq(data_reg),
            access.read.eq(taken_reg & ~write_reg), access.read_address.eq(address_reg[2:]),
            refused.eq(Mux(write_reg, ~whole | access.write_error, access.read_error)),
        ]  # fmt: skip
        # Data may be part of a key, so they stay for one cycle.
        m.d.sync += [
            taken_reg.eq(setup), data_reg.eq(0), ready_reg.eq(taken_reg), error_reg.eq(taken_reg & refused),
            read_data_reg.eq(access.read_data & (access.read & ~access.read_error).replicate(WORD_BITS)),
        ]  # fmt: skip
        with m.If(setup):
            m.d.sync += [address_reg.eq(bus.paddr), write_reg.eq(bus.pwrite), strobe_reg.eq(bus.pstrb)]
            with m.If(bus.pwrite):
                m.d.sync += data_reg.eq(bus.pwdata)
        with m.If(self.erase):
            m.d.sync += [data_reg.eq(0), strobe_reg.eq(0)]
        return m


# -- registers -------------------------------------------------------------------------------------------------------------------------

KEY_MEMORY = "key_data"
"""The memory that takes keys."""


class PublicGate(wiring.Component):
    """Passes a word on if it is not part of a key.

    Members
    -------
    word : In(32)
    open : In(1)
        The word is written now, and to a register that takes no keys.
    public : Out(32)
        Zero for all other words.
    """

    def __init__(self) -> None:
        super().__init__({"word": In(WORD_BITS), "open": In(1), "public": Out(WORD_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.public.eq(self.word & self.open.replicate(WORD_BITS))
        return m


class Registers(wiring.Component):
    """The registers.

    Parameters
    ----------
    map : RegisterMap

    Members
    -------
    access : In(access_signature)
    NAME_FIELD : In or Out
        A field whose value comes from inside, or one that the bus writes.  If the bus clears it, this is an input that sets it, and
        NAME_FIELD_value is its value.
    NAME_read : Out(1)
        A register with values from inside is read in this cycle.
    NAME_write, NAME_refuse : Out(1), In(1)
        An external register or memory is written, and whether this is refused.
    NAME_word : Out(32)
        What is written to an external register.
    NAME_address, NAME_word : Out, Out(32)
        The place in a memory, counted in words, and what is written there.  It may be part of a key.
    """

    def __init__(self, map: RegisterMap):
        self.map = map
        members: dict[str, In | Out] = {}
        for register in map.registers:
            if not register.fields:
                members |= {f"{register.name}_address": Out(range(register.words))}
            if register.external:
                members |= {f"{register.name}_write": Out(1), f"{register.name}_refuse": In(1), f"{register.name}_word": Out(WORD_BITS)}
                continue
            for field, name in _named(register):
                if field.clears:
                    members |= {name: In(field.width), f"{name}_value": Out(field.width)}
                elif field.from_inside:
                    members[name] = In(field.width)
                elif field.writes:
                    members[name] = Out(field.width)
            if any(field.from_inside for field in register.fields):
                members[f"{register.name}_read"] = Out(1)
        super().__init__({"access": In(access_signature(map.address_bits)), **members})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        access = self.access
        m.submodules.gate = gate = PublicGate()
        word = gate.public
        readable: Value | int = 0
        secret: Value | int = 0
        data: Value | int = 0
        known: Value | int = 0
        for register in self.map.registers:
            first = register.address // WORD_BYTES
            writes = Signal(name=f"{register.name}_written")
            bits = (register.words - 1).bit_length()
            if first & (1 << bits) - 1:
                raise ValueError(f"{register.name} does not begin at a multiple of its size")
            addressed = access.write_address[bits:] == first >> bits
            if register.words < 1 << bits:
                addressed &= access.write_address[:bits] < register.words
            m.d.comb += writes.eq(access.write & addressed if register.writes else 0)
            if register.external:
                m.d.comb += getattr(self, f"{register.name}_write").eq(writes & ~getattr(self, f"{register.name}_refuse"))
                known = known | writes & ~getattr(self, f"{register.name}_refuse")
            elif register.writes:
                known = known | writes
            if not register.fields:
                secret = secret | writes
                given: Value = access.write_data
                if register.name != KEY_MEMORY:
                    m.submodules[f"{register.name}_gate"] = own = PublicGate()
                    m.d.comb += [own.word.eq(access.write_data), own.open.eq(writes)]
                    given = own.public
                m.d.comb += [
                    getattr(self, f"{register.name}_address").eq(access.write_address[:bits]),
                    getattr(self, f"{register.name}_word").eq(given),
                ]  # fmt: skip
                continue
            if register.external:
                m.d.comb += getattr(self, f"{register.name}_word").eq(word)
                continue
            chosen = Signal(name=f"{register.name}_chosen")
            m.d.comb += chosen.eq(access.read_address == first)
            if register.reads:
                value = Signal(WORD_BITS, name=f"{register.name}_value")
                for field, name in _named(register):
                    m.d.comb += value[field.low : field.low + field.width].eq(self._value(m, field, name, writes, word))
                data = data | value & chosen.replicate(WORD_BITS)
                readable = readable | chosen
                if any(field.from_inside for field in register.fields):
                    m.d.comb += getattr(self, f"{register.name}_read").eq(access.read & chosen)
            else:
                for field, name in _named(register):
                    self._value(m, field, name, writes, word)
        found = Signal()
        m.d.comb += [
            gate.word.eq(access.write_data), gate.open.eq(access.write & ~Value.cast(secret).any()), found.eq(readable),
            access.read_data.eq(data), access.read_error.eq(~found), access.write_error.eq(~known),
        ]  # fmt: skip
        return m

    def _value(self, m: Module, field: RegisterField, name: str, writes: Signal, word: Value) -> Value | int:
        """The value of a field, with its register if the bus writes it."""
        given = word[field.low : field.low + field.width]
        if field.clears:
            held = Signal(field.width, name=f"{name}_reg")
            m.d.sync += held.eq(held & ~(given & writes.replicate(field.width)) | getattr(self, name))
            m.d.comb += getattr(self, f"{name}_value").eq(held)
            return held
        if field.from_inside:
            value: Signal = getattr(self, name)
            return value
        if not field.writes:
            return field.reset
        held = Signal(field.width, name=f"{name}_reg", init=0 if field.pulse else field.reset)
        m.d.comb += getattr(self, name).eq(held)
        if field.pulse:
            m.d.sync += held.eq(given & writes.replicate(field.width))
        else:
            with m.If(writes):
                m.d.sync += held.eq(given)
        return held


def _named(register: Register) -> Iterator[tuple[RegisterField, str]]:
    """The fields with the names of their members."""
    for field in register.fields:
        yield field, f"{register.name}_{field.name}"
