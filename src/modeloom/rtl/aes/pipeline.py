# SPDX-License-Identifier: Apache-2.0
"""AES pipelines: one block per cycle, fixed latency, round keys of several slots.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state. With n rounds::

    cycle      0                   1        ...            latency - 1    latency
    i, slot ──▶(+)──▶ w. reg ──▶ round 1 ──▶ ... ──▶ ... ──▶ round n ──▶ reg ──▶ o
                ▲                  ▲                           ▲
              key 0              key 1                       key n           (a decrypter: n, n - 1, ..., 0)

``rtl.aes.rounds`` describes a round and its registers.

A pipeline for keys of several sizes has the rounds of the longest key.  A block of a shorter key passes the first of them in registers.
So all blocks have the same latency, and blocks of any slots can follow each other (``key_sizes`` has the rounds)::

    w. reg ──┬──▶ round 1 ──▶ round 2 ──┬──▶ reg ──┬──▶ round 3 ──▶ round 4 ──┬──▶ reg ──▶ round 5 ...
             └──▶ reg ... reg ──────────┘          └──▶ reg ... reg ──────────┘

The register of round 1 is zero for a block that passes it.  Round 2 then gives the sum of a constant and its round key.  In place of the
key it gets the sum of the block and this constant.  So the multiplexer is in front of the register of the key, not in a round.

The pipeline never stalls: no register of the data path has a clock enable or a reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member

from modeloom.rtl.aes.key_schedule import Travel, read_round_key, read_word, slotted_ports
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, Direction, KeyForm, check_count, check_key_bits, choose, slot_shape
from modeloom.rtl.aes.rounds import SBOXES, RoundStages, add, register

__all__ = ["AESPipeline", "BLOCK_MEMORY_CYCLES", "Bypass", "KEY_MEMORIES", "KeySizes", "SBOXES", "Skip"]

# -- key sizes -------------------------------------------------------------------------------------------------------------------------

# Keys of several sizes in one pipeline: which rounds a shorter key skips, and where its round keys are.
#
# The last rounds are common.  For all three sizes::
#
#     key          whitening   rounds 1, 2   rounds 3, 4   rounds 5 ... 14
#     256 bits     key 0       keys 1, 2     keys 3, 4     keys 5 ... 14
#     192 bits     key 0       -             keys 1, 2     keys 3 ... 12
#     128 bits     key 0       -             -             keys 1 ... 10
#
# A decrypter reads the round keys of a size in the opposite order.  Its whitening uses the last round key, and its last round uses key 0.


@dataclass(frozen=True)
class Skip:
    """Rounds that some keys skip.

    Attributes
    ----------
    first, last : int
        Numbers of the rounds, from 1.
    lengths : tuple of bool
        For each size of keys, whether it skips them.
    """

    first: int
    last: int
    lengths: tuple[bool, ...]


@dataclass(frozen=True)
class KeySizes:
    """The key sizes of a pipeline.

    Attributes
    ----------
    sizes : tuple of int
        128, 192 or 256 bits each.  What ports called ``key_length`` carry is a place in this tuple.

    Raises
    ------
    TypeError
        A size is not an integer.
    ValueError
        A size is none of AES, or there twice.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        for bits in self.sizes:
            check_key_bits(bits)
        if len(set(self.sizes)) != len(self.sizes):
            raise ValueError(f"key sizes must differ, not {', '.join(map(str, self.sizes))}")

    @property
    def rounds(self) -> int:
        """Rounds of the longest key."""
        return max(ROUNDS[bits] for bits in self.sizes)

    @property
    def skips(self) -> tuple[Skip, ...]:
        """The skipped rounds in their order."""
        ends = sorted({self.rounds - ROUNDS[bits] for bits in self.sizes})
        return tuple(
            Skip(before + 1, end, tuple(self.rounds - ROUNDS[bits] >= end for bits in self.sizes))
            for before, end in zip(ends, ends[1:], strict=False)
        )

    @property
    def ports(self) -> dict[str, Member]:
        """The port for the size of a key, if there are several."""
        return {"key_length": In(range(len(self.sizes)))} if len(self.sizes) > 1 else {}

    def place(self, length: int, number: int) -> int:
        """The place of a round key in a pipeline that encrypts: 0 for the whitening, or the number of a round."""
        return number + self.rounds - ROUNDS[self.sizes[length]] if number else 0

    def matches(self, write: Mapping[str, Value], place: int, *, backward: bool) -> Value:
        """Whether a round key belongs to a place of the pipeline.

        Parameters
        ----------
        write : mapping
            The number of the round key, ``key_round``, as in FIPS 197, and with several sizes the size of the key, ``key_length``.
        place : int
            0 for the whitening, or the number of a round.
        backward : bool
            Whether blocks are decrypted there.
        """
        if len(self.sizes) == 1:
            return write["key_round"] == (self.rounds - place if backward else place)
        found: Value = Const(0, 1)
        for n, bits in enumerate(self.sizes):
            own = place - (self.rounds - ROUNDS[bits]) if place else 0
            if own >= 0 and (own or not place):
                found = found | ((write["key_length"] == n) & (write["key_round"] == (ROUNDS[bits] - own if backward else own)))
        return found

    def skipping(
        self, m: Module, write: Value, write_slot: Value, length: Value, slot: Value, *, slots: int, block: bool
    ) -> list[Value]:
        """For each of ``skips``, whether a block passes these rounds: a cycle after its slot is given, or two with a block memory.

        Parameters
        ----------
        m : Module
            Receives the storage.
        write, write_slot, length
            Writes the size of the key of a slot.
        slot
            The slot of the block.
        slots : int
            Key slots.
        block : bool
            Whether the storage is a block memory.
        """
        data = self._decoded(length)
        if slots == 1:
            held = [Signal(name=f"skips_{skip.first}_reg", reset_less=True) for skip in self.skips]
            with m.If(write):
                m.d.sync += [reg.eq(bit) for reg, bit in zip(held, data, strict=True)]
            return list(held)
        skips = read_word(m, "skips", slots, write, write_slot, Cat(data), slot, domain="sync", block=block)
        if not block:
            return list(skips)
        late = Signal(len(data), name="skips_reg", reset_less=True)
        m.d.sync += late.eq(skips)
        return list(late)

    def _decoded(self, length: Value) -> list[Value]:
        """For each of ``skips`` whether keys of a size skip it."""
        found: list[Value] = []
        for skip in self.skips:
            which: Sequence[Value] = [length == n for n, skipped in enumerate(skip.lengths) if skipped]
            found.append(Cat(which).any())
        return found


