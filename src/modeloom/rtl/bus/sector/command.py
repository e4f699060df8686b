# SPDX-License-Identifier: Apache-2.0
"""Takes commands and checks whether the core can obey them.

A command passes through two registers::

    cmd ──▶ [taken] ──▶ [checked: size, direction, slot] ──▶ command ──▶ (take)

The slot is looked up in every cycle in which the command waits.  So a command is refused if its key is erased while it waits.  The flags of
many slots are in a memory, which answers a cycle later, as the register of a few flags does.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out

from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.key_slot import lookup_signature
from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.bus.sector.parameters import COMMAND, BusParameters, command_signature, opening_signature, upcoming_signature
from modeloom.rtl.engine.interface import size_signature

__all__ = ["CommandIntake", "SizeGate"]


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
