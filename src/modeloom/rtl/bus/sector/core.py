# SPDX-License-Identifier: Apache-2.0
"""The bus side of a core: AXI4-Stream on one side, the engine's ports on the other.

::

    cmd ────▶ CommandIntake ──┬─────────────────▶ enter_* ·······┌──▶ StatusQueue ──▶ status
                              ├──▶ EntryGate ──▶ enter ··········│
    s ──────▶ SectorIntake ───┘      │                           │
                   └──▶ fill_* ······│······· engine ··· out_* ──▶ ResultRing ──▶ m
                                     ▼           ▲
                              SlotsInFlight      │ key_*, rk_*, setup
                                     └──▶ KeyPort ◀──▶ key schedule
                                             ▲
    key ─────────────────────────────────────┘
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.join import join
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.ports import KEY_BEAT, beat_layout
from modeloom.rtl.bus.status import StatusQueue
from modeloom.rtl.engine.interface import engine_signature

from .command import CommandIntake
from .entry import EntryGate
from .flight import SlotsInFlight
from .intake import SectorIntake
from .parameters import BusParameters
from .ports import CODE_BITS, COMMAND, STATUS
from .ring import ResultRing
from .size import SizeGate

__all__ = ["CoreBus"]

FILL = ("fill_we", "fill_beat", "fill_data")
PREPARATION = (
    "key_we", "key_slot", "key_index", "key_data", "setup", "setup_slot", "setup_scrub",
    "rk_we", "rk_slot", "rk_key", "rk_round", "rk_data", "rk_data_dec",
)  # fmt: skip
PREPARED = ("setup_done", "word_we", "word_index", "word_data")
"""Parts of the engine's signature: blocks in, entry, blocks out, size, keys; each belongs to one part of the buses."""


class CoreBus(wiring.Component):
    """Connects the buses of a core to its engine.

    In a core for several sector sizes a packet is taken in only when its command is there, and if its size is another than that of
    the sectors before, only when these have left the engine.

    A sector enters when its command and all of its bytes are there and the result buffer has a place for it; one sector
    every max(``beats``, initiation interval, ``ENTRY_CYCLES``) cycles if nothing waits and ``ring_sectors`` is ``ring_depth``.
    ``modeloom.cycles`` has the cycles from the last beat of a sector to its entry, and from ``done`` to its first beat.
    Nothing that the host does on one bus is lost or misplaced by waiting on another.

    After a reset all slots are empty, and nothing of what was under way comes out.  Memories keep their contents through a reset;
    :class:`~modeloom.rtl.zeroize.Zeroizer` overwrites them.

    Parameters
    ----------
    parameters : BusParameters
        Sizes.
    key_schedule : component
        Has the ports of :func:`~modeloom.rtl.bus.key_port.key_schedule_signature`, seen from outside, for
        the key and the round keys of ``parameters``; becomes a submodule.

    Members
    -------
    cmd, s, m, status, key : streams
        The AXI4-Streams; :data:`~modeloom.rtl.bus.sector.ports.FLAT_PORTS` has their flat names.
    key_loaded : key_slots
        Slots that hold a key and are ready.
    key_busy : 1
        A key packet is being worked on.
    key_error : 1
        The last key packet had the wrong length, a slot out of range, or a key that the mode refuses.
    erase, erase_address : 1, erase_bits
        Zeros to this word of all memories of buses and engine, while both are held in reset.
    engine : engine_signature
        To the engine: ``connect(m, bus.engine, engine)``.

    Raises
    ------
    TypeError
        If ``parameters`` or ``key_schedule`` are of other types.
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
                "key": In(stream.Signature(KEY_BEAT)),
                "key_loaded": Out(p.key_slots),
                "key_busy": Out(1),
                "key_error": Out(1),
                "erase": In(1),
                "erase_address": In(p.erase_bits),
                "engine": In(
                    engine_signature(
                        block_bits=p.data.block_bits,
                        lanes=p.data.lanes,
                        blocks=p.most_blocks,
                        tweak_blocks=p.sectors.tweak_blocks,
                        key_slots=p.key_slots,
                        key_words=p.keys.words,
                        ticket_bits=p.ticket_bits,
                        erase_bits=p.erase_bits,
                        sizes=len(p.sizes),
                        round_bits=p.keys.round_bits,
                        round_key_bits=p.keys.round_key_bits,
                        cipher_keys=p.keys.all_cipher_keys,
                    )
                ),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        engine, whole = self.engine, wiring.flipped(self.engine)
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

        m.d.comb += [
            command.key_loaded.eq(key_port.loaded),
            command.take.eq(entry.command_take),
            sector.take.eq(entry.packet_take),
            sector.admit.eq(entry.admit),
            sector.enter.eq(entry.enter),
            entry.command_valid.eq(command.valid),
            entry.command_ok.eq(command.ok),
            entry.command_code.eq(command.code),
            entry.packet_complete.eq(sector.complete),
            entry.packet_ok.eq(sector.ok),
            entry.packet_good.eq(sector.good),
            entry.packet_code.eq(sector.code),
            entry.place.eq(ring.place),
            entry.room.eq(queue.room),
            queue.push.eq(entry.push),
            queue.tag.eq(command.tag),
            queue.code.eq(entry.code),
            queue.delivered.eq(ring.delivered),
            ring.admit.eq(entry.admit),
            ring.admit_ticket.eq(entry.ticket),
            ring.admit_size.eq(command.size),
            ring.erase.eq(self.erase),
            ring.erase_address.eq(self.erase_address),
            engine.erase.eq(self.erase),
            engine.erase_address.eq(self.erase_address),
            flight.admit.eq(entry.admit),
            flight.admit_ticket.eq(entry.ticket),
            flight.admit_slot.eq(command.slot),
            flight.query.eq(key_port.query),
            key_port.slot_busy.eq(flight.busy),
            self.key_loaded.eq(key_port.loaded),
            self.key_busy.eq(key_port.busy),
            self.key_error.eq(key_port.error),
        ]

        if len(p.sizes) > 1:
            m.submodules.size_gate = size = SizeGate(p)
            m.d.comb += [
                size.command_valid.eq(command.valid),
                size.command_size.eq(command.size),
                size.command_size_known.eq(command.size_known),
                size.next_valid.eq(command.next_valid),
                size.next_size.eq(command.next_size),
                size.next_size_known.eq(command.next_size_known),
                size.admitted.eq(entry.admit | entry.enter),
            ]
            join(m, size, whole, "idle")
            m.d.comb += [sector.size.eq(size.size), sector.open.eq(size.open)]
            join(m, size, whole, "size", "restart")
        join(m, sector, whole, *FILL)
        m.d.comb += engine.fill_ahead.eq(entry.enter)
        join(m, entry, whole, "enter_ack")
        join(m, ring, whole, "out_we", "done")
        join(m, flight, whole, "done", "done_ticket")
        join(m, key_port, whole, *PREPARED)
        join(m, entry, whole, "enter")
        m.d.comb += [
            engine.enter_ticket.eq(entry.ticket),
            engine.enter_decrypt.eq(command.decrypt),
            engine.enter_slot.eq(command.slot),
            engine.enter_tweak.eq(command.tweak),
        ]
        join(m, key_port, whole, *PREPARATION)
        join(m, ring, whole, "out_index", "out_ticket", "out_data")
        return m
