# SPDX-License-Identifier: Apache-2.0
"""The ports between the parts of the buses of a core for sectors.

Each signature is written from the part that drives it::

    CommandIntake ──┬─ command ───▶ EntryGate ──┬─ place ─────▶ ResultRing
                    └─ upcoming ─▶ SizeGate     ├─ admission ─▶ SlotsInFlight
                                      │ opening └─ verdict ───▶ StatusQueue (modeloom.rtl.bus.status)
                                      ▼
                                 SectorIntake ─── packet ──▶ EntryGate

The ports of the engine are in :mod:`modeloom.rtl.engine.interface`, and those of the key port in
:mod:`modeloom.rtl.bus.preparation`.
"""

from __future__ import annotations

from amaranth.lib.wiring import In, Out, Signature

from modeloom.rtl.engine.interface import engine_signature

from .parameters import BusParameters
from .ports import CODE_BITS, COMMAND

__all__ = [
    "admission_signature", "command_signature", "engine_of", "opening_signature", "packet_signature", "place_signature",
    "upcoming_signature",
]  # fmt: skip


def command_signature(p: BusParameters) -> Signature:
    """A command that waits, from :class:`~modeloom.rtl.bus.sector.command.CommandIntake`.

    Its fields hold for one cycle more than ``valid``.

    Members
    -------
    valid : 1
        A command waits.  The following members describe it.
    ok, code : 1, CODE_BITS
        Whether the core can obey it, and the ``StatusCode`` that says why not.
    decrypt, slot, size, tag : 1, range(key_slots), size_bits, 16
        The fields of the command.  ``size`` is 0 if the core has no such size, and ``code`` says so.
    take : 1
        The command has been used.  It is high only while ``valid`` is high.
    """
    return Signature(
        {
            "valid": Out(1),
            "ok": Out(1),
            "code": Out(CODE_BITS),
            "decrypt": Out(1),
            "slot": Out(range(max(2, p.key_slots))),
            "size": Out(p.size_bits),
            "tag": Out(COMMAND["tag"].width),
            "take": In(1),
        }
    )


def upcoming_signature(p: BusParameters) -> Signature:
    """The sizes of the next two sectors, from :class:`~modeloom.rtl.bus.sector.command.CommandIntake`.

    Members
    -------
    valid, size, known : 1, size_bits, 1
        Whether a command waits, the number of its size, and whether the core has such a size.
    next_valid, next_size, next_known : 1, size_bits, 1
        The same for the command behind it, which has not been checked yet.
    """
    return Signature(
        {
            "valid": Out(1),
            "size": Out(p.size_bits),
            "known": Out(1),
            "next_valid": Out(1),
            "next_size": Out(p.size_bits),
            "next_known": Out(1),
        }
    )


def packet_signature() -> Signature:
    """A packet of a sector, from :class:`~modeloom.rtl.bus.sector.intake.SectorIntake`.

    Members
    -------
    complete : 1
        A packet has ended.  Its last beat is on ``fill`` in this cycle, or it was there earlier.  The following members describe
        it.
    ok, code : 1, CODE_BITS
        Whether it is the packet of a sector, and the ``StatusCode`` that says why not.
    good : 1
        Both ``complete`` and ``ok`` are high.
    take : 1
        The packet has been used.  It is high only while ``complete`` is high.
    admit : 1
        The packet has been used, and its sector will enter.
    entering : 1
        A sector asks the engine to enter.
    """
    return Signature(
        {
            "complete": Out(1),
            "ok": Out(1),
            "good": Out(1),
            "code": Out(CODE_BITS),
            "take": In(1),
            "admit": In(1),
            "entering": In(1),
        }
    )


def place_signature(p: BusParameters) -> Signature:
    """A place in the result buffer for a sector, from :class:`~modeloom.rtl.bus.sector.entry.EntryGate`.

    Members
    -------
    free : 1
        There is a free place.
    admit, ticket, size : 1, ticket_bits, size_bits
        A sector of this size will enter, and has this place.
    """
    return Signature({"free": In(1), "admit": Out(1), "ticket": Out(p.ticket_bits), "size": Out(p.size_bits)})


def admission_signature(p: BusParameters) -> Signature:
    """A sector that will enter, and its key slot, from :class:`~modeloom.rtl.bus.sector.entry.EntryGate`.

    Members
    -------
    admit, ticket, slot : 1, ticket_bits, range(key_slots)
        A sector of this slot will enter with this ticket.
    """
    return Signature({"admit": Out(1), "ticket": Out(p.ticket_bits), "slot": Out(range(max(2, p.key_slots)))})


def opening_signature(p: BusParameters) -> Signature:
    """Whether the next packet may be taken in, in a core for several sizes, from :class:`~modeloom.rtl.bus.sector.size.SizeGate`.

    Members
    -------
    size : size_bits
        The size of the sectors that are taken in.
    open : 1
        The next packet may be taken in: it has this size, or it belongs to a command that is refused for its size.
    admitted : 1
        The packet of the command that waits has been taken in.  The next packet belongs to the command behind it.
    """
    return Signature({"size": Out(p.size_bits), "open": Out(1), "admitted": In(1)})


def engine_of(p: BusParameters) -> Signature:
    """The ports of the engine for buses of these sizes, seen from the engine."""
    return engine_signature(
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
        key_sizes=len(p.keys.sizes),
    )
