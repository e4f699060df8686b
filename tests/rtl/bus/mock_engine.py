# SPDX-License-Identifier: Apache-2.0
"""An engine with the real ports and timing but a trivial mode, which watches that the bus keeps the contract.

Block i of a result: ``block ^ (i + 1)·0x0101... ^ tweak blocks ^ the slot's key words ^ first ^ last round key`` of each cipher
key, those of cipher key n rotated by 8n; the round keys are the decrypter's if the sector is to be decrypted. The set-up writes all
key words but those of the host: word n of them is the complement of round key 0 of cipher key 0, rotated by 8n. Result blocks of a
lane come in an order of their own, all in the last ``beats`` cycles before ``done``.
"""

from __future__ import annotations

import random
from functools import reduce
from operator import xor

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring

from modeloom.cycles import FILL_AHEAD
from modeloom.rtl.bus import KeyParameters, key_schedule_signature
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.bus.sector.parameters import engine_of

VIOLATIONS = (
    "a request to enter changed before it was acknowledged",
    "fill_ahead differs from enter",
    "a beat was written too far ahead",
    "a sector entered with a beat missing",
    "a sector entered with bytes outside tkeep that are not zero",
    "a ticket was used twice",
    "keys were written to a slot in flight or during a set-up",
    "a set-up was withdrawn",
)


def rotated(value: int, bits: int) -> int:
    """A number of 128 bits rotated towards its upper end."""
    return (value << bits | value >> 128 - bits) & (1 << 128) - 1 if bits else value


def setup_words(p: BusParameters, first: int) -> list[int]:
    """The words that set-up writes, from round key 0 of cipher key 0."""
    return [rotated(~first & (1 << 128) - 1, 8 * n) for n in range(p.keys.words - p.keys.raw_words_before - p.keys.raw_words_after)]


def mock_round_keys(key: int, key_bits: int, rounds: int) -> list[tuple[int, int]]:
    """Both forms of the round keys of :class:`MockSchedule`."""

    def low(r: int) -> int:
        wide = key << 8 * (r + 1)
        return (wide | wide >> key_bits) & ((1 << min(128, key_bits)) - 1)

    return [(low(r), low(r) ^ (1 << 128) - 1) for r in range(rounds)]


class MockSchedule(wiring.Component):
    """Round key r is the low 128 bits of the key rotated by 8·(r + 1); the decrypter's is its complement."""

    def __init__(self, key_bits: int, rounds: int = 5):
        self.key_bits = key_bits
        self.rounds = rounds
        signature = key_schedule_signature(key_bits, KeyParameters.round_keys, KeyParameters.round_key_bits)
        super().__init__({name: member.flip() for name, member in signature.members.items()})

    def round_keys(self, key: int) -> list[tuple[int, int]]:
        return mock_round_keys(key, self.key_bits, self.rounds)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key_reg = Signal(self.key_bits)
        blank_reg = Signal()
        running_reg = Signal()
        round_reg = Signal(range(self.rounds + 1))
        with m.If(running_reg):
            m.d.sync += [round_reg.eq(round_reg + 1), key_reg.eq(key_reg.rotate_left(8))]
            with m.If(self.done):
                m.d.sync += [running_reg.eq(0), key_reg.eq(0)]
        with m.Elif(self.start | self.erase):
            m.d.sync += [running_reg.eq(1), blank_reg.eq(self.erase), round_reg.eq(0)]
            m.d.sync += key_reg.eq(self.key.rotate_left(8))
        with m.If(running_reg & ~blank_reg):
            m.d.comb += [self.data.eq(key_reg), self.data_dec.eq(~self.data)]
        m.d.comb += [
            self.busy.eq(running_reg),
            self.we.eq(running_reg),
            self.round.eq(round_reg),
            self.done.eq(running_reg & (round_reg == self.rounds - 1)),
        ]
        return m


