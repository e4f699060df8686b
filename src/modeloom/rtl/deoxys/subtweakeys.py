# SPDX-License-Identifier: Apache-2.0
"""Subtweakeys of a round core with N blocks in its round, each with a tweak of its own, in a loop of N registers.

A round core adds a subtweakey of another block in each cycle.  So the schedule takes one stage, and is shifted for the other N - 1 cycles
(luts2017, section 2.3).  Shift registers of three stages and more are LUTs.

``StoredSubtweakeys`` has a key for all blocks.  Its loop has the subtweakeys themselves, since they follow each other by wires and a sum
that depends on the key alone, which a memory has for each round::

    tweak ──▶(+ key part 0)──▶ mux ──▶ h ──▶(+ step r)──▶ reg ──┬──▶ subtweakey
                                ▲                               │
                                └── shift register, N - 1 ◀─────┘

``ShiftedSubtweakeys`` has a key for each block, and no memory: key and tweak have a loop each, as in luts2017::

    key ───▶ mux ──▶ shift register ──▶ LFSR_2, h ──▶ shift register ──▶ back to mux        N registers in both
    tweak ─▶ mux ──▶ shift register ─────────────▶ h ─▶ shift register ──▶ back to mux
                                                      └──▶(+) round constant ──▶ reg ──▶ subtweakey
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.round_keys import LUT_MEMORY
from modeloom.rtl.aes.parameters import BLOCK_BITS, columns, named
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.deoxys.tweakey import (
    CONSTANTS,
    FIRST_CONSTANT,
    KEY_BITS,
    ROUNDS,
    lfsr_2,
    next_constant,
    permute,
    round_constant,
    step,
)

__all__ = ["ShiftedSubtweakeys", "StoredSubtweakeys"]


def _shifted(m: Module, value: Value, cycles: int, name: str) -> Value:
    for n in range(cycles):
        value = register(m, value, f"{name}_{n}")
    return value


def _mux(m: Module, name: str, choose: Value, yes: Value, no: Value) -> Value:
    return named(m, name, Cat(Mux(choose, a, b) for a, b in zip(columns(yes), columns(no), strict=True)))


def _sum(m: Module, name: str, *terms: Value) -> Value:
    first, *others = (columns(term) for term in terms)
    for other in others:
        first = [a ^ b for a, b in zip(first, other, strict=True)]
    return named(m, name, Cat(first))


class StoredSubtweakeys(wiring.Component):
    """Subtweakeys under one key, whose part is in memories.

    Parameters
    ----------
    streams : int
        Blocks in the round.
    lead : int
        How many cycles before the end of a round its subtweakey is needed: 0 or 1.
    direction : str
        "encrypt", "decrypt" or "both".

    Attributes
    ----------
    lag : int
        streams - 1 - lead: cycles from a block to ``tweak`` of this block.
    load_cycles : int
        16: cycles from ``load`` to the first cycle in which a block may enter.

    Members
    -------
    load, key
        Computes the words of a key (128 bits), which is read only in this cycle.  No block may be in the core until they are there.
    tweak_first, decrypt_first
        The tweak and the direction of the block that enters now.
    first
        Its first subtweakey, in the same cycle.
    enter, tweak, decrypt, number
        Whether the subtweakey of a block is its first one here, and then its tweak.  Its direction, and the number of its round, 1 to 14.
    subtweakey
        The subtweakey of this round, in the next cycle.
    """

    def __init__(self, streams: int, lead: int, direction: str):
        self.streams, self.direction = streams, direction
        self.lag = streams - 1 - lead
        self.load_cycles = ROUNDS + 2
        super().__init__({
            "load": In(1),
            "key": In(KEY_BITS),
            "tweak_first": In(BLOCK_BITS),
            "decrypt_first": In(1),
            "first": Out(BLOCK_BITS),
            "enter": In(1),
            "tweak": In(BLOCK_BITS),
            "decrypt": In(1),
            "number": In(range(ROUNDS + 1)),
            "subtweakey": Out(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ends, steps = self._words(m)
        m.d.comb += self.first.eq(self._first(m, "first", ends(self.decrypt_first), self.tweak_first, self.decrypt_first))
        again = self._first(m, "again", ends(self.decrypt), self.tweak, self.decrypt)
        subtweakey = [Signal(32, name=f"subtweakey_{n}_reg", reset_less=True) for n in range(4)]
        before = _mux(m, "before", self.enter, again, _shifted(m, Cat(subtweakey), self.streams - 1, "shifted"))
        forward = _sum(m, "forward", permute(before), steps)
        backward = permute(_sum(m, "stepped", before, steps), -1)
        result = {"encrypt": forward, "decrypt": backward}.get(self.direction)
        if result is None:
            result = _mux(m, "following", self.decrypt, backward, forward)
        m.d.sync += [reg.eq(word) for reg, word in zip(subtweakey, columns(result), strict=True)]
        m.d.comb += self.subtweakey.eq(Cat(subtweakey))
        return m

    def _first(self, m: Module, name: str, end: Value, tweak: Value, decrypt: Value) -> Value:
        """The subtweakey with which a block begins: number 0, or 14 if it is decrypted."""
        forms = {"encrypt": tweak, "decrypt": permute(tweak, ROUNDS)}
        form = forms.get(self.direction)
        if form is None:
            form = _mux(m, f"{name}_form", decrypt, forms["decrypt"], tweak)
        return _sum(m, name, end, form)

    def _words(self, m: Module) -> tuple[Callable[[Value], Value], Value]:
        """What the key gives: its parts 0 and 14 by direction, and the step to the subtweakey of a round (or from it)."""
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(4)]
        rcon_reg = Signal(8)
        number_reg = Signal(range(ROUNDS + 1))
        busy_reg = Signal()
        word = Cat(word_reg)
        following, following_step = step(m, word, rcon_reg)
        last = Signal()
        m.d.comb += last.eq(number_reg == ROUNDS)
        with m.If(self.load):
            m.d.sync += [busy_reg.eq(1), number_reg.eq(0), rcon_reg.eq(FIRST_CONSTANT)]
            m.d.sync += [reg.eq(each) for reg, each in zip(word_reg, columns(self.key), strict=True)]
        with m.Elif(busy_reg):
            m.d.sync += [busy_reg.eq(~last), number_reg.eq(number_reg + 1), rcon_reg.eq(next_constant(rcon_reg))]
            m.d.sync += [reg.eq(each) for reg, each in zip(word_reg, columns(following), strict=True)]
            with m.If(last):
                m.d.sync += [reg.eq(0) for reg in word_reg]

        steps = memory.Memory(shape=BLOCK_BITS, depth=16, init=[], attrs=LUT_MEMORY)
        m.submodules.steps = steps
        # Step n leads from subtweakey n to n + 1, and back.
        write, read = steps.write_port(), steps.read_port(domain="comb")
        m.d.comb += [write.addr.eq(number_reg), write.data.eq(following_step), write.en.eq(busy_reg)]
        backward = {"encrypt": Const(0, 1), "decrypt": Const(1, 1)}.get(self.direction, self.decrypt)
        m.d.comb += read.addr.eq(Mux(backward, ROUNDS - self.number, self.number - 1))

        part = _sum(m, "part", word, round_constant(rcon_reg))
        if self.direction == "both":
            both = memory.Memory(shape=BLOCK_BITS, depth=2, init=[], attrs=LUT_MEMORY)
            m.submodules.ends = both
            write_end = both.write_port()
            m.d.comb += [write_end.addr.eq(last), write_end.data.eq(part), write_end.en.eq(busy_reg & (last | (number_reg == 0)))]

            def end(decrypt: Value) -> Value:
                port = both.read_port(domain="comb")
                m.d.comb += port.addr.eq(decrypt)
                return port.data

            return end, read.data
        end_reg = [Signal(32, name=f"end_{n}_reg", reset_less=True) for n in range(4)]
        with m.If(busy_reg & (last if self.direction == "decrypt" else number_reg == 0)):
            m.d.sync += [reg.eq(each) for reg, each in zip(end_reg, columns(part), strict=True)]
        return (lambda decrypt: Cat(end_reg)), read.data


class ShiftedSubtweakeys(wiring.Component):
    """Subtweakeys with a key for each block, computed as they are used, for a core that encrypts.

    Parameters
    ----------
    streams : int
        Blocks in the round.
    lead : int
        How many cycles before the end of a round its subtweakey is needed: 0 or 1.

    Attributes
    ----------
    ahead : int
        *lead*: cycles from ``key`` and ``tweak`` to their block.
    erase_latency : int
        *streams* + 1 cycles: after *streams* cycles of ``erase`` and one more, no register depends on a key.

    Members
    -------
    start, key, tweak
        Key and tweak (128 bits each) of a block.
    first
        Its first subtweakey, in the cycle of the block.
    number
        Number of the round, 1 to 14, of the block whose turn it is *streams* - 1 - *lead* cycles after it has entered.
    subtweakey
        The subtweakey of this round, in the next cycle.
    erase
        The block whose turn it is takes a key and a tweak of zeros.  Hold it for *streams* cycles.
    """

    def __init__(self, streams: int, lead: int):
        self.streams, self.ahead = streams, lead
        self.erase_latency = streams + 1
        super().__init__({
            "start": In(1),
            "key": In(KEY_BITS),
            "tweak": In(BLOCK_BITS),
            "first": Out(BLOCK_BITS),
            "number": In(range(ROUNDS + 1)),
            "subtweakey": Out(BLOCK_BITS),
            "erase": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first = _sum(m, "first", self.key, self.tweak, round_constant(Const(FIRST_CONSTANT, 8)))
        m.d.comb += self.first.eq(_shifted(m, first, self.ahead, "first"))
        stepped = []
        for name, port in (("key", self.key), ("tweak", self.tweak)):
            loop = [Signal(32, name=f"{name}_loop_{n}_reg", reset_less=True) for n in range(4)]
            # Zeros enter like a key, because registers with a reset cannot become a shift register in LUTs.
            new = _mux(m, f"{name}_new", self.erase, Const(0, BLOCK_BITS), port)
            taken = _mux(m, f"{name}_taken", self.start | self.erase, new, Cat(loop))
            shifted = _shifted(m, taken, self.streams - 1, f"{name}_shifted")
            after = permute(lfsr_2(m, shifted) if name == "key" else shifted)
            m.d.sync += [reg.eq(word) for reg, word in zip(loop, columns(after), strict=True)]
            stepped.append(after)
        rcon = Signal(8)
        with m.Switch(self.number):
            for number, constant in enumerate(CONSTANTS):
                with m.Case(number):
                    m.d.comb += rcon.eq(constant)
        m.d.comb += self.subtweakey.eq(register(m, _sum(m, "sum", *stepped, round_constant(rcon)), "subtweakey"))
        return m
