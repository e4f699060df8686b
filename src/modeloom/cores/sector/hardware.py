# SPDX-License-Identifier: Apache-2.0
"""A complete core: buses around the engine of a compiled mode, with the flat port names of the emitted top.

::

    aclk, aresetn,    ┌─────────────────────────────────────────────┐
    zeroize       ──▶ │ Zeroizer ──▶ reset, zeros to all memories   │ ──▶ zeroizing
    s_axis_cmd_*  ──▶ │ CoreBus ◀── engine_signature ──▶ ModeEngine │ ──▶ m_axis_*
    s_axis_*      ──▶ │                                             │ ──▶ m_axis_status_*
    s_axis_key_*  ──▶ └─────────────────────────────────────────────┘ ──▶ key_loaded, key_busy, key_error
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring

from modeloom import cycles
from modeloom.ciphers import CoreRequest
from modeloom.compiler.compile import BANK_BLOCKS, STORAGES, Compiled
from modeloom.cores.components import ComponentRequest, unit_cores
from modeloom.interfaces.shared import CONTROL
from modeloom.rtl.bus import DataParameters, KeyParameters
from modeloom.rtl.bus.key_port import KeySchedules
from modeloom.rtl.bus.ports import flat_ports, top_members
from modeloom.rtl.bus.sector import FLAT_PORTS, BufferParameters, BusParameters, CoreBus, SectorParameters
from modeloom.rtl.engine.engine import ModeEngine, flush_cycles
from modeloom.rtl.engine.storage import BankStyles, key_class
from modeloom.rtl.engine.unit import UnitCore
from modeloom.rtl.zeroize import Zeroizer
from modeloom.spec import InputError
from modeloom.spec.kinds import Kind, UnitKind

__all__ = ["CORE_PORTS", "ModeCore", "bus_parameters", "core_requests", "erase_cycles", "key_erase_cycles"]

CORE_PORTS = (*flat_ports(CONTROL), *FLAT_PORTS)
"""All ports of a core except ``aclk`` and ``aresetn``, in order."""

READIES = ("cmd.ready", "s.ready")
"""Outputs that would be high if the bus were held in reset."""

LUT_BLOCKS = 512
"""Largest result buffer, in blocks, that is not always a block memory."""


def bank_styles(compiled: Compiled) -> BankStyles:
    """What memories the banks of a core are."""
    storage = STORAGES[compiled.options.storage]
    # Not all block memories give the old word while it is written, so the cells of the program must rest.
    results = "block" if compiled.core_program.rest else "distributed"
    return BankStyles(storage.inputs, results, storage.above, BANK_BLOCKS, storage.registers)


def ring_style(compiled: Compiled) -> str:
    """What memory the result buffer of a lane is."""
    if compiled.output_blocks > LUT_BLOCKS:
        return "block"
    storage = STORAGES[compiled.options.storage]
    return storage.outputs if compiled.output_blocks > storage.above * compiled.core_program.lanes else "distributed"


def bus_parameters(compiled: Compiled) -> BusParameters:
    """Bus sizes of a compiled mode (``modeloom.compiler.compile.Compiled``).

    Raises ``InputError`` for a mode that the buses do not fit.
    """
    program = compiled.core_program
    cipher, key_bits = compiled.architecture.cipher, compiled.options.key_bits or 0
    parts, names = compiled.mode.key_parts, tuple(compiled.mode.cipher_keys)
    before = min(map(parts.index, names))
    if tuple(parts[before : before + len(names)]) != names:
        raise InputError(f"{compiled.mode.name}: a core takes the cipher keys one after another in the key; reorder key_parts")
    sectors = [(c.source.blocks, c.source.nbytes % c.source.block_bytes) for c in compiled.sizes]
    try:
        return BusParameters(
            sectors=SectorParameters(
                blocks=sectors[0][0],
                tail=sectors[0][1],
                more_sizes=tuple(sectors[1:]),
                tweak_blocks=program.tweak_blocks,
                encrypt="encrypt" in program.directions,
                decrypt="decrypt" in program.directions,
            ),
            buffers=BufferParameters(
                ring_sectors=compiled.result_sectors,
                ring_style=ring_style(compiled),
                engine_words=max(bank.cells for bank in program.banks.values()),
            ),
            data=DataParameters(block_bits=8 * program.block_bytes, lanes=program.lanes),
            keys=KeyParameters(
                slots=compiled.options.key_slots,
                block_bits=8 * program.block_bytes,
                cipher_key_bits=key_bits,
                fixed_key_bits=tuple((number, bits) for number, bits in enumerate(program.cipher_bits) if bits),
                round_keys=max(cipher.round_keys(bits or key_bits) for bits in program.cipher_bits),
                round_key_bits=cipher.round_key_bits,
                raw_words_before=before,
                raw_words_after=len(parts) - before - len(names),
                cipher_keys=len(names),
                distinct_keys=compiled.mode.distinct_keys,
                derived_keys=tuple(program.derived),
                nonzero_words=tuple(program.nonzero),
                words=len(program.key_words),
            ),
        )
    except ValueError as error:
        raise InputError(f"{compiled.mode.name}: the buses of a core do not fit this mode: {error}") from error


def erase_cycles(compiled: Compiled) -> int:
    """Number of cycles in which a core overwrites all its contents, after the last cycle with a reset or ``zeroize``."""
    return cycles.zeroize_cycles(bus_parameters(compiled).erase_words, flush_cycles(compiled.core_program))


def key_erase_cycles(compiled: Compiled) -> int:
    """Cycles from the first beat of a packet that erases a slot until nothing of its key is left, if no sectors are in flight.

    Sectors in flight, of any slot, add the time that they still need: at most the wait for an entry and twice the latency.
    """
    p, program = bus_parameters(compiled), compiled.core_program
    # A sector goes through all rows of its last stage, and through as many stages as the size with most of them has.
    rows_left = max(main.rows * program.stages - main.latency for main in program.mains)
    return cycles.key_erase_cycles(
        key_words=p.keys.words, cipher_keys=p.keys.all_cipher_keys, rounds=1 << p.keys.round_bits, result_words=p.buffers.engine_words,
        flush=flush_cycles(compiled.core_program), rows_left=rows_left,
    )  # fmt: skip


def core_requests(compiled: Compiled) -> dict[Kind | str, CoreRequest]:
    """The requests to the cipher, one for each core of ``Architecture.cores``, with its number of slots."""
    bits = compiled.core_program.cipher_bits
    return {
        name: request.but(slots=key_class(bits, name.key_bits if isinstance(name, Kind) else 0).slots(compiled.options.key_slots))
        for name, request in compiled.architecture.cores.items()
    }


class ModeCore(wiring.Component):
    """The core of a compiled mode.

    Parameters
    ----------
    compiled : modeloom.compiler.compile.Compiled
        The mode, compiled.

    Members
    -------
    aclk, aresetn : In
        Clock, and its synchronous reset, active low.
    zeroize : In
        Erases everything and aborts all work, like a reset.
    zeroizing : Out
        High for :func:`erase_cycles` cycles after a reset or ``zeroize``.  During these, no bus takes or sends anything.
    others
        ``modeloom.rtl.bus.sector.FLAT_PORTS``.

    """

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.parameters = p = bus_parameters(compiled)
        super().__init__(top_members(CORE_PORTS, p))

    def cores(self, kind: UnitKind, operations: Sequence[Kind]) -> dict[str, UnitCore]:
        """Components of a unit for some operations, by their names in Verilog."""
        compiled = self.compiled
        options, bits = compiled.options, kind.key_bits
        return unit_cores(
            ComponentRequest(
                unit=kind, operations=tuple(operations), field=compiled.mode.field, cycles=compiled.units.by_kind[kind].core,
                multiplier=options.mul_arch, cipher=compiled.architecture.cipher, cipher_cores=core_requests(compiled),
                key_bits=bits or options.key_bits or 0, slots=key_class(compiled.core_program.cipher_bits, bits).slots(options.key_slots),
            )  # fmt: skip
        )

    def elaborate(self, platform):
        m = Module()
        compiled = self.compiled
        m.domains.sync = ClockDomain("sync")
        m.domains.always = ClockDomain("always", reset_less=True)
        m.submodules.zeroizer = zeroizer = Zeroizer(self.parameters.erase_words, flush_cycles(compiled.core_program))
        m.d.comb += [
            ClockSignal().eq(self.aclk), ClockSignal("always").eq(self.aclk), ResetSignal().eq(zeroizer.hold),
            zeroizer.request.eq(self.zeroize | ~self.aresetn), self.zeroizing.eq(zeroizer.hold),
        ]  # fmt: skip
        cipher, key_bits = compiled.architecture.cipher, compiled.options.key_bits
        registers = {u.kind: (u.operand_register, u.post_register) for u in compiled.units.units}
        m.submodules.engine = engine = ModeEngine(
            compiled.core_program, compiled.mode.field, self.cores, registers,
            bank_styles(compiled), compiled.options.key_slots,
            self.parameters.ticket_bits, self.parameters.erase_bits, self.parameters.keys.round_bits, self.parameters.keys.round_key_bits,
            {bits: max(1, (cipher.round_keys(bits or key_bits) - 1).bit_length()) for bits in compiled.core_program.cipher_bits},
        )  # fmt: skip
        schedules = [cipher.key_schedule(bits) for bits in self.parameters.keys.lengths]
        several = len(schedules) > 1
        schedule = KeySchedules(schedules, self.parameters.keys.round_keys, cipher.round_key_bits) if several else schedules[0]
        m.submodules.bus = bus = CoreBus(self.parameters, schedule)
        wiring.connect(m, bus.engine, engine)
        wiring.connect(m, zeroizer.erase, bus.erase)
        for port in FLAT_PORTS:
            outer: Signal = getattr(self, port.name)
            inner = port.inside(bus)
            if port.path in READIES:
                inner = inner & ~zeroizer.hold
            m.d.comb += outer.eq(inner) if port.output else inner.eq(outer)
        return m
