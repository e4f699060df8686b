# SPDX-License-Identifier: Apache-2.0
"""Rounds of AES by themselves: one of a pipeline, one for several blocks, and serial ones with their key schedule."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.iterative_schedule import KeyWindow, Phase, expand, key_words, last_word, next_constant, operand_register
from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.layers import add_in_luts, inv_mix_columns
from modeloom.rtl.aes.parameters import (
    BLOCK_BITS,
    ROUNDS,
    Direction,
    check_count,
    check_key_bits,
    choose,
    columns,
    named,
    slot_shape,
)
from modeloom.rtl.aes.rounds import RoundStages, add, check_streams, hold_state, register, stream_round
from modeloom.rtl.aes.sbox import sub_bytes
from modeloom.rtl.aes.sequential import PLACES, WIDTHS, SerialPlace, serial_path
from modeloom.rtl.counter import run_batches

__all__ = ["AESMultiStream", "AESRound", "AESSerialEncrypter", "KeyRing", "KeyStore", "ShiftedKeySchedule"]

# One round of AES by itself, as in a pipeline, for measurements and comparisons.
#
#     i ──▶ SubBytes ──▶ ShiftRows ──▶ MixColumns ──(+)──▶ o        registers as in rtl.aes.rounds
#                                                    ▲
#     key, ``key_cycle`` cycles after i ─────────────┘              decrypt: the inverses

class AESRound(wiring.Component):
    """A round: SubBytes, ShiftRows, MixColumns, AddRoundKey (FIPS 197, 5.1), or one of the equivalent inverse cipher (5.3.5).

    Parameters
    ----------
    stages : int
        Registers, 0 to 4; 0 is combinational.
    direction : str
        "encrypt", "decrypt" or "both".
    sbox : str
        "lut" or "bram".  "bram" needs at least one register.
    mixcolumns : str
        "plain", or "lut6": partitioned by hand into LUTs of six inputs, together with the round key.
    last : bool
        Whether this is the last round, without MixColumns.

    Attributes
    ----------
    latency : int
        ``stages`` cycles from ``i`` to ``o``.
    interval : int
        1: one block in every cycle.
    key_cycle : int
        Cycles from a block to its round key.

    Members
    -------
    i, decrypt
        State (128 bits), and its direction with "both".
    key
        Round key, ``key_cycle`` cycles later.  A round for decryption takes it in the form for decryption.
    o
        The next state.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(
        self, stages: int = 1, direction: str = "encrypt", sbox: str = "lut", *, last: bool = False,
        mixcolumns: str = "plain",
    ):
        check_count("stages", stages, 0, 4)
        if not isinstance(last, bool):
            raise TypeError(f"last must be True or False, not {last!r}")
        self.direction = Direction.of(direction)
        self._parts = RoundStages(self.direction, max(1, stages), sbox, mixcolumns)
        if sbox == "bram" and not stages:
            raise ValueError("a block memory registers its address: sbox 'bram' needs at least one stage")
        self.stages, self.sbox, self.last = stages, sbox, last
        self._registered = stages > 0 and self._parts.registers_sums
        self.latency, self.interval = stages, 1
        self.key_cycle = stages - self._registered
        super().__init__({"i": In(BLOCK_BITS), "key": In(BLOCK_BITS), "o": Out(BLOCK_BITS), **self.direction.ports(decrypt=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()

        def later(decrypt: Value) -> Value:
            late = Signal(name="decrypt_reg", reset_less=True)
            m.d.sync += late.eq(decrypt)
            return late

        state, way = self._parts.substitute(m, self.i, self.direction.bit(self), later=later)
        state = self._parts.finish(m, state, self.key) if self.last else self._parts.mix(m, state, way, self.key)
        m.d.comb += self.o.eq(register(m, state, "o") if self._registered else state)
        return m


# -- multistream -------------------------------------------------------------------------------------------------------------------

# One round of AES for several blocks at a time (luts2017, section 3.3).  ``stream_round`` has the registers of the round:
#
#             ┌──────────────────────────────────────────────────────────┐
#             ▼                                                          │
#     i, key_first, key ──▶ state reg ──▶ S-boxes ... MixColumns ──▶ mixed
#     stage     4                1         2, 3            └──▶ waiting ──(+) key ──▶ o
#
# With s streams and n rounds, a batch of s blocks enters in the cycles 0 ... s - 1 and leaves in the cycles n s + 1 ... (n + 1) s.
# The next batch enters while the last round of this batch ends, so the input needs no additional cycles: s blocks take n s cycles.

class AESMultiStream(wiring.Component):
    """AES for 1, 2 or 4 blocks at a time with one key.  The round keys come from outside.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    streams : int
        1, 2 or 4: number of blocks in a batch, and of cycles in a round.
    direction : str
        "encrypt" (FIPS 197, 5.1), "decrypt" (5.3.5, with its form of the round keys) or "both".

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * streams + 1 cycles from a block to its result.
    interval : int
        rounds * streams: cycles from one batch to the earliest next batch.

    Members
    -------
    ready, start
        A batch begins in a cycle with both high.
    i
        The blocks of the batch (128 bits): one in this cycle, and the others in the following cycles.
    decrypt
        Direction of the batch, with its first block.  It is there only with "both".
    key_first
        The round key before the first round (of an encrypter 0, of a decrypter the last one), with each block at ``i``.
    key_index, key
        Number of the round key (0 ... rounds, as in FIPS 197) that must be at ``key`` in the next cycle. A memory with a registered
        output fits in between. In cycles in which no round ends, ``key`` is not used.
    o, valid
        Results (128 bits) in the cycles with ``valid`` high; ``o`` keeps the last one.

    Raises
    ------
    TypeError
        *key_bits* is not an integer.
    ValueError
        A parameter has none of its possible values.
    """

    def __init__(self, key_bits: int = 128, streams: int = 4, direction: str = "encrypt"):
        self.key_bits = check_key_bits(key_bits)
        self.direction, self.streams = Direction.of(direction), check_streams(streams)
        self.rounds = ROUNDS[key_bits]
        self.interval = self.rounds * streams
        self.latency = self.interval + 1
        ports: dict[str, Member] = {
            "ready": Out(1),
            "start": In(1),
            "i": In(BLOCK_BITS),
            "key_first": In(BLOCK_BITS),
            "key_index": Out(4),
            "key": In(BLOCK_BITS),
            "o": Out(BLOCK_BITS),
            "valid": Out(1),
        }
        super().__init__({**ports, **self.direction.ports(decrypt=In(1))})

    def elaborate(self, platform: object) -> Module:
        """Makes the counter of rounds and streams, the direction of each block, the number of the next round key, the round with its
        registers, and the result of the last round."""
        m = Module()
        streams, rounds = self.streams, self.rounds
        # A block is in stage 4, or enters there.
        round_reg, phase_reg, enter_reg, ending_reg, takes = run_batches(
            m, self.ready, self.start, self.valid, streams=streams, rounds=rounds
        )

        following = Signal(4)
        m.d.comb += following.eq(Mux(phase_reg[-1], round_reg + 1, Mux(enter_reg, rounds, round_reg)))
        now, decrypt_reg = self.direction.held(m, self, takes)
        ways = [now, decrypt_reg]
        for n in range(1, streams):
            ways.append(self.direction.late(m, ways[-1], f"decrypt_{n}_reg"))
        # The direction of the block that will be in stage 4.
        m.d.comb += self.key_index.eq(self.direction.choose(ways[streams - 1], following, (rounds - following)[:4]))

        next_state = Signal(128)
        # In stage 4: the block that enters, or one whose direction was known in all stages before.
        state = hold_state(m, next_state, Mux(enter_reg, now, ways[-1]), "state", self.direction)
        mixed, waiting = stream_round(m, state, ways[1:], streams=streams, direction=self.direction)
        o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
        leaving = columns(add_in_luts(m, waiting, self.key))
        m.d.comb += next_state.eq(choose(enter_reg, add(self.i, self.key_first), add(mixed, self.key)))
        for n in range(4):
            with m.If(ending_reg):
                m.d.sync += o_reg[n].eq(leaving[n])
        m.d.comb += self.o.eq(Cat(o_reg))
        return m


# -- key schedules -----------------------------------------------------------------------------------------------------------------------

# Key schedules of AES that the papers build besides those of the cores.

# Round keys that circulate in shift registers, for round cores that encrypt or decrypt.  Each key is expanded once.
#
# The ring is as long as the number of rounds.  One SRL16E holds one bit of each round key (luts2017, section 2.3, uses shift
# registers for round keys).  There is no address, and no logic except the multiplexer at the entry:
#
#               ┌───────────────────────────────────────────────┐
#               ▼                                               │
#     step ──▶ mux ──▶ shift register of n words, enable ───────┴──▶ data      round keys 1, 2, ... n, 1, ...
#     InvMix                                                                   (decrypting: n - 1, ..., 1, 0, n - 1, ...)
#                      first: round key 0 (decrypting: n), which whitens the block
#
# A decrypter needs the round keys in the reverse order of the schedule.  In the turning ring, a word that enters n - 1 cycles after
# another one is placed before it.  The schedule therefore makes a step every n - 1 cycles, and this is sufficient.

class KeyRing(wiring.Component):
    """Iterative schedule with its round keys in a ring.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    inverse : bool
        Whether to give the round keys of the equivalent inverse cipher, with the last one first.

    Attributes
    ----------
    rounds : int
        n: 10, 12 or 14.
    latency : int
        Cycles from ``start`` to the first in which ``first`` and ``data`` are right.  There are n + 1, or n * (n - 1) + 2 with
        *inverse* (92, 134, 184).
    interval : int
        The same number.  A key may come in the cycle in which the previous key is ready.  If the ring then turns in every cycle, it
        shows all round keys of the previous key while those of the new key enter.
    erase_latency : int
        n + 1 cycles from ``erase`` to the first in which nothing is left of a key.

    Members
    -------
    start, key
        Takes a key; ignored while ``busy`` is high.
    erase
        Overwrites everything with zeros.  It takes precedence over ``start`` and ends an expansion.
    busy
        High from the cycle after a request until the ring is ready.
    first
        The round key that whitens a block (128 bits).
    data
        The round key of the round.
    advance
        Turns the ring to the next round.  After the last round comes the first.  For N streams, it is high in every N-th cycle.
        Ignored while ``busy`` is high.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, *, inverse: bool = False):
        self.key_bits = check_key_bits(key_bits)
        if not isinstance(inverse, bool):
            raise TypeError(f"inverse must be True or False, not {inverse!r}")
        self.inverse = inverse
        self.rounds = n = ROUNDS[key_bits]
        self.latency = self.interval = n * (n - 1) + 2 if inverse else n + 1
        self.erase_latency = n + 1
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(key_bits),
            "busy": Out(1),
            "first": Out(BLOCK_BITS),
            "data": Out(BLOCK_BITS),
            "advance": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        """Makes the window that computes a round key in each cycle, the round key with which blocks begin, and the ring of the others."""
        m = Module()
        n = self.rounds
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(4)  # the round key in the window
        wait_reg = Signal(range(n))
        load = Signal()
        step = Signal()
        done = Signal()
        m.d.comb += [load.eq(self.start & ~busy_reg & ~self.erase), self.busy.eq(busy_reg)]
        clear = self.erase | done
        window = KeyWindow(m, (self.key_bits,), load=load, key=self.key, size=Signal(2, name="key_size"), step=step, clear=clear)
        m.d.comb += step.eq(busy_reg & ~erasing_reg & ((wait_reg == 0) if self.inverse else 1))
        with m.If(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1), round_reg.eq(0), wait_reg.eq(0)]
        with m.Elif(load):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(0), round_reg.eq(0), wait_reg.eq(0)]
        with m.Elif(done):
            m.d.sync += [busy_reg.eq(0), erasing_reg.eq(0)]
        with m.Elif(busy_reg):
            if self.inverse:
                m.d.sync += wait_reg.eq(Mux((wait_reg == n - 2) | erasing_reg, 0, wait_reg + 1))
            with m.If(step | erasing_reg):
                m.d.sync += round_reg.eq(round_reg + 1)

        first_reg = Signal(BLOCK_BITS)
        enters = Signal()
        entering: Value
        if self.inverse:
            # Round key r enters in the cycle of the step to r + 1.  The last one has no step, and goes to the place where blocks
            # begin.
            mixed = named(m, "mixed", inv_mix_columns(m, window.round_key))
            entering = Cat(Mux(round_reg == 0, a, b) for a, b in zip(columns(window.round_key), columns(mixed), strict=True))
            last = round_reg == n
            m.d.comb += enters.eq((step & ~last) | erasing_reg)
            take_first, first = step & last, window.round_key
            # The ring continues until round key n - 1, which entered n - 1 cycles before, is at its end.
            m.d.comb += done.eq(Mux(erasing_reg, round_reg == n - 1, step & last))
        else:
            entering = window.next_key
            m.d.comb += enters.eq(busy_reg)
            take_first, first = load, self.key[:BLOCK_BITS]
            m.d.comb += done.eq(busy_reg & (round_reg == n - 1))
        with m.If(self.erase):
            m.d.sync += first_reg.eq(0)
        with m.Elif(take_first):
            m.d.sync += first_reg.eq(first)

        turns = Signal()
        m.d.comb += turns.eq(busy_reg | self.advance)
        ring = [Signal(BLOCK_BITS, name=f"ring_{k}_reg", reset_less=True) for k in range(n)]
        entry = Cat(Mux(enters, Mux(erasing_reg, 0, new), old) for new, old in zip(columns(entering), columns(ring[-1]), strict=True))
        with m.If(turns):
            m.d.sync += [reg.eq(value) for reg, value in zip(ring, [entry, *ring], strict=False)]
        m.d.comb += [self.first.eq(first_reg), self.data.eq(ring[-1])]
        return m


# -- key store ---------------------------------------------------------------------------------------------------------------------

# The offline AES key schedule with a memory for its round keys.  Several keys are expanded in advance, and can be read in any order.
#
#     start, erase, slot, key ──▶ KeySchedule ──▶ write ──▶ memory: round key r of slot s at word 16 s + r
#                                                             │
#                                 read_slot, read_round ──────┴──▶ data, a cycle later

class KeyStore(wiring.Component):
    """``KeySchedule`` with a memory (in LUTs) for the round keys of several slots.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Key slots, at least 1.
    inverse : bool
        Whether the round keys are those of the equivalent inverse cipher.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        4 * rounds + 3 cycles from ``start`` to the first in which ``data`` may show any of the round keys.
    interval : int
        The same number of cycles from one start to the earliest next start.
    read_latency : int
        1: ``data`` shows the round key that was requested in the previous cycle.
    erase_latency : int
        rounds + 3 cycles from ``erase`` to the first in which neither the memory nor any register holds a part of the slot's keys.

    Members
    -------
    start, slot, key
        Expands ``key`` into a slot.  It is ignored while ``busy`` is high.
    erase
        Overwrites a slot with zeros.  It takes precedence over ``start``, and is ignored while ``busy`` is high.
    busy, done
        As those of ``KeySchedule``.
    read_slot, read_round, data
        A round key (128 bits).  A slot that is being written shows old or new round keys.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, slots: int = 1, *, inverse: bool = False):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        if not isinstance(inverse, bool):
            raise TypeError(f"inverse must be True or False, not {inverse!r}")
        self.inverse = inverse
        self.rounds = ROUNDS[key_bits]
        self.latency = self.interval = 4 * self.rounds + 3
        self.read_latency = 1
        # The last word is written in cycle rounds + 1.  A read in this cycle shows the old word, and later reads do not.
        self.erase_latency = self.rounds + 3
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "slot": In(slot_shape(slots)),
            "key": In(key_bits),
            "busy": Out(1),
            "done": Out(1),
            "read_slot": In(slot_shape(slots)),
            "read_round": In(4),
            "data": Out(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = KeySchedule(self.key_bits)
        m.submodules.keys = keys = memory.Memory(shape=BLOCK_BITS, depth=16 * self.slots, init=[], attrs={"ram_style": "distributed"})
        slot_reg = Signal(slot_shape(self.slots))
        with m.If(~schedule.busy):
            m.d.sync += slot_reg.eq(self.slot)
        write_port = keys.write_port()
        read_port = keys.read_port()
        bits = (self.slots - 1).bit_length()
        m.d.comb += [
            schedule.start.eq(self.start),
            schedule.erase.eq(self.erase),
            schedule.key.eq(self.key),
            self.busy.eq(schedule.busy),
            self.done.eq(schedule.done),
            write_port.en.eq(schedule.we),
            write_port.addr.eq(Cat(schedule.round, slot_reg[:bits])),
            write_port.data.eq(schedule.data_dec if self.inverse else schedule.data),
            read_port.addr.eq(Cat(self.read_round, self.read_slot[:bits])),
            self.data.eq(read_port.data),
        ]
        return m


# -- shifted schedule --------------------------------------------------------------------------------------------------------------

# The AES key schedule of a round core for several streams: one step with a shift register around it (luts2017, section 2.3).
#
# A round core with N registers in its round has N streams of blocks.  In each cycle, another stream adds its round key.  The schedule takes
# one stage, and its result is shifted for the other N - 1 cycles.  This gives one loop of N registers, in which each stream has its place:
#
#                ┌──────────────────────────────────────────────────────┐
#                ▼                                                      │
#     start ──▶ mux ──▶ shift register, N - 1 ──▶ S-boxes, XOR ──▶ reg ─┴──▶ data
#     key ───────▲
#
#     cycle      t            ...              t + N - 1           t + N            t + 2 N
#                key                           its step            round key 1      round key 2 ...
#
# The round constant and the phase of the schedule also travel in the loop.  There is no counter, no address and no control logic.  Streams
# can start at any time, each with its own key.  On Xilinx devices, the shift register takes one SRL16E for each bit (from N = 4 on; shorter
# ones are flip-flops).  On ECP5, it takes flip-flops.

class ShiftedKeySchedule(wiring.Component):
    """Computes round keys on the fly for a round core with *streams* blocks in its round.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    streams : int
        1 to 32: blocks in the round, which is the number of its registers.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        *streams*: ``data`` shows round key r of a key *streams* * r cycles after its start, for r = 1 ... rounds.  Round key 0 is the
        first 128 bits of the key.
    interval : int
        rounds * *streams* cycles, the same as for a block.  A stream can start again in the cycle that shows its last round key.
    erase_latency : int
        *streams* + 1 cycles: after *streams* cycles of ``erase`` and one more, no register depends on a key.

    Members
    -------
    start, key
        The stream whose turn it is takes a key.
    data
        A round key (128 bits).  It comes from registers, except for one stream, where it comes from the step.
    erase
        The current stream takes a key of zeros.  Hold it for ``streams`` cycles.

    Raises
    ------
    TypeError
        A parameter is not an integer.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, streams: int = 1):
        self.key_bits = check_key_bits(key_bits)
        self.streams = check_count("streams", streams, 1, 32)
        self.rounds = ROUNDS[key_bits]
        self.latency = streams
        self.interval = self.rounds * streams
        self.erase_latency = streams + 1
        super().__init__({"start": In(1), "key": In(key_bits), "erase": In(1), "data": Out(BLOCK_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sizes = (self.key_bits,)
        words = key_words(sizes)
        own_operand = operand_register(sizes)
        # Window, operand, round constant, and the bits of the phase for the key size.
        widths = [32] * words + [32] * own_operand + [8] + [1] * {128: 0, 192: 2, 256: 1}[self.key_bits]

        def registers(name: str) -> list[Value]:
            return [Signal(width, name=f"{name}_{n}_reg", reset_less=True) for n, width in enumerate(widths)]

        first = [
            *columns(self.key), *([last_word(self.key, sizes, Signal(2, name="key_size"))] if own_operand else []), Value.cast(1),
            *([0] * {128: 0, 192: 2, 256: 1}[self.key_bits]),
        ]  # fmt: skip
        loop = registers("loop")
        # Zeros enter like a key, because registers with a reset cannot become a shift register in LUTs.
        taken = self.start | self.erase
        words_first = [Mux(self.erase, 0, word) for word in first[:words]]
        entering = [
            named(m, "taken_word", Mux(taken, new, old)[: len(old)]) for new, old in zip([*words_first, *first[words:]], loop, strict=True)
        ]
        shifted = entering
        for n in range(max(1, self.streams - 1)):
            regs = registers(f"shifted_{n}")
            m.d.sync += [reg.eq(value) for reg, value in zip(regs, shifted, strict=True)]
            shifted = regs
        made = self._step(m, shifted, words, own_operand)
        if self.streams == 1:
            m.d.comb += [reg.eq(value) for reg, value in zip(loop, made, strict=True)]
        else:
            m.d.sync += [reg.eq(value) for reg, value in zip(loop, made, strict=True)]
        m.d.comb += self.data.eq(Cat(loop[:4]))
        return m

    def _step(self, m: Module, values: list[Value], words: int, own_operand: bool) -> list[Value]:
        """The values that follow *values* in the loop."""
        window, rest = values[:words], values[words:]
        operand = rest.pop(0) if own_operand else window[-1]
        rcon, *flags = rest
        substituted = sub_bytes(m, operand)
        if self.key_bits == 192:
            linear, middle = flags
            now, used = Phase(linear=linear, middle=middle), ~linear | middle
            flags = [~linear | middle, ~linear]
        elif self.key_bits == 256:
            now, used = Phase(plain=flags[0]), ~flags[0]
            flags = [~flags[0]]
        else:
            now, used = Phase(), None
        doubled = next_constant(rcon)
        made = expand(m, window, substituted, rcon, now, sizes=(self.key_bits,), is_192=self.key_bits == 192, is_256=self.key_bits == 256)
        following = doubled if used is None else Mux(used, doubled, rcon)
        return [*made.window, *([made.operand] if own_operand else []), following, *flags]


# -- serial --------------------------------------------------------------------------------------------------------------------------

# The S-boxes are free in place 4 of a round (``rtl.aes.sequential``).  There they give the first word of the next round key, while its
# other words are made as they are used.  A word is in the window when it is used, and has moved on when the word below it is made::
#
#     32 bits      k_0 ◀── k_1 ◀── k_2 ◀── k_3          a step in places 1 to 4; the sum takes the newest word
#     8 bits       b_0 ◀── ... ◀── b_12 ◀── ... b_15    a step in each cycle of places 1 to 4; the sum takes b_12

class AESSerialEncrypter(wiring.Component):
    """AES-128 (FIPS 197, 5.1 and 5.2) with a data path of 32 or 8 bits, which makes its round keys on the fly with the same S-boxes.

    Parameters
    ----------
    bits : int
        32 or 8, the width of the data path and of the ports.

    Attributes
    ----------
    rounds : int
        10.
    latency : int
        52 cycles with 32 bits, 205 with 8 bits, from ``start`` to the first part of the result.
    interval : int
        55 or 220 cycles from a start to the earliest next one.
    lead : int
        Cycles from ``start`` to the first part of the block: 0 with 32 bits, 3 with 8 bits.

    Members
    -------
    start
        High in the cycle of the first part of the key.  A start less than ``interval`` cycles after the one before is ignored.
    key
        The cipher key (*bits*), from byte 0 on, in the cycle of ``start`` and those after it.
    i
        The block (*bits*), from byte 0 on, ``lead`` cycles later than the key.
    o
        The result (*bits*), from byte 0 on, in successive cycles.

    Raises
    ------
    ValueError
        *bits* is neither 32 nor 8.
    """

    def __init__(self, bits: int = 32):
        if bits not in WIDTHS:
            raise ValueError(f"bits must be 32 or 8, not {bits}")
        self.bits, self.direction, self.rounds = bits, Direction.of("encrypt"), ROUNDS[128]
        cycles = 32 // bits
        self.interval = PLACES * cycles * (self.rounds + 1)
        # The block has no place 0 in round 0, and the result begins in place 1 of the last round.
        self.lead = cycles - 1
        self.latency = PLACES * cycles * self.rounds + cycles + 1
        super().__init__({"start": In(1), "key": In(bits), "i": In(bits), "o": Out(bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        serial = self.bits == 8
        # A core without a block waits in place 4.
        place_reg, row_reg, loading_reg, odd_reg = Signal(3, init=4), Signal(2), Signal(init=1), Signal()
        constant_reg = Signal(8, init=1)
        first, last, column_ends, goes = Signal(), Signal(), Signal(), Signal()
        begins = row_reg == 0 if serial else Const(1, 1)
        m.d.comb += [
            # The constants of the rounds count them: 01 in round 0, and 6c, the only one with these two bits, in round 10.
            first.eq(constant_reg[0] & ~constant_reg[1]), last.eq(constant_reg[5] & constant_reg[6]),
            column_ends.eq(row_reg == 3 if serial else 1), goes.eq(~(loading_reg & place_reg[2] & begins) | self.start),
        ]
        if serial:
            with m.If(goes):
                m.d.sync += row_reg.eq(row_reg + 1)
        with m.If(goes & column_ends):
            m.d.sync += place_reg.eq(place_reg + 1)
            with m.If(place_reg[2]):
                m.d.sync += place_reg.eq(loading_reg)
                with m.If(~loading_reg):
                    m.d.sync += [constant_reg.eq(next_constant(constant_reg)), odd_reg.eq(~odd_reg)]
                with m.If(last):
                    m.d.sync += [place_reg.eq(4), loading_reg.eq(1), constant_reg.eq(1), odd_reg.eq(0)]
            with m.If(place_reg == 3):
                m.d.sync += loading_reg.eq(0)

        i_reg = Signal(self.bits)
        m.d.sync += i_reg.eq(self.i)
        with m.If(~first):
            m.d.sync += i_reg.eq(0)
        window = [Signal(self.bits, name=f"key_{n}_reg") for n in range(128 // self.bits)]
        if serial:
            used, word = window[3], Mux(column_ends, window[6], window[2])
        else:
            used, word = window[0], window[0].rotate_right(8)
        at = SerialPlace(place_reg, row_reg, odd_reg, first, last)
        result, substituted = serial_path(
            m, self.bits, self.direction, Const(0, 1), at, named(m, "addend", used ^ i_reg), Const(1, 1), word
        )
        m.d.comb += self.o.eq(result[-self.bits :])
        constant = Mux(begins & place_reg[2], constant_reg, 0)
        changed = Mux(place_reg[2], substituted, used)
        with m.If(place_reg != 0):
            m.d.sync += [after.eq(before) for before, after in zip(window, window[1:], strict=False)]
            m.d.sync += window[0].eq(Mux(loading_reg, self.key, window[-1] ^ constant ^ changed))
        return m
