# SPDX-License-Identifier: Apache-2.0
"""AES with one round core for several blocks of any key slots: a batch enters block by block, and goes round the loop together.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state.  With N streams and n rounds, N stages form a
loop (``stream_round`` has their registers)::

    i (+) key 0 ──▶ [places of the batch] ──┐
                                            ▼
                    ┌──▶ state reg ──▶ stages 1 to N - 1 ──┬──▶ MixColumns (+) key r ──┐
                    │                                      └──▶ without ── (+) key n ──┼──▶ reg ──▶ o
                    └──────────────────────────────────────────────────────────────────┘

    cycle      0      2 ... N + 1     N + 2 ...   n N + 1     n N + 2 ... n N + N + 1
    batch      high
    i                 blocks                                  blocks of the next batch
    stage N           round key 0     keys 1 to n - 1         round key n of one batch, key 0 of the next
    o                                                         after a cycle: results

Each block brings its slot and its direction, which go round a ring beside it.  The round keys of all slots are in one memory, which is read
once a cycle.  Round key 0 has a memory of its own, since the blocks that enter need it while those that leave need key n.

With keys of several sizes, every batch takes the rounds of the longest key.  A block of a shorter key waits behind the sum with key 0, and
enters the loop as many rounds later as it has fewer.  So no cycle depends on the size of a key.

No register of the data path has an enable or a reset, but what waits is replaced with the next batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

from modeloom.rtl.aes.key_schedule import LUT_MEMORY, read_round_key, read_word, slotted_ports
from modeloom.rtl.aes.layers import add_in_luts
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, Direction, check_count, choose, columns, joined
from modeloom.rtl.aes.pipeline import KeySizes
from modeloom.rtl.aes.rounds import add, check_streams, hold_state, register, stream_round
from modeloom.rtl.counter import count_places

__all__ = ["AESStreams"]

BLOCK_MEMORY_CYCLES = 2
"""Cycles from a slot to a round key, through a block memory and the register behind it."""

PLACES = 16
"""Round keys for which a slot has a place."""


class AESStreams(wiring.Component):
    """AES (FIPS 197, 5.1; decryption: 5.3.5, the equivalent inverse cipher) for batches of 1, 2 or 4 blocks.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    streams : int
        1, 2 or 4: blocks of a batch, and cycles of a round.
    slots : int
        Number of key slots, at least 1.
    direction : str
        "encrypt", "decrypt" or "both".
    more_key_bits : tuple of int
        Other key sizes that a slot may have.
    block_memory : bool
        Puts the round keys of several slots into a block memory.
    whole_sboxes : bool
        Asks tools to map each table of an encrypter by itself, into 32 LUTs of six inputs.

    Attributes
    ----------
    rounds : int
        Rounds of the longest key: 10, 12 or 14.
    interval : int
        ``rounds`` * ``streams`` cycles from a batch to the earliest next one.
    latency : int
        Cycles from a block to its result: ``interval`` + 1, one more with several key sizes, and two more with a block memory.

    Members
    -------
    batch
        High two cycles before the first block of a batch.
    i, slot, decrypt
        A block of a batch (128 bits), its key slot, and its direction (only with "both"), in ``streams`` successive cycles.
    o
        The result (128 bits).  It has another value in the next cycle.
    key_we, key_slot, key_round, key_data, key_data_dec, key_length
        Writes round keys, as in :class:`~modeloom.rtl.aes.pipeline.AESPipeline`.  Keys of a block at work must not change.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter has none of its possible values.
    """

    def __init__(
        self, key_bits: int = 128, streams: int = 4, slots: int = 1, *, direction: str = "encrypt", more_key_bits: Sequence[int] = (),
        block_memory: bool = False, whole_sboxes: bool = False,
    ):  # fmt: skip
        self.sizes = KeySizes((key_bits, *more_key_bits))
        self.streams, self.slots = check_streams(streams), check_count("slots", slots)
        self.direction, self.whole_sboxes = Direction.of(direction), whole_sboxes
        self.block_memory = block_memory and slots > 1
        self.rounds = self.sizes.rounds
        self.interval = self.rounds * streams
        self._several = len(self.sizes.sizes) > 1
        # Cycles from a block to its sum with key 0, and to its place in the loop.
        self._waits = BLOCK_MEMORY_CYCLES if self.block_memory else 0
        self._enters = self._waits + self._several
        self.latency = self.interval + 1 + self._enters
        ports = {"batch": In(1), **slotted_ports(slots, 4)}
        super().__init__(ports | self.direction.ports(decrypt=In(1), key_data_dec=In(BLOCK_BITS)) | self.sizes.ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams = self.streams
        self._slots = self._late(m, self.slot, "slot")
        self._ways = self._late(m, self.direction.bit(self), "decrypt")
        # Round keys are read so many cycles before their use.
        ahead = BLOCK_MEMORY_CYCLES if self.block_memory else 1
        places, windows = count_places(m, self.batch, streams=streams, rounds=self.rounds, enters=self._enters, ahead=ahead)

        # The slot and the direction of the block in each stage.
        ring = [Signal(len(self.slot) + 1, name=f"ring_{n}_reg", reset_less=True) for n in range(streams)]
        arrived = [Cat(slot, way) for slot, way in zip(self._slots, self._ways, strict=True)]
        sums = Signal(len(ring[0]), name="ring_next")
        m.d.comb += sums.eq(Mux(windows[0], arrived[self._enters], ring[-1]))
        m.d.sync += [after.eq(before) for after, before in zip(ring, (sums, *ring), strict=False)]
        coming = [*reversed(ring), sums, Mux(windows[1], arrived[self._enters - 1], sums)]
        ways = [each[-1] for each in ring]

        key = self._round_key(m, places[ahead], coming, ahead)
        whitened = add(self.i if not self._waits else self._delayed(m, self.i), self._first_key(m))
        enter, entering = windows[0], whitened
        if self._several:
            enter, entering = self._enter(m, places[0], windows[0]), self._placed(m, whitened, windows[1])

        next_state = Signal(BLOCK_BITS)
        state = hold_state(m, next_state, sums[-1], "state", self.direction)
        mixed, plain = stream_round(m, state, ways, streams=streams, direction=self.direction, whole_sboxes=self.whole_sboxes)
        going = add(mixed, key)
        m.d.comb += next_state.eq(choose(enter, entering, going))
        m.d.comb += self.o.eq(register(m, add_in_luts(m, plain, key), "o"))
        return m

    # -- control --------------------------------------------------------------------------------------------------------------

    def _late(self, m: Module, value: Value, name: str) -> list[Value]:
        """A value that comes with a block, at each cycle until the block enters the loop."""
        values = [value]
        for n in range(self._enters):
            late = Signal(len(value), name=f"{name}_{n + 1}_reg", reset_less=True)
            m.d.sync += late.eq(values[-1])
            values.append(late)
        return values

    def _delayed(self, m: Module, block: Value) -> Value:
        for n in range(self._waits):
            block = register(m, block, f"operand_{n}")
        return block

    # -- keys of several sizes ------------------------------------------------------------------------------------------------

    def _enter(self, m: Module, place: Value, window: Value) -> Value:
        """Whether a block enters the loop: the batch with the longest keys first, others when their rounds begin."""
        skips = self.sizes.skips
        block = self.block_memory
        bits = Cat(self.sizes.skipping(m, self.key_we, self.key_slot, self.key_length, self.slot, slots=self.slots, block=block))
        for n in range(self._enters - (BLOCK_MEMORY_CYCLES if block else 1)):
            late = Signal(len(bits), name=f"skips_{n}_reg", reset_less=True)
            m.d.sync += late.eq(bits)
            bits = late
        ring = [Signal(len(bits), name=f"skips_ring_{n}_reg", reset_less=True) for n in range(self.streams)]
        now = Mux(window, bits, ring[-1])
        m.d.sync += [after.eq(before) for after, before in zip(ring, (now, *ring), strict=False)]
        enters = [window & ~bits[0]]
        for n, skip in enumerate(skips):
            last = ring[-1][n] & ~ring[-1][n + 1] if n + 1 < len(skips) else ring[-1][n]
            enters.append(~window & (place == skip.last) & last)
        return Cat(enters).any()

    def _placed(self, m: Module, whitened: Value, write: Value) -> Value:
        """The sums of a batch with key 0, each in its place until the next batch, and read when its stream is in stage N."""
        if self.streams == 1:
            words = [Signal(32, name=f"waiting_block_column_{n}_reg", reset_less=True) for n in range(4)]
            with m.If(write):
                m.d.sync += [word.eq(column) for word, column in zip(words, columns(whitened), strict=True)]
            return Cat(words)
        # A batch has as many blocks as there are places, so any counter of them fits.  It counts in a reset, too, which overwrites all
        # places, and the first batch gives it a value.
        count_reg = Signal(range(self.streams), reset_less=True)
        # A sum in the address of a memory is wider in some simulators of Verilog than in others, so this one is a register.
        before_reg = Signal.like(count_reg, reset_less=True)
        m.d.sync += [count_reg.eq(Mux(self.batch, 0, count_reg + 1)), before_reg.eq(count_reg)]
        m.submodules.waiting_blocks = blocks = memory.Memory(shape=BLOCK_BITS, depth=self.streams, init=[], attrs=LUT_MEMORY)
        write_port, read_port = blocks.write_port(), blocks.read_port(domain="comb")
        m.d.comb += [write_port.addr.eq(count_reg), write_port.data.eq(whitened), write_port.en.eq(write), read_port.addr.eq(before_reg)]
        return read_port.data

    # -- round keys -----------------------------------------------------------------------------------------------------------

    def _by_size(self, of: Callable[..., Value | int]) -> Value:
        """A number that depends on the size of the key that is written.  ``of`` gives it for a number of rounds."""
        value: Value = of(ROUNDS[self.sizes.sizes[0]])
        for n, bits in enumerate(self.sizes.sizes[1:], 1):
            value = Mux(self.key_length == n, of(ROUNDS[bits]), value)
        return value

    def _first_key(self, m: Module) -> Value:
        """Round key 0 of a block, ``_waits`` cycles after it has come; the last one for decryption."""
        found = []
        for form in self.direction.key_forms(self):
            write = Signal(name=f"write_{form.name}_first")
            number = self._by_size(lambda rounds, form=form: (self.key_round == (rounds if form.backward else 0)))
            m.d.comb += write.eq(self.key_we & number)
            found.append(read_round_key(
                m, write, self.key_slot, form.data, slots=self.slots, travel=self._slots, cycle=int(self.block_memory),
                index=f"{form.name}_first", block=self.block_memory,
            ))  # fmt: skip
        key = joined(self._ways[max(0, self._waits - 1)], found)
        return register(m, key, "first_key") if self._waits else key

    def _round_key(self, m: Module, place: Value, coming: list[Value], ahead: int) -> Value:
        """The round key of the block in stage N.  ``coming`` has the slot and the direction of the block there n cycles later."""
        outputs = []
        address = Signal(4 + len(self.slot), name="key_place")
        m.d.comb += address.eq(Cat(place, coming[ahead][:-1]))
        for form in self.direction.key_forms(self):
            # The last round of every key is the last one of the loop.
            to = self.rounds - self.key_round if form.backward else self._by_size(lambda rounds: self.key_round + (self.rounds - rounds))
            outputs.append(read_word(
                m, f"keys_{form.name}", PLACES * self.slots, self.key_we, Cat(to[:4], self.key_slot), form.data, address,
                domain="sync" if self.block_memory else "comb", block=self.block_memory,
            ))  # fmt: skip
        return register(m, joined(coming[1][-1], outputs), "key")