# -- bypass ------------------------------------------------------------------------------------------------------------------------

# The way of a block around rounds that its key does not have.
#
#     before the first of them ──▶ reg ──▶ reg ──▶ ... ──▶ beside the last of them

class Bypass:
    """Registers beside some rounds.

    Parameters
    ----------
    m : Module
        Receives the registers.
    skip : Skip
        The rounds.
    skips : callable
        ``skips(n)``: whether the block of n cycles ago takes this way.
    block : Value
        The block that enters the first of the rounds.
    cycle : int
        Cycles ago in which this block came.
    """

    def __init__(self, m: Module, skip: Skip, skips: Callable[[int], Value], block: Value, cycle: int):
        self.skip, self.skips = skip, skips
        self._m, self._blocks, self._cycle = m, [block], cycle

    def at(self, cycle: int) -> Value:
        """The block of *cycle* cycles ago."""
        while len(self._blocks) <= cycle - self._cycle:
            name = f"past_{self.skip.first}_{len(self._blocks)}"
            self._blocks.append(register(self._m, self._blocks[-1], name))
        return self._blocks[cycle - self._cycle]


# -- pipeline --------------------------------------------------------------------------------------------------------------------------

WRITE = ("key_we", "key_slot", "key_round", "key_data", "key_length")
"""Members of a port for writes of round keys."""

WRITERS = "key_writers are for pipelines that encrypt, with several slots in LUT memories"

KEY_MEMORIES = ("distributed", "block")
"""Memories of round keys: in LUTs, or block memories."""

BLOCK_MEMORY_CYCLES = 2
"""Cycles from a slot to a round key, through a block memory and the register behind it.  A block waits for the first round key."""

ZEROS_SUBSTITUTED = {"encrypt": 0x63, "decrypt": 0x52}
"""Each byte of the result of a round without key for a state of zeros: the S-box of 0.  MixColumns keeps a state of equal bytes."""


class _Travel:
    """A value that travels with a block.  Item n is the value of the block that entered n cycles ago; it is known from ``cycle`` on."""

    def __init__(self, m: Module, value: Value, name: str, cycle: int = 0) -> None:
        self._m, self._values, self._name = m, [value] * (cycle + 1), name

    def __getitem__(self, cycle: int) -> Value:
        while len(self._values) <= cycle:
            value = self._values[-1]
            late = Signal(len(value), name=f"{self._name}_{len(self._values)}_reg", reset_less=True)
            self._m.d.sync += late.eq(value)
            self._values.append(late)
        return self._values[cycle]

    def later(self, value: Value) -> Value:
        """The register after one of the values."""
        return self[next(n for n, known in enumerate(self._values) if known is value) + 1]


