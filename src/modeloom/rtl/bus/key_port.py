# SPDX-License-Identifier: Apache-2.0
"""Loads keys into slots and erases them.

A key packet goes through these states::

    key ──▶ fence ──▶ erase ──▶ receive ──▶ expand ──▶ set-up ──▶ loaded
            slot is   zeros     words to    round      values that
            empty     over all  key memory  keys       depend on the key alone
            from here  │
                       └─▶ scrub ──▶ empty
                           zeros over what has been computed with the key

The slot is marked empty first, so that nothing new uses it.  The port then waits until everything that uses the old key has ended,
and overwrites the old key with zeros before it takes a byte of the new one.  A packet that does not fit leaves the slot empty and
overwritten.

A cipher key that is not the last one is expanded as soon as it is complete, before the rest of the packet is taken.  Set-up may
make further cipher keys.  The port stores such a key as set-up writes it, and expands it after the set-up.  For each further one
set-up runs again.

A mode may refuse keys with a word that is 0, or with equal cipher keys.  The port treats them as a packet that does not fit.
``unusable_reg`` holds the result of this check.  It is the only bit of a key on which anything but data depends, and it decides
before the next expansion or at the end.  ``judging`` is high in these cycles.  The register has no effect in any other one.

With keys of several sizes, the end of the packet tells the size.  An erasure always has the length of the longest key, so it
reaches all round keys, and those that a shorter key does not have stay zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Member, Out, Signature

from modeloom.cycles import FENCE_CYCLES
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.parameters import KeyParameters, history_beats, key_beats, key_parts, packet_ends
from modeloom.rtl.bus.ports import BusComponent, key_beat, signals
from modeloom.rtl.bus.preparation import in_use_signature, key_state_signature, preparation_of

__all__ = ["KeyPort", "KeySchedules", "KeySlot", "SlotFlags", "key_schedule_signature", "lookup_signature", "many_slots_members"]


# -- key slot --------------------------------------------------------------------------------------------------------------------------

# The slot that a key packet is about: what becomes of it, whatever the packet has and however it is worked on.
#
#     IDLE ──▶ FENCE ──▶ OVERWRITE ··▶ (of the port: erase, receive, set-up) ··▶ mark(1), IDLE
#      │       empty         ▲                        │           └··▶ SCRUB ──▶ IDLE
#      │       from here     └──── refuse ────────────┘                  │
#      └────────────────────────────────────────────────▶ DISCARD ◀──────┘
#        there is no such slot                             the rest of the packet
#
# The slot is marked empty first, so nothing further uses it, and what is in flight under it ends.  What comes then, the port says:
# ``OVERWRITE`` is its state, and so are all others that are not here.

# A block memory with a bit for each of many key slots, which says whether the slot holds a key.
#
# A write to the slot that is looked up goes past the memory:
#
#     write  ── slot, loaded ──▶ memory ──▶ [reg] ──┐
#                   └──▶ the same slot? ──▶ [reg] ──┴──▶ lookup.loaded, a cycle after lookup.slot

def lookup_signature(slots: int) -> Signature:
    """The question whether a slot holds a key, seen from the part that asks.

    Members
    -------
    slot : range(slots)
        The slot in question.
    loaded : 1
        In the next cycle, whether the slot holds a key.
    """
    return Signature({"slot": Out(range(slots)), "loaded": In(1)})


def many_slots_members(slots: int) -> dict[str, Member]:
    """The members of a key port that has a memory of flags."""
    return {"lookup": In(lookup_signature(slots)), "erase": In(1), "erase_address": In(range(slots))}


class SlotFlags(wiring.Component):
    """A memory with a bit for each slot.  After a power-up, all of them have to be erased.

    Parameters
    ----------
    slots : int
        Number of key slots, which is two or more.

    Members
    -------
    write : we, slot, loaded : 1, range(slots), 1
        Writes a flag.
    lookup : lookup_signature
        Asks for a flag.  The answer includes a write in the cycle of the question.
    erase, erase_address : 1, range(slots)
        Writes 0 to this flag.  Nothing else is written meanwhile.
    """

    def __init__(self, slots: int):
        self.slots = slots
        write = Signature({"we": Out(1), "slot": Out(range(slots)), "loaded": Out(1)})
        super().__init__({"write": In(write), **many_slots_members(slots)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # A number that is no slot also has a flag, which stays 0.
        depth = 1 << len(self.write.slot)
        m.submodules.mem = mem = memory.Memory(shape=1, depth=depth, init=[], attrs={"ram_style": "block", "no_rw_check": 1})
        write, read = mem.write_port(), mem.read_port()
        m.d.comb += [
            write.en.eq(self.write.we | self.erase), write.data.eq(self.write.loaded & ~self.erase),
            write.addr.eq(Mux(self.erase, self.erase_address, self.write.slot)), read.addr.eq(self.lookup.slot),
        ]  # fmt: skip
        # If a word is read and written in one cycle, block memories of different devices give different values, so the written bit
        # goes past the memory.  In a reset, no slot is loaded.
        known_reg = Signal()
        same_reg = Signal()
        written_reg = Signal()
        m.d.sync += [known_reg.eq(1), same_reg.eq(self.write.we & (self.write.slot == self.lookup.slot)), written_reg.eq(write.data)]
        m.d.comb += self.lookup.loaded.eq(known_reg & Mux(same_reg, written_reg, read.data))
        return m


class KeySlot:
    """Registers and states of the slot that a key packet is about.

    Parameters
    ----------
    m : Module
        The module of the port.
    port : component
        It has ``key``, ``in_use``, ``state``, ``preparation`` and, with more than ``LISTED_SLOTS`` slots, ``lookup``, ``erase`` and
        ``erase_address``, as in :class:`~modeloom.rtl.bus.key_port.KeyPort`.
    slots : int
        Key slots.
    """

    def __init__(self, m: Module, port: wiring.Component, slots: int) -> None:
        self._m, self._port, self._slots = m, port, slots
        self.many = slots > LISTED_SLOTS
        self.number = Signal.like(port.in_use.slot, name="slot_reg")
        # Of few slots the flags, of many that of the last packet's slot.
        self._loaded = Signal(1 if self.many else slots, name="loaded_reg")
        self._error = Signal(name="error_reg")
        self.refused = Signal(name="refused_reg")
        self._ended = Signal(name="ended_reg")
        self._fence = Signal(range(FENCE_CYCLES), name="fence_reg")

    def connect_flags(self) -> None:
        """The memory for the flags of many slots."""
        if not self.many:
            return
        m, port = self._m, self._port
        m.submodules.flags = self._flags = SlotFlags(self._slots)
        m.d.comb += [
            self._flags.write.slot.eq(self.number), self._flags.erase.eq(port.erase), self._flags.erase_address.eq(port.erase_address),
        ]  # fmt: skip
        wiring.connect(m, wiring.flipped(port.lookup), self._flags.lookup)

    def mark(self, holds: int) -> None:
        """Says whether the slot holds a key from the next cycle on."""
        m = self._m
        m.d.sync += self._loaded.bit_select(0 if self.many or self._slots == 1 else self.number, 1).eq(holds)
        if self.many:
            m.d.comb += [self._flags.write.we.eq(1), self._flags.write.loaded.eq(holds)]

    def refuse(self, ended: Value | int) -> None:
        """The packet does not fit, and this was its last beat if ``ended``: the slot is overwritten and stays empty."""
        self._m.d.sync += [self._error.eq(1), self.refused.eq(1), self._ended.eq(ended)]
        self._m.next = "OVERWRITE"

    @contextmanager
    def idle(self) -> Iterator[None]:
        """State ``IDLE``, the first of the port; the port adds what it resets in it."""
        m, beat = self._m, self._port.key.p
        with m.State("IDLE"):
            m.d.sync += [self.number.eq(beat.slot), self.refused.eq(beat.erase), self._ended.eq(0), self._fence.eq(0)]
            yield
            with m.If(self._port.key.valid):
                if self.many:
                    m.d.sync += self._loaded.eq(0)
                m.d.sync += self._error.eq(beat.slot >= self._slots)
                with m.If(beat.slot >= self._slots):
                    m.next = "DISCARD"
                with m.Else():
                    m.next = "FENCE"

    def fence(self) -> None:
        """State ``FENCE``, until nothing is under way in the slot."""
        m = self._m
        with m.State("FENCE"):
            self.mark(0)
            with m.If(self._fence != FENCE_CYCLES - 1):
                m.d.sync += self._fence.eq(self._fence + 1)
            with m.Elif(~self._port.in_use.busy):
                m.next = "OVERWRITE"

    def scrub(self) -> None:
        """State ``SCRUB``, until what has been computed with the key is overwritten."""
        m, setup = self._m, self._port.preparation.setup
        with m.State("SCRUB"):
            m.d.comb += [setup.request.eq(1), setup.scrub.eq(1)]
            with m.If(setup.done):
                with m.If(self._ended):
                    m.next = "IDLE"
                with m.Else():
                    m.next = "DISCARD"

    def discard(self) -> None:
        """State ``DISCARD``, until the last beat of the packet."""
        m, key = self._m, self._port.key
        with m.State("DISCARD"):
            m.d.comb += key.ready.eq(1)
            with m.If(key.valid & key.p.last):
                m.next = "IDLE"

    def ask(self) -> None:
        """Names the slot to those who know what is under way, and to set-up."""
        self._m.d.comb += [self._port.in_use.slot.eq(self.number), self._port.preparation.setup.slot.eq(self.number)]

    def tell(self, idle: Value) -> None:
        """What the host is told; ``idle`` is high in state ``IDLE``."""
        state = self._port.state
        self._m.d.comb += [state.loaded.eq(self._loaded), state.busy.eq(~idle), state.error.eq(self._error)]


# -- key port --------------------------------------------------------------------------------------------------------------------------


def key_schedule_signature(key_bits: int, round_keys: int, round_key_bits: int, lengths: int = 1) -> Signature:
    """Ports of a key schedule, seen from the key port.

    Parameters
    ----------
    key_bits : int
        Width of the cipher's key in bits.
    round_keys, round_key_bits : int
        Number of round keys, and the width of one in bits.
    lengths : int
        Number of key lengths that there are key schedules for.  ``key_bits`` is the longest length.

    Members
    -------
    length : range(lengths)
        The length that a request is about.  It holds from the request until the request is done.  It is there only with several
        lengths.
    start, key : 1, key_bits
        Asks to expand ``key``, which is read in this cycle only.
    erase : 1
        Asks to write zeros to all round keys in both forms.
    we, round, data, data_dec : 1, range(round_keys), round_key_bits, round_key_bits
        Writes one round key, in the form for ciphers and in the form for inverse ciphers.
    busy : 1
        A request is being worked on.  No other request is made meanwhile.
    done : 1
        High for one cycle, together with or after the last write of a request.
    """
    return Signature(
        {
            **({"length": Out(range(lengths))} if lengths > 1 else {}),
            "start": Out(1),
            "erase": Out(1),
            "key": Out(key_bits),
            "we": In(1),
            "round": In(max(1, (round_keys - 1).bit_length())),
            "data": In(round_key_bits),
            "data_dec": In(round_key_bits),
            "busy": In(1),
            "done": In(1),
        }
    )


class KeyPort(BusComponent[KeyParameters]):
    """Writes the parts of key packets to the key memory and to the key schedule, and asks for set-ups.

    From the first beat that the host offers, the old key of the slot is overwritten within ``FENCE_CYCLES`` + 5 cycles, plus the
    larger of ``words`` and the time that the key schedule takes to erase, plus this time and 2 cycles for each cipher key but the
    first.  If sectors or messages of this slot are in flight, the port waits for their end first.  In a core for sectors this takes
    at most the wait for an entry and the latency of the engine.  Other slots go on meanwhile.

    Then ``preparation.setup`` asks for the set-up, once for each cipher key that it makes.  After an erasure it asks to overwrite
    the values that have been computed with the erased key.  The part of the core that runs the set-up decides when it begins.  The
    engine of a core for sectors lets all sectors in flight end first.  The number of cycles that a packet takes depends on its
    length and on whether the mode refuses the key, and on nothing else of the key.

    A cipher key and the beats before the last one stay in this port until the packet is complete.  This takes as long as the host
    does.

    Members
    -------
    key : stream of key_beat
        Key packets from the host.
    in_use : in_use_signature
        Asks whether anything that was admitted under the key of a slot is in flight.
    state : key_state_signature
        The state of the slots.
    preparation : preparation_signature
        Writes key words and round keys, asks for set-ups, and reads the words that they write.
    schedule : key_schedule_signature
        Requests to the key schedule, and its round keys.
    lookup : lookup_signature
        Another part of the core asks whether a slot holds a key.  It is there only with more than ``LISTED_SLOTS`` slots.
    erase, erase_address : 1, range(slots)
        Overwrites the flag of this slot in a reset.  They are there only with more than ``LISTED_SLOTS`` slots.

    The flags of more than ``LISTED_SLOTS`` slots are in a block memory.  As registers, 1024 flags and the multiplexer that reads
    one of them take 1862 LUTs and eight levels on xc7.
    """

    @staticmethod
    def ports(parameters: KeyParameters) -> dict[str, Member]:
        p = parameters
        return {
            "key": In(stream.Signature(key_beat(p.slots))),
            "in_use": Out(in_use_signature(p.slots)),
            "state": Out(key_state_signature(p.slots)),
            "preparation": Out(preparation_of(p)),
            "schedule": Out(key_schedule_signature(max(p.lengths), p.round_keys, p.round_key_bits, len(p.lengths))),
            **(many_slots_members(p.slots) if p.slots > LISTED_SLOTS else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the registers, the checks of a beat, the writes of round keys, the state machine, the erasure of its own registers, and the
        outputs.

        A packet goes through the state machine from left to right::

            IDLE ─▶ FENCE ─▶ OVERWRITE ⇄ ERASE ─▶ RECEIVE ⇄ START, EXPAND, SETTLE ─▶ SETUP ─▶ LOADED ─▶ IDLE
                             each cipher key      each cipher key                    and START for derived keys

        One that is refused has its slot overwritten again, and goes on to ``SCRUB``, and to ``DISCARD`` if it has not ended.
        The old key is erased before a part of the new one is written, so that no mixture of both can be used.
        """
        m = Module()
        p = self.parameters
        beats = key_beats(p)
        history = history_beats(p)

        setup, made = self.preparation.setup, self.preparation.made
        slot = KeySlot(m, self, p.slots)
        words_left_reg = Signal(range(p.words + 1))
        rounds_left_reg = Signal()
        beat_reg = Signal(range(max(2, beats)))
        history_reg = Signal(8 * KEY_BEAT_BYTES * history)
        cipher_key_reg = Signal(max(p.lengths))
        # The cipher key that is worked on.  When ``complete_reg`` is set, all keys of the packet have come.
        number_reg = Signal(range(max(2, p.all_cipher_keys)))
        complete_reg = Signal()
        # The mode refuses this key.  The comparisons have no other effect than this register, so that no choice depends on a key
        # before.
        unusable_reg, judging, refused = signals("unusable_reg judging refused")
        refuses = (p.distinct_keys and p.cipher_keys > 1) or bool(p.nonzero_words)

        key_we_reg, rk_we_reg = signals("key_we_reg rk_we_reg")
        key_index_reg = Signal(range(max(2, p.words)))
        key_data_reg = Signal(p.block_bits)
        rk_key_reg = Signal.like(number_reg)
        rk_round_reg = Signal(p.round_bits)
        rk_data_reg, rk_data_dec_reg = signals("rk_data_reg rk_data_dec_reg", p.round_key_bits)

        beat = self.key.p
        final, fits, erasing = signals("final fits erasing")
        window = Cat(history_reg, beat.data)
        full = (1 << KEY_BEAT_BYTES) - 1
        first_end, *other_ends = packet_ends(p)
        m.d.comb += final.eq(beat_reg == beats - 1)
        if other_ends:
            # The size that the packet has if this is its last beat, and the size that is worked on.
            sized = Signal(len(p.sizes))
            length_reg = Signal(range(len(p.sizes)), init=p.longest)
            ends = Cat((beat_reg == end.beat) & (beat.keep == end.keep) for end in (first_end, *other_ends))
            m.d.comb += [sized.eq(ends), fits.eq(Mux(beat.last, sized.any(), ~final & (beat.keep == full)))]
        else:
            m.d.comb += fits.eq((beat.last == final) & (beat.keep == Mux(final, first_end.keep, full)))

        schedule = self.schedule
        m.d.sync += [
            key_we_reg.eq(0),
            rk_we_reg.eq(schedule.we),
            rk_key_reg.eq(number_reg),
            rk_round_reg.eq(schedule.round),
            rk_data_reg.eq(schedule.data),
            rk_data_dec_reg.eq(schedule.data_dec),
        ]

        slot.connect_flags()

        def all_rounds() -> None:
            """Chooses the longest key, since an erasure follows or nothing does."""
            if other_ends:
                m.d.sync += length_reg.eq(p.longest)

        def refuse(ended: Value | int) -> None:
            m.d.sync += number_reg.eq(0)
            all_rounds()
            slot.refuse(ended)

        with m.FSM() as fsm:
            with slot.idle():
                m.d.sync += [beat_reg.eq(0), number_reg.eq(0), complete_reg.eq(0)]
                all_rounds()
                if refuses:
                    m.d.sync += unusable_reg.eq(0)

            slot.fence()

            with m.State("OVERWRITE"):
                m.d.comb += schedule.erase.eq(1)
                m.d.sync += rounds_left_reg.eq(1)
                with m.If(number_reg == 0):
                    m.d.sync += words_left_reg.eq(p.words)
                m.next = "ERASE"

            with m.State("ERASE"):
                m.d.comb += erasing.eq(1)
                with m.If(schedule.done):
                    m.d.sync += rounds_left_reg.eq(0)
                with m.If(words_left_reg != 0):
                    m.d.sync += words_left_reg.eq(words_left_reg - 1)
                    m.d.sync += [key_we_reg.eq(1), key_index_reg.eq(words_left_reg - 1)]
                with m.Elif(~rounds_left_reg):
                    m.d.sync += number_reg.eq(number_reg + 1)
                    with m.If(number_reg != p.all_cipher_keys - 1):
                        m.next = "OVERWRITE"
                    with m.Else():
                        m.d.sync += number_reg.eq(0)
                        with m.If(~slot.refused):
                            m.next = "RECEIVE"
                        with m.Else():
                            m.next = "SCRUB"

            slot.scrub()

            with m.State("RECEIVE"):
                m.d.comb += self.key.ready.eq(1)
                with m.If(self.key.valid):
                    m.d.sync += beat_reg.eq(beat_reg + 1)
                    if history:
                        m.d.sync += history_reg.eq(window[8 * KEY_BEAT_BYTES :])
                    expand = Signal()
                    with m.Switch(beat_reg):
                        for part in key_parts(p):
                            with m.Case(part.end_beat):
                                value = window[part.window_slice(history)]
                                if part.cipher is None:
                                    m.d.sync += [key_we_reg.eq(1), key_index_reg.eq(part.word), key_data_reg.eq(value)]
                                    continue
                                m.d.sync += [cipher_key_reg.eq(value), number_reg.eq(part.cipher)]
                                m.d.comb += expand.eq(part.cipher != p.cipher_keys - 1)
                                if part.cipher and p.distinct_keys and len(set(p.widths)) == 1:
                                    m.d.sync += unusable_reg.eq(unusable_reg | (value == cipher_key_reg))
                    m.d.sync += complete_reg.eq(beat.last)
                    for number in range(len(p.sizes) if other_ends else 0):
                        with m.If(beat.last & sized[number]):
                            m.d.sync += length_reg.eq(number)
                    with m.If(~fits):
                        refuse(beat.last)
                    with m.Elif(beat.last | expand):
                        m.next = "START"

            with m.State("START"):
                with m.If(refused):
                    refuse(complete_reg)
                with m.Else():
                    m.d.comb += schedule.start.eq(1)
                    m.next = "EXPAND"

            with m.State("EXPAND"):
                with m.If(schedule.done):
                    m.next = "SETTLE"

            with m.State("SETTLE"):
                m.next = "SETUP"
                if p.cipher_keys > 1:
                    with m.If(~complete_reg):
                        m.next = "RECEIVE"
                if p.derived_keys:
                    with m.If(number_reg == p.all_cipher_keys - 1):
                        m.next = "LOADED"

            with m.State("SETUP"):
                m.d.comb += setup.request.eq(1)
                for number, words in enumerate(p.derived_keys, p.cipher_keys - 1):
                    for at, source in enumerate(words):
                        bits = slice(at * p.block_bits, min((at + 1) * p.block_bits, p.cipher_key_bits))
                        with m.If(made.we & (number_reg == number) & (made.index == source)):
                            m.d.sync += cipher_key_reg[bits].eq(made.data)
                for source in p.nonzero_words:
                    with m.If(made.we & (made.index == source)):
                        m.d.sync += unusable_reg.eq(unusable_reg | (made.data == 0))
                with m.If(setup.done):
                    m.next = "LOADED"
                    if p.derived_keys:
                        m.d.sync += number_reg.eq(number_reg + 1)
                        m.next = "START"

            with m.State("LOADED"):
                with m.If(refused):
                    refuse(1)
                with m.Else():
                    slot.mark(1)
                    m.next = "IDLE"

            slot.discard()

        if refuses:
            m.d.comb += [judging.eq(fsm.ongoing("START") | fsm.ongoing("LOADED")), refused.eq(judging & unusable_reg)]

        # No register of this port keeps a key that has been passed on or refused.
        with m.If(erasing | fsm.ongoing("EXPAND")):
            m.d.sync += key_data_reg.eq(0)
        with m.If(erasing | (fsm.ongoing("EXPAND") & complete_reg)):
            m.d.sync += [history_reg.eq(0), cipher_key_reg.eq(0)]

        word, round_key = self.preparation.word, self.preparation.round_key
        slot.ask()
        m.d.comb += schedule.key.eq(cipher_key_reg)
        slot.tell(idle=fsm.ongoing("IDLE"))
        m.d.comb += [
            word.we.eq(key_we_reg), word.slot.eq(slot.number), word.index.eq(key_index_reg), word.data.eq(key_data_reg),
            round_key.we.eq(rk_we_reg), round_key.slot.eq(slot.number), round_key.key.eq(rk_key_reg), round_key.round.eq(rk_round_reg),
            round_key.data.eq(rk_data_reg), round_key.data_dec.eq(rk_data_dec_reg),
        ]  # fmt: skip
        if other_ends:
            rk_length_reg = Signal.like(length_reg)
            m.d.sync += rk_length_reg.eq(length_reg)
            m.d.comb += [schedule.length.eq(length_reg), round_key.length.eq(rk_length_reg)]
        elif len(p.lengths) > 1:
            m.d.comb += schedule.length.eq(Array(p.lengths.index(bits) for bits in p.widths)[number_reg])
        return m


