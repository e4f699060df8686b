# SPDX-License-Identifier: Apache-2.0
"""The AES key schedule (FIPS 197, 5.2), one word of 32 bits per cycle, in the forms for the cipher and for the inverse cipher.

Byte 0 of the key is bits [7:0]. Word j of the key is bits [32j + 31 : 32j], with its byte 0 at [7:0]. A shift register of Nk + 1 words
(Nk is 4, 6 or 8) holds w_{i-1} ... w_{i+Nk-1} in cycle 1 + i after the start::

      w_{i-1}     w_i      w_{i+1}   w_{i+2}   w_{i+3}         w_{i+Nk-1}
    ┌────────┐  ┌─────┐   ┌─────┐   ┌─────┐   ┌─────┐         ┌──────┐
    │  last  │◀─│  0  │◀──│  1  │◀──│  2  │◀──│  3  │◀─ ... ──│ Nk-1 │◀── w_{i+Nk} = w_i ^ f(w_{i+Nk-1})
    └────────┘  └─────┘   └─────┘   └─────┘   └─────┘         └──────┘
    └── round key (i - 1) / 4, when i mod 4 = 1 ──┘
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from amaranth.hdl import Array, Cat, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.layers import inv_mix_columns
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_key_bits, columns, slot_shape
from modeloom.rtl.aes.sbox import sub_bytes

__all__ = ["BLOCK_MEMORY", "KeySchedule", "LUT_MEMORY", "SizesKeySchedule", "read_round_key", "read_word", "slotted_ports"]

# -- round keys ------------------------------------------------------------------------------------------------------------------------

# The storage of round keys in a pipeline: for each round, one word of 128 bits for each key slot.
#
# Byte 0 of a round key is bits [7:0]. Byte r + 4c is added to row r, column c of the state.

LUT_MEMORY: dict[str, str | int] = {"ram_style": "distributed"}
BLOCK_MEMORY: dict[str, str | int] = {"ram_style": "block", "no_rw_check": 1}
"""Attributes of memories.  The keys of a slot rest while it is read: Yosys needs no multiplexer behind a port for the old word."""


def slotted_ports(slots: int, numbers: ShapeLike, key_bits: int = BLOCK_BITS, **inputs: Member) -> dict[str, Member]:
    """The ports of a core with the round keys of several slots: block, slot and more inputs, result, and writes of round keys."""
    return {
        "i": In(BLOCK_BITS), "slot": In(slot_shape(slots)), **inputs, "o": Out(BLOCK_BITS), "key_we": In(1),
        "key_slot": In(slot_shape(slots)), "key_round": In(numbers), "key_data": In(key_bits),
    }  # fmt: skip


def read_word(
    m: Module, name: str, depth: int, write: Value, write_at: Value, data: Value, read_at: Value, *, domain: str = "comb",
    block: bool = False,
) -> Value:  # fmt: skip
    """A word of a memory of *depth* words that is added to *m*, read in the same cycle, or a cycle later with the domain "sync".

    *write* writes *data* to the address *write_at*.  With *block*, it is a block memory and not one in LUTs.
    """
    m.submodules[name] = words = memory.Memory(shape=len(data), depth=depth, init=[], attrs=BLOCK_MEMORY if block else LUT_MEMORY)
    write_port, read_port = words.write_port(), words.read_port(domain=domain)
    m.d.comb += [write_port.addr.eq(write_at), write_port.data.eq(data), write_port.en.eq(write), read_port.addr.eq(read_at)]
    return read_port.data


class Travel(Protocol):
    """A value that travels with a block, by the number of cycles since the block has entered."""

    def __getitem__(self, cycle: int, /) -> Value: ...


def read_round_key(
    m: Module, write: Value, write_slot: Value, data: Value, *, slots: int, travel: Travel, cycle: int, index: int | str,
    block: bool = False,
) -> Value:  # fmt: skip
    """The round key that a block uses *cycle* cycles after it has entered.

    With one slot, it is a register. With several slots, it is a memory in LUTs. A key for cycle 0 is read asynchronously. A later key is
    read into a register one cycle ahead, so the logic of a round contains no memory.
    A block memory is read one cycle ahead, too. Its output is slow and needs a register behind it.

    Parameters
    ----------
    m : Module
        Receives the storage.
    write, write_slot, data
        Writes *data* to *write_slot*. A block that enters in a later cycle uses the new key.
    slots : int
        Key slots.
    travel : Travel
        ``travel[n]`` is the slot of the block that entered n cycles ago, for n up to max(0, *cycle* - 1).
    cycle : int
        Cycle of use, 0 for the cycle of entry.
    index : int or str
        Number of the round key, for names.
    block : bool
        Puts the keys into a block memory, for a *cycle* of 1 or more.
    """
    if slots == 1:
        key_reg = Signal(len(data), name=f"key_{index}_reg", reset_less=True)
        with m.If(write):
            m.d.sync += key_reg.eq(data)
        return key_reg
    m.submodules[f"key_{index}"] = keys = memory.Memory(shape=len(data), depth=slots, init=[], attrs=BLOCK_MEMORY if block else LUT_MEMORY)
    write_port = keys.write_port()
    read_port = keys.read_port(domain="sync" if cycle else "comb")
    m.d.comb += [write_port.addr.eq(write_slot), write_port.data.eq(data), write_port.en.eq(write)]
    m.d.comb += read_port.addr.eq(travel[max(0, cycle - 1)])
    return read_port.data


# -- key schedule ----------------------------------------------------------------------------------------------------------------------


class KeySchedule(wiring.Component):
    """Expands a cipher key into a stream of round-key writes, or writes zeros over all round keys.

    The stream goes to the ``key_*`` ports of ``AESPipeline`` and ``AESSequential``: ``data`` to encrypters, and ``data_dec`` to decrypters.
    The logic that starts the schedule knows the slot. InvMixColumns of the round keys is computed only here, because it is one column per
    cycle here and would be four in a decrypter.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.

    Attributes
    ----------
    rounds : int
        10, 12 or 14. The round keys are 0 ... rounds.
    latency : int
        4 * rounds + 2 cycles (42, 50, 58) from ``start`` to the last write; round key r is written 4 * r + 2 cycles
        after ``start``.
    interval : int
        latency + 1 cycles from one start to the earliest next start.
    erase_latency : int
        rounds + 1 cycles (11, 13, 15) from ``erase`` to the last write, with one write per cycle.

    Members
    -------
    start, key
        Expands ``key``, which is read only in this cycle.
    erase
        Writes zeros to all rounds, in both forms. It takes precedence over ``start`` in the same cycle.
    we, round, data, data_dec
        A write: number of the round key, and its 128 bits in the form for the cipher and in the form for the equivalent inverse cipher
        (FIPS 197, 5.3.5: InvMixColumns of all except the first and the last).
    busy
        High from the cycle after a request to its last write, which ``done`` marks. Meanwhile, requests are ignored. The next request is
        accepted in the cycle after ``done``.
    done
        High in the cycle of the last write.

    The component keeps no part of a key after ``done`` or a reset.

    Raises
    ------
    TypeError
        *key_bits* is not an integer.
    ValueError
        *key_bits* is not an AES key length.
    """

    def __init__(self, key_bits: int = 128):
        self.key_bits = check_key_bits(key_bits)
        self.rounds = ROUNDS[key_bits]
        self.latency = 4 * self.rounds + 2
        self.interval = self.latency + 1
        self.erase_latency = self.rounds + 1
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(key_bits),
            "we": Out(1),
            "round": Out(4),
            "data": Out(BLOCK_BITS),
            "data_dec": Out(BLOCK_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words = self.key_bits // 32
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(words)]
        last_word_reg = Signal(32)
        mixed_reg = [Signal(32, name=f"mixed_{n}_reg") for n in range(4)]
        expanding_reg = Signal()
        erasing_reg = Signal()
        # The first word is w_i with i = 4 * round_reg + phase_reg.
        round_reg = Signal(4)
        phase_reg = Signal(2)
        position_reg = Signal(range(words))
        rcon_reg = Signal(8)
        # The cycle of the last write is known a cycle ahead.  It clears all registers.
        done_reg = Signal()
        m.d.comb += [
            self.round.eq(round_reg),
            self.busy.eq(expanding_reg | erasing_reg),
            self.we.eq(self.busy & (phase_reg == 1)),
            self.done.eq(done_reg),
        ]

        # The round key leaves one word late, so InvMixColumns has a whole cycle.
        plain = [last_word_reg, *word_reg[:3]]
        edge = Signal()
        m.d.comb += [
            edge.eq((round_reg == 0) | (round_reg == self.rounds)),
            self.data.eq(Cat(plain)),
            self.data_dec.eq(Cat(Mux(edge, *pair) for pair in zip(plain, mixed_reg, strict=True))),
        ]

        new_word = word_reg[0] ^ self._function(m, word_reg[-1], position_reg, rcon_reg)
        mixed = inv_mix_columns(m, word_reg[3])
        with m.If(self.done):
            # From here on, the registers hold zeros: nothing of the key remains, and an erasure writes these zeros.
            m.d.sync += [reg.eq(0) for reg in (*word_reg, last_word_reg, *mixed_reg)]
            m.d.sync += [reg.eq(0) for reg in (expanding_reg, erasing_reg, round_reg, phase_reg, done_reg)]
        with m.Elif(expanding_reg):
            shifted = zip([last_word_reg, *word_reg], [*word_reg, new_word], strict=True)
            m.d.sync += [reg.eq(word) for reg, word in shifted]
            shifted = zip(mixed_reg, [*mixed_reg[1:], mixed], strict=True)
            m.d.sync += [reg.eq(word) for reg, word in shifted]
            m.d.sync += phase_reg.eq(phase_reg + 1)
            with m.If(phase_reg == 3):
                m.d.sync += round_reg.eq(round_reg + 1)
            m.d.sync += done_reg.eq((phase_reg == 0) & (round_reg == self.rounds))
            m.d.sync += position_reg.eq(Mux(position_reg == words - 1, 0, position_reg + 1))
            with m.If(position_reg == 0):
                m.d.sync += rcon_reg.eq(rcon_reg.rotate_left(1) ^ Mux(rcon_reg[7], 0x1A, 0))
        with m.Elif(erasing_reg):
            m.d.sync += [round_reg.eq(round_reg + 1), done_reg.eq(round_reg == self.rounds - 1)]
        with m.Else():
            m.d.sync += [position_reg.eq(0), rcon_reg.eq(1)]
            with m.If(self.erase):
                m.d.sync += [erasing_reg.eq(1), phase_reg.eq(1)]
            with m.Elif(self.start):
                m.d.sync += expanding_reg.eq(1)
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, columns(self.key), strict=True)]
        return m

    def _function(self, m: Module, word: Signal, position: Signal, rcon: Signal) -> Value:
        # RotWord comes after the S-boxes, with which it commutes.  The S-boxes then need no multiplexer before them.
        substituted = sub_bytes(m, word)
        result = Signal(32)
        m.d.comb += result.eq(word)
        with m.If(position == 0):
            m.d.comb += result.eq(substituted.rotate_right(8) ^ rcon)
        if self.key_bits == 256:
            with m.Elif(position == 4):
                m.d.comb += result.eq(substituted)
        return result


# -- sizes schedule ----------------------------------------------------------------------------------------------------------------

# The AES key schedule (FIPS 197, 5.2) for keys of several sizes, one word of 32 bits per cycle, in both forms.
#
# Byte 0 of the key is bits [7:0]; word j of the key is bits [32j + 31 : 32j], byte 0 of a word at [7:0].  The shift register of
# ``key_schedule`` has an entry for each size, so that w_i leaves it at the same place.  This is the cycle 1 + i after the start:
#
#       w_{i-1}     w_i                            w_{i+Nk} = w_i ^ f(w_{i+Nk-1})
#     ┌────────┐  ┌─────┐   ┌───┐   ┌───┐   ┌───┐   ┌───┐   ┌───┐   ┌───┐   ┌───┐
#     │  last  │◀─│  0  │◀──│ 1 │◀──│ 2 │◀──│ 3 │◀┬─│ 4 │◀──│ 5 │◀┬─│ 6 │◀──│ 7 │◀┐
#     └────────┘  └─────┘   └───┘   └───┘   └───┘ │ └───┘   └───┘ │ └───┘   └───┘ │
#                                             128 bits        192 bits        256 bits
#
# The word that goes through the S-boxes has a register of its own, which gets each new word: no multiplexer stands before them.

class SizesKeySchedule(wiring.Component):
    """Expands cipher keys of several sizes into a stream of round-key writes, or writes zeros over all round keys.

    The ports are those of ``KeySchedule``, with ``length`` beside them.  For three sizes it has 723 LUTs on xc7 and 1614 on ECP5; a
    ``KeySchedule`` for each of them, 1849 and 3646; one for 256 bits alone, 643 and 1193.

    Parameters
    ----------
    sizes : sequence of int
        Two or three of 128, 192 and 256.

    Attributes
    ----------
    rounds : int
        12 or 14, of the longest key.
    latencies : dict
        Key size to cycles from ``start`` to the last write, 42, 50 or 58; round key r is written 4 * r + 2 cycles after ``start``.
    latency : int
        The longest of them.
    interval : int
        latency + 1.
    erase_latency : int
        rounds + 1 cycles (13, 15) from ``erase`` to the last write, one write a cycle.

    Members
    -------
    length
        The size of the key, a place in ``sizes``, from ``start`` to ``done``.  Of no meaning to ``erase``.
    start, key
        Expands ``key``, which is read in this cycle only; shorter keys are in the lower bits.
    erase
        Writes zeros to all rounds of the longest key, in both forms.  Goes before ``start`` in the same cycle.
    we, round, data, data_dec, busy, done
        Those of ``KeySchedule``.

    The component keeps no part of a key after ``done`` or a reset.

    Raises
    ------
    TypeError
        A size is not an integer.
    ValueError
        There are not two or three AES key lengths, all different.
    """

    def __init__(self, sizes: Sequence[int]):
        self.sizes = tuple(check_key_bits(bits) for bits in sizes)
        if len(set(self.sizes)) != len(self.sizes) or len(self.sizes) < 2:
            raise ValueError(f"sizes must be two or three different key sizes, not {', '.join(map(str, self.sizes))}")
        self.rounds = max(ROUNDS[bits] for bits in self.sizes)
        self.latencies = {bits: 4 * ROUNDS[bits] + 2 for bits in self.sizes}
        self.latency = max(self.latencies.values())
        self.interval = self.latency + 1
        self.erase_latency = self.rounds + 1
        super().__init__({
            "length": In(range(len(self.sizes))),
            "start": In(1),
            "erase": In(1),
            "key": In(max(self.sizes)),
            "we": Out(1),
            "round": Out(4),
            "data": Out(BLOCK_BITS),
            "data_dec": Out(BLOCK_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        """Makes the window of words with its counters, the round keys that leave it in both forms, the next word, and the steps of an
        expansion or an erasure.

        The window moves a word in each cycle.  Behind a shorter key it is shorter: its last word enters in a place before the end.
        """
        m = Module()
        words = max(self.sizes) // 32
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(words)]
        operand_reg = Signal(32)
        last_word_reg = Signal(32)
        mixed_reg = [Signal(32, name=f"mixed_{n}_reg") for n in range(4)]
        expanding_reg = Signal()
        erasing_reg = Signal()
        # The word in front is w_i with i = 4 * round_reg + phase_reg.
        round_reg = Signal(4)
        phase_reg = Signal(2)
        position_reg = Signal(range(words))
        rcon_reg = Signal(8)
        # The cycle of the last write, known a cycle ahead: it clears all registers.
        done_reg = Signal()
        size = {bits: Signal(name=f"is_{bits}") for bits in self.sizes}
        rounds = Signal(4)
        last_position = Signal(range(words))
        m.d.comb += [
            *(flag.eq(self.length == n) for n, flag in enumerate(size.values())),
            rounds.eq(Array(ROUNDS[bits] for bits in self.sizes)[self.length]),
            last_position.eq(Array(bits // 32 - 1 for bits in self.sizes)[self.length]),
            self.round.eq(round_reg),
            self.busy.eq(expanding_reg | erasing_reg),
            self.we.eq(self.busy & (phase_reg == 1)),
            self.done.eq(done_reg),
        ]

        # The round key leaves one word late: InvMixColumns then has a cycle of its own.
        plain = [last_word_reg, *word_reg[:3]]
        edge = Signal()
        m.d.comb += [
            edge.eq((round_reg == 0) | (round_reg == rounds)),
            self.data.eq(Cat(plain)),
            self.data_dec.eq(Cat(Mux(edge, *pair) for pair in zip(plain, mixed_reg, strict=True))),
        ]

        new_word = Signal(32)
        m.d.comb += new_word.eq(word_reg[0] ^ self._function(m, operand_reg, position_reg, rcon_reg, size.get(256)))
        mixed = inv_mix_columns(m, word_reg[3])
        following: list[Value] = [*word_reg[1:], new_word]
        for bits, flag in size.items():
            end = bits // 32 - 1
            if end < words - 1:
                following[end] = Mux(flag, new_word, following[end])
        key = columns(self.key)
        with m.If(self.done):
            # From here on the registers hold zeros: no trace of the key, and the words that an erasure writes.
            m.d.sync += [reg.eq(0) for reg in (*word_reg, operand_reg, last_word_reg, *mixed_reg)]
            m.d.sync += [reg.eq(0) for reg in (expanding_reg, erasing_reg, round_reg, phase_reg, done_reg)]
        with m.Elif(expanding_reg):
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, following, strict=True)]
            m.d.sync += [last_word_reg.eq(word_reg[0]), operand_reg.eq(new_word)]
            shifted = zip(mixed_reg, [*mixed_reg[1:], mixed], strict=True)
            m.d.sync += [reg.eq(word) for reg, word in shifted]
            m.d.sync += phase_reg.eq(phase_reg + 1)
            with m.If(phase_reg == 3):
                m.d.sync += round_reg.eq(round_reg + 1)
            m.d.sync += done_reg.eq((phase_reg == 0) & (round_reg == rounds))
            m.d.sync += position_reg.eq(Mux(position_reg == last_position, 0, position_reg + 1))
            with m.If(position_reg == 0):
                m.d.sync += rcon_reg.eq(rcon_reg.rotate_left(1) ^ Mux(rcon_reg[7], 0x1A, 0))
        with m.Elif(erasing_reg):
            m.d.sync += [round_reg.eq(round_reg + 1), done_reg.eq(round_reg == self.rounds - 1)]
        with m.Else():
            m.d.sync += [position_reg.eq(0), rcon_reg.eq(1)]
            with m.If(self.erase):
                m.d.sync += [erasing_reg.eq(1), phase_reg.eq(1)]
            with m.Elif(self.start):
                m.d.sync += expanding_reg.eq(1)
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, key, strict=True)]
                m.d.sync += operand_reg.eq(Array(key[bits // 32 - 1] for bits in self.sizes)[self.length])
        return m

    @staticmethod
    def _function(m: Module, word: Signal, position: Signal, rcon: Signal, is_256: Signal | None) -> Value:
        # RotWord behind the S-boxes, with which it commutes: no multiplexer before them.
        substituted = sub_bytes(m, word)
        result = Signal(32)
        m.d.comb += result.eq(word)
        with m.If(position == 0):
            m.d.comb += result.eq(substituted.rotate_right(8) ^ rcon)
        if is_256 is not None:
            with m.Elif((position == 4) & is_256):
                m.d.comb += result.eq(substituted)
        return result
