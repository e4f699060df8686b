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

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.ports import beat_layout, key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.bus.sector.command import CommandIntake, SizeGate
from modeloom.rtl.bus.sector.entry import EntryGate, SlotsInFlight
from modeloom.rtl.bus.sector.intake import SectorIntake
from modeloom.rtl.bus.sector.parameters import CODE_BITS, COMMAND, STATUS, BusParameters, engine_of
from modeloom.rtl.bus.sector.ring import ResultRing
from modeloom.rtl.bus.status import StatusQueue
from modeloom.rtl.zeroize import erase_signature

__all__ = ["CoreBus"]


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