class AESPipeline(wiring.Component):
    """AES (FIPS 197, 5.1; decryption: 5.3.5, the equivalent inverse cipher), one block per cycle.

    In a pipeline for both directions, one inversion and one MixColumns serve both (``rtl.aes.layers``).  Decryption reads
    the round keys in the opposite order and in another form, so each round holds two round keys.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    registers_per_round : int
        1 to 4.  ``rtl.aes.rounds`` has their places.
    slots : int
        Number of key slots, at least 1. One slot is in registers. Several slots are in LUT memories, one for each round.
    direction : str
        "encrypt", "decrypt" or "both".
    whitening_register : bool
        Registers the sum of the input and the first round key, which takes one more cycle. Without this register, the first round has an
        XOR (and a key memory) before its S-boxes in one cycle. This is then the longest path, and abc uses the slack in the other rounds
        badly: on xc7, with two registers in a round, the pipeline takes a quarter more LUTs.
    sbox : str
        "lut": tables in logic; "bram": eight block memories with two ports in each round, 256 x 8 bits each; "composite", "bdd" or
        "compact": gates, see ``sboxes``.
    mixcolumns : str
        "plain", or "lut6": partitioned by hand into LUTs of six inputs, together with the round key.
    more_key_bits : tuple of int
        Other key sizes that a slot may have.
    key_memory : str
        "distributed", or "block", which puts the round keys of several slots into block memories, one for each round.
    whole_sboxes : bool
        Asks tools to map each table of an encrypter by itself, into 32 LUTs of six inputs.
    key_writers : int
        0 to 2.  With 1 or 2, all round keys of a slot can be cleared at once, and there are so many ports for writes.  The pipeline then
        encrypts and has several slots in LUT memories.

    Attributes
    ----------
    rounds : int
        10, 12 or 14, of the longest key.
    latency : int
        rounds * registers_per_round, plus 1 with the whitening register, plus 2 with block memories for keys. The result of a block given
        in cycle t is at ``o`` in cycle t + latency, whatever the size of its key. The input has no register before the whitening, and the
        output has one.
    interval : int
        1: one block in every cycle.

    Members
    -------
    i, slot, decrypt
        Block (128 bits), its key slot, and its direction (only with "both"), in every cycle.
    o
        Result (128 bits).
    key_we, key_slot, key_round, key_data, key_data_dec
        Writes round key ``key_round`` (0 is the first block of the cipher key, as in FIPS 197) of a slot. ``key_data`` takes
        ``KeySchedule.data`` in an encrypter and ``data_dec`` in a decrypter. A pipeline for both directions takes both. A block in a later
        cycle uses the new key. The keys of a slot must not change while its blocks are in flight.
    key_length
        Only with ``more_key_bits``: the size of the key that the round key belongs to. 0 is ``key_bits``, and n is
        ``more_key_bits[n - 1]``. The slot then has this size. ``key_round`` is the number of the round key in a key of this size. To erase
        a slot, write zeros to all round keys of the longest size.
    key_clear, key_clear_slot
        Only with ``key_writers``: zeros to all round keys of a slot, except those that are written in this cycle.  Keep it for two
        cycles.  It clears all round keys if no place is written in both, which holds for writes of one round key per cycle in their
        order.
    key_we_1, key_slot_1, key_round_1, key_data_1, key_length_1
        Only with two writers: another write in the same cycle.  It must be for another round of the pipeline, and round key 0 of
        two keys must not be written in the same cycle.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    # In the straight inverse cipher, the round key is in the input of InvMixColumns, so the XOR needs separate LUTs after the S-box.  The
    # equivalent inverse cipher adds the key in the last LUT of InvMixColumns.  On xc7, a round with two registers takes 860 LUTs, and 950
    # to 1070 with the straight inverse cipher.

    def __init__(
        self, key_bits: int = 128, registers_per_round: int = 1, slots: int = 1, *, direction: str = "encrypt",
        whitening_register: bool = True, sbox: str = "lut", mixcolumns: str = "plain", more_key_bits: tuple[int, ...] = (),
        key_memory: str = "distributed", key_writers: int = 0, whole_sboxes: bool = False,
    ):
        self.sizes = KeySizes((key_bits, *more_key_bits))
        self.key_bits = key_bits
        self.direction = Direction.of(direction)
        self._stages = RoundStages(self.direction, registers_per_round, sbox, mixcolumns, whole_sboxes)
        self.registers_per_round, self.sbox = registers_per_round, sbox
        self.slots = check_count("slots", slots)
        if not isinstance(whitening_register, bool):
            raise TypeError(f"whitening_register must be True or False, not {whitening_register!r}")
        if sbox == "bram" and not whitening_register:
            raise ValueError("a block memory registers its address: sbox 'bram' needs whitening_register")
        if self.sizes.skips and not whitening_register:
            raise ValueError("the size of a key is known a cycle late: several key sizes need whitening_register")
        if key_memory not in KEY_MEMORIES:
            raise ValueError(f"key_memory must be one of {', '.join(KEY_MEMORIES)}, not {key_memory!r}")
        self.whitening_register = whitening_register
        self.key_memory = key_memory
        self.key_writers = check_count("key_writers", key_writers, 0, 2)
        if key_writers:
            self.direction.require(("encrypt",), ValueError(WRITERS))
            if self._block or slots == 1:
                raise ValueError(WRITERS)
        self.rounds = self.sizes.rounds
        self._waits = BLOCK_MEMORY_CYCLES if self._block else 0
        self.latency = self._waits + self.rounds * registers_per_round + whitening_register
        self.interval = 1
        ports = slotted_ports(slots, 4) | self.direction.ports(decrypt=In(1), key_data_dec=In(BLOCK_BITS)) | self.sizes.ports
        if key_writers:
            ports |= {"key_clear": In(1), "key_clear_slot": In(slot_shape(slots))}
            for number in range(1, key_writers):
                ports |= {f"{name}_{number}": ports[name] for name in WRITE if name in ports}
        super().__init__(ports)

    @property
    def key_place(self) -> Callable[[int, int], int]:
        """A function that gives the place of a round key: 0 for the whitening, or the number of a round.

        Its arguments are what ``key_length`` carries, and the number of the round key.  It is for pipelines that encrypt.
        """
        return self.sizes.place

    @property
    def _block(self) -> bool:
        """Whether round keys are in block memories; those of one slot are in registers."""
        return self.key_memory == "block" and self.slots > 1

    def elaborate(self, platform: object) -> Module:
        """Makes the whitening of the block, and then a round after another with its round key and its registers.

        Round keys are read where a round needs them, because a block meets its slot and its direction after as many cycles as it has been
        in the pipeline.  Blocks of shorter keys pass the rounds that they do not have.
        """
        m = Module()
        slot = _Travel(m, self.slot, "slot")
        decrypt = _Travel(m, self.direction.bit(self), "decrypt")
        forms = self.direction.key_forms(self)

        def stored_key(form: KeyForm, place: int, *, travel: Travel, cycle: int) -> Value:
            index = f"{form.prefix}{self.rounds - place if form.backward else place}"
            write, write_slot, data = Signal(name=f"write_{index}"), self.key_slot, form.data
            if self.key_writers:
                write_slot, data = self._written(m, write, place)
            else:
                m.d.comb += write.eq(self.key_we & self.sizes.matches(self._writers()[0], place, backward=form.backward))
            return read_round_key(m, write, write_slot, data, slots=self.slots, index=index, block=self._block, travel=travel, cycle=cycle)

        def ready_key(place: int, cycle: int) -> Value:
            """The round key for a place (0 is the whitening) and for the block that entered *cycle* cycles ago, not from a register."""
            travel, cycle_of = (slot, cycle) if self._block else ([slot[cycle]], 0)
            first, *second = (stored_key(form, place, travel=travel, cycle=cycle_of) for form in forms)
            return choose(decrypt[cycle], second[0], first) if second else first

        def round_key(place: int, cycle: int, instead: tuple[Value, Value] | None = None) -> Value:
            """The same, from a register if *cycle* is not 0.  *instead* is a condition and what then replaces the key, a cycle before."""
            if len(forms) == 1 and not self._block and instead is None:
                return stored_key(forms[0], place, travel=slot, cycle=cycle)
            # The key is selected a cycle ahead, so the logic of a round has no multiplexer.
            key = ready_key(place, max(0, cycle - 1))
            if instead is not None:
                key = choose(*instead, key)
            return register(m, key, f"chosen_key_{place}") if cycle else key

        begin = self._waits
        block: Value = self.i
        for n in range(begin):
            block = register(m, block, f"operand_{n}")
        block = add(block, round_key(0, begin))
        state: Value | tuple[Value, ...] = block
        if self.whitening_register and self._stages.registers_sums:
            state = self._stages.hold(m, block, decrypt[begin], "whitened")
        skipping = self._skipping(m)
        bypass: Bypass | None = None
        for number in range(1, self.rounds + 1):
            end = begin + number * self.registers_per_round + self.whitening_register
            start = end - self.registers_per_round - (not self._stages.registers_sums)
            name = f"round_{number}_"
            for skip, skips in skipping:
                if skip.first == number:
                    bypass = Bypass(m, skip, skips, *((block, start - 1) if isinstance(state, tuple) else (state, start)))
            state, way = self._stages.substitute(m, state, decrypt[start], name, decrypt.later)
            # The round in which blocks that pass these rounds come back, and the round before.
            joins, before = (bypass is not None and bypass.skip.last == n for n in (number, number + 1))
            instead = None
            if bypass and joins and self._joins_at_keys:
                zeros = Const(int.from_bytes(bytes([ZEROS_SUBSTITUTED[self.direction]]) * 16, "little"), BLOCK_BITS)
                instead = bypass.skips(end - 2), add(bypass.at(end - 2), zeros)
            key = round_key(number, end - 1, instead)
            final = number == self.rounds
            block = self._stages.finish(m, state, key, name) if final else self._stages.mix(m, state, way, key, name)
            if bypass and before and self._joins_at_keys:
                block = choose(bypass.skips(end - 1), Const(0, BLOCK_BITS), block)
            if bypass and joins and not self._joins_at_keys:
                block = choose(bypass.skips(end - 1), bypass.at(end - 1), block)
            state = block
            if final:
                state = register(m, state, f"round_{number}")
            elif self._stages.registers_sums:
                state = self._stages.hold(m, state, decrypt[end - 1], f"round_{number}")
        m.d.comb += self.o.eq(state)
        return m

    def _written(self, m: Module, write: Signal, index: int) -> tuple[Value, Value]:
        """Drives the write of a round's key from all writers.  Returns its slot and its data, which is zero if the slot is cleared."""
        writes: list[Value] = []
        slot, data = self.key_clear_slot, Const(0, BLOCK_BITS)
        for number, writer in enumerate(self._writers()):
            writes.append(one := Signal(name=f"write_{index}_{number}"))
            m.d.comb += one.eq(writer["key_we"] & self.sizes.matches(writer, index, backward=False))
            slot, data = Mux(one, writer["key_slot"], slot), data | (writer["key_data"] & one.replicate(BLOCK_BITS))
        m.d.comb += write.eq(Cat(*writes, self.key_clear).any())
        return slot, data

    def _writers(self) -> list[dict[str, Value]]:
        """The members of each port for writes."""
        ends = ["", *(f"_{number}" for number in range(1, self.key_writers))]
        return [{name: getattr(self, name + end) for name in WRITE if hasattr(self, name + end)} for end in ends]

    @property
    def _joins_at_keys(self) -> bool:
        """Whether a block that has passed rounds replaces a round key.  This needs a register before the round, which can be zero, and one
        direction: the constant that a round makes of zeros depends on it.
        """
        return self._stages.registers_sums and self.direction != "both"

    def _skipping(self, m: Module) -> list[tuple[Skip, Callable[[int], Value]]]:
        """The rounds that keys skip, and for each of them, whether the block that entered n cycles ago does."""
        if not self.sizes.skips:
            return []
        write, write_slot, length = self.key_we, self.key_slot, self.key_length
        if self.key_writers:
            # The size of a key is written with its first round key, since two writers do not write this one in the same cycle.
            firsts = [(writer["key_we"] & (writer["key_round"] == 0), writer) for writer in self._writers()]
            write = Cat(first for first, _ in firsts).any()
            for first, writer in firsts[1:]:
                write_slot, length = Mux(first, writer["key_slot"], write_slot), Mux(first, writer["key_length"], length)
        bits = self.sizes.skipping(m, write, write_slot, length, self.slot, slots=self.slots, block=self._block)
        cycle = BLOCK_MEMORY_CYCLES if self._block else 1
        skips = self.sizes.skips
        return [(skip, _Travel(m, bit, f"skips_{skip.first}", cycle).__getitem__) for skip, bit in zip(skips, bits, strict=True)]
