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

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.front.map import Register, RegisterField, RegisterMap
from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.rtl.front.buses import access_signature

__all__ = ["KEY_MEMORY", "PublicGate", "Registers"]

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
            there = access.write_address[bits:] == first >> bits
            if register.words < 1 << bits:
                there &= access.write_address[:bits] < register.words
            m.d.comb += writes.eq(access.write & there if register.writes else 0)
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
