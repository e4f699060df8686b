# SPDX-License-Identifier: Apache-2.0
"""The bus side of a core for sectors.  It has AXI4-Streams on one side, and the ports of the engine on the other.

Its parts::

    cmd ────▶ CommandIntake ──┬──▶ EntryGate ──┬───────────────────▶ StatusQueue ──▶ status
    s ──────▶ SectorIntake ───┘        │       └─ enter ─┐
                   └── fill ───────────│──────────────▶ engine ── out ──▶ ResultRing ──▶ m
                                       ▼                 ▲
                                SlotsInFlight            │ preparation
                                       └──────────── KeyPort ◀──▶ key schedule
                                                         ▲
    key ─────────────────────────────────────────────────┘
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Member, Out

from modeloom.cycles import FILL_AHEAD
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.key_port import KeyPort, lookup_signature
from modeloom.rtl.bus.ports import BusComponent, RegisterSlice, StatusQueue, beat_layout, key_beat, verdict_signature
from modeloom.rtl.bus.preparation import in_use_signature, key_state_signature
from modeloom.rtl.bus.sector.parameters import (
    CODE_BITS,
    COMMAND,
    STATUS,
    BusParameters,
    admission_signature,
    command_signature,
    engine_of,
    opening_signature,
    packet_signature,
    place_signature,
    upcoming_signature,
)
from modeloom.rtl.bus.sector.ring import ResultRing
from modeloom.rtl.engine.interface import done_signature, enter_signature, fill_signature, size_signature
from modeloom.rtl.zeroize import erase_signature

__all__ = ["BeatCheck", "CommandIntake", "CoreBus", "EntryGate", "SectorIntake", "SizeGate", "SlotsInFlight", "checked_beat_layout"]


# -- command ---------------------------------------------------------------------------------------------------------------------------

# Takes commands and checks whether the core can obey them.
#
# A command passes through two registers::
#
#     cmd ──▶ [taken] ──▶ [checked: size, direction, slot] ──▶ command ──▶ (take)
#
# The slot is looked up in every cycle in which the command waits.  So a command is refused if its key is erased while it waits.  The flags
# of many slots are in a memory, which answers a cycle later, as the register of a few flags does.


class CommandIntake(BusComponent[BusParameters]):
    """Registers and checks commands.

    A command takes two cycles from the bus to ``command.valid``.  ``command.valid`` is low for a cycle after ``take``.

    Members
    -------
    cmd : stream of COMMAND
        Commands from the host.
    key_loaded : key_slots
        The slots with a key.  It is there with up to ``LISTED_SLOTS`` slots.
    lookup : lookup_signature
        Asks whether a slot has a key.  It is there with more slots.
    command : command_signature
        The command that waits.
    tweak : tweak_bits
        The tweak of this command, for the engine.  Like the fields of the command, it holds for one cycle more than
        ``command.valid``.
    upcoming : upcoming_signature
        The size of this command, and of the command behind it.  It is there only in a core for several sizes.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "cmd": In(stream.Signature(COMMAND)),
            **(
                {"key_loaded": In(parameters.key_slots)} if parameters.key_slots <= LISTED_SLOTS
                else {"lookup": Out(lookup_signature(parameters.key_slots))}
            ),
            "command": Out(command_signature(parameters)),
            "tweak": Out(parameters.data.block_bits * max(1, parameters.sectors.tweak_blocks)),
            **({"upcoming": Out(upcoming_signature(parameters))} if len(parameters.sizes) > 1 else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes two places for commands: one for what the bus gives, and one for a command whose checks are known.

        The checks are registered between them, except for whether the slot has a key, which may change while a command waits.
        """
        m = Module()
        p = self.parameters
        taken_reg = Signal(COMMAND, reset_less=True)
        taken_valid_reg = Signal()
        valid_reg = Signal()
        size_bad_reg = Signal(reset_less=True)
        direction_bad_reg = Signal(reset_less=True)
        decrypt_reg = Signal(reset_less=True)
        slot_reg = Signal(COMMAND["slot"].width, reset_less=True)
        tweak_reg = Signal.like(self.tweak, name="tweak_reg", reset_less=True)
        tag_reg = Signal(COMMAND["tag"].width, reset_less=True)

        size_reg = Signal(p.size_bits, reset_less=True)
        next_size_known = taken_reg.size < len(p.sizes)

        move = Signal()
        m.d.comb += [move.eq(taken_valid_reg & ~valid_reg), self.cmd.ready.eq(~taken_valid_reg)]
        with m.If(self.cmd.ready):
            m.d.sync += [taken_valid_reg.eq(self.cmd.valid), taken_reg.eq(self.cmd.payload)]
        with m.Elif(move):
            m.d.sync += taken_valid_reg.eq(0)

        with m.If(move):
            m.d.sync += [
                valid_reg.eq(1),
                size_bad_reg.eq(~next_size_known),
                size_reg.eq(taken_reg.size[: p.size_bits] if len(p.sizes) > 1 else 0),
                direction_bad_reg.eq(Mux(taken_reg.decrypt, not p.sectors.decrypt, not p.sectors.encrypt)),
                decrypt_reg.eq(taken_reg.decrypt),
                slot_reg.eq(taken_reg.slot),
                tweak_reg.eq(taken_reg.tweak[: p.tweak_bits]),
                tag_reg.eq(taken_reg.tag),
            ]
        with m.Elif(self.command.take):
            m.d.sync += valid_reg.eq(0)

        if p.key_slots <= LISTED_SLOTS:
            key_ok_reg = Signal(reset_less=True)
            m.d.sync += key_ok_reg.eq(Mux(move, self._has_key(taken_reg.slot), self._has_key(slot_reg)))
            key_ok: Value = key_ok_reg
        else:
            # A number that is no slot, but has no more bits, has a flag, too, which stays 0.
            m.d.comb += self.lookup.slot.eq(Mux(move, taken_reg.slot, slot_reg))
            key_ok = self.lookup.loaded & ~slot_reg[len(self.lookup.slot) :].any()

        command = self.command
        m.d.comb += [
            command.valid.eq(valid_reg),
            command.decrypt.eq(decrypt_reg),
            command.slot.eq(slot_reg),
            self.tweak.eq(tweak_reg),
            command.tag.eq(tag_reg),
            command.size.eq(size_reg),
            command.ok.eq(key_ok & ~direction_bad_reg & ~size_bad_reg),
            command.code.eq(
                Mux(size_bad_reg, StatusCode.UNKNOWN_SIZE, Mux(direction_bad_reg, StatusCode.NO_DIRECTION, StatusCode.NO_KEY))
            ),
        ]
        if len(p.sizes) > 1:
            upcoming = self.upcoming
            m.d.comb += [
                upcoming.valid.eq(valid_reg),
                upcoming.size.eq(size_reg),
                upcoming.known.eq(~size_bad_reg),
                upcoming.next_valid.eq(taken_valid_reg),
                upcoming.next_size.eq(taken_reg.size[: p.size_bits]),
                upcoming.next_known.eq(next_size_known),
            ]
        return m

    def _has_key(self, slot: Value) -> Value:
        """Whether one of a few slots has a key."""
        count = self.parameters.key_slots
        index_bits = (count - 1).bit_length()
        slots = Cat(self.key_loaded, Const(0, (1 << index_bits) - count))
        return slots.bit_select(slot[:index_bits], 1) & ~slot[index_bits:].any()


# -- size --------------------------------------------------------------------------------------------------------------------------

# Changes the size of sectors in cores for several sizes.
#
#     command ──┬─ same size ─────────────────────────────▶ open: its packet may be taken in
#               └─ another ──▶ wait for an idle engine ──▶ size, restart ──▶ open

class SizeGate(BusComponent[BusParameters]):
    """Lets the packet of a command in when the engine is set to its size.

    Members
    -------
    upcoming : upcoming_signature
        The sizes of the next two sectors.
    opening : opening_signature
        Whether the next packet may be taken in.  The packet of a command with an unknown size is always taken in, and dropped.
    size : size_signature
        The size for the engine.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "upcoming": In(upcoming_signature(parameters)),
            "opening": Out(opening_signature(parameters)),
            "size": Out(size_signature(len(parameters.sizes))),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        size_reg = Signal.like(self.size.number)
        restart_reg = Signal()
        # The command whose packet comes next.
        upcoming, opening = self.upcoming, self.opening
        first = upcoming.valid & ~opening.admitted
        fits = ~upcoming.known | (upcoming.size == size_reg)
        next_fits = ~upcoming.next_known | (upcoming.next_size == size_reg)
        change = Signal()
        m.d.comb += [
            change.eq(first & ~fits & self.size.idle & ~restart_reg),
            opening.open.eq(Mux(first, fits, upcoming.next_valid & next_fits)),
            opening.size.eq(size_reg),
            self.size.number.eq(size_reg),
            self.size.restart.eq(restart_reg),
        ]
        m.d.sync += restart_reg.eq(change)
        with m.If(change):
            m.d.sync += size_reg.eq(upcoming.size)
        return m


# -- entry -----------------------------------------------------------------------------------------------------------------------------

# Decides on a command and its packet: the sector enters the engine, or it is refused.
#
#     command ─┐                   good ──▶ enter; the sector has a place in the ring, and its slot is in use
#              ├──▶ one decision ──┤
#     packet  ─┘                   bad ───▶ nothing
#                                  both ──▶ tag and code into the status queue, in the order of the commands
#
# A good command stays in the command intake until its sector has entered.  The engine reads its fields there.


class EntryGate(BusComponent[BusParameters]):
    """Decides on a command and its packet.  ``enter.request`` rises in the cycle after the decision.

    Every sector waits until the one before it has entered, and until there is room in the status queue.  A good sector waits also
    for a free place in the ring.  A good packet is taken in the cycle in which it is complete, if its command has been there for a
    cycle.  There are at least ``cycles.ENTRY_CYCLES`` cycles from one entry to the next.

    Members
    -------
    command : command_signature
    packet : packet_signature
        The command and the packet that wait.
    place : place_signature
        A place in the ring.  Its number is the ticket of the sector.
    admission : admission_signature
        The sector will enter.
    verdict : verdict_signature
        Command and packet have been decided, with this status.
    enter : enter_signature
        The request to the engine.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        p = parameters
        return {
            "command": In(command_signature(p)),
            "packet": In(packet_signature()),
            "place": Out(place_signature(p)),
            "admission": Out(admission_signature(p)),
            "verdict": Out(verdict_signature(STATUS, CODE_BITS)),
            "enter": Out(enter_signature(key_slots=p.key_slots, ticket_bits=p.ticket_bits)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ticket_reg = Signal(self.parameters.ticket_bits)
        enter_reg = Signal()
        # Everything but the end of the packet is known a cycle ahead.  ``go_reg`` says that the command is good, no sector asks to
        # enter, the ring has a place, and there is room for the status.  ``drop_reg`` says that command and packet are refused.
        go_reg = Signal()
        drop_reg = Signal()
        drop_code_reg = Signal(CODE_BITS, reset_less=True)
        command, packet, place, admission, verdict, enter = (
            self.command, self.packet, self.place, self.admission, self.verdict, self.enter
        )  # fmt: skip
        admit = Signal()
        push = Signal()
        free = Signal()
        m.d.comb += [
            admit.eq(packet.good & go_reg),
            push.eq(admit | drop_reg),
            free.eq(command.valid & verdict.room & ~enter_reg & ~push),
            command.take.eq(enter.ack | drop_reg),
            packet.take.eq(push), packet.admit.eq(admit), packet.entering.eq(enter_reg),
            place.admit.eq(admit), place.ticket.eq(ticket_reg), place.size.eq(command.size),
            admission.admit.eq(admit), admission.ticket.eq(ticket_reg), admission.slot.eq(command.slot),
            verdict.push.eq(push), verdict.tag.eq(command.tag), verdict.code.eq(Mux(drop_reg, drop_code_reg, StatusCode.OK)),
            enter.request.eq(enter_reg), enter.ticket.eq(ticket_reg), enter.decrypt.eq(command.decrypt), enter.slot.eq(command.slot),
        ]  # fmt: skip
        m.d.sync += [
            go_reg.eq(free & command.ok & place.free),
            drop_reg.eq(free & packet.complete & ~(command.ok & packet.ok)),
            drop_code_reg.eq(Mux(command.ok, packet.code, command.code)),
        ]
        with m.If(admit):
            m.d.sync += enter_reg.eq(1)
        with m.Elif(enter.ack):
            m.d.sync += enter_reg.eq(0)
            with m.If(ticket_reg == self.parameters.buffers.ring_sectors - 1):
                m.d.sync += ticket_reg.eq(0)
            with m.Else():
                m.d.sync += ticket_reg.eq(ticket_reg + 1)
        return m


# -- flight ------------------------------------------------------------------------------------------------------------------------

# Knows the key slots of the sectors in flight, so that a key is overwritten only when its own sectors are done.
#
#     admission ──▶ slot of each place of the ring ──▶ in_use.slot == slot of a busy place? ──▶ in_use.busy
#     done ───────▶ place no longer busy

class SlotsInFlight(BusComponent[BusParameters]):
    """Stores the slot of each sector from its admission to its ``done``.  ``in_use.busy`` is one cycle late.

    Members
    -------
    admission : admission_signature
        A sector will enter.
    done : done_signature
        A sector has left the engine.
    in_use : in_use_signature
        Whether a sector in flight uses a slot.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "admission": In(admission_signature(parameters)),
            "done": In(done_signature(parameters.ticket_bits)),
            "in_use": In(in_use_signature(parameters.key_slots)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        hits = []
        for place in range(self.parameters.buffers.ring_sectors):
            busy_reg = Signal(name=f"busy{place}_reg")
            slot_reg = Signal.like(self.admission.slot, name=f"slot{place}_reg", reset_less=True)
            with m.If(self.admission.admit & (self.admission.ticket == place)):
                m.d.sync += [busy_reg.eq(1), slot_reg.eq(self.admission.slot)]
            with m.Elif(self.done.valid & (self.done.ticket == place)):
                m.d.sync += busy_reg.eq(0)
            hits.append(busy_reg & (slot_reg == self.in_use.slot))
        m.d.sync += self.in_use.busy.eq(Cat(hits).any())
        return m


# -- intake ----------------------------------------------------------------------------------------------------------------------------

# Writes the packet of a sector directly into the input banks of the engine, and checks its length.
#
#     s ──▶ BeatCheck ──▶ RegisterSlice ──▶ SectorIntake ──▶ fill (registered)
#           tkeep becomes   cuts tready       counts beats     └──▶ packet ──▶ (take)
#           zeros and flags
#
# A packet can be taken in before its command has come.  In a core for several sector sizes it has to wait for the command, which has
# the size.


def checked_beat_layout(parameters: BusParameters) -> StructLayout:
    """The layout of a beat whose bytes outside tkeep are zero.  It has three flags instead of tkeep.

    ``bad``
        In the last beat, tkeep is not ones from bit 0 on and then zeros.  In any other beat, it is not all ones.
    ``missing``
        A bit for each sector size.  The beat lacks the last byte that the last beat of such a sector has.
    ``extra``
        A bit for each sector size.  The beat has the byte behind this one.

    If no beat of a packet is bad, ``missing`` and ``extra`` of its last beat tell its length.
    """
    sizes = len(parameters.sizes)
    return StructLayout({"data": parameters.data.beat_bits, "last": 1, "bad": 1, "missing": sizes, "extra": sizes})


class BeatCheck(BusComponent[BusParameters]):
    """Makes bytes outside tkeep zero, and checks tkeep.  It is combinational.

    Members
    -------
    i : stream of beats
        Beats from the host.
    o : stream of checked beats
        Beats with the layout of `checked_beat_layout`.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {"i": In(stream.Signature(beat_layout(parameters))), "o": Out(stream.Signature(checked_beat_layout(parameters)))}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        i, o = self.i.p, self.o.p
        last_bytes = [size.last_keep.bit_length() for size in p.sizes]
        # A gap is a one above a zero.
        gaps = ~i.keep[:-1] & i.keep[1:]
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            o.data.eq(Cat(i.data.word_select(byte, 8) & i.keep[byte].replicate(8) for byte in range(p.beat_bytes))),
            o.last.eq(i.last),
            o.bad.eq(Mux(i.last, ~i.keep[0] | gaps.any(), ~i.keep.all())),
            o.missing.eq(Cat(~i.keep[last - 1] for last in last_bytes)),
            o.extra.eq(Cat(i.keep[last] if last < p.beat_bytes else Const(0, 1) for last in last_bytes)),
        ]
        return m


class SectorIntake(BusComponent[BusParameters]):
    """Counts the beats of a packet, and writes them to the engine.  The next packet waits until this one has been decided.

    A beat takes two cycles from the bus to ``fill``.  There can be a beat in every cycle, also across packets, if each packet is
    taken in the cycle in which it is complete.

    Members
    -------
    s : stream of beats
        Beats from the host.
    fill : fill_signature
        Writes to the engine.
    packet : packet_signature
        The packet that has come, and whether a sector asks to enter.
    opening : opening_signature
        The size of the sectors that are taken in, and whether the next packet may be taken in.  It is there only in a core for
        several sizes.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        p = parameters
        return {
            "s": In(stream.Signature(beat_layout(p))),
            "fill": Out(fill_signature(block_bits=p.data.block_bits, lanes=p.data.lanes, blocks=p.most_blocks)),
            "packet": Out(packet_signature()),
            **({"opening": In(opening_signature(p))} if len(p.sizes) > 1 else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the check of each beat, the decision whether a beat is accepted, the place of the next beat, the verdict on the length of
        the packet, and the writes into the engine.

        A packet is written while it comes, and judged with its last beat.  Comparisons of its place are made a cycle ahead.
        """
        m = Module()
        p = self.parameters
        m.submodules.check = check = BeatCheck(p)
        m.submodules.slice = slice_ = RegisterSlice(checked_beat_layout(p))
        wiring.connect(m, wiring.flipped(self.s), check.i)
        wiring.connect(m, check.o, slice_.i)
        o, filled = slice_.o, self.packet

        beat_reg = Signal(range(max(2, p.beats)))
        overrun_reg = Signal()
        bad_reg = Signal()
        complete_reg = Signal()
        good_reg = Signal()
        ok_reg = Signal(reset_less=True)
        code_reg = Signal(2, reset_less=True)

        # While a sector asks to enter, the engine has room for the first beats of the next one only.  A complete packet has left
        # beat_reg at 0, so a sector that asks from the next cycle on need not be considered here.  Nor need an admission, since no
        # sector asks to enter then.  After a refusal one cycle is lost.
        room = Signal(init=1)
        early_reg = Signal(init=1)
        if p.beats > FILL_AHEAD:
            m.d.comb += room.eq(~filled.entering | early_reg)
        accept = Signal()
        beats = [size.beats for size in p.sizes]
        several = len(beats) > 1
        if several:
            opening = self.opening
            m.d.comb += opening.admitted.eq(filled.admit | filled.entering)

        def of_size(values: list[int]) -> Value:
            if len(values) == 1:
                return Const(values[0])
            return Array(Const(value, range(max(values) + 1)) for value in values)[opening.size]

        m.d.comb += [o.ready.eq(((room & ~complete_reg) | filled.admit) & (opening.open if several else 1)), accept.eq(o.ready & o.valid)]

        # beat_reg is compared a cycle ahead.  The size of the next packet is not known then, and the packet may have one beat only.
        final_reg = Signal(init=p.beats == 1)
        final: Value = final_reg
        if several and min(beats) == 1:
            first_reg = Signal(init=1)
            final = Signal(name="final")
            m.d.comb += final.eq(final_reg | overrun_reg | (first_reg & of_size([int(count == 1) for count in beats])))
            with m.If(accept):
                m.d.sync += first_reg.eq(o.p.last)
        length = Signal(2)
        with m.If(filled.take):
            m.d.sync += [complete_reg.eq(0), good_reg.eq(0)]
        with m.If(accept):
            with m.If(o.p.last):
                m.d.sync += [complete_reg.eq(1), good_reg.eq(length == StatusCode.OK)]
                m.d.sync += [beat_reg.eq(0), early_reg.eq(1), final_reg.eq(p.beats == 1), overrun_reg.eq(0)]
            with m.Elif(final):
                m.d.sync += overrun_reg.eq(1)
            with m.Else():
                m.d.sync += beat_reg.eq(beat_reg + 1)
                m.d.sync += final_reg.eq(beat_reg == of_size([max(0, count - 2) for count in beats]) if p.beats > 1 else 0)
                with m.If(beat_reg == FILL_AHEAD - 1):
                    m.d.sync += early_reg.eq(0)

        bad = bad_reg | o.p.bad
        with m.If(bad):
            m.d.comb += length.eq(StatusCode.BAD_KEEP)
        with m.Elif(overrun_reg):
            m.d.comb += length.eq(StatusCode.TOO_LONG)
        with m.Elif(~final):
            m.d.comb += length.eq(StatusCode.TOO_SHORT)
        with m.Else():
            # TOO_SHORT and TOO_LONG are 1 and 2.
            m.d.comb += length.eq(
                Cat(o.p.missing.bit_select(opening.size, 1), o.p.extra.bit_select(opening.size, 1))
                if several
                else Cat(o.p.missing, o.p.extra)
            )
        with m.If(accept):
            m.d.sync += [code_reg.eq(length), ok_reg.eq(length == StatusCode.OK), bad_reg.eq(bad & ~o.p.last)]

        fill_we_reg = Signal()
        fill_beat_reg = Signal.like(beat_reg, reset_less=True)
        fill_data_reg = Signal(p.data.beat_bits, reset_less=True)
        m.d.sync += [
            # Beats behind the last beat of a sector overwrite that beat.  Their packet is refused.
            fill_we_reg.eq(accept),
            fill_beat_reg.eq(beat_reg),
            fill_data_reg.eq(o.p.data),
        ]
        fill = self.fill
        m.d.comb += [
            fill.we.eq(fill_we_reg), fill.beat.eq(fill_beat_reg), fill.data.eq(fill_data_reg), fill.ahead.eq(filled.entering),
            filled.complete.eq(complete_reg), filled.ok.eq(ok_reg), filled.good.eq(good_reg), filled.code.eq(code_reg),
        ]  # fmt: skip
        return m


# -- core ------------------------------------------------------------------------------------------------------------------------------


class CoreBus(wiring.Component):
    """Connects the buses of a core to its engine.

    A sector enters when its command and all of its bytes have come, and the result buffer has a place for it.  One sector can enter
    every max(``beats``, initiation interval, ``ENTRY_CYCLES``) cycles, if the host is fast enough and ``ring_sectors`` is
    ``ring_depth``.  ``modeloom.cycles`` has the cycles from the last beat of a sector to its entry, and from ``done`` to its first
    beat.  If one bus waits, nothing is lost or misplaced on another.

    In a core for several sector sizes, a packet is taken in only when its command has come.  If its size differs from that of the
    sectors before, it is taken in only when these have left the engine.

    After a reset all slots are empty, and nothing comes out of what was in flight.  Memories keep their contents through a reset.
    :class:`~modeloom.rtl.zeroize.Zeroizer` overwrites them.

    Parameters
    ----------
    parameters : BusParameters
        The sizes of buses and buffers.
    key_schedule : component
        It becomes a submodule.  It has the ports of :func:`~modeloom.rtl.bus.key_port.key_schedule_signature`, seen from outside,
        for the key and the round keys of ``parameters``.

    Members
    -------
    cmd, s, m, status, key : streams
        The AXI4-Streams.  :data:`~modeloom.rtl.bus.sector.parameters.FLAT_PORTS` has their flat names.
    key_state : key_state_signature
        The state of the key slots.
    erase : erase_signature
        Writes zeros to this word of all memories of buses and engine, while both are held in reset.
    engine : engine_signature
        The ports to the engine: ``connect(m, bus.engine, engine)``.

    Raises
    ------
    TypeError
        If ``parameters`` or ``key_schedule`` has the wrong type.
    """

    def __init__(self, parameters: BusParameters, key_schedule: wiring.Component):
        if not isinstance(parameters, BusParameters):
            raise TypeError(f"parameters is a BusParameters, not {parameters!r}")
        if not isinstance(key_schedule, wiring.Component):
            raise TypeError(f"key_schedule is a component, not {key_schedule!r}")
        self.parameters = p = parameters
        self.key_schedule = key_schedule
        super().__init__(
            {
                "cmd": In(stream.Signature(COMMAND)),
                "s": In(stream.Signature(beat_layout(p))),
                "m": Out(stream.Signature(beat_layout(p))),
                "status": Out(stream.Signature(STATUS)),
                "key": In(stream.Signature(key_beat(p.key_slots))),
                "key_state": Out(key_state_signature(p.key_slots)),
                "erase": In(erase_signature(p.erase_bits)),
                "engine": In(engine_of(p)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.command = command = CommandIntake(p)
        m.submodules.sector = sector = SectorIntake(p)
        m.submodules.entry = entry = EntryGate(p)
        m.submodules.flight = flight = SlotsInFlight(p)
        m.submodules.ring = ring = ResultRing(p)
        m.submodules.queue = queue = StatusQueue(p.buffers.ring_sectors + 4, STATUS, CODE_BITS)
        m.submodules.key_port = key_port = KeyPort(p.keys)
        m.submodules.key_schedule = self.key_schedule

        wiring.connect(m, wiring.flipped(self.cmd), command.cmd)
        wiring.connect(m, wiring.flipped(self.s), sector.s)
        wiring.connect(m, ring.m, wiring.flipped(self.m))
        wiring.connect(m, queue.status, wiring.flipped(self.status))
        wiring.connect(m, wiring.flipped(self.key), key_port.key)
        wiring.connect(m, key_port.schedule, self.key_schedule)

        engine = wiring.flipped(self.engine)
        wiring.connect(m, command.command, entry.command)
        wiring.connect(m, sector.packet, entry.packet)
        wiring.connect(m, entry.place, ring.place)
        wiring.connect(m, entry.admission, flight.admission)
        wiring.connect(m, entry.verdict, queue.verdict)
        wiring.connect(m, key_port.in_use, flight.in_use)
        wiring.connect(m, key_port.state, wiring.flipped(self.key_state))
        m.d.comb += queue.delivered.eq(ring.delivered)
        if p.key_slots <= LISTED_SLOTS:
            m.d.comb += command.key_loaded.eq(key_port.state.loaded)
        else:
            wiring.connect(m, command.lookup, key_port.lookup)
            m.d.comb += [key_port.erase.eq(self.erase.we), key_port.erase_address.eq(self.erase.address)]

        wiring.connect(m, sector.fill, engine.fill)
        wiring.connect(m, entry.enter, engine.enter)
        m.d.comb += engine.tweak.eq(command.tweak)
        wiring.connect(m, engine.out, ring.out)
        wiring.connect(m, engine.done, ring.done, flight.done)
        wiring.connect(m, key_port.preparation, engine.preparation)
        wiring.connect(m, wiring.flipped(self.erase), ring.erase, engine.erase)
        if len(p.sizes) > 1:
            m.submodules.size_gate = size = SizeGate(p)
            wiring.connect(m, command.upcoming, size.upcoming)
            wiring.connect(m, size.opening, sector.opening)
            wiring.connect(m, size.size, engine.size)
        return m
