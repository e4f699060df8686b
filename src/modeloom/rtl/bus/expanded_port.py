# SPDX-License-Identifier: Apache-2.0
"""Loads expanded keys into slots.  The host gives the round keys, and the core has no key schedule.

A key packet goes through these states::

    key ──▶ fence ──▶ erase ──▶ receive ──▶ set-up ──▶ loaded
            slot is   zeros     words and   values that
            empty     over all  round keys  depend on the key alone
            from here  │
                       └─▶ scrub ──▶ empty

A packet has the parts of the key in their order, with round keys 0, 1, ... in place of the cipher key.  Each part begins in a new
beat::

    AES-128                              beat 0: RK0 ... beat 10: RK10
    a word, then round keys of 32 bits   beat 0: word    beat 1: RK0[0..3]    beat 2: RK1[0..3] ...
    round keys of 192 bits               beat 0: RK0[0..15]    beat 1: RK0[16..23]    beat 2: RK1[0..15] ...

Every beat is whole.  Bytes behind the end of a round key are not read.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out

from modeloom.interfaces.messages import ROUND_KEYS
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.key_port import KeySlot, many_slots_members
from modeloom.rtl.bus.parameters import KeyParameters
from modeloom.rtl.bus.ports import BusComponent, key_beat, signals
from modeloom.rtl.bus.preparation import in_use_signature, key_state_signature, preparation_of

__all__ = ["ExpandedKeyParameters", "ExpandedKeyPort"]

BEAT_BITS = 8 * KEY_BEAT_BYTES


@dataclass(frozen=True, kw_only=True)
class ExpandedKeyParameters(KeyParameters):
    """The keys of a core that takes round keys.

    The parameters are those of ``KeyParameters``.  There is one cipher key of one size, and no key is refused for its value.

    Raises
    ------
    TypeError, ValueError
        If a parameter has the wrong type or is out of its range.
    """

    pins = ROUND_KEYS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.all_cipher_keys != 1 or len(self.lengths) != 1 or self.nonzero_words:
            raise ValueError("expanded keys are for one cipher key of one size, of which none is refused")

    @property
    def word_beats(self) -> int:
        """Beats of a word of the key memory."""
        return self.block_bits // BEAT_BITS

    @property
    def round_key_beats(self) -> int:
        """Beats of a round key."""
        return -(-self.round_key_bits // BEAT_BITS)

    @property
    def packet_lengths(self) -> tuple[int, ...]:
        """The number of bytes of a key packet.  There is one length."""
        return (KEY_BEAT_BYTES * (self.raw_words * self.word_beats + self.round_keys * self.round_key_beats),)


class ExpandedKeyPort(BusComponent[ExpandedKeyParameters]):
    """Writes the words and round keys of packets to the key memory and the cipher, and asks for set-ups.

    The old key of the slot is overwritten within ``FENCE_CYCLES`` + 5 + max(``words``, ``round_keys``) cycles from the first beat
    that the host offers.  If sectors or messages of this slot are in flight, the port waits for their end first.  Everything else
    is as in :class:`~modeloom.rtl.bus.key_port.KeyPort`.  Round keys are written as they come, one beat in each cycle.  The number
    of cycles that a packet takes depends on its length only.

    Members
    -------
    key : stream of key_beat
        Key packets from the host.
    in_use : in_use_signature
    state : key_state_signature
    preparation : preparation_signature
        ``round_key.data_dec`` is zero, so the cipher must not need round keys in another form to decrypt.
    lookup, erase, erase_address
        As in :class:`~modeloom.rtl.bus.key_port.KeyPort`.  They are there only with more than ``LISTED_SLOTS`` slots.

    For AES-128 with 16 slots, this port takes 87 LUTs and 178 registers on xc7 in Yosys.  A ``KeyPort`` with its key schedule takes
    576 LUTs and 738 registers.
    """

    @staticmethod
    def ports(parameters: ExpandedKeyParameters) -> dict[str, Member]:
        p = parameters
        return {
            "key": In(stream.Signature(key_beat(p.slots))),
            "in_use": Out(in_use_signature(p.slots)),
            "state": Out(key_state_signature(p.slots)),
            "preparation": Out(preparation_of(p)),
            **(many_slots_members(p.slots) if p.slots > LISTED_SLOTS else {}),
        }

    def elaborate(self, platform: object) -> Module:
        """Makes the registers, the checks of a beat by its place in the packet, the output registers, the state machine, and the outputs.

        The state machine erases the words and the round keys of the slot, takes in the parts of the packet, lets the engine set up the
        key, and returns.  Each part is written in the cycle after its last beat, and the registers are overwritten behind it.
        """
        m = Module()
        p = self.parameters
        setup, word, round_key = self.preparation.setup, self.preparation.word, self.preparation.round_key
        beat = self.key.p
        widest = max(p.round_key_beats, p.word_beats if p.raw_words else 1)

        slot = KeySlot(m, self, p.slots)
        words_left_reg = Signal(range(p.words + 1))
        rounds_left_reg = Signal(range(p.round_keys + 1))
        # The place of the next beat in the packet: the kind of its part, the beat of this part, and the number of the word or round
        # key.
        rounds_reg: Value = Signal(name="rounds_reg") if p.raw_words else Const(1, 1)
        place_reg = Signal(range(max(2, widest)))
        number_reg = Signal(range(max(p.round_keys, p.raw_words, 2)))
        history_reg = Signal(BEAT_BITS * (widest - 1))
        # These registers drive the outputs.  They are overwritten after each write, so that nothing of a key stays in them.
        we_reg = Signal()
        index_reg = Signal.like(word.index)
        word_reg = Signal(p.block_bits)
        rk_we_reg = Signal()
        round_reg = Signal.like(round_key.round)
        round_key_reg = Signal(p.round_key_bits)

        # -- what the beat is -------------------------------------------------------------------------------------------------
        whole, last_word, last_round, final, fits = signals("whole last_word last_round final fits")
        m.d.comb += [
            whole.eq(place_reg == Mux(rounds_reg, p.round_key_beats - 1, p.word_beats - 1)),
            last_word.eq(~rounds_reg & (number_reg == p.raw_words_before - 1)),
            last_round.eq(rounds_reg & (number_reg == p.round_keys - 1)),
            final.eq(whole & (~rounds_reg & (number_reg == p.raw_words - 1) if p.raw_words_after else last_round)),
            fits.eq(beat.keep.all() & (beat.last == final)),
        ]  # fmt: skip

        # The output registers get zeros if nothing is written in the next cycle.
        value = Cat(history_reg, beat.data)
        put_word, put_round_key = signals("put_word put_round_key")
        m.d.sync += [
            we_reg.eq(put_word), index_reg.eq(number_reg), rk_we_reg.eq(put_round_key), round_reg.eq(number_reg), round_key_reg.eq(0),
        ]  # fmt: skip
        with m.If(put_round_key):
            m.d.sync += round_key_reg.eq(self._end(value, p.round_key_bits, p.round_key_beats))
        if p.raw_words:
            m.d.sync += word_reg.eq(0)
            with m.If(put_word):
                m.d.sync += word_reg.eq(self._end(value, p.block_bits, p.word_beats))
        if widest > 1:
            m.d.sync += history_reg.eq(0)

        slot.connect_flags()
        with m.FSM() as fsm:
            with slot.idle():
                pass

            slot.fence()

            with m.State("OVERWRITE"):
                m.d.sync += [words_left_reg.eq(p.words), rounds_left_reg.eq(p.round_keys), place_reg.eq(0), number_reg.eq(0)]
                if p.raw_words:
                    m.d.sync += rounds_reg.eq(int(not p.raw_words_before))
                m.next = "ERASE"

            with m.State("ERASE"):
                with m.If(words_left_reg != 0):
                    m.d.sync += [words_left_reg.eq(words_left_reg - 1), we_reg.eq(1), index_reg.eq(words_left_reg - 1)]
                with m.If(rounds_left_reg != 0):
                    m.d.sync += [rounds_left_reg.eq(rounds_left_reg - 1), rk_we_reg.eq(1), round_reg.eq(rounds_left_reg - 1)]
                with m.If((words_left_reg == 0) & (rounds_left_reg == 0)):
                    with m.If(slot.refused):
                        m.next = "SCRUB"
                    with m.Else():
                        m.next = "RECEIVE"

            slot.scrub()

            with m.State("RECEIVE"):
                m.d.comb += self.key.ready.eq(1)
                if widest > 1:
                    m.d.sync += history_reg.eq(history_reg)
                with m.If(self.key.valid):
                    if widest > 1:
                        m.d.sync += history_reg.eq(value[BEAT_BITS:])
                    m.d.comb += [put_word.eq(fits & whole & ~rounds_reg), put_round_key.eq(fits & whole & rounds_reg)]
                    with m.If(~whole):
                        m.d.sync += place_reg.eq(place_reg + 1)
                    with m.Else():
                        m.d.sync += [place_reg.eq(0), number_reg.eq(number_reg + 1)]
                        if p.raw_words_before:
                            with m.If(last_word):
                                m.d.sync += [rounds_reg.eq(1), number_reg.eq(0)]
                        if p.raw_words_after:
                            with m.If(last_round):
                                m.d.sync += [rounds_reg.eq(0), number_reg.eq(p.raw_words_before)]
                    with m.If(~fits):
                        slot.refuse(beat.last)
                    with m.Elif(beat.last):
                        m.next = "SETTLE"

            with m.State("SETTLE"):
                m.next = "SETUP"

            with m.State("SETUP"):
                m.d.comb += setup.request.eq(1)
                with m.If(setup.done):
                    slot.mark(1)
                    m.next = "IDLE"

            slot.discard()

        slot.ask()
        slot.tell(idle=fsm.ongoing("IDLE"))
        m.d.comb += [
            word.we.eq(we_reg), word.slot.eq(slot.number), word.index.eq(index_reg), word.data.eq(word_reg),
            round_key.we.eq(rk_we_reg), round_key.slot.eq(slot.number), round_key.round.eq(round_reg), round_key.data.eq(round_key_reg),
        ]  # fmt: skip
        return m

    def _end(self, value: Value, bits: int, beats: int) -> Value:
        """The lower ``bits`` bits of a part of so many beats, whose last beat is the newest one in ``value``."""
        return value[len(value) - beats * BEAT_BITS :][:bits]