# -- key schedules -----------------------------------------------------------------------------------------------------------------

# Key schedules for cipher keys of several lengths behind one port.
#
# ``length`` selects the key schedule that gets the request and whose writes go out:
#
#     length ──┬──▶ start, erase of one ──▶ key schedule 0 ──┐
#              │                        ──▶ key schedule 1 ──┴──▶ writes of the one at work
#              └────────────────────────────────────────────┘

class KeySchedules(wiring.Component):
    """Several key schedules, one of which works at a time.

    The ports are those of ``key_schedule_signature``, seen from outside.  ``length`` selects the key schedule.

    Parameters
    ----------
    schedules : sequence of component
        A key schedule for each length.  They have the same ports, with the widths of their own keys and round keys.
    round_keys, round_key_bits : int
        The largest number of round keys, and the width of one in bits.
    """

    def __init__(self, schedules: Sequence[wiring.Component], round_keys: int, round_key_bits: int):
        self.schedules = list(schedules)
        widest = max(len(schedule.key) for schedule in self.schedules)
        super().__init__(key_schedule_signature(widest, round_keys, round_key_bits, len(self.schedules)).flip())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for number, schedule in enumerate(self.schedules):
            m.submodules[f"length_{len(schedule.key)}"] = schedule
            selected = self.length == number
            m.d.comb += [
                schedule.start.eq(self.start & selected), schedule.erase.eq(self.erase & selected),
                schedule.key.eq(self.key[: len(schedule.key)]),
            ]  # fmt: skip
            with m.If(selected):
                for name in ("we", "round", "data", "data_dec", "busy", "done"):
                    m.d.comb += getattr(self, name).eq(getattr(schedule, name))
        return m