class MockEngine(wiring.Component):
    """``latency`` cycles from ``enter_ack`` to ``done``; entry every ``interval`` cycles with sectors in flight.

    Set-up waits until no sector is in flight, and none enters meanwhile; without ``empty`` it runs beside them.
    """

    def __init__(
        self, p: BusParameters, *, latency: int, interval: int, rounds: int, setup_cycles: int = 7, seed: int = 1,
        empty: bool = True,
    ):
        if latency < p.beats or interval < p.beats:
            raise ValueError("latency and interval are at least the beats of a sector")
        self.p = p
        self.latency = latency
        self.interval = interval
        self.rounds = rounds
        self.empty = empty
        self.setup_cycles = max(setup_cycles, p.keys.words + 2)
        generator = random.Random(seed)
        self.orders = [generator.sample(range(p.beats), p.beats) for _ in range(p.data.lanes)]
        self.violation = Signal(len(VIOLATIONS))
        self.slot_nonzero = Signal(p.key_slots)
        super().__init__(engine_of(p))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.p
        violation_reg = Signal(len(VIOLATIONS))
        m.d.comb += self.violation.eq(violation_reg)

        def forbid(number: int, condition):
            with m.If(condition):
                m.d.sync += violation_reg[number].eq(1)

        # Keys, with the set-up.
        words = [[Signal(p.data.block_bits, name=f"word{s}_{w}") for w in range(p.keys.words)] for s in range(p.key_slots)]
        round_keys = [
            [[Signal(256, name=f"rk{s}_{k}_{r}") for r in range(self.rounds)] for k in range(p.keys.all_cipher_keys)]
            for s in range(p.key_slots)
        ]
        word, round_key, setup, made = (
            self.preparation.word, self.preparation.round_key, self.preparation.setup, self.preparation.made
        )  # fmt: skip
        enter, fill, out = self.enter, self.fill, self.out
        raw_words = p.keys.raw_words_before + p.keys.raw_words_after
        setup_we = Signal()
        setup_index = Signal.like(made.index)
        setup_word = Signal(p.data.block_bits)
        first = Array(keys[0][0] for keys in round_keys)[setup.slot]
        setup_count = Signal(range(self.setup_cycles + 1))
        setting_up = Signal()
        in_flight = Signal()
        for s in range(p.key_slots):
            m.d.comb += self.slot_nonzero[s].eq(Cat(words[s], *round_keys[s]).any())
            for w in range(p.keys.words):
                with m.If(word.we & (word.slot == s) & (word.index == w)):
                    m.d.sync += words[s][w].eq(word.data)
                with m.If(setup_we & (setup.slot == s) & (setup_index == w)):
                    m.d.sync += words[s][w].eq(setup_word)
            for k in range(p.keys.all_cipher_keys):
                for r in range(self.rounds):
                    with m.If(round_key.we & (round_key.slot == s) & (round_key.key == k) & (round_key.round == r)):
                        m.d.sync += round_keys[s][k][r].eq(Cat(round_key.data, round_key.data_dec))
        for n in range(p.keys.words - raw_words):
            with m.If(setting_up & ~setup.scrub & (setup_count == n + 1)):
                m.d.comb += [
                    setup_we.eq(1),
                    setup_index.eq(raw_words + n),
                    setup_word.eq((~first[:128]).rotate_left(8 * n)),
                ]
        # As in the engine, the word comes a cycle late; in between there is anything.
        m.d.sync += [made.we.eq(setup_we), made.index.eq(setup_index), made.data.eq(setup_word)]
        m.d.comb += [
            setting_up.eq(setup_count != 0),
            setup.done.eq(setup_count == self.setup_cycles),
        ]
        with m.If(setup.done):
            m.d.sync += setup_count.eq(0)
        with m.Elif(setting_up | (setup.request & (~in_flight if self.empty else 1))):
            m.d.sync += setup_count.eq(setup_count + 1)
        forbid(7, setting_up & ~setup.request)

        # Entry. Sectors leave in the order of entry, so what a sector needs on its way stays beside its bank.
        bank_count = -(-self.latency // self.interval) + 3
        valid = Signal(self.latency + 1)
        phase = Signal(range(max(2, self.interval)))
        bank = Signal(range(bank_count))
        done_bank = Signal.like(bank)
        next_bank = Signal.like(bank)
        in_bank = Signal(bank_count)
        slots = Array(Signal.like(enter.slot, name=f"slot{b}") for b in range(bank_count))
        tickets = Array(Signal(p.ticket_bits, name=f"ticket{b}") for b in range(bank_count))
        masks = Array(Signal(p.data.block_bits, name=f"mask{b}") for b in range(bank_count))
        written = Signal(p.beats)
        written_ahead = Signal(p.beats)
        tail_dirty = Signal()
        m.d.comb += [
            in_flight.eq(valid[1:].any()),
            self.size.idle.eq(~in_flight),
            enter.ack.eq(enter.request & (~setup.request if self.empty else 1) & (~in_flight | (phase == 0))),
            next_bank.eq(_after(bank, bank_count)),
            valid[0].eq(enter.ack),
        ]
        m.d.sync += valid[1:].eq(valid[:-1])
        m.d.sync += phase.eq(_after(phase, self.interval))
        if self.interval > 1:
            with m.If(enter.ack & ~in_flight):
                m.d.sync += phase.eq(1)
        tweak = Signal(p.data.block_bits)
        key = Signal(p.data.block_bits)
        for t in range(p.sectors.tweak_blocks):
            tweak = tweak ^ self.tweak.word_select(t, p.data.block_bits)
        with m.Switch(enter.slot):
            for s in range(p.key_slots):
                with m.Case(s):
                    total = reduce(xor, words[s], Const(0, p.data.block_bits))
                    for k, keys in enumerate(round_keys[s]):
                        edges = keys[0] ^ keys[-1]
                        total = total ^ Mux(enter.decrypt, edges[128:], edges[:128]).rotate_left(8 * k)
                    m.d.comb += key.eq(total)
        with m.If(enter.ack):
            m.d.sync += [
                bank.eq(next_bank),
                slots[bank].eq(enter.slot),
                tickets[bank].eq(enter.ticket),
                masks[bank].eq(tweak ^ key),
            ]
        for b in range(bank_count):
            with m.If(enter.ack & (bank == b)):
                m.d.sync += in_bank[b].eq(1)
            with m.Elif(self.done.valid & (done_bank == b)):
                m.d.sync += in_bank[b].eq(0)
            forbid(5, enter.ack & in_bank[b] & (tickets[b] == enter.ticket))
            for we, slot in ((word.we, word.slot), (round_key.we, round_key.slot)):
                forbid(6, we & in_bank[b] & (slots[b] == slot))
        forbid(6, (word.we & (enter.request & (enter.slot == word.slot) | setting_up)))
        forbid(6, (round_key.we & (enter.request & (enter.slot == round_key.slot) | setting_up)))

        request = Cat(enter.decrypt, enter.slot, self.tweak, enter.ticket)
        asked = Signal()
        asked_request = Signal.like(request)
        m.d.sync += [asked.eq(enter.request & ~enter.ack), asked_request.eq(request)]
        forbid(0, asked & (~enter.request | (request != asked_request)))

        # Input banks.
        forbid(1, fill.we & (fill.ahead != enter.request))
        forbid(2, fill.we & fill.ahead & (fill.beat >= FILL_AHEAD))
        beat_bit = Signal(p.beats)
        written_next = Signal(p.beats)
        ahead_next = Signal(p.beats)
        m.d.comb += [
            beat_bit.eq(fill.we << fill.beat),
            written_next.eq(written | (beat_bit & ~fill.ahead.replicate(p.beats))),
            ahead_next.eq(written_ahead | (beat_bit & fill.ahead.replicate(p.beats))),
        ]
        with m.If(enter.ack):
            forbid(3, ~written.all())
            forbid(4, tail_dirty)
            m.d.sync += [written.eq(ahead_next), written_ahead.eq(0)]
        with m.Else():
            m.d.sync += [written.eq(written_next), written_ahead.eq(ahead_next)]
        if p.beats > FILL_AHEAD:
            with m.If(fill.we & (fill.beat == p.beats - 1)):
                m.d.sync += tail_dirty.eq(fill.data[p.last_keep.bit_length() * 8 :].any())
        depth = bank_count * p.beats
        m.submodules.banks = banks = memory.Memory(shape=p.data.beat_bits, depth=depth, init=[])
        write = banks.write_port()
        bank_base = Array(Const(b * p.beats, range(depth)) for b in range(bank_count))
        fill_bank = Signal.like(bank)
        m.d.comb += fill_bank.eq(bank)
        with m.If(fill.ahead):
            m.d.comb += fill_bank.eq(next_bank)
        m.d.comb += [
            write.en.eq(fill.we),
            write.addr.eq(bank_base[fill_bank] + fill.beat),
            write.data.eq(fill.data),
        ]

        # Results: at most one sector is in the last beats of its way.
        step = Signal(range(p.beats))
        sending = Signal()
        out_bank = Signal.like(bank)
        m.d.comb += [
            sending.eq(valid[self.latency + 1 - p.beats :].any()),
            self.done.valid.eq(valid[-1]),
            self.done.ticket.eq(tickets[done_bank]),
        ]
        with m.If(sending):
            m.d.sync += step.eq(_after(step, p.beats))
            with m.If(step == p.beats - 1):
                m.d.sync += out_bank.eq(_after(out_bank, bank_count))
        with m.If(self.done.valid):
            m.d.sync += done_bank.eq(_after(done_bank, bank_count))
        for lane, order in enumerate(self.orders):
            read = banks.read_port(domain="comb")
            beat = Array(order)[step]
            index = Signal(9, name=f"index{lane}")
            m.d.comb += [
                read.addr.eq(bank_base[out_bank] + beat),
                index.eq(beat * p.data.lanes + lane),
                out.we[lane].eq(sending & (index < p.sectors.blocks)),
                out.index[lane].eq(index),
                out.ticket[lane].eq(tickets[out_bank]),
                out.data[lane].eq(
                    read.data.word_select(lane, p.data.block_bits)
                    ^ masks[out_bank]
                    ^ (index + 1)[:8].replicate(p.data.block_bytes)
                ),
            ]
        return m


def _after(counter: Signal, count: int) -> Value:
    return Mux(counter == count - 1, 0, counter + 1)


def expected_sector(
    p: BusParameters, *, words: list[int], round_keys: list[list[tuple[int, int]]], tweak: bytes, decrypt: bool, data: bytes
) -> bytes:
    """What the mock engine gives; ``words`` are the key words, ``round_keys`` those of each cipher key."""
    form = int(decrypt)
    key = reduce(xor, words, 0)
    for number, keys in enumerate(round_keys):
        key ^= rotated(keys[0][form] ^ keys[-1][form], 8 * number)
    mask = 0
    for at in range(0, p.tweak_bits // 8, p.data.block_bytes):
        mask ^= int.from_bytes(tweak[at : at + p.data.block_bytes], "little")
    out = b""
    for i in range(p.sectors.blocks):
        block = data[i * p.data.block_bytes : (i + 1) * p.data.block_bytes]
        counter = int.from_bytes(bytes([i + 1]) * p.data.block_bytes, "little")
        value = int.from_bytes(block, "little") ^ counter ^ mask ^ key
        out += value.to_bytes(p.data.block_bytes, "little")[: len(block)]
    return out
